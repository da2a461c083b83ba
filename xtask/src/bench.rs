//! `cargo xtask bench`: the packed package against its peers.

use crate::browsers;
use crate::cmd::{Cmd, Output};
use crate::demo::unpack;
use crate::failure::Failure;
use crate::found::Found;
use crate::pkg::{PACK, tarball};
use crate::plan::{Context, Plan};
use crate::run::set_up;
use crate::setup::NPM_OF_BENCH;
use crate::workspace::Workspace;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A minute, on one Node.
    pub quick: bool,
    /// Parts whose names contain one of these; all when empty.
    pub only: Vec<String>,
    /// Whether docs/benchmarks.md is written.
    pub docs: bool,
}

/// Where the measuring programs and their npm packages are.
const FOLDER: &str = "xtask/bench";

/// The files of `parts` in [`FOLDER`].
const PARTS: &[&str] = &[
    "sizes",
    "success",
    "retries",
    "fetch",
    "protection",
    "heap",
    "cold",
    "bulk",
    "simulation",
    "worlds",
    BROWSERS,
];

const BROWSERS: &str = "browsers";

/// The tarball is where the measuring programs import it from.
const INSTALLED: &str = "install the tarball in the benchmarks";

pub fn steps() -> Vec<Plan> {
    vec![Plan::set_up(
        INSTALLED,
        &[NPM_OF_BENCH, PACK],
        |cx, step| {
            unpack(
                step,
                &tarball(cx.ws),
                &cx.ws.root.join(FOLDER).join("node_modules/rejitter"),
            )
        },
    )]
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<(), Failure> {
    let parts = select(options)?;
    let browsers = parts.contains(&BROWSERS).then_some(browsers::FOUND);
    set_up(cx, &[&[INSTALLED][..], browsers.as_slice()].concat())?;
    println!();
    program(cx.ws, options, &parts, cx.browsers.get()).run(&Output::Terminal)
}

fn select(options: &Options) -> Result<Vec<&'static str>, Failure> {
    let Options { only, docs, .. } = options;
    if *docs && !only.is_empty() {
        return Err(Failure::new(
            "--docs needs all parts, so it goes without --only",
        ));
    }
    let has = |part: &&str, word: &String| part.contains(word.as_str());
    if let Some(unknown) = only
        .iter()
        .find(|word| !PARTS.iter().any(|part| has(part, word)))
    {
        return Err(Failure::new(format!("no part is called {unknown:?}"))
            .remedy(format!("the parts are: {}", PARTS.join(", "))));
    }
    let wanted = |part: &&str| only.is_empty() || only.iter().any(|word| has(part, word));
    Ok(PARTS.iter().copied().filter(wanted).collect())
}

fn program(ws: &Workspace, options: &Options, parts: &[&str], browsers: Option<&Found>) -> Cmd {
    let mut program = Cmd::new("node")
        .arg("main.mjs")
        .arg("--out")
        .arg(ws.target.join("bench"))
        .dir(ws.root.join(FOLDER))
        .unlimited();
    for part in parts {
        program = program.args(["--part", part]);
    }
    if options.quick {
        program = program.arg("--quick");
    }
    if options.docs {
        program = program
            .arg("--docs")
            .arg(ws.root.join("docs/benchmarks.md"));
    }
    match browsers {
        Some(found) => program
            .env("CHROME_BIN", &found.chrome)
            .env("FIREFOX_BIN", &found.firefox),
        None => program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn only(words: &[&str]) -> Options {
        Options {
            only: words.iter().map(|word| (*word).into()).collect(),
            ..Options::default()
        }
    }

    #[test]
    fn parts_are_chosen_by_parts_of_their_names() {
        assert_eq!(select(&Options::default()).unwrap(), PARTS);
        // In the order in which they run.
        assert_eq!(
            select(&only(&["heap", "s"])).unwrap(),
            [
                "sizes",
                "success",
                "retries",
                "heap",
                "simulation",
                "worlds",
                "browsers"
            ]
        );
        let failure = select(&only(&["heap", "typo"])).unwrap_err();
        assert!(failure.to_string().contains("\"typo\""), "{failure}");
        assert!(failure.to_string().contains("simulation"), "{failure}");
    }

    #[test]
    fn the_docs_are_not_written_from_a_choice_of_parts() {
        let options = Options {
            docs: true,
            ..only(&["heap"])
        };
        assert!(select(&options).unwrap_err().message.contains("--docs"));
    }

    #[test]
    fn every_part_is_a_file_and_every_file_a_part() {
        let ws = Workspace::find();
        let entries = fs::read_dir(ws.root.join(FOLDER).join("parts")).unwrap();
        let mut files: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|file| file != "all.mjs")
            .collect();
        files.sort();
        let mut parts: Vec<String> = PARTS.iter().map(|part| format!("{part}.mjs")).collect();
        parts.sort();
        assert_eq!(files, parts);
    }

    #[test]
    fn the_program_is_told_all_of_it() {
        let ws = Workspace {
            root: "/r".into(),
            target: "/r/target".into(),
        };
        let options = Options {
            quick: true,
            docs: true,
            ..Options::default()
        };
        let command = program(&ws, &options, &["heap", "cold"], None).to_string();
        assert!(command.ends_with(
            "node main.mjs --out /r/target/bench --part heap --part cold --quick --docs /r/docs/benchmarks.md"
        ), "{command}");
        let plain = program(&ws, &Options::default(), &["heap"], None).to_string();
        assert!(plain.ends_with("--part heap"), "{plain}");
    }
}
