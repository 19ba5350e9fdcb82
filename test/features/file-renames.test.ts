/**
 * Renamed files and directories: the lines that change, and the notes. Files in, texts and
 * sentences out.
 */
import assert from 'node:assert/strict';
import { configView } from '../../server/src/config/config-view';
import type { ServerSettings } from '../../server/src/config/model';
import { readModel } from '../../server/src/config/read-model';
import { editsForFileRenames } from '../../server/src/features/file-renames';
import { memoryFiles } from '../../server/src/config/memory-files';

const ROOT = '/etc/httpd/conf/httpd.conf';

function after(
  files: Readonly<Record<string, string>>,
  from: string,
  to: string,
  server?: ServerSettings,
): { changed: Record<string, string>; notes: readonly string[] } {
  const view = memoryFiles(files);
  const model = readModel({ mainFile: Object.keys(files)[0], view: configView(view), server })!;
  const read = [...model.files.keys()].map((path) => ({ path, tree: view.read(path)! }));
  const { edits, notes } = editsForFileRenames({
    renames: [{ from, to }],
    configurations: [{ model, files: read }],
    displayName: (path) => path.slice(path.lastIndexOf('/') + 1),
  });
  const changed = [...edits].map(
    ([path, each]) =>
      [
        path,
        [...each]
          .reverse()
          .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), files[path]),
      ] as const,
  );
  return { changed: Object.fromEntries(changed), notes };
}

function check(
  lines: string,
  from: string,
  to: string,
  expected: string,
  notes: readonly string[] = [],
  others: Readonly<Record<string, string>> = {},
): void {
  const text = `ServerRoot /etc/httpd\n${lines}`;
  const answer = after(
    { [ROOT]: text, '/etc/httpd/conf.d/a.conf': '', '/etc/httpd/conf.d/b.conf': '', ...others },
    from,
    to,
  );
  assert.deepEqual(answer, {
    changed: text === `ServerRoot /etc/httpd\n${expected}` ? {} : { [ROOT]: `ServerRoot /etc/httpd\n${expected}` },
    notes,
  });
}

const A = '/etc/httpd/conf.d/a.conf';

describe('a file with another name', () => {
  it('is followed by its Include, in the way it is written', () => {
    check('Include conf.d/a.conf\n', A, '/etc/httpd/conf.d/c.conf', 'Include conf.d/c.conf\n');
    check('Include "/etc/httpd/conf.d/a.conf"\n', A, '/etc/httpd/sites/c.conf', 'Include "/etc/httpd/sites/c.conf"\n');
    check(
      'IncludeOptional ./conf.d/../conf.d/a.conf\n',
      A,
      '/etc/httpd/conf.d/c.conf',
      'IncludeOptional ./conf.d/../conf.d/c.conf\n',
    );
    check('Include conf.d/a.conf\n', A, '/srv/c.conf', 'Include /srv/c.conf\n');
    check('Include /etc/httpd/conf.d/a.conf\n', A, '/srv/c.conf', 'Include /srv/c.conf\n');
  });
  it('keeps variables in front of it', () => {
    check(
      'Define DIR conf.d\nInclude ${DIR}/a.conf\n',
      A,
      '/etc/httpd/conf.d/c.conf',
      'Define DIR conf.d\nInclude ${DIR}/c.conf\n',
    );
    check(
      'Define DIR conf.d\nInclude ${DIR}/a.conf\n',
      A,
      '/etc/httpd/x/a.conf',
      'Define DIR conf.d\nInclude ${DIR}/a.conf\n',
      ['`${DIR}/a.conf` is left as it is, because a variable stands in what changes: httpd.conf, line 3.'],
    );
    check('Include ${WHERE}/a.conf\n', A, '/etc/httpd/conf.d/c.conf', 'Include ${WHERE}/a.conf\n', [
      '`${WHERE}/a.conf` may name it, and is left as it is: httpd.conf, line 2.',
    ]);
  });
  it('gets quotes where it needs them', () => {
    check('Include conf.d/a.conf\n', A, '/etc/httpd/conf.d/my site.conf', 'Include "conf.d/my site.conf"\n');
    check("Include 'conf.d/a.conf'\n", A, "/etc/httpd/conf.d/it's.conf", "Include 'conf.d/a.conf'\n", [
      '`conf.d/a.conf` is left as it is, because the new name has a quote or a backslash: httpd.conf, line 2.',
    ]);
  });
  it('is nothing to a wildcard that still matches', () =>
    check('Include conf.d/*.conf\n', A, '/etc/httpd/conf.d/z.conf', 'Include conf.d/*.conf\n'));
  it('is told of where a wildcard or a directory reads it no longer, or reads it now', () => {
    check('Include conf.d/*.conf\n', A, '/etc/httpd/conf.d/a.off', 'Include conf.d/*.conf\n', [
      '`Include conf.d/*.conf` no longer reads `a.conf`: httpd.conf, line 2.',
    ]);
    check('Include conf.d\n', A, '/etc/httpd/old/a.conf', 'Include conf.d\n', [
      '`Include conf.d` no longer reads `a.conf`: httpd.conf, line 2.',
    ]);
    check('Include conf.d/*.conf\n', '/etc/httpd/new.txt', '/etc/httpd/conf.d/new.conf', 'Include conf.d/*.conf\n', [
      '`Include conf.d/*.conf` reads `new.conf` from now on: httpd.conf, line 2.',
    ]);
    check('Include conf.d/*.conf\n', A, '/etc/httpd/conf.d/.a.conf', 'Include conf.d/*.conf\n', [
      '`Include conf.d/*.conf` no longer reads `a.conf`: httpd.conf, line 2.',
    ]);
  });
  it('is followed by other paths', () => {
    check(
      'SSLCertificateFile conf/a.pem\nRewriteMap m txt:conf/a.pem\nCustomLog logs/a.pem x\nAlias /conf/a.pem /etc/httpd/conf/a.pem\n# conf/a.pem\n',
      '/etc/httpd/conf/a.pem',
      '/etc/httpd/tls/b.pem',
      'SSLCertificateFile tls/b.pem\nRewriteMap m txt:tls/b.pem\nCustomLog logs/a.pem x\nAlias /conf/a.pem /etc/httpd/tls/b.pem\n# conf/a.pem\n',
    );
  });
  it('is followed in continued lines and behind CR LF', () =>
    check(
      'SSLCertificateFile \\\r\n  "conf/a.pem"\r\n',
      '/etc/httpd/conf/a.pem',
      '/etc/httpd/conf/b.pem',
      'SSLCertificateFile \\\r\n  "conf/b.pem"\r\n',
    ));
});

