import { activityInVersion } from '../access/conditions';
import type { Tree24 } from '../access/model';
import { textIfOneLine } from '../access/print';
import { provenTranslation } from '../access/proof-cache';
import { readSection } from '../access/read';
import { readTree } from '../access/read24';
import { OLD_NAMES } from '../access/read';
import { ONLY_IN_24 } from '../access/section-access';
import { withoutNeedlessContainers } from '../access/translate';
import { activityInside, type Activity } from '../config/activity';
import { nameInTag, resultsForReleases } from '../config/condition';
import { moduleNamed } from '../config/modules';
import { isTransparent, sectionKind, spelledSection } from '../config/sections';
import type { Target } from '../config/target';
import { argumentsOf, indentOf, rawArguments, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { addTo } from '../syntax/groups';
import { lazy } from '../syntax/memory';
import { forEachItem, Section, type List, type PlacedLine } from '../syntax/tree';
import { contentSpan, fittingHeadline, joinedItems, NO_FINDINGS, removeLine, shortened } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Finding, Fix, SectionRule } from './rule';
import { directoryOf22 } from './package-path';
import { titleToChange, fittingTitle } from './support/fix-title';

/**
 * Finds access control in a section that only one version reads, if no section next to it has
 * access control of the same kind for the other version.
 */
