/**
 * The hover of a directive or a module: its name, purpose, changes in 2.4, values, an example, the
 * facts about both versions, and links to both manuals. For quick reading, sentences come first.
 * Facts that both versions share appear once, and differences side by side.
 */
import {
  directive as findDirective,
  directivesOf,
  displayName,
  module as findModule,
  providers,
  type Directive,
  type DirectiveFacts,
  type ChangeKind,
  type Module,
  type Place,
  type ProviderKind,
  type Version,
} from '../../directives';
import { commandNamed, ForbiddenIn } from '../../directives/commands';
import { descriptionOfDirective, descriptionOfModule, type Description } from '../../directives/descriptions';
import { groupWordOf, thirdPartyModules } from '../../directives/third-party';
import { thirdPartyAdvice } from '../../rules/third-party-module';
import { codeSpan, escapeMarkdown } from '../markdown-text';

/** How to explain a directive or section. */
export interface DirectiveQuestion {
  /** Whether the section is meant, for a name that is both a directive and a section. */
  readonly isSection?: boolean;
  /**
   * The target version, `2.4` or `2.4.6`: the text says so if the directive was introduced later.
   */
  readonly target?: string;
  /** Whether to show only the changes in 2.4, with links to the manuals. */
  readonly isShort?: boolean;
}

/**
 * The hover for a directive or section, as Markdown. The case of the name does not matter.
 * Undefined if neither version nor a known third-party module has it.
 */
export function directiveMarkdown(
  name: string,
  { isSection, target, isShort = false }: DirectiveQuestion = {},
): string | undefined {
  const directive = findDirective(name, { section: isSection });
  if (!directive) return foreignMarkdown(name, isSection === true);
  const {
    text = '',
    arguments: values = {},
    example = '',
    changed = '',
  } = descriptionOfDirective(name, { section: isSection }) ?? NO_DESCRIPTION;
  const linksText = manualLinks({ factsByVersion: directive, manualAddressOf: (facts) => facts.manual });
  const changeText = [...fateSentences(directive), changed, tooNewText(directive, target)].filter(Boolean).join(' ');
  if (isShort) return [`**${codeSpan(displayName(directive))}** — ${changeText}`, linksText].filter(Boolean).join(' ');
  return paragraphs([
    `**${codeSpan(displayName(directive))}** — ${directive.section ? 'section' : 'directive'}`,
    text,
    changeText,
    argumentList(values, directive.fate === 'removed'),
    exampleBlock(example),
    sharedFacts(directive),
    differenceTable(directive),
    linksText,
  ]);
}

/** The hover of a third-party module's directive, as Markdown; undefined if it is not known. */
function foreignMarkdown(name: string, isSection: boolean): string | undefined {
  const lowerName = name.toLowerCase();
  const modules = thirdPartyModules(lowerName, isSection);
  const [module] = modules;
  if (module === undefined) return undefined;
  const bareName = (text: string) => text.replace(/^<|>$/g, '').toLowerCase();
  const spelling = module.directives.find((each) => bareName(each) === lowerName)?.replace(/^<|>$/g, '') ?? name;
  const includesName = (names: readonly string[]) => names.some((each) => bareName(each) === lowerName);
  const removalText = Object.entries(module.removed).find(([each]) => bareName(each) === lowerName)?.[1];
  const groupWord = includesName(module.groups) ? groupWordOf(lowerName) : undefined;
  const hasSeveralModules = modules.length > 1;
  const nameOf = ({ file, identifier }: typeof module) =>
    codeSpan(file.startsWith('lib') ? identifier : file.replace(/\.so$/, ''));
  const allowedPlaces = foreignPlaces(module.places[isSection ? `<${spelling}>` : spelling] ?? '');
  return paragraphs([
    `**${codeSpan(isSection ? `<${spelling}>` : spelling)}** — ${isSection ? 'section' : 'directive'} of ${
      hasSeveralModules
        ? `${modules.length} modules that do not come with httpd. Your LoadModule line shows which one you have.`
        : `${nameOf(module)}, which does not come with httpd`
    }`,
    hasSeveralModules || module.about === undefined ? '' : `The module ${module.about}.`,
    removalText === undefined ? '' : `The version of the module for 2.4 does not have it. ${removalText}`,
    ...modules.map((each) => {
      const advice = thirdPartyAdvice(each.identifier) ?? '';
      const aboutText = each.about === undefined ? '' : ` ${each.about}.`;
      return hasSeveralModules ? `${nameOf(each)}${aboutText === '' ? ':' : aboutText} ${advice}`.trimEnd() : advice;
    }),
    [
      includesName(module.refuses)
        ? `With this line, the module can deny requests. ${module.does.includes('login') ? 'If you remove the line, check that a `Require` line still protects these URLs.' : 'Without the line, it allows them.'}`
        : '',
      groupWord === undefined
        ? ''
        : `In 2.2 it has the module answer \`Require group\`; in 2.4 write \`Require ${groupWord}\`.`,
      module.address === undefined ? '' : 'The module changes the address of the client, which `Require ip` compares.',
    ]
      .filter(Boolean)
      .join(' '),
    allowedPlaces && `Allowed in: ${allowedPlaces}.`,
  ]);
}

