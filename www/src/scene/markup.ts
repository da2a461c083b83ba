/** The scene as HTML: the build writes it into the page, and the page's script brings it to life. */
import { count, rate } from '../charts/format';
import { seconds } from '../charts/axis';
import { idOf, wordsOf } from '../state/before';
import { PACKAGES } from '../state/packages';
import { PRESETS } from '../state/presets';
import type { State } from '../state/state';
import { storyMarkup } from '../state/story';
import { BINS, LANES, herdsOf, type SceneResult } from './compute';
import { HEIGHT, WIDTH, framesOf, picture, rateAt, rateTicks } from './picture';
import { halfInWords, headline, cost, described } from './compared';
import { PARTS, STORY, ending, isBad, opening, sentence, type Part } from './words';

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
${storyMarkup(
  `<span data-scene="why">${sentence(result)} </span><button type="button" class="link" data-scene="needs" hidden></button>`,
  `${STORY.steps[1]?.next} ›`,
  `1 of ${STORY.steps.length}`,
)}
${beforeMarkup()}`;
}

/** What the strategy is compared with: a package or a preset by its words, and options that are pasted. */
function beforeMarkup(): string {
  const option = (value: string, label: string): string => `<option value="${value}">${label}</option>`;
  const packages = PACKAGES.map((one) => option(idOf(one), `${one.name} ${one.version}`));
  const presets = PRESETS.map(({ label, strategy }) => option(wordsOf(strategy), label));
  return `<p class="scene-before">
  <label>Before <select data-before="menu">${option('', 'nothing to compare with')}${option('this', 'what the scene shows now')}
    <optgroup label="Packages">${packages.join('')}</optgroup><optgroup label="Presets">${presets.join('')}</optgroup></select></label>
  <input type="text" data-before="options" aria-label="Options of the package" placeholder="your options: { retries: 5 }" spellcheck="false" autocomplete="off" />
  <button type="button" data-before="copy" hidden>Copy as Markdown</button>
  <span role="status" data-before="said"></span>
</p>`;
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
export function key(result: SceneResult): string {
  const [[, { lanes }] = [undefined, { lanes: LANES }], ...more] = framesOf(result);
  const { clients } = result.input.herd;
  const of = `${count(Math.min(lanes, clients))} clients${more.length > 0 ? ' in both halves, with the same seed' : ''}`;
  const rows = clients <= lanes && more.length === 0 ? `A row is a client` : `A row is one of ${of}`;
  const ends = herdsOf(result).some(({ input }) => input.strategy.maxAttempts !== Infinity);
  const last = ends ? ', a thick stroke its last call' : '';
  return `${rows}${last}. Below: all calls a second, log scale.`;
}

/** A rate that is nearer to the capacity would seem to be what the capacity's line is at. */
const NEAR = 7 / HEIGHT;

/** The rates of the strips of calls, with the capacity among them, and what the halves are. */
export function ticks(result: SceneResult): string {
  const at = (part: number, text: string, name: string): string =>
    `<span class="${name}" style="top: ${(100 * part).toFixed(1)}%">${text}</span>`;
  const { capacityPerS } = result.input.herd;
  const halves = framesOf(result);
  return halves
    .flatMap(([herd, frame]) => {
      const capacity = rateAt(frame, capacityPerS);
      const rates = rateTicks(frame).filter((perS) => Math.abs(rateAt(frame, perS) - capacity) > NEAR);
      return [
        ...rates.map((perS) => at(rateAt(frame, perS), rate(perS), 'scene-tick')),
        at(capacity, `capacity ${rate(capacityPerS)}`, 'scene-capacity'),
        ...(halves.length === 1 ? [] : [at(frame.top / HEIGHT, halfInWords(herd, result), 'scene-half')]),
      ];
    })
    .join('');
}

/** Three to six times at equal distances, round ones where the span allows it. */
export function axis({ spanMs }: Pick<SceneResult, 'spanMs'>): string {
  const unitMs = spanMs <= 120_000 ? 5000 : spanMs <= 7_200_000 ? 30_000 : 900_000;
  const parts = [4, 5, 3].find((n) => spanMs % (n * unitMs) === 0) ?? 2;
  return Array.from({ length: parts + 1 }, (_, i) => `<span>${seconds((i * spanMs) / parts)}</span>`).join('');
}
