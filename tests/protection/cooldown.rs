//! The cooldown.

use rejitter::internals::protection::Cooldown;

use crate::common::{random::Random, some};

/// The hints as a list: the one that ends last rules, and of those that end together the first.
#[test]
fn the_hint_that_ends_last_rules() {
    for seed in 0..u64::from(some(200)) {
        let random = Random::new(seed);
        let mut cooldown = Cooldown::new();
        let mut hints: Vec<(f64, f64)> = Vec::new();
        let mut now = 0.0;
        for _ in 0..200 {
            now += f64::from(random.below(500));
            if random.chance(0.3) {
                let hint = f64::from(random.one(&[0, 10, 1_000, 60_000]) + random.below(500));
                let is_longest = hints.iter().all(|(at, ms)| now + hint > at + ms);
                assert_eq!(cooldown.start(now, hint), is_longest && now + hint > 0.0);
                hints.push((now, hint));
            }
            let last = hints.iter().fold((0.0, 0.0), |(until, asked), (at, ms)| {
                if at + ms > until {
                    (at + ms, *ms)
                } else {
                    (until, asked)
                }
            });
            let left = if last.0 > now { last.0 - now } else { 0.0 };
            assert_eq!(cooldown.left_ms(now), left, "seed {seed}");
            let draw = random.unit();
            let base = f64::from(random.below(1_000));
            let spread = if last.1 / 2.0 > base {
                last.1 / 2.0
            } else {
                base
            };
            let hold = if left > 0.0 {
                left + draw * spread
            } else {
                0.0
            };
            assert_eq!(cooldown.hold_ms(now, base, draw), hold, "seed {seed}");
        }
    }
}

#[test]
fn a_clock_that_is_set_back_holds_nobody_longer_than_the_server_asked_for() {
    let mut cooldown = Cooldown::new();
    assert!(cooldown.start(1e9, 1_000.0));
    assert_eq!(cooldown.left_ms(0.0), 1_000.0);
    assert_eq!(cooldown.left_ms(600.0), 400.0);
    // A hint after that is shorter, although the end of the present one has changed.
    assert!(!cooldown.start(-1e9, 300.0));
    assert_eq!(cooldown.left_ms(-1e9), 1_000.0);
}
