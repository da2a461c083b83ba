//! Protection as a part of an operation's type, which chooses how its rounds run.

#[cfg(feature = "protection")]
use super::protection::{Hedged, Protected};
#[cfg(feature = "protection")]
use super::race::Races;
use super::rounds::{Rounds, Single};

/// Protection of an operation's form: `()` for none, `Protected` after `Retry::protection`, `Hedged` after
/// `Retry::hedge`.
pub trait Protect: sealed::Sealed {
    /// How its rounds run.
    #[doc(hidden)]
    type Rounds: Rounds;

    #[cfg(feature = "protection")]
    #[doc(hidden)]
    fn guard(&mut self) -> Option<&mut Protected> {
        None
    }
}

impl Protect for () {
    type Rounds = Single;
}

#[cfg(feature = "protection")]
impl Protect for Protected {
    type Rounds = Single;

    fn guard(&mut self) -> Option<&mut Protected> {
        Some(self)
    }
}

#[cfg(feature = "protection")]
impl Protect for Hedged {
    type Rounds = Races;

    fn guard(&mut self) -> Option<&mut Protected> {
        Some(&mut self.0)
    }
}

pub(super) mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    #[cfg(feature = "protection")]
    impl Sealed for super::Protected {}
    #[cfg(feature = "protection")]
    impl Sealed for super::Hedged {}
}
