//! Random worlds of operations that share a cooldown: who is held, who is a probe and when a hold ends is in their log,
//! which a digest holds.

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

use super::super::digest;
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
    Ends,
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
                add(self.time.now(), attempt.attempt, Event::Ends);
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

#[test]
fn held_attempts_start_when_they_did() {
    let (mut asked, mut rejected, mut all) = (0, 0, String::new());
    for number in 0..WORLDS {
        let world = World::new(number);
        let operations = (0..OPERATIONS).map(|number| world.operation(number));
        world.time.block_on(join_all(operations));
        let mut log = world.log.0.take();
        log.sort_by_key(|(at, ..)| *at);
        for (.., event) in &log {
            asked += u32::from(matches!(event, Event::Asks));
            rejected += u32::from(matches!(event, Event::Rejected));
        }
        all.push_str(&format!("{log:?}"));
        assert_eq!(super::held(&world.api), 0);
    }
    assert_eq!(digest(&all), 0x5a6c_9f29_4b81_5d41);
    assert!(asked > 10_000 && rejected > 100, "{asked} {rejected}");
}
