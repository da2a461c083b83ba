/** Hedges: of one client, and on servers that others share. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { duration, share } from '../charts/format';
import { sliderField, type SliderField, type SliderSpec } from '../charts/slider';
import type { Computer } from '../compute/client';
import { follow } from '../shell/follow';
import { partToggles } from '../shell/toggles';
import { partsIn, type State } from '../state/state';
import type { Store } from '../state/store';
import { DELAYS, UTILISATIONS, utilisationsWith } from './compute';
import { hedgingFigure } from './figure';
import { tailFigure } from './tail';

function slider(root: HTMLElement, store: Store, name: keyof State['hedging'], spec: SliderSpec): SliderField {
  return sliderField(root, spec, (value) => store.set({ hedging: { ...store.get().hedging, [name]: value } }));
}

const isHedged = ({ protection }: State): boolean => partsIn(protection.parts).includes('hedge');

/** One hedge, and the tail that it leaves. */
export function mountTail(root: HTMLElement, store: Store, computer: Computer): void {
  const controls = html(
    'div',
    { class: 'herd-controls protection-controls' },
    partToggles(store, 'A slow call starts a', ['hedge']),
  );
  const spec = { id: 'hedge-delay', label: 'A hedge starts after', stops: DELAYS, text: duration };
  const delay = slider(controls, store, 'delayMs', spec);
  store.subscribe((state) => delay.show(state.hedging.delayMs, { disabled: !isHedged(state) }));
  const figure = mountFigure(root, tailFigure, controls);
  const inputOf = ({ hedging, seed }: State) => ({ delayMs: hedging.delayMs, seed });
  follow(figure, store, computer, 'tail', inputOf, (result, state) =>
    figure.show({ ...result, isHedged: isHedged(state) }),
  );
}

/** The article: a hedge on servers that others share. */
export function mountHedging(root: HTMLElement, store: Store, computer: Computer): void {
  const controls = html('div', { class: 'herd-controls protection-controls' });
  const spec = { id: 'utilisation', label: 'Utilisation', stops: UTILISATIONS, text: share };
  const utilisation = slider(controls, store, 'utilisation', spec);
  store.subscribe(({ hedging }) => utilisation.show(hedging.utilisation));
  const figure = mountFigure(root, hedgingFigure, controls);
  const inputOf = ({ hedging, seed }: State) => ({ utilisations: utilisationsWith(hedging.utilisation), seed });
  follow(figure, store, computer, 'hedging', inputOf, (result, { hedging }, whole) => {
    if (whole) figure.show({ ...result, utilisation: hedging.utilisation });
  });
}
