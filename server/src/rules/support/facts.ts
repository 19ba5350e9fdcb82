/**
 * What a file as a whole says, as bits that add up over the tree: cheap enough to be known after every keystroke. Only
 * lines count that may exist for the target server. Findings whose fix depends on the rest of the file ask these bits
 * when they are shown (`Finding.resolve`).
 */
import { parseOperand, PLAIN_ADDRESSES } from '../../access/operand';
import { isTornByTemplate } from '../../access/template';
import type { Activity } from '../../config/activity';
import { asksForOldModule } from '../../config/old-modules';
import { sectionKind } from '../../config/sections';
import { module as moduleOf } from '../../directives/index';
import { argumentsOf, type Line } from '../../syntax/line';
import type { Section } from '../../syntax/tree';

export type FileFacts = number;

export const Fact = {
  /** A main configuration file says ServerRoot or PidFile; a snippet does not. (Listen stands in snippets, too.) */
  isRoot: 1 << 0,
  /** There is more to this configuration than this file: Include, IncludeOptional, Use, `<Perl>`. */
  includes: 1 << 1,
  /** Macros are used, or taken back. */
  uses: 1 << 26,
  /** Macros are defined. */
  macros: 1 << 27,
  loadsModules: 1 << 2,
  loadsAccessCompat: 1 << 3,
  /** LoadModule of a module that does not come with httpd, or of whose name nobody knows more. */
  loadsStrangers: 1 << 25,
  /** Require and its containers, AuthType and the like, AuthMerging. */
  requires: 1 << 4,
  satisfy: 1 << 5,
  /** An AllowOverride that lets a .htaccess decide access: All, Limit or AuthConfig, or one that this program cannot read. */
  allowsOverride: 1 << 6,
  /** Some `AllowOverride None`; in `<Directory />` it holds wherever nothing else is said. */
  deniesOverride: 1 << 7,
  deniesOverrideAtRoot: 1 << 8,
  /** Order, Allow, Deny. */
  oldAccess: 1 << 9,
  /** The same within `<Limit>` or `<LimitExcept>`, or in a conditional of which nobody knows whether it is true. */
  oldAccessLimited: 1 << 10,
  oldAccessConditional: 1 << 11,
  /** An operand of Allow or Deny that is no address, no name, no variable. */
  oddOperand: 1 << 12,
  /** A person said that nothing outside the file matters (`--assume-standalone`, `httpdUpgrade.accessControl.assumeStandalone`). */
  standaloneAssumed: 1 << 13,
  /** SSLCARevocationCheck, SSLProxyCARevocationCheck, LegacyDNStringFormat, proxy-scgi-pathinfo: only 2.4 knows them, so the file was written with it in mind. */
  crlCheck: 1 << 20,
  proxyCrlCheck: 1 << 21,
  legacyDn: 1 << 22,
  scgiPathInfo: 1 << 23,
  /** Allow, Deny or Require by a variable. */
  asksVariables: 1 << 18,
  /** Directives of mod_mem_cache, or a CacheEnable that names it. */
  memCache: 1 << 29,
  /** More than directives of a cache stands in an `<IfModule>` of a module whose LoadModule line 2.4 does not have as it is: its truth changes with that line. */
  hangsOnOldModule: 1 << 14,
  /** A LoadModule of a module that only 2.4 has: what else is loaded was built for it. */
  loads24: 1 << 19,
  /** Lines that define what others name, for completion; see `defining`. */
  defines: 1 << 24,
  /** Comments silence findings, and so keep lines as they are. */
  silences: 1 << 16,
  /** What is to be kept is what a 2.4 with mod_access_compat decides (`--source 2.4`, `httpdUpgrade.accessControl.source`). */
  fromCompat: 1 << 28,
  /** Template text decides which of its lines are there, or what its access lines say: access control is not converted. */
  templates: 1 << 31,
} as const;

type FactOfLine = (line: Line) => FileFacts;

