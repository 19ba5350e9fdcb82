import { parseRequire } from '../access/require';
import { expressionError } from '../directives/expressions';
import { parseStringExpression } from '../syntax/expression';
import { scanExpression } from '../syntax/expression-tokens';
import { argumentsOf, lexLines, LineKind, rawArguments, spelledName, type Line, type Word } from '../syntax/line';
import { fittingHeadline, containsVariable, NO_FINDINGS, replaceWord, shortened } from './support/edits';
import { Fact, hasFact } from './support/facts';
import { fittingTitle } from './support/fix-title';
import type { Consequence, Finding, Fix, LineRule, LineRuleInput } from './rule';
import { isNewForServer } from '../config/target';

/** Finds text that 2.2 used unchanged and 2.4 reads as an expression with another result. */
export const textIsExpression: LineRule = {
  id: 'text-is-expression',
  title: 'Text with a backslash, $1 or %{…}, which 2.4 reads as an expression',
  consequence: 'requests get 500',
  comparesVersions: true,
  fix: 'safe',
  checks: 'line',
  names: ['authname', 'errordocument', 'require'],
  url: 'https://httpd.apache.org/docs/2.4/expr.html',
  examples: [
    {
      title: 'A realm with a backslash',
      before: '<Directory "/srv/www">\n    AuthName "CORP\\network"\n</Directory>\n',
      after: '<Directory "/srv/www">\n    AuthName "CORP\\\\\\\\network"\n</Directory>\n',
      finds: ['control-character'],
    },
    {
      title: 'A user of a Windows domain',
      before: '<Directory "/srv/www">\n    Require user CORP\\bob alice\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Require user CORP\\\\bob alice\n</Directory>\n',
      finds: ['other-name'],
    },
    {
      title: 'A variable in an error text',
      before: 'ErrorDocument 404 "No %{REQUEST_URI} here"\n',
      after: 'ErrorDocument 404 "No \\\\%{REQUEST_URI} here"\n',
      finds: ['other-text'],
    },
    {
      title: 'Not reported: text that means itself',
      before: 'ErrorDocument 404 "Costs $ 5, 50% off"\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { line } = ruleInput;
    if (line.kind !== LineKind.Directive || !isNewForServer(EXPRESSION_SINCE[line.name]!, ruleInput.context.target))
      return NO_FINDINGS;
    if (line.name === 'require') return findingsOfRequire(ruleInput);
    const argumentWords = argumentsOf(line);
    const textWord = argumentWords[line.name === 'errordocument' ? 1 : 0];
    return textWord === undefined || argumentWords.some(containsVariable)
      ? NO_FINDINGS
      : findingsOfText(ruleInput, textWord);
  },
};

/** The patch releases of 2.4 in which the text became an expression, by directive. */
const EXPRESSION_SINCE: Readonly<Record<string, number>> = { require: 8, errordocument: 13, authname: 55 };

/** Matches text without special characters of an expression. Nearly every text matches. */
const PLAIN_TEXT = /^[\w .,/:-]+$/;

/** The finding for a realm or an error text that 2.4 changes or refuses. `word`: the text. */
function findingsOfText({ line, context }: LineRuleInput, word: Word): readonly Finding[] {
  const { value } = word;
  if (PLAIN_TEXT.test(value)) return NO_FINDINGS;
  const shownName = spelledName(line);
  const error = expressionError(parseStringExpression(value), {
    isHtaccess: context.isHtaccess,
    modules: context.fileContext?.modules ?? null,
  });
  // The rule value-refused reports text with `%{` and an error.
  if (error && (value.includes('%{') || error.id === 'jammed')) return NO_FINDINGS;
  const textIn24 = error ? null : textOf24(value);
  if (textIn24 === value) return NO_FINDINGS;
  if (isEscaped(value)) return NO_FINDINGS;
  const escapedValue = `"${escapedFor24(value).replace(/["\\]/g, '\\$&')}"`;
  const isVariableOf24 = value.includes('%{');
  const fixes: Fix[] = line.isJoined
    ? []
    : [
        {
          title: `Add backslashes to the text of ${spelledName(line)}`,
          safety: isVariableOf24 ? 'suggestion' : 'safe',
          ...(isVariableOf24 && { assumes: 'the text should stay as it is, without the value of the variable' }),
          edits: [replaceWord(word, escapedValue)],
        },
      ];
  const help = `To keep the text of 2.2, write \`${shownName}${line.name === 'errordocument' ? ` ${argumentsOf(line)[0]!.value}` : ''} ${shortened(escapedValue, 60)}\`.`;
  const spanAndFixes = { start: word.start, end: word.end, fixes };
  if (error)
    return [
      {
        messageId: 'escape',
        consequence: 'will not start',
        what: fittingHeadline(
          `\`${shownName}\`: \`${shortened(value.slice(error.start, error.end))}\` is read as an expression now`,
          `\`${shownName}\` is read as an expression now`,
        ),
        help,
        serverText: error.serverText,
        ...spanAndFixes,
      },
    ];
  const hasControlCharacter = line.name === 'authname' && textIn24 !== null && FORBIDDEN_IN_HEADER.test(textIn24);
  const consequence: Consequence = hasControlCharacter ? 'requests get 500' : 'meaning changed';
  return [
    {
      messageId: hasControlCharacter ? 'control-character' : 'other-text',
      consequence,
      what: hasControlCharacter
        ? `\`${shownName}\`: 2.4 reads \`${controlCharacterIn(value)}\` as a control character`
        : `\`${shownName}\`: 2.4 changes this text`,
      cause: causeOf(line, value),
      help,
      ...spanAndFixes,
      ...(isVariableOf24 && {
        resolve: (facts) => (hasFact(facts, Fact.loads24) && context.target.runningPatch === undefined ? null : {}),
      }),
    },
  ];
}

/** The first part of the text that 2.4 reads as a control character, such as `\n`. */
function controlCharacterIn(value: string): string {
  return (value.match(SPECIAL_PART) ?? []).find((part) => FORBIDDEN_IN_HEADER.test(textOf24(part) ?? '')) ?? '\\';
}

/** The cause of a finding about a text: the release, and up to three parts with a meaning. */
function causeOf({ name }: Line, value: string): string {
  const specialParts = [...new Set(value.match(SPECIAL_PART) ?? [])].map((part) => `\`${part}\``);
  const release = name === 'authname' ? '2.4.55' : '2.4.13';
  const digestText = name === 'authname' ? ' With `AuthType Digest`, all passwords fail if the realm changes.' : '';
  return `Since ${release} the text is an expression, and ${specialParts.slice(0, 3).join(', ')} ${specialParts.length === 1 ? 'has' : 'have'} a meaning.${digestText}`;
}

/** Matches providers of 2.2 whose arguments are an expression since 2.4.8. */
const EXPRESSION_PROVIDER = /^(user|group|ldap-user|ldap-group|ldap-dn|ldap-attribute|ldap-filter)$/i;

/** The names of users or groups in a Require line, and how to escape them for 2.4. */
interface NamesOfRequire {
  /** Whether the line is `Require not …`. */
  readonly isNegated: boolean;
  readonly provider: Word;
  /** The names as 2.2 reads them. */
  readonly words: readonly Word[];
  /** The names as they are written: the text of the line after the provider. */
  readonly namesText: string;
  /** How to escape the names, as a text for `help`. */
  readonly help: string;
  /** The fix that adds backslashes. Empty if 2.4 would read other names even with backslashes. */
  readonly fixes: readonly Fix[];
}

/**
 * The names in a Require line that 2.4 reads as an expression, with the fix that escapes them. Null
 * for other lines.
 */
export function namesOfRequire(line: Line): NamesOfRequire | null {
  const { isNegated, provider, operands: words } = parseRequire(line);
  if (provider === null || !EXPRESSION_PROVIDER.test(provider.value)) return null;
  if (words.length === 0 || line.isJoined || line.text.includes('${')) return null;
  const { start, value } = rawArguments(line);
  const namesStart = provider.end - start;
  const namesText = value.slice(namesStart);
  const escapedNames = namesText.replace(/\\\\|\\|\$(?=\d)|%(?=\{)/g, (part) => (part === '\\\\' ? part : `\\${part}`));
  const textIfEscaped = textOf24(escapedNames);
  const keepsNames = textIfEscaped !== null && areSameWords(wordsOf(textIfEscaped), valuesOf(words));
  const help = keepsNames
    ? `Write \`${spelledName(line)} ${isNegated ? 'not ' : ''}${provider.value}${shortened(escapedNames.trimEnd(), 60)}\`.`
    : 'Write a backslash before each backslash, `$1` and `%{` of the name.';
  const fix: Fix = {
    title: fittingTitle(
      `Change ${namesText.trim()} to ${escapedNames.trim()}`,
      `Add backslashes to the names in ${spelledName(line)}`,
    ),
    // If the server already runs 2.4, the fix changes which name has access.
    safety: 'suggestion',
    assumes: namesText.includes('%{')
      ? 'the name should stay as it is, without the value of the variable'
      : 'the server runs httpd 2.2 now',
    edits: [{ start: start + namesStart, end: start + value.length, text: escapedNames }],
  };
  return { isNegated, provider, words, namesText, help, fixes: keepsNames ? [fix] : [] };
}

function valuesOf(words: readonly Word[]): readonly string[] {
  return words.map(({ value }) => value);
}

/**
 * The findings for names in a Require line. In 2.4 the provider reads the rest of the line as an
 * expression, and then splits the result into words.
 */
function findingsOfRequire({ line, context }: LineRuleInput): readonly Finding[] {
  const requireNames = namesOfRequire(line);
  // The rule expression-error reports names with an error.
  if (requireNames === null) return NO_FINDINGS;
  const modules = context.fileContext?.modules ?? null;
  if (expressionError(parseStringExpression(requireNames.namesText), { isHtaccess: context.isHtaccess, modules }))
    return NO_FINDINGS;
  const { isNegated, provider, words, namesText, help, fixes } = requireNames;
  // `~` begins a pattern of mod_shib, which the rule require-group-module reports.
  if (words[0]?.value === '~') return NO_FINDINGS;
  const textIn24 = textOf24(namesText);
  if (textIn24 !== null && areSameWords(wordsOf(textIn24), valuesOf(words))) return NO_FINDINGS;
  if (isEscaped(namesText)) return NO_FINDINGS;
  const isVariableOf24 = namesText.includes('%{');
  const isDenied = isNegated || context.limits.includes('requirenone');
  const changedName = words.find(({ value: name }) => textOf24(name) !== name) ?? words[0]!;
  const specialText = changedName.value.includes('%{')
    ? '`%{`'
    : changedName.value.includes('\\')
      ? 'the backslash'
      : '`$`';
  return [
    {
      messageId: 'other-name',
      consequence: 'meaning changed',
      what: fittingHeadline(
        `\`${spelledName(line)} ${provider.value}\`: ${specialText} in \`${shortened(changedName.value)}\` has a special meaning in 2.4`,
        `\`${spelledName(line)} ${provider.value}\`: ${specialText} in the name has a special meaning in 2.4`,
      ),
      cause:
        'Since 2.4.8 the names are an expression: a backslash, `$1` and `%{…}` have a meaning. ' +
        (isDenied ? 'This user or group is no longer denied.' : 'This user or group gets 401.'),
      help,
      start: changedName.start,
      end: changedName.end,
      fixes,
      ...(isVariableOf24 && {
        resolve: (facts) => (hasFact(facts, Fact.loads24) && context.target.runningPatch === undefined ? null : {}),
      }),
    },
  ];
}

// ---------------------------------------------------------------------------------------------------------------------

/** Matches the parts of a string expression that 2.4 does not read as they are. */
const SPECIAL_PART = /\\[0-7]{1,3}|\\[^]|\$\d|%\{[^}]*\}?/g;

/**
 * Whether all special parts of the text are already escaped for 2.4, as the fix would escape them.
 * The rule changed-behaviour reports two backslashes if the line is for 2.2.
 */
export function isEscaped(text: string): boolean {
  return !/\\|\$\d|%\{/.test(text.replace(/\\(?:\\|\$(?=\d)|%(?=\{))/g, ' '));
}

/** Matches control characters that a response header cannot have. A tab is allowed. */
const FORBIDDEN_IN_HEADER = /[\0-\x08\n-\x1f\x7f]/;

/**
 * The text that 2.4 makes of a string expression; null if it has a variable. References such as
 * `$1` are empty, because no pattern was matched.
 */
function textOf24(source: string): string | null {
  let plainText = '';
  for (const { kind, value } of scanExpression(source, { isString: true })) {
    if (kind === 'text') plainText += value;
    else if (kind !== 'reference' && kind !== 'end') return null;
  }
  return plainText;
}

/** The string expression that 2.4 reads as this text. */
function escapedFor24(text: string): string {
  return text.replace(/\\|\$(?=\d)|%(?=\{)/g, '\\$&');
}

/** The words of a text, split as ap_getword_conf does. */
function wordsOf(text: string): string[] {
  const [line] = lexLines(`Require ${text}\n`);
  return argumentsOf(line!).map((word) => word.value);
}

function areSameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
