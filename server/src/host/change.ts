/**
 * Changes several files together: afterwards all files are new or all are old, even after `kill
 * -9`, a power cut or a full disk.
 *
 * Order of the steps: all checks that can refuse come first. Then the new contents, copies of the
 * old files, and the journal are written and synced to the disk. The copies have mode, owner,
 * access control lists and extended attributes. The journal lists the files and their digests. Only
 * then the state `writing` is recorded, each new file replaces the old one (by a rename: a reader
 * sees the old content or the new), and the state `written` is recorded. An error in between
 * restores the old files. After an interruption, the next run of any command that writes completes
 * the change or restores the old files (`recover`).
 *
 * Where files are prepared: not in the directory of a changed file, because httpd reads every file
 * of an included directory. The only exception: the caller guarantees that nothing includes it. The
 * journal and the old contents are in the user's state directory (change-home.ts). A rename cannot
 * cross file systems. So files for another file system are prepared there, in a directory
 * `.httpd-upgrade-ID`. It is in the highest directory that this user may write to. If there is no
 * such directory, nothing is written. `.httpd-upgrade-ID` is removed after the change. The old
 * contents of the last changes stay for `undo`.
 *
 * Preserved: mode, owner, group, access control lists, extended attributes, and links, whose
 * targets are written. Refused: hard links (a rename would separate them), mount points, files that
 * this user may not write to, and files that have changed since they were read. A changed file gets
 * the current time; a restored file gets its old time. Without GNU's cp (macOS, BusyBox), extended
 * attributes cannot be read and are lost.
 */
import { createHash } from 'node:crypto';
import { readFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { latestValue } from '../syntax/memory';
import {
  changesFolder,
  hasLocks,
  isLockedByOther,
  isOwnDirectory,
  takeLock,
  openStateHome,
  stateHomes,
  makeDirectories,
} from './change-home';
import { MOVED_ERROR_CODE, AttributesLostError, nodeDisk, type Disk } from './disk';
import { explainReadError } from './read-now';
import { whyPathIsUnsafe } from './replaceable';

/** A file to write, with its content before and after. */
export interface Change {
  /** The path as the user wrote it. If it is a link, the file that it leads to is changed. */
  readonly path: string;
  /** The current content of the file, byte for byte. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** Where a change may write, and on which other files it depends. */
export interface ChangeOptions {
  /**
   * Files and directories (with everything below) that may be written to. undefined: everywhere. A
   * link that leads out of them is refused. Resolve the paths with `realPaths` before the files are
   * read, so that a link created later has no effect.
   */
  readonly writablePaths?: readonly string[];
  /**
   * Whether this program may put a temporary directory into a directory, because no Include of
   * httpd would read it. Default: all directories except those of the changed files.
   */
  readonly mayHoldTemporary?: (directory: string) => boolean;
  /**
   * Files that are not written, but on whose contents the changes depend: their digests, by their
   * paths. If a file has another digest now, nothing is written.
   */
  readonly expectedDigests?: ReadonlyMap<string, string>;
}

/**
 * Why a file cannot be written; with an empty `path`, why nothing can be written. `reason` is words
 * to put after the name of the file.
 */
export interface Refusal {
  readonly path: string;
  readonly reason: string;
}

/**
 * The result of writing: the id of the change and the paths of the written files, or the reasons
 * why nothing was written.
 */
export type WriteOutcome =
  | { readonly id: string; readonly written: readonly string[] }
  /**
   * Nothing was written. `refused`: the files that cannot be written, as `preflight` returns them;
   * without them, the other files could be written. undefined if the files were not checked.
   */
  | { readonly problems: readonly Refusal[]; readonly refused?: readonly Refusal[] };

/** A change that was made earlier. */
export interface PastChange {
  readonly id: string;
  /** The time, in milliseconds since 1970. */
  readonly at: number;
  /** Paths with links resolved. */
  readonly files: readonly string[];
}

/** Which interrupted changes `recover` completed, and which it took back. */
export interface RecoveryResult {
  /** Interrupted changes that `recover` completed. */
  readonly completed: readonly PastChange[];
  /** Interrupted changes that `recover` took back: all their files are old again. */
  readonly rolledBack: readonly PastChange[];
  readonly problems: readonly Refusal[];
}

/** The result of `undo`. */
export interface UndoResult {
  readonly recovered: RecoveryResult;
  /**
   * Null if nothing was undone: there is no change, there are problems, or `recover` has just taken
   * back an interrupted change.
   */
  readonly undone: PastChange | null;
  readonly problems: readonly Refusal[];
}

/** The operations on changes of several files. */
export interface ChangeFunctions {
  /** The files that cannot be written, with the reasons. Writes nothing. */
  preflight(changes: readonly Change[], options?: ChangeOptions): Promise<readonly Refusal[]>;
  /** Writes all files or none. Files whose text stays the same need not be passed. */
  write(changes: readonly Change[], options?: ChangeOptions): Promise<WriteOutcome>;
  /**
   * Completes interrupted changes, or takes them back. Must be called before the files to be
   * written are read.
   */
  recover(): Promise<RecoveryResult>;
  /**
   * Returns interrupted changes that must still be completed or taken back, except those of a
   * process that still runs. Writes nothing and does not wait.
   */
  unfinishedChanges(): Promise<readonly PastChange[]>;
  /**
   * Restores the contents before a change; without an id, before the last change. If a file has
   * changed since, nothing is restored.
   */
  undo(id?: string): Promise<UndoResult>;
  /** Changes that can be undone, the last one first. */
  list(): Promise<readonly PastChange[]>;
}

/** Makes the functions for changes on the disk of this machine. */
export function changeFunctions(disk: Disk = nodeDisk, homes: () => readonly string[] = stateHomes): ChangeFunctions {
  return {
    preflight: async (changes, options = {}) => (await findTargets(disk, changes, options)).problems,
    write: (changes, options = {}) =>
      runInTurn(async () => {
        const { problems } = await recoverAll(disk, homes());
        if (problems.length > 0) return { problems };
        return await writeChanges(disk, homes(), changes, options);
      }),
    recover: () => runInTurn(() => recoverAll(disk, homes())),
    unfinishedChanges: () => unfinishedChanges(disk, homes()),
    undo: (id) =>
      runInTurn(() =>
        undoChange(disk, homes(), id).catch((error) => ({
          recovered: NOTHING_RECOVERED,
          undone: null,
          problems: [{ path: '', reason: errorInWords(error, '') }],
        })),
      ),
    list: async () => (await undoableChanges(disk, homes())).map(({ journal }) => pastChange(journal!)),
  };
}

const NOTHING_RECOVERED: RecoveryResult = { completed: [], rolledBack: [], problems: [] };

/** The number of files that are synced to the disk at the same time. */
const FILES_SYNCED_AT_ONCE = 32;

/** The number of changes that can be undone; the data of older changes is removed. */
const MAX_UNDOABLE_CHANGES = 20;

// ---------------------------------------------------------------------------------------------------------------------

/** A file to write that passed the checks. */
interface Target {
  readonly change: Change;
  /** The path without links. */
  readonly file: string;
  readonly info: Stats;
  /** Device and inode of the directory that contains the file. */
  readonly folderIdentity: string;
}

/** Resolves the links in paths. A missing path only becomes absolute. */
export async function realPaths(paths: readonly string[], disk: Pick<Disk, 'realpath'> = nodeDisk): Promise<string[]> {
  return Promise.all(paths.map((each) => disk.realpath(each).catch(() => path.resolve(each))));
}

/**
 * Runs `work` while the directories are held open, so that a link which replaces one of them is not
 * followed. Keys of `folders`: paths. Values: the identity that the directory must still have;
 * undefined for any. `work` gets the identities.
 */
async function withHeldFolders<T>(
  disk: Disk,
  folders: ReadonlyMap<string, string | undefined>,
  work: (identities: readonly string[]) => Promise<T>,
): Promise<T> {
  const heldFolders: Awaited<ReturnType<Disk['hold']>>[] = [];
  try {
    for (const [folder, identity] of folders) {
      const heldFolder = await disk.hold(folder);
      heldFolders.push(heldFolder);
      if (identity !== undefined && heldFolder.identity !== identity)
        throw Object.assign(new Error(`${folder} is another directory by now`), { code: MOVED_ERROR_CODE });
    }
    return await work(heldFolders.map((each) => each.identity));
  } finally {
    for (const each of heldFolders) each.release();
  }
}

/** The directory of a file, in the form that `withHeldFolders` takes. */
const folderToHold = (file: string): ReadonlyMap<string, undefined> => new Map([[path.dirname(file), undefined]]);

/** Checks the files and finds what to write. `problems` has the files that cannot be written. */
async function findTargets(
  disk: Disk,
  changes: readonly Change[],
  options: ChangeOptions,
): Promise<{ readonly targets: readonly Target[]; readonly problems: readonly Refusal[] }> {
  const problems: Refusal[] = [];
  const targets = new Map<string, Target>();
  const writablePaths = options.writablePaths && new Set(options.writablePaths);
  const mounts = readMounts();
  for (const change of changes) {
    try {
      const file = await disk.realpath(change.path);
      const [folderIdentity, info, reason] = await withHeldFolders(disk, folderToHold(file), async ([identity]) => {
        const status = await disk.status(file);
        return [
          identity!,
          status,
          await refusalReason(disk, change, { file, info: status, writablePaths, mounts }),
        ] as const;
      });
      if (reason !== null) {
        problems.push({ path: change.path, reason });
        continue;
      }
      // A file with two names (a link in sites-enabled, a directory that is mounted twice) must be
      // written once.
      const identity = `${info.dev}:${info.ino}`;
      const otherTarget = targets.get(identity);
      if (!otherTarget) targets.set(identity, { change, file, info, folderIdentity });
      else if (!equalBytes(otherTarget.change.after, change.after))
        problems.push({
          path: change.path,
          reason: `is the same file as ${otherTarget.change.path} (a link), and writing both would separate them`,
        });
    } catch (error) {
      problems.push({ path: change.path, reason: errorInWords(error, change.path) });
    }
  }
  return { targets: [...targets.values()], problems };
}

/** A refusal for each file that has another digest than expected, or that cannot be read. */
async function refusalsOfOutdatedFiles(
  disk: Disk,
  expectedDigests: ReadonlyMap<string, string> = new Map(),
): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const [givenPath, expectedDigest] of expectedDigests) {
    const currentDigest = await disk
      .realpath(givenPath)
      .then((file) => withHeldFolders(disk, folderToHold(file), async () => digest(await disk.read(file))))
      .catch(() => null);
    if (currentDigest !== expectedDigest) refusals.push({ path: givenPath, reason: CHANGED_MEANWHILE });
  }
  return refusals;
}

