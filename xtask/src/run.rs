//! The run of the steps that a command wants.

use std::thread;
use std::time::Duration;

use crate::counts::Counts;
use crate::failure::Failure;
use crate::plan::{BROWSERS, Context, Plan, needs, with_needs};
use crate::schedule::{self, Event, Job};
use crate::signals;
use crate::step::{Console, Progress};

/// A step that has ended, or was not run because one that it needs failed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub name: String,
    pub tests: bool,
    pub counts: Counts,
    pub time: Duration,
    /// It failed, and this is how it ended when it ran once more, alone.
    pub again: bool,
    /// Not so if a step that it needs failed.
    pub ran: bool,
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
///
/// A failure in a browser may come from what else ran on the machine. Such a step runs once more at the end, alone, and
/// [`Done::again`] tells so. A step that was alone the first time does not.
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
    let all: Vec<(usize, &Plan)> = (1..).zip(steps).collect();
    let mut done = pass(cx, console, &all, &graph, jobs)?;
    let had_company = jobs > 1 && steps.iter().filter(|step| step.is_test()).count() > 1;
    let again: Vec<usize> = (0..steps.len())
        .filter(|&step| {
            let failed = done[step].ran && done[step].counts.failed > 0;
            had_company && failed && steps[step].room == Some(BROWSERS)
        })
        .collect();
    if !again.is_empty() {
        console.say("  again, alone:\n");
        // Numbers of their own keep the first logs.
        let numbers = steps.len() + 1..;
        let alone: Vec<(usize, &Plan)> = numbers
            .zip(again.iter().map(|&step| &steps[step]))
            .collect();
        let graph = vec![Job::default(); alone.len()];
        for (step, second) in again.into_iter().zip(pass(cx, console, &alone, &graph, 1)?) {
            done[step] = Done {
                again: true,
                ..second
            };
        }
    }
    Ok(done)
}

/// Runs each of these numbered steps once, in the order that `graph` allows.
fn pass(
    cx: &Context<'_>,
    console: &Console,
    steps: &[(usize, &Plan)],
    graph: &[Job],
    jobs: usize,
) -> Result<Vec<Done>, Failure> {
    let mut done: Vec<Option<Done>> = steps.iter().map(|_| None).collect();
    let mut running: Vec<Option<Progress>> = steps.iter().map(|_| None).collect();
    let work = |index: usize| {
        let (number, step) = steps[index];
        let mut counts = Counts::default();
        let ended = console.run(number, &step.name, |log| step.run(cx, log, &mut counts));
        if ended.result.is_err() {
            counts.failed = counts.failed.max(1);
        }
        (ended.result.is_ok(), (ended, counts))
    };
    schedule::run(
        graph,
        jobs,
        work,
        || signals::received().is_some(),
        |event| match event {
            Event::Started(index) => {
                let (number, step) = steps[index];
                running[index] = Some(console.started(number, &step.name));
            }
            Event::Tick => console.show(running.iter_mut().flatten()),
            Event::Ended(index, (ended, counts)) => {
                if let Some(progress) = running[index].take() {
                    console.ended(progress, &ended);
                }
                done[index] = Some(Done {
                    ran: true,
                    ..done_of(steps[index].1, counts, ended.time)
                });
            }
            Event::Blocked { job, by } => {
                console.blocked(&steps[job].1.name, &steps[by].1.name);
                let counts = Counts {
                    failed: 1,
                    ..Counts::default()
                };
                done[job] = Some(done_of(steps[job].1, counts, Duration::ZERO));
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
        ..Done::default()
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
    fn a_step_with_browsers_runs_once_more_alone() {
        let ws = workspace("again");
        // Each run leaves a line, so the second one can tell that it is the second.
        let in_browser = |name: &'static str, fails_until: u32| {
            let file = ws.target.join(name);
            Plan::check(name, &[], move |_| {
                let script = format!(
                    "echo run >> {0}; test $(wc -l < {0}) -gt {fails_until}",
                    file.display()
                );
                vec![Cmd::new("sh").arg("-c").arg(script)]
            })
        };
        let steps = [
            in_browser("right", 0).room(BROWSERS),
            in_browser("first-wrong", 1).room(BROWSERS),
            in_browser("wrong", 9).room(BROWSERS),
            in_browser("wrong-without-browser", 1),
            Plan::check("not-run", &["wrong-without-browser"], |_| {
                vec![Cmd::new("true")]
            })
            .room(BROWSERS),
        ];
        let console = Console::new(&ws, "logs", false).unwrap();
        let done = run(&Context::new(&ws, Vec::new), &console, &steps, 3).unwrap();
        let runs = |name: &str| {
            fs::read_to_string(ws.target.join(name)).map_or(0, |lines| lines.lines().count())
        };
        let ended: Vec<_> = done
            .iter()
            .map(|step| (runs(&step.name), step.counts.failed, step.again))
            .collect();
        let expected = [
            (1, 0, false),
            (2, 0, true),
            (2, 1, true),
            (1, 1, false),
            (0, 1, false),
        ];
        assert_eq!(ended, expected);
        // "wrong" as the only step was alone already.
        run(&Context::new(&ws, Vec::new), &console, &steps[2..3], 3).unwrap();
        assert_eq!(runs("wrong"), 2 + 1);
        for log in ["02-first-wrong.log", "06-first-wrong.log", "07-wrong.log"] {
            assert!(ws.target.join("logs").join(log).exists(), "{log}");
        }
        fs::remove_dir_all(ws.root).unwrap();
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
