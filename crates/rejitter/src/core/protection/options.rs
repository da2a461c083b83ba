//! Checks and defaults that the options of all parts of a protection share.

use crate::core::elementary::floor;
use crate::core::{OptionErrors, UNLIMITED};

/// The least number above 0.
pub(super) const LEAST: f64 = f64::from_bits(1);

macro_rules! checked {
    ($($type:ident)+) => {$(
        impl $type {
            /// Validates options that were read at run time, such as a configuration file's.
            ///
            /// # Errors
            /// Lists every invalid option, with its value and its rule.
            pub fn check(&self) -> Result<(), $crate::core::OptionErrors> {
                self.problems()
                    .into_result()
                    .map_err($crate::core::protection::options::own_names)
            }
        }
    )+};
}
pub(super) use checked;

/// Problems name the part and the option, such as `budget.cost`. In the options of one part the option is enough.
pub(super) fn own_names(mut errors: OptionErrors) -> OptionErrors {
    for problem in &mut errors.0 {
        if let Some((_, option)) = problem.option.split_once('.') {
            problem.option = option;
        }
    }
    errors
}

/// Tokens are counted in thousandths: whole numbers, which add up exactly.
pub(crate) fn thousandths(tokens: f64) -> f64 {
    floor(tokens * 1_000.0 + 0.5)
}

/// A count as a number, in which [`UNLIMITED`] is infinity.
// Counts beyond 2^53 are never reached.
#[allow(clippy::cast_precision_loss)]
pub(super) fn number(count: u64) -> f64 {
    if count == UNLIMITED {
        f64::INFINITY
    } else {
        count as f64
    }
}
