/**
 * Hovers on arguments: explains a value, a flag, a variable, a module, a conversion of a log
 * format. Uses the same tables as completion and the rules.
 */
import type { Engine } from '../../analysis/engine';
import type { FileContext } from '../../config/file-context';
import { directive as findDirective, module as findModule, providers, type ProviderKind } from '../../directives';
import { descriptionOfDirective } from '../../directives/descriptions';
import { expressionsIn, parseExpression } from '../../directives/expressions';
import { thirdPartyModule } from '../../directives/third-party';
import { argumentTable, type Argument, type ValueKind } from '../../directives/values';
import { vocabulary, type VocabularyKind, type VocabularyWord } from '../../directives/vocabularies';
import type { Tree } from '../../syntax/document';
import { tokenAt } from '../../syntax/expression';
import { argumentsOf, LineKind, type Line, type Word } from '../../syntax/line';
import {
  CONDITION_FLAGS,
  parseRewriteCond,
  parseRewriteRule,
  RULE_FLAGS,
  type RewritePart,
} from '../../syntax/rewrite';
import { placedRawArguments, placedWord } from '../../syntax/word-text';
import { argumentsExpectedAfter, fitScore } from '../arguments-at';
import { linesDefining, type DefinitionKind } from '../../symbols/definitions';
import { nameAt, type PlacedName } from '../names-in-line';
import { sectionsAround } from '../cursor';
import { codeSpan, escapeMarkdown } from '../markdown-text';
import { directiveMarkdown, moduleMarkdown } from './directive-markdown';

/** Facts for a hover that the text of the file does not contain. Each field may be missing. */
export interface HoverKnowledge {
  /**
   * The engine that has analyzed the tree. With it, definitions are found without reading the whole
   * tree.
   */
  readonly engine?: Engine;
  /** Whether a server reads the file as a .htaccess file. */
  readonly isHtaccess?: boolean;
  /** The facts from the configuration that reads the file; null if none does. */
  readonly fileContext?: FileContext | null;
  /**
   * Why no server reads the file, as a sentence without a full stop. Absent if a server reads it.
   */
  readonly unreadReason?: string;
  /** Where other files of the configuration define a variable: `conf.d/a.conf, line 3`. */
  placesDefiningVariable?(name: string): readonly string[];
  /** The places where other files define a name that is not a variable, with its values. */
  definitionsInOtherFiles?(
    kind: DefinitionKind,
    name: string,
  ): readonly { readonly placeText: string; readonly value: string }[];
  /** The names of the files that an Include line reads; null if unknown. */
  filesOfInclude?(line: Line): readonly string[] | null;
}

/** The input of a hover: the line, and the cursor in it. */
export interface ArgumentQuestion extends HoverKnowledge {
  readonly tree: Tree;
  readonly line: Line;
  /** The UTF-16 offset of the line in the file. */
  readonly lineOffset: number;
  /** The UTF-16 offset of the cursor in the line. */
  readonly offset: number;
}

/** A part of a line with its explanation. Offsets are UTF-16 units in the line. */
export interface ExplainedPart {
  readonly start: number;
  readonly end: number;
  /** The explanation, in Markdown. */
  readonly markdown: string;
}

/**
 * Explains the argument at the cursor, or the part of it that the cursor is on; null if there is no
 * explanation.
 */
