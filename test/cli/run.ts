/** Runs the command line as a process, in a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../support/built';
import { lacks } from '../support/lacks';
import { stateHome } from '../support/state';
import { isCold, setIn, warmRun } from '../support/warm';

export interface Result {
  /** Exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As this user and group, where the tests run as root. */
  readonly uid?: number;
  /**
   * In a process of its own, where the test asks for what only a process has; so is what has
   * variables for node.
   */
  readonly isApart?: boolean;
}

/**
 * The user id of `nobody` on most systems: an unprivileged user, for tests that root must not run.
 */
export const OTHER_USER = 65534;

export const isRoot = process.getuid?.() === 0;

/** Runs `httpd-upgrade` with the arguments. There is no input to wait for. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  return runBytes(args, options).then(({ code, out, err }) => ({ code, out: out.toString('utf8'), err }));
}

export function runBytes(
  args: readonly string[],
  { cwd, env, uid, isApart = isCold || isForNode(env) }: RunOptions = {},
): Promise<{ code: Result['code']; out: Buffer; err: string }> {
  const environment = {
    ...process.env,
    NO_COLOR: undefined,
    TERM: 'xterm',
    HTTPD_UPGRADE_STATE: stateHome(uid),
    ...env,
  };
  if (!isApart && uid === undefined)
    return warmRun({ args, cwd, env: setIn(environment) }).then(({ code, out, err }) => ({
      code,
      out: Buffer.from(out),
      err: Buffer.from(err).toString('utf8'),
    }));
  return new Promise((resolve, reject) => {
    const [node, cli] = uid === undefined ? [process.execPath, bundle('cli.js')] : forOthers();
    const child = spawn(node, [cli, ...args], {
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 300_000,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ code: code ?? signal, out: Buffer.concat(out), err: Buffer.concat(err).toString('utf8') }),
    );
  });
}

/**
 * What node itself reads, it reads when a process begins: the counting of work, what is loaded
 * before all else.
 */
function isForNode(env: RunOptions['env'] = {}): boolean {
  return Object.keys(env).some((name) => name.startsWith('NODE_'));
}

let others: readonly [node: string, cli: string] | undefined;

/**
 * The program where every user may read it: the checkout, and node itself, may lie below a home
 * that others cannot enter.
 */
function forOthers(): readonly [node: string, cli: string] {
  if (others) return others;
  const place = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-others-'));
  process.on('exit', () => rmSync(place, { recursive: true, force: true }));
  chmodSync(place, 0o755);
  cpSync(path.dirname(bundle('cli.js')), path.join(place, 'dist'), { recursive: true });
  const node = path.join(place, 'node');
  const isReachable = spawnSync(process.execPath, ['--version'], { uid: OTHER_USER, gid: OTHER_USER }).status === 0;
  if (!isReachable) copyFileSync(process.execPath, node);
  others = [isReachable ? process.execPath : node, path.join(place, 'dist', 'cli.js')];
  return others;
}

/** A folder that is gone after the tests of the suite that asks for it. */
export class Folder {
  readonly path: string;

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    this.path = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-test-'));
    // Others may look into it: some tests run the program as somebody else.
    chmodSync(this.path, 0o755);
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  /** The path of a file in it. */
  at(name: string): string {
    return path.join(this.path, name);
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  text(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  bytes(name: string): Buffer {
    return readFileSync(this.at(name));
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    return run(args, { cwd: this.path, ...options });
  }

  remove(): void {
    chmodSync(this.path, 0o755);
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A suite with a folder for each of its tests. */
export function withFolder(body: (folder: () => Folder) => void): () => void {
  return () => {
    let folder: Folder;
    beforeEach(() => {
      folder = new Folder();
    });
    afterEach(() => folder.remove());
    body(() => folder);
  };
}

/** Packages of Debian, of tools that are named otherwise. */
const PACKAGES: Readonly<Record<string, string>> = {
  '/usr/sbin/apache2': 'apache2-bin',
  'apt-get': 'apt, on Debian or Ubuntu',
  chattr: 'e2fsprogs',
  'dpkg-deb': 'dpkg',
  groff: 'groff-base',
  script: 'bsdutils',
};

/** A test that needs a tool of the system: without it, it is skipped, and on CI it fails. */
export function needs(test: Mocha.Context, tool: string): void {
  if (spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0) return;
  lacks(test, `${tool} is missing: install ${PACKAGES[tool] ?? tool}`);
}

/** The same for what only root can arrange. */
export function needsRoot(test: Mocha.Context): void {
  if (!isRoot) lacks(test, 'this can only be arranged by root');
}

/** A main file of Debian, copied without mods-enabled and without its DocumentRoot. */
export const DEBIAN_COPY = `ServerRoot "/etc/apache2"
Include mods-enabled/*.conf
Listen 80
DocumentRoot /var/www/site
<Directory />
  AllowOverride None
</Directory>
<Directory /var/www/site>
  AllowOverride All
  Order allow,deny
  Allow from all
</Directory>
<Directory /var/www/site/in>
  Order deny,allow
  Deny from all
  Allow from 192.0.2.0/24
</Directory>
`;

/** The answers about the missing parts of `DEBIAN_COPY`. */
export const DEBIAN_ANSWERS = [
  '--answer',
  'include-unseen:mods-enabled=no-access-control',
  '--answer',
  'htaccess-unseen:/var/www/site=none',
];
