/**
 * Reads the files in `facts/` of a collected server, which cli/collect.sh writes. They contain the
 * path of the main file, the places of files, and facts that answer questions of the plan.
 *
 * Each line of `facts/collected` has a word that names the fact, and then values, with tabs between
 * them. In a value, `\\`, `\n` and `\t` stand for a backslash, a new line and a tab.
 */
import { parentOf, resolvePath } from './files';
import { guessServerRoot } from './server-root';
import { findStartOptions } from './service-file';

/**
 * The directories in a collection: one with the server's files, and one with the output of commands
 * on the server.
 */
export const COLLECTED_FILES_FOLDER = 'server';
export const COLLECTED_FACTS_FOLDER = 'facts';

/** Returns the text of a file, by its path in the collection. Null if the file does not exist. */
export type ReadCollectedFile = (path: string) => string | null;

/** What `facts/collected` says about the server and its files. */
export interface CollectedServer {
  /** The path of the main file on the server. */
  readonly mainFile: string;
  /** The compiled-in HTTPD_ROOT, or the argument of the option -d. */
  readonly serverRoot: string;
  /**
   * Paths that lead to no file on the server, from Include lines and links. `written`: the argument
   * of the Include line.
   */
  readonly missingIncludes: readonly { readonly path: string; readonly written: string }[];
  /** Names in `<IfDefine>` sections. */
  readonly defineNames: readonly string[];
  /** The UserDir lines of the server. */
  readonly userDirs: readonly string[];
  /** Directories that the UserDir lines serve in the homes of users. Some may not exist. */
  readonly homeFolders: readonly string[];
  /** .htaccess files in the collection. */
  readonly htaccessFiles: readonly string[];
  /** Files beside the configuration that the server does not read. */
  readonly unreadFiles: readonly string[];
  /** Directories for which .htaccess files may be missing in the collection. */
  readonly incompleteFolders: readonly string[];
  /** The number of passwords that were replaced. */
  readonly passwordCount: number;
}

/** Parses the text of `facts/collected`. Null if the text has another format. */
export function parseCollectedList(text: string): CollectedServer | null {
  const rows = text
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split('\t').map(withoutEscapes));
  const valuesOfKind = (kind: string) =>
    rows.flatMap(([rowKind, value]) => (rowKind === kind && value !== undefined ? [value] : []));
  const [mainPath] = valuesOfKind('main');
  const [serverRoot] = valuesOfKind('root');
  if (valuesOfKind('version')[0] !== '1' || !mainPath?.startsWith('/') || !serverRoot?.startsWith('/')) return null;
  const filesTakenAs = (wantedWay: string) =>
    rows.flatMap(([kind, file, way]) => (kind === 'took' && way === wantedWay && file ? [file] : []));
  return {
    mainFile: resolvePath('/', mainPath),
    serverRoot: resolvePath('/', serverRoot),
    missingIncludes: rows.flatMap(([kind, path, written = path]) =>
      kind === 'include-none' && path !== undefined && written !== undefined ? [{ path, written }] : [],
    ),
    defineNames: [...new Set(valuesOfKind('ifdefine'))],
    userDirs: [...new Set(valuesOfKind('userdir'))],
    homeFolders: valuesOfKind('home'),
    htaccessFiles: filesTakenAs('htaccess'),
    unreadFiles: filesTakenAs('dormant'),
    incompleteFolders: valuesOfKind('incomplete'),
    passwordCount: valuesOfKind('secret').length,
  };
}

/**
 * The text of `.httpd-upgrade.json` for a collection: where its files are, and the answers to
 * questions that follow from the facts about the server. `folder`: the path of the collection on
 * this machine. Null if the folder is no collection.
 */
export function settingsOfCollection(folder: string, read: ReadCollectedFile): string | null {
  const collectedServer = parseCollectedList(read(`${COLLECTED_FACTS_FOLDER}/collected`) ?? '');
  if (!collectedServer) return null;
  const readServerFile = (path: string) => read(`${COLLECTED_FILES_FOLDER}${path}`);
  const hasRootLine = /^[ \t]*ServerRoot[ \t]/im.test(readServerFile(collectedServer.mainFile) ?? '');
  const isGuessed = guessServerRoot(collectedServer.mainFile) === collectedServer.serverRoot;
  const settings = {
    ...(!hasRootLine && !isGuessed && { serverRoot: collectedServer.serverRoot }),
    pathMap: { '/': COLLECTED_FILES_FOLDER },
    answers: answersFromFacts(collectedServer, folder, read),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The value with `\\`, `\n` and `\t` replaced by the characters for which they stand. */
function withoutEscapes(value: string): string {
  return value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 't' ? '\t' : letter));
}

