/** Who gains and who loses access between two configurations, each change with a request. */
import assert from 'node:assert/strict';
import { accessVerdict } from '../../server/src/features/access-changes';
import { compareAccess, type SectionDiff } from '../../server/src/requests/access-diff';
import type { RequestServer } from '../../server/src/requests/model';
import { witnessRequests } from '../../server/src/requests/witness-requests';
import { configurationOf, MAIN } from './support';

const HEAD = `ServerRoot /etc/httpd
Listen 80
DocumentRoot /srv/www
<Directory />
  AllowOverride None
</Directory>
`;
const FILES = { '/srv/www/index.html': '', '/srv/www/admin/index.html': '' };

type Texts = Readonly<Record<string, string>>;

function diffOf(
  before: string,
  after: string,
  more: { readonly old?: Texts; readonly now?: Texts; readonly servers?: [RequestServer, RequestServer] } = {},
): readonly SectionDiff[] {
  const [old, now] = more.servers ?? ['2.4-compat', '2.4-compat'];
  const side = (text: string, files: Texts = {}) => configurationOf({ [MAIN]: HEAD + text, ...FILES, ...files });
  return compareAccess(
    { configuration: side(before, more.old), server: old },
    { configuration: side(after, more.now), server: now },
  )!;
}

/** `change name: METHOD path from user before>after` of the changed sections. */
function changes(diff: readonly SectionDiff[]): string[] {
  return diff
    .filter(({ change }) => change !== 'none')
    .map(({ change, name, witness }) => {
      const { request, before, after } = witness!;
      return `${change} ${name}: ${request.method} ${request.path} ${request.from} ${request.user ?? '-'} ${before}>${after}`;
    });
}

const section = (lines: string, open = '<Directory /srv/www/admin>') => `${open}\n${lines}\n</Directory>\n`;

