/**
 * Makes the open questions of a conversion: facts that the files do not show. Some questions ask
 * whether the conversion is safe. The answers to others may allow the conversion of more sections.
 */
import type { ConfigLine } from '../config/configuration';
import { namesIn } from '../config/name-set';
import { spelledName } from '../syntax/line';
import { regexMatches } from '../syntax/regex-match';
import type { AccessStates } from './access-states';
import { shortLineText, hasLine, type ConversionInput } from './conversion-input';
import { openQuestion, RUNNING_VERSION_QUESTION, type OpenQuestion } from './open-question';
import { addStatesAfter } from './inherited-by-section';
import type { InheritedAccess } from './inherited-access';
import { isReason, isSameReason, type NotConverted } from './not-converted';
import { runningQuestion } from './running';
import { OLD_ACCESS_NAMES } from './read';
import { needsOwnTree, type PlacedOperand } from './section-access';
import { overlapSubject, sectionName } from './section-name';
import { tagPosition, type SectionEntry } from './section-order';
import { sequencesWithout, type SectionsBefore } from './sections-before';
import { unknownDirectivesInScope } from './template';

/** Questions that must be answered before the conversion is safe. */
export function questionsForSafety(
  entries: readonly SectionEntry[],
  input: ConversionInput,
  earlierSections: SectionsBefore,
): OpenQuestion[] {
  return [
    ...halfConvertedQuestions(entries),
    ...runningVersionQuestions(entries, input),
    ...mergedSlashesQuestions(entries, input),
    ...answeredQuestions(entries, input, earlierSections),
  ];
}

/**
 * Returns a function that takes the section that prevents a conversion (`cause`), and why that
 * section is not converted (`why`). The function returns the questions whose answers may allow the
 * conversion.
 */
