//! Features of native programs.

mod blocking;
mod protection;
mod tokio_timers;
