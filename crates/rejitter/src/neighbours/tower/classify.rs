//! The decisions of the caller about requests and their outcomes.

#[cfg(feature = "protection")]
use crate::retry::Signal;
use crate::retry::Verdict;

/// Decides what follows an outcome of a service, and copies requests for further attempts.
///
/// If requests implement [`Clone`], a closure is enough: it takes the outcome and returns `bool` or
/// [`Verdict`]. For other requests, such as those with streaming bodies, implement the trait.
pub trait Classify<Req, Res, Err> {
    /// Decides about an outcome, whether a response or an error. [`Verdict::Stop`] returns it to the caller, the
    /// others retry. If no attempt is left, the caller gets the outcome as well.
    fn classify(&mut self, outcome: Result<&Res, &Err>) -> Verdict;

    /// Copies a request. `None` if that is impossible: the attempt that uses it is then the last.
    fn clone_request(&mut self, request: &Req) -> Option<Req>;

    #[cfg(feature = "protection")]
    /// Decides what an outcome says about the service, for a [`Protection`](crate::Protection). Called after
    /// [`classify`](Self::classify), once per outcome. Defaults to `None`: by the verdict, as
    /// [`RetryLayer::protection`](crate::RetryLayer::protection) explains.
    fn signal(&mut self, outcome: Result<&Res, &Err>) -> Option<Signal> {
        let _ = outcome;
        None
    }
}

impl<F, V, Req, Res, Err> Classify<Req, Res, Err> for F
where
    F: FnMut(Result<&Res, &Err>) -> V,
    V: Into<Verdict>,
    Req: Clone,
{
    fn classify(&mut self, outcome: Result<&Res, &Err>) -> Verdict {
        self(outcome).into()
    }

    fn clone_request(&mut self, request: &Req) -> Option<Req> {
        Some(request.clone())
    }
}

#[cfg(feature = "protection")]
/// A classification whose signals another function makes: see [`RetryLayer::signal`](crate::RetryLayer::signal).
#[derive(Debug, Clone)]
pub struct SignalledBy<C, F> {
    pub(super) classify: C,
    pub(super) signal: F,
}

#[cfg(feature = "protection")]
impl<C, F, Req, Res, Err> Classify<Req, Res, Err> for SignalledBy<C, F>
where
    C: Classify<Req, Res, Err>,
    F: FnMut(Result<&Res, &Err>) -> Option<Signal>,
{
    fn classify(&mut self, outcome: Result<&Res, &Err>) -> Verdict {
        self.classify.classify(outcome)
    }

    fn clone_request(&mut self, request: &Req) -> Option<Req> {
        self.classify.clone_request(request)
    }

    fn signal(&mut self, outcome: Result<&Res, &Err>) -> Option<Signal> {
        (self.signal)(outcome)
    }
}
