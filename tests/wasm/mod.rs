//! The same tests for every host: the full build, as `wasm-pack build` makes it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect};
use rejitter::{RetryOptions, RetryPolicy, Seed};
use rejitter_wasm::bindings as js;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{VECTORS, Vector, delays_ms, http, vectors};

mod timers;

#[wasm_bindgen(inline_js = "
export function abort_soon(controller, reason) { setTimeout(() => controller.abort(reason), 10); }
export function new_controller() { return new AbortController(); }
export function signal_of(controller) { return controller.signal; }
")]
extern "C" {
    fn abort_soon(controller: &JsValue, reason: &JsValue);
    fn new_controller() -> JsValue;
    fn signal_of(controller: &JsValue) -> JsValue;
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in entries {
        Reflect::set(&object, &JsValue::from_str(name), value).unwrap();
    }
    object.into()
}

/// A callback that records each attempt's number and answers by it.
struct Callback {
    attempts: Rc<RefCell<Vec<f64>>>,
    closure: Closure<dyn FnMut(JsValue) -> Result<JsValue, JsValue>>,
}

impl Callback {
    fn new(mut answer: impl FnMut(f64) -> Result<JsValue, JsValue> + 'static) -> Self {
        let attempts = Rc::new(RefCell::new(Vec::new()));
        let seen = attempts.clone();
        let closure = Closure::wrap(Box::new(move |attempt: JsValue| {
            let number = Reflect::get(&attempt, &"attempt".into())?.as_f64().unwrap();
            seen.borrow_mut().push(number);
            answer(number)
        })
            as Box<dyn FnMut(JsValue) -> Result<JsValue, JsValue>>);
        Self { attempts, closure }
    }

    fn function(&self) -> &Function {
        self.closure.as_ref().unchecked_ref()
    }

    fn attempts(&self) -> Vec<f64> {
        self.attempts.borrow().clone()
    }
}

async fn outcome(promise: Result<Promise, JsValue>) -> Result<JsValue, JsValue> {
    JsFuture::from(promise.expect("retry functions never throw")).await
}

#[wasm_bindgen_test]
fn golden_vectors_are_the_same_in_wasm() {
    for Vector {
        name,
        policy,
        seed,
        delays,
    } in vectors(VECTORS)
    {
        let ours: Vec<f64> = delays_ms(&policy, seed).take(delays.len()).collect();
        assert_eq!(ours, delays, "{name}");
    }
}

#[wasm_bindgen_test]
fn a_million_random_policies_have_the_same_delays_as_natively() {
    assert_eq!(crate::common::differential::first_difference(), None);
}

#[wasm_bindgen_test]
fn http_is_read_in_wasm_as_it_is_natively() {
    http::check_hints();
    http::check_statuses_and_methods();
    http::check_random_headers();
    http::check_dates_and_noise();
}

#[wasm_bindgen_test]
fn numbers_that_are_no_policy_are_refused_without_a_panic() {
    let none = f64::NAN;
    let decide = |attempt: u32, jitter: u32, base: f64| {
        js::decide(
            attempt, 0.5, 2, jitter, base, none, none, 0, none, 0, none, none, false, none, none,
            0.5,
        )
    };
    assert_eq!(decide(1, 1, 100.0), 50.0);
    assert_eq!(decide(u32::MAX, 1, 100.0), 5_000.0);
    for nonsense in [-1.0, -1e300, f64::NEG_INFINITY] {
        let answer = decide(1, 0, nonsense);
        assert!(answer.is_nan() || answer >= 0.0, "{nonsense}: {answer}");
    }
    for jitter in 0..12 {
        for number in [none, f64::INFINITY, -1.0, 0.0, 1e308] {
            let answer = decide(7, jitter, number);
            assert!(answer.is_nan() || answer >= -3.0);
        }
    }
    assert!((0.0..1.0).contains(&js::draw(1, 2, none, f64::INFINITY, 7)));
}

