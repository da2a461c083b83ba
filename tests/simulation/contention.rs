//! The AWS figure.

use rejitter::simulation::{Contention, ContentionOptions, Simulation, Strategy};
use rejitter::{RetryPolicy, Seed};

const BASE_MS: f64 = 5.0;
const CAP_MS: f64 = 2_000.0;
const RUNS: u32 = 1_000;
/// The seeds of the reference.
const REFERENCE_RUNS: f64 = 10_000.0;

/// Mean and standard deviation of calls and of time (ms), in the order of [`Strategy::ALL`].
struct Row {
    clients: u32,
    calls: [(f64, f64); 5],
    times: [(f64, f64); 5],
}

const TABLE: [Row; 3] = [
    Row {
        clients: 10,
        calls: [
            (50.83, 4.05),
            (50.82, 4.12),
            (42.46, 2.54),
            (39.03, 2.28),
            (37.67, 2.32),
        ],
        times: [
            (379.8, 34.0),
            (3_472.0, 1_306.0),
            (727.0, 184.0),
            (464.0, 106.0),
            (435.0, 84.0),
        ],
    },
    Row {
        clients: 50,
        calls: [
            (690.03, 17.5),
            (623.79, 29.2),
            (347.17, 6.0),
            (332.54, 4.9),
            (374.70, 12.7),
        ],
        times: [
            (1_140.6, 43.0),
            (36_418.0, 3_291.0),
            (4_249.0, 567.0),
            (2_887.0, 554.0),
            (2_210.0, 500.0),
        ],
    },
    Row {
        clients: 100,
        calls: [
            (2_422.98, 32.1),
            (1_855.62, 58.9),
            (812.20, 7.8),
            (795.97, 7.0),
            (1_001.91, 28.7),
        ],
        times: [
            (2_027.6, 44.0),
            (63_509.0, 3_819.0),
            (6_610.0, 651.0),
            (4_913.0, 531.0),
            (4_589.0, 671.0),
        ],
    },
];

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
    for row in &TABLE {
        for (i, strategy) in Strategy::ALL.into_iter().enumerate() {
            let simulation = finished(options(strategy, row.clients));
            let (calls, time) = (simulation.calls_summary(), simulation.time_summary());
            for (what, ours, reference) in
                [("calls", calls, row.calls[i]), ("time", time, row.times[i])]
            {
                let (apart, z) = distance((ours.mean, ours.sd), reference);
                sum_of_squares += z * z;
                // A deviation is known to 1/√(2n) of itself, if the distribution is normal; these
                // are not, and the reference is rounded.
                if apart > 1.0 || (ours.sd / reference.1 - 1.0).abs() > 0.2 {
                    wrong.push(format!(
                        "{strategy:?}, {} clients: {what} {ours:?}, not {reference:?}",
                        row.clients
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

#[test]
fn everyone_wins_or_gives_up() {
    let simulation = finished(ContentionOptions {
        policy: RetryPolicy::exponential().with_max_attempts(4),
        runs: 200,
        ..options(Strategy::Full, 60)
    });
    let outcomes = simulation.calls().iter().zip(simulation.give_ups());
    for (calls, give_ups) in outcomes {
        // Who gave up made 4 calls, the others from 1 to 4, and one wins per 4 messages at least.
        assert!((4 * give_ups + (60 - give_ups)..=240).contains(calls));
    }
    assert!(simulation.give_ups().iter().any(|n| *n > 0));
    assert!(simulation.give_ups().iter().all(|n| *n < 60));
}
