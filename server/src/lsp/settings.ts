/**
 * The settings `httpdUpgrade.*`. They are requested from the client for each folder, and cached
 * until they change. `.httpd-upgrade.json` takes precedence over the editor, so that all editors,
 * the command line and CI use the same values.
 */
import type { Connection } from 'vscode-languageserver';
import { Engine } from '../analysis/engine';
import { engineOptions } from '../settings/engine-options';
import { builtinModule, type ProjectSettings } from '../settings/project-file';
import { isObject, MAX_TEXT_LENGTH, settingValues, type SettingValues } from '../settings/values';
import type { Distribution } from '../config/distribution';
import { resolvePath, type MapEntry } from '../config/files';
import type { ServerSettings } from '../config/model';
import { DEFAULT_TARGET, parseTarget } from '../config/target';
import { ALL_RULES } from '../rules/all';
import { defineFlagsIn, mapEntriesOf, NO_ANSWERS, type Answers } from '../analysis/answers';
import type { ProjectFile, ProjectFiles } from './project-files';
import { withTimeout } from '../host/timeout';
import { asError, type ErrorLog } from './error-log';

/** The settings for one document. */
export interface Settings {
  readonly engine: Engine;
  /** The values of all settings by name, from the project file or the editor. */
  readonly values: SettingValues;
  /** How the server is built and started, as far as the settings say so. */
  readonly server: Omit<ServerSettings, 'pathMap' | 'serverRoot'>;
  /** The ServerRoot on this machine; null if no setting names it. */
  readonly serverRoot: OwnedPath<string> | null;
  /**
   * The path map: where paths of the server (`from`) are on this machine (`to`), the longest first.
   */
  readonly pathMap: readonly OwnedPath<MapEntry>[];
  /** The `.httpd-upgrade.json` for the document. Null if there is none. */
  readonly projectFile: ProjectFile | null;
}

/**
 * A path or a path entry in a setting, and who set it. `project`: .httpd-upgrade.json. `workspace`:
 * the editor's settings for a folder. Paths of these two must stay below their folder, because they
 * come with the files. `user`: the user's own settings, whose paths may lead anywhere.
 */
export interface OwnedPath<Value> {
  readonly value: Value;
  readonly owner: 'project' | 'workspace' | 'user';
}

/** The store of the settings of all documents, which caches them. */
export interface SettingsStore {
  settingsOf(uri: string): Promise<Settings>;
  /** Increases when the results of `settingsOf` may have changed. */
  readonly revision: number;
  /**
   * Keeps an answer to a question of the upgrade plan in memory until the server ends. Answers in a
   * project file take precedence.
   */
  keepAnswer(id: string, answer: string): void;
  /**
   * Drops the cached settings. `pushedSettings`: the settings in the client's notification, for a
   * client that does not answer requests for settings.
   */
  dropCache(pushedSettings?: unknown): void;
}

/** The objects from which settings are read: the client, the host and the project files. */
export interface SettingsOptions {
  readonly connection: Connection;
  readonly canRequestSettings: boolean;
  /**
   * The settings that the client sent at the start. Used for clients that send no settings later.
   */
  readonly initialSettings: Record<string, unknown>;
  /** Whether the client is our extension. Only it says which settings come from the user. */
  readonly isOurClient: boolean;
  readonly projectFiles: ProjectFiles;
  readonly errorLog: ErrorLog;
  /**
   * Whether this program has written fixes to a 2.2 configuration that has files in this directory,
   * given as a URI, and all signs of 2.4 in the directory come from these fixes.
   */
  readonly isConverted?: (folder: string) => boolean;
  /**
   * Like `isConverted`, but also for written suggestions, which may be wrong, and if only some
   * signs of 2.4 come from this program.
   */
  readonly isUpgraded?: (folder: string) => boolean;
  /** Called when a client replies after the time limit. Its reply is then used. */
  readonly onLateReply: () => void;
}

/**
 * Milliseconds to wait for the client's reply. After that, the settings from the start are used
 * until the reply arrives.
 */
const MAX_WAIT_FOR_REPLY_MS = 2000;

