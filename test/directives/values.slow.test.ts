/**
 * The table of arguments: complete, consistent, and confirmed by a real httpd. The right values of
 * all directives are tried in one configuration; a wrong value stops httpd, so each has its own.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import data from '../../server/src/directives/data/values.json';
import { directives, displayName, type Directive, type DirectiveFacts } from '../../server/src/directives';
import {
  argumentTable,
  parseArgumentForm,
  VALUE_KINDS,
  type Argument,
  type ValueWord,
} from '../../server/src/directives/values';
import { configTest, configTestAll, NEW_AUTH_DIGEST, requireHttpd, type Httpd, type Mpm } from '../httpd/harness';

const LINES: Readonly<Record<string, string | readonly string[]>> = data;

/** Every directive that a 2.4 server has, with its facts. */
const ALL = directives().flatMap((one) => (one['2.4'] ? [{ one, facts: one['2.4'], name: displayName(one) }] : []));

function formsOf(one: Directive): readonly (readonly Argument[])[] {
  const table = argumentTable(one.name, { section: one.section })!;
  return table.forms ?? [table.arguments];
}

/** An argument and its choices. */
function parts(argument: Argument): Argument[] {
  return [...(argument.choices ?? [argument])];
}

describe('values: the table', () => {
  it('has a line for every directive, but those that are On or Off', () => {
    const keys = new Set(Object.keys(LINES).map((key) => key.toLowerCase()));
    const lacking = ALL.filter(({ one, facts }) => facts.arguments !== 'FLAG' && !keys.has(keyOf(one)));
    assert.deepEqual(
      lacking.map(({ name }) => name),
      [],
    );
    const known = new Set(ALL.map(({ one }) => keyOf(one)));
    assert.deepEqual(
      Object.keys(LINES).filter((key) => !key.startsWith('&') && !known.has(key.toLowerCase())),
      [],
    );
  });

  it('has one line for each, by name, spelled as the manual does', () => {
    const spelled = new Set(ALL.map(({ one }) => (one.section ? `<${one.name}` : one.name)));
    const names = Object.keys(LINES).filter((key) => !key.startsWith('&'));
    assert.deepEqual(
      names.filter((name) => !spelled.has(name)),
      [],
    );
    const order = (name: string) => name.replace('<', '').toLowerCase();
    assert.deepEqual(
      names,
      [...names].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : a < b ? -1 : 1)),
    );
  });

  it('names kinds that there are, and words where the kind is word', () => {
    for (const { one, name } of ALL) {
      for (const argument of formsOf(one).flat().flatMap(parts)) {
        for (const kind of argument.kinds) assert.ok(VALUE_KINDS.includes(kind), `${name}: ${kind}`);
        assert.ok(argument.kinds.length > 0, `${name}: ${argument.label}`);
        assert.equal(argument.kinds.includes('word'), argument.words !== undefined, `${name}: ${argument.label}`);
        assert.ok(argument.label.trim() !== '', name);
      }
    }
  });

  it('has no word twice', () => {
    for (const { one, name } of ALL) {
      for (const argument of formsOf(one).flat()) {
        const words = parts(argument).flatMap((part) =>
          (part.words ?? []).map(({ word }) => (part.key ?? '') + word.toLowerCase()),
        );
        assert.deepEqual(
          words.filter((word, index) => words.indexOf(word) !== index),
          [],
          name,
        );
      }
    }
  });

  it('says of every word that came later a release that there was', () => {
    for (const { one, name } of ALL) {
      for (const { word, since } of formsOf(one)
        .flat()
        .flatMap(parts)
        .flatMap((part) => part.words ?? [])) {
        if (since) assert.match(since, /^2\.4\.([1-9]|[1-6]\d|7[01])$/, `${name} ${word}`);
      }
    }
  });

  it('has as many arguments as the server takes', () => {
    const wrong = ALL.flatMap(({ one, facts, name }) => {
      const bounds = COUNTED[name] ?? BOUNDS[facts.arguments ?? ''];
      if (!bounds) return [];
      const forms = formsOf(one);
      const least = Math.min(...forms.map((form) => form.filter(({ optional }) => !optional).length));
      const most = Math.max(...forms.map((form) => (form.some(({ repeats }) => repeats) ? Infinity : form.length)));
      return least === bounds[0] && most === bounds[1]
        ? []
        : [`${name}: ${least} to ${most}, takes ${facts.arguments}`];
    });
    assert.deepEqual(wrong, []);
  });

  it('covers both kinds of tables', () => {
    const tables = ALL.map(({ one }) => argumentTable(one.name, { section: one.section })!);
    const strict = tables.filter((table) => table.strict).length;
    const enumerated = ALL.filter(({ one }) =>
      formsOf(one)
        .flat()
        .flatMap(parts)
        .some(({ words }) => words),
    ).length;
    assert.deepEqual({ all: ALL.length, strict, enumerated }, COUNTS);
  });

  it('has short labels', () => {
    const labels = ALL.flatMap(({ one, name }) =>
      formsOf(one)
        .flat()
        .map(({ label }) => ({ name, label })),
    );
    assert.deepEqual(
      labels.filter(({ label }) => label.length > 50 || /::|[{}<>]/.test(label)),
      [],
    );
  });

  it('is read at the first question, in a bundle for the browser as well', async () => {
    const { outputFiles } = await build({
      entryPoints: ['server/src/directives/values.ts'],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'values',
      plugins: [marked],
    });
    const world = vm.createContext({});
    vm.runInContext(outputFiles[0].text, world);
    assert.equal(vm.runInContext('globalThis.isLoaded', world), undefined);
    assert.equal(vm.runInContext('values.argumentTable("keepalivetimeout").arguments[0].kinds[0]', world), 'time');
    assert.equal(vm.runInContext('globalThis.isLoaded', world), true);
  });

  it('is small', () =>
    assert.ok(gzipSync(JSON.stringify(LINES)).length < 14_000, `${gzipSync(JSON.stringify(LINES)).length} bytes`));

  it('reads its notation', () => {
    assert.deepEqual(parseArgumentForm('level::+-None^|All|Old~|New@2.4.9... [name=x<number:1..9~>]'), [
      {
        label: 'level',
        kinds: ['word'],
        signed: true,
        repeats: true,
        words: [
          { word: 'None', unsigned: true },
          { word: 'All' },
          { word: 'Old', obsolete: true },
          { word: 'New', since: '2.4.9' },
        ],
      },
      { label: 'name=x', kinds: ['number'], key: 'name=', min: 1, max: 9, lenient: true, optional: true },
    ]);
    assert.deepEqual(parseArgumentForm('what::(A|b<file> exec:c<path>)'), [
      {
        label: 'what',
        kinds: ['word', 'file'],
        words: [{ word: 'A' }],
        choices: [
          { label: 'A|b', kinds: ['word', 'file'], words: [{ word: 'A' }] },
          { label: 'exec:c', kinds: ['path'], key: 'exec:' },
        ],
      },
    ]);
    assert.deepEqual(parseArgumentForm('level::A|n:level<module>{name:}'), [
      { label: 'level', kinds: ['word', 'module'], words: [{ word: 'A' }], qualifier: ':' },
    ]);
    assert.deepEqual(parseArgumentForm('A|B{=} x<host,address>{,}'), [
      { label: 'A|B', kinds: ['word'], words: [{ word: 'A' }, { word: 'B' }], exact: true },
      { label: 'x', kinds: ['host', 'address'], separator: ',' },
    ]);
  });
});