describe('access --diff', () => {
  const DENY = section('Order deny,allow\nDeny from all\nAllow from 10.1.0.0/16');

  it('sees no difference of a copy, and lists its sections', () => {
    const diff = diffOf(DENY, DENY);
    assert.deepEqual(changes(diff), []);
    assert.deepEqual(
      diff.map(({ name, line, witness }) => [name, line, witness]),
      [
        ['<Directory />', 3, null],
        ['<Directory /srv/www/admin>', 6, null],
      ],
    );
  });

  it('does not know a change of a section to which a line with a pattern may lead', () => {
    const toDirectory = (path: string, answer: string) => section(`Require all ${answer}`, `<Directory ${path}>`);
    const rows = (lines: string, path: string) =>
      diffOf(lines + toDirectory(path, 'granted'), lines + toDirectory(path, 'denied')).map(({ name, change }) => [
        name,
        change,
      ]);
    for (const [lines, path] of [
      ['AliasMatch "^/([a-z]{12})/q" "/srv/$1"\n', '/srv/m'],
      ['RewriteEngine on\nRewriteRule ^/x/(.*) /srv/$1\n', '/srv/m'],
      ['UserDir public_html\n', '/home/*/public_html'],
      ['Alias /x ${X}\n', '/srv/m'],
      ['Include gone/*.conf\n', '/srv/m'],
    ] as const)
      assert.deepEqual(rows(lines, path).at(-1), [`<Directory ${path}>`, 'unknown'], lines);
    for (const lines of ['', 'AliasMatch ^/(m)/(\\w+) /usr/$1/$2\n', 'UserDir public_html\nUserDir disabled\n'])
      assert.deepEqual(rows(lines, '/srv/m').at(-1), ['<Directory /srv/m>', 'none'], lines);
  });

  it('compares such a section as if a URL led to it', () => {
    const lines = 'UserDir public_html\n';
    const open = '<Directory /home/*/public_html>';
    const diff = diffOf(
      lines + section('Order allow,deny\nAllow from 10', open),
      lines + section('Require ip 10', open),
      { servers: ['2.2', '2.4'] },
    );
    assert.deepEqual(changes(diff), []);
  });

  it('sees a dropped Deny', () => {
    assert.deepEqual(changes(diffOf(DENY, section('Order deny,allow\nAllow from 10.1.0.0/16'))), [
      'gain <Directory /srv/www/admin>: GET /admin/index.html 203.0.113.9 - denied>granted',
    ]);
  });

  it('tries the URL of a file that an Alias or a section names', () => {
    const section = '<Directory /srv/www/a/*>\nOrder allow,deny\nAllow from all\n</Directory>\n';
    const closed = '<Directory /srv>\nOrder allow,deny\nDeny from all\n</Directory>\n';
    const files = { '/srv/www/a/f': '', '/srv/a/f': '' };
    const alias = (to: string) => `Alias /one ${to}\n${closed}${section}`;
    const more = { old: files, now: files };
    assert.match(changes(diffOf(alias('/srv/www/a/f'), alias('/srv/a/f'), more)).join(), /GET \/one .*granted>denied/);
    const named = section.replace('*', 'f');
    const dropped = changes(diffOf(closed + named, closed, more)).join();
    assert.match(dropped, /GET \/a\/f .*granted>denied/);
  });

  it('tries names of files below the URLs of other sections', () => {
    const around =
      '<Directory /srv/www>\nOrder allow,deny\n</Directory>\n<Location /a/>\nOrder allow,deny\nAllow from all\n</Location>\n';
    const section = '<Location ~ "\\.bak$">\nOrder allow,deny\nDeny from all\n</Location>\n';
    assert.deepEqual(changes(diffOf(around + section, around)), [
      'gain <Location ~ "\\.bak$">: GET /a/x.bak 203.0.113.9 - denied>granted',
    ]);
  });

  it('is unknown for changed sections of a file with a tag in quotes', () => {
    const text = (order: string) =>
      `<Location /a>\nOrder ${order}\n'<Limit' GET>\nDeny from all\n</Limit>\n</Location>\n`;
    const diff = diffOf(text('allow,deny'), text('deny,allow'));
    assert.equal(diff.find(({ name }) => name === '<Location /a>')!.change, 'unknown');
    assert.ok(diffOf(text('allow,deny'), text('allow,deny')).every(({ change }) => change === 'none'));
  });

  it('tells sections and virtual hosts of one macro apart', () => {
    const files = { '/srv/www/a/x': '', '/srv/www/b/x': '' };
    const changesOf = (text: (ip: string) => string) =>
      diffOf(text('10.0.0.2'), text('10.0.0.3'), { old: files, now: files }).map(({ change }) => change);
    const sections = `<Macro Site $dir $ip>\n${section('Require ip $ip', '<Directory $dir>')}</Macro>\n`;
    assert.deepEqual(
      changesOf((ip) => `${sections}Use Site /srv/www/a 10.0.0.1\nUse Site /srv/www/b ${ip}\n`),
      ['none', 'none', 'both'],
    );
    const inHost = '<Location />\nRequire ip $ip\n</Location>\n';
    for (const [open, name] of [
      ['*:80', 'ServerName $name.example.org\n'],
      ['*:$port', 'ServerName example.org\n'],
      ['*:$port', ''],
    ] as const) {
      const hosts = `Listen 443\n<Macro VHost $name $port $ip>\n<VirtualHost ${open}>\n${name}${inHost}</VirtualHost>\n</Macro>\n`;
      assert.deepEqual(
        changesOf((ip) => `${hosts}Use VHost a 80 10.0.0.1\nUse VHost b 443 ${ip}\n`),
        ['none', 'none', 'both'],
        open + name,
      );
    }
  });

  it('sees a dropped Require', () => {
    const login = (require: string) => section(`AuthType Basic\nAuthName x\nAuthUserFile /x\n${require}`);
    assert.deepEqual(changes(diffOf(section('Require ip 10'), section(''))), [
      'gain <Directory /srv/www/admin>: GET /admin/index.html 203.0.113.9 - denied>granted',
    ]);
    assert.deepEqual(changes(diffOf(login('Require user ann'), login('Require valid-user'))), [
      'gain <Directory /srv/www/admin>: GET /admin/index.html 203.0.113.9 USER login>granted',
    ]);
  });

  it('sees a widened and a narrowed address', () => {
    const wide = section('Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8');
    assert.deepEqual(changes(diffOf(DENY, wide)), [
      'gain <Directory /srv/www/admin>: GET /admin/index.html 10.0.0.9 - denied>granted',
    ]);
    assert.match(changes(diffOf(wide, DENY)).join(), /^loss .* granted>denied$/);
  });

  it('sees both in one section', () => {
    const [found] = diffOf(section('Require ip 10.1'), section('Require ip 10.2')).filter(
      ({ change }) => change !== 'none',
    );
    assert.deepEqual([found!.change, found!.loss?.request.from], ['both', '10.1.0.9']);
  });

  it('sees a removed, an added and a moved section', () => {
    const removed = diffOf(DENY, '').find(({ change }) => change === 'gain')!;
    assert.deepEqual([removed.name, removed.isOnlyInOld], ['<Directory /srv/www/admin>', true]);
    assert.match(changes(diffOf('', DENY)).join(), /^loss <Directory \/srv\/www\/admin>/);
    const [a, b] = [
      '<Location /admin>\nRequire all denied\n</Location>\n',
      '<Location /admin/>\nRequire all granted\n</Location>\n',
    ];
    assert.match(
      changes(diffOf(b + a, a + b)).join(),
      /^gain <Location \/admin\/?>: GET \/admin\/\S* .* denied>granted$/,
    );
  });

  it('sees another AllowOverride', () => {
    const files = { '/srv/www/admin/.htaccess': 'Require all denied\n' };
    const of = (words: string) => section(`AllowOverride ${words}`, '<Directory /srv/www>');
    assert.match(
      changes(diffOf(of('All'), of('None'), { old: files, now: files })).join(),
      /^gain .*: GET \/admin\/index\.html 203\.0\.113\.9 - denied>granted$/,
    );
  });

  it('counts what a missing .htaccess may change as unknown', () => {
    const gone = section('AllowOverride None', '<Directory /opt/app/site>');
    const open = section('AllowOverride All', '<Directory /opt/app/site>');
    const alias = 'Alias /app /opt/app/site\n';
    assert.deepEqual(changes(diffOf(alias + open, alias + open)), []);
    assert.match(changes(diffOf(alias + gone, alias + open)).join(), /^unknown /);
  });

  it('does not call a section unchanged whose URLs a limit left out', () => {
    const host = (name: number, lines = '') =>
      `<VirtualHost *:80>\nServerName h${name}.example.org\n${lines}</VirtualHost>\n`;
    const hosts = Array.from({ length: 13 }, (_, index) => host(index)).join('');
    const locations = (last: string) =>
      Array.from(
        { length: 260 },
        (_, index) => `<Location /l${index}>\nRequire ${index === 259 ? last : 'ip 10.1'}\n</Location>\n`,
      ).join('');
    const of = (last: string) => hosts + host(99, locations(last));
    const named = (diff: readonly SectionDiff[]) => diff.find(({ name }) => name === '<Location /l259>')!;
    const { change, witness } = named(diffOf(of('ip 10.2'), of('all granted')));
    assert.deepEqual([change, witness], ['unknown', null]);
    assert.equal(named(diffOf(of('ip 10.2'), of('ip 10.2'))).change, 'none');
  });

  it('tells methods, headers and the two servers apart', () => {
    const limit = (names: string) => section(`<Limit ${names}>\nOrder deny,allow\nDeny from all\n</Limit>`);
    assert.match(changes(diffOf(limit('PUT DELETE'), limit('PUT'))).join(), /gain .*: DELETE /);
    const flag = 'SetEnvIf X-Flag ^on$ flag\n';
    const [found] = diffOf(flag + section('Require all denied'), flag + section('Require env flag')).filter(
      ({ change }) => change === 'gain',
    );
    assert.deepEqual([...found!.witness!.request.headers], [['x-flag', 'on']]);
    const old = section('Order deny,allow\nDeny from all\nSatisfy Any');
    assert.match(changes(diffOf(old, old, { servers: ['2.2', '2.4-compat'] })).join(), /^gain .* denied>granted$/);
    assert.deepEqual(changes(diffOf(old, section('Require all denied'), { servers: ['2.2', '2.4'] })), []);
  });
});

