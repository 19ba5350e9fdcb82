/**
 * Access control of a whole configuration: which state of host rules, Satisfy and Require every section stands on, and so
 * which Require tree it has to state to decide in 2.4 what it decided in 2.2. SEMANTICS.md (ii) "section order" and (iv).
 *
 * In 2.4 the tree of the last section that applies to a request and has any decides alone. So a section is converted right
 * when the tree that it states is the one of the folded state, and it can be converted when that tree is the same for every
 * request that the section may apply to. Everything here errs towards "may apply".
 */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { globPattern, hasWildcard, resolvePath } from '../config/files';
import { argumentsOf } from '../syntax/line';
import type { HostRules, Order, Section22, Tree24, UserRequirement } from './model';
import { parseOperand, type Operand } from './operand';
import { prove } from './prove';
import { requirementModule, requirementText } from './read';
import { translate } from './translate';

/** What becomes of a section. */
export interface Conversion {
  readonly scope: Scope;
  /** The tree to state; with `merging`, the section's own part, joined to what it inherits. */
  readonly tree: Tree24;
  readonly merging: 'And' | 'Or' | null;
}

export interface Refusal {
  readonly scope: Scope;
  /** For people; a sentence without a full stop. */
  readonly reason: string;
}

export interface WholeAccess {
  readonly conversions: readonly Conversion[];
  readonly refusals: readonly Refusal[];
}

/** A .htaccess that the server would read: its scope, and the words of AllowOverride in effect there. */
export interface Htaccess {
  readonly scope: Scope;
  readonly override: readonly string[];
}

/** Names of the lines that this needs of a configuration. */
export const ACCESS_NAMES: ReadonlySet<string> = new Set([
  'order', 'allow', 'deny', 'satisfy', 'require', 'authtype', 'authgroupfile', 'authmerging', 'allowoverride', 'accessfilename', 'documentroot', 'alias',
  'scriptalias', 'aliasmatch', 'scriptaliasmatch', 'userdir', 'virtualdocumentroot', 'virtualdocumentrootip', 'virtualscriptalias', 'rewriteengine',
  'rewriterule', 'proxypass', 'proxypassmatch', 'proxyrequests', 'authzldapauthoritative', 'authzdbmauthoritative', 'authzgroupfileauthoritative', 'authzuserauthoritative',
  'authzownerauthoritative', 'authzdefaultauthoritative', 'sslrequiressl', 'sslrequire', 'authdbmgroupfile',
]);

export function wholeAccess(configuration: Configuration, htaccess: readonly Htaccess[]): WholeAccess {
  return new Whole(configuration, htaccess).run();
}

/**
 * The words of AllowOverride in effect in a folder, in lower case: 2.2's default is All. null where nobody can say, because a pattern
 * or a virtual host has its own.
 */
export function overrideAt(configuration: Configuration, folder: string): readonly string[] | null {
  return overrideWords(configuration, folder)?.words ?? null;
}

/** Whether no AllowOverride stands over a folder: 2.2 reads .htaccess files there, and 2.4, whose default is None, does not. */
export function isOverrideDefault(configuration: Configuration, folder: string): boolean {
  return overrideWords(configuration, folder)?.isDefault === true;
}

function overrideWords(configuration: Configuration, folder: string): { readonly words: readonly string[]; readonly isDefault: boolean } | null {
  let words: readonly string[] = ['all'];
  let isDefault = true;
  let isKnown = true;
  const parts = partsOf(folder);
  const candidates: { scope: Scope; depth: number }[] = [];
  const walk = (scope: Scope): void => {
    for (const child of scope.children) {
      walk(child);
      if (!child.lines.some(({ line }) => line.name === 'allowoverride')) continue;
      const isLiteral = child.kind === 'directory' && child.words[0] !== '~' && !child.words[0]?.includes('${') && child.parent?.kind === 'server' && child.activity === 'active';
      const own = partsOf(child.words[0] === '~' ? '' : resolvePath('/', child.words[0] ?? ''));
      if (isLiteral && !own.some(hasWildcard)) {
        if (own.length <= parts.length && own.every((part, i) => part === parts[i])) candidates.push({ scope: child, depth: own.length });
      } else if (child.kind !== 'directory' || child.words[0] === '~' || couldBeAt(own, parts)) {
        isKnown = false;
      }
    }
  };
  walk(configuration.root);
  for (const { scope } of candidates.sort((a, b) => a.depth - b.depth)) {
    for (const { line, activity } of scope.lines) {
      if (line.name !== 'allowoverride') continue;
      if (activity !== 'active') isKnown = false;
      words = argumentsOf(line).map((word) => word.value.toLowerCase());
      isDefault = false;
    }
  }
  return isKnown ? { words: words.filter((word) => word !== 'none'), isDefault } : null;
}

