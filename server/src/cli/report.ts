/** Findings as text, JSON, SARIF or GitHub's workflow commands. Each report is fed file by file. */
import { fixability } from '../analysis/fixes';
import type { PlacedFinding } from '../analysis/engine';
import { ALL_RULES } from '../rules/all';
import type { Severity } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { Format } from './arguments';
import type { Terminal } from './terminal';

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

/** Adds a file's findings to a summary. */
export function count(summary: Summary, findings: readonly PlacedFinding[]): void {
  summary.files++;
  for (const finding of findings) {
    summary.findings++;
    summary[finding.severity]++;
    const fix = fixability(finding);
    if (fix !== 'none') summary[fix]++;
  }
}

export interface Report {
  file(path: string, tree: Tree, findings: readonly PlacedFinding[]): void;
  end(summary: Summary): void;
}

export function reportFor(format: Format, terminal: Terminal, write: (text: string) => void): Report {
  switch (format) {
    case 'text':
      return textReport(terminal, write);
    case 'json':
      return jsonReport(write);
    case 'sarif':
      return sarifReport(write);
    case 'github':
      return githubReport(write);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const COLORS = { error: 'red', warning: 'yellow', info: 'cyan', hint: 'gray' } as const;

function textReport(terminal: Terminal, write: (text: string) => void): Report {
  return {
    file(path, tree, findings) {
      terminal.clear();
      for (const group of together(findings)) write(textFindings(terminal, path, tree, group));
    },
    end(summary) {
      terminal.clear();
      write(textSummary(terminal, summary));
    },
  };
}

/** Findings that one fix takes care of, next to each other: said once, with all their lines. */
function together(findings: readonly PlacedFinding[]): PlacedFinding[][] {
  const groups: PlacedFinding[][] = [];
  let lastKey: string | null = null;
  for (const finding of findings) {
    const edits = finding.fixes?.[0]?.edits;
    const key = edits && edits.length > 1 ? `${finding.rule.id} ${finding.base} ${JSON.stringify(edits[0])}` : null;
    if (key !== null && key === lastKey) groups[groups.length - 1].push(finding);
    else groups.push([finding]);
    lastKey = key;
  }
  return groups;
}

/** The place and the reason; the lines with carets; the fix. */
function textFindings(terminal: Terminal, path: string, tree: Tree, findings: readonly PlacedFinding[]): string {
  const [first] = findings;
  const color = COLORS[first.severity];
  const place = tree.positionAt(first.start);
  const gutter = String(tree.positionAt(findings[findings.length - 1].start).line + 1).length;
  const bar = terminal.style('gray', '|');
  const head = `${path}:${place.line + 1}:${place.character + 1}`;
  const rows = [`${terminal.style('bold', head)}: ${terminal.style(color, first.severity)}[${first.rule.id}] ${first.message}`];
  for (const finding of findings) rows.push(...sourceRows(terminal, tree, finding, gutter));
  const fix = first.fixes?.[0];
  if (fix) rows.push(` ${' '.repeat(gutter)} ${terminal.style('gray', '=')} ${fix.safety === 'safe' ? 'fix' : 'suggestion'}: ${fix.title}`);
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
  const plain = (text: string) => text.replace(/\t/g, '    ').replace(/[\0-\x1f\x7f\u2028\u2029]/g, '·');
  let cut = 0;
  let end = source.length;
  if (source.length > MAX_WIDTH) {
    cut = Math.max(0, Math.min(from - 20, source.length - MAX_WIDTH));
    end = cut + MAX_WIDTH;
  }
  const lead = (cut > 0 ? '…' : '') + plain(source.slice(cut, from));
  const marked = plain(source.slice(from, Math.min(to, end)));
  const tail = plain(source.slice(Math.min(to, end), end)) + (end < source.length ? '…' : '');
  return { text: lead + marked + tail, from: lead.length, width: Math.max(1, marked.length) };
}

function textSummary(terminal: Terminal, summary: Summary): string {
  const files = amount(summary.files, 'file');
  if (summary.findings === 0) return `${terminal.style('green', 'No problems')} in ${files}.\n`;
  const kinds = (['error', 'warning', 'info', 'hint'] as const).filter((kind) => summary[kind] > 0);
  const parts = kinds.map((kind) => terminal.style(COLORS[kind], amount(summary[kind], kind === 'info' ? 'note' : kind)));
  const rows = [`${amount(summary.findings, 'problem')} in ${files}: ${parts.join(', ')}.`];
  if (summary.safe > 0) rows.push(`${fixable(summary.safe)} without changing what the server does: httpd-upgrade fix --write …`);
  if (summary.suggestion > 0) rows.push(`${amount(summary.suggestion, 'suggestion')} to read and decide: httpd-upgrade fix --diff --unsafe …`);
  return `${rows.join('\n')}\n`;
}

export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function fixable(count: number): string {
  return count === 1 ? '1 can be fixed' : `${count} can be fixed`;
}

/** The contract that scripts read; see README.md. Ranges are 0-based, characters in UTF-16 units. */
function jsonReport(write: (text: string) => void): Report {
  let isFirst = true;
  write('{"version":1,"files":[');
  return {
    file(path, tree, findings) {
      const file = { path, findings: findings.map((finding) => jsonFinding(tree, finding)) };
      write(`${isFirst ? '' : ','}\n${JSON.stringify(file)}`);
      isFirst = false;
    },
    end(summary) {
      write(`\n],"summary":${JSON.stringify(summary)}}\n`);
    },
  };
}

function jsonFinding(tree: Tree, finding: PlacedFinding) {
  return {
    rule: finding.rule.id,
    severity: finding.severity,
    message: finding.message,
    range: { start: tree.positionAt(finding.start), end: tree.positionAt(finding.end) },
    fix: fixability(finding),
    url: finding.rule.url,
  };
}

const SARIF_LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note', hint: 'note' };

/** SARIF 2.1.0, for code scanning. Regions are 1-based. */
function sarifReport(write: (text: string) => void): Report {
  const results: object[] = [];
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const start = tree.positionAt(finding.start);
        const end = tree.positionAt(finding.end);
        const region = { startLine: start.line + 1, startColumn: start.character + 1, endLine: end.line + 1, endColumn: end.character + 1 };
        const uri = path.split('/').map(encodeURIComponent).join('/');
        results.push({
          ruleId: finding.rule.id,
          ruleIndex: ALL_RULES.indexOf(finding.rule),
          level: SARIF_LEVELS[finding.severity],
          message: { text: finding.message },
          locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
          properties: { fix: fixability(finding) },
        });
      }
    },
    end() {
      const rules = ALL_RULES.map((rule) => ({
        id: rule.id,
        shortDescription: { text: rule.title },
        fullDescription: { text: rule.page.what },
        helpUri: rule.url,
        defaultConfiguration: { level: SARIF_LEVELS[rule.severity] },
      }));
      const driver = { name: 'httpd-upgrade', informationUri: 'https://httpd.apache.org/docs/2.4/upgrading.html', rules };
      const log = {
        $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
        version: '2.1.0',
        runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
      };
      write(`${JSON.stringify(log, null, 1)}\n`);
    },
  };
}

const GITHUB_COMMANDS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice', hint: 'notice' };

/** Workflow commands: annotations on the lines of a pull request. */
function githubReport(write: (text: string) => void): Report {
  const data = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const start = tree.positionAt(finding.start);
        const end = tree.positionAt(finding.end);
        const place = `file=${property(path)},line=${start.line + 1},endLine=${end.line + 1},col=${start.character + 1},endColumn=${end.character + 1}`;
        write(`::${GITHUB_COMMANDS[finding.severity]} ${place},title=${property(finding.rule.id)}::${data(finding.message)}\n`);
      }
    },
    end() {},
  };
}
