//! The checks of the published crate: seconds of them in `cargo xtask test`, all in `cargo xtask crate --check`.

use std::fs;
use std::path::PathBuf;

use crate::cmd::Cmd;
use crate::counts::Runner;
use crate::failure::Failure;
use crate::node_tests::node_test;
use crate::pkg::{self, PACK};
use crate::plan::{Context, Plan, TOOL_BUILDS};
use crate::published::{CRATE, folder, programs};
use crate::schedule::Room;
use crate::setup::{NODE, NPM_OF_TESTS, TARGET, WASM_BINDGEN, WASM_TARGET, cargo, cargo_of};
use crate::thin_wasm::Thin;
use crate::workspace::Workspace;

/// Cargo locks the folder.
const BUILD: Room = Room {
    name: "target/crate-build",
    places: 1,
};

const WASI: &str = "wasm32-wasip1";
const WASI_2: &str = "wasm32-wasip2";
const BARE: &str = "thumbv7em-none-eabi";

/// The features that need no standard library.
const FEATURES_OF_BARE: &str = "http,async";

/// The oldest compiler that the manifest allows.
const OLDEST: &str = "1.85";

/// That, and some between it and the newest.
const COMPILERS: [&str; 3] = [OLDEST, "1.88", "1.92"];

/// Programs that retry what these crates do.
const SERVICES: [&str; 6] = ["axum", "reqwest", "reqwest-retry", "sqlx", "tonic", "tower"];

/// Tools that check the crate: its public names, its features, its dependencies.
const TOOLS: [(&str, &str); 3] = [
    ("cargo-public-api", "0.52.0"),
    ("cargo-hack", "0.6.46"),
    ("cargo-deny", "0.20.2"),
];
/// The compiler that the first of them reads, which interprets tests, too.
const NIGHTLY: &str = "nightly-2026-05-20";

const JUDGES: &str = "tools that judge the crate";
const TARGETS: &str = "Rust's other targets";
const OLD_COMPILERS: &str = "Rust's older compilers";
const OLD_MACHINES: &str = "machines of the oldest compiler";

pub fn set_up_steps() -> Vec<Plan> {
    vec![
        Plan::set_up(TARGETS, &[], |_, step| {
            let add = Cmd::new("rustup")
                .args(["target", "add", WASI, WASI_2, BARE])
                .remedy("rustup must reach the server that it was set up for");
            step.run(&add).map(drop)
        }),
        Plan::set_up(OLD_COMPILERS, &[], |_, step| {
            let minimal = ["--profile", "minimal", "--no-self-update"];
            let install = Cmd::new("rustup")
                .args(["toolchain", "install"])
                .args(COMPILERS)
                .args(minimal)
                .args(["--target", WASM_TARGET])
                .remedy("rustup must reach the server that it was set up for");
            step.run(&install).map(drop)
        }),
        Plan::set_up(OLD_MACHINES, &[OLD_COMPILERS, PACK], |cx, step| {
            let machines = Thin::protection_by(cx.ws, OLDEST);
            machines.compile(cx.ws, step)?;
            machines.shrink(cx.ws, step)?;
            let version = pkg::version(cx.ws)?;
            let out = with_old_machines(cx.ws).join("pkg");
            let assembly = pkg::assembly(cx.ws, &version, &machines.script, &out);
            step.run(&assembly).map(drop)
        }),
        Plan::set_up(JUDGES, &[], |cx, step| {
            for (name, version) in TOOLS {
                if !tool(cx.ws, name).exists() {
                    let install = cargo()
                        .args(["install", "--locked", name, "--version", version])
                        .arg("--root")
                        .arg(tools(cx.ws))
                        .remedy("see the compiler's message in the log");
                    step.run(&install)?;
                }
            }
            let install = Cmd::new("rustup")
                .args(["toolchain", "install", NIGHTLY])
                .args(["--profile", "minimal", "--no-self-update"])
                .args(["--component", "miri,rust-src"])
                .remedy("rustup must reach the server that it was set up for");
            step.run(&install).map(drop)
        })
        .room(TOOL_BUILDS),
    ]
}

