/**
 * Each `httpd-upgrade` command in a block of a document runs: its options are right, and its files
 * are of the kinds that it takes. Paths of `/etc/httpd` lead into the folder of the test. The
 * output of commands in blocks of type `console` is tested in documents.test.ts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { forgetChanges } from '../support/state';
import { withFolder, type Folder } from './run';

const DOCS = path.join(repositoryRoot, 'docs');
const PAGES = [
  'README.md',
  ...readdirSync(DOCS).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ...readdirSync(path.join(DOCS, 'how-to')).map((name) => `docs/how-to/${name}`),
];

const MAIN =
  'ServerRoot "/etc/httpd"\nListen 80\nDocumentRoot /var/www\n<Directory /var/www>\n    AllowOverride None\n    Order allow,deny\n    Allow from all\n</Directory>\n';

/** Needs a terminal, another server, a program of the machine, or an archive. */
const NEEDS_MORE = /^(migrate|compare|verify|server|mcp)\b|\.tar\.gz|--help/;

/** The commands of a text, as words. Comments, pipes and redirections are of the shell. */
export function commandsIn(text: string): string[][] {
  return [...text.matchAll(/^ *```(?:sh|bash)\n([^]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      .flatMap((line) => {
        const [, rest] = /(?:^ *|[ (])httpd-upgrade ((?!…)[a-z-].*)$/.exec(line) ?? [];
        return rest === undefined ? [] : [wordsOf(rest)];
      }),
  );
}

function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    if (/^(#|[|<>&;]|[)])/.test(word)) break;
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
  }
  return words.map((word) => word.replace(/\)$/, ''));
}

function prepare(folder: Folder): void {
  // The undo of a page takes back a change of this page.
  forgetChanges();
  const mains = ['conf', 'old', 'new', 'before', 'after', 'etc/httpd/conf', 'web/conf', 'srv/web/conf'];
  for (const name of mains) folder.write(`${name}/httpd.conf`, MAIN);
  folder.write('httpd.conf', `${'\n'.repeat(89)}${MAIN}`);
  folder.write('deploy/site.conf', '<VirtualHost *:80>\nServerName www.example.org\n</VirtualHost>\n');
  folder.write('sites/a.conf', 'MaxClients 1\n');
  folder.write('site.conf', 'MaxClients 1\n');
  folder.write('.htaccess', 'Order allow,deny\nAllow from all\n');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], { cwd: folder.path });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
}

describe(
  'commands in blocks of documents',
  withFolder((folder) => {
    let count = 0;
    for (const page of PAGES) {
      const commands = commandsIn(readFileSync(path.join(repositoryRoot, page), 'utf8'));
      if (commands.length === 0) continue;
      count += commands.length;
      it(`run: ${page}`, async function () {
        this.timeout(120_000);
        prepare(folder());
        for (const words of commands) {
          const given = words.map((word) => word.replace(/^\/(etc\/httpd|srv\/web)/, '$1'));
          const { code, err } = await folder().run(given);
          assert.doesNotMatch(err, /Try "httpd-upgrade/, words.join(' '));
          if (!NEEDS_MORE.test(words.join(' ')) && !words.includes('-'))
            assert.ok(code === 0 || code === 1, `${words.join(' ')}: ${code}\n${err}`);
        }
      });
    }

    it('are many', () => assert.ok(count >= 60, `${count}`));

    it('are read as a shell reads them', () => {
      const text =
        '```sh\nhttpd-upgrade explain --request \'GET /a b\' x # why\nnpx --yes httpd-upgrade check "a b" > c\n```\n';
      assert.deepEqual(commandsIn(text), [
        ['explain', '--request', 'GET /a b', 'x'],
        ['check', 'a b'],
      ]);
    });
  }),
);
