//! The AWS figure.

use std::collections::BTreeMap;

use rejitter::Seed;
use rejitter::simulation::{Contention, ContentionOptions, Simulation, Strategy};

const BASE_MS: f64 = 5.0;
const CAP_MS: f64 = 2_000.0;
const RUNS: u32 = 1_000;
/// The seeds of the reference.
const REFERENCE_RUNS: f64 = 10_000.0;

fn options(strategy: Strategy, clients: u32) -> ContentionOptions {
    let policy = strategy.policy(BASE_MS, CAP_MS).unwrap();
    ContentionOptions {
        clients,
        runs: RUNS,
        ..ContentionOptions::new(policy, Seed::from("contention"))
    }
}

fn finished(options: ContentionOptions) -> Contention {
    let mut simulation = Contention::new(options).unwrap();
    assert!(simulation.finish().done);
    simulation
}

/// How far our mean is from the reference's, in sums of both 95% half-widths, and in standard
/// errors of the difference.
fn distance(ours: (f64, f64), reference: (f64, f64)) -> (f64, f64) {
    let standard_error = |sd: f64, n: f64| sd / n.sqrt();
    let a = standard_error(ours.1, f64::from(RUNS));
    let b = standard_error(reference.1, REFERENCE_RUNS);
    let off = (ours.0 - reference.0).abs();
    (off / (1.96 * (a + b)), off / a.hypot(b))
}

#[test]
fn the_published_figure_is_reproduced() {
    let mut wrong = Vec::new();
    let mut sum_of_squares = 0.0;
    let reference: BTreeMap<u32, BTreeMap<String, [f64; 4]>> =
        serde_json::from_str(include_str!("../vectors/contention.json")).unwrap();
    for (clients, by_strategy) in reference {
        for strategy in Strategy::ALL {
            let simulation = finished(options(strategy, clients));
            let [calls, calls_sd, ms, ms_sd] =
                by_strategy[format!("{strategy:?}").to_lowercase().as_str()];
            for (what, ours, reference) in [
                ("calls", simulation.calls_summary(), (calls, calls_sd)),
                ("time", simulation.time_summary(), (ms, ms_sd)),
            ] {
                let (apart, z) = distance((ours.mean, ours.sd), reference);
                sum_of_squares += z * z;
                // A deviation is known to 1/√(2n) of itself, if the distribution is normal; these
                // are not, and the reference is rounded.
                if apart > 1.0 || (ours.sd / reference.1 - 1.0).abs() > 0.2 {
                    wrong.push(format!(
                        "{strategy:?}, {clients} clients: {what} {ours:?}, not {reference:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // All cells a little off would pass one by one. 30 ± 4·√(2·30), were they independent.
    assert!(sum_of_squares < 61.0, "{sum_of_squares}");
}

/// All read together, the first to write wins, the others try again.
#[test]
fn without_noise_and_jitter_there_are_n_squared_calls() {
    for strategy in [Strategy::None, Strategy::Exponential] {
        for clients in [1, 2, 3, 10, 50, 100, 333] {
            let simulation = finished(ContentionOptions {
                hop_sd_ms: 0.0,
                runs: 3,
                ..options(strategy, clients)
            });
            let exact = clients * (clients + 1) / 2;
            assert_eq!(simulation.calls(), [exact; 3]);
            assert_eq!(simulation.give_ups(), [0; 3]);
        }
    }
    // With noise they are fewer: the control.
    let noisy = finished(options(Strategy::None, 100));
    assert!(noisy.calls_summary().mean < 5_050.0 / 2.0);
    // Without backoff a round takes four messages, and serves one.
    let simulation = finished(ContentionOptions {
        hop_sd_ms: 0.0,
        runs: 1,
        ..options(Strategy::None, 50)
    });
    assert_eq!(simulation.times_ms(), [50.0 * 40.0]);
}
