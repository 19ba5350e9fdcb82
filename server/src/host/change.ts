/**
 * Changes several files together: afterwards all files are new, or all are old, also after `kill
 * -9`, a power cut or a full disk.
 *
 * Order of steps: all checks that can refuse come first. Then the new contents and copies of the
 * old files are written, with mode, owner, access control lists and extended attributes, and synced
 * to the disk before the first file is touched. So is the journal, which lists the files and their
 * digests. Then a mark is set, each new file replaces the old one (a rename: a reader sees the old
 * content or the new), and another mark says that all are done. An error in between rolls back.
 * After an interruption, the next run of any command that writes completes or rolls back
 * (`recover`).
 *
 * Where files are prepared: httpd reads every file of an included directory, so nothing is prepared
 * there. Journal and old contents are in the user's state directory (change-home.ts). A rename
 * cannot cross file systems: for files on another one, the prepared files are in
 * `.httpd-upgrade-ID` there, as high up as this user may write, and never in the directory of a
 * changed file unless the caller guarantees that nothing includes it. If there is no such place,
 * nothing is written. That directory is removed after the change. The old contents of the last
 * changes are kept for `undo`.
 *
 * What is preserved: mode, owner, group, access control lists, extended attributes, and links,
 * whose targets are written. What is refused: hard links (a rename would separate them), files that
 * this user may not write to, files that are mount points, and files that have changed since they
 * were read. A changed file gets the current time; a rolled back or undone file gets its old time.
 * Without GNU's cp (macOS, BusyBox) extended attributes cannot be read and are lost.
 */
