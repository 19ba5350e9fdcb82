/**
 * Signature help: shows the arguments of the directive at the cursor, and marks the current one.
 */
import {
  MarkupKind,
  type MarkupContent,
  type ParameterInformation,
  type SignatureHelp,
  type SignatureInformation,
} from 'vscode-languageserver-types';
import { directive as findDirective, displayName, type Directive } from '../directives';
import { descriptionOfDirective, type Description } from '../directives/descriptions';
import { argumentTable, type Argument } from '../directives/values';
import type { Tree } from '../syntax/document';
import { argumentsExpectedAfter, fitScore } from './arguments-at';
import { cursorAt } from './cursor';

/**
 * Limit for the described words of an argument. If there are more, none is listed, because
 * completion explains each word.
 */
const MAX_DESCRIBED_WORDS = 6;

/** The help at a UTF-16 offset; null if no argument is expected there. */
export function signatureHelp(tree: Tree, offset: number): SignatureHelp | null {
  const cursor = cursorAt(tree, offset);
  if (cursor?.kind !== 'argument') return null;
  const directiveOfLine = findDirective(cursor.name, { section: cursor.isTag });
  const table = directiveOfLine && argumentTable(cursor.name, { section: cursor.isTag });
  if (!directiveOfLine) return null;
  if (!table) return helpFor22(directiveOfLine);
  const { forms = [table.arguments] } = table;
  const expectedArguments = argumentsExpectedAfter(
    table,
    cursor.words.map(({ value }) => value),
  );
  // The part of the word before the cursor may show which argument it is.
  const [activeArgument] = [...expectedArguments].sort(
    (a, b) => fitScoreSoFar(b.argument, cursor.word) - fitScoreSoFar(a.argument, cursor.word),
  );
  if (!activeArgument) return null;
  const description = descriptionOfDirective(cursor.name, { section: cursor.isTag });
  return {
    signatures: forms.map((form) => signatureOf(directiveOfLine, form, description)),
    activeSignature: activeArgument.formIndex,
    activeParameter: activeArgument.argumentIndex,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** How well the start of a word fits an argument: see `fitScore`. Nothing may be typed yet. */
function fitScoreSoFar(argument: Argument, word: string): number {
  // The form with `~` before a regular expression comes last, because it is rarely used.
  if (word === '') return argument.words?.every(({ word: each }) => each === '~') ? -1 : 0;
  return fitScore(argument, word);
}

/** The signature of one form of a directive: its label, and the arguments as parts of the label. */
function signatureOf(
  directive: Directive,
  form: readonly Argument[],
  description: Description | undefined,
): SignatureInformation {
  let label = directive.section ? `<${directive.name}` : directive.name;
  const parameters = form.map((argument): ParameterInformation => {
    const labelOfArgument = argumentLabel(argument);
    const labelStart = label.length + 1;
    label += ` ${labelOfArgument}`;
    const documentation = parameterText(argument, description);
    return {
      label: [labelStart, labelStart + labelOfArgument.length],
      ...(documentation && { documentation: markdown(documentation) }),
    };
  });
  return {
    label: label + (directive.section ? '>' : ''),
    parameters,
    ...(description && { documentation: markdown(description.text) }),
  };
}

/**
 * The help for a directive that 2.4 lacks: the syntax in the manual of 2.2, with no argument marked
 * as the current one. Null if the manual shows no syntax.
 */
function helpFor22(directive: Directive): SignatureHelp | null {
  const syntaxLines = directive['2.2']?.syntax ?? [];
  if (syntaxLines.length === 0) return null;
  const description = descriptionOfDirective(displayName(directive), { section: directive.section });
  const signatures = syntaxLines.map(
    (label): SignatureInformation => ({
      label,
      parameters: [],
      ...(description && { documentation: markdown(description.text) }),
    }),
  );
  return { signatures, activeSignature: 0 };
}

function argumentLabel({ label, optional, repeats }: Argument): string {
  const repeatedLabel = repeats ? `${label} …` : label;
  return optional && !/^\[.*\]$/.test(repeatedLabel) ? `[${repeatedLabel}]` : repeatedLabel;
}

/** The description of an argument, or of its words. */
function parameterText(argument: Argument, description: Description | undefined): string {
  const descriptionByName = new Map<string, string>();
  for (const [names, line] of Object.entries(description?.arguments ?? {}))
    for (const name of names.split(', ')) descriptionByName.set(name.toLowerCase(), line);
  const allAlternatives = alternativesOf(argument);
  const describedWords = allAlternatives.flatMap(({ key = '', words = [], label }) => [
    ...words.filter(({ obsolete }) => !obsolete).map(({ word }) => key + word),
    key.slice(0, -1),
    label,
  ]);
  const descriptions = [...new Set([argument.label, ...argument.label.split('|'), ...describedWords])].filter(
    (word) => word !== '' && descriptionByName.has(word.toLowerCase()),
  );
  const descriptionLines =
    descriptions.length === 1 && descriptions[0] === argument.label
      ? [descriptionByName.get(descriptions[0].toLowerCase())!]
      : (descriptions.length > MAX_DESCRIBED_WORDS ? [] : descriptions).map(
          (word) => `- \`${word}\`: ${descriptionByName.get(word.toLowerCase())}`,
        );
  const limits = allAlternatives.flatMap(({ min, max }) =>
    min === undefined && max === undefined
      ? []
      : [max === undefined ? `${min} or more` : min === undefined ? `${max} or less` : `${min} to ${max}`],
  );
  return [...(limits.length > 0 ? [`${limits[0]}.`] : []), ...descriptionLines].join('\n');
}

function alternativesOf(argument: Argument): readonly Argument[] {
  return argument.choices ? argument.choices.flatMap(alternativesOf) : [argument];
}

function markdown(value: string): MarkupContent {
  return { kind: MarkupKind.Markdown, value };
}
