//! Random worlds of hedged operations that share a protection: the rules that hold in all of them.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::time::Duration;

use futures_util::future::join_all;
use rejitter::testing::VirtualTime;
use rejitter::{
    AttemptError, BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, Protection,
    RetryError, RetryPolicy, Sleeper, StopReason, Verdict, retry_with_attempt,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::MS;
use crate::common::{random::Random, some};

const WORLDS: u64 = some(150) as u64;
const OPERATIONS: u32 = 25;

/// Observations of one operation.
#[derive(Default)]
struct Seen {
    /// Number and time of each attempt.
    calls: RefCell<Vec<(u64, Duration)>>,
    /// Ends of those that ended by themselves.
    ended: RefCell<Vec<u64>>,
    alive: Cell<u32>,
    told: Cell<u32>,
}

struct Alive<'a>(&'a Seen);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.alive.set(self.0.alive.get() - 1);
    }
}

struct World {
    time: VirtualTime,
    random: Random,
    api: Protection,
    max_ratio: f64,
    policy: RetryPolicy,
    attempt_timeout: Option<u32>,
    total_timeout: u32,
    successes: Cell<u32>,
    dropped: Cell<u32>,
}

type Failure = (u64, Verdict);

impl World {
    fn new(number: u64) -> Self {
        let random = Random::new(number);
        let time = VirtualTime::new();
        let max_ratio = 0.1 + f64::from(random.below(9)) / 10.0;
        let learns = random.chance(0.3);
        let mut api = Protection::new().hedge(HedgeOptions {
            delay_ms: (!learns).then(|| f64::from(random.below(60))),
            quantile: learns.then_some(0.5),
            max_ratio: Some(max_ratio),
            ..HedgeOptions::default()
        });
        if random.chance(0.4) {
            api = api.budget(BudgetOptions {
                capacity: Some(f64::from(1 + random.below(30))),
                ..BudgetOptions::default()
            });
        }
        if random.chance(0.3) {
            api = api.breaker(BreakerOptions {
                minimum_calls: Some(5),
                open_ms: Some(50.0),
                window_ms: Some(200.0),
                ..BreakerOptions::default()
            });
        }
        if random.chance(0.3) {
            api = api.cooldown(CooldownOptions::DEFAULT.with_max_hold(100 * MS));
        }
        let clock = time.clone();
        Self {
            api: api.clock(move || clock.now()),
            policy: RetryPolicy::exponential()
                .with_base(MS * (1 + random.below(50)))
                .with_max_attempts(u64::from(1 + random.below(6))),
            attempt_timeout: random.chance(0.5).then(|| 20 + random.below(100)),
            total_timeout: if random.chance(0.6) {
                50 + random.below(300)
            } else {
                2_000
            },
            time,
            random,
            max_ratio,
            successes: Cell::new(0),
            dropped: Cell::new(0),
        }
    }

