/**
 * Reads the access of sections, with the reasons not to convert them: reasons in their lines, and
 * in the file, in AllowOverride and in the tag.
 */
import type { Scope } from '../config/configuration';
import { directive } from '../directives';
import type { ConversionInput } from './conversion-input';
import { unknownDirectivesReason } from './conversion-input';
import { cacheOf } from '../syntax/memory';
import { beginsWithByteOrderMark } from './read-differently';
import type { Tree24 } from './model';
import { notConverted, quotedLineWithPlace, type NotConverted } from './not-converted';
import { isReadBy22Only, isReadBy24Only } from './one-version';
import { overrideLines } from './override';
import { needsOwnTree, readAccessOf24, readSectionAccess, type SectionAccess } from './section-access';
import { argumentProblem, type SectionEntry } from './section-order';
import { spelledName } from '../syntax/line';
import { templateProblem, unknownDirectivesInScope } from './template';

/**
 * Returns a function that reads the access lines of a section. If the section cannot be converted,
 * `reason` of the result says why.
 */
export function accessReader(input: ConversionInput): (entry: SectionEntry) => SectionAccess {
  const readLines = linesReader(input);
  const overrideByScope = new Map(
    input.htaccess.map(({ scope, overrideWords, readingHosts }) => [
      scope,
      { allowedWords: overrideWords, readingHosts },
    ]),
  );
  return (entry) => {
    const { scope } = entry;
    const accessAsWritten =
      scope.activityByVersion === undefined ? readLines(scope) : accessWithCondition(entry, readLines);
    const ownAccess =
      input.options.countsAsGranted?.(scope) === true ? withRequireAllGranted(accessAsWritten) : accessAsWritten;
    const affectsAccess = needsOwnTree(ownAccess);
    const furtherReason = affectsAccess ? (input.options.furtherReasonFor?.(scope) ?? null) : null;
    const reasonFromFile =
      problemOfFile(scope, input) ?? (affectsAccess ? problemOfUnknownDirectives(scope, input) : null);
    const override = overrideByScope.size === 0 ? undefined : overrideByScope.get(outermostScope(scope));
    const overrideReason = override === undefined ? null : reasonOfOverride(entry, ownAccess, override, input);
    const tagReason =
      entry.stage === 'location' && scope.kind !== 'location' && scope.kind !== 'locationmatch'
        ? reasonOfTag(scope)
        : argumentProblem(entry);
    const reason = furtherReason ?? ownAccess.reason ?? reasonFromFile ?? overrideReason ?? tagReason;
    if (reason === null) return ownAccess;
    // With some of these reasons, the program still knows what the section's lines decide in 2.2.
    const isDecisionKnownDespiteReason =
      reasonFromFile === null &&
      tagReason === null &&
      (overrideReason === null || overrideReason.code === 'override-forbids-require');
    return { ...ownAccess, reason, isDecisionKnown: ownAccess.isDecisionKnown && isDecisionKnownDespiteReason };
  };
}

/** The reason for access lines in a section that applies to neither files nor URLs. */
function reasonOfTag({ section, kind }: Scope): NotConverted {
  if (section === null) return notConverted('in-container', null, kind);
  const isSectionOfHttpd = directive(section.open.name, { section: true }) !== undefined;
  return notConverted(isSectionOfHttpd ? 'in-container' : 'in-unknown-section', null, spelledName(section.open));
}

/**
 * Returns a function that takes the scope of a .htaccess file, or of a section in such a file. If
 * 2.4 does not allow Require in the file, because AllowOverride lacks AuthConfig, the function
 * returns the file's folder in a list. Otherwise it returns an empty list.
 */
