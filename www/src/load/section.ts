/** Load with new requests all the time: what a budget and a breaker, which all clients share, do to it. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, share, short } from '../charts/format';
import { onNear } from '../charts/near';
import { sliderField } from '../charts/slider';
import type { Computer } from '../compute/client';
import { follow, settingsOf } from '../shell/follow';
import { partToggles } from '../shell/toggles';
import { partsIn, type State } from '../state/state';
import type { Store } from '../state/store';
import { DEMANDS, type Shared } from './compute';
import { load } from './figure';
import { recovery } from './recovery';

export function mountLoad(root: HTMLElement, store: Store, computer: Computer): void {
  const sub = html('p', { class: 'sub' });
  const controls = html(
    'div',
    { class: 'herd-controls protection-controls' },
    partToggles(store, 'All clients share', ['budget', 'breaker']),
  );
  root.append(sub, controls);
  const demand = sliderField(
    controls,
    { id: 'demand', label: 'New requests', stops: DEMANDS, text: (value) => `${share(value)} of the capacity` },
    (value) => store.set({ herd: { ...store.get().herd, demand: value } }),
  );
  store.subscribe(({ herd }) => {
    demand.show(herd.demand);
    sub.textContent =
      `${short(herd.demand * herd.capacityPerS)} new requests a second reach a server that can handle ` +
      `${short(herd.capacityPerS)}. Then it stops for ${duration(herd.downMs)}. Backoff only moves a retry to a later ` +
      'second, and that second has new requests too.';
  });
  const chosen = mountFigure(root, recovery);
  const all = mountFigure(root, load);
  const both = {
    onNear: (changed: (near: boolean) => void): void => onNear(root, changed),
    busy(): void {
      chosen.busy();
      all.busy();
    },
    fail(message: string): void {
      chosen.fail(message);
      all.fail(message);
    },
  };
  follow(both, store, computer, 'load', settingsOf, (result, state, whole) => {
    const run = result.runs.find(({ shared }) => shared === sharedIn(state));
    if (!run) return;
    chosen.show({ ...result, run });
    if (whole) all.show({ ...result, run });
  });
}

/** The row of the figures that has the chosen parts. */
function sharedIn({ protection }: State): Shared {
  const parts = partsIn(protection.parts);
  const [budget, breaker] = [parts.includes('budget'), parts.includes('breaker')];
  return budget && breaker ? 'both' : budget ? 'budget' : breaker ? 'breaker' : 'none';
}
