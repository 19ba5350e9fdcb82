/** Makes a task from the NameVirtualHost lines in unchanged files of a package of 2.2. */
import { virtualHostComesAlive } from '../rules/virtual-host-comes-alive';
import type { OnServerItem } from './server-tasks';
import { COMPARE_HOSTS, STOCK_FILES_ID } from './stock-layout';
import type { PlanFinding } from './upgrade-plan';

/**
 * Takes the NameVirtualHost lines in stock files from the items by hand, because the user leaves
 * these files out. The task of the result says what is left to do. The task is null if there is no
 * such line. `onServer`: the tasks of the configuration.
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
  if (stockLines.length === 0) return { findings, task: null };
  const because = stockLines.map(({ file, line }) => ({ file, line }));
  return { findings: findings.filter((each) => !isStockLine(each)), task: { ...COMPARE_HOSTS, because } };
}
