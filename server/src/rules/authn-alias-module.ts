import { contentSpan, NOTHING, removeLine } from './support/edits';
import { loadInstead, loadModuleOf, unlessAskedFor } from './support/load-module';
import type { LineRule } from './rule';

/** `LoadModule authn_alias_module`: `<AuthnProviderAlias>` belongs to mod_authn_core now. */
export const authnAliasModule: LineRule = {
  id: 'authn-alias-module',
  title: 'LoadModule of mod_authn_alias, now part of mod_authn_core',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authn_core.html',
  page: {
    what: '`LoadModule authn_alias_module …/mod_authn_alias.so`. In 2.4 mod_authn_core has `<AuthnProviderAlias>`.',
    why:
      'mod_authn_alias had only one section, `<AuthnProviderAlias>`. In 2.4 this section is in mod_authn_core, together with `AuthType` and `AuthName`. Every 2.4 server ' +
      'with logins loads mod_authn_core.',
    httpd:
      '`Cannot load modules/mod_authn_alias.so into server: … cannot open shared object file: No such file or directory`.',
    fixing:
      '- **Safe**: load mod_authn_core instead. If another line already loads it, httpd only writes a warning (AH01574). **Suggestion** if any file has lines in an `<IfModule>` for this module. **Suggestion** if only a part of the configuration is checked.\n' +
      '- **Suggestion**: remove the line. Another line must then load mod_authn_core.',
    sources: [
      'modules/aaa/mod_authn_alias.c of 2.2, mod_authn_core.c of 2.4',
      'manual 2.4, upgrading',
      'experiment: test/httpd/claims-modules.test.ts',
    ],
  },
  examples: [
    {
      title: 'A LoadModule line of mod_authn_alias',
      before: 'LoadModule authn_alias_module modules/mod_authn_alias.so\n',
      after: 'LoadModule authn_core_module modules/mod_authn_core.so\n',
      finds: ['merged'],
    },
  ],
  check({ line }) {
    const loaded = loadModuleOf(line);
    if (
      loaded === null ||
      (loaded.identifier.value !== 'authn_alias_module' && loaded.fileName !== 'mod_authn_alias.so')
    )
      return NOTHING;
    return [
      {
        messageId: 'merged',
        what: '`authn_alias_module` is now part of mod_authn_core',
        cause: 'In 2.4 the file mod_authn_alias.so does not exist.',
        help: 'Load authn_core_module from mod_authn_core.so.',
        ...contentSpan(line),
        ...unlessAskedFor([
          { title: 'Load authn_core_module instead', safety: 'safe', edits: loadInstead(loaded, 'authn_core') },
          {
            title: 'Remove the line',
            safety: 'suggestion',
            assumes: 'another line loads mod_authn_core',
            edits: [removeLine(line)],
          },
        ]),
      },
    ];
  },
};