/** Facts about a file that `refusalReason` checks. */
interface FileToCheck {
  readonly file: string;
  readonly info: Stats;
  readonly writablePaths: ReadonlySet<string> | undefined;
  readonly mounts: Mounts | null;
}

/** Why a file cannot be written, as words to put after its name; null if it can. */
async function refusalReason(
  disk: Disk,
  { path: givenPath, before }: Change,
  { file, info, writablePaths, mounts }: FileToCheck,
): Promise<string | null> {
  if (!info.isFile()) return 'is not a regular file';
  if (writablePaths && !isWithin(file, writablePaths)) {
    return file === path.resolve(givenPath)
      ? 'is not among what was given'
      : `leads to ${file}, which is not among what was given`;
  }
  // A rename replaces only one name. The other names would keep the old content.
  if (info.nlink > 1) return `has ${info.nlink} names (hard links), and writing it would separate them`;
  if (mounts?.isMountPoint(file))
    return 'is a mount point and cannot be replaced; change the file that is mounted there';
  const unsafePathReason = whyPathIsUnsafe(path.resolve(givenPath), info);
  if (unsafePathReason !== null) return unsafePathReason;
  const folder = path.dirname(file);
  try {
    await disk.mayWrite(folder, 'directory');
  } catch (error) {
    return errorInWords(error, file);
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
    return code === 'EPERM' ? 'is immutable (chattr +i)' : errorInWords(error, file);
  }
  return equalBytes(await disk.read(file), before) ? null : CHANGED_MEANWHILE;
}

/** Whether `file` is one of the paths, or is below one of them. */
function isWithin(file: string, paths: ReadonlySet<string>): boolean {
  for (let each = file; ; each = path.dirname(each)) {
    if (paths.has(each)) return true;
    if (each === path.dirname(each)) return false;
  }
}

const CHANGED_MEANWHILE = 'has been changed by somebody else in the meantime';

// ---------------------------------------------------------------------------------------------------------------------
// The journal. Its directory has `journal.json`, an empty file `is-STATE`, and the prepared files
// `old/N` and `new/N` for file number N.

/**
 * What a change does, as written to `journal.json` before the first file is touched. After an
 * interruption, the next run uses it to complete the change or to restore the files.
 */
interface Journal {
  readonly version: 1;
  readonly id: string;
  readonly at: number;
  /** The id of the change that this change undoes; null if it undoes none. */
  readonly undoes: string | null;
  readonly files: readonly JournalEntry[];
}

/** A file in the journal. */
interface JournalEntry {
  /** The path of the file, with links resolved. */
  readonly path: string;
  /** Digests of the old and the new content. */
  readonly before: string;
  readonly after: string;
  /** The modification time of the new file; null for the current time. */
  readonly mtimeMs: number | null;
  readonly oldMtimeMs: number;
  /**
   * The directory in which the old and the new content of the file are prepared: that of the
   * journal, or one on the file system of the file.
   */
  readonly staging: string;
}

