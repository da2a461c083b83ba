//! One operation, without its waiting: what the asynchronous and the blocking form share.

use std::time::Duration;

use super::duration::{duration_from_ms, ms_from_duration};
use super::hooks::{FailureEvent, Hooks};
use super::report::Records;
use super::{Attempt, AttemptError, AttemptRecord, RetryError, RetryReport, Verdict};
use crate::core::{Backoff, Decision, Draws, Hint, Limits, RetryPolicy, Seed, StopReason, Waits};

/// The state of one operation. Times are readings of its sleeper's clock.
pub(super) struct Operation<E> {
    policy: RetryPolicy,
    seed: Option<Seed>,
    entropy: fn() -> Result<Seed, getrandom::Error>,
    total_timeout: Option<Duration>,
    started: Duration,
    deadline: Option<Duration>,
    /// Number of started attempts, and the start of the last one.
    attempts: u64,
    attempt_started: Duration,
    waits: Waits,
    previous_delay: Option<Duration>,
    hint: Option<Duration>,
    records: Records<E>,
}

/// When an attempt must end, and why then.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Counted from the start of the attempt.
    pub(super) after: Duration,
    cause: LimitCause,
}

#[derive(Debug, Clone, Copy)]
enum LimitCause {
    AttemptTimeout,
    Deadline { total: Duration },
}

impl Limit {
    pub(super) fn error<E>(self) -> AttemptError<E> {
        match self.cause {
            LimitCause::AttemptTimeout => AttemptError::TimedOut { after: self.after },
            LimitCause::Deadline { total } => AttemptError::DeadlinePassed { after: total },
        }
    }
}

impl<E> Operation<E> {
    pub(super) fn new(
        policy: RetryPolicy,
        seed: Option<Seed>,
        total_timeout: Option<Duration>,
    ) -> Self {
        Self {
            policy,
            seed,
            entropy: Seed::random,
            total_timeout,
            started: Duration::ZERO,
            deadline: None,
            attempts: 0,
            attempt_started: Duration::ZERO,
            waits: Waits::default(),
            previous_delay: None,
            hint: None,
            records: Records::new(),
        }
    }

    /// Starts the next attempt. The operation starts with its first.
    pub(super) fn begin(&mut self, now: Duration) -> Attempt {
        if self.attempts == 0 {
            self.started = now;
            // A deadline that overflows means no limit.
            self.deadline = self.total_timeout.and_then(|total| now.checked_add(total));
        }
        self.attempts += 1;
        self.attempt_started = now;
        Attempt {
            attempt: self.attempts,
            elapsed: now.saturating_sub(self.started),
            remaining: self.remaining(now),
            previous_delay: self.previous_delay,
        }
    }

    /// The limit of the attempt just begun: its timeout, or the deadline if that is not later.
    pub(super) fn limit(&self, attempt_timeout: Option<Duration>) -> Option<Limit> {
        let deadline = self.total_timeout.zip(self.remaining(self.attempt_started));
        let deadline = deadline.map(|(total, after)| Limit {
            after,
            cause: LimitCause::Deadline { total },
        });
        let timeout = attempt_timeout.map(|after| Limit {
            after,
            cause: LimitCause::AttemptTimeout,
        });
        // The first one wins if both are equal.
        [deadline, timeout]
            .into_iter()
            .flatten()
            .min_by_key(|limit| limit.after)
    }

