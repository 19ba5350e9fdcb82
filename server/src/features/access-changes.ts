/**
 * Shows which clients gain or lose access, as JSON and as Markdown: for `access --diff` and for
 * editors.
 */
import type { DirectionOfChange, ChangeOfSection, DiffWitness, SectionDiff } from '../requests/access-diff';
import { requestText, requestUrl, STATUS_TEXT } from '../requests/request-text';
import type { FileLine, UnknownFact } from '../requests/model';
import { codeSpan, escapeMarkdown } from './markdown-text';
import { missingPartsNotes, factsJson } from './missing-parts';

/** A function that takes the path of a file, and returns the name to show in messages. */
export type DisplayName = (file: string) => string;

/**
 * The data that `access --diff --format json` prints. Scripts rely on its form, so the form must
 * not change. Lines count from 0.
 */
export function accessDiffJson(sections: readonly SectionDiff[], displayPath: DisplayName): Record<string, unknown> {
  const changeJson = ({ change, witness, loss }: ChangeOfSection) => ({
    change,
    witness: witness && witnessJson(witness),
    ...(loss && { loss: witnessJson(loss) }),
  });
  const facts = missingFacts(sections);
  return {
    version: 1,
    sections: sections.map(({ name, file, line, changeInCopy, ...change }) => ({
      name,
      file: displayPath(file),
      line,
      ...changeJson(change),
      ...(changeInCopy && { ofCopy: changeJson(changeInCopy) }),
    })),
    ...(facts.length > 0 && { missing: factsJson(facts, displayPath) }),
  };
}

/** Returns the changes of access as Markdown, for a comment on a pull request. */
export function accessDiffMarkdown(sections: readonly SectionDiff[], displayPath: DisplayName): string {
  const placeText = ({ file, line }: FileLine) => codeSpan(`${displayPath(file)}:${line + 1}`);
  const changedSections = changedSectionRows(sections);
  const tableRows = changedSections.map(({ section, change, witness }) => {
    const { name, file, line, isOnlyInOld } = section;
    return `| ${tableCell(codeSpan(name))} ${isOnlyInOld ? '(removed) ' : ''}${placeText({ file, line })} | ${CHANGE_WORDS[change]} | ${tableCell(witness ? witnessMarkdown(witness) : '')} |`;
  });
  return [
    `**${escapeMarkdown(accessVerdict(sections))}**`,
    ...(tableRows.length > 0 ? ['', '| Section | Access | Request |', '| --- | --- | --- |', ...tableRows] : []),
    '',
    ...missingPartsNoteOf(sections, placeText),
  ].join('\n');
}

/**
 * The note, in Markdown, about files and modules that are missing in this copy of the
 * configuration. Empty if every change is certain without them.
 */
export function missingPartsNoteOf(
  sections: readonly SectionDiff[],
  placeText: (place: FileLine) => string,
): readonly string[] {
  const facts = missingFacts(sections);
  if (facts.length === 0) return [];
  return missingPartsNotes(
    'This',
    facts,
    ({ what, place }) => `${what}${place === null ? '' : ` (${placeText(place)})`}`,
  );
}

/** The facts about missing files and modules on which the shown changes depend. */
function missingFacts(sections: readonly SectionDiff[]): UnknownFact[] {
  return sections.flatMap(({ changeInCopy, missingFacts }) => (changeInCopy === null ? [] : missingFacts));
}

/**
 * The section with the change to show. If the change is unknown only because parts are missing in
 * this copy, shows the change that holds if those parts do not matter.
 */
function shownChange(section: SectionDiff): SectionDiff {
  return section.changeInCopy === null ? section : { ...section, ...section.changeInCopy };
}

/** Says in one sentence whether clients gain or lose access. */
export function accessVerdict(sections: readonly SectionDiff[]): string {
  const condition = sections.some(({ changeInCopy }) => changeInCopy !== null)
    ? ', if the missing parts do not matter'
    : '';
  const sectionCountWith = (...changes: readonly DirectionOfChange[]) =>
    sections
      .filter((section) => changes.includes(shownChange(section).change))
      .reduce((sum, { sectionCount = 1 }) => sum + sectionCount, 0);
  const [gains, losses, unknown] = [
    sectionCountWith('gain', 'both'),
    sectionCountWith('loss', 'both'),
    sectionCountWith('unknown'),
  ];
  if (gains + losses + unknown === 0) return `No client gains or loses access${condition}.`;
  const countsSentence = [
    ...(gains > 0 ? [`clients gain access in ${sectionCountText(gains)}`] : []),
    ...(losses > 0 ? [`clients lose access in ${sectionCountText(losses)}`] : []),
    ...(unknown > 0 ? [`it is not known whether access changes in ${sectionCountText(unknown)}`] : []),
  ].join(', ');
  return `${countsSentence[0]!.toUpperCase()}${countsSentence.slice(1)}${condition}.`;
}

/** The rows for sections whose access changes: first gains, then unknown changes, then losses. */
export function changedSectionRows(sections: readonly SectionDiff[]): {
  readonly section: SectionDiff;
  readonly change: 'gain' | 'loss' | 'unknown';
  readonly witness: DiffWitness | null;
}[] {
  const withChange = (change: 'gain' | 'loss' | 'unknown') =>
    sections.map(shownChange).flatMap((section) => {
      const isLossOfBoth = section.change === 'both' && change === 'loss';
      if (isLossOfBoth) return [{ section, change, witness: section.loss }];
      const matchesChange = section.change === change || (section.change === 'both' && change === 'gain');
      return matchesChange ? [{ section, change, witness: section.witness }] : [];
    });
  return [...withChange('gain'), ...withChange('unknown'), ...withChange('loss')];
}

/** The words for each change of access in a table. */
export const CHANGE_WORDS: Readonly<Record<'gain' | 'loss' | 'unknown', string>> = {
  gain: 'gains',
  loss: 'loses',
  unknown: 'unknown',
};

/**
 * Returns a request with the status codes before and after: `GET /admin from 203.0.113.9: 403 →
 * 200`.
 */
export function witnessText({ request, before, after }: DiffWitness): string {
  return `${requestText(request)}: ${STATUS_TEXT[before]} → ${STATUS_TEXT[after]}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A request with its answers before and after, as JSON. */
function witnessJson({ request, before, after }: DiffWitness): Record<string, unknown> {
  return {
    request: `${request.method} ${requestUrl(request)}`,
    from: request.from,
    user: request.user,
    before,
    after,
    ...(request.headers.size > 0 && { headers: Object.fromEntries(request.headers) }),
  };
}

function witnessMarkdown({ request, before, after }: DiffWitness): string {
  return `${codeSpan(requestText(request))}: ${STATUS_TEXT[before]} → ${STATUS_TEXT[after]}`;
}

function tableCell(markdown: string): string {
  return markdown.replace(/(?<!\\)\|/g, '\\|');
}

function sectionCountText(count: number): string {
  return `${count} ${count === 1 ? 'section' : 'sections'}`;
}
