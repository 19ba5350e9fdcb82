/**
 * Suggests names of directives and sections that the server accepts at the start of a line. Names
 * of loaded modules come first, common names before rare names. Names that only 2.2 has come last
 * and struck through, each after its replacement.
 */
import { CompletionItemKind } from 'vscode-languageserver-types';
import { activityOf } from '../../config/activity';
import { loadModuleLine, PROFILES } from '../../config/distribution';
import { moduleNamed } from '../../config/modules';
import { misplacement, placeOf, type Place } from '../../validation/place';
import { isTransparent, sectionKind } from '../../config/sections';
import { commandNamed, type Command } from '../../directives/commands';
import {
  directive as findDirective,
  directives,
  module as findModule,
  readDirectives,
  type Directive,
  type DirectiveFacts,
  type Place as Context,
} from '../../directives';
import { allThirdPartyModules, thirdPartyModule } from '../../directives/third-party';
import { usageRank } from '../../directives/usage';
import { argumentTable, parsedLineCounts, type ValueKind } from '../../directives/values';
import { ALL_FACTS, Fact, hasFact } from '../../rules/support/facts';
import type { Edit } from '../../rules/rule';
import { thirdPartyAdvice } from '../../rules/third-party-module';
import { NAMES_NEVER_BUILT } from '../../rules/unknown-directive';
import { argumentsOf, indentOf, Line, LineKind, spelledName } from '../../syntax/line';
import { cache, counters, latestValue } from '../../syntax/memory';
import { List, type Section } from '../../syntax/tree';
import { argumentsExpectedAfter } from '../arguments-at';
import { sectionsAround, type SectionTags, type Cursor } from '../cursor';
import type { Definitions } from '../../symbols/definitions';
import { allSnippets } from './snippets';
import type { CompletionRequest, Suggestion, Suggestions } from './suggestion';

/** Suggestions for the names that are possible at the cursor. */
export function nameSuggestions(request: CompletionRequest, cursor: Cursor, definitions: Definitions): Suggestions {
  const surroundingTags = sectionsAround(request.tree, request.offset);
  const allowedNames = allowedNamesAt(request, surroundingTags);
  const restLength = /^[\w]*/.exec(cursor.textAfter)![0].length;
  const span = { start: cursor.nameStart, restLength };
  if (allowedNames === null) return { ...span, items: [] };
  const isLineEmpty = cursor.textAfter.slice(restLength).trim() === '';
  const moduleLoading = moduleLoadingOf(request, definitions);
  const { client, engine } = request;
  const httpdNames = cachedSuggestions({
    allowedNames,
    moduleLoading,
    patchNumber: engine.target.patch,
    isTag: cursor.isTag,
    isLineEmpty,
    existingClosingTag: surroundingTags.nextUnopenedName,
    supportsSnippets: client?.supportsSnippets === true,
    retriggers: client?.retriggers === true,
    mayReadFolders: request.folders !== undefined,
  });
  const thirdPartySuggestions = foreignSuggestions(request, cursor, definitions, isLineEmpty);
  const isIncomplete = cursor.word.length < MIN_LETTERS_FOR_FOREIGN && !request.fileContext?.modules;
  const sortedSuggestions = [
    ...httpdNames.loadedNames,
    ...sortedAfter(httpdNames.loadedNames, thirdPartySuggestions.ofLoadedModules, '-'),
    ...httpdNames.unloadedNames,
    ...sortedAfter(
      httpdNames.unloadedNames.length > 0 ? httpdNames.unloadedNames : httpdNames.loadedNames,
      thirdPartySuggestions.ofOtherModules,
      '~',
    ),
    ...httpdNames.oldNames,
  ];
  return {
    ...span,
    items: sortedSuggestions,
    ...(isIncomplete && { isIncomplete }),
    ...(moduleLoading.loadPlace && {
      loadModuleInsertion: { offset: moduleLoading.loadPlace.offset, edits: moduleLoading.editsToLoad },
    }),
  };
}

/**
 * The edits that add the LoadModule line for a directive, or for a section if `name` begins with
 * `<`. Undefined if the module is loaded, or if this file cannot load it.
 */
export function loadModuleEdits(
  request: Omit<CompletionRequest, 'offset'>,
  definitions: Definitions,
  name: string,
): readonly Edit[] | undefined {
  const entryOfName = allEntries().find(({ lowerName }) => lowerName === name.toLowerCase());
  const moduleLoading = moduleLoadingOf(request, definitions);
  const module = entryOfName && moduleLoading.moduleToLoad(entryOfName);
  return module === undefined ? undefined : moduleLoading.editsToLoad(module);
}

