/** The hover of a name. */
import assert from 'node:assert/strict';
import type { MarkupContent } from 'vscode-languageserver-types';
import { DEFAULT_TARGET, parseTarget } from '../../../server/src/config/target';
import { hover } from '../../../server/src/features/hover/hover';
import { marked, textOf } from '../support';

describe('hover', () => {
  says('on a directive', 'Docu$0mentRoot /srv\n', 'DocumentRoot', /\*\*`DocumentRoot`\*\* — directive/);
  says('on a directive in odd case, indented', '<If "1">\n\t  oR$0Der allow,deny\n</If>\n', 'oRDer', /`Order`/);
  says('on a section', '<VirtualHo$0st *:80>\n</VirtualHost>\n', 'VirtualHost', /\*\*`<VirtualHost>`\*\* — section/);
  says('on the close of a section', '<Directory />\n</Direct$0ory>\n', 'Directory', /\*\*`<Directory>`\*\* — section/);
  says('on a tag that is not closed', '<Direct$0ory /srv', 'Directory', /\*\*`<Directory>`\*\* — section/);
  says('on a name in quotes', '"Lis$0ten" 80\n', 'Listen', /`Listen`/);
  says('on a name that goes on in the next line', 'Docu\\\nment$0Root /srv\n', 'Docu\\\nmentRoot', /`DocumentRoot`/);
  says('on the first character of a name', '$0Listen 80', 'Listen', /`Listen`/);
  says('behind the last character of a name', 'Listen$0 80', 'Listen', /`Listen`/);
  says('with CR LF', 'Listen 80\r\nServer$0Name a\r\n', 'ServerName', /`ServerName`/);
  says('on what 2.4 does not have any more', 'NameVirtual$0Host *:80\n', 'NameVirtualHost', /2\.4/);

  says(
    'on a directive of another module',
    'jkM$0ount /a w\n',
    'jkMount',
    /^\*\*`JkMount`\*\* — directive of `mod_jk`, which does not come with httpd\n\nThe module passes requests to Tomcat\.\n\n.*mod_jk/,
  );
  says('on one that 2.4 writes otherwise', 'AuthzUnix$0group on\n', 'AuthzUnixgroup', /write `Require unix-group`/);
  says('on one that changes the address', 'RPAF$0enable On\n', 'RPAFenable', /changes the address of the client/);
  says(
    'on one that can refuse after a login',
    'Mellon$0Enable auth\n',
    'MellonEnable',
    /the module can deny requests\. If you remove the line, check that a `Require` line still protects these URLs\./,
  );
  says(
    'on one that can refuse',
    'DOS$0PageCount 2\n',
    'DOSPageCount',
    /can deny requests\. Without the line, it allows/,
  );
  says('on one that 2.4 refuses in most sections', 'Proxy$0Pass /a !\n', 'ProxyPass', /virtual host, `<Location>`/);

  nothing('on an unknown word', 'No$0Such thing\n');
  nothing('on an argument', 'Listen 8$00\n');
  nothing('in a comment', '# Lis$0ten 80\n');
  nothing('in a blank line', 'Listen 80\n$0\nListen 81\n');
  nothing('in an empty file', '$0');
  nothing('behind the end', 'Listen 80\n$0');
  nothing('on the bracket of a tag', '$0<Directory />\n</Directory>\n');

  it('says what the target does not know yet', () => {
    const { tree, at } = marked('$0AuthBasicFake off\n');
    const text = (target: string) => (hover(tree, at[0], parseTarget(target)!)!.contents as MarkupContent).value;
    assert.match(text('2.4.1'), /Unknown in the target version, 2\.4\.1\b/);
    for (const target of ['2.4', '2.4.57']) assert.doesNotMatch(text(target), /Unknown in the target/);
  });

  it('knows each directive that it says to know', () => {
    const { tree } = marked(
      'LoadModule a b\nRewriteRule a b\nMaxClients 1\nSSLEngine on\nProxyPass / !\nCustomLog a b\n',
    );
    for (let offset = 0; offset < tree.length; offset = tree.lineAt(offset)!.offset + tree.lineAt(offset)!.line.length)
      assert.ok(hover(tree, offset, DEFAULT_TARGET));
  });
});

function says(title: string, source: string, name: string, text: RegExp): void {
  it(`says something ${title}`, () => {
    const { tree, at } = marked(source);
    const found = hover(tree, at[0], DEFAULT_TARGET);
    assert.ok(found);
    assert.match((found.contents as MarkupContent).value, text);
    assert.equal(textOf(tree, found.range!), name);
  });
}

function nothing(title: string, source: string): void {
  it(`says nothing ${title}`, () => {
    const { tree, at } = marked(source);
    assert.equal(hover(tree, at[0], DEFAULT_TARGET), null);
  });
}
