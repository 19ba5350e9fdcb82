/**
 * All configurations of a workspace or of a command, one for each main file. Also computes and
 * caches the contexts in which they read each file. `update` returns the files whose contexts
 * changed, so that only these are checked again.
 */
import { baseName, parentOf } from './files';
import { asksForOldModuleIn, type FileSummary } from './file-summary';
import type { UsesOfFile } from './macro';
import type { ConfigView } from './config-view';
import type { Model, ServerSettings } from './model';
import { modelInSteps } from './read-model';
import { runToEnd, type Steps } from './resumable';
import { FileContexts, ContextInterner, type SharedFileContext } from './file-context-of-walk';
import type { Target } from './target';

/** A main file, with the settings with which its configuration is read. */
export interface RootSettings {
  readonly mainFile: string;
  readonly target: Target;
  readonly server?: ServerSettings;
}

/** The contexts of one file in all configurations. */
export interface ContextsOfFile {
  readonly isHtaccess: boolean;
  /**
   * One context for each different place where the file is read; empty if no configuration reads
   * it.
   */
  readonly fileContexts: readonly SharedFileContext[];
  /**
   * The results of the file's Use lines: one item for each context. An item is null if the file has
   * no Use lines in that context.
   */
  readonly uses: readonly (UsesOfFile | null)[];
  /**
   * The reason why httpd ignores a .htaccess that no configuration reads, as a sentence without a
   * full stop.
   */
  readonly unreadReason?: string;
  /**
   * For an included file that is also read as a .htaccess: its contexts as a .htaccess. For a
   * .htaccess file: one more context if httpd may also read the file for other folders.
   */
  readonly htaccessContexts?: readonly SharedFileContext[];
}

/**
 * The folders for which httpd reads a file as a .htaccess file, because of links to it or to its
 * folders.
 */
export interface HtaccessPlaces {
  /** Paths on this machine. Empty if no link leads to the file. */
  readonly folders: readonly string[];
  /**
   * `all`: there are no other folders. `some`: not all served folders were searched. `open`: the
   * server may serve folders that cannot be searched.
   */
  readonly completeness: 'all' | 'some' | 'open';
}

/**
 * Returns the folders that contain a file under one of these names because of links. Empty if no
 * link leads to the file. Paths have symbolic links resolved.
 */
export type FindLinkedFolders = (file: string, names: readonly string[]) => readonly string[];

/** Maximum number of contexts in which one file is checked. */
const MAX_CONTEXTS_PER_FILE = 8;

/** All known configurations, and the contexts in which they read each file. */
export class Configurations {
  private publishedModels: readonly Model[] = [];
  private fileContexts: readonly FileContexts[] = [];
  private readonly interner = new ContextInterner();
  private contextsByFile = new Map<string, ContextsOfFile>();

  /**
   * The models, in the order of the main files. A main file that another main file includes has no
   * model.
   */
  get models(): readonly Model[] {
    return this.publishedModels;
  }

  /**
   * Reads all configurations again. `files`: further files whose contexts are needed, by their
   * paths with links resolved. Returns the files whose contexts have changed.
   */
  update(roots: readonly RootSettings[], view: ConfigView, files: Iterable<string>): Set<string> {
    return runToEnd(this.publish(runToEnd(this.read(roots, view, this.models)), view, files));
  }

  /**
   * Reads the models of the main files, in steps. The files must not change between the steps.
   * Callers still get the old models until `publish` is called.
   */
  *read(roots: readonly RootSettings[], view: ConfigView, modelsOfLastWalk: readonly Model[]): Steps<readonly Model[]> {
    const modelByMainFile = new Map(modelsOfLastWalk.map((model) => [model.mainFile, model]));
    const models: Model[] = [];
    for (const { mainFile, target, server } of roots) {
      const model = yield* modelInSteps({
        mainFile,
        view,
        target,
        server,
        modelBefore: modelByMainFile.get(view.realPath(mainFile)),
      });
      if (model) models.push(model);
    }
    return models.filter(
      (model, index) =>
        !models.some(
          (other, otherIndex) =>
            includesMainFileOf(other, model) && (otherIndex < index || !includesMainFileOf(model, other)),
        ),
    );
  }

