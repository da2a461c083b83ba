/** Every number: of the strategy, of the clients and of their server. */
import { byId, html } from '../charts/dom';
import { duration, rate, share, short } from '../charts/format';
import { sliderField } from '../charts/slider';
import { defaults } from '../state/page';
import { problemOf, type Herd } from '../state/state';
import type { Store } from '../state/store';
import { curveActs, refusalOf, truncationActs, type Strategy } from '../state/strategy';

interface StrategySlider {
  readonly setting: Exclude<keyof Strategy, 'backoff' | 'jitter' | 'capRule'>;
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
    stops: [0, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000],
    text: duration,
  },
  {
    setting: 'factor',
    label: 'Factor',
    stops: [1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 10],
    text: (value) => `× ${Number(value.toPrecision(6))}`,
    acts: (strategy) => strategy.backoff === 'exponential' && curveActs(strategy),
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
    setting: 'capMs',
    label: 'Cap',
    stops: [100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 60_000].concat(
      Infinity,
    ),
    text: orNone,
  },
  {
    setting: 'minMs',
    label: 'Minimum wait',
    stops: [0, 5, 10, 20, 50, 100, 200, 500, 1000],
    text: duration,
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

const HERD: readonly (readonly [
  name: keyof Herd,
  label: string,
  stops: readonly number[],
  text: (n: number) => string,
])[] = [
  ['clients', 'Clients', [10, 50, 100, 200, 500, 1000, 2000, 5000, 10_000], short],
  ['downMs', 'Outage', [0, 1000, 2000, 3000, 5000, 8000, 10_000, 15_000, 20_000, 30_000, 60_000], duration],
  ['capacityPerS', 'Server capacity', [20, 50, 80, 100, 120, 150, 200, 300, 500, 1000], rate],
  ['rejectionCost', 'Cost of a rejected call', [0, 0.01, 0.05, 0.1, 0.2, 1], share],
];

export function mountControls(root: HTMLElement, store: Store): void {
  const group = (legend: string): HTMLElement => {
    const box = html('fieldset', { class: 'fields' }, html('legend', {}, legend));
    root.append(box);
    return box;
  };
  const own = group('Strategy');
  for (const { setting, label, stops, text, acts } of SLIDERS) {
    const problem = (value: number): string | undefined => refusalOf({ ...store.get().strategy, [setting]: value });
    const field = sliderField(own, { id: `set-${setting}`, label, stops, text, problem }, (value) =>
      store.set({ strategy: withChange(store.get().strategy, { [setting]: value }) }),
    );
    store.subscribe(({ strategy }) => field.show(strategy[setting], { hidden: acts?.(strategy) === false }));
  }
  const around = group('Clients and server');
  for (const [name, label, stops, text] of HERD) {
    const problem = (value: number): string | undefined => problemOf(name, label, value);
    const field = sliderField(around, { id: `set-${name}`, label, stops, text, problem }, (value) =>
      store.set({ herd: { ...store.get().herd, [name]: value } }),
    );
    store.subscribe(({ herd }) => field.show(herd[name]));
  }
  byId('reset').addEventListener('click', () => store.set(defaults));
}

function orNone(ms: number): string {
  return ms === Infinity ? 'none' : duration(ms);
}

/** A slider takes the others along: the package disallows a cap below the base or the minimum. */
function withChange(strategy: Strategy, part: Partial<Strategy>): Strategy {
  const next = { ...strategy, ...part };
  if (part.capMs !== undefined)
    return { ...next, baseMs: Math.min(next.baseMs, next.capMs), minMs: Math.min(next.minMs, next.capMs) };
  return { ...next, capMs: Math.max(next.capMs, next.baseMs, next.minMs) };
}
