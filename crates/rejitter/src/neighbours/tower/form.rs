//! Forms of a layer: alone, with a protection, or with a protection and hedges.

use super::failed::Failed;
#[cfg(feature = "protection")]
use crate::retry::{
    AttemptError, Hedged, Protected, Protection, RejectedError, Reported, RetryError,
};
use crate::retry::{Kept, Outcome};

#[cfg(feature = "protection")]
/// A protection with the answer to rejected requests: see
/// [`RetryLayer::protection`](crate::RetryLayer::protection).
#[derive(Debug, Clone)]
pub struct ProtectedBy<R> {
    pub(super) protection: Protection,
    pub(super) refused: R,
}

#[cfg(feature = "protection")]
/// The same with hedges: see [`RetryLayer::hedge`](crate::RetryLayer::hedge).
#[derive(Debug, Clone)]
pub struct HedgedBy<R>(pub(super) ProtectedBy<R>);

/// With or without a protection, or with hedges: how a request is retried, and what its failure becomes.
pub trait Form<Res, Err> {
    type Outcome: Outcome<Attempt = Failed<Res, Err>>;

    /// The form of a failed operation.
    fn form(&self, kept: Kept<Failed<Res, Err>>) -> Self::Outcome;

    /// The outcome of the service.
    fn outcome(&mut self, failed: <Self::Outcome as Outcome>::Error) -> Result<Res, Err>;
}

impl<Res, Err> Form<Res, Err> for () {
    type Outcome = Kept<Failed<Res, Err>>;

    fn form(&self, kept: Kept<Failed<Res, Err>>) -> Self::Outcome {
        kept
    }

    fn outcome(&mut self, failed: Failed<Res, Err>) -> Result<Res, Err> {
        failed.outcome
    }
}

#[cfg(feature = "protection")]
impl<R, Res, Err> Form<Res, Err> for ProtectedBy<R>
where
    R: FnMut(RejectedError) -> Result<Res, Err>,
{
    type Outcome = Reported<Failed<Res, Err>, Protected>;

    fn form(&self, kept: Kept<Failed<Res, Err>>) -> Self::Outcome {
        let protected = self.protection.join();
        kept.into_reported().protected(|()| protected)
    }

    fn outcome(&mut self, failed: RetryError<Failed<Res, Err>>) -> Result<Res, Err> {
        match failed.into_inner() {
            Ok(failed) => failed.outcome,
            Err(AttemptError::Rejected(rejected)) => (self.refused)(rejected),
            Err(_) => unreachable!("a first attempt is not dropped"),
        }
    }
}

#[cfg(feature = "protection")]
impl<R, Res, Err> Form<Res, Err> for HedgedBy<R>
where
    R: FnMut(RejectedError) -> Result<Res, Err>,
{
    type Outcome = Reported<Failed<Res, Err>, Hedged>;

    fn form(&self, kept: Kept<Failed<Res, Err>>) -> Self::Outcome {
        self.0.form(kept).protected(Protected::hedged)
    }

    fn outcome(&mut self, failed: RetryError<Failed<Res, Err>>) -> Result<Res, Err> {
        self.0.outcome(failed)
    }
}