/** Suggestions for a closing tag at the cursor: the innermost open section first. */
export function closingTagSuggestions(request: CompletionRequest, cursor: Cursor): Suggestions {
  const { enclosingTags, unclosedTags } = sectionsAround(request.tree, request.offset);
  const restLength = /^[\w]*>?/.exec(cursor.textAfter)![0].length;
  // Sections that have a closing tag come last. They are suggested because the user may be writing
  // their closing tag again.
  const openTagsFirst = [...[...unclosedTags].reverse(), ...[...enclosingTags].reverse()];
  const lineOfName = new Map<string, Line>();
  for (const line of openTagsFirst) {
    const sectionName = findDirective(line.name, { section: true })?.name ?? spelledName(line);
    if (!lineOfName.has(sectionName)) lineOfName.set(sectionName, line);
  }
  const closingTagItems = [...lineOfName].map(
    ([name, line]): Suggestion => ({
      label: `</${name}>`,
      kind: CompletionItemKind.Module,
      explainedSubject: { directive: `<${name}` },
      filter: `</${name}`,
      ...outdentEdits(cursor, line),
    }),
  );
  return { start: cursor.nameStart, restLength, items: closingTagItems, alwaysReplacesRest: true };
}

/** The edit that indents the closing tag like its open tag, if nothing is before it on the line. */
function outdentEdits(cursor: Cursor, openTag: Line): Pick<Suggestion, 'edits'> {
  const indent = cursor.textBefore.slice(0, cursor.nameStart);
  const wantedIndent = indentOf(openTag);
  if (indent === wantedIndent || !/^[ \t]*$/.test(indent)) return {};
  return { edits: [{ start: cursor.offsetOf(0), end: cursor.offsetOf(indent.length), text: wantedIndent }] };
}

/** The names of directives and sections that a patch release of 2.4 has, common names first. */
export function namesInRelease(
  patch: number,
): readonly { readonly directive: Directive; readonly factsOfName: DirectiveFacts }[] {
  return allEntries().filter(({ command, sincePatch }) => command !== undefined && sincePatch <= patch);
}

/**
 * Reads the tables a few lines at a time before the user needs them, so that the first completion
 * is fast.
 */
export function* prepareNameSuggestions(): Generator<void> {
  yield* readDirectives();
  latestEntries.value ??= yield* makeEntries();
  let linesReadInStep = 0;
  for (const entry of allEntries()) {
    const linesBefore = parsedLineCounts.lines;
    argumentChoiceOf(entry);
    linesReadInStep += parsedLineCounts.lines - linesBefore;
    if (linesReadInStep < ENTRIES_PER_STEP) continue;
    linesReadInStep = 0;
    yield;
  }
}

/**
 * The numbers of table lines and of names that one step reads. Each step takes about a millisecond.
 */
const ENTRIES_PER_STEP = 20;
const NAMES_PER_STEP = 100;

// ---- Cached lists ----

/**
 * Everything that a list of names depends on. It has no offsets, so that a cached list can be used
 * in other places.
 */
interface ListKey {
  readonly allowedNames: AllowedNames;
  readonly moduleLoading: ModuleLoading;
  readonly patchNumber: number;
  readonly isTag: boolean;
  /** Whether the line has no text besides the name. */
  readonly isLineEmpty: boolean;
  /** The name of the section whose closing tag already follows; null if there is none. */
  readonly existingClosingTag: string | null;
  readonly supportsSnippets: boolean;
  readonly retriggers: boolean;
  /** Whether folders may be read, so that file names can be suggested after the name. */
  readonly mayReadFolders: boolean;
}

/**
 * A list of names in its groups: of loaded modules, of modules that are not loaded, and names for
 * 2.2.
 */
interface CachedList {
  readonly loadedNames: readonly Suggestion[];
  readonly unloadedNames: readonly Suggestion[];
  readonly oldNames: readonly Suggestion[];
}

/** Counts the suggestions that were made; tests read it. */
export const workCounts = counters({ suggestions: 0 });

/** The most recent lists. Few are enough, because users move between few kinds of places. */
const cachedLists = cache<string, CachedList>();
/** Maximum number of cached lists. */
const MAX_CACHED_LISTS = 12;

/** The list of names for a kind of place, from the cache if possible. */
function cachedSuggestions(listKey: ListKey): CachedList {
  const {
    allowedNames,
    moduleLoading,
    patchNumber,
    isTag,
    isLineEmpty,
    existingClosingTag,
    supportsSnippets,
    retriggers,
    mayReadFolders,
  } = listKey;
  const cacheKey = JSON.stringify([
    allowedNames.placeKey,
    moduleLoading.loadingKey,
    patchNumber,
    isTag,
    isLineEmpty,
    supportsSnippets && existingClosingTag,
    supportsSnippets,
    retriggers,
    mayReadFolders,
  ]);
  const suggestionList = cachedLists.get(cacheKey) ?? makeSuggestions(listKey);
  cachedLists.delete(cacheKey);
  cachedLists.set(cacheKey, suggestionList);
  if (cachedLists.size > MAX_CACHED_LISTS) cachedLists.delete(cachedLists.keys().next().value!);
  return suggestionList;
}

