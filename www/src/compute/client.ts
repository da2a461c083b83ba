/** Orders work from the worker. Only the newest order of each kind counts. */
import type { Answer, InputOf, JobName, Order, ResultOf } from './jobs';

export interface Channel<N extends JobName> {
  /**
   * Replaces the order before it, whose answers are dropped. The same input again is not a new order:
   * then the answer is false.
   */
  order(input: InputOf<N>): boolean;
  /** Cancels the order, unless this is what was ordered. */
  cancel(unless?: InputOf<N>): void;
}

export interface Computer {
  /** `deliver` gets what there is so far, and whether that is all. */
  channel<N extends JobName>(
    name: N,
    deliver: (result: ResultOf<N>, whole: boolean) => void,
    fail: (message: string) => void,
  ): Channel<N>;
}

interface Shared {
  post(order: Order): void;
  /** Who waits for the answers to an order. */
  readonly open: Map<number, (answer: Answer) => void>;
  /** Why the worker, which has never answered, will not. */
  dead(): string | undefined;
}

let shared: Shared | undefined;
let orders = 0;

/** One worker for the whole page: its file is large, and so is what it compiles. */
function startWorker(): Shared {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'rejitter' });
  const open = new Map<number, (answer: Answer) => void>();
  let lives = false;
  let dead: string | undefined;
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    lives = true;
    open.get(data.id)?.(data);
  });
  worker.addEventListener('error', ({ message }) => {
    const error = message || 'The worker that computes this did not load. Reload the page.';
    if (!lives) dead = error;
    for (const [id, answer] of open) answer({ id, error });
  });
  return { post: (order) => worker.postMessage(order), open, dead: () => dead };
}

/** Orders of one lane are done one after the other; those of different lanes take turns. */
export function createComputer(lane: string): Computer {
  const { post, open, dead } = (shared ??= startWorker());

  return {
    channel<N extends JobName>(
      job: N,
      deliver: (result: ResultOf<N>, whole: boolean) => void,
      fail: (message: string) => void,
    ) {
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
          const error = dead();
          if (error === undefined) post({ id, lane, name: job, input });
          else queueMicrotask(() => open.get(id)?.({ id, error }));
          return true;
        },
        cancel(unless) {
          if (JSON.stringify(unless) === requested) return;
          cancel();
          requested = '';
        },
      };
    },
  };
}
