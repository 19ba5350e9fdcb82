/**
 * Makes the open questions of a conversion: facts that the files do not show. Some could make the
 * conversion unsafe; others would allow converting more sections.
 */
import type { ConfigLine } from '../config/configuration';
import { namesIn } from '../config/name-set';
import { spelledName } from '../syntax/line';
import type { AccessStates } from './access-states';
import { shortLineText, someLine, type ConversionInput } from './conversion-input';
import { openQuestion, RUNNING_VERSION, type OpenQuestion } from './open-question';
import { addStates } from './inherited-by-section';
import type { InheritedAccess } from './inherited-access';
import { isReason, isSameReason, type NotConverted } from './not-converted';
import { runningQuestion } from './running';
import { OLD_NAMES } from './read';
import { needsOwnTree, type PlacedOperand } from './section-access';
import { overlapSubject, sectionName } from './section-name';
import { tagPosition, type SectionEntry } from './section-order';
import type { SectionsBefore } from './sections-before';
import { unknownInScope } from './template';

/** Questions that must be answered before the conversion is safe. */
export function questionsOf(
  entries: readonly SectionEntry[],
  input: ConversionInput,
  before: SectionsBefore,
): OpenQuestion[] {
  return [
    ...halfConvertedQuestions(entries),
    ...runningVersionQuestions(entries, input),
    ...mergedSlashesQuestions(entries, input),
    ...answeredQuestions(entries, input, before),
  ];
}

/**
 * Returns a function that takes a section that is not converted, the section that causes this
 * (`cause`) and its reason (`why`). It gives the questions whose answers may allow the conversion.
 */
