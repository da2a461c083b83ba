//! The steps of `cargo xtask test`: what is checked, and with which commands.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::browsers::{Browsers, WebKit};
use crate::cmd::{Cmd, Failure};
use crate::counts::Runner;
use crate::demo;
use crate::setup::{WASM_TARGET, cargo};
use crate::step::file_failure;
use crate::workspace::Workspace;

type Commands = Box<dyn Fn(&Context<'_>) -> Vec<Cmd>>;

/// What the commands of a step are made from, after the set-up.
pub struct Context<'a> {
    pub ws: &'a Workspace,
    pub tarball: PathBuf,
    pub browsers: Option<Browsers>,
    /// Or why it cannot be had, which only its own steps fail of.
    pub webkit: Option<Result<WebKit, Failure>>,
}

/// How much of the set-up a step needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    Tools,
    Package,
    Browsers,
    WebKit,
}

/// A step: its name, who prints its summary, and its commands.
pub struct Plan {
    pub name: String,
    pub runner: Runner,
    pub needs: Needs,
    pub commands: Commands,
}

impl Plan {
    pub fn new(
        name: impl Into<String>,
        runner: Runner,
        needs: Needs,
        commands: impl Fn(&Context<'_>) -> Vec<Cmd> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            runner,
            needs,
            commands: Box::new(commands),
        }
    }
}

impl Context<'_> {
    fn browsers(&self) -> &Browsers {
        // A mistake in the plan, not in the reader's machine.
        self.browsers
            .as_ref()
            .expect("a step that uses browsers says so in `needs`")
    }

    /// What a step lacks though the set-up is done.
    pub fn missing(&self, needs: Needs) -> Option<&Failure> {
        match &self.webkit {
            Some(Err(failure)) if needs == Needs::WebKit => Some(failure),
            _ => None,
        }
    }
}

/// All steps, cheap ones first.
pub fn plan(ws: &Workspace) -> Result<Vec<Plan>, Failure> {
    let mut plan = lints();
    plan.extend(native());
    plan.extend(wasm());
    for part in parts(&ws.root.join("tests/package"))? {
        let folder = part
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for file in test_files(&part)? {
            plan.push(node_tests(
                format!("package: {folder}/{}", stem(&file)),
                file,
            ));
        }
    }
    plan.extend(package_in_webkit(ws));
    plan.extend(package_checks());
    plan.extend(wasm_pack_builds());
    plan.extend(demo());
    for file in test_files(&ws.root.join("www/demo"))? {
        plan.push(node_tests(format!("demo: {}", stem(&file)), file));
    }
    Ok(plan)
}

