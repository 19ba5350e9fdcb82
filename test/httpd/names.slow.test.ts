/**
 * Names: which kinds are case-sensitive in httpd (used by features/references.ts and
 * features/rename.ts), and that a configuration answers as before after its names change.
 * HTTPD_UPGRADE_RENAMES is the number of renamed generated configurations; a dozen by default.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configView } from '../../server/src/config/config-view';
import { memoryFiles } from '../../server/src/config/memory-files';
import { readModel } from '../../server/src/config/read-model';
import { editsForFileRenames } from '../../server/src/features/file-renames';
import type { NameKind } from '../../server/src/features/names-in-line';
import { parameterAt } from '../../server/src/features/macro-parameters';
import { searchableNameAt } from '../../server/src/features/references';
import { Tree } from '../../server/src/syntax/document';
import { applied, fileSet } from '../support/names';
import { Random } from '../support/random';
import { configTest, findHttpd, requireHttpd, serve, type Server } from './harness';

const COUNT = Number(process.env.HTTPD_UPGRADE_RENAMES ?? 12);

describe('the case of names', function () {
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve(
      [
        'Define Value one',
        'Define Flag',
        '<IfDefine flag>',
        'Header always set X-Flag-Lower yes',
        '</IfDefine>',
        '<IfDefine Flag>',
        'Header always set X-Flag yes',
        '</IfDefine>',
        'Header always set X-Value "${vALUE}"',
        'Define Gone two',
        'UnDefine GONE',
        'Header always set X-Gone "${Gone}"',
        '<IfDefine Gone>',
        'Header always set X-Gone-Flag yes',
        '</IfDefine>',
        '<Macro One $a>',
        'Header always set X-Macro "$a"',
        '</Macro>',
        'Use oNE yes',
        'LogFormat "by name" Nick',
        'CustomLog logs/case nICK',
        'SetEnvIf Request_URI . Seen=1',
        'Header always set X-Env yes env=sEEN',
        'Header always set X-Env-Value "%{SEEN}e"',
        'SetEnvIf seen 1 again',
        'Header always set X-Again yes env=again',
        'RewriteEngine On',
        'RewriteMap up int:toupper',
        'RewriteRule ^/map/(.*) - [E=right:${up:$1},E=wrong:${UP:$1|none}]',
        'Header always set X-Map "%{right}e %{wrong}e"',
        '<Proxy balancer://Farm>',
        'BalancerMember http://127.0.0.1:@PORT@',
        '</Proxy>',
        'ProxyPass /farm balancer://fARM/index.html',
        'ExtFilterDefine Fix mode=output cmd="/bin/sed s/page/text/"',
        '<Location /filtered.html>',
        'SetOutputFilter fIX',
        '</Location>',
        'Action Show /index.html',
        '<Location /shown.html>',
        'SetHandler sHOW',
        'AcceptPathInfo On',
        '</Location>',
        '<Location /index.html>',
        'AcceptPathInfo On',
        '</Location>',
        '',
      ].join('\n'),
      { files: { 'htdocs/index.html': 'page\n', 'htdocs/filtered.html': 'page\n', 'htdocs/shown.html': 'another\n' } },
    );
  });
  after(() => server?.stop());

  it('is that of the tables they are kept in', async () => {
    const { headers } = await server.request({ path: '/map/word' });
    const said = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-')));
    assert.deepEqual(said, {
      'x-value': 'one',
      'x-flag': 'yes',
      'x-gone': '${Gone}',
      'x-gone-flag': 'yes',
      'x-macro': 'yes',
      'x-env': 'yes',
      'x-env-value': '1',
      'x-again': 'yes',
      'x-map': 'WORD none',
    });
    assert.equal((await server.request({ path: '/farm' })).body, 'page\n');
    assert.equal((await server.request({ path: '/filtered.html' })).body, 'text\n');
    assert.equal((await server.request({ path: '/shown.html' })).body, 'page\n');
    assert.match(readFileSync(path.join(server.root, 'logs/case'), 'utf8'), /^by name$/m);
  });

  it('of providers is exact', async () => {
    const alias =
      '<AuthzProviderAlias ip office 127.0.0.1>\n</AuthzProviderAlias>\n<Location />\nRequire @\n</Location>\n';
    assert.equal((await configTest(alias.replace('@', 'office'))).ok, true);
    assert.match((await configTest(alias.replace('@', 'Office'))).stderr, /Unknown Authz provider: Office/);
    const login =
      '<AuthnProviderAlias file staff>\nAuthUserFile /dev/null\n</AuthnProviderAlias>\n<Location />\nAuthBasicProvider @\n</Location>\n';
    assert.equal((await configTest(login.replace('@', 'staff'))).ok, true);
    assert.match((await configTest(login.replace('@', 'Staff'))).stderr, /Unknown Authn provider: Staff/);
  });
});

describe('a renamed configuration', function () {
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve('KeepAlive On\n');
  });
  after(() => server?.stop());
  // A server that refuses a configuration is gone.
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') server = await serve('KeepAlive On\n');
  });

  for (let seed = 1; seed <= COUNT; seed++) {
    it(`answers as the old one (${seed})`, async () => {
      const made = generate(new Random(seed), server.root, server.port);
      const before = await asked(server, made.files, made.requests);
      let { files } = made;
      const hosts = new Map<string, string>();
      let count = 0;
      for (const [index, name] of made.names.entries()) {
        const next = nextName(name, `n${seed}x${index}`);
        const place = placeOf(files, name, new Random(seed * 1000 + index));
        const answer = applied(
          {
            ...fileSet(place),
            roots: [path.join(server.root, 'httpd.conf')],
            admitted: Object.keys(files).filter((file) => file.endsWith('.htaccess')),
            defines: new Map(),
          },
          next,
        );
        // What a Use hands on is refused, or renamed there, too.
        if (typeof answer === 'string' && made.handed.has(name.name)) {
          assert.match(answer, / handed on|stands in an argument/);
          continue;
        }
        assert.ok(
          typeof answer !== 'string',
          `${name.kind} ${name.name} -> ${next}: ${String(answer)}\n${Object.entries(files)
            .map((each) => each.join('\n'))
            .join('\n')}`,
        );
        assert.notDeepEqual(answer, {});
        files = { ...files, ...answer };
        if (name.kind === 'host') hosts.set(name.name, next);
        count++;
      }
      assert.ok(count > 5);
      files = withFileRenamed(
        files,
        path.join(server.root, 'inc/one.inc'),
        path.join(server.root, `inc/n${seed} x.inc`),
      );
      const after = await asked(
        server,
        files,
        made.requests.map((request) => ({ ...request, host: hosts.get(request.host) ?? request.host })),
      );
      // What has a name of its own, has the new one.
      const old = [...hosts].reduce((text, [from, to]) => text.replaceAll(from, to), before);
      assert.equal(after, old);
    });
  }
});

// ---------------------------------------------------------------------------------------------------------------------

interface Asked {
  readonly path: string;
  readonly host: string;
  /** With a password, as Basic authentication has them. */
  readonly user?: string;
}

