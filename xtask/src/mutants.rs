//! `cargo xtask mutants`: small mistakes, one at a time, for the tests to find.

use std::ffi::OsString;

use crate::cmd::{Cmd, Output};
use crate::failure::Failure;
use crate::pkg::PACK;
use crate::plan::Context;
use crate::run::set_up;
use crate::setup::NPM_OF_TESTS;

/// The script knows its options.
pub fn run(cx: &Context<'_>, options: &[OsString]) -> Result<(), Failure> {
    set_up(cx, &[PACK, NPM_OF_TESTS])?;
    Cmd::new("node")
        .arg("xtask/npm/mutants.mjs")
        .args(options)
        .dir(&cx.ws.root)
        .unlimited()
        .run(&Output::Terminal)
}