import { createHash } from 'node:crypto';
import { readFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { latestValue } from '../syntax/memory';
import { changesIn, hasLocks, isBusy, isOwn, lock, openHome, stateHomes } from './change-home';
import { MOVED, AttributesLostError, nodeDisk, type Disk } from './disk';
import { explain } from './read-now';
import { replaceableBy } from './replaceable';

export interface Change {
  /** The path as the user writes it; links are followed. */
  readonly path: string;
  /** The current content of the file, byte for byte. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

export interface ChangeOptions {
  /**
   * Files and directories that may be written to, with everything below them. undefined:
   * everywhere. A link that leads elsewhere is refused. Use `realPaths` before the files are read,
   * so that a link created later has no effect.
   */
  readonly within?: readonly string[];
  /**
   * Whether a directory may contain a temporary directory of this name for a while, because no
   * Include of httpd would read it. Default: all except those of the changed files.
   */
  readonly mayHold?: (directory: string) => boolean;
  /**
   * Digests of files that do not change but on whose contents the changes depend, by path. If one
   * of them differs, nothing is written.
   */
  readonly basis?: ReadonlyMap<string, string>;
}

/**
 * The reason why a file cannot be written. With an empty `path`, why nothing can. The text follows
 * the name of the file.
 */
export interface Refusal {
  readonly path: string;
  readonly reason: string;
}

export type Outcome =
  | { readonly id: string; readonly written: readonly string[] }
  /** Nothing was written. */
  | { readonly problems: readonly Refusal[] };

export interface PastChange {
  readonly id: string;
  /** The time, in milliseconds since 1970. */
  readonly at: number;
  /** Paths with links resolved. */
  readonly files: readonly string[];
}

export interface Recovered {
  /** Interrupted changes that are now complete. */
  readonly completed: readonly PastChange[];
  /** Interrupted changes that are now undone, so that all files are old. */
  readonly takenBack: readonly PastChange[];
  readonly problems: readonly Refusal[];
}

export interface Undone {
  readonly recovered: Recovered;
  /**
   * Null if nothing was undone: there is no change, there are problems, or an interrupted change
   * was just taken back.
   */
  readonly undone: PastChange | null;
  readonly problems: readonly Refusal[];
}

export interface Changes {
  /** Checks without writing: the files that cannot be written, with reasons. */
  preflight(changes: readonly Change[], options?: ChangeOptions): Promise<readonly Refusal[]>;
  /** Writes all files or none. Unchanged files may be left out. */
  write(changes: readonly Change[], options?: ChangeOptions): Promise<Outcome>;
  /**
   * Completes interrupted changes, or takes them back. Must be called before the files to be
   * written are read.
   */
  recover(): Promise<Recovered>;
  /**
   * Interrupted changes that must still be completed or taken back, apart from those of a process
   * that still runs. Writes nothing and does not wait.
   */
  unfinished(): Promise<readonly PastChange[]>;
  /**
   * Restores the contents before a change (without an id, before the last one). If a file has
   * changed since, nothing is restored.
   */
  undo(id?: string): Promise<Undone>;
  /** Changes that can be undone, the last one first. */
  list(): Promise<readonly PastChange[]>;
}

/** Makes the functions for changes on the disk of this machine. */
export function changesOn(disk: Disk = nodeDisk, homes: () => readonly string[] = stateHomes): Changes {
  return {
    preflight: async (changes, options = {}) => (await targetsOf(disk, changes, options)).problems,
    write: (changes, options = {}) =>
      inTurn(async () => {
        const { problems } = await recoverAll(disk, homes());
        if (problems.length > 0) return { problems };
        return await writeNow(disk, homes(), changes, options);
      }),
    recover: () => inTurn(() => recoverAll(disk, homes())),
    unfinished: () => unfinished(disk, homes()),
    undo: (id) =>
      inTurn(() =>
        undo(disk, homes(), id).catch((error) => ({
          recovered: NOTHING,
          undone: null,
          problems: [{ path: '', reason: inWords(error, '') }],
        })),
      ),
    list: async () => (await pastRecords(disk, homes())).map(({ journal }) => pastChange(journal!)),
  };
}

const NOTHING: Recovered = { completed: [], takenBack: [], problems: [] };

/** Number of files that are synced at a time. */
const AT_ONCE = 32;

/** Number of changes that can be undone; data of older ones is removed. */
const KEPT = 20;

// ---------------------------------------------------------------------------------------------------------------------
// A file to be written, with what was checked before writing.

interface Target {
  readonly change: Change;
  /** The path without links. */
  readonly file: string;
  readonly info: Stats;
  /** Device and inode of its directory. */
  readonly folder: string;
}

/** Resolves the links in paths. Missing paths are left out. */
export async function realPaths(paths: readonly string[], disk: Pick<Disk, 'realpath'> = nodeDisk): Promise<string[]> {
  return Promise.all(paths.map((each) => disk.realpath(each).catch(() => path.resolve(each))));
}

/**
 * Runs `work` while the directories are held open, so that a link which replaces one of them is not
 * followed. The value of `folders`: what the directory's identity must still be.
 */
async function withHeldFolders<T>(
  disk: Disk,
  folders: ReadonlyMap<string, string | undefined>,
  work: (identities: readonly string[]) => Promise<T>,
): Promise<T> {
  const held: Awaited<ReturnType<Disk['hold']>>[] = [];
  try {
    for (const [folder, identity] of folders) {
      const each = await disk.hold(folder);
      held.push(each);
      if (identity !== undefined && each.identity !== identity)
        throw Object.assign(new Error(`${folder} is another directory by now`), { code: MOVED });
    }
    return await work(held.map((each) => each.identity));
  } finally {
    for (const each of held) each.release();
  }
}

const folderOf = (file: string): ReadonlyMap<string, undefined> => new Map([[path.dirname(file), undefined]]);

async function targetsOf(
  disk: Disk,
  changes: readonly Change[],
  options: ChangeOptions,
): Promise<{ readonly targets: readonly Target[]; readonly problems: readonly Refusal[] }> {
  const problems: Refusal[] = [];
  const targets = new Map<string, Target>();
  const within = options.within && new Set(options.within);
  const mounts = readMounts();
  for (const change of changes) {
    try {
      const file = await disk.realpath(change.path);
      const [folder, info, reason] = await withHeldFolders(disk, folderOf(file), async ([identity]) => {
        const look = await disk.look(file);
        return [identity!, look, await refusal(disk, change, { file, info: look, within, mounts })] as const;
      });
      if (reason !== null) {
        problems.push({ path: change.path, reason });
        continue;
      }
      // A file with two names (a link in sites-enabled, a directory that is mounted twice) is
      // written once.
      const identity = `${info.dev}:${info.ino}`;
      const earlier = targets.get(identity);
      if (!earlier) targets.set(identity, { change, file, info, folder });
      else if (!equal(earlier.change.after, change.after))
        problems.push({
          path: change.path,
          reason: `is the same file as ${earlier.change.path} (a link), and writing both would separate them`,
        });
    } catch (error) {
      problems.push({ path: change.path, reason: inWords(error, change.path) });
    }
  }
  return { targets: [...targets.values()], problems };
}

/** The files whose contents no longer have these digests. */
async function changedIn(disk: Disk, basis: ReadonlyMap<string, string> = new Map()): Promise<Refusal[]> {
  const changed: Refusal[] = [];
  for (const [given, before] of basis) {
    const now = await disk
      .realpath(given)
      .then((file) => withHeldFolders(disk, folderOf(file), async () => digest(await disk.read(file))))
      .catch(() => null);
    if (now !== before) changed.push({ path: given, reason: CHANGED });
  }
  return changed;
}

interface Place {
  readonly file: string;
  readonly info: Stats;
  readonly within: ReadonlySet<string> | undefined;
  readonly mounts: Mounts | null;
}

async function refusal(
  disk: Disk,
  { path: given, before }: Change,
  { file, info, within, mounts }: Place,
): Promise<string | null> {
  if (!info.isFile()) return 'is not a regular file';
  if (within && !isWithin(file, within)) {
    return file === path.resolve(given)
      ? 'is not among what was given'
      : `leads to ${file}, which is not among what was given`;
  }
  // A rename replaces only one name. The other names would keep the old content.
  if (info.nlink > 1) return `has ${info.nlink} names (hard links), and writing it would separate them`;
  if (mounts?.isPoint(file)) return 'is a mount point and cannot be replaced; change the file that is mounted there';
  const other = replaceableBy(path.resolve(given), info);
  if (other !== null) return other;
  const folder = path.dirname(file);
  try {
    await disk.mayWrite(folder, 'directory');
  } catch (error) {
    return inWords(error, file);
  }
  const uid = process.geteuid?.();
  if (uid !== undefined && uid !== 0) {
    if (info.uid !== uid)
      return `belongs to another user (uid ${info.uid}), and writing it would make you the owner; run this command as that user or as root`;
    if (info.gid !== process.getegid!() && !process.getgroups!().includes(info.gid))
      return `belongs to a group that you are not in (gid ${info.gid}), and writing it would change the group; run this command as root`;
  }
  try {
    await disk.mayWrite(file, 'file');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return 'is read-only';
    return code === 'EPERM' ? 'is immutable (chattr +i)' : inWords(error, file);
  }
  return equal(await disk.read(file), before) ? null : CHANGED;
}

/** Whether `file` is one of the paths or below one. */
function isWithin(file: string, paths: ReadonlySet<string>): boolean {
  for (let each = file; ; each = path.dirname(each)) {
    if (paths.has(each)) return true;
    if (each === path.dirname(each)) return false;
  }
}

const CHANGED = 'has been changed by somebody else in the meantime';

// ---------------------------------------------------------------------------------------------------------------------
// The journal. Its directory has `journal.json`, one mark `is-…`, and the prepared files `old/N`
// and `new/N` for file number N.

interface Journal {
  readonly version: 1;
  readonly id: string;
  readonly at: number;
  /** The id of the change that this one undoes. */
  readonly undoes: string | null;
  readonly files: readonly Entry[];
}

interface Entry {
  /** Without links. */
  readonly path: string;
  /** Digests of the old and the new content. */
  readonly before: string;
  readonly after: string;
  /** The modification time of the new file; null for the current time. */
  readonly mtimeMs: number | null;
  readonly oldMtimeMs: number;
  /**
   * The directory of the prepared files: in the journal's directory, or on the file system of the
   * file.
   */
  readonly staging: string;
}

/**
 * The steps of a change. preparing: no file has changed. writing: some may have. back: the change
 * is being taken back. written: all have changed. done: only temporary files are left.
 */
type State = 'preparing' | 'writing' | 'back' | 'written' | 'done';
const STATES: readonly State[] = ['preparing', 'writing', 'back', 'written', 'done'];

interface Recorded {
  readonly directory: string;
  /** Null if the change was interrupted before the first mark. */
  readonly state: State | null;
  /** Null if there is no state, or if the journal is damaged. */
  readonly journal: Journal | null;
}

/** The end of the name of directories that are being removed. */
const GONE = '.gone';

async function recordsIn(disk: Disk, homes: readonly string[]): Promise<Recorded[]> {
  const found: Recorded[] = [];
  for (const home of new Set(homes)) {
    if (!(await isOwn(disk, home))) continue;
    for (const name of await listed(disk, changesIn(home)))
      found.push(await readRecord(disk, path.join(changesIn(home), name)));
  }
  return found;
}

async function readRecord(disk: Disk, directory: string): Promise<Recorded> {
  const names = await listed(disk, directory);
  const state = directory.endsWith(GONE) ? null : (STATES.find((each) => names.includes(`is-${each}`)) ?? null);
  if (state === null) return { directory, state: null, journal: null };
  const bytes = await disk.read(path.join(directory, 'journal.json')).catch((error: unknown) => {
    // Another process may be removing it. If the disk fails, nothing is known about the journal.
    if (isAbsent(error) || isMoved(error)) return null;
    throw error;
  });
  return { directory, state, journal: bytes && journalIn(bytes.toString('utf8'), directory) };
}

/**
 * Parses a journal. Null if it is damaged: a wrong entry would do harm, because the entries are
 * carried out.
 */
function journalIn(text: string, directory: string): Journal | null {
  let journal: Partial<Journal> | null;
  try {
    journal = JSON.parse(text) as Partial<Journal> | null;
  } catch {
    return null;
  }
  const { id, at, undoes, files } = journal ?? {};
  if (id !== path.basename(directory) || typeof at !== 'number' || !(Math.abs(at) <= MAX_TIME)) return null;
  if (undoes !== null && !(typeof undoes === 'string' && /^[\w-]+$/.test(undoes))) return null;
  const isWhole =
    Array.isArray(files) && files.every((entry: Partial<Entry> | null) => isEntry(entry ?? {}, id, directory));
  return isWhole ? (journal as Journal) : null;
}

function isEntry(entry: Partial<Entry>, id: string, directory: string): boolean {
  const { path: file, before, after, mtimeMs, oldMtimeMs, staging } = entry;
  if (typeof file !== 'string' || typeof staging !== 'string' || !path.isAbsolute(file) || !path.isAbsolute(staging))
    return false;
  if (staging !== directory && path.basename(staging) !== stagingName(id)) return false;
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  return typeof oldMtimeMs === 'number' && (mtimeMs === null || typeof mtimeMs === 'number');
}

/** The last time that a `Date` can have, in milliseconds. */
const MAX_TIME = 8.64e15;

/** The name of a directory for prepared files on another file system. */
const stagingName = (id: string) => `.httpd-upgrade-${id}`;

/** Changes that can be undone, the last one first. */
async function pastRecords(disk: Disk, homes: readonly string[]): Promise<Recorded[]> {
  const done = (await recordsIn(disk, homes)).filter(
    ({ state, journal }) => (state === 'written' || state === 'done') && journal?.undoes === null,
  );
  return done.sort((a, b) => b.journal!.at - a.journal!.at);
}

async function unfinished(disk: Disk, homes: readonly string[]): Promise<PastChange[]> {
  const found: PastChange[] = [];
  for (const home of new Set(homes)) {
    const cutOff = async () =>
      (await recordsIn(disk, [home])).filter(
        ({ state, journal }) => journal && (state === 'writing' || state === 'back'),
      );
    const before = await cutOff();
    if (before.length === 0 || (await isBusy(disk, home))) continue;
    // A process that wrote in the meantime and has ended left nothing incomplete.
    const after = new Set((await cutOff()).map(({ directory }) => directory));
    found.push(...before.filter(({ directory }) => after.has(directory)).map(({ journal }) => pastChange(journal!)));
  }
  return found;
}

function pastChange({ id, at, files }: Journal): PastChange {
  return { id, at, files: files.map((file) => file.path) };
}

async function mark(disk: Disk, directory: string, from: State, to: State): Promise<void> {
  await disk.rename(path.join(directory, `is-${from}`), path.join(directory, `is-${to}`));
  await sync(disk, directory);
}

const oldOf = (entry: Entry, index: number) => path.join(entry.staging, 'old', String(index));
const newOf = (entry: Entry, index: number) => path.join(entry.staging, 'new', String(index));

// ---------------------------------------------------------------------------------------------------------------------

/** Thrown with the reason why a file cannot be written. */
class Refused extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}