export function argumentHover(question: ArgumentQuestion): ExplainedPart | null {
  const nameAtOffset = nameAt(question.line, question.offset);
  const definition =
    nameAtOffset && !KINDS_EXPLAINED_ELSEWHERE.has(nameAtOffset.kind) ? definitionText(question, nameAtOffset) : '';
  for (const reader of EXPLAINERS) {
    const explanation = reader(question);
    if (explanation === undefined) continue;
    if (definition === '') return explanation;
    return explanation
      ? { ...explanation, markdown: joinedParagraphs([explanation.markdown, definition]) }
      : makeExplainedPart(nameAtOffset!, nameAtOffset!.name, WORDS_FOR_KIND[nameAtOffset!.kind] ?? 'name', [
          definition,
        ]);
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Explains arguments of one kind. Returns undefined for other arguments, so that the next function
 * in EXPLAINERS is called. Returns null if there is nothing to explain.
 */
type ArgumentExplainer = (question: ArgumentQuestion) => ExplainedPart | null | undefined;

/** The functions that explain arguments, in the order in which they are tried. */
const EXPLAINERS: readonly ArgumentExplainer[] = [
  variableHover,
  expressionHover,
  rewriteHover,
  logFormatHover,
  headerFormatHover,
  includedFilesHover,
  valueHover,
];

/** Limit for the files of an Include that a hover lists. */
const MAX_LISTED_FILES = 15;
/** Limit for the places of a definition that a hover lists. */
const MAX_LISTED_PLACES = 5;
/**
 * Limit for the definitions that are searched, so that the hover is fast even if many lines define
 * one name.
 */
const MAX_DEFINITIONS = 1000;

// ---- Names that lines define ----

/** Kinds of names that other functions explain: `variableHover` and `rewritePartHover`. */
const KINDS_EXPLAINED_ELSEWHERE: ReadonlySet<DefinitionKind> = new Set<DefinitionKind>(['variable', 'rewrite-map']);

/** The words for kinds of names in the headings of hovers. */
const WORDS_FOR_KIND: Readonly<Partial<Record<DefinitionKind, string>>> = {
  environment: 'variable of the environment',
  balancer: 'balancer',
  macro: 'macro',
  'authn-provider': 'authentication provider',
  'authz-provider': 'authorization provider',
  'log-format': 'log format',
  filter: 'filter',
};

/** The value of a name and where it is defined, as Markdown; '' if only this line defines it. */
function definitionText(
  { tree, engine, line, definitionsInOtherFiles }: ArgumentQuestion,
  { kind, name }: PlacedName,
): string {
  const definingLines = linesDefining(tree, engine, kind, name, MAX_DEFINITIONS);
  const definitionPlaces = [
    ...definingLines.map(({ offset, value }, index) => ({
      placeText: index < MAX_LISTED_PLACES ? `line ${tree.positionAt(offset).line + 1}` : '',
      value,
    })),
    ...(definitionsInOtherFiles?.(kind, name) ?? []),
  ];
  if (definitionPlaces.length === 0 || (definitionPlaces.length === 1 && definingLines[0]?.line === line)) return '';
  const differentValues = [...new Set(definitionPlaces.map(({ value }) => value))].filter((value) => value !== '');
  const shownPlaces = definitionPlaces
    .slice(0, MAX_LISTED_PLACES)
    .map(
      ({ placeText, value }) =>
        escapeMarkdown(placeText) + (differentValues.length > 1 && value !== '' ? ` (${codeSpan(value)})` : ''),
    );
  const placesText =
    shownPlaces.join(', ') +
    (definitionPlaces.length > MAX_LISTED_PLACES
      ? ` and ${definingLines.length < MAX_DEFINITIONS ? '' : 'at least '}${definitionPlaces.length - MAX_LISTED_PLACES} more`
      : '');
  return `${differentValues.length === 1 ? `${codeSpan(differentValues[0]!)}, defined` : 'Defined'} in ${placesText}.`;
}

// ---- ${VARIABLE} ----

/**
 * Explains `${NAME}`: its value, and where it is defined. Undefined if the cursor is on no
 * variable.
 */
function variableHover({
  tree,
  line,
  lineOffset,
  offset,
  fileContext,
  placesDefiningVariable,
  engine,
}: ArgumentQuestion): ExplainedPart | undefined {
  if (line.kind === LineKind.Comment) return undefined;
  for (const match of line.text.matchAll(/\$\{([^}\s:]+)(\}?)/g)) {
    const referenceStart = match.index;
    const referenceEnd = referenceStart + match[0].length;
    const [, name = '', close] = match;
    if (close === '' || offset < referenceStart || offset > referenceEnd) continue;
    // httpd ignores the case of variable names (ap_resolve_env in server/core.c uses an
    // apr_table_t).
    const definingLines = linesDefining(tree, engine, 'variable', name);
    const valueElsewhere = definingLines.length === 0 ? fileContext?.variable(name) : undefined;
    const definingLinesBefore = definingLines.filter(({ offset: otherOffset }) => otherOffset < lineOffset);
    const effectiveLine = definingLinesBefore.at(-1) ?? definingLines.at(-1);
    const effectiveValue = effectiveLine ? effectiveLine.value : valueElsewhere;
    const definitionPlaces = [
      ...definingLines.map(({ offset: otherOffset }) => `line ${tree.positionAt(otherOffset).line + 1}`),
      ...(placesDefiningVariable?.(name) ?? []),
    ];
    const sentences = [
      typeof effectiveValue === 'string'
        ? effectiveValue === ''
          ? 'Defined, without a value.'
          : `Stands for ${codeSpan(effectiveValue)}.`
        : valueElsewhere === null
          ? "Not defined: left as it is, unless the server's environment has it."
          : "Not defined in this file: by another one, by `-D`, or by the server's environment.",
      definitionPlaces.length === 0
        ? ''
        : `Defined in ${definitionPlaces.slice(0, MAX_LISTED_PLACES).map(escapeMarkdown).join(', ')}${definitionPlaces.length > MAX_LISTED_PLACES ? ` and ${definitionPlaces.length - MAX_LISTED_PLACES} more` : ''}${definingLines.length > 1 ? '; the last one before a line counts' : ''}.`,
    ];
    return {
      start: referenceStart,
      end: referenceEnd,
      markdown: joinedParagraphs([`**${codeSpan(match[0])}** — variable`, sentences.filter(Boolean).join(' ')]),
    };
  }
  return undefined;
}

// ---- Expressions ----

/**
 * Explains a word of an expression. Undefined if the cursor is in no expression, or if another
 * function may explain the word. Null if there is nothing to explain.
 */
function expressionHover({
  tree,
  line,
  lineOffset,
  offset,
  isHtaccess = false,
  fileContext,
}: ArgumentQuestion): ExplainedPart | null | undefined {
  const enclosingNames = [
    ...(fileContext?.containers ?? []),
    ...sectionsAround(tree, lineOffset).enclosingTags.map(({ name }) => name),
  ];
  const expressionPlace = {
    isInDirectory: isHtaccess || enclosingNames.some((name) => name !== 'virtualhost'),
    isInLocation: enclosingNames.some((name) => name.startsWith('location')),
  };
  for (const expression of expressionsIn(line, expressionPlace)) {
    const { text } = expression;
    if (offset < text.lineOffsetOf(0) || offset > text.lineEndOf(text.value.length)) continue;
    const parsedExpression = parseExpression(expression);
    const token = tokenAt(parsedExpression, text.valueOffsetOf(offset));
    if (!token) return undefined;
    const span = { start: text.lineOffsetOf(token.start), end: text.lineEndOf(token.end) };
    const explainToken = (kind: VocabularyKind, word: string, description: string, addition = '') =>
      makeExplainedPart(span, word, description, [explanationOf(kind, word), addition]);
    switch (token.kind) {
      case 'name': {
        const usedName = parsedExpression.names.find(({ start }) => start === token.start);
        const kindOfName =
          usedName?.kind ?? (text.value[token.end] === ':' || text.value[token.end] === '(' ? 'function' : 'variable');
        if (kindOfName === 'variable')
          return /^ssl_/i.test(token.value)
            ? explainToken('ssl-variable', token.value.toUpperCase(), 'variable of `mod_ssl`')
            : explainToken('expression-variable', token.value.toUpperCase(), 'variable');
        return kindOfName === 'list-function'
          ? explainToken('expression-list-function', token.value, 'function that gives a list')
          : explainToken('expression-function', token.value, 'function');
      }
      case 'unary':
      case 'binary':
        return explainToken('expression-operator', `-${token.value}`, 'operator');
      case 'compare':
      case 'match':
      case 'in':
      case 'and':
      case 'or':
      case 'not':
        return explainToken('expression-operator', token.value, 'operator');
      case 'reference':
        return makeExplainedPart(span, `$${token.value}`, 'reference', [
          token.value === '0'
            ? 'What the last regular expression matched.'
            : `What group ${token.value} of the last regular expression matched.`,
        ]);
      default:
        return expression.kind === 'condition' ? null : undefined;
    }
  }
  return undefined;
}

// ---- RewriteRule, RewriteCond ----

/**
 * Explains a flag, a reference, a variable or a test of a RewriteRule or RewriteCond. Undefined for
 * other lines.
 */
function rewriteHover(question: ArgumentQuestion): ExplainedPart | null | undefined {
  const { line, offset } = question;
  if (line.kind !== LineKind.Directive || (line.name !== 'rewriterule' && line.name !== 'rewritecond'))
    return undefined;
  const argumentsText = placedRawArguments(line);
  const cursorIndex = argumentsText.valueOffsetOf(offset);
  const isCondition = line.name === 'rewritecond';
  const parsedRule = isCondition ? parseRewriteCond(argumentsText.value) : parseRewriteRule(argumentsText.value);
  const span = (part: { start: number; end: number }) => ({
    start: argumentsText.lineOffsetOf(part.start),
    end: argumentsText.lineEndOf(part.end),
  });
  const flag = parsedRule.flags.find(({ start, end }) => start <= cursorIndex && cursorIndex <= end);
  if (flag) {
    const flagName = (isCondition ? CONDITION_FLAGS : RULE_FLAGS).get(flag.name.toLowerCase());
    if (flagName === undefined) return null;
    const flagText = explanationOf(isCondition ? 'condition-flag' : 'rule-flag', flagName);
    const statusText =
      flagName === 'R' && flag.value
        ? explanationOf('status', flag.value) || explanationOf('redirect-status', flag.value)
        : '';
    return makeExplainedPart(
      span(flag),
      `[${argumentsText.value.slice(flag.start, flag.end)}]`,
      `flag of ${codeSpan(isCondition ? 'RewriteCond' : 'RewriteRule')}`,
      [flagText, statusText && `${codeSpan(flag.value!)}: ${statusText}`],
    );
  }
  const partAtCursor = parsedRule.parts.filter(({ start, end }) => start <= cursorIndex && cursorIndex <= end).at(-1);
  if (partAtCursor) return rewritePartHover(partAtCursor, span(partAtCursor), parsedRule, question);
  return 'operator' in parsedRule ? conditionTestHover(parsedRule, cursorIndex, span) : null;
}

/** Explains the test of a RewriteCond, such as `!-f`, if `index` is in it; otherwise null. */
function conditionTestHover(
  { pattern, operator, isNegated }: ReturnType<typeof parseRewriteCond>,
  index: number,
  span: (part: { readonly start: number; readonly end: number }) => { start: number; end: number },
): ExplainedPart | null {
  if (!pattern || operator === '') return null;
  const operatorStart = pattern.start + (pattern.quote === '' ? 0 : 1);
  const writtenTest = `${isNegated ? '!' : ''}${operator}`;
  if (index < operatorStart || index > operatorStart + writtenTest.length) return null;
  const operatorText = explanationOf('expression-operator', operator) || descriptionOf('RewriteCond', operator);
  return makeExplainedPart(
    span({ start: operatorStart, end: operatorStart + writtenTest.length }),
    writtenTest,
    'test',
    isNegated
      ? [`True if the test ${codeSpan(operator)} fails.`, `${codeSpan(operator)}: ${operatorText}`]
      : [operatorText],
  );
}

/**
 * Explains a part of a RewriteRule or RewriteCond, such as `$1`, `%1` or `%{NAME}`. `parsedRule`:
 * the line with the part; `span`: the place of the part in the line.
 */
function rewritePartHover(
  part: RewritePart,
  span: { start: number; end: number },
  parsedRule: ReturnType<typeof parseRewriteRule> | ReturnType<typeof parseRewriteCond>,
  { tree, engine, definitionsInOtherFiles }: ArgumentQuestion,
): ExplainedPart | null {
  switch (part.kind) {
    case 'rule-reference': {
      const group =
        !('test' in parsedRule) && parsedRule.pattern
          ? groupText(parsedRule.pattern.value, Number(part.name))
          : undefined;
      const referencedText =
        part.name === '0'
          ? 'All that the pattern of the rule matched.'
          : `What group ${part.name} of the rule's pattern matched${group ? `: ${codeSpan(group)}` : ''}.`;
      return makeExplainedPart(span, `$${part.name}`, 'reference', [referencedText]);
    }
    case 'condition-reference':
      return makeExplainedPart(span, `%${part.name}`, 'reference', [
        `What ${part.name === '0' ? 'the pattern' : `group ${part.name}`} of the last RewriteCond that held matched.`,
      ]);
    case 'map': {
      const [map] = linesDefining(tree, engine, 'rewrite-map', part.name, 1).map(({ offset, value }) => ({
        placeText: `line ${tree.positionAt(offset).line + 1}`,
        value,
      }));
      const [mapElsewhere] = map ? [] : (definitionsInOtherFiles?.('rewrite-map', part.name) ?? []);
      const mapDefinition = map ?? mapElsewhere;
      const declarationText = mapDefinition
        ? `${codeSpan(mapDefinition.value)}, declared in ${escapeMarkdown(mapDefinition.placeText)}.`
        : `No RewriteMap of that name in this ${definitionsInOtherFiles ? 'configuration' : 'file'}.`;
      return makeExplainedPart(span, part.name, 'rewrite map', [
        declarationText,
        'Where the key is not in it: what stands behind `|`, or nothing.',
      ]);
    }
    case 'variable': {
      return makeExplainedPart(span, part.name, 'variable', [
        explanationOf('rewrite-lookup', `${part.name}:`) || explanationOf('rewrite-variable', part.name),
      ]);
    }
  }
}

/**
 * The text of capturing group number `groupNumber` (1-based) in a pattern; undefined if there is
 * none.
 */
function groupText(pattern: string, groupNumber: number): string | undefined {
  const openGroups: { index: number; number: number }[] = [];
  let groupCount = 0;
  for (let index = 0; index < pattern.length; index++) {
    if (pattern[index] === '\\') index++;
    else if (pattern[index] === '[') index = Math.max(index, pattern.indexOf(']', index + 2));
    else if (pattern[index] === '(')
      openGroups.push({
        index,
        number: pattern[index + 1] === '?' && !/^\(\?P?<\w/.test(pattern.slice(index)) ? -1 : ++groupCount,
      });
    else if (pattern[index] === ')') {
      const group = openGroups.pop();
      if (group?.number === groupNumber) return pattern.slice(group.index, index + 1);
    }
  }
  return undefined;
}

// ---- Log formats ----

/** For each directive with a log format, whether the argument at an index is the format. */
const FORMAT_ARGUMENT_TESTS: Readonly<Record<string, (index: number) => boolean>> = {
  logformat: (index) => index === 0,
  transferlog: () => false,
  customlog: (index) => index === 1,
  globallog: (index) => index === 1,
  errorlogformat: () => true,
};

/**
 * Explains an item of a log format, such as `%>s`. Undefined if the cursor is in no log format,
 * null if it is between two items.
 */
function logFormatHover({ line, offset }: ArgumentQuestion): ExplainedPart | null | undefined {
  const isFormatAt =
    line.kind === LineKind.Directive && Object.hasOwn(FORMAT_ARGUMENT_TESTS, line.name)
      ? FORMAT_ARGUMENT_TESTS[line.name]
      : undefined;
  if (!isFormatAt) return undefined;
  const words = argumentsOf(line);
  const wordIndex = words.findIndex(({ start, end }) => start <= offset && offset <= end);
  if (wordIndex < 0 || !isFormatAt(wordIndex) || !words[wordIndex]!.value.includes('%')) return undefined;
  const formatText = placedWord(line, words[wordIndex]!);
  const cursorIndex = formatText.valueOffsetOf(offset);
  for (const match of formatText.value.matchAll(
    /%([!\d,]{0,100})([<>]?)(?:\{([^}]{0,1000})\})?([<>]?)(\^[A-Za-z]{1,3}|[A-Za-z%])/g,
  )) {
    const conversionStart = match.index;
    const conversionEnd = conversionStart + match[0].length;
    if (cursorIndex < conversionStart || cursorIndex > conversionEnd) continue;
    const [wholeMatch, statuses = '', first, argument, second, letter = ''] = match;
    const vocabularyEntry = conversionWord(
      line.name === 'errorlogformat' ? 'error-log-format' : 'log-format',
      letter,
      argument,
    );
    const conversionNotes = [
      vocabularyEntry ? vocabularyWordText(vocabularyEntry) : '',
      argument === undefined ? '' : textAboutArgument(letter, argument),
      (first || second) === '>'
        ? '`>`: of the final request, after internal redirects.'
        : (first || second) === '<'
          ? '`<`: of the original request, before internal redirects.'
          : '',
      statuses === ''
        ? ''
        : statuses.startsWith('!')
          ? `Only where the status is none of ${statuses.slice(1)}.`
          : `Only where the status is ${statuses}.`,
    ];
    return makeExplainedPart(
      { start: formatText.lineOffsetOf(conversionStart), end: formatText.lineEndOf(conversionEnd) },
      wholeMatch,
      'part of a log format',
      conversionNotes,
    );
  }
  return null;
}

/** The vocabulary of the argument in `%{…}`, by the letter after the braces. */
const VOCABULARY_OF_LETTER: Readonly<Record<string, VocabularyKind>> = {
  i: 'header',
  o: 'header',
  e: 'environment',
  x: 'ssl-variable',
  s: 'ssl-variable',
};

/** The explanation of the argument in `%{…}`; '' if it is not known. */
function textAboutArgument(letter: string, argument: string): string {
  const argumentVocabulary = VOCABULARY_OF_LETTER[letter];
  return argumentVocabulary ? explanationOf(argumentVocabulary, argument) : '';
}

/**
 * Explains the value of a Header line: format_tags in mod_headers.c. Some letters mean something
 * else than in a log format. Undefined if the cursor is on no item such as `%D`.
 */
function headerFormatHover({ line, offset }: ArgumentQuestion): ExplainedPart | undefined {
  if (line.kind !== LineKind.Directive || (line.name !== 'header' && line.name !== 'requestheader')) return undefined;
  const wordAtOffset = argumentsOf(line).find(({ start, end }) => start <= offset && offset <= end);
  if (!wordAtOffset || !wordAtOffset.value.includes('%') || wordAtOffset.value.startsWith('expr=')) return undefined;
  const headerValue = placedWord(line, wordAtOffset);
  const cursorIndex = headerValue.valueOffsetOf(offset);
  for (const match of headerValue.value.matchAll(/%(?:\{([^}]{0,1000})\})?([tDeslib])/g)) {
    const [wholeMatch, argument, letter = ''] = match;
    if (
      cursorIndex < match.index ||
      cursorIndex > match.index + wholeMatch.length ||
      (argument === undefined) !== !'es'.includes(letter)
    )
      continue;
    const argumentText = argument === undefined ? '' : textAboutArgument(letter, argument);
    return (
      makeExplainedPart(
        { start: headerValue.lineOffsetOf(match.index), end: headerValue.lineEndOf(match.index + wholeMatch.length) },
        wholeMatch,
        'part of a header value',
        [TEXT_BY_HEADER_TAG[letter] ?? '', argumentText],
      ) ?? undefined
    );
  }
  return undefined;
}

