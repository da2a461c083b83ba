// Failures of the network, and mistakes of the program, which another attempt cannot fix. Each engine words failed
// fetches differently, and browsers give no code.

/**
 * Whole messages to which an engine may append a host or a reason ("Load failed (example.com)" is WebKit's, "Load
 * failed: no such file" is not), then beginnings that no other message has. Of Chromium (the second while it reads a
 * body); Firefox; WebKit, whose service workers put "FetchEvent…" before a failure that they pass on, and whose streams
 * put its name there, and which before Safari 17 let the system's own words out; Node, whose undici wraps three; Deno;
 * Bun, which puts a code in front or "fetching" behind; workerd; React Native and polyfills over XMLHttpRequest.
 */
const NETWORK =
  /^(FetchEvent.*: TypeError: |\w+: )?((Failed to fetch|network error|Load failed|fetch failed|terminated|Unable to connect|error sending request|unexpected end of file)(\.|$| \(| for | from | - )|(\w+ )?E(AI_|CONN|HOST|NET|NOTF|PIPE|TIMED|OF)|NetworkError when |error reading a body|Content-Length header of n|Gzip c|\w+ fetching "|Response served by s|Could not connect to the s|A server with the s|The (network|Internet|socket) connection|(The r|R)equest timed out| ?A network error |Was there a typo |Network request f)/;

/** Returns whether an engine rejects a fetch with this message when the network fails. @param {string} message */
export function isNetworkMessage(message) {
  return NETWORK.test(message);
}

/**
 * Returns whether this is a TypeError other than a failed `fetch`. By name, because `instanceof` is false for the
 * errors of another realm. A TypeError with a cause of another kind is a host's.
 * @type {(error: any) => boolean}
 */
export function isMistake({ name, message, cause }) {
  return name === 'TypeError' && !isNetworkMessage(message) && (!cause || isMistake(cause));
}

/** Returns whether this is a ReferenceError, or such a TypeError. @param {any} error */
export function isProgrammingError(error) {
  try {
    return error.name === 'ReferenceError' || isMistake(error);
  } catch {
    // undefined, null, or a getter that throws.
    return false;
  }
}

/** Names of errors that say nothing of the network: aborts, what a program may not do or cannot read. */
const OTHER_NAMES = /Abort|^(Cancel|Reference|Syntax|Range|Invalid|Not)/;

/**
 * Returns whether a failure of fetch that nobody knows is one of the network, because hosts change their words. Not a
 * mistake of the program, and not what another layer throws on purpose: frameworks throw redirects and errors of their
 * own as objects, with a status, or with a `digest` (Next).
 * @param {any} error
 */
export function mayBeOfNetwork(error) {
  try {
    // Tauri's fetch rejects with a string.
    const { name, message = error, code, response = error } = error;
    return (
      typeof message === 'string' &&
      !Object.hasOwn(error, 'digest') &&
      // A file, for Bun, whose fetch opens them.
      code !== 'ENOENT' &&
      !OTHER_NAMES.test(name) &&
      !isMistake(error) &&
      // The status of a proxy, for Bun.
      (/PROXY/.test(code) || !((response.statusCode ?? response.status) >= 300))
    );
  } catch {
    return false;
  }
}
