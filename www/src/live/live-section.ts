/** The section "Live": its buttons, the sentence that sums a run up, the figure and the log. */
import { byId, html, onWidth } from './dom';
import { duration, plural } from './format';
import { startRun, type Run } from './live';
import type { Strategy } from './strategy';
import { waterfall, waterfallHeight } from './waterfall';

export interface LiveContext {
  strategy(): Strategy;
  seed(): number;
}

export function mountLive({ strategy, seed }: LiveContext): void {
  const calls = byId<HTMLSelectElement>('live-calls');
  const rate = byId<HTMLSelectElement>('live-rate');
  const start = byId<HTMLButtonElement>('live-start');
  const abort = byId<HTMLButtonElement>('live-abort');
  const sentence = byId('live-sentence');
  const figure = byId('live-figure');
  const log = byId<HTMLOListElement>('live-log');

  let width = 0;
  let run: Run | undefined;
  let running: AbortController | undefined;

  const label = (): void => {
    start.textContent = `Send ${plural(Number(calls.value), 'call')}`;
  };
  const draw = (): void => {
    if (run && width > 0) figure.replaceChildren(waterfall(run, width, sentence.textContent ?? ''));
  };
  const animate = (): void => {
    draw();
    if (running) requestAnimationFrame(animate);
  };
  const say = (text: string): void => {
    sentence.textContent = text;
  };

  /** Makes room for the whole figure at once, so that what is below moves only at the click. */
  const begin = ({ traces, name }: Run): void => {
    figure.style.minHeight = `${waterfallHeight(traces.length)}px`;
    figure.dataset.run = name;
    delete figure.dataset.sent;
    delete figure.dataset.received;
    for (const part of document.querySelectorAll<HTMLElement>('#live .after-start')) part.hidden = false;
  };

  async function go(): Promise<void> {
    const controller = new AbortController();
    running = controller;
    start.disabled = true;
    abort.disabled = false;
    log.replaceChildren();
    const failureRate = Number(rate.value);
    try {
      if (!(await serverIsThere())) {
        say('This page is served without its misbehaving server. Start it with: cargo xtask demo');
        return;
      }
      const begun = startRun({ strategy: strategy(), seed: seed(), calls: Number(calls.value), failureRate, signal: controller.signal });
      run = begun.run;
      begin(begun.run);
      say(`${plural(run.traces.length, 'call')} under way.`);
      requestAnimationFrame(animate);
      await begun.done;
      const received = await serverCount(run.name);
      say(summary(run, received, controller.signal.aborted));
      log.replaceChildren(...events(run).map((event) => html('li', {}, event)));
      figure.dataset.sent = String(run.sent);
      figure.dataset.received = String(received);
    } catch (error) {
      say(`The run failed: ${String(error)}`);
    } finally {
      running = undefined;
      start.disabled = false;
      abort.disabled = true;
      draw();
    }
  }

  start.addEventListener('click', () => void go());
  abort.addEventListener('click', () => running?.abort(new DOMException('stopped by the Abort button', 'AbortError')));
  calls.addEventListener('change', label);
  onWidth(figure, (next) => {
    width = next;
    draw();
  });
  label();
}

/** What the server counted for a run, or undefined where there is no such server. */
async function serverCount(run: string): Promise<number | undefined> {
  try {
    const response = await fetch(`stats?run=${run}`);
    const stats: unknown = await response.json();
    return typeof stats === 'object' && stats && 'requests' in stats ? Number(stats.requests) : undefined;
  } catch {
    return undefined;
  }
}

async function serverIsThere(): Promise<boolean> {
  return (await serverCount('none')) !== undefined;
}

function summary({ traces, sent, nowMs }: Run, received: number | undefined, aborted: boolean): string {
  const ok = traces.filter((trace) => trace.outcome === 'ok').length;
  const counted = received === sent ? 'The server counted the same.' : `The server counted ${received ?? 'nothing'}.`;
  const requests = plural(sent, 'request');
  if (aborted) {
    const ended = traces.filter((trace) => trace.outcome === 'aborted').length;
    return `Aborted at ${duration(nowMs())}: ${plural(ended, 'call')} ended at once, ${ok} had succeeded. ${requests} were sent. ${counted}`;
  }
  const first = traces.filter((trace) => trace.legs[0]?.reply === '200').length;
  return `${ok} of ${plural(traces.length, 'call')} succeeded with ${requests}; without retries it would have been ${first}. ${counted}`;
}

/** The run in the order in which things happened. */
function events({ traces }: Run): string[] {
  return traces
    .flatMap((trace) =>
      trace.legs.map((leg, i) => {
        const next = trace.legs[i + 1];
        const after = next?.waitMs !== undefined ? `waits ${duration(next.waitMs)}` : trace.outcome;
        const at = leg.endMs ?? 0;
        return { at, text: `${duration(at)}: call ${trace.id}, attempt ${leg.attempt}: ${leg.reply ?? 'no reply'}, ${after}` };
      }),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text);
}
