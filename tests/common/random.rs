//! Random numbers of one test run, the same each time.

use std::cell::Cell;

use rejitter::Seed;

pub struct Random {
    seed: Seed,
    subject: u64,
    drawn: Cell<u64>,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self::of(Seed::new(seed), 0)
    }

    /// The numbers of one subject of a test.
    pub fn of(seed: Seed, subject: u64) -> Self {
        Self {
            seed,
            subject,
            drawn: Cell::new(0),
        }
    }

    /// Uniform on [0, 1).
    pub fn unit(&self) -> f64 {
        self.drawn.set(self.drawn.get() + 1);
        self.seed.draws(self.subject, self.drawn.get()).r
    }

    /// A whole number below `n`.
    pub fn below(&self, n: u32) -> u32 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let number = (self.unit() * f64::from(n)) as u32;
        number
    }

    pub fn chance(&self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the values.
    pub fn one<T: Copy>(&self, of: &[T]) -> T {
        of[self.below(u32::try_from(of.len()).expect("a short list")) as usize]
    }
}
