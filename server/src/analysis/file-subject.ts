/**
 * Gives rules access to a whole file. Values that a rule computes from all lines are cached on the
 * nodes of the tree.
 */
import { cachedByNames, namesIn, type NameSet } from '../config/name-set';
import type { FileFacts } from '../rules/support/facts';
import type { Context, FileRuleInput, Summary } from '../rules/rule';
import { LineKind, type Line } from '../syntax/line';
import { List, Section } from '../syntax/tree';
import type { NodeResults } from './engine-view';
import type { SectionResult } from './results';

/** The facts about a file, from which the parameter of a rule's `checkFile` is made. */
export interface FileRuleOptions {
  /** The results of the nodes of the tree. */
  readonly nodeResults: NodeResults;
  /** The list of all lines of the file. */
  readonly rootList: List;
  /** The context of the outermost lines. */
  readonly context: Context;
  /** The facts about the whole file. */
  readonly facts: FileFacts;
  /** Whether a Use line of the file may insert one tag of a pair without the other. */
  readonly hasUnbalancedUses: boolean;
}

/** The names of the directives that a rule checks, in lower case. */
export interface RuleNames {
  readonly names: ReadonlySet<string>;
  /** Whether at least one of these names may be among the names in a text. */
  readonly mayBeAmong: (namesInText: NameSet) => boolean;
}

/** The names of a rule, with a test that computes each result only once for each set of names. */
export function ruleNamesOf(rule: { readonly names: readonly string[] }): RuleNames {
  const ruleNames = new Set(rule.names);
  const isOfRule = (name: string) => ruleNames.has(name.startsWith('<') ? name.slice(1) : name);
  return { names: ruleNames, mayBeAmong: cachedByNames((inside) => inside.hasSome(isOfRule)) };
}

/**
 * Makes the parameter of a rule's `checkFile`. Null if the file has no line that the rule checks.
 * If the rule has no names, null if each tag of the file is one of a pair.
 */
export function fileRuleInput(options: FileRuleOptions, { names, mayBeAmong }: RuleNames): FileRuleInput | null {
  const { nodeResults, rootList, context, facts, hasUnbalancedUses } = options;
  if (names.size > 0 ? !mayBeAmong(namesIn(rootList)) : rootList.looseTagCount === 0) return null;
  const reader = new SummaryReader(nodeResults, names, mayBeAmong);
  return {
    rootList,
    facts,
    context,
    hasUnbalancedUses,
    mayHaveDirective: (name) => namesIn(rootList).hasName(name),
    summaryOf: (summary) => reader.valueOfList(rootList, summary, context),
    firstMatch: (summary, may, test) =>
      reader.firstMatch(rootList, { summary, mayContain: may, test, baseOffset: 0, context }),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A search for the first line that passes `test`. Lists and sections are skipped if `mayContain`
 * returns false for their summary.
 */
interface LineSearch<T> {
  readonly summary: Summary<T>;
  readonly mayContain: (sum: T) => boolean;
  readonly test: (line: Line) => boolean;
  /** The offset in the file of the list or section that is searched. */
  readonly baseOffset: number;
  /**
   * The context of the lines directly in that list, or of the section's own tags. Lines inside a
   * section have another one (`contextInside`).
   */
  readonly context: Context;
}

/** A line with its offset in the file. */
interface LineInFile {
  readonly line: Line;
  readonly offset: number;
}

/** Computes summaries of lines for one rule. The values of lists are cached. */
class SummaryReader {
  constructor(
    private readonly results: NodeResults,
    private readonly names: ReadonlySet<string>,
    private readonly mayBeAmong: (names: NameSet) => boolean,
  ) {}

  /** The summary of all lines of a list. Null if no line in it contributes to the summary. */
  valueOfList<T>(list: List, summary: Summary<T>, context: Context): T | null {
    if (!this.mayBeAmong(namesIn(list))) return null;
    const listResult = this.results.listIn(list, context);
    const summaryIndex = listResult.summaryValues?.indexOf(summary) ?? -1;
    if (summaryIndex >= 0) return listResult.summaryValues![summaryIndex + 1] as T | null;
    let sum: T | null = null;
    for (const child of list.children) {
      const childValue =
        child instanceof List
          ? this.valueOfList(child, summary, context)
          : child instanceof Section
            ? this.valueOfSection(child, summary, context)
            : this.valueOfLine(child, summary, context);
      sum = combinedValues(summary, sum, childValue);
    }
    if (listResult.summaryValues === null) listResult.summaryValues = [summary, sum];
    else listResult.summaryValues.push(summary, sum);
    return sum;
  }

  /** The first line that passes the test. Null if no line passes it. */
  firstMatch<T>(list: List, search: LineSearch<T>): LineInFile | null {
    const { summary, mayContain, test, context } = search;
    let offset = search.baseOffset;
    for (const child of list.children) {
      const foundLine =
        child instanceof List
          ? mayHaveMatch(mayContain, this.valueOfList(child, summary, context))
            ? this.firstMatch(child, { ...search, baseOffset: offset })
            : null
          : child instanceof Section
            ? mayHaveMatch(mayContain, this.valueOfSection(child, summary, context))
              ? this.firstMatchInSection(child, { ...search, baseOffset: offset })
              : null
            : isOpenTagOrDirective(child) && test(child)
              ? { line: child, offset }
              : null;
      if (foundLine) return foundLine;
      offset += child.length;
    }
    return null;
  }

  /** The first match in a section: its tag, or a line inside. Null if there is none. */
  private firstMatchInSection<T>(section: Section, search: LineSearch<T>): LineInFile | null {
    const { open, body } = section;
    if (search.test(open)) return { line: open, offset: search.baseOffset };
    const contextOfBody = this.contextInside(section, search.context);
    return (
      contextOfBody &&
      this.firstMatch(body, { ...search, baseOffset: search.baseOffset + open.length, context: contextOfBody })
    );
  }

  /** The summary of the opening tag of a section, and of its lines if httpd reads them. */
  private valueOfSection<T>(section: Section, summary: Summary<T>, context: Context): T | null {
    const contextOfBody = this.contextInside(section, context);
    const valueOfTag = this.valueOfLine(section.open, summary, context);
    return contextOfBody === null
      ? valueOfTag
      : combinedValues(summary, valueOfTag, this.valueOfList(section.body, summary, contextOfBody));
  }

  private valueOfLine<T>(line: Line, summary: Summary<T>, context: Context): T | null {
    return isOpenTagOrDirective(line) && this.names.has(line.name) ? summary.summarize(line, context) : null;
  }

  /** The context of the lines in a section. Null if httpd does not read them. */
  private contextInside(section: Section, context: Context): Context | null {
    const { bodyContext }: SectionResult = this.results.sectionIn(section, context);
    return bodyContext;
  }
}

/** Adds two values of a summary. Null stands for no value. */
function combinedValues<T>({ plus: add }: Summary<T>, a: T | null, b: T | null): T | null {
  return a === null ? b : b === null ? a : add(a, b);
}

function mayHaveMatch<T>(mayContain: (sum: T) => boolean, sum: T | null): boolean {
  return sum !== null && mayContain(sum);
}

function isOpenTagOrDirective({ kind }: Line): boolean {
  return kind === LineKind.Directive || kind === LineKind.Open;
}
