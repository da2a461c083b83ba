/** The strategy chooser: presets, two groups of radio buttons and the numbers. */
import { html } from '../charts/dom';
import { duration, share } from '../charts/format';
import { sliderField } from '../charts/slider';
import { PRESETS, PRESET_GROUPS, sameStrategy } from '../state/presets';
import type { Store } from '../state/store';
import {
  ALL_BACKOFFS,
  CAP_RULES,
  FURTHER_JITTERS,
  INITIAL,
  JITTERS,
  capitalised,
  curveActs,
  jitterName,
  refusalOf,
  truncationActs,
  withChoice,
  type CapRule,
  type Jitter,
  type Strategy,
} from '../state/strategy';

type Setting =
  | 'baseMs'
  | 'capMs'
  | 'minMs'
  | 'factor'
  | 'stepMs'
  | 'truncateAt'
  | 'ratio'
  | 'spreadMs'
  | 'maxAttempts'
  | 'totalTimeoutMs';

interface StrategySlider {
  readonly setting: Setting;
  readonly label: string;
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
  /** Whether the setting acts in this strategy; the slider is hidden otherwise. */
  readonly acts?: (strategy: Strategy) => boolean;
}

/** The settings that people really choose, evenly apart. Any other number can be typed. */
const SLIDERS: readonly StrategySlider[] = [
  {
    setting: 'baseMs',
    label: 'Base',
    stops: [10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000],
    text: duration,
    acts: (strategy) => strategy.backoff !== 'list' || !curveActs(strategy),
  },
  {
    setting: 'factor',
    label: 'Factor',
    stops: [1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 10],
    text: (value) => `× ${Number(value.toPrecision(6))}`,
    acts: (strategy) => strategy.backoff === 'exponential' && curveActs(strategy),
  },
  {
    setting: 'stepMs',
    label: 'Step',
    stops: [0, 10, 20, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000],
    text: duration,
    acts: (strategy) => strategy.backoff === 'linear' && curveActs(strategy),
  },
  {
    setting: 'truncateAt',
    label: 'Truncate at wait',
    stops: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    text: String,
    acts: truncationActs,
  },
  {
    setting: 'ratio',
    label: 'Ratio',
    stops: [0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1],
    text: share,
    acts: ({ jitter }) => jitter === 'proportional' || jitter === 'additiveRatio',
  },
  {
    setting: 'spreadMs',
    label: 'Adds at most',
    stops: [10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
    text: duration,
    acts: ({ jitter }) => jitter === 'additiveMax',
  },
  {
    setting: 'capMs',
    label: 'Cap',
    stops: [100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 60_000].concat(
      Infinity,
    ),
    text: orNone,
  },
  {
    setting: 'maxAttempts',
    label: 'Attempts at most',
    stops: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, Infinity],
    text: (value) => (value === Infinity ? 'unlimited' : String(value)),
  },
  {
    setting: 'totalTimeoutMs',
    label: 'Deadline',
    stops: [500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000, Infinity],
    text: orNone,
  },
];
const MINIMUM: StrategySlider = {
  setting: 'minMs',
  label: 'Minimum wait',
  stops: [0, 5, 10, 20, 50, 100, 200, 500, 1000],
  text: duration,
};

const CAP_RULE_NAMES: Readonly<Record<CapRule, string>> = {
  bound: 'every wait, jitter included',
  ceiling: 'the backoff, jitter may exceed it',
  draw: 'the drawn wait, by clipping it',
};

export function mountControls(root: HTMLElement, store: Store): void {
  const change = (part: Partial<Strategy>): void => store.set({ strategy: withChange(store.get().strategy, part) });
  const preset = presetSelect(root, (strategy) => store.set({ strategy }));
  const radios = [
    ...radioGroup(root, 'Backoff', 'backoff', ALL_BACKOFFS, (backoff) => change({ backoff })),
    ...radioGroup(root, 'Jitter', 'jitter', JITTERS, (jitter) => change({ jitter })),
  ];
  const more = moreJitters(root, (jitter) => change({ jitter }));
  const note = html('p', { class: 'note' });
  root.append(note);
  const list = listField(root, store, (values) => change({ list: values }));
  const show = SLIDERS.map((slider) => settingField(root, store, slider, change));
  const details = limitsField(root, store, change);

  store.subscribe((state) => {
    const { strategy } = state;
    for (const radio of radios) radio.checked = strategy[radio.name as 'backoff' | 'jitter'] === radio.value;
    more(strategy);
    note.hidden = curveActs(strategy);
    note.textContent = `${capitalised(jitterName(strategy))} jitter replaces the backoff, which has no effect here.`;
    list(strategy);
    for (const field of [...show, details]) field(strategy);
    preset(strategy);
  });
}

type Show = (strategy: Strategy) => void;

/** The preset with these numbers, or "Your own". */
function presetSelect(root: HTMLElement, choose: (strategy: Strategy) => void): Show {
  const own = html('option', { value: '' }, 'Your own');
  const groups = PRESET_GROUPS.map((group) =>
    html(
      'optgroup',
      { label: group },
      ...PRESETS.filter((preset) => preset.group === group).map(({ label }) => html('option', { value: label }, label)),
    ),
  );
  const select = html('select', { id: 'preset' }, own, ...groups);
  select.addEventListener('change', () => {
    const found = PRESETS.find(({ label }) => label === select.value);
    if (found) choose(found.strategy);
  });
  root.append(html('div', { class: 'field' }, html('label', { for: 'preset' }, 'Preset'), select));
  return (strategy) => {
    const same = PRESETS.filter((preset) => sameStrategy(preset.strategy, strategy));
    // Two systems can have the same settings: then it is the one that was chosen.
    const found = same.find(({ label }) => label === select.value) ?? same[0];
    own.hidden = found !== undefined;
    select.value = found?.label ?? '';
  };
}

