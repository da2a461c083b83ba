//! The limiter.

use rejitter::internals::protection::{Limiter, LimiterOptions, Rate};

use crate::common::{random::Random, some};

/// Two units a second.
const fn slow(burst: f64) -> Rate {
    Rate {
        interval_ms: 500.0,
        burst,
    }
}

/// Starts attempts of these weights one after the other, each as soon as it may, and returns when they started. All
/// timers are late by `late_ms`.
fn starts(rate: &Rate, weights: &[f64], late_ms: f64) -> Vec<f64> {
    let mut limiter = Limiter::new();
    let mut now = 0.0;
    let start = |weight: &f64| {
        let wait_ms = limiter.wait_ms(rate, now, *weight, 0.0);
        if wait_ms > 0.0 {
            now += wait_ms + late_ms;
        }
        assert_eq!(limiter.wait_ms(rate, now, *weight, 0.0), 0.0);
        limiter.start(rate, now, *weight, wait_ms > 0.0);
        now
    };
    weights.iter().map(start).collect()
}

#[test]
fn spaces_starts_evenly_after_a_burst() {
    assert_eq!(
        starts(&slow(1.0), &[1.0; 10], 0.0),
        [
            0.0, 500.0, 1_000.0, 1_500.0, 2_000.0, 2_500.0, 3_000.0, 3_500.0, 4_000.0, 4_500.0
        ]
    );
    assert_eq!(
        starts(&slow(2.0), &[1.0; 10], 0.0),
        [
            0.0, 0.0, 500.0, 1_000.0, 1_500.0, 2_000.0, 2_500.0, 3_000.0, 3_500.0, 4_000.0
        ]
    );
    assert_eq!(starts(&slow(2.0), &[4.0, 1.0], 0.0), [0.0, 1_500.0]);
}

#[test]
fn a_timer_that_is_a_little_late_does_not_move_the_grid() {
    let at = starts(&slow(1.0), &[1.0; 10], 50.0);
    assert_eq!(at[1..3], [550.0, 1_050.0]);
    assert_eq!(at[9], 4_550.0);
    // The process was stopped: what it missed is not made up for.
    assert_eq!(starts(&slow(1.0), &[1.0; 4], 60.0)[3], 3.0 * 560.0);
}

#[test]
fn as_many_start_in_one_turn_as_are_due() {
    let rate = Rate::new(10_000.0, 1_000.0, 1.0);
    let mut limiter = Limiter::new();
    let mut started = 0;
    for turn in 0..1_000 {
        // A timer fires each 2 ms.
        let now = f64::from(turn) * 2.0;
        while limiter.wait_ms(&rate, now, 1.0, 0.0) == 0.0 {
            limiter.start(&rate, now, 1.0, turn > 0);
            started += 1;
        }
    }
    assert!((19_979..=19_982).contains(&started), "{started}");
}

#[test]
fn no_burst_follows_a_pause_in_which_nobody_waited() {
    let mut limiter = Limiter::new();
    limiter.start(&slow(1.0), 0.0, 1.0, false);
    limiter.start(&slow(1.0), 520.0, 1.0, false);
    assert_eq!(limiter.wait_ms(&slow(1.0), 520.0, 1.0, 0.0), 500.0);
    // A burst of two is there again after two intervals.
    let rate = slow(2.0);
    for (now, wait_ms) in [(5_000.0, 0.0), (5_000.0, 0.0), (5_000.0, 500.0)] {
        assert_eq!(limiter.wait_ms(&rate, now, 1.0, 0.0), wait_ms);
        limiter.start(&rate, now, 1.0, false);
    }
}

/// In any window of `n` intervals at most `n + burst - 1` units start, however attempts come.
#[test]
fn no_window_has_more_than_its_units() {
    for seed in 0..u64::from(some(300)) {
        let random = Random::new(seed);
        let burst = f64::from(1 + random.below(5));
        let interval_ms = f64::from(random.one(&[1, 7, 100]));
        let rate = Rate { interval_ms, burst };
        let mut limiter = Limiter::new();
        let mut now = f64::from(random.below(1_000));
        let mut starts: Vec<(f64, f64)> = Vec::new();
        for _ in 0..300 {
            if random.chance(0.2) {
                now += f64::from(random.below(10)) * interval_ms;
            }
            let weight = f64::from(1 + random.below(u32::from(random.chance(0.3)) * 6 + 1));
            now += limiter.wait_ms(&rate, now, weight, 0.0);
            assert_eq!(limiter.wait_ms(&rate, now, weight, 0.0), 0.0, "seed {seed}");
            limiter.start(&rate, now, weight, false);
            starts.push((now, weight));
        }
        for (i, (from, _)) in starts.iter().enumerate() {
            let mut units = 0.0;
            for (at, weight) in &starts[i..] {
                // What started before this one, of an interval less than the burst, fits into the time since then.
                assert!(units <= (at - from) / interval_ms + (burst - weight).max(0.0) + 1e-9);
                units += weight;
            }
        }
    }
}

