/**
 * Reads the access lines of each section of a server, and what keeps the section from being
 * converted.
 */
import type { Scope } from '../config/configuration';
import type { ConversionInput } from './conversion-input';
import { unansweredReason } from './conversion-input';
import { beginsWithMark } from './read-differently';
import { notConverted, quotedLine, type NotConverted } from './not-converted';
import { isFor22, isFor24 } from './one-version';
import { overrideLines } from './override';
import { needsOwnTree, readAccessOf24, readSectionAccess, type SectionAccess } from './section-access';
import { argumentProblem, type Entry } from './section-order';
import { spelledName } from '../syntax/line';
import { templateProblem, unknownInScope } from './template';

export function accessReader(input: ConversionInput): (entry: Entry) => SectionAccess {
  const read = linesReader(input);
  const overrides = new Map(input.htaccess.map(({ scope, override, readers }) => [scope, { override, readers }]));
  return (entry) => {
    const { scope } = entry;
    const own = scope.byVersion === undefined ? read(scope) : accessOfHalf(entry, read);
    const touches = needsOwnTree(own);
    const kept = touches ? (input.options.refuses?.(scope) ?? null) : null;
    const inFile = fileProblem(scope, input) ?? (touches ? unknownProblem(scope, input) : null);
    const override = overrides.size === 0 ? undefined : overrides.get(outermost(scope));
    const ofOverride = override === undefined ? null : overrideReason(entry, own, override, input);
    const inTag =
      entry.stage === 'location' && scope.kind !== 'location' && scope.kind !== 'locationmatch'
        ? notConverted('in-container', null, scope.section ? spelledName(scope.section.open) : scope.kind)
        : argumentProblem(entry);
    const reason = kept ?? own.reason ?? inFile ?? ofOverride ?? inTag;
    if (reason === null) return own;
    // Some reasons prevent the conversion of a section although its effect in 2.2 is known.
    const isKnown =
      inFile === null && inTag === null && (ofOverride === null || ofOverride.code === 'override-forbids-require');
    return { ...own, reason, isDecisionKnown: own.isDecisionKnown && isKnown };
  };
}

/**
 * Returns a function that takes the scope of a .htaccess file. It gives the file's folder if
 * AllowOverride must first be changed to allow Require there, and an empty list otherwise.
 */
export function foldersToAllowRequire({ htaccess }: ConversionInput): (scope: Scope) => readonly string[] {
  if (htaccess.length === 0) return () => NO_FOLDERS;
  const overrides = new Map(htaccess.map(({ scope, override }) => [scope, override]));
  return (scope) => {
    const outer = outermost(scope);
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
function linesReader({ survey, options, removed }: ConversionInput): (scope: Scope) => SectionAccess {
  const shared = new Map<string, SectionAccess>();
  return (scope) => {
    const text = plainText(scope);
    const same = text === null ? undefined : shared.get(text);
    if (same) return same;
    const own = readSectionAccess(scope, survey, options.meaningOf, removed.removedConditions);
    // A reason and an answer about a word name a line of this section, so such results are not
    // shared.
    if (text !== null && own.reason === null && own.explainedOperands.length === 0) shared.set(text, own);
    return own;
  };
}

function accessOfHalf(entry: Entry, read: (scope: Scope) => SectionAccess): SectionAccess {
  if (isFor24(entry)) return readAccessOf24(entry.scope);
  const own = read(entry.scope);
  // 2.4 skips the whole section, so for 2.4 it contains neither old lines nor an AuthType.
  return isFor22(entry) && (own.hasOldLines || own.hasAuthType24)
    ? { ...own, hasOldLines: false, hasAuthType24: false }
    : own;
}

function fileProblem(scope: Scope, { readings, configuration }: ConversionInput): NotConverted | null {
  const { file } = scope;
  if (scope.kind === 'htaccess' && beginsWithMark(file.tree))
    return notConverted('byte-order-mark', { path: file.path, offset: 0 });
  const isIncluded = readings.has(file.path) && configuration.files.has(file.path);
  return templateProblem(scope) ?? (isIncluded ? notConverted('htaccess-included', null) : null);
}

function unknownProblem(scope: Scope, { configuration, options }: ConversionInput): NotConverted | null {
  return unansweredReason(unknownInScope(scope, configuration), options);
}

interface HtaccessOverride {
  readonly override: readonly string[] | null;
  readonly readers?: 'all' | readonly Scope[] | null;
}

/** What AllowOverride forbids in a .htaccess file, with the line if a single one applies. */
function overrideReason(
  entry: Entry,
  own: SectionAccess,
  override: HtaccessOverride,
  { configuration, mayWidenOverride }: ConversionInput,
): NotConverted | null {
  if (override.override === null) return notConverted('override-unknown', null);
  const code = overrideProblem(entry, own, { ...override, override: override.override }, mayWidenOverride);
  if (code === null) return null;
  const { folder } = outermost(entry.scope);
  const [line, ...others] = (folder !== undefined && overrideLines(configuration, folder)) || NO_FOLDERS;
  return notConverted(code, null, line && others.length === 0 ? quotedLine(line) : null);
}

/** The problem, in 2.2 or after the conversion. */
function overrideProblem(
  entry: Entry,
  { hostRules, satisfy, requires, unconverted24 }: SectionAccess,
  { override, readers = 'all' }: HtaccessOverride & { readonly override: readonly string[] },
  mayAdmit: boolean,
): 'override-without-limit' | 'override-without-authconfig' | 'override-forbids-require' | null {
  const needsAuthConfig = satisfy.size > 0 || requires !== null;
  if (override.includes('all') || (hostRules === null && !needsAuthConfig)) return null;
  const hasLimit = override.includes('limit');
  const hasAuthConfig = override.includes('authconfig');
  // 2.4 skips a section that only 2.2 reads, so the status 500 ends with the upgrade in any case.
  const is22 = isFor22(entry);
  if (unconverted24 !== null || is22) {
    if (hostRules !== null && !hasLimit) return 'override-without-limit';
    if (needsAuthConfig && !hasAuthConfig) return 'override-without-authconfig';
    if (is22) return null;
  }
  // Satisfy and Require need AuthConfig in both versions. Host rules alone need Limit in 2.2.
  const couldAdmit = hostRules !== null && readers === 'all' && hasLimit && !needsAuthConfig && mayAdmit;
  if (!hasAuthConfig && !couldAdmit) return 'override-forbids-require';
  return hostRules !== null && !hasLimit ? 'override-without-limit' : null;
}

function outermost(scope: Scope): Scope {
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
      at.within.length === 0 &&
      at.conditionals.length === 0 &&
      at.file === file &&
      at.macro === undefined &&
      at.byVersion === undefined;
    if (!isPlain) return null;
    text += at.line.text;
  }
  return text.length > LONG_TEXT ? null : text;
}

/** In characters. Longer texts are rarely the same in two sections. */
const LONG_TEXT = 2000;
