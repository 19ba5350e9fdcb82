/**
 * Reads the access lines of one section: host rules, Satisfy and Require, each with its methods.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { argumentsOf } from '../syntax/line';
import { GROUP_OWNERS } from './checkers';
import { foreignWord, groupWord } from './group-words';
import type { Order, Tree24, UserRequirement } from './model';
import { lineNotConverted, notConverted, type NotConverted, type ReasonCode } from './not-converted';
import { NO_REMOVED_CONDITIONS, readersOf, type RemovedConditions } from './one-version';
import type { Operand } from './operand';
import { isAccessLine, isExpression, OLD_NAMES, readAccessLine, requirementModule, type AccessLine } from './read';
import { readTree } from './read24';
import { PROVIDERS, REQUIREMENTS_22 } from './require';
import { sharedLines } from './shared-text';
import { methodOf, type MethodClass, type Survey } from './survey';

export interface SectionAccess {
  readonly host: {
    readonly order: ReadonlyMap<MethodClass, Order>;
    readonly allow: readonly Limited<Operand>[];
    readonly deny: readonly Limited<Operand>[];
  } | null;
  readonly satisfy: ReadonlyMap<MethodClass, 'all' | 'any'>;
  readonly requires: readonly Limited<UserRequirement>[] | null;
  /** The Require lines as 2.4 reads them. */
  readonly tree: Tree24 | null;
  readonly hasAuthType: boolean;
  /** Whether 2.4 reads an AuthType in the section. */
  readonly hasAuthType24: boolean;
  readonly hasGroupFile: boolean;
  /** Whether a line cancels the inherited group file in 2.2. */
  readonly cancelsGroupFile: boolean;
  /** Whether 2.4 reads lines of 2.2 in the section before the conversion. */
  readonly hasOld: boolean;
  /** Whether the section has lines of 2.4, although the source is 2.2. */
  readonly is24: boolean;
  /** Why the section is not converted; null if it can be. */
  readonly reason: NotConverted | null;
  /** Words after `from` that look like mistakes. Empty if there is also another reason. */
  readonly mistakes: readonly PlacedOperand[];
  /** Words after `from` that look like mistakes and that the user has explained. */
  readonly answered: readonly PlacedOperand[];
  /** Whether it is known what the section decides, although it is not converted. */
  readonly isKnown: boolean;
  /** What 2.4 reads, if some lines of the section are for one version only. Otherwise null. */
  readonly written: Written | null;
}

/** The lines that 2.4 reads in a section before its conversion. */
export interface Written {
  readonly tree: Tree24 | null;
  readonly hasAuthType: boolean;
}

export interface Limited<T> {
  readonly value: T;
  readonly methods: ReadonlySet<MethodClass>;
}

/** A word after `from`, with its line. */
export interface PlacedOperand {
  readonly word: string;
  readonly at: ConfigLine;
}

/**
 * Returns the user's answer about a word after `from` that looks like a mistake: it never matches,
 * or it is the name of a host. Null without an answer.
 */
export type OperandMeaning = (word: string) => 'never-matches' | 'is-a-host' | null;

/** A section without access lines. */
export const NO_ACCESS: SectionAccess = {
  host: null,
  satisfy: new Map(),
  requires: null,
  tree: null,
  hasAuthType: false,
  hasAuthType24: false,
  hasGroupFile: false,
  hasOld: false,
  cancelsGroupFile: false,
  is24: false,
  reason: null,
  isKnown: true,
  written: null,
  mistakes: [],
  answered: [],
};

/** Whether the section needs its own Require tree in 2.4. */
export function isTouching(own: SectionAccess): boolean {
  return (
    own.host !== null ||
    own.satisfy.size > 0 ||
    own.requires !== null ||
    own.hasAuthType ||
    own.cancelsGroupFile ||
    own.written !== null
  );
}

/** Words after Require that only 2.4 knows. */
export const ONLY_IN_24: ReadonlySet<string> = new Set(
  [...PROVIDERS.keys(), 'not'].filter((name) => !REQUIREMENTS_22.has(name)),
);

/**
 * Reads the access lines of a scope as the source version does. `removedConditions`: conditions
 * that the conversion removes, so their lines count.
 */