export const conditionOneVersion: SectionRule = {
  id: 'condition-one-version',
  title: 'Access control in a section that only one of the two versions reads',
  consequence: 'meaning changed',
  fix: 'suggestion',
  checks: 'section',
  names: ['ifversion', 'ifmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_version.html#ifversion',
  examples: [
    {
      title: 'Access control that 2.4 does not read',
      before: '<Directory "/srv/a">\n<IfVersion < 2.4>\n    Order allow,deny\n</IfVersion>\n</Directory>\n',
      after: '<Directory "/srv/a">\n    Order allow,deny\n</Directory>\n',
      finds: ['lost'],
    },
    {
      title: 'A section of a removed module',
      before: '<IfModule mod_authz_default.c>\n<Location "/a">\n    Require valid-user\n</Location>\n</IfModule>\n',
      after: '<Location "/a">\n    Require valid-user\n</Location>\n',
      finds: ['lost'],
    },
    {
      title: 'A section that depends on the MPM',
      before: '<IfModule prefork.c>\n<Location "/a">\n    Order allow,deny\n</Location>\n</IfModule>\n',
      finds: ['mpm'],
    },
    {
      title: 'Lines for 2.4 that differ from those for 2.2',
      before:
        '<Directory "/srv/a">\n<IfVersion < 2.4>\n    Order allow,deny\n    Allow from 10.1\n</IfVersion>\n<IfVersion >= 2.4>\n    Require all granted\n</IfVersion>\n</Directory>\n',
      after:
        '<Directory "/srv/a">\n<IfVersion < 2.4>\n    Order allow,deny\n    Allow from 10.1\n</IfVersion>\n<IfVersion >= 2.4>\n    Require ip 10.1\n</IfVersion>\n</Directory>\n',
      finds: ['other'],
    },
    {
      title: 'A condition with the same result on every server',
      before: '<IfVersion ~ /^2\\.4/>\n    KeepAlive On\n</IfVersion>\n',
      after: '<IfVersion ~ ^2\\.4>\n    KeepAlive On\n</IfVersion>\n',
      finds: ['always'],
    },
    {
      title: 'Not reported: lines for both versions',
      before:
        '<Directory "/srv/a">\n<IfModule !mod_authz_core.c>\n    Order deny,allow\n    Deny from all\n</IfModule>\n<IfModule mod_authz_core.c>\n    Require all denied\n</IfModule>\n</Directory>\n',
      finds: [],
    },
  ],
  check({ body, bodyOffset, context, members }) {
    if (context.activity === 'inactive') return NO_FINDINGS;
    // In a macro, conditions may contain parameters, so their results are unknown.
    const isInMacro = context.containers.includes('macro');
    const mistakenVersionFindings = isInMacro
      ? NO_FINDINGS
      : members.flatMap(({ line, offset }) => findingOfMistakenVersion(line, offset) ?? []);
    // A server that already runs 2.4 reads the same sections after the upgrade as now.
    if (context.target.runningPatch !== undefined || context.target.runsUnknown24) return mistakenVersionFindings;
    if (!members.some(({ line }) => mayOneVersionRead(line, context.target))) return mistakenVersionFindings;
    return [
      ...mistakenVersionFindings,
      ...oneVersionFindings(body, bodyOffset, { in22: 'active', in24: 'active' }, context.target),
    ];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** Whether 2.2 and 2.4 read a section. */
interface VersionsReading {
  readonly in22: Activity;
  readonly in24: Activity;
}

/**
 * Which versions read a section, judged by its tag alone. `namesOnlyIn24`: names that only 2.4
 * knows, because a `Define` line in a section for 2.4 defines them.
 */
function versionsReadingTag(
  open: Line,
  target: Target,
  namesOnlyIn24: ReadonlySet<string> = NO_NAMES,
): VersionsReading {
  const testedName = open.name === 'ifdefine' ? nameInTag(open, 4) : null;
  if (testedName !== null && namesOnlyIn24.has(testedName.name))
    return testedName.isNegated ? { in22: 'active', in24: 'inactive' } : { in22: 'inactive', in24: 'active' };
  if ((open.name !== 'ifversion' && open.name !== 'ifmodule') || open.template !== Template.None)
    return UNKNOWN_READING;
  return { in22: activityInVersion('2.2', open, target), in24: activityInVersion('2.4', open, target) };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Adds to `names` what the `Define` lines of a list define. 2.2 does not have `Define`. */
function addDefinedNames(list: List, names: Set<string>): void {
  forEachItem(list, 0, (item) => {
    const [name] = item instanceof Section || item.name !== 'define' ? [] : argumentsOf(item);
    if (name !== undefined) names.add(name.value);
  });
}

const UNKNOWN_READING: VersionsReading = { in22: 'unknown', in24: 'unknown' };

/**
 * Why perhaps only one version reads a section. `lost`: only 2.2 reads it. `gained`: only 2.4 reads
 * it. `mpm`, `compat`, `variable`: it depends on the MPM, on mod_access_compat or on a variable.
 */
type OneVersionKind = 'lost' | 'gained' | 'mpm' | 'compat' | 'variable';

/**
 * Why perhaps only one version reads a section, by its tag and by the versions that read it. Null
 * if both versions read it alike, or if nothing is known.
 */
function oneVersionKindOf(open: Line, { in22, in24 }: VersionsReading): OneVersionKind | null {
  if (open.name === 'ifversion' && open.text.includes('${')) return 'variable';
  const module = open.name === 'ifmodule' ? moduleNamed(nameInTag(open, 4)?.name ?? '') : null;
  if (module === 'mod_access_compat') return in24 === 'inactive' ? null : 'compat';
  if (module !== null && MPM_NAMES.has(module)) return in24 === 'inactive' ? null : 'mpm';
  if (in22 === in24) return null;
  if (in24 === 'inactive' || (in22 === 'active' && in24 === 'unknown')) return 'lost';
  // The state in 2.2 may be unknown. Then `gained` is right if the section tests with `!` for a
  // module that only 2.2 has, or if the last release of 2.2 does not read it.
  const isRemoved = open.name === 'ifmodule' && in24 === 'active';
  const isNewer =
    open.name === 'ifversion' && in24 === 'active' && resultsForReleases(open, [LAST_RELEASE_OF_22])[0] === false;
  return in22 === 'inactive' || isRemoved || isNewer ? 'gained' : null;
}

const LAST_RELEASE_OF_22 = { major: 2, minor: 2, patch: 35 };

const MPM_NAMES: ReadonlySet<string> = new Set(['prefork', 'worker', 'event']);

/** Whether the condition may be true in only one of the versions. */
function mayOneVersionRead(open: Line, target: Target): boolean {
  return oneVersionKindOf(open, versionsReadingTag(open, target)) !== null;
}

/** A section that perhaps only one version reads. */
interface OneVersionSection {
  readonly section: Section;
  readonly offset: number;
  readonly oneVersionKind: OneVersionKind;
  /** The keys (`keyOf`) of the access lines in the section. */
  readonly keys: ReadonlySet<string>;
}

/**
 * The findings in a list and in its inner sections that do not start a scope. `outerReading`: which
 * versions read the list. `base`: the offset of the list.
 */
function oneVersionFindings(list: List, base: number, outerReading: VersionsReading, target: Target): Finding[] {
  const findings: Finding[] = [];
  const oneVersionSections: OneVersionSection[] = [];
  const definedNames = new Set<string>();
  const keysOfLinesFor24 = new Set<string>();
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section)) {
      if (kindOnlyIn24(item)) keysOfLinesFor24.add(keyOf('', 'access'));
      return;
    }
    const kindOfSection = sectionKind(item.name);
    if (kindOfSection !== 'conditional') {
      if (kindOfSection === 'container') addKeysOfSection(item, '', keysOfLinesFor24, kindOnlyIn24);
      if (isTransparent(kindOfSection))
        findings.push(...oneVersionFindings(item.body, offset + item.open.length, outerReading, target));
      return;
    }
    const ownReading = versionsReadingTag(item.open, target, definedNames);
    const reading = {
      in22: activityInside(outerReading.in22, ownReading.in22),
      in24: activityInside(outerReading.in24, ownReading.in24),
    };
    if (reading.in22 === 'inactive' && reading.in24 === 'inactive') return;
    const oneVersionKind = oneVersionKindOf(item.open, reading);
    if (oneVersionKind === null) {
      findings.push(...oneVersionFindings(item.body, offset + item.open.length, reading, target));
      addKeysFor24(item.body, keysOfLinesFor24, target);
    } else {
      if (oneVersionKind === 'gained') addDefinedNames(item.body, definedNames);
      const keys = new Set<string>();
      addKeysOfList(item.body, '', keys, decidingKindOf);
      oneVersionSections.push({ section: item, offset, oneVersionKind, keys });
    }
  });
  const coveredKeysByKind = new Map<OneVersionKind, ReadonlySet<string>>();
  const keysCoveredFor = (kind: OneVersionKind): ReadonlySet<string> => {
    const cachedKeys = coveredKeysByKind.get(kind);
    if (cachedKeys) return cachedKeys;
    const oppositeSections = oneVersionSections.filter(({ oneVersionKind }) => oneVersionKind === OPPOSITE_KIND[kind]);
    const coveredKeys = new Set([
      ...oppositeSections.flatMap(({ keys }) => [...keys]),
      ...(kind === 'lost' ? keysOfLinesFor24 : []),
    ]);
    coveredKeysByKind.set(kind, coveredKeys);
    return coveredKeys;
  };
  const counterparts = lazy(() => counterpartsIn(oneVersionSections));
  for (const each of oneVersionSections) {
    if (each.keys.size === 0) continue;
    const coveredKeys = keysCoveredFor(each.oneVersionKind);
    const isAlwaysReported =
      each.oneVersionKind === 'compat' &&
      (!rawArguments(each.section.open).value.startsWith('!') || hasOldLines(each.section.body));
    const isCovered = [...each.keys].every(
      (key) =>
        coveredKeys.has(key) || coveredKeys.has(INCLUDED_KIND) || (key === INCLUDED_KIND && coveredKeys.size > 0),
    );
    if (isAlwaysReported || !(isCovered || repeatsLinesAround(each, list))) findings.push(findingOf(each));
    else if (each.oneVersionKind === 'lost') findings.push(...findingsOfCounterparts(each, counterparts()));
  }
  return findings;
}