/**
 * The states of a change. preparing: no file has changed. writing: some may have. back: the old
 * files are being restored. written: all have changed. done: only temporary files are left.
 */
type State = 'preparing' | 'writing' | 'back' | 'written' | 'done';
const CHANGE_STATES: readonly State[] = ['preparing', 'writing', 'back', 'written', 'done'];

/** The directory in which a change is recorded, and what it contains. */
interface ChangeRecord {
  readonly directory: string;
  /** Null if the change was interrupted before its first state was recorded. */
  readonly state: State | null;
  /** Null if there is no state, or if the journal is missing or damaged. */
  readonly journal: Journal | null;
}

/** The suffix of directories that are being removed. */
const REMOVED_SUFFIX = '.gone';

/** The records of all changes in these state directories. */
async function recordsIn(disk: Disk, homes: readonly string[]): Promise<ChangeRecord[]> {
  const records: ChangeRecord[] = [];
  for (const home of new Set(homes)) {
    if (!(await isOwnDirectory(disk, home))) continue;
    for (const name of await namesInDirectory(disk, changesFolder(home)))
      records.push(await readRecord(disk, path.join(changesFolder(home), name)));
  }
  return records;
}

async function readRecord(disk: Disk, directory: string): Promise<ChangeRecord> {
  const namesInRecord = await namesInDirectory(disk, directory);
  const recordState = directory.endsWith(REMOVED_SUFFIX)
    ? null
    : (CHANGE_STATES.find((each) => namesInRecord.includes(`is-${each}`)) ?? null);
  if (recordState === null) return { directory, state: null, journal: null };
  const bytes = await disk.read(path.join(directory, 'journal.json')).catch((error: unknown) => {
    // Another process may be removing the record. Any other error does not mean that there is no
    // journal.
    if (isMissingError(error) || isReplacedError(error)) return null;
    throw error;
  });
  return { directory, state: recordState, journal: bytes && parseJournal(bytes.toString('utf8'), directory) };
}

/**
 * Parses a journal. Null if it is damaged: the next run renames files as the entries say, so a
 * wrong entry would do harm.
 */
function parseJournal(text: string, directory: string): Journal | null {
  let journal: Partial<Journal> | null;
  try {
    journal = JSON.parse(text) as Partial<Journal> | null;
  } catch {
    return null;
  }
  const { id, at, undoes, files } = journal ?? {};
  if (id !== path.basename(directory) || typeof at !== 'number' || !(Math.abs(at) <= MAX_DATE_MS)) return null;
  if (undoes !== null && !(typeof undoes === 'string' && /^[\w-]+$/.test(undoes))) return null;
  const areAllEntriesValid =
    Array.isArray(files) &&
    files.every((entry: Partial<JournalEntry> | null) => isValidEntry(entry ?? {}, id, directory));
  return areAllEntriesValid ? (journal as Journal) : null;
}

/**
 * Whether an entry of a journal may be used. A wrong `staging` would make this program write and
 * remove files elsewhere. `id`, `directory`: those of the change.
 */
function isValidEntry(entry: Partial<JournalEntry>, id: string, directory: string): boolean {
  const { path: file, before, after, mtimeMs, oldMtimeMs, staging } = entry;
  if (typeof file !== 'string' || typeof staging !== 'string' || !path.isAbsolute(file) || !path.isAbsolute(staging))
    return false;
  if (staging !== directory && path.basename(staging) !== stagingName(id)) return false;
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  return typeof oldMtimeMs === 'number' && (mtimeMs === null || typeof mtimeMs === 'number');
}

/** The last time that a `Date` can have, in milliseconds. */
const MAX_DATE_MS = 8.64e15;

/** The name of a directory for prepared files on another file system. */
const stagingName = (id: string) => `.httpd-upgrade-${id}`;

/** Changes that can be undone, the last one first. */
async function undoableChanges(disk: Disk, homes: readonly string[]): Promise<ChangeRecord[]> {
  const undoableRecords = (await recordsIn(disk, homes)).filter(
    ({ state, journal }) => (state === 'written' || state === 'done') && journal?.undoes === null,
  );
  return undoableRecords.sort((a, b) => b.journal!.at - a.journal!.at);
}

/** The changes that were interrupted, without those that another process is still writing. */
async function unfinishedChanges(disk: Disk, homes: readonly string[]): Promise<PastChange[]> {
  const unfinished: PastChange[] = [];
  for (const home of new Set(homes)) {
    const readInterruptedRecords = async () =>
      (await recordsIn(disk, [home])).filter(
        ({ state, journal }) => journal && (state === 'writing' || state === 'back'),
      );
    const firstRecords = await readInterruptedRecords();
    if (firstRecords.length === 0 || (await isLockedByOther(disk, home))) continue;
    // Checked again: a process that was writing at the first check may have ended normally since.
    const directoriesStillInterrupted = new Set((await readInterruptedRecords()).map(({ directory }) => directory));
    unfinished.push(
      ...firstRecords
        .filter(({ directory }) => directoriesStillInterrupted.has(directory))
        .map(({ journal }) => pastChange(journal!)),
    );
  }
  return unfinished;
}

/** What users see of a change in a journal. */
function pastChange({ id, at, files }: Journal): PastChange {
  return { id, at, files: files.map((file) => file.path) };
}

/** Records the next state of a change. */
async function setState(disk: Disk, directory: string, from: State, to: State): Promise<void> {
  await disk.rename(path.join(directory, `is-${from}`), path.join(directory, `is-${to}`));
  await syncDirectory(disk, directory);
}

const oldCopyPath = (entry: JournalEntry, index: number) => path.join(entry.staging, 'old', String(index));
const newCopyPath = (entry: JournalEntry, index: number) => path.join(entry.staging, 'new', String(index));

// ---------------------------------------------------------------------------------------------------------------------

/** Thrown with the reason why a file cannot be written. */
class RefusedError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}

/**
 * Writes all files or none, under the lock. `undoneChange`: the id of the change that is undone,
 * and the old times of its files; null for a new change.
 */
async function writeChanges(
  disk: Disk,
  homes: readonly string[],
  changes: readonly Change[],
  options: ChangeOptions,
  undoneChange: { id: string; mtimes: ReadonlyMap<string, number> } | null = null,
): Promise<WriteOutcome> {
  const home = await firstUsableHome(disk, homes);
  if (home === null)
    return {
      problems: [
        {
          path: '',
          reason: `the old files cannot be kept for undo: none of ${homes.join(', ')} is a directory that only you can write to; set XDG_STATE_HOME`,
        },
      ],
    };
  return withLock(
    disk,
    home,
    (problem): WriteOutcome => ({ problems: [problem] }),
    async () => {
      const { targets, problems: refused } = await findTargets(disk, changes, options);
      const problems = [...refused, ...(await refusalsOfOutdatedFiles(disk, options.expectedDigests))];
      if (problems.length > 0) return { problems, refused };
      if (targets.length === 0) return { id: '', written: [] };
      const signals = new HeldSignals();
      try {
        const outcome = await writeTargets(disk, home, targets, { options, undoneChange, signals });
        return 'id' in outcome ? outcome : { ...outcome, refused: [] };
      } finally {
        signals.release();
      }
    },
  );
}

