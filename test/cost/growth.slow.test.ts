/**
 * The work of the command line for a tree, as V8 counts it: how often each block of the program
 * runs. With four times as many of something in the tree, no relevant block runs more than about
 * four times as often: quadratic growth would be sixteen times. The counts are the same on all
 * machines.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Folder, run, withFolder } from '../cli/run';
import { bundle } from '../support/built';

const SMALL = 60;
const FACTOR = 4;
/**
 * How many times as often a block may run: sorting is a little more than linear, and some of it
 * comes in steps.
 */
const MOST = FACTOR * 2;
/**
 * Of sections that go by patterns each may meet each: they are compared in pairs, and nothing is
 * done more often than that.
 */
const IN_PAIRS = new Set(['patterns']);
const MOST_IN_PAIRS = FACTOR ** 2 * 1.1;
/** Blocks that run less often than this, with the large tree, cost nothing yet. */
const RARE = 3000;

/** `access` compares each URL that it tries with all lines, so it grows in proportion only here. */
const UNREACHED = 'aliases, rewrite rules, and directories that no URL reaches';

/** Each command, and the only tree for which it is measured; without it, all trees are. */
const COMMANDS: readonly { readonly command: readonly string[]; readonly tree?: string }[] = [
  { command: ['plan'] },
  { command: ['fix', '--write', '--unsafe', '--fail-on', 'never'] },
  { command: ['access'], tree: UNREACHED },
];

const MAIN =
  'ServerRoot /etc/httpd\nListen 80\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n';
const times = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i)).join('');
const main = (text: string) => ({ 'httpd.conf': `${MAIN}${text}` });

/** Files of a tree by their paths, with so many of something. */
const TREES: Readonly<Record<string, (count: number) => Readonly<Record<string, string>>>> = {
  'virtual hosts with a directory each': (count) =>
    main(
      times(
        count,
        (i) =>
          `<VirtualHost *:80>\nServerName h${i}.example.org\nDocumentRoot /srv/h${i}\n<Directory /srv/h${i}>\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n</VirtualHost>\n`,
      ),
    ),
  'virtual hosts that admit .htaccess files': (count) =>
    main(
      times(
        count,
        (i) =>
          `<VirtualHost *:80>\nDocumentRoot /srv/h${i}\n<Directory /srv/h${i}>\nAllowOverride All\n</Directory>\n<Location /a>\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.${i % 256}\n</Location>\n</VirtualHost>\n`,
      ),
    ),
  'sections of one server': (count) =>
    main(
      times(
        count,
        (i) => `<Location /l${i}>\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.${i % 256}\n</Location>\n`,
      ),
    ),
  patterns: (count) =>
    main(times(count, (i) => `<FilesMatch "\\.x${i}$">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n`)),
  'operands of one section': (count) =>
    main(
      `<Location /l>\nOrder deny,allow\nDeny from all\n${times(count, (i) => `Allow from 10.0.${i >> 8}.${i & 255}\n`)}</Location>\n`,
    ),
  'variables of one section': (count) =>
    main(
      `${times(count, (i) => `SetEnvIf User-Agent bot${i} bad${i}\n`)}<Location /l>\nOrder allow,deny\nAllow from all\n${times(count, (i) => `Deny from env=bad${i}\n`)}</Location>\n`,
    ),
  'included files': (count) => ({
    ...main('Include sites/*.conf\n'),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `sites/s${i}.conf`,
        `<Directory /srv/s${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n`,
      ]),
    ),
  }),
  'modules and conditions': (count) =>
    main(
      times(
        count,
        (i) =>
          `<IfModule mod_x${i}.c>\nMaxClients ${i + 1}\n</IfModule>\n<IfDefine D${i}>\n<Location /d${i}>\nOrder allow,deny\nAllow from all\n</Location>\n</IfDefine>\n`,
      ),
    ),
  'a hosting server: virtual hosts in files of their own, .htaccess files, and sections over all of them': (count) => ({
    ...main(
      '<Directory "/etc/httpd/www">\nAllowOverride All\n</Directory>\n<Files ~ "^\\.ht">\nOrder allow,deny\nDeny from all\n</Files>\n<Location /server-status>\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n</Location>\nInclude sites/*.conf\n',
    ),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `sites/s${i}.conf`,
        `<VirtualHost *:80>\nDocumentRoot /etc/httpd/www/s${i}\n<Directory /etc/httpd/www/s${i}>\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n</VirtualHost>\n`,
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `www/s${i}/.htaccess`,
        i % 3 === 0
          ? 'AuthType Basic\nAuthName x\nAuthUserFile /etc/users\nRequire valid-user\n'
          : '<Files a.php>\nOrder allow,deny\nDeny from all\n</Files>\n',
      ]),
    ),
  }),
  'virtual hosts with two sections each, as Debian writes them, and .htaccess files': (count) => ({
    ...main('Include sites/*.conf\n'),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `sites/s${i}.conf`,
        `<VirtualHost *:80>\nDocumentRoot /etc/httpd/www/s${i}\n<Directory />\nOptions FollowSymLinks\nAllowOverride None\n</Directory>\n<Directory /etc/httpd/www/s${i}>\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n</VirtualHost>\n`,
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`www/s${i}/.htaccess`, 'Order allow,deny\nDeny from all\n']),
    ),
  }),
  'virtual hosts with a directory, a login that Satisfy Any joins to addresses, and rewriting': (count) =>
    main(
      times(
        count,
        (i) =>
          `<VirtualHost *:80>\nServerName h${i}.example.org\n<Directory /srv/h${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n<Location /admin${i}>\nAuthType Basic\nAuthName a${i}\nAuthUserFile /etc/users${i}\nRequire valid-user\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.${i % 256}\nSatisfy any\n</Location>\nRewriteEngine On\nRewriteRule ^/old${i}/(.*)$ /new/$1 [R=301,L]\n</VirtualHost>\n`,
      ),
    ),
  'sections with lines of a macro, and a file with macros that are not in the copy': (count) => ({
    ...main(
      `<Macro Allowed $who>\nRequire $who\n</Macro>\n${times(count, (i) => `<Directory /srv/s${i}>\nUse Allowed valid-user\n</Directory>\n`)}Include unseen.conf\n`,
    ),
    'unseen.conf': times(count, (i) => `Use Unseen${i}\n`),
  }),
  'lock files': (count) => main(times(count, (i) => `LockFile /var/own/accept${i}.lock\n`)),
  aliases: (count) =>
    main(
      times(
        count,
        (i) =>
          `Alias /a${i} /srv/a${i}\n<Directory /srv/a${i}>\nOptions Indexes\nOrder allow,deny\nAllow from all\n</Directory>\n`,
      ),
    ),
  [UNREACHED]: (count) =>
    main(
      times(
        count,
        (i) =>
          `Alias /a${i} /srv/a${i}\n<Directory /else/a${i}>\nOrder allow,deny\nAllow from all\nRewriteEngine On\nRewriteRule ^a /b\n</Directory>\n`,
      ),
    ),
};