async function writeNow(
  disk: Disk,
  homes: readonly string[],
  changes: readonly Change[],
  options: ChangeOptions,
  undoing: { id: string; mtimes: ReadonlyMap<string, number> } | null = null,
): Promise<Outcome> {
  const home = await firstHome(disk, homes);
  if (home === null)
    return {
      problems: [
        {
          path: '',
          reason: `the old files cannot be kept for undo: none of ${homes.join(', ')} is a directory that only you can write to; set XDG_STATE_HOME`,
        },
      ],
    };
  return locked(
    disk,
    home,
    (problem): Outcome => ({ problems: [problem] }),
    async () => {
      const { targets, problems: refused } = await targetsOf(disk, changes, options);
      const problems = [...refused, ...(await changedIn(disk, options.basis))];
      if (problems.length > 0) return { problems };
      if (targets.length === 0) return { id: '', written: [] };
      const signals = new HeldSignals();
      try {
        return await carryOut(disk, home, targets, { options, undoing, signals });
      } finally {
        signals.release();
      }
    },
  );
}

async function firstHome(disk: Disk, homes: readonly string[]): Promise<string | null> {
  for (const each of homes) if (await openHome(disk, each)) return each;
  return null;
}

interface Task {
  readonly options: ChangeOptions;
  readonly undoing: { readonly id: string; readonly mtimes: ReadonlyMap<string, number> } | null;
  readonly signals: HeldSignals;
}

