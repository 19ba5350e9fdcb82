import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan, NOTHING, removeLine } from './support/edits';
import type { LineRule } from './rule';

export const directiveWithoutArguments: LineRule = {
  id: 'directive-without-arguments',
  title: 'A directive without arguments, which 2.2 ignored and 2.4 rejects',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: [
    'allowconnect',
    'anonymous',
    'authbasicprovider',
    'authdigestdomain',
    'authdigestprovider',
    'authdigestqop',
    'authldapgroupattribute',
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
    'rewriteoptions',
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
    { title: 'Not reported: a directive with its arguments', before: 'IndexIgnore .??* *~\n', finds: [] },
  ],
  check({ line }) {
    const [first] = argumentsOf(line);
    if (first !== undefined && first.value !== '') return NOTHING;
    return [
      {
        messageId: 'no-argument',
        what: `\`${spelledName(line)}\` needs an argument in 2.4`,
        cause: 'httpd 2.2 accepted the line and ignored it.',
        help: 'Remove the line.',
        ...contentSpan(line),
        tag: 'unnecessary',
        fixes: [{ title: `Remove ${spelledName(line)}`, safety: 'safe', edits: [removeLine(line)] }],
      },
    ];
  },
};
