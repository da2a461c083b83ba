//! The randomness of a simulated world: arrivals, network, failures. (Waits are drawn by the core.)

use rejitter::Seed;
use rejitter::internals::{GOLDEN, mix};

use super::elementary::ln;

/// A stream of random numbers: `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Noise {
    state: u64,
}

/// Keeps the streams apart from the draws of waits, which start from the seed itself: "noise".
const SALT: u64 = 0x6e6f_6973_6500_0000;

/// 2^−53: the distance of neighbouring draws.
const UNIT: f64 = f64::EPSILON / 2.0;

impl Noise {
    /// The stream with this number of a seed.
    #[must_use]
    pub fn new(seed: Seed, stream: u64) -> Self {
        let start = mix(seed.bits() ^ SALT);
        Self {
            state: mix(start.wrapping_add(stream.wrapping_mul(GOLDEN))),
        }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// Uniform on [0, 1), 53 bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        // 53 bits fit: the conversion is exact.
        #[allow(clippy::cast_precision_loss)]
        let whole = (self.bits() >> 11) as f64;
        whole * UNIT
    }

    /// A whole number below `end`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        // Below the end, and so is what it is cut to.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let whole = (self.uniform() * f64::from(end)) as u32;
        whole
    }

    /// Uniform on (0, 1]: what a logarithm can be taken of.
    #[inline]
    pub fn open(&mut self) -> f64 {
        self.uniform() + UNIT / 2.0
    }

    /// Exponentially distributed with mean 1: the pauses of a Poisson process.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -ln(self.open())
    }
}