async function carryOut(
  disk: Disk,
  home: string,
  targets: readonly Target[],
  { options, undoing, signals }: Task,
): Promise<Outcome> {
  let record: Recorded;
  try {
    const { id, at } = await nextId(disk, home);
    const directory = path.join(changesIn(home), id);
    const places = await stagings(disk, { directory, id, targets, options });
    const files = targets.map(
      (target, index): Entry => ({
        path: target.file,
        before: digest(target.change.before),
        after: digest(target.change.after),
        mtimeMs: undoing?.mtimes.get(target.file) ?? null,
        oldMtimeMs: target.info.mtimeMs,
        staging: places[index]!,
      }),
    );
    record = { directory, state: 'preparing', journal: { version: 1, id, at, undoes: undoing?.id ?? null, files } };
  } catch (error) {
    return { problems: [problemOf(error, targets)] };
  }
  try {
    await begin(disk, record, changesIn(home));
    await prepare(disk, record, targets);
    if (signals.isHeld) throw new Refused('', 'interrupted');
    await mark(disk, record.directory, 'preparing', 'writing');
  } catch (error) {
    await discard(disk, record).catch(() => undefined);
    return { problems: [problemOf(error, targets)] };
  }
  try {
    await rename(
      disk,
      record,
      targets.map(({ folder }) => folder),
    );
  } catch (error) {
    const stuck = (failure: Error): Refusal[] => [
      {
        path: '',
        reason: `the written files could not be restored (${failure.message}); "httpd-upgrade undo" tries it again`,
      },
    ];
    return { problems: [problemOf(error, targets), ...(await takeBack(disk, record).catch(stuck))] };
  }
  await finish(disk, record);
  await prune(disk, home);
  return { id: record.journal!.id, written: targets.map(({ change }) => change.path) };
}

/** Creates the journal's directory with the journal and its first mark. */
async function begin(disk: Disk, { directory, journal }: Recorded, parent: string): Promise<void> {
  await disk.makeDirectory(directory);
  const file = path.join(directory, 'journal.json');
  await disk.create(file, Buffer.from(JSON.stringify(journal)));
  await disk.sync(file);
  await disk.create(path.join(directory, 'is-preparing'), new Uint8Array());
  for (const name of ['old', 'new']) await disk.makeDirectory(path.join(directory, name));
  await sync(disk, directory);
  await sync(disk, parent);
}

/** Writes old and new contents of all files to the disk. */
async function prepare(disk: Disk, { directory, journal }: Recorded, targets: readonly Target[]): Promise<void> {
  const { files } = journal!;
  const stagings = [...new Set(files.map(({ staging }) => staging))];
  for (const staging of stagings) {
    if (staging === directory) continue;
    await withHeldFolders(disk, folderOf(staging), async () => disk.makeDirectory(staging));
    await holdingStaging(disk, directory, staging, async () => {
      for (const name of ['old', 'new']) await disk.makeDirectory(path.join(staging, name));
    });
  }
  for (const staging of stagings) {
    await holdingStaging(disk, directory, staging, () =>
      prepareIn(disk, directory, staging, numberedIn(files, targets, staging)),
    );
  }
  for (const name of ['old', '']) await sync(disk, path.join(directory, name));
}

/**
 * Runs `work` while the directory for prepared files on another file system is held open. Fails if
 * another user has replaced the directory.
 */
async function holdingStaging<T>(disk: Disk, directory: string, staging: string, work: () => Promise<T>): Promise<T> {
  if (staging === directory) return work();
  return withHeldFolders(disk, new Map([[staging, undefined]]), async () => {
    const { uid, mode } = await disk.look(staging);
    const userId = process.geteuid?.();
    if (userId !== undefined && (uid !== userId || (mode & 0o022) !== 0))
      throw Object.assign(new Error(`${staging} is not ours`), { code: MOVED });
    return work();
  });
}

function numberedIn(files: readonly Entry[], targets: readonly Target[], staging: string): Numbered[] {
  return files.flatMap((entry, index) =>
    entry.staging === staging ? [{ entry, index, target: targets[index]! }] : [],
  );
}

