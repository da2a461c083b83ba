//! The validation of options: every problem is listed, with the value and the rule.

use rejitter::OptionErrors;
use rejitter::decide::OptionError;
use rejitter::internals::{checked, option_error};

/// The least and the greatest number that an option may be, and the rule that says so.
type Range = (f64, f64, &'static str);

/// The problems of a simulation's options.
#[derive(Debug, Default)]
pub(super) struct Check(Vec<OptionError>);

impl Check {
    /// Notes a set value that is not allowed.
    // Once in the wasm file, and not for each rule.
    #[inline(never)]
    pub(super) fn require(
        &mut self,
        option: &'static str,
        value: Option<f64>,
        rule: &'static str,
        allowed: bool,
    ) {
        let rejected = value.filter(|_| !allowed);
        let problem = rejected.map(|value| option_error(option, value, rule));
        self.0.extend(problem);
    }

    /// Notes a set number that is out of its range.
    #[inline(never)]
    pub(super) fn range(&mut self, option: &'static str, value: Option<f64>, range: Range) {
        let (least, most, rule) = range;
        let allowed = value.is_none_or(|value| (least..=most).contains(&value));
        self.require(option, value, rule, allowed);
    }

    pub(super) fn into_result(self) -> Result<(), OptionErrors> {
        checked(self.0)
    }

    /// Rejects time bins that are too many for an end of the simulation up to `most`.
    pub(super) fn bins(&mut self, horizon_ms: f64, most: f64, bin_ms: f64) {
        let ends = (ABOVE_0..=most).contains(&horizon_ms);
        let few = bin_ms.is_finite() && (horizon_ms / bin_ms <= MAX_BINS || !ends);
        let rule = "above 0 and at least a 10^6th of horizon_ms";
        self.require("bin_ms", Some(bin_ms), rule, bin_ms > 0.0 && few);
    }

    /// Adds the problems of a part.
    pub(super) fn listed(&mut self, part: Result<(), OptionErrors>) {
        if let Err(errors) = part {
            self.0.extend(errors.problems());
        }
    }

    /// Rejects a list of ceilings that has an invalid value.
    pub(super) fn curve(&mut self, curve: &[f64]) {
        let invalid = curve.iter().find(|ms| ms.is_nan() || **ms < 0.0);
        let rule = "a list of non-negative milliseconds";
        self.require("curve", invalid.copied(), rule, false);
    }
}

/// The smallest positive number.
pub(super) const ABOVE_0: f64 = f64::from_bits(1);

/// Rules of several options.
pub(super) const SHARE: &str = "a share between 0 and 1";
pub(super) const INTEGER: &str = "an integer between 1 and 10^6";
pub(super) const UP_TO_1E6_MS: &str = "a number of milliseconds between 0 and 10^6";
pub(super) const POSITIVE_MS: &str = "above 0 and at most 10^9 milliseconds";

/// The longest simulated time, in ms: about 31 years. Times stay exact to a microsecond.
pub(super) const MAX_TIME_MS: f64 = 1e12;

/// Whether steps of time this long may get lost in the last digit of times up to the horizon, so
/// that time stands still while events go on for ever.
pub(super) fn is_no_time(step_ms: f64, horizon_ms: f64) -> bool {
    step_ms <= horizon_ms * 1e-15
}

/// How many time bins there may be: more than a screen shows, and 12 MB.
pub(super) const MAX_BINS: f64 = 1e6;

/// The bin that a time falls into. Times and bins were validated: below [`MAX_BINS`] and a few.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn bin_of(time_ms: f64, bin_ms: f64) -> usize {
    (time_ms / bin_ms) as usize
}
