//! The machines of protection. The scenes and the numbers of AWS are exact. Times are ms of a clock that the tests
//! move.
//!
//! The package's tests compare the same machines, as JavaScript, with machines that remember everything; `differential`
//! and `lives` hold the two to each other.

#![cfg(not(target_arch = "wasm32"))]

mod breaker;
mod budget;
mod cooldown;
mod differential;
mod healthy;
mod latency;
mod latency_lives;
mod lives;

use rejitter::Seed;

/// Random numbers of one test run, the same each time.
struct Random {
    seed: Seed,
    drawn: u64,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self {
            seed: Seed::new(seed),
            drawn: 0,
        }
    }

    /// Uniform on [0, 1).
    fn unit(&mut self) -> f64 {
        self.drawn += 1;
        self.seed.draws(0, self.drawn).r
    }

    /// A whole number below `n`.
    fn below(&mut self, n: u32) -> u32 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let number = (self.unit() * f64::from(n)) as u32;
        number
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the values.
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(u32::try_from(of.len()).expect("a short list")) as usize]
    }
}
