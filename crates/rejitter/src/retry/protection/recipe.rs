//! The parts of a protection, from which the state of each destination is made.

use std::sync::Arc;
use std::time::Duration;

use super::status::ProtectionEvent;
use crate::core::protection::{BreakerSettings, BudgetSettings, CooldownOptions, HedgeSettings};

pub(super) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;
pub(super) type OnEvent = Arc<dyn Fn(&ProtectionEvent<'_>) + Send + Sync>;

/// The parts of a protection, validated.
#[derive(Clone, Default)]
pub(super) struct Recipe {
    pub(super) budget: Option<BudgetSettings>,
    pub(super) breaker: Option<BreakerSettings>,
    pub(super) cooldown: Option<CooldownOptions>,
    pub(super) hedge: Option<HedgeSettings>,
    pub(super) clock: Option<Clock>,
    pub(super) on_event: Option<OnEvent>,
}
