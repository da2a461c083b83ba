//! A layer for Tower that retries the requests of a service.

use std::borrow::Borrow;
use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use crate::core::RetryPolicy;
use crate::retry::{
    Attempt, AttemptError, Callback, DefaultSleeper, Hooks, Outcome, Plain, Protected, Protection,
    RejectedError, Reported, Retry, RetryError, Sealed, Signal, SleepFn, Sleeper, Verdict, retry,
    sleep_fn,
};

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

/// A [`tower`](https://docs.rs/tower) layer that retries requests.
///
/// The caller gets the last outcome of the service, a response or an error, so the types of the service stay the
/// same. Readiness is the service's own, and is awaited before each attempt.
///
/// ```ignore-wasm32
/// use rejitter::{RetryLayer, RetryPolicy, Verdict};
/// use std::cell::Cell;
/// use std::io;
/// use std::time::Duration;
/// use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
///
/// const POLICY: RetryPolicy = RetryPolicy::exponential().with_base(Duration::from_millis(1));
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> io::Result<()> {
/// let calls = Cell::new(0);
/// let mut service = ServiceBuilder::new()
///     .layer(
///         RetryLayer::new(POLICY, |outcome: Result<&u16, &io::Error>| match outcome {
///             Ok(429) => Verdict::RetryAtLeast(Duration::from_millis(5)),
///             Ok(status) => (*status >= 500).into(),
///             Err(_) => Verdict::Retry,
///         })
///         .sleep(tokio::time::sleep),
///     )
///     .service(service_fn(|path: &'static str| {
///         calls.set(calls.get() + 1);
///         let status = if calls.get() < 3 { 503 } else { 200 };
///         async move { if path.is_empty() { Err(io::Error::other("no path")) } else { Ok(status) } }
///     }));
/// assert_eq!(service.ready().await?.call("/user/7").await?, 200);
/// assert_eq!(calls.get(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RetryLayer<C, S = DefaultSleeper, P = ()> {
    settings: Settings<C, S, P>,
}

#[derive(Debug, Clone)]
struct Settings<C, S, P> {
    policy: RetryPolicy,
    classify: C,
    sleeper: S,
    total_timeout: Option<Duration>,
    protection: P,
}

/// A protection with the answer to rejected requests: see [`RetryLayer::protection`].
#[derive(Debug, Clone)]
pub struct ProtectedBy<R> {
    protection: Protection,
    refused: R,
}

impl<C> RetryLayer<C> {
    /// Retries requests with this policy, as the classification decides.
    #[must_use]
    pub fn new(policy: impl Borrow<RetryPolicy>, classify: C) -> Self {
        let settings = Settings {
            policy: *policy.borrow(),
            classify,
            sleeper: DefaultSleeper::default(),
            total_timeout: None,
            protection: (),
        };
        Self { settings }
    }
}

impl<C, S, P> RetryLayer<C, S, P> {
    /// Waits with this function of a runtime. See [`Retry::sleep`].
    #[must_use]
    pub fn sleep<F, Sleep>(self, sleep: F) -> RetryLayer<C, SleepFn<F>, P>
    where
        F: Fn(Duration) -> Sleep,
        Sleep: Future,
    {
        self.sleeper(sleep_fn(sleep))
    }

    /// Waits with this sleeper. See [`Retry::sleeper`].
    #[must_use]
    pub fn sleeper<S2: Sleeper>(self, sleeper: S2) -> RetryLayer<C, S2, P> {
        let Settings {
            policy,
            classify,
            total_timeout,
            protection,
            ..
        } = self.settings;
        RetryLayer {
            settings: Settings {
                policy,
                classify,
                sleeper,
                total_timeout,
                protection,
            },
        }
    }

