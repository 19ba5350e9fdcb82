/**
 * What a .htaccess may contain, by AllowOverride: our answer and a running server's, which reads
 * the file with the request. Every directive that is ever allowed in a .htaccess, and some that are
 * not, in folders with different classes.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { directives } from '../../server/src/directives';
import { directiveNotAllowedHere } from '../../server/src/rules/directive-not-allowed-here';
import { Tree } from '../../server/src/syntax/document';
import { Random } from '../support/random';
import { fileContext } from '../support/file-context';
import { findHttpd, requireHttpd, serve, type Server } from './harness';
import { lineOf } from './sample-lines';

const COUNT = Number(process.env.HTACCESS_COUNT ?? 500);
const SEED = Number(process.env.HTACCESS_SEED ?? 1);

/** The words of AllowOverride, and AllowOverrideList. */
const GRANTS: readonly (readonly [grants: readonly string[], list: readonly string[]])[] = [
  [['AuthConfig'], []],
  [['FileInfo'], []],
  [['Indexes'], []],
  [['Limit'], []],
  [['Options'], []],
  [['All'], []],
  [['FileInfo', 'Options'], []],
  [['AuthConfig', 'Limit'], []],
  [['None'], ['Redirect', 'SetEnv', 'Require', 'Options']],
  [['Nonfatal=Override', 'FileInfo'], []],
];

/**
 * Conditions and macros are other tests' matter; these end the process, or answer before the file
 * is read.
 */
const LEFT_OUT = /^(if(module|define|version|file|directive|section)|macro|use|undefmacro|error|requirenotall|perl)$/i;

const MISPLACED = /not allowed (here|in .* context)|cannot occur within/;

describe('.htaccess files on a real httpd', function () {
  this.timeout(600_000);
  let server: Server;
  const engine = new Engine({ rules: [directiveNotAllowedHere] });

  before(async function () {
    requireHttpd(this);
    const sections = GRANTS.map(
      ([grants, list], index) =>
        `<Directory "@ROOT@/htdocs/${index}">\nAllowOverride ${grants.join(' ')}\n${list.length > 0 ? `AllowOverrideList ${list.join(' ')}\n` : ''}Require all granted\n</Directory>\n`,
    );
    server = await serve(sections.join(''));
    GRANTS.forEach((_, index) => mkdirSync(path.join(server.root, `htdocs/${index}`), { recursive: true }));
  });

  after(() => server?.stop());

  it('are refused where we say so, and nowhere else', async () => {
    const installed = new Set([...findHttpd()!.loadable].map((name) => `mod_${name}`).concat('core'));
    const known = directives().filter(
      ({ name, '2.4': facts }) =>
        facts?.arguments && facts.modules.some((module) => installed.has(module)) && !LEFT_OUT.test(name),
    );
    const some = known.filter(({ '2.4': facts }) => facts!.override.length > 0 || facts!.flags.includes('ACCESS_CONF'));
    const random = new Random(SEED);
    const different: string[] = [];
    let refused = 0;
    let ended = 0;
    for (let count = 0; count < COUNT; count++) {
      const directive = random.pick(count % 10 === 0 ? known : some);
      const index = random.below(GRANTS.length);
      const [grants, list] = GRANTS[index];
      const line = lineOf(directive);
      writeFileSync(path.join(server.root, `htdocs/${index}/.htaccess`), line);
      const before = server.errorLog().length;
      // A few values end the process that reads them.
      const answer = await server.request({ path: `/${index}/` }).catch(() => null);
      if (answer === null) {
        ended++;
        continue;
      }
      const { status } = answer;
      const said = server.errorLog().slice(before);
      const isRefused = status === 500 && MISPLACED.test(said);
      if (isRefused) refused++;
      const around = fileContext({
        overrides: grants.map((word) => word.toLowerCase()).filter((word) => word !== 'none'),
      });
      const findings = engine
        .analyze(Tree.parse(line), {
          isHtaccess: true,
          fileContext: { ...around, overrideList: new Set(list.map((name) => name.toLowerCase())) },
        })
        .findings();
      // If its function refuses the values, it may not reach its check of the place.
      const isOpen = findings.length > 0 && status === 500 && !isRefused;
      if (findings.length > 0 !== isRefused && !isOpen)
        different.push(
          `${line.trim()} with AllowOverride ${grants.join(' ')} ${list.join(' ')}: ${status} ${said.trim().split('\n').at(-1)}; ours ${findings.map(({ message }) => message).join()}`,
        );
    }
    assert.ok(ended < COUNT / 20, `${ended} ended the process`);
    assert.ok(refused > COUNT / 10, `${refused} refused`);
    assert.equal(different.length, 0, different.join('\n'));
  });
});
