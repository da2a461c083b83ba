//! `cargo xtask site`: the demo page as static files, for any web server and under any path.

use std::path::PathBuf;

use crate::cmd::{Failure, Output};
use crate::demo;
use crate::plan::{Context, set_up};
use crate::workspace::Workspace;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where the files go; without it, `target/site`.
    pub out: Option<PathBuf>,
}

pub fn run(ws: &Workspace, options: &Options) -> Result<(), Failure> {
    set_up(&Context::new(ws), &[demo::IN_PAGE])?;
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
    println!();
    build.arg("--outDir").arg(&out).run(&Output::Terminal)?;
    println!("\nThe page is in {}", ws.relative(&out).display());
    println!("Its addresses are relative: serve the folder under any path.");
    Ok(())
}
