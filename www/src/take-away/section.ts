/** The programs of the chosen strategy in tabs, to be copied. */
import { html } from '../charts/dom';
import type { Store } from '../state/store';
import { TABS, partsOf, programs, type Tab } from './code';
import { copyButton } from './copy';
import { highlighted } from './highlight';

/** Where each key moves from tab i, of n. */
const MOVES: Readonly<Record<string, (i: number, n: number) => number>> = {
  ArrowRight: (i, n) => (i + 1) % n,
  ArrowLeft: (i, n) => (i + n - 1) % n,
  Home: () => 0,
  End: (_, n) => n - 1,
};

export function mountCode(root: HTMLElement, store: Store): void {
  let shown: Tab = TABS[0];
  const code = html('code');
  const pre = html('pre', { class: 'scroll', id: 'code-panel', role: 'tabpanel', tabindex: 0 }, code);
  const tabs = TABS.map((tab, i) => {
    const button = html('button', { type: 'button', role: 'tab', id: `code-tab-${i}`, 'aria-controls': pre.id }, tab);
    button.addEventListener('click', () => show(tab));
    return button;
  });
  const list = html('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Code of the chosen strategy' }, ...tabs);
  list.addEventListener('keydown', (event) => {
    const next = MOVES[event.key]?.(TABS.indexOf(shown), TABS.length);
    const tab = next === undefined ? undefined : TABS[next];
    if (tab === undefined) return;
    event.preventDefault();
    show(tab);
    tabs[TABS.indexOf(tab)]?.focus();
  });

  function show(tab: Tab): void {
    shown = tab;
    for (const [i, button] of tabs.entries()) {
      const chosen = TABS[i] === tab;
      button.setAttribute('aria-selected', String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      if (chosen) pre.setAttribute('aria-labelledby', button.id);
    }
    draw();
  }

  function draw(): void {
    const state = store.get();
    code.replaceChildren(highlighted(programs(state.strategy, partsOf(state))[shown]));
  }

  root.append(
    html('div', { class: 'card code-card' }, html('div', { class: 'code-head' }, list, copyButton(code)), pre),
  );
  show(shown);
  store.subscribe((state, before) => {
    if (before && (['strategy', 'protection', 'hedging'] as const).some((part) => state[part] !== before[part])) draw();
  });
}
