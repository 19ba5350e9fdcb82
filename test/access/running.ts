/**
 * Lines that only a 2.4 server has, and lines that both have. Old lines in a .htaccess file whose
 * module is loaded, or perhaps is not.
 */
import { accessConditionDecider } from '../../server/src/access/conditions';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { ONE_VERSION_NAMES } from '../../server/src/access/one-version';
import { readConfiguration, readHtaccess } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';
import type { Load } from './decisions';

type Texts = Readonly<Record<string, string>>;

export interface Given {
  readonly flags?: ReadonlyMap<string, boolean>;
  readonly builtIn?: ReadonlySet<string>;
}

/** The line that tells of 2.4, as it is written; null where none does. */
export function toldIn(load: Load, text: string, more: Texts = {}, { flags, builtIn }: Given = {}): string | null {
  const read = {
    root: '/conf',
    view: memoryFiles({ '/conf': text, ...more }),
    defineFlags: flags,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: accessConditionDecider(),
  };
  const found = load('running').lineOf24Finders(read, builtIn).findLineOf24(readConfiguration(read)!);
  return found && found.line.text.trim();
}

/** The same of a .htaccess. */
export function toldInHtaccess(load: Load, text: string): string | null {
  const read = { root: '/a/.htaccess', folder: '/a', view: memoryFiles({ '/a/.htaccess': text }), names: ACCESS_NAMES };
  const found = load('running').lineOf24Finders(read).findHtaccessLineOf24(readHtaccess(read)!);
  return found && found.line.text.trim();
}

/** Whether it is doubted that the module of old lines in a .htaccess is there. */
export function isUnloaded(load: Load, { text, htaccess = OLD_LINES, source = '2.2', builtIn }: Unloaded): boolean {
  const read = {
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: accessConditionDecider(source),
  };
  const view = memoryFiles({ '/conf': text, '/a/.htaccess': htaccess });
  const scope = readHtaccess({ ...read, root: '/a/.htaccess', folder: '/a', view })!;
  const configuration = readConfiguration({ ...read, root: '/conf', view })!;
  return (
    load('unloaded').unloadedQuestions(configuration, [{ scope, overrideWords: ['all'] }], source, builtIn).length > 0
  );
}

export interface Unloaded {
  readonly text: string;
  readonly htaccess?: string;
  readonly source?: '2.2' | '2.4';
  readonly builtIn?: ReadonlySet<string>;
}

export const LINE = 'Protocols http/1.1';
const MODULES = ['mime', 'dir', 'alias', 'env'].map((name) => `LoadModule ${name}_module m/mod_${name}.so\n`);
const FEW = MODULES.slice(0, 2).join('');
export const THREE = MODULES.slice(0, 3).join('');
const COMPAT = 'LoadModule access_compat_module m/mod_access_compat.so';
export const OLD = '<Location /a>\nOrder allow,deny\n</Location>\n';

const OLD_LINES = 'Order allow,deny\nAllow from all\n';
const HOST = 'LoadModule authz_host_module m/mod_authz_host.so\n';
const ONE = MODULES[0]!;
const UNKNOWN = '<IfModule mod_nowhere.c>\n';

/** Whether it is in doubt, by what the server has and what the .htaccess says. */
export const UNLOADED: Readonly<Record<string, readonly [is: boolean, given: Unloaded]>> = {
  'the usual modules': [true, { text: THREE }],
  'few of the usual modules: the others may be compiled in, or not': [true, { text: FEW }],
  'one of the usual modules': [true, { text: ONE }],
  'the last of the usual modules': [true, { text: 'LoadModule env_module m/mod_env.so\n' }],
  'no module at all': [false, { text: 'Listen 80\n' }],
  'a module that few have': [false, { text: 'LoadModule php5_module m/libphp5.so\n' }],
  'its module': [false, { text: `${THREE}${HOST}` }],
  'its module, under a condition that nobody knows': [true, { text: `${THREE}${UNKNOWN}${HOST}</IfModule>\n` }],
  'its module, compiled in': [false, { text: THREE, builtIn: new Set(['mod_authz_host']) }],
  'another module, compiled in': [true, { text: THREE, builtIn: new Set(['mod_ssl']) }],
  'an old line of the server': [false, { text: `${THREE}${OLD}` }],
  'an old line of the server, deep inside': [false, { text: `${THREE}<VirtualHost *>\n${OLD}</VirtualHost>\n` }],
  'an old line of the server that may not be there': [true, { text: `${THREE}${UNKNOWN}${OLD}</IfModule>\n` }],
  'an old line of the server for 2.4 alone': [
    true,
    { text: `${THREE}<Location /a>\n<IfVersion >= 2.4>\nOrder allow,deny\n</IfVersion>\n</Location>\n` },
  ],
  'no old line': [false, { text: THREE, htaccess: 'Options None\nSatisfy Any\nRequire valid-user\n' }],
  Allow: [true, { text: THREE, htaccess: 'Allow from all\n' }],
  Deny: [true, { text: THREE, htaccess: '<Files a>\nDeny from all\n</Files>\n' }],
  'an old line that may be there': [true, { text: THREE, htaccess: `${UNKNOWN}${OLD_LINES}</IfModule>\n` }],
  'an old line for 2.4 alone': [false, { text: THREE, htaccess: `<IfVersion >= 2.4>\n${OLD_LINES}</IfVersion>\n` }],
  'an old line for its module alone': [false, { text: THREE, htaccess: `<IfModule core.c>\n</IfModule>\n` }],
  '2.4, without mod_access_compat': [true, { text: `${THREE}${HOST}`, source: '2.4' }],
  '2.4, with mod_access_compat': [false, { text: `${THREE}${COMPAT}\n`, source: '2.4' }],
};

