/** The plan costs what its findings cost, and what its doubts cost, and not one times the other. */
import assert from 'node:assert/strict';
import { doubt, type Doubt } from '../../server/src/access/doubt';
import { NO_ANSWERS } from '../../server/src/analysis/answers';
import { Engine, work } from '../../server/src/analysis/engine';
import { causesIn } from '../../server/src/analysis/on-server';
import { planFinding, upgradePlan, type PlanFinding } from '../../server/src/analysis/upgrade-plan';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';

describe('what a plan costs', () => {
  it('asks about the doubts of a change once, however many findings it is for', () => {
    const asked = (size: number): number => {
      let count = 0;
      const counted = (each: Doubt): Doubt => ({
        ...each,
        get kind() {
          count++;
          return each.kind;
        },
      });
      const waitsFor = Array.from({ length: size }, (_, i) => counted(doubt('include-unseen', `/srv/${i}.conf`)));
      const fix = { title: 'Convert', isSafe: false, waitsFor, restsOn: [] };
      const findings = Array.from({ length: size }, (_, line): PlanFinding => ({ rule: 'order-allow-deny', messageId: 'access', message: 'Order', isBlocking: false, fix, file: 'a.conf', line }));
      upgradePlan([{ root: 'a.conf', files: 1, findings, answered: { answers: NO_ANSWERS, folder: '/' }, placeOf: () => null }]);
      return count;
    };
    const [few, many] = [asked(50), asked(200)];
    assert.ok(many <= 4 * few + 100, `${few} at 50, ${many} at 200`);
  });

  it('runs no rule beside those that check has run', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const tree = Tree.parse('Listen 80\nMaxClients 5\nRewriteLog a\nRewriteLogLevel 3\n<Directory /a>\nAuthUserFile /a\n</Directory>\n'.repeat(50));
    const analysis = engine.analyze(tree, { isHtaccess: false });
    const findings = analysis.findings();
    const before = work.checks;
    const place = { file: 'a.conf', line: 0 };
    upgradePlan([{ root: 'a.conf', files: 1, findings: findings.map((finding) => planFinding(finding, place)), answered: engine.answered, placeOf: () => null }]);
    causesIn(tree, findings, engine.factsIn(tree.root), engine);
    assert.equal(work.checks, before);
  });
});
