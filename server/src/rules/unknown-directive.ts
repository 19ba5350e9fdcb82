import { hasUnknownModules } from '../config/modules';
import { commandNamed } from '../directives/commands';
import { directive, directives, module as moduleOf } from '../directives/index';
import { findNearestNames } from '../directives/nearest';
import { thirdPartyModule, thirdPartyModules, type ThirdPartyModule } from '../directives/third-party';
import { isByteOrderMark, LineKind, spelledName, type Line } from '../syntax/line';
import { cache } from '../syntax/memory';
import {
  fittingHeadline,
  invalidCommandText,
  nameSpan,
  NO_FINDINGS,
  renameDirective,
  shortened,
} from './support/edits';
import { Fact, hasFact } from './support/facts';
import { removedDirective } from './removed-directive';
import type { Context, Finding, Fix, LineRule } from './rule';
import { titleToChange } from './support/fix-title';

/**
 * Finds directives and sections that no loaded module has, because they are misspelled, or belong
 * to a missing or third-party module.
 */
export const unknownDirective: LineRule = {
  id: 'unknown-directive',
  title: 'A directive that no loaded module has',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: [],
  checksEveryLine: true,
  url: 'https://httpd.apache.org/docs/2.4/mod/directives.html',
  examples: [
    {
      title: 'A misspelled directive',
      before: 'PidFile logs/httpd.pid\nLoadModule dir_module modules/mod_dir.so\nDirectroyIndex index.html\n',
      after: 'PidFile logs/httpd.pid\nLoadModule dir_module modules/mod_dir.so\nDirectoryIndex index.html\n',
      finds: ['misspelled'],
    },
  ],
  mayConcern({ name, kind }, { place, fileContext }) {
    if (kind === LineKind.Close || place === null) return false;
    const knownCommand = commandNamed(name, kind === LineKind.Open);
    return (
      knownCommand === undefined ||
      NAMES_NEVER_BUILT.has(kind === LineKind.Open ? `<${name}` : name) ||
      (fileContext?.modules != null &&
        !isOldAccessName(name) &&
        !isAnyLoaded(knownCommand.modules, fileContext.modules))
    );
  },
  check({ line, context }) {
    // httpd reads empty quotes as no name and goes on (ap_build_config_sub).
    if (
      line.kind === LineKind.Close ||
      context.place === null ||
      (line.name === '' && line.kind === LineKind.Directive)
    )
      return NO_FINDINGS;
    const isSection = line.kind === LineKind.Open;
    const knownCommand = commandNamed(line.name, isSection);
    const modules = context.fileContext?.modules ?? null;
    if (NAMES_NEVER_BUILT.has(isSection ? `<${line.name}` : line.name))
      return context.activity === 'active' ? [findingOfName(line, isSection)] : NO_FINDINGS;
    if (knownCommand !== undefined)
      return modules === null ||
        context.activity !== 'active' ||
        isOldAccessName(line.name) ||
        isAnyLoaded(knownCommand.modules, modules) ||
        lacksMpm(knownCommand.modules, modules)
        ? NO_FINDINGS
        : [findingOfMissing(line, knownCommand.modules)];
    return findingsOfUnknown(line, isSection, modules, context);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Names in the command tables of httpd's source that are not compiled (mod_authz_core.c: `#if 0`;
 * test/httpd/claims-descriptions.test.ts).
 */
export const NAMES_NEVER_BUILT: ReadonlySet<string> = new Set(['<requirenotall']);

/**
 * Whether the rule order-allow-deny reports lines with this name. It does so even if
 * mod_access_compat is missing.
 */
function isOldAccessName(name: string): boolean {
  return name === 'order' || name === 'allow' || name === 'deny' || name === 'satisfy';
}

/**
 * Whether the directive belongs to MPMs and no MPM is loaded. The rule missing-module reports this
 * once, because without an MPM httpd does not start (AH00534, "No MPM loaded").
 */
function lacksMpm(names: readonly string[], modules: ReadonlySet<string>): boolean {
  return names.every(isMpm) && ![...modules].some(isMpm);
}

/** Whether the module with this name, such as `event`, is an MPM. */
function isMpm(name: string): boolean {
  return moduleOf(name)?.['2.4']?.identifier?.startsWith('mpm_') === true;
}

/** Whether one of the modules with these names is loaded. */
function isAnyLoaded(names: readonly string[], modules: ReadonlySet<string>): boolean {
  for (let i = 0; i < names.length; i++) if (modules.has(names[i]!)) return true;
  return false;
}

/**
 * The finding for a name that no directive of httpd 2.4 has. `modules`: the loaded modules, or null
 * if they are unknown.
 */
function findingsOfUnknown(
  line: Line,
  isSection: boolean,
  modules: ReadonlySet<string> | null,
  context: Context,
): readonly Finding[] {
  const { name } = line;
  // Under an unknown condition, httpd may skip the line, so nothing is certain.
  const isActive = context.activity === 'active';
  // Other rules report directives of 2.2 and 1.3 in more detail.
  if (
    directive(name, { section: isSection }) !== undefined ||
    REMOVED_NAMES.has(name) ||
    name.includes('${') ||
    isByteOrderMark(name)
  )
    return NO_FINDINGS;
  if (isLinkText(line)) return [findingOfLinkText(line)];
  const foundModules = modules ?? context.fileContext?.foundModules;
  const thirdPartyOwners = thirdPartyModules(name, isSection);
  if (thirdPartyOwners.length > 0) {
    if (
      foundModules === undefined ||
      !isActive ||
      (modules === null && context.isHtaccess) ||
      thirdPartyOwners.some((knownModule) =>
        [...foundModules].some((loaded) => thirdPartyModule(loaded) === knownModule),
      ) ||
      hasUnknownModules(foundModules)
    )
      return NO_FINDINGS;
    return [findingOfForeign(line, thirdPartyOwners, modules !== null)];
  }
  if (modules !== null && isActive) return hasUnknownModules(modules) ? NO_FINDINGS : [findingOfName(line, isSection)];
  // A name of another form may be template code in another language, so it is not reported.
  if (!/^[a-z]\w*$/.test(name)) return NO_FINDINGS;
  if (foundModules !== undefined && isActive && !context.isHtaccess)
    return hasUnknownModules(foundModules) ? NO_FINDINGS : [findingOfUnseen(line, isSection)];
  // For a file that is checked alone, the finding is certain only if the file is a whole
  // configuration, which loads all its modules.
  const [similarName] = findNearestNames(name, namesOf24(isSection), 1);
  const isNearName = similarName !== undefined && areOneTypoApart(name, similarName.toLowerCase());
  const certainFinding = findingOfName(line, isSection);
  const hint: Finding = {
    ...certainFinding,
    consequence: 'check after the upgrade',
    what: `\`${shortened(shownNameOf(line), 40)}\` is not a directive of httpd`,
    cause: 'It may belong to a module that httpd-upgrade does not know.',
    help: `Did you mean \`${similarName}\`?`,
    serverText: undefined,
  };
  return [
    {
      ...certainFinding,
      resolve: (facts) => {
        const isWholeConfiguration =
          hasFact(facts, Fact.isRoot) &&
          hasFact(facts, Fact.loadsModules) &&
          !hasFact(facts, Fact.includes, Fact.loadsUnknownModules) &&
          !context.isHtaccess;
        if (isWholeConfiguration && context.activity === 'active') return {};
        return isNearName
          ? { consequence: hint.consequence, what: hint.what, cause: hint.cause, help: hint.help }
          : null;
      },
    },
  ];
}

/**
 * Whether the line is a link that Git stored as text. Without symbolic links (core.symlinks=false,
 * as on Windows), Git makes a file that contains the path of the link's target, without a line end.
 */
export function isLinkText({ text }: Line): boolean {
  return /^\.{1,2}\/(?:[\w.+@-]+\/)*[\w.+@-]+$/.test(text);
}

/** The finding about a link that was stored as text. */
function findingOfLinkText(line: Line): Finding {
  return {
    messageId: 'link-text',
    what: fittingHeadline(
      `\`${line.text}\`: link stored as text`,
      `\`${shortened(line.text, 36)}\`: link stored as text`,
    ),
    cause: 'Git on Windows, or a copy without links, replaces a link by a text file with the path of its target.',
    help: `Make this file a link again, in its own directory: \`ln -sf ${line.text} ${nameOfLink(line.text)}\`.`,
    serverText: unknownCommandText(line),
    ...nameSpan(line),
  };
}

/**
 * The name of the link with this target. Debian's tools give a module's link the name of its
 * target. For other links, the placeholder NAME.
 */
function nameOfLink(target: string): string {
  return /mods-available\/([^/]+)$/.exec(target)?.[1] ?? 'NAME';
}

/** The finding about a name that no loaded module has, with similar names as fixes. */
function findingOfName(line: Line, isSection: boolean): Finding {
  const similarNames = findNearestNames(line.name, namesOf24(isSection), 3);
  const fixes: Fix[] = similarNames.map((name) => ({
    title: titleToChange(spelledName(line), name),
    safety: 'suggestion',
    edits: [renameDirective(line, name)],
  }));
  const help =
    similarNames.length === 0
      ? 'Load the module that has this directive. If you do not need the directive, remove the line.'
      : `Did you mean ${similarNames.map((name) => `\`${name}\``).join(' or ')}?`;
  return {
    messageId: similarNames.length > 0 ? 'misspelled' : 'unknown',
    what: `\`${shortened(shownNameOf(line), 40)}\` is not a directive of 2.4`,
    help,
    serverText: unknownCommandText(line),
    ...nameSpan(line),
    fixes: isSection ? [] : fixes,
  };
}

