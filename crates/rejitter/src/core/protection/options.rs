//! Options of the parts of a protection, and their validation.

use super::{BreakerSettings, Rate};
use crate::core::elementary::floor;
use crate::core::{
    MAX_MS, NOT_NEGATIVE, OptionErrors, Problems, Range, UNLIMITED, options, within,
};

/// Most tokens of a budget.
const MOST_TOKENS: f64 = 1e9;
/// The least number above 0.
pub(super) const LEAST: f64 = f64::from_bits(1);
/// Tokens that a retry takes unless another number is set.
const COST: f64 = 1.0;
const OPEN_MS: f64 = 1_000.0;

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
    /// Number of calls below which the ratio is not evaluated: at least 1; [`UNLIMITED`] for never. Defaults to 20.
    /// A first attempt is a call, and so is a retry that succeeds. Calls that are running count.
    minimum_calls: Option<u64> = None,
    /// Length of the window, in ms: between 100 and 3,600,000. Defaults to 10,000. Make it longer than a usual
    /// answer takes.
    window_ms: Option<f64> = None,
    /// Number of failures in a row at which the circuit opens, too, however few calls there are: at least 1;
    /// [`UNLIMITED`] for never. Defaults to 50, or to 10 if the first call of the row started at least a second ago. A
    /// row is what started after the last success, and at least half of it must have failed.
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

options! {
    /// Options of [`Protection::cooldown`](crate::Protection::cooldown). `None` means the default.
    CooldownOptions:

    /// Longest time of a hold, in ms: non-negative or infinite. Attempts that would be held longer are rejected. An
    /// attempt is held once, so an operation is held at most `max_attempts` times this, and the time drawn for each.
    /// Defaults to [`max_retry_after`](crate::RetryPolicy::with_max_retry_after) of the policy: they wait as long as
    /// the one that the server asked. The deadline bounds all holds together.
    max_hold_ms: Option<f64> = None,
    /// Whether one attempt passes each hold, because the limit may be that of one route, and the server's guess too
    /// long. Without a probe nobody does: an attempt that was held is held again while a later hint has not ended. For
    /// servers that count, or ban for, what comes too early. Defaults to true.
    probe: bool = true,
}

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

macro_rules! checked {
    ($($type:ident)+) => {$(
        impl $type {
            /// Validates options that were read at run time, such as a configuration file's.
            ///
            /// # Errors
            /// Lists every invalid option, with its value and its rule.
            pub fn check(&self) -> Result<(), $crate::core::OptionErrors> {
                self.problems()
                    .into_result()
                    .map_err($crate::core::protection::options::own_names)
            }
        }
    )+};
}
pub(super) use checked;

checked! { BudgetOptions BreakerOptions CooldownOptions LimiterOptions }

/// Problems name the part and the option, such as `budget.cost`. In the options of one part the option is enough.
pub(super) fn own_names(mut errors: OptionErrors) -> OptionErrors {
    for problem in &mut errors.0 {
        if let Some((_, option)) = problem.option.split_once('.') {
            problem.option = option;
        }
    }
    errors
}

/// Tokens are counted in thousandths: whole numbers, which add up exactly.
pub(crate) fn thousandths(tokens: f64) -> f64 {
    floor(tokens * 1_000.0 + 0.5)
}

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

/// A count as a number, in which [`UNLIMITED`] is infinity.
// Counts beyond 2^53 are never reached.
#[allow(clippy::cast_precision_loss)]
fn number(count: u64) -> f64 {
    if count == UNLIMITED {
        f64::INFINITY
    } else {
        count as f64
    }
}

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

impl CooldownOptions {
    pub(crate) fn problems(&self) -> Problems {
        let mut problems = Problems::NONE;
        problems.range("cooldown.max_hold_ms", self.max_hold_ms, NOT_NEGATIVE);
        problems
    }
}

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
