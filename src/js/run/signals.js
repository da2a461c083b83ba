// Followers of abort signals. All followers of a signal share one listener: an app's one
// signal may be given to thousands of operations at a time, and Node warns of a leak from the eleventh on.

/** Called at most once. @typedef {{ abort: (signal: AbortSignal) => void }} Follower */

/** @type {WeakMap<AbortSignal, Set<Follower> & { listener: () => void }>} */
const followersOf = new WeakMap();

/** Follows a signal that is not aborted yet. @type {(signal: AbortSignal, follower: Follower) => void} */
export function follow(signal, follower) {
  let followers = /** @type {any} */ (followersOf.get(signal));
  if (!followers) {
    followersOf.set(signal, (followers = /** @type {any} */ (new Set())));
    followers.listener = () => {
      // Each may leave during the loop.
      for (const each of followers) each.abort(signal);
    };
    signal.addEventListener('abort', followers.listener);
  }
  followers.add(follower);
}

/** @param {AbortSignal} signal @param {Follower} follower */
export function unfollow(signal, follower) {
  const followers = followersOf.get(signal);
  followers?.delete(follower);
  if (followers?.size !== 0) return;
  followersOf.delete(signal);
  signal.removeEventListener('abort', followers.listener);
}

/** Returns the reason. Signals of old polyfills, as in React Native, have none. @param {AbortSignal} signal */
export function reasonOf({ reason }) {
  // Not a DOMException, which React Native lacks.
  return reason === undefined
    ? Object.assign(new Error('This operation was aborted'), { name: 'AbortError', code: 20 })
    : reason;
}
