//! `cargo xtask demo`: the packed package at work, in Node and on a page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cmd::Cmd;
use crate::failure::{Failure, file_failure};
use crate::lock;
use crate::pkg::{PACK, tarball};
use crate::plan::{Context, Plan};
use crate::run::set_up;
use crate::setup::{NODE, NPM_OF_PAGE};
use crate::step::Step;
use crate::workspace::Workspace;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only the part in Node.
    pub once: bool,
    /// Port of the page; without it, the server chooses.
    pub port: Option<u16>,
}

/// The tarball is installed by npm in a folder like a user's.
pub const CONSUMER: &str = "install the tarball";

/// The tarball is where the page's imports find it.
pub const IN_PAGE: &str = "install the tarball in the page";

pub fn steps() -> Vec<Plan> {
    vec![
        Plan::set_up(CONSUMER, &[NODE, PACK], |cx, step| {
            install_consumer(cx.ws, step)
        }),
        Plan::set_up(IN_PAGE, &[NPM_OF_PAGE, PACK], |cx, step| {
            // Not by npm: it would undo `npm ci`.
            unpack(
                step,
                &tarball(cx.ws),
                &cx.ws.root.join("www/node_modules/rejitter"),
            )
        }),
        Plan::set_up("page: build", &[IN_PAGE], |cx, step| {
            step.run(&build_page(cx.ws)).map(drop)
        }),
    ]
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<(), Failure> {
    let page = (!options.once).then_some("page: build");
    let lock = lock::take(cx.ws)?;
    set_up(cx, &[&[CONSUMER][..], page.as_slice()].concat())?;
    println!();
    program(cx.ws).run()?;
    drop(lock);
    if options.once {
        return Ok(());
    }
    println!("\nThe page is served until Ctrl-C:");
    match serve_page(cx.ws, options.port).run() {
        // Ctrl-C is how this ends.
        Err(failure) if failure.interrupted => Ok(()),
        result => result,
    }
}

/// A folder like a user's, with the tarball installed by npm, and the programs of the demo in it.
fn install_consumer(ws: &Workspace, step: &mut Step) -> Result<(), Failure> {
    let folder = consumer(ws);
    let fill = || -> io::Result<()> {
        fs::create_dir_all(&folder)?;
        let manifest = "{ \"name\": \"demo\", \"private\": true }\n";
        fs::write(folder.join("package.json"), manifest)?;
        for entry in fs::read_dir(ws.root.join("www/demo"))? {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            let text = name.to_string_lossy();
            if text.ends_with(".mjs") && !text.ends_with(".test.mjs") {
                fs::copy(path, folder.join(name))?;
            }
        }
        Ok(())
    };
    fill().map_err(|error| file_failure("fill", &folder, &error))?;
    let install = Cmd::new("npm")
        .args("install --no-save --no-package-lock --ignore-scripts".split(' '))
        .args(["--no-audit", "--no-fund", "--offline"])
        .arg(tarball(ws))
        .dir(&folder)
        .remedy("the package has no dependencies, so npm needs no registry here; see its message");
    step.run(&install).map(drop)
}

fn consumer(ws: &Workspace) -> PathBuf {
    ws.target.join("demo")
}

/// Requests to the misbehaving server through the installed package.
pub fn program(ws: &Workspace) -> Cmd {
    Cmd::new("node").arg("main.mjs").dir(consumer(ws))
}

/// Unpacks the tarball into `folder`, one of a `node_modules`.
pub fn unpack(step: &mut Step, tarball: &Path, folder: &Path) -> Result<(), Failure> {
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder).map_err(|error| file_failure("create", folder, &error))?;
    step.run(
        &Cmd::new("tar")
            .arg("-xzf")
            .arg(tarball)
            .args(["--strip-components=1", "-C"])
            .arg(folder),
    )?;
    Ok(())
}

pub fn build_page(ws: &Workspace) -> Cmd {
    Cmd::new("npm")
        .args(["run", "build"])
        .dir(ws.root.join("www"))
        .remedy("see the bundler's message in the log")
}

fn serve_page(ws: &Workspace, port: Option<u16>) -> Cmd {
    let port = port.map(|port| ["--port".to_owned(), port.to_string()]);
    Cmd::new("node")
        .arg(ws.root.join("www/demo/serve.mjs"))
        .args(port.into_iter().flatten())
        .dir(ws.root.join("www"))
        .remedy("another program may use the port: try --port with another number")
        .unlimited()
}
