//! Facts of a protection that there is not.

use core::convert::Infallible;
use core::time::Duration;

/// There are no hedges.
#[allow(unreachable_pub)] // As that of a protection.
pub type Pass = Infallible;

/// There is no queue.
#[derive(Debug, Clone, Copy)]
pub(in crate::retry) struct Turn(Infallible);

impl Turn {
    pub(in crate::retry) fn longest(self) -> Duration {
        match self.0 {}
    }

    #[allow(dead_code)] // As that of a protection.
    pub(in crate::retry) fn is_known(self) -> bool {
        match self.0 {}
    }
}