/** The first directory in which a record can be made; null if there is none. */
async function firstUsableHome(disk: Disk, homes: readonly string[]): Promise<string | null> {
  for (const each of homes) if (await openStateHome(disk, each)) return each;
  return null;
}

/** What `writeTargets` needs to know besides the files. */
interface WriteTask {
  readonly options: ChangeOptions;
  readonly undoneChange: { readonly id: string; readonly mtimes: ReadonlyMap<string, number> } | null;
  readonly signals: HeldSignals;
}

/**
 * Writes the checked files: first the journal and the prepared files, then the renames. Restores
 * the old files if something fails.
 */
async function writeTargets(
  disk: Disk,
  home: string,
  targets: readonly Target[],
  { options, undoneChange, signals }: WriteTask,
): Promise<WriteOutcome> {
  let record: ChangeRecord;
  try {
    const { id, at } = await nextId(disk, home);
    const directory = path.join(changesFolder(home), id);
    const stagingByIndex = await stagingDirectories(disk, { directory, id, targets, options });
    const files = targets.map(
      (target, index): JournalEntry => ({
        path: target.file,
        before: digest(target.change.before),
        after: digest(target.change.after),
        mtimeMs: undoneChange?.mtimes.get(target.file) ?? null,
        oldMtimeMs: target.info.mtimeMs,
        staging: stagingByIndex[index]!,
      }),
    );
    record = {
      directory,
      state: 'preparing',
      journal: { version: 1, id, at, undoes: undoneChange?.id ?? null, files },
    };
  } catch (error) {
    return { problems: [refusalOf(error, targets)] };
  }
  try {
    await createJournal(disk, record, changesFolder(home));
    await prepareFiles(disk, record, targets);
    if (signals.hasReceived) throw new RefusedError('', 'interrupted');
    await setState(disk, record.directory, 'preparing', 'writing');
  } catch (error) {
    await discardRecord(disk, record).catch(() => undefined);
    return { problems: [refusalOf(error, targets)] };
  }
  try {
    await replaceFiles(
      disk,
      record,
      targets.map(({ folderIdentity }) => folderIdentity),
    );
  } catch (error) {
    const problemOfFailedRestore = (failure: Error): Refusal[] => [
      {
        path: '',
        reason: `the written files could not be restored (${failure.message}); "httpd-upgrade undo" tries it again`,
      },
    ];
    return {
      problems: [refusalOf(error, targets), ...(await restoreFiles(disk, record).catch(problemOfFailedRestore))],
    };
  }
  await removeTemporaryFiles(disk, record);
  await removeOldRecords(disk, home);
  return { id: record.journal!.id, written: targets.map(({ change }) => change.path) };
}

/** Creates the journal's directory with the journal and its first state. */
async function createJournal(disk: Disk, { directory, journal }: ChangeRecord, parent: string): Promise<void> {
  await disk.makeDirectory(directory);
  const file = path.join(directory, 'journal.json');
  await disk.create(file, Buffer.from(JSON.stringify(journal)));
  await disk.sync(file);
  await disk.create(path.join(directory, 'is-preparing'), new Uint8Array());
  for (const name of ['old', 'new']) await disk.makeDirectory(path.join(directory, name));
  await syncDirectory(disk, directory);
  await syncDirectory(disk, parent);
}

/**
 * Writes the old and new contents of all files into their directories for prepared files, and syncs
 * them to the disk.
 */
async function prepareFiles(
  disk: Disk,
  { directory, journal }: ChangeRecord,
  targets: readonly Target[],
): Promise<void> {
  const { files } = journal!;
  const stagingDirectories = [...new Set(files.map(({ staging }) => staging))];
  for (const staging of stagingDirectories) {
    if (staging === directory) continue;
    await withHeldFolders(disk, folderToHold(staging), async () => disk.makeDirectory(staging));
    await withHeldStaging(disk, directory, staging, async () => {
      for (const name of ['old', 'new']) await disk.makeDirectory(path.join(staging, name));
    });
  }
  for (const staging of stagingDirectories) {
    await withHeldStaging(disk, directory, staging, () =>
      prepareFilesIn(disk, directory, staging, entriesPreparedIn(files, targets, staging)),
    );
  }
  for (const name of ['old', '']) await syncDirectory(disk, path.join(directory, name));
}

/**
 * Runs `work` while the directory for prepared files on another file system is held open. Fails if
 * another user has replaced the directory.
 */
async function withHeldStaging<T>(disk: Disk, directory: string, staging: string, work: () => Promise<T>): Promise<T> {
  if (staging === directory) return work();
  return withHeldFolders(disk, new Map([[staging, undefined]]), async () => {
    const { uid, mode } = await disk.status(staging);
    const userId = process.geteuid?.();
    if (userId !== undefined && (uid !== userId || (mode & 0o022) !== 0))
      throw Object.assign(new Error(`${staging} is not ours`), { code: MOVED_ERROR_CODE });
    return work();
  });
}

/** The entries of the files that are prepared in the directory `staging`. */
function entriesPreparedIn(
  files: readonly JournalEntry[],
  targets: readonly Target[],
  staging: string,
): NumberedEntry[] {
  return files.flatMap((entry, index) =>
    entry.staging === staging ? [{ entry, index, target: targets[index]! }] : [],
  );
}

/**
 * Writes the old and new contents of these files into one directory for prepared files, and checks
 * the copies.
 */
async function prepareFilesIn(
  disk: Disk,
  directory: string,
  staging: string,
  entries: readonly NumberedEntry[],
): Promise<void> {
  await copyAll(disk, staging, entries);
  for (const { entry, index, target } of entries) {
    const { change, info } = target;
    const [oldCopy, newCopy] = [oldCopyPath(entry, index), newCopyPath(entry, index)];
    const oldContent = await disk.read(oldCopy);
    if (!equalBytes(oldContent, change.before)) throw new RefusedError(entry.path, CHANGED_MEANWHILE);
    await disk.overwrite(newCopy, change.after);
    // Writing clears the setuid and setgid bits, so the mode is set again.
    await disk.changeMode(newCopy, info.mode & 0o7777);
    if (entry.mtimeMs !== null) await disk.changeTimes(newCopy, entry.mtimeMs, entry.mtimeMs);
    for (const preparedFile of [oldCopy, newCopy]) {
      const stats = await disk.status(preparedFile);
      if (stats.uid !== info.uid || stats.gid !== info.gid || (stats.mode & 0o7777) !== (info.mode & 0o7777))
        throw new RefusedError(entry.path, 'has an owner, a group or a mode that a new file cannot get');
    }
    if (entry.staging !== directory) await disk.create(path.join(directory, 'old', String(index)), oldContent);
  }
  const preparedFiles = [
    ...new Set(
      entries.flatMap(({ entry, index }) => [
        oldCopyPath(entry, index),
        newCopyPath(entry, index),
        path.join(directory, 'old', String(index)),
      ]),
    ),
  ];
  await forAllPaths(preparedFiles, (file) => disk.sync(file));
  for (const name of ['old', 'new', '']) await syncDirectory(disk, path.join(staging, name));
}