export function foldersForbiddingRequireFinder({ htaccess }: ConversionInput): (scope: Scope) => readonly string[] {
  if (htaccess.length === 0) return () => NO_FOLDERS;
  const overrideByScope = new Map(htaccess.map(({ scope, overrideWords }) => [scope, overrideWords]));
  return (scope) => {
    const fileScope = outermostScope(scope);
    const override = overrideByScope.get(fileScope);
    return override && !override.includes('all') && !override.includes('authconfig') ? [fileScope.folder!] : NO_FOLDERS;
  };
}

const NO_FOLDERS: readonly never[] = [];

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns a function that reads the access lines of a scope. Scopes with the same lines get the
 * same object, because thousands of virtual hosts may have the same lines.
 */
function linesReader({ survey, options, conditionRemovals }: ConversionInput): (scope: Scope) => SectionAccess {
  const accessByText = new Map<string, SectionAccess>();
  return (scope) => {
    const text = plainText(scope);
    const cachedAccess = text === null ? undefined : accessByText.get(text);
    if (cachedAccess) return cachedAccess;
    const accessOfLines = readSectionAccess(scope, survey, options.meaningOf, conditionRemovals.removedConditions);
    // Reasons, and questions about operands, name a line of this one section. So a result with a
    // reason or a question is not shared with other sections.
    if (text !== null && accessOfLines.reason === null && accessOfLines.explainedOperands.length === 0)
      accessByText.set(text, accessOfLines);
    return accessOfLines;
  };
}

/** The access of a section as if it had `Require all granted` in addition to its old lines. */
function withRequireAllGranted(access: SectionAccess): SectionAccess {
  let grantedAccess = grantedAccessByAccess.get(access);
  if (!grantedAccess)
    grantedAccessByAccess.set(access, (grantedAccess = { ...access, tree24: GRANTED, satisfyByMethod: new Map() }));
  return grantedAccess;
}

/**
 * Caches the results of `withRequireAllGranted`: for one section, the result must always be the
 * same object, because `stateKey` compares trees by identity.
 */
const grantedAccessByAccess = cacheOf<SectionAccess, SectionAccess>();

const GRANTED: Tree24 = { type: 'granted' };

/**
 * The access of a section around which a condition may be true in only one version. `readAccessOf`:
 * reads the access of a section that both versions read.
 */
function accessWithCondition(entry: SectionEntry, readAccessOf: (scope: Scope) => SectionAccess): SectionAccess {
  if (isReadBy24Only(entry)) return readAccessOf24(entry.scope);
  const accessOfLines = readAccessOf(entry.scope);
  // 2.4 skips the whole section, so for 2.4 it has no old lines and no AuthType.
  return isReadBy22Only(entry) && (accessOfLines.hasOldLines || accessOfLines.hasAuthType24)
    ? { ...accessOfLines, hasOldLines: false, hasAuthType24: false }
    : accessOfLines;
}

/**
 * Why the file of a scope prevents its conversion: a byte order mark, template text, or an Include
 * line of the configuration that also reads this .htaccess file. Otherwise null.
 */
function problemOfFile(scope: Scope, { readingCountByPath, configuration }: ConversionInput): NotConverted | null {
  const { file } = scope;
  if (scope.kind === 'htaccess' && beginsWithByteOrderMark(file.tree))
    return notConverted('byte-order-mark', { path: file.path, offset: 0 });
  const isFileIncluded = readingCountByPath.has(file.path) && configuration.files.has(file.path);
  return templateProblem(scope) ?? (isFileIncluded ? notConverted('htaccess-included', null) : null);
}

function problemOfUnknownDirectives(scope: Scope, { configuration, options }: ConversionInput): NotConverted | null {
  return unknownDirectivesReason(unknownDirectivesInScope(scope, configuration), options);
}

/** What AllowOverride allows in a .htaccess file. */
interface HtaccessOverride {
  /** The words of AllowOverride in lower case; null if they are unknown. */
  readonly allowedWords: readonly string[] | null;
  /** The virtual hosts that read the file; see `HtaccessFile`. */
  readonly readingHosts?: 'all' | readonly Scope[] | null;
}