async function prepareIn(disk: Disk, directory: string, staging: string, numbered: readonly Numbered[]): Promise<void> {
  await copyAll(disk, staging, numbered);
  for (const { entry, index, target } of numbered) {
    const { change, info } = target;
    const [old, fresh] = [oldOf(entry, index), newOf(entry, index)];
    const copied = await disk.read(old);
    if (!equal(copied, change.before)) throw new Refused(entry.path, CHANGED);
    await disk.overwrite(fresh, change.after);
    // Writing clears the setuid and setgid bits.
    await disk.mode(fresh, info.mode & 0o7777);
    if (entry.mtimeMs !== null) await disk.times(fresh, entry.mtimeMs, entry.mtimeMs);
    for (const made of [old, fresh]) {
      const stats = await disk.look(made);
      if (stats.uid !== info.uid || stats.gid !== info.gid || (stats.mode & 0o7777) !== (info.mode & 0o7777))
        throw new Refused(entry.path, 'has an owner, a group or a mode that a new file cannot get');
    }
    if (entry.staging !== directory) await disk.create(path.join(directory, 'old', String(index)), copied);
  }
  const made = [
    ...new Set(
      numbered.flatMap(({ entry, index }) => [
        oldOf(entry, index),
        newOf(entry, index),
        path.join(directory, 'old', String(index)),
      ]),
    ),
  ];
  await together(made, (file) => disk.sync(file));
  for (const name of ['old', 'new', '']) await sync(disk, path.join(staging, name));
}

interface Numbered {
  readonly entry: Entry;
  readonly index: number;
  readonly target: Target;
}

/** Copies the files to `old/N` and `new/N` with all their attributes. */
async function copyAll(disk: Disk, staging: string, numbered: readonly Numbered[]): Promise<void> {
  const olds = path.join(staging, 'old');
  for (let at = 0; at < numbered.length; at += HELD_AT_ONCE) {
    const some = numbered.slice(at, at + HELD_AT_ONCE);
    await withHeldFolders(
      disk,
      new Map(some.map(({ entry, target }) => [path.dirname(entry.path), target.folder])),
      async () => {
        if (await copyOrName(disk, some, ({ entry }) => entry.path, olds)) return;
        for (const each of some) await copyPlainly(disk, each);
      },
    );
  }
  if (await copyOrName(disk, numbered, ({ entry, index }) => oldOf(entry, index), path.join(staging, 'new'))) return;
  for (const { entry, index, target } of numbered) {
    await disk.create(newOf(entry, index), new Uint8Array());
    await give(disk, newOf(entry, index), target.info);
  }
}

/** Number of directories held at a time, far below the limit of any system. */
const HELD_AT_ONCE = 300;

/** Copies files. If attributes of a file cannot be kept, the error names it. */
async function copyOrName(
  disk: Disk,
  numbered: readonly Numbered[],
  nameOf: (each: Numbered) => string,
  directory: string,
): Promise<boolean> {
  try {
    return await disk.copy(
      numbered.map(nameOf),
      directory,
      numbered.map(({ index }) => String(index)),
    );
  } catch (error) {
    if (!(error instanceof AttributesLostError)) throw error;
    const { message } = error;
    // Messages of cp quote a name as the shell does.
    const { entry, ...rest } = numbered.find((each) => message.includes(`${nameOf(each)}'`)) ?? numbered[0]!;
    const firstLine = message
      .replaceAll(nameOf({ entry, ...rest }), entry.path)
      .trim()
      .split('\n')[0];
    throw new Refused(
      entry.path,
      `cannot be copied with its access control list and extended attributes (${firstLine})`,
    );
  }
}

async function copyPlainly(disk: Disk, { entry, index, target: { info } }: Numbered): Promise<void> {
  await disk.create(oldOf(entry, index), await disk.read(entry.path));
  await give(disk, oldOf(entry, index), info);
  await disk.times(oldOf(entry, index), info.atimeMs, info.mtimeMs);
}

async function give(disk: Disk, file: string, info: Stats): Promise<void> {
  const stats = await disk.look(file);
  if (process.platform !== 'win32' && (stats.uid !== info.uid || stats.gid !== info.gid))
    await disk.changeOwner(file, info.uid, info.gid);
  await disk.mode(file, info.mode & 0o7777);
}

/**
 * Replaces the old files by the new ones, except those that are already replaced. Throws at the
 * first file that has changed since it was read. `folders`: the directories that were checked
 * before.
 */
async function rename(disk: Disk, { directory, journal }: Recorded, folders: readonly string[] = []): Promise<void> {
  for (const [index, entry] of journal!.files.entries()) {
    const fresh = newOf(entry, index);
    await inStaging(disk, directory, entry, async (isThere) => {
      if (!isThere || !(await exists(disk, fresh))) {
        // The run that completes an interrupted change finds some files already replaced.
        if (folders.length === 0) return;
        throw new Refused(entry.path, CHANGED);
      }
      await withHeldFolders(disk, new Map([[path.dirname(entry.path), folders[index]]]), async () => {
        const info = await disk.look(entry.path);
        if (!info.isFile() || info.nlink > 1 || digest(await disk.read(entry.path)) !== entry.before)
          throw new Refused(entry.path, CHANGED);
        await disk.rename(fresh, entry.path).catch((error) => {
          throw new Refused(entry.path, inWords(error, entry.path));
        });
      }).catch((error: unknown) => {
        throw isMoved(error) ? new Refused(entry.path, CHANGED) : error;
      });
    });
  }
  await syncFolders(disk, journal!);
  // If this mark cannot be written, the next run finds nothing left to do, and writes it.
  await mark(disk, directory, 'writing', 'written').catch(() => undefined);
}

