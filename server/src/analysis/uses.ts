/**
 * Finds errors in the lines that macros insert, and reports them at the Use line. Each list that
 * contains Use lines caches its findings, together with the results of the Use lines from which
 * they were computed. So an edit in another list needs no new computation. After a change of a
 * macro, only lists with Use lines are computed again.
 */
import { sectionKind } from '../config/sections';
import { treeOfText, type Expansion, type UsesOfFile } from '../config/macro';
import { fileContextWith, type FileContext } from '../config/file-context';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { unknownDirective } from '../rules/unknown-directive';
import { Fact, hasFact } from '../rules/support/facts';
import type { Context, Finding, LineRule, UseRuleInput } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { List, Section } from '../syntax/tree';
import type { EngineView } from './engine-view';
import type { FindingsOfUses } from './results';

/** What is needed to check the Use lines of a list. */
export interface UsesOptions {
  readonly engine: EngineView;
  /** The line rules that check Use lines. */
  readonly rules: readonly LineRule[];
  /** The results of the Use lines of the file. */
  readonly uses: UsesOfFile;
}

/**
 * Counters since the start of the program: Use lines that were checked, and inserted texts in which
 * errors were looked for. Tests use them to measure the work for an edit.
 */
export const useCounts = counters({ uses: 0, texts: 0 });

/**
 * The findings about the Use lines in a list, at any depth. Offsets count from the start of the
 * list.
 */
export function findingsOfUses(list: List, context: Context, options: UsesOptions): FindingsOfUses['lineFindings'] {
  const listResult = options.engine.listIn(list, context);
  if (!hasFact(listResult.facts, Fact.uses)) return NO_FINDINGS;
  if (listResult.findingsOfUses?.uses === options.uses) return listResult.findingsOfUses.lineFindings;
  const lineFindings: FindingsOfUses['lineFindings'][number][] = [];
  let childOffset = 0;
  const addFindings = (findingsBelow: FindingsOfUses['lineFindings'], offset: number) => {
    for (const each of findingsBelow) lineFindings.push({ ...each, offset: offset + each.offset });
  };
  for (const child of list.children) {
    if (child instanceof List) addFindings(findingsOfUses(child, context, options), childOffset);
    else if (child instanceof Section) {
      const { bodyContext } = options.engine.sectionIn(child, context);
      if (bodyContext && child.name !== 'macro' && sectionKind(child.name) !== 'opaque')
        addFindings(findingsOfUses(child.body, bodyContext, options), childOffset + child.open.length);
    } else if ((child.name === 'use' || child.name === 'undefmacro') && child.kind === LineKind.Directive) {
      for (const { rule, finding } of findingsOfUse(child, context, options))
        lineFindings.push({ offset: childOffset, rule, finding });
    }
    childOffset += child.length;
  }
  listResult.findingsOfUses = { uses: options.uses, lineFindings };
  return lineFindings;
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_FINDINGS: readonly FindingsOfUses['lineFindings'][number][] = [];

/** The findings about one Use or UndefMacro line, with offsets from the start of the line. */
function findingsOfUse(
  line: Line,
  context: Context,
  { engine, rules, uses }: UsesOptions,
): { rule: LineRule; finding: Finding }[] {
  useCounts.uses++;
  const useResult = uses.resultOf(line);
  // Without mod_macro, httpd does not know the directive `Use`. Another rule reports that.
  if (useResult === null || context.fileContext?.modules?.has('mod_macro') === false) return [];
  const errors =
    useResult.kind === 'expands' && uses.searchesErrorsIn(useResult.text)
      ? errorsInExpansion(useResult, context, engine)
      : [];
  return rules.flatMap((rule) =>
    engine.runSafely(rule, () => rule.checkUse!({ line, useResult, errors })).map((finding) => ({ rule, finding })),
  );
}

/** The errors in an inserted text, and the context in which they were found. */
interface ErrorsOfText {
  readonly context: Context;
  readonly errors: UseRuleInput['errors'];
}

/**
 * The errors in the texts of Use lines. They are cached by text, because hundreds of Use lines can
 * insert the same text.
 */
const errorsByTree = cacheOf<Tree, ErrorsOfText>();

/**
 * Returns the errors in the lines that a Use line inserts, at most one for each line. Access lines
 * of 2.2 are left out: they are reported in the macro, because the conversion changes them there.
 */
function errorsInExpansion({ text }: Expansion, context: Context, engine: EngineView): UseRuleInput['errors'] {
  const tree = treeOfText(text);
  const contextInText = text.includes('${')
    ? engine.contextWith(context, withoutVariables(context.fileContext))
    : context;
  const cachedErrors = errorsByTree.get(tree);
  if (cachedErrors?.context === contextInText) return cachedErrors.errors;
  useCounts.texts++;
  const errors = errorsOfTree(tree, text, contextInText, engine);
  errorsByTree.set(tree, { context: contextInText, errors });
  return errors;
}

/** The errors in an inserted text, at most one for each line. `tree`: the tree of `text`. */
function errorsOfTree(tree: Tree, text: string, context: Context, engine: EngineView): UseRuleInput['errors'] {
  const errors: UseRuleInput['errors'][number][] = [];
  let row = 0;
  let rowStart = 0;
  for (const { severity, start, what, rule, consequence } of engine.findingsIn(tree, context, orderAllowDeny)) {
    const isUncertain = rule === unknownDirective && consequence === 'may not start';
    if (severity !== 'error' && !isUncertain) continue;
    for (
      let nextNewline = text.indexOf('\n', rowStart);
      nextNewline >= 0 && nextNewline < start;
      nextNewline = text.indexOf('\n', rowStart)
    ) {
      row++;
      rowStart = nextNewline + 1;
    }
    if (errors.at(-1)?.row === row) continue;
    const lineEnd = text.indexOf('\n', start);
    errors.push({
      row,
      text: text.slice(rowStart, lineEnd < 0 ? text.length : lineEnd).trim(),
      what,
      ...(isUncertain && { isUncertain }),
    });
  }
  return errors;
}

const withoutVariablesCache = cacheOf<FileContext, FileContext>();

/**
 * Removes the variables from the context of the file with the Use line, because the macro may be
 * from another file. Variables that are known in the file of the macro are already replaced.
 * Returns null for null.
 */
function withoutVariables(fileContext: FileContext | null): FileContext | null {
  if (fileContext === null) return null;
  let cachedContext = withoutVariablesCache.get(fileContext);
  if (!cachedContext)
    withoutVariablesCache.set(
      fileContext,
      (cachedContext = fileContextWith(fileContext, { variable: () => undefined })),
    );
  return cachedContext;
}
