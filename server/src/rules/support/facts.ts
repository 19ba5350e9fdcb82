/**
 * Facts about a file that its lines show, such as "it loads modules". Each fact is a bit. The bits
 * of all lines are combined over the tree, so that they are up to date after each keystroke. Only
 * lines that may be active in the target server count. A finding whose fix depends on the rest of
 * the file reads the facts when it is shown (`Finding.resolve`).
 */
import { CLIENT_ADDRESS_MODULES, CLIENT_ADDRESS_DIRECTIVES } from '../../access/client-address';
import { parseOperand, PLAIN_ADDRESSES } from '../../access/operand';
import { hasTemplateAmongAccessLines } from '../../access/template';
import type { Activity } from '../../config/activity';
import { enablesMemoryCache, testsOldModule } from '../../config/old-modules';
import { sectionKind } from '../../config/sections';
import { module as moduleOf } from '../../directives/index';
import { namesIn } from '../../config/name-set';
import { argumentsOf, LineKind, type Line } from '../../syntax/line';
import { List, Section } from '../../syntax/tree';

declare const FACTS: unique symbol;

/** A set of facts. Only this file knows its bits: use `hasFact` and `factsOf`. */
export interface FileFacts {
  readonly [FACTS]: true;
}

const FACT_KEYS = [
  /**
   * The file is a main configuration file: it has ServerRoot or PidFile. (Listen does not show
   * this, because included files have it, too.)
   */
  'isRoot',
  /**
   * The configuration has more than this file: there are lines such as Include, IncludeOptional,
   * Use or `<Perl>`.
   */
  'includes',
  /** The file has Use or UndefMacro lines. */
  'uses',
  /** The file has `<Macro>` sections. */
  'macros',
  'loadsModules',
  'loadsAccessCompat',
  /**
   * The file loads a module that comes with neither 2.2 nor 2.4. Such a module may have any
   * directives. Those of the modules that only 2.2 has are known.
   */
  'loadsUnknownModules',
  /** The file has Require lines or sections, or AuthType, AuthName or AuthMerging lines. */
  'requires',
  'satisfy',
  /**
   * An AllowOverride by which a .htaccess file may control access: All, Limit or AuthConfig, or an
   * AllowOverride with a value that cannot be read.
   */
  'allowsOverride',
  /** An `AllowOverride None`. In `<Directory />` it applies wherever no other line does. */
  'deniesOverride',
  'deniesOverrideAtRoot',
  /** The file has Order, Allow or Deny lines. */
  'oldAccess',
  /**
   * `oldAccessLimited`: Order, Allow or Deny lines are in `<Limit>` or `<LimitExcept>`.
   * `oldAccessConditional`: such lines are in a condition with an unknown result.
   */
  'oldAccessLimited',
  'oldAccessConditional',
  /** A Deny, or an Allow without `all`: some clients may be denied. */
  'deniesHosts',
  /** An operand of Allow or Deny that is no address, name or variable. */
  'oddOperand',
  /**
   * The user states that no other file matters (`--assume-standalone`,
   * `httpdUpgrade.accessControl.assumeStandalone`).
   */
  'standaloneAssumed',
  /**
   * For the next four facts: the file has SSLCARevocationCheck, SSLProxyCARevocationCheck,
   * LegacyDNStringFormat or proxy-scgi-pathinfo. Only 2.4 knows these, so the file was adapted to
   * 2.4.
   */
  'crlCheck',
  'proxyCrlCheck',
  'legacyDn',
  'scgiPathInfo',
  /** An Allow, Deny or Require line may test a variable. */
  'asksVariables',
  /**
   * A directive of mod_mem_cache, or a CacheEnable line that may make this module cache something.
   */
  'memCache',
  /**
   * An `<IfModule>` tests a module whose LoadModule line changes for 2.4, and contains other
   * directives than those of a cache. The change of the LoadModule line then changes the result of
   * the test.
   */
  'dependsOnOldModule',
  /** An `<IfModule>` for mod_cache_disk, which 2.2 calls mod_disk_cache. */
  'asksCacheDisk',
  /** The file loads a module that only 2.4 has, so the other modules are built for 2.4, too. */
  'loads24',
  /**
   * The file has lines that define what other lines name (DEFINING_NAMES). Completion proposes the
   * defined names.
   */
  'defines',
  /** A comment silences findings, so the lines that the comment covers are not changed. */
  'silences',
  /**
   * The conversion keeps what a 2.4 with mod_access_compat decides (`--source 2.4`,
   * `httpdUpgrade.accessControl.source`).
   */
  'fromCompat',
  /**
   * The file loads or configures a module that changes the address of the client. In 2.4, access
   * lines see another address.
   */
  'changesAddress',
  /**
   * A template decides which lines exist, or decides the values of access lines, so access control
   * is not converted.
   */
  'templates',
] as const;

