/**
 * Claims of the rules about Require, and about Allow and Deny next to it, shown on a real httpd
 * 2.4: rows of configurations and the server's message for each, and requests if the check reports
 * nothing.
 */
import assert from 'node:assert/strict';
import { MODULE_BY_PROVIDER } from '../../server/src/access/require';
import { check } from '../../server/src/library';
import { findingsIn, fixed } from '../support/rules';
import { Random, seed } from '../support/random';
import { configTest, requireHttpd, serve, type ConfigVerdict, type SandboxOptions, type Server } from './harness';

type Claim = readonly [body: string, outcome: string, options?: SandboxOptions];

const UNKNOWN = 'Unknown Authz provider: ';
const NEGATIVE = 'negative Require directive has no effect in';
const ALL = "Argument for 'Require all' must be 'granted' or 'denied'";
const invalid = (word: string) => `2: ip address '${word}' appears to be invalid`;
const ORDER = "2: order takes one argument, 'allow,deny', 'deny,allow', or 'mutual-failure'";
const FROM = "requires at least two arguments, 'from' followed by hostnames or IP-address wildcards";

/** The lines stand in a `<Directory>`, the first of them in line 2. */
const IN_DIRECTORY: Readonly<Record<string, readonly Claim[]>> = {
  'require-provider-case: names are looked up as they are spelled; not, granted and denied in any case': [
    ...[...MODULE_BY_PROVIDER.keys()].map(
      (name): Claim => [`Require ${name.toUpperCase()} x`, `2: ${UNKNOWN}${name.toUpperCase()}`],
    ),
    ['Require Valid-User', `2: ${UNKNOWN}Valid-User`],
    ['Require not IP 192.0.2.1', `2: ${UNKNOWN}IP`],
    ['Require "valid-user"', 'ok'],
    ['Require all GRANTED', 'ok'],
    ['<RequireAll>\nRequire NOT ip 192.0.2.1\nRequire all granted\n</RequireAll>', 'ok'],
  ],

  'require-unknown-provider: any other word, also none at all': [
    ['Require vaild-user', `2: ${UNKNOWN}vaild-user`],
    ['Require none', `2: ${UNKNOWN}none`],
    ['Require 192.0.2.1', `2: ${UNKNOWN}192.0.2.1`],
    ['Require "all granted"', `2: ${UNKNOWN}all granted`],
    ['Require', `2: ${UNKNOWN.trim()}`],
    ['Require not', `2: ${UNKNOWN.trim()}`],
    ['Require ""', `2: ${UNKNOWN.trim()}`],
    ...[...MODULE_BY_PROVIDER]
      .filter(([, module]) => module !== 'mod_authz_core')
      .map(([name]): Claim => [`Require ${name} x`, `2: ${UNKNOWN}${name}`, { modules: ['authz_core'] }]),
  ],

  'require-all-argument: granted or denied, alone and without quotes': [
    '',
    'allowed',
    'grant',
    '"granted"',
    'granted please',
    'denied # x',
  ].map((words): Claim => [`Require all ${words}`, `2: ${ALL}`]),

  'require-not-alone: where a negative line may not stand': [
    ['Require not ip 192.0.2.1', `2: ${NEGATIVE} <RequireAny> directive`],
    ['Require all granted\nRequire not ip 192.0.2.1', `3: ${NEGATIVE} <RequireAny> directive`],
    ['<Limit GET>\nRequire not ip 192.0.2.1\n</Limit>', `3: ${NEGATIVE} <RequireAny> directive`],
    ['<RequireAny>\nRequire not ip 192.0.2.1\n</RequireAny>', `3: ${NEGATIVE} <RequireAny> directive`],
    [
      '<RequireAll>\nRequire all granted\n<RequireNone>\nRequire not ip 192.0.2.1\n</RequireNone>\n</RequireAll>',
      `5: ${NEGATIVE} <RequireNone> directive`,
    ],
    [
      '<RequireNone>\nRequire ip 192.0.2.1\n</RequireNone>',
      '2: <RequireNone> directive has no effect in <RequireAny> directive',
    ],
    [
      '<RequireAll>\nRequire all granted\n<RequireNone>\n<RequireNone>\nRequire ip 192.0.2.1\n</RequireNone>\n</RequireNone>\n</RequireAll>',
      '5: <RequireNone> directive has no effect in <RequireNone> directive',
    ],
  ],

  'require-not-alone: AH01624 comes without a line; a line for some methods only is enough against it': [
    ...[
      'Require not ip 192.0.2.1',
      '<RequireNone>\nRequire ip 192.0.2.1\n</RequireNone>',
      '<Limit GET>\nRequire not ip 192.0.2.1\n</Limit>',
    ].map(
      (line): Claim => [
        `<RequireAll>\n${line}\n</RequireAll>`,
        'AH01624: <RequireAll> directive contains only negative authorization directives',
      ],
    ),
    ['<RequireAll>\nRequire not ip 192.0.2.1\n<Limit GET>\nRequire all granted\n</Limit>\n</RequireAll>', 'ok'],
    ['<RequireAll>\n<RequireAll>\nRequire not ip 192.0.2.1\n</RequireAll>\nRequire all granted\n</RequireAll>', 'ok'],
  ],

  'require-not-alone: a container without Require lines, whatever else it has': [
    ...[
      '',
      '# Require all granted\n',
      '<Limit GET>\n</Limit>\n',
      'AuthName x\n',
      '<IfModule no_such.c>\nRequire all granted\n</IfModule>\n',
    ].flatMap((body) =>
      ['RequireAll', 'RequireAny'].map(
        (name): Claim => [
          `<${name}>\n${body}</${name}>`,
          `2: <${name}> directive contains no authorization directives`,
        ],
      ),
    ),
    ['<RequireNone>\n</RequireNone>', '2: <RequireNone> directive contains no authorization directives'],
    [
      '<Limit GET>\n<RequireAll>\n</RequireAll>\n</Limit>',
      '3: <RequireAll> directive contains no authorization directives',
    ],
  ],

  'require-ip-operand: addresses, beginnings of addresses and networks only': [
    ...[
      '10',
      '10.1',
      '10.1.',
      '192.0.2.1',
      '10.0.0.0/8',
      '10.0.0.0/255.0.0.0',
      '::1',
      '2001:db8::/32',
      '"192.0.2.1" \'192.0.2.2\'',
      '192.0.2.1 "" no address',
    ].map((words): Claim => [`Require ip ${words}`, 'ok']),
    ...[
      'www.example.org',
      '.example.org',
      '192.0.2.1,',
      '192.0.2.1,192.0.2.2',
      '10.1.*',
      '192.0.2.1-192.0.2.9',
      'all',
      '#',
      '192.0.2.1#x',
    ].map((word): Claim => [`Require ip ${word}`, invalid(word)]),
    ...['300.1.1.1', '10.1/16', '[::1]', '192.0.2.1:80', '::ffff:192.0.2.1'].map(
      (word): Claim => [`Require ip ${word}`, `${invalid(word)}: The specified IP address is invalid.`],
    ),
    ...['0.0.0.0/0', '10.0.0.0/33'].map(
      (word): Claim => [`Require ip ${word}`, `${invalid(word)}: The specified network mask is invalid.`],
    ),
    ['Require ip', "2: 'require ip' requires an argument"],
    ['Require host 192.0.2.1', 'ok'],
    ['Require env !x', 'ok'],
  ],

  'access-trailing-comment: an error for Allow and Deny, and for some Require lines': [
    ...[
      'Allow from 192.0.2.1 # x',
      'Allow from 192.0.2.1 #x',
      'Allow from 192.0.2.1#x',
      'Deny from all # all',
      'Allow from # x',
    ].map((line): Claim => [line, '2: No comments are allowed here']),
    ['Require all granted # x', `2: ${ALL}`],
    ['Require ip 192.0.2.1 # x', invalid('#')],
    ['Require method GET # x', "2: Invalid Method '#'"],
    ['Require ssl # x', "2: 'Require ssl' does not take arguments"],
    ...['user ann', 'group a', 'valid-user', 'host a.b', 'env a', 'local'].map(
      (words): Claim => [`Require ${words} # x`, 'ok'],
    ),
  ],

  'access-operand-never-matches: what is taken for a name, and what is an error': [
    ...['192.0.2.1,192.0.2.2', '10.1.*', '*', '*.example.org', 'none', '192.0.2.1-9', '(all)'].map(
      (word): Claim => [`Allow from ${word}`, 'ok'],
    ),
    ...['Order allow, deny', 'Order allow , deny', 'Order deny,allow # x', 'Order'].map((line): Claim => [line, ORDER]),
    ['Deny all', `2: deny ${FROM}`],
    ['Allow from', `2: allow ${FROM}`],
    ['Allow form all', "2: allow and deny must be followed by 'from'"],
    ...['10.1/16', '300.1.1.1', '192.0.2.1:80', '[::1]'].map(
      (word): Claim => [`Allow from ${word}`, '2: The specified IP address is invalid.'],
    ),
    ['Allow from 0.0.0.0/0', '2: The specified network mask is invalid.'],
    ['Allow from a.b/', '2: An IP address was expected'],
  ],

  'require-group-dbm: without mod_authz_groupfile the word is unknown': [
    ['Require group a', `2: ${UNKNOWN}group`, { modules: ['authz_core', 'authz_dbm'] }],
    ['Require dbm-group a', 'ok', { modules: ['authz_core', 'authz_dbm'] }],
    ['Require file-group', `2: ${UNKNOWN}file-group`, { modules: ['authz_core', 'authz_owner', 'authz_dbm'] }],
  ],

  'authtype-without-require: nothing for the check': [['AuthType Basic\nAuthName x', 'ok']],
};

