//! What only native programs have.

mod blocking;
mod tokio_timers;
