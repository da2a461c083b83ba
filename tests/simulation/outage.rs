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

/// Settings of many kinds, small enough to check one by one.
fn settings() -> impl Iterator<Item = OutageOptions> {
    let jitters = [
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
    ];
    (0..400_u64).map(move |i| {
        let draw = |lane| Seed::new(99).draws(i, lane).r;
        let pick = |lane, values: &[f64]| values[(draw(lane) * values.len() as f64) as usize];
        let limited = draw(1) < 0.5;
        let backoff = if i % 8 < 4 {
            RetryPolicy::exponential()
        } else {
            RetryPolicy::linear()
        };
        let policy = backoff
            .with_jitter(jitters[i as usize % 4])
            .with_max_attempts(if limited { 6 } else { UNLIMITED });
        OutageOptions {
            clients: 1 + (draw(2) * 300.0) as u32,
            spread_ms: pick(3, &[0.0, 50.0, 5_000.0]),
            down_ms: pick(4, &[0.0, 1.0, 3_000.0, 20_000.0]),
            capacity_per_s: pick(5, &[0.7, 10.0, 100.0, 1e5, f64::INFINITY]),
            burst: pick(6, &[1.0, 5.5, 100.0]),
            rejection_cost: pick(11, &[0.0, 0.05, 1.0]),
            latency_ms: pick(7, &[0.0, 0.25, 80.0]),
            deadline_ms: pick(8, &[f64::INFINITY, 10_000.0]),
            horizon_ms: pick(9, &[600.0, 60_000.0, 600_000.0]),
            bin_ms: pick(10, &[1.0, 100.0, 777.0]),
            traced: 10,
            curve: Vec::new(),
            seed: Seed::new(i),
            policy,
        }
    })
}

#[test]
fn requests_and_clients_are_conserved() {
    let (mut starved, mut gave_up, mut served) = (0, 0, 0);
    for options in settings() {
        let simulation = finished(options.clone());
        let bins = simulation.bins();
        let columns = bins.accepted().iter().zip(bins.rejected());
        for (arrivals, (accepted, rejected)) in bins.arrivals().iter().zip(columns) {
            assert_eq!(*arrivals, accepted + rejected);
        }
        let sum = |column: &[u32]| column.iter().map(|n| u64::from(*n)).sum::<u64>();
        assert_eq!(sum(bins.arrivals()), sum(simulation.attempts()));
        let accepted = sum(bins.accepted());
        assert_eq!(accepted, simulation.served_ms().len() as u64);
        let latencies = simulation.latencies_ms().iter();
        assert_eq!(
            latencies.clone().filter(|x| !x.is_nan()).count() as u64,
            accepted
        );
        let clients = u64::from(options.clients);
        let ended = accepted + u64::from(simulation.give_ups());
        assert!(ended <= clients);
        starved += clients - ended;
        gave_up += u64::from(simulation.give_ups());
        served += accepted;
        assert!(latencies.filter(|x| !x.is_nan()).all(|x| {
            // Rounding: (start + latency) − start.
            *x >= options.latency_ms - 1e-9 && *x < options.deadline_ms + options.latency_ms
        }));
        let most = options.policy.max_attempts();
        assert!(simulation.attempts().iter().all(|n| u64::from(*n) <= most));
        assert!(simulation.served_ms().is_sorted());
    }
    // Each of the three ends occurs.
    assert!(
        starved > 0 && gave_up > 0 && served > 0,
        "{starved} {gave_up} {served}"
    );
}

#[test]
fn the_server_never_serves_more_than_it_can() {
    for options in settings() {
        let simulation = finished(options.clone());
        let bins = simulation.bins();
        let per_ms = options.capacity_per_s.min(1e300) / 1_000.0;
        for (bin, accepted) in bins.accepted().iter().enumerate() {
            let (start, end) = (bin as f64 * bins.bin_ms(), (bin + 1) as f64 * bins.bin_ms());
            let up = (end - options.down_ms).clamp(0.0, end - start);
            // The saved capacity, and the capacity that comes in.
            let saved = if start < options.down_ms {
                0.0
            } else {
                options.burst
            };
            let most = saved + up * per_ms;
            assert!(
                f64::from(*accepted) <= most + 1e-6,
                "{accepted} > {most}: {options:?}"
            );
        }
        // Outage and clients over capacity: no strategy can do better.
        for (i, served) in simulation.served_ms().iter().enumerate() {
            let bound = options.down_ms + (i + 1) as f64 / per_ms;
            assert!(*served - options.latency_ms >= bound - 1e-6);
        }
    }
}

/// A list of the ceilings is followed, and its last one repeats.
#[test]
fn a_list_is_a_curve_like_another() {
    for jitter in [Jitter::None, Jitter::Full, Jitter::Equal] {
        let listed = |curve: &[f64]| {
            let policy = RetryPolicy::custom()
                .with_jitter(jitter)
                .with_cap(Duration::from_secs(10))
                .with_max_attempts(UNLIMITED);
            finished(OutageOptions {
                curve: curve.to_vec(),
                policy,
                ..options(jitter)
            })
        };
        let curve: Vec<f64> = (0..8).map(|k| 100.0 * f64::from(1 << k)).collect();
        let (ours, theirs) = (listed(&curve), finished(options(jitter)));
        assert_eq!(ours.bins(), theirs.bins());
        assert_eq!(ours.traces(), theirs.traces());
        // Without a list every ceiling is 10 s.
        assert_eq!(listed(&[]).traces(), listed(&[10_000.0]).traces());
        assert_ne!(listed(&curve[..5]).traces(), theirs.traces());
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

#[test]
fn shares_of_the_clients_are_served_in_order() {
    let simulation = finished(OutageOptions {
        capacity_per_s: 100.0,
        ..options(Jitter::Full)
    });
    let times = [0.5, 0.95, 0.99, 1.0].map(|share| simulation.time_to_serve_ms(share).unwrap());
    assert!(times.is_sorted());
    assert!(
        times[0] >= 30_000.0 + 500.0 * 10.0 && times[3] >= 40_000.0,
        "{times:?}"
    );
    assert_eq!(times[3], simulation.served_ms()[999]);
    assert_eq!(
        simulation.time_to_serve_ms(0.0),
        Some(simulation.served_ms()[0])
    );
    // With six attempts all clients have given up before.
    let simulation = finished(OutageOptions::new(RetryPolicy::default(), Seed::new(1)));
    assert_eq!(simulation.time_to_serve_ms(0.5), None);
    assert_eq!(simulation.give_ups(), 1_000);
    assert!(simulation.costs().0.mean.is_nan());
    assert_eq!(simulation.costs().1.mean, 6.0);
}
