// Writes annotations, the job summary and the outputs of the GitHub action, from one SARIF report.
// node action-report.mjs REPORT.sarif [CODE] CODE: the exit code of `check`, 2 if it could not read
// all files. In the environment: GITHUB_OUTPUT, GITHUB_STEP_SUMMARY.
import { appendFileSync, readFileSync } from 'node:fs';

/** GitHub shows at most 10 errors, 10 warnings and 10 notices of a step; the summary has more. */
const MOST_ROWS = 200;

const [file, code] = process.argv.slice(2);
const [{ results, tool }] = JSON.parse(readFileSync(file, 'utf8')).runs;
const fresh = results.filter(({ baselineState }) => baselineState !== 'unchanged');
const links = new Map(tool.driver.rules.map(({ id, helpUri }) => [id, helpUri]));

const rows = fresh.map(({ ruleId, level, message, locations, properties }) => {
  const [{ physicalLocation: place }] = locations;
  return {
    rule: ruleId,
    level,
    message: message.text,
    file: decodeURIComponent(place.artifactLocation.uri),
    region: place.region,
    fix: properties.fix,
  };
});

for (const row of rows) process.stdout.write(`${annotation(row)}\n`);
append(process.env.GITHUB_STEP_SUMMARY, summary());
append(
  process.env.GITHUB_OUTPUT,
  `problems=${rows.length}\nerrors=${rows.filter(({ level }) => level === 'error').length}\nreport=${file}\n`,
);

/** A workflow command: GitHub shows it at the line. */
function annotation({ level, file: name, region, rule, message }) {
  const { startLine, endLine, startColumn, endColumn } = region;
  const columns = startLine === endLine ? `,col=${startColumn},endColumn=${endColumn}` : '';
  const place = `file=${property(name)},line=${startLine},endLine=${endLine}${columns}`;
  return `::${level === 'note' ? 'notice' : level} ${place},title=${property(rule)}::${data(message)}`;
}

/** Markdown: a table of the problems. */
function summary() {
  const known = results.length - rows.length;
  const unread = code === '2' ? 'Not everything was read: see the log of this step.\n' : '';
  if (rows.length === 0) {
    const verdict = known === 0 ? (unread ? '' : 'No problem.\n') : `No new problem, ${known} known.\n`;
    return `### httpd-upgrade\n\n${unread}${verdict}`;
  }
  const shown = rows.slice(0, MOST_ROWS).map(({ file: name, region, level, rule, message, fix }) => {
    const cells = [`${name}:${region.startLine}`, level, `[${rule}](${links.get(rule)})`, message.split('\n')[0], fix];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  const more = rows.length > MOST_ROWS ? `\n${rows.length - MOST_ROWS} more problems are in the report.\n` : '';
  const count = rows.length === 1 ? '1 problem' : `${rows.length} problems`;
  return `### httpd-upgrade: ${count}\n\n${unread && `${unread}\n`}| line | severity | rule | problem | fix |\n|---|---|---|---|---|\n${shown.join('\n')}\n${more}`;
}

/** One cell of a table: a name in a configuration must not end the cell or be taken for HTML. */
function cell(text) {
  return text
    .replace(/[\r\n]+/g, ' ')
    .replace(/\\/g, '\\\\')
    .replace(/\|/g, '\\|')
    .replace(/</g, '&lt;');
}

function data(text) {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text) {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

function append(name, text) {
  if (name) appendFileSync(name, text);
}
