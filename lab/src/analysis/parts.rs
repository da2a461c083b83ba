//! The parts of distributions: points, rows of points, and densities.

use super::chebyshev::Series;

/// A density on an interval.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) lo: f64,
    pub(super) hi: f64,
    /// The probability per unit of `t`, which runs from −1 at `lo` to 1 at `hi`.
    density: Series,
    /// `∫ t^power` times the density, for the powers 0 (the probability), 1 and 2.
    moments: [f64; 3],
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

    /// From the probability per unit of `t`.
    pub(super) fn new(lo: f64, hi: f64, density: Series) -> Self {
        Self {
            lo,
            hi,
            moments: density.moments(),
            density,
        }
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
        Self::new(self.lo, self.hi, self.density.scaled(1.0, mass / 2.0))
    }

    pub(super) fn density(&self) -> &Series {
        &self.density
    }

    pub(super) fn mass(&self) -> f64 {
        let [mass, ..] = self.moments;
        mass
    }

    pub(super) fn is_uniform(&self) -> bool {
        self.density.is_constant()
    }

    /// Where `x` is on the scale from −1 to 1.
    fn place(&self, x: f64) -> f64 {
        ((x - self.lo) / (self.hi - self.lo) * 2.0 - 1.0).clamp(-1.0, 1.0)
    }

    fn position(&self, t: f64) -> f64 {
        self.lo + (1.0 + t) * ((self.hi - self.lo) / 2.0)
    }

    fn at_mass(&self, mass: f64) -> f64 {
        let share = mass / self.mass();
        if self.is_uniform() {
            return self.lo + share * (self.hi - self.lo);
        }
        let below = self.density.integral();
        let t = (2.0 * share - 1.0).clamp(-1.0, 1.0);
        let error = |t| (below.at(t) - mass, self.density.at(t));
        // Squared by the next step, it would be below rounding.
        self.position(root((-1.0, 1.0), t, error, |_| 1e-10))
    }

    /// The probability between two places.
    pub(super) fn between(&self, from: f64, to: f64) -> f64 {
        let below = self.density.integral();
        (below.at(self.place(to)) - below.at(self.place(from))).max(0.0)
    }

    /// `∫ (x − centre)^power`, for a power of 1 or 2.
    fn moment(&self, centre: f64, power: u32) -> f64 {
        let half = (self.hi - self.lo) / 2.0;
        let middle = self.lo + half - centre;
        let [mass, first, second] = self.moments;
        if power == 1 {
            middle * mass + half * first
        } else {
            middle * middle * mass + 2.0 * middle * half * first + half * half * second
        }
    }
}

/// The root of a function that grows between two ends, by Newton's method from `x`, or by bisection where that leaves
/// them. `f`: the function and its slope. `near`: the length of a step that is the last one, and ends at the root.
pub(super) fn root(
    (mut left, mut right): (f64, f64),
    mut x: f64,
    f: impl Fn(f64) -> (f64, f64),
    near: impl Fn(f64) -> f64,
) -> f64 {
    for _ in 0..60 {
        let (error, slope) = f(x);
        if error < 0.0 {
            left = x;
        } else {
            right = x;
        }
        let next = x - error / slope;
        let better = if left <= next && next <= right {
            next
        } else {
            f64::midpoint(left, right)
        };
        let step = (better - x).abs();
        let is_last = step <= near(x);
        x = better;
        if is_last {
            break;
        }
    }
    x
}

/// A part of a distribution; its values lie between those of the parts before and after it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // Nearly all parts are pieces.
pub(super) enum Part {
    Atom { ms: f64, mass: f64 },
    Row(Row),
    Piece(Piece),
}

/// `count` points, `step` apart, each with the same probability.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) first: f64,
    pub(super) step: f64,
    pub(super) count: f64,
    pub(super) each: f64,
}

impl Part {
    pub(super) fn lo(&self) -> f64 {
        match self {
            Self::Atom { ms, .. } => *ms,
            Self::Row(row) => row.first,
            Self::Piece(piece) => piece.lo,
        }
    }

    pub(super) fn hi(&self) -> f64 {
        match self {
            Self::Atom { ms, .. } => *ms,
            Self::Row(row) => row.first + row.step * (row.count - 1.0),
            Self::Piece(piece) => piece.hi,
        }
    }

    pub(super) fn mass(&self) -> f64 {
        match self {
            Self::Atom { mass, .. } => *mass,
            Self::Row(row) => row.count * row.each,
            Self::Piece(piece) => piece.mass(),
        }
    }

    /// At least how much probability lies elsewhere than in `other`; 1 unless both are at the same
    /// place.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        match (self, other) {
            _ if self.lo() != other.lo() || self.hi() != other.hi() => 1.0,
            (Self::Piece(piece), Self::Piece(other)) => piece.density.distance(&other.density),
            (Self::Atom { .. }, Self::Atom { .. }) => (self.mass() - other.mass()).abs(),
            _ => 1.0,
        }
    }

    /// `∫ (x − centre)^power` over this part, for a power of 1 or 2.
    pub(super) fn moment(&self, centre: f64, power: u32) -> f64 {
        let raised = |x: f64| if power == 1 { x } else { x * x };
        match self {
            Self::Atom { ms, mass } => mass * raised(ms - centre),
            Self::Row(row) => {
                let &Row { step, count, .. } = row;
                let middle = row.first + step * (count - 1.0) / 2.0 - centre;
                // The variance of a row: (count² − 1)/12 steps.
                let spread = if power == 1 {
                    0.0
                } else {
                    step * step * (count * count - 1.0) / 12.0
                };
                count * row.each * (raised(middle) + spread)
            }
            Self::Piece(piece) => piece.moment(centre, power),
        }
    }

    /// The probability of values up to `x`.
    pub(super) fn mass_upto(&self, x: f64) -> f64 {
        match self {
            _ if x < self.lo() => 0.0,
            _ if x >= self.hi() => self.mass(),
            Self::Piece(piece) => piece.between(piece.lo, x),
            Self::Row(row) => (((x - row.first) / row.step).floor() + 1.0) * row.each,
            Self::Atom { mass, .. } => *mass,
        }
    }

    /// The probability of values below `x`.
    pub(super) fn mass_below(&self, x: f64) -> f64 {
        match self {
            _ if x <= self.lo() => 0.0,
            Self::Row(row) if x <= self.hi() => ((x - row.first) / row.step).ceil() * row.each,
            _ => self.mass_upto(x),
        }
    }

    /// The smallest value up to which there is this much probability.
    pub(super) fn at_mass(&self, mass: f64) -> f64 {
        let value = match self {
            Self::Atom { ms, .. } => *ms,
            Self::Row(row) => row.first + row.step * ((mass / row.each).ceil() - 1.0).max(0.0),
            Self::Piece(piece) => piece.at_mass(mass),
        };
        value.clamp(self.lo(), self.hi())
    }
}
