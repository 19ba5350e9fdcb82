/**
 * Writes findings as text for a terminal. Each finding is a block: the headline, the place, the
 * source lines with carets, the explanation. Findings are grouped by file. The first few of each
 * kind are shown in full, the others are counted. The text is readable at 80 columns, without
 * colour, and with a screen reader.
 */
import { explanations, type PlacedFinding } from '../analysis/findings';
import { byHandTexts, planCounts, shortStateText, stateText, suggestionCount } from '../analysis/plan-figures';
import { verdictOf } from '../analysis/upgrade-plan';
import type { Tree } from '../syntax/document';
import type { Span } from '../rules/rule';
import { dormantRows } from './dormant-rows';
import { ruleLink, withRuleLink } from './rule-link';
import {
  configurationsWithMainFile,
  type ReportEnding,
  type Report,
  type ReportOptions,
  type Summary,
} from './report-form';
import { countWithNoun, printable, type Terminal } from './terminal';
import { wrapText } from './wrap';

const SEVERITY_COLORS = { error: 'red', warning: 'yellow', info: 'cyan', hint: 'gray' } as const;

/** The largest number of findings of one kind in a file that are shown in full. */
const MAX_FINDINGS_OF_KIND = 3;

/** The limit for findings of one kind that have no fix, if each of them has a different reason. */
const MAX_REASONS_OF_KIND = 8;

/** The report as text for a terminal. */
export function textReport({
  terminal,
  write,
  argumentsToRepeat,
  argumentsToRepeatForWriting,
  isInputPiped,
  isKnown,
}: ReportOptions): Report {
  const shownTexts = new Set<string>();
  return {
    file(path, tree, findings) {
      terminal.clearProgress();
      const kinds: FindingKind[] = [];
      let matchingKind: FindingKind | undefined;
      for (const finding of sortedBySeverity(findings)) {
        // Writes the file's name as a heading before its first finding.
        if (kinds.length === 0) write(`${terminal.style('bold', printable(path))}\n\n`);
        // Findings of one kind often follow each other, so the kind of the previous finding is
        // tried first.
        if (matchingKind === undefined || !isOfKind(finding, matchingKind))
          matchingKind = kinds.find((each) => isOfKind(finding, each));
        if (matchingKind === undefined)
          kinds.push((matchingKind = { firstFinding: finding, shownCount: 0, hiddenCount: 0, hiddenLines: [] }));
        const isShownInFull =
          matchingKind.shownCount < MAX_FINDINGS_OF_KIND ||
          (matchingKind.shownCount < MAX_REASONS_OF_KIND &&
            !finding.hasFixes &&
            !shownTexts.has(explanationKey(finding)));
        if (isShownInFull) {
          matchingKind.shownCount++;
          const keyOfExplanation = explanationKey(finding);
          const keyOfHelp = `${keyOfExplanation} ${finding.help ?? ''}`;
          write(
            findingBlock(terminal, path, tree, finding, {
              // The reason why a section is not converted is shown each time.
              isRepeated: shownTexts.has(keyOfExplanation) && finding.cause?.startsWith('Not converted: ') !== true,
              isHelpRepeated: shownTexts.has(keyOfHelp),
              isKnown: isKnown?.(finding) === true,
            }),
          );
          if (shownTexts.size < MAX_REMEMBERED_TEXTS) shownTexts.add(keyOfExplanation).add(keyOfHelp);
        } else {
          matchingKind.hiddenCount++;
          if (matchingKind.hiddenLines.length < MAX_HIDDEN_LINES_NAMED)
            matchingKind.hiddenLines.push(tree.positionAt(finding.start).line + 1);
        }
      }
      for (const each of kinds) if (each.hiddenCount > 0) write(hiddenFindingsText(terminal, path, each));
    },
    end(summary, { notes, knownProblems, plan }) {
      terminal.clearProgress();
      if (terminal.isQuiet) return;
      write(openQuestionsText(terminal, notes));
      const dormantFiles = plan?.configurations.flatMap((each) => each.dormant ?? []) ?? [];
      const argumentsForWriting = isInputPiped ? null : argumentsToRepeatForWriting;
      const unreadRows = dormantRows(
        dormantFiles,
        'These lines do not count as problems.',
        argumentsForWriting,
        (text) => terminal.style('bold', text),
      );
      if (unreadRows.length > 0) write(`${unreadRows.join('\n')}\n`);
      write(
        summaryText(terminal, summary, {
          argumentsToRepeatForWriting,
          argumentsToRepeat,
          isInputPiped,
          knownProblems,
          plan,
        }),
      );
    },
  };
}

