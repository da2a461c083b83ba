/** Puts the page together: one state, and the sections that follow it. */
import { version } from 'rejitter/package.json';
import { byId, html } from './charts/dom';
import { onNear } from './charts/near';
import { createComputer } from './compute/client';
import { mountDelays } from './sections/delays';
import { mountHerd } from './sections/herd';
import { mountHero } from './sections/hero';
import { mountControls } from './shell/controls';
import { mountHeader } from './shell/header';
import { mountLinkNotice } from './shell/link-notice';
import { mountTheme } from './shell/theme';
import { store } from './state/page';
import { mountCode } from './take-away/code-section';
import { mountLinter } from './take-away/linter';
import './styles/base.css';
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
  () => mountHero(byId('hero-body'), store, slow),
  () => mountWhenNear('story-body', async (root) => (await import('./story/story-section')).mountStory(root, store, slow)),
  () => mountWhenNear('aws-body', async (root) => (await import('./sections/contention')).mountContention(root, store, slow)),
  () => mountDelays(byId('delays-body'), store, quick),
  () => mountHerd(byId('herd-body'), store, slow),
  () => mountWhenNear('cost-body', async (root) => (await import('./sections/cost')).mountCost(root, store, slow)),
  () => mountWhenNear('budget-body', async (root) => (await import('./sections/budget')).mountBudget(root, store, slow)),
  () => mountCode(byId('code-body'), store),
  () => mountLinter(byId('linter-body'), store, quick),
  () => mountWhenNear('live-body', async (root) => (await import('./live/live-section')).mountLive(root, store)),
  () => mountWhenNear('import-body', async (root) => (await import('./take-away/import-section')).mountImport(root, store)),
  () => mountWhenNear('how-body', async (root) => (await import('./take-away/how')).mountHow(root, store)),
];

byId('version').textContent = version;
mountTheme();
// A task for each, so that none of them is long.
for (const mount of mounts) {
  mount();
  await new Promise((resolve) => setTimeout(resolve));
}
// Until now only the title and the strips were shown: sections that grow would have pushed each other down the screen.
document.documentElement.dataset.ready = '';

/** What few readers come to is loaded when they do. */
function mountWhenNear(id: string, mount: (root: HTMLElement) => Promise<void>): void {
  let begun = false;
  onNear(byId(id), (near) => {
    if (!near || begun) return;
    begun = true;
    mount(byId(id)).catch((error: unknown) => byId(id).replaceChildren(html('p', { class: 'error' }, `This section did not load (${String(error)}). Reload the page.`)));
  });
}