/** Makes the JSON tell that it was evaluated. */
const marked: Plugin = {
  name: 'marked',
  setup(options) {
    options.onLoad({ filter: /values\.json$/ }, ({ path: file }) => ({
      contents: `globalThis.isLoaded = true; module.exports = ${readFileSync(file, 'utf8')}`,
      loader: 'js',
    }));
  },
};

const COUNTS = { all: 755, strict: 321, enumerated: 327 };

/**
 * Least and most arguments by the command table's kind; what takes its line raw counts for itself.
 */
const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  TAKE1: [1, 1],
  TAKE2: [2, 2],
  TAKE3: [3, 3],
  TAKE12: [1, 2],
  TAKE23: [2, 3],
  TAKE123: [1, 3],
  FLAG: [1, 1],
  ITERATE: [1, Infinity],
  ITERATE2: [2, Infinity],
};

/** Where the kind allows what the directive's function refuses. */
const COUNTED: Readonly<Record<string, readonly [number, number]>> = {
  // start_ifversion() takes a third word and looks whether it is the section's end.
  '<IfVersion>': [1, 2],
};

// ---- What the server says ----

/** A line with one value under test. */
interface Case {
  readonly name: string;
  readonly facts: DirectiveFacts;
  readonly text: string;
}

describe('values: what a real httpd says', () => {
  let httpd: Httpd;

  before(function () {
    httpd = requireHttpd(this);
  });

  it('takes every word, and every number up to its bounds', async function () {
    this.timeout(300_000);
    const cases = here().flatMap(rightCases);
    assert.ok(cases.length > 600, `${cases.length}`);
    const groups = new Map<Mpm, Case[]>();
    for (const one of cases) groups.set(mpmOf(one.facts), [...(groups.get(mpmOf(one.facts)) ?? []), one]);
    for (const [mpm, group] of groups) {
      const places = group.map((one) => inPlace(one));
      const config = places.join('\n');
      const lines = config.split('\n');
      const refused = await configTestAll(config, { mpm, files: FILES });
      none(
        refused
          .filter(({ message }) => !OF_THIS_MACHINE.test(message))
          .map(({ line = 0, message }) => `${lines[line - 1]}: ${message}`),
      );
    }
  });

  it('refuses a wrong one where the table is strict, and a number beyond its bounds', async function () {
    this.timeout(300_000);
    const cases = here().flatMap(wrongCases);
    assert.ok(cases.length > 200, `${cases.length}`);
    const taken = await Promise.all(
      cases.map(async (one) => {
        const options = { mpm: mpmOf(one.facts), modules: modulesFor(one.facts), files: FILES };
        const { ok, stderr } = await configTest(inPlace(one), options);
        return ok ? [one.text] : /Invalid command|cannot open shared/.test(stderr) ? [`${one.text}: ${stderr}`] : [];
      }),
    );
    none(taken.flat());
  });

  it('leaves out only directives that the build lacks', function () {
    const tried = new Set(here().map(({ name }) => name));
    const left = ALL.filter(
      ({ facts, name }) => !tried.has(name) && facts.modules.some((module) => !isExtra(module)),
    ).map(({ name }) => name);
    // An older server lacks the newest directives, another build other modules.
    assert.deepEqual(
      left.filter((name) => patch() >= 71 && !NOT_HERE[name]),
      [],
    );
  });

  /** A module that builds need not have, and this one has not. */
  function isExtra(module: string): boolean {
    return EXTRA.has(module) && !httpd.loadable.has(module.replace(/^mod_/, ''));
  }

  /** The directives of this build, and not newer than this server. */
  function here(): typeof ALL {
    const names = new Set([...httpd.builtin, ...httpd.loadable]);
    return ALL.filter(({ facts, name }) => {
      const isNewer = Number(/^2\.4\.(\d+)/.exec(facts.since ?? '')?.[1] ?? 0) > patch();
      return (
        !isNewer &&
        !NOT_HERE[name] &&
        facts.modules.some(
          (module) => module === 'core' || names.has(module.replace(/^mod_/, '')) || names.has(`mpm_${module}`),
        )
      );
    });
  }

  /** As few as will do, which is fast. */
  function modulesFor({ modules }: DirectiveFacts): string[] {
    const names = modules
      .map((module) => module.replace(/^mod_/, ''))
      .flatMap((name) => [name, ...(NEEDED[name] ?? [])]);
    return [...new Set([...names, 'authz_core'])].filter((name) => httpd.loadable.has(name));
  }

  function patch(): number {
    return Number(httpd.version.split('.')[2]);
  }

  function isOld({ since }: ValueWord): boolean {
    return !since || Number(since.split('.')[2]) <= patch();
  }

  function rightCases({ one, facts, name }: (typeof ALL)[number]): Case[] {
    return formsOf(one).flatMap((form) =>
      form.flatMap((argument, index) =>
        partsOf(name, argument)
          .flatMap((part) => [
            ...(part.words ?? []).filter(isOld).flatMap((word) => spellings(part, word)),
            ...numbers(part).right,
          ])
          .map((value) => ({ name, facts, text: write(name, form, index, value) }))
          .filter(({ text }) => !NOT_TAKEN[text.toLowerCase()])
          // Before, its tables needed 136 bytes.
          .filter(({ text }) => text !== 'AuthDigestShmemSize 88' || patch() >= NEW_AUTH_DIGEST),
      ),
    );
  }

  function wrongCases({ one, facts, name }: (typeof ALL)[number]): Case[] {
    const { strict } = argumentTable(one.name, { section: one.section })!;
    return formsOf(one).flatMap((form) =>
      form.flatMap((argument, index) => {
        const wrong = partsOf(name, argument).flatMap((part) => [
          ...(strict && isClosed(part) ? [(part.key ?? '') + WRONG] : []),
          ...(part.exact
            ? part
                .words!.map(({ word }) => inOtherCase(word))
                .filter((word) => !part.words!.some((other) => other.word === word))
            : []),
          ...numbers(part).wrong,
        ]);
        return wrong
          .map((value) => ({ name, facts, text: write(name, form, index, value) }))
          .filter(({ text }) => !TAKEN[text]);
      }),
    );
  }
});