export type FactName = (typeof FACT_KEYS)[number];

/** For each fact: the set with only this fact. */
export const Fact = Object.fromEntries(FACT_KEYS.map((name, index) => [name, factsOfBits(1 << index)])) as Readonly<
  Record<FactName, FileFacts>
>;

export const NO_FACTS = factsOfBits(0);

/** For files that were not read: each fact may be true. */
export const ALL_FACTS = factsOfBits(~0);

if (FACT_KEYS.length > 32) throw new RangeError('A set of facts is a number of 32 bits.');

export function plusFacts(a: FileFacts, b: FileFacts): FileFacts {
  return factsOfBits(bitsOf(a) | bitsOf(b));
}

/** The facts of the first set that are not in the second. */
export function withoutFacts(facts: FileFacts, others: FileFacts): FileFacts {
  return factsOfBits(bitsOf(facts) & ~bitsOf(others));
}

export function factsOf(...sets: readonly FileFacts[]): FileFacts {
  return sets.reduce(plusFacts, NO_FACTS);
}

/** Whether `facts` has at least one fact of the other sets. */
export function hasFact(facts: FileFacts, one: FileFacts, or = NO_FACTS, orElse = NO_FACTS): boolean {
  return (bitsOf(facts) & (bitsOf(one) | bitsOf(or) | bitsOf(orElse))) !== 0;
}

function factsOfBits(bitMask: number): FileFacts {
  return bitMask as unknown as FileFacts;
}

function bitsOf(facts: FileFacts): number {
  return facts as unknown as number;
}

type FactOfLine = (line: Line) => FileFacts;

/**
 * For each directive, by its name in lower case: the function that returns the facts of its line.
 * An opening tag counts as a line with the name of its section.
 */
export const FACTS_OF_LINE_BY_NAME: ReadonlyMap<string, FactOfLine> = new Map<string, FactOfLine>([
  ...factEntries(['serverroot', 'pidfile'], () => Fact.isRoot),
  ['use', () => factsOf(Fact.includes, Fact.uses)],
  ['undefmacro', () => Fact.uses],
  ['macro', () => Fact.macros],
  ...factEntries(
    ['include', 'includeoptional', 'perl', 'perlrequire', 'perlmodule', 'perlconfigrequire', 'perlconfigset'],
    () => Fact.includes,
  ),
  ...factEntries(
    ['authtype', 'authname', 'authmerging', 'requireall', 'requireany', 'requirenone'],
    () => Fact.requires,
  ),
  ['require', (line) => plusFacts(Fact.requires, factsOfVariables(line))],
  ['loadmodule', factsOfLoadModule],
  ...factEntries(
    [
      'mcachemaxobjectcount',
      'mcachemaxobjectsize',
      'mcachemaxstreamingbuffer',
      'mcacheminobjectsize',
      'mcacheremovalalgorithm',
      'mcachesize',
    ],
    () => Fact.memCache,
  ),
  ['cacheenable', (line) => (enablesMemoryCache(line) ? Fact.memCache : NO_FACTS)],
  ['sslcarevocationcheck', () => Fact.crlCheck],
  ['sslproxycarevocationcheck', () => Fact.proxyCrlCheck],
  ['ssloptions', (line) => (/legacydnstringformat/i.test(line.text) ? Fact.legacyDn : NO_FACTS)],
  ...factEntries(['setenvif', 'setenvifnocase', 'setenvifexpr', 'setenv', 'browsermatch', 'rewriterule'], (line) =>
    line.text.includes('proxy-scgi-pathinfo') ? Fact.scgiPathInfo : NO_FACTS,
  ),
  ...factEntries(
    CLIENT_ADDRESS_DIRECTIVES.filter((name) => !name.startsWith('remoteip')),
    () => Fact.changesAddress,
  ),
  ['satisfy', () => Fact.satisfy],
  ['order', () => Fact.oldAccess],
  ...factEntries(['allow', 'deny'], factsOfAllowOrDeny),
  ['allowoverride', factsOfAllowOverride],
  ['allowoverridelist', () => Fact.allowsOverride],
]);

