/**
 * Questions about the meaning of lines: each is asked only if an answer allows a conversion, and
 * the result follows the answer.
 */
import assert from 'node:assert/strict';
import { accessConversion, type AccessConversion } from '../../server/src/analysis/access-conversion';
import { questionIdOrFallback, type Answers } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/etc/httpd/conf/httpd.conf';
const HEAD =
  'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv/www\n<Directory />\n    AllowOverride None\n</Directory>\n';

interface Case {
  readonly title: string;
  /** The lines after HEAD. */
  readonly before: string;
  readonly asks: readonly string[];
  /** What an answer to the first question makes of it; what is left out, nothing. */
  readonly after: Readonly<Record<string, string>>;
}

const SECURED =
  '<IfDefine SECURE>\n<Directory /srv/www/app>\n    AuthType Basic\n    Require valid-user\n</Directory>\n</IfDefine>\n';
const LOGIN = '<FilesMatch "\\.cgi$">\n    AuthType Basic\n    Require valid-user\n</FilesMatch>\n';
const LOGIN_OF_PL = LOGIN.replace('cgi', 'pl').replace('valid-user', 'user eve');
const SECRET = '<FilesMatch "\\.key$">\n    Order allow,deny\n    Deny from all\n</FilesMatch>\n';
const HERE = '<Location /status>\n    Order deny,allow\n    Deny from all\n    Allow from 10.1\n</Location>\n';

const CASES: readonly Case[] = [
  {
    title: 'a section that needs another tree with a name than without it',
    before: `${SECURED}<Directory /srv/www/app/open>\n    Order allow,deny\n    Allow from all\n</Directory>\n`,
    asks: ['define:SECURE'],
    after: {
      off: `${SECURED}<Directory /srv/www/app/open>\n    Require all granted\n</Directory>\n`,
      on: `${SECURED}<Directory /srv/www/app/open>\n    Require valid-user\n</Directory>\n`,
    },
  },
  {
    title: 'a name that changes nothing',
    before:
      '<IfDefine STATUS>\n<Location /server-status>\n    Order deny,allow\n    Deny from all\n    Allow from 10.1\n</Location>\n</IfDefine>\n',
    asks: [],
    after: {},
  },
  {
    title: 'a name that the configuration defines itself',
    before: `Define SECURE\n${SECURED}<Directory /srv/www/app/open>\n    Order allow,deny\n    Allow from all\n</Directory>\n`,
    asks: [],
    after: {},
  },
  {
    title: 'a word that is no address',
    before: '<Directory /srv/www>\n    Order deny,allow\n    Deny from 10.1.*\n</Directory>\n',
    asks: ['operand-host:10.1.*'],
    after: {
      'never-matches': '<Directory /srv/www>\n    Require all granted\n</Directory>\n',
      'is-a-host':
        '<Directory /srv/www>\n    <RequireAll>\n        Require all granted\n        Require not host 10.1.*\n    </RequireAll>\n</Directory>\n',
    },
  },
  {
    title: 'several words, in one question',
    before:
      '<Directory /srv/www>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.0.1, 10.1.*\n</Directory>\n',
    asks: ['operand-host:*'],
    after: {
      'never-matches': '<Directory /srv/www>\n    Require all denied\n</Directory>\n',
      'is-a-host': '<Directory /srv/www>\n    Require host 127.0.0.1, 10.1.*\n</Directory>\n',
    },
  },
  {
    title: 'what takes two answers',
    before: `${SECURED}<Directory /srv/www/app/open>\n    Order allow,deny\n    Allow from all\n    Deny from 10.1.*\n</Directory>\n`,
    asks: ['operand-host:10.1.*', 'define:SECURE'],
    after: {},
  },
  {
    title: 'a comment is no word',
    before: '<Directory /srv/www>\n    Order deny,allow\n    Deny from 10.1 # the printers\n</Directory>\n',
    asks: [],
    after: {},
  },
  {
    title: 'an empty word is no word',
    before: '<Directory /srv/www>\n    Order deny,allow\n    Deny from ""\n</Directory>\n',
    asks: [],
    after: {},
  },
  {
    title: 'two sections of which nobody knows whether they meet',
    before: `${LOGIN}${HERE}`,
    asks: ['overlap:<FilesMatch "\\.cgi$"> and <Location /status>'],
    after: { 'never-meet': `${LOGIN}<Location /status>\n    Require ip 10.1\n</Location>\n` },
  },
  {
    title: 'a section that applies to each URL: it meets all others',
    before: `${LOGIN}${HERE.replace('/status', '/')}`,
    asks: [],
    after: {},
  },
  {
    title: 'a pattern that matches the path of the location: they meet at this path',
    before: `${LOGIN.replace('<FilesMatch "\\.cgi$">', '<LocationMatch "^/x|s">').replace('</FilesMatch>', '</LocationMatch>')}${HERE}`,
    asks: [],
    after: {},
  },
  {
    title: 'one section that may meet several others',
    before: `${LOGIN}${LOGIN_OF_PL}${HERE}`,
    asks: ['overlap:<FilesMatch "\\.cgi$"> or <FilesMatch "\\.pl$"> and <Location /status>'],
    after: { 'never-meet': `${LOGIN}${LOGIN_OF_PL}<Location /status>\n    Require ip 10.1\n</Location>\n` },
  },
];

