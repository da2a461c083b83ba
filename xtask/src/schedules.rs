//! `cargo xtask schedules`: random hostile schedules against the packed package, of single policies and of operations
//! that share protections.

use crate::cmd::{Cmd, Output};
use crate::failure::Failure;
use crate::pkg::{PACK, tarball};
use crate::plan::Context;
use crate::run::set_up;
use crate::setup::NPM_OF_TESTS;
use crate::workspace::Workspace;

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub count: u64,
    /// Without it, the program chooses one and prints it.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            count: 1_000_000,
            seed: None,
        }
    }
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<(), Failure> {
    set_up(cx, &[PACK, NPM_OF_TESTS])?;
    for suite in SUITES {
        println!();
        program(cx.ws, options, suite)
            .env("REJITTER_TARBALL", tarball(cx.ws))
            .env("REJITTER_TARGET_DIR", &cx.ws.target)
            .run(&Output::Terminal)?;
    }
    Ok(())
}

/// Folders in tests/package that make, perform and check schedules.
const SUITES: [&str; 2] = ["schedules", "protection"];

fn program(ws: &Workspace, options: &Options, suite: &str) -> Cmd {
    let folder = ws.root.join("tests/package/schedules");
    let program = Cmd::new("node")
        .args(["run.mjs", "--suite", suite])
        .arg("--count")
        .arg(options.count.to_string())
        .dir(folder)
        .remedy("the trace above is the shortest that still fails; its seed repeats it")
        .unlimited();
    match options.seed {
        Some(seed) => program.arg("--seed").arg(seed.to_string()),
        None => program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_and_seed_are_passed_on() {
        let ws = Workspace {
            root: "/r".into(),
            target: "/r/target".into(),
        };
        let options = Options {
            count: 7,
            seed: Some(9),
        };
        let command = program(&ws, &options, "protection").to_string();
        assert!(command.ends_with("run.mjs --suite protection --count 7 --seed 9"));
        assert!(
            !program(&ws, &Options::default(), "protection")
                .to_string()
                .contains("--seed")
        );
    }
}
