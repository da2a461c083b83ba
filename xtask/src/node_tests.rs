//! Steps that run test files with Node's test runner: a step per file, with what its imports need.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::browsers::{FOUND, WEBKIT};
use crate::cmd::Cmd;
use crate::counts::Runner;
use crate::failure::{Failure, file_failure};
use crate::found::WebKit;
use crate::pkg::{PACK, tarball};
use crate::plan::{BROWSERS, Context, Plan, TARGET};
use crate::setup::{NODE, NPM_OF_TESTS};
use crate::workspace::Workspace;

/// A step per test file of the tarball, some of them with another browser or core once more.
pub fn package(ws: &Workspace) -> Result<Vec<Plan>, Failure> {
    let tests = ws.root.join("tests/package");
    let mut steps = Vec::new();
    for part in parts(&tests)? {
        let folder = part.file_name().unwrap_or_default().to_string_lossy();
        for file in test_files(&part)? {
            let name = format!("package: {folder}/{}", stem(&file));
            steps.push(package_tests(name, file)?);
        }
    }
    steps.extend(package_in_webkit(&tests));
    steps.extend(package_without_wasm(&tests));
    Ok(steps)
}

/// A step per test file of the page, which the step named `built` has built.
pub fn page(ws: &Workspace, built: &'static str) -> Result<Vec<Plan>, Failure> {
    test_files(&ws.root.join("www/demo"))?
        .into_iter()
        .map(|file| page_tests(format!("demo: {}", stem(&file)), file, built))
        .collect()
}

/// The tests in browsers once more. Not those of `retrySync`: WebKitGTK has no shared memory.
fn package_in_webkit(tests: &Path) -> Vec<Plan> {
    let again = |name: &str| {
        let file = tests.join(format!("hosts/{name}.test.mjs"));
        let needs = [PACK, NODE, NPM_OF_TESTS, WEBKIT];
        Plan::tests(
            format!("package: hosts/{name}, WebKit"),
            Runner::Node,
            &needs,
            move |cx| vec![node_test(cx, &file).env("TEST_BROWSERS", "WebKit")],
        )
        .room(BROWSERS)
    };
    ["browser", "fetch-browser", "lab-browser"]
        .map(again)
        .into()
}

/// Some tests once more, on the core as JavaScript. With the same variable, all others run on it too.
fn package_without_wasm(tests: &Path) -> Vec<Plan> {
    let again = |name: &str| {
        let file = tests.join(format!("{name}.test.mjs"));
        let needs = [PACK, NODE, NPM_OF_TESTS];
        Plan::tests(
            format!("package: {name}, without WebAssembly"),
            Runner::Node,
            &needs,
            move |cx| vec![node_test(cx, &file).env("NODE_OPTIONS", "--conditions=no-wasm")],
        )
        .quick()
    };
    [
        "engine/attempts",
        "engine/vectors",
        "options/options",
        "fetch/fetch",
    ]
    .map(again)
    .into()
}

fn package_tests(name: String, file: PathBuf) -> Result<Plan, Failure> {
    let browsers = browsers_of(&file)?;
    let uses_cargo = read(&file)?.contains("process.env.CARGO");
    let plan = node_tests(name, file, &[PACK, NPM_OF_TESTS], &browsers);
    Ok(match (browsers.is_empty(), uses_cargo) {
        (true, true) => plan.quick().room(TARGET),
        (true, false) => plan.quick(),
        (false, _) => plan.room(BROWSERS),
    })
}

fn page_tests(name: String, file: PathBuf, built: &'static str) -> Result<Plan, Failure> {
    let browsers = browsers_of(&file)?;
    let plan = node_tests(name, file, &[built], &browsers);
    Ok(if browsers.is_empty() {
        plan
    } else {
        plan.room(BROWSERS)
    })
}

fn node_tests(
    name: String,
    file: PathBuf,
    needs: &[&'static str],
    browsers: &BTreeSet<&'static str>,
) -> Plan {
    let needs: Vec<&'static str> = needs.iter().chain(browsers).copied().collect();
    let gives_way = browsers.is_empty();
    Plan::tests(name, Runner::Node, &needs, move |cx| {
        let cmd = node_test(cx, &file);
        vec![if gives_way { cmd.gives_way() } else { cmd }]
    })
}

pub fn node_test(cx: &Context<'_>, file: &Path) -> Cmd {
    let mut cmd = Cmd::new("node")
        .args(["--test", "--test-reporter=spec"])
        .arg(file)
        .dir(file.parent().unwrap_or(&cx.ws.root));
    if cx.quick {
        cmd = cmd.env("REJITTER_QUICK", "1");
    }
    // A runner above us must not make this one a part of itself.
    with_places(cmd, cx).env_remove("NODE_TEST_CONTEXT")
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
    cmd
}

/// The modules that start browsers, and the step of the set-up that finds these.
const LAUNCHERS: [(&str, &str); 3] = [
    ("playwright-core", FOUND),
    ("tests/package/lib/browsers.mjs", FOUND),
    ("www/demo/lib/webdriver.mjs", WEBKIT),
];

/// Which browsers a test file needs: those that its imports start, and the imports of these.
fn browsers_of(file: &Path) -> Result<BTreeSet<&'static str>, Failure> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![file.to_path_buf()];
    while let Some(file) = open.pop() {
        let text = read(&file)?;
        for name in text
            .split("from '")
            .skip(1)
            .filter_map(|rest| rest.split('\'').next())
        {
            let path = normal(&file.parent().unwrap_or(&file).join(name));
            if let Some((_, step)) = LAUNCHERS
                .iter()
                .find(|(module, _)| *module == name || path.ends_with(module))
            {
                found.insert(*step);
            } else if name.starts_with('.') && path.is_file() && seen.insert(path.clone()) {
                // Texts of modules that a test writes name files that are nowhere.
                open.push(path);
            }
        }
    }
    Ok(found)
}

/// `a/b/../c` as `a/c`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        if part.as_os_str() == ".." {
            path.pop();
        } else {
            path.push(part);
        }
        path
    })
}

fn read(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| file_failure("read", file, &error))
}

/// The folders with tests of the tarball. The steps of `wasm-pack` have commands of their own.
fn parts(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut parts = entries(folder)?;
    parts.retain(|path| path.is_dir() && !path.ends_with("wasm-pack") && test_files(path).is_ok());
    Ok(parts)
}

/// The `*.test.mjs` of a folder, in the order of their names.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = entries(folder)?;
    files.retain(|path| path.to_string_lossy().ends_with(TEST_FILE));
    if files.is_empty() {
        return Err(Failure::new(format!(
            "no *{TEST_FILE} in {}",
            folder.display()
        )));
    }
    Ok(files)
}

pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| file_failure("read", folder, &error))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    Ok(paths)
}

pub const TEST_FILE: &str = ".test.mjs";

pub fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(TEST_FILE).unwrap_or(&name).to_owned()
}
