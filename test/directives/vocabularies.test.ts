/**
 * The words inside of arguments: consistent lists, and the server's own list if a real httpd
 * refuses wrong words.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import data from '../../server/src/directives/data/vocabularies.json';
import { directive, module, providers } from '../../server/src/directives';
import { argumentTable } from '../../server/src/directives/values';
import {
  vocabulary,
  VOCABULARY_KINDS,
  type VocabularyKind,
  type VocabularyWord,
} from '../../server/src/directives/vocabularies';
import { configTest, configTestAll, requireHttpd, type Httpd } from '../httpd/harness';
import { lacks } from '../support/lacks';

const MARKS = [
  'from',
  'since',
  'obsolete',
  'long',
  'value',
  'only',
  'operator',
  'alternative',
  'restricted',
  'form',
  'direction',
];

function words(kind: VocabularyKind): string[] {
  return vocabulary(kind).map(({ word }) => word);
}

describe('vocabularies: the lists', () => {
  it('are all there, and each has words', () => {
    assert.deepEqual(
      Object.keys(data).filter((kind) => !VOCABULARY_KINDS.includes(kind as VocabularyKind)),
      [],
    );
    for (const kind of VOCABULARY_KINDS) assert.ok(vocabulary(kind).length > 0, kind);
  });

  it('say something of every word, shortly', () => {
    for (const kind of VOCABULARY_KINDS) {
      for (const { word, text } of vocabulary(kind))
        assert.ok(text.length >= 2 && text.length <= 160, `${kind} ${word}: ${text}`);
    }
  });

  it('have no word twice, in any case where case does not matter', () => {
    const isExact = new Set<VocabularyKind>(['log-format', 'error-log-format', 'expression-operator']);
    for (const kind of VOCABULARY_KINDS) {
      const list = words(kind).map((word) => (isExact.has(kind) ? word : word.toLowerCase()));
      assert.deepEqual(
        list.filter((word, index) => list.indexOf(word) !== index),
        [],
        kind,
      );
    }
  });

  it('name modules that there are, and marks that somebody reads', () => {
    for (const kind of VOCABULARY_KINDS) {
      for (const { word, text: _text, ...marks } of vocabulary(kind)) {
        assert.deepEqual(
          Object.keys(marks).filter((mark) => !MARKS.includes(mark)),
          [],
          `${kind} ${word}`,
        );
        if (marks.from) assert.ok(module(marks.from)?.['2.4'], `${kind} ${word}: ${marks.from}`);
        if (marks.since) assert.match(marks.since, /^2\.4\.\d+$/);
      }
    }
  });

  it('take nothing from the manual: no eight words in a row', function () {
    const manual = MANUALS.find((folder) => existsSync(folder));
    if (!manual)
      lacks(this, 'no httpd manual here: install apache2-doc (Debian, Ubuntu) or httpd-manual (Fedora, RHEL)');
    const ours = new Map(
      VOCABULARY_KINDS.flatMap((kind) =>
        vocabulary(kind)
          .filter(({ word }) => !SYNTAX[word])
          .flatMap(({ word, text }) => runs(text).map((run): [string, string] => [run, `${kind} ${word}`])),
      ),
    );
    const pages = [
      'expr',
      'env',
      'rewrite/flags',
      'mod/mod_rewrite',
      'mod/mod_log_config',
      'mod/mod_ssl',
      'mod/core',
      'mod/mod_headers',
    ];
    for (const page of pages) {
      const file = [`${page}.html`, `${page}.html.en`]
        .map((name) => path.join(manual!, name))
        .find((name) => existsSync(name));
      if (!file) continue;
      for (const run of runs(readFileSync(file, 'utf8').replace(/<[^>]*>/g, ' ')))
        assert.ok(!ours.has(run), `${ours.get(run)}: "${run}" stands in ${page}`);
    }
  });

  it('know every provider that Require may name', () => {
    const known = new Set(words('require'));
    assert.deepEqual(
      [...providers('authz', '2.4').keys()].filter((name) => !known.has(name)),
      [],
    );
    for (const { word, from } of vocabulary('require')) {
      const modules = providers('authz', '2.4').get(word);
      if (modules) assert.ok(modules.includes(from!), `${word}: ${from}`);
    }
  });

  it('know the filters that modules register', () => {
    const known = new Map([...providers('inputFilters', '2.4'), ...providers('outputFilters', '2.4')]);
    for (const { word, from } of vocabulary('filter')) assert.ok(known.get(word)?.includes(from!), `${word}: ${from}`);
  });

  it('have the methods that AllowMethods takes', () => {
    const [methods] = argumentTable('AllowMethods')!.arguments;
    assert.deepEqual(
      words('method').sort(),
      methods
        .words!.map(({ word }) => word)
        .filter((word) => word.toLowerCase() !== 'reset')
        .sort(),
    );
    assert.ok(directive('AllowMethods'));
  });
});

const MANUALS = ['/usr/share/doc/apache2-doc/manual/en', '/usr/share/httpd/manual', '/usr/local/apache2/manual'];

/** Words whose text is syntax. */
const SYNTAX: Readonly<Record<string, true>> = { CO: true };

