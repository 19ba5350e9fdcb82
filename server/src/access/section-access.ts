/**
 * Reads the access lines of one section: host rules, Satisfy and Require, each with its methods.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { argumentsOf } from '../syntax/line';
import { GROUP_DIRECTIVES } from './checkers';
import { thirdPartyGroupWord, groupWord } from './group-words';
import type { Order, Tree24, UserRequirement } from './model';
import { notConvertedBecauseOfLine, notConverted, type NotConverted, type ReasonCode } from './not-converted';
import { NO_REMOVED_CONDITIONS, versionsReading, type RemovedConditions } from './one-version';
import type { Operand } from './operand';
import { isAccessLine, isExpressionIn24, OLD_NAMES, readAccessLine, requirementModule, type AccessLine } from './read';
import { readTree } from './read24';
import { PROVIDERS, PROVIDERS_22 } from './require';
import { sharedLines } from './shared-text';
import { methodClassOf, type MethodClass, type Survey } from './survey';

export interface SectionAccess {
  readonly hostRules: {
    readonly order: ReadonlyMap<MethodClass, Order>;
    readonly allow: readonly WithMethods<Operand>[];
    readonly deny: readonly WithMethods<Operand>[];
  } | null;
  readonly satisfy: ReadonlyMap<MethodClass, 'all' | 'any'>;
  readonly userRequirements: readonly WithMethods<UserRequirement>[] | null;
  /** The Require lines as 2.4 reads them. */
  readonly tree24: Tree24 | null;
  readonly hasAuthType: boolean;
  /** Whether 2.4 reads an AuthType in the section. */
  readonly hasAuthType24: boolean;
  readonly hasGroupFile: boolean;
  /** Whether a line cancels the inherited group file in 2.2. */
  readonly cancelsGroupFile: boolean;
  /**
   * Whether the section has Order, Allow, Deny or Satisfy lines that 2.4 reads before the
   * conversion (with mod_access_compat).
   */
  readonly hasOldLines: boolean;
  /** Whether the section has lines that only 2.4 has, although the configuration is for 2.2. */
  readonly hasLinesOf24: boolean;
  /** Why the section is not converted; null if it can be. */
  readonly reason: NotConverted | null;
  /** Words after `from` that look like mistakes. Empty if there is also another reason. */
  readonly suspectOperands: readonly PlacedOperand[];
  /** Words after `from` that look like mistakes and that the user has explained. */
  readonly explainedOperands: readonly PlacedOperand[];
  /** Whether the program knows what the section decides, if it is not converted. */
  readonly isDecisionKnown: boolean;
  /**
   * What 2.4 reads in the section before the conversion. Null if both versions read the same lines.
   */
  readonly unconverted24: LinesFor24 | null;
}

/** The lines that 2.4 reads in a section before its conversion. */
export interface LinesFor24 {
  readonly tree: Tree24 | null;
  readonly hasAuthType: boolean;
}

/**
 * A value from a line, such as an operand of Allow, with the methods for which the line applies.
 */