/**
 * Runs `work` while the directory of the prepared files is held open. `isThere`: whether it exists
 * and still belongs to this user.
 */
async function inStaging<T>(
  disk: Disk,
  directory: string,
  { staging }: Entry,
  work: (isThere: boolean) => Promise<T>,
): Promise<T> {
  if (staging === directory) return work(true);
  let isBegun = false;
  try {
    return await holdingStaging(disk, directory, staging, () => {
      isBegun = true;
      return work(true);
    });
  } catch (error) {
    if (isBegun || !(isMoved(error) || isAbsent(error))) throw error;
    return work(false);
  }
}

/**
 * Restores the old contents of files that have the new ones. Returns the files that have changed
 * since, which are not restored. Throws if nothing can be restored now.
 */
async function takeBack(disk: Disk, record: Recorded): Promise<readonly Refusal[]> {
  const { directory, journal } = record;
  const problems: Refusal[] = [];
  if (!(await exists(disk, path.join(directory, 'is-back')))) await mark(disk, directory, 'writing', 'back');
  for (const [index, entry] of [...journal!.files.entries()].reverse()) {
    await inStaging(disk, directory, entry, async (isThere) => {
      if (isThere && (await exists(disk, newOf(entry, index)))) return;
      const isBack = await withHeldFolders(disk, folderOf(entry.path), async () => {
        const now = await digestOfFile(disk, entry.path);
        if (now === entry.before) return true;
        if (now !== entry.after || !isThere || !(await exists(disk, oldOf(entry, index)))) return false;
        await disk.rename(oldOf(entry, index), entry.path);
        return true;
      }).catch((error: unknown) => {
        if (isMoved(error) || isAbsent(error)) return false;
        throw error;
      });
      if (!isBack) problems.push({ path: entry.path, reason: 'has been changed since then, and stays as it is' });
    });
  }
  await syncFolders(disk, journal!);
  await discard(disk, record).catch(() => undefined);
  return problems;
}

/** Removes temporary files after the change; a later run can repeat this. */
async function finish(disk: Disk, { directory, journal }: Recorded): Promise<void> {
  try {
    await removeStagings(disk, directory, journal!);
    await removeTree(disk, path.join(directory, 'new'));
    // Not awaited. If it fails, a later run does it again.
    if (journal!.undoes === null)
      return await disk.rename(path.join(directory, 'is-written'), path.join(directory, 'is-done'));
    await discard(disk, {
      directory: path.join(path.dirname(directory), journal!.undoes),
      state: 'done',
      journal: null,
    });
    await discard(disk, { directory, state: 'written', journal: null });
  } catch {
    // httpd does not read the files that are left.
  }
}

async function discard(disk: Disk, { directory, journal }: Recorded): Promise<void> {
  if (!directory.endsWith(GONE)) {
    if (journal) await removeStagings(disk, directory, journal);
    if (!(await exists(disk, directory))) return;
    // Renaming hides the record at once, although removing it takes many steps.
    await disk.rename(directory, directory + GONE);
  }
  await removeTree(disk, directory.endsWith(GONE) ? directory : directory + GONE);
}

async function removeStagings(disk: Disk, directory: string, journal: Journal): Promise<void> {
  for (const staging of new Set(journal.files.map((entry) => entry.staging)))
    if (staging !== directory) await removeStaging(disk, directory, staging);
}

/**
 * Removes the contents through the open handle, then the directory by its name. The latter fails
 * unless it is empty.
 */
