//! `cargo xtask site`: the demo page as static files, for any web server and under any path.

use std::path::PathBuf;

use crate::cmd::Failure;
use crate::demo;
use crate::step::Console;
use crate::workspace::Workspace;
use crate::{pkg, setup};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where the files go; without it, `target/site`.
    pub out: Option<PathBuf>,
}

pub fn run(ws: &Workspace, options: &Options) -> Result<(), Failure> {
    let mut console = Console::new(ws, "logs", false)?;
    setup::prepare(ws, &mut console, &[pkg::NPM_FOLDERS, &["www"]].concat())?;
    let tarball = pkg::build(ws, &mut console, pkg::Report::Sizes)?;

    console.heading("Site");
    console.step("install the tarball", |step| {
        demo::install_in_page(ws, step, &tarball)
    })?;
    let (out, build) = match &options.out {
        // Not emptied before: it is the caller's, and Vite counts from its own folder.
        Some(folder) => {
            let folder = std::path::absolute(folder)
                .map_err(|error| Failure::new(format!("--out {}: {error}", folder.display())))?;
            (folder, demo::build_page(ws).arg("--"))
        }
        None => (
            ws.target.join("site"),
            demo::build_page(ws).args(["--", "--emptyOutDir"]),
        ),
    };
    console.step("build", |step| step.run(&build.arg("--outDir").arg(&out)))?;
    println!("\nThe page is in {}", ws.relative(&out).display());
    println!("Its addresses are relative: serve the folder under any path.");
    Ok(())
}
