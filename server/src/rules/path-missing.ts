import { fittingHeadline, MAX_HEADLINE_LENGTH } from './support/edits';
import type { ConfigLine, Configuration } from '../config/configuration';
import { PROFILES, type Distribution } from '../config/distribution';
import {
  baseName,
  driveOf,
  hasWildcard,
  localPathAsSpelled,
  parentOf,
  resolvePath,
  serverPathOf,
  type FileView,
} from '../config/files';
import { linesOf } from '../config/loaded-modules';
import { moduleNamed } from '../config/modules';
import { argumentsOf, spelledName, type Word } from '../syntax/line';
import type { ConfigurationFinding, ConfigurationRule, Consequence } from './rule';

export const pathMissing: ConfigurationRule = {
  id: 'path-missing',
  title: 'A missing file or directory that the server needs',
  consequence: 'will not start',
  fix: 'none',
  checks: 'configuration',
  names: [
    'serverroot',
    'documentroot',
    'errorlog',
    'customlog',
    'transferlog',
    'globallog',
    'forensiclog',
    'pidfile',
    'defaultruntimedir',
    'coredumpdirectory',
    'chrootdir',
    'typesconfig',
    'mimemagicfile',
    'loadfile',
    'loadmodule',
    'include',
    'sslcertificatefile',
    'sslcertificatekeyfile',
    'sslcertificatechainfile',
    'sslcacertificatefile',
    'sslcacertificatepath',
    'sslcarevocationfile',
    'sslcarevocationpath',
    'sslproxymachinecertificatefile',
    'sslproxycacertificatefile',
    'sslpassphrasedialog',
    'sslrandomseed',
    'sslsessioncache',
    'sslstaplingcache',
    'mutex',
    'scriptsock',
    'rewritemap',
    'remoteiptrustedproxylist',
    'remoteipinternalproxylist',
    'authgroupfile',
  ],
  url: 'https://httpd.apache.org/docs/2.4/programs/httpd.html',
  examples: [
    {
      title: 'A missing log directory, program and certificate',
      before:
        'ServerRoot /srv\nDocumentRoot /srv/www\nErrorLog logs/error_log\nCustomLog "|/srv/bin/rotate" combined\nSSLCertificateFile conf/server.crt\nPidFile conf/httpd.pid\n',
      finds: ['folder', 'program', 'file'],
      files: { '/srv/www/index.html': '' },
    },
    {
      title: 'Not reported: a copy from another machine',
      before: 'ServerRoot /etc/httpd\nDocumentRoot /var/www/html\nErrorLog logs/error_log\n',
      finds: [],
    },
  ],
  check({ configuration, view, distribution }) {
    if (!isOnThisMachine(configuration, view)) return includesMissingInCopy(configuration, view);
    const findings: ConfigurationFinding[] = [];
    const cachedView = new CachedFileView(view);
    let cachedMainLines: ReadonlySet<ConfigLine> | null = null;
    const mainLines = () => (cachedMainLines ??= new Set(configuration.rootScope.lines));
    const reportedLines = new Set<unknown>();
    for (const [name, neededPathOf] of NEEDED_PATH_BY_DIRECTIVE) {
      for (const pathLine of linesOf(configuration, name)) {
        // If a file is included twice, its lines occur twice, but each line is reported only once.
        if (
          pathLine.activity !== 'active' ||
          reportedLines.has(pathLine.line) ||
          loadsBuiltInModule(pathLine, distribution)
        )
          continue;
        const problem = problemOf(
          neededPathOf(argumentsOf(pathLine.expandedLine), pathLine, () => mainLines().has(pathLine)),
          configuration.serverRoot,
          cachedView,
          spelledName(pathLine.line),
        );
        if (!problem) continue;
        reportedLines.add(pathLine.line);
        findings.push({ file: pathLine.file.path, ...problem, ...spanOf(pathLine) });
      }
    }
    return findings;
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** A path that must exist for httpd to accept a line, or to do what the line says. */
interface NeededPath {
  /** The path as the line has it, so it may be relative to ServerRoot. */
  readonly path: string;
  /**
   * What must exist. `in`: the directory in which httpd makes the file of this path. `program`: the
   * program to which a log is piped.
   */
  readonly kind: 'file' | 'folder' | 'in' | 'program';
  /** What httpd does if the path is missing. */
  readonly ifMissing: MissingOutcome;
  readonly consequence?: Consequence;
  /** What httpd does if the path is a directory, although httpd has to make a file there. */
  readonly ifFolder?: MissingOutcome;
}

/** What httpd does without a path, as texts of the finding. */
interface MissingOutcome {
  readonly cause?: string;
  readonly help?: string;
  readonly serverText?: string;
}

/**
 * Returns the path that a line needs; null if it needs none. `isMain` returns whether the line is
 * in the main server and not in a virtual host.
 */
type NeededPathOf = (words: readonly Word[], configLine: ConfigLine, isMain: () => boolean) => NeededPath | null;

/** Makes an outcome from `words`, which contains a log code, a quoted message of httpd, or both. */
function outcomeOf(words: string, cause = ''): MissingOutcome {
  const code = /AH\d+( and AH\d+)?/.exec(words)?.[0];
  const quotedText = /"([^"]*)"/.exec(words)?.[1];
  const causeText = [cause, code === undefined ? '' : `(${code})`].filter((part) => part !== '').join(' ');
  return {
    ...(causeText !== '' && { cause: causeText.startsWith('(') ? `The server logs ${code}.` : `${causeText}.` }),
    ...(quotedText !== undefined && !quotedText.includes('…') && { serverText: quotedText }),
  };
}

