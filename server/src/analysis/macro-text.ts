/**
 * Changes findings in the body of a macro. A parameter can have any value, so each finding and each
 * fix must be right for all values.
 */
import { argumentsOf } from '../syntax/line';
import { lineAt, List, Section, textOf } from '../syntax/tree';
import type { PlacedFinding } from './findings';

/**
 * Returns a finding that is right for all values of the parameters. Null if the finding reports an
 * error in an argument that contains a parameter.
 *
 * A fix that would remove a parameter is left out. A fix of a line with a parameter becomes a
 * suggestion, unless it changes only the name of the directive. `base`: the offset from which the
 * offsets of the fixes count.
 */
export function findingForAllParameters(root: List, finding: PlacedFinding, base: number): PlacedFinding | null {
  const parameters = parametersAt(root, finding.start);
  if (parameters.length === 0) return finding;
  const hasParameter = (text: string) => parameters.some((name) => text.includes(name));
  const placedLine = lineAt(root, finding.start);
  const isAboutArguments = placedLine !== null && finding.start >= placedLine.offset + placedLine.line.nameEnd;
  if (isAboutArguments && finding.severity === 'error' && hasParameter(textOf(root, finding.start, finding.end)))
    return null;
  if (finding.fixes.length === 0) return finding;
  const findingWithoutRemovals = finding.withSelectedFixes((fix) =>
    fix.edits.every(({ start, end, text }) =>
      parameters.every((name) => !textOf(root, base + start, base + end).includes(name) || text.includes(name)),
    ),
  );
  const hasUncertainFix = findingWithoutRemovals.fixes.some(
    (fix) =>
      fix.safety === 'safe' &&
      fix.edits.some(
        ({ start, end }) =>
          !isInsideDirectiveName(root, base + start, base + end) &&
          hasParameter(textOfLinesAround(root, base + start, base + end)),
      ),
  );
  return hasUncertainFix ? findingWithoutRemovals.withSuggestions() : findingWithoutRemovals;
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_PARAMETERS: readonly string[] = [];

/** The parameters of the innermost macro around an offset. Empty if no macro is around it. */
function parametersAt(list: List, at: number): readonly string[] {
  let foundParameters = NO_PARAMETERS;
  let node = list;
  let nodeStart = 0;
  descend: for (;;) {
    for (const child of node.children) {
      const offsetInside = at - nodeStart;
      if (offsetInside >= child.length) {
        nodeStart += child.length;
        continue;
      }
      if (child instanceof List) {
        node = child;
        continue descend;
      }
      if (
        !(child instanceof Section) ||
        offsetInside < child.open.length ||
        offsetInside >= child.open.length + child.body.length
      )
        return foundParameters;
      if (child.name === 'macro')
        foundParameters = argumentsOf(child.open)
          .slice(1)
          .flatMap(({ value }) => (value === '' ? [] : [value]));
      nodeStart += child.open.length;
      node = child.body;
      continue descend;
    }
    return foundParameters;
  }
}

/**
 * Whether the range from `start` to `end` (offsets in `root`) lies inside the name of a directive.
 * An edit of this range changes no argument.
 */
function isInsideDirectiveName(root: List, start: number, end: number): boolean {
  const placedLine = lineAt(root, start);
  return (
    placedLine !== null &&
    start >= placedLine.offset + placedLine.line.nameStart &&
    end <= placedLine.offset + placedLine.line.nameEnd
  );
}

/** The text of all lines that the range from `start` to `end` touches. Empty outside of `root`. */
function textOfLinesAround(root: List, start: number, end: number): string {
  const firstLine = lineAt(root, start);
  const lastLine = lineAt(root, Math.max(start, end - 1));
  return firstLine && lastLine ? textOf(root, firstLine.offset, lastLine.offset + lastLine.line.length) : '';
}
