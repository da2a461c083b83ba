/** "What do you use today?": a preset, a package or pasted options, its fate in the outage, and one change. */
import { html } from '../charts/dom';
import type { ChangeResult } from './compute';
import type { Computer } from '../compute/client';
import { sceneInput } from '../scene/compute';
import { PRESETS, PRESET_GROUPS, sameStrategy, type Preset } from '../state/presets';
import { MOST_PASTED } from '../state/state';
import type { Store } from '../state/store';
import { policyOptions, type Strategy } from '../state/strategy';
import { strategyInWords } from '../state/words';
import { copyButton } from '../take-away/copy';
import { highlighted } from '../take-away/highlight';
import { prose } from '../take-away/prose';
import { PACKAGE_NAMES, packageOf, type PackageName } from './packages';
import { codeOf, translate } from './translate';
import { inWords } from './words';
import '../take-away/styles.css';
import './styles.css';

const PASTE = 'Paste yours';

export function mountToday(root: HTMLElement, store: Store, computer: Computer): void {
  const option = (value: string, text: string): HTMLOptionElement => html('option', { value }, text);
  const none = option('', 'Choose …');
  const menu = html(
    'select',
    { id: 'today' },
    none,
    html(
      'optgroup',
      { label: 'Packages' },
      ...PACKAGE_NAMES.map((name) => option(name, name)),
      option(PASTE, `${PASTE} …`),
    ),
    ...PRESET_GROUPS.map((label) =>
      html(
        'optgroup',
        { label },
        ...PRESETS.filter(({ group }) => group === label).map(({ label: name }) => option(`preset ${name}`, name)),
      ),
    ),
  );
  const text = html('textarea', {
    id: 'today-text',
    rows: 6,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    'aria-label': 'Options, or the whole call',
  });
  const choices = html('p', { class: 'today-choices', role: 'group', 'aria-label': 'Packages to choose from' });
  const finding = html('p', { class: 'today-finding', role: 'status' });
  const code = html('code');
  const heading = html('h3');
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
    text,
    choices,
    finding,
    scene,
    result,
    notes,
  );
  root.append(card);
  let name = '';
  let source: PackageName | 'detect' = 'detect';
  let own = '';
  let before: Strategy | undefined;

  const channel = computer.channel('change', show, (message) =>
    finding.replaceChildren(html('span', { class: 'error' }, message)),
  );

  function show({ input, now, changed }: ChangeResult): void {
    finding.textContent = inWords(name, input.herd.clients, now, changed);
    heading.textContent = changed ? 'The change' : `${name} in rejitter`;
    code.replaceChildren(highlighted(changed ? codeOf({ options: { ...policyOptions(changed.strategy) } }) : own));
    result.hidden = false;
    card.setAttribute('aria-busy', 'false');
  }

  /** A preset without its strategy, which the store has or gets. */
  function open({ label, name: known, strategy }: Preset): void {
    [menu.value, text.hidden, choices.hidden] = [`preset ${label}`, true, true];
    notes.replaceChildren();
    [name, before] = [label, strategy];
    own = codeOf(known ? { preset: known, options: {} } : { options: { ...policyOptions(strategy) } });
  }

  function refuse(words: string, among: readonly PackageName[] = []): void {
    channel.cancel();
    before = undefined;
    finding.replaceChildren(...prose(words));
    scene.hidden = result.hidden = true;
    notes.replaceChildren();
    choices.hidden = among.length === 0;
    choices.replaceChildren(
      ...among.map((one) => {
        const button = html('button', { type: 'button', class: 'quiet' }, one);
        button.addEventListener('click', () => paste(text.value, one));
        return button;
      }),
    );
  }

  /** Into the link, unless it is too long for one. */
  function paste(what: string, from: PackageName | 'detect'): void {
    source = from;
    store.set({ pasted: what.length <= MOST_PASTED ? { text: what, from } : { text: '', from: 'detect' } });
    const found = translate(what, from);
    if ('error' in found) return refuse(found.error, found.choices);
    choices.hidden = true;
    notes.replaceChildren(...found.notes.map((note) => html('li', {}, ...prose(note))));
    [name, own, before] = [found.from, found.code, found.strategy];
    store.set({ strategy: before });
  }

  menu.addEventListener('change', () => {
    const preset = presetIn(menu.value);
    if (preset) {
      open(preset);
      return store.set({ strategy: preset.strategy, pasted: { text: '', from: menu.value } });
    }
    text.hidden = menu.value === '';
    if (menu.value === '') return;
    const known = PACKAGE_NAMES.find((one) => one === menu.value);
    text.value = known ? packageOf(known).example : '';
    if (!known) text.focus();
    paste(text.value, known ?? 'detect');
  });
  text.addEventListener('input', () => paste(text.value, menu.value === PASTE ? 'detect' : source));

  store.subscribe((state, last) => {
    // At the start, and when the history goes back to another text.
    const { pasted } = state;
    if (pasted.text !== '' && text.value !== pasted.text && (!last || pasted !== last.pasted)) {
      const known = PACKAGE_NAMES.find((one) => one === pasted.from);
      [menu.value, text.value, text.hidden] = [known ?? PASTE, pasted.text, false];
      return paste(pasted.text, known ?? 'detect');
    }
    const preset = presetIn(pasted.from);
    if (preset && pasted !== last?.pasted && sameStrategy(preset.strategy, state.strategy)) open(preset);
    // Another strategy, chosen elsewhere: what stands here is no longer in the scene.
    if (before && !sameStrategy(before, state.strategy)) {
      before = undefined;
      menu.value = '';
    }
    scene.hidden = before === undefined;
    if (!before) {
      if (text.hidden || !last) closed(strategyInWords(state));
      return;
    }
    const input = sceneInput({ ...state, scene: { ...state.scene, retry: 'policy' } });
    if (!channel.order(input)) return;
    card.setAttribute('aria-busy', 'true');
    finding.textContent = `${name}: computing …`;
  });

  function closed(words: string): void {
    if (menu.value === PASTE) return;
    finding.textContent = `The page shows ${words}.`;
    text.hidden = choices.hidden = result.hidden = true;
    notes.replaceChildren();
  }
}

/** The preset that the menu and the link name. */
function presetIn(value: string): Preset | undefined {
  return PRESETS.find(({ label }) => `preset ${label}` === value);
}
