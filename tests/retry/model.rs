//! A second opinion on whole operations: a loop over a timetable, without futures.

use std::time::Duration;

use rejitter::decide::{Previous, duration_from_ms};
use rejitter::internals::Wait;
use rejitter::testing::{VirtualSleep, VirtualTime};
use rejitter::{
    AttemptError, Backoff, Jitter, RetryError, RetryOptions, RetryPolicy, Seed, Sleeper,
    StopReason, TimeoutError, Verdict, retry_with, retry_with_attempt,
};

use crate::common::random::Random;

/// How one attempt of the timetable goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Planned {
    takes: Duration,
    succeeds: bool,
    verdict: Verdict,
    hint: Option<Duration>,
}

/// Sets an operation's callbacks from the plan; every form has the same setters.
macro_rules! configured {
    ($plan:expr, $rows:expr, $operation:expr) => {{
        let (plan, rows): (&Plan, &mut Vec<Row>) = ($plan, $rows);
        $operation
            .when(|k| plan.of(*k).verdict)
            .hint(|k| plan.of(*k).hint)
            .notify(|event| {
                rows.push((
                    event.error.clone(),
                    Duration::ZERO,
                    event.elapsed,
                    event.delay,
                ));
                assert_eq!(event.reason.is_none(), event.delay.is_some());
            })
            .seed(plan.seed)
    }};
}

#[derive(Debug)]
struct Plan {
    policy: RetryPolicy,
    seed: Seed,
    attempt_timeout: Option<Duration>,
    total_timeout: Option<Duration>,
    attempts: Vec<Planned>,
}

/// One attempt: how it failed, when it began, how long it took, and the wait after it.
type Row = (AttemptError<u64>, Duration, Duration, Option<Duration>);

/// `reason` is `None` for a success.
#[derive(Debug, PartialEq)]
struct Outcome {
    reason: Option<StopReason>,
    ended: Duration,
    rows: Vec<Row>,
}

/// Runs the operation of this number and its model, in each of its forms. Returns how the reported form
/// ends.
pub fn compare(number: u64) -> Option<StopReason> {
    let plan = Plan::random(number);
    let expected = plan.expected();
    assert_eq!(plan.run(), expected, "operation {number}: {plan:?}");
    if plan.attempt_timeout.is_none() {
        let on_state = plan.run_with();
        assert_eq!(on_state, expected, "operation {number} on state: {plan:?}");
    }
    if plan.attempt_timeout.is_none() && plan.total_timeout.is_none() {
        let (plain, error) = plan.run_plain();
        let own = expected.rows.iter().rev().find_map(|row| row.0.error());
        assert_eq!(error.as_ref(), own.filter(|_| expected.reason.is_some()));
        assert_eq!((plain.rows, plain.ended), (expected.rows, expected.ended));
    }
    expected.reason
}

/// Often round, so that things coincide.
fn duration(random: &Random) -> Duration {
    if random.chance(0.5) {
        Duration::from_millis(random.one(&[0, 1, 50, 100, 100, 200, 400, 1_000]))
    } else {
        duration_from_ms(random.unit() * 1_000.0)
    }
}

fn maybe(random: &Random, probability: f64) -> Option<Duration> {
    random.chance(probability).then(|| duration(random))
}

impl Plan {
    fn random(operation: u64) -> Self {
        let random = Random::of(Seed::from("plans"), operation);
        let jitter = random.one(&[
            Jitter::None,
            Jitter::None,
            Jitter::Full,
            Jitter::Equal,
            Jitter::Decorrelated,
            Jitter::PollyV2,
        ]);
        let options = RetryOptions {
            backoff: random.one(&[Backoff::Fixed, Backoff::Exponential, Backoff::Linear]),
            jitter,
            base_ms: Some(random.one(&[0.0, 50.0, 100.0, 0.123_456_789])),
            cap_ms: random.one(&[None, Some(150.0)]),
            max_retry_after_ms: random.one(&[None, Some(300.0)]),
            max_attempts: Some(random.one(&[1, 2, 3, 5, 30])),
            ..RetryOptions::default()
        };
        let policy = RetryPolicy::from_options(options).expect("valid options");
        let attempts = (0..policy.max_attempts())
            .map(|_| Planned {
                takes: duration(&random),
                succeeds: random.chance(0.1),
                verdict: match random.unit() {
                    u if u < 0.05 => Verdict::Stop,
                    u if u < 0.2 => Verdict::RetryExactly(duration(&random)),
                    u if u < 0.25 => Verdict::RetryAtLeast(duration(&random)),
                    _ => Verdict::Retry,
                },
                hint: maybe(&random, 0.2),
            })
            .collect();
        Self {
            policy,
            seed: Seed::new(operation),
            attempt_timeout: maybe(&random, 0.4),
            total_timeout: maybe(&random, 0.5).map(|total| total * 3),
            attempts,
        }
    }

