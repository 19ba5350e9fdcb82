/**
 * `explain` for words that are not a directive, module or message: flags of rewrite rules,
 * variables, functions and operators of expressions, letters of log formats, words of `Require`,
 * handlers, filters and statuses. They may be copied with their surroundings (`[R=301,L]`,
 * `%{REQUEST_URI}`, `HTTP 403`). Pure functions.
 */
import { vocabulary, type VocabularyKind, type VocabularyWord } from '../../directives/vocabularies';

/** A term, such as `[R=301,L]` or `HTTP 403`, with the explanation of its words. */
export interface ExplainedWord {
  readonly title: string;
  readonly markdown: string;
}

/**
 * Explains the words of a term, with one paragraph for each; undefined if one of them is not known.
 */
export function explainWords(term: string): ExplainedWord | undefined {
  const flags = /^\[(.+)\]$/
    .exec(term)?.[1]!
    .split(',')
    .map((flag) => flag.trim());
  if (flags) {
    const paragraphs = flags.map((flag) => paragraphsOf(flag, FLAG_KINDS));
    return paragraphs.some((each) => each.length === 0)
      ? undefined
      : { title: term, markdown: paragraphs.flat().join('\n\n') };
  }
  const explanations = paragraphsOf(term, WORD_KINDS);
  return explanations.length === 0 ? requestVariable(term) : { title: term, markdown: explanations.join('\n\n') };
}

/**
 * Explains variables that httpd makes from a name in the request: `HTTP_X_FORWARDED_FOR`,
 * `REDIRECT_REMOTE_USER`. Undefined for others.
 */
function requestVariable(term: string): ExplainedWord | undefined {
  const [, name = '', kind, nameAfterPrefix = ''] = /^%?\{?((HTTP|REDIRECT)_([A-Z][A-Z0-9_]*))\}?$/.exec(term) ?? [];
  if (kind === undefined) return undefined;
  const header = nameAfterPrefix
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('-');
  const explanationText =
    kind === 'HTTP'
      ? `The request header ${header}, for CGI programs and server-side includes. \`RewriteCond\` reads it as \`%{HTTP:${header}}\`, expressions as \`req('${header}')\`. 2.4 does not make such variables of headers with other characters than letters, digits and \`-\`. It does not pass Authorization, except with \`CGIPassAuth On\`.`
      : `The variable ${nameAfterPrefix} of the request before an internal redirect, for example to an error page or by a rewrite rule in a .htaccess file. The new request has it under this name.`;
  return {
    title: name,
    markdown: `**\`${name}\`** — environment variable\n\n${explanationText}\n\n[2.4 manual](https://httpd.apache.org/docs/2.4/env.html)`,
  };
}

/** All known words, to suggest the most similar ones. */
export function allExplainedWords(): string[] {
  return WORD_KINDS.flatMap(({ kind }) => vocabulary(kind))
    .map(({ word }) => word.replace(/:$/, ''))
    .filter((word) => /^[\w-]{3,}$/.test(word));
}

// ---------------------------------------------------------------------------------------------------------------------

/** A kind of words, and how a term shows a word of this kind. */
interface WordKind {
  readonly kind: VocabularyKind;
  /** The name of the kind of words, shown before the explanation. */
  readonly label: string;
  /** Returns the word in a term; null if the term does not have the form of this kind. */
  readonly wordInTerm: (term: string) => string | null;
  readonly manual: string;
}

/**
 * Returns a function that returns the first group of the pattern in a term; null if the pattern
 * does not match.
 */
const wordMatcher =
  (pattern: RegExp) =>
  (term: string): string | null =>
    pattern.exec(term)?.[1] ?? null;
/** Returns the name in a term such as `%{NAME}`, `%{SSL:NAME}` or `NAME:`. */
const matchPlainWord = wordMatcher(/^%?\{?(?:SSL:)?([\w-]+:?)\}?$/i);
/** Returns the name of a flag, without its value. */
const matchFlagName = wordMatcher(/^([A-Za-z]\w*)(?:=.*)?$/);
const matchWholeTerm = wordMatcher(/^(\S+)$/);

const FLAGS_PAGE = 'https://httpd.apache.org/docs/2.4/rewrite/flags.html';
const EXPRESSIONS_PAGE = 'https://httpd.apache.org/docs/2.4/expr.html';

/** The kinds of words that can be in brackets, as in `[R=301,L]`. */
const FLAG_KINDS: readonly WordKind[] = [
  { kind: 'rule-flag', label: 'flag of `RewriteRule`', wordInTerm: matchFlagName, manual: FLAGS_PAGE },
  {
    kind: 'condition-flag',
    label: 'flag of `RewriteCond`',
    wordInTerm: matchFlagName,
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_rewrite.html#rewritecond',
  },
];

