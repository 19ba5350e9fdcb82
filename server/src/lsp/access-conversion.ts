/**
 * Plans the conversion of the access control of whole configurations. conversions.ts shows the
 * plan, asks the user, and writes it. A plan needs every file of a configuration, so it is made
 * only on request.
 */
import { CodeActionKind, type CancellationToken, type CodeAction, type Diagnostic } from 'vscode-languageserver';
import { openQuestionTexts } from '../access/open-question';
import {
  accessConversion,
  type AccessConversion,
  type AccessOfConfiguration,
  type AccessRoot,
} from '../analysis/access-conversion';
import { Engine } from '../analysis/engine';
import { applyEdits } from '../analysis/fixes';
import { isMainFilePath } from '../analysis/main-file';
import { OUTSIDE_WORKSPACE } from '../analysis/upgrade-plan';
import { isMainFileTree } from '../config/file-summary';
import type { FileView } from '../config/files';
import { QueryLimit, TooManyQueries } from '../config/look-limit';
import type { Conversion, FileChange } from '../features/conversion';
import { reasonText } from '../access/not-converted';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { wrongEncodingOf } from './wrong-encoding';
import { pathForUsers, withRelativePaths } from './navigation';
import { canWriteFiles, throwIfCancelled, type Session } from './session';
import { fileViewFor } from './view-of-files';

/**
 * The command that converts a configuration. Our own client has it; for other clients, the server
 * has it. Its argument is the URI of a file of the configuration. Without an argument, it converts
 * all configurations.
 */
export const CONVERT_COMMAND = 'httpdUpgrade.convertConfiguration';

const ACTION_TITLE = 'Convert all access control of this configuration…';

/** The reply if there is nothing to convert. `nothing` is the reason, as a sentence. */
export interface NothingToConvert {
  readonly nothing: string;
  /**
   * The line because of which nothing is converted. `name` is the file and line as users see them;
   * `line` is 0-based.
   */
  readonly place?: { readonly uri: string; readonly line: number; readonly name: string };
}

/**
 * The code action that converts the whole configuration of a file, in a list of one. Empty if none
 * of `actions` is about old access lines, or if files cannot be written.
 */
export function conversionAction(session: Session, uri: string, actions: readonly CodeAction[]): CodeAction[] {
  if (!canWriteFiles(session)) return [];
  const diagnostics = new Map<string, Diagnostic>();
  for (const { diagnostics: actionDiagnostics } of actions)
    for (const each of actionDiagnostics ?? [])
      if (each.code === orderAllowDeny.id) diagnostics.set(JSON.stringify(each.range), each);
  if (diagnostics.size === 0) return [];
  return [
    {
      title: ACTION_TITLE,
      kind: CodeActionKind.QuickFix,
      diagnostics: [...diagnostics.values()],
      command: { title: ACTION_TITLE, command: CONVERT_COMMAND, arguments: [uri] },
    },
  ];
}

/**
 * Plans the conversion of the configuration that reads the file `uri`; without `uri`, of all
 * configurations in the workspace. Returns the reason if there is nothing to convert.
 */
export async function planConversion(
  session: Session,
  uri: string | undefined,
  token: CancellationToken,
): Promise<Conversion | NothingToConvert> {
  if (!session.isTrusted)
    return {
      nothing: 'In restricted mode, other files are not read. Trust this workspace to convert its configuration.',
    };
  if (!canWriteFiles(session)) return { nothing: 'This editor cannot write the files of the conversion.' };
  const path = uri === undefined ? null : session.workspace.realPathOf(uri);
  const foundUris = await session.host.findFiles(session.folders, () => token.isCancellationRequested);
  await session.workspace.untilCurrent();
  throwIfCancelled(token);
  const openFiles = await openTreesToConvert(session);
  if ('nothing' in openFiles) return openFiles;
  const view = await fileViewFor(session, openFiles.trees);
  const access = await planConversionOfRoots(session, view, mainFilesOf(session, view, foundUris), uri);
  throwIfCancelled(token);
  const configurations =
    path === null ? access.configurations : access.configurations.filter(({ files }) => files.includes(path));
  if (configurations.length === 0)
    return {
      nothing:
        path === null
          ? 'There is no main configuration file in this workspace.'
          : `No configuration in this workspace includes ${pathForUsers(session, path)}.`,
    };
  return joinedConversion(session, view, configurations);
}

