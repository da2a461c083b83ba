//! The waits of Polly's `DecorrelatedJitterBackoffV2`, of which each is made from two draws.
//!
//! With `f(t) = 2^t·tanh(√(4t))` wait k is `(f(k − 1 + u) − f(k − 2 + v))·base/1.4`, where u is
//! this wait's draw and v the previous one's; f(·) of the wait before the first is 0. f grows
//! strictly, so that the density of the difference is the mean over u of the density of f(k − 2
//! + v) at `f(k − 1 + u) − y`. What is above the cap is drawn again from the cap's upper half.

use super::distribution::Distribution;
use super::parts::{Part, Piece, root};

/// The formula's divisor: it brings the first wait's median near the base.
const DIVISOR: f64 = 1.4;

/// Below this share of the curve the probability is the square of it: nothing.
const NEGLIGIBLE: f64 = 1e-9;

/// The parameters of the formula.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polly {
    pub(super) base: f64,
    pub(super) cap: f64,
    pub(super) floor: f64,
}

impl Polly {
    /// The distribution of wait `k`.
    pub(super) fn distribution(&self, k: u64) -> Distribution {
        let &Self { base, cap, floor } = self;
        if base == 0.0 || cap == 0.0 {
            return Distribution::spike(floor.min(cap));
        }
        let scale = base / DIVISOR;
        let steps = Steps::of_wait(k);
        let longest = cap / scale;
        let mut pieces = if longest < NEGLIGIBLE * steps.now.lowest {
            Vec::new()
        } else {
            steps.pieces(cap, scale)
        };
        if steps.longest() > longest {
            let inside: f64 = pieces
                .iter()
                .map(|piece| piece.between(piece.lo, piece.hi))
                .sum();
            redraw(&mut pieces, (1.0 - inside).max(0.0), cap);
        }
        Distribution::new(pieces.into_iter().map(Part::Piece).collect()).floored(floor)
    }

    /// The longest wait `k`, or its bound.
    pub(super) fn longest(&self, k: u64) -> f64 {
        if self.base == 0.0 {
            return self.floor;
        }
        (Steps::of_wait(k).longest() * self.base / DIVISOR)
            .min(self.cap)
            .max(self.floor)
    }

    /// The longest sums of the first waits.
    pub(super) fn longest_sum(self) -> LongestSum {
        LongestSum {
            polly: self,
            k: 0,
            uncut: self.floor == 0.0,
        }
    }
}

/// The longest sum of the first `k` waits, while none of them can be above the cap or below the
/// floor: the differences add up to the last value of f.
pub(super) struct LongestSum {
    polly: Polly,
    /// The waits that are analysed.
    k: u64,
    uncut: bool,
}

impl LongestSum {
    /// For ascending `k`.
    pub(super) fn upto(&mut self, k: u64) -> Option<f64> {
        let Polly { base, cap, .. } = self.polly;
        while self.uncut && self.k < k {
            self.k += 1;
            self.uncut = Steps::of_wait(self.k).longest() * base / DIVISOR <= cap;
        }
        self.uncut.then(|| f(whole(k)) * base / DIVISOR)
    }
}

/// Adds the draws above the cap, uniform on its upper half; a piece starts there.
fn redraw(pieces: &mut Vec<Piece>, mass: f64, cap: f64) {
    let half = cap / 2.0;
    if pieces.is_empty() {
        pieces.push(Piece::uniform(half, cap, mass));
        return;
    }
    let above = |piece: &&mut Piece| f64::midpoint(piece.lo, piece.hi) > half;
    for piece in pieces.iter_mut().filter(above) {
        *piece = piece.raised(mass * ((piece.hi - piece.lo) / half));
    }
}

/// The values of f between which a wait's two draws move it.
struct Steps {
    /// k − 1: the lower end of this wait's draw.
    k: f64,
    /// Where the previous draw moves the wait; nowhere before the first.
    before: Stretch,
    /// Where this one does.
    now: Stretch,
}

impl Steps {
    fn of_wait(k: u64) -> Self {
        let k = whole(k.max(1)) - 1.0;
        Self {
            k,
            before: Stretch::new((k - 1.0).max(0.0)),
            now: Stretch::new(k),
        }
    }

    /// The longest difference.
    fn longest(&self) -> f64 {
        // Where f overflows, the difference is that large too.
        if self.now.highest == f64::INFINITY {
            f64::INFINITY
        } else {
            self.now.highest - self.before.lowest
        }
    }

