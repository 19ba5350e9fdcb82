/**
 * Long work yields: the workspace driven by hand, with a clock that counts work instead of time.
 */
import assert from 'node:assert/strict';
import { FileChangeType } from 'vscode-languageserver';
import { Engine } from '../../server/src/analysis/engine';
import { summaryCounts as fileSummaries } from '../../server/src/config/file-summary';
import { modelCounts as walks } from '../../server/src/config/read-model';
import type { Steps } from '../../server/src/config/resumable';
import { ALL_RULES } from '../../server/src/rules/all';
import { parentOf } from '../../server/src/config/files';
import type { Host } from '../../server/src/host/host';
import { Scheduler, type Clock } from '../../server/src/lsp/scheduler';
import type { Settings } from '../../server/src/lsp/settings';
import { Workspace } from '../../server/src/lsp/workspace';
import { ConfigDocument } from '../../server/src/syntax/document';

/** Steps of the walk in a millisecond: a power of two, so that sums of parts of it are exact. */
const STEPS_PER_MS = 64;

/** Calls back when the test says so. */
class CountedClock implements Clock {
  readonly waiting: (() => void)[] = [];
  /** Beside what the walk does. */
  ms = 0;

  now(): number {
    return this.ms + (walks.steps + fileSummaries.lists) / STEPS_PER_MS;
  }

  afterEvents(callback: () => void): void {
    this.waiting.push(callback);
  }

  afterMillisecond(callback: () => void): void {
    this.afterEvents(() => {
      this.ms++;
      callback();
    });
  }

  /** One turn: gives the steps that were made in it. */
  async turn(): Promise<number> {
    const before = walks.steps;
    this.waiting.shift()?.();
    await settled();
    return walks.steps - before;
  }

  /**
   * Runs until nothing is pending. Returns the steps of the longest turn, and the number of turns.
   */
  async run(): Promise<{ longest: number; turns: number }> {
    let longest = 0;
    let turns = 0;
    for (; this.waiting.length > 0; turns++) longest = Math.max(longest, await this.turn());
    return { longest, turns };
  }
}

/** Lets promises follow one another as far as they can without a turn. */
async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('turns', () => {
  const job = function* (steps: number, clock: CountedClock, log: string[], name: string): Steps<string> {
    for (let i = 0; i < steps; i++) {
      clock.ms++;
      log.push(name);
      yield;
    }
    return name;
  };

  it('go round between jobs', async () => {
    const clock = new CountedClock();
    const turns = new Scheduler(clock);
    const log: string[] = [];
    const both = Promise.all(['a', 'b'].map((name) => turns.run(job(6, clock, log, name), () => false)));
    await clock.run();
    assert.deepEqual(await both, ['a', 'b']);
    assert.match(log.join(''), /^ab(aaabbb|bbbaaa)+/);
  });

  it('end where nobody wants the work any more', async () => {
    const clock = new CountedClock();
    const turns = new Scheduler(clock);
    const log: string[] = [];
    let isCancelled = false;
    const running = turns.run(job(100, clock, log, 'a'), () => isCancelled);
    await clock.turn();
    isCancelled = true;
    await clock.run();
    assert.equal(await running, null);
    assert.ok(log.length < 10, `${log.length} steps`);
  });

  it('wait for a question that is expected, and not for ever', async () => {
    const clock = new CountedClock();
    const turns = new Scheduler(clock);
    const log: string[] = [];
    void turns.run(job(20, clock, log, 'a'), () => false);
    await clock.turn();
    const before = log.length;
    turns.expectRequest();
    await clock.turn();
    assert.equal(log.length, before, 'nothing is done while somebody is about to ask');
    turns.stopExpectingRequest();
    await clock.turn();
    assert.ok(log.length > before);
    const then = log.length;
    for (let i = 0; i < 12; i++) {
      turns.expectRequest();
      await clock.turn();
    }
    assert.ok(log.length > then, 'who types on and on lets slices in between');
  });
});

