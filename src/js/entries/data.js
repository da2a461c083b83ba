import { RetryPolicy } from './index.js';
import { fromDataOf } from '../data/index.js';

// Under the name of the function, bundlers would rename that: stacks would have fromData2.
const made = /* @__PURE__ */ fromDataOf(RetryPolicy);
export { made as fromData };
