/**
 * Decides whether a condition (`<IfModule>`, `<IfVersion>`) is true, for the conversion of access
 * control. The conversion must be right for 2.2 before the upgrade and for 2.4 after it. So the
 * answer is `active` or `inactive` only if it is right for both versions. If the versions differ,
 * the answer has a result for each version (docs/access-control.md, "What has no exact
 * translation").
 */
import { activityOf, type Activity } from '../config/activity';
import { nameInTag, resultsForReleases, type Release } from '../config/condition';
import type { ConditionAnswer, ReadOptions } from '../config/configuration';
import { moduleNamed, moduleNameMeant, MPM_NAMES } from '../config/modules';
import { DEFAULT_TARGET, type Target } from '../config/target';
import { module } from '../directives/index';
import type { Line } from '../syntax/line';
import type { Source } from './model';

/**
 * The MPMs of the two servers, such as `prefork` and `event`. `mpm22` is null if it is only known
 * that 2.2 runs prefork or worker. The whole value is null if the MPM of 2.4 is unknown.
 */
export type KnownMpm = { readonly mpm22: string | null; readonly mpm24: string } | null;

/**
 * Makes a `KnownMpm`. `mpm24`: the MPM that the user chose for 2.4; null without an answer.
 * `mpm22InFiles`: the MPM of 2.2 that the files show, or null. If the files show none, and the user
 * chose prefork or worker for 2.4, the program assumes that 2.2 runs the same MPM.
 */
export function knownMpm(mpm24: string | null, mpm22InFiles: string | null): KnownMpm {
  return mpm24 === null ? null : { mpm22: mpm22InFiles ?? (mpm24 === 'event' ? null : mpm24), mpm24 };
}

/**
 * Makes a function for `ReadOptions.decideCondition`, which describes its parameters. The function
 * answers for both versions.
 */
export function accessConditionDecider(
  source: Source = '2.2',
  target: Target = DEFAULT_TARGET,
  mpm: KnownMpm = null,
): NonNullable<ReadOptions['decideCondition']> {
  return (open, loadedModules, isAboveLoads) => {
    // Only the user knows the parameters of `httpd -D`.
    if (open.name === 'ifdefine') return undefined;
    if (open.name === 'ifmodule') return answerOfIfModule(open, loadedModules, source, mpm, isAboveLoads);
    const activityIn24 = activityOf(open, target);
    if (source === '2.4' || open.name !== 'ifversion') return activityIn24;
    // The variable can hold any version, so 2.2 and 2.4 may give different answers.
    if (open.text.includes('${')) return 'differs';
    return answerOfIfVersion(answersOfReleases22(open), activityIn24);
  };
}

/**
 * Returns the answer of 2.2 alone to a condition, for `ReadOptions.decideCondition`. A condition on
 * a module that 2.2 does not have is inactive. Returns undefined for `<IfDefine>`, so that the
 * caller decides it.
 */
export function decideConditionIn22(open: Line, loadedModules: ReadonlySet<string>): Activity | undefined {
  if (open.name === 'ifdefine') return undefined;
  if (open.text.includes('${')) return 'unknown';
  if (open.name === 'ifversion') {
    const { isTrueForNewest, areAllEqual } = answersOfReleases22(open);
    return isTrueForNewest === null ? 'unknown' : areAllEqual ? activityFromBoolean(isTrueForNewest) : 'unknown';
  }
  if (open.name !== 'ifmodule') return 'unknown';
  const namedModule = nameInTag(open, 2);
  if (namedModule === null) return 'unknown';
  const knownModule = module(moduleNamed(namedModule.name) ?? '');
  const activityIn22 =
    knownModule && !knownModule['2.2'] ? 'inactive' : activityOfModule('2.2', namedModule.name, loadedModules);
  return activityIfNegated(activityIn22, namedModule.isNegated);
}