/** The explanations of the letters in a value of Header. */
const TEXT_BY_HEADER_TAG: Readonly<Record<string, string>> = {
  t: 'When the request came in, in microseconds since 1970, behind `t=`.',
  D: 'How many microseconds have passed since the request came in, behind `D=`.',
  e: 'A variable of the environment.',
  s: 'A variable of `mod_ssl`.',
  l: 'The load averages of the machine, behind `l=`.',
  i: 'How idle the server is, in percent, behind `i=`.',
  b: 'How busy the server is, in percent, behind `b=`.',
};

/**
 * The vocabulary word for a conversion of a log format. A word with exactly this argument comes
 * first, then a word for any argument, then one without an argument. Undefined if there is none.
 */
function conversionWord(
  kind: VocabularyKind,
  letter: string,
  argument: string | undefined,
): VocabularyWord | undefined {
  const wordsWithLetter = vocabulary(kind).filter(({ word }) => word.replace(/^%[<>-]?(?:\{[^}]*\})?/, '') === letter);
  const exactWord =
    argument === undefined ? undefined : wordsWithLetter.find(({ word }) => word === `%{${argument}}${letter}`);
  return (
    exactWord ??
    wordsWithLetter.find(({ word }) => word.includes('{name}') === (argument !== undefined)) ??
    wordsWithLetter.find(({ word }) => !word.includes('{')) ??
    wordsWithLetter[0]
  );
}

