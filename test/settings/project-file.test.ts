/** `.httpd-upgrade.json`: its settings, and the messages about its mistakes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMarkedUnused, readProjectSettings } from '../../server/src/settings/project-file';
import { SETTINGS, type Setting } from '../../server/src/settings/schema';
import { repositoryRoot } from '../support/paths';
import { otherThanDefault } from '../support/settings';

/**
 * Settings that are one word, a number, or yes or no: their names here, their names in an editor,
 * and a value.
 */
const SIMPLE = SETTINGS.flatMap((setting: Setting) => {
  const value = otherThanDefault(setting);
  if (!setting.project || setting.name === 'distribution' || value === undefined) return [];
  return [{ key: setting.project.key, name: setting.name, value }];
});

const EVERYTHING = {
  ...Object.fromEntries(SIMPLE.map(({ key, value }) => [key, value])),
  $schema: 'x',
  target: '2.4.6',
  distribution: 'rhel',
  severity: { 'max-clients': 'off', 'DEFAULT-type': 'error' },
  serverRoot: '/etc/httpd',
  defines: ['SSL', 'PROXY'],
  builtinModules: ['mod_so.c', 'prefork.c', 'alias_module'],
  pathMap: { '/etc/httpd/': 'etc/httpd/', '/': '.', '/etc': './srv/etc' },
  answers: { 'htaccess-unseen:/var/www': 'none', 'include-unseen:/etc/a=b': 'here=x=y' },
  unused: ['conf/old/', './httpd.conf.1'],
};

