/**
 * Makes the texts about the conversion of a configuration's access control. Before the conversion,
 * they say what it changes, assumes and leaves out. After it, they say what it has changed.
 */
import type { Edit } from '../rules/rule';

/** The text of a file before and after a change. The path has symbolic links resolved. */
export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** The edits that turn `before` into `after`: offsets in `before`, without overlaps. */
  readonly edits: readonly Edit[];
}

/** A section that is not converted. */
export interface UnconvertedSection {
  readonly path: string;
  /** The 1-based line number of the section's open tag. */
  readonly line: number;
  /** The open tag of the section, such as `<Directory /srv>`. */
  readonly section: string;
  /** Why the section is not converted. */
  readonly reason: string;
}

/** The conversion of the access control of one or more configurations. */
export interface Conversion {
  /** The main files of the configurations. */
  readonly roots: readonly string[];
  /** Number of sections that get Require lines. */
  readonly sectionCount: number;
  /** The changed files, each with its text before and after the conversion. */
  readonly changes: readonly FileChange[];
  /** The assumptions of the conversion: facts that the files do not show. */
  readonly assumptions: readonly string[];
  readonly unconvertedSections: readonly UnconvertedSection[];
  /** For each configuration that is not converted at all, the reason. */
  readonly reasonsNotConverted: readonly string[];
}

/** A function that takes the path of a file, and returns the name to show in messages. */
export type DisplayName = (path: string) => string;

/**
 * A change of several files. It is shown to the user, who confirms it, and then made completely or
 * not at all.
 */
export interface ChangePlan {
  /** The question whether to make the change. */
  readonly question: string;
  /** The text on the button that confirms. */
  readonly buttonText: string;
  /** A description of the change as plain text; '' if the question is enough. */
  readonly summary: string;
  /** The question and the summary in a short form, for clients that show little text. */
  readonly shortText: string;
  /** The message after the change is made. */
  readonly messageAfter: string;
  /** Whether the user must check something first. */
  readonly needsCheck: boolean;
  /** The changed files. */
  readonly changes: readonly FileChange[];
}

/**
 * The plan for a conversion of whole configurations. Its summary says what the conversion assumes
 * and what it leaves out.
 */
export function conversionPlan(conversion: Conversion, displayPath: DisplayName): ChangePlan {
  return {
    question: conversionQuestion(conversion),
    buttonText: 'Convert',
    summary: conversionSummary(conversion, displayPath),
    shortText: conversionShortText(conversion, displayPath),
    messageAfter: conversionMessageAfter(conversion),
    needsCheck: conversion.assumptions.length > 0,
    changes: conversion.changes,
  };
}

/**
 * The plan for a conversion of the sections at one place. The questions about them are answered, so
 * the summary is empty, except if the user must check something.
 */
export function sectionPlan(conversion: Conversion, displayPath: DisplayName): ChangePlan {
  const plan = conversionPlan(conversion, displayPath);
  return { ...plan, buttonText: 'Apply', summary: plan.needsCheck ? plan.summary : '' };
}

/** The plan for a fix that changes files which are not open. */
export function fixPlan(title: string, changes: readonly FileChange[], displayPath: DisplayName): ChangePlan {
  const question = `${title} in ${changes.length === 1 ? displayPath(changes[0]!.path) : countWithNoun(changes.length, 'file')}?`;
  const files = changes.length === 1 ? '' : ` Files: ${firstItemsText(changes.map(({ path }) => displayPath(path)))}.`;
  return {
    question,
    buttonText: 'Apply',
    summary: '',
    shortText: question + files,
    messageAfter: `Changed ${changes.length === 1 ? displayPath(changes[0]!.path) : countWithNoun(changes.length, 'file')}.`,
    needsCheck: false,
    changes,
  };
}

