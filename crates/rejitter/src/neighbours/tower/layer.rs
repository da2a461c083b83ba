//! The layer, its settings and its service.

use std::borrow::Borrow;
use std::mem;
use std::task::{Context, Poll};
use std::time::Duration;

use tower_layer::Layer;
use tower_service::Service;

use super::call::{Calls, Retried};
use super::classify::Classify;
use super::failed::ByVerdict;
use super::form::Form;
#[cfg(feature = "protection")]
use super::{
    classify::SignalledBy,
    form::{HedgedBy, ProtectedBy},
};
use crate::core::RetryPolicy;
use crate::retry::{DefaultSleeper, SleepFn, Sleeper, retry, sleep_fn};
#[cfg(feature = "protection")]
use crate::retry::{Protection, RejectedError, Signal};

/// A [`tower`](https://docs.rs/tower) layer that retries requests.
///
/// The caller gets the last outcome of the service, a response or an error, so the types of the service stay the
/// same. Readiness is the service's own, and is awaited before each attempt. An error of readiness is classified as the
/// others, but nothing was sent: to a protection it says nothing, and its retry takes no token.
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
#[must_use]
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

impl<C> RetryLayer<C> {
    /// Retries requests with this policy, as the classification decides.
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
    /// Waits with this function of a runtime. See [`Retry::sleep`](crate::Retry::sleep).
    pub fn sleep<F, Sleep>(self, sleep: F) -> RetryLayer<C, SleepFn<F>, P>
    where
        F: Fn(Duration) -> Sleep,
        Sleep: Future,
    {
        self.sleeper(sleep_fn(sleep))
    }

    /// Waits with this sleeper. See [`Retry::sleeper`](crate::Retry::sleeper).
    pub fn sleeper<S2: Sleeper>(self, sleeper: S2) -> RetryLayer<C, S2, P> {
        self.with(|classify, _, protection| (classify, sleeper, protection))
    }

    #[cfg(feature = "protection")]
    /// Shares this [`Protection`] with all requests of the service. See
    /// [`Retry::protection`](crate::Retry::protection).
    ///
    /// A request that is rejected before its first attempt has no outcome of the service. `refused` makes one, an
    /// error or a response, so that the types of the service stay the same. A service of `BoxError`s takes
    /// `|rejected| Err(rejected.into())`; a server may answer 503.
    ///
    /// [`Verdict::Retry`] and [`Verdict::RetryExactly`] report a failure to the breaker, also if the request cannot be
    /// copied or no attempt is left. [`Verdict::RetryAtLeast`] starts the cooldown, and [`Verdict::Stop`] means a
    /// success for a response, and nothing for an error. [`signal`](Self::signal) and [`Classify::signal`] override
    /// this, for responses that are not retried as well.
    ///
    /// [`Verdict::Retry`]: crate::Verdict::Retry
    /// [`Verdict::RetryExactly`]: crate::Verdict::RetryExactly
    /// [`Verdict::RetryAtLeast`]: crate::Verdict::RetryAtLeast
    /// [`Verdict::Stop`]: crate::Verdict::Stop
    pub fn protection<R, Res, Err>(
        self,
        protection: &Protection,
        refused: R,
    ) -> RetryLayer<C, S, ProtectedBy<R>>
    where
        R: FnMut(RejectedError) -> Result<Res, Err>,
    {
        let by = ProtectedBy {
            protection: protection.clone(),
            refused,
        };
        self.with(|classify, sleeper, _| (classify, sleeper, by))
    }

    #[cfg(feature = "protection")]
    /// Sets the function that decides what an outcome says about the service, for the [`Protection`]. It replaces
    /// [`Classify::signal`]. `None` means the default: by the verdict. See [`Retry::signal`](crate::Retry::signal).
    ///
    /// ```ignore-wasm32
    /// use rejitter::{BreakerOptions, Protection, RejectedError, RetryLayer, RetryPolicy, Signal};
    /// use std::convert::Infallible;
    /// use tower::{ServiceBuilder, ServiceExt, service_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let api = Protection::new().breaker(BreakerOptions::default());
    /// let service = ServiceBuilder::new()
    ///     .layer(
    ///         // These requests must not be sent twice, and a 503 tells of an overload all the same.
    ///         RetryLayer::new(RetryPolicy::default(), |_: Result<&u16, &Infallible>| false)
    ///             .signal(|outcome: Result<&u16, &Infallible>| Some(Signal::of_status(*outcome.ok()?)))
    ///             .sleep(tokio::time::sleep)
    ///             .protection(&api, |_: RejectedError| Ok(503)),
    ///     )
    ///     .service(service_fn(|_path: &'static str| async { Ok::<_, Infallible>(503) }));
    /// assert_eq!(service.oneshot("/").await, Ok(503));
    /// assert_eq!(api.status().breaker.unwrap().failures, 1.0);
    /// # }
    /// ```
    pub fn signal<F, Res, Err>(self, signal: F) -> RetryLayer<SignalledBy<C, F>, S, P>
    where
        F: FnMut(Result<&Res, &Err>) -> Option<Signal>,
    {
        self.with(|classify, sleeper, protection| {
            let classify = SignalledBy { classify, signal };
            (classify, sleeper, protection)
        })
    }

    fn with<C2, S2, P2>(
        self,
        change: impl FnOnce(C, S, P) -> (C2, S2, P2),
    ) -> RetryLayer<C2, S2, P2> {
        let old = self.settings;
        let (classify, sleeper, protection) = change(old.classify, old.sleeper, old.protection);
        RetryLayer {
            settings: Settings {
                policy: old.policy,
                classify,
                sleeper,
                total_timeout: old.total_timeout,
                protection,
            },
        }
    }

    /// Sets the time for a request with all its attempts: no wait that ends later is started. A running attempt
    /// is dropped then, unless it is the first. See [`Retry::total_timeout`](crate::Retry::total_timeout).
    ///
    /// The caller gets the last outcome also if the deadline passes. Therefore a response is kept while the next
    /// attempt is awaited, with a deadline or a protection, and so is its connection until its body is read.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.settings.total_timeout = Some(timeout);
        self
    }
}

#[cfg(feature = "protection")]
impl<C, S, R> RetryLayer<C, S, ProtectedBy<R>> {
    /// Sends a copy of a request to another clone of the service while a slow one is running. The first good outcome of
    /// both wins, and the other call is dropped. See [`Retry::hedge`](crate::Retry::hedge).
    ///
    /// A request is hedged only if [`Classify::clone_request`] has another copy for the retry that may follow. Only
    /// hedge requests that may be served twice at the same time: return `None` for the others.
    ///
    /// # Panics
    /// If the protection has no hedge.
    #[track_caller]
    pub fn hedge(self) -> RetryLayer<C, S, HedgedBy<R>> {
        let api = &self.settings.protection.protection;
        assert!(
            api.has_hedge(),
            "this layer's protection has no hedge: add one with Protection::hedge(…)"
        );
        self.with(|classify, sleeper, by| (classify, sleeper, HedgedBy(by)))
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
        let settings = self.settings.clone();
        let calls = Calls {
            ready: Some(ready),
            service: self.inner.clone(),
            request: Some(request),
            spare: None,
            classify: settings.classify,
        };
        let protection = settings.protection;
        let retry = retry(settings.policy, calls).hooks(ByVerdict);
        let retry = retry.sleeper(settings.sleeper);
        Retried {
            retry: retry.sparing(settings.total_timeout, |kept| protection.form(kept)),
            protection,
        }
    }
}
