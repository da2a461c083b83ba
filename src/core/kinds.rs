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
            #[inline(always)]
            #[allow(unused_variables)]
            #[allow(dead_code)] // Only the exports call it.
            pub(crate) const fn from_code(code: u32, parameter: f64) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    $($coded => Some(Self::$with { $parameter: parameter }),)*
                    _ => None,
                }
            }

            #[cfg(test)]
            const fn code(self) -> u32 {
                match self {
                    $(Self::$variant => $code,)+
                    $(Self::$with { .. } => $coded,)*
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
            #[cfg(any(feature = "serde", test))]
            // Data have the parameters of jitters alone; the other tables share this macro.
            #[cfg_attr(not(test), allow(dead_code))]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code leads to the kind of its row, and back.
    macro_rules! round_trip {
        ($rows:ident, $kind:ident) => {
            assert!($rows.len() > 2);
            for (position, (code, name, parameter)) in (0..).zip($rows) {
                assert_eq!(*code, position, "{name}");
                let kind = $kind::from_code(*code, 0.5).unwrap();
                assert_eq!(kind.code(), *code, "{name}");
                let found = kind.parameter();
                let (found, value) = found.unwrap_or(("", 0.5));
                assert_eq!((found, value), (*parameter, 0.5), "{name}");
                #[cfg(feature = "serde")]
                {
                    assert_eq!(kind.name(), *name);
                    let named = $kind::from_name(name);
                    assert_eq!(named, parameter.is_empty().then_some(kind), "{name}");
                }
            }
            let beyond = u32::try_from($rows.len()).unwrap();
            assert!($kind::from_code(beyond, 0.5).is_none());
        };
    }

    #[test]
    fn codes_and_names_lead_to_their_kind_and_back() {
        round_trip!(BACKOFFS, Backoff);
        round_trip!(JITTERS, Jitter);
        round_trip!(CAP_RULES, CapRule);
    }
}
