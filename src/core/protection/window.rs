//! The window: what happened during the last `window_ms`, in two slices instead of a list of events.

use crate::core::elementary::floor;

/// Counts of attempts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Counts {
    pub(super) successes: f64,
    pub(super) failures: f64,
    /// Attempts that were admitted, whether they have ended or not.
    pub(super) begun: f64,
}

impl Counts {
    const NONE: Self = Self {
        successes: 0.0,
        failures: 0.0,
        begun: 0.0,
    };
}

/// The present slice, which is at most `window_ms` old, and the slice before it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Window {
    pub(super) current: Counts,
    previous: Counts,
    /// Start of the present slice, in ms.
    started_at: f64,
}

impl Window {
    pub(super) const fn new(now: f64) -> Self {
        Self {
            current: Counts::NONE,
            previous: Counts::NONE,
            started_at: now,
        }
    }

    /// Starts the slice that `now` lies in. Slices start a whole number of windows after the first one.
    pub(super) fn turn(&mut self, window_ms: f64, now: f64) {
        self.started_at = self.started_at.min(now);
        let age = now - self.started_at;
        if age >= window_ms {
            if age >= 2.0 * window_ms {
                self.current = Counts::NONE;
            }
            self.previous = self.current;
            self.current = Counts::NONE;
            self.started_at += floor(age / window_ms) * window_ms;
        }
    }

    /// Returns the counts of the last `window_ms`. The slice before counts with the share of it that the window still
    /// covers, as if its events were spread evenly. [`turn`](Self::turn) comes first.
    pub(super) fn counts(&self, window_ms: f64, now: f64) -> Counts {
        let share = 1.0 - (now - self.started_at) / window_ms;
        let sum = |current: f64, previous: f64| current + previous * share;
        Counts {
            successes: sum(self.current.successes, self.previous.successes),
            failures: sum(self.current.failures, self.previous.failures),
            begun: sum(self.current.begun, self.previous.begun),
        }
    }
}
