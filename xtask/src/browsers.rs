//! Set-up of the browser tests: Chromium, Firefox and WebKit with their drivers, and wasm-pack.

use std::env;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::cmd::{Cmd, find_on_path};
use crate::failure::{Failure, file_failure};
use crate::found::{Found, WebKit};
use crate::plan::{APT, Context, Plan, TOOL_BUILDS, keep};
use crate::setup::{cargo, version};
use crate::step::{Step, confirm, say};
use crate::workspace::Workspace;

/// A program that may come from an environment variable, from PATH or from Debian.
pub struct Wanted {
    pub what: &'static str,
    pub variable: &'static str,
    pub names: &'static [&'static str],
    pub package: &'static str,
    /// Places where Debian puts it off PATH.
    pub beside: fn() -> Vec<PathBuf>,
}

pub const fn wanted(
    what: &'static str,
    variable: &'static str,
    names: &'static [&'static str],
    package: &'static str,
) -> Wanted {
    Wanted {
        what,
        variable,
        names,
        package,
        beside: Vec::new,
    }
}

const CHROMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];
const FIREFOXES: &[&str] = &["firefox", "firefox-esr"];

#[rustfmt::skip]
const IN_BROWSERS: [Wanted; 3] = [
    wanted("Chromium", "CHROME", CHROMES, "chromium"),
    wanted("chromedriver", "CHROMEDRIVER", &["chromedriver"], "chromium-driver"),
    wanted("Firefox", "FIREFOX", FIREFOXES, "firefox-esr"),
];
#[rustfmt::skip]
const IN_WEBKIT: [Wanted; 2] = [
    wanted("WebKitWebDriver", "WEBKITDRIVER", &["WebKitWebDriver"], "webkit2gtk-driver"),
    wanted("Xvfb", "XVFB", &["Xvfb"], "xvfb"),
];

// Cargo builds these tools, unless they are on PATH.
const WASM_PACK_VERSION: [u32; 3] = [0, 15, 1];
const GECKODRIVER_VERSION: [u32; 3] = [0, 37, 1];

pub const FOUND: &str = "browsers";
pub const WEBKIT: &str = "WebKit";
pub const WASM_PACK: &str = "wasm-pack";
pub const GECKODRIVER: &str = "geckodriver";

/// No browser is skipped: one that cannot be had is an error. WebKit is apart from the others, so that their tests
/// run also where it cannot be had, as on macOS.
pub fn steps() -> Vec<Plan> {
    vec![
        Plan::set_up(FOUND, &[], find).room(APT),
        Plan::set_up(WEBKIT, &[], find_webkit).room(APT),
        Plan::set_up(WASM_PACK, &[], |cx, step| {
            // This exact version: its output is tested.
            let found = find_on_path(&["wasm-pack"])
                .filter(|path| version_of(path) == Some(WASM_PACK_VERSION));
            keep(
                &cx.wasm_pack,
                built_tool(cx.ws, step, ("wasm-pack", WASM_PACK_VERSION), found)?,
            );
            Ok(())
        })
        .room(TOOL_BUILDS),
        Plan::set_up(GECKODRIVER, &[], |cx, step| {
            let found = env::var_os("GECKODRIVER")
                .map(PathBuf::from)
                .or_else(|| find_on_path(&["geckodriver"]));
            keep(
                &cx.geckodriver,
                built_tool(cx.ws, step, ("geckodriver", GECKODRIVER_VERSION), found)?,
            );
            Ok(())
        })
        .room(TOOL_BUILDS),
    ]
}