const ANYWHERE: Readonly<Record<string, readonly Claim[]>> = {
  'access-outside-directory: neither at the top nor in a virtual host': [
    ...[
      'Require all granted',
      'Satisfy Any',
      'AuthType Basic',
      'AuthName x',
      'AuthUserFile x',
      'AuthMerging And',
      'AuthBasicProvider file',
    ].flatMap((line): Claim[] => [
      [line, `1: ${line.split(' ')[0]} not allowed here`],
      [
        `<VirtualHost *>\n<IfModule core.c>\n${line}\n</IfModule>\n</VirtualHost>`,
        `3: ${line.split(' ')[0]} not allowed in <VirtualHost> context`,
      ],
      [`<VirtualHost *>\n<Location />\n${line}\n</Location>\n</VirtualHost>`, 'ok'],
    ]),
    ['Order allow,deny', '1: order not allowed here'],
    [
      '<VirtualHost *>\n<RequireAny>\nRequire all granted\n</RequireAny>\n</VirtualHost>',
      '2: <RequireAny not allowed in <VirtualHost> context',
    ],
    [
      '<VirtualHost *>\n<Limit GET>\nRequire all granted\n</Limit>\n</VirtualHost>',
      '2: <Limit not allowed in <VirtualHost> context',
    ],
  ],

  'require-unknown-provider: names that the file defines': [
    ['<AuthzProviderAlias ip IP "192.0.2.1">\n</AuthzProviderAlias>\n<Directory /x>\nRequire IP\n</Directory>', 'ok'],
    ['LuaAuthzProvider hosts /x.lua f\n<Directory /x>\nRequire hosts\n</Directory>', 'ok'],
  ],
};

