import { argumentsOf, type Word } from '../syntax/line';
import { regexMatches } from '../syntax/regex-match';
import { containsVariable, NO_FINDINGS, shortened } from './support/edits';
import type { Fix, LineRule } from './rule';

export const filterProvider: LineRule = {
  id: 'filter-provider',
  title: 'FilterProvider with the four arguments of 2.2 instead of an expression',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: ['filterprovider'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_filter.html#filterprovider',
  examples: [
    {
      title: 'A filter by the media type of the response',
      before:
        'FilterDeclare gzip CONTENT_SET\nFilterProvider gzip DEFLATE resp=Content-Type $text/\nFilterChain gzip\n',
      after:
        'FilterDeclare gzip CONTENT_SET\nFilterProvider gzip DEFLATE "%{CONTENT_TYPE} -strcmatch \'*text/*\'"\nFilterChain gzip\n',
      finds: ['dispatch'],
    },
    {
      title: 'A filter by a request header, with !',
      before: 'FilterProvider unzip INFLATE req=Accept-Encoding !/gzip/i\n',
      after: 'FilterProvider unzip INFLATE "!(%{req_novary:Accept-Encoding} =~ /gzip/i)"\n',
      finds: ['dispatch'],
    },
    {
      title: 'A filter by the length of the response',
      before: 'FilterProvider gzip DEFLATE Content-Length >=1000\n',
      after: 'FilterProvider gzip DEFLATE "-n %{resp:content-length} && %{resp:content-length} -ge 1000"\n',
      finds: ['dispatch'],
    },
  ],
  check({ line }) {
    const argumentWords = argumentsOf(line);
    if (argumentWords.length !== 4 || argumentWords.some((word) => word.value === '')) return NO_FINDINGS;
    const [fix] = fixesFor(argumentWords[2]!, argumentWords[3]!);
    return [
      {
        messageId: 'dispatch',
        what: '`FilterProvider` takes three arguments in 2.4: the last is an expression',
        cause: `\`${shortened(argumentWords[2]!.value)} ${shortened(argumentWords[3]!.value)}\` is the 2.2 form.`,
        help: fix
          ? `Replace the last two arguments by \`${fix.edits[0]!.text}\`.`
          : 'Write the condition as one expression.',
        start: argumentWords[2]!.start,
        end: argumentWords[3]!.end,
        fixes: fix ? [fix] : [],
      },
    ];
  },
};

/**
 * The fix that replaces the two arguments of 2.2 by an expression: what 2.2 compares (`criterion`)
 * and with what (`match`). Empty if 2.4 cannot express the condition.
 */
function fixesFor(criterion: Word, match: Word): Fix[] {
  if (containsVariable(criterion) || containsVariable(match)) return [];
  const operand = operandOf(criterion.value);
  const condition = operand && conditionOf(operand, match.value);
  if (!condition) return [];
  const text = `"${condition.expression.replace(/["\\]/g, '\\$&')}"`;
  const edits = [{ start: criterion.start, end: match.end, text }];
  return condition.isExact
    ? [{ title: 'Change the condition of FilterProvider to an expression', safety: 'safe', edits }]
    : [
        {
          title: 'Change the condition of FilterProvider to an expression',
          safety: 'suggestion',
          assumes: 'an empty value should count as a missing value',
          edits,
        },
      ];
}

/** The value that 2.2 compares, in the syntax of 2.4; null if 2.2 refuses it. */
function operandOf(criterion: string): string | null {
  const equals = criterion.indexOf('=');
  // If the criterion names no table, 2.2 read it, in lower case, as the name of a response header.
  const table = equals < 0 ? 'resp' : criterion.slice(0, equals).toLowerCase();
  const fieldName = equals < 0 ? criterion.toLowerCase() : criterion.slice(equals + 1);
  if (equals < 0 && fieldName === 'handler') return '%{HANDLER}';
  if (table === 'resp' && fieldName.toLowerCase() === 'content-type') return '%{CONTENT_TYPE}';
  const functionByTable: Readonly<Record<string, string>> = { resp: 'resp', req: 'req_novary', env: 'reqenv' };
  if (!(table in functionByTable) || !/^[\w.-]+$/.test(fieldName)) return null;
  return `%{${functionByTable[table]}:${fieldName}}`;
}

/** The condition of a FilterProvider line, in the syntax of 2.4. */
interface FilterCondition {
  readonly expression: string;
  /**
   * Whether 2.4 decides as 2.2 for all values, also for an empty one and for text instead of a
   * number.
   */
  readonly isExact: boolean;
}

/**
 * Matches a text whose characters have no special meaning in a quoted string, in a pattern of
 * -strcmatch, and in a configuration line.
 */
const PLAIN_TEXT = /^[\w/.+;=:, -]+$/;

const OPERATOR_IN_24: Readonly<Record<string, string>> = {
  '<': '-lt',
  '<=': '-le',
  '>': '-gt',
  '>=': '-ge',
  '=': '-eq',
};

/** The condition of 2.4 for a match of 2.2, with or without `!`. Null if 2.4 cannot express it. */
function conditionOf(operand: string, match: string): FilterCondition | null {
  const isNegated = match.startsWith('!');
  const conditionIfPositive = conditionWithoutNot(operand, isNegated ? match.slice(1) : match);
  if (!conditionIfPositive || !isNegated) return conditionIfPositive;
  return { ...conditionIfPositive, expression: `!(${conditionIfPositive.expression})` };
}

/** The condition for a match of 2.2 without its `!`; null if there is none in 2.4. */
function conditionWithoutNot(operand: string, match: string): FilterCondition | null {
  const firstCharacter = match[0];
  if (firstCharacter === '*') return { expression: `-n ${operand}`, isExact: false };
  if (firstCharacter === '/') return regexOf(operand, match);
  if (firstCharacter === '<' || firstCharacter === '>' || firstCharacter === '=') {
    const [, comparison = '', rest = ''] = /^(<=|>=|<|>|=)(.*)$/s.exec(match)!;
    // The condition is not exact, because 2.2 reads the number with atoi(), which accepts any text.
    return {
      expression: `-n ${operand} && ${operand} ${OPERATOR_IN_24[comparison]} ${parseInt(rest, 10) || 0}`,
      isExact: false,
    };
  }
  const matchText = firstCharacter === '$' ? match.slice(1).toLowerCase() : match;
  if (!PLAIN_TEXT.test(matchText)) return null;
  return {
    expression: `${operand} -strcmatch '${firstCharacter === '$' ? `*${matchText}*` : matchText}'`,
    isExact: true,
  };
}

/**
 * Converts a match of 2.2 such as `/png/i`: the pattern ends at the last slash. Null if 2.4 cannot
 * express it.
 */
function regexOf(operand: string, match: string): FilterCondition | null {
  const slashMatch = /^\/(.*)\/([^/]*)$/s.exec(match);
  if (!slashMatch || slashMatch[1] === '' || slashMatch[1]!.includes('#') || /[\\"]/.test(slashMatch[1]!)) return null;
  const [, source = '', flags = ''] = slashMatch;
  const quotedRegex = source.includes('/') ? `m#${source}#` : `/${source}/`;
  return {
    expression: `${operand} =~ ${quotedRegex}${flags.includes('i') ? 'i' : ''}`,
    isExact: regexMatches(source, '') === false,
  };
}
