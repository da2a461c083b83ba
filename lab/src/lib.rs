//! Policies of [`rejitter`] under the magnifying glass: what they will do, before they do it.
//!
//! [`plan`] gives the exact distribution of each wait, [`explain`] says in sentences what is
//! noteworthy about a policy, [`sample`] draws waits in bulk, and [`simulation`] shows what retries do to a server. All
//! of them use the core that retries, so they always describe the policy that runs. Hence a version of this crate
//! requires exactly the same version of `rejitter`.
//!
//! ```
//! use rejitter::RetryPolicy;
//! use rejitter_lab::{Model, explain, plan};
//!
//! let model = Model::new(RetryPolicy::default());
//! let waits = plan(&model, 5);
//! assert_eq!(waits[4].ceiling_ms, 1_600.0);
//! assert_eq!(waits[4].total_worst_ms, 3_100.0);
//! assert!(explain(&model).iter().any(|note| note.code == "worst-case"));
//! ```
//!
//! A [`Model`] is made of a policy, or of a policy's data ([`rejitter::data::PolicyData`]), as a configuration file or
//! the npm package has them. The npm package of the same name computes the same, bit for bit.
//!
//! Waits and ceilings are those of the [words](rejitter#words) of `rejitter`. Names that end in `_ms` are milliseconds.

#![forbid(unsafe_code)]
// Warnings, which the tests take for errors, as in `rejitter`.
#![warn(
    clippy::pedantic,
    missing_debug_implementations,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub
)]
// Equality to the last bit is what this crate promises, so it is what is compared.
#![allow(clippy::float_cmp)]

mod analysis;

#[cfg(all(feature = "exports", target_family = "wasm", target_os = "unknown"))]
#[doc(hidden)]
pub mod bindings;

#[doc(hidden)]
pub mod data;

pub mod simulation;

pub use analysis::{
    Atom, Cell, Distribution, Distributions, Model, Note, PlannedWait, Quantiles, Sampler,
    Severity, explain, plan, sample,
};

/// The page of the registries, whose example in Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
