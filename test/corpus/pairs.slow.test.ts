/**
 * Files that were migrated by hand, before and after: the fixed file is compared with the migrated
 * one, line by line without comments, white space and quotes. pairs.tsv accounts for every
 * difference; a missing or extra row fails.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { describeOver } from '../support/lacks';
import { repositoryRoot } from '../support/paths';
import { corpusText, isHtaccess, rows } from './files';

/**
 * Rows: number of the pair in PAIRS.tsv (from 1); `safe` or `all` (suggestions too); what differs;
 * the verdict; why.
 *
 * What differs after safe fixes: nothing (`equal`), or the rules that leave something to a person
 * (`person`). After all: nothing (`equal`), or place by place a hash and the names of the lines,
 * theirs with `-`, ours with `+`: `ours` where ours keeps what the server did, or starts, and
 * theirs does not; `choice` where both do; `other` where the commit changed something that has
 * nothing to do with 2.4.
 */
const ACCOUNTED = path.join(repositoryRoot, 'test/corpus/pairs.tsv');
const VERDICTS = ['equal', 'person', 'ours', 'choice', 'other'];

describeOver('corpus', 'pairs of before and after', () => {
  const listed = readFileSync(ACCOUNTED, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((row) => row.split('\t'));

  it('are accounted for with a verdict and a reason', () => {
    for (const [pair, , what, verdict, why] of listed) {
      assert.ok(VERDICTS.includes(verdict), `${pair} ${what}: ${verdict}`);
      assert.ok(verdict === 'equal' || verdict === 'person' || (why ?? '').length > 10, `${pair} ${what}: why?`);
    }
  });

  rows('PAIRS.tsv').forEach(([before, after], index) => {
    it(`${index + 1}: ${before}`, () => {
      const actual = differences(corpusText(before)!, corpusText(after)!, isHtaccess(before)).map((row) =>
        row.join(' | '),
      );
      const expected = listed
        .filter(([pair]) => Number(pair) === index + 1)
        .map(([, mode, what, verdict]) =>
          [mode, what, ...(mode === 'safe' || verdict === 'equal' ? [verdict] : [])].join(' | '),
        );
      assert.deepEqual(actual, expected);
    });
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function differences(before: string, after: string, htaccess: boolean): string[][] {
  const engine = new Engine({ rules: ALL_RULES });
  const safe = fixText(engine, before, { isHtaccess: htaccess });
  const all = fixText(engine, before, { isHtaccess: htaccess }, { unsafe: true });
  const theirs = normalized(after);
  const isEqual = normalized(safe.text).join('\n') === theirs.join('\n');
  const left = [
    ...new Set(safe.remainingFindings.filter(({ fixes }) => fixes.length > 0).map(({ rule }) => rule.id)),
  ].sort();
  const hunks = hunksOf(theirs, normalized(all.text));
  return [
    ['safe', isEqual ? '' : left.join(' '), isEqual ? 'equal' : 'person'],
    ...(hunks.length === 0 ? [['all', '', 'equal']] : hunks.map((hunk) => ['all', hunk])),
  ];
}

function normalized(text: string): string[] {
  const rows = text
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .map((row) => row.trim().replace(/\s+/g, ' ').replace(/"/g, ''));
  return rows
    .filter((row) => row !== '' && !row.startsWith('#'))
    .map((row) => row.replace(/^<?\/?\w+/, (name) => name.toLowerCase()));
}

/** Where two texts differ, in order: a hash, and the names of the lines. */
function hunksOf(theirs: readonly string[], ours: readonly string[]): string[] {
  const common = longestCommon(theirs, ours);
  const hunks: string[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...common, [theirs.length, ours.length]]) {
    const rows = [...theirs.slice(i, nextI).map((row) => `-${row}`), ...ours.slice(j, nextJ).map((row) => `+${row}`)];
    if (rows.length > 0)
      hunks.push(`${createHash('sha1').update(rows.join('\n')).digest('hex').slice(0, 8)} ${names(rows)}`);
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return hunks;
}

function names(rows: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = /^[-+]<?\/?\w*/.exec(row)![0];
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count > 1 ? `${name}*${count}` : name)).join(' ');
}

/** Places of a longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  }
  const places: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) places.push([i++, j++]);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  }
  return places;
}

if (process.env.HTTPD_UPGRADE_PRINT_PAIRS) {
  rows('PAIRS.tsv').forEach(([before, after], index) => {
    for (const row of differences(corpusText(before)!, corpusText(after)!, isHtaccess(before)))
      console.log([index + 1, ...row].join('\t'));
  });
}
