/** Does one job after the other, in the order of the orders; a cancelled one ends, or never begins. */
import { JOBS, type Answer, type Job, type Order } from './jobs';

const cancelled = new Map<number, AbortController>();
let last: Promise<void> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  if ('cancel' in data) {
    cancelled.get(data.cancel)?.abort();
    return;
  }
  const controller = new AbortController();
  cancelled.set(data.id, controller);
  // A macrotask before each job, so that orders which came meanwhile can cancel it.
  last = last.then(macrotask).then(async () => {
    if (!controller.signal.aborted) await perform(data, controller.signal);
    cancelled.delete(data.id);
  });
});

async function perform({ id, name, input }: Exclude<Order, { cancel: number }>, signal: AbortSignal): Promise<void> {
  const send = (answer: Answer, transfer: Transferable[] = []): void => {
    if (!signal.aborted) postMessage(answer, { transfer });
  };
  try {
    const job = JOBS[name] as Job<unknown, unknown>;
    const result = await job(input, (partial) => send({ id, partial }), signal);
    // Only of what is final: a job may still read what it has reported.
    send({ id, result }, [...buffersIn(result)]);
  } catch (error) {
    send({ id, error: String(error) });
  }
}

/** The memory of all typed arrays in a result, each once. */
function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) buffersIn(part, found);
  return found;
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