    fn attempt<'a>(
        &'a self,
        seen: &'a Seen,
        number: u64,
    ) -> impl Future<Output = Result<u64, Failure>> + 'a {
        seen.calls.borrow_mut().push((number, self.time.now()));
        seen.alive.set(seen.alive.get() + 1);
        assert!(seen.alive.get() <= 2, "more than one hedge");
        let (alive, kind) = (Alive(seen), self.random.unit());
        let takes = if self.random.chance(0.2) {
            0
        } else {
            self.random.below(150)
        };
        let wait = (kind < 0.95).then(|| Sleeper::sleep(&self.time, MS * takes));
        let busy = MS * self.random.below(80);
        async move {
            let _alive = alive;
            match wait {
                Some(wait) => wait.await,
                None => std::future::pending().await,
            }
            seen.ended.borrow_mut().push(number);
            if kind < 0.4 {
                return Ok(number);
            }
            Err((
                number,
                match kind {
                    0.4..0.5 => Verdict::RetryExactly(busy),
                    0.5..0.6 => Verdict::RetryAtLeast(busy),
                    0.6..0.65 => Verdict::Stop,
                    _ => Verdict::Retry,
                },
            ))
        }
    }

    /// Runs one operation, and checks how it ends.
    async fn operation(&self, after: Duration) {
        Sleeper::sleep(&self.time, after).await;
        let (seen, started) = (Seen::default(), self.time.now());
        let call = retry_with_attempt(self.policy, |attempt| self.attempt(&seen, attempt.attempt))
            .when(|(_, verdict)| *verdict)
            .notify(|_| seen.told.set(seen.told.get() + 1))
            .protection(&self.api)
            .keep_errors(100)
            .total_timeout(MS * self.total_timeout)
            .sleeper(&self.time);
        let call = match self.attempt_timeout {
            Some(timeout) => call.attempt_timeout(MS * timeout),
            None => call,
        };
        let mut call = Box::pin(call.hedge());
        let drop_after = self.random.chance(0.1).then(|| MS * self.random.below(200));
        let mut drop_after = drop_after.map(|after| Box::pin(Sleeper::sleep(&self.time, after)));
        let outcome = poll_fn(|cx| {
            if let std::task::Poll::Ready(outcome) = call.as_mut().poll(cx) {
                return std::task::Poll::Ready(Some(outcome));
            }
            match &mut drop_after {
                Some(after) => after.as_mut().poll(cx).map(|()| None),
                None => std::task::Poll::Pending,
            }
        })
        .await;
        if outcome.is_none() {
            self.dropped.set(self.dropped.get() + 1);
            drop(call);
        }
        assert_eq!(seen.alive.get(), 0, "a future outlives its operation");
        assert!(self.time.now() - started <= MS * self.total_timeout);
        let calls = seen.calls.borrow();
        let numbers: Vec<_> = calls.iter().map(|(number, _)| *number).collect();
        assert!((1..).take(numbers.len()).eq(numbers.iter().copied()));
        assert!(numbers.len() as u64 <= self.policy.max_attempts());
        match outcome {
            Some(Ok(number)) => {
                self.successes.set(self.successes.get() + 1);
                assert_eq!(
                    seen.ended.borrow().last(),
                    Some(&number),
                    "the first success wins"
                );
            }
            Some(Err(failed)) => self.check(&failed, &seen),
            None => {}
        }
        let hedges = self.api.status().hedge.expect("hedges").hedges as f64;
        let bound = 10.0 + self.max_ratio * f64::from(self.successes.get());
        assert!(hedges <= bound + 1e-9, "{hedges} hedges of {bound}");
    }

    fn check(&self, failed: &RetryError<Failure>, seen: &Seen) {
        let report = &failed.report;
        assert_eq!(report.attempts, seen.calls.borrow().len() as u64);
        assert_eq!(report.records.len() as u64, report.attempts);
        let hedges = report.records.iter().filter(|record| record.hedge).count();
        let rounds = report.records.len() - hedges;
        // A rejection or the deadline between two rounds is not notified.
        let between = matches!(
            failed.reason,
            StopReason::Breaker | StopReason::Cooldown | StopReason::Deadline
        );
        let told = seen.told.get() as usize;
        assert!(
            told == rounds || between && told <= rounds,
            "{told} of {rounds}: {failed:?}"
        );
        for (record, (number, at)) in report.records.iter().zip(seen.calls.borrow().iter()) {
            assert_eq!(record.attempt, *number);
            assert!(record.start <= *at);
            assert!(!record.superseded || failed.reason == StopReason::NotRetryable);
            assert!(!record.hedge || record.held.is_zero());
            if let Some(AttemptError::Error((error, _))) = &record.error {
                assert_eq!(error, number, "an error in the record of another attempt");
            }
        }
        for pair in report.records.windows(2) {
            let end = pair[0].start + pair[0].duration;
            // A hedge starts while its attempt is running, anything else after the round.
            let ordered = if pair[1].hedge {
                pair[1].start <= end
            } else {
                end <= pair[1].start
            };
            assert!(ordered, "{failed:?}");
        }
        // The last error is that of the attempt that ended last.
        let ended = seen.ended.borrow();
        if let AttemptError::Error((number, _)) = &failed.error {
            assert_eq!(ended.last(), Some(number));
        }
        let errors = failed.errors().filter_map(AttemptError::error).count();
        assert_eq!(errors, ended.len(), "{failed:?}");
    }
}

#[test]
fn random_worlds_of_hedged_operations() {
    let (mut hedges, mut won, mut rejected, mut dropped) = (0, 0, 0, 0);
    for number in 1..=WORLDS {
        let world = World::new(number);
        let mut at = Duration::ZERO;
        let operations = (0..OPERATIONS).map(|_| {
            at += MS * world.random.below(40);
            Box::pin(world.operation(at)) as Pin<Box<dyn Future<Output = ()>>>
        });
        let operations: Vec<_> = operations.collect();
        world.time.block_on(join_all(operations));
        assert_eq!(world.time.waits(), 0, "a timer is left in world {number}");
        let status = world.api.status();
        let hedge = status.hedge.expect("hedges");
        assert!(hedge.won <= hedge.hedges);
        if let Some(budget) = status.budget {
            assert!((0.0..=budget.capacity).contains(&budget.tokens));
        }
        if let Some(cooldown) = status.cooldown {
            assert_eq!(cooldown.held, 0);
        }
        hedges += hedge.hedges;
        won += hedge.won;
        rejected += hedge.rejected;
        dropped += world.dropped.get();
    }
    let enough = hedges > WORLDS && won > WORLDS / 5 && rejected > WORLDS / 5 && dropped > 20;
    assert!(cfg!(miri) || enough, "{hedges} {won} {rejected} {dropped}");
}