function radioGroup<V extends string>(
  root: HTMLElement,
  legend: string,
  name: string,
  values: readonly V[],
  change: (value: V) => void,
): HTMLInputElement[] {
  const inputs: HTMLInputElement[] = [];
  const grid = html('div', { class: 'choice-grid' });
  for (const value of values) {
    const input = html('input', { type: 'radio', name, value });
    input.addEventListener('change', () => change(value));
    inputs.push(input);
    const dot = name === 'jitter' ? html('i', { class: 'dot', 'data-jitter': value }) : null;
    grid.append(html('label', { class: 'choice' }, input, html('span', {}, dot, capitalised(value))));
  }
  root.append(html('fieldset', {}, html('legend', {}, legend), grid));
  return inputs;
}

/** The jitters beyond the four; the radio buttons above are the others. */
function moreJitters(root: HTMLElement, choose: (jitter: Jitter) => void): Show {
  const none = html('option', { value: '' }, 'More jitters …');
  const options = FURTHER_JITTERS.map((jitter) =>
    html('option', { value: jitter }, capitalised(jitterName({ backoff: 'exponential', jitter }))),
  );
  const select = html('select', { id: 'more-jitters', 'aria-label': 'More jitters' }, none, ...options);
  select.addEventListener('change', () => {
    const jitter = FURTHER_JITTERS.find((one) => one === select.value);
    if (jitter) choose(jitter);
  });
  root.append(html('div', { class: 'field more-jitters' }, select));
  return ({ jitter }) => {
    const isFurther = FURTHER_JITTERS.includes(jitter);
    select.value = isFurther ? jitter : '';
    select.classList.toggle('is-chosen', isFurther);
  };
}

function settingField(
  root: HTMLElement,
  store: Store,
  { setting, label, stops, text, acts }: StrategySlider,
  change: (part: Partial<Strategy>) => void,
): Show {
  // A step that equals the base goes on following it.
  const part = (value: number): Partial<Strategy> =>
    setting === 'stepMs' && value === store.get().strategy.baseMs ? { stepMs: 'base' } : { [setting]: value };
  const problem = (value: number): string | undefined => refusalOf({ ...store.get().strategy, ...part(value) });
  const field = sliderField(root, { id: `set-${setting}`, label, stops, text, problem }, (value) =>
    change(part(value)),
  );
  return (strategy) => {
    const value = strategy[setting];
    field.show(value === 'base' ? strategy.baseMs : value, { hidden: acts?.(strategy) === false });
  };
}

/** The waits of a list, typed. */
function listField(root: HTMLElement, store: Store, change: (list: readonly number[]) => void): Show {
  const error = html('p', { class: 'error', id: 'set-list-error', role: 'alert' });
  const input = html('input', {
    type: 'text',
    id: 'set-list',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': error.id,
  });
  const box = html(
    'div',
    { class: 'field' },
    html('label', { for: input.id }, 'Waits in ms, the last repeats'),
    input,
    error,
  );
  error.hidden = true;
  input.addEventListener('change', () => {
    const list = input.value
      .split(/[\s,;]+/)
      .filter((part) => part !== '')
      .map(Number);
    const problem = refusalOf({ ...store.get().strategy, list });
    error.hidden = problem === undefined;
    error.textContent = problem ?? '';
    if (problem === undefined) change(list);
  });
  root.append(box);
  return (strategy) => {
    box.hidden = strategy.backoff !== 'list' || !curveActs(strategy);
    if (error.hidden) input.value = strategy.list.join(', ');
  };
}

/** Limits that few change, open when they are not the defaults. */
function limitsField(root: HTMLElement, store: Store, change: (part: Partial<Strategy>) => void): Show {
  const box = html('div');
  const details = html('details', { class: 'more' }, html('summary', {}, 'More limits'), box);
  const minimum = settingField(box, store, MINIMUM, change);
  const select = html(
    'select',
    { id: 'set-capRule' },
    ...CAP_RULES.map((rule) => html('option', { value: rule }, CAP_RULE_NAMES[rule])),
  );
  select.addEventListener('change', () => {
    const capRule = CAP_RULES.find((rule) => rule === select.value);
    if (capRule) change({ capRule });
  });
  box.append(html('div', { class: 'field' }, html('label', { for: select.id }, 'The cap limits'), select));
  root.append(details);
  return (strategy) => {
    minimum(strategy);
    select.value = strategy.capRule;
    if (strategy.minMs !== INITIAL.minMs || strategy.capRule !== INITIAL.capRule) details.open = true;
  };
}

function orNone(ms: number): string {
  return ms === Infinity ? 'none' : duration(ms);
}

/** A slider takes the others along: the package disallows a cap below the base or the minimum. */
function withChange(strategy: Strategy, part: Partial<Strategy>): Strategy {
  const next = { ...withChoice(strategy, { ...strategy, ...part }), ...part };
  if (part.capMs !== undefined)
    return { ...next, baseMs: Math.min(next.baseMs, next.capMs), minMs: Math.min(next.minMs, next.capMs) };
  return { ...next, capMs: Math.max(next.capMs, next.baseMs, next.minMs) };
}
