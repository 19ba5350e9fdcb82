/**
 * Counts the steps that large access control takes: the same number for each line and section, at
 * any size.
 */
import assert from 'node:assert/strict';
import { prove } from '../../server/src/access/prove';
import { readSection } from '../../server/src/access/read';
import { translate } from '../../server/src/access/translate';
import { convertConfiguration } from '../../server/src/access/configuration-conversion';
import type { Operand } from '../../server/src/access/operand';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Tree } from '../../server/src/syntax/document';
import { forEachLine } from '../../server/src/syntax/tree';
import type { Line } from '../../server/src/syntax/line';
import { configurationOf, hostingServer, longSection, manySections } from './large';
import { oldServer, oldText } from '../bench/old-files';

const MAIN = '/etc/httpd/conf/httpd.conf';
const HOSTING_SERVERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an old section in each virtual host': { [MAIN]: oldText(100_000) },
  'three sections in each virtual host, five locations of the server': { [MAIN]: hostingServer(4_000, 3, 5) },
  'no section in any virtual host, twenty locations of the server': { [MAIN]: hostingServer(4_000, 0, 20) },
};

describe('large access control', function () {
  this.timeout(600_000);

  it('a section of thousands of lines is proven, and each line looked at a few times', () => {
    const [small, large] = [looksAtLines(2_500), looksAtLines(5_000)];
    assert.ok(large <= 30 * 5_000, `${large} looks`);
    assert.ok(large < small * 2.2, `${small} looks at 2,500 lines, ${large} at 5,000`);
  });

  it('sections beside each other do not look at each other', () => {
    const [small, large] = [looksAtSections(1_000), looksAtSections(2_000)];
    assert.ok(large <= 100 * 2_000, `${large} looks`);
    assert.ok(large < small * 2.6, `${small} looks at 1,000 sections, ${large} at 2,000`);
  });

  for (const [what, texts] of Object.entries(HOSTING_SERVERS))
    it(`hosting servers keep away from the limit of looks: ${what}`, () => {
      const [main] = Object.keys(texts);
      const { conversions, refusals, comparisonCount } = convertConfiguration(configurationOf(texts, main), []);
      const hosts = texts[main!]!.split('<VirtualHost').length - 1;
      const limit = 500_000 + 100 * conversions.length + 500 * hosts;
      assert.deepEqual(refusals, []);
      assert.ok(comparisonCount * 5 < limit, `${comparisonCount} looks of ${limit}`);
    });

  it('of thousands of sites as many sections are converted as of a hundred, where one in each stays', () => {
    const share = (sites: number) => {
      const { conversions, refusals } = convertConfiguration(
        configurationOf({ [MAIN]: sitesWithOneThatStays(sites) }, MAIN),
        [],
      );
      assert.ok(conversions.length > 0 && refusals.length > 0);
      return [conversions.length / sites, refusals.length / sites];
    };
    assert.deepEqual(share(12_000), share(100));
  });

  it('of a hosting server all is converted, .htaccess files included, at the same cost for each site', () => {
    const looksOf = (files: number) => {
      const root = '/srv/old';
      const texts = Object.fromEntries(oldServer(root, files));
      const configuration = configurationOf(texts, `${root}/conf/httpd.conf`);
      const { files: htaccess, openQuestions } = discoverHtaccess(configuration, memoryFiles(texts));
      const { conversions, refusals, comparisonCount } = convertConfiguration(configuration, htaccess);
      assert.deepEqual([openQuestions, refusals], [[], []]);
      assert.ok(conversions.length >= files, `${conversions.length} of ${files} files`);
      return comparisonCount;
    };
    const [small, large] = [looksOf(401), looksOf(801)];
    assert.ok(large < small * 2.2, `${small} looks in 401 files, ${large} in 801`);
  });

  it('nothing is converted where too many sections may apply to the same requests', () => {
    const text = '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n'.repeat(2_000);
    const { conversions, refusals, comparisonCount } = convertConfiguration(
      configurationOf(Object.fromEntries(Object.keys(manySections(1)).map((main) => [main, text]))),
      [],
    );
    assert.deepEqual([conversions.length, refusals.length], [0, 2_000]);
    assert.equal(refusals[0]!.reason.code, 'too-many-sections');
    assert.ok(comparisonCount <= 500_000 + 100 * 2_000 + 2_000, `${comparisonCount} looks`);
  });
});

/**
 * In each site a section may ask for a login, or may not be there, so that nobody knows what the
 * one below it stands on.
 */
function sitesWithOneThatStays(sites: number): string {
  const site = (folder: string) =>
    [
      '<VirtualHost *:80>',
      `<Directory ${folder}>\nOrder allow,deny\nAllow from all\n</Directory>`,
      `<IfDefine MEMBERS>\n<Directory ${folder}/in>\nAuthType Basic\nRequire valid-user\n</Directory>\n</IfDefine>`,
      `<Directory ${folder}/in/private>\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1\n</Directory>`,
      '</VirtualHost>\n',
    ].join('\n');
  return Array.from({ length: sites }, (_, i) => site(`/srv/site${i}`)).join('');
}

/** Proves a section's translation; how often an operand was looked at. */
function looksAtLines(count: number): number {
  let looks = 0;
  const counted = (operand: Operand): Operand =>
    Object.defineProperty({ ...operand }, 'kind', { enumerable: true, get: () => (looks++, operand.kind) });
  const lines: Line[] = [];
  const { root } = Tree.parse(longSection(count));
  forEachLine(root, 0, root.length, (line) => lines.push(line));
  const section = readSection(lines);
  assert.equal(section.obstacle, null);
  const hostRules = {
    order: section.hostRules!.order,
    allow: section.hostRules!.allow.map(counted),
    deny: section.hostRules!.deny.map(counted),
  };
  assert.equal(prove({ ...section, hostRules }, translate({ ...section, hostRules })), 'proven');
  return looks;
}

/** Converts a configuration; how often a section was looked at for the sake of another one. */
function looksAtSections(count: number): number {
  const { conversions, refusals, comparisonCount } = convertConfiguration(configurationOf(manySections(count)), []);
  assert.deepEqual(refusals, []);
  assert.ok(conversions.length >= count);
  return comparisonCount;
}
