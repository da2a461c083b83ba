//! The simulations as JavaScript has them: the numbers are the model's.

use js_sys::{Array, JSON, RangeError, Reflect};
use rejitter::simulation::{
    Arrivals, BreakerOptions, BudgetOptions, HedgeDelay, HedgeRule, Hedging, HedgingOptions, Load,
    LoadBreaker, LoadBudget, LoadOptions, LoadProtection, Outage, OutageOptions, ServerLoad,
    ServiceTimes, Simulation,
};
use rejitter::{RetryOptions, RetryPolicy, Seed, UNLIMITED};
use rejitter_wasm::bindings::simulation as js;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

/// Exponential, full jitter, the defaults, without a limit of attempts.
const ENDLESS: &str = r#"{ "version": 1, "maxAttempts": "Infinity" }"#;

fn json(text: &str) -> JsValue {
    JSON::parse(text).expect("it is JSON")
}

/// The same policy and seed for the model. 2^32·3 + 7.
fn model_policy(max_attempts: u64) -> (RetryPolicy, Seed) {
    let options = RetryOptions {
        max_attempts: Some(max_attempts),
        ..RetryOptions::default()
    };
    (
        RetryPolicy::from_options(options).unwrap(),
        Seed::new(0x3_0000_0007),
    )
}

/// The part of an answer that the path leads to.
fn part(answer: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(answer.clone(), |value, name| {
        assert!(Reflect::has(&value, &name.into()).unwrap(), "no {name}");
        Reflect::get(&value, &name.into()).unwrap()
    })
}

fn number(answer: &JsValue, path: &str) -> f64 {
    part(answer, path).as_f64().expect("it is a number")
}

fn list(answer: &JsValue, path: &str) -> Vec<f64> {
    let values = Array::from(&part(answer, path)).into_iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

fn floats(counts: &[u32]) -> Vec<f64> {
    counts.iter().map(|n| f64::from(*n)).collect()
}

fn finished(simulation: Result<js::Running, JsValue>) -> JsValue {
    let mut simulation = simulation.expect("it is accepted");
    assert_eq!(part(&simulation.step(f64::INFINITY), "done"), JsValue::TRUE);
    simulation.result()
}

fn message(result: Result<js::Running, JsValue>) -> String {
    let Err(error) = result else {
        panic!("it was accepted");
    };
    let error: RangeError = error.dyn_into().expect("it is a RangeError");
    error.message().into()
}

#[wasm_bindgen_test]
fn an_outage_in_slices_is_the_model() {
    let options = r#"{ "clients": 200, "spreadMs": 500, "downMs": 3000, "capacityPerS": 40,
        "burst": 2, "rejectionCost": 0.25, "latencyMs": 5, "traced": 3 }"#;
    let mut simulation = js::outage(json(ENDLESS), 3, 7, json(options)).unwrap();
    let mut events = 0.0;
    loop {
        let progress = simulation.step(100.0);
        let now = number(&progress, "events");
        assert!(now - events <= 100.0 && (0.0..=1.0).contains(&number(&progress, "share")));
        events = now;
        if part(&progress, "done") == JsValue::TRUE {
            break;
        }
    }
    let (policy, seed) = model_policy(UNLIMITED);
    let mut model = Outage::new(OutageOptions {
        clients: 200,
        spread_ms: 500.0,
        down_ms: 3_000.0,
        capacity_per_s: 40.0,
        burst: 2.0,
        rejection_cost: 0.25,
        latency_ms: 5.0,
        traced: 3,
        ..OutageOptions::new(policy, seed)
    })
    .unwrap();
    assert_eq!(model.finish().events as f64, events);
    let result = simulation.result();
    let (bins, traces) = (model.bins(), model.traces());
    assert_eq!(number(&result, "binMs"), 100.0);
    for (name, counts) in [
        ("arrivals", bins.arrivals()),
        ("accepted", bins.accepted()),
        ("rejected", bins.rejected()),
        ("attempts", model.attempts()),
        ("traces.clients", traces.clients()),
        ("traces.outcomes", traces.outcomes()),
    ] {
        assert_eq!(list(&result, name), floats(counts), "{name}");
    }
    assert_eq!(list(&result, "latenciesMs"), model.latencies_ms());
    assert_eq!(list(&result, "servedMs"), model.served_ms());
    assert_eq!(list(&result, "traces.timesMs"), traces.times_ms());
    let (latency, work) = model.costs();
    assert_eq!(number(&result, "meanLatencyMs"), latency.mean);
    assert_eq!(number(&result, "meanAttempts"), work.mean);
    assert_eq!(number(&result, "giveUps"), 0.0);
}

