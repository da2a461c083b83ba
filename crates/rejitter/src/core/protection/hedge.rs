//! Options of hedges. The machine that they need is the budget, and the latency unless their delay is set.

use super::options::{LEAST, checked, thousandths};
use crate::core::{MAX_MS, Problems, Range, options, within};

options! {
    /// Options of [`Protection::hedge`](crate::Protection::hedge). `None` means the default.
    HedgeOptions:

    /// A hedge starts when this share of first attempts has ended, learned from those of the last 30 to 60 s: above
    /// 0, below 1. No hedge starts before 20 of them have succeeded or timed out. Defaults to 0.95.
    quantile: Option<f64> = None,
    /// Time after which a hedge starts, in ms, instead of the learned one: non-negative, at most [`MAX_MS`].
    /// Defaults to the quantile. Set at most one of the two.
    delay_ms: Option<f64> = None,
    /// Hedges per successful operation: between 0.001 and 1. At most 10 are saved up, as at the start. Defaults to
    /// 0.1.
    max_ratio: Option<f64> = None,
}

checked! { HedgeOptions }

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
    /// Finds the problems, in the order of the fields.
    pub(crate) fn problems(&self) -> Problems {
        const LONG: &str = "a non-negative number of milliseconds, at most 2^53 - 1";
        const DELAY: Range = (0.0, MAX_MS, LONG);
        const RATIO: Range = (0.001, 1.0, "a number between 0.001 and 1");
        let quantile = self.quantile;
        let allowed = within(quantile, LEAST, 1.0) && quantile != Some(1.0);
        let rule = "a number above 0 and below 1";
        let mut problems = Problems::NONE;
        problems.require("hedge.quantile", quantile, rule, allowed);
        problems.range("hedge.delay_ms", self.delay_ms, DELAY);
        problems.range("hedge.max_ratio", self.max_ratio, RATIO);
        if problems.first().is_none() {
            let rule = "omitted, because delay_ms takes its place";
            problems.require("hedge.quantile", quantile, rule, self.delay_ms.is_none());
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