/**
 * The places of a third-party directive in words, as Markdown. `letters` are its value in the table
 * `places` of the module.
 */
export function foreignPlaces(letters: string): string {
  return [...letters].map((letter) => FOREIGN_PLACES[letter]).join(', ');
}

/** The places of third-party directives, by their letters in directives/data/third-party.json. */
const FOREIGN_PLACES: Readonly<Record<string, string>> = {
  s: 'server configuration, virtual host',
  g: 'server configuration (not in a virtual host)',
  m: 'server configuration (not in a virtual host)',
  w: 'server configuration (a virtual host takes it for the whole server, with a warning)',
  d: '`<Directory>`, `<Location>`, `<Files>`',
  p: '`<Directory>`, `<Location>`',
  l: '`<Location>`',
  h: '`.htaccess`',
  o: '`.htaccess` (with some versions of the module)',
};

/**
 * The hover of a module, as Markdown, by its name (`mod_alias`), identifier (`alias_module`) or
 * source file (`mod_alias.c`). Undefined if httpd has no such module.
 */
export function moduleMarkdown(name: string): string | undefined {
  const module = findModule(name);
  if (!module) return undefined;
  const { identifier, sharedObject, status } = (module['2.4'] ?? module['2.2'])!;
  const file = [identifier, sharedObject]
    .filter(Boolean)
    .map((text) => codeSpan(text!))
    .join(' · ');
  return paragraphs([
    `**${codeSpan(module.name)}** — module${file && ` (${file})`}`,
    descriptionOfModule(module.name) ?? '',
    moduleFateText(module),
    joinedLines([
      factText('Status', escapeMarkdown(status)),
      factText('Load after', module.loadAfter.map(codeSpan).join(', ')),
      factText('Provides', providedText(module)),
      directiveList(module),
    ]),
    manualLinks({ factsByVersion: module, manualAddressOf: (facts) => facts.manual }),
  ]);
}

// ---- Values and example ----

/** The description of a directive that has none. */
const NO_DESCRIPTION: Readonly<Partial<Description>> = {};

/**
 * The list of a directive's values with their descriptions. One line may be about several values:
 * `append, merge`.
 */
function argumentList(values: NonNullable<Description['arguments']>, isOnlyIn22: boolean): string {
  const valueRows = Object.entries(values).map(
    ([list, line]) => `- ${list.split(', ').map(codeSpan).join(', ')}: ${line}`,
  );
  return [...(isOnlyIn22 && valueRows.length > 0 ? ['Values in 2.2:'] : []), ...valueRows].join('\n');
}

function exampleBlock(example: string): string {
  return example && ['Example:', '```apacheconf', example, '```'].join('\n');
}

