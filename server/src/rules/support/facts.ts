/**
 * What a file as a whole says, as bits that add up over the tree: cheap enough to be known after every keystroke. Only
 * lines count that may exist for the target server. Findings whose fix depends on the rest of the file ask these bits
 * when they are shown (`Finding.resolve`).
 */
import { ADDRESS_MODULES, ADDRESS_NAMES } from '../../access/client-address';
import { parseOperand, PLAIN_ADDRESSES } from '../../access/operand';
import { isTornByTemplate } from '../../access/template';
import type { Activity } from '../../config/activity';
import { asksForOldModule } from '../../config/old-modules';
import { sectionKind } from '../../config/sections';
import { module as moduleOf } from '../../directives/index';
import { namesIn } from '../../config/name-set';
import { argumentsOf, LineKind, type Line } from '../../syntax/line';
import { List, Section } from '../../syntax/tree';

declare const FACTS: unique symbol;

/** A set of facts. What it is made of, this file alone knows: others ask with `hasFact` and put together with `factsOf`. */
export interface FileFacts {
  readonly [FACTS]: true;
}

const NAMES = [
  /** A main configuration file says ServerRoot or PidFile; a snippet does not. (Listen stands in snippets, too.) */
  'isRoot',
  /** There is more to this configuration than this file: Include, IncludeOptional, Use, `<Perl>`. */
  'includes',
  /** Macros are used, or taken back. */
  'uses',
  /** Macros are defined. */
  'macros',
  'loadsModules',
  'loadsAccessCompat',
  /** LoadModule of a module that does not come with httpd, or of whose name nobody knows more. */
  'loadsStrangers',
  /** Require and its containers, AuthType and the like, AuthMerging. */
  'requires',
  'satisfy',
  /** An AllowOverride that lets a .htaccess decide access: All, Limit or AuthConfig, or one that this program cannot read. */
  'allowsOverride',
  /** Some `AllowOverride None`; in `<Directory />` it holds wherever nothing else is said. */
  'deniesOverride',
  'deniesOverrideAtRoot',
  /** Order, Allow, Deny. */
  'oldAccess',
  /** The same within `<Limit>` or `<LimitExcept>`, or in a conditional of which nobody knows whether it is true. */
  'oldAccessLimited',
  'oldAccessConditional',
  /** A Deny, or an Allow without `all`: some clients may be denied. */
  'deniesHosts',
  /** An operand of Allow or Deny that is no address, no name, no variable. */
  'oddOperand',
  /** A person said that nothing outside the file matters (`--assume-standalone`, `httpdUpgrade.accessControl.assumeStandalone`). */
  'standaloneAssumed',
  /** SSLCARevocationCheck, SSLProxyCARevocationCheck, LegacyDNStringFormat, proxy-scgi-pathinfo: only 2.4 knows them, so the file was written with it in mind. */
  'crlCheck',
  'proxyCrlCheck',
  'legacyDn',
  'scgiPathInfo',
  /** Allow, Deny or Require by a variable. */
  'asksVariables',
  /** Directives of mod_mem_cache, or a CacheEnable that names it. */
  'memCache',
  /** More than directives of a cache stands in an `<IfModule>` of a module whose LoadModule line 2.4 does not have as it is: its truth changes with that line. */
  'hangsOnOldModule',
  /** A LoadModule of a module that only 2.4 has: what else is loaded was built for it. */
  'loads24',
  /** Lines that define what others name, for completion; see `defining`. */
  'defines',
  /** Comments silence findings, and so keep lines as they are. */
  'silences',
  /** What is to be kept is what a 2.4 with mod_access_compat decides (`--source 2.4`, `httpdUpgrade.accessControl.source`). */
  'fromCompat',
  /**
   * A module that changes the address of the client: what lines by address see is another address
   * in 2.4.
   */
  'changesAddress',
  /** Template text decides which of its lines are there, or what its access lines say: access control is not converted. */
  'templates',
] as const;

export type FactName = (typeof NAMES)[number];

