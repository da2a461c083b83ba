//! Connections that stay: sessions one after the other, with the policy's waits between them.
//!
//! ```
//! use rejitter::reconnect::{End, keep_connected};
//! use rejitter::testing::VirtualTime;
//! use rejitter::{RetryPolicy, Sleeper};
//! use std::time::Duration;
//!
//! let time = VirtualTime::new(); // the feature `tokio` waits on Tokio's timers by default
//! let kept = keep_connected(RetryPolicy::reconnecting(), |connection| {
//!     let time = &time;
//!     async move {
//!         connection.opened(); // after the handshake
//!         Sleeper::sleep(time, Duration::from_secs(60)).await; // messages
//!         if connection.connections < 2 { Err("reset by peer") } else { Err("401") }
//!     }
//! })
//! .when(|end| *end != End::Failed("401"))
//! .sleeper(&time)
//! .run();
//! assert_eq!(time.block_on(kept), End::Failed("401"));
//! assert!(time.now() >= Duration::from_secs(180));
//! ```
//!
//! A program with messages and pings: [`guide::connections`](crate::guide::connections).

mod connection;
#[cfg(feature = "protection")]
mod gate;
#[cfg(not(feature = "protection"))]
#[path = "no_gate.rs"]
mod gate;
mod keeper;
mod session;

pub use connection::Connection;
pub use keeper::{KeepConnected, keep_connected};
pub use session::End;
