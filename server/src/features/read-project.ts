/**
 * Makes a project: reads the configurations with the given main files, and all files that belong to
 * them.
 */
import { accessConversion, type AccessConversion, type AccessRoot } from '../analysis/access-conversion';
import type { FileInfo } from '../analysis/engine';
import { withPossibleHtaccess, fileInfoOf } from '../analysis/places';
import { configView } from '../config/config-view';
import { Configurations, isHtaccessName, type HtaccessPlaces } from '../config/configurations';
import { asksForOldModuleIn, summarizeLazily } from '../config/file-summary';
import type { FileView } from '../config/files';
import { loadsModuleOf24 } from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { lazy } from '../syntax/memory';
import { Project, type SettingsByFile } from './project';

/** The inputs of a project. Paths have symbolic links resolved. */
export interface ProjectOptions {
  readonly view: FileView;
  readonly settings: SettingsByFile;
  /** The main files. */
  readonly roots: readonly string[];
  /**
   * The directory that the user named and that contains a file; null if the user named the file
   * itself.
   */
  readonly givenFolder?: (file: string) => string | null;
  /** Files that may be links to other files. */
  readonly possibleLinks?: readonly string[];
  /**
   * All files. Those that no configuration reads are checked together if the user sets
   * `assumeStandalone`.
   */
  readonly standaloneFiles?: readonly string[];
  /** Whether there may be .htaccess files below those that were not found: see `AccessOptions`. */
  readonly hasUnsearchedFolders?: boolean;
  /** Whether an access change may add Require to AllowOverride. Such a change is a suggestion. */
  readonly mayWidenOverride?: boolean;
  /**
   * Returns why a file cannot be changed together with the configuration of a main file; null if it
   * can. The result is a phrase that follows the file's name.
   */
  readonly whyUnchangeable?: (file: string, root: string) => string | null;
  /**
   * Whether to leave out the conversion of access lines. Then `order-allow-deny` has no fixes for
   * whole configurations. For callers that need only the other problems.
   */
  readonly omitsConversion?: boolean;
  /** Whether only the fixes are needed: see `ProjectParts`. */
  readonly needsOnlyFixes?: boolean;
  /** Why no fix may change a file: see `ProjectParts`. */
  readonly whyUnchanged?: (file: string) => string | null;
}

/** A project that can also compute the facts about each file that rules need. */
export class ReadProject extends Project {
  private readonly asksForOldModule = lazy(() => this.hasOldModule());

  constructor(
    private readonly options: ProjectOptions,
    private readonly configurations: Configurations,
    access: AccessConversion,
  ) {
    const { view, settings, needsOnlyFixes, whyUnchanged = () => null } = options;
    const { models: configurationModels } = configurations;
    super({ view, settings, configurationModels, accessConversion: access, needsOnlyFixes, whyUnchanged });
  }

  /**
   * Makes the project of the same files again, after the results of `whyUnchangeable` and
   * `whyUnchanged` have changed.
   */
  rebuildProject(): ReadProject {
    return new ReadProject(this.options, this.configurations, conversionOf(this.options, this.configurations));
  }

  /** The facts about a file that the configurations show. `tree` has the text before any fix. */
  infoOf(path: string, tree: Tree): FileInfo {
    const htaccessPlaces = this.accessConversion.htaccessPlaces(path);
    const contextOfFile = fileInfoInConfigurations(this.configurations, path, tree, htaccessPlaces);
    const { unreadReason, htaccessContexts = [], ...otherFacts } = withPossibleHtaccess(path, contextOfFile);
    // If another server also reads the file, it is unknown which directives that server permits in
    // it.
    const mayBeReadElsewhere = htaccessPlaces.mayHaveOthers || htaccessPlaces.roots.some((root) => !this.modelOf(root));
    const contexts = mayBeReadElsewhere ? [...htaccessContexts, null] : htaccessContexts;
    return {
      ...otherFacts,
      ...(unreadReason !== undefined && !mayBeReadElsewhere && { unreadReason }),
      ...(contexts.length > 0 && { htaccessContexts: contexts }),
      rulesWithWaitingFixes: this.rulesWithWaitingFixes(path),
      isOfConfiguration: this.accessConversion.isPartOfConfiguration(path),
      mayBeIncluded: this.accessConversion.mayIncludeAnyFile,
      // `tree` has the text before any fix, so it shows whether the file is from 2.2.
      ...(!loadsModuleOf24(tree.root) && { isFrom22: true }),
      ...(this.asksForOldModule() && { asksForOldModule: true }),
    };
  }

  /**
   * Whether a file of the configurations asks for a module that 2.4 lacks or renamed
   * (`asksForOldModuleIn`). .htaccess files count, too.
   */
  private hasOldModule(): boolean {
    const { configurationModels, accessConversion: access, view } = this;
    if (configurationModels.some((model) => model.asksForOldModule)) return true;
    // The walk does not read .htaccess files, so they are searched here.
    const standaloneHtaccess = (this.options.standaloneFiles ?? []).filter(isHtaccessName);
    const filesOutsideWalk = [...access.configurations.flatMap(({ files }) => files), ...standaloneHtaccess];
    return [...new Set(filesOutsideWalk)].some((file) => {
      const tree = configurationModels.some(({ files }) => files.has(file)) ? null : view.read(file);
      return tree !== null && asksForOldModuleIn(summarizeLazily(tree.root));
    });
  }
}

/** Reads the files and makes their project. */
export function readProject(options: ProjectOptions): ReadProject {
  const { view, settings, roots } = options;
  const configurations = new Configurations();
  configurations.update(
    roots.map((mainFile) => ({
      mainFile,
      target: settings.engineOf(mainFile).target,
      server: settings.serverOf(mainFile),
    })),
    configView(view),
    [],
  );
  return new ReadProject(options, configurations, conversionOf(options, configurations));
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The facts about a file that the configurations show. `places`: where the file is used as a
 * .htaccess file, if it is one.
 */
function fileInfoInConfigurations(
  configurations: Configurations,
  path: string,
  tree: Tree,
  places?: HtaccessPlaces,
): FileInfo {
  if (configurations.models.length === 0) return { isHtaccess: isHtaccessName(path) };
  return fileInfoOf(configurations.computeContexts(path, summarizeLazily(tree.root), places));
}

/** The conversion of the access control of the configurations, with the given options. */
function conversionOf(options: ProjectOptions, configurations: Configurations): AccessConversion {
  const {
    view,
    settings,
    roots,
    possibleLinks = [],
    standaloneFiles = [],
    hasUnsearchedFolders,
    mayWidenOverride,
    whyUnchangeable,
    omitsConversion = false,
  } = options;
  const accessRoot = (mainFile: string): AccessRoot => ({
    mainFile,
    engine: settings.engineOf(mainFile),
    get server() {
      return settings.serverOf(mainFile);
    },
    namedDirectory: options.givenFolder?.(mainFile) ?? undefined,
    infoOf: (tree) => fileInfoInConfigurations(configurations, mainFile, tree),
  });
  return accessConversion({
    roots: omitsConversion ? [] : roots.map(accessRoot),
    otherRoots: possibleLinks.map(accessRoot),
    standaloneFiles: standaloneFiles.map(accessRoot),
    hasUnsearchedFolders,
    view,
    mayWidenOverride,
    whyUnchangeable,
  });
}
