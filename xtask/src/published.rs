//! `cargo xtask crate`: what the registry of crates gets, assembled from the sources of this repository.
//!
//! The root is what wasm-pack takes: a library with a cdylib, all features, exports for JavaScript. A Rust
//! program wants none of these, so they are cut out: between a line that starts with `#-` (in Rust `//-`) and
//! the next that starts with `#+`. Text behind a `#+` replaces what was cut.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, file_failure};
use crate::pkg::package_version;
use crate::plan::{Context, Plan};
use crate::run::set_up;
use crate::test::{self, Checks};
use crate::workspace::Workspace;

/// The crate and the programs that are built against it are assembled.
pub const CRATE: &str = "assemble the crate";

/// Folders and files of the repository that are published, those cut included.
const PUBLISHED: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "src",
    "tests",
];

/// Not these parts of them: JavaScript, and tests of this repository as a whole.
const LEFT_OUT: &[&str] = &[
    "src/bindings",
    "src/js",
    "tests/crate",
    "tests/lab_explain.rs",
    "tests/layers",
    "tests/package",
    "tests/simulation/bindings.rs",
    "tests/ui",
    "tests/wasm",
    "tests/wasm_browser.rs",
    "tests/wasm_node.rs",
];

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub check: bool,
    /// The same as in `cargo xtask test`.
    pub only: Vec<String>,
}

/// Assembles the crate, or runs the checks that the options ask for.
pub fn run(cx: &Context<'_>, checks: Checks, options: &Options) -> Result<(), Failure> {
    if options.check {
        let options = test::Options {
            only: options.only.clone(),
            ..test::Options::default()
        };
        return test::run(cx, checks, &options);
    }
    set_up(cx, &[CRATE])
}

pub fn steps() -> Vec<Plan> {
    vec![Plan::set_up(CRATE, &[], |cx, step| {
        let files = assemble(cx.ws)?;
        step.note(format!(
            "{}, {files} files",
            cx.ws.relative(&folder(cx.ws)).display()
        ));
        Ok(())
    })]
}

pub fn folder(ws: &Workspace) -> PathBuf {
    ws.target.join("crate")
}

pub fn programs(ws: &Workspace) -> PathBuf {
    ws.target.join("crate-programs")
}

/// Writes the crate, its next version and the programs; returns how many files the crate has.
fn assemble(ws: &Workspace) -> Result<usize, Failure> {
    let mut crate_files = vec![(
        PathBuf::from("README.md"),
        read(&ws.root.join("crate-template/README.md"))?,
    )];
    for path in PUBLISHED {
        for path in files_of(&ws.root, path, LEFT_OUT)? {
            let text = read(&ws.root.join(&path))?;
            let text = published(&text)
                .map_err(|problem| Failure::new(format!("{}: {problem}", path.display())))?;
            crate_files.push((path, text));
        }
    }
    let count = crate_files.len();
    write_all(&folder(ws), &crate_files)?;

    let manifest = Path::new("Cargo.toml");
    for (path, text) in &mut crate_files {
        if path == manifest {
            *text = next_version(text)?;
        }
    }
    write_all(&ws.target.join("crate-next"), &crate_files)?;

    let sources = ws.root.join("tests/crate/programs");
    let mut program_files = Vec::new();
    for path in files_of(&sources, "", &[])? {
        let text = read(&sources.join(&path))?;
        program_files.push((path, text));
    }
    write_all(&programs(ws), &program_files)?;
    Ok(count)
}

/// `text` without what is not published.
fn published(text: &str) -> Result<String, &'static str> {
    let mut result = String::new();
    let mut cutting = false;
    for line in text.lines() {
        let start = line.trim_start();
        let marker = |mark| {
            let rest = start.strip_prefix("//").or_else(|| start.strip_prefix('#'));
            rest.and_then(|rest| rest.strip_prefix(mark))
        };
        if marker('-').is_some() {
            if cutting {
                return Err("a cut starts within a cut");
            }
            cutting = true;
        } else if let Some(replacement) = marker('+') {
            if !cutting {
                return Err("a cut ends that did not start");
            }
            cutting = false;
            if !replacement.is_empty() {
                result += replacement.trim_start();
                result.push('\n');
            }
        } else if !cutting {
            result += line;
            result.push('\n');
        }
    }
    if cutting {
        return Err("a cut does not end");
    }
    Ok(result)
}

