/**
 * Which conditions hold for access control. What is converted has to be right for a server of 2.2 before and one of 2.4 afterwards: so a condition is known where both
 * agree, and where they do not, it is another configuration in each (docs/access-control.md, "What has no exact translation").
 */
import { activityOf, type Activity } from '../config/activity';
import { askedName, versionAnswers, type Release } from '../config/condition';
import type { ConditionAnswer } from '../config/configuration';
import { moduleNamed, moduleNameMeant, MPMS } from '../config/modules';
import { DEFAULT_TARGET, type Target } from '../config/target';
import { module } from '../directives/index';
import type { Line } from '../syntax/line';
import type { Source } from './model';

/**
 * The MPMs of the two servers, by their names as in `prefork.c`: that of 2.2 is null where it was
 * prefork or worker, and it is not known which. null where nothing is known of 2.4.
 */
export type KnownMpm = { readonly before: string | null; readonly now: string } | null;

/**
 * The MPMs by the answer of a person (`now`), and by what the files say of 2.2 (`before`). The
 * answers prefork and worker are for a server that runs the same in 2.2.
 */
export function knownMpm(now: string | null, before: string | null): KnownMpm {
  return now === null ? null : { before: before ?? (now === 'event' ? null : now), now };
}

/** For `ReadOptions.conditions`. `loaded`: source files of the modules that are loaded for sure where the condition stands. */
export function accessConditions(
  source: Source = '2.2',
  target: Target = DEFAULT_TARGET,
  mpm: KnownMpm = null,
): (open: Line, loaded: ReadonlySet<string>) => ConditionAnswer | undefined {
  return (open, loaded) => {
    // That is for whoever knows what the server is started with.
    if (open.name === 'ifdefine') return undefined;
    if (open.name === 'ifmodule') return ifModule(open, loaded, source, mpm);
    const now = activityOf(open, target);
    if (source === '2.4' || open.name !== 'ifversion') return now;
    // Whatever the variable holds, the version that it is compared with is another one.
    if (open.text.includes('${')) return 'differs';
    return agreedVersions(releases22(open), now);
  };
}

/** For `ReadOptions.conditions`: what 2.2 makes of a condition. Whoever asks for a module that did not come with 2.2 wrote for another version. */
export function conditionsOf22(open: Line, loaded: ReadonlySet<string>): Activity | undefined {
  if (open.name === 'ifdefine') return undefined;
  if (open.text.includes('${')) return 'unknown';
  if (open.name === 'ifversion') {
    const { isNewest, areAll } = releases22(open);
    return isNewest === null ? 'unknown' : areAll ? activity(isNewest) : 'unknown';
  }
  if (open.name !== 'ifmodule') return 'unknown';
  const asked = askedName(open, 2);
  if (asked === null) return 'unknown';
  const known = module(moduleNamed(asked.name) ?? '');
  const answer = known && !known['2.2'] ? 'inactive' : moduleIn('2.2', asked.name, loaded);
  return negated(answer, asked.isNegated);
}

/** What a version makes of a condition, as far as the tag alone tells. */
export function activityInVersion(version: Source, open: Line, target: Target): Activity {
  if (version === '2.2') return conditionsOf22(open, NOTHING_LOADED) ?? 'unknown';
  const answer = open.name === 'ifmodule' ? ifModule(open, NOTHING_LOADED, '2.4', null) : activityOf(open, target);
  return answer === 'active' || answer === 'inactive' ? answer : 'unknown';
}

const NOTHING_LOADED: ReadonlySet<string> = new Set();

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The releases of 2.2 that a server may be: 2.2.0 is older than any package of it, 2.2.34 the last one, 2.2.35 what was built after it. Where they answer a
 * condition differently, the newest one is taken, if 2.4 agrees with it: whoever asks for `>= 2.2.15` has a server that fulfils it.
 */
const RELEASES_22: readonly Release[] = Array.from({ length: 34 }, (_, index) => ({
  major: 2,
  minor: 2,
  patch: index + 2,
}));

interface Answers22 {
  /** The answer of the newest release; null where httpd stops at the tag, or nothing is known of it. */
  readonly isNewest: boolean | null;
  readonly areAll: boolean;
}

function releases22(open: Line): Answers22 {
  const answers = versionAnswers(open, RELEASES_22);
  const isNewest = answers.at(-1) ?? null;
  return { isNewest, areAll: answers.every((each) => each === isNewest) };
}

