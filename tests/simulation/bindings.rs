//! The simulations as JavaScript has them: the numbers are the model's.

use js_sys::RangeError;
use rejitter::js::simulation as js;
use rejitter::simulation::{
    Arrivals, Budget, Load, LoadOptions, Outage, OutageOptions, Simulation, Strategy,
};
use rejitter::{RetryOptions, RetryPolicy, Seed, UNLIMITED};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Exponential, full jitter, the defaults, so many attempts.
fn policy(max_attempts: f64) -> [f64; 12] {
    [
        2.0,
        1.0,
        0.0,
        NAN,
        NAN,
        NAN,
        NAN,
        NAN,
        NAN,
        NAN,
        NAN,
        max_attempts,
    ]
}

/// The same policy and seed for the model. 2^32·3 + 7.
fn model_policy(max_attempts: u64) -> (RetryPolicy, Seed) {
    let options = RetryOptions {
        max_attempts: Some(max_attempts),
        ..RetryOptions::default()
    };
    (RetryPolicy::new(options).unwrap(), Seed::new(0x3_0000_0007))
}

fn message<T>(result: Result<T, JsValue>) -> String {
    let Err(error) = result else {
        panic!("it was accepted");
    };
    let error: RangeError = error.dyn_into().expect("it is a RangeError");
    error.message().into()
}

fn js_outage(policy: &[f64], clients: f64, bin_ms: f64) -> Result<js::Outage, JsValue> {
    js::Outage::new(
        policy, 3, 7, clients, 500.0, 3_000.0, 40.0, 2.0, 5.0, INF, 6e5, bin_ms, 3.0,
    )
}

#[wasm_bindgen_test]
fn an_outage_in_slices_is_the_model() {
    let mut simulation = js_outage(&policy(INF), 200.0, 100.0).unwrap();
    let mut events = 0.0;
    loop {
        let progress = simulation.step(100.0);
        assert!(progress[0] - events <= 100.0 && (0.0..=1.0).contains(&progress[1]));
        events = progress[0];
        if progress[2] == 1.0 {
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
        latency_ms: 5.0,
        traced: 3,
        ..OutageOptions::new(policy, seed)
    })
    .unwrap();
    model.finish();
    assert_eq!(simulation.arrivals(), model.bins().arrivals());
    assert_eq!(simulation.accepted(), model.bins().accepted());
    assert_eq!(simulation.rejected(), model.bins().rejected());
    assert_eq!(simulation.attempts(), model.attempts());
    assert_eq!(simulation.latencies_ms(), model.latencies_ms());
    assert_eq!(simulation.served_ms(), model.served_ms());
    assert_eq!(simulation.trace_clients(), model.traces().clients());
    assert_eq!(simulation.trace_times_ms(), model.traces().times_ms());
    assert_eq!(simulation.trace_outcomes(), model.traces().outcomes());
    assert_eq!(
        simulation.time_to_serve_ms(0.99),
        model.time_to_serve_ms(0.99).unwrap()
    );
    assert!(simulation.time_to_serve_ms(1.1).is_nan());
    let peak = model.bins().peak(3_000.0).unwrap();
    assert_eq!(
        simulation.peak(3_000.0),
        [peak.start_ms, f64::from(peak.arrivals)]
    );
    let (latency, work) = model.costs();
    assert_eq!(simulation.costs(), [latency.mean, work.mean]);
    assert_eq!(simulation.give_ups(), 0);
}

#[wasm_bindgen_test]
fn the_figure_without_noise() {
    for strategy in 0..Strategy::ALL.len() as u32 {
        let mut simulation =
            js::Contention::of_figure(strategy, 5.0, 2e3, 0, 1, 20.0, 10.0, 0.0, 4.0).unwrap();
        assert_eq!(simulation.step(INF)[1..], [1.0, 1.0]);
        assert_eq!(simulation.times_ms().len(), 4);
        assert_eq!(simulation.calls() == [210; 4], strategy < 2);
        assert_eq!(simulation.give_ups(), [0; 4]);
        assert_eq!(simulation.summary().len(), 6);
    }
    let mut simulation = js::Contention::new(&policy(2.0), 0, 1, 20.0, 10.0, 0.0, 1.0).unwrap();
    simulation.step(INF);
    assert!(simulation.give_ups()[0] > 0);
}

