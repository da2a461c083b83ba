//! The herd after an outage.

use rejitter::simulation::{Outage, OutageOptions, Simulation, Traces};
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed, UNLIMITED};

fn policy(jitter: Jitter) -> RetryPolicy {
    RetryPolicy::from_options(RetryOptions {
        jitter,
        base_ms: Some(100.0),
        cap_ms: Some(10_000.0),
        max_attempts: Some(UNLIMITED),
        ..RetryOptions::default()
    })
    .unwrap()
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

/// The checks above would find another wait: equal jitter is not full jitter, nor is a first
/// ceiling of 2·base.
#[test]
fn another_policy_is_another_outage() {
    let mut doubled = options(Jitter::Full);
    doubled.policy = RetryPolicy::from_options(RetryOptions {
        base_ms: Some(200.0),
        cap_ms: Some(10_000.0),
        max_attempts: Some(UNLIMITED),
        ..RetryOptions::default()
    })
    .unwrap();
    doubled.clients = 300_000;
    let (_, work) = finished(doubled).costs();
    assert!(
        (work.mean - 13.396).abs() > 20.0 * work.ci95,
        "{}",
        work.mean
    );
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
        let policy = RetryPolicy::from_options(RetryOptions {
            jitter: jitters[i as usize % 4],
            backoff: if i % 8 < 4 {
                Backoff::Exponential
            } else {
                Backoff::Linear
            },
            max_attempts: Some(if limited { 6 } else { UNLIMITED }),
            ..RetryOptions::default()
        })
        .unwrap();
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

#[test]
fn slices_and_repetition_change_nothing() {
    for options in settings().step_by(23) {
        let whole = finished(options.clone());
        let mut sliced = Outage::new(options).unwrap();
        let mut share = 0.0;
        while share < 1.0 {
            let progress = sliced.step(13);
            assert!(progress.share >= share);
            share = progress.share;
        }
        sliced.finish();
        assert_eq!(sliced.bins(), whole.bins());
        assert_eq!(sliced.traces(), whole.traces());
        assert_eq!(sliced.attempts(), whole.attempts());
        let bits = |simulation: &Outage| -> Vec<u64> {
            simulation
                .latencies_ms()
                .iter()
                .map(|x| x.to_bits())
                .collect()
        };
        assert_eq!(bits(&sliced), bits(&whole));
    }
}

/// The clients wait as long as the policy's own iterator says for the same seed.
#[test]
fn clients_wait_as_operations_of_the_policy_do() {
    let options = OutageOptions {
        clients: 5,
        ..options(Jitter::Full)
    };
    let simulation = finished(options.clone());
    let traces = simulation.traces();
    let mut delays = options.policy.delays_ms(options.seed);
    for client in 0..5 {
        let times: Vec<f64> = traces
            .clients()
            .iter()
            .zip(traces.times_ms())
            .filter_map(|(id, time)| (*id == client).then_some(*time))
            .collect();
        assert!(times.len() > 5);
        let mut expected = 0.0;
        for time in times {
            assert_eq!(time, expected);
            expected += delays.next().unwrap();
        }
        delays.reset();
    }
    let outcomes = traces.outcomes().iter();
    assert_eq!(outcomes.filter(|x| **x == Traces::ACCEPTED).count(), 5);
}

/// A list of the ceilings is followed, and its last one repeats.
#[test]
fn a_list_is_a_curve_like_another() {
    for jitter in [Jitter::None, Jitter::Full, Jitter::Equal] {
        let listed = |curve: &[f64]| {
            let policy = RetryPolicy::from_options(RetryOptions {
                backoff: Backoff::Custom,
                jitter,
                cap_ms: Some(10_000.0),
                max_attempts: Some(UNLIMITED),
                ..RetryOptions::default()
            });
            finished(OutageOptions {
                curve: curve.to_vec(),
                policy: policy.unwrap(),
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
    let policy = RetryPolicy::from_options(RetryOptions::default()).unwrap();
    let simulation = finished(OutageOptions::new(policy, Seed::new(1)));
    assert_eq!(simulation.time_to_serve_ms(0.5), None);
    assert_eq!(simulation.give_ups(), 1_000);
    assert!(simulation.costs().0.mean.is_nan());
    assert_eq!(simulation.costs().1.mean, 6.0);
}

/// The server is up again at the very end of the outage, not a moment later.
#[test]
fn the_outage_ends_when_it_ends() {
    let policy = RetryPolicy::from_options(RetryOptions {
        backoff: Backoff::Fixed,
        jitter: Jitter::None,
        ..RetryOptions::default()
    })
    .unwrap();
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

/// Three clients knock every 50 ms. The server gains half a request in that time and saves up at most
/// one; each rejection takes an eighth of a request from it, and owes what is not there.
#[test]
fn a_rejection_uses_capacity() {
    let policy = RetryPolicy::from_options(RetryOptions {
        backoff: Backoff::Fixed,
        jitter: Jitter::None,
        base_ms: Some(50.0),
        max_attempts: Some(UNLIMITED),
        ..RetryOptions::default()
    })
    .unwrap();
    let served = |rejection_cost| {
        let simulation = finished(OutageOptions {
            clients: 3,
            down_ms: 0.0,
            capacity_per_s: 10.0,
            horizon_ms: 60_000.0,
            rejection_cost,
            ..OutageOptions::new(policy, Seed::new(0))
        });
        let served = simulation.served_ms().to_vec();
        (served, simulation.bins().rejected().iter().sum::<u32>())
    };
    assert_eq!(
        served(0.0),
        (vec![100.0, 200.0, 300.0], 3 + 3 + 2 + 2 + 1 + 1)
    );
    // The bucket at each round of knocks: 0, then 0.125, 0.25 and so on up to 1, because the first round is a debt.
    assert_eq!(
        served(0.125),
        (vec![400.0, 600.0, 750.0], 8 * 3 + 2 + 3 * 2 + 1 + 2)
    );
    // Each round of knocks takes more than what came in since the last.
    assert_eq!(served(0.25), (vec![], 3 * 1_200));
    assert_eq!(served(1.0), (vec![], 3 * 1_200));
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
            let mut delays = options.policy.delays_ms(options.seed);
            let mut waits = Vec::new();
            for _ in 0..options.clients {
                waits.push(delays.by_ref().take(200).collect::<Vec<f64>>().into_iter());
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

/// Clients that call once: at any time, the server has accepted no more of them if rejections cost
/// something. (Retrying clients serve fewer only in the sum: one of them may be lucky.)
#[test]
fn a_cost_never_lets_more_requests_in() {
    let mut fewer = 0;
    let mut totals = [0, 0];
    for options in settings() {
        let policy = RetryPolicy::from_options(RetryOptions {
            max_attempts: Some(1),
            ..RetryOptions::default()
        })
        .unwrap();
        let once = OutageOptions {
            policy,
            down_ms: 0.0,
            spread_ms: 2_000.0,
            ..options.clone()
        };
        let [free, dear] = [0.0, 0.05].map(|rejection_cost| {
            finished(OutageOptions {
                rejection_cost,
                ..once.clone()
            })
        });
        assert_eq!(free.bins().arrivals(), dear.bins().arrivals());
        let pairs = free.served_ms().iter().zip(dear.served_ms());
        assert!(pairs.into_iter().all(|(free, dear)| free <= dear));
        assert!(dear.served_ms().len() <= free.served_ms().len());
        fewer += free.served_ms().len() - dear.served_ms().len();
        for (total, rejection_cost) in totals.iter_mut().zip([0.0, 0.05]) {
            let options = OutageOptions {
                rejection_cost,
                ..options.clone()
            };
            *total += finished(options).served_ms().len();
        }
    }
    assert!(fewer > 0 && totals[1] < totals[0], "{fewer} {totals:?}");
}
