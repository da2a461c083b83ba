/** One hedge, and the tail that it leaves. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration } from '../charts/format';
import { sliderField } from '../charts/slider';
import type { Computer } from '../compute/client';
import { follow } from '../shell/follow';
import { partToggles } from '../shell/toggles';
import { partsIn, problemOf, type State } from '../state/state';
import type { Store } from '../state/store';
import { DELAYS } from './compute';
import { tailFigure } from './tail';

const isHedged = ({ protection }: State): boolean => partsIn(protection.parts).includes('hedge');

export function mountTail(root: HTMLElement, store: Store, computer: Computer): void {
  const controls = html('div', { class: 'fields' }, partToggles(store, 'A slow call starts a', ['hedge']));
  const label = 'A hedge starts after';
  const problem = (value: number): string | undefined => problemOf('hedgeMs', label, value);
  const spec = { id: 'hedge-delay', label, stops: DELAYS, text: duration, problem };
  const delay = sliderField(controls, spec, (delayMs) => store.set({ hedging: { delayMs } }));
  store.subscribe((state) => delay.show(state.hedging.delayMs, { disabled: !isHedged(state) }));
  const figure = mountFigure(root, tailFigure, controls);
  const inputOf = ({ hedging, seed }: State) => ({ delayMs: hedging.delayMs, seed });
  follow(figure, store, computer, 'tail', inputOf, (result, state) =>
    figure.show({ ...result, isHedged: isHedged(state) }),
  );
}
