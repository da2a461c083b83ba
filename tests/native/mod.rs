//! Features of native programs.

#[cfg(feature = "tokio")]
mod always_ready;
mod blocking;
mod parts;
mod protection;
mod tokio_timers;
