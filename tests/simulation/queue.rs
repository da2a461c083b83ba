//! The event queue, and the randomness of the simulated world.

use rejitter::Seed;
use rejitter::simulation::{EventQueue, Noise, Normal};

/// Against a list that is searched: the earliest first, equal times in their order.
#[test]
fn events_come_out_in_order_and_stably() {
    for round in 0..200 {
        let mut noise = Noise::new(Seed::new(1), round);
        // Few different times in some rounds, so that many are equal.
        let grain = [0.25, 1.0, 50.0, 0.0][round as usize % 4];
        let time = |noise: &mut Noise| {
            let time = noise.uniform() * 1_000.0;
            if grain > 0.0 {
                (time / grain).floor() * grain
            } else {
                time
            }
        };
        let mut queue = EventQueue::new();
        let mut list: Vec<(f64, u32)> = Vec::new();
        let mut now = 0.0_f64;
        for id in 0..3_000 {
            if noise.uniform() < 0.55 {
                // Some in the past, which are for now.
                let time = now + time(&mut noise) - 20.0;
                queue.push(time, id);
                list.push((time.max(now), id));
            } else {
                let earliest = list
                    .iter()
                    .map(|event| event.0)
                    .fold(f64::INFINITY, f64::min);
                let position = list.iter().position(|event| event.0 == earliest);
                let expected = position.map(|position| list.remove(position));
                assert_eq!(queue.pop(), expected);
                now = expected.map_or(now, |event| event.0);
                let more = expected.is_some() && list.iter().any(|event| event.0 == now);
                assert_eq!(queue.more_at_once(), more);
            }
            assert_eq!(
                (queue.len(), queue.is_empty()),
                (list.len(), list.is_empty())
            );
        }
    }
}

#[test]
fn odd_times_do_no_harm() {
    let mut queue = EventQueue::new();
    for (id, time) in (0..).zip([f64::INFINITY, -0.0, f64::NAN, f64::MAX, -5.0, 5e-324, 1.0]) {
        queue.push(time, id);
    }
    let order: Vec<u32> = std::iter::from_fn(|| queue.pop())
        .map(|event| event.1)
        .collect();
    assert_eq!(order, [1, 2, 4, 5, 6, 3, 0]);
    queue.push(1.0, 9);
    assert_eq!(queue.pop(), Some((f64::INFINITY, 9)));
    queue.clear();
    queue.push(1.0, 7);
    assert_eq!(queue.pop(), Some((1.0, 7)));
    assert_eq!(queue.pop(), None);
}

/// Φ(x) at the ends of the bins, from tables (Abramowitz and Stegun 26.1), to 10 digits.
const PHI: [(f64, f64); 9] = [
    (0.0, 0.5),
    (0.25, 0.598_706_325_7),
    (0.5, 0.691_462_461_3),
    (1.0, 0.841_344_746_1),
    (1.5, 0.933_192_798_7),
    (2.0, 0.977_249_868_1),
    (2.5, 0.993_790_334_7),
    (3.0, 0.998_650_102_0),
    (4.0, 0.999_968_328_8),
];

#[test]
fn normal_variates_are_normal() {
    const N: usize = 2_000_000;
    let normal = Normal::new();
    let mut noise = Noise::new(Seed::from("normal"), 0);
    let draws: Vec<f64> = (0..N).map(|_| normal.draw(&mut noise)).collect();
    let n = N as f64;
    for (x, phi) in PHI {
        let error = 4.0 * (phi * (1.0 - phi) / n).sqrt();
        let below = draws.iter().filter(|draw| **draw < x).count() as f64 / n;
        let above = draws.iter().filter(|draw| **draw > -x).count() as f64 / n;
        assert!((below - phi).abs() < error, "below {x}: {below}, not {phi}");
        assert!(
            (above - phi).abs() < error,
            "above −{x}: {above}, not {phi}"
        );
    }
    // Moments 1 to 4 and 6: 0, 1, 0, 3, 15; their variances are 1, 2, 15, 96, 10170.
    for (power, moment, variance) in [
        (1, 0.0, 1.0),
        (2, 1.0, 2.0),
        (3, 0.0, 15.0),
        (4, 3.0, 96.0),
        (6, 15.0, 10_170.0),
    ] {
        let found = draws.iter().map(|x| x.powi(power)).sum::<f64>() / n;
        let error = 4.0 * f64::sqrt(variance / n);
        assert!(
            (found - moment).abs() < error,
            "moment {power}: {found}, not {moment}"
        );
    }
    // Successive draws have nothing to do with each other.
    let product = draws.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / n;
    assert!(product.abs() < 4.0 / n.sqrt(), "{product}");
}

#[test]
fn exponential_pauses_are_exponential() {
    let mut noise = Noise::new(Seed::new(5), 0);
    let n = 1_000_000.0;
    let draws: Vec<f64> = (0..1_000_000).map(|_| noise.exponential()).collect();
    assert!(draws.iter().all(|x| *x >= 0.0 && x.is_finite()));
    for x in [0.1, 0.5, 1.0, 2.0, 5.0] {
        let p = f64::exp(-x);
        let share = draws.iter().filter(|draw| **draw > x).count() as f64 / n;
        assert!(
            (share - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt(),
            "{x}: {share}, not {p}"
        );
    }
}

#[test]
fn streams_differ_and_do_not_repeat_the_waits() {
    let mut seen = std::collections::HashSet::new();
    for seed in 0..20 {
        for stream in 0..20 {
            let mut noise = Noise::new(Seed::new(seed), stream);
            for _ in 0..100 {
                assert!(seen.insert(noise.uniform().to_bits()));
            }
        }
        for operation in 0..100 {
            assert!(seen.insert(Seed::new(seed).draws(operation, 1).r.to_bits()));
        }
    }
}