/**
 * Whether a section that only 2.4 reads has Require lines with the same effect as the old lines
 * around it in the list. Then there is no finding here: the command `fix` removes those old lines.
 */
function repeatsLinesAround(oneVersionSection: OneVersionSection, list: List): boolean {
  if (oneVersionSection.oneVersionKind !== 'gained' || [...oneVersionSection.keys].join() !== keyOf('', 'access'))
    return false;
  const linesAround: PlacedLine[] = [];
  forEachItem(list, 0, (item, offset) => {
    if (!(item instanceof Section) && ACCESS_NAMES.has(item.name)) linesAround.push({ line: item, offset });
  });
  const wantedTree = linesAround.length === 0 ? null : treeOf22(linesAround);
  const writtenTree = treeOf24(linesByScope(oneVersionSection).get('') ?? []);
  return wantedTree !== null && JSON.stringify(wantedTree) === JSON.stringify(writtenTree);
}

/** Adds the keys (`keyOf`) of the lines in those sections of the list that only 2.4 reads. */
function addKeysFor24(list: List, keys: Set<string>, target: Target): void {
  forEachItem(list, 0, (item) => {
    if (!(item instanceof Section) || sectionKind(item.name) !== 'conditional') return;
    if (oneVersionKindOf(item.open, versionsReadingTag(item.open, target)) === 'gained')
      addKeysOfList(item.body, '', keys, decidingKindOf);
    else addKeysFor24(item.body, keys, target);
  });
}

