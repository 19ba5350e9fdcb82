/**
 * Reads the access lines of each section of a server, and what keeps the section from being
 * converted.
 */
import type { Scope } from '../config/configuration';
import { directive } from '../directives';
import type { ConversionInput } from './conversion-input';
import { unknownDirectivesReason } from './conversion-input';
import { beginsWithMark } from './read-differently';
import { notConverted, quotedLine, type NotConverted } from './not-converted';
import { isReadBy22Only, isReadBy24Only } from './one-version';
import { overrideLines } from './override';
import { needsOwnTree, readAccessOf24, readSectionAccess, type SectionAccess } from './section-access';
import { argumentProblem, type SectionEntry } from './section-order';
import { spelledName } from '../syntax/line';
import { templateProblem, unknownInScope } from './template';

export function accessReader(input: ConversionInput): (entry: SectionEntry) => SectionAccess {
  const read = linesReader(input);
  const overrides = new Map(
    input.htaccess.map(({ scope, override, readingHosts }) => [scope, { allowedWords: override, readingHosts }]),
  );
  return (entry) => {
    const { scope } = entry;
    const own = scope.byVersion === undefined ? read(scope) : accessInVersionsReading(entry, read);
    const touches = needsOwnTree(own);
    const kept = touches ? (input.options.furtherReasonFor?.(scope) ?? null) : null;
    const inFile = problemOfFile(scope, input) ?? (touches ? problemOfUnknownDirectives(scope, input) : null);
    const override = overrides.size === 0 ? undefined : overrides.get(outermostScope(scope));
    const ofOverride = override === undefined ? null : reasonOfOverride(entry, own, override, input);
    const inTag =
      entry.stage === 'location' && scope.kind !== 'location' && scope.kind !== 'locationmatch'
        ? reasonOfTag(scope)
        : argumentProblem(entry);
    const reason = kept ?? own.reason ?? inFile ?? ofOverride ?? inTag;
    if (reason === null) return own;
    // For some reasons the section is not converted although the program knows what it decides in
    // 2.2.
    const isKnown =
      inFile === null && inTag === null && (ofOverride === null || ofOverride.code === 'override-forbids-require');
    return { ...own, reason, isDecisionKnown: own.isDecisionKnown && isKnown };
  };
}

/** The reason for access lines directly in a section that is for no files and no URLs. */
function reasonOfTag({ section, kind }: Scope): NotConverted {
  if (section === null) return notConverted('in-container', null, kind);
  const isOfHttpd = directive(section.open.name, { section: true }) !== undefined;
  return notConverted(isOfHttpd ? 'in-container' : 'in-unknown-section', null, spelledName(section.open));
}

/**
 * Returns a function that takes the scope of a .htaccess file. It gives the file's folder if
 * AllowOverride must first be changed to allow Require there, and an empty list otherwise.
 */
export function foldersToAllowRequire({ htaccess }: ConversionInput): (scope: Scope) => readonly string[] {
  if (htaccess.length === 0) return () => NO_FOLDERS;
  const overrides = new Map(htaccess.map(({ scope, override }) => [scope, override]));
  return (scope) => {
    const outer = outermostScope(scope);
    const override = overrides.get(outer);
    return override && !override.includes('all') && !override.includes('authconfig') ? [outer.folder!] : NO_FOLDERS;
  };
}

const NO_FOLDERS: readonly never[] = [];

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Reads the lines of a scope. Sections with the same lines, as thousands of virtual hosts have,
 * share one value.
 */
function linesReader({ survey, options, removedSections }: ConversionInput): (scope: Scope) => SectionAccess {
  const shared = new Map<string, SectionAccess>();
  return (scope) => {
    const text = plainText(scope);
    const same = text === null ? undefined : shared.get(text);
    if (same) return same;
    const own = readSectionAccess(scope, survey, options.meaningOf, removedSections.removedConditions);
    // Reasons and questions about operands name a line of this one section, so a result that has
    // one is not shared with other sections.
    if (text !== null && own.reason === null && own.explainedOperands.length === 0) shared.set(text, own);
    return own;
  };
}

function accessInVersionsReading(entry: SectionEntry, read: (scope: Scope) => SectionAccess): SectionAccess {
  if (isReadBy24Only(entry)) return readAccessOf24(entry.scope);
  const own = read(entry.scope);
  // 2.4 skips the whole section, so for 2.4 it has no old lines and no AuthType.
  return isReadBy22Only(entry) && (own.hasOldLines || own.hasAuthType24)
    ? { ...own, hasOldLines: false, hasAuthType24: false }
    : own;
}