/** The plan for ready fixes of the upgrade plan. */
export function readyFixesPlan(fixes: number, changes: readonly FileChange[], displayPath: DisplayName): ChangePlan {
  const changesAndFiles = `${countWithNoun(fixes, 'change')} in ${changes.length === 1 ? displayPath(changes[0]!.path) : countWithNoun(changes.length, 'file')}`;
  const question = `Apply ${changesAndFiles}?`;
  return {
    question,
    buttonText: 'Apply',
    summary: '',
    shortText: `${question} Files: ${firstItemsText(changes.map(({ path }) => displayPath(path)))}.`,
    messageAfter: `Applied ${changesAndFiles}.`,
    needsCheck: false,
    changes,
  };
}

/** The question whether to convert. */
function conversionQuestion({ sectionCount, changes }: Conversion): string {
  return `Convert ${countWithNoun(sectionCount, 'section')} in ${countWithNoun(changes.length, 'file')}?`;
}

/** The full summary. It is plain text, so that names of files cannot act as markup. */
function conversionSummary(
  { roots, sectionCount, changes, assumptions, unconvertedSections, reasonsNotConverted }: Conversion,
  displayPath: DisplayName,
): string {
  const summaryLines = [
    `Access control of ${roots.map(displayPath).join(', ')}`,
    '',
    `${countWithNoun(sectionCount, 'section')} in ${countWithNoun(changes.length, 'file')} ${sectionCount === 1 ? 'gets' : 'get'} Require lines for 2.4. Nothing is written yet.`,
    '',
    ...bulletList(changes.map(({ path }) => displayPath(path))),
  ];
  if (assumptions.length > 0)
    summaryLines.push(
      'Check these points first. The conversion keeps all decisions of 2.2, as far as the files show. The files do not show this:',
      '',
      ...bulletList(assumptions),
    );
  if (unconvertedSections.length > 0)
    summaryLines.push(
      'These sections are not converted:',
      '',
      ...bulletList(
        unconvertedSections.map((each) => `${displayPath(each.path)}:${each.line} ${each.section}: ${each.reason}`),
      ),
    );
  if (reasonsNotConverted.length > 0)
    summaryLines.push('These configurations are not converted:', '', ...bulletList(reasonsNotConverted));
  return `${summaryLines.join('\n').trimEnd()}\n`;
}

/** The summary in a short form, for a dialog. */
function conversionShortText(conversion: Conversion, displayPath: DisplayName): string {
  const { changes, assumptions, unconvertedSections } = conversion;
  const shortSentences = [
    conversionQuestion(conversion),
    `Files: ${firstItemsText(changes.map(({ path }) => displayPath(path)))}.`,
  ];
  if (assumptions.length > 0) shortSentences.push(`Check first: ${firstItemsText(assumptions, '; ')}.`);
  if (unconvertedSections.length > 0)
    shortSentences.push(
      `${countWithNoun(unconvertedSections.length, 'section')} ${unconvertedSections.length === 1 ? 'is' : 'are'} not converted, such as ${unconvertedSections[0]!.section}: ${unconvertedSections[0]!.reason}.`,
    );
  return shortSentences.join(' ');
}

/** The message after the conversion. */
function conversionMessageAfter({ sectionCount, changes, unconvertedSections }: Conversion): string {
  const unconvertedText =
    unconvertedSections.length === 0
      ? ''
      : ` ${unconvertedSections.length} ${unconvertedSections.length === 1 ? 'is' : 'are'} left.`;
  return `Converted ${countWithNoun(sectionCount, 'section')} in ${countWithNoun(changes.length, 'file')}.${unconvertedText}`;
}

function countWithNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit for the listed items in short texts. */
const MAX_LISTED_ITEMS = 3;

function firstItemsText(items: readonly string[], separator = ', '): string {
  const unlistedCount = items.length - MAX_LISTED_ITEMS;
  return (
    items.slice(0, MAX_LISTED_ITEMS).join(separator) +
    (unlistedCount > 0 ? `${separator}and ${unlistedCount} more` : '')
  );
}

function bulletList(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [...items.map((item) => `- ${item.replace(/\s+/g, ' ')}`), ''];
}
