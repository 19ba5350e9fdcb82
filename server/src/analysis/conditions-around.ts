/** Changes findings because of the conditional sections around their lines. */
import { activityInVersion } from '../access/conditions';
import { nameInTag, resultsForReleases } from '../config/condition';
import type { FileContext } from '../config/file-context';
import { namesIn } from '../config/name-set';
import type { Target } from '../config/target';
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import { Section } from '../syntax/tree';
import type { PlacedFinding } from './findings';
import { itemsAround } from './suppression';

/**
 * Returns the finding that is shown for a line in conditions. Null if the finding compares two
 * versions, and the version that runs now does not read the line. If an error is in an
 * `<IfDefine>`, its text names the option of httpd.
 */
export function findingUnderConditions(
  tree: Tree,
  finding: PlacedFinding,
  { fileContext, target }: { readonly fileContext: FileContext | null; readonly target: Target },
): PlacedFinding | null {
  const { rule, severity } = finding;
  const comparesVersions = rule.comparesVersions === true || (rule.since !== undefined && severity !== 'error');
  if (!comparesVersions && severity !== 'error') return finding;
  const namesInFile = namesIn(tree.root);
  const mayBeUnreadNow = comparesVersions && (namesInFile.hasName('<ifversion') || namesInFile.hasName('<ifmodule'));
  if (mayBeUnreadNow && sectionsAround(tree, finding.start).some(({ open }) => isUnreadNow(open, target))) return null;
  const option = severity === 'error' ? optionForReadingLine(tree, finding.start, fileContext) : null;
  if (option === null) return finding;
  const conditionText = `${readOnlyWithOption(option)} this line.`;
  return finding.withParts({ cause: finding.cause ? `${finding.cause} ${conditionText}` : conditionText });
}

/**
 * The option of httpd on which it depends whether the line at an offset is read, as `with -D NAME`
 * in backticks. Null if it depends on none, or if a line of the file may define the name.
 */
export function optionForReadingLine(tree: Tree, offset: number, fileContext: FileContext | null): string | null {
  const namesInFile = namesIn(tree.root);
  if (!namesInFile.hasName('<ifdefine') || namesInFile.hasName('define')) return null;
  const condition = sectionsAround(tree, offset).findLast(({ open }) => open.name === 'ifdefine');
  const testedName = condition && nameInTag(condition.open, 4);
  if (!testedName || fileContext?.activityOf(condition!) !== undefined) return null;
  return `${testedName.isNegated ? 'without' : 'with'} \`-D ${testedName.name}\``;
}

/** The beginning of a sentence about lines that httpd reads only with an option. */
export function readOnlyWithOption(option: string): string {
  return `Only an httpd that starts ${option} reads`;
}

/** The option of httpd on which an error depends, as `with -D NAME`. Null if it depends on none. */
export function optionInCause(cause: string | undefined): string | null {
  return /Only an httpd that starts (with(?:out)? `-D [^`]+`) reads this line\.$/.exec(cause ?? '')?.[1] ?? null;
}

function sectionsAround(tree: Tree, offset: number): Section[] {
  return itemsAround(tree, offset).flatMap(({ item }) => (item instanceof Section ? [item] : []));
}

/** Whether the version that runs now does not read the section, so that nothing in it changes. */
function isUnreadNow(open: Line, target: Target): boolean {
  const { runningPatch, runsUnknown24 } = target;
  if (runningPatch !== undefined)
    return open.name === 'ifversion' && resultsForReleases(open, [{ ...target, patch: runningPatch }])[0] === false;
  if (runsUnknown24) return false;
  return (
    (open.name === 'ifversion' || open.name === 'ifmodule') && activityInVersion('2.2', open, target) === 'inactive'
  );
}
