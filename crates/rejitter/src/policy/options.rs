//! Times of options as durations. The options hold them as milliseconds, as data do.

use core::time::Duration;

use super::duration::ms_from_duration;
use crate::core::RetryOptions;
#[cfg(feature = "machines")]
use crate::core::protection::{BreakerOptions, CooldownOptions, HedgeOptions, LimiterOptions};

macro_rules! durations {
    ($($type:ident $name:ident = $field:ident: $doc:literal;)+) => {$(
        impl $type {
            #[doc = $doc]
            #[must_use]
            pub const fn $name(mut self, time: Duration) -> Self {
                self.$field = Some(ms_from_duration(time));
                self
            }
        }
    )+};
}

// Nothing is checked before a policy or a protection is made of them.
durations! {
    RetryOptions with_base = base_ms: "Sets the initial ceiling.";
    RetryOptions with_cap = cap_ms: "Sets the upper bound of every ceiling.";
    RetryOptions with_min = min_ms: "Sets the minimum wait.";
    RetryOptions with_step = step_ms: "Sets the growth of the linear curve.";
    RetryOptions with_max_retry_after = max_retry_after_ms: "Sets the longest server hint that is followed.";
}

#[cfg(feature = "machines")]
durations! {
    BreakerOptions with_window = window_ms: "Sets the length of the window.";
    BreakerOptions with_open = open_ms: "Sets the longest time of a first opening.";
    BreakerOptions with_max_open = max_open_ms: "Sets the longest time of all openings.";
    CooldownOptions with_max_hold = max_hold_ms: "Sets the longest time of a hold.";
    HedgeOptions with_delay = delay_ms: "Sets the time after which a hedge starts, instead of the learned one.";
    LimiterOptions with_per = per_ms: "Sets the time that the limit is for.";
}