/** An entry of the journal with its number and its checked file. */
interface NumberedEntry {
  readonly entry: JournalEntry;
  readonly index: number;
  readonly target: Target;
}

/**
 * Copies each file to `old/N` and `new/N` in the directory `staging`, with all its attributes. If
 * this machine has no program for that, creates `old/N` with content, owner, mode and times, and an
 * empty `new/N` with owner and mode.
 */
async function copyAll(disk: Disk, staging: string, entries: readonly NumberedEntry[]): Promise<void> {
  const oldCopies = path.join(staging, 'old');
  for (let start = 0; start < entries.length; start += DIRECTORIES_HELD_AT_ONCE) {
    const entriesInBatch = entries.slice(start, start + DIRECTORIES_HELD_AT_ONCE);
    await withHeldFolders(
      disk,
      new Map(entriesInBatch.map(({ entry, target }) => [path.dirname(entry.path), target.folderIdentity])),
      async () => {
        if (await copyFiles(disk, entriesInBatch, ({ entry }) => entry.path, oldCopies)) return;
        for (const each of entriesInBatch) await copyContentAndMode(disk, each);
      },
    );
  }
  if (await copyFiles(disk, entries, ({ entry, index }) => oldCopyPath(entry, index), path.join(staging, 'new')))
    return;
  for (const { entry, index, target } of entries) {
    await disk.create(newCopyPath(entry, index), new Uint8Array());
    await giveOwnerAndMode(disk, newCopyPath(entry, index), target.info);
  }
}

/** Number of directories held at a time, far below the limit of any system. */
const DIRECTORIES_HELD_AT_ONCE = 300;

/**
 * Copies files with all their attributes into a directory, each under its number. Returns false if
 * this machine has no program for that. If an attribute of a file would be lost, throws an error
 * that names the file.
 */
async function copyFiles(
  disk: Disk,
  entries: readonly NumberedEntry[],
  pathOf: (each: NumberedEntry) => string,
  directory: string,
): Promise<boolean> {
  try {
    return await disk.copy(
      entries.map(pathOf),
      directory,
      entries.map(({ index }) => String(index)),
    );
  } catch (error) {
    if (!(error instanceof AttributesLostError)) throw error;
    const { message } = error;
    // cp puts names into quotes in its messages, so a quote follows the name of the file.
    const { entry, ...rest } = entries.find((each) => message.includes(`${pathOf(each)}'`)) ?? entries[0]!;
    const firstLine = message
      .replaceAll(pathOf({ entry, ...rest }), entry.path)
      .trim()
      .split('\n')[0];
    throw new RefusedError(
      entry.path,
      `cannot be copied with its access control list and extended attributes (${firstLine})`,
    );
  }
}

/**
 * Copies the old content of a file with its owner, mode and times, for machines without a copy
 * program.
 */
async function copyContentAndMode(disk: Disk, { entry, index, target: { info } }: NumberedEntry): Promise<void> {
  await disk.create(oldCopyPath(entry, index), await disk.read(entry.path));
  await giveOwnerAndMode(disk, oldCopyPath(entry, index), info);
  await disk.changeTimes(oldCopyPath(entry, index), info.atimeMs, info.mtimeMs);
}

/** Gives a file the owner, group and mode in `info`. */
async function giveOwnerAndMode(disk: Disk, file: string, info: Stats): Promise<void> {
  const stats = await disk.status(file);
  if (process.platform !== 'win32' && (stats.uid !== info.uid || stats.gid !== info.gid))
    await disk.changeOwner(file, info.uid, info.gid);
  await disk.changeMode(file, info.mode & 0o7777);
}

/**
 * Replaces the old files by the new ones. Throws at the first file that has changed since it was
 * read. `folders`: the identities of the directories when they were checked. Without `folders`,
 * completes an interrupted change: leaves out the files that are already replaced.
 */
async function replaceFiles(
  disk: Disk,
  { directory, journal }: ChangeRecord,
  folderIdentities: readonly string[] = [],
): Promise<void> {
  for (const [index, entry] of journal!.files.entries()) {
    const newCopy = newCopyPath(entry, index);
    await withStaging(disk, directory, entry, async (stagingExists) => {
      if (!stagingExists || !(await exists(disk, newCopy))) {
        // The interrupted change has already replaced this file.
        if (folderIdentities.length === 0) return;
        throw new RefusedError(entry.path, CHANGED_MEANWHILE);
      }
      await withHeldFolders(disk, new Map([[path.dirname(entry.path), folderIdentities[index]]]), async () => {
        const status = await disk.status(entry.path);
        if (!status.isFile() || status.nlink > 1 || digest(await disk.read(entry.path)) !== entry.before)
          throw new RefusedError(entry.path, CHANGED_MEANWHILE);
        await disk.rename(newCopy, entry.path).catch((error) => {
          throw new RefusedError(entry.path, errorInWords(error, entry.path));
        });
      }).catch((error: unknown) => {
        throw isReplacedError(error) ? new RefusedError(entry.path, CHANGED_MEANWHILE) : error;
      });
    });
  }
  await syncFolders(disk, journal!);
  // If this state cannot be written, the next run finds all files replaced and writes it.
  await setState(disk, directory, 'writing', 'written').catch(() => undefined);
}

/**
 * Runs `work` while the directory of a file's prepared files is held open. `stagingExists`: whether
 * the directory exists and still belongs to this user.
 */
async function withStaging<T>(
  disk: Disk,
  directory: string,
  { staging }: JournalEntry,
  work: (stagingExists: boolean) => Promise<T>,
): Promise<T> {
  if (staging === directory) return work(true);
  let isWorkBegun = false;
  try {
    return await withHeldStaging(disk, directory, staging, () => {
      isWorkBegun = true;
      return work(true);
    });
  } catch (error) {
    if (isWorkBegun || !(isReplacedError(error) || isMissingError(error))) throw error;
    return work(false);
  }
}

/**
 * Restores the old contents of files that have the new ones. Returns the files that have changed
 * since, which are not restored. Throws if nothing can be restored now. If another user replaces
 * directories by links meanwhile, this tries again for a second. If the directory of a file is
 * still a link then, the file's old content is copied to the state directory, because the record is
 * removed at the end.
 */
