/**
 * Runs the program on a random tree in several ways, and compares the answers to requests before
 * and after.
 */
import { isRoot, OTHER_USER } from '../cli/run';
import { Random } from '../support/random';
import { Place, type Disk, type Tree } from './disk';
import { save, type Editor } from './editor';
import { randomTree, type Generated } from './generate';
import { hasNewLines, judge, shown, type Disagreement } from './judge';
import { command } from './product';
import { asArguments, isStated, trueAnswers } from './stated';

export interface Mode {
  readonly name:
    | 'write'
    | 'directory'
    | 'parts'
    | 'twice'
    | 'source 2.4'
    | 'standalone'
    | 'both'
    | 'unsafe'
    | 'answers'
    | 'fix all'
    | 'preferred';
  /** Command lines, one after another. */
  readonly run: readonly (readonly string[])[];
  /** For the editor's: in each of them by itself. */
  readonly files?: readonly string[];
  readonly source?: '2.4';
}

export interface Tried {
  readonly asked: number;
  readonly unmended: number;
  /** Whether any file is another one now. */
  readonly isChanged: boolean;
  readonly problems: readonly string[];
  /** Why it is not for this tree: what would have to be true is not. */
  readonly skipped?: string;
}

export interface Bench {
  readonly place: Place;
  /** Started when it is needed. */
  readonly editor: () => Promise<Editor>;
  readonly isBuilt?: boolean;
  /** Nothing was in the place before. */
  readonly isFresh?: boolean;
}

/** Each tree is tried in the usual way, and in one other. */
export function modesOf(generated: Generated, random: Random): Mode[] {
  const { given, isAllHere, tree } = generated;
  const main = given.find((file) => file.endsWith(tree.servers[0].main)) ?? tree.servers[0].main;
  const fix = (...rest: string[]) => ['fix', '--write', ...rest];
  const [first] = given;
  const definitions = tree.servers[0].defines!.flatMap((name) => ['-D', name]);
  const told = definitions.length > 0 && random.below(2) === 0 ? definitions : [];
  const modes: Mode[] = [{ name: 'write', run: [fix(...told, main)] }];
  const files = given.filter((file) => tree.files[file] !== undefined);
  switch (random.below(27)) {
    case 0:
    case 1:
      modes.push({ name: 'directory', run: [fix(first)] });
      break;
    case 2:
      modes.push({ name: 'parts', run: [fix(random.pick(files))] });
      break;
    case 3:
      modes.push({ name: 'parts', run: [fix(...files.filter(() => random.below(2) === 0), main)] });
      break;
    case 4:
      modes.push({ name: 'twice', run: [fix(...told, main), fix(first), fix(main)] });
      break;
    case 5:
      modes.push({ name: 'source 2.4', run: [fix('--source', '2.4', main)], source: '2.4' });
      break;
    case 6:
    case 7:
      // Another server that reads the same parts, and is not given, would be something outside.
      if (isAllHere)
        modes.push({
          name: 'standalone',
          run: [
            fix(
              '--assume-standalone',
              random.below(2) === 0 && generated.isPlain && tree.servers.length === 1 ? main : first,
            ),
          ],
        });
      break;
    case 8:
    case 9:
    case 10:
      modes.push({ name: 'answers', run: [fix(...told, random.below(3) === 0 ? first : main)] });
      break;
    case 11:
      modes.push({ name: 'fix all', run: [], files: [...new Set(files)] });
      break;
    case 12:
      modes.push({ name: 'preferred', run: [], files: [...new Set(files)] });
      break;
    default:
      modes.push({ name: 'unsafe', run: [fix('--unsafe', ...told, random.below(4) === 0 ? first : main)] });
  }
  return modes;
}

export async function tried(generated: Generated, mode: Mode, bench: Bench): Promise<Tried> {
  // A language server remembers what it has read by its path, as long as nobody tells it that it is
  // another one.
  if (mode.files && !bench.isFresh) {
    const place = new Place();
    try {
      return await tried(generated, mode, { ...bench, place, isFresh: true });
    } finally {
      place.remove();
    }
  }
  const { place } = bench;
  const asOther = generated.asOther && isRoot && mode.files === undefined;
  const write = () => place.write(generated.tree, asOther ? OTHER_USER : null);
  write();
  const before = beforeOf(generated, place);
  if (mode.name === 'unsafe') {
    const truth = await isStated(generated, mode.run[0], place, before);
    if (truth !== true) return { asked: 0, unmended: 0, isChanged: false, problems: [], skipped: truth };
  }
  const answers =
    mode.name === 'answers' ? asArguments(await trueAnswers(generated, mode.run[0].slice(2), place, before)) : [];
  if (mode.files) return inEditor(generated, mode, bench, before, write);
  for (const args of mode.run.map((words) => [...words, ...answers])) {
    const { code, err } = await command(args, { cwd: place.path, asOther, isBuilt: bench.isBuilt });
    if (typeof code !== 'number' || /This is a defect|Error:/.test(err))
      return { asked: 0, unmended: 0, isChanged: false, problems: [`${args.join(' ')}: ${code} ${err}`] };
  }
  return judged(generated, mode, before, place.read());
}

