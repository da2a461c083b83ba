//! The run of the steps that a command wants.

use std::fs;
use std::io::{self, IsTerminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::catalogue::set_up_steps;
use crate::counts::Counts;
use crate::failure::{Failure, file_failure};
use crate::plan::{BROWSERS, Context, Plan, with_needs};
use crate::schedule::{State, blocked, next, order};
use crate::signals;
use crate::step::{Step, say, show};

/// How often a terminal shows which steps run; elsewhere, a line says so every [`QUIET`].
const TICK: Duration = Duration::from_millis(200);
const QUIET: Duration = Duration::from_secs(30);

/// A step that has ended, or was not run because one that it needs failed.
#[derive(Debug, Default)]
pub struct Done {
    pub counts: Counts,
    pub time: Duration,
    /// It failed, and this is how it ended when it ran once more, alone.
    pub again: bool,
    /// Not so if a step that it needs failed.
    pub ran: bool,
}

/// Runs the steps of the set-up named `goals` and all that they need.
pub fn set_up(cx: &Context<'_>, goals: &[&str]) -> Result<(), Failure> {
    let steps = with_needs(set_up_steps(), |step| goals.contains(&step.name.as_str()));
    let done = run(cx, "logs", &steps, default_jobs())?;
    if done.iter().any(|step| step.counts.failed > 0) {
        return Err(Failure::reported());
    }
    Ok(())
}

/// How many steps run at the same time, by default: one more than there are cores, because tests with browsers and
/// servers spend half of their time waiting.
pub fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, usize::from) + 1
}

/// Runs steps, at most `jobs` at once, with their logs in `folder` of target. An `Err` is the wish to stop, not a
/// failed step.
///
/// A failure in a browser may come from what else ran on the machine. Such a step runs once more at the end, alone, and
/// [`Done::again`] tells so. A step that was alone the first time does not.
pub fn run(
    cx: &Context<'_>,
    folder: &str,
    steps: &[Plan],
    jobs: usize,
) -> Result<Vec<Done>, Failure> {
    let logs = cx.ws.target.join(folder);
    let again = logs.join("again");
    drop(fs::remove_dir_all(&logs));
    fs::create_dir_all(&again).map_err(|error| file_failure("create", &again, &error))?;
    let mut done = pass(cx, &logs, &steps.iter().collect::<Vec<_>>(), jobs)?;
    let had_company = jobs > 1 && steps.iter().filter(|step| step.is_test()).count() > 1;
    for (step, done) in steps.iter().zip(&mut done) {
        let failed = done.ran && done.counts.failed > 0;
        if failed && had_company && step.room == Some(BROWSERS) {
            say("  again, alone:\n");
            let second = pass(cx, &again, &[step], 1)?.remove(0);
            *done = Done {
                again: true,
                ..second
            };
        }
    }
    Ok(done)
}

/// Runs each of these steps once, those after others that need them.
fn pass(cx: &Context<'_>, logs: &Path, steps: &[&Plan], jobs: usize) -> Result<Vec<Done>, Failure> {
    let order = order(steps);
    let mut states = vec![State::Waiting; steps.len()];
    let mut done: Vec<Done> = steps.iter().map(|_| Done::default()).collect();
    let mut since = vec![Instant::now(); steps.len()];
    let mut shown = Instant::now();
    let terminal = io::stdout().is_terminal();
    let (send, ends) = mpsc::channel();
    thread::scope(|scope| {
        loop {
            let may_start = signals::received().is_none();
            while let Some(step) = may_start
                .then(|| next(steps, &order, &states, jobs))
                .flatten()
            {
                states[step] = State::Running;
                since[step] = Instant::now();
                let (plan, send) = (steps[step], send.clone());
                scope.spawn(move || {
                    let mut output = Step::new(&plan.name, logs);
                    let ended = catch_unwind(AssertUnwindSafe(|| plan.run(cx, &mut output)));
                    let ended = ended.unwrap_or_else(|_| {
                        (
                            Counts::default(),
                            Err(Failure::new("a mistake in xtask: see above")),
                        )
                    });
                    // The receiver lives as long as this scope.
                    drop(send.send((step, output, ended)));
                });
            }
            let running: Vec<String> = (0..steps.len())
                .filter(|&step| states[step] == State::Running)
                .map(|step| {
                    format!(
                        "{}, {} s",
                        steps[step].name,
                        since[step].elapsed().as_secs()
                    )
                })
                .collect();
            if running.is_empty() {
                break;
            }
            if terminal {
                show(&format!("  …       {}", running.join("; ")));
            } else if shown.elapsed() > QUIET {
                say(&format!("  …       {}\n", running.join("; ")));
                shown = Instant::now();
            }
            let Ok((step, output, (mut counts, result))) = ends.recv_timeout(TICK) else {
                continue;
            };
            counts.failed = counts.failed.max(u32::from(result.is_err()));
            let time = since[step].elapsed();
            say(&ending(time, &output, &result));
            states[step] = if result.is_ok() {
                State::Succeeded
            } else {
                State::Failed
            };
            done[step] = Done {
                counts,
                time,
                ran: true,
                again: false,
            };
            while let Some((step, by)) = blocked(steps, &states) {
                let [name, by] = [step, by].map(|step| &steps[step].name);
                say(&format!("  NOT RUN {name}: it needs \"{by}\"\n"));
                states[step] = State::Failed;
                done[step].counts.failed = 1;
            }
        }
    });
    if signals::received().is_some() {
        return Err(Failure::reported());
    }
    Ok(done)
}

