//! The chain of decorrelated jitter: each wait is drawn from what the previous one was.
//!
//! `X_k = min(cap, U(lo, 3·X_(k−1)))`, or with the cap inside: `U(lo, min(cap, 3·X_(k−1)))`. The
//! density of a wait at x is the mean of the previous wait's `1/(3y − lo)` over all y ≥ x/3. It is
//! smooth but where x is 3 times an end of a piece of the previous density; there it is cut into
//! pieces, of which none is longer than from a to 3a. So each piece is three times one of the
//! previous density, and its series follows from that one's in as many steps as it has terms.

use super::chebyshev::Series;
use super::distribution::Distribution;
use super::parts::{Part, Piece};

/// The parameters of the chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    /// The shortest wait.
    pub(super) lo: f64,
    pub(super) cap: f64,
    /// Whether the cap bounds the draw's interval, and not what was drawn.
    pub(super) bounded: bool,
}

/// Points nearer than this, relatively, are one: they differ by rounding.
const SAME: f64 = 1e-12;

/// A length between the shortest and the longest waits, in ms: densities per this length neither
/// overflow nor vanish.
const UNIT: f64 = 1e-150;

impl Chain {
    /// The distribution of the wait after `previous`.
    pub(super) fn next(&self, previous: &Distribution) -> Distribution {
        let &Self { lo, cap, .. } = self;
        // A base of 0 stays 0, and a minimum wait at the cap leaves no range to draw from.
        if lo <= 0.0 || lo >= cap {
            return Distribution::spike(lo.clamp(0.0, cap));
        }
        // The weights have a kink there, and draws above the cap start there.
        let previous = &previous.cut(cap / 3.0);
        let weighted = self.weighted(previous);
        let mut parts: Vec<Part> = Vec::new();
        let ends = self.ends(previous);
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            let piece = Self::density_between(*from, *to, &weighted);
            parts.push(Part::Piece(piece));
        }
        let at_cap = self.mass_at_cap(previous);
        if at_cap > 0.0 {
            parts.push(Part::Atom {
                ms: cap,
                mass: at_cap,
            });
        }
        Distribution::new(parts)
    }

    /// `3y − lo`, the length of the interval of the draw after a `y` from `from` to `to`, in units and as `a + b·t`.
    fn length(&self, from: f64, to: f64) -> (f64, f64) {
        let middle = f64::midpoint(from, to);
        // Wherever in that part `y` is.
        if self.bounded && 3.0 * middle > self.cap {
            return ((self.cap - self.lo) / UNIT, 0.0);
        }
        let half = (to - from) / 2.0;
        ((3.0 * middle - self.lo) / UNIT, 3.0 * half / UNIT)
    }

    /// Boundaries of the pieces of the next density.
    fn ends(&self, previous: &Distribution) -> Vec<f64> {
        let top = (3.0 * previous.hi_ms()).min(self.cap);
        let mut ends = vec![self.lo, top];
        for part in previous.parts() {
            ends.extend([3.0 * part.lo(), 3.0 * part.hi()]);
        }
        ends.retain(|end| (self.lo..=top).contains(end));
        ends.sort_unstable_by(f64::total_cmp);
        ends.dedup_by(|next, kept| *next - *kept <= SAME * *next);
        // If the last two were one point, keep the top itself.
        if let Some(last) = ends.last_mut() {
            *last = top;
        }
        ends
    }

    /// The previous density over the lengths of the draws' intervals: what each part adds to the
    /// density of the waits that may follow it. In descending order.
    fn weighted(&self, previous: &Distribution) -> Vec<Weighted> {
        let mut above = 0.0;
        let mut all = Vec::new();
        for part in previous.parts().iter().rev() {
            let (a, b) = self.length(part.lo(), part.hi());
            let (integral, whole) = match part {
                Part::Piece(piece) => {
                    let integral = if b == 0.0 {
                        piece.density().scaled(1.0 / a, 0.0)
                    } else {
                        piece.density().over(a, b)
                    }
                    .integral();
                    let whole = integral.at_end();
                    (Some(integral), whole)
                }
                other => (None, other.mass() / a),
            };
            all.push(Weighted {
                lo: part.lo(),
                hi: part.hi(),
                integral,
                whole,
                above,
            });
            above += whole;
        }
        all
    }

    fn mass_at_cap(&self, previous: &Distribution) -> f64 {
        if self.bounded {
            return 0.0;
        }
        // The share of the draw's interval, from lo to 3y, that is above the cap.
        let above = previous
            .parts()
            .iter()
            .filter(|part| 3.0 * part.hi() > self.cap * (1.0 + SAME));
        let masses = above.map(|part| match part {
            Part::Piece(piece) => {
                let (a, b) = self.length(piece.lo, piece.hi);
                let over = piece.density().times(a - (self.cap - self.lo) / UNIT, b);
                let [mass, ..] = over.over(a, b).moments();
                mass
            }
            other => {
                let y = other.lo();
                other.mass() * ((3.0 * y - self.cap) / (3.0 * y - self.lo)).max(0.0)
            }
        });
        masses.sum()
    }

    /// The next density from `from` to `to`: what all previous waits above a third of x add to it.
    fn density_between(from: f64, to: f64, weighted: &[Weighted]) -> Piece {
        let even = |weight: f64| Piece::uniform(from, to, weight * ((to - from) / UNIT));
        let third = f64::midpoint(from, to) / 3.0;
        let Some(part) = weighted.get(weighted.partition_point(|part| part.lo >= third)) else {
            // Below every previous wait: all of them may lead here.
            return even(weighted.last().map_or(0.0, |part| part.above + part.whole));
        };
        match part.integral.as_ref().filter(|_| third < part.hi) {
            Some(integral) => {
                // Its interval is three times that of the part: the same place has the same t.
                let share = (to - from) / 2.0 / UNIT;
                let all = (part.above + part.whole) * share;
                Piece::new(from, to, integral.scaled(-share, all))
            }
            None => even(part.above),
        }
    }
}

/// A part of the previous density, weighted.
struct Weighted {
    lo: f64,
    hi: f64,
    /// The integral from the part's start; `None` for an atom.
    integral: Option<Series>,
    whole: f64,
    /// The sum of `whole` over the parts above.
    above: f64,
}