describe('claims about Require on httpd 2.4', () => {
  before(function () {
    requireHttpd(this);
  });

  const sets = [
    ...Object.entries(IN_DIRECTORY).map(
      ([title, claims]) =>
        [title, claims.map(([body, ...rest]): Claim => [`<Directory /x>\n${body}\n</Directory>`, ...rest])] as const,
    ),
    ...Object.entries(ANYWHERE),
  ];
  for (const [title, claims] of sets) {
    it(title, async function () {
      this.timeout(300_000);
      const rows = await Promise.all(
        claims.map(async ([config, , options]) => [config, outcome(await configTest(config, options))]),
      );
      assert.deepEqual(
        rows,
        claims.map(([config, expected]) => [config, expected]),
      );
    });
  }
});

const LOGIN = 'AuthType Basic\nAuthName x\nAuthUserFile "@ROOT@/conf/passwd"';

/**
 * A folder's lines, its `.htaccess`, and the answers without a login and to joe, whose group is
 * staff.
 */
interface Folder {
  readonly lines: string;
  readonly htaccess?: string;
  readonly answers: readonly [nobody: number, joe: number];
}

const FOLDERS: Readonly<Record<string, Folder>> = {
  'require-quoted-provider: quotes only hold a word together': {
    lines: `${LOGIN}\nRequire "valid-user"`,
    answers: [401, 200],
  },
  'require-granted-beside-auth: nobody is asked for a password': {
    lines: `${LOGIN}\nRequire valid-user\nRequire all granted`,
    answers: [200, 200],
  },
  'require-granted-beside-auth: ... also if the others are in a container': {
    lines: `${LOGIN}\n<RequireAny>\nRequire all granted\n<RequireAll>\nRequire valid-user\nRequire ip 192.0.2.1\n</RequireAll>\n</RequireAny>`,
    answers: [200, 200],
  },
  'require-granted-beside-auth: other methods are another matter': {
    lines: `${LOGIN}\n<Limit POST>\nRequire all granted\n</Limit>\n<LimitExcept POST>\nRequire valid-user\n</LimitExcept>`,
    answers: [401, 200],
  },
  'require-mixed-modules: any line is enough': {
    lines: `${LOGIN}\nAuthGroupFile "@ROOT@/conf/groups"\nRequire user ann\nRequire group staff`,
    answers: [401, 200],
  },
  'require-group-dbm: mod_authz_groupfile has no file': {
    lines: `${LOGIN}\nAuthDBMGroupFile "@ROOT@/conf/dbm"\nRequire group staff`,
    answers: [401, 401],
  },
  'require-ip-operand: a name on a line of its own': {
    lines: 'Require ip 192.0.2.1\nRequire host localhost',
    answers: [200, 200],
  },
  'require-ip-operand: an address is no name': { lines: 'Require host 127.0.0.1', answers: [403, 403] },
  'require-ip-operand: !X is the name of a variable': { lines: 'Require env !X', answers: [403, 403] },
  'require-ip-operand: ... and not X set, or not': {
    lines: 'SetEnvIf Request_URI . X\nRequire env !X',
    answers: [403, 403],
  },
  'require-ip-operand: what was meant': {
    lines: '<RequireAll>\nRequire all granted\nRequire not env X\n</RequireAll>',
    answers: [200, 200],
  },
  'require-not-alone: a .htaccess that only refuses, without an error': {
    lines: 'AllowOverride All',
    htaccess: '<RequireAll>\nRequire not ip 192.0.2.1\n</RequireAll>\n',
    answers: [403, 403],
  },
  'require-not-alone: an empty container in a .htaccess': {
    lines: 'AllowOverride All',
    htaccess: '<RequireAll>\n</RequireAll>\n',
    answers: [500, 500],
  },
  'access-mixed: an old refusal is not lifted': {
    lines: 'Order deny,allow\nDeny from all\nRequire all granted',
    answers: [403, 403],
  },
  'access-mixed: nor is a new one': {
    lines: 'Order allow,deny\nAllow from all\nRequire all denied',
    answers: [403, 403],
  },
  'access-mixed: with Satisfy Any either is enough': {
    lines: 'Order deny,allow\nDeny from all\nAllow from 127.0.0.1\nRequire ip 192.0.2.1\nSatisfy Any',
    answers: [200, 200],
  },
  'access-mixed: ... the new one too': {
    lines: 'Order deny,allow\nDeny from all\nRequire ip 127.0.0.1\nSatisfy Any',
    answers: [200, 200],
  },
  'satisfy-any-inherited: what Require closes stays open': {
    lines: 'Satisfy Any\n<Files file>\nRequire all denied\n</Files>',
    answers: [200, 200],
  },
  'satisfy-any-inherited: ... to the hosts that are let in': {
    lines:
      'Satisfy Any\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n<Files file>\nRequire all denied\n</Files>',
    answers: [200, 200],
  },
  'satisfy-any-inherited: ... and not to others': {
    lines: 'Satisfy Any\nOrder deny,allow\nDeny from all\n<Files file>\nRequire all denied\n</Files>',
    answers: [403, 403],
  },
  'satisfy-any-inherited: what Require narrows stays wide': {
    lines: 'Satisfy Any\n<Files file>\nRequire ip 192.0.2.1\n</Files>',
    answers: [200, 200],
  },
  'satisfy-any-inherited: in a .htaccess': {
    lines: 'AllowOverride All',
    htaccess: 'Satisfy Any\n<FilesMatch "f">\nRequire all denied\n</FilesMatch>\n',
    answers: [200, 200],
  },
  'satisfy-any-inherited: in an If': {
    lines: 'Satisfy Any\n<If "true">\nRequire all denied\n</If>',
    answers: [200, 200],
  },
  'satisfy-any-inherited: an Order ends it': {
    lines: 'Satisfy Any\n<Files file>\nOrder deny,allow\nRequire all denied\n</Files>',
    answers: [403, 403],
  },
  'satisfy-any-inherited: Satisfy All ends it': {
    lines: 'Satisfy Any\n<Files file>\nSatisfy All\nRequire all denied\n</Files>',
    answers: [403, 403],
  },
  'authtype-without-require: 500': { lines: LOGIN, answers: [500, 500] },
  'authtype-without-require: Order and Allow do not count': {
    lines: `${LOGIN}\nOrder allow,deny\nAllow from all`,
    answers: [500, 500],
  },
  'authtype-without-require: None is none': { lines: 'AuthType none', answers: [200, 200] },
  'authtype-without-require: as 2.2 answered': { lines: `${LOGIN}\nRequire all granted`, answers: [200, 200] },
  'access-env-never-set: SetEnvIf is in time, in any case': {
    lines: 'SetEnvIf Request_URI . lower\nRequire env LOWER',
    answers: [200, 200],
  },
  'access-env-never-set: RewriteRule of the server too': { lines: 'Require env by_server', answers: [200, 200] },
  'access-env-never-set: RewriteRule of a directory is late': {
    lines: 'RewriteEngine On\nRewriteRule . - [E=late:1]\nRequire env late',
    answers: [403, 403],
  },
  'access-env-never-set: SetEnv is late': { lines: 'SetEnv late 1\nRequire env late', answers: [403, 403] },
  'access-env-never-set: PassEnv is late': { lines: 'PassEnv PATH\nRequire env PATH', answers: [403, 403] },
  'access-env-never-set: mod_unique_id is in time': { lines: 'Require env UNIQUE_ID', answers: [200, 200] },
  'allow-override-class: Limit admits Order': {
    lines: 'AllowOverride Limit',
    htaccess: 'Order allow,deny\nAllow from all\n',
    answers: [200, 200],
  },
  'allow-override-class: ... and not Require': {
    lines: 'AllowOverride Limit',
    htaccess: 'Require all granted\n',
    answers: [500, 500],
  },
  'allow-override-class: ... nor Satisfy': {
    lines: 'AllowOverride Limit',
    htaccess: 'Satisfy All\n',
    answers: [500, 500],
  },
  'allow-override-class: AuthConfig does': {
    lines: 'AllowOverride Limit AuthConfig',
    htaccess: 'Require all granted\n',
    answers: [200, 200],
  },
  'allow-override-class: a list': {
    lines: 'AllowOverride None\nAllowOverrideList Order Allow Deny',
    htaccess: 'Require all granted\n',
    answers: [500, 500],
  },
  'allow-override-class: None behind Limit undoes it': {
    lines: 'AllowOverride Limit None',
    htaccess: 'Deny from all\n',
    answers: [200, 200],
  },
};

