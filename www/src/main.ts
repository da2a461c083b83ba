/** Puts the page together: one state, and the sections that follow it. */
import { version } from 'rejitter/package.json';
import { byId, html } from './charts/dom';
import { onNear } from './charts/near';
import { createComputer } from './compute/client';
import { mountHero } from './sections/hero';
import { mountControls } from './shell/controls';
import { mountHeader, mountHeadings } from './shell/header';
import { mountLinkNotice } from './shell/link-notice';
import { showOnly } from './shell/only';
import { mountTotals } from './shell/totals';
import { mountTheme } from './shell/theme';
import { store } from './state/page';
import { toQuery } from './state/permalink';
import { figureIn } from './state/store';
import './styles/base.css';
import './styles/room.css';
import './styles/controls.css';
import './styles/figures.css';
import './styles/readout.css';
import './styles/delays.css';
import './styles/herd.css';
import './styles/live.css';
import './styles/take-away.css';

// Two lanes of one worker, so that a long simulation does not keep the waits waiting.
const quick = createComputer('waits');
const slow = createComputer('simulations');

const mounts: readonly (() => void)[] = [
  () => mountHeader(store),
  () => mountLinkNotice(byId('main'), store),
  () => mountControls(byId('controls-form'), store),
  () => mountUnder('hero-body', (root) => mountHero(root, store, slow)),
  () =>
    mountWhenNear('story-body', async (root) => (await import('./story/story-section')).mountStory(root, store, slow)),
  () =>
    mountWhenNear('aws-body', async (root) =>
      (await import('./sections/contention')).mountContention(root, store, slow),
    ),
  () => mountTotals(store, quick),
  () =>
    mountWhenNear('delays-body', async () => {
      const { mountDelays } = await import('./sections/delays');
      mountUnder('delays-body', (root) => mountDelays(root, store, quick));
    }),
  () => mountWhenNear('herd-body', async (root) => (await import('./sections/herd')).mountHerd(root, store, slow)),
  () => mountWhenNear('cost-body', async (root) => (await import('./sections/cost')).mountCost(root, store, slow)),
  () =>
    mountWhenNear('budget-body', async (root) =>
      (await import('./sections/protection')).mountProtection(root, store, slow),
    ),
  () => mountWhenNear('code-body', async (root) => (await import('./take-away/code-section')).mountCode(root, store)),
  () =>
    mountWhenNear('linter-body', async (root) => (await import('./take-away/linter')).mountLinter(root, store, quick)),
  () => mountWhenNear('live-body', async (root) => (await import('./live/live-section')).mountLive(root, store)),
  () =>
    mountWhenNear('import-body', async (root) =>
      (await import('./take-away/import-section')).mountImport(root, store, quick),
    ),
  () => mountWhenNear('how-body', async (root) => (await import('./take-away/how')).mountHow(root, store)),
];

/** Sections that are not loaded so far, by the ids of their bodies. */
const later = new Map<string, () => Promise<void>>();

byId('version').textContent = version;
mountTheme();
mountHeadings();
const only = figureIn(location.search);
// At once: an embedded figure must not start as the whole page.
if (only) document.documentElement.dataset.only = only;
// The build has drawn the whole page with its first settings.
store.subscribe((state) => {
  if (only || toQuery(state) !== '') for (const drawn of document.querySelectorAll('.static')) drawn.remove();
});
// A task for each, so that none of them is long.
for (const mount of mounts) {
  mount();
  await new Promise((resolve) => setTimeout(resolve));
}
if (only) showOnly(only, await find(only));
document.documentElement.dataset.ready = '';
if (location.hash) void showTarget();
addEventListener('hashchange', () => void showTarget());

/**
 * Mounts a section over the picture that the build has drawn: that stays until the section shows as much.
 */
function mountUnder(id: string, mount: (root: HTMLElement) => void): void {
  const body = byId(id);
  const drawn = body.querySelector(':scope > .static');
  if (!drawn) return mount(body);
  const live = html('div');
  body.append(live);
  const pictures = drawn.querySelectorAll('svg').length;
  const observer = new MutationObserver(() => {
    if (live.querySelectorAll('svg').length < pictures && !live.querySelector('.error:not(:empty)')) return;
    observer.disconnect();
    drawn.remove();
    live.style.display = 'contents';
  });
  observer.observe(live, { childList: true, subtree: true });
  mount(live);
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
  const id = decodeURIComponent(location.hash.slice(1));
  if (id && !document.getElementById(id)) (await find(id))?.scrollIntoView();
}
