/**
 * Files to be fixed, and the configurations whose main files are among them: for `fix`, and for Fix
 * All of an editor. Edits that belong together, in one file or several, are one change, applied
 * only if all of its files can be changed.
 */
import {
  accessConversion,
  STANDALONE_QUESTION,
  type AccessConversion,
  type AccessRoot,
} from '../analysis/access-conversion';
import type { FileInfo } from '../analysis/engine';
import { applyEdits, fixText } from '../analysis/fixes';
import { orHtaccess, placesOf } from '../analysis/places';
import { Configurations, isHtaccessName, type HtaccessPlaces } from '../config/configurations';
import { asksForOldModuleIn, summarizeLazily, isRootTree } from '../config/file-summary';
import type { FileView } from '../config/files';
import { configView } from '../config/config-view';
import type { Model } from '../config/model';
import type { Edit } from '../rules/rule';
import { loadsModuleOf24 } from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { lazy } from '../syntax/memory';
import { configurationWide, type ConfigurationWide, type Projects } from './configuration-wide';

export type { Projects };

/** Files by their paths without links. */
export interface GivenOptions {
  readonly view: FileView;
  readonly projects: Projects;
  /** The main files. */
  readonly roots: readonly string[];
  /** The directory given by the user that contains a file; null if the file was given by itself. */
  readonly givenFolder?: (file: string) => string | null;
  /** Files that may be links to others. */
  readonly others?: readonly string[];
  /**
   * All given files: those that no configuration reads are checked together if the user sets
   * `assumeStandalone`.
   */
  readonly standaloneFiles?: readonly string[];
  /** Whether Require may be added to AllowOverride, which makes a plan a suggestion. */
  readonly mayAdmit?: boolean;
  /**
   * Why a file of a main file's configuration cannot be changed, as text after its name; null if it
   * can.
   */
  readonly obstacle: (file: string, root: string) => string | null;
  /** Whether fixes of the whole configuration may change the file. */
  readonly may: (file: string) => boolean;
}

export interface GivenConfigurations {
  readonly models: readonly Model[];
  readonly access: AccessConversion;
  readonly wide: ConfigurationWide;
  /** What is known about a file. */
  infoOf(file: string, tree: Tree): FileInfo;
  /**
   * The edits of the conversion of access control and of configuration fixes in a file, relative to
   * the text that was read.
   */
  edits(file: string, unsafe: boolean): readonly Edit[];
  /** Plans again, after the obstacles have changed. */
  planAgain(): void;
}

export function givenConfigurations({
  view,
  projects,
  roots,
  givenFolder = () => null,
  others = [],
  standaloneFiles: lone = [],
  mayAdmit,
  obstacle,
  may,
}: GivenOptions): GivenConfigurations {
  const configurations = new Configurations();
  configurations.update(
    roots.map((root) => ({ root, target: projects.engineOf(root).target, server: projects.serverOf(root) })),
    configView(view),
    [],
  );
  const fromConfiguration = (file: string, tree: Tree, places?: HtaccessPlaces): FileInfo =>
    configurations.all.length === 0
      ? { isHtaccess: isHtaccessName(file) }
      : placesOf(configurations.contextOf(file, summarizeLazily(tree.root), places));
  const accessRoot = (root: string): AccessRoot => ({
    root,
    engine: projects.engineOf(root),
    server: projects.serverOf(root),
    given: givenFolder(root) ?? undefined,
    infoOf: (tree) => fromConfiguration(root, tree),
  });
  const vouched = lone.some((file) => projects.engineOf(file).isSettled(STANDALONE_QUESTION)) ? lone : [];
  const planned = () =>
    accessConversion({
      roots: roots.map(accessRoot),
      others: others.map(accessRoot),
      lone: vouched.map(accessRoot),
      view,
      mayAdmit,
      obstacle,
    });
  let access = planned();
  const asksForOldModule = lazy(() => {
    const models = configurations.all;
    if (models.some((model) => model.asksForOldModule)) return true;
    // .htaccess files are not part of the walk.
    const rest = [...access.configurations.flatMap(({ files }) => files), ...lone.filter(isHtaccessName)];
    return [...new Set(rest)].some((file) => {
      const tree = models.some(({ files }) => files.has(file)) ? null : view.read(file);
      return tree !== null && asksForOldModuleIn(summarizeLazily(tree.root));
    });
  });
  const wide = configurationWide({ models: configurations.all, view, projects, may });
  return {
    models: configurations.all,
    get access() {
      return access;
    },
    wide,
    infoOf(file, tree) {
      const places = access.htaccessPlaces(file);
      const { unread, asHtaccess = [], ...info } = orHtaccess(file, fromConfiguration(file, tree, places));
      // The grants of another server are not in these configurations.
      const isElsewhere =
        places.mayHaveOthers || places.roots.some((root) => configurations.all.every((model) => model.root !== root));
      const all = isElsewhere ? [...asHtaccess, null] : asHtaccess;
      return {
        ...info,
        ...(unread !== undefined && !isElsewhere && { unread }),
        ...(all.length > 0 && { asHtaccess: all }),
        heldBack: wide.heldBack(file),
        isPartOfWhole: access.isPart(file),
        // Recorded before the file is changed.
        ...(!loadsModuleOf24(tree.root) && { isFrom22: true }),
        ...(asksForOldModule() && { asksForOldModule: true }),
      };
    },
    edits: (file, unsafe) => [...access.edits(file, unsafe), ...wide.edits(file, unsafe)],
    planAgain: () => void (access = planned()),
  };
}

