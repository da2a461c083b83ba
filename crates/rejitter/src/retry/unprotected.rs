//! In place of protection where its feature is off: nothing holds or rejects attempts.

// The signatures are those of a protection.
#![allow(clippy::unnecessary_wraps)]

use core::convert::Infallible;
use core::task::Waker;
use core::time::Duration;

use super::nanos::Nanos;
use super::operation::{Operation, Step};
use super::rounds::Ended;
use super::row::Started;
use super::{Attempt, AttemptError, Hooks, Outcome, Verdict};
use crate::StopReason;

/// There is none.
#[cfg(feature = "retry")]
pub(super) type Protection = Infallible;

/// There are no hedges.
#[allow(unreachable_pub)] // As that of a protection.
pub type Pass = Infallible;

/// There is no queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn(Infallible);

impl Turn {
    pub(super) fn longest(self) -> Duration {
        match self.0 {}
    }

    #[allow(dead_code)] // As that of a protection.
    pub(super) fn is_known(self) -> bool {
        match self.0 {}
    }
}

impl<M: Outcome> Operation<M> {
    pub(super) fn start_guard(&mut self, _clockless: bool) {}

    pub(super) fn is_queued(&mut self) -> bool {
        false
    }

    pub(super) fn enter(
        &mut self,
        _now: Nanos,
        _hooks: &mut impl Hooks<M::Attempt>,
        _waker: &dyn Fn() -> Waker,
    ) -> Result<Step, M::Error> {
        Ok(Step::Begin)
    }

    pub(super) fn waited_for_turn(&mut self) -> Duration {
        Duration::ZERO
    }

    pub(super) fn waited(&mut self) -> (Duration, Duration) {
        (Duration::ZERO, Duration::ZERO)
    }

    pub(super) fn hedges(&mut self) -> u64 {
        0
    }

    pub(super) fn hedge_delay(&mut self, _now: Nanos) -> Option<Duration> {
        None
    }

    pub(super) fn begin_hedge(
        &mut self,
        _now: Nanos,
        _hooks: &mut impl Hooks<M::Attempt>,
    ) -> Option<(Pass, Attempt)> {
        None
    }

    pub(super) fn succeed(&mut self, _end: impl Ended, _clock: impl FnOnce() -> Nanos) {}

    pub(super) fn tell(
        &mut self,
        _started: Started,
        _error: &AttemptError<M::Attempt>,
        _ended: Nanos,
        _verdict: Verdict,
        _hint: Option<Duration>,
        _hooks: &mut impl Hooks<M::Attempt>,
    ) {
    }

    pub(super) fn progressed(&mut self) {}

    pub(super) fn superseded(&mut self, _now: Nanos, _took: Duration) {}

    pub(super) fn may_retry(
        &mut self,
        _now: Nanos,
        delay: Duration,
        _hooks: &mut impl Hooks<M::Attempt>,
    ) -> Result<Duration, StopReason> {
        Ok(delay)
    }

    pub(super) fn release(&mut self) -> Option<Duration> {
        None
    }
}
