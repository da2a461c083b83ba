//! The parts of a protection: defaults and ranges of their options, against the table that JavaScript is held to
//! (`tests/vectors/parts.json`).

use rejitter::internals::protection::LimiterOptions;
use rejitter::{BreakerOptions, BudgetOptions, HedgeOptions, OptionErrors, UNLIMITED};
use serde_json::{Value, json};

use crate::common::{fields, number};

/// Whether the part accepts the option; `None` if Rust's types rule it out.
fn checked(row: &Value, value: &Value) -> Option<Result<(), OptionErrors>> {
    let option = row["option"].as_str().unwrap();
    let is_count = match option {
        "closeAfter" => value.is_u64(),
        "minimumCalls" | "consecutiveFailures" | "burst" | "concurrency" | "maxQueue" => {
            value.is_u64() || *value == json!("Infinity")
        }
        _ => true,
    };
    if !is_count {
        return None;
    }
    let mut given = json!({});
    if let Some(beside) = row.get("beside") {
        given = beside.clone();
    }
    given[option] = value.clone();
    let checked = fields::budget(&given).check();
    let checked = checked.and(fields::breaker(&given).check());
    let checked = checked.and(fields::cooldown(&given).check());
    if row["part"] == "limiter" {
        return Some(fields::limiter(&given).check());
    }
    Some(checked.and(fields::hedge(&given).check()))
}

#[test]
fn options_have_the_defaults_and_ranges_of_the_table() {
    let table: Value = serde_json::from_str(include_str!("../vectors/parts.json")).unwrap();
    let budget = BudgetOptions::default().settings();
    let breaker = BreakerOptions::default().settings();
    let hedge = HedgeOptions::default().settings();
    assert_eq!(hedge.delay_ms, None);
    let limiter = LimiterOptions {
        limit: Some(1.0),
        ..LimiterOptions::default()
    };
    let limiter = limiter.settings();
    let mut defaults = vec![
        ("capacity", budget.capacity / 1e3),
        ("perSuccess", budget.per_success / 1e3),
        ("cost", budget.cost / 1e3),
        ("failureRatio", breaker.failure_ratio),
        ("minimumCalls", breaker.minimum_calls),
        ("windowMs", breaker.window_ms),
        ("openMs", breaker.open_ms),
        ("maxOpenMs", breaker.max_open_ms),
        ("closeAfter", breaker.close_after),
        ("perMs", limiter.rate.interval_ms),
        ("burst", limiter.rate.burst),
        ("concurrency", limiter.concurrency),
        ("maxQueue", limiter.max_queue),
        ("quantile", hedge.quantile),
        ("maxRatio", hedge.per_success / 1e3),
    ];
    for row in table["rows"].as_array().unwrap() {
        let option = row["option"].as_str().unwrap();
        if row["default"].is_null() {
            let without = ["consecutiveFailures", "delayMs", "limit", "maxHoldMs"];
            assert!(without.contains(&option), "{option} has a default");
        } else {
            let at = defaults.iter().position(|(name, _)| *name == option);
            let (_, default) =
                defaults.remove(at.unwrap_or_else(|| panic!("{option} is there twice")));
            assert_eq!(default, number(&row["default"]), "default of {option}");
        }
        for value in row["accepts"].as_array().unwrap() {
            let found = checked(row, value);
            assert_eq!(found, Some(Ok(())), "{option}: {value}");
        }
        for value in row["rejects"].as_array().unwrap() {
            if let Some(found) = checked(row, value) {
                let problems = found.expect_err(&format!("{option}: {value}"));
                let [problem] = problems.problems() else {
                    panic!("{option}: {value}: {problems}");
                };
                assert_eq!(problem.option.replace('_', ""), option.to_lowercase());
                let plain = |text: &str| text.to_lowercase().replace('_', "");
                let rule = row["rule"].as_str().unwrap();
                assert!(
                    plain(problem.rule) == plain(rule) || problem.rule == "at most capacity",
                    "{problem}"
                );
                assert_eq!(
                    problem.value.to_bits(),
                    number(value).to_bits(),
                    "{problem}"
                );
            }
        }
    }
    assert_eq!(defaults, [], "options that the table lacks");
}

#[test]
fn a_number_of_failures_in_a_row_replaces_both_defaults() {
    let rows = |consecutive_failures| {
        let options = BreakerOptions {
            consecutive_failures,
            ..BreakerOptions::default()
        };
        let settings = options.settings();
        (settings.consecutive_failures, settings.lasting_failures)
    };
    assert_eq!(rows(None), (50.0, 10.0));
    assert_eq!(rows(Some(50)), (50.0, f64::INFINITY));
    assert_eq!(rows(Some(UNLIMITED)), (f64::INFINITY, f64::INFINITY));
}

#[test]
fn the_longest_opening_is_no_shorter_than_the_first() {
    let longest = |open_ms, max_open_ms| {
        let options = BreakerOptions {
            open_ms: Some(open_ms),
            max_open_ms,
            ..BreakerOptions::default()
        };
        options.settings().max_open_ms
    };
    assert_eq!(longest(4_000.0, None), 4_000.0);
    assert_eq!(longest(4_001.0, None), 4_001.0);
    assert_eq!(longest(1_000.0, Some(2_000.0)), 2_000.0);
}

#[test]
fn options_that_do_not_go_together_are_named() {
    let text = |checked: Result<(), OptionErrors>| checked.unwrap_err().to_string();
    let dear = BudgetOptions {
        capacity: Some(0.5),
        ..BudgetOptions::default()
    };
    assert_eq!(text(dear.check()), "cost must be at most capacity, got 1");
    let throttled = BudgetOptions {
        capacity: Some(4.0),
        cost: Some(2.0),
        ..BudgetOptions::AWS_SDK_2026
    };
    assert_eq!(
        text(throttled.check()),
        "throttled_cost must be at most capacity, got 5"
    );
    let both = HedgeOptions {
        quantile: Some(0.5),
        delay_ms: Some(50.0),
        ..HedgeOptions::default()
    };
    assert_eq!(
        text(both.check()),
        "quantile must be omitted, because delay_ms takes its place, got 0.5"
    );
    let nothing = LimiterOptions::DEFAULT;
    let none = "limit must be set, unless concurrency is, got NaN";
    assert_eq!(text(nothing.check()), none);
    let burst = LimiterOptions {
        concurrency: Some(1),
        burst: Some(2),
        ..nothing
    };
    assert_eq!(
        text(burst.check()),
        "burst must be omitted, because it applies only to a limit, got 2"
    );
    // All at once, in the order of the fields.
    let all = HedgeOptions {
        quantile: Some(1.0),
        delay_ms: Some(-1.0),
        max_ratio: Some(0.0),
        ..HedgeOptions::default()
    };
    assert_eq!(
        text(all.check()),
        "quantile must be a number above 0 and below 1, got 1; \
         delay_ms must be a non-negative number of milliseconds, at most 2^53 - 1, got -1; \
         max_ratio must be a number between 0.001 and 1, got 0"
    );
}