fn find(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let [chrome, chromedriver, firefox] = find_or_install(step, IN_BROWSERS)?;
    let versions = [&chrome, &firefox].map(|path| {
        let printed = Cmd::new(path).arg("--version").answer().unwrap_or_default();
        // `Chromium 156.0.1.2 built on Debian` is too much for a line.
        printed
            .split(" built")
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    step.note(versions.join(", "));
    let webdriver_json = cx.ws.target.join("webdriver.json");
    fs::write(&webdriver_json, capabilities(&chrome, &firefox))
        .map_err(|error| file_failure("write", &webdriver_json, &error))?;
    let found = Found {
        chrome,
        chromedriver,
        firefox,
        webdriver_json,
    };
    keep(&cx.browsers, found);
    Ok(())
}

fn find_webkit(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let [driver, xvfb] = find_or_install(step, IN_WEBKIT)?;
    step.note(driver.display().to_string());
    keep(&cx.webkit, WebKit { driver, xvfb });
    Ok(())
}

pub fn find_or_install<const N: usize>(
    step: &mut Step,
    wanted: [Wanted; N],
) -> Result<[PathBuf; N], Failure> {
    let missing: Vec<&Wanted> = wanted.iter().filter(|w| w.find().is_none()).collect();
    if !missing.is_empty() {
        apt_install(step, &missing)?;
    }
    let mut found = wanted.each_ref().map(|_| PathBuf::new());
    for (path, wanted) in found.iter_mut().zip(wanted) {
        *path = wanted.find().ok_or_else(|| absent(&[&wanted]))?;
    }
    Ok(found)
}

impl Wanted {
    fn find(&self) -> Option<PathBuf> {
        match env::var_os(self.variable).map(PathBuf::from) {
            // A variable that points nowhere is not repaired silently by another browser.
            Some(path) => path.is_file().then_some(path),
            None => find_on_path(self.names).or_else(|| (self.beside)().pop()),
        }
    }
}

fn absent(missing: &[&Wanted]) -> Failure {
    let list = |of: fn(&Wanted) -> &str| missing.iter().map(|w| of(w)).collect::<Vec<_>>();
    let [names, packages] = [list(|w| w.what).join(", "), list(|w| w.package).join(" ")];
    Failure::new(format!("not found: {names}")).remedy(format!(
        "as root: apt-get update && apt-get install -y --no-install-recommends {packages} \
         (or install in another way, and set {} to the path)",
        list(|w| w.variable).join(", ")
    ))
}

fn apt_install(step: &mut Step, missing: &[&Wanted]) -> Result<(), Failure> {
    let set = |wanted: &&&Wanted| env::var_os(wanted.variable).is_some();
    if let Some(Wanted { what, variable, .. }) = missing.iter().find(set) {
        return Err(Failure::new(format!("{variable} does not name a file"))
            .remedy(format!("set it to the path of {what}, or unset it")));
    }
    let root = Cmd::new("id").arg("-u").answer().as_deref() == Some("0");
    let may = root || Cmd::new("sudo").args(["-n", "true"]).answer().is_some();
    if !may || find_on_path(&["apt-get"]).is_none() {
        return Err(absent(missing));
    }
    let apt = |args: &[&str]| {
        let sudo = if root { &[][..] } else { &["sudo", "-n"] };
        let line = [sudo, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]].concat();
        Cmd::new(line[0])
            .args(&line[1..])
            // Another installation may be running.
            .args(["-o", "DPkg::Lock::Timeout=120"])
            .args(args)
            .remedy(absent(missing).remedy.unwrap_or_default())
    };
    let packages = missing.iter().map(|wanted| wanted.package);
    let commands = [
        apt(&["update"]),
        apt(&["install", "-y", "--no-install-recommends"]).args(packages),
    ];
    let shown = commands.each_ref().map(|cmd| format!("    {cmd}\n"));
    let text = format!(
        "  {}. These commands install what is missing, as root:\n{}",
        absent(missing).message,
        shown.concat()
    );
    let ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !must_ask(root, ci, terminal) {
        say(&text);
    } else if !confirm(&format!("{text}  Run them?"))? {
        return Err(absent(missing));
    }
    commands.iter().try_for_each(|cmd| step.run(cmd).map(drop))
}

/// Returns whether to ask the reader before running commands with `sudo`. Without a terminal, xtask goes on: one
/// command does all the set-up.
fn must_ask(root: bool, ci: bool, terminal: bool) -> bool {
    !root && !ci && terminal
}

/// `found`, or what an earlier run built, or a new build.
fn built_tool(
    ws: &Workspace,
    step: &mut Step,
    (name, wanted): (&str, [u32; 3]),
    found: Option<PathBuf>,
) -> Result<PathBuf, Failure> {
    if let Some(path) = found {
        step.note(path.display().to_string());
        return Ok(path);
    }
    let folder = ws.target.join("tools");
    let path = folder.join("bin").join(name);
    if version_of(&path) == Some(wanted) {
        step.note("there");
        return Ok(path);
    }
    let wanted = wanted.map(|part| part.to_string()).join(".");
    // --debug: they are compiled once and wait for others most of the time.
    let install = cargo()
        .args([
            "install",
            "--locked",
            "--debug",
            "--force",
            name,
            "--version",
            &wanted,
            "--root",
        ])
        .arg(&folder)
        // It builds in a folder of its own, which cargo removes.
        .env_remove("CARGO_TARGET_DIR")
        .remedy(format!(
            "crates.io must be reachable; or put {name} {wanted} on PATH"
        ));
    step.run(&install)?;
    step.note(format!("built {wanted}"));
    Ok(path)
}

fn version_of(program: &Path) -> Option<[u32; 3]> {
    version(Cmd::new(program).arg("--version").answer()?.as_str())
}

/// Without a sandbox: as root Chromium does not start with one, and only our own pages are loaded.
fn capabilities(chrome: &Path, firefox: &Path) -> String {
    let args = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                --disable-background-networking --no-first-run";
    let list: Vec<String> = args.split_whitespace().map(json_string).collect();
    format!(
        r#"{{"goog:chromeOptions":{{"args":[{}],"binary":{}}},"moz:firefoxOptions":{{"args":["-headless"],"binary":{}}}}}"#,
        list.join(","),
        json_string(&chrome.to_string_lossy()),
        json_string(&firefox.to_string_lossy()),
    )
}

fn json_string(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_an_error_with_the_command() {
        let text = absent(&[&IN_BROWSERS[1], &IN_BROWSERS[2]]).to_string();
        assert!(
            text.starts_with("not found: chromedriver, Firefox"),
            "{text}"
        );
        assert!(
            text.contains("recommends chromium-driver firefox-esr"),
            "{text}"
        );
        assert!(text.contains("set CHROMEDRIVER, FIREFOX to"), "{text}");
    }

    #[test]
    fn asks_before_sudo_only_where_somebody_can_answer() {
        assert!(must_ask(false, false, true));
        assert!(!must_ask(true, false, true), "would ask root");
        assert!(!must_ask(false, true, true), "would wait in CI");
        assert!(!must_ask(false, false, false), "would wait for nobody");
    }

    #[test]
    fn capabilities_are_json_whatever_the_path() {
        let json = capabilities(Path::new(r#"/a "b"\c"#), Path::new("/f\n"));
        assert!(json.contains(r#""binary":"/a \"b\"\\c""#), "{json}");
        assert!(json.contains(r#""binary":"/f\u000a""#), "{json}");
        assert_eq!(json.matches('{').count(), json.matches('}').count());
    }
}
