/**
 * The command `undo`: restores the files as they were before `fix --write`, and completes an
 * interrupted run.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../config/files';
import { guessServerRoot } from '../config/server-root';
import { changesOn, realPaths, type Changes, type PastChange, type Recovered, type Refusal } from '../host/change';
import { visibleJson } from '../syntax/hidden-text';
import type { VerifyFormat } from './arguments';
import { amount, printable, type Terminal } from './terminal';

export interface UndoOptions {
  /** The change to undo. Null for the last change of files below the current directory. */
  readonly id: string | null;
  /** Whether to list the changes that can be undone, without an undo. */
  readonly isList: boolean;
  readonly form: VerifyFormat;
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
}

export async function undo({ id, isList, form, terminal, write }: UndoOptions): Promise<void> {
  const changes = changesOn();
  if (isList) return list(changes, form, terminal, write);
  const last = id === null ? await lastBelow(process.cwd(), changes) : null;
  if (last?.elsewhere) {
    if (form === 'json') write(jsonOf({ undone: null }));
    return terminal.failure(ofElsewhere(last.elsewhere));
  }
  const { recovered, undone, problems } = await changes.undo(id ?? last?.id);
  tellRecovered(recovered, terminal);
  if (problems.length > 0) {
    tellProblems(problems, terminal);
    if (form === 'json') write(jsonOf({ undone: null }));
    const isOfFiles = problems.some(({ path: file }) => file !== '');
    return terminal.note(
      isOfFiles
        ? 'nothing is undone: all files must be as the change left them. "httpd-upgrade undo --list" lists other changes'
        : 'nothing is undone. "httpd-upgrade undo --list" lists the changes',
    );
  }
  if (form === 'json') return write(jsonOf({ undone: undone && rowOf(undone) }));
  if (undone) {
    for (const file of undone.files) write(`${printable(shown(file))}\n`);
    return write(`Restored ${amount(undone.files.length, 'file')} from before the change of ${when(undone)}.\n`);
  }
  if (recovered.takenBack.length === 0) write('There is nothing to undo.\n');
}

/**
 * Completes interrupted changes, or takes them back. Returns false if that fails. Then nothing may
 * be written.
 */
export async function recover(changes: Changes, terminal: Terminal): Promise<boolean> {
  const recovered = await changes.recover();
  tellRecovered(recovered, terminal);
  tellProblems(recovered.problems, terminal);
  return recovered.problems.length === 0;
}

/**
 * For commands that write nothing: warns if an interrupted run may have left files. `paths`: those
 * of the command; null for all files.
 */
export async function warnOfUnfinished(terminal: Terminal, paths: readonly string[] | null = null): Promise<void> {
  const unfinished = await changesOn()
    .unfinished()
    .catch(() => []);
  if (unfinished.length === 0) return;
  const trees = paths && (await realPaths(paths)).map(treeOf);
  for (const { files } of unfinished) {
    if (trees && !files.some((file) => trees.some((tree) => isWithin(file, tree)))) continue;
    terminal.note(
      `a change of ${amount(files.length, 'file')} was interrupted, and some may be written; "httpd-upgrade undo" takes it back, the next "fix --write" completes it`,
    );
  }
}

/**
 * The directory in which to search for interrupted changes. For a file: the directory that contains
 * the configuration of its server.
 */
function treeOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ? file : guessServerRoot(file);
}

export function tellProblems(problems: readonly Refusal[], terminal: Terminal, what = ''): void {
  for (const { path: file, reason } of problems) {
    if (file !== '') terminal.problem(file, reason + what);
    else terminal.failure(reason + what);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

interface LastChange {
  /** The last change of files below the directory. */
  readonly id?: string;
  /** The last change, if none is of files below the directory. */
  readonly elsewhere?: PastChange | undefined;
}

/**
 * The change that `undo` takes without an ID. Empty if a change was interrupted, which must be
 * handled first.
 */
async function lastBelow(folder: string, changes: Changes): Promise<LastChange> {
  if ((await changes.unfinished()).length > 0) return {};
  const [tree] = await realPaths([folder]);
  const isBelow = ({ files }: PastChange) => files.some((file) => tree !== undefined && isWithin(file, tree));
  const past = await changes.list();
  const below = past.find(isBelow);
  return below ? { id: below.id } : { elsewhere: past[0] };
}

function ofElsewhere({ id, files: [first = '', ...others] }: PastChange): string {
  const more = others.length > 0 ? ` and ${amount(others.length, 'other file')}` : '';
  return `nothing is undone: no change is of files below this directory. The last change is of ${printable(first)}${more}: "httpd-upgrade undo ${id}" restores it`;
}

/** A change as JSON, with the time in ISO 8601. */
function rowOf({ id, at, files }: PastChange): object {
  return { id, at: new Date(at).toISOString(), files: files.map(shown) };
}

function jsonOf(result: object): string {
  return `${visibleJson({ version: 1, ...result })}\n`;
}

async function list(
  changes: Changes,
  form: VerifyFormat,
  terminal: Terminal,
  write: (text: string) => void,
): Promise<void> {
  await warnOfUnfinished(terminal);
  const past = await changes.list();
  if (form === 'json') return write(jsonOf({ changes: past.map(rowOf) }));
  if (past.length === 0) return write('There is nothing to undo.\n');
  for (const change of past) {
    const [first, ...others] = change.files;
    write(
      `${change.id}  ${when(change)}  ${printable(first === undefined ? '' : shown(first))}${others.length > 0 ? ` and ${amount(others.length, 'other file')}` : ''}\n`,
    );
  }
}

function tellRecovered({ completed, takenBack }: Recovered, terminal: Terminal): void {
  for (const { files } of completed)
    terminal.note(`a change that was interrupted is complete now: ${amount(files.length, 'file')}`);
  for (const { files } of takenBack)
    terminal.note(`a change that was interrupted is taken back: ${amount(files.length, 'file')} as before`);
}

/** Relative to the current directory, if below it. */
function shown(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/** `2026-11-22 15:08:56`, in local time. */
function when({ at }: PastChange): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 19)}`;
}
