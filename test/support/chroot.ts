/**
 * A copy of this machine's file system with changes, for programs that run in it: writing there
 * changes nothing here, and it is removed when it is closed, or when this process ends. Needs root,
 * and overlays.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repositoryRoot } from './paths';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Whether /tmp is empty inside, but for the temporary directory: main files of other tests there
 * raise questions. Not if the program itself is below it.
 */
const HIDES_TMP = [repositoryRoot, process.execPath].every((each) => !realpathSync(each).startsWith('/tmp/'));

export class Chroot {
  /** Where it can be read and written from outside. */
  readonly root: string;
  private readonly inside: string;

  private constructor(
    private readonly holder: ChildProcess,
    private readonly folder: string,
  ) {
    this.inside = path.join(folder, 'merged');
    this.root = `/proc/${holder.pid}/root${this.inside}`;
  }

  /** null where this machine does not let us. */
  static async open(): Promise<Chroot | null> {
    if (process.getuid?.() !== 0 || process.platform !== 'linux') return null;
    const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'httpd-upgrade-chroot-'));
    mkdirSync(path.join(folder, 'merged'));
    // What is on top lies in memory of its own: an overlay takes no other overlay for that.
    const script =
      'mount --make-rprivate / && mount -t tmpfs tmpfs "$0" && mkdir "$0/upper" "$0/work" "$0/merged" && mount -t overlay overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" "$0/merged" && mount --rbind /dev "$0/merged/dev" && mount --rbind /proc "$0/merged/proc" && if test -n "$1"; then mount -t tmpfs -o mode=1777 tmpfs "$0/merged/tmp" && mkdir -p "$0/merged$1"; fi && echo ready && exec cat';
    const hidden = HIDES_TMP ? os.tmpdir() : '';
    const holder = spawn('unshare', ['-m', 'sh', '-c', script, folder, hidden], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const isReady = await new Promise<boolean>((resolve) => {
      holder.stdout!.once('data', () => resolve(true));
      holder.once('error', () => resolve(false));
      holder.once('exit', () => resolve(false));
    });
    const made = new Chroot(holder, folder);
    if (isReady) return made;
    made.close();
    return null;
  }

  /** A path of the inside, from outside. */
  at(file: string): string {
    return path.join(this.root, file);
  }

  run(program: string, args: readonly string[]): Ran {
    const { status, stdout, stderr } = spawnSync('nsenter', this.words(program, args), {
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: status, out: stdout, err: stderr };
  }

  start(program: string, args: readonly string[]): ChildProcess {
    return spawn('nsenter', this.words(program, args), { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  }

  /** Ends what was started, and what it started: mod_cgid has a process of its own. */
  end({ pid, exitCode, signalCode }: ChildProcess): void {
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  }

  close(): void {
    this.holder.stdin?.end();
    this.holder.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private words(program: string, args: readonly string[]): string[] {
    return ['-t', String(this.holder.pid), '-m', 'chroot', this.inside, program, ...args];
  }
}
