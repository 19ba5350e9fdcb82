/** Inlay hints: a text with the hints written after its lines as `«…»`. */
import assert from 'node:assert/strict';
import type { InlayHint, InlayHintLabelPart, MarkupContent } from 'vscode-languageserver-types';
import { Engine } from '../../server/src/analysis/engine';
import { summarize } from '../../server/src/config/file-summary';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { FileContexts, ContextInterner } from '../../server/src/config/file-context-of-walk';
import { namesOfFileCounts as gathered } from '../../server/src/symbols/names-of-file';
import { inlayHints, workCounts, type InlayHintRequest } from '../../server/src/features/inlay-hints';
import { searchCounts as looked } from '../../server/src/symbols/name-index';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { elsewhereOf } from '../support/elsewhere';
import { memoryFiles } from '../../server/src/config/memory-files';

const engine = new Engine({ rules: ALL_RULES });

function ask(text: string, more: Partial<InlayHintRequest> = {}) {
  const tree = Tree.parse(text);
  engine.analyze(tree, { isHtaccess: false });
  return inlayHints({
    tree,
    start: 0,
    end: tree.length,
    engine,
    isHtaccess: false,
    showsInherited: true,
    showsDefaults: true,
    ...more,
  });
}

function labelOf(label: InlayHint['label']): string {
  return typeof label === 'string' ? label : label.map(({ value }) => value).join('');
}

/** The text of `shown` without its marks gives `shown` again. */
function shows(title: string, shown: string, more: Partial<InlayHintRequest> = {}): void {
  it(title, () => {
    const text = shown.replace(/ «.*?»/g, '');
    const rows = text.split('\n');
    for (const { position, label: parts } of ask(text, more)) {
      const label = labelOf(parts);
      assert.equal(rows[position.line].length >= position.character, true);
      rows[position.line] =
        `${rows[position.line].slice(0, position.character)} «${label}»${rows[position.line].slice(position.character)}`;
    }
    assert.equal(rows.join('\n'), shown);
  });
}

describe('inlay hints', () => {
  shows(
    'tell what a virtual host inherits, and what not',
    `ServerAdmin a@example.org
DocumentRoot "/srv"
<IfModule log_config_module>
    CustomLog logs/access common
</IfModule>
RewriteRule ^/a /b
Alias /x /y
<VirtualHost *:80> «inherits ServerAdmin +2, not RewriteRule»
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
`,
    { showsDefaults: false },
  );

  shows(
    'count what does not fit into the width that an editor shows',
    `ServerAdmin a
DocumentRoot /srv
ErrorLog e
LogLevel warn
Timeout 5
KeepAlive Off
<VirtualHost *:80> «inherits ServerAdmin, DocumentRoot +4»
</VirtualHost>
`,
    { showsDefaults: false },
  );

  shows(
    'are silent where something else may set it, and where nothing is set',
    `DocumentRoot /srv
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
`,
    { showsDefaults: false },
  );

  shows(
    'tell defaults that have changed, once for the server and for each directory',
    `ServerRoot /etc/httpd «defaults: EnableSendfile Off +5»
TimeOut 60
<Directory "/srv"> «AllowOverride None»
</Directory>
`,
    { showsInherited: false },
  );

  shows(
    'know the new name of a directive',
    `ServerRoot /etc/httpd «defaults: EnableSendfile Off +5»
MaxConnectionsPerChild 100
`,
    { showsInherited: false },
  );

  shows(
    'are silent about defaults where an included file may set them',
    `ServerRoot /etc/httpd
Include conf.d/*.conf
<Directory "/srv">
</Directory>
`,
  );

  shows(
    'are silent about AllowOverride where it is set',
    `PidFile run/pid «defaults: EnableSendfile Off +6»
<Directory />
    AllowOverride None
</Directory>
`,
    { showsInherited: false },
  );

  it('are off unless asked for, and not for .htaccess', () => {
    const text = 'ServerRoot /x\nDocumentRoot /srv\n<VirtualHost *:80>\n</VirtualHost>\n';
    assert.deepEqual(ask(text, { showsInherited: false, showsDefaults: false }), []);
    assert.deepEqual(ask(text, { isHtaccess: true }), []);
    assert.equal(ask(text).length, 2);
  });

  it('say where it is from', () => {
    const [hint] = ask('DocumentRoot "/srv"\nRewriteRule a b\n<VirtualHost *:80>\n</VirtualHost>\n', {
      showsDefaults: false,
    });
    const { value } = hint.tooltip as MarkupContent;
    assert.match(value, /- `DocumentRoot "\/srv"`, line 1\n\nA virtual host does not inherit/);
  });

  it('look at what is seen, whatever the size of the file', () => {
    const site = '<VirtualHost *:80>\n    ServerName a\n</VirtualHost>\n';
    const cost = (sites: number) => {
      const text = `DocumentRoot /srv\n${site.repeat(sites)}`;
      const tree = Tree.parse(text);
      engine.analyze(tree, { isHtaccess: false });
      const question = {
        tree,
        start: text.length - 10 * site.length,
        end: text.length,
        engine,
        isHtaccess: false,
        showsInherited: true,
        showsDefaults: true,
      };
      assert.equal(inlayHints(question).length, sites > 5000 ? 0 : 10);
      const before = workCounts.items;
      inlayHints(question);
      return workCounts.items - before;
    };
    assert.ok(cost(4000) <= cost(400) + 10, `${cost(4000)} and ${cost(400)}`);
    assert.ok(cost(40_000) < 100);
  });
});