export interface FixFileOptions {
  /** The path without links. */
  readonly file: string;
  readonly tree: Tree;
  readonly view: FileView;
  readonly projects: Projects;
  /** Whether another file can be changed together with this one. */
  readonly may: (file: string) => boolean;
  /** Facts about files around it, if it is no main file. */
  readonly around?: Pick<FileInfo, 'isPartOfWhole' | 'hasNeighbours' | 'asHtaccess' | 'asksForOldModule'>;
}

/** The result of `fix --write` for one file. */
export interface FixedFile {
  readonly text: string;
  /** The edits of configuration changes in it; further edits may have been made after that. */
  readonly edits: readonly Edit[];
  /** The related edits in other files, by path. */
  readonly elsewhere: ReadonlyMap<string, readonly Edit[]>;
  /** Files that would have to change with it but cannot: fixes that need them are left out. */
  readonly waitsFor: readonly string[];
}

export function fixedFile({ file, tree, view, projects, may, around = {} }: FixFileOptions): FixedFile {
  const waitsFor = new Set<string>();
  const mayChange = (other: string) => other === file || may(other);
  const given = givenConfigurations({
    view,
    projects,
    roots: isRootTree(tree.root) ? [file] : [],
    obstacle: () => null,
    may: mayChange,
  });
  const edits = new Map<string, readonly Edit[]>();
  const take = (change: ReadonlyMap<string, readonly Edit[]>) => {
    for (const [path, fileEdits] of change) edits.set(path, [...(edits.get(path) ?? []), ...fileEdits]);
  };
  for (const { safety, edits: change } of given.access.changes) {
    if (safety !== 'safe' || !change.has(file)) continue;
    const missing = [...change.keys()].filter((path) => !mayChange(path));
    missing.forEach((path) => waitsFor.add(path));
    if (missing.length === 0) take(change);
  }
  for (const change of given.wide.changes(false)) if (change.has(file)) take(change);
  const { [file]: ownEdits = [], ...elsewhere } = Object.fromEntries(edits);
  const converted = ownEdits.length > 0 ? applyEdits(tree.text(), ownEdits) : tree.text();
  const info = given.infoOf(file, tree);
  const { text } = fixText(projects.engineOf(file), converted, {
    ...info,
    isPartOfWhole: info.isPartOfWhole || around.isPartOfWhole,
    hasNeighbours: around.hasNeighbours,
    ...(around.asksForOldModule && { asksForOldModule: true }),
    asHtaccess: around.asHtaccess ?? info.asHtaccess,
  });
  return { text, edits: ownEdits, elsewhere: new Map(Object.entries(elsewhere)), waitsFor: [...waitsFor] };
}
