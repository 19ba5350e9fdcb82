/**
 * Links that lead out of the directory that was given: what lies there is shown, and not changed.
 * The counts on all surfaces are those of what `fix --write` writes.
 */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { withFolder, type Folder, type Result } from './run';

const MAIN = `ServerRoot "$HERE/site"
Listen 80
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule authz_core_module modules/mod_authz_core.so
MaxClients 5
`;
const OUTSIDE = '<VirtualHost *:80>\nSSLMutex default\nMaxRequestsPerChild 5\n</VirtualHost>\n';
const LONE = '<VirtualHost *:80>\nMaxClients 1\n</VirtualHost>\n';

interface Tree {
  readonly files: Readonly<Record<string, string>>;
  /** Names of links, with their targets. */
  readonly links: Readonly<Record<string, string>>;
  /** The file outside, from which no fix may be taken. */
  readonly outside: string;
}

const TREES: Readonly<Record<string, Tree>> = {
  'a directory that the configuration includes': {
    files: { 'site/httpd.conf': `${MAIN}Include run/*.conf\n`, 'var/run/a.conf': OUTSIDE },
    links: { 'site/run': '../var/run' },
    outside: 'var/run/a.conf',
  },
  'a file that the configuration includes': {
    files: { 'site/httpd.conf': `${MAIN}Include a.conf\n`, 'elsewhere/a.conf': OUTSIDE },
    links: { 'site/a.conf': '../elsewhere/a.conf' },
    outside: 'elsewhere/a.conf',
  },
  'a file that no configuration reads': {
    files: { 'site/a.conf': LONE, 'elsewhere/b.conf': OUTSIDE },
    links: { 'site/b.conf': '../elsewhere/b.conf' },
    outside: 'elsewhere/b.conf',
  },
  'a .htaccess file': {
    files: {
      'site/www/.htaccess': 'Order allow,deny\nDeny from all\n',
      'app/.htaccess': 'Order allow,deny\nDeny from all\nphp_flag x on\n',
    },
    links: { 'site/www/app': '../../app' },
    outside: 'app/.htaccess',
  },
  'access control of the configuration': {
    files: {
      'site/httpd.conf': `${MAIN}Include a.conf\n`,
      'elsewhere/a.conf': '<Location /a>\nOrder allow,deny\nDeny from all\n</Location>\nMaxRequestsPerChild 5\n',
    },
    links: { 'site/a.conf': '../elsewhere/a.conf' },
    outside: 'elsewhere/a.conf',
  },
};

interface PlanJson {
  readonly summary: { readonly ready: number; readonly waiting: number };
  readonly configurations: readonly {
    readonly ready: readonly { readonly file: string }[];
    readonly waiting: readonly { readonly file: string }[];
    readonly dormant?: readonly { readonly file: string; readonly lines: number }[];
    readonly byHand: readonly { readonly file: string; readonly help?: string }[];
  }[];
}

interface CheckJson {
  readonly files: readonly {
    readonly path: string;
    readonly findings: readonly { readonly fix: string; readonly help: string | null }[];
  }[];
}

const ANSWERS = [[], ['--assume-standalone']] as const;

