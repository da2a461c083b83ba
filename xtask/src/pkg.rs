//! The npm package: its wasm files, assembled with the driver and the entries, packed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cmd::Cmd;
use crate::failure::{Failure, file_failure};
use crate::lab_wasm::LabWasm;
use crate::plan::{Context, Plan};
use crate::setup::{NPM_OF_BUILD, TARGET, WASM_BINDGEN};
use crate::step::Step;
use crate::thin_wasm::Thin;
use crate::wasm::script;
use crate::workspace::Workspace;

/// The package is built and packed.
pub const PACK: &str = "pack";

pub fn steps() -> Vec<Plan> {
    vec![
        Plan::set_up("thin wasm: compile", &[TARGET], |cx, step| {
            Thin::core(cx.ws).compile(cx.ws, step)
        }),
        Plan::set_up(
            "thin wasm: shrink",
            &["thin wasm: compile", NPM_OF_BUILD],
            |cx, step| Thin::core(cx.ws).shrink(cx.ws, step),
        ),
        Plan::set_up("machines: compile", &[TARGET], |cx, step| {
            Thin::protection(cx.ws).compile(cx.ws, step)
        }),
        Plan::set_up(
            "machines: as JavaScript",
            &["machines: compile", NPM_OF_BUILD],
            |cx, step| Thin::protection(cx.ws).shrink(cx.ws, step),
        ),
        Plan::set_up("lab wasm: compile", &[TARGET], |cx, step| {
            LabWasm::new(cx.ws).compile(cx.ws, step)
        }),
        Plan::set_up(
            "lab wasm: bind and optimise",
            &["lab wasm: compile", WASM_BINDGEN, NPM_OF_BUILD],
            |cx, step| LabWasm::new(cx.ws).bind(cx.ws, step),
        ),
        Plan::set_up(
            "assemble",
            &[
                "thin wasm: shrink",
                "machines: as JavaScript",
                "lab wasm: bind and optimise",
            ],
            assemble,
        ),
        Plan::set_up(PACK, &["assemble"], pack),
    ]
}

pub fn tarball(ws: &Workspace) -> PathBuf {
    ws.target.join("pkg-tarball/rejitter.tgz")
}

/// The assembled package.
pub fn folder(ws: &Workspace) -> PathBuf {
    ws.target.join("pkg")
}

fn assemble(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let ws = cx.ws;
    let version = version(ws)?;
    let machines = Thin::protection(ws).script;
    step.run(&assembly(ws, &version, &machines, &folder(ws)))?;
    step.note(format!("{} {version}", ws.relative(&folder(ws)).display()));
    Ok(())
}

/// Assembles the package with these machines of protection in the folder `out`.
pub fn assembly(ws: &Workspace, version: &str, machines: &Path, out: &Path) -> Cmd {
    script(ws, "assemble.mjs")
        .args(["--version", version])
        .arg("--wasm")
        .arg(Thin::core(ws).file)
        .arg("--machines")
        .arg(machines)
        .arg("--lab")
        .arg(LabWasm::new(ws).folder)
        .arg("--out")
        .arg(out)
        .remedy("the message in the log names the file of pkg-template/ or src/js/ at fault")
}

fn pack(cx: &Context<'_>, step: &mut Step) -> Result<(), Failure> {
    let tarball = tarball(cx.ws);
    let pack = script(cx.ws, "pack.mjs")
        .arg("--package")
        .arg(folder(cx.ws))
        .arg("--out")
        .arg(tarball.parent().unwrap_or(&cx.ws.target))
        .args(cx.list_files.then_some("--list"));
    let printed = step.run(&pack)?;
    step.report(format!(
        "{printed}  {}\n",
        cx.ws.relative(&tarball).display()
    ));
    Ok(())
}

/// The version of the package and of the crate.
pub fn version(ws: &Workspace) -> Result<String, Failure> {
    let manifest = ws.root.join("Cargo.toml");
    let text =
        fs::read_to_string(&manifest).map_err(|error| file_failure("read", &manifest, &error))?;
    package_version(&text)
        .map(str::to_owned)
        .ok_or_else(|| Failure::new(format!("no [package] version in {}", manifest.display())))
}

/// The version in the `[package]` table.
pub fn package_version(manifest: &str) -> Option<&str> {
    let table = manifest
        .lines()
        .skip_while(|line| line.trim() != "[package]")
        .skip(1);
    table
        .take_while(|line| !line.trim_start().starts_with('['))
        .find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "version").then(|| value.trim().trim_matches('"'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_package() {
        let manifest =
            "[x]\nversion = \"9\"\n[package]\nname = \"a\"\nversion = \"0.1.0\"\n[deps]\n";
        assert_eq!(package_version(manifest), Some("0.1.0"));
    }

    #[test]
    fn a_dependency_has_no_say() {
        assert_eq!(
            package_version("[package]\nname = \"a\"\n[deps]\nversion = \"9\"\n"),
            None
        );
        assert_eq!(package_version("version = \"9\"\n"), None);
    }
}
