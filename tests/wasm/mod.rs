//! What the host of a wasm file brings, and what is computed in wasm: as natively, and without a panic.

use rejitter::{RetryPolicy, Seed};
use rejitter_wasm::bindings as js;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{delays_ms, differential, http};

mod timers;

#[wasm_bindgen_test]
fn a_million_random_policies_have_the_same_delays_as_natively() {
    assert_eq!(differential::first_difference(), None);
}

#[wasm_bindgen_test]
fn http_is_read_in_wasm_as_it_is_natively() {
    http::check_hints();
    http::check_random_headers();
}

#[wasm_bindgen_test]
fn numbers_that_are_no_policy_are_refused_without_a_panic() {
    let none = f64::NAN;
    let decide = |attempt: u32, jitter: u32, base: f64| {
        js::decide(
            attempt, 0.5, 2, jitter, base, 1e4, none, 0, none, 0, none, none, false, none, none,
            0.5,
        )
    };
    assert_eq!(decide(1, 1, 100.0), 50.0);
    assert_eq!(decide(u32::MAX, 1, 100.0), 5_000.0);
    for nonsense in [-1.0, -1e300, f64::NEG_INFINITY] {
        let answer = decide(1, 0, nonsense);
        assert!(answer >= 0.0, "{nonsense}: {answer}");
    }
    for jitter in 0..12 {
        for number in [none, f64::INFINITY, -1.0, 0.0, 1e308] {
            let answer = decide(7, jitter, number);
            assert!(answer >= 0.0, "{jitter}, {number}: {answer}");
        }
    }
    assert!((0.0..1.0).contains(&js::draw(1, 2, 3, u32::MAX, u32::MAX, 4, 7)));
}

#[wasm_bindgen_test]
fn seeds_come_from_the_host() {
    let waits = || {
        let seed = Seed::random().unwrap();
        delays_ms(&RetryPolicy::default(), seed).collect::<Vec<_>>()
    };
    assert_eq!(waits().len(), 5);
    assert_ne!(waits(), waits());
}
