//! `cargo xtask test`: every check there is, as named steps, and their sum.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use crate::counts::Counts;
use crate::failure::Failure;
use crate::plan::{Context, Plan, with_needs};
use crate::run::{self, Done};
use crate::step::Console;
use crate::workspace::Workspace;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Steps whose names contain one of these; all when empty.
    pub only: Vec<String>,
    /// Only the steps that need no browser and no wasm-pack, random tests with fewer cases.
    pub quick: bool,
    /// How many steps run at the same time; by default one more than there are cores.
    pub jobs: Option<NonZeroUsize>,
    pub list: bool,
    pub verbose: bool,
}

/// Returns the steps of a command that checks something.
pub type Checks = fn(&Workspace) -> Result<Vec<Plan>, Failure>;

/// Runs those of some steps that the options ask for, and prints their sum.
pub fn run(cx: &Context<'_>, all: Checks, options: &Options) -> Result<(), Failure> {
    let chosen = select(all(cx.ws)?, options)?;
    if options.list {
        for step in &chosen {
            println!("{step}");
        }
        return Ok(());
    }
    let started = Instant::now();
    let console = Console::new(cx.ws, "test-logs", options.verbose)?;
    let steps = (cx.set_up_steps)().into_iter().chain(all(cx.ws)?).collect();
    let steps = with_needs(steps, |step| chosen.contains(&step.name));
    // The output of several steps at once would not be readable.
    let default = if options.verbose {
        1
    } else {
        run::default_jobs()
    };
    let jobs = options.jobs.map_or(default, NonZeroUsize::get);
    let done = run::run(cx, &console, &steps, jobs)?;
    let mut sum = Counts::default();
    for step in &done {
        sum += step.counts;
    }
    println!("\n{}", table(&done, started.elapsed()));
    print!("{}", passed_alone(&done));
    println!("{}", closing_line(sum));
    if sum.failed == 0 {
        return Ok(());
    }
    Err(Failure {
        reported: true,
        ..Failure::new("tests failed")
    })
}

/// The names of the steps that the options ask for.
fn select(steps: Vec<Plan>, Options { only, quick, .. }: &Options) -> Result<Vec<String>, Failure> {
    if let Some(unknown) = only
        .iter()
        .find(|only| !steps.iter().any(|step| step.name.contains(*only)))
    {
        return Err(Failure::new(format!("no step name contains {unknown:?}"))
            .remedy("cargo xtask test --list prints the names"));
    }
    let wanted = |step: &Plan| only.is_empty() || only.iter().any(|only| step.name.contains(only));
    let steps = steps
        .into_iter()
        .filter(|step| wanted(step) && (!quick || step.quick));
    Ok(steps.map(|step| step.name).collect())
}

/// The tests, and the steps of the set-up that failed.
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
        ..
    } in done
        .iter()
        .filter(|step| step.tests || step.counts.failed > 0)
    {
        let seconds = time.as_secs_f64();
        lines += &format!("{name:<36} {passed:>6} {failed:>6} {skipped:>7} {seconds:>7.1} s\n");
    }
    lines + &format!("{:<58} {:>7.1} s\n", "with the set-up", total.as_secs_f64())
}

/// The steps whose first failure is not in the sum.
fn passed_alone(done: &[Done]) -> String {
    done.iter()
        .filter(|step| step.again && step.counts.failed == 0)
        .map(|Done { name, .. }| {
            format!(
                "{name}: failed while other steps ran, and passed alone. Its first log is above.\n"
            )
        })
        .collect()
}

fn closing_line(sum: Counts) -> String {
    format!("{} passed, {} failed", sum.passed, sum.failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str], only: &[&str], quick: bool) -> Result<Vec<String>, Failure> {
        let plan = |name: &&str| {
            let step = Plan::check(*name, &[], |_| Vec::new());
            if name.starts_with("lint") {
                step.quick()
            } else {
                step
            }
        };
        let only = only.iter().map(|word| (*word).into()).collect();
        select(
            names.iter().map(plan).collect(),
            &Options {
                only,
                quick,
                ..Options::default()
            },
        )
    }

    #[test]
    fn a_subset_is_chosen_by_parts_of_names() {
        let names = ["lint: a", "wasm: b", "wasm: c"];
        assert_eq!(
            chosen(&names, &["wasm"], false).unwrap(),
            ["wasm: b", "wasm: c"]
        );
        assert_eq!(chosen(&names, &["a", "c"], false).unwrap().len(), 3);
        assert_eq!(chosen(&names, &[], false).unwrap().len(), 3);
        assert_eq!(chosen(&names, &[], true).unwrap(), ["lint: a"]);
        assert!(
            chosen(&names, &["wasm", "typo"], false)
                .unwrap_err()
                .message
                .contains("typo")
        );
    }

    #[test]
    fn the_table_has_the_tests_and_the_set_up_that_failed() {
        let step = |name: &str, tests, failed| Done {
            name: name.into(),
            tests,
            counts: Counts {
                failed,
                ..Counts::default()
            },
            time: Duration::from_millis(1500),
            ..Done::default()
        };
        let table = table(
            &[
                step("Node", false, 0),
                step("geckodriver", false, 1),
                step("lint", true, 0),
            ],
            Duration::from_secs(60),
        );
        let names: Vec<&str> = table
            .lines()
            .skip(1)
            .map(|line| line.split("  ").next().unwrap())
            .collect();
        assert_eq!(names, ["geckodriver", "lint", "with the set-up"]);
        assert!(table.contains("1.5 s"));
    }

    #[test]
    fn a_step_that_passed_alone_is_named() {
        let step = |name: &str, again, failed| Done {
            name: name.into(),
            again,
            counts: Counts {
                failed,
                ..Counts::default()
            },
            ..Done::default()
        };
        let text = passed_alone(&[
            step("right", false, 0),
            step("second time right", true, 0),
            step("wrong", true, 1),
        ]);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with("second time right: "), "{text}");
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