/** In a .htaccess: the line that 2.2 does not take there; null for none. */
export const IN_HTACCESS: readonly (readonly [text: string, line: string | null])[] = [
  ['Options None\nSession On\n', 'Session On'],
  ['<If "true">\nOptions None\n</If>\n', '<If "true">'],
  ['<IfVersion >= 2.2>\nCGIPassAuth On\n</IfVersion>\n', 'CGIPassAuth On'],
  ['<Files a>\n<RequireAny>\nRequire ip 10\n</RequireAny>\n</Files>\n', '<RequireAny>'],
  ['<IfVersion >= 2.4>\nCGIPassAuth On\n</IfVersion>\n', null],
  ['<IfModule mod_authz_core.c>\nCGIPassAuth On\n</IfModule>\n', null],
  ['Require all granted\n', null],
  ['Order allow,deny\nRequire valid-user\nMaxRequestWorkers 2\n', null],
];

/** Each tells of 2.4. */
export const TOLD: Readonly<Record<string, readonly [text: string, more?: Readonly<Record<string, string>>]>> = {
  'at the top': [`Listen 80\n${LINE}\n`],
  'a section': ['<VirtualHost *>\n<If "true">\n</If>\n</VirtualHost>\n'],
  'a section of providers': ['<AuthzProviderAlias ip inner 10.0.0.0/8>\n</AuthzProviderAlias>\n'],
  Define: ['Define name value\n'],
  UnDefine: ['UnDefine name\n'],
  'IncludeOptional, which a fix may have written': ['IncludeOptional a*.d\n'],
  'Mutex, which a fix may have written': ['Mutex sem\n'],
  'MaxRequestWorkers, which a fix may have written': ['MaxRequestWorkers 2\n'],
  'AllowOverrideList of Require, which a fix may have written': [
    '<Directory /a>\nAllowOverrideList Require "<RequireAll"\n</Directory>\n',
  ],
  'Define, which a fix may have written for Windows': ['Define SRVROOT "C:/Apache2.2"\n'],
  'AllowOverrideList of lines that are old': ['<Directory />\nAllowOverrideList Order\n</Directory>\n'],
  'Require all granted': ['<Directory /a>\nRequire all granted\n</Directory>\n'],
  'Require not': ['<Directory /a>\n<RequireAll>\nRequire not ip 10\n</RequireAll>\n</Directory>\n'],
  'RequireAll around lines of both versions': [
    '<Directory /a>\n<RequireAll>\nRequire valid-user\n</RequireAll>\n</Directory>\n',
  ],
  'mod_access_compat by its name': ['LoadModule access_compat_module m/other.so\n'],
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
  'a name that is defined where it may not be': [`<IfDefine !X>\nDefine X\n</IfDefine>\n`],
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

/** None of them does. */
export const UNTOLD: Readonly<Record<string, readonly [text: string, more?: Readonly<Record<string, string>>]>> = {
  'lines of both versions': ['Listen 80\nOrder allow,deny\nRequire user all\n'],
  'for 2.4 alone': [`<IfVersion >= 2.4>\n${LINE}\n<Directory />\nRequire all granted\n</Directory>\n</IfVersion>\n`],
  'for 2.4 alone, by a module': [`<IfModule mod_authz_core.c>\n<RequireAll>\n</RequireAll>\n${LINE}\n</IfModule>\n`],
  'in a part for 2.4 alone': ['ServerRoot /srv\n<IfVersion >= 2.4>\nInclude a\n</IfVersion>\n', { '/srv/a': LINE }],
  'for a module of 2.4': ['<IfModule mod_http2.c>\nH2Direct on\n</IfModule>\n'],
  'for a name of which it is not known whether it is defined': [`<IfDefine X>\n${LINE}\n</IfDefine>\n`],
  'for mod_access_compat': [`<IfModule mod_access_compat.c>\n${LINE}\n</IfModule>\n`],
  comments: [`# ${LINE}\n`],
  'modules that other people had for 2.2': ['Use Site a\nProxyHTMLEnable On\nRemoteIPHeader X\nNobodyKnowsThis 1\n'],
  'Define of mod_define': ['LoadModule define_module m/mod_define.so\nDefine name value\n'],
  'what 2.4 does not start with: old lines, all modules, and no mod_access_compat': [`${THREE}${OLD}${LINE}\n`],
  'where a module is loaded that must not be': [
    `LoadModule ssl_module m/mod_ssl.so\n<IfModule !mod_ssl.c>\n${LINE}\n</IfModule>\n`,
  ],
  'a macro that nobody uses': [`<Macro m>\n${LINE}\n</Macro>\n`],
};

/** What of all this is otherwise with these modules; null for nothing. */
export function runningProblem(load: Load): string | null {
  for (const [name, [text, more]] of Object.entries(TOLD)) if (toldIn(load, text, more) === null) return name;
  for (const [name, [text, more]] of Object.entries(UNTOLD)) if (toldIn(load, text, more) !== null) return name;
  for (const [name, [is, given]] of Object.entries(UNLOADED)) if (isUnloaded(load, given) !== is) return name;
  for (const [text, line] of IN_HTACCESS) if (toldInHtaccess(load, text) !== line) return text;
  for (const value of [true, false])
    if ((toldIn(load, FLAGGED, {}, { flags: new Map([['X', value]]) }) !== null) !== value) return `-D X: ${value}`;
  const loading = `${THREE}${OLD}${LINE}\n`;
  if (toldIn(load, loading, {}, { builtIn: new Set(['mod_access_compat']) }) === null) return 'compiled in';
  return toldIn(load, loading, {}, { builtIn: new Set(['mod_ssl']) }) === null ? null : 'another one is compiled in';
}

const FLAGGED = `<IfDefine X>\n${LINE}\n</IfDefine>\n`;
