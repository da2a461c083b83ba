// Streams whose items show that an attempt is alive.

import { Limits } from './limits.js';

/**
 * Iterates over a stream, and calls `heard` for each item. An abort ends it, however long the stream is silent. A stream
 * that has not ended by itself is closed, which nobody awaits after an abort.
 * @type {(source: any, signal: AbortSignal, heard: () => void) => AsyncGenerator<any, void>}
 */
export async function* watched(source, signal, heard) {
  // Not every host's streams are iterable; and as iterators, they cannot be closed while an item is awaited.
  const reader = source.getReader?.();
  const iterator = reader ?? source[Symbol.asyncIterator]();
  const limits = new Limits([signal]);
  let isOpen = true;
  limits.follow();
  try {
    for (;;) {
      isOpen = false;
      const { done, value } = await limits.race(limits.stopped || iterator[reader ? 'read' : 'next']());
      if (done) return;
      isOpen = true;
      heard();
      yield value;
    }
  } catch (error) {
    throw limits.stopped ? limits.reason : error;
  } finally {
    limits.dispose();
    const close = async () => iterator[reader ? 'cancel' : 'return']?.(limits.reason);
    const closing = isOpen || limits.stopped ? close() : undefined;
    reader?.releaseLock();
    if (limits.stopped) closing?.catch(() => {});
    else await closing;
  }
}
