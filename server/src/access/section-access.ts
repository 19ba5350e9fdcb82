/**
 * Reads the access lines of one section: host rules, Satisfy and Require, each with the methods to
 * which it applies.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { argumentsOf } from '../syntax/line';
import { GROUP_DIRECTIVES } from './checkers';
import { thirdPartyGroupWord, groupWord } from './group-words';
import type { Order, Tree24, UserRequirement } from './model';
import { notConvertedBecauseOfLine, notConverted, type NotConverted, type ReasonCode } from './not-converted';
import { NO_REMOVED_CONDITIONS, versionsReading, type RemovedConditions } from './one-version';
import { isWordNone, type Operand } from './operand';
import {
  isAccessLine,
  isExpressionIn24,
  OLD_ACCESS_NAMES,
  readAccessLine,
  requirementModule,
  type AccessLine,
} from './read';
import { readTree } from './read24';
import { correctedOperands, MODULE_BY_PROVIDER, PROVIDERS_22 } from './require';
import { mixedIncludes } from './mixed-includes';
import { sharedLines } from './shared-text';
import { methodClassOf, type MethodClass, type Survey } from './survey';

/** The Order, Allow and Deny lines of a section. */
export interface SectionHostRules {
  readonly orderByMethod: ReadonlyMap<MethodClass, Order>;
  readonly allow: readonly ValueWithMethods<Operand>[];
  readonly deny: readonly ValueWithMethods<Operand>[];
}

/** The access lines of one section, as the version reads them that runs before the conversion. */
export interface SectionAccess {
  /** Null if the section has no Order, Allow and Deny lines. */
  readonly hostRules: SectionHostRules | null;
  readonly satisfyByMethod: ReadonlyMap<MethodClass, 'all' | 'any'>;
  /** Null if the section has no Require lines. */
  readonly userRequirements: readonly ValueWithMethods<UserRequirement>[] | null;
  /**
   * The tree of the Require lines, if the server already runs 2.4. Null if there are no Require
   * lines, or if the server runs 2.2.
   */
  readonly tree24: Tree24 | null;
  readonly hasAuthType: boolean;
  /** Whether 2.4 reads an AuthType in the section. */
  readonly hasAuthType24: boolean;
  readonly hasGroupFile: boolean;
  /** Whether the section cancels the inherited AuthGroupFile in 2.2, and has none of its own. */
  readonly cancelsGroupFile: boolean;
  /**
   * Whether the section has Order, Allow, Deny or Satisfy lines that 2.4 reads with
   * mod_access_compat before the conversion.
   */
  readonly hasOldLines: boolean;
  /** Whether the section already has lines of 2.4, although the configuration is for 2.2. */
  readonly hasLinesOf24: boolean;
  /** Why the section cannot be converted. Null if its own lines do not prevent that. */
  readonly reason: NotConverted | null;
  /**
   * Words after `from` that look like mistakes and are the only reason not to convert the section.
   * Otherwise empty.
   */
  readonly suspectOperands: readonly PlacedOperand[];
  /** Words after `from` that look like mistakes, but whose meaning the user answered. */
  readonly explainedOperands: readonly PlacedOperand[];
  /** Whether the program knows what the old lines of the section decide. */
  readonly isDecisionKnown: boolean;
  /**
   * What 2.4 reads in the section before the conversion, if it reads other lines than 2.2. Null if
   * both versions read the same lines.
   */
  readonly unconverted24: LinesFor24 | null;
}

/** The lines that 2.4 reads in a section before its conversion. */
export interface LinesFor24 {
  readonly tree: Tree24 | null;
  /** The value of AuthMerging. Null without such a line, or if it has another value. */
  readonly authMerging: 'And' | 'Or' | null;
  readonly hasAuthType: boolean;
  /** The host rules that mod_access_compat reads. Null without Order, Allow and Deny lines. */
  readonly hostRules: SectionHostRules | null;
  readonly satisfyByMethod: ReadonlyMap<MethodClass, 'all' | 'any'>;
  /** The Order, Allow, Deny and Satisfy lines. The conversion removes them. */
  readonly oldLines: readonly ConfigLine[];
}