export function questionFinder(
  input: ConversionInput,
  earlierSections: SectionsBefore,
  states: AccessStates,
): (cause: SectionEntry, why: NotConverted) => readonly OpenQuestion[] {
  const { unknownInConfiguration, configuration, options } = input;
  // Many sections have the same cause, so its questions are made once.
  const overlapQuestionsByEntry = new Map<SectionEntry, readonly OpenQuestion[]>();
  const cachedOverlapQuestions = (entry: SectionEntry): readonly OpenQuestion[] => {
    const cachedQuestions = overlapQuestionsByEntry.get(entry);
    if (cachedQuestions || overlapQuestionsByEntry.size >= MAX_SECTIONS_WITH_OVERLAPS) return cachedQuestions ?? [];
    const questions = overlapQuestions(entry, earlierSections, states);
    overlapQuestionsByEntry.set(entry, questions);
    return questions;
  };
  return (cause, why) => {
    if (cause.ownAccess.hasLinesOf24)
      return options.isConvertedInPart === true
        ? []
        : [questionSettledIf24Runs(runningQuestion(sectionName(cause.scope), [tagPosition(cause)]))];
    if (isSameReason(why, unknownInConfiguration?.reason)) return unknownInConfiguration!.questions;
    if (isSameReason(why, cause.ownAccess.reason)) {
      const unknownDirectives = needsOwnTree(cause.ownAccess)
        ? unknownDirectivesInScope(cause.scope, configuration)
        : null;
      return [
        ...cause.ownAccess.suspectOperands.map(operandQuestion),
        ...(unknownDirectives !== null && isSameReason(why, unknownDirectives.reason)
          ? unknownDirectives.questions
          : []),
      ];
    }
    return why.code === 'inherits-different' ? cachedOverlapQuestions(cause) : [];
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of sections for which the program looks for `overlap` questions. */
const MAX_SECTIONS_WITH_OVERLAPS = 20;
/** Maximum number of other sections that are tried for each section with an `overlap` question. */
const MAX_OVERLAP_CANDIDATES = 12;
/** Maximum number of sections that an `overlap` question names in addition to its last section. */
const MAX_SECTIONS_IN_QUESTION = 5;

const MERGE_SLASHES_NAME: ReadonlySet<string> = new Set(['mergeslashes']);
const DECIDING_DIRECTIVES: ReadonlySet<string> = new Set([...OLD_ACCESS_NAMES, 'require']);

/** Returns a question that counts as answered if the user answered that the server runs 2.4. */
function questionSettledIf24Runs(question: OpenQuestion): OpenQuestion {
  return { ...question, coveringQuestion: RUNNING_VERSION_QUESTION, safeAnswers: ['2.4'] };
}

function operandQuestion({ word, configLine }: PlacedOperand): OpenQuestion {
  return openQuestion('operand-host', word, [placeOfLine(configLine)]);
}

function placeOfLine({ file, offset }: ConfigLine): OpenQuestion['places'][number] {
  return { path: file.path, offset };
}

/**
 * The question whether `entry` and one or more sections before it can apply to the same request.
 * Empty unless that is uncertain, and `entry` can be converted if the sections never apply to the
 * same request.
 */
function overlapQuestions(
  entry: SectionEntry,
  earlierSections: SectionsBefore,
  states: AccessStates,
): readonly OpenQuestion[] {
  const sequencesOfServers = earlierSections.serversToSearchFor(entry).map((requestedHost) => ({
    sequences: earlierSections.sequencesBefore(entry, requestedHost),
    mayLeadAnywhere: earlierSections.mayLeadAnywhere(entry, requestedHost),
    // If the directory contains the DocumentRoot, a URL of the location leads into it.
    mayDirectoryBeApart: (other: SectionEntry) =>
      other.stage === 'directory' && !earlierSections.hasDocumentRootIn(other, requestedHost),
  }));
  const uncertainEntries = new Set(
    sequencesOfServers.flatMap(({ sequences, mayLeadAnywhere, mayDirectoryBeApart }) =>
      sequences
        .flatMap(({ appliedSections }) => appliedSections)
        .flatMap((each) =>
          (!each.isCertain || (mayLeadAnywhere && mayDirectoryBeApart(each.entry))) &&
          !each.entry.mayBeSkippedIn22 &&
          needsOwnTree(each.entry.ownAccess) &&
          each.entry.scope.section &&
          !appliesToAllOf(entry, each.entry) &&
          !isCertainlyTogether(entry, each.entry)
            ? [each.entry]
            : [],
        ),
    ),
  );
  const isAccessCertainWithout = (excludedEntries: readonly SectionEntry[]): boolean => {
    const statesWithoutOthers = new Set<InheritedAccess>();
    const problem = sequencesOfServers
      .flatMap(({ sequences, mayLeadAnywhere }) =>
        mayLeadAnywhere ? sequencesWithout(sequences, (other) => excludedEntries.includes(other)) : sequences,
      )
      .map(({ appliedSections }) =>
        addStatesAfter(
          appliedSections.filter((each) => !excludedEntries.includes(each.entry)),
          states,
          statesWithoutOthers,
        ),
      )
      .find((each) => each !== null);
    const trees = new Set(
      [...statesWithoutOthers].map((state) => states.treeOf(states.accessAfter(state, entry.ownAccess))),
    );
    return problem === undefined && trees.size === 1 && !isReason([...trees][0]!);
  };
  const candidates = [...uncertainEntries].reverse().slice(0, MAX_OVERLAP_CANDIDATES);
  const decidingEntry = candidates.find((other) => isAccessCertainWithout([other]));
  const decidingEntries = decidingEntry ? [decidingEntry] : fewestExcludedEntries(candidates, isAccessCertainWithout);
  return decidingEntries.length > 0
    ? [openQuestion('overlap', overlapSubject(decidingEntries, entry), [...decidingEntries, entry].map(tagPosition))]
    : [];
}

/**
 * Some of the candidates, in the order of the files, without which it is certain which access the
 * section inherits. None of them can be left out of the list. Empty if it is uncertain even without
 * all candidates, or if the list is too long for one question.
 */
function fewestExcludedEntries(
  candidates: readonly SectionEntry[],
  isAccessCertainWithout: (excludedEntries: readonly SectionEntry[]) => boolean,
): readonly SectionEntry[] {
  if (candidates.length < 2 || !isAccessCertainWithout(candidates)) return [];
  const fewestEntries = candidates.reduce<readonly SectionEntry[]>((remainingEntries, each) => {
    const otherEntries = remainingEntries.filter((other) => other !== each);
    return isAccessCertainWithout(otherEntries) ? otherEntries : remainingEntries;
  }, candidates);
  return fewestEntries.length <= MAX_SECTIONS_IN_QUESTION ? [...fewestEntries].reverse() : [];
}

/**
 * Whether `entry` is `<Location />`, which applies to each request of `other`. The URL of a request
 * to a forward proxy does not begin with a slash.
 */
function appliesToAllOf({ stage, isRegex, pattern }: SectionEntry, other: SectionEntry): boolean {
  return stage === 'location' && !isRegex && pattern === '/' && other.stage !== 'proxy';
}

/**
 * Whether one URL certainly falls under both sections: the pattern of a `<LocationMatch>` matches
 * the path of a `<Location>`, or the path of one `<Location>` is below that of the other. False if
 * this is uncertain.
 */
function isCertainlyTogether(entry: SectionEntry, other: SectionEntry): boolean {
  if (entry.stage !== 'location' || other.stage !== 'location') return false;
  const isPlainPath = (path: string) => !/[*?[\]\\]/.test(path);
  if (entry.isRegex !== other.isRegex) {
    const [{ pattern }, { pattern: path }] = entry.isRegex ? [entry, other] : [other, entry];
    return isPlainPath(path) && regexMatches(pattern, path) === true;
  }
  const [path, longerPath] = [entry.pattern, other.pattern].sort((a, b) => a.length - b.length) as [string, string];
  return !entry.isRegex && isPlainPath(path + longerPath) && `${longerPath}/`.startsWith(`${path.replace(/\/$/, '')}/`);
}

/**
 * Asks about a configuration with lines of both versions, as an interrupted conversion leaves them.
 * The lines of 2.4 may be right only together with lines of 2.2 that cannot be converted.
 */
function halfConvertedQuestions(entries: readonly SectionEntry[]): OpenQuestion[] {
  const entryWithOldLines = entries.find(({ ownAccess }) => ownAccess.hasOldLines);
  const entriesOf24 = entries.filter(({ ownAccess }) => ownAccess.hasLinesOf24);
  const [firstEntryOf24] = entriesOf24;
  if (!firstEntryOf24) return [];
  const tagPlaces = entriesOf24.map(tagPosition);
  return [
    questionSettledIf24Runs(
      openQuestion(
        'half-converted',
        sectionName(firstEntryOf24.scope),
        tagPlaces,
        sectionName(entryWithOldLines!.scope),
      ),
    ),
  ];
}

/**
 * Asks which version runs, if the files contain a line that 2.2 refuses. With such a line in the
 * server files, the server runs 2.4 and mod_access_compat decides. With such a line in a .htaccess
 * file, 2.2 answers 500 for its folder. mod_access_compat can decide differently from 2.2 if there
 * is a Satisfy line, a login, or a line that only one version reads (docs/access-control.md).
 * Otherwise nothing is asked.
 */
function runningVersionQuestions(entries: readonly SectionEntry[], input: ConversionInput): OpenQuestion[] {
  const { source, findLineOf24, findHtaccessLineOf24 } = input.options;
  if (source === '2.4') return [];
  const mayDecideDifferently =
    entries.some(
      ({ ownAccess, scope }) =>
        ownAccess.satisfyByMethod.size > 0 || ownAccess.hasAuthType || scope.activityByVersion !== undefined,
    ) ||
    (hasConditions(input) &&
      hasLine(input, DECIDING_DIRECTIVES, ({ activityByVersion }) => activityByVersion !== undefined));
  if (!mayDecideDifferently) return [];
  const foundLine = findLineOf24?.(input.configuration);
  if (foundLine) return [runningQuestion(shortLineText(foundLine.line.text.trim()), [foundLine])];
  for (const { scope } of input.htaccess) {
    const foundHtaccessLine = findHtaccessLineOf24?.(scope);
    if (!foundHtaccessLine) continue;
    const why = `2.2 does not accept ${spelledName(foundHtaccessLine.line)} in a .htaccess file, and requests get 500`;
    return [
      questionSettledIf24Runs(
        openQuestion('read-otherwise', shortLineText(foundHtaccessLine.line.text.trim()), [foundHtaccessLine], why),
      ),
    ];
  }
  return [];
}

/** Whether any file contains a conditional section. */
function hasConditions({ configuration, htaccess }: ConversionInput): boolean {
  const files = [...configuration.files.values(), ...htaccess.map(({ scope }) => scope.file)];
  return files.some(({ tree }) => CONDITION_TAGS.some((name) => namesIn(tree.root).hasName(name)));
}

const CONDITION_TAGS = ['<ifversion', '<ifmodule', '<ifdefine'] as const;

/**
 * Asks about patterns with two slashes. Since 2.4.39, httpd merges the slashes of a URL before it
 * compares patterns, so these match nothing (ap_process_request_internal in server/request.c).
 * 2.2 compares patterns with the URL as the client sends it.
 */
function mergedSlashesQuestions(entries: readonly SectionEntry[], input: ConversionInput): OpenQuestion[] {
  const entriesWithDoubleSlash = entries.filter(
    ({ stage, isRegex, pattern, ownAccess }) =>
      stage === 'location' && isRegex && needsOwnTree(ownAccess) && /\/\/|\/\{|\/\+\//.test(pattern),
  );
  if (entriesWithDoubleSlash.length === 0 || hasLine(input, MERGE_SLASHES_NAME, () => true)) return [];
  const why = 'since 2.4.39 slashes are merged before a pattern is compared, but not with "MergeSlashes Off"';
  return entriesWithDoubleSlash.map((entry) =>
    openQuestion('read-otherwise', sectionName(entry.scope), [tagPosition(entry)], why),
  );
}

/** The questions that the user answered, if the conversion depends on the answer. */
function answeredQuestions(
  entries: readonly SectionEntry[],
  { options, unknownInConfiguration, configuration }: ConversionInput,
  earlierSections: SectionsBefore,
): OpenQuestion[] {
  const unknownDirectives = options.areUnknownDirectivesNeutral
    ? [
        unknownInConfiguration,
        ...entries.map(({ ownAccess, scope }) =>
          needsOwnTree(ownAccess) ? unknownDirectivesInScope(scope, configuration) : null,
        ),
      ]
    : [];
  return [
    ...entries.flatMap(({ ownAccess }) => ownAccess.explainedOperands.map(operandQuestion)),
    ...[...earlierSections.sectionsByAnsweredSubject].map(([subject, sections]) =>
      openQuestion('overlap', subject, sections.map(tagPosition)),
    ),
    ...unknownDirectives.flatMap((each) => each?.questions ?? []),
  ];
}
