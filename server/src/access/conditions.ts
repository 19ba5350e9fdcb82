/**
 * Which conditions hold for access control. What is converted has to be right for a server of 2.2 before and one of 2.4 afterwards: so a condition is known where both
 * agree, and where they do not, it is another configuration in each (docs/access-control.md, "What has no exact translation").
 */
import { activityOf, both, type Activity } from '../config/activity';
import type { ConditionAnswer } from '../config/configuration';
import { moduleNamed } from '../config/modules';
import { DEFAULT_TARGET, type Target } from '../config/target';
import { module } from '../directives/index';
import { argumentsOf, type Line } from '../syntax/line';
import type { Source } from './model';

/** For `ReadOptions.conditions`. `loaded`: source files of the modules that are loaded for sure where the condition stands. */
export function accessConditions(
  source: Source = '2.2',
  target: Target = DEFAULT_TARGET,
): (open: Line, loaded: ReadonlySet<string>) => ConditionAnswer | undefined {
  return (open, loaded) => {
    if (open.name === 'ifmodule') return ifModule(open, loaded, source);
    // That is for whoever knows what the server is started with.
    if (open.name === 'ifdefine') return undefined;
    const now = activityOf(open, target);
    if (source === '2.4' || open.name !== 'ifversion') return now;
    return agreed(activityOf(open, HTTPD_22), now);
  };
}

/** For `ReadOptions.conditions`: what 2.2 makes of a condition. Whoever asks for a module that did not come with 2.2 wrote for another version. */
export function conditionsOf22(open: Line, loaded: ReadonlySet<string>): Activity | undefined {
  if (open.name === 'ifdefine') return undefined;
  if (open.name !== 'ifmodule') return activityOf(open, HTTPD_22);
  const asked = moduleAsked(open);
  if (asked === null) return 'unknown';
  const known = module(moduleNamed(asked.name) ?? '');
  const answer = known && !known['2.2'] ? 'inactive' : moduleIn('2.2', asked.name, loaded);
  return negated(answer, asked.isNegated) as Activity;
}

// ---------------------------------------------------------------------------------------------------------------------

const HTTPD_22: Target = { major: 2, minor: 2, patch: Infinity };

/** Compiled into every httpd. */
const BUILT_IN = new Set(['core.c', 'core_module', 'http_core.c', 'http_module', 'mod_so.c', 'so_module']);

function ifModule(open: Line, loaded: ReadonlySet<string>, source: Source): ConditionAnswer {
  const asked = moduleAsked(open);
  if (asked === null) return 'unknown';
  const { name, isNegated } = asked;
  const before = moduleIn('2.2', name, loaded);
  // Once everything is converted, mod_access_compat goes.
  const now =
    moduleNamed(name) === 'mod_access_compat'
      ? source === '2.4'
        ? 'unknown'
        : 'inactive'
      : moduleIn('2.4', name, loaded);
  return negated(source === '2.4' ? now : agreed(before, now), isNegated);
}

/** What an `<IfModule>` asks for; null where that hangs on a variable. */
function moduleAsked(open: Line): { readonly name: string; readonly isNegated: boolean } | null {
  const [word] = argumentsOf(open);
  if (!word || word.value.includes('${')) return null;
  const isNegated = word.value.startsWith('!');
  return { name: isNegated ? word.value.slice(1) : word.value, isNegated };
}

/** Whether a version has a module there, by the name that `<IfModule>` gives it. Of modules that do not come with httpd nobody knows what becomes. */
function moduleIn(version: Source, name: string, loaded: ReadonlySet<string>): Activity {
  if (BUILT_IN.has(name)) return 'active';
  const known = module(moduleNamed(name) ?? '');
  if (!known) return 'unknown';
  const facts = known[version];
  if (!facts) return version === '2.2' && EARLIER.has(known.name) ? 'unknown' : 'inactive';
  // No 2.4 starts without it.
  if (known.name === 'mod_authz_core') return 'active';
  return facts.sourceFile !== undefined && loaded.has(facts.sourceFile) ? 'active' : 'unknown';
}

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

function agreed(before: Activity, now: Activity): ConditionAnswer {
  if (before === now) return before;
  if (before !== 'unknown' && now !== 'unknown') return before === 'active' ? 'before' : 'after';
  return both(before, now) === 'inactive' ? 'differs' : 'unknown';
}

function negated(answer: ConditionAnswer, isNegated: boolean): ConditionAnswer {
  if (!isNegated || answer === 'unknown' || answer === 'differs') return answer;
  if (answer === 'before' || answer === 'after') return answer === 'before' ? 'after' : 'before';
  return answer === 'active' ? 'inactive' : 'active';
}