    /// After a failed attempt: the wait before the next one, or the end.
    pub(super) fn fail<W, H, C, N>(
        &mut self,
        error: AttemptError<E>,
        hooks: &mut Hooks<W, H, C, N>,
        clock: impl Fn() -> Duration,
    ) -> Result<Duration, RetryError<E>>
    where
        W: FnMut(&E) -> Verdict,
        H: FnMut(&E) -> Option<Duration>,
        C: FnMut(u64) -> Option<Duration>,
        N: FnMut(&FailureEvent<'_, E>),
    {
        let duration = clock().saturating_sub(self.attempt_started);
        let decision = self.judge(&error, hooks, &clock);
        let delay = decision.ok();
        (hooks.notify)(&FailureEvent {
            attempt: self.attempts,
            error: &error,
            elapsed: clock().saturating_sub(self.started),
            delay,
        });
        let mut record = AttemptRecord {
            attempt: self.attempts,
            error: None,
            start: self.attempt_started.saturating_sub(self.started),
            duration,
            delay,
        };
        match decision {
            Ok(delay) => {
                record.error = Some(error);
                self.records.add(record);
                self.previous_delay = Some(delay);
                Ok(delay)
            }
            Err(reason) => {
                self.records.add(record);
                Err(self.end(error, reason, clock()))
            }
        }
    }

    /// After a wait: ends the operation if the deadline has passed.
    pub(super) fn wake(&mut self, now: Duration) -> Result<(), RetryError<E>> {
        let expired = self.remaining(now).is_some_and(|left| left.is_zero());
        let failed = if expired {
            self.records.take_last_error()
        } else {
            None
        };
        failed.map_or(Ok(()), |error| {
            Err(self.end(error, StopReason::Deadline, now))
        })
    }

    /// In the order of the JavaScript driver: the caller's condition, then the attempts, the wait
    /// and the deadline, which are the core's to decide.
    fn judge<W, H, C, N>(
        &mut self,
        error: &AttemptError<E>,
        hooks: &mut Hooks<W, H, C, N>,
        clock: impl Fn() -> Duration,
    ) -> Result<Duration, StopReason>
    where
        W: FnMut(&E) -> Verdict,
        H: FnMut(&E) -> Option<Duration>,
        C: FnMut(u64) -> Option<Duration>,
    {
        self.hint = None;
        let verdict = match error {
            AttemptError::Error(error) => (hooks.when)(error),
            AttemptError::TimedOut { .. } => hooks.retry_timeouts.into(),
            AttemptError::DeadlinePassed { .. } => return Err(StopReason::Timeout),
        };
        let exactly = match verdict {
            Verdict::Stop => return Err(StopReason::NotRetryable),
            Verdict::Retry => None,
            Verdict::RetryAfter(delay) => Some(delay),
        };
        self.hint = error.error().and_then(&mut hooks.hint);
        let hint = match (exactly, self.hint) {
            (Some(delay), _) => Hint::Exactly(ms_from_duration(delay)),
            (None, Some(requested)) if !requested.is_zero() => {
                Hint::Server(ms_from_duration(requested))
            }
            _ => Hint::None,
        };

        let attempt = self.attempts;
        // The curve is not called for a wait that will not happen or is not drawn.
        let goes_on = attempt < self.policy.max_attempts();
        let draws = if goes_on && exactly.is_none() {
            self.draws(attempt)?
        } else {
            Draws { r: 0.0, r2: 0.0 }
        };
        let custom = self.policy.backoff() == Backoff::Custom;
        // A hint too: it never shortens the wait of the curve.
        let curve = if goes_on && exactly.is_none() && custom {
            (hooks.curve)(attempt)
        } else {
            None
        };
        let remaining = self.remaining(clock());
        let limits = Limits {
            remaining_ms: remaining.map_or(f64::INFINITY, ms_from_duration),
            curve_ms: curve.map(ms_from_duration),
            hint,
        };
        match self.waits.next(&self.policy, limits, draws) {
            Decision::Stop(reason) => Err(reason),
            Decision::Retry { delay_ms } => {
                let delay = exactly.unwrap_or_else(|| duration_from_ms(delay_ms));
                // Once more, in whole nanoseconds.
                if remaining.is_some_and(|left| delay >= left) {
                    return Err(StopReason::Deadline);
                }
                Ok(delay)
            }
        }
    }

    /// The draws of a failed attempt. Without a seed, the first ones make one.
    fn draws(&mut self, attempt: u64) -> Result<Draws, StopReason> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => (self.entropy)().map_err(|_| StopReason::Randomness)?,
        };
        self.seed = Some(seed);
        Ok(seed.draws(0, attempt))
    }

    fn remaining(&self, now: Duration) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub(now))
    }

    fn end(&mut self, error: AttemptError<E>, reason: StopReason, now: Duration) -> RetryError<E> {
        let (records, dropped) = self.records.take();
        RetryError {
            error,
            reason,
            report: Box::new(RetryReport {
                attempts: self.attempts,
                elapsed: now.saturating_sub(self.started),
                hint: self.hint,
                dropped,
                records,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RetryOptions, UNLIMITED};

    #[test]
    fn without_randomness_it_ends_before_the_first_drawn_wait() {
        let policy = |max_attempts| {
            RetryPolicy::new(RetryOptions {
                max_attempts: Some(max_attempts),
                ..RetryOptions::default()
            })
            .unwrap()
        };
        let end = |policy, seed, verdict: Verdict| {
            let mut operation = Operation::new(policy, seed, None);
            operation.entropy = || Err(getrandom::Error::UNSUPPORTED);
            operation.begin(Duration::ZERO);
            let mut hooks = Hooks {
                when: |_: &&str| verdict,
                hint: |_: &&str| None,
                curve: |_| None,
                notify: |_: &FailureEvent<'_, &str>| (),
                retry_timeouts: true,
            };
            let ended = operation.fail(AttemptError::Error("own"), &mut hooks, || Duration::ZERO);
            ended.map_err(|failed| (failed.error, failed.reason))
        };
        let own = AttemptError::Error("own");
        let unseeded = end(policy(UNLIMITED), None, Verdict::Retry);
        assert_eq!(unseeded, Err((own, StopReason::Randomness)));
        // It is not missed where nothing is drawn.
        let last = end(policy(1), None, Verdict::Retry);
        assert_eq!(last, Err((own, StopReason::Exhausted)));
        let exactly = Duration::from_secs(1);
        let output = end(policy(2), None, Verdict::RetryAfter(exactly));
        assert_eq!(output, Ok(exactly));
        assert!(end(policy(2), Some(Seed::new(1)), Verdict::Retry).is_ok());
    }
}
