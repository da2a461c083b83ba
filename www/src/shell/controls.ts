/** The strategy chooser: two groups of radio buttons and five sliders. */
import { html } from './dom';
import { duration } from './format';
import { BACKOFFS, JITTERS, capitalised, curveActs, type Strategy } from './strategy';

type Setting = 'baseMs' | 'capMs' | 'factor' | 'truncateAt' | 'maxAttempts';

interface SliderSpec {
  readonly setting: Setting;
  readonly label: string;
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
  /** Whether the setting has a place in this strategy; the slider is hidden otherwise. */
  readonly belongs?: (strategy: Strategy) => boolean;
}

/** Stops rather than a continuous range: the settings that people really choose, evenly apart. */
const SLIDERS: readonly SliderSpec[] = [
  {
    setting: 'baseMs',
    label: 'Base',
    stops: [10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000],
    text: duration,
  },
  {
    setting: 'capMs',
    label: 'Cap',
    stops: [100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 60_000],
    text: duration,
  },
  {
    setting: 'factor',
    label: 'Factor',
    stops: [1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 10],
    text: (value) => `× ${value}`,
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
    setting: 'maxAttempts',
    label: 'Attempts at most',
    stops: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    text: String,
  },
];

export interface Controls {
  /** Makes the controls show this strategy. */
  show(strategy: Strategy): void;
}

export function mountControls(root: HTMLElement, change: (part: Partial<Strategy>) => void): Controls {
  const radios = [
    ...radioGroup(root, 'Backoff', 'backoff', BACKOFFS, (backoff) => change({ backoff })),
    ...radioGroup(root, 'Jitter', 'jitter', JITTERS, (jitter) => change({ jitter })),
  ];
  const note = html('p', { class: 'note', id: 'curve-note' }, 'Decorrelated jitter draws each wait from the one before. The backoff and its factor do not act.');
  root.append(note);
  const sliders = SLIDERS.map((spec) => slider(root, spec, change));

  return {
    show(strategy) {
      for (const radio of radios) radio.checked = strategy[radio.name as 'backoff' | 'jitter'] === radio.value;
      note.hidden = curveActs(strategy);
      for (const show of sliders) show(strategy);
    },
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

function slider(root: HTMLElement, spec: SliderSpec, change: (part: Partial<Strategy>) => void): (strategy: Strategy) => void {
  const id = `set-${spec.setting}`;
  const last = spec.stops.length - 1;
  const input = html('input', { type: 'range', id, min: 0, max: last, step: 1 });
  const output = html('output', { for: id });
  const box = html('div', { class: 'slider' }, html('label', { for: id }, spec.label), output, input);
  input.addEventListener('input', () => {
    const value = spec.stops[input.valueAsNumber];
    if (value !== undefined) change({ [spec.setting]: value });
  });
  root.append(box);

  return (strategy) => {
    const value = strategy[spec.setting];
    const text = spec.text(value);
    const stop = spec.stops.indexOf(value);
    box.hidden = spec.belongs?.(strategy) === false;
    input.valueAsNumber = stop;
    input.disabled = (spec.setting === 'factor' && strategy.backoff !== 'exponential') || (spec.belongs !== undefined && !curveActs(strategy));
    input.setAttribute('aria-valuetext', text);
    input.style.setProperty('--filled', `${(100 * stop) / last}%`);
    output.value = text;
  };
}

/** Base and cap push each other along: a cap below the base is refused by the package. */
export function withChange(strategy: Strategy, part: Partial<Strategy>): Strategy {
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