// ---- Include ----

/** Lists the files that an Include line reads. Undefined for other lines. */
function includedFilesHover({ line, offset, filesOfInclude }: ArgumentQuestion): ExplainedPart | null | undefined {
  if (line.kind !== LineKind.Directive || (line.name !== 'include' && line.name !== 'includeoptional'))
    return undefined;
  const [word] = argumentsOf(line);
  const files = word && offset >= word.start && offset <= word.end ? filesOfInclude?.(line) : undefined;
  if (!word || !files) return null;
  const fileRows = files.slice(0, MAX_LISTED_FILES).map((file) => `- ${codeSpan(file)}`);
  if (files.length > MAX_LISTED_FILES) fileRows.push(`- and ${files.length - MAX_LISTED_FILES} more`);
  const headingText =
    files.length === 0
      ? 'Brings in no file.'
      : files.length === 1
        ? 'Brings in'
        : `Brings in ${files.length} files, in this order:`;
  return { start: word.start, end: word.end, markdown: joinedParagraphs([headingText, fileRows.join('\n')]) };
}

// ---- Values ----

/** Explains a value by the directive's table of arguments; null if nothing is known about it. */
function valueHover(question: ArgumentQuestion): ExplainedPart | null {
  const { line, offset } = question;
  const words = argumentsOf(line);
  const wordIndex = words.findIndex(({ start, end }) => start <= offset && offset <= end);
  if (wordIndex < 0 || line.kind === LineKind.Comment || line.kind === LineKind.Blank) return null;
  const isSection = line.kind === LineKind.Open;
  const table = argumentTable(line.name, { section: isSection });
  const expectedArguments = table
    ? argumentsExpectedAfter(
        table,
        words.slice(0, wordIndex).map((word) => word.value),
      )
    : [];
  const wordText = words[wordIndex]!.value;
  const rankedArguments = expectedArguments
    .map(({ argument }) => ({ argument: matchingChoice(argument, wordText), fits: fitScore(argument, wordText) }))
    .sort((a, b) => b.fits - a.fits);
  const candidates: readonly (Argument | undefined)[] =
    rankedArguments.length > 0 ? rankedArguments.map(({ argument }) => argument) : [undefined];
  for (const argument of candidates) {
    const explanation = valuePartHover(question, words[wordIndex]!, words, wordIndex, argument);
    if (explanation) return explanation;
  }
  return null;
}

