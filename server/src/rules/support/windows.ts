import { isWindowsServerRoot } from '../../config/distribution';
import type { ConfigurationRuleInput } from '../rule';

/** Whether the layout or the paths of the configuration are those of a server on Windows. */
export function runsOnWindows({ modules, configuration }: ConfigurationRuleInput): boolean {
  return modules.distribution === 'windows' || isWindowsServerRoot(configuration.serverRoot);
}