#[wasm_bindgen_test]
fn load_is_the_model() {
    let arrivals = [
        (
            r#"{ "type": "regular", "perS": 280 }"#,
            Arrivals::Regular { per_s: 280.0 },
        ),
        (
            r#"{ "type": "poisson", "perS": 280 }"#,
            Arrivals::Poisson { per_s: 280.0 },
        ),
        (
            r#"{ "type": "closed", "clients": 280, "thinkMs": 900 }"#,
            Arrivals::Closed {
                clients: 280,
                think_ms: 900.0,
            },
        ),
    ];
    let tokens = |options, per_request, per_second| LoadProtection {
        budget: Some(LoadBudget::Tokens {
            options,
            per_request,
            per_second,
        }),
        breaker: None,
    };
    let small = BudgetOptions {
        capacity: Some(5.0),
        per_success: Some(0.0),
        cost: Some(2.0),
        refund: false,
        ..BudgetOptions::default()
    };
    let breaker = LoadBreaker {
        options: BreakerOptions {
            failure_ratio: Some(0.4),
            minimum_calls: Some(20),
            window_ms: Some(5_000.0),
            consecutive_failures: Some(300),
            open_ms: Some(2_000.0),
            close_after: Some(2),
            ..BreakerOptions::default()
        },
        draw: Some(0.25),
    };
    let protections = [
        ("{}", LoadProtection::default()),
        (
            r#"{ "budget": {} }"#,
            tokens(BudgetOptions::default(), 0.0, 0.0),
        ),
        (
            r#"{ "budget": { "preset": "awsSdk2026", "cost": 7, "perSecond": 3 } }"#,
            tokens(
                BudgetOptions {
                    cost: Some(7.0),
                    ..BudgetOptions::AWS_SDK_2026
                },
                0.0,
                3.0,
            ),
        ),
        (
            r#"{ "budget": { "capacity": 5, "perSuccess": 0, "cost": 2, "refund": false, "perRequest": 0.1 } }"#,
            tokens(small, 0.1, 0.0),
        ),
        (
            r#"{ "budget": { "maxTokens": 10, "tokenRatio": 0.1 }, "breaker": {} }"#,
            LoadProtection {
                budget: Some(LoadBudget::Grpc {
                    max_tokens: 10.0,
                    token_ratio: 0.1,
                }),
                breaker: Some(LoadBreaker::default()),
            },
        ),
        (
            r#"{ "breaker": { "failureRatio": 0.4, "minimumCalls": 20, "windowMs": 5000,
                "consecutiveFailures": 300, "openMs": 2000, "closeAfter": 2, "draw": 0.25 } }"#,
            LoadProtection {
                budget: None,
                breaker: Some(breaker),
            },
        ),
    ];
    for (text, protection) in protections {
        for (arrivals_text, arrivals) in arrivals {
            let options = format!(
                r#"{{ "arrivals": {arrivals_text}, "protection": {text}, "processes": 3 }}"#
            );
            let twice = json(r#"{ "version": 1, "maxAttempts": 2 }"#);
            let result = finished(js::load(twice, 3, 7, json(&options)));
            let (policy, seed) = model_policy(2);
            let mut model = Load::new(LoadOptions {
                arrivals,
                protection,
                processes: 3,
                ..LoadOptions::new(policy, seed)
            })
            .unwrap();
            model.finish();
            let bins = model.bins();
            for (name, counts) in [
                ("requests", &bins.requests),
                ("retries", &bins.retries),
                ("successes", &bins.successes),
                ("timeouts", &bins.timeouts),
                ("failures", &bins.failures),
                ("rejectedByBreaker", &bins.rejected_by_breaker),
                ("rejectedByBudget", &bins.rejected_by_budget),
                ("phases.processes", &model.phases().processes),
                ("phases.phases", &model.phases().phases),
            ] {
                assert_eq!(list(&result, name), floats(counts), "{name} of {text}");
            }
            assert_eq!(list(&result, "phases.timesMs"), model.phases().times_ms);
            let totals = model.totals();
            for (name, total) in [
                ("requests", totals.requests),
                ("retries", totals.retries),
                ("successes", totals.successes),
                ("giveUps", totals.give_ups),
                ("rejectedByBreaker", totals.rejected_by_breaker),
                ("rejectedByBudget", totals.rejected_by_budget),
                ("openings", totals.openings),
            ] {
                let found = number(&result, &format!("totals.{name}"));
                assert_eq!(found, total as f64, "{name} of {text}");
            }
            assert_eq!(
                part(&result, "admittedAfterMs").as_f64(),
                model.admitted_after_ms()
            );
            assert_eq!(list(&result, "responseMs").len(), 301);
            assert_eq!(
                part(&result, "recoveredAfterMs").as_f64(),
                model.recovered_after_ms()
            );
        }
    }
}

