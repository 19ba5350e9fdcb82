import { linesOf } from '../config/loaded-modules';
import { hasWildcard, includedFiles, mapped, resolvePath, wildcardFolder } from '../config/files';
import { argumentsOf, spelledName } from '../syntax/line';
import { headline, nameSpan, rename } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const includeNoMatch: ConfigurationRule = {
  id: 'include-no-match',
  title: 'Include with a wildcard that matches no file',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'configuration',
  names: ['include'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#includeoptional',
  page: {
    what: '`Include` with a wildcard, where the directory exists and no file in it matches. httpd 2.2 ignored that. httpd 2.4 does not start.',
    why:
      'In 2.2 an `Include` with a wildcard that matches no file of a directory includes nothing. In 2.4 this is an error. `IncludeOptional` does in 2.4 what `Include` did in 2.2. The rule ' +
      'reports nothing if the directory itself is missing: then neither version starts, and the directory can exist on the server.',
    httpd:
      "`Include/IncludeOptional: No matches for the wildcard '*.conf' in '/etc/httpd/conf.d', failing`. httpd does not start.",
    fixing: '- **Safe**: rename `Include` to `IncludeOptional`. It includes nothing, as before.',
    sources: [
      'server/config.c of 2.4: ap_process_fnmatch_configs',
      'experiment: test/httpd/configuration-rules.test.ts',
    ],
  },
  examples: [
    {
      title: 'A directory without a matching file',
      before: 'ServerRoot /srv/conf\nInclude *.vhost\n',
      after: 'ServerRoot /srv/conf\nIncludeOptional *.vhost\n',
      finds: ['no-match'],
    },
  ],
  check({ configuration, view }) {
    const findings: ConfigurationFinding[] = [];
    const seen = new Set<unknown>();
    for (const { line, file, offset, activity } of linesOf(configuration, 'include')) {
      if (activity !== 'active' || seen.has(line)) continue;
      seen.add(line);
      const [word, ...more] = argumentsOf(line);
      if (word === undefined || more.length > 0 || word.value.includes('${') || !hasWildcard(word.value)) continue;
      const path = mapped(resolvePath(configuration.serverRoot, word.value), configuration.map);
      const folder = wildcardFolder(path) || '/';
      if (view.kind(folder) !== 'folder' || view.list(folder) === null || includedFiles(path, view).length > 0)
        continue;
      findings.push({
        file: file.path,
        messageId: 'no-match',
        ...nameSpan(line, offset),
        what: headline(
          `\`${spelledName(line)}\`: no file matches \`${path.slice(folder === '/' ? 1 : folder.length + 1)}\` in ${folder}`,
          `\`${spelledName(line)}\`: no file matches the pattern`,
        ),
        cause: `httpd 2.2 ignored the line if no file in ${folder} matched.`,
        help: 'Use `IncludeOptional`: it ignores a wildcard without a match, as `Include` did in 2.2.',
        fixes: [
          {
            title: `Rename ${spelledName(line)} to IncludeOptional`,
            safety: 'safe',
            edits: [rename(line, 'IncludeOptional', offset)],
          },
        ],
      });
    }
    return findings;
  },
};
