/** Findings as text, JSON, SARIF or GitHub's workflow commands. Each report is fed file by file. */
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixability } from '../analysis/fixes';
import type { Doubt } from '../access/doubt';
import type { PlacedFinding } from '../analysis/engine';
import { ALL_RULES } from '../rules/all';
import { rulePage } from '../rules/page';
import type { Severity } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { Format } from './arguments';
import { saidOnce } from './said-once';
import { amount, printable, type Terminal } from './terminal';
import { version } from './version';

export interface Summary {
  files: number;
  findings: number;
  error: number;
  warning: number;
  info: number;
  hint: number;
  safe: number;
  suggestion: number;
}

export function newSummary(): Summary {
  return { files: 0, findings: 0, error: 0, warning: 0, info: 0, hint: 0, safe: 0, suggestion: 0 };
}

/** Adds a finding to a summary. */
export function count(summary: Summary, finding: PlacedFinding): void {
  summary.findings++;
  summary[finding.severity]++;
  const fix = fixability(finding);
  if (fix !== 'none') summary[fix]++;
}

export interface Report {
  /** Takes findings one by one: a file may have more than fit into memory. */
  file(path: string, tree: Tree, findings: Iterable<PlacedFinding>): void;
  /** `notes`: what keeps conversions of access control from being safe, for people. */
  end(summary: Summary, notes: readonly string[]): void;
}

export interface ReportOptions {
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
  /** Options and paths to repeat where the next command is named. */
  readonly again: string;
  /** The id of the question that a doubt about a file belongs to, as the plan names it. */
  readonly idOf: (path: string, doubt: Doubt) => string;
}

