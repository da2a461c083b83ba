//! Features of native programs.

mod blocking;
mod tokio_timers;
