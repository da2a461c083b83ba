//! Another limiter, such as one that all processes share, which is asked whether an attempt may start.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The answer to come: how long to wait before asking again, zero if the attempt may start. `None` if nobody can tell.
pub(super) type Question = Pin<Box<dyn Future<Output = Option<Duration>> + Send>>;

type Ask = dyn Fn(Option<&str>, f64) -> Question + Send + Sync;

/// A question to another limiter, and how long its answer may take.
#[derive(Clone)]
pub(super) struct Acquire {
    ask: Arc<Ask>,
    pub(super) timeout: Duration,
}

impl Acquire {
    pub(super) fn new<F, Fut>(ask: F, timeout: Duration) -> Self
    where
        F: Fn(Option<&str>, f64) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Duration>> + Send + 'static,
    {
        Self {
            ask: Arc::new(move |key, weight| Box::pin(ask(key, weight))),
            timeout,
        }
    }

    pub(super) fn ask(&self, key: Option<&str>, weight: f64) -> Question {
        (self.ask)(key, weight)
    }
}
