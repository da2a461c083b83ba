//! Options that numbers set by name, for simulations of data.

use super::elementary::whole;
use super::{Backoff, CapRule, Jitter, UNLIMITED};

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

impl Set for Backoff {}
impl Set for Jitter {}
impl Set for CapRule {}
