import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'ssl-proxy-check' };
const count = (text: string, asked: Asked = {}) => findingsIn(text, { ...rule, ...asked }).length;
const ON = 'SSLProxyEngine on\n';

describe('ssl-proxy-check', () => {
  it('marks the first line that uses https backends', () => {
    assert.equal(
      annotated(
        `<VirtualHost *:80>\n  sslPROXYengine ON\n  ProxyPass /app https://127.0.0.1/\n</VirtualHost>\n${ON}`,
        rule,
      ),
      `<VirtualHost *:80>
  sslPROXYengine ON
# ^^^^^^^^^^^^^^^^^ hint ssl-proxy-check/backend suggestion
  ProxyPass /app https://127.0.0.1/
</VirtualHost>
${ON}`,
    );
    assert.equal(count(`${ON}<Location /a>\nRequire valid-user\n</Location>\n`), 1);
  });

  it('is silent where the checks are set, for 2.4, and in a main file', () => {
    for (const text of [
      'SSLProxyEngine off\n',
      `# ${ON}`,
      `SSLProxyCheckPeerName off\n<VirtualHost *:80>\n${ON}</VirtualHost>\n`,
      `${ON}SSLProxyCheckPeerExpire on\n`,
      `ServerRoot /etc/httpd\n${ON}`,
      `LoadModule authz_core_module modules/mod_authz_core.so\n${ON}`,
      `${ON}<Location /a>\nRequire all granted\n</Location>\n`,
      `${ON}<Location /a>\n<RequireAny>\nRequire user x\n</RequireAny>\n</Location>\n`,
      `${ON}IncludeOptional x/*.conf\n`,
    ])
      assert.equal(count(text), 0, text);
    assert.equal(count(ON, { target: { major: 2, minor: 4, patch: Infinity, runningPatch: 6 } }), 0);
  });

  it('sets the checks to off where a person takes the fix', () => {
    const lines = 'SSLProxyCheckPeerCN off\nSSLProxyCheckPeerExpire off\n';
    assert.equal(fixed(ON, { unsafe: true }), ON);
    assert.equal(fixed(ON, { ...rule, unsafe: true }), `${ON}${lines}SSLProxyCheckPeerName off\n`);
    const [{ fixes }] = findingsIn(ON, rule) as [ReturnType<typeof findingsIn>[number]];
    assert.equal(fixes[0]!.edits[0]!.text, `${lines}SSLProxyCheckPeerName off\n`);
    const [old] = findingsIn(ON, { ...rule, target: { major: 2, minor: 4, patch: 4 } });
    assert.equal(old!.fixes[0]!.edits[0]!.text, lines);
  });
});
