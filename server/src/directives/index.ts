/**
 * Facts about every directive and module of httpd 2.2 and 2.4: its module, where it may be used,
 * its arguments, and what changed.
 *
 * The facts come from both manuals, from the command tables in both sources and of running servers
 * (2.2.35, 2.4.71), combined in data/. If they disagree, the running server is right
 * (test/directives/apache2-L.test.ts asks it again). The notes are our own. A line of the tables is
 * parsed when it is first needed.
 */
import { cache, counters, lazy } from '../syntax/memory';
import { fieldsOf, type Fields, commaSeparated, tables } from './tables';

/** The versions of httpd that this program knows. */
export type Version = '2.2' | '2.4';

/** httpd's contexts, and one more for `SSLProxy` directives that are allowed in <Proxy>. */
export type Place = 'server config' | 'virtual host' | 'directory' | '<Proxy> section' | '.htaccess';

/**
 * The ways in which directives take arguments, as httpd's command tables name them
 * (include/http_config.h).
 */
export type ArgumentKind =
  | 'RAW_ARGS'
  | 'TAKE1'
  | 'TAKE2'
  | 'TAKE3'
  | 'TAKE12'
  | 'TAKE23'
  | 'TAKE123'
  | 'TAKE_ARGV'
  | 'ITERATE'
  | 'ITERATE2'
  | 'FLAG';

/**
 * The change of a directive between 2.2 and 2.4. `error`: both versions know the name only to
 * refuse it. `neither`: no version has it, but users meet the name. `values`: an argument is read
 * differently. `contexts`: it is allowed in other places, or needs another AllowOverride.
 */
export type ChangeKind =
  | 'neither'
  | 'error'
  | 'removed'
  | 'new'
  | 'ignored'
  | 'renamed'
  | 'moved'
  | 'default'
  | 'contexts'
  | 'arguments'
  | 'values'
  | 'kept';

/** The facts of a directive in one version. */
export interface DirectiveFacts {
  /**
   * The modules that have the directive. One of them must be loaded or compiled in. Names as in the
   * manual: `core`, `mod_alias`, `event`.
   */
  readonly modules: readonly string[];
  /** The page in the manual: a module, or `mpm_common`. */
  readonly page: string;
  /** The URL of the directive's entry in the manual, or of the page if the manual has no entry. */
  readonly manual: string;
  /** The places where the server accepts the directive (not what the manual says). */
  readonly contexts: readonly Place[];
  /**
   * The classes of AllowOverride that allow the directive in a .htaccess file; any one is enough.
   * `All` if each of the five classes allows it.
   */
  readonly override: readonly string[];
  /** The syntax of the directive in the manual, one item for each form. */
  readonly syntax: readonly string[];
  readonly default?: string;
  /** The release that introduced the directive, or its present form. */
  readonly since?: string;
  /** The kind of arguments in the command table; undefined if only the manual has the name. */
  readonly arguments?: ArgumentKind;
  /** The flags in the command table: RSRC_CONF, ACCESS_CONF, OR_FILEINFO, … */
  readonly flags: readonly string[];
  /** The status in the manual: Core, Base, Extension, MPM, Experimental, Deprecated. */
  readonly status?: string;
  /** The platforms that have the directive. Empty if every platform does. */
  readonly platforms: readonly string[];
  /** Whether the manual has an entry for the directive. */
  readonly documented: boolean;
  /** Whether the manual advises against the directive. */
  readonly deprecated: boolean;
  /** Whether httpd executes the line while it reads the file, and not afterwards. */
  readonly execOnRead: boolean;
}

/** A directive or section, with its facts in each version that has it. */
export interface Directive {
  /** In the manual's spelling. The name of a section has no `<`. */
  readonly name: string;
  /** Whether it is a section, such as `<Limit>`. */
  readonly section: boolean;
  readonly '2.2'?: DirectiveFacts;
  readonly '2.4'?: DirectiveFacts;
  /** The most severe change between 2.2 and 2.4: the first of `changes`. */
  readonly fate: ChangeKind;
  /** All changes, the most severe first; only `kept` if there is none. */
  readonly changes: readonly ChangeKind[];
  /** Directives to write instead or in addition; a section with its `<`. */
  readonly replacements: readonly string[];
  /** What the change means for a configuration, in one or two sentences of Markdown. */
  readonly note?: string;
}

