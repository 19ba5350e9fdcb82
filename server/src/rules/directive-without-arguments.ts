import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan, NO_FINDINGS, removeLine } from './support/edits';
import type { LineRule } from './rule';

/**
 * Directives of modules that do not merge sections in 2.2. With such a line, a section of 2.2 does
 * not inherit the module's providers, anonymous users or rewrite rules. In 2.4 the line must be
 * removed, and then the section inherits them.
 */
const DIRECTIVES_DROPPING_INHERITED: ReadonlySet<string> = new Set([
  'anonymous',
  'authbasicprovider',
  'authdigestdomain',
  'authdigestprovider',
  'authdigestqop',
  'authldapgroupattribute',
  'rewriteoptions',
]);

export const directiveWithoutArguments: LineRule = {
  id: 'directive-without-arguments',
  title: 'A directive without arguments, which 2.2 ignored and 2.4 rejects',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: [
    ...DIRECTIVES_DROPPING_INHERITED,
    'allowconnect',
    'cacheignoreheaders',
    'cacheignoreurlsessionidentifiers',
    'charsetoptions',
    'extfilteroptions',
    'filterchain',
    'forcelanguagepriority',
    'httpprotocoloptions',
    'indexignore',
    'languagepriority',
    'multiviewsmatch',
    'noproxy',
    'passenv',
    'proxyblock',
    'registerhttpmethod',
    'removecharset',
    'removeencoding',
    'removehandler',
    'removeinputfilter',
    'removelanguage',
    'removeoutputfilter',
    'removetype',
    'unsetenv',
    'cachefile',
    'mmapfile',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/directive-dict.html#Syntax',
  examples: [
    {
      title: 'IndexIgnore without arguments',
      before: 'IndexIgnore\n<Directory "/srv/www">\n    RemoveHandler\n</Directory>\n',
      after: '<Directory "/srv/www">\n</Directory>\n',
      finds: ['no-argument', 'no-argument'],
    },
    {
      title: 'A login that does not inherit its provider',
      before: '<Directory "/srv/www/staff">\n    AuthBasicProvider\n</Directory>\n',
      after: '<Directory "/srv/www/staff">\n</Directory>\n',
      finds: ['no-argument'],
    },
    { title: 'Not reported: a directive with its arguments', before: 'IndexIgnore .??* *~\n', finds: [] },
  ],
  check({ line }) {
    const [first] = argumentsOf(line);
    if (first !== undefined && first.value !== '') return NO_FINDINGS;
    const dropsInherited = DIRECTIVES_DROPPING_INHERITED.has(line.name);
    return [
      {
        messageId: 'no-argument',
        what: `\`${spelledName(line)}\` needs an argument in 2.4`,
        cause: dropsInherited
          ? 'In 2.2 a section with the line does not inherit the settings of the module.'
          : 'httpd 2.2 accepted the line and ignored it.',
        help: 'Remove the line.',
        ...contentSpan(line),
        tag: dropsInherited ? 'deprecated' : 'unnecessary',
        fixes: [
          {
            title: `Remove ${spelledName(line)}`,
            ...(dropsInherited
              ? { safety: 'suggestion', assumes: 'the section inherits no settings of the module' }
              : { safety: 'safe' }),
            edits: [removeLine(line)],
          },
        ],
      },
    ];
  },
};
