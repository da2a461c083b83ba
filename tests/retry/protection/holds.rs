//! Random worlds of operations that share a cooldown: a model that reads their log afterwards says who is held, who is
//! a probe, and when a hold ends.

use std::cell::RefCell;
use std::time::Duration;

use futures_util::future::join_all;
use rejitter::testing::VirtualTime;
use rejitter::{
    CooldownOptions, Protection, RetryPolicy, Seed, Signal, Sleeper, StopReason, Verdict,
    retry_with_attempt,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{MS, on, steady};
use crate::common::random::Random;

const WORLDS: u64 = 200;
const OPERATIONS: usize = 40;

/// How an attempt ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Done,
    Says(Signal),
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// An attempt may start as far as its operation is concerned.
    Asks,
    Starts,
    Ends(Kind),
    /// The cooldown rejects its operation.
    Rejected,
}

/// An entry: when, the operation, and the attempt.
type Entry = (Duration, usize, u64, Event);

#[derive(Default)]
struct Log(RefCell<Vec<Entry>>);

impl Log {
    fn add(&self, entry: Entry) {
        self.0.borrow_mut().push(entry);
    }
}

struct World {
    time: VirtualTime,
    random: Random,
    api: Protection,
    policy: RetryPolicy,
    max_hold: Duration,
    log: Log,
}

impl World {
    fn new(number: u64) -> Self {
        let random = Random::new(number);
        let max_hold = MS * random.one(&[400, 10_000]);
        let options = CooldownOptions::DEFAULT.with_max_hold(max_hold);
        let (time, api) = on(|p| p.cooldown(options));
        Self {
            policy: steady(u64::from(2 + random.below(4))),
            time,
            random,
            api,
            max_hold,
            log: Log::default(),
        }
    }

    /// No two times are the same.
    fn some(&self, most: u32) -> Duration {
        (MS * most).mul_f64(self.random.unit())
    }

    async fn operation(&self, number: usize) {
        let start = self.some(3_000);
        Sleeper::sleep(&self.time, start).await;
        let add = |at, attempt, event| self.log.add((at, number, attempt, event));
        add(start, 1, Event::Asks);
        let call = retry_with_attempt(self.policy, |attempt| {
            add(self.time.now(), attempt.attempt, Event::Starts);
            let takes = self.some(600);
            let kind = match self.random.below(8) {
                0..=2 => Kind::Done,
                3 => Kind::Says(Signal::Busy(self.some(900))),
                4 => Kind::Says(Signal::Success),
                5 => Kind::Says(Signal::Declined),
                6 => Kind::Says(Signal::Nothing),
                _ => Kind::Says(Signal::Failure),
            };
            async move {
                Sleeper::sleep(&self.time, takes).await;
                add(self.time.now(), attempt.attempt, Event::Ends(kind));
                match kind {
                    Kind::Done => Ok(()),
                    Kind::Says(signal) => Err(signal),
                }
            }
        });
        let ended = call
            .when(|_| Verdict::Retry)
            .signal(|signal| Some(*signal))
            .notify(|event| {
                if let Some(delay) = event.delay {
                    add(
                        start + event.elapsed + delay,
                        event.attempt + 1,
                        Event::Asks,
                    );
                }
            })
            .protection(&self.api)
            .seed(Seed::new(number as u64))
            .sleeper(&self.time);
        if let Err(failed) = ended.await {
            if failed.reason == StopReason::Cooldown {
                add(self.time.now(), failed.report.attempts + 1, Event::Rejected);
            }
        }
    }
}

/// A hold of the model.
#[derive(Debug)]
struct Hold {
    until: Duration,
    asked: Duration,
    probed: bool,
}

/// An operation of the model.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// It asked, and how the cooldown has to answer.
    answer: Option<Answer>,
    /// Its next attempt is a first one.
    is_retry: bool,
    /// End of the hold when its attempt started.
    during: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
enum Answer {
    Starts,
    /// Starts from the first time to the second one.
    Held(Duration, Duration),
    Rejected,
}