async function restoreFiles(disk: Disk, record: ChangeRecord): Promise<readonly Refusal[]> {
  const deadline = Date.now() + MAX_TRIES * RETRY_DELAY_MS;
  const { directory, journal } = record;
  const problems: Refusal[] = [];
  if (!(await exists(disk, path.join(directory, 'is-back')))) await setState(disk, directory, 'writing', 'back');
  for (const [index, entry] of [...journal!.files.entries()].reverse()) {
    await withStaging(disk, directory, entry, async (stagingExists) => {
      if (stagingExists && (await exists(disk, newCopyPath(entry, index)))) return;
      const isRestored = await retryWhileFoldersReplaced(deadline, () =>
        withHeldFolders(disk, folderToHold(entry.path), async () => {
          const currentDigest = await digestOfFile(disk, entry.path);
          if (currentDigest === entry.before) return true;
          if (currentDigest !== entry.after || !stagingExists || !(await exists(disk, oldCopyPath(entry, index))))
            return false;
          await disk.rename(oldCopyPath(entry, index), entry.path);
          return true;
        }),
      );
      if (isRestored) return;
      const hasOldContent = isRestored === null && stagingExists && (await exists(disk, oldCopyPath(entry, index)));
      const reason = hasOldContent
        ? `is in a directory that has become a link or is missing; its old content is in ${await keepOldContent(disk, directory, entry, index)}`
        : 'has been changed since then, and stays as it is';
      problems.push({ path: entry.path, reason });
    });
  }
  await syncFolders(disk, journal!);
  await discardRecord(disk, record).catch(() => undefined);
  return problems;
}

/** Copies the old content of a file to a place that no later run removes, and returns its path. */
async function keepOldContent(disk: Disk, directory: string, entry: JournalEntry, index: number): Promise<string> {
  const folder = path.join(path.dirname(path.dirname(directory)), 'kept');
  await makeDirectories(disk, folder);
  const copy = path.join(folder, `${path.basename(directory)}-${index}-${path.basename(entry.path)}`);
  const content = await disk.read(oldCopyPath(entry, index));
  // An interrupted run may have written a part of the copy.
  await ((await exists(disk, copy)) ? disk.overwrite(copy, content) : disk.create(copy, content));
  await disk.sync(copy);
  return copy;
}

/**
 * Runs `work`. If it fails because its directory is a link or is missing, runs it again until the
 * time `deadline`. Returns null if it still fails then.
 */
async function retryWhileFoldersReplaced(deadline: number, work: () => Promise<boolean>): Promise<boolean | null> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isReplacedError(error) && !isMissingError(error)) throw error;
      if (Date.now() >= deadline) return null;
      await pause();
    }
  }
}

/**
 * Removes temporary files after the change; a later run can repeat this. For a change that undoes
 * another one, also removes the records of both.
 */
async function removeTemporaryFiles(disk: Disk, { directory, journal }: ChangeRecord): Promise<void> {
  try {
    await removeStagings(disk, directory, journal!);
    await removeTree(disk, path.join(directory, 'new'));
    // Not synced to the disk, because a later run repeats the rename if it is lost.
    if (journal!.undoes === null)
      return await disk.rename(path.join(directory, 'is-written'), path.join(directory, 'is-done'));
    await discardRecord(disk, {
      directory: path.join(path.dirname(directory), journal!.undoes),
      state: 'done',
      journal: null,
    });
    await discardRecord(disk, { directory, state: 'written', journal: null });
  } catch {
    // An error is harmless: httpd does not read the files that are left.
  }
}

/**
 * Removes the record of a change with its prepared files, so that the change can no longer be
 * undone.
 */
async function discardRecord(disk: Disk, { directory, journal }: ChangeRecord): Promise<void> {
  if (!directory.endsWith(REMOVED_SUFFIX)) {
    if (journal) await removeStagings(disk, directory, journal);
    if (!(await exists(disk, directory))) return;
    // The rename makes the record invalid at once; removing it takes many steps.
    await disk.rename(directory, directory + REMOVED_SUFFIX);
  }
  await removeTree(disk, directory.endsWith(REMOVED_SUFFIX) ? directory : directory + REMOVED_SUFFIX);
}

/** Removes the directories for prepared files of a change, except the directory of its record. */
async function removeStagings(disk: Disk, directory: string, journal: Journal): Promise<void> {
  for (const staging of new Set(journal.files.map((entry) => entry.staging)))
    if (staging !== directory) await removeStaging(disk, directory, staging);
}

/**
 * Removes a directory for prepared files: its contents through the open handle, then the directory
 * by its name. If there are other files in it, they stay, and so does the directory.
 */
