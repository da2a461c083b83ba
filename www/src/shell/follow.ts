/** A figure follows the page's state as long as it is near. */
import type { Figure } from '../charts/spec';
import type { Computer } from '../compute/client';
import type { InputOf, JobName, ResultOf } from '../compute/jobs';
import type { State } from '../state/state';
import type { Store } from '../state/store';

/** `show` gets what there is so far, and whether that is all; again when only the state around it has changed. */
export function follow<N extends JobName>(
  figure: Pick<Figure<never>, 'busy' | 'fail' | 'onNear'>,
  store: Store,
  computer: Computer,
  name: N,
  inputOf: (state: State) => InputOf<N>,
  show: (result: ResultOf<N>, state: State, whole: boolean) => void,
): void {
  let near = false;
  let last: { readonly result: ResultOf<N>; readonly whole: boolean } | undefined;
  const draw = (): void => last && show(last.result, store.get(), last.whole);
  const channel = computer.channel(
    name,
    (result, whole) => {
      last = { result, whole };
      draw();
    },
    figure.fail,
  );
  function order(): void {
    const input = inputOf(store.get());
    if (!near) return channel.cancel(input);
    if (!channel.order(input)) return draw();
    last = undefined;
    figure.busy();
  }
  figure.onNear((now) => {
    near = now;
    if (near) order();
  });
  store.subscribe(order);
}