    /// Shares this [`Protection`] with all requests of the service. See [`Retry::protection`].
    ///
    /// A request that is rejected before its first attempt has no outcome of the service. `refused` makes one, an
    /// error or a response, so that the types of the service stay the same. A service of `BoxError`s takes
    /// `|rejected| Err(rejected.into())`; a server may answer 503.
    ///
    /// [`Verdict::Retry`] and [`Verdict::RetryExactly`] report a failure to the breaker, also if the request cannot be
    /// copied or no attempt is left. [`Verdict::RetryAtLeast`] starts the cooldown, and [`Verdict::Stop`] means a
    /// success for a response, and nothing for an error.
    ///
    /// ```ignore-wasm32
    /// use rejitter::{BreakerOptions, Protection, RejectedError, RetryLayer, RetryPolicy};
    /// use std::convert::Infallible;
    /// use tower::{ServiceBuilder, ServiceExt, service_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let api = Protection::new().breaker(BreakerOptions::default());
    /// let classify = |outcome: Result<&u16, &Infallible>| outcome.is_ok_and(|status| *status >= 500);
    /// let service = ServiceBuilder::new()
    ///     .layer(
    ///         RetryLayer::new(RetryPolicy::default(), classify)
    ///             .sleep(tokio::time::sleep)
    ///             .protection(&api, |_: RejectedError| Ok(503)),
    ///     )
    ///     .service(service_fn(|_path: &'static str| async { Ok::<_, Infallible>(200) }));
    /// api.open();
    /// assert_eq!(service.oneshot("/").await, Ok(503));
    /// # }
    /// ```
    #[must_use]
    pub fn protection<R, Res, Err>(
        self,
        protection: &Protection,
        refused: R,
    ) -> RetryLayer<C, S, ProtectedBy<R>>
    where
        R: FnMut(RejectedError) -> Result<Res, Err>,
    {
        let Settings {
            policy,
            classify,
            sleeper,
            total_timeout,
            ..
        } = self.settings;
        RetryLayer {
            settings: Settings {
                policy,
                classify,
                sleeper,
                total_timeout,
                protection: ProtectedBy {
                    protection: protection.clone(),
                    refused,
                },
            },
        }
    }

    /// Sets the time for a request with all its attempts: no wait that ends later is started. A running attempt
    /// is dropped then, unless it is the first. See [`Retry::total_timeout`].
    #[must_use]
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.settings.total_timeout = Some(timeout);
        self
    }
}

impl<Svc, C: Clone, S: Clone, P: Clone> Layer<Svc> for RetryLayer<C, S, P> {
    type Service = RetryService<Svc, C, S, P>;

    fn layer(&self, inner: Svc) -> Self::Service {
        RetryService {
            inner,
            settings: self.settings.clone(),
        }
    }
}

/// A service whose requests are retried. Made by [`RetryLayer`].
#[derive(Debug, Clone)]
pub struct RetryService<Svc, C, S = DefaultSleeper, P = ()> {
    inner: Svc,
    settings: Settings<C, S, P>,
}

/// With or without a protection: how a request is retried, and what its failure becomes.
pub trait Form<Res, Err>: form::Sealed {
    #[doc(hidden)]
    type Outcome: Outcome<Attempt = Failed<Res, Err>>;

    #[doc(hidden)]
    fn apply<F, Fut, S: Sleeper, H>(
        &self,
        retry: Retry<F, Fut, Plain<Failed<Res, Err>>, S, H>,
    ) -> Retry<F, Fut, Self::Outcome, S, H>;

    #[doc(hidden)]
    fn outcome(&mut self, failed: <Self::Outcome as Outcome>::Error) -> Result<Res, Err>;
}

mod form {
    pub trait Sealed {}
    impl Sealed for () {}
    impl<R> Sealed for super::ProtectedBy<R> {}
}

impl<Res, Err> Form<Res, Err> for () {
    type Outcome = Plain<Failed<Res, Err>>;

    fn apply<F, Fut, S: Sleeper, H>(
        &self,
        retry: Retry<F, Fut, Plain<Failed<Res, Err>>, S, H>,
    ) -> Retry<F, Fut, Self::Outcome, S, H> {
        retry
    }

    fn outcome(&mut self, failed: Failed<Res, Err>) -> Result<Res, Err> {
        failed.outcome
    }
}