/** Makes the list of names. The suggestions get ranks, so that editors keep their order. */
function makeSuggestions(listKey: ListKey): CachedList {
  const { allowedNames, moduleLoading } = listKey;
  // The entries are sorted by how common they are, and each of these lists keeps this order.
  const preferredSuggestions: Writable<Suggestion>[] = [];
  const loadedNames: Writable<Suggestion>[] = [];
  const unloadedNames: Writable<Suggestion>[] = [];
  const oldNames: Writable<Suggestion>[] = [];
  for (const entry of allEntries()) {
    if (
      (listKey.isTag && !entry.directive.section) ||
      entry.sincePatch > listKey.patchNumber ||
      !isAllowed(entry, allowedNames)
    )
      continue;
    const isLoaded = moduleLoading.isLoaded(entry);
    const isOldName = entry.isOld && !allowedNames.isLineFor22Only;
    if (isOldName) {
      for (const replacementEntry of entry.replacingEntries) {
        if (isAllowed(replacementEntry, allowedNames) && (!listKey.isTag || replacementEntry.directive.section))
          oldNames.push(
            suggestionFor(replacementEntry, listKey, {
              isLoaded: moduleLoading.isLoaded(replacementEntry),
              isOld: false,
              filterEntry: entry,
            }),
          );
      }
    }
    const group = isOldName
      ? oldNames
      : !isLoaded
        ? unloadedNames
        : isPreferred(entry.lowerName, allowedNames.preferred)
          ? preferredSuggestions
          : loadedNames;
    group.push(suggestionFor(entry, listKey, { isLoaded, isOld: isOldName }));
  }
  const groups = [[...preferredSuggestions, ...loadedNames, ...snippetsIn(listKey)], unloadedNames, oldNames];
  groups.flat().forEach((item, index) => (item.rank = String(index).padStart(4, '0')));
  workCounts.suggestions += groups.reduce((sum, { length }) => sum + length, 0);
  return { loadedNames: groups[0]!, unloadedNames, oldNames };
}

/**
 * The snippets whose outermost lines are all allowed at the cursor and have their modules loaded.
 * Empty if the line has other text.
 */
function snippetsIn({
  allowedNames,
  moduleLoading,
  patchNumber,
  isTag,
  isLineEmpty,
  supportsSnippets,
}: ListKey): Writable<Suggestion>[] {
  if (!supportsSnippets || !isLineEmpty || isTag || allowedNames.isLineFor22Only) return [];
  const isUsable = (key: string) =>
    allEntries().some(
      (entry) =>
        entry.lowerName === key &&
        entry.sincePatch <= patchNumber &&
        isAllowed(entry, allowedNames) &&
        moduleLoading.isLoaded(entry),
    );
  return allSnippets()
    .filter(({ requiredDirectives }) => requiredDirectives.every(isUsable))
    .map(({ label, description, body }) => ({
      label,
      kind: CompletionItemKind.Snippet,
      source: 'snippet',
      text: label,
      snippet: body.join('\n'),
      explainedSubject: { text: description },
    }));
}

/**
 * Copies of the suggestions with a sort text after those in `earlierItems`, and before the next
 * group.
 */
function sortedAfter(
  earlierItems: readonly Suggestion[],
  items: readonly Suggestion[],
  groupMark: '-' | '~',
): Suggestion[] {
  const lastRank = earlierItems[earlierItems.length - 1]?.rank ?? '';
  return items.map((item, index) => ({ ...item, rank: `${lastRank}${groupMark}${String(index).padStart(4, '0')}` }));
}

// ---- Entries ----

/** A directive or section, with the facts that decide where and in which order it is suggested. */
interface NameEntry {
  readonly directive: Directive;
  /** The name in lower case. The name of a section begins with `<`. */
  readonly lowerName: string;
  readonly factsOfName: DirectiveFacts;
  /** The command of 2.4; undefined if only 2.2 has it. */
  readonly command: Command | undefined;
  /** Whether the directive is only for old configurations. */
  readonly isOld: boolean;
  /** The patch release of 2.4 that introduced the directive; 0 if 2.4.0 has it. */
  readonly sincePatch: number;
  /** How common the directive is: lower is more common. */
  readonly sortRank: number;
  /** The result of `argumentChoiceOf`; undefined until it is computed. */
  argumentChoice?: 'values' | 'files' | 'none';
  /** The directives of 2.4 that replace this directive of 2.2. Empty for other directives. */
  replacingEntries: readonly NameEntry[];
}

/** Matches the names of platforms that 2.4 no longer supports. */
const UNSUPPORTED_PLATFORM = /^(netware|beos|os\/?2|tpf|mpeix)$/i;

/** The result of `makeEntries`; undefined until it is made. */
const latestEntries = latestValue<readonly NameEntry[] | undefined>(undefined);

/** The names of both versions, common ones first. */
function allEntries(): readonly NameEntry[] {
  if (latestEntries.value) return latestEntries.value;
  const entrySteps = makeEntries();
  for (;;) {
    const { done, value } = entrySteps.next();
    if (done) return (latestEntries.value = value);
  }
}

/**
 * Makes the entries in steps. Names for unsupported platforms, and names that are an error in both
 * versions, are left out.
 */
