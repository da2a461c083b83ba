//! The latency: quantiles of a histogram against the sorted list.

use rejitter::internals::protection::Latency;

use crate::common::{random::Random, some};

/// Samples with their times.
type Samples = Vec<(f64, f64)>;

/// Exponential, with a slow tail.
fn duration(random: &Random) -> f64 {
    let slow = if random.chance(0.05) { 500.0 } else { 0.0 };
    let mean = if slow > 0.0 { 500.0 } else { 20.0 };
    slow - mean * (1.0 - random.unit()).ln()
}

/// The shortest duration such that the weights of those up to it reach `quantile` of all.
fn quantile_of(samples: &Samples, quantile: f64, weight: impl Fn(f64) -> f64) -> f64 {
    let mut sorted: Vec<(f64, f64)> = samples.iter().map(|(at, ms)| (*ms, weight(*at))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    for (ms, weight) in &sorted {
        sum += weight;
        if sum >= quantile * total {
            return *ms;
        }
    }
    panic!("no samples")
}

/// At most an eighth above the true value.
fn is_close(delay: f64, exact: f64) -> bool {
    (exact..=exact * 1.125).contains(&delay) || exact < 1.0 && (1.0..=1.125).contains(&delay)
}

#[test]
fn slots_end_at_eighths_of_an_octave() {
    for (ms, edge) in [
        (1.0, 1.125),
        (1.124, 1.125),
        (1.125, 1.25),
        (1.99, 2.0),
        (2.0, 2.25),
        (100.0, 104.0),
        (1_000.0, 1_024.0),
        (1_048_575.0, 1_048_576.0),
        // Longer ones count as the longest.
        (1e9, 1_048_576.0),
        (f64::INFINITY, 1_048_576.0),
        // Timers have whole ms.
        (0.9, 1.0),
        (0.0, 1.0),
        (-5.0, 1.0),
    ] {
        let mut latency = Latency::new(0.0);
        for _ in 0..20 {
            latency.record(0.0, ms);
        }
        assert_eq!(latency.delay_ms(0.0, 0.5), Some(edge), "{ms}");
    }
}

/// The list of all samples, with the weights of the two slices, over minutes of traffic.
#[test]
fn it_forgets_slice_by_slice() {
    let mut fresh = 0;
    for seed in 0..u64::from(some(20)) {
        let random = Random::new(seed);
        let mut samples = Samples::new();
        let mut latency = Latency::new(0.0);
        let mut now = 0.0;
        let mut slow = 1.0;
        for i in 1..=4_000 {
            now += 100.0 * random.unit();
            if random.chance(0.001) {
                slow = random.one(&[0.1, 1.0, 10.0]);
            }
            let ms = slow * duration(&random);
            latency.record(now, ms);
            samples.push((now, ms));
            // Just after the sum of 64 records, or of a new slice.
            let slice = |at: f64| (at / 30_000.0).floor();
            let previous = samples.len().checked_sub(2).map_or(0.0, |i| samples[i].0);
            let computed = i == 20 || slice(now) > slice(previous);
            let delay = latency.delay_ms(now, 0.95);
            if computed && i >= 20 {
                let share = 1.0 - (now - 30_000.0 * slice(now)) / 30_000.0;
                let exact = quantile_of(&samples, 0.95, |at| match slice(now) - slice(at) {
                    0.0 => 1.0,
                    1.0 => share,
                    _ => 0.0,
                });
                let delay = delay.expect("enough");
                assert!(
                    is_close(delay, exact),
                    "seed {seed} at {now}: {delay}, {exact}"
                );
                fresh += 1;
            }
        }
    }
    assert!(fresh >= some(20) * 6, "{fresh}");
}

#[test]
fn a_clock_that_is_set_back_loses_nothing_and_freezes_nothing() {
    let mut latency = Latency::new(1e12);
    for _ in 0..20 {
        latency.record(1e12, 5.0);
    }
    assert_eq!(latency.delay_ms(0.0, 0.5), Some(5.5));
    assert_eq!(latency.delay_ms(60_000.0, 0.5), None);
    for _ in 0..20 {
        latency.record(60_000.0, 50.0);
    }
    assert_eq!(latency.delay_ms(60_000.0, 0.5), Some(52.0));
}