async function removeStaging(disk: Disk, directory: string, staging: string): Promise<void> {
  if (!(await exists(disk, staging))) return;
  await withHeldStaging(disk, directory, staging, async () => {
    for (const name of ['old', 'new']) await removeTree(disk, path.join(staging, name));
  }).catch((error: unknown) => {
    if (!isReplacedError(error)) throw error;
  });
  await withHeldFolders(disk, folderToHold(staging), () => disk.removeDirectory(staging)).catch((error: unknown) => {
    // If another user has put files into the directory, they stay, and it cannot be removed.
    if (!isReplacedError(error) && !['ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error))) throw error;
  });
}

/** Removes the records of all changes but the last `MAX_UNDOABLE_CHANGES`. */
async function removeOldRecords(disk: Disk, home: string): Promise<void> {
  try {
    for (const record of (await undoableChanges(disk, [home])).slice(MAX_UNDOABLE_CHANGES))
      await discardRecord(disk, record);
  } catch {
    // A later run removes the records that are left.
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Completes interrupted changes, or takes them back. Removes what is left of finished ones. */
async function recoverAll(disk: Disk, homes: readonly string[]): Promise<RecoveryResult> {
  const completedChanges: PastChange[] = [];
  const rolledBack: PastChange[] = [];
  const problems: Refusal[] = [];
  const completeOrRestore = async (record: ChangeRecord) => {
    const { state, journal } = record;
    if (state === null || state === 'preparing') return discardRecord(disk, record);
    if (journal === null)
      throw new RefusedError(
        record.directory,
        'an interrupted change cannot be completed or taken back, because its journal is damaged; compare your files with those in its directories "old" and "new", then remove it',
      );
    if (state === 'written') return removeTemporaryFiles(disk, record);
    if (state === 'writing' && (await canComplete(disk, journal)) && (await completeChange(disk, record)))
      return void completedChanges.push(pastChange(journal));
    problems.push(...(await restoreFiles(disk, record)));
    rolledBack.push(pastChange(journal));
  };
  for (const home of new Set(homes)) {
    try {
      if ((await interruptedRecords(disk, home)).length === 0 && !(await hasLocks(disk, home))) continue;
      await withLock(
        disk,
        home,
        (problem) => void problems.push(problem),
        async () => {
          for (const record of await interruptedRecords(disk, home)) await completeOrRestore(record);
        },
      );
    } catch (error) {
      if (error instanceof RefusedError) problems.push(error);
      else
        problems.push({
          path: changesFolder(home),
          reason: `an interrupted change could not be completed or taken back (${(error as Error).message}); the next run tries it again`,
        });
    }
  }
  return { completed: completedChanges, rolledBack, problems };
}

/** The records of changes for which `recoverAll` has something to do. */
async function interruptedRecords(disk: Disk, home: string): Promise<ChangeRecord[]> {
  return (await recordsIn(disk, [home])).filter(
    // A written change with a damaged journal stays as it is and cannot be undone.
    ({ state, journal }) => state !== 'done' && !(state === 'written' && journal === null),
  );
}

/**
 * Whether an interrupted change can be completed: each file has its new content, or has its old
 * content and the new content is prepared.
 */
async function canComplete(disk: Disk, journal: Journal): Promise<boolean> {
  for (const [index, entry] of journal.files.entries()) {
    const currentDigest = await withHeldFolders(disk, folderToHold(entry.path), () =>
      digestOfFile(disk, entry.path),
    ).catch((error: unknown) => {
      if (isReplacedError(error) || isMissingError(error)) return null;
      throw error;
    });
    const isNewCopyPending = await exists(disk, newCopyPath(entry, index));
    if (
      isNewCopyPending ? currentDigest !== entry.before : currentDigest === entry.before && entry.after !== entry.before
    )
      return false;
  }
  return true;
}

/** Completes an interrupted change. Returns whether that succeeded. */
async function completeChange(disk: Disk, record: ChangeRecord): Promise<boolean> {
  try {
    await replaceFiles(disk, record);
  } catch {
    return false;
  }
  await removeTemporaryFiles(disk, record);
  return true;
}

/** Restores the old contents of a change by a new change in the other direction. */
async function undoChange(disk: Disk, homes: readonly string[], id: string | undefined): Promise<UndoResult> {
  const recovery = await recoverAll(disk, homes);
  const nothingUndone = (problems: readonly Refusal[]): UndoResult => ({ recovered: recovery, undone: null, problems });
  if (recovery.problems.length > 0) return nothingUndone(recovery.problems);
  // The user wants the state before the interrupted change, and taking that change back has just
  // restored it.
  if (id === undefined && recovery.rolledBack.length > 0) return nothingUndone([]);
  const pastChanges = await undoableChanges(disk, homes);
  const record = id === undefined ? pastChanges[0] : pastChanges.find(({ journal }) => journal!.id === id);
  if (!record)
    return nothingUndone(id === undefined ? [] : [{ path: '', reason: `there is no change "${id}" to undo` }]);
  const { directory, journal } = record;
  const problems: Refusal[] = [];
  const changes: Change[] = [];
  for (const [index, entry] of journal!.files.entries()) {
    try {
      const currentBytes = await withHeldFolders(disk, folderToHold(entry.path), () => disk.read(entry.path));
      const oldBytes = await disk.read(path.join(directory, 'old', String(index)));
      if (digest(currentBytes) !== entry.after) problems.push({ path: entry.path, reason: 'has been changed since' });
      else if (digest(oldBytes) !== entry.before)
        problems.push({ path: entry.path, reason: 'the old content that was kept for undo is damaged' });
      else changes.push({ path: entry.path, before: currentBytes, after: oldBytes });
    } catch (error) {
      const reason = isReplacedError(error) ? 'has been changed since' : errorInWords(error, entry.path);
      problems.push({ path: entry.path, reason });
    }
  }
  if (problems.length > 0) return nothingUndone(problems);
  const mtimes = new Map(journal!.files.map((entry) => [entry.path, entry.oldMtimeMs]));
  // The directories in which the files of the change to undo were prepared.
  const foldersOfStagings = new Set(journal!.files.map(({ staging }) => path.dirname(staging)));
  const folders = new Set(journal!.files.map((entry) => path.dirname(entry.path)));
  const mayHoldTemporary = (place: string) => foldersOfStagings.has(place) || !folders.has(place);
  const outcome = await writeChanges(
    disk,
    [path.dirname(path.dirname(directory))],
    changes,
    // Limited to the real paths, so that a link which replaces one of them is not followed.
    { mayHoldTemporary, writablePaths: changes.map((each) => each.path) },
    { id: journal!.id, mtimes },
  );
  return 'problems' in outcome
    ? nothingUndone(outcome.problems)
    : { recovered: recovery, undone: pastChange(journal!), problems: [] };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The mount points of this machine. */
interface Mounts {
  isMountPoint(path: string): boolean;
  /** The mount point of the file system that contains a path. */
  mountOf(path: string): string;
}

/** The mount points; null if the system does not provide the list. */
function readMounts(): Mounts | null {
  let mountInfo;
  try {
    mountInfo = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return null;
  }
  const mountPoints = new Set<string>();
  for (const row of mountInfo.split('\n')) {
    const mountPoint = row.split(' ')[4];
    if (mountPoint)
      mountPoints.add(
        Buffer.from(
          mountPoint.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
          'latin1',
        ).toString('utf8'),
      );
  }
  const mountOf = (place: string): string =>
    mountPoints.has(place) || place === path.dirname(place) ? place : mountOf(path.dirname(place));
  return { isMountPoint: (place) => mountPoints.has(place), mountOf };
}

/**
 * The directory for the prepared files of each target, in the same order. It is on the file system
 * of the target, so that a rename is possible.
 */
async function stagingDirectories(
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
  const homeDevice = (await disk.status(home)).dev;
  const isSameFileSystem = (a: string, aDevice: number, b: string, bDevice: number) =>
    aDevice === bDevice && (mounts === null || mounts.mountOf(a) === mounts.mountOf(b));
  const stagingOfFolder = new Map<string, string>();
  const realHome = await disk.realpath(home);
  const folders = new Set(targets.map(({ file }) => path.dirname(file)));
  for (const { file } of targets) {
    const folder = path.dirname(file);
    if (stagingOfFolder.has(folder)) continue;
    // Uses the device of the directory, because in a container the file's device can be that of an
    // image layer.
    const { dev } = await disk.status(folder);
    if (isSameFileSystem(realHome, homeDevice, folder, dev)) {
      stagingOfFolder.set(folder, directory);
      continue;
    }
    const stagingFolder = await highestFolder(disk, folder, async (each) => {
      if (!isSameFileSystem(each, (await disk.status(each)).dev, folder, dev)) return false;
      return options.mayHoldTemporary ? options.mayHoldTemporary(each) : !folders.has(each);
    });
    if (stagingFolder === null)
      throw new RefusedError(
        file,
        'is on a file system where only the directories of the configuration are writable; set XDG_STATE_HOME to a directory there',
      );
    stagingOfFolder.set(folder, path.join(stagingFolder, stagingName(id)));
  }
  return targets.map(({ file }) => stagingOfFolder.get(path.dirname(file))!);
}

/**
 * The highest directory among `folder` and its parents that this user may write to and for which
 * `isSuitable` returns true. Null if there is none.
 */
async function highestFolder(
  disk: Disk,
  folder: string,
  isSuitable: (directory: string) => Promise<boolean>,
): Promise<string | null> {
  const parent = path.dirname(folder);
  const higherFolder = parent === folder ? null : await highestFolder(disk, parent, isSuitable);
  if (higherFolder !== null) return higherFolder;
  try {
    await disk.mayWrite(folder, 'directory');
    return (await isSuitable(folder)) ? folder : null;
  } catch {
    return null;
  }
}

/**
 * A new id, made from the local time so that users understand it. `at` is later than the times of
 * all earlier changes.
 */
async function nextId(disk: Disk, home: string): Promise<{ id: string; at: number }> {
  const usedNames = await disk.list(changesFolder(home));
  const lastChangeTime = (await undoableChanges(disk, [home]))[0]?.journal?.at ?? 0;
  const time = Math.max(Date.now(), lastChangeTime + 1);
  const localTime = new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString();
  const stamp = `${localTime.slice(0, 10).replace(/-/g, '')}-${localTime.slice(11, 19).replace(/:/g, '')}`;
  for (let count = 1; ; count++) {
    const newId = count === 1 ? stamp : `${stamp}-${count}`;
    if (!usedNames.includes(newId) && !usedNames.includes(newId + REMOVED_SUFFIX)) return { id: newId, at: time };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** The last change that this process began. The next change begins when this change has ended. */
const lastChange = latestValue<Promise<unknown>>(Promise.resolve());

/** Runs `work` after all earlier changes of this process. */
function runInTurn<T>(work: () => Promise<T>): Promise<T> {
  const workResult = lastChange.value.then(work);
  lastChange.value = workResult.catch(() => undefined);
  return workResult;
}

/** Runs `work` while this process has the lock. Calls `onProblem` if it cannot get the lock. */
async function withLock<T>(
  disk: Disk,
  home: string,
  onProblem: (problem: Refusal) => T,
  work: () => Promise<T>,
): Promise<T> {
  let releaseOrBusy;
  try {
    releaseOrBusy = await takeLock(disk, home);
  } catch (error) {
    return onProblem({ path: home, reason: errorInWords(error, path.join(home, 'locks', '.')) });
  }
  if ('busyPid' in releaseOrBusy)
    return onProblem({
      path: '',
      reason: `another run of httpd-upgrade is writing (process ${releaseOrBusy.busyPid}); try again when it has ended`,
    });
  try {
    return await work();
  } finally {
    await releaseOrBusy().catch(() => undefined);
  }
}

/**
 * Delays Ctrl-C and similar signals until all files are old or all are new, which does not take
 * long.
 */
class HeldSignals {
  private readonly receivedSignals: NodeJS.Signals[] = [];
  private readonly onSignal = (signal: NodeJS.Signals) => void this.receivedSignals.push(signal);

  constructor() {
    for (const signal of DELAYED_SIGNALS) process.on(signal, this.onSignal);
  }

  get hasReceived(): boolean {
    return this.receivedSignals.length > 0;
  }

  release(): void {
    for (const signal of DELAYED_SIGNALS) process.off(signal, this.onSignal);
    for (const signal of this.receivedSignals) process.kill(process.pid, signal);
  }
}

const DELAYED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Waits until new names in a directory are on the disk. Not every file system supports that. */
async function syncDirectory(disk: Disk, directory: string): Promise<void> {
  await disk.sync(directory).catch((error: NodeJS.ErrnoException) => {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EACCES'].includes(error.code ?? '')) throw error;
  });
}

/** Writes the directories of the changed files to the disk. Errors do not matter. */
async function syncFolders(disk: Disk, { files }: Journal): Promise<void> {
  const folders = [...new Set(files.map((entry) => path.dirname(entry.path)))];
  await forAllPaths(folders, (folder) => syncDirectory(disk, folder).catch(() => undefined));
}

/** Runs `work` for many paths at the same time, because file systems combine such requests. */
async function forAllPaths(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < paths.length; start += FILES_SYNCED_AT_ONCE)
    await Promise.all(paths.slice(start, start + FILES_SYNCED_AT_ONCE).map(work));
}

/** The names in a directory; empty if it does not exist. Throws for all other errors. */
async function namesInDirectory(disk: Disk, directory: string): Promise<string[]> {
  try {
    return await disk.list(directory);
  } catch (error) {
    if (isMissingError(error)) return [];
    throw error;
  }
}

/** The digest of a file; null if the file does not exist. */
async function digestOfFile(disk: Disk, file: string): Promise<string | null> {
  try {
    return digest(await disk.read(file));
  } catch (error) {
    if (isMissingError(error)) return null;
    throw error;
  }
}

/** Whether the error means that there is no file at the path. */
function isMissingError(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error));
}

/**
 * Whether the error means that the directory or file was replaced: by a link, another directory, or
 * something that is not a regular file.
 */
function isReplacedError(error: unknown): boolean {
  return errorCode(error) === MOVED_ERROR_CODE;
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

async function exists(disk: Disk, file: string): Promise<boolean> {
  try {
    await disk.status(file);
    return true;
  } catch (error) {
    if (isMissingError(error)) return false;
    throw error;
  }
}

/** Removes a directory with all its contents, if it exists. */
async function removeTree(disk: Disk, directory: string): Promise<void> {
  if (!(await exists(disk, directory))) return;
  for (let tries = 1; ; tries++) {
    const names = await disk.list(directory);
    for (const name of names) {
      const fullPath = path.join(directory, name);
      if ((await disk.status(fullPath)).isDirectory()) await removeTree(disk, fullPath);
      else await disk.remove(fullPath);
    }
    try {
      return await disk.removeDirectory(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries === MAX_TRIES) throw error;
      // After an earlier run was killed, its copy program may still write for a moment.
      await pause();
    }
  }
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, RETRY_DELAY_MS));

/** The tries take one second in total (`MAX_TRIES` × `RETRY_DELAY_MS`). */
const MAX_TRIES = 50;
const RETRY_DELAY_MS = 20;

/** The digest of a file's bytes, as `ChangeOptions.expectedDigests` needs it. */
export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** The refusal for an error, with the path as the user wrote it. */
function refusalOf(error: unknown, targets: readonly Target[]): Refusal {
  if (!(error instanceof RefusedError))
    return { path: targets.length === 1 ? targets[0]!.change.path : '', reason: errorInWords(error, '') };
  const target = targets.find(({ file }) => file === error.path);
  return { path: target?.change.path ?? error.path, reason: error.reason };
}

/** Why writing `target` failed, as words to put after the name of the file. */
function errorInWords(error: unknown, target: string): string {
  switch (errorCode(error)) {
    case MOVED_ERROR_CODE:
      return CHANGED_MEANWHILE;
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
      return explainReadError(error).message.replace('cannot be read', 'cannot be written');
  }
}