function* makeEntries(): Generator<void, readonly NameEntry[]> {
  const entriesByName = new Map<string, NameEntry>();
  for (const [index, directive] of directives().entries()) {
    if (index % NAMES_PER_STEP === 0) yield;
    const factsOfName = directive['2.4']?.arguments ? directive['2.4'] : directive['2.2'];
    if (!factsOfName?.arguments || directive.fate === 'error' || NAMES_NEVER_BUILT.has(keyOf(directive))) continue;
    if (factsOfName.platforms.length > 0 && factsOfName.platforms.every((name) => UNSUPPORTED_PLATFORM.test(name)))
      continue;
    const lowerName = keyOf(directive);
    const rarity =
      (factsOfName.documented ? 0 : 2000) +
      (factsOfName.platforms.length > 0 && !factsOfName.platforms.some((name) => /linux|unix/i.test(name)) ? 3000 : 0);
    const sincePatch = Number(/^2\.4\.(\d+)$/.exec(factsOfName.since ?? '')?.[1] ?? 0);
    const command24 = directive['2.4']?.arguments
      ? commandNamed(directive.name.toLowerCase(), directive.section)
      : undefined;
    entriesByName.set(lowerName, {
      directive,
      lowerName,
      factsOfName,
      command: command24,
      isOld: isForOldConfigurations(directive),
      sincePatch,
      sortRank: usageRank(lowerName) + rarity,
      replacingEntries: [],
    });
  }
  for (const entry of entriesByName.values()) {
    if (!entry.isOld) continue;
    const replacements = entry.directive.replacements.map((name) =>
      entriesByName.get(name.replace(/>$/, '').toLowerCase()),
    );
    entry.replacingEntries = replacements.filter((each): each is NameEntry => each !== undefined && !each.isOld);
  }
  yield;
  return [...entriesByName.values()].sort((a, b) => a.sortRank - b.sortRank);
}

/**
 * What the user can choose after the name: `values`, `files` or `none`. Files can be suggested only
 * if folders may be read. The result is cached in `entry`.
 */
function argumentChoiceOf(entry: NameEntry): NameEntry['argumentChoice'] {
  return (entry.argumentChoice ??= findArgumentChoice(entry.directive));
}

/** What the user can choose after the name of a directive, by its table of arguments. */
function findArgumentChoice({ name, section }: Directive): NameEntry['argumentChoice'] {
  const table = argumentTable(name, { section });
  const firstArguments = table
    ? argumentsExpectedAfter(table, []).flatMap(({ argument }) => argument.choices ?? [argument])
    : [];
  if (
    firstArguments.some(
      ({ key, words = [], kinds }) =>
        key ||
        words.some(({ word, obsolete }) => !obsolete && word !== '~') ||
        kinds.some((kind) => KINDS_WITH_SUGGESTIONS.has(kind)),
    )
  )
    return 'values';
  return firstArguments.some(({ kinds }) =>
    kinds.some((kind) => kind === 'file' || kind === 'folder' || kind === 'path'),
  )
    ? 'files'
    : 'none';
}

/** Kinds of values for which there are always suggestions. */
const KINDS_WITH_SUGGESTIONS: ReadonlySet<ValueKind> = new Set<ValueKind>([
  'module',
  'variable',
  'handler',
  'filter',
  'authn-provider',
  'authz-provider',
  'socache-provider',
  'mutex',
  'directive',
  'mime-type',
  'charset',
  'language',
  'encoding',
  'status',
  'header',
  'method',
]);

function keyOf({ name, section }: Directive): string {
  return (section ? `<${name}` : name).toLowerCase();
}

/**
 * Whether the directive is only for old configurations. 2.4 lacks it, ignores it, has renamed it,
 * or has it only in mod_access_compat.
 */
function isForOldConfigurations(directive: Directive): boolean {
  const { fate } = directive;
  const factsOf24 = directive['2.4'];
  return (
    fate === 'removed' ||
    fate === 'ignored' ||
    fate === 'renamed' ||
    !factsOf24?.arguments ||
    factsOf24.deprecated ||
    factsOf24.page === 'mod_access_compat'
  );
}

// ---- What is allowed here ----

/** Which names of directives and sections are allowed at the cursor. */
interface AllowedNames {
  /** The possible places of the line; a directive is suggested if one of them allows it. */
  readonly possiblePlaces: readonly PossiblePlace[];
  /**
   * Whether the line is in a condition that is false for the target version. There, names that only
   * 2.2 has are suggested like all others.
   */
  readonly isLineFor22Only: boolean;
  /** The names that are suggested first because of the surrounding sections. */
  readonly preferred: PreferredNames;
  /** A key for the cache of lists. It is equal if all other fields are equal. */
  readonly placeKey: string;
}

type PreferredNames = 'require' | 'proxy' | '';

/** A place that the line at the cursor may have. */
interface PossiblePlace {
  /**
   * The place in the terms of httpd's command tables; null if it is unknown how httpd reads the
   * line.
   */
  readonly place: Place | null;
  /**
   * The place in the manual's terms, for names that only 2.2 has; null if every place is possible.
   */
  readonly context: Context | null;
}

