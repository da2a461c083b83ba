//! One operation, without its waiting: what the asynchronous and the blocking form share.

use std::fmt;
use std::time::Duration;

use super::outcome::{Ending, Facts};
use super::protection::Next;
use super::{
    Attempt, AttemptError, FailureEvent, Hooks, Outcome, RejectedError, Signal, TimeoutError,
    Verdict,
};
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

    /// Starts the next attempt.
    pub(super) fn begin(&mut self, now: Duration) -> Attempt {
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

    fn remaining_ms(&self, now: Duration) -> f64 {
        self.remaining(now).map_or(f64::INFINITY, ms_from_duration)
    }
}

/// A draw for protection, apart from those of the waits after `attempt`. Without randomness the time has to do.
fn draw_beside(
    seed: &mut Option<Seed>,
    attempt: u64,
    now: Duration,
    entropy: fn() -> Result<Seed, EntropyError>,
) -> f64 {
    const LANE: u64 = 2;
    if seed.is_none() {
        *seed = entropy().ok();
    }
    let seed = seed.unwrap_or(Seed::new(u64::from(now.subsec_nanos())));
    seed.draw(0, attempt, LANE)
}

impl<M: Outcome> Operation<M> {
    /// Whether anything needs the time. `read`: a callback or a hook does.
    pub(super) fn is_timed(&self, read: bool) -> bool {
        read || M::TIMED || self.total_timeout.is_some()
    }

    /// Starts the operation. `reading`: of its clock, if it has one.
    pub(super) fn start(&mut self, reading: Option<Duration>) -> Duration {
        let now = reading.unwrap_or_default();
        self.started = now;
        // A deadline that overflows means no limit.
        self.deadline = self.total_timeout.and_then(|total| now.checked_add(total));
        if let Some(guard) = self.outcome.guard() {
            guard.start(reading.is_none());
        }
        now
    }

    /// Before an attempt: `None` if it starts, or the time for which it is held. Ends the operation if the deadline
    /// has passed, or if its protection rejects the attempt.
    pub(super) fn ready(&mut self, now: Duration) -> Result<Option<Duration>, M::Error> {
        let attempts = self.attempts;
        // A first attempt may start, however little time there is.
        if attempts > 0 && self.remaining(now).is_some_and(|left| left.is_zero()) {
            return self.end_early(StopReason::Deadline, now, None);
        }
        let (base_ms, remaining_ms) = (self.policy.base_ms(), self.remaining_ms(now));
        let Some(guard) = self.outcome.guard() else {
            return Ok(None);
        };
        let seed = &mut self.seed;
        let draw = || draw_beside(seed, attempts, now, Seed::random);
        match guard.enter(now, remaining_ms, base_ms, draw) {
            Next::Begin => Ok(None),
            Next::Hold(duration) => Ok(Some(duration)),
            Next::Refused(rejected) => self.end_early(rejected.by, now, Some(rejected)),
        }
    }

    /// Ends the operation, unless the form of its failure has nothing to return.
    #[allow(clippy::unnecessary_wraps)]
    fn end_early(
        &mut self,
        reason: StopReason,
        now: Duration,
        rejected: Option<RejectedError>,
    ) -> Result<Option<Duration>, M::Error> {
        let ending = self.ending(reason, now);
        let error = match rejected {
            Some(rejected) => AttemptError::Rejected(rejected),
            None => AttemptError::Timeout(TimeoutError::Deadline {
                after: self.total_timeout.unwrap_or_default(),
            }),
        };
        self.outcome.end_early(error, ending).map_or(Ok(None), Err)
    }

    /// An attempt succeeded, and with it the operation.
    pub(super) fn succeed(&mut self, clock: impl FnOnce() -> Duration) {
        if let Some(guard) = self.outcome.guard() {
            guard.succeeded(clock);
        }
    }

