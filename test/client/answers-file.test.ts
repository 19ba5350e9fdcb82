/**
 * Answers in `.httpd-upgrade.json`: written so that everything else stays, and found for completion
 * and hovers.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { applyEdits } from 'jsonc-parser';
import {
  propertyForCopy,
  relativePathFrom,
  completionPlaceAt,
  questionMarkdown,
  propertyEdits,
  unusedListWith,
} from '../../client/src/answers-file';
import { QUESTION_KINDS, questionText } from '../../server/src/analysis/answers';
import { typeOfFindOut } from '../../server/src/analysis/question-surfaces';
import { readProjectSettings } from '../../server/src/settings/project-file';
import { repositoryRoot } from '../support/paths';

const ID = 'htaccess-unseen:/var/www';

/** The text with a property set, or removed if `value` is undefined; null if that is impossible. */
function withProperty(text: string, ...[name, value]: [readonly string[], Parameters<typeof propertyEdits>[2]]) {
  const edits = propertyEdits(text, name, value);
  return edits && applyEdits(text, edits);
}

describe('.httpd-upgrade.json', () => {
  const cases: [title: string, before: string, after: string | null, value?: string | undefined][] = [
    ['that is not there yet', '', `{\n  "answers": {\n    "${ID}": "none"\n  }\n}\n`],
    [
      'with other content',
      '{\n  "target": "2.4.6"\n}\n',
      `{\n  "target": "2.4.6",\n  "answers": {\n    "${ID}": "none"\n  }\n}\n`,
    ],
    [
      'with another answer',
      '{ "answers": { "a:b": "c" } }\n',
      `{\n  "answers": {\n    "a:b": "c",\n    "${ID}": "none"\n  }\n}\n`,
    ],
    [
      'with an answer to it',
      `{\n\t"answers": {\n\t\t"${ID}": "keep"\n\t}\n}\n`,
      `{\n\t"answers": {\n\t\t"${ID}": "none"\n\t}\n}\n`,
    ],
    [
      'with comments, which some editors allow',
      '{\n  // The team decided this.\n  "target": "2.4.6"\n}\n',
      `{\n  // The team decided this.\n  "target": "2.4.6",\n  "answers": {\n    "${ID}": "none"\n  }\n}\n`,
    ],
    [
      'with CRLF',
      '{\r\n  "target": "2.4"\r\n}\r\n',
      `{\r\n  "target": "2.4",\r\n  "answers": {\r\n    "${ID}": "none"\r\n  }\r\n}\r\n`,
    ],
    ['that is no JSON', '{ "target" ', null],
    ['that is a list', '[]', null],
    [
      'from which it is taken back',
      `{\n  "answers": {\n    "a:b": "c",\n    "${ID}": "none"\n  }\n}\n`,
      '{\n  "answers": {\n    "a:b": "c"\n  }\n}\n',
      undefined,
    ],
  ];
  for (const [title, before, after, ...value] of cases) {
    it(title, () => assert.equal(withProperty(before, ['answers', ID], value.length > 0 ? value[0] : 'none'), after));
  }

  it('says what the program reads from it', () => {
    const { settings, problems } = readProjectSettings(withProperty('', ['answers', ID], 'none')!);
    assert.deepEqual([[...settings.answers], problems], [[[ID, 'none']], []]);
  });

  for (const [text, expected] of [
    ['{ "answers": { "$0" } }', { kind: 'id', id: '' }],
    ['{ "answers": { "htac$0cess": "none" } }', { kind: 'id', id: 'htaccess' }],
    ['{ "answers": { "a:b": "$0" } }', { kind: 'value', id: 'a:b' }],
    ['{ "target": "$0" }', null],
    ['{ "answers": $0 }', null],
  ] as const) {
    it(`knows what may stand at ${text}`, () =>
      assert.deepEqual(completionPlaceAt(text.replace('$0', ''), text.indexOf('$0')), expected));
  }

  it('explains a question', () => {
    const text = questionMarkdown({
      id: ID,
      question: 'Which?',
      why: 'Because.',
      ifUnknown: '2 fixes wait',
      answers: [{ value: 'none', label: 'None' }],
    });
    assert.equal(
      text,
      "**Which?**\n\nBecause.\n\n- `none`: None (the usual answer)\n- I don't know: 2 fixes wait; the lines stay as they are until you answer",
    );
  });
});