/** The tree as it was written there, once for all that is tried with it. */
function beforeOf(generated: Generated, place: Place): Disk {
  const known = written.get(generated);
  if (known?.root === place.path) return known;
  const before = place.read();
  written.set(generated, before);
  return before;
}

const written = new WeakMap<Generated, Disk>();

async function inEditor(
  generated: Generated,
  mode: Mode,
  { place, editor }: Bench,
  before: Disk,
  write: () => void,
): Promise<Tried> {
  const open = await editor();
  await open.enter(place.path);
  const result = { asked: 0, unmended: 0, isChanged: false, problems: [] as string[] };
  for (const file of mode.files!) {
    // An editor shows them in an encoding of its own, and this one knows UTF-8 alone.
    if (Object.values(generated.tree.files).some((text) => /[\x80-\xff]/.test(text))) continue;
    const changes = await changesFor(open, mode, place.at(file)).catch((error: unknown) => {
      result.problems.push(`${file}: ${String(error)}`);
      return [];
    });
    for (const { title, change } of changes.slice(0, 12)) {
      save(change);
      const own = judged(generated, mode, before, place.read());
      result.asked += own.asked;
      result.unmended += own.unmended;
      result.isChanged ||= own.isChanged;
      result.problems.push(...own.problems.map((problem) => `"${title}" in ${file}: ${problem}`));
      write();
    }
  }
  return result;
}

async function changesFor(editor: Editor, { name }: Mode, file: string): ReturnType<Editor['preferred']> {
  if (name !== 'fix all') return editor.preferred(file);
  const change = await editor.fixAll(file);
  return change ? [{ title: 'Fix All', change }] : [];
}

function judged(generated: Generated, mode: Mode, before: Disk, after: Disk): Tried {
  const { disagreements, asked, unmended } = judge({
    tree: generated.tree,
    urls: generated.urls,
    before,
    after,
    source: mode.source,
  });
  const files = { before: before.files(), after: after.files() };
  const touched = generated.untouched.filter((file) => files.before[file] !== files.after[file]);
  const isChanged = Object.keys(files.before).some((file) => files.before[file] !== files.after[file]);
  // What the fix has not touched, it has not done; but where it calls a tree done.
  const own = isChanged ? disagreements.filter((each) => !isAskedFor(each, mode, hasNewLines(before))) : [];
  return {
    asked,
    unmended,
    isChanged,
    problems: [...summed(own), ...touched.map((file) => `${file} is changed, and nobody asked for that`)],
  };
}

/**
 * Whoever answers that .htaccess files are to be admitted, or takes the suggestion, has the 500 end
 * that 2.4 answers: then holds what their lines for 2.4 say. But nobody gets in whom 2.2 kept out,
 * unless by lines that were written for 2.4.
 */
function isAskedFor({ was, old, now }: Disagreement, { name }: Mode, isMixed: boolean): boolean {
  if (name !== 'unsafe' && name !== 'answers') return false;
  if (old === 500) return now !== 'refused' && (isMixed || !(now === 200 && (was === 401 || was === 403)));
  // A suggestion takes out a line that 2.2 drops and that refuses in 2.4. Another line, which
  // nobody converts, still refuses.
  return name === 'unsafe' && was === 200 && old === 403 && now === 500;
}

/**
 * What a problem is, without where and for whom: the answers of the three servers, in the order of
 * `shown`.
 */