/// The folder of a package that has the machines of the oldest compiler.
fn with_old_machines(ws: &Workspace) -> PathBuf {
    ws.target.join("with-old-machines")
}

/// Where the tools of these versions are installed.
fn tools(ws: &Workspace) -> PathBuf {
    let versions = TOOLS.map(|(_, version)| version).join("-");
    ws.target.join(format!("crate-tools-{versions}"))
}

fn tool(ws: &Workspace, name: &str) -> PathBuf {
    tools(ws).join("bin").join(name)
}

/// The steps of `cargo xtask test`.
pub fn quick() -> Vec<Plan> {
    let program = |name: &'static str, command: &'static str| {
        move |cx: &Context<'_>| vec![of_programs(cx.ws, &[command, "--package", name])]
    };
    vec![
        Plan::tests(
            "crate: packaged without warnings",
            Runner::Silent,
            &[CRATE],
            |cx| vec![in_crate(cx.ws, &["package", "--allow-dirty"])],
        ),
        Plan::check("crate: no standard library", &[CRATE], |cx| {
            let bare = ["clippy", "--quiet", "--lib", "--no-default-features"];
            vec![in_crate(cx.ws, &bare).args(["--", "-D", "warnings"])]
        }),
        Plan::check(
            "crate: two versions stay two",
            &[CRATE],
            program("two-versions", "run"),
        ),
        Plan::check(
            "crate: a glob import hides nothing",
            &[CRATE],
            program("glob-import", "check"),
        ),
        Plan::check(
            "crate: wasm without JavaScript",
            &[CRATE, TARGET, NODE],
            |cx| {
                vec![
                    wasm_program(cx.ws, "without-javascript", WASM_TARGET),
                    script(cx.ws, "without-javascript", WASM_TARGET),
                ]
            },
        ),
    ]
    .into_iter()
    .map(|step| step.quick().room(BUILD))
    .collect()
}