describe('a directory with another name', () => {
  it('is followed by all that lies in it', () => {
    check(
      'Include conf.d/a.conf\nInclude conf.d/*.conf\nIncludeOptional /etc/httpd/conf.d/*/x.conf\nInclude conf.d/\n',
      '/etc/httpd/conf.d',
      '/etc/httpd/sites',
      'Include sites/a.conf\nInclude sites/*.conf\nIncludeOptional /etc/httpd/sites/*/x.conf\nInclude sites/\n',
    );
    check(
      'DocumentRoot /srv/www/shop\n<Directory "/srv/www/shop">\n</Directory>\n<Directory /srv/www>\n</Directory>\n',
      '/srv/www/shop',
      '/srv/www/store',
      'DocumentRoot /srv/www/store\n<Directory "/srv/www/store">\n</Directory>\n<Directory /srv/www>\n</Directory>\n',
    );
  });
  it('below a wildcard is told of', () => {
    check('Include sites/*/x.conf\n', '/etc/httpd/sites/one', '/etc/httpd/sites/two', 'Include sites/*/x.conf\n', [], {
      '/etc/httpd/sites/one/x.conf': '',
    });
    check(
      'Include sites/o*/x.conf\n',
      '/etc/httpd/sites/one',
      '/etc/httpd/sites/two',
      'Include sites/o*/x.conf\n',
      ['`Include sites/o*/x.conf` no longer reads `x.conf`: httpd.conf, line 2.'],
      { '/etc/httpd/sites/one/x.conf': '' },
    );
  });
  it('that is the ServerRoot changes that line, and no relative path', () => {
    const files = {
      [ROOT]: 'ServerRoot "/etc/httpd"\nInclude conf.d/a.conf\nDocumentRoot /etc/httpd/www\n',
      '/etc/httpd/conf.d/a.conf': '',
    };
    assert.deepEqual(after(files, '/etc/httpd', '/etc/web'), {
      changed: { [ROOT]: 'ServerRoot "/etc/web"\nInclude conf.d/a.conf\nDocumentRoot /etc/web/www\n' },
      notes: [],
    });
  });
  it("around a copied tree changes nothing, and in it the server's paths are kept", () => {
    const files = {
      '/home/me/copy/etc/httpd/conf/httpd.conf': 'ServerRoot /etc/httpd\nInclude /etc/httpd/conf.d/a.conf\n',
      '/home/me/copy/etc/httpd/conf.d/a.conf': '',
    };
    assert.deepEqual(after(files, '/home/me/copy', '/home/me/old'), { changed: {}, notes: [] });
    assert.deepEqual(after(files, '/home/me/copy/etc/httpd/conf.d', '/home/me/copy/etc/httpd/sites').changed, {
      '/home/me/copy/etc/httpd/conf/httpd.conf': 'ServerRoot /etc/httpd\nInclude /etc/httpd/sites/a.conf\n',
    });
    assert.match(
      after(files, '/home/me/copy/etc/httpd/conf.d/a.conf', '/home/me/a.conf').notes.join(),
      /outside of the copied tree/,
    );
  });
});
