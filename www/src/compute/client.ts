/** Orders work from the worker. Only the newest order of each kind counts. */
import { onNear } from '../charts/dom';
import type { Figure } from '../charts/figure';
import type { State } from '../state/state';
import { store } from '../state/store';
import type { Answer, InputOf, JobName, Order, ResultOf } from './jobs';

/** Orders of one lane are done one after the other; those of different lanes take turns. */
type Lane = 'scene' | 'waits' | 'simulations';

export interface Channel<N extends JobName> {
  /** Replaces the order before it, whose answers are dropped. Answers false if the same is ordered, or was last. */
  order(input: InputOf<N>): boolean;
  /** Cancels the order, unless this is what was ordered. */
  cancel(unless?: InputOf<N>): void;
}

/** One worker for the whole page: its file is large, and so is what it compiles. */
let worker: Worker | undefined;
/** Who waits for the answers to an order. */
const open = new Map<number, (answer: Answer) => void>();
let orders = 0;

function startWorker(): Worker {
  const started = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'rejitter' });
  started.addEventListener('message', ({ data }: MessageEvent<Answer>) => open.get(data.id)?.(data));
  started.addEventListener('error', ({ message }) => {
    // The next order tries once more.
    worker = undefined;
    const error = message || 'The worker that computes this did not load. Reload the page.';
    for (const [id, answer] of open) answer({ id, error });
  });
  return started;
}

/** `deliver` gets what there is so far, and whether that is all. */
export function channel<N extends JobName>(
  lane: Lane,
  name: N,
  deliver: (result: ResultOf<N>, whole: boolean) => void,
  fail: (message: string) => void,
): Channel<N> {
  const post = (order: Order): void => (worker ??= startWorker()).postMessage(order);
  let current: number | undefined;
  let requested = '';

  function cancel(): void {
    if (current === undefined) return;
    open.delete(current);
    post({ cancel: current });
    current = undefined;
  }

  return {
    order(input) {
      const text = JSON.stringify(input);
      if (text === requested) return false;
      cancel();
      requested = text;
      const id = ++orders;
      current = id;
      open.set(id, (answer) => {
        if ('partial' in answer) return deliver(answer.partial as ResultOf<N>, false);
        open.delete(id);
        current = undefined;
        if ('error' in answer) fail(answer.error);
        else deliver(answer.result as ResultOf<N>, true);
      });
      post({ id, lane, name, input });
      return true;
    },
    cancel(unless) {
      if (JSON.stringify(unless) === requested) return;
      cancel();
      requested = '';
    },
  };
}

/**
 * Figures follow the page's state as long as the element around them is near. `show` gets what there is so far, and
 * whether that is all; again when only the state around it has changed.
 */
export function follow<N extends JobName>(
  around: Element,
  figures: readonly Pick<Figure<never>, 'busy' | 'fail'>[],
  name: N,
  inputOf: (state: State) => InputOf<N>,
  show: (result: ResultOf<N>, state: State, whole: boolean) => void,
): void {
  let near = false;
  let last: { readonly result: ResultOf<N>; readonly whole: boolean } | undefined;
  const draw = (): void => last && show(last.result, store.get(), last.whole);
  const deliver = (result: ResultOf<N>, whole: boolean): void => {
    last = { result, whole };
    draw();
  };
  const fail = (message: string): void => {
    for (const figure of figures) figure.fail(message);
  };
  const { order, cancel } = channel('simulations', name, deliver, fail);
  function update(): void {
    const input = inputOf(store.get());
    if (!near) return cancel(input);
    if (!order(input)) return draw();
    last = undefined;
    for (const { busy } of figures) busy();
  }
  onNear(around, (now) => {
    near = now;
    if (near) update();
  });
  store.subscribe(update);
}