/** httpd refuses the line. */
const outcomeIfRefused = (words: string) => outcomeOf(words);
/** `httpd -t` accepts the line, but the start fails. */
const outcomeIfStartFails = (words: string) => outcomeOf(words, '`httpd -t` does not report this');
/** httpd starts, but without what the path is for. */
const outcomeIfIgnored = (words: string) => outcomeOf(words, 'The server starts without it');

/** The first argument; '' if there is none. */
const firstValue = (words: readonly Word[]) => words[0]?.value ?? '';
const pathInFirstArgument =
  (kind: NeededPath['kind'], ifMissing: MissingOutcome, consequence?: Consequence): NeededPathOf =>
  (words) => ({ path: firstValue(words), kind, ifMissing, consequence });

/**
 * The first argument, if it is an absolute path. A relative path is below DefaultRuntimeDir, whose
 * default depends on the build, so it cannot be checked.
 */
const absolutePathInFirstArgument =
  (kind: NeededPath['kind'], ifMissing: MissingOutcome, consequence?: Consequence): NeededPathOf =>
  (words) =>
    firstValue(words).startsWith('/') ? { path: firstValue(words), kind, ifMissing, consequence } : null;

/** The path of a log's file, or of the program to which the log is piped. */
const logPath =
  (ifMissing: MissingOutcome, messageIfNoProgram: string, messageIfFolder: string): NeededPathOf =>
  (words) => {
    const target = firstValue(words);
    if (!target.startsWith('|'))
      return /^syslog\b/i.test(target)
        ? null
        : { path: target, kind: 'in', ifMissing, ifFolder: outcomeIfStartFails(messageIfFolder) };
    const program = /^\|[|$]?\s*"?([^\s"]+)/.exec(target)?.[1] ?? '';
    // httpd looks for a program with a relative path in the directory where httpd is started, which
    // is unknown.
    return program.startsWith('/')
      ? { path: program, kind: 'program', ifMissing: outcomeIfStartFails(messageIfNoProgram) }
      : null;
  };

