//! In place of protection where its feature is off: nothing holds or rejects attempts.

// The signatures are those of a protection.
#![allow(clippy::unnecessary_wraps)]

mod facts;
mod operation;

pub(super) use facts::{Pass, Turn};
