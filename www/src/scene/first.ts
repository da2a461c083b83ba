/** Runs at build time, in Node: the first scene, and its result for the page that returns to it. */
import { INITIAL_STATE } from '../state/state';
import { outageInput } from '../compute/outage';
import { scene } from './compute';
import { sceneMarkup } from './markup';

export const result = await scene(
  outageInput(INITIAL_STATE),
  async () => {},
  () => {},
);
export const markup = sceneMarkup(INITIAL_STATE, result);