/** A value from a line, such as an operand of Allow, with the methods to which the line applies. */
export interface ValueWithMethods<T> {
  readonly value: T;
  readonly methods: ReadonlySet<MethodClass>;
}

/** A word after `from`, with its line. */
export interface PlacedOperand {
  readonly word: string;
  readonly configLine: ConfigLine;
}

/**
 * Returns the user's answer about a word after `from` that looks like a mistake: it never matches,
 * or it is the name of a host. Null if the user did not answer.
 */
export type OperandMeaning = (word: string) => 'never-matches' | 'is-a-host' | null;

/** The access of a section without access lines. */
export const NO_ACCESS: SectionAccess = {
  hostRules: null,
  satisfyByMethod: new Map(),
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

/** Whether the section needs a Require tree of its own in 2.4. */
export function needsOwnTree(ownAccess: SectionAccess): boolean {
  return (
    ownAccess.hostRules !== null ||
    ownAccess.satisfyByMethod.size > 0 ||
    ownAccess.userRequirements !== null ||
    ownAccess.hasAuthType ||
    ownAccess.cancelsGroupFile ||
    ownAccess.unconverted24 !== null
  );
}

/** Words after Require that only 2.4 knows. */
export const REQUIRE_WORDS_OF_24: ReadonlySet<string> = new Set(
  [...MODULE_BY_PROVIDER.keys(), 'not'].filter((name) => !PROVIDERS_22.has(name)),
);

/**
 * Reads the access lines of a scope, as the version does that runs before the conversion
 * (`survey.source`). Lines in `removedConditions` count as lines of both versions.
 */
export function readSectionAccess(
  scope: Scope,
  survey: Survey,
  meaningOf: OperandMeaning = () => null,
  removedConditions: RemovedConditions = NO_REMOVED_CONDITIONS,
): SectionAccess {
  const collector = new AccessCollector();
  const directiveNames = new Set<string>();
  let hasAuthType = false;
  const linesRead24 = survey.source === '2.2' ? linesReadBy24(scope, removedConditions) : null;
  const linesFor24 = linesRead24 === null ? null : accessFor24(linesRead24, { scope, survey, meaningOf });
  const canReplaceIncluded = canReplaceIncludedLines(scope, survey);
  const oldLineToMove = linesFor24 && oldLineNotRemovable(linesFor24, scope);
  if (oldLineToMove)
    collector.setReason(notConvertedBecauseOfLine('old-lines-for-both', oldLineToMove, placeOfOldLine(oldLineToMove)));
  for (const configLine of scope.lines) {
    const readingVersions = versionsReading(configLine, scope, removedConditions);
    const problem = reasonOfCondition(configLine, readingVersions);
    if (problem !== null) collector.setReason(problem);
    if (readingVersions === 'after') continue;
    hasAuthType ||= asksForLogin(configLine);
    directiveNames.add(configLine.line.name);
    for (const { reason, isDecisionKnown } of reasonsAroundLine(configLine, scope, { survey, canReplaceIncluded }))
      collector.setReason(reason, isDecisionKnown);
    const accessLine = readAccessLine(configLine.line);
    if (accessLine !== null) addLine(collector, accessLine, configLine, { scope, survey, meaningOf });
  }
  const cancelsGroupFile = cancelsInheritedGroupFile(directiveNames, survey);
  // If the lines for 2.2 have host rules, the program cannot prove that lines for 2.4 with an
  // AuthMerging decide in the same way.
  const mergingLine = linesRead24?.find(({ line }) => line.name === 'authmerging');
  if (mergingLine && (collector.hasHostRules || authMergingOf(linesRead24!) === null))
    collector.setReason(notConvertedBecauseOfLine('auth-merging-for-24', mergingLine));
  if (cancelsGroupFile) collector.setReason(notConverted('group-file-cancelled', null));
  const { orderByMethod, allow, deny, suspectOperands, reason } = collector;
  const areMistakes =
    reason?.code === 'matches-no-client' && suspectOperands.every(({ word }) => isPlainHostName(word));
  return {
    satisfyByMethod: collector.satisfyByMethod,
    hasAuthType,
    hasAuthType24: linesRead24 === null ? hasAuthType : linesRead24.some(asksForLogin),
    hasGroupFile: directiveNames.has('authgroupfile'),
    hasOldLines: scope.lines.some(
      (configLine) =>
        OLD_ACCESS_NAMES.has(configLine.line.name) &&
        versionsReading(configLine, scope, removedConditions) !== 'before',
    ),
    reason,
    explainedOperands: collector.explainedOperands,
    isDecisionKnown: collector.isDecisionKnown,
    suspectOperands: areMistakes ? suspectOperands : [],
    unconverted24: linesFor24,
    cancelsGroupFile,
    hasLinesOf24: collector.hasLinesOf24 && survey.source === '2.2',
    hostRules: collector.hasHostRules ? { orderByMethod, allow, deny } : null,
    userRequirements: collector.userRequirements.length > 0 ? collector.userRequirements : null,
    tree24: survey.source === '2.4' ? readTree(scope.lines) : null,
  };
}

/**
 * Whether an AuthzGroupFileAuthoritative line cancels the inherited AuthGroupFile in 2.2, and the
 * section has none of its own. Then no groups exist in it (create_authz_groupfile_dir_config
 * without a merger in mod_authz_groupfile.c).
 */
function cancelsInheritedGroupFile(directiveNames: ReadonlySet<string>, { hasGroupFiles, source }: Survey): boolean {
  return (
    directiveNames.has('authzgroupfileauthoritative') &&
    !directiveNames.has('authgroupfile') &&
    hasGroupFiles &&
    source === '2.2'
  );
}

/** Reads a section that only 2.4 reads. mod_access_compat evaluates its old lines. */
export function readAccessOf24({ lines }: Scope): SectionAccess {
  const hasOldLines = lines.some(({ line }) => OLD_ACCESS_NAMES.has(line.name));
  const isDecisionKnown =
    !hasOldLines &&
    lines.every(({ line, activityByVersion, macro, conditionals }) => {
      if (line.name === 'authmerging') return false;
      if (line.name !== 'require') return true;
      return (
        activityByVersion === lines[0]!.activityByVersion &&
        macro === undefined &&
        conditionals.length === 0 &&
        !line.text.includes('${')
      );
    });
  return {
    ...NO_ACCESS,
    hasOldLines,
    reason: hasOldLines ? notConverted('old-lines-for-24', null) : null,
    isDecisionKnown,
    hasAuthType24: lines.some(asksForLogin),
    unconverted24: { ...accessFor24WithoutOldLines(lines), hostRules: null, satisfyByMethod: NO_SATISFY, oldLines: [] },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Collects the access lines of a section while they are read one by one. */
class AccessCollector {
  readonly orderByMethod = new Map<MethodClass, Order>();
  readonly satisfyByMethod = new Map<MethodClass, 'all' | 'any'>();
  readonly allow: ValueWithMethods<Operand>[] = [];
  readonly deny: ValueWithMethods<Operand>[] = [];
  readonly userRequirements: ValueWithMethods<UserRequirement>[] = [];
  readonly suspectOperands: PlacedOperand[] = [];
  readonly explainedOperands: PlacedOperand[] = [];
  hasHostRules = false;
  hasLinesOf24 = false;
  isDecisionKnown = true;
  reason: NotConverted | null = null;

  /**
   * Sets the reason not to convert the section. Only the first reason counts. `isDecisionKnown`:
   * whether the program still knows what the section decides.
   */
  setReason(reason: NotConverted, isDecisionKnown = false): void {
    this.reason ??= reason;
    this.isDecisionKnown &&= isDecisionKnown;
    this.hasLinesOf24 ||= REASONS_OF_LINES_OF_24.has(reason.code);
  }
}

/** Reasons that are about lines of 2.4, so the section already has such lines. */
const REASONS_OF_LINES_OF_24: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['auth-merging', 'require-in-container']);

/** The section whose lines are read, and what the reading depends on. */
interface AccessReadingInput {
  readonly scope: Scope;
  readonly survey: Survey;
  readonly meaningOf: OperandMeaning;
}

/** Adds an access line to the collector, or the reason why it cannot be converted. */
function addLine(
  collector: AccessCollector,
  line: AccessLine,
  configLine: ConfigLine,
  input: AccessReadingInput,
): void {
  const methods = methodsOf(configLine, input.survey);
  switch (line.name) {
    case 'order': {
      const { order } = line;
      collector.hasHostRules = true;
      if (order === null) collector.setReason(notConvertedBecauseOfLine('broken-order', configLine));
      else for (const method of methods) collector.orderByMethod.set(method, order);
      return;
    }
    case 'allow':
    case 'deny':
      collector.hasHostRules = true;
      return addHostLine(collector, line, configLine, methods, input.meaningOf);
    case 'satisfy': {
      const { satisfy } = line;
      if (satisfy === null) collector.setReason(notConvertedBecauseOfLine('broken-satisfy', configLine));
      else for (const method of methods) collector.satisfyByMethod.set(method, satisfy);
      return;
    }
    case 'require':
      return addRequireLine(collector, line.text, configLine, methods, input);
  }
}

/**
 * Variables that modules set when they check a login: mod_authnz_ldap and mod_authn_dbd, and
 * mod_auth_mellon, mod_auth_openidc, mod_auth_cas and mod_auth_kerb. 2.2 evaluates Allow and Deny
 * before (ap_process_request_internal). 2.4 evaluates `Require env` again after a login
 * (authorize_user in mod_authz_core.c).
 */
const VARIABLES_OF_LOGINS = /^(AUTHENTICATE_|MELLON_|OIDC_|CAS_|KRB5)/i;

/**
 * Adds an Allow or Deny line to the collector. Sets the reason if it has a mistake, or a word whose
 * meaning is unknown.
 */
function addHostLine(
  collector: AccessCollector,
  { name, operands, isBroken }: Extract<AccessLine, { readonly name: 'allow' | 'deny' }>,
  configLine: ConfigLine,
  methods: ReadonlySet<MethodClass>,
  meaningOf: OperandMeaning,
): void {
  if (isBroken) collector.setReason(notConvertedBecauseOfLine('broken-host-line', configLine));
  const operandsWithoutAnswer: PlacedOperand[] = [];
  const meantOperands = operands.map((operand): Operand => {
    if (operand.kind !== 'never') return operand;
    const word = operand.text;
    const meaning = isPlainHostName(word) ? meaningOf(word) : null;
    // `none` is a possible host name, so without an answer it stays one, as in 2.2.
    if (meaning === null && isWordNone(operand)) return { kind: 'host', name: word };
    (meaning === null ? operandsWithoutAnswer : collector.explainedOperands).push({ word, configLine });
    return meaning === 'is-a-host' ? { kind: 'host', name: word } : operand;
  });
  if (operands.some((operand) => operand.kind === 'env' && VARIABLES_OF_LOGINS.test(operand.name)))
    collector.setReason(notConvertedBecauseOfLine('variable-of-login', configLine));
  // httpd reads `#` here as part of a word. 2.2 reads the words of the comment as host names, and
  // 2.4 refuses the line.
  if (operands.some((operand) => operand.kind === 'never' && operand.text.startsWith('#')))
    collector.setReason(notConvertedBecauseOfLine('comment-in-line', configLine), true);
  if (operandsWithoutAnswer.length > 0) {
    const { word } = operandsWithoutAnswer[0]!;
    const meant = correctedOperands(word)?.join(' ') ?? null;
    collector.setReason(
      notConvertedBecauseOfLine('matches-no-client', configLine, word, meant, operands.length === 1),
      true,
    );
  }
  collector.suspectOperands.push(...operandsWithoutAnswer);
  for (const value of meantOperands) collector[name].push({ value, methods });
}

/**
 * Adds a Require line to the collector, with the text that it needs in 2.4. `textOf22`: its text in
 * 2.2. Sets the reason if the line cannot be converted.
 */
function addRequireLine(
  collector: AccessCollector,
  textOf22: string,
  configLine: ConfigLine,
  methods: ReadonlySet<MethodClass>,
  { scope, survey }: AccessReadingInput,
): void {
  const textFor24 = requireTextOf24(textOf22, scope, survey);
  const isProviderOfHttpd = requirementModule(textOf22) !== null;
  const isEscaped =
    survey.source === '2.2' && textFor24.includes('\\') && isProviderOfHttpd && isLiteralExceptBackslashes(textFor24);
  collector.userRequirements.push({
    value: { text: isEscaped ? textFor24.replaceAll('\\', '\\\\') : textFor24 },
    methods,
  });
  if (survey.source === '2.4' || isEscaped) return;
  if (requirementModule(textFor24) === 'groups' && survey.hasDbmGroups)
    collector.setReason(notConvertedBecauseOfLine('perhaps-dbm-groups', configLine));
  if (isExpressionIn24(textFor24))
    collector.setReason(
      notConvertedBecauseOfLine(
        /%\{/.test(textFor24) ? 'require-expression' : 'require-special-characters',
        configLine,
      ),
    );
  const firstWord = argumentsOf(configLine.line)[0]?.value.toLowerCase() ?? '';
  if (REQUIRE_WORDS_OF_24.has(firstWord) || thirdPartyGroupWord(textOf22) !== null) collector.hasLinesOf24 = true;
  // 2.2 reads the names after an empty word, 2.4 does not (user_check_authorization).
  if (/^(user|group)\s.*(""|'')(\s|$)/i.test(textFor24))
    collector.setReason(notConvertedBecauseOfLine('require-empty-word', configLine));
  if (isProviderOfHttpd) return;
  const isWordOf24 = REQUIRE_WORDS_OF_24.has(firstWord);
  const isOfOtherModule = /^[a-z][\w.-]*\s/i.test(`${textOf22} `) && !isWordOf24 && !collector.hasLinesOf24;
  // In 2.2, no user fulfils a word that only 2.4 knows, so the decision is known. `treeOf` does not
  // translate such a line.
  collector.setReason(
    notConvertedBecauseOfLine(isOfOtherModule ? 'require-of-no-module' : 'require-of-24', configLine),
    isWordOf24,
  );
}

/**
 * Reasons not to convert that come from what is around a line: conditions, other files, macros.
 * `isDecisionKnown`: whether the program still knows what the section decides.
 * `canReplaceIncluded`: whether new lines can replace the lines that the section reads from other
 * files or macros.
 */
function* reasonsAroundLine(
  configLine: ConfigLine,
  scope: Scope,
  { survey: { source }, canReplaceIncluded }: { readonly survey: Survey; readonly canReplaceIncluded: boolean },
): Iterable<{ readonly reason: NotConverted; readonly isDecisionKnown: boolean }> {
  const { line, enclosingSections, macro, file } = configLine;
  const isAccess = isAccessLine(configLine);
  if (macro !== undefined && !canReplaceIncluded && (isAccess || line.name === 'authtype'))
    yield { reason: notConvertedBecauseOfLine('from-macro', configLine, macro), isDecisionKnown: true };
  if (line.name === 'authmerging')
    yield { reason: notConvertedBecauseOfLine('auth-merging', configLine), isDecisionKnown: false };
  if (!isAccess) return;
  if (argumentsOf(line).some(({ value }) => value.includes('${')))
    yield { reason: notConvertedBecauseOfLine('variable', configLine), isDecisionKnown: false };
  // `conditionals` has only conditions inside of the section. A condition around the whole section
  // does not count as a condition of the line.
  if (configLine.conditionals.length > 0 && configLine.activity !== 'active')
    yield {
      reason: notConvertedBecauseOfLine('in-condition', configLine, conditionTag(configLine)),
      isDecisionKnown: false,
    };
  if (file !== scope.file && scope.section !== null && !canReplaceIncluded)
    yield {
      reason: notConvertedBecauseOfLine(file.readingCount > 1 ? 'included-again' : 'included', configLine),
      isDecisionKnown: true,
    };
  if (enclosingSections.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept').length > 1)
    yield { reason: notConvertedBecauseOfLine('limit-in-limit', configLine), isDecisionKnown: false };
  if (source === '2.2' && enclosingSections.some(({ section }) => section.name.startsWith('require')))
    yield { reason: notConvertedBecauseOfLine('require-in-container', configLine), isDecisionKnown: false };
}

/** Whether new lines can replace the access lines that a section reads from files or macros. */
function canReplaceIncludedLines(scope: Scope, { source }: Survey): boolean {
  return sharedLines(scope) !== null || (source === '2.2' && mixedIncludes(scope) !== null);
}

/** Returns the reason if a condition around a line makes its effect unknown. Otherwise null. */
function reasonOfCondition(
  configLine: ConfigLine,
  readingVersions: ReturnType<typeof versionsReading>,
): NotConverted | null {
  const { name } = configLine.line;
  return readingVersions === 'unknown' && (isAccessLine(configLine) || name === 'authtype')
    ? notConvertedBecauseOfLine('in-condition', configLine, conditionTag(configLine))
    : null;
}

/** The tag of the innermost conditional section around a line, in one row. Null without one. */
function conditionTag({ conditionals }: ConfigLine): string | null {
  return conditionals.at(-1)?.open.text.trim().replace(/\s+/g, ' ') ?? null;
}

/**
 * The text after Require in 2.4. In 2.2, a third-party module may evaluate `Require group`. Then
 * 2.4 needs the word of that module, unless a module of httpd evaluates groups, too.
 */
function requireTextOf24(text: string, { lines }: Scope, { source, hasGroupFiles, hasDbmGroups }: Survey): string {
  if (source !== '2.2' || hasGroupFiles || hasDbmGroups || !/^group\s/.test(text)) return text;
  const groupLines = lines.filter(({ line }) => GROUP_DIRECTIVES.has(line.name));
  const wordForGroups = groupLines.every(({ conditionals }) => conditionals.length === 0)
    ? groupWord(groupLines.map(({ line }) => line))
    : null;
  return wordForGroups === null ? text : wordForGroups + text.slice('group'.length);
}

/** Whether a line is an AuthType other than `AuthType None`. */
function asksForLogin({ line }: ConfigLine): boolean {
  return line.name === 'authtype' && argumentsOf(line)[0]?.value.toLowerCase() !== 'none';
}

/** The lines of a section that 2.4 reads. Null if both versions read the same lines. */
function linesReadBy24(scope: Scope, removedConditions: RemovedConditions): readonly ConfigLine[] | null {
  const { lines } = scope;
  if (lines.every((line) => versionsReading(line, scope, removedConditions) === 'both')) return null;
  return lines.filter((line) => versionsReading(line, scope, removedConditions) !== 'before');
}

/** The access for 2.4 in these lines of a section: those that 2.4 reads before the conversion. */
function accessFor24(lines: readonly ConfigLine[], input: AccessReadingInput): LinesFor24 {
  const oldLines = lines.filter(({ line }) => OLD_ACCESS_NAMES.has(line.name));
  const collector = new AccessCollector();
  for (const configLine of oldLines) {
    const accessLine = readAccessLine(configLine.line);
    if (accessLine !== null) addLine(collector, accessLine, configLine, input);
  }
  const { orderByMethod, allow, deny, satisfyByMethod, hasHostRules } = collector;
  return {
    ...accessFor24WithoutOldLines(lines),
    hostRules: hasHostRules ? { orderByMethod, allow, deny } : null,
    satisfyByMethod,
    oldLines,
  };
}

function accessFor24WithoutOldLines(
  lines: readonly ConfigLine[],
): Pick<LinesFor24, 'tree' | 'authMerging' | 'hasAuthType'> {
  return { tree: readTree(lines), authMerging: authMergingOf(lines), hasAuthType: lines.some(asksForLogin) };
}

/**
 * An old line that 2.4 reads in addition to the lines for 2.4, and that cannot be removed. Null if
 * there is none. No old line can be removed if there are no `Require` lines for 2.4, because the
 * section would lose its access control.
 */
function oldLineNotRemovable({ oldLines, tree }: LinesFor24, scope: Scope): ConfigLine | null {
  const isRemovable = ({ file, macro, activityByVersion, conditionals, enclosingSections }: ConfigLine) =>
    tree !== null &&
    scope.activityByVersion === undefined &&
    activityByVersion === undefined &&
    macro === undefined &&
    file === scope.file &&
    conditionals.length === 0 &&
    enclosingSections.length === 0;
  return oldLines.find((each) => !isRemovable(each)) ?? null;
}

/** Where a line of 2.2 is that 2.4 reads beside lines for 2.4. */
function placeOfOldLine({ activityByVersion, enclosingSections }: ConfigLine): 'condition' | 'limit' | 'section' {
  if (activityByVersion !== undefined) return 'condition';
  return enclosingSections.length > 0 ? 'limit' : 'section';
}

const NO_SATISFY: ReadonlyMap<MethodClass, 'all' | 'any'> = new Map();

/** The value of the only AuthMerging line. Null without one, or if it is neither And nor Or. */
function authMergingOf(lines: readonly ConfigLine[]): LinesFor24['authMerging'] {
  const mergingLines = lines.filter(({ line }) => line.name === 'authmerging');
  const mergingValue =
    mergingLines.length === 1 ? argumentsOf(mergingLines[0]!.line)[0]?.value.toLowerCase() : undefined;
  return mergingValue === 'and' ? 'And' : mergingValue === 'or' ? 'Or' : null;
}

/**
 * Whether a word can be written after `Require host` without a change. 2.4 reads an expression
 * there, in which some characters have a special meaning.
 */
function isPlainHostName(word: string): boolean {
  return word !== '' && !word.startsWith('#') && !/[\s"'\\%$]/.test(word) && !/^env=/i.test(word);
}

/** The methods to which a line applies. */
function methodsOf({ enclosingSections }: ConfigLine, { methodClasses }: Survey): ReadonlySet<MethodClass> {
  let methods = new Set(methodClasses);
  for (const { section: limit } of enclosingSections) {
    if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
    const namedMethods = new Set(argumentsOf(limit.open).map((word) => methodClassOf(word.value) ?? ''));
    // In 2.2 only the innermost `<Limit>` has an effect, because each one sets the mask of methods
    // again (ap_limit_section).
    methods = new Set(methodClasses.filter((method) => namedMethods.has(method) === (limit.name === 'limit')));
  }
  return methods;
}

/**
 * Whether the names after a Require need only one change for 2.4: each backslash is doubled. 2.4
 * reads the names after `user` and `group` as an expression (user_parse_config in mod_authz_user.c,
 * group_parse_config in mod_authz_groupfile.c; util_expr_scan.l).
 */
function isLiteralExceptBackslashes(text: string): boolean {
  return /^(user|group)\s/.test(text) && !isExpressionIn24(text.replaceAll('\\', ''));
}
