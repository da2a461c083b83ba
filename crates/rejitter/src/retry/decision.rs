//! The decision: the wait before the next round, or why the operation stops.

use core::time::Duration;

use super::nanos::Nanos;
use super::operation::Operation;
use super::{Hooks, Outcome};
use crate::core::random::Start;
use crate::core::{
    Backoff, Decision, Draws, Failure, Hint, Jitter, MAX_MS, RetryPolicy, Seed, StopReason, Waits,
};
use crate::policy::{duration_from_ms, ms_from_duration};

/// How the caller answers a failure that may be retried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// The wait that the caller demands.
    pub(super) exact: Option<Duration>,
    /// The longest wait that the server asked for in the round.
    pub(super) hint: Option<Duration>,
    /// The attempt made progress.
    pub(super) progressed: bool,
}

/// Values that replace or limit a wait of the policy.
pub(super) struct Terms {
    /// The wait that the caller demands.
    pub(super) exact: Option<Duration>,
    /// The longest that the server asked for in the round.
    pub(super) hint: Option<Duration>,
    /// The value of the caller's curve.
    pub(super) curve: Option<Duration>,
    /// The time until the deadline.
    pub(super) remaining: Nanos,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            exact: None,
            hint: None,
            curve: None,
            remaining: Nanos::NONE,
        }
    }
}

/// Which draws of an operation are those of a wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawSource {
    /// Where those of the operation start.
    pub(super) start: Start,
    /// Number of the round before the wait. It goes on where a row begins again, so that no draw is used twice.
    pub(super) round: u64,
}

impl DrawSource {
    fn draws(self, policy: &RetryPolicy) -> Draws {
        Draws {
            r: self.start.draw(self.round, 0),
            // Others do not read it.
            r2: match policy.jitter() {
                Jitter::PollyV2 => self.start.draw(self.round, 1),
                _ => 0.0,
            },
        }
    }
}

/// The core's decision about the next wait, if an attempt is left. It is the same for all operations of a program,
/// which have it once. A wait that is not drawn needs no draws.
#[inline(never)]
pub(super) fn decide(
    policy: &RetryPolicy,
    waits: &mut Waits,
    source: Option<DrawSource>,
    terms: &Terms,
) -> Result<Duration, StopReason> {
    let hint = match (terms.exact, terms.hint) {
        (Some(_), _) => Hint::Exactly(0.0),
        // A policy without a limit follows every hint: that is how far it counts.
        (None, Some(hint)) => Hint::Server(ms_from_duration(hint).min(MAX_MS)),
        (None, None) => Hint::None,
    };
    let draws = source.map_or(Draws { r: 0.0, r2: 0.0 }, |source| source.draws(policy));
    // The time that is left is compared below, in whole nanoseconds.
    let failure = Failure {
        curve_ms: terms.curve.map(ms_from_duration),
        hint,
        ..waits.failure()
    };
    match waits.wait(policy, &failure, draws) {
        Decision::Stop(reason) => Err(reason),
        Decision::Retry { delay_ms } => {
            let delay = terms.exact.unwrap_or_else(|| duration_from_ms(delay_ms));
            if Nanos::from(delay) >= terms.remaining {
                return Err(StopReason::Deadline);
            }
            Ok(delay)
        }
    }
}

impl<M: Outcome> Operation<M> {
    /// The wait after a round, or the reason to stop: first the attempts, the wait and the deadline, which the core
    /// decides, then protection.
    pub(super) fn plan<H: Hooks<M::Attempt>>(
        &mut self,
        Answer { exact, hint, .. }: Answer,
        hooks: &mut H,
        clock: impl Fn() -> Nanos,
    ) -> Result<Duration, StopReason> {
        if !self.is_attempt_left() {
            return Err(StopReason::Exhausted);
        }
        if exact.is_none() && self.draws.get().is_none() {
            let seed = Seed::of_operation().ok_or(StopReason::Randomness)?;
            self.draws = seed.only_start().into();
        }
        // The curve is not called for a wait that is not drawn. For a hint it is: that never shortens its wait.
        let curve = if exact.is_none() && self.policy.backoff() == Backoff::Custom {
            hooks.curve(self.row.waits.attempt())
        } else {
            None
        };
        let now = clock();
        let terms = Terms {
            exact,
            hint,
            curve,
            remaining: self.remaining(now),
        };
        let source = self.draws.get().map(|start| DrawSource {
            start,
            round: self.rounds(),
        });
        // Copies: what is lent to a function lies in memory from its start on, and with it all of the operation.
        let (policy, mut waits) = (self.policy, self.row.waits);
        let decided = decide(&policy, &mut waits, source, &terms);
        self.row.waits = waits;
        self.may_retry(now, decided?, hooks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::UNLIMITED;
    use crate::retry::hooks::When;
    use crate::retry::nanos::PackedStart;
    use crate::retry::{AttemptError, Plain, Verdict};

    #[test]
    fn without_randomness_it_ends_before_the_first_drawn_wait() {
        crate::entropy::MISSING.set(true);
        let policy = |max_attempts| RetryPolicy::default().with_max_attempts(max_attempts);
        let end = |policy, seed: Option<Seed>, verdict: Verdict| {
            let mut operation = Operation::new(policy, Plain::new());
            operation.draws = seed.map_or(PackedStart::NONE, |seed| seed.start(0).into());
            operation.begin(Nanos::ZERO);
            let mut hooks = When(|_: &&str| verdict, (), Into::into);
            let (started, error) = (operation.last().started(None), AttemptError::Error("own"));
            let answer = operation.review(started, &error, Nanos::ZERO, &mut hooks)?;
            operation.plan(answer, &mut hooks, || Nanos::ZERO)
        };
        let unseeded = end(policy(UNLIMITED), None, Verdict::Retry);
        assert_eq!(unseeded, Err(StopReason::Randomness));
        // Nothing is drawn here.
        assert_eq!(
            end(policy(1), None, Verdict::Retry),
            Err(StopReason::Exhausted)
        );
        let exact = Duration::from_secs(1);
        let output = end(policy(2), None, Verdict::RetryExactly(exact));
        assert_eq!(output, Ok(exact));
        assert!(end(policy(2), Some(Seed::new(1)), Verdict::Retry).is_ok());
    }
}