/** The answer of one version to a condition if no module is known to be loaded. */
export function activityInVersion(version: Source, open: Line, target: Target): Activity {
  if (version === '2.2')
    return namesModuleSeparateFor22(open) ? 'unknown' : (decideConditionIn22(open, NO_LOADED_MODULES) ?? 'unknown');
  const versionAnswer =
    open.name === 'ifmodule' ? answerOfIfModule(open, NO_LOADED_MODULES, '2.4', null) : activityOf(open, target);
  return versionAnswer === 'active' || versionAnswer === 'inactive' ? versionAnswer : 'unknown';
}

const NO_LOADED_MODULES: ReadonlySet<string> = new Set();

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The releases of 2.2 that a server may run, from 2.2.2 (the first that was packaged) to 2.2.35 (a
 * build after the last, 2.2.34). They may give different answers to a condition such as
 * `>= 2.2.15`. Nevertheless, it counts as true if it is true for the newest of them and for 2.4.
 */
const RELEASES_22: readonly Release[] = Array.from({ length: 34 }, (_, index) => ({
  major: 2,
  minor: 2,
  patch: index + 2,
}));

/** For a pattern that contains `dev`: also the builds between the releases, such as 2.2.35-dev. */
const RELEASES_AND_BUILDS_22 = [...RELEASES_22, ...RELEASES_22.map((each) => ({ ...each, suffix: '-dev' }))];

/** The answers of the releases of 2.2 to one `<IfVersion>`. */
interface Answers22 {
  /**
   * Whether the condition is true for the newest 2.2. Null if that is unknown, or if httpd would
   * stop at the tag.
   */
  readonly isTrueForNewest: boolean | null;
  /** Whether all releases of 2.2 give the answer of the newest. */
  readonly areAllEqual: boolean;
}

function answersOfReleases22(open: Line): Answers22 {
  const answers = resultsForReleases(open, open.text.includes('dev') ? RELEASES_AND_BUILDS_22 : RELEASES_22);
  const answerOfNewest = answers.at(-1) ?? null;
  return { isTrueForNewest: answerOfNewest, areAllEqual: answers.every((each) => each === answerOfNewest) };
}

/**
 * The answer to `<IfVersion>` for both versions. For 2.2 the answer is unknown if `isTrueForNewest`
 * is null. It is also unknown if the releases of 2.2 differ, unless the condition is true for the
 * newest of them and for 2.4.
 */
function answerOfIfVersion({ isTrueForNewest, areAllEqual }: Answers22, in24: Activity): ConditionAnswer {
  if (isTrueForNewest === null) return in24 === 'unknown' ? 'differs' : { in22: 'unknown', in24 };
  if (areAllEqual) return answerOfBoth(activityFromBoolean(isTrueForNewest), in24);
  return isTrueForNewest && in24 === 'active' ? 'active' : { in22: 'unknown', in24 };
}

/** Modules that are compiled into every httpd. */
const BUILT_IN_MODULES = new Set(['core.c', 'core_module', 'http_core.c', 'http_module', 'mod_so.c', 'so_module']);

/** The answer of 2.2 to a condition on an MPM, if it is only known that it does not run event. */
function activityOfUnknownMpmIn22(name: string): Activity {
  return name === 'event' ? 'inactive' : 'unknown';
}

/**
 * The answer to `<IfModule>`: for both versions, or for 2.4 alone if `source` is 2.4.
 * `isAboveLoads`: whether the condition is above the LoadModule lines.
 */
