/** The input of the conversion: the server, the options, and facts that all sections share. */
import { mayHoldAny, type ConfigFile, type ConfigLine, type DirectiveNames, type Scope } from '../config/configuration';
import type { Distribution } from '../config/distribution';
import { argumentsOf } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { CLIENT_ADDRESS_DIRECTIVES } from './client-address';
import { REFUSING_DIRECTIVES, DIRECTIVES_REFUSING_IN_SECTIONS, GROUP_DIRECTIVES } from './checkers';
import {
  DIRECTIVES_FOR_CONTENT_WITHOUT_FILE,
  DIRECTIVES_MAPPING_ANY_URL,
  DIRECTIVES_ANSWERING_WITHOUT_FILE,
} from './mappers';
import { differentlyReadLine } from './read-differently';
import type { Source } from './model';
import { notConverted, type NotConverted } from './not-converted';
import type { LineOf24Finders } from './running';
import type { OperandMeaning } from './section-access';
import { hostsReading, type ServerFiles } from './sections';
import { SURVEYED_NAMES, surveyOf, type Survey } from './survey';
import { templateReason, unknownDirectivesInConfiguration, type UnknownDirectives } from './template';

/** Names of the directives whose lines the conversion needs from a configuration. */
export const ACCESS_NAMES: ReadonlySet<string> = new Set([
  'order',
  'allow',
  'deny',
  'satisfy',
  'require',
  'authtype',
  'authgroupfile',
  'authmerging',
  'allowoverride',
  'allowoverridelist',
  'accessfilename',
  'chrootdir',
  'documentroot',
  'listen',
  'alias',
  'scriptalias',
  'aliasmatch',
  'scriptaliasmatch',
  'wsgiscriptalias',
  'wsgiscriptaliasmatch',
  'userdir',
  'rewriteengine',
  'authzldapauthoritative',
  'authzdbmauthoritative',
  'authzgroupfileauthoritative',
  'authzuserauthoritative',
  'authzownerauthoritative',
  'authzdefaultauthoritative',
  'authdbmgroupfile',
  'mergeslashes',
  ...REFUSING_DIRECTIVES,
  ...DIRECTIVES_REFUSING_IN_SECTIONS,
  ...GROUP_DIRECTIVES,
  ...DIRECTIVES_MAPPING_ANY_URL,
  ...DIRECTIVES_ANSWERING_WITHOUT_FILE,
  ...DIRECTIVES_FOR_CONTENT_WITHOUT_FILE,
  ...CLIENT_ADDRESS_DIRECTIVES,
]);

/**
 * Options of the conversion. The functions of `LineOf24Finders` are called only if 2.2 and 2.4 may
 * decide differently with the old lines.
 */
export interface ConversionOptions extends Partial<LineOf24Finders> {
  /** The version whose access decisions the conversion keeps. */
  readonly source?: Source;
  /**
   * Whether to convert also those .htaccess files in which AllowOverride does not allow Require
   * yet. The conversion then changes the AllowOverride line, too.
   */
  readonly mayWidenOverride?: boolean;
  /**
   * The distribution of the server. If files of its packages are missing here, the program still
   * knows which modules they load.
   */
  readonly distribution?: Distribution | null;
  /** Whether to write each section for both versions. */
  readonly keepsBoth?: boolean;
  /**
   * Whether fixes of this program wrote the lines of 2.4. These lines are right beside the
   * remaining old lines, so the user is not asked which version runs.
   */
  readonly isConvertedInPart?: boolean;
  /** The user's answer about a word after `from` that looks like a mistake. */
  readonly meaningOf?: OperandMeaning;
  /**
   * Subjects of `overlap` questions to which the user answered that the sections never apply to the
   * same request.
   */
  readonly subjectsNeverTogether?: ReadonlySet<string>;
  /**
   * For a server that runs 2.4: whether a section counts as if it had `Require all granted` in
   * addition to its old lines. It does if the user answered that the inherited denial is a mistake.
   * Absent if no section does.
   */
  readonly countsAsGranted?: (scope: Scope) => boolean;
  /** Whether the user answered that directives of unknown modules do not affect access. */
  readonly areUnknownDirectivesNeutral?: boolean;
  /**
   * Returns a further reason not to convert a section: one that the conversion cannot find, such as
   * a comment `# httpd-upgrade-ignore`. Null if there is none.
   */
  readonly furtherReasonFor?: (scope: Scope) => NotConverted | null;
}

/**
 * Conditions that the conversion removes, because only 2.2 reads the lines in them.
 * `reasonBySection`: for each such condition that must stay, the reason.
 */
export interface ConditionRemovals {
  readonly removedConditions: ReadonlySet<Section>;
  readonly reasonBySection: ReadonlyMap<Section, NotConverted>;
}

