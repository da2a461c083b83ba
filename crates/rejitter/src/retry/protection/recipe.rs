//! The parts of a protection, and what all its destinations share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::acquire::Acquire;
use super::status::ProtectionEvent;
use crate::core::protection::{
    BreakerSettings, BudgetSettings, CooldownOptions, HedgeSettings, LimiterSettings,
};

pub(super) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;
pub(super) type OnEvent = Arc<dyn Fn(&ProtectionEvent<'_>) + Send + Sync>;

/// The parts of a protection, validated.
#[derive(Clone, Default)]
pub(super) struct Recipe {
    pub(super) budget: Option<BudgetSettings>,
    pub(super) breaker: Option<BreakerSettings>,
    pub(super) cooldown: Option<CooldownOptions>,
    pub(super) hedge: Option<HedgeSettings>,
    pub(super) limiter: Option<LimiterSettings>,
    pub(super) acquire: Option<Acquire>,
    /// Nothing may start any more, whatever the key.
    pub(super) drained: Flag,
    pub(super) clock: Option<Clock>,
    pub(super) on_event: Option<OnEvent>,
}

/// A fact that holds for all destinations of one protection, such as that it was drained.
#[derive(Default)]
pub(super) struct Flag(AtomicBool);

impl Flag {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Flag {
    fn clone(&self) -> Self {
        Self::default()
    }
}