#[wasm_bindgen_test]
async fn a_callback_that_fails_twice_succeeds_at_the_third_attempt() {
    let callback = Callback::new(|attempt| {
        if attempt < 3.0 {
            Err(JsValue::from_str("not yet"))
        } else {
            Ok(JsValue::from_str("done"))
        }
    });
    let options = object(&[("baseMs", 1.into())]);
    let result = outcome(js::retry_with_full_jitter(callback.function(), &options)).await;
    assert_eq!(result, Ok(JsValue::from_str("done")));
    assert_eq!(callback.attempts(), [1.0, 2.0, 3.0]);
}

#[wasm_bindgen_test]
async fn the_last_error_comes_out_by_identity_from_every_function() {
    type RetryFunction = fn(&Function, &JsValue) -> Result<Promise, JsValue>;
    let functions: [(&str, RetryFunction); 8] = [
        ("retry", js::retry),
        ("retryWithFullJitter", js::retry_with_full_jitter),
        ("retryWithEqualJitter", js::retry_with_equal_jitter),
        (
            "retryWithDecorrelatedJitter",
            js::retry_with_decorrelated_jitter,
        ),
        (
            "retryWithExponentialBackoff",
            js::retry_with_exponential_backoff,
        ),
        ("retryWithLinearBackoff", js::retry_with_linear_backoff),
        ("retryWithFixedDelay", js::retry_with_fixed_delay),
        (
            "retryWithTruncatedBackoff",
            js::retry_with_truncated_backoff,
        ),
    ];
    for (name, function) in functions {
        let thrown: JsValue = Object::new().into();
        let error = thrown.clone();
        let callback = Callback::new(move |_| Err(error.clone()));
        let options = object(&[("baseMs", 0.into()), ("maxAttempts", 3.into())]);
        let result = outcome(function(callback.function(), &options)).await;
        assert!(Object::is(&result.unwrap_err(), &thrown), "{name}");
        assert_eq!(callback.attempts(), [1.0, 2.0, 3.0], "{name}");
    }
}

#[wasm_bindgen_test]
async fn an_abort_ends_a_long_wait_at_once_with_its_reason() {
    let controller = new_controller();
    let reason: JsValue = Object::new().into();
    let callback = Callback::new(|_| Err(JsValue::NULL));
    let options = object(&[
        ("baseMs", 60_000.into()),
        ("minMs", 30_000.into()),
        ("signal", signal_of(&controller)),
    ]);
    abort_soon(&controller, &reason);
    let result = outcome(js::retry(callback.function(), &options)).await;
    assert!(Object::is(&result.unwrap_err(), &reason));
    assert_eq!(callback.attempts(), [1.0]);
}

#[wasm_bindgen_test]
async fn bad_options_reject_before_the_callback_is_called() {
    let callback = Callback::new(|_| Ok(JsValue::UNDEFINED));
    let options = object(&[("baseMs", (-1).into())]);
    let error = outcome(js::retry(callback.function(), &options))
        .await
        .unwrap_err();
    let message = String::from(js_sys::Error::from(error).message());
    assert!(message.contains("rejitter: baseMs must be "), "{message}");
    assert!(callback.attempts().is_empty());
}

#[wasm_bindgen_test]
async fn callbacks_may_start_operations_of_their_own() {
    let inner_calls = Rc::new(Cell::new(0));
    let calls = inner_calls.clone();
    let callback = Callback::new(move |attempt| {
        calls.set(calls.get() + 1);
        let inner = Callback::new(move |_| Ok(attempt.into()));
        let promise = js::retry(inner.function(), &JsValue::UNDEFINED)?;
        if attempt < 2.0 {
            return Err(JsValue::NULL);
        }
        Ok(promise.into())
    });
    let options = object(&[("baseMs", 0.into())]);
    let result = outcome(js::retry(callback.function(), &options)).await;
    assert_eq!(result, Ok(2.0.into()));
    assert_eq!(inner_calls.get(), 2);
}

#[wasm_bindgen_test]
fn seeds_come_from_the_host() {
    let (a, b) = (Seed::random().unwrap(), Seed::random().unwrap());
    assert_ne!(a, b);
    let policy = RetryPolicy::from_options(RetryOptions::default()).unwrap();
    let waits = |seed| {
        delays_ms(&policy, seed)
            .map(JsValue::from)
            .collect::<Array>()
    };
    assert_eq!(waits(a).length(), 5);
}
