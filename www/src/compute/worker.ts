/**
 * Does the jobs of each lane one after the other. Long jobs pause often, and jobs of other lanes run in the pauses: a
 * long simulation does not keep the waits waiting. A cancelled job ends, or never starts.
 */
import { compiled } from 'virtual:lab';
import { JOBS, type Answer, type Job, type Order } from './jobs';
import { createPace } from './pace';

/** Why nothing can be simulated; undefined if it can. */
const problem = compiled.then(
  () => undefined,
  (error: unknown) => `The simulations did not load (${String(error)}). Reload the page.`,
);
const cancelled = new Map<number, AbortController>();
const SCENE_MS = 100;
/** The end of the last job in each lane. */
const lanes = new Map<string, Promise<void>>();

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  if ('cancel' in data) {
    cancelled.get(data.cancel)?.abort();
    return;
  }
  const controller = new AbortController();
  cancelled.set(data.id, controller);
  const before = lanes.get(data.lane) ?? Promise.resolve();
  // The scene answers within a tenth of a second, or the others go on beside it.
  const scene = data.lane === 'scene' ? undefined : Promise.race([lanes.get('scene'), macrotask(SCENE_MS)]);
  // A macrotask before each job, so that later orders can cancel it.
  const done = Promise.all([before, scene])
    .then(() => macrotask())
    .then(async () => {
      if (!controller.signal.aborted) await perform(data, controller.signal);
      cancelled.delete(data.id);
    });
  lanes.set(data.lane, done);
});

async function perform({ id, name, input }: Exclude<Order, { cancel: number }>, signal: AbortSignal): Promise<void> {
  const send = (answer: Answer): void => {
    if (!signal.aborted) postMessage(answer);
  };
  const error = await problem;
  if (error !== undefined) return send({ id, error });
  try {
    const job = JOBS[name] as Job<unknown, unknown>;
    send({ id, result: await job(input, createPace(signal), (partial) => send({ id, partial })) });
  } catch (error) {
    send({ id, error: String(error) });
  }
}

function macrotask(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
