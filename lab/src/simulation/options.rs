//! Options of simulations: what each is, its default and its range stand in one line, from which all else comes.

/// Makes a struct of options. After the default of a number, `=> [lo, hi, rule]` is its range and the words for it;
/// `=> [bins most]`, a bin's width where times end at `most`; a method's name, a check of its own. In front of the
/// documentation stands what else the struct has: `clients` retry by a policy, `seeded` has no clients, and a section
/// of other options says what precedes its names in messages. The declarations and names of JavaScript are read from
/// these lines (xtask/npm/simulations.mjs).
macro_rules! options {
    (clients $(#[$doc:meta])* $name:ident: $($rows:tt)+) => {
        options! {
            @make "" [
                /// Where all the randomness comes from.
                pub seed: Seed,
                /// How the clients retry.
                pub policy: RetryPolicy,
                /// The values of [`Backoff::Custom`](rejitter::Backoff::Custom), in ms: the ceilings of the waits, of
                /// which the last repeats. Unset by default: every ceiling is the cap.
                pub curve: Vec<f64>,
            ]
            [impl $name] [
                /// The defaults, for a policy.
                #[must_use]
                pub fn new(policy: RetryPolicy, seed: Seed)
            ]
            [seed, policy, curve: Vec::new()]
            $(#[$doc])* $name: $($rows)+
        }

        impl $name {
            pub(in crate::simulation) fn check(&self) -> Result<(), OptionErrors> {
                let mut check = Check::default();
                self.check_all(&mut check);
                check.curve(&self.curve);
                check.into_result()
            }

            pub(in crate::simulation) fn rules(&self) -> $crate::simulation::clients::Rules {
                let curve = self.curve.clone();
                $crate::simulation::clients::Rules { policy: self.policy, curve, seed: self.seed }
            }
        }
    };
    (seeded $(#[$doc:meta])* $name:ident: $($rows:tt)+) => {
        options! {
            @make "" [
                /// Where all the randomness comes from.
                pub seed: Seed,
            ]
            [impl $name] [
                /// The defaults.
                #[must_use]
                pub fn new(seed: Seed)
            ]
            [seed] $(#[$doc])* $name: $($rows)+
        }
    };
    ($section:literal $(#[$doc:meta])* $name:ident: $($rows:tt)+) => {
        options! {
            @make $section [] [impl Default for $name] [fn default()] [] $(#[$doc])* $name: $($rows)+
        }

        impl $crate::simulation::set::Set for $name {}
    };
    (
        @make $section:literal [$($more:tt)*] [$($header:tt)+] [$($constructor:tt)+] [$($rest:tt)*]
        $(#[$doc:meta])* $name:ident:
        $($(#[$about:meta])* $field:ident: $type:ident $(<$of:ty>)? = $default:expr $(=> $rule:tt)*,)+
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type $(<$of>)?,)+
            $($more)*
        }

        $($header)+ {
            $($constructor)+ -> Self {
                Self { $($field: $default,)+ $($rest)* }
            }
        }

        impl $name {
            /// Sets a number by its name.
            pub(crate) fn set(&mut self, name: &str, number: f64) {
                match name {
                    $(stringify!($field) => $crate::simulation::set::Set::set(&mut self.$field, number),)+
                    _ => {}
                }
            }

            pub(in crate::simulation) fn check_all(&self, check: &mut Check) {
                $($(options!(@check self check [concat!($section, stringify!($field))] $field $rule);)*)+
            }
        }
    };
    (@check $self:ident $check:ident [$option:expr] $field:ident [bins $most:expr]) => {
        $check.bins($self.horizon_ms, $most, $self.$field)
    };
    (@check $self:ident $check:ident [$option:expr] $field:ident [$lo:expr, $hi:expr, $rule:expr]) => {
        $check.range($option, Some(f64::from($self.$field)), ($lo, $hi, $rule))
    };
    (@check $self:ident $check:ident [$option:expr] $field:ident $method:ident) => {
        $self.$method($check)
    };
}
pub(super) use options;
