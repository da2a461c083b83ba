// @ts-check
// A simulation under way: advanced in slices, or run to its end with a turn of the event loop between two.

import { readOnly } from './options.js';
import { FUNCTION, failure, isSignal, problemOf } from './rules.js';

/**
 * What the wasm makes (src/js/simulation/mod.rs).
 * @typedef {object} Running
 * @property {(maxEvents: number) => Progress} step
 * @property {() => any} result
 * @property {() => void} free
 */
/** @typedef {{ events: number, share: number, done: boolean }} Progress */

/** Some 20 ms: often enough for a page, and for a message that stops it. */
const SLICE_EVENTS = 2 ** 18;

/** @param {Running} running */
export function simulationOf(running) {
  /** @type {Running | undefined} */
  let core = running;
  let busy = false;

  const alive = () => {
    if (core === undefined) throw failure(Error, 'the simulation was freed; make another one');
    return core;
  };

  const simulation = {
    step(maxEvents = Infinity) {
      if (!isCount(maxEvents, 0)) throw problemOf('maxEvents', maxEvents, ['number', 'a non-negative integer or Infinity']);
      return alive().step(maxEvents);
    },

    result() {
      return alive().result();
    },

    /** @param {any} [options] */
    async run(options) {
      const { signal, onProgress, sliceEvents = SLICE_EVENTS } = readOnly(options, ['signal', 'onProgress', 'sliceEvents']);
      if (signal !== undefined && !isSignal(signal)) throw problemOf('signal', signal);
      if (onProgress !== undefined && typeof onProgress !== 'function') throw problemOf('onProgress', onProgress, FUNCTION);
      if (!isCount(sliceEvents, 1)) throw problemOf('sliceEvents', sliceEvents, ['number', 'a positive integer or Infinity']);
      if (busy) throw failure(Error, 'the simulation is running already; await that run');
      busy = true;
      try {
        for (;;) {
          if (signal?.aborted) throw signal.reason;
          const progress = alive().step(sliceEvents);
          onProgress?.(progress);
          if (progress.done) return alive().result();
          await turn();
        }
      } finally {
        busy = false;
      }
    },

    free() {
      core?.free();
      core = undefined;
    },
  };
  // Not in every host yet; compilers that know `using` look for the other one then.
  const { dispose = Symbol.for('Symbol.dispose') } = /** @type {{ dispose?: symbol }} */ (Symbol);
  Object.defineProperty(simulation, dispose, { value: simulation.free });
  return simulation;
}

/**
 * Lets the event loop turn, so that messages, timers and frames get theirs. By a message of its own,
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

/**
 * @param {unknown} value
 * @param {number} least
 */
function isCount(value, least) {
  return (Number.isSafeInteger(value) || value === Infinity) && /** @type {number} */ (value) >= least;
}
