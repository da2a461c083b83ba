//! Set-up of the build: each piece is fetched only when it is missing.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::cmd::{Cmd, find_on_path};
use crate::failure::{Failure, file_failure};
use crate::plan::{Context, Plan, TOOL_BUILDS, keep, known};
use crate::step::Step;

pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// `require` of a module, the `module-sync` condition.
const NODE_MINIMUM: [u32; 3] = [20, 19, 0];

const TARGET_REMEDY: &str = "run `rustup target add wasm32-unknown-unknown`; where rustup cannot be \
reached, take the target's standard library from the system (on Debian the packages rustc-web, \
cargo-web, rust-web-src and rust-web-llvm)";

/// Longer than the slowest build on a machine that does other things first.
pub const BUILD_LIMIT: Duration = Duration::from_secs(40 * 60);

/// The cargo that runs us, or the one on PATH.
pub fn cargo() -> Cmd {
    Cmd::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
        .gives_way()
        .limit(BUILD_LIMIT)
}

/// The cargo of another toolchain.
pub fn cargo_of(toolchain: &str) -> Cmd {
    Cmd::new("rustup")
        .args(["run", toolchain, "cargo"])
        .gives_way()
        .limit(BUILD_LIMIT)
}

pub const NODE: &str = "Node and npm";
pub const TARGET: &str = "Rust's wasm target";
pub const WASM_BINDGEN: &str = "wasm-bindgen";
/// Steps that install the npm packages of a folder, which their names end with.
const NPM: [&str; 5] = [
    NPM_OF_BUILD,
    NPM_OF_TESTS,
    NPM_OF_PAGE,
    NPM_OF_BENCH,
    NPM_OF_SITE,
];
pub const NPM_OF_BUILD: &str = "npm packages of xtask/npm";
pub const NPM_OF_TESTS: &str = "npm packages of tests/package";
pub const NPM_OF_PAGE: &str = "npm packages of www";
pub const NPM_OF_BENCH: &str = "npm packages of xtask/bench";
pub const NPM_OF_SITE: &str = "npm packages of xtask/site";

pub fn steps() -> Vec<Plan> {
    vec![
        Plan::set_up(NODE, &[], node),
        Plan::set_up(TARGET, &[], wasm_target),
        Plan::set_up(WASM_BINDGEN, &[], wasm_bindgen).room(TOOL_BUILDS),
    ]
    .into_iter()
    .chain(NPM.map(|name| Plan::set_up(name, &[NODE], npm_packages)))
    .collect()
}

fn node(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let asked = Cmd::new("node").arg("--version");
    let node = check_node(&step.run(&asked.remedy("install Node"))?)?;
    if find_on_path(&["npm"]).is_none() {
        return Err(Failure::new("npm is not on PATH")
            .remedy("install npm; it comes with Node, on Debian as the package npm"));
    }
    step.note(&node);
    keep(&cx.node, node);
    Ok(())
}

fn wasm_target(_: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    if has_wasm_target() {
        step.note("there");
        return Ok(());
    }
    let add = Cmd::new("rustup")
        .args(["target", "add", WASM_TARGET])
        .remedy(TARGET_REMEDY);
    step.run(&add)?;
    step.note("added");
    Ok(())
}

/// wasm-bindgen and its test runner, at the version of the lock file.
fn wasm_bindgen(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    // Cargo itself sees whether anything is to be done.
    let build = cargo()
        .args([
            "build",
            "--locked",
            "--profile",
            "tools",
            "-p",
            "wasm-tools",
        ])
        .dir(&cx.ws.root)
        .remedy("see the compiler's message in the log; the first build needs crates.io");
    step.run(&build)?;
    let version = Cmd::new(cx.ws.wasm_tool("wasm-bindgen"))
        .arg("--version")
        .answer();
    step.note(version.unwrap_or_default());
    Ok(())
}

fn npm_packages(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let folder = step.name.rsplit(' ').next().unwrap_or_default();
    let dir = cx.ws.root.join(folder);
    let lock = dir.join("package-lock.json");
    let lock = fs::read_to_string(&lock).map_err(|error| file_failure("read", &lock, &error))?;
    // Next to the installed packages: what they were installed for.
    let stamp = dir.join("node_modules/.installed-for");
    let wanted = format!("node {}\n{lock}", known(&cx.node));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        step.note("there");
        return Ok(());
    }
    let install = Cmd::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .dir(&dir)
        .remedy(
            "the registry that npm is set up for must be reachable; if package.json was changed, run \
             `npm install --ignore-scripts` there to renew the lock file",
        );
    step.run(&install)?;
    step.note("installed");
    fs::write(&stamp, wanted).map_err(|error| file_failure("write", &stamp, &error))
}

/// The version, if it is new enough.
fn check_node(printed: &str) -> Result<String, Failure> {
    let [major, minor, _] = NODE_MINIMUM;
    if version(printed).is_some_and(|found| found >= NODE_MINIMUM) {
        return Ok(printed.trim().to_owned());
    }
    Err(
        Failure::new(format!("`node --version` printed {:?}", printed.trim()))
            .remedy(format!("install Node {major}.{minor} or newer")),
    )
}

/// The first `1.2.3` of a text such as `v20.20.2` or `wasm-pack 0.15.1`.
pub fn version(text: &str) -> Option<[u32; 3]> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches('v');
        let release = word.split(['-', '+']).next()?;
        let mut parts = release.split('.').map(|part| part.parse().ok());
        let found = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(found)
    })
}

/// True for a distribution's Rust too, which has no rustup.
fn has_wasm_target() -> bool {
    Cmd::new(env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc")))
        .args(["--print", "target-libdir", "--target", WASM_TARGET])
        .answer()
        .is_some_and(|dir| has_std(Path::new(&dir)))
}

fn has_std(dir: &Path) -> bool {
    let is_std = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
    };
    fs::read_dir(dir).is_ok_and(|mut dir| dir.any(is_std))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_tools_print() {
        assert_eq!(version("v20.20.2\n"), Some([20, 20, 2]));
        assert_eq!(version("wasm-pack 0.15.1"), Some([0, 15, 1]));
        assert_eq!(
            version("geckodriver 0.37.1 (abc 2026-01-01)"),
            Some([0, 37, 1])
        );
        assert_eq!(version("v25.0.0-nightly"), Some([25, 0, 0]));
        for wrong in ["", "v20", "20.19", "1.2.3.4", "node"] {
            assert_eq!(version(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn old_nodes_are_rejected() {
        for good in ["v20.19.0", "v20.20.2", "v22.0.0", "v26.1.0"] {
            assert_eq!(check_node(good).unwrap(), good);
        }
        for bad in ["v20.18.9", "v18.20.0", "v9.99.99", "nonsense"] {
            let text = check_node(bad).unwrap_err().to_string();
            assert!(text.contains("install Node 20.19 or newer"), "{text}");
        }
    }
}
