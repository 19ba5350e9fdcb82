import assert from 'node:assert/strict';
import { listed } from '../support/configurations';

const ROOT = '/srv/conf/httpd.conf';
const rule = { rule: 'authtype-in-proxied-location' };
const rows = (text: string, more: Record<string, string> = {}) => listed({ [ROOT]: text, ...more }, rule);
const DENY = '<Directory />\nRequire all denied\n</Directory>\n';
const PASS = 'ProxyPass /app http://192.0.2.1/app\n';
const login = (path: string, more = '') => `<Location ${path}>\nAuthType Basic\nAuthName x\n${more}</Location>\n`;

describe('authtype-in-proxied-location', () => {
  it('finds a login without Require in a Location of a backend', () => {
    const row = (line: number) => [`${ROOT}:${line}: error authtype-in-proxied-location/no-require suggestion`];
    assert.deepEqual(rows(DENY + PASS + login('/app')), row(6));
    assert.deepEqual(rows(DENY + PASS + login('/app/in')), row(6));
    assert.deepEqual(rows(DENY + login('/app', 'ProxyPass http://192.0.2.1/app\n')), row(5));
    assert.deepEqual(rows(`${DENY}<VirtualHost *:80>\n${PASS}${login('/app')}</VirtualHost>\n`), row(7));
    // Require lines of other URLs and of another virtual host do not count.
    assert.deepEqual(rows(DENY + PASS + login('/app') + '<Location /b>\nRequire all granted\n</Location>\n'), row(6));
    assert.deepEqual(
      rows(DENY + PASS + login('/app') + '<Location /app/in>\nRequire all granted\n</Location>\n'),
      row(6),
    );
    assert.deepEqual(
      rows(
        `${DENY}<VirtualHost *:80>\n${PASS}${login('/app')}</VirtualHost>\n<VirtualHost *:81>\n<Location />\nRequire all granted\n</Location>\n</VirtualHost>\n`,
      ),
      row(7),
    );
    assert.deepEqual(rows(`ServerRoot /srv/conf\nInclude app.conf\n`, { '/srv/conf/app.conf': PASS + login('/app') }), [
      '/srv/conf/app.conf:3: error authtype-in-proxied-location/no-require suggestion',
    ]);
  });

  it('says nothing where a Require line may apply, or where no backend is certain', () => {
    const on = PASS + login('/app');
    for (const text of [
      DENY + login('/app'),
      DENY + PASS + login('/other'),
      DENY + PASS + login('/app', 'Require valid-user\n'),
      DENY + PASS + login('/app', '<Limit POST>\nRequire valid-user\n</Limit>\n'),
      DENY + PASS + login('/app', 'Order allow,deny\nAllow from all\n'),
      DENY + PASS + login('/app', '<If "true">\nRequire all granted\n</If>\n'),
      DENY + PASS + login('~ /app'),
      DENY + PASS + login('/*'),
      `${DENY}ProxyPass /app !\n${on}`,
      `${DENY}ProxyPass /app/x !\n${on}`,
      `${DENY}RewriteRule ^/app - [F]\n${on}`,
      `${DENY}${on}<Proxy *>\nRequire all granted\n</Proxy>\n`,
      `${DENY}${on}<Proxy *>\nOrder allow,deny\nAllow from all\n</Proxy>\n`,
      `${DENY}${on}<Location />\nRequire all granted\n</Location>\n`,
      `${DENY}${on}<LocationMatch ^/a>\nRequire all granted\n</LocationMatch>\n`,
      `${DENY}${on}<Files *>\nRequire all granted\n</Files>\n`,
      `${DENY}${on}<Location /app>\nAuthType None\n</Location>\n`,
      `${DENY}<IfModule mod_x.c>\n${on}</IfModule>\n`,
      `${DENY}<IfVersion < 2.4>\n${on}</IfVersion>\n`,
      `${DENY}${on}Include missing.conf\n`,
      `${DENY}${login('/app', 'ProxyPass http://192.0.2.1/app\n')}<Location /app/x>\nProxyPass !\n</Location>\n`,
      `${DENY}${PASS}<Location /app>\nAuthType None\n</Location>\n`,
    ])
      assert.deepEqual(rows(text), [], text);
  });

  it('leaves a file without any Require line to authtype-without-require', () => {
    assert.deepEqual(rows(`PidFile x\n${PASS}${login('/app')}`), []);
  });
});
