import { argumentsOf, LineKind } from '../syntax/line';
import { NOTHING } from './edits';
import type { Finding, Fix, Member, UnitRule } from './rule';

/** `<IfModule mod_authz_host.c>` around Require, and its opposite around Order: a test for the version that does not test it. */
export const ifmoduleVersionTest: UnitRule = {
  id: 'ifmodule-version-test',
  title: '<IfModule mod_authz_host.c> as a version test',
  consequence: 'check before the upgrade',
  fix: 'suggestion',
  scope: 'unit',
  names: ['ifmodule', 'require', 'order', 'allow', 'deny', 'satisfy'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#ifmodule',
  page: {
    what: '`Require` lines in `<IfModule mod_authz_host.c>` and `Order`, `Allow` and `Deny` in `<IfModule !mod_authz_host.c>`. The test does not work, because 2.2 has mod_authz_host, too.',
    why:
      'mod_authz_host is in 2.2 and in 2.4, with other directives. So a 2.2 server takes the Require lines (and answers 500 for `Require all granted`, as no AuthType is set), and a 2.4 server without the module takes the others and does not start. ' +
      'mod_authz_core is what 2.4 has and 2.2 has not; every 2.4 server that reads Require has it.',
    httpd: "Nothing where mod_authz_host is loaded. Otherwise `Invalid command 'Order', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing: 'A suggestion that asks for mod_authz_core.c in both: nothing changes on a 2.4 server with both modules. On one without mod_authz_host `Require ip` and `Require host` have to be looked after (missing-module).',
    sources: ['modules/aaa/mod_authz_host.c of 2.2 and 2.4', 'server/core.c: start_ifmod', 'experiment: test/httpd/claims-modules.test.ts'],
  },
  examples: [
    {
      title: 'Two versions in one file',
      before: '<Directory "/srv/www">\n    <IfModule mod_authz_host.c>\n        Require all granted\n    </IfModule>\n    <IfModule !mod_authz_host.c>\n        Order allow,deny\n        Allow from all\n    </IfModule>\n</Directory>\n',
      after: '<Directory "/srv/www">\n    <IfModule mod_authz_core.c>\n        Require all granted\n    </IfModule>\n    <IfModule !mod_authz_core.c>\n        Order allow,deny\n        Allow from all\n    </IfModule>\n</Directory>\n',
      finds: ['authz-host', 'authz-host'],
    },
    { title: 'The module that is in 2.4 only', before: '<IfModule mod_authz_core.c>\n</IfModule>\n<IfModule !mod_authz_core.c>\n    <Directory "/srv">\n    </Directory>\n</IfModule>\n', finds: [] },
  ],
  wakes: (line) => line.kind === LineKind.Open && line.name === 'ifmodule' && line.text.includes('authz_host'),
  check({ members }) {
    const holds = (around: Member, names: readonly string[]) => members.some(({ line, within }) => names.includes(line.name) && within.some(({ open }) => open === around.line));
    const tests = members.flatMap((member) => {
      const word = member.line.name === 'ifmodule' ? argumentsOf(member.line)[0] : undefined;
      const match = word && /^(!?)(mod_authz_host\.c|authz_host_module)$/.exec(word.value);
      return word && match ? [{ member, word, isNegated: match[1] !== '', name: match[2]! }] : [];
    });
    const found = tests.filter(({ member, isNegated }) => (isNegated ? holds(member, OLD) : holds(member, ['require']) && !holds(member, OLD)));
    if (!found.some(({ isNegated }) => isNegated) || !found.some(({ isNegated }) => !isNegated)) return NOTHING;
    const edits = found.map(({ member, word, name }) => {
      const end = member.offset + (word.quote !== '' && word.isTerminated ? word.end - 1 : word.end);
      return { start: end - name.length, end, text: name.replace('authz_host', 'authz_core') };
    });
    const fix: Fix = { title: 'Replace by mod_authz_core in both tests', safety: 'suggestion', edits };
    return found.map(({ member, word }): Finding => ({
      messageId: 'authz-host',
      what: '`<IfModule mod_authz_host.c>` is no version test: 2.2 has this module, too',
      cause: 'With this test httpd 2.2 uses the `Require` lines, too. httpd 2.4 without mod_authz_host uses the `Order` lines and does not start.',
      help: 'Test for mod_authz_core; only 2.4 has that module.',
      start: member.offset + word.start,
      end: member.offset + word.end,
      fixes: [fix],
    }));
  },
};

const OLD = ['order', 'allow', 'deny', 'satisfy'];
