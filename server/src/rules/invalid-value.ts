import { valueFault, type ValueFault } from '../validation/argument-values';
import { argumentFault } from '../validation/arity';
import { areAllModulesOfHttpd } from '../config/modules';
import { expandedLine } from '../config/expand';
import { misplacement } from '../validation/place';
import { hasRefusals, findRefusal, type Refusal } from '../validation/refusals';
import { commandNamed } from '../directives/commands';
import { directive, displayName } from '../directives/index';
import { findNearestNames } from '../directives/nearest';
import { argumentTable, type Argument, type ArgumentTable } from '../directives/values';
import { argumentsOf, LineKind, spelledName, type Line, type Word } from '../syntax/line';
import { contentSpan, NO_FINDINGS, replaceWord, shortened } from './support/edits';
import { mayBeTemplate } from './expression-error';
import { isMixed } from './options-mixed';
import type { Context, Finding, Fix, LineRule } from './rule';
import { isBeforeChange } from './support/since';
import { titleToChangeLine } from './support/fix-title';

/** Finds words and numbers that a directive's function in httpd refuses. */
export const invalidValue: LineRule = {
  id: 'invalid-value',
  title: 'A value that httpd does not accept',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: [],
  checksEveryLine: true,
  url: 'https://httpd.apache.org/docs/2.4/mod/directive-dict.html#Syntax',
  examples: [
    {
      title: 'Invalid words',
      before: 'AllowEncodedSlashes NoDecod\nEnableSendfile Yes\n',
      after: 'AllowEncodedSlashes NoDecode\nEnableSendfile Yes\n',
      finds: ['word', 'word'],
    },
    {
      title: 'Invalid numbers',
      before: 'LimitRequestBody 10M\nLimitInternalRecursion 0\n',
      finds: ['number', 'range'],
    },
  ],
  mayConcern({ name, kind }, { place, target }) {
    if (place === null || kind === LineKind.Close || isBeforeChange(name, target)) return false;
    const isSection = kind === LineKind.Open;
    const command = commandNamed(name, isSection);
    if (command === undefined || misplacement(command, place, name) !== null) return false;
    return isSection || strictTable(name, isSection) !== null || hasRefusals(name, isSection);
  },
  check({ line: writtenLine, context }) {
    const isSection = writtenLine.kind === LineKind.Open;
    const line = expandedLine(writtenLine, context.fileContext);
    if (line === null)
      return DIRECTIVES_CHECKING_PLACE[writtenLine.name]
        ? findingsOfLine(writtenLine, isSection, context)
        : NO_FINDINGS;
    if (line !== writtenLine && argumentFault(commandNamed(line.name, isSection)!, line) !== null) return NO_FINDINGS;
    const findings = findingsOfLine(line, isSection, context);
    const [firstFinding] = findings;
    return line === writtenLine || !firstFinding
      ? findings
      : [{ ...firstFinding, ...contentSpan(writtenLine), fixes: [] }];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

function findingsOfLine(line: Line, isSection: boolean, { place, fileContext }: Context): readonly Finding[] {
  if (isSection && !line.isComplete) return NO_FINDINGS;
  // httpd reads the text after the `>` of a tag as an argument, which must end in another `>`
  // (ap_build_config_sub).
  if (isSection && line.text[line.nameEnd] === '>' && /^>[ \t]+[^\s>][^>]*$/.test(line.text.slice(line.nameEnd))) {
    return [
      findingOfRefusal(line, [], {
        serverText: `<${spelledName(line)}> directive missing closing '>'`,
        advice: 'Nothing may follow the tag on its line, not even a comment.',
      }),
    ];
  }
  const words = passedWords(line, isSection);
  // If the second argument of an ITERATE2 directive is empty, httpd does not call its function.
  if (words.length === 1 && commandNamed(line.name, isSection)!.kind === 'ITERATE2') return NO_FINDINGS;
  const table =
    words.length > 0 && !(line.name in DIRECTIVES_CHECKED_COMPLETELY) ? strictTable(line.name, isSection) : null;
  // The rule options-mixed reports Options lines that mix words with and without signs.
  if (line.name === 'options' && isMixed(line)) return NO_FINDINGS;
  const fault = table && valueFault(table, words);
  if (table && fault)
    return mayBeTemplate(line.text, fileContext) ? NO_FINDINGS : [findingOfFault(line, words, fault, table)];
  if (!hasRefusals(line.name, isSection)) return NO_FINDINGS;
  const modules = fileContext?.modules ?? null;
  const refusal = findRefusal({
    name: line.name,
    isSection,
    words: words.map(({ value }) => value),
    place: place!,
    modules: modules !== null && areAllModulesOfHttpd(modules) ? modules : null,
    providers: fileContext?.providers ?? null,
  });
  return refusal === null || mayBeTemplate(line.text, fileContext)
    ? NO_FINDINGS
    : [findingOfRefusal(line, words, refusal)];
}

/** Caches of `strictTable`, by name. */
const tableCaches = {
  directives: new Map<string, ArgumentTable | null>(),
  sections: new Map<string, ArgumentTable | null>(),
};

/**
 * The arguments that httpd accepts for a directive, if it refuses all others when it reads the
 * configuration (`ArgumentTable.strict`). Null if it may accept others, or if the directive is
 * unknown.
 */
function strictTable(name: string, isSection: boolean): ArgumentTable | null {
  const cache = isSection ? tableCaches.sections : tableCaches.directives;
  let table = cache.get(name);
  if (table === undefined) {
    const foundTable = commandNamed(name, isSection) && argumentTable(name, { section: isSection });
    if (cache.size >= MAX_CACHED_NAMES) cache.clear();
    cache.set(name, (table = foundTable?.strict ? foundTable : null));
  }
  return table;
}

/**
 * Limit of cached names. A file that is no configuration can have a different name on each line.
 */
const MAX_CACHED_NAMES = 4096;

/** Directives whose function first checks the place, and refuses any arguments at a wrong place. */
const DIRECTIVES_CHECKING_PLACE: Readonly<Record<string, true>> = { serveralias: true };

/**
 * Directives that validation/refusals.ts checks completely, so their argument tables are not used.
 * The tables would refuse an action without a header, which httpd accepts.
 */
const DIRECTIVES_CHECKED_COMPLETELY: Readonly<Record<string, true>> = { header: true, requestheader: true };

/**
 * The words that httpd passes to the function (invoke_cmd in server/config.c). ITERATE and ITERATE2
 * pass single words up to an empty one. TAKE12 drops an empty second word, and TAKE_ARGV an empty
 * last one.
 */
function passedWords(line: Line, isSection: boolean): readonly Word[] {
  const words = argumentsOf(line);
  const { kind } = commandNamed(line.name, isSection)!;
  const isLastWordEmpty = words.at(-1)?.value === '';
  if (isLastWordEmpty && (kind === 'TAKE_ARGV' || (kind === 'TAKE12' && words.length === 2))) return words.slice(0, -1);
  if (!kind.startsWith('ITERATE')) return words;
  const emptyWordIndex = words.findIndex(({ value }, index) => index > 0 && value === '');
  return emptyWordIndex < 0 ? words : words.slice(0, emptyWordIndex);
}

/** The finding for a refusal of the directive's function, with its message and our advice. */
function findingOfRefusal(line: Line, words: readonly Word[], refusal: Refusal): Finding {
  const { wordIndex, serverText, problem = 'httpd 2.4 does not accept these arguments', advice } = refusal;
  const refusedWord = wordIndex === undefined ? undefined : words[wordIndex];
  const directiveName = `\`${line.kind === LineKind.Open ? `<${spelledName(line)}>` : spelledName(line)}\``;
  if (line.name === 'error')
    return {
      messageId: 'refused',
      what: '`Error` prevents the start of httpd on purpose',
      cause: 'The author of this file wrote `Error` so that httpd does not start with it.',
      help: 'If the message of the line names a problem, correct the problem. Then remove the `Error` line. If httpd must not start with this file, for example in a test, leave the line.',
      serverText,
      ...contentSpan(line),
    };
  const isPattern = advice.includes('is not a valid regular expression');
  const what =
    refusedWord === undefined || refusedWord.value === ''
      ? `${directiveName}: ${problem}`
      : `${directiveName}: ${isPattern ? 'the regular expression' : 'httpd 2.4 does not accept'} \`${shortened(refusedWord.value, 32)}\`${isPattern ? ' is not valid' : ''}`;
  return {
    messageId: 'refused',
    what,
    ...(refusedWord === undefined && !isPattern
      ? { help: `${advice} Or remove ${line.kind === LineKind.Open ? 'both tags' : 'the line'}.` }
      : {
          cause: advice,
          help: `Correct the ${isPattern ? 'regular expression' : refusedWord ? 'value' : 'line'}, or remove ${line.kind === LineKind.Open ? 'both tags, so that this pattern no longer limits the lines between them' : 'the line'}.`,
        }),
    serverText,
    ...(refusedWord ? { start: refusedWord.start, end: refusedWord.end } : contentSpan(line)),
  };
}

/** The finding for an argument that the directive's table does not allow. */
function findingOfFault(
  line: Line,
  words: readonly Word[],
  { index, reason, expected }: ValueFault,
  table: ArgumentTable,
): Finding {
  const facts = directive(line.name, { section: line.kind === LineKind.Open })!;
  const directiveName = `\`${displayName(facts)}\``;
  const faultyWord = words[index]!;
  const acceptedValues = acceptedValuesText(expected);
  if (reason === 'missing')
    return {
      messageId: 'missing',
      what: `${directiveName} needs a value after \`${shortened(faultyWord.value)}\``,
      help: `Valid values: ${acceptedValues}.`,
      ...contentSpan(line),
    };
  const fixes: Fix[] = (reason === 'word' ? similarWords(faultyWord.value, expected) : []).map((text) => ({
    title: titleToChangeLine(line, replaceWord(faultyWord, text)),
    safety: 'suggestion',
    edits: [replaceWord(faultyWord, text)],
  }));
  const byteCount =
    reason === 'number' && acceptedValues.includes('number of bytes') ? bytesOf(faultyWord.value) : null;
  const isAboutNumber = reason === 'range' || (reason === 'number' && table.arguments.length > 0);
  const problemText = isAboutNumber
    ? reason === 'range'
      ? 'is out of range'
      : 'is not a number'
    : 'is not a valid value';
  return {
    messageId: reason,
    what: `${directiveName}: \`${shortened(faultyWord.value)}\` ${problemText}`,
    help:
      byteCount === null
        ? `Valid values: ${acceptedValues}.`
        : `Write \`${byteCount}\`: httpd takes only a number of bytes here.`,
    start: faultyWord.start,
    end: faultyWord.end,
    fixes,
  };
}

/** A number with a unit, as in `10M`, as a number of bytes; null for other text. */
function bytesOf(value: string): string | null {
  const [, number, unit] = /^(\d{1,9})(k|m|g)b?$/i.exec(value) ?? [];
  return number === undefined ? null : String(Number(number) * 1024 ** ('kmg'.indexOf(unit!.toLowerCase()) + 1));
}

/**
 * Allowed words that are similar to a wrong one. If the wrong one has a sign, only words that take
 * a sign, because without the sign the line would have another meaning.
 */
function similarWords(value: string, expectedArguments: readonly Argument[]): string[] {
  const [sign = ''] = /^[+-]/.exec(value) ?? [];
  const candidateWords = expectedArguments.flatMap((argument) =>
    (argument.choices ?? [argument]).flatMap(({ key = '', words: list = [], signed = argument.signed }) =>
      list
        .filter(({ obsolete, unsigned }) => !obsolete && (sign === '' || (signed === true && !unsigned)))
        .map(({ word }) => key + word),
    ),
  );
  return findNearestNames(value.slice(sign.length), candidateWords, 2).map((word) => sign + word);
}

/** Maximum number of valid words that the help shows for an argument. */
const MAX_SHOWN_WORDS = 14;

/** The values that these arguments accept, in words. */
function acceptedValuesText(expected: readonly Argument[]): string {
  const valueTexts = [...new Set(expected.flatMap((argument) => argument.choices ?? [argument]).map(argumentText))];
  return valueTexts.join('; ');
}

/** The values that an argument may have, as text. */
function argumentText({ key = '', words = [], kinds, min, max, label, signed }: Argument): string {
  const currentWords = words.filter(({ obsolete }) => !obsolete).map(({ word }) => word);
  const shownWords =
    currentWords.length > MAX_SHOWN_WORDS ? [...currentWords.slice(0, MAX_SHOWN_WORDS), '…'] : currentWords;
  const numberKind = kinds.find((kind) => kind === 'number' || kind === 'bytes' || kind === 'time');
  const rangeText =
    min !== undefined && max !== undefined && max < 2147483647
      ? ` from ${min} to ${max}`
      : min !== undefined
        ? ` of at least ${min}`
        : '';
  if (numberKind)
    shownWords.push(
      numberKind === 'bytes'
        ? `a number of bytes${rangeText}`
        : numberKind === 'time'
          ? `a time${rangeText} (seconds, or with ms, s, min, h)`
          : `a number${rangeText}`,
    );
  if (shownWords.length === 0) shownWords.push(label);
  return `${key === '' ? '' : `\`${key}\` with `}${shownWords.length > 1 ? `${shownWords.slice(0, -1).join(', ')} or ${shownWords.at(-1)}` : shownWords[0]}${signed ? ', with or without + or -' : ''}`;
}
