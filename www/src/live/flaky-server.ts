/** The page's side of the flaky server: starts the service worker, and asks for its count. */
import workerUrl from './flaky?worker&url';
import { CLAIM } from './protocol';

/** Why there is no flaky server, as a sentence for the reader. */
export class NoFlakyServer extends Error {
  constructor(reason: string) {
    super(`The flaky server is a service worker, and ${reason}.`);
  }
}

/** Limit for taking the page over, which takes milliseconds where it works at all. */
const CLAIMED_WITHIN_MS = 10_000;

/** Resolves once `flaky/…` is answered by the worker, also on the very first visit. */
export async function startFlakyServer(): Promise<void> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (!container) throw new NoFlakyServer('this browser has none here: it needs https and no private window');
  // Built, it is one plain script in the folder of the page.
  const type = import.meta.env.DEV ? 'module' : 'classic';
  const registration = await container.register(workerUrl, { scope: './', type }).catch((error: unknown) => {
    throw new NoFlakyServer(`this browser did not start it (${String(error)})`);
  });
  // Without a network the worker of last time does.
  await registration.update().catch(() => undefined);
  await activated(registration);
  if (container.controller) return;
  // Active, but not for this page: so it is after a reload that skipped the worker.
  const controlled = new Promise<void>((resolve, reject) => {
    container.addEventListener('controllerchange', () => resolve(), { once: true });
    const refuse = () => reject(new NoFlakyServer('it did not take this page over. Reload the page'));
    setTimeout(refuse, CLAIMED_WITHIN_MS);
  });
  registration.active?.postMessage(CLAIM);
  await controlled;
}

/** Waits for the newest worker of the registration, so that none takes over in the midst of a run. */
function activated(registration: ServiceWorkerRegistration): Promise<void> {
  const newest = registration.installing ?? registration.waiting ?? registration.active;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (newest?.state === 'activated') resolve();
      else if (newest?.state === 'redundant') reject(new NoFlakyServer('it did not start'));
    };
    newest?.addEventListener('statechange', look);
    look();
  });
}

/** Where calls to the flaky server go. */
export function flakyUrl(path: string, query: Readonly<Record<string, string>>): string {
  return new URL(`flaky/${path}?${new URLSearchParams(query)}`, document.baseURI).href;
}

/** How many requests of a run the server has counted. */
export async function countOf(run: string): Promise<number> {
  const { requests } = (await (await fetch(flakyUrl('stats', { run }))).json()) as { requests: number };
  return requests;
}
