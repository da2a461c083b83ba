import { DurableObject, env } from 'cloudflare:workers';
import { createFetch } from 'rejitter/fetch';
import { limiter, protect } from 'rejitter/protection';

/** The quota of all isolates together, in requests per second. */
const PER_SECOND = 50;

/** Decides for all isolates, one object per origin: starts are evenly spaced. */
export class Quota extends DurableObject {
  #nextAt = 0;

  /** Returns 0 if one more request may start, or after how many ms to ask again. */
  start(weight: number): number {
    const now = Date.now();
    if (now < this.#nextAt) return this.#nextAt - now;
    this.#nextAt = now + (weight * 1000) / PER_SECOND;
    return 0;
  }
}

declare global {
  namespace Cloudflare {
    interface Env {
      QUOTA: DurableObjectNamespace<Quota>;
    }
  }
}

const protection = protect(
  limiter({ limit: PER_SECOND, acquire: (origin = '', { weight }) => env.QUOTA.getByName(origin).start(weight) }),
);
const send = createFetch({ maxAttempts: Infinity, totalTimeoutMs: 120_000, protection });

export default { fetch: (request: Request) => send(request) };
