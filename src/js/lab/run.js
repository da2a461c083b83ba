// @ts-check
// A running simulation: advanced in slices, or run to its end with a turn of the event loop between two slices.

import { isCount } from '../options/checks.js';
import { failure } from '../options/messages.js';
import { read, requireValid } from '../options/reader.js';
import { FUNCTION, RULES } from '../options/rules.js';

/**
 * A simulation in the wasm (src/bindings/simulation/mod.rs).
 * @typedef {object} Running
 * @property {(maxEvents: number) => Progress} step
 * @property {() => any} result
 * @property {() => void} free
 * @property {() => number} __destroy_into_raw forgets the object in the wasm without freeing it
 */
/** @typedef {{ events: number, share: number, done: boolean }} Progress */

/** Some 20 ms: often enough for a page, and for a message that stops it. */
const SLICE_EVENTS = 2 ** 18;

/** @type {import('../options/reader.js').Rules} */
const RUN = {
  signal: RULES.signal,
  onProgress: FUNCTION,
  sliceEvents: ['number', 'a positive integer or Infinity', isCount],
};
/** @type {import('../options/reader.js').Rule} */
const EVENTS = ['number', 'a non-negative integer or Infinity', (value) => value === 0 || isCount(value)];

/**
 * @typedef {object} Owned
 * @property {Running | undefined} running unset once freed
 * @property {boolean} busy
 */

/** @type {FinalizationRegistry<() => void> | undefined} */
let registry;

/**
 * A function of its own, because the closures of one function share everything they capture: `owned` would never
 * be collected.
 * @param {Running} running
 * @param {() => object} instance
 * @param {object} made the instance that it belongs to
 */
function releaseOf(running, instance, made) {
  // A dropped instance has no memory to free, and the same addresses in the next one belong to other objects.
  return () => void (instance() === made ? running.free() : running.__destroy_into_raw());
}

/** @template Core @param {import('./calls.js').Calls<Core>} calls @param {(core: Core) => Running} make */
export function simulationOf({ call, instance }, make) {
  const running = call(make);
  const made = instance();
  /** @type {Owned} */
  const owned = { running, busy: false };
  const release = releaseOf(running, instance, made);
  if (typeof FinalizationRegistry === 'function') {
    registry ??= new FinalizationRegistry((release) => release());
    registry.register(owned, release, owned);
  }

  const alive = () => {
    if (owned.running === undefined) throw failure(Error, 'the simulation was freed; make another one');
    if (instance() !== made) throw failure(Error, 'the simulation ended by a fault; start it again');
    return owned.running;
  };

  const simulation = {
    step(maxEvents = Infinity) {
      requireValid('maxEvents', maxEvents, EVENTS);
      return call(() => alive().step(maxEvents));
    },

    result() {
      return call(() => alive().result());
    },

    /** @param {any} [options] */
    async run(options) {
      const { signal, onProgress, sliceEvents = SLICE_EVENTS } = read(options, RUN);
      if (owned.busy) throw failure(Error, 'the simulation is running already; await that run');
      owned.busy = true;
      try {
        for (;;) {
          if (signal?.aborted) throw signal.reason;
          const progress = simulation.step(sliceEvents);
          onProgress?.(progress);
          if (progress.done) return simulation.result();
          await turn();
        }
      } finally {
        owned.busy = false;
      }
    },

    free() {
      if (owned.running === undefined) return;
      owned.running = undefined;
      registry?.unregister(owned);
      release();
    },
  };
  // Not in every host yet; compilers that know `using` look for the other one then.
  const { dispose = Symbol.for('Symbol.dispose') } = /** @type {{ dispose?: symbol }} */ (Symbol);
  Object.defineProperty(simulation, dispose, { value: simulation.free });
  return simulation;
}

/**
 * Lets the event loop turn, so that messages, timers and frames run. It uses a message,
 * because browsers hold up nested timers, for 4 ms each.
 * @returns {Promise<void>}
 */
function turn() {
  return new Promise((resolve) => {
    if (typeof globalThis.MessageChannel !== 'function') {
      globalThis.setTimeout(resolve, 0);
      return;
    }
    const { port1, port2 } = new globalThis.MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
