//! The run of the steps that a command wants.

use std::thread;
use std::time::Duration;

use crate::cmd::Failure;
use crate::counts::Counts;
use crate::plan::{Context, Plan, needs, with_needs};
use crate::schedule::{self, Event, Job};
use crate::signals;
use crate::step::{Console, Progress};

/// A step that has ended, or was not run because one that it needs failed.
#[derive(Debug, PartialEq, Eq)]
pub struct Done {
    pub name: String,
    pub tests: bool,
    pub counts: Counts,
    pub time: Duration,
}

/// Runs the steps of the set-up named `goals` and all that they need.
pub fn set_up(cx: &Context<'_>, goals: &[&str]) -> Result<(), Failure> {
    let console = Console::new(cx.ws, "logs", false)?;
    let steps = with_needs((cx.set_up_steps)(), |step| {
        goals.contains(&step.name.as_str())
    });
    let done = run(cx, &console, &steps, default_jobs())?;
    if done.iter().any(|step| step.counts.failed > 0) {
        return Err(Failure {
            reported: true,
            ..Failure::new("the set-up failed")
        });
    }
    Ok(())
}

/// How many steps run at the same time, by default: one more than there are cores, because tests with browsers and
/// servers spend half of their time waiting.
pub fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, usize::from) + 1
}

/// Runs steps, at most `jobs` at once. An `Err` is the wish to stop, not a failed step.
pub fn run(
    cx: &Context<'_>,
    console: &Console,
    steps: &[Plan],
    jobs: usize,
) -> Result<Vec<Done>, Failure> {
    let graph: Vec<Job> = (0..steps.len())
        .map(|step| Job {
            after: needs(steps, step),
            room: steps[step].room,
            seconds: steps[step].seconds,
        })
        .collect();
    let mut done: Vec<Option<Done>> = steps.iter().map(|_| None).collect();
    let mut running: Vec<Option<Progress>> = steps.iter().map(|_| None).collect();
    let work = |index: usize| {
        let step: &Plan = &steps[index];
        let mut counts = Counts::default();
        let ended = console.run(index + 1, &step.name, |log| step.run(cx, log, &mut counts));
        if ended.result.is_err() {
            counts.failed = counts.failed.max(1);
        }
        (ended.result.is_ok(), (ended, counts))
    };
    schedule::run(
        &graph,
        jobs,
        work,
        || signals::received().is_some(),
        |event| match event {
            Event::Started(step) => {
                running[step] = Some(console.started(step + 1, &steps[step].name))
            }
            Event::Tick => console.show(running.iter_mut().flatten()),
            Event::Ended(step, (ended, counts)) => {
                if let Some(progress) = running[step].take() {
                    console.ended(progress, &ended);
                }
                done[step] = Some(done_of(&steps[step], counts, ended.time));
            }
            Event::Blocked { job, by } => {
                console.blocked(&steps[job].name, &steps[by].name);
                done[job] = Some(done_of(
                    &steps[job],
                    Counts {
                        failed: 1,
                        ..Counts::default()
                    },
                    Duration::ZERO,
                ));
            }
        },
    );
    if signals::received().is_some() {
        return Err(Failure {
            reported: true,
            ..Failure::stopped()
        });
    }
    Ok(done.into_iter().flatten().collect())
}

