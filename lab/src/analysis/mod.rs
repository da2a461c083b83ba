//! What a policy will do, computed from the core that retries.

// Users bring their own data: no way to panic.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod budget;
mod chebyshev;
mod decorrelated;
mod distribution;
mod explain;
mod model;
mod parts;
mod plan;
mod polly;
mod sample;
mod study;
mod words;

pub use distribution::{Atom, Cell, Distribution};
pub use explain::{Note, Severity, explain};
pub use model::{Distributions, Model};
pub use plan::{PlannedWait, Quantiles, plan};
pub use sample::{Sampler, sample};
