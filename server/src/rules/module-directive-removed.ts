import { thirdPartyModules } from '../directives/third-party';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan, fittingHeadline, invalidCommandText, NO_FINDINGS, removeLine } from './support/edits';
import type { LineRule } from './rule';

/** Finds directives that a third-party module no longer has in its version for 2.4. */
export const moduleDirectiveRemoved: LineRule = {
  id: 'module-directive-removed',
  title: 'A directive that the version of its module for 2.4 does not have',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: [
    'groupexternalauthoritative',
    'authzexternalauthoritative',
    'groupexternalerror',
    'casauthoritative',
    'authzunixgroup',
    'authzunixgroupauthoritative',
    'shibrequireall',
    'shibaccesscontrol',
    'shibschemadir',
    'shibcompatwith24',
    'authzshibauthoritative',
    'xsendfileallowabove',
  ],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#access',
  examples: [
    {
      title: 'mod_authz_unixgroup',
      before:
        '<Directory /srv>\n    AuthzUnixgroup On\n    AuthzUnixgroupAuthoritative On\n    Require unix-group staff\n</Directory>\n',
      after: '<Directory /srv>\n    Require unix-group staff\n</Directory>\n',
      finds: ['removed', 'removed'],
    },
  ],
  check({ line, context }) {
    if (context.activity === 'inactive') return NO_FINDINGS;
    const module = thirdPartyModules(line.name, false)[0]!;
    const directiveName = spelledName(line);
    const advice = Object.entries(module.removed).find(([each]) => each.toLowerCase() === line.name)![1];
    const moduleName = module.file.replace(/\.so$/, '');
    const isShibRequireAllOn = line.name === 'shibrequireall' && !/^off$/i.test(argumentsOf(line)[0]?.value ?? '');
    return [
      {
        messageId: 'removed',
        what: fittingHeadline(
          `\`${directiveName}\` was removed from ${moduleName} for 2.4`,
          `\`${directiveName}\` was removed from its module for 2.4`,
        ),
        cause: `The version of ${moduleName} for 2.4 does not have this directive.`,
        help: advice,
        serverText: invalidCommandText(line),
        ...contentSpan(line),
        fixes: [
          {
            title: isShibRequireAllOn
              ? `Remove ${directiveName} (any Require line then allows access)`
              : `Remove ${directiveName}`,
            safety: 'suggestion',
            ...(isShibRequireAllOn
              ? {
                  assumes: 'only one `Require` line applies here; with more, one of them is then enough',
                  isAppliedAlone: true,
                }
              : { assumes: 'the `Require` lines have the words of 2.4' }),
            edits: [removeLine(line)],
          },
        ],
      },
    ];
  },
};
