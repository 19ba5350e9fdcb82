/**
 * Applies the user's answers to fixes that are alternatives (`Fix.choice`), such as the ways to
 * replace a module. Findings can share a fix object, and each fix must be applied only once. So the
 * same fix always gives the same result object.
 */
import type { Fix, FixChoice } from '../rules/rule';
import { answerProblem, questionId, type AnswerSet } from './answers';

/** What the user has chosen among the alternative fixes of a finding. */
export type ChoiceState =
  /** The finding has no alternative fixes. */
  | { readonly kind: 'no-alternatives' }
  /** The user has not answered the question, or the answer is not valid. */
  | { readonly kind: 'open'; readonly question: string }
  /** The answer selects this fix. The fix has no edits if nothing needs to change. */
  | { readonly kind: 'selected'; readonly question: string; readonly fix: Fix }
  /** The answer selects none of the fixes, so the lines stay. */
  | { readonly kind: 'none-selected'; readonly question: string };

/** The state of the choice between these fixes, after the user's answers. */
export function choiceStateOf(fixes: readonly Fix[], answerSet: AnswerSet): ChoiceState {
  const question = fixes
    .map(({ choice }) => choice && questionId(choice.openQuestion, answerSet))
    .find((id) => id != null);
  if (question == null) return { kind: 'no-alternatives' };
  const givenAnswer = answerSet.answers.get(question);
  if (givenAnswer === undefined || answerProblem(question, givenAnswer) !== null) return { kind: 'open', question };
  const fix = fixes.find(({ choice }) => choice?.values.includes(givenAnswer));
  return fix ? { kind: 'selected', question, fix } : { kind: 'none-selected', question };
}

/** Whether the user's answer means that a finding needs no change. */
export function needsNoChange(fixes: readonly Fix[], answerSet: AnswerSet): boolean {
  const choiceState = choiceStateOf(fixes, answerSet);
  return (
    choiceState.kind === 'selected' && choiceState.fix.edits.length === 0 && choiceState.fix.elsewhere === undefined
  );
}

/** Whether the user gave one of the answers in `choice`. False if `choice` is undefined. */
export function isChoiceAnswered(choice: FixChoice | undefined, answerSet: AnswerSet): boolean {
  const question = choice && questionId(choice.openQuestion, answerSet);
  return question != null && choice!.values.includes(answerSet.answers.get(question) ?? '');
}

/**
 * Applies answers to fixes. The selected fix becomes safe, and its alternatives are removed.
 * Without an answer, all alternatives wait for it.
 */
export class Choices {
  private readonly fixCache = new WeakMap<Fix, Fix>();

  constructor(private readonly answerSet: AnswerSet) {}

  /** The fixes of a finding that remain after the user's answers. */
  fixesAfterAnswers(fixes: readonly Fix[]): readonly Fix[] {
    const choiceState = choiceStateOf(fixes, this.answerSet);
    if (choiceState.kind === 'no-alternatives') return fixes;
    const fixesWithoutChoice = fixes.filter(({ choice }) => choice === undefined);
    if (choiceState.kind === 'none-selected') return [];
    if (choiceState.kind === 'selected')
      return [...this.cachedResult(choiceState.fix, fixAfterAnswer), ...fixesWithoutChoice];
    return fixes.flatMap((fix) => (fix.choice ? this.cachedResult(fix, fixWaitingForAnswer) : [fix]));
  }

  private cachedResult(fix: Fix, change: (fix: Fix) => Fix): Fix[] {
    if (fix.edits.length === 0 && fix.elsewhere === undefined) return [];
    let changedFix = this.fixCache.get(fix);
    if (!changedFix) this.fixCache.set(fix, (changedFix = change(fix)));
    return [changedFix];
  }
}

function fixAfterAnswer({ title, edits, elsewhere, choice }: Fix): Fix {
  return { title, safety: 'safe', edits, ...(elsewhere && { elsewhere }), restsOn: [choice!.openQuestion] };
}

function fixWaitingForAnswer(fix: Fix): Fix {
  return { ...fix, waitsFor: [fix.choice!.openQuestion] };
}
