/** The cost of sections that Use and Include lines read again and again. */
import assert from 'node:assert/strict';
import { convertConfiguration } from '../../server/src/access/configuration-conversion';
import type { SectionEntry } from '../../server/src/access/section-order';
import { groupNumbers } from '../../server/src/access/together';
import { configurationOf } from '../access/large';

const MAIN = '/etc/httpd/conf/httpd.conf';
const SECTION = '<Directory /srv/$x>\nOrder allow,deny\nAllow from all\n</Directory>\n';

const converted = (sections: number, uses: number, section = SECTION) =>
  convertConfiguration(
    configurationOf(
      {
        [MAIN]:
          `<Macro sectionsOfSite $x>\n${section.repeat(sections)}</Macro>\n` +
          Array.from({ length: uses }, (_, i) => `Use sectionsOfSite ${i}\n`).join(''),
      },
      MAIN,
    ),
    [],
  );

describe('sections that Use lines insert', () => {
  it('are not converted where a small file makes tens of thousands, and no two are compared', () => {
    const { conversions, refusals, comparisonCount } = converted(60, 500);
    assert.deepEqual([conversions.length, refusals.length], [0, 60]);
    assert.deepEqual([...new Set(refusals.map(({ reason }) => reason.code))], ['too-many-sections']);
    assert.ok(comparisonCount < 60 * 500, `${comparisonCount} looks`);
  });

  it('are not converted where a small file makes many that may meet, after few comparisons', () => {
    const { conversions, refusals, comparisonCount } = converted(
      25,
      50,
      SECTION.replaceAll('Directory', 'LocationMatch').replace('/srv/', ''),
    );
    assert.deepEqual([conversions.length, new Set(refusals.map(({ reason }) => reason.code)).size], [0, 1]);
    assert.equal(refusals[0]!.reason.code, 'too-many-sections');
    assert.ok(comparisonCount < 100_000 + 5 * 3_000 + 100 * 25 * 50 + 2_000, `${comparisonCount} looks`);
  });

  it('are converted where a macro makes thousands of sites', () => {
    const { conversions, refusals } = converted(1, 8_000);
    assert.deepEqual([conversions.length, refusals.length], [1, 0]);
  });
});

describe('the groups of sections with the same text', () => {
  it('take one look at each copy', () => {
    let looks = 0;
    class Counted extends Array<SectionEntry> {
      override *[Symbol.iterator](): ArrayIterator<SectionEntry> {
        for (let i = 0; i < this.length; i++) {
          looks++;
          yield this[i]!;
        }
      }
    }
    const entries = Array.from({ length: 400 }, (_, orderNumber) => ({ orderNumber }) as SectionEntry);
    const list = Counted.from(entries) as Counted;
    looks = 0;
    const numbers = groupNumbers(
      {
        linesByEntry: new Map(entries.map((entry) => [entry, { tree: null, authMerging: null }])),
        reasonByEntry: new Map(),
        relatedSectionsByEntry: new Map(),
      },
      new Map(entries.map((entry) => [entry, list])),
    );
    assert.deepEqual([new Set(numbers.values()).size, looks], [1, 400]);
  });
});