/**
 * Plans the conversion of the configurations with these main files. If some of them read the file
 * `uri`, only these are converted. `keepsBoth`: the old lines stay for 2.2, next to the new ones.
 */
export async function planConversionOfRoots(
  session: Session,
  view: FileView,
  roots: readonly string[],
  uri?: string,
  keepsBoth = false,
): Promise<AccessConversion> {
  const { settings, workspace } = session;
  const path = uri === undefined ? null : workspace.realPathOf(uri);
  const rootsOfFile =
    path === null ? [] : workspace.models.filter((model) => model.files.has(path)).map(({ mainFile }) => mainFile);
  const accessRoots: AccessRoot[] = [];
  for (const mainFile of roots) {
    const {
      engine,
      values: { roots: configuredRoots },
    } = await settings.settingsOf(workspace.clientUriOf(mainFile));
    accessRoots.push({
      mainFile,
      engine: keepsBoth ? new Engine({ ...engine.options, keepsBoth }) : engine,
      server: await workspace.serverSettingsOf(mainFile),
      namedDirectory: workspaceFolderOf(session, mainFile) ?? undefined,
      isNamed: configuredRoots.length > 0 && workspace.models.some((model) => model.mainFile === mainFile),
    });
  }
  const isRootOfFile = ({ mainFile }: AccessRoot) => rootsOfFile.length === 0 || rootsOfFile.includes(mainFile);
  return accessConversion({
    roots: accessRoots.filter(isRootOfFile),
    otherRoots: accessRoots.filter((each) => !isRootOfFile(each)),
    view,
    mayWidenOverride: true,
    whyUnchangeable: (file) => whyUnchangeable(session, file),
  });
}

/**
 * Computes a conversion with at most `maxQueries` file-system queries; null if it needs more. A
 * conversion computes the items of `configurations` when they are first read. This function reads
 * them all, so that the limit also holds for this work.
 */
