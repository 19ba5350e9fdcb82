import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { explainedSteps } from '../../server/src/analysis/on-server';
import { directives, displayName, modules } from '../../server/src/directives';
import { serverMessages } from '../../server/src/directives/messages';
import { repositoryRoot } from '../support/paths';
import { explain, type ExplainedRule, type Explanation } from '../../server/src/features/explain';

const RULES: readonly ExplainedRule[] = [
  { id: 'order-allow-deny', title: 'Order, Allow, Deny, Satisfy', page: () => '# the page' },
  { id: 'keep-alive-value', title: 'A value that KeepAlive no longer takes', page: () => '# another page' },
];

function explained(term: string): Explanation {
  const found = explain(term, { rules: RULES });
  return 'markdown' in found ? found : assert.fail(`nothing found for ${term}`);
}

function suggested(term: string): readonly string[] {
  const found = explain(term, { rules: RULES });
  return 'suggestions' in found ? found.suggestions : assert.fail(`${term} was found`);
}

describe('explain', () => {
  it('finds each kind of term', () => {
    const table: Record<string, string> = {
      'order-allow-deny': 'Order, Allow, Deny, Satisfy',
      Order: 'Order',
      'unknown order': 'Order',
      'AH00526: Syntax error on line 3 of /etc/x.conf: unknown order': 'Order',
      oRDER: 'Order',
      ' order ': 'Order',
      '<limit': '<Limit>',
      '<Limit GET POST>': '<Limit>',
      '</Limit>': '<Limit>',
      'Order deny,allow': 'Order',
      mod_ssl: 'mod_ssl',
      ssl_module: 'mod_ssl',
      'mod_ssl.c': 'mod_ssl',
      'modules/mod_ssl.so': 'mod_ssl',
      'prefork.c': 'prefork',
      AH01797: 'AH01797',
      ah1797: 'AH01797',
      '1797': 'AH01797',
      '[core:error] [pid 7] AH00027: No authentication done but …': 'AH00027',
      "couldn't check user": 'AH00025',
      'Ignoring deprecated use of DefaultType': 'AH00117',
      '500': '500 Internal Server Error after the upgrade',
      '502': '502 Bad Gateway or Proxy Error after the upgrade',
      '.htaccess files are not processed': '.htaccess files are not processed',
    };
    for (const [term, title] of Object.entries(table)) assert.equal(explained(term).title, title, term);
  });

  it('shows a message with its meaning, its remedy, the rules that find it, and links', () => {
    assert.equal(
      explained('AH00136').markdown,
      `**AH00136: Server MUST relinquish startup privileges before accepting connections. Please ensure mod\\_unixd or other system security module is loaded.**

httpd does not start, although \`httpd -t\` reports no error. In 2.4 mod_unixd changes the user from root to the user of the \`User\` line. In 2.2 the MPM did this.

**What to do:** Load unixd_module, and keep \`User\` and \`Group\`.

See also: [\`User\`](https://httpd.apache.org/docs/2.4/mod/mod_unixd.html#user), [\`Group\`](https://httpd.apache.org/docs/2.4/mod/mod_unixd.html#group), [\`mod_unixd\`](https://httpd.apache.org/docs/2.4/mod/mod_unixd.html)`,
    );
    assert.match(
      explained('AH01797').markdown,
      /\*\*Checks of httpd-upgrade that report this\*\*\n- `order-allow-deny`: Order, Allow, Deny, Satisfy/,
    );
  });

  it('shows both messages where two have the same words', () => {
    const { markdown } = explained('client denied by server configuration: /srv/www');
    assert.match(markdown, /AH01797[\s\S]*AH01630/);
  });

  it('shows for an invalid command what it was', () => {
    const { markdown } = explained(
      "AH00526: Syntax error on line 2 of x:\nInvalid command 'RewriteLog', perhaps misspelled or defined by a module",
    );
    assert.match(markdown, /\*\*Removed in 2\.4\.\*\* Write `LogLevel/);
    assert.match(
      explained("Invalid command 'KeepALife', perhaps misspelled").markdown,
      /`KeepALife` is no directive[\s\S]*Close to it: `KeepAlive`/,
    );
  });

  it('says which module to load for a command that 2.4 has, in whole log lines and messages over two lines', () => {
    for (const term of [
      "Invalid command 'User', perhaps misspelled or defined by a module not included in the server configuration",
      "AH00526: Syntax error on line 3 of /etc/httpd/conf/httpd.conf:\nInvalid command 'User', perhaps misspelled or defined by a module not included in the server configuration\nAction 'configtest' failed.",
    ]) {
      const { markdown } = explained(term);
      assert.match(
        markdown,
        /^\*\*`User`\*\* is a directive of mod_unixd in httpd 2\.4, and this module is not loaded: load `unixd_module`\.\n/,
        term,
      );
      assert.match(markdown, /Sets the user of the processes that answer requests/);
    }
    assert.match(
      explained("Invalid command '<RequireAll', perhaps misspelled").markdown,
      /^\*\*`<RequireAll>`\*\* is a section of mod_authz_core/,
    );
  });

  it('says of any message that names a directive what that is', () => {
    for (const [term, name] of [
      [
        '[Sun Nov 22 15:06:51 2026] [core:alert] [pid 1] [client 127.0.0.1:1] /var/www/.htaccess: Order not allowed here',
        'Order',
      ],
      [
        'AH00526: Syntax error on line 8 of /etc/apache2/apache2.conf:\nListen cannot occur within <VirtualHost> section',
        'Listen',
      ],
      ['<Directory> not allowed in <Location> context', '<Directory>'],
      ['DocumentRoot takes one argument, Root directory of the document tree', 'DocumentRoot'],
      ['KeepAlive must be On or Off', 'KeepAlive'],
    ])
      assert.ok(explained(term).markdown.includes(`**\`${name}\`** — `), term);
  });

  // What httpd 2.4.71 logs without `AllowOverride AuthConfig`; moving the line is refused, too.
  for (const words of [
    'Require not allowed in <Files> context',
    'Require not allowed here',
    'Require not allowed in <If> context',
  ])
    it(`does not say to move a line of a .htaccess file: ${words}`, () => {
      const log = '[Sat Nov 28 22:49:34.5 2026] [core:alert] [pid 1:tid 1] [client 192.0.2.1:5] ';
      for (const file of ['/srv/www/.htaccess', '/srv/www/access.txt']) {
        const { markdown } = explained(`${log}${file}: ${words}`);
        assert.match(
          markdown,
          /^\*\*`Require` is not allowed in this \.htaccess file\*\*\n\nRequests for this directory get 500\. `AllowOverride` of this directory does not include AuthConfig, /,
        );
        assert.match(markdown, /Ask who runs the server to add AuthConfig to/);
        assert.match(markdown, /`httpd-upgrade undo`\), and ask for mod_access_compat/);
        assert.match(markdown, /Do not move or remove the line/);
        assert.doesNotMatch(markdown, /[Mm]ove the line (?:out|to|into)/);
      }
    });

  it('names the class that a line of a .htaccess file needs, if there is one', () => {
    const remedyOf = (words: string) => explained(`/srv/www/.htaccess: ${words}`).markdown.split('\n\n').slice(1, 3);
    const [why, remedy] = remedyOf('order not allowed in <FilesMatch> context');
    assert.match(why!, /does not include Limit, the class of `Order`/);
    assert.match(remedy!, /add Limit .*Do not move or remove the line/);
    assert.match(remedyOf('Options not allowed here')[1]!, /add Options .*Do not move the line/);
    assert.match(remedyOf('ProxyPass not allowed here')[0]!, /`ProxyPass` is never allowed in a \.htaccess file/);
    assert.match(remedyOf('<Directory not allowed here')[1]!, /Do not remove its tags alone/);
    const [anyClass, toAdd] = remedyOf('<Files not allowed here');
    assert.match(anyClass!, /`<Files>` needs a class in `AllowOverride`, and that of this directory has none/);
    assert.match(toAdd!, /add a class, such as AuthConfig, to .*Do not move or remove the line/);
    assert.match(remedyOf('XFoo not allowed here')[1]!, /Ask who runs the server to add this class/);
  });

  // With `AllowOverride Nonfatal=Override`, 2.4.71 logs this and answers 200 despite the `Require`.
  it('says that httpd ignores a line if AllowOverride has Nonfatal', () => {
    const { markdown } = explained('[core:warn] [pid 1] AH02295: Require in .htaccess forbidden by AllowOverride');
    assert.match(markdown, /httpd ignores this line .* denies no request\./);
    assert.doesNotMatch(markdown, /500/);
  });

  it('says without a file that the line of a .htaccess file stays where it is', () => {
    for (const words of ['Require not allowed in <Files> context', 'Require not allowed here'])
      assert.match(
        explained(words).markdown,
        /\*\*What to do:\*\* In a \.htaccess file, do not move the line: ask who runs the server/,
      );
  });

  it('answers for every row of what changed in behaviour', () => {
    const rows: Record<string, RegExp> = {
      htpasswd: /MD5/,
      'DavLockDB format': /delete the old/i,
      'error documents': /SSILegacyExprParser/,
      'piped logs': /shell/,
      'header underscore': /SetEnvIf[^]*RewriteCond/,
      xhtml: /ScanHTMLTitles/,
      'mod_deflate larger': /larger/,
      'cache directory': /CacheDirLevels/,
      'reqtimeout defaults': /header=20-40/,
      'substitute line length': /SubstituteMaxLineLength/,
      'third-party modules': /built/,
      'HttpProtocolOptions Strict': /400/,
      'run beside 2.2': /PidFile/,
      'config.nice': /config\.nice/,
      '<!--#if expr="$X = /a/" -->': /SSILegacyExprParser/,
      UseOldDateFormat: /IndexOptions/,
      'dot matches newline': /2\.4\.41/,
      fail2ban: /AH00128/,
      AuthBasicAuthoritative: /500/,
      '[2026-01-01 00:00:00]: cannot run as forbidden uid (33/x.cgi)': /AP_UID_MIN/,
      "Invalid command 'NTLMAuth', perhaps misspelled": /auth_ntlm_module[^]*auth_ntlm_winbind_module/,
    };
    for (const [term, wanted] of Object.entries(rows)) assert.match(explained(term).markdown, wanted, term);
    for (const name of ['DavLockDB', 'mod_autoindex', 'mod_deflate', 'mod_dav_fs'])
      assert.doesNotMatch(explained(name).markdown, /Unchanged in 2\.4/, name);
    assert.match(explained('mod_cache_disk').markdown, /CacheDirLevels/);
    assert.match(explained('Satisfy').markdown, /See `<RequireAny>`, `<RequireAll>`\./);
  });

  it('names the rules about a directive', () => {
    assert.match(explained('KeepAlive').markdown, /- `keep-alive-value`/);
    assert.match(explained('Deny').markdown, /- `order-allow-deny`/);
    assert.doesNotMatch(explained('DocumentRoot').markdown, /Rules that report/);
  });

  it('shows the directive and the section of one name', () => {
    assert.match(explained('MDomain').markdown, /— directive[\s\S]*— section/);
    assert.doesNotMatch(explained('<MDomain').markdown, /— directive/);
  });

  it('suggests what is close', () => {
    assert.deepEqual(suggested('Odrer'), ['Order']);
    assert.equal(suggested('KeepAlvie')[0], 'KeepAlive');
    assert.equal(suggested('<VirtualHots>')[0], '<VirtualHost>');
    assert.ok(suggested('mod_authz_hots').includes('mod_authz_host'));
    assert.ok(suggested('order-alow-deny').includes('order-allow-deny'));
    assert.deepEqual(suggested('qqqqqqqq'), []);
    assert.deepEqual(suggested(''), []);
    assert.deepEqual(suggested('   '), []);
  });

  it('explains every directive, module and code', () => {
    for (const one of directives()) assert.equal(explained(displayName(one)).title, displayName(one));
    for (const { name } of modules()) assert.equal(explained(name).title, name);
    for (const { code } of serverMessages()) if (code) assert.equal(explained(code).title, code);
  });

  it('explains each step of a plan by the id that the plan shows in brackets', () => {
    const steps = explainedSteps();
    assert.equal(new Set(steps.map(({ id }) => id)).size, steps.length);
    for (const { id, page } of steps) {
      for (const term of [id, `[${id}]`]) {
        const found = explain(term, { rules: RULES, steps });
        assert.ok('markdown' in found, term);
      }
      assert.match(page(), /\n\n\*\*[A-Z][^*]+\*\*\n\n[^]+\n\n## Sources\n\n- \S/, id);
      assert.doesNotMatch(page(), /undefined|null|: ?\.\s|, ,| {2}/, id);
    }
    const found = explain('package-modules', { rules: RULES, steps });
    assert.match('markdown' in found ? found.markdown : '', /write Include conf\.modules\.d\/\*\.conf above/);
    // The plan takes its ids from the same places.
    const ids = new Set(steps.map(({ id }) => id));
    for (const file of ['on-server', 'stock-layout', 'module-lines', 'files-to-enable']) {
      const source = readFileSync(path.join(repositoryRoot, `server/src/analysis/${file}.ts`), 'utf8');
      for (const [, id] of source.matchAll(/\bid: '([a-z0-9-]+)',$/gm)) assert.ok(ids.has(id!), id);
    }
  });
});
