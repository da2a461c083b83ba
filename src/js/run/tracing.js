// Node's diagnostics channels, when they have subscribers.

/** @typedef {<T>(fn: () => T, context: object) => T} Traced */
/** @typedef {{ hasSubscribers: boolean, tracePromise: Traced, traceSync: Traced }} TracingChannel */

/** Undefined until it is looked for. @type {TracingChannel | null | undefined} */
let channel;

/** The channel `tracing:rejitter:operation:*`, or null where it is missing or has no subscriber. */
export function subscribed() {
  if (channel === undefined) channel = channelOf('tracingChannel', 'rejitter:operation');
  return channel?.hasSubscribers ? channel : null;
}

/** Returns a channel of Node, null elsewhere. @type {(kind: 'channel' | 'tracingChannel', name: string) => any} */
export function channelOf(kind, name) {
  try {
    const { process } = /** @type {any} */ (globalThis);
    // Not an import: bundles for browsers would have to resolve it.
    return process?.getBuiltinModule?.('node:diagnostics_channel')?.[kind]?.(name) ?? null;
  } catch {
    // Edge runtimes have a `process` that throws.
    return null;
  }
}