function couldBeAt(own: readonly string[], parts: readonly string[]): boolean {
  return own.every((part, i) => i >= parts.length || partMatch(part, parts[i]) !== 'no') && own.length <= parts.length;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Methods named in some `<Limit>`, and all others as `*`. */
type MethodClass = string;

/** What a scope says itself, for each class of methods. */
interface Own {
  readonly entry: Entry;
  readonly host: { readonly order: ReadonlyMap<MethodClass, Order>; readonly allow: readonly Limited<Operand>[]; readonly deny: readonly Limited<Operand>[] } | null;
  readonly satisfy: ReadonlyMap<MethodClass, 'all' | 'any'>;
  readonly requires: readonly Limited<UserRequirement>[] | null;
  readonly hasAuthType: boolean;
  readonly hasGroupFile: boolean;
  readonly obstacle: string | null;
}

interface Limited<T> {
  readonly value: T;
  readonly methods: ReadonlySet<MethodClass>;
}

/** What is in effect after some sections. */
interface State {
  readonly byMethod: ReadonlyMap<MethodClass, Section22>;
  readonly hasGroupFile: boolean;
  /** Whether some section before has stated a tree. */
  readonly isTouched: boolean;
  readonly isCertainlyTouched: boolean;
}

const STAGES = ['directory', 'directorymatch', 'files', 'location', 'proxy'] as const;
type Stage = (typeof STAGES)[number];

/** A scope as the request processing sees it. */
interface Entry {
  readonly scope: Scope;
  readonly stage: Stage;
  /** null: the main server. */
  readonly host: Scope | null;
  /** For directories: path components or patterns. */
  readonly parts: readonly string[];
  readonly isHtaccess: boolean;
  readonly isRegex: boolean;
  /** For patterns: the text that every match starts with. For locations and directories. */
  readonly prefix: string;
  /** Files, Location: the words that say what matches. */
  readonly pattern: string;
  readonly parent: Entry | null;
  /** Reading order. */
  readonly order: number;
  /** Whether the section may be left out by a conditional. */
  readonly isOptional: boolean;
  own: Own;
}

type Applies = 'yes' | 'maybe' | 'no';

/** More sections that may or may not apply together than this are not enumerated. */
const MAX_OPTIONAL = 7;
const MAX_METHODS = 6;

class Whole {
  private readonly entries: Entry[] = [];
  private readonly classes: readonly MethodClass[];
  private readonly trouble: string | null;
  private readonly refused = new Map<Entry, string>();
  private readonly converted = new Map<Entry, Conversion>();
  private readonly related = new Map<Entry, Set<Entry>>();
  private readonly isMixedKnown: boolean;
  private readonly hasSslRequire: boolean;
  private readonly hasDbmGroups: boolean;
  private readonly hasGroupFiles: boolean;
  private readonly byHost = new Map<Scope | null, Entry[]>();
  private readonly presence = new Map<Scope | null, { present: readonly Entry[]; directories: readonly Entry[] }>();

  constructor(private readonly configuration: Configuration, private readonly htaccess: readonly Htaccess[]) {
    const methods = new Set<MethodClass>();
    let trouble: string | null = null;
    this.forEachScope((scope) => {
      for (const { within } of scope.lines) {
        for (const { section: limit } of within) {
          if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
          for (const word of argumentsOf(limit.open)) {
            const method = methodOf(word.value);
            if (method === null) trouble ??= `<Limit> names ${word.value}, which 2.4 need not know`;
            else methods.add(method);
          }
        }
      }
    });
    if (methods.size > MAX_METHODS) trouble ??= 'too many methods are named in <Limit> sections';
    this.trouble = trouble;
    this.classes = [...[...methods].sort(), '*'];
    this.hasSslRequire = this.someLine(({ line }) => line.name === 'sslrequiressl' || line.name === 'sslrequire');
    this.hasGroupFiles = this.someLine(({ line }) => line.name === 'authgroupfile');
    this.hasDbmGroups = this.someLine(({ line }) => line.name === 'authdbmgroupfile');
    this.isMixedKnown = !this.someLine((line) => /^authz\w+authoritative$/.test(line.line.name));
  }

  run(): WholeAccess {
    this.collect(this.configuration.root, null, null);
    for (const { scope } of this.htaccess) this.collect(scope, null, null);
    if (!this.entries.some(({ scope }) => scope.lines.some(({ line }) => OLD_NAMES.has(line.name)))) return { conversions: [], refusals: [] };
    for (const entry of this.entries) {
      const known = this.byHost.get(entry.host);
      if (known) known.push(entry);
      else this.byHost.set(entry.host, [entry]);
    }
    const isOld = (entry: Entry) => entry.scope.lines.some(({ line }) => OLD_NAMES.has(line.name));
    const hostsWithOld = new Set(this.entries.filter(isOld).map(({ host }) => host));
    for (const entry of this.entries) {
      // Nothing old applies to the requests of this virtual host: its sections are 2.4's as they are.
      if (entry.host !== null && !hostsWithOld.has(null) && !hostsWithOld.has(entry.host)) continue;
      if (!this.isTouching(entry)) continue;
      const bases = this.basesOf(entry);
      const problem = this.trouble ?? entry.own.obstacle ?? (typeof bases === 'string' ? bases : this.convert(entry, bases));
      if (problem !== null) this.refused.set(entry, problem);
    }
    this.spreadRefusals();
    const conversions = this.entries.flatMap((entry) => (this.refused.has(entry) ? [] : (this.converted.get(entry) ?? [])));
    const refusals = this.entries.flatMap((entry) => (this.refused.has(entry) ? [{ scope: entry.scope, reason: this.refused.get(entry)! }] : []));
    return { conversions, refusals };
  }

  // --- Reading -------------------------------------------------------------------------------------------------------

  private forEachScope(visit: (scope: Scope) => void): void {
    const walk = (scope: Scope): void => {
      visit(scope);
      scope.children.forEach(walk);
    };
    walk(this.configuration.root);
    this.htaccess.forEach(({ scope }) => walk(scope));
  }

  private someLine(test: (line: ConfigLine) => boolean): boolean {
    let found = false;
    this.forEachScope((scope) => {
      found ||= scope.lines.some(test);
    });
    return found;
  }

  private collect(scope: Scope, host: Scope | null, parent: Entry | null): void {
    const entry = this.entryOf(scope, host, parent);
    if (entry) this.entries.push(entry);
    const inner = scope.kind === 'virtualhost' ? scope : host;
    for (const child of scope.children) this.collect(child, inner, entry ?? parent);
  }

  private entryOf(scope: Scope, host: Scope | null, parent: Entry | null): Entry | null {
    const base = { scope, host, parent, order: this.entries.length, isOptional: scope.activity === 'unknown', isHtaccess: false, isRegex: false, parts: [], prefix: '', pattern: '' };
    const isTilde = scope.words[0] === '~';
    const argument = (isTilde ? scope.words[1] : scope.words[0]) ?? '';
    const make = (fields: Partial<Entry> & { stage: Stage }): Entry => {
      const entry = { ...base, ...fields } as Entry;
      entry.own = this.readOwn(scope, entry);
      return entry;
    };
    switch (scope.kind) {
      case 'htaccess':
        return make({ stage: 'directory', isHtaccess: true, parts: partsOf(scope.folder!), prefix: scope.folder! });
      case 'directory':
        if (isTilde) return make({ stage: 'directorymatch', isRegex: true, prefix: literalPrefix(argument), pattern: argument });
        return make({ stage: 'directory', parts: partsOf(resolvePath('/', argument)), prefix: argument });
      case 'directorymatch':
        return make({ stage: 'directorymatch', isRegex: true, prefix: literalPrefix(argument), pattern: argument });
      case 'files':
        return make({ stage: 'files', isRegex: isTilde, pattern: argument });
      case 'filesmatch':
        return make({ stage: 'files', isRegex: true, pattern: argument });
      case 'location':
        if (isTilde) return make({ stage: 'location', isRegex: true, prefix: literalPrefix(argument), pattern: argument });
        return make({ stage: 'location', isRegex: hasWildcard(argument), prefix: argument.replace(/[*?[].*$/, ''), pattern: argument });
      case 'locationmatch':
        return make({ stage: 'location', isRegex: true, prefix: literalPrefix(argument), pattern: argument });
      case 'proxy':
      case 'proxymatch':
        return make({ stage: 'proxy', isRegex: true, pattern: argument });
      default:
        return scope.lines.some((line) => isAccessLine(line)) && scope.kind !== 'server'
          ? make({ stage: 'location', isRegex: true, pattern: scope.kind })
          : null;
    }
  }

  private readOwn(scope: Scope, entry: Entry): Own {
    const order = new Map<MethodClass, Order>();
    const satisfy = new Map<MethodClass, 'all' | 'any'>();
    const allow: Limited<Operand>[] = [];
    const deny: Limited<Operand>[] = [];
    const requires: Limited<UserRequirement>[] = [];
    let hasHost = false;
    let hasAuthType = false;
    let hasGroupFile = false;
    let obstacle: string | null = null;
    const stop = (reason: string) => {
      obstacle ??= reason;
    };
    for (const configLine of scope.lines) {
      const { line, within } = configLine;
      const words = argumentsOf(line).map((word) => word.value);
      if (line.name === 'authtype') hasAuthType ||= words[0]?.toLowerCase() !== 'none';
      if (line.name === 'authgroupfile') hasGroupFile = true;
      if (line.name === 'authmerging') stop('AuthMerging is 2.4\'s: this section is converted already, or in part');
      if (!isAccessLine(configLine)) continue;
      const methods = this.methodsOf(configLine);
      if (words.some((word) => word.includes('${'))) stop('a variable stands in its access lines');
      if (configLine.conditionals.length > 0 && !isSameFileTop(configLine)) stop('some of its access lines stand in a conditional section');
      if (configLine.file.readings > 1) stop(`its file ${configLine.file.path} is included more than once`);
      if (configLine.file !== scope.file && scope.section !== null) stop('its access lines stand in an included file');
      if (within.filter(({ section }) => section.name === 'limit' || section.name === 'limitexcept').length > 1) stop('a <Limit> stands in another, which 2.2 refuses');
      if (within.some(({ section }) => section.name.startsWith('require'))) stop('it has Require lines of 2.4 already');
      switch (line.name) {
        case 'order': {
          hasHost = true;
          const given = words.length === 1 ? words[0].toLowerCase() : '';
          if (given !== 'allow,deny' && given !== 'deny,allow' && given !== 'mutual-failure') stop('an Order line is an error');
          else for (const method of methods) order.set(method, given);
          break;
        }
        case 'allow':
        case 'deny': {
          hasHost = true;
          const operands = words.slice(1).map(parseOperand);
          if (words[0]?.toLowerCase() !== 'from' || operands.length === 0 || operands.some((operand) => operand.kind === 'error')) stop('an Allow or Deny line is an error');
          if (operands.some((operand) => operand.kind === 'never')) stop('an Allow or Deny line has words that never matched');
          for (const value of operands) (line.name === 'allow' ? allow : deny).push({ value, methods });
          break;
        }
        case 'satisfy': {
          const given = words[0]?.toLowerCase();
          if (words.length !== 1 || (given !== 'all' && given !== 'any')) stop('a Satisfy line is an error');
          else for (const method of methods) satisfy.set(method, given);
          break;
        }
        case 'require': {
          const text = requirementText(line, words);
          if (requirementModule(text) === 'groups' && this.hasDbmGroups) stop('its groups may be those of mod_authz_dbm, which 2.4 calls dbm-group');
          if (/%\{/.test(text)) stop('its Require line has a "%{", which begins an expression in 2.4');
          if (requirementModule(text) === null) stop(`"Require ${text}" is not one that 2.2 had`);
          requires.push({ value: { text }, methods });
          break;
        }
      }
    }
    const twins = scope.kind === 'htaccess' ? this.htaccess.filter((known) => known.scope.file.path === scope.file.path) : [];
    if (twins.length > 1) stop(`its file is that of ${twins.length} folders, by links`);
    const override = this.overrideOf(scope);
    if (override && !override.includes('all') && (hasHost || satisfy.size > 0 || requires.length > 0)) {
      if (!override.includes('authconfig')) stop('AllowOverride does not admit AuthConfig there, which Require needs');
      if (hasHost && !override.includes('limit')) stop('AllowOverride does not admit Limit there: 2.2 refuses the file, and answers 500');
    }
    const problem = argumentProblem(entry);
    if (problem) stop(problem);
    if (entry.stage === 'location' && !['location', 'locationmatch'].includes(scope.kind)) stop(`access lines stand in <${scope.kind}>`);
    return {
      entry, satisfy, hasAuthType, hasGroupFile, obstacle,
      host: hasHost ? { order, allow, deny } : null,
      requires: requires.length > 0 ? requires : null,
    };
  }

  /** The words of AllowOverride for a .htaccess and the sections in it; null for what stands in the server's files. */
  private overrideOf(scope: Scope): readonly string[] | null {
    let outer = scope;
    while (outer.parent) outer = outer.parent;
    return outer.kind === 'htaccess' ? (this.htaccess.find((known) => known.scope === outer)?.override ?? []) : null;
  }

  private methodsOf({ within }: ConfigLine): ReadonlySet<MethodClass> {
    let methods = new Set(this.classes);
    for (const { section: limit } of within) {
      if (limit.name !== 'limit' && limit.name !== 'limitexcept') continue;
      const named = new Set(argumentsOf(limit.open).map((word) => methodOf(word.value) ?? ''));
      // 2.2 takes the innermost section alone: each sets the mask anew (ap_limit_section).
      methods = new Set(this.classes.filter((method) => named.has(method) === (limit.name === 'limit')));
    }
    return methods;
  }

  private isTouching(entry: Entry): boolean {
    const { own } = entry;
    return own.host !== null || own.satisfy.size > 0 || own.requires !== null || own.hasAuthType;
  }

  // --- Folding -------------------------------------------------------------------------------------------------------

  private fold(state: State, entry: Entry): State {
    const { own } = entry;
    const byMethod = new Map<MethodClass, Section22>();
    for (const method of this.classes) {
      const base = state.byMethod.get(method)!;
      const of = <T>(values: readonly Limited<T>[]) => values.filter(({ methods }) => methods.has(method)).map(({ value }) => value);
      const host: HostRules | null = own.host ? { order: own.host.order.get(method) ?? 'deny,allow', allow: of(own.host.allow), deny: of(own.host.deny) } : base.host;
      byMethod.set(method, { host, satisfy: own.satisfy.get(method) ?? base.satisfy, requires: own.requires ? of(own.requires) : base.requires });
    }
    const isTouching = this.isTouching(entry);
    return {
      byMethod,
      hasGroupFile: state.hasGroupFile || own.hasGroupFile,
      isTouched: state.isTouched || isTouching,
      isCertainlyTouched: state.isCertainlyTouched || (isTouching && !entry.isOptional),
    };
  }

  private start(): State {
    const nothing: Section22 = { host: null, satisfy: 'all', requires: [] };
    return { byMethod: new Map(this.classes.map((method) => [method, nothing])), hasGroupFile: false, isTouched: false, isCertainlyTouched: false };
  }

  /** The tree of a state, or why there is none. */
  private treeOf(state: State): Tree24 | string {
    const trees = new Map<MethodClass, Tree24>();
    for (const [method, section] of state.byMethod) {
      if (this.hasSslRequire && section.satisfy === 'any') return 'Satisfy Any is in effect, and lets requests pass that SSLRequireSSL or SSLRequire refuses; in 2.4 these refuse them by themselves';
      const live = this.liveRequirements(section.requires, state.hasGroupFile);
      if (typeof live === 'string') return live;
      const effective: Section22 = { ...section, requires: live };
      // Lines that nobody owns or that are dead still ask for a login, and refuse it.
      if (section.requires.length > 0 && live.length === 0) return 'its Require lines are all dead in 2.2';
      const tree = translate(effective);
      if (prove(effective, tree) !== 'proven') return 'the translation could not be proven';
      trees.set(method, tree);
    }
    return this.combined(trees);
  }

  /** One tree for all methods; where they differ, each named method's own and one for the rest. */
  private combined(trees: ReadonlyMap<MethodClass, Tree24>): Tree24 {
    const keys = new Set([...trees.values()].map((tree) => JSON.stringify(tree)));
    if (keys.size === 1) return trees.get('*')!;
    const groups = new Map<string, MethodClass[]>();
    const rest = JSON.stringify(trees.get('*'));
    for (const [method, tree] of trees) {
      const key = JSON.stringify(tree);
      if (method !== '*' && key !== rest) groups.set(key, [...(groups.get(key) ?? []), method]);
    }
    const named = [...groups.values()].flat();
    const branches: Tree24[] = [...groups].map(([key, methods]) => branch({ type: 'method', methods, isNegated: false }, JSON.parse(key) as Tree24));
    branches.push(branch({ type: 'method', methods: named, isNegated: true }, JSON.parse(rest) as Tree24));
    const open = branches.filter((tree) => tree.type !== 'denied');
    if (open.length === 0) return { type: 'denied' };
    return open.length === 1 ? open[0] : { type: 'any', of: open };
  }

  /** The lines that count: those of the modules up to and including the first that owns one (SEMANTICS.md (ii)). */
  private liveRequirements(requires: readonly UserRequirement[], hasGroupFile: boolean): readonly UserRequirement[] | string {
    const modules = new Set(requires.map(({ text }) => requirementModule(text)!));
    if (modules.size <= 1) return requires;
    if (!this.isMixedKnown) return 'its Require lines belong to several modules, and an Authoritative directive says which count';
    const ranks = new Map<string, number>();
    for (const module of modules) {
      const files = module === 'groups' ? ['mod_authz_groupfile.c', 'mod_authz_dbm.c'] : [`${module}.c`];
      const loaded = files.map((file) => this.configuration.modules.indexOf(file)).filter((index) => index >= 0);
      if (loaded.length !== 1) return 'its Require lines belong to several modules, and the order they are loaded in is not known';
      ranks.set(module, loaded[0]);
    }
    if (ranks.has('mod_authz_owner') || ranks.has('mod_authnz_ldap')) return 'its Require lines belong to several modules';
    // A section further in that names the file brings the group's lines back to life.
    if (ranks.has('groups') && !hasGroupFile && this.hasGroupFiles) return 'its Require lines belong to several modules, and which count depends on where AuthGroupFile stands';
    const order = [...modules].sort((a, b) => ranks.get(a)! - ranks.get(b)!);
    const first = order.find((module) => module !== 'groups' || hasGroupFile);
    return requires.filter(({ text }) => requirementModule(text) === first);
  }

  // --- Which states a section may stand on ---------------------------------------------------------------------------

  /** Works out the entry's tree and records it; returns why not. */
  private convert(entry: Entry, bases: readonly State[]): string | null {
    const results = bases.map((base) => ({ base, after: this.fold(base, entry) }));
    const isOnlyAuthType = entry.own.host === null && entry.own.satisfy.size === 0 && entry.own.requires === null;
    // An AuthType alone decides nothing in 2.2; in 2.4 it needs a tree, its own or an inherited one.
    if (isOnlyAuthType && bases.every((base) => base.isCertainlyTouched)) return null;
    const trees: Tree24[] = [];
    const keys = new Set<string>();
    for (const { after } of results) {
      const tree = this.treeOf(after);
      if (typeof tree === 'string') return tree;
      trees.push(tree);
      keys.add(JSON.stringify(tree));
    }
    if (keys.size === 1) {
      this.converted.set(entry, { scope: entry.scope, tree: trees[0], merging: null });
      return null;
    }
    return this.convertByMerging(entry, bases);
  }

  /** `AuthMerging And` and `Or` say exactly what 2.2 did with sections that add a login to whatever hosts the base admits. */
  private convertByMerging(entry: Entry, bases: readonly State[]): string | null {
    const disagree = 'what it inherits differs from place to place, and so does the tree it would need';
    const { own } = entry;
    const isForAll = own.requires?.every(({ methods }) => methods.size === this.classes.length) === true;
    if (own.host !== null || !isForAll) return disagree;
    if (bases.some((base) => [...base.byMethod.values()].some(({ requires }) => requires.length > 0))) return disagree;
    const live = this.liveRequirements(own.requires!.map(({ value }) => value), own.hasGroupFile);
    if (typeof live === 'string' || live.length === 0) return disagree;
    const tree = translate({ host: null, satisfy: 'all', requires: live });
    const satisfies = new Set(bases.flatMap((base) => this.classes.map((method) => own.satisfy.get(method) ?? base.byMethod.get(method)!.satisfy)));
    if (satisfies.size !== 1) return disagree;
    if (satisfies.has('all')) {
      this.converted.set(entry, { scope: entry.scope, tree, merging: 'And' });
      return null;
    }
    if (bases.every((base) => base.isCertainlyTouched)) {
      this.converted.set(entry, { scope: entry.scope, tree, merging: 'Or' });
      return null;
    }
    return disagree;
  }

  /** The states that the section may stand on, or why they are not known; what it shares requests with is noted. */
  private basesOf(entry: Entry): State[] | string {
    let problem: string | null = null;
    const contexts: (Scope | null)[] = entry.host ? [entry.host] : [null, ...this.virtualHosts()];
    const states = new Map<string, State>();
    for (const context of contexts) {
      for (const { steps } of this.sequencesBefore(entry, context)) {
        for (const step of steps) this.relate(entry, step.entry);
        problem ??= this.addStates(steps, states);
      }
    }
    return problem ?? [...states.values()];
  }

  private addStates(steps: readonly Step[], states: Map<string, State>): string | null {
    const optional = steps.filter((step) => !step.isCertain);
    if (optional.length > MAX_OPTIONAL) return 'too many other sections may or may not apply to the same requests';
    for (let bits = 0; bits < 2 ** optional.length; bits++) {
      let state = this.start();
      for (const step of steps) if (step.isCertain || (bits & (1 << optional.indexOf(step))) !== 0) state = this.fold(state, step.entry);
      states.set(stateKey(state), state);
    }
    return null;
  }

  /** Also those without a section: their DocumentRoot puts other folders behind the same URLs. */
  private virtualHosts(): Scope[] {
    return this.configuration.root.children.filter((scope) => scope.kind === 'virtualhost');
  }

  /** For each place the entry may apply at: the sections that come before it there. */
  private sequencesBefore(entry: Entry, context: Scope | null): Sequence[] {
    const { present, directories } = this.presentIn(context);
    switch (entry.stage) {
      case 'directory':
        return [{ folder: entry.parts, steps: this.before(directories, entry).flatMap((other) => step(other, appliesBelow(other, entry))) }];
      case 'directorymatch':
        return this.directorySequences(present, directories, (folder) => couldHold(entry, folder), entry);
      case 'files':
        return this.filesSequences(entry, present, directories);
      case 'location':
        return this.locationSequences(entry, present, directories, context);
      case 'proxy': {
        const earlier = present.filter((other) => other.stage === 'proxy' && other.order < entry.order);
        return [{ folder: null, steps: earlier.map((other) => ({ entry: other, isCertain: false })) }];
      }
    }
  }

  /** What may apply to requests for a virtual host (null: for none of them), worked out once. */
  private presentIn(context: Scope | null): { readonly present: readonly Entry[]; readonly directories: readonly Entry[] } {
    let known = this.presence.get(context);
    if (!known) {
      const own = (host: Scope | null) => (this.byHost.get(host) ?? []).filter((other) => this.isTouchingOrGroup(other));
      const present = context === null ? own(null) : [...own(null), ...own(context)].sort((a, b) => a.order - b.order);
      this.presence.set(context, (known = { present, directories: sortedDirectories(present) }));
    }
    return known;
  }

  private isTouchingOrGroup(entry: Entry): boolean {
    return this.isTouching(entry) || entry.own.hasGroupFile;
  }

  private before(sorted: readonly Entry[], entry: Entry): Entry[] {
    return sorted.slice(0, sorted.indexOf(entry));
  }

  /** The places that directories tell apart: every folder that a section or .htaccess names, and any other. */
  private folders(present: readonly Entry[]): string[][] {
    const folders = new Map<string, string[]>([['', []]]);
    for (const entry of present) {
      // A folder that says nothing itself is a place of its own where a section in it does.
      const directory = entry.stage === 'files' ? entry.parent : entry;
      if (directory?.stage === 'directory') folders.set(directory.parts.join('/'), [...directory.parts]);
    }
    return [...folders.values()];
  }

  /** What applies in each folder that `holds`, up to the files and locations; `extra` are folders to look at besides. */
  private directorySequences(
    present: readonly Entry[], directories: readonly Entry[], holds: (folder: readonly string[]) => boolean, upTo: Entry | null, extra: readonly (readonly string[])[] = [],
  ): Sequence[] {
    const regexes = sortedPatterns(present);
    if (upTo !== null) regexes.splice(regexes.indexOf(upTo));
    return [...extra, ...this.folders(present).filter(holds)].map((folder) => ({
      folder,
      steps: [
        ...directories.flatMap((other) => step(other, appliesAt(other, folder))),
        ...regexes.flatMap((other) => (couldHold(other, folder) ? [{ entry: other, isCertain: false }] : [])),
      ],
    }));
  }

  private filesSequences(entry: Entry, present: readonly Entry[], directories: readonly Entry[]): Sequence[] {
    const { parent } = entry;
    const holds = (folder: readonly string[]) => parent === null || holdsFolder(parent, folder);
    const extra = parent?.stage === 'directory' ? [parent.parts] : [];
    const files = sortedFiles(present);
    const earlier = files.slice(0, files.indexOf(entry));
    return this.directorySequences(present, directories, holds, null, extra).map(({ folder, steps }) => ({
      folder,
      steps: [...forced(steps, parent), ...earlier.flatMap((other) => filesStep(other, filesOverlap(other, entry), folder))],
    }));
  }

  private locationSequences(entry: Entry, present: readonly Entry[], directories: readonly Entry[], context: Scope | null): Sequence[] {
    const places = this.placesOf(entry.prefix, context, !entry.isRegex);
    const isIn = (folder: readonly string[], place: Place) =>
      isBelow(folder, place.at) || (place.isPrefix && folder.join('/').startsWith(place.at.join('/')));
    const holds = (folder: readonly string[]) => places === null || places.some((place) => isIn(folder, place));
    // What begins with the same letters may lie in the folder around, or in another one there.
    const extra = (places ?? []).flatMap((place) => (place.isPrefix ? [place, { ...place, at: place.at.slice(0, -1) }] : [place]));
    const folders = this.directorySequences(present, directories, holds, null, extra.map(({ at }) => at));
    extra.forEach(({ base, at: path }, i) => {
      const depth = Math.max(base, ...directories.map(({ parts }) => (!parts.some(hasWildcard) && parts.every((part, at) => part === path[at]) ? parts.length : 0)));
      // Whether there is a folder that a pattern would match, nobody knows.
      const steps = folders[i].steps.map((known) => (known.entry.parts.length > depth && known.entry.parts.some(hasWildcard) ? { ...known, isCertain: false } : known));
      folders[i] = { ...folders[i], steps };
    });
    const earlier = present.filter((other) => other.stage === 'location' && isEarlierLocation(other, entry));
    const proxies = present.filter((other) => other.stage === 'proxy');
    const mayProxy = proxies.length > 0 || this.someLine(({ line }) => /^(proxypass(match)?|rewriterule|proxyrequests)$/.test(line.name));
    const proxied: Sequence[] = mayProxy ? [{ folder: null, steps: proxies.map((other) => ({ entry: other, isCertain: false })) }] : [];
    return [...folders, ...proxied].map(({ folder, steps }) => ({
      folder,
      steps: [
        ...steps,
        ...sortedFiles(present).flatMap((other) => filesStep(other, 'maybe', folder)),
        ...earlier.flatMap((other) => step(other, locationOverlap(other, entry))),
      ],
    }));
  }

  /** The folders that URLs with this prefix lead to; null where nobody knows. */
  private placesOf(prefix: string, context: Scope | null, isExact: boolean): Place[] | null {
    const scopes = context ? [context, this.configuration.root] : [this.configuration.root];
    const lines = scopes.flatMap((scope) => scope.lines);
    const has = (...names: string[]) => lines.some(({ line }) => names.includes(line.name));
    if (has('aliasmatch', 'scriptaliasmatch', 'userdir', 'virtualdocumentroot', 'virtualdocumentrootip', 'virtualscriptalias', 'rewriterule', 'proxypass', 'proxypassmatch')) return null;
    if (this.someLine(({ line }) => line.name === 'rewriterule')) return null;
    const roots = scopes.map((scope) => scope.lines.filter(({ line }) => line.name === 'documentroot')).find((found) => found.length > 0) ?? [];
    if (roots.some(({ activity }) => activity !== 'active')) return null;
    const root = roots.at(-1);
    const rootPath = root && argumentsOf(root.line)[0]?.value;
    if (!rootPath || rootPath.includes('${') || !prefix.startsWith('/')) return null;
    const documentRoot = resolvePath(this.configuration.serverRoot, rootPath);
    const places: Place[] = [];
    const wanted = prefix.replace(/\/+/g, '/');
    let isCovered = false;
    for (const { line, activity } of lines) {
      if (line.name !== 'alias' && line.name !== 'scriptalias') continue;
      const [url, target] = argumentsOf(line).map((word) => word.value);
      if (!url || !target || url.includes('${') || target.includes('${')) return null;
      // "/icons/" for "/srv/icons" makes "/srv/iconsfile" of "/icons/file".
      if (url.endsWith('/') !== target.endsWith('/')) return null;
      const at = resolvePath(this.configuration.serverRoot, target);
      const under = url.replace(/\/$/, '');
      if (wanted === under || wanted.startsWith(`${under}/`)) {
        places.push({ at: partsOf(at + wanted.slice(under.length)), isPrefix: !isExact && wanted !== under, base: partsOf(at).length });
        // A pattern's letters may go on, and `Alias /a/` leaves /a itself to others; so does one that may not be there.
        isCovered = (wanted !== under || (isExact && under === url)) && activity === 'active';
        if (isCovered) break;
        continue;
      }
      if (under.startsWith(wanted.replace(/\/$/, ''))) places.push({ at: partsOf(at), isPrefix: false, base: partsOf(at).length });
    }
    if (!isCovered) places.push({ at: partsOf(documentRoot + wanted), isPrefix: !isExact && !wanted.endsWith('/'), base: partsOf(documentRoot).length });
    return places;
  }

  // --- All or nothing ------------------------------------------------------------------------------------------------

  private relate(a: Entry, b: Entry): void {
    if (a === b || !this.isTouching(a) || !this.isTouching(b)) return;
    (this.related.get(a) ?? this.related.set(a, new Set()).get(a)!).add(b);
    (this.related.get(b) ?? this.related.set(b, new Set()).get(b)!).add(a);
  }

  /**
   * What stays as it was is decided by mod_access_compat beside the new lines: a refusal of either refuses. So sections that may
   * apply to one request are converted together or not at all. Only what refuses everybody does so either way, where it comes
   * later (else an old section behind it could have let somebody in) and where no Satisfy Any lets requests pass beside it.
   */
  private spreadRefusals(): void {
    const hasAny = this.entries.some(({ own }) => [...own.satisfy.values()].includes('any'));
    const pending = [...this.refused.keys()];
    for (let entry = pending.pop(); entry; entry = pending.pop()) {
      for (const other of this.related.get(entry) ?? []) {
        if (this.refused.has(other)) continue;
        if (!hasAny && this.refusesAlone(other) && STAGES.indexOf(entry.stage) < STAGES.indexOf(other.stage)) continue;
        if (!this.converted.has(other)) continue;
        this.refused.set(other, `it applies to the same requests as ${nameOf(entry.scope)}, which is not converted: ${this.refused.get(entry)!}`);
        pending.push(other);
      }
    }
  }

  /** Whether a section's own host rules refuse everybody, whatever they stand on. */
  private refusesAlone(entry: Entry): boolean {
    if (entry.own.host === null || entry.own.obstacle !== null) return false;
    const tree = this.treeOf(this.fold(this.start(), entry));
    return typeof tree !== 'string' && tree.type === 'denied';
  }
}

const OLD_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

/** A section that comes before, and whether it surely applies. */
interface Step {
  readonly entry: Entry;
  readonly isCertain: boolean;
}

/** A place that a section may apply at, and what comes before it there. */
interface Sequence {
  /** The folder, null for what is no folder (proxied requests). */
  readonly folder: readonly string[] | null;
  readonly steps: readonly Step[];
}

/** A folder that URLs lead to; as a prefix, its name may go on. */
interface Place {
  readonly at: readonly string[];
  readonly isPrefix: boolean;
  /** How many of its components are there for sure; the others may be a handler's invention. */
  readonly base: number;
}

/** A Files section, in a folder; proxied requests have files, too, as far as the server level goes. */
function filesStep(other: Entry, overlap: Applies, folder: readonly string[] | null): Step[] {
  if (overlap === 'no') return [];
  const { parent } = other;
  if (parent === null) return [{ entry: other, isCertain: overlap === 'yes' && !other.isOptional }];
  if (folder === null || !holdsFolder(parent, folder)) return [];
  const isInPlace = parent.stage === 'directory' && appliesAt(parent, folder) === 'yes' && !parent.isOptional;
  return [{ entry: other, isCertain: overlap === 'yes' && isInPlace && !other.isOptional }];
}

function step(entry: Entry, applies: Applies): Step[] {
  return applies === 'no' ? [] : [{ entry, isCertain: applies === 'yes' && !entry.isOptional }];
}

/** A section inside another applies only where that one does. */
function forced(steps: readonly Step[], parent: Entry | null): Step[] {
  return steps.map((known) => (known.entry === parent ? { ...known, isCertain: true } : known));
}

function branch(method: Tree24 & { type: 'method' }, tree: Tree24): Tree24 {
  if (tree.type === 'denied') return tree;
  if (tree.type === 'granted') return method.isNegated ? { type: 'all', of: [method, tree] } : method;
  // Another tree may hold only negatives beside its "all granted": that stays in.
  const inner = tree.type === 'all' ? tree.of : [tree];
  return { type: 'all', of: [method, ...inner] };
}

function isAccessLine({ line }: ConfigLine): boolean {
  return line.name === 'order' || line.name === 'allow' || line.name === 'deny' || line.name === 'satisfy' || line.name === 'require';
}

/** Conditionals around the whole of what a file has are those of its scope. */
function isSameFileTop(line: ConfigLine): boolean {
  return line.activity === 'active';
}

/** Order of the directory stage: by depth, then main server before virtual host, then by reading order; .htaccess behind the sections of its depth. */
function sortedDirectories(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'directory').sort(byRank(directoryRank));
}

function directoryRank(entry: Entry): number[] {
  return [entry.parts.length, Number(entry.isHtaccess), hostRank(entry), entry.order];
}

/** Regular expressions come behind all directories, by the slashes that their text has (reorder_sorter in server/core.c). */
function patternRank(entry: Entry): number[] {
  return [entry.pattern.split('/').length, hostRank(entry), entry.order];
}

function byRank(rank: (entry: Entry) => number[]): (a: Entry, b: Entry) => number {
  return (a, b) => {
    const first = rank(a);
    const second = rank(b);
    const at = first.findIndex((value, i) => value !== second[i]);
    return at < 0 ? 0 : first[at] - (second[at] ?? -1);
  };
}

function sortedPatterns(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'directorymatch').sort(byRank(patternRank));
}

/** Server level, virtual host, then those of directories, in the directories' order. */
function sortedFiles(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.stage === 'files').sort(byRank(filesRank));
}

