/**
 * Fixes in a .htaccess are safe only if AllowOverride does not affect them (analysis/admitted.ts).
 */
import assert from 'node:assert/strict';
import { STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine, type FileInfo } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { fileContext } from '../support/file-context';

/** What a configuration grants; null for one that does not tell, undefined for none at hand. */
type Overrides = readonly string[] | null | undefined;

const GONE = 'DefaultType text/plain\n';
const AUTHZ = 'AuthzDefaultAuthoritative On\n';

/** Of the first fix of the first finding: whether it is safe. */
const CASES: readonly (readonly [name: string, text: string, overrides: Overrides, safety: 'safe' | 'suggestion'])[] = [
  ['a line by itself', GONE, undefined, 'suggestion'],
  ['in a configuration that does not tell', GONE, null, 'suggestion'],
  ['All', GONE, ['all'], 'safe'],
  ['its class', GONE, ['indexes', 'fileinfo'], 'safe'],
  ['another class: 500, and the files without the line', GONE, ['authconfig', 'limit'], 'suggestion'],
  ['Options=', GONE, ['options=indexes'], 'suggestion'],
  ['a line of the class stays', `${GONE}AddType a/b .x\n`, undefined, 'safe'],
  ['a line of another class stays', `${GONE}AddDescription a b\n`, undefined, 'suggestion'],
  [
    'a line of the class stays under a condition',
    `${GONE}<IfModule mod_mime.c>\nAddType a/b .x\n</IfModule>\n`,
    undefined,
    'suggestion',
  ],
  ['a line of the class stays in a section', `${GONE}<Files a>\nAddType a/b .x\n</Files>\n`, undefined, 'safe'],
  ['the only other line goes as well', GONE + GONE, undefined, 'suggestion'],
  ['a line that may be something else', `${GONE}AddType \${X} .x\n`, undefined, 'suggestion'],
  ['a line of AuthConfig', AUTHZ, undefined, 'suggestion'],
  ['an access line that may be moved', `${AUTHZ}Require valid-user\n`, undefined, 'suggestion'],
  ['a line of AuthConfig that stays', `AuthName x\n${AUTHZ}`, undefined, 'safe'],
  ['a line that both versions refuse everywhere', 'AuthDigestNonceFormat x\nAuthName x\n', ['all'], 'suggestion'],
  ['within a condition', `<IfModule mod_authn_file.c>\n${AUTHZ}</IfModule>\nAuthName x\n`, ['limit'], 'suggestion'],
  ['the same directive with the same options', 'Options Indexes +FollowSymLinks\n', undefined, 'safe'],
  ['the same directive with the same options, not granted', 'Options Indexes +FollowSymLinks\n', ['fileinfo'], 'safe'],
];

function firstFix(text: string, file: FileInfo, answers: ReadonlyMap<string, string> = new Map()) {
  const engine = new Engine({ rules: ALL_RULES, answerSet: { answers, folder: '' } });
  return engine
    .analyze(Tree.parse(text), file)
    .findings()
    .flatMap(({ fixes }) => fixes)[0];
}

