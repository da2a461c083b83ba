/** Orders work from the workers. Of each kind of work only the newest order counts. */
import type { Answer, InputOf, JobName, Order, ResultOf } from './jobs';

export interface Channel<N extends JobName> {
  /**
   * Replaces the order before it, whose answers are dropped. The same input again is no new order:
   * then the answer is false.
   */
  order(input: InputOf<N>): boolean;
  cancel(): void;
}

export interface Computer {
  /** `deliver` gets what there is so far, and whether that is all. */
  channel<N extends JobName>(name: N, deliver: (result: ResultOf<N>, whole: boolean) => void, fail: (message: string) => void): Channel<N>;
}

export function createComputer(name: string): Computer {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name });
  const open = new Map<number, (answer: Answer) => void>();
  let orders = 0;
  let lives = false;
  /** Why the worker, which has never answered, will not. */
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

  const post = (order: Order): void => worker.postMessage(order);

  return {
    channel<N extends JobName>(job: N, deliver: (result: ResultOf<N>, whole: boolean) => void, fail: (message: string) => void) {
      let current: number | undefined;
      let asked = '';

      function cancel(): void {
        if (current === undefined) return;
        open.delete(current);
        post({ cancel: current });
        current = undefined;
      }

      return {
        order(input) {
          const text = JSON.stringify(input);
          if (text === asked) return false;
          cancel();
          asked = text;
          const id = ++orders;
          current = id;
          open.set(id, (answer) => {
            if ('partial' in answer) return deliver(answer.partial as ResultOf<N>, false);
            open.delete(id);
            current = undefined;
            if ('error' in answer) fail(answer.error);
            else deliver(answer.result as ResultOf<N>, true);
          });
          const error = dead;
          if (error === undefined) post({ id, name: job, input });
          else queueMicrotask(() => open.get(id)?.({ id, error }));
          return true;
        },
        cancel() {
          cancel();
          asked = '';
        },
      };
    },
  };
}
