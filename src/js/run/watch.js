// Streams whose items show that an attempt is alive.

import { adopt } from './hooks.js';
import { follow, reasonOf, unfollow } from './signals.js';

/**
 * Iterates over a stream, and calls `heard` for each item. An abort ends it, however long the stream is silent. A
 * stream that has not ended by itself is closed, which nobody awaits after an abort.
 * @type {(source: any, signal: AbortSignal, heard: () => void) => AsyncGenerator<any, void>}
 */
export async function* watched(source, signal, heard) {
  // Not every host's streams are iterable; and as iterators, they cannot be closed while an item is awaited.
  const reader = source.getReader?.();
  const iterator = reader ?? source[Symbol.asyncIterator]();
  /** Ends what is awaited now. @type {(reason: unknown) => void} */
  let cut = () => {};
  const follower = { abort: () => cut(undefined) };
  let isOpen = true;
  follow(signal, follower);
  try {
    for (;;) {
      if (signal.aborted) throw reasonOf(signal);
      isOpen = false;
      const { done, value } = await new Promise((resolve, reject) => {
        cut = reject;
        adopt(iterator[reader ? 'read' : 'next'](), resolve, reject);
      });
      if (done) return;
      isOpen = true;
      heard();
      yield value;
    }
  } catch (error) {
    throw signal.aborted ? reasonOf(signal) : error;
  } finally {
    unfollow(signal, follower);
    const close = async () => iterator[reader ? 'cancel' : 'return']?.(signal.aborted ? reasonOf(signal) : undefined);
    const closing = isOpen || signal.aborted ? close() : undefined;
    reader?.releaseLock();
    if (signal.aborted) closing?.catch(() => {});
    else await closing;
  }
}