/** Every eight words in a row. */
function runs(text: string): string[] {
  const list = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return list.slice(7).map((_, index) => list.slice(index, index + 8).join(' '));
}

describe('vocabularies: what a real httpd says', () => {
  let httpd: Httpd;

  before(function () {
    httpd = requireHttpd(this);
  });

  /** What tries a word: the lines, and with which modules a wrong word is tried. */
  const TRIALS: readonly {
    kind: VocabularyKind;
    modules: string[];
    wrong: string[];
    lines: (one: VocabularyWord) => string[];
  }[] = [
    {
      kind: 'expression-variable',
      modules: ['authz_core'],
      wrong: ['HTTP_FOO', 'SERVER_ADDR', 'FOO'],
      lines: ({ word }) => [requireExpr(`%{${word}} == 'a'`)],
    },
    {
      kind: 'ssl-variable',
      modules: ['authz_core', 'ssl'],
      wrong: ['FOO'],
      lines: ({ word }) => [requireExpr(`%{${word}} == 'a'`)],
    },
    {
      kind: 'expression-function',
      modules: ['authz_core', 'ssl'],
      wrong: ['sha256', 'foo'],
      lines: ({ word }) => [
        requireExpr(`${word}('a') == 'a'`),
        requireExpr(`%{${word}:a} == 'a'`),
        requireExpr(`${word.toUpperCase()}('a') == 'a'`),
      ],
    },
    {
      kind: 'expression-list-function',
      modules: ['authz_core', 'ssl'],
      wrong: ['foo'],
      lines: ({ word }) => [requireExpr(`'a' in ${word}('2.5.4.3')`)],
    },
    {
      kind: 'expression-operator',
      modules: ['authz_core'],
      wrong: ['-foo', '===', '<>', '-q'],
      lines: ({ word, operator = word.length === 2 ? 'unary' : 'binary', alternative }) =>
        [word, ...(alternative ? [alternative] : [])].map((one) => requireExpr(OPERANDS[operator](one))),
    },
    {
      kind: 'rule-flag',
      modules: ['rewrite'],
      wrong: ['OR', 'foo', 'R=999'],
      lines: ({ word, long, value }) =>
        [word, ...(long ? [long] : [])]
          .flatMap((flag) => [
            ...(value === 'required' ? [] : [`RewriteRule a /b [${flag}]`]),
            ...(value ? [`RewriteRule a /b [${flag}=1:2]`, `RewriteRule a /b [${flag.toLowerCase()}=1:2]`] : []),
          ])
          .filter((line) => !/\[(R|redirect)=1/i.test(line)),
    },
    {
      kind: 'condition-flag',
      modules: ['rewrite'],
      wrong: ['L', 'foo'],
      lines: ({ word, long }) => [word, long!].map((flag) => `RewriteCond a b [${flag}]\nRewriteRule a b`),
    },
    {
      kind: 'log-format',
      modules: ['log_config'],
      wrong: ['%z', '%Z', '%^zz'],
      lines: ({ word }) => [`LogFormat "${word}" a`],
    },
    {
      kind: 'error-log-format',
      modules: [],
      wrong: ['%z', '%h', '%b'],
      lines: ({ word }) => [`ErrorLogFormat "%M ${word}"`],
    },
    {
      kind: 'redirect-status',
      modules: ['alias'],
      wrong: ['foo'],
      lines: ({ word }) => [`Redirect ${word} /a${word === 'gone' ? '' : ' /b'}`],
    },
    {
      kind: 'status',
      modules: [],
      wrong: ['99', '299', '418', '600', 'foo'],
      lines: ({ word }) => [`ErrorDocument ${word} /a`],
    },
  ];

  it('takes every word', async function () {
    this.timeout(300_000);
    const lines = TRIALS.flatMap(({ kind, lines: make }) => vocabulary(kind).filter(isKnown).flatMap(make))
      .join('\n')
      .split('\n');
    const refused = await configTestAll(lines.join('\n'));
    assert.equal(refused.map(({ line = 0, message }) => `\n${lines[line - 1]}: ${message}`).join(''), '');
    assert.ok(lines.length > 400, `${lines.length}`);
  });

  it('refuses others', async function () {
    this.timeout(300_000);
    const trials = TRIALS.flatMap(({ modules, wrong, lines }) =>
      wrong.map((word) => ({ modules, line: lines({ word, long: word, text: '' })[0] })),
    );
    const taken = await Promise.all(
      trials.map(async ({ modules, line }) => {
        const { ok, stderr } = await configTest(line, {
          modules: [...modules, 'authz_core'].filter((name) => httpd.loadable.has(name)),
        });
        return ok || stderr.includes('Invalid command') ? [`${line}: ${stderr}`] : [];
      }),
    );
    assert.deepEqual(taken.flat(), []);
  });

  it('knows every provider that Require may name, and no other', async function () {
    this.timeout(300_000);
    const names = [
      ...vocabulary('require')
        .filter(isKnown)
        .map(({ word }) => word),
      'no-such-provider',
      'ALL',
    ];
    const unknown = await Promise.all(
      names.map(async (name) => {
        const { stderr } = await configTest(`<Directory "/srv/www">\nRequire ${name} a\n</Directory>`);
        return stderr.includes('Unknown Authz provider') ? [name] : [];
      }),
    );
    assert.deepEqual(unknown.flat(), ['no-such-provider', 'ALL']);
  });

  it('has the reason phrases', () => {
    const program = readFileSync(httpd.binary, 'latin1');
    for (const { word, text } of vocabulary('status'))
      assert.ok(program.includes(`${word} ${text}\0`), `${word} ${text}`);
  });

  it('has the handlers and environment variables in its modules', () => {
    const binaries = new Map<string, string>();
    const textOf = (name: string): string | undefined => {
      const file = httpd.loadable.has(name)
        ? path.join(httpd.modulesDir, `mod_${name}.so`)
        : httpd.builtin.has(name) || name === 'core'
          ? httpd.binary
          : undefined;
      if (file && !binaries.has(file)) binaries.set(file, readFileSync(file, 'latin1').toLowerCase());
      return file && binaries.get(file);
    };
    const lacking = [...vocabulary('handler'), ...vocabulary('environment')]
      .filter(isKnown)
      .filter(({ word, from = 'core' }) => {
        const text = textOf(from.replace(/^mod_/, ''));
        return text !== undefined && !ELSEWHERE[word] && !text.includes(word.toLowerCase());
      });
    assert.deepEqual(
      lacking.map(({ word }) => word),
      [],
    );
  });

  function isKnown({ since }: VocabularyWord): boolean {
    return Number(since?.split('.')[2] ?? 0) <= Number(httpd.version.split('.')[2]);
  }
});

/** Words that no file of the server contains as they are, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'default-handler': 'a name that nobody takes; core serves what no handler takes',
  'ssl-accurate-shutdown': 'put together from its parts',
  'ssl-unclean-shutdown': 'put together from its parts',
};

const OPERANDS: Readonly<Record<NonNullable<VocabularyWord['operator']>, (operator: string) => string>> = {
  unary: (operator) => `${operator} ${operator === '-R' ? "'10.0.0.0/8'" : "'/a'"}`,
  binary: (operator) => `%{REMOTE_ADDR} ${operator} ${operator === '-ipmatch' ? "'10.0.0.0/8'" : "'1'"}`,
  regex: (operator) => `%{REMOTE_ADDR} ${operator} /a/`,
  list: (operator) => `%{REMOTE_ADDR} ${operator} { 'a', 'b' }`,
};

/** A line without a place: `<If>` may stand anywhere. */
function requireExpr(condition: string): string {
  return `<If "${condition}">\n</If>`;
}
