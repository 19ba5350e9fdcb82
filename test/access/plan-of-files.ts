/** Plans files in memory, and lists the questions of the sections that are not converted. */
import { ACCESS_NAMES, type ConversionOptions } from '../../server/src/access/conversion-input';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { mergedDoubts, type Doubt } from '../../server/src/access/doubt';
import { planAccess, type AccessPlan } from '../../server/src/access/plan';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';

export function planOfFiles(
  files: Readonly<Record<string, string>>,
  options: ConversionOptions = {},
): { readonly plan: AccessPlan; readonly further: readonly Doubt[] } {
  const view = memoryFiles(files);
  const configuration = readConfiguration({ root: Object.keys(files)[0]!, view, names: ACCESS_NAMES })!;
  const { htaccess } = discoverHtaccess(configuration, view);
  const plan = planAccess(configuration, htaccess, [], options);
  return { plan, further: mergedDoubts(plan.refusals.flatMap(({ asks }) => asks)) };
}
