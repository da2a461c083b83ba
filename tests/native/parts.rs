//! The parts of a protection: defaults and ranges of their options, against the table that JavaScript is held to
//! (`tests/vectors/parts.json`).

use rejitter::{
    BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, OptionErrors, UNLIMITED,
};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

/// The count, if the value is one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn count(value: f64) -> Option<u64> {
    if value == f64::INFINITY {
        return Some(UNLIMITED);
    }
    (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
}

/// Whether the part accepts the option; `None` if Rust's types rule it out.
fn checked(row: &Value, value: f64) -> Option<Result<(), OptionErrors>> {
    let mut budget = BudgetOptions {
        cost: row["beside"]["cost"].as_f64(),
        ..BudgetOptions::default()
    };
    let (mut breaker, mut cooldown) = (BreakerOptions::default(), CooldownOptions::default());
    breaker.open_ms = row["beside"]["openMs"].as_f64();
    let mut hedge = HedgeOptions::default();
    match row["option"].as_str().unwrap() {
        "capacity" => budget.capacity = Some(value),
        "perSuccess" => budget.per_success = Some(value),
        "cost" => budget.cost = Some(value),
        "failureRatio" => breaker.failure_ratio = Some(value),
        "minimumCalls" => breaker.minimum_calls = Some(count(value)?),
        "windowMs" => breaker.window_ms = Some(value),
        "consecutiveFailures" => breaker.consecutive_failures = Some(count(value)?),
        "openMs" => breaker.open_ms = Some(value),
        "maxOpenMs" => breaker.max_open_ms = Some(value),
        "closeAfter" => breaker.close_after = Some(u32::try_from(count(value)?).ok()?),
        "maxHoldMs" => cooldown.max_hold_ms = Some(value),
        "quantile" => hedge.quantile = Some(value),
        "delayMs" => hedge.delay_ms = Some(value),
        "maxRatio" => hedge.max_ratio = Some(value),
        option => panic!("{option} is not an option"),
    }
    let checked = budget.check().and(breaker.check()).and(cooldown.check());
    Some(checked.and(hedge.check()))
}

#[test]
fn options_have_the_defaults_and_ranges_of_the_table() {
    let table: Value = serde_json::from_str(include_str!("../vectors/parts.json")).unwrap();
    let budget = BudgetOptions::default().settings();
    let breaker = BreakerOptions::default().settings();
    let hedge = HedgeOptions::default().settings();
    assert_eq!(hedge.delay_ms, None);
    let mut defaults = vec![
        ("capacity", budget.capacity / 1e3),
        ("perSuccess", budget.per_success / 1e3),
        ("cost", budget.cost / 1e3),
        ("failureRatio", breaker.failure_ratio),
        ("minimumCalls", breaker.minimum_calls),
        ("windowMs", breaker.window_ms),
        ("consecutiveFailures", breaker.consecutive_failures),
        ("openMs", breaker.open_ms),
        ("maxOpenMs", breaker.max_open_ms),
        ("closeAfter", breaker.close_after),
        ("quantile", hedge.quantile),
        ("maxRatio", hedge.per_success / 1e3),
    ];
    for row in table["rows"].as_array().unwrap() {
        let option = row["option"].as_str().unwrap();
        if row["default"].is_null() {
            let without = ["delayMs", "maxHoldMs"];
            assert!(without.contains(&option), "{option} has a default");
        } else {
            let at = defaults.iter().position(|(name, _)| *name == option);
            let (_, default) =
                defaults.remove(at.unwrap_or_else(|| panic!("{option} is there twice")));
            assert_eq!(default, number(&row["default"]), "default of {option}");
        }
        for value in row["accepts"].as_array().unwrap() {
            let found = checked(row, number(value));
            assert_eq!(found, Some(Ok(())), "{option}: {value}");
        }
        for value in row["rejects"].as_array().unwrap() {
            if let Some(found) = checked(row, number(value)) {
                let problems = found.expect_err(&format!("{option}: {value}"));
                let [problem] = problems.problems() else {
                    panic!("{option}: {value}: {problems}");
                };
                assert_eq!(problem.option.replace('_', ""), option.to_lowercase());
            }
        }
    }
    assert_eq!(defaults, [], "options that the table lacks");
}
