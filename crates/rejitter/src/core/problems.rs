//! The problems of options: all are found before the first attempt.

use alloc::vec::Vec;
use core::fmt;

/// The least and the greatest number that an option may be, and the rule that says so.
pub(crate) type Range = (f64, f64, &'static str);

const RULE: &str = "a non-negative number of milliseconds or infinity";
pub(crate) const NOT_NEGATIVE: Range = (0.0, f64::INFINITY, RULE);

/// One invalid option.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OptionError {
    /// The option's name, as it is spelled in Rust.
    pub option: &'static str,
    /// The invalid value.
    pub value: f64,
    /// The allowed values, as they follow "must be" in the message.
    pub rule: &'static str,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} must be {}, got {}",
            self.option, self.rule, self.value
        )
    }
}

/// All the problems of options, such as [`RetryOptions`](super::RetryOptions): at least one, in the order of their
/// fields.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionErrors(pub(crate) Vec<OptionError>);

impl OptionErrors {
    /// The problems.
    #[must_use]
    pub fn problems(&self) -> &[OptionError] {
        &self.0
    }
}

impl fmt::Display for OptionErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl core::error::Error for OptionError {}

impl core::error::Error for OptionErrors {}

/// The problems of options, found without allocation, so that a constant is checked when it is compiled. There are at
/// most as many as rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problems {
    found: [Option<OptionError>; RULES],
    count: usize,
}

/// Those of [`RetryOptions`], which has the most.
const RULES: usize = 14;

impl Problems {
    pub(crate) const NONE: Self = Self {
        found: [None; RULES],
        count: 0,
    };

    /// Notes a set value that is not allowed.
    // Once in a program, and not for each rule.
    #[inline(never)]
    #[allow(clippy::indexing_slicing)]
    pub(crate) const fn require(
        &mut self,
        option: &'static str,
        value: Option<f64>,
        rule: &'static str,
        allowed: bool,
    ) {
        match value {
            Some(value) if !allowed && self.count < RULES => {
                self.found[self.count] = Some(OptionError {
                    option,
                    value,
                    rule,
                });
                self.count += 1;
            }
            _ => {}
        }
    }

    /// Notes a set number that is out of its range.
    #[inline(never)]
    pub(crate) const fn range(&mut self, option: &'static str, value: Option<f64>, range: Range) {
        let (least, most, rule) = range;
        self.require(option, value, rule, within(value, least, most));
    }

    /// The first problem, if any.
    pub(crate) const fn first(&self) -> Option<OptionError> {
        match self.found.as_slice() {
            [first, ..] => *first,
            [] => None,
        }
    }

    pub(crate) fn into_result(self) -> Result<(), OptionErrors> {
        if self.count == 0 {
            Ok(())
        } else {
            Err(OptionErrors(self.found.into_iter().flatten().collect()))
        }
    }
}

/// Whether a value is unset, or a number of the closed interval.
pub(crate) const fn within(value: Option<f64>, lo: f64, hi: f64) -> bool {
    match value {
        Some(value) => lo <= value && value <= hi,
        None => true,
    }
}