/** The file or directory of a directive of mod_ssl, whose error message names the directive. */
const sslPath =
  (kind: 'file' | 'folder'): NeededPathOf =>
  (words, { line }) => {
    const directiveName = line.text.slice(line.nameStart, line.nameEnd);
    // Values such as `pkcs11:…` name no file.
    return /^[\w-]{2,}:/.test(firstValue(words))
      ? null
      : {
          path: firstValue(words),
          kind,
          ifMissing: outcomeIfRefused(
            `"${directiveName}: ${kind === 'file' ? "file '…' does not exist or is empty" : "directory '…' does not exist"}"`,
          ),
        };
  };

/** The path that a pattern finds in an argument, such as `exec:/path` or `file:/path`. */
const pathInMatch =
  (pattern: RegExp, index: number, kind: NeededPath['kind'], ifMissing: MissingOutcome): NeededPathOf =>
  (words) => {
    const path = pattern.exec(words[index]?.value ?? '')?.[1];
    return path === undefined ? null : { path, kind, ifMissing };
  };

/** For each directive, in lower case: the function that returns the path that its line needs. */
const NEEDED_PATH_BY_DIRECTIVE: ReadonlyMap<string, NeededPathOf> = new Map<string, NeededPathOf>([
  [
    'documentroot',
    (words, _, isMain) => ({
      path: firstValue(words),
      kind: 'folder',
      ...(isMain()
        ? { ifMissing: outcomeIfRefused('"DocumentRoot is not a directory, or is not readable"') }
        : {
            ifMissing: outcomeIfIgnored('AH00112, "DocumentRoot does not exist"'),
            consequence: 'meaning changed' as const,
          }),
    }),
  ],
  [
    'errorlog',
    logPath(
      outcomeIfRefused('AH02291, "Cannot access directory"'),
      'AH00089, "Couldn\'t start ErrorLog process"',
      'AH00091, "could not open error log file"',
    ),
  ],
  ...['customlog', 'transferlog', 'globallog'].map((name): [string, NeededPathOf] => [
    name,
    logPath(
      outcomeIfRefused('AH02297, "Cannot access directory"'),
      'AH00104, "unable to start piped log program"',
      'AH00649, "could not open transfer log file"',
    ),
  ]),
  [
    'forensiclog',
    logPath(
      outcomeIfStartFails('AH00651, "could not open forensic log file"'),
      'AH00650',
      'AH00651, "could not open forensic log file"',
    ),
  ],
  [
    'pidfile',
    absolutePathInFirstArgument('in', outcomeIfStartFails('AH00099 and AH00100, "could not log pid to file"')),
  ],
  [
    'defaultruntimedir',
    pathInFirstArgument('folder', outcomeIfRefused('"DefaultRuntimeDir must be a valid directory"')),
  ],
  ['coredumpdirectory', pathInFirstArgument('folder', outcomeIfRefused('"CoreDumpDirectory … does not exist"'))],
  ['chrootdir', pathInFirstArgument('folder', outcomeIfRefused('"ChrootDir must be a valid directory"'))],
  ['typesconfig', pathInFirstArgument('file', outcomeIfStartFails('AH01597, "could not open mime types config file"'))],
  ['mimemagicfile', pathInFirstArgument('file', outcomeIfIgnored('AH01515, "can\'t read magic file"'), 'ignored')],
  [
    'loadmodule',
    (words) =>
      words.length === 2
        ? { path: words[1]!.value, kind: 'file', ifMissing: outcomeIfRefused('"Cannot load … into server"') }
        : null,
  ],
  [
    'loadfile',
    (words) =>
      words.length === 1 && firstValue(words).startsWith('/')
        ? { path: firstValue(words), kind: 'file', ifMissing: outcomeIfRefused('"Cannot load … into server"') }
        : null,
  ],
  [
    'include',
    (words) =>
      words.length !== 1 || hasWildcard(firstValue(words))
        ? null
        : { path: firstValue(words), kind: 'file', ifMissing: outcomeIfRefused('"Could not open configuration file"') },
  ],
  ...[
    'sslcertificatefile',
    'sslcertificatekeyfile',
    'sslcertificatechainfile',
    'sslcacertificatefile',
    'sslcarevocationfile',
    'sslproxymachinecertificatefile',
    'sslproxycacertificatefile',
  ].map((name): [string, NeededPathOf] => [name, sslPath('file')]),
  ...['sslcacertificatepath', 'sslcarevocationpath'].map((name): [string, NeededPathOf] => [name, sslPath('folder')]),
  [
    'sslpassphrasedialog',
    pathInMatch(/^exec:(\S+)/, 0, 'file', outcomeIfRefused('"SSLPassPhraseDialog: file does not exist"')),
  ],
  [
    'sslrandomseed',
    pathInMatch(/^file:(.+)/, 1, 'file', outcomeIfRefused('"SSLRandomSeed: source path does not exist"')),
  ],
  ...['sslsessioncache', 'sslstaplingcache'].map((name): [string, NeededPathOf] => [
    name,
    pathInMatch(/^dbm:(.+)/, 0, 'in', outcomeIfStartFails('AH01874, "Could not initialize session cache"')),
  ]),
  [
    'scriptsock',
    absolutePathInFirstArgument('in', outcomeIfIgnored('AH01243, "Couldn\'t bind unix domain socket"'), 'ignored'),
  ],
  [
    'mutex',
    pathInMatch(
      /^(?:file|fcntl|flock):(\/.+)/i,
      0,
      'folder',
      outcomeIfRefused('"Invalid Mutex directory in argument"'),
    ),
  ],
  [
    'rewritemap',
    pathInMatch(/^(?:txt|rnd|prg):([^\s]+)/, 1, 'file', outcomeIfRefused('"RewriteMap: file for map not found"')),
  ],
  ...['remoteiptrustedproxylist', 'remoteipinternalproxylist'].map((name): [string, NeededPathOf] => [
    name,
    pathInFirstArgument('file', outcomeIfRefused('"Could not open file"')),
  ]),
  [
    'authgroupfile',
    (words) =>
      words.length === 1
        ? {
            path: firstValue(words),
            kind: 'file',
            ifMissing: outcomeOf(
              'AH01665, "Could not open group file"',
              'Members of groups get 401, and got 500 in 2.2',
            ),
            consequence: 'meaning changed',
          }
        : null,
  ],
]);

