/** A configuration from its root: what belongs to it, and the plan for its access control. */
import { discoverHtaccess } from '../access/discover';
import { planAccess, type AccessPlan } from '../access/plan';
import { ACCESS_NAMES } from '../access/whole';
import { readConfiguration } from '../config/configuration';
import type { FileView, PathMap } from '../config/files';
import type { Target } from '../config/target';

export interface WholeConfiguration {
  readonly plan: AccessPlan;
  /** The files that belong to it, .htaccess files with access lines included; paths without links. */
  readonly files: readonly string[];
}

export interface WholeConfigurationOptions {
  readonly root: string;
  readonly view: FileView;
  readonly target: Target;
  readonly serverRoot?: string;
  readonly map?: PathMap;
}

/** Reads and plans. null where the root cannot be read. */
export function wholeConfiguration(options: WholeConfigurationOptions): WholeConfiguration | null {
  const configuration = readConfiguration({ ...options, names: ACCESS_NAMES });
  if (!configuration) return null;
  const { htaccess, doubts } = discoverHtaccess(configuration, options.view);
  const files = [...configuration.files.keys(), ...htaccess.map(({ scope }) => scope.file.path)];
  return { plan: planAccess(configuration, htaccess, doubts), files };
}

/** Whether a path has one of the names that root files have. */
export function isRootName(path: string): boolean {
  return /(^|\/)(httpd|apache2?)\.conf$/.test(path);
}
