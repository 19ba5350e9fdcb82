/** Counts the user's actions, and how many of them are decisions. */
import assert from 'node:assert/strict';

export type Counted = ReturnType<typeof counted>;

export function counted() {
  const actions: string[] = [];
  const decisions: string[] = [];
  const act = async <Result>(what: string, run: () => Promise<Result>): Promise<Result> => {
    actions.push(what);
    return run();
  };
  return {
    /** What was done before somebody looked. */
    did: (what: string) => void actions.push(what),
    act,
    decide: async (what: string, run: () => Promise<void>): Promise<void> => {
      decisions.push(what);
      await act(what, run);
    },
    isWithin(mostActions: number, mostDecisions: number): void {
      console.log(`      ${actions.length} actions, ${decisions.length} of them decisions: ${actions.join(' · ')}`);
      assert.ok(actions.length <= mostActions, `${actions.length} actions: ${actions.join(', ')}`);
      assert.ok(decisions.length <= mostDecisions, `${decisions.length} decisions: ${decisions.join(', ')}`);
    },
  };
}
