/** The files that a command is to look at: as given, or found below folders. */
import { statSync } from 'node:fs';
import { decode, type Encoding } from '../host/decode';
import { configurationFiles, explain, identityOf, readBytes } from '../host/node';
import type { Sights } from '../host/sights';
import { Tree } from '../syntax/document';
import { amount, type Terminal } from './terminal';

export interface InputFile {
  /** As given, or below the folder as given. */
  readonly path: string;
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/** Files that have been read already, by path. */
export type KnownFiles = (path: string) => Omit<InputFile, 'path'> | null;

/** Why a main configuration file that was given is not read, in words behind its name; `kind`: what stands there. */
export function rootProblem(kind: 'file' | 'folder' | null): string {
  if (kind === 'folder') return 'is a directory; give the file that the server reads first';
  return kind === null ? 'does not exist' : 'cannot be read';
}

/**
 * Reads file after file, each once, whatever names it is found by. What cannot be read is reported to `terminal` and does
 * not end the run; whether there was any such thing is in `terminal.hadProblems`. What is left out is not read.
 */
export async function* inputFiles(
  paths: readonly string[],
  terminal: Terminal,
  known: KnownFiles = () => null,
  isExcluded: (file: string) => boolean = () => false,
  sights?: Sights,
): AsyncGenerator<InputFile> {
  const seen = new Set<string>();
  for (const given of paths) {
    let info;
    try {
      info = statSync(given);
    } catch (error) {
      terminal.problem(given, explain(error).message);
      continue;
    }
    if (info.isDirectory()) {
      yield* filesBelow(given, seen, terminal, known, isExcluded, sights);
      continue;
    }
    if (seen.has(identityOf(info)) || isExcluded(given)) continue;
    seen.add(identityOf(info));
    const file = await read(given, terminal, known);
    if (file) yield file;
  }
}

async function* filesBelow(
  folder: string,
  seen: Set<string>,
  terminal: Terminal,
  known: KnownFiles,
  isExcluded: (file: string) => boolean,
  sights: Sights | undefined,
): AsyncGenerator<InputFile> {
  let count = 0;
  let isEmpty = true;
  const options = {
    seen,
    sights,
    onKnown: () => (isEmpty = false),
    onFolder: (path: string) => terminal.progress(`${amount(count, 'file')}: ${path}`),
    onProblem: (path: string, problem: { message: string }) => {
      isEmpty = false;
      terminal.problem(path, problem.message);
    },
  };
  for await (const path of configurationFiles(folder, options)) {
    isEmpty = false;
    if (isExcluded(path)) continue;
    count++;
    terminal.progress(`${amount(count, 'file')}: ${path}`);
    const file = await read(path, terminal, known);
    if (file) yield file;
  }
  terminal.clear();
  if (isEmpty) terminal.note(`${folder}: no httpd configuration found in this directory`);
}

async function read(path: string, terminal: Terminal, known: KnownFiles): Promise<InputFile | null> {
  const ready = known(path);
  if (ready) return { path, ...ready };
  const content = await readBytes(path);
  if ('problem' in content) {
    terminal.problem(path, content.problem.message);
    return null;
  }
  const decoded = decode(content.bytes);
  if ('problem' in decoded) {
    terminal.problem(path, decoded.problem);
    return null;
  }
  return { path, tree: Tree.parse(decoded.text), encoding: decoded.encoding };
}
