/** The store of the latest plan, in a process without the editor: it replaces the editor's API. */
import assert from 'node:assert/strict';
import Module from 'node:module';
import type { PlanStore } from '../../client/src/plan';
import type { PlanReply } from '../../client/src/plan-items';

/** The event emitter of the editor's API, as far as the store uses it. */
class FakeEmitter<Value> {
  private readonly listeners = new Set<(value: Value) => void>();
  readonly event = (listener: (value: Value) => void) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value: Value) {
    for (const listener of this.listeners) listener(value);
  }
  dispose() {
    this.listeners.clear();
  }
}

const FAKE_MODULES: Readonly<Record<string, unknown>> = {
  vscode: {
    EventEmitter: FakeEmitter,
    commands: { executeCommand: async () => undefined },
    workspace: { isTrusted: true },
  },
  'vscode-languageclient': {},
};

/** A plan with open questions of these ids. */
function planWith(...questionIds: string[]): PlanReply {
  const questions = questionIds.map((id) => ({ id, answer: null }));
  return {
    plan: { configurations: [{ questions, ready: [], waiting: [], byHand: [], onServer: [] }] },
    configurations: [{ uri: MAIN_FILE, answersIn: 'file:///w/.httpd-upgrade.json', answers: [] }],
    uris: {},
  } as unknown as PlanReply;
}

const MAIN_FILE = 'file:///w/httpd.conf';

/** The store for a server whose next plan is `reply.current`. */
function planStoreOf(reply: { current: PlanReply }): PlanStore {
  const loader = Module as unknown as { _load(id: string, ...rest: unknown[]): unknown };
  const load = loader._load;
  loader._load = (id, ...rest) => FAKE_MODULES[id] ?? load.call(Module, id, ...rest);
  try {
    const { createPlanStore } = require('../../client/src/plan') as typeof import('../../client/src/plan');
    const server = { onDidChangePlan: () => ({ dispose() {} }), request: async () => reply.current };
    const memento = { get: (_key: string, initial: unknown) => initial, update: async () => undefined };
    return createPlanStore(
      server as unknown as Parameters<typeof createPlanStore>[0],
      memento as unknown as Parameters<typeof createPlanStore>[1],
    );
  } finally {
    loader._load = load;
  }
}

describe('the store of the latest plan', () => {
  it('remembers for the view the order in which questions were first shown', async () => {
    const reply = { current: planWith('mpm', 'modules') };
    const planStore = planStoreOf(reply);
    await planStore.requestPlan();
    reply.current = planWith('modules', 'defaults');
    await planStore.requestPlan();
    assert.deepEqual(
      planStore.memory.shownOrder,
      ['mpm', 'modules', 'defaults'].map((id) => `${MAIN_FILE}\n${id}`),
    );
  });

  it('remembers for the view the last result of httpd -t, until files are written', () => {
    const planStore = planStoreOf({ current: planWith() });
    const check = { errorCount: 2, openTaskErrorCount: 1, uncheckedCount: 0 };
    planStore.recordCheck(MAIN_FILE, check);
    assert.deepEqual(planStore.memory.checkByMainFile?.get(MAIN_FILE), check);
    planStore.onFilesWritten();
    assert.equal(planStore.memory.checkByMainFile?.get(MAIN_FILE), undefined);
  });
});
