/** What is noteworthy about the chosen policy, by the package's own linter. */
import { explain, type Note } from 'rejitter/lab';
import type { RetryOptions } from 'rejitter';

export function notes(options: RetryOptions): Note[] {
  return explain(options);
}
