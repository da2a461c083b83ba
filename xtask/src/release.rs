//! `cargo xtask release --dry-run`: builds what a release publishes, twice, and publishes none of it.

use std::path::Path;

use crate::cmd::Cmd;
use crate::failure::Failure;
use crate::node_tests::node_test;
use crate::pkg::{self, PACK, tarball};
use crate::plan::{Context, Plan};
use crate::published::{CRATE, folder};
use crate::setup::{NODE, NPM_OF_TESTS, cargo};
use crate::test;
use crate::wasm::script;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub dry_run: bool,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<(), Failure> {
    if !options.dry_run {
        return Err(Failure::new("a release is published by hand")
            .remedy("cargo xtask release --dry-run; CONTRIBUTING.md has the checklist"));
    }
    test::run(cx, |_| Ok(steps()), &test::Options::default())
}

fn steps() -> Vec<Plan> {
    vec![
        Plan::check(
            "release: versions, changelog, contents",
            &[PACK, NPM_OF_TESTS],
            |cx| {
                let file = cx.ws.root.join("tests/package/tarball/packaging.test.mjs");
                vec![node_test(cx, &file)]
            },
        ),
        Plan::check("release: the tarball is reproducible", &[PACK], |cx| {
            let again = cx.ws.target.join("release/npm");
            vec![
                script(cx.ws, "pack.mjs")
                    .arg("--package")
                    .arg(pkg::folder(cx.ws))
                    .arg("--out")
                    .arg(&again),
                same(&tarball(cx.ws), &again.join("rejitter.tgz")),
            ]
        }),
        Plan::check("release: the crate is reproducible", &[CRATE], |cx| {
            // Without a version, `cargo package` fails and says so.
            let version = pkg::version(cx.ws).unwrap_or_default();
            let targets =
                ["crate-1", "crate-2"].map(|name| cx.ws.target.join("release").join(name));
            let [one, other] = targets
                .each_ref()
                .map(|target| target.join(format!("package/rejitter-{version}.crate")));
            let package = ["package", "--allow-dirty", "--no-verify"];
            targets
                .iter()
                .map(|target| in_crate(cx, &package, target))
                .chain([same(&one, &other)])
                .collect()
        }),
        Plan::check("release: npm publish", &[PACK, NODE], |cx| {
            vec![
                Cmd::new("npm")
                    .args(["publish", "--dry-run"])
                    .arg(tarball(cx.ws)),
            ]
        }),
        Plan::check("release: cargo publish", &[CRATE], |cx| {
            let target = cx.ws.target.join("crate-build");
            vec![in_crate(
                cx,
                &["publish", "--dry-run", "--allow-dirty"],
                &target,
            )]
        }),
    ]
}

/// Cargo in the assembled crate.
fn in_crate(cx: &Context<'_>, args: &[&str], target: &Path) -> Cmd {
    cargo()
        .args(args)
        .dir(folder(cx.ws))
        .env("CARGO_TARGET_DIR", target)
}

fn same(one: &Path, other: &Path) -> Cmd {
    Cmd::new("cmp")
        .arg(one)
        .arg(other)
        .remedy("a build must not depend on the time or on the folder")
}
