// Calls into the lab's wasm, of which a fault ends one: the next call gets a fresh instance. And a running simulation:
// advanced in slices, or run to its end with a turn of the event loop between two slices.

import { isCount } from '../../src/js/options/checks.js';
import { failure, messageOf } from '../../src/js/options/messages.js';
import { read, requireValid } from '../../src/js/options/reader.js';
import { FUNCTION } from '../../src/js/options/rules.js';
import { RULES } from '../../src/js/options/table.js';

/** @template Core @typedef {{ call: <Result>(use: (core: Core) => Result) => Result, instance: () => object }} Calls */

/**
 * Returns what calls the wasm, which `load` links or drops, and the identity of the instance that calls use now.
 * @type {<Core>(load: (drop?: boolean) => Core) => Calls<Core>}
 */
export function callsOf(load) {
  let instance = {};
  return {
    call(use) {
      try {
        return use(load());
      } catch (error) {
        // Errors about options name this package. All else is a trap, a stack that is full, memory that is short: the
        // stack pointer of the wasm stays where it was, and each further call would fail too.
        if (!messageOf(error, '').startsWith('rejitter: ')) {
          instance = {};
          load(true);
        }
        throw error;
      }
    },
    instance: () => instance,
  };
}

/**
 * A simulation in the wasm (lab/src/bindings/simulation.rs). The last method forgets the object without freeing it.
 * @typedef {{ step: (maxEvents: number) => { events: number, share: number, done: boolean }, result: () => any,
 *   free: () => void, __destroy_into_raw: () => number }} Running
 */

/** Some 20 ms: often enough for a page, and for a message that stops it. */
const SLICE_EVENTS = 2 ** 18;

/** @type {import('../../src/js/options/reader.js').Rules} */
const RUN = {
  signal: RULES.signal,
  onProgress: FUNCTION,
  sliceEvents: ['number', isCount, 'positive'],
};
/** @type {import('../../src/js/options/reader.js').Rule} */
const EVENTS = ['number', (value) => value === 0 || isCount(value), 'a non-negative integer or Infinity'];

/**
 * A registry frees a simulation by these.
 * @typedef {{ running: Running, instance: () => object, made: object }} Held
 */

/** @param {Held} held */
function release({ running, instance, made }) {
  // A dropped instance has no memory to free, and the same addresses in the next one belong to other objects.
  if (instance() === made) running.free();
  else running.__destroy_into_raw();
}

/** @type {FinalizationRegistry<Held> | undefined} */
let registry;

/** @template Core @param {Calls<Core>} calls @param {(core: Core) => Running} make */
export function simulationOf({ call, instance }, make) {
  const running = call(make);
  const made = instance();
  /** Collected with the simulation: nothing that frees it refers to this. */
  const state = { freed: false, busy: false };
  if (typeof FinalizationRegistry === 'function') registry ??= new FinalizationRegistry(release);
  registry?.register(state, { running, instance, made }, state);

  const alive = () => {
    if (state.freed) throw failure(Error, 'the simulation was freed; make another one');
    if (instance() !== made) throw failure(Error, 'the simulation ended by a fault; start it again');
    return running;
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
      if (state.busy) throw failure(Error, 'the simulation is running already; await that run');
      state.busy = true;
      try {
        for (;;) {
          if (signal?.aborted) throw signal.reason;
          const progress = simulation.step(sliceEvents);
          onProgress?.(progress);
          if (progress.done) return simulation.result();
          await turn();
        }
      } finally {
        state.busy = false;
      }
    },

    free() {
      if (state.freed) return;
      state.freed = true;
      registry?.unregister(state);
      release({ running, instance, made });
    },
  };
  // Not in every host yet; compilers that know `using` look for the other one then.
  const { dispose = Symbol.for('Symbol.dispose') } = /** @type {{ dispose?: symbol }} */ (Symbol);
  Object.defineProperty(simulation, dispose, { value: simulation.free });
  return simulation;
}

function isWorkerd() {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/** Lets the event loop turn, by a message: browsers hold up nested timers, for 4 ms each. @returns {Promise<void>} */
function turn() {
  return new Promise((resolve) => {
    // Messages of workerd let no timer fire. Some hosts have none, and the edge runtime of Next.js has one that throws.
    let channel;
    try {
      if (!isWorkerd()) channel = new MessageChannel();
    } catch {}
    if (!channel) return void setTimeout(resolve, 0);
    const { port1, port2 } = channel;
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
