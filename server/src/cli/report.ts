/** Findings as text, JSON, SARIF or GitHub's workflow commands. Each report is fed file by file. */
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixability } from '../analysis/fixes';
import type { Doubt } from '../access/doubt';
import type { PlacedFinding } from '../analysis/findings';
import { ALL_RULES } from '../rules/all';
import { rulePage } from '../rules/page';
import { SEVERITY_OF, type Severity, type Span } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { Format } from './arguments';
import { textReport } from './report-text';
import type { Terminal } from './terminal';
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
    consequence: finding.consequence,
    message: finding.what,
    cause: finding.cause ?? null,
    help: finding.help ?? null,
    serverText: finding.serverText ?? null,
    range: rangeOf(tree, finding),
    places: finding.places.map((place) => rangeOf(tree, place)),
    fix: fixability(finding),
    fixes: finding.fixes.map(({ title, safety, assumes }) => ({ title, safety, ...(assumes !== undefined && safety !== 'safe' && { assumes }) })),
    restsOn: ids(first?.restsOn),
    waitsFor: ids(finding.waitsFor),
    url: finding.rule.url,
  };
}

function rangeOf(tree: Tree, { start, end }: Span) {
  return { start: tree.positionAt(start), end: tree.positionAt(end) };
}

const SARIF_LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note', hint: 'note' };

/** SARIF 2.1.0, for code scanning. Regions are 1-based. */
function sarifReport({ terminal, write }: ReportOptions): Report {
  const results: object[] = [];
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const locationOf = (place: Span) => {
          const { start, end } = rangeOf(tree, place);
          const region = { startLine: start.line + 1, startColumn: start.character + 1, endLine: end.line + 1, endColumn: end.character + 1 };
          return { physicalLocation: { artifactLocation: { uri: uriOf(path) }, region } };
        };
        results.push({
          ruleId: finding.rule.id,
          ruleIndex: ALL_RULES.indexOf(finding.rule),
          level: SARIF_LEVELS[finding.severity],
          message: { text: finding.message },
          locations: [locationOf(finding)],
          ...(finding.places.length > 0 && { relatedLocations: finding.places.map((place, id) => ({ id, ...locationOf(place) })) }),
          properties: { consequence: finding.consequence, fix: fixability(finding) },
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
        defaultConfiguration: { level: SARIF_LEVELS[SEVERITY_OF[rule.consequence]] },
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
