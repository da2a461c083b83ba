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
    match RECEIVED.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// Asks every process of the group to end.
pub fn terminate_group(group: u32) {
    send(group, libc::SIGTERM);
}

/// Ends every process of the group.
pub fn kill_group(group: u32) {
    send(group, libc::SIGKILL);
}

/// Whether a process of the group is still there.
pub fn group_exists(group: u32) -> bool {
    send(group, 0)
}

fn send(group: u32, signal: libc::c_int) -> bool {
    match libc::pid_t::try_from(group) {
        // 0 and 1 would mean our own group, or every process there is.
        // SAFETY: kill has no memory effects; a group that is gone gives ESRCH.
        Ok(group) if group > 1 => unsafe { libc::kill(-group, signal) == 0 },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_signals_everything() {
        for group in [0, 1, u32::MAX] {
            assert!(!send(group, 0), "group {group}");
        }
    }
}
