/**
 * Writes findings as text, JSON, SARIF or GitHub's workflow commands. report-ci.ts has the formats
 * of other build servers. Each report gets the files one by one.
 */
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixability } from '../analysis/fixes';
import type { PlacedFinding } from '../analysis/findings';
import { planCounts, stateOfAll } from '../analysis/plan-figures';
import { ALL_RULES } from '../rules/all';
import { rulePage, writtenPage } from '../rules/support/page';
import { SEVERITY_OF, type Fix, type Severity, type Span } from '../rules/rule';
import { findingToJson, jsonRange } from '../features/finding-json';
import type { CheckFormat } from './arguments';
import { Fingerprints } from './fingerprint';
import { checkstyleReport, gitlabReport, junitReport } from './report-ci';
import {
  KNOWN_SUFFIX,
  configurationsWithMainFile,
  reportPath,
  type Report,
  type ReportOptions,
  type Summary,
} from './report-form';
import { rulePageAddress, SITE } from '../rules/support/links';
import { textReport } from './report-text';
import { version } from './version';
import { withHiddenShown, jsonWithVisibleText } from '../syntax/hidden-text';

export type { Summary };

/** A summary with all numbers 0. */
export function newSummary(): Summary {
  return { files: 0, findings: 0, error: 0, warning: 0, info: 0, hint: 0, safe: 0, suggestion: 0 };
}

/** Adds a finding to a summary. */
export function addToSummary(summary: Summary, finding: PlacedFinding): void {
  summary.findings++;
  summary[finding.severity]++;
  const fix = fixability(finding);
  if (fix !== 'none') summary[fix]++;
}