/**
 * The names whose lines define a variable, a macro, a log format and so on. symbols/definitions.ts
 * reads these lines.
 */
export const DEFINING_NAMES: readonly string[] = [
  'define',
  'loadmodule',
  'setenv',
  'passenv',
  'setenvif',
  'setenvifnocase',
  'setenvifexpr',
  'browsermatch',
  'browsermatchnocase',
  'rewriterule',
  'rewritemap',
  'proxy',
  'macro',
  'authnprovideralias',
  'authzprovideralias',
  'logformat',
  'listen',
  'extfilterdefine',
  'filterdeclare',
  'filterprovider',
  'addhandler',
  'sethandler',
  'action',
  'addtype',
  'serverroot',
];

/**
 * Returns the function for the lines of a name of DEFINING_NAMES. The facts from `besides` are part
 * of its result.
 */
export function factsOfDefining(name: string, besides: FactOfLine | null): FactOfLine {
  const definingFacts: FactOfLine =
    name === 'rewriterule'
      ? (line) => (/[[,]\s*e(nv)?=/i.test(line.text) ? Fact.defines : NO_FACTS)
      : () => Fact.defines;
  return besides ? (line) => plusFacts(definingFacts(line), besides(line)) : definingFacts;
}

/**
 * The facts of a section: those of its body (`body`), and those that follow from the section
 * itself, such as old access lines in `<Limit>`. `activity`: whether the server reads the body.
 * `containers`: the containers around the lines of the body, with this section, outermost first.
 */
export function factsOfSection(
  { open, body: list }: Section,
  activity: Activity,
  containers: readonly string[],
  body: FileFacts,
): FileFacts {
  let facts = body;
  // The sections of a file are converted together or not at all, because unconverted sections
  // influence the converted ones. So one section with template text sets the fact for the file.
  if (
    list.templateLineCount > 0 &&
    hasFact(body, Fact.oldAccess, Fact.satisfy) &&
    sectionKind(open.name) === 'container' &&
    open.name !== 'virtualhost' &&
    hasTemplateAmongAccessLines(list)
  )
    facts = plusFacts(facts, Fact.templates);
  // In a virtual host or under an unknown condition, `<Directory />` does not apply to all
  // requests.
  const isAtRoot =
    open.name === 'directory' &&
    containers.length === 1 &&
    activity === 'active' &&
    argumentsOf(open)[0]?.value === '/';
  if (isAtRoot && hasFact(body, Fact.deniesOverride)) facts = plusFacts(facts, Fact.deniesOverrideAtRoot);
  if (hasFact(body, Fact.oldAccess) && (open.name === 'limit' || open.name === 'limitexcept'))
    facts = plusFacts(facts, Fact.oldAccessLimited);
  if (hasFact(body, Fact.oldAccess) && activity === 'unknown' && sectionKind(open.name) === 'conditional')
    facts = plusFacts(facts, Fact.oldAccessConditional);
  return facts;
}

/** The facts of an `<IfModule>`, whether or not its condition is true in the target server. */
export function factsOfTest({ open, body }: Section): FileFacts {
  const testedModule = argumentsOf(open)[0]?.value;
  return factsOf(
    testsOldModule(open, body) ? Fact.dependsOnOldModule : NO_FACTS,
    testedModule === 'mod_cache_disk.c' || testedModule === 'cache_disk_module' ? Fact.asksCacheDisk : NO_FACTS,
  );
}

// ---------------------------------------------------------------------------------------------------------------------

function factEntries(names: readonly string[], factsOfItsLine: FactOfLine): [string, FactOfLine][] {
  return names.map((name) => [name, factsOfItsLine]);
}

/** Whether the list has a LoadModule line for a module that only 2.4 has, in any section. */
export function loadsModuleOf24(list: List): boolean {
  return list.children.some((child) => {
    if (!(child instanceof List) && !(child instanceof Section))
      return (
        child.kind === LineKind.Directive &&
        child.name === 'loadmodule' &&
        hasFact(factsOfLoadModule(child), Fact.loads24)
      );
    const innerList = child instanceof List ? child : child.body;
    return namesIn(innerList).hasName('loadmodule') && loadsModuleOf24(innerList);
  });
}

function factsOfLoadModule(line: Line): FileFacts {
  const identifier = argumentsOf(line)[0]?.value ?? '';
  const is24 =
    /^(authz_core|authn_core|access_compat|unixd|mpm_(event|worker|prefork)|slotmem_shm|socache_shmcb|cache_disk)_module$/.test(
      identifier,
    );
  const knownModule = moduleOf(identifier);
  const isUnknownModule =
    knownModule?.['2.2']?.identifier !== identifier && knownModule?.['2.4']?.identifier !== identifier;
  return factsOf(
    Fact.loadsModules,
    identifier === 'access_compat_module' ? Fact.loadsAccessCompat : NO_FACTS,
    is24 ? Fact.loads24 : NO_FACTS,
    isUnknownModule ? Fact.loadsUnknownModules : NO_FACTS,
    CLIENT_ADDRESS_MODULES.test(identifier) ? Fact.changesAddress : NO_FACTS,
  );
}

/**
 * Returns the facts of a line that may test a variable. Sets the fact too often rather than too
 * rarely, because the fact only triggers a closer check.
 */
function factsOfVariables(line: Line): FileFacts {
  return line.isJoined || /env|\$\{/i.test(line.text) ? Fact.asksVariables : NO_FACTS;
}

const OLD_ACCESS_THAT_DENIES = factsOf(Fact.oldAccess, Fact.deniesHosts);

function factsOfAllowOrDeny(line: Line): FileFacts {
  const accessFacts = line.name === 'deny' || !/\sall\b/i.test(line.text) ? OLD_ACCESS_THAT_DENIES : Fact.oldAccess;
  if (!line.isJoined && PLAIN_ADDRESSES.test(line.text)) return accessFacts;
  const operands = argumentsOf(line).slice(1);
  return factsOf(
    accessFacts,
    factsOfVariables(line),
    operands.some((word) => ['never', 'unknown'].includes(parseOperand(word.value).kind)) ? Fact.oddOperand : NO_FACTS,
  );
}

function factsOfAllowOverride(line: Line): FileFacts {
  // A fast path for the usual line, which every second section has.
  if (/^\s*AllowOverride\s+None\s*$/i.test(line.text)) return Fact.deniesOverride;
  const words = argumentsOf(line).map((word) => word.value.toLowerCase());
  if (words.length === 1 && words[0] === 'none') return Fact.deniesOverride;
  const isHarmless =
    words.length > 0 && words.every((word) => /^(none|fileinfo|indexes|options(=[\w,]*)?|nonfatal=\w+)$/.test(word));
  return isHarmless ? NO_FACTS : Fact.allowsOverride;
}