/** Fails with everything that is in the list. */
function none(problems: readonly string[]): void {
  if (problems.length > 0) assert.fail(`\n${problems.join('\n')}`);
}

const WRONG = 'no-such-value';

/** One that takes what is listed and nothing else. */
function isClosed({ kinds, words, qualifier, lenient, min = 0 }: Argument): boolean {
  if (qualifier) return true;
  const isZero = lenient && (min <= 0 || words?.some(({ word }) => word === '0'));
  return !isZero && kinds.every((kind) => kind === 'word' || NUMBERS.has(kind));
}

/**
 * Of ProxyPass, ProxyPassMatch, ProxySet and BalancerMember, which share their parameters, only the
 * first.
 */
function partsOf(name: string, argument: Argument): Argument[] {
  return argument.choices && name !== 'ProxyPass' && argument.choices.some(({ key }) => key === 'timeout=')
    ? []
    : parts(argument);
}

const NUMBERS: ReadonlySet<string> = new Set(['number', 'bytes', 'time']);

/**
 * Around the bounds. What is lenient takes `5x` and, where 0 is right, what is no number at all.
 */
function numbers({ kinds, words, min, max, lenient, key = '' }: Argument): { right: string[]; wrong: string[] } {
  if (!kinds.some((kind) => NUMBERS.has(kind))) return { right: [], wrong: [] };
  // The end of 64 bits is no number of JavaScript.
  const isLong = max !== undefined && max > Number.MAX_SAFE_INTEGER;
  const [low, high] = [min ?? 0, isLong ? Number.MAX_SAFE_INTEGER : (max ?? 100_000)];
  const zero = (low <= 0 && 0 <= high) || words?.some(({ word }) => word === '0') === true;
  const right = (
    min === undefined && max === undefined ? [5] : min === undefined ? [high] : max === undefined ? [low] : [low, high]
  )
    .map(String)
    .concat(lenient ? [`${low}x`, ...(zero ? [WRONG] : [])] : []);
  const wrong = [
    ...(min === undefined ? [] : [`${min - 1}`]),
    ...(max === undefined ? [] : [isLong ? '9'.repeat(20) : `${max + 1}`]),
  ];
  return { right: [...new Set(right)].map((value) => key + value), wrong: wrong.map((value) => key + value) };
}

