/**
 * Every access group of the corpus (a section, or the top of a file, with Order, Allow, Deny or
 * Satisfy), if the corpus is present: converted safely, offered with its assumptions, or not
 * converted, and why. HTTPD_UPGRADE_LIST=1 prints the reasons.
 */
import { reasonText, type NotConverted } from '../../server/src/access/not-converted';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { accessConversion, standaloneAccess, type AccessChange } from '../../server/src/analysis/access-conversion';
import { Engine, type PlacedFinding } from '../../server/src/analysis/engine';
import { decode } from '../../server/src/host/decode';
import { diskFileView } from '../../server/src/host/node-files';
import { Fact, hasFact } from '../../server/src/rules/support/facts';
import { orderAllowDeny } from '../../server/src/rules/order-allow-deny';
import { Tree } from '../../server/src/syntax/document';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';

interface Group {
  readonly file: string;
  readonly line: number;
  readonly verdict: 'safe' | 'suggestion' | 'not converted';
  /** What is assumed, or why not. */
  readonly reason: string;
}

describeOver('corpus', 'access control in the corpus', function () {
  this.timeout(900_000);
  const engine = new Engine({ rules: [orderAllowDeny] });
  const groups = filesIn(corpusFolder).flatMap(groupsOf);

  it('every group is converted, or has a reason', () => {
    const count = (verdict: Group['verdict']) => groups.filter((group) => group.verdict === verdict).length;
    if (process.env.HTTPD_UPGRADE_LIST) {
      console.log(
        `${groups.length} groups: ${count('safe')} safe, ${count('suggestion')} suggestions, ${count('not converted')} not converted`,
      );
      const reasons = new Map<string, Group[]>();
      for (const group of groups)
        reasons.set(`${group.verdict}: ${group.reason}`, [
          ...(reasons.get(`${group.verdict}: ${group.reason}`) ?? []),
          group,
        ]);
      for (const [reason, of] of [...reasons].sort((a, b) => b[1].length - a[1].length))
        console.log(`${of.length} ${reason} (${path.relative(corpusFolder, of[0].file)}:${of[0].line})`);
    }
    assert.deepEqual(
      groups.filter(({ reason, verdict }) => verdict !== 'safe' && reason === ''),
      [],
    );
    assert.ok(groups.length > 390, `${groups.length} groups`);
    // The result of a template is unknown, and so are its directories.
    const templates = groups.filter(
      ({ verdict, reason }) =>
        verdict === 'not converted' && /template|path of this section is not absolute/i.test(reason),
    ).length;
    assert.ok(templates <= 45, `${templates} stand in templates`);
    assert.ok(
      count('safe') + count('suggestion') >= (groups.length - templates) * 0.93,
      `${count('not converted') - templates} of ${groups.length - templates} are not converted`,
    );
  });

  /**
   * Sections whose old lines have a finding of the rule; the file by itself, and what its
   * configuration says where it is a root.
   */
  function groupsOf(file: string): Group[] {
    const decoded = decode(readFileSync(file));
    if (!('text' in decoded)) return [];
    const tree = Tree.parse(decoded.text);
    const analysis = engine.analyze(tree, { isHtaccess: path.basename(file) === '.htaccess' });
    const findings = [...analysis.findingsInOrder()];
    if (findings.length === 0) return [];
    const conversion = hasFact(analysis.facts, Fact.isRoot)
      ? accessConversion({ roots: [{ mainFile: file, engine, server: {} }], view: diskFileView() })
      : null;
    const lone = standaloneAccess({
      tree,
      isHtaccess: path.basename(file) === '.htaccess',
      source: '2.2',
      isAnsweredStandalone: false,
    });
    const seen = new Map<string, Group>();
    for (const finding of findings) {
      const offset = tree.lineAt(finding.start)!.offset;
      const line = tree.positionAt(finding.start).line + 1;
      const answer = conversion?.resultAt(file, offset);
      const alone = verdictOf(finding);
      const group: Group = {
        file,
        line,
        ...(answer && 'change' in answer
          ? verdictOfChange(answer.change)
          : withReason(alone, answer?.refusal ?? lone.reasonAt(offset))),
      };
      const key = `${finding.fixes[0]?.edits[0]?.start ?? ''} ${group.verdict} ${group.reason} ${sectionOf(tree, finding.start)}`;
      if (!seen.has(key)) seen.set(key, group);
    }
    return [...seen.values()];
  }
});

function verdictOf({ fixes, message }: PlacedFinding): Pick<Group, 'verdict' | 'reason'> {
  const [fix] = fixes;
  if (!fix) return { verdict: 'not converted', reason: message.replace(/ \w+ is 2\.2's: .*$/, '') };
  return {
    verdict: fix.safety,
    reason: fix.safety === 'safe' ? '' : `assuming that ${/, assuming that (.*)$/.exec(fix.title)?.[1] ?? ''}`,
  };
}

function verdictOfChange({ safety, waitsFor }: AccessChange): Pick<Group, 'verdict' | 'reason'> {
  return { verdict: safety, reason: waitsFor.length === 0 ? '' : 'something of the configuration is not known' };
}

function withReason(
  alone: Pick<Group, 'verdict' | 'reason'>,
  refusal: NotConverted | null,
): Pick<Group, 'verdict' | 'reason'> {
  return alone.verdict === 'not converted' && refusal ? { ...alone, reason: reasonText(refusal) } : alone;
}

/** The offset of the innermost open tag before a place: enough to tell groups apart. */
function sectionOf(tree: Tree, offset: number): number {
  const before = tree.text().slice(0, offset);
  return Math.max(before.lastIndexOf('\n<'), before.lastIndexOf(' <'), before.lastIndexOf('\t<'));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const full = path.join(folder, name);
      if (statSync(full).isDirectory()) return filesIn(full);
      return folder === corpusFolder ? [] : [full];
    });
}