describe('.httpd-upgrade.json', () => {
  it('says everything there is to say', () => {
    const { settings, problems } = readProjectSettings(JSON.stringify(EVERYTHING));
    assert.deepEqual(problems, []);
    assert.deepEqual(settings, {
      target: { major: 2, minor: 4, patch: 6 },
      distribution: 'rhel',
      severities: { 'max-clients': 'off', 'default-type': 'error' },
      values: Object.fromEntries(SIMPLE.map(({ name, value }) => [name, value])),
      serverRoot: '/etc/httpd',
      defines: new Map([
        ['SSL', ''],
        ['PROXY', ''],
      ]),
      builtIn: new Set(['core', 'mod_so', 'prefork', 'mod_alias']),
      pathMap: [
        { from: '/etc/httpd', to: 'etc/httpd' },
        { from: '/etc', to: './srv/etc' },
        { from: '/', to: '.' },
      ],
      answers: new Map([
        ['htaccess-unseen:/var/www', 'none'],
        ['include-unseen:/etc/a=b', 'here=x=y'],
      ]),
      unused: ['conf/old', 'httpd.conf.1'],
    });
  });

  it('is what its schema describes', () => {
    const { properties } = JSON.parse(
      readFileSync(path.join(repositoryRoot, 'syntaxes/httpd-upgrade.schema.json'), 'utf8'),
    );
    assert.deepEqual(Object.keys(properties).sort(), Object.keys(EVERYTHING).sort());
    for (const key of Object.keys(properties)) {
      const problems = readProjectSettings(JSON.stringify({ [key]: null })).problems;
      assert.ok(problems.length === 1 && !problems[0].message.startsWith('There is no setting'), key);
    }
    for (const value of properties.distribution.enum)
      assert.deepEqual(readProjectSettings(JSON.stringify({ distribution: value })).problems, []);
    for (const id of Object.keys(properties.severity.properties))
      assert.deepEqual(readProjectSettings(JSON.stringify({ severity: { [id]: 'off' } })).problems, []);
  });

  it('may say nothing', () => {
    assert.deepEqual(readProjectSettings('{}'), {
      settings: { severities: {}, values: {}, defines: new Map(), answers: new Map(), pathMap: [] },
      problems: [],
    });
    assert.deepEqual(readProjectSettings('\uFEFF { }\r\n').problems, []);
  });

  it('may leave the distribution to the configuration', () =>
    assert.equal(readProjectSettings('{"distribution": "auto"}').settings.distribution, null));
  it('may give variables their values', () =>
    assert.deepEqual(
      readProjectSettings('{"defines": {"WWW": "/srv/www"}}').settings.defines,
      new Map([['WWW', '/srv/www']]),
    ));

  says('{"tarqet": "2.4"}', '^^^^^^^^', 'There is no setting "tarqet". Did you mean "target"?');
  says('{"frobnicate": 1}', '^^^^^^^^^^^^', 'There is no setting "frobnicate".');
  says('{"constructor": 1}', '^^^^^^^^^^^^^', 'There is no setting "constructor".');
  says('{"target": "2.2"}', '^^^^^', 'The target is "2.4" or a release such as "2.4.6", not "2.2".');
  says('{"target": 2.4}', '^^^', 'Write "2.4" or a release such as "2.4.6" here.');
  says(
    '{"distribution": "redhat"}',
    '^^^^^^^^',
    'The distribution is "auto", "debian", "rhel", "windows", "ihs", "ohs" or "upstream", not "redhat".',
  );
  says(
    '{"distribution": "debain"}',
    '^^^^^^^^',
    'The distribution is "auto", "debian", "rhel", "windows", "ihs", "ohs" or "upstream", not "debain". Did you mean "debian"?',
  );
  says(
    '{"severity": {"max-client": "off"}}',
    '^^^^^^^^^^^^',
    'There is no rule "max-client". Did you mean "max-clients"?',
  );
  says(
    '{"severity": {"max-clients": "warn"}}',
    '^^^^^^',
    'A severity is "off", "error", "warning", "info" or "hint", not "warn". Did you mean "warning"?',
  );
  says(
    '{"severity": "off"}',
    '^^^^^',
    'Write an object here: rules and their severities, such as { "max-clients": "off" }.',
  );
  says('{"assumeStandalone": "yes"}', '^^^^^', 'Write true or false here.');
  says(
    '{"source": "2.3"}',
    '^^^^^',
    'The source is "2.2", or "2.4" for a server with mod_access_compat, not "2.3". Did you mean "2.2"?',
  );
  says('{"serverRoot": "etc/httpd"}', '^^^^^^^^^^^', 'The server root is an absolute path, as the server sees it.');
  says(
    '{"defines": "SSL"}',
    '^^^^^',
    'Write a list of names here, as in ["SSL"], or names with their values, as in { "SSL": "" }.',
  );
  says('{"defines": ["A B"]}', '^^^^^', 'This is not a name for a variable: it cannot contain white space or ${ }.');
  says(
    '{"builtinModules": ["mod_alais"]}',
    '^^^^^^^^^^^',
    'httpd 2.4 has no module "mod_alais". Did you mean "mod_alias.c"?',
  );
  it('may name modules of other people', () =>
    assert.deepEqual(readProjectSettings('{"builtinModules": ["mod_jk.c", "php5_module"]}').problems, []));
  says(
    '{"builtinModules": "mod_so"}',
    '^^^^^^^^',
    'Write a list of modules here, as httpd -l prints them: ["mod_so.c", "prefork.c"].',
  );
  says(
    '{"answers": {"htaccess-unseen:/a": "no"}}',
    '^^^^',
    'The answer to "htaccess-unseen:/a" must be "none", "here=PATH" or "keep", not "no".',
  );
  says(
    '{"answers": {"htaccess:/a": "none"}}',
    '^^^^^^^^^^^^^',
    'There is no question "htaccess:/a": "httpd-upgrade plan" shows the questions with their ids.',
  );
  says(
    '{"answers": "none"}',
    '^^^^^^',
    'Write an object here: questions and their answers, such as { "htaccess-unseen:/var/www": "none" }.',
  );
  says('{"pathMap": {"etc": "x"}}', '^^^^^', 'A directory of the server must be an absolute path.');
  says('{"target": "2.4", "target": "2.4.6"}', '^^^^^^^^', '"target" appears twice; the last one counts.');
  says('["target"]', '^^^^^^^^^^', 'Write an object here: the settings, such as { "target": "2.4.6" }.');

  it('says where a text is longer than a path can be, and reads on', () => {
    const long = `/${'a/'.repeat(200_000)}`;
    for (const settings of [
      { pathMap: { '/a': `.${long}`, '/b': 'b' } },
      { pathMap: { [long]: 'a', '/b': 'b' } },
      { serverRoot: long, pathMap: { '/b': 'b' } },
      { [long]: 1, pathMap: { '/b': 'b' } },
    ]) {
      const { settings: read, problems } = readProjectSettings(JSON.stringify(settings));
      assert.deepEqual(
        problems.map(({ message }) => message),
        ['This text has more than 4096 characters. Write a shorter one.'],
      );
      assert.deepEqual([read.pathMap, read.serverRoot], [[{ from: '/b', to: 'b' }], undefined]);
    }
  });

  it('looks at a thousand directories, and says that there are more', () => {
    const view = { asked: 0, realPath: (place: string) => (view.asked++, place) };
    const places = Array.from({ length: 1500 }, (_, i): [string, string] => [`/p${i}`, `s${i}`]);
    const answers = places.map(([from, to]) => [`include-unseen:${from}`, `here=${to}`]);
    const { settings, problems } = readProjectSettings(
      JSON.stringify({ pathMap: Object.fromEntries(places), answers: Object.fromEntries(answers) }),
      { folder: '/site', view },
    );
    assert.deepEqual([settings.pathMap.length, settings.answers.size, problems.length], [1000, 0, 2000]);
    assert.match(problems[0].message, /names more than 1000 directories/);
    assert.ok(view.asked < 3000, String(view.asked));
  });

  it('looks up a path of 400 directories with few questions, and follows its links', () => {
    const deep = Array.from({ length: 400 }, () => 'a').join('/');
    const view = {
      asked: 0,
      realPath: (at: string) => (view.asked++, at.replace('/site/link', '/outside')),
      kind: (at: string) => (
        view.asked++, at.startsWith('/site/here/a/a') || !at.includes('a') ? ('folder' as const) : null
      ),
    };
    const { settings, problems } = readProjectSettings(
      JSON.stringify({ pathMap: { '/1': deep, '/2': `here/${deep}`, '/3': `link/${deep}` } }),
      { folder: '/site', view },
    );
    assert.deepEqual(
      settings.pathMap.map(({ from }) => from),
      ['/1', '/2'],
    );
    assert.match(problems[0].message, /leads out of the directory of this file/);
    assert.ok(view.asked < 60, String(view.asked));
  });

  it('reads a thousand modules and five thousand answers, and says that there are more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => i);
    const read = readProjectSettings(
      JSON.stringify({
        builtinModules: many(1200).map((i) => `x${i}x${i}x${i}.c`),
        answers: Object.fromEntries(many(5200).map((i) => [`htaccess-unseen:/v/${i}`, 'none'])),
      }),
    );
    const messages = read.problems.map(({ message }) => message);
    assert.equal(messages[0], 'This file names more than 1000 modules. Remove those that you do not need.');
    assert.equal(messages[1], 'This file names more than 5000 answers. Remove those that you do not need.');
    assert.deepEqual([messages.length, read.settings.answers.size], [201, 5000]);
  });

  it('lists five thousand problems, and quotes the beginning of a long text', () => {
    const { problems } = readProjectSettings(`{${'"x": 1,'.repeat(20_000)}"x": 1}`);
    assert.equal(problems.length, 5000);
    assert.match(problems[4999].message, /^This file has more problems, which are not listed\./);
    for (const settings of [
      { target: 'x'.repeat(4000) },
      { severity: { 'max-clients': 'x'.repeat(4000) } },
      { severity: { ['x'.repeat(4000)]: 'off' } },
      { ['x'.repeat(4000)]: 'off' },
      { pathMap: { '/a': `../${'x'.repeat(4000)}` } },
      { answers: { ['x'.repeat(4000)]: 'none' } },
      { answers: { 'htaccess-unseen:/v': 'x'.repeat(4000) } },
    ])
      assert.ok(readProjectSettings(JSON.stringify(settings)).problems[0].message.length < 500);
  });

  it('is at most 512 kB long', () =>
    assert.deepEqual(readProjectSettings(JSON.stringify({ $schema: 'x'.repeat(600_000) })).problems, [
      { start: 0, end: 1, message: 'This file is larger than 512 kB. Nothing in this file is used.' },
    ]));

  it('finds a file among many that are not used, by its directory or its name', () => {
    const unused = Array.from({ length: 50_000 }, (_, i) => `old/${i}`);
    for (const [name, isUnused] of [
      ['old/7', true],
      ['old/49999/conf/a.conf', true],
      ['old', false],
      ['old/77777', false],
      ['conf/old/7', false],
    ] as const)
      for (let times = 0; times < 2000; times++) assert.equal(isMarkedUnused({ unused }, name), isUnused, name);
  });

  broken('{"target": "2.4",}', '^', 'a comma must not stand before the end');
  broken('{"target" "2.4"}', '^', 'a colon is expected here');
  broken('{"target": "2.4"', '', 'a } is missing at the end');
  broken('{target: "2.4"}', '^', 'a name in double quotes is expected here');
  broken('{"target": }', '^', 'a value is expected here (text in double quotes, true, false, a number, { or [)');
  broken('{"target": "2.4} ', '^', 'the closing quote is missing');
  broken('{} {}', '^', 'nothing may follow here');
  broken('// note', '^', 'a value is expected here (text in double quotes, true, false, a number, { or [)');
  broken('', '', 'the file ends too early');
  broken('['.repeat(1000), '^', 'nested too deeply');
  broken('[1,]', '^', 'a comma must not stand before the end');
  broken('[', '', 'a ] is missing at the end');
  broken('[1', '', 'a ] is missing at the end');
  broken('{', '', 'a } is missing at the end');
  broken('{"target": "2.4" "source": "2.2"}', '^', 'a comma or a closing bracket is expected here');
  broken('{"target": "2.4" x}', '^', 'this word means nothing here');
  broken('{"target": 01}', '^', 'a comma or a closing bracket is expected here');
  broken('{"target": 1.}', '^', 'this is no number');
  broken("{'target': 1}", '^', 'a name in double quotes is expected here');
  broken('{"target": yes}', '^', 'a value is expected here (text in double quotes, true, false, a number, { or [)');
  broken('{"target": "\\x"}', '^', 'a backslash here quotes nothing that JSON knows');
  broken('{"target": "\\u12"}', '^', 'a backslash here quotes nothing that JSON knows');
  broken('{"target": "a\tb"}', '^', 'a control character, such as a tab, must be quoted here');
  broken('{ // The team decided this.\n"target": "2.4"}', '^', 'JSON has no comments');
  broken('{"target": "2.4"} /* not closed', '^', 'JSON has no comments');

  for (const [text, place] of [
    ['{"target": "2.4", }', ','],
    ['{"target": "2.4"\n  ,\n}', ','],
    ['{\n  target: 1}', 'target'],
    ['\uFEFF{ // x\n}', '//'],
    ['{"target": "2.4} ', '"2.4}'],
    [`${'['.repeat(51)}-`, '-'],
    [`${'['.repeat(51)}{`, '{'],
  ]) {
    it(`says where it stops to be JSON: ${text}`, () =>
      assert.equal(readProjectSettings(text).problems[0].start, text.lastIndexOf(place)));
  }

  it('is read whatever its size, and however deep it goes', () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `X${index}`);
    const text = JSON.stringify({ defines: Object.fromEntries(names.map((name) => [name, 'x'])) });
    assert.deepEqual([...readProjectSettings(text).settings.defines.keys()], names);
    assert.equal(readProjectSettings(JSON.stringify({ defines: names })).settings.defines.size, 30_000);
    for (const part of ['[', '{"a":', '[{"a":', '[1,', '//\n', '"', ',', 'x ', '{"a" '])
      assert.ok(readProjectSettings(part.repeat(100_000 / part.length)).problems.length > 0, part);
  });

  it('keeps what is right beside what is wrong', () => {
    const { settings, problems } = readProjectSettings(
      '{"target": "2.4.6", "distribution": 1, "severity": {"x": "off", "max-clients": "off"}}',
    );
    assert.equal(problems.length, 2);
    assert.deepEqual([settings.target?.patch, settings.severities], [6, { 'max-clients': 'off' }]);
  });
});

/**
 * The marks stand for the length of what is underlined: the first text of that length that has a
 * problem.
 */
function says(text: string, marks: string, message: string): void {
  it(`${text}: ${message}`, () => {
    const { problems } = readProjectSettings(text);
    assert.deepEqual(
      problems.map((problem) => [problem.message, problem.end - problem.start]),
      [[message, marks.length]],
    );
  });
}

function broken(text: string, marks: string, reason: string): void {
  says(text, marks, `This is not JSON: ${reason}. Nothing in this file is used.`);
}
