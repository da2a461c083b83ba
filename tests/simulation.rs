//! The simulations against models with known results, computed independently of this crate.
//!
//! A mean is right when its 95% confidence interval and the reference's overlap. Where the
//! expected value is exact, a sample may be off by 4 standard errors (1 in 16,000 by chance; the
//! seeds are fixed).

#![cfg(all(not(target_arch = "wasm32"), feature = "lab"))]

#[path = "simulation/contention.rs"]
mod contention;
#[path = "simulation/golden.rs"]
mod golden;
#[path = "simulation/hedging.rs"]
mod hedging;
#[path = "simulation/load.rs"]
mod load;
#[path = "simulation/outage.rs"]
mod outage;
#[path = "simulation/protection.rs"]
mod protection;
#[path = "simulation/queue.rs"]
mod queue;
#[path = "simulation/rate_limit.rs"]
mod rate_limit;
#[path = "simulation/refusals.rs"]
mod refusals;