// ---- Changes in 2.4 ----

/** Sentences about the directive in 2.4: its gravest changes, its note, and its replacements. */
function fateSentences(directive: Directive): string[] {
  const maxChanges = FINAL_FATES.has(directive.fate) ? 1 : 3;
  const changeSentences = directive.changes
    .slice(0, maxChanges)
    .map((fate) => SENTENCE_OF_FATE[fate](directive))
    .filter(Boolean);
  const replacementText = directive.replacements.map((name) => codeSpan(shownName(name))).join(', ');
  const seeText = replacementText !== '' && !mentionsAllReplacements(directive) ? `See ${replacementText}.` : '';
  return [...changeSentences, directive.note ?? '', seeText].filter(Boolean);
}

/**
 * The name as users see it. The notes name a section without its `>`, so this function adds the
 * `>`.
 */
function shownName(name: string): string {
  return name.startsWith('<') ? `${name.replace(/>$/, '')}>` : name;
}

/** Whether the other sentences about the directive already name all its replacements. */
function mentionsAllReplacements({ fate, note = '', replacements }: Directive): boolean {
  return replacements.every((name) => note.includes(name)) || FATES_NAMING_REPLACEMENT.has(fate);
}

/** Changes whose sentence names the replacement. */
const FATES_NAMING_REPLACEMENT: ReadonlySet<ChangeKind> = new Set(['renamed']);

/**
 * Changes that make further changes unimportant. For example, no user needs the new default of an
 * ignored directive.
 */
const FINAL_FATES: ReadonlySet<ChangeKind> = new Set(['ignored']);

/** The modules of 2.4 that a server with 2.2 can have as modules of a third party. */
const THIRD_PARTY_IN_22: ReadonlySet<string> = new Set(['mod_proxy_html', 'mod_xml2enc', 'mod_macro']);

const ADVICE_TO_LOAD_MODULE_OF_24 = 'load the one that comes with 2.4';

/** The sentence about each kind of change. */
const SENTENCE_OF_FATE: Readonly<Record<ChangeKind, (directive: Directive) => string>> = {
  neither: () => '**Unknown in 2.2 and 2.4.**',
  error: () => '**An error in 2.2 and 2.4.**',
  removed: () => '**Removed in 2.4.**',
  new: (directive) =>
    `**New in ${sinceText(directive) || '2.4'}.**${(directive['2.4']?.modules ?? []).some((module) => THIRD_PARTY_IN_22.has(module)) ? ` In 2.2 it was in a third-party module: ${ADVICE_TO_LOAD_MODULE_OF_24}.` : ''}`,
  ignored: () => '**No effect in 2.4.**',
  renamed: ({ replacements }) =>
    `**Renamed**: the new name is ${replacements.map((name) => codeSpan(shownName(name))).join(', ')}. The old name still works.`,
  moved: (directive) =>
    `**Moved** from ${moduleText(directive['2.2']!)} to ${moduleText(directive['2.4']!)}${loadModuleText(directive['2.4']!)}.`,
  default: (directive) =>
    `**Default changed** from ${defaultText(directive, '2.2')} to ${defaultText(directive, '2.4')}.`,
  contexts: changedPlacesText,
  arguments: (directive) =>
    isOnlyMoved(directive)
      ? '**Changed in 2.4.**'
      : directive.note
        ? '**Arguments changed.**'
        : '**Arguments changed**: see the syntax.',
  values: () => '**Changed in 2.4.**',
  kept: (directive) =>
    !isUnchanged(directive)
      ? 'Kept in 2.4.'
      : sinceText(directive) === ''
        ? 'Unchanged in 2.4.'
        : `The same in 2.4, since ${sinceText(directive)}.`,
};

/**
 * Whether the directive moved to another module and kept its syntax. Then only the note of the
 * directive can say what else changed.
 */