function filesRank(entry: Entry): number[] {
  const { parent } = entry;
  if (parent === null) return [0, hostRank(entry), entry.order];
  return parent.stage === 'directory' ? [1, ...directoryRank(parent), entry.order] : [2, ...patternRank(parent), entry.order];
}

/** What of a section's argument keeps us from knowing where it applies, or from its applying alike in both versions. */
function argumentProblem({ scope, stage, isHtaccess, isRegex, pattern }: Entry): string | null {
  if (scope.words.some((word) => word.includes('${'))) return 'a variable stands in its tag';
  if (isHtaccess) return null;
  if (scope.words.length === 0) return 'its tag names nothing';
  if (stage === 'directory' && !scope.words[0].startsWith('/')) return 'its path is not an absolute one';
  // REG_NOTEOL in ap_directory_walk of 2.2.
  if (stage === 'directorymatch' && /(^|[^\\])(\\\\)*\$/.test(pattern)) return 'its pattern has a $, which matched nothing in 2.2 and matches the end in 2.4';
  if (isRegex && /^(.*~|.*match)$/.test(`${scope.kind}${scope.words[0] === '~' ? '~' : ''}`) && pattern === '') return 'its tag names no pattern';
  return null;
}

function hostRank(entry: Entry): number {
  return entry.host === null ? 0 : 1;
}

