/** What AllowOverride says of a folder's .htaccess files: it goes by folders, not by requests. */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { hasWildcard, resolvePath } from '../config/files';
import { argumentsOf, type Line } from '../syntax/line';
import { partMatch, partsOf } from './entries';

/**
 * The words of AllowOverride in effect in a folder, in lower case: 2.2's default is All. null where nobody can say, because a pattern
 * or a virtual host has its own.
 */
export function overrideAt(configuration: Configuration, folder: string): readonly string[] | null {
  return overrideWords(configuration, folder)?.words ?? null;
}

/** The AllowOverride line in effect in a folder; null where nobody can say, or where there is none. */
export function overrideLine(configuration: Configuration, folder: string): ConfigLine | null {
  const { literal } = overridesOf(configuration);
  const parts = partsOf(folder);
  const lines = [...parts.keys(), parts.length].flatMap((depth) => (literal.get(`/${parts.slice(0, depth).join('/')}`) ?? []).flatMap((scope) => scope.lines));
  return overrideWords(configuration, folder) ? (lines.findLast(({ line }) => line.name === 'allowoverride') ?? null) : null;
}

/**
 * The same where virtual hosts have an AllowOverride of their own: what holds for all those that serve the folder, by DocumentRoot or Alias. null where they
 * do not agree, or where anything else than a literal path may hold.
 */
