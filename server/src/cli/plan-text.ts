/** The upgrade plan for people in a terminal. */
import { shellWord } from '../analysis/shell-word';
import type { OnServerItem, PlanPlace, PlanQuestion, UpgradePlan } from '../analysis/upgrade-plan';
import { nextSteps } from '../features/upgrade-report';
import { amount, printable, type Terminal } from './terminal';

export interface PlanTextOptions {
  readonly terminal: Terminal;
  /** Options and paths to repeat for the next command. */
  readonly again: string;
}

/** So many places of a group are named. */
const FEW = 3;

export function planText({ configurations, summary }: UpgradePlan, { terminal, again }: PlanTextOptions): string {
  const bold = (line: string) => terminal.style('bold', printable(line));
  const rows: string[] = [];
  for (const plan of configurations) {
    rows.push(bold(`${plan.root} (${amount(plan.files, 'file')})`), '');
    plan.questions.forEach((question, index) => rows.push(...questionRows(question, index, terminal), ''));
    rows.push(...groupRows(bold(`Ready: ${amount(plan.ready.length, 'fix')}`), plan.ready.map((item) => ({ ...item, what: item.title }))));
    rows.push(...groupRows(bold(`Waiting for an answer: ${amount(plan.waiting.length, 'fix')}`), plan.waiting.map((item) => ({ ...item, what: item.title }))));
    rows.push(...groupRows(bold(`By hand: ${plan.byHand.length}`), plan.byHand));
    rows.push(...groupRows(bold(`Commented out in converted sections: ${plan.commentedOut.length}`), plan.commentedOut.map((each) => ({ ...each, rule: 'order-allow-deny', what: each.text }))));
    rows.push(...serverRows(bold(`On the server: ${plan.onServer.length}`), plan.onServer));
  }
  return `${[...rows, ...nextSteps(summary, again)].join('\n')}\n`;
}

function questionRows({ id, question, why, findOut, answers, answer }: PlanQuestion, index: number, terminal: Terminal): string[] {
  const lead = '   ';
  return [
    `${index + 1}. ${terminal.style('bold', printable(question))}`,
    `${lead}${printable(why)}`,
    `${lead}Find out: ${printable(findOut)}`,
    ...answers.map(({ value, label, ready }) => `${lead}${answer === value || (value.endsWith('=') && answer?.startsWith(value)) ? '*' : ' '} ${value.endsWith('=') ? `${value}PATH` : value}: ${printable(label)}${ready > 0 ? ` (${amount(ready, 'fix')})` : ''}`),
    `${lead}${answer === null ? `Answer: --answer ${shellWord(`${id}=${answers[0].value}`)}` : `Answered: ${printable(answer)}`}`,
  ];
}

interface Row {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** By rule and text, the most first. */
function groupRows(title: string, items: readonly Row[]): string[] {
  if (items.length === 0) return [];
  const groups = new Map<string, Row[]>();
  for (const item of items) groups.set(`${item.rule}\n${item.what}`, [...(groups.get(`${item.rule}\n${item.what}`) ?? []), item]);
  const rows = [...groups.values()].sort((a, b) => b.length - a.length).flatMap((group) => [
    `  ${printable(group[0].what)} [${group[0].rule}]`,
    `    ${placesOf(group)}`,
  ]);
  return [title, ...rows, ''];
}

function serverRows(title: string, items: readonly OnServerItem[]): string[] {
  if (items.length === 0) return [];
  const rows = items.flatMap(({ id, what, because }) => [`  ${printable(what)} [${id}]`, `    ${placesOf(because)}`]);
  return [title, ...rows, ''];
}

function placesOf(places: readonly PlanPlace[]): string {
  return `${places.slice(0, FEW).map(({ file, line }) => `${printable(file)}:${line + 1}`).join(', ')}${places.length > FEW ? ` and ${places.length - FEW} more` : ''}`;
}