describe(
  'work of the command line',
  withFolder((folder) => {
    /**
     * How often each block runs, by its place in the program as it was built, with the source text
     * at its start.
     */
    const blocks = async (
      command: readonly string[],
      files: Readonly<Record<string, string>>,
    ): Promise<Map<string, number>> => {
      const own = new Folder(files);
      const counts = folder().at('counts');
      try {
        const { code, err } = await run([...command, own.at('httpd.conf')], { env: { NODE_V8_COVERAGE: counts } });
        assert.ok(code === 0 || code === 1, err);
        const found = new Map<string, number>();
        for (const name of readdirSync(counts)) {
          const { result } = JSON.parse(readFileSync(path.join(counts, name), 'utf8')) as Coverage;
          for (const { url, functions } of result) {
            if (!url.endsWith('/commands.js')) continue;
            for (const { ranges } of functions)
              for (const { startOffset, endOffset, count } of ranges)
                found.set(`${startOffset}-${endOffset}`, (found.get(`${startOffset}-${endOffset}`) ?? 0) + count);
          }
        }
        assert.ok(found.size > 0, 'nothing was counted');
        return found;
      } finally {
        rmSync(counts, { recursive: true, force: true });
        own.remove();
      }
    };

    for (const { command, tree: onlyTree } of COMMANDS) {
      it(`${command[0]}: grows as the tree does`, async () => {
        // What is run stands in a function (cli/start.ts).
        const program = `${WRAPPED}${readFileSync(bundle('commands.js'), 'utf8')}`;
        const grown: string[] = [];
        for (const [what, tree] of Object.entries(TREES)) {
          if (onlyTree !== undefined && what !== onlyTree) continue;
          const small = await blocks(command, tree(SMALL));
          const large = await blocks(command, tree(SMALL * FACTOR));
          const worst = [...large]
            .map(([place, count]) => ({ place, count, ratio: count / Math.max(1, small.get(place) ?? 0) }))
            .filter(({ count, ratio }) => count > RARE && ratio > (IN_PAIRS.has(what) ? MOST_IN_PAIRS : MOST));
          for (const { place, count, ratio } of worst.sort((a, b) => b.count - a.count).slice(0, 3)) {
            const [start, end] = place.split('-').map(Number);
            grown.push(
              `${what}: ${count} times, ${ratio.toFixed(1)} times as often for ${FACTOR} times as many: ${program.slice(start, Math.min(end, start + 160))}`,
            );
          }
        }
        assert.deepEqual(grown, []);
      }).timeout(900_000);
    }
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

const WRAPPED = '(function (exports, require, module, __filename, __dirname) { ';

/** What V8 writes, as far as it is read here. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}