export function questionsBySection(
  input: ConversionInput,
  before: SectionsBefore,
  states: AccessStates,
): (cause: SectionEntry, why: NotConverted) => readonly OpenQuestion[] {
  const { unknownInAll, configuration } = input;
  // Many sections have the same cause, so its questions are made once.
  const meetings = new Map<SectionEntry, readonly OpenQuestion[]>();
  const meetingOnce = (entry: SectionEntry): readonly OpenQuestion[] => {
    const found = meetings.get(entry);
    if (found || meetings.size >= MAX_SECTIONS_WITH_OVERLAPS) return found ?? [];
    const questions = overlapQuestions(entry, before, states);
    meetings.set(entry, questions);
    return questions;
  };
  return (cause, why) => {
    if (cause.ownAccess.hasLinesOf24)
      return [settledIf24Runs(runningQuestion(sectionName(cause.scope), [tagPosition(cause)]))];
    if (isSameReason(why, unknownInAll?.reason)) return unknownInAll!.questions;
    if (isSameReason(why, cause.ownAccess.reason)) {
      const unknown = needsOwnTree(cause.ownAccess) ? unknownInScope(cause.scope, configuration) : null;
      return [
        ...cause.ownAccess.suspectOperands.map(operandQuestion),
        ...(unknown !== null && isSameReason(why, unknown.reason) ? unknown.questions : []),
      ];
    }
    return why.code === 'inherits-different' ? meetingOnce(cause) : [];
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Limit of sections for which the program searches the other section that an `overlap` question
 * must name.
 */
const MAX_SECTIONS_WITH_OVERLAPS = 20;
/** Limit of other sections that are tried for each of them. */
const MAX_OVERLAP_CANDIDATES = 12;
/** Limit of sections that an `overlap` question names before its last one. */
const MAX_SECTIONS_IN_QUESTION = 5;

const MERGE_SLASHES_NAME: ReadonlySet<string> = new Set(['mergeslashes']);
const DECIDING_DIRECTIVES: ReadonlySet<string> = new Set([...OLD_NAMES, 'require']);

/** Lets the answer "the server runs 2.4" settle the question. */
function settledIf24Runs(each: OpenQuestion): OpenQuestion {
  return { ...each, coveringQuestion: RUNNING_VERSION, safeAnswers: ['2.4'] };
}

function operandQuestion({ word, at }: PlacedOperand): OpenQuestion {
  return openQuestion('operand-host', word, [locationOf(at)]);
}

function locationOf({ file, offset }: ConfigLine): OpenQuestion['places'][number] {
  return { path: file.path, offset };
}

/**
 * Asks whether the section `entry` and another one, or one of several others, can apply to the same
 * request. Asked if that is uncertain and the answer decides which access `entry` inherits.
 */
function overlapQuestions(entry: SectionEntry, before: SectionsBefore, states: AccessStates): readonly OpenQuestion[] {
  const sequences = before.serversToSearchFor(entry).flatMap((context) => before.sequencesBefore(entry, context));
  const others = new Set(
    sequences.flatMap(({ appliedSections }) =>
      appliedSections.flatMap((each) =>
        !each.isCertain && !each.entry.isOptional && needsOwnTree(each.entry.ownAccess) && each.entry.scope.section
          ? [each.entry]
          : [],
      ),
    ),
  );
  const decidesWithout = (apart: readonly SectionEntry[]): boolean => {
    const found = new Set<InheritedAccess>();
    const problem = sequences
      .map(({ appliedSections }) =>
        addStates(
          appliedSections.filter((each) => !apart.includes(each.entry)),
          states,
          found,
        ),
      )
      .find((each) => each !== null);
    const trees = new Set([...found].map((state) => states.treeOf(states.accessAfter(state, entry.ownAccess))));
    return problem === undefined && trees.size === 1 && !isReason([...trees][0]!);
  };
  const candidates = [...others].reverse().slice(0, MAX_OVERLAP_CANDIDATES);
  const one = candidates.find((other) => decidesWithout([other]));
  const apart = one ? [one] : fewestApart(candidates, decidesWithout);
  return apart.length > 0
    ? [openQuestion('overlap', overlapSubject(apart, entry), [...apart, entry].map(tagPosition))]
    : [];
}

/**
 * The sections that together make the difference, in the order of the files. Empty if they do not,
 * or if they are too many for one question.
 */
function fewestApart(
  candidates: readonly SectionEntry[],
  decidesWithout: (apart: readonly SectionEntry[]) => boolean,
): readonly SectionEntry[] {
  if (candidates.length < 2 || !decidesWithout(candidates)) return [];
  const apart = candidates.reduce<readonly SectionEntry[]>((kept, each) => {
    const fewer = kept.filter((other) => other !== each);
    return decidesWithout(fewer) ? fewer : kept;
  }, candidates);
  return apart.length <= MAX_SECTIONS_IN_QUESTION ? [...apart].reverse() : [];
}

/**
 * Asks about a configuration with lines of both versions, as an interrupted conversion leaves them.
 * The lines of 2.4 may depend on lines of 2.2 that cannot be converted.
 */
function halfConvertedQuestions(entries: readonly SectionEntry[]): OpenQuestion[] {
  const old = entries.find(({ ownAccess }) => ownAccess.hasOldLines);
  const converted = entries.filter(({ ownAccess }) => ownAccess.hasLinesOf24);
  const [first] = converted;
  if (!first) return [];
  const places = converted.map(tagPosition);
  return [settledIf24Runs(openQuestion('half-converted', sectionName(first.scope), places, sectionName(old!.scope)))];
}

/**
 * Asks about lines that 2.2 refuses. With such a line in the server files, the server runs 2.4 and
 * mod_access_compat decides; in a .htaccess file, that is so for its folder. The decision differs
 * from 2.2 with Satisfy, with a login, or with lines that only one version reads
 * (docs/access-control.md).
 */
function runningVersionQuestions(entries: readonly SectionEntry[], input: ConversionInput): OpenQuestion[] {
  const { source, lineOf24, htaccessLineOf24 } = input.options;
  if (source === '2.4') return [];
  const isOther =
    entries.some(
      ({ ownAccess, scope }) => ownAccess.satisfy.size > 0 || ownAccess.hasAuthType || scope.byVersion !== undefined,
    ) ||
    (hasConditions(input) && someLine(input, DECIDING_DIRECTIVES, ({ byVersion }) => byVersion !== undefined));
  if (!isOther) return [];
  const found = lineOf24?.(input.configuration);
  if (found) return [runningQuestion(shortLineText(found.line.text.trim()), [found])];
  for (const { scope } of input.htaccess) {
    const inside = htaccessLineOf24?.(scope);
    if (!inside) continue;
    const why = `2.2 does not accept ${spelledName(inside.line)} in a .htaccess file, and requests get 500`;
    return [settledIf24Runs(openQuestion('read-otherwise', shortLineText(inside.line.text.trim()), [inside], why))];
  }
  return [];
}

/** Whether any file contains a conditional section. */
function hasConditions({ configuration, htaccess }: ConversionInput): boolean {
  const files = [...configuration.files.values(), ...htaccess.map(({ scope }) => scope.file)];
  return files.some(({ tree }) => CONDITIONS.some((name) => namesIn(tree.root).hasName(name)));
}

const CONDITIONS = ['<ifversion', '<ifmodule', '<ifdefine'] as const;

/**
 * 2.4.39 merges slashes before it compares patterns, so a pattern with two slashes matches nothing
 * (ap_process_request_internal in server/request.c). 2.2 compares patterns with the URL of the
 * request.
 */
function mergedSlashesQuestions(entries: readonly SectionEntry[], input: ConversionInput): OpenQuestion[] {
  const asking = entries.filter(
    ({ stage, isRegex, pattern, ownAccess }) =>
      stage === 'location' && isRegex && needsOwnTree(ownAccess) && /\/\/|\/\{|\/\+\//.test(pattern),
  );
  if (asking.length === 0 || someLine(input, MERGE_SLASHES_NAME, () => true)) return [];
  const why = 'since 2.4.39 slashes are merged before a pattern is compared, but not with "MergeSlashes Off"';
  return asking.map((entry) => openQuestion('read-otherwise', sectionName(entry.scope), [tagPosition(entry)], why));
}

/** Lists the questions that the user answered and on whose answers the conversion depends. */
function answeredQuestions(
  entries: readonly SectionEntry[],
  { options, unknownInAll, configuration }: ConversionInput,
  before: SectionsBefore,
): OpenQuestion[] {
  const unknown = options.areUnknownNeutral
    ? [
        unknownInAll,
        ...entries.map(({ ownAccess, scope }) =>
          needsOwnTree(ownAccess) ? unknownInScope(scope, configuration) : null,
        ),
      ]
    : [];
  return [
    ...entries.flatMap(({ ownAccess }) => ownAccess.explainedOperands.map(operandQuestion)),
    ...[...before.neverTogether].map(([subject, pair]) => openQuestion('overlap', subject, pair.map(tagPosition))),
    ...unknown.flatMap((each) => each?.questions ?? []),
  ];
}
