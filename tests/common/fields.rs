//! Options of a row by their names in JavaScript, read into structs.

use rejitter::data::snake_case;
use rejitter::{BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions};
use serde_json::Value;

use super::number;

/// Passes on the numbers of a row, and switches as 1 or 0, by their names in Rust.
fn each(row: &Value, mut set: impl FnMut(&str, f64)) {
    for (name, value) in row.as_object().into_iter().flatten() {
        let switch = value.as_bool().map(|is_on| f64::from(u8::from(is_on)));
        if name != "preset" {
            set(&snake_case(name), switch.unwrap_or_else(|| number(value)));
        }
    }
}

/// A budget, over a preset if there is one.
pub fn budget(row: &Value) -> BudgetOptions {
    let mut options = BudgetOptions::default();
    if row.get("preset").is_some() {
        options = BudgetOptions::AWS_SDK_2026;
    }
    if row.get("cost").is_some() {
        options.throttled_cost = None;
    }
    each(row, |name, number| options.set(name, number));
    options
}

pub fn breaker(row: &Value) -> BreakerOptions {
    let mut options = BreakerOptions::default();
    each(row, |name, number| options.set(name, number));
    options
}

pub fn cooldown(row: &Value) -> CooldownOptions {
    let mut options = CooldownOptions::default();
    each(row, |name, number| options.set(name, number));
    options
}

pub fn hedge(row: &Value) -> HedgeOptions {
    let mut options = HedgeOptions::default();
    each(row, |name, number| options.set(name, number));
    options
}