    /// The density of the wait below `cap`, both in ms; of the wait `scale` times the difference.
    fn pieces(&self, cap: f64, scale: f64) -> Vec<Piece> {
        let top = (self.longest() * scale).min(cap);
        // Where a bound of the integral changes from one draw's end to the other's; and where the
        // density jumps when what is above the cap is added.
        let steps = [
            self.before.highest - self.before.lowest,
            self.now.highest - self.now.lowest,
        ];
        let mut kinks = vec![0.0, cap / 2.0, top];
        kinks.extend(steps.map(|step| step * scale));
        kinks.retain(|kink| (0.0..=top).contains(kink));
        kinks.sort_unstable_by(f64::total_cmp);
        let mut pieces = Vec::new();
        for (from, to) in kinks.iter().zip(kinks.iter().skip(1)) {
            if to - from <= 1e-12 * to {
                continue;
            }
            let density = |ms: f64| self.density(ms / scale);
            pieces.push(Piece::of_density(*from, *to, scale, density));
        }
        pieces
    }

    /// The density of the difference at `y`.
    fn density(&self, y: f64) -> f64 {
        if self.k == 0.0 {
            // The first wait is f(u) itself.
            return slope_of_inverse(self.now.root(y));
        }
        let draw = |value: f64| {
            let root = self.now.root(value);
            root * root - self.k
        };
        let (from, to) = (draw(y + self.before.lowest), draw(y + self.before.highest));
        integral(from, to, |u| {
            slope_of_inverse(self.before.root(f(self.k + u) - y))
        })
    }
}

/// The curve. The library's functions do: what is computed here is compared, not replayed.
fn f(t: f64) -> f64 {
    at_root(t.sqrt()).0
}

/// f(s²) and its derivative in s.
fn at_root(s: f64) -> (f64, f64) {
    let (power, bend) = ((s * s).exp2(), (2.0 * s).tanh());
    let slope = 2.0 * s * std::f64::consts::LN_2 * bend + 2.0 * (1.0 - bend) * (1.0 + bend);
    (power * bend, power * slope)
}

/// A stretch of the curve, one unit of t long.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: f64,
    lowest: f64,
    highest: f64,
}

impl Stretch {
    fn new(from: f64) -> Self {
        Self {
            from,
            lowest: f(from),
            highest: f(from + 1.0),
        }
    }

    /// The root of the t where f is `value`, or of the nearer end: in the root of t, f is nearly straight at 0.
    fn root(&self, value: f64) -> f64 {
        let (left, right) = (self.from.sqrt(), (self.from + 1.0).sqrt());
        if value <= self.lowest {
            return left;
        }
        if value >= self.highest {
            return right;
        }
        // Nearly a power of 2, except the first stretch, which starts at 0.
        let s = if self.lowest > 0.0 {
            let share = (value / self.lowest).ln() / (self.highest / self.lowest).ln();
            (self.from + share).sqrt().clamp(left, right)
        } else {
            left + (right - left) * (value / self.highest)
        };
        let error = |s| {
            let (height, slope) = at_root(s);
            (height - value, slope)
        };
        // Squared by the next step, it would be below rounding.
        root((left, right), s, error, |s| 1e-9 * s)
    }
}

/// dt/df at the root of t.
fn slope_of_inverse(s: f64) -> f64 {
    2.0 * s / at_root(s).1
}

/// Nodes and weights of Gauss–Legendre quadrature with 20 points, of which each stands for itself
/// and its mirror image.
const GAUSS: [(f64, f64); 10] = [
    (0.076_526_521_133_497_33, 0.152_753_387_130_725_85),
    (0.227_785_851_141_645_08, 0.149_172_986_472_603_75),
    (0.373_706_088_715_419_56, 0.142_096_109_318_382_05),
    (0.510_867_001_950_827_1, 0.131_688_638_449_176_63),
    (0.636_053_680_726_515, 0.118_194_531_961_518_42),
    (0.746_331_906_460_150_8, 0.101_930_119_817_240_44),
    (0.839_116_971_822_218_8, 0.083_276_741_576_704_75),
    (0.912_234_428_251_326, 0.062_672_048_334_109_07),
    (0.963_971_927_277_913_8, 0.040_601_429_800_386_94),
    (0.993_128_599_185_094_9, 0.017_614_007_139_152_12),
];

fn integral(from: f64, to: f64, mut integrand: impl FnMut(f64) -> f64) -> f64 {
    let (middle, half) = (f64::midpoint(from, to), (to - from) / 2.0);
    let sum: f64 = GAUSS
        .iter()
        .map(|(node, weight)| {
            weight * (integrand(middle - half * node) + integrand(middle + half * node))
        })
        .sum();
    sum * half
}

/// Beyond 2^53 waits the fraction is lost, and f infinite long before.
#[allow(clippy::cast_precision_loss)]
fn whole(k: u64) -> f64 {
    k as f64
}