/** The facts of a module in one version. */
export interface ModuleFacts {
  /** As in LoadModule: `alias_module`. undefined for a page of the manual that is no module. */
  readonly identifier?: string;
  /** As in `<IfModule>`: `mod_alias.c`. */
  readonly sourceFile?: string;
  /** As in LoadModule: `mod_alias.so`, `mod_mpm_event.so`. */
  readonly sharedObject?: string;
  readonly status: string;
  readonly manual: string;
}

/** A module, with its facts in each version that has it. */
export interface Module {
  /** As in the manual: `core`, `mod_alias`, `event`. */
  readonly name: string;
  readonly '2.2'?: ModuleFacts;
  readonly '2.4'?: ModuleFacts;
  readonly fate: 'removed' | 'new' | 'renamed' | 'changed' | 'kept';
  readonly replacements: readonly string[];
  readonly note?: string;
  /** Modules whose LoadModule lines must come before the line of this module in 2.4. */
  readonly loadAfter: readonly string[];
}

/**
 * What a module can provide under a name: a method of authorization, a cache, a filter and so on.
 */
export type ProviderKind =
  | 'authz'
  | 'authn'
  | 'socache'
  | 'lbmethod'
  | 'slotmem'
  | 'cache'
  | 'outputFilters'
  | 'inputFilters'
  | 'dav'
  | 'rewriteInternalMaps'
  | 'mutex';

/**
 * The directive with this name, in upper or lower case. A few names are both a directive and a
 * section (`MDomain`): the section is found with `<` before the name or with `section: true`, and
 * never with `section: false`. Undefined if no module of httpd has it.
 */
export function directive(name: string, { section }: { section?: boolean } = {}): Directive | undefined {
  const plainName = name.replace(/^<\/?/, '').replace(/>$/, '').toLowerCase();
  const isSectionWanted = section ?? (name.startsWith('<') || undefined);
  if (isSectionWanted === undefined) return directiveOf(plainName) ?? directiveOf(`<${plainName}`);
  return directiveOf(isSectionWanted ? `<${plainName}` : plainName);
}

/** Every directive and section of both versions, by name. */
export function directives(): readonly Directive[] {
  return [...tables().directives.keys()].map((key) => directiveOf(key)!);
}

/** Parses all lines of the table, and pauses (`yield`) after some of them. */
export function* readDirectives(): Generator<void> {
  for (const [index, key] of [...tables().directives.keys()].entries()) {
    if (index % LINES_PER_STEP === 0) yield;
    directiveOf(key);
  }
}

/** How many lines are parsed in one step, which takes about a millisecond. */
const LINES_PER_STEP = 50;

/**
 * The module with that name (`mod_alias`), identifier (`alias_module`), source file (`mod_alias.c`)
 * or file (`mod_alias.so`). Undefined for other names, also of third-party modules.
 */
export function module(name: string): Module | undefined {
  return moduleByAnyName().get(name.replace(/^.*[/\\]/, '').toLowerCase());
}

/** Every module of both versions, by name. */
export function modules(): readonly Module[] {
  return [...new Set(moduleByAnyName().values())];
}

/** The directives of a module in a version. */
export function directivesOf({ name }: Module, version: Version): readonly Directive[] {
  return directives().filter(
    (candidate) => candidate[version]?.modules.includes(name) && candidate[version]?.arguments,
  );
}

/**
 * The modules by the names that they provide: `providers('authz', '2.4').get('ip')` is
 * `['mod_authz_host']`. For 2.2, `authz` has the words that its modules accepted after Require. The
 * data is from the registrations in httpd's source.
 */
export function providers(kind: ProviderKind, version: Version): ReadonlyMap<string, readonly string[]> {
  const keyPrefix = `${version}~${kind}~`;
  let cachedProviders = providersByKind.get(keyPrefix);
  if (!cachedProviders) {
    const providerLine = tables().providers.find((candidate) => candidate.startsWith(keyPrefix));
    const providerItems = providerLine ? commaSeparated(fieldsOf(providerLine, 3)[2]) : [];
    providersByKind.set(
      keyPrefix,
      (cachedProviders = new Map(
        providerItems.map((item) => [item.slice(0, item.indexOf(':')), item.slice(item.indexOf(':') + 1).split('+')]),
      )),
    );
  }
  return cachedProviders;
}

