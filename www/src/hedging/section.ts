/** One hedge, and the tail that it leaves. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { follow } from '../compute/client';
import { settingSlider, switches } from '../shell/controls';
import { partsIn, type State } from '../state/state';
import { tailFigure } from './tail';

const isHedged = ({ protection }: State): boolean => partsIn(protection).includes('hedge');

export function mountTail(root: HTMLElement): void {
  const controls = html('div', { class: 'fields' }, switches('A slow call starts a', ['hedge']));
  settingSlider(controls, 'hedgeMs', (state) => !isHedged(state));
  const figure = mountFigure(root, tailFigure, controls);
  const inputOf = ({ hedgeMs }: State) => ({ delayMs: hedgeMs });
  follow(figure.card, [figure], 'tail', inputOf, (result, state) =>
    figure.show({ ...result, isHedged: isHedged(state) }),
  );
}
