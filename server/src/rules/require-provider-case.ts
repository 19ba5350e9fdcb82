import { parseRequire, PROVIDERS, REQUIREMENTS_22 } from '../access/require';
import { headline, NOTHING, replaceWord, short } from './edits';
import type { LineRule } from './rule';
import { isRequireAll } from './unit-place';

/** `Require Valid-User`, `Require IP`: 2.4 compares these names with case. */
export const requireProviderCase: LineRule = {
  id: 'require-provider-case',
  title: 'Require Valid-User, Require IP: wrong case',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  page: {
    what: 'The first word after `Require` in capital letters, such as `Require Valid-User` or `Require IP 192.0.2.1`. In 2.4 the word must be in lower case.',
    why:
      'In 2.2 each authorization module compared the word by itself, and `user`, `valid-user` and `group` in any case. In 2.4 it is the name of a provider, which is looked up as it is spelled. ' +
      'The word `not`, and `granted` and `denied` behind `all`, may still be spelled in any case.',
    httpd: '`AH00526: Syntax error …: Unknown Authz provider: Valid-User`: httpd 2.4 does not start, or answers 500 where the line stands in a `.htaccess`.',
    fixing:
      'The word is written in lower case. Safe for the three that 2.2 took in any case, and for those that 2.2 did not know at all: such a line was written for 2.4. ' +
      'For `ldap-…` and `file-…` it is a suggestion: 2.2 compared these with case, so a line with capitals let nobody in, and does so once it is corrected.',
    sources: [
      'modules/aaa/mod_authz_user.c, mod_authz_groupfile.c, mod_authz_owner.c, mod_authnz_ldap.c of 2.2: strcasecmp and strcmp in the access checkers',
      'modules/aaa/mod_authz_core.c of 2.4: add_authz_provider; server/provider.c: ap_lookup_provider',
      'experiment: test/httpd/claims-require.test.ts',
    ],
  },
  examples: [
    {
      title: 'A login',
      before: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require Valid-User\n    Require GROUP staff\n</Directory>\n',
      after: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require valid-user\n    Require group staff\n</Directory>\n',
      finds: ['case', 'case'],
    },
    {
      title: 'A name that 2.2 compared with case as well',
      before: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require LDAP-User joe\n</Directory>\n',
      after: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require ldap-user joe\n</Directory>\n',
      finds: ['case'],
    },
  ],
  check({ line, context }) {
    if (isRequireAll(line)) return NOTHING;
    const { provider, hasVariable } = parseRequire(line);
    if (provider === null || hasVariable || PROVIDERS.has(provider.value) || context.containers.includes('macro')) return NOTHING;
    const name = provider.value.toLowerCase();
    if (!PROVIDERS.has(name)) return NOTHING;
    const wasDead = REQUIREMENTS_22.has(name) && /^(ldap|file)-/.test(name);
    return [
      {
        messageId: 'case',
        what: headline(`\`Require ${provider.value}\` must be in lower case: \`${name}\``, `\`Require ${short(provider.value)}\` must be in lower case`),
        cause: wasDead ? 'This word was case-sensitive in 2.2, too, so the line allowed nobody.' : 'The word after `Require` is case-sensitive in 2.4.',
        serverText: `Unknown Authz provider: ${provider.value}`,
        start: provider.start,
        end: provider.end,
        fixes: [
          wasDead
            ? { title: `Replace by ${name}`, safety: 'suggestion', assumes: 'you want to allow users that 2.2 denied', edits: [replaceWord(provider, name)] }
            : { title: `Replace by ${name}`, safety: 'safe', edits: [replaceWord(provider, name)] },
        ],
      },
    ];
  },
};
