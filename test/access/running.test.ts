/** Lines by which a server can only be 2.4's, and what fixes write, which must not count among them. */
import assert from 'node:assert/strict';
import { ACCESS_NAMES } from '../../server/src/access/configuration-conversion';
import { accessConditions } from '../../server/src/access/conditions';
import { linesOf24, WRITTEN_BY_FIXES } from '../../server/src/access/running';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';
import { ALL_RULES } from '../../server/src/rules/all';
import { DEFAULTS } from '../../server/src/rules/changed-defaults';

const told = (
  text: string,
  more: Readonly<Record<string, string>> = {},
  given: { flags?: ReadonlyMap<string, boolean>; builtIn?: ReadonlySet<string> } = {},
): string | null => {
  const read = { root: '/conf', view: memoryFiles({ '/conf': text, ...more }), flags: given.flags };
  const options = { ...read, names: ACCESS_NAMES, conditions: accessConditions() };
  const found = linesOf24(options, given.builtIn).lineOf24(readConfiguration(options)!);
  return found && found.line.text.trim();
};

const LINE = 'Protocols http/1.1';
const MODULES = ['mime', 'dir', 'alias', 'env'].map((name) => `LoadModule ${name}_module m/mod_${name}.so\n`);
const FEW = MODULES.slice(0, 2).join('');
const THREE = MODULES.slice(0, 3).join('');
const COMPAT = 'LoadModule access_compat_module m/mod_access_compat.so';
const OLD = '<Location /a>\nOrder allow,deny\n</Location>\n';

