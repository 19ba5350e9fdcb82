/**
 * Texts of the command `access` about parts that are missing in a copy of a configuration, and
 * about what the answers assume for these parts.
 */
import type { RequestConfiguration, FileLine, UnknownFact } from '../requests/model';
import { shellWord } from '../syntax/shell-word';

/** What is assumed about parts that are missing in a copy, as a clause. */
export const COPY_ASSUMPTION =
  'the missing files change nothing, and the server has the modules that the files here need';

/** Whether the user answered that the missing file of a fact has no access lines. */
export function isMissingFileAnswered(
  { accessFileOf, includedPath }: UnknownFact,
  { hasNoAccessLines, includesNoAccessLines }: RequestConfiguration,
): boolean {
  return (
    (accessFileOf !== undefined && hasNoAccessLines?.(accessFileOf) === true) ||
    (includedPath !== undefined && includesNoAccessLines?.(includedPath) === true)
  );
}

/**
 * Returns the fact. If the user has answered about its missing file, its text is replaced by what
 * is still unknown.
 */
export function factAfterUserAnswer(fact: UnknownFact, configuration: RequestConfiguration): UnknownFact {
  const { what, includedPath } = fact;
  if (!isMissingFileAnswered(fact, configuration)) return fact;
  const file = /`[^`]*`/.exec(what)?.[0] ?? '.htaccess';
  return {
    ...fact,
    what: `whether ${includedPath === undefined ? 'lines such as RewriteRule' : 'other lines, such as Alias,'} in ${file} ${includedPath === undefined ? 'deny' : 'change the answer to'} the request: it is not in this copy, and your answer is only about Order, Allow, Deny and Require`,
  };
}

/** Maximum number of facts that a note lists. */
export const MAX_LISTED_FACTS = 4;

/**
 * The lines of a note, in Markdown: what the answers assume, and how to supply the missing parts of
 * the configuration. `subject`: what is right only under that assumption. `factText` returns the
 * text of a fact and its place.
 */
export function missingPartsNotes(
  subject: string,
  facts: readonly UnknownFact[],
  factText: (fact: UnknownFact) => string,
): string[] {
  const factTexts = [...new Set(facts.map(factText))];
  const unlistedCount = factTexts.length - MAX_LISTED_FACTS;
  const missingPath =
    facts.find(({ missingDirectory }) => missingDirectory)?.missingDirectory?.replace(/(?<=.)\/$/, '') ?? 'PATH';
  const modules = [...new Set(facts.flatMap(({ module }) => module ?? []))];
  return [
    `${subject} is right only if ${COPY_ASSUMPTION}. Not known:`,
    '',
    ...factTexts.slice(0, MAX_LISTED_FACTS).map((text) => `- ${text}`),
    ...(unlistedCount > 0 ? [`- ${unlistedCount} more`] : []),
    '',
    `To read the missing files, copy them from the server to the same paths here, with the symbolic links that lead to them. Or add --map ${missingPath}=DIR, where DIR is your copy of ${missingPath}.${modules.length > 0 ? ` If the server loads ${modules.join(' and ')}, add: --modules ${shellWord(modules.join(','))}` : ''}`,
    '',
  ];
}

/** The facts as JSON. `displayPath` returns the display name of a file. Lines are zero-based. */
export function factsJson(
  facts: readonly UnknownFact[],
  displayPath: (file: string) => string,
): Record<string, unknown>[] {
  const factByText = new Map(facts.map((fact) => [fact.what, fact]));
  const placeJson = (place: FileLine | null) => ({
    file: place && displayPath(place.file),
    line: place && place.line,
  });
  return [...factByText.values()].map(({ what, place }) => ({ what, ...placeJson(place) }));
}
