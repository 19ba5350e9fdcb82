/** Writes findings in the formats of build servers: GitLab's code quality, Checkstyle and JUnit. */
import { fullEditorText, type PlacedFinding } from '../analysis/findings';
import type { Severity } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { Fingerprints } from './fingerprint';
import { KNOWN_SUFFIX, reportPath, type Report, type ReportOptions } from './report-form';
import { withHiddenShown, jsonWithVisibleText } from '../syntax/hidden-text';

/**
 * GitLab's names of severities:
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
const GITLAB_SEVERITIES: Record<Severity, string> = {
  error: 'critical',
  warning: 'major',
  info: 'minor',
  hint: 'info',
};

/**
 * Writes one array for all files. Lines are counted from 1. Paths are as given: relative to the
 * repository if the command runs at its top.
 */
export function gitlabReport({ write, isKnown }: ReportOptions): Report {
  const fingerprints = new Fingerprints();
  let separator = '[';
  return {
    file(path, tree, findings) {
      for (const finding of findings) {
        const { rule, what } = finding;
        const isKnownProblem = isKnown?.(finding) === true;
        const location = { path: reportPath(path), lines: { begin: tree.positionAt(finding.start).line + 1 } };
        const issue = {
          description: `${what}${isKnownProblem ? KNOWN_SUFFIX : ''}`,
          check_name: rule.id,
          fingerprint: fingerprints.fingerprintOf(reportPath(path), tree, finding),
          severity: isKnownProblem ? 'info' : GITLAB_SEVERITIES[finding.severity],
          location,
        };
        write(`${separator}\n${jsonWithVisibleText(issue)}`);
        separator = ',';
      }
    },
    end() {
      write(separator === '[' ? '[]\n' : '\n]\n');
    },
  };
}

const CHECKSTYLE_SEVERITIES: Record<Severity, string> = {
  error: 'error',
  warning: 'warning',
  info: 'info',
  hint: 'info',
};

/** Lines and columns are counted from 1, columns in UTF-16 units. */
export function checkstyleReport({ write, isKnown }: ReportOptions): Report {
  write('<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n');
  return {
    file(givenPath, tree, findings) {
      const shownPath = reportPath(givenPath);
      write(` <file name="${escapeXml(shownPath)}">\n`);
      for (const finding of findings) {
        const { line, character } = tree.positionAt(finding.start);
        const isKnownProblem = isKnown?.(finding) === true;
        const severity = isKnownProblem ? 'info' : CHECKSTYLE_SEVERITIES[finding.severity];
        const lineAndColumn = `line="${line + 1}" column="${character + 1}"`;
        write(
          `  <error ${lineAndColumn} severity="${severity}" message="${escapeXml(`${finding.what}${isKnownProblem ? KNOWN_SUFFIX : ''}`)}" source="httpd-upgrade.${finding.rule.id}"/>\n`,
        );
      }
      write(' </file>\n');
    },
    end() {
      write('</checkstyle>\n');
    },
  };
}

/**
 * Writes one suite for each file, and one case for each finding. A file without findings is one
 * passing case. Known problems, and findings of the severities info and hint, are no failures.
 */
export function junitReport({ write, isKnown }: ReportOptions): Report {
  write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="httpd-upgrade">\n');
  return {
    file(givenPath, tree, findings) {
      const shownPath = reportPath(givenPath);
      const testCases = [...findings].map((finding) =>
        junitCase(shownPath, { tree, finding, known: isKnown?.(finding) === true }),
      );
      const failures = testCases.filter(({ isFailure }) => isFailure).length;
      const testCaseRows =
        testCases.length > 0
          ? testCases.map(({ text }) => text)
          : [`  <testcase name="no problems" classname="${escapeXml(shownPath)}"/>\n`];
      write(
        ` <testsuite name="${escapeXml(shownPath)}" tests="${testCaseRows.length}" failures="${failures}" errors="0">\n${testCaseRows.join('')} </testsuite>\n`,
      );
    },
    end() {
      write('</testsuites>\n');
    },
  };
}

/** The test case for a finding, and whether it is a failure. */
function junitCase(
  path: string,
  { tree, finding, known: isKnown }: { readonly tree: Tree; readonly finding: PlacedFinding; readonly known: boolean },
): { readonly text: string; readonly isFailure: boolean } {
  const lineNumber = tree.positionAt(finding.start).line + 1;
  const startTag = `  <testcase name="${escapeXml(`${finding.rule.id}: line ${lineNumber}${isKnown ? KNOWN_SUFFIX : ''}`)}" classname="${escapeXml(path)}"`;
  const isFailure = !isKnown && (finding.severity === 'error' || finding.severity === 'warning');
  const escapedMessage = escapeXml(`${path}:${lineNumber}\n${fullEditorText(finding)}`);
  if (isFailure)
    return {
      isFailure,
      text: `${startTag}>\n   <failure type="${finding.severity}" message="${escapeXml(finding.what)}">${escapedMessage}</failure>\n  </testcase>\n`,
    };
  return { isFailure, text: `${startTag}>\n   <system-out>${escapedMessage}</system-out>\n  </testcase>\n` };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Escapes text for XML 1.0, which forbids most control characters and unpaired surrogates. */
function escapeXml(text: string): string {
  return withHiddenShown(text)
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => XML_ENTITIES[character]!)
    .replace(/[\t\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const XML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
