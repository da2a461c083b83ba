/** A server that answers 429, with a cooldown that the workers share, and without. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { follow } from '../compute/client';
import { switches } from '../shell/controls';
import { partsIn, type State } from '../state/state';
import { rateLimitFigure } from './figure';

export function mountRateLimit(root: HTMLElement): void {
  const controls = html('div', { class: 'fields' }, switches('All workers share', ['cooldown']));
  const figure = mountFigure(root, rateLimitFigure, controls);
  const inputOf = ({ strategy, seed }: State) => ({ strategy, seed });
  follow(figure, 'rateLimit', inputOf, (result, { protection }) =>
    figure.show({ ...result, isShared: partsIn(protection).includes('cooldown') }),
  );
}
