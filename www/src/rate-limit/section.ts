/** A server with a quota: who learns of it by its 429s, and who keeps it. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { follow } from '../compute/client';
import { settingSlider, switches } from '../shell/controls';
import { mountStory } from '../shell/story';
import { partsIn } from '../state/state';
import { rateLimitInput } from './compute';
import { rateLimitFigure } from './figure';
import { QUOTA_STORY } from './steps';

export function mountRateLimit(root: HTMLElement): void {
  const say = mountStory(root, QUOTA_STORY);
  const controls = html('div', { class: 'fields' }, switches('Each process has a', ['cooldown', 'limiter']));
  settingSlider(controls, 'processes');
  const figure = mountFigure(root, rateLimitFigure, controls);
  follow(figure.card, [figure], 'rateLimit', rateLimitInput, (result, { protection }) => {
    const parts = partsIn(protection);
    const chosen = parts.includes('limiter') ? 'limited' : parts.includes('cooldown') ? 'shared' : 'followed';
    figure.show({ ...result, chosen });
    say(result);
  });
}
