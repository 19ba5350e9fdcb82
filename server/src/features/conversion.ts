/**
 * Texts for the conversion of a whole configuration's access control: what it changes, assumes and
 * leaves, before the user decides; and the result afterwards. Computes texts only.
 */
import type { Edit } from '../rules/rule';

/** A file before and after, by its (paths have symbolic links resolved). */
export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Turns `before` into `after`: offsets in `before`, without overlaps. */
  readonly edits: readonly Edit[];
}

/** A section that is not converted. */
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
  /** Number of sections that get Require lines. */
  readonly sections: number;
  readonly changes: readonly FileChange[];
  /** Assumptions that the conversion depends on and that the files do not show. */
  readonly assumptions: readonly string[];
  readonly left: readonly LeftSection[];
  /** Configurations that are not converted, each with the reason. */
  readonly apart: readonly string[];
}

/** Makes a path short for display. */
export type Shown = (path: string) => string;

/**
 * A change of several files that is shown, confirmed, applied whole or not at all, and reported.
 */
export interface Plan {
  readonly question: string;
  /** The button that confirms. */
  readonly verb: string;
  /** Plain text; '' if the changes say everything. */
  readonly summary: string;
  /** The question and the summary, for a client without room for more. */
  readonly brief: string;
  /** The message after it is done. */
  readonly done: string;
  /** The user must check something first. */
  readonly isDoubtful: boolean;
  readonly changes: readonly FileChange[];
}

export function conversionPlan(conversion: Conversion, displayPath: Shown): Plan {
  return {
    question: conversionQuestion(conversion),
    verb: 'Convert',
    summary: conversionSummary(conversion, displayPath),
    brief: conversionBrief(conversion, displayPath),
    done: conversionDone(conversion),
    isDoubtful: conversion.assumptions.length > 0,
    changes: conversion.changes,
  };
}

/**
 * The plan for sections at one place: their questions are answered, so the text is empty unless the
 * user must check something.
 */
export function sectionPlan(conversion: Conversion, displayPath: Shown): Plan {
  const plan = conversionPlan(conversion, displayPath);
  return { ...plan, verb: 'Apply', summary: plan.isDoubtful ? plan.summary : '' };
}

/** A fix that changes files which are not open. */
export function fixPlan(title: string, changes: readonly FileChange[], displayPath: Shown): Plan {
  const question = `${title} in ${changes.length === 1 ? displayPath(changes[0]!.path) : amount(changes.length, 'file')}?`;
  const files = changes.length === 1 ? '' : ` Files: ${some(changes.map(({ path }) => displayPath(path)))}.`;
  return {
    question,
    verb: 'Apply',
    summary: '',
    brief: question + files,
    done: `Changed ${changes.length === 1 ? displayPath(changes[0]!.path) : amount(changes.length, 'file')}.`,
    isDoubtful: false,
    changes,
  };
}

/** Ready fixes of the upgrade plan. */
export function readyPlan(fixes: number, changes: readonly FileChange[], displayPath: Shown): Plan {
  const what = `${amount(fixes, 'change')} in ${changes.length === 1 ? displayPath(changes[0]!.path) : amount(changes.length, 'file')}`;
  const question = `Apply ${what}?`;
  return {
    question,
    verb: 'Apply',
    summary: '',
    brief: `${question} Files: ${some(changes.map(({ path }) => displayPath(path)))}.`,
    done: `Applied ${what}.`,
    isDoubtful: false,
    changes,
  };
}

/** The question, and the two buttons. */
function conversionQuestion({ sections, changes }: Conversion): string {
  return `Convert ${amount(sections, 'section')} in ${amount(changes.length, 'file')}?`;
}

/** The full summary as plain text, so that names of files cannot act as markup. */
function conversionSummary(
  { roots, sections, changes, assumptions, left, apart }: Conversion,
  displayPath: Shown,
): string {
  const rows = [
    `Access control of ${roots.map(displayPath).join(', ')}`,
    '',
    `${amount(sections, 'section')} in ${amount(changes.length, 'file')} ${sections === 1 ? 'gets' : 'get'} Require lines for 2.4. Nothing is written yet.`,
    '',
    ...bulletList(changes.map(({ path }) => displayPath(path))),
  ];
  if (assumptions.length > 0)
    rows.push(
      'Check these points first. The conversion keeps all decisions of 2.2, as far as the files show. The files do not show this:',
      '',
      ...bulletList(assumptions),
    );
  if (left.length > 0)
    rows.push(
      'These sections are not converted:',
      '',
      ...bulletList(left.map((each) => `${displayPath(each.path)}:${each.line} ${each.section}: ${each.reason}`)),
    );
  if (apart.length > 0) rows.push('These configurations are not converted:', '', ...bulletList(apart));
  return `${rows.join('\n').trimEnd()}\n`;
}

/** A short form for a client's dialog. */
function conversionBrief(conversion: Conversion, displayPath: Shown): string {
  const { changes, assumptions, left } = conversion;
  const parts = [conversionQuestion(conversion), `Files: ${some(changes.map(({ path }) => displayPath(path)))}.`];
  if (assumptions.length > 0) parts.push(`Check first: ${some(assumptions, '; ')}.`);
  if (left.length > 0)
    parts.push(
      `${amount(left.length, 'section')} ${left.length === 1 ? 'is' : 'are'} not converted, such as ${left[0]!.section}: ${left[0]!.reason}.`,
    );
  return parts.join(' ');
}

/** The message after it is done. */
function conversionDone({ sections, changes, left }: Conversion): string {
  const rest = left.length === 0 ? '' : ` ${left.length} ${left.length === 1 ? 'is' : 'are'} left.`;
  return `Converted ${amount(sections, 'section')} in ${amount(changes.length, 'file')}.${rest}`;
}

function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Number of items of a list in short texts. */
const FEW = 3;

function some(items: readonly string[], between = ', '): string {
  const more = items.length - FEW;
  return items.slice(0, FEW).join(between) + (more > 0 ? `${between}and ${more} more` : '');
}

function bulletList(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [...items.map((item) => `- ${item.replace(/\s+/g, ' ')}`), ''];
}
