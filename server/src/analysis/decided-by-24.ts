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
    ...sentence('denies', 'Allow', conversions.filter(isDenied)),
    ...sentence('allows', 'Deny', conversions.filter(isGranted)),
  ];
}

// ---------------------------------------------------------------------------------------------------------------------

/** All requests are denied, although an Allow line decides among the old lines. */
function isDenied({ scope, tree, merging }: Conversion): boolean {
  return (
    merging === null && tree?.type === 'denied' && has(scope, 'allow') && (!has(scope, 'deny') || isAllowLast(scope))
  );
}

/** All requests are allowed, although a Deny line decides among the old lines. */
function isGranted({ scope, tree, merging }: Conversion): boolean {
  return (
    merging === null && tree?.type === 'granted' && has(scope, 'deny') && (!has(scope, 'allow') || !isAllowLast(scope))
  );
}

function has({ lines }: Scope, name: string): boolean {
  return lines.some(({ line }) => line.name === name);
}

/** Whether Allow lines have precedence over Deny lines. This is the default of Order. */
function isAllowLast({ lines }: Scope): boolean {
  const order = lines.findLast(({ line }) => line.name === 'order');
  return order === undefined || !/^allow/i.test(argumentsOf(order.line)[0]?.value ?? '');
}

function sentence(verb: string, line: string, conversions: readonly Conversion[]): readonly string[] {
  const names = [...new Set(conversions.map(({ scope }) => sectionName(scope)))];
  if (names.length === 0) return [];
  const few = names.slice(0, FEW).join(', ');
  const named = names.length > FEW ? `${few} and ${names.length - FEW} more` : few;
  return [`httpd 2.4 ${verb} all requests in ${named}, although the ${line} lines there say otherwise.`];
}

const FEW = 5;
