/** Controls of the state: sliders of its numbers, and switches of what clients share. */
import { byId, html } from '../charts/dom';
import { sliderField, type SliderField } from '../charts/slider';
import { PARTS, SETTINGS, joined, partsIn, type Part, type SettingName, type State } from '../state/state';
import { store } from '../state/store';
import { OPTIONS, OPTION_NAMES, refusalOf, type OptionName, type Strategy } from '../state/strategy';

/** Every number: of the strategy, of the clients and of their server. */
export function mountControls(root: HTMLElement): void {
  const group = (legend: string): HTMLElement => {
    const box = html('fieldset', { class: 'fields' }, html('legend', {}, legend));
    root.append(box);
    return box;
  };
  const own = group('Strategy');
  const fields: SliderField[] = [];
  for (const name of OPTION_NAMES) {
    const changed = (value: number): Strategy => withChange(store.get().strategy, name, value);
    const problem = (value: number): string | undefined => refusalOf(changed(value));
    const field = sliderField(own, { id: `set-${name}`, ...OPTIONS[name], problem }, (value) =>
      store.set({ strategy: changed(value) }),
    );
    fields.push(field);
    const { acts } = OPTIONS[name];
    store.subscribe(({ strategy }) => field.show(strategy[name], { hidden: acts?.(strategy) === false }));
  }
  const around = group('Clients and server');
  for (const name of ['clients', 'downMs', 'capacityPerS', 'rejectionCost'] as const)
    fields.push(settingSlider(around, name));
  byId('reset').addEventListener('click', () => {
    store.set(store.defaults);
    // Also where no value changes: what was typed, and its error, are no value.
    for (const field of fields) field.clear();
  });
}

/** A slider takes the others along: the package disallows a cap below the base or the minimum. */
function withChange(strategy: Strategy, name: OptionName, value: number): Strategy {
  const next = { ...strategy, [name]: value };
  if (name !== 'capMs') return { ...next, capMs: Math.max(next.capMs, next.baseMs, next.minMs) };
  return { ...next, baseMs: Math.min(next.baseMs, next.capMs), minMs: Math.min(next.minMs, next.capMs) };
}

export function settingSlider(
  root: HTMLElement,
  name: SettingName,
  isDisabled?: (state: State) => boolean,
): SliderField {
  const { label = name, stops = [], text = String, rule, holds } = SETTINGS[name];
  const problem = (value: number): string | undefined =>
    holds(value) ? undefined : `${label} must be ${rule}, got ${value}`;
  const field = sliderField(root, { id: `set-${name}`, label, stops, text, problem }, (value) =>
    store.set({ [name]: value }),
  );
  store.subscribe((state) => field.show(state[name] as number, { disabled: isDisabled?.(state) ?? false }));
  return field;
}

/** Switches of parts of the protection, or of the retries, beside the figure that they change. */
export function switches(legend: string, names: readonly (Part | 'retry')[]): HTMLElement {
  const fields = names.map((name) => {
    const input = html('input', { type: 'checkbox', role: 'switch', name });
    input.addEventListener('change', () => {
      if (name === 'retry') return store.set({ retries: input.checked ? 'on' : 'off' });
      const chosen = partsIn(store.get().protection);
      const isChosen = (part: Part): boolean => (part === name ? input.checked : chosen.includes(part));
      store.set({ protection: joined(PARTS.filter(isChosen)) });
    });
    store.subscribe((state) => {
      input.checked = name === 'retry' ? state.retries === 'on' : partsIn(state.protection).includes(name);
    });
    return html('label', { class: 'switch' }, input, html('span', {}, name));
  });
  return html('fieldset', { class: 'switches' }, html('legend', {}, legend), ...fields);
}