describe('the slices of a large workspace', () => {
  const ROOT = '/w/conf/httpd.conf';
  const site = (i: number) => `/w/conf/sites/${String(i).padStart(5, '0')}.conf`;
  const rootText = 'ServerRoot /w/conf\nDefine WHO me\nInclude sites/*.conf\n';
  const siteText = (i: number) =>
    `<IfModule mod_ssl.c>\nSSLEngine On\n</IfModule>\nServerAdmin \${WHO}\nDefine S${i} x\n`;

  const begin = async (count: number) => {
    const files = new Map([
      [ROOT, rootText],
      ...Array.from({ length: count }, (_, i): [string, string] => [site(i), siteText(i)]),
    ]);
    const clock = new CountedClock();
    const documents: ConfigDocument[] = [];
    const engine = new Engine({ rules: ALL_RULES });
    const settings = {
      engine,
      values: { maxNumberOfProblems: 1000, 'diagnostics.workspace': true, roots: [] },
      server: {},
      serverRoot: null,
      pathMap: [],
      project: null,
    } as unknown as Settings;
    const reportedPaths: ReadonlySet<string>[] = [];
    const workspace = new Workspace({
      host: memoryHost(files),
      scheduler: new Scheduler(clock),
      canCorrectReplyLater: true,
      folders: () => ['file:///w'],
      isTrusted: () => true,
      documents: () => documents,
      settingsOf: () => Promise.resolve(settings),
      reportIgnoredSetting() {},
      reportError(_what, error) {
        throw error;
      },
    });
    workspace.onContextsChanged((changed) => reportedPaths.push(changed));
    const settle = async () => {
      const done = workspace.untilCurrent();
      await settled();
      const counted = await clock.run();
      await done;
      return counted;
    };
    const open = async (path: string): Promise<ConfigDocument> => {
      const document = ConfigDocument.create(`file://${path}`, 'apacheconf', 1, files.get(path)!);
      documents.push(document);
      workspace.handleDocumentChange();
      await settle();
      return document;
    };
    return { files, clock, workspace, documents, reportedPaths, settle, open };
  };

  /** Replaces the first place where some text stands. */
  const type = (document: ConfigDocument, old: string, text: string): void => {
    const start = document.tree.text().indexOf(old);
    const range = { start: document.positionAt(start), end: document.positionAt(start + old.length) };
    ConfigDocument.update(document, [{ range, text }], document.version + 1);
  };

  it('are as long with many files as with few', async () => {
    const small = await (await begin(300)).settle();
    const large = await (await begin(3000)).settle();
    assert.ok(
      large.longest <= small.longest + 64 && large.longest <= 5 * STEPS_PER_MS,
      `${large.longest} steps in one go, ${small.longest} in the small workspace`,
    );
    assert.ok(large.turns > small.turns * 3, `${large.turns} turns, ${small.turns} in the small workspace`);
  });

  it('let a keystroke be answered with what was said before, and everybody hears of the end', async () => {
    const { workspace, clock, open, reportedPaths } = await begin(3000);
    const root = await open(ROOT);
    const file = await open(site(7));
    const before = await workspace.fileInfoFor(file);
    reportedPaths.length = 0;
    type(root, 'WHO me', 'WHO you');
    const steps = walks.steps;
    assert.equal((await workspace.fileInfoFor(file)).fileContext, before.fileContext);
    assert.equal(walks.steps, steps, 'no step of the walk is made before the answer');
    for (let i = 0; i < 5; i++) await clock.turn();
    assert.ok(walks.steps > steps, 'the walk is under way');
    type(file, 'SSLEngine On', 'SSLEngine Off');
    const meanwhile = walks.steps;
    assert.equal((await workspace.fileInfoFor(file)).fileContext, before.fileContext);
    assert.equal(walks.steps, meanwhile);
    await clock.run();
    assert.equal(reportedPaths.length, 1);
    assert.equal(reportedPaths[0].size, 3000, 'all that mention it');
    assert.notEqual((await workspace.fileInfoFor(file)).fileContext, before.fileContext);
  });

  it('make one walk of a keystroke that others see, and none of one that they do not', async () => {
    const { workspace, open, settle } = await begin(1000);
    const file = await open(site(7));
    const readings = walks.readings;
    type(file, 'SSLEngine On', 'SSLEngine Off');
    await settle();
    await workspace.fileInfoFor(file);
    assert.equal(walks.readings, readings);
    type(file, 'S7 x', 'S7 y');
    await settle();
    assert.equal(walks.readings, readings + 1001);
  });

  it('make one walk of a branch switch, however many parts it is told in', async () => {
    const { workspace, files, clock, reportedPaths } = await begin(3000);
    const first = workspace.untilCurrent();
    await settled();
    await clock.run();
    await first;
    reportedPaths.length = 0;
    const readings = walks.readings;
    for (let part = 0; part < 8; part++) {
      const paths = Array.from({ length: 250 }, (_, i) => site(part * 250 + i));
      for (const path of paths) files.set(path, `${files.get(path)!}Define NEW x\n`);
      workspace.handleFileChanges(paths.map((path) => ({ uri: `file://${path}`, type: FileChangeType.Changed })));
      if (part === 0) void workspace.untilCurrent();
      await clock.turn();
    }
    const { longest } = await clock.run();
    assert.equal(walks.readings - readings, 3001);
    assert.ok(longest <= 5 * STEPS_PER_MS, `${longest} steps in one go`);
    assert.equal(reportedPaths.length, 1);
  });

  it('leave a walk off when files change under it, and make it again', async () => {
    const { workspace, files, clock, open } = await begin(3000);
    const root = await open(ROOT);
    type(root, 'WHO me', 'WHO you');
    const readings = walks.readings;
    const done = workspace.untilCurrent();
    for (let i = 0; i < 10; i++) await clock.turn();
    files.delete(site(2999));
    workspace.handleFileChanges([{ uri: `file://${site(2999)}`, type: FileChangeType.Deleted }]);
    await settled();
    await clock.run();
    await done;
    assert.ok(walks.readings - readings < 2 * 3000, 'not to its end');
    assert.equal(workspace.models[0].files.has(site(2999)), false);
    assert.equal(workspace.models[0].variables.get('who')![0].value, 'you');
  });

  it('stop where they are when the server does', async () => {
    const { workspace, clock } = await begin(3000);
    const done = workspace.untilCurrent();
    for (let i = 0; i < 10; i++) await clock.turn();
    workspace.stop();
    const steps = walks.steps;
    await clock.run();
    await done;
    assert.ok(walks.steps - steps <= 64, `${walks.steps - steps} steps for nobody`);
  });
});