/**
 * The word, and in other letters where these do not matter. What is obsolete may be taken with a
 * minus only, as in `-SSLv2`.
 */
function spellings({ signed, exact, key = '' }: Argument, { word, unsigned, obsolete }: ValueWord): string[] {
  const lead = (signed && !unsigned && obsolete ? '-' : '') + key;
  return exact || inOtherCase(word) === word ? [lead + word] : [lead + word, lead + inOtherCase(word)];
}

function inOtherCase(word: string): string {
  return word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase();
}

/** A whole directive with the value at its place and something right everywhere else. */
function write(name: string, form: readonly Argument[], index: number, value: string): string {
  const template = TEMPLATES[`${name} ${index}`];
  const values =
    (typeof template === 'function' ? template(value) : template?.replaceAll('$', value)) ??
    form.map((argument, at) => (at === index ? value : sampleOf(name, argument))).join(' ');
  const bare = name.replace(/[<>]/g, '');
  return name.startsWith('<') ? `<${bare} ${values}>` : `${bare} ${values}`;
}

function sampleOf(name: string, argument: Argument): string {
  const [part] = parts(argument);
  const word = part.words?.find(({ obsolete }) => !obsolete)?.word;
  const value = word ?? SAMPLES[part.kinds[0]] ?? assert.fail(`${name}: no sample for ${part.kinds[0]}`);
  return (part.key ?? '') + value;
}