/**
 * The answers to questions of the plan that the collected facts give, by the id of the question.
 */
function answersFromFacts(
  collected: CollectedServer,
  folder: string,
  read: ReadCollectedFile,
): Readonly<Record<string, string>> {
  // No other file includes the main file, because the server starts with it.
  const answerById: Record<string, string> = {
    [`outside-unseen:${COLLECTED_FILES_FOLDER}${collected.mainFile}`]: 'none',
  };
  // Some files that the server does not read look like main files. So these answers say that they
  // are not used.
  for (const file of collected.unreadFiles) answerById[`other-main:${COLLECTED_FILES_FOLDER}${file}`] = 'unused';
  const versionOutput = read(`${COLLECTED_FACTS_FOLDER}/httpd-V`) ?? '';
  const version = /Server version: \S+?\/(2\.[24])\b/.exec(versionOutput)?.[1];
  if (version) answerById['running-version'] = version;
  const modules = loadedModulesIn(read(`${COLLECTED_FACTS_FOLDER}/httpd-M`) ?? '');
  const mpm =
    /Server MPM:\s+(prefork|worker|event)\b/i.exec(versionOutput)?.[1]?.toLowerCase() ??
    MPM_NAMES.find((name) => modules?.has(`mpm_${name}_module`));
  if (mpm) answerById.mpm = mpm;
  // If the server has no PHP module now, 2.4 needs none. Otherwise the user must choose the PHP for
  // 2.4.
  if (modules && ![...modules].some((name) => /^(?:mod_)?php\d*(?:_module)?$/.test(name))) answerById.php = 'none';
  const startFlags = flagsAtStart(collected, read);
  if (startFlags)
    for (const name of collected.defineNames) answerById[`define:${name}`] = startFlags.has(name) ? 'on' : 'off';
  // The id of this question contains either the path that the line names, or the path of a file in
  // this copy. So each form gets the answer.
  for (const { path, written } of collected.missingIncludes)
    for (const name of [path, written, `${folder}/${COLLECTED_FILES_FOLDER}${path}`])
      answerById[`include-unseen:${name}`] = 'no-hosts';
  // A .htaccess file also decides access to all directories below its own. So directories above and
  // below a home count.
  const isOfUser = (folder: string) =>
    collected.homeFolders.some((home) => folder.startsWith(`${home}/`) || `${home}/`.startsWith(`${folder}/`));
  if (![...collected.htaccessFiles.map(parentOf), ...collected.incompleteFolders].some(isOfUser))
    for (const line of collected.userDirs) answerById[`served-anywhere:${line}`] = 'no-htaccess';
  return answerById;
}

const MPM_NAMES = ['prefork', 'worker', 'event'] as const;

/**
 * The identifiers that `httpd -M` lists, such as ` php5_module (shared)`. Null if it lists none,
 * for example because of an error in the configuration.
 */
function loadedModulesIn(printed: string): ReadonlySet<string> | null {
  const moduleNames = [...printed.matchAll(/^ (\w+) \((?:static|shared)\)/gm)].map(([, name = '']) => name);
  return moduleNames.includes('core_module') ? new Set(moduleNames) : null;
}

/**
 * The names after `-D` with which the server is started. They come from the command of the running
 * server, or from the distribution's start file if no server runs. Null if several servers run, or
 * if the start file is missing.
 */
function flagsAtStart({ mainFile }: CollectedServer, read: ReadCollectedFile): ReadonlySet<string> | null {
  const runningCommands = (read(`${COLLECTED_FACTS_FOLDER}/running`) ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (runningCommands.length > 1) return null;
  if (runningCommands.length === 0)
    return (
      findStartOptions(mainFile, { entries: [] }, (path) => read(`${COLLECTED_FILES_FOLDER}${path}`))?.defineFlags ??
      null
    );
  const commandWords = runningCommands[0]!.trim().split(/\s+/);
  return new Set(
    commandWords.flatMap((word, i) =>
      word === '-D' ? (commandWords[i + 1] ?? []) : word.startsWith('-D') ? word.slice('-D'.length) : [],
    ),
  );
}