function problemOfFile(scope: Scope, { readings, configuration }: ConversionInput): NotConverted | null {
  const { file } = scope;
  if (scope.kind === 'htaccess' && beginsWithMark(file.tree))
    return notConverted('byte-order-mark', { path: file.path, offset: 0 });
  const isIncluded = readings.has(file.path) && configuration.files.has(file.path);
  return templateProblem(scope) ?? (isIncluded ? notConverted('htaccess-included', null) : null);
}

function problemOfUnknownDirectives(scope: Scope, { configuration, options }: ConversionInput): NotConverted | null {
  return unknownDirectivesReason(unknownInScope(scope, configuration), options);
}

interface HtaccessOverride {
  readonly allowedWords: readonly string[] | null;
  readonly readingHosts?: 'all' | readonly Scope[] | null;
}

/**
 * Returns the reason if AllowOverride forbids access lines of a .htaccess file. The reason names
 * the AllowOverride line if only one applies.
 */
function reasonOfOverride(
  entry: SectionEntry,
  own: SectionAccess,
  override: HtaccessOverride,
  { configuration, mayWidenOverride }: ConversionInput,
): NotConverted | null {
  if (override.allowedWords === null) return notConverted('override-unknown', null);
  const code = codeOfOverrideProblem(
    entry,
    own,
    { ...override, allowedWords: override.allowedWords },
    mayWidenOverride,
  );
  if (code === null) return null;
  const { folder } = outermostScope(entry.scope);
  const [line, ...others] = (folder !== undefined && overrideLines(configuration, folder)) || NO_FOLDERS;
  return notConverted(code, null, line && others.length === 0 ? quotedLine(line) : null);
}

/**
 * Returns the code of the reason: AllowOverride forbids the old lines in 2.2, or the new Require
 * lines in 2.4. Null if it forbids none.
 */
function codeOfOverrideProblem(
  entry: SectionEntry,
  { hostRules, satisfy, userRequirements, unconverted24 }: SectionAccess,
  { allowedWords, readingHosts = 'all' }: HtaccessOverride & { readonly allowedWords: readonly string[] },
  mayWidenOverride: boolean,
): 'override-without-limit' | 'override-without-authconfig' | 'override-forbids-require' | null {
  const needsAuthConfig = satisfy.size > 0 || userRequirements !== null;
  if (allowedWords.includes('all') || (hostRules === null && !needsAuthConfig)) return null;
  const hasLimit = allowedWords.includes('limit');
  const hasAuthConfig = allowedWords.includes('authconfig');
  // 2.4 skips a section that only 2.2 reads, so the status 500 ends with the upgrade in any case.
  const is22 = isReadBy22Only(entry);
  if (unconverted24 !== null || is22) {
    if (hostRules !== null && !hasLimit) return 'override-without-limit';
    if (needsAuthConfig && !hasAuthConfig) return 'override-without-authconfig';
    if (is22) return null;
  }
  // In both versions, Satisfy and Require are only allowed by the word AuthConfig. In 2.2, Order,
  // Allow and Deny are allowed by Limit.
  const couldAdmit = hostRules !== null && readingHosts === 'all' && hasLimit && !needsAuthConfig && mayWidenOverride;
  if (!hasAuthConfig && !couldAdmit) return 'override-forbids-require';
  return hostRules !== null && !hasLimit ? 'override-without-limit' : null;
}

function outermostScope(scope: Scope): Scope {
  let outer = scope;
  while (outer.parent) outer = outer.parent;
  return outer;
}

/**
 * The text of the lines of a section, as a key for sections with the same lines. Null if something
 * else also decides: a condition around a line, a line from another file or from a macro, or a text
 * that is too long for a key.
 */
function plainText({ lines, file }: Scope): string | null {
  let text = '';
  for (let i = 0; i < lines.length; i++) {
    const at = lines[i]!;
    const isPlain =
      at.enclosingSections.length === 0 &&
      at.conditionals.length === 0 &&
      at.file === file &&
      at.macro === undefined &&
      at.byVersion === undefined;
    if (!isPlain) return null;
    text += at.line.text;
  }
  return text.length > MAX_KEY_LENGTH ? null : text;
}

/** Maximum length of a key, in characters. Longer texts are rarely the same in two sections. */
const MAX_KEY_LENGTH = 2000;
