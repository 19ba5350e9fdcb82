/**
 * Applies the user's answers to fixes that are alternatives of each other (`Fix.choice`), such as
 * the ways to replace a module. Pure. Returns the same object for the same fix, because findings
 * share fixes, and each must be applied only once.
 */
import type { Fix, FixChoice } from '../rules/rule';
import { answerProblem, questionId, type AnswerSet } from './answers';

/** The state of the choice between a finding's alternative fixes. */
export type ChoiceState =
  /** The finding has no alternative fixes. */
  | { readonly kind: 'free' }
  /** The user has not answered the question. */
  | { readonly kind: 'open'; readonly question: string }
  /** The answer selects this fix, which may have no edits. */
  | { readonly kind: 'taken'; readonly question: string; readonly fix: Fix }
  /** The answer selects none of the fixes. */
  | { readonly kind: 'kept'; readonly question: string };

export function choiceStateOf(fixes: readonly Fix[], answered: AnswerSet): ChoiceState {
  const question = fixes
    .map(({ choice }) => choice && questionId(choice.openQuestion, answered))
    .find((id) => id != null);
  if (question == null) return { kind: 'free' };
  const answer = answered.answers.get(question);
  if (answer === undefined || answerProblem(question, answer) !== null) return { kind: 'open', question };
  const fix = fixes.find(({ choice }) => choice?.values.includes(answer));
  return fix ? { kind: 'taken', question, fix } : { kind: 'kept', question };
}

/** Whether the user's answer means that a finding needs no change. */
export function needsNoChange(fixes: readonly Fix[], answered: AnswerSet): boolean {
  const chosen = choiceStateOf(fixes, answered);
  return chosen.kind === 'taken' && chosen.fix.edits.length === 0 && chosen.fix.elsewhere === undefined;
}

/** Whether the user gave one of the answers of `Finding.settledBy`. */
export function isSettledBy(choice: FixChoice | undefined, answered: AnswerSet): boolean {
  const question = choice && questionId(choice.openQuestion, answered);
  return question != null && choice!.values.includes(answered.answers.get(question) ?? '');
}

/**
 * Applies answers to fixes. The chosen fix becomes safe, and its alternatives are removed. Without
 * an answer, all alternatives wait for it.
 */
export class Choices {
  private readonly fixCache = new WeakMap<Fix, Fix>();

  constructor(private readonly answerSet: AnswerSet) {}

  afterAnswers(fixes: readonly Fix[]): readonly Fix[] {
    const chosen = choiceStateOf(fixes, this.answerSet);
    if (chosen.kind === 'free') return fixes;
    const others = fixes.filter(({ choice }) => choice === undefined);
    if (chosen.kind === 'kept') return [];
    if (chosen.kind === 'taken') return [...this.of(chosen.fix, fixAfterAnswer), ...others];
    return fixes.flatMap((fix) => (fix.choice ? this.of(fix, fixWaitingForAnswer) : [fix]));
  }

  private of(fix: Fix, make: (fix: Fix) => Fix): Fix[] {
    if (fix.edits.length === 0 && fix.elsewhere === undefined) return [];
    let made = this.fixCache.get(fix);
    if (!made) this.fixCache.set(fix, (made = make(fix)));
    return [made];
  }
}

function fixAfterAnswer({ title, edits, elsewhere, choice }: Fix): Fix {
  return { title, safety: 'safe', edits, ...(elsewhere && { elsewhere }), restsOn: [choice!.openQuestion] };
}

function fixWaitingForAnswer(fix: Fix): Fix {
  return { ...fix, waitsFor: [fix.choice!.openQuestion] };
}
