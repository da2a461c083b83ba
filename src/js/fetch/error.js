// @ts-check
// A response as an error, with `throwOnStatus`.

import { hide } from '../run/report.js';

/** With `throwOnStatus`: a response whose status says that the request failed. */
export class HttpStatusError extends Error {
  name = 'HttpStatusError';

  /** @param {Response} response */
  constructor(response) {
    // Without the URL: queries carry secrets, and messages end in logs. The reason phrase is the server's text.
    const reason = `${response.statusText ?? ''}`.slice(0, 100).replace(/\p{C}+/gu, ' ');
    super(`rejitter: HTTP ${response.status} ${reason}`.trim());
    this.status = response.status;
    // Hidden: loggers that print an error's properties would print the whole response.
    hide(this, 'response', response);
  }
}
