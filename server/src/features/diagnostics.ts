/** Converts findings to diagnostics of the language server protocol. */
import {
  DiagnosticSeverity,
  DiagnosticTag,
  type Diagnostic,
  type DiagnosticRelatedInformation,
  type Range,
} from 'vscode-languageserver-types';
import type { Analysis, FindingGroup } from '../analysis/analysis';
import { shortEditorText, type PlacedFinding } from '../analysis/findings';
import { fixability, ruleFixability } from '../analysis/fixes';
import { RULES_ABOUT_ACCESS } from '../rules/access-opens';
import type { RelatedPlace, Severity } from '../rules/rule';
import { rulePageAddress } from '../rules/support/links';
import type { FileFacts } from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { cacheOf, counters } from '../syntax/memory';
import { rangeOf } from './convert';

/** The name that editors show as the origin of a diagnostic. */
export const DIAGNOSTIC_SOURCE = 'httpd-upgrade';

/** The severities of the protocol. */
const LSP_SEVERITY: Record<Severity, DiagnosticSeverity> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** Returns the current place of a related line; null if its file cannot be opened. */
export type FindCurrentPlace = (place: RelatedPlace) => { readonly uri: string; readonly row: number } | null;

/**
 * The diagnostics of a file in the order of the text. If there are more than `limit`, the last one
 * says so and names the reason (`whyLimit`). `relatedInformation` is added to each. `uri`: the URI
 * of the file; null if the client does not show related lines.
 */
export function diagnostics(
  analysis: Analysis,
  limit: number,
  relatedInformation: DiagnosticRelatedInformation[] = [],
  placeOf: FindCurrentPlace = () => null,
  uri: string | null = null,
  whyLimit = 'that is the setting httpdUpgrade.maxFindings.',
): Diagnostic[] {
  const makeDiagnostic = (finding: PlacedFinding): Diagnostic => {
    const diagnostic = diagnosticOf(analysis.tree, finding);
    const allRelatedInformation = [
      ...relatedLines(analysis.tree, finding, uri),
      ...relatedPlaces(finding, placeOf),
      ...relatedInformation,
    ];
    if (allRelatedInformation.length > 0) diagnostic.relatedInformation = allRelatedInformation;
    return diagnostic;
  };
  const { dependencies } = analysis;
  const isLongFile = analysis.tree.length > MAX_LENGTH_FOR_FIX_PLANS;
  const shownDiagnostics =
    dependencies !== null && isLongFile && relatedInformation.length === 0
      ? diagnosticsOfAllGroups(analysis, limit + 1, { ...dependencies, uri, makeDiagnostic })
      : analysis.findings(limit + 1).map(makeDiagnostic);
  if (shownDiagnostics.length > limit)
    shownDiagnostics.splice(limit, 1, moreDiagnostic(shownDiagnostics[limit - 1]!, limit, whyLimit));
  return shownDiagnostics;
}

// ---- Long files ----

/**
 * The cached diagnostics of an outermost section, with the position that the section then had, and
 * with the inputs from which they were made.
 */
interface CachedDiagnostics extends DiagnosticInputs {
  readonly row: number;
  readonly offset: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The start and end offsets of the findings in the file. */
  readonly spanOffsets: readonly number[];
}

/**
 * The facts on which diagnostics depend, besides the text of their section. `uri`: see
 * `diagnostics`.
 */
interface DiagnosticInputs {
  readonly context: object;
  readonly facts: FileFacts;
  readonly uri: string | null;
}

/** The diagnostics of each outermost section, by its tree node. */
const cachedDiagnostics = cacheOf<object, CachedDiagnostics>();

/**
 * Makes the diagnostics, one outermost section after the other. A key press changes only one
 * section, so the cached diagnostics of the other sections are moved to their new rows.
 */
function diagnosticsOfAllGroups(
  analysis: Analysis,
  limit: number,
  { makeDiagnostic, ...inputs }: DiagnosticInputs & { readonly makeDiagnostic: (finding: PlacedFinding) => Diagnostic },
): Diagnostic[] {
  const allDiagnostics: Diagnostic[] = [];
  const wholeFileFindings = analysis.findingsOfWholeFile();
  let nextWholeFileIndex = 0;
  for (const group of analysis.findingGroups()) {
    const { row, offset, diagnostics, spanOffsets } = diagnosticsOfGroup(analysis, group, inputs, makeDiagnostic);
    const [rows, movedOffset] = [group.row - row, group.offset - offset];
    for (let i = 0; i < diagnostics.length; i++) {
      while (
        nextWholeFileIndex < wholeFileFindings.length &&
        (wholeFileFindings[nextWholeFileIndex]!.start - spanOffsets[2 * i]! - movedOffset ||
          wholeFileFindings[nextWholeFileIndex]!.end - spanOffsets[2 * i + 1]! - movedOffset) <= 0
      )
        allDiagnostics.push(makeDiagnostic(wholeFileFindings[nextWholeFileIndex++]!));
      allDiagnostics.push(rows === 0 ? diagnostics[i]! : movedDiagnostic(diagnostics[i]!, rows));
    }
    if (allDiagnostics.length >= limit) break;
  }
  while (nextWholeFileIndex < wholeFileFindings.length && allDiagnostics.length < limit)
    allDiagnostics.push(makeDiagnostic(wholeFileFindings[nextWholeFileIndex++]!));
  return allDiagnostics.slice(0, limit);
}

