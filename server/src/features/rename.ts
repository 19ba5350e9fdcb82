/**
 * Renames a name everywhere in a configuration, or refuses to. Refuses if the configuration might
 * then mean something else: for names whose values or readers are outside of it, names that are
 * composed of parts, and new names that already exist. Takes texts and returns edits or a sentence;
 * test/httpd/names.slow.test.ts checks the case rules on a real server.
 */
import type { TextEdit } from 'vscode-languageserver-types';
import { globPattern } from '../config/files';
import { providers } from '../directives';
import { vocabulary } from '../directives/vocabularies';
import type { Tree } from '../syntax/document';
import { LineKind } from '../syntax/line';
import { regexMatches } from '../syntax/regex-match';
import { Template } from '../syntax/template';
import { rangeOfOccurrence } from './convert';
import { sectionsAround } from './cursor';
import { macrosAround, parametersOf } from './macro-parameters';
import { CHARACTERS_OF_INSERTED_NAME, type NameKind, type Occurrence } from './names-in-line';
import { foldedName, forEachOccurrence, type PlacedOccurrence, type WantedName } from './occurrences';
import { CASE_SENSITIVE_KINDS, isOccurrenceOf, namesToSearch, type NameToFind } from './references';

/** A file that may contain the name, or that may be a reason to refuse. */
export interface RenameFile {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  readonly tree: Tree;
  /** The short name of the file. */
  readonly displayName: string;
  /** Why the file cannot be changed, as a phrase that follows its name; null if it can. */
  readonly whyUnchangeable: string | null;
}

/** The name to rename, and the files that may contain it. */
export interface RenameRequest {
  /** The name before the rename. */
  readonly wantedName: NameToFind;
  readonly newName: string;
  /** All files that may contain the name. */
  readonly files: readonly RenameFile[];
  /** The names that the server is started with (`-D`); null if unknown. */
  readonly defines: ReadonlyMap<string, string> | null;
}

