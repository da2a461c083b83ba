/** The strategy chooser: presets, two groups of radio buttons and the sliders. */
import { html } from '../charts/dom';
import { duration, share } from '../charts/format';
import { sliderField } from '../charts/slider';
import { PRESETS, sameStrategy } from '../state/presets';
import type { Store } from '../state/store';
import { BACKOFFS, JITTERS, capitalised, curveActs, type Strategy } from '../state/strategy';

type Setting = 'baseMs' | 'capMs' | 'factor' | 'truncateAt' | 'maxAttempts' | 'totalTimeoutMs';

interface StrategySlider {
  readonly setting: Setting;
  readonly label: string;
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
  /** Whether the setting has a place in this strategy; the slider is hidden otherwise. */
  readonly belongs?: (strategy: Strategy) => boolean;
}

/** Stops rather than a continuous range: the settings that people really choose, evenly apart. */
const SLIDERS: readonly StrategySlider[] = [
  {
    setting: 'baseMs',
    label: 'Base',
    stops: [10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000],
    text: duration,
  },
  {
    setting: 'factor',
    label: 'Factor',
    stops: [1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 10],
    text: (value) => `× ${Number(value.toPrecision(3))}`,
    belongs: ({ backoff }) => backoff !== 'truncated',
  },
  {
    setting: 'truncateAt',
    label: 'Truncate at wait',
    stops: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    text: String,
    belongs: ({ backoff }) => backoff === 'truncated',
  },
  {
    setting: 'capMs',
    label: 'Cap',
    stops: [100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 60_000],
    text: duration,
  },
  {
    setting: 'maxAttempts',
    label: 'Attempts at most',
    stops: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    text: String,
  },
  {
    setting: 'totalTimeoutMs',
    label: 'Deadline',
    stops: [500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000, Infinity],
    text: (value) => (value === Infinity ? 'none' : duration(value)),
  },
];

const FAILURE_RATES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

export function mountControls(root: HTMLElement, store: Store): void {
  const change = (part: Partial<Strategy>): void => store.set({ strategy: withChange(store.get().strategy, part) });
  const preset = presetSelect(root, (strategy) => store.set({ strategy }));
  const radios = [
    ...radioGroup(root, 'Backoff', 'backoff', BACKOFFS, (backoff) => change({ backoff })),
    ...radioGroup(root, 'Jitter', 'jitter', JITTERS, (jitter) => change({ jitter })),
  ];
  const note = html('p', { class: 'note' }, 'Decorrelated jitter draws each wait from the one before. The backoff and its factor do not act.');
  root.append(note);
  const sliders = SLIDERS.map(({ setting, label, stops, text, belongs }) => {
    const field = sliderField(root, { id: `set-${setting}`, label, stops, text }, (value) => change({ [setting]: value }));
    return ({ strategy }: { strategy: Strategy }): void => {
      const idle = (setting === 'factor' && strategy.backoff !== 'exponential') || (belongs !== undefined && !curveActs(strategy));
      field.show(strategy[setting], { hidden: belongs?.(strategy) === false, disabled: idle });
    };
  });
  const failure = { id: 'set-failureRate', label: 'An attempt fails', stops: FAILURE_RATES, text: share };
  const failureField = sliderField(root, failure, (failureRate) => store.set({ failureRate }));

  store.subscribe((state) => {
    const { strategy, failureRate } = state;
    for (const radio of radios) radio.checked = strategy[radio.name as 'backoff' | 'jitter'] === radio.value;
    note.hidden = curveActs(strategy);
    for (const show of sliders) show(state);
    failureField.show(failureRate);
    preset(strategy);
  });
}

/** Which preset these numbers are; "Your own" when they are none. */
function presetSelect(root: HTMLElement, choose: (strategy: Strategy) => void): (strategy: Strategy) => void {
  const own = html('option', { value: '' }, 'Your own');
  const select = html('select', { id: 'preset' }, own, ...PRESETS.map(({ label }) => html('option', { value: label }, label)));
  select.addEventListener('change', () => {
    const found = PRESETS.find(({ label }) => label === select.value);
    if (found) choose(found.strategy);
  });
  root.append(html('div', { class: 'field' }, html('label', { for: 'preset' }, 'Preset'), select));
  return (strategy) => {
    const found = PRESETS.find((preset) => sameStrategy(preset.strategy, strategy));
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

/** Base and cap push each other along: a cap below the base is refused by the package. */
function withChange(strategy: Strategy, part: Partial<Strategy>): Strategy {
  const next = { ...strategy, ...part };
  if (next.capMs >= next.baseMs) return next;
  if (part.baseMs !== undefined) return { ...next, capMs: stopFor('capMs', (stop) => stop >= next.baseMs) };
  return { ...next, baseMs: stopFor('baseMs', (stop) => stop <= next.capMs) };
}

/** The stop of a slider nearest to the limit that `fits` sets. */
function stopFor(setting: Setting, fits: (stop: number) => boolean): number {
  const stops = (SLIDERS.find((spec) => spec.setting === setting)?.stops ?? []).filter(fits);
  const stop = setting === 'capMs' ? stops[0] : stops.at(-1);
  if (stop === undefined) throw new Error(`no stop of ${setting} fits`);
  return stop;
}
