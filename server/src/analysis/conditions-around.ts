/** Changes findings because of the conditional sections around their lines. */
import { activityInVersion } from '../access/conditions';
import { nameInTag, answersOfVersions } from '../config/condition';
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
  const names = namesIn(tree.root);
  const mayBeUnreadNow = comparesVersions && (names.hasName('<ifversion') || names.hasName('<ifmodule'));
  const mayBeOptional = severity === 'error' && names.hasName('<ifdefine') && !names.hasName('define');
  if (!mayBeUnreadNow && !mayBeOptional) return finding;
  const sections = itemsAround(tree, finding.start).flatMap(({ item }) => (item instanceof Section ? [item] : []));
  if (mayBeUnreadNow && sections.some(({ open }) => isUnreadNow(open, target))) return null;
  if (!mayBeOptional) return finding;
  const condition = sections.findLast(({ open }) => open.name === 'ifdefine');
  const namedOption = condition && nameInTag(condition.open, 4);
  if (!namedOption || fileContext?.activityOf(condition!) !== undefined) return finding;
  const text = `Only an httpd that starts ${namedOption.isNegated ? 'without' : 'with'} \`-D ${namedOption.name}\` reads this line.`;
  return finding.withParts({ cause: finding.cause ? `${finding.cause} ${text}` : text });
}

/**
 * The option of httpd on which an error depends, as `with -D NAME`. Null if it depends on none.
 * `cause`: the text that `findingUnderConditions` made.
 */
export function optionInCause(cause: string | undefined): string | null {
  return /Only an httpd that starts (with(?:out)? `-D [^`]+`) reads this line\.$/.exec(cause ?? '')?.[1] ?? null;
}

/**
 * Whether the version that runs now does not read the section. Then the upgrade changes nothing for
 * the lines in it.
 */
function isUnreadNow(open: Line, target: Target): boolean {
  const { runningPatch, runsUnknown24 } = target;
  if (runningPatch !== undefined)
    return open.name === 'ifversion' && answersOfVersions(open, [{ ...target, patch: runningPatch }])[0] === false;
  if (runsUnknown24) return false;
  return (
    (open.name === 'ifversion' || open.name === 'ifmodule') && activityInVersion('2.2', open, target) === 'inactive'
  );
}
