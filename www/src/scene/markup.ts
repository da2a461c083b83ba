/** The scene as HTML: the build writes it into the page, and the page's script brings it to life. */
import { count, rate } from '../charts/format';
import { seconds } from '../charts/axis';
import type { State } from '../state/state';
import { BINS, LANES, type SceneResult } from './compute';
import { HEIGHT, WIDTH, capacityAt, picture, rateTicks } from './picture';
import { PARTS, STEPS, cost, described, ending, headline, isBad, opening, sentence, type Part } from './words';

export function sceneMarkup(state: State, result: SceneResult): string {
  const [retry, times, giveUp] = PARTS.map((part) => words(part, state)) as [string, string, string];
  return `
<p class="scene-sentence">
  <span data-scene="opening">${opening(state)}</span>
  <span data-scene="retries">${retry},
  ${times}, and give up after</span>
  ${giveUp}<span data-scene="ending">${ending(state.strategy)}</span>
</p>
<div class="card scene" data-figure="scene" aria-busy="false">
  <p class="scene-result" role="status"><b data-scene="headline"${isBad(result) ? ' class="bad"' : ''}>${headline(result)}</b>
    <span data-scene="cost">${cost(result)}</span></p>
  <div class="scene-server"><b>Server</b><span class="scene-bar" aria-hidden="true"><i class="served"></i><i class="rejected"></i></span><output></output></div>
  <div class="scene-picture">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${described(result)}">${picture(result)}</svg>
    <div class="scene-after"></div>
    <span data-scene="ticks" aria-hidden="true">${ticks(result)}</span>
  </div>
  <p class="scene-axis" aria-hidden="true">${axis(result)}</p>
  <input class="scene-moment" type="range" min="0" max="${BINS}" value="${BINS}" aria-label="Moment" />
  <p class="scene-head"><button type="button" class="scene-play">▶ Play</button>
    <span data-scene="key">${key(result)}</span><span><i class="rejected"></i>rejected</span><span><i class="served"></i>served</span><span><i class="down"></i>server down</span></p>
</div>
<div class="scene-steps">
  <p class="scene-why"><span data-scene="why">${sentence(result)} </span><button type="button" class="link" data-scene="needs" hidden></button></p>
  <p class="scene-nav"><a data-scene="back" hidden>‹ Back</a> <a class="button primary" data-scene="next" href="#delays">${STEPS[0]?.next} ›</a>
    <span data-scene="step">1 of ${STEPS.length}</span></p>
</div>`;
}

/** A radio group that reads as a part of the sentence. A word of the strategy's own is the last one. */
export function words(part: Part, { strategy }: Pick<State, 'strategy'>): string {
  const said = part.said(strategy);
  const known = part.words.map(({ text }) => text);
  const choices = (known.includes(said) ? known : [...known, said]).map(
    (text) =>
      `<label><input type="radio" name="${part.name}" value="${text}"${text === said ? ' checked' : ''} />` +
      `<span>${text}</span></label>`,
  );
  return `<span class="words" role="radiogroup" data-part="${part.name}" aria-label="${part.label}">${choices.join('')}</span>`;
}

/** The rows and the strip below them. */
export function key({ input }: SceneResult): string {
  const { clients } = input.herd;
  const rows = clients <= LANES ? `A row is a client` : `A row is one of ${count(LANES)} clients`;
  const last = input.strategy.maxAttempts === Infinity ? '' : ', a thick stroke its last call';
  return `${rows}${last}. Below: all calls a second, log scale.`;
}

/** The rates of the strip of calls, with the capacity among them. */
export function ticks(result: SceneResult): string {
  const tick = (at: number, text: string, name: string): string =>
    `<span class="${name}" style="top: ${(100 * at).toFixed(1)}%">${text}</span>`;
  const { capacityPerS } = result.input.herd;
  return (
    rateTicks(result)
      .map(({ perS, at }) => tick(at, rate(perS), 'scene-tick'))
      .join('') + tick(capacityAt(result), `capacity ${rate(capacityPerS)}`, 'scene-capacity')
  );
}

export function axis({ spanMs }: SceneResult): string {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => `<span>${seconds(part * spanMs)}</span>`).join('');
}