/** Each fact, as a set of one. */
export const Fact = Object.fromEntries(NAMES.map((name, index) => [name, set(1 << index)])) as Readonly<
  Record<FactName, FileFacts>
>;

export const NO_FACTS = set(0);

/** Of what nobody has read: whatever is asked for may be there. */
export const ALL_FACTS = set(~0);

if (NAMES.length > 32) throw new RangeError('A set of facts is a number of 32 bits.');

/** All that is in one of the two. */
export function plusFacts(a: FileFacts, b: FileFacts): FileFacts {
  return set(bits(a) | bits(b));
}

/** All that is in the first, and not in the second. */
export function withoutFacts(facts: FileFacts, others: FileFacts): FileFacts {
  return set(bits(facts) & ~bits(others));
}

/** The set of these. */
export function factsOf(...sets: readonly FileFacts[]): FileFacts {
  return sets.reduce(plusFacts, NO_FACTS);
}

/** Whether one of these is among them. */
export function hasFact(facts: FileFacts, one: FileFacts, or = NO_FACTS, orElse = NO_FACTS): boolean {
  return (bits(facts) & (bits(one) | bits(or) | bits(orElse))) !== 0;
}

function set(of: number): FileFacts {
  return of as unknown as FileFacts;
}

function bits(facts: FileFacts): number {
  return facts as unknown as number;
}

type FactOfLine = (line: Line) => FileFacts;

