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
const LONG: [(&str, u32); 25] = [
    ("demo: webkit", 315),
    ("demo: live", 270),
    ("demo: sections", 240),
    ("package: protection/schedules", 170),
    ("demo: access", 160),
    ("demo: files", 140),
    ("demo: hero", 110),
    ("demo: grid", 100),
    ("demo: page", 95),
    ("demo: furniture", 95),
    ("demo: hedging", 85),
    ("demo: story", 75),
    ("demo: policy", 75),
    ("package: protection/planted-bugs", 70),
    ("package: fetch/hostile", 55),
    ("package: engine/strict", 55),
    ("package: schedules/schedules", 50),
    ("demo: readout", 45),
    ("package: hosts/fetch-browser", 45),
    ("demo: main", 35),
    ("demo: cost", 30),
    ("package: schedules/planted-bugs", 30),
    ("package: engine/leaks", 25),
    ("package: hosts/browser", 25),
    ("package: hosts/fetch-browser, WebKit", 20),
];

/// The decisions without the rest. A cdylib needs the standard library: what does without is checked of the
/// published crate.
const ALONE: [&str; 4] = ["--lib", "--no-default-features", "--features", "std"];

fn lints() -> Vec<Plan> {
    vec![
        Plan::check("lint: format", &[], |cx| {
            vec![in_root(cx, &["fmt", "--all", "--check"])]
        }),
        Plan::check("lint: clippy", &[], |cx| {
            // Not wasm-tools: two mains of a few lines, for which 200 crates would be checked.
            let all = [
                "--package",
                "rejitter",
                "--package",
                "xtask",
                "--all-targets",
                "--all-features",
            ];
            vec![clippy(cx, &all), clippy(cx, &ALONE)]
        })
        .room(TARGET),
        Plan::check("lint: clippy, wasm", &[setup::TARGET], |cx| {
            let wasm = ["--target", WASM_TARGET];
            vec![
                clippy(
                    cx,
                    &[
                        &wasm[..],
                        &[
                            "--all-targets",
                            "--features",
                            "lab-exports,protection-exports",
                        ],
                    ]
                    .concat(),
                ),
                clippy(cx, &[&wasm[..], &ALONE].concat()),
            ]
        })
        .room(TARGET),
        Plan::check("lint: rustdoc", &[], |cx| {
            vec![
                in_root(cx, &["doc", "--no-deps", "--all-features"])
                    .env("RUSTDOCFLAGS", "-D warnings"),
            ]
        })
        .room(TARGET),
        Plan::check("lint: JavaScript", &[NPM_OF_BUILD], |cx| {
            // The layers of src/js are rules of biome.json.
            vec![Cmd::new(cx.ws.npm_tool("biome")).args(["ci", "--error-on-warnings"])]
        }),
        Plan::check("lint: spelling", &[NPM_OF_SITE], |cx| {
            vec![
                Cmd::new(cx.ws.root.join("xtask/site/node_modules/.bin/cspell"))
                    .args(["--no-progress", "--config", "cspell.json"])
                    .remedy("correct the word, use the one that cspell suggests, or add it to cspell.json"),
            ]
        }),
        Plan::check("lint: types of the driver", &[NPM_OF_TESTS], |cx| {
            vec![tests_tool(cx, "tsc").args(["-p", "tsconfig.driver.json"])]
        }),
        Plan::check("lint: types of the benchmarks", &[NPM_OF_TESTS], |cx| {
            vec![
                tests_tool(cx, "tsc")
                    .arg("-p")
                    .arg(cx.ws.root.join("xtask/bench/tsconfig.json")),
            ]
        }),
    ]
    .into_iter()
    .map(Plan::quick)
    .collect()
}

/// The names of tests/*.rs appear in the log: the layering test is one of them.
fn native() -> Vec<Plan> {
    vec![
        Plan::tests("native: crate and layering", Runner::Cargo, &[], |cx| {
            // With Tokio as the default sleeper, which is not a default feature.
            vec![in_root(cx, &["test", "--all-features"])]
        })
        .room(TARGET),
        Plan::tests("native: texts of misuse", Runner::Cargo, &[], |cx| {
            vec![in_root(cx, &["test", "--package", "rejitter-ui"])]
        })
        .room(TARGET),
        Plan::tests("native: build tools", Runner::Cargo, &[], |cx| {
            vec![in_root(cx, &["test", "--package", "xtask"])]
        })
        .room(TARGET),
        node_tests_in("native: package assembly", "xtask/npm", NPM_OF_BUILD),
        node_tests_in("native: benchmarks", "xtask/bench", NPM_OF_TESTS),
        node_tests_in("native: hosts", "xtask/hosts", NPM_OF_TESTS),
    ]
    .into_iter()
    .map(Plan::quick)
    .collect()
}

fn package_checks() -> Vec<Plan> {
    vec![
        Plan::check("package: publint", &[PACK, NPM_OF_TESTS], |cx| {
            vec![
                tests_tool(cx, "publint")
                    .args(["run", "--strict"])
                    .arg(tarball(cx.ws)),
            ]
        })
        .quick(),
        Plan::check("package: attw", &[PACK, NPM_OF_TESTS], |cx| {
            // Wasm files have no place in its model of modules.
            vec![
                tests_tool(cx, "attw")
                    .arg(tarball(cx.ws))
                    .args(["--exclude-entrypoints", "./core.wasm"]),
            ]
        })
        .quick(),
    ]
}

/// A program of the npm packages in tests/package.
fn tests_tool(cx: &Context<'_>, name: &str) -> Cmd {
    let dir = cx.ws.root.join("tests/package");
    Cmd::new(dir.join("node_modules/.bin").join(name)).dir(dir)
}

