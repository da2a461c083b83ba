/** The common part of all pages: one state, and sections that follow it. */
import { version } from 'rejitter/package.json';
import { byId, html } from '../charts/dom';
import { onNear } from '../charts/near';
import { createComputer, type Computer } from '../compute/client';
import { store } from '../state/page';
import type { Store } from '../state/store';
import { mountHeader } from './header';
import { mountLinkNotice } from './link-notice';
import { mountTheme } from './theme';
import '../styles/base.css';
import '../styles/room.css';
import '../styles/controls.css';
import '../styles/figures.css';
import '../styles/readout.css';
import '../styles/marks.css';

export interface Lanes {
  readonly store: Store;
  /** Lanes of one worker, so that a long simulation keeps neither the scene nor the waits waiting. */
  readonly scene: Computer;
  readonly quick: Computer;
  readonly slow: Computer;
}

/** A section by the id of its body: mounted at once, or loaded when it comes near. */
export type Section = readonly [id: string, mount: (root: HTMLElement, lanes: Lanes) => unknown, when?: 'now'];

/** Sections that are not loaded so far, by the ids of their bodies. */
const later = new Map<string, () => Promise<void>>();

export async function boot(sections: readonly Section[]): Promise<void> {
  const reason = refusal();
  if (reason !== undefined) return explain(reason);
  const [scene, quick, slow] = [createComputer('scene'), createComputer('waits'), createComputer('simulations')];
  const lanes: Lanes = { store, scene, quick, slow };
  byId('version').textContent = version;
  mountTheme();
  mountHeader(store);
  mountLinkNotice(byId('main'), store);
  for (const [id, mount, when] of sections) {
    if (when) await mount(byId(id), lanes);
    else mountWhenNear(id, async (root) => void (await mount(root, lanes)));
    // A task for each, so that none of them is long.
    await new Promise((resolve) => setTimeout(resolve));
  }
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

/** Links may lead to figures of sections that are not loaded so far: then all sections before it are. */
async function showTarget(): Promise<void> {
  const found = (): HTMLElement | null => document.getElementById(location.hash.slice(1));
  for (const load of [...later.values()]) {
    if (found()) break;
    await load();
  }
  found()?.scrollIntoView();
}
