//! The wasm files of the npm package's main entry and of `rejitter/fetch`: numbers only, without imports.

use std::path::{Path, PathBuf};

use crate::cmd::{Cmd, Failure};
use crate::setup::WASM_TARGET;
use crate::step::Step;
use crate::wasm::{WASM_FEATURES, compilation, run_passes, script, size_of};
use crate::workspace::Workspace;

/// The wasm files that one thin build yields.
#[derive(Debug, Clone, Copy)]
pub enum Part {
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
pub struct Thin {
    /// Of its own: the full build of the same crate has the same file name.
    target: PathBuf,
    compiled: PathBuf,
    work: PathBuf,
}

impl Thin {
    pub fn new(ws: &Workspace) -> Self {
        let target = ws.target.join("thin");
        let work = target.join("shrink");
        Self {
            compiled: target.join(WASM_TARGET).join("release/rejitter.wasm"),
            work,
            target,
        }
    }

    pub fn file(&self, part: Part) -> PathBuf {
        self.work.join(format!("{}.wasm", part.name()))
    }

    pub fn compile(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
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

    pub fn shrink(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
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