function isOnlyMoved({ '2.2': facts22, '2.4': facts24 }: Directive): boolean {
  return (
    facts22 !== undefined &&
    facts24 !== undefined &&
    moduleText(facts22) !== moduleText(facts24) &&
    facts22.syntax.join('\n') === facts24.syntax.join('\n')
  );
}

/** Whether nothing about the directive changed, so that the text may say "unchanged". */
function isUnchanged(directive: Directive): boolean {
  const { changed } = descriptionOfDirective(directive.name, { section: directive.section }) ?? NO_DESCRIPTION;
  return !directive.note && !changed && !hasDifferences(directive);
}

/**
 * The patch release that introduced the directive; '' if the directive is in 2.4.0, so that callers
 * write "2.4".
 */
function sinceText(directive: Directive): string {
  const version = directive['2.4']?.since ?? '';
  return /^2\.4\.[1-9]/.test(version) ? version : '';
}

/** The releases of 2.2 and of 2.4 that introduced the directive, such as `2.2.30 and 2.4.11`. */
function releasesText(directive: Directive): string {
  const [since22 = '', since24] = [directive['2.2']?.since, sinceText(directive)];
  return since24 !== '' && since22.startsWith('2.2.') ? `${since22} and ${since24}` : since24;
}

/** A sentence if the target version does not have the directive yet; otherwise ''. */
function tooNewText(directive: Directive, target = ''): string {
  const patchNumberOf = (version: string) => Number(/^2\.4\.(\d+)$/.exec(version)?.[1] ?? NaN);
  return patchNumberOf(target) < patchNumberOf(sinceText(directive))
    ? `**Unknown in the target version, ${target}.**`
    : '';
}

function loadModuleText({ modules }: DirectiveFacts): string {
  const identifier = findModule(modules[0]!)?.['2.4']?.identifier;
  return identifier && modules[0] !== 'core' ? `: load ${codeSpan(identifier)}` : '';
}

/** Sentences about places in which 2.4 no longer allows the directive, or newly allows it. */
function changedPlacesText(directive: Directive): string {
  const [facts22, facts24] = [directive['2.2']!, directive['2.4']!];
  const addedPlaces = facts24.contexts.filter((place) => !facts22.contexts.includes(place));
  const lostPlaces = facts22.contexts.filter((place) => !facts24.contexts.includes(place));
  const sentences = [
    lostPlaces.length > 0
      ? `**No longer allowed** ${lostPlaces.map((place) => PLACE_IN_WORDS[place]).join(' or ')}.`
      : '',
    addedPlaces.length > 0
      ? `**Now also allowed** ${addedPlaces.map((place) => PLACE_IN_WORDS[place]).join(' and ')}.`
      : '',
    addedPlaces.length + lostPlaces.length === 0
      ? `**Needs** ${codeSpan(`AllowOverride ${facts24.override.join('|')}`)} in a .htaccess now.`
      : '',
  ];
  return sentences.filter(Boolean).join(' ');
}

/**
 * The manual's contexts as parts of a sentence. A directive that is allowed in directories can
 * still refuse some sections, as Alias refuses `<Files>`.
 */
const PLACE_IN_WORDS: Readonly<Record<Place, string>> = {
  'server config': 'at server level',
  'virtual host': 'in virtual hosts',
  directory: 'in sections such as `<Location>`',
  '<Proxy> section': 'in `<Proxy>` sections',
  '.htaccess': 'in .htaccess files',
};

// ---- Facts ----

/**
 * The facts about a directive: the label of each, and a function that returns its text for a
 * version.
 */
const FACT_ROWS: readonly [
  label: string,
  cell: (facts: DirectiveFacts, directive: Directive, version: Version) => string,
][] = [
  ['Syntax', (facts) => facts.syntax.map(codeSpan).join('<br>')],
  [
    'Default',
    (_, directive, version) => (defaultOf(directive, version) === undefined ? '' : defaultText(directive, version)),
  ],
  ['Module', (facts) => moduleText(facts)],
  ['Where', (facts, directive, version) => shownPlaces(facts, directive, version).join(', ')],
  [
    'AllowOverride',
    (facts, directive, version) =>
      shownPlaces(facts, directive, version).includes('.htaccess') ? facts.override.map(codeSpan).join(' or ') : '',
  ],
  ['Since', (_, directive) => (directive.fate === 'new' ? '' : releasesText(directive))],
  ['Platform', (facts) => facts.platforms.join(', ')],
];

