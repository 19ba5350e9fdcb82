import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'access-env-never-set' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const whole = (use: string, more = '') => `PidFile x\n${more}<Location /a>\n${use}\n</Location>\n`;

describe('access-env-never-set', () => {
  it('leaves alone what is set in time, whatever the case', () => {
    for (const setter of [
      'SetEnvIf Remote_Addr ^10 Good=1',
      'SetEnvIfNoCase User-Agent x bad=1 GOOD',
      'SetEnvIfExpr "true" good',
      'BrowserMatch x good',
      'BrowserMatchNoCase x bad good=yes',
      'RewriteRule . - [E=good:1]',
      'RewriteRule . - [L,ENV=good:%1,NC]',
      '<VirtualHost *>\nRewriteRule . - [E=good]\n</VirtualHost>',
      '<IfModule a.c>\nSetEnvIf a b good\n</IfModule>',
    ]) {
      const text = whole('Allow from env=good\nRequire env good', `${setter}\n`);
      assert.equal(marked(text), text);
    }
  });

  it('leaves alone what something else may set', () => {
    for (const more of [
      'Include x\n',
      'Use x\n',
      '<Directory /b>\nAllowOverride All\n</Directory>\n',
      'LoadModule geoip_module modules/mod_geoip.so\n',
      'LoadModule lua_module modules/mod_lua.so\n',
      'SetEnvIf ${A} ${B} ${C}\n',
      'SetEnvIf Remote_Addr (.*) $1\n',
      'SecRule x y\n',
      'RewriteRule (.*) - [E=$1:1]\n',
      'SetEnvIf a b good\n<Macro a>\n</Macro>\nUse a\n',
    ]) {
      const text = whole('Allow from env=godo', more.replace('good', 'other'));
      assert.equal(marked(text), text, more);
    }
    for (const text of [
      '<Location /a>\nAllow from env=good\n</Location>\n',
      whole('Require env HTTPS UNIQUE_ID REDIRECT_x'),
      whole('# Allow from env=good'),
      whole('Allow from env=${A}'),
      whole('<IfVersion < 2.4>\nAllow from env=good\n</IfVersion>'),
      whole('Require env !good'),
    ]) {
      assert.equal(marked(text), text);
    }
    assert.equal(marked('Allow from env=good\n', { file: '.htaccess' }), 'Allow from env=good\n');
  });

  it("marks the name, in odd case, with modules of httpd's own loaded", () => {
    assert.equal(
      marked(
        whole(
          '  aLLOW FROM 10 eNV=good ENV=!other\n  Require not env "third"',
          'LoadModule setenvif_module modules/mod_setenvif.so\nSetEnvIf a b !other\nSetEnv third 1\n',
        ),
      ),
      `PidFile x
LoadModule setenvif_module modules/mod_setenvif.so
SetEnvIf a b !other
SetEnv third 1
<Location /a>
  aLLOW FROM 10 eNV=good ENV=!other
#                   ^^^^ warning access-env-never-set/never-set none
#                             ^^^^^ warning access-env-never-set/never-set none
  Require not env "third"
#                  ^^^^^ warning access-env-never-set/set-too-late none
</Location>
`,
    );
  });

  it('states whom the line allows or denies: `env=!x` holds for everyone if x is never set', () => {
    const effect = (use: string, more = '') =>
      findingsIn(whole(use, more), rule).map(({ what, cause }) => [what, /So this condition (.*)\.$/.exec(cause!)![1]]);
    for (const [use, matches, never] of [
      ['Allow from env=x', '`Allow from env=x` never', 'allows no client'],
      ['Deny from env=x', '`Deny from env=x` never', 'denies no client'],
      ['Allow from env=!x', '`Allow from env=!x` always', 'allows every client'],
      ['aLLow from "ENV=!x"', '`aLLow from env=!x` always', 'allows every client'],
      ['Deny from 10 env=!x', '`Deny from env=!x` always', 'denies every client'],
      ['Require env x', '`Require env x` never', 'allows no client'],
      ['Require not env x', '`Require env x` never', 'denies no client'],
    ] as const) {
      assert.deepEqual(effect(use), [[`${matches} matches: \`x\` is never set`, never]], use);
      assert.deepEqual(effect(use, 'SetEnv x 1\n'), [[`${matches} matches: \`x\` is set too late`, never]], use);
    }
  });

  it('is silent where there are too many variables, in one line as in many', () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `env=x${i}`);
    assert.equal(findingsIn(whole(`Allow from ${names(48).join(' ')}`), rule).length, 48);
    assert.equal(
      findingsIn(
        whole(
          names(49)
            .map((name) => `Allow from ${name}`)
            .join('\n'),
        ),
        rule,
      ).length,
      0,
    );
    assert.equal(findingsIn(whole(`Allow from ${names(49).join(' ')}`), rule).length, 0);
  });

  it('knows what is set too late', () => {
    const late = (more: string, text = whole('Require env a', more)) =>
      findingsIn(text, rule).map(({ messageId }) => messageId);
    for (const more of ['SetEnv a 1\n', 'PassEnv b a\n', '<Directory /b>\nRewriteRule . - [E=a:1]\n</Directory>\n'])
      assert.deepEqual(late(more), ['set-too-late'], more);
  });

  it('offers the name that is set and one letter away, also in a file that is no whole configuration if it is used nowhere', () => {
    const text = whole('Deny from 10 \\\n env=spambo', 'SetEnvIf a b spambot\r\n');
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), whole('Deny from 10 \\\n env=spambot', 'SetEnvIf a b spambot\r\n'));
    const snippet = (uses: string) => `SetEnvIf a b spambot\n<Location /a>\n${uses}</Location>\n`;
    assert.equal(fix(snippet('Deny from env=spambo\n'), true), snippet('Deny from env=spambot\n'));
    for (const uses of ['Deny from env=spambo\nDeny from env=spambot\n', 'Deny from env=robot\n'])
      assert.equal(findingsIn(snippet(uses), rule).length, 0);
    assert.equal(findingsIn(snippet('Deny from env=bot2\n').replace('spambot', 'bot1'), rule).length, 0, 'two names');
  });
});
