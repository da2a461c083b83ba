//! Digests of random lives, for the tests of the package that play the same lives in JavaScript.

use std::collections::HashSet;

/// FNV-1a over 32-bit words, the lower word of each number first.
pub struct Digest(pub u32);

impl Digest {
    pub fn new() -> Self {
        Self(0x811c_9dc5)
    }

    pub fn add(&mut self, number: f64) {
        let bits = number.to_bits();
        #[allow(clippy::cast_possible_truncation)]
        for word in [bits as u32, (bits >> 32) as u32] {
            self.0 = (self.0 ^ word).wrapping_mul(0x0100_0193);
        }
    }
}

/// Writes a digest per life. The test of the package sets the file and the number of lives. Without a file, the lives
/// are only played.
pub fn write(lives: u32, digest: impl Fn(u32) -> u32) {
    let lives =
        std::env::var("REJITTER_LIVES").map_or(lives, |many| many.parse().expect("a number"));
    let digests: Vec<u32> = (0..lives).map(digest).collect();
    if let Some(file) = std::env::var_os("REJITTER_LIFE_DIGESTS") {
        let bytes: Vec<u8> = digests.iter().flat_map(|d| d.to_le_bytes()).collect();
        std::fs::write(file, bytes).expect("written");
    }
    // Different steps and answers: digests that say something.
    let distinct: HashSet<u32> = digests.iter().copied().collect();
    assert!(distinct.len() > digests.len() * 99 / 100);
}
