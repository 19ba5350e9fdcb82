/**
 * Suggests values of arguments. These are words of the argument tables, modules, providers, names
 * that the file defines, file names, and words of vocabularies. inside-argument.ts completes inside
 * a value (`%{…}`, `${…}`, flags).
 */
import { CompletionItemKind } from 'vscode-languageserver-types';
import { modules, providers, type ProviderKind } from '../../directives';
import type { VocabularyKind, VocabularyWord } from '../../directives/vocabularies';
import {
  argumentTable,
  type Argument,
  type ArgumentTable,
  type ValueKind,
  type ValueWord,
} from '../../directives/values';
import { Fact, hasFact } from '../../rules/support/facts';
import { argumentsExpectedAfter } from '../arguments-at';
import { namesInRelease } from './names';
import { pathSuggestions } from './paths';
import {
  definedNameSuggestions,
  expressionSuggestions,
  flagSuggestions,
  logFormatSuggestions,
  vocabularyWordsFor,
} from './inside-argument';
import type { Cursor } from '../cursor';
import type { Definitions } from '../../symbols/definitions';
import type { CompletionRequest, Suggestion, Suggestions, ValueQuestion } from './suggestion';

/** Suggestions for the values that are possible at the cursor. */
export function valueSuggestions(question: ValueQuestion): Suggestions {
  const { cursor, directiveKey } = question;
  const suggestionsOfDirective = SUGGESTIONS_OF_DIRECTIVE[directiveKey]?.(question);
  if (suggestionsOfDirective) return suggestionsOfDirective;
  const table = argumentTable(cursor.name, { section: cursor.isTag });
  if (!table) return noSuggestions(cursor);
  const expectedArgumentList = expectedArguments(table, cursor).flatMap(alternativesOf);
  // After a key such as `timeout=`, only the values of that key are possible.
  const argumentsWithKey = expectedArgumentList.filter(
    (argument) => argument.key && cursor.word.toLowerCase().startsWith(argument.key.toLowerCase()),
  );
  return nearestSuggestions(
    (argumentsWithKey.length > 0 ? argumentsWithKey : expectedArgumentList).flatMap((argument) =>
      suggestionsForArgument(question, argument),
    ),
    cursor,
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** An empty list at the cursor. */
const noSuggestions = (cursor: Cursor): Suggestions => ({ start: cursor.textBefore.length, restLength: 0, items: [] });

function expectedArguments(table: ArgumentTable, { words }: Cursor): Argument[] {
  return argumentsExpectedAfter(
    table,
    words.map(({ value }) => value),
  ).map(({ argument }) => argument);
}

function alternativesOf(argument: Argument): readonly Argument[] {
  const { choices, repeats } = argument;
  return choices
    ? choices.flatMap(alternativesOf).map((choice) => (repeats ? { ...choice, repeats } : choice))
    : [argument];
}

/**
 * Joins the suggestions for several possible arguments. Takes only the suggestions whose replaced
 * text begins nearest to the cursor, because a list has one range.
 */
function nearestSuggestions(groups: readonly Suggestions[], cursor: Cursor): Suggestions {
  const groupsWithItems = groups.filter(({ items }) => items.length > 0);
  if (groupsWithItems.length === 0) return noSuggestions(cursor);
  const lastStart = Math.max(...groupsWithItems.map((group) => group.start));
  const lastGroups = groupsWithItems.filter((group) => group.start === lastStart);
  const seenLabels = new Set<string>();
  const differentItems = lastGroups
    .flatMap((group) => group.items)
    .filter(({ label }) => !seenLabels.has(label) && seenLabels.add(label));
  return {
    start: lastStart,
    restLength: Math.max(...lastGroups.map(({ restLength }) => restLength)),
    items: differentItems,
    ...(lastGroups.some(({ isIncomplete }) => isIncomplete) && { isIncomplete: true }),
  };
}

/** The number of characters after the cursor that belong to the same value. */
function restLengthOf(cursor: Cursor, pattern = /^[\w.!*-]*/): number {
  return pattern.exec(cursor.textAfter)![0].length;
}

/**
 * The suggestions for one of the arguments that the word at the cursor may be. Each group has its
 * own start, because a key or a list may come before the value.
 */
function suggestionsForArgument(question: ValueQuestion, argument: Argument): Suggestions[] {
  const { cursor, directiveKey } = question;
  let token = cursor.word;
  let tokenStart = cursor.wordStart;
  const skipCharacters = (count: number) => {
    token = token.slice(count);
    tokenStart += count;
  };
  if (argument.key) {
    if (!token.toLowerCase().startsWith(argument.key.toLowerCase())) {
      const keyItem: Suggestion = {
        label: argument.key,
        kind: CompletionItemKind.Keyword,
        opensNextList: true,
        explainedSubject: { of: directiveKey, word: argument.key.slice(0, -1) },
      };
      return [{ start: tokenStart, restLength: restLengthOf(cursor), items: [keyItem] }];
    }
    skipCharacters(argument.key.length);
  }
  const earlierValues: string[] = [];
  if (argument.separator) {
    for (let index = token.indexOf(argument.separator); index >= 0; index = token.indexOf(argument.separator)) {
      earlierValues.push(token.slice(0, index).toLowerCase());
      skipCharacters(index + argument.separator.length);
    }
  }
  const wordItems = wordSuggestions(question, argument, token, earlierValues);
  const groups: Suggestions[] = [{ start: tokenStart, restLength: restLengthOf(cursor), items: wordItems }];
  // If an argument can only be an expression, any text is completed as an expression. Otherwise
  // `suggestionsForKind` decides.
  for (const kind of argument.kinds) {
    const isOnlyKind = argument.kinds.length === 1 && !argument.key;
    const suggestions =
      kind === 'expression' && isOnlyKind
        ? expressionSuggestions(question, token)
        : suggestionsForKind(question, kind, { token, start: tokenStart });
    if (suggestions) groups.push(suggestions);
  }
  return groups;
}

/**
 * Suggestions for the words of an argument that are not used yet. `token`: the value before the
 * cursor; `earlierValues`: the values before it in the same word, in lower case.
 */
function wordSuggestions(
  { request, cursor, directiveKey }: ValueQuestion,
  argument: Argument,
  token: string,
  earlierValues: readonly string[],
): Suggestion[] {
  const currentWords = (argument.words ?? []).filter(
    (word) =>
      !word.obsolete &&
      word.word !== '~' &&
      !isTooNew(word, request.engine.target.patch) &&
      !earlierValues.includes(word.word.toLowerCase()),
  );
  const usedWords =
    argument.repeats || argument.signed
      ? new Set(cursor.words.map(({ value }) => value.replace(/^[+-]/, '').toLowerCase()))
      : new Set<string>();
  const wordItem = (word: string, sign = ''): Suggestion => ({
    label: sign + word,
    kind: CompletionItemKind.EnumMember,
    explainedSubject: { of: directiveKey, word },
  });
  const unusedWords = currentWords.filter(({ word }) => !usedWords.has(word.toLowerCase()));
  const areSignsUsed =
    argument.signed && (/^[+-]/.test(token) || cursor.words.some(({ value }) => /^[+-]/.test(value)));
  const allowedWords = unusedWords.filter(({ unsigned }) => !areSignsUsed || !unsigned).map(({ word }) => word);
  if (!argument.signed) return allowedWords.map((word) => wordItem(word));
  const typedSign = /^[+-]/.exec(token)?.[0];
  if (typedSign) return allowedWords.map((word) => wordItem(word, typedSign));
  // Words with and without a sign cannot be mixed on one line.
  if (cursor.words.some(({ value }) => /^[+-]/.test(value)))
    return ['+', '-'].flatMap((each) => allowedWords.map((word) => wordItem(word, each)));
  return allowedWords.map((word) => wordItem(word));
}

function isTooNew({ since = '' }: ValueWord, patch: number): boolean {
  return Number(/^2\.4\.(\d+)$/.exec(since)?.[1] ?? 0) > patch;
}

// ---- Kinds of values ----

/** The value before the cursor, and where it starts in `Cursor.textBefore`. */
interface TokenAtCursor {
  readonly token: string;
  readonly start: number;
}

/** Suggestions for a kind of value; null if there are none for this kind. */
function suggestionsForKind(
  question: ValueQuestion,
  kind: ValueKind,
  { token, start }: TokenAtCursor,
): Suggestions | null {
  const { cursor, request, definitions } = question;
  const suggestionsOf = (items: Suggestion[], pattern?: RegExp): Suggestions => ({
    start,
    restLength: restLengthOf(cursor, pattern),
    items,
  });
  switch (kind) {
    case 'file':
    case 'folder':
    case 'path':
    case 'glob':
      return pathSuggestions(request, cursor, definitions, { text: token, start, foldersOnly: kind === 'folder' });
    case 'module': {
      const isNegated = token.startsWith('!');
      return {
        start: start + (isNegated ? 1 : 0),
        restLength: restLengthOf(cursor),
        items: moduleSuggestions(question),
      };
    }
    case 'module-file':
      return { start, restLength: restLengthOf(cursor, /^[^\s"]*/), items: moduleFileSuggestions(question) };
    case 'variable': {
      const isNegated = token.startsWith('!');
      return {
        start: start + (isNegated ? 1 : 0),
        restLength: restLengthOf(cursor),
        items: [
          ...definedNameSuggestions(question, 'environment', CompletionItemKind.Variable),
          ...vocabularySuggestions(question, 'environment'),
        ],
      };
    }
    case 'define':
      return {
        start: start + (token.startsWith('!') ? 1 : 0),
        restLength: restLengthOf(cursor),
        items: definedNameSuggestions(question, 'variable', CompletionItemKind.Constant),
      };
    case 'macro':
      return suggestionsOf(definedNameSuggestions(question, 'macro', CompletionItemKind.Function));
    case 'balancer':
      return suggestionsOf(definedNameSuggestions(question, 'balancer', CompletionItemKind.Reference), /^[\w.:/-]*/);
    case 'url':
      return suggestionsOf(urlSuggestions(question), /^[\w.:/-]*/);
    case 'rewrite-map':
      return null;
    case 'log-format-name':
      return question.directiveKey === 'logformat' ? null : suggestionsOf(logFormatNames(question));
    case 'log-format':
      return token.includes('%') ? logFormatSuggestions(question, token) : null;
    case 'address':
    case 'host-port':
      return question.directiveKey === '<virtualhost' || question.directiveKey === 'namevirtualhost'
        ? suggestionsOf(addressSuggestions(definitions), /^[\w.:*[\]-]*/)
        : null;
    case 'handler':
      return token.startsWith('proxy:')
        ? suggestionsOf(
            BACKEND_PREFIXES.map((label) => ({ label, kind: CompletionItemKind.Value })),
            /^[\w.:/-]*/,
          )
        : suggestionsOf([
            ...definedNameSuggestions(question, 'handler', CompletionItemKind.Value),
            ...vocabularySuggestions(question, 'handler'),
          ]);
    case 'filter': {
      // In FilterChain, a sign may be before the name of the filter.
      const signLength = question.directiveKey === 'filterchain' ? /^[+=!@-]?/.exec(token)![0].length : 0;
      return {
        start: start + signLength,
        restLength: restLengthOf(cursor),
        items: [
          ...definedNameSuggestions(question, 'filter', CompletionItemKind.Value),
          ...filterSuggestions(question),
        ],
      };
    }
    case 'authn-provider':
      return suggestionsOf([
        ...providerNames('authn'),
        ...definedNameSuggestions(question, 'authn-provider', CompletionItemKind.Reference),
      ]);
    case 'authz-provider':
      return suggestionsOf([
        ...providerNames('authz'),
        ...definedNameSuggestions(question, 'authz-provider', CompletionItemKind.Reference),
      ]);
    case 'socache-provider': {
      const valueStart = token.indexOf(':') + 1;
      return valueStart > 0
        ? pathSuggestions(request, cursor, definitions, {
            text: token.slice(valueStart),
            start: start + valueStart,
            foldersOnly: false,
          })
        : suggestionsOf(providerNames('socache'));
    }
    case 'mutex':
      return suggestionsOf(providerNames('mutex'));
    case 'directive':
      return suggestionsOf(directiveSuggestions(question), /^\w*>?/);
    case 'mime-type':
      return suggestionsOf(
        [
          ...definedNameSuggestions(question, 'mime-type', CompletionItemKind.Value),
          ...vocabularySuggestions(question, 'mime-type'),
        ],
        /^[\w.+/*-]*/,
      );
    case 'header':
      return suggestionsOf(
        vocabularySuggestions(
          question,
          /^(requestheader|setenvif|remoteipheader)/.test(question.directiveKey) ? 'request-header' : 'header',
        ),
        /^[\w-]*/,
      );
    case 'status':
      return suggestionsOf(
        vocabularySuggestions(question, 'status').filter(({ label }) =>
          (question.directiveKey.startsWith('redirect')
            ? /^[345]/
            : question.directiveKey === 'errordocument'
              ? /^[45]/
              : /^/
          ).test(label),
        ),
      );
    case 'charset':
    case 'language':
    case 'encoding':
    case 'method':
      return suggestionsOf(vocabularySuggestions(question, kind));
    case 'rewrite-flags':
      return flagSuggestions(question);
    case 'expression':
      // Another text is possible here, too, so only the text after `expr=` is completed as an
      // expression.
      return token.startsWith('expr=') || cursor.word.startsWith('expr=')
        ? expressionSuggestions(question, token.replace(/^expr=/, ''))
        : null;
    default:
      return null;
  }
}

/** Suggestions for the words of a vocabulary. Words of loaded modules come first, if known. */
function vocabularySuggestions({ request }: ValueQuestion, kind: VocabularyKind): Suggestion[] {
  return sortedByLoaded(request, vocabularyWordsFor(request, kind)).map(({ word, text, from: source }) => ({
    label: word,
    kind: CompletionItemKind.Value,
    ...(source && { source }),
    explainedSubject: { text },
  }));
}

/** The names of all providers of a kind, common ones first. */
function providerNames(kind: ProviderKind): Suggestion[] {
  const rankOf = (name: string) =>
    (COMMON_VALUES.indexOf(name) + COMMON_VALUES.length + 1) % (COMMON_VALUES.length + 1);
  return [...providers(kind, '2.4')]
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([label, [module]]) => ({
      label,
      kind: CompletionItemKind.EnumMember,
      source: module,
      ...(module !== undefined && { explainedSubject: { module } }),
    }));
}

/**
 * The words in this order: first those of loaded modules, if known, and in each group common words
 * first.
 */
function sortedByLoaded(request: CompletionRequest, words: readonly VocabularyWord[]): VocabularyWord[] {
  const modules = request.fileContext?.modules;
  const isLoaded = ({ from }: VocabularyWord) => from === undefined || !modules || modules.has(from);
  const rankOf = (each: VocabularyWord) =>
    (isLoaded(each) ? 0 : 100) +
    ((COMMON_VALUES.indexOf(each.word) + COMMON_VALUES.length + 1) % (COMMON_VALUES.length + 1));
  return [...words].sort((a, b) => rankOf(a) - rankOf(b));
}

/** The most common values of all kinds, the most common one first. */
const COMMON_VALUES = [
  'file',
  'ldap',
  'dbm',
  'dbd',
  'shmcb',
  'server-status',
  'cgi-script',
  'server-info',
  'DEFLATE',
  'INCLUDES',
  'UTF-8',
  'ISO-8859-1',
  'en',
  'gzip',
  'br',
  'text/html',
  'text/plain',
  'text/css',
  'text/javascript',
  'application/javascript',
  'application/json',
  'image/svg+xml',
  'Cache-Control',
  'Strict-Transport-Security',
  'Content-Security-Policy',
  'X-Frame-Options',
  'X-Content-Type-Options',
  'X-Forwarded-Proto',
  'X-Forwarded-For',
  'User-Agent',
  'Referer',
  'no-gzip',
  'nokeepalive',
];

/** Suggestions for filters of the direction that the directive takes. */
function filterSuggestions({ request, directiveKey }: ValueQuestion): Suggestion[] {
  const otherDirection = /input/.test(directiveKey) ? 'output' : 'input';
  return sortedByLoaded(request, vocabularyWordsFor(request, 'filter'))
    .filter(({ direction }) => direction !== otherDirection)
    .map(({ word, text, from: source }) => ({
      label: word,
      kind: CompletionItemKind.Value,
      ...(source && { source }),
      explainedSubject: { text },
    }));
}

/**
 * The names of log formats that the file or its configuration defines. If the file defines none and
 * other files are unknown, the usual names.
 */
function logFormatNames(question: ValueQuestion): Suggestion[] {
  const definedFormats = definedNameSuggestions(question, 'log-format', CompletionItemKind.Reference);
  const isMainFile = hasFact(question.request.engine.factsIn(question.request.tree.root), Fact.isRoot);
  if (definedFormats.length > 0 || isMainFile || question.request.namesInOtherFiles) return definedFormats;
  return ['combined', 'common'].map((label) => ({ label, kind: CompletionItemKind.Reference, source: 'usual' }));
}

/** Suggestions for the addresses of virtual hosts, made from the Listen lines of the file. */
function addressSuggestions(definitions: Definitions): Suggestion[] {
  const listenAddresses = [...definitions.namesOf('address').keys()];
  const wildcardAddresses = listenAddresses.map((address) => `*:${/(?<!\d)\d+$/.exec(address)?.[0] ?? '80'}`);
  const addressesWithPort = listenAddresses.filter((address) => address.includes(':'));
  const addresses = [
    ...new Set([
      ...wildcardAddresses,
      ...addressesWithPort,
      ...(wildcardAddresses.length > 0 ? [] : ['*:80', '*:443']),
    ]),
  ];
  return addresses.map((label) => ({
    label,
    kind: CompletionItemKind.Value,
    ...(listenAddresses.length > 0 && wildcardAddresses.includes(label) && { source: 'Listen' }),
  }));
}

/** How the URLs of backends begin. */
const URL_SCHEMES = [
  'http://',
  'https://',
  'ws://',
  'wss://',
  'h2://',
  'h2c://',
  'ajp://',
  'fcgi://',
  'scgi://',
  'uwsgi://',
  'ftp://',
  'unix:',
];

/**
 * How the values for proxy handlers begin. The address of a backend follows (proxy_handler in
 * mod_proxy.c takes the text after `proxy:`).
 */
const BACKEND_PREFIXES = [
  'proxy:fcgi://',
  'proxy:unix:',
  'proxy:http://',
  'proxy:ajp://',
  'proxy:uwsgi://',
  'proxy:scgi://',
  'proxy:balancer://',
];

/** Suggestions for the beginning of a backend's URL. Empty for directives that take other URLs. */
function urlSuggestions(question: ValueQuestion): Suggestion[] {
  const { directiveKey } = question;
  if (!/^(<?proxy|balancermember)/.test(directiveKey)) return [];
  const schemes = URL_SCHEMES.map((label): Suggestion => ({ label, kind: CompletionItemKind.Value }));
  if (directiveKey === '<proxy')
    return [
      ...definedNameSuggestions(question, 'balancer', CompletionItemKind.Reference),
      { label: '*', kind: CompletionItemKind.Value },
      { label: 'balancer://', kind: CompletionItemKind.Value },
      ...schemes,
    ];
  if (directiveKey === 'balancermember') return schemes;
  const balancers = definedNameSuggestions(question, 'balancer', CompletionItemKind.Reference);
  return [
    ...balancers,
    ...schemes,
    ...(balancers.length > 0 ? [] : [{ label: 'balancer://', kind: CompletionItemKind.Value }]),
  ];
}

/**
 * Suggestions for names of directives as values. `<IfSection>` takes names of sections without
 * brackets. AllowOverrideList takes only directives that .htaccess files may have.
 */
function directiveSuggestions({ request, directiveKey }: ValueQuestion): Suggestion[] {
  const isForSections = directiveKey === '<ifsection';
  return namesInRelease(request.engine.target.patch)
    .filter(
      ({ directive: { section }, factsOfName }) =>
        section === isForSections && (directiveKey !== 'allowoverridelist' || factsOfName.override.length > 0),
    )
    .map(({ directive: { name, section }, factsOfName }) => ({
      label: name,
      kind: CompletionItemKind.Property,
      source: factsOfName.modules[0],
      explainedSubject: { directive: section ? `<${name}` : name },
    }));
}

// ---- Modules ----

/**
 * Suggestions for modules. `<IfModule>` takes source files and identifiers. LoadModule takes
 * identifiers, and modules that are not loaded come first.
 */
function moduleSuggestions({ cursor, definitions, directiveKey, request }: ValueQuestion): Suggestion[] {
  const loadedNames = definitions.namesOf('module');
  const loadableModules = modules().filter(
    (module) => module['2.4']?.identifier && module['2.4'].sharedObject && !MODULES_OF_OTHER_PLATFORMS.has(module.name),
  );
  if (directiveKey === 'loadmodule') {
    const folder = moduleFolder(definitions);
    const isRestOfLineEmpty = cursor.textAfter.replace(/^\w*/, '').trim() === '';
    const moduleItems = loadableModules.map((module): Suggestion => {
      const { identifier, sharedObject } = module['2.4']!;
      return {
        label: identifier!,
        kind: CompletionItemKind.Module,
        explainedSubject: { module: module.name },
        ...(isRestOfLineEmpty && { text: `${identifier} ${folder}${sharedObject}` }),
        ...(loadedNames.has(identifier!) && { source: 'loaded already' }),
      };
    });
    return [...moduleItems.filter(({ source }) => !source), ...moduleItems.filter(({ source }) => source)];
  }
  if (directiveKey === 'loglevel')
    return [...loadableModules]
      .sort((a, b) => rankOfModule(a.name) - rankOfModule(b.name))
      .map((module) => ({
        label: `${module.name.replace(/^mod_/, '')}:`,
        kind: CompletionItemKind.Module,
        opensNextList: true,
        explainedSubject: { module: module.name },
      }));
  const isLoaded = (module: (typeof loadableModules)[number]) =>
    loadedNames.has(module['2.4']!.identifier!) || request.fileContext?.modules?.has(module.name) === true;
  const oldModules = modules().filter((module) => !module['2.4'] && module['2.2']?.sourceFile);
  const rankOf = (module: (typeof loadableModules)[number]) => (isLoaded(module) ? 0 : 100) + rankOfModule(module.name);
  const sortedModules = [...loadableModules].sort((a, b) => rankOf(a) - rankOf(b));
  const itemFor = (module: (typeof loadableModules)[number], name: string, isOld = false): Suggestion => ({
    label: name,
    kind: CompletionItemKind.Module,
    explainedSubject: { module: module.name },
    ...(isOld && { isOld: true as const }),
  });
  return [
    ...sortedModules.map((module) => itemFor(module, module['2.4']!.sourceFile!)),
    ...sortedModules.map((module) => itemFor(module, module['2.4']!.identifier!)),
    ...oldModules.map((module) => itemFor(module, module['2.2']!.sourceFile!, true)),
  ];
}

/** The most common modules in `<IfModule>`, the most common one first. */
const USUAL_MODULES = [
  'mod_rewrite',
  'mod_ssl',
  'mod_headers',
  'mod_deflate',
  'mod_expires',
  'mod_mime',
  'mod_alias',
  'mod_dir',
  'mod_setenvif',
  'mod_authz_core',
  'mod_proxy',
  'mod_autoindex',
  'mod_negotiation',
  'prefork',
  'worker',
  'event',
];

function rankOfModule(name: string): number {
  return (USUAL_MODULES.indexOf(name) + USUAL_MODULES.length + 1) % (USUAL_MODULES.length + 1);
}

/** Modules that exist only on uncommon platforms. */
const MODULES_OF_OTHER_PLATFORMS: ReadonlySet<string> = new Set([
  'mod_nw_ssl',
  'mod_isapi',
  'mpm_netware',
  'mpm_winnt',
  'mpmt_os2',
]);

/**
 * Suggestions for the file in a LoadModule line: that of the named module, or else those of all
 * modules.
 */
function moduleFileSuggestions({ cursor, definitions }: ValueQuestion): Suggestion[] {
  const identifier = cursor.words[0]?.value;
  const folder = moduleFolder(definitions);
  const modulesWithFile = modules().filter((module) => module['2.4']?.sharedObject);
  const matchingModules = modulesWithFile.filter((module) => module['2.4']!.identifier === identifier);
  return (matchingModules.length > 0 ? matchingModules : modulesWithFile).map((module) => ({
    label: `${folder}${module['2.4']!.sharedObject}`,
    kind: CompletionItemKind.File,
    explainedSubject: { module: module.name },
  }));
}

/** The folder of the modules in the file's other LoadModule lines; `modules/` if there are none. */
function moduleFolder(definitions: Definitions): string {
  const modulePath = [...definitions.namesOf('module').values()].find((each) => each.includes('/')) ?? 'modules/';
  return modulePath.slice(0, modulePath.lastIndexOf('/') + 1);
}

// ---- Directives whose arguments have a grammar of their own ----

/**
 * Functions for directives whose values the table of arguments does not describe well. If a
 * function returns null, the table is used.
 */
const SUGGESTIONS_OF_DIRECTIVE: Readonly<Record<string, (question: ValueQuestion) => Suggestions | null>> = {
  rewritecond({ cursor, request }) {
    if (cursor.words.length !== 1 || !/^!?-?\w*$/.test(cursor.word) || (cursor.word === '' && request.triggerCharacter))
      return null;
    const patternItems = CONDITION_PATTERNS.map(
      ([label, text]): Suggestion => ({ label, kind: CompletionItemKind.Operator, explainedSubject: { text } }),
    );
    return {
      start: cursor.wordStart + (cursor.word.startsWith('!') ? 1 : 0),
      restLength: restLengthOf(cursor),
      items: patternItems,
    };
  },
  '<if': wholeExpressionSuggestions,
  '<elseif': wholeExpressionSuggestions,
  require: requireSuggestions,
  loglevel(question) {
    const { cursor, directiveKey } = question;
    const colonIndex = cursor.word.lastIndexOf(':');
    const levelItem = (word: string): Suggestion => ({
      label: word,
      kind: CompletionItemKind.EnumMember,
      explainedSubject: { of: directiveKey, word },
    });
    if (colonIndex >= 0)
      return {
        start: cursor.wordStart + colonIndex + 1,
        restLength: restLengthOf(cursor),
        items: LOG_LEVELS.map(levelItem),
      };
    const isFirstArgument = cursor.words.length === 0;
    return {
      start: cursor.wordStart,
      restLength: restLengthOf(cursor),
      items: [...(isFirstArgument ? LOG_LEVELS.map(levelItem) : []), ...moduleSuggestions(question)],
    };
  },
  use(question) {
    const { cursor } = question;
    if (cursor.words.length > 0) return null;
    return {
      start: cursor.wordStart,
      restLength: restLengthOf(cursor),
      items: definedNameSuggestions(question, 'macro', CompletionItemKind.Function),
    };
  },
  directoryindex({ cursor }) {
    const usedNames = new Set(cursor.words.map(({ value }) => value));
    const indexFileItems = INDEX_FILES.filter((label) => !usedNames.has(label)).map(
      (label): Suggestion => ({ label, kind: CompletionItemKind.Value }),
    );
    return {
      start: cursor.wordStart,
      restLength: restLengthOf(cursor),
      items:
        cursor.words.length > 0
          ? indexFileItems
          : [
              ...indexFileItems,
              {
                label: 'disabled',
                kind: CompletionItemKind.EnumMember,
                explainedSubject: { of: 'directoryindex', word: 'disabled' },
              },
            ],
    };
  },
  expiresdefault: ({ cursor }) => expiryTimeSuggestions(cursor, 0),
  expiresbytype: ({ cursor }) => expiryTimeSuggestions(cursor, 1),
  '<limit': methodSuggestions,
  '<limitexcept': methodSuggestions,
};

/**
 * The patterns of RewriteCond that are no regular expressions, with their explanations
 * (cmd_rewritecond in mod_rewrite.c).
 */
const CONDITION_PATTERNS: readonly [string, string][] = [
  ['-f', 'Names a file that exists.'],
  ['-d', 'Names a folder that exists.'],
  ['-s', 'Names a file that is not empty.'],
  ['-l', 'Names a symbolic link.'],
  ['-x', 'Names a file that may be executed.'],
  ['-F', 'Names a file that this server would deliver; asks by a subrequest.'],
  ['-U', 'A URL that this server would answer; asks by a subrequest.'],
  ['-eq', 'The same number.'],
  ['-ne', 'Another number.'],
  ['-lt', 'A smaller number.'],
  ['-le', 'A smaller number, or the same.'],
  ['-gt', 'A greater number.'],
  ['-ge', 'A greater number, or the same.'],
];

/** The levels of LogLevel, the most severe first. */
const LOG_LEVELS = [
  'emerg',
  'alert',
  'crit',
  'error',
  'warn',
  'notice',
  'info',
  'debug',
  ...Array.from({ length: 8 }, (_, level) => `trace${level + 1}`),
];

/** Common names of index files. */
const INDEX_FILES = ['index.html', 'index.php', 'index.htm', 'index.cgi', 'index.shtml'];

/**
 * Suggestions for a time as mod_expires reads it (mod_expires.c: check_code): `base plus number
 * unit …`. Null if the cursor is not in this argument, or if the text before it has a space without
 * a quote.
 */
function expiryTimeSuggestions(
  { words, word, wordStart, quote, textAfter }: Cursor,
  index: number,
): Suggestions | null {
  if (words.length !== index) return null;
  const valueItem = (label: string): Suggestion => ({ label, kind: CompletionItemKind.Value });
  const numberAndUnit = /(?:^|\s)(\d+)\s+([a-z]*)$/i.exec(word);
  if (quote && numberAndUnit)
    return {
      start: wordStart + word.length - numberAndUnit[2]!.length,
      restLength: /^\w*/.exec(textAfter)![0].length,
      items: TIME_UNITS.map((unit) => valueItem(numberAndUnit[1] === '1' ? unit : `${unit}s`)),
    };
  if (quote)
    return {
      start: wordStart,
      restLength: /^[^"']*/.exec(textAfter)![0].length,
      items: COMMON_EXPIRY_TIMES.map(valueItem),
    };
  return /\s/.test(word)
    ? null
    : {
        start: wordStart,
        restLength: /^[\w]*/.exec(textAfter)![0].length,
        items: COMMON_EXPIRY_TIMES.map((label) => ({ ...valueItem(`"${label}"`), filter: label })),
      };
}

/** The units that mod_expires accepts. */
const TIME_UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'];
/** Common values of ExpiresDefault, the most common one first. */
const COMMON_EXPIRY_TIMES = [
  'access plus 1 month',
  'access plus 1 year',
  'access plus 1 week',
  'access plus 1 day',
  'access plus 1 hour',
  'access plus 0 seconds',
  'modification plus 1 day',
  'modification plus 1 hour',
  'now plus 1 day',
];

/** Suggestions for HTTP methods that the line does not have yet. */
function methodSuggestions(question: ValueQuestion): Suggestions {
  const { cursor } = question;
  const usedMethods = new Set(cursor.words.map(({ value }) => value));
  return {
    start: cursor.wordStart,
    restLength: restLengthOf(cursor),
    items: vocabularySuggestions(question, 'method').filter(({ label }) => !usedMethods.has(label)),
  };
}

/** Suggestions for a section whose only argument is an expression. */
function wholeExpressionSuggestions(question: ValueQuestion): Suggestions {
  const { cursor } = question;
  if (cursor.quote) return expressionSuggestions(question, cursor.word);
  const expressionStart = cursor.words[0]?.start ?? cursor.wordStart;
  return expressionSuggestions(question, cursor.textBefore.slice(expressionStart));
}

/** Suggestions in a Require line: for its first words, or for the values after the provider. */
function requireSuggestions(question: ValueQuestion): Suggestions | null {
  const { cursor } = question;
  const lowerCaseWords = cursor.words.map(({ value }) => value.toLowerCase());
  const isNegated = lowerCaseWords[0] === 'not';
  const [provider, ...operands] = isNegated ? lowerCaseWords.slice(1) : lowerCaseWords;
  const suggestionsOf = (items: Suggestion[]): Suggestions => ({
    start: cursor.wordStart,
    restLength: restLengthOf(cursor),
    items,
  });
  const wordItem = (label: string, opensNextList = false): Suggestion => ({
    label,
    kind: CompletionItemKind.EnumMember,
    explainedSubject: { of: 'require', word: label },
    ...(opensNextList && { opensNextList: true as const }),
  });
  if (provider === undefined) {
    // Text after the word stays in the line. So words are added only if no text follows.
    const isLastWord = cursor.textAfter.replace(/^[\w-]*["']?/, '').trim() === '';
    const providerByName = new Map(vocabularyWordsFor(question.request, 'require').map((each) => [each.word, each]));
    const providerItem = (label: string): Suggestion => {
      const vocabularyWord = providerByName.get(label.split(' ')[0]!);
      const isCompleteLine = label.includes(' ') || vocabularyWord?.form === '';
      return {
        ...wordItem(label),
        ...(vocabularyWord?.from && { source: vocabularyWord.from }),
        ...(vocabularyWord && {
          explainedSubject: {
            text:
              vocabularyWord.form && !isCompleteLine
                ? `${vocabularyWord.text}\n\n\`Require ${label} ${vocabularyWord.form}\``
                : vocabularyWord.text,
          },
        }),
        ...(!isCompleteLine && isLastWord && { text: `${label} `, opensNextList: true as const }),
      };
    };
    const firstLabels = isNegated ? [] : [...(isLastWord ? ['all granted', 'all denied'] : ['all']), 'not'];
    const usualProviders = ['local', 'ip', 'host', 'valid-user', 'user', 'group', 'expr', 'env', 'method'];
    const otherProviders = [...providerByName.keys()].filter(
      (name) => name !== 'all' && !usualProviders.includes(name),
    );
    return suggestionsOf([
      ...[...firstLabels, ...usualProviders, ...otherProviders].map(providerItem),
      ...definedNameSuggestions(question, 'authz-provider', CompletionItemKind.Reference),
    ]);
  }
  switch (provider) {
    case 'all':
      return suggestionsOf(operands.length === 0 ? [wordItem('granted'), wordItem('denied')] : []);
    case 'method':
      return suggestionsOf(vocabularySuggestions(question, 'method'));
    case 'env':
      return suggestionsOf(definedNameSuggestions(question, 'environment', CompletionItemKind.Variable));
    case 'expr': {
      const expressionStart = cursor.quote
        ? cursor.wordStart
        : (cursor.words[isNegated ? 2 : 1]?.start ?? cursor.wordStart);
      return expressionSuggestions(question, cursor.textBefore.slice(expressionStart));
    }
    default:
      return noSuggestions(cursor);
  }
}
