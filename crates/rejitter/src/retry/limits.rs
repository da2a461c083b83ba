//! Limits of an operation's time, in numbers.

use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::nanos::Nanos;

/// Limits of an operation that has some.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time from the start of the operation to its end.
    pub(super) total: Nanos,
    /// The time of each attempt.
    pub(super) attempt: Nanos,
    /// Next to the other small one: padding between fields would have to be copied, too.
    pub(super) cuts: Cuts,
    pub(super) retry_timeouts: bool,
}

/// Running attempts that the end of the operation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cuts {
    All,
    /// All but the first, which would leave no error of the callback.
    Later,
    None,
}

/// Why an attempt must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Attempt,
    Deadline,
}

impl Limits {
    pub(super) const NONE: Self = Self {
        total: Nanos::NONE,
        attempt: Nanos::NONE,
        cuts: Cuts::All,
        retry_timeouts: true,
    };
}

/// The limits that a form of failure has room for: [`Limits`], or `()` for none. Then the compiler leaves out what
/// they need.
pub trait MaybeLimits: Copy {
    /// Whether there may be any.
    const ANY: bool;

    type Timer<Sleep: Future>: LimitTimer;

    fn get(self) -> Limits;

    /// The timer of an attempt with this limit.
    fn timer<Sleep: Future>(limit: Option<(Limit, Sleep)>) -> Self::Timer<Sleep>;
}

/// The timer of an attempt.
pub trait LimitTimer {
    /// Whether the attempt is polled for the first time.
    fn starts(self: Pin<&mut Self>) -> bool;

    fn is_over(self: Pin<&mut Self>, cx: &mut Context<'_>) -> bool;

    fn limit(self: Pin<&mut Self>) -> Limit;
}

pin_project! {
    /// A timer, if there is a limit.
    #[derive(Debug)]
    pub struct Timed<Sleep> {
        limit: Limit,
        started: bool,
        #[pin]
        timer: Option<Sleep>,
    }
}

impl<Sleep: Future> LimitTimer for Timed<Sleep> {
    #[inline]
    fn starts(self: Pin<&mut Self>) -> bool {
        !mem::replace(self.project().started, true)
    }

    #[inline]
    fn is_over(self: Pin<&mut Self>, cx: &mut Context<'_>) -> bool {
        let timer = self.project().timer.as_pin_mut();
        timer.is_some_and(|timer| matches!(timer.poll(cx), Poll::Ready(_)))
    }

    #[inline]
    fn limit(self: Pin<&mut Self>) -> Limit {
        *self.project().limit
    }
}

impl LimitTimer for () {
    #[inline]
    fn starts(self: Pin<&mut Self>) -> bool {
        false
    }

    #[inline]
    fn is_over(self: Pin<&mut Self>, _: &mut Context<'_>) -> bool {
        false
    }

    #[inline]
    fn limit(self: Pin<&mut Self>) -> Limit {
        Limit::Deadline
    }
}

impl MaybeLimits for Limits {
    const ANY: bool = true;
    type Timer<Sleep: Future> = Timed<Sleep>;

    #[inline]
    fn get(self) -> Limits {
        self
    }

    #[inline]
    fn timer<Sleep: Future>(limit: Option<(Limit, Sleep)>) -> Timed<Sleep> {
        let (limit, timer) = limit.unzip();
        Timed {
            limit: limit.unwrap_or(Limit::Deadline),
            started: false,
            timer,
        }
    }
}

impl MaybeLimits for () {
    const ANY: bool = false;
    type Timer<Sleep: Future> = ();

    #[inline]
    fn get(self) -> Limits {
        Limits::NONE
    }

    #[inline]
    fn timer<Sleep: Future>(_: Option<(Limit, Sleep)>) {}
}
