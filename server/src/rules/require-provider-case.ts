import { isMeantAsAllDenied, parseRequire, PROVIDERS, PROVIDERS_22 } from '../access/require';
import { fittingHeadline, NO_FINDINGS, replaceWord, shortened } from './support/edits';
import type { LineRule } from './rule';
import { titleToChange } from './support/fix-title';

export const requireProviderCase: LineRule = {
  id: 'require-provider-case',
  title: 'Require with a word in upper case, such as Valid-User',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: ['require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  examples: [
    {
      title: 'Words for users and groups',
      before:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require Valid-User\n    Require GROUP staff\n</Directory>\n',
      after:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require valid-user\n    Require group staff\n</Directory>\n',
      finds: ['case', 'case'],
    },
    {
      title: 'A word that was also case-sensitive in 2.2',
      before: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require LDAP-User joe\n</Directory>\n',
      after: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require ldap-user joe\n</Directory>\n',
      finds: ['case'],
    },
  ],
  check({ line, context }) {
    const require = parseRequire(line);
    const { provider, hasVariable } = require;
    if (provider === null || hasVariable || PROVIDERS.has(provider.value) || context.containers.includes('macro'))
      return NO_FINDINGS;
    const lowerCaseName = provider.value.toLowerCase();
    if (!PROVIDERS.has(lowerCaseName)) return NO_FINDINGS;
    const isKnownTo22 = PROVIDERS_22.has(lowerCaseName);
    const isQuoted = /^["']/.test(line.text.slice(provider.start, provider.end));
    const isNeverMatchedIn22 = isKnownTo22 && (isQuoted || /^(ldap|file)-/.test(lowerCaseName));
    const opensAccess = !isKnownTo22 && !isMeantAsAllDenied(require);
    return [
      {
        messageId: 'case',
        what: fittingHeadline(
          `\`Require ${provider.value}\` must be in lower case: \`${lowerCaseName}\``,
          `\`Require ${shortened(provider.value)}\` must be in lower case`,
        ),
        cause: !isNeverMatchedIn22
          ? 'The word after `Require` is case-sensitive in 2.4.'
          : isQuoted
            ? 'In 2.2 the quotes were part of the word, so the line allowed no user.'
            : 'In 2.2 this word was also case-sensitive, so the line allowed no user.',
        help: `Write \`Require ${lowerCaseName}\`.`,
        serverText: `Unknown Authz provider: ${provider.value}`,
        start: provider.start,
        end: provider.end,
        fixes: [
          isNeverMatchedIn22 || opensAccess
            ? {
                title: titleToChange(`Require ${provider.value}`, `Require ${lowerCaseName}`),
                safety: 'suggestion',
                assumes: `you want to allow ${isNeverMatchedIn22 ? 'users' : 'clients'} that 2.2 denied`,
                edits: [replaceWord(provider, lowerCaseName)],
              }
            : {
                title: titleToChange(`Require ${provider.value}`, `Require ${lowerCaseName}`),
                safety: 'safe',
                edits: [replaceWord(provider, lowerCaseName)],
              },
        ],
      },
    ];
  },
};