interface GeneratedName {
  readonly kind: NameKind | 'parameter';
  readonly name: string;
}

interface Generated {
  readonly files: Readonly<Record<string, string>>;
  readonly requests: readonly Asked[];
  readonly names: readonly GeneratedName[];
  /** Those that a Use hands on to a macro. */
  readonly handed: ReadonlySet<string>;
}

/** A configuration of several files in which every kind of name is used, in several spellings. */
function generate(next: Random, root: string, port: number): Generated {
  const at = (file: string) => path.join(root, file);
  const names: GeneratedName[] = [];
  const id = (kind: GeneratedName['kind'], name: string) => {
    names.push({ kind, name });
    return name;
  };
  const cased = (name: string) => (next.next() < 0.3 ? name.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : name);
  const quoted = (text: string) => (next.next() < 0.3 ? `"${text}"` : next.next() < 0.2 ? `'${text}'` : text);
  const eol = next.next() < 0.2 ? '\r\n' : '\n';
  const lines: Record<'main' | 'one' | 'two' | 'inc' | 'ht', string[]> = {
    main: [],
    one: [],
    two: [],
    inc: [],
    ht: [],
  };
  const some = () => next.pick([lines.main, lines.one, lines.two]);
  const hosts = Array.from({ length: 1 + next.below(4) }, (_, index) =>
    id('host', `${next.pick(['shop', 'www', 'a-b'])}${index}.example.org`),
  );
  const aliases = hosts.map((_, index) => id('host', `alias${index}.example.com`));

  const value = id('variable', `Value_${1 + next.below(99)}`);
  const folder = id('variable', `DIR${1 + next.below(99)}`);
  const macro = id('macro', next.pick(['Site', 'V-Host', 'Größe']));
  const [host, extra] = next.pick([
    ['$host', '$hostname'],
    ['$a', '@b'],
    ['%n', '$x'],
  ] as const);
  const map = id('rewrite-map', next.pick(['up', 'Up', 'to_upper']));
  const seen = id('environment', next.pick(['seen', 'Is-Bot', 'GUEST']));
  const format = id('log-format', next.pick(['short', 'Brief', 'kurz_ü']));
  const farm = id('balancer', next.pick(['farm', 'app-1', 'x.y']));
  const filter = id('filter', next.pick(['fix', 'My.Filter']));
  const office = id('authz-provider', next.pick(['office', 'near-by']));
  const handler = id('handler', next.pick(['page', 'show-it']));
  const staff = id('authn-provider', next.pick(['staff', 'Team-2']));
  const smart = id('filter', next.pick(['smart', 'pick.one']));
  const alive = id('health-expression', next.pick(['alive', 'is_up']));
  const check = id('health-template', next.pick(['check', 'tcp-only']));
  const gone = id('variable', next.pick(['Gone', 'TEMP_1']));
  const once = id('macro', next.pick(['Once', 'for-now']));
  names.push({ kind: 'parameter', name: host });

  lines.main.push(`Define ${value} ${next.pick(['one', '"two words"'])}`, `Define ${folder} ${at('conf.d')}`);
  lines.main.push(`LogFormat "%r %{${cased(seen)}}e ${1 + next.below(9)}" ${quoted(format)}`);
  lines.main.push(
    'RewriteEngine On',
    `RewriteMap ${map} int:toupper`,
    `<Macro ${quoted(macro)} ${host} ${extra}>`,
    `  # ${host} is a host`,
    `  <VirtualHost 127.0.0.1:${port}>`,
    `    ServerName ${host}`,
    `    Header always set X-Extra ${extra.startsWith('@') ? extra : `"${extra}"`}`,
    `    CustomLog logs/${host}.log ${cased(format)}`,
    '    RewriteEngine On',
    '    RewriteOptions Inherit',
    '  </VirtualHost>',
    '</Macro>',
  );
  lines.main.push(
    `<AuthzProviderAlias ip ${office} 127.0.0.1>`,
    '</AuthzProviderAlias>',
    `ExtFilterDefine ${filter} mode=output cmd="/bin/sed s/page/text/"`,
    `ProxyHCExpr ${alive} {%{REQUEST_STATUS} =~ /^[23]/}`,
    `ProxyHCTemplate ${check} hcmethod=TCP hcinterval=600${next.next() < 0.5 ? ` hcexpr=${alive}` : ''}`,
    `<Proxy ${quoted(`balancer://${farm}`)}>`,
    `    BalancerMember http://127.0.0.1:${port} ${next.pick([`hctemplate=${check}`, `hcmethod=TCP hcexpr=${alive} hcinterval=600`])}`,
    '</Proxy>',
    `<AuthnProviderAlias file ${staff}>`,
    `    AuthUserFile "${at('users')}"`,
    '</AuthnProviderAlias>',
    `FilterDeclare ${smart} CONTENT_SET`,
    `FilterProvider ${smart} ${filter} "%{REQUEST_URI} =~ /smart/"`,
    `Define ${gone} yes`,
    `<Macro ${once} $p>`,
    `    Header always set X-Once "$p \${${gone}}"`,
    '</Macro>',
    `Include ${quoted(at('inc/one.inc'))}`,
    `Action ${handler} /index.html`,
  );
  lines.inc.push(
    `Use ${cased(once)} "${next.pick(['a', 'a b'])}"`,
    `UnDefine ${gone}`,
    `UndefMacro ${cased(once)}`,
    `<IfDefine !${gone}>`,
    '    Header always set X-Gone yes',
    '</IfDefine>',
  );
  lines.main.push(
    `<Directory "${at('htdocs')}">`,
    '    AllowOverride All',
    '</Directory>',
    `Include "\${${cased(folder)}}/*.conf"`,
  );
  for (const each of hosts) {
    lines.two.push(
      `<VirtualHost 127.0.0.1:${port}>`,
      `    ServerName ${next.pick(['', 'http://'])}${each}`,
      `    ServerAlias ${quoted(aliases[hosts.indexOf(each)]!)} also.${hosts.indexOf(each)}.example.com`,
      `    CustomLog logs/${hosts.indexOf(each)}.log ${format}`,
      '    RewriteEngine On',
      '    RewriteOptions Inherit',
      '</VirtualHost>',
    );
  }
  // What a Use hands on to a ServerName has no other name: the macro may make more of it.
  const handed = ['m1.example.org', 'm2.example.org'];
  for (const each of handed) lines.two.push(`Use ${cased(macro)} ${each} "for ${1 + next.below(9)}"`);

  some().push(`Header always set X-Value "\${${cased(value)}}-\${${value}}"`);
  some().push(`<IfDefine ${value}>`, 'Header always set X-Defined yes', '</IfDefine>');
  some().push(
    next.pick([
      `SetEnvIf Request_URI "^/s" ${seen}=1`,
      `BrowserMatch . ${seen}=b`,
      `SetEnvIfExpr "%{REQUEST_URI} =~ m#^/s#" ${seen}=e`,
    ]),
    `RewriteRule ^/set - [E=${seen}:rule]`,
    `RewriteCond %{ENV:${cased(seen)}} rule`,
    'RewriteRule ^/set$ /index.html',
  );
  some().push(`Header always set X-Seen "%{${cased(seen)}}e" env=${seen}`, `Header always set X-Not yes env=!${seen}`);
  some().push(`<If "reqenv('${seen}') == '1'">`, '    Header always set X-If yes', '</If>');
  some().push(`RewriteRule ^/up/(.*)$ /\${${map}:$1} [R=302,L]`);
  some().push(
    `ProxyPass /farm/ ${quoted(`balancer://${cased(farm)}/`)}`,
    `RewriteRule ^/p2/(.*) balancer://${farm}/$1 [P]`,
  );
  some().push(
    '<Location /filtered.html>',
    `    SetOutputFilter ${filter}`,
    '</Location>',
    '<Location /shown.html>',
    `    SetHandler ${quoted(handler)}`,
    '</Location>',
    '<Location /index.html>',
    '    AcceptPathInfo On',
    '</Location>',
  );
  some().push(
    '<Location /private>',
    `    Require ${next.next() < 0.5 ? 'not ' : ''}${office}`.replace('not ', ''),
    '</Location>',
  );
  some().push(
    '<Location /login>',
    '    AuthType Basic',
    '    AuthName "Staff only"',
    `    AuthBasicProvider ${quoted(staff)}`,
    '    Require valid-user',
    '</Location>',
    '<Location /smart.html>',
    `    FilterChain ${next.pick([smart, `+${smart}`])}`,
    '</Location>',
    `AddHandler ${handler} .shw`,
    `AddOutputFilter ${filter} .flt`,
  );
  some().push(`CustomLog \\${eol}    logs/continued.log \\${eol}    ${format}`);
  some().push(
    `Redirect /moved http://${hosts[0]}/index.html`,
    `RewriteCond %{HTTP_HOST} ^${hosts[0]!.replaceAll('.', '\\.')}$ [NC]`,
    'RewriteRule ^/only$ /index.html [R=301,L]',
  );
  lines.ht.push(`Header set X-Below "%{${cased(seen)}}e \${${value}}" env=${cased(seen)}`);

  const handedOn = new Set<string>();
  for (const [name, body, argument] of [
    [format, ['CustomLog logs/handed.log $w'], cased(format)],
    [map, ['RewriteRule ^/hm/(.*)$ /${$w:$1} [R=302,L]'], map],
    [map, ['RewriteRule ^/hw/(.*)$ /$w [R=302,L]'], `\${${map}:$1}`],
    [filter, ['<Location /filtered.html>', 'SetOutputFilter $w', '</Location>'], cased(filter)],
    [office, ['<Location /private>', 'Require $w', '</Location>'], office],
    [handler, ['<Location /shown.html>', 'SetHandler $w', '</Location>'], handler],
    [farm, ['ProxyPass /h1/ balancer://$w/'], cased(farm)],
    [farm, ['ProxyPass /h2/ $w'], `balancer://${farm}/`],
    [seen, ['Header always set X-Handed yes $w'], `env=${seen}`],
    [value, ['Header always set X-Handed-Value "$w"'], `"\${${cased(value)}}"`],
    [folder, ['<IfDefine $w>', 'Header always set X-Handed-Define yes', '</IfDefine>'], folder],
  ] as const) {
    if (next.next() > 0.2) continue;
    handedOn.add(name);
    const macroName = `Hand${handedOn.size}x${next.below(1000)}`;
    const through = next.next() < 0.3;
    some().push(
      `<Macro ${macroName} $w>`,
      ...body,
      '</Macro>',
      ...(through ? [`<Macro ${macroName}o $v>`, `Use ${macroName} "$v"`, '</Macro>'] : []),
      `Use ${macroName}${through ? 'o' : ''} ${argument.startsWith('"') ? argument : quoted(argument)}`,
    );
  }

  const text = (key: keyof typeof lines) => lines[key].map((line) => line + eol).join('');
  const paths = [
    '/',
    '/seen',
    '/set',
    '/up/word',
    '/farm/index.html',
    '/p2/index.html',
    '/filtered.html',
    '/shown.html',
    '/private/',
    '/hm/word',
    '/hw/word',
    '/h1/index.html',
    '/h2/index.html',
    '/moved',
    '/only',
    '/below/index.html',
    '/login/',
    '/smart.html',
    '/x.shw',
    '/x.flt',
  ];
  return {
    files: {
      [at('httpd.conf')]: text('main'),
      [at('conf.d/1.conf')]: text('one'),
      [at('conf.d/2.conf')]: text('two'),
      [at('inc/one.inc')]: text('inc'),
      [at('htdocs/below/.htaccess')]: text('ht'),
    },
    requests: [
      ...[...hosts, ...handed, 'nobody.example.org'].flatMap((each) =>
        paths.map((request) => ({ path: request, host: each })),
      ),
      ...aliases.map((each) => ({ path: '/', host: each })),
      { path: '/login/', host: hosts[0]!, user: 'user:password' },
      { path: '/login/', host: hosts[0]!, user: 'user:another' },
    ],
    names,
    handed: handedOn,
  };
}

