/** windows-server-root: which paths get the variable, and when there is no fix. */
import assert from 'node:assert/strict';
import { fixedFiles, listed, type Files } from '../support/configurations';

const ROOT = '/copy/Apache2.2/conf/httpd.conf';
const rule = { rule: 'windows-server-root' };
const find = (files: Files) =>
  listed(files, rule).map((row) => row.replace(/^\S+\/(\S+): (\w+) \S+ (\w+)$/, '$1 $2 $3'));
/** With the choice taken. */
const taken = (files: Files) => fixedFiles(files, { ...rule, unsafe: true });

describe('windows-server-root', () => {
  const text =
    '# C:/Apache2.2 is where it is.\n\tServerRoot "C:/Apache2.2/"\nListen 80\nDocumentRoot "c:\\apache2.2\\htdocs"\nScriptAlias /cgi-bin/ C:/Apache2.2/cgi-bin/\n<Directory "C:/APACHE2.2/htdocs">\n  ErrorDocument 404 "C:/Apache2.2 is not here"\n</Directory>\n' +
    'CustomLog "|C:/Apache2.2/bin/rotatelogs.exe logs/x 86400" common\nAlias /other C:/Apache2.20/x\nAlias /else "D:/Apache2.2/x"\nAlias /v "${X}/C:/Apache2.2"\nAlias /joined \\\n  C:/Apache2.2/j\n';

  for (const eol of ['\n', '\r\n']) {
    it(`writes the variable where a path is the directory, or below it${eol === '\n' ? '' : ', CR LF'}`, () => {
      const files = { [ROOT]: text.replaceAll('\n', eol) };
      assert.deepEqual(find(files), ['httpd.conf:2 info suggestion']);
      const after = taken(files);
      assert.equal(
        after[ROOT],
        text
          .replace('\tServerRoot "C:/Apache2.2/"', '\tDefine SRVROOT "C:/Apache2.2"\n\tServerRoot "${SRVROOT}/"')
          .replace('"c:\\apache2.2\\htdocs"', '"${SRVROOT}\\htdocs"')
          .replace('/cgi-bin/ C:/Apache2.2/', '/cgi-bin/ ${SRVROOT}/')
          .replace('"C:/APACHE2.2/htdocs"', '"${SRVROOT}/htdocs"')
          .replaceAll('\n', eol),
      );
      assert.deepEqual([find(after), taken(after)], [[], after]);
      assert.equal(fixedFiles(files, rule)[ROOT], files[ROOT], 'only where a person chooses it');
    });
  }

  it('in all files of the configuration', () => {
    const files = {
      [ROOT]: 'ServerRoot "C:/Apache2.2"\nInclude conf/extra/x.conf\n',
      '/copy/Apache2.2/conf/extra/x.conf': 'Alias /x "C:/Apache2.2/x"\n',
    };
    assert.equal(taken(files)['/copy/Apache2.2/conf/extra/x.conf'], 'Alias /x "${SRVROOT}/x"\n');
  });

  for (const [why, other] of [
    ['there is one path only', 'ServerRoot "C:/Apache2.2"\n'],
    ['a path stands before it', 'DocumentRoot "C:/Apache2.2/htdocs"\nServerRoot "C:/Apache2.2"\n'],
    [
      'it has the variable',
      'Define SRVROOT "C:/Apache2.2"\nServerRoot "${SRVROOT}"\nDocumentRoot "C:/Apache2.2/htdocs"\n',
    ],
    ['it lies on no drive', 'ServerRoot "/srv"\nDocumentRoot "/srv/htdocs"\n'],
    [
      'it stands under a condition',
      '<IfDefine X>\nServerRoot "C:/Apache2.2"\n</IfDefine>\nDocumentRoot "C:/Apache2.2/htdocs"\n',
    ],
    ['there are two of them', 'ServerRoot "C:/Apache2.2"\nServerRoot "C:/Other"\nDocumentRoot "C:/Apache2.2/htdocs"\n'],
  ]) {
    it(`offers nothing where ${why}`, () => assert.deepEqual(find({ [ROOT]: other }), []));
  }
});