/** The edits of a rename. */
export interface RenameEdits {
  /** The edits by path, in the order of each file, without overlaps. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
}

/** The answer if a name cannot be renamed. */
export interface RenameRefusal {
  /** Why the rename is not possible, as a sentence. */
  readonly refused: string;
}

/** Why names like this can never be renamed; null if they can. */
export function whyNeverRenamed({ kind, name }: NameToFind): string | null {
  const reasonOfFixedKind = REFUSAL_BY_FIXED_KIND[kind];
  if (reasonOfFixedKind !== undefined) return reasonOfFixedKind;
  if (kind === 'environment' && isKnownVariable(name)) return `httpd and its modules know \`${name}\` by this name.`;
  return null;
}

/** The names to search in addition to the name itself, to decide whether the rename is possible. */
export function namesToCheck({ kind, name }: NameToFind, newName: string): WantedName[] {
  const fullNewName = fullName(kind, withoutPrefix(kind, newName.trim()));
  const pattern: WantedName = { kind, name: null };
  const namesAsArguments = new Set(
    [name, fullNewName].flatMap((each) => [foldedName(each), foldedName(withoutPrefix(kind, each))]),
  );
  const hostPatterns: WantedName[] = kind === 'host' ? [{ kind: 'host-pattern', name: null }] : [];
  return [
    ...namesToSearch({ kind, name: fullNewName }),
    pattern,
    ...[...namesAsArguments].map((each): WantedName => ({ kind: 'argument', name: each })),
    { kind: 'argument', name: null },
    { kind: 'parameter', name: null },
    { kind: 'opaque', name: null },
    ...hostPatterns,
  ];
}

/** The edits of the rename, or the reason why it is refused. */
export function rename({ wantedName, newName, files, defines }: RenameRequest): RenameEdits | RenameRefusal {
  const { kind, name } = wantedName;
  const refusalFor = (sentence: string): RenameRefusal => ({ refused: sentence });
  const fileAndLine = (place: OccurrenceInFile) =>
    `${place.file.displayName}, line ${place.file.tree.positionAt(place.offset + place.occurrence.start).line + 1}`;
  const shortOldName = withoutPrefix(kind, name);
  const shortNewName = withoutPrefix(kind, newName.trim());
  const fullNewName = fullName(kind, shortNewName);
  const reasonNeverRenamed = whyNeverRenamed(wantedName);
  if (reasonNeverRenamed !== null) return refusalFor(reasonNeverRenamed);
  if (shortNewName === shortOldName) return { edits: new Map() };
  const validName = NAME_PATTERN_BY_KIND[kind] ?? USUAL_NAME_PATTERN;
  if (!validName.test(shortNewName) || shortNewName.length > 200)
    return refusalFor(`\`${newName}\` is not a name for ${kindWithArticle(kind)}.`);
  const predefinedNameReason = predefinedReason(kind, shortNewName);
  if (predefinedNameReason) return refusalFor(predefinedNameReason);

  const oldNameForms = namesToSearch(wantedName);
  const placesOfName: OccurrenceInFile[] = [];
  const placesOfOtherNames: OccurrenceInFile[] = [];
  forEachInFiles(files, [...oldNameForms, ...namesToCheck(wantedName, newName)], (place, wantedIndex) => {
    (wantedIndex < oldNameForms.length && isOccurrenceOf(wantedName, place.occurrence)
      ? placesOfName
      : placesOfOtherNames
    ).push(place);
  });
  const isNewName = ({ kind: otherKind, name: word, isPattern }: Occurrence) =>
    otherKind === kind &&
    !isPattern &&
    (CASE_SENSITIVE_KINDS.has(kind) ? word === fullNewName : foldedName(word) === foldedName(fullNewName));
  const placeWithNewName = placesOfOtherNames.find(({ occurrence }) => isNewName(occurrence));
  if (placeWithNewName)
    return refusalFor(`\`${shortNewName}\` is ${kindWithArticle(kind)} already: ${fileAndLine(placeWithNewName)}.`);

  const definingPlaces = placesOfName.filter(({ occurrence }) => occurrence.role === 'define');
  if (definingPlaces.length === 0 && DEFINITION_PHRASES[kind] !== undefined)
    return refusalFor(`No line of the configuration ${DEFINITION_PHRASES[kind]}: it comes from outside.`);
  for (const reason of [
    outsideReason(wantedName, placesOfName, defines, fileAndLine),
    spellingReason(kind, placesOfName, fileAndLine),
  ])
    if (reason !== null) return refusalFor(reason);
  const placeNotChangeable = placesOfName.find(
    ({ occurrence, line, isSingleRowWithoutTemplate }) =>
      occurrence.isSpelledDifferently || (!isSingleRowWithoutTemplate && line.template !== Template.None),
  );
  if (placeNotChangeable)
    return refusalFor(
      `${placeNotChangeable.occurrence.isSpelledDifferently ? 'A continued line or an escape runs through the name' : 'The line has template text'}: ${fileAndLine(placeNotChangeable)}.`,
    );
  if (placesOfName.length > MAX_CHANGED_PLACES) return refusalFor(`There are more than ${MAX_CHANGED_PLACES} places.`);

  for (const { why, place } of renameObstacles(wantedName, fullNewName, placesOfOtherNames, placesOfName, files))
    return refusalFor(`${why}: ${fileAndLine(place)}.`);
  const newNameInRegex = shortNewName.replaceAll('.', '\\.');
  const edits = new Map<string, TextEdit[]>();
  let editsOfFile: TextEdit[] = [];
  for (const [index, place] of placesOfName.entries()) {
    const { file, occurrence } = place;
    if (file !== placesOfName[index - 1]?.file) {
      if (file.whyUnchangeable !== null)
        return refusalFor(`${file.displayName} also has the name, and ${file.whyUnchangeable}.`);
      edits.set(file.path, (editsOfFile = []));
    }
    editsOfFile.push({ range: rangeOfOccurrence(place), newText: occurrence.isRegex ? newNameInRegex : shortNewName });
  }
  return { edits };
}

/** A name without the prefix of its kind. */
export function withoutPrefix(kind: NameKind, name: string): string {
  return kind === 'balancer'
    ? name.replace(/^balancer:\/\//i, '')
    : kind === 'variable'
      ? name.replace(/^\$\{(.*)\}$/, '$1')
      : name;
}

/** The word for each kind of names in messages. */
export const KIND_WORDS: Readonly<Record<NameKind, string>> = {
  variable: 'variable',
  environment: 'environment variable',
  module: 'module',
  balancer: 'balancer',
  worker: 'backend',
  macro: 'macro',
  'authn-provider': 'authentication provider',
  'authz-provider': 'authorization provider',
  'log-format': 'log format',
  'rewrite-map': 'rewrite map',
  filter: 'filter',
  handler: 'handler',
  'mime-type': 'media type',
  host: 'host name',
  'host-pattern': 'pattern',
  path: 'path',
  'health-expression': 'health check',
  'health-template': 'health check template',
  argument: 'argument',
  parameter: 'parameter',
  opaque: 'text',
};

// ---------------------------------------------------------------------------------------------------------------------

/** The words for a kind of name, with `a` or `an`. */
function kindWithArticle(kind: NameKind): string {
  return `${/^[aeo]/.test(KIND_WORDS[kind]) ? 'an' : 'a'} ${KIND_WORDS[kind]}`;
}

/** Limit for the number of changed places. */
const MAX_CHANGED_PLACES = 10_000;

/** An occurrence, and the file in which it is. */
interface OccurrenceInFile extends PlacedOccurrence {
  readonly file: RenameFile;
}

/** Why names of a kind can never be renamed. Names of other kinds can. */
const REFUSAL_BY_FIXED_KIND: Readonly<Partial<Record<NameKind, string>>> = {
  module: 'The module itself has this name.',
  'mime-type': 'Browsers see media types: another name is another type.',
  worker: 'This is the address of a backend: another one leads elsewhere.',
  path: 'Rename the file itself; the lines that name it follow.',
};

/** What a line that creates a name of this kind does, as a verb phrase. */
const DEFINITION_PHRASES: Readonly<Partial<Record<NameKind, string>>> = {
  variable: 'defines it',
  environment: 'sets it',
  macro: 'defines it',
  'authn-provider': 'defines it',
  'authz-provider': 'defines it',
  'log-format': 'defines it',
  'rewrite-map': 'defines it',
  filter: 'defines it',
  handler: 'gives it an action',
  host: 'gives it to a virtual host',
  'health-expression': 'defines it',
  'health-template': 'defines it',
};

const USUAL_NAME_PATTERN = /^[A-Za-z_][\w.-]*$/;
/** The patterns of valid new names, by kind. `USUAL_NAME_PATTERN` is for all other kinds. */
const NAME_PATTERN_BY_KIND: Readonly<Partial<Record<NameKind, RegExp>>> = {
  variable: /^[\p{L}_][\p{L}\p{N}_.-]*$/u,
  macro: /^[\p{L}_][\p{L}\p{N}_.-]*$/u,
  'log-format': /^[\p{L}_][\p{L}\p{N}_.-]*$/u,
  environment: /^[A-Za-z_][\w-]*$/,
  'rewrite-map': /^[A-Za-z_][\w-]*$/,
  balancer: /^[A-Za-z0-9][\w.-]*$/,
  host: /^(?:[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
};

/** A name as httpd reads it, with the prefix of its kind. */
function fullName(kind: NameKind, name: string): string {
  return kind === 'balancer' ? `balancer://${withoutPrefix(kind, name)}` : withoutPrefix(kind, name);
}

/** Why a new name cannot be used, because httpd or a module defines it; null if it can. */
function predefinedReason(kind: NameKind, name: string): string | null {
  const lowerName = name.toLowerCase();
  const isOneOf = (words: Iterable<string>) => [...words].some((word) => word.toLowerCase() === lowerName);
  const predefinedNames = {
    // mod_log_config defines `clf` itself (make_config_log_state in
    // modules/loggers/mod_log_config.c).
    'log-format': () => lowerName === 'clf',
    environment: () => isKnownVariable(name) || lowerName.startsWith('redirect_'),
    handler: () => isOneOf(vocabulary('handler').map(({ word }) => word)),
    filter: () =>
      isOneOf(vocabulary('filter').map(({ word }) => word)) ||
      isOneOf(providers('outputFilters', '2.4').keys()) ||
      isOneOf(providers('inputFilters', '2.4').keys()),
    'authn-provider': () => isOneOf(providers('authn', '2.4').keys()),
    'authz-provider': () => isOneOf(providers('authz', '2.4').keys()) || lowerName === 'not',
  } as Partial<Record<NameKind, () => boolean>>;
  return predefinedNames[kind]?.() === true ? `\`${name}\` is ${kindWithArticle(kind)} of httpd's own.` : null;
}

/** Whether httpd, one of its modules, or CGI uses the variable by its name. */
function isKnownVariable(name: string): boolean {
  const lowerName = name.toLowerCase();
  if (
    /^(?:ssl_|http_|server_|request_|remote_|script_|document_|context_|auth_|query_string$|path_info$|path_translated$|path$|content_|gateway_|https$|unique_id$|geoip_|proxy-|balancer_|http2$|h2_|h2push|tz$|lang$|lc_)/.test(
      lowerName,
    )
  )
    return true;
  return (
    ['environment', 'server-variable'].some((kind) =>
      vocabulary(kind as 'environment').some(({ word }) => word.toLowerCase() === lowerName),
    ) ||
    lowerName === 'dont-vary' ||
    lowerName === 'downgrade-1.0'
  );
}

/**
 * Calls `visit` for the places of the names, file by file, in order. `wantedIndex` is an index in
 * `wantedNames`.
 */
function forEachInFiles(
  files: readonly RenameFile[],
  wantedNames: readonly WantedName[],
  visit: (place: OccurrenceInFile, wantedIndex: number) => void,
): void {
  for (const file of files)
    forEachOccurrence(
      file.tree.root,
      wantedNames,
      ({ occurrence, line, isSingleRowWithoutTemplate }, offset, row, wantedIndex) =>
        visit({ occurrence, line, isSingleRowWithoutTemplate, offset, row, file }, wantedIndex),
    );
}

/**
 * Why the meaning of a name does not depend on the configuration alone: its value, or what reads
 * it, is elsewhere. Null if both are in the configuration.
 */
function outsideReason(
  { kind, name }: NameToFind,
  placesOfName: readonly OccurrenceInFile[],
  defines: RenameRequest['defines'],
  fileAndLine: (place: OccurrenceInFile) => string,
): string | null {
  if (kind === 'environment') {
    const passEnvPlace = placesOfName.find(({ line }) => line.name === 'passenv');
    if (passEnvPlace) return `\`${name}\` comes from the environment of the system: ${fileAndLine(passEnvPlace)}.`;
    const backend = placesOfName.find(
      ({ occurrence, line }) => occurrence.role === 'use' && line.name === 'proxyfcgisetenvif',
    );
    if (backend) return `The backend sees \`${name}\`: ${fileAndLine(backend)}.`;
    if (!placesOfName.some(({ occurrence }) => occurrence.role === 'use'))
      return `No line of the configuration reads \`${name}\`: a program behind the server does.`;
  }
  if (kind === 'variable') {
    if ([...(defines?.keys() ?? [])].some((each) => foldedName(each) === foldedName(name)))
      return `\`${name}\` is set where the server is started (\`-D\`).`;
    const isDefaultDefinition = ({ occurrence, offset, file }: OccurrenceInFile) =>
      occurrence.role === 'define' &&
      sectionsAround(file.tree, offset).enclosingTags.some(
        (openTag) =>
          openTag.kind === LineKind.Open &&
          openTag.name === 'ifdefine' &&
          foldedName(openTag.text).includes(`!${foldedName(name)}`),
      );
    const definingPlaces = placesOfName.filter(({ occurrence }) => occurrence.role === 'define');
    if (defines === null && definingPlaces.every(isDefaultDefinition))
      return `\`${name}\` may be set where the server is started (\`-D\`): ${fileAndLine(definingPlaces[0]!)} gives it a value only where it is not.`;
  }
  return null;
}

/**
 * Why all places must spell the name alike: httpd compares such names in more than one way. Null if
 * the spelling does not matter.
 */
function spellingReason(
  kind: NameKind,
  placesOfName: readonly OccurrenceInFile[],
  fileAndLine: (place: OccurrenceInFile) => string,
): string | null {
  const exactPlaces = placesOfName.filter(({ occurrence: { isCaseSensitive, role } }) =>
    kind === 'variable' ? isCaseSensitive || role !== 'use' : kind === 'filter' || kind === 'handler',
  );
  const firstExactPlace = exactPlaces[0]!;
  const placeSpelledOtherwise = exactPlaces.find(
    ({ occurrence }) => occurrence.name !== firstExactPlace.occurrence.name,
  );
  return placeSpelledOtherwise
    ? `It is spelled in different ways, which httpd tells apart in some places: \`${firstExactPlace.occurrence.name}\` (${fileAndLine(firstExactPlace)}) and \`${placeSpelledOtherwise.occurrence.name}\` (${fileAndLine(placeSpelledOtherwise)}).`
    : null;
}

/** A reason against a rename, and the place that shows it. `why`: a sentence without its period. */
interface RenameObstacle {
  readonly why: string;
  readonly place: OccurrenceInFile;
}

/**
 * Finds text that may become the old name or the new one when httpd runs: names that are put
 * together or passed on, and text that cannot be parsed. Does not follow an argument into a macro,
 * because the macro may insert it anywhere.
 */
function* renameObstacles(
  { kind, name }: NameToFind,
  fullNewName: string,
  placesOfOtherNames: readonly OccurrenceInFile[],
  placesOfName: readonly OccurrenceInFile[],
  files: readonly RenameFile[],
): Iterable<RenameObstacle> {
  const [oldName, newName] = [withoutPrefix(kind, name), withoutPrefix(kind, fullNewName)];
  const argumentPlace = placesOfOtherNames.find(
    ({ occurrence }) => occurrence.kind === 'argument' && !occurrence.isPattern,
  );
  for (const place of placesOfOtherNames) {
    const { occurrence } = place;
    if (!occurrence.isPattern) continue;
    if (occurrence.kind === kind) {
      if (isOnlyVariable(withoutPrefix(kind, occurrence.name), place)) {
        // The whole name is one parameter or one variable. So the name is what another line passes
        // to it as an argument.
        if (argumentPlace)
          yield {
            why: `\`${withoutPrefix(kind, argumentPlace.occurrence.name)}\` is handed on to a line that takes ${kindWithArticle(kind)} (${place.file.displayName}, line ${place.row + 1})`,
            place: argumentPlace,
          };
        else if (!hasKnownValues(occurrence, files))
          yield {
            why: `The name of ${kindWithArticle(kind)} is the value of a variable that comes from outside`,
            place,
          };
        continue;
      }
      const mayBecomeName = patternTest(withoutPrefix(kind, occurrence.name));
      const isGlob = !/[$%@{]/.test(occurrence.name);
      if (isGlob ? mayBecomeName(oldName) !== mayBecomeName(newName) : mayBecomeName(oldName) || mayBecomeName(newName))
        yield { why: `The name of ${kindWithArticle(kind)} is put together and may come to this one`, place };
    } else if (occurrence.kind === 'argument') {
      if (PLAIN_PATH.test(occurrence.name)) continue;
      const placesInside = placesOfName.filter((each) => each.line === place.line && isWithin(each, place)).length;
      if (occurrenceCount(occurrence.name, oldName) > placesInside)
        yield { why: 'The name stands in an argument that is put into other lines', place };
      if (!/[$%@]/.test(occurrence.name) || isOnlyVariable(occurrence.name, place)) continue;
      const mayBecomeName = patternTest(occurrence.name);
      if (placesInside === 0 && (mayBecomeName(oldName) || mayBecomeName(newName)))
        yield { why: 'An argument that is put into other lines is put together and may come to this name', place };
    } else if (occurrence.kind === 'parameter') {
      const { file, offset } = place;
      const surroundingMacro = macrosAround(file.tree.root, offset).at(-1);
      const macroEnd = surroundingMacro ? surroundingMacro.offset + surroundingMacro.section.length : offset;
      const parameterName = occurrence.name;
      if (!oldName.includes(parameterName) && !newName.includes(parameterName)) continue;
      if (placesOfName.some((each) => each.file === file && each.offset > offset && each.offset < macroEnd))
        yield { why: `A macro that has the name has a parameter \`${parameterName}\`, which is part of it`, place };
    } else if (occurrence.kind === 'host-pattern') {
      const matchesOld = regexMatches(occurrence.name, name, { ignoreCase: true });
      if (matchesOld === null || matchesOld !== regexMatches(occurrence.name, fullNewName, { ignoreCase: true }))
        yield { why: 'A pattern may match one of the two names', place };
    } else if (occurrence.kind === 'opaque' && occurrenceCount(occurrence.name, oldName) > 0) {
      const { line } = place;
      const placeText =
        line.template !== Template.None
          ? 'template text'
          : CHARACTERS_OF_INSERTED_NAME.test(line.name)
            ? 'a line whose directive is put in later'
            : 'lines of another language';
      yield { why: `The name stands in ${placeText}`, place };
    }
  }
  if (argumentPlace)
    yield {
      why: `\`${argumentPlace.occurrence.name}\` is handed on, and may come to be the name of ${kindWithArticle(kind)}`,
      place: argumentPlace,
    };
}

/**
 * Matches an absolute path without spaces, and without `$`, `%` and braces, which can mark a
 * variable, parameter or back-reference. Such an argument contains no name that can be renamed.
 */
const PLAIN_PATH = /^\/(?!\/)[^\s${}%]*$/;

/** Whether an occurrence is inside of another one on the same line. */
function isWithin({ occurrence }: OccurrenceInFile, { occurrence: outerOccurrence }: OccurrenceInFile): boolean {
  return outerOccurrence.start <= occurrence.start && occurrence.end <= outerOccurrence.end;
}

/**
 * Whether a name is exactly one variable, or one parameter of the macro around it, without further
 * characters.
 */
function isOnlyVariable(name: string, { file, offset }: OccurrenceInFile): boolean {
  if (/^\$\{[^}]+\}$/.test(name)) return true;
  return sectionsAround(file.tree, offset).enclosingTags.some(
    (openTag) => openTag.name === 'macro' && parametersOf(openTag).some((parameter) => parameter.name === name),
  );
}

/** Whether all values of a variable are in the files. The values of a parameter always are. */
function hasKnownValues({ name }: Occurrence, files: readonly RenameFile[]): boolean {
  const variable = /\$\{([^}]+)\}/.exec(name)?.[1];
  if (variable === undefined) return true;
  let isDefined = false;
  forEachInFiles(files, [{ kind: 'variable', name: foldedName(variable) }], ({ occurrence }) => {
    isDefined ||= occurrence.role === 'define';
  });
  return isDefined;
}

/** Returns a function that tests whether a pattern may become a name. */
function patternTest(pattern: string): (name: string) => boolean {
  const glob = globPattern(
    pattern
      .replace(/[$%]\{[^}]{0,1000}\}|\{\{.{0,1000}?\}\}|<%.{0,1000}?%>|\[%.{0,1000}?%\]|[$%@][\w-]+/g, '*')
      .toLowerCase(),
  );
  return (name) => glob.test(name.toLowerCase());
}

/** How often a word occurs in a text as a whole word. */
function occurrenceCount(text: string, word: string): number {
  const [lowerText, lowerWord] = [text.toLowerCase(), word.toLowerCase()];
  let wordCount = 0;
  for (let index = lowerText.indexOf(lowerWord); index >= 0; index = lowerText.indexOf(lowerWord, index + 1))
    if (!/\w/.test(text[index - 1] ?? '') && !/\w/.test(text[index + word.length] ?? '')) wordCount++;
  return wordCount;
}
