/**
 * What sections say and what is in effect after some of them: host rules, Satisfy and Require, for each class of methods. In 2.2 the three are merged each
 * by itself (docs/access-control.md, "What 2.2 decides"): a section with any Order, Allow or Deny replaces the host rules whole, Satisfy goes by method, a section with any
 * Require replaces the list.
 */
import { METHODS_OF_BOTH } from '../validation/http-methods';
import type { Activity } from '../config/activity';
import type { ConfigFile, ConfigLine, Half, Names, Scope } from '../config/configuration';
import { groupWordOf, thirdPartyModules } from '../directives/third-party';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { cacheOf, numbering } from '../syntax/memory';
import type { Section } from '../syntax/tree';
import { CHECKERS, CHECKERS_OF_DIRECTORIES, GROUP_OWNERS } from './checkers';
import type { DoubtPlace } from './doubt';
import { foreignWord, groupWord } from './group-words';
import type { HostRules, Order, Section22, Source, Tree24, UserRequirement } from './model';
import { isReason, lineNotConverted, notConverted, type NotConverted } from './not-converted';
import { parseOperand, type Operand } from './operand';
import { proveCompat } from './prove';
import { provenTranslation } from './proof-cache';
import { isExpression, requirementModule, requirementText } from './read';
import { readTree, treeFor } from './read24';
import { PROVIDERS, REQUIREMENTS_22 } from './require';
import { simplified, translateCompat } from './translate';
import { addTo } from '../syntax/groups';

/** Methods named in some `<Limit>`, and all others as `*`. */
export type MethodClass = string;

/** What a scope says itself, for each class of methods. */
export interface Own {
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
  readonly hasGroupFile: boolean;
  /** Whether a line of 2.2 makes it forget the group file that it inherits. */
  readonly forgets: boolean;
  /** Whether lines of 2.2 stand in it that 2.4 would read. */
  readonly hasOld: boolean;
  /** Whether lines in it are 2.4's, although 2.2 is what is converted from. */
  readonly is24: boolean;
  readonly obstacle: NotConverted | null;
  /** Words behind `from` that look like a mistake, where they alone are the obstacle. */
  readonly mistakes: readonly PlacedOperand[];
  /** Words behind `from` of which a person said what they are. */
  readonly told: readonly PlacedOperand[];
  /** Whether more than the obstacle is known: which of the three parts it sets, and which requests it applies to. */
  readonly isPlain: boolean;
  /** What 2.4 reads in it, where lines stand there for one version alone, and for 2.4 no old ones; null where there are no such lines. */
  readonly written: Written | null;
}

/** What 2.4 reads in a section as it is. */
export interface Written {
  readonly tree: Tree24 | null;
  readonly hasAuthType: boolean;
}

export interface Limited<T> {
  readonly value: T;
  readonly methods: ReadonlySet<MethodClass>;
}

/** What is in effect after some sections. */
export interface State {
  readonly byMethod: ReadonlyMap<MethodClass, Section22>;
  /** As 2.4 has it; of use where that is the source. */
  readonly tree: Tree24 | null;
  readonly hasAuthType: boolean;
  readonly hasGroupFile: boolean;
  /** Whether some section before has stated a tree. */
  readonly isTouched: boolean;
}

/** A line by which a module that is not httpd's own takes part in access control. */
export interface ForeignOwner {
  /** The directive, its module and its place: `MellonEnable of mod_auth_mellon (/etc/httpd/conf/httpd.conf:12)`. */
  readonly named: string;
  /** What Require calls the groups of the module in 2.4; null where it has no such word, or none is known. */
  readonly groupWord: string | null;
  readonly place: DoubtPlace;
}

/** What of a whole configuration matters to reading one of its scopes. */
export interface Survey {
  readonly source: Source;
  readonly classes: readonly MethodClass[];
  /** Why nothing can be converted, if so. */
  readonly trouble: NotConverted | null;
  /** A directive by which another module looks at requests before anybody is asked for a login, as it is written; null where there is none. */
  readonly checker: ForeignOwner | null;
  /** The same for one by which another module knows groups. */
  readonly groupOwner: ForeignOwner | null;
  readonly hasDbmGroups: boolean;
  readonly hasGroupFiles: boolean;
  /** Whether every Authz...Authoritative is at its default. */
  readonly isMixedKnown: boolean;
  /** Source files of modules in the order they are loaded in. */
  readonly modules: readonly string[];
}

