//! An operation with its callbacks and its sleeper.

use core::time::Duration;

use super::limits::{Cuts, Limit, MaybeLimits};
use super::nanos::Nanos;
use super::operation::Operation;
use super::protection::Pass;
#[cfg(feature = "protection")]
use super::protection::{Hedged, Protected, Protection};
use super::rounds::{Attempts, OutcomeOf};
use super::row::{Begun, Started};
use super::waiting::Limited;
use super::{Attempt, AttemptError, Callback, Hooks, Outcome, Plain, Reported, Sleeper, TryFuture};
use crate::core::{RetryPolicy, StopReason};

/// An operation's settings and state.
// Callbacks need not be printable.
#[allow(missing_debug_implementations)]
pub(super) struct Parts<F, M, S, H> {
    pub(super) callback: F,
    pub(super) sleeper: S,
    pub(super) hooks: H,
    pub(super) operation: Operation<M>,
}

impl<F, E, S> Parts<F, Plain<E>, S, ()> {
    #[inline]
    pub(super) fn new(policy: RetryPolicy, callback: F, sleeper: S) -> Self {
        Self {
            callback,
            sleeper,
            hooks: (),
            operation: Operation::new(policy, Plain::new()),
        }
    }
}

impl<F, M, S, H> Parts<F, M, S, H> {
    #[inline]
    pub(super) fn hooks<H2>(self, change: impl FnOnce(H) -> H2) -> Parts<F, M, S, H2> {
        Parts {
            callback: self.callback,
            sleeper: self.sleeper,
            hooks: change(self.hooks),
            operation: self.operation,
        }
    }

    #[inline]
    pub(super) fn sleeper<S2>(self, sleeper: S2) -> Parts<F, M, S2, H> {
        Parts {
            callback: self.callback,
            sleeper,
            hooks: self.hooks,
            operation: self.operation,
        }
    }

    /// Sets the end of the operation, and the attempts that it ends.
    pub(super) fn deadline(self, total: Duration, cuts: Cuts) -> Parts<F, M::Limited, S, H>
    where
        M: Outcome,
    {
        self.outcome(|outcome| {
            outcome.limited(|limits| {
                limits.total = total.into();
                limits.cuts = cuts;
            })
        })
    }

    pub(super) fn report(self) -> Parts<F, Reported<M::Attempt, M::Protection>, S, H>
    where
        M: Outcome,
    {
        self.outcome(M::into_reported)
    }

    #[cfg(feature = "protection")]
    pub(super) fn protect(
        self,
        protection: &Protection,
    ) -> Parts<F, Reported<M::Attempt, Protected>, S, H>
    where
        M: Outcome,
    {
        let protected = protection.join();
        self.outcome(|outcome| outcome.into_reported().protected(|_| protected))
    }

    #[inline]
    pub(super) fn outcome<M2>(self, change: impl FnOnce(M) -> M2) -> Parts<F, M2, S, H> {
        Parts {
            callback: self.callback,
            sleeper: self.sleeper,
            hooks: self.hooks,
            operation: self.operation.with_outcome(change),
        }
    }
}

#[cfg(feature = "protection")]
impl<F, E, S, H> Parts<F, Reported<E, Protected>, S, H> {
    #[track_caller]
    pub(super) fn hedge(mut self) -> Parts<F, Reported<E, Hedged>, S, H> {
        let guard = self.operation.outcome.guard();
        assert!(
            guard.is_some_and(|guard| guard.has_hedge()),
            "this operation's protection has no hedge: add one with Protection::hedge(…)"
        );
        self.outcome(|outcome| outcome.protected(Protected::hedged))
    }
}

type TimerOf<M, S> = <<M as Outcome>::Limits as MaybeLimits>::Timer<<S as Sleeper>::Sleep>;

impl<F, Fut, M, S, H> Attempts<Fut> for Parts<F, M, S, H>
where
    F: Callback<Fut>,
    Fut: TryFuture<Error = M::Attempt>,
    M: Outcome,
    S: Sleeper,
    H: Hooks<M::Attempt>,
{
    type Sleeper = S;
    type Timer = TimerOf<M, S>;

    fn sleeper(&self) -> &S {
        &self.sleeper
    }

    fn last(&self) -> Begun {
        self.operation.last()
    }

    #[inline]
    fn deadline(&self) -> Nanos {
        self.operation.deadline()
    }

    #[inline]
    fn begin(&mut self, now: Nanos) -> Attempt {
        self.operation.begin(now)
    }

    #[inline]
    fn call(&mut self, attempt: Attempt) -> Limited<Fut, Self::Timer> {
        // The limit counts from here.
        let limit = self.operation.limit();
        let limit = limit.map(|(limit, after)| (limit, self.sleeper.sleep(after)));
        let timer = M::Limits::timer(limit);
        Limited::new(timer, self.callback.start(attempt))
    }

    #[inline]
    fn ended(&mut self, end: Result<Fut::Output, Limit>) -> OutcomeOf<Fut> {
        match end {
            Ok(output) => {
                let (outcome, state) = Fut::split(output);
                self.callback.put_back(state);
                outcome.map_err(AttemptError::Error)
            }
            Err(limit) => Err(AttemptError::Timeout(self.operation.timeout(limit))),
        }
    }

    fn hedge_delay(&mut self, now: Nanos) -> Option<Duration> {
        self.operation.hedge_delay(now)
    }

    fn start_hedge(&mut self, now: Nanos) -> Option<(Pass, Limited<Fut, Self::Timer>)> {
        if !self.callback.can_hedge() {
            return None;
        }
        let (pass, attempt) = self.operation.begin_hedge(now, &mut self.hooks)?;
        Some((pass, self.call(attempt)))
    }

    fn fail_in_round(
        &mut self,
        started: Started,
        error: AttemptError<M::Attempt>,
        ended: Nanos,
    ) -> Result<(), (StopReason, AttemptError<M::Attempt>)> {
        let hooks = &mut self.hooks;
        self.operation.fail_in_round(started, error, hooks, ended)
    }

    fn late_timer(&mut self, now: Nanos) -> Option<Self::Timer> {
        let after = self.operation.late_limit(now)?;
        let timer = self.sleeper.sleep(after);
        Some(M::Limits::timer(Some((Limit::Deadline, timer))))
    }
}