function answerOfIfModule(
  open: Line,
  loadedModules: ReadonlySet<string>,
  source: Source,
  mpm: KnownMpm,
  isAboveLoads = false,
): ConditionAnswer {
  // The variable can hold the name of an MPM, or of a module that only one version has.
  if (open.text.includes('${')) return source === '2.4' ? 'unknown' : 'differs';
  const nameIn24 = nameInTag(open, 4);
  const knownModule = nameIn24 && moduleNamed(nameIn24.name);
  // The server needs mod_access_compat until all files are converted, and may drop it afterwards,
  // so its presence in 2.4 is unknown. If the condition is above the LoadModule lines, 2.4 may load
  // mod_authz_core only after it decides the condition.
  const isUncertainIn24 = knownModule === 'mod_access_compat' || (knownModule === 'mod_authz_core' && isAboveLoads);
  const activityIn24 = (name: string) => (isUncertainIn24 ? 'unknown' : activityOfModule('2.4', name, loadedModules));
  if (nameIn24 && source === '2.4') return activityIfNegated(activityIn24(nameIn24.name), nameIn24.isNegated);
  const nameIn22 = nameInTag(open, 2);
  if (nameIn24 === null) return 'unknown';
  if (nameIn22 === null) return { in22: 'unknown', in24: 'unknown' };
  // 2.2 reads quotes and spaces as part of the name, so the versions may read different names.
  if (nameIn22.name !== nameIn24.name)
    return answerOfBoth(
      activityIfNegated(activityOfModule('2.2', nameIn22.name, loadedModules), nameIn22.isNegated),
      activityIfNegated(activityIn24(nameIn24.name), nameIn24.isNegated),
    );
  const answerOfVersions = (activityFor22: Activity, activityFor24: Activity) =>
    answerOfBoth(
      activityIfNegated(activityFor22, nameIn24.isNegated),
      activityIfNegated(activityFor24, nameIn24.isNegated),
    );
  if (knownModule !== null && MPM_NAMES.has(knownModule)) {
    if (mpm === null) return 'mpm';
    return answerOfVersions(
      mpm.mpm22 === null ? activityOfUnknownMpmIn22(knownModule) : activityFromBoolean(knownModule === mpm.mpm22),
      activityFromBoolean(knownModule === mpm.mpm24),
    );
  }
  return answerOfVersions(activityOfModule('2.2', nameIn24.name, loadedModules), activityIn24(nameIn24.name));
}

/**
 * Whether a version has the module that `<IfModule>` names when it reads that line. `unknown` for
 * third-party modules, and for modules of httpd that may be loaded or not.
 */
function activityOfModule(version: Source, name: string, loadedModules: ReadonlySet<string>): Activity {
  if (BUILT_IN_MODULES.has(name)) return 'active';
  // httpd distinguishes upper and lower case. A name that is neither the source file nor the
  // identifier of a module never matches.
  if (moduleNameMeant(name) !== undefined || MODULES_OF_20.has(name)) return 'inactive';
  const knownModule = module(moduleNamed(name) ?? '');
  if (!knownModule) return 'unknown';
  const factsOfVersion = knownModule[version];
  if (!factsOfVersion)
    return version === '2.2' && MODULES_SEPARATE_FOR_22.has(knownModule.name) ? 'unknown' : 'inactive';
  // 2.4 does not start without this module.
  if (knownModule.name === 'mod_authz_core') return 'active';
  return factsOfVersion.sourceFile !== undefined && loadedModules.has(factsOfVersion.sourceFile) ? 'active' : 'unknown';
}

/** Modules of 2.0 that neither 2.2 nor 2.4 has. */
const MODULES_OF_20: ReadonlySet<string> = new Set(
  ['access', 'auth', 'auth_anon', 'auth_dbm', 'auth_ldap', 'imap'].flatMap((name) => [
    `mod_${name}.c`,
    `${name}_module`,
  ]),
);

/** Modules that are part of httpd since 2.4. For 2.2 they could be installed separately. */
const MODULES_SEPARATE_FOR_22 = new Set([
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

/**
 * Whether the condition names a module that 2.4 has, and that could be installed separately for
 * 2.2.
 */
function namesModuleSeparateFor22(open: Line): boolean {
  const namedModule = open.name === 'ifmodule' ? nameInTag(open, 2) : null;
  return namedModule !== null && MODULES_SEPARATE_FOR_22.has(module(moduleNamed(namedModule.name) ?? '')?.name ?? '');
}

function activityFromBoolean(isTrue: boolean): Activity {
  return isTrue ? 'active' : 'inactive';
}

/** One answer for both versions if they agree. Two answers that are both `unknown` also agree. */
function answerOfBoth(in22: Activity, in24: Activity): ConditionAnswer {
  return in22 === in24 ? in22 : { in22, in24 };
}

function activityIfNegated(answer: Activity, isNegated: boolean): Activity {
  if (!isNegated || answer === 'unknown') return answer;
  return answer === 'active' ? 'inactive' : 'active';
}