fn demo() -> Vec<Plan> {
    vec![
        Plan::check("demo: types", &[IN_PAGE], |cx| {
            vec![
                Cmd::new("npm")
                    .args(["run", "check"])
                    .dir(cx.ws.root.join("www")),
            ]
        }),
        Plan::check(PAGE, &[IN_PAGE], |cx| vec![demo::build_page(cx.ws)]),
        Plan::check("demo: Node program", &[CONSUMER], |cx| {
            vec![demo::program(cx.ws)]
        }),
    ]
}

/// Tests of what the build is made with, in a folder: they need no package.
fn node_tests_in(name: &str, folder: &'static str, needs: &'static str) -> Plan {
    Plan::tests(name, Runner::Node, &[needs], move |cx| {
        vec![
            Cmd::new("node")
                .args(["--test", "--test-reporter=spec"])
                .dir(cx.ws.root.join(folder)),
        ]
    })
}

fn in_root(cx: &Context<'_>, args: &[&str]) -> Cmd {
    cargo().args(args).dir(&cx.ws.root)
}

fn clippy(cx: &Context<'_>, args: &[&str]) -> Cmd {
    in_root(cx, &["clippy"])
        .args(args)
        .args(["--", "-D", "warnings"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    use crate::browsers::{FOUND, GECKODRIVER, WASM_PACK, WEBKIT};
    use crate::catalogue::set_up_steps;
    use crate::node_tests::{TEST_FILE, entries, stem};
    use crate::plan::with_needs;

    fn names(wanted: impl Fn(&Plan) -> bool) -> Vec<String> {
        let all = set_up_steps()
            .into_iter()
            .chain(steps(&Workspace::find()).unwrap())
            .collect();
        with_needs(all, wanted)
            .into_iter()
            .map(|step| step.name)
            .collect()
    }

    /// The set-up of one step.
    fn set_up_of(name: &str) -> Vec<String> {
        let mut names = names(|step| step.name == name);
        assert_eq!(names.pop().as_deref(), Some(name));
        names
    }

    #[test]
    fn every_named_step_is_there() {
        let names = names(Plan::is_test);
        for name in [
            "lint: format",
            "lint: spelling",
            "wasm: Chromium",
            "wasm: Firefox",
            "wasm-pack: bundler",
            "package: attw",
            "package: hosts/fetch-browser, WebKit",
            "demo: webkit",
        ] {
            assert!(
                names.iter().any(|n| n == name),
                "{name} is not in {names:?}"
            );
        }
        let unique: BTreeSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "two steps have one name");
    }

    #[test]
    fn the_long_steps_are_there() {
        let names = names(Plan::is_test);
        for (name, _) in LONG {
            assert!(names.iter().any(|n| n == name), "{name} is not a step");
        }
    }

    #[test]
    fn every_test_file_is_a_step() {
        fn test_files_under(folder: &Path, found: &mut Vec<String>) {
            for path in entries(folder).unwrap() {
                if path.is_dir() && !path.ends_with("node_modules") {
                    test_files_under(&path, found);
                } else if path.to_string_lossy().ends_with(TEST_FILE) {
                    found.push(path.display().to_string());
                }
            }
        }
        let root = Workspace::find().root;
        let mut files = Vec::new();
        test_files_under(&root.join("tests/package"), &mut files);
        test_files_under(&root.join("www"), &mut files);
        let names = names(Plan::is_test);
        for file in files {
            let file = Path::new(&file);
            let folder = file
                .parent()
                .unwrap()
                .file_name()
                .unwrap()
                .to_string_lossy();
            let stem = stem(file);
            let expected = [
                format!("package: {folder}/{stem}"),
                format!("{folder}: {stem}"),
            ];
            assert!(
                expected.iter().any(|name| names.contains(name)),
                "no step runs {}",
                file.display()
            );
        }
    }

    #[test]
    fn a_step_sets_up_only_what_it_needs() {
        assert_eq!(set_up_of("lint: clippy"), [""; 0]);
        assert_eq!(set_up_of("native: crate and layering"), [""; 0]);
        let package = set_up_of("package: engine/abort");
        for (name, needed) in [
            (PACK, true),
            (NPM_OF_TESTS, true),
            (FOUND, false),
            (WEBKIT, false),
            (WASM_PACK, false),
            (IN_PAGE, false),
        ] {
            assert_eq!(package.iter().any(|n| n == name), needed, "{name}");
        }
    }

    #[test]
    fn browsers_are_set_up_for_the_files_that_start_them() {
        for (name, chromium, webkit) in [
            ("package: hosts/browser", true, false),
            ("package: hosts/bundlers", false, false),
            ("package: hosts/browser, WebKit", false, true),
            ("wasm-pack: web", true, false),
            ("demo: page", true, false),
            ("demo: webkit", false, true),
            ("demo: cost", false, false),
        ] {
            let set_up = set_up_of(name);
            assert_eq!(
                set_up.iter().any(|n| n == FOUND),
                chromium,
                "{name}: Chromium and Firefox"
            );
            assert_eq!(set_up.iter().any(|n| n == WEBKIT), webkit, "{name}: WebKit");
        }
    }

    #[test]
    fn the_page_is_built_before_its_tests() {
        assert!(set_up_of("demo: access").iter().any(|name| name == PAGE));
    }

    #[test]
    fn the_quick_steps_need_no_browser() {
        let names = names(|step| step.quick);
        assert!(names.len() > 60, "{names:?}");
        for needed in [FOUND, WEBKIT, WASM_PACK, GECKODRIVER] {
            assert!(!names.iter().any(|name| name == needed), "{needed}");
        }
    }
}
