/**
 * Findings in a template: what is said of a line must hold for whatever the template makes of it and of the lines around it. Asked only of files that have template text.
 */
import type { Surroundings } from '../config/file-context';
import { directiveNotAllowedHere } from '../rules/directive-not-allowed-here';
import type { Finding, Rule } from '../rules/rule';
import type { Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { danglingEnd, isShellWord, Template, TemplateTrait } from '../syntax/template';
import { hasTemplateBetween, lineAt, someTemplateLine, textOf, type List } from '../syntax/tree';
import { severityOf, type PlacedFinding } from './findings';

/**
 * The finding as far as it holds: null on a line of which nobody knows what comes of it, and about a value that the template fills in. What is said of such a line's name
 * is no more than information. A fix changes no template text and nothing on both sides of it, and is for a person to decide where a branch may have begun.
 * `base` is what the fixes' offsets are relative to.
 */
export function mindingTemplate(root: List, finding: PlacedFinding, base: number): PlacedFinding | null {
  const place = lineAt(root, finding.start);
  if (place === null || place.line.template === Template.Structure || isInTag(root, finding.start)) return null;
  const { line, offset } = place;
  // Velocity's and Mako's values look like a macro's parameters, and like variables.
  const isValue =
    line.template === Template.Value || (root.branches > 0 && hasShellWord(line.text.slice(line.nameEnd)));
  const isOfName = finding.start <= offset + line.nameStart || finding.end <= offset + line.nameEnd;
  if (isValue && !(isOfName && finding.rule.names.length > 0 && line.nameEnd > 0)) return null;
  // What a place admits, and which names there are, is for nobody to say where sections come and go.
  if (root.branches > 0 && OF_PLACE.has(finding.rule.id) && finding.severity !== 'hint') return null;
  const isAnyWord = (root.templateTraits & TemplateTrait.AnyWord) !== 0;
  const kept = finding.withFixes(({ edits, elsewhere }) => {
    if (edits.length === 0 || elsewhere) return false;
    const start = base + Math.min(...edits.map((edit) => edit.start));
    const end = base + Math.max(...edits.map((edit) => edit.end));
    const isName = start >= offset + line.nameStart && end <= offset + line.nameEnd;
    return (
      isName ||
      (!isAnyWord &&
        !isInTag(root, start) &&
        !isInTag(root, end) &&
        !hasTemplateBetween(root, start, Math.max(end, start + 1), 'templates'))
    );
  });
  const isDoubtful = isValue || (root.branches > 0 && hasTemplateBetween(root, 0, offset, 'branches'));
  const decided = isDoubtful && kept.fixes.some(({ safety }) => safety === 'safe') ? kept.withSuggestions() : kept;
  return isValue && (decided.severity === 'error' || decided.severity === 'warning')
    ? decided.withSeverity('info')
    : decided;
}

/**
 * Whether what is found in a line is about a word that a shell, or the like, may write over: not one that httpd itself has a value for, and nothing that
 * holds whatever the word is. Offsets are the line's.
 */
export function isOfShellWord(
  { text, nameEnd }: Line,
  { start, end, consequence }: Pick<Finding, 'start' | 'end' | 'consequence'>,
  rule: Rule,
  surroundings: Surroundings | null,
): boolean {
  if (start >= nameEnd) return isWrittenOver(text.slice(start, end), surroundings);
  return (
    end > nameEnd &&
    rule.id !== directiveNotAllowedHere.id &&
    severityOf({ consequence }, rule) === 'error' &&
    hasShellWord(text.slice(nameEnd), surroundings)
  );
}

/** The template tags that go on over several lines, in order: offsets (UTF-16) in the file that `root` is the tree of. */
export function tagSpans(root: List): readonly Span[] {
  if ((root.templateTraits & TemplateTrait.Dangling) === 0) return [];
  let known = spans.get(root);
  if (known === undefined) spans.set(root, (known = spansOf(root)));
  return known;
}

// ---------------------------------------------------------------------------------------------------------------------

function hasShellWord(rest: string, surroundings: Surroundings | null = null): boolean {
  return (
    rest.includes('$') &&
    rest
      .trim()
      .split(/\s+/)
      .some((word) => isWrittenOver(word, surroundings))
  );
}

function isWrittenOver(word: string, surroundings: Surroundings | null): boolean {
  if (!isShellWord(word)) return false;
  const name = /^["']?\$\{([^}]+)\}["']?$/.exec(word)?.[1];
  return name === undefined || typeof surroundings?.variable(name) !== 'string';
}

const OF_PLACE: ReadonlySet<string> = new Set([
  'unknown-directive',
  'directive-not-allowed-here',
  'access-outside-directory',
  'limit-outside-directory',
  'else-without-if',
]);

/** Longest tag that goes on over several lines; behind one that does not end by then all is template text. */
const LONGEST_TAG = 20_000;

/** More of them are not told apart. */
const MOST_TAGS = 1000;

export interface Span {
  readonly start: number;
  readonly end: number;
}

const spans = cacheOf<List, readonly Span[]>();

/** Whether an offset stands in a tag that goes on over several lines. */
function isInTag(root: List, offset: number): boolean {
  return tagSpans(root).some(({ start, end }) => offset >= start && offset < end);
}

function spansOf(root: List): Span[] {
  const found: Span[] = [];
  let end = 0;
  someTemplateLine(
    root,
    (line, offset) => {
      if (offset < end) return false;
      const behind = offset + line.length;
      const length =
        found.length < MOST_TAGS
          ? danglingEnd(line.text, textOf(root, behind, Math.min(root.length, behind + LONGEST_TAG)))
          : -1;
      end = length < 0 ? root.length : behind + length;
      found.push({ start: offset, end });
      return end === root.length;
    },
    0,
    TemplateTrait.Dangling,
  );
  return found;
}