describe('requests', () => {
  const of = (text: string) =>
    witnessRequests(configurationOf({ [MAIN]: HEAD + text, ...FILES }))!.requests.map(
      ({ request, expected, section: { name } }) =>
        `${name}: ${request.method} ${request.path} ${request.from ?? '*'} ${request.user ?? '-'} ${[...request.headers].join()} ${expected['2.4-compat']}`,
    );

  it('has one request for each decision of a section', () => {
    const login = 'AuthType Basic\nAuthName x\nAuthUserFile /x\nRequire user ann';
    assert.deepEqual(
      of(section(`Order deny,allow\nDeny from all\nAllow from 10\nSatisfy Any\n${login}`)).filter((row) =>
        row.includes('admin>'),
      ),
      [
        '<Directory /srv/www/admin>: GET /admin/index.html 203.0.113.9 -  login',
        '<Directory /srv/www/admin>: GET /admin/index.html 10.0.0.9 -  granted',
        '<Directory /srv/www/admin>: GET /admin/index.html * ann  granted',
      ],
    );
  });

  it('has the methods that Limit tells apart', () => {
    assert.deepEqual(
      of(section('<Limit PUT>\nOrder deny,allow\nDeny from all\n</Limit>')).filter((row) => row.includes('admin>')),
      [
        '<Directory /srv/www/admin>: GET /admin/index.html * -  granted',
        '<Directory /srv/www/admin>: PUT /admin/index.html * -  denied',
      ],
    );
  });

  it('takes a URL that no inner section takes over', () => {
    const rows = of('<Location /a>\nRequire ip 10\n</Location>\n<Location /a/b>\nRequire all granted\n</Location>\n');
    assert.ok(
      rows.some((row) => /^<Location \/a>: GET \/a(\/x)? .* denied$/.test(row)),
      rows.join('\n'),
    );
    assert.ok(
      rows.some((row) => /^<Location \/a\/b>: GET \/a\/b(\/x)? .* granted$/.test(row)),
      rows.join('\n'),
    );
  });
});

