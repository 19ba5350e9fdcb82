/**
 * Writes findings as text for a terminal, one block each: the headline, the place, the lines with
 * carets, the explanation. Findings are grouped by file. The first few of each kind are shown in
 * full, the others are counted. Readable at 80 columns, without colour, and by screen readers.
 */
import { explanations, type PlacedFinding } from '../analysis/findings';
import { fixability } from '../analysis/fixes';
import { planCounts } from '../analysis/plan-figures';
import { verdictOf } from '../analysis/upgrade-plan';
import type { Tree } from '../syntax/document';
import type { Span } from '../rules/rule';
import { dormantRows } from './dormant-rows';
import { ruleLink, withRuleLink } from './rule-link';
import { readConfigurations, type Ending, type Report, type ReportOptions, type Summary } from './report-form';
import { amount, printable, type Terminal } from './terminal';
import { wrapped as wrapped80 } from './wrap';

const COLORS = { error: 'red', warning: 'yellow', info: 'cyan', hint: 'gray' } as const;

/** Limit of findings of one kind that are shown in full for each file. */
const MOST_OF_A_KIND = 3;

/** The same limit for findings without a fix that each have a different reason. */
const MOST_REASONS = 8;

export function textReport({ terminal, write, again, againWriting, isPiped, isKnown }: ReportOptions): Report {
  const shownTexts = new Set<string>();
  const unfixed: Unfixed = { waiting: 0, suggested: 0, rule: null };
  return {
    file(path, tree, findings) {
      terminal.clear();
      const kinds: FindingKind[] = [];
      let kind: FindingKind | undefined;
      for (const finding of bySeverity(findings)) {
        countUnfixed(unfixed, finding);
        // The text up to the next heading is about this file.
        if (kinds.length === 0) write(`${terminal.style('bold', printable(path))}\n\n`);
        // Findings of one kind are consecutive.
        if (kind === undefined || !isOfKind(finding, kind)) kind = kinds.find((each) => isOfKind(finding, each));
        if (kind === undefined) kinds.push((kind = { first: finding, shown: 0, hiddenCount: 0, lines: [] }));
        const isShown =
          kind.shown < MOST_OF_A_KIND ||
          (kind.shown < MOST_REASONS && !finding.hasFixes && !shownTexts.has(explanationKey(finding)));
        if (isShown) {
          kind.shown++;
          const explanation = explanationKey(finding);
          const help = `${explanation} ${finding.help ?? ''}`;
          write(
            block(terminal, path, tree, finding, {
              // The reason why a section is not converted is shown at each section.
              isRepeated: shownTexts.has(explanation) && finding.cause?.startsWith('Not converted: ') !== true,
              isHelpRepeated: shownTexts.has(help),
              isKnown: isKnown?.(finding) === true,
            }),
          );
          if (shownTexts.size < MAX_REMEMBERED_TEXTS) shownTexts.add(explanation).add(help);
        } else {
          kind.hiddenCount++;
          if (kind.lines.length < MOST_NAMED) kind.lines.push(tree.positionAt(finding.start).line + 1);
        }
      }
      for (const each of kinds) if (each.hiddenCount > 0) write(restText(terminal, path, each));
    },
    end(summary, { notes, known, plan }) {
      terminal.clear();
      if (terminal.isQuiet) return;
      write(notesText(terminal, notes));
      const dormant = plan?.configurations.flatMap((each) => each.dormant ?? []) ?? [];
      const paths = isPiped ? null : againWriting;
      const unread = dormantRows(dormant, 'These lines do not count as problems.', paths, (text) =>
        terminal.style('bold', text),
      );
      if (unread.length > 0) write(`${unread.join('\n')}\n`);
      write(summaryText(terminal, summary, { againWriting, again, isPiped, known, plan, unfixed }));
    },
  };
}

/** Problems without a safe fix. */
interface Unfixed {
  /** The number of those whose fix waits for the answer to a question. */
  waiting: number;
  /** The number of others with a suggestion. */
  suggested: number;
  /** The rule of the first of the others; null if there is none. */
  rule: string | null;
}

function countUnfixed(unfixed: Unfixed, finding: PlacedFinding): void {
  const safety = fixability(finding);
  if (safety === 'safe') return;
  if (finding.waitsFor.length > 0 || finding.fixes.some(({ choice }) => choice !== undefined)) unfixed.waiting++;
  else if (safety === 'suggestion') unfixed.suggested++;
  else unfixed.rule ??= finding.rule.id;
}

