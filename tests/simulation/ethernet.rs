//! Slotted backoff.

use rejitter::Seed;
use rejitter::simulation::{Ethernet, EthernetOptions, Simulation, summary};

fn finished(options: EthernetOptions) -> Ethernet {
    let mut simulation = Ethernet::new(options).unwrap();
    assert!(simulation.finish().done);
    simulation
}

fn options(stations: u32) -> EthernetOptions {
    EthernetOptions {
        stations,
        runs: 20_000,
        ..EthernetOptions::new(Seed::from("ethernet"))
    }
}

/// Two stations collide for the (k+1)-th time when they draw the same of 2^k numbers:
/// Σ Π 2^−i = 1 + 1/2 + 1/8 + 1/64 + … = 1.641 632 5 collisions.
#[test]
fn two_stations_collide_as_often_as_computed() {
    let simulation = finished(options(2));
    let collisions = simulation.collisions();
    let found = summary(collisions.iter().map(|n| f64::from(*n)));
    let error = 4.0 * found.sd / 20_000.0_f64.sqrt();
    assert!(
        (found.mean - 1.641_632_5).abs() < error,
        "{} ± {error}",
        found.mean
    );
    for (more_than, probability) in [(1, 0.5), (2, 0.125), (3, 1.0 / 64.0)] {
        let share = collisions.iter().filter(|n| **n > more_than).count() as f64 / 2e4;
        let error = 4.0 * (probability * (1.0 - probability) / 2e4_f64).sqrt();
        assert!(
            (share - probability).abs() < error,
            "{share}, not {probability}"
        );
    }
    assert!(simulation.dropped().iter().all(|n| *n == 0));
    // Each collision is of both, and each sends once.
    let attempts = simulation.attempts().iter().zip(collisions);
    assert!(
        attempts
            .into_iter()
            .all(|(attempts, n)| *attempts == 2 * n + 2)
    );
}

#[test]
fn one_station_sends_at_once() {
    let simulation = finished(EthernetOptions {
        runs: 2,
        ..options(1)
    });
    assert_eq!(simulation.slots(), [1.0, 1.0]);
    assert_eq!(simulation.collisions(), [0, 0]);
    assert_eq!(simulation.first_run(), (&[0.0][..], &[1][..]));
}

#[test]
fn stations_send_once_or_drop() {
    for (stations, max_attempts) in [(5, 16), (100, 16), (100, 3), (1_500, 16)] {
        let simulation = finished(EthernetOptions {
            max_attempts,
            runs: 3,
            ..options(stations)
        });
        let (slots, senders) = simulation.first_run();
        assert!(slots.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((slots[0], senders[0]), (0.0, stations));
        let sent = senders.iter().filter(|n| **n == 1).count() as u32;
        assert_eq!(sent + simulation.dropped()[0], stations);
        let collided = senders.iter().filter(|n| **n > 1).count() as u32;
        assert_eq!(collided, simulation.collisions()[0]);
        assert_eq!(senders.iter().sum::<u32>(), simulation.attempts()[0]);
        assert!(simulation.attempts()[0] <= stations * max_attempts);
        let last = slots.iter().zip(senders).filter(|(_, n)| **n == 1);
        let last = last.map(|(slot, _)| slot + 1.0).next_back().unwrap_or(0.0);
        assert_eq!(last, simulation.slots()[0]);
        // Three attempts are too few for 100, and 1,024 numbers too few for 1,500.
        let crowded = max_attempts == 3 || stations == 1_500;
        assert_eq!(crowded, simulation.dropped()[0] > 0);
    }
}

#[test]
fn slices_change_nothing() {
    let options = EthernetOptions {
        runs: 20,
        ..options(30)
    };
    let whole = finished(options);
    let mut sliced = Ethernet::new(options).unwrap();
    while !sliced.step(1).done {}
    assert_eq!(sliced.slots(), whole.slots());
    assert_eq!(sliced.collisions(), whole.collisions());
    assert_eq!(sliced.attempts(), whole.attempts());
}
