//! Protection that operations share: a budget for retries, a breaker for all attempts, a cooldown for all who ask,
//! hedges for slow attempts, a limiter for their number.
//!
//! [`recipe`] has the parts, [`state`] the numbers of one destination, [`budget`], [`hedges`] and [`queue`] those of
//! these parts. [`decisions`] are about attempts, [`turns`] about the queue; [`cell`] locks them, and [`keys`] has the
//! destinations. [`guard`] has what one operation holds of them, [`ends`] what becomes of its attempts, [`hedged`] its
//! hedges, [`limited`] and [`asking`] its place in the queue, [`acquire`] what else is asked for one. [`operation`]
//! asks it, [`facts`] are exchanged. [`handle`] is what programs share, [`mod@parts`] what they choose.

mod acquire;
mod asking;
mod budget;
mod cell;
mod decisions;
mod ends;
mod events;
mod facts;
mod guard;
mod handle;
mod hedged;
mod hedges;
mod keys;
mod limited;
mod operation;
mod parts;
mod queue;
mod recipe;
mod state;
mod status;
mod turns;

pub(super) use facts::{Failure, Next, Pass, Turn};
pub use guard::Protected;
pub use handle::Protection;
pub use hedged::Hedged;
pub(super) use operation::PROTECTION_DRAW;
pub use status::{
    BreakerState, BreakerStatus, BudgetStatus, CooldownStatus, HedgeStatus, LimiterStatus,
    ProtectionChange, ProtectionEvent, ProtectionStatus,
};

pub use crate::core::protection::{
    BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, LimiterOptions,
};