/** The line where it may stand, and apart from the others where that is possible. */
function inPlace({ name, facts, text }: Case): string {
  const line = name.startsWith('<') ? `${text}\n</${name.slice(1)}` : (AROUND[name]?.replace('$', text) ?? text);
  if (facts.contexts.includes('virtual host')) return `<VirtualHost 127.0.0.1:8081>\n${line}\n</VirtualHost>`;
  return facts.contexts.includes('server config') ? line : `<Directory "/srv/www">\n${line}\n</Directory>`;
}

function keyOf({ name, section }: Directive): string {
  return (section ? `<${name}` : name).toLowerCase();
}

function mpmOf({ modules }: DirectiveFacts): Mpm {
  return modules.includes('prefork') && !modules.includes('event') ? 'prefork' : 'event';
}

/** What a module's directives ask for besides. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  auth_basic: ['authn_core'],
  auth_digest: ['authn_core'],
  auth_form: ['authn_core'],
  authnz_ldap: ['ldap'],
};

const FILES = {};

/** Right values for what is not under test. */
const SAMPLES: Readonly<Record<string, string>> = {
  number: '5',
  bytes: '5000',
  time: '5',
  file: '/dev/null',
  folder: '/tmp',
  path: '/tmp',
  url: 'http://localhost/',
  'url-path': '/a',
  regex: 'a',
  glob: '*',
  address: '127.0.0.1',
  host: 'localhost',
  'host-port': '127.0.0.1:80',
  port: '80',
  'mime-type': 'text/html',
  charset: 'UTF-8',
  language: 'en',
  encoding: 'gzip',
  extension: '.a',
  status: '404',
  header: 'X-A',
  method: 'GET',
  variable: 'a',
  handler: 'a',
  filter: 'INCLUDES',
  expression: 'true',
  'log-format': '"%M"',
  'log-format-name': 'a',
  balancer: 'balancer://a',
  macro: 'a',
  module: 'core',
  directive: 'Options',
  define: 'a',
  'authn-provider': 'file',
  'authz-provider': 'ip',
  'socache-provider': 'shmcb',
  mutex: 'default',
  text: 'a',
  user: 'root',
  group: 'root',
  'rewrite-flags': '[L]',
  'rewrite-map': 'a',
};

/**
 * Whole arguments, `$` being the value, where what fits each by itself does not fit together. By
 * name and number of the argument.
 */
