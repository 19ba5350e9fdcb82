/**
 * The conversion of a whole configuration's access control as people are told of it: what it changes, what it assumes and what it leaves,
 * before they decide; and what happened, afterwards. Texts only, of values that somebody else worked out.
 */
import type { Edit } from '../rules/rule';

/** A file before and after, by its path without links. */
export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** From `before` to `after`: offsets in `before`, without overlaps. */
  readonly edits: readonly Edit[];
}

/** A section that stays as it is. */
export interface LeftSection {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly section: string;
  readonly reason: string;
}

export interface Conversion {
  /** The main files of the configurations. */
  readonly roots: readonly string[];
  /** How many sections get a Require tree. */
  readonly sections: number;
  readonly changes: readonly FileChange[];
  /** What nobody could find out, and what has to be so for the conversion to be right. */
  readonly assumptions: readonly string[];
  readonly left: readonly LeftSection[];
  /** Configurations that are left alone, each with the reason. */
  readonly apart: readonly string[];
}

/** How paths are shown to people. */
export type Shown = (path: string) => string;

/** A change of several files that is shown, asked for, made whole or not at all, and told of. */
export interface Plan {
  readonly question: string;
  /** The answer that means yes. */
  readonly verb: string;
  /** Plain text; '' where the changes say it all. */
  readonly summary: string;
  /** The question and the summary, for a client that has no room for more. */
  readonly brief: string;
  /** Said when it is done. */
  readonly done: string;
  /** Something has to be checked first. */
  readonly isDoubtful: boolean;
  readonly changes: readonly FileChange[];
}

export function conversionPlan(conversion: Conversion, shown: Shown): Plan {
  return {
    question: conversionQuestion(conversion),
    verb: 'Convert',
    summary: conversionSummary(conversion, shown),
    brief: conversionBrief(conversion, shown),
    done: conversionDone(conversion),
    isDoubtful: conversion.assumptions.length > 0,
    changes: conversion.changes,
  };
}

/** The same for sections at one place: what they wait for is answered, and nothing else is left to say unless something has to be checked first. */
export function sectionPlan(conversion: Conversion, shown: Shown): Plan {
  const plan = conversionPlan(conversion, shown);
  return { ...plan, verb: 'Apply', summary: plan.isDoubtful ? plan.summary : '' };
}

/** A fix that changes files which are not open. */
export function fixPlan(title: string, changes: readonly FileChange[], shown: Shown): Plan {
  const question = `${title} in ${changes.length === 1 ? shown(changes[0]!.path) : amount(changes.length, 'file')}?`;
  const files = changes.length === 1 ? '' : ` Files: ${some(changes.map(({ path }) => shown(path)))}.`;
  return {
    question,
    verb: 'Apply',
    summary: '',
    brief: question + files,
    done: `Changed ${changes.length === 1 ? shown(changes[0]!.path) : amount(changes.length, 'file')}.`,
    isDoubtful: false,
    changes,
  };
}

/** Fixes of the upgrade plan that are ready. */
export function readyPlan(fixes: number, changes: readonly FileChange[], shown: Shown): Plan {
  const what = `${amount(fixes, 'change')} in ${changes.length === 1 ? shown(changes[0]!.path) : amount(changes.length, 'file')}`;
  const question = `Apply ${what}?`;
  return {
    question,
    verb: 'Apply',
    summary: '',
    brief: `${question} Files: ${some(changes.map(({ path }) => shown(path)))}.`,
    done: `Applied ${what}.`,
    isDoubtful: false,
    changes,
  };
}

/** The headline of what is asked, and the two answers. */
function conversionQuestion({ sections, changes }: Conversion): string {
  return `Convert ${amount(sections, 'section')} in ${amount(changes.length, 'file')}?`;
}

/** All of it, as plain text: whatever names a file has in it, they make no markup. */
function conversionSummary({ roots, sections, changes, assumptions, left, apart }: Conversion, shown: Shown): string {
  const rows = [
    `Access control of ${roots.map(shown).join(', ')}`,
    '',
    `${amount(sections, 'section')} in ${amount(changes.length, 'file')} ${sections === 1 ? 'gets' : 'get'} Require lines for 2.4. Nothing is written yet.`,
    '',
    ...list(changes.map(({ path }) => shown(path))),
  ];
  if (assumptions.length > 0)
    rows.push(
      'Check these points first. The conversion keeps all decisions of 2.2, as far as the files show. The files do not show this:',
      '',
      ...list(assumptions),
    );
  if (left.length > 0)
    rows.push(
      'These sections are not converted:',
      '',
      ...list(left.map((each) => `${shown(each.path)}:${each.line} ${each.section}: ${each.reason}`)),
    );
  if (apart.length > 0) rows.push('These configurations are not converted:', '', ...list(apart));
  return `${rows.join('\n').trimEnd()}\n`;
}

/** The same for a dialog of a client that has no room for more. */
function conversionBrief(conversion: Conversion, shown: Shown): string {
  const { changes, assumptions, left } = conversion;
  const parts = [conversionQuestion(conversion), `Files: ${some(changes.map(({ path }) => shown(path)))}.`];
  if (assumptions.length > 0) parts.push(`Check first: ${some(assumptions, '; ')}.`);
  if (left.length > 0)
    parts.push(
      `${amount(left.length, 'section')} ${left.length === 1 ? 'is' : 'are'} not converted, such as ${left[0]!.section}: ${left[0]!.reason}.`,
    );
  return parts.join(' ');
}

/** What is said when it is done. */
function conversionDone({ sections, changes, left }: Conversion): string {
  const rest = left.length === 0 ? '' : ` ${left.length} ${left.length === 1 ? 'is' : 'are'} left.`;
  return `Converted ${amount(sections, 'section')} in ${amount(changes.length, 'file')}.${rest}`;
}

function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** So many items of a list are said where there is little room. */
const FEW = 3;

function some(items: readonly string[], between = ', '): string {
  const more = items.length - FEW;
  return items.slice(0, FEW).join(between) + (more > 0 ? `${between}and ${more} more` : '');
}

function list(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [...items.map((item) => `- ${item.replace(/\s+/g, ' ')}`), ''];
}
