/**
 * The cost of the plan is the sum of the costs of its findings and its open questions, not their
 * product.
 */
import assert from 'node:assert/strict';
import { openQuestion, type OpenQuestion } from '../../server/src/access/open-question';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { NO_ANSWERS } from '../../server/src/analysis/answers';
import { Engine, PlacedFinding, checkCounts } from '../../server/src/analysis/engine';
import { causesIn } from '../../server/src/analysis/on-server';
import { planFinding, upgradePlan, type PlanFinding } from '../../server/src/analysis/upgrade-plan';
import { ALL_RULES } from '../../server/src/rules/all';
import { orderAllowDeny } from '../../server/src/rules/order-allow-deny';
import { Tree } from '../../server/src/syntax/document';
import { configView } from '../../server/src/config/config-view';
import { readingCounts } from '../../server/src/config/configuration';
import { readModel } from '../../server/src/config/read-model';
import { memoryFiles } from '../../server/src/config/memory-files';
import { runToEnd } from '../../server/src/config/resumable';
import { Project } from '../../server/src/features/project';
import { workspacePlan } from '../../server/src/features/workspace-plan';

describe('what a plan costs', () => {
  it('asks about the open questions of a change once, however many findings it is for', () => {
    const asked = (size: number): number => {
      let count = 0;
      const counted = (each: OpenQuestion): OpenQuestion => ({
        ...each,
        get kind() {
          count++;
          return each.kind;
        },
      });
      const waitsFor = Array.from({ length: size }, (_, i) =>
        counted(openQuestion('include-unseen', `/srv/${i}.conf`)),
      );
      const fix = { title: 'Convert', isSafe: false, waitsFor, restsOn: [] };
      const findings = Array.from(
        { length: size },
        (_, line): PlanFinding => ({
          rule: 'order-allow-deny',
          messageId: 'access',
          message: 'Order',
          isBlocking: false,
          fix,
          file: 'a.conf',
          line,
        }),
      );
      upgradePlan([
        { root: 'a.conf', files: 1, findings, answerSet: { answers: NO_ANSWERS, folder: '/' }, placeOf: () => null },
      ]);
      return count;
    };
    const [few, many] = [asked(50), asked(200)];
    assert.ok(many <= 4 * few + 100, `${few} at 50, ${many} at 200`);
  });

  it('makes no fix that a conversion replaces', () => {
    let made = 0;
    const finding = {
      messageId: 'access',
      what: 'made up',
      start: 0,
      end: 5,
      fixesLater: () => {
        made++;
        return [];
      },
    };
    const placed = new PlacedFinding(orderAllowDeny, finding, 'error', 0);
    const converted = placed.withFix('safe', () => ({ title: 'Convert', safety: 'safe', edits: [] }));
    assert.equal(planFinding(converted, { file: 'a.conf', line: 0 }).fix?.title, 'Convert');
    assert.equal(made, 0);
  });

  it('reads the files once for both versions, unless a condition has another result in each', () => {
    const readings = (condition: string): number => {
      const mainFile = '/etc/httpd/conf/httpd.conf';
      const view = memoryFiles({
        [mainFile]:
          'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule access_compat_module modules/mod_access_compat.so\n' +
          '<Directory />\nRequire all denied\n</Directory>\n' +
          `<Directory /srv/a>\nOrder allow,deny\nAllow from all\n</Directory>\n${condition}`,
      });
      const before = readingCounts.readings;
      const { configurations } = accessConversion({
        roots: [{ mainFile, engine: new Engine({ rules: ALL_RULES }), server: {} }],
        view,
      });
      assert.ok(configurations[0]!.furtherQuestions.some(({ kind }) => kind === 'running-version'));
      return readingCounts.readings - before;
    };
    assert.equal(readings(''), 1);
    assert.equal(readings('<IfModule mod_php5.c>\nAlias /a /b\n</IfModule>\n'), 1);
    assert.equal(readings('<IfModule mod_authz_core.c>\nAlias /a /b\n</IfModule>\n'), 2);
    assert.equal(readings('<IfVersion < 2.4>\nAlias /a /b\n</IfVersion>\n'), 2);
  });

  it('runs no rule beside those that check has run', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const tree = Tree.parse(
      'Listen 80\nMaxClients 5\nRewriteLog a\nRewriteLogLevel 3\n<Directory /a>\nAuthUserFile /a\n</Directory>\n'.repeat(
        50,
      ),
    );
    const analysis = engine.analyze(tree, { isHtaccess: false });
    const findings = analysis.findings();
    const before = checkCounts.checks;
    const place = { file: 'a.conf', line: 0 };
    upgradePlan([
      {
        root: 'a.conf',
        files: 1,
        findings: findings.map((finding) => planFinding(finding, place)),
        answerSet: engine.answerSet,
        placeOf: () => null,
      },
    ]);
    causesIn(tree, findings, engine.factsIn(tree.root), engine);
    assert.equal(checkCounts.checks, before);
  });

  it('after a keystroke in an old configuration, rules run on the line and what is around it, whatever its size', () => {
    const MAIN = '/etc/httpd/conf/httpd.conf';
    const checksOf = (size: number): number => {
      const sections = Array.from(
        { length: size },
        (_, i) => `<Directory /srv/www/a${i}>\nOrder allow,deny\nAllow from 192.0.2.${i % 250}\n</Directory>\n`,
      );
      const text = `ServerRoot /etc/httpd\nListen 80\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule access_compat_module modules/mod_access_compat.so\nLoadModule alias_module modules/mod_alias.so\n<Directory />\nAllowOverride None\nOrder allow,deny\nDeny from all\n</Directory>\n${sections.join('')}Timeout 30\n`;
      const engine = new Engine({ rules: ALL_RULES });
      const projects = { engineOf: () => engine, serverOf: () => ({}) };
      const planOf = (tree: Tree) => {
        const files = memoryFiles({ [MAIN]: text });
        const view = { ...files, read: (path: string) => (path === MAIN ? tree : files.read(path)) };
        const models = [readModel({ mainFile: MAIN, view: configView(view), target: engine.target })!];
        const access = accessConversion({ roots: [{ mainFile: MAIN, engine, server: {}, isNamed: true }], view });
        const info = { isHtaccess: false, isOfConfiguration: access.isPartOfConfiguration(MAIN), hasNeighbours: false };
        return runToEnd(
          workspacePlan({
            project: new Project({
              view,
              settings: projects,
              configurationModels: models,
              accessConversion: access,
              whyUnchanged: () => null,
            }),
            files: [{ path: MAIN, tree, info, engine }],
            answerSetOf: () => engine.answerSet,
            displayName: (path) => path,
          }),
        );
      };
      const tree = Tree.parse(text);
      assert.ok(planOf(tree).readyFixes.length > size);
      const before = checkCounts.checks;
      const middle = text.indexOf(`192.0.2.${(size >> 1) % 250}\n`, text.indexOf(`/a${size >> 1}>`));
      assert.ok(planOf(tree.edit(middle, middle + 3, '198')).readyFixes.length > size);
      return checkCounts.checks - before;
    };
    const [few, many] = [checksOf(50), checksOf(800)];
    assert.ok(few > 0 && few < 50, `${few}`);
    assert.ok(many <= few, `${few} checks with 50 sections, ${many} with 800`);
  });

  describe('what is planned again to find a question', () => {
    const MAIN = '/etc/httpd/conf/httpd.conf';
    const readings = (text: string): number => {
      const view = memoryFiles({
        [MAIN]: `ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n${text}`,
      });
      let count = 0;
      const counted = { ...view, read: (path: string) => ((count += Number(path === MAIN)), view.read(path)) };
      accessConversion({
        roots: [{ mainFile: MAIN, engine: new Engine({ rules: ALL_RULES }), server: {}, isNamed: true }],
        view: counted,
      });
      return count;
    };
    const named = (count: number) =>
      Array.from(
        { length: count },
        (_, i) =>
          `<IfDefine N${i}>\n<Directory /srv/www/app>\nAuthType Basic\nRequire user u${i}\n</Directory>\n</IfDefine>\n`,
      ).join('');
    const open = '<Directory /srv/www/app/open>\nOrder allow,deny\nAllow from all\n</Directory>\n';
    const apart = '<Directory /srv/other>\nOrder allow,deny\nAllow from all\n</Directory>\n';

    it('is nothing where nothing stays', () => {
      assert.equal(readings(named(3) + apart), readings(apart));
    });

    it('does not grow with the names', () => {
      const [few, many] = [readings(named(6) + open), readings(named(40) + open)];
      assert.ok(few > readings(apart), `${few}`);
      assert.ok(many <= few, `${few} with 6 names, ${many} with 40`);
    });
  });
});
