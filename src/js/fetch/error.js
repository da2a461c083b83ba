// @ts-check
// A response as an error, with `throwOnStatus`.

/** With `throwOnStatus`: a response whose status says that the request failed. */
export class HttpStatusError extends Error {
  /** @type {Response} */
  response;

  /** @param {Response} response */
  constructor(response) {
    // Without the URL: queries carry secrets, and messages end in logs. The reason phrase is the server's text.
    const reason = `${response.statusText ?? ''}`.slice(0, 100).replace(/\p{C}+/gu, ' ');
    super(`rejitter: HTTP ${response.status} ${reason}`.trim());
    this.name = 'HttpStatusError';
    this.status = response.status;
    // Not enumerable: loggers that print an error's properties would print the whole response.
    Object.defineProperty(this, 'response', { value: (this.response = response), enumerable: false });
  }
}
