import { linesOf } from '../config/loaded-modules';
import { hasWildcard, includedFiles, localPathOf, resolvePath, wildcardFolder } from '../config/files';
import { argumentsOf, spelledName } from '../syntax/line';
import { fittingHeadline, nameSpan, renameDirective } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const includeNoMatch: ConfigurationRule = {
  id: 'include-no-match',
  title: 'Include with a wildcard that matches no file',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'configuration',
  names: ['include'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#includeoptional',
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
    const seenLines = new Set<unknown>();
    for (const { line, file, offset, activity } of linesOf(configuration, 'include')) {
      if (activity !== 'active' || seenLines.has(line)) continue;
      seenLines.add(line);
      const [word, ...more] = argumentsOf(line);
      if (word === undefined || more.length > 0 || word.value.includes('${') || !hasWildcard(word.value)) continue;
      const localPattern = localPathOf(resolvePath(configuration.serverRoot, word.value), configuration.pathMap);
      const folder = wildcardFolder(localPattern) || '/';
      if (view.kind(folder) !== 'folder' || view.list(folder) === null || includedFiles(localPattern, view).length > 0)
        continue;
      findings.push({
        file: file.path,
        messageId: 'no-match',
        ...nameSpan(line, offset),
        what: fittingHeadline(
          `\`${spelledName(line)}\`: no file matches \`${localPattern.slice(folder === '/' ? 1 : folder.length + 1)}\` in ${folder}`,
          `\`${spelledName(line)}\`: no file matches the pattern`,
        ),
        cause: `httpd 2.2 ignored the line if no file in ${folder} matched.`,
        help: 'Use `IncludeOptional`: it ignores a wildcard without a match, as `Include` did in 2.2.',
        helpForBothVersions:
          'Add a file that matches, even an empty one: then both versions read the line. Only 2.4 knows `IncludeOptional`.',
        fixes: [
          {
            title: `Rename ${spelledName(line)} to IncludeOptional`,
            safety: 'safe',
            edits: [renameDirective(line, 'IncludeOptional', offset)],
          },
        ],
      });
    }
    return findings;
  },
};