async function removeStaging(disk: Disk, directory: string, staging: string): Promise<void> {
  if (!(await exists(disk, staging))) return;
  await holdingStaging(disk, directory, staging, async () => {
    for (const name of ['old', 'new']) await removeTree(disk, path.join(staging, name));
  }).catch((error: unknown) => {
    if (!isMoved(error)) throw error;
  });
  await withHeldFolders(disk, folderOf(staging), () => disk.removeDirectory(staging)).catch((error: unknown) => {
    // Files that another user has put there stay.
    if (!isMoved(error) && !['ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error;
  });
}

async function prune(disk: Disk, home: string): Promise<void> {
  try {
    for (const record of (await pastRecords(disk, [home])).slice(KEPT)) await discard(disk, record);
  } catch {
    // A later run removes it.
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Completes interrupted changes, or rolls them back.

async function recoverAll(disk: Disk, homes: readonly string[]): Promise<Recovered> {
  const completed: PastChange[] = [];
  const takenBack: PastChange[] = [];
  const problems: Refusal[] = [];
  const settle = async (record: Recorded) => {
    const { state, journal } = record;
    if (state === null || state === 'preparing') return discard(disk, record);
    if (journal === null)
      throw new Refused(
        record.directory,
        'an interrupted change cannot be completed or taken back, because its journal is damaged; compare your files with those in its directories "old" and "new", then remove it',
      );
    if (state === 'written') return finish(disk, record);
    if (state === 'writing' && (await canComplete(disk, journal)) && (await complete(disk, record)))
      return void completed.push(pastChange(journal));
    problems.push(...(await takeBack(disk, record)));
    takenBack.push(pastChange(journal));
  };
  for (const home of new Set(homes)) {
    try {
      if ((await unsettled(disk, home)).length === 0 && !(await hasLocks(disk, home))) continue;
      await locked(
        disk,
        home,
        (problem) => void problems.push(problem),
        async () => {
          for (const record of await unsettled(disk, home)) await settle(record);
        },
      );
    } catch (error) {
      if (error instanceof Refused) problems.push(error);
      else
        problems.push({
          path: changesIn(home),
          reason: `an interrupted change could not be completed or taken back (${(error as Error).message}); the next run tries it again`,
        });
    }
  }
  return { completed, takenBack, problems };
}

async function unsettled(disk: Disk, home: string): Promise<Recorded[]> {
  return (await recordsIn(disk, [home])).filter(
    // If the journal of a written change is damaged, the change stays and cannot be undone.
    ({ state, journal }) => state !== 'done' && !(state === 'written' && journal === null),
  );
}

/** Whether each file has either its new content or still its old one. */
async function canComplete(disk: Disk, journal: Journal): Promise<boolean> {
  for (const [index, entry] of journal.files.entries()) {
    const now = await withHeldFolders(disk, folderOf(entry.path), () => digestOfFile(disk, entry.path)).catch(
      (error: unknown) => {
        if (isMoved(error) || isAbsent(error)) return null;
        throw error;
      },
    );
    const isPending = await exists(disk, newOf(entry, index));
    if (isPending ? now !== entry.before : now === entry.before && entry.after !== entry.before) return false;
  }
  return true;
}

async function complete(disk: Disk, record: Recorded): Promise<boolean> {
  try {
    await rename(disk, record);
  } catch {
    return false;
  }
  await finish(disk, record);
  return true;
}

async function undo(disk: Disk, homes: readonly string[], id: string | undefined): Promise<Undone> {
  const recovered = await recoverAll(disk, homes);
  const none = (problems: readonly Refusal[]): Undone => ({ recovered, undone: null, problems });
  if (recovered.problems.length > 0) return none(recovered.problems);
  // The user wanted the state before the interrupted change. Taking that back has restored it.
  if (id === undefined && recovered.takenBack.length > 0) return none([]);
  const past = await pastRecords(disk, homes);
  const record = id === undefined ? past[0] : past.find(({ journal }) => journal!.id === id);
  if (!record) return none(id === undefined ? [] : [{ path: '', reason: `there is no change "${id}" to undo` }]);
  const { directory, journal } = record;
  const problems: Refusal[] = [];
  const changes: Change[] = [];
  for (const [index, entry] of journal!.files.entries()) {
    try {
      const before = await withHeldFolders(disk, folderOf(entry.path), () => disk.read(entry.path));
      const after = await disk.read(path.join(directory, 'old', String(index)));
      if (digest(before) !== entry.after) problems.push({ path: entry.path, reason: 'has been changed since' });
      else if (digest(after) !== entry.before)
        problems.push({ path: entry.path, reason: 'the old content that was kept for undo is damaged' });
      else changes.push({ path: entry.path, before, after });
    } catch (error) {
      const reason = isMoved(error) ? 'has been changed since' : inWords(error, entry.path);
      problems.push({ path: entry.path, reason });
    }
  }
  if (problems.length > 0) return none(problems);
  const mtimes = new Map(journal!.files.map((entry) => [entry.path, entry.oldMtimeMs]));
  // Directories in which files could be prepared at that time.
  const places = new Set(journal!.files.map(({ staging }) => path.dirname(staging)));
  const folders = new Set(journal!.files.map((entry) => path.dirname(entry.path)));
  const mayHold = (place: string) => places.has(place) || !folders.has(place);
  const outcome = await writeNow(
    disk,
    [path.dirname(path.dirname(directory))],
    changes,
    // A link that replaces one of them is not followed.
    { mayHold, within: changes.map((each) => each.path) },
    { id: journal!.id, mtimes },
  );
  return 'problems' in outcome ? none(outcome.problems) : { recovered, undone: pastChange(journal!), problems: [] };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Mounts {
  isPoint(path: string): boolean;
  /** The mount point of the file system that contains a path. */
  mountOf(path: string): string;
}

/** null if the system does not provide the list. */
function readMounts(): Mounts | null {
  let text;
  try {
    text = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return null;
  }
  const points = new Set<string>();
  for (const row of text.split('\n')) {
    const point = row.split(' ')[4];
    if (point)
      points.add(
        Buffer.from(
          point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
          'latin1',
        ).toString('utf8'),
      );
  }
  const mountOf = (place: string): string =>
    points.has(place) || place === path.dirname(place) ? place : mountOf(path.dirname(place));
  return { isPoint: (place) => points.has(place), mountOf };
}

/**
 * For each file, a directory for its prepared file, on the same file system so that a rename is
 * possible.
 */
async function stagings(
  disk: Disk,
  {
    directory,
    id,
    targets,
    options,
  }: { directory: string; id: string; targets: readonly Target[]; options: ChangeOptions },
): Promise<string[]> {
  const mounts = readMounts();
  const home = path.dirname(directory);
  const homeDevice = (await disk.look(home)).dev;
  const sameSystem = (a: string, aDevice: number, b: string, bDevice: number) =>
    aDevice === bDevice && (mounts === null || mounts.mountOf(a) === mounts.mountOf(b));
  const found = new Map<string, string>();
  const realHome = await disk.realpath(home);
  const folders = new Set(targets.map(({ file }) => path.dirname(file)));
  for (const { file } of targets) {
    const folder = path.dirname(file);
    if (found.has(folder)) continue;
    // The device of the directory, because in a container that of the file is the device of an
    // image layer.
    const { dev } = await disk.look(folder);
    if (sameSystem(realHome, homeDevice, folder, dev)) {
      found.set(folder, directory);
      continue;
    }
    const place = await highest(disk, folder, async (each) => {
      if (!sameSystem(each, (await disk.look(each)).dev, folder, dev)) return false;
      return options.mayHold ? options.mayHold(each) : !folders.has(each);
    });
    if (place === null)
      throw new Refused(
        file,
        'is on a file system where only the directories of the configuration are writable; set XDG_STATE_HOME to a directory there',
      );
    found.set(folder, path.join(place, stagingName(id)));
  }
  return targets.map(({ file }) => found.get(path.dirname(file))!);
}

/**
 * The highest parent directory of `folder`, or `folder` itself, that this user may write to and
 * that fulfils `isRight`.
 */
async function highest(
  disk: Disk,
  folder: string,
  isRight: (directory: string) => Promise<boolean>,
): Promise<string | null> {
  const parent = path.dirname(folder);
  const above = parent === folder ? null : await highest(disk, parent, isRight);
  if (above !== null) return above;
  try {
    await disk.mayWrite(folder, 'directory');
    return (await isRight(folder)) ? folder : null;
  } catch {
    return null;
  }
}

/**
 * An id from the local time, which readers understand. It is later than the ids of all other
 * changes.
 */
async function nextId(disk: Disk, home: string): Promise<{ id: string; at: number }> {
  const usedNames = await disk.list(changesIn(home));
  const last = (await pastRecords(disk, [home]))[0]?.journal?.at ?? 0;
  const time = Math.max(Date.now(), last + 1);
  const now = new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString();
  const stamp = `${now.slice(0, 10).replace(/-/g, '')}-${now.slice(11, 19).replace(/:/g, '')}`;
  for (let count = 1; ; count++) {
    const id = count === 1 ? stamp : `${stamp}-${count}`;
    if (!usedNames.includes(id) && !usedNames.includes(id + GONE)) return { id, at: time };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Changes of one process run one after the other. */
const last = latestValue<Promise<unknown>>(Promise.resolve());

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.value.then(work);
  last.value = result.catch(() => undefined);
  return result;
}

async function locked<T>(
  disk: Disk,
  home: string,
  onProblem: (problem: Refusal) => T,
  work: () => Promise<T>,
): Promise<T> {
  let lockOrBusy;
  try {
    lockOrBusy = await lock(disk, home);
  } catch (error) {
    return onProblem({ path: home, reason: inWords(error, path.join(home, 'locks', '.')) });
  }
  if ('busy' in lockOrBusy)
    return onProblem({
      path: '',
      reason: `another run of httpd-upgrade is writing (process ${lockOrBusy.busy}); try again when it has ended`,
    });
  try {
    return await work();
  } finally {
    await lockOrBusy().catch(() => undefined);
  }
}

/** Delays Ctrl-C until all files are old or all are new, which does not take long. */
class HeldSignals {
  private readonly held: NodeJS.Signals[] = [];
  private readonly hold = (signal: NodeJS.Signals) => void this.held.push(signal);

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.hold);
  }

  get isHeld(): boolean {
    return this.held.length > 0;
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.hold);
    for (const signal of this.held) process.kill(process.pid, signal);
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Waits until new names in a directory are on the disk. Not every file system supports that. */
async function sync(disk: Disk, directory: string): Promise<void> {
  await disk.sync(directory).catch((error: NodeJS.ErrnoException) => {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EACCES'].includes(error.code ?? '')) throw error;
  });
}

async function syncFolders(disk: Disk, { files }: Journal): Promise<void> {
  const folders = [...new Set(files.map((entry) => path.dirname(entry.path)))];
  await together(folders, (folder) => sync(disk, folder).catch(() => undefined));
}

/** Runs `work` for all paths at once, because file systems join such requests. */
async function together(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < paths.length; at += AT_ONCE) await Promise.all(paths.slice(at, at + AT_ONCE).map(work));
}

/** The names in a directory; empty if it does not exist. Throws for all other errors. */
async function listed(disk: Disk, directory: string): Promise<string[]> {
  try {
    return await disk.list(directory);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** The digest of a file; null if the file does not exist. */
async function digestOfFile(disk: Disk, file: string): Promise<string | null> {
  try {
    return digest(await disk.read(file));
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error));
}

/** Whether the error means that a link, another directory, or no regular file is there now. */
function isMoved(error: unknown): boolean {
  return codeOf(error) === MOVED;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

async function exists(disk: Disk, file: string): Promise<boolean> {
  try {
    await disk.look(file);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function removeTree(disk: Disk, directory: string): Promise<void> {
  if (!(await exists(disk, directory))) return;
  for (let tries = 1; ; tries++) {
    const names = await disk.list(directory);
    for (const name of names) {
      const full = path.join(directory, name);
      if ((await disk.look(full)).isDirectory()) await removeTree(disk, full);
      else await disk.remove(full);
    }
    try {
      return await disk.removeDirectory(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries === MOST_TRIES) throw error;
      // A program that copies may run a moment longer than the killed process.
      await new Promise<void>((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** One second in total. */
const MOST_TRIES = 50;
const RETRY_MS = 20;

/** The digest of a file's bytes, also for `ChangeOptions.basis`. */
export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function problemOf(error: unknown, targets: readonly Target[]): Refusal {
  if (!(error instanceof Refused))
    return { path: targets.length === 1 ? targets[0]!.change.path : '', reason: inWords(error, '') };
  const target = targets.find(({ file }) => file === error.path);
  return { path: target?.change.path ?? error.path, reason: error.reason };
}

function inWords(error: unknown, target: string): string {
  switch (codeOf(error)) {
    case MOVED:
      return CHANGED;
    case 'EACCES':
    case 'EPERM':
      return `no permission to write in the directory ${path.dirname(target)}`;
    case 'EROFS':
      return 'is on a file system that is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EFBIG':
      return 'is larger than this file system allows';
    case 'EBUSY':
      return 'is in use, or is a mount point';
    default:
      return explain(error).message.replace('cannot be read', 'cannot be written');
  }
}
