/** Pasted options of a package as a rejitter policy, as a strategy of this page, and as a program. */
import { changed, type Changes } from '../state/presets';
import { refusalOf, strategyOf, type Strategy } from '../state/strategy';
import { callbackCall, fetchCall, optionsSource, program } from '../take-away/code';
import { Options, PACKAGE_NAMES, Untranslatable, packageOf, type PackageName } from './packages';
import { read, type Pasted } from './reader';

export interface Translation {
  /** `p-retry 9.0.0`. */
  readonly from: string;
  readonly strategy: Strategy;
  /** The policy in rejitter's own words, as a program. */
  readonly code: string;
  /** Differences from the package. */
  readonly notes: readonly string[];
}

export interface Refusal {
  readonly error: string;
  /** Packages to choose from, if the text does not say which one it is. */
  readonly choices?: readonly PackageName[];
}

export function translate(text: string, from: PackageName | 'detect'): Translation | Refusal {
  if (text.trim() === '') return { error: 'Paste the options of your package, or the whole call.' };
  const pasted = read(text);
  const detected = from === 'detect' ? detect(pasted) : from;
  if (typeof detected !== 'string') return detected;
  const { version, read: known, others, translate: reading } = packageOf(detected);
  try {
    const { notes, isClient, ...changes } = reading(new Options(pasted));
    const strategy = strategyOf(changed(changes));
    const refusal = refusalOf(strategy);
    if (refusal !== undefined) return { error: refusal };
    const more = [...pasted.values.keys()].flatMap((name) => {
      const ours = others[name];
      if (ours !== undefined)
        return ours === '' ? `\`${name}\` has no counterpart.` : `\`${name}\` is \`${ours}\` in rejitter.`;
      return known.includes(name) ? [] : `\`${name}\` is left out.`;
    });
    if (/\.\.\.\s*[\w$]/.test(pasted.text))
      more.push('What is spread into the options is not read: this page runs no pasted code.');
    return { from: `${detected} ${version}`, strategy, code: codeOf(changes, isClient), notes: [...notes, ...more] };
  } catch (failure) {
    // The package's own errors are written for users, too.
    if (failure instanceof Untranslatable || failure instanceof RangeError || failure instanceof TypeError)
      return { error: failure.message };
    throw failure;
  }
}

export function codeOf(changes: Changes, isClient = false): string {
  return isClient
    ? program(`const fetch = createFetch(${optionsSource(changes)});`, fetchCall)
    : program(`const policy = new RetryPolicy(${optionsSource(changes)});`, callbackCall('policy.run'));
}

/** Functions that many packages have. */
const COMMON = /^(?:retry|wrap|request|create|extend)$/;
/** Enough options to be sure without a name of the package. */
const SURE = 2;

/** A name decides; else the options, if they are those of one package only. */
function detect(pasted: Pasted): PackageName | Refusal {
  const { text, values, callee, modules } = pasted;
  const ofModule = PACKAGE_NAMES.filter((name) =>
    packageOf(name).modules.some((known) =>
      modules.some((module) => module === known || (known.endsWith('/') && module.startsWith(known))),
    ),
  );
  if (ofModule.length === 1 && ofModule[0]) return ofModule[0];
  const named = PACKAGE_NAMES.filter((name) => packageOf(name).sign.test(text));
  if (named.length === 1 && named[0] && modules.length === 0) return named[0];
  const scores = PACKAGE_NAMES.map((name) => ({
    name,
    score: [...packageOf(name).read, ...Object.keys(packageOf(name).others)].filter((option) => values.has(option))
      .length,
  })).sort((a, b) => b.score - a.score);
  const [best, second] = scores;
  const choices = scores.filter(({ score }) => score > 0 && score >= (best?.score ?? 0) - 1).map(({ name }) => name);
  const stranger =
    modules[0] ?? (callee !== undefined && !COMMON.test(callee.replace(/^.*\./, '')) ? callee : undefined);
  if (stranger !== undefined)
    return {
      error: `\`${stranger}\` is not supported. If its options mean the same as those of a supported package, choose that package.`,
      choices: choices.length > 0 ? choices : PACKAGE_NAMES,
    };
  if (best && best.score >= SURE && best.score > (second?.score ?? 0)) return best.name;
  return choices.length > 0
    ? { error: 'These options fit more than one package. Which one do you use?', choices }
    : {
        error: `No supported package is recognised here. Supported: ${PACKAGE_NAMES.join(', ')}.`,
        choices: PACKAGE_NAMES,
      };
}
