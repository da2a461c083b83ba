/** The section of the live calls: two buttons, the waterfall, and the sentence that sums a run up. */
import { html, place } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { plural } from '../charts/format';
import { store } from '../state/store';
import { live, requestsOf, summary } from './figure';
import { NoFlakyServer, countOf, startFlakyServer } from './flaky-server';
import { CALLS, emptyRun, startRun, type Run } from './send';
import './styles.css';

/** Between two pictures of a run, at least. */
const FRAME_MS = 50;

export function mountLive(root: HTMLElement): void {
  const controls = html('div', { class: 'buttons live-controls' });
  const { start, abort } = place<Record<'start' | 'abort', HTMLButtonElement>>(
    controls,
    `<button id="live-start" type="button" class="primary" data-as="start">Send ${plural(CALLS, 'call')}</button>
    <button id="live-abort" type="button" data-as="abort" disabled>Abort</button>`,
  );
  const { card, show } = mountFigure<Run>(root, live, controls);
  const { sentence } = place<{ sentence: HTMLElement }>(
    card,
    `<p class="live-words" id="live-sentence" role="status" data-as="sentence"></p>`,
  );
  let running: AbortController | undefined;

  /** The focus stays on a button that works. */
  function become(next: AbortController | undefined): void {
    running = next;
    const focused = document.activeElement;
    start.disabled = next !== undefined;
    abort.disabled = !next;
    if (focused === start || focused === abort) (next ? abort : start).focus();
  }

  async function go(): Promise<void> {
    const { strategy, seed } = store.get();
    const controller = new AbortController();
    const { signal } = controller;
    become(controller);
    card.removeAttribute('data-sent');
    card.dataset.jitter = strategy.jitter;
    sentence.textContent = `${plural(CALLS, 'call')} running.`;
    let drawing: ReturnType<typeof setTimeout> | undefined;
    /** In at most a twentieth of the time: what is drawn must not keep the answers waiting. */
    const draw = (run: Run): void => {
      const startedAt = performance.now();
      show(run);
      drawing = setTimeout(draw, Math.max(FRAME_MS, 20 * (performance.now() - startedAt)), run);
    };
    try {
      await startFlakyServer();
      const { run, done } = startRun(strategy, seed, signal);
      card.dataset.run = run.name;
      draw(run);
      await done;
      clearTimeout(drawing);
      show(run);
      const counted = await countOf(run.name);
      const same = counted === requestsOf(run) ? 'the same' : String(counted);
      sentence.textContent = `${summary(run, signal.aborted)} The server counted ${same}.`;
      card.toggleAttribute('data-sent', true);
    } catch (error) {
      controller.abort();
      sentence.textContent = error instanceof NoFlakyServer ? error.message : `The run failed: ${String(error)}`;
    } finally {
      clearTimeout(drawing);
      become(undefined);
    }
  }

  start.addEventListener('click', () => void go());
  abort.addEventListener('click', () => running?.abort(new DOMException('stopped by Abort', 'AbortError')));
  store.subscribe(({ strategy, seed }, before) => {
    // With other settings, nothing is sent so far.
    if (running || (before?.strategy === strategy && before.seed === seed)) return;
    show(emptyRun(strategy, seed));
    card.removeAttribute('data-sent');
    sentence.textContent = '';
  });
}
