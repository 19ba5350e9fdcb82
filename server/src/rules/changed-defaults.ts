import { NO_LINE_SUFFIX, choiceQuestion, openQuestion } from '../access/open-question';
import { DIRECTIVES_SERVING_ANY_FOLDER } from '../access/mappers';
import { isOverrideDefault } from '../access/override';
import type { ConfigLine, Configuration } from '../config/configuration';
import { driveOf, parentFolders, parentOf, pathComponents, pathOfComponents, resolvePath } from '../config/files';
import { lacksAtMostPackageLoads, linesOf, scopesOf } from '../config/loaded-modules';
import { namesInUse } from '../config/lines-by-name';
import { cachedByNames, namesIn } from '../config/name-set';
import { isNewForServer } from '../config/target';
import { argumentsOf, type Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { lineEnd, nameSpan } from './support/edits';
import { fittingTitle } from './support/fix-title';
import { mayHtaccessDecideDifferently, SERVING_NAMES } from './support/htaccess-effect';
import { runsOnWindows } from './support/windows';
import type { ConfigurationRule, ConfigurationRuleInput, Fix } from './rule';

/**
 * Finds settings that no line sets and whose default has changed. Gives one hint for a
 * configuration, with lines that keep the old values.
 */
export const changedDefaults: ConfigurationRule = {
  id: 'changed-defaults',
  title: 'Directives that are not set and have a new default',
  consequence: 'check after the upgrade',
  fix: 'suggestion',
  checks: 'configuration',
  get names() {
    return [
      ...SERVING_NAMES,
      'allowoverride',
      'allowoverridelist',
      ...DIRECTIVES_SERVING_ANY_FOLDER,
      'cacheroot',
      'substitute',
      'sslproxyengine',
      'sslengine',
      'proxypass',
      'rewriterule',
      ...new Set(CHANGED_DEFAULTS.flatMap(({ setBy }) => setBy)),
    ];
  },
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#run-time',
  examples: [
    {
      title: 'A configuration that does not set these directives',
      before:
        'ServerRoot /srv\nTimeout 300\nEnableSendfile Off\nMaxRequestsPerChild 4000\n<Directory />\n    Options None\n    AllowOverride None\n</Directory>\n',
      after:
        'ServerRoot /srv\nFileETag INode MTime Size\nLimitRequestBody 0\nMaxMemFree 0\nTimeout 300\nEnableSendfile Off\nMaxRequestsPerChild 4000\n<Directory />\n    Options None\n    AllowOverride None\n</Directory>\n',
      finds: ['defaults'],
    },
  ],
  check(ruleInput) {
    const { configuration } = ruleInput;
    const anchorLine = configuration.rootScope.lines.find(
      ({ line, activity, file }) => line.name === 'serverroot' && activity === 'active' && file.readingCount === 1,
    );
    // A server that already runs 2.4 already has the new defaults.
    const runs24 = ruleInput.target.runsUnknown24 === true || ruleInput.answerTo(RUNNING_QUESTION) === '2.4';
    if (!anchorLine || !lacksAtMostPackageLoads(configuration) || runs24) return [];
    const isForBothVersions = ruleInput.answerTo(VERSIONS_QUESTION) === 'both';
    if (isForBothVersions && ruleInput.answerTo(DEFAULTS_QUESTION) === '2.4') return [];
    const mpm = ruleInput.answerTo(MPM_QUESTION);
    const topLevelLines = configuration.rootScope.lines.filter(
      ({ conditionals }) => !conditionals.some((at) => isForOtherMpm(at, mpm)),
    );
    const topLevelNames = new Set(topLevelLines.map(({ line }) => line.name));
    const defaultsInput: DefaultsInput = {
      ruleInput,
      topLevelNames,
      folders: documentRootFolders(configuration),
    };
    const changedDefaults = CHANGED_DEFAULTS.filter(
      (each) =>
        isNewForServer(each.since ?? 0, ruleInput.target) &&
        !each.setBy.some((name) => topLevelNames.has(name)) &&
        (each.hasEffect?.(defaultsInput) ?? true),
    );
    if (
      changedDefaults.length === 0 ||
      changedDefaults.every(({ linesWithOldDefault }) => linesWithOldDefault === null)
    )
      return [];
    const eol = lineEnd(anchorLine.line);
    const linesKeepingOldDefault = ({ linesWithOldDefault, canKeepBehaviour }: ChangedDefault) =>
      canKeepBehaviour?.(defaultsInput) === false ? null : linesWithOldDefault;
    const addedLineGroups = changedDefaults.flatMap((each) =>
      [linesKeepingOldDefault(each)].filter((lines) => lines !== null),
    );
    const addedLines = addedLineGroups.flat();
    const lineEndOffset = anchorLine.offset + anchorLine.line.length;
    const missingNewline = /\n$/.test(anchorLine.line.text) ? '' : eol;
    return [
      {
        file: anchorLine.file.path,
        messageId: 'defaults',
        ...nameSpan(anchorLine.line, anchorLine.offset),
        what: `${changedDefaults.length === 1 ? '1 directive that you never set for the whole server has a new default' : `${changedDefaults.length} directives that you never set for the whole server have new defaults`} in 2.4`,
        cause: 'Where no line of yours sets them, 2.4 uses its new defaults.',
        help: helpFor(changedDefaults, 'list'),
        helpForBothVersions: `${helpFor(changedDefaults, 'one row')} Write the lines into \`<IfModule mod_authz_core.c>\`. If you want the new values, add --answer defaults=2.4 to the command.`,
        fixes:
          addedLines.length === 0
            ? []
            : [
                {
                  title: additionTitle(addedLineGroups),
                  safety: 'suggestion',
                  isAppliedAlone: true,
                  choice: {
                    openQuestion: choiceQuestion(
                      'defaults',
                      changedDefaults.map(
                        (each) => `${each.what}${linesKeepingOldDefault(each) === null ? NO_LINE_SUFFIX : ''}`,
                      ),
                    ),
                    values: ['2.2'],
                  },
                  edits: [
                    {
                      start: lineEndOffset,
                      end: lineEndOffset,
                      text: missingNewline + addedLines.map((line) => line + eol).join(''),
                    },
                  ],
                },
                FIX_FOR_NEW_DEFAULTS,
              ],
      },
    ];
  },
};

const DEFAULTS_QUESTION = choiceQuestion('defaults');
const VERSIONS_QUESTION = choiceQuestion('versions');
const MPM_QUESTION = choiceQuestion('mpm');
const RUNNING_QUESTION = openQuestion('running-version', '');

/**
 * Whether 2.4 skips an `<IfModule>` that tests for an MPM. The user's answer to the question `mpm`
 * decides that; false without an answer.
 */
function isForOtherMpm({ name, open }: Section, mpm: string | null): boolean {
  if (name !== 'ifmodule' || mpm === null || !/^(?:prefork|worker|event)$/.test(mpm)) return false;
  const [, not, testedMpm] =
    /^(!?)(?:mpm_)?(prefork|worker|event)(?:\.c|_module)$/i.exec(argumentsOf(open)[0]?.value ?? '') ?? [];
  return testedMpm !== undefined && (testedMpm.toLowerCase() === mpm) === (not === '!');
}

/** The values of 2.4, and what to do. Help for both versions is one row, because plan shows it. */
function helpFor(changedDefaults: readonly ChangedDefault[], form: 'list' | 'one row'): string {
  const isDefaultType = ({ what }: ChangedDefault) => what.startsWith('DefaultType ');
  const values = changedDefaults.filter((each) => !isDefaultType(each)).map(({ what }) => what);
  const typeHint = changedDefaults.some(isDefaultType)
    ? ' 2.4 ignores `DefaultType`: use `AddType` or `ForceType`.'
    : '';
  const valuesText =
    form === 'list' ? `\n${values.map((value) => `- ${value}`).join('\n')}\n` : ` ${values.join('; ')}. `;
  return `The values of 2.4:${valuesText}Add a line for each value of 2.2 that you need.${typeHint}`;
}

/** The title of the fix. Like the headline, it counts directives, but not the tags of sections. */
function additionTitle(addedLineGroups: readonly (readonly string[])[]): string {
  const [first = '', ...others] = addedLineGroups.map(([line = '', inSection]) =>
    inSection?.startsWith(' ') ? inSection.trim() : line,
  );
  if (others.length === 0) return `Add ${first}, the default of 2.2`;
  return fittingTitle(
    `Add ${first} and ${others.length} more defaults of 2.2`,
    `Add the defaults of 2.2 for ${others.length + 1} directives`,
  );
}

/** The fix without edits for the answer that the server should use the new defaults. */
const FIX_FOR_NEW_DEFAULTS: Fix = {
  title: 'Keep the new defaults of 2.4 and add no line',
  safety: 'suggestion',
  isAppliedAlone: true,
  choice: { openQuestion: DEFAULTS_QUESTION, values: ['2.4'] },
  edits: [],
};

/** The facts that `hasEffect` and `canKeepBehaviour` of a changed default look at. */
interface DefaultsInput {
  readonly ruleInput: ConfigurationRuleInput;
  /** Names of the directives outside of sections, in lower case. */
  readonly topLevelNames: ReadonlySet<string>;
  /** The directories of the DocumentRoot lines; `/` alone if there are no such lines. */
  readonly folders: readonly string[];
}

/** A directive whose default changed, or several that change together. */
interface ChangedDefault {
  /** The directives that set the value whose default changed, in lower case. */
  readonly setBy: readonly string[];
  /** The new value and the old one, for the help and for the question. */
  readonly what: string;
  /** The patch number of the 2.4 release that changed the default. Absent for 2.4.0. */
  readonly since?: number;
  /** Lines that keep the behaviour of 2.2; null if no line can or should keep it. */
  readonly linesWithOldDefault: readonly string[] | null;
  /** Whether the change has an effect here. Absent if it always has. */
  readonly hasEffect?: (defaultsInput: DefaultsInput) => boolean;
  /**
   * Whether the lines in `linesWithOldDefault` keep the behaviour here. Absent if they always do.
   */
  readonly canKeepBehaviour?: (defaultsInput: DefaultsInput) => boolean;
}

/** Limit of served directories for which the rule tests whether AllowOverride has its default. */
const MAX_CHECKED_FOLDERS = 100;

/**
 * The changed defaults, in the order in which the message names them. In
 * test/httpd/configuration-rules.test.ts a real server reads each line of `linesWithOldDefault`.
 */
export const CHANGED_DEFAULTS: readonly ChangedDefault[] = [
  {
    setBy: [],
    what: 'AllowOverride (was All): while no line sets it, 2.4 answers 500 if a .htaccess file has a directive',
    linesWithOldDefault: ['<Directory />', '    AllowOverride All', '</Directory>'],
    hasEffect: ({ ruleInput: { configuration }, folders }) =>
      folders.slice(0, MAX_CHECKED_FOLDERS).some((folder) => isOverrideDefault(configuration, folder)),
    // By default, 2.4 answers 500 where a .htaccess file has directives, so no client gets access.
    // `AllowOverride All` ends that, and 2.4 could then allow clients that 2.2 denied. So the line
    // is offered only if no .htaccess file can have this effect.
    canKeepBehaviour: ({ ruleInput }) => !mayHtaccessDecideDifferently(ruleInput),
  },
  {
    setBy: ['options'],
    what: 'Options FollowSymLinks (was All): a site without an Options line has no listings, no server-side includes, and no CGI programs outside of ScriptAlias',
    linesWithOldDefault: ['Options All'],
    hasEffect: ({ ruleInput: { configuration }, folders }) => lacksOptions(configuration, folders),
  },
  {
    setBy: ['timeout'],
    what: 'Timeout 60 (was 300): a request or script that is silent for 60 seconds ends',
    linesWithOldDefault: ['Timeout 300'],
  },
  { setBy: ['enablesendfile'], what: 'EnableSendfile Off (was On)', linesWithOldDefault: ['EnableSendfile On'] },
  {
    setBy: ['fileetag'],
    what: 'FileETag MTime Size (was INode MTime Size)',
    linesWithOldDefault: ['FileETag INode MTime Size'],
  },
  {
    setBy: ['limitrequestbody'],
    what: 'LimitRequestBody 1 GiB (2.2 had no limit): larger uploads get 413',
    linesWithOldDefault: ['LimitRequestBody 0'],
    since: 54,
  },
  {
    setBy: ['maxrequestsperchild', 'maxconnectionsperchild'],
    what: 'MaxConnectionsPerChild 0 (was 10000)',
    linesWithOldDefault: ['MaxConnectionsPerChild 10000'],
    // On Windows the default is 0 in both versions (DEFAULT_MAX_REQUESTS_PER_CHILD in mpm/winnt).
    hasEffect: ({ ruleInput }) => !runsOnWindows(ruleInput) && knowsMpmLimits(ruleInput),
  },
  {
    setBy: ['maxmemfree'],
    what: 'MaxMemFree 2048 (was 0)',
    linesWithOldDefault: ['MaxMemFree 0'],
    hasEffect: ({ ruleInput }) => knowsMpmLimits(ruleInput),
  },
  {
    setBy: ['requestreadtimeout'],
    what: 'RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500 (2.2 had no limit): very slow clients get 408',
    linesWithOldDefault: ['RequestReadTimeout header=0 body=0'],
    hasEffect: ({ ruleInput: { modules } }) => modules.activityOfModule('mod_reqtimeout') === 'active',
  },
  {
    setBy: ['cachedirlevels'],
    what: 'CacheDirLevels 2 (was 3)',
    linesWithOldDefault: ['CacheDirLevels 3'],
    hasEffect: (defaultsInput) => hasActiveLine(defaultsInput, 'cacheroot'),
  },
  {
    setBy: ['substitutemaxlinelength'],
    what: 'SubstituteMaxLineLength 1m (2.2 had no limit)',
    linesWithOldDefault: ['SubstituteMaxLineLength 1g'],
    since: 11,
    hasEffect: (defaultsInput) => hasActiveLine(defaultsInput, 'substitute'),
  },
  {
    setBy: ['mergeslashes'],
    what: 'MergeSlashes On: a pattern with // never matches now (2.2 did not merge slashes for patterns)',
    linesWithOldDefault: ['MergeSlashes Off'],
    since: 39,
    hasEffect: hasDoubleSlash,
  },
  {
    setBy: ['sslproxycheckpeercn', 'sslproxycheckpeerexpire', 'sslproxycheckpeername'],
    what: 'SSLProxyCheckPeerName, SSLProxyCheckPeerCN and SSLProxyCheckPeerExpire on (were off): 500 if the certificate of a backend has another name or is expired',
    linesWithOldDefault: ['SSLProxyCheckPeerCN off', 'SSLProxyCheckPeerExpire off', 'SSLProxyCheckPeerName off'],
    since: 5,
    hasEffect: (defaultsInput) => hasActiveLine(defaultsInput, 'sslproxyengine'),
  },
  {
    setBy: ['sslproxycheckpeercn', 'sslproxycheckpeerexpire'],
    what: 'SSLProxyCheckPeerCN and Expire on (were off): 500 if the certificate of a backend has another name or is expired',
    linesWithOldDefault: ['SSLProxyCheckPeerCN off', 'SSLProxyCheckPeerExpire off'],
    hasEffect: (defaultsInput) =>
      hasActiveLine(defaultsInput, 'sslproxyengine') && defaultsInput.ruleInput.target.patch < 5,
  },
  {
    setBy: ['sslprotocol'],
    what: 'SSLProtocol: all versions except SSLv2 and SSLv3',
    linesWithOldDefault: null,
    since: 17,
    hasEffect: (defaultsInput) => isUnsetWithTls(defaultsInput, 'sslprotocol'),
  },
  {
    setBy: ['sslprotocol'],
    what: 'SSLProtocol: all versions except SSLv2',
    linesWithOldDefault: null,
    hasEffect: (defaultsInput) =>
      isUnsetWithTls(defaultsInput, 'sslprotocol') && defaultsInput.ruleInput.target.patch < 17,
  },
  {
    setBy: ['sslciphersuite'],
    what: 'SSLCipherSuite: the default of OpenSSL',
    linesWithOldDefault: null,
    hasEffect: (defaultsInput) => isUnsetWithTls(defaultsInput, 'sslciphersuite'),
  },
  {
    setBy: ['defaulttype'],
    what: 'DefaultType none (was text/plain): no Content-Type for files of unknown type',
    linesWithOldDefault: null,
    // A fix of this program removes DefaultType, so a converted configuration may have had a
    // DefaultType line in 2.2.
    hasEffect: ({ ruleInput }) => !ruleInput.hasWrittenFixes,
  },
];

/** Whether an active line of this name has a value other than "off". */
function hasActiveLine({ ruleInput: { configuration } }: DefaultsInput, name: string): boolean {
  return linesOf(configuration, name).some(isValueOn);
}

function isValueOn({ line, activity }: ConfigLine): boolean {
  return activity === 'active' && argumentsOf(line)[0]?.value.toLowerCase() !== 'off';
}

/** Whether TLS is on in the main server, or in a virtual host without a line of this name. */
function isUnsetWithTls({ ruleInput: { configuration } }: DefaultsInput, name: string): boolean {
  const linesWithTls = linesOf(configuration, 'sslengine').filter(isValueOn);
  if (linesWithTls.length === 0) return false;
  const isEngineOn = (each: ConfigLine) => each.line.name === 'sslengine' && isValueOn(each);
  const hosts = scopesOf(configuration, 'virtualhost').filter(({ lines }) => lines.some(isEngineOn));
  const countInHosts = hosts.flatMap(({ lines }) => lines.filter(isEngineOn)).length;
  if (linesWithTls.length > countInHosts) return true;
  return hosts.some(({ lines }) => !lines.some(({ line, activity }) => line.name === name && activity === 'active'));
}

/** The DocumentRoot directories of the configuration. If there are none, `/` alone. */
function documentRootFolders(configuration: Configuration): readonly string[] {
  const folders: string[] = [];
  for (const { line, activity } of linesOf(configuration, 'documentroot')) {
    const documentRoot = argumentsOf(line)[0]?.value;
    if (activity === 'active' && documentRoot !== undefined && !documentRoot.includes('${'))
      folders.push(resolvePath(configuration.serverRoot, documentRoot));
  }
  return folders.length > 0 ? folders : ['/'];
}

/**
 * Whether the configuration was read completely. If not, an unread file may set the limits of the
 * MPM, often a file beside its LoadModule line.
 */
function knowsMpmLimits({ configuration }: ConfigurationRuleInput): boolean {
  return configuration.gaps.length === 0;
}

/**
 * Whether the default of Options applies to some directory. It does not apply if a section for the
 * directory or a parent has an Options line without signs. False if the path of a section with such
 * a line is a pattern.
 */
function lacksOptions(configuration: Configuration, folders: readonly string[]): boolean {
  const servedAndParents = new Set<string>();
  for (const folder of folders)
    for (let path = folder; !servedAndParents.has(path); path = parentOf(path)) servedAndParents.add(path);
  const mayHaveOptions = cachedByNames((names) => names.hasName('options') || names.mustReadInOrder);
  const mayCount = (section: Section) =>
    mayHaveOptions(namesIn(section.body)) && !namesOtherFolder(section, servedAndParents);
  if (!namesInUse(configuration).sections('directory').some(mayCount)) return true;
  const foldersWithOptions = new Set<string>();
  for (const scope of scopesOf(configuration, 'directory')) {
    if (!scope.section || !mayCount(scope.section) || !scope.lines.some(setsAllOptions)) continue;
    const [path] = scope.words;
    if (path === undefined || /^~|[*?[$]/.test(path)) return false;
    foldersWithOptions.add(comparablePath(resolvePath('/', path)));
  }
  return folders.some((folder) => !hasFolderOrParent(foldersWithOptions, folder));
}

/** Whether the line sets all options. It does so if no word has a sign (`+` or `-`). */
function setsAllOptions({ line }: ConfigLine): boolean {
  return (
    line.name === 'options' && !(/[+-]/.test(line.text) && argumentsOf(line).some((word) => /^[+-]/.test(word.value)))
  );
}

/** A quick test of a tag's text: whether it has one plain path that is not in `folders`. */
function namesOtherFolder({ open }: Section, folders: ReadonlySet<string>): boolean {
  const { text, nameEnd, isJoined } = open;
  PLAIN_PATH.lastIndex = nameEnd;
  return !isJoined && PLAIN_PATH.test(text) && !folders.has(text.slice(nameEnd + 1, PLAIN_PATH.lastIndex));
}

/** Matches the argument of a tag that is one plain path. */
const PLAIN_PATH = /[ \t](?:\/[\w-][\w.-]*)+(?=>[^>]*$)/y;

/**
 * Whether a folder, or a parent of it, is in the set. `/` is also the parent of all Windows drives
 * (dirsection in server/core.c).
 */
function hasFolderOrParent(folders: ReadonlySet<string>, folder: string): boolean {
  return folders.has('/') || [...parentFolders(folder), folder].some((path) => folders.has(comparablePath(path)));
}

/** The path in a form in which equal paths are equal texts. Windows ignores case. */
function comparablePath(path: string): string {
  return driveOf(path) === '' ? path : pathOfComponents(pathComponents(path));
}

/** Whether the pattern of a RewriteRule or `<LocationMatch>` contains two slashes in sequence. */
function hasDoubleSlash({ ruleInput: { configuration } }: DefaultsInput): boolean {
  const isDoubleSlashLine = (line: Line) =>
    mayHaveDoubleSlash(line) && argumentsOf(line)[0]?.value.includes('//') === true;
  return (
    (namesInUse(configuration).lines('rewriterule').some(isDoubleSlashLine) &&
      linesOf(configuration, 'rewriterule').some(
        ({ line, activity }) => activity !== 'inactive' && isDoubleSlashLine(line),
      )) ||
    scopesOf(configuration, 'locationmatch').some(({ words }) => words[0]?.includes('//'))
  );
}

/** A quick test for two slashes in the first argument. It may be true although there are none. */
function mayHaveDoubleSlash({ text, nameEnd, isJoined }: Line): boolean {
  const doubleSlash = text.indexOf('//', nameEnd);
  if (doubleSlash < 0 || isJoined) return doubleSlash >= 0;
  return !/^[ \t]+[^ \t"'\\]+[ \t]/.test(text.slice(nameEnd, doubleSlash));
}
