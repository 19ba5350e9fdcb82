/**
 * A finding as plain data, for `check --format json` and the library. Lines and characters count
 * from 0, characters in UTF-16 units.
 */
import type { OpenQuestion } from '../access/open-question';
import type { PlacedFinding } from '../analysis/findings';
import { fixability } from '../analysis/fixes';
import type { Span } from '../rules/rule';
import type { Tree } from '../syntax/document';

const NO_QUESTIONS: readonly OpenQuestion[] = [];

/**
 * Returns a function that turns a finding into plain data. `idOf` returns the id of the question
 * that asks the user for an unknown fact. It is called once for each list of open questions,
 * because hundreds of findings may share one long list.
 */
export function findingToJson(idOf: (openQuestion: OpenQuestion) => string) {
  const idsByList = new Map<readonly OpenQuestion[], readonly string[]>();
  const idsOf = (openQuestions = NO_QUESTIONS): readonly string[] => {
    let questionIds = idsByList.get(openQuestions);
    if (questionIds === undefined) idsByList.set(openQuestions, (questionIds = [...new Set(openQuestions.map(idOf))]));
    return questionIds;
  };
  return (tree: Tree, finding: PlacedFinding) => {
    const [firstFix] = finding.fixes;
    return {
      rule: finding.rule.id,
      severity: finding.severity,
      consequence: finding.consequence,
      message: finding.what,
      cause: finding.cause ?? null,
      help: finding.help ?? null,
      serverText: finding.serverText ?? null,
      range: jsonRange(tree, finding),
      places: finding.places.map((span) => jsonRange(tree, span)),
      fix: fixability(finding),
      fixes: finding.fixes.map(({ title, safety, assumes }) => ({
        title,
        safety,
        ...(assumes !== undefined && safety !== 'safe' && { assumes }),
      })),
      restsOn: idsOf(firstFix?.restsOn),
      waitsFor: idsOf(finding.waitsFor),
      url: finding.rule.url,
    };
  };
}

/** Converts two UTF-16 offsets in the file to a range of lines and characters. */
export function jsonRange(tree: Tree, { start, end }: Span) {
  return { start: tree.positionAt(start), end: tree.positionAt(end) };
}
