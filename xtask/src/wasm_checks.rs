//! The steps that run wasm-pack: the crate's wasm tests, and the packages that it builds alone.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::net::TcpListener;

use crate::browsers::{FOUND, GECKODRIVER, WASM_PACK};
use crate::cmd::Cmd;
use crate::counts::Runner;
use crate::node_tests::node_test;
use crate::plan::{Context, Plan, TARGET, known};
use crate::setup::{self, BUILD_LIMIT, NPM_OF_BUILD, NPM_OF_TESTS, WASM_BINDGEN};

/// Arguments for Cargo: the functions of the lab are tested too, though `wasm-pack build` leaves them out.
const LAB_TOO: [&str; 3] = ["--", "--features", "lab-exports"];
/// The other test programs are Node's.
const IN_BROWSER: [&str; 2] = ["--test", "wasm_browser"];
const IN_NODE: [&str; 2] = ["--test", "wasm_node"];

/// The wasm tests of the crate, in Node and in browsers.
pub fn tests() -> Vec<Plan> {
    let test = |name: &str, more: &[&'static str], commands: fn(&Context<'_>) -> Cmd| {
        let needs = [
            &[WASM_BINDGEN, WASM_PACK, NPM_OF_BUILD, setup::TARGET][..],
            more,
        ]
        .concat();
        Plan::tests(name, Runner::Cargo, &needs, move |cx| vec![commands(cx)]).room(TARGET)
    };
    vec![
        test("wasm: Node", &[], |cx| {
            wasm_pack(cx, &["test", "--mode", "no-install", "--node"])
                .args(LAB_TOO)
                .args(IN_NODE)
                .gives_way()
        }),
        test("wasm: Chromium", &[FOUND], |cx| {
            let driver = &known(&cx.browsers).chromedriver;
            in_browser(cx, ["--chrome", "--chromedriver"], driver)
        }),
        test("wasm: Firefox", &[FOUND, GECKODRIVER], |cx| {
            in_browser(cx, ["--firefox", "--geckodriver"], known(&cx.geckodriver))
        }),
    ]
}

/// `wasm-pack build` alone gives a complete package, for each target.
pub fn builds() -> Vec<Plan> {
    let build = |target: &'static str| {
        let needs = [
            WASM_BINDGEN,
            WASM_PACK,
            NPM_OF_BUILD,
            NPM_OF_TESTS,
            setup::TARGET,
            FOUND,
        ];
        Plan::tests(
            format!("wasm-pack: {target}"),
            Runner::Node,
            &needs,
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
                let file = cx
                    .ws
                    .root
                    .join(format!("tests/package/wasm-pack/{target}.test.mjs"));
                vec![
                    wasm_pack(cx, &args).arg(&out).gives_way(),
                    node_test(cx, &file).env("WASM_PACK_OUT", out),
                ]
            },
        )
        .room(TARGET)
    };
    ["web", "nodejs", "bundler"].map(build).into()
}

/// wasm-pack with the project's own wasm-bindgen and wasm-opt.
fn wasm_pack(cx: &Context<'_>, args: &[&str]) -> Cmd {
    let before = [
        cx.ws.target.join("tools"),
        cx.ws.root.join("xtask/npm/node_modules/.bin"),
    ];
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(before.into_iter().chain(env::split_paths(&path)));
    Cmd::new(known(&cx.wasm_pack))
        .args(args)
        .dir(&cx.ws.root)
        .limit(BUILD_LIMIT)
        .env("PATH", path.unwrap_or_else(|_| OsString::new()))
        // Debug builds of statistical tests take their time.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120")
}

fn in_browser(cx: &Context<'_>, browser: [&str; 2], driver: impl AsRef<OsStr>) -> Cmd {
    let cmd = wasm_pack(cx, &["test", "--mode", "no-install", "--headless"])
        .args(browser)
        .arg(driver)
        .args(LAB_TOO)
        .args(IN_BROWSER);
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
        &known(&cx.browsers).webdriver_json,
    );
    // Known beforehand, so that our test runner can keep the server behind it alive.
    match free_port() {
        Ok(port) => cmd.env("WASM_BINDGEN_TEST_ADDRESS", format!("127.0.0.1:{port}")),
        Err(_) => cmd,
    }
}

/// A port without a listener at this moment.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