#[derive(Debug, Default)]
struct Counts {
    held: u32,
    probes: u32,
    retries_held: u32,
    held_during_a_longer_one: u32,
    ended: u32,
    not_ended: u32,
    rejected: u32,
}

/// Reads the log in the order of time.
fn check(world: &World, counts: &mut Counts) {
    let mut log = world.log.0.take();
    log.sort_by_key(|(at, ..)| *at);
    let mut present: Option<Hold> = None;
    let mut operations = vec![Seen::default(); OPERATIONS];
    for (at, number, attempt, event) in log {
        if present.as_ref().is_some_and(|hold| hold.until <= at) {
            present = None;
        }
        let seen = &mut operations[number];
        match event {
            Event::Asks => {
                let is_first = !seen.is_retry;
                seen.answer = Some(match &mut present {
                    None => Answer::Starts,
                    Some(hold) if is_first && !hold.probed => {
                        hold.probed = true;
                        counts.probes += 1;
                        Answer::Starts
                    }
                    Some(hold) if hold.until - at > world.max_hold => Answer::Rejected,
                    Some(hold) => {
                        counts.retries_held += u32::from(attempt > 1);
                        Answer::Held(hold.until, hold.until + (hold.asked / 2).max(100 * MS))
                    }
                });
            }
            Event::Starts => {
                match seen.answer.take() {
                    Some(Answer::Starts) => {}
                    Some(Answer::Held(from, to)) => {
                        counts.held += 1;
                        counts.held_during_a_longer_one += u32::from(present.is_some());
                        assert!(from <= at && at <= to, "{number}: {from:?} {at:?} {to:?}");
                    }
                    other => panic!("{number} started at {at:?}: {other:?}"),
                }
                seen.during = present.as_ref().map(|hold| hold.until);
            }
            Event::Rejected => {
                counts.rejected += 1;
                assert!(matches!(seen.answer, Some(Answer::Rejected)), "{number}");
            }
            Event::Ends(kind) => {
                let answers = [Signal::Success, Signal::Nothing].map(Kind::Says);
                seen.is_retry = !answers.contains(&kind);
                let successes = [Signal::Success, Signal::Declined].map(Kind::Says);
                let during = seen.during.take();
                if kind == Kind::Done || successes.contains(&kind) {
                    if let (Some(hold), Some(during)) = (&present, during) {
                        let ends = hold.until == during;
                        *(if ends {
                            &mut counts.ended
                        } else {
                            &mut counts.not_ended
                        }) += 1;
                        if ends {
                            present = None;
                        }
                    }
                }
                if let Kind::Says(Signal::Busy(asked)) = kind {
                    let until = at + asked;
                    let longer = present.as_ref().is_none_or(|hold| until > hold.until);
                    if longer {
                        let probed = present.is_some_and(|hold| hold.probed);
                        present = Some(Hold {
                            until,
                            asked,
                            probed,
                        });
                    }
                }
            }
        }
    }
    for (number, seen) in operations.iter().enumerate() {
        let left = matches!(seen.answer, Some(Answer::Starts | Answer::Held(..)));
        assert!(!left, "{number} never started");
    }
}

#[test]
fn holds_are_what_a_model_makes_of_the_log() {
    let mut counts = Counts::default();
    for number in 0..WORLDS {
        let world = World::new(number);
        let operations = (0..OPERATIONS).map(|number| world.operation(number));
        world.time.block_on(join_all(operations));
        check(&world, &mut counts);
        assert_eq!(super::held(&world.api), 0);
    }
    let Counts {
        held,
        probes,
        retries_held,
        held_during_a_longer_one,
        ended,
        not_ended,
        rejected,
    } = counts;
    let many = [
        held,
        probes,
        retries_held,
        held_during_a_longer_one,
        ended,
        not_ended,
        rejected,
    ];
    assert!(many.iter().all(|many| *many > 100), "{counts:?}");
}