describe('fixes in a .htaccess, and AllowOverride', () => {
  for (const [name, text, overrides, safety] of CASES) {
    it(`${safety}: ${name}`, () => {
      const file = { isHtaccess: true, ...(overrides !== undefined && { fileContext: fileContext({ overrides }) }) };
      assert.equal(firstFix(text, file)?.safety, safety);
    });
  }

  describe('in a file of another name', () => {
    const wide = fileContext({ overrides: ['all'] });
    const narrow = fileContext({ overrides: ['authconfig', 'limit'] });
    const included = fileContext({ containers: ['directory'] });
    const OTHERS: readonly (readonly [
      name: string,
      text: string,
      file: Omit<FileInfo, 'isHtaccess'>,
      safety: 'safe' | 'suggestion',
    ])[] = [
      ['nobody says that it may be one', GONE, {}, 'safe'],
      ['it is not known whether it is one', GONE, { htaccessContexts: [null] }, 'suggestion'],
      ['a line stays that is for the server alone', `${GONE}Listen 80\n`, { htaccessContexts: [null] }, 'safe'],
      [
        'a section stays that is for the server alone',
        `<VirtualHost *>\n${GONE}</VirtualHost>\n`,
        { htaccessContexts: [null] },
        'safe',
      ],
      [
        'a line of a module stays that is for the server alone',
        `${GONE}WSGIPythonHome /x\n`,
        { htaccessContexts: [null] },
        'safe',
      ],
      [
        'a line of a module that older versions of the module take',
        `${GONE}PassengerAppRoot /x\n`,
        { htaccessContexts: [null] },
        'suggestion',
      ],
      [
        'a line of a module that some builds of the module take',
        `${GONE}SecRuleRemoveById 1\n`,
        { htaccessContexts: [null] },
        'suggestion',
      ],
      [
        'a line for the server alone stands under a condition',
        `${GONE}<IfModule mod_x.c>\nListen 80\n</IfModule>\n`,
        { htaccessContexts: [null] },
        'suggestion',
      ],
      [
        'a line for the server alone may be another one',
        `${GONE}Listen \${PORT}\n`,
        { htaccessContexts: [null] },
        'suggestion',
      ],
      ['a line for the server alone is renamed', 'MaxClients 5\n', { htaccessContexts: [null] }, 'safe'],
      ['a line for the server alone goes', 'LockFile a\n', { htaccessContexts: [null] }, 'suggestion'],
      [
        'it is included, and a link makes it one where it is granted',
        GONE,
        { fileContext: included, htaccessContexts: [wide] },
        'safe',
      ],
      [
        'it is included, and a link makes it one where it is not granted',
        GONE,
        { fileContext: included, htaccessContexts: [wide, narrow] },
        'suggestion',
      ],
      [
        'it is included, and has names that nobody knows',
        GONE,
        { fileContext: included, htaccessContexts: [null] },
        'suggestion',
      ],
    ];
    for (const [name, text, file, safety] of OTHERS) {
      it(`${safety}: ${name}`, () => assert.equal(firstFix(text, { isHtaccess: false, ...file })?.safety, safety));
    }

    it('wait for the question about lone files, which says nothing of a place that is known', () => {
      const vouched = new Map([[STANDALONE_QUESTION_ID, 'none']]);
      assert.deepEqual(
        firstFix(GONE, { isHtaccess: false, htaccessContexts: [null] })?.waitsFor?.map(({ kind }) => kind),
        ['outside-unseen'],
      );
      assert.equal(firstFix(GONE, { isHtaccess: false, htaccessContexts: [null] }, vouched)?.safety, 'safe');
      assert.equal(
        firstFix(GONE, { isHtaccess: false, htaccessContexts: [null, narrow] }, vouched)?.safety,
        'suggestion',
      );
      assert.equal(
        firstFix(GONE, { isHtaccess: false, fileContext: included, htaccessContexts: [null] }, vouched)?.safety,
        'suggestion',
      );
    });
  });

  it('are all safe where the server does not read the file', () => {
    assert.equal(
      firstFix(GONE, { isHtaccess: true, unreadReason: 'AllowOverride None of <Directory /> holds there' })?.safety,
      'safe',
    );
  });

  it('wait for the question about lone files, and are safe with its answer', () => {
    assert.deepEqual(
      firstFix(GONE, { isHtaccess: true })?.waitsFor?.map(({ kind }) => kind),
      ['outside-unseen'],
    );
    const ready = firstFix(GONE, { isHtaccess: true }, new Map([[STANDALONE_QUESTION_ID, 'none']]));
    assert.deepEqual([ready?.safety, ready?.restsOn?.map(({ kind }) => kind)], ['safe', ['outside-unseen']]);
  });

  it('say what they assume', () => {
    assert.equal(firstFix(GONE, { isHtaccess: true })?.assumes, 'AllowOverride allows FileInfo there');
    const inFile = { isHtaccess: false, htaccessContexts: [null] };
    assert.equal(
      firstFix(GONE, inFile)?.assumes,
      'the file is not a .htaccess file, or AllowOverride allows FileInfo there',
    );
    // No AllowOverride allows a directive of the server.
    assert.equal(firstFix('SSLMutex default\n', inFile)?.assumes, 'the file is not a .htaccess file');
  });

  it('are safe in a file of two places only where they are in both', () => {
    const [all, some] = [['all'], ['limit']].map((overrides) => fileContext({ overrides }));
    assert.equal(firstFix(GONE, { isHtaccess: true, fileContext: all, furtherContexts: [all] })?.safety, 'safe');
    assert.equal(firstFix(GONE, { isHtaccess: true, fileContext: all, furtherContexts: [some] })?.safety, 'suggestion');
  });
});
