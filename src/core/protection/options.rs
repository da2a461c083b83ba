//! Options of the parts: their defaults and their ranges.

use alloc::vec::Vec;

use super::BreakerOptions;
use crate::core::elementary::floor;
use crate::core::{MAX_MS, OptionError};

/// Options of a budget, in tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetOptions {
    /// Tokens when it is full, which it is at first. Above 0 and at most 10^9. Defaults to 50.
    pub capacity: f64,
    /// Tokens for an operation that succeeds. 0, or between 0.001 and 1000. Defaults to 0.1.
    pub per_success: f64,
    /// Tokens that a retry takes. Between 0.001 and the capacity. Defaults to 1.
    pub cost: f64,
    /// Whether a success after a retry returns the tokens of the last retry, instead of `per_success`. Defaults to
    /// true.
    pub refund: bool,
}

impl BudgetOptions {
    /// The budget of the AWS SDKs since 2026, for errors other than throttling.
    pub const AWS_SDK_2026: Self = Self {
        capacity: 500.0,
        per_success: 1.0,
        cost: 14.0,
        refund: true,
    };

    /// Adds what is out of range.
    pub(crate) fn check(&self, problems: &mut Vec<OptionError>) {
        let (capacity, per_success, cost) = (self.capacity, self.per_success, self.cost);
        let has_capacity = capacity > 0.0 && capacity <= 1e9;
        let rule = "above 0 and at most 10^9 tokens";
        require(problems, "budget.capacity", capacity, rule, has_capacity);
        let allowed = per_success == 0.0 || (0.001..=1e3).contains(&per_success);
        let rule = "0, or between 0.001 and 1,000 tokens";
        require(problems, "budget.per_success", per_success, rule, allowed);
        let allowed = cost >= 0.001 && (cost <= capacity || !has_capacity);
        let rule = "between 0.001 tokens and the capacity";
        require(problems, "budget.cost", cost, rule, allowed);
    }
}

impl Default for BudgetOptions {
    fn default() -> Self {
        Self {
            capacity: 50.0,
            per_success: 0.1,
            cost: 1.0,
            refund: true,
        }
    }
}

/// The tokens in thousandths, as a [`Budget`](super::Budget) counts them.
pub(crate) fn thousandths(tokens: f64) -> f64 {
    floor(tokens * 1e3 + 0.5)
}

impl BreakerOptions {
    /// Adds what is out of range.
    pub(crate) fn check(&self, problems: &mut Vec<OptionError>) {
        let ratio = self.failure_ratio;
        let allowed = ratio > 0.0 && ratio <= 1.0;
        let rule = "above 0 and at most 1";
        require(problems, "breaker.failure_ratio", ratio, rule, allowed);
        let counts = |count: f64| count >= 1.0 && floor(count) == count;
        let rule = "a positive integer or Infinity";
        for (option, count) in [
            ("breaker.minimum_calls", self.minimum_calls),
            ("breaker.consecutive_failures", self.consecutive_failures),
        ] {
            require(problems, option, count, rule, counts(count));
        }
        let (window, open) = (self.window_ms, self.open_ms);
        let allowed = (100.0..=3.6e6).contains(&window);
        let rule = "between 100 and 3,600,000 milliseconds";
        require(problems, "breaker.window_ms", window, rule, allowed);
        let allowed = open > 0.0 && open <= MAX_MS;
        let rule = "above 0 and at most 2^53 - 1 milliseconds";
        require(problems, "breaker.open_ms", open, rule, allowed);
        let many = self.close_after;
        let allowed = counts(many) && many <= 1e3;
        let rule = "an integer between 1 and 1,000";
        require(problems, "breaker.close_after", many, rule, allowed);
    }
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self {
            failure_ratio: 0.5,
            minimum_calls: 10.0,
            window_ms: 10_000.0,
            consecutive_failures: f64::INFINITY,
            open_ms: 5_000.0,
            close_after: 1.0,
        }
    }
}

fn require(
    problems: &mut Vec<OptionError>,
    option: &'static str,
    value: f64,
    rule: &'static str,
    allowed: bool,
) {
    if !allowed {
        problems.push(OptionError {
            option,
            value,
            rule,
        });
    }
}