export function overrideInHosts(configuration: Configuration, folder: string): readonly string[] | null {
  const { elsewhere: { scopes, isAnywhere } } = overridesOf(configuration);
  const parts = partsOf(folder);
  const own = scopes.filter((scope) => couldBeAt(resolvePath('/', scope.words[0] ?? ''), parts));
  const isOfHost = ({ kind, activity, words, parent }: Scope) => kind === 'directory' && activity === 'active' && parent?.kind === 'virtualhost' && !/[*?[$]/.test(words[0] ?? '');
  if (isAnywhere || !own.every(isOfHost)) return null;
  const hosts = configuration.root.children.filter(({ kind }) => kind === 'virtualhost');
  const rootOf = (scope: Scope) => scope.lines.findLast(({ line }) => line.name === 'documentroot');
  const isUnder = ({ expanded }: ConfigLine, index: number) => {
    const path = argumentsOf(expanded)[index]?.value;
    return path !== undefined && `${folder}/`.startsWith(`${resolvePath(configuration.serverRoot, path)}/`);
  };
  const serves = (scope: Scope): boolean => {
    const root = rootOf(scope);
    return (root !== undefined && isUnder(root, 0)) || scope.lines.some((at) => (at.line.name === 'alias' || at.line.name === 'scriptalias') && isUnder(at, 1));
  };
  const isOfMain = serves(configuration.root);
  // What the main server serves, its hosts do, too: by an Alias all of them.
  const serving = [...(isOfMain ? [null] : []), ...hosts.filter((host) => serves(host) || (isOfMain && own.some(({ parent }) => parent === host)))];
  const answers = serving.map((host) => wordsAt(configuration, folder, own.filter(({ parent }) => parent === host)));
  const [first] = answers;
  return first && answers.every((words) => words?.join() === first.join()) ? first : null;
}

/** 2.2's default. */
const ALL: readonly string[] = ['all'];

/** Of the main server's literal sections and these, each behind the main server's for its folder. */
function wordsAt(configuration: Configuration, folder: string, own: readonly Scope[]): readonly string[] | null {
  const { literal } = overridesOf(configuration);
  const parts = partsOf(folder);
  let words: readonly string[] | null = ALL;
  for (const depth of [...parts.keys(), parts.length]) {
    const path = `/${parts.slice(0, depth).join('/')}`;
    for (const { lines } of [...(literal.get(path) ?? []), ...own.filter((scope) => resolvePath('/', scope.words[0] ?? '') === path)]) {
      for (const { line, expanded, activity } of lines) if (line.name === 'allowoverride') words = activity === 'active' ? wordsOf(expanded) : null;
    }
  }
  return words?.filter((word) => word !== 'none') ?? null;
}

/** Whether no AllowOverride stands over a folder: 2.2 takes all of a .htaccess there, and 2.4 nothing: it answers 500 where there is a line. */
export function isOverrideDefault(configuration: Configuration, folder: string): boolean {
  const { literal } = overridesOf(configuration);
  const parts = partsOf(folder);
  // Whatever holds elsewhere: there is one.
  if ([...parts.keys(), parts.length].some((depth) => literal.has(`/${parts.slice(0, depth).join('/')}`))) return false;
  return overrideWords(configuration, folder)?.isDefault === true;
}

/**
 * Every place with an AllowOverride of its own, `/` among them, by the folder at which it begins to hold; null for one that nobody can name
 * (patterns, virtual hosts, conditionals). Words as for `overrideAt`.
 */
export function overrideFolders(configuration: Configuration): { readonly folder: string | null; readonly words: readonly string[] | null }[] {
  const { literal, elsewhere: { scopes } } = overridesOf(configuration);
  const named = ['/', ...literal.keys()].map((folder) => ({ folder, words: overrideAt(configuration, folder) }));
  const elsewhere = scopes.flatMap(({ lines }) => lines.filter(({ line }) => line.name === 'allowoverride').map(({ expanded }) => ({ folder: null, words: wordsOf(expanded) })));
  return [...named, ...elsewhere];
}

interface Overrides {
  /** Sections of literal folders of the main server, by their folder. */
  readonly literal: ReadonlyMap<string, readonly Scope[]>;
  /** All the others that have an AllowOverride, looked for when somebody asks. */
  readonly elsewhere: Elsewhere;
}

interface Elsewhere {
  /** Paths with wildcards, or of virtual hosts. */
  readonly patterns: readonly string[];
  readonly scopes: readonly Scope[];
  /** Some regular expression, virtual host or conditional has an AllowOverride: nobody knows where it holds. */
  readonly isAnywhere: boolean;
}

const known = new WeakMap<Configuration, Overrides>();

function overridesOf(configuration: Configuration): Overrides {
  const before = known.get(configuration);
  if (before) return before;
  const literal = new Map<string, Scope[]>();
  for (const scope of configuration.root.children) {
    const folder = literalFolder(scope);
    if (folder !== null && saysOverride(scope)) literal.set(folder, [...(literal.get(folder) ?? []), scope]);
  }
  let found: Elsewhere | null = null;
  const overrides: Overrides = {
    literal,
    get elsewhere() {
      return (found ??= elsewhereIn(configuration));
    },
  };
  known.set(configuration, overrides);
  return overrides;
}

/** The folder of a section that holds for it, whoever asks; null for others. */
function literalFolder(scope: Scope): string | null {
  if (scope.kind !== 'directory' || scope.activity !== 'active' || scope.parent?.kind !== 'server' || scope.words[0] === '~' || scope.words[0]?.includes('${')) return null;
  const path = resolvePath('/', scope.words[0] ?? '');
  return hasWildcard(path) ? null : path;
}

function saysOverride(scope: Scope): boolean {
  return scope.names?.has('allowoverride') !== false && scope.lines.some(({ line }) => line.name === 'allowoverride');
}

function elsewhereIn(configuration: Configuration): Elsewhere {
  const patterns: string[] = [];
  const scopes: Scope[] = [];
  let isAnywhere = false;
  const walk = (scope: Scope): void => {
    for (const child of scope.children) {
      if (child.names?.has('allowoverride') === false) continue;
      walk(child);
      if (!saysOverride(child) || literalFolder(child) !== null) continue;
      scopes.push(child);
      if (child.kind !== 'directory' || child.words[0] === '~') isAnywhere = true;
      else patterns.push(resolvePath('/', child.words[0] ?? ''));
    }
  };
  walk(configuration.root);
  return { patterns, scopes, isAnywhere };
}

function overrideWords(configuration: Configuration, folder: string): { readonly words: readonly string[]; readonly isDefault: boolean } | null {
  const { literal, elsewhere: { patterns, isAnywhere } } = overridesOf(configuration);
  const parts = partsOf(folder);
  let words: readonly string[] | null = ['all'];
  let isDefault = true;
  let isKnown = !isAnywhere && !patterns.some((own) => couldBeAt(own, parts));
  for (let depth = 0; depth <= parts.length; depth++) {
    for (const { line, expanded, activity } of (literal.get(`/${parts.slice(0, depth).join('/')}`) ?? []).flatMap(({ lines }) => lines)) {
      if (line.name !== 'allowoverride') continue;
      if (activity !== 'active') isKnown = false;
      words = wordsOf(expanded);
      isDefault = false;
    }
  }
  return isKnown && words !== null ? { words: words.filter((word) => word !== 'none'), isDefault } : null;
}

/** In lower case; null where a variable stands among them. */
function wordsOf(line: Line): readonly string[] | null {
  const words = argumentsOf(line).map((word) => word.value.toLowerCase());
  return words.some((word) => word.includes('${')) ? null : words;
}

function couldBeAt(path: string, parts: readonly string[]): boolean {
  if (depthOf(path) > parts.length) return false;
  const own = partsOf(path);
  return own.every((part, i) => i >= parts.length || partMatch(part, parts[i]) !== 'no') && own.length <= parts.length;
}

/** Of a path as resolvePath gives it. */
function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}
