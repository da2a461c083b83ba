//! Facts that an operation, its protection and the state of its destination exchange.

use std::task::Waker;
use std::time::Duration;

use super::queue::Place;
use crate::core::RetryPolicy;
use crate::retry::nanos::Nanos;
use crate::retry::sleeper::LONGEST;
use crate::retry::{RejectedError, Signal};

/// The next step of an attempt that is about to start.
pub(in crate::retry) enum Next {
    Begin,
    Hold(Duration),
    /// It waits for its turn, and then asks again.
    Queue(Turn),
    Rejected(RejectedError),
}

/// How long an attempt waits for its turn, unless it is woken before.
#[derive(Debug, Clone, Copy)]
pub(in crate::retry) struct Turn {
    /// `None` if only others can tell.
    pub(super) due: Option<Duration>,
    /// Time until the deadline.
    pub(super) left: Option<Duration>,
    /// Whether it may well come before it is due.
    pub(super) asks: bool,
}

impl Turn {
    pub(in crate::retry) fn longest(self) -> Duration {
        let due = self.due.unwrap_or(LONGEST);
        due.min(self.left.unwrap_or(LONGEST)).min(LONGEST)
    }

    /// Whether it comes when it is due, and not before.
    #[allow(dead_code)] // Only threads wait for one in two ways.
    pub(in crate::retry) fn is_known(self) -> bool {
        self.due.is_some() && !self.asks
    }
}

/// How an attempt failed.
#[derive(Debug, Clone, Copy)]
pub(in crate::retry) struct Failure {
    pub(in crate::retry) signal: Signal,
    /// The wait that the server asked for.
    pub(in crate::retry) hint: Option<Duration>,
    /// How long the attempt took, if its end says how long attempts take. `None` for a hedge.
    pub(in crate::retry) took: Option<Nanos>,
}

/// The numbers that the parts give an attempt when they admit it, and take back at its end. A part's own numbers are
/// never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pass {
    /// The breaker's ticket. 0 without a breaker.
    pub(super) ticket: f64,
    /// End of the cooldown's hold during which the attempt was admitted. 0 without a hold.
    pub(super) hold: f64,
}

impl Pass {
    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// An attempt that is not rejected does one of these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entry {
    /// It may start.
    Begin(Pass),
    /// It has to wait for this long, and to ask again.
    Hold { ms: f64 },
    /// It has to wait for its turn, and to ask again when it is woken, or after this time, if it is known. `asks`: it
    /// is its turn, if another limiter lets it start.
    Queue { due_ms: Option<f64>, asks: bool },
}

/// The facts about an attempt that is about to start.
pub(super) struct Limits<'a> {
    /// It is the first one of its operation, or follows an answer.
    pub(super) first: bool,
    /// It has been held.
    pub(super) held: bool,
    pub(super) remaining: Nanos,
    pub(super) policy: &'a RetryPolicy,
    /// If there is a limiter.
    pub(super) place: Option<Turning<'a>>,
}

/// An attempt that asks for its turn.
pub(super) struct Turning<'a> {
    pub(super) place: &'a mut Place,
    /// How long it has waited since it asked, in ms, by its own reckoning.
    pub(super) waited_ms: f64,
    /// Makes what wakes its operation.
    pub(super) waker: &'a dyn Fn() -> Waker,
}

/// Price of a retry in tokens of the budget. The attempts of the round before it set it, the highest one counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Price {
    /// All were answers. The attempt that follows counts as the first one of an operation.
    #[default]
    Free,
    Usual,
    /// The server asked for fewer requests.
    Throttled,
}

impl From<Signal> for Price {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Success | Signal::Nothing => Self::Free,
            Signal::Failure | Signal::Declined => Self::Usual,
            Signal::Busy(_) => Self::Throttled,
        }
    }
}

/// A wait that is to be followed by a retry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) delay_ms: f64,
    pub(super) remaining: Nanos,
    pub(super) policy: &'a RetryPolicy,
    pub(super) price: Price,
    /// End of the cooldown that the failure itself set. NaN for none.
    pub(super) own_until: f64,
    pub(super) place: Option<Place>,
}