const providersByKind = cache<string, ReadonlyMap<string, readonly string[]>>();

/** The name as users write it: `Options`, `<Limit>`. */
export function displayName({ name, section }: Pick<Directive, 'name' | 'section'>): string {
  return section ? `<${name}>` : name;
}

// ---- Directives ----

const directiveByKey = cache<string, Directive>();

/**
 * The directive with this key of the tables: the name in lower case, a section's with `<`.
 * Undefined if the tables lack it.
 */
function directiveOf(key: string): Directive | undefined {
  const line = tables().directives.get(key);
  if (line === undefined) return undefined;
  let cachedDirective = directiveByKey.get(key);
  if (!cachedDirective) {
    parsedDirectiveCounts.lines++;
    directiveByKey.set(key, (cachedDirective = parseDirective(line)));
  }
  return cachedDirective;
}

/** Counter for tests: lines parsed since the start of the program. */
export const parsedDirectiveCounts = counters({ lines: 0 });

function parseDirective(line: string): Directive {
  const [key, fate, replacements, note, sameDefault, ...fieldsOfVersions] = fieldsOf(line, 17);
  const fieldsOf22 = fieldsOfVersions.slice(0, 6) as unknown as Fields<6>;
  const fieldsOf24 = fieldsOfVersions
    .slice(6)
    .map((field, index) => (field === '=' ? fieldsOf22[index] : field)) as unknown as Fields<6>;
  const name = key.replace('<', '');
  const facts22 = parseFacts(key, '2.2', fieldsOf22);
  const facts24 = parseFacts(key, '2.4', fieldsOf24);
  const changes = changesOf({
    notedFate: fate as ChangeKind | '',
    hasSameDefault: sameDefault !== '',
    facts22,
    facts24,
  });
  return {
    name,
    section: key !== name,
    ...(facts22 && { '2.2': facts22 }),
    ...(facts24 && { '2.4': facts24 }),
    fate: changes[0]!,
    changes,
    replacements: commaSeparated(replacements),
    ...(note !== '' && { note }),
  };
}

/**
 * The facts about a directive in one version; undefined if the tables have none. `key`: the name of
 * the directive, for which `&` stands in the syntax.
 */
function parseFacts(key: string, version: Version, row: Fields<6>): DirectiveFacts | undefined {
  const [homeIndex, shapeIndex, since, defaultText, syntax, anchor] = row;
  if (homeIndex === '') return undefined;
  const [page, list] = tables().homes[Number(homeIndex)]!.split(':') as [string, string?];
  const [places, argumentKind, flagList, status, platforms, marks] = fieldsOf(tables().shapes[Number(shapeIndex)]!, 6);
  const withDirectiveName = (text: string) => text.replace(/^&/, key);
  const flags = commaSeparated(flagList);
  return {
    modules: list ? commaSeparated(list) : [page],
    page,
    manual: manualPage(page, version) + (anchor === '-' ? '' : `#${anchor || key.replace('<', '').toLowerCase()}`),
    contexts: [...places].map((letter) => PLACE_OF_FLAG[letter]!),
    override: overrideClassesOf(flags),
    syntax: syntax === '' ? [] : syntax.split('^').map(withDirectiveName),
    ...(defaultText !== '' && { default: withDirectiveName(defaultText) }),
    ...(since !== '' && { since }),
    ...(argumentKind !== '' && { arguments: argumentKind as ArgumentKind }),
    flags,
    ...(status !== '' && { status }),
    platforms: commaSeparated(platforms),
    documented: !marks.includes('u'),
    deprecated: marks.includes('d'),
    execOnRead: marks.includes('x'),
  };
}

const PLACE_OF_FLAG: Readonly<Record<string, Place>> = {
  s: 'server config',
  v: 'virtual host',
  d: 'directory',
  p: '<Proxy> section',
  h: '.htaccess',
};

const OVERRIDE_OF_FLAG: Readonly<Record<string, string>> = {
  OR_AUTHCFG: 'AuthConfig',
  OR_FILEINFO: 'FileInfo',
  OR_INDEXES: 'Indexes',
  OR_LIMIT: 'Limit',
  OR_OPTIONS: 'Options',
};

function overrideClassesOf(flags: readonly string[]): string[] {
  const classes = Object.keys(OVERRIDE_OF_FLAG).filter((flag) => flags.includes(flag));
  return classes.length === 5 ? ['All'] : classes.map((flag) => OVERRIDE_OF_FLAG[flag]!);
}

