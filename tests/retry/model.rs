//! Random operations over a timetable, in each form: what they make of it is held by a digest (mod.rs).

use std::time::Duration;

use rejitter::decide::duration_from_ms;
use rejitter::testing::{VirtualSleep, VirtualTime};
use rejitter::{
    AttemptError, Backoff, Jitter, RetryError, RetryOptions, RetryPolicy, Seed, Sleeper,
    StopReason, Verdict, retry_with, retry_with_attempt,
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

/// Runs the operation of this number in each of its forms, which agree. Returns how it ends, and all of it as a text.
pub fn run(number: u64) -> (Option<StopReason>, String) {
    let plan = Plan::random(number);
    let outcome = plan.run();
    if plan.attempt_timeout.is_none() {
        let on_state = plan.run_with();
        assert_eq!(on_state, outcome, "operation {number} on state: {plan:?}");
    }
    let text = format!("{outcome:?}");
    let reason = outcome.reason;
    if plan.attempt_timeout.is_none() && plan.total_timeout.is_none() {
        let (plain, error) = plan.run_plain();
        let own = outcome.rows.iter().rev().find_map(|row| row.0.error());
        assert_eq!(error.as_ref(), own.filter(|_| reason.is_some()));
        assert_eq!((plain.rows, plain.ended), (outcome.rows, outcome.ended));
    }
    (reason, text)
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
