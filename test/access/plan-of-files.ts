/** Plans files in memory, and lists the questions of the sections that are not converted. */
import { accessConditionDecider } from '../../server/src/access/conditions';
import { ACCESS_NAMES, type ConversionOptions } from '../../server/src/access/conversion-input';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { joinedQuestions, type OpenQuestion } from '../../server/src/access/open-question';
import { ONE_VERSION_NAMES } from '../../server/src/access/one-version';
import { planAccessConversion, type AccessPlan } from '../../server/src/access/plan';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';

export function planOfFiles(
  files: Readonly<Record<string, string>>,
  options: ConversionOptions = {},
): { readonly plan: AccessPlan; readonly further: readonly OpenQuestion[] } {
  const view = memoryFiles(files);
  const configuration = readConfiguration({
    root: Object.keys(files)[0]!,
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: accessConditionDecider(),
  })!;
  const { files: htaccess } = discoverHtaccess(configuration, view);
  const plan = planAccessConversion(configuration, htaccess, [], options);
  return { plan, further: joinedQuestions(plan.refusals.flatMap(({ questions }) => questions)) };
}
