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
use crate::step::Step;
use crate::workspace::Workspace;

/// A program that may come from an environment variable, from PATH or from Debian.
struct Wanted {
    what: &'static str,
    variable: &'static str,
    names: &'static [&'static str],
    package: &'static str,
}

const CHROME: Wanted = Wanted {
    what: "Chromium",
    variable: "CHROME",
    names: &[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ],
    package: "chromium",
};

const CHROMEDRIVER: Wanted = Wanted {
    what: "chromedriver",
    variable: "CHROMEDRIVER",
    names: &["chromedriver"],
    package: "chromium-driver",
};

const FIREFOX: Wanted = Wanted {
    what: "Firefox",
    variable: "FIREFOX",
    names: &["firefox", "firefox-esr"],
    package: "firefox-esr",
};

const WEBKITDRIVER: Wanted = Wanted {
    what: "WebKitWebDriver",
    variable: "WEBKITDRIVER",
    names: &["WebKitWebDriver"],
    package: "webkit2gtk-driver",
};

const XVFB: Wanted = Wanted {
    what: "Xvfb",
    variable: "XVFB",
    names: &["Xvfb"],
    package: "xvfb",
};

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

fn find(cx: &Context<'_>, step: &mut Step<'_>) -> Result<(), Failure> {
    let [chrome, chromedriver, firefox] = find_or_install(step, [CHROME, CHROMEDRIVER, FIREFOX])?;
    let versions = [&chrome, &firefox].map(|path| {
        let printed = Cmd::new(path).arg("--version").answer().unwrap_or_default();
        short_version(&printed)
    });
    step.note(versions.join(", "));
    let webdriver_json = cx.ws.target.join("webdriver.json");
    fs::write(&webdriver_json, capabilities(&chrome, &firefox))
        .map_err(|error| file_failure("write", &webdriver_json, &error))?;
    keep(
        &cx.browsers,
        Found {
            chrome,
            chromedriver,
            firefox,
            webdriver_json,
        },
    );
    Ok(())
}

fn find_webkit(cx: &Context<'_>, step: &mut Step<'_>) -> Result<(), Failure> {
    let [driver, xvfb] = find_or_install(step, [WEBKITDRIVER, XVFB])?;
    step.note(driver.display().to_string());
    keep(&cx.webkit, WebKit { driver, xvfb });
    Ok(())
}

fn find_or_install<const N: usize>(
    step: &mut Step<'_>,
    wanted: [Wanted; N],
) -> Result<[PathBuf; N], Failure> {
    let find = |wanted: &Wanted| wanted.find(|name| env::var_os(name).map(PathBuf::from));
    let missing: Vec<&Wanted> = wanted.iter().filter(|w| find(w).is_none()).collect();
    if !missing.is_empty() {
        apt_install(step, &missing)?;
    }
    let mut found = wanted.each_ref().map(|_| PathBuf::new());
    for (path, wanted) in found.iter_mut().zip(wanted) {
        *path = find(&wanted).ok_or_else(|| not_found(wanted))?;
    }
    Ok(found)
}

impl Wanted {
    fn find(&self, from_env: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        match from_env(self.variable) {
            // A variable that points nowhere is not repaired silently by another browser.
            Some(path) => path.is_file().then_some(path),
            None => find_on_path(self.names),
        }
    }
}

fn not_found(wanted: Wanted) -> Failure {
    let Wanted {
        what,
        variable,
        package,
        ..
    } = wanted;
    Failure::new(format!("{what} was not found")).remedy(format!(
        "{}; or set {variable} to its path",
        apt_command(&[package])
    ))
}

fn apt_command(packages: &[&str]) -> String {
    let packages = packages.join(" ");
    format!("apt-get update && apt-get install -y --no-install-recommends {packages}")
}

