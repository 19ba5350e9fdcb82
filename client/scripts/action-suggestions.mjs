// Writes the fixes of a SARIF report as suggestions on the lines of a pull request: one review, in
// which each comment can be committed with a click. Uses `gh`, which each runner of GitHub has.
//
//   node action-suggestions.mjs REPORT.sarif
//
// In the environment: GITHUB_REPOSITORY, PULL_REQUEST (its number), HEAD_SHA (its last commit),
// GH_TOKEN with the permission pull-requests: write.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** With more comments, readers would miss the important ones. */
const MOST_COMMENTS = 50;

/**
 * The comments of a review. `report`: SARIF. `patches`: the patch of each changed file, by its
 * path. `read`: the content of a file, or null. GitHub takes comments only on lines of a patch.
 */
export function suggestions(report, patches, read) {
  const [{ results, tool }] = report.runs;
  const links = new Map(tool.driver.rules.map(({ id, helpUri }) => [id, helpUri]));
  const comments = [];
  for (const { ruleId, message, fixes = [], locations, baselineState, properties } of results) {
    const [fix] = fixes;
    if (!fix || baselineState === 'unchanged') continue;
    const path = decodeURIComponent(locations[0].physicalLocation.artifactLocation.uri);
    const hunks = hunksOf(patches[path] ?? '');
    const text = hunks.length > 0 ? read(path) : null;
    if (text === null || text.includes('\ufffd')) continue;
    const change = changeOf(text, fix.artifactChanges[0].replacements);
    if (!hunks.some((hunk) => holds(hunk, text, change))) continue;
    if (comments.some((each) => each.path === path && each.first <= change.last && change.first <= each.last)) continue;
    const kind = properties.fix === 'safe' ? 'Safe fix' : 'Suggestion: review it first';
    const body = `\`${ruleId}\`: ${message.text.split('\n')[0]}\n\n${kind}: ${fix.description.text}. [About this rule](${links.get(ruleId)})\n\n${block(change.lines)}`;
    comments.push({ path, body, first: change.first, last: change.last });
  }
  return comments.slice(0, MOST_COMMENTS).map(({ path, body, first, last }) => ({
    path,
    body,
    line: last,
    side: 'RIGHT',
    ...(first < last && { start_line: first, start_side: 'RIGHT' }),
  }));
}

/** The lines that a fix replaces, counted from 1, and the lines that it writes in their place. */
function changeOf(text, replacements) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const edits = replacements
    .map(({ deletedRegion: { startLine, startColumn, endLine, endColumn }, insertedContent }) => ({
      start: starts[startLine - 1] + startColumn - 1,
      end: starts[endLine - 1] + endColumn - 1,
      first: startLine,
      // A deletion up to the begin of a line does not touch that line.
      last: endColumn === 1 && endLine > startLine ? endLine - 1 : endLine,
      text: insertedContent?.text ?? '',
    }))
    .sort((a, b) => b.start - a.start);
  const first = Math.min(...edits.map((edit) => edit.first));
  const last = Math.max(...edits.map((edit) => edit.last));
  let changed = text;
  for (const { start, end, text: inserted } of edits) changed = changed.slice(0, start) + inserted + changed.slice(end);
  const lines = changed.split('\n');
  return { first, last, lines: lines.slice(first - 1, lines.length - (starts.length - last)) };
}

/** Whether a hunk shows all lines of a change, with the same text as the file. */
function holds(hunk, text, { first, last }) {
  const lines = text.split('\n');
  for (let line = first; line <= last; line++) if (hunk.get(line) !== lines[line - 1]) return false;
  return true;
}

/** The lines of the new file in each hunk of a patch, by their numbers. */
function hunksOf(patch) {
  const hunks = [];
  let line = 0;
  for (const row of patch.split('\n')) {
    const [, start] = /^@@ -\S+ \+(\d+)\S* @@/.exec(row) ?? [];
    if (start !== undefined) {
      line = Number(start);
      hunks.push(new Map());
    } else if (row.startsWith(' ') || row.startsWith('+')) hunks.at(-1)?.set(line++, row.slice(1));
  }
  return hunks;
}

/** A block that GitHub shows as a suggestion. */
function block(lines) {
  const longest = Math.max(2, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}

function main(file) {
  const { GITHUB_REPOSITORY: repository, PULL_REQUEST: number, HEAD_SHA: head } = process.env;
  const pull = `repos/${repository}/pulls/${number}`;
  const patches = Object.fromEntries(
    pages(`${pull}/files?per_page=100`).map(({ filename, patch = '' }) => [filename, patch]),
  );
  const read = (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return null;
    }
  };
  const all = suggestions(JSON.parse(readFileSync(file, 'utf8')), patches, read);
  // A later run on the same pull request does not repeat comments that exist.
  const there = new Set(pages(`${pull}/comments?per_page=100`).map(({ path, body }) => `${path}\n${body}`));
  const comments = all.filter(({ path, body }) => !there.has(`${path}\n${body}`));
  if (comments.length === 0) return;
  const body = 'Fixes of Apache httpd configuration for 2.4. Each can be committed here.';
  gh(['api', '--method', 'POST', `${pull}/reviews`, '--input', '-'], {
    commit_id: head,
    event: 'COMMENT',
    body,
    comments,
  });
}

/** Returns all items of a list of GitHub's API, page by page. */
function pages(address) {
  return JSON.parse(gh(['api', '--paginate', '--slurp', address])).flat();
}

function gh(args, input) {
  const { status, stdout, stderr, error } = spawnSync('gh', args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    input: input && JSON.stringify(input),
  });
  if (status !== 0) throw new Error(`gh ${args.at(-1)}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main(process.argv[2]);
  } catch (error) {
    // Without the permission to write, as in a pull request from a fork, there are only the
    // annotations.
    console.log(`::warning title=httpd-upgrade::No suggestions on the pull request: ${error.message.split('\n')[0]}`);
  }
}