/** What `changesOf` compares. */
interface Comparison {
  /**
   * The change that notes.json states, because a comparison of the facts cannot show it; '' for
   * none.
   */
  readonly notedFate: ChangeKind | '';
  readonly hasSameDefault: boolean;
  readonly facts22?: DirectiveFacts;
  readonly facts24?: DirectiveFacts;
}

/** The changes of a directive between 2.2 and 2.4, the most severe first. */
function changesOf({ notedFate, hasSameDefault, facts22, facts24 }: Comparison): ChangeKind[] {
  if (!facts22?.arguments && !facts24?.arguments) return ['neither'];
  if (!facts24?.arguments) return ['removed'];
  if (!facts22?.arguments) return ['new'];
  const changes: ChangeKind[] = [];
  if (notedFate !== '') changes.push(notedFate);
  if (facts22.page !== facts24.page) changes.push('moved');
  if (!hasSameDefault && comparableText(facts22.default) !== comparableText(facts24.default)) changes.push('default');
  if (!areEqual(facts22.contexts, facts24.contexts) || !areEqual(facts22.override, facts24.override))
    changes.push('contexts');
  if (facts22.arguments !== facts24.arguments) changes.push('arguments');
  return changes.length > 0 ? changes : ['kept'];
}

function comparableText(text: string | undefined): string {
  return (text ?? '').toLowerCase().replaceAll('"', '');
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join();
}

// ---- Modules ----

/** Every module by each of its names, in lower case: name, identifier, source file, and file. */
const moduleByAnyName = lazy((): ReadonlyMap<string, Module> => collectModules());

function collectModules(): Map<string, Module> {
  const loadAfterByModule = new Map(
    tables()
      .loadAfter.map((line) => fieldsOf(line, 2))
      .map(([name, list]) => [name, commaSeparated(list)]),
  );
  const modules = tables().modules.map((line) => parseModule(line, loadAfterByModule));
  const moduleByName = new Map<string, Module>();
  for (const each of modules) {
    for (const facts of [each['2.4'], each['2.2']]) {
      const file = facts?.sharedObject;
      for (const alias of [
        facts?.identifier,
        facts?.sourceFile,
        file,
        file?.replace('.so', ''),
        file?.replace(/^mod_|\.so$/g, ''),
      ]) {
        if (alias && !moduleByName.has(alias)) moduleByName.set(alias, each);
      }
    }
  }
  for (const each of modules) moduleByName.set(each.name, each);
  moduleByName.set('http_core.c', moduleByName.get('core')!);
  return moduleByName;
}

function parseModule(line: string, loadAfterByModule: ReadonlyMap<string, string[]>): Module {
  const [name, notedFate, replacements, note, ...remainingFields] = fieldsOf(line, 12);
  const facts22 = parseModuleFacts(name, '2.2', remainingFields.slice(0, 4) as unknown as Fields<4>);
  const facts24 = parseModuleFacts(name, '2.4', remainingFields.slice(4) as unknown as Fields<4>);
  return {
    name,
    ...(facts22 && { '2.2': facts22 }),
    ...(facts24 && { '2.4': facts24 }),
    fate: (notedFate || (!facts24 ? 'removed' : !facts22 ? 'new' : 'kept')) as Module['fate'],
    replacements: commaSeparated(replacements),
    ...(note !== '' && { note }),
    loadAfter: loadAfterByModule.get(name) ?? [],
  };
}

function parseModuleFacts(name: string, version: Version, row: Fields<4>): ModuleFacts | undefined {
  const [identifier, sourceFile, status, undocumented] = row;
  if (identifier === '') return undefined;
  const manual = manualPage(undocumented ? 'index' : name, version);
  if (identifier === '-') return { status, manual };
  const sharedObject = status === 'MPM' ? `mod_${identifier.replace('_module', '')}.so` : `${name}.so`;
  return { identifier, sourceFile, status, manual, ...(name !== 'core' && { sharedObject }) };
}

/** The URL of a page of the manual. */
function manualPage(page: string, version: Version): string {
  const manualName = /^mod_(?:case_filter|case_filter_in|bucketeer)$/.test(page) ? 'index' : page;
  return `https://httpd.apache.org/docs/${version}/mod/${manualName}.html`;
}
