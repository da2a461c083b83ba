//! Runs jobs at the same time: each after the jobs it needs, within the machine's cores and shared rooms.

use std::cmp::Reverse;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often the caller hears that jobs are still running.
const TICK: Duration = Duration::from_millis(50);

/// A resource that a limited number of jobs may use at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub name: &'static str,
    pub places: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Job {
    /// Indexes of the jobs that must succeed before this one starts.
    pub after: Vec<usize>,
    pub room: Option<Room>,
    /// About how long it runs, compared with others.
    pub seconds: u32,
}

#[derive(Debug)]
pub enum Event<T> {
    Started(usize),
    Tick,
    Ended(usize, T),
    /// Not run, because the job `by` failed or was not run either.
    Blocked {
        job: usize,
        by: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Succeeded,
    Failed,
}

/// Runs every job, at most `slots` at once, each on a thread of its own. `work` says whether the job succeeded.
/// Once `stopped` returns true, no further job starts.
pub fn run<T: Send>(
    jobs: &[Job],
    slots: usize,
    work: impl Fn(usize) -> (bool, T) + Sync,
    stopped: impl Fn() -> bool,
    mut observe: impl FnMut(Event<T>),
) {
    let order = order(jobs);
    let mut states = vec![State::Waiting; jobs.len()];
    let (send, ends) = mpsc::channel();
    let work = &work;
    thread::scope(|scope| {
        loop {
            while let Some(job) = (!stopped())
                .then(|| next(jobs, &order, &states, slots))
                .flatten()
            {
                states[job] = State::Running;
                observe(Event::Started(job));
                let send = send.clone();
                scope.spawn(move || {
                    let result = catch_unwind(AssertUnwindSafe(|| work(job)));
                    // The receiver lives as long as this scope.
                    drop(send.send((job, result)));
                });
            }
            if !states.contains(&State::Running) {
                break;
            }
            match ends.recv_timeout(TICK) {
                Ok((job, Ok((succeeded, value)))) => {
                    states[job] = if succeeded {
                        State::Succeeded
                    } else {
                        State::Failed
                    };
                    observe(Event::Ended(job, value));
                    while let Some((job, by)) = blocked(jobs, &states) {
                        states[job] = State::Failed;
                        observe(Event::Blocked { job, by });
                    }
                }
                Ok((_, Err(panic))) => resume_unwind(panic),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    observe(Event::Tick)
                }
            }
        }
    });
}

/// First the jobs that most others wait for, then those that share a room, because they form the longest queues.
/// Otherwise the longest comes first, so that no long job is left to run alone at the end.
fn order(jobs: &[Job]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| {
        (
            Reverse(dependents(jobs, job)),
            jobs[job].room.is_none(),
            Reverse(jobs[job].seconds),
            job,
        )
    });
    order
}

/// The number of jobs that cannot start before this one has ended.
fn dependents(jobs: &[Job], job: usize) -> usize {
    let mut waits = vec![false; jobs.len()];
    let mut open = vec![job];
    while let Some(needed) = open.pop() {
        for (other, Job { after, .. }) in jobs.iter().enumerate() {
            if after.contains(&needed) && !waits[other] {
                waits[other] = true;
                open.push(other);
            }
        }
    }
    waits.into_iter().filter(|waits| *waits).count()
}

fn next(jobs: &[Job], order: &[usize], states: &[State], slots: usize) -> Option<usize> {
    let running: Vec<&Job> = (0..jobs.len())
        .filter(|&job| states[job] == State::Running)
        .map(|job| &jobs[job])
        .collect();
    if running.len() >= slots.max(1) {
        return None;
    }
    let has_place =
        |room: Room| running.iter().filter(|job| job.room == Some(room)).count() < room.places;
    order.iter().copied().find(|&job| {
        let Job { after, room, .. } = &jobs[job];
        states[job] == State::Waiting
            && after
                .iter()
                .all(|&needed| states[needed] == State::Succeeded)
            && room.is_none_or(has_place)
    })
}