/** Whether `other`, which comes first, applies to what `entry` (a directory) applies to. */
function appliesBelow(other: Entry, entry: Entry): Applies {
  return appliesAt(other, entry.parts);
}

/** Whether a directory section applies in a folder whose own components may be patterns. */
function appliesAt(entry: Entry, folder: readonly string[]): Applies {
  if (entry.parts.length > folder.length) {
    // A pattern further down may match folders that nobody names; a literal one is a place of its own.
    const isPattern = entry.parts.some(hasWildcard);
    return isPattern && folder.every((part, i) => partMatch(entry.parts[i], part) !== 'no') ? 'maybe' : 'no';
  }
  let result: Applies = 'yes';
  for (let i = 0; i < entry.parts.length; i++) {
    const match = partMatch(entry.parts[i], folder[i]);
    if (match === 'no') return 'no';
    if (match === 'maybe') result = 'maybe';
  }
  return result;
}

function partMatch(pattern: string, part: string): Applies {
  if (pattern === part) return 'yes';
  if (!hasWildcard(pattern) && !hasWildcard(part)) return 'no';
  if (!hasWildcard(part)) return globPattern(pattern).test(part) ? 'yes' : 'no';
  return 'maybe';
}

/** Whether the section may apply somewhere at or below a folder, or the folder is one it may apply in. */
function couldHold(entry: Entry, folder: readonly string[]): boolean {
  const path = `/${folder.join('/')}`;
  return path.startsWith(entry.prefix) || entry.prefix.startsWith(path) || hasWildcard(path);
}

