/**
 * Finds out whether the server may already run 2.4. On 2.4, mod_access_compat evaluates the old
 * lines. It decides differently from 2.2 with Satisfy, with a login, or with a Require that only
 * 2.4 has (docs/access-control.md). A line that 2.2 refuses is a sign of 2.4. It is no proof,
 * because fixes of other rules also write such lines.
 */
import {
  readConfiguration,
  readHtaccessFile,
  type ConfigLine,
  type Configuration,
  type DirectiveNames,
  type ReadOptions,
  type Scope,
} from '../config/configuration';
import { moduleNamed } from '../config/modules';
import { namesIn } from '../config/name-set';
import { sectionKind } from '../config/sections';
import { directive, type Version } from '../directives';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { List, Section } from '../syntax/tree';
import { decideConditionIn22 } from './conditions';
import { openQuestion, RUNNING_VERSION_QUESTION, type OpenQuestion } from './open-question';
import { REQUIRE_WORDS_OF_24 } from './section-access';
import { findHostLine, modulesLoadedByLines } from './loading';

/** A line that only 2.4 accepts. */
export interface LineOf24 {
  readonly line: Line;
  /** Path of the file, with links resolved. */
  readonly path: string;
  /** UTF-16 offset in the file. */
  readonly offset: number;
}

/**
 * Makes the open question whether the server already runs 2.4. The user gets one question for all
 * lines that cause it.
 */
export function runningQuestion(subject: string, places: OpenQuestion['places']): OpenQuestion {
  return { ...openQuestion('running-version', subject, places), coveringQuestion: RUNNING_VERSION_QUESTION };
}

/**
 * Makes the two functions of `LineOf24Finders`. `readOptions`: the options for reading the
 * configuration. `builtInModules`: the names of the modules that are compiled in; absent or null if
 * that is unknown.
 */
export function lineOf24Finders(
  readOptions: ReadOptions,
  builtInModules?: ReadonlySet<string> | null,
): LineOf24Finders {
  const optionsOf22: ReadOptions = {
    ...readOptions,
    decideCondition: decideConditionIn22,
    tagNames: SECTIONS_OF_24,
    oneVersionNames: undefined,
    skipsSection: undefined,
  };
  return {
    findLineOf24: (configuration) =>
      findLineOf24(configuration, (names) => readConfiguration({ ...optionsOf22, names }), builtInModules),
    findHtaccessLineOf24: (scope) =>
      findHtaccessLineOf24(scope, (names) =>
        readHtaccessFile({ ...optionsOf22, root: scope.file.path, folder: scope.folder ?? '/', names }),
      ),
  };
}

/** Functions that find lines which show that the server runs 2.4. */
export interface LineOf24Finders {
  /**
   * The first line in the configuration, without .htaccess files, that only 2.4 accepts. Null if
   * there is none. Also null if 2.4 would not start because it does not load mod_access_compat.
   */
  readonly findLineOf24: (configuration: Configuration) => LineOf24 | null;
  /**
   * The first line in a .htaccess file that 2.4 accepts there and 2.2 does not: 2.2 answers 500.
   * Null if there is none.
   */
  readonly findHtaccessLineOf24: (htaccess: Scope) => LineOf24 | null;
}

/** Sections that only 2.4 accepts, whatever lines they contain. */
const SECTIONS_OF_24: ReadonlySet<string> = new Set([
  'iffile',
  'ifdirective',
  'ifsection',
  'requireall',
  'requireany',
  'requirenone',
]);

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Reads the lines with these names again, as 2.2 does: without the sections that 2.2 skips. Null if
 * the files cannot be read.
 */
type ReadAs22 = (names: DirectiveNames) => Pick<Configuration, 'rootScope' | 'modules'> | null;

function findLineOf24(
  configuration: Configuration,
  readAs22: ReadAs22,
  builtInModules: ReadonlySet<string> | null | undefined,
): LineOf24 | null {
  if (
    ![...configuration.files.values()].some(({ tree }) => fileMayShow24(tree)) ||
    cannotRun24(configuration, builtInModules)
  )
    return null;
  const configurationAs22 = readAs22(NAMES_SHOWING_24);
  return (
    configurationAs22 &&
    firstLineOrSection(
      configurationAs22.rootScope,
      (line) => lineShows24(line, configurationAs22.modules),
      sectionShows24,
    )
  );
}

function findHtaccessLineOf24({ file }: Scope, readAs22: ReadAs22): LineOf24 | null {
  const namesOf24: DirectiveNames = { has: (name) => isOnlyIn24(name.replace('<', ''), name.startsWith('<')) };
  if (!namesIn(file.tree.root).hasSome((name) => namesOf24.has(name))) return null;
  const configurationAs22 = readAs22(namesOf24);
  const isLineOf24 = ({ line: { name, kind } }: ConfigLine) => isOnlyIn24(name, kind === LineKind.Open);
  return (
    configurationAs22 && firstLineOrSection(configurationAs22.rootScope, isLineOf24, (name) => isOnlyIn24(name, true))
  );
}

/**
 * Matches directives of modules that are part of httpd since 2.4, but could be installed separately
 * for 2.2: mod_macro, mod_proxy_html, mod_xml2enc, mod_remoteip, mod_sed and others.
 */