/** The names whose lines carry facts (a section's tag counts as its line), and how. */
export const FACT_NAMES: ReadonlyMap<string, FactOfLine> = new Map<string, FactOfLine>([
  ...each(['serverroot', 'pidfile'], () => Fact.isRoot),
  ['use', () => Fact.includes | Fact.uses],
  ['undefmacro', () => Fact.uses],
  ['macro', () => Fact.macros],
  ...each(
    ['include', 'includeoptional', 'perl', 'perlrequire', 'perlmodule', 'perlconfigrequire', 'perlconfigset'],
    () => Fact.includes,
  ),
  ...each(['authtype', 'authname', 'authmerging', 'requireall', 'requireany', 'requirenone'], () => Fact.requires),
  ['require', (line) => Fact.requires | variables(line)],
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
  ['cacheenable', (line) => (/^(mem|fd|.*\$\{.*)$/.test(argumentsOf(line)[0]?.value ?? '') ? Fact.memCache : 0)],
  ['sslcarevocationcheck', () => Fact.crlCheck],
  ['sslproxycarevocationcheck', () => Fact.proxyCrlCheck],
  ['ssloptions', (line) => (/legacydnstringformat/i.test(line.text) ? Fact.legacyDn : 0)],
  ...each(['setenvif', 'setenvifnocase', 'setenvifexpr', 'setenv', 'browsermatch', 'rewriterule'], (line) =>
    line.text.includes('proxy-scgi-pathinfo') ? Fact.scgiPathInfo : 0,
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
    name === 'rewriterule' ? (line) => (/[[,]\s*e(nv)?=/i.test(line.text) ? Fact.defines : 0) : () => Fact.defines;
  return besides ? (line) => own(line) | besides(line) : own;
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
    hasFact(body, Fact.oldAccess | Fact.satisfy) &&
    sectionKind(open.name) === 'container' &&
    open.name !== 'virtualhost' &&
    isTornByTemplate(list)
  )
    facts |= Fact.templates;
  // What stands in one virtual host, or under a condition that nobody knows the truth of, does not hold everywhere.
  const isAtRoot =
    open.name === 'directory' &&
    containers.length === 1 &&
    activity === 'active' &&
    argumentsOf(open)[0]?.value === '/';
  if (isAtRoot && hasFact(body, Fact.deniesOverride)) facts |= Fact.deniesOverrideAtRoot;
  if (hasFact(body, Fact.oldAccess) && (open.name === 'limit' || open.name === 'limitexcept'))
    facts |= Fact.oldAccessLimited;
  if (hasFact(body, Fact.oldAccess) && activity === 'unknown' && sectionKind(open.name) === 'conditional')
    facts |= Fact.oldAccessConditional;
  return facts;
}

/** What an `<IfModule>` adds, whether it is true for the target or not. */
export function factsOfTest({ open, body }: Section): FileFacts {
  return asksForOldModule(open, body) ? Fact.hangsOnOldModule : 0;
}

export function hasFact(facts: FileFacts, fact: number): boolean {
  return (facts & fact) !== 0;
}

// ---------------------------------------------------------------------------------------------------------------------

function each(names: readonly string[], of: FactOfLine): [string, FactOfLine][] {
  return names.map((name) => [name, of]);
}

function loadModule(line: Line): FileFacts {
  const identifier = argumentsOf(line)[0]?.value ?? '';
  const is24 =
    /^(authz_core|authn_core|access_compat|unixd|mpm_(event|worker|prefork)|slotmem_shm|socache_shmcb|cache_disk)_module$/.test(
      identifier,
    );
  const isStranger = moduleOf(identifier)?.['2.4']?.identifier !== identifier;
  return (
    Fact.loadsModules |
    (identifier === 'access_compat_module' ? Fact.loadsAccessCompat : 0) |
    (is24 ? Fact.loads24 : 0) |
    (isStranger ? Fact.loadsStrangers : 0)
  );
}

/** Rather too often than not: what follows is only whether anybody looks closer. */
function variables(line: Line): FileFacts {
  return line.isJoined || /env|\$\{/i.test(line.text) ? Fact.asksVariables : 0;
}

function allowOrDeny(line: Line): FileFacts {
  if (!line.isJoined && PLAIN_ADDRESSES.test(line.text)) return Fact.oldAccess;
  const operands = argumentsOf(line).slice(1);
  return (
    Fact.oldAccess |
    variables(line) |
    (operands.some((word) => ['never', 'unknown'].includes(parseOperand(word.value).kind)) ? Fact.oddOperand : 0)
  );
}

function allowOverride(line: Line): FileFacts {
  // The usual line, and there is one in every other section.
  if (/^\s*AllowOverride\s+None\s*$/i.test(line.text)) return Fact.deniesOverride;
  const words = argumentsOf(line).map((word) => word.value.toLowerCase());
  if (words.length === 1 && words[0] === 'none') return Fact.deniesOverride;
  const isHarmless =
    words.length > 0 && words.every((word) => /^(none|fileinfo|indexes|options(=[\w,]*)?|nonfatal=\w+)$/.test(word));
  return isHarmless ? 0 : Fact.allowsOverride;
}
