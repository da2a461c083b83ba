//! Layers that retry.

use rejitter::Seed;
use rejitter::simulation::{
    Amplification, AmplificationOptions, Simulation, amplification, summary,
};

fn options(attempts: u32, layers: u32, failure: f64) -> AmplificationOptions {
    AmplificationOptions {
        attempts,
        layers,
        failure,
        requests: 100_000,
        seed: Seed::from("amplification"),
    }
}

#[test]
fn the_closed_form_gives_the_published_numbers() {
    let expected =
        |attempts, layers, failure| amplification(&options(attempts, layers, failure)).unwrap();
    // One layer: the calls, and the share of successes 1 − p^n.
    assert_eq!(expected(3, 1, 0.5), [1.75, 0.875]);
    // Nothing fails, everything fails: n^L calls at the bottom.
    assert_eq!(expected(4, 3, 0.0), [1.0, 1.0, 1.0, 1.0]);
    assert_eq!(expected(4, 3, 1.0), [4.0, 16.0, 64.0, 0.0]);
    for (n, layers, p) in [(3, 3, 0.5), (2, 10, 0.9), (5, 4, 0.99), (1, 20, 0.3)] {
        let all = expected(n, layers, p);
        let power = p.powi(n.pow(layers).try_into().unwrap());
        let bottom = all[layers as usize - 1];
        assert!((bottom / ((1.0 - power) / (1.0 - p)) - 1.0).abs() < 1e-12);
        assert!((all[layers as usize] - (1.0 - power)).abs() < 1e-12);
    }
}

#[test]
fn the_simulation_agrees_with_the_closed_form() {
    for (n, layers, p) in [
        (3, 1, 0.5),
        (3, 3, 0.5),
        (3, 3, 0.9),
        (4, 2, 0.99),
        (2, 5, 1.0),
    ] {
        let options = options(n, layers, p);
        let expected = amplification(&options).unwrap();
        let mut simulation = Amplification::new(options).unwrap();
        let progress = simulation.finish();
        let bottom = layers as usize - 1;
        let calls = simulation.calls_per_request().iter().map(|n| f64::from(*n));
        let found = summary(calls);
        let error = 4.0 * found.sd / f64::from(options.requests).sqrt();
        assert!(
            (found.mean - expected[bottom]).abs() <= error,
            "n = {n}, L = {layers}, p = {p}: {} ± {error}, not {}",
            found.mean,
            expected[bottom],
        );
        let share = f64::from(simulation.successes()) / f64::from(options.requests);
        let success = expected[bottom + 1];
        let error = 4.0 * (success * (1.0 - success) / f64::from(options.requests)).sqrt();
        assert!(
            (share - success).abs() <= error + 1e-12,
            "{share}, not {success}"
        );
        for (calls, expected) in simulation.calls().iter().zip(&expected) {
            let mean = calls / f64::from(options.requests);
            assert!(
                (mean / expected - 1.0).abs() < 0.02,
                "{mean}, not {expected}"
            );
        }
        // Every call is counted once, in each of the counts.
        let total: u64 = simulation
            .calls_per_request()
            .iter()
            .map(|n| u64::from(*n))
            .sum();
        assert_eq!(total, progress.events);
        assert_eq!(simulation.calls()[bottom], total as f64);
    }
}