/** Answers that let nothing be converted. */
const NOTHING_WITH: Readonly<Record<string, readonly string[]>> = { define: ['both'], overlap: ['meet'] };

describe('questions about what lines mean', () => {
  for (const { title, before, asks, after } of CASES) {
    describe(title, () => {
      it(asks.length > 0 ? `asks ${asks.join(', ')}` : 'asks nothing', () => {
        assert.deepEqual(asked(conversionOf(before)), asks);
      });
      for (const [answer, text] of Object.entries(after)) {
        it(`converts with ${answer}, and says what that rests on`, () => {
          const answers = new Map([[asks[0], answer]]);
          const conversion = conversionOf(before, answers);
          assert.equal(fixed(before, conversion), text);
          assert.ok(conversion.changes.length > 0);
          for (const { safety, restsOn } of conversion.changes) {
            assert.equal(safety, 'safe');
            assert.deepEqual(
              [...new Set(restsOn.map((each) => questionIdOrFallback(each, { answers, folder: '/' })))],
              asks,
            );
          }
        });
      }
      for (const answer of asks.length > 0 ? ['none of them', ...(NOTHING_WITH[asks[0].split(':')[0]] ?? [])] : []) {
        it(`changes nothing with ${answer}`, () => {
          const conversion = conversionOf(before, answer === 'none of them' ? new Map() : new Map([[asks[0], answer]]));
          assert.equal(fixed(before, conversion), before);
          const old = conversion.resultAt(MAIN, HEAD.length + before.search(/^ +(Order|Deny|Allow)/m));
          assert.deepEqual(
            old && 'waitsFor' in old
              ? [
                  ...new Set(
                    old.waitsFor.map((openQuestion) =>
                      questionIdOrFallback(openQuestion, { answers: new Map(), folder: '/' }),
                    ),
                  ),
                ]
              : null,
            answer === 'none of them' ? asks : [],
          );
          // What somebody has answered is still an answer to a question.
          assert.deepEqual(asked(conversion), asks);
        });
      }
    });
  }
});

describe('a section of 2.4 that may meet several of 2.2', () => {
  // For a <Limit>, no AuthMerging keeps the decision, whether the sections meet or not.
  const status = '<Location /status>\n    <Limit GET>\n        Require local\n    </Limit>\n</Location>\n';
  const granted = '<Directory /srv/www>\n    Require all granted\n</Directory>\n';
  const before = `${granted}${SECRET}${SECRET.replace('key', 'bak')}${status}`;
  const meeting = 'overlap:<FilesMatch "\\.key$"> or <FilesMatch "\\.bak$"> and <Location /status>';

  it('waits for the version alone if AuthMerging keeps the decision in both cases', () => {
    const text = before.replace(status, '<Location /status>\n    Require local\n</Location>\n');
    const conversion = conversionOf(text, new Map([['running-version', '2.4']]));
    assert.deepEqual(asked(conversion), []);
    assert.match(fixed(text, conversion), /<Location \/status>\n(?: +#.*\n)? +AuthMerging And\n +Require local\n/);
  });

  it('waits for the version and for whether they meet, and both are asked at once', () => {
    const at = HEAD.length + before.search(/^ +Order/m);
    const answer = conversionOf(before).resultAt(MAIN, at);
    assert.ok(answer !== null);
    const waitsFor = 'change' in answer ? answer.change.waitsFor : answer.waitsFor;
    const none = { answers: new Map(), folder: '/' };
    assert.deepEqual([...new Set(waitsFor.map((each) => questionIdOrFallback(each, none)))].sort(), [
      meeting,
      'running-version',
    ]);
  });

  it('is converted only with both answers', () => {
    const text = (answers: Answers) => {
      const conversion = conversionOf(before, answers);
      return conversion.changes.every(({ safety }) => safety === 'safe') ? fixed(before, conversion) : before;
    };
    assert.equal(text(new Map([['running-version', '2.4']])), before);
    assert.equal(text(new Map([[meeting, 'never-meet']])), before);
    const denied = (section: string) => section.replace(/Order.*\n.*/, 'Require all denied');
    const both: Answers = new Map([
      ['running-version', '2.4'],
      [meeting, 'never-meet'],
    ]);
    const converted = `${granted}${denied(SECRET)}${denied(SECRET.replace('key', 'bak'))}`;
    assert.ok(text(both).startsWith(converted), text(both));
  });
});

function conversionOf(text: string, answers: Answers = new Map()): AccessConversion {
  const view = memoryFiles({ [MAIN]: HEAD + text, '/srv/www/index.html': '', '/srv/www/app/open/index.html': '' });
  const engine = new Engine({ rules: ALL_RULES, answerSet: { answers, folder: '/' } });
  return accessConversion({ roots: [{ mainFile: MAIN, engine, server: {}, isNamed: true }], view });
}

function asked({ configurations }: AccessConversion): string[] {
  return [
    ...new Set(
      configurations.flatMap((each) =>
        each.furtherQuestions.map((openQuestion) =>
          questionIdOrFallback(openQuestion, { answers: new Map(), folder: '/' }),
        ),
      ),
    ),
  ];
}

function fixed(text: string, conversion: AccessConversion): string {
  return applyEdits(HEAD + text, conversion.editsOfFile(MAIN, true)).slice(HEAD.length);
}
