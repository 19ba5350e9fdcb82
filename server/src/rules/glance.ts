/** How a rule is woken: what it declares (`wakes` and `glances` of rule.ts) as a table for the lines of one name in one kind of place. Whoever asks rules goes by it; what a rule finds does not hang on it. */
import { LineKind, type Line } from '../syntax/line';
import type { Context, Glance, LineRule, UnitRule } from './rule';

/** What there is to see of lines of a name before a rule is asked about them; null where nothing tells. */
export function glanceOf(
  { glances }: Pick<LineRule, 'glances'>,
  { name, kind }: Pick<Line, 'name' | 'kind'>,
  context: Pick<Context, 'containers' | 'isHtaccess'>,
): Glance | null {
  if (glances === undefined || kind === LineKind.Close) return null;
  const key = kind === LineKind.Open ? `<${name}` : name;
  const glance = Object.hasOwn(glances, key) ? glances[key]! : glances['*'];
  return glance === undefined || (glance.at !== undefined && !IS_AT[glance.at](context)) ? null : glance;
}

/** Whether a look at the text says that nothing is to be found in the line. */
export function isFineAtAGlance(line: Line, { needs, passes }: Glance): boolean {
  if (line.isJoined) return false;
  return (needs !== undefined && !needs.test(line.text)) || (passes !== undefined && passes.test(line.text));
}

/** Whether lines of a name may be reason to look at the unit that they stand in, as far as name and place tell. */
export function mayWake(
  { wakes }: UnitRule,
  name: string,
  context: Pick<Context, 'containers' | 'isHtaccess'>,
): boolean {
  if (wakes === undefined) return true;
  return (wakes.names === undefined || wakes.names.includes(name)) && (wakes.at !== 'server' || isServerLevel(context));
}

const IS_AT: Readonly<
  Record<NonNullable<Glance['at']>, (context: Pick<Context, 'containers' | 'isHtaccess'>) => boolean>
> = {
  server: isServerLevel,
  host: (context) => isServerLevel(context) && context.containers.length === 1,
};

/** In a file of the server, outside of sections for a place: at its top, or in a virtual host. */
function isServerLevel({ containers, isHtaccess }: Pick<Context, 'containers' | 'isHtaccess'>): boolean {
  return !isHtaccess && (containers.length === 0 || (containers.length === 1 && containers[0] === 'virtualhost'));
}