/**
 * The diagnostics of an outermost section: the cached ones if nothing has changed on which they
 * depend.
 */
function diagnosticsOfGroup(
  analysis: Analysis,
  group: FindingGroup,
  inputs: DiagnosticInputs,
  makeDiagnostic: (finding: PlacedFinding) => Diagnostic,
): CachedDiagnostics {
  const cachedGroup = cachedDiagnostics.get(group.item);
  if (
    cachedGroup &&
    cachedGroup.context === inputs.context &&
    cachedGroup.facts === inputs.facts &&
    cachedGroup.uri === inputs.uri
  )
    return cachedGroup;
  const findings = analysis.findingsOfGroup(group);
  const newDiagnostics: CachedDiagnostics = {
    ...inputs,
    row: group.row,
    offset: group.offset,
    diagnostics: findings.map(makeDiagnostic),
    spanOffsets: findings.flatMap(({ start, end }) => [start, end]),
  };
  // Diagnostics with places in other files are not cached, because these places may change.
  if (findings.every(({ related }) => related === undefined)) cachedDiagnostics.set(group.item, newDiagnostics);
  return newDiagnostics;
}

/**
 * A copy of a diagnostic, moved down by a number of rows. Its related lines are in the same file
 * and move, too.
 */
function movedDiagnostic(diagnostic: Diagnostic, rows: number): Diagnostic {
  const { relatedInformation } = diagnostic;
  const newRange = movedRange(diagnostic.range, rows);
  if (relatedInformation === undefined) return { ...diagnostic, range: newRange };
  return {
    ...diagnostic,
    range: newRange,
    relatedInformation: relatedInformation.map(({ location, message }) => ({
      location: { uri: location.uri, range: movedRange(location.range, rows) },
      message,
    })),
  };
}

/** A range, moved down by a number of rows. */
function movedRange({ start, end }: Range, rows: number): Range {
  return {
    start: { line: start.line + rows, character: start.character },
    end: { line: end.line + rows, character: end.character },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Counts the diagnostics that were made since the start of the program; tests read it. */
export const workCounts = counters({ made: 0 });

/**
 * Limit for the length of a file, in UTF-16 units. In longer files, the diagnostics after a key
 * press do not show which other sections a fix would change, because that takes too long.
 */
const MAX_LENGTH_FOR_FIX_PLANS = 20_000;

/** Converts a finding to a diagnostic of the protocol. */
export function diagnosticOf(tree: Tree, finding: PlacedFinding): Diagnostic {
  workCounts.made++;
  const tags =
    finding.tag === 'deprecated'
      ? [DiagnosticTag.Deprecated]
      : finding.tag === 'unnecessary'
        ? [DiagnosticTag.Unnecessary]
        : undefined;
  return {
    range: rangeOf(tree, finding),
    severity: LSP_SEVERITY[finding.severity],
    code: finding.rule.id,
    codeDescription: { href: rulePageAddress(finding.rule.id) },
    source: DIAGNOSTIC_SOURCE,
    message: shortEditorText(finding),
    tags,
    data: {
      message: finding.messageId,
      ...(RULES_ABOUT_ACCESS.has(finding.rule.id) && { consequence: finding.consequence }),
      fix: tree.length > MAX_LENGTH_FOR_FIX_PLANS ? ruleFixability(finding) : fixability(finding),
    },
  };
}

/** The further lines of a problem, as related information. */
function relatedLines(tree: Tree, { places }: PlacedFinding, uri: string | null): DiagnosticRelatedInformation[] {
  return uri === null
    ? []
    : places
        .slice(0, MAX_RELATED_LINES)
        .map((span) => ({ location: { uri, range: rangeOf(tree, span) }, message: 'belongs to the same problem' }));
}

/** Limit for the further lines of one problem. */
const MAX_RELATED_LINES = 20;

/** The places in other files that belong to a finding, as related information. */
function relatedPlaces({ related }: PlacedFinding, placeOf: FindCurrentPlace): DiagnosticRelatedInformation[] {
  return (related ?? []).flatMap((relatedPlace) => {
    const location = placeOf(relatedPlace);
    if (location === null) return [];
    const lineStart = { line: location.row, character: 0 };
    return [
      { location: { uri: location.uri, range: { start: lineStart, end: lineStart } }, message: relatedPlace.message },
    ];
  });
}

/** The diagnostic that says, after the last shown one, that there are more. */
function moreDiagnostic(lastShown: Diagnostic, limit: number, whyLimit: string): Diagnostic {
  return {
    range: { start: lastShown.range.end, end: lastShown.range.end },
    severity: DiagnosticSeverity.Information,
    source: DIAGNOSTIC_SOURCE,
    message: `There are more problems further down. Only the first ${limit} are shown: ${whyLimit}`,
  };
}