/** The choice of an argument that fits the word best; the argument itself if it has no choices. */
function matchingChoice(argument: Argument, word: string): Argument {
  if (!argument.choices) return argument;
  return [...argument.choices].sort((a, b) => fitScore(b, word) - fitScore(a, word))[0] ?? argument;
}

/**
 * Explains the part of the word that the cursor is on. `index`: the index of the word in `words`;
 * `argument`: the argument that the word may be. Null if nothing is known about it.
 */
function valuePartHover(
  question: ArgumentQuestion,
  word: Word,
  words: readonly Word[],
  index: number,
  argument: Argument | undefined,
): ExplainedPart | null {
  const { line, offset } = question;
  const isSection = line.kind === LineKind.Open;
  const wordInLine = placedWord(line, word);
  const piece = valuePartAt(wordInLine.value, wordInLine.valueOffsetOf(offset), argument);
  const span = piece.isWholeValue
    ? { start: word.start, end: word.end }
    : { start: wordInLine.lineOffsetOf(piece.start), end: wordInLine.lineEndOf(piece.end) };
  const valueName = piece.text.replace(/^[+-](?=[A-Za-z])/, '');
  if (valueName === '') return null;
  const directiveOfLine = findDirective(line.name, { section: isSection });
  if (!directiveOfLine) return null;
  const directiveKey = isSection ? `<${directiveOfLine.name}` : directiveOfLine.name;
  const spelling = isSection ? `<${directiveOfLine.name}>` : directiveOfLine.name;
  // An argument that names a module or a directive gets the text about that module or directive.
  const kinds = new Set<ValueKind>(argument?.kinds ?? []);
  const isModule =
    line.name === 'loglevel'
      ? piece.isBeforeColon
      : kinds.has('module') ||
        kinds.has('module-file') ||
        (line.name === 'loadmodule' && index < 2) ||
        (line.name === 'ifmodule' && isSection);
  if (isModule) return moduleHover(span, valueName.replace(/^!/, ''));
  if (kinds.has('directive')) {
    const markdown = directiveMarkdown(valueName);
    return markdown ? { ...span, markdown } : null;
  }
  const directiveWithSameValues = DIRECTIVE_WITH_SAME_VALUES[directiveOfLine.name];
  const directiveKeys = directiveWithSameValues ? [directiveKey, directiveWithSameValues] : [directiveKey];
  const valueDescription =
    directiveKeys
      .flatMap((each) => [valueName, piece.text, wordInLine.value].map((word) => descriptionOf(each, word)))
      .find((text) => text !== '') ?? '';
  if (line.name === 'require') return requireHover(span, words, index, valueName, valueDescription);
  const choiceWord = argument?.words?.find((each) => each.word.toLowerCase() === valueName.toLowerCase());
  const vocabularies = [...kinds].flatMap((kind) => VOCABULARIES_OF_KIND[kind] ?? []);
  const matchingWord = vocabularies
    .map((kind) => ({ kind, text: explanationOf(kind, valueName) }))
    .find((each) => each.text !== '');
  const sinceNote = choiceWord?.since ? `Since ${choiceWord.since}.` : '';
  const obsoleteNote = choiceWord?.obsolete ? 'Kept for old configurations.' : '';
  const providerNote = providerText(kinds, valueName);
  if (!valueDescription && !matchingWord && !sinceNote && !obsoleteNote && !providerNote) return null;
  return makeExplainedPart(
    span,
    piece.text,
    matchingWord
      ? (KIND_NAMES[matchingWord.kind] ?? `value of ${codeSpan(spelling)}`)
      : `value of ${codeSpan(spelling)}`,
    [
      matchingWord && VOCABULARIES_EXPLAINED_BY_WORD.has(matchingWord.kind) ? '' : valueDescription,
      matchingWord?.text ?? '',
      providerNote,
      sinceNote,
      obsoleteNote,
    ],
  );
}

