/** The scene as HTML: the build writes it into the page, and the page's script brings it to life. */
import { GIVE_UPS, RETRIES, TIMES, type Scene, type State } from '../state/state';
import { seconds } from '../charts/time-axis';
import { BINS, type SceneResult } from './compute';
import { HEIGHT, WIDTH, capacityAt, picture } from './picture';
import { GIVE_UP_WORDS, RETRY_WORDS, TIME_WORDS, cost, described, headline, isBad, opening, sentence } from './words';
import { rate } from '../charts/format';

export function sceneMarkup(state: State, result: SceneResult): string {
  const { scene } = state;
  const retries = RETRIES.filter((retry) => retry !== 'policy');
  return `
<p class="scene-sentence">
  <span data-scene="opening">${opening(state)}</span>
  ${words('retry', 'They retry', retries, RETRY_WORDS, scene)}<span data-scene="worded">,
  ${words('times', 'When they retry', TIMES, TIME_WORDS, scene)}, and give up after
  ${words('giveUp', 'They give up after', GIVE_UPS, GIVE_UP_WORDS, scene)}.</span>
  <span data-scene="policy" hidden></span>
</p>
<div class="card scene" data-figure="scene" aria-busy="false">
  <p class="scene-result" role="status"><b data-scene="headline"${isBad(result) ? ' class="bad"' : ''}>${headline(result)}</b>
    <span data-scene="cost">${cost(result)}</span></p>
  <div class="scene-picture">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${described(result)}">${picture(result)}</svg>
    <div class="scene-after"></div>
    <span class="scene-capacity" style="top: ${capacityStyle(result)}">${capacityLabel(result)}</span>
  </div>
  <p class="scene-axis" aria-hidden="true">${axis(result)}</p>
  <input class="scene-moment" type="range" min="0" max="${BINS}" value="${BINS}" aria-label="Moment" />
  <p class="scene-head"><button type="button" class="scene-play" aria-label="Play">▶</button><output></output>
    <span><i class="rejected"></i>rejected</span><span><i class="served"></i>served</span><span><i class="down"></i>server down</span></p>
  <p class="scene-key">A row is one of 24 clients; a thick stroke is its last call before it gives up. Below: the calls of all, a second (log scale).</p>
</div>
<div class="scene-steps">
  <p class="scene-why"><span data-scene="why">${sentence(result)}</span>
    <button type="button" class="link" data-scene="needs" hidden></button></p>
  <p class="scene-nav"><a data-scene="back" hidden>‹ Back</a> <a class="button primary" data-scene="next" href="?retry=1s">Next: wait 1 s ›</a>
    <span data-scene="step">1 of 4</span></p>
</div>`;
}

/** A radio group that reads as a part of the sentence. */
function words<K extends keyof Scene>(
  name: K,
  label: string,
  values: readonly Scene[K][],
  texts: Readonly<Record<Scene[K], string>>,
  scene: Scene,
): string {
  const choices = values.map(
    (value) =>
      `<label><input type="radio" name="${name}" value="${value}"${scene[name] === value ? ' checked' : ''} />` +
      `<span>${texts[value]}</span></label>`,
  );
  return `<span class="words" role="radiogroup" aria-label="${label}">${choices.join('')}</span>`;
}

export function capacityStyle(result: SceneResult): string {
  return `${(100 * capacityAt(result)).toFixed(1)}%`;
}

export function capacityLabel({ input }: SceneResult): string {
  return `capacity ${rate(input.herd.capacityPerS)}`;
}

export function axis({ spanMs }: SceneResult): string {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => `<span>${seconds(part * spanMs)}</span>`).join('');
}
