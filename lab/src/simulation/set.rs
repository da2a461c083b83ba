//! Options that numbers set by name, for simulations of data.

use rejitter::UNLIMITED;
use rejitter::internals::whole;

use super::{BreakerOptions, BudgetOptions};

/// The type of an option. What a number cannot be becomes a value that the option's own check rejects.
pub(crate) trait Set {
    /// Options that are no numbers stay as they are.
    fn set(&mut self, number: f64) {
        let _ = number;
    }
}

impl Set for f64 {
    fn set(&mut self, number: f64) {
        *self = number;
    }
}

impl Set for u32 {
    fn set(&mut self, number: f64) {
        let count = whole(number).and_then(|count| count.try_into().ok());
        *self = count.unwrap_or(u32::MAX);
    }
}

/// A count, which may be infinite.
impl Set for u64 {
    fn set(&mut self, number: f64) {
        let unlimited = (number == f64::INFINITY).then_some(UNLIMITED);
        *self = unlimited.or(whole(number)).unwrap_or(0);
    }
}

/// 1 or 0.
impl Set for bool {
    fn set(&mut self, number: f64) {
        *self = number != 0.0;
    }
}

impl<T: Set + Default> Set for Option<T> {
    fn set(&mut self, number: f64) {
        self.insert(T::default()).set(number);
    }
}

/// Options whose numbers have names.
pub(crate) trait SetByName {
    /// Sets a number by its name. Other names are ignored.
    fn set(&mut self, name: &str, number: f64);
}

/// Implements it for the options of parts of the package. An option that is missing here does not compile.
macro_rules! parts {
    ($($type:ident: $($option:ident)+;)+) => {$(
        impl SetByName for $type {
            fn set(&mut self, name: &str, number: f64) {
                let Self { $($option,)+ _more: () } = self;
                match name {
                    $(stringify!($option) => Set::set($option, number),)+
                    _ => {}
                }
            }
        }
    )+};
}

parts! {
    BudgetOptions: capacity per_success cost refund throttled_cost;
    BreakerOptions: failure_ratio minimum_calls window_ms consecutive_failures open_ms max_open_ms close_after;
}
