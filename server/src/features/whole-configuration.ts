/** A configuration from its root: what belongs to it, and the plan for its access control. */
import { accessConditions } from '../access/conditions';
import { discoverHtaccess } from '../access/discover';
import type { Source } from '../access/model';
import { planAccess, type AccessPlan } from '../access/plan';
import { ACCESS_NAMES } from '../access/whole';
import { readConfiguration } from '../config/configuration';
import type { FileView, PathMap } from '../config/files';
import type { Engine, FileInfo } from '../analysis/engine';
import type { Target } from '../config/target';
import { Fact, hasFact, type FileFacts } from '../rules/facts';
import type { Tree } from '../syntax/document';
import { List, Section } from '../syntax/tree';

export interface WholeConfiguration {
  readonly plan: AccessPlan;
  /** The files that belong to it, .htaccess files with access lines included; paths without links. */
  readonly files: readonly string[];
}

export interface WholeConfigurationOptions {
  readonly root: string;
  readonly view: FileView;
  readonly target: Target;
  /** Whose decisions are to be kept. */
  readonly source?: Source;
  /** Whether an AllowOverride may be widened by Require, which makes the plan a suggestion. */
  readonly mayAdmit?: boolean;
  readonly serverRoot?: string;
  readonly map?: PathMap;
  /** What the server is started with. */
  readonly defines?: ReadonlyMap<string, string> | null;
  /** The engine, where it has analyzed the root already: its facts tell which virtual hosts need not be looked at. */
  readonly engine?: Engine;
  /** As what it is analyzed: the same as when its findings are asked for, so that it is done once. */
  readonly infoOf?: (tree: Tree) => FileInfo;
}

/** Reads and plans. null where the root cannot be read. */
export function wholeConfiguration(options: WholeConfigurationOptions): WholeConfiguration | null {
  const read = { ...options, names: ACCESS_NAMES, conditions: accessConditions(options.source, options.target) };
  const sketch = readConfiguration({ ...read, skips: skipsOf(options) });
  const configuration = sketch?.asksVariables ? readConfiguration(read) : sketch;
  if (!configuration) return null;
  const { htaccess, doubts } = discoverHtaccess(configuration, options.view);
  const files = [...configuration.files.keys(), ...htaccess.map(({ scope }) => scope.file.path)];
  return { plan: planAccess(configuration, htaccess, doubts, options), files };
}

/** What an old line, or a file that may have one, is known by. */
const RELEVANT = Fact.oldAccess | Fact.satisfy | Fact.includes;

/**
 * Where nothing old stands outside virtual hosts and no .htaccess file is read anywhere, a virtual host without anything old decides
 * in 2.4 what it decided in 2.2.
 */
function skipsOf({ engine, infoOf, view, root }: WholeConfigurationOptions): ((section: Section) => boolean) | undefined {
  const tree = engine && view.read(root);
  if (!engine || !tree) return undefined;
  const { facts } = engine.analyze(tree, infoOf?.(tree) ?? { isHtaccess: false });
  if (hasFact(facts, Fact.allowsOverride) || !hasFact(facts, Fact.deniesOverrideAtRoot)) return undefined;
  if (hasFact(factsOutside(tree.root, engine), RELEVANT)) return undefined;
  return (section) => section.name === 'virtualhost' && !hasFact(engine.factsIn(section), RELEVANT);
}

/** What stands outside of virtual hosts, and where they include files; as far as it is relevant. */
function factsOutside(list: List, engine: Engine): FileFacts {
  let outside = 0;
  for (const child of list.children) {
    if (child instanceof List) outside |= hasFact(engine.factsIn(child), RELEVANT) ? factsOutside(child, engine) : 0;
    else if (child instanceof Section) outside |= engine.factsIn(child) & (child.name === 'virtualhost' ? Fact.includes : ~0);
    else outside |= engine.factsOfLine(child);
  }
  return outside;
}

/** Whether a path has one of the names that root files have. */
export function isRootName(path: string): boolean {
  return /(^|\/)(httpd|apache2?)\.conf$/.test(path);
}
