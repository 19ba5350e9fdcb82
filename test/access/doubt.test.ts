/**
 * Open questions as data: their subject, their origin, and which of them an answer about other
 * files settles.
 */
import assert from 'node:assert/strict';
import { accessConditions } from '../../server/src/access/conditions';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { doubt, doubtId, doubtText, doubtTexts, mergedDoubts, type Doubt } from '../../server/src/access/doubt';
import { planAccess } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/srv/conf/httpd.conf';

describe('doubts', () => {
  it('about .htaccess files name the highest directory that covers the unseen ones', () => {
    const main =
      '<Directory />\nAllowOverride None\n</Directory>\n<Directory /var>\nAllowOverride All\nDeny from all\n</Directory>\n';
    const served = (...directories: readonly string[]) =>
      doubtsOf(main + directories.map((directory, i) => `Alias /a${i} ${directory}\n`).join('')).map(doubtId);
    assert.deepEqual(served('/var/www/html', '/var/www/icons', '/var/www/html/a'), ['htaccess-unseen:/var/www']);
    assert.deepEqual(served('/var/www/html', '/var/lib/list'), [
      'htaccess-unseen:/var/lib/list',
      'htaccess-unseen:/var/www/html',
    ]);
    assert.deepEqual(served('/var/www', '/var/www/html'), ['htaccess-unseen:/var/www']);
    assert.deepEqual(served('/usr/share/x'), []);
  });

  it('say where they come from, and lie outside only where no file at hand gives cause', () => {
    const main =
      'Include conf/x.conf\nUse m\nDocumentRoot /var/www\n<Directory />\nAllowOverride All\nDeny from all\n</Directory>\n';
    const at = (text: string) => [{ path: MAIN, offset: main.indexOf(text) }];
    const told = doubtsOf(main).map(({ kind, places, lies }) => ({ kind, places, lies }));
    assert.deepEqual(
      told.filter(({ kind }) => kind === 'include-unseen'),
      [{ kind: 'include-unseen', places: at('Include'), lies: 'outside' }],
    );
    assert.deepEqual(
      told.filter(({ kind }) => kind === 'macro'),
      [{ kind: 'macro', places: at('Use'), lies: 'inside' }],
    );
    assert.deepEqual(
      told.filter(({ kind }) => kind === 'htaccess-unseen'),
      [{ kind: 'htaccess-unseen', places: at('DocumentRoot'), lies: 'outside' }],
    );
  });

  it('say where an AllowOverride is missing', () => {
    const text = (main: string) =>
      doubtsOf(main, { '/srv/a/.htaccess': 'Deny from all\n' })
        .filter(({ kind }) => kind === 'override-default')
        .map(doubtText);
    const root = '<Directory />\nAllowOverride None\n</Directory>\n';
    const host = `<VirtualHost *:80>\nDocumentRoot /srv/a\n${root}<Directory /srv/a>\nAllowOverride All\n</Directory>\n</VirtualHost>\n`;
    const said = (where: string) =>
      `no AllowOverride line applies to /srv/a${where}, and it is not known whether 2.4 should use the .htaccess there: add AllowOverride None or All (2.2 uses the file; with 2.4 requests get 500)`;
    assert.deepEqual(text(host), [said(' outside the virtual hosts')]);
    assert.deepEqual(text('DocumentRoot /srv/a\n'), [said('')]);
    assert.deepEqual(text(root + host), []);
  });

  it('count the directories of which the same is to be said', () => {
    const unknown = (directory: string) => doubt('override-unknown', directory, [], '.htaccess');
    assert.deepEqual(doubtTexts([unknown('/a'), doubt('macro', 'm'), unknown('/b'), unknown('/a'), unknown('/c')]), [
      'it is not known which AllowOverride applies to /a and 2 more directories, so the effect of the .htaccess there is not known',
      'the effect of the macro m is not known',
    ]);
    assert.equal(doubtTexts([unknown('/a'), unknown('/b')]).length, 2);
  });

  it('are one for each subject, with the places of all', () => {
    const [a, b] = [
      { path: '/a', offset: 1 },
      { path: '/b', offset: 2 },
    ];
    const merged = mergedDoubts([doubt('macro', 'm', [a]), doubt('macro', 'n', [a]), doubt('macro', 'm', [b, a])]);
    assert.deepEqual(
      merged.map((each) => [doubtText(each), each.places]),
      [
        ['the effect of the macro m is not known', [a, b]],
        ['the effect of the macro n is not known', [a]],
      ],
    );
  });
});

function doubtsOf(main: string, more: Readonly<Record<string, string>> = {}): readonly Doubt[] {
  const view = memoryFiles({ [MAIN]: main, ...more });
  const configuration = readConfiguration({
    root: MAIN,
    view,
    names: ACCESS_NAMES,
    conditions: accessConditions(),
    serverRoot: '/srv',
  })!;
  const { htaccess, doubts } = discoverHtaccess(configuration, view);
  return planAccess(configuration, htaccess, doubts).doubts;
}