/**
 * Why AllowOverride prevents the conversion of a .htaccess file: it forbids the old or the new
 * access lines, or it is unknown what it allows. Otherwise null. The reason quotes the
 * AllowOverride line if exactly one applies.
 */
function reasonOfOverride(
  entry: SectionEntry,
  ownAccess: SectionAccess,
  override: HtaccessOverride,
  { configuration, mayWidenOverride }: ConversionInput,
): NotConverted | null {
  if (override.allowedWords === null) return notConverted('override-unknown', null);
  const code = codeOfOverrideProblem(
    entry,
    ownAccess,
    { ...override, allowedWords: override.allowedWords },
    mayWidenOverride,
  );
  if (code === null) return null;
  const { folder } = outermostScope(entry.scope);
  const lines = folder === undefined ? null : overrideLines(configuration, folder);
  return notConverted(code, null, lines?.length === 1 ? quotedLineWithPlace(lines[0]!) : null);
}

/**
 * The code of the reason if AllowOverride forbids the old lines in 2.2, or the new Require lines in
 * 2.4. Null if it forbids neither.
 */
function codeOfOverrideProblem(
  entry: SectionEntry,
  { hostRules, satisfyByMethod, userRequirements, unconverted24 }: SectionAccess,
  { allowedWords, readingHosts = 'all' }: HtaccessOverride & { readonly allowedWords: readonly string[] },
  mayWidenOverride: boolean,
): 'override-without-limit' | 'override-without-authconfig' | 'override-forbids-require' | null {
  const needsAuthConfig = satisfyByMethod.size > 0 || userRequirements !== null;
  if (allowedWords.includes('all') || (hostRules === null && !needsAuthConfig)) return null;
  const hasLimit = allowedWords.includes('limit');
  const hasAuthConfig = allowedWords.includes('authconfig');
  // If AllowOverride forbids lines that only 2.2 reads, 2.2 answers 500, but 2.4 does not. So the
  // upgrade changes the answer, which is a reason not to convert.
  const isFor22Only = isReadBy22Only(entry);
  if (unconverted24 !== null || isFor22Only) {
    if (hostRules !== null && !hasLimit) return 'override-without-limit';
    if (needsAuthConfig && !hasAuthConfig) return 'override-without-authconfig';
    if (isFor22Only) return null;
  }
  // In both versions, only the word AuthConfig allows Satisfy and Require. Limit allows Order,
  // Allow and Deny. If the old lines need only Limit, the conversion can change AllowOverride so
  // that it allows Require.
  const canAllowRequire =
    hostRules !== null && readingHosts === 'all' && hasLimit && !needsAuthConfig && mayWidenOverride;
  if (!hasAuthConfig && !canAllowRequire) return 'override-forbids-require';
  return hostRules !== null && !hasLimit ? 'override-without-limit' : null;
}

function outermostScope(scope: Scope): Scope {
  let outerScope = scope;
  while (outerScope.parent) outerScope = outerScope.parent;
  return outerScope;
}

/**
 * The text of a section's lines. Sections with the same text have the same access lines. Null if a
 * line is in a condition or a nested section, or is from another file or a macro. Also null if the
 * text is too long.
 */
function plainText({ lines, file }: Scope): string | null {
  let joinedText = '';
  for (let i = 0; i < lines.length; i++) {
    const configLine = lines[i]!;
    const dependsOnTextOnly =
      configLine.enclosingSections.length === 0 &&
      configLine.conditionals.length === 0 &&
      configLine.file === file &&
      configLine.macro === undefined &&
      configLine.activityByVersion === undefined;
    if (!dependsOnTextOnly) return null;
    joinedText += configLine.line.text;
  }
  return joinedText.length > MAX_PLAIN_TEXT_LENGTH ? null : joinedText;
}

/** Maximum number of characters. Longer texts are rarely the same in two sections. */
const MAX_PLAIN_TEXT_LENGTH = 2000;
