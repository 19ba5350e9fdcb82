/**
 * Finds the sections for which httpd 2.4 with mod_access_compat decides the opposite of what their
 * old lines say. If the server already runs 2.4, the conversion keeps these decisions.
 */
import type { Scope } from '../config/configuration';
import type { Conversion } from '../access/configuration-conversion';
import { sectionName } from '../access/section-name';
import type { AccessPlan } from '../access/plan';
import { argumentsOf } from '../syntax/line';

/**
 * Sentences about sections for which 2.4 decides the opposite of their old lines. Empty if there
 * are no such sections. The plan must be for a server that runs 2.4.
 */
export function differencesOf24({ groups }: AccessPlan): readonly string[] {
  const conversions = groups.flatMap((group) => group.conversions);
  return [
    ...sentencesAboutDenying(conversions.filter(deniesAll)),
    ...sentencesAboutDifference('allows', 'Deny', conversions.filter(grantsAll)),
  ];
}

/**
 * The conversions to `Require all denied` of sections whose Allow lines say otherwise. The plan
 * must be for a server that runs 2.4.
 */
export function conversionsDenying({ groups }: AccessPlan): readonly Conversion[] {
  return groups.flatMap((group) => group.conversions).filter(deniesAll);
}

/**
 * The sentence that 2.4 denies all requests in the sections of these conversions. Empty if there
 * are no conversions.
 */
export function sentencesAboutDenying(conversions: readonly Conversion[]): readonly string[] {
  return sentencesAboutDifference('denies', 'Allow', conversions);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether the new lines deny all requests, although an Allow line says that some are allowed. */
function deniesAll({ scope, tree, authMerging }: Conversion): boolean {
  return (
    authMerging === null &&
    tree?.type === 'denied' &&
    hasLine(scope, 'allow') &&
    (!hasLine(scope, 'deny') || allowOverridesDeny(scope))
  );
}

/** Whether the new lines allow all requests, although a Deny line says that some are denied. */
function grantsAll({ scope, tree, authMerging }: Conversion): boolean {
  return (
    authMerging === null &&
    tree?.type === 'granted' &&
    hasLine(scope, 'deny') &&
    (!hasLine(scope, 'allow') || !allowOverridesDeny(scope))
  );
}

/** Whether a section has a line with this directive. `name`: in lower case. */
function hasLine({ lines }: Scope, name: string): boolean {
  return lines.some(({ line }) => line.name === name);
}

/**
 * Whether an Allow line that matches overrides the Deny lines. It does if Order has its default or
 * begins with `deny`.
 */
function allowOverridesDeny({ lines }: Scope): boolean {
  const order = lines.findLast(({ line }) => line.name === 'order');
  return order === undefined || !/^allow/i.test(argumentsOf(order.line)[0]?.value ?? '');
}

/**
 * The sentence that 2.4 allows or denies all requests in the sections of these conversions,
 * although the lines of a directive say otherwise. Empty if there are no conversions. `verb`:
 * `allows` or `denies`.
 */
function sentencesAboutDifference(verb: string, line: string, conversions: readonly Conversion[]): readonly string[] {
  const sectionNames = [...new Set(conversions.map(({ scope }) => sectionName(scope)))];
  if (sectionNames.length === 0) return [];
  const firstNames = sectionNames.slice(0, MAX_NAMED_SECTIONS).join(', ');
  const sectionText =
    sectionNames.length > MAX_NAMED_SECTIONS
      ? `${firstNames} and ${sectionNames.length - MAX_NAMED_SECTIONS} more`
      : firstNames;
  return [`httpd 2.4 ${verb} all requests in ${sectionText}, although the ${line} lines there say otherwise.`];
}

/** Maximum number of sections that a sentence names. */
const MAX_NAMED_SECTIONS = 5;
