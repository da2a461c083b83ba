//! Seeds from the system's randomness, for callers who bring none.

#[cfg(feature = "retry")]
use core::cell::Cell;
use core::error::Error;
use core::fmt;
#[cfg(feature = "retry")]
use core::hash::{Hash, Hasher};

use crate::core::Seed;
#[cfg(feature = "retry")]
use crate::core::random::{GOLDEN, mix};

/// The system has no randomness to give.
///
/// Without the feature `retry` there is no system, and on `wasm32-unknown-unknown` it has none without the feature
/// `js`: there the caller brings the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntropyError {
    cause: &'static str,
}

impl Seed {
    /// A seed from the operating system, or from `crypto.getRandomValues` in a JavaScript host.
    ///
    /// ```
    /// use rejitter::Seed;
    ///
    /// assert_ne!(Seed::random()?, Seed::random()?);
    /// # Ok::<(), rejitter::EntropyError>(())
    /// ```
    ///
    /// # Errors
    /// When the system has no randomness to give. There is no fallback to a constant: clients which
    /// share a seed retry at the same instants, which is what jitter is there to prevent.
    pub fn random() -> Result<Self, EntropyError> {
        Ok(Self::new(system()?))
    }

    /// A seed for one operation: those of a thread differ by a counter, because the system takes ten times as long for
    /// each as an operation for its failure. The time is part of it, because a process that was forked counts on from
    /// the same number.
    #[cfg(feature = "retry")]
    #[inline(never)]
    pub(crate) fn of_operation() -> Option<Self> {
        thread_local! {
            static COUNTED: Cell<Option<u64>> = const { Cell::new(None) };
        }
        let counted = match COUNTED.get() {
            Some(counted) => counted,
            None => system().ok()?,
        };
        COUNTED.set(Some(counted.wrapping_add(GOLDEN)));
        Some(Self::new(mix(counted ^ time_bits())))
    }

    #[cfg(not(feature = "retry"))]
    pub(crate) fn of_operation() -> Option<Self> {
        Self::random().ok()
    }
}

/// The time: a process that was forked has the same randomness left.
#[cfg(feature = "retry")]
fn time_bits() -> u64 {
    let mut numbers = Numbers(0);
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    crate::retry::clock::now().hash(&mut numbers);
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    std::time::SystemTime::now().hash(&mut numbers);
    numbers.0
}

/// The numbers of a time, as bits. The system's shows them to hashers alone: the time since another one would take a
/// third as long as reading the clock.
#[cfg(feature = "retry")]
struct Numbers(u64);

#[cfg(feature = "retry")]
impl Hasher for Numbers {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    /// Seconds, and then nanoseconds, which take 30 bits.
    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.rotate_left(30) ^ number;
    }

    #[inline]
    #[allow(clippy::cast_sign_loss)] // All bits count.
    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }
}

impl fmt::Display for EntropyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system has no randomness to give: {}", self.cause)
    }
}

impl Error for EntropyError {}

#[cfg(test)]
thread_local! {
    /// Makes the system one without randomness, for a test.
    pub(crate) static MISSING: Cell<bool> = const { Cell::new(false) };
}

fn system() -> Result<u64, EntropyError> {
    bits().map_err(|cause| EntropyError { cause })
}

fn bits() -> Result<u64, &'static str> {
    #[cfg(test)]
    if MISSING.get() {
        return Err("none");
    }
    #[cfg(feature = "retry")]
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return getrandom::u64().map_err(|_| "getrandom failed");
    #[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
    return js::bits().ok_or("the host has no crypto.getRandomValues");
    // No system, or a wasm file for none in particular.
    #[allow(unreachable_code)]
    Err("rejitter has no feature on for this host")
}

/// A JavaScript host.
#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
mod js {
    use js_sys::Uint32Array;
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(catch, js_namespace = ["globalThis", "crypto"], js_name = getRandomValues)]
        fn get_random_values(numbers: &Uint32Array) -> Result<JsValue, JsValue>;
    }

    pub(super) fn bits() -> Option<u64> {
        let numbers = Uint32Array::new_with_length(2);
        get_random_values(&numbers).ok()?;
        Some(u64::from(numbers.get_index(0)) << 32 | u64::from(numbers.get_index(1)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn operations_of_all_threads_have_seeds_of_their_own() {
        let seeds = || (0..10_000).map(|_| Seed::of_operation().unwrap().bits());
        let threads = [(); 4].map(|()| std::thread::spawn(move || seeds().collect::<Vec<_>>()));
        let all = threads.map(|thread| thread.join().unwrap()).concat();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 40_000);
    }
}
