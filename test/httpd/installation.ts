/**
 * Finds the httpd 2.4 of this machine and says how its modules are loaded. Nothing here starts a
 * server.
 *
 * HTTPD_BIN (the program) and HTTPD_MODULES (the folder with mod_*.so) overrule the search.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lacks } from '../support/lacks';

/** An installed httpd 2.4. */
export interface Httpd {
  readonly binary: string;
  readonly modulesDir: string;
  /** Such as `2.4.58`. */
  readonly version: string;
  /**
   * Modules inside the program, such as `core` and `unixd`; a LoadModule line for one of them is an
   * error.
   */
  readonly builtin: ReadonlySet<string>;
  /** Modules in modulesDir by their short names: `mod_authz_core.so` is `authz_core`. */
  readonly loadable: ReadonlySet<string>;
}

/**
 * `all`, all but the module for 2.2's access directives, or exactly those named, with what they
 * cannot be loaded without.
 */
export type ModuleSet = 'all' | 'all-but-access_compat' | readonly string[];

export type Mpm = 'event' | 'worker' | 'prefork';

const PROGRAMS = ['httpd', 'apache2'];
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/local/apache2/bin', '/opt/homebrew/bin'];
const MODULE_FOLDERS = [
  '/usr/lib/apache2/modules',
  '/usr/lib64/httpd/modules',
  '/usr/lib/httpd/modules',
  '/usr/lib64/apache2',
  '/usr/libexec/apache2',
  '/usr/local/libexec/apache24',
  '/usr/local/apache2/modules',
  '/opt/homebrew/lib/httpd/modules',
];
const ACCOUNTS = ['www-data', 'apache', 'http', 'daemon', 'nobody'];

let found: Httpd | null | undefined;

/** The installed httpd 2.4, or undefined. Looks once. */
export function findHttpd(): Httpd | undefined {
  if (found === undefined) found = search() ?? null;
  return found ?? undefined;
}

/**
 * The installed httpd 2.4 for a mocha hook or test; without one the test is skipped, and fails in
 * CI.
 */
export function requireHttpd(test: Mocha.Context): Httpd {
  const httpd = findHttpd();
  if (httpd) return httpd;
  return lacks(
    test,
    'no httpd 2.4 here: install apache2-bin (Debian, Ubuntu) or httpd (Fedora, RHEL), or set HTTPD_BIN and HTTPD_MODULES',
  );
}

/** The release of 2.4 that this httpd is: 68 of 2.4.68. */
export function releaseOf({ version }: Httpd): number {
  return Number(version.split('.')[2]);
}

/**
 * The text of this machine's httpd: `now` since the release of 2.4, and `before` in earlier ones.
 * Not used without an httpd.
 */
export function sinceRelease<T>(release: number, now: T, before: T): T {
  const httpd = findHttpd();
  return httpd && releaseOf(httpd) < release ? before : now;
}

/** mod_auth_digest has lost what it never did, and its Mutex and AuthName with that. */
export const NEW_AUTH_DIGEST = 71;

/** The LoadModule lines for a set of modules and an MPM, in an order that works. */
export function loadModuleLines(httpd: Httpd, modules: ModuleSet = 'all', mpm: Mpm | 'none' = 'event'): string[] {
  const names = new Set(moduleNames(httpd, modules));
  if (mpm !== 'none') names.add(`mpm_${mpm}`);
  // Without mod_unixd no server starts on Unix; Debian builds it in.
  if (httpd.loadable.has('unixd')) names.add('unixd');
  for (const name of names) {
    const base = prerequisite(name);
    if (base) names.add(base);
  }
  return [...names]
    .filter((name) => !httpd.builtin.has(name))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => `LoadModule ${name}_module "${path.join(httpd.modulesDir, `mod_${name}.so`)}"`);
}

/**
 * User and Group lines, which a server that root starts must have, and which it ignores otherwise.
 */
export function accountLines(): string[] {
  if (process.getuid?.() !== 0) return [];
  const user = firstKnown('/etc/passwd', ACCOUNTS);
  const group = firstKnown('/etc/group', [...ACCOUNTS, 'nogroup']);
  return user && group ? [`User ${user}`, `Group ${group}`] : [];
}

function moduleNames(httpd: Httpd, modules: ModuleSet): readonly string[] {
  if (typeof modules !== 'string') {
    const missing = modules.filter((name) => !httpd.loadable.has(name) && !httpd.builtin.has(name));
    if (missing.length > 0) throw new Error(`not in ${httpd.modulesDir}: ${missing.join(', ')}`);
    return modules;
  }
  const without = modules === 'all' ? /^mpm_/ : /^mpm_|^access_compat$/;
  return [...httpd.loadable].filter((name) => !without.test(name));
}

/**
 * Some modules use symbols of another one: mod_cache_disk those of mod_cache, mod_proxy_http those
 * of mod_proxy.
 */
function prerequisite(name: string): string | undefined {
  if (name.startsWith('lbmethod_')) return 'proxy_balancer';
  if (name === 'proxy_html') return undefined;
  return /^(cache|dav|proxy|session)_/.exec(name)?.[1];
}

/**
 * By name comes `cache` before `cache_disk`; only the load-balancing methods have to wait for
 * mod_proxy_balancer.
 */
function rank(name: string): number {
  if (name.startsWith('mpm_')) return 0;
  return name.startsWith('lbmethod_') ? 2 : 1;
}

function search(): Httpd | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS];
  const programs = PROGRAMS.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  for (const binary of process.env.HTTPD_BIN ? [process.env.HTTPD_BIN] : programs) {
    const httpd = inspect(binary);
    if (httpd) return httpd;
  }
  return undefined;
}

function inspect(binary: string): Httpd | undefined {
  if (!isExecutable(binary)) return undefined;
  const version = /Apache\/(2\.4\.\d+)/.exec(output(binary, '-v'))?.[1];
  const modulesDir = (process.env.HTTPD_MODULES ? [process.env.HTTPD_MODULES] : MODULE_FOLDERS).find(
    (folder) => shortNames(folder).length > 0,
  );
  if (!version || !modulesDir) return undefined;
  const builtin = [...output(binary, '-l').matchAll(/^ +(?:mod_)?(\w+)\.c$/gm)].map((match) => match[1]);
  return { binary, modulesDir, version, builtin: new Set(builtin), loadable: new Set(shortNames(modulesDir)) };
}

function shortNames(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((file) => /^mod_(\w+)\.so$/.exec(file)?.[1] ?? []);
  } catch {
    return [];
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function output(binary: string, option: string): string {
  return spawnSync(binary, [option], { encoding: 'utf8', timeout: 10_000 }).stdout ?? '';
}

function firstKnown(database: string, names: readonly string[]): string | undefined {
  try {
    const entries = new Set(
      readFileSync(database, 'utf8')
        .split('\n')
        .map((line) => line.split(':')[0]),
    );
    return names.find((name) => entries.has(name));
  } catch {
    return undefined;
  }
}