    /// The limit of the attempt just started: its timeout, or the deadline if that is not later.
    pub(super) fn limit(&self) -> Option<Limit> {
        let cuts = self.attempts > 1 || self.outcome.cuts_first();
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
        let ended = clock();
        let duration = ended.saturating_sub(self.attempt_started);
        let held = self
            .outcome
            .guard()
            .map_or(Duration::ZERO, |guard| guard.held());
        let decision = self.decide(&error, ended, hooks, &clock, Seed::random);
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
            held,
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

    /// The end of the operation, which releases what it holds of its protection.
    fn ending(&mut self, reason: StopReason, now: Duration) -> Ending {
        let retry_after = self.outcome.guard().and_then(|guard| {
            guard.release();
            guard.retry_after()
        });
        Ending {
            retry_after,
            reason,
            attempts: self.attempts,
            elapsed: now.saturating_sub(self.started),
            hint: self.hint,
        }
    }

    /// In the order of the JavaScript driver: the caller's condition, then the attempts, the wait
    /// and the deadline, which the core decides, then protection.
    fn decide(
        &mut self,
        error: &AttemptError<M::Attempt>,
        ended: Duration,
        hooks: &mut impl Hooks<M::Attempt>,
        clock: impl Fn() -> Duration,
        entropy: fn() -> Result<Seed, EntropyError>,
    ) -> Result<Duration, StopReason> {
        self.hint = None;
        let attempt = self.attempts;
        let verdict = match error {
            AttemptError::Error(error) => hooks.when(error, &self.attempt()),
            AttemptError::Timeout(TimeoutError::Attempt { .. }) => {
                self.outcome.retry_timeouts().into()
            }
            // The former says that time ran out; the latter is not of an attempt.
            AttemptError::Timeout(TimeoutError::Deadline { .. }) | AttemptError::Rejected(_) => {
                self.tell(error, Verdict::Stop, ended, hooks, entropy);
                return Err(StopReason::Timeout);
            }
        };
        let (exactly, at_least) = match verdict {
            Verdict::Stop => {
                self.tell(error, verdict, ended, hooks, entropy);
                return Err(StopReason::NotRetryable);
            }
            Verdict::Retry => (None, None),
            Verdict::RetryExactly(delay) => (Some(delay), None),
            Verdict::RetryAtLeast(delay) => (None, Some(delay)),
        };
        let hinted = error.error().and_then(|error| hooks.hint(error));
        // The longer one satisfies both.
        self.hint = hinted.max(at_least);
        self.tell(error, verdict, ended, hooks, entropy);
        let hint = match (exactly, self.hint) {
            (Some(delay), _) => Hint::Exactly(ms_from_duration(delay)),
            (None, Some(requested)) if !requested.is_zero() => {
                Hint::Server(ms_from_duration(requested))
            }
            _ => Hint::None,
        };

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
        let now = clock();
        let remaining = self.remaining(now);
        let remaining_ms = self.remaining_ms(now);
        let limits = Limits {
            remaining_ms,
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
                let base_ms = self.policy.base_ms();
                let Some(guard) = self.outcome.guard() else {
                    return Ok(delay);
                };
                let seed = &mut self.seed;
                let draw = || draw_beside(seed, attempt, now, entropy);
                guard.retry(now, delay, remaining_ms, base_ms, draw)
            }
        }
    }

    /// Tells protection how an attempt failed.
    fn tell(
        &mut self,
        error: &AttemptError<M::Attempt>,
        verdict: Verdict,
        now: Duration,
        hooks: &mut impl Hooks<M::Attempt>,
        entropy: fn() -> Result<Seed, EntropyError>,
    ) {
        let (attempt, hint) = (self.attempts, self.hint);
        let longest_ms = self.policy.max_retry_after_ms();
        let Some(guard) = self.outcome.guard() else {
            return;
        };
        let signal = match error {
            AttemptError::Error(error) => hooks.signal(error).unwrap_or(verdict.into()),
            AttemptError::Timeout(TimeoutError::Attempt { .. }) => Signal::Failure,
            // A first attempt had all the time there was, unless it was held.
            AttemptError::Timeout(TimeoutError::Deadline { .. })
                if attempt == 1 && guard.held().is_zero() =>
            {
                Signal::Failure
            }
            AttemptError::Timeout(_) | AttemptError::Rejected(_) => Signal::Nothing,
        };
        let seed = &mut self.seed;
        let draw = || draw_beside(seed, attempt, now, entropy);
        guard.failed(now, signal, hint, longest_ms, draw);
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
                Duration::ZERO,
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