/** The report in this format. */
export function reportFor(format: CheckFormat, options: ReportOptions): Report {
  switch (format) {
    case 'text':
      return textReport(options);
    case 'json':
      return jsonReport(options);
    case 'sarif':
      return sarifReport(options);
    case 'github':
      return githubReport(options);
    case 'gitlab':
      return gitlabReport(options);
    case 'checkstyle':
      return checkstyleReport(options);
    case 'junit':
      return junitReport(options);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The JSON format, on which scripts rely; see docs/ci.md. Lines and characters are counted from 0,
 * characters in UTF-16 units.
 */
function jsonReport({ write, questionIdOf, isKnown }: ReportOptions): Report {
  let isFirstFile = true;
  write('{"version":1,"files":[');
  return {
    file(path, tree, findings) {
      write(`${isFirstFile ? '' : ','}\n{"path":${jsonWithVisibleText({ path }).slice(8, -1)},"findings":[`);
      isFirstFile = false;
      const findingJson = findingToJson((openQuestion) => questionIdOf(path, openQuestion));
      let separator = '';
      for (const finding of findings) {
        write(
          separator +
            jsonWithVisibleText({
              ...findingJson(tree, finding),
              ...(isKnown && { known: isKnown(finding) }),
            }),
        );
        separator = ',';
      }
      write(']}');
    },
    end(summary, { plan }) {
      const dormantFiles = plan?.configurations.flatMap((each) => each.dormant ?? []) ?? [];
      const serverConfigurations = configurationsWithMainFile(plan);
      const stateOfServer = {
        blocking: planCounts(serverConfigurations).blocking,
        state: stateOfAll(serverConfigurations),
      };
      const summaryWithState = { ...summary, ...(serverConfigurations.length > 0 && stateOfServer) };
      write(
        `\n],${dormantFiles.length > 0 ? `"dormant":${jsonWithVisibleText(dormantFiles)},` : ''}"summary":${JSON.stringify(summaryWithState)}}\n`,
      );
    },
  };
}

/** SARIF's levels, by severity. */
const SARIF_LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note', hint: 'note' };

/**
 * Several findings of a file can share a fix. If it changes more places than this, the report has
 * it only at the first of these findings. Otherwise its size would grow quadratically.
 */
const MAX_SHARED_PLACES = 100;

/**
 * Returns a function that tells whether the report has a fix of a finding. It has a fix of many
 * places (`MAX_SHARED_PLACES`) only once for each file. `fixBase`: the offset in the file to which
 * the offsets of the fix are added.
 */
function newFixFilter(): (fix: Fix, fixBase: number) => boolean {
  const writtenFixes = new Set<string>();
  return ({ title, edits }, fixBase) => {
    if (edits.length <= MAX_SHARED_PLACES) return true;
    const [first, last] = [edits[0]!, edits.at(-1)!];
    const fixKey = `${edits.length} ${fixBase + first.start} ${fixBase + last.end} ${title}`;
    return !writtenFixes.has(fixKey) && writtenFixes.add(fixKey) !== undefined;
  };
}

/**
 * SARIF 2.1.0, for code scanning. Lines and columns are counted from 1, columns in UTF-16 units.
 * Relative paths are relative to SRCROOT, the current directory.
 */
function sarifReport({ terminal, write, isKnown }: ReportOptions): Report {
  const sarifResults: object[] = [];
  const fingerprints = new Fingerprints();
  return {
    file(path, tree, findings) {
      const artifactLocation = sarifLocation(path);
      const regionOf = (place: Span) => {
        const { start, end } = jsonRange(tree, place);
        return {
          startLine: start.line + 1,
          startColumn: start.character + 1,
          endLine: end.line + 1,
          endColumn: end.character + 1,
        };
      };
      const isFirstUse = newFixFilter();
      const placeOf = (place: Span) => ({ physicalLocation: { artifactLocation, region: regionOf(place) } });
      for (const finding of findings) {
        const fixes = finding.fixes.filter(
          (fix) => fix.edits.length > 0 && !fix.elsewhere && isFirstUse(fix, finding.fixBase),
        );
        const replacements = (fix: Fix) =>
          fix.edits.map(({ start, end, text }) => ({
            deletedRegion: regionOf({ start: finding.fixBase + start, end: finding.fixBase + end }),
            ...(text !== '' && { insertedContent: { text } }),
          }));
        sarifResults.push({
          ruleId: finding.rule.id,
          ruleIndex: ALL_RULES.indexOf(finding.rule),
          level: SARIF_LEVELS[finding.severity],
          message: { text: withHiddenShown(finding.message) },
          locations: [placeOf(finding)],
          ...(finding.places.length > 0 && {
            relatedLocations: finding.places.map((place, id) => ({ id, ...placeOf(place) })),
          }),
          partialFingerprints: { 'httpdUpgrade/v1': fingerprints.fingerprintOf(artifactLocation.uri, tree, finding) },
          ...(isKnown && { baselineState: isKnown(finding) ? 'unchanged' : 'new' }),
          ...(fixes.length > 0 && {
            fixes: fixes.map((fix) => ({
              description: { text: withHiddenShown(fix.title) },
              artifactChanges: [{ artifactLocation, replacements: replacements(fix) }],
            })),
          }),
          properties: { consequence: finding.consequence, fix: fixability(finding) },
        });
      }
    },
    end() {
      const rules = ALL_RULES.map((rule) => ({
        id: rule.id,
        shortDescription: { text: rule.title },
        fullDescription: { text: writtenPage(rule).what },
        help: { text: writtenPage(rule).fixing, markdown: rulePage(rule) },
        helpUri: rulePageAddress(rule.id),
        defaultConfiguration: { level: SARIF_LEVELS[SEVERITY_OF[rule.consequence]] },
        ...(ACCESS_RULES.test(rule.id) && {
          properties: { tags: ['security'], 'security-severity': SECURITY_SEVERITIES[SEVERITY_OF[rule.consequence]] },
        }),
      }));
      const driver = {
        name: 'httpd-upgrade',
        version: version(),
        semanticVersion: version(),
        informationUri: SITE,
        rules,
      };
      const run = {
        tool: { driver },
        automationDetails: { id: 'httpd-upgrade/' },
        invocations: [{ executionSuccessful: !terminal.hadProblems }],
        originalUriBaseIds: { SRCROOT: { uri: `${pathToFileURL(process.cwd()).href.replace(/\/$/, '')}/` } },
        columnKind: 'utf16CodeUnits',
        results: sarifResults,
      };
      write(
        `${jsonWithVisibleText({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, 1)}\n`,
      );
    },
  };
}

/** Matches the ids of rules about access. Code scanning shows their findings as security alerts. */
const ACCESS_RULES =
  /^(order-allow-deny|access-|allow-override-|authtype-|authz-|limit-outside-directory|require-|satisfy-any-)/;

/** Severities as scores of CVSS, which code scanning expects. */
const SECURITY_SEVERITIES: Record<Severity, string> = { error: '7.5', warning: '6.5', info: '4.0', hint: '2.0' };

/** The location of a file: relative to SRCROOT if it is below the current directory. */
function sarifLocation(file: string): { readonly uri: string; readonly uriBaseId?: string } {
  const shownPath = reportPath(file);
  return isAbsolute(shownPath)
    ? { uri: pathToFileURL(shownPath).href }
    : { uri: shownPath.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'SRCROOT' };
}

/** The workflow commands, by severity. */
const GITHUB_COMMANDS: Record<Severity, string> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
  hint: 'notice',
};

/** Writes GitHub's workflow commands, which become annotations on the lines of a pull request. */
function githubReport({ write, isKnown }: ReportOptions): Report {
  const escapedData = (text: string) =>
    withHiddenShown(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const escapedProperty = (text: string) => escapedData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const start = tree.positionAt(finding.start);
        const end = tree.positionAt(finding.end);
        // GitHub uses columns only if the range is in one line.
        const columnsText = start.line === end.line ? `,col=${start.character + 1},endColumn=${end.character + 1}` : '';
        const locationText = `file=${escapedProperty(reportPath(path))},line=${start.line + 1},endLine=${end.line + 1}${columnsText}`;
        const isKnownProblem = isKnown?.(finding) === true;
        const command = isKnownProblem ? 'notice' : GITHUB_COMMANDS[finding.severity];
        const title = `${finding.rule.id}${isKnownProblem ? KNOWN_SUFFIX : ''}`;
        write(`::${command} ${locationText},title=${escapedProperty(title)}::${escapedData(finding.message)}\n`);
      }
    },
    end() {},
  };
}
