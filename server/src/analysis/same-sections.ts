/**
 * Shares the findings of sections with the same lines in one file. The result of the first such
 * section is also the result of the others. That is right for three reasons: findings depend only
 * on text and context, their offsets count from the section, and rules see only the `ScopeTag` of
 * the section's tag.
 *
 * The results are shared only during one analysis. That saves 14 % of the time of `check` for a
 * file of 100,000 lines.
 */
import type { Context } from '../rules/rule';
import type { Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import type { ListResult, SectionResult } from './results';

/**
 * Results of sections with the same lines in the same context. Among these, sections whose tags are
 * equal for rules share one result.
 */
export class ResultsOfEqualSections {
  private readonly resultByTagLength = new Map<number, { readonly tag: Line; readonly result: SectionResult }>();

  constructor(readonly body: ListResult) {
    body.isShared = true;
  }

  /**
   * The result of a section with an equal tag. Null if there is no such section. Tags are equal if
   * rules see no difference between them.
   */
  resultForTag(tag: Line, context: Context): SectionResult | null {
    const lastWithLength = this.resultByTagLength.get(tag.length);
    return lastWithLength !== undefined &&
      lastWithLength.result.context === context &&
      haveSameIndentation(lastWithLength.tag, tag)
      ? lastWithLength.result
      : null;
  }

  /**
   * Stores the result of a section with this tag. It replaces the result for a tag of the same
   * length.
   */
  add(tag: Line, result: SectionResult): void {
    result.isShared = true;
    this.resultByTagLength.set(tag.length, { tag, result });
  }
}

/** The results of sections, by the context and the text of their lines. */
export class SectionsByText {
  private readonly resultsByContext = new Map<Context, Map<string, ResultsOfEqualSections>>();

  /** The results of sections with this text in this context. Undefined if there are none. */
  resultsOf(text: string, bodyContext: Context): ResultsOfEqualSections | undefined {
    return this.resultsByContext.get(bodyContext)?.get(text);
  }

  /**
   * Adds the result of a section's body. Returns the object that collects the results of sections
   * with this body.
   */
  add(text: string, bodyContext: Context, body: ListResult): ResultsOfEqualSections {
    let sectionsOfContext = this.resultsByContext.get(bodyContext);
    if (!sectionsOfContext) this.resultsByContext.set(bodyContext, (sectionsOfContext = new Map()));
    if (sectionsOfContext.size >= MAX_CACHED_TEXTS) sectionsOfContext.clear();
    const equalSections = new ResultsOfEqualSections(body);
    sectionsOfContext.set(text, equalSections);
    return equalSections;
  }
}

/**
 * The text of a section's lines, as a key for comparisons. Null if it is too long, or if the
 * section contains other sections.
 */
export function comparableText({ body, templateLineCount }: Section): string | null {
  if (
    body.length > MAX_COMPARED_LENGTH ||
    body.height > 0 ||
    body.depth > 0 ||
    body.looseTagCount > 0 ||
    templateLineCount > 0
  )
    return null;
  const { children } = body;
  let linesText = '';
  for (let i = 0; i < children.length; i++) linesText += (children[i] as Line).text;
  return linesText;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of cached texts for each context. */
const MAX_CACHED_TEXTS = 1000;
/** Maximum length of a text that is compared, in UTF-16 units. Longer sections are rarely equal. */
const MAX_COMPARED_LENGTH = 1000;

/** Whether two tags of the same length, without template text, have the same indentation. */
function haveSameIndentation(a: Line, b: Line): boolean {
  return a.nameStart === b.nameStart && a.text.startsWith(b.text.slice(0, b.nameStart));
}