describe(
  'links that lead out of the directory that was given',
  withFolder((folder) => {
    for (const [name, tree] of Object.entries(TREES))
      for (const answers of ANSWERS)
        it(`have one count on all surfaces: ${[name, ...answers].join(' ')}`, async () => {
          make(folder(), tree);
          const before = folder().text(tree.outside);
          const run = (...words: string[]) => folder().run([...words, ...answers, '.'], { cwd: folder().at('site') });
          const plan = JSON.parse((await run('plan', '--format', 'json')).out) as PlanJson;
          const ready = plan.summary.ready;
          const items = plan.configurations.flatMap((each) => [...each.ready, ...each.waiting]);
          const isOutside = (file: string) =>
            path.basename(file) === path.basename(tree.outside) && !/^www\/\.htaccess$/.test(file);
          const planned = items.filter(({ file }) =>
            tree.outside.endsWith('.conf') ? isOutside(file) : /app/.test(file),
          );
          assert.deepEqual(planned, [], 'the plan counts a fix of the file outside');
          const check = JSON.parse((await run('check', '--format', 'json')).out) as CheckJson;
          const safe = check.files.flatMap(({ findings }) => findings.filter(({ fix }) => fix === 'safe'));
          assert.equal(safe.length, ready, 'check as JSON');
          assert.equal(countInCheck(await run('check')), ready, 'check');
          assert.equal(Number(/^(\d+) fix/m.exec((await run('fix', '--diff')).err)?.[1] ?? 0), ready, 'fix --diff');
          const json = JSON.parse((await run('fix', '--diff', '--format', 'json')).out) as {
            files: { fixes: number }[];
          };
          assert.equal(
            json.files.reduce((sum, { fixes }) => sum + fixes, 0),
            ready,
            'fix --diff as JSON',
          );
          const report = (await run('plan', '--format', 'markdown')).out;
          assert.equal(
            Number(/^- (?:.* · )?(\d+) fix(?:es)? ready(?: · .*)?\.$/m.exec(report)?.[1] ?? 0),
            ready,
            'the report',
          );
          const written = await run('fix', '--write');
          assert.equal(Number(/Wrote (\d+) fix/.exec(written.err)?.[1] ?? 0), ready, written.err);
          assert.equal(folder().text(tree.outside), before);
        });

    it('are said with the path of the file, and the way to include it', async () => {
      make(folder(), TREES['a directory that the configuration includes']!);
      const run = (...words: string[]) => folder().run(words, { cwd: folder().at('site') });
      const file = folder().at('var/run/a.conf');
      const help = `Remove the line. No fix changes this file: ${file} lies outside of what was given. To change it, add this path to the command.`;
      const check = JSON.parse((await run('check', '--format', 'json', '.')).out) as CheckJson;
      assert.ok(
        check.files.flatMap(({ findings }) => findings).some((each) => each.help === help),
        JSON.stringify(check.files),
      );
      const { configurations } = JSON.parse((await run('plan', '--format', 'json', '.')).out) as PlanJson;
      assert.ok(
        configurations[0]!.byHand.some((each) => each.help === help),
        JSON.stringify(configurations),
      );
      const written = await run('fix', '--write', '.', file);
      assert.doesNotMatch(written.err, /not written/);
      assert.equal(folder().text('var/run/a.conf'), '<VirtualHost *:80>\nMaxConnectionsPerChild 5\n</VirtualHost>\n');
    });

    it('hold back nothing where the main configuration file is given', async () => {
      make(folder(), TREES['a directory that the configuration includes']!);
      const { err } = await folder().run(['fix', '--write', 'httpd.conf'], { cwd: folder().at('site') });
      assert.match(err, /^Wrote 4 fixes in 2 files/);
    });

    it('are left out of --dormant, and of its count', async () => {
      folder().write('site/httpd.conf', MAIN.replaceAll('$HERE', folder().path));
      folder().write('site/old.conf', LONE);
      folder().write('elsewhere/b.conf', LONE);
      symlinkSync('../elsewhere/b.conf', folder().at('site/b.conf'));
      const run = (...words: string[]) => folder().run(words, { cwd: folder().at('site') });
      const { configurations } = JSON.parse((await run('plan', '--format', 'json', '.')).out) as PlanJson;
      assert.deepEqual(configurations[0]!.dormant, [{ file: 'old.conf', lines: 1 }]);
      const written = await run('fix', '--write', '--dormant', '.');
      assert.match(written.err, /^Wrote 1 fix in 1 file/m);
      assert.equal(folder().text('elsewhere/b.conf'), LONE);
    });

    it('are not formatted by a command that would not write them', async () => {
      make(folder(), TREES['a file that no configuration reads']!);
      const run = (...words: string[]) => folder().run(words, { cwd: folder().at('site') });
      const { out, err } = await run('format', '--check', '.');
      assert.doesNotMatch(out, /b\.conf/);
      assert.match(err, /b\.conf leads to \S+elsewhere\/b\.conf, outside of what was given, and is not formatted/);
      assert.doesNotMatch((await run('format', '--write', '.')).err, /not written/);
    });
  }),
);

function make(folder: Folder, { files, links }: Tree): void {
  for (const [file, text] of Object.entries(files)) folder.write(file, text.replaceAll('$HERE', folder.path));
  for (const [link, target] of Object.entries(links)) {
    mkdirSync(path.dirname(folder.at(link)), { recursive: true });
    symlinkSync(target, folder.at(link));
  }
}

function countInCheck({ out }: Result): number {
  return Number(/^(\d+) safe fix(?:es)? can be written now/m.exec(out)?.[1] ?? 0);
}
