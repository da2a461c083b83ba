/**
 * The flaky server of the live calls: a service worker. It answers `flaky/…` under its scope by the
 * rule of fate.mjs, and leaves every other request alone.
 *
 *   flaky/:id     answers or fails; `run`, `seed`, `failure` and `rate` in the query say how
 *   flaky/stats   what it counted for `run`, as JSON
 *
 * It is bundled into one file without imports, so that it also runs where service workers cannot
 * be modules.
 */
import { FAILURES, fate, type Kind } from '../../demo/fate.mjs';
import { ATTEMPT, LATENCY_MS, RETRY_AFTER_S, SLOW_MS, requestName, type FlakyStats, type Message } from './protocol';

// The types of service workers exclude those of pages, which the rest of this folder needs.
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Worker {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(name: 'message', listener: (event: ExtendableEvent & { readonly data: Message }) => void): void;
}
const worker = self as unknown as Worker;

const KEPT_RUNS = 20;

/** Counts of this instance of the worker: a browser may end it and start another. */
const instance = crypto.randomUUID();
const newRun = () => ({
  counts: new Map<string, number>(),
  keys: new Set<string>(),
  requests: 0,
  stopped: 0,
  underWay: 0,
  mostAtOnce: 0,
});
const runs = new Map<string, ReturnType<typeof newRun>>();
/** Ends the answer of a request at once. */
const underWay = new Map<string, () => void>();

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('message', (event) => {
  if (event.data === 'claim') event.waitUntil(worker.clients.claim());
  else if (event.data !== 'stay') underWay.get(event.data.stop)?.();
});
worker.addEventListener('fetch', (event) => {
  const base = new URL('flaky/', worker.registration.scope).href;
  if (!event.request.url.startsWith(base)) return;
  const url = new URL(event.request.url);
  const id = url.pathname.slice(new URL(base).pathname.length);
  const counted = stats(url.searchParams.get('run') ?? '');
  event.respondWith(id === 'stats' ? Promise.resolve(counted) : answer(id, url.searchParams, event.request));
});

async function answer(id: string, query: URLSearchParams, { headers }: Request): Promise<Response> {
  const name = query.get('run') ?? '';
  const run = runOf(name);
  // The count is the worker's own, unless it was ended in between and restarted its count.
  const n = Math.max((run.counts.get(id) ?? 0) + 1, Number(headers.get(ATTEMPT) ?? 1));
  run.counts.set(id, n);
  run.requests++;
  run.mostAtOnce = Math.max(run.mostAtOnce, ++run.underWay);
  const key = headers.get('idempotency-key');
  if (key !== null) run.keys.add(key);
  const met = fate({
    seed: query.get('seed') ?? '',
    id,
    n,
    failure: FAILURES.find((known) => known === query.get('failure')) ?? 'mixed',
    failureRate: Number(query.get('rate')),
    latencyMs: LATENCY_MS,
  });
  if (!(await sleep(met.kind === 'slow' ? SLOW_MS : met.latencyMs, requestName(name, id, n)))) run.stopped++;
  run.underWay--;
  return response(met.kind, { id, n });
}

function response(kind: Kind, counts: object): Response {
  if (kind === 'dropped') return Response.error();
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  if (kind === 'unavailable') return Response.json({ error: 'unavailable', ...counts }, { status: 503 });
  if (kind === 'limited') return Response.json({ error: 'too many requests', ...counts }, { status: 429, headers });
  return Response.json(counts);
}

/** Whether the whole time has passed: it ends early when the page has stopped waiting for `request`. */
function sleep(ms: number, request: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (whole: boolean): void => {
      clearTimeout(timer);
      underWay.delete(request);
      resolve(whole);
    };
    const timer = setTimeout(end, ms, true);
    underWay.set(request, () => end(false));
  });
}

function runOf(name: string): ReturnType<typeof newRun> {
  const run = runs.get(name) ?? newRun();
  runs.set(name, run);
  const [oldest] = runs.keys();
  if (runs.size > KEPT_RUNS && oldest !== undefined) runs.delete(oldest);
  return run;
}

function stats(name: string): Response {
  const { requests, keys, stopped, mostAtOnce } = runs.get(name) ?? newRun();
  return Response.json({ instance, requests, keys: keys.size, stopped, mostAtOnce } satisfies FlakyStats);
}
