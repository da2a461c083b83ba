//! One operation, without its waiting: what the asynchronous and the blocking form share.

use std::fmt;
use std::time::Duration;

use super::outcome::{Ending, Facts};
use super::{Attempt, AttemptError, FailureEvent, Hooks, Outcome, TimeoutError, Verdict};
use crate::core::{
    Backoff, Decision, Draws, Hint, Limits, RetryPolicy, Seed, StopReason, UNLIMITED, Waits,
};
use crate::entropy::EntropyError;
use crate::policy::{duration_from_ms, ms_from_duration};

/// The state of one operation. Times are readings of its sleeper's clock.
pub(super) struct Operation<M> {
    policy: RetryPolicy,
    pub(super) seed: Option<Seed>,
    pub(super) total_timeout: Option<Duration>,
    pub(super) outcome: M,
    started: Duration,
    deadline: Option<Duration>,
    /// Number of started attempts, and the start of the last one.
    attempts: u64,
    attempt_started: Duration,
    waits: Waits,
    previous_delay: Option<Duration>,
    hint: Option<Duration>,
}

/// When an attempt must end, and why.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Counted from the start of the attempt.
    pub(super) after: Duration,
    pub(super) error: TimeoutError,
}

impl<M> Operation<M> {
    pub(super) fn new(policy: RetryPolicy, outcome: M) -> Self {
        Self {
            policy,
            seed: None,
            total_timeout: None,
            outcome,
            started: Duration::ZERO,
            deadline: None,
            attempts: 0,
            attempt_started: Duration::ZERO,
            waits: Waits::default(),
            previous_delay: None,
            hint: None,
        }
    }

    /// The operation before it starts, with another outcome.
    pub(super) fn with_outcome<M2>(self, change: impl FnOnce(M) -> M2) -> Operation<M2> {
        Operation {
            seed: self.seed,
            total_timeout: self.total_timeout,
            ..Operation::new(self.policy, change(self.outcome))
        }
    }

    /// Prints the settings, as the last fields. Errors need not be printable.
    pub(super) fn debug(&self, debug: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result {
        debug
            .field("policy", &self.policy)
            .field("seed", &self.seed)
            .field("total_timeout", &self.total_timeout)
            .finish_non_exhaustive()
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
        self.attempt()
    }

    /// The attempt that was started last.
    fn attempt(&self) -> Attempt {
        let most = self.policy.max_attempts();
        Attempt {
            attempt: self.attempts,
            attempts_left: match most {
                UNLIMITED => UNLIMITED,
                most => most.saturating_sub(self.attempts),
            },
            elapsed: self.attempt_started.saturating_sub(self.started),
            remaining: self.remaining(self.attempt_started),
            previous_delay: self.previous_delay,
        }
    }

    fn remaining(&self, now: Duration) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub(now))
    }
}

impl<M: Outcome> Operation<M> {
    /// Whether anything needs the time. `read`: a callback or a hook does.
    pub(super) fn is_timed(&self, read: bool) -> bool {
        read || M::TIMED || self.total_timeout.is_some()
    }

    /// The limit of the attempt just started: its timeout, or the deadline if that is not later.
    pub(super) fn limit(&self) -> Option<Limit> {
        let cuts = M::CUTS_FIRST || self.attempts > 1;
        let deadline = self
            .total_timeout
            .filter(|_| cuts)
            .zip(self.remaining(self.attempt_started));
        let deadline = deadline.map(|(total, after)| Limit {
            after,
            error: TimeoutError::Deadline { after: total },
        });
        let timeout = self.outcome.attempt_timeout().map(|after| Limit {
            after,
            error: TimeoutError::Attempt { after },
        });
        // The first one wins if both are equal.
        [deadline, timeout]
            .into_iter()
            .flatten()
            .min_by_key(|limit| limit.after)
    }

    /// After a failed attempt: the wait before the next one, or the end.
    pub(super) fn fail(
        &mut self,
        error: AttemptError<M::Attempt>,
        hooks: &mut impl Hooks<M::Attempt>,
        clock: impl Fn() -> Duration,
    ) -> Result<Duration, M::Error> {
        let duration = clock().saturating_sub(self.attempt_started);
        let decision = self.decide(&error, hooks, &clock, Seed::random);
        hooks.notify(&FailureEvent {
            attempt: self.attempts,
            error: &error,
            elapsed: clock().saturating_sub(self.started),
            delay: decision.ok(),
            reason: decision.err(),
        });
        let facts = Facts {
            attempt: self.attempts,
            start: self.attempt_started.saturating_sub(self.started),
            duration,
            delay: decision.ok(),
        };
        match decision {
            Ok(delay) => {
                self.outcome.go_on(error, facts, self.deadline.is_some());
                self.previous_delay = Some(delay);
                Ok(delay)
            }
            Err(reason) => {
                let ending = self.ending(reason, clock());
                Err(self.outcome.end(error, facts, ending))
            }
        }
    }

