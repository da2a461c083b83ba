//! The budget: retries after failures take tokens, successes give some back.

use core::mem::offset_of;

use super::options::{checked, thousandths};
use super::place;
use crate::core::{Problems, Range, options, within};

/// Most tokens of a budget.
const MOST_TOKENS: f64 = 1e9;
/// Tokens that a retry takes unless another number is set.
const COST: f64 = 1.0;

options! {
    /// Options of [`Protection::budget`](crate::Protection::budget). `None` means the default.
    BudgetOptions:

    /// Tokens of a full budget, which it starts with: 0 for no retries, at most 10^9. Defaults to 50. Make it 50, or
    /// the number of requests in 10 ms if that is more: it then allows for a total failure of 10 ms.
    capacity: Option<f64> = None,
    /// Tokens that an operation returns if it succeeds and its retries have taken none: 0, or between 0.001 and 1,000.
    /// Defaults to 0.1. With 0.2, no call fails for want of tokens up to 30% of failing attempts, instead of one in
    /// ten, but in some overloads the server then stays down.
    per_success: Option<f64> = None,
    /// Tokens that a retry after a failure takes, or a hedge: at least 0.001, at most the capacity if that is not 0.
    /// Defaults to 1.
    cost: Option<f64> = None,
    /// Whether an operation that succeeds after a retry returns the tokens of its last retry, instead of
    /// `per_success`. Defaults to true: where failures are independent, the budget then stays full up to a
    /// failure rate of 24%, and it runs dry as fast as without if no retry succeeds.
    refund: bool = true,
    /// Tokens that a retry takes if the server asked for fewer requests. Defaults to the cost.
    #[doc(hidden)]
    throttled_cost: Option<f64> = None,
}

checked! { BudgetOptions }

/// [`BudgetOptions`] with the defaults, in thousandths of a token.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct BudgetSettings {
    pub capacity: f64,
    pub per_success: f64,
    pub cost: f64,
    pub throttled_cost: f64,
    pub refund: bool,
}

impl BudgetOptions {
    /// The budget of the AWS SDKs of 2026: 500 tokens, of which a retry takes 14, or 5 if the server asked for fewer
    /// requests. A success returns 1, or what its last retry took.
    pub const AWS_SDK_2026: Self = Self {
        capacity: Some(500.0),
        per_success: Some(1.0),
        cost: Some(14.0),
        refund: true,
        throttled_cost: Some(5.0),
        _more: (),
    };

    /// Finds the problems, in the order of the fields.
    pub(crate) fn problems(&self) -> Problems {
        const CAPACITY: Range = (0.0, MOST_TOKENS, "a non-negative number, at most 10^9");
        const RULE: &str = "a number, at least 0.001 and at most capacity";
        const COSTS: Range = (0.001, MOST_TOKENS, RULE);
        let mut problems = Problems::NONE;
        problems.range("budget.capacity", self.capacity, CAPACITY);
        problems.require(
            "budget.per_success",
            self.per_success,
            "0 or a number between 0.001 and 1,000",
            self.per_success == Some(0.0) || within(self.per_success, 0.001, 1_000.0),
        );
        problems.range("budget.cost", self.cost, COSTS);
        problems.range("budget.throttled_cost", self.throttled_cost, COSTS);
        if problems.first().is_none() {
            const RULE: &str = "at most capacity";
            let settings = self.settings();
            let fits = |cost| settings.capacity == 0.0 || cost <= settings.capacity;
            let cost = self.cost.or(Some(COST));
            problems.require("budget.cost", cost, RULE, fits(settings.cost));
            let (cost, allowed) = (self.throttled_cost, fits(settings.throttled_cost));
            problems.require("budget.throttled_cost", cost, RULE, allowed);
        }
        problems
    }

    /// The options with the defaults.
    #[doc(hidden)]
    #[must_use]
    pub fn settings(&self) -> BudgetSettings {
        let cost = thousandths(self.cost.unwrap_or(COST));
        BudgetSettings {
            capacity: thousandths(self.capacity.unwrap_or(50.0)),
            per_success: thousandths(self.per_success.unwrap_or(0.1)),
            cost,
            throttled_cost: self.throttled_cost.map_or(cost, thousandths),
            refund: self.refund,
        }
    }
}

/// A token bucket without a clock. All amounts are thousandths of a token: whole numbers, which `f64` adds exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Budget {
    tokens: f64,
    /// Credits that [`take`](Self::take) has not added to `tokens` yet.
    pending: f64,
}

impl Budget {
    /// Place of the credits.
    pub const PENDING: u32 = place(offset_of!(Self, pending));

    /// A full budget.
    #[must_use]
    pub const fn new(capacity: f64) -> Self {
        Self {
            tokens: capacity,
            pending: 0.0,
        }
    }

    /// Adds tokens: for a success, or because a token that was taken was not used.
    ///
    /// Nothing but additions happens until the next retry asks, so one cut at the capacity then gives the same number
    /// as a cut after each addition.
    pub fn credit(&mut self, amount: f64) {
        self.pending += amount;
    }

    /// Takes the cost of a retry if that much is left. Returns whether the retry may happen.
    #[must_use]
    pub fn take(&mut self, capacity: f64, cost: f64) -> bool {
        self.tokens = self.tokens(capacity);
        self.pending = 0.0;
        let granted = self.tokens >= cost;
        if granted {
            self.tokens -= cost;
        }
        granted
    }

    /// Returns the tokens that are left, credits included.
    #[must_use]
    pub fn tokens(&self, capacity: f64) -> f64 {
        (self.tokens + self.pending).min(capacity)
    }
}
