/**
 * Tags of conditional sections compared with recorded answers of real servers, httpd 2.2 and 2.4:
 * condition-answers.tsv.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { nameInTag, isTrueForVersion } from '../../server/src/config/condition';
import { accessConditionDecider, decideConditionIn22 } from '../../server/src/access/conditions';
import { activityOf } from '../../server/src/config/activity';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { lexLines, LineKind, type Line } from '../../server/src/syntax/line';

const FILE = path.join(__dirname, '../../../test/config/condition-answers.tsv');

interface Recorded {
  readonly tags: readonly Line[];
  readonly text: string;
  /** `T`, `F` or `E` for 2.2 prefork and worker, 2.4 event and prefork. */
  readonly answers: string;
}

function readRecorded(): { rows: Recorded[]; modules: Record<string, string[]> } {
  const modules: Record<string, string[]> = {};
  const rows: Recorded[] = [];
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    const [key = '', text = ''] = line.split('\t');
    if (key.startsWith('modules ')) modules[key.slice('modules '.length)] = text.split(' ');
    else if (/^[TFE]{4}$/.test(key)) {
      const tags = text
        .replaceAll('\\n', '\n')
        .replaceAll('\\t', '\t')
        .split('\n')
        .map((tag) => lexLines(tag)[0]);
      rows.push({ tags, text, answers: key });
    }
  }
  return { rows, modules };
}

const SERVERS = [
  { minor: 2, mpm: 'prefork', patch: 35, suffix: '-dev', column: 0 },
  { minor: 2, mpm: 'worker', patch: 35, suffix: '-dev', column: 1 },
  { minor: 4, mpm: 'event', patch: 71, suffix: '', column: 2 },
  { minor: 4, mpm: 'prefork', patch: 71, suffix: '', column: 3 },
] as const;

/** Which names `<IfModule>` finds: source files and identifiers. */
function namesOf(modules: readonly string[], mpm: string): Set<string> {
  const sources = modules.flatMap((name) => [`mod_${name}.c`, `${name}_module`]);
  const own = ['core.c', 'core_module', 'http_core.c', 'http_module', 'mod_so.c', 'so_module'];
  return new Set([...sources, ...own, `${mpm}.c`, `mpm_${mpm}_module`]);
}

describe('the tags of conditional sections', () => {
  const { rows, modules } = readRecorded();

  it('are recorded', () => assert.ok(rows.length > 200));

  it('end their name with a `>` that is no operator; numbers that overflow decide nothing', () => {
    // Seen on httpd 2.4.71.
    const release = { major: 2, minor: 4, patch: 71 };
    const answers: readonly [tag: string, holds: boolean | null][] = [
      ['<IfVersion> 2.4>', false],
      ['<IfVersion> 2.4.71>', true],
      ['<IfVersion> < 2.4>', false],
      ['<IfVersion > 2.4>', true],
      ['<IfVersion>', null],
      ['<IfVersion < 2.4.999999999999>', null],
    ];
    for (const [tag, holds] of answers) assert.equal(isTrueForVersion(lexLines(tag)[0]!, release), holds, tag);
    assert.deepEqual(nameInTag(lexLines('<IfModule> mod_so.c>')[0]!, 4), { name: 'mod_so.c', isNegated: false });
  });

  for (const server of SERVERS) {
    it(`hold as httpd 2.${server.minor} with ${server.mpm} has answered`, () => {
      const { minor } = server;
      const compiled = minor === 4 ? ['watchdog', 'log_config', 'logio', 'version', 'unixd'] : [];
      const names = namesOf([...modules[`2.${minor}`], ...compiled], server.mpm);
      const holds = (tag: Line): string => {
        // Such a tag opens no section here.
        if (tag.kind !== LineKind.Open || !tag.isComplete) return 'E';
        if (tag.name === 'ifversion') {
          const answer = isTrueForVersion(tag, { ...server, major: 2 });
          return answer === null ? 'E' : answer ? 'T' : 'F';
        }
        if (tag.name !== 'ifmodule' && tag.name !== 'ifdefine') return 'E';
        const asked = nameInTag(tag, minor);
        if (asked === null) return 'E';
        return (tag.name === 'ifmodule' && names.has(asked.name)) !== asked.isNegated ? 'T' : 'F';
      };
      const wrong = rows.filter(({ tags, answers }) => {
        // Nothing inside a section that does not hold is looked at.
        const decisive = tags.map(holds).find((each) => each !== 'T') ?? 'T';
        return decisive !== answers[server.column];
      });
      assert.deepEqual(
        wrong.map(({ text }) => text),
        [],
      );
    });
  }

  it('are never decided otherwise from a configuration that loads the same modules', () => {
    const loaded = new Set(modules['2.2'].map((name) => `mod_${name}.c`));
    const converted = accessConditionDecider('2.2', { ...DEFAULT_TARGET, patch: 71 });
    const wrong: string[] = [];
    for (const { tags, text, answers } of rows) {
      const [tag] = tags;
      if (tags.length > 1 || tag.kind !== LineKind.Open || tag.name === 'ifdefine' || answers.includes('E')) continue;
      // A suffix is nothing that a configuration tells.
      if (/\\\.35\$/.test(text)) continue;
      const [before, , now] = answers;
      const mayBe = (answer: unknown, truth: string) => answer !== (truth === 'T' ? 'inactive' : 'active');
      const hangsOnMpm = answers[0] !== answers[1] || answers[2] !== answers[3];
      const answer = converted(tag, loaded);
      const is22 = decideConditionIn22(tag, loaded);
      if (!hangsOnMpm && !mayBe(is22, before)) wrong.push(`${text}: 2.2 ${is22}`);
      // mod_access_compat goes.
      if (/access_compat/.test(text)) continue;
      if (answer === 'mpm' && hangsOnMpm) continue;
      const both = typeof answer === 'object' ? answer : { in22: answer, in24: answer };
      // Unknown alone means the same in both.
      const isSame = answer !== 'unknown' || before === now;
      if (hangsOnMpm || !isSame || !mayBe(both.in22, before) || !mayBe(both.in24, now))
        wrong.push(`${text}: ${JSON.stringify(answer)}, recorded ${answers}`);
      const own = activityOf(tag, DEFAULT_TARGET);
      if (!hangsOnMpm && !mayBe(own, now)) wrong.push(`${text}: in 2.4 ${own}`);
    }
    assert.deepEqual(wrong, []);
  });
});
