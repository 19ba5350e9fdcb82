/**
 * The command `undo`: restores the files as they were before `fix --write`, and completes an
 * interrupted run.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../config/files';
import { guessServerRoot } from '../config/server-root';
import {
  changeFunctions,
  realPaths,
  type ChangeFunctions,
  type PastChange,
  type RecoveryResult,
  type Refusal,
} from '../host/change';
import { jsonWithVisibleText } from '../syntax/hidden-text';
import type { VerifyFormat } from './arguments';
import { countWithNoun, printable, type Terminal } from './terminal';

/** The arguments of one run of `undo`, and the objects that it uses. */
export interface UndoOptions {
  /** The change to undo. Null for the last change of files below the current directory. */
  readonly id: string | null;
  /** Whether to list the changes that can be undone, without an undo. */
  readonly listsChanges: boolean;
  readonly format: VerifyFormat;
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
}

/** Runs `undo`. Problems are reported to the terminal. */
export async function runUndo({ id, listsChanges, format, terminal, write }: UndoOptions): Promise<void> {
  const changes = changeFunctions();
  if (listsChanges) return listChanges(changes, format, terminal, write);
  const lastChange = id === null ? await lastChangeBelow(process.cwd(), changes) : null;
  if (lastChange?.changeElsewhere) {
    if (format === 'json') write(jsonLine({ undone: null }));
    return terminal.reportFailure(changeElsewhereText(lastChange.changeElsewhere));
  }
  const { recovered, undone, problems } = await changes.undo(id ?? lastChange?.changeId);
  reportRecovered(recovered, terminal);
  if (problems.length > 0) {
    reportRefusals(problems, terminal);
    if (format === 'json') write(jsonLine({ undone: null }));
    const areProblemsAboutFiles = problems.some(({ path: file }) => file !== '');
    return terminal.note(
      areProblemsAboutFiles
        ? 'nothing is undone: all files must be as the change left them. "httpd-upgrade undo --list" lists other changes'
        : 'nothing is undone. "httpd-upgrade undo --list" lists the changes',
    );
  }
  if (format === 'json') return write(jsonLine({ undone: undone && changeJson(undone) }));
  if (undone) {
    for (const file of undone.files) write(`${printable(pathBelowCurrentDirectory(file))}\n`);
    return write(
      `Restored ${countWithNoun(undone.files.length, 'file')} from before the change of ${localTime(undone)}.\n`,
    );
  }
  if (recovered.rolledBack.length === 0) write('There is nothing to undo.\n');
}

/**
 * Completes interrupted changes, or takes them back. If that fails, returns false; the caller must
 * then write nothing.
 */
export async function recover(changes: ChangeFunctions, terminal: Terminal): Promise<boolean> {
  const recovery = await changes.recover();
  reportRecovered(recovery, terminal);
  reportRefusals(recovery.problems, terminal);
  return recovery.problems.length === 0;
}

/**
 * For commands that write nothing: warns if an interrupted run may have left files. `paths`: the
 * paths of the command; null warns about all files.
 */
export async function warnOfUnfinished(terminal: Terminal, paths: readonly string[] | null = null): Promise<void> {
  const unfinishedChanges = await changeFunctions()
    .unfinishedChanges()
    .catch(() => []);
  if (unfinishedChanges.length === 0) return;
  const searchFolders = paths && (await realPaths(paths)).map(searchFolderOf);
  for (const { files } of unfinishedChanges) {
    if (searchFolders && !files.some((file) => searchFolders.some((tree) => isWithin(file, tree)))) continue;
    terminal.note(
      `a change of ${countWithNoun(files.length, 'file')} was interrupted, and some may be written; "httpd-upgrade undo" takes it back, the next "fix --write" completes it`,
    );
  }
}

/**
 * The directory below which to search for interrupted changes. For a file: the directory with the
 * configuration of its server.
 */
function searchFolderOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ? file : guessServerRoot(file);
}

