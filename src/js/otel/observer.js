// The observer of operations knows where their spans belong, and where they are counted.

import { switchesOf } from '../options/switches.js';
import { metersOf } from './metrics.js';
import { Trace } from './trace.js';
import { VERSION } from './version.js';

/** In the context of an operation or attempt: its place. */
const PLACE = Symbol.for('rejitter.otel');

/** Attempts of a policy, and successes, are seen without hooks, which would cost a first success twice as much. */
export const HOOKS = ['onFailure', 'onRetry', 'onGiveUp'];

/**
 * An attempt's place in a trace: its number, or that of requests sent.
 * @typedef {{ trace: Trace, number: number, span: any }} Place
 */

export class Observer {
  #always;
  #context;
  #trace;
  #tracer;

  /** @param {any} api of OpenTelemetry, in part or whole @param {{ always?: boolean, keys?: boolean }} options */
  constructor(api, options) {
    const { trace, context, metrics } = ownOf(api);
    const { always, keys } = switchesOf(options, ['always', 'keys']);
    this.#always = always;
    this.#context = context;
    this.#trace = trace;
    this.#tracer = trace?.getTracer('rejitter', VERSION);
    this.meters = metersOf(metrics);
    this.keys = keys === true;
  }

  /** @returns {Place | undefined} */
  find() {
    return this.#context?.active().getValue(PLACE);
  }

  /** Calls `fn` at a place of a trace. @param {Trace} trace @param {number} number @param {() => any} fn */
  within(trace, number, fn) {
    const { span } = trace;
    if (!this.#context) return fn();
    const parent = span ? this.#trace.setSpan(trace.context, span) : trace.context;
    return this.#context.with(parent.setValue(PLACE, { trace, number, span }), fn);
  }

  /** Starts the trace of an operation. @param {any} theirs options @param {any} settings @param {string} [key] */
  begin(theirs, settings, key) {
    const name = theirs?.name ?? settings?.name;
    const trace = new Trace(this.#tracer, this.meters, this.#context?.active(), name, this.keys ? key : undefined);
    if (this.#always) trace.begin();
    return trace;
  }
}

/** @param {any} own @param {string[]} names @param {any} theirs options of the call @param {any} settings */
export function hooksOf(own, names, theirs, settings) {
  /** @type {Record<string, (event: any) => unknown>} */
  const found = {};
  for (const name of names) {
    const hook = theirs?.[name] === undefined ? settings?.[name] : theirs[name];
    // Any other value stays where it is, for the message.
    if (hook !== undefined && typeof hook !== 'function') continue;
    found[name] = (event) => {
      own[name](event);
      return hook?.(event);
    };
  }
  return found;
}

/** Returns what is not from Object.prototype, where anything may be. @param {any} options @returns {any} */
export const ownOf = (options) => ({ __proto__: null, ...options });

/** @param {any} options */
export function isOptions(options) {
  return options === undefined || (typeof options === 'object' && options !== null);
}