/** A server with the options and the facts that the conversion of each section needs. */
export interface ConversionInput extends ServerFiles {
  readonly options: ConversionOptions;
  readonly conditionRemovals: ConditionRemovals;
  readonly survey: Survey;
  readonly unknownInConfiguration: UnknownDirectives | null;
  /** How often each .htaccess file is read, by path. */
  readonly readingCountByPath: ReadonlyMap<string, number>;
  /** Whether the conversion may widen AllowOverride lines. */
  readonly mayWidenOverride: boolean;
  /** Whether any scope has a Satisfy line other than `Satisfy All`. */
  readonly hasSatisfyAny: boolean;
}

/** Collects the facts that the conversion of each section needs. */
export function conversionInput(
  files: ServerFiles,
  options: ConversionOptions,
  conditionRemovals: ConditionRemovals,
): ConversionInput {
  const { configuration, htaccess } = files;
  const survey = surveyOf(scopesWithLines(files, SURVEYED_NAMES), configuration.modules, options.source);
  const unknownDirectives = unknownDirectivesInConfiguration(configuration);
  const reason =
    templateReason(filesOf(files)) ??
    survey.reason ??
    misreadLineReason(files, options) ??
    unknownDirectivesReason(unknownDirectives, options);
  const readingCountByPath = new Map<string, number>();
  for (const each of htaccess) {
    const { path } = each.scope.file;
    readingCountByPath.set(path, (readingCountByPath.get(path) ?? 0) + hostsReading(each).length);
  }
  return {
    ...files,
    options,
    conditionRemovals,
    survey: { ...survey, reason },
    unknownInConfiguration: unknownDirectives,
    readingCountByPath,
    mayWidenOverride:
      options.mayWidenOverride === true &&
      !hasLine(
        files,
        OVERRIDE_DIRECTIVES,
        ({ line, macro }) => line.name === 'allowoverridelist' || macro !== undefined,
      ),
    hasSatisfyAny: hasLine(
      files,
      SATISFY_NAME,
      ({ expandedLine }) => argumentsOf(expandedLine)[0]?.value.toLowerCase() !== 'all',
    ),
  };
}

/** All files of a server. */
export function filesOf({ configuration, htaccess }: ServerFiles): ConfigFile[] {
  return [...configuration.files.values(), ...htaccess.map(({ scope }) => scope.file)];
}

/** Whether a line of the server with one of these names fulfils `test`. */
export function hasLine(
  { configuration, htaccess }: ServerFiles,
  names: ReadonlySet<string>,
  test: (line: ConfigLine) => boolean,
): boolean {
  const mayHaveNames = mayHoldAny(names);
  const hasMatchingLine = (scope: Scope): boolean =>
    mayHaveNames(scope) &&
    (scope.lines.some((each) => names.has(each.line.name) && test(each)) || scope.children.some(hasMatchingLine));
  return hasMatchingLine(configuration.rootScope) || htaccess.some(({ scope }) => hasMatchingLine(scope));
}

/**
 * Why unknown directives prevent a conversion. Null if there are none, or if the user answered that
 * they do not affect access.
 */
export function unknownDirectivesReason(
  unknownDirectives: UnknownDirectives | null,
  { areUnknownDirectivesNeutral }: ConversionOptions,
): NotConverted | null {
  if (unknownDirectives === null || (areUnknownDirectivesNeutral === true && unknownDirectives.questions.length > 0))
    return null;
  return unknownDirectives.reason;
}

/** The text of a line, cut to 60 characters for a question or a reason. */
export function shortLineText(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Directives that allow directives in .htaccess files. */
const OVERRIDE_DIRECTIVES: ReadonlySet<string> = new Set(['allowoverride', 'allowoverridelist']);
const SATISFY_NAME: ReadonlySet<string> = new Set(['satisfy']);

/** The scopes that contain a line with one of the names, directly or in an inner section. */
function scopesWithLines({ configuration, htaccess }: ServerFiles, names: DirectiveNames): Scope[] {
  const mayHaveNames = mayHoldAny(names);
  const foundScopes: Scope[] = [];
  const walk = (scope: Scope): void => {
    if (!mayHaveNames(scope)) return;
    foundScopes.push(scope);
    scope.children.forEach(walk);
  };
  walk(configuration.rootScope);
  htaccess.forEach(({ scope }) => walk(scope));
  return foundScopes;
}

/**
 * The reason not to convert anything if 2.2 reads some line differently than this program. Null if
 * there is no such line.
 */
function misreadLineReason(files: ServerFiles, { source }: ConversionOptions): NotConverted | null {
  for (const { tree, path } of filesOf(files)) {
    const misreadLine = differentlyReadLine(tree, ACCESS_NAMES, source !== '2.4');
    if (!misreadLine) continue;
    const { line, offset, difference } = misreadLine;
    return notConverted('misread', { path, offset }, shortLineText(line.text.trim()), path, difference);
  }
  return null;
}
