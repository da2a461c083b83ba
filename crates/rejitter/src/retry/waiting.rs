//! Attempts with a limit, pauses, and the time that both take.

use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use pin_project_lite::pin_project;

use super::limits::{Limit, LimitTimer};
use super::nanos::Nanos;
use super::protection::Turn;
use super::sleeper::LONGEST;
use super::{AttemptError, Sleeper, TimeoutError};

pin_project! {
    /// An attempt that ends at its limit.
    pub struct Limited<Fut, Timer> {
        #[pin]
        timer: Timer,
        #[pin]
        attempt: Fut,
    }
}

pin_project! {
    /// A wait during which other tasks can run, even if it is zero. Returns whether its time has passed.
    pub(super) struct Pause<Sleep> {
        #[pin]
        timer: Option<Sleep>,
        yielded: bool,
        // It ends when its task is woken, too.
        interruptible: bool,
    }
}

/// The earliest that it can be: the start of the operation and its waits. It is the time for sleepers without a clock,
/// and for those whose clock is not the one that is read, such as the function of a runtime that a test has paused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed(Nanos);

impl Passed {
    pub(super) const ZERO: Self = Self(Nanos::ZERO);

    #[inline]
    pub(super) fn add(&mut self, duration: Duration) {
        self.0 = self.0.plus(duration.into());
    }

    /// Adds the time of an attempt that was dropped at its limit.
    pub(super) fn add_limit<E>(&mut self, error: &AttemptError<E>, deadline: Nanos) {
        match error {
            AttemptError::Timeout(TimeoutError::Attempt { after }) => self.add(*after),
            AttemptError::Timeout(TimeoutError::Deadline { .. }) => self.0 = self.0.max(deadline),
            _ => {}
        }
    }

    /// The start of an operation that needs the time: returns the reading of its clock, if it has one.
    pub(super) fn start(&mut self, clock: impl FnOnce() -> Option<Duration>) -> Option<Nanos> {
        let reading = clock().map(Nanos::from);
        self.0 = reading.unwrap_or(Nanos::ZERO);
        reading
    }

    /// The time. An operation that needs none reads no clock.
    #[inline]
    pub(super) fn read(self, timed: bool, clock: impl FnOnce() -> Option<Duration>) -> Nanos {
        if timed {
            clock().map_or(self.0, |now| self.0.max(now.into()))
        } else {
            Nanos::ZERO
        }
    }
}

impl<Fut, Timer> Limited<Fut, Timer> {
    pub(super) fn new(timer: Timer, attempt: Fut) -> Self {
        Self { timer, attempt }
    }

    /// Ends the running attempt when this timer ends.
    pub(super) fn end_at(self: Pin<&mut Self>, timer: Timer) {
        self.project().timer.set(timer);
    }
}

impl<Fut: Future, Timer: LimitTimer> Limited<Fut, Timer> {
    /// Runs until the attempt or its limit ends.
    pub(super) fn poll(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Fut::Output, Limit>> {
        let mut this = self.project();
        let first = this.timer.as_mut().starts();
        // The timer is polled first. An attempt that is always ready uses up what a runtime lets its task do in a
        // poll, and Tokio's timers would never end in what is left of it. A success at once arms none.
        let late = !first && this.timer.as_mut().is_over(cx);
        // An attempt that has ended has ended in time.
        if let Poll::Ready(output) = this.attempt.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        if late || first && this.timer.as_mut().is_over(cx) {
            return Poll::Ready(Err(this.timer.as_mut().limit()));
        }
        Poll::Pending
    }
}

/// Whether a wait of zero needs a timer: in JavaScript hosts, other tasks than ours run after timers alone.
const TIMERS_YIELD: bool = cfg!(all(target_family = "wasm", target_os = "unknown"));

impl<Sleep> Pause<Sleep> {
    pub(super) fn new(
        duration: Duration,
        sleeper: &(impl Sleeper<Sleep = Sleep> + ?Sized),
    ) -> Self {
        let is_timed = TIMERS_YIELD || !duration.is_zero();
        Self {
            timer: is_timed.then(|| sleeper.sleep(duration)),
            yielded: false,
            interruptible: false,
        }
    }

    /// A wait for a turn.
    pub(super) fn for_turn(turn: Turn, sleeper: &(impl Sleeper<Sleep = Sleep> + ?Sized)) -> Self {
        let longest = turn.longest();
        Self {
            timer: (longest < LONGEST).then(|| sleeper.sleep(longest)),
            yielded: false,
            interruptible: true,
        }
    }
}

impl<Sleep: Future> Future for Pause<Sleep> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<bool> {
        let mut this = self.project();
        let is_timed = this.timer.as_mut().as_pin_mut().is_some();
        if let Some(timer) = this.timer.as_mut().as_pin_mut() {
            if timer.poll(cx).is_pending() {
                if *this.interruptible && *this.yielded {
                    return Poll::Ready(false);
                }
                *this.yielded = true;
                return Poll::Pending;
            }
            this.timer.set(None);
        }
        if *this.interruptible && is_timed {
            return Poll::Ready(true);
        }
        if !mem::replace(this.yielded, true) {
            // A wait of zero lets other tasks run, too.
            if !*this.interruptible {
                cx.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
        Poll::Ready(!*this.interruptible)
    }
}
