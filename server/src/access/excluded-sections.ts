/**
 * Finds sections that cannot be converted because another section is not: their new lines would
 * change the answer to a request to which both apply.
 */
import type { RequestsWithOldLines } from './kept-requests';
import { notConverted, placeText, type NotConverted } from './not-converted';
import { isReadByOneVersion } from './one-version';
import { needsOwnTree } from './section-access';
import { sectionName } from './section-name';
import { tagPosition, type SectionEntry } from './section-order';
import type { Copies, Decisions } from './together';

/**
 * Excludes sections from the conversion (`requests.markKept`) until every request keeps its answer.
 * The result maps each excluded section to the section that caused it.
 *
 * If it is unknown what a section decides, all sections that may apply to the same requests are
 * excluded. An exception is a later section that refuses all clients, converted or not: no old
 * section after it lets a client in, and no Satisfy Any lets a request pass.
 */
export function sectionsExcludedByOthers(
  entries: readonly SectionEntry[],
  { convertedSections, relatedEntries }: Decisions,
  reasons: ReadonlyMap<SectionEntry, NotConverted>,
  requests: RequestsWithOldLines,
  copies: Copies,
): ReadonlyMap<SectionEntry, SectionEntry> {
  const differing = entries.filter(
    (entry) => entry.scope.byVersion !== undefined && isReadByOneVersion(entry) && needsOwnTree(entry.ownAccess),
  );
  const causes = new Map<SectionEntry, ExclusionCause>([
    ...differing.map((entry) => [entry, { entry, reason: reasonOfDifferingCondition(entry) }] as const),
    ...[...reasons].map(([entry, reason]) => [entry, { entry, reason }] as const),
  ]);
  const causeOf = new Map<SectionEntry, SectionEntry>();
  const pending = [...causes.keys()];
  const keep = (other: SectionEntry, because: SectionEntry) => {
    const cause = causes.get(because)!;
    const reason = reasonBeside(cause, because);
    for (const each of copies.get(other) ?? [other]) {
      if (reasons.has(each)) continue;
      causes.set(each, cause);
      causeOf.set(each, cause.entry);
      requests.markKept(each, reason);
      pending.push(each);
    }
  };
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    const neighbours = [...(relatedEntries.get(entry) ?? [])];
    if (!requests.computesAnswers) {
      for (const other of neighbours)
        if (!reasons.has(other) && convertedSections.has(other) && !requests.refusesAfter(other, entry))
          keep(other, entry);
      continue;
    }
    for (const last of [entry, ...neighbours]) {
      if (!requests.computesAnswers) {
        // All other sections that share requests with it are excluded, too, without a comparison.
        pending.push(entry);
        break;
      }
      for (let bad = requests.changedAnswerAt(last); bad; bad = requests.changedAnswerAt(last))
        keep(bad.convertedEntry, bad.unconvertedEntry);
    }
  }
  return causeOf;
}

/** The reason for a section inside a condition that may be true in only one version. */
export function reasonOfDifferingCondition({ scope: { byVersion } }: SectionEntry): NotConverted {
  const [first] = byVersion?.conditions ?? [];
  return notConverted('condition-differs', null, first?.section.open.text.trim() ?? null);
}

// ---------------------------------------------------------------------------------------------------------------------

interface ExclusionCause {
  readonly entry: SectionEntry;
  readonly reason: NotConverted;
}

function reasonBeside(cause: ExclusionCause, because: SectionEntry): NotConverted {
  const { scope, ownAccess } = cause.entry;
  const isOf24 = ownAccess.hasLinesOf24 && !ownAccess.hasOldLines;
  const location = cause.reason.location ?? tagPosition(cause.entry);
  const named = [sectionName(scope), placeText(scope.file, scope.offset)] as const;
  if (isOf24) return notConverted('beside-section-of-24', location, ...named);
  // The text of the cause is added later, when all reasons are known.
  return notConverted(cause.entry === because ? 'beside-section' : 'together-with-section', location, ...named, '');
}
