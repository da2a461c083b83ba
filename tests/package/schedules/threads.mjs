// Schedules on several threads.

import { Worker } from 'node:worker_threads';

import { sentenceOf } from './invariants.mjs';

export class Threads {
  /** @param {number} count */
  constructor(count) {
    this.workers = Array.from(
      { length: count },
      () => new Worker(new URL('worker.mjs', import.meta.url), { env: { NODE_OPTIONS: '' } }),
    );
  }

  /** One thread's answer to one task: `{ schedules, findings }`. */
  ask(worker, task) {
    return new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`a thread of the simulation ended with ${code}`));
      worker.once('exit', ended);
      worker.once('message', (message) => {
        worker.off('exit', ended);
        if (message.failure) reject(new Error(message.failure));
        else resolve(message);
      });
      worker.postMessage(task);
    });
  }

  /**
   * Schedules `from` … `to` − 1 of a seed, shared out evenly.
   * @returns {Promise<{ schedules: number, finding?: object }>}
   */
  async simulate({ folder, from = 0, ...task }) {
    const step = this.workers.length;
    const answers = await Promise.all(
      this.workers.map((worker, i) =>
        this.ask(worker, { ...task, folders: [folder], from: from + i, step, small: true }),
      ),
    );
    return {
      schedules: answers.reduce((sum, answer) => sum + answer.schedules, 0),
      finding: answers.flatMap(({ findings }) => findings).sort((a, b) => a.index - b.index)[0],
    };
  }

  close() {
    return Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}

/** Describes a finding for people. */
export const report = ({ seed, index, rule, text, trace, among }) =>
  `invariant "${rule}" is broken: ${text}\n  what must hold: ${sentenceOf(rule)}\n  schedule ${index} of seed ${seed}; to see it alone: run.mjs ` +
  `--seed ${seed} --only ${index}${among ? ` --among ${among}` : ''}\nshrunk to:\n${trace}`;
