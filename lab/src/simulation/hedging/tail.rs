//! The distribution of times, for which the longest matter: the shares that took longer than each of a grid, and
//! quantiles.

use crate::simulation::statistics::count_one;

/// A slot is the exponent and eight bits of the significand of a time: 256 slots an octave.
const SHIFT: u32 = 44;
/// Slots between two times of the grid, of which there are 16 an octave.
const STRIDE: usize = 16;
/// The shortest and the longest time of the grid, in ms: 2^−10 and 2^30.
const FIRST: f64 = 1.0 / 1_024.0;
const LAST: f64 = 1_073_741_824.0;
/// 40 octaves, and a slot for all times up to the first.
const SLOTS: usize = 40 * 256 + 1;

/// The upper edge of a slot, which belongs to it.
fn edge(slot: usize) -> f64 {
    f64::from_bits(FIRST.to_bits() + ((slot as u64) << SHIFT))
}

/// Times, counted by their size. One beyond [`LAST`] counts as that.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    slots: Vec<u32>,
    count: u32,
    sum_ms: f64,
}

impl Tail {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![0; SLOTS],
            count: 0,
            sum_ms: 0.0,
        }
    }

    /// The times of the grid, ascending.
    pub(super) fn grid() -> Vec<f64> {
        (0..SLOTS).step_by(STRIDE).map(edge).collect()
    }

    pub(super) fn record(&mut self, ms: f64) {
        // From the float before: an edge belongs to the slot below it.
        let above = ms.clamp(FIRST, LAST).to_bits() - FIRST.to_bits();
        let slot = above.div_ceil(1 << SHIFT);
        // At most the number of slots.
        #[allow(clippy::cast_possible_truncation)]
        count_one(&mut self.slots[slot as usize]);
        self.count += 1;
        self.sum_ms += ms;
    }

    /// The mean; NaN before the first time.
    pub(super) fn mean_ms(&self) -> f64 {
        self.sum_ms / f64::from(self.count)
    }

    /// The shares that took longer than each time of the grid; NaN before the first time.
    pub(super) fn longer(&self) -> Vec<f64> {
        let mut left = self.count;
        let mut longer = Vec::new();
        for (slot, count) in self.slots.iter().enumerate() {
            left -= count;
            if slot % STRIDE == 0 {
                longer.push(f64::from(left) / f64::from(self.count));
            }
        }
        longer
    }

    /// The time that this share took longer than, to within a 256th and mostly much less; NaN before the first time.
    pub(super) fn exceeded_by(&self, share: f64) -> f64 {
        let wanted = share * f64::from(self.count);
        let mut left = f64::from(self.count);
        for (slot, count) in self.slots.iter().enumerate() {
            let count = f64::from(*count);
            if count > 0.0 && left - count <= wanted {
                let from = if slot == 0 { 0.0 } else { edge(slot - 1) };
                return from + (edge(slot) - from) * ((left - wanted) / count);
            }
            left -= count;
        }
        f64::NAN
    }
}

/// The shortest time that at most this share takes longer than, for a distribution in closed form.
pub(super) fn shortest(share: f64, longer_than: impl Fn(f64) -> f64) -> f64 {
    // Times of at least 0 are ordered as their bits are.
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    while low < high {
        let middle = u64::midpoint(low, high);
        if longer_than(f64::from_bits(middle)) <= share {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    f64::from_bits(low)
}
