/**
 * Runs the program on a tree: the command line in this process, or the built one in its own
 * process.
 */
import { main } from '../../server/src/cli/main';
import { nodeDisk } from '../../server/src/host/disk';
import { OTHER_USER, run } from '../cli/run';
import { stateHome } from '../support/state';

export interface Said {
  readonly code: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** Not as root, where the tests run as root. */
  readonly asOther?: boolean;
  /** As a process. */
  readonly isBuilt?: boolean;
}

/**
 * From now on whatever is written here is written without waiting for the disk, and copied without
 * a program: thousands of trees have no use for either, and test/host has its own tests of both.
 * Returns how to have it as it was.
 */
export function writeQuickly(): () => void {
  const { sync, copy } = nodeDisk;
  Object.assign(nodeDisk, { sync: async () => {}, copy: async () => false });
  return () => Object.assign(nodeDisk, { sync, copy });
}

/** Runs the command line. In this process one at a time: it writes to the process's own streams. */
export async function command(args: readonly string[], { cwd, asOther, isBuilt }: RunOptions): Promise<Said> {
  if (isBuilt) return run(args, { cwd, uid: asOther ? OTHER_USER : undefined });
  const { stdout, stderr } = process;
  const said = { out: '', err: '' };
  const into =
    (stream: 'out' | 'err') =>
    (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
      said[stream] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
      if (done) process.nextTick(done);
      return true;
    };
  const before = { home: process.env.HTTPD_UPGRADE_STATE, cwd: process.cwd(), out: stdout.write, err: stderr.write };
  process.chdir(cwd);
  if (asOther) {
    process.env.HTTPD_UPGRADE_STATE = stateHome(OTHER_USER);
    process.setegid!(OTHER_USER);
    process.seteuid!(OTHER_USER);
  }
  stdout.write = into('out');
  stderr.write = into('err');
  try {
    return {
      code: await main(args),
      ...said,
      get out() {
        return said.out;
      },
      get err() {
        return said.err;
      },
    };
  } finally {
    stdout.write = before.out;
    stderr.write = before.err;
    if (asOther) {
      process.seteuid!(0);
      process.setegid!(0);
    }
    process.env.HTTPD_UPGRADE_STATE = before.home;
    process.chdir(before.cwd);
  }
}
