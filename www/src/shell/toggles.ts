/** Switches: of the parts that clients share, each beside the figure that it changes. */
import { html } from '../charts/dom';
import { joined, partsIn, PARTS, type Part } from '../state/state';
import type { Store } from '../state/store';

export function switchField(name: string, change: (on: boolean) => void) {
  const input = html('input', { type: 'checkbox', role: 'switch', name });
  input.addEventListener('change', () => change(input.checked));
  return { input, label: html('label', { class: 'switch' }, input, html('i'), html('span', {}, name)) };
}

export function partToggles(
  store: Store,
  legend: string,
  parts: readonly Part[],
  before: readonly HTMLElement[] = [],
): HTMLElement {
  const fields = parts.map((part) =>
    switchField(part, (on) => {
      const { protection } = store.get();
      const chosen = partsIn(protection.parts);
      const isChosen = (one: Part): boolean => (one === part ? on : chosen.includes(one));
      store.set({ protection: { ...protection, parts: joined(PARTS.filter(isChosen)) } });
    }),
  );
  store.subscribe(({ protection }) => {
    const chosen = partsIn(protection.parts);
    for (const [i, part] of parts.entries()) if (fields[i]) fields[i].input.checked = chosen.includes(part);
  });
  const labels = fields.map(({ label }) => label);
  return html('fieldset', { class: 'switches' }, html('legend', {}, legend), ...before, ...labels);
}
