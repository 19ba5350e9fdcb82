/** The command `format`: formats files, the files that a main file includes, and standard input. */
import path from 'node:path';
import { isWithin } from '../config/files';
import { configView } from '../config/config-view';
import { readModel } from '../config/read-model';
import { isMainFileTree } from '../config/file-summary';
import { withEdits, formatEdits, type FormatOptions } from '../features/format';
import { realPaths } from '../host/change';
import { encode } from '../host/decode';
import { diskFileView } from '../host/node-files';
import type { GivenFormat } from './arguments';
import type { Inputs } from './inputs';
import { changedFiles } from './changed-files';
import { Output } from './output';
import type { SettingsOf } from '../features/project';
import { amount, type Terminal } from './terminal';
import type { FixedFile, Writer } from './written';

export interface FormatRun {
  readonly given: GivenFormat;
  readonly inputs: Inputs;
  readonly projects: SettingsOf;
  readonly terminal: Terminal;
  /** Writes the files; null to write nothing. */
  readonly writer: Writer | null;
}

/** Returns the exit code. */
export async function format({ given, inputs, projects, terminal, writer }: FormatRun): Promise<number> {
  const output = new Output();
  const options: FormatOptions = {
    ...given.indent,
    alignment: given.alignment,
    insertFinalNewline: true,
    trimFinalNewlines: true,
  };
  const shown = changedFiles(given.format, { isWritten: writer !== null, terminal, output });
  const changed: FixedFile[] = [];
  let files = 0;
  const furtherFiles = includedFiles(inputs.paths, projects);
  const outsideOf = await linksOut([...inputs.paths, ...furtherFiles]);
  for await (const file of inputs.files({ furtherFiles, knownFiles: () => null })) {
    const outside = inputs.streams.includes(file) ? null : await outsideOf(file.path);
    if (outside !== null) {
      terminal.note(
        `${file.path} leads to ${outside}, outside of what was given, and is not formatted; to format it, add that path to the command`,
      );
      continue;
    }
    files++;
    const before = file.tree.text();
    const after = withEdits(before, formatEdits(file.tree, options));
    writer?.reach.add(file, before, isMainFileTree(file.tree.root));
    const isPrinted = shown.isText && given.mode === null && inputs.streams.includes(file);
    if (isPrinted) output.write(encode(after, file.encoding) ?? after);
    else if (before !== after) {
      changed.push({ file, before, after });
      terminal.clear();
      if (given.mode === 'check') await shown.addWritten({ file, before, after }, 'not formatted');
      else if (!writer) await shown.add({ file, before, after });
    }
    await output.settle();
  }
  const written = writer
    ? await writer.write(changed, { further: furtherFiles, refuse: () => false, again: (file) => file })
    : [];
  for (const each of written) await shown.addWritten(each, 'formatted');
  shown.end();
  await output.flush();
  if (files > inputs.streams.length) shown.summary(`${ended(files, changed.length, writer ? written.length : null)}\n`);
  if (terminal.hadProblems) return 2;
  return writer || changed.length === 0 ? 0 : 1;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns a function that follows the links of a path: its end if that lies outside of the given
 * paths, where `--write` writes nothing; null if it lies inside.
 */
async function linksOut(given: readonly string[]): Promise<(file: string) => Promise<string | null>> {
  const allowed = await realPaths(given);
  return async (file) => {
    const [real = file] = await realPaths([file]);
    return allowed.some((each) => isWithin(real, each)) ? null : real;
  };
}

function ended(files: number, changed: number, written: number | null): string {
  if (changed === 0) return `${amount(files, 'file')}: nothing to format.`;
  return written === null
    ? `${changed} of ${amount(files, 'file')} would change: --write writes them.`
    : `Formatted ${written} of ${amount(files, 'file')}.`;
}

/** The paths of the files that the given main files include, because these are formatted, too. */
function includedFiles(given: readonly string[], projects: SettingsOf): readonly string[] {
  const files = diskFileView();
  const view = configView(files);
  const seen = new Set(given.map((each) => files.identity(path.resolve(each))));
  const further = new Set<string>();
  for (const each of given) {
    const root = path.resolve(each);
    const tree = files.kind(root) === 'file' ? files.read(root) : null;
    if (tree === null || !isMainFileTree(tree.root)) continue;
    const model = readModel({ root, view, target: projects.engineOf(root).target, server: projects.serverOf(root) });
    for (const file of model?.files.keys() ?? []) if (!seen.has(files.identity(file))) further.add(shortest(file));
  }
  return [...further].sort();
}

/** The path of a file for output: relative to the current directory, if that is shorter. */
function shortest(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