function kindOf(problem: string): string {
  return /: (2\.2 \w+, 2\.4 unfixed \w+, now \w+) \(/.exec(problem)?.[1] ?? problem.replace(/^.*?: /s, '');
}

function summed(disagreements: readonly Disagreement[]): string[] {
  const kinds = new Map<string, string>();
  for (const each of disagreements) {
    const kind = `${each.was} ${each.old} ${each.now}`;
    if (!kinds.has(kind)) kinds.set(kind, shown(each));
  }
  return [...kinds.values()];
}

/**
 * The smallest tree that still has a problem of the same kind in the mode, found by leaving out one
 * thing after another.
 */
export async function shrunk(generated: Generated, mode: Mode, bench: Bench, most = 600): Promise<Generated> {
  let current = generated;
  let left = most;
  const kinds = new Set((await tried(generated, mode, bench)).problems.map(kindOf));
  const still = async (candidate: Generated) => {
    if (left-- <= 0) return false;
    try {
      return (await tried(candidate, mode, bench)).problems.some((problem) => kinds.has(kindOf(problem)));
    } catch {
      return false;
    }
  };
  for (let isSmaller = true; isSmaller && left > 0; ) {
    isSmaller = false;
    for (const candidate of smaller(current)) {
      if (!(await still(candidate))) continue;
      current = candidate;
      isSmaller = true;
      break;
    }
  }
  return current;
}

function* smaller(generated: Generated): Generator<Generated> {
  const { tree } = generated;
  const withTree = (changed: Partial<Tree>): Generated => ({ ...generated, tree: { ...tree, ...changed } });
  const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
  for (const name of Object.keys(tree.hardLinks ?? {})) yield withTree({ hardLinks: without(tree.hardLinks!, name) });
  if (tree.foreign!.length > 0) yield withTree({ foreign: [] });
  for (const name of Object.keys(tree.links ?? {})) yield withTree({ links: without(tree.links!, name) });
  if (tree.servers.length > 1) yield withTree({ servers: tree.servers.slice(0, 1) });
  if (tree.servers.length > 1) yield withTree({ servers: tree.servers.slice(1) });
  for (const name of Object.keys(tree.files)) {
    if (!tree.servers.some(({ main }) => main === name)) yield withTree({ files: without(tree.files, name) });
  }
  for (const [name, text] of Object.entries(tree.files))
    for (const less of smallerTexts(text)) yield withTree({ files: { ...tree.files, [name]: less } });
  if (generated.urls.length > 1) for (const url of generated.urls) yield { ...generated, urls: [url] };
}

/** The text without a section, without its tags, or without a line. */
function* smallerTexts(text: string): Generator<string> {
  const lines = text.split(/(?<=\n)/);
  for (let i = 0; i < lines.length; i++) {
    const open = /^\s*['"]?<([A-Za-z]\w*)/.exec(lines[i]);
    if (!open) continue;
    let depth = 0;
    let end = i;
    for (; end < lines.length; end++) {
      if (new RegExp(`^\\s*['"]?<${open[1]}\\b`, 'i').test(lines[end])) depth++;
      if (new RegExp(`^\\s*</${open[1]}>`, 'i').test(lines[end]) && --depth === 0) break;
    }
    yield [...lines.slice(0, i), ...lines.slice(end + 1)].join('');
    yield [...lines.slice(0, i), ...lines.slice(i + 1, end), ...lines.slice(end + 1)].join('');
  }
  for (let i = 0; i < lines.length; i++)
    if (!/^\s*['"]?</.test(lines[i])) yield [...lines.slice(0, i), ...lines.slice(i + 1)].join('');
}

/** A tree for people: what is in its files, and how to make it again. */
export function described({ tree, urls, asOther }: Generated, mode: Mode): string {
  const files = Object.entries(tree.files).map(([name, text]) =>
    text === '' ? `--- ${name}: empty` : `--- ${name}\n${text}`,
  );
  const links = Object.entries(tree.links ?? {}).map(([name, target]) => `--- ${name} -> ${target}`);
  const more = Object.entries(tree.hardLinks ?? {}).map(([name, target]) => `--- ${name} = ${target}`);
  return [
    `${mode.name}: ${mode.run.map((args) => args.join(' ')).join(' && ') || mode.files!.join(' ')}${asOther ? ' (not root)' : ''}`,
    `servers ${JSON.stringify(tree.servers)}; foreign ${tree.foreign!.join(' ')}; urls ${urls.join(' ')}`,
    ...files,
    ...links,
    ...more,
  ].join('\n');
}

export function generatedFor(seed: number, conditions: number | null = null): { generated: Generated; modes: Mode[] } {
  const random = new Random(seed);
  const generated = randomTree(random, conditions);
  return { generated, modes: modesOf(generated, random) };
}
