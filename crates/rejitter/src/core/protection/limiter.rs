//! The limiter: attempts start no faster than a server takes them.

use core::mem::offset_of;

use super::place;
use crate::core::MAX_MS;

/// A timer that is late by at most this, in ms, does not move the grid of starts: timers are always a little late.
const LATE_MS: f64 = 50.0;

/// How fast attempts may start.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct Rate {
    /// Time of one unit, in ms; 0 without a limit.
    pub interval_ms: f64,
    /// Units that may start at once after a pause.
    pub burst: f64,
}

impl Rate {
    /// The rate of `limit` units per `per_ms`.
    #[must_use]
    pub fn new(limit: f64, per_ms: f64, burst: f64) -> Self {
        Self {
            interval_ms: (per_ms / limit).min(MAX_MS),
            burst,
        }
    }

    /// How much earlier than at even distances a start of this weight may be, in ms.
    fn slack_ms(&self, weight: f64) -> f64 {
        (self.burst - weight).max(0.0) * self.interval_ms
    }
}

/// The generic cell rate algorithm (GCRA), and the time that the server asked everyone to wait.
///
/// A weight is the number of units that the start of an attempt takes: 1, unless the caller says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct Limiter {
    /// Theoretical arrival time: when the next unit is due, if units start at even distances.
    tat: f64,
    /// How far `tat` was ahead of the last start at most, in ms.
    ahead_ms: f64,
    /// Time until which the server asked everyone to wait.
    until: f64,
    /// How long that was when it asked, in ms.
    paused_ms: f64,
}

impl Limiter {
    /// Place of the time until which the server asked everyone to wait.
    pub const PAUSED_UNTIL: u32 = place(offset_of!(Self, until));
    /// Number of fields.
    pub const FIELDS: u32 = place(size_of::<Self>());

    /// A limiter from which nothing has started.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            tat: 0.0,
            ahead_ms: 0.0,
            until: 0.0,
            paused_ms: 0.0,
        }
    }

    /// Returns how long a start of this weight has to wait, in ms, 0 if it may start now. `queued` units start before
    /// it: the wait is then the shortest that is possible.
    #[must_use]
    pub fn wait_ms(&mut self, rate: &Rate, now: f64, weight: f64, queued: f64) -> f64 {
        self.clamp(now);
        let earliest = self.until.max(now);
        let due = self.tat.max(earliest) + queued * rate.interval_ms - rate.slack_ms(weight);
        due.max(earliest) - now
    }

    /// Follows the start of an attempt. `waited` says that it was due by the limiter's own timer: if that was a little
    /// late, the next start is due as if it had been in time.
    pub fn start(&mut self, rate: &Rate, now: f64, weight: f64, waited: bool) {
        self.clamp(now);
        let late_ms = now - (self.tat - rate.slack_ms(weight));
        let base = if waited && late_ms <= LATE_MS {
            self.tat
        } else {
            self.tat.max(now)
        };
        self.tat = base + weight * rate.interval_ms;
        self.ahead_ms = weight.max(rate.burst) * rate.interval_ms;
    }

    /// Lets nothing start for `hint_ms` from now on, because the server asked for it, and returns true, unless an
    /// earlier hint ends as late.
    ///
    /// `draw`, in `[0, 1)`, adds up to half of that time, and up to `base_ms` at least: if all clients of the server
    /// came back at once, they would cause the next hint.
    pub fn pause(&mut self, now: f64, hint_ms: f64, base_ms: f64, draw: f64) -> bool {
        self.clamp(now);
        let ms = (hint_ms + draw * (hint_ms / 2.0).max(base_ms)).min(MAX_MS);
        let is_longer = now + ms > self.until;
        if is_longer {
            self.until = now + ms;
            self.paused_ms = ms;
        }
        is_longer
    }

    /// After the clock was set back, no attempt waits longer than if all units had just started.
    fn clamp(&mut self, now: f64) {
        self.tat = self.tat.min(now + self.ahead_ms);
        self.until = self.until.min(now + self.paused_ms);
    }
}
