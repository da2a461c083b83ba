//! The simulations. All that they report is held by digests (golden.rs); what they should report, by models with known
//! results, computed independently of this crate (reference.rs).

mod golden;
mod queue;
mod reference;
