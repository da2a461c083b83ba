//! Options of a breaker.

use core::mem::offset_of;

use super::options::{LEAST, checked, number};
use super::place;
use crate::core::{MAX_MS, Problems, Range, options};

const OPEN_MS: f64 = 1_000.0;

options! {
    /// Options of [`Protection::breaker`](crate::Protection::breaker). `None` means the default.
    ///
    /// ```
    /// use rejitter::{BreakerOptions, UNLIMITED};
    ///
    /// // Five failures in a row, also at once, and no ratio.
    /// const OPTIONS: BreakerOptions = BreakerOptions {
    ///     consecutive_failures: Some(5),
    ///     minimum_calls: Some(UNLIMITED),
    ///     ..BreakerOptions::DEFAULT
    /// };
    /// assert!(OPTIONS.check().is_ok());
    /// ```
    BreakerOptions:

    /// The circuit opens when failures are at least this share of the calls, both within `window_ms`: above 0,
    /// at most 1. Defaults to 0.75.
    failure_ratio: Option<f64> = None,
    /// Number of calls below which the ratio is not evaluated: at least 1; [`UNLIMITED`](crate::UNLIMITED) for never.
    /// Defaults to 20. A first attempt is a call, and so is a retry that succeeds. Calls that are running count.
    minimum_calls: Option<u64> = None,
    /// Length of the window, in ms: between 100 and 3,600,000. Defaults to 10,000. Make it longer than a usual
    /// answer takes.
    window_ms: Option<f64> = None,
    /// Number of failures in a row at which the circuit opens, too, however few calls there are: at least 1;
    /// [`UNLIMITED`](crate::UNLIMITED) for never. Defaults to 50, or to 10 if the first call of the row started at
    /// least a second ago. A row is what started after the last success, and at least half of it must have failed.
    consecutive_failures: Option<u64> = None,
    /// Longest time of a first opening, in ms: above 0, at most [`MAX_MS`]. Defaults to 1,000. Each further opening in
    /// a row lasts up to twice as long. The length is drawn from the upper half, so that clients do not probe in step.
    open_ms: Option<f64> = None,
    /// Longest time of all openings, in ms: at least `open_ms`, maybe infinite. Defaults to 4,000, or to `open_ms` if
    /// that is longer. Make it longer where many thousands of processes call one server.
    max_open_ms: Option<f64> = None,
    /// Number of successes that close the circuit after an opening: between 1 and 1,000. Defaults to 1.
    close_after: Option<u32> = None,
}

checked! { BreakerOptions }

impl BreakerOptions {
    /// Finds the problems, in the order of the fields.
    pub(crate) fn problems(&self) -> Problems {
        const RATIO: Range = (LEAST, 1.0, "a positive number, at most 1");
        const COUNT: Range = (1.0, f64::INFINITY, "a positive integer or infinity");
        const TIME: &str = "a number of milliseconds between 100 and 3,600,000";
        const WINDOW: Range = (100.0, 3_600_000.0, TIME);
        const POSITIVE: &str = "a positive number of milliseconds, at most 2^53 - 1";
        const OPEN: Range = (LEAST, MAX_MS, POSITIVE);
        const LONGER: &str = "a number of milliseconds, at least open_ms, or infinity";
        const CLOSE_AFTER: Range = (1.0, 1_000.0, "an integer between 1 and 1,000");
        let max_open = (self.open_ms.unwrap_or(OPEN_MS), f64::INFINITY, LONGER);
        let minimum = self.minimum_calls.map(number);
        let row = self.consecutive_failures.map(number);
        let close_after = self.close_after.map(f64::from);
        let mut problems = Problems::NONE;
        for (option, value, range) in [
            ("breaker.failure_ratio", self.failure_ratio, RATIO),
            ("breaker.minimum_calls", minimum, COUNT),
            ("breaker.window_ms", self.window_ms, WINDOW),
            ("breaker.consecutive_failures", row, COUNT),
            ("breaker.open_ms", self.open_ms, OPEN),
            ("breaker.max_open_ms", self.max_open_ms, max_open),
            ("breaker.close_after", close_after, CLOSE_AFTER),
        ] {
            problems.range(option, value, range);
        }
        problems
    }

    /// The options with the defaults.
    #[doc(hidden)]
    #[must_use]
    pub fn settings(&self) -> BreakerSettings {
        let open_ms = self.open_ms.unwrap_or(OPEN_MS);
        BreakerSettings {
            failure_ratio: self.failure_ratio.unwrap_or(0.75),
            minimum_calls: number(self.minimum_calls.unwrap_or(20)),
            window_ms: self.window_ms.unwrap_or(10_000.0),
            consecutive_failures: self.consecutive_failures.map_or(50.0, number),
            open_ms,
            max_open_ms: self.max_open_ms.unwrap_or(open_ms.max(4_000.0)),
            close_after: f64::from(self.close_after.unwrap_or(1)),
            // A number of the caller's replaces both.
            lasting_failures: self.consecutive_failures.map_or(10.0, |_| f64::INFINITY),
        }
    }
}

/// Settings of a [`Breaker`](super::Breaker), validated by the caller.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct BreakerSettings {
    /// The circuit opens if failures are at least this share of the calls. In `(0, 1]`.
    pub failure_ratio: f64,
    /// Calls below which the ratio says nothing. A positive integer, or infinity: the ratio never opens the circuit.
    pub minimum_calls: f64,
    /// Length of the window in which calls and failures are counted, in ms. Positive and finite.
    pub window_ms: f64,
    /// Failures in a row that open the circuit, too, at once. A positive integer, or infinity.
    pub consecutive_failures: f64,
    /// Upper bound of the first opening, in ms. Each further one lasts up to twice as long. Positive and finite.
    pub open_ms: f64,
    /// Upper bound of all openings, in ms. At least `open_ms`, maybe infinite.
    pub max_open_ms: f64,
    /// Successes that close a half-open circuit. A positive integer.
    pub close_after: f64,
    /// Failures in a row that open the circuit, too, if the row has lasted for a second. A positive integer, or
    /// infinity. If both are infinite, no row opens it.
    pub lasting_failures: f64,
}

impl BreakerSettings {
    /// Place of the length of the window.
    pub const WINDOW_MS: u32 = place(offset_of!(Self, window_ms));
}