fn lints() -> Vec<Plan> {
    let lint = |name: &str, commands: fn(&Context<'_>) -> Vec<Cmd>| {
        Plan::new(name, Runner::Check, Needs::Tools, commands)
    };
    vec![
        lint("lint: format", |cx| {
            vec![in_root(cx, &["fmt", "--all", "--check"])]
        }),
        lint("lint: clippy", |cx| {
            // Not wasm-tools: two mains of a few lines, for which 200 crates would be checked.
            let all = ["--workspace", "--exclude", "wasm-tools", "--all-targets"];
            vec![
                clippy(cx, &all),
                clippy(cx, &["--no-default-features", "--lib"]),
            ]
        }),
        lint("lint: clippy, wasm", |cx| {
            vec![
                clippy(cx, &["--target", WASM_TARGET, "--all-targets"]),
                clippy(
                    cx,
                    &["--target", WASM_TARGET, "--no-default-features", "--lib"],
                ),
            ]
        }),
        lint("lint: types of the driver", |cx| {
            vec![tests_tool(cx, "tsc").args(["-p", "tsconfig.driver.json"])]
        }),
        lint("lint: types of the benchmarks", |cx| {
            let config = cx.ws.root.join("xtask/bench/tsconfig.json");
            vec![tests_tool(cx, "tsc").arg("-p").arg(config)]
        }),
        lint("lint: rustdoc", |cx| {
            vec![in_root(cx, &["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings")]
        }),
    ]
}

/// The names of tests/*.rs appear in the log: the layering test is one of them.
fn native() -> Vec<Plan> {
    vec![
        Plan::new(
            "native: crate and layering",
            Runner::Cargo,
            Needs::Tools,
            // With Tokio as the default sleeper, which is not a default feature.
            |cx| vec![in_root(cx, &["test", "--all-features"])],
        ),
        Plan::new("native: build tools", Runner::Cargo, Needs::Tools, |cx| {
            vec![in_root(cx, &["test", "--package", "xtask"])]
        }),
        node_tests_in("native: package assembly", "xtask/npm"),
        node_tests_in("native: benchmarks", "xtask/bench"),
    ]
}

fn wasm() -> Vec<Plan> {
    let test = |name: &str, commands: fn(&Context<'_>) -> Vec<Cmd>| {
        Plan::new(name, Runner::Cargo, Needs::Browsers, commands)
    };
    vec![
        test("wasm: Node", |cx| {
            vec![wasm_pack(cx, &["test", "--mode", "no-install", "--node"])]
        }),
        test("wasm: Chromium", |cx| {
            let browser = [
                "test",
                "--mode",
                "no-install",
                "--headless",
                "--chrome",
                "--chromedriver",
            ];
            vec![in_browser(
                wasm_pack(cx, &browser).arg(&cx.browsers().chromedriver),
                cx,
            )]
        }),
        test("wasm: Firefox", |cx| {
            let browser = [
                "test",
                "--mode",
                "no-install",
                "--headless",
                "--firefox",
                "--geckodriver",
            ];
            vec![in_browser(
                wasm_pack(cx, &browser).arg(&cx.browsers().geckodriver),
                cx,
            )]
        }),
    ]
}

/// `wasm-pack build` alone gives a complete package, for each target.
fn wasm_pack_builds() -> Vec<Plan> {
    let build = |target: &'static str| {
        Plan::new(
            format!("wasm-pack: {target}"),
            Runner::Node,
            Needs::Browsers,
            move |cx| {
                let out = cx.ws.target.join("wasm-pack").join(target);
                let args = [
                    "build",
                    "--mode",
                    "no-install",
                    "--target",
                    target,
                    "--out-dir",
                ];
                let tests = cx.ws.root.join("tests/package/wasm-pack");
                vec![
                    wasm_pack(cx, &args).arg(&out),
                    node_test(cx, &tests.join(format!("{target}.test.mjs")))
                        .env("WASM_PACK_OUT", out),
                ]
            },
        )
    };
    ["web", "nodejs", "bundler"].map(build).into()
}

fn package_checks() -> Vec<Plan> {
    let check = |name: &str, commands: fn(&Context<'_>) -> Vec<Cmd>| {
        Plan::new(name, Runner::Check, Needs::Package, commands)
    };
    vec![
        check("package: publint", |cx| {
            vec![
                tests_tool(cx, "publint")
                    .args(["run", "--strict"])
                    .arg(&cx.tarball),
            ]
        }),
        check("package: attw", |cx| {
            // Wasm files have no place in its model of modules.
            vec![
                tests_tool(cx, "attw")
                    .arg(&cx.tarball)
                    .args(["--exclude-entrypoints", "./core.wasm"]),
            ]
        }),
    ]
}

/// A program of the npm packages in tests/package.
fn tests_tool(cx: &Context<'_>, name: &str) -> Cmd {
    let dir = cx.ws.root.join("tests/package");
    Cmd::new(dir.join("node_modules/.bin").join(name)).dir(dir)
}

fn demo() -> Vec<Plan> {
    let check = |name: &str, commands: fn(&Context<'_>) -> Vec<Cmd>| {
        Plan::new(name, Runner::Check, Needs::Package, commands)
    };
    vec![
        check("demo: types", |cx| {
            vec![
                Cmd::new("npm")
                    .args(["run", "check"])
                    .dir(cx.ws.root.join("www")),
            ]
        }),
        check("demo: page builds", |cx| vec![demo::build_page(cx.ws)]),
        check("demo: Node program", |cx| vec![demo::program(cx.ws)]),
    ]
}

/// Tests of what the build is made with, in a folder: they need no package.
fn node_tests_in(name: &str, folder: &'static str) -> Plan {
    Plan::new(name, Runner::Node, Needs::Tools, move |cx| {
        vec![
            Cmd::new("node")
                .args(["--test", "--test-reporter=spec"])
                .dir(cx.ws.root.join(folder)),
        ]
    })
}

