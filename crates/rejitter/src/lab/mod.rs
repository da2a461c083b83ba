//! Policies under the magnifying glass: what they will do, before they do it.
//!
//! [`plan`] gives the exact distribution of each wait, [`explain`] says in sentences what is
//! noteworthy about a policy, [`sample`] draws waits in bulk. All of them use the core
//! that retries, so they always describe the policy that runs.
//!
//! ```
//! use rejitter::lab::{Model, explain, plan};
//! use rejitter::{RetryOptions, RetryPolicy};
//!
//! let model = Model::new(RetryPolicy::from_options(RetryOptions::default())?);
//! let waits = plan(&model, 5);
//! assert_eq!(waits[4].ceiling_ms, 1_600.0);
//! assert_eq!(waits[4].total_worst_ms, 3_100.0);
//! assert!(explain(&model).iter().any(|note| note.code == "worst-case"));
//! # Ok::<(), rejitter::OptionErrors>(())
//! ```

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
