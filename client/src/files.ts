/**
 * Reads and writes files for a server that has no file system: in a browser, and in workspaces that
 * are not on a disk. In restricted mode, only files that are open in the editor are read.
 */
import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import { isHttpdPath } from '../../server/src/directives/recognize';
import { Requests } from './language';

/** Limit for the size of a file. httpd has no limit, but a larger file is not a configuration. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Limit for the number of files that a search finds. */
const MAX_FOUND_FILES = 5_000;

/**
 * Matches the names of all configuration files, but also of files of other programs. `isHttpdPath`
 * tells them apart.
 */
const CANDIDATE_PATTERN =
  '**/{*.conf,*.conf.*,*.load,*.include,*.vhost,*htaccess*,sites-available/*,sites-enabled/*,vhosts.d/*,conf.d/*,httpd/*,apache/*,apache2/*}';
const EXCLUDED_FOLDERS = '**/{node_modules,.git,.svn,.hg,vendor}/**';

/** The bytes of a file in base64, and their number; or why it cannot be read. */
type ReadResult = { content: string; size: number } | { error: string };

/** Whether there is a file or folder at a URI. */
export async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** The message of an error; for another value that was thrown, its text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Answers the requests with which the server reads and writes files through the editor. */
export function answerFileRequests(client: BaseLanguageClient): void {
  client.onRequest<ReadResult, void>(Requests.readFile, ({ uri }: { uri: string }) => readFile(vscode.Uri.parse(uri)));
  client.onRequest(Requests.writeFile, ({ uri, content }: { uri: string; content: string }) =>
    writeFile(vscode.Uri.parse(uri), content),
  );
  client.onRequest(Requests.findFiles, findFiles);
  client.onRequest(Requests.look, ({ uri }: { uri: string }) => kindOf(vscode.Uri.parse(uri)));
  client.onRequest(Requests.list, ({ uri }: { uri: string }) => listFolder(vscode.Uri.parse(uri)));
}

async function readFile(uri: vscode.Uri): Promise<ReadResult> {
  if (!vscode.workspace.isTrusted) return { error: 'restricted mode' };
  try {
    const stat = await vscode.workspace.fs.stat(uri);
    if ((stat.type & vscode.FileType.File) === 0) return { error: 'not a file' };
    if (stat.size > MAX_FILE_BYTES) return { error: `larger than ${MAX_FILE_BYTES} bytes` };
    const bytes = await vscode.workspace.fs.readFile(uri);
    return { content: base64Of(bytes), size: bytes.length };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Writes a file if it exists and is in a folder of a trusted workspace. Otherwise, returns the
 * reason as `error`.
 */
async function writeFile(uri: vscode.Uri, content: string): Promise<{ error?: string }> {
  if (!vscode.workspace.isTrusted) return { error: 'restricted mode' };
  if (!vscode.workspace.getWorkspaceFolder(uri)) return { error: 'lies outside of this workspace' };
  try {
    await vscode.workspace.fs.stat(uri);
    await vscode.workspace.fs.writeFile(
      uri,
      Uint8Array.from(atob(content), (character) => character.charCodeAt(0)),
    );
    return {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The URIs of the files in the workspace that may be httpd configuration. Empty in restricted mode.
 */
async function findFiles(): Promise<{ uris: string[] }> {
  if (!vscode.workspace.isTrusted) return { uris: [] };
  const candidates = await vscode.workspace.findFiles(CANDIDATE_PATTERN, EXCLUDED_FOLDERS, MAX_FOUND_FILES);
  // A .htaccess can control access in any folder, also in the excluded ones.
  const htaccessFiles = await vscode.workspace.findFiles('**/.htaccess', null, MAX_FOUND_FILES);
  const uris = candidates.filter((uri) => isHttpdPath(uri.path) !== false).concat(htaccessFiles);
  return { uris: [...new Set(uris.map(String))] };
}

/**
 * Whether there is a file or a folder at a URI. Null if there is neither, or a file is too large.
 */
async function kindOf(uri: vscode.Uri): Promise<{ kind: 'file' | 'folder' | null }> {
  if (!vscode.workspace.isTrusted) return { kind: null };
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) return { kind: 'folder' };
    return { kind: (type & vscode.FileType.File) !== 0 && size <= MAX_FILE_BYTES ? 'file' : null };
  } catch {
    return { kind: null };
  }
}

/** The entries of a folder; null if it is no folder, and in restricted mode. */
async function listFolder(uri: vscode.Uri): Promise<{ names: { name: string; kind: 'file' | 'folder' }[] | null }> {
  if (!vscode.workspace.isTrusted) return { names: null };
  try {
    const folderEntries = await vscode.workspace.fs.readDirectory(uri);
    return {
      names: folderEntries.map(([name, type]) => ({
        name,
        kind: (type & vscode.FileType.Directory) !== 0 ? 'folder' : 'file',
      })),
    };
  } catch {
    return { names: null };
  }
}

/**
 * The bytes in base64. They are converted in parts, because a call takes only a limited number of
 * arguments.
 */
function base64Of(bytes: Uint8Array): string {
  let characters = '';
  for (let i = 0; i < bytes.length; i += 8192) characters += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(characters);
}
