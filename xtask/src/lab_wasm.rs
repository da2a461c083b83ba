//! The wasm file of `rejitter/lab`: the feature `lab-exports`, with wasm-bindgen's glue for bundlers.

use std::path::PathBuf;

use crate::cmd::Cmd;
use crate::failure::Failure;
use crate::setup::{WASM_TARGET, cargo};
use crate::step::Step;
use crate::wasm::{compilation, optimised, run_passes, script, size_of};
use crate::workspace::Workspace;

pub struct LabWasm {
    /// A separate folder: other builds of the same crate have the same file name.
    target: PathBuf,
    compiled: PathBuf,
    /// Where `lab.wasm` and its glue, `lab_bg.js`, end up.
    pub folder: PathBuf,
}

impl LabWasm {
    pub fn new(ws: &Workspace) -> Self {
        let target = ws.target.join("lab");
        Self {
            compiled: target.join(WASM_TARGET).join("release/rejitter.wasm"),
            folder: target.join("bound"),
            target,
        }
    }

    pub fn compile(&self, ws: &Workspace, step: &mut Step) -> Result<(), Failure> {
        let build = compilation(ws, cargo(), &self.target)
            .args(["--features", "lab-exports"])
            // A fifth smaller, and as fast where it matters.
            .args(["--config", "profile.release.opt-level='s'"]);
        step.run(&build)?;
        step.note(size_of(&self.compiled));
        Ok(())
    }

    pub fn bind(&self, ws: &Workspace, step: &mut Step) -> Result<(), Failure> {
        let result = self.folder.join("lab.wasm");
        let small = self.folder.join("optimised.wasm");
        let passes = [
            Cmd::new(ws.wasm_tool("wasm-bindgen"))
                .arg(&self.compiled)
                // The one target whose glue neither loads nor compiles anything itself.
                .args(["--target", "bundler", "--no-typescript"])
                .args(["--remove-producers-section", "--remove-name-section"])
                .arg("--out-dir")
                .arg(&self.folder)
                .args(["--out-name", "lab"]),
            optimised(ws, &self.folder.join("lab_bg.wasm"), &small, "-O3"),
            script(ws, "untraceable.mjs").arg(&small).arg(&result),
        ];
        run_passes(ws, step, &self.compiled, &self.folder, &[result], &passes)
    }
}