/** Nothing is known of a pattern that may not be run here, nor of a tag that stops the server. */
function agreedVersions({ isNewest, areAll }: Answers22, now: Activity): ConditionAnswer {
  if (isNewest === null) return now === 'unknown' ? 'differs' : { before: 'unknown', now };
  if (areAll) return agreed(activity(isNewest), now);
  return isNewest && now === 'active' ? 'active' : { before: 'unknown', now };
}

/** Compiled into every httpd. */
const BUILT_IN = new Set(['core.c', 'core_module', 'http_core.c', 'http_module', 'mod_so.c', 'so_module']);

function beforeEvent(name: string): Activity {
  return name === 'event' ? 'inactive' : 'unknown';
}

function ifModule(open: Line, loaded: ReadonlySet<string>, source: Source, mpm: KnownMpm): ConditionAnswer {
  // It can be the name of an MPM, or of a module that one version has.
  if (open.text.includes('${')) return source === '2.4' ? 'unknown' : 'differs';
  const now = askedName(open, 4);
  const known = now && moduleNamed(now.name);
  if (now && source === '2.4')
    return negated(known === 'mod_access_compat' ? 'unknown' : moduleIn('2.4', now.name, loaded), now.isNegated);
  const before = askedName(open, 2);
  if (now === null) return 'unknown';
  if (before === null) return { before: 'unknown', now: 'unknown' };
  // 2.2 takes quotes and spaces for a part of the name.
  if (before.name !== now.name)
    return agreed(
      negated(moduleIn('2.2', before.name, loaded), before.isNegated),
      negated(moduleIn('2.4', now.name, loaded), now.isNegated),
    );
  const both = (is22: Activity, is24: Activity) => agreed(negated(is22, now.isNegated), negated(is24, now.isNegated));
  if (known !== null && MPMS.has(known)) {
    if (mpm === null) return 'mpm';
    return both(mpm.before === null ? beforeEvent(known) : activity(known === mpm.before), activity(known === mpm.now));
  }
  // Once everything is converted, mod_access_compat may go, and until then it may be there.
  return both(
    moduleIn('2.2', now.name, loaded),
    known === 'mod_access_compat' ? 'unknown' : moduleIn('2.4', now.name, loaded),
  );
}

/** Whether a version has a module there, by the name that `<IfModule>` gives it. Of modules that do not come with httpd nobody knows what becomes. */
function moduleIn(version: Source, name: string, loaded: ReadonlySet<string>): Activity {
  if (BUILT_IN.has(name)) return 'active';
  // Compared letter by letter with source files and identifiers: a name that is neither is none.
  if (moduleNameMeant(name) !== undefined || OF_20.has(name)) return 'inactive';
  const known = module(moduleNamed(name) ?? '');
  if (!known) return 'unknown';
  const facts = known[version];
  if (!facts) return version === '2.2' && EARLIER.has(known.name) ? 'unknown' : 'inactive';
  // No 2.4 starts without it.
  if (known.name === 'mod_authz_core') return 'active';
  return facts.sourceFile !== undefined && loaded.has(facts.sourceFile) ? 'active' : 'unknown';
}

/** Modules of 2.0, which neither version has. */
const OF_20: ReadonlySet<string> = new Set(
  ['access', 'auth', 'auth_anon', 'auth_dbm', 'auth_ldap', 'imap'].flatMap((name) => [
    `mod_${name}.c`,
    `${name}_module`,
  ]),
);

/** Modules that came to httpd with 2.4 and were there for 2.2 by themselves. */
const EARLIER = new Set([
  'mod_proxy_html',
  'mod_xml2enc',
  'mod_macro',
  'mod_remoteip',
  'mod_proxy_fcgi',
  'mod_proxy_wstunnel',
  'mod_lua',
  'mod_auth_form',
  'mod_session',
  'mod_http2',
  'mod_ratelimit',
]);

function activity(holds: boolean): Activity {
  return holds ? 'active' : 'inactive';
}

/** What two servers make of a condition: where it is not known of either, it is the same. */
function agreed(before: Activity, now: Activity): ConditionAnswer {
  return before === now ? before : { before, now };
}

function negated(answer: Activity, isNegated: boolean): Activity {
  if (!isNegated || answer === 'unknown') return answer;
  return answer === 'active' ? 'inactive' : 'active';
}