/// The steps of `cargo xtask crate --check`.
pub fn all(_: &Workspace) -> Result<Vec<Plan>, Failure> {
    // No feature, each alone, each pair, and all.
    let features = |needs: &[&'static str], target: Option<&'static str>| {
        let name = target.unwrap_or("native");
        let needs = [&[CRATE, JUDGES], needs].concat();
        Plan::check(format!("crate: features, {name}"), &needs, move |cx| {
            let powerset = ["--feature-powerset", "--depth", "2", "--exclude-features"];
            let hack = Cmd::new(tool(cx.ws, "cargo-hack"))
                .arg("hack")
                .args(powerset)
                .args(["default", "clippy", "--quiet", "--lib"])
                .args(target.iter().flat_map(|target| ["--target", target]))
                .args(only(target))
                .args(["--", "-D", "warnings"])
                .dir(folder(cx.ws));
            vec![hack.env("CARGO_TARGET_DIR", build(cx.ws))]
        })
    };
    let mut steps = quick();
    steps.extend([
        features(&[], None),
        features(&[TARGET], Some(WASM_TARGET)),
        features(&[TARGETS], Some(WASI)),
        features(&[TARGETS], Some(WASI_2)),
        features(&[TARGETS], Some(BARE)),
        Plan::check("crate: on embassy's timers", &[CRATE, TARGETS], |cx| {
            let build = ["build", "--package", "embassy", "--target", BARE];
            vec![of_programs(cx.ws, &build)]
        }),
        Plan::check("crate: dependencies", &[CRATE, JUDGES], |cx| {
            let deny = Cmd::new(tool(cx.ws, "cargo-deny"))
                .args(["--all-features", "--config"])
                .arg(cx.ws.root.join("xtask/deny.toml"))
                .args(["check", "bans", "licenses", "sources"]);
            vec![deny.dir(folder(cx.ws))]
        }),
        Plan::tests(
            "crate: the core, interpreted",
            Runner::Cargo,
            &[CRATE, JUDGES],
            |cx| {
                // Not what tries millions of numbers: that would take hours.
                let core = ["--", "core::", "--skip", "elementary", "--skip", "random"];
                let miri = cargo_of(NIGHTLY).args(["miri", "test", "--lib"]).args(core);
                let miri = miri.dir(folder(cx.ws));
                vec![miri.env("CARGO_TARGET_DIR", build(cx.ws).join("miri"))]
            },
        ),
        // In a folder, as in a workspace or with a path: cargo caps the lints of what it downloads alone.
        Plan::check("crate: older compilers", &[CRATE, OLD_COMPILERS], |cx| {
            let check = |compiler| {
                let check = cargo_of(compiler).args(["check", "--all-features"]);
                let check = check.dir(folder(cx.ws));
                check.env("CARGO_TARGET_DIR", build(cx.ws))
            };
            COMPILERS.map(check).into()
        }),
        // Not published, but JavaScript is made of the wasm text that a compiler writes.
        Plan::tests(
            "crate: machines of protection, the oldest compiler",
            Runner::Node,
            &[OLD_MACHINES, NPM_OF_TESTS],
            |cx| {
                let file = "tests/package/protection/differential.test.mjs";
                let test = node_test(cx, &cx.ws.root.join(file));
                vec![test.env("REJITTER_TARGET_DIR", with_old_machines(cx.ws))]
            },
        ),
        Plan::check("crate: documentation", &[CRATE, TARGET], |cx| {
            // A link to an item that only some targets have breaks on the others.
            let all = ["doc", "--no-deps", "--all-features"];
            [&all[..], &[&all[..], &["--target", WASM_TARGET]].concat()]
                .map(|args| in_crate(cx.ws, args).env("RUSTDOCFLAGS", "-D warnings"))
                .into()
        }),
        Plan::check(
            "crate: documentation, as docs.rs builds it",
            &[CRATE, JUDGES],
            |cx| {
                let doc = cargo_of(NIGHTLY)
                    .args(["doc", "--no-deps"])
                    .args(["--features", &features_of_docs(cx.ws)])
                    .dir(folder(cx.ws))
                    .env("CARGO_TARGET_DIR", build(cx.ws).join("docs.rs"))
                    .env("RUSTDOCFLAGS", "-D warnings --cfg docsrs");
                vec![doc]
            },
        ),
        Plan::tests("crate: its own tests", Runner::Cargo, &[CRATE], |cx| {
            // They draw tens of millions of delays.
            let optimised = ["--config", "profile.test.opt-level=2"];
            vec![in_crate(cx.ws, &["test", "--all-features"]).args(optimised)]
        }),
        Plan::check(
            "crate: next to a user's exports",
            &[CRATE, TARGET, NODE, WASM_BINDGEN],
            |cx| {
                let out = build(cx.ws).join("own-exports");
                vec![
                    wasm_program(cx.ws, "own-exports", WASM_TARGET),
                    Cmd::new(cx.ws.wasm_tool("wasm-bindgen"))
                        .arg(wasm_file(cx.ws, "own-exports", WASM_TARGET))
                        .args(["--target", "experimental-nodejs-module"])
                        .arg("--out-dir")
                        .arg(&out),
                    Cmd::new("node")
                        .arg(cx.ws.root.join("tests/crate/own-exports.mjs"))
                        .arg(out.join("own_exports.js")),
                ]
            },
        ),
        Plan::check("crate: public names", &[CRATE, NODE, JUDGES], |cx| {
            vec![
                Cmd::new("node")
                    .arg(cx.ws.root.join("tests/crate/public-names.mjs"))
                    .arg(tool(cx.ws, "cargo-public-api"))
                    .arg(NIGHTLY)
                    .arg(folder(cx.ws).join("Cargo.toml"))
                    .arg(features_of_docs(cx.ws))
                    .env("CARGO_TARGET_DIR", build(cx.ws))
                    .remedy("if the change is meant, run it again with REJITTER_WRITE_NAMES=1"),
            ]
        }),
        Plan::check("crate: with other crates", &[CRATE], |cx| {
            let run = |name| of_programs(cx.ws, &["run", "--package", "services", "--bin", name]);
            SERVICES.map(run).into()
        }),
        Plan::check("crate: WASI", &[CRATE, TARGETS, NODE], |cx| {
            vec![
                wasm_program(cx.ws, "wasi", WASI),
                script(cx.ws, "wasi", WASI),
            ]
        }),
    ]);
    Ok(steps.into_iter().map(|step| step.room(BUILD)).collect())
}

fn build(ws: &Workspace) -> PathBuf {
    ws.target.join("crate-build")
}

/// Cargo in the assembled crate.
fn in_crate(ws: &Workspace, args: &[&str]) -> Cmd {
    in_folder(ws, folder(ws), args)
}

/// Cargo in the workspace of the programs.
fn of_programs(ws: &Workspace, args: &[&str]) -> Cmd {
    in_folder(ws, programs(ws), args)
}

fn in_folder(ws: &Workspace, folder: PathBuf, args: &[&str]) -> Cmd {
    cargo()
        .args(args)
        .dir(folder)
        .env("CARGO_TARGET_DIR", build(ws))
}

/// The arguments that choose among the features that a target has.
fn only(target: Option<&str>) -> Vec<&'static str> {
    if target == Some(BARE) {
        vec!["--include-features", FEATURES_OF_BARE]
    } else {
        Vec::new()
    }
}