/** The sections that only 2.4 reads, each with the access lines of its scopes. */
interface Counterparts {
  readonly gainedSections: readonly {
    readonly section: OneVersionSection;
    readonly scopes: ReadonlyMap<string, readonly PlacedLine[]>;
  }[];
  /**
   * For the path of each scope, the indexes in `gainedSections` of the sections that have this
   * scope.
   */
  readonly gainedIndexesByPath: ReadonlyMap<string, readonly number[]>;
  /** For each key, the number of `lost` and `gained` sections that have it. */
  readonly countByKey: ReadonlyMap<string, number>;
}

/** The sections among these that only 2.4 reads, prepared for `findingsOfCounterparts`. */
function counterpartsIn(oneVersionSections: readonly OneVersionSection[]): Counterparts {
  const countByKey = new Map<string, number>();
  const gainedIndexesByPath = new Map<string, number[]>();
  const gainedSections = oneVersionSections.flatMap((section) =>
    section.oneVersionKind === 'gained' ? [{ section, scopes: linesByScope(section) }] : [],
  );
  for (const [index, { scopes }] of gainedSections.entries())
    for (const path of scopes.keys()) addTo(gainedIndexesByPath, path, index);
  for (const { oneVersionKind, keys } of oneVersionSections)
    if (oneVersionKind === 'lost' || oneVersionKind === 'gained')
      for (const key of keys) countByKey.set(key, (countByKey.get(key) ?? 0) + 1);
  return { gainedSections, gainedIndexesByPath, countByKey };
}

/**
 * Findings about sections for 2.4 whose access control differs from that of `lostSection`, the
 * section for 2.2 next to them.
 */
function findingsOfCounterparts(
  lostSection: OneVersionSection,
  { gainedSections, gainedIndexesByPath, countByKey }: Counterparts,
): Finding[] {
  const linesFor22 = linesByScope(lostSection);
  const paths = [...linesFor22.keys()].filter((path) => countByKey.get(keyOf(path, 'access')) === 2);
  const indexes = new Set(paths.flatMap((path) => gainedIndexesByPath.get(path) ?? []));
  return [...indexes]
    .sort((a, b) => a - b)
    .flatMap((index): Finding[] => {
      const { section, scopes } = gainedSections[index]!;
      for (const [path, lines] of scopes) {
        const linesOfScope22 = linesFor22.get(path);
        if (!linesOfScope22 || countByKey.get(keyOf(path, 'access')) !== 2) continue;
        const wantedTree = treeOf22(linesOfScope22);
        const writtenTree = treeOf24(lines);
        const areTreesKnown = wantedTree !== null && writtenTree !== null;
        const isSameAccess = areTreesKnown
          ? JSON.stringify(wantedTree) === JSON.stringify(writtenTree)
          : wordsIn(linesOfScope22) === wordsIn(lines);
        // If a tree could not be built, the lines are compared word by word. A difference counts
        // only if the section for 2.4 has old lines, because new lines always have other words.
        if (isSameAccess || !(areTreesKnown || lines.some(({ line }) => OLD_NAMES.has(line.name)))) continue;
        return [
          findingOfCounterpart(section, lines, areTreesKnown ? { wantedTree, writtenTree, linesOfScope22 } : null),
        ];
      }
      return [];
    });
}

