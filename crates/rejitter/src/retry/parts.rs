//! An operation with its callbacks and its sleeper.

use core::time::Duration;

use super::operation::Operation;
use super::outcome::{Cuts, Deadline};
#[cfg(feature = "protection")]
use super::protection::{Hedged, Protected, Protection};
use super::{Outcome, Plain, Reported};
use crate::core::RetryPolicy;

/// An operation's settings and state.
// Callbacks need not be printable.
#[allow(missing_debug_implementations)]
pub struct Parts<F, M, S, H> {
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

    pub(super) fn deadline(mut self, timeout: Duration, cuts: Cuts) -> Self
    where
        M: Outcome,
    {
        self.operation.outcome.set_deadline(Deadline {
            after: timeout.into(),
            cuts,
        });
        self
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
        let protected = Protected::new(protection);
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