/** The finding about an unknown name in a configuration in which more modules may be loaded. */
function findingOfUnseen(line: Line, isSection: boolean): Finding {
  const certainFinding = findingOfName(line, isSection);
  return {
    ...certainFinding,
    consequence: 'may not start',
    what: `\`${shortened(shownNameOf(line), 40)}\` is not a directive of httpd 2.4`,
    cause: 'No line here loads a module that could have it.',
    help:
      certainFinding.messageId === 'misspelled'
        ? certainFinding.help
        : '`httpd -M` lists the modules on the 2.2 server. Load the one that has this directive, built for 2.4. If you do not need the directive, remove the line.',
  };
}

/**
 * The finding about a directive of modules that do not come with httpd and that no line loads.
 * `areModulesKnown`: whether all lines that load modules are known.
 */
function findingOfForeign(line: Line, modules: readonly ThirdPartyModule[], areModulesKnown: boolean): Finding {
  const { package: debianPackage } = modules[0]!;
  const moduleNames = modules.map(({ file }) => file.replace(/\.so$/, '')).join(' or ');
  const shownName = shortened(shownNameOf(line), 40);
  const notLoadedText = areModulesKnown ? 'is not loaded' : 'no line here loads';
  return {
    messageId: 'other-module',
    ...(!areModulesKnown && { consequence: 'may not start' as const }),
    what: fittingHeadline(
      `\`${shownNameOf(line)}\` needs ${moduleNames}, which ${notLoadedText}`,
      `\`${shownName}\` needs a module that ${notLoadedText}`,
    ),
    cause: `${moduleNames} does not come with httpd.${debianPackage === undefined ? '' : ` Debian has it in ${debianPackage}.`}`,
    help: `${areModulesKnown ? 'Load' : 'Perhaps a file that is not in this copy loads it. If not, load'} the module, or write ${conditionFor(modules.map(({ source }) => source))} around the line, so that httpd skips it without the module. ${riskWithout(modules)}`,
    serverText: unknownCommandText(line),
    ...nameSpan(line),
  };
}