/** The help for a missing path. */
function helpFor(kind: NeededPath['kind'], name: string): string {
  if (kind === 'program') return 'Install the program, or correct its path.';
  if (name.toLowerCase() === 'loadmodule') return 'Install the package that has this module, or correct the path.';
  return `Create the ${kind === 'file' ? 'file' : 'directory'}, or correct the path.`;
}

/** The texts of the problem with a path; null if the path is as it should be. */
function problemOf(
  neededPath: NeededPath | null,
  serverRoot: string,
  paths: CachedFileView,
  name: string,
): Pick<ConfigurationFinding, 'messageId' | 'what' | 'help' | 'cause' | 'serverText' | 'consequence'> | null {
  if (
    neededPath === null ||
    neededPath.path === '' ||
    neededPath.path.includes('${') ||
    neededPath.path.includes('%') ||
    driveOf(neededPath.path) !== ''
  )
    return null;
  const { kind, consequence } = neededPath;
  const textsOfProblem = (text: string, shortText: string, placeText: string, outcome: MissingOutcome) => {
    const fullHeadline = `\`${name}\`: ${text}`;
    const isHeadlineShort = fullHeadline.length <= MAX_HEADLINE_LENGTH;
    const causes = [isHeadlineShort ? '' : `It is ${placeText}.`, outcome.cause ?? ''].filter((each) => each !== '');
    return {
      what: isHeadlineShort ? fullHeadline : `\`${name}\`: ${shortText}`,
      ...(causes.length > 0 && { cause: causes.join('\n') }),
      serverText: outcome.serverText,
    };
  };
  const resolvedPath = resolvePath(serverRoot, neededPath.path);
  const wantedPath = kind === 'in' ? parentOf(resolvedPath) : resolvedPath;
  if (paths.isMissing(wantedPath))
    return {
      messageId: kind === 'in' ? 'folder' : kind,
      consequence,
      ...textsOfProblem(
        `${kind === 'program' ? 'the program' : kind === 'file' ? 'the file' : 'the directory'} ${wantedPath} is missing`,
        `the ${kind === 'program' ? 'program' : kind === 'file' ? 'file' : 'directory'} is missing`,
        wantedPath,
        neededPath.ifMissing,
      ),
      help: helpFor(kind, name),
    };
  if (kind === 'folder' && paths.kind(resolvedPath) === 'file')
    return {
      messageId: 'no-folder',
      consequence,
      ...textsOfProblem(
        `${resolvedPath} is not a directory`,
        'the path is not a directory',
        resolvedPath,
        neededPath.ifMissing,
      ),
    };
  if (
    kind === 'in' &&
    neededPath.ifFolder !== undefined &&
    paths.hasEntry(wantedPath, resolvedPath) &&
    paths.kind(resolvedPath) === 'folder'
  )
    return {
      messageId: 'is-folder',
      consequence,
      ...textsOfProblem(`${resolvedPath} is a directory`, 'the path is a directory', resolvedPath, neededPath.ifFolder),
    };
  return null;
}

