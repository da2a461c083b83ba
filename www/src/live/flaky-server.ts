/** The page's side of the flaky server: starts the service worker, and asks for its count. */
import workerUrl from './flaky?worker&url';
import { CLAIM } from './protocol';

/** Why there is no flaky server, for the reader. */
const none = (reason: string): Error => new Error(`the flaky server is a service worker, and ${reason}.`);

/** Limit for taking the page over, which takes milliseconds where it works at all. */
const CLAIMED_WITHIN_MS = 10_000;

/** Resolves once `flaky/…` is answered by the worker, also on the very first visit. */
export async function startFlakyServer(): Promise<void> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) throw none('this browser has none here: it needs https and no private window');
  // Built, it is one plain script in the folder of the page.
  const type = import.meta.env.DEV ? 'module' : 'classic';
  const registration = await container.register(workerUrl, { scope: './', type }).catch((error: unknown) => {
    throw none(`this browser did not start it (${String(error)})`);
  });
  // Without a network the worker of last time does.
  await registration.update().catch(() => undefined);
  await activated(registration);
  if (container.controller) return;
  // Active, but not for this page: so it is after a reload that skipped the worker.
  registration.active?.postMessage(CLAIM);
  await new Promise<void>((resolve, reject) => {
    container.addEventListener('controllerchange', () => resolve(), { once: true });
    setTimeout(() => reject(none('it did not take this page over. Reload the page')), CLAIMED_WITHIN_MS);
  });
}

/** Waits for the newest worker of the registration, so that none takes over in the midst of a run. */
async function activated({ installing, waiting, active }: ServiceWorkerRegistration): Promise<void> {
  const newest = installing ?? waiting ?? active;
  while (newest && newest.state !== 'activated') {
    if (newest.state === 'redundant') throw none('it did not start');
    await new Promise((resolve) => newest.addEventListener('statechange', resolve, { once: true }));
  }
}

/** Where calls to the flaky server go. */
export function flakyUrl(path: string, query: Readonly<Record<string, string>>): string {
  return new URL(`flaky/${path}?${new URLSearchParams(query)}`, document.baseURI).href;
}

/** How many requests of a run the server has counted. */
export async function countOf(run: string): Promise<number> {
  return ((await (await fetch(flakyUrl('stats', { run }))).json()) as { requests: number }).requests;
}