/**
 * The access lines of each scope in a section, by the path of tags that lead to the scope. Leaves
 * out scopes with limits or conditions.
 */
function linesByScope({ section, offset }: OneVersionSection): ReadonlyMap<string, readonly PlacedLine[]> {
  const scopes = new Map<string, PlacedLine[]>();
  const unclearPaths = new Set<string>();
  const walk = (list: List, base: number, path: string): void =>
    forEachItem(list, base, (item, at) => {
      if (!(item instanceof Section)) {
        if (decidingKindOf(item) === 'access') addTo(scopes, path, { line: item, offset: at });
        return;
      }
      if (sectionKind(item.name) === 'container') walk(item.body, at + item.open.length, tagsWithOwnTag(item, path));
      else unclearPaths.add(path);
    });
  walk(section.body, offset + section.open.length, '');
  for (const path of unclearPaths) scopes.delete(path);
  return scopes;
}

/** The text of the lines in lower case and without extra spaces, to compare two groups of lines. */
function wordsIn(lines: readonly PlacedLine[]): string {
  return lines.map(({ line }) => line.text.trim().replace(/\s+/g, ' ').toLowerCase()).join('\n');
}

/** The Require tree for what these lines decide in 2.2; null if it is unknown. */
function treeOf22(lines: readonly PlacedLine[]): Tree24 | null {
  const section = readSection(lines.map(({ line }) => line));
  return section.obstacle === null && section.neverMatchingTexts.length === 0 ? provenTranslation(section) : null;
}

/**
 * The Require tree of these lines in 2.4. Null if some are lines of 2.2 or of mod_ssl, or if a
 * Require line cannot be read.
 */
function treeOf24(lines: readonly PlacedLine[]): Tree24 | null {
  const requireLines = lines
    .filter(({ line }) => line.name === 'require')
    .map(({ line }) => ({ line, enclosingSections: [] }));
  const hasOnlyNewLines = lines.every(({ line }) => !OLD_NAMES.has(line.name) && !line.name.startsWith('ssl'));
  const tree = hasOnlyNewLines ? readTree(requireLines) : null;
  return tree && withoutNeedlessContainers(tree);
}

/** What the lines for 2.2 decide, and what the lines for 2.4 decide. */
interface ComparedTrees {
  readonly wantedTree: Tree24;
  readonly writtenTree: Tree24;
  /** The lines for 2.2. */
  readonly linesOfScope22: readonly PlacedLine[];
}

/** How the access of the lines for 2.4 differs, in words; `trees` is null if it is not known. */
function differenceText(trees: ComparedTrees | null): string {
  if (trees !== null) {
    const [wanted, written] = [textIfOneLine(trees.wantedTree), textIfOneLine(trees.writtenTree)];
    if (written === ALL_GRANTED || wanted === ALL_DENIED) return 'allow more requests than';
    if (written === ALL_DENIED || wanted === ALL_GRANTED) return 'allow fewer requests than';
  }
  return 'give other access than';
}

const ALL_GRANTED = 'Require all granted';
const ALL_DENIED = 'Require all denied';

