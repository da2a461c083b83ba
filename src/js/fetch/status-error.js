// Errors of requests: with `throwOnStatus`, some responses are errors.

import { hide, restack } from '../run/report.js';

/** Not a literal: V8 validates literals when it compiles a module, and this one would take 0.2 ms of each start. */
const INVISIBLE = '\\p{C}+';

/**
 * Names a request in an error, and returns that. Without path and query: they carry secrets, and messages end in logs.
 * @type {(error: Error, request: { method: string, origin: string | undefined }) => Error}
 */
export function label(error, { method, origin }) {
  error.message += ` (${method}${origin ? ` ${origin}` : ''})`;
  // V8 keeps the message in the stack, too.
  restack(error, label);
  return Object.assign(error, { method, origin });
}

/** With `throwOnStatus`: a response whose status says that the request failed. */
export class HttpStatusError extends Error {
  name = 'HttpStatusError';

  /** @param {Response} response */
  constructor(response) {
    // Without the URL: queries carry secrets, and messages end in logs. The reason phrase is the server's text.
    const reason = `${response.statusText ?? ''}`.slice(0, 100).replace(new RegExp(INVISIBLE, 'gu'), ' ');
    super(`rejitter: HTTP ${response.status} ${reason}`.trim());
    this.status = response.status;
    // Hidden: loggers that print an error's properties would print the whole response.
    hide(this, 'response', response);
  }
}