impl<R, Res, Err> Form<Res, Err> for ProtectedBy<R>
where
    R: FnMut(RejectedError) -> Result<Res, Err>,
{
    type Outcome = Reported<Failed<Res, Err>, Protected>;

    fn apply<F, Fut, S: Sleeper, H>(
        &self,
        retry: Retry<F, Fut, Plain<Failed<Res, Err>>, S, H>,
    ) -> Retry<F, Fut, Self::Outcome, S, H> {
        retry.protection(&self.protection).spare_first()
    }

    fn outcome(&mut self, failed: RetryError<Failed<Res, Err>>) -> Result<Res, Err> {
        match failed.into_inner() {
            Ok(failed) => failed.outcome,
            Err(AttemptError::Rejected(rejected)) => (self.refused)(rejected),
            Err(_) => unreachable!("a first attempt is not dropped"),
        }
    }
}

impl<Svc, C, S, P, Req> Service<Req> for RetryService<Svc, C, S, P>
where
    Svc: Service<Req> + Clone,
    C: Classify<Req, Svc::Response, Svc::Error> + Clone,
    S: Sleeper + Clone,
    P: Form<Svc::Response, Svc::Error> + Clone,
{
    type Response = Svc::Response;
    type Error = Svc::Error;
    type Future = Retried<Svc, Req, C, S, P>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Svc::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Req) -> Self::Future {
        // This one has said that it is ready, its clone has not.
        let clone = self.inner.clone();
        let ready = mem::replace(&mut self.inner, clone);
        let Settings {
            policy,
            classify,
            sleeper,
            total_timeout,
            protection,
        } = self.settings.clone();
        let calls = Calls {
            ready: Some(ready),
            service: self.inner.clone(),
            request: Some(request),
            classify,
        };
        let mut retry = retry(policy, calls).hooks(ByVerdict).sleeper(sleeper);
        if let Some(timeout) = total_timeout {
            retry = retry.total_timeout(timeout);
        }
        Retried {
            retry: protection.apply(retry),
            protection,
        }
    }
}

pin_project! {
    /// A request that is retried: the future of [`RetryService`]. Nothing is sent before it is polled.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Retried<Svc, Req, C, S, P = ()>
    where
        Svc: Service<Req>,
        S: Sleeper,
        P: Form<Svc::Response, Svc::Error>,
    {
        #[pin]
        retry: Retry<Calls<Svc, Req, C>, Call<Svc, Req, C>, P::Outcome, S, ByVerdict>,
        protection: P,
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
struct Calls<Svc, Req, C> {
    /// For the first call.
    ready: Option<Svc>,
    /// For the others.
    service: Svc,
    /// For the next call.
    request: Option<Req>,
    classify: C,
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
        self.request = self.classify.clone_request(&request);
        let service = self.ready.take().unwrap_or_else(|| self.service.clone());
        Call {
            can_retry: self.request.is_some(),
            classify: self.classify.clone(),
            stage: Stage::Asking {
                service_and_request: Some((service, request)),
            },
        }
    }
}

pin_project! {
    /// One call, when the service is ready for it.
    struct Call<Svc, Req, C>
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

/// An outcome that may be retried.
#[doc(hidden)]
#[derive(Debug)]
pub struct Failed<Res, Err> {
    outcome: Result<Res, Err>,
    verdict: Verdict,
    /// Whether the request can be sent again.
    can_retry: bool,
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
        Poll::Ready(match outcome {
            Ok(response) if verdict == Verdict::Stop => Ok(response),
            outcome => Err(Failed {
                outcome,
                verdict,
                can_retry: *this.can_retry,
            }),
        })
    }
}

/// The verdict was made with the outcome.
#[derive(Debug, Clone, Copy)]
struct ByVerdict;

impl<Res, Err> Hooks<Failed<Res, Err>> for ByVerdict {
    fn when(&mut self, failed: &Failed<Res, Err>, _: &Attempt) -> Verdict {
        if failed.can_retry {
            failed.verdict
        } else {
            Verdict::Stop
        }
    }

    fn signal(&mut self, failed: &Failed<Res, Err>) -> Option<Signal> {
        Some(failed.verdict.into())
    }
}
