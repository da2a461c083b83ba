//! Outcomes that may be retried.

#[cfg(feature = "protection")]
use crate::retry::Signal;
use crate::retry::{Attempt, Hooks, Verdict};

/// An outcome that is not a success: it may be retried.
#[doc(hidden)]
#[derive(Debug)]
pub struct Failed<Res, Err> {
    pub(super) outcome: Result<Res, Err>,
    pub(super) verdict: Verdict,
    #[cfg(feature = "protection")]
    pub(super) signal: Signal,
    /// Whether the request can be sent again.
    pub(super) can_retry: bool,
}

/// The verdict was made with the outcome.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByVerdict;

impl<Res, Err> Hooks<Failed<Res, Err>> for ByVerdict {
    const TIMED: bool = false;

    fn when(&mut self, failed: &Failed<Res, Err>, _: &Attempt) -> Verdict {
        if failed.can_retry {
            failed.verdict
        } else {
            Verdict::Stop
        }
    }

    #[cfg(feature = "protection")]
    fn signal(&mut self, failed: &Failed<Res, Err>) -> Option<Signal> {
        Some(failed.signal)
    }
}