fn apt_install(step: &mut Step<'_>, missing: &[&Wanted]) -> Result<(), Failure> {
    if let Some(wanted) = missing
        .iter()
        .find(|wanted| env::var_os(wanted.variable).is_some())
    {
        return Err(
            Failure::new(format!("{} does not name a file", wanted.variable)).remedy(format!(
                "set it to the path of {}, or unset it",
                wanted.what
            )),
        );
    }
    let packages: Vec<&str> = missing.iter().map(|wanted| wanted.package).collect();
    let names: Vec<&str> = missing.iter().map(|wanted| wanted.what).collect();
    let variables: Vec<&str> = missing.iter().map(|wanted| wanted.variable).collect();
    let remedy = format!(
        "as root: {} (or install in another way, and set {})",
        apt_command(&packages),
        variables.join(", ")
    );
    let absent =
        || Failure::new(format!("not found: {}", names.join(", "))).remedy(remedy.as_str());
    if find_on_path(&["apt-get"]).is_none() {
        return Err(absent());
    }
    let root = Cmd::new("id").arg("-u").answer().as_deref() == Some("0");
    if !root && Cmd::new("sudo").args(["-n", "true"]).answer().is_none() {
        return Err(absent());
    }
    let apt = |args: &[&str]| {
        let start = if root {
            Cmd::new("env")
        } else {
            Cmd::new("sudo").args(["-n", "env"])
        };
        start
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
            // Another installation may be running.
            .args(["-o", "DPkg::Lock::Timeout=120"])
            .args(args)
            .remedy(remedy.as_str())
    };
    let commands = [
        apt(&["update"]),
        apt(&["install", "-y", "--no-install-recommends"]).args(packages),
    ];
    let shown = commands.each_ref().map(|cmd| format!("    {cmd}\n"));
    let text = format!(
        "  Not found: {}. These commands install what is missing, as root:\n{}",
        names.join(", "),
        shown.concat()
    );
    let ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !must_ask(root, ci, terminal) {
        step.say(&text);
    } else if !step.confirm(&text, "  Run them?")? {
        return Err(absent());
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
    step: &mut Step<'_>,
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

/// `Chromium 156.0.1.2 built on Debian` is too much for a line of progress.
fn short_version(printed: &str) -> String {
    let short: Vec<&str> = printed.split_whitespace().take(3).collect();
    match short
        .iter()
        .position(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    {
        Some(last) => short[..=last].join(" "),
        None => short.join(" "),
    }
}

/// Without a sandbox: as root Chromium does not start with one, and only our own pages are loaded.
fn capabilities(chrome: &Path, firefox: &Path) -> String {
    let chrome_args = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
    ];
    let list: Vec<String> = chrome_args.iter().map(|arg| json_string(arg)).collect();
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

    const SHELL: Wanted = Wanted {
        what: "a shell",
        variable: "SHELL_HERE",
        names: &["no-such-shell", "sh"],
        package: "dash",
    };

    #[test]
    fn a_variable_wins_over_path() {
        assert_eq!(SHELL.find(|_| None).unwrap().file_name().unwrap(), "sh");
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(SHELL.find(|_| Some(here.clone())), Some(here));
    }

    #[test]
    fn a_variable_that_points_nowhere_is_no_browser() {
        assert_eq!(SHELL.find(|_| Some("/no/such/file".into())), None);
    }

    #[test]
    fn a_missing_browser_is_an_error_with_the_command() {
        let text = not_found(CHROMEDRIVER).to_string();
        assert!(text.contains("chromedriver was not found"), "{text}");
        assert!(
            text.contains("install -y --no-install-recommends chromium-driver"),
            "{text}"
        );
        assert!(text.contains("set CHROMEDRIVER"), "{text}");
    }

    #[test]
    fn asks_before_sudo_only_where_somebody_can_answer() {
        assert!(must_ask(false, false, true));
        for (root, ci, terminal) in [
            (true, false, true),
            (false, true, true),
            (false, false, false),
            (true, true, false),
        ] {
            assert!(
                !must_ask(root, ci, terminal),
                "{root} {ci} {terminal}: would wait for an answer, or ask root"
            );
        }
    }

    #[test]
    fn capabilities_are_json_whatever_the_path() {
        let json = capabilities(Path::new(r#"/a "b"\c"#), Path::new("/f\n"));
        assert!(json.contains(r#""binary":"/a \"b\"\\c""#), "{json}");
        assert!(json.contains(r#""binary":"/f\u000a""#), "{json}");
        assert_eq!(json.matches('{').count(), json.matches('}').count());
    }

    #[test]
    fn versions_fit_a_line() {
        assert_eq!(
            short_version("Chromium 156.0.1.2 built on Debian"),
            "Chromium 156.0.1.2"
        );
        assert_eq!(
            short_version("Mozilla Firefox 140.5.0esr"),
            "Mozilla Firefox 140.5.0esr"
        );
        assert_eq!(short_version(""), "");
    }
}
