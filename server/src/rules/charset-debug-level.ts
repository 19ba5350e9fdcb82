import { debugLevelFindings } from './support/debug-level';
import type { LineRule } from './rule';

export const charsetDebugLevel: LineRule = {
  id: 'charset-debug-level',
  title: 'DebugLevel in CharsetOptions, now LogLevel charset_lite',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['charsetoptions'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_charset_lite.html#charsetoptions',
  page: {
    what: '`CharsetOptions` with the option `DebugLevel=`, which 2.4 does not have.',
    why: 'In 2.4 `LogLevel` has a level for each module, and each section can set its own. The option is not needed any more.',
    httpd:
      '`AH00526: Syntax error …: Invalid CharsetOptions option: DebugLevel=3`, also for `DebugLevel=0`. httpd 2.4 does not start. In a `.htaccess` file, requests get 500.',
    fixing:
      'The fix removes the option, or the whole line if it has no other option.\n\n' +
      '- **Safe** for `DebugLevel=0`, the default.\n' +
      '- **Suggestion** for other levels. To keep the messages, add `LogLevel charset_lite:trace8` to the section. `LogLevel` is not allowed in `.htaccess` files.',
    sources: [
      'modules/filters/mod_charset_lite.c of 2.2: the option; of 2.4: its absence',
      'manual 2.4, upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'DebugLevel with another option',
      before: '<Directory "/srv/www">\n    CharsetOptions NoImplicitAdd DebugLevel=3\n</Directory>\n',
      after: '<Directory "/srv/www">\n    CharsetOptions NoImplicitAdd\n</Directory>\n',
      finds: ['debug-level'],
    },
    {
      title: 'DebugLevel in a .htaccess file',
      file: '.htaccess',
      before: 'CharsetOptions DebugLevel=0\nCharsetSourceEnc ISO-8859-1\n',
      after: 'CharsetSourceEnc ISO-8859-1\n',
      finds: ['debug-level'],
    },
  ],
  check: (subject) => debugLevelFindings(subject, { directive: 'CharsetOptions', module: 'charset_lite' }),
};