/** Whether a folder is the section's, or lies below it. */
function holdsFolder(parent: Entry, folder: readonly string[]): boolean {
  if (parent.stage === 'directory') return parent.parts.length <= folder.length && appliesAt(parent, folder) !== 'no';
  return couldHold(parent, folder);
}

function isBelow(folder: readonly string[], place: readonly string[]): boolean {
  return folder.length >= place.length && place.every((part, i) => partMatch(folder[i], part) !== 'no');
}

function filesOverlap(a: Entry, b: Entry): Applies {
  if (a.pattern === b.pattern && a.isRegex === b.isRegex) return 'yes';
  const isPlain = (entry: Entry) => !entry.isRegex && !hasWildcard(entry.pattern);
  if (isPlain(a) && isPlain(b)) return 'no';
  if (isPlain(b)) return matchesName(a, b.pattern);
  if (isPlain(a)) return matchesName(a, b.pattern) === 'no' && matchesName(b, a.pattern) === 'no' ? 'no' : 'maybe';
  return 'maybe';
}

/** Whether a Files section matches a plain name; regular expressions as far as they read alike to PCRE and here. */
function matchesName(entry: Entry, name: string): Applies {
  if (!entry.isRegex) return globPattern(entry.pattern).test(name) ? 'yes' : 'no';
  if (!isPlainRegex(entry.pattern)) return 'maybe';
  return new RegExp(entry.pattern).test(name) ? 'yes' : 'no';
}

