/** Runs at build time, in Node: the default hero and grid, drawn by the code that draws them in the browser. */
import { byId } from './charts/dom';
import { createComputer } from './compute/client';
import { JOBS, type Job, type Order } from './compute/jobs';
import { mountDelays } from './sections/delays';
import { mountHero } from './sections/hero';
import { store } from './state/page';

/** Draws into the document; resolves when all that was ordered is drawn. */
export async function drawFirst(): Promise<void> {
  let last: Promise<void> = Promise.resolve();
  /** The jobs of the worker, without one. */
  class Inline extends EventTarget {
    postMessage(order: Order): void {
      if ('cancel' in order) return;
      const job = JOBS[order.name] as Job<unknown, unknown>;
      last = last.then(async () => {
        const result = await job(order.input, () => {}, new AbortController().signal);
        this.dispatchEvent(new MessageEvent('message', { data: { id: order.id, result } }));
      });
    }
  }
  Object.assign(globalThis, { Worker: Inline });
  mountHero(byId('hero-body'), store, createComputer('simulations'));
  mountDelays(byId('delays-body'), store, createComputer('waits'));
  for (let seen: typeof last | undefined; seen !== last; ) {
    seen = last;
    await seen;
    // Drawing may wait for a width.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
