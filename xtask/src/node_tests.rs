//! Steps that run test files with Node's test runner.

use std::fs;
use std::path::{Path, PathBuf};

use crate::browsers::{FOUND, WEBKIT};
use crate::cmd::Cmd;
use crate::counts::Runner;
use crate::failure::{Failure, file_failure};
use crate::found::{Servers, WebKit};
use crate::pkg::{PACK, tarball};
use crate::plan::{BROWSERS, Context, Plan, TARGET};
use crate::schedule::Room;
use crate::servers::{JOBS, SERVERS};
use crate::setup::{BUILD_LIMIT, NPM_OF_TESTS};
use crate::workspace::Workspace;

const OF_PACKAGE: [&str; 2] = [PACK, NPM_OF_TESTS];

/// A file that hangs ends after this time. Longer than what a test that runs cargo may wait for another cargo.
const FILE_TIMEOUT: &str = "--test-timeout=900000";

/// Words by which a test file is a step of its own: a module that starts browsers, with the step of the set-up that
/// finds these; or a use of cargo, which would wait for others in a step of many files.
const APART: [(&str, Option<&str>, Room); 6] = [
    ("/lib/webdriver.mjs'", Some(WEBKIT), BROWSERS),
    ("/lib/browsers.mjs'", Some(FOUND), BROWSERS),
    ("/lib/page.mjs'", Some(FOUND), BROWSERS),
    ("/lib/servers.mjs'", Some(SERVERS), JOBS),
    ("process.env.CARGO", None, TARGET),
    ("'./lives.mjs'", None, TARGET),
];

/// The tests of the tarball: a step per folder, one per file with browsers or cargo, and some of them once more with
/// another browser or core.
pub fn package(ws: &Workspace) -> Result<Vec<Plan>, Failure> {
    let tests = ws.root.join("tests/package");
    let mut steps = Vec::new();
    for folder in entries(&tests)? {
        let name = stem(&folder);
        // Those of wasm-pack have commands of their own.
        if name != "wasm-pack" && folder.is_dir() && !test_files(&folder)?.is_empty() {
            let step = format!("package: {name}");
            let (without, with) = of_folder(&folder, &step, &format!("{step}/"), &OF_PACKAGE)?;
            steps.push(without.quick());
            steps.extend(with);
        }
    }
    let files = |names: &[&str]| -> Vec<PathBuf> {
        let file = |name| tests.join(format!("{name}{TEST_FILE}"));
        names.iter().map(file).collect()
    };
    // On the core as JavaScript. With the same variable, all others run on it too.
    let without_wasm = files(&[
        "engine/attempts",
        "engine/vectors",
        "options/options",
        "fetch/fetch",
    ]);
    let run = move |cx: &Context<'_>| {
        let cmd = node_tests(cx, &without_wasm).gives_way();
        vec![cmd.env("NODE_OPTIONS", "--conditions=no-wasm")]
    };
    steps.push(
        Plan::tests(
            "package: without WebAssembly",
            Runner::Node,
            &OF_PACKAGE,
            run,
        )
        .quick(),
    );
    // Not those of `retrySync`: WebKitGTK has no shared memory.
    let in_webkit = files(&["hosts/browser", "hosts/fetch-browser", "hosts/lab-browser"]);
    let run = move |cx: &Context<'_>| {
        let cmd = node_tests(cx, &in_webkit);
        vec![cmd.env("TEST_BROWSERS", "WebKit")]
    };
    let needs = [PACK, NPM_OF_TESTS, WEBKIT];
    steps.push(Plan::tests("package: hosts, WebKit", Runner::Node, &needs, run).room(BROWSERS));
    Ok(steps)
}

/// The tests of the page, which the step named `built` has built: a step per file with browsers, one for all others.
pub fn page(ws: &Workspace, built: &'static str) -> Result<Vec<Plan>, Failure> {
    let folder = ws.root.join("www/demo");
    let (without, mut steps) = of_folder(&folder, "demo: without browsers", "demo: ", &[built])?;
    steps.push(without);
    Ok(steps)
}

/// The step `name` of all test files in a folder that can run together, and those of the others, whose names begin
/// with `with`.
fn of_folder(
    folder: &Path,
    name: &str,
    with: &str,
    needs: &[&'static str],
) -> Result<(Plan, Vec<Plan>), Failure> {
    let mut without: Vec<PathBuf> = Vec::new();
    let mut steps = Vec::new();
    for file in test_files(folder)? {
        let text =
            fs::read_to_string(&file).map_err(|error| file_failure("read", &file, &error))?;
        let Some((_, browsers, room)) = APART.iter().find(|(part, ..)| text.contains(part)) else {
            without.push(file);
            continue;
        };
        let name = format!("{with}{}", stem(&file));
        let needs: Vec<_> = needs.iter().chain(browsers).copied().collect();
        let gives_way = browsers.is_none();
        let test = move |cx: &Context<'_>| {
            let cmd = node_test(cx, &file);
            vec![if gives_way { cmd.gives_way() } else { cmd }]
        };
        let plan = Plan::tests(name, Runner::Node, &needs, test).room(*room);
        steps.push(if gives_way { plan.quick() } else { plan });
    }
    let all = move |cx: &Context<'_>| vec![node_tests(cx, &without).gives_way()];
    Ok((Plan::tests(name, Runner::Node, needs, all), steps))
}

pub fn node_test(cx: &Context<'_>, file: &Path) -> Cmd {
    node_tests(cx, &[file.to_path_buf()])
}

/// Runs test files with Node, two at once.
fn node_tests(cx: &Context<'_>, files: &[PathBuf]) -> Cmd {
    let options = ["--test", "--test-reporter=spec", "--test-concurrency=2"];
    let folder = files.first().and_then(|file| file.parent());
    let cmd = Cmd::new("node")
        .args(options)
        .arg(FILE_TIMEOUT)
        .args(files)
        .dir(folder.unwrap_or(&cx.ws.root))
        .limit(BUILD_LIMIT)
        // A runner above us must not make this one a part of itself.
        .env_remove("NODE_TEST_CONTEXT");
    let quick = cx.quick.then_some("1");
    with_places(
        quick
            .iter()
            .fold(cmd, |cmd, one| cmd.env("REJITTER_QUICK", one)),
        cx,
    )
}

/// With the places of the package and of the browsers that the set-up found.
pub fn with_places(mut cmd: Cmd, cx: &Context<'_>) -> Cmd {
    cmd = cmd
        .env("REJITTER_TARBALL", tarball(cx.ws))
        .env("REJITTER_TARGET_DIR", &cx.ws.target);
    if let Some(found) = cx.browsers.get() {
        cmd = cmd
            .env("CHROME_BIN", &found.chrome)
            .env("FIREFOX_BIN", &found.firefox);
    }
    if let Some(WebKit { driver, xvfb }) = cx.webkit.get() {
        cmd = cmd.env("WEBKIT_DRIVER_BIN", driver).env("XVFB_BIN", xvfb);
    }
    if let Some(Servers { redis, postgres }) = cx.servers.get() {
        cmd = cmd.env("REDIS_BIN", redis).env("POSTGRES_BIN", postgres);
    }
    cmd
}

/// The test files of a folder.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = entries(folder)?;
    files.retain(|path| path.to_string_lossy().ends_with(TEST_FILE));
    Ok(files)
}

/// The entries of a folder, in the order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| file_failure("read", folder, &error))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    Ok(paths)
}

const TEST_FILE: &str = ".test.mjs";

fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(TEST_FILE).unwrap_or(&name).to_owned()
}
