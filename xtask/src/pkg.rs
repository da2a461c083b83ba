//! The npm package: thin wasm and the lab's, assembled with the driver and the entries, packed.

use std::fs;
use std::path::PathBuf;

use crate::cmd::Failure;
use crate::lab_wasm::LabWasm;
use crate::step::{Console, file_failure};
use crate::thin_wasm::Thin;
use crate::wasm::script;
use crate::workspace::Workspace;

/// The folders whose npm packages the build needs.
pub const NPM_FOLDERS: &[&str] = &["xtask/npm"];

/// What is printed about the finished package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    Sizes,
    FilesAndSizes,
}

/// Builds the package and returns the path of the tarball.
pub fn build(ws: &Workspace, console: &mut Console, report: Report) -> Result<PathBuf, Failure> {
    console.heading("Package");
    let thin = Thin::new(ws);
    console.step("thin wasm: compile", |step| thin.compile(ws, step))?;
    console.step("thin wasm: shrink", |step| thin.shrink(ws, step))?;
    let lab = LabWasm::new(ws);
    console.step("lab wasm: compile", |step| lab.compile(ws, step))?;
    console.step("lab wasm: bind and optimise", |step| lab.bind(ws, step))?;
    let package = ws.target.join("pkg");
    console.step("assemble", |step| {
        let manifest = ws.root.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)
            .map_err(|error| file_failure("read", &manifest, &error))?;
        let version = package_version(&text).ok_or_else(|| {
            Failure::new(format!("no [package] version in {}", manifest.display()))
        })?;
        step.run(
            &script(ws, "assemble.mjs")
                .args(["--version", version])
                .arg("--wasm")
                .arg(&thin.file)
                .arg("--lab")
                .arg(&lab.folder)
                .arg("--out")
                .arg(&package)
                .remedy(
                    "the message in the log names the file of pkg-template/ or src/js/ at fault",
                ),
        )?;
        step.note(format!("{} {version}", ws.relative(&package).display()));
        Ok(())
    })?;
    let folder = ws.target.join("pkg-tarball");
    let list = match report {
        Report::Sizes => None,
        Report::FilesAndSizes => Some("--list"),
    };
    let printed = console.step("pack", |step| {
        step.run(
            &script(ws, "pack.mjs")
                .arg("--package")
                .arg(&package)
                .arg("--out")
                .arg(&folder)
                .args(list),
        )
    })?;
    let tarball = folder.join("rejitter.tgz");
    print!("{printed}");
    println!("  {}", ws.relative(&tarball).display());
    Ok(tarball)
}

/// The version in the `[package]` table.
fn package_version(manifest: &str) -> Option<&str> {
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
