// @ts-check
// The core's answers about HTTP (src/js/http.rs): texts go through its buffer, numbers come back.

/**
 * @typedef {object} HttpCore
 * @property {WebAssembly.Memory} memory
 * @property {() => number} http_buffer
 * @property {(retryAfterMsLength: number, retryAfterLength: number, dateLength: number, nowMs: number) => number} http_hint
 * @property {(rule: number, status: number) => number} http_status
 * @property {(length: number) => number} http_method
 * @property {(codeLength: number, syscallLength: number, messageLength: number) => number} http_failure
 */

// Rules for statuses, as src/js/http.rs reads them.
export const TRANSIENT = 0;
export const TRANSIENT_IN_BROWSERS = 1;
export const GO_RETRYABLE_HTTP = 2;

// What is known of a failure, as src/js/http.rs says it.
export const UNKNOWN = 0;
export const NETWORK = 1;
export const UNPROCESSED = 2;
export const HOPELESS = 3;

/** What one text may take of the buffer. */
const LONGEST = 256;

/** How far the cause of an error is looked for. */
const DEEPEST = 10;

/** @param {() => any} load */
export function createHttp(load) {
  /**
   * Writes texts one after the other and gives their lengths. What is no ASCII means nothing to
   * the core; it becomes a byte that no text there has.
   * @param {HttpCore} core
   * @param {string[]} texts
   */
  function write(core, texts) {
    const bytes = new Uint8Array(core.memory.buffer, core.http_buffer(), texts.length * LONGEST);
    let at = 0;
    return texts.map((text) => {
      const length = Math.min(text.length, LONGEST);
      for (let i = 0; i < length; i++) bytes[at++] = Math.min(text.charCodeAt(i), 255);
      return length;
    });
  }

  /**
   * What an error says by itself.
   * @param {HttpCore} core
   * @param {any} error
   */
  function said(core, error) {
    const texts = [error.code, error.syscall, error.message].map((text) => (typeof text === 'string' ? text : ''));
    const [code, syscall, message] = write(core, texts);
    return core.http_failure(code, syscall, message);
  }

  return {
    /**
     * The wait that a response asks for, in ms; NaN for none.
     * @param {any} response
     */
    hintOf(response) {
      const texts = ['retry-after-ms', 'retry-after', 'date'].map((name) => headerOf(response, name));
      if (texts[0] === '' && texts[1] === '') return NaN;
      const core = load();
      const [retryAfterMs, retryAfter, date] = write(core, texts);
      return core.http_hint(retryAfterMs, retryAfter, date, Date.now());
    },

    /**
     * @param {number} rule
     * @param {number} status
     * @returns {boolean}
     */
    retriesStatus(rule, status) {
      return load().http_status(rule, status) !== 0;
    },

    /**
     * @param {string} method
     * @returns {boolean}
     */
    isIdempotent(method) {
      const core = load();
      // No method that is known is longer, and a cut one must not look like it.
      return method.length <= LONGEST && core.http_method(...write(core, [method])) !== 0;
    },

    /**
     * What an error says, by itself and through its causes: the one that says more.
     * @param {any} error
     * @returns {number}
     */
    failureOf(error) {
      let known = UNKNOWN;
      try {
        const core = load();
        for (let depth = 0; depth < DEEPEST && typeof error === 'object' && error !== null; depth++) {
          // A timeout of somebody's own; what the attempt did by then nobody knows.
          if (error.name === 'TimeoutError') known = Math.max(known, NETWORK);
          known = Math.max(known, said(core, error));
          // Node tries a host's addresses one after the other: what holds is what all of them say.
          const { errors } = error;
          if (Array.isArray(errors) && errors.length > 0) known = Math.max(known, Math.min(...errors.map((each) => said(core, each))));
          error = error.cause;
        }
      } catch {
        // What throws when it is looked at is no engine's failure.
      }
      return known;
    },
  };
}

/**
 * A header's value, '' for none. A value beyond the buffer is none: no hint is so long.
 * @param {any} response
 * @param {string} name
 * @returns {string}
 */
function headerOf(response, name) {
  // Not every function that takes fetch's place answers with headers.
  const value = response?.headers?.get?.(name);
  return typeof value === 'string' && value.length <= LONGEST ? value : '';
}
