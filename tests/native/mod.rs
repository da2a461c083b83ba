//! Features of native programs.

mod blocking;
mod parts;
mod protection;
mod tokio_timers;
