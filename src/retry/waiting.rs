//! Attempts with a limit, pauses, and the time that both take.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::operation::Limit;
use super::{AttemptError, TryFuture};

pin_project! {
    /// An attempt that ends at its limit.
    pub struct Limited<Fut, Sleep> {
        pub(super) limit: Option<Limit>,
        #[pin]
        timer: Option<Sleep>,
        #[pin]
        attempt: Fut,
    }
}

pin_project! {
    /// A wait during which other tasks can run, even if it is zero.
    pub(super) struct Pause<Sleep> {
        #[pin]
        timer: Option<Sleep>,
        yielded: bool,
    }
}

/// The earliest that it can be: the start of the operation and its waits. It is the time for sleepers without a clock,
/// and for those whose clock is not the one that is read, such as the function of a runtime that a test has paused.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passed(Duration);

impl Passed {
    pub(super) fn add(&mut self, duration: Duration) {
        self.0 = self.0.saturating_add(duration);
    }

    /// Adds the time of an attempt that was dropped at its limit.
    pub(super) fn add_limit<E>(&mut self, error: &AttemptError<E>, limit: Option<Limit>) {
        if let (AttemptError::Timeout(_), Some(limit)) = (error, limit) {
            self.add(limit.after);
        }
    }

    /// The start of an operation: returns the reading of its clock, if it needs one and has one.
    pub(super) fn start(
        &mut self,
        timed: bool,
        clock: impl FnOnce() -> Option<Duration>,
    ) -> Option<Duration> {
        let reading = timed.then(clock).flatten();
        self.0 = reading.unwrap_or_default();
        reading
    }

    /// The time. An operation that needs none reads no clock.
    pub(super) fn read(self, timed: bool, clock: impl FnOnce() -> Option<Duration>) -> Duration {
        if timed {
            clock().map_or(self.0, |now| now.max(self.0))
        } else {
            Duration::ZERO
        }
    }
}

impl<Fut, Sleep> Limited<Fut, Sleep> {
    pub(super) fn new(limit: Option<Limit>, timer: Option<Sleep>, attempt: Fut) -> Self {
        Self {
            limit,
            timer,
            attempt,
        }
    }

    /// Ends the attempt when this timer ends, instead.
    pub(super) fn end_at(self: Pin<&mut Self>, limit: Limit, timer: Sleep) {
        let mut this = self.project();
        *this.limit = Some(limit);
        this.timer.set(Some(timer));
    }
}

impl<Fut: TryFuture, Sleep: Future> Limited<Fut, Sleep> {
    /// Runs until the attempt or its limit ends. `put_back`: receives the state of an attempt that has ended.
    pub(super) fn poll(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        put_back: impl FnOnce(Fut::State),
    ) -> Poll<Result<Fut::Ok, AttemptError<Fut::Error>>> {
        let this = self.project();
        // The timer is polled first. An attempt that is always ready uses up what a runtime lets its task do in a
        // poll, and Tokio's timers would never end in what is left of it.
        let timer = this.timer.as_pin_mut();
        let late = timer.is_some_and(|timer| timer.poll(cx).is_ready());
        // An attempt that has ended has ended in time.
        if let Poll::Ready(output) = this.attempt.poll(cx) {
            let (outcome, state) = Fut::split(output);
            put_back(state);
            return Poll::Ready(outcome.map_err(AttemptError::Error));
        }
        match this.limit {
            Some(limit) if late => Poll::Ready(Err(AttemptError::Timeout(limit.error))),
            _ => Poll::Pending,
        }
    }
}

impl<Sleep> Pause<Sleep> {
    pub(super) fn new(timer: Sleep) -> Self {
        Self {
            timer: Some(timer),
            yielded: false,
        }
    }
}

impl<Sleep: Future> Future for Pause<Sleep> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        if let Some(timer) = this.timer.as_mut().as_pin_mut() {
            if timer.poll(cx).is_pending() {
                *this.yielded = true;
                return Poll::Pending;
            }
            this.timer.set(None);
        }
        if !std::mem::replace(this.yielded, true) {
            // A wait of zero lets other tasks run, too.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}
