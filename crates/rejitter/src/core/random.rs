//! Counter-based randomness: a draw is a function of (seed, operation, attempt).
//!
//! An operation needs no generator, so nothing is kept between attempts, and no
//! interleaving of concurrent operations can change a sequence.

/// Where a sequence of draws starts. Equal seeds give equal draws, on every platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed(u64);

/// 2^64 divided by the golden ratio, made odd: the increment of `SplitMix64`.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Draws per attempt that a formula may use: `r` and `r'`.
const PER_ATTEMPT: u64 = 2;

/// The outputs of further draws start here: no attempt has so high a number, and the draws of waits stay what
/// they always were.
const FURTHER: u64 = 1 << 62;

/// The draws that one wait is made of, each uniform on [0, 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draws {
    /// `r` of the formulas.
    pub r: f64,
    /// `r'`: only [`Jitter::PollyV2`](super::Jitter::PollyV2) uses it, when its first draw
    /// went above the cap.
    pub r2: f64,
}

impl Seed {
    /// A seed of 64 bits.
    #[must_use]
    pub const fn new(bits: u64) -> Self {
        Self(bits)
    }

    /// The seed's 64 bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The draws for one failed attempt (the first is number 1) of one operation (the first is number 0).
    #[must_use]
    pub const fn draws(self, operation: u64, attempt: u64) -> Draws {
        Draws {
            r: self.draw(operation, attempt, 0),
            r2: self.draw(operation, attempt, 1),
        }
    }

    /// The `nth` draw: 0 is `r`, 1 is `r'`, 2 is for protection. 53 bits, uniform on [0, 1).
    ///
    /// The `operation`-th output of `SplitMix64` (Steele, Lea, Flood 2014) seeded with this seed
    /// starts the operation's own `SplitMix64`, of which the draws are successive outputs.
    #[doc(hidden)]
    #[must_use]
    pub const fn draw(self, operation: u64, attempt: u64, nth: u64) -> f64 {
        self.start(operation).draw(attempt, nth)
    }

    /// Where the draws of one operation start.
    pub(crate) const fn start(self, operation: u64) -> Start {
        Start(output(self.0, operation))
    }

    /// The same for an operation with a seed of its own, which nobody else knows: no number has to be mixed in.
    #[cfg(feature = "async")]
    pub(crate) const fn only_start(self) -> Start {
        Start(self.0)
    }
}

/// The generator of one operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start(pub(crate) u64);

impl Start {
    /// See [`Seed::draw`].
    pub(crate) const fn draw(self, attempt: u64, nth: u64) -> f64 {
        let n = attempt
            .wrapping_mul(PER_ATTEMPT)
            .wrapping_add(nth % PER_ATTEMPT);
        let bits = output(self.0, n.wrapping_add(nth / PER_ATTEMPT * FURTHER)) >> 11;
        // 53 bits fit the significand, and a signed integer too, from which processors convert
        // faster: the conversion and the scaling are exact.
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap)]
        let draw = bits as i64 as f64 * (1.0 / (1u64 << 53) as f64);
        draw
    }
}

impl From<u64> for Seed {
    fn from(bits: u64) -> Self {
        Self::new(bits)
    }
}

/// A seed from text: FNV-1a, 64 bits, over the little-endian bytes of its UTF-16 code units, as
/// JavaScript strings have them.
impl<S: AsRef<str> + ?Sized> From<&S> for Seed {
    fn from(text: &S) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in text.as_ref().encode_utf16().flat_map(u16::to_le_bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Self(hash)
    }
}

/// Output number `n` (the first is number 0) of `SplitMix64` seeded with `state`.
// The file that apps carry has it once. The lab's, which draws by the million, has it at each call.
#[cfg_attr(not(all(target_family = "wasm", feature = "internals")), inline(never))]
const fn output(state: u64, n: u64) -> u64 {
    mix(state.wrapping_add(GOLDEN.wrapping_mul(n.wrapping_add(1))))
}

/// The output function of `SplitMix64`.
pub(crate) const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
