//! One operation in the queue of a limiter.

use super::acquire::Question;
use super::facts::Turn;
use super::queue::Place;
use crate::retry::nanos::Nanos;

/// The operation in the queue of a limiter.
pub(super) struct Limited {
    pub(super) place: Place,
    /// How many of its attempts have a place.
    pub(super) running: u64,
    /// When its attempt last asked for its turn, and when it first did. `NONE` if it does not wait.
    pub(super) asked: Nanos,
    pub(super) since: Nanos,
    /// The wait for the turn that is to come.
    pub(super) turn: Option<Turn>,
    /// How long the attempt waited for its turn.
    pub(super) queued: Nanos,
    /// The question that another limiter is asked now, and since when.
    pub(super) question: Option<(Question, Nanos)>,
}

impl Limited {
    pub(super) fn new() -> Self {
        Self {
            place: Place {
                arrival: 0,
                weight: f64::NAN,
                granted: false,
            },
            running: 0,
            asked: Nanos::NONE,
            since: Nanos::NONE,
            turn: None,
            queued: Nanos::ZERO,
            question: None,
        }
    }

    /// An attempt starts, and has a place. The next one has another weight.
    pub(super) fn start(&mut self) {
        self.running += 1;
        (self.place.weight, self.place.granted) = (f64::NAN, false);
    }

    /// Its turn has come.
    pub(super) fn begin(&mut self, now: Nanos) {
        self.start();
        let since = std::mem::replace(&mut self.since, Nanos::NONE);
        self.queued = now.since(since);
        (self.asked, self.turn) = (Nanos::NONE, None);
    }
}
