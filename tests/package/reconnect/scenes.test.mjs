// Scenes of one connection (tests/vectors/reconnect.json), on a virtual clock.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { onClock, turn } from '../lib/clock.mjs';
import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';

const { keepConnected } = await importEntry('reconnect');
const { permanent, retryAfter } = await importPackage();

const HOOKS = ['onAttempt', 'onOpen', 'onFailure', 'onRetry', 'onGiveUp'];
const nth = (list, n) => list[Math.min(n, list.length) - 1];

/** Plays a scene. Returns what happened, and what is left. */
async function play(clock, scene) {
  const { options, draw = 0.5, sessions, retryIf, wakeMs = [], wakeEachMs, abortMs, aborts, sleep, untilMs } = scene;
  const time = () => clock.now - 1000;
  const errors = new Map();
  const error = (name) => errors.get(name) ?? errors.set(name, new Error(name)).get(name);
  /** An event with its errors by their names. */
  const plain = (event) => JSON.parse(JSON.stringify(event, (_, value) => value?.message ?? value));
  const seen = { starts: [], before: [], pings: [], aborted: [], asked: [], events: [] };
  const own = [];
  const later = (ms, fn) => own.push(setTimeout(fn, ms));
  const controller = new AbortController();
  const abort = () => controller.abort(error('why'));

  const session = ({ attempt, signal, opened, alive, finish, ...before }) => {
    seen.starts.push([time(), attempt]);
    seen.before.push(plain(before));
    const step = nth(sessions, seen.starts.length);
    signal.addEventListener('abort', () => {
      const { name, message } = signal.reason;
      seen.aborted.push([time(), name === 'Error' ? message : name]);
    });
    const ping = () => {
      const n = seen.pings.push(time());
      if (step.answersMs !== undefined) later(nth([step.answersMs].flat(), n), alive);
      throw error('ping');
    };
    const open = () => opened({ silenceMs: step.silenceMs, ping });
    const end = () => {
      if (step.finishes) finish(step.finishes);
      const mark = step.retryAfterMs ? (inner) => retryAfter(step.retryAfterMs, inner) : permanent;
      const thrown = step.retryAfterMs || step.permanent ? mark(error(step.throws)) : error(step.throws);
      if (step.in) throw Object.assign(error(step.in), { cause: thrown });
      if (step.throws) throw thrown;
    };
    if (step.opensMs === 0) open();
    else if (step.opensMs) later(step.opensMs, open);
    for (const ms of step.hearsMs ?? []) later(ms, alive);
    if (step.endsMs === undefined && (step.throws || step.returns)) return end();
    return new Promise((resolve) => step.endsMs && later(step.endsMs, resolve)).then(end);
  };
  const told = (name) => (event) => {
    assert.ok(Object.isFrozen(event));
    seen.events.push([name, plain(event)]);
    if (aborts === name) abort();
  };
  let subscribed = 0;
  let wakeUp;
  const answer = ({ message }, { attempt, openMs }) => {
    const verdict = nth(retryIf, seen.asked.push([message, attempt, openMs]));
    return verdict.rejectsMs ? new Promise((_, no) => later(verdict.rejectsMs, () => no(error('late')))) : verdict;
  };
  const kept = keepConnected(session, {
    ...Object.fromEntries(HOOKS.map((name) => [name, told(name)])),
    ...options,
    random: () => draw,
    signal: controller.signal,
    retryIf: retryIf && answer,
    wakeOn(wake) {
      subscribed++;
      wakeUp = wake;
      if (aborts === 'wakeOn') abort();
      for (const ms of wakeMs) later(ms, wake);
      for (let ms = wakeEachMs; ms < untilMs; ms += wakeEachMs) later(ms, wake);
      return () => subscribed--;
    },
  });
  const settled = { at: undefined };
  kept.then(
    (report) => Object.assign(settled, { at: time(), resolves: report.reason, report }),
    (thrown) => Object.assign(settled, { at: time(), rejects: thrown }),
  );
  if (abortMs) later(abortMs, abort);
  if (sleep) {
    await clock.advance(sleep.atMs);
    // No timer fires, and then all that are due; a wake-up comes between them.
    clock.now += sleep.ms;
    if (sleep.wakes) wakeUp();
    await turn();
    seen.woken = seen.starts.length;
  }
  await clock.advance(untilMs - time());
  abort();
  await clock.advance(0);
  const left = [...clock.pending.values()].filter((timer) => !own.includes(timer)).length;
  const listeners = getEventListeners(controller.signal, 'abort').length;
  return { ...seen, settled, error, left: [left, listeners, subscribed] };
}

for (const scene of vectors('reconnect'))
  test(scene.name, async () => {
    const { settled, error, left, ...seen } = await onClock((clock) => play(clock, scene));
    for (const name of ['starts', 'before', 'pings', 'asked', 'events'])
      if (scene[name]) assert.deepEqual(seen[name], scene[name], name);
    if (scene.woken) assert.equal(seen.woken, scene.woken, 'starts when the machine is awake, before a timer fires');
    if (scene.aborted) assert.deepEqual(seen.aborted.slice(0, scene.aborted.length), scene.aborted);
    const { at = scene.untilMs, rejects, resolves = rejects ? undefined : 'aborted', value } = scene.ends ?? {};
    assert.equal(settled.at, at);
    assert.equal(settled.resolves, resolves);
    if (rejects) assert.equal(settled.rejects, error(rejects));
    else {
      const { connections, openMs = 0 } = scene;
      const facts = { attempts: seen.starts.length, connections, openMs, elapsedMs: at };
      assert.deepEqual(settled.report, { reason: resolves, ...(value && { value }), ...facts });
    }
    assert.deepEqual(left, [0, 0, 0], 'timers, listeners and wake-ups that are left');
  });