/**
 * Findings for Include lines whose file is missing in a copy of the server's files. Reports only a
 * file in a directory from which the copy has other files. Both versions refuse such a line, but
 * the server may have the file, so the consequence is uncertain.
 */
function includesMissingInCopy(configuration: Configuration, view: FileView): ConfigurationFinding[] {
  const findings: ConfigurationFinding[] = [];
  const cachedView = new CachedFileView(view);
  const mainFile = configuration.rootScope.file.path;
  const folders = new Set([...configuration.files.keys()].filter((path) => path !== mainFile).map(parentOf));
  const mainFolder = parentOf(mainFile);
  // Hidden files, such as .httpd-upgrade.json, are not counted, because they do not come from the
  // server.
  const isOtherFile = (name: string) =>
    name !== baseName(mainFile) && !name.startsWith('.') && cachedView.kind(`${mainFolder}/${name}`) === 'file';
  if (folders.size > 0 && view.list(mainFolder)?.some(isOtherFile)) folders.add(mainFolder);
  const reportedLines = new Set<unknown>();
  for (const includeLine of linesOf(configuration, 'include')) {
    if (includeLine.activity !== 'active' || includeLine.macro !== undefined || reportedLines.has(includeLine.line))
      continue;
    const words = argumentsOf(includeLine.expandedLine);
    const expandedPath = firstValue(words);
    if (words.length !== 1 || expandedPath === '' || hasWildcard(expandedPath) || /[$%]/.test(expandedPath)) continue;
    const localPath = localPathAsSpelled(
      resolvePath(configuration.serverRoot, expandedPath),
      configuration.pathMap,
      view,
    );
    const folder = parentOf(localPath);
    if (looksLikeFolder(expandedPath) || !folders.has(view.realPath(folder)) || cachedView.kind(localPath) !== null)
      continue;
    if (!cachedView.lacksEntry(folder, localPath)) continue;
    reportedLines.add(includeLine.line);
    findings.push({
      file: includeLine.file.path,
      messageId: 'copy',
      consequence: 'may not start',
      what: fittingHeadline(
        `\`${spelledName(includeLine.line)}\`: \`${baseName(localPath)}\` is missing beside the other files of this copy`,
        `\`${spelledName(includeLine.line)}\`: the file is missing beside the other files of this copy`,
      ),
      cause: `The line names ${expandedPath}. If the server lacks the file, httpd does not start.`,
      help: 'Copy the file from the server and check again. Remove the line only if the server lacks the file.',
      serverText: `Could not open configuration file ${serverPathOf(localPath, configuration.pathMap)}: No such file or directory`,
      ...spanOf(includeLine),
    });
  }
  return findings;
}

