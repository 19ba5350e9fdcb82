/** Changes or removes findings about lines in conditional sections. */
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
 * Returns a finding as it is shown for a line in conditional sections. If the finding is an error
 * in an `<IfDefine>`, its text names the option of httpd that matters. Null for a finding that
 * compares two versions, if the version that runs now does not read the line.
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
  const conditionText = `${sentenceStartForOption(option)} this line.`;
  return finding.withParts({ cause: finding.cause ? `${finding.cause} ${conditionText}` : conditionText });
}

/**
 * Text for the option of httpd that decides whether the line at an offset is read: `with` or
 * `without`, and `-D NAME` in backticks. Null if there is no such option, or if a line of the file
 * may define the name.
 */
export function optionForReadingLine(tree: Tree, offset: number, fileContext: FileContext | null): string | null {
  const namesInFile = namesIn(tree.root);
  if (!namesInFile.hasName('<ifdefine') || namesInFile.hasName('define')) return null;
  const condition = sectionsAround(tree, offset).findLast(({ open }) => open.name === 'ifdefine');
  const testedName = condition && nameInTag(condition.open, 4);
  if (!testedName || fileContext?.activityOf(condition!) !== undefined) return null;
  return `${testedName.isNegated ? 'without' : 'with'} \`-D ${testedName.name}\``;
}

/** The beginning of a sentence about lines that only an httpd with this option reads. */
export function sentenceStartForOption(option: string): string {
  return `Only an httpd that starts ${option} reads`;
}

/**
 * The option on which an error depends, from the text of its cause, such as `with -D NAME`. Null if
 * it depends on no option.
 */
export function optionInCause(cause: string | undefined): string | null {
  return /Only an httpd that starts (with(?:out)? `-D [^`]+`) reads this line\.$/.exec(cause ?? '')?.[1] ?? null;
}

/** The sections around an offset, from the outermost to the innermost. */
function sectionsAround(tree: Tree, offset: number): Section[] {
  return itemsAround(tree, offset).flatMap(({ item }) => (item instanceof Section ? [item] : []));
}

/**
 * Whether the version that runs now does not read the section. Then the upgrade changes nothing for
 * its lines.
 */
function isUnreadNow(open: Line, target: Target): boolean {
  const { runningPatch, runsUnknown24 } = target;
  if (runningPatch !== undefined)
    return open.name === 'ifversion' && resultsForReleases(open, [{ ...target, patch: runningPatch }])[0] === false;
  if (runsUnknown24) return false;
  return (
    (open.name === 'ifversion' || open.name === 'ifmodule') && activityInVersion('2.2', open, target) === 'inactive'
  );
}
