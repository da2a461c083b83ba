//! The simulations against models with known results, computed independently of this crate.
//!
//! Everything else that they report is held by digests (golden.rs), over options of all kinds.
//!
//! A mean is right when its 95% confidence interval and the reference's overlap. Where the
//! expected value is exact, a sample may be off by 4 standard errors (1 in 16,000 by chance; the
//! seeds are fixed).

mod contention;
mod golden;
mod hedging;
mod load;
mod outage;
mod protection;
mod queue;
mod rate_limit;
mod refusals;
