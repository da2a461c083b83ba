//! The attempts of a connection without the feature `protection`: nothing holds or rejects them.

use std::time::Duration;

use super::session::Time;
use crate::core::RetryPolicy;
use crate::retry::decision::DrawSource;
use crate::retry::nanos::Nanos;
use crate::retry::protection::Protection;
use crate::retry::{Sleeper, Verdict};

pub(super) struct Gate;

impl Gate {
    pub(super) fn new(_protection: Option<&Protection>, _clockless: bool) -> Self {
        Self
    }

    #[allow(clippy::unused_async)]
    pub(super) async fn enter<S: Sleeper>(
        &mut self,
        _time: &mut Time<S>,
        _policy: &RetryPolicy,
        _source: DrawSource,
    ) -> Option<Result<Duration, Duration>> {
        None
    }

    pub(super) fn opened(&mut self, _now: Nanos) {}

    pub(super) fn ended(
        self,
        _verdict: Verdict,
        _now: impl FnOnce() -> Nanos,
        _policy: &RetryPolicy,
        _source: DrawSource,
    ) {
    }
}
