//! The herd after an outage.

use std::time::Duration;

use rejitter::simulation::{Outage, OutageOptions, Simulation};
use rejitter::{Jitter, RetryPolicy, Seed, UNLIMITED};

fn policy(jitter: Jitter) -> RetryPolicy {
    RetryPolicy::exponential()
        .with_jitter(jitter)
        .with_max_attempts(UNLIMITED)
}

fn options(jitter: Jitter) -> OutageOptions {
    OutageOptions::new(policy(jitter), Seed::from("outage"))
}

fn finished(options: OutageOptions) -> Outage {
    let mut simulation = Outage::new(options).unwrap();
    let progress = simulation.finish();
    assert!(progress.done && progress.share == 1.0);
    simulation
}

/// 30 s, base 100, cap 10,000: attempts per client, and the share of the clients that the busiest
/// 100 ms after recovery is expected to hold.
///
/// Clients are independent here, so that 300,000 of them show the expectation. (Of 1,000, the
/// busiest of these many bins holds more by chance: 2.7% with full jitter.)
#[test]
fn the_reference_outage() {
    const CLIENTS: u32 = 300_000;
    let clients = f64::from(CLIENTS);
    // The third number: how far the attempts are rounded.
    for (jitter, attempts, rounding, busiest) in [
        (Jitter::None, 10.0, 0.0, 1.0),
        (Jitter::Full, 13.396, 0.000_5, 0.020),
        (Jitter::Equal, 11.231, 0.000_5, 0.015),
        (Jitter::Decorrelated, 16.62, 0.005, 0.020),
    ] {
        let simulation = finished(OutageOptions {
            clients: CLIENTS,
            ..options(jitter)
        });
        let (_, work) = simulation.costs();
        let peak = simulation.bins().peak(30_000.0).unwrap();
        let share = f64::from(peak.arrivals) / clients;
        println!(
            "{jitter:?}: {:.4} ± {:.4} attempts (reference {attempts}), busiest {share:.4} ({busiest})",
            work.mean, work.ci95
        );
        // 10,000 runs of 1,000 clients: the reference's own interval is narrower.
        let error = work.ci95 * (1.0 + (clients / 1e7).sqrt()) + rounding;
        assert!((work.mean - attempts).abs() <= error, "{}", work.mean);
        // Rounded to 0.1%, and the highest of many equal ones.
        let error = 0.000_5 + 4.0 * (busiest * (1.0 - busiest) / clients).sqrt();
        assert!((share - busiest).abs() <= error, "{share}");
        assert_eq!(simulation.served_ms().len(), CLIENTS as usize);
    }
}

/// The server is up again at the very end of the outage, not a moment later.
#[test]
fn the_outage_ends_when_it_ends() {
    let policy = RetryPolicy::fixed(Duration::from_millis(100)).with_jitter(Jitter::None);
    let simulation = finished(OutageOptions {
        clients: 3,
        down_ms: 300.0,
        latency_ms: 50.0,
        ..OutageOptions::new(policy, Seed::new(0))
    });
    // At 0, 150 and 300 ms: a wait starts when the response is there.
    assert_eq!(simulation.attempts(), [3; 3]);
    assert_eq!(simulation.latencies_ms(), [350.0; 3]);
    assert_eq!(simulation.bins().arrivals(), [3, 3, 0, 3]);
    assert_eq!(simulation.bins().rejected(), [3, 3, 0, 0]);
}

/// The same herd by a model that shares no code with the simulation but the waits.
#[test]
fn rejections_cost_what_an_independent_model_says() {
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let mut before = Vec::new();
        for rejection_cost in [0.0, 0.05, 0.25, 1.0] {
            let options = OutageOptions {
                clients: 200,
                down_ms: 2_000.0,
                capacity_per_s: 25.0,
                burst: 3.0,
                latency_ms: 7.0,
                horizon_ms: 30_000.0,
                rejection_cost,
                ..OutageOptions::new(policy(jitter), Seed::from("cost"))
            };
            let mut delays = options.policy.delays(options.seed);
            let mut waits = Vec::new();
            for _ in 0..options.clients {
                let own: Vec<f64> = (0..200).map_while(|_| delays.next_ms()).collect();
                waits.push(own.into_iter());
                delays.reset();
            }
            let mut next = vec![0.0; waits.len()];
            let (mut level, mut counted, mut served) = (0.0_f64, 2_000.0, Vec::new());
            loop {
                let soonest = next.iter().copied().fold(f64::INFINITY, f64::min);
                if soonest >= options.horizon_ms {
                    break;
                }
                let client = next.iter().position(|time| *time == soonest).unwrap();
                if soonest >= 2_000.0 {
                    level = (level + (soonest - counted) * 0.025).min(3.0);
                    counted = soonest;
                    if level >= 1.0 {
                        level -= 1.0;
                        served.push(soonest + 7.0);
                        next[client] = f64::INFINITY;
                        continue;
                    }
                    level -= rejection_cost;
                }
                next[client] = soonest + 7.0 + waits[client].next().unwrap();
            }
            assert_eq!(
                finished(options).served_ms(),
                served,
                "{jitter:?}, {rejection_cost}"
            );
            assert_ne!(
                served, before,
                "the cost acts: {jitter:?}, {rejection_cost}"
            );
            before = served;
        }
    }
}
