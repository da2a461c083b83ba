//! Seeds from the system's randomness, for callers who bring none.

use crate::core::Seed;

impl Seed {
    /// A seed from the operating system, or from `crypto.getRandomValues` in a JavaScript host.
    ///
    /// # Errors
    /// When the system has no randomness to give (see the `getrandom` crate). There is no
    /// fallback to a constant: clients which share a seed retry at the same instants, which is
    /// what jitter is there to prevent.
    pub fn random() -> Result<Self, getrandom::Error> {
        getrandom::u64().map(Self::new)
    }
}
