/** A slider over stops, the settings that people really choose, evenly apart; with its number, which can be typed. */
import { place } from './dom';

export interface SliderSpec {
  readonly id: string;
  readonly label: string;
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
  /** Why a typed number is invalid. */
  readonly problem: (value: number) => string | undefined;
}

export interface SliderField {
  /** A value between two stops is shown as it is, the thumb at the nearest stop. */
  show(value: number, state?: { readonly hidden?: boolean; readonly disabled?: boolean }): void;
  /** Puts the value back in the place of what was typed, with its error. */
  clear(): void;
}

type Parts = Record<'input' | 'number', HTMLInputElement> & Record<'box' | 'error', HTMLElement>;

export function sliderField(root: HTMLElement, spec: SliderSpec, change: (value: number) => void): SliderField {
  const { id, label, stops, text } = spec;
  const { box, input, number, error } = place<Parts>(
    root,
    `<div class="slider" data-as="box"><label for="${id}">${label}</label>
      <input type="range" id="${id}" min="0" max="${stops.length - 1}" step="1" data-as="input" />
      <input type="text" id="${id}-number" class="slider-number" inputmode="decimal" autocomplete="off"
        spellcheck="false" aria-label="${label}, as a number" aria-describedby="${id}-error" data-as="number" />
      <p id="${id}-error" class="error" role="alert" data-as="error" hidden></p>
    </div>`,
  );
  let shown = stops[0] ?? 0;

  input.addEventListener('input', () => {
    const value = stops[input.valueAsNumber];
    reject(undefined);
    if (value !== undefined) change(value);
  });
  number.addEventListener('focus', () => number.select());
  number.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') take();
    if (key === 'Escape') write();
  });
  number.addEventListener('blur', take);

  function take(): void {
    if (number.value === text(shown)) return reject(undefined);
    const value = numberOf(number.value, spec);
    const problem =
      value === undefined ? `${label} must be a number, got “${number.value.slice(0, 40)}”` : spec.problem(value);
    if (problem !== undefined || value === undefined) return reject(problem);
    if (value !== shown) change(value);
    write();
  }

  function reject(problem: string | undefined): void {
    error.hidden = problem === undefined;
    error.textContent = problem ?? '';
    number.setAttribute('aria-invalid', String(problem !== undefined));
  }

  function write(): void {
    reject(undefined);
    number.value = text(shown);
    number.style.width = `calc(${number.value.length + 0.5}ch + 16px)`;
  }

  return {
    show(value, { hidden = false, disabled = false } = {}) {
      const isNew = value !== shown;
      shown = value;
      box.hidden = hidden;
      input.valueAsNumber = nearest(stops, value);
      input.disabled = number.disabled = disabled;
      input.setAttribute('aria-valuetext', text(value));
      // The text being typed stays, unless another change replaces it.
      if (isNew || error.hidden) write();
    },
    clear: write,
  };
}

/** What a number is multiplied with, by its unit: times are in ms, and `5` is 5% where shares are shown. */
const FACTORS: Readonly<Record<string, number>> = {
  ...{ ms: 1, s: 1000, sec: 1000, min: 60_000, h: 3_600_000, d: 86_400_000, days: 86_400_000 },
  ...{ '%': 0.01, '%ofcapacity': 0.01, '%ofanswers': 0.01, '/s': 1, k: 1000, 'k/s': 1000 },
};

/** `300`, `1.5 s`, `30%`, `10,000`, `2k`, `none`; undefined if it is not a number. */
function numberOf(typed: string, { stops, text }: SliderSpec): number | undefined {
  const given = typed.replace(/[\s\u00a0,_×]/g, '').toLowerCase();
  if (/^(infinity|∞|none|unlimited|nolimit)$/.test(given)) return Infinity;
  const [, digits = '', suffix = ''] = /^(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(.*)$/.exec(given) ?? [];
  const isShare = text(stops[0] ?? 0).includes('%');
  const factor = suffix === '' ? (isShare ? 0.01 : 1) : FACTORS[suffix];
  return digits === '' || factor === undefined ? undefined : Number((Number(digits) * factor).toPrecision(12));
}

/** The index of the nearest stop; of two that are equally near, the upper one. */
function nearest(stops: readonly number[], value: number): number {
  const far = (stop = 0): number => (stop === value ? 0 : Math.abs(stop - value));
  return stops.reduce((best, stop, i) => (far(stop) <= far(stops[best]) ? i : best), 0);
}
