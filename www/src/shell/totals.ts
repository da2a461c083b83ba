/** The chosen strategy in five numbers, at the side of the page. */
import { byId } from '../charts/dom';
import { duration, share } from '../charts/format';
import type { Computer } from '../compute/client';
import { isEndless, longestMs } from '../compute/waits-total';
import { waitsSource } from '../compute/waits-source';
import type { Store } from '../state/store';
import { sameChoice } from '../state/strategy';

export function mountTotals(store: Store, computer: Computer): void {
  /** Whether the deadline can end the waits: then their mean is a sampled one. */
  let isCut = false;
  /** The means of both kinds, as far as they are known: either may come first. */
  let exactMs: number | undefined;
  let sampledMs: number | undefined;
  const showMean = (): void => {
    const ms = isCut ? sampledMs : exactMs;
    if (ms !== undefined) showTime('total-mean', ms);
  };
  waitsSource(store, computer).subscribe({
    waits(all) {
      const { strategy } = store.get();
      const chosen = all.find(({ choice }) => sameChoice(choice, strategy));
      if (!chosen) return;
      const { totalTimeoutMs } = strategy;
      showTime(
        'total-worst',
        isEndless(chosen) && totalTimeoutMs === Infinity ? Infinity : longestMs(chosen.waits, totalTimeoutMs),
      );
      isCut = totalTimeoutMs !== Infinity && (isEndless(chosen) || longestMs(chosen.waits, Infinity) >= totalTimeoutMs);
      exactMs = chosen.totalMeanMs;
      showMean();
    },
    totals({ totals: [chosen] }) {
      if (!chosen) return;
      showTime('half-succeed', chosen.p50Ms);
      showTime('most-succeed', chosen.p95Ms);
      byId('gives-up').textContent = share(1 - chosen.plateau);
      sampledMs = chosen.meanMs;
      showMean();
    },
    // The figures say so.
    fail() {},
  });
}

/** With the unrounded number as an attribute, for programs. */
function showTime(id: string, ms: number | undefined): void {
  const element = byId(id);
  element.textContent = ms === undefined ? 'never' : duration(ms);
  element.dataset.ms = String(ms);
}
