/**
 * Open questions as data: their subject, their origin, and which of them an answer about other
 * files settles.
 */
import assert from 'node:assert/strict';
import { accessConditionDecider } from '../../server/src/access/conditions';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import {
  openQuestion,
  openQuestionId,
  openQuestionText,
  openQuestionTexts,
  joinedQuestions,
  withCoveringQuestions,
  type OpenQuestion,
} from '../../server/src/access/open-question';
import { planAccessConversion } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/srv/conf/httpd.conf';

describe('open questions', () => {
  it('about .htaccess files name the highest directory that covers the unseen ones', () => {
    const main =
      '<Directory />\nAllowOverride None\n</Directory>\n<Directory /var>\nAllowOverride All\nDeny from all\n</Directory>\n';
    const served = (...directories: readonly string[]) =>
      openQuestionsOf(main + directories.map((directory, i) => `Alias /a${i} ${directory}\n`).join('')).map(
        openQuestionId,
      );
    assert.deepEqual(served('/var/www/html', '/var/www/icons', '/var/www/html/a'), ['htaccess-unseen:/var/www']);
    assert.deepEqual(served('/var/www/html', '/var/lib/list'), [
      'htaccess-unseen:/var/lib/list',
      'htaccess-unseen:/var/www/html',
    ]);
    assert.deepEqual(served('/var/www', '/var/www/html'), ['htaccess-unseen:/var/www']);
    assert.deepEqual(served('/usr/share/x'), []);
  });

  it('about .htaccess files share one for each drive', () => {
    const covers = (...directories: readonly string[]) =>
      withCoveringQuestions(directories.map((directory) => openQuestion('htaccess-unseen', directory))).map(
        ({ subject, coveringQuestion }) => coveringQuestion?.subject ?? subject,
      );
    assert.deepEqual(covers('/home/cgi', '/usr/www', 'Z:/home/www'), ['/', '/', 'Z:/home/www']);
    assert.deepEqual(covers('/home/cgi', 'Z:/home/a/www', 'Z:/home/b'), ['/home/cgi', 'Z:/home', 'Z:/home']);
    assert.deepEqual(covers('/home/cgi', '/home/www'), ['/home', '/home']);
  });

  it('say where they come from, and lie outside only where no file at hand gives cause', () => {
    const main =
      'Include conf/x.conf\nUse m\nDocumentRoot /var/www\n<Directory />\nAllowOverride All\nDeny from all\n</Directory>\n';
    const at = (text: string) => [{ path: MAIN, offset: main.indexOf(text) }];
    const listed = openQuestionsOf(main).map(({ kind, places, scope }) => ({ kind, places, lies: scope }));
    assert.deepEqual(
      listed.filter(({ kind }) => kind === 'include-unseen'),
      [{ kind: 'include-unseen', places: at('Include'), lies: 'outside' }],
    );
    assert.deepEqual(
      listed.filter(({ kind }) => kind === 'macro'),
      [{ kind: 'macro', places: at('Use'), lies: 'inside' }],
    );
    assert.deepEqual(
      listed.filter(({ kind }) => kind === 'htaccess-unseen'),
      [{ kind: 'htaccess-unseen', places: at('DocumentRoot'), lies: 'outside' }],
    );
  });

  it('say where an AllowOverride is missing', () => {
    const text = (main: string) =>
      openQuestionsOf(main, { '/srv/a/.htaccess': 'Deny from all\n' })
        .filter(({ kind }) => kind === 'override-default')
        .map(openQuestionText);
    const root = '<Directory />\nAllowOverride None\n</Directory>\n';
    const host = `<VirtualHost *:80>\nDocumentRoot /srv/a\n${root}<Directory /srv/a>\nAllowOverride All\n</Directory>\n</VirtualHost>\n`;
    assert.deepEqual(text(host), [
      'the AllowOverride lines for /srv/a are in virtual hosts. For requests outside of these hosts, 2.2 uses the .htaccess there, and 2.4 answers 500. Outside of the virtual hosts, add a <Directory> section for it, with AllowOverride All (to use the file) or None (to ignore it)',
    ]);
    assert.deepEqual(text('DocumentRoot /srv/a\n'), [
      'no AllowOverride line applies to /srv/a: 2.2 uses the .htaccess there, and 2.4 answers 500; add AllowOverride All (to use the file) or None (to ignore it)',
    ]);
    assert.deepEqual(text(root + host), []);
  });

  it('count the directories of which the same is to be said', () => {
    const unknown = (directory: string) => openQuestion('override-unknown', directory, [], '.htaccess');
    assert.deepEqual(
      openQuestionTexts([unknown('/a'), openQuestion('macro', 'm'), unknown('/b'), unknown('/a'), unknown('/c')]),
      [
        'it is not known which AllowOverride applies to /a and 2 more directories, so the effect of the .htaccess there is not known',
        'the lines that the macro m inserts are not known',
      ],
    );
    assert.equal(openQuestionTexts([unknown('/a'), unknown('/b')]).length, 2);
  });

  it('are one for each subject, with the places of all', () => {
    const [a, b] = [
      { path: '/a', offset: 1 },
      { path: '/b', offset: 2 },
    ];
    const merged = joinedQuestions([
      openQuestion('macro', 'm', [a]),
      openQuestion('macro', 'n', [a]),
      openQuestion('macro', 'm', [b, a]),
    ]);
    assert.deepEqual(
      merged.map((each) => [openQuestionText(each), each.places]),
      [
        ['the lines that the macro m inserts are not known', [a, b]],
        ['the lines that the macro n inserts are not known', [a]],
      ],
    );
  });
});

function openQuestionsOf(main: string, more: Readonly<Record<string, string>> = {}): readonly OpenQuestion[] {
  const view = memoryFiles({ [MAIN]: main, ...more });
  const configuration = readConfiguration({
    root: MAIN,
    view,
    names: ACCESS_NAMES,
    decideCondition: accessConditionDecider(),
    serverRoot: '/srv',
  })!;
  const { files, openQuestions } = discoverHtaccess(configuration, view);
  return planAccessConversion(configuration, files, openQuestions).openQuestions;
}
