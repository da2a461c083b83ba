/** The section of the live calls: two buttons, the waterfall, and the sentence that sums a run up. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { plural } from '../charts/format';
import { store } from '../state/store';
import { live, requestsOf, summary } from './figure';
import { countOf, startFlakyServer } from './flaky-server';
import { CALLS, emptyRun, startRun, type Run } from './send';
import './styles.css';

/** Between two pictures of a run, at least. */
const FRAME_MS = 50;

export function mountLive(root: HTMLElement): void {
  const start = html('button', { id: 'live-start', type: 'button', class: 'primary' }, `Send ${plural(CALLS, 'call')}`);
  const abort = html('button', { id: 'live-abort', type: 'button', disabled: '' }, 'Abort');
  const sentence = html('p', { id: 'live-sentence', role: 'status' });
  const { card, show } = mountFigure<Run>(root, live, html('div', { class: 'buttons' }, start, abort));
  card.append(sentence);
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
    become(controller);
    card.removeAttribute('data-sent');
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
      const { run, done } = startRun(strategy, seed, controller.signal);
      card.dataset.run = run.name;
      draw(run);
      await done;
      show(run);
      const counted = await countOf(run.name);
      const same = counted === requestsOf(run) ? 'the same' : String(counted);
      sentence.textContent = `${summary(run, controller.signal.aborted)} The server counted ${same}.`;
      card.toggleAttribute('data-sent', true);
    } catch (error) {
      controller.abort();
      sentence.textContent = `The run failed: ${error instanceof Error ? error.message : String(error)}`;
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
