/**
 * Questions about sections that stay as they are: whether the server is started with a name, what a word behind `from` is, whether two sections meet. Each is asked only where an answer lets
 * a section be converted that no plan without it converts, which is found out by planning with the answer. Pure.
 */
import { doubt, mergedDoubts, type Doubt } from '../access/doubt';
import type { AccessPlan, AccessRefusal } from '../access/plan';
import type { Configuration } from '../config/configuration';
import { ALL_MISTAKES, idIn, IS_A_HOST, NEVER_MATCHES, NEVER_MEET, OFF, ON, type Answered, type Said } from './answers';

interface Asking {
  /** By what is known and answered. */
  readonly plan: AccessPlan;
  readonly said: Said;
  /** Nobody is asked twice, whatever came of the answer. */
  readonly answered: Answered;
  /** Of which nobody said whether the server is started with them. */
  readonly flags: readonly Doubt[];
  /** How many files it has. */
  readonly size: number;
  /** The same configuration, if that were the answers. */
  readonly planned: (said: Said) => AccessPlan | null;
  /** Whether what a person has said settles a doubt. */
  readonly isSettled: (doubt: Doubt) => boolean;
}

export interface FurtherQuestions {
  readonly asks: readonly Doubt[];
  /** What the old line at an offset of a file waits for, which stays as it is; each doubt says by which answers it is converted. */
  readonly waitsFor: (file: string, offset: number) => readonly Doubt[];
}

export function furtherQuestions({ plan, said, answered, flags, size, planned, isSettled }: Asking): FurtherQuestions {
  const { refusals } = plan;
  if (refusals.length === 0 || size > MAX_FILES) return NO_QUESTIONS;
  const isOpen = (each: Doubt) => !answered.answers.has(idIn(each, answered));
  const asks = mergedDoubts(refusals.flatMap((each) => each.asks)).filter(isOpen);
  const names = refusals.some(({ mayHangOnCondition }) => mayHangOnCondition) ? flags.filter(isOpen).slice(0, MAX_FLAGS) : [];
  const asked = [...ofSections(asks, said, planned), ...ofFlags(names, said, planned)];
  const converts = (each: Trial, file: string, offset: number) => each.plan.groupAt(file, offset) !== null;
  const helpful = asked.filter(({ trials }) => trials.some((trial) => refusals.some(({ lines }) => lines.some(({ path, offset }) => converts(trial, path, offset)))));
  if (helpful.length === 0) return NO_QUESTIONS;
  const waitsFor = (file: string, offset: number) =>
    helpful.flatMap(({ doubts, trials }) => {
      const right = trials.filter((trial) => converts(trial, file, offset));
      const [first] = right;
      if (!first) return [];
      const values = right.map(({ value }) => value);
      const others = first.plan.doubts.filter((each) => !isSettled(each) && !doubts.some(({ kind, subject }) => kind === each.kind && subject === each.subject));
      return [...doubts.map((each): Doubt => ({ ...each, values })), ...others];
    });
  return { asks: mergedDoubts(helpful.flatMap(({ doubts }) => doubts)), waitsFor };
}

/** What conversions rest on that read a condition as a person says. */
export function flagDoubts({ askedFlags }: Configuration, { flags }: Said): Doubt[] {
  return [...askedFlags].flatMap(([name, place]) => (flags.has(name) ? [flagDoubt(name, place)] : []));
}

/** The names that conditions around access control ask for, and of which nobody knows whether the server is started with them. */
export function openFlags({ askedFlags }: Configuration, { flags }: Said): Doubt[] {
  return [...askedFlags].flatMap(([name, place]) => (flags.has(name) ? [] : [flagDoubt(name, place)]));
}

/** What a person has answered about these matters with an answer that lets nothing be converted: it is still an answer to a question. */
export function unhelpful(refusals: readonly AccessRefusal[], { askedFlags }: Configuration, answered: Answered): Doubt[] {
  if (answered.answers.size === 0) return [];
  const doubts = [...refusals.flatMap(({ asks }) => asks), ...[...askedFlags].map(([name, place]) => flagDoubt(name, place))];
  return mergedDoubts(doubts.filter((each) => answered.answers.has(idIn(each, answered))));
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_QUESTIONS: FurtherQuestions = { asks: [], waitsFor: () => [] };

/** Configurations of more files are not planned again and again for this. */
const MAX_FILES = 300;

/** Names that are tried. */
const MAX_FLAGS = 6;

/** Questions of a kind that are asked at most: a person has others, too. */
const MAX_ASKED = 2;

/** What would be planned with an answer. */
interface Trial {
  readonly value: string;
  readonly plan: AccessPlan;
}

interface Tried {
  readonly doubts: readonly Doubt[];
  readonly trials: readonly Trial[];
}

/** What the sections themselves ask. */
function ofSections(asks: readonly Doubt[], said: Said, planned: Asking['planned']): Tried[] {
  const words = asks.filter(({ kind }) => kind === 'operand-host');
  const tried: Tried[] = [];
  if (words.length > 0) {
    const subjects = new Set(words.map(({ subject }) => subject));
    const plan = planned({ ...said, meaningOf: (word) => (subjects.has(word) ? NEVER_MATCHES : said.meaningOf(word)) });
    // Several mistakes are one question.
    const doubts = words.length > 1 ? words.map((each): Doubt => ({ ...each, asked: ALL_MISTAKES })) : words;
    if (plan) tried.push({ doubts, trials: [NEVER_MATCHES, IS_A_HOST].map((value) => ({ value, plan })) });
  }
  for (const each of asks.filter(({ kind }) => kind === 'overlap').slice(0, MAX_ASKED)) {
    const plan = planned({ ...said, neverMeet: (subject) => subject === each.subject || said.neverMeet(subject) });
    if (plan) tried.push({ doubts: [each], trials: [{ value: NEVER_MEET, plan }] });
  }
  return tried;
}

function ofFlags(flags: readonly Doubt[], said: Said, planned: Asking['planned']): Tried[] {
  const count = ({ converted }: AccessPlan) => converted;
  const withFlag = (name: string, isOn: boolean) => planned({ ...said, flags: new Map([...said.flags, [name, isOn]]) });
  const tried = flags.map((each): Tried => {
    const trials = [[OFF, false] as const, [ON, true] as const].flatMap(([value, isOn]) => {
      const plan = withFlag(each.subject, isOn);
      return plan ? [{ value, plan }] : [];
    });
    return { doubts: [each], trials };
  });
  const best = ({ trials }: Tried) => Math.max(...trials.map(({ plan }) => count(plan)), 0);
  return tried.sort((a, b) => best(b) - best(a)).slice(0, MAX_ASKED);
}

function flagDoubt(name: string, { file, offset }: { readonly file: { readonly path: string }; readonly offset: number }): Doubt {
  return doubt('define', name, [{ path: file.path, offset }]);
}