export async function conversionWithinQueryLimit(
  maxQueries: number,
  view: FileView,
  plan: (view: FileView) => Promise<AccessConversion>,
): Promise<AccessConversion | null> {
  const limit = new QueryLimit(maxQueries);
  try {
    const access = await plan(limit.viewWithLimit(view));
    void access.configurations.length;
    limit.removeLimit();
    return access;
  } catch (error) {
    if (error instanceof TooManyQueries) return null;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Joins the changes of several configurations to one conversion. If no configuration changes,
 * returns the reason.
 */
function joinedConversion(
  session: Session,
  view: FileView,
  configurations: readonly AccessOfConfiguration[],
): Conversion | NothingToConvert {
  const displayPath = (path: string) => pathForUsers(session, path);
  const reasonsNotConverted = configurations.flatMap(({ mainFile, whyNothingConverted: reason }) =>
    reason === null ? [] : [`${displayPath(mainFile)}: ${withRelativePaths(session, reasonText(reason))}`],
  );
  const convertibleConfigurations = configurations.filter((each) => each.whyNothingConverted === null);
  const allChanges = [...new Set(convertibleConfigurations.flatMap((each) => each.changes))];
  const edits = new Map<string, readonly Edit[]>();
  for (const change of allChanges)
    for (const [path, fileEdits] of change.edits) edits.set(path, [...(edits.get(path) ?? []), ...fileEdits]);
  const changes = fileChangesOf(edits, view);
  const unconvertedSections = convertibleConfigurations.flatMap(({ refusals }) =>
    refusals.map(({ path, offset, section, reason }) => ({
      path,
      line: lineNumberAt(view, path, offset),
      section,
      reason: withRelativePaths(session, reasonText(reason)),
    })),
  );
  if (changes.length > 0) {
    return {
      roots: convertibleConfigurations.filter((each) => each.changes.length > 0).map(({ mainFile }) => mainFile),
      changes,
      unconvertedSections,
      reasonsNotConverted,
      sectionCount: allChanges.reduce((sum, { sectionCount }) => sum + sectionCount, 0),
      assumptions: openQuestionTexts(allChanges.flatMap(({ waitsFor, restsOn }) => [...waitsFor, ...restsOn])).map(
        (text) => withRelativePaths(session, text),
      ),
    };
  }
  if (reasonsNotConverted.length > 0) return { nothing: `Not converted: ${reasonsNotConverted[0]}.` };
  const [firstUnconverted] = unconvertedSections;
  return {
    nothing: firstUnconverted
      ? `Nothing can be converted. ${displayPath(firstUnconverted.path)}:${firstUnconverted.line} ${firstUnconverted.section}: ${firstUnconverted.reason}.`
      : 'There is no access control of 2.2 to convert.',
  };
}

/**
 * The paths of the main files: those of the configurations in the workspace, and open or found
 * files that have a usual name and the contents of a main file. `foundUris`: the files that a
 * search has found.
 */
export function mainFilesOf(
  { workspace, documents, host }: Session,
  view: FileView,
  foundUris: readonly string[],
): string[] {
  const pathsWithMainName = [...documents.keys(), ...foundUris]
    .filter(isMainFilePath)
    .flatMap((uri) => host.pathOf?.(uri) ?? []);
  const isMainFile = (path: string) => {
    const tree = view.read(path);
    return tree !== null && isMainFileTree(tree.root, path);
  };
  return [
    ...new Set([
      ...workspace.models.map(({ mainFile }) => mainFile),
      ...pathsWithMainName.map((path) => view.realPath(path)).filter(isMainFile),
    ]),
  ];
}

/**
 * The trees of open files by path. A file that the editor opened in the wrong encoding is left out,
 * so that it is read from the disk; if it has unsaved changes, the conversion is refused.
 */
async function openTreesToConvert(
  session: Session,
): Promise<{ readonly trees: ReadonlyMap<string, Tree> } | NothingToConvert> {
  const trees = new Map<string, Tree>();
  for (const document of session.documents.all()) {
    const path = session.workspace.realPathOf(document.uri);
    if (path === null) continue;
    const wrongEncoding = await wrongEncodingOf(session, document);
    if (wrongEncoding === 'changed')
      return {
        nothing: `${pathForUsers(session, path)} is open with the wrong encoding and has unsaved changes. Reopen it with its own encoding first.`,
      };
    if (wrongEncoding === 'no') trees.set(path, document.tree);
  }
  return { trees };
}

/** The changes of files by their edits. Files that `view` cannot read are left out. */
export function fileChangesOf(editsByPath: ReadonlyMap<string, readonly Edit[]>, view: FileView): FileChange[] {
  return [...editsByPath].flatMap(([path, edits]): FileChange[] => {
    const before = view.read(path)?.text();
    return before === undefined ? [] : [{ path, before, after: applyEdits(before, edits), edits }];
  });
}

/** Why no conversion may change a file; null if it may. */
export function whyUnchangeable(session: Session, path: string): string | null {
  return isInWorkspace(session, path) ? null : OUTSIDE_WORKSPACE;
}

/** Whether a file is open, or in a folder that the user opened. Other files are not written. */
export function isInWorkspace(session: Session, path: string): boolean {
  return session.workspace.isOpen(path) || workspaceFolderOf(session, path) !== null;
}

/**
 * The path of the workspace folder that contains a file; null if none does. A workspace folder that
 * is a symbolic link is resolved.
 */
export function workspaceFolderOf({ folders, workspace, host }: Session, path: string): string | null {
  const contains = (folder: string) => path.startsWith(`${folder}/`);
  const folderPaths = folders.flatMap((folder) => workspace.pathOf(folder.replace(/\/$/, '')) ?? []);
  const enclosingFolder = folderPaths.find(contains);
  if (enclosingFolder !== undefined) return enclosingFolder;
  const view = host.fileView?.(() => null);
  return folderPaths.map((base) => view?.realPath(base) ?? base).find(contains) ?? null;
}

/** The 1-based line of an offset in a file; 1 if the file cannot be read. */
function lineNumberAt(view: FileView, path: string, offset: number): number {
  return (view.read(path)?.positionAt(offset).line ?? 0) + 1;
}