/** A sentence about what clients get if httpd runs without third-party modules. */
function riskWithout(modules: readonly ThirdPartyModule[]): string {
  return modules.some(({ does }) => does.includes('refuses') || does.includes('login'))
    ? 'Then httpd no longer refuses the requests that the module refuses.'
    : 'Then httpd can send the source text of files that the module handled: deny access to them with `Require all denied`.';
}

/**
 * The finding about a directive of httpd of which no module is loaded. `neededModules`: one of them
 * is enough.
 */
function findingOfMissing(line: Line, neededModules: readonly string[]): Finding {
  const identifiers = neededModules.map((name) => moduleOf(name)?.['2.4']?.identifier ?? name);
  const neededText = neededModules.map((name) => (name.startsWith('mod_') ? name : `the ${name} MPM`)).join(' or ');
  const what = fittingHeadline(
    `\`${shownNameOf(line)}\` needs ${neededText}, which is not loaded`,
    `\`${shownNameOf(line)}\` needs a module that is not loaded`,
  );
  return {
    messageId: 'module-missing',
    what,
    help: `Load ${identifiers.join(' or ')}, or write ${conditionFor(neededModules.map((name) => `${name}.c`))} around the line.`,
    serverText: unknownCommandText(line),
    ...nameSpan(line),
  };
}