  /**
   * Computes the contexts of the files from the models, in steps. Callers get the old contexts
   * until the last step. Returns the files whose contexts have changed.
   */
  *publish(
    models: readonly Model[],
    view: ConfigView,
    files: Iterable<string>,
    foldersOf: FindLinkedFolders = NO_FOLDERS,
  ): Steps<Set<string>> {
    const wantedFiles = new Set(files);
    let asksForOldModule = false;
    for (const file of wantedFiles) {
      if (!isHtaccessFile(models, file)) continue;
      const fileSummary = view.fileSummary(file);
      asksForOldModule ||= fileSummary !== null && asksForOldModuleIn(fileSummary);
    }
    const fileContexts = models.map(
      (model) => new FileContexts(model, this.interner, model.asksForOldModule || asksForOldModule),
    );
    for (const model of models) for (const file of model.files.keys()) wantedFiles.add(file);
    yield;
    const nextContexts = new Map<string, ContextsOfFile>();
    const changedFiles = new Set<string>();
    const accessFileNames = [...new Set(['.htaccess', ...models.flatMap((model) => model.accessFileNames)])];
    for (const file of wantedFiles) {
      const isHtaccess = isHtaccessFile(models, file);
      const folders = foldersOf(file, accessFileNames);
      if (isHtaccess || folders.length > 0) for (const model of models) yield* model.gatherServedFolders();
      const contexts = contextsFrom(
        file,
        view.fileSummary(file),
        isHtaccess,
        { folders, completeness: 'some' },
        fileContexts,
      );
      nextContexts.set(file, contexts);
      const previousContexts = this.contextsByFile.get(file);
      if (!previousContexts || !areSameContexts(previousContexts, contexts)) changedFiles.add(file);
      if (nextContexts.size % FILES_PER_STEP === 0) yield;
    }
    for (const file of this.contextsByFile.keys()) if (!nextContexts.has(file)) changedFiles.add(file);
    this.publishedModels = models;
    this.fileContexts = fileContexts;
    this.contextsByFile = nextContexts;
    this.interner.dropUnused();
    return changedFiles;
  }

  /**
   * The contexts of a file since the last `publish`; undefined if `publish` did not compute them.
   */
  publishedContextsOf(file: string): ContextsOfFile | undefined {
    return this.contextsByFile.get(file);
  }

  /**
   * Assigns the results of conditions to the new line objects of a file. Must be called after an
   * edit that does not affect other files, because conditions with the same text are distinguished
   * by their line objects.
   */
  bindConditions(file: string, fileSummary: FileSummary): void {
    for (const fileContext of this.contextsByFile.get(file)?.fileContexts ?? [])
      fileContext.bindConditions(fileSummary);
  }

  /** Computes the contexts of any file. `file`: its path with links resolved. */
  computeContexts(
    file: string,
    fileSummary: FileSummary | null,
    places: HtaccessPlaces = { folders: [], completeness: 'all' },
  ): ContextsOfFile {
    return contextsFrom(file, fileSummary, isHtaccessFile(this.publishedModels, file), places, this.fileContexts);
  }
}

/**
 * Whether a file has a usual name of .htaccess files, which httpd reads at each request.
 * AccessFileName may set other names.
 */
