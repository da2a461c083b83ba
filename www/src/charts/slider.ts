/** A slider over stops, the settings that people really choose, evenly apart; with its number, which can be typed. */
import { html } from './dom';

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
}

export function sliderField(root: HTMLElement, spec: SliderSpec, change: (value: number) => void): SliderField {
  const { id, label, stops, text } = spec;
  const last = stops.length - 1;
  const input = html('input', { type: 'range', id, min: 0, max: last, step: 1 });
  const error = html('p', { id: `${id}-error`, class: 'error', role: 'alert' });
  const number = html('input', {
    type: 'text',
    id: `${id}-number`,
    class: 'slider-number',
    inputmode: 'decimal',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': `${label}, as a number`,
    'aria-describedby': error.id,
  });
  const box = html('div', { class: 'slider' }, html('label', { for: id }, label), input, number, error);
  let shown = stops[0] ?? 0;
  error.hidden = true;
  root.append(box);

  input.addEventListener('input', () => {
    const value = stops[input.valueAsNumber];
    reject(undefined);
    if (value !== undefined) change(value);
  });
  number.addEventListener('focus', () => number.select());
  number.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') take();
    if (key === 'Escape') restore();
  });
  number.addEventListener('blur', take);

  function take(): void {
    if (number.value === text(shown)) return reject(undefined);
    const value = numberOf(number.value, unitOf(spec));
    const problem =
      value === undefined ? `${label} must be a number, got “${number.value.slice(0, 40)}”` : spec.problem(value);
    reject(problem);
    if (problem === undefined && value !== undefined) {
      if (value !== shown) change(value);
      write();
    }
  }

  function restore(): void {
    reject(undefined);
    write();
  }

  function reject(problem: string | undefined): void {
    error.hidden = problem === undefined;
    error.textContent = problem ?? '';
    if (problem === undefined) number.removeAttribute('aria-invalid');
    else number.setAttribute('aria-invalid', 'true');
  }

  function write(): void {
    number.value = text(shown);
    number.style.width = `calc(${number.value.length + 0.5}ch + 16px)`;
  }

  return {
    show(value, { hidden = false, disabled = false } = {}) {
      const stop = nearest(stops, value);
      const isNew = value !== shown;
      shown = value;
      box.hidden = hidden;
      input.valueAsNumber = stop;
      input.disabled = number.disabled = disabled;
      input.setAttribute('aria-valuetext', text(value));
      input.style.setProperty('--filled', `${(100 * stop) / last}%`);
      // The text being typed stays, unless another change replaces it.
      if (isNew || error.hidden) {
        reject(undefined);
        write();
      }
    },
  };
}

type Unit = 'ms' | 'share' | 'none';

/** Meaning of a number without a unit. */
function unitOf({ stops, text }: SliderSpec): Unit {
  const sample = text(stops.find((stop) => stop > 0 && stop !== Infinity) ?? 0);
  if (sample.includes('%')) return 'share';
  return /\d\u00a0?(ms|s|min|h)$/.test(sample) ? 'ms' : 'none';
}

const FACTORS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  days: 86_400_000,
};

/** `300`, `1.5 s`, `30%`, `10,000`, `2k`, `none`; undefined if it is not a number. */
function numberOf(typed: string, unit: Unit): number | undefined {
  const text = typed.replace(/[\s\u00a0,_×]/g, '').toLowerCase();
  if (/^(infinity|∞|none|unlimited|nolimit)$/.test(text)) return Infinity;
  const [, digits = '', suffix = ''] = /^(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(.*)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const value = Number(digits);
  if (unit === 'ms') return suffix === '' ? value : scaled(value, FACTORS[suffix]);
  // `5` is 5%, as it is shown.
  if (unit === 'share')
    return suffix === '' || suffix.startsWith('%') ? Number((value / 100).toPrecision(12)) : undefined;
  if (suffix === 'k' || suffix === 'k/s') return 1000 * value;
  return suffix === '' || suffix === '/s' ? value : undefined;
}

function scaled(value: number, factor: number | undefined): number | undefined {
  return factor === undefined ? undefined : Number((value * factor).toPrecision(12));
}

function nearest(stops: readonly number[], value: number): number {
  const exact = stops.indexOf(value);
  if (exact >= 0) return exact;
  const above = stops.findIndex((stop) => stop > value);
  if (above <= 0) return above === 0 ? 0 : stops.length - 1;
  const [low = 0, high = 0] = [stops[above - 1], stops[above]];
  return value - low < high - value ? above - 1 : above;
}