/**
 * Vocabularies in which each word has its own explanation. It replaces the text in the directive's
 * description, which may be about several words.
 */
const VOCABULARIES_EXPLAINED_BY_WORD: ReadonlySet<VocabularyKind> = new Set<VocabularyKind>(['handler', 'filter']);

/** Directives that also take the values of another directive. */
const DIRECTIVE_WITH_SAME_VALUES: Readonly<Record<string, string>> = {
  BalancerMember: 'ProxySet',
  Proxy: 'ProxySet',
  ProxyMatch: 'ProxySet',
  ProxyPass: 'ProxySet',
  ProxyPassMatch: 'ProxySet',
  ProxyHCTemplate: 'BalancerMember',
  RedirectMatch: 'Redirect',
  SetEnvIfNoCase: 'SetEnvIf',
};

/** A part of the text of a value. Offsets count from the start of this text. */
interface ValuePart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isWholeValue: boolean;
  /** Whether a `:` follows, so that this part is a module's name as in `rewrite:trace3`. */
  readonly isBeforeColon: boolean;
}

/**
 * The part of a value at the cursor. In a list, this is the text between two separators. Otherwise
 * it is the key or the text after the key, or the text before or after a `:`.
 */
function valuePartAt(text: string, index: number, argument: Argument | undefined): ValuePart {
  let partStart = 0;
  let partEnd = text.length;
  let isBeforeColon = false;
  const colonIndex = text.indexOf(':');
  if (argument?.key && text.toLowerCase().startsWith(argument.key.toLowerCase()))
    partStart = index >= argument.key.length && argument.words ? argument.key.length : 0;
  if (argument?.separator) {
    partStart = Math.max(partStart, index === 0 ? 0 : text.lastIndexOf(argument.separator, index - 1) + 1);
    const nextSeparator = text.indexOf(argument.separator, Math.max(index, partStart));
    partEnd = nextSeparator < 0 ? partEnd : nextSeparator;
  } else if (!argument?.key && /^[a-z_0-9]+:(emerg|alert|crit|error|warn|notice|info|debug|trace[1-8])$/i.test(text)) {
    isBeforeColon = index <= colonIndex;
    if (isBeforeColon) partEnd = colonIndex;
    else partStart = colonIndex + 1;
  }
  return {
    start: partStart,
    end: partEnd,
    text: text.slice(partStart, partEnd),
    isWholeValue: partStart === 0 && partEnd === text.length,
    isBeforeColon,
  };
}

