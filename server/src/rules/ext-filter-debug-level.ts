import { debugLevelFindings } from './support/debug-level';
import type { LineRule } from './rule';

export const extFilterDebugLevel: LineRule = {
  id: 'ext-filter-debug-level',
  title: 'DebugLevel in ExtFilterOptions, now LogLevel ext_filter',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['extfilteroptions'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ext_filter.html#extfilteroptions',
  page: {
    what: '`ExtFilterOptions` with the option `DebugLevel=`, which 2.4 does not have.',
    why: 'In 2.4 `LogLevel` has a level for each module, and each section can set its own. The option is not needed any more.',
    httpd:
      '`AH00526: Syntax error …: Invalid ExtFilterOptions option: DebugLevel=3`, also for `DebugLevel=0`. httpd 2.4 does not start. In a `.htaccess` file, requests get 500.',
    fixing:
      'The fix removes the option, or the whole line if it has no other option.\n\n' +
      '- **Safe** for `DebugLevel=0`, the default.\n' +
      '- **Suggestion** for other levels. To keep the messages, add `LogLevel ext_filter:trace8` to the section. `LogLevel` is not allowed in `.htaccess` files.',
    sources: [
      'modules/filters/mod_ext_filter.c of 2.2: the option; of 2.4: its absence',
      'manual 2.4, upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'DebugLevel with another option',
      before: '<Location />\n    ExtFilterOptions DebugLevel=1 LogStderr\n</Location>\n',
      after: '<Location />\n    ExtFilterOptions LogStderr\n</Location>\n',
      finds: ['debug-level'],
    },
    {
      title: 'DebugLevel without other options',
      before: '<Directory "/srv/www">\n    ExtFilterOptions DebugLevel=0\n</Directory>\n',
      after: '<Directory "/srv/www">\n</Directory>\n',
      finds: ['debug-level'],
    },
  ],
  check: (subject) => debugLevelFindings(subject, { directive: 'ExtFilterOptions', module: 'ext_filter' }),
};
