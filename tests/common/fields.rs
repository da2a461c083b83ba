//! Options of the parts of a protection, by their names in JavaScript, read into structs.

use rejitter::internals::protection::LimiterOptions;
use rejitter::{BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, UNLIMITED};
use serde_json::Value;

use super::number;

/// The number with this name.
fn field(row: &Value, name: &str) -> Option<f64> {
    row.get(name).map(number)
}

/// The count with this name, which may be infinite.
fn count(row: &Value, name: &str) -> Option<u64> {
    row.get(name)
        .map(|count| count.as_u64().unwrap_or(UNLIMITED))
}

/// A budget, over a preset if there is one.
pub fn budget(row: &Value) -> BudgetOptions {
    let standard = match row.get("preset") {
        Some(_) => BudgetOptions::AWS_SDK_2026,
        None => BudgetOptions::DEFAULT,
    };
    BudgetOptions {
        capacity: field(row, "capacity").or(standard.capacity),
        per_success: field(row, "perSuccess").or(standard.per_success),
        cost: field(row, "cost").or(standard.cost),
        refund: row["refund"].as_bool().unwrap_or(standard.refund),
        // A cost of one's own is that of all retries.
        throttled_cost: standard
            .throttled_cost
            .filter(|_| row.get("cost").is_none()),
        ..standard
    }
}

pub fn breaker(row: &Value) -> BreakerOptions {
    BreakerOptions {
        failure_ratio: field(row, "failureRatio"),
        minimum_calls: count(row, "minimumCalls"),
        window_ms: field(row, "windowMs"),
        consecutive_failures: count(row, "consecutiveFailures"),
        open_ms: field(row, "openMs"),
        max_open_ms: field(row, "maxOpenMs"),
        close_after: row
            .get("closeAfter")
            .map(|count| count.as_u64().unwrap().try_into().unwrap()),
        ..BreakerOptions::DEFAULT
    }
}

pub fn cooldown(row: &Value) -> CooldownOptions {
    CooldownOptions {
        max_hold_ms: field(row, "maxHoldMs"),
        probe: row.get("probe").is_none_or(|probe| probe == true),
        ..CooldownOptions::DEFAULT
    }
}

pub fn limiter(row: &Value) -> LimiterOptions {
    LimiterOptions {
        limit: field(row, "limit"),
        per_ms: field(row, "perMs"),
        burst: count(row, "burst"),
        concurrency: count(row, "concurrency"),
        max_queue: count(row, "maxQueue"),
        ..LimiterOptions::DEFAULT
    }
}

pub fn hedge(row: &Value) -> HedgeOptions {
    HedgeOptions {
        quantile: field(row, "quantile"),
        delay_ms: field(row, "delayMs"),
        max_ratio: field(row, "maxRatio"),
        ..HedgeOptions::DEFAULT
    }
}