const SEVERITY_ORDER = ['error', 'warning', 'info', 'hint'];

/** Sorts by severity, errors first. Problems of the same severity stay in the order of the file. */
function bySeverity(findings: Iterable<PlacedFinding>): readonly PlacedFinding[] {
  return [...findings].sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity));
}

/** Findings of a file that differ only by their lines. */
interface FindingKind {
  readonly first: PlacedFinding;
  shown: number;
  /**
   * How many findings of this kind are not shown. `lines` has the lines of the first few of these.
   */
  hiddenCount: number;
  readonly lines: number[];
}

function isOfKind({ severity, rule, messageId }: PlacedFinding, { first }: FindingKind): boolean {
  return first.rule === rule && first.messageId === messageId && first.severity === severity;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum number of texts that are remembered as already shown. After that, each text is shown in
 * full.
 */
const MAX_REMEMBERED_TEXTS = 10_000;

/** The key of an explanation. An explanation with the same key is shown once in a run. */
function explanationKey({ rule, messageId, cause = '', serverText = '' }: PlacedFinding): string {
  return `${rule.id} ${messageId} ${cause} ${serverText}`;
}

/** Number of lines shown for one problem. */
const MOST_LINES = 6;

function block(
  terminal: Terminal,
  path: string,
  tree: Tree,
  finding: PlacedFinding,
  {
    isRepeated,
    isHelpRepeated,
    isKnown,
  }: { readonly isRepeated: boolean; readonly isHelpRepeated: boolean; readonly isKnown: boolean },
): string {
  const color = COLORS[finding.severity];
  const places = [finding, ...finding.places].sort((a, b) => a.start - b.start);
  const shown = places.slice(0, MOST_LINES);
  const place = tree.positionAt(finding.start);
  const width = String(tree.positionAt(shown[shown.length - 1]!.start).line + 1).length;
  const blank = ' '.repeat(width);
  const known = isKnown ? ' (known)' : '';
  const before = `${finding.severity}[${finding.rule.id}]${known}: `;
  const [headline = '', ...more] = headlineRows(terminal, before.length, printable(finding.what));
  const rows = [
    `${terminal.style(color, finding.severity)}[${ruleLink(terminal, finding.rule.id)}]${known}: ${terminal.style('bold', headline)}`,
    ...more.map((row) => `  ${terminal.style('bold', row)}`),
    `${blank}${terminal.style('gray', '-->')} ${printable(path)}:${place.line + 1}:${place.character + 1}`,
  ];
  let last = -1;
  for (const each of shown) {
    const { line } = tree.positionAt(each.start);
    if (last >= 0 && line > last + 1) rows.push('...');
    rows.push(...sourceRows(terminal, tree, each, { width, color, mark: each === finding ? '^' : '-' }));
    last = line;
  }
  if (places.length > shown.length) rows.push(`... and ${amount(places.length - shown.length, 'more line')}`);
  const say = (label: string, text: string) =>
    rows.push(...wrapped(terminal, `${blank} ${terminal.style('gray', '=')} `, `${label}: `, text));
  const isAction = finding.consequence.startsWith('check ');
  say(isAction ? 'action' : 'consequence', finding.consequence);
  const [fix] = finding.fixes;
  for (const { kind, text } of explanations(finding)) {
    // If there is a fix, it replaces the help. The help is then shown only with the first finding
    // of its kind.
    if (kind === 'help' ? fix !== undefined && (isHelpRepeated || repeatsTitle(text, fix.title)) : isRepeated) continue;
    say(kind === 'server' ? 'server' : kind, text);
  }
  if (fix) {
    say(fix.safety === 'safe' ? 'fix' : 'suggestion', fix.title);
    if (fix.assumes !== undefined && fix.safety !== 'safe') say('assumes', fix.assumes);
  }
  return `${rows.join('\n')}\n\n`;
}

/**
 * Whether a help says only what the title of the fix below says: "Remove the line." above "Remove
 * LockFile", "Write X." above "Change Y to X".
 */
function repeatsTitle(help: string, title: string): boolean {
  if (/[.:] |:$|, or |\n/.test(help)) return false;
  const [verb = ''] = title.split(' ', 1);
  const rest = (text: string) => text.replace(/^\w+ (?:by )?|`/g, '').replace(/(?<!\.)\.+$/, '');
  return help.startsWith(`${verb} `) || rest(help) === rest(title) || title.endsWith(` ${rest(help)}`);
}

/** The number and the places of findings that are not shown. */
function restText(terminal: Terminal, path: string, { first, hiddenCount, lines }: FindingKind): string {
  const named = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${hiddenCount > lines.length ? ', …' : ''}`;
  const label = `${terminal.style(COLORS[first.severity], first.severity)}[${first.rule.id}]: `;
  const rows = wrapped(terminal, label, '', `and ${hiddenCount} more like this in ${path}: ${named}`);
  return `${withRuleLink(rows, terminal, first.rule.id).join('\n')}\n\n`;
}

const MOST_NAMED = 12;

/** How the marked part of a source line is shown. */
interface Marking {
  readonly width: number;
  readonly color: (typeof COLORS)[keyof typeof COLORS];
  readonly mark: string;
}

function sourceRows(terminal: Terminal, tree: Tree, place: Span, { width, color, mark }: Marking): string[] {
  const bar = terminal.style('gray', '|');
  const { line } = tree.positionAt(place.start);
  const start = tree.offsetAt({ line, character: 0 });
  const end = tree.offsetAt({ line, character: Number.MAX_SAFE_INTEGER });
  const from = place.start - start;
  const to = Math.max(from + 1, Math.min(place.end, end) - start);
  const shown = window(tree.text(start, end), { from, to, most: terminal.columns - width - ' | '.length });
  const number = String(line + 1).padStart(width);
  return [
    `${terminal.style('gray', number)} ${bar} ${shown.text}`,
    `${' '.repeat(width)} ${bar} ${' '.repeat(shown.from)}${terminal.style(color, mark.repeat(shown.width))}`,
  ];
}

/**
 * Wraps a headline on a screen. Its first row follows a text of this width, the others are indented
 * by two spaces. In a file or a pipe it stays on one line, so that programs find it.
 */
function headlineRows(terminal: Terminal, width: number, headline: string): string[] {
  if (!terminal.isScreen) return [headline];
  const [first = '', ...others] = wrapped80(`${'x'.repeat(width - 1)} ${headline}`, '', terminal.columns);
  const more = others.length > 0 ? wrapped80(others.join(' '), '', terminal.columns - '  '.length) : [];
  return [first.slice(width), ...more];
}

/** Wraps a text after a label. Further rows are indented by the width of the label. */
function wrapped(terminal: Terminal, lead: string, label: string, text: string): string[] {
  const indent = ' '.repeat(columns(lead.replace(/\x1b\[\d+m/g, '')) + label.length);
  const rows: string[] = [];
  for (const given of text.split('\n').map(printable)) {
    let row = '';
    // A text that is meant for a program keeps its indentation.
    const [, inset = '', rest = ''] = /^( *)(?! )(.*)/s.exec(given)!;
    for (const word of rest.split(' ')) {
      if (row !== '' && columns(indent) + columns(row) + 1 + columns(word) > terminal.columns) {
        rows.push(row);
        row = word;
      } else row = row === '' ? inset + word : `${row} ${word}`;
    }
    rows.push(row);
  }
  return rows.map((row, index) => (index === 0 ? lead + label : indent) + row);
}

/** The least width for a source line next to its line number. */
const LEAST_WIDTH = 40;

/**
 * A part of a source line that fits, and the columns of the carets below. Tabs become spaces,
 * control characters become dots. If the line is longer than `most`, the part is around the
 * finding.
 */
function window(
  source: string,
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
): { text: string; from: number; width: number } {
  const plain = (text: string) => printable(text.replace(/\t/g, '    '));
  let cut = 0;
  let end = source.length;
  if (columns(plain(source)) > most) {
    // Two columns are for the dots at both ends. A tab takes four columns.
    const room = Math.max(LEAST_WIDTH, most - 2 - 3 * (source.match(/\t/g)?.length ?? 0));
    cut = Math.max(0, Math.min(from - 20, source.length - room));
    end = Math.min(source.length, cut + room);
  }
  const lead = (cut > 0 ? '…' : '') + plain(source.slice(cut, from));
  const marked = plain(source.slice(from, Math.min(to, end)));
  const tail = plain(source.slice(Math.min(to, end), end)) + (end < source.length ? '…' : '');
  return { text: lead + marked + tail, from: columns(lead), width: Math.max(1, columns(marked)) };
}

/** The width of a text in columns: combining marks count 0, wide characters count 2. */
function columns(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += /\p{M}|\u200d/u.test(character) ? 0 : WIDE_CHARACTERS.test(character) ? 2 : 1;
  return width;
}

const WIDE_CHARACTERS =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The texts of open questions that many findings share, shown once. */
function notesText(terminal: Terminal, notes: readonly string[]): string {
  return notes.length === 0
    ? ''
    : `The conversion of access control is not safe, for these reasons:\n${notes.map((note) => wrapped(terminal, '  ', '', note).join('\n')).join('\n')}\n\n`;
}

/** The rows with open questions and the next commands. */
function planRows(plan: Ending['plan'], again: string, againWriting: string): string[] {
  const open = plan?.configurations.flatMap(({ questions }) => questions.filter(({ answer }) => answer === null)) ?? [];
  const [first] = open;
  const asked =
    first === undefined
      ? []
      : wrapped80(
          printable(
            open.length === 1
              ? `One question is open: ${first.question}`
              : `${open.length} questions are open, first: ${first.question}`,
          ),
        );
  return [
    ...asked,
    `To see what is ready and what to do:\n  httpd-upgrade plan ${again}`,
    `To go through it step by step:\n  httpd-upgrade migrate ${againWriting}`,
  ];
}

/** A sentence about the known problems, after a space. `all`: the number of all problems. */
function knownText({ count, isHidden }: NonNullable<Ending['known']>, all: number): string {
  const verb = count === 1 ? 'is' : 'are';
  if (isHidden) return ` ${amount(count, 'known problem')} ${verb} not shown.`;
  if (count === all) return ` ${count === 1 ? 'It is' : 'All are'} known.`;
  return ` ${count} of them ${verb} known.`;
}

/** The counts and the next steps. */
function summaryText(
  terminal: Terminal,
  summary: Summary,
  {
    againWriting,
    again,
    isPiped,
    known,
    plan,
    unfixed,
  }: Omit<Ending, 'notes'> & {
    readonly unfixed: Unfixed;
    readonly isPiped: boolean;
    readonly again: string;
    readonly againWriting: string;
  },
): string {
  if (summary.files === 0) return '';
  const files = amount(summary.files, 'file');
  const read = readConfigurations(plan);
  const hasOthers = read.length < (plan?.configurations.length ?? 0);
  const where = hasOthers ? 'in the files that the server reads' : undefined;
  const standing = read.length > 0 ? wrapped80(verdictOf({ configurations: read }, planCounts(read), where)) : [];
  const isOfNew = known?.isHidden === true;
  const others = known === null || known.count === 0 ? '' : knownText(known, summary.findings);
  if (summary.findings === 0)
    return `${[`${terminal.style('green', isOfNew ? 'No new problems' : 'No problems')} in ${files}.${others}${terminal.hadProblems ? ' The exit code is 2, because of the errors above.' : ''}`, ...standing].join('\n')}\n`;
  const kinds = (['error', 'warning', 'info', 'hint'] as const).filter((kind) => summary[kind] > 0);
  const parts = kinds.map((kind) =>
    terminal.style(COLORS[kind], kind === 'info' ? `${summary.info} info` : amount(summary[kind], kind)),
  );
  const rows = [
    `${amount(summary.findings, isOfNew ? 'new problem' : 'problem')} in ${files}: ${parts.join(', ')}.${others}`,
  ];
  const { waiting, suggested } = unfixed;
  const left = summary.findings - summary.safe - suggested - waiting;
  const next = isPiped ? [] : planRows(plan, again, againWriting);
  if (summary.safe > 0)
    next.push(
      `${amount(summary.safe, 'safe fix')} can be written now:\n  httpd-upgrade fix ${isPiped ? again : `--write ${againWriting}`}`,
    );
  if (waiting > 0)
    next.push(
      `${amount(waiting, 'fix')} ${waiting === 1 ? 'waits' : 'wait'} for an answer: plan and migrate ask the questions.`,
    );
  if (suggested > 0)
    next.push(
      `${amount(suggested, 'problem')} ${suggested === 1 ? 'has a suggestion' : 'have suggestions'} to review:\n  httpd-upgrade fix --diff --unsafe ${again}`,
    );
  if (left > 0 && unfixed.rule !== null)
    next.push(
      `${amount(left, 'problem')} ${left === 1 ? 'needs' : 'need'} a change by hand. To read about ${left === 1 ? 'it' : 'the first'}:\n  httpd-upgrade explain ${unfixed.rule}`,
    );
  return `${[...rows, ...standing, ...next].join('\n')}\n`;
}