describe('files that are marked as not used', () => {
  const settings = { path: '/home/x/.httpd-upgrade.json' };
  it('are named from the directory of the settings file, each once', () => {
    const file = { path: '/home/x/test/httpd.conf' };
    assert.deepEqual(unusedListWith('', settings, file), ['test/httpd.conf']);
    assert.deepEqual(unusedListWith('{ "unused": ["old"] }', settings, file), ['old', 'test/httpd.conf']);
    assert.equal(unusedListWith('{ "unused": ["test/httpd.conf"] }', settings, file), null);
    assert.equal(unusedListWith('', settings, { path: '/etc/httpd.conf' }), null);
    assert.equal(withProperty('', ['unused'], ['a']), '{\n  "unused": [\n    "a"\n  ]\n}\n');
  });
});

describe('what finds an answer out', () => {
  it('is a command for the server, a page, or advice', () => {
    const ways = QUESTION_KINDS.map((kind) => {
      const text = questionText(kind) ?? questionText(`${kind}:/var/www`)!;
      return `${kind}: ${typeOfFindOut(text.findOut)}`;
    });
    assert.deepEqual(
      ways.filter((way) => !way.endsWith(': command')),
      [
        'override-admitted: advice',
        'unknown-directives: advice',
        'denied-now: advice',
        'overlap: advice',
        'rewrite-log: advice',
        'defaults: page',
        'versions: advice',
      ],
    );
  });
});

describe('the schema of .httpd-upgrade.json', () => {
  const {
    properties: { answers },
  } = JSON.parse(readFileSync(path.join(repositoryRoot, 'syntaxes/httpd-upgrade.schema.json'), 'utf8'));
  const idOf = (kind: string) => (questionText(kind) ? kind : `${kind}:/x`);

  it('knows every kind of question, and its answers', () => {
    const patterns = Object.entries<{ enum?: string[]; anyOf?: { enum?: string[]; pattern?: string }[] }>(
      answers.patternProperties,
    );
    for (const kind of QUESTION_KINDS) {
      const [schema, ...others] = patterns
        .filter(([pattern]) => new RegExp(pattern).test(idOf(kind)))
        .map(([, each]) => each);
      assert.ok(schema && others.length === 0, kind);
      const values = [schema, ...(schema.anyOf ?? [])].flatMap((each) => [
        ...(each.enum ?? []),
        ...('pattern' in each ? ['here='] : []),
      ]);
      assert.deepEqual(
        [...values].sort(),
        questionText(idOf(kind))!
          .choices.map(({ value }) => value)
          .sort(),
        kind,
      );
    }
    assert.equal(patterns.length, QUESTION_KINDS.length);
  });
});

describe('a copy of the files that a person chooses', () => {
  const at = (path: string) => ({ path });
  const places: [folder: string, chosen: string, expected: string | null][] = [
    ['/home/ann/site', '/home/ann/site/htdocs', 'htdocs'],
    ['/home/ann/site/', '/home/ann/site/a/b/', 'a/b'],
    ['/home/ann/site', '/home/ann/site', '.'],
    ['/home/ann/site', '/home/ann/site-old', null],
    ['/home/ann/site', '/srv/copy', null],
    ['/', '/srv/copy', 'srv/copy'],
  ];
  for (const [folder, chosen, expected] of places)
    it(`${chosen} of ${folder} is ${expected}`, () => assert.equal(relativePathFrom(at(folder), at(chosen)), expected));

  it('is written as the place of a path of the server, which the settings read', () => {
    const { path: property, value } = propertyForCopy({ id: ID, subject: '/var/www' }, 'here=', 'htdocs');
    const { settings, problems } = readProjectSettings(withProperty('', property, value)!);
    assert.deepEqual([settings.pathMap, problems], [[{ from: '/var/www', to: 'htdocs' }], []]);
  });

  it('is an answer where no path of the server is asked for', () =>
    assert.deepEqual(propertyForCopy({ id: 'copy', subject: '' }, 'here=', 'htdocs'), {
      path: ['answers', 'copy'],
      value: 'here=htdocs',
    }));
});
