//! `cargo xtask test`: every check there is, as named steps, and their sum.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::cmd::Failure;
use crate::counts::Counts;
use crate::plan::{Context, Needs, Plan, plan};
use crate::step::Console;
use crate::workspace::Workspace;
use crate::{browsers, demo, pkg, setup};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Steps whose names contain one of these; all when empty.
    pub only: Vec<String>,
    pub list: bool,
    pub verbose: bool,
}

struct Done {
    name: String,
    counts: Counts,
    time: Duration,
}

const NPM_FOLDERS: &[&str] = &["xtask/npm", "tests/package", "www"];

pub fn run(ws: &Workspace, options: &Options) -> Result<(), Failure> {
    let plan = select(plan(ws)?, &options.only)?;
    if options.list {
        for step in plan {
            println!("{}", step.name);
        }
        return Ok(());
    }
    let started = Instant::now();
    let mut console = Console::new(ws, "test-logs", options.verbose)?;
    let needs = plan
        .iter()
        .map(|step| step.needs)
        .max()
        .unwrap_or(Needs::Tools);
    let context = match set_up(ws, &mut console, needs) {
        Ok(context) => context,
        Err(failure) => {
            if !failure.interrupted {
                println!(
                    "\n{}",
                    closing_line(Counts {
                        failed: 1,
                        ..Counts::default()
                    })
                );
            }
            return Err(failure);
        }
    };
    console.heading("Tests");
    let mut done = Vec::new();
    for step in &plan {
        let outcome = run_step(&mut console, step, &context);
        done.push(outcome?);
    }
    let mut sum = Counts::default();
    for step in &done {
        sum += step.counts;
    }
    println!("\n{}", table(&done, started.elapsed()));
    println!("{}", closing_line(sum));
    if sum.failed == 0 {
        return Ok(());
    }
    Err(Failure {
        reported: true,
        ..Failure::new("tests failed")
    })
}

fn set_up<'a>(
    ws: &'a Workspace,
    console: &mut Console,
    needs: Needs,
) -> Result<Context<'a>, Failure> {
    setup::prepare(ws, console, NPM_FOLDERS)?;
    let browsers = match needs {
        Needs::Browsers | Needs::WebKit => Some(browsers::prepare(ws, console)?),
        Needs::Tools | Needs::Package => None,
    };
    let webkit = match needs {
        Needs::WebKit => match browsers::prepare_webkit(console) {
            Err(failure) if failure.interrupted => return Err(failure),
            result => Some(result),
        },
        Needs::Tools | Needs::Package | Needs::Browsers => None,
    };
    let mut tarball = PathBuf::new();
    if needs >= Needs::Package {
        tarball = pkg::build(ws, console, pkg::Report::Sizes)?;
        console.step("install the tarball", |step| {
            demo::install_in_page(ws, step, &tarball)?;
            demo::install_consumer(ws, step, &tarball)
        })?;
    }
    Ok(Context {
        ws,
        tarball,
        browsers,
        webkit,
    })
}

/// Runs one step and counts its tests. An `Err` is the wish to stop, not a failed test.
fn run_step(console: &mut Console, plan: &Plan, context: &Context<'_>) -> Result<Done, Failure> {
    let started = Instant::now();
    let mut counts = Counts::default();
    let result = console.step(&plan.name, |step| {
        let ran = match context.missing(plan.needs) {
            Some(failure) => Err(failure.clone()),
            None => (plan.commands)(context)
                .iter()
                .try_for_each(|cmd| step.run(cmd).map(drop)),
        };
        counts = plan.runner.count(&step.printed(), ran.is_ok());
        ran?;
        if counts.failed > 0 {
            return Err(Failure::new(
                "the command succeeded, but its summary counts failures",
            ));
        }
        if counts.passed == 0 {
            counts.failed = 1;
            return Err(Failure::new("no test ran").remedy(
                "a step that tests nothing is an error: see in its log what was left out",
            ));
        }
        step.note(in_words(counts));
        Ok(())
    });
    match result {
        Err(failure) if failure.interrupted => Err(failure),
        _ => Ok(Done {
            name: plan.name.clone(),
            counts,
            time: started.elapsed(),
        }),
    }
}

fn select(plan: Vec<Plan>, only: &[String]) -> Result<Vec<Plan>, Failure> {
    if let Some(unknown) = only
        .iter()
        .find(|only| !plan.iter().any(|step| step.name.contains(*only)))
    {
        return Err(Failure::new(format!("no step is called {unknown:?}"))
            .remedy("cargo xtask test --list prints the names"));
    }
    let wanted = |step: &Plan| only.is_empty() || only.iter().any(|only| step.name.contains(only));
    Ok(plan.into_iter().filter(wanted).collect())
}