/** Reports why files cannot be written. `ending`: a text after each reason. */
export function reportRefusals(problems: readonly Refusal[], terminal: Terminal, ending = ''): void {
  for (const { path: file, reason } of problems) {
    if (file !== '') terminal.reportProblem(file, reason + ending);
    else terminal.reportFailure(reason + ending);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** The last change of files below a directory, or else the last change elsewhere. */
interface LastChange {
  /** The id of the last change of files below the directory. Absent if there is none. */
  readonly changeId?: string;
  /** The last change anywhere. Set only if no change has files below the directory. */
  readonly changeElsewhere?: PastChange | undefined;
}

/**
 * Finds the change that `undo` without an ID undoes. Empty if there is an interrupted change: it
 * must be completed or taken back first.
 */
async function lastChangeBelow(folder: string, changes: ChangeFunctions): Promise<LastChange> {
  if ((await changes.unfinishedChanges()).length > 0) return {};
  const [realFolder] = await realPaths([folder]);
  const isBelowFolder = ({ files }: PastChange) =>
    files.some((file) => realFolder !== undefined && isWithin(file, realFolder));
  const pastChanges = await changes.list();
  const changeBelow = pastChanges.find(isBelowFolder);
  return changeBelow ? { changeId: changeBelow.id } : { changeElsewhere: pastChanges[0] };
}

function changeElsewhereText({ id, files: [first = '', ...others] }: PastChange): string {
  const otherFilesText = others.length > 0 ? ` and ${countWithNoun(others.length, 'other file')}` : '';
  return `nothing is undone: no change is of files below this directory. "httpd-upgrade undo --list" shows all changes; the last one is of ${printable(first)}${otherFilesText} (ID ${id})`;
}

/** A change as JSON, with the time in ISO 8601. */
function changeJson({ id, at, files }: PastChange): object {
  return { id, at: new Date(at).toISOString(), files: files.map(pathBelowCurrentDirectory) };
}

/** One line of JSON with the version of its format. */
function jsonLine(result: object): string {
  return `${jsonWithVisibleText({ version: 1, ...result })}\n`;
}

/** Writes the list of changes that can be undone. */
async function listChanges(
  changes: ChangeFunctions,
  format: VerifyFormat,
  terminal: Terminal,
  write: (text: string) => void,
): Promise<void> {
  await warnOfUnfinished(terminal);
  const pastChanges = await changes.list();
  if (format === 'json') return write(jsonLine({ changes: pastChanges.map(changeJson) }));
  if (pastChanges.length === 0) return write('There is nothing to undo.\n');
  for (const change of pastChanges) {
    const [first, ...others] = change.files;
    write(
      `${change.id}  ${localTime(change)}  ${printable(first === undefined ? '' : pathBelowCurrentDirectory(first))}${others.length > 0 ? ` and ${countWithNoun(others.length, 'other file')}` : ''}\n`,
    );
  }
}

/** Notes what became of interrupted changes. */
function reportRecovered({ completed, rolledBack }: RecoveryResult, terminal: Terminal): void {
  for (const { files } of completed)
    terminal.note(`a change that was interrupted is complete now: ${countWithNoun(files.length, 'file')}`);
  for (const { files } of rolledBack)
    terminal.note(`a change that was interrupted is taken back: ${countWithNoun(files.length, 'file')} as before`);
}

/** Returns the relative path of a file below the current directory; otherwise the path itself. */
function pathBelowCurrentDirectory(file: string): string {
  const relativePath = path.relative(process.cwd(), file);
  return relativePath.startsWith('..') || path.isAbsolute(relativePath) ? file : relativePath;
}

/** The time of a change as `2026-11-22 15:08:56`, in local time. */
function localTime({ at }: PastChange): string {
  const localTimeText = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  return `${localTimeText.slice(0, 10)} ${localTimeText.slice(11, 19)}`;
}