/** Files; the hints of the one with `«…»` in it are these. */
describe('inlay hints in a configuration', () => {
  const ROOT = '/etc/httpd/conf/httpd.conf';
  const SITE = '/etc/httpd/sites/site.conf';

  function askAbout(files: Readonly<Record<string, string>>, path: string, more: Partial<InlayHintRequest> = {}) {
    const view = memoryFiles(files);
    const model = readModel({ mainFile: ROOT, view: configView(view) })!;
    // As in an editor: the text is that of the disk, the lines are others.
    const tree = Tree.parse(files[path]);
    const fileSummary = (file: string) => summarize(view.read(file)!.root);
    const configured = {
      model,
      path,
      namesInOtherFiles: elsewhereOf(files, path),
      fileSummary,
      uriFor: (file: string) => `file://${file}`,
      displayName: (file: string) => file.replace('/etc/httpd/', ''),
    };
    const fileContext = model.files.has(path)
      ? new FileContexts(model, new ContextInterner()).contextsOfFile(path, fileSummary(path))[0]
      : null;
    engine.analyze(tree, { isHtaccess: false });
    return inlayHints({
      tree,
      start: 0,
      end: tree.length,
      engine,
      isHtaccess: false,
      showsInherited: true,
      showsDefaults: false,
      configuration: configured,
      fileContext,
      uri: `file://${path}`,
      ...more,
    });
  }

  function tell(title: string, given: Readonly<Record<string, string>>, more: Partial<InlayHintRequest> = {}): void {
    it(title, () => {
      const path =
        Object.keys(given).find((name) => given[name].includes('«')) ?? (given[SITE] === undefined ? ROOT : SITE);
      const files = Object.fromEntries(
        Object.entries(given).map(([name, text]) => [name, text.replace(/ «.*?»/g, '')]),
      );
      const rows = files[path].split('\n');
      for (const { position, label } of askAbout(files, path, more))
        rows[position.line] =
          `${rows[position.line].slice(0, position.character)} «${labelOf(label)}»${rows[position.line].slice(position.character)}`;
      assert.equal(rows.join('\n'), given[path]);
    });
  }

  const HOST = '<VirtualHost *:80> «inherits ServerAdmin +2, not RewriteRule»\nDocumentRoot /a\n</VirtualHost>\n';
  const PLAIN = HOST.replace(/ «.*»/, '');

  tell('tell what a virtual host inherits from other files', {
    [ROOT]: 'ServerRoot /etc/httpd\nServerAdmin a\nInclude conf.d/*.conf\nInclude sites/*.conf\n',
    '/etc/httpd/conf.d/a.conf': 'ErrorLog logs/a\nRewriteRule a b\n<IfModule unknown.c>\nTimeout 5\n</IfModule>\n',
    [SITE]: HOST,
  });
  tell('do not take other virtual hosts for the main server', {
    [ROOT]: 'ServerRoot /etc/httpd\nInclude sites/*.conf\n',
    '/etc/httpd/sites/other.conf': '<VirtualHost *>\nServerAdmin a\n</VirtualHost>\n',
    [SITE]: PLAIN,
  });
  tell('do not take a file that is read in a section for the main server', {
    [ROOT]: 'ServerRoot /etc/httpd\n<VirtualHost *:81>\nInclude conf.d/a.conf\n</VirtualHost>\nInclude sites/*.conf\n',
    '/etc/httpd/conf.d/a.conf': 'ServerAdmin a\n',
    [SITE]: PLAIN,
  });
  tell('pass over what is not read', {
    [ROOT]: 'ServerRoot /etc/httpd\nInclude conf.d/*.conf\nInclude sites/*.conf\n',
    '/etc/httpd/conf.d/a.conf': '<IfVersion < 2.4>\nServerAdmin a\n</IfVersion>\n',
    [SITE]: PLAIN,
  });
  tell('pass over files that no configuration reads', {
    [ROOT]: 'ServerRoot /etc/httpd\nInclude sites/*.conf\n',
    '/etc/httpd/conf.d/a.conf': 'ServerAdmin a\n',
    [SITE]: PLAIN,
  });
  tell('know what the virtual host includes and uses itself', {
    [ROOT]:
      'ServerRoot /etc/httpd\nServerAdmin a\nErrorLog e\nTimeout 5\nLogLevel warn\n<Macro M>\nErrorLog m\n</Macro>\nInclude sites/*.conf\n',
    '/etc/httpd/own/a.conf': 'ServerAdmin b\nInclude own/b.conf\n',
    '/etc/httpd/own/b.conf': 'Timeout 6\n',
    [SITE]: '<VirtualHost *:80> «inherits LogLevel»\nInclude own/a.conf\nUse M\n</VirtualHost>\n',
  });
  tell('are silent about a virtual host with an include that is not there', {
    [ROOT]: 'ServerRoot /etc/httpd\nServerAdmin a\nInclude sites/*.conf\n',
    [SITE]: '<VirtualHost *:80>\nInclude nowhere.conf\n</VirtualHost>\n',
  });
  tell('are silent in a file that is read in a virtual host', {
    [ROOT]: 'ServerRoot /etc/httpd\nServerAdmin a\n<VirtualHost *:80>\nInclude sites/*.conf\n</VirtualHost>\n',
    [SITE]: PLAIN,
  });
  tell(
    'tell defaults of a configuration of several files',
    {
      [ROOT]:
        'ServerRoot /etc/httpd «defaults: EnableSendfile Off +5»\nInclude conf.d/*.conf\n<Directory /srv> «AllowOverride None»\n</Directory>\n',
      '/etc/httpd/conf.d/a.conf': 'TimeOut 60\n',
    },
    { showsInherited: false, showsDefaults: true },
  );
  tell(
    'are silent about AllowOverride where another file sets it, and about defaults where a file is missing',
    {
      [ROOT]:
        'ServerRoot /etc/httpd\nInclude conf.d/a.conf\nInclude conf.d/none.conf\n<Directory /srv>\n</Directory>\n',
      '/etc/httpd/conf.d/a.conf': '<Directory />\nAllowOverride All\n</Directory>\n',
    },
    { showsInherited: false, showsDefaults: true },
  );

  it('lead to the line that counts: the last one that is read, through includes', () => {
    const files = {
      [ROOT]: 'ServerRoot /etc/httpd\nErrorLog first\nInclude conf.d/*.conf\nServerAdmin last\nInclude sites/*.conf\n',
      '/etc/httpd/conf.d/a.conf': 'ServerAdmin early\nErrorLog second\n',
      '/etc/httpd/conf.d/b.conf': 'ErrorLog third\n',
      [SITE]: PLAIN,
    };
    const [{ label, tooltip }] = askAbout(files, SITE);
    const places = (label as InlayHintLabelPart[]).flatMap(({ value, location }) =>
      location ? [`${value} ${location.uri}:${location.range.start.line}`] : [],
    );
    assert.deepEqual(places, [`ServerAdmin file://${ROOT}:3`, 'ErrorLog file:///etc/httpd/conf.d/b.conf:0']);
    assert.match(
      (tooltip as MarkupContent).value,
      /- `ServerAdmin last`, \[conf\/httpd\.conf, line 4\]\(file:\/\/\/etc\/httpd\/conf\/httpd\.conf#L4\)\n- `ErrorLog third`, \[conf\.d\/b\.conf, line 1\]/,
    );
  });

  it('cost no more in a configuration of many files', () => {
    const cost = (sites: number) => {
      const files: Record<string, string> = {
        [ROOT]: 'ServerRoot /etc/httpd\nServerAdmin a\nInclude sites/*.conf\n',
        [SITE]: PLAIN,
      };
      for (let i = 0; i < sites; i++) files[`/etc/httpd/sites/s${i}.conf`] = PLAIN;
      const before = { looks: looked.files, files: gathered.files };
      assert.equal(askAbout(files, SITE).length, 1);
      assert.equal(gathered.files - before.files, sites + 2, 'each file is gathered once');
      return looked.files - before.looks;
    };
    assert.equal(cost(300), cost(3));
  });
});