/// The manifest of an incompatible version.
fn next_version(manifest: &str) -> Result<String, Failure> {
    let version = package_version(manifest)
        .ok_or_else(|| Failure::new("no [package] version in Cargo.toml"))?;
    Ok(manifest.replacen(&format!("version = {version:?}"), "version = \"99.0.0\"", 1))
}

/// Makes the folder hold these files and no others. Files that are as they should be are left alone, so that
/// cargo builds nothing again.
fn write_all(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), Failure> {
    let wanted: BTreeSet<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
    if folder.exists() {
        for path in files_of(folder, "", &[])? {
            if !wanted.contains(path.as_path()) {
                let path = folder.join(path);
                fs::remove_file(&path).map_err(|error| file_failure("remove", &path, &error))?;
                // Folders, too, as far as nothing is left in them: cargo would take one for a package.
                for parent in path
                    .ancestors()
                    .skip(1)
                    .take_while(|parent| *parent != folder)
                {
                    drop(fs::remove_dir(parent));
                }
            }
        }
    }
    for (path, text) in files {
        let path = folder.join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == *text) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| file_failure("create", parent, &error))?;
        }
        fs::write(&path, text).map_err(|error| file_failure("write", &path, &error))?;
    }
    Ok(())
}

/// The files at and under `path`, seen from `root`, in the order of their names.
fn files_of(root: &Path, path: &str, left_out: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    collect(root, Path::new(path), left_out, &mut files)?;
    Ok(files)
}

fn collect(
    root: &Path,
    path: &Path,
    left_out: &[&str],
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    if left_out.iter().any(|out| path == Path::new(out)) {
        return Ok(());
    }
    let full = root.join(path);
    if !full.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let entries = fs::read_dir(&full).map_err(|error| file_failure("read", &full, &error))?;
    let mut names: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    names.sort();
    names
        .iter()
        .try_for_each(|name| collect(root, &path.join(name), left_out, files))
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| file_failure("read", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_cut_and_replaced() {
        let text = "a\n#- reason\nb\n  #+ c = 1\nd\n//- reason\ne\n//+\nf\n# - no mark\n";
        assert_eq!(published(text).unwrap(), "a\nc = 1\nd\nf\n# - no mark\n");
    }

    #[test]
    fn cuts_begin_and_end() {
        for text in ["#-\n", "#+\n", "#-\n#-\n#+\n"] {
            assert!(published(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_next_version_is_that_of_the_package() {
        let manifest =
            "[package]\nversion = \"0.1.0\"\n[dependencies]\na = { version = \"0.1.0\" }\n";
        let next = next_version(manifest).unwrap();
        assert_eq!(package_version(&next), Some("99.0.0"));
        assert!(next.ends_with("a = { version = \"0.1.0\" }\n"));
    }

    #[test]
    fn the_crate_is_a_plain_library_without_javascript() {
        let root = Workspace::find().root;
        let manifest = published(&read(&root.join("Cargo.toml")).unwrap()).unwrap();
        assert!(manifest.contains("\ndefault = [\"retry\"]\n"));
        for word in [
            "crate-type",
            "full",
            "driver",
            "exports",
            "[profile",
            "wasm-pack",
            "publish",
        ] {
            assert!(!manifest.contains(word), "{word} is in\n{manifest}");
        }
        let lib = published(&read(&root.join("src/lib.rs")).unwrap()).unwrap();
        assert!(
            lib.contains("pub use retry::*;") && !lib.contains("bindings"),
            "{lib}"
        );
    }
}