fn wasm_program(ws: &Workspace, name: &str, target: &str) -> Cmd {
    of_programs(ws, &["build", "--package", name, "--target", target])
}

fn wasm_file(ws: &Workspace, program: &str, target: &str) -> PathBuf {
    let folder = build(ws).join(target).join("debug");
    let library = folder
        .join(program.replace('-', "_"))
        .with_extension("wasm");
    if target == WASM_TARGET {
        library
    } else {
        folder.join(program).with_extension("wasm")
    }
}

/// Runs the script of tests/crate that has the name of the program on its wasm file.
fn script(ws: &Workspace, program: &str, target: &str) -> Cmd {
    Cmd::new("node")
        .arg("--no-warnings")
        .arg(
            ws.root
                .join("tests/crate")
                .join(program)
                .with_extension("mjs"),
        )
        .arg(wasm_file(ws, program, target))
}

/// The features that docs.rs documents, as cargo takes them.
fn features_of_docs(ws: &Workspace) -> String {
    documented_features(&manifest(ws)).unwrap_or_default()
}

/// The crate's manifest. Without it, the first command fails and says so.
fn manifest(ws: &Workspace) -> String {
    fs::read_to_string(folder(ws).join("Cargo.toml")).unwrap_or_default()
}

/// The features of the table for docs.rs, with commas.
fn documented_features(manifest: &str) -> Option<String> {
    let (_, table) = manifest.split_once("[package.metadata.docs.rs]\n")?;
    let list = table
        .lines()
        .find_map(|line| line.strip_prefix("features = ["))?;
    Some(list.replace([' ', '"', ']'], ""))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_documented_features_and_the_oldest_compiler_are_those_of_the_manifest() {
        let root = Workspace::find().root;
        let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
        assert!(manifest.contains(&format!("\nrust-version = \"{OLDEST}\"\n")));
        let documented = documented_features(&manifest).unwrap();
        assert_eq!(
            documented,
            "protection,tokio,js,tower,retry-policies,serde,http"
        );
    }

    #[test]
    fn every_program_has_a_step() {
        let root = Workspace::find().root.join("tests/crate/programs");
        let steps =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/crate_checks.rs"));
        let steps = steps.unwrap();
        let programs = fs::read_dir(root.join("services/src/bin")).unwrap();
        for entry in fs::read_dir(root).unwrap().chain(programs) {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy();
            assert!(
                name == "Cargo" || steps.contains(&format!("\"{name}\"")),
                "{name}"
            );
        }
    }
}
