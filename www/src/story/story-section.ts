/** The opening: four ways to retry, each in one sentence and one moving picture, and what they come to. */
import { html } from '../charts/dom';
import { count } from '../charts/format';
import type { Computer } from '../compute/client';
import type { Store } from '../state/store';
import { createPicture } from './picture';
import { createPlayer } from './player';
import { OUTAGE, type SceneName, type StoryResult } from './runs';
import { SCENES, TITLES, closing, compared, comparisonTitle, described, introduction, legend, wordsOf } from './words';
import '../styles/story.css';

const jitterOf = (scene: SceneName): 'none' | 'full' => (scene === 'jitter' ? 'full' : 'none');

export function mountStory(root: HTMLElement, store: Store, computer: Computer): void {
  const player = createPlayer();
  const pause = html('button', { type: 'button', class: 'story-pause', 'aria-pressed': 'false' }, 'Pause');
  pause.addEventListener('click', () => {
    const paused = pause.getAttribute('aria-pressed') === 'false';
    pause.setAttribute('aria-pressed', String(paused));
    player.pause(paused);
  });
  player.onMotion((moves) => {
    pause.hidden = !moves;
  });

  const views = SCENES.map((scene, i) => {
    const sentence = html('p', { class: 'scene-sentence' });
    const outcome = html('p', { class: 'scene-outcome' });
    const canvas = html('canvas', { role: 'img', 'aria-label': TITLES[scene] });
    const figure = html(
      'li',
      { class: 'card scene', 'data-scene': scene, 'data-jitter': jitterOf(scene), 'aria-busy': 'true' },
      html(
        'div',
        { class: 'scene-words' },
        html('h3', {}, html('span', { class: 'scene-number', 'aria-hidden': 'true' }, String(i + 1)), TITLES[scene]),
        sentence,
        outcome,
      ),
      html('div', { class: 'scene-picture' }, canvas),
    );
    return { scene, sentence, outcome, canvas, figure };
  });
  const bars = html('ul', { class: 'story-bars' });
  const line = html('p', { class: 'story-closing' });
  const result = html(
    'div',
    { class: 'card story-result', 'aria-busy': 'true' },
    html('h3', {}, comparisonTitle()),
    bars,
    line,
  );
  root.append(
    html('div', { class: 'story-head' }, html('p', { class: 'sub' }, introduction()), pause),
    html('ol', { class: 'scenes' }, ...views.map(({ figure }) => figure)),
    result,
    html('p', { class: 'note story-note' }, legend()),
  );
  const drawn = new Set<SceneName>();

  function show({ runs }: StoryResult): void {
    for (const { scene, sentence, outcome, canvas, figure } of views) {
      const run = runs.find((one) => one.scene === scene);
      if (!run || drawn.has(scene)) continue;
      drawn.add(scene);
      const words = wordsOf(run);
      sentence.textContent = words.sentence;
      outcome.textContent = words.outcome;
      outcome.classList.toggle('bad', 2 * run.servedMs.length < OUTAGE.clients);
      canvas.setAttribute('aria-label', described(run));
      player.show(canvas, createPicture(canvas, run, jitterOf(scene)));
      figure.setAttribute('aria-busy', 'false');
    }
    if (runs.length < SCENES.length) return;
    const all = compared(runs);
    bars.replaceChildren(
      ...all.map(({ scene, name, served, callsPerClient }) => {
        const bar = html('span', { class: 'story-bar', 'aria-hidden': 'true' }, html('span', {}));
        (bar.firstElementChild as HTMLElement).style.width = `${(100 * served) / OUTAGE.clients}%`;
        return html(
          'li',
          { 'data-jitter': jitterOf(scene) },
          html('span', { class: 'story-name' }, name),
          bar,
          html('span', { class: 'story-served' }, html('b', {}, count(served)), ' served'),
          html('span', { class: 'story-calls' }, `${callsPerClient}\u00a0calls per client`),
        );
      }),
    );
    line.textContent = closing(all);
    result.setAttribute('aria-busy', 'false');
  }

  const channel = computer.channel('story', show, (message) =>
    line.replaceChildren(html('span', { class: 'error' }, message)),
  );
  store.subscribe(({ seed }) => {
    if (channel.order({ seed })) drawn.clear();
  });
}