export interface WithMethods<T> {
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

/** The access of a section without access lines. */
export const NO_ACCESS: SectionAccess = {
  hostRules: null,
  satisfy: new Map(),
  userRequirements: null,
  tree24: null,
  hasAuthType: false,
  hasAuthType24: false,
  hasGroupFile: false,
  hasOldLines: false,
  cancelsGroupFile: false,
  hasLinesOf24: false,
  reason: null,
  isDecisionKnown: true,
  unconverted24: null,
  suspectOperands: [],
  explainedOperands: [],
};

/** Whether the section needs its own Require tree in 2.4. */
export function needsOwnTree(own: SectionAccess): boolean {
  return (
    own.hostRules !== null ||
    own.satisfy.size > 0 ||
    own.userRequirements !== null ||
    own.hasAuthType ||
    own.cancelsGroupFile ||
    own.unconverted24 !== null
  );
}

/** Words after Require that only 2.4 knows. */
export const ONLY_IN_24: ReadonlySet<string> = new Set(
  [...PROVIDERS.keys(), 'not'].filter((name) => !PROVIDERS_22.has(name)),
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
  const found = new AccessCollector();
  const names = new Set<string>();
  let hasAuthType = false;
  const now = survey.source === '2.2' ? linesFor24(scope, removedConditions) : null;
  const outside = now?.find(({ line }) => OLD_NAMES.has(line.name));
  const isShared = sharedLines(scope) !== null;
  if (outside) found.setReason(notConvertedBecauseOfLine('old-lines-for-both', outside));
  for (const at of scope.lines) {
    const readers = versionsReading(at, scope, removedConditions);
    const problem = reasonOfCondition(at, readers);
    if (problem !== null) found.setReason(problem);
    if (readers === 'after') continue;
    hasAuthType ||= asksForLogin(at);
    names.add(at.line.name);
    for (const { reason, isKnown } of reasonsAroundLine(at, scope, { survey, isShared }))
      found.setReason(reason, isKnown);
    const line = readAccessLine(at.line);
    if (line !== null) addLine(found, line, at, { scope, survey, meaningOf });
  }
  const hasGroupFile = names.has('authgroupfile');
  // These modules do not merge their settings, so the line cancels the inherited file
  // (create_authz_groupfile_dir_config without a merger in mod_authz_groupfile.c of 2.2).
  const cancelsGroupFile =
    names.has('authzgroupfileauthoritative') && !hasGroupFile && survey.hasGroupFiles && survey.source === '2.2';
  if (cancelsGroupFile) found.setReason(notConverted('group-file-cancelled', null));
  const { order, allow, deny, suspectOperands, reason } = found;
  const areMistakes =
    reason?.code === 'matches-no-client' && suspectOperands.every(({ word }) => isPlainHostName(word));
  return {
    satisfy: found.satisfy,
    hasAuthType,
    hasAuthType24: now === null ? hasAuthType : now.some(asksForLogin),
    hasGroupFile,
    hasOldLines: scope.lines.some(
      (at) => OLD_NAMES.has(at.line.name) && versionsReading(at, scope, removedConditions) !== 'before',
    ),
    reason,
    explainedOperands: found.explainedOperands,
    isDecisionKnown: found.isDecisionKnown,
    suspectOperands: areMistakes ? suspectOperands : [],
    unconverted24: now === null ? null : accessFor24(now),
    cancelsGroupFile,
    hasLinesOf24: found.hasLinesOf24 && survey.source === '2.2',
    hostRules: found.hasHostRules ? { order, allow, deny } : null,
    userRequirements: found.userRequirements.length > 0 ? found.userRequirements : null,
    tree24: survey.source === '2.4' ? readTree(scope.lines) : null,
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
    hasOldLines: hasOld,
    reason: hasOld ? notConverted('old-lines-for-24', null) : null,
    isDecisionKnown: isKnown,
    hasAuthType24: lines.some(asksForLogin),
    unconverted24: accessFor24(lines),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Collects the access lines of a section while they are read one by one. */
class AccessCollector {
  readonly order = new Map<MethodClass, Order>();
  readonly satisfy = new Map<MethodClass, 'all' | 'any'>();
  readonly allow: WithMethods<Operand>[] = [];
  readonly deny: WithMethods<Operand>[] = [];
  readonly userRequirements: WithMethods<UserRequirement>[] = [];
  readonly suspectOperands: PlacedOperand[] = [];
  readonly explainedOperands: PlacedOperand[] = [];
  hasHostRules = false;
  hasLinesOf24 = false;
  isDecisionKnown = true;
  reason: NotConverted | null = null;

  /**
   * Sets the reason not to convert the section. Only the first one counts. `isKnown`: whether it is
   * still known what the section decides.
   */
  setReason(reason: NotConverted, isDecisionKnown = false): void {
    this.reason ??= reason;
    this.isDecisionKnown &&= isDecisionKnown;
    this.hasLinesOf24 ||= SHOWN_FOR_24.has(reason.code);
  }
}

/** Reasons that are shown although they are about lines of 2.4. */
const SHOWN_FOR_24: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['auth-merging', 'require-in-container']);

interface AccessReadingInput {
  readonly scope: Scope;
  readonly survey: Survey;
  readonly meaningOf: OperandMeaning;
}

function addLine(found: AccessCollector, line: AccessLine, at: ConfigLine, reading: AccessReadingInput): void {
  const methods = methodsOf(at, reading.survey);
  switch (line.name) {
    case 'order': {
      const { order } = line;
      found.hasHostRules = true;
      if (order === null) found.setReason(notConvertedBecauseOfLine('broken-order', at));
      else for (const method of methods) found.order.set(method, order);
      return;
    }
    case 'allow':
    case 'deny':
      found.hasHostRules = true;
      return addHostLine(found, line, at, methods, reading.meaningOf);
    case 'satisfy': {
      const { satisfy } = line;
      if (satisfy === null) found.setReason(notConvertedBecauseOfLine('broken-satisfy', at));
      else for (const method of methods) found.satisfy.set(method, satisfy);
      return;
    }
    case 'require':
      return addRequireLine(found, line.text, at, methods, reading);
  }
}

function addHostLine(
  found: AccessCollector,
  { name, operands, isBroken }: Extract<AccessLine, { readonly name: 'allow' | 'deny' }>,
  at: ConfigLine,
  methods: ReadonlySet<MethodClass>,
  meaningOf: OperandMeaning,
): void {
  if (isBroken) found.setReason(notConvertedBecauseOfLine('broken-host-line', at));
  const never: PlacedOperand[] = [];
  const values = operands.map((operand): Operand => {
    if (operand.kind !== 'never') return operand;
    const word = operand.text;
    const meaning = isPlainHostName(word) ? meaningOf(word) : null;
    (meaning === null ? never : found.explainedOperands).push({ word, at });
    return meaning === 'is-a-host' ? { kind: 'host', name: word } : operand;
  });
  // `#` begins no comment here: 2.2 reads the words as host names, and 2.4 refuses the line.
  if (operands.some((operand) => operand.kind === 'never' && operand.text.startsWith('#')))
    found.setReason(notConvertedBecauseOfLine('comment-in-line', at), true);
  if (never.length > 0) found.setReason(notConvertedBecauseOfLine('matches-no-client', at, never[0]!.word), true);
  found.suspectOperands.push(...never);
  for (const value of values) found[name].push({ value, methods });
}

function addRequireLine(
  found: AccessCollector,
  old: string,
  at: ConfigLine,
  methods: ReadonlySet<MethodClass>,
  { scope, survey }: AccessReadingInput,
): void {
  const text = requireTextOf24(old, scope, survey);
  const isOfHttpd = requirementModule(old) !== null;
  const isEscaped = survey.source === '2.2' && text.includes('\\') && isOfHttpd && isLiteralExceptBackslashes(text);
  found.userRequirements.push({ value: { text: isEscaped ? text.replaceAll('\\', '\\\\') : text }, methods });
  if (survey.source === '2.4' || isEscaped) return;
  if (requirementModule(text) === 'groups' && survey.hasDbmGroups)
    found.setReason(notConvertedBecauseOfLine('perhaps-dbm-groups', at));
  if (isExpressionIn24(text))
    found.setReason(
      notConvertedBecauseOfLine(/%\{/.test(text) ? 'require-expression' : 'require-special-characters', at),
    );
  const word = argumentsOf(at.line)[0]?.value.toLowerCase() ?? '';
  if (ONLY_IN_24.has(word) || thirdPartyGroupWord(old) !== null) found.hasLinesOf24 = true;
  // 2.2 reads the names after an empty word, 2.4 does not (user_check_authorization).
  if (/^(user|group)\s.*(""|'')(\s|$)/i.test(text))
    found.setReason(notConvertedBecauseOfLine('require-empty-word', at));
  if (isOfHttpd) return;
  const isOf24 = ONLY_IN_24.has(word);
  const isOfOther = /^[a-z][\w.-]*\s/i.test(`${old} `) && !isOf24 && !found.hasLinesOf24;
  // No user of 2.2 fulfils a word that only 2.4 knows. `treeOf` does not translate such a line.
  found.setReason(notConvertedBecauseOfLine(isOfOther ? 'require-of-no-module' : 'require-of-24', at), isOf24);
}

/**
 * Reasons that come from what is around a line: conditions, other files, macros. `isKnown`: whether
 * it is still known what the section decides. `isShared`: whether one text is shared by several
 * sections (`sharedLines`).
 */
function* reasonsAroundLine(
  at: ConfigLine,
  scope: Scope,
  { survey: { source }, isShared }: { readonly survey: Survey; readonly isShared: boolean },
): Iterable<{ readonly reason: NotConverted; readonly isKnown: boolean }> {
  const { line, enclosingSections, macro, file } = at;
  const isAccess = isAccessLine(at);
  if (macro !== undefined && !isShared && (isAccess || line.name === 'authtype'))
    yield { reason: notConvertedBecauseOfLine('from-macro', at, macro), isKnown: true };
  if (line.name === 'authmerging') yield { reason: notConvertedBecauseOfLine('auth-merging', at), isKnown: false };
  if (!isAccess) return;
  if (argumentsOf(line).some(({ value }) => value.includes('${')))
    yield { reason: notConvertedBecauseOfLine('variable', at), isKnown: false };
  // A condition around the whole content of a file belongs to its scope.
  if (at.conditionals.length > 0 && at.activity !== 'active')
    yield { reason: notConvertedBecauseOfLine('in-condition', at), isKnown: false };
  if (file !== scope.file && scope.section !== null && !isShared)
    yield {
      reason: notConvertedBecauseOfLine(file.readings > 1 ? 'included-again' : 'included', at),
      isKnown: true,
    };
  if (enclosingSections.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept').length > 1)
    yield { reason: notConvertedBecauseOfLine('limit-in-limit', at), isKnown: false };
  if (source === '2.2' && enclosingSections.some(({ section }) => section.name.startsWith('require')))
    yield { reason: notConvertedBecauseOfLine('require-in-container', at), isKnown: false };
}

/**
 * Returns the reason if a condition around a line makes its effect unknown. Null if it does not.
 */
function reasonOfCondition(at: ConfigLine, readers: ReturnType<typeof versionsReading>): NotConverted | null {
  const { name } = at.line;
  if (readers === 'after' && name === 'authmerging') return notConvertedBecauseOfLine('auth-merging-for-24', at);
  return readers === 'unknown' && (isAccessLine(at) || name === 'authtype')
    ? notConvertedBecauseOfLine('in-condition', at)
    : null;
}

/**
 * The text after Require in 2.4. If another module evaluates `Require group` in 2.2, 2.4 needs that
 * module's own word, unless httpd's own modules also evaluate groups.
 */
function requireTextOf24(text: string, { lines }: Scope, { source, hasGroupFiles, hasDbmGroups }: Survey): string {
  if (source !== '2.2' || hasGroupFiles || hasDbmGroups || !/^group\s/.test(text)) return text;
  const owners = lines.filter(({ line }) => GROUP_DIRECTIVES.has(line.name));
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
  if (lines.every((line) => versionsReading(line, scope, removedConditions) === 'both')) return null;
  return lines.filter((line) => versionsReading(line, scope, removedConditions) !== 'before');
}

function accessFor24(lines: readonly ConfigLine[]): LinesFor24 {
  return { tree: readTree(lines), hasAuthType: lines.some(asksForLogin) };
}

/** Whether 2.4 reads a word after `Require host` as it is. The words are an expression there. */
function isPlainHostName(word: string): boolean {
  return word !== '' && !word.startsWith('#') && !/[\s"'\\%$]/.test(word) && !/^env=/i.test(word);
}

/** The methods to which a line applies. */
function methodsOf({ enclosingSections }: ConfigLine, { methodClasses }: Survey): ReadonlySet<MethodClass> {
  let methods = new Set(methodClasses);
  for (const { section: limit } of enclosingSections) {
    if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
    const named = new Set(argumentsOf(limit.open).map((word) => methodClassOf(word.value) ?? ''));
    // In 2.2 only the innermost limit counts: each sets the mask again (ap_limit_section).
    methods = new Set(methodClasses.filter((method) => named.has(method) === (limit.name === 'limit')));
  }
  return methods;
}

/**
 * Whether the names after a Require differ in 2.4 only by their backslashes, so that it is enough
 * to double each. The names after `user` and `group` are an expression in 2.4 (user_parse_config in
 * mod_authz_user.c, group_parse_config in mod_authz_groupfile.c; util_expr_scan.l).
 */
function isLiteralExceptBackslashes(text: string): boolean {
  return /^(user|group)\s/.test(text) && !isExpressionIn24(text.replaceAll('\\', ''));
}