/** The finding about a section whose lines for 2.4 differ. `trees`: null if they are not known. */
function findingOfCounterpart(
  { section: { open }, offset }: OneVersionSection,
  linesFor24: readonly PlacedLine[],
  trees: ComparedTrees | null,
): Finding {
  const requireLines = linesFor24.filter(({ line }) => line.name === 'require');
  const [first] = requireLines;
  const wantedText = trees && textIfOneLine(trees.wantedTree);
  const tag = `\`<${spelledSection(open.name)} ${shortened(rawArguments(open).value.replace(/\s+/g, ' '), 28)}>\``;
  const fixes: Fix[] =
    first && wantedText !== null
      ? [
          {
            title: fittingTitle(
              `Change ${first.line.text.trim()} to ${wantedText}`,
              `Change the Require lines to ${wantedText}`,
            ),
            safety: 'suggestion',
            assumes: 'the lines for 2.2 are right, and those for 2.4 are not',
            edits: [
              {
                start: first.offset,
                end: first.offset + first.line.length,
                text: `${indentOf(first.line)}${wantedText}${/\r?\n$/.exec(first.line.text)?.[0] ?? ''}`,
              },
              ...requireLines.slice(1).map(({ line, offset: at }) => removeLine(line, at)),
            ],
          },
        ]
      : [];
  return {
    messageId: 'other',
    what: fittingHeadline(
      `${tag}: the lines for 2.4 ${differenceText(trees)} those for 2.2`,
      `${tag}: other access than in 2.2`,
    ),
    cause: 'One section is for 2.2, the other for 2.4, and they do not allow the same requests. So access changes.',
    help:
      wantedText === null
        ? 'Compare the two sections, and correct the lines for 2.4.'
        : `To keep the access of 2.2${shownLines(trees!.linesOfScope22, ' (', ')')}, write \`${wantedText}\` for 2.4${shownLines(requireLines, ' in place of ', '')}.`,
    ...contentSpan(open, offset),
    fixes,
  };
}

/** The lines as code between two texts; '' if there are none, or if they are too long. */
function shownLines(lines: readonly PlacedLine[], before: string, after: string): string {
  const text = joinedItems(lines.map(({ line }) => `\`${line.text.trim().replace(/\s+/g, ' ')}\``));
  return lines.length === 0 || text.length > 150 ? '' : `${before}${text}${after}`;
}

/**
 * The finding for an `<IfVersion>` whose condition has the same result on every server. The cause:
 * `2.4` means only 2.4.0, and slashes after `~` are part of the pattern. Null for other tags.
 */
function findingOfMistakenVersion(open: Line, offset: number): Finding | null {
  if (open.name !== 'ifversion' || open.template !== Template.None) return null;
  const condition = rawArguments(open).value.replace(/>\s*$/, '').replace(/\s+/g, ' ').trim();
  const [, reversed = '', operator = '=', testedVersion = ''] = /^(!)?(==|=|~)? ?"?([^"]+)"?$/.exec(condition) ?? [];
  const isSlashPattern = operator === '~' && /^\/.*\/$/.test(testedVersion);
  const isShortVersion = operator !== '~' && /^2\.[24](\.0)?$/.test(testedVersion);
  if (!isSlashPattern && !isShortVersion) return null;
  const tag = `\`<IfVersion ${shortened(condition, 28)}>\``;
  const constantResult = reversed === '' ? 'false' : 'true';
  const pattern = isSlashPattern ? testedVersion.slice(1, -1) : `^2\\.${testedVersion.charAt(2)}`;
  const betterCondition = `${reversed}~ ${pattern}`;
  const [conditionWord] = argumentsOf(open);
  const bracketOffset = open.text.lastIndexOf('>');
  return {
    messageId: 'always',
    what: `${tag} is ${constantResult} on every server`,
    cause: isSlashPattern
      ? 'After `~` the slashes are part of the pattern, and no version number has slashes.'
      : `\`${testedVersion}\` means ${testedVersion.slice(0, 3)}.0: a version without a patch number is the first release, which no server runs.`,
    help: `Write \`<IfVersion ${betterCondition}>\` instead, or remove the condition.`,
    consequence: 'probably a mistake',
    ...contentSpan(open, offset),
    fixes:
      conditionWord && bracketOffset > 0
        ? [
            {
              title: titleToChange(`<IfVersion ${condition}>`, `<IfVersion ${betterCondition}>`),
              safety: 'suggestion',
              assumes: 'the condition is for all releases of this version',
              edits: [{ start: offset + conditionWord.start, end: offset + bracketOffset, text: betterCondition }],
            },
          ]
        : [],
  };
}

const OPPOSITE_KIND: Readonly<Partial<Record<OneVersionKind, OneVersionKind>>> = {
  lost: 'gained',
  gained: 'lost',
  compat: 'gained',
};

