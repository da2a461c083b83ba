//! The wasm files of numbers that the npm package inlines, each as JavaScript too: the core of the entries that retry,
//! without imports or memory, and the machines of protection, with the memory of their registers.

use std::path::{Path, PathBuf};

use crate::cmd::{Cmd, Failure};
use crate::setup::WASM_TARGET;
use crate::step::Step;
use crate::wasm::{WASM_FEATURES, compilation, run_passes, script, size_of};
use crate::workspace::Workspace;

/// A thin build: a wasm file of numeric functions.
pub struct Thin {
    /// The feature that exports the functions.
    feature: &'static str,
    /// Whether it keeps its memory, for the registers of what has state.
    memory: bool,
    /// A separate folder: the full build of the same crate has the same file name.
    target: PathBuf,
    compiled: PathBuf,
    work: PathBuf,
    pub file: PathBuf,
    /// The same functions as JavaScript, for hosts that cannot compile WebAssembly.
    no_wasm: PathBuf,
}

impl Thin {
    /// The numeric decision functions.
    pub fn core(ws: &Workspace) -> Self {
        Self::new(ws, "core", "thin", "driver", false)
    }

    /// The machines of protection.
    pub fn protection(ws: &Workspace) -> Self {
        Self::new(
            ws,
            "protection",
            "thin-protection",
            "protection-exports",
            true,
        )
    }

    fn new(ws: &Workspace, name: &str, folder: &str, feature: &'static str, memory: bool) -> Self {
        let target = ws.target.join(folder);
        let work = target.join("shrink");
        Self {
            feature,
            memory,
            compiled: target.join(WASM_TARGET).join("release/rejitter.wasm"),
            file: work.join(format!("{name}.wasm")),
            no_wasm: work.join(format!("{name}.js")),
            work,
            target,
        }
    }

    pub fn compile(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
        let build = compilation(ws, &self.target)
            .args(["--features", self.feature])
            // Half a kilobyte smaller than at level 2, and as fast for one call per failure.
            .args(["--config", "profile.release.opt-level='s'"])
            // A stack of 4 kB lets the memory be one page: without this it is 17.
            .args(["--", "-C", "link-arg=-zstack-size=4096"]);
        step.run(&build)?;
        step.note(size_of(&self.compiled));
        Ok(())
    }

    pub fn shrink(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
        let passes = self.passes(ws);
        let results = [self.file.clone(), self.no_wasm.clone()];
        run_passes(ws, step, &self.compiled, &self.work, &results, &passes)
    }

    fn passes(&self, ws: &Workspace) -> Vec<Cmd> {
        let file = |name: &str| self.work.join(name);
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
        let graph = file("graph.json");
        let reached = file("reached.wasm");
        let lowered = file("lowered.wasm");
        let converted = file("wasm2js.js");
        vec![
            optimise(&self.compiled, &small, &["--converge"]),
            script(ws, "roots.mjs")
                .args(self.memory.then_some("--memory"))
                .arg(&small)
                .arg(&graph),
            Cmd::new(ws.npm_tool("wasm-metadce"))
                .arg(&small)
                .arg("--graph-file")
                .arg(&graph)
                .args(WASM_FEATURES)
                .arg("-o")
                .arg(&reached),
            optimise(&reached, &self.file, &["--converge"]),
            script(ws, "roots.mjs")
                .arg("--check")
                .arg(&self.file)
                .arg(&graph),
            // JavaScript has no saturating conversions: wasm2js rejects them.
            Cmd::new(ws.npm_tool("wasm-opt"))
                .arg(&self.file)
                .args(["--all-features", "--llvm-nontrapping-fptoint-lowering"])
                .args(["-Oz", "--converge", "-o"])
                .arg(&lowered),
            Cmd::new(ws.npm_tool("wasm2js"))
                .arg(&lowered)
                .args(["--all-features", "-Oz", "-o"])
                .arg(&converted),
            script(ws, "no-wasm.mjs").arg(&converted).arg(&self.no_wasm),
        ]
    }
}
