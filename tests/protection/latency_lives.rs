//! Lives of the latency: random steps with the same answers here and in the JavaScript of the package.
//!
//! `tests/package/protection/latency.cargo.test.mjs` makes the calls of the tape.

use rejitter::internals::protection::Latency;

use super::lives::{Tape, flag, write};
use crate::common::words::Words;

/// Steps per life. A step records up to 32 durations and reads one delay.
const STEPS: u32 = 100;

/// Length of a slice, in ms: clocks jump to its edges.
const SLICE_MS: f64 = 30_000.0;

const QUANTILES: [f64; 6] = [0.001, 0.5, 0.9, 0.95, 0.99, 1.0];

/// Usual times between two steps, in ms.
const SCALES: [f64; 5] = [0.0, 1.0, 100.0, 2_000.0, 20_000.0];

/// Two to the power of `exponent`.
fn power(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

struct Life {
    words: Words,
    tape: Tape,
    now: f64,
    scale: f64,
    /// Octaves above 2^-6 ms that durations are drawn from, and their number.
    lowest: u32,
    octaves: u32,
    latency: Latency,
    delays: u32,
}

impl Life {
    fn new(index: u32) -> Self {
        let mut words = Words::new(index);
        let scale = SCALES[words.below(5) as usize];
        // A whole number of ms: multiples of the slice are exact.
        let now = f64::from(words.below(1_000_000));
        let lowest = words.below(20);
        let octaves = 1 + words.below(46 - lowest);
        Self {
            words,
            tape: vec![now],
            now,
            scale,
            lowest,
            octaves,
            latency: Latency::new(now),
            delays: 0,
        }
    }

    /// A duration between 0 and 2^40 ms: often an edge of a slot, or the number next to it.
    fn duration(&mut self) -> f64 {
        let kind = self.words.below(16);
        let octave = power(self.lowest + self.words.below(self.octaves)) / 64.0;
        let eighth = f64::from(self.words.below(8));
        let part = self.words.unit();
        let edge = octave * (1.0 + eighth / 8.0);
        match kind {
            0 => 0.0,
            1 => power(40),
            2..=4 => edge,
            5 | 6 => f64::from_bits(edge.to_bits() - 1),
            7 | 8 => f64::from_bits(edge.to_bits() + 1),
            _ => octave * (1.0 + part),
        }
    }

    fn step(&mut self) {
        let leap = self.words.below(64);
        let part = self.words.unit();
        self.now += match leap {
            0 => 1e9 * (part - 0.5),
            1 => SLICE_MS,
            2 => 2.0 * SLICE_MS,
            3 => -SLICE_MS,
            4 => -self.scale * part,
            5 => 2.5 * SLICE_MS * part,
            6..=20 => 0.0,
            _ => self.scale * part,
        };
        let records = self.words.below(33);
        self.tape.extend([self.now, f64::from(records)]);
        for _ in 0..records {
            let ms = self.duration();
            self.tape.push(ms);
            self.latency.record(self.now, ms);
        }
        // A read that changes nothing: of a copy.
        let peeks = self.words.below(4) == 0;
        let quantile = QUANTILES[self.words.below(6) as usize];
        let mut copy = self.latency;
        let read = if peeks { &mut copy } else { &mut self.latency };
        let delay = read.delay_ms(self.now, quantile);
        self.delays += u32::from(delay.is_some());
        self.tape
            .extend([flag(peeks), quantile, delay.unwrap_or(-1.0)]);
    }
}

fn play(index: u32) -> Life {
    let mut life = Life::new(index);
    for _ in 0..STEPS {
        life.step();
    }
    life
}

#[test]
fn tapes_are_written_per_life() {
    write(250, 0xc5a2_da68_b7dd_5170, |index| play(index).tape);
}

#[test]
fn most_steps_read_a_delay() {
    let delays: u32 = (0..250).map(|index| play(index).delays).sum();
    assert!(delays > 250 * STEPS / 2, "{delays}");
}