describe('claims about Require on httpd 2.4: answers to requests', () => {
  const folders = Object.values(FOLDERS);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    const sections = folders
      .map(({ lines }, index) => `<Directory "@ROOT@/htdocs/${index}">\n${lines}\n</Directory>\n`)
      .join('');
    const pages = folders.map((_, index) => [`htdocs/${index}/file`, 'x']);
    const htaccess = folders.flatMap(({ htaccess: text }, index) =>
      text === undefined ? [] : [[`htdocs/${index}/.htaccess`, text]],
    );
    server = await serve(`RewriteEngine On\nRewriteRule . - [E=by_server:1]\n${sections}`, {
      files: {
        ...Object.fromEntries([...pages, ...htaccess]),
        'conf/passwd': 'joe:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n',
        'conf/groups': 'staff: joe\n',
      },
    });
  });

  after(() => server?.stop());

  Object.entries(FOLDERS).forEach(([title, { answers }], index) => {
    it(title, async () => {
      const asked = [{}, { user: 'joe', password: 'password' }].map((who) =>
        server.request({ path: `/${index}/file`, ...who }),
      );
      assert.deepEqual(
        (await Promise.all(asked)).map(({ status }) => status),
        answers,
      );
    });
  });

  it('the messages behind these answers', () => {
    for (const code of ['AH01627', 'AH01630', 'AH01664', 'AH01797'])
      assert.match(server.errorLog(), new RegExp(`${code}: `));
    assert.match(server.errorLog(), /\.htaccess: Require not allowed here/);
  });
});