function hasOldLines(body: List): boolean {
  const keys = new Set<string>();
  addKeysOfList(body, '', keys, ({ name }) => (OLD_NAMES.has(name) ? 'access' : null));
  return keys.size > 0;
}

/** A function that returns what kind of access control a line sets; null for other lines. */
type KindOfLine = (line: Line) => string | null;

const INCLUDED_KIND = 'include';

/** The kind of access control that a line sets in one of the versions; null for other lines. */
function decidingKindOf(line: Line): string | null {
  if (ACCESS_NAMES.has(line.name)) return 'access';
  if (line.name === 'include' || line.name === 'includeoptional') return INCLUDED_KIND;
  if (line.name === 'allowoverridelist')
    return rawArguments(line).value.search(ACCESS_NAME_IN_LIST) >= 0 ? 'override' : null;
  if (line.name === 'allowoverride' || line.name === 'accessfilename') return 'override';
  if (MAPPING_NAMES.has(line.name)) return 'mapping';
  return line.name === 'rewriterule' && /\[(?:[^[\]]*,)?\s*(?:F|forbidden)\s*[,\]]/i.test(line.text) ? 'rewrite' : null;
}

/** Matches names in an AllowOverrideList that affect access control. */
const ACCESS_NAME_IN_LIST = /\b(?:require|order|allow|deny|satisfy|auth|ssl|rewrite)/i;

/** Directives that map URLs to directories. They change which access control applies. */
const MAPPING_NAMES: ReadonlySet<string> = new Set([
  'alias',
  'aliasmatch',
  'scriptalias',
  'scriptaliasmatch',
  'documentroot',
]);

/** The kind of access control of a line that only 2.4 has; null for other lines. */
function kindOnlyIn24(line: Line): string | null {
  const [first] = line.name === 'require' ? argumentsOf(line) : [];
  return first && ONLY_IN_24.has(first.value.toLowerCase()) ? 'access' : null;
}

const ACCESS_NAMES: ReadonlySet<string> = new Set([
  'order',
  'allow',
  'deny',
  'satisfy',
  'require',
  'authtype',
  'sslrequire',
  'sslrequiressl',
]);

/**
 * The key by which access lines of the two versions are compared: their kind, and the tags of the
 * enclosing container sections, such as `<directory /a><files x>`. What 2.4 has for `/a` does not
 * apply to `/b`. All Include lines have one key, because it is unknown what their files contain.
 */
function keyOf(enclosingTags: string, kind: string): string {
  return kind === INCLUDED_KIND ? INCLUDED_KIND : `${kind} ${enclosingTags}`;
}

/**
 * Adds to `keys` the key of each access line in a list. `kindOfLine`: returns the kind of a line,
 * or null for a line without a key.
 */
function addKeysOfList(list: List, enclosingTags: string, keys: Set<string>, kindOfLine: KindOfLine): void {
  forEachItem(list, 0, (item) => {
    if (item instanceof Section) return addKeysOfSection(item, enclosingTags, keys, kindOfLine);
    const decidingKind = kindOfLine(item);
    if (decidingKind !== null) keys.add(keyOf(enclosingTags, decidingKind));
  });
}

/** Adds to `keys` the key of each access line in a section. */
function addKeysOfSection(section: Section, enclosingTags: string, keys: Set<string>, kindOfLine: KindOfLine): void {
  addKeysOfList(
    section.body,
    sectionKind(section.name) === 'container' ? tagsWithOwnTag(section, enclosingTags) : enclosingTags,
    keys,
    kindOfLine,
  );
}

/** The tags of the enclosing sections with the tag of this section, as `keyOf` takes them. */
function tagsWithOwnTag({ name, open }: Section, enclosingTags: string): string {
  const argumentWords = argumentsOf(open).map(({ value }) => directoryOf22(value.replace(/(?<=.)\/$/, '')));
  return `${enclosingTags}<${name} ${argumentWords.join(' ')}>`;
}

