// A server on loopback under a virtual clock. Time passes only while nothing is on its way between client and server,
// so no limit of time is reached because the machine is busy.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { after } from 'node:test';
import { buffer } from 'node:stream/consumers';

import { onLoopback } from '../../package/lib/loopback.mjs';
import { onClock, turn, withGlobals } from '../../package/lib/clock.mjs';

/** What has happened is followed by promise callbacks alone, which need a few turns of the event loop. */
const QUIET_TURNS = 30;
/** More steps of time are a loop that never ends. */
const MOST_STEPS = 5000;
const ID = 'x-flight';

/** A request that a client has sent, and that has not ended for it. */
class Flight {
  /** Bytes of the body that were sent, and that the client has read. */
  sent = 0;
  read = 0;
  /** Whether the client has the headers. */
  headed = false;
  /** Whether the server waits for time to pass, or has nothing more to say. */
  waits = false;
  /** Whether the client closed the connection before the server did. */
  left = false;

  get busy() {
    return !this.waits || this.read < this.sent;
  }
}

/** The client has gone. */
class Gone extends Error {}

/** How a server answers one request. */
class Reply {
  #response;
  #flight;
  #closed;
  constructor(response, flight) {
    this.#response = response;
    this.#flight = flight;
    this.#closed = once(response, 'close');
  }

  /** Whether the client has gone. */
  get left() {
    return this.#flight.left;
  }

  head(status, headers = {}) {
    this.#response.writeHead(status, headers).flushHeaders();
    return this.#until(() => this.#flight.headed);
  }

  /** Sends a part of the body; resolves when the client has it. */
  write(text) {
    this.#flight.sent += Buffer.byteLength(text);
    this.#response.write(text);
    return this.#until(() => !this.#flight.headed || this.#flight.read === this.#flight.sent);
  }

  end(text = '') {
    this.#flight.sent += Buffer.byteLength(text);
    this.#response.end(text);
  }

  /** Breaks the connection. */
  cut() {
    this.#response.socket?.destroy();
  }

  /** Is silent for so long, or until the client goes. */
  async pause(ms = Infinity) {
    this.#flight.waits = true;
    const passed = new Promise((done) => ms < Infinity && setTimeout(done, ms));
    await Promise.race([this.#closed, passed]);
    this.#flight.waits = false;
    if (this.left) throw new Gone();
  }

  async #until(check) {
    while (!check()) {
      if (this.left) throw new Gone();
      await turn();
    }
  }
}

/**
 * Starts a server that answers each request by `handle(request, reply)`; `request` has `method`, `path`, `headers` and
 * `body`, a text. Requests of the global `fetch` to any host go to it.
 * @param {(request: any, reply: Reply) => unknown} handle
 */
export async function network(handle) {
  /** @type {Map<string, Flight>} */
  const flights = new Map();
  /** Connections that the clients closed before the answer had ended. */
  let closed = 0;
  let count = 0;
  const server = await onLoopback(
    createServer(async (request, response) => {
      if (request.method === 'HEAD') return response.end();
      const flight = flights.get(String(request.headers[ID])) ?? new Flight();
      response.once('close', () => {
        if (response.writableEnded || response.errored || response.socket?.destroyed === undefined) return;
        flight.left = true;
        closed += 1;
      });
      const { method, url: path, headers } = request;
      const body = String(await buffer(request));
      try {
        await handle({ method, path, headers, body }, new Reply(response, flight));
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
      }
    }),
  );
  after(server.close);

  const { fetch: send } = globalThis;
  // Node's fetch makes timers of its own at its first use.
  await send(server.origin, { method: 'HEAD' }).catch(() => {});

  async function fetch(input, init) {
    const given = new Request(input, init);
    const { pathname, search } = new URL(given.url);
    const request = new Request(server.origin + pathname + search, given);
    const id = `${(count += 1)}`;
    request.headers.set(ID, id);
    const flight = new Flight();
    flights.set(id, flight);
    const response = await send(request).catch((error) => {
      flights.delete(id);
      throw error;
    });
    flight.headed = true;
    const reader = response.body?.getReader();
    if (!reader) flights.delete(id);
    const body = reader && {
      type: 'bytes',
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            flight.read += value.length;
            return controller.enqueue(value);
          }
          controller.close();
          controller.byobRequest?.respond(0);
        } catch (error) {
          controller.error(error);
        }
        flights.delete(id);
      },
      cancel(reason) {
        flights.delete(id);
        return reader.cancel(reason);
      },
    };
    return new Response(body && new ReadableStream(body, { highWaterMark: 0 }), response);
  }

  return {
    origin: server.origin,
    get closed() {
      return closed;
    },
    /**
     * Runs `body(clock)` under a virtual clock. Resolves with how it ended, and when.
     * @param {(clock: any) => Promise<any>} body
     */
    run: (body) =>
      onClock((clock) => {
        const startedAt = clock.now;
        return withGlobals({ fetch }, async () => {
          let outcome;
          body(clock).then(
            (value) => void (outcome = { value, at: clock.now - startedAt }),
            (error) => void (outcome = { error, at: clock.now - startedAt }),
          );
          try {
            for (let [quiet, steps] = [0, 0]; !outcome; quiet += 1) {
              await turn();
              if ([...flights.values()].some(({ busy }) => busy)) quiet = 0;
              if (quiet < QUIET_TURNS) continue;
              if (!(await clock.step())) throw new Error('nothing happens, and no timer is armed');
              if ((steps += 1) > MOST_STEPS) throw new Error(`not settled after ${steps} timers`);
              quiet = 0;
            }
            return outcome;
          } finally {
            flights.clear();
          }
        });
      }),
  };
}