/** The severities, the worst first. */
const SEVERITY_ORDER = ['error', 'warning', 'info', 'hint'];

/** Sorts by severity, errors first. Problems of the same severity stay in the order of the file. */
function sortedBySeverity(findings: Iterable<PlacedFinding>): readonly PlacedFinding[] {
  return [...findings].sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity));
}

/** Findings of a file with the same rule, message and severity. */
interface FindingKind {
  readonly firstFinding: PlacedFinding;
  shownCount: number;
  /**
   * How many findings of this kind are not shown. `hiddenLines` has the lines of the first few of
   * them.
   */
  hiddenCount: number;
  readonly hiddenLines: number[];
}

function isOfKind({ severity, rule, messageId }: PlacedFinding, { firstFinding }: FindingKind): boolean {
  return firstFinding.rule === rule && firstFinding.messageId === messageId && firstFinding.severity === severity;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum number of texts that are remembered as already shown. After that, each text is shown in
 * full.
 */
const MAX_REMEMBERED_TEXTS = 10_000;

/**
 * The key of a finding's explanations. Explanations with the same key are shown only once in a run.
 */
function explanationKey({ rule, messageId, cause = '', serverText = '' }: PlacedFinding): string {
  return `${rule.id} ${messageId} ${cause} ${serverText}`;
}

/** The largest number of source lines that are shown for one problem. */
const MAX_LINES_OF_FINDING = 6;

/** The block of text about one finding. */
function findingBlock(
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
  const color = SEVERITY_COLORS[finding.severity];
  const findingPlaces = [finding, ...finding.places].sort((a, b) => a.start - b.start);
  const shownPlaces = findingPlaces.slice(0, MAX_LINES_OF_FINDING);
  const findingStart = tree.positionAt(finding.start);
  const shownLines = shownPlaces.map(({ start }) => tree.positionAt(start).line);
  const width = String(shownLines.at(-1)! + 1).length;
  const spacesAsWideAsNumber = ' '.repeat(width);
  const knownMark = isKnown ? ' (known)' : '';
  const textBeforeHeadline = `${finding.severity}[${finding.rule.id}]${knownMark}: `;
  const [headline = '', ...moreHeadlineRows] = headlineRows(
    terminal,
    textBeforeHeadline.length,
    printable(finding.what),
  );
  const findingRows = [
    `${terminal.style(color, finding.severity)}[${ruleLink(terminal, finding.rule.id)}]${knownMark}: ${terminal.style('bold', headline)}`,
    ...moreHeadlineRows.map((row) => `  ${terminal.style('bold', row)}`),
    `${spacesAsWideAsNumber}${terminal.style('gray', '-->')} ${printable(path)}:${findingStart.line + 1}:${findingStart.character + 1}`,
  ];
  for (const [index, each] of shownPlaces.entries()) {
    const lineOfPlace = shownLines[index]!;
    if (index > 0 && lineOfPlace > shownLines[index - 1]! + 1) findingRows.push('...');
    findingRows.push(
      ...sourceRows(terminal, tree, each, { line: lineOfPlace, width, color, mark: each === finding ? '^' : '-' }),
    );
  }
  if (findingPlaces.length > shownPlaces.length)
    findingRows.push(`... and ${countWithNoun(findingPlaces.length - shownPlaces.length, 'more line')}`);
  const addNote = (label: string, text: string) =>
    findingRows.push(
      ...wrappedAfterLabel(terminal, `${spacesAsWideAsNumber} ${terminal.style('gray', '=')} `, `${label}: `, text),
    );
  const asksForAction = finding.consequence.startsWith('check ');
  addNote(
    asksForAction ? 'action' : 'consequence',
    finding.consequence.replace(/^check after the upgrade$/, 'check when you upgrade'),
  );
  const [fix] = finding.fixes;
  for (const { kind, text } of explanations(finding)) {
    // If there is a fix, its title says what to do. So the help is shown only once in a run, and
    // not at all if it repeats the title.
    if (kind === 'help' ? fix !== undefined && (isHelpRepeated || repeatsTitle(text, fix.title)) : isRepeated) continue;
    addNote(kind === 'server' ? 'message' : kind, text);
  }
  if (fix) {
    addNote(fix.safety === 'safe' ? 'fix' : 'suggestion', fix.title);
    if (fix.assumes !== undefined && fix.safety !== 'safe') addNote('assumes', fix.assumes);
  }
  return `${findingRows.join('\n')}\n\n`;
}

/**
 * Whether a help text only repeats the title of the fix below it: "Remove the line." above "Remove
 * LockFile", or "Write X." above "Change Y to X".
 */
function repeatsTitle(help: string, title: string): boolean {
  if (/[.:] |:$|, or |\n/.test(help)) return false;
  const [verb = ''] = title.split(' ', 1);
  const withoutVerb = (text: string) => text.replace(/^\w+ (?:by )?|`/g, '').replace(/(?<!\.)\.+$/, '');
  return (
    help.startsWith(`${verb} `) || withoutVerb(help) === withoutVerb(title) || title.endsWith(` ${withoutVerb(help)}`)
  );
}

/** The number and the places of findings that are not shown. */
function hiddenFindingsText(
  terminal: Terminal,
  path: string,
  { firstFinding, hiddenCount, hiddenLines }: FindingKind,
): string {
  const hiddenLinesText = `${hiddenLines.length === 1 ? 'line' : 'lines'} ${hiddenLines.join(', ')}${hiddenCount > hiddenLines.length ? ', …' : ''}`;
  const label = `${terminal.style(SEVERITY_COLORS[firstFinding.severity], firstFinding.severity)}[${firstFinding.rule.id}]: `;
  const hiddenRows = wrappedAfterLabel(
    terminal,
    label,
    '',
    `and ${hiddenCount} more like this in ${path}: ${hiddenLinesText}`,
  );
  return `${withRuleLink(hiddenRows, terminal, firstFinding.rule.id).join('\n')}\n\n`;
}

/** Maximum number of lines that are named for findings which are not shown. */
const MAX_HIDDEN_LINES_NAMED = 12;

/** Where and how the rows below a problem show a line of the file, with a mark below its text. */
interface SourceMark {
  /** The line, from 0. */
  readonly line: number;
  /** The columns for the line number. */
  readonly width: number;
  readonly color: (typeof SEVERITY_COLORS)[keyof typeof SEVERITY_COLORS];
  /** The character that is repeated below the marked part. */
  readonly mark: string;
}

/** The rows with a line of the file, and with the mark below the part that `place` covers. */
function sourceRows(terminal: Terminal, tree: Tree, place: Span, { line, width, color, mark }: SourceMark): string[] {
  const bar = terminal.style('gray', '|');
  const lineStart = tree.offsetAt({ line, character: 0 });
  const lineEnd = tree.offsetAt({ line, character: Number.MAX_SAFE_INTEGER });
  const markStart = place.start - lineStart;
  const markEnd = Math.max(markStart + 1, Math.min(place.end, lineEnd) - lineStart);
  const shownPart = fittingSourcePart(tree.text(lineStart, lineEnd), {
    from: markStart,
    to: markEnd,
    maxColumns: terminal.columns - width - ' | '.length,
  });
  const lineNumber = String(line + 1).padStart(width);
  return [
    `${terminal.style('gray', lineNumber)} ${bar} ${shownPart.text}`,
    `${' '.repeat(width)} ${bar} ${' '.repeat(shownPart.from)}${terminal.style(color, mark.repeat(shownPart.width))}`,
  ];
}

/**
 * Wraps a headline on a screen. `width`: the width of the text before it in the first row; the
 * other rows are indented by two spaces. In a file or a pipe, the headline stays on one line, so
 * that programs can find it.
 */
function headlineRows(terminal: Terminal, width: number, headline: string): string[] {
  if (!terminal.isScreen) return [headline];
  const [first = '', ...others] = wrapText(`${'x'.repeat(width - 1)} ${headline}`, '', terminal.columns);
  const moreRows = others.length > 0 ? wrapText(others.join(' '), '', terminal.columns - '  '.length) : [];
  return [first.slice(width), ...moreRows];
}

/**
 * Breaks a text into rows for the terminal. The first row begins with `lead`, which may contain
 * color codes, and `label`. The other rows are indented by the width of both.
 */
function wrappedAfterLabel(terminal: Terminal, lead: string, label: string, text: string): string[] {
  const indent = ' '.repeat(columnCount(lead.replace(/\x1b\[\d+m/g, '')) + label.length);
  const wrappedRows: string[] = [];
  for (const givenLine of text.split('\n').map(printable)) {
    let currentRow = '';
    let width = 0;
    // A line that begins with spaces, such as a command, keeps its indentation.
    const [, indentation = '', rest = ''] = /^( *)(?! )(.*)/s.exec(givenLine)!;
    for (const word of rest.split(' ')) {
      const widthOfWord = columnCount(word);
      if (currentRow !== '' && indent.length + width + 1 + widthOfWord > terminal.columns) {
        wrappedRows.push(currentRow);
        currentRow = word;
        width = widthOfWord;
      } else {
        width += currentRow === '' ? indentation.length + widthOfWord : 1 + widthOfWord;
        currentRow = currentRow === '' ? indentation + word : `${currentRow} ${word}`;
      }
    }
    wrappedRows.push(currentRow);
  }
  return wrappedRows.map((row, index) => (index === 0 ? lead + label : indent) + row);
}

/** The least width for a source line next to its line number. */
const MIN_SOURCE_WIDTH = 40;

/**
 * The part of a source line that fits on the screen, and the columns for the carets below it. Tabs
 * become spaces, control characters become dots. If the line has more than `maxColumns` columns,
 * the part around the finding is returned.
 */
function fittingSourcePart(
  source: string,
  { from, to, maxColumns }: { readonly from: number; readonly to: number; readonly maxColumns: number },
): { text: string; from: number; width: number } {
  const printableText = (text: string) => printable(text.replace(/\t/g, '    '));
  let cutStart = 0;
  let cutEnd = source.length;
  if (columnCount(printableText(source)) > maxColumns) {
    // Two columns are for the dots at both ends. A tab takes four columns.
    const availableColumns = Math.max(MIN_SOURCE_WIDTH, maxColumns - 2 - 3 * (source.match(/\t/g)?.length ?? 0));
    cutStart = Math.max(0, Math.min(from - 20, source.length - availableColumns));
    cutEnd = Math.min(source.length, cutStart + availableColumns);
  }
  const textBefore = (cutStart > 0 ? '…' : '') + printableText(source.slice(cutStart, from));
  const markedText = printableText(source.slice(from, Math.min(to, cutEnd)));
  const textAfter = printableText(source.slice(Math.min(to, cutEnd), cutEnd)) + (cutEnd < source.length ? '…' : '');
  return {
    text: textBefore + markedText + textAfter,
    from: columnCount(textBefore),
    width: Math.max(1, columnCount(markedText)),
  };
}

/** The width of a text in columns: combining marks count 0, wide characters count 2. */
function columnCount(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += /\p{M}|\u200d/u.test(character) ? 0 : WIDE_CHARACTERS.test(character) ? 2 : 1;
  return width;
}

/** Matches characters that take two columns: those of East Asian scripts, and emoji. */
const WIDE_CHARACTERS =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The texts of open questions that many findings share, shown once. */
function openQuestionsText(terminal: Terminal, notes: readonly string[]): string {
  return notes.length === 0
    ? ''
    : `Access control cannot be converted safely yet, for these reasons:\n${notes.map((note) => wrappedAfterLabel(terminal, '  ', '', note).join('\n')).join('\n')}\n\n`;
}

/** The rows with open questions and the next commands. */
function planRows(
  plan: ReportEnding['plan'],
  argumentsToRepeat: string,
  argumentsToRepeatForWriting: string,
): string[] {
  const openQuestions =
    plan?.configurations.flatMap(({ questions }) => questions.filter(({ answer }) => answer === null)) ?? [];
  const [first] = openQuestions;
  const { waiting } = planCounts(plan?.configurations ?? []);
  const waitingText =
    waiting === 0
      ? ''
      : `, and ${countWithNoun(waiting, 'fix')} ${waiting === 1 ? 'waits' : 'wait'} for ${openQuestions.length === 1 ? 'the answer' : 'answers'}`;
  const questionRows =
    first === undefined
      ? []
      : wrapText(
          printable(
            openQuestions.length === 1
              ? `One question is open${waitingText}: ${first.question}`
              : `${openQuestions.length} questions are open${waitingText}. The first one: ${first.question}`,
          ),
        );
  return [
    ...questionRows,
    `To see what to do:\n  httpd-upgrade plan ${argumentsToRepeat}`,
    `To go through ${first === undefined ? '' : 'the questions and '}the changes step by step:\n  httpd-upgrade migrate ${argumentsToRepeatForWriting}`,
  ];
}

/**
 * A sentence about the known problems, with a space before it. `problemCount`: the number of all
 * problems.
 */
function knownProblemsText(
  { count, isHidden }: NonNullable<ReportEnding['knownProblems']>,
  problemCount: number,
): string {
  const verb = count === 1 ? 'is' : 'are';
  if (isHidden) return ` ${countWithNoun(count, 'known problem')} ${verb} not shown.`;
  if (count === problemCount) return ` ${count === 1 ? 'It is' : 'All are'} known.`;
  return ` ${count} of them ${verb} known.`;
}

/** The rows at the end of a report: the counts of problems, and the next steps. */
function summaryText(
  terminal: Terminal,
  summary: Summary,
  {
    argumentsToRepeatForWriting,
    argumentsToRepeat,
    isInputPiped,
    knownProblems,
    plan,
  }: Omit<ReportEnding, 'notes'> & {
    readonly isInputPiped: boolean;
    readonly argumentsToRepeat: string;
    readonly argumentsToRepeatForWriting: string;
  },
): string {
  if (summary.files === 0) return '';
  const files = countWithNoun(summary.files, 'file');
  const serverConfigurations = configurationsWithMainFile(plan);
  const hasLooseFiles = serverConfigurations.length < (plan?.configurations.length ?? 0);
  const whereText = hasLooseFiles ? 'in the files that the server reads' : undefined;
  // The steps of all files, as in the rows below and in the output of `plan`.
  const { byHand, mayStay, steps } = planCounts(plan?.configurations ?? []);
  const counts = { ...planCounts(serverConfigurations), byHand, mayStay, steps };
  const verdictRows =
    serverConfigurations.length > 0
      ? wrapText(
          verdictOf(
            { configurations: serverConfigurations },
            counts,
            whereText,
            isInputPiped ? stateText : shortStateText,
          ),
        )
      : [];
  const isOnlyNew = knownProblems?.isHidden === true;
  const knownText =
    knownProblems === null || knownProblems.count === 0 ? '' : knownProblemsText(knownProblems, summary.findings);
  if (summary.findings === 0)
    return `${[`${terminal.style('green', isOnlyNew ? 'No new problems' : 'No problems')} in ${files}.${knownText}${terminal.hadProblems ? ' The exit code is 2, because of the errors above.' : ''}`, ...verdictRows].join('\n')}\n`;
  const kinds = (['error', 'warning', 'info', 'hint'] as const).filter((kind) => summary[kind] > 0);
  const countTexts = kinds.map((kind) =>
    terminal.style(
      SEVERITY_COLORS[kind],
      kind === 'info' ? `${summary.info} info` : countWithNoun(summary[kind], kind),
    ),
  );
  const summaryRows = [
    `${countWithNoun(summary.findings, isOnlyNew ? 'new problem' : 'problem')} in ${files}: ${countTexts.join(', ')}.${knownText}`,
  ];
  const nextStepRows = isInputPiped ? [] : planRows(plan, argumentsToRepeat, argumentsToRepeatForWriting);
  const safeCount = plan ? planCounts(plan.configurations).ready : summary.safe;
  if (safeCount > 0)
    nextStepRows.push(
      `${countWithNoun(safeCount, 'safe fix')} can be written now:\n  httpd-upgrade fix ${isInputPiped ? argumentsToRepeat : `--write ${argumentsToRepeatForWriting}`}`,
    );
  if (plan) nextStepRows.push(...rowsOfPlanCounts(plan, { argumentsToRepeat, isInputPiped }));
  return `${[...summaryRows, ...verdictRows, ...nextStepRows].join('\n')}\n`;
}

/**
 * The rows about the tasks that safe fixes leave. They have the same numbers as the output of
 * `plan`.
 */
function rowsOfPlanCounts(
  plan: NonNullable<ReportEnding['plan']>,
  { argumentsToRepeat, isInputPiped }: { readonly argumentsToRepeat: string; readonly isInputPiped: boolean },
): string[] {
  const { waiting, byHand, mayStay, steps } = planCounts(plan.configurations);
  const suggestionsCount = suggestionCount(plan.configurations);
  const tasksLeft = [
    ...byHandTexts({ byHand, mayStay }),
    steps > 0 ? `${countWithNoun(steps, 'step')} on the server` : '',
  ].filter((each) => each !== '');
  const subject =
    suggestionsCount < byHand
      ? `Of the changes by hand, ${suggestionsCount} ${suggestionsCount === 1 ? 'has a suggestion' : 'have suggestions'}`
      : byHand === 1
        ? 'The change by hand has a suggestion'
        : 'The changes by hand have suggestions';
  return [
    // In a terminal, the row about the open questions has this number.
    ...(waiting > 0 && isInputPiped
      ? [
          `${countWithNoun(waiting, 'fix')} ${waiting === 1 ? 'waits' : 'wait'} for an answer: plan and migrate ask the questions.`,
        ]
      : []),
    ...(tasksLeft.length > 0
      ? [`Also to do: ${tasksLeft.join(', and ')}. plan describes ${byHand + steps === 1 ? 'it' : 'them'}.`]
      : []),
    ...(suggestionsCount > 0
      ? [
          `${subject}. To read ${suggestionsCount === 1 ? 'it' : 'them'}:\n  httpd-upgrade fix --diff --unsafe ${argumentsToRepeat}`,
        ]
      : []),
  ];
}
