//! The kinds of backoff, jitter and cap rule, each with the code that the JavaScript driver passes and the
//! name that data have. Tests hold both languages to `tests/vectors/kinds.json`.

use super::{Backoff, CapRule, Jitter};

/// Code, name, and the name of the parameter in Rust, which is empty for kinds without one.
pub type Row = (u32, &'static str, &'static str);

/// Implements the conversions that a table describes. A variant without a row does not compile.
/// Kinds without a parameter come first: their codes are positions in the driver's lists.
macro_rules! kinds {
    (
        $rows:ident, $kind:ident {
            $($code:literal $name:literal $variant:ident,)+
            $(; $coded:literal $named:literal $with:ident $parameter:ident,)*
        }
    ) => {
        /// All kinds, for tests.
        pub const $rows: &[Row] = &[
            $(($code, $name, ""),)+
            $(($coded, $named, stringify!($parameter)),)*
        ];

        impl $kind {
            /// The kind with this code. Kinds without a parameter ignore it.
            #[doc(hidden)]
            #[inline(always)]
            #[allow(unused_variables)]
            pub const fn from_code(code: u32, parameter: f64) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    $($coded => Some(Self::$with { $parameter: parameter }),)*
                    _ => None,
                }
            }

            /// The kind with this name in data, if it has no parameter.
            #[cfg(feature = "serde")]
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The name in data.
            #[cfg(feature = "serde")]
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                    $(Self::$with { .. } => $named,)*
                }
            }

            /// The parameter's name in Rust, and its value.
            #[cfg(feature = "serde")]
            #[allow(dead_code)] // Data have the parameters of jitters alone.
            pub(crate) const fn parameter(self) -> Option<(&'static str, f64)> {
                match self {
                    $(Self::$variant => None,)+
                    $(Self::$with { $parameter } => Some((stringify!($parameter), $parameter)),)*
                }
            }
        }
    };
}

kinds!(BACKOFFS, Backoff {
    0 "fixed" Fixed,
    1 "linear" Linear,
    2 "exponential" Exponential,
    3 "truncated" Truncated,
    4 "fibonacci" Fibonacci,
    // Data have the list of the waits instead of this name.
    5 "custom" Custom,
});

kinds!(JITTERS, Jitter {
    0 "none" None,
    1 "full" Full,
    2 "equal" Equal,
    3 "decorrelated" Decorrelated,
    4 "decorrelatedBounded" DecorrelatedBounded,
    5 "slotted" Slotted,
    6 "pollyV2" PollyV2,
    ;7 "proportional" Proportional ratio,
    ;8 "additive" Additive ratio,
    ;9 "additive" AdditiveMax max_ms,
});

kinds!(CAP_RULES, CapRule {
    0 "bound" Bound,
    1 "ceiling" Ceiling,
    2 "draw" Draw,
});
