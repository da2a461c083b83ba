//! Waiting on the timers of a JavaScript host.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::policy::ms_from_duration;
use crate::retry::Sleeper;
use crate::retry::clock::{self, performance_now};

// Named through `globalThis`, they are looked up at each use: fake timers, installed or removed
// at any moment, work.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = globalThis, js_name = setTimeout)]
    fn set_timeout(done: &Function, ms: f64) -> JsValue;

    #[wasm_bindgen(js_namespace = globalThis, js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);
}

/// The longest delay that timers keep: above it they fire at once.
const MAX_TIMER_MS: f64 = 2_147_483_647.0;

/// The host's `setTimeout` and `performance.now`: browsers, workers, Node, Deno, Bun.
///
/// Waits are rounded up to whole milliseconds; those above 2^31 − 1 ms are waited in parts. A
/// wait of zero passes through a timer, too, so the event loop turns.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsSleeper;

impl Sleeper for JsSleeper {
    type Sleep = JsSleep;

    fn sleep(&self, duration: Duration) -> JsSleep {
        let ms = ms_from_duration(duration);
        let armed_at = performance_now();
        JsSleep {
            armed_at,
            due: armed_at + ms,
            left: ms.ceil(),
            timers: 0.0,
            timer: None,
        }
    }

    fn now(&self) -> Option<Duration> {
        clock::now()
    }
}

default_sleeper!(JsSleeper);

/// One wait of [`JsSleeper`]. The timer is set when it is first polled, and cleared when it is
/// dropped.
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct JsSleep {
    armed_at: f64,
    due: f64,
    /// Whole milliseconds for which no timer was set yet.
    left: f64,
    /// How many timers of the host this wait has taken.
    timers: f64,
    timer: Option<Timer>,
}

impl Future for JsSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(timer) = &mut self.timer {
                // The promise of a timer does not reject.
                let Poll::Ready(_) = Pin::new(&mut timer.fired).poll(cx) else {
                    return Poll::Pending;
                };
                if self.is_over() {
                    return Poll::Ready(());
                }
            } else {
                // It may be polled some time after it was made.
                let now = performance_now();
                self.armed_at = now;
                self.shorten(now);
            }
            let ms = self.left.min(MAX_TIMER_MS);
            self.left -= ms;
            self.timers += 1.0;
            self.timer = Some(Timer::new(ms));
        }
    }
}

impl JsSleep {
    /// After a timer has fired: whether that was the last. Equal to `src/js/run/timer.js`.
    fn is_over(&mut self) -> bool {
        let now = performance_now();
        if self.left > 0.0 {
            // A part may end late, on a machine that slept.
            self.shorten(now);
            return false;
        }
        // Hosts fire each timer up to 1 ms early: wait for the rest. If more is missing, or the clock
        // has hardly moved, a fake clock drives the timers and not `performance.now`.
        let missing = self.due - now;
        let early = missing > 0.0 && missing <= 2.0 * self.timers && now - self.armed_at >= missing;
        if early {
            self.armed_at = now;
            self.left = missing.ceil();
        }
        !early
    }

    /// Leaves what is still missing; all of it, where a fake clock stands still.
    fn shorten(&mut self, now: f64) {
        self.left = self.left.min((self.due - now).ceil()).max(0.0);
    }
}

/// One timer of the host; dropping clears it.
#[derive(Debug)]
struct Timer {
    id: JsValue,
    resolve: Function,
    fired: JsFuture,
}

impl Timer {
    fn new(ms: f64) -> Self {
        let mut armed = (JsValue::UNDEFINED, JsValue::UNDEFINED);
        let promise = Promise::new(&mut |resolve, _| {
            armed = (set_timeout(&resolve, ms), resolve.into());
        });
        let (id, resolve) = armed;
        Self {
            id,
            resolve: resolve.unchecked_into(),
            fired: JsFuture::from(promise),
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.id);
        // A promise that never settles would keep the future's closures for ever. Resolving it
        // once more does nothing, and `resolve` does not throw.
        let _ = self.resolve.call0(&JsValue::UNDEFINED);
    }
}
