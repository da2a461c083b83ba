//! An operation that asks no protection.

use core::task::Waker;
use core::time::Duration;

use super::facts::Pass;
use crate::StopReason;
use crate::retry::nanos::Nanos;
use crate::retry::operation::{Operation, Step};
use crate::retry::rounds::Ended;
use crate::retry::row::Started;
use crate::retry::{Attempt, AttemptError, Hooks, Outcome, Verdict};

impl<M: Outcome> Operation<M> {
    pub(in crate::retry) fn start_guard(&mut self, _clockless: bool) {}

    pub(in crate::retry) fn is_queued(&mut self) -> bool {
        false
    }

    pub(in crate::retry) fn enter(
        &mut self,
        _now: Nanos,
        _hooks: &mut impl Hooks<M::Attempt>,
        _waker: &dyn Fn() -> Waker,
    ) -> Result<Step, M::Error> {
        Ok(Step::Begin)
    }

    pub(in crate::retry) fn waited_for_turn(&mut self) -> Duration {
        Duration::ZERO
    }

    pub(in crate::retry) fn waited(&mut self) -> (Duration, Duration) {
        (Duration::ZERO, Duration::ZERO)
    }

    pub(in crate::retry) fn hedges(&mut self) -> u64 {
        0
    }

    pub(in crate::retry) fn hedge_delay(&mut self, _now: Nanos) -> Option<Duration> {
        None
    }

    pub(in crate::retry) fn begin_hedge(
        &mut self,
        _now: Nanos,
        _hooks: &mut impl Hooks<M::Attempt>,
    ) -> Option<(Pass, Attempt)> {
        None
    }

    pub(in crate::retry) fn succeed(&mut self, _end: impl Ended, _clock: impl FnOnce() -> Nanos) {}

    pub(in crate::retry) fn tell(
        &mut self,
        _started: Started,
        _error: &AttemptError<M::Attempt>,
        _ended: Nanos,
        _verdict: Verdict,
        _hint: Option<Duration>,
        _hooks: &mut impl Hooks<M::Attempt>,
    ) {
    }

    pub(in crate::retry) fn progressed(&mut self) {}

    pub(in crate::retry) fn superseded(&mut self, _now: Nanos, _took: Duration) {}

    pub(in crate::retry) fn may_retry(
        &mut self,
        _now: Nanos,
        delay: Duration,
        _hooks: &mut impl Hooks<M::Attempt>,
    ) -> Result<Duration, StopReason> {
        Ok(delay)
    }

    pub(in crate::retry) fn release(&mut self) -> Option<Duration> {
        None
    }
}
