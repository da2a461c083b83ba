//! Seeds from the system's randomness, for callers who bring none.

use std::cell::Cell;
use std::error::Error;
use std::fmt;

use crate::core::Seed;
use crate::core::random::mix;
use crate::retry::clock;

/// The system has no randomness to give.
///
/// On `wasm32-unknown-unknown` it has none without the feature `js`: there the caller brings the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntropyError {
    cause: system::Error,
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
        match system::u64() {
            Ok(bits) => Ok(Self::new(bits)),
            Err(cause) => Err(EntropyError { cause }),
        }
    }

    /// A seed for one operation: those of a thread differ by a counter, because the system takes ten times as long for
    /// each as an operation for its failure. A process that was forked counts on from the same number, so the time
    /// is part of it.
    pub(crate) fn of_operation() -> Result<Self, EntropyError> {
        thread_local! {
            static COUNTED: Cell<Option<u64>> = const { Cell::new(None) };
        }
        let counted = match COUNTED.get() {
            Some(counted) => counted,
            None => Self::random()?.bits(),
        };
        COUNTED.set(Some(counted.wrapping_add(1)));
        let now = clock::now().unwrap_or_default();
        let time = (now.as_secs() << 30) ^ u64::from(now.subsec_nanos());
        Ok(Self::new(mix(mix(counted) ^ time)))
    }
}

impl fmt::Display for EntropyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system has no randomness to give: {}", self.cause)
    }
}

impl Error for EntropyError {}

#[cfg(test)]
impl EntropyError {
    /// The error of a system without randomness, for tests.
    pub(crate) const NONE: Self = Self {
        cause: system::NONE,
    };
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod system {
    pub(super) use getrandom::{Error, u64};

    #[cfg(test)]
    pub(super) const NONE: Error = Error::UNSUPPORTED;
}

/// A JavaScript host. The crate `getrandom` does not build for a wasm file that may have another host, so that
/// it cannot be here, where only a feature tells which host it is.
#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
mod system {
    use js_sys::Uint32Array;
    use wasm_bindgen::prelude::*;

    pub(super) type Error = &'static str;

    pub(super) const NONE: Error = "the host has no crypto.getRandomValues";

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(catch, js_namespace = ["globalThis", "crypto"], js_name = getRandomValues)]
        fn get_random_values(numbers: &Uint32Array) -> Result<JsValue, JsValue>;
    }

    pub(super) fn u64() -> Result<u64, Error> {
        let numbers = Uint32Array::new_with_length(2);
        match get_random_values(&numbers) {
            Ok(_) => Ok(u64::from(numbers.get_index(0)) << 32 | u64::from(numbers.get_index(1))),
            Err(_) => Err(NONE),
        }
    }
}

/// A wasm file for no system in particular.
#[cfg(all(target_family = "wasm", target_os = "unknown", not(feature = "js")))]
mod system {
    pub(super) type Error = &'static str;

    pub(super) const NONE: Error = "rejitter's feature `js`, for JavaScript hosts, is off";

    pub(super) fn u64() -> Result<u64, Error> {
        Err(NONE)
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
