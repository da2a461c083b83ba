//! The event queue, and the randomness of the simulated world.

use std::collections::BTreeSet;

use rejitter::Seed;
use rejitter_lab::simulation::{EventQueue, Noise};

/// Against a sorted set: the earliest first, equal times in their order. Times of at least 0 are ordered as their bits
/// are.
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
        let mut sorted: BTreeSet<(u64, u32)> = BTreeSet::new();
        let mut now = 0.0_f64;
        for id in 0..3_000 {
            if noise.uniform() < 0.55 {
                // Some in the past, which are for now.
                let time = now + time(&mut noise) - 20.0;
                queue.push(time, id);
                sorted.insert((time.max(now).to_bits(), id));
            } else {
                let first = sorted.pop_first();
                let expected = first.map(|(time, id)| (f64::from_bits(time), id));
                assert_eq!(queue.pop(), expected);
                now = expected.map_or(now, |event| event.0);
                let next = first.and(sorted.first());
                let more = next.is_some_and(|(time, _)| *time == now.to_bits());
                assert_eq!(queue.more_at_once(), more);
            }
            assert_eq!(
                (queue.len(), queue.is_empty()),
                (sorted.len(), sorted.is_empty())
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
