import { readSection } from '../access/read';
import { contentSpan } from './edits';
import { Fact, hasFact } from './facts';
import type { Finding, UnitRule } from './rule';

/** Where the server is a 2.4 already. */
const KEPT = 'Check that you want this: conversions keep what mod_access_compat decides (setting httpdUpgrade.accessControl.source).';

/** Sections that a 2.4 with mod_access_compat decides otherwise than 2.2 did. */
export const accessCompatDiffers: UnitRule = {
  id: 'access-compat-differs',
  title: 'Satisfy that mod_access_compat of 2.4 treats differently than 2.2',
  consequence: 'meaning changed',
  fix: 'none',
  scope: 'unit',
  names: ['order', 'allow', 'deny', 'satisfy', 'require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#satisfy',
  page: {
    what: 'A section with `Satisfy` that allows more clients in 2.4 with mod_access_compat than it did in 2.2.',
    why:
      'In 2.2 `Satisfy` was a setting of its own: it was inherited by itself, and left inherited `Order`, `Allow` and `Deny` alone. In mod_access_compat it belongs to ' +
      'their record, and a section that says any of the four starts a new one. So a section that says only `Satisfy Any` forgets the hosts that an outer section ' +
      'refuses: everybody gets in, without a login. And where hosts refuse under `Satisfy Any` and there is no `Require`, 2.2 answered 403; mod_access_compat leaves the ' +
      'decision to mod_authz_core, which grants what nobody restricts.',
    httpd: 'httpd says nothing. A request that is let in this way is logged with AH01797 all the same ("client denied by server configuration").',
    fixing:
      'Convert the lines to `Require` (order-allow-deny), together with those of the outer sections. Do not load mod_access_compat instead. For a server that runs on 2.4 with that module already, the setting ' +
      '`httpdUpgrade.accessControl.source` (`--source 2.4`) makes conversions keep what it decides; the finding is then for information.',
    sources: ['modules/aaa/mod_access_compat.c of 2.4 (check_dir_access, the missing merge function)', 'experiment: test/httpd/access-sections.test.ts, claims.test.ts'],
  },
  examples: [
    {
      title: 'Satisfy Any alone forgets what is inherited',
      before: '<Directory /srv/open>\n    Satisfy Any\n</Directory>\n',
      finds: ['forgets-hosts'],
    },
    {
      title: 'Refused by hosts, and nobody asks for a login',
      before: '<Directory /srv/internal>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    Satisfy Any\n</Directory>\n',
      finds: ['grants-refused'],
    },
    {
      title: 'Satisfy Any beside a Require in the same section is read alike',
      before: '<Directory /srv/internal>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    Require valid-user\n    Satisfy Any\n</Directory>\n',
      finds: [],
    },
  ],
  wakes: ({ name }) => name === 'satisfy',
  check(unit) {
    const satisfy = [...unit.members].reverse().find((member) => member.line.name === 'satisfy');
    if (!satisfy || unit.members.some((member) => member.within.some((section) => section.name.startsWith('limit') || section.name.startsWith('require')))) return [];
    const section = readSection(unit.members.map((member) => member.line));
    if (section.satisfy !== 'any' || section.obstacle) return [];
    const found = (messageId: string, what: string, cause: string): Finding[] => [
      { messageId, what, cause, help: 'Replace `Order`, `Allow`, `Deny` and `Satisfy` by `Require`, here and in the enclosing sections.', ...contentSpan(satisfy.line, satisfy.offset), resolve: (facts) => (hasFact(facts, Fact.fromCompat) ? { consequence: 'deprecated', help: KEPT } : {}) },
    ];
    if (section.host === null) {
      return found(
        'forgets-hosts',
        '`Satisfy Any` may open access: 2.4 drops the inherited `Order`, `Allow` and `Deny`',
        'httpd 2.2 kept the inherited lines. With mod_access_compat, httpd 2.4 allows everyone here, without a login.',
      );
    }
    const canRefuse = !(section.host.order === 'deny,allow' && (section.host.deny.length === 0 || section.host.allow.some(({ kind }) => kind === 'all')));
    if (section.requires.length > 0 || !canRefuse) return [];
    return found(
      'grants-refused',
      '`Satisfy Any` may open access to clients that `Order`, `Allow` and `Deny` exclude',
      'httpd 2.2 answered 403. With mod_access_compat, httpd 2.4 allows the request unless a `Require` asks for a login.',
    );
  },
};