export function isHtaccessName(path: string): boolean {
  return /(^|[\\/])(?:[._]?htaccess[^\\/]*|[^\\/]+\.htaccess)$/.test(path);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Number of files between two pauses. */
const FILES_PER_STEP = 16;

/**
 * The contexts of one file in all configurations. `hasHtaccessName`: whether httpd reads files of
 * this name as .htaccess files. `linkedFolders`: folders that contain the file because of links.
 */
function contextsFrom(
  file: string,
  fileSummary: FileSummary | null,
  hasHtaccessName: boolean,
  { folders: linkedFolders, completeness }: HtaccessPlaces,
  fileContexts: readonly FileContexts[],
): ContextsOfFile {
  if (!fileSummary) return NO_CONTEXTS;
  const contextsOfIncludes = hasHtaccessName
    ? []
    : uniqueContexts(fileContexts.flatMap((each) => each.contextsOfFile(file, fileSummary)));
  const folders = linkedFolders.length === 0 && hasHtaccessName ? [parentOf(file)] : linkedFolders;
  if (folders.length === 0)
    return { isHtaccess: false, fileContexts: contextsOfIncludes, uses: contextsOfIncludes.map(({ uses }) => uses) };
  const htaccessContexts = fileContexts.flatMap((contexts) =>
    folders.map((folder) => ({
      admitting: contexts.contextOfHtaccess(folder, fileSummary),
      unread: contexts.reasonUnread(folder),
    })),
  );
  const contextsWithAccessControl = uniqueContexts(htaccessContexts.flatMap((each) => each.admitting ?? []));
  // The program cannot know what AllowOverride allows in a folder that a pattern serves, or in a
  // folder above the served ones. So a .htaccess file in such a folder gets one more context, in
  // which AllowOverride is unknown.
  const isEveryContextKnown =
    completeness === 'all' && htaccessContexts.every((each) => each.admitting !== null || each.unread !== null);
  const contextsAnywhere = isEveryContextKnown
    ? []
    : uniqueContexts(fileContexts.map((each) => each.contextOfHtaccessAnywhere(fileSummary)));
  if (contextsOfIncludes.length > 0)
    return {
      isHtaccess: false,
      fileContexts: contextsOfIncludes,
      uses: contextsOfIncludes.map(({ uses }) => uses),
      htaccessContexts: [...contextsWithAccessControl, ...contextsAnywhere],
    };
  const reasonUnread =
    contextsWithAccessControl.length === 0 && completeness !== 'open'
      ? fileContexts
          .map((each) => folders.map((folder) => each.reasonUnread(folder)))
          .find((whys) => whys.every((why) => why !== null))?.[0]
      : undefined;
  return {
    isHtaccess: true,
    fileContexts: contextsWithAccessControl,
    uses: contextsWithAccessControl.map(({ uses }) => uses),
    unreadReason: reasonUnread ?? undefined,
    htaccessContexts: contextsAnywhere,
  };
}

const NO_FOLDERS: FindLinkedFolders = () => [];

function isHtaccessFile(models: readonly Model[], file: string): boolean {
  if (isHtaccessName(file)) return true;
  const fileName = baseName(file);
  return models.some((model) => model.accessFileNames.includes(fileName) && !model.files.has(file));
}

function includesMainFileOf(model: Model, other: Model): boolean {
  return model !== other && model.files.has(other.mainFile);
}

const NO_CONTEXTS: ContextsOfFile = { isHtaccess: false, fileContexts: [], uses: [] };

function uniqueContexts(fileContexts: readonly SharedFileContext[]): readonly SharedFileContext[] {
  return fileContexts.length < 2 ? fileContexts : [...new Set(fileContexts)].slice(0, MAX_CONTEXTS_PER_FILE);
}

function areSameContexts(a: ContextsOfFile, b: ContextsOfFile): boolean {
  const [contextsOfA = [], contextsOfB = []] = [a.htaccessContexts, b.htaccessContexts];
  if (contextsOfA.length !== contextsOfB.length || contextsOfA.some((each, index) => each !== contextsOfB[index]))
    return false;
  return (
    a.isHtaccess === b.isHtaccess &&
    a.unreadReason === b.unreadReason &&
    a.fileContexts.length === b.fileContexts.length &&
    a.fileContexts.every((each, index) => each === b.fileContexts[index] && a.uses[index] === b.uses[index])
  );
}