/** The files after one of them has another name: a line includes it. */
function withFileRenamed(files: Readonly<Record<string, string>>, from: string, to: string): Record<string, string> {
  const view = memoryFiles(files);
  const model = readModel({ mainFile: Object.keys(files)[0]!, view: configView(view) })!;
  const read = [...model.files.keys()].map((file) => ({ path: file, tree: view.read(file)! }));
  const { edits, notes } = editsForFileRenames({
    renames: [{ from, to }],
    configurations: [{ model, files: read }],
    displayName: (file) => file,
  });
  assert.deepEqual(notes, []);
  assert.equal([...edits.values()].flat().length, 1);
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const changed = [...(edits.get(file) ?? [])]
        .reverse()
        .reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
      return [file === from ? to : file, changed];
    }),
  );
}

function nextName({ kind, name }: GeneratedName, fresh: string): string {
  return kind === 'host'
    ? `${fresh}.example.net`
    : kind === 'parameter'
      ? `${name[0]}${fresh}`
      : kind === 'macro' || kind === 'variable'
        ? `${fresh}ß`
        : fresh;
}

/** The files with a mark at one of the places of a name. */
function placeOf(
  files: Readonly<Record<string, string>>,
  { kind, name }: GeneratedName,
  next: Random,
): Record<string, string> {
  const places: [file: string, offset: number][] = [];
  for (const [file, text] of Object.entries(files)) {
    const tree = Tree.parse(text);
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const found =
        kind === 'parameter'
          ? parameterAt(tree, at)?.name === name
          : searchableNameAt(tree, at)?.occurrence.kind === kind &&
            searchableNameAt(tree, at)!.occurrence.name.endsWith(name) &&
            searchableNameAt(tree, at)!.occurrence.name.length - name.length < 12;
      if (found) places.push([file, at]);
    }
  }
  assert.ok(places.length > 0, `${kind} ${name} is nowhere`);
  const [file, at] = next.pick(places);
  return { ...files, [file]: `${files[file]!.slice(0, at)}$0${files[file]!.slice(at)}` };
}