const NAMES_OF_SEPARATE_MODULES =
  /^(macro|use$|undefmacro|proxyhtml|xml2|remoteip|lua|vhost|mod|fcgi|inputsed|outputsed|cookie)/;

function isUnknownTo22(name: string, isSection: boolean): boolean {
  if (NAMES_OF_SEPARATE_MODULES.test(name)) return false;
  const facts = directive(name, { section: isSection });
  return facts?.['2.4']?.arguments !== undefined && facts['2.2']?.arguments === undefined;
}

/** Directives whose lines can be a sign of 2.4. Names of sections begin with `<`. */
const NAMES_SHOWING_24: DirectiveNames = {
  has: (name) =>
    name === 'require' || name === 'loadmodule' || isUnknownTo22(name.replace('<', ''), name.startsWith('<')),
};

/** Whether a line of the configuration is a sign of 2.4. `modules`: the loaded modules. */
function lineShows24({ line, activity, conditionals }: ConfigLine, modules: readonly string[]): boolean {
  // A file for both versions can have lines of 2.4 in an <IfDefine>. There, only Define and
  // Undefine are a sign of 2.4.
  const mayBeForBoth = activity === 'unknown' && conditionals.some(({ name }) => name === 'ifdefine');
  if (mayBeForBoth && line.name !== 'define' && line.name !== 'undefine') return false;
  return textShows24(line, modules);
}

/** Whether the text of a line is a sign of 2.4: 2.2 refuses it, or it has no use in 2.2. */
function textShows24(line: Line, modules: readonly string[]): boolean {
  const lowerCaseWord = (index: number) => argumentsOf(line)[index]?.value.toLowerCase() ?? '';
  switch (line.name) {
    case 'require':
      return REQUIRE_WORDS_OF_24.has(lowerCaseWord(0));
    case 'loadmodule':
      return namesCompatModule(lowerCaseWord(0)) || namesCompatModule(lowerCaseWord(1));
    // 2.2 accepts these lines, too, if it loads mod_define, which existed separately for 2.2.
    case 'define':
    case 'undefine':
      return !modules.includes('mod_define.c');
    default:
      return isUnknownTo22(line.name, line.kind === LineKind.Open);
  }
}

function sectionShows24(name: string): boolean {
  return isUnknownTo22(name, true);
}

function namesCompatModule(name: string): boolean {
  return moduleNamed(name.replace(/^.*[/\\]/, '').replace(/\.(so|dll)$/, '.c')) === 'mod_access_compat';
}

/**
 * Whether 2.4 cannot start with this configuration (`Invalid command 'Order'`). That is so if a
 * line needs mod_access_compat, and LoadModule lines load all modules except this one.
 */
function cannotRun24(configuration: Configuration, builtInModules: ReadonlySet<string> | null | undefined): boolean {
  return (
    modulesLoadedByLines(configuration) === 'all' &&
    configuration.gaps.every(({ reason }) => reason === 'condition' || reason === 'mpm') &&
    !configuration.modules.some(namesCompatModule) &&
    builtInModules?.has('mod_access_compat') !== true &&
    findHostLine(
      configuration.rootScope,
      ({ activity, activityByVersion }) => activity === 'active' && activityByVersion?.in24 !== 'inactive',
    ) !== null
  );
}

const fileMayShow24Cache = cacheOf<object, boolean>();

/** Whether a file has a line that can be a sign of 2.4. Conditions around lines are ignored. */
export function fileMayShow24({ root }: Tree): boolean {
  let cachedAnswer = fileMayShow24Cache.get(root);
  if (cachedAnswer === undefined) fileMayShow24Cache.set(root, (cachedAnswer = someLineShows24(root)));
  return cachedAnswer;
}

function someLineShows24(list: List): boolean {
  if (!namesIn(list).hasSome((name) => NAMES_SHOWING_24.has(name))) return false;
  return list.children.some((child) =>
    child instanceof List
      ? someLineShows24(child)
      : child instanceof Section
        ? sectionShows24(child.name) || someLineShows24(child.body)
        : child.kind === LineKind.Directive && textShows24(child, []),
  );
}

/**
 * The first wanted line of a scope, or the tag of the scope or an inner scope if that section is
 * wanted. Null if there is none.
 */
function firstLineOrSection(
  scope: Scope,
  isWantedLine: (line: ConfigLine) => boolean,
  isWantedSection: (name: string) => boolean,
): LineOf24 | null {
  const { section, file, offset } = scope;
  if (section && isWantedSection(section.name)) return { line: section.open, path: file.path, offset };
  const wantedLine = scope.lines.find(isWantedLine);
  if (wantedLine) return { line: wantedLine.line, path: wantedLine.file.path, offset: wantedLine.offset };
  for (const child of scope.children) {
    const lineInChild = firstLineOrSection(child, isWantedLine, isWantedSection);
    if (lineInChild) return lineInChild;
  }
  return null;
}

/**
 * Whether 2.4 accepts a directive in .htaccess files, and 2.2 does not. Of sections, only the kinds
 * that this program knows count, such as conditions.
 */
function isOnlyIn24(name: string, isSection: boolean): boolean {
  const facts = directive(name, { section: isSection });
  const isAccepted = (version: Version) => facts?.[version]?.contexts.includes('.htaccess') === true;
  return isAccepted('2.4') && !isAccepted('2.2') && (!isSection || sectionKind(name) !== 'other');
}
