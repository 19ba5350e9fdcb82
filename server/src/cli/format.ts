/** `httpd-upgrade format`: files, what a main file among them includes, and standard input. */
import path from 'node:path';
import { configView, readModel } from '../config/model';
import { isRootTree } from '../config/digest';
import { applied, formatEdits, type FormatOptions } from '../features/format';
import { decode, encode } from '../host/decode';
import { nodeFiles } from '../host/node-files';
import { Tree } from '../syntax/document';
import type { Arguments } from './arguments';
import { inputFiles, type InputFile } from './files';
import { Output } from './output';
import { projects } from './project';
import { writeDiff } from './show-diff';
import { amount, printable, Terminal } from './terminal';
import type { FixedFile, Writer } from './written';

type Given = Extract<Arguments, { command: 'format' }>;

/** Returns the exit code. `writer` is there where files are written. */
export async function format(given: Given, terminal: Terminal, writer: Writer | null): Promise<number> {
  const output = new Output();
  const options: FormatOptions = { ...given.indent, alignment: given.alignment, insertFinalNewline: true, trimFinalNewlines: true };
  const code = given.paths[0] === '-' ? await ofInput(given, options, terminal, output) : await ofFiles(given, options, terminal, output, writer);
  await output.flush();
  return terminal.hadProblems ? 2 : code;
}

// ---------------------------------------------------------------------------------------------------------------------

async function ofFiles(given: Given, options: FormatOptions, terminal: Terminal, output: Output, writer: Writer | null): Promise<number> {
  const changed: FixedFile[] = [];
  let files = 0;
  const look = (file: InputFile): FixedFile | null => {
    files++;
    const before = file.tree.text();
    const after = applied(before, formatEdits(file.tree, options));
    writer?.reach.add(file, before, isRootTree(file.tree.root));
    return before === after ? null : { file, before, after };
  };
  const all = await withIncluded(given.paths, terminal);
  for await (const file of inputFiles(all, terminal)) {
    const each = look(file);
    if (each === null) continue;
    changed.push(each);
    if (writer) continue;
    terminal.clear();
    if (given.mode === 'check') output.write(`${printable(file.path)}: not formatted\n`);
    else await writeDiff(file, each.before, each.after, terminal, output);
    await output.settle();
  }
  const written = writer ? await writer.write(changed, { within: all, refuse: () => false, again: (file) => file }) : [];
  for (const { file } of written) output.write(`${printable(file.path)}: formatted\n`);
  await output.flush();
  terminal.clear();
  if (files === 0) return 0;
  if (changed.length === 0) terminal.say(`${amount(files, 'file')}: nothing to format.`);
  else if (writer) terminal.say(`Formatted ${amount(written.length, 'file')} of ${files}.`);
  else terminal.say(`${amount(changed.length, 'file')} of ${files} to format: --write does that.`);
  return writer || changed.length === 0 ? 0 : 1;
}

/** Files that a main file includes belong to it, as they do for `fix`; other files are formatted by themselves. */
async function withIncluded(given: readonly string[], terminal: Terminal): Promise<readonly string[]> {
  const view = nodeFiles();
  const asRead = configView(view);
  const settings = projects({ target: null, distribution: null, assumeStandalone: false, answers: new Map(), source: null, server: { serverRoot: null, map: null, defines: null, builtIn: null } }, terminal);
  const known = new Set(given.map((each) => view.identity(path.resolve(each))));
  const further = new Set<string>();
  for (const each of given) {
    const root = path.resolve(each);
    const tree = view.kind(root) === 'file' ? view.read(root) : null;
    if (tree === null || !isRootTree(tree.root)) continue;
    const model = readModel({ root, view: asRead, target: settings.engineOf(root).target, server: settings.serverOf(root) });
    for (const file of model?.files.keys() ?? []) if (!known.has(view.identity(file))) further.add(shortest(file));
  }
  return [...given, ...[...further].sort()];
}

function shortest(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}

/** Standard input to standard output, byte for byte but for what is formatted. */
async function ofInput({ mode, stdinFilename }: Given, options: FormatOptions, terminal: Terminal, output: Output): Promise<number> {
  const name = stdinFilename ?? '(standard input)';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const decoded = decode(bytes);
  if ('problem' in decoded) {
    terminal.problem(name, decoded.problem);
    return 2;
  }
  const { text, encoding } = decoded;
  const tree = Tree.parse(text);
  const after = applied(text, formatEdits(tree, options));
  if (mode === null) output.write(encode(after, encoding) ?? bytes);
  else if (after !== text && mode === 'diff') await writeDiff({ path: name, tree, encoding }, text, after, terminal, output);
  else if (after !== text) output.write(`${printable(name)}: not formatted\n`);
  return mode === null || after === text ? 0 : 1;
}
