/** The chosen strategy to be copied: as a program, or as the configuration of an engine. */
import { html } from '../charts/dom';
import { CODES, ENGINES, PROGRAMS, type Code, type Engine } from '../state/state';
import type { Store } from '../state/store';
import { partsOf, programs } from './code';
import { copyButton } from './copy';
import { engineName, engineText } from './engines';
import { highlighted } from './highlight';
import { prose } from './prose';
import './styles.css';

const PROGRAM_NAMES: Readonly<Record<(typeof PROGRAMS)[number], string>> = {
  fetch: 'A fetch that retries',
  call: 'Any asynchronous call',
  delays: 'The delays only',
};

const isEngine = (code: Code): code is Engine => ENGINES.some((engine) => engine === code);

export function mountCode(root: HTMLElement, store: Store): void {
  const group = (label: string, codes: readonly Code[]): HTMLElement =>
    html(
      'optgroup',
      { label },
      ...codes.map((value) => html('option', { value }, isEngine(value) ? engineName(value) : PROGRAM_NAMES[value])),
    );
  const choice = html(
    'select',
    { id: 'code', 'aria-label': 'Code for' },
    group('In your code', PROGRAMS),
    group('In an engine', ENGINES),
  );
  choice.addEventListener('change', () => store.set({ code: CODES[choice.selectedIndex] ?? 'fetch' }));
  const code = html('code');
  const pre = html('pre', { class: 'scroll', role: 'region', 'aria-label': 'The chosen strategy', tabindex: 0 }, code);
  const place = html('p');
  const losses = html('ul');
  const said = html('div', { class: 'said' }, place, losses);
  root.append(
    html('div', { class: 'card code-card' }, html('div', { class: 'code-head' }, choice, copyButton(code)), pre, said),
  );

  function draw(): void {
    const state = store.get();
    choice.value = state.code;
    said.hidden = !isEngine(state.code);
    if (!isEngine(state.code))
      return code.replaceChildren(highlighted(programs(state.strategy, partsOf(state))[state.code]));
    const exported = engineText(state.code, state);
    code.replaceChildren(highlighted(exported.text));
    place.replaceChildren(...prose(exported.place));
    losses.replaceChildren(...exported.losses.map((loss) => html('li', {}, ...prose(loss))));
  }
  draw();
  store.subscribe((state, before) => {
    const parts = ['strategy', 'protection', 'hedging', 'code'] as const;
    if (before && parts.some((part) => state[part] !== before[part])) draw();
  });
}
