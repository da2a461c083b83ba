/** "What do you use today?": a package or a preset, its fate in the outage, and one change. */
import { html, place } from '../charts/dom';
import { channel } from '../compute/client';
import { outageInput } from '../compute/outage';
import { PRESETS, changed, type Changes } from '../state/presets';
import { store } from '../state/store';
import { policyOptions, sameStrategy, strategyInWords, strategyOf } from '../state/strategy';
import { callbackCall, fetchCall, optionsSource, program } from '../take-away/code';
import { copyButton, highlighted, prose } from '../take-away/text';
import type { ChangeResult } from './compute';
import { PACKAGES } from './packages';
import { inWords } from './words';
import '../take-away/styles.css';

/** What can be chosen: labels in groups, names in sentences. */
const ENTRIES = [
  ...PACKAGES.map((one) => ({
    ...{ group: 'Packages', label: one.name, name: `${one.name} ${one.version}`, notes: one.notes },
    strategy: strategyOf(changed(one)),
    code: codeOf(one, one.isClient),
  })),
  ...PRESETS.map(({ group, label, name, strategy }) => ({
    ...{ group, label, name: label, strategy, notes: [] },
    code: codeOf(name ? { preset: name, options: {} } : { options: { ...policyOptions(strategy) } }),
  })),
];

export function mountToday(root: HTMLElement): void {
  const options = [...Map.groupBy(ENTRIES.entries(), ([, { group }]) => group)].map(
    ([group, entries]) =>
      `<optgroup label="${group}">${entries.map(([i, { label }]) => `<option value="${i}">${label}</option>`).join('')}</optgroup>`,
  );
  type Parts = Record<'card' | 'finding' | 'scene' | 'result' | 'head' | 'heading' | 'code' | 'notes', HTMLElement>;
  const { card, menu, finding, scene, result, head, heading, code, notes } = place<Parts & { menu: HTMLSelectElement }>(
    root,
    `<div class="card today" aria-busy="false" data-as="card">
      <label class="today-menu">You use
        <select id="today" data-as="menu"><option value="">Choose …</option>${options.join('')}</select></label>
      <p class="today-finding" role="status" data-as="finding"></p>
      <a class="button" href="#main" data-as="scene">See it in the scene</a>
      <div class="today-code" data-as="result"><div class="code-head" data-as="head"><h3 data-as="heading"></h3></div>
        <pre class="scroll" tabindex="0" role="region" aria-label="The change as code"><code data-as="code"></code></pre></div>
      <ul class="today-notes" data-as="notes"></ul>
    </div>`,
  );
  head.append(copyButton(code));
  let entry: (typeof ENTRIES)[number] | undefined;

  const { order, cancel } = channel('simulations', 'change', show, (message) =>
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
      cancel();
      result.hidden = true;
      finding.textContent = `The scene shows ${strategyInWords(state.strategy)}.`;
    } else if (order(outageInput(state))) {
      card.setAttribute('aria-busy', 'true');
      finding.textContent = `${entry.name}: computing …`;
    }
  });
}

function codeOf(changes: Changes, isClient = false): string {
  return isClient
    ? program(`const fetch = createFetch(${optionsSource(changes)});`, fetchCall)
    : program(`const policy = new RetryPolicy(${optionsSource(changes)});`, callbackCall('policy.run'));
}
