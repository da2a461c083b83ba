//! Options of a row by their names in JavaScript, read into structs.

use rejitter::{BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, UNLIMITED};
use serde_json::{Value, json};

use super::number;

/// An option of a row.
pub trait Field {
    fn of(value: &Value) -> Self;
}

impl Field for f64 {
    fn of(value: &Value) -> Self {
        number(value)
    }
}

impl Field for u32 {
    fn of(value: &Value) -> Self {
        u32::try_from(value.as_u64().expect("a count")).expect("of 32 bits")
    }
}

impl Field for u64 {
    fn of(value: &Value) -> Self {
        value.as_u64().unwrap_or(UNLIMITED)
    }
}

impl Field for bool {
    fn of(value: &Value) -> Self {
        *value == json!(true)
    }
}

impl<T: Field> Field for Option<T> {
    fn of(value: &Value) -> Self {
        Some(T::of(value))
    }
}

/// Sets the fields that the row has, by their names in JavaScript.
macro_rules! read {
    ($row:expr, $options:expr; $($field:ident)+) => {
        $(if let Some(value) = $row.get(rejitter::data::camel_case(stringify!($field))) {
            $options.$field = $crate::common::fields::Field::of(value);
        })+
    };
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
    read!(row, options; capacity per_success cost refund);
    options
}

pub fn breaker(row: &Value) -> BreakerOptions {
    let mut options = BreakerOptions::default();
    read!(row, options; failure_ratio minimum_calls window_ms consecutive_failures);
    read!(row, options; open_ms max_open_ms close_after);
    options
}

pub fn cooldown(row: &Value) -> CooldownOptions {
    let mut options = CooldownOptions::default();
    read!(row, options; max_hold_ms);
    options
}

pub fn hedge(row: &Value) -> HedgeOptions {
    let mut options = HedgeOptions::default();
    read!(row, options; quantile delay_ms max_ratio);
    options
}
