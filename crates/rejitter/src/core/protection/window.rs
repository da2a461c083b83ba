//! The window: what happened during the last `window_ms`, in two slices instead of a list of events.

use crate::core::elementary::floor;

/// Counts of one slice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Slice {
    /// Attempts that succeeded or failed.
    pub(super) ended: f64,
    pub(super) failures: f64,
    /// Attempts that were admitted, and whose end said something or is still to come.
    pub(super) begun: f64,
    /// The first ticket of an attempt that it counts.
    pub(super) from: f64,
}

impl Slice {
    const fn new(from: f64) -> Self {
        Self {
            ended: 0.0,
            failures: 0.0,
            begun: 0.0,
            from,
        }
    }
}

/// The present slice, which is at most `window_ms` old, and the slice before it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Window {
    pub(super) current: Slice,
    previous: Slice,
    /// Start of the present slice, in ms.
    pub(super) started_at: f64,
}

impl Window {
    /// `next` is the next ticket.
    pub(super) const fn new(now: f64, next: f64) -> Self {
        Self {
            current: Slice::new(next),
            previous: Slice::new(next),
            started_at: now,
        }
    }

    /// Starts the slice that `now` lies in. Slices start a whole number of windows after the first one.
    pub(super) fn turn(&mut self, window_ms: f64, now: f64, next: f64) {
        self.started_at = self.started_at.min(now);
        let age = now - self.started_at;
        if age >= window_ms {
            if age >= 2.0 * window_ms {
                self.current = Slice::new(next);
            }
            self.previous = self.current;
            self.current = Slice::new(next);
            self.started_at += floor(age / window_ms) * window_ms;
        }
    }

    /// Forgets that an attempt was admitted, in the slice that counts it.
    pub(super) fn take_back(&mut self, ticket: f64) {
        // Sums, and no branches: those become an address, which JavaScript has not.
        let current = ticket >= self.current.from;
        let previous = !current && ticket >= self.previous.from;
        self.current.begun -= f64::from(u8::from(current));
        self.previous.begun -= f64::from(u8::from(previous));
    }

    /// Returns the failures of the last `window_ms`. The slice before counts with the share of it that the window still
    /// covers, as if its events were spread evenly. [`turn`](Self::turn) comes first.
    pub(super) fn failures(&self, window_ms: f64, now: f64) -> f64 {
        self.current.failures + self.previous.failures * self.share(window_ms, now)
    }

    /// Returns the calls, counted like the [`failures`](Self::failures).
    ///
    /// Calls that still run count, too. Failures come faster than successes: after a silence, or where answers take
    /// longer than the window, a ratio of what has ended would open the circuit of a healthy service.
    // Never inlined, as `Breaker::left`.
    #[inline(never)]
    pub(super) fn calls(&self, window_ms: f64, now: f64) -> f64 {
        let share = self.share(window_ms, now);
        let ended = self.current.ended + self.previous.ended * share;
        let begun = self.current.begun + self.previous.begun * share;
        begun.max(ended)
    }

    fn share(&self, window_ms: f64, now: f64) -> f64 {
        1.0 - (now - self.started_at) / window_ms
    }
}
