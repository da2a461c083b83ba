//! What distributions are put together from: points, rows of points, and densities.

use super::chebyshev::Series;

/// A density on an interval.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) lo: f64,
    pub(super) hi: f64,
    /// The probability per unit of `t`, which runs from −1 at `lo` to 1 at `hi`.
    density: Series,
    /// The probability below `t`.
    below: Series,
}

impl Piece {
    pub(super) fn uniform(lo: f64, hi: f64, mass: f64) -> Self {
        Self::new(lo, hi, Series::constant(mass / 2.0))
    }

    /// From the probability per `unit`, a length near that of the interval: of a shorter or longer
    /// one the density might overflow.
    pub(super) fn of_density(
        lo: f64,
        hi: f64,
        unit: f64,
        mut density: impl FnMut(f64) -> f64,
    ) -> Self {
        let half = (hi - lo) / 2.0;
        let share = half / unit;
        let series = Series::interpolate(|t| density(lo + (1.0 + t) * half) * share);
        Self::new(lo, hi, series)
    }

    /// The part of this between two of its places.
    pub(super) fn section(&self, lo: f64, hi: f64) -> Self {
        if self.is_uniform() {
            return Self::uniform(lo, hi, self.between(lo, hi));
        }
        let whole = self.hi - self.lo;
        Self::of_density(lo, hi, whole / 2.0, |x| self.density.at(self.place(x)))
    }

    /// This, with more probability spread over it evenly.
    pub(super) fn raised(&self, mass: f64) -> Self {
        Self::new(self.lo, self.hi, self.density.plus(mass / 2.0))
    }

    fn new(lo: f64, hi: f64, density: Series) -> Self {
        Self {
            lo,
            hi,
            below: density.integral(),
            density,
        }
    }

    pub(super) fn is_uniform(&self) -> bool {
        self.density.is_constant()
    }

    /// Where `x` is on the scale from −1 to 1.
    pub(super) fn place(&self, x: f64) -> f64 {
        ((x - self.lo) / (self.hi - self.lo) * 2.0 - 1.0).clamp(-1.0, 1.0)
    }

    fn position(&self, t: f64) -> f64 {
        self.lo + (1.0 + t) * ((self.hi - self.lo) / 2.0)
    }

    /// This density times `weight`, as the series of its integral from `lo`.
    pub(super) fn weighted(&self, mut weight: impl FnMut(f64) -> f64) -> Series {
        Series::interpolate(|t| self.density.at(t) * weight(self.position(t))).integral()
    }

    fn at_mass(&self, mass: f64) -> f64 {
        let whole = self.density.moment(0);
        if self.is_uniform() {
            return self.lo + mass / whole * (self.hi - self.lo);
        }
        let (mut left, mut right) = (-1.0, 1.0);
        // Halved until the interval is an ulp or two.
        for _ in 0..60 {
            let middle = f64::midpoint(left, right);
            if self.below.at(middle) < mass {
                left = middle;
            } else {
                right = middle;
            }
        }
        self.position(right)
    }

    /// The probability between two places.
    pub(super) fn between(&self, from: f64, to: f64) -> f64 {
        (self.below.at(self.place(to)) - self.below.at(self.place(from))).max(0.0)
    }
}

/// A part of a distribution; its values lie between those of the parts before and after it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Atom {
        ms: f64,
        mass: f64,
    },
    /// `count` points, `step` apart, each with the same probability.
    Row {
        first: f64,
        step: f64,
        count: f64,
        each: f64,
    },
    Piece(Piece),
}

impl Part {
    pub(super) fn lo(&self) -> f64 {
        match self {
            Self::Atom { ms, .. } => *ms,
            Self::Row { first, .. } => *first,
            Self::Piece(piece) => piece.lo,
        }
    }

    pub(super) fn hi(&self) -> f64 {
        match self {
            Self::Atom { ms, .. } => *ms,
            Self::Row {
                first, step, count, ..
            } => first + step * (count - 1.0),
            Self::Piece(piece) => piece.hi,
        }
    }

    pub(super) fn mass(&self) -> f64 {
        match self {
            Self::Atom { mass, .. } => *mass,
            Self::Row { count, each, .. } => count * each,
            Self::Piece(piece) => piece.density.moment(0),
        }
    }

    /// `∫ (x − centre)^power` over this part, for a power of 1 or 2.
    pub(super) fn moment(&self, centre: f64, power: u32) -> f64 {
        let raised = |x: f64| if power == 1 { x } else { x * x };
        match self {
            Self::Atom { ms, mass } => mass * raised(ms - centre),
            Self::Row {
                first,
                step,
                count,
                each,
            } => {
                let middle = first + step * (count - 1.0) / 2.0 - centre;
                // The variance of a row: (count² − 1)/12 steps.
                let spread = if power == 1 {
                    0.0
                } else {
                    step * step * (count * count - 1.0) / 12.0
                };
                count * each * (raised(middle) + spread)
            }
            Self::Piece(piece) => {
                let half = (piece.hi - piece.lo) / 2.0;
                let middle = piece.lo + half - centre;
                let moment = |power| piece.density.moment(power);
                if power == 1 {
                    middle * moment(0) + half * moment(1)
                } else {
                    middle * middle * moment(0)
                        + 2.0 * middle * half * moment(1)
                        + half * half * moment(2)
                }
            }
        }
    }

    /// The probability of values up to `x`.
    pub(super) fn mass_upto(&self, x: f64) -> f64 {
        match self {
            _ if x < self.lo() => 0.0,
            _ if x >= self.hi() => self.mass(),
            Self::Piece(piece) => piece.between(piece.lo, x),
            Self::Row {
                first, step, each, ..
            } => (((x - first) / step).floor() + 1.0) * each,
            Self::Atom { mass, .. } => *mass,
        }
    }

    /// The probability of values below `x`.
    pub(super) fn mass_below(&self, x: f64) -> f64 {
        match self {
            _ if x <= self.lo() => 0.0,
            Self::Row {
                first, step, each, ..
            } if x <= self.hi() => ((x - first) / step).ceil() * each,
            _ => self.mass_upto(x),
        }
    }

    /// The smallest value up to which there is this much probability.
    pub(super) fn at_mass(&self, mass: f64) -> f64 {
        let value = match self {
            Self::Atom { ms, .. } => *ms,
            Self::Row {
                first, step, each, ..
            } => first + step * ((mass / each).ceil() - 1.0).max(0.0),
            Self::Piece(piece) => piece.at_mass(mass),
        };
        value.clamp(self.lo(), self.hi())
    }
}
