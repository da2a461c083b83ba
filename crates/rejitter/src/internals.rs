//! The decisions as they are inside, with no promise of stability: for this repository's tests and, with the feature
//! `internals`, for `rejitter-lab`, which requires exactly this version.

#[cfg(feature = "http")]
pub use crate::core::http;
#[cfg(feature = "machines")]
pub use crate::core::protection;
pub use crate::core::{CapRule, Wait, kinds};

#[cfg(feature = "internals")]
pub use seam::*;

/// The core keeps these to itself: here they are for the lab, by delegation.
#[cfg(feature = "internals")]
mod seam {
    use std::fmt::Display;

    use serde::Deserializer;

    use super::Wait;
    use super::protection::{BreakerOptions, BudgetOptions};
    use crate::core::{
        self, Decision, Draws, Failure, OptionError, OptionErrors, RetryPolicy, Seed,
    };
    use crate::data::{self, DataErrors, Value};

    pub use crate::getters;

    /// Methods of a type that only the lab needs, as a trait, so that nothing else has them.
    macro_rules! methods {
        ($(#[$about:meta])* $trait:ident of $type:ident: $($name:ident($($arg:ident: $of:ty)?) -> $result:ty,)+) => {
            $(#[$about])*
            pub trait $trait {
                $(#[doc = concat!("See the method of [`", stringify!($type), "`].")]
                fn $name(&self $(, $arg: $of)?) -> $result;)+
            }

            impl $trait for $type {
                $(#[inline]
                fn $name(&self $(, $arg: $of)?) -> $result {
                    <$type>::$name(self $(, $arg)?)
                })+
            }
        };
    }

    methods! {
        /// The steps from a policy to a delay.
        PolicyInternals of RetryPolicy:
        ceiling(wait: &Wait) -> f64,
        growth() -> f64,
        may_exceed_the_cap() -> bool,
        range_ms(wait: &Wait) -> (f64, f64),
        slots(k: u32) -> f64,
    }

    /// The options of a part as one of several: problems name the part, too, such as `budget.cost`.
    pub trait PartOptions {
        /// # Errors
        /// Lists every invalid option.
        fn check_part(&self) -> Result<(), OptionErrors>;
    }

    impl PartOptions for BudgetOptions {
        fn check_part(&self) -> Result<(), OptionErrors> {
            self.problems().into_result()
        }
    }

    impl PartOptions for BreakerOptions {
        fn check_part(&self) -> Result<(), OptionErrors> {
            self.problems().into_result()
        }
    }

    /// The waits of one operation: a cursor of a few numbers.
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub struct Waits(core::Waits);

    impl Waits {
        /// Number of the attempt whose failure the next call reports. It selects the draws.
        #[inline]
        #[must_use]
        pub fn attempt(&self) -> u64 {
            self.0.attempt()
        }

        /// The failure of the next attempt, whose other facts the caller adds.
        #[inline]
        #[must_use]
        pub fn failure(&self) -> Failure {
            self.0.failure()
        }

        /// Decides what follows that [`failure`](Self::failure).
        #[inline]
        pub fn next(&mut self, policy: &RetryPolicy, failure: &Failure, draws: Draws) -> Decision {
            self.0.next(policy, failure, draws)
        }
    }

    /// Returns the draws of one operation, by the attempt and the number of the draw, as [`Seed::draw`] makes them.
    #[inline]
    pub fn draws_of(seed: Seed, operation: u64) -> impl Fn(u64, u64) -> f64 {
        let start = seed.start(operation);
        move |attempt, nth| start.draw(attempt, nth)
    }

    /// The increment of `SplitMix64`.
    pub const GOLDEN: u64 = core::random::GOLDEN;

    /// The output function of `SplitMix64`.
    #[inline]
    #[must_use]
    pub const fn mix(state: u64) -> u64 {
        core::random::mix(state)
    }

    /// 2^x for x ≥ 0, equal on every platform.
    #[inline]
    #[must_use]
    pub fn exp2(x: f64) -> f64 {
        core::elementary::exp2(x)
    }

    /// The number as an integer between 0 and 2^53 − 1.
    #[must_use]
    pub fn whole(number: f64) -> Option<u64> {
        core::elementary::whole(number)
    }

    /// Tokens of a budget in the thousandths in which it counts.
    #[must_use]
    pub fn thousandths(tokens: f64) -> f64 {
        core::protection::thousandths(tokens)
    }

    /// An invalid option: its name, the value, and the rule as it follows "must be".
    #[must_use]
    pub fn option_error(option: &'static str, value: f64, rule: &'static str) -> OptionError {
        OptionError {
            option,
            value,
            rule,
        }
    }

    /// `Ok` without problems.
    ///
    /// # Errors
    /// The problems.
    pub fn checked(problems: Vec<OptionError>) -> Result<(), OptionErrors> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(OptionErrors(problems))
        }
    }

    /// Reads options in objects, of which the numbers are a level deeper than those of a policy.
    ///
    /// # Errors
    /// Those of the format.
    pub fn nested<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        Value::nested(deserializer)
    }

    /// The error of values out of their ranges, in the words of the data.
    #[must_use]
    pub fn data_errors(problems: Vec<String>) -> DataErrors {
        DataErrors {
            problems,
            wrong_type: false,
        }
    }

    /// An invalid option in the words of the data, as the reader of a policy's data writes it.
    pub fn rejection(problem: &OptionError, value: &dyn Display) -> String {
        data::rejection(problem, value)
    }

    /// `base_ms` is `baseMs` where the data come from.
    #[must_use]
    pub fn camel_case(name: &str) -> String {
        data::camel_case(name)
    }
}
