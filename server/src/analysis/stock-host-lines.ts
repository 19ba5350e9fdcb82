/** Finds work that the plan does not list: it is in unchanged files of the 2.2 package. */
import { orderAllowDeny } from '../rules/order-allow-deny';
import { virtualHostComesAlive } from '../rules/virtual-host-comes-alive';
import type { OnServerItem } from './server-tasks';
import { COMPARE_HOSTS, STOCK_FILES_ID } from './stock-layout';
import type { PlanFinding } from './upgrade-plan';

/**
 * Takes the work by hand in stock files from the findings, because the user leaves these files out.
 * Problems that block the start, and access lines, stay. For NameVirtualHost lines, the task of the
 * result says what is left to do. It is null if there is no such line.
 * `onServer`: the tasks of the configuration.
 */
export function withoutStockHostLines(
  findings: readonly PlanFinding[],
  onServer: readonly OnServerItem[],
): { readonly findings: readonly PlanFinding[]; readonly task: OnServerItem | null } {
  const stockFileNames = new Set(
    onServer.filter(({ id }) => id === STOCK_FILES_ID).flatMap(({ because }) => because.map(({ file }) => file)),
  );
  const isStockLine = ({ file, rule, fix, directive }: PlanFinding) =>
    fix === null &&
    rule === virtualHostComesAlive.id &&
    directive?.toLowerCase() === 'namevirtualhost' &&
    stockFileNames.has(file);
  const stockLines = stockFileNames.size === 0 ? [] : findings.filter(isStockLine);
  if (stockFileNames.size === 0) return { findings, task: null };
  const isWorkByHand = ({ file, rule, fix, isBlocking, mayBlock, offeredFixes = [] }: PlanFinding) =>
    stockFileNames.has(file) &&
    rule !== orderAllowDeny.id &&
    !isBlocking &&
    mayBlock !== true &&
    offeredFixes.length === 0 &&
    (fix === null || (!fix.isSafe && fix.waitsFor.length === 0));
  const findingsToPlan = findings
    .filter((each) => !isStockLine(each) && !isWorkByHand(each))
    .map((each) =>
      each.leftComments?.length && stockFileNames.has(each.file) ? { ...each, leftComments: undefined } : each,
    );
  const because = stockLines.map(({ file, line }) => ({ file, line }));
  return { findings: findingsToPlan, task: because.length === 0 ? null : { ...COMPARE_HOSTS, because } };
}
