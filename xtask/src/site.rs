//! `cargo xtask site`: the demo page and the documentation as static files, for any web server and under any path.

use std::path::{Path, PathBuf};

use crate::cmd::Cmd;
use crate::demo;
use crate::failure::Failure;
use crate::plan::{Context, Plan};
use crate::run::set_up;
use crate::setup::{NPM_OF_PAGE, NPM_OF_SITE};
use crate::workspace::Workspace;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where the files go; without it, `target/site`.
    pub out: Option<PathBuf>,
}

/// The folder of the documentation in that of the page, and how the page links to it.
const DOCS: &str = "docs";
const LINK: &str = "./docs/index.html";

pub fn run(cx: &Context<'_>, options: &Options) -> Result<(), Failure> {
    let ws = cx.ws;
    set_up(cx, &[demo::IN_PAGE, NPM_OF_SITE])?;
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
    build
        .arg("--outDir")
        .arg(&out)
        .env("REJITTER_DOCS", LINK)
        .run()?;
    println!();
    let docs = build_docs(ws, &out.join(DOCS));
    let docs = if options.out.is_some() {
        docs.args(["--cleanOutputDir", "false"])
    } else {
        docs
    };
    docs.run()?;
    check_links(ws, &out.join(DOCS)).run()?;
    println!("\nThe page is in {}", ws.relative(&out).display());
    println!("Its addresses are relative: serve the folder under any path.");
    Ok(())
}

/// Builds the documentation. Links between its sources are checked.
fn build_docs(ws: &Workspace, out: &Path) -> Cmd {
    let folder = ws.root.join("xtask/site");
    Cmd::new(folder.join("node_modules/.bin/typedoc"))
        .arg("--out")
        .arg(out)
        .dir(folder)
        .remedy("see TypeDoc's message: a warning, such as a link that leads nowhere, is an error")
}

/// Checks the links of the documentation as it was built.
fn check_links(ws: &Workspace, out: &Path) -> Cmd {
    Cmd::new("node")
        .arg("links.mjs")
        .arg(out)
        .dir(ws.root.join("xtask/site"))
        .remedy("correct the links above")
}

pub fn steps() -> Vec<Plan> {
    vec![
        // The fonts are those of the page.
        Plan::check("docs: the site builds", &[NPM_OF_PAGE, NPM_OF_SITE], |cx| {
            let out = cx.ws.target.join("docs");
            vec![build_docs(cx.ws, &out), check_links(cx.ws, &out)]
        })
        .quick(),
    ]
}