/** The tag of a condition that is true with the module. `sources`: as in `<IfModule>`. */
function conditionFor(sources: readonly string[]): string {
  const [source] = sources;
  return sources.length === 1 && /^mod_\w+\.c$/.test(source!) ? `\`<IfModule ${source}>\`` : '`<IfModule>`';
}

/** The name for the texts of a finding: the name of a section with angle brackets. */
function shownNameOf(line: Line): string {
  return line.kind === LineKind.Open ? `<${spelledName(line)}>` : spelledName(line);
}

/** The message of httpd. It names a section by its tag without the `>`. */
function unknownCommandText(line: Line): string {
  return line.kind === LineKind.Open ? invalidCommandText(line).replace("'", "'<") : invalidCommandText(line);
}

/** The names that the rule removed-directive reports. */
const REMOVED_NAMES = new Set(removedDirective.names);

/** The results of `namesOf24`, by its argument. */
const namesCache = cache<boolean, readonly string[]>();

/** The names of all directives, or of all sections, that 2.4 accepts. */
function namesOf24(isSection: boolean): readonly string[] {
  let namesOfKind = namesCache.get(isSection);
  if (!namesOfKind)
    namesCache.set(
      isSection,
      (namesOfKind = directives()
        .filter(
          (knownDirective) =>
            knownDirective.section === isSection &&
            knownDirective['2.4']?.arguments !== undefined &&
            knownDirective.fate !== 'error',
        )
        .map(({ name }) => name)),
    );
  return namesOfKind;
}

/** Whether the names differ in one letter: changed, added, left out or swapped. */
function areOneTypoApart(a: string, b: string): boolean {
  if (a.length < 5 || Math.abs(a.length - b.length) > 1) return false;
  let commonStart = 0;
  while (commonStart < a.length && commonStart < b.length && a[commonStart] === b[commonStart]) commonStart++;
  let commonEnd = 0;
  while (
    commonEnd < a.length - commonStart &&
    commonEnd < b.length - commonStart &&
    a[a.length - 1 - commonEnd] === b[b.length - 1 - commonEnd]
  )
    commonEnd++;
  const restOfA = a.slice(commonStart, a.length - commonEnd);
  const restOfB = b.slice(commonStart, b.length - commonEnd);
  return (
    Math.max(restOfA.length, restOfB.length) === 1 ||
    (restOfA.length === 2 && restOfB.length === 2 && restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0])
  );
}