/** All kinds of words. The explanations of a term come in this order. */
const WORD_KINDS: readonly WordKind[] = [
  {
    kind: 'status',
    label: 'HTTP status',
    wordInTerm: wordMatcher(/^(?:(?:http|status|code|error)[\s:/\d.]*\s)*([1-5]\d\d)(?: [A-Za-z -]+)?$/i),
    manual: 'https://www.rfc-editor.org/rfc/rfc9110.html#name-status-codes',
  },
  ...FLAG_KINDS,
  {
    kind: 'server-variable',
    label: 'variable of expressions and `RewriteCond`',
    wordInTerm: matchPlainWord,
    manual: EXPRESSIONS_PAGE,
  },
  {
    kind: 'rewrite-lookup',
    label: 'lookup of `RewriteCond`',
    wordInTerm: wordMatcher(/^%?\{?([\w-]+:)(?:[^}]*)\}?$/),
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_rewrite.html#rewritecond',
  },
  {
    kind: 'ssl-variable',
    label: 'variable of mod_ssl',
    wordInTerm: matchPlainWord,
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#envvars',
  },
  {
    kind: 'require',
    label: 'first word of `Require`',
    wordInTerm: matchWholeTerm,
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  },
  {
    kind: 'expression-function',
    label: 'function of expressions',
    wordInTerm: wordMatcher(/^([A-Za-z_]\w+)(?:\(.*\))?$/),
    manual: EXPRESSIONS_PAGE,
  },
  {
    kind: 'expression-list-function',
    label: 'function of expressions',
    wordInTerm: wordMatcher(/^(\w+)(?:\(.*\))?$/),
    manual: EXPRESSIONS_PAGE,
  },
  {
    kind: 'expression-operator',
    label: 'operator of expressions',
    wordInTerm: wordMatcher(/^(-\w+|\W{1,2})$/),
    manual: EXPRESSIONS_PAGE,
  },
  {
    kind: 'log-format',
    label: 'part of `LogFormat`',
    wordInTerm: wordMatcher(/^(%\S+)$/),
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_log_config.html#formats',
  },
  {
    kind: 'handler',
    label: 'handler',
    wordInTerm: matchWholeTerm,
    manual: 'https://httpd.apache.org/docs/2.4/handler.html',
  },
  {
    kind: 'filter',
    label: 'filter',
    wordInTerm: matchWholeTerm,
    manual: 'https://httpd.apache.org/docs/2.4/filter.html',
  },
  {
    kind: 'environment',
    label: 'environment variable',
    wordInTerm: matchWholeTerm,
    manual: 'https://httpd.apache.org/docs/2.4/env.html',
  },
  {
    kind: 'request-header',
    label: 'request header',
    wordInTerm: wordMatcher(/^([\w-]+):?$/),
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_headers.html',
  },
  {
    kind: 'response-header',
    label: 'response header',
    wordInTerm: wordMatcher(/^([\w-]+):?$/),
    manual: 'https://httpd.apache.org/docs/2.4/mod/mod_headers.html',
  },
];

/** The explanations of a term: one paragraph for each of the kinds that has the word. */
function paragraphsOf(term: string, kinds: readonly WordKind[]): string[] {
  return kinds.flatMap(({ kind, label, wordInTerm, manual }) => {
    const vocabularyName = wordInTerm(term);
    const vocabularyWord = vocabularyName === null ? undefined : wordOf(kind, vocabularyName);
    return vocabularyWord ? [wordParagraph(vocabularyWord, label, manual)] : [];
  });
}

/**
 * Finds a word by its spelling, or by its long or alternative form. Finds a word of a log format
 * also by its letter after a name or a condition: `%{Referer}i`, `%>s`. Undefined if the vocabulary
 * lacks it.
 */
function wordOf(kind: VocabularyKind, name: string): VocabularyWord | undefined {
  const lowerName = name.toLowerCase();
  const vocabularyWords = vocabulary(kind);
  const exactWord =
    vocabularyWords.find(({ word }) => word === name) ??
    (kind === 'log-format'
      ? undefined
      : vocabularyWords.find(({ word, long, alternative }) =>
          [word, long, alternative].some((each) => each?.toLowerCase() === lowerName),
        ));
  if (exactWord || kind !== 'log-format') return exactWord;
  const [, bracedArgument, letter] = /^%[<>!\d,]*(?!\d)(\{[^}]*\})?(\^?\w+)$/.exec(name) ?? [];
  return letter === undefined
    ? undefined
    : vocabularyWords.find(
        ({ word }) =>
          word === `%${letter}` ||
          (bracedArgument !== undefined &&
            new RegExp(String.raw`^%\{[^}]*\}${letter.replace('^', '\\^')}$`).test(word)),
      );
}

/**
 * The explanation of one word, in Markdown. `label`: the kind of word; `manual`: the address of its
 * page.
 */
function wordParagraph(
  { word, text, from, since, long, form, obsolete }: VocabularyWord,
  label: string,
  manual: string,
): string {
  const facts = [
    long === undefined ? '' : `Long name: \`${long}\`.`,
    form === undefined || form === '' ? '' : `Form: \`Require ${word} ${form}\`.`,
    from === undefined || from === 'core' ? '' : `Module: \`${from}\`.`,
    since === undefined ? '' : `Since ${since}.`,
    obsolete ? 'Old: not for new configurations.' : '',
  ];
  return [
    `**\`${word}\`** — ${label}`,
    [text, ...facts].filter((each) => each !== '').join(' '),
    `[2.4 manual](${manual})`,
  ].join('\n\n');
}
