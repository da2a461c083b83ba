/** The common part of all pages: one state, and sections that follow it. */
import { version } from 'rejitter/package.json';
import { byId, html } from '../charts/dom';
import { onNear } from '../charts/near';
import { createComputer, type Computer } from '../compute/client';
import { store } from '../state/page';
import { figureIn, type Store } from '../state/store';
import { mountHeader } from './header';
import { mountLinkNotice } from './link-notice';
import { idIn, movedTo } from './moved';
import { showOnly } from './only';
import { mountTheme } from './theme';
import '../styles/base.css';
import '../styles/room.css';
import '../styles/controls.css';
import '../styles/figures.css';
import '../styles/readout.css';
import '../waits/styles.css';
import '../herd/styles.css';
import '../styles/marks.css';

export interface Lanes {
  readonly store: Store;
  /** Two lanes of one worker, so that a long simulation does not keep the waits waiting. */
  readonly quick: Computer;
  readonly slow: Computer;
}

/** A section by the id of its body: mounted at once, or loaded when it comes near. */
export type Section = readonly [id: string, mount: (root: HTMLElement, lanes: Lanes) => unknown, when?: 'now'];

/** Sections that are not loaded so far, by the ids of their bodies. */
const later = new Map<string, () => Promise<void>>();

export async function boot(sections: readonly Section[]): Promise<void> {
  // A link of the time of one page.
  const moved = movedTo(location);
  if (moved !== undefined) return location.replace(moved);
  if (typeof WebAssembly === 'undefined') return explainMissingWasm();
  const lanes: Lanes = { store, quick: createComputer('waits'), slow: createComputer('simulations') };
  byId('version').textContent = version;
  mountTheme();
  const only = figureIn(location.search);
  // At once: an embedded figure must not start as the whole page.
  if (only) document.documentElement.dataset.only = only;
  mountHeader(store);
  mountLinkNotice(byId('main'), store);
  for (const [id, mount, when] of sections) {
    if (when) await mount(byId(id), lanes);
    else mountWhenNear(id, async (root) => void (await mount(root, lanes)));
    // A task for each, so that none of them is long.
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (only) showOnly(only, await find(only));
  document.documentElement.dataset.ready = '';
  if (location.hash) void showTarget();
  addEventListener('hashchange', () => void showTarget());
}

/** Shows the page as without JavaScript: the picture of the build, and no control that does nothing. */
function explainMissingWasm(): void {
  document.head.insertAdjacentHTML('beforeend', document.querySelector('head > noscript')?.textContent ?? '');
  const words =
    'This browser has no WebAssembly, which computes the figures. A picture on this page was drawn when it was built.';
  document.querySelector('h1')?.after(html('p', { class: 'notice' }, words));
  document.documentElement.dataset.ready = '';
}

/** Sections that few readers reach are loaded when they do. */
function mountWhenNear(id: string, mount: (root: HTMLElement) => Promise<void>): void {
  const body = byId(id);
  const load = (): Promise<void> => {
    if (!later.delete(id)) return Promise.resolve();
    return mount(body).catch((error: unknown) =>
      body.replaceChildren(
        html('p', { class: 'error' }, `This section did not load (${String(error)}). Reload the page.`),
      ),
    );
  };
  later.set(id, load);
  onNear(body, (near) => near && void load());
}

/** A figure, also of a section that is not loaded so far: then all sections before it are. */
async function find(id: string): Promise<HTMLElement | null> {
  const found = (): HTMLElement | null =>
    document.querySelector(`[data-figure="${CSS.escape(id)}"]`) ?? document.getElementById(id);
  for (const load of [...later.values()]) {
    if (found()) break;
    await load();
  }
  return found();
}

/** Links may lead to figures that the browser could not find when the page was loaded. */
async function showTarget(): Promise<void> {
  const id = idIn(location.hash);
  if (id && !document.getElementById(id)) (await find(id))?.scrollIntoView();
}