const TEMPLATES: Readonly<Record<string, string | ((value: string) => string)>> = {
  '<Files> 0': '$ a',
  '<IfVersion> 0': '$ 2.4',
  'AuthLDAPURL 1': 'ldap://localhost/ $',
  'AuthnzFcgiCheckAuthnProvider 0': '$',
  'AuthnzFcgiCheckAuthnProvider 1': 'a $ off',
  'AuthnzFcgiDefineProvider 0': '$ $ fcgi://localhost:9000',
  'CacheDisable 0': '$',
  'ErrorLogFormat 0': '$ "%a"',
  'ExtFilterDefine 1': (value) => `filter-${Buffer.from(value).toString('hex')} ${value}`,
  'FilterProtocol 2': 'a $',
  'FilterTrace 1': 'a $',
  'H2PushPriority 1': '* $',
  'Listen 1': (value) => `127.0.0.1:${9000 + Buffer.from(value).reduce((sum, byte) => sum + byte)} ${value}`,
  'MDPortMap 0': '$',
  'MDPortMap 1': 'http:80 $',
  'MDomain 0': '$.example $',
  'ProxyErrorOverride 0': '$',
  'ProxyErrorOverride 1': 'On $',
  'ProxyPass 2': (value) => `/a ${isOfBalancer(value) ? 'balancer://a' : 'http://localhost/'} ${value}`,
  'Require 0': '$ all granted',
  'SSLRandomSeed 0': '$ builtin',
  'SSLRandomSeed 1': 'startup $',
  'SSLRandomSeed 2': 'startup file:/dev/urandom $',
};

/** Whether a parameter of ProxyPass is one of balancers and not of workers. */
function isOfBalancer(value: string): boolean {
  return parseArgumentForm('(&balancer)')[0].choices!.some(({ key }) => key !== 'timeout=' && value.startsWith(key!));
}

/** Lines around a directive that stands alone nowhere. */
const AROUND: Readonly<Record<string, string>> = {
  FilterProtocol: 'FilterDeclare a\n$',
  FilterTrace: 'FilterDeclare a\n$',
  Require: '<RequireAll>\nRequire all granted\n$\n</RequireAll>',
};

/** Right words that are refused where the test puts them, and why; in small letters. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  'cachedisable on': 'only in a Location',
  'indexoptions descriptionwidth': 'as -DescriptionWidth alone',
  'indexoptions namewidth': 'as -NameWidth alone',
  'mutex default default': 'DEFAULT is no name of a mutex, default is',
  'mutex none default': 'for a few mutexes only',
  'mutex no default': 'for a few mutexes only',
  'redirect gone /a http://localhost/': 'without a URL, which is the other form',
  'redirectmatch gone a http://localhost/': 'without a URL, which is the other form',
  'sslfips off': 'On stands in the same configuration',
  'sslopensslconfcmd dhparameters a': 'wants a file',
};

/** Programs, drivers and algorithms that a build need not have. */
const OF_THIS_MACHINE = /Can't load driver file|does not have any compression methods|Missing suexec binary/;

/** Wrong words that a strict argument takes nonetheless, and why. */
const TAKEN: Readonly<Record<string, string>> = {
  'AllowMethods RESET': 'only methods are compared letter by letter',
  'AuthLDAPDereferenceAliases OFF': 'only the other words are compared letter by letter',
  'AuthLDAPDereferenceAliases ON': 'only the other words are compared letter by letter',
  'AllowOverride Nonfatal=no-such-value': 'does nothing',
  'LogMessage a hook=all hook=no-such-value': 'only the first one is looked at',
};

/** Modules of other platforms, and examples. */
const EXTRA: ReadonlySet<string> = new Set([
  'mod_isapi',
  'mod_nw_ssl',
  'mod_privileges',
  'mod_example_hooks',
  'mpm_netware',
  'mpm_winnt',
  'mpmt_os2',
]);

/** Directives that this build does not have. */
const NOT_HERE: Readonly<Record<string, string>> = {
  CGIMapExtension: 'NetWare only',
  EnableExceptionHook: 'needs --enable-exception-hook',
  GprofDir: 'needs a build for profiling',
  LuaHookPreTranslate: 'the manual only; the server says LuaHookPreTranslateName',
  MDCertificateMonitor: 'the manual only',
  '<RequireNotAll>': 'needs a build with AUTHZ_EXTRA_CONFIGS',
  ScriptInterpreterSource: 'Windows only',
  UNCList: 'Windows only',
};