fn in_words(counts: Counts) -> String {
    let mut words = format!("{} passed", counts.passed);
    if counts.skipped > 0 {
        words += &format!(", {} skipped", counts.skipped);
    }
    words
}

fn table(done: &[Done], total: Duration) -> String {
    let mut lines = format!(
        "{:<36} {:>6} {:>6} {:>7} {:>9}\n",
        "step", "passed", "failed", "skipped", "time"
    );
    for Done {
        name,
        counts: Counts {
            passed,
            failed,
            skipped,
        },
        time,
    } in done
    {
        let seconds = time.as_secs_f64();
        lines += &format!("{name:<36} {passed:>6} {failed:>6} {skipped:>7} {seconds:>7.1} s\n");
    }
    lines + &format!("{:<58} {:>7.1} s\n", "with the set-up", total.as_secs_f64())
}

fn closing_line(sum: Counts) -> String {
    format!("{} passed, {} failed", sum.passed, sum.failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::Cmd;
    use crate::counts::Runner;
    use std::{env, fs};

    fn named(names: &[&str]) -> Vec<Plan> {
        let plan = |name: &&str| Plan::new(*name, Runner::Check, Needs::Tools, |_| Vec::new());
        names.iter().map(plan).collect()
    }

    fn context(ws: &Workspace) -> Context<'_> {
        Context {
            ws,
            tarball: PathBuf::new(),
            browsers: None,
            webkit: None,
        }
    }

    fn workspace(name: &str) -> Workspace {
        let root = env::temp_dir().join(format!("xtask-test-{}-{name}", std::process::id()));
        Workspace {
            target: root.join("target"),
            root,
        }
    }

    #[test]
    fn a_subset_is_chosen_by_parts_of_names() {
        let only = |words: &[&str]| -> Vec<String> { words.iter().map(|w| (*w).into()).collect() };
        let chosen = |words| select(named(&["lint: a", "wasm: b", "wasm: c"]), &only(words));
        let names = |words| {
            chosen(words)
                .unwrap()
                .into_iter()
                .map(|s| s.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&["wasm"]), ["wasm: b", "wasm: c"]);
        assert_eq!(names(&["a", "c"]).len(), 3);
        assert_eq!(names(&[]).len(), 3);
        assert!(
            chosen(&["wasm", "typo"])
                .err()
                .unwrap()
                .message
                .contains("typo")
        );
    }

    #[test]
    fn a_step_without_tests_fails() {
        let ws = workspace("empty");
        let mut console = Console::new(&ws, "logs", false).unwrap();
        let run = |console: &mut Console, runner, print: &'static str| {
            let plan = Plan::new("a step", runner, Needs::Tools, move |_| {
                vec![Cmd::new("printf").arg(print)]
            });
            run_step(console, &plan, &context(&ws)).unwrap().counts
        };
        let none = run(&mut console, Runner::Cargo, "no tests to run!\n");
        assert_eq!((none.passed, none.failed), (0, 1));
        let some = run(
            &mut console,
            Runner::Cargo,
            "test result: ok. 2 passed; 0 failed; 0 ignored\n",
        );
        assert_eq!((some.passed, some.failed), (2, 0));
        // A runner that hides its failure behind a good exit code.
        let hidden = run(
            &mut console,
            Runner::Cargo,
            "test result: FAILED. 1 passed; 3 failed\n",
        );
        assert_eq!((hidden.passed, hidden.failed), (1, 3));
        fs::remove_dir_all(&ws.root).unwrap();
    }

    #[test]
    fn without_webkit_only_its_own_steps_fail() {
        let ws = workspace("webkit");
        let mut console = Console::new(&ws, "logs", false).unwrap();
        let context = Context {
            webkit: Some(Err(Failure::new("not found: WebKitWebDriver"))),
            ..context(&ws)
        };
        let mut run = |needs| {
            let plan = Plan::new("a step", Runner::Check, needs, |_| vec![Cmd::new("true")]);
            let counts = run_step(&mut console, &plan, &context).unwrap().counts;
            (counts.passed, counts.failed)
        };
        assert_eq!(run(Needs::Browsers), (1, 0));
        assert_eq!(run(Needs::WebKit), (0, 1));
        fs::remove_dir_all(&ws.root).unwrap();
    }

    #[test]
    fn the_closing_line_is_exact() {
        assert_eq!(
            closing_line(Counts {
                passed: 12,
                failed: 3,
                skipped: 9
            }),
            "12 passed, 3 failed"
        );
    }
}