/**
 * Explains a module, also one of a third party; null if it is not known. `span`: its place in the
 * line.
 */
function moduleHover(span: { start: number; end: number }, name: string): ExplainedPart | null {
  const markdown = findModule(name) ? moduleMarkdown(name) : undefined;
  if (markdown) return { ...span, markdown };
  // Names of modules such as mod_php5 contain a version, which the table of modules does not have.
  const foreignModule = thirdPartyModule(name) ?? thirdPartyModule(name.replace(/php\d/, 'php'));
  if (!foreignModule) return null;
  const directivesText =
    foreignModule.directives.slice(0, 12).map(codeSpan).join(', ') +
    (foreignModule.directives.length > 12 ? ` and ${foreignModule.directives.length - 12} more` : '');
  return makeExplainedPart(span, foreignModule.identifier, 'module that does not come with httpd', [
    `${codeSpan(foreignModule.source)} · ${codeSpan(foreignModule.file)}${foreignModule.package === undefined ? '' : `; Debian has it in the package ${codeSpan(foreignModule.package)}`}.`,
    foreignModule.advice ?? '',
    directivesText && `Directives: ${directivesText}.`,
  ]);
}

/** Explains a word of a Require line: the provider, or a value after it. Null for other words. */
function requireHover(
  span: { start: number; end: number },
  words: readonly Word[],
  index: number,
  name: string,
  explanation: string,
): ExplainedPart | null {
  const providerIndex = words[0]?.value.toLowerCase() === 'not' ? 1 : 0;
  if (index === 0 && providerIndex === 1)
    return makeExplainedPart(span, 'not', 'negation', [
      descriptionOf('Require', 'not …') || 'Holds where the rest does not.',
    ]);
  if (index === providerIndex) {
    const modules = providers('authz', '2.4').get(name) ?? [];
    const providerText = explanationOf('require', name) || explanation;
    const operandText = words[index + 1] ? descriptionOf('Require', `${name} ${words[index + 1]!.value}`) : '';
    if (modules.length === 0 && !providerText && !operandText) return null;
    return makeExplainedPart(span, name, 'authorization provider', [
      operandText || providerText,
      modules.length > 0 ? `Provided by ${modules.map(codeSpan).join(', ')}.` : '',
    ]);
  }
  const provider = words[providerIndex]?.value ?? '';
  const pairText = index === providerIndex + 1 ? descriptionOf('Require', `${provider} ${name}`) : '';
  if (pairText) return makeExplainedPart(span, name, `value of ${codeSpan(`Require ${provider}`)}`, [pairText]);
  if (provider === 'method' && explanationOf('method', name))
    return makeExplainedPart(span, name, 'method', [explanationOf('method', name)]);
  if (provider === 'env' && explanationOf('environment', name))
    return makeExplainedPart(span, name, 'variable', [explanationOf('environment', name)]);
  return null;
}

