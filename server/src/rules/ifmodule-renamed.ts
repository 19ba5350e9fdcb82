import { sectionAt } from '../access/require';
import { moduleNameMeant } from '../config/modules';
import { enablesMemoryCache } from '../config/old-modules';
import { isNewForServer } from '../config/target';
import { thirdPartyModule } from '../directives/third-party';
import { argumentsOf, LineKind, type Line, type Word } from '../syntax/line';
import { forEachItem, type Section } from '../syntax/tree';
import { fittingHeadline, NO_FINDINGS, shortened } from './support/edits';
import { Fact, hasFact, type FileFacts } from './support/facts';
import { PHP_QUESTION, phpQuestionFor, removedSetting } from './support/php';
import type { Context, Edit, Finding, Fix, Member, SectionRule } from './rule';
import { titleToChange, fittingTitle } from './support/fix-title';

/**
 * Finds `<IfModule>` with a module name that 2.4 does not have. httpd skips the section without a
 * message.
 */
export const ifmoduleRenamed: SectionRule = {
  id: 'ifmodule-renamed',
  title: '<IfModule> with a module name that 2.4 does not have',
  consequence: 'meaning changed',
  fix: 'safe',
  checks: 'section',
  isAboutSingleLines: true,
  names: ['ifmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#ifmodule',
  examples: [
    {
      title: 'A renamed module',
      before: '<IfModule mod_disk_cache.c>\n    CacheEnable disk /\n</IfModule>\n',
      after: '<IfModule mod_cache_disk.c>\n    CacheEnable disk /\n</IfModule>\n',
      finds: ['renamed'],
    },
    {
      title: 'A renamed module, by its identifier',
      before: '<IfModule authn_alias_module>\n</IfModule>\n',
      after: '<IfModule authn_core_module>\n</IfModule>\n',
      finds: ['renamed'],
    },
    {
      title: 'A removed module',
      before: '<IfModule mod_authz_default.c>\n    AuthzDefaultAuthoritative Off\n</IfModule>\n',
      finds: ['removed'],
    },
    {
      title: 'A section for mod_mem_cache',
      before: '<IfModule mod_mem_cache.c>\n    CacheEnable mem /\n    MCacheSize 4096\n</IfModule>\n',
      after: '',
      finds: ['removed'],
    },
    {
      title: 'The PHP module',
      before: '<IfModule mod_php5.c>\n    php_flag engine on\n</IfModule>\n',
      after: '<IfModule mod_php.c>\n    php_flag engine on\n</IfModule>\n',
      finds: ['php'],
    },
    {
      title: 'A name that no module has',
      before: '<IfModule mod_authz_host>\n    Require all denied\n</IfModule>\n',
      after: '<IfModule mod_authz_host.c>\n    Require all denied\n</IfModule>\n',
      finds: ['no-name'],
    },
    {
      title: 'Not reported: a setting that only PHP 5 has',
      before: '<IfModule mod_php5.c>\n    php_flag magic_quotes_gpc off\n</IfModule>\n',
      finds: [],
    },
    {
      title: 'Not reported: modules of 2.4',
      before: '<IfModule prefork.c>\n</IfModule>\n<IfModule mod_cache_disk.c>\n</IfModule>\n',
      finds: [],
    },
  ],
  check({ members, context, body, bodyOffset }) {
    return members.flatMap((member) =>
      member.activity === 'inactive'
        ? NO_FINDINGS
        : findingsOf(member.line, context, {
            modulesBeside: () => modulesTestedBeside(member, members),
            findSection: () => sectionAt(body, member.offset - bodyOffset),
          }).map((finding) => shiftedFinding(member.offset, finding)),
    );
  },
};

/** What is near the tag of a section. It is looked up only if a finding needs it. */
interface Surroundings {
  /** Returns the modules that the sections next to this one test for. */
  readonly modulesBeside: () => ReadonlySet<string>;
  /** Returns the section that the tag opens; null if it is not found. */
  readonly findSection: () => Section | null;
}

/** The findings about a tag. Offsets are relative to its line. */
function findingsOf(line: Line, context: Context, { modulesBeside, findSection }: Surroundings): readonly Finding[] {
  const [word, ...more] = argumentsOf(line);
  if (word === undefined || more.length > 0) return NO_FINDINGS;
  const moduleName = word.value.replace(/^!/, '');
  const isNegated = moduleName !== word.value;
  const findingOf = (rest: Pick<Finding, 'messageId' | 'what'> & Partial<Finding>): Finding[] => [
    { start: word.start, end: word.end, ...rest },
  ];
  const effect = isNegated ? 'httpd always uses this section' : 'httpd skips this section';
  const consequence = isNegated ? 'meaning changed' : 'ignored';
  const assumesFor = (module: string) =>
    `httpd should use these lines only if ${module} is ${isNegated ? 'not loaded' : 'loaded'}`;
  const conditionText = (moduleName: string) => `\`<IfModule ${isNegated ? '!' : ''}${moduleName}>\``;
  const isNewBehaviour = isNewForServer(0, context.target);
  const newName = NEW_NAME_OF.get(moduleName);
  if (newName !== undefined && isNewBehaviour) {
    return findingOf({
      messageId: 'renamed',
      consequence,
      what: fittingHeadline(
        `${conditionText(moduleName)} names no module of 2.4: ${effect}`,
        `${conditionText(shortened(moduleName))}: ${effect}`,
      ),
      cause: `In 2.4 the module is called ${newName}.`,
      help: `Use ${conditionText(newName)}, unless another section has these lines for 2.4.`,
      // If another section of the file tests for mod_cache_disk, that section has these lines for
      // 2.4. Then the finding is dropped.
      ...(/disk_cache/.test(moduleName) && {
        resolve: (facts: FileFacts) => (hasFact(facts, Fact.asksCacheDisk) ? null : {}),
      }),
      fixes: [
        {
          title: conditionTitle(moduleName, newName),
          safety: 'suggestion',
          assumes: assumesFor(newName),
          edits: [editOfName(word, moduleName, newName)],
        },
      ],
    });
  }
  if (ADVICE_IF_REMOVED.has(moduleName) && isNewBehaviour) {
    return findingOf({
      messageId: 'removed',
      what: fittingHeadline(
        `${conditionText(moduleName)}: 2.4 has no such module, so ${effect}`,
        `${conditionText(moduleName)}: ${effect}`,
      ),
      cause: ADVICE_IF_REMOVED.get(moduleName),
      help: isNegated
        ? 'Remove the `<IfModule>` and `</IfModule>` lines, and keep the lines between them.'
        : /mem_cache/.test(moduleName)
          ? 'Remove the section: 2.4 does not know its `MCache` lines.'
          : 'Remove the section. If 2.4 needs the lines in it, remove only the `<IfModule>` lines.',
      consequence: 'check before the upgrade',
      tag: 'unnecessary',
      ...(!isNegated && /mem_cache/.test(moduleName) && { fixes: fixesWithoutSection(findSection(), line) }),
    });
  }
  const correctName = correctModuleName(moduleName);
  if (correctName !== undefined) {
    const nameIn24 = NEW_NAME_OF.get(correctName) ?? correctName;
    return findingOf({
      messageId: 'no-name',
      what: fittingHeadline(
        `${conditionText(moduleName)} names no module: ${effect}`,
        `${conditionText(shortened(moduleName))}: ${effect}`,
      ),
      cause: `In both versions \`<IfModule>\` needs the exact name of the source file (${nameIn24}) or the name in LoadModule.`,
      help: ADVICE_IF_REMOVED.has(nameIn24)
        ? 'Remove the `<IfModule>`.'
        : `Write \`<IfModule ${isNegated ? '!' : ''}${nameIn24}>\`.`,
      consequence: 'ignored',
      fixes: ADVICE_IF_REMOVED.has(nameIn24)
        ? []
        : [
            {
              title: conditionTitle(moduleName, nameIn24),
              safety: 'suggestion',
              assumes: assumesFor(nameIn24),
              edits: [editOfName(word, moduleName, nameIn24)],
            },
          ],
    });
  }
  const conditionTexts = { conditionText, effect, assumesFor, isNegated, modulesBeside };
  return findingsOfPhp(word, moduleName, conditionTexts, findSection);
}

/**
 * The fix that removes a section for mod_mem_cache, except its comments. 2.4 skips the section, so
 * it does the same without it. None if the section has other lines than those of that module.
 */
function fixesWithoutSection(section: Section | null, line: Line): readonly Fix[] {
  if (section === null || !section.close.isComplete || section.templateLineCount > 0) return [];
  const edits: Edit[] = [{ start: 0, end: line.length, text: '' }];
  let isOfMemCache = true;
  forEachItem(section.body, line.length, (item, start) => {
    if (item.kind === LineKind.Comment) return;
    isOfMemCache &&=
      item.kind === LineKind.Blank ||
      (item.kind === LineKind.Directive && (item.name.startsWith('mcache') || enablesMemoryCache(item)));
    edits.push({ start, end: start + item.length, text: '' });
  });
  if (!isOfMemCache) return [];
  edits.push({ start: section.length - section.close.length, end: section.length, text: '' });
  const title = fittingTitle(`Remove the section ${line.text.trim()}`, 'Remove the section');
  return [{ title, safety: 'safe', edits }];
}

/**
 * The modules that the `<IfModule>` sections next to a section test for, as names of source files.
 */
function modulesTestedBeside({ enclosingSections }: Member, members: readonly Member[]): ReadonlySet<string> {
  const isBeside = (other: Member) =>
    other.enclosingSections.length === enclosingSections.length &&
    other.enclosingSections.every((section, index) => section === enclosingSections[index]);
  return new Set(members.filter(isBeside).map(({ line }) => sourceOf(argumentsOf(line)[0]?.value ?? '')));
}

/** The source file of a module of PHP. Other names are returned unchanged. */
function sourceOf(name: string): string {
  return name.replace(/^(php\d?)_module$/, 'mod_$1.c');
}

/** The same finding with its offsets relative to the scope, not to the line. */
function shiftedFinding(offset: number, finding: Finding): Finding {
  const moveEdit = ({ start, end, ...rest }: Edit): Edit => ({ start: start + offset, end: end + offset, ...rest });
  return {
    ...finding,
    start: finding.start + offset,
    end: finding.end + offset,
    ...(finding.fixes && { fixes: finding.fixes.map((fix) => ({ ...fix, edits: fix.edits.map(moveEdit) })) }),
  };
}

/**
 * Whether all lines of a section are settings that PHP 7 and 8 do not have. The section then needs
 * no change, because other modules of PHP have no use for its lines.
 */
function hasOnlySettingsOfPhp5(findSection: () => Section | null): boolean {
  let settingCount = 0;
  let isOfPhp5 = true;
  const section = findSection();
  if (section === null) return false;
  forEachItem(section.body, 0, (item) => {
    if (item.kind === LineKind.Comment || item.kind === LineKind.Blank) return;
    settingCount++;
    const removed = item.kind === LineKind.Directive ? removedSetting(item) : null;
    isOfPhp5 &&= removed !== null && Number(removed.release) <= 7;
  });
  return settingCount > 0 && isOfPhp5;
}

/** The parts from which the texts of a finding about a condition are made. */
interface ConditionTexts {
  readonly conditionText: (name: string) => string;
  readonly effect: string;
  readonly assumesFor: (module: string) => string;
  readonly isNegated: boolean;
  /** Returns the modules that the sections next to this one test for. Called for PHP only. */
  readonly modulesBeside: () => ReadonlySet<string>;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The finding for a condition about the module of PHP 3, 4 or 5. */
function findingsOfPhp(
  word: Word,
  name: string,
  { conditionText, effect, assumesFor, isNegated, modulesBeside }: ConditionTexts,
  findSection: Surroundings['findSection'],
): readonly Finding[] {
  if (!/^(?:mod_php[345]\.c|sapi_apache2\.c|php[345]_module)$/.test(name)) return NO_FINDINGS;
  if (!isNegated && hasOnlySettingsOfPhp5(findSection)) return NO_FINDINGS;
  const nameOfPhp8 = name.endsWith('.c') ? 'mod_php.c' : 'php_module';
  const nameOfPhp7 = name.endsWith('.c') ? 'mod_php7.c' : 'php7_module';
  const phpQuestion = phpQuestionFor(`<IfModule ${name}>`);
  const fixForVersion = (now: string, version: string): Fix => ({
    title: fittingTitle(`Change ${name} to ${now} (PHP ${version})`, `Change to ${now} (PHP ${version})`),
    safety: 'suggestion',
    assumes: assumesFor(now),
    isAppliedAlone: true,
    choice: { openQuestion: phpQuestion, values: [version] },
    edits: [editOfName(word, name, now)],
  });
  // If a section next to this one tests for the module of PHP 7 or 8, it has the lines for that
  // version.
  const testedModules = isNegated ? NO_NAMES : modulesBeside();
  const versionsBeside = [
    ...(testedModules.has('mod_php7.c') ? ['7'] : []),
    ...(testedModules.has('mod_php.c') ? ['8'] : []),
  ];
  if (versionsBeside.length === 2) return NO_FINDINGS;
  const missingConditions = [
    ...(versionsBeside.includes('7') ? [] : [`${conditionText(nameOfPhp7)} (PHP 7)`]),
    ...(versionsBeside.includes('8') ? [] : [`${conditionText(nameOfPhp8)} (PHP 8)`]),
  ];
  const fixKeepingSection: Fix = {
    title: `Keep <IfModule ${shortened(name, 30)}> as it is`,
    safety: 'suggestion',
    isAppliedAlone: true,
    choice: { openQuestion: PHP_QUESTION, values: ['5', 'none', ...versionsBeside] },
    edits: [],
  };
  // A section for PHP 3 or 4 has no effect in a server with PHP 5 or without PHP. So no fix may
  // give it an effect, and it needs no change there.
  const isOlderThanPhp5 = /[34]|sapi/.test(name);
  const olderPhp = name.startsWith('sapi') ? 'PHP as a filter' : `PHP ${/[34]/.exec(name)?.[0]}`;
  const howToSee = name.startsWith('sapi')
    ? 'Almost no server runs PHP as a filter: it needs `SetOutputFilter PHP`. '
    : '';
  const olderHelp = isNegated
    ? `${howToSee}If 2.2 runs without ${olderPhp}, it uses these lines, too: remove only the \`<IfModule>\` and \`</IfModule>\` lines.`
    : `${howToSee}If 2.2 also runs without ${olderPhp}, remove the section: 2.2 skips it, too.`;
  const fixesForVersions = [fixForVersion(nameOfPhp8, '8'), fixForVersion(nameOfPhp7, '7')];
  const fixes = isOlderThanPhp5
    ? []
    : [
        ...fixesForVersions.filter(({ choice }) => !choice!.values.some((each) => versionsBeside.includes(each))),
        fixKeepingSection,
      ];
  return [
    {
      start: word.start,
      end: word.end,
      messageId: 'php',
      consequence: 'check before the upgrade',
      fixes,
      ...(isOlderThanPhp5 && { settledBy: fixKeepingSection.choice }),
      what: fittingHeadline(
        `${conditionText(name)}: ${isOlderThanPhp5 ? `without ${olderPhp}` : 'with PHP 7 or 8'}, ${effect}`,
        `${conditionText(shortened(name))}: ${effect}`,
      ),
      cause: `The module of PHP 7 is called ${nameOfPhp7}, that of PHP 8 ${nameOfPhp8}.`,
      help: isOlderThanPhp5
        ? `${olderHelp} Otherwise move the lines that you still need to ${conditionText(nameOfPhp8)} (PHP 8) or ${conditionText(nameOfPhp7)} (PHP 7), and remove the section.`
        : `Use ${conditionText(nameOfPhp8)} for PHP 8, ${conditionText(nameOfPhp7)} for PHP 7. With PHP-FPM or CGI, remove the lines of the PHP module in it: \`php_\` settings and \`LoadModule\`.`,
      helpForBothVersions: isOlderThanPhp5
        ? 'Keep this section for the servers of 2.2 with this PHP. If none has it, remove the section.'
        : isNegated
          ? `Keep this section, and put it into ${conditionText(nameOfPhp7)} and ${conditionText(nameOfPhp8)}.`
          : `Keep this section for 2.2. Below it, add a copy for ${missingConditions.join(' and one for ')}.`,
    },
  ];
}

/**
 * The correct name for a wrong module name; undefined if the name is correct or unknown. The name
 * of a third-party module is wrong for certain only in the form `mod_x` without `.c`.
 */
function correctModuleName(name: string): string | undefined {
  const thirdParty = /^mod_\w+$/.test(name) ? thirdPartyModule(name) : undefined;
  if (thirdParty !== undefined) return thirdParty.identifier === name ? undefined : thirdParty.source;
  return /^mod_php[345]$/.test(name) ? `${name}.c` : moduleNameMeant(name);
}

function conditionTitle(name: string, now: string): string {
  return fittingTitle(`Change <IfModule ${name}> to <IfModule ${now}>`, titleToChange(name, now));
}

/** The edit that replaces the module name at the end of a word, and keeps a `!` before it. */
function editOfName(word: Word, name: string, text: string): Edit {
  const nameEnd = word.quote !== '' && word.isTerminated ? word.end - 1 : word.end;
  return { start: nameEnd - name.length, end: nameEnd, text };
}

/** The names in 2.4 of renamed modules, by their names in 2.2. */
const NEW_NAME_OF: ReadonlyMap<string, string> = new Map([
  ...renamedEntries('disk_cache', 'cache_disk'),
  ...renamedEntries('authn_alias', 'authn_core'),
  ...renamedEntries('example', 'example_hooks'),
  ...['event', 'worker', 'prefork'].map((name): [string, string] => [`mod_mpm_${name}.c`, `${name}.c`]),
]);

/** What replaces a removed module, by the module's names. */
const ADVICE_IF_REMOVED: ReadonlyMap<string, string> = new Map([
  ...removedEntries('mem_cache', 'httpd 2.4 has mod_cache_disk and mod_cache_socache instead.'),
  ...removedEntries('authn_default', 'In 2.4 mod_authn_core replaces mod_authn_default.'),
  ...removedEntries('authz_default', 'In 2.4 mod_authz_core replaces mod_authz_default.'),
]);

/** The entries for both names of a module: that of its source file and its identifier. */
function renamedEntries(oldName: string, newName: string): [string, string][] {
  return [
    [`mod_${oldName}.c`, `mod_${newName}.c`],
    [`${oldName}_module`, `${newName}_module`],
  ];
}

/** The entries with the advice for both names of a removed module. */
function removedEntries(name: string, advice: string): [string, string][] {
  return [
    [`mod_${name}.c`, advice],
    [`${name}_module`, advice],
  ];
}
