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
    Attempt, Callback, DefaultSleeper, Hooks, Plain, Retry, Sealed, SleepFn, Sleeper, Verdict,
    retry, sleep_fn,
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
pub struct RetryLayer<C, S = DefaultSleeper> {
    settings: Settings<C, S>,
}

#[derive(Debug, Clone)]
struct Settings<C, S> {
    policy: RetryPolicy,
    classify: C,
    sleeper: S,
    total_timeout: Option<Duration>,
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
        };
        Self { settings }
    }
}

impl<C, S> RetryLayer<C, S> {
    /// Waits with this function of a runtime. See [`Retry::sleep`].
    #[must_use]
    pub fn sleep<F, Sleep>(self, sleep: F) -> RetryLayer<C, SleepFn<F>>
    where
        F: Fn(Duration) -> Sleep,
        Sleep: Future,
    {
        self.sleeper(sleep_fn(sleep))
    }

    /// Waits with this sleeper. See [`Retry::sleeper`].
    #[must_use]
    pub fn sleeper<S2: Sleeper>(self, sleeper: S2) -> RetryLayer<C, S2> {
        let Settings {
            policy,
            classify,
            total_timeout,
            ..
        } = self.settings;
        RetryLayer {
            settings: Settings {
                policy,
                classify,
                sleeper,
                total_timeout,
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

impl<Svc, C: Clone, S: Clone> Layer<Svc> for RetryLayer<C, S> {
    type Service = RetryService<Svc, C, S>;

    fn layer(&self, inner: Svc) -> Self::Service {
        RetryService {
            inner,
            settings: self.settings.clone(),
        }
    }
}

/// A service whose requests are retried. Made by [`RetryLayer`].
#[derive(Debug, Clone)]
pub struct RetryService<Svc, C, S = DefaultSleeper> {
    inner: Svc,
    settings: Settings<C, S>,
}

impl<Svc, C, S, Req> Service<Req> for RetryService<Svc, C, S>
where
    Svc: Service<Req> + Clone,
    C: Classify<Req, Svc::Response, Svc::Error> + Clone,
    S: Sleeper + Clone,
{
    type Response = Svc::Response;
    type Error = Svc::Error;
    type Future = Retried<Svc, Req, C, S>;

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
        Retried { retry }
    }
}

pin_project! {
    /// A request that is retried: the future of [`RetryService`]. Nothing is sent before it is polled.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Retried<Svc, Req, C, S>
    where
        Svc: Service<Req>,
        S: Sleeper,
    {
        #[pin]
        retry: Retry<
            Calls<Svc, Req, C>,
            Call<Svc, Req, C>,
            Plain<Failed<Svc::Response, Svc::Error>>,
            S,
            ByVerdict,
        >,
    }
}

impl<Svc, Req, C, S> Future for Retried<Svc, Req, C, S>
where
    Svc: Service<Req> + Clone,
    C: Classify<Req, Svc::Response, Svc::Error> + Clone,
    S: Sleeper,
{
    type Output = Result<Svc::Response, Svc::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let result = ready!(self.project().retry.poll(cx));
        Poll::Ready(result.or_else(|failed| failed.outcome))
    }
}

impl<Svc: Service<Req>, Req, C, S: Sleeper> fmt::Debug for Retried<Svc, Req, C, S> {
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
struct Failed<Res, Err> {
    outcome: Result<Res, Err>,
    verdict: Verdict,
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
                verdict: if *this.can_retry {
                    verdict
                } else {
                    Verdict::Stop
                },
            }),
        })
    }
}

/// The verdict was made with the outcome.
#[derive(Debug, Clone, Copy)]
struct ByVerdict;

impl<Res, Err> Hooks<Failed<Res, Err>> for ByVerdict {
    fn when(&mut self, failed: &Failed<Res, Err>, _: &Attempt) -> Verdict {
        failed.verdict
    }
}