/** The vocabularies that have the words of a kind of value. */
const VOCABULARIES_OF_KIND: Readonly<Partial<Record<ValueKind, readonly VocabularyKind[]>>> = {
  'mime-type': ['mime-type'],
  charset: ['charset'],
  language: ['language'],
  encoding: ['encoding'],
  status: ['status'],
  header: ['header'],
  method: ['method'],
  variable: ['environment', 'ssl-variable'],
  handler: ['handler'],
  filter: ['filter'],
};

/** The words for vocabularies in the headings of hovers. */
const KIND_NAMES: Readonly<Partial<Record<VocabularyKind, string>>> = {
  'mime-type': 'MIME type',
  charset: 'charset',
  language: 'language',
  encoding: 'encoding',
  status: 'status',
  header: 'header',
  method: 'method',
  environment: 'variable',
  'ssl-variable': 'variable of `mod_ssl`',
  handler: 'handler',
  filter: 'filter',
};

/** The kinds of providers that values of a kind name. */
const PROVIDER_OF_KIND: Readonly<Partial<Record<ValueKind, ProviderKind>>> = {
  'authn-provider': 'authn',
  'authz-provider': 'authz',
  'socache-provider': 'socache',
  mutex: 'mutex',
};

/**
 * The modules that provide what a value names; '' if the value names no provider. `kinds`: the
 * kinds of values that are possible.
 */
function providerText(kinds: ReadonlySet<ValueKind>, name: string): string {
  for (const kind of kinds) {
    const provider = PROVIDER_OF_KIND[kind];
    const modules = provider && providers(provider, '2.4').get(name.replace(/:.*/, ''));
    if (modules) return `Provided by ${modules.map(codeSpan).join(', ')}.`;
  }
  return '';
}

// ---- Where texts come from ----

/**
 * The text about a value in the description of a directive. One text may be for several values
 * (`append, merge`), for values that continue (`timeout=seconds`, `file:/dir`), or for a range
 * (`trace1 to trace8`).
 */
function descriptionOf(directiveOfLine: string, value: string): string {
  const descriptionByValues =
    descriptionOfDirective(directiveOfLine, { section: directiveOfLine.startsWith('<') })?.arguments ?? {};
  const bareValue = withoutSign(value);
  if (bareValue === '') return '';
  const textBeforeValue = /^[^=:]+[=:]/.exec(bareValue)?.[0];
  for (const [names, line] of Object.entries(descriptionByValues)) {
    for (const name of names.split(', ').map(withoutSign)) {
      const numberedRange = /^([a-z]+)(\d) to \1(\d)$/.exec(name);
      if (
        name === bareValue ||
        name.startsWith(`${bareValue} `) ||
        (textBeforeValue !== undefined && name.startsWith(textBeforeValue))
      )
        return line;
      if (
        numberedRange &&
        bareValue.startsWith(numberedRange[1]!) &&
        /^\d$/.test(bareValue.slice(numberedRange[1]!.length)) &&
        bareValue.slice(numberedRange[1]!.length) >= numberedRange[2]! &&
        bareValue.slice(numberedRange[1]!.length) <= numberedRange[3]!
      )
        return line;
    }
  }
  return '';
}

/** A value in lower case, without a sign before it and without `…` after it. */
function withoutSign(name: string): string {
  return name
    .toLowerCase()
    .replace(/^[+-](?=[a-z].)/, '')
    .replace(/…$/, '');
}

/** The explanation of a word of a vocabulary; '' if the vocabulary lacks the word. */
function explanationOf(kind: VocabularyKind, word: string): string {
  const lowerWord = word.toLowerCase();
  const vocabularyWords = vocabulary(kind);
  const matchingWord = vocabularyWords.find(
    (each) =>
      each.word.toLowerCase() === lowerWord ||
      each.long?.toLowerCase() === lowerWord ||
      each.alternative?.toLowerCase() === lowerWord,
  );
  return matchingWord ? vocabularyWordText(matchingWord) : '';
}

/** The explanation of a word, with its module and the release that introduced it. */
function vocabularyWordText({ text, since, from, obsolete }: VocabularyWord): string {
  return [
    asSentence(text),
    from && from !== 'core' ? `Of ${codeSpan(from)}.` : '',
    since ? `Since ${since}.` : '',
    obsolete ? 'Kept for old configurations.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

// ---- Markdown ----

/**
 * Makes an explanation with a heading; null if there is no sentence. `name`: what is explained;
 * `description`: what kind of thing it is.
 */
function makeExplainedPart(
  span: { readonly start: number; readonly end: number },
  name: string,
  description: string,
  sentences: readonly string[],
): ExplainedPart | null {
  const explanationText = sentences.filter(Boolean).map(asSentence).join(' ');
  return explanationText === ''
    ? null
    : {
        start: span.start,
        end: span.end,
        markdown: joinedParagraphs([`**${codeSpan(name)}** — ${description}`, explanationText]),
      };
}

/**
 * Makes a sentence of a line of a description. The line begins in lower case and has no full stop.
 */
function asSentence(line: string): string {
  // Names with an underscore, such as mod_ssl, keep their spelling.
  return line === ''
    ? ''
    : `${/^[a-z]+_/.test(line) ? line[0] : line[0]!.toUpperCase()}${line.slice(1)}${/[.!?]$/.test(line) ? '' : '.'}`;
}

function joinedParagraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
