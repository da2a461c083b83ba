//! How wasm files come about: compiled by cargo, then made smaller by one tool after the other.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cmd::Cmd;
use crate::failure::{Failure, file_failure};
use crate::setup::WASM_TARGET;
use crate::step::Step;
use crate::workspace::Workspace;

/// Features that rustc's wasm target switches on. Listed, because `--all-features` writes files that no engine
/// accepts.
const FEATURES: &str = "--enable-bulk-memory --enable-bulk-memory-opt --enable-mutable-globals \
    --enable-nontrapping-float-to-int --enable-sign-ext --enable-reference-types --enable-multivalue";

/// A tool of Binaryen, which makes one wasm file, or text, of another.
pub fn binaryen(ws: &Workspace, tool: &str, from: &Path, to: &Path, options: &str) -> Cmd {
    Cmd::new(ws.npm_tool(tool))
        .arg(from)
        .args(options.split_whitespace())
        .args(FEATURES.split_whitespace())
        .arg("-o")
        .arg(to)
}

/// Makes a wasm file smaller, and takes out what only people read.
pub fn optimised(ws: &Workspace, from: &Path, to: &Path, options: &str) -> Cmd {
    let strip = "--strip-debug --strip-producers --strip-target-features";
    binaryen(ws, "wasm-opt", from, to, &format!("{options} {strip}"))
}

/// Compiles the crate to wasm without its default features.
pub fn compilation(ws: &Workspace, cargo: Cmd, target: &Path) -> Cmd {
    cargo
        // Together with an rlib, cargo would leave link-time optimization out.
        .args(["rustc", "--release", "--lib", "--crate-type=cdylib"])
        .args(["--no-default-features", "--target", WASM_TARGET])
        .arg("--target-dir")
        .arg(target)
        .dir(&ws.root)
        .remedy("see the compiler's message in the log")
}

/// Runs the passes that make `results` from `input` in the folder `work`, unless neither the input
/// nor anything else that the result depends on has changed.
pub fn run_passes(
    ws: &Workspace,
    step: &mut Step,
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

/// All other inputs of a result: the passes and the versions of their tools.
fn recipe(ws: &Workspace, passes: &[Cmd]) -> Result<String, Failure> {
    let files = [
        "Cargo.lock",
        "xtask/npm/package-lock.json",
        "xtask/npm/machines.mjs",
        "xtask/npm/no-wasm.mjs",
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

/// A script of `xtask/npm`.
pub fn script(ws: &Workspace, name: &str) -> Cmd {
    Cmd::new("node")
        .arg(ws.root.join("xtask/npm").join(name))
        .dir(&ws.root)
}
