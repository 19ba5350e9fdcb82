/**
 * Says where httpd 2.4 with mod_access_compat decides the opposite of what the old lines of a
 * section say. A conversion for a server that runs 2.4 keeps these decisions. Pure.
 */
import type { Scope } from '../config/configuration';
import type { Conversion } from '../access/configuration-conversion';
import { sectionName } from '../access/section-name';
import type { AccessPlan } from '../access/plan';
import { argumentsOf } from '../syntax/line';

/**
 * Sentences that name these sections. Empty if there are none. `plan`: for a server that runs 2.4.
 */
export function oppositesIn24({ groups }: AccessPlan): readonly string[] {
  const conversions = groups.flatMap((group) => group.conversions);
  return [
    ...oppositeText('denies', 'Allow', conversions.filter(deniesAll)),
    ...oppositeText('allows', 'Deny', conversions.filter(grantsAll)),
  ];
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether the new lines deny all requests, although among the old lines an Allow line decides. */
function deniesAll({ scope, tree, authMerging }: Conversion): boolean {
  return (
    authMerging === null &&
    tree?.type === 'denied' &&
    hasLine(scope, 'allow') &&
    (!hasLine(scope, 'deny') || allowOverridesDeny(scope))
  );
}

/** Whether the new lines allow all requests, although among the old lines a Deny line decides. */
function grantsAll({ scope, tree, authMerging }: Conversion): boolean {
  return (
    authMerging === null &&
    tree?.type === 'granted' &&
    hasLine(scope, 'deny') &&
    (!hasLine(scope, 'allow') || !allowOverridesDeny(scope))
  );
}

function hasLine({ lines }: Scope, name: string): boolean {
  return lines.some(({ line }) => line.name === name);
}

/** Whether Allow lines have precedence over Deny lines. This is the default of Order. */
function allowOverridesDeny({ lines }: Scope): boolean {
  const order = lines.findLast(({ line }) => line.name === 'order');
  return order === undefined || !/^allow/i.test(argumentsOf(order.line)[0]?.value ?? '');
}

function oppositeText(verb: string, line: string, conversions: readonly Conversion[]): readonly string[] {
  const names = [...new Set(conversions.map(({ scope }) => sectionName(scope)))];
  if (names.length === 0) return [];
  const few = names.slice(0, MAX_NAMED_SECTIONS).join(', ');
  const named = names.length > MAX_NAMED_SECTIONS ? `${few} and ${names.length - MAX_NAMED_SECTIONS} more` : few;
  return [`httpd 2.4 ${verb} all requests in ${named}, although the ${line} lines there say otherwise.`];
}

const MAX_NAMED_SECTIONS = 5;
