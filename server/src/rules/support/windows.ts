import { isOfWindows } from '../../config/distribution';
import type { ConfigurationSubject } from '../rule';

/** Whether the configuration is one of a server on Windows, by its layout or its paths. */
export function runsOnWindows({ modules, configuration }: ConfigurationSubject): boolean {
  return modules.distribution === 'windows' || isOfWindows(configuration.serverRoot);
}