function memoryHost(files: ReadonlyMap<string, string>): Host {
  const pathOf = (uri: string) => uri.slice('file://'.length);
  const isFolder = (path: string) => [...files.keys()].some((file) => file.startsWith(`${path}/`));
  const read = (uri: string) => {
    const text = files.get(pathOf(uri));
    return text === undefined ? { problem: { code: 'missing' as const, message: '' } } : { bytes: Buffer.from(text) };
  };
  return {
    readFile: (uri) => Promise.resolve(read(uri)),
    readNow: read,
    findFiles: (_folders, _isCancelled, onFile) => {
      const uris = [...files.keys()].map((path) => `file://${path}`);
      for (const uri of uris) onFile?.(uri, uri);
      return Promise.resolve(uris);
    },
    status: (uri) =>
      Promise.resolve(
        files.has(pathOf(uri))
          ? { kind: 'file', realUri: uri }
          : isFolder(pathOf(uri))
            ? { kind: 'folder', realUri: uri }
            : null,
      ),
    list: (uri) =>
      Promise.resolve(
        [...files.keys()]
          .filter((path) => parentOf(path) === pathOf(uri))
          .map((path) => ({ name: path.slice(path.lastIndexOf('/') + 1), kind: 'file' as const })),
      ),
    uriOf: (path) => `file://${path}`,
    pathOf,
  };
}