/** A word, and the line that it stands in. */
export interface PlacedOperand {
  readonly word: string;
  readonly at: ConfigLine;
}

/** What a person says of a word behind `from` that looks like a mistake; null where nobody said anything. */
export type OperandMeaning = (word: string) => 'never-matches' | 'is-a-host' | null;

/** More named methods than this make trees that nobody reads. */
const MAX_METHODS = 6;

export function surveyOf(scopes: readonly Scope[], modules: readonly string[], source: Source = '2.2'): Survey {
  const methods = new Set<MethodClass>();
  const names = new Set<string>();
  let trouble: NotConverted | null = null;
  let checker: ForeignOwner | null = null;
  let groupOwner: ForeignOwner | null = null;
  for (let i = 0; i < scopes.length; i++) {
    const scope = scopes[i]!;
    const isServer = scope.kind === 'server' || scope.kind === 'virtualhost';
    for (const { line, within, file, offset } of scope.lines) {
      names.add(line.name);
      if (CHECKERS.has(line.name) || (CHECKERS_OF_DIRECTORIES.has(line.name) && !isServer))
        checker ??= ownerOf(line, file, offset);
      if (GROUP_OWNERS.has(line.name)) groupOwner ??= ownerOf(line, file, offset);
      for (const { section: limit } of within) {
        if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
        for (const word of argumentsOf(limit.open)) {
          const method = methodOf(word.value);
          if (method === null) trouble ??= lineNotConverted('unknown-method', { file, offset }, word.value);
          else methods.add(method);
        }
      }
    }
  }
  if (methods.size > MAX_METHODS) trouble ??= notConverted('too-many-methods', null);
  return {
    source,
    trouble,
    modules,
    classes: [...[...methods].sort(), '*'],
    checker,
    groupOwner,
    hasDbmGroups: names.has('authdbmgroupfile'),
    hasGroupFiles: names.has('authgroupfile'),
    isMixedKnown: ![...names].some((name) => AUTHORITATIVE.test(name)),
  };
}

const AUTHORITATIVE = /^authz\w+authoritative$/;

function ownerOf(line: Line, file: ConfigFile, offset: number): ForeignOwner {
  const module = thirdPartyModules(line.name, false)[0];
  const of = module === undefined ? '' : ` of mod_${module.identifier.replace(/^mod_|_module$/g, '')}`;
  return {
    named: `${spelledName(line)}${of} (${file.path}:${file.tree.positionAt(offset).line + 1})`,
    groupWord: groupWordOf(line.name) ?? null,
    place: { path: file.path, offset },
  };
}

/** What a survey hangs on: names of lines, and of sections with a `<` in front. */
export const SURVEYED: Names = { has: isSurveyed };

function isSurveyed(name: string): boolean {
  return (
    name === '<limit' ||
    name === '<limitexcept' ||
    name === 'authdbmgroupfile' ||
    name === 'authgroupfile' ||
    CHECKERS.has(name) ||
    CHECKERS_OF_DIRECTORIES.has(name) ||
    GROUP_OWNERS.has(name) ||
    AUTHORITATIVE.test(name)
  );
}

