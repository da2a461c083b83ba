import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'xtask-'));
after(() => rmSync(folder, { recursive: true }));
process.env.CARGO_TARGET_DIR = join(folder, 'target');
const { answer, command, run: runCommand, sh, shown } = await import('./command.mjs');
const { count } = await import('./counts.mjs');
const { take } = await import('./lock.mjs');
const { run } = await import('./run.mjs');
const { BROWSERS, blocked, next, order, withNeeds } = await import('./schedule.mjs');

const shell = (script) => command(['sh', '-c', script]);

test('a command line keeps its values whole, and shows what can be typed', async () => {
  const line = sh`node  --at=${'a b'}.js ${['-e', "it's"]} ${[]}
    end`;
  assert.deepEqual(line, ['node', '--at=a b.js', '-e', "it's", 'end']);
  assert.equal(shown(command(line, { dir: 'tests' })), `cd tests && node '--at=a b.js' -e 'it'\\''s' end`);
  const failure = { ...shell('exit 3'), remedy: 'repair it' };
  const expected = "it ended with exit code 3\n  command: sh -c 'exit 3'\n  remedy:  repair it";
  await assert.rejects(runCommand(failure), (error) => String(error) === expected);
  await assert.rejects(runCommand(command('no-such-program')), /no-such-program could not be started/);
  assert.equal(answer(['sh', '-c', 'echo yes; exit 1']), undefined);
  assert.equal(answer(['sh', '-c', 'echo yes']), 'yes');
});

test('no process outlives its command', async () => {
  for (const [script, limitMs, problem] of [
    ['sleep 300 & echo $! > FILE; wait', 300, /still running after 0\.3 s/],
    ['sleep 300 >/dev/null 2>&1 & echo $! > FILE', 60_000, undefined],
  ]) {
    const file = join(folder, 'pid');
    const ran = runCommand({ ...shell(script.replace('FILE', file)), limitMs });
    await (problem ? assert.rejects(ran, problem) : ran);
    await pause(100);
    const pid = readFileSync(file, 'utf8').trim();
    // A zombie that waits to be reaped does not run.
    const runs = (id) =>
      answer(['sh', '-c', `kill -0 ${id} && ! grep -q '^State:.Z' /proc/${id}/status`]) !== undefined;
    assert.ok(runs(process.pid) && !runs(pid), pid);
  }
});

test('counts what each runner says it ran; a failure is never lost', () => {
  const cargo =
    '$ echo test result: ok. 9 passed\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n' +
    'Loading…\r\x1b[2Ktest result: \x1b[31mFAILED\x1b[0m. 1 passed; 2 failed; 4 ignored; 0 measured\n';
  const summary = (pass, fail) => `ℹ tests 5\nℹ pass ${pass}\nℹ fail ${fail}\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n`;
  const warned = '   Packaging rejitter\n\x1b[33mwarning\x1b[0m: manifest has no license\n';
  for (const [runner, output, good, passed, failed, skipped] of [
    ['cargo', cargo, false, 4, 2, 4],
    ['cargo', 'no tests to run!\n', true, 0, 0, 0],
    // The last summary: the first is that of a runner within a test.
    ['node', `${summary(99, 98)}${summary(2, 1)}  ℹ pass 7\n`, false, 2, 2, 1],
    ['check', '', true, 1, 0, 0],
    ['silent', warned, true, 0, 1, 0],
    ['silent', '   Packaging rejitter\n', true, 1, 0, 0],
    ...['cargo', 'node', 'check', 'silent'].map((each) => [each, 'error: it does not compile\n', false, 0, 1, 0]),
  ])
    assert.deepEqual(count(runner, output, good), { passed, failed, skipped }, `${runner}: ${output}`);
});

const namesOf = (steps) => steps.map(({ name }) => name);

