/** Findings as the protocol's diagnostics. */
import { DiagnosticSeverity, DiagnosticTag, type Diagnostic, type DiagnosticRelatedInformation } from 'vscode-languageserver-types';
import type { Analysis, PlacedFinding } from '../analysis/engine';
import { fixability, ownFixability } from '../analysis/fixes';
import type { RelatedPlace, Severity } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { rangeOf } from './convert';

export const SOURCE = 'httpd-upgrade';

const SEVERITY: Record<Severity, DiagnosticSeverity> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** Where a line that has to do with a finding stands now; null where nobody can go there. */
export type PlaceOf = (place: RelatedPlace) => { readonly uri: string; readonly row: number } | null;

/** At most `limit` diagnostics in the order of the text; where there are more, the last one says so. `related` goes with each of them; `uri` is the file's, for clients that show further lines. */
export function diagnostics(analysis: Analysis, limit: number, related: DiagnosticRelatedInformation[] = [], placeOf: PlaceOf = () => null, uri: string | null = null): Diagnostic[] {
  const findings = analysis.findings(limit + 1);
  const shown = findings.slice(0, limit).map((finding) => {
    const diagnostic = diagnosticOf(analysis.tree, finding);
    const places = [...linesOf(analysis.tree, finding, uri), ...relatedOf(finding, placeOf), ...related];
    if (places.length > 0) diagnostic.relatedInformation = places;
    return diagnostic;
  });
  if (findings.length > limit) shown.push(moreDiagnostic(shown[shown.length - 1]!, limit));
  return shown;
}

/** In longer files what is said with every keystroke is said without a look at sections that a fix would take along. */
const MOST_TO_PLAN = 20_000;

export function diagnosticOf(tree: Tree, finding: PlacedFinding): Diagnostic {
  const tags = finding.tag === 'deprecated' ? [DiagnosticTag.Deprecated] : finding.tag === 'unnecessary' ? [DiagnosticTag.Unnecessary] : undefined;
  return {
    range: rangeOf(tree, finding),
    severity: SEVERITY[finding.severity],
    code: finding.rule.id,
    codeDescription: { href: finding.rule.url },
    source: SOURCE,
    message: finding.message,
    tags,
    data: { message: finding.messageId, fix: tree.length > MOST_TO_PLAN ? ownFixability(finding) : fixability(finding) },
  };
}

/** The further lines of the same problem. */
function linesOf(tree: Tree, { places }: PlacedFinding, uri: string | null): DiagnosticRelatedInformation[] {
  return uri === null ? [] : places.slice(0, MOST_LINES).map((place) => ({ location: { uri, range: rangeOf(tree, place) }, message: 'belongs to the same problem' }));
}

/** Further lines of one problem that an editor is told. */
const MOST_LINES = 20;

function relatedOf({ related }: PlacedFinding, placeOf: PlaceOf): DiagnosticRelatedInformation[] {
  return (related ?? []).flatMap((place) => {
    const at = placeOf(place);
    if (at === null) return [];
    const start = { line: at.row, character: 0 };
    return [{ location: { uri: at.uri, range: { start, end: start } }, message: place.message }];
  });
}

function moreDiagnostic(last: Diagnostic, limit: number): Diagnostic {
  return {
    range: { start: last.range.end, end: last.range.end },
    severity: DiagnosticSeverity.Information,
    source: SOURCE,
    message: `There are more problems further down. Only the first ${limit} are shown: that is the setting httpdUpgrade.maxFindings.`,
  };
}