/** The sections of the manual's context "directory", with their bits. */
const SECTIONS_OF_DIRECTORY: readonly [section: string, bit: number][] = [
  ['`<Directory>`', ForbiddenIn.directory],
  ['`<Location>`', ForbiddenIn.location],
  ['`<Files>`', ForbiddenIn.files],
];

/** Matches the directives that 2.2 accepts in each kind of section, and 2.4 does not. */
const LESS_STRICT_IN_22 = /^proxypass/;

/**
 * The places where a version accepts a directive, as Markdown. The manual calls several sections
 * "directory". If httpd refuses the directive in some of them, the result names the others, such as
 * `<Location>` for ProxyPass.
 */
function shownPlaces({ contexts }: DirectiveFacts, { name, section }: Directive, version: Version): string[] {
  const lowerName = name.replace(/^</, '').toLowerCase();
  const isLessStrict = version === '2.2' && LESS_STRICT_IN_22.test(lowerName);
  const forbiddenBits = isLessStrict ? 0 : (commandNamed(lowerName, section)?.forbiddenBits ?? 0);
  return contexts.flatMap((place) => {
    if (place === '.htaccess' && (forbiddenBits & ForbiddenIn.htaccess) !== 0) return [];
    const allowedSections = SECTIONS_OF_DIRECTORY.filter(([, bit]) => (forbiddenBits & bit) === 0);
    return place === 'directory' && allowedSections.length < SECTIONS_OF_DIRECTORY.length
      ? allowedSections.map(([text]) => text)
      : [escapeMarkdown(place)];
  });
}

/**
 * A fact about a directive in each version; undefined if the version does not have the directive.
 */
interface FactRow {
  readonly label: string;
  readonly '2.2'?: string;
  readonly '2.4'?: string;
}

/** The rows of facts in which at least one version has a text. */
function factRows(directive: Directive): FactRow[] {
  const cellOf = (version: Version, textOf: (typeof FACT_ROWS)[number][1]) =>
    directive[version] && textOf(directive[version], directive, version);
  return FACT_ROWS.map(([label, rowText]) => ({
    label,
    '2.2': cellOf('2.2', rowText),
    '2.4': cellOf('2.4', rowText),
  })).filter((row) => row['2.2'] || row['2.4']);
}

/**
 * Whether the two versions differ in a row. The row `Platform` never counts as different, because
 * the facts about 2.2 name a platform only for directives of one platform.
 */
function differsInVersions(row: FactRow): boolean {
  return row['2.2'] !== undefined && row['2.4'] !== undefined && row['2.2'] !== row['2.4'] && row.label !== 'Platform';
}

function hasDifferences(directive: Directive): boolean {
  return factRows(directive).some(differsInVersions);
}

/**
 * The facts that are the same in both versions; if only one version has the directive, all its
 * facts.
 */
function sharedFacts(directive: Directive): string {
  const sharedRows = factRows(directive).filter((row) => !differsInVersions(row));
  return joinedLines(sharedRows.map((row) => factText(row.label, row['2.4'] ?? row['2.2'] ?? '')));
}

/** A table of the facts in which the versions differ; '' if there are none. */
function differenceTable(directive: Directive): string {
  const differentRows = factRows(directive).filter(differsInVersions);
  if (differentRows.length === 0) return '';
  const table = differentRows.map((row) => `| ${row.label} | ${tableCell(row['2.2'])} | ${tableCell(row['2.4'])} |`);
  return ['| | 2.2 | 2.4 |', '|---|---|---|', ...table].join('\n');
}

