/**
 * Finds and reads the `.httpd-upgrade.json` (the project file) that applies to a document. It is
 * the nearest such file in the document's folder or in a folder above, up to the workspace folder.
 * Outside of any workspace folder, the search goes up to the root of the volume. Project files are
 * cached until one of them changes. In restricted mode, no project file is read.
 */
import { DiagnosticSeverity, FileChangeType, type Connection, type Diagnostic } from 'vscode-languageserver';
import {
  isMarkedUnused,
  MAX_PROJECT_FILE_SIZE,
  PROJECT_FILE,
  readProjectFile,
  TOO_LARGE_TEXT,
  whyLeadsOut,
  type ProjectPlace,
  type ProjectProblem,
  type ProjectSettings,
} from '../settings/project-file';
import { decode } from '../host/decode';
import type { Host } from '../host/host';
import { DIAGNOSTIC_SOURCE } from '../features/diagnostics';
import { Tree } from '../syntax/document';
import { rangeOf } from '../features/convert';

/** A `.httpd-upgrade.json` and the settings in it. */
export interface ProjectFile {
  readonly uri: string;
  readonly settings: ProjectSettings;
}

/** Whether a project file says that no server reads a file. */
export function isMarkedUnusedBy(project: ProjectFile | null, uri: string): boolean {
  if (!project) return false;
  const folder = project.uri.slice(0, project.uri.lastIndexOf('/') + 1);
  return uri.startsWith(folder) && isMarkedUnused(project.settings, withoutEscapes(uri.slice(folder.length)));
}

/** The project files of the workspace, cached. */
export interface ProjectFiles {
  /** The project file for a document; null if there is none. */
  projectFileOf(uri: string): Promise<ProjectFile | null>;
  /** Drops the cached files. */
  dropCache(): void;
  /** Handles changes on disk. Returns whether one of them is a project file. */
  handleChanges(changes: readonly { readonly uri: string; readonly type: FileChangeType }[]): boolean;
}

/** What the search for project files uses. */
export interface ProjectFilesOptions {
  readonly connection: Connection;
  readonly host: Host;
  /** The workspace folders, as URIs. */
  readonly folders: () => readonly string[];
  readonly isTrusted: () => boolean;
}

/**
 * Makes the cache of project files. Mistakes in project files are sent to the client as
 * diagnostics.
 */
export function newProjectFiles({ connection, host, folders, isTrusted }: ProjectFilesOptions): ProjectFiles {
  /**
   * The project file that applies to each folder. Keys are URIs of folders, without a slash at the
   * end.
   */
  let fileOfFolder = new Map<string, Promise<ProjectFile | null>>();
  /** The project files for which the client has diagnostics. */
  const urisWithProblems = new Set<string>();

  /** Like `readProjectFileIn`, but from the cache if the folder is in it. */
  const projectFileIn = (folder: string, lastFolder: string): Promise<ProjectFile | null> => {
    let file = fileOfFolder.get(folder);
    if (!file) fileOfFolder.set(folder, (file = readProjectFileIn(folder, lastFolder)));
    return file;
  };
  /**
   * Reads the project file in a folder, or else the nearest one above it, up to `lastFolder`. Null
   * if there is none.
   */
  const readProjectFileIn = async (folder: string, lastFolder: string): Promise<ProjectFile | null> => {
    const uri = `${folder}/${PROJECT_FILE}`;
    const projectPlace = projectPlaceOf(folder);
    if (projectPlace === null) return null;
    const problem = projectPlace ? whyLeadsOut(projectPlace) : null;
    if (problem !== null) return readAndReport(uri, { problem }, projectPlace);
    const content = await host.readFile(uri).catch(() => null);
    if (content && 'bytes' in content) {
      const isLarge = content.bytes.length > MAX_PROJECT_FILE_SIZE;
      return readAndReport(uri, isLarge ? { problem: TOO_LARGE_TEXT } : decode(content.bytes), projectPlace);
    }
    const parent = folder.slice(0, folder.lastIndexOf('/'));
    return folder === lastFolder || !parent.startsWith(lastFolder) ? null : projectFileIn(parent, lastFolder);
  };
  /**
   * The folder's path and a view of its files. Undefined for a folder that is not on a disk; null
   * if its links cannot be read.
   */
  const projectPlaceOf = (folder: string): ProjectPlace | undefined | null => {
    const folderPath = host.pathOf?.(folder);
    if (folderPath == null) return undefined;
    try {
      return { folder: folderPath, view: host.fileView?.(() => null) };
    } catch {
      return null;
    }
  };
  const readAndReport = (
    uri: string,
    content: Parameters<typeof readProjectFile>[0],
    place?: ProjectPlace,
  ): ProjectFile => {
    const { text, settings, problems } = readProjectFile(content, place);
    if (problems.length > 0 || urisWithProblems.has(uri)) reportProblems(uri, text, problems);
    return { uri, settings };
  };
  /** Sends the problems of a project file as diagnostics. `text`: the text of the file. */
  const reportProblems = (uri: string, text: string, problems: readonly ProjectProblem[]) => {
    if (problems.length > 0) urisWithProblems.add(uri);
    else urisWithProblems.delete(uri);
    const tree = Tree.parse(text);
    const diagnostics = problems.map(
      (problem): Diagnostic => ({
        range: rangeOf(tree, problem),
        severity: DiagnosticSeverity.Error,
        source: DIAGNOSTIC_SOURCE,
        message: problem.message,
      }),
    );
    void connection.sendDiagnostics({ uri, diagnostics });
  };

  return {
    async projectFileOf(uri) {
      const folder = uri.slice(0, uri.lastIndexOf('/'));
      const lastFolder = isTrusted() ? lastFolderToSearch(folder, folders()) : null;
      return lastFolder === null ? null : projectFileIn(folder, lastFolder);
    },
    dropCache() {
      fileOfFolder = new Map();
    },
    handleChanges(changes) {
      const changedProjects = changes.filter(({ uri }) => uri.endsWith(`/${PROJECT_FILE}`));
      for (const { uri, type } of changedProjects)
        if (type === FileChangeType.Deleted && urisWithProblems.has(uri)) reportProblems(uri, '', []);
      return changedProjects.length > 0;
    },
  };
}

/** A part of a URI without percent escapes. The part itself if its escapes are invalid. */
export function withoutEscapes(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The last folder of the search upwards: the outermost workspace folder around `folder`, or else
 * the root of its volume. Null for an unsaved document, which has no folder.
 */
function lastFolderToSearch(folder: string, workspaceFolders: readonly string[]): string | null {
  const enclosingFolders = workspaceFolders
    .map((uri) => uri.replace(/\/$/, ''))
    .filter((uri) => folder === uri || folder.startsWith(`${uri}/`));
  // If workspace folders are nested, chooses the outermost one.
  if (enclosingFolders.length > 0) return enclosingFolders.reduce((a, b) => (a.length <= b.length ? a : b));
  return /^file:\/\/[^/]*\//.exec(`${folder}/`)?.[0].slice(0, -1) ?? null;
}
