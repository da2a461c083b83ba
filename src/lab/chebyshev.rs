//! Smooth functions on [−1, 1] as Chebyshev series: to interpolate, integrate and evaluate them.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Interpolation nodes. On the pieces that occur the nearest singularity lies so far outside that
/// the coefficients shrink at least threefold each: what 40 nodes leave out is below rounding.
const NODES: usize = 40;

/// cos(πm/2N): all the values that nodes and basis functions take.
static COSINES: LazyLock<Vec<f64>> = LazyLock::new(|| {
    (0..4 * NODES)
        .map(|m| (PI * to_f64(m) / to_f64(2 * NODES)).cos())
        .collect()
});

/// `Σ c_n·T_n(t)`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series(Vec<f64>);

impl Series {
    pub(super) fn constant(value: f64) -> Self {
        Self(vec![value])
    }

    /// The series that equals `f` at the nodes.
    pub(super) fn interpolate(mut f: impl FnMut(f64) -> f64) -> Self {
        let values: Vec<f64> = (0..NODES).map(|j| f(cosine(2 * j + 1))).collect();
        let mut coefficients: Vec<f64> = (0..NODES)
            .map(|n| {
                let sum: f64 = values
                    .iter()
                    .enumerate()
                    .map(|(j, value)| value * cosine(n * (2 * j + 1)))
                    .sum();
                sum * if n == 0 { 1.0 } else { 2.0 } / to_f64(NODES)
            })
            .collect();
        // What is below rounding only costs time.
        let largest = coefficients.iter().fold(0.0, |a: f64, c| a.max(c.abs()));
        while coefficients.len() > 1
            && coefficients
                .last()
                .is_some_and(|c| c.abs() <= 1e-17 * largest)
        {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(super) fn plus(&self, value: f64) -> Self {
        let mut coefficients = self.0.clone();
        if let Some(first) = coefficients.first_mut() {
            *first += value;
        }
        Self(coefficients)
    }

    pub(super) fn is_constant(&self) -> bool {
        self.0.len() == 1
    }

    /// The value at `t`, by Clenshaw's recurrence.
    pub(super) fn at(&self, t: f64) -> f64 {
        let (mut next, mut after) = (0.0, 0.0);
        for c in self.0.iter().skip(1).rev() {
            (next, after) = (2.0 * t * next - after + c, next);
        }
        t * next - after + self.coefficient(0)
    }

    /// `∫` from −1 to `t`, as a series in `t`.
    pub(super) fn integral(&self) -> Self {
        let mut coefficients = vec![0.0];
        for n in 1..=self.0.len() {
            let before = self.coefficient(n - 1) * if n == 1 { 2.0 } else { 1.0 };
            coefficients.push((before - self.coefficient(n + 1)) / to_f64(2 * n));
        }
        // T_n(−1) is 1 for even n and −1 for odd n.
        let at_start: f64 = coefficients
            .iter()
            .enumerate()
            .map(|(n, c)| if n % 2 == 0 { *c } else { -c })
            .sum();
        if let Some(first) = coefficients.first_mut() {
            *first = -at_start;
        }
        Self(coefficients)
    }

    /// `∫ t^power` times this over [−1, 1], for a power of 0, 1 or 2.
    pub(super) fn moment(&self, power: u32) -> f64 {
        // ∫ T_n; t·T_n and t²·T_n are means of neighbours.
        let whole = |n: usize| {
            if n % 2 == 0 {
                2.0 / (1.0 - to_f64(n) * to_f64(n))
            } else {
                0.0
            }
        };
        let terms = self.0.iter().enumerate();
        terms
            .map(|(n, c)| {
                c * match power {
                    0 => whole(n),
                    1 => f64::midpoint(whole(n + 1), whole(n.abs_diff(1))),
                    _ => (whole(n + 2) + 2.0 * whole(n) + whole(n.abs_diff(2))) / 4.0,
                }
            })
            .sum()
    }

    fn coefficient(&self, n: usize) -> f64 {
        self.0.get(n).copied().unwrap_or(0.0)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-14
    }

    #[test]
    fn a_smooth_function_is_met_everywhere() {
        // Its singularity is where those of the densities are.
        let f = |t: f64| 1.0 / (t + 5.0 / 3.0);
        let series = Series::interpolate(f);
        let integral = series.integral();
        for i in -100..=100 {
            let t = f64::from(i) / 100.0;
            assert!(close(series.at(t), f(t)), "at {t}");
            let exact = (t + 5.0 / 3.0).ln() - (2.0_f64 / 3.0).ln();
            assert!(close(integral.at(t), exact), "integral to {t}");
        }
    }

    #[test]
    fn moments_are_those_of_a_polynomial() {
        let cubic = Series::interpolate(|t| 1.0 + 2.0 * t + 3.0 * t * t + 4.0 * t * t * t);
        assert!(close(cubic.moment(0), 2.0 + 2.0));
        assert!(close(cubic.moment(1), 4.0 / 3.0 + 8.0 / 5.0));
        assert!(close(cubic.moment(2), 2.0 / 3.0 + 6.0 / 5.0));
        let constant = Series::constant(0.5);
        assert!(constant.is_constant());
        assert_eq!([0, 1].map(|power| constant.moment(power)), [1.0, 0.0]);
        assert!(close(constant.moment(2), 1.0 / 3.0));
    }
}
