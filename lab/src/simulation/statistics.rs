//! Means, deviations and what they are worth.

/// The mean of a sample, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// The mean; NaN of nothing.
    pub mean: f64,
    /// The sample's standard deviation (n − 1); 0 of a single value.
    pub sd: f64,
    /// Half the width of the mean's 95% confidence interval: 1.96·sd/√n.
    pub ci95: f64,
}

/// Counts one more; saturates at the largest `u32`.
pub(super) fn count_one(count: &mut u32) {
    *count = count.saturating_add(1);
}

/// Summarizes a sample.
#[must_use]
pub fn summary(sample: impl Iterator<Item = f64> + Clone) -> Summary {
    let (mut n, mut sum) = (0.0, 0.0);
    for x in sample.clone() {
        n += 1.0;
        sum += x;
    }
    let mean = sum / n;
    // In a second pass: the squares of large numbers would lose what they differ in.
    let squares: f64 = sample.map(|x| (x - mean) * (x - mean)).sum();
    let sd = if n > 1.0 {
        (squares / (n - 1.0)).sqrt()
    } else {
        0.0
    };
    Summary {
        mean,
        sd,
        ci95: 1.96 * sd / n.sqrt(),
    }
}
