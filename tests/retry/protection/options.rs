//! Invalid options of the parts.

use rejitter::{BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, OptionErrors};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn invalid_options_are_all_named_with_their_rules() {
    let text = |checked: Result<(), OptionErrors>| checked.unwrap_err().to_string();
    let budget = BudgetOptions {
        capacity: Some(-1.0),
        per_success: Some(0.000_5),
        cost: Some(f64::NAN),
        ..BudgetOptions::default()
    };
    assert_eq!(
        text(budget.check()),
        "capacity must be a non-negative number, at most 10^9, got -1; \
         per_success must be 0 or a number between 0.001 and 1,000, got 0.0005; \
         cost must be a number, at least 0.001 and at most capacity, got NaN"
    );
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
    let breaker = BreakerOptions {
        failure_ratio: Some(1.5),
        minimum_calls: Some(0),
        window_ms: Some(99.0),
        consecutive_failures: Some(0),
        open_ms: Some(f64::INFINITY),
        close_after: Some(1_001),
        ..BreakerOptions::default()
    };
    assert_eq!(
        text(breaker.check()),
        "failure_ratio must be a positive number, at most 1, got 1.5; \
         minimum_calls must be a positive integer or infinity, got 0; \
         window_ms must be a number of milliseconds between 100 and 3,600,000, got 99; \
         consecutive_failures must be a positive integer or infinity, got 0; \
         open_ms must be a positive number of milliseconds, at most 2^53 - 1, got inf; \
         close_after must be an integer between 1 and 1,000, got 1001"
    );
    let cooldown = CooldownOptions {
        max_hold_ms: Some(-1.0),
        ..CooldownOptions::default()
    };
    assert_eq!(
        text(cooldown.check()),
        "max_hold_ms must be a non-negative number of milliseconds or infinity, got -1"
    );
}

#[test]
fn invalid_hedge_options_are_all_named_with_their_rules() {
    let text = |options: HedgeOptions| options.check().unwrap_err().to_string();
    let all = HedgeOptions {
        quantile: Some(1.0),
        delay_ms: Some(-1.0),
        max_ratio: Some(0.0),
        ..HedgeOptions::default()
    };
    assert_eq!(
        text(all),
        "quantile must be a number above 0 and below 1, got 1; \
         delay_ms must be a non-negative number of milliseconds, at most 2^53 - 1, got -1; \
         max_ratio must be a number between 0.001 and 1, got 0"
    );
    let both = HedgeOptions {
        quantile: Some(0.5),
        delay_ms: Some(50.0),
        ..HedgeOptions::default()
    };
    assert_eq!(
        text(both),
        "quantile must be omitted, because delay_ms takes its place, got 0.5"
    );
}
