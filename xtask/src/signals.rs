//! Ctrl-C, and the ends of processes.
//!
//! Every command runs in a process group of its own, so a Ctrl-C in the terminal reaches xtask alone.
//! xtask notes it, ends the group of the running command, and returns through the normal error path:
//! no grandchild (a browser, a bundler's service) outlives the command that started it.

use std::sync::atomic::{AtomicI32, Ordering};

static RECEIVED: AtomicI32 = AtomicI32::new(0);

extern "C" fn note(signal: libc::c_int) {
    RECEIVED.store(signal, Ordering::SeqCst);
}

/// From here on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process.
pub fn listen() {
    let handler = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler only stores to an atomic, which is async-signal-safe.
        let before = unsafe { libc::signal(signal, handler) };
        if signal == libc::SIGHUP && before == libc::SIG_IGN {
            // Started under nohup: the caller wants us to outlive the terminal.
            // SAFETY: restores the disposition that was just read.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}

/// The signal that asked xtask to stop, if one came.
pub fn received() -> Option<i32> {
    let signal = RECEIVED.load(Ordering::SeqCst);
    (signal != 0).then_some(signal)
}

/// Sends every process of the group a signal; with 0, says whether there is one.
pub fn send(group: u32, signal: libc::c_int) -> bool {
    match libc::pid_t::try_from(group) {
        // 0 and 1 would mean our own group, or every process there is.
        // SAFETY: kill has no memory effects; a group that is gone gives ESRCH.
        Ok(group) if group > 1 => unsafe { libc::kill(-group, signal) == 0 },
        _ => false,
    }
}
