/**
 * A server root in a temporary folder: the configuration under test, the files around it, and a
 * prelude with everything that a test does not need to repeat (modules, names, logs).
 *
 * The prelude is given by `-C 'Include …'`, so the configuration under test is the server's main
 * file and keeps its own line numbers. An error in the prelude is reported for its own file.
 */
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { accountLines, findHttpd, loadModuleLines, type Httpd, type ModuleSet, type Mpm } from './installation';

export interface SandboxOptions {
  /** Default: all. */
  readonly modules?: ModuleSet;
  /** Default: event. With `none` the configuration under test loads one. */
  readonly mpm?: Mpm | 'none';
  /**
   * Other files by their path below the server root; a path that ends in / is an empty folder.
   * `htdocs/` is the DocumentRoot.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Directives that the prelude leaves out. */
  readonly without?: readonly ('ServerName' | 'Listen')[];
  /** Where below the server root the configuration under test is put. Default: `httpd.conf`. */
  readonly name?: string;
  /**
   * Pairs of a text and what to write for it, in the configuration and in `files`: for paths of
   * another machine. Lines must stay lines.
   */
  readonly replace?: readonly (readonly [string, string])[];
}

/**
 * Stand for the server root and its port in the configuration, in `files` and in the second half of
 * a `replace` pair.
 */
const ROOT = '@ROOT@';
const PORT = '@PORT@';

export class Sandbox {
  readonly root: string;
  readonly httpd: Httpd;
  /** The configuration under test. */
  readonly configFile: string;
  readonly errorLogFile: string;
  readonly prelude: string;

  /** The server listens on this port of 127.0.0.1. `more` are further lines of the prelude. */
  constructor(
    private readonly options: SandboxOptions,
    private readonly port: number,
    more: readonly string[] = [],
  ) {
    const httpd = findHttpd();
    if (!httpd) throw new Error('no httpd 2.4 here; call requireHttpd first');
    this.httpd = httpd;
    const loadModules = loadModuleLines(httpd, options.modules, options.mpm);
    this.root = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'httpd-upgrade-test-'));
    // Started by root, the server's children run under another account and must be able to read
    // this.
    chmodSync(this.root, 0o755);
    this.configFile = this.path(options.name ?? 'httpd.conf');
    this.errorLogFile = this.path('logs/error_log');
    for (const folder of ['htdocs/', 'logs/', 'run/']) this.write(folder, '');
    symlinkSync(httpd.modulesDir, this.path('modules'));
    this.write('conf/mime.types', 'text/html html htm\ntext/plain txt\n');
    this.prelude = this.preludeOf(loadModules, more);
    this.write('prelude.conf', this.prelude);
    for (const [file, content] of Object.entries(options.files ?? {})) this.write(file, this.expand(content));
  }

  /** Writes the configuration under test. */
  configure(config: string): void {
    this.write(path.relative(this.root, this.configFile), this.expand(config));
  }

  /** What to start httpd with. */
  arguments(...more: string[]): string[] {
    return ['-d', this.root, '-C', `Include "${this.path('prelude.conf')}"`, '-f', this.configFile, ...more];
  }

  /** From an offset in bytes. */
  errorLog(from = 0): string {
    const size = this.errorLogSize();
    if (size <= from) return '';
    const log = openSync(this.errorLogFile, 'r');
    const said = Buffer.alloc(size - from);
    const length = readSync(log, said, 0, said.length, from);
    closeSync(log);
    return said.toString('utf8', 0, length);
  }

  errorLogSize(): number {
    return statSync(this.errorLogFile, { throwIfNoEntry: false })?.size ?? 0;
  }

  path(relative: string): string {
    return path.join(this.root, relative);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }

  private write(relative: string, content: string): void {
    const file = this.path(relative);
    mkdirSync(relative.endsWith('/') ? file : path.dirname(file), { recursive: true });
    if (!relative.endsWith('/')) writeFileSync(file, content);
  }

  private expand(text: string): string {
    const pairs = [...(this.options.replace ?? []), [ROOT, this.root] as const, [PORT, String(this.port)] as const];
    return pairs.reduce((result, [from, to]) => result.replaceAll(from, to), text);
  }

  private preludeOf(loadModules: readonly string[], more: readonly string[]): string {
    return [
      ...loadModules,
      ...accountLines(),
      ...(this.options.without?.includes('ServerName') ? [] : ['ServerName localhost']),
      ...(this.options.without?.includes('Listen') ? [] : [`Listen 127.0.0.1:${this.port}`]),
      `DefaultRuntimeDir "${this.path('run')}"`,
      `PidFile "${this.path('run/httpd.pid')}"`,
      `ErrorLog "${this.errorLogFile}"`,
      `DocumentRoot "${this.path('htdocs')}"`,
      ...more,
      '<IfModule mod_mime.c>',
      `TypesConfig "${this.path('conf/mime.types')}"`,
      '</IfModule>',
      '',
    ].join('\n');
  }
}
