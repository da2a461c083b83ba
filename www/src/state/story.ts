/** A story: the states of some figures one after the other, with what each shows, and the way from one to the next. */
import { PARTS, joined, partsIn, type Part, type SettingName, type State } from './state';
import { sameStrategy, type Strategy } from './strategy';

interface Step<R> {
  /** Everything that the figures follow, but for the seed. */
  readonly state: Partial<State> & { readonly strategy: Strategy };
  /** The question that leads there. */
  readonly next: string;
  /** What it means, whatever the numbers come to. */
  readonly why?: (result: R) => string;
}

export interface Story<R> {
  /** The parts of the protection that the figures follow: a step leaves the others as they are. */
  readonly parts: readonly Part[];
  readonly steps: readonly Step<R>[];
  /** Where the last step leads. */
  readonly end?: { readonly href: string; readonly next: string };
}

/** What a step changes in a state with this protection; undefined if there is no such step. */
export function stateOf<R>({ parts, steps }: Story<R>, step: number, protection = 'none'): Partial<State> | undefined {
  const { state } = steps[step] ?? {};
  const own = partsIn(state?.protection ?? '');
  const all = partsIn(protection);
  return state && { ...state, protection: joined(PARTS.filter((p) => (parts.includes(p) ? own : all).includes(p))) };
}

/** The step that a state is, or −1. */
export function stepOf<R>({ parts, steps }: Story<R>, state: State): number {
  const protection = joined(partsIn(state.protection).filter((part) => parts.includes(part)));
  const isAt = ({ state: { strategy, ...step } }: Step<R>): boolean =>
    sameStrategy(strategy, state.strategy) &&
    (Object.keys(step) as SettingName[]).every((name) => step[name] === { ...state, protection }[name]);
  return steps.findIndex(isAt);
}

/** The sentence of a step, and the way on, as HTML. */
export function storyMarkup(why: string, next = '', step = ''): string {
  return `<div class="scene-steps"><p class="scene-why">${why}</p><p class="scene-nav">
    <a data-scene="back" hidden>‹ Back</a> <a class="button primary" data-scene="next" href="#delays">${next}</a>
    <span data-scene="step">${step}</span></p></div>`;
}
