//! Commands that set something up and then run a script, which knows its options.

use std::ffi::OsString;

use crate::browsers::{FOUND, WEBKIT};
use crate::cmd::Cmd;
use crate::demo::unpack;
use crate::failure::Failure;
use crate::lock;
use crate::node_tests::with_places;
use crate::pkg::{PACK, tarball};
use crate::plan::{Context, Plan};
use crate::run::set_up;
use crate::servers::SERVERS;
use crate::setup::{NPM_OF_BENCH, NPM_OF_TESTS};

/// The tarball is where the measuring programs import it from.
const INSTALLED: &str = "install the tarball in the benchmarks";

pub const NAMES: [&str; 5] = ["bench", "hosts", "mutants", "schedules", "watch"];

pub fn steps() -> Vec<Plan> {
    let install = Plan::set_up(INSTALLED, &[NPM_OF_BENCH, PACK], |cx, step| {
        let folder = cx.ws.root.join("xtask/bench/node_modules/rejitter");
        unpack(step, &tarball(cx.ws), &folder)
    });
    vec![install]
}

pub fn run(cx: &Context<'_>, name: &str, args: &[OsString]) -> Result<(), Failure> {
    let (goals, script): (&[&str], &str) = match name {
        "bench" => (&[INSTALLED], "xtask/bench/main.mjs"),
        "hosts" => (&[PACK, NPM_OF_TESTS, FOUND, WEBKIT], "xtask/hosts/main.mjs"),
        "mutants" => (&[PACK, NPM_OF_TESTS, SERVERS], "xtask/npm/mutants.mjs"),
        "watch" => (&[PACK, NPM_OF_TESTS], "xtask/npm/watch.mjs"),
        _ => (&[PACK, NPM_OF_TESTS], "tests/package/schedules/run.mjs"),
    };
    let lock = lock::take(cx.ws)?;
    set_up(cx, goals)?;
    // It runs for hours, and packs the package itself.
    let _lock = (name != "watch").then_some(lock);
    println!();
    let script = Cmd::new("node").arg(script).args(args);
    with_places(script, cx).dir(&cx.ws.root).unlimited().run()
}
