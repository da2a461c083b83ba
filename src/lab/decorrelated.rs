//! The chain of decorrelated jitter: each wait is drawn from what the previous one was.
//!
//! `X_k = min(cap, U(lo, 3·X_(k−1)))`, or with the cap inside: `U(lo, min(cap, 3·X_(k−1)))`. The
//! density of a wait at x is the mean of the previous wait's `1/(3y − lo)` over all y ≥ x/3. It is
//! smooth but where x is 3 times an end of a piece of the previous density; there it is cut into
//! pieces, of which none is longer than from a to 3a.

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

impl Chain {
    /// The distribution of the wait after `previous`.
    pub(super) fn next(&self, previous: &Distribution) -> Distribution {
        let &Self { lo, cap, .. } = self;
        // Without a base there is nothing to multiply; a floor at the cap leaves nothing to draw.
        if lo <= 0.0 || lo >= cap {
            return Distribution::spike(lo.clamp(0.0, cap));
        }
        // There the weights have a kink, and there begins what may be drawn above the cap.
        let previous = &previous.cut(cap / 3.0);
        let weighted = self.weighted(previous);
        let mut parts: Vec<Part> = Vec::new();
        let ends = self.ends(previous);
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            let piece = self.density_between(*from, *to, &weighted);
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

    /// The density of what is drawn after a wait of `y`, per `lo`.
    fn weight(&self, y: f64) -> f64 {
        let hi = if self.bounded {
            (3.0 * y).min(self.cap)
        } else {
            3.0 * y
        };
        self.lo / (hi - self.lo)
    }

    /// Where the pieces of the next density begin and end.
    fn ends(&self, previous: &Distribution) -> Vec<f64> {
        let top = (3.0 * previous.hi_ms()).min(self.cap);
        let mut ends = vec![self.lo, top];
        for part in previous.parts() {
            ends.extend([3.0 * part.lo(), 3.0 * part.hi()]);
        }
        ends.retain(|end| (self.lo..=top).contains(end));
        ends.sort_unstable_by(f64::total_cmp);
        ends.dedup_by(|next, kept| *next - *kept <= SAME * *next);
        // Of two that are one, the last must be the top itself.
        if let Some(last) = ends.last_mut() {
            *last = top;
        }
        ends
    }

    fn weighted<'a>(&self, previous: &'a Distribution) -> Vec<Weighted<'a>> {
        let mut above = 0.0;
        let mut all: Vec<Weighted<'a>> = Vec::new();
        for part in previous.parts().iter().rev() {
            let (piece, integral) = match part {
                Part::Piece(piece) => (Some(piece), piece.weighted(|y| self.weight(y))),
                other => (
                    None,
                    Series::constant(other.mass() * self.weight(other.lo())),
                ),
            };
            let whole = integral.at(1.0);
            all.push(Weighted {
                piece,
                lo: part.lo(),
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
        let share = |y: f64| ((3.0 * y - self.cap) / self.lo * self.weight(y)).max(0.0);
        let above = previous
            .parts()
            .iter()
            .filter(|part| 3.0 * part.hi() > self.cap * (1.0 + SAME));
        let masses = above.map(|part| match part {
            Part::Piece(piece) => piece.weighted(share).at(1.0),
            other => other.mass() * share(other.lo()),
        });
        masses.sum()
    }

    /// The next density from `from` to `to`: the weight of all previous waits above a third of x.
    fn density_between(&self, from: f64, to: f64, weighted: &[Weighted<'_>]) -> Piece {
        let even = |weight: f64| Piece::uniform(from, to, weight * ((to - from) / self.lo));
        let third = f64::midpoint(from, to) / 3.0;
        let Some(part) = weighted.iter().find(|part| part.lo < third) else {
            // Below every previous wait: all of them may lead here.
            return even(weighted.last().map_or(0.0, |part| part.above + part.whole));
        };
        match part.piece.filter(|piece| third < piece.hi) {
            Some(piece) => Piece::of_density(from, to, self.lo, |x| {
                part.above + part.whole - part.integral.at(piece.place(x / 3.0))
            }),
            None => even(part.above),
        }
    }
}

/// A part of the previous density, weighted; in descending order.
struct Weighted<'a> {
    piece: Option<&'a Piece>,
    lo: f64,
    /// From the part's begin.
    integral: Series,
    whole: f64,
    /// Of all that lies above.
    above: f64,
}
