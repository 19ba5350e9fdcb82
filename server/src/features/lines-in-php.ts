/**
 * Finds configuration lines in the strings of PHP code, because applications write .htaccess files
 * from such strings. The problems are remarks without fixes, because a string may be a part of any
 * text.
 */
import { PlacedFinding } from '../analysis/findings';
import type { Engine } from '../analysis/engine';
import { directive } from '../directives';
import type { Span } from '../rules/rule';
import { Tree } from '../syntax/document';
import { phpTexts, type PhpText } from '../syntax/php-strings';

/** Whether a file with this name can contain PHP code. */
export function isPhpName(path: string): boolean {
  return /\.(?:php\d?|phtml|phps|inc|module|install)$/i.test(path);
}

/**
 * Whether the strings of a PHP file may contain lines of 2.2. Searches the whole text, because
 * reading the strings is slower; false means that there are none.
 */
export function mayWriteOldLines(source: string): boolean {
  return source.includes('<?') && OLD_LINE.test(source);
}

/** The remarks on the strings of a PHP file, in the order of the text. */
export function findingsInPhp(source: string, engine: Pick<Engine, 'analyze'>): PlacedFinding[] {
  if (!mayWriteOldLines(source)) return [];
  return groupedLines(source).flatMap((lines) => remarksOn(lines, engine));
}

// ---------------------------------------------------------------------------------------------------------------------

// The pattern has no \b, because in the source an escape such as \n may be before a line.
const OLD_LINE =
  /(?:order\s+(?:deny|allow)|(?:allow|deny)\s+from\s|satisfy\s+a|NameVirtualHost\s|DefaultType\s|RewriteLog|MaxClients\s|SSLMutex\s|LockFile\s|AcceptMutex\s|Auth\w*Authoritative\s)/i;

/** The rules that check single lines of 2.2. All other rules need the rest of the configuration. */
const RULES_ABOUT_SINGLE_LINES: ReadonlySet<string> = new Set([
  ...['order-allow-deny', 'access-mixed', 'access-outside-directory', 'access-trailing-comment'],
  ...['authz-authoritative', 'default-type', 'max-clients', 'max-requests-per-child', 'mutex-directive'],
  ...['name-virtual-host', 'options-mixed', 'removed-directive', 'rewrite-log', 'text-is-expression'],
]);

/**
 * Limit for the rows of code between two strings. Strings that are further apart are assumed to go
 * into different files.
 */
const MAX_LINES_BETWEEN = 15;

/** A configuration line in a string. `offsets`: see `PhpText`. */
interface LineInString {
  readonly text: string;
  readonly offsets: readonly number[];
}

/** Groups the lines that the code probably writes into one file. */
function groupedLines(source: string): LineInString[][] {
  const lineGroups: LineInString[][] = [];
  let lastTextEnd = -1;
  for (const text of phpTexts(source)) {
    if (isComparedText(text)) continue;
    const httpdLines = linesIn(text).filter((line) => isLineOfHttpd(line.text));
    if (httpdLines.length === 0) continue;
    const lastGroup = lineGroups.at(-1);
    if (lastGroup && isShortCode(source.slice(lastTextEnd, httpdLines[0]!.offsets[0]))) lastGroup.push(...httpdLines);
    else lineGroups.push(httpdLines);
    lastTextEnd = text.offsets.at(-1)!;
  }
  return lineGroups;
}

function isShortCode(code: string): boolean {
  return code.split('\n').length <= MAX_LINES_BETWEEN && !/\bfunction\b/.test(code);
}

/** The lines of a string, with the offsets of their characters. */
function linesIn({ text, offsets }: PhpText): LineInString[] {
  const linesInString: LineInString[] = [];
  let lineStart = 0;
  for (const line of text.split('\n')) {
    const lineEnd = lineStart + line.length;
    linesInString.push({ text: line, offsets: offsets.slice(lineStart, lineEnd + 1) });
    lineStart = lineEnd + 1;
  }
  return linesInString;
}

function isLineOfHttpd(line: string): boolean {
  const [, slash, name, tagArguments] = /^\s*<(\/?)([A-Za-z]+)\b([^<]*)>\s*$/.exec(line) ?? [];
  if (name !== undefined)
    return directive(name, { section: true }) !== undefined && (slash === '/' || tagArguments !== '');
  const [, word] = /^\s*([A-Za-z]\w+)\s+\S/.exec(line) ?? [];
  return word !== undefined && directive(word, { section: false }) !== undefined;
}

/** Whether the code compares with the string instead of writing it. */
function isComparedText({ codeBefore }: PhpText): boolean {
  if (/[!=]=\s*$/.test(codeBefore)) return true;
  const call = codeBefore.slice(codeBefore.lastIndexOf(';') + 1);
  const lastOpenParenthesis = call.lastIndexOf('(');
  return (
    lastOpenParenthesis > call.lastIndexOf(')') &&
    /\b(?:strr?i?pos|stri?str|str_contains|str_starts_with|str_ends_with|preg_match|preg_quote|in_array)\s*$/i.test(
      call.slice(0, lastOpenParenthesis),
    )
  );
}

/** The remarks on lines that the code writes into one file. */
function remarksOn(lines: readonly LineInString[], engine: Pick<Engine, 'analyze'>): PlacedFinding[] {
  const joinedLines = lines.map((line) => `${line.text}\n`).join('');
  if (!OLD_LINE.test(joinedLines)) return [];
  const tree = Tree.parse(joinedLines);
  const isHtaccess = !lines.some((line) => /^[ \t]*<(?:Directory|Location|VirtualHost)/i.test(line.text));
  const spanInFile = ({ start, end }: Span): Span => {
    const [from, to] = [tree.positionAt(start), tree.positionAt(end)];
    return { start: lines[from.line]!.offsets[from.character]!, end: lines[to.line]!.offsets[to.character]! };
  };
  return [...engine.analyze(tree, { isHtaccess }).findingsInOrder()]
    .filter(({ rule }) => RULES_ABOUT_SINGLE_LINES.has(rule.id))
    .map((finding) => asRemark(finding, spanInFile));
}

/** Makes a remark without a fix from a finding about lines in a string. */
function asRemark(finding: PlacedFinding, spanInFile: (span: Span) => Span): PlacedFinding {
  const isAboutAccess = /^(?:order-allow-deny|access-)/.test(finding.rule.id);
  return new PlacedFinding(
    finding.rule,
    {
      messageId: finding.messageId,
      ...spanInFile(finding),
      places: finding.places.map(spanInFile),
      what: finding.what,
      consequence: 'check before the upgrade',
      cause: 'PHP code writes these lines for httpd. httpd 2.4 reads them differently than 2.2, or rejects them.',
      help: isAboutAccess
        ? 'Change the code by hand. For both versions, write the lines of 2.4 in `<IfModule mod_authz_core.c>`, and these lines in `<IfModule !mod_authz_core.c>`.'
        : 'Change the code by hand: strings are never changed automatically.',
    },
    'info',
    0,
  );
}
