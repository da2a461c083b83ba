//! `cargo xtask hosts`: the packed package in the hosts and tools that users have.

use crate::browsers::{FOUND, WEBKIT};
use crate::cmd::{Cmd, Output};
use crate::failure::Failure;
use crate::node_tests::with_places;
use crate::pkg::{PACK, tarball};
use crate::plan::Context;
use crate::run::set_up;
use crate::setup::NPM_OF_TESTS;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Hosts whose names contain one of these; all when empty.
    pub only: Vec<String>,
    /// Whether the projects of the hosts stay in target/hosts.
    pub keep: bool,
    /// Whether docs/hosts.md is written.
    pub docs: bool,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<(), Failure> {
    set_up(cx, &[PACK, NPM_OF_TESTS, FOUND, WEBKIT])?;
    println!();
    with_places(program(cx, options), cx).run(&Output::Terminal)
}

fn program(cx: &Context<'_>, options: &Options) -> Cmd {
    let mut program = Cmd::new("node")
        .arg("main.mjs")
        .arg("--tarball")
        .arg(tarball(cx.ws))
        .arg("--out")
        .arg(cx.ws.target.join("hosts"))
        .dir(cx.ws.root.join("xtask/hosts"))
        .remedy("the lines with | above are the host's own message; --keep leaves its project in target/hosts")
        .unlimited();
    for name in &options.only {
        program = program.args(["--only", name]);
    }
    if options.keep {
        program = program.arg("--keep");
    }
    if options.docs {
        program = program.arg("--docs").arg(cx.ws.root.join("docs/hosts.md"));
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn names_and_flags_are_passed_on() {
        let ws = Workspace {
            root: "/r".into(),
            target: "/r/target".into(),
        };
        let options = Options {
            only: vec!["Jest".into(), "Node 24".into()],
            keep: true,
            docs: true,
        };
        let command = program(&Context::new(&ws, Vec::new), &options).to_string();
        assert!(
            command.ends_with(
                "--out /r/target/hosts --only Jest --only 'Node 24' --keep --docs /r/docs/hosts.md"
            ),
            "{command}"
        );
    }
}
