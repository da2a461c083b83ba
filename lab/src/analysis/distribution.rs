//! The distribution of one wait: its moments, quantiles and density.

use rejitter::internals::getters;
use serde::Serialize;

use super::parts::{Part, Piece, Row};

/// A point of positive probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Atom {
    /// The wait in ms.
    pub ms: f64,
    /// How probable exactly this wait is.
    pub probability: f64,
}

/// A stretch of waits with one density: exact, or its average.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// Start, in ms.
    pub from_ms: f64,
    /// Where it ends, in ms.
    pub to_ms: f64,
    /// How probable a wait in it is.
    pub probability: f64,
}

/// How a wait is distributed: points of positive probability, and densities between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// In ascending order.
    parts: Vec<Part>,
    /// The distance of neighbouring values, where all of them are multiples of it.
    lattice_ms: Option<f64>,
}

impl Distribution {
    /// Always the same wait.
    pub(super) fn spike(ms: f64) -> Self {
        Self::new(vec![Part::Atom { ms, mass: 1.0 }])
    }

    /// Uniform from `lo` to `hi`, what lies above `cap` moved there.
    pub(super) fn uniform(lo: f64, hi: f64, cap: f64) -> Self {
        if lo >= cap || lo >= hi {
            return Self::spike(lo.min(cap));
        }
        let inside = (cap.min(hi) - lo) / (hi - lo);
        let mut parts = vec![Part::Piece(Piece::uniform(lo, hi.min(cap), inside))];
        if hi > cap {
            let mass = (hi - cap) / (hi - lo);
            parts.push(Part::Atom { ms: cap, mass });
        }
        Self::new(parts)
    }

    /// The multiples 0 … `count` − 1 of `slot`, equally probable; what lies outside
    /// [`floor`, `cap`] moved to its ends.
    pub(super) fn slotted(slot: f64, count: f64, floor: f64, cap: f64) -> Self {
        if slot == 0.0 {
            return Self::spike(floor.min(cap));
        }
        let inside = if floor > 0.0 {
            (floor / slot).floor() + 1.0
        } else {
            0.0
        };
        let from = inside.min(count);
        let to = (cap / slot).ceil().clamp(from, count);
        let atom = |ms, of: f64| {
            let mass = of / count;
            (of > 0.0).then_some(Part::Atom { ms, mass })
        };
        let row = Row {
            first: slot * from,
            step: slot,
            count: to - from,
            each: 1.0 / count,
        };
        let row = (to > from).then_some(Part::Row(row));
        let parts = [atom(floor.min(cap), from), row, atom(cap, count - to)];
        Self {
            lattice_ms: Some(slot),
            ..Self::new(parts.into_iter().flatten().collect())
        }
    }

    pub(super) fn new(parts: Vec<Part>) -> Self {
        Self {
            parts,
            lattice_ms: None,
        }
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The shortest possible wait in ms.
    #[must_use]
    pub fn lo_ms(&self) -> f64 {
        self.parts.first().map_or(0.0, Part::lo)
    }

    /// The longest possible wait in ms, or the bound that waits come arbitrarily near to.
    #[must_use]
    pub fn hi_ms(&self) -> f64 {
        self.parts.last().map_or(0.0, Part::hi)
    }

    /// The mean in ms.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        self.parts.iter().map(|part| part.moment(0.0, 1)).sum()
    }

    /// The standard deviation in ms.
    #[must_use]
    pub fn sd_ms(&self) -> f64 {
        let mean = self.mean_ms();
        let variance: f64 = self.parts.iter().map(|part| part.moment(mean, 2)).sum();
        variance.max(0.0).sqrt()
    }

    /// The smallest wait in ms that is not exceeded with probability `p`.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        let mut left = p;
        for part in &self.parts {
            let mass = part.mass();
            if left <= mass {
                return part.at_mass(left.max(0.0));
            }
            left -= mass;
        }
        self.hi_ms()
    }

    /// The probability of a wait of `ms` or less.
    #[must_use]
    pub fn cdf(&self, ms: f64) -> f64 {
        let sum: f64 = self.parts.iter().map(|part| part.mass_upto(ms)).sum();
        sum.min(1.0)
    }

    /// The probability of a wait of `ms` or more.
    #[must_use]
    pub fn at_least(&self, ms: f64) -> f64 {
        let below: f64 = self.parts.iter().map(|part| part.mass_below(ms)).sum();
        (1.0 - below).max(0.0)
    }

    /// The points of positive probability, in ascending order. A lattice has only its ends here, where
    /// the floor and the cap gather what lies beyond them.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Atom { ms, mass } => Some(Atom {
                ms: *ms,
                probability: *mass,
            }),
            _ => None,
        })
    }

    getters! {
        /// The distance of neighbouring waits in ms, where all are multiples of it (or at the floor or the cap).
        lattice_ms: Option<f64>,
    }

    /// The density: stretches of waits in ascending order with their exact probabilities. A
    /// uniform stretch is one cell, a curved one `resolution`. Atoms and lattices have none.
    #[must_use]
    pub fn cells(&self, resolution: u32) -> Vec<Cell> {
        let mut cells = Vec::new();
        for part in &self.parts {
            let Part::Piece(piece) = part else { continue };
            let count = if piece.is_uniform() {
                1
            } else {
                resolution.max(1)
            };
            let edge = |i: u32| {
                let share = f64::from(i) / f64::from(count);
                piece.lo + share * (piece.hi - piece.lo)
            };
            cells.extend((0..count).map(|i| Cell {
                from_ms: edge(i),
                to_ms: edge(i + 1),
                probability: piece.between(edge(i), edge(i + 1)),
            }));
        }
        cells
    }

    /// At least how far the probability of any set of waits is from that by `other`.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        if self.parts.len() != other.parts.len() {
            return 1.0;
        }
        let parts = self.parts.iter().zip(&other.parts);
        parts.map(|(part, other)| part.distance(other)).sum()
    }

    /// The same, with no piece that has `at` inside.
    pub(super) fn cut(&self, at: f64) -> Self {
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        for part in &self.parts {
            match part {
                Part::Piece(piece) if piece.lo < at && at < piece.hi => {
                    parts.push(Part::Piece(piece.section(piece.lo, at)));
                    parts.push(Part::Piece(piece.section(at, piece.hi)));
                }
                part => parts.push(part.clone()),
            }
        }
        Self::new(parts)
    }

    /// With a floor: what lies below it is moved there.
    pub(super) fn floored(self, floor: f64) -> Self {
        if floor <= self.lo_ms() {
            return self;
        }
        let mut parts = vec![Part::Atom {
            ms: floor,
            mass: self.cdf(floor),
        }];
        let above = |part: &Part| part.lo() >= floor && part.hi() > floor;
        parts.extend(self.cut(floor).parts.into_iter().filter(above));
        Self::new(parts)
    }
}
