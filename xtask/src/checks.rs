//! The steps of `cargo xtask test`: what is checked, and with which commands.

use crate::cmd::Cmd;
use crate::counts::Runner;
use crate::crate_checks;
use crate::demo::{self, CONSUMER, IN_PAGE};
use crate::failure::Failure;
use crate::node_tests;
use crate::pkg::{PACK, tarball};
use crate::plan::{Context, Plan, TARGET};
use crate::setup::{self, NPM_OF_BUILD, NPM_OF_SITE, NPM_OF_TESTS, WASM_TARGET, cargo};
use crate::site;
use crate::wasm_checks;
use crate::workspace::Workspace;

/// The page is built: its tests open it.
const PAGE: &str = "demo: page builds";

/// All steps, in the order of the closing table.
pub fn steps(ws: &Workspace) -> Result<Vec<Plan>, Failure> {
    let mut steps = lints();
    steps.extend(native());
    steps.extend(crate_checks::quick());
    steps.extend(wasm_checks::tests());
    steps.extend(wasm_checks::builds());
    steps.extend(node_tests::package(ws)?);
    steps.extend(package_checks());
    steps.extend(site::steps());
    steps.extend(demo());
    steps.extend(node_tests::page(ws, PAGE)?);
    for step in &mut steps {
        step.seconds = LONG
            .iter()
            .find(|(name, _)| *name == step.name)
            .map_or(0, |(_, seconds)| *seconds);
    }
    Ok(steps)
}

/// The steps that take long, with their seconds on two busy cores. They start first.
const LONG: &[(&str, u32)] = &[
    ("package: schedules", 150),
    ("demo: live", 110),
    ("native: crate", 100),
    ("demo: webkit", 90),
    ("demo: access", 75),
    ("demo: page", 70),
    ("package: fetch", 70),
    ("package: engine", 70),
    ("package: docs", 70),
    ("demo: files", 60),
    ("package: protection", 60),
    ("wasm: Node", 60),
    ("package: hosts/fetch-browser", 45),
    ("demo: policy", 40),
    ("lint: clippy", 40),
    ("package: hosts, WebKit", 40),
    ("package: engines/bullmq", 35),
    ("package: hosts/browser", 25),
];

/// The decisions without the rest. A cdylib needs the standard library: what does without is checked of the
/// published crate.
const ALONE: &str = "--lib --no-default-features --features std";

fn lints() -> Vec<Plan> {
    let cargo = |name: &str, needs: &[&'static str], lines: fn() -> Vec<String>| {
        Plan::check(name, needs, move |cx| {
            lines().iter().map(|line| in_root(cx, line)).collect()
        })
    };
    let steps = vec![
        cargo("lint: format", &[], || vec!["fmt --all --check".into()]),
        // Not wasm-tools: two mains of a few lines, for which 200 crates would be checked.
        cargo("lint: clippy", &[], || {
            let all = "--package rejitter --package xtask --all-targets --all-features";
            [all, ALONE].map(clippy).into()
        })
        .room(TARGET),
        cargo("lint: clippy, wasm", &[setup::TARGET], || {
            let exports = "--all-targets --features lab-exports,protection-exports";
            let lines = [exports, ALONE].map(|set| format!("--target {WASM_TARGET} {set}"));
            lines.map(|line| clippy(&line)).into()
        })
        .room(TARGET),
        Plan::check("lint: rustdoc", &[], |cx| {
            let doc = in_root(cx, "doc --no-deps --all-features");
            vec![doc.env("RUSTDOCFLAGS", "-D warnings")]
        })
        .room(TARGET),
        Plan::check("lint: JavaScript", &[NPM_OF_BUILD], |cx| {
            // The layers of src/js are rules of biome.json.
            vec![Cmd::new(cx.ws.npm_tool("biome")).args(["ci", "--error-on-warnings"])]
        }),
        Plan::check("lint: spelling", &[NPM_OF_SITE], |cx| {
            let cspell = Cmd::new(cx.ws.root.join("xtask/site/node_modules/.bin/cspell"));
            let remedy =
                "correct the word, use the one that cspell suggests, or add it to cspell.json";
            vec![
                cspell
                    .args(["--no-progress", "--config", "cspell.json"])
                    .remedy(remedy),
            ]
        }),
        of_tests(
            "lint: types of the driver",
            &[],
            "tsc -p tsconfig.driver.json",
        ),
        of_tests(
            "lint: types of the benchmarks",
            &[],
            "tsc -p ../../xtask/bench/tsconfig.json",
        ),
    ];
    steps.into_iter().map(Plan::quick).collect()
}

fn clippy(line: &str) -> String {
    format!("clippy {line} -- -D warnings")
}