/// The tests in browsers once more. Not those of `retrySync`: WebKitGTK has no shared memory.
fn package_in_webkit(ws: &Workspace) -> Vec<Plan> {
    let again = |name: &str| {
        let file = ws.root.join(format!("tests/package/hosts/{name}.test.mjs"));
        Plan::new(
            format!("package: hosts/{name}, WebKit"),
            Runner::Node,
            Needs::WebKit,
            move |cx| vec![node_test(cx, &file).env("TEST_BROWSERS", "WebKit")],
        )
    };
    ["browser", "fetch-browser", "lab-browser"]
        .map(again)
        .into()
}

fn node_tests(name: String, file: PathBuf) -> Plan {
    let needs = if stem(&file) == "webkit" {
        Needs::WebKit
    } else {
        Needs::Browsers
    };
    Plan::new(name, Runner::Node, needs, move |cx| {
        vec![node_test(cx, &file)]
    })
}

fn node_test(cx: &Context<'_>, file: &Path) -> Cmd {
    let cmd = Cmd::new("node")
        .args(["--test", "--test-reporter=spec"])
        .arg(file)
        .dir(file.parent().unwrap_or(&cx.ws.root))
        .env("REJITTER_TARBALL", &cx.tarball)
        .env("REJITTER_TARGET_DIR", &cx.ws.target)
        .env("CHROME_BIN", &cx.browsers().chrome)
        .env("FIREFOX_BIN", &cx.browsers().firefox);
    let cmd = match &cx.webkit {
        Some(Ok(WebKit { driver, xvfb })) => {
            cmd.env("WEBKIT_DRIVER_BIN", driver).env("XVFB_BIN", xvfb)
        }
        _ => cmd,
    };
    // A runner above us must not make this one a part of itself.
    cmd.env_remove("NODE_TEST_CONTEXT")
}

fn in_root(cx: &Context<'_>, args: &[&str]) -> Cmd {
    cargo().args(args).dir(&cx.ws.root)
}

fn clippy(cx: &Context<'_>, args: &[&str]) -> Cmd {
    in_root(cx, &["clippy"])
        .args(args)
        .args(["--", "-D", "warnings"])
}

/// wasm-pack with the project's own wasm-bindgen and wasm-opt.
fn wasm_pack(cx: &Context<'_>, args: &[&str]) -> Cmd {
    let before = [
        cx.ws.target.join("tools"),
        cx.ws.root.join("xtask/npm/node_modules/.bin"),
    ];
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(before.into_iter().chain(env::split_paths(&path)));
    Cmd::new(&cx.browsers().wasm_pack)
        .args(args)
        .dir(&cx.ws.root)
        .env("PATH", path.unwrap_or_else(|_| OsString::new()))
        // Debug builds of statistical tests take their time.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120")
}

fn in_browser(cmd: Cmd, cx: &Context<'_>) -> Cmd {
    // Another driver in the environment would win over the one on the command line.
    let others = [
        "CHROMEDRIVER",
        "GECKODRIVER",
        "CHROMEDRIVER_REMOTE",
        "GECKODRIVER_REMOTE",
    ];
    let cmd = others.into_iter().fold(cmd, Cmd::env_remove);
    let cmd = cmd.env(
        "WASM_BINDGEN_TEST_WEBDRIVER_JSON",
        &cx.browsers().webdriver_json,
    );
    // Known beforehand, so that our test runner can keep the server behind it alive.
    match free_port() {
        Ok(port) => cmd.env("WASM_BINDGEN_TEST_ADDRESS", format!("127.0.0.1:{port}")),
        Err(_) => cmd,
    }
}

/// A port that nobody listens on at this moment.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// The folders with tests of the tarball. The steps of `wasm-pack` have commands of their own.
fn parts(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| file_failure("read", folder, &error))?;
    let mut parts: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir() && !path.ends_with("wasm-pack"))
        .filter(|path| test_files(path).is_ok())
        .collect();
    parts.sort();
    Ok(parts)
}

/// The `*.test.mjs` of a folder, in the order of their names.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| file_failure("read", folder, &error))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(TEST_FILE))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::new(format!(
            "no *{TEST_FILE} in {}",
            folder.display()
        )));
    }
    Ok(files)
}

const TEST_FILE: &str = ".test.mjs";

fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(TEST_FILE).unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_step_is_there() {
        let names: Vec<String> = plan(&Workspace::find())
            .unwrap()
            .into_iter()
            .map(|s| s.name)
            .collect();
        for name in [
            "lint: format",
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
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len(), "two steps have one name");
    }
}
