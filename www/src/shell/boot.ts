/** The common part of all pages: one state, and sections that follow it. */
import { version } from 'rejitter/package.json';
import { byId, html, onNear } from '../charts/dom';
import { mountHeader } from './header';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/figures.css';

/** A section by the id of its body: mounted at once, or loaded when it comes near. */
export type Section = readonly [id: string, mount: (root: HTMLElement) => unknown, when?: 'now'];

/** Sections that are not loaded so far, by the ids of their bodies. */
const later = new Map<string, () => Promise<void>>();

export async function boot(sections: readonly Section[]): Promise<void> {
  const reason = refusal();
  if (reason !== undefined) return explain(reason);
  byId('version').textContent = version;
  mountHeader();
  const mounted: unknown[] = [];
  for (const [id, mount, when] of sections) {
    if (when) mounted.push(mount(byId(id)));
    else mountWhenNear(byId(id), mount);
    // A task for each, so that none of them is long.
    await new Promise((resolve) => setTimeout(resolve));
  }
  await Promise.all(mounted);
  document.documentElement.dataset.ready = '';
  if (location.hash) void showTarget();
  addEventListener('hashchange', () => void showTarget());
}

/** Why nothing can be computed here; undefined if it can. */
function refusal(): string | undefined {
  if (typeof WebAssembly === 'undefined') return 'This browser has no WebAssembly';
  try {
    // The smallest module. A policy of the site around this page may allow none.
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    return undefined;
  } catch (error) {
    return `WebAssembly is not allowed here (${String(error)})`;
  }
}

/** Shows the page as without JavaScript: what the build has drawn, and no control that does nothing. */
function explain(reason: string): void {
  document.head.insertAdjacentHTML('beforeend', document.querySelector('head > noscript')?.textContent ?? '');
  const words = document.getElementById('scene-body')
    ? `${reason}, and it computes the figures. The picture was drawn when this page was built; the delay distributions, the verdict, the live requests and the code are missing.`
    : `${reason}, and it computes the figures of this page, which are missing.`;
  document.querySelector('h1')?.after(html('p', { class: 'notice' }, words));
  document.documentElement.dataset.ready = '';
}

/** Sections that few readers reach are loaded when they do. */
function mountWhenNear(body: HTMLElement, mount: Section[1]): void {
  const load = async (): Promise<void> => {
    if (!later.delete(body.id)) return;
    try {
      await mount(body);
    } catch (error) {
      const text = `This section did not load (${String(error)}). Reload the page.`;
      body.replaceChildren(html('p', { class: 'error' }, text));
    }
  };
  later.set(body.id, load);
  onNear(body, (near) => near && void load());
}

/** Links may lead to figures of sections that are not loaded so far: then all sections before it are. */
async function showTarget(): Promise<void> {
  const found = (): HTMLElement | null => document.getElementById(location.hash.slice(1));
  for (const load of [...later.values()]) {
    if (found()) break;
    await load();
  }
  found()?.scrollIntoView();
}