/**
 * The module of a directive, or the MPMs. MPMs of uncommon platforms are left out if there are
 * others.
 */
function moduleText({ page, modules }: DirectiveFacts): string {
  const usualModules = modules.filter((name) => !MPMS_OF_RARE_PLATFORMS.has(name));
  const moduleNames = (usualModules.length > 0 ? usualModules : modules).map(escapeMarkdown);
  return page === 'mpm_common' && !modules.includes('core')
    ? `MPM (${moduleNames.join(', ')})`
    : moduleNames.join(' or ');
}

const MPMS_OF_RARE_PLATFORMS: ReadonlySet<string> = new Set(['beos', 'mpm_netware', 'mpmt_os2']);

function tableCell(text = ''): string {
  return text.replace(/(?<!\\)\|/g, '\\|') || '—';
}

/**
 * The default value as Markdown, without the name of the directive; 'none' if there is none. If
 * only the wording of the two manuals differs, uses that of 2.4.
 */
function defaultText(directive: Directive, version: Version): string {
  const defaultLine = defaultOf(directive, version);
  if (defaultLine === undefined) return 'none';
  const namePrefix = `${directive.name} `;
  if (!defaultLine.toLowerCase().startsWith(namePrefix.toLowerCase())) return escapeMarkdown(defaultLine);
  // The default of ErrorLog has one line for Unix and one for Windows.
  return defaultLine
    .slice(namePrefix.length)
    .split(` ${namePrefix}`)
    .map((valueWithRemark) => {
      // A remark in parentheses at the end is not part of the value.
      const [, value = '', remark] = /^(.+?)( \([^()]*\))?$/.exec(valueWithRemark) ?? [];
      return `${codeSpan(value)}${escapeMarkdown(remark ?? '')}`;
    })
    .join(', ');
}

function defaultOf(directive: Directive, version: Version): string | undefined {
  if (directive.changes.includes('default')) return directive[version]?.default;
  return directive['2.4']?.default ?? directive['2.2']?.default;
}

// ---- Modules ----

/** Sentences about what became of a module in 2.4. */
function moduleFateText(module: Module): string {
  const { fate, replacements, note } = module;
  const { movedHere, added, gone } = directivesByChange(module);
  const replacementNames = replacements.map(codeSpan).join(', ');
  const sentence = {
    removed: '**Removed in 2.4.**',
    new: `**New in 2.4.**${THIRD_PARTY_IN_22.has(module.name) ? ` In 2.2 it was a third-party module: ${ADVICE_TO_LOAD_MODULE_OF_24}.` : ''}`,
    renamed: `**Renamed**: ${replacementNames} in 2.4.`,
    changed: '**Changed in 2.4.**',
    kept: movedHere.length + added.length + gone.length > 0 ? 'Kept in 2.4.' : 'Unchanged in 2.4.',
  }[fate];
  const seeText =
    fate === 'removed' && replacementNames !== '' && !replacements.every((name) => note?.includes(name))
      ? `See ${replacementNames}.`
      : '';
  return [sentence, note, seeText].filter(Boolean).join(' ');
}

/** The kinds of providers, with the text before their names in a configuration. */
const PROVIDER_PREFIXES: readonly [kind: ProviderKind, prefix: string][] = [
  ['authz', 'Require '],
  ['authn', 'AuthBasicProvider '],
  ['socache', 'SSLSessionCache '],
  ['lbmethod', 'lbmethod='],
  ['cache', 'CacheEnable '],
  ['mutex', 'Mutex … '],
];

/** What the providers of a module add to the configuration, such as `Require ip`. */
function providedText({ name, ...module }: Module): string {
  const version: Version = module['2.4'] ? '2.4' : '2.2';
  const providedWords = PROVIDER_PREFIXES.flatMap(([kind, prefix]) =>
    [...providers(kind, version)]
      .filter(([, modules]) => modules.includes(name))
      .map(([word]) => codeSpan(prefix + word)),
  );
  return providedWords.join(', ');
}

