// @ts-check
// Messages of failed fetches. Each engine words them differently, and browsers give no code.

/**
 * Whole messages, or their beginnings where the engine appends a host or a reason: "Load failed (example.com)" is
 * WebKit's, "Load failed: no such file" is not. In order of the alternatives: Chromium (the second while it reads
 * a body); Firefox; WebKit, whose service workers put "FetchEvent…" before a failure that they pass on, and which
 * before Safari 17 let the system's own words out; Node, whose undici wraps the last three; Deno; Bun; workerd;
 * React Native and polyfills over XMLHttpRequest.
 */
const NETWORK =
  /^(FetchEvent\.respondWith received an error: TypeError: )?(Failed to fetch|network error|NetworkError when attempting to fetch resource|Load failed|Response served by service worker is an error|Could not connect to the server|A server with the specified hostname could not be found|The (network connection was lost|Internet connection appears to be offline|request timed out)|fetch failed|terminated|other side closed|socket hang up|error sending request|Unable to connect|Was there a typo in the url or port\?|The socket connection was closed unexpectedly|Network (connection lost|request failed))(\.|$| \(| for | from )/;

/**
 * Returns whether an engine rejects a fetch with this message when the network fails.
 * @param {string} message
 */
export function isNetworkMessage(message) {
  return NETWORK.test(message);
}
