/** Paste the options of another library: see them translated, compared with the original, and drawn by all figures. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import type { BeforeAfter } from '../compute/before-after';
import type { Computer } from '../compute/client';
import { MOST_PASTED } from '../state/state';
import type { Store } from '../state/store';
import { beforeAfterFigure, summary } from './before-after';
import { copyButton } from './copy';
import { highlighted } from './highlight';
import { prose } from './prose';
import { SOURCES, exampleOf, translate, type Source, type Translation } from './import';

const FIRST: Source = 'p-retry';

/** Settings of another language, to be recognised by their names. */
const FOREIGN_EXAMPLES: readonly (readonly [name: string, text: string])[] = [
  [
    'Polly',
    'new ResiliencePipelineBuilder().AddRetry(new RetryStrategyOptions\n{\n    MaxRetryAttempts = 5,\n' +
      '    Delay = TimeSpan.FromSeconds(1),\n    BackoffType = DelayBackoffType.Exponential,\n' +
      '    UseJitter = true,\n});',
  ],
  [
    'tenacity',
    '@retry(\n    stop=stop_after_attempt(6),\n    wait=wait_random_exponential(multiplier=0.5, max=60),\n)\n' +
      'def fetch_orders(): …',
  ],
  [
    'Spring',
    '@Retryable(maxAttempts = 5,\n' +
      '    backoff = @Backoff(delay = 500, multiplier = 2, maxDelay = 10000, random = true))\n' +
      'public List<Order> orders() { … }',
  ],
];

