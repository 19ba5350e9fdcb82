import { argumentsOf } from '../syntax/line';
import { NO_FINDINGS } from './support/edits';
import type { Finding, Fix, Member, SectionRule } from './rule';

export const ifmoduleVersionTest: SectionRule = {
  id: 'ifmodule-version-test',
  title: '<IfModule mod_authz_host.c> as a version test, although 2.2 also has this module',
  consequence: 'check before the upgrade',
  since: 0,
  isMisledByConversion: true,
  fix: 'suggestion',
  checks: 'section',
  names: ['ifmodule', 'require', 'order', 'allow', 'deny', 'satisfy'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#ifmodule',
  examples: [
    {
      title: 'Lines for 2.2 and 2.4 in one file',
      before:
        '<Directory "/srv/www">\n    <IfModule mod_authz_host.c>\n        Require all granted\n    </IfModule>\n    <IfModule !mod_authz_host.c>\n        Order allow,deny\n        Allow from all\n    </IfModule>\n</Directory>\n',
      after:
        '<Directory "/srv/www">\n    <IfModule mod_authz_core.c>\n        Require all granted\n    </IfModule>\n    <IfModule !mod_authz_core.c>\n        Order allow,deny\n        Allow from all\n    </IfModule>\n</Directory>\n',
      finds: ['authz-host', 'authz-host'],
    },
    {
      title: 'Not reported: a test for mod_authz_core',
      before:
        '<IfModule mod_authz_core.c>\n</IfModule>\n<IfModule !mod_authz_core.c>\n    <Directory "/srv">\n    </Directory>\n</IfModule>\n',
      finds: [],
    },
  ],
  check({ members }) {
    const hasLineInside = (outerMember: Member, names: readonly string[]) =>
      members.some(
        ({ line, enclosingSections }) =>
          names.includes(line.name) && enclosingSections.some(({ open }) => open === outerMember.line),
      );
    const moduleTests = members.flatMap((member) => {
      const word = member.line.name === 'ifmodule' ? argumentsOf(member.line)[0] : undefined;
      const moduleMatch = word && /^(!?)(mod_authz_host\.c|authz_host_module)$/.exec(word.value);
      return word && moduleMatch ? [{ member, word, isNegated: moduleMatch[1] !== '', name: moduleMatch[2]! }] : [];
    });
    const versionTests = moduleTests.filter(({ member, isNegated }) =>
      isNegated
        ? hasLineInside(member, OLD_NAMES)
        : hasLineInside(member, ['require']) && !hasLineInside(member, OLD_NAMES),
    );
    if (!versionTests.some(({ isNegated }) => isNegated) || !versionTests.some(({ isNegated }) => !isNegated))
      return NO_FINDINGS;
    const edits = versionTests.map(({ member, word, name }) => {
      const nameEnd = member.offset + (word.quote !== '' && word.isTerminated ? word.end - 1 : word.end);
      return { start: nameEnd - name.length, end: nameEnd, text: name.replace('authz_host', 'authz_core') };
    });
    const fix: Fix = {
      title: 'Change mod_authz_host to mod_authz_core in both <IfModule>',
      safety: 'suggestion',
      edits,
    };
    return versionTests.map(
      ({ member, word }): Finding => ({
        messageId: 'authz-host',
        what: '`<IfModule mod_authz_host.c>` does not tell 2.2 from 2.4: both have it',
        cause:
          'With this test, httpd 2.2 also uses the `Require` lines. httpd 2.4 without mod_authz_host uses the `Order` lines and does not start.',
        help: 'Test for mod_authz_core; only 2.4 has that module.',
        start: member.offset + word.start,
        end: member.offset + word.end,
        fixes: [fix],
      }),
    );
  },
};

const OLD_NAMES = ['order', 'allow', 'deny', 'satisfy'];