fn done_of(step: &Plan, counts: Counts, time: Duration) -> Done {
    Done {
        name: step.name.clone(),
        tests: step.is_test(),
        counts,
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs};

    use crate::cmd::Cmd;
    use crate::counts::Runner;
    use crate::workspace::Workspace;

    fn workspace(name: &str) -> Workspace {
        let root = env::temp_dir().join(format!("xtask-run-{}-{name}", std::process::id()));
        Workspace {
            target: root.join("target"),
            root,
        }
    }

    fn printing(name: &str, after: &[&'static str], runner: Runner, text: &'static str) -> Plan {
        Plan::tests(name, runner, after, move |_| {
            vec![Cmd::new("printf").arg(text)]
        })
    }

    /// Counts of each step, passed and failed, with `jobs` at once.
    fn counted(name: &str, steps: &[Plan], jobs: usize) -> Vec<(String, u32, u32)> {
        let ws = workspace(name);
        let console = Console::new(&ws, "logs", false).unwrap();
        let done = run(&Context::new(&ws, Vec::new), &console, steps, jobs).unwrap();
        fs::remove_dir_all(&ws.root).unwrap();
        done.into_iter()
            .map(|done| (done.name, done.counts.passed, done.counts.failed))
            .collect()
    }

    #[test]
    fn a_step_without_tests_fails() {
        let steps = [
            printing("none", &[], Runner::Cargo, "no tests to run!\n"),
            printing(
                "some",
                &[],
                Runner::Cargo,
                "test result: ok. 2 passed; 0 failed; 0 ignored\n",
            ),
            // A runner that hides its failure behind a good exit code.
            printing(
                "hidden",
                &[],
                Runner::Cargo,
                "test result: FAILED. 1 passed; 3 failed\n",
            ),
        ];
        let expected = [("none", 0, 1), ("some", 2, 0), ("hidden", 1, 3)]
            .map(|(name, passed, failed)| (name.into(), passed, failed));
        assert_eq!(counted("empty", &steps, 2), expected);
    }

    #[test]
    fn a_failed_set_up_fails_the_steps_that_need_it_and_no_other() {
        let steps = || {
            [
                Plan::set_up("WebKit", &[], |_, _| {
                    Err(Failure::new("not found: WebKitWebDriver"))
                }),
                printing("in WebKit", &["WebKit"], Runner::Check, ""),
                printing("after that", &["in WebKit"], Runner::Check, ""),
                printing("in Node", &[], Runner::Check, ""),
            ]
        };
        for jobs in [1, 2, 8] {
            let counted = counted(&format!("webkit-{jobs}"), &steps(), jobs);
            let counts: Vec<(u32, u32)> = counted
                .iter()
                .map(|(_, passed, failed)| (*passed, *failed))
                .collect();
            assert_eq!(counts, [(0, 1), (0, 1), (0, 1), (1, 0)], "{jobs} at once");
        }
    }

    #[test]
    fn every_failure_is_found_however_many_run_at_once() {
        let steps: Vec<Plan> = (0..12)
            .map(|n| {
                Plan::check(format!("step {n}"), &[], move |_| {
                    vec![Cmd::new(if n % 4 == 3 { "false" } else { "true" })]
                })
            })
            .collect();
        for jobs in [1, 3, 12] {
            let counted = counted(&format!("failures-{jobs}"), &steps, jobs);
            let names: Vec<&str> = counted.iter().map(|(name, ..)| name.as_str()).collect();
            assert_eq!(
                names,
                (0..12).map(|n| format!("step {n}")).collect::<Vec<_>>(),
                "in the order of the plan"
            );
            let failed: Vec<usize> = (0..12).filter(|&n| counted[n].2 > 0).collect();
            assert_eq!(failed, [3, 7, 11], "{jobs} at once");
        }
    }

    #[test]
    fn the_logs_of_steps_that_run_at_once_are_apart() {
        let ws = workspace("logs");
        let console = Console::new(&ws, "logs", false).unwrap();
        let shell = |n: usize| {
            Plan::check(format!("step {n}"), &[], move |_| {
                let line = format!("printf {n}; sleep 0.01; ");
                vec![Cmd::new("sh").arg("-c").arg(line.repeat(20))]
            })
        };
        let steps: Vec<Plan> = (1..=6).map(shell).collect();
        run(&Context::new(&ws, Vec::new), &console, &steps, 6).unwrap();
        for n in 1..=6 {
            let log =
                fs::read_to_string(ws.target.join(format!("logs/{n:02}-step-{n}.log"))).unwrap();
            assert_eq!(log.lines().nth(1), Some(n.to_string().repeat(20).as_str()));
        }
        fs::remove_dir_all(ws.root).unwrap();
    }
}
