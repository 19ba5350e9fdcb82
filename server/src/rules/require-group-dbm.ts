import { parseRequire } from '../access/require';
import { NO_FINDINGS, replaceWord } from './support/edits';
import type { SectionRule } from './rule';
import { titleToChange } from './support/fix-title';

export const requireGroupDbm: SectionRule = {
  id: 'require-group-dbm',
  title: '"Require group" that ignores the groups in a DBM file',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'section',
  names: ['require', 'authdbmgroupfile', 'authgroupfile', 'include', 'includeoptional', 'use'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_dbm.html#requiredirectives',
  examples: [
    {
      title: 'Groups in a DBM file',
      before:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    AuthDBMGroupFile /etc/httpd/groups\n    Require group staff\n    Require file-group\n</Directory>\n',
      after:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    AuthDBMGroupFile /etc/httpd/groups\n    Require dbm-group staff\n    Require dbm-file-group\n</Directory>\n',
      finds: ['group', 'group'],
    },
  ],
  check(scope) {
    const hasDirective = (name: string) => scope.members.some(({ line }) => line.name === name);
    if (
      !hasDirective('authdbmgroupfile') ||
      hasDirective('authgroupfile') ||
      hasDirective('include') ||
      hasDirective('includeoptional') ||
      hasDirective('use') ||
      scope.context.containers.includes('macro')
    )
      return NO_FINDINGS;
    return scope.members.flatMap(({ line, offset }) => {
      if (line.name !== 'require') return [];
      const { provider } = parseRequire(line);
      if (provider === null || !/^(file-)?group$/.test(provider.value)) return [];
      const dbmProvider = `dbm-${provider.value}`;
      return [
        {
          messageId: 'group',
          what: `\`Require ${provider.value}\` ignores \`AuthDBMGroupFile\` in 2.4 and allows nobody`,
          cause: `In 2.4 \`Require ${provider.value}\` looks only into \`AuthGroupFile\`, which is not set in this section (AH01664).`,
          help: `Use \`Require ${dbmProvider}\`; it reads \`AuthDBMGroupFile\`.`,
          start: offset + provider.start,
          end: offset + provider.end,
          fixes: [
            {
              title: titleToChange(`Require ${provider.value}`, `Require ${dbmProvider}`),
              safety: 'suggestion',
              assumes: 'no enclosing section sets AuthGroupFile',
              edits: [replaceWord(provider, dbmProvider, offset)],
            },
          ],
        },
      ];
    });
  },
};