/** Reads the lines of a scope. */
export function readOwn(
  scope: Scope,
  survey: Survey,
  meaningOf: OperandMeaning = () => null,
  freed: Freed = NONE_FREED,
): Own {
  const order = new Map<MethodClass, Order>();
  const satisfy = new Map<MethodClass, 'all' | 'any'>();
  const allow: Limited<Operand>[] = [];
  const deny: Limited<Operand>[] = [];
  const requires: Limited<UserRequirement>[] = [];
  let hasHost = false;
  let hasAuthType = false;
  let hasGroupFile = false;
  let dropsGroupFile = false;
  let is24 = false;
  let obstacle: NotConverted | null = null;
  let isPlain = true;
  const mistakes: PlacedOperand[] = [];
  const told: PlacedOperand[] = [];
  const stop = (reason: NotConverted, isVague = true) => {
    obstacle ??= reason;
    isPlain &&= !isVague;
  };
  const now = survey.source === '2.2' ? linesFor24(scope, freed) : null;
  const outside = now?.find(({ line }) => OLD_NAMES.has(line.name));
  if (outside) stop(lineNotConverted('old-lines-for-both', outside));
  for (const configLine of scope.lines) {
    const { line, within } = configLine;
    const readers = readersOf(configLine, scope, freed);
    const problem = problemOf(configLine, readers);
    if (problem !== null) stop(problem);
    if (readers === 'after') continue;
    hasAuthType ||= asksForLogin(configLine);
    if (line.name === 'authgroupfile') hasGroupFile = true;
    if (line.name === 'authzgroupfileauthoritative') dropsGroupFile = true;
    if (configLine.macro !== undefined && (isAccessLine(configLine) || line.name === 'authtype'))
      stop(lineNotConverted('from-macro', configLine, configLine.macro), false);
    if (line.name === 'authmerging') is24 = true;
    if (line.name === 'authmerging') stop(lineNotConverted('auth-merging', configLine));
    if (!isAccessLine(configLine)) continue;
    const words = argumentsOf(line).map((word) => word.value);
    const methods = methodsOf(configLine, survey);
    if (words.some((word) => word.includes('${'))) stop(lineNotConverted('variable', configLine));
    if (configLine.conditionals.length > 0 && !isSameFileTop(configLine))
      stop(lineNotConverted('in-condition', configLine));
    if (configLine.file !== scope.file && scope.section !== null)
      stop(
        configLine.file.readings > 1
          ? lineNotConverted('included-again', configLine, configLine.file.path)
          : lineNotConverted('included', configLine),
        false,
      );
    if (within.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept').length > 1)
      stop(lineNotConverted('limit-in-limit', configLine));
    if (survey.source === '2.2' && within.some(({ section }) => section.name.startsWith('require'))) {
      is24 = true;
      stop(lineNotConverted('require-in-container', configLine));
    }
    switch (line.name) {
      case 'order': {
        hasHost = true;
        const given = words.length === 1 ? words[0]!.toLowerCase() : '';
        if (given !== 'allow,deny' && given !== 'deny,allow' && given !== 'mutual-failure')
          stop(lineNotConverted('broken-order', configLine));
        else for (const method of methods) order.set(method, given);
        break;
      }
      case 'allow':
      case 'deny': {
        hasHost = true;
        const operands = words.slice(1).map((word): Operand => {
          const operand = parseOperand(word);
          const meaning = operand.kind === 'never' && mayBeHost(word) ? meaningOf(word) : null;
          if (meaning !== null) told.push({ word, at: configLine });
          return meaning === 'is-a-host' ? { kind: 'host', name: word } : operand;
        });
        if (
          words[0]?.toLowerCase() !== 'from' ||
          operands.length === 0 ||
          operands.some((operand) => operand.kind === 'error')
        )
          stop(lineNotConverted('broken-host-line', configLine));
        const never = operands.flatMap((operand) =>
          operand.kind === 'never' && !told.some(({ word }) => word === operand.text)
            ? [{ word: operand.text, at: configLine }]
            : [],
        );
        if (never.length > 0) stop(lineNotConverted('matches-no-client', configLine), false);
        mistakes.push(...never);
        for (const value of operands) (line.name === 'allow' ? allow : deny).push({ value, methods });
        break;
      }
      case 'satisfy': {
        const given = words[0]?.toLowerCase();
        if (words.length !== 1 || (given !== 'all' && given !== 'any'))
          stop(lineNotConverted('broken-satisfy', configLine));
        else for (const method of methods) satisfy.set(method, given);
        break;
      }
      case 'require': {
        const old = requirementText(line, words);
        const text = inWordsOf24(old, scope, survey);
        const isEscaped = survey.source === '2.2' && text.includes('\\') && isLiteralBut(text);
        requires.push({ value: { text: isEscaped ? text.replaceAll('\\', '\\\\') : text }, methods });
        if (survey.source === '2.4' || isEscaped) break;
        if (requirementModule(text) === 'groups' && survey.hasDbmGroups)
          stop(lineNotConverted('perhaps-dbm-groups', configLine));
        if (isExpression(text))
          stop(lineNotConverted(/%\{/.test(text) ? 'require-expression' : 'require-special-characters', configLine));
        if (ONLY_IN_24.has(words[0]?.toLowerCase() ?? '')) is24 = true;
        if (foreignWord(old) !== null) is24 = true;
        if (requirementModule(old) === null)
          stop(
            /^[a-z][\w.-]*\s/i.test(`${old} `) && !ONLY_IN_24.has(words[0]!.toLowerCase()) && !is24
              ? lineNotConverted('require-of-no-module', configLine, old)
              : lineNotConverted('require-of-24', configLine, old),
          );
        break;
      }
    }
  }
  const written = now === null ? null : writtenIn(now);
  // None of these modules merges what it is told: the line makes the section forget the file (create_authz_groupfile_dir_config, and no merger, in mod_authz_groupfile.c of 2.2).
  const forgets = dropsGroupFile && !hasGroupFile && survey.hasGroupFiles && survey.source === '2.2';
  if (forgets) stop(notConverted('group-file-cancelled', null));
  return {
    satisfy,
    hasAuthType,
    hasGroupFile,
    hasOld: scope.lines.some((line) => OLD_NAMES.has(line.line.name) && readersOf(line, scope, freed) !== 'before'),
    obstacle,
    told,
    isPlain,
    mistakes:
      (obstacle as NotConverted | null)?.code === 'matches-no-client' && mistakes.every(({ word }) => mayBeHost(word))
        ? mistakes
        : [],
    written,
    forgets,
    is24: is24 && survey.source === '2.2',
    host: hasHost ? { order, allow, deny } : null,
    requires: requires.length > 0 ? requires : null,
    tree: survey.source === '2.4' ? readTree(scope.lines) : null,
  };
}

/**
 * Where a line of the section itself gives `Require group` to another module in 2.2, its groups have another word in 2.4. Group files of httpd's own modules would
 * answer, too.
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

/** The lines that 2.4 reads in a section; null where those are all. */
function linesFor24(scope: Scope, freed: Freed): readonly ConfigLine[] | null {
  const { lines } = scope;
  if (lines.every((line) => readersOf(line, scope, freed) === 'both')) return null;
  return lines.filter((line) => readersOf(line, scope, freed) !== 'before');
}

/** What a condition of one version around a line keeps from being known; null for nothing. */
function problemOf(at: ConfigLine, readers: ReturnType<typeof readersOf>): NotConverted | null {
  const { name } = at.line;
  if (readers === 'after' && name === 'authmerging') return lineNotConverted('auth-merging-for-24', at);
  return readers === 'unknown' && (isAccessLine(at) || name === 'authtype')
    ? lineNotConverted('in-condition', at)
    : null;
}

function writtenIn(lines: readonly ConfigLine[]): Written {
  return {
    tree: readTree(lines),
    hasAuthType: lines.some(asksForLogin),
  };
}

/** What a section says that 2.4 alone reads. Old lines in it are for mod_access_compat. */
export function ownOf24({ lines }: Scope): Own {
  const hasOld = lines.some(({ line }) => OLD_NAMES.has(line.name));
  const isKnown =
    !hasOld &&
    lines.every(({ line, half, macro, conditionals }) => {
      if (line.name === 'authmerging') return false;
      if (line.name !== 'require') return true;
      return half === lines[0]!.half && macro === undefined && conditionals.length === 0 && !line.text.includes('${');
    });
  return {
    ...SAYS_NOTHING,
    hasOld,
    obstacle: hasOld ? notConverted('old-lines-for-24', null) : null,
    isPlain: isKnown,
    written: writtenIn(lines),
  };
}

/** For whom a line stands in a section, where the section itself is there. */
export function readersOf(
  line: Pick<ConfigLine, 'half'>,
  scope: Pick<Scope, 'half'>,
  freed: Freed = NONE_FREED,
): 'both' | 'before' | 'after' | 'unknown' {
  const half = halfLeft(line.half, freed);
  const around = halfLeft(scope.half, freed);
  if (half === around || half === undefined) return 'both';
  const { before, now } = around ?? { before: 'active', now: 'active' };
  // What is not known of the section looks the same as what is not known of the line.
  const isThere = (of: Activity, around: Activity) =>
    of === 'inactive' ? false : of === 'active' || around === 'inactive' ? true : null;
  const [is22, is24] = [isThere(half.before, before), isThere(half.now, now)];
  if (is22 === null || is24 === null) return 'unknown';
  return is22 ? (is24 ? 'both' : 'before') : 'after';
}

/** Conditions that are taken away. */
export type Freed = Pick<ReadonlySet<Section>, 'has'>;

const NONE_FREED: Freed = { has: () => false };

/** What two servers make of the conditions that stay. One that goes is in no other one. */
export function halfLeft(half: Half | undefined, freed: Freed): Half | undefined {
  return half?.conditions.length === 1 && freed.has(half.conditions[0]!.section) ? undefined : half;
}

/** Of a section that decides nothing, and of one until it is read. */
export const SAYS_NOTHING: Own = {
  host: null,
  satisfy: new Map(),
  requires: null,
  tree: null,
  hasAuthType: false,
  hasGroupFile: false,
  hasOld: false,
  forgets: false,
  is24: false,
  obstacle: null,
  isPlain: true,
  written: null,
  mistakes: [],
  told: [],
};

/** Whether a section with this needs a Require tree of its own in 2.4. */
export function isTouching(own: Own): boolean {
  return (
    own.host !== null ||
    own.satisfy.size > 0 ||
    own.requires !== null ||
    own.hasAuthType ||
    own.forgets ||
    own.written !== null
  );
}

/** The state behind a section that applies. */
export function fold(state: State, own: Own, source: Source): State {
  const byMethod = new Map<MethodClass, Section22>();
  for (const [method, base] of state.byMethod) {
    const { host, requires } = sliceOf(own, method);
    // mod_access_compat keeps the four in one record, which the next one that has any of them replaces.
    if (source === '2.4' && (own.host !== null || own.satisfy.size > 0))
      byMethod.set(method, {
        host: host ?? NO_HOSTS,
        satisfy: own.satisfy.get(method) ?? 'all',
        requires: NO_REQUIREMENTS,
      });
    else
      byMethod.set(method, {
        host: host ?? base.host,
        satisfy: own.satisfy.get(method) ?? base.satisfy,
        requires: requires ?? base.requires,
      });
  }
  return {
    byMethod,
    tree: own.tree ?? state.tree,
    hasAuthType: state.hasAuthType || own.hasAuthType,
    hasGroupFile: state.hasGroupFile || own.hasGroupFile,
    // Where a section is there for 2.2 alone, 2.4 has no tree of it.
    isTouched: state.isTouched || (isTouching(own) && (own.written === null || own.written.tree !== null)),
  };
}

/** The names of lines that may stand for one version alone. */
export const HALVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);
/** Lines of 2.2 alone. */
export const OLD_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

/** Whether a word can be written behind `Require host` as it is: there it is an expression, read word by word. A comment is none. */
function mayBeHost(word: string): boolean {
  return !word.startsWith('#') && !/[\s"'\\%$]/.test(word) && !/^env=/i.test(word);
}

const NO_REQUIREMENTS: readonly UserRequirement[] = [];

/** A record that says nothing of hosts. */
const NO_HOSTS: HostRules = { order: 'deny,allow', allow: [], deny: [] };

/** What a section says for one class of methods. One value for each, so that states can be told apart by it. */
interface Slice {
  readonly host: HostRules | null;
  readonly requires: readonly UserRequirement[] | null;
}

const slices = cacheOf<Own, Map<MethodClass, Slice>>();

function sliceOf(own: Own, method: MethodClass): Slice {
  const known = slices.get(own) ?? new Map<MethodClass, Slice>();
  slices.set(own, known);
  let slice = known.get(method);
  if (!slice) {
    const of = <T>(values: readonly Limited<T>[]) =>
      values.filter(({ methods }) => methods.has(method)).map(({ value }) => value);
    const host: HostRules | null = own.host && {
      order: own.host.order.get(method) ?? 'deny,allow',
      allow: of(own.host.allow),
      deny: of(own.host.deny),
    };
    known.set(method, (slice = { host, requires: own.requires && of(own.requires) }));
  }
  return slice;
}

/** Nothing applies yet: everybody gets in. */
export function startState({ classes }: Survey): State {
  const nothing: Section22 = { host: null, satisfy: 'all', requires: [] };
  return {
    byMethod: new Map(classes.map((method) => [method, nothing])),
    tree: null,
    hasAuthType: false,
    hasGroupFile: false,
    isTouched: false,
  };
}

/** The tree of a state, or why there is none. */
export function treeOf(state: State, survey: Survey): Tree24 | NotConverted {
  if (survey.source === '2.4') return compatTreeOf(state, survey);
  const trees = new Map<MethodClass, Tree24>();
  for (const [method, section] of state.byMethod) {
    const refusing = refusingBeside(section, survey);
    if (refusing !== null) return refusing;
    const live = liveRequirements(section.requires, state.hasGroupFile, survey);
    if (isReason(live)) return live;
    const effective: Section22 = { ...section, requires: live };
    // Lines that nobody owns or that are dead still ask for a login, and refuse it.
    if (section.requires.length > 0 && live.length === 0) return notConverted('require-without-effect', null);
    const tree = provenTranslation(effective);
    if (tree === null) return notConverted('not-proven', null);
    trees.set(method, tree);
  }
  return combined(trees);
}

/** Under Satisfy Any what another module refuses may be let in by a login (ap_process_request_internal of 2.2); without it a refusal is one. */
function refusingBeside({ satisfy }: Pick<Section22, 'satisfy'>, { checker }: Survey): NotConverted | null {
  if (checker === null || satisfy !== 'any') return null;
  return notConverted('satisfy-any-beside-module', checker.place, checker.named);
}

/** The same where mod_access_compat decides beside mod_authz_core, and that is to be kept. */
function compatTreeOf({ byMethod, tree: all, hasAuthType }: State, survey: Survey): Tree24 | NotConverted {
  if (all === null && hasAuthType) return notConverted('login-without-require', null);
  const trees = new Map<MethodClass, Tree24>();
  for (const [method, { host, satisfy }] of byMethod) {
    const refusing = refusingBeside({ satisfy }, survey);
    if (refusing !== null) return refusing;
    const isFor = ({ methods, isExcept }: { readonly methods: readonly string[]; readonly isExcept: boolean }) =>
      methods.includes(method) !== isExcept;
    const section = { host, satisfy, tree: all && treeFor(all, isFor) };
    const tree = translateCompat(section);
    if (prove24(section, tree) !== 'proven') return notConverted('not-proven', null);
    trees.set(method, tree);
  }
  return combined(trees);
}

/** A tree that no host rules stand beside is what it was. */
function prove24(section: Parameters<typeof proveCompat>[0], tree: Tree24): ReturnType<typeof proveCompat> {
  const isUntouched =
    section.host === null &&
    section.satisfy === 'all' &&
    section.tree !== null &&
    JSON.stringify(tree) === JSON.stringify(simplified(section.tree));
  return isUntouched ? 'proven' : proveCompat(section, tree);
}

/** One tree for all methods; where they differ, each named method's own and one for the rest. */
function combined(trees: ReadonlyMap<MethodClass, Tree24>): Tree24 {
  if (trees.size === 1) return trees.get('*')!;
  const keys = new Set([...trees.values()].map((tree) => JSON.stringify(tree)));
  if (keys.size === 1) return trees.get('*')!;
  const groups = new Map<string, MethodClass[]>();
  const rest = JSON.stringify(trees.get('*'));
  for (const [method, tree] of trees) {
    const key = JSON.stringify(tree);
    if (method !== '*' && key !== rest) addTo(groups, key, method);
  }
  const named = [...groups.values()].flat();
  const branches: Tree24[] = [...groups].map(([key, methods]) =>
    branch({ type: 'method', methods, isNegated: false }, JSON.parse(key) as Tree24),
  );
  branches.push(branch({ type: 'method', methods: named, isNegated: true }, JSON.parse(rest) as Tree24));
  const open = branches.filter((tree) => tree.type !== 'denied');
  if (open.length === 0) return { type: 'denied' };
  return open.length === 1 ? open[0]! : { type: 'any', of: open };
}

/** The lines that count: those of the modules up to and including the first that owns one (docs/access-control.md, "What 2.2 decides"). */
export function liveRequirements(
  requires: readonly UserRequirement[],
  hasGroupFile: boolean,
  survey: Survey,
): readonly UserRequirement[] | NotConverted {
  const modules = new Set(requires.map(({ text }) => requirementModule(text) ?? foreignWord(text)!));
  // Where nobody answers for groups, an AuthzDefaultAuthoritative or a module that does not come with httpd does.
  if (modules.has('groups') && survey.groupOwner !== null)
    return notConverted(
      'groups-of-module',
      survey.groupOwner.place,
      survey.groupOwner.named,
      survey.groupOwner.groupWord,
    );
  if (modules.has('groups') && !hasGroupFile && !survey.isMixedKnown) return notConverted('groups-without-file', null);
  if (modules.size <= 1) return requires;
  if (!survey.isMixedKnown) return notConverted('several-modules-authoritative', null);
  const ranks = new Map<string, number>();
  for (const module of modules) {
    const files = module === 'groups' ? ['mod_authz_groupfile.c', 'mod_authz_dbm.c'] : [`${module}.c`];
    const loaded = files.map((file) => survey.modules.indexOf(file)).filter((index) => index >= 0);
    if (loaded.length !== 1) return notConverted('several-modules-in-any-order', null);
    ranks.set(module, loaded[0]!);
  }
  if (ranks.has('mod_authz_owner') || ranks.has('mod_authnz_ldap')) return notConverted('several-modules', null);
  // A section further in that names the file brings the group's lines back to life.
  if (ranks.has('groups') && !hasGroupFile && survey.hasGroupFiles)
    return notConverted('several-modules-group-file', null);
  const order = [...modules].sort((a, b) => ranks.get(a)! - ranks.get(b)!);
  const first = order.find((module) => module !== 'groups' || hasGroupFile);
  return requires.filter(({ text }) => requirementModule(text) === first);
}

// ---------------------------------------------------------------------------------------------------------------------

function methodsOf({ within }: ConfigLine, { classes }: Survey): ReadonlySet<MethodClass> {
  let methods = new Set(classes);
  for (const { section: limit } of within) {
    if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
    const named = new Set(argumentsOf(limit.open).map((word) => methodOf(word.value) ?? ''));
    // 2.2 takes the innermost section alone: each sets the mask anew (ap_limit_section).
    methods = new Set(classes.filter((method) => named.has(method) === (limit.name === 'limit')));
  }
  return methods;
}

function branch(method: Tree24 & { type: 'method' }, tree: Tree24): Tree24 {
  if (tree.type === 'denied') return tree;
  if (tree.type === 'granted') return method.isNegated ? { type: 'all', of: [method, tree] } : method;
  // Another tree may hold only negatives beside its "all granted": that stays in.
  const inner = tree.type === 'all' ? tree.of : [tree];
  return { type: 'all', of: [method, ...inner] };
}

/**
 * Whether only backslashes of it mean something else to 2.4, and two of them are one: the names behind `user` and `group` are an expression there, which is read before its
 * words are (user_parse_config in mod_authz_user.c, group_parse_config in mod_authz_groupfile.c; util_expr_scan.l).
 */
function isLiteralBut(text: string): boolean {
  return /^(user|group)\s/.test(text) && !isExpression(text.replaceAll('\\', ''));
}

/** Whether a line is one that decides, in 2.2. */
export function isAccessLine({ line }: ConfigLine): boolean {
  return (
    line.name === 'order' ||
    line.name === 'allow' ||
    line.name === 'deny' ||
    line.name === 'satisfy' ||
    line.name === 'require'
  );
}

/** Conditionals around the whole of what a file has are those of its scope. */
function isSameFileTop(line: ConfigLine): boolean {
  return line.activity === 'active';
}
/** What no 2.2 takes for something that it knows, and everybody writes for 2.4. */
export const ONLY_IN_24: ReadonlySet<string> = new Set(
  [...PROVIDERS.keys(), 'not'].filter((name) => !REQUIREMENTS_22.has(name)),
);

/** Methods that both versions register from the start; HEAD shares GET's number. */
const METHODS: ReadonlySet<string> = new Set(METHODS_OF_BOTH);

function methodOf(word: string): MethodClass | null {
  if (word === 'HEAD') return 'GET';
  return METHODS.has(word) ? word : null;
}

/** Equal for states that come of the same sections; so it costs nothing where these are long. */
export function stateKey({ byMethod, tree, hasAuthType, hasGroupFile, isTouched }: State): string {
  const parts = [...byMethod.values()].map(
    ({ host, satisfy, requires }) => `${idOf(host)} ${satisfy} ${idOf(requires)}`,
  );
  return `${parts.join(', ')} ${idOf(tree)} ${hasAuthType} ${hasGroupFile} ${isTouched}`;
}

const ids = numbering();

/** A number for a value by its identity, 0 for null. */
export function idOf(value: object | null): number {
  return value === null ? 0 : ids(value);
}
