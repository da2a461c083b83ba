//! The calls of one request, and the future that retries it.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tower_service::Service;

use super::classify::Classify;
use super::failed::{ByVerdict, Failed};
use super::form::Form;
#[cfg(feature = "protection")]
use crate::retry::Signal;
use crate::retry::{Attempt, Callback, Retry, Sealed, Sleeper, Verdict};

pin_project! {
    /// A request that is retried: the future of
    /// [`RetryService`](crate::RetryService). Nothing is sent before it is polled.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Retried<Svc, Req, C, S, P = ()>
    where
        Svc: Service<Req>,
        S: Sleeper,
        P: Form<Svc::Response, Svc::Error>,
    {
        #[pin]
        pub(super) retry: Retry<Calls<Svc, Req, C>, Call<Svc, Req, C>, P::Outcome, S, ByVerdict>,
        pub(super) protection: P,
    }
}

impl<Svc, Req, C, S, P> Future for Retried<Svc, Req, C, S, P>
where
    Svc: Service<Req> + Clone,
    C: Classify<Req, Svc::Response, Svc::Error> + Clone,
    S: Sleeper,
    P: Form<Svc::Response, Svc::Error>,
{
    type Output = Result<Svc::Response, Svc::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.retry.poll(cx));
        Poll::Ready(result.or_else(|failed| this.protection.outcome(failed)))
    }
}

impl<Svc, Req, C, S, P> fmt::Debug for Retried<Svc, Req, C, S, P>
where
    Svc: Service<Req>,
    S: Sleeper,
    P: Form<Svc::Response, Svc::Error>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retried").finish_non_exhaustive()
    }
}

/// Makes the calls of one request.
pub(super) struct Calls<Svc, Req, C> {
    /// For the first call.
    pub(super) ready: Option<Svc>,
    /// For the others.
    pub(super) service: Svc,
    /// For the next call.
    pub(super) request: Option<Req>,
    /// For the call after a hedge.
    pub(super) spare: Option<Req>,
    pub(super) classify: C,
}

impl<Svc, Req, C> Sealed<Call<Svc, Req, C>> for Calls<Svc, Req, C> where Svc: Service<Req> {}

impl<Svc, Req, C> Callback<Call<Svc, Req, C>> for Calls<Svc, Req, C>
where
    Svc: Service<Req> + Clone,
    C: Classify<Req, Svc::Response, Svc::Error> + Clone,
{
    const TIMED: bool = false;

    fn start(&mut self, _: Attempt) -> Call<Svc, Req, C> {
        let request = self.request.take();
        let request = request.expect("a call is retried only if its request was cloned");
        let spare = self.spare.take();
        self.request = spare.or_else(|| self.classify.clone_request(&request));
        let service = self.ready.take().unwrap_or_else(|| self.service.clone());
        Call {
            can_retry: self.request.is_some(),
            classify: self.classify.clone(),
            stage: Stage::Asking {
                service_and_request: Some((service, request)),
            },
        }
    }

    /// The place of a concurrency limit is free during a hold, as during a wait.
    fn held(&mut self) {
        self.ready = None;
    }

    /// A hedge leaves a copy: the other attempt may still be retried.
    fn can_hedge(&mut self) -> bool {
        let request = self.request.as_ref();
        self.spare = request.and_then(|request| self.classify.clone_request(request));
        self.spare.is_some()
    }
}

pin_project! {
    /// One call, when the service is ready for it.
    pub struct Call<Svc, Req, C>
    where
        Svc: Service<Req>,
    {
        can_retry: bool,
        classify: C,
        #[pin]
        stage: Stage<Svc, Req, Svc::Future>,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<Svc, Req, Fut> {
        Asking { service_and_request: Option<(Svc, Req)> },
        Calling { #[pin] call: Fut },
    }
}

impl<Svc, Req, C> Future for Call<Svc, Req, C>
where
    Svc: Service<Req>,
    C: Classify<Req, Svc::Response, Svc::Error>,
{
    type Output = Result<Svc::Response, Failed<Svc::Response, Svc::Error>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let outcome = loop {
            match this.stage.as_mut().project() {
                StageProjection::Asking {
                    service_and_request,
                } => {
                    let (service, _) = service_and_request
                        .as_mut()
                        .expect("it is taken only where the stage ends");
                    if let Err(error) = ready!(service.poll_ready(cx)) {
                        break Err(error);
                    }
                    let (mut service, request) = service_and_request
                        .take()
                        .expect("it is taken only where the stage ends");
                    let call = service.call(request);
                    this.stage.set(Stage::Calling { call });
                }
                StageProjection::Calling { call } => break ready!(call.poll(cx)),
            }
        };
        let verdict = this.classify.classify(outcome.as_ref());
        let is_accepted = outcome.is_ok() && verdict == Verdict::Stop;
        // A request that was not sent says nothing about the destination, and its retry takes no token.
        #[cfg(feature = "protection")]
        let signal = match this.stage.as_mut().project() {
            StageProjection::Calling { .. } => this.classify.signal(outcome.as_ref()),
            StageProjection::Asking { .. } => Some(Signal::Nothing),
        };
        // An accepted response may tell of a failure all the same.
        #[cfg(feature = "protection")]
        let is_accepted = is_accepted && signal.is_none_or(Signal::is_success);
        Poll::Ready(match outcome {
            Ok(response) if is_accepted => Ok(response),
            outcome => Err(Failed {
                outcome,
                verdict,
                #[cfg(feature = "protection")]
                signal: signal.unwrap_or(verdict.into()),
                can_retry: *this.can_retry,
            }),
        })
    }
}
