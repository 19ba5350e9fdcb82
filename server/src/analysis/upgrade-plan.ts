/**
 * The upgrade plan: what is ready, what waits for an answer, what a person does by hand, and the questions, each asked once for all that
 * waits for it. Pure: findings and doubts go in, plain data comes out; the command line, the editor and the report render it.
 */
import type { Doubt } from '../access/doubt';
import { doubtText } from '../access/doubt';
import { answerProblem, KEEP, namesBelow, questionId, questionText, settles, type Answered } from './answers';

export interface PlanPlace {
  readonly file: string;
  /** 0-based. */
  readonly line: number;
}

export interface PlanQuestion {
  /** Stable: `htaccess-unseen:/var/www`. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly question: string;
  readonly why: string;
  readonly findOut: string;
  /** The usual one first. `ready`: how many fixes it makes ready, all other questions answered as usual. */
  readonly answers: readonly { readonly value: string; readonly label: string; readonly ready: number }[];
  readonly answer: string | null;
  readonly places: readonly PlanPlace[];
}

interface PlanItem extends PlanPlace {
  readonly rule: string;
}

export interface ReadyItem extends PlanItem {
  readonly title: string;
  /** Ids of questions whose answers it rests on. */
  readonly restsOn: readonly string[];
}

export interface WaitingItem extends PlanItem {
  readonly title: string;
  /** Ids of questions. */
  readonly waitsFor: readonly string[];
}

export interface ByHandItem extends PlanItem {
  readonly what: string;
}

export interface OnServerItem {
  readonly id: string;
  readonly what: string;
  readonly because: readonly PlanPlace[];
}

export interface ConfigurationPlan {
  readonly root: string;
  readonly files: number;
  readonly questions: readonly PlanQuestion[];
  readonly ready: readonly ReadyItem[];
  readonly waiting: readonly WaitingItem[];
  readonly byHand: readonly ByHandItem[];
  readonly onServer: readonly OnServerItem[];
}

export interface UpgradePlan {
  readonly version: 1;
  readonly configurations: readonly ConfigurationPlan[];
  readonly summary: {
    /** Findings that keep 2.4 from starting, or make it answer 500. */
    readonly blocking: number;
    readonly ready: number;
    readonly waiting: number;
    readonly byHand: number;
    readonly questions: number;
    readonly answered: number;
  };
}

/** A finding as the plan sees it. */
export interface PlanFinding extends PlanPlace {
  readonly rule: string;
  readonly message: string;
  readonly isBlocking: boolean;
  /** The first fix that is offered; null for none. */
  readonly fix: PlanFix | null;
}

export interface PlanFix {
  readonly title: string;
  readonly isSafe: boolean;
  readonly waitsFor: readonly Doubt[];
  readonly restsOn: readonly Doubt[];
}

/** What one configuration comes to; lone files come as one under the directory that was given. */
export interface PlannedConfiguration {
  readonly root: string;
  readonly files: number;
  readonly findings: readonly PlanFinding[];
  readonly answered: Answered;
  /** A doubt's place as the plan names it. */
  readonly placeOf: (place: Doubt['places'][number]) => PlanPlace | null;
}

export function upgradePlan(configurations: readonly PlannedConfiguration[]): UpgradePlan {
  const plans = configurations.map(planOf);
  const sum = (of: (plan: ConfigurationPlan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  return {
    version: 1,
    configurations: plans,
    summary: {
      blocking: configurations.reduce((total, { findings }) => total + findings.filter(({ isBlocking }) => isBlocking).length, 0),
      ready: sum(({ ready }) => ready.length),
      waiting: sum(({ waiting }) => waiting.length),
      byHand: sum(({ byHand }) => byHand.length),
      questions: sum(({ questions }) => questions.length),
      answered: sum(({ questions }) => questions.filter(({ answer }) => answer !== null).length),
    },
  };
}

/** Answers that no configuration asks for, each as a sentence: they harm nothing. */
export function unaskedAnswers({ configurations }: UpgradePlan, { answers }: Answered): string[] {
  const asked = new Set(configurations.flatMap(({ questions }) => questions.map(({ id }) => id)));
  return [...answers.keys()].filter((id) => !asked.has(id)).map((id) => `The answer to "${id}" is not needed: nothing asks for it now.`);
}

// ---------------------------------------------------------------------------------------------------------------------

function planOf({ root, files, findings, answered, placeOf }: PlannedConfiguration): ConfigurationPlan {
  const idOf = (doubt: Doubt) => questionId(doubt, namesBelow(answered.folder));
  const idsOf = (doubts: readonly Doubt[]): string[] => [...new Set(doubts.flatMap((doubt) => idOf(doubt) ?? []))];
  const ready: ReadyItem[] = [];
  const waiting: WaitingItem[] = [];
  const byHand: ByHandItem[] = [];
  const asked = new Map<string, Doubt[]>();
  for (const { rule, file, line, message, fix } of findings) {
    const at = { rule, file, line };
    for (const doubt of [...(fix?.waitsFor ?? []), ...(fix?.restsOn ?? [])]) {
      const id = idOf(doubt);
      if (id !== null) asked.set(id, [...(asked.get(id) ?? []), doubt]);
    }
    if (fix === null || (!fix.isSafe && fix.waitsFor.length === 0)) byHand.push({ ...at, what: fix === null ? message : `${fix.title}: decide, or change it by hand` });
    else if (fix.isSafe) ready.push({ ...at, title: fix.title, restsOn: idsOf(fix.restsOn) });
    else {
      // What no answer settles is settled by hand, whatever else it waits for.
      const hard = fix.waitsFor.filter((doubt) => idOf(doubt) === null);
      if (hard.length > 0) byHand.push({ ...at, what: [...new Set(hard.map(doubtText))].join('; ') });
      else waiting.push({ ...at, title: fix.title, waitsFor: idsOf(fix.waitsFor) });
    }
  }
  const questions = [...asked].map(([id, doubts]) => questionOf(id, doubts, answered, { ready, waiting, placeOf }));
  return { root, files, questions, ready, waiting, byHand, onServer: [] };
}

function questionOf(id: string, doubts: readonly Doubt[], { answers }: Answered, { ready, waiting, placeOf }: { ready: readonly ReadyItem[]; waiting: readonly WaitingItem[]; placeOf: PlannedConfiguration['placeOf'] }): PlanQuestion {
  const text = questionText(id)!;
  const given = answers.get(id);
  const answer = given !== undefined && answerProblem(id, given) === null ? given : null;
  const settled = ready.filter(({ restsOn }) => restsOn.includes(id)).length + waiting.filter(({ waitsFor }) => waitsFor.includes(id)).length;
  const places = new Map<string, PlanPlace>();
  for (const { places: own } of doubts) {
    for (const place of own) {
      const shown = placeOf(place);
      if (shown) places.set(`${shown.line} ${shown.file}`, shown);
    }
  }
  const at = id.indexOf(':');
  return {
    id,
    kind: id.slice(0, at),
    subject: id.slice(at + 1),
    question: text.question,
    why: text.why,
    findOut: text.findOut,
    answers: text.choices.map(({ value, label }) => ({ value, label, ready: value === KEEP || !(settles(id, value) || value.endsWith('=')) ? 0 : settled })),
    answer,
    places: [...places.values()],
  };
}
