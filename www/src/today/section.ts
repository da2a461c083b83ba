/** "What do you use today?": a package or a preset, its fate in the outage, and one change. */
import { html } from '../charts/dom';
import type { Computer } from '../compute/client';
import { outageInput } from '../compute/outage';
import { PRESETS, PRESET_GROUPS, changed, type Changes } from '../state/presets';
import type { Store } from '../state/store';
import { policyOptions, sameStrategy, strategyOf, type Strategy } from '../state/strategy';
import { strategyInWords } from '../state/words';
import { callbackCall, fetchCall, optionsSource, program } from '../take-away/code';
import { copyButton } from '../take-away/copy';
import { highlighted } from '../take-away/highlight';
import { prose } from '../take-away/prose';
import type { ChangeResult } from './compute';
import { PACKAGES } from './packages';
import { inWords } from './words';
import '../take-away/styles.css';
import './styles.css';

interface Entry {
  readonly group: string;
  readonly label: string;
  /** In sentences. */
  readonly name: string;
  readonly strategy: Strategy;
  readonly code: string;
  readonly notes: readonly string[];
}

const ENTRIES: readonly Entry[] = [
  ...PACKAGES.map((one) => ({
    group: 'Packages',
    label: one.name,
    name: `${one.name} ${one.version}`,
    strategy: strategyOf(changed(one)),
    code: codeOf(one, one.isClient),
    notes: one.notes,
  })),
  ...PRESETS.map(({ group, label, name, strategy }) => ({
    group,
    label,
    name: label,
    strategy,
    code: codeOf(name ? { preset: name, options: {} } : { options: { ...policyOptions(strategy) } }),
    notes: [],
  })),
];

export function mountToday(root: HTMLElement, store: Store, computer: Computer): void {
  const menu = html(
    'select',
    { id: 'today' },
    html('option', { value: '' }, 'Choose …'),
    ...['Packages', ...PRESET_GROUPS].map((label) =>
      html(
        'optgroup',
        { label },
        ...ENTRIES.flatMap((entry, i) =>
          entry.group === label ? html('option', { value: String(i) }, entry.label) : [],
        ),
      ),
    ),
  );
  const finding = html('p', { class: 'today-finding', role: 'status' });
  const heading = html('h3');
  const code = html('code');
  const pre = html('pre', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The change as code' }, code);
  const result = html(
    'div',
    { class: 'today-code' },
    html('div', { class: 'code-head' }, heading, copyButton(code)),
    pre,
  );
  const notes = html('ul', { class: 'today-notes' });
  const scene = html('a', { class: 'button', href: '#main' }, 'See it in the scene');
  const card = html(
    'div',
    { class: 'card today', 'aria-busy': 'false' },
    html('label', { class: 'today-menu', for: menu.id }, 'You use ', menu),
    finding,
    scene,
    result,
    notes,
  );
  root.append(card);
  let entry: Entry | undefined;

  const channel = computer.channel('change', show, (message) =>
    finding.replaceChildren(html('span', { class: 'error' }, message)),
  );

  function show({ input, now, changed: better }: ChangeResult): void {
    if (!entry) return;
    finding.textContent = inWords(entry.name, input.herd.clients, now, better);
    heading.textContent = better ? 'The change' : `${entry.name} in rejitter`;
    code.replaceChildren(highlighted(better ? codeOf({ options: { ...policyOptions(better.strategy) } }) : entry.code));
    notes.replaceChildren(...entry.notes.map((note) => html('li', {}, ...prose(note))));
    // What the code section prints anyway.
    result.hidden = !better && entry.notes.length === 0;
    card.setAttribute('aria-busy', 'false');
  }

  menu.addEventListener('change', () => {
    entry = ENTRIES[menu.value === '' ? -1 : Number(menu.value)];
    if (entry) store.set({ strategy: entry.strategy });
  });

  store.subscribe((state) => {
    // Of entries with the same settings, the one that was chosen. A scene of the steps is nobody's default.
    if (!entry || !sameStrategy(entry.strategy, state.strategy))
      entry = ENTRIES.find(({ strategy }) => sameStrategy(strategy, state.strategy));
    menu.value = entry ? String(ENTRIES.indexOf(entry)) : '';
    scene.hidden = notes.hidden = entry === undefined;
    if (!entry) {
      channel.cancel();
      result.hidden = true;
      finding.textContent = `The scene shows ${strategyInWords(state.strategy)}.`;
      return;
    }
    if (!channel.order(outageInput(state))) return;
    card.setAttribute('aria-busy', 'true');
    finding.textContent = `${entry.name}: computing …`;
  });
}

function codeOf(changes: Changes, isClient = false): string {
  return isClient
    ? program(`const fetch = createFetch(${optionsSource(changes)});`, fetchCall)
    : program(`const policy = new RetryPolicy(${optionsSource(changes)});`, callbackCall('policy.run'));
}
