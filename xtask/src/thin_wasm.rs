//! Wasm files of numeric functions, and JavaScript made of them: the core of the entries that retry, which the npm
//! package has in both forms, and the machines of protection, which it has as JavaScript alone.

use std::path::PathBuf;

use crate::cmd::Cmd;
use crate::failure::Failure;
use crate::setup::{WASM_TARGET, cargo, cargo_of};
use crate::step::Step;
use crate::wasm::{binaryen, compilation, optimised, run_passes, script, size_of};
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

    pub fn compile(&self, ws: &Workspace, step: &mut Step) -> Result<(), Failure> {
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

    pub fn shrink(&self, ws: &Workspace, step: &mut Step) -> Result<(), Failure> {
        let passes = self.passes(ws);
        let results = [self.file.clone(), self.script.clone()];
        run_passes(ws, step, &self.compiled, &self.work, &results, &passes)
    }

    fn passes(&self, ws: &Workspace) -> Vec<Cmd> {
        let file = |name: &str| self.work.join(name);
        let [small, graph, reached] = ["small.wasm", "graph.json", "reached.wasm"].map(file);
        let [text, numbers] = ["text.wat", "numbers.wat"].map(file);
        let [lowered, converted] = ["lowered.wasm", "wasm2js.js"].map(file);
        let converge = "-Oz --converge";
        let roots = script(ws, "roots.mjs");
        let mut passes = vec![
            optimised(ws, &self.compiled, &small, converge),
            roots.clone().arg(&small).arg(&graph),
            binaryen(ws, "wasm-metadce", &small, &reached, "")
                .arg("--graph-file")
                .arg(&graph),
            optimised(ws, &reached, &self.file, converge),
            roots.arg("--check").arg(&self.file).arg(&graph),
        ];
        let (form, module) = match self.form {
            Form::Core => (&self.file, "no-wasm.mjs"),
            Form::Machines => (&numbers, "machines.mjs"),
        };
        if self.form == Form::Machines {
            let machines = script(ws, module).arg("--numbers");
            passes.push(binaryen(ws, "wasm-dis", &self.file, &text, ""));
            passes.push(machines.arg(&text).arg(&numbers));
        }
        // JavaScript has no saturating conversions: wasm2js rejects them. And some compilers compute the address of a
        // field once: an offset from its struct's is as good.
        let lower = "--all-features --llvm-nontrapping-fptoint-lowering --low-memory-unused \
                     --optimize-added-constants-propagate -Oz --converge";
        passes.extend([
            binaryen(ws, "wasm-opt", form, &lowered, lower),
            binaryen(ws, "wasm2js", &lowered, &converted, "--all-features -Oz"),
            script(ws, module).arg(&converted).arg(&self.script),
        ]);
        passes
    }
}