/** What httpd says of its virtual hosts, what it answers, and what it logs. */
async function asked(
  server: Server,
  files: Readonly<Record<string, string>>,
  requests: readonly Asked[],
): Promise<string> {
  const { root, port } = server;
  for (const folder of ['conf.d', 'inc', 'htdocs']) rmSync(path.join(root, folder), { recursive: true, force: true });
  const pages = {
    'index.html': 'page\n',
    'filtered.html': 'a page\n',
    'shown.html': 'not this\n',
    'seen/index.html': 'page\n',
    'private/index.html': 'page\n',
    'below/index.html': 'page\n',
    'login/index.html': 'page\n',
    'smart.html': 'a page\n',
    'x.shw': 'not this\n',
    'x.flt': 'a page\n',
  };
  for (const [page, text] of Object.entries(pages)) write(path.join(root, 'htdocs', page), text);
  for (const [file, text] of Object.entries(files)) write(file, text);
  write(path.join(root, 'users'), `user:{SHA}${createHash('sha1').update('password').digest('base64')}\n`);
  const logs = [
    ...new Set(['continued.log', '0.log', '1.log', '2.log', '3.log', ...requests.map(({ host }) => `${host}.log`)]),
  ].map((name) => path.join(root, 'logs', name));
  for (const log of logs) rmSync(log, { force: true });
  await server.reload(files[path.join(root, 'httpd.conf')]!);
  const hosts = execFileSync(
    findHttpd()!.binary,
    [
      '-d',
      root,
      '-C',
      `Include "${path.join(root, 'prelude.conf')}"`,
      '-f',
      path.join(root, 'httpd.conf'),
      '-t',
      '-D',
      'DUMP_VHOSTS',
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const answers = await server.requestAll(
    requests.map(({ path: asks, host, user }) => ({
      path: asks,
      headers: {
        Host: host,
        ...(user !== undefined && { Authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
      },
    })),
  );
  const shown = answers.map(({ status, headers, body }, index) => {
    const own = Object.entries(headers)
      .filter(([name]) => name.startsWith('x-') || name === 'location')
      .map(([name, value]) => `${name}: ${String(value)}`);
    return [
      `${requests[index]!.host}${requests[index]!.path}: ${status}`,
      ...own.sort(),
      status === 200 ? body : '',
    ].join('\n');
  });
  // A line is logged after the answer; a balancer's own request is logged when it has ended.
  const read = () => logs.map((log) => (existsSync(log) ? readFileSync(log, 'utf8') : ''));
  let logged = read();
  for (let round = 0; round < 100; round++) {
    await sleep(50);
    const now = read();
    if (now.join('') === logged.join('') && now.join('').split('\n').length > requests.length) break;
    logged = now;
  }
  const lines = logged.map(
    (text, index) => `${path.basename(logs[index]!)}\n${[...new Set(text.split('\n'))].sort().join('\n')}`,
  );
  return [hosts, ...shown, ...lines]
    .join('\n')
    .replaceAll(`:${port}`, ':PORT')
    .replace(/macro '[^']*'/g, 'a macro');
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