export function readSectionAccess(
  scope: Scope,
  survey: Survey,
  meaningOf: OperandMeaning = () => null,
  removedConditions: RemovedConditions = NO_REMOVED_CONDITIONS,
): SectionAccess {
  const found = new Found();
  const names = new Set<string>();
  let hasAuthType = false;
  const now = survey.source === '2.2' ? linesFor24(scope, removedConditions) : null;
  const outside = now?.find(({ line }) => OLD_NAMES.has(line.name));
  const isShared = sharedLines(scope) !== null;
  if (outside) found.stop(lineNotConverted('old-lines-for-both', outside));
  for (const at of scope.lines) {
    const readers = readersOf(at, scope, removedConditions);
    const problem = problemOfCondition(at, readers);
    if (problem !== null) found.stop(problem);
    if (readers === 'after') continue;
    hasAuthType ||= asksForLogin(at);
    names.add(at.line.name);
    for (const { reason, isKnown } of problemsAround(at, scope, { survey, isShared })) found.stop(reason, isKnown);
    const line = readAccessLine(at.line);
    if (line !== null) takeLine(found, line, at, { scope, survey, meaningOf });
  }
  const hasGroupFile = names.has('authgroupfile');
  // These modules do not merge their settings, so the line cancels the inherited file
  // (create_authz_groupfile_dir_config without a merger in mod_authz_groupfile.c of 2.2).
  const cancelsGroupFile =
    names.has('authzgroupfileauthoritative') && !hasGroupFile && survey.hasGroupFiles && survey.source === '2.2';
  if (cancelsGroupFile) found.stop(notConverted('group-file-cancelled', null));
  const { order, allow, deny, mistakes, reason } = found;
  const areMistakes = reason?.code === 'matches-no-client' && mistakes.every(({ word }) => mayBeHost(word));
  return {
    satisfy: found.satisfy,
    hasAuthType,
    hasAuthType24: now === null ? hasAuthType : now.some(asksForLogin),
    hasGroupFile,
    hasOld: scope.lines.some(
      (at) => OLD_NAMES.has(at.line.name) && readersOf(at, scope, removedConditions) !== 'before',
    ),
    reason,
    answered: found.answered,
    isKnown: found.isKnown,
    mistakes: areMistakes ? mistakes : [],
    written: now === null ? null : writtenIn(now),
    cancelsGroupFile,
    is24: found.is24 && survey.source === '2.2',
    host: found.hasHost ? { order, allow, deny } : null,
    requires: found.requires.length > 0 ? found.requires : null,
    tree: survey.source === '2.4' ? readTree(scope.lines) : null,
  };
}