    fn expected(&self) -> Outcome {
        let mut now = Duration::ZERO;
        let mut previous: Option<Previous> = None;
        let mut rows: Vec<Row> = Vec::new();
        for (k, planned) in (1_u64..).zip(&self.attempts) {
            let begun = now;
            let left = self.total_timeout.map(|total| total - now);
            let deadline_first = match (left, self.attempt_timeout) {
                (Some(left), Some(timeout)) => left <= timeout,
                (left, _) => left.is_some(),
            };
            let limit = if deadline_first {
                left
            } else {
                self.attempt_timeout
            };
            let late = limit.is_some_and(|limit| planned.takes > limit);
            let took = if late { limit.unwrap() } else { planned.takes };
            now += took;
            if planned.succeeds && !late {
                let reason = None;
                return Outcome {
                    reason,
                    ended: now,
                    rows,
                };
            }
            let error = match (late, deadline_first) {
                (false, _) => AttemptError::Error(k),
                (true, false) => AttemptError::Timeout(TimeoutError::Attempt { after: took }),
                (true, true) => AttemptError::Timeout(TimeoutError::Deadline {
                    after: self.total_timeout.unwrap(),
                }),
            };
            let decision = self.decide(k, planned, error.clone(), now, &mut previous);
            rows.push((error, begun, took, decision.ok()));
            match decision {
                Ok(delay) => now += delay,
                Err(reason) => {
                    let reason = Some(reason);
                    return Outcome {
                        reason,
                        ended: now,
                        rows,
                    };
                }
            }
        }
        unreachable!("the last attempt ends it");
    }

    fn decide(
        &self,
        k: u64,
        planned: &Planned,
        error: AttemptError<u64>,
        now: Duration,
        previous: &mut Option<Previous>,
    ) -> Result<Duration, StopReason> {
        let own = matches!(error, AttemptError::Error(_));
        if matches!(error, AttemptError::Timeout(TimeoutError::Deadline { .. })) {
            return Err(StopReason::Timeout);
        }
        if own && planned.verdict == Verdict::Stop {
            return Err(StopReason::NotRetryable);
        }
        if k == self.policy.max_attempts() {
            return Err(StopReason::Exhausted);
        }
        let draws = self.seed.draws(0, k);
        let hint = self.hint(k).filter(|hint| own && !hint.is_zero());
        let wait = Wait {
            previous: *previous,
            ..Wait::number(k)
        };
        let delay = match (planned.verdict, hint) {
            (Verdict::RetryExactly(delay), _) if own => delay,
            (_, Some(hint)) => {
                let longest = self.policy.max_retry_after_ms();
                if hint > duration_from_ms(longest) {
                    return Err(StopReason::Hint);
                }
                // A whole number of nanoseconds is not always a number of milliseconds.
                let mut ms = hint.as_secs_f64() * 1e3;
                let near = [ms.to_bits() - 1, ms.to_bits(), ms.to_bits() + 1];
                if let Some(up) = near
                    .map(f64::from_bits)
                    .into_iter()
                    .find(|near| duration_from_ms(*near) >= hint)
                {
                    ms = up;
                }
                let spread = (ms / 2.0).max(self.policy.base_ms());
                let computed = self.policy.delay_ms(&wait, draws);
                let delay = duration_from_ms(computed.max(ms + draws.r * spread));
                assert!(delay >= hint);
                delay
            }
            _ => {
                let delay_ms = self.policy.delay_ms(&wait, draws);
                let delay = duration_from_ms(delay_ms);
                if self.total_timeout.is_none_or(|total| now + delay < total) {
                    let r = draws.r;
                    *previous = Some(Previous { delay_ms, r });
                }
                delay
            }
        };
        match self.total_timeout {
            Some(total) if now + delay >= total => Err(StopReason::Deadline),
            _ => Ok(delay),
        }
    }

    /// The wait that the server asks for when an attempt fails with an error.
    fn hint(&self, attempt: u64) -> Option<Duration> {
        let Planned { verdict, hint, .. } = *self.of(attempt);
        match verdict {
            Verdict::Stop => None,
            Verdict::RetryAtLeast(delay) => hint.max(Some(delay)),
            _ => hint,
        }
    }

    fn of(&self, attempt: u64) -> &Planned {
        &self.attempts[usize::try_from(attempt).unwrap() - 1]
    }

    /// One attempt of the timetable.
    async fn attempt(&self, number: u64, busy: VirtualSleep) -> Result<(), u64> {
        busy.await;
        if self.of(number).succeeds {
            Ok(())
        } else {
            Err(number)
        }
    }

