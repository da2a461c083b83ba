//! `cargo xtask test`: every check there is, as named steps, and their sum.

use std::num::NonZeroUsize;
use std::time::Instant;

use crate::catalogue::set_up_steps;
use crate::counts::Counts;
use crate::failure::Failure;
use crate::plan::{Context, Plan, with_needs};
use crate::run::{self};
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
}

/// Returns the steps of a command that checks something.
pub type Checks = fn(&Workspace) -> Result<Vec<Plan>, Failure>;

/// Runs those of some steps that the options ask for, and prints their sum.
pub fn run(cx: &Context<'_>, all: Checks, options: &Options) -> Result<(), Failure> {
    let chosen = select(all(cx.ws)?, options)?;
    if options.list {
        chosen.iter().for_each(|step| println!("{step}"));
        return Ok(());
    }
    let started = Instant::now();
    let steps = set_up_steps().into_iter().chain(all(cx.ws)?).collect();
    let steps = with_needs(steps, |step| chosen.contains(&step.name));
    let jobs = options
        .jobs
        .map_or_else(run::default_jobs, NonZeroUsize::get);
    let done = run::run(cx, "test-logs", &steps, jobs)?;
    println!("\nstep                                 passed failed skipped      time");
    let mut sum = Counts::default();
    for (step, done) in steps.iter().zip(&done) {
        sum += done.counts;
        // The tests, and the steps of the set-up that failed.
        if step.is_test() || done.counts.failed > 0 {
            let Counts {
                passed,
                failed,
                skipped,
            } = done.counts;
            let (name, seconds) = (&step.name, done.time.as_secs_f64());
            println!("{name:<36} {passed:>6} {failed:>6} {skipped:>7} {seconds:>7.1} s");
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{:<58} {seconds:>7.1} s\n", "with the set-up");
    // Their first failure is not in the sum.
    for (step, done) in steps.iter().zip(&done) {
        if done.again && done.counts.failed == 0 {
            let text = "failed while other steps ran, and passed alone. Its first log is above.";
            println!("{}: {text}", step.name);
        }
    }
    println!("{} passed, {} failed", sum.passed, sum.failed);
    if sum.failed > 0 {
        return Err(Failure::reported());
    }
    Ok(())
}

/// The names of the steps that the options ask for.
fn select(steps: Vec<Plan>, Options { only, quick, .. }: &Options) -> Result<Vec<String>, Failure> {
    let has = |step: &Plan, word: &String| step.name.contains(word.as_str());
    let none = |word: &&String| !steps.iter().any(|step| has(step, word));
    if let Some(unknown) = only.iter().find(none) {
        return Err(Failure::new(format!("no step name contains {unknown:?}"))
            .remedy("cargo xtask test --list prints the names"));
    }
    let wanted = |step: &&Plan| only.is_empty() || only.iter().any(|word| has(step, word));
    let steps = steps
        .iter()
        .filter(wanted)
        .filter(|step| !quick || step.quick);
    Ok(steps.map(|step| step.name.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subset_is_chosen_by_parts_of_names() {
        let chosen = |only: &[&str], quick| {
            let step = |name| Plan::check(name, &[], |_| Vec::new());
            let steps = vec![step("lint: a").quick(), step("wasm: b"), step("wasm: c")];
            let only = only.iter().map(|word| (*word).into()).collect();
            let options = Options {
                only,
                quick,
                ..Options::default()
            };
            select(steps, &options).map_err(|failure| failure.message)
        };
        assert_eq!(chosen(&["wasm"], false).unwrap(), ["wasm: b", "wasm: c"]);
        assert_eq!(chosen(&["a", "c"], false).unwrap().len(), 3);
        assert_eq!(chosen(&[], false).unwrap().len(), 3);
        assert_eq!(chosen(&[], true).unwrap(), ["lint: a"]);
        let unknown = "no step name contains \"typo\"";
        assert_eq!(chosen(&["wasm", "typo"], false).unwrap_err(), unknown);
    }
}
