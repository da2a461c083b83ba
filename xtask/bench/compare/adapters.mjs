// A fetch under clients that take none, each at the seam that its documentation names for such a purpose.

import { Readable, Writable } from 'node:stream';
import { Dispatcher } from 'undici';

/** A dispatcher of undici that sends its requests through a fetch. */
export class FetchDispatcher extends Dispatcher {
  #fetch;

  constructor(fetch) {
    super();
    this.#fetch = fetch;
  }

  dispatch(options, handler) {
    this.#send(options, handler);
    return true;
  }

  async #send({ origin, path, method, headers, body }, handler) {
    const aborter = new AbortController();
    const { signal } = aborter;
    const controller = {
      paused: false,
      rawHeaders: null,
      get aborted() {
        return signal.aborted;
      },
      get reason() {
        return signal.reason ?? null;
      },
      abort: (reason) => aborter.abort(reason),
      pause() {},
      resume() {},
    };
    try {
      handler.onRequestStart(controller, {});
      const response = await this.#fetch(new URL(path, origin), { method, headers, body, signal });
      const answered = Object.fromEntries(response.headers);
      handler.onResponseStart(controller, response.status, answered, response.statusText);
      for await (const chunk of response.body ?? []) handler.onResponseData(controller, Buffer.from(chunk));
      // The handler throws here what it does not retry.
      handler.onResponseEnd(controller, {});
    } catch (error) {
      handler.onResponseError(controller, error);
    }
  }
}

/** What got's option `request` returns: like a ClientRequest of node:http, over a fetch. */
export class FetchRequest extends Writable {
  #aborter = new AbortController();
  #fetch;
  #url;
  #options;
  #body = [];

  constructor(fetch, url, { method, headers }) {
    super({ autoDestroy: false });
    this.#fetch = fetch;
    this.#url = url;
    this.#options = { method, headers };
  }

  _write(chunk, _encoding, done) {
    this.#body.push(chunk);
    done();
  }

  _final(done) {
    done();
    this.#send().catch((error) => this.destroy(error));
  }

  _destroy(error, done) {
    this.#aborter.abort(error ?? undefined);
    done(error);
  }

  setTimeout() {}

  async #send() {
    const body = this.#body.length > 0 ? Buffer.concat(this.#body) : undefined;
    const { signal } = this.#aborter;
    const response = await this.#fetch(this.#url, { ...this.#options, body, signal });
    const { status: statusCode, statusText: statusMessage, headers } = response;
    const message = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
    const answered = { statusCode, statusMessage, headers: Object.fromEntries(headers), complete: true };
    this.res = Object.assign(message, answered);
    this.emit('response', message);
  }
}