/** The names whose lines carry facts (a section's tag counts as its line), and how. */
export const FACT_NAMES: ReadonlyMap<string, FactOfLine> = new Map<string, FactOfLine>([
  ...each(['serverroot', 'pidfile'], () => Fact.isRoot),
  ['use', () => factsOf(Fact.includes, Fact.uses)],
  ['undefmacro', () => Fact.uses],
  ['macro', () => Fact.macros],
  ...each(
    ['include', 'includeoptional', 'perl', 'perlrequire', 'perlmodule', 'perlconfigrequire', 'perlconfigset'],
    () => Fact.includes,
  ),
  ...each(['authtype', 'authname', 'authmerging', 'requireall', 'requireany', 'requirenone'], () => Fact.requires),
  ['require', (line) => plusFacts(Fact.requires, variables(line))],
  ['loadmodule', loadModule],
  ...each(
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
  ['cacheenable', (line) => (/^(mem|fd|.*\$\{.*)$/.test(argumentsOf(line)[0]?.value ?? '') ? Fact.memCache : NO_FACTS)],
  ['sslcarevocationcheck', () => Fact.crlCheck],
  ['sslproxycarevocationcheck', () => Fact.proxyCrlCheck],
  ['ssloptions', (line) => (/legacydnstringformat/i.test(line.text) ? Fact.legacyDn : NO_FACTS)],
  ...each(['setenvif', 'setenvifnocase', 'setenvifexpr', 'setenv', 'browsermatch', 'rewriterule'], (line) =>
    line.text.includes('proxy-scgi-pathinfo') ? Fact.scgiPathInfo : NO_FACTS,
  ),
  ...each(
    ADDRESS_NAMES.filter((name) => !name.startsWith('remoteip')),
    () => Fact.changesAddress,
  ),
  ['satisfy', () => Fact.satisfy],
  ['order', () => Fact.oldAccess],
  ...each(['allow', 'deny'], allowOrDeny),
  ['allowoverride', allowOverride],
  ['allowoverridelist', () => Fact.allowsOverride],
]);

/** Names whose lines define a variable, a macro, a log format, …: symbols/definitions.ts reads them. */
export const DEFINING: readonly string[] = [
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

/** The facts of such a name's lines, beside what else they carry. */
export function defining(name: string, besides: FactOfLine | null): FactOfLine {
  const own: FactOfLine =
    name === 'rewriterule'
      ? (line) => (/[[,]\s*e(nv)?=/i.test(line.text) ? Fact.defines : NO_FACTS)
      : () => Fact.defines;
  return besides ? (line) => plusFacts(own(line), besides(line)) : own;
}

/** What a section adds to, or makes of, the facts of its body. */
export function factsOfSection(
  { open, body: list }: Section,
  activity: Activity,
  containers: readonly string[],
  body: FileFacts,
): FileFacts {
  let facts = body;
  // The sections of one file are converted together or not at all: what stays is decided beside what does not.
  if (
    list.templates > 0 &&
    hasFact(body, Fact.oldAccess, Fact.satisfy) &&
    sectionKind(open.name) === 'container' &&
    open.name !== 'virtualhost' &&
    isTornByTemplate(list)
  )
    facts = plusFacts(facts, Fact.templates);
  // What stands in one virtual host, or under a condition that nobody knows the truth of, does not hold everywhere.
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

/** What an `<IfModule>` adds, whether it is true for the target or not. */
export function factsOfTest({ open, body }: Section): FileFacts {
  return asksForOldModule(open, body) ? Fact.hangsOnOldModule : NO_FACTS;
}

// ---------------------------------------------------------------------------------------------------------------------

function each(names: readonly string[], of: FactOfLine): [string, FactOfLine][] {
  return names.map((name) => [name, of]);
}

/** Whether a LoadModule line in some text loads a module that only 2.4 has, whatever is around the line. */
export function loadsModuleOf24(list: List): boolean {
  return list.children.some((child) => {
    if (!(child instanceof List) && !(child instanceof Section))
      return (
        child.kind === LineKind.Directive && child.name === 'loadmodule' && hasFact(loadModule(child), Fact.loads24)
      );
    const inside = child instanceof List ? child : child.body;
    return namesIn(inside).has('loadmodule') && loadsModuleOf24(inside);
  });
}

function loadModule(line: Line): FileFacts {
  const identifier = argumentsOf(line)[0]?.value ?? '';
  const is24 =
    /^(authz_core|authn_core|access_compat|unixd|mpm_(event|worker|prefork)|slotmem_shm|socache_shmcb|cache_disk)_module$/.test(
      identifier,
    );
  const isStranger = moduleOf(identifier)?.['2.4']?.identifier !== identifier;
  return factsOf(
    Fact.loadsModules,
    identifier === 'access_compat_module' ? Fact.loadsAccessCompat : NO_FACTS,
    is24 ? Fact.loads24 : NO_FACTS,
    isStranger ? Fact.loadsStrangers : NO_FACTS,
    ADDRESS_MODULES.test(identifier) ? Fact.changesAddress : NO_FACTS,
  );
}

/** Rather too often than not: what follows is only whether anybody looks closer. */
function variables(line: Line): FileFacts {
  return line.isJoined || /env|\$\{/i.test(line.text) ? Fact.asksVariables : NO_FACTS;
}

const OLD_ACCESS_THAT_DENIES = factsOf(Fact.oldAccess, Fact.deniesHosts);

function allowOrDeny(line: Line): FileFacts {
  const decides = line.name === 'deny' || !/\sall\b/i.test(line.text) ? OLD_ACCESS_THAT_DENIES : Fact.oldAccess;
  if (!line.isJoined && PLAIN_ADDRESSES.test(line.text)) return decides;
  const operands = argumentsOf(line).slice(1);
  return factsOf(
    decides,
    variables(line),
    operands.some((word) => ['never', 'unknown'].includes(parseOperand(word.value).kind)) ? Fact.oddOperand : NO_FACTS,
  );
}

function allowOverride(line: Line): FileFacts {
  // The usual line, and there is one in every other section.
  if (/^\s*AllowOverride\s+None\s*$/i.test(line.text)) return Fact.deniesOverride;
  const words = argumentsOf(line).map((word) => word.value.toLowerCase());
  if (words.length === 1 && words[0] === 'none') return Fact.deniesOverride;
  const isHarmless =
    words.length > 0 && words.every((word) => /^(none|fileinfo|indexes|options(=[\w,]*)?|nonfatal=\w+)$/.test(word));
  return isHarmless ? NO_FACTS : Fact.allowsOverride;
}