test('the longest chain starts first, and needs, groups and jobs are kept', () => {
  const chains = [
    { name: 'short' },
    { name: 'a' },
    { name: 'long', seconds: 9 },
    { name: 'z', needs: ['a'], seconds: 9 },
  ];
  assert.deepEqual(namesOf(order(chains)), ['a', 'long', 'z', 'short']);
  const shared = [
    { name: 'long', seconds: 9 },
    ...[4, 6, 5].map((seconds) => ({ name: `${seconds}`, seconds, group: 'oven' })),
  ];
  assert.deepEqual(namesOf(order(shared)), ['6', 'long', '5', '4']);
  const group = 'kitchen';
  const steps = [{ name: 'b', group }, { name: 'c', group }, { name: 'd', needs: ['b'] }, { name: 'e' }];
  const names = { r: 'running', s: 'succeeded', f: 'failed' };
  const states = (letters) =>
    new Map(steps.flatMap(({ name }, i) => (letters[i] === 'w' ? [] : [[name, names[letters[i]]]])));
  for (const [letters, jobs, expected] of [
    ['wwww', 2, 'b'],
    ['rwww', 2, 'e'],
    ['rwww', 1, undefined],
    ['rwwr', 2, undefined],
    ['srwr', 3, 'd'],
  ])
    assert.equal(next(steps, states(letters), jobs)?.name, expected, letters);
  assert.deepEqual(blocked(steps, states('frww')), ['d', 'b']);
  assert.equal(blocked(steps, states('rfww')), undefined);
  assert.deepEqual(
    withNeeds(steps, ({ name }) => name === 'd'),
    [steps[0], steps[2]],
  );
  assert.throws(() => withNeeds([{ name: 'x', needs: ['y'] }], () => true), /x needs y/);
});

const step = (name, script, more) => ({ name, commands: [shell(script)], ...more });

/** Each step's tests that passed and failed, and whether it ran again. */
async function ran(steps) {
  const done = await run(steps, { folder: 'logs', jobs: 3 });
  return done.map(({ counts, again }) => `${counts.passed}+${counts.failed}${again ? ' again' : ''}`).join(', ');
}

test('a step without tests fails, and so do those that need it', async () => {
  const cargo = { runner: 'cargo' };
  const counts = await ran([
    step('none', 'echo no tests to run!', cargo),
    step('after none', 'true', { needs: ['none'] }),
    step('after that', 'true', { needs: ['after none'] }),
    step('some', "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'", cargo),
    // A runner that hides its failure behind a good exit code.
    step('hidden', "echo 'test result: FAILED. 1 passed; 3 failed'", cargo),
    step('after some', 'true', { needs: ['some'] }),
    step('fails', 'echo first; exit 3'),
    { name: 'mistake', setUp: () => undefined.x },
  ]);
  assert.equal(counts, '0+1, 0+1, 0+1, 2+0, 1+3, 1+0, 0+1, 0+1');
  const log = readFileSync(join(folder, 'target/logs/fails.log'), 'utf8');
  assert.equal(log, "$ sh -c 'echo first; exit 3'\nfirst\n");
});

test('a step with browsers, or of Node, runs once more alone', async () => {
  const file = join(folder, 'second');
  const group = BROWSERS;
  const wrong = step('wrong', 'false', { group });
  const done = await ran([
    step('right', 'true', { group }),
    step('first wrong', `test -e ${file} || { touch ${file}; false; }`, { group }),
    wrong,
    step('of Node', `test -e ${file}-2 && echo 'ℹ pass 2' || { touch ${file}-2; false; }`, { runner: 'node' }),
    step('no browser', 'false'),
    step('not run', 'true', { group, needs: ['no browser'] }),
  ]);
  assert.equal(done, '1+0, 1+0 again, 0+1 again, 2+0 again, 0+1, 0+1');
  assert.ok(existsSync(join(folder, 'target/logs/again/first-wrong.log')));
  // Alone already.
  assert.equal(await ran([wrong]), '0+1');
});

test('the second command waits for the first, and not for one that has died', async () => {
  const release = await take(folder);
  const second = take(folder);
  assert.equal(await Promise.race([second, pause(300)]), undefined);
  release();
  (await second)();
  const script = `import { take } from '${new URL('./lock.mjs', import.meta.url)}';
    await take(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL');`;
  assert.equal(answer([process.execPath, '--input-type=module', '-e', script]), undefined);
  (await take(folder))();
});
