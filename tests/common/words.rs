//! Random words that JavaScript draws too: tests/package/lib/words.mjs.

/// `mulberry32`: 32-bit arithmetic, fast in JavaScript too.
pub struct Words(pub u32);

impl Words {
    /// The words of one subject of a test, by its number.
    pub fn new(index: u32) -> Self {
        Self(index.wrapping_mul(0x9e37_79b9))
    }

    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x6d2b_79f5);
        let mut t = (self.0 ^ (self.0 >> 15)).wrapping_mul(1 | self.0);
        t = t.wrapping_add((t ^ (t >> 7)).wrapping_mul(61 | t)) ^ t;
        t ^ (t >> 14)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }

    /// Uniform on [0, 1).
    pub fn unit(&mut self) -> f64 {
        f64::from(self.word()) / 4_294_967_296.0
    }
}