/** Reads a section that 2.2 skips and 2.4 reads. mod_access_compat evaluates its old lines. */
export function readAccessOf24({ lines }: Scope): SectionAccess {
  const hasOld = lines.some(({ line }) => OLD_NAMES.has(line.name));
  const isKnown =
    !hasOld &&
    lines.every(({ line, byVersion, macro, conditionals }) => {
      if (line.name === 'authmerging') return false;
      if (line.name !== 'require') return true;
      return (
        byVersion === lines[0]!.byVersion &&
        macro === undefined &&
        conditionals.length === 0 &&
        !line.text.includes('${')
      );
    });
  return {
    ...NO_ACCESS,
    hasOld,
    reason: hasOld ? notConverted('old-lines-for-24', null) : null,
    isKnown,
    hasAuthType24: lines.some(asksForLogin),
    written: writtenIn(lines),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The access lines of a section, as far as they have been read. */
class Found {
  readonly order = new Map<MethodClass, Order>();
  readonly satisfy = new Map<MethodClass, 'all' | 'any'>();
  readonly allow: Limited<Operand>[] = [];
  readonly deny: Limited<Operand>[] = [];
  readonly requires: Limited<UserRequirement>[] = [];
  readonly mistakes: PlacedOperand[] = [];
  readonly answered: PlacedOperand[] = [];
  hasHost = false;
  is24 = false;
  isKnown = true;
  reason: NotConverted | null = null;

  /**
   * Sets the reason not to convert the section. Only the first one counts. `isKnown`: whether it is
   * still known what the section decides.
   */
  stop(reason: NotConverted, isKnown = false): void {
    this.reason ??= reason;
    this.isKnown &&= isKnown;
    this.is24 ||= SHOW_24.has(reason.code);
  }
}

/** Reasons that are shown although they are about lines of 2.4. */
const SHOW_24: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['auth-merging', 'require-in-container']);

interface Reading {
  readonly scope: Scope;
  readonly survey: Survey;
  readonly meaningOf: OperandMeaning;
}

function takeLine(found: Found, line: AccessLine, at: ConfigLine, reading: Reading): void {
  const methods = methodsOf(at, reading.survey);
  switch (line.name) {
    case 'order': {
      const { order } = line;
      found.hasHost = true;
      if (order === null) found.stop(lineNotConverted('broken-order', at));
      else for (const method of methods) found.order.set(method, order);
      return;
    }
    case 'allow':
    case 'deny':
      found.hasHost = true;
      return takeHosts(found, line, at, methods, reading.meaningOf);
    case 'satisfy': {
      const { satisfy } = line;
      if (satisfy === null) found.stop(lineNotConverted('broken-satisfy', at));
      else for (const method of methods) found.satisfy.set(method, satisfy);
      return;
    }
    case 'require':
      return takeRequire(found, line.text, at, methods, reading);
  }
}

function takeHosts(
  found: Found,
  { name, operands, isBroken }: Extract<AccessLine, { readonly name: 'allow' | 'deny' }>,
  at: ConfigLine,
  methods: ReadonlySet<MethodClass>,
  meaningOf: OperandMeaning,
): void {
  if (isBroken) found.stop(lineNotConverted('broken-host-line', at));
  const never: PlacedOperand[] = [];
  const values = operands.map((operand): Operand => {
    if (operand.kind !== 'never') return operand;
    const word = operand.text;
    const meaning = mayBeHost(word) ? meaningOf(word) : null;
    (meaning === null ? never : found.answered).push({ word, at });
    return meaning === 'is-a-host' ? { kind: 'host', name: word } : operand;
  });
  // `#` begins no comment here: 2.2 reads the words as host names, and 2.4 refuses the line.
  if (operands.some((operand) => operand.kind === 'never' && operand.text.startsWith('#')))
    found.stop(lineNotConverted('comment-in-line', at), true);
  if (never.length > 0) found.stop(lineNotConverted('matches-no-client', at, never[0]!.word), true);
  found.mistakes.push(...never);
  for (const value of values) found[name].push({ value, methods });
}

function takeRequire(
  found: Found,
  old: string,
  at: ConfigLine,
  methods: ReadonlySet<MethodClass>,
  { scope, survey }: Reading,
): void {
  const text = inWordsOf24(old, scope, survey);
  const isOfHttpd = requirementModule(old) !== null;
  const isEscaped = survey.source === '2.2' && text.includes('\\') && isOfHttpd && isLiteralBut(text);
  found.requires.push({ value: { text: isEscaped ? text.replaceAll('\\', '\\\\') : text }, methods });
  if (survey.source === '2.4' || isEscaped) return;
  if (requirementModule(text) === 'groups' && survey.hasDbmGroups)
    found.stop(lineNotConverted('perhaps-dbm-groups', at));
  if (isExpression(text))
    found.stop(lineNotConverted(/%\{/.test(text) ? 'require-expression' : 'require-special-characters', at));
  const word = argumentsOf(at.line)[0]?.value.toLowerCase() ?? '';
  if (ONLY_IN_24.has(word) || foreignWord(old) !== null) found.is24 = true;
  if (isOfHttpd) return;
  const isOf24 = ONLY_IN_24.has(word);
  const isOfOther = /^[a-z][\w.-]*\s/i.test(`${old} `) && !isOf24 && !found.is24;
  // No user of 2.2 fulfils a word that only 2.4 knows. `treeOf` does not translate such a line.
  found.stop(lineNotConverted(isOfOther ? 'require-of-no-module' : 'require-of-24', at), isOf24);
}

/**
 * Reasons that come from what is around a line: conditions, other files, macros. `isKnown`: whether
 * it is still known what the section decides. `isShared`: whether one text is shared by several
 * sections (`sharedLines`).
 */
function* problemsAround(
  at: ConfigLine,
  scope: Scope,
  { survey: { source }, isShared }: { readonly survey: Survey; readonly isShared: boolean },
): Iterable<{ readonly reason: NotConverted; readonly isKnown: boolean }> {
  const { line, within, macro, file } = at;
  const isAccess = isAccessLine(at);
  if (macro !== undefined && !isShared && (isAccess || line.name === 'authtype'))
    yield { reason: lineNotConverted('from-macro', at, macro), isKnown: true };
  if (line.name === 'authmerging') yield { reason: lineNotConverted('auth-merging', at), isKnown: false };
  if (!isAccess) return;
  if (argumentsOf(line).some(({ value }) => value.includes('${')))
    yield { reason: lineNotConverted('variable', at), isKnown: false };
  // A condition around the whole content of a file belongs to its scope.
  if (at.conditionals.length > 0 && at.activity !== 'active')
    yield { reason: lineNotConverted('in-condition', at), isKnown: false };
  if (file !== scope.file && scope.section !== null && !isShared)
    yield {
      reason: lineNotConverted(file.readings > 1 ? 'included-again' : 'included', at),
      isKnown: true,
    };
  if (within.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept').length > 1)
    yield { reason: lineNotConverted('limit-in-limit', at), isKnown: false };
  if (source === '2.2' && within.some(({ section }) => section.name.startsWith('require')))
    yield { reason: lineNotConverted('require-in-container', at), isKnown: false };
}

/**
 * Returns the reason if a condition around a line makes its effect unknown. Null if it does not.
 */
function problemOfCondition(at: ConfigLine, readers: ReturnType<typeof readersOf>): NotConverted | null {
  const { name } = at.line;
  if (readers === 'after' && name === 'authmerging') return lineNotConverted('auth-merging-for-24', at);
  return readers === 'unknown' && (isAccessLine(at) || name === 'authtype')
    ? lineNotConverted('in-condition', at)
    : null;
}

/**
 * The text after Require in 2.4. If another module evaluates `Require group` in 2.2, 2.4 needs that
 * module's own word, unless httpd's own modules also evaluate groups.
 */
function inWordsOf24(text: string, { lines }: Scope, { source, hasGroupFiles, hasDbmGroups }: Survey): string {
  if (source !== '2.2' || hasGroupFiles || hasDbmGroups || !/^group\s/.test(text)) return text;
  const owners = lines.filter(({ line }) => GROUP_OWNERS.has(line.name));
  const word = owners.every(({ conditionals }) => conditionals.length === 0)
    ? groupWord(owners.map(({ line }) => line))
    : null;
  return word === null ? text : word + text.slice('group'.length);
}

function asksForLogin({ line }: ConfigLine): boolean {
  return line.name === 'authtype' && argumentsOf(line)[0]?.value.toLowerCase() !== 'none';
}

/** The lines of a section that 2.4 reads. Null if these are all of its lines. */
function linesFor24(scope: Scope, removedConditions: RemovedConditions): readonly ConfigLine[] | null {
  const { lines } = scope;
  if (lines.every((line) => readersOf(line, scope, removedConditions) === 'both')) return null;
  return lines.filter((line) => readersOf(line, scope, removedConditions) !== 'before');
}

function writtenIn(lines: readonly ConfigLine[]): Written {
  return { tree: readTree(lines), hasAuthType: lines.some(asksForLogin) };
}

/** Whether 2.4 reads a word after `Require host` as it is. The words are an expression there. */
function mayBeHost(word: string): boolean {
  return !word.startsWith('#') && !/[\s"'\\%$]/.test(word) && !/^env=/i.test(word);
}

/** The methods for which a line holds. */
function methodsOf({ within }: ConfigLine, { classes }: Survey): ReadonlySet<MethodClass> {
  let methods = new Set(classes);
  for (const { section: limit } of within) {
    if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
    const named = new Set(argumentsOf(limit.open).map((word) => methodOf(word.value) ?? ''));
    // In 2.2 only the innermost limit counts: each sets the mask again (ap_limit_section).
    methods = new Set(classes.filter((method) => named.has(method) === (limit.name === 'limit')));
  }
  return methods;
}

/**
 * Whether the names after a Require differ in 2.4 only by their backslashes, so that it is enough
 * to double each. The names after `user` and `group` are an expression in 2.4 (user_parse_config in
 * mod_authz_user.c, group_parse_config in mod_authz_groupfile.c; util_expr_scan.l).
 */
function isLiteralBut(text: string): boolean {
  return /^(user|group)\s/.test(text) && !isExpression(text.replaceAll('\\', ''));
}