/** What is allowed at the cursor; null if no directive is possible, as in `<Perl>`. */
function allowedNamesAt(request: CompletionRequest, { enclosingTags, unclosedTags }: SectionTags): AllowedNames | null {
  const sectionNames = [...enclosingTags, ...unclosedTags].map((line) => line.name);
  if (sectionNames.some((name) => sectionKind(name) === 'opaque')) return null;
  // If a section is unclosed, the cursor may be in it or after it, because the user may not have
  // closed it yet. So two places are possible.
  const possiblePlaces = [
    possiblePlaceIn(request, sectionNames),
    ...(unclosedTags.length > 0
      ? [
          possiblePlaceIn(
            request,
            enclosingTags.map((line) => line.name),
          ),
        ]
      : []),
  ];
  const isInSkippedCondition = enclosingTags.some(
    (openTag) =>
      sectionKind(openTag.name) === 'conditional' && activityOf(openTag, request.engine.target) === 'inactive',
  );
  const preferredNames = preferredNamesIn(sectionNames);
  return {
    possiblePlaces,
    isLineFor22Only: isInSkippedCondition,
    preferred: preferredNames,
    placeKey: JSON.stringify([
      possiblePlaces.map(({ place, context }) => [
        place && { ...place, list: place.overrideList && [...place.overrideList] },
        context,
      ]),
      isInSkippedCondition,
      preferredNames,
    ]),
  };
}

/**
 * The place of a line in the given sections, outermost first, and in the sections around the file.
 */
function possiblePlaceIn(
  { engine, tree, isHtaccess, fileContext = null }: CompletionRequest,
  sectionNames: readonly string[],
): PossiblePlace {
  const containersAroundFile = fileContext?.containers ?? null;
  const facts = engine.factsIn(tree.root);
  const areAllContainersKnown =
    containersAroundFile !== null || isHtaccess || (facts !== ALL_FACTS && hasFact(facts, Fact.isRoot));
  const containers = [
    ...(containersAroundFile ?? []),
    ...sectionNames.filter((name) => !isTransparent(sectionKind(name))),
  ];
  const overrides = fileContext?.overrides ?? null;
  const placeOfNames = placeOf({
    containers,
    // Sections such as <RequireAny> do not limit the names here. They only put some names first.
    limits: sectionNames.filter((name) => sectionKind(name) === 'limit'),
    isHtaccess,
    areAllContainersKnown,
    overrides: overrides && overrides.size > 0 ? overrides : null,
    overrideList: fileContext?.overrideList,
  });
  const innermostContainer = containers[containers.length - 1];
  const contextName =
    innermostContainer === 'virtualhost'
      ? 'virtual host'
      : innermostContainer === 'macro'
        ? null
        : innermostContainer
          ? 'directory'
          : areAllContainersKnown
            ? 'server config'
            : null;
  return { place: placeOfNames, context: isHtaccess ? '.htaccess' : contextName };
}

function isAllowed(entry: NameEntry, { possiblePlaces }: AllowedNames): boolean {
  return possiblePlaces.some((each) => isAcceptedAt(entry, each));
}

/** Whether a directive or section is allowed in a place. */
function isAcceptedAt(
  { command: command24, directive, lowerName, factsOfName }: NameEntry,
  { place, context }: PossiblePlace,
): boolean {
  if (!command24) return context === null || factsOfName.contexts.includes(context);
  if (place === null) return true;
  if (misplacement(command24, place, directive.section ? '' : lowerName) !== null) return false;
  // httpd executes some directives while it reads the file, and accepts them anywhere. They are
  // suggested only in the contexts that the manual names.
  return (
    !command24.isExecutedOnRead ||
    context === null ||
    DIRECTIVES_ALLOWED_ANYWHERE.has(lowerName) ||
    factsOfName.contexts.includes(context)
  );
}

/** Directives that are executed while the file is read and make sense anywhere. */
const DIRECTIVES_ALLOWED_ANYWHERE = new Set([
  'include',
  'includeoptional',
  'define',
  'undefine',
  'error',
  'warning',
  'use',
  '<macro',
  '<ifdefine',
  '<ifmodule',
  '<iffile',
  '<ifdirective',
  '<ifsection',
  '<ifversion',
]);

/** Which names come first in the given sections, outermost first. */
function preferredNamesIn(names: readonly string[]): PreferredNames {
  const innermostSection = names[names.length - 1] ?? '';
  if (innermostSection.startsWith('require')) return 'require';
  const container = names.filter((name) => !isTransparent(sectionKind(name))).pop() ?? '';
  return container === 'proxy' || container === 'proxymatch' ? 'proxy' : '';
}

function isPreferred(key: string, preferredNames: PreferredNames): boolean {
  if (preferredNames === 'require') return key === 'require' || key.startsWith('<require');
  return preferredNames === 'proxy' && (key === 'balancermember' || key === 'proxyset');
}

// ---- Modules that do not come with httpd ----

/**
 * Common third-party modules. Their directives are suggested if the loaded modules are unknown and
 * at least `MIN_LETTERS_FOR_FOREIGN` letters are typed.
 */
const COMMON_THIRD_PARTY_MODULES: ReadonlySet<string> = new Set([
  'php_module',
  'wsgi_module',
  'security2_module',
  'fcgid_module',
  'jk_module',
  'dav_svn_module',
  'authz_svn_module',
  'perl_module',
  'python_module',
  'authnz_external_module',
]);

