// Scenes of one connection (tests/vectors/reconnect.json), on a virtual clock.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { onClock } from '../lib/clock.mjs';
import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';

const { keepConnected } = await importEntry('reconnect');
const { permanent, retryAfter } = await importPackage();
const scenes = vectors('reconnect');

const nth = (list, n) => list[Math.min(n, list.length) - 1];

/** Plays a scene. Returns what happened, and what is left. */
async function play(clock, { options, draw = 0.5, sessions, retryIf, wakeMs = [], wakeEachMs, abortMs, untilMs }) {
  const time = () => clock.now - 1000;
  const errors = new Map();
  const error = (name) => errors.get(name) ?? errors.set(name, new Error(name)).get(name);
  const seen = { starts: [], pings: [], aborted: [] };
  const own = [];
  const later = (ms, fn) => own.push(setTimeout(fn, ms));
  const controller = new AbortController();
  const why = error('why');

  const session = ({ attempt, signal, opened, alive, finish }) => {
    seen.starts.push([time(), attempt]);
    const step = nth(sessions, seen.starts.length);
    signal.addEventListener('abort', () => {
      const { name, message } = signal.reason;
      seen.aborted.push([time(), name === 'Error' ? message : name]);
    });
    const ping = () => {
      seen.pings.push(time());
      if (step.answersMs !== undefined) later(step.answersMs, alive);
      throw error('ping');
    };
    const open = () => opened({ silenceMs: step.silenceMs, ping });
    const end = () => {
      if (step.finishes) finish(step.finishes);
      if (step.retryAfterMs) throw retryAfter(step.retryAfterMs, error(step.throws));
      if (step.permanent) throw permanent(error(step.throws));
      if (step.throws) throw error(step.throws);
    };
    if (step.opensMs === 0) open();
    else if (step.opensMs) later(step.opensMs, open);
    for (const ms of step.hearsMs ?? []) later(ms, alive);
    if (step.endsMs === undefined && (step.throws || step.returns)) return end();
    return new Promise((resolve) => step.endsMs && later(step.endsMs, resolve)).then(end);
  };
  let subscribed = 0;
  let asked = 0;
  const kept = keepConnected(session, {
    ...options,
    random: () => draw,
    signal: controller.signal,
    retryIf: retryIf && (() => nth(retryIf, ++asked)),
    wakeOn(wake) {
      subscribed++;
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
  if (abortMs) later(abortMs, () => controller.abort(why));
  await clock.advance(untilMs);
  controller.abort(why);
  await clock.advance(0);
  const left = [...clock.pending.values()].filter((timer) => !own.includes(timer)).length;
  const listeners = getEventListeners(controller.signal, 'abort').length;
  return { ...seen, settled, error, left: [left, listeners, subscribed] };
}

for (const scene of scenes)
  test(scene.name, async () => {
    const { starts, aborted, pings, settled, error, left } = await onClock((clock) => play(clock, scene));
    assert.deepEqual(starts, scene.starts);
    if (scene.aborted) assert.deepEqual(aborted.slice(0, scene.aborted.length), scene.aborted);
    if (scene.pings) assert.deepEqual(pings, scene.pings);
    const { at = scene.untilMs, rejects, resolves = rejects ? undefined : 'aborted', value } = scene.ends ?? {};
    assert.equal(settled.at, at);
    assert.equal(settled.resolves, resolves);
    if (rejects) assert.equal(settled.rejects, error(rejects));
    else {
      const { connections, openMs = 0 } = scene;
      const reason = resolves;
      assert.deepEqual(settled.report, {
        reason,
        ...(value && { value }),
        attempts: starts.length,
        connections,
        openMs,
        elapsedMs: at,
      });
    }
    assert.deepEqual(left, [0, 0, 0], 'timers, listeners and wake-ups that are left');
  });