function isPlainRegex(source: string): boolean {
  if (source.length > 500 || /\(\?|\[\[|[+*?}][+*]|\\[^.\\\/dwsDWS$^|()[\]{}+*?-]/.test(source)) return false;
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

/** Locations apply in reading order, those of the main server first. */
function isEarlierLocation(other: Entry, entry: Entry): boolean {
  return hostRank(other) < hostRank(entry) || (hostRank(other) === hostRank(entry) && other.order < entry.order);
}

function locationOverlap(other: Entry, entry: Entry): Applies {
  const a = other.prefix;
  const b = entry.prefix;
  if (!other.isRegex) {
    if (b.startsWith(a.endsWith('/') ? a : `${a}/`)) return 'yes';
    // What a pattern matches may go on behind the same letters.
    if (b === a) return entry.isRegex ? 'maybe' : 'yes';
    // The other one is further in, or begins with the same letters as a pattern of ours.
    return a.startsWith(b) ? 'maybe' : 'no';
  }
  if (other.pattern === entry.pattern && entry.isRegex) return 'yes';
  return a.startsWith(b) || b.startsWith(a) ? 'maybe' : 'no';
}

/** The text that everything a regular expression matches starts with, '' unless it is anchored. */
function literalPrefix(source: string): string {
  if (!source.startsWith('^')) return '';
  if (/\|/.test(source)) return '';
  const literal = /^\^((?:[\w\/-]|\\\.)*)/.exec(source)![1];
  const next = source[1 + literal.length] ?? '';
  // A quantifier belongs to the character before it.
  const kept = /[?*{+]/.test(next) ? literal.replace(/(\\\.|.)$/, '') : literal;
  return kept.replace(/\\\./g, '.');
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Methods that both versions register from the start; HEAD shares GET's number. */
const METHODS = new Set([
  'GET', 'PUT', 'POST', 'DELETE', 'CONNECT', 'OPTIONS', 'PATCH', 'PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'VERSION-CONTROL', 'CHECKOUT',
  'UNCHECKOUT', 'CHECKIN', 'UPDATE', 'LABEL', 'REPORT', 'MKWORKSPACE', 'MKACTIVITY', 'BASELINE-CONTROL', 'MERGE',
]);

function methodOf(word: string): MethodClass | null {
  if (word === 'HEAD') return 'GET';
  return METHODS.has(word) ? word : null;
}

function stateKey(state: State): string {
  return JSON.stringify([[...state.byMethod], state.hasGroupFile, state.isTouched, state.isCertainlyTouched]);
}

/** What people call a section. */
export function nameOf(scope: Scope): string {
  if (scope.kind === 'htaccess') return `the .htaccess in ${scope.folder}`;
  return `<${scope.kind}${scope.words.length > 0 ? ` ${scope.words.join(' ')}` : ''}>`;
}
