//! The limiter: attempts start no faster than a server takes them.

use core::mem::offset_of;

use super::options::{LEAST, checked, number};
use super::place;
use crate::core::{MAX_MS, Problems, Range, UNLIMITED, options};

options! {
    /// Options of a limiter. `None` means the default. At least one of `limit` and `concurrency` is set.
    LimiterOptions:

    /// Units that start per `per_ms` on average: positive. The start of an attempt takes one, unless its operation has
    /// another weight. Defaults to no limit. Servers that count otherwise than the client sends may need one per cent
    /// less than theirs.
    limit: Option<f64> = None,
    /// The time that `limit` is for, in ms: positive, at most [`MAX_MS`]. Defaults to 1,000.
    per_ms: Option<f64> = None,
    /// Units that may start at once after a pause: at least 1, at most `limit` or 1. Defaults to 1: starts at even
    /// distances, so that no window of a server ever has more than `limit`. Set it to the size of a server's token
    /// bucket.
    burst: Option<u64> = None,
    /// Number of attempts that run at the same time: at least 1; [`UNLIMITED`] for any. Defaults to [`UNLIMITED`].
    concurrency: Option<u64> = None,
    /// Number of attempts that may wait for their turn; [`UNLIMITED`] for any. An attempt that comes when so many wait
    /// is rejected. Defaults to 1,000.
    max_queue: Option<u64> = None,
}

checked! { LimiterOptions }

/// [`LimiterOptions`] with the defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct LimiterSettings {
    pub rate: Rate,
    /// Infinite without a limit.
    pub concurrency: f64,
    /// Infinite without a limit.
    pub max_queue: f64,
}

impl LimiterOptions {
    /// Finds the problems, in the order of the fields.
    pub(crate) fn problems(&self) -> Problems {
        const LIMIT: Range = (LEAST, f64::MAX, "a positive number");
        const TIME: &str = "a positive number of milliseconds, at most 2^53 - 1";
        const PER: Range = (LEAST, MAX_MS, TIME);
        const COUNT: Range = (1.0, f64::INFINITY, "a positive integer or infinity");
        let burst = self.burst.map(number);
        let most = self.limit.unwrap_or(1.0).max(1.0);
        let concurrency = self.concurrency.map(number);
        let mut problems = Problems::NONE;
        problems.range("limiter.limit", self.limit, LIMIT);
        problems.range("limiter.per_ms", self.per_ms, PER);
        if self.limit.is_none() {
            const RULE: &str = "omitted, because it applies only to a limit";
            problems.require("limiter.per_ms", self.per_ms, RULE, false);
            problems.require("limiter.burst", burst, RULE, false);
            let unset = Some(f64::NAN);
            let rule = "set, unless concurrency is";
            problems.require("limiter.limit", unset, rule, self.concurrency.is_some());
        } else {
            let range = (1.0, most, "an integer, at least 1 and at most limit");
            problems.range("limiter.burst", burst, range);
        }
        problems.range("limiter.concurrency", concurrency, COUNT);
        problems
    }

    /// The options with the defaults.
    #[doc(hidden)]
    #[must_use]
    pub fn settings(&self) -> LimiterSettings {
        let limit = self.limit.unwrap_or(f64::INFINITY);
        let burst = number(self.burst.unwrap_or(1));
        LimiterSettings {
            rate: Rate::new(limit, self.per_ms.unwrap_or(1_000.0), burst),
            concurrency: number(self.concurrency.unwrap_or(UNLIMITED)),
            max_queue: number(self.max_queue.unwrap_or(1_000)),
        }
    }
}

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