const RANDOM_LINES = [
  ...[
    'all granted',
    'not ip 192.0.2.1',
    'ip 192.0.2.1',
    'NOT env a',
    'all granted',
    'not ip 192.0.2.1',
    'ip 192.0.2.1',
  ].map((words) => `Require ${words}`),
  '# Require all granted',
  'AuthName x',
  'Require ip 192.0.2.1 www.example.org',
  'Require Valid-User',
  'Require all',
  'Require vaild-user',
];

describe('random Require trees on a real httpd', function () {
  this.timeout(600_000);
  const start = seed();
  const random = new Random(start);
  const configurations = Array.from(
    { length: 60 },
    () => `<Directory /x>\n${randomBody(random, 0, true)}</Directory>\n`,
  );

  before(function () {
    requireHttpd(this);
  });

  it('what is refused is found, in that line; what is found is refused', async () => {
    await Promise.all(configurations.map((text) => compare(text, start)));
  });

  it('what is fixed, and has nothing left to find, is accepted', async () => {
    const texts = configurations
      .map((text) => fixed(text, { unsafe: true }))
      .filter((text, index) => text !== configurations[index]);
    await Promise.all(texts.map((text) => compare(text, start)));
  });
});

describe('Require trees over files and macros on a real httpd', function () {
  this.timeout(600_000);
  const start = seed();
  const random = new Random(start);

  before(function () {
    requireHttpd(this);
  });

  it('the server refuses those that have an error, and no others', async () => {
    const wrong: string[] = [];
    const refused = await Promise.all(
      Array.from({ length: 90 }, async () => {
        const { config, files } = spread(random);
        const { ok, stderr } = await configTest(config, {
          modules: ['authz_core', 'authz_host', 'authn_core', 'macro'],
          files,
        });
        const root = '/etc/httpd/conf/httpd.conf';
        const loads = 'LoadModule macro_module modules/mod_macro.so\n';
        const found = check({
          [root]: `ServerRoot /etc/httpd\n${loads}${config}`,
          ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`/etc/httpd/${name}`, text])),
        }).flatMap(({ findings }) =>
          findings.filter(({ rule, severity }) => severity === 'error' && /^require-/.test(rule)),
        );
        if (ok !== (found.length === 0))
          wrong.push(
            `HTTPD_UPGRADE_SEED=${start}\n${config}${JSON.stringify(files)}\n${stderr}\n${JSON.stringify(found)}`,
          );
        return !ok;
      }),
    );
    assert.deepEqual(wrong, []);
    assert.ok(refused.includes(true) && refused.includes(false));
  });
});

