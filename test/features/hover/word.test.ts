/**
 * `explain` for words that are no directive, module or message, and for questions in plain words.
 */
import assert from 'node:assert/strict';
import { explain, type ExplainedRule, type Explanation } from '../../../server/src/features/explain';
import { ALL_RULES } from '../../../server/src/rules/all';
import { thirdPartyAdvice } from '../../../server/src/rules/third-party-module';
import { vocabulary, VOCABULARY_KINDS } from '../../../server/src/directives/vocabularies';

const RULES: readonly ExplainedRule[] = ALL_RULES.map(({ id, title }) => ({ id, title, page: () => `# ${id}` }));
const asked = (term: string) => explain(term, { rules: RULES, adviceFor: thirdPartyAdvice });

function explained(term: string): Explanation {
  const found = asked(term);
  return 'markdown' in found ? found : assert.fail(`nothing found for ${term}`);
}

describe('explain words', () => {
  const kinds: Record<string, RegExp> = {
    QSA: /flag of `RewriteRule`/,
    'R=301': /redirect/,
    '[R=301,L]': /\*\*`R`\*\*[^]*\*\*`L`\*\*/,
    NC: /flag of `RewriteRule`[^]*flag of `RewriteCond`/,
    '%{REQUEST_URI}': /Path of the URL/,
    request_uri: /Path of the URL/,
    '%{HTTP:X-Forwarded-Proto}': /lookup of `RewriteCond`/,
    SSL_CLIENT_S_DN: /variable of mod_ssl/,
    'valid-user': /first word of `Require`[^]*mod_authz_user/,
    '-ipmatch': /operator of expressions/,
    'tolower(x)': /function of expressions/,
    '%h': /part of `LogFormat`/,
    '%{Referer}i': /part of `LogFormat`/,
    '%>s': /part of `LogFormat`/,
    'cgi-script': /handler/,
    INCLUDES: /filter/,
    'no-gzip': /environment variable/,
    'X-Forwarded-For': /request header/,
    '406': /HTTP status/,
    'HTTP 301': /Moved Permanently/,
    '304 Not Modified': /HTTP status/,
  };
  for (const [term, says] of Object.entries(kinds)) it(`${term}`, () => assert.match(explained(term).markdown, says));

  it('all flags, variables, words of Require, handlers and filters', () => {
    for (const kind of VOCABULARY_KINDS) {
      if (!/flag|variable|require|handler|^filter/.test(kind)) continue;
      for (const { word } of vocabulary(kind)) assert.ok('markdown' in asked(word), `${kind} ${word}`);
    }
  });
});

describe("explain in people's own words", () => {
  const symptoms: Record<string, string> = {
    '403 after upgrade': '403 Forbidden after the upgrade',
    'getting 403 forbidden since the upgrade': '403 Forbidden after the upgrade',
    "Forbidden You don't have permission to access / on this server.": '403 Forbidden after the upgrade',
    'apache 500 on every page': '500 Internal Server Error after the upgrade',
    'my htpasswd does not work': 'htpasswd writes MD5 by default on all platforms',
    'apache2 failed to start': 'httpd does not start after the upgrade',
    'shows the default page': '404 Not Found after the upgrade',
    'directory listing not working': 'No directory listing after the upgrade',
    'cannot log in any more': '401 Unauthorized after the upgrade',
    'php files are shown as text': 'PHP after the upgrade',
    'where is the rewrite log': 'No log of mod_rewrite after the upgrade',
    'Redirect 404 /old': 'Redirect',
    'deny from all': 'Deny',
    'why is AllowOverride None there': 'AllowOverride',
    'what became of mod_access_compat': 'mod_access_compat',
    'what is NameVirtualHost for': 'NameVirtualHost',
  };
  for (const [term, title] of Object.entries(symptoms)) it(`${term}`, () => assert.equal(explained(term).title, title));

  const pasted: Record<string, string> = {
    '[Sun Nov 22 12:00:00.123456 2026] [authz_core:error] [pid 123:tid 456] [client 203.0.113.7:5000] AH01630: client denied by server configuration: /srv/www/403.html':
      'AH01630',
    '[Sun Nov 22 12:00:00 2026] [error] [client 203.0.113.7] File does not exist: /var/www/favicon.ico': 'AH00128',
    '[core:notice] [pid 7:tid 8] AH00052: child pid 9 exit signal Segmentation fault (11)': 'AH00052',
    'child pid 500 exit signal Segmentation fault (11)': 'AH00052',
    '(98)Address already in use: AH00072: make_sock: could not bind to address 0.0.0.0:80': 'AH00072',
    'error[order-allow-deny]: `Order`, `Allow`: access control of 2.2 · equivalent: `Require all granted`':
      ALL_RULES.find(({ id }) => id === 'order-allow-deny')!.title,
    'info[max-clients]: `MaxClients` is now `MaxRequestWorkers`; the old name still works': ALL_RULES.find(
      ({ id }) => id === 'max-clients',
    )!.title,
    '# httpd-upgrade-ignore max-clients: later': ALL_RULES.find(({ id }) => id === 'max-clients')!.title,
  };
  for (const [term, title] of Object.entries(pasted))
    it(`the line ${term.slice(0, 60)}`, () => assert.equal(explained(term).title, title));

  it('modules that do not come with httpd, with what to do', () => {
    for (const term of ['php5_module', 'mod_php5.c', 'modules/libphp5.so', 'mod_jk', 'wsgi_module', 'mod_rpaf'])
      assert.match(explained(term).markdown, /does not come with httpd[^]*third-party-module/, term);
  });

  it('where nothing fits, the nearest of any of the words', () => {
    const near = (term: string) => {
      const found = asked(term);
      return 'suggestions' in found ? found.suggestions : assert.fail(`${term} was found`);
    };
    assert.ok(near('something about allowoverid').includes('AllowOverride'));
    assert.ok(near('REQEST_URI').includes('REQUEST_URI'));
    assert.deepEqual(near('qqqqqq zzzzzz'), []);
  });
});