describe('a small file whose sections apply to all requests', () => {
  const conditions = Array.from(
    { length: 110 },
    (_, i) => `<If "1">\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.${i}\n</If>\n`,
  ).join('');

  it('is compared up to a limit; the rest is unknown, never the same', () => {
    const diff = diffOf(conditions, conditions, { servers: ['2.4-compat', '2.4'] });
    assert.equal(diff.length, 111);
    assert.deepEqual([...new Set(diff.map(({ change }) => change))], ['unknown']);
  });

  it('has requests up to the limit, and says so of each section without one', () => {
    const found = witnessRequests(configurationOf({ [MAIN]: HEAD + conditions, ...FILES }))!;
    assert.ok(found.unreachedSections.length > 0);
    for (const section of found.unreachedSections)
      assert.match(found.whyUnreached(section)?.what ?? '', /took too long/, section.name);
  });
});

describe('a small file whose Use lines make thousands of sections', () => {
  const DENIED = 'Order deny,allow\nDeny from all\n';
  const sections = Array.from({ length: 40 }, (_, i) => section(DENIED, `<Directory /srv/www/${i}/$x>`)).join('');
  const uses = Array.from({ length: 150 }, (_, i) => `Use m site-number-${i}\n`).join('');
  const withLast = (last: string) => `<Macro m $x>\n${sections}</Macro>\n${uses}${section(last)}`;

  it('compares the first ones; the rest is unknown, in one row', () => {
    const diff = diffOf(withLast(DENIED), withLast(DENIED));
    const rest = diff.at(-1)!;
    assert.ok(diff.length < 5_500, `${diff.length} rows`);
    assert.deepEqual([rest.change, rest.sectionCount! + diff.length - 1], ['unknown', 40 * 150 + 2]);
    assert.match(rest.name, /^\d+ more sections, not compared$/);
    assert.match(accessVerdict(diff), new RegExp(`not known whether access changes in ${rest.sectionCount} sections`));
  });

  it('never says that nothing changes, if a section changes that is left out', () => {
    const changed = diffOf(withLast(DENIED), withLast('Order allow,deny\nAllow from all\n'));
    assert.match(accessVerdict(changed), /not known whether access changes in \d+ sections/);
  });

  it('has requests for the first ones, and says so of the rest', () => {
    const found = witnessRequests(configurationOf({ [MAIN]: HEAD + withLast(DENIED), ...FILES }))!;
    const rest = found.unreachedSections.at(-1)!;
    assert.match(rest.name, / more sections, not compared$/);
    assert.match(found.whyUnreached(rest)!.what, /read the same text too often/);
  });
});
