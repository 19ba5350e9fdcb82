/**
 * The plan of a workspace: the combined changes of its ready fixes, and that the cost of gathering
 * them is linear.
 */
import assert from 'node:assert/strict';
import {
  accessConversion,
  type AccessChange,
  type AccessConversion,
} from '../../server/src/analysis/access-conversion';
import { Engine } from '../../server/src/analysis/engine';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { memoryFiles } from '../../server/src/config/memory-files';
import { runToEnd } from '../../server/src/config/resumable';
import { Project } from '../../server/src/features/project';
import { workspacePlan, type WorkspacePlan } from '../../server/src/features/workspace-plan';
import { ALL_RULES } from '../../server/src/rules/all';

const MAIN = '/etc/httpd/conf/httpd.conf';

function planned(
  files: Readonly<Record<string, string>>,
  seen: (access: AccessConversion) => AccessConversion = (access) => access,
): WorkspacePlan {
  const engine = new Engine({ rules: ALL_RULES });
  const view = memoryFiles(files);
  const model = readModel({ mainFile: MAIN, view: configView(view), target: engine.target })!;
  const projects = { engineOf: () => engine, serverOf: () => ({}) };
  const access = seen(accessConversion({ roots: [{ mainFile: MAIN, engine, server: {}, isNamed: true }], view }));
  return runToEnd(
    workspacePlan({
      project: new Project({
        view,
        settings: projects,
        configurationModels: [model],
        accessConversion: access,
        whyUnchanged: () => null,
      }),
      files: Object.keys(files).map((path) => ({ path, tree: view.read(path)!, info: { isHtaccess: false }, engine })),
      answerSetOf: () => engine.answerSet,
      displayName: (path) => path,
    }),
  );
}

/** Sections in as many files, all of which are one change: each inherits from the first. */
function old(size: number): Record<string, string> {
  const files: Record<string, string> = {
    [MAIN]:
      'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv/www\n<Directory />\nAllowOverride None\nOrder allow,deny\nAllow from 192.0.2.0/24\n</Directory>\nInclude conf.d/*.conf\n',
  };
  for (let i = 0; i < size; i++)
    files[`/etc/httpd/conf.d/${String(i).padStart(4, '0')}.conf`] =
      `<Directory /srv/www/a${i}>\nOrder allow,deny\nAllow from 192.0.2.${i % 250}\n</Directory>\n<Directory /srv/www/b${i}>\nSatisfy All\nOrder allow,deny\nAllow from all\n</Directory>\n`;
  return files;
}

describe('the plan of a workspace', () => {
  it('the sections of one change have one map of its edits, however many they are', () => {
    const entries = (size: number): number => {
      const { readyFixes } = planned(old(size));
      const access = readyFixes.filter(({ rule }) => rule === 'order-allow-deny');
      assert.equal(access.length, 2 * size + 1);
      const maps = new Set(access.map(({ edits }) => edits));
      return [...maps].reduce((sum, { size: own }) => sum + own, 0);
    };
    const [few, many] = [entries(10), entries(40)];
    assert.ok(many <= 4 * few + 4, `${few} entries for 10 files, ${many} for 40`);
  });

  it('the edits of one change are looked at once, however many sections of a file it has', () => {
    const looks = (size: number): number => {
      let count = 0;
      const known = new Map<AccessChange, AccessChange>();
      const counted = (change: AccessChange): AccessChange => {
        const before = known.get(change);
        if (before) return before;
        const edits = new Map(
          [...change.edits].map(([path, own]) => [
            path,
            new Proxy(own, {
              get(target, key, receiver) {
                if (typeof key === 'string' && /^\d+$/.test(key)) count++;
                return Reflect.get(target, key, receiver) as unknown;
              },
            }),
          ]),
        );
        const after = Object.create(change, { edits: { value: edits } }) as AccessChange;
        known.set(change, after);
        return after;
      };
      const text = Object.values(old(size)).join('').replace('Include conf.d/*.conf\n', '');
      const { readyFixes } = planned({ [MAIN]: text }, (access) => ({
        ...access,
        resultAt: (path, offset) => {
          const answer = access.resultAt(path, offset);
          return answer && 'change' in answer ? { ...answer, change: counted(answer.change) } : answer;
        },
      }));
      assert.ok(readyFixes.filter(({ rule }) => rule === 'order-allow-deny').length > size);
      return count;
    };
    const [few, many] = [looks(10), looks(40)];
    assert.ok(many <= 4 * few + 100, `${few} for 10, ${many} for 40`);
  });

  it('a choice of some of them is the whole change; a choice of all is what fix makes of the files', () => {
    const files = old(5);
    const plan = planned(files);
    const some = plan.changesOf({
      isChosen: ({ rule, path }) => rule === 'order-allow-deny' && path.endsWith('0003.conf'),
    });
    assert.equal(some.fixes, 2);
    assert.deepEqual(some.changes.map(({ path }) => path).sort(), Object.keys(files).sort());
    for (const { path, before, after, edits } of some.changes) {
      assert.equal(before, files[path]);
      assert.ok(edits.length > 0);
      assert.doesNotMatch(after, /^(Order|Allow from|Satisfy)/m, path);
    }
    const each = plan.changesOf({ isChosen: ({ rule }) => rule === 'order-allow-deny' });
    assert.equal(each.fixes, 11);
    assert.deepEqual(
      each.changes.map(({ path, after }) => [path, after]).sort(),
      some.changes.map(({ path, after }) => [path, after]).sort(),
    );
    const all = plan.changesOf({});
    assert.deepEqual(all.changes.map(({ path }) => path).sort(), Object.keys(files).sort());
  });
});
