//! Changes of a protection, and rejections, as one call causes them.

use std::time::Duration;

use super::status::ProtectionChange;
use crate::StopReason;
use crate::policy::duration_from_ms;

/// The events of one call, reported once the lock is free: hooks are foreign code.
#[derive(Default)]
pub(super) struct Events([Option<ProtectionChange>; 2]);

impl Events {
    pub(super) fn add(&mut self, change: ProtectionChange) {
        let [first, second] = &mut self.0;
        *if first.is_none() { first } else { second } = Some(change);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    pub(super) fn rejection(&mut self, by: StopReason, retry_after_ms: f64) -> Rejection {
        let rejection = Rejection { by, retry_after_ms };
        self.add(ProtectionChange::Rejected {
            by,
            retry_after: rejection.retry_after(),
        });
        rejection
    }

    pub(super) fn changes(self) -> impl Iterator<Item = ProtectionChange> {
        self.0.into_iter().flatten()
    }
}

/// A rejection before an attempt or before a wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rejection {
    pub(super) by: StopReason,
    /// NaN for the budget, which cannot tell.
    pub(super) retry_after_ms: f64,
}

impl Rejection {
    pub(super) fn retry_after(self) -> Option<Duration> {
        (!self.retry_after_ms.is_nan()).then(|| duration_from_ms(self.retry_after_ms))
    }
}
