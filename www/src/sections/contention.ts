/** The AWS figure of 2015: quickly by itself, and on demand as it was published. */
import { html } from '../charts/dom';
import { count, duration, short } from '../charts/format';
import { mountFigure } from '../charts/figure';
import { createComputer, type Channel, type Computer } from '../compute/client';
import {
  CLIENTS,
  LINES,
  RUNS,
  type ContentionInput,
  type ContentionPoint,
  type ContentionResult,
} from '../compute/contention';
import { contention } from '../figures/contention';
import type { Store } from '../state/store';
import '../styles/cost.css';

/** Runs of the automatic start: a part of a second. */
const LIGHT_RUNS = 10;

/** The ends and the middle first, so that the lines are there at once and only get finer. */
const COARSE_FIRST: readonly number[] = [10, 100, 190, 50, 150, 30, 70, 120, 170, ...CLIENTS].filter(
  (n, i, all) => all.indexOf(n) === i,
);

export function mountContention(root: HTMLElement, store: Store, computer: Computer): void {
  const start = html('button', { type: 'button', class: 'primary' }, `Run it as published: ${count(RUNS)} runs`);
  const abort = html('button', { type: 'button' }, 'Abort');
  const bar = html('progress', { max: 1, value: 0, 'aria-label': 'Progress of the published run' });
  const numbers = html('span', { class: 'run-numbers' });
  const outcome = html('span', { role: 'status' }, sizeOf());
  const controls = html(
    'div',
    { class: 'run' },
    start,
    abort,
    html('span', { class: 'run-state' }, bar, numbers, outcome),
  );
  const figure = mountFigure(root, contention, controls);

  let seed: number | undefined;
  let near = false;
  let points = new Map<string, ContentionPoint>();
  /** When the published run started; undefined without one. */
  let since: number | undefined;
  const light = computer.channel('contention', deliver, fail);
  // A separate lane for the published run: seconds of work keep nothing else waiting.
  let long: Channel<'contention'> | undefined;

  function order(channel: Channel<'contention'>, input: ContentionInput): void {
    if (channel.order(input)) figure.busy();
  }

  function deliver({ input, points: found, events, share }: ContentionResult, whole: boolean): void {
    let newer = whole;
    for (const point of found) {
      const key = `${point.line} ${point.clients}`;
      newer ||= points.get(key)?.runs !== point.runs;
      points.set(key, point);
    }
    if (newer && points.size >= 3 * LINES.length) figure.show({ points: [...points.values()], seed: input.seed });
    if (since === undefined) return;
    const elapsedMs = performance.now() - since;
    const speed = `${short(events)} events, ${short((1000 * events) / elapsedMs)} events/s`;
    bar.value = share;
    numbers.textContent = speed;
    if (whole) stop(`${speed}, ${duration(elapsedMs)}.`);
  }

  function fail(message: string): void {
    stop('');
    figure.fail(message);
  }

  function stop(said: string): void {
    since = undefined;
    show(said);
  }

  function show(said: string): void {
    const running = since !== undefined;
    start.disabled = running;
    abort.disabled = !running;
    bar.hidden = numbers.hidden = !running;
    outcome.textContent = said;
  }

  function runLight(): void {
    if (seed === store.get().seed) return;
    seed = store.get().seed;
    points = new Map();
    order(light, { clients: COARSE_FIRST, runs: LIGHT_RUNS, seed });
  }

  start.addEventListener('click', () => {
    since = performance.now();
    bar.value = 0;
    numbers.textContent = '';
    show('');
    light.cancel();
    long ??= createComputer('contention').channel('contention', deliver, fail);
    // Runs again also with the same seed.
    long.cancel();
    order(long, { clients: COARSE_FIRST, runs: RUNS, seed: store.get().seed });
  });
  abort.addEventListener('click', () => {
    long?.cancel();
    figure.busy(false);
    stop('Aborted. Finished points stay.');
    start.focus();
  });

  show(sizeOf());
  figure.onNear((now) => {
    near = now;
    if (near) runLight();
  });
  store.subscribe((state) => {
    if (state.seed === seed) return;
    seed = undefined;
    light.cancel();
    long?.cancel();
    if (since !== undefined) stop('Stopped: the seed has changed.');
    if (near) runLight();
  });
}

function sizeOf(): string {
  return (
    `${CLIENTS.length} numbers of clients × ${LINES.length} strategies × ${count(RUNS)} runs: about 30 million ` +
    'events'
  );
}