/**
 * Whether the path looks like that of a directory, such as `sites-enabled/` or `conf.d`. Such a
 * path is not reported, because many copies lack directories that are empty or have only links.
 */
function looksLikeFolder(path: string): boolean {
  return !/\.[\w-]+$/.test(path) || path.endsWith('.d');
}

/** Answers what is at a path of this machine, and caches the answers. */
class CachedFileView {
  private readonly kindByPath = new Map<string, 'file' | 'folder' | null>();
  private readonly namesByFolder = new Map<string, ReadonlySet<string> | null>();

  constructor(private readonly view: FileView) {}

  kind(path: string): 'file' | 'folder' | null {
    let cachedKind = this.kindByPath.get(path);
    if (cachedKind === undefined) this.kindByPath.set(path, (cachedKind = this.view.kind(path)));
    return cachedKind;
  }

  /**
   * Whether the directory has an entry whose name is the last component of the path. This class
   * lists each directory only once, even for thousands of logs in it.
   */
  hasEntry(folder: string, path: string): boolean {
    return this.namesIn(folder)?.has(baseName(path)) === true;
  }

  /**
   * Whether the directory can be listed, and no entry has the last component of the path as its
   * name.
   */
  lacksEntry(folder: string, path: string): boolean {
    return this.namesIn(folder)?.has(baseName(path)) === false;
  }

  /**
   * Whether the path certainly does not exist, because a directory on the way to it can be listed
   * and lacks the next component. If a directory on the way cannot be listed, the path may exist.
   */
  isMissing(path: string): boolean {
    if (this.kind(path) !== null) return false;
    let folder = '/';
    for (const part of path.split('/').filter(Boolean)) {
      const entryNames = this.namesIn(folder);
      if (!entryNames) return false;
      if (!entryNames.has(part)) return true;
      folder = folder === '/' ? `/${part}` : `${folder}/${part}`;
      if (this.kind(folder) !== 'folder') return false;
    }
    return false;
  }

  private namesIn(folder: string): ReadonlySet<string> | null {
    let entryNames = this.namesByFolder.get(folder);
    if (entryNames === undefined) {
      const listedNames = this.view.list(folder);
      this.namesByFolder.set(folder, (entryNames = listedNames && new Set(listedNames)));
    }
    return entryNames;
  }
}

/**
 * Whether the program runs on the server itself and not on a copy. This is assumed if ServerRoot
 * exists and no path is mapped. The main file must also be in ServerRoot, or at the path that a
 * distribution uses.
 */
function isOnThisMachine(configuration: Configuration, view: FileView): boolean {
  const { serverRoot, pathMap, rootScope } = configuration;
  if (pathMap.entries.length > 0 || view.kind(serverRoot) !== 'folder') return false;
  const { path } = rootScope.file;
  if (Object.values(PROFILES).some(({ mainFile }) => mainFile === path)) return true;
  const isServerRootNamed = linesOf(configuration, 'serverroot').some(
    ({ expandedLine, activity }) =>
      activity === 'active' && (argumentsOf(expandedLine)[0]?.value ?? '').startsWith('/'),
  );
  return isServerRootNamed && path.startsWith(`${view.realPath(serverRoot)}/`);
}

/**
 * Whether the line loads a module that Debian's httpd has built in. The rule load-module-twice
 * reports such a line.
 */
function loadsBuiltInModule({ line, expandedLine }: ConfigLine, distribution: Distribution | null): boolean {
  if (line.name !== 'loadmodule' || distribution !== 'debian') return false;
  const moduleName = moduleNamed(argumentsOf(expandedLine)[0]?.value ?? '');
  return moduleName !== null && PROFILES.debian.builtIn!.has(moduleName);
}

/** The span of the arguments. */
function spanOf({ line, offset }: ConfigLine): { start: number; end: number } {
  const words = argumentsOf(line);
  return { start: offset + words[0]!.start, end: offset + words[words.length - 1]!.end };
}