export function mountImport(root: HTMLElement, store: Store, computer: Computer): void {
  const select = html(
    'select',
    { id: 'import-from' },
    html('option', { value: 'detect' }, 'Detect'),
    ...SOURCES.map((source) => html('option', { value: source }, source)),
  );
  const text = html('textarea', {
    id: 'import-text',
    rows: 9,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    maxlength: 20_000,
  });
  const all = [...SOURCES.map((source) => [source, exampleOf(source)] as const), ...FOREIGN_EXAMPLES];
  const examples = all.map(([name, example]) => {
    const button = html('button', { type: 'button', class: 'quiet' }, name);
    button.addEventListener('click', () => paste(example, 'detect'));
    return button;
  });
  const long = html('p', { class: 'note', role: 'status' });
  long.hidden = true;
  const form = html(
    'div',
    { class: 'import-form' },
    html(
      'div',
      { class: 'import-head' },
      html('label', { for: text.id }, 'Options, or the whole call'),
      html('label', {}, html('span', {}, 'Library'), select),
    ),
    text,
    html(
      'p',
      { class: 'import-examples', role: 'group', 'aria-label': 'Examples' },
      html('span', {}, 'Examples'),
      ...examples,
    ),
    long,
  );

  const from = html('h3');
  const looksLike = html('p', { class: 'import-looks' });
  const code = html('code');
  const draw = html('button', { type: 'button', class: 'primary' }, 'Draw it');
  const said = html('p', { class: 'note', role: 'status' });
  const error = html('p', { class: 'error', role: 'alert' });
  const choices = html('p', {
    class: 'import-examples import-choices',
    role: 'group',
    'aria-label': 'Libraries to choose from',
  });
  const notes = html('ul', { class: 'import-notes' });
  const drawing = html('div', { class: 'import-drawing' }, html('div', { class: 'buttons' }, draw, said));
  const translation = html(
    'div',
    {},
    html('div', { class: 'code-head' }, from, copyButton(code)),
    looksLike,
    html('pre', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The translation' }, code),
    html('h3', { class: 'minor' }, 'What to know'),
    notes,
  );
  form.append(drawing);
  root.append(
    html(
      'div',
      { class: 'card import-card' },
      form,
      html('div', { class: 'import-result' }, error, choices, translation),
    ),
  );

  const figure = mountFigure(root, beforeAfterFigure);
  let shown: Translation | undefined;
  let compared: BeforeAfter | undefined;
  const drawComparison = (): void => {
    if (shown && compared) figure.show({ ...compared, from: shown.from, strategy: shown.strategy });
  };
  const comparison = computer.channel(
    'beforeAfter',
    (result) => {
      compared = result;
      drawComparison();
    },
    (message) => figure.fail(message),
  );

  function show(): void {
    const answer = translate(text.value, select.value as Source | 'detect');
    const failed = 'error' in answer;
    shown = failed ? undefined : answer;
    translation.hidden = drawing.hidden = failed;
    error.hidden = choices.hidden = !failed;
    // A question is not an error.
    error.className = failed && answer.choices ? 'import-question' : 'error';
    error.replaceChildren(...(failed ? prose(answer.error) : []));
    choices.replaceChildren(...(failed ? (answer.choices ?? []) : []).map(choice));
    said.textContent = '';
    figure.card.hidden = failed || answer.undrawable !== undefined;
    if (failed) return;
    from.textContent = answer.looksLike === undefined ? `${answer.from} in rejitter` : answer.from;
    looksLike.hidden = answer.looksLike === undefined;
    looksLike.replaceChildren(...prose(answer.looksLike ?? ''));
    code.replaceChildren(highlighted(answer.code));
    notes.replaceChildren(
      ...(answer.notes.length > 0
        ? answer.notes
        : ['No differences are known: the same waits, the same attempts.']
      ).map((note) => html('li', {}, ...prose(note))),
    );
    draw.disabled = answer.undrawable !== undefined;
    if (answer.undrawable !== undefined) said.textContent = answer.undrawable;
    else if (comparison.order({ before: answer.before, after: answer.strategy, seed: store.get().seed })) figure.busy();
    // The same waits, perhaps of another library.
    else drawComparison();
  }

  function choice(source: Source): HTMLButtonElement {
    const button = html('button', { type: 'button', class: 'quiet' }, source);
    button.addEventListener('click', () => {
      paste(text.value, source);
      select.focus();
    });
    return button;
  }

  function paste(what: string, library: Source | 'detect'): void {
    text.value = what;
    select.value = library;
    keep();
    show();
  }

  /** Into the link, unless it is the first example or too long. */
  function keep(): void {
    const fits = text.value.length <= MOST_PASTED;
    long.hidden = fits;
    long.textContent = fits
      ? ''
      : `The link holds at most ${MOST_PASTED.toLocaleString('en-US')} characters, so it leaves this text out.`;
    const isFirst = text.value === exampleOf(FIRST) && select.value === 'detect';
    store.set({ pasted: isFirst || !fits ? { text: '', from: 'detect' } : { text: text.value, from: select.value } });
  }

  select.addEventListener('change', () => {
    // An example of one library says nothing about another.
    const untouched = all.some(([, example]) => example === text.value);
    if (untouched && select.value !== 'detect') text.value = exampleOf(select.value as Source);
    keep();
    show();
  });
  text.addEventListener('input', () => {
    keep();
    show();
  });
  draw.addEventListener('click', () => {
    if (!shown) return;
    store.set({ strategy: shown.strategy });
    said.textContent = `Drawn above: ${summary(shown.strategy)}.`;
  });
  store.subscribe(({ strategy, pasted, seed }, before) => {
    // Once the controls have changed the strategy, it is no longer the drawn one.
    if (before && strategy !== before.strategy && strategy !== shown?.strategy) said.textContent = '';
    // At the start, and when the history goes back to another text.
    const linked = pasted.text === '' ? exampleOf(FIRST) : pasted.text;
    const library = (SOURCES as readonly string[]).includes(pasted.from) ? pasted.from : 'detect';
    const moved = before !== undefined && pasted !== before.pasted && pasted.text !== '' && text.value !== linked;
    if (before === undefined || moved) {
      text.value = linked;
      select.value = library;
      show();
    } else if (seed !== before.seed) show();
  });
}
