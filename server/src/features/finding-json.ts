/** A finding as plain data: what `check --format json` prints and the library gives. Lines and characters count from 0, characters in UTF-16 units. */
import type { Doubt } from '../access/doubt';
import type { PlacedFinding } from '../analysis/findings';
import { fixability } from '../analysis/fixes';
import type { Span } from '../rules/rule';
import type { Tree } from '../syntax/document';

/** `idOf`: the id of the question that a doubt belongs to. */
export function jsonFinding(tree: Tree, finding: PlacedFinding, idOf: (doubt: Doubt) => string) {
  const [first] = finding.fixes;
  const ids = (doubts: readonly Doubt[] = []) => [...new Set(doubts.map(idOf))];
  return {
    rule: finding.rule.id,
    severity: finding.severity,
    consequence: finding.consequence,
    message: finding.what,
    cause: finding.cause ?? null,
    help: finding.help ?? null,
    serverText: finding.serverText ?? null,
    range: rangeOf(tree, finding),
    places: finding.places.map((place) => rangeOf(tree, place)),
    fix: fixability(finding),
    fixes: finding.fixes.map(({ title, safety, assumes }) => ({
      title,
      safety,
      ...(assumes !== undefined && safety !== 'safe' && { assumes }),
    })),
    restsOn: ids(first?.restsOn),
    waitsFor: ids(finding.waitsFor),
    url: finding.rule.url,
  };
}

/** From UTF-16 offsets in the file. */
export function rangeOf(tree: Tree, { start, end }: Span) {
  return { start: tree.positionAt(start), end: tree.positionAt(end) };
}
