//! The setters of an asynchronous operation's limits.

use core::time::Duration;

use super::limits::Cuts;
use super::sleeper::MaybeSleeper;
#[cfg(feature = "tower")]
use super::{Kept, Plain, limits::Limits};
use super::{Outcome, Protect, Reported, Retry, TryFuture};

impl<F, Fut, M: Outcome, S: MaybeSleeper, H> Retry<F, Fut, M, S, H> {
    /// Sets the time for the whole operation, from the start of its first attempt to its deadline.
    /// Defaults to no limit.
    ///
    /// A wait that would end at or after the deadline is not started
    /// ([`StopReason::Deadline`](crate::StopReason::Deadline)), and no attempt but the first
    /// starts at or after it. An attempt that is running at the deadline is dropped
    /// ([`StopReason::Timeout`](crate::StopReason::Timeout)).
    ///
    /// The failure becomes a [`RetryError`](crate::RetryError), as with [`report`](Self::report), because a timeout is
    /// not an error of the callback. Its [`into_inner`](crate::RetryError::into_inner) returns the callback's last
    /// error. With a zero timeout, the first attempt is polled once and must be ready.
    ///
    /// To leave running attempts alone, and the error as it is, set [`retry_for`](Self::retry_for) instead.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    #[doc(alias = "with_total_delay")]
    pub fn total_timeout(
        self,
        timeout: Duration,
    ) -> Retry<F, Fut, Reported<M::Attempt, M::Protection>, S, H> {
        self.with(|parts| parts.report().deadline(timeout, Cuts::All))
    }

    /// Sets the time, from the start of the first attempt, after which no other attempt starts. Defaults to no limit.
    ///
    /// A wait that would end at or after it is not started ([`StopReason::Deadline`](crate::StopReason::Deadline)). An
    /// attempt that is running then goes on, however long it takes: use it for uploads and for transactions. So the
    /// failure is the callback's last error, as without a limit, or the [`RetryError`](crate::RetryError) that an
    /// earlier method made of it. It replaces [`total_timeout`](Self::total_timeout), and that replaces it.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    #[doc(alias = "max_elapsed_time")]
    pub fn retry_for(self, time: Duration) -> Retry<F, Fut, M::Limited, S, H> {
        self.with(|parts| parts.deadline(time, Cuts::None))
    }
}

impl<F, Fut: TryFuture<State = ()>, M: Outcome, S: MaybeSleeper, H> Retry<F, Fut, M, S, H> {
    /// Sets the time for each attempt, from its start. Defaults to no limit.
    ///
    /// An attempt that outlives it, or the deadline if that comes first, is dropped. One that is ready counts, however
    /// long ago the limit passed: the process may have been stopped. A timeout is
    /// retried like an error; see [`retry_timeouts`](Self::retry_timeouts). With a zero timeout, an
    /// attempt is polled once and must be ready. The failure becomes a [`RetryError`](crate::RetryError),
    /// as with [`report`](Self::report), because a timeout is not an error of the callback.
    ///
    /// Blocking operations cannot be ended from outside and do not have this method.
    ///
    /// Examples: [`guide::deadlines`](crate::guide::deadlines).
    pub fn attempt_timeout(
        self,
        timeout: Duration,
    ) -> Retry<F, Fut, Reported<M::Attempt, M::Protection>, S, H> {
        self.with(|parts| {
            let mut parts = parts.report();
            parts.operation.outcome.limits.attempt = timeout.into();
            parts
        })
    }
}

/// For Tower, whose requests must end with an outcome of the service.
#[cfg(feature = "tower")]
impl<F, Fut, E, S: MaybeSleeper, H> Retry<F, Fut, Plain<E>, S, H> {
    /// Sets the form of the failure, and a deadline that spares a first attempt.
    pub(crate) fn sparing<M: Outcome>(
        self,
        timeout: Option<Duration>,
        form: impl FnOnce(Kept<E>) -> M,
    ) -> Retry<F, Fut, M, S, H> {
        let spare = |limits: &mut Limits| {
            limits.total = timeout.into();
            limits.cuts = Cuts::Later;
        };
        self.with(|parts| parts.outcome(|plain| form(plain.limited(spare))))
    }
}

impl<F, Fut, E, P: Protect, S: MaybeSleeper, H> Retry<F, Fut, Reported<E, P>, S, H> {
    /// Sets whether an attempt that outlived [`attempt_timeout`](Self::attempt_timeout) is retried.
    /// Defaults to true. If false, the operation ends with
    /// [`StopReason::NotRetryable`](crate::StopReason::NotRetryable): for work that must not be
    /// done twice, when a timeout leaves open whether it was done.
    ///
    /// Examples: [`guide::errors`](crate::guide::errors).
    pub fn retry_timeouts(self, retry: bool) -> Self {
        self.with(|mut parts| {
            parts.operation.outcome.limits.retry_timeouts = retry;
            parts
        })
    }
}
