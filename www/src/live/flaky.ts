/**
 * The flaky server of the live calls: a service worker. It answers `flaky/:id` under its scope by the rule of fate.mjs,
 * `flaky/stats` with the number of requests of a run, and leaves every other request alone. It is bundled into one file
 * without imports, so that it also runs where service workers cannot be modules.
 */
import { fate } from '../../demo/fate.mjs';
import { ATTEMPT, CLAIM, LATENCY_MS, RETRY_AFTER_S, SLOW_MS, requestName } from './protocol';

// The types of service workers exclude those of pages, which the rest of this folder needs.
interface WorkerEvent extends Event {
  readonly request: Request;
  readonly data: string;
  waitUntil(work: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}
const worker = self as unknown as {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: 'install' | 'activate' | 'fetch' | 'message', listener: (event: WorkerEvent) => void): void;
};

/** Requests of each run. */
const requests = new Map<string, number>();
/** Ends the answer of a request at once: browsers do not tell the worker that the page has given it up. */
const answering = new Map<string, () => void>();

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('message', (event) => {
  if (event.data === CLAIM) event.waitUntil(worker.clients.claim());
  else answering.get(event.data)?.();
});
worker.addEventListener('fetch', (event) => {
  const base = new URL('flaky/', worker.registration.scope).href;
  if (event.request.url.startsWith(base)) event.respondWith(answer(event.request));
});

async function answer({ url, headers }: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(url);
  const id = pathname.split('/').at(-1) ?? '';
  const run = searchParams.get('run') ?? '';
  const counted = requests.get(run) ?? 0;
  if (id === 'stats') return Response.json({ requests: counted });
  requests.set(run, counted + 1);
  const n = Number(headers.get(ATTEMPT) ?? 1);
  const seed = searchParams.get('seed') ?? '';
  const { kind, latencyMs } = fate({ seed, id, n, failure: 'mixed', failureRate: 0.6, latencyMs: LATENCY_MS });
  const name = requestName(url, n);
  await new Promise<void>((resolve) => {
    answering.set(name, resolve);
    setTimeout(resolve, kind === 'slow' ? SLOW_MS : latencyMs);
  });
  answering.delete(name);
  if (kind === 'dropped') return Response.error();
  const status = { unavailable: 503, limited: 429, ok: 200, slow: 200 }[kind];
  return Response.json({ id, n }, { status, headers: kind === 'limited' ? { 'Retry-After': `${RETRY_AFTER_S}` } : {} });
}
