import { argumentFault, countsArguments, type ArgumentFault } from '../validation/arity';
import { expandedLine } from '../config/expand';
import { commandNamed } from '../directives/commands';
import { directive } from '../directives/index';
import { argumentsOf, LineKind, type Line, type Word } from '../syntax/line';
import { contentSpan, NO_FINDINGS } from './support/edits';
import type { Finding, LineRule } from './rule';
import { isBeforeChange } from './support/since';

/**
 * Finds too few or too many arguments, and switches that are neither On nor Off. httpd checks these
 * before it calls the function of the directive.
 */
export const wrongArguments: LineRule = {
  id: 'wrong-arguments',
  title: 'Too few or too many arguments, or a switch that is neither On nor Off',
  consequence: 'will not start',
  fix: 'none',
  checks: 'line',
  names: [],
  checksEveryLine: true,
  url: 'https://httpd.apache.org/docs/2.4/mod/directive-dict.html#Syntax',
  examples: [
    {
      title: 'Too many or no arguments',
      before: 'ServerName www.example.org example.org\nDocumentRoot\n',
      finds: ['one', 'one'],
    },
    { title: 'A space in a path', before: 'Alias /docs /srv/our docs\n', finds: ['one-or-two'] },
    {
      title: 'A value other than On or Off',
      before: 'HostnameLookups Off\nExtendedStatus yes\n',
      finds: ['on-or-off'],
    },
    { title: 'A comment at the end of a line', before: 'UseCanonicalName Off # as before\n', finds: ['one'] },
  ],
  mayConcern({ name, kind }, { place }) {
    const command = place === null || kind === LineKind.Close ? undefined : commandNamed(name, kind === LineKind.Open);
    return command !== undefined && countsArguments(command);
  },
  check({ line, context }) {
    if (line.kind === LineKind.Close || context.place === null || isBeforeChange(line.name, context.target))
      return NO_FINDINGS;
    const command = commandNamed(line.name, line.kind === LineKind.Open);
    if (command === undefined) return NO_FINDINGS;
    const lineWithValues = expandedLine(line, context.fileContext);
    const fault = lineWithValues && argumentFault(command, lineWithValues);
    if (!lineWithValues || fault === null) return NO_FINDINGS;
    const finding = findingOfFault(lineWithValues, fault, command.name);
    return [lineWithValues === line ? finding : { ...finding, ...contentSpan(line) }];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** What the directive takes, as a text after "takes". */
const EXPECTED_TEXT_BY_FAULT: Readonly<Record<ArgumentFault, string>> = {
  one: 'one argument',
  two: 'two arguments',
  three: 'three arguments',
  'one-or-two': 'one or two arguments',
  'two-or-three': 'two or three arguments',
  'one-to-three': 'one, two or three arguments',
  'at-least-one': 'at least one argument',
  'at-least-two': 'at least two arguments',
  'on-or-off': 'On or Off',
};

/**
 * The message of httpd after the directive's name. For a fault that is not in this list, the
 * message is "takes" and the text in EXPECTED_TEXT_BY_FAULT.
 */
const SERVER_TEXT_BY_FAULT: Readonly<Partial<Record<ArgumentFault, string>>> = {
  'one-or-two': 'takes 1-2 arguments',
  'at-least-one': 'requires at least one argument',
  'at-least-two': 'requires at least two arguments',
  'on-or-off': 'must be On or Off',
};

/** The largest number of arguments that a line may have. Absent if there is no limit. */
const MAX_ARGUMENTS_BY_FAULT: Readonly<Partial<Record<ArgumentFault, number>>> = {
  one: 1,
  'one-or-two': 2,
  two: 2,
  three: 3,
  'two-or-three': 3,
  'one-to-three': 3,
};

/** What to do about the fault, as a text for `help`. `name`: the name of the directive. */
function adviceFor(words: readonly Word[], fault: ArgumentFault, name: string): string {
  if (words.slice(1).some(isComment)) return 'Move the comment to its own line: httpd reads it as arguments.';
  if (fault === 'on-or-off') return `Write \`${name} On\` or \`${name} Off\`.`;
  if (words.some(({ value }) => value === ''))
    return 'Write a value instead of the empty argument, or remove the line.';
  if (words.length > (MAX_ARGUMENTS_BY_FAULT[fault] ?? Infinity))
    return 'If an argument has a space, write it in quotes. If not, remove the extra arguments.';
  return words.length === 0 && MAX_ARGUMENTS_BY_FAULT[fault] !== 1
    ? 'Add the arguments, or remove the line.'
    : 'Add the missing argument, or remove the line.';
}

/** Whether the word begins a comment, which httpd reads as arguments. */
function isComment({ value, quote }: Word): boolean {
  return quote === '' && value.startsWith('#');
}

/**
 * The finding for a line with wrong arguments. Marks a comment at the end of the line, which httpd
 * reads as arguments, or the word that is not On or Off; otherwise the whole line.
 * `spelledCommand`: the name as httpd writes it in its message.
 */
function findingOfFault(line: Line, fault: ArgumentFault, spelledCommand: string): Finding {
  const words = argumentsOf(line);
  const { name, '2.4': facts } = directive(line.name, { section: line.kind === LineKind.Open })!;
  const countText =
    words.length === 0
      ? 'but has none'
      : words.some(({ value }) => value === '')
        ? 'but one is empty'
        : `not ${words.length}`;
  const commentIndex = words.findIndex(isComment);
  const advice = adviceFor(words, fault, name);
  const syntaxText =
    facts && facts.syntax.length > 0 && fault !== 'on-or-off'
      ? `Syntax: ${facts.syntax.map((each) => `\`${each}\``).join(' or ')}.`
      : undefined;
  const lastWord = words.at(-1);
  const markedSpan =
    fault !== 'on-or-off' && commentIndex > 0 && lastWord
      ? { start: words[commentIndex]!.start, end: lastWord.end }
      : fault === 'on-or-off' && words.length > 0
        ? { start: words[0]!.start, end: words[0]!.end }
        : contentSpan(line);
  return {
    messageId: fault,
    what:
      fault === 'on-or-off'
        ? `\`${name}\` takes only \`On\` or \`Off\``
        : `\`${name}\` takes ${EXPECTED_TEXT_BY_FAULT[fault]}, ${countText}`,
    cause: syntaxText,
    help: advice,
    serverText: `${spelledCommand.replace('<', '')} ${SERVER_TEXT_BY_FAULT[fault] ?? `takes ${EXPECTED_TEXT_BY_FAULT[fault]}`}`,
    ...markedSpan,
  };
}