    /// After a wait: ends the operation if the deadline has passed.
    pub(super) fn wake(&mut self, now: Duration) -> Result<(), M::Error> {
        if self.remaining(now).is_some_and(|left| left.is_zero()) {
            let ending = self.ending(StopReason::Deadline, now);
            return self.outcome.end_late(ending).map_or(Ok(()), Err);
        }
        Ok(())
    }

    fn ending(&self, reason: StopReason, now: Duration) -> Ending {
        Ending {
            reason,
            attempts: self.attempts,
            elapsed: now.saturating_sub(self.started),
            hint: self.hint,
        }
    }

    /// In the order of the JavaScript driver: the caller's condition, then the attempts, the wait
    /// and the deadline, which the core decides.
    fn decide(
        &mut self,
        error: &AttemptError<M::Attempt>,
        hooks: &mut impl Hooks<M::Attempt>,
        clock: impl Fn() -> Duration,
        entropy: fn() -> Result<Seed, EntropyError>,
    ) -> Result<Duration, StopReason> {
        self.hint = None;
        let verdict = match error {
            AttemptError::Error(error) => hooks.when(error, &self.attempt()),
            AttemptError::Timeout(TimeoutError::Attempt { .. }) => {
                self.outcome.retry_timeouts().into()
            }
            AttemptError::Timeout(TimeoutError::Deadline { .. }) => {
                return Err(StopReason::Timeout);
            }
        };
        let (exactly, at_least) = match verdict {
            Verdict::Stop => return Err(StopReason::NotRetryable),
            Verdict::Retry => (None, None),
            Verdict::RetryExactly(delay) => (Some(delay), None),
            Verdict::RetryAtLeast(delay) => (None, Some(delay)),
        };
        let hinted = error.error().and_then(|error| hooks.hint(error));
        // The longer one satisfies both.
        self.hint = hinted.max(at_least);
        let hint = match (exactly, self.hint) {
            (Some(delay), _) => Hint::Exactly(ms_from_duration(delay)),
            (None, Some(requested)) if !requested.is_zero() => {
                Hint::Server(ms_from_duration(requested))
            }
            _ => Hint::None,
        };

        let attempt = self.attempts;
        // The curve is not called for a wait that will not happen or is not drawn.
        let needs_draw = attempt < self.policy.max_attempts() && exactly.is_none();
        let draws = if needs_draw {
            let seed = self.seed.map_or_else(entropy, Ok);
            let seed = seed.map_err(|_| StopReason::Randomness)?;
            self.seed = Some(seed);
            seed.draws(0, attempt)
        } else {
            Draws { r: 0.0, r2: 0.0 }
        };
        // A hint too: it never shortens the wait of the curve.
        let curve = if needs_draw && self.policy.backoff() == Backoff::Custom {
            hooks.curve(attempt)
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::Plain;
    use crate::retry::hooks::When;

    #[test]
    fn without_randomness_it_ends_before_the_first_drawn_wait() {
        let policy = |max_attempts| RetryPolicy::default().with_max_attempts(max_attempts);
        let end = |policy, seed, verdict: Verdict| {
            let mut operation = Operation::new(policy, Plain::new());
            operation.seed = seed;
            operation.begin(Duration::ZERO);
            let mut hooks = When(|_: &&str| verdict, ());
            let none = || Err(EntropyError::NONE);
            operation.decide(
                &AttemptError::Error("own"),
                &mut hooks,
                || Duration::ZERO,
                none,
            )
        };
        let unseeded = end(policy(UNLIMITED), None, Verdict::Retry);
        assert_eq!(unseeded, Err(StopReason::Randomness));
        // Nothing is drawn here.
        assert_eq!(
            end(policy(1), None, Verdict::Retry),
            Err(StopReason::Exhausted)
        );
        let exactly = Duration::from_secs(1);
        let output = end(policy(2), None, Verdict::RetryExactly(exactly));
        assert_eq!(output, Ok(exactly));
        assert!(end(policy(2), Some(Seed::new(1)), Verdict::Retry).is_ok());
    }
}
