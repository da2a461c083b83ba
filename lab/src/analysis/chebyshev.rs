//! Smooth functions on [−1, 1] as Chebyshev series: to interpolate, integrate and evaluate them.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Interpolation nodes, and the most coefficients of a series. On the pieces that occur the nearest
/// singularity lies so far outside that the coefficients shrink at least threefold each: what 31
/// leave out is near the rounding.
const NODES: usize = 31;

/// cos(πm/2N): all the values that nodes and basis functions take.
static COSINES: LazyLock<Vec<f64>> = LazyLock::new(|| {
    (0..4 * NODES)
        .map(|m| (PI * to_f64(m) / to_f64(2 * NODES)).cos())
        .collect()
});

/// `∫ t^power·T_n` over [−1, 1], for each n and the powers 0, 1 and 2.
static MOMENTS: LazyLock<Vec<[f64; 3]>> = LazyLock::new(|| {
    // ∫ T_n; t·T_n and t²·T_n are means of neighbours.
    let whole = |n: usize| {
        if n % 2 == 0 {
            2.0 / (1.0 - to_f64(n) * to_f64(n))
        } else {
            0.0
        }
    };
    let moments = |n: usize| {
        let first = f64::midpoint(whole(n + 1), whole(n.abs_diff(1)));
        let second = (whole(n + 2) + 2.0 * whole(n) + whole(n.abs_diff(2))) / 4.0;
        [whole(n), first, second]
    };
    (0..NODES).map(moments).collect()
});

/// `Σ c_n·T_n(t)`. Its length is fixed: the chain of decorrelated jitter makes a million of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Series {
    /// Zero from `count` on.
    coefficients: [f64; NODES],
    count: usize,
}

impl Series {
    pub(super) fn constant(value: f64) -> Self {
        let mut coefficients = [0.0; NODES];
        coefficients[0] = value;
        Self {
            coefficients,
            count: 1,
        }
    }

    /// The series that equals `f` at the nodes.
    pub(super) fn interpolate(mut f: impl FnMut(f64) -> f64) -> Self {
        let mut values = [0.0; NODES];
        for (j, value) in values.iter_mut().enumerate() {
            *value = f(cosine(2 * j + 1));
        }
        let series = Self::of_each(|n| {
            let terms = values.iter().enumerate();
            let sum: f64 = terms
                .map(|(j, value)| value * cosine(n * (2 * j + 1)))
                .sum();
            sum * if n == 0 { 1.0 } else { 2.0 } / to_f64(NODES)
        });
        series.trimmed()
    }

    fn of_each(coefficient: impl FnMut(usize) -> f64) -> Self {
        let (mut n, mut coefficient) = (0.., coefficient);
        Self {
            coefficients: [(); NODES].map(|()| n.next().map_or(0.0, &mut coefficient)),
            count: NODES,
        }
    }

    /// Without the coefficients at the end that are below rounding: they only cost time.
    fn trimmed(mut self) -> Self {
        let largest = self.terms().fold(0.0, |a: f64, c| a.max(c.abs()));
        let needed = self.terms().rposition(|c| c.abs() > 1e-17 * largest);
        self.count = needed.unwrap_or(0) + 1;
        for c in self.coefficients.iter_mut().skip(self.count) {
            *c = 0.0;
        }
        self
    }

    fn terms(&self) -> impl DoubleEndedIterator<Item = &f64> + ExactSizeIterator {
        self.coefficients.iter().take(self.count)
    }

    /// This times a constant, plus another.
    pub(super) fn scaled(&self, factor: f64, plus: f64) -> Self {
        let mut series = *self;
        for c in &mut series.coefficients {
            *c *= factor;
        }
        series.coefficients[0] += plus;
        series.trimmed()
    }

    /// This times `a + b·t`.
    pub(super) fn times(&self, a: f64, b: f64) -> Self {
        Self::of_each(|n| {
            // t·T_0 is T_1; t·T_n is the mean of T_(n−1) and T_(n+1).
            let before = match n {
                0 => 0.0,
                1 => 2.0 * self.coefficient(0),
                _ => self.coefficient(n - 1),
            };
            a * self.coefficient(n) + b * f64::midpoint(before, self.coefficient(n + 1))
        })
    }

    /// This divided by `a + b·t`, of which |a| is well above |b|: the solution of the equations that
    /// [`times`](Self::times) makes of the quotient, of which each has three terms.
    pub(super) fn over(&self, a: f64, b: f64) -> Self {
        let half = b / 2.0;
        // Each row without its first term: the inverse of the diagonal, and the right side.
        let mut rows = [(1.0 / a, self.coefficient(0)); NODES];
        let (mut inverse, mut right) = (1.0 / a, self.coefficient(0));
        let mut settled = false;
        for (n, row) in rows.iter_mut().enumerate().skip(1) {
            let factor = if n == 1 { b } else { half } * inverse;
            right = self.coefficient(n) - factor * right;
            // The diagonal tends to a limit, soon; divisions are slow.
            if !settled {
                let next = 1.0 / (a - factor * half);
                settled = n > 2 && next == inverse;
                inverse = next;
            }
            *row = (inverse, right);
        }
        let mut quotient = [0.0; NODES];
        let mut next = 0.0;
        for (value, (inverse, right)) in quotient.iter_mut().zip(rows).rev() {
            next = (right - half * next) * inverse;
            *value = next;
        }
        Self {
            coefficients: quotient,
            count: NODES,
        }
    }

    /// At least the integral over [−1, 1] of how far this is from another: no `T_n` is above 1.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let both = self.coefficients.iter().zip(&other.coefficients);
        2.0 * both
            .map(|(ours, theirs)| (ours - theirs).abs())
            .sum::<f64>()
    }

    pub(super) fn is_constant(&self) -> bool {
        self.count == 1
    }

    /// The value at the end, where each `T_n` is 1.
    pub(super) fn at_end(&self) -> f64 {
        self.terms().sum()
    }

    /// The value at `t`, by Clenshaw's recurrence.
    pub(super) fn at(&self, t: f64) -> f64 {
        let (mut next, mut after) = (0.0, 0.0);
        for c in self.terms().skip(1).rev() {
            (next, after) = (2.0 * t * next - after + c, next);
        }
        t * next - after + self.coefficient(0)
    }

    /// `∫` from −1 to `t`, as a series in `t`.
    pub(super) fn integral(&self) -> Self {
        let mut at_start = 0.0;
        let mut integral = Self::of_each(|n| {
            if n == 0 {
                return 0.0;
            }
            let before = self.coefficient(n - 1) * if n == 1 { 2.0 } else { 1.0 };
            let c = (before - self.coefficient(n + 1)) / to_f64(2 * n);
            // T_n(−1) is 1 for even n and −1 for odd n.
            at_start += if n % 2 == 0 { c } else { -c };
            c
        });
        integral.coefficients[0] = -at_start;
        integral
    }

    /// `∫ t^power` times this over [−1, 1], for the powers 0, 1 and 2.
    pub(super) fn moments(&self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for (c, terms) in self.terms().zip(MOMENTS.iter()) {
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += c * term;
            }
        }
        sums
    }

    fn coefficient(&self, n: usize) -> f64 {
        self.coefficients.get(n).copied().unwrap_or(0.0)
    }
}

fn cosine(m: usize) -> f64 {
    COSINES.get(m % (4 * NODES)).copied().unwrap_or(0.0)
}

/// Counts here are below 1,000.
#[allow(clippy::cast_precision_loss)]
fn to_f64(n: usize) -> f64 {
    n as f64
}
