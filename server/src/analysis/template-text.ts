/**
 * Changes findings in a file with template text, such as `{{ name }}`. Each finding and each fix
 * must be right for every text that the template can produce.
 */
import type { FileContext } from '../config/file-context';
import { directiveNotAllowedHere } from '../rules/directive-not-allowed-here';
import type { Finding, Rule } from '../rules/rule';
import type { Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { endOfOpenTag, isShellWord, Template, TemplateTrait } from '../syntax/template';
import { hasTemplateBetween, lineAt, someTemplateLine, textOf, type List } from '../syntax/tree';
import { severityOf, type PlacedFinding } from './findings';

/**
 * Returns a finding that is right for every text that the template can produce. Null if the
 * template may leave the line out, or if the finding is about an inserted value.
 *
 * If the line has an inserted value and the finding is about its name, the severity is at most
 * `info`. Fixes are left out if they change template text, or text before and after it. A fix
 * becomes a suggestion if a branch of the template may begin before it. `base`: the offset from
 * which the offsets of the fixes count.
 */
export function findingForAnyTemplateText(root: List, finding: PlacedFinding, base: number): PlacedFinding | null {
  const placedLine = lineAt(root, finding.start);
  if (placedLine === null || placedLine.line.template === Template.Structure || isInTag(root, finding.start))
    return null;
  const { line, offset } = placedLine;
  // Values in the templates of Velocity and Mako look like macro parameters or variables of httpd.
  const hasInsertedValue =
    line.template === Template.Value || (root.branchLineCount > 0 && hasShellWord(line.text.slice(line.nameEnd)));
  const isAboutName = finding.start <= offset + line.nameStart || finding.end <= offset + line.nameEnd;
  if (hasInsertedValue && !(isAboutName && finding.rule.names.length > 0 && line.nameEnd > 0)) return null;
  // A branch of a template may add or remove sections and Define lines. So the context of this line
  // and the defined names are unknown.
  if (root.branchLineCount > 0 && RULES_ABOUT_PLACE.has(finding.rule.id) && finding.severity !== 'hint') return null;
  const mayInsertAnyWord = (root.templateTraits & TemplateTrait.AnyWord) !== 0;
  const findingWithFittingFixes = finding.withSelectedFixes(({ edits, elsewhere }) => {
    if (edits.length === 0 || elsewhere) return false;
    const editsStart = base + Math.min(...edits.map((edit) => edit.start));
    const editsEnd = base + Math.max(...edits.map((edit) => edit.end));
    const changesOnlyName = editsStart >= offset + line.nameStart && editsEnd <= offset + line.nameEnd;
    return (
      changesOnlyName ||
      (!mayInsertAnyWord &&
        !isInTag(root, editsStart) &&
        !isInTag(root, editsEnd) &&
        !hasTemplateBetween(root, editsStart, Math.max(editsEnd, editsStart + 1), 'templateLineCount'))
    );
  });
  const isDoubtful =
    hasInsertedValue || (root.branchLineCount > 0 && hasTemplateBetween(root, 0, offset, 'branchLineCount'));
  const findingWithSafety =
    isDoubtful && findingWithFittingFixes.fixes.some(({ safety }) => safety === 'safe')
      ? findingWithFittingFixes.withSuggestions()
      : findingWithFittingFixes;
  return hasInsertedValue && (findingWithSafety.severity === 'error' || findingWithSafety.severity === 'warning')
    ? findingWithSafety
        .withSeverity('info')
        .withParts({ cause: [findingWithSafety.cause, WHY_SEVERITY_IS_INFO].filter(Boolean).join(' ') })
    : findingWithSafety;
}

/** The sentence that is added to a finding whose severity is lowered. */
const WHY_SEVERITY_IS_INFO =
  'This is only an info because the line has template text: also check the file that the template makes.';

/**
 * Whether a finding is about a word that a shell or a similar program may replace before httpd
 * reads the line. False if the configuration gives the word a value, or if the finding is right for
 * every value. Offsets count from the start of the line.
 */
export function isAboutShellWord(
  { text, nameEnd }: Line,
  { start, end, consequence }: Pick<Finding, 'start' | 'end' | 'consequence'>,
  rule: Rule,
  fileContext: FileContext | null,
): boolean {
  if (start >= nameEnd) return isReplacedBeforeReading(text.slice(start, end), fileContext);
  return (
    end > nameEnd &&
    rule.id !== directiveNotAllowedHere.id &&
    severityOf({ consequence }, rule) === 'error' &&
    hasShellWord(text.slice(nameEnd), fileContext)
  );
}

/**
 * The template tags that continue over several lines, in text order. Offsets count from the start
 * of the file.
 */
export function tagSpansOf(root: List): readonly Span[] {
  if ((root.templateTraits & TemplateTrait.Dangling) === 0) return [];
  let cachedSpans = spansCache.get(root);
  if (cachedSpans === undefined) spansCache.set(root, (cachedSpans = findTagSpans(root)));
  return cachedSpans;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether a word of the text may be replaced before httpd reads the line. `restOfText`: the text
 * after the name of the directive.
 */
function hasShellWord(restOfText: string, fileContext: FileContext | null = null): boolean {
  return (
    restOfText.includes('$') &&
    restOfText
      .trim()
      .split(/\s+/)
      .some((word) => isReplacedBeforeReading(word, fileContext))
  );
}

/**
 * Whether a shell may replace the word before httpd reads it. False for a variable to which the
 * configuration gives a value, and for `${a:b}` in a configuration: no shell has such a name.
 */
function isReplacedBeforeReading(word: string, fileContext: FileContext | null): boolean {
  if (!isShellWord(word)) return false;
  const variableName = /^["']?\$\{([^}]+)\}["']?$/.exec(word)?.[1];
  if (variableName === undefined || fileContext === null) return true;
  return !variableName.includes(':') && typeof fileContext.variable(variableName) !== 'string';
}

/**
 * Rules whose findings depend on the sections around the line, or on names that other lines define.
 */
const RULES_ABOUT_PLACE: ReadonlySet<string> = new Set([
  'unknown-directive',
  'directive-not-allowed-here',
  'access-outside-directory',
  'limit-outside-directory',
  'else-without-if',
]);

/**
 * Maximum length of a tag over several lines, in UTF-16 units. If a tag does not end within this
 * length, the rest of the file counts as template text.
 */
const MAX_TAG_LENGTH = 20_000;

/**
 * Maximum number of tags over several lines. After them, the rest of the file counts as template
 * text.
 */
const MAX_TAGS = 1000;

/** A part of a file, by UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const spansCache = cacheOf<List, readonly Span[]>();

/** Whether an offset is inside a tag that continues over several lines. */
function isInTag(root: List, offset: number): boolean {
  return tagSpansOf(root).some(({ start, end }) => offset >= start && offset < end);
}

/** Finds the template tags that continue over several lines. */
function findTagSpans(root: List): Span[] {
  const tagSpans: Span[] = [];
  let endOfLastSpan = 0;
  someTemplateLine(
    root,
    (line, offset) => {
      if (offset < endOfLastSpan) return false;
      const lineEnd = offset + line.length;
      const restLength =
        tagSpans.length < MAX_TAGS
          ? endOfOpenTag(line.text, textOf(root, lineEnd, Math.min(root.length, lineEnd + MAX_TAG_LENGTH)))
          : -1;
      endOfLastSpan = restLength < 0 ? root.length : lineEnd + restLength;
      tagSpans.push({ start: offset, end: endOfLastSpan });
      return endOfLastSpan === root.length;
    },
    0,
    TemplateTrait.Dangling,
  );
  return tagSpans;
}
