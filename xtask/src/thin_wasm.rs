//! Wasm files of numeric functions, and JavaScript made of them: the core of the entries that retry, which the npm
//! package has in both forms, and the machines of protection, which it has as JavaScript alone.

use std::path::{Path, PathBuf};

use crate::cmd::Cmd;
use crate::failure::Failure;
use crate::setup::{WASM_TARGET, cargo, cargo_of};
use crate::step::Step;
use crate::wasm::{WASM_FEATURES, compilation, run_passes, script, size_of};
use crate::workspace::Workspace;

/// A thin build: a wasm file of numeric functions.
pub struct Thin {
    /// The feature that exports the functions.
    feature: &'static str,
    /// How JavaScript is made of the wasm file.
    form: Form,
    cargo: Cmd,
    /// A separate folder: the full build of the same crate has the same file name.
    target: PathBuf,
    compiled: PathBuf,
    work: PathBuf,
    pub file: PathBuf,
    /// The same functions as JavaScript.
    pub script: PathBuf,
}

#[derive(PartialEq)]
enum Form {
    /// Functions of numbers, made at the first call.
    Core,
    /// Functions of arrays: the addresses of states.
    Machines,
}

impl Thin {
    /// The numeric decision functions.
    pub fn core(ws: &Workspace) -> Self {
        Self::new(ws, "core", cargo(), "thin", "driver", Form::Core)
    }

    /// The machines of protection.
    pub fn protection(ws: &Workspace) -> Self {
        Self::machines(ws, cargo(), "thin-machines")
    }

    /// The machines of protection, compiled by another toolchain.
    pub fn protection_by(ws: &Workspace, toolchain: &str) -> Self {
        let folder = format!("thin-machines-{toolchain}");
        Self::machines(ws, cargo_of(toolchain), &folder)
    }

    fn machines(ws: &Workspace, cargo: Cmd, folder: &str) -> Self {
        let feature = "protection-exports";
        Self::new(ws, "machines", cargo, folder, feature, Form::Machines)
    }

    fn new(
        ws: &Workspace,
        name: &str,
        cargo: Cmd,
        folder: &str,
        feature: &'static str,
        form: Form,
    ) -> Self {
        let target = ws.target.join(folder);
        let work = target.join("shrink");
        Self {
            feature,
            form,
            cargo,
            compiled: target.join(WASM_TARGET).join("release/rejitter.wasm"),
            file: work.join(format!("{name}.wasm")),
            script: work.join(format!("{name}.js")),
            work,
            target,
        }
    }

    pub fn compile(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
        let build = compilation(ws, self.cargo.clone(), &self.target)
            .args(["--features", self.feature])
            // Half a kilobyte smaller than at level 2, and as fast for one call per failure.
            .args(["--config", "profile.release.opt-level='s'"])
            // A stack of 4 kB lets the memory be one page: without this it is 17.
            .args(["--", "-C", "link-arg=-zstack-size=4096"])
            // Older compilers do without, and call a function that fills memory byte by byte.
            .args(["-C", "target-feature=+bulk-memory"]);
        step.run(&build)?;
        step.note(size_of(&self.compiled));
        Ok(())
    }

    pub fn shrink(&self, ws: &Workspace, step: &mut Step<'_>) -> Result<(), Failure> {
        let passes = self.passes(ws);
        let results = [self.file.clone(), self.script.clone()];
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
        let mut passes = vec![
            optimise(&self.compiled, &small, &["--converge"]),
            script(ws, "roots.mjs").arg(&small).arg(&graph),
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
        ];
        let mut form = self.file.clone();
        if self.form == Form::Machines {
            let text = file("text.wat");
            form = file("numbers.wat");
            passes.push(
                Cmd::new(ws.npm_tool("wasm-dis"))
                    .arg(&self.file)
                    .args(WASM_FEATURES)
                    .arg("-o")
                    .arg(&text),
            );
            passes.push(
                script(ws, "machines.mjs")
                    .arg("--numbers")
                    .arg(text)
                    .arg(&form),
            );
        }
        passes.extend([
            // JavaScript has no saturating conversions: wasm2js rejects them.
            Cmd::new(ws.npm_tool("wasm-opt"))
                .arg(&form)
                .args(["--all-features", "--llvm-nontrapping-fptoint-lowering"])
                // Some compilers compute the address of a field once: an offset from its struct's is as good.
                .args([
                    "--low-memory-unused",
                    "--optimize-added-constants-propagate",
                ])
                .args(["-Oz", "--converge", "-o"])
                .arg(&lowered),
            Cmd::new(ws.npm_tool("wasm2js"))
                .arg(&lowered)
                .args(["--all-features", "-Oz", "-o"])
                .arg(&converted),
            script(
                ws,
                match self.form {
                    Form::Core => "no-wasm.mjs",
                    Form::Machines => "machines.mjs",
                },
            )
            .arg(&converted)
            .arg(&self.script),
        ]);
        passes
    }
}
