/** Toggles of the parts that clients share, each beside the figure that it changes. */
import { html } from '../charts/dom';
import { joined, partsIn, PARTS, type Part } from '../state/state';
import type { Store } from '../state/store';

export function partToggles(store: Store, legend: string, parts: readonly Part[]): HTMLElement {
  const boxes = parts.map((part) => {
    const input = html('input', { type: 'checkbox', name: 'protection', value: part });
    input.addEventListener('change', () => {
      const chosen = partsIn(store.get().protection.parts);
      const isChosen = (one: Part): boolean => (one === part ? input.checked : chosen.includes(one));
      store.set({ protection: { parts: joined(PARTS.filter(isChosen)) } });
    });
    return input;
  });
  store.subscribe(({ protection }) => {
    const chosen = partsIn(protection.parts);
    for (const [i, part] of parts.entries()) if (boxes[i]) boxes[i].checked = chosen.includes(part);
  });
  const labels = parts.map((part, i) => html('label', { class: 'choice' }, boxes[i], html('span', {}, part)));
  return html('fieldset', {}, html('legend', {}, legend), html('div', { class: 'choice-grid' }, ...labels));
}
