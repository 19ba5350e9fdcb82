import { argumentsOf } from '../syntax/line';
import { appendWord, isVariable, NOTHING } from './edits';
import type { LineRule } from './rule';

/** `AllowOverride Limit` without `AuthConfig`: it admits the access lines of 2.2 and none of 2.4. */
export const allowOverrideClass: LineRule = {
  id: 'allow-override-class',
  title: 'AllowOverride that admits Order, Allow and Deny, and no Require',
  severity: 'warning',
  fix: 'suggestion',
  scope: 'line',
  names: ['allowoverride', 'allowoverridelist'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#allowoverride',
  page: {
    what: '`AllowOverride Limit` without `AuthConfig`, or an `AllowOverrideList` with Order, Allow or Deny and without Require.',
    why:
      'Which lines a `.htaccess` may have goes by classes. `Order`, `Allow` and `Deny` are of the class Limit; `Require` and its containers, which took their place, are of the class AuthConfig, ' +
      'and so is `Satisfy` in both versions. So a `.htaccess` whose access control is converted to 2.4 is refused where its old lines were welcome.',
    httpd: '`…/.htaccess: Require not allowed here` in the error log, and the answer 500 to every request for the folder and what is below it.',
    fixing:
      'A suggestion adds AuthConfig (or Require). It admits more than access by host: a `.htaccess` can then say who has to log in, and how. The other way out is to move the access lines into the server\'s own file.',
    sources: [
      'modules/aaa/mod_access_compat.c (OR_LIMIT) and mod_authz_core.c (OR_AUTHCFG) of 2.4: the command tables',
      'experiment: test/httpd/claims-require.test.ts',
    ],
  },
  examples: [
    {
      title: 'Limit',
      before: '<Directory /srv>\n    AllowOverride Indexes Limit\n</Directory>\n',
      after: '<Directory /srv>\n    AllowOverride Indexes Limit AuthConfig\n</Directory>\n',
      finds: ['limit'],
    },
    {
      title: 'A list',
      before: '<Directory /srv>\n    AllowOverride None\n    AllowOverrideList Order Allow Deny\n</Directory>\n',
      after: '<Directory /srv>\n    AllowOverride None\n    AllowOverrideList Order Allow Deny Require\n</Directory>\n',
      finds: ['list'],
    },
  ],
  check({ line, context }) {
    const words = argumentsOf(line);
    if (words.some(isVariable) || context.isHtaccess || context.containers.includes('macro')) return NOTHING;
    const said = words.map((word) => word.value.toLowerCase());
    const isList = line.name === 'allowoverridelist';
    const old = isList ? words.filter((_, index) => ['order', 'allow', 'deny'].includes(said[index])) : words.filter((_, index) => said[index] === 'limit');
    const admits = isList ? ['require'] : ['authconfig', 'all'];
    if (old.length === 0 || said.some((word) => admits.includes(word))) return NOTHING;
    // What stands after None is read, and what stands before it is undone.
    if (!isList && said.lastIndexOf('none') > said.lastIndexOf('limit')) return NOTHING;
    const missing = isList ? 'Require' : 'AuthConfig';
    return [
      {
        messageId: isList ? 'list' : 'limit',
        message:
          `This admits Order, Allow and Deny in a .htaccess, and not the Require lines that take their place in httpd 2.4: a converted .htaccess answers 500 (Require not allowed here). Add ${missing}, ` +
          'or move the access control into this file.',
        start: old[0].start,
        end: old.at(-1)!.end,
        fixes: [
          {
            title: isList ? 'Add Require' : 'Add AuthConfig: a .htaccess may then ask for a login as well',
            safety: 'suggestion',
            edits: [appendWord(line, missing)],
          },
        ],
      },
    ];
  },
};