export function reportFor(format: Format, options: ReportOptions): Report {
  switch (format) {
    case 'text':
      return textReport(options);
    case 'json':
      return jsonReport(options);
    case 'sarif':
      return sarifReport(options);
    case 'github':
      return githubReport(options);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const COLORS = { error: 'red', warning: 'yellow', info: 'cyan', hint: 'gray' } as const;

function textReport({ terminal, write, again }: ReportOptions): Report {
  const leftToSay = saidOnce();
  let places = 0;
  return {
    file(path, tree, findings) {
      terminal.clear();
      for (const [first, ...others] of together(findings)) {
        places++;
        write(textFindings(terminal, path, tree, [leftToSay(first), ...others]));
      }
    },
    end(summary, notes) {
      terminal.clear();
      write(textNotes(notes));
      write(textSummary(terminal, summary, places, again));
    },
  };
}

/** Findings that one fix takes care of, next to each other: said once, with all their lines. */
function* together(findings: Iterable<PlacedFinding>): Generator<PlacedFinding[]> {
  let group: PlacedFinding[] = [];
  for (const finding of findings) {
    if (group.length > 0 && !isOneMatter(group[group.length - 1], finding)) {
      yield group;
      group = [];
    }
    group.push(finding);
  }
  if (group.length > 0) yield group;
}

/** Two findings of a rule in one scope that the same fix takes care of. */
function isOneMatter(a: PlacedFinding, b: PlacedFinding): boolean {
  if (a.rule !== b.rule || a.base !== b.base) return false;
  const [one] = a.fixes;
  const [other] = b.fixes;
  if (!one || !other || one.edits.length < 2) return false;
  return one === other || (one.edits.length === other.edits.length && one.edits[0].start === other.edits[0].start && one.edits[0].text === other.edits[0].text);
}

/** The place and the reason; the lines with carets; the fix. */
function textFindings(terminal: Terminal, path: string, tree: Tree, findings: readonly PlacedFinding[]): string {
  const [first] = findings;
  const color = COLORS[first.severity];
  const place = tree.positionAt(first.start);
  const gutter = String(tree.positionAt(findings[findings.length - 1].start).line + 1).length;
  const bar = terminal.style('gray', '|');
  const head = `${printable(path)}:${place.line + 1}:${place.character + 1}`;
  const rows = [`${terminal.style('bold', head)}: ${terminal.style(color, first.severity)}[${first.rule.id}] ${first.message.split('\n').map(printable).join('\n  ')}`];
  for (const finding of findings) rows.push(...sourceRows(terminal, tree, finding, gutter));
  const fix = first.fixes[0];
  if (fix) rows.push(` ${' '.repeat(gutter)} ${terminal.style('gray', '=')} ${fix.isChoice ? 'to choose' : fix.safety === 'safe' ? 'fix' : 'suggestion'}: ${printable(fix.title)}`);
  return `${rows.join('\n')}\n\n`;

  function sourceRows(term: Terminal, source: Tree, finding: PlacedFinding, width: number): string[] {
    const { line } = source.positionAt(finding.start);
    const start = source.offsetAt({ line, character: 0 });
    const end = source.offsetAt({ line, character: Number.MAX_SAFE_INTEGER });
    const from = finding.start - start;
    const to = Math.max(from + 1, Math.min(finding.end, end) - start);
    const shown = window(source.text(start, end), from, to);
    const number = String(line + 1).padStart(width);
    return [
      ` ${term.style('gray', number)} ${bar} ${shown.text}`,
      ` ${' '.repeat(width)} ${bar} ${' '.repeat(shown.from)}${term.style(color, '^'.repeat(shown.width))}`,
    ];
  }
}

/** Widest line of source to show; a longer one is cut around what is meant. */
const MAX_WIDTH = 160;

/** The text with tabs as blanks and control characters as dots, and where in it the carets go. */
function window(source: string, from: number, to: number): { text: string; from: number; width: number } {
  const plain = (text: string) => printable(text.replace(/\t/g, '    ').replace(/\uFEFF/g, ''));
  let cut = 0;
  let end = source.length;
  if (source.length > MAX_WIDTH) {
    cut = Math.max(0, Math.min(from - 20, source.length - MAX_WIDTH));
    end = cut + MAX_WIDTH;
  }
  const lead = (cut > 0 ? '…' : '') + plain(source.slice(cut, from));
  const marked = plain(source.slice(from, Math.min(to, end)));
  const tail = plain(source.slice(Math.min(to, end), end)) + (end < source.length ? '…' : '');
  return { text: lead + marked + tail, from: columns(lead), width: Math.max(1, columns(marked)) };
}

/** How many columns a terminal takes for a text: none for marks on the letter before, two for what is as wide as it is high. */
function columns(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += /\p{M}|\u200d/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Doubts that many findings rest on, once. */
export function textNotes(notes: readonly string[]): string {
  return notes.length === 0 ? '' : `Access control is not converted safely, because of what is not known:\n${notes.map((note) => `  ${printable(note)}\n`).join('')}\n`;
}

/** Each line that has to change is a problem; lines that change together are shown as one place. */
function textSummary(terminal: Terminal, summary: Summary, places: number, again: string): string {
  if (summary.files === 0) return '';
  const files = amount(summary.files, 'file');
  if (summary.findings === 0) return `${terminal.style('green', 'No problems')} in ${files}.\n`;
  const kinds = (['error', 'warning', 'info', 'hint'] as const).filter((kind) => summary[kind] > 0);
  const parts = kinds.map((kind) => terminal.style(COLORS[kind], amount(summary[kind], kind === 'info' ? 'note' : kind)));
  const at = places < summary.findings ? ` at ${amount(places, 'place')}` : '';
  const rows = [`${amount(summary.findings, 'problem')}${at} in ${files}: ${parts.join(', ')}.`];
  if (summary.safe > 0) rows.push(`${summary.safe} can be fixed without changing what the server does: httpd-upgrade fix --write ${again}`);
  if (summary.suggestion > 0) {
    const have = summary.suggestion === 1 ? 'has a suggestion' : 'have suggestions';
    rows.push(`${summary.suggestion} ${have} to read and decide: httpd-upgrade fix --diff --unsafe ${again}`);
  }
  return `${rows.join('\n')}\n`;
}

/** The contract that scripts read; see README.md. Ranges are 0-based, characters in UTF-16 units. */
function jsonReport({ write, idOf }: ReportOptions): Report {
  let isFirst = true;
  write('{"version":1,"files":[');
  return {
    file(path, tree, findings) {
      write(`${isFirst ? '' : ','}\n{"path":${JSON.stringify(path)},"findings":[`);
      isFirst = false;
      let separator = '';
      for (const finding of findings) {
        write(separator + JSON.stringify(jsonFinding(tree, finding, (doubt) => idOf(path, doubt))));
        separator = ',';
      }
      write(']}');
    },
    end(summary) {
      write(`\n],"summary":${JSON.stringify(summary)}}\n`);
    },
  };
}

function jsonFinding(tree: Tree, finding: PlacedFinding, idOf: (doubt: Doubt) => string) {
  const [first] = finding.fixes;
  const ids = (doubts: readonly Doubt[] = []) => [...new Set(doubts.map(idOf))];
  return {
    rule: finding.rule.id,
    severity: finding.severity,
    message: finding.message,
    range: { start: tree.positionAt(finding.start), end: tree.positionAt(finding.end) },
    fix: fixability(finding),
    fixes: finding.fixes.map(({ title, safety }) => ({ title, safety })),
    restsOn: ids(first?.restsOn),
    waitsFor: ids(first?.waitsFor),
    url: finding.rule.url,
  };
}

const SARIF_LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note', hint: 'note' };

/** SARIF 2.1.0, for code scanning. Regions are 1-based. */
function sarifReport({ terminal, write }: ReportOptions): Report {
  const results: object[] = [];
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const start = tree.positionAt(finding.start);
        const end = tree.positionAt(finding.end);
        const region = { startLine: start.line + 1, startColumn: start.character + 1, endLine: end.line + 1, endColumn: end.character + 1 };
        results.push({
          ruleId: finding.rule.id,
          ruleIndex: ALL_RULES.indexOf(finding.rule),
          level: SARIF_LEVELS[finding.severity],
          message: { text: finding.message },
          locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(path) }, region } }],
          properties: { fix: fixability(finding) },
        });
      }
    },
    end() {
      const rules = ALL_RULES.map((rule) => ({
        id: rule.id,
        shortDescription: { text: rule.title },
        fullDescription: { text: rule.page.what },
        help: { text: rule.page.fixing, markdown: rulePage(rule) },
        helpUri: rule.url,
        defaultConfiguration: { level: SARIF_LEVELS[rule.severity] },
      }));
      const driver = { name: 'httpd-upgrade', version: version(), informationUri: 'https://httpd.apache.org/docs/2.4/upgrading.html', rules };
      const log = {
        $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
        version: '2.1.0',
        runs: [{ tool: { driver }, invocations: [{ executionSuccessful: !terminal.hadProblems }], columnKind: 'utf16CodeUnits', results }],
      };
      write(`${JSON.stringify(log, null, 1)}\n`);
    },
  };
}

/** Relative paths stay relative, to where the checkout is. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split(sep).map(encodeURIComponent).join('/');
}

const GITHUB_COMMANDS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice', hint: 'notice' };

/** Workflow commands: annotations on the lines of a pull request. */
function githubReport({ write }: ReportOptions): Report {
  const data = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const start = tree.positionAt(finding.start);
        const end = tree.positionAt(finding.end);
        // Columns count only on a line of their own.
        const within = start.line === end.line ? `,col=${start.character + 1},endColumn=${end.character + 1}` : '';
        const place = `file=${property(path)},line=${start.line + 1},endLine=${end.line + 1}${within}`;
        write(`::${GITHUB_COMMANDS[finding.severity]} ${place},title=${property(finding.rule.id)}::${data(finding.message)}\n`);
      }
    },
    end() {},
  };
}
