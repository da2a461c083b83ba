//! The simulations against models with known results, computed independently of this crate.
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
