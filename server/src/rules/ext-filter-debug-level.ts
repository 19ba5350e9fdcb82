import { debugLevelFindings } from './debug-level';
import type { LineRule } from './rule';

/** `DebugLevel=` in `ExtFilterOptions`: in 2.4 a LogLevel for mod_ext_filter. */
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
    why: 'In 2.4 LogLevel has a level for each module, in each section if need be; an option of the directive is no longer wanted.',
    httpd: '`AH00526: Syntax error …: Invalid ExtFilterOptions option: DebugLevel=3`: httpd 2.4 does not start, and answers 500 where it is in a `.htaccess`. Also for `DebugLevel=0`.',
    fixing:
      'The option is removed, and the line with it if nothing else is on it. Safe for `DebugLevel=0`, the default. For other levels a suggestion: what mod_ext_filter then logged has to be asked for with `LogLevel ext_filter:…` ' +
      'in the section (`trace8` for everything), which is not allowed in a `.htaccess`.',
    sources: ['modules/filters/mod_ext_filter.c of 2.2: the option; of 2.4: its absence', 'manual 2.4, upgrading from 2.2', 'experiment: test/httpd/claims-removed.test.ts'],
  },
  examples: [
    {
      title: 'Beside another option',
      before: '<Location />\n    ExtFilterOptions DebugLevel=1 LogStderr\n</Location>\n',
      after: '<Location />\n    ExtFilterOptions LogStderr\n</Location>\n',
      finds: ['debug-level'],
    },
    {
      title: 'Alone',
      before: '<Directory "/srv/www">\n    ExtFilterOptions DebugLevel=0\n</Directory>\n',
      after: '<Directory "/srv/www">\n</Directory>\n',
      finds: ['debug-level'],
    },
  ],
  check: (subject) => debugLevelFindings(subject, { directive: 'ExtFilterOptions', module: 'ext_filter' }),
};