/// How a step ended. If it failed, with its whole log.
fn ending(time: Duration, step: &Step, result: &Result<(), Failure>) -> String {
    let name = &step.name;
    let line = format!("{name:<34} {:>6.1} s", time.as_secs_f64());
    match result {
        Ok(()) => format!("  ok      {line}  {}\n{}", step.note, step.report),
        Err(failure) if failure.interrupted => format!("  stopped {line}\n"),
        Err(failure) => {
            let log = step.printed();
            let log: String = log.lines().map(|line| format!("    | {line}\n")).collect();
            let path = step.log.display();
            format!("  FAILED  {line}\n{log}step \"{name}\" failed: {failure}\n  log:     {path}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::cmd::Cmd;
    use crate::counts::Runner;
    use crate::workspace::Workspace;

    fn shell(name: &str, runner: Runner, after: &[&'static str], script: String) -> Plan {
        Plan::tests(name, runner, after, move |_| {
            vec![Cmd::new("sh").args(["-c", &script])]
        })
    }

    /// Counts of each step, whether it ran again, and the text of its log.
    fn ran(name: &str, steps: &[Plan], log: &str) -> (Vec<(u32, u32, bool)>, String) {
        let root = std::env::temp_dir().join(format!("xtask-run-{}-{name}", std::process::id()));
        let target = root.join("target");
        let ws = Workspace { root, target };
        let done = run(&Context::new(&ws), "logs", steps, 3).unwrap();
        let text = fs::read_to_string(ws.target.join("logs").join(log)).unwrap();
        fs::remove_dir_all(ws.root).unwrap();
        let of = |done: &Done| (done.counts.passed, done.counts.failed, done.again);
        (done.iter().map(of).collect(), text)
    }

    #[test]
    fn a_step_without_tests_fails_and_so_do_those_that_need_it() {
        let says = |name, runner, after: &[&'static str], text| {
            shell(name, runner, after, format!("echo '{text}'"))
        };
        let steps = [
            says("none", Runner::Cargo, &[], "no tests to run!"),
            says("after none", Runner::Check, &["none"], ""),
            says("after that", Runner::Check, &["after none"], ""),
            says(
                "some",
                Runner::Cargo,
                &[],
                "test result: ok. 2 passed; 0 failed; 0 ignored",
            ),
            // A runner that hides its failure behind a good exit code.
            says(
                "hidden",
                Runner::Cargo,
                &[],
                "test result: FAILED. 1 passed; 3 failed",
            ),
            says("after some", Runner::Check, &["some"], ""),
            shell("fails", Runner::Check, &[], "echo first; exit 3".into()),
        ];
        let (counts, log) = ran("counts", &steps, "fails.log");
        let counts: Vec<(u32, u32)> = counts
            .iter()
            .map(|&(passed, failed, _)| (passed, failed))
            .collect();
        assert_eq!(
            counts,
            [(0, 1), (0, 1), (0, 1), (2, 0), (1, 3), (1, 0), (0, 1)]
        );
        assert_eq!(log, "$ sh -c 'echo first; exit 3'\nfirst\n");
    }

    #[test]
    fn a_step_with_browsers_runs_once_more_alone() {
        // Each run leaves a line, so the second one can tell that it is the second.
        let file = std::env::temp_dir().join(format!("xtask-again-{}", std::process::id()));
        let file = file.display();
        let second = format!("echo run >> {file}; test $(wc -l < {file}) -gt 1");
        let steps = [
            shell("right", Runner::Check, &[], "true".into()).room(BROWSERS),
            shell("first wrong", Runner::Check, &[], second).room(BROWSERS),
            shell("wrong", Runner::Check, &[], "false".into()).room(BROWSERS),
            shell("no browser", Runner::Check, &[], "false".into()),
            shell("not run", Runner::Check, &["no browser"], "true".into()).room(BROWSERS),
        ];
        let (done, _) = ran("again", &steps, "again/first-wrong.log");
        let expected = [
            (1, 0, false),
            (1, 0, true),
            (0, 1, true),
            (0, 1, false),
            (0, 1, false),
        ];
        assert_eq!(done, expected);
        // Alone already.
        assert_eq!(ran("alone", &steps[2..3], "wrong.log").0, [(0, 1, false)]);
        fs::remove_file(file.to_string()).unwrap();
    }
}