    fn run(&self) -> Outcome {
        let (time, mut rows) = (VirtualTime::new(), Vec::new());
        let mut known = Vec::new();
        let mut operation = configured!(
            self,
            &mut rows,
            retry_with_attempt(self.policy, |attempt| {
                known.push(attempt);
                let busy = time.sleep(self.of(attempt.attempt).takes);
                self.attempt(attempt.attempt, busy)
            })
        )
        .report()
        .keep_errors(10)
        .sleeper(&time);
        if let Some(total) = self.total_timeout {
            operation = operation.total_timeout(total);
        }
        if let Some(timeout) = self.attempt_timeout {
            operation = operation.attempt_timeout(timeout);
        }
        let outcome = time.block_on(operation);
        let outcome = self.check_report(&time, rows, outcome);
        for (i, attempt) in known.into_iter().enumerate() {
            assert_eq!(attempt.attempt, i as u64 + 1);
            let most = self.policy.max_attempts();
            assert_eq!(attempt.attempts_left, most - attempt.attempt);
            let previous = i.checked_sub(1).map(|before| &outcome.rows[before]);
            assert_eq!(attempt.previous_delay, previous.and_then(|row| row.3));
            let begun = previous.map(|row| row.1 + row.2 + row.3.unwrap_or_default());
            assert_eq!(attempt.elapsed, begun.unwrap_or_default());
            let left = self.total_timeout.map(|total| total - attempt.elapsed);
            assert_eq!(attempt.remaining, left);
        }
        outcome
    }

    fn run_with(&self) -> Outcome {
        let (time, mut rows) = (VirtualTime::new(), Vec::new());
        let mut attempts = 0;
        let mut operation = configured!(
            self,
            &mut rows,
            retry_with(&mut attempts, self.policy, async |attempts, attempt| {
                *attempts += 1;
                assert_eq!(*attempts, attempt.attempt);
                let busy = time.sleep(self.of(attempt.attempt).takes);
                (self.attempt(attempt.attempt, busy).await, attempts)
            })
        )
        .report()
        .keep_errors(10)
        .sleeper(&time);
        if let Some(total) = self.total_timeout {
            operation = operation.total_timeout(total);
        }
        let outcome = time.block_on(operation);
        self.check_report(&time, rows, outcome)
    }

    /// The plain form, whose failure is the callback's error alone.
    fn run_plain(&self) -> (Outcome, Option<u64>) {
        let (time, mut rows) = (VirtualTime::new(), Vec::new());
        let operation = configured!(
            self,
            &mut rows,
            retry_with_attempt(self.policy, |attempt| {
                let busy = time.sleep(self.of(attempt.attempt).takes);
                self.attempt(attempt.attempt, busy)
            })
        );
        let error = time.block_on(operation.sleeper(&time)).err();
        assert_eq!(time.waits(), 0);
        let outcome = Outcome {
            reason: None,
            ended: time.now(),
            rows: durations(rows),
        };
        (outcome, error)
    }

    fn check_report(
        &self,
        time: &VirtualTime,
        rows: Vec<Row>,
        outcome: Result<(), RetryError<u64>>,
    ) -> Outcome {
        assert_eq!(time.waits(), 0);
        let rows = durations(rows);
        if let Err(failed) = &outcome {
            let report = &failed.report;
            assert_eq!(report.attempts, rows.len() as u64);
            assert_eq!(report.elapsed, time.now());
            assert_eq!(report.records.len(), rows.len().min(10));
            assert_eq!(report.dropped, rows.len().saturating_sub(10) as u64);
            // Of the last failure only.
            let hinted = failed.error.error().and_then(|k| self.hint(*k));
            assert_eq!(report.hint, hinted);
            let errors: Vec<_> = failed.errors().collect();
            assert_eq!(errors.len(), report.records.len(), "{self:?}");
            for (i, record) in report.records.iter().enumerate() {
                let row = rows[usize::try_from(record.attempt).unwrap() - 1].clone();
                assert_eq!(
                    (
                        errors[i].clone(),
                        record.start,
                        record.duration,
                        record.delay
                    ),
                    row
                );
                assert_eq!(record.error.is_none(), i + 1 == errors.len());
            }
        }
        Outcome {
            reason: outcome.err().map(|failed| failed.reason),
            ended: time.now(),
            rows,
        }
    }
}

/// Events say when an attempt ended; waits are exact in virtual time.
fn durations(mut rows: Vec<Row>) -> Vec<Row> {
    let mut begun = Duration::ZERO;
    for (_, start, took, delay) in &mut rows {
        *start = begun;
        begun = *took + delay.unwrap_or_default();
        *took -= *start;
    }
    rows
}