function findingOf({ section, offset, oneVersionKind, keys }: OneVersionSection): Finding {
  const { open, close, body } = section;
  const condition = rawArguments(open).value.replace(/\s+/g, ' ');
  const sectionName = spelledSection(open.name);
  const kinds = new Set([...keys].map((key) => key.split(' ')[0]!));
  const affectedLines =
    kinds.size > 1
      ? kinds.has('mapping')
        ? 'access lines and URL mappings'
        : 'access lines'
      : (TEXT_OF_KIND[[...kinds][0]!] ?? 'access lines');
  const tag = `\`<${sectionName} ${shortened(condition, 28)}>\``;
  const fix: Fix = {
    title: `Remove the <${sectionName}> lines, keep the lines between`,
    safety: 'suggestion',
    assumes: 'the lines should also apply in 2.4',
    edits: [removeLine(open, offset), removeLine(close, offset + open.length + body.length)],
  };
  const findingTexts = TEXTS_BY_KIND[oneVersionKind](tag, affectedLines, sectionName);
  return {
    messageId: oneVersionKind,
    ...findingTexts,
    // Without old lines, the section is already written for 2.4, so the consequence is milder.
    ...(oneVersionKind === 'gained' && [...kinds].every((kind) => kind === 'access') && !hasOldLines(body)
      ? { consequence: 'check before the upgrade' as const }
      : {}),
    what: fittingHeadline(findingTexts.what, `${tag}: 2.2 and 2.4 read different lines`),
    ...contentSpan(open, offset),
    fixes: oneVersionKind === 'lost' ? [fix] : [],
    resolve: (facts) => {
      if (hasFact(facts, Fact.fromCompat)) return null;
      // Without old lines, the whole file is already written for 2.4, so the finding is dropped.
      const hasOldAccess = hasFact(facts, Fact.oldAccess) || hasFact(facts, Fact.satisfy);
      return oneVersionKind === 'gained' && !hasOldAccess ? null : {};
    },
  };
}

const TEXT_OF_KIND: Readonly<Record<string, string>> = {
  [INCLUDED_KIND]: 'included file',
  mapping: 'lines that map URLs',
  override: 'lines about .htaccess files',
};

const TEXTS_BY_KIND: Readonly<
  Record<
    OneVersionKind,
    (tag: string, what: string, name: string) => Pick<Finding, 'what' | 'cause' | 'help' | 'consequence'>
  >
> = {
  lost: (tag, what, name) => ({
    what: `${tag}: 2.4 skips its ${what}`,
    cause:
      '2.2 reads the section, and 2.4 does not: the condition is not true there. 2.4 uses what it inherits, so access can open.',
    help: `Remove the <${name}> lines, and keep the lines between them: the next run converts Order, Allow and Deny. If 2.2 still reads this file, leave the section as it is, and add a copy for 2.4, with \`Require\`, in \`<IfModule mod_authz_core.c>\`.`,
  }),
  gained: (tag, what) => ({
    what: `${tag}: the upgrade puts its ${what} into effect`,
    cause: 'The condition is not true in 2.2. So access can change in 2.4.',
    help: '2.2 skips this section, and there is no section with lines for 2.2 beside it. So 2.4 gets access lines that 2.2 never used. If 2.4 should use its lines, keep the section. If 2.4 should decide as 2.2 does, remove the section: then the lines outside of it apply.',
  }),
  mpm: (tag, what) => ({
    what: `${tag}: the MPM decides whether 2.4 reads its ${what}`,
    cause: 'If the 2.4 server runs another MPM than the 2.2 server, access can open or close.',
    help: 'Move the lines out of the section, so that they do not depend on the MPM.',
  }),
  variable: (tag, what) => ({
    what: `${tag}: perhaps only 2.2, or only 2.4, reads its ${what}`,
    cause: 'The condition has a variable, and its answer can differ in 2.2 and 2.4. So access can open or close.',
    help: 'Write the version into the condition, so that it does not depend on a variable.',
  }),
  compat: (tag) => ({
    what: `${tag} does not tell 2.2 from 2.4`,
    cause:
      '2.2 does not have mod_access_compat, and 2.4 can run with or without it. So other lines apply than the condition suggests.',
    help: 'Write the lines for 2.2 in `<IfModule !mod_authz_core.c>`, and those for 2.4 in `<IfModule mod_authz_core.c>`.',
  }),
};
