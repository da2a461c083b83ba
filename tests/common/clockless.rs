//! Timers without a clock, as devices have them that nobody sets.

use std::time::Duration;

use rejitter::Sleeper;
use rejitter::testing::{VirtualSleep, VirtualTime};

/// Waits on a virtual time that it cannot read.
#[derive(Clone, Copy)]
pub struct Clockless<'a>(pub &'a VirtualTime);

impl Sleeper for Clockless<'_> {
    type Sleep = VirtualSleep;

    fn sleep(&self, duration: Duration) -> VirtualSleep {
        Sleeper::sleep(self.0, duration)
    }

    fn now(&self) -> Option<Duration> {
        None
    }
}

#[cfg(not(target_family = "wasm"))]
impl rejitter::BlockingSleeper for Clockless<'_> {
    fn sleep(&self, duration: Duration) {
        self.0.advance(duration);
    }

    fn now(&self) -> Option<Duration> {
        None
    }
}