/// The package's tests compare the distributions with the digests of native Rust.
#[wasm_bindgen_test]
fn hedging_is_the_model() {
    let options = r#"{ "requests": 5000, "hedge": { "quantile": 0.8, "maxRatio": 0.05 },
        "service": { "meanMs": 12, "slowShare": 0.1, "slowFromMs": 90, "slowMeanMs": 70 },
        "load": { "servers": 3, "utilisation": 0.5 } }"#;
    let result = finished(js::hedging(3, 7, json(options)));
    let mut model = Hedging::new(HedgingOptions {
        requests: 5_000,
        service: ServiceTimes {
            mean_ms: 12.0,
            slow_share: 0.1,
            slow_from_ms: 90.0,
            slow_mean_ms: 70.0,
        },
        hedge: Some(HedgeRule {
            delay: HedgeDelay::Learned(0.8),
            max_ratio: 0.05,
        }),
        load: Some(ServerLoad {
            servers: 3,
            utilisation: 0.5,
        }),
        ..HedgingOptions::new(model_policy(1).1)
    })
    .unwrap();
    model.finish();
    let totals = model.totals();
    for (name, total) in [
        ("requests", totals.requests),
        ("hedges", totals.hedges),
        ("won", totals.won),
        ("rejected", totals.rejected),
    ] {
        let found = number(&result, &format!("totals.{name}"));
        assert_eq!(found, total as f64, "{name}");
    }
    assert_eq!(list(&result, "survival"), model.survival());
    let hedging = |options| message(js::hedging(0, 0, json(options)));
    assert_eq!(
        hedging(r#"{ "hedge": { "delayMs": 5, "quantile": 0.9, "maxRatio": 2 } }"#),
        "rejitter: hedge.maxRatio must be a number between 0.001 and 1, or Infinity, got 2; \
         hedge.quantile must be omitted, because delayMs takes its place, got 0.9"
    );
}

/// The bindings reject values that src/js/lab/simulations.js lets through; its tests have the rest.
#[wasm_bindgen_test]
fn what_is_refused_is_named_as_in_javascript() {
    let outage = |policy, options| message(js::outage(json(policy), 0, 0, json(options)));
    assert_eq!(
        outage(ENDLESS, r#"{ "clients": 1.5, "binMs": 0, "größe": 1 }"#),
        "rejitter: clients must be an integer between 1 and 10^6, got 1.5; \
         binMs must be above 0 and at least a 10^6th of horizonMs, got 0; \
         unknown option \"größe\""
    );
    let text = outage(r#"{ "version": 1, "baseMs": -1 }"#, "{}");
    assert!(text.starts_with("rejitter: baseMs must be "), "{text}");
    let load = |options| message(js::load(json(ENDLESS), 0, 0, json(options)));
    assert_eq!(
        load(
            r#"{ "protection": { "breaker": { "minimumCalls": 1.5, "consecutiveFailures": -3, "closeAfter": 2.5 },
                "budget": { "preset": "awsSdk2026", "capacity": 13.5 } } }"#
        ),
        "rejitter: budget.cost must be at most capacity, got 14; \
         breaker.minimumCalls must be a positive integer or Infinity, got 1.5; \
         breaker.consecutiveFailures must be a positive integer or Infinity, got -3; \
         breaker.closeAfter must be an integer between 1 and 1,000, got 2.5"
    );
    let text = load(r#"{ "protection": { "budget": { "maxTokens": 10, "cost": 1 } } }"#);
    assert_eq!(
        text,
        "rejitter: budget.tokenRatio must be above 0 and at most 1,000 tokens, got NaN; \
         unknown option \"budget.cost\""
    );
    let text = load(r#"{ "arrivals": { "type": "closed", "clients": 1.5, "thinkMs": 1 } }"#);
    assert_eq!(
        text,
        "rejitter: arrivals must be a number of clients, an integer between 1 and 10^6, \
         got { type: \"closed\", clients: 1.5, thinkMs: 1 }"
    );
    let line = json(r#"{ "figure": "full", "baseMs": 5, "capMs": 4 }"#);
    let text = message(js::contention(line, 0, 0, json("{}")));
    assert!(text.starts_with("rejitter: capMs must be "), "{text}");
}