/// A job that waits for one that failed, and which one.
fn blocked(jobs: &[Job], states: &[State]) -> Option<(usize, usize)> {
    (0..jobs.len())
        .filter(|&job| states[job] == State::Waiting)
        .find_map(|job| {
            let by = jobs[job]
                .after
                .iter()
                .copied()
                .find(|&needed| states[needed] == State::Failed)?;
            Some((job, by))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    const KITCHEN: Room = Room {
        name: "kitchen",
        places: 1,
    };

    fn after(after: &[usize]) -> Job {
        Job {
            after: after.into(),
            ..Job::default()
        }
    }

    fn in_kitchen() -> Job {
        Job {
            room: Some(KITCHEN),
            ..Job::default()
        }
    }

    /// The events as text, without ticks: `+1` started, `-1` ended, `1x0` blocked.
    fn events(jobs: &[Job], slots: usize, work: impl Fn(usize) -> bool + Sync) -> Vec<String> {
        let mut seen = Vec::new();
        run(
            jobs,
            slots,
            |job| (work(job), ()),
            || false,
            |event| match event {
                Event::Started(job) => seen.push(format!("+{job}")),
                Event::Ended(job, ()) => seen.push(format!("-{job}")),
                Event::Blocked { job, by } => seen.push(format!("{job}x{by}")),
                Event::Tick => {}
            },
        );
        seen
    }

    #[test]
    fn one_slot_runs_one_job_after_the_other() {
        assert_eq!(
            events(&[after(&[]), after(&[]), after(&[])], 1, |_| true),
            ["+0", "-0", "+1", "-1", "+2", "-2"]
        );
        // Without slots nothing would run.
        assert_eq!(events(&[after(&[])], 0, |_| true), ["+0", "-0"]);
    }

    #[test]
    fn a_job_starts_after_all_that_it_needs() {
        assert_eq!(
            events(&[after(&[1, 2]), after(&[2]), after(&[])], 3, |_| true),
            ["+2", "-2", "+1", "-1", "+0", "-0"]
        );
    }

    #[test]
    fn jobs_really_run_at_the_same_time() {
        // Each job waits for the other: one after the other, neither would end.
        let met = std::sync::Barrier::new(2);
        let seen = events(&[after(&[]), after(&[])], 2, |_| {
            met.wait();
            true
        });
        assert_eq!(seen[..2], ["+0", "+1"]);
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn a_room_and_the_slots_are_never_overfull() {
        let jobs: Vec<Job> = (0..20)
            .map(|job| {
                if job % 2 == 0 {
                    in_kitchen()
                } else {
                    after(&[])
                }
            })
            .collect();
        let (cooks, all, most) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        let seen = events(&jobs, 3, |job| {
            most.fetch_max(all.fetch_add(1, SeqCst) + 1, SeqCst);
            if job % 2 == 0 {
                assert_eq!(cooks.fetch_add(1, SeqCst), 0, "two cooks");
            }
            thread::sleep(Duration::from_millis(2));
            if job % 2 == 0 {
                cooks.fetch_sub(1, SeqCst);
            }
            all.fetch_sub(1, SeqCst);
            true
        });
        assert_eq!(seen.len(), 40);
        assert!((2..=3).contains(&most.into_inner()));
        // The queue before the room is the longest: it starts first.
        assert_eq!(seen[0], "+0");
    }

    #[test]
    fn a_failing_job_blocks_those_that_need_it_and_no_other() {
        let jobs = [
            after(&[]),
            after(&[0]),
            after(&[1]),
            after(&[]),
            after(&[3]),
        ];
        let mut seen = events(&jobs, 1, |job| job != 0);
        assert_eq!(seen.remove(0), "+0");
        assert_eq!(seen, ["-0", "1x0", "2x1", "+3", "-3", "+4", "-4"]);
    }

    #[test]
    fn the_job_that_most_wait_for_starts_first() {
        let jobs = [
            in_kitchen(),
            after(&[]),
            after(&[2]),
            after(&[2]),
            after(&[]),
        ];
        let jobs = [&jobs[..2], &[after(&[])], &jobs[2..]].concat();
        // 2 has dependents; 0 queues before a room.
        assert_eq!(order(&jobs)[..2], [2, 0]);
    }

    #[test]
    fn a_long_job_starts_before_a_short_one() {
        let lasting = |seconds| Job {
            seconds,
            ..Job::default()
        };
        let in_room = |seconds| Job {
            seconds,
            ..in_kitchen()
        };
        let jobs = [lasting(1), lasting(9), in_room(2), in_room(3)];
        assert_eq!(order(&jobs), [3, 2, 1, 0]);
    }

    #[test]
    fn nothing_starts_once_it_is_stopped() {
        let ended = Mutex::new(Vec::new());
        run(
            &[after(&[]), after(&[]), after(&[])],
            1,
            |job| (true, job),
            || !ended.lock().unwrap().is_empty(),
            |event| {
                if let Event::Ended(_, job) = event {
                    ended.lock().unwrap().push(job);
                }
            },
        );
        assert_eq!(ended.into_inner().unwrap(), [0]);
    }

    #[test]
    #[should_panic(expected = "a mistake in the job")]
    fn a_panic_in_a_job_ends_the_run() {
        events(&[after(&[])], 2, |_| panic!("a mistake in the job"));
    }
}
