/** Paste the options of another library: see them translated, and drawn by all figures. */
import { html } from '../charts/dom';
import { duration, plural } from '../charts/format';
import type { Store } from '../state/store';
import { title, type Strategy } from '../state/strategy';
import { copyButton } from './copy';
import { highlighted } from './highlight';
import { prose } from './prose';
import { SOURCES, exampleOf, translate, type Source } from './import';

const FIRST: Source = 'p-retry';

export function mountImport(root: HTMLElement, store: Store): void {
  const select = html(
    'select',
    { id: 'import-from' },
    html('option', { value: 'detect' }, 'Detect'),
    ...SOURCES.map((source) => html('option', { value: source }, source)),
  );
  const text = html('textarea', { id: 'import-text', rows: 9, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', maxlength: 20_000 });
  const examples = SOURCES.map((source) => {
    const button = html('button', { type: 'button', class: 'quiet' }, source);
    button.addEventListener('click', () => {
      select.value = 'detect';
      text.value = exampleOf(source);
      show();
    });
    return button;
  });
  const form = html(
    'div',
    { class: 'import-form' },
    html('div', { class: 'import-head' }, html('label', { for: text.id }, 'Options, or the whole call'), html('label', {}, html('span', {}, 'Library'), select)),
    text,
    html('p', { class: 'import-examples', role: 'group', 'aria-label': 'Examples' }, html('span', {}, 'Examples'), ...examples),
  );

  const from = html('h3');
  const code = html('code');
  const draw = html('button', { type: 'button', class: 'primary' }, 'Draw it');
  const said = html('p', { class: 'note', role: 'status' });
  const error = html('p', { class: 'error', role: 'alert' });
  const notes = html('ul', { class: 'import-notes' });
  const drawn = html('ul', { class: 'import-notes' });
  const drawnHeading = html('h3', { class: 'minor' }, 'In the figures');
  const drawing = html('div', { class: 'import-drawing' }, drawnHeading, drawn, html('div', { class: 'buttons' }, draw, said));
  const translation = html(
    'div',
    {},
    html('div', { class: 'code-head' }, from, copyButton(code)),
    html('pre', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The translation' }, code),
    html('h3', { class: 'minor' }, 'What is not the same'),
    notes,
  );
  form.append(drawing);

  let strategy: Strategy | undefined;

  function show(): void {
    const answer = translate(text.value, select.value as Source | 'detect');
    const failed = 'error' in answer;
    strategy = failed ? undefined : answer.strategy;
    translation.hidden = drawing.hidden = failed;
    error.hidden = !failed;
    error.textContent = failed ? answer.error : '';
    said.textContent = '';
    if (failed) return;
    from.textContent = `${answer.from} in rejitter`;
    code.replaceChildren(highlighted(answer.code));
    notes.replaceChildren(...items(answer.notes.length > 0 ? answer.notes : ['Nothing that is known here: the waits and attempts are these.']));
    drawn.replaceChildren(...items(answer.drawn.length > 0 ? answer.drawn : ['Exactly these waits.']));
  }

  select.addEventListener('change', () => {
    // An example of one library says nothing about another.
    const untouched = SOURCES.some((source) => exampleOf(source) === text.value);
    if (untouched && select.value !== 'detect') text.value = exampleOf(select.value as Source);
    show();
  });
  text.addEventListener('input', show);
  draw.addEventListener('click', () => {
    if (!strategy) return;
    store.set({ strategy });
    said.textContent = `Drawn above: ${summary(strategy)}.`;
  });
  store.subscribe((state) => {
    // Once the controls have changed it, it is no longer what is drawn.
    if (state.strategy !== strategy) said.textContent = '';
  });

  root.append(html('div', { class: 'card import-card' }, form, html('div', { class: 'import-result' }, error, translation)));
  text.value = exampleOf(FIRST);
  show();
}

function items(texts: readonly string[]): HTMLLIElement[] {
  return texts.map((text) => html('li', {}, ...prose(text)));
}

function summary(strategy: Strategy): string {
  return `${title(strategy)}, ${duration(strategy.baseMs)} to ${duration(strategy.capMs)}, ${plural(strategy.maxAttempts, 'attempt')}`;
}