describe('a line that 2.2 does not start with', () => {
  const TOLD: Readonly<Record<string, readonly [text: string, more?: Readonly<Record<string, string>>]>> = {
    'at the top': [`Listen 80\n${LINE}\n`],
    'a section': ['<VirtualHost *>\n<If "true">\n</If>\n</VirtualHost>\n'],
    'a section of providers': ['<AuthzProviderAlias ip inner 10.0.0.0/8>\n</AuthzProviderAlias>\n'],
    Define: ['Define name value\n'],
    UnDefine: ['UnDefine name\n'],
    'AllowOverrideList of lines that are old': ['<Directory />\nAllowOverrideList Order\n</Directory>\n'],
    'Require all granted': ['<Directory /a>\nRequire all granted\n</Directory>\n'],
    'Require not': ['<Directory /a>\n<RequireAll>\nRequire not ip 10\n</RequireAll>\n</Directory>\n'],
    AuthMerging: ['<Directory /a>\nAuthMerging Off\n</Directory>\n'],
    mod_access_compat: [COMPAT],
    'mod_access_compat on Windows': ['LoadModule other_module modules\\\\mod_access_compat.so\n'],
    'IfFile, whatever stands in it': ['<IfFile /a>\nListen 80\n</IfFile>\n'],
    'in a condition on a module that there is not': [`<IfModule !mod_nowhere.c>\n${LINE}\n</IfModule>\n`],
    'in a condition on a module that 2.2 does not have': [`<IfModule !mod_authz_core.c>\n${LINE}\n</IfModule>\n`],
    'in a condition on the core': [`<IfModule core.c>\n${LINE}\n</IfModule>\n`],
    'in a condition on a module that may be there': [`<IfModule mod_ssl.c>\n${LINE}\n</IfModule>\n`],
    'in a condition on 2.2 and later': [`<IfVersion >= 2.2>\n${LINE}\n</IfVersion>\n`],
    'in a condition on a name that is defined': [`Define X\n<IfDefine X>\n${LINE}\n</IfDefine>\n`],
    'in a part': ['Include conf.d/*.conf\nServerRoot /srv\nInclude conf.d/*.conf\n', { '/srv/conf.d/a.conf': LINE }],
    'in a part, below a condition': [
      'ServerRoot /srv\n<IfVersion >= 2.2>\nInclude a\n</IfVersion>\n',
      { '/srv/a': `<VirtualHost *>\n${LINE}\n</VirtualHost>\n` },
    ],
    'from a macro': [`<Macro m>\n${LINE}\n</Macro>\nUse m\n`],
    'beside few modules': [`${FEW}${OLD}${LINE}\n`],
    'beside modules, with old lines in .htaccess files alone': [`${THREE}${LINE}\n`],
    'beside modules, with old lines under a condition': [
      `${THREE}<IfModule mod_authz_host.c>\n${OLD}</IfModule>\n${LINE}\n`,
    ],
    'beside modules, with old lines for 2.2 alone': [
      `${THREE}<Location /a>\n<IfVersion < 2.4>\nOrder allow,deny\n</IfVersion>\n</Location>\n${LINE}\n`,
    ],
    'beside modules, and an Include of what is not here': [`${THREE}${OLD}Include away.conf\n${LINE}\n`],
    'beside modules, mod_access_compat for 2.4 alone': [
      `${THREE}<IfVersion >= 2.4>\n${COMPAT}\n</IfVersion>\n${OLD}${LINE}\n`,
    ],
  };
  for (const [name, [text, more]] of Object.entries(TOLD))
    it(`is found: ${name}`, () => assert.notEqual(told(text, more), null));

  it('is the one that a person is shown', () => {
    assert.equal(told(`Listen 80\n${LINE}\n`), LINE);
    assert.equal(told(TOLD['a section']![0]), '<If "true">');
    assert.equal(told(TOLD['Require not']![0]), '<RequireAll>');
    assert.equal(told(TOLD['IfFile, whatever stands in it']![0]), '<IfFile /a>');
  });

  const UNTOLD: Readonly<Record<string, readonly [text: string, more?: Readonly<Record<string, string>>]>> = {
    'lines of both versions': ['Listen 80\nOrder allow,deny\nRequire user all\n'],
    'for 2.4 alone': [`<IfVersion >= 2.4>\n${LINE}\n<Directory />\nRequire all granted\n</Directory>\n</IfVersion>\n`],
    'for 2.4 alone, by a module': [`<IfModule mod_authz_core.c>\n<RequireAll>\n</RequireAll>\n${LINE}\n</IfModule>\n`],
    'in a part for 2.4 alone': ['ServerRoot /srv\n<IfVersion >= 2.4>\nInclude a\n</IfVersion>\n', { '/srv/a': LINE }],
    'for a module of 2.4': ['<IfModule mod_http2.c>\nH2Direct on\n</IfModule>\n'],
    'for a name of which nobody knows whether it is defined': [`<IfDefine X>\n${LINE}\n</IfDefine>\n`],
    'for mod_access_compat': [`<IfModule mod_access_compat.c>\n${LINE}\n</IfModule>\n`],
    comments: [`# ${LINE}\n`],
    'modules that other people had for 2.2': ['Use Site a\nProxyHTMLEnable On\nRemoteIPHeader X\nNobodyKnowsThis 1\n'],
    'Define of mod_define': ['LoadModule define_module m/mod_define.so\nDefine name value\n'],
    'what 2.4 does not start with: old lines, all modules, and no mod_access_compat': [`${THREE}${OLD}${LINE}\n`],
    'a macro that nobody uses': [`<Macro m>\n${LINE}\n</Macro>\n`],
  };
  for (const [name, [text, more]] of Object.entries(UNTOLD))
    it(`is none: ${name}`, () => assert.equal(told(text, more), null));

  it('is one by what a person says', () => {
    const flagged = `<IfDefine X>\n${LINE}\n</IfDefine>\n`;
    assert.equal(told(flagged, {}, { flags: new Map([['X', true]]) }), LINE);
    assert.equal(told(flagged, {}, { flags: new Map([['X', false]]) }), null);
    const loading = `${THREE}${OLD}${LINE}\n`;
    assert.equal(told(loading, {}, { builtIn: new Set(['mod_access_compat']) }), LINE);
    assert.equal(told(loading, {}, { builtIn: new Set(['mod_ssl']) }), null);
  });

  it('is none that a fix writes: whoever has taken some of them is on the way from 2.2', () => {
    const written = [
      ...ALL_RULES.flatMap(({ examples }) =>
        examples.flatMap(({ before, after = '' }) => {
          const known = new Set(before.split('\n').map((line) => line.trim()));
          // What is added to a list that was there, does not say less than the list did.
          return after.split('\n').filter((line) => !known.has(line.trim()) && !/AllowOverrideList Order/.test(line));
        }),
      ),
      ...DEFAULTS.flatMap(({ keep }) => keep ?? []),
    ];
    // A conversion of access control is whole, or a person sees that it is half (the doubt `half-converted`).
    const isConverted = (line: string) => /^\s*(<?Require|AuthMerging)/i.test(line);
    assert.deepEqual(
      written.filter((line) => !isConverted(line) && told(`${line}\n`) !== null),
      [],
    );
    assert.ok(written.length > 100);
    for (const name of WRITTEN_BY_FIXES) assert.equal(told(`${name} x\n`), null);
    assert.equal(told('AllowOverrideList Require "<RequireAll"\n'), null);
  });
});