/**
 * The number of typed letters from which directives of third-party modules are suggested. Fewer
 * letters would match too many, because it is unknown where these directives are allowed.
 */
const MIN_LETTERS_FOR_FOREIGN = 3;

/**
 * Suggestions for directives of third-party modules, in two groups: of modules that are loaded, and
 * of other modules, of which only common ones are suggested.
 */
function foreignSuggestions(
  request: CompletionRequest,
  cursor: Cursor,
  definitions: Definitions,
  isLineEmpty: boolean,
): { ofLoadedModules: Suggestion[]; ofOtherModules: Suggestion[] } {
  const { tree, offset, fileContext } = request;
  const loadedNames = [...modulesLoadedIn(request, definitions).keys()];
  for (const { name, text } of sectionsAround(tree, offset).enclosingTags)
    if (name === 'ifmodule') loadedNames.push(...text.split(/[\s>"!]+/).slice(1));
  const loadedIdentifiers = new Set(
    loadedNames.map((name) => thirdPartyModule(name.replace(/(mod_)?php\d/, '$1php'))?.identifier),
  );
  const presentModules = fileContext?.modules ?? null;
  const groups = { ofLoadedModules: [] as Suggestion[], ofOtherModules: [] as Suggestion[] };
  for (const module of allThirdPartyModules()) {
    const moduleName = `mod_${module.identifier.replace(/_module$/, '')}`;
    const isLoaded =
      loadedIdentifiers.has(module.identifier) ||
      presentModules?.has(moduleName) === true ||
      presentModules?.has(module.source.replace(/\.c$/, '')) === true;
    if (!isLoaded && (presentModules !== null || !COMMON_THIRD_PARTY_MODULES.has(module.identifier))) continue;
    const group = isLoaded ? groups.ofLoadedModules : groups.ofOtherModules;
    for (const each of module.directives) {
      const isSection = each.startsWith('<');
      const bareName = each.replace(/^<|>$/g, '');
      if (
        (cursor.isTag && !isSection) ||
        (!isLoaded && (cursor.word.length < MIN_LETTERS_FOR_FOREIGN || !bareName.toLowerCase().startsWith(cursor.name)))
      )
        continue;
      const itemProperties = {
        text: [`Of \`${moduleName}\`, which does not come with httpd.`, thirdPartyAdvice(module.identifier) ?? '']
          .filter(Boolean)
          .join(' '),
      };
      group.push({
        label: isSection ? `<${bareName}>` : bareName,
        kind: isSection ? CompletionItemKind.Module : CompletionItemKind.Property,
        source: moduleName,
        explainedSubject: itemProperties,
        filter: cursor.isTag ? `<${bareName}` : bareName,
        text: isSection ? `<${bareName}` : bareName + (isLineEmpty ? ' ' : ''),
      });
    }
  }
  return groups;
}

// ---- Modules ----

/** Which modules are loaded, and how this file can load others. */
interface ModuleLoading {
  /** Whether the module of a directive is loaded; true if that is unknown. */
  isLoaded(entry: NameEntry): boolean;
  /**
   * The module that this file should load for a directive; undefined if it is loaded, or another
   * file should load it.
   */
  moduleToLoad(entry: NameEntry): string | undefined;
  /** The edits that add the LoadModule line of a module to this file. */
  editsToLoad(module: string): readonly Edit[];
  readonly loadPlace: LoadPlace | null;
  /** A key that is equal if the same modules are loaded and the same modules can be loaded. */
  readonly loadingKey: string;
}

/**
 * The modules that LoadModule lines of this file load, with their files. Most files have no such
 * lines.
 */
function modulesLoadedIn(
  { engine, tree }: Omit<CompletionRequest, 'offset'>,
  definitions: Definitions,
): ReadonlyMap<string, string> {
  return !hasFact(engine.factsIn(tree.root), Fact.loadsModules) ? NO_MODULES : definitions.namesOf('module');
}

const NO_MODULES: ReadonlyMap<string, string> = new Map();

/** The facts about loaded modules. If no file shows any, all modules count as loaded. */
function moduleLoadingOf(request: Omit<CompletionRequest, 'offset'>, definitions: Definitions): ModuleLoading {
  const { tree, engine, fileContext = null } = request;
  const facts = engine.factsIn(tree.root);
  const modulesLoadedHere = new Set(
    [...modulesLoadedIn(request, definitions).keys()].map((name) => moduleNamed(name) ?? name),
  );
  const presentModules = fileContext?.modules ?? (modulesLoadedHere.size > 0 ? modulesLoadedHere : null);
  if (presentModules === null)
    return {
      isLoaded: () => true,
      moduleToLoad: () => undefined,
      editsToLoad: () => [],
      loadPlace: null,
      loadingKey: '',
    };
  const builtIn = (fileContext?.distribution && PROFILES[fileContext.distribution].builtIn) || MODULES_OFTEN_BUILT_IN;
  const isPresentByName = new Map<string, boolean>();
  const isPresent = (name: string): boolean => {
    let isModulePresent = isPresentByName.get(name);
    if (isModulePresent === undefined) {
      const module = findModule(name)?.['2.4'];
      isPresentByName.set(
        name,
        (isModulePresent =
          presentModules.has(name) ||
          modulesLoadedHere.has(name) ||
          builtIn.has(name) ||
          !module?.sharedObject ||
          module.status === 'MPM'),
      );
    }
    return isModulePresent;
  };
  const isLoaded = ({ command, factsOfName: { modules } }: NameEntry) => !command || modules.some(isPresent);
  // If a file includes others, its own lines do not show all loaded modules.
  const areLoadsKnown = fileContext?.modules != null || !hasFact(facts, Fact.includes);
  const loadPlace = modulesLoadedHere.size > 0 && areLoadsKnown ? placeAfterLoadModule(request) : null;
  const editsOfModule = new Map<string, readonly Edit[]>();
  const editsFor = (wantedModule: string): readonly Edit[] => {
    if (!loadPlace) return [];
    const { offset, indentation, newline, loadModuleLineFor } = loadPlace;
    const loadLines: string[] = [];
    const addLoadLine = (name: string, depth: number) => {
      const module = findModule(name);
      if (!module || isPresent(name) || depth > 3) return;
      for (const neededModule of module.loadAfter) addLoadLine(neededModule, depth + 1);
      const loadLine = `${indentation}${loadModuleLineFor(name)}`;
      if (!loadLines.includes(loadLine)) loadLines.push(loadLine);
    };
    addLoadLine(wantedModule, 0);
    return [{ start: offset, end: offset, text: loadLines.map((each) => newline + each).join('') }];
  };
  return {
    isLoaded,
    moduleToLoad: (entry) =>
      !loadPlace || isLoaded(entry) ? undefined : entry.factsOfName.modules.find((name) => findModule(name)?.['2.4']),
    editsToLoad(module) {
      const edits = editsOfModule.get(module) ?? editsFor(module);
      editsOfModule.set(module, edits);
      return edits;
    },
    loadPlace,
    loadingKey: JSON.stringify([
      [...presentModules].sort(),
      [...modulesLoadedHere].sort(),
      fileContext?.distribution,
      loadPlace !== null,
    ]),
  };
}

/**
 * Modules that some distributions compile in (config/distribution.ts). A LoadModule line for them
 * would be an error there, so none is added.
 */
const MODULES_OFTEN_BUILT_IN: ReadonlySet<string> = new Set(
  Object.values(PROFILES).flatMap(({ builtIn }) => [...(builtIn ?? [])]),
);

/** A place for a new LoadModule line, and the style of the lines there. */
interface LoadPlace {
  /**
   * The offset directly before the line end of the last LoadModule line. An edit after the line end
   * would touch the next line.
   */
  readonly offset: number;
  readonly indentation: string;
  readonly newline: string;
  /**
   * Returns the text of a LoadModule line in the style of the existing lines. `module`: the name in
   * the manual.
   */
  loadModuleLineFor(module: string): string;
}

/**
 * The place for a new LoadModule line: after the last LoadModule line outside of sections, or else
 * after the last section that contains one. Null if the file has none.
 */
function placeAfterLoadModule({ tree, engine, fileContext }: Omit<CompletionRequest, 'offset'>): LoadPlace | null {
  let section: { end: number; text: string; line: Line } | null = null;
  const search = (list: List, listOffset: number): { end: number; text: string; line: Line } | null => {
    let childEnd = listOffset + list.length;
    for (let index = list.children.length - 1; index >= 0; index--) {
      const child = list.children[index]!;
      if (child instanceof Line) {
        if (child.kind === LineKind.Directive && child.name === 'loadmodule')
          return { end: childEnd, text: child.text, line: child };
      } else if (hasFact(engine.factsIn(child), Fact.loadsModules)) {
        if (child instanceof List) {
          const lastLoad = search(child, childEnd - child.length);
          if (lastLoad) return lastLoad;
        } else if (!section) {
          const firstLoadLine = firstLoadModule(child);
          if (firstLoadLine) section = { end: childEnd, text: child.close.text, line: firstLoadLine };
        }
      }
      childEnd -= child.length;
    }
    return null;
  };
  const nearestLoad = search(tree.root, 0) ?? section;
  if (!nearestLoad) return null;
  const modulePath = argumentsOf(nearestLoad.line)[1]?.value ?? '';
  const folder = modulePath.slice(0, modulePath.lastIndexOf('/') + 1);
  const newline = /\r\n$/.test(nearestLoad.text) ? '\r\n' : '\n';
  return {
    offset: nearestLoad.end - /\r?\n?$/.exec(nearestLoad.text)![0].length,
    indentation: /^[ \t]*/.exec(nearestLoad.text)![0],
    newline,
    loadModuleLineFor(name) {
      const facts = findModule(name)?.['2.4'];
      if (folder === '' || !facts?.identifier || !facts.sharedObject)
        return loadModuleLine(name, fileContext?.distribution ?? 'upstream');
      return `LoadModule ${facts.identifier} ${folder}${facts.sharedObject}`;
    },
  };
}

/** The first LoadModule line in a section; null if there is none. */
function firstLoadModule(section: Section): Line | null {
  const search = (list: List): Line | null => {
    for (const child of list.children) {
      if (child instanceof Line) {
        if (child.name === 'loadmodule') return child;
      } else {
        const loadModuleLine = search(child instanceof List ? child : child.body);
        if (loadModuleLine) return loadModuleLine;
      }
    }
    return null;
  };
  return search(section.body);
}

// ---- Labels and inserted texts ----

/** What a list says about a name besides its facts. */
interface NameState {
  readonly isLoaded: boolean;
  readonly isOld: boolean;
  /** The old name that this name replaces. The editor compares it with what the user types. */
  readonly filterEntry?: NameEntry;
}

/** The suggestion for a directive or section: its label, its origin, and the text to insert. */
function suggestionFor(
  entry: NameEntry,
  { isTag, isLineEmpty, existingClosingTag, moduleLoading, supportsSnippets, retriggers, mayReadFolders }: ListKey,
  { isLoaded, isOld, filterEntry }: NameState,
): Writable<Suggestion> {
  const { directive, factsOfName, lowerName } = entry;
  const { name, section } = directive;
  const moduleToAdd = isLoaded ? undefined : moduleLoading.moduleToLoad(entry);
  const moduleLabel = moduleText(factsOfName);
  const source = filterEntry
    ? `${moduleLabel}, for ${filterEntry.directive.name}`
    : isOld
      ? `${moduleLabel}, 2.2`
      : isLoaded
        ? moduleLabel
        : moduleToAdd
          ? `${moduleLabel}, adds LoadModule`
          : `${moduleLabel}, not loaded`;
  const typedName = filterEntry ? filterEntry.directive.name : name;
  const takesArguments = section
    ? !SECTIONS_WITHOUT_ARGUMENTS.has(lowerName)
    : !/^\S+$/.test(factsOfName.syntax[0] ?? `${name} value`);
  const tag = `<${name}`;
  return {
    label: section ? `<${name}>` : name,
    kind: section ? CompletionItemKind.Module : CompletionItemKind.Property,
    source,
    filter: isTag ? `<${typedName}` : typedName,
    text: section
      ? isLineEmpty
        ? `${tag}${takesArguments ? ' ' : '>'}`
        : tag
      : name + (isLineEmpty && takesArguments ? ' ' : ''),
    ...(section &&
      isLineEmpty &&
      supportsSnippets && {
        snippet: `${tag}${takesArguments ? ` ${argumentsSnippet(lowerName)}` : ''}>${existingClosingTag === name.toLowerCase() ? '$0' : `\n\t$0\n</${name}>`}`,
      }),
    ...(isOld && { isOld: true as const }),
    ...(!section &&
      isLineEmpty &&
      retriggers &&
      (argumentChoiceOf(entry) === 'values' || (argumentChoiceOf(entry) === 'files' && mayReadFolders)) && {
        opensNextList: true as const,
      }),
    ...(moduleToAdd !== undefined && { moduleToLoad: moduleToAdd }),
    explainedSubject: { directive: section ? tag : name },
  };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The module that a suggestion shows as its origin. */
function moduleText({ page, modules }: DirectiveFacts): string {
  return page === 'mpm_common' ? 'MPM' : (modules[0] ?? page);
}

/** Sections without arguments. */
const SECTIONS_WITHOUT_ARGUMENTS = new Set(['<else', '<requireall', '<requireany', '<requirenone', '<perl']);

/**
 * The placeholders for the arguments of a section. `lowerName`: its name in lower case, with `<`.
 */
function argumentsSnippet(lowerName: string): string {
  return ARGUMENT_SNIPPETS[lowerName] ?? '${1:value}';
}

/** The arguments in the snippet of a section, as placeholders. */
const ARGUMENT_SNIPPETS: Readonly<Record<string, string>> = {
  '<authnprovideralias': '${1:file} ${2:name}',
  '<authzprovideralias': '${1:ip} ${2:name} ${3:parameters}',
  '<directory': '"${1:/path}"',
  '<directorymatch': '"${1:^/path/}"',
  '<elseif': '"${1:condition}"',
  '<files': '"${1:name}"',
  '<filesmatch': '"${1:\\.ext\\$}"',
  '<if': '"${1:condition}"',
  '<ifdefine': '${1:NAME}',
  '<ifdirective': '${1:Name}',
  '<iffile': '"${1:/path}"',
  '<ifmodule': '${1:mod_name.c}',
  '<ifsection': '${1:Name}',
  '<ifversion': '>= ${1:2.4}',
  '<limit': '${1:GET POST}',
  '<limitexcept': '${1:GET POST}',
  '<location': '"${1:/path}"',
  '<locationmatch': '"${1:^/path}"',
  '<macro': '${1:name} \\$${2:argument}',
  '<mdomain': '${1:example.org}',
  '<mdomainset': '${1:example.org}',
  '<proxy': '"${1:url}"',
  '<proxymatch': '"${1:^url}"',
  '<virtualhost': '${1:*:80}',
};
