/** The upgrade plan for people: in a terminal, and as Markdown. */
import { code, escape } from '../features/markdown-text';
import { shellWord } from '../analysis/shell-word';
import type { ConfigurationPlan, OnServerItem, PlanPlace, PlanQuestion, UpgradePlan } from '../analysis/upgrade-plan';
import { amount, printable, type Terminal } from './terminal';

export interface PlanTextOptions {
  readonly format: 'text' | 'markdown';
  readonly terminal: Terminal;
  /** Options and paths to repeat for the next command. */
  readonly again: string;
}

export function planText(plan: UpgradePlan, { format, terminal, again }: PlanTextOptions): string {
  return format === 'markdown' ? markdown(plan, again) : text(plan, terminal, again);
}

// ---------------------------------------------------------------------------------------------------------------------

/** So many places of a group are named. */
const FEW = 3;

function text({ configurations, summary }: UpgradePlan, terminal: Terminal, again: string): string {
  const bold = (line: string) => terminal.style('bold', printable(line));
  const rows: string[] = [];
  for (const plan of configurations) {
    rows.push(bold(`${plan.root} (${amount(plan.files, 'file')})`), '');
    plan.questions.forEach((question, index) => rows.push(...questionRows(question, index, terminal), ''));
    rows.push(...groupRows(bold(`Ready: ${amount(plan.ready.length, 'fix')}`), plan.ready.map((item) => ({ ...item, what: item.title }))));
    rows.push(...groupRows(bold(`Waiting for an answer: ${amount(plan.waiting.length, 'fix')}`), plan.waiting.map((item) => ({ ...item, what: item.title }))));
    rows.push(...groupRows(bold(`By hand: ${plan.byHand.length}`), plan.byHand));
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

function nextSteps({ blocking, ready, waiting, byHand, questions, answered }: UpgradePlan['summary'], again: string): string[] {
  const open = questions - answered;
  const rows = [`${amount(blocking, 'finding')} ${blocking === 1 ? 'keeps' : 'keep'} 2.4 from starting or make it answer 500.`];
  if (open > 0) rows.push(`${amount(open, 'question')} ${open === 1 ? 'is' : 'are'} open: ${amount(waiting, 'fix')} ${waiting === 1 ? 'waits' : 'wait'} for ${open === 1 ? 'it' : 'them'}.`);
  if (ready > 0) rows.push(`${amount(ready, 'fix')} ${ready === 1 ? 'is' : 'are'} ready: httpd-upgrade fix --write ${again}`);
  if (byHand > 0) rows.push(`${amount(byHand, 'change')} ${byHand === 1 ? 'is' : 'are'} left to do by hand.`);
  return rows;
}

function markdown({ configurations, summary }: UpgradePlan, again: string): string {
  const rows = ['# Upgrade from httpd 2.2 to 2.4', '', ...nextSteps(summary, again).map((row) => `- ${escape(row)}`), ''];
  for (const plan of configurations) rows.push(...configurationRows(plan));
  return `${rows.join('\n').trimEnd()}\n`;
}

function configurationRows({ root, files, questions, ready, waiting, byHand, onServer }: ConfigurationPlan): string[] {
  const rows = [`## ${escape(root)} (${amount(files, 'file')})`, ''];
  if (questions.length > 0) rows.push('### Questions', '');
  for (const { id, question, why, findOut, answers, answer } of questions) {
    rows.push(`**${escape(question)}**`, '', escape(why), '', `Find out: ${code(findOut)}`, '');
    for (const { value, label, ready: count } of answers) rows.push(`- [${answer === value ? 'x' : ' '}] ${code(`${id}=${value}`)}: ${escape(label)}${count > 0 ? ` (${amount(count, 'fix')})` : ''}`);
    rows.push('');
  }
  const table = (title: string, head: string, items: readonly Row[]) => {
    if (items.length === 0) return;
    rows.push(`### ${title}`, '', `| Place | Rule | ${head} |`, '|---|---|---|');
    for (const { file, line, rule, what } of items) rows.push(`| ${escape(`${file}:${line + 1}`)} | ${rule} | ${escape(what)} |`);
    rows.push('');
  };
  table('Ready', 'Fix', ready.map((item) => ({ ...item, what: item.restsOn.length > 0 ? `${item.title} (rests on ${item.restsOn.join(', ')})` : item.title })));
  table('Waiting', 'Fix', waiting.map((item) => ({ ...item, what: `${item.title} (waits for ${item.waitsFor.join(', ')})` })));
  table('By hand', 'What to do', byHand);
  if (onServer.length > 0) rows.push('### On the server', '', ...onServer.map(({ what, because }) => `- ${escape(what)} (${escape(placesOf(because))})`), '');
  return rows;
}
