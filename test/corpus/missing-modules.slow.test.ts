/**
 * Whole servers of the corpus on a real httpd 2.4, unchanged: the program reports every line that
 * it refuses because of a missing module, and httpd refuses a line for every module that the
 * program is certain about.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { directive } from '../../server/src/directives';
import { Tree } from '../../server/src/syntax/document';
import { Folder } from '../cli/run';
import { emptyLogicalLine } from '../httpd/config-test';
import { findHttpd, requireHttpd, type Httpd } from '../httpd/harness';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { rows } from './files';

/** The server stops at each line that it refuses. */
const MOST = 400;

interface Finding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly cause: string | null;
  readonly help: string | null;
  readonly serverText: string | null;
}

describeOver('corpus', 'modules that trees of the corpus miss', function () {
  this.timeout(600_000);
  let folder: Folder;
  before(function () {
    requireHttpd(this);
  });
  beforeEach(() => {
    folder = new Folder();
  });
  afterEach(() => folder.remove());

  // For a template the server's text is unknown: its modules are not reported.
  const isTemplate = (root: string) =>
    Tree.parse(readFileSync(path.join(corpusFolder, root), 'latin1')).root.templateLineCount > 0;
  for (const [name, root, serverRoot, maps] of rows('TREES.tsv').filter(([, root]) => !isTemplate(root))) {
    it(name, async () => {
      const httpd = findHttpd()!;
      const [top] = root.split('/');
      cpSync(path.join(corpusFolder, top), folder.at(top), { recursive: true, dereference: true });
      const { out } = await folder.run(['check', '--format', 'json', root]);
      const findings = (JSON.parse(out) as { files: { findings: Finding[] }[] }).files.flatMap((file) => file.findings);
      const said = findings
        .filter(({ rule }) => rule === 'missing-module')
        .map(({ message, cause, help }) => `${message} ${cause ?? ''} ${help ?? ''}`)
        .join('\n');
      // On Debian the text is a command.
      const enabled = [...said.matchAll(/a2enmod ([^`]*)`/g)].flatMap(([, names]) => names!.split(' '));
      const isEnabled = (module: string) => enabled.includes(module.replace('mod_', ''));
      // Old access lines have their own rule.
      const isOldAccess = findings.some(({ rule }) => rule === 'order-allow-deny');
      for (const file of filesBelow(folder.at(top))) {
        const text = readFileSync(file, 'latin1');
        if (!text.includes('\0'))
          writeFileSync(file, forThisMachine(text, serverRoot, folder.at(maps), httpd), 'latin1');
      }
      const refused = refusedForModules(folder.at(root), httpd);
      const untold = refused.filter(
        ({ modules }) =>
          !modules.some((module) => said.includes(module) || isEnabled(module)) &&
          !(modules.includes('mod_access_compat') && isOldAccess),
      );
      assert.deepEqual(untold, [], 'what nobody said');
      const certain = findings.flatMap(({ rule, severity, message, serverText }) => {
        const module =
          rule === 'missing-module' && severity === 'error' && /^Invalid command/.test(serverText ?? '')
            ? /needs (mod_\w+)/.exec(message)?.[1]
            : undefined;
        return module ?? [];
      });
      const isRefused = (module: string) =>
        httpd.builtin.has(module.replace('mod_', '')) || refused.some(({ modules }) => modules.includes(module));
      assert.deepEqual(
        certain.filter((module) => !isRefused(module)),
        [],
        'what the server takes',
      );
    });
  }
});

/**
 * What only the machine is the reason of: where files are, who runs the server, what modules are
 * there.
 */
function forThisMachine(text: string, serverRoot: string, here: string, { modulesDir, builtin }: Httpd): string {
  const moved = (serverRoot.startsWith('/') ? text.replaceAll(`${serverRoot}/`, `${here}/`) : text).replace(
    /(?<=[\s"])\/etc\/(apache2|httpd)\//g,
    `${here}/`,
  );
  return moved
    .replace(/^(\s*ServerRoot\s+).*$/gim, `$1"${here}"`)
    .replace(/^(\s*)(User|Group)[ \t]+\S+/gim, '$1$2 nobody')
    .replace(/^(\s*Group) nobody/gim, '$1 #65534')
    .replace(
      /^(\s*)LoadModule[ \t]+(\w+)_module[ \t]+(\S+.*)$/gim,
      (whole, indent: string, identifier: string, file: string) => {
        const own = path.join(modulesDir, path.basename(file.trim().replaceAll('"', '')));
        return builtin.has(identifier) || identifier.startsWith('mpm_') || !existsSync(own)
          ? `${indent}# ${whole.trim()}`
          : `${indent}LoadModule ${identifier}_module "${own}"`;
      },
    );
}

function refusedForModules(
  root: string,
  { binary, modulesDir }: Httpd,
): { text: string; modules: readonly string[] }[] {
  const found: { text: string; modules: readonly string[] }[] = [];
  for (let runs = 0; runs < MOST; runs++) {
    const { status, stderr } = spawnSync(
      binary,
      ['-C', `LoadModule mpm_prefork_module "${path.join(modulesDir, 'mod_mpm_prefork.so')}"`, '-t', '-f', root],
      { encoding: 'latin1' },
    );
    const place = status === 0 ? undefined : [...stderr.matchAll(/Syntax error on line (\d+) of ([^\n:]+):/g)].at(-1);
    if (!place) return found;
    const lines = readFileSync(place[2], 'latin1').split('\n');
    const at = Number(place[1]) - 1;
    if (lines[at] === '') return found;
    const command = /Invalid command '(<?)(\w+)/.exec(stderr.slice(place.index));
    const facts = command && directive(command[2], { section: command[1] === '<' })?.['2.4'];
    if (facts?.arguments)
      found.push({ text: `${path.basename(place[2])}:${at + 1}: ${lines[at].trim()}`, modules: facts.modules });
    emptyLogicalLine(lines, at);
    writeFileSync(place[2], lines.join('\n'), 'latin1');
  }
  throw new Error(`more than ${MOST} lines are refused`);
}

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file).isFile());
}