/// The wait of an attempt that is not the first in the queue is when it starts, if none is late.
#[test]
fn the_wait_in_a_queue_is_known() {
    for seed in 0..u64::from(some(300)) {
        let random = Random::new(seed);
        let rate = slow(f64::from(1 + random.below(4)));
        let mut limiter = Limiter::new();
        let mut now = f64::from(random.below(10_000));
        for _ in 0..random.below(6) {
            limiter.start(&rate, now, f64::from(1 + random.below(3)), false);
        }
        if random.chance(0.5) {
            assert!(limiter.pause(now, 1_000.0 + f64::from(random.below(5_000)), 0.0, 0.0));
        }
        let weights: Vec<f64> = (0..8).map(|_| f64::from(1 + random.below(3))).collect();
        let mut queued = 0.0;
        let known = weights.iter().map(|weight| {
            let due = now + limiter.wait_ms(&rate, now, *weight, queued);
            queued += weight;
            due
        });
        let known: Vec<f64> = known.collect();
        let started: Vec<f64> = weights
            .iter()
            .map(|weight| {
                now += limiter.wait_ms(&rate, now, *weight, 0.0);
                limiter.start(&rate, now, *weight, true);
                now
            })
            .collect();
        let heaviest = known.iter().zip(&started).all(|(known, at)| known <= at);
        assert!(heaviest, "seed {seed}: {known:?} {started:?}");
        if weights.iter().all(|weight| *weight <= rate.burst) {
            assert_eq!(known, started, "seed {seed}");
        }
    }
}

#[test]
fn nothing_starts_before_the_end_of_a_hint() {
    let mut limiter = Limiter::new();
    assert!(limiter.pause(0.0, 3_000.0, 100.0, 0.0));
    assert_eq!(limiter.wait_ms(&slow(1.0), 0.0, 1.0, 0.0), 3_000.0);
    // The queue goes on at its rate.
    assert_eq!(limiter.wait_ms(&slow(1.0), 0.0, 1.0, 2.0), 4_000.0);
    // One that ends sooner changes nothing, and the draw adds half of the time, or the base.
    assert!(!limiter.pause(1_000.0, 1_999.0, 0.0, 0.0));
    assert!(limiter.pause(1_000.0, 2_000.0, 0.0, 0.5));
    assert_eq!(limiter.wait_ms(&slow(1.0), 1_000.0, 1.0, 0.0), 2_500.0);
    assert!(limiter.pause(3_500.0, 10.0, 100.0, 0.5));
    assert_eq!(limiter.wait_ms(&slow(1.0), 3_500.0, 1.0, 0.0), 60.0);
    // A late timer does not make up for the pause.
    limiter.start(&slow(1.0), 3_570.0, 1.0, true);
    assert_eq!(limiter.wait_ms(&slow(1.0), 3_570.0, 1.0, 0.0), 500.0);
}

#[test]
fn a_clock_that_is_set_back_blocks_nobody() {
    let mut limiter = Limiter::new();
    let rate = slow(3.0);
    for _ in 0..3 {
        limiter.start(&rate, 1e9, 1.0, false);
    }
    assert!(limiter.pause(1e9, 4_000.0, 0.0, 0.0));
    assert_eq!(limiter.wait_ms(&rate, 0.0, 1.0, 0.0), 4_000.0);
    assert_eq!(limiter.wait_ms(&rate, 4_000.0, 1.0, 0.0), 0.0);
    let mut limiter = Limiter::new();
    limiter.start(&rate, 1e9, 3.0, false);
    assert_eq!(limiter.wait_ms(&rate, 0.0, 1.0, 0.0), 500.0);
    assert_eq!(limiter.wait_ms(&rate, 500.0, 1.0, 0.0), 0.0);
    // One that starts below 0 is as good as any.
    let mut limiter = Limiter::new();
    assert_eq!(limiter.wait_ms(&rate, -1e9, 1.0, 0.0), 0.0);
    limiter.start(&rate, -1e9, 3.0, false);
    assert_eq!(limiter.wait_ms(&rate, -1e9, 1.0, 0.0), 500.0);
}

#[test]
fn without_a_limit_all_may_start() {
    let rate = LimiterOptions::DEFAULT.settings().rate;
    let mut limiter = Limiter::new();
    for _ in 0..1_000 {
        assert_eq!(limiter.wait_ms(&rate, 5.0, 1e6, 1e6), 0.0);
        limiter.start(&rate, 5.0, 1e6, false);
    }
    assert!(limiter.pause(5.0, 10.0, 0.0, 0.0));
    assert_eq!(limiter.wait_ms(&rate, 5.0, 1.0, 7.0), 10.0);
}
