import { parseRequire } from '../access/require';
import { NOTHING, replaceWord } from './support/edits';
import type { SectionRule } from './rule';
import { changing } from './support/fix-title';

export const requireGroupDbm: SectionRule = {
  id: 'require-group-dbm',
  title: '"Require group" that ignores the groups in a DBM file',
  consequence: 'meaning changed',
  fix: 'suggestion',
  scope: 'section',
  names: ['require', 'authdbmgroupfile', 'authgroupfile', 'include', 'includeoptional', 'use'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_dbm.html#requiredirectives',
  page: {
    what: '`Require group` or `Require file-group` in a section that has `AuthDBMGroupFile` and no `AuthGroupFile`. In 2.4 the word for groups in a DBM file is `dbm-group`.',
    why:
      'In 2.2 two modules handled `Require group`: mod_authz_groupfile and mod_authz_dbm. The module with a configured file answered. In 2.4 each name belongs to one module. ' +
      '`group` and `file-group` belong to mod_authz_groupfile. `dbm-group` and `dbm-file-group` belong to mod_authz_dbm.',
    httpd:
      '`AH01664: No group file was specified in the configuration`, and everyone gets 401. Without mod_authz_groupfile: `AH00526: Syntax error …: Unknown Authz provider: ' +
      'group`, and httpd does not start.',
    fixing:
      '- **Suggestion**: write the new name. If an enclosing section has an `AuthGroupFile`, 2.2 used both files. That section can be in another file of the configuration.',
    sources: [
      'modules/aaa/mod_authz_dbm.c, mod_authz_groupfile.c of 2.2 and 2.4',
      'manual 2.4, upgrading from 2.2: authorization',
      'experiment: test/httpd/claims-require.test.ts',
    ],
  },
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
    const has = (name: string) => scope.members.some(({ line }) => line.name === name);
    if (
      !has('authdbmgroupfile') ||
      has('authgroupfile') ||
      has('include') ||
      has('includeoptional') ||
      has('use') ||
      scope.context.containers.includes('macro')
    )
      return NOTHING;
    return scope.members.flatMap(({ line, offset }) => {
      if (line.name !== 'require') return [];
      const { provider } = parseRequire(line);
      if (provider === null || !/^(file-)?group$/.test(provider.value)) return [];
      const name = `dbm-${provider.value}`;
      return [
        {
          messageId: 'group',
          what: `\`Require ${provider.value}\` ignores \`AuthDBMGroupFile\` in 2.4 and allows nobody`,
          cause: `In 2.4 \`Require ${provider.value}\` looks only into \`AuthGroupFile\`, which is not set in this section (AH01664).`,
          help: `Use \`Require ${name}\`; it reads \`AuthDBMGroupFile\`.`,
          start: offset + provider.start,
          end: offset + provider.end,
          fixes: [
            {
              title: changing(`Require ${provider.value}`, `Require ${name}`),
              safety: 'suggestion',
              assumes: 'no enclosing section sets AuthGroupFile',
              edits: [replaceWord(provider, name, offset)],
            },
          ],
        },
      ];
    });
  },
};
