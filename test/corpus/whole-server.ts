/**
 * A whole configuration at its own place, for `httpd -t` of this machine, after the tasks that the
 * plan has for the server: modules that this machine does not have are not loaded, and lines whose
 * files, accounts or modules only the server has are left out.
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  isUncheckedBecauseOfMachine,
  readServerMessages,
  emptyLogicalLine,
} from '../../server/src/analysis/server-check';
import { directive } from '../../server/src/directives';
import type { Httpd } from '../httpd/harness';
import type { Chroot } from '../support/chroot';

const LOAD_MODULE = /^([ \t]*LoadModule[ \t]+\w+[ \t]+)"?([^\s"]+)"?/i;
const MOST = 200;

export interface WholeServer {
  readonly main: string;
  /** The files that it reads, by their paths there. */
  readonly files: readonly string[];
}

/** Lines that `httpd -t` refuses, each as `file:line: text: message`, in its order. */
export function refusedLines(inside: Chroot, httpd: Httpd, { main, files }: WholeServer): string[] {
  for (const file of files) {
    const text = readFileSync(inside.at(file), 'latin1');
    writeFileSync(
      inside.at(file),
      text
        .split('\n')
        .map((line) => ofThisMachine(line, httpd))
        .join('\n'),
      'latin1',
    );
  }
  const found: string[] = [];
  // On Windows the MPM is in the program.
  const isOfWindows = /^\s*ServerRoot\s+"?[A-Z]:/im.test(readFileSync(inside.at(main), 'latin1'));
  const variables = isOfWindows ? ['-C', `LoadModule mpm_event_module ${httpd.modulesDir}/mod_mpm_event.so`] : [];
  for (let run = 0; run < MOST; run++) {
    // Heroku's ServerRoot is `.`, the directory that its httpd is started in.
    const words = ['-C', path.posix.dirname(main), httpd.binary, ...variables, '-t', '-f', main];
    const { code, err } = inside.run('env', words);
    const { error } = readServerMessages(err, code === 0);
    if (code === 0 || !error) return code === 0 ? found : [...found, err];
    if (isProvided(inside, error.message)) continue;
    const [, variable] = /Config variable \$\{(\w+)\} is not defined/.exec(err) ?? [];
    if (variable !== undefined && !variables.includes(`Define ${variable} 8080`)) {
      variables.push('-C', `Define ${variable} 8080`);
      continue;
    }
    if (error.file === undefined || error.line === undefined) return [...found, error.message];
    const at = inside.at(error.file);
    const lines = readFileSync(at, 'latin1').split('\n');
    const text = lines[error.line - 1]!.trim();
    if (!isUncheckedBecauseOfMachine(error.message) && !isOfOthers(text, error.message))
      found.push(`${path.basename(error.file)}:${error.line}: ${text}: ${error.message}`);
    const before = lines.join('\n');
    emptyLogicalLine(lines, error.line - 1);
    if (lines.join('\n') === before) return [...found, `not removed: ${text}`];
    writeFileSync(at, lines.join('\n'), 'latin1');
  }
  return found;
}

/** a2enmod and a2dismod of the plan, in a directory with mods-enabled. */
export function runModuleCommands(inside: Chroot, directory: string, commands: readonly string[]): void {
  for (const command of commands) {
    const [program, ...names] = command.split(' ');
    for (const name of names) {
      const file = inside.at(`${directory}/mods-enabled/${name}.load`);
      if (program === 'a2dismod') rmSync(file, { force: true });
      if (program !== 'a2enmod') continue;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`);
    }
  }
}

/** Adds the account or directory of the server that this machine lacks, if that is the error. */
function isProvided(inside: Chroot, message: string): boolean {
  const [, directory] = /Cannot access directory '([^']+)'/.exec(message) ?? [];
  const [, kind, name] = /bad (user|group) name (\S+)/.exec(message) ?? [];
  if (directory !== undefined) mkdirSync(inside.at(directory), { recursive: true });
  if (kind === 'user') appendFileSync(inside.at('/etc/passwd'), `${name}:x:48:48::/:/bin/false\n`);
  if (kind === 'group') appendFileSync(inside.at('/etc/group'), `${name}:x:48:\n`);
  return directory !== undefined || kind !== undefined;
}

/** LoadModule lines with the modules of this machine; empty for others. */
function ofThisMachine(line: string, { modulesDir, builtin, loadable }: Httpd): string {
  const [, before, file] = LOAD_MODULE.exec(line) ?? [];
  if (before === undefined || file === undefined) return line;
  const name = /mod_(\w+)\.(?:so|dll)$/i.exec(file)?.[1] ?? '';
  return builtin.has(name) || !loadable.has(name) ? '' : `${before}${modulesDir}/mod_${name}.so`;
}

/** A directive that no module of httpd has: its module is not on this machine. */
function isOfOthers(text: string, message: string): boolean {
  const [, section, name = ''] = /^Invalid command '(<?)\/?([^'>\s]+)/.exec(message) ?? [];
  return name !== '' && directive(name, { section: section === '<' }) === undefined && text !== '';
}
