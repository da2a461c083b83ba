/** A slider over stops: the settings that people really choose, evenly apart. */
import { html } from './dom';

export interface SliderSpec {
  readonly id: string;
  readonly label: string;
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
}

export interface SliderField {
  /** A value between two stops is shown as it is, the thumb at the nearest stop. */
  show(value: number, state?: { readonly hidden?: boolean; readonly disabled?: boolean }): void;
}

export function sliderField(root: HTMLElement, { id, label, stops, text }: SliderSpec, change: (value: number) => void): SliderField {
  const last = stops.length - 1;
  const input = html('input', { type: 'range', id, min: 0, max: last, step: 1 });
  const output = html('output', { for: id });
  const box = html('div', { class: 'slider' }, html('label', { for: id }, label), output, input);
  input.addEventListener('input', () => {
    const value = stops[input.valueAsNumber];
    if (value !== undefined) change(value);
  });
  root.append(box);

  return {
    show(value, { hidden = false, disabled = false } = {}) {
      const stop = nearest(stops, value);
      box.hidden = hidden;
      input.valueAsNumber = stop;
      input.disabled = disabled;
      input.setAttribute('aria-valuetext', text(value));
      input.style.setProperty('--filled', `${(100 * stop) / last}%`);
      output.value = text(value);
    },
  };
}

function nearest(stops: readonly number[], value: number): number {
  const exact = stops.indexOf(value);
  if (exact >= 0) return exact;
  const above = stops.findIndex((stop) => stop > value);
  if (above <= 0) return above === 0 ? 0 : stops.length - 1;
  const [low = 0, high = 0] = [stops[above - 1], stops[above]];
  return value - low < high - value ? above - 1 : above;
}