#[wasm_bindgen_test]
fn load_is_the_model() {
    for (code, budget) in [
        (0, Budget::Unlimited),
        (
            1,
            Budget::PerRequest {
                ratio: 0.1,
                bucket: 5.0,
            },
        ),
        (
            2,
            Budget::PerSuccess {
                ratio: 0.1,
                bucket: 5.0,
            },
        ),
    ] {
        for (kind, arrivals) in [
            (0, Arrivals::Regular { per_s: 280.0 }),
            (1, Arrivals::Poisson { per_s: 280.0 }),
            (
                2,
                Arrivals::Closed {
                    clients: 280,
                    think_ms: 900.0,
                },
            ),
        ] {
            let mut simulation = js::Load::new(
                &policy(2.0),
                3,
                7,
                kind,
                280.0,
                900.0,
                300.0,
                1e3,
                1e4,
                1e4,
                3e5,
                1e3,
                code,
                0.1,
                5.0,
            )
            .unwrap();
            simulation.step(INF);
            let (policy, seed) = model_policy(2);
            let mut model = Load::new(LoadOptions {
                arrivals,
                budget,
                ..LoadOptions::new(policy, seed)
            })
            .unwrap();
            model.finish();
            assert_eq!(simulation.requests(), model.bins().requests);
            assert_eq!(simulation.retries(), model.bins().retries);
            assert_eq!(simulation.successes(), model.bins().successes);
            assert_eq!(simulation.timeouts(), model.bins().timeouts);
            assert_eq!(simulation.response_ms().len(), 301);
            let recovered = simulation.recovered_after_ms();
            assert_eq!(
                Some(recovered).filter(|x| !x.is_nan()),
                model.recovered_after_ms()
            );
        }
    }
}

#[wasm_bindgen_test]
fn layers_and_stations() {
    let mut layers = js::Amplification::new(3, 7, 3.0, 1.0, 0.5, 1e4).unwrap();
    layers.step(INF);
    assert_eq!(layers.expected(), [1.75, 0.875]);
    let sum = layers.calls_per_request().iter().sum::<u32>();
    assert_eq!(layers.calls(), [f64::from(sum)]);
    assert!((f64::from(sum) / 1e4 - 1.75).abs() < 0.04);
    assert!((f64::from(layers.successes()) / 1e4 - 0.875).abs() < 0.02);
    let mut stations = js::Ethernet::new(3, 7, 2.0, 16.0, 10.0, 5.0).unwrap();
    stations.step(INF);
    assert_eq!(
        (stations.slots().len(), stations.dropped()),
        (5, vec![0; 5])
    );
    assert!(stations.collisions().iter().all(|n| *n > 0));
    assert_eq!((stations.used_slots()[0], stations.used_by()[0]), (0.0, 2));
}

#[wasm_bindgen_test]
fn what_is_refused_is_named_as_in_javascript() {
    let text = message(js_outage(&policy(6.0), 0.0, NAN));
    assert!(text.starts_with("clients is 0; it must be "), "{text}");
    assert!(text.contains("; binMs is NaN; it must be "), "{text}");
    let text = message(js_outage(&policy(6.0), 1.5, 1.0));
    assert_eq!(text, "clients is 1.5; it must be a whole number");
    let text = message(js_outage(&policy(6.0)[1..], 1.0, 1.0));
    assert_eq!(text, "a policy is 12 numbers");
    let mut bad = policy(6.0);
    (bad[3], bad[4]) = (-1.0, NAN);
    assert!(message(js_outage(&bad, 1.0, 1.0)).starts_with("baseMs is -1; "));
    let text = message(js::Contention::of_figure(
        5, 5.0, 2e3, 0, 1, 1.0, 1.0, 0.0, 1.0,
    ));
    assert_eq!(text, "strategy must be from 0 to 4");
    assert!(message(js::Ethernet::new(0, 0, NAN, 1.0, 1.0, 1.0)).starts_with("stations is NaN"));
    let layers = message(js::Amplification::new(0, 0, 10.0, 7.0, 0.5, 1.0));
    assert!(layers.starts_with("layers is 7; "), "{layers}");
}
