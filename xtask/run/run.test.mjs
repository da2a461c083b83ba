import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { until } from '../../tests/package/lib/until.mjs';

const folder = mkdtempSync(join(tmpdir(), 'xtask-'));
after(() => rmSync(folder, { recursive: true }));
process.env.CARGO_TARGET_DIR = join(folder, 'target');
const { answer, command, run: runCommand } = await import('./command.mjs');
const { BROWSERS, count, next, order, run, withNeeds } = await import('./run.mjs');

const shell = (script) => command(['sh', '-c', script]);

test('no process outlives its command', async () => {
  for (const [script, limitMs, problem] of [
    ['sleep 300 & echo $! > FILE; wait', 300, /still running after 0\.3 s/],
    ['sleep 300 >/dev/null 2>&1 & echo $! > FILE', 60_000, undefined],
    // A test may be too busy to close its browser, which has a group of its own.
    ['trap "" TERM; setsid sleep 300 & echo $! > FILE; wait', 300, /still running/],
  ]) {
    const file = join(folder, 'pid');
    const ran = runCommand({ ...shell(script.replace('FILE', file)), limitMs });
    await (problem ? assert.rejects(ran, problem) : ran);
    const pid = readFileSync(file, 'utf8').trim();
    // A zombie that waits to be reaped does not run.
    const runs = (id) =>
      answer(['sh', '-c', `kill -0 ${id} && ! grep -q '^State:.Z' /proc/${id}/status`]) !== undefined;
    assert.ok(runs(process.pid));
    // On a busy machine it takes a while to die.
    await until(`${pid} has ended`, () => !runs(pid));
  }
});

test('counts what each runner says it ran; a failure is never lost', () => {
  const cargo =
    '$ echo test result: ok. 9 passed\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n' +
    'Loading…\r\x1b[2Ktest result: \x1b[31mFAILED\x1b[0m. 1 passed; 2 failed; 4 ignored; 0 measured\n';
  const summary = (pass, fail) => `ℹ tests 5\nℹ pass ${pass}\nℹ fail ${fail}\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n`;
  for (const [runner, output, good, passed, failed, skipped] of [
    ['cargo', cargo, false, 4, 2, 4],
    ['cargo', 'no tests to run!\n', true, 0, 0, 0],
    // The last summary: the first is that of a runner within a test.
    ['node', `${summary(99, 98)}${summary(2, 1)}  ℹ pass 7\n`, false, 2, 2, 1],
    ['check', '', true, 1, 0, 0],
    ...['cargo', 'node', 'check'].map((each) => [each, 'error: it does not compile\n', false, 0, 1, 0]),
  ])
    assert.deepEqual(count(runner, output, good), { passed, failed, skipped }, `${runner}: ${output}`);
});

test('needs, groups and jobs are kept; a need that no step is called is a mistake', () => {
  const steps = [
    { name: 'b', group: 'kitchen', setUp() {} },
    { name: 'd', needs: ['b'], seconds: 9 },
    { name: 'c', group: 'kitchen', seconds: 5 },
    { name: 'e', urgent: true },
  ];
  assert.deepEqual(order(steps.toReversed()), steps);
  // What waits for a step, and what comes after it in its group, counts as the step's own seconds.
  const chained = [
    { name: 'needed', seconds: 1 },
    { name: 'first', group: 'kitchen', seconds: 4 },
    { name: 'needs', needs: ['needed'], seconds: 5 },
    { name: 'alone', seconds: 4.5 },
    { name: 'second', group: 'kitchen', seconds: 3 },
  ];
  const names = order(chained.toReversed()).map(({ name }) => name);
  assert.equal(names.join(), 'first,needed,needs,alone,second');
  const words = { r: 'running', s: 'succeeded', f: 'failed' };
  for (const [letters, jobs, expected] of [
    ['wwww', 2, 'b'],
    ['rwww', 2, 'e'],
    ['rwww', 1, undefined],
    ['srrw', 2, 'e'],
    ['srww', 1, undefined],
    ['srww', 3, 'c'],
    ['fwrr', 4, undefined],
  ]) {
    const states = steps.flatMap(({ name }, i) => (letters[i] === 'w' ? [] : [[name, words[letters[i]]]]));
    assert.equal(next(steps, new Map(states), jobs)?.name, expected, letters);
  }
  const wanted = ({ name }) => name === 'd';
  assert.deepEqual(withNeeds(steps, wanted), steps.slice(0, 2));
  assert.throws(() => withNeeds([{ name: 'd', needs: ['y'] }], wanted), /d needs y/);
});

test('a step without tests fails, and so do those that need it; one of Node or with browsers runs once more', async () => {
  const step = (name, script, more) => ({ name, commands: [shell(script)], ...more });
  const cargo = { runner: 'cargo' };
  const file = join(folder, 'second');
  const steps = [
    step('none', 'echo no tests to run!', cargo),
    step('after none', 'true', { needs: ['none'] }),
    step('after that', 'true', { needs: ['after none'] }),
    step('some', "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'", cargo),
    // A runner that hides its failure behind a good exit code.
    step('hidden', "echo 'test result: FAILED. 1 passed; 3 failed'", cargo),
    step('fails', 'echo first; exit 3'),
    { name: 'mistake', setUp: () => undefined.x },
    step('first wrong', `test -e ${file} || { touch ${file}; false; }`, { group: BROWSERS }),
    step('of Node', `test -e ${file}-2 && echo 'ℹ pass 2' || { touch ${file}-2; false; }`, { runner: 'node' }),
  ];
  const done = await run(steps, { folder: 'logs', jobs: 3 });
  const counts = done.map(({ counts, again }) => `${counts.passed}+${counts.failed}${again ? ' again' : ''}`);
  assert.equal(counts.join(', '), '0+1, 0+1, 0+1, 2+0, 1+3, 0+1, 0+1, 1+0 again, 2+0 again');
  const log = readFileSync(join(folder, 'target/logs/fails.log'), 'utf8');
  assert.equal(log, "$ sh -c 'echo first; exit 3'\nfirst\n");
  assert.ok(existsSync(join(folder, 'target/logs/again/first-wrong.log')));
});
