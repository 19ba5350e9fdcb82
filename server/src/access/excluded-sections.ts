/**
 * Finds sections that cannot be converted because another section is not converted: their new lines
 * would change the answer to a request to which both sections apply.
 */
import type { RequestsWithOldLines } from './requests-with-old-lines';
import { notConverted, placeText, type NotConverted } from './not-converted';
import { isReadByOneVersion } from './one-version';
import { needsOwnTree } from './section-access';
import { sectionName } from './section-name';
import { tagPosition, type SectionEntry } from './section-order';
import type { Copies, Decisions } from './together';

/**
 * Excludes sections from the conversion (`requests.markUnconverted`) until every request keeps its
 * answer. Returns for each excluded section the section that causes this.
 * If it is unknown what a section decides, all sections that may apply to the same requests are
 * excluded. An exception is a section of a later stage that refuses all clients, both before and
 * after its conversion, on a server without Satisfy Any. It is converted, unless a section that
 * applies after it is not. `isConvertedInPart`: see `ConversionOptions`.
 */
export function sectionsExcludedByOthers(
  entries: readonly SectionEntry[],
  { linesByEntry, relatedSectionsByEntry }: Decisions,
  reasonByEntry: ReadonlyMap<SectionEntry, NotConverted>,
  requests: RequestsWithOldLines,
  copies: Copies,
  isConvertedInPart: boolean,
): ReadonlyMap<SectionEntry, SectionEntry> {
  const entriesOfOneVersion = entries.filter(
    (entry) =>
      entry.scope.activityByVersion !== undefined && isReadByOneVersion(entry) && needsOwnTree(entry.ownAccess),
  );
  const exclusionCauses = new Map<SectionEntry, ExclusionCause>([
    ...entriesOfOneVersion.map((entry) => [entry, { entry, reason: reasonOfDifferingCondition(entry) }] as const),
    ...[...reasonByEntry].map(([entry, reason]) => [entry, { entry, reason }] as const),
  ]);
  const causeByEntry = new Map<SectionEntry, SectionEntry>();
  const pendingEntries = [...exclusionCauses.keys()];
  const exclude = (other: SectionEntry, unconvertedEntry: SectionEntry) => {
    const cause = exclusionCauses.get(unconvertedEntry)!;
    const reason = reasonBeside(cause, isConvertedInPart);
    for (const each of copies.get(other) ?? [other]) {
      if (reasonByEntry.has(each)) continue;
      exclusionCauses.set(each, cause);
      causeByEntry.set(each, cause.entry);
      requests.markUnconverted(each, reason);
      pendingEntries.push(each);
    }
  };
  for (let entry = pendingEntries.pop(); entry; entry = pendingEntries.pop()) {
    const relatedSections = [...(relatedSectionsByEntry.get(entry) ?? [])];
    if (!requests.computesAnswers) {
      for (const other of relatedSections)
        if (!reasonByEntry.has(other) && linesByEntry.has(other) && !requests.refusesAllAfter(other, entry))
          exclude(other, entry);
      continue;
    }
    for (const lastSection of [entry, ...relatedSections]) {
      if (!requests.computesAnswers) {
        // Too many answers were computed. The section is put back on the list, and the next round
        // excludes all sections that share requests with it, without computing answers.
        pendingEntries.push(entry);
        break;
      }
      for (
        let changedAnswer = requests.changedAnswerAt(lastSection);
        changedAnswer;
        changedAnswer = requests.changedAnswerAt(lastSection)
      )
        exclude(changedAnswer.convertedEntry, changedAnswer.unconvertedEntry);
    }
  }
  return causeByEntry;
}

/** The reason for a section inside a condition that may be true in only one version. */
export function reasonOfDifferingCondition({ scope: { activityByVersion } }: SectionEntry): NotConverted {
  const [firstCondition] = activityByVersion?.conditions ?? [];
  return notConverted('condition-differs', null, firstCondition?.section.open.text.trim() ?? null);
}

// ---------------------------------------------------------------------------------------------------------------------

/** A section that is not converted, or that only one version reads, and why. */
interface ExclusionCause {
  readonly entry: SectionEntry;
  readonly reason: NotConverted;
}

/**
 * The reason why a section is not converted, if the section in `cause` prevents its conversion.
 * `isConvertedInPart`: see `ConversionOptions`.
 */
function reasonBeside(cause: ExclusionCause, isConvertedInPart: boolean): NotConverted {
  const { scope, ownAccess } = cause.entry;
  const isWrittenFor24 = ownAccess.hasLinesOf24 && !ownAccess.hasOldLines;
  const location = cause.reason.location ?? tagPosition(cause.entry);
  const nameAndPlace = [sectionName(scope), placeText(scope.file, scope.offset)] as const;
  if (isWrittenFor24) return notConverted('beside-section-of-24', location, ...nameAndPlace, isConvertedInPart);
  // The last parameter is the text of the other section's reason. It stays empty until all reasons
  // are known.
  return notConverted('beside-section', location, ...nameAndPlace, '');
}
