//! Options of hedges. The machine that they need is the budget, and the latency unless their delay is set.

use super::options::{LEAST, options, thousandths};
use crate::core::{MAX_MS, Problems, within};

/// Options of [`Protection::hedge`](crate::Protection::hedge). `None` means the default.
///
/// ```
/// use rejitter::HedgeOptions;
/// use std::time::Duration;
///
/// const OPTIONS: HedgeOptions = HedgeOptions::DEFAULT.with_delay(Duration::from_millis(50));
/// assert!(OPTIONS.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HedgeOptions {
    /// A hedge starts when this share of first attempts has ended, learned from those of the last 30 to 60 s: above
    /// 0, below 1. No hedge starts before 20 of them have succeeded or timed out. Defaults to 0.95.
    pub quantile: Option<f64>,
    /// Time after which a hedge starts, in ms, instead of the learned one: non-negative, at most [`MAX_MS`].
    /// Defaults to the quantile. Set at most one of the two.
    pub delay_ms: Option<f64>,
    /// Hedges per successful operation: between 0.001 and 1. At most 10 are saved up, as at the start. Defaults to
    /// 0.1.
    pub max_ratio: Option<f64>,
    /// More options may follow: end a list of some with `..HedgeOptions::default()`.
    #[doc(hidden)]
    #[allow(clippy::pub_underscore_fields)]
    pub _more: (),
}

options!(HedgeOptions);

/// [`HedgeOptions`] with the defaults.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct HedgeSettings {
    /// `None` if the delay is learned.
    pub delay_ms: Option<f64>,
    pub quantile: f64,
    /// Hedges per successful operation, in thousandths.
    pub per_success: f64,
}

impl HedgeSettings {
    /// A hedge, in thousandths.
    pub const COST: f64 = 1_000.0;
    /// Hedges that may start before an operation has succeeded, in thousandths.
    pub const CAPACITY: f64 = 10.0 * Self::COST;
}

impl HedgeOptions {
    /// `HedgeOptions::default()`, for constants: every option unset.
    pub const DEFAULT: Self = Self {
        quantile: None,
        delay_ms: None,
        max_ratio: None,
        _more: (),
    };

    /// Finds the problems, in the order of the fields.
    pub(crate) fn problems(&self) -> Problems {
        let mut problems = Problems::NONE;
        problems.require(
            "hedge.quantile",
            self.quantile,
            "a number above 0 and below 1",
            within(self.quantile, LEAST, 1.0) && self.quantile != Some(1.0),
        );
        problems.require(
            "hedge.delay_ms",
            self.delay_ms,
            "a non-negative number of milliseconds, at most 2^53 - 1",
            within(self.delay_ms, 0.0, MAX_MS),
        );
        problems.require(
            "hedge.max_ratio",
            self.max_ratio,
            "a number between 0.001 and 1",
            within(self.max_ratio, 0.001, 1.0),
        );
        if problems.first().is_none() {
            problems.require(
                "hedge.quantile",
                self.quantile,
                "omitted, because delay_ms takes its place",
                self.delay_ms.is_none(),
            );
        }
        problems
    }

    /// The options with the defaults.
    #[doc(hidden)]
    #[must_use]
    pub fn settings(&self) -> HedgeSettings {
        HedgeSettings {
            delay_ms: self.delay_ms,
            quantile: self.quantile.unwrap_or(0.95),
            per_success: thousandths(self.max_ratio.unwrap_or(0.1)),
        }
    }
}