/** A section whose Require lines stand in several files and macros. */
function spread(random: Random): { readonly config: string; readonly files: Record<string, string> } {
  const files: Record<string, string> = {};
  let macros = '';
  const body = (depth: number): string =>
    Array.from({ length: 1 + random.below(2) }, () => {
      const kind = random.below(depth > 3 ? 2 : 7);
      if (kind < 2) return `Require ${random.pick(['all granted', 'not ip 192.0.2.1', 'ip 192.0.2.1', 'not env a'])}\n`;
      if (kind === 2) return '# nothing\n';
      if (kind === 3) {
        const text = body(depth + 1);
        const name = `part${Object.keys(files).length}.conf`;
        files[name] = text;
        return `Include ${name}\n`;
      }
      if (kind === 4) {
        const text = body(depth + 1);
        const name = `M${macros.length}`;
        macros += `<Macro ${name}>\n${text}</Macro>\n`;
        return `Use ${name}\n`;
      }
      const name = random.pick(['RequireAll', 'RequireAll', 'RequireAny', 'RequireNone']);
      return `<${name}>\n${body(depth + 1)}</${name}>\n`;
    }).join('');
  const text = body(0);
  return { config: `${macros}<Directory /x>\n${text}</Directory>\n`, files };
}

async function compare(text: string, start: number): Promise<void> {
  const context = `HTTPD_UPGRADE_SEED=${start}\n${text}`;
  const errors = findingsIn(text).filter((finding) => finding.severity === 'error');
  const { ok, error } = await configTest(text);
  if (ok)
    assert.deepEqual(
      errors.map((finding) => finding.message),
      [],
      context,
    );
  else if (error!.line === undefined)
    assert.ok(
      errors.some(({ messageId }) => messageId === 'only-negative'),
      `${error!.message}: ${context}`,
    );
  else
    assert.ok(
      errors.some((finding) => text.slice(0, finding.start).split('\n').length === error!.line),
      `${error!.line}: ${error!.message}: ${context}`,
    );
}

/** Limits do not stand in limits: httpd has its own complaint about these. */
function randomBody(random: Random, depth: number, mayLimit: boolean): string {
  return Array.from({ length: random.below(4) }, () => {
    const kind = depth > 3 ? 0 : random.below(10);
    if (kind < 5) return `${random.pick(RANDOM_LINES)}\n`;
    const inside = (name: string, of: string, may: boolean) =>
      `<${of}>\n${randomBody(random, depth + 1, may)}</${name}>\n`;
    if (kind === 8 && mayLimit) return inside('Limit', 'Limit GET', false);
    if (kind === 9) return inside('IfModule', 'IfModule mod_authz_core.c', mayLimit);
    const name = random.pick(['RequireAll', 'RequireAny', 'RequireNone']);
    return inside(name, name, mayLimit);
  }).join('');
}

/** `ok`, `2: text` for an error in line 2, `AH01624: text` for one without a line. */
function outcome({ ok, error }: ConfigVerdict): string {
  if (ok) return 'ok';
  return `${error!.line ?? error!.code}: ${error!.message}`;
}