/** Maximum number of directives that a list of a module names. */
const MAX_LISTED_DIRECTIVES = 12;

/**
 * The directives of a module, by how they changed. `all`: the directives in 2.4, or in 2.2 if 2.4
 * does not have the module. `movedHere`: in 2.2 they were in another module. `added`: new in 2.4.
 * `gone`: no longer in this module.
 */
function directivesByChange(
  module: Module,
): Readonly<Record<'all' | 'movedHere' | 'added' | 'gone', readonly Directive[]>> {
  const directives = directivesOf(module, module['2.4'] ? '2.4' : '2.2');
  const directivesMovedHere = directives.filter(
    (movedDirective) =>
      movedDirective['2.2'] &&
      !movedDirective['2.2'].modules.includes(module.name) &&
      movedDirective.changes.includes('moved'),
  );
  const directivesGone =
    module['2.2'] && module['2.4'] ? directivesOf(module, '2.2').filter((one) => !directives.includes(one)) : [];
  const newDirectives = module['2.2'] && module['2.4'] ? directives.filter((one) => !one['2.2']?.arguments) : [];
  return { all: directives, movedHere: directivesMovedHere, added: newDirectives, gone: directivesGone };
}

/** The directives of a module, by how they changed, with one line for each group. */
function directiveList(module: Module): string {
  const { all, movedHere, added, gone } = directivesByChange(module);
  const moduleIn24 = (one: Directive) => (one['2.4']?.arguments ? one['2.4'].modules[0] : undefined);
  const newModules = [...new Set(gone.map(moduleIn24))].filter((moduleName) => moduleName !== undefined);
  return joinedLines([
    factText('New in 2.4', nameList(added)),
    factText('Came here in 2.4', nameList(movedHere)),
    ...newModules.map((moduleName) =>
      factText(
        `Moved to ${escapeMarkdown(moduleName)} in 2.4`,
        nameList(gone.filter((one) => moduleIn24(one) === moduleName)),
      ),
    ),
    factText('Removed in 2.4', nameList(gone.filter((one) => moduleIn24(one) === undefined))),
    factText(`Directives (${all.length})`, nameList(all)),
  ]);
}

/** The first names of the directives, and how many more there are. */
function nameList(directives: readonly Directive[]): string {
  const listedNames = directives
    .slice(0, MAX_LISTED_DIRECTIVES)
    .map((one) => codeSpan(displayName(one)))
    .join(', ');
  return directives.length > MAX_LISTED_DIRECTIVES
    ? `${listedNames} and ${directives.length - MAX_LISTED_DIRECTIVES} more`
    : listedNames;
}

// ---- Markdown ----

/**
 * The facts of both versions about a directive or module, and how they show its page of the manual.
 */
interface LinkedFacts<Facts> {
  readonly factsByVersion: { readonly '2.2'?: Facts; readonly '2.4'?: Facts };
  readonly manualAddressOf: (facts: Facts) => string;
}

/** Links to the pages of both manuals; if there are none, to the list of all directives. */
function manualLinks<Facts>({ factsByVersion, manualAddressOf }: LinkedFacts<Facts>): string {
  const versions: Version[] = ['2.4', '2.2'];
  const links = versions.flatMap((version) =>
    factsByVersion[version] ? [`[${version} manual](${manualAddressOf(factsByVersion[version])})`] : [],
  );
  return links.length > 0 ? links.join(' · ') : `[2.4 manual](${ALL_DIRECTIVES_PAGE})`;
}

const ALL_DIRECTIVES_PAGE = 'https://httpd.apache.org/docs/2.4/mod/directives.html';

function factText(label: string, text: string): string {
  return text === '' ? '' : `**${label}** ${text}`;
}

/** Joins lines in Markdown: two spaces at the end of a line break it. */
function joinedLines(texts: readonly string[]): string {
  return texts.filter((line) => line !== '').join('  \n');
}

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
