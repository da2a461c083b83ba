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
