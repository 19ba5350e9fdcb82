/** Inlay hints: a text with what is shown written behind its lines as `«…»`. */
import assert from 'node:assert/strict';
import type { MarkupContent } from 'vscode-languageserver-types';
import { Engine } from '../../server/src/analysis/engine';
import { inlayHints, work, type InlayHintQuestion } from '../../server/src/features/inlay-hints';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';

const engine = new Engine({ rules: ALL_RULES });

function ask(text: string, more: Partial<InlayHintQuestion> = {}) {
  const tree = Tree.parse(text);
  engine.analyze(tree, { isHtaccess: false });
  return inlayHints({ tree, start: 0, end: tree.length, engine, isHtaccess: false, inherited: true, defaults: true, ...more });
}

/** The text of `shown` without its marks gives `shown` again. */
function shows(title: string, shown: string, more: Partial<InlayHintQuestion> = {}): void {
  it(title, () => {
    const text = shown.replace(/ «.*?»/g, '');
    const rows = text.split('\n');
    for (const { position, label } of ask(text, more)) {
      assert.equal(rows[position.line].length >= position.character, true);
      rows[position.line] = `${rows[position.line].slice(0, position.character)} «${label}»${rows[position.line].slice(position.character)}`;
    }
    assert.equal(rows.join('\n'), shown);
  });
}

describe('inlay hints', () => {
  shows('tell what a virtual host inherits, and what not', `ServerAdmin a@example.org
DocumentRoot "/srv"
<IfModule log_config_module>
    CustomLog logs/access common
</IfModule>
RewriteRule ^/a /b
Alias /x /y
<VirtualHost *:80> «inherits ServerAdmin, DocumentRoot, CustomLog, not RewriteRule»
    ServerName a.example.org
</VirtualHost>
<VirtualHost *:80> «inherits DocumentRoot, not RewriteRule»
    ServerAdmin b@example.org
    <IfModule x>
        TransferLog logs/b
    </IfModule>
</VirtualHost>
<VirtualHost *:80> «inherits CustomLog»
    ServerAdmin b@example.org
    RewriteOptions Inherit
    documentroot /b
</VirtualHost>
<Directory "/srv">
    DocumentRoot /nonsense
</Directory>
`, { defaults: false });

  shows('count after four', `ServerAdmin a
DocumentRoot /srv
ErrorLog e
LogLevel warn
Timeout 5
KeepAlive Off
<VirtualHost *:80> «inherits ServerAdmin, DocumentRoot, ErrorLog, LogLevel and 2 more»
</VirtualHost>
`, { defaults: false });

  shows('are silent where something else may set it, and where nothing is set', `DocumentRoot /srv
<VirtualHost *:80>
    Include sites/a.conf
</VirtualHost>
<VirtualHost *:80>
    Use Site a
</VirtualHost>
<Macro M>
    <VirtualHost *:80>
    </VirtualHost>
</Macro>
`, { defaults: false });

  shows('tell defaults that have changed, once for the server and for each directory', `ServerRoot /etc/httpd «defaults: EnableSendfile Off · FileETag MTime Size · LimitRequestBody 1073741824 · MaxMemFree 2048 · MaxRequestsPerChild 0 · Options FollowSymlinks»
TimeOut 60
<Directory "/srv"> «AllowOverride None»
</Directory>
`, { inherited: false });

  shows('know the new name of a directive', `ServerRoot /etc/httpd «defaults: EnableSendfile Off · FileETag MTime Size · LimitRequestBody 1073741824 · MaxMemFree 2048 · Options FollowSymlinks · TimeOut 60»
MaxConnectionsPerChild 100
`, { inherited: false });

  shows('are silent about defaults where an included file may set them', `ServerRoot /etc/httpd
Include conf.d/*.conf
<Directory "/srv">
</Directory>
`);

  shows('are silent about AllowOverride where it is set', `PidFile run/pid «defaults: EnableSendfile Off · FileETag MTime Size · LimitRequestBody 1073741824 · MaxMemFree 2048 · MaxRequestsPerChild 0 · Options FollowSymlinks · TimeOut 60»
<Directory />
    AllowOverride None
</Directory>
`, { inherited: false });

  it('are off unless asked for, and not for .htaccess', () => {
    const text = 'ServerRoot /x\nDocumentRoot /srv\n<VirtualHost *:80>\n</VirtualHost>\n';
    assert.deepEqual(ask(text, { inherited: false, defaults: false }), []);
    assert.deepEqual(ask(text, { isHtaccess: true }), []);
    assert.equal(ask(text).length, 2);
  });

  it('say where it is from', () => {
    const [hint] = ask('DocumentRoot "/srv"\nRewriteRule a b\n<VirtualHost *:80>\n</VirtualHost>\n', { defaults: false });
    const { value } = hint.tooltip as MarkupContent;
    assert.match(value, /- `DocumentRoot "\/srv"`, line 1\n\nA virtual host does not inherit/);
  });

  it('look at what is seen, whatever the size of the file', () => {
    const site = '<VirtualHost *:80>\n    ServerName a\n</VirtualHost>\n';
    const cost = (sites: number) => {
      const text = `DocumentRoot /srv\n${site.repeat(sites)}`;
      const tree = Tree.parse(text);
      engine.analyze(tree, { isHtaccess: false });
      const question = { tree, start: text.length - 10 * site.length, end: text.length, engine, isHtaccess: false, inherited: true, defaults: true };
      assert.equal(inlayHints(question).length, sites > 5000 ? 0 : 10);
      const before = work.items;
      inlayHints(question);
      return work.items - before;
    };
    assert.ok(cost(4000) <= cost(400) + 10, `${cost(4000)} and ${cost(400)}`);
    assert.ok(cost(40_000) < 100);
  });
});
