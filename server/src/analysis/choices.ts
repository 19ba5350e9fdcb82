/**
 * Fixes that are answers to a question (`Fix.choice`): what an answer makes of them. Pure; the same object comes out for the same fix, because
 * findings share fixes and whoever takes them takes each once.
 */
import type { Fix } from '../rules/rule';
import { answerProblem, questionId, type Answered } from './answers';

/** What a person has said of a finding's fixes. */
export type Chosen =
  /** None of them is an answer. */
  | { readonly kind: 'free' }
  /** Nobody has answered. */
  | { readonly kind: 'open'; readonly question: string }
  /** The answer takes this one, which may have nothing to change. */
  | { readonly kind: 'taken'; readonly question: string; readonly fix: Fix }
  /** The answer takes none. */
  | { readonly kind: 'kept'; readonly question: string };

export function chosenOf(fixes: readonly Fix[], answered: Answered): Chosen {
  const question = fixes.map(({ choice }) => choice && questionId(choice.doubt, answered)).find((id) => id != null);
  if (question == null) return { kind: 'free' };
  const answer = answered.answers.get(question);
  if (answer === undefined || answerProblem(question, answer) !== null) return { kind: 'open', question };
  const fix = fixes.find(({ choice }) => choice?.values.includes(answer));
  return fix ? { kind: 'taken', question, fix } : { kind: 'kept', question };
}

/** Whether the answer to a question leaves a finding nothing to change. */
export function isAnsweredAway(fixes: readonly Fix[], answered: Answered): boolean {
  const chosen = chosenOf(fixes, answered);
  return chosen.kind === 'taken' && chosen.fix.edits.length === 0 && chosen.fix.elsewhere === undefined;
}

/** The fixes as the answers make them: the one that an answer takes is ready, its rivals are gone; unanswered ones wait. */
export class Choices {
  private readonly made = new WeakMap<Fix, Fix>();

  constructor(private readonly answered: Answered) {}

  settled(fixes: readonly Fix[]): readonly Fix[] {
    const chosen = chosenOf(fixes, this.answered);
    if (chosen.kind === 'free') return fixes;
    const others = fixes.filter(({ choice }) => choice === undefined);
    if (chosen.kind === 'kept') return [];
    if (chosen.kind === 'taken') return [...this.of(chosen.fix, ready), ...others];
    return fixes.flatMap((fix) => (fix.choice ? this.of(fix, waiting) : [fix]));
  }

  private of(fix: Fix, make: (fix: Fix) => Fix): Fix[] {
    if (fix.edits.length === 0 && fix.elsewhere === undefined) return [];
    let made = this.made.get(fix);
    if (!made) this.made.set(fix, (made = make(fix)));
    return [made];
  }
}

function ready({ title, edits, elsewhere, choice }: Fix): Fix {
  return { title, safety: 'safe', edits, ...(elsewhere && { elsewhere }), restsOn: [choice!.doubt] };
}

function waiting(fix: Fix): Fix {
  return { ...fix, waitsFor: [fix.choice!.doubt] };
}
