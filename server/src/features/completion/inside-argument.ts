/**
 * Completion inside a value: `${…}`, `%{…}`, rewrite flags, conversions of log formats, and the
 * words of 2.4's expressions.
 */
import { CompletionItemKind } from 'vscode-languageserver-types';
import { baseName } from '../../config/files';
import { vocabulary, type VocabularyKind, type VocabularyWord } from '../../directives/vocabularies';
import { CONDITION_FLAGS, RULE_FLAGS } from '../../syntax/rewrite';
import type { DefinitionKind } from '../../symbols/definitions';
import type { CompletionRequest, Suggestion, Suggestions, ValueQuestion } from './suggestion';

/** Suggestions after `${` or `%{` before the cursor; null if there is neither. */
export function bracedSuggestions(question: ValueQuestion): Suggestions | null {
  const { cursor, directiveKey } = question;
  const textOfWord = cursor.textBefore.slice(
    Math.max(cursor.wordStart, cursor.textBefore.length - MAX_NAME_SEARCH_LENGTH),
  );
  const variableStart = /\$\{([^}\s"']*)$/.exec(textOfWord);
  if (variableStart) return variableReferences(question, variableStart[1]!);
  const percentStart = /%\{([^}\s"']*)$/.exec(textOfWord);
  if (!percentStart) return null;
  const [, begunName = ''] = percentStart;
  if (LOG_FORMAT_DIRECTIVES.has(directiveKey)) return bracedItems(question, begunName, formatArguments(question));
  if (directiveKey === 'rewritecond' || directiveKey === 'rewriterule')
    return bracedItems(question, begunName, rewriteVariables(question, begunName));
  if (directiveKey === 'header' || directiveKey === 'requestheader')
    return bracedItems(
      question,
      begunName,
      cursor.word.startsWith('expr=') ? expressionVariables(question, begunName) : headerArguments(question),
    );
  return bracedItems(question, begunName, expressionVariables(question, begunName));
}

/** The words of a vocabulary that the target version has, the most useful ones first. */
export function vocabularyWordsFor({ engine }: CompletionRequest, kind: VocabularyKind): readonly VocabularyWord[] {
  const { patch } = engine.target;
  return vocabulary(kind).filter(
    ({ obsolete, since = '' }) => !obsolete && Number(/^2\.4\.(\d+)$/.exec(since)?.[1] ?? 0) <= patch,
  );
}

/**
 * Suggestions for flags of RewriteRule and RewriteCond; null if there can be no flag at the cursor.
 */
export function flagSuggestions(question: ValueQuestion): Suggestions | null {
  const { cursor, directiveKey, request } = question;
  const isCondition = directiveKey === 'rewritecond';
  const flags = isCondition ? CONDITION_FLAGS : RULE_FLAGS;
  const { word, wordStart } = cursor;
  if (word !== '' ? !word.startsWith('[') : cursor.textAfter.startsWith('[')) return null;
  const flagTexts = word.slice(1).split(',');
  const lastFlag = flagTexts.pop() ?? '';
  const flagWithValue = /^(\w+)=(.*)$/.exec(lastFlag);
  if (flagWithValue) return flagValues(question, flagWithValue[1]!, flagWithValue[2]!);
  const usedFlags = new Set(flagTexts.map((flag) => flags.get(flag.trim().replace(/=.*/, '').toLowerCase())));
  const flagWords = vocabularyWordsFor(request, isCondition ? 'condition-flag' : 'rule-flag');
  const rankOf = (flag: string) => (FLAG_ORDER.indexOf(flag) + FLAG_ORDER.length + 1) % (FLAG_ORDER.length + 1);
  const flagItems = [...flagWords]
    .sort((a, b) => rankOf(a.word) - rankOf(b.word))
    .filter((flag) => !usedFlags.has(flag.word))
    .map(({ word: flag, text: explanation, value: valueRule }): Suggestion => {
      const flagItem = { label: flag, kind: CompletionItemKind.EnumMember, explainedSubject: { text: explanation } };
      const takesValue = valueRule === 'required' || flag === 'R';
      if (word === '') return { ...flagItem, label: `[${flag}]`, text: takesValue ? `[${flag}=` : `[${flag}]` };
      return { ...flagItem, ...(takesValue && { text: `${flag}=`, opensNextList: true as const }) };
    });
  return {
    start: wordStart + word.length - lastFlag.length,
    restLength: /^\w*/.exec(cursor.textAfter)![0].length,
    items: flagItems,
  };
}

/** Suggestions in an expression, based on the text before the cursor. */
export function expressionSuggestions(question: ValueQuestion, text: string): Suggestions {
  const { cursor } = question;
  const restLength = /^\w*/.exec(cursor.textAfter)![0].length;
  const noItems = { start: cursor.textBefore.length, restLength: 0, items: [] };
  // The first quote belongs to the argument. Another open quote begins a string or a regular
  // expression, in which there are no suggestions.
  const expressionText = text.replace(/^"/, '');
  if (/^(?:[^'/]|'[^']*'|(?<![=!]~\s*|m)\/)*'[^']*$/.test(expressionText)) return noItems;
  if (/(=~|!~)\s*m?[/#][^/#]*$/.test(expressionText)) return noItems;
  const [begunWord] = /-?\w*$/.exec(expressionText.slice(-MAX_NAME_SEARCH_LENGTH))!;
  const wordStart = cursor.textBefore.length - begunWord.length;
  const textBeforeWord = expressionText.slice(0, expressionText.length - begunWord.length).trimEnd();
  const isOperand = textBeforeWord === '' || /(?:&&|\|\||!|\(|,|\{|[=<>~]|\s-\w+|^-\w+)$/.test(textBeforeWord);
  const operatorItem = (label: string, explanation: string, otherProperties: Partial<Suggestion> = {}): Suggestion => ({
    label,
    kind: CompletionItemKind.Operator,
    ...(explanation && { explainedSubject: { text: explanation } }),
    ...otherProperties,
  });
  const operators = vocabularyWordsFor(question.request, 'expression-operator');
  if (!isOperand) {
    const comparisonOperators = operators
      .filter(({ operator }) => operator !== 'unary')
      .map(({ word, text: explanation }) => operatorItem(word, explanation));
    return {
      start: wordStart,
      restLength,
      items: [
        ...comparisonOperators,
        operatorItem('&&', 'Both hold.'),
        operatorItem('||', 'One of them holds.'),
      ].filter(({ label }) => begunWord === '' || label.startsWith(begunWord[0]!)),
    };
  }
  const functions = vocabularyWordsFor(
    question.request,
    /-?\bin$/.test(textBeforeWord) ? 'expression-list-function' : 'expression-function',
  );
  const operandItems = [
    operatorItem('%{…}', 'A variable of the request.', {
      kind: CompletionItemKind.Variable,
      text: '%{',
      opensNextList: true,
      filter: '%{',
    }),
    ...functions.map(({ word, text: explanation }) =>
      operatorItem(`${word}()`, explanation, { kind: CompletionItemKind.Function, text: `${word}('`, filter: word }),
    ),
    operatorItem('true', '', { kind: CompletionItemKind.Constant }),
    operatorItem('false', '', { kind: CompletionItemKind.Constant }),
  ];
  const isRightOperand = /(?:[=<>~]|-\w+)$/.test(textBeforeWord);
  const testItems = isRightOperand
    ? []
    : operators
        .filter(({ operator }) => operator === 'unary')
        .map(({ word, text: explanation }) => operatorItem(word, explanation));
  return { start: wordStart, restLength, items: [...operandItems, ...testItems] };
}

/**
 * Suggestions for the item of a log format (`%h`, `%{name}i`) in which the cursor is. `token`: the
 * text before the cursor. Null if it does not end in `%` with modifiers and letters.
 */
export function logFormatSuggestions(
  { cursor, directiveKey, request }: ValueQuestion,
  token: string,
): Suggestions | null {
  const letterMatch = /%([<>!\d,]*\^?\w*)$/.exec(token.slice(-MAX_NAME_SEARCH_LENGTH));
  if (!letterMatch) return null;
  const modifier = /^[<>!\d,]*/.exec(letterMatch[1]!)![0];
  const formatItems = vocabularyWordsFor(
    request,
    directiveKey === 'errorlogformat' ? 'error-log-format' : 'log-format',
  ).map(({ word, text, from: source }): Suggestion => {
    const fullToken = word.startsWith(`%${modifier}`) ? word : `%${modifier}${word.slice(1)}`;
    const takesName = word.includes('{name}');
    return {
      label: word,
      kind: CompletionItemKind.EnumMember,
      ...(source && { source }),
      explainedSubject: { text },
      filter: fullToken,
      text: takesName ? fullToken.slice(0, fullToken.indexOf('{') + 1) : fullToken,
      ...(takesName && { opensNextList: true as const }),
    };
  });
  return { start: cursor.textBefore.length - letterMatch[1]!.length - 1, restLength: 0, items: formatItems };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit of characters before the cursor in which the start of a name is searched. */
const MAX_NAME_SEARCH_LENGTH = 300;

/** Directives with a log format among their arguments. */
const LOG_FORMAT_DIRECTIVES: ReadonlySet<string> = new Set([
  'logformat',
  'customlog',
  'errorlogformat',
  'transferlog',
  'globallog',
]);

/** The most common variables, in the order in which the list shows them. */
const USUAL_VARIABLES = [
  'REQUEST_URI',
  'HTTP_HOST',
  'REQUEST_FILENAME',
  'QUERY_STRING',
  'HTTPS',
  'REMOTE_ADDR',
  'REQUEST_METHOD',
  'HTTP_USER_AGENT',
  'HTTP_REFERER',
  'SERVER_PORT',
  'SERVER_NAME',
  'THE_REQUEST',
  'DOCUMENT_ROOT',
];

/**
 * Suggestions for words that are variables, the most common ones first. The label also has the text
 * before and after the name.
 */
function variableSuggestions(words: readonly VocabularyWord[], textBeforeName = '', textAfterName = ''): Suggestion[] {
  const rankOf = ({ word }: VocabularyWord) =>
    (USUAL_VARIABLES.indexOf(word) + USUAL_VARIABLES.length + 1) % (USUAL_VARIABLES.length + 1);
  return [...words]
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map(({ word, text, from: source }) => ({
      label: textBeforeName + word + textAfterName,
      kind: CompletionItemKind.Variable,
      ...(source && { source }),
      explainedSubject: { text },
    }));
}

/**
 * Suggestions between braces. Each suggestion adds the closing brace if it is missing. A suggestion
 * that contains a closing brace replaces the existing one.
 */
function bracedItems({ cursor }: ValueQuestion, begunName: string, items: readonly Suggestion[]): Suggestions {
  const replacesBrace = items.some(({ label }) => label.includes('}'));
  const restLength = (replacesBrace ? /^[\w:-]*(?:\}(?:\^?\w\w?(?!\w))?)?/ : /^[\w:-]*/).exec(cursor.textAfter)![0]
    .length;
  const isClosed = cursor.textAfter[restLength] === '}';
  const withClosingBrace = (item: Suggestion): Suggestion =>
    item.opensNextList || isClosed || replacesBrace ? item : { ...item, text: `${item.text ?? item.label}}` };
  return {
    start: cursor.textBefore.length - begunName.length,
    restLength,
    items: items.map(withClosingBrace),
    ...(replacesBrace && { alwaysReplacesRest: true }),
  };
}

/** Suggestions after `${`: variables, and in rewrite rules also the names of maps. */
function variableReferences(question: ValueQuestion, begunName: string): Suggestions {
  const { directiveKey } = question;
  const mapNameItems =
    directiveKey === 'rewriterule' || directiveKey === 'rewritecond'
      ? definedNameSuggestions(question, 'rewrite-map', CompletionItemKind.Reference)
      : [];
  const mapItems = mapNameItems.map(
    (item): Suggestion => ({
      ...item,
      label: `${item.label}:`,
      source: `RewriteMap, ${item.source}`,
      opensNextList: true,
    }),
  );
  return bracedItems(question, begunName, [
    ...mapItems,
    ...definedNameSuggestions(question, 'variable', CompletionItemKind.Constant),
  ]);
}

/**
 * Suggestions for names of a kind. The names that the file defines come first, and then the names
 * that other files of its configuration define.
 */
export function definedNameSuggestions(
  { cursor, definitions, request }: ValueQuestion,
  definitionKind: DefinitionKind,
  kind: CompletionItemKind,
): Suggestion[] {
  const definedNameItem = (label: string, value: string, source: string): Suggestion => ({
    label,
    kind,
    source,
    ...(value && { explainedSubject: { text: value } }),
  });
  const namesInFile = definitions.namesOf(definitionKind);
  const namesOfOtherFiles = [...(request.namesInOtherFiles?.namesOfKind(definitionKind) ?? [])].filter(
    ([name]) => !namesInFile.has(name),
  );
  // Excludes the name that the line itself is defining.
  const namesOfThisFile = [...namesInFile].filter(([name]) => name !== cursor.word);
  return [
    ...namesOfThisFile.map(([name, value]) => definedNameItem(name, value, 'this file')),
    ...namesOfOtherFiles.map(([name, { path, value }]) => definedNameItem(name, value, baseName(path))),
  ];
}

/**
 * Suggestions for the environment variables that lines define, each with `textBeforeName` before
 * it.
 */
function environmentNames(question: ValueQuestion, textBeforeName = ''): Suggestion[] {
  return definedNameSuggestions(question, 'environment', CompletionItemKind.Variable).map((item) => ({
    ...item,
    label: textBeforeName + item.label,
  }));
}

/** Suggestions for header names, each with `textBeforeName` before it. */
function headerNames(
  { request }: ValueQuestion,
  headerKind: 'request-header' | 'response-header',
  textBeforeName = '',
): Suggestion[] {
  return vocabularyWordsFor(request, headerKind).map(({ word, text }) => ({
    label: textBeforeName + word,
    kind: CompletionItemKind.Value,
    explainedSubject: { text },
  }));
}

/**
 * Suggestions in `%{…}` of mod_rewrite. After a prefix such as `HTTP:`, the names that follow it.
 */
function rewriteVariables(question: ValueQuestion, begunName: string): Suggestion[] {
  const { request } = question;
  const prefixMatch = /^(ENV|HTTP|SSL|LA-U|LA-F):/i.exec(begunName);
  switch (prefixMatch?.[1]!.toUpperCase()) {
    case undefined:
      return [
        ...variableSuggestions(vocabularyWordsFor(request, 'rewrite-variable')),
        ...vocabularyWordsFor(request, 'rewrite-lookup').map(
          ({ word, text }): Suggestion => ({
            label: word,
            kind: CompletionItemKind.Function,
            opensNextList: true,
            explainedSubject: { text },
          }),
        ),
      ];
    case 'ENV':
      return environmentNames(question, prefixMatch![0]);
    case 'HTTP':
      return headerNames(question, 'request-header', prefixMatch![0]);
    case 'SSL':
      return variableSuggestions(vocabularyWordsFor(request, 'ssl-variable'), prefixMatch![0]);
    default:
      return variableSuggestions(vocabularyWordsFor(request, 'rewrite-variable'), prefixMatch![0]);
  }
}

/**
 * Suggestions in `%{…}` of an expression. After a function such as `env:`, the names that the
 * function takes.
 */
function expressionVariables(question: ValueQuestion, begunName: string): Suggestion[] {
  const { request } = question;
  const prefixMatch = /^(\w+):/.exec(begunName);
  if (prefixMatch) {
    const functionName = prefixMatch[1]!.toLowerCase();
    if (/^(env|reqenv|note)$/.test(functionName)) return environmentNames(question, prefixMatch[0]);
    if (/^(http|req|req_novary)$/.test(functionName)) return headerNames(question, 'request-header', prefixMatch[0]);
    if (functionName === 'resp') return headerNames(question, 'response-header', prefixMatch[0]);
    return functionName === 'ssl'
      ? variableSuggestions(vocabularyWordsFor(request, 'ssl-variable'), prefixMatch[0])
      : [];
  }
  const functions = vocabularyWordsFor(request, 'expression-function').map(
    ({ word, text }): Suggestion => ({
      label: `${word}:`,
      kind: CompletionItemKind.Function,
      opensNextList: true,
      explainedSubject: { text },
    }),
  );
  return [
    ...variableSuggestions(vocabularyWordsFor(request, 'expression-variable')),
    ...functions,
    ...variableSuggestions(vocabularyWordsFor(request, 'ssl-variable')),
  ];
}

/** Suggestions in the braces of a log format, and for the letter after them. */
function formatArguments(question: ValueQuestion): Suggestion[] {
  const { cursor } = question;
  const letter = /^[^}]*\}([a-zA-Z^]\w*)/.exec(cursor.textAfter)?.[1];
  const groups: [string, string, Suggestion[]][] = [
    ['i', 'a header of the request', headerNames(question, 'request-header')],
    ['o', 'a header of the response', headerNames(question, 'response-header')],
    ['e', 'a variable of the environment', environmentNames(question)],
    ['n', 'a note of a module', []],
    ['C', 'a cookie', []],
    ['a', 'an address', ['c'].map(valueItem)],
    ['p', 'a port', ['canonical', 'local', 'remote'].map(valueItem)],
    ['P', 'an id', ['pid', 'tid', 'hextid'].map(valueItem)],
    ['t', 'a time', ['sec', 'msec', 'usec', 'msec_frac', 'usec_frac'].map(valueItem)],
    ['T', 'how long it took', ['s', 'ms', 'us'].map(valueItem)],
  ];
  if (letter) return groups.find(([each]) => each === letter)?.[2] ?? [];
  const usualHeaders = ['Referer', 'User-Agent', 'X-Forwarded-For', 'Host', 'Cookie'];
  const usualHeaderItems = usualHeaders.map(
    (name): Suggestion => ({ label: `${name}}i`, kind: CompletionItemKind.Value }),
  );
  const itemsWithLetter = groups.flatMap(([each, groupExplanation, items]) =>
    items
      .filter(({ label }) => each !== 'i' || !usualHeaders.includes(label))
      .map(
        (item): Suggestion => ({
          ...item,
          label: `${item.label}}${each}`,
          explainedSubject: item.explainedSubject ?? { text: groupExplanation },
        }),
      ),
  );
  return [...usualHeaderItems, ...itemsWithLetter];
}

function valueItem(label: string): Suggestion {
  return { label, kind: CompletionItemKind.EnumMember };
}

/** Suggestions for `%{…}e` and `%{…}s` in the values of Header and RequestHeader. */
function headerArguments(question: ValueQuestion): Suggestion[] {
  return [
    ...environmentNames(question).map((item) => ({ ...item, label: `${item.label}}e` })),
    ...variableSuggestions(vocabularyWordsFor(question.request, 'ssl-variable'), '', '}s'),
  ];
}

// ---- Flags ----

/** The most common flags, in the order in which the list shows them. */
const FLAG_ORDER = [
  'L',
  'R',
  'NC',
  'OR',
  'QSA',
  'F',
  'G',
  'P',
  'PT',
  'E',
  'END',
  'NE',
  'C',
  'CO',
  'H',
  'T',
  'S',
  'N',
  'NS',
  'B',
  'DPI',
  'QSD',
  'QSL',
];

/** The statuses that are suggested for the flag R. */
const REDIRECT_STATUSES = ['301', '302', '303', '307', '308'];

/**
 * Suggestions for the value of a flag, such as the status of `R=`. `name`: the flag; `begunValue`:
 * its value before the cursor.
 */
function flagValues(
  { cursor: { textBefore, textAfter }, request }: ValueQuestion,
  name: string,
  begunValue: string,
): Suggestions {
  const flag = RULE_FLAGS.get(name.toLowerCase()) ?? name;
  const valueWords =
    flag === 'R'
      ? vocabularyWordsFor(request, 'status').filter(({ word }) => REDIRECT_STATUSES.includes(word))
      : flag === 'T'
        ? vocabularyWordsFor(request, 'mime-type')
        : flag === 'H'
          ? vocabularyWordsFor(request, 'handler')
          : [];
  const flagValueItems = valueWords.map(
    ({ word, text }): Suggestion => ({ label: word, kind: CompletionItemKind.EnumMember, explainedSubject: { text } }),
  );
  return {
    start: textBefore.length - begunValue.length,
    restLength: /^[\w/.+-]*/.exec(textAfter)![0].length,
    items: flagValueItems,
  };
}
