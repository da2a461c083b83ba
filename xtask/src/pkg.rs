//! The npm package: thin wasm and the lab's, assembled with the driver and the entries, packed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cmd::{Cmd, Failure};
use crate::lab_wasm::LabWasm;
use crate::setup::{WASM_TARGET, cargo};
use crate::step::{Console, Step, file_failure};
use crate::workspace::Workspace;

/// The folders whose npm packages the build needs.
pub const NPM_FOLDERS: &[&str] = &["xtask/npm"];

/// What rustc's wasm target switches on. Listed, because `--all-features` writes files that no engine
/// accepts.
pub const WASM_FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-reference-types",
    "--enable-multivalue",
];

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
                .arg(thin.file(Part::Core))
                .arg("--wasm")
                .arg(thin.file(Part::Http))
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

pub fn script(ws: &Workspace, name: &str) -> Cmd {
    Cmd::new("node")
        .arg(ws.root.join("xtask/npm").join(name))
        .dir(&ws.root)
}

/// The wasm files that one thin build yields.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The numeric decision functions, without memory: for the main entry.
    Core,
    /// What `fetch` needs beside them, which takes text and so has a memory.
    Http,
}

impl Part {
    const ALL: [Self; 2] = [Self::Core, Self::Http];

    fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Http => "http",
        }
    }
}

/// The thin build: wasm files without imports.
struct Thin {
    /// Of its own: the full build of the same crate has the same file name.
    target: PathBuf,
    compiled: PathBuf,
    work: PathBuf,
}

impl Thin {
    fn new(ws: &Workspace) -> Self {
        let target = ws.target.join("thin");
        let work = target.join("shrink");
        Self {
            compiled: target.join(WASM_TARGET).join("release/rejitter.wasm"),
            work,
            target,
        }
    }

    fn file(&self, part: Part) -> PathBuf {
        self.work.join(format!("{}.wasm", part.name()))
    }

    fn compile(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
        let build = compilation(ws, &self.target)
            .args(["--features", "driver,http"])
            // Half a kilobyte smaller than at level 2, and as fast for one call per failure.
            .args(["--config", "profile.release.opt-level='s'"])
            // What has a memory needs a page of it, not the megabyte that the stack has by default.
            .args(["--", "-Clink-arg=-zstack-size=8192"]);
        step.run(&build)?;
        step.note(size_of(&self.compiled));
        Ok(())
    }

    fn shrink(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
        let passes = self.passes(ws);
        let results = Part::ALL.map(|part| self.file(part));
        run_passes(ws, step, &self.compiled, &self.work, &results, &passes)
    }

    fn passes(&self, ws: &Workspace) -> Vec<Cmd> {
        let file = |name: &str| self.work.join(name);
        let bound = file("rejitter_bg.wasm");
        let small = file("small.wasm");
        let optimise = |from: &Path, to: &Path, more: &[&str]| {
            Cmd::new(ws.npm_tool("wasm-opt"))
                .arg(from)
                .args([
                    "-Oz",
                    "--strip-debug",
                    "--strip-producers",
                    "--strip-target-features",
                ])
                .args(more)
                .args(WASM_FEATURES)
                .arg("-o")
                .arg(to)
        };
        let mut passes = vec![
            Cmd::new(ws.wasm_tool("wasm-bindgen"))
                .arg(&self.compiled)
                .args(["--target", "web", "--no-typescript"])
                .args(["--remove-producers-section", "--remove-name-section"])
                .arg("--out-dir")
                .arg(&self.work)
                .args(["--out-name", "rejitter"]),
            optimise(&bound, &small, &["--converge"]),
        ];
        for part in Part::ALL {
            let graph = file(&format!("{}-graph.json", part.name()));
            let reached = file(&format!("{}-reached.wasm", part.name()));
            let done = self.file(part);
            passes.extend([
                script(ws, "roots.mjs")
                    .arg(part.name())
                    .arg(&small)
                    .arg(&graph),
                Cmd::new(ws.npm_tool("wasm-metadce"))
                    .arg(&small)
                    .arg("--graph-file")
                    .arg(&graph)
                    .args(WASM_FEATURES)
                    .arg("-o")
                    .arg(&reached),
                optimise(&reached, &done, &["--converge"]),
                script(ws, "roots.mjs")
                    .arg("--check")
                    .arg(&done)
                    .arg(&graph),
            ]);
        }
        passes
    }
}

/// Compiles the crate to wasm without its default features.
pub fn compilation(ws: &Workspace, target: &Path) -> Cmd {
    cargo()
        .args([
            "rustc",
            "--release",
            "--lib",
            // Together with an rlib, cargo would leave link-time optimization out.
            "--crate-type=cdylib",
            "--no-default-features",
            "--target",
            WASM_TARGET,
        ])
        .arg("--target-dir")
        .arg(target)
        .dir(&ws.root)
        .remedy("see the compiler's message in the log")
}

/// Runs the passes that make `results` from `input` in the folder `work`, unless neither the input
/// nor anything else that the result depends on has changed.
pub fn run_passes(
    ws: &Workspace,
    step: &mut Step<'_>,
    input: &Path,
    work: &Path,
    results: &[PathBuf],
    passes: &[Cmd],
) -> Result<(), Failure> {
    let recipe = recipe(ws, passes)?;
    let recipe_file = work.join("recipe");
    let before = work.join("input.wasm");
    let bytes = read(input)?;
    let sizes = || {
        let sizes: Vec<String> = results.iter().map(|file| named_size(file)).collect();
        sizes.join(", ")
    };
    let unchanged = results.iter().all(|file| file.exists())
        && fs::read(&before).is_ok_and(|old| old == bytes)
        && fs::read_to_string(&recipe_file).is_ok_and(|old| old == recipe);
    if unchanged {
        step.note(format!("{}, nothing changed", sizes()));
        return Ok(());
    }
    drop(fs::remove_dir_all(work));
    fs::create_dir_all(work).map_err(|error| file_failure("create", work, &error))?;
    for pass in passes {
        step.run(pass)?;
    }
    // Last: a run that was cut off is done again.
    for (path, bytes) in [
        (&before, bytes.as_slice()),
        (&recipe_file, recipe.as_bytes()),
    ] {
        fs::write(path, bytes).map_err(|error| file_failure("write", path, &error))?;
    }
    step.note(sizes());
    Ok(())
}

fn named_size(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    format!("{name} {}", size_of(file))
}

/// All that a result depends on beside the input: the passes and the versions of their tools.
fn recipe(ws: &Workspace, passes: &[Cmd]) -> Result<String, Failure> {
    let files = [
        "Cargo.lock",
        "xtask/npm/package-lock.json",
        "xtask/npm/roots.mjs",
        "xtask/npm/untraceable.mjs",
    ];
    let mut recipe: String = passes.iter().map(|pass| format!("{pass}\n")).collect();
    for file in files {
        recipe.push_str(&String::from_utf8_lossy(&read(&ws.root.join(file))?));
    }
    Ok(recipe)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| file_failure("read", path, &error))
}

pub fn size_of(path: &Path) -> String {
    fs::metadata(path).map_or_else(|_| String::new(), |meta| format!("{} bytes", meta.len()))
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
