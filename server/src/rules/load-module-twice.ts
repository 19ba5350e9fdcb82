import { PROFILES } from '../config/distribution';
import type { Load } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { nameSpan, removeLine } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule, Fix } from './rule';

/** A module that is loaded again. */
export const loadModuleTwice: ConfigurationRule = {
  id: 'load-module-twice',
  title: 'LoadModule of a module that is already loaded',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'configuration',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_so.html#loadmodule',
  page: {
    what: 'A second `LoadModule` line for a module, or, on Debian, a `LoadModule` line for a module that is compiled in.',
    why:
      'The first `LoadModule` line is used, even if the second one names another file. The usual cause: each module has its own file in 2.4, and the main file still contains the old list of modules.\n\n' +
      'A compiled-in module cannot be loaded at all. Such a line comes from a server with a different build. `<IfModule !unixd_module>` around the line prevents the error: ' +
      'the condition is true only if the module is not compiled in.',
    httpd:
      "`AH01574: module dir_module is already loaded, skipping`, a warning. For a compiled-in module: `module unixd_module is built-in and can't be loaded`, and httpd does not start.",
    fixing:
      '- **Suggestion**: remove the second line, which loads nothing. This is not a safe fix, because a package can later remove the file with the first line.',
    sources: ['modules/core/mod_so.c: load_module', '`apache2 -l` on Debian', 'experiment: test/httpd/start.test.ts'],
  },
  examples: [
    {
      title: 'The main file and an included file load the same module',
      before:
        'ServerRoot /srv/conf\nInclude modules.d/*.conf\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\n',
      after: 'ServerRoot /srv/conf\nInclude modules.d/*.conf\nLoadModule mime_module modules/mod_mime.so\n',
      finds: ['twice'],
      files: { '/srv/conf/modules.d/00-base.conf': 'LoadModule dir_module modules/mod_dir.so\n' },
    },
  ],
  check({ modules, distribution }) {
    const first = new Map<string, Load>();
    const findings: ConfigurationFinding[] = [];
    for (const load of modules.loads) {
      const { line, expanded, offset, file, activity } = load.at;
      // By the name in the line: mod_disk_cache counts as mod_cache_disk elsewhere.
      const identifier = argumentsOf(expanded)[0]!.value;
      if (activity !== 'active') continue;
      const place = { file: file.path, ...nameSpan(line, offset) };
      const fixes: readonly Fix[] =
        file.readings === 1
          ? [{ title: 'Remove the line', safety: 'suggestion', edits: [removeLine(line, offset)] }]
          : [];
      if (distribution === 'debian' && PROFILES.debian.builtIn.has(load.module)) {
        findings.push({
          ...place,
          messageId: 'built-in',
          what: `\`${identifier}\` is built into Debian's httpd`,
          help: 'Remove the line.',
          serverText: `module ${identifier} is built-in and can't be loaded`,
          fixes,
        });
        continue;
      }
      const before = first.get(identifier);
      if (!before) first.set(identifier, load);
      else if (before.at.line !== line) {
        const where = before.at.file === file ? 'above' : `in ${before.at.file.path}`;
        findings.push({
          ...place,
          messageId: 'twice',
          consequence: 'ignored',
          what: `\`${identifier}\` is already loaded`,
          cause: `The LoadModule line ${where} loads this module first. httpd skips this line (AH01574).`,
          fixes,
        });
      }
    }
    return findings;
  },
};
