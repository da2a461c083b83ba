//! The caller's functions that an operation calls after a failed attempt.

use std::time::Duration;

use super::{AttemptError, Verdict};

/// A failed attempt, for [`Retry::notify`](crate::Retry::notify).
#[derive(Debug)]
#[non_exhaustive]
pub struct FailureEvent<'a, E> {
    /// The failed attempt's number; the first is 1.
    pub attempt: u64,
    /// How it failed.
    pub error: &'a AttemptError<E>,
    /// The time since the operation began.
    pub elapsed: Duration,
    /// The wait that follows; `None` after the last attempt.
    pub delay: Option<Duration>,
}

/// The callbacks that [`Retry`](crate::Retry)'s methods of these names set.
#[derive(Clone)]
pub(super) struct Hooks<W, H, C, N> {
    pub(super) when: W,
    pub(super) hint: H,
    pub(super) curve: C,
    pub(super) notify: N,
    pub(super) retry_timeouts: bool,
}

pub(super) type DefaultWhen<E> = fn(&E) -> Verdict;
pub(super) type DefaultHint<E> = fn(&E) -> Option<Duration>;
pub(super) type DefaultCurve = fn(u64) -> Option<Duration>;
pub(super) type DefaultNotify<E> = fn(&FailureEvent<'_, E>);

impl<E> Default for Hooks<DefaultWhen<E>, DefaultHint<E>, DefaultCurve, DefaultNotify<E>> {
    fn default() -> Self {
        Self {
            when: |_| Verdict::Retry,
            hint: |_| None,
            curve: |_| None,
            notify: |_| (),
            retry_timeouts: true,
        }
    }
}