/** Makes the store of settings for a session. */
export function newSettingsStore({
  connection,
  canRequestSettings,
  initialSettings,
  isOurClient,
  projectFiles,
  errorLog,
  isConverted = () => false,
  isUpgraded = () => false,
  onLateReply,
}: SettingsOptions): SettingsStore {
  const engines = new Map<string, Engine>();
  let settingsByUri = new Map<string, Promise<Settings>>();
  let revision = 0;
  /**
   * The number of times that the cache was dropped. A reply to a request from before the last drop
   * is ignored.
   */
  let dropCount = 0;
  let pushedSettings: unknown = {};
  /** Settings that arrived after the time limit, by folder. */
  const lateSettings = new Map<string, unknown>();
  /** Whether the client did not reply to the last request in time. Then no request waits for it. */
  let isClientSilent = false;
  const answersInMemory = new Map<string, string>();
  /**
   * Requests the settings for a document from the client; undefined if the client does not send
   * them in time.
   */
  const requestSettings = async (uri: string, folder: string): Promise<unknown> => {
    if (lateSettings.has(folder)) {
      const lateReply = lateSettings.get(folder);
      lateSettings.delete(folder);
      return lateReply;
    }
    const dropsAtRequest = dropCount;
    let isLate = false;
    const configurationAnswer = connection.workspace
      .getConfiguration({ scopeUri: uri, section: 'httpdUpgrade' })
      .catch((error: unknown) => {
        errorLog.note(`The client answers workspace/configuration with an error: ${asError(error).message}`);
        return undefined;
      });
    void configurationAnswer.then((clientSettings: unknown) => {
      isClientSilent = false;
      // A late reply is used, unless the cache was dropped meanwhile.
      if (!isLate || dropsAtRequest !== dropCount || clientSettings === undefined) return;
      lateSettings.set(folder, clientSettings);
      settingsByUri.delete(folder);
      revision++;
      onLateReply();
    });
    return withTimeout(configurationAnswer, isClientSilent ? 0 : MAX_WAIT_FOR_REPLY_MS, () => {
      isLate = true;
      isClientSilent = true;
      errorLog.note('The client has not answered workspace/configuration: it is not waited for.');
    });
  };
  /** Requests the client's settings, and combines them with the project file and the answers. */
  const requestAndRead = async (uri: string, folder: string): Promise<Settings> => {
    const clientSettings = canRequestSettings ? await requestSettings(uri, folder) : pushedSettings;
    const project = await projectFiles.projectFileOf(uri);
    const { user, ...values } = isObject(clientSettings) ? clientSettings : {};
    const userPaths = userPathsOf(initialSettings, isOurClient ? user : undefined);
    return readSettings(
      { ...initialSettings, ...values },
      {
        userPaths,
        project,
        answersInMemory,
        conversionRecord: isConverted(folder) ? 'converted' : isUpgraded(folder) ? 'upgraded' : null,
      },
      engines,
      errorLog,
    );
  };
  return {
    get revision() {
      return revision;
    },
    settingsOf(uri) {
      // Editors have settings for each workspace folder, project files for any folder. So all files
      // of a folder share one request.
      const folder = uri.slice(0, uri.lastIndexOf('/'));
      let settings = settingsByUri.get(folder);
      if (!settings) {
        settings = requestAndRead(uri, folder);
        settings.catch(() => settingsByUri.delete(folder));
        if (settingsByUri.size > 10_000) settingsByUri.clear();
        settingsByUri.set(folder, settings);
      }
      return settings;
    },
    keepAnswer(id, answer) {
      answersInMemory.set(id, answer);
    },
    dropCache(newSettings) {
      if (isObject(newSettings)) pushedSettings = newSettings.httpdUpgrade;
      lateSettings.clear();
      settingsByUri = new Map();
      projectFiles.dropCache();
      revision++;
      dropCount++;
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The paths that the user has set or chosen for this machine. They are in no file of the workspace.
 */
interface UserPaths {
  readonly pathMap: Readonly<Record<string, unknown>>;
  readonly serverRoot: unknown;
  /**
   * The directories of this machine that the user has chosen as the answer to a question. The keys
   * are directories of the server. These entries take precedence over `pathMap`.
   */
  readonly chosenDirectories: Readonly<Record<string, unknown>>;
}

/**
 * The user's paths: from `user`, which only our client sends, or else from the settings at the
 * start.
 */
function userPathsOf(initialSettings: Record<string, unknown>, user: unknown): UserPaths {
  const userSettings = isObject(user) ? user : initialSettings;
  return {
    pathMap: isObject(userSettings.pathMap) ? userSettings.pathMap : {},
    serverRoot: userSettings.serverRoot,
    chosenDirectories: isObject(user) && isObject(user.chosen) ? user.chosen : {},
  };
}

/**
 * The settings for a document from the client's settings, its project file and the user's answers.
 */
function readSettings(
  clientSettings: Record<string, unknown>,
  {
    userPaths,
    project: projectFile,
    answersInMemory,
    conversionRecord,
  }: {
    readonly userPaths: UserPaths;
    readonly project: ProjectFile | null;
    readonly answersInMemory: Answers;
    /**
     * What this program has recorded about the document's directory: see host/change-home.ts. Null
     * if there is no record.
     */
    readonly conversionRecord: 'converted' | 'upgraded' | null;
  },
  engines: Map<string, Engine>,
  errorLog: ErrorLog,
): Settings {
  const projectSettings = projectFile?.settings;
  const allAnswers =
    answersInMemory.size === 0
      ? (projectSettings?.answers ?? NO_ANSWERS)
      : new Map([...answersInMemory, ...(projectSettings?.answers ?? [])]);
  const valuesOfSettings = settingValues(clientSettings, projectSettings?.values, (problem) => errorLog.note(problem));
  const options = {
    target: projectSettings?.target ?? parseTarget(valuesOfSettings.target) ?? DEFAULT_TARGET,
    distribution: distributionOf(valuesOfSettings, projectSettings),
    severities: { ...valuesOfSettings.severity, ...projectSettings?.severities },
    ...engineOptions(valuesOfSettings),
    answerSet: {
      answers: allAnswers,
      folder: projectFolderOf(projectFile),
      ...(conversionRecord === 'converted' && { isConvertedInPart: true }),
    },
    isUpgradeFrom22: conversionRecord === 'upgraded' || projectSettings?.values?.['accessControl.source'] === '2.2',
    findsInactive: valuesOfSettings.fadeInactive,
  };
  // Documents with equal settings share an engine, and so also the results that it caches on their
  // trees.
  const engineKey = JSON.stringify({
    ...options,
    target: `${options.target.patch}`,
    answerSet: [options.answerSet.folder, conversionRecord, ...options.answerSet.answers],
  });
  let engine = engines.get(engineKey);
  if (!engine)
    engines.set(
      engineKey,
      (engine = new Engine({
        rules: ALL_RULES,
        ...options,
        onFailure: (rule, error) => errorLog.report(`the rule ${rule}`, error),
      })),
    );
  return {
    engine,
    values: valuesOfSettings,
    server: { ...serverSettings(valuesOfSettings, projectSettings, allAnswers), isFrom22: engine.isFrom22 },
    serverRoot: serverRootOf(valuesOfSettings, projectSettings, userPaths),
    pathMap: pathMapOf(valuesOfSettings, projectSettings, userPaths),
    projectFile,
  };
}

/** The path of the folder with the project file; '' if there is none. */
function projectFolderOf(project: ProjectFile | null): string {
  if (!project) return '';
  try {
    return decodeURIComponent(new URL(project.uri).pathname).replace(/\/[^/]*$/, '');
  } catch {
    return '';
  }
}

/** The settings about the server: from the project file, or else from the editor. */
function serverSettings(
  values: SettingValues,
  projectSettings: ProjectSettings | undefined,
  answers: Answers,
): Settings['server'] {
  const builtIn = values.builtinModules.flatMap((name) => builtinModule(name) ?? []);
  return {
    defines: projectSettings && projectSettings.defines.size > 0 ? projectSettings.defines : definesOf(values.defines),
    defineFlags: defineFlagsIn(answers),
    distribution: distributionOf(values, projectSettings),
    builtIn: projectSettings?.builtIn ?? (builtIn.length > 0 ? new Set(['core', 'mod_so', ...builtIn]) : null),
  };
}

/**
 * The ServerRoot on this machine, and who set it; null if no setting names it, or it is too long.
 */
function serverRootOf(
  values: SettingValues,
  projectSettings: ProjectSettings | undefined,
  userPaths: UserPaths,
): Settings['serverRoot'] {
  if (projectSettings?.serverRoot !== undefined) return { value: projectSettings.serverRoot, owner: 'project' };
  if (values.serverRoot === '' || values.serverRoot.length > MAX_TEXT_LENGTH) return null;
  return { value: values.serverRoot, owner: userPaths.serverRoot === values.serverRoot ? 'user' : 'workspace' };
}

/**
 * The path map, the longest server paths first: the directories that the user has chosen, those in
 * answers of the project file, and the entries of the project file, or else of the setting.
 */
function pathMapOf(
  values: SettingValues,
  projectSettings: ProjectSettings | undefined,
  userPaths: UserPaths,
): Settings['pathMap'] {
  type PathMapEntry = Settings['pathMap'][number];
  const chosenEntries = Object.entries(userPaths.chosenDirectories).flatMap(([from, to]): PathMapEntry[] =>
    typeof to === 'string' ? [{ value: { from: resolvePath('/', from), to, isForMissing: true }, owner: 'user' }] : [],
  );
  const entriesOfSetting = Object.entries(values.pathMap).flatMap(([from, to]): PathMapEntry[] =>
    from === '' || from.length > MAX_TEXT_LENGTH || to.length > MAX_TEXT_LENGTH
      ? []
      : [
          {
            value: { from: resolvePath('/', from), to },
            owner: userPaths.pathMap[from] === to ? 'user' : 'workspace',
          },
        ],
  );
  const ownedByProject = (value: PathMapEntry['value']): PathMapEntry => ({ value, owner: 'project' });
  const listedEntries =
    projectSettings && projectSettings.pathMap.length > 0
      ? projectSettings.pathMap.map(ownedByProject)
      : entriesOfSetting;
  return [
    ...chosenEntries,
    ...mapEntriesOf(projectSettings?.answers ?? NO_ANSWERS).map(ownedByProject),
    ...listedEntries,
  ].sort((a, b) => b.value.from.length - a.value.from.length);
}

/**
 * The distribution of the server; null if it is to be detected from the paths of the configuration.
 */
function distributionOf(
  { distribution }: SettingValues,
  projectSettings: ProjectSettings | undefined,
): Distribution | null {
  if (projectSettings?.distribution !== undefined) return projectSettings.distribution;
  return distribution === 'auto' ? null : distribution;
}

/** Parses defines of the form `NAME` and `NAME=VALUE`; null if there are none. */
function definesOf(texts: readonly string[]): ReadonlyMap<string, string> | null {
  if (texts.length === 0) return null;
  return new Map(
    texts.map((text): [string, string] =>
      text.includes('=') ? [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] : [text, ''],
    ),
  );
}
