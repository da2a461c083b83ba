// Failures of the network, and mistakes of the program, which another attempt cannot fix. Each engine words failed
// fetches differently, and browsers give no code.

/**
 * Whole messages to which an engine may append a host or a reason ("Load failed (example.com)" is WebKit's, "Load
 * failed: no such file" is not), then beginnings that no other message has. Of Chromium (the second while it reads a
 * body); Firefox; WebKit, whose service workers put "FetchEvent…" before a failure that they pass on, and which
 * before Safari 17 let the system's own words out; Node, whose undici wraps three; Deno; Bun; workerd; React Native
 * and polyfills over XMLHttpRequest.
 */
const NETWORK =
  /^(FetchEvent.*: TypeError: )?((Failed to fetch|network error|Load failed|fetch failed|terminated|other side closed|socket hang up|Unable to connect|error sending request)(\.|$| \(| for | from | - )|(connect|read|write|getaddrinfo) E[A-Z]|NetworkError when |error reading a body|Response served by s|Could not connect to the s|A server with the s|The (network|Internet|socket) connection|(The r|R)equest timed out| ?A network error |network timeout at|Was there a typo |Network (connection l|request f))/;

/** Returns whether an engine rejects a fetch with this message when the network fails. @param {string} message */
export function isNetworkMessage(message) {
  return NETWORK.test(message);
}

/**
 * Returns whether this is a ReferenceError, or a TypeError other than a failed `fetch`. By name, because
 * `instanceof` is false for the errors of another realm.
 * @param {any} error
 */
export function isProgrammingError(error) {
  try {
    const { name, message } = error;
    return name === 'ReferenceError' || (name === 'TypeError' && !isNetworkMessage(message));
  } catch {
    // undefined, null, or a getter that throws.
    return false;
  }
}