fn native() -> Vec<Plan> {
    let cargo = |name: &str, line: &'static str| {
        Plan::tests(name, Runner::Cargo, &[], move |cx| vec![in_root(cx, line)]).room(TARGET)
    };
    // Tests of what the build is made with: they need no package.
    let node = |name: &str, folder: &'static str, needs| {
        Plan::tests(name, Runner::Node, &[needs], move |cx| {
            let node = Cmd::new("node").args(["--test", "--test-reporter=spec"]);
            vec![node.dir(cx.ws.root.join(folder)).gives_way()]
        })
    };
    let steps = vec![
        // With Tokio as the default sleeper, which is not a default feature.
        cargo("native: crate", "test --all-features"),
        cargo("native: layers", "test --package rejitter-layers"),
        cargo("native: texts of misuse", "test --package rejitter-ui"),
        cargo("native: build tools", "test --package xtask"),
        node("native: package assembly", "xtask/npm", NPM_OF_BUILD),
        node("native: benchmarks", "xtask/bench", NPM_OF_TESTS),
        node("native: hosts", "xtask/hosts", NPM_OF_TESTS),
    ];
    steps.into_iter().map(Plan::quick).collect()
}

fn package_checks() -> Vec<Plan> {
    // The second one's model of modules has no place for wasm files.
    let steps = vec![
        of_tests("package: publint", &[PACK], "publint run --strict TARBALL"),
        of_tests(
            "package: attw",
            &[PACK],
            "attw TARBALL --exclude-entrypoints ./core.wasm",
        ),
    ];
    steps.into_iter().map(Plan::quick).collect()
}

/// A step that runs a program of the npm packages in tests/package, by its command line.
fn of_tests(name: &str, more: &[&'static str], line: &'static str) -> Plan {
    let needs = [more, &[NPM_OF_TESTS]].concat();
    Plan::check(name, &needs, move |cx| {
        let dir = cx.ws.root.join("tests/package");
        let mut words = line.split(' ');
        let program = dir
            .join("node_modules/.bin")
            .join(words.next().unwrap_or_default());
        let cmd = words.fold(Cmd::new(program), |cmd, word| match word {
            "TARBALL" => cmd.arg(tarball(cx.ws)),
            word => cmd.arg(word),
        });
        vec![cmd.dir(dir).gives_way()]
    })
}

fn demo() -> Vec<Plan> {
    vec![
        Plan::check("demo: types", &[IN_PAGE], |cx| {
            let check = Cmd::new("npm").args(["run", "check"]);
            vec![check.dir(cx.ws.root.join("www")).gives_way()]
        }),
        Plan::check(PAGE, &[IN_PAGE], |cx| vec![demo::build_page(cx.ws)]),
        Plan::check("demo: Node program", &[CONSUMER], |cx| {
            vec![demo::program(cx.ws)]
        }),
    ]
}

fn in_root(cx: &Context<'_>, line: &str) -> Cmd {
    cargo().args(line.split(' ')).dir(&cx.ws.root)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::browsers::{FOUND, GECKODRIVER, WASM_PACK, WEBKIT};
    use crate::catalogue::set_up_steps;
    use crate::plan::with_needs;
    use crate::servers::SERVERS;

    fn names(wanted: impl Fn(&Plan) -> bool) -> Vec<String> {
        let steps = steps(&Workspace::find()).unwrap();
        let all = set_up_steps().into_iter().chain(steps).collect();
        let names = with_needs(all, wanted).into_iter().map(|step| step.name);
        names.collect()
    }

    #[test]
    fn every_named_step_is_there() {
        let names = names(Plan::is_test);
        let long = LONG.iter().map(|(name, _)| *name);
        for name in ["wasm: Chromium", "wasm: Firefox", "package: attw"]
            .into_iter()
            .chain(long)
        {
            let same = names.iter().filter(|other| *other == name).count();
            assert_eq!(same, 1, "{name} in {names:?}");
        }
    }

    #[test]
    fn a_step_sets_up_only_what_it_needs() {
        for (name, needed) in [
            ("lint: clippy", &[][..]),
            ("native: crate", &[]),
            ("package: engine", &[PACK, NPM_OF_TESTS]),
            ("package: hosts", &[PACK, NPM_OF_TESTS]),
            ("package: hosts/browser", &[PACK, NPM_OF_TESTS, FOUND]),
            ("package: hosts, WebKit", &[PACK, NPM_OF_TESTS, WEBKIT]),
            ("wasm-pack: web", &[NPM_OF_TESTS, WASM_PACK, FOUND]),
            ("wasm: Firefox", &[WASM_PACK, GECKODRIVER, FOUND]),
            ("package: engines/bullmq", &[PACK, NPM_OF_TESTS, SERVERS]),
            ("demo: page", &[PACK, IN_PAGE, PAGE, FOUND]),
            ("demo: webkit", &[PACK, IN_PAGE, PAGE, WEBKIT]),
            ("demo: without browsers", &[PACK, IN_PAGE, PAGE]),
        ] {
            let names = names(|step| step.name == name);
            let all = [
                PACK,
                NPM_OF_TESTS,
                IN_PAGE,
                PAGE,
                FOUND,
                WEBKIT,
                WASM_PACK,
                GECKODRIVER,
                SERVERS,
            ];
            for step in all {
                let named = names.iter().any(|name| name == step);
                assert_eq!(named, needed.contains(&step), "{name}: {step}");
            }
        }
    }

    #[test]
    fn the_quick_steps_need_no_browser() {
        let names = names(|step| step.quick);
        for needed in [FOUND, WEBKIT, WASM_PACK, GECKODRIVER, SERVERS] {
            assert!(!names.iter().any(|name| name == needed), "{needed}");
        }
    }
}
