#!/bin/sh
# Guess: Schedules of Effect are combined by `union` and `intersect`.
# Found: In 4 these are gone: `min` waits the shortest wait until all have ended, `max` the longest until one has.
# Versions: effect@4.1.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent effect@4.1.0

cat > run.mjs <<'EOF'
import { Duration, Effect, Schedule } from 'effect';

const names = ['union', 'intersect', 'either', 'min', 'max'];
console.log(names.map((name) => `${name} ${typeof Schedule[name]}`).join(', '));

Math.random = () => 1 - 2 ** -53;
const { exponential, spaced, recurs, jittered, min, max } = Schedule;
const doubled = exponential('100 millis');
const capped = min([doubled, spaced('1 second')]);
for (const [name, schedule] of Object.entries({
  'min with spaced(1 s)': capped,
  'the same, jittered': jittered(capped),
  'max with recurs(3)': max([doubled, recurs(3)]),
  'min with recurs(3)': min([doubled, recurs(3)]),
})) {
  const step = await Effect.runPromise(Schedule.toStep(schedule));
  const waits = [];
  const next = () => Effect.runPromise(step(0, undefined)).then(([, wait]) => waits.push(Duration.toMillis(wait)));
  while (waits.length < 6 && (await next().catch(() => 'end')) !== 'end');
  console.log(`${name}: ${waits.map(Math.round).join(' ')}${waits.length < 6 ? ', end' : ' …'}`);
}
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
union undefined, intersect undefined, either undefined, min function, max function
min with spaced(1 s): 100 200 400 800 1000 1000 …
the same, jittered: 120 240 480 960 1200 1200 …
max with recurs(3): 100 200 400, end
min with recurs(3): 0 0 0 800 1600 3200 …
EOF
