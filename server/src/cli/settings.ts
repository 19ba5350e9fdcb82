/**
 * Reads the settings of files: from `.httpd-upgrade.json` in the folder of a file or the nearest
 * folder above, and from the options of the command, which take precedence.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { defineFlagsIn, isAnsweredUnused, mapEntriesOf, type Answers } from '../analysis/answers';
import { Engine, type EngineOptions } from '../analysis/engine';
import { engineOptions } from '../settings/engine-options';
import { settingValues, type SettingValues } from '../settings/values';
import {
  isMarkedUnused,
  NO_PROJECT_SETTINGS,
  PROJECT_FILE,
  readProjectFile,
  whyLeadsOut,
  type ProjectSettings,
} from '../settings/project-file';
import type { Distribution } from '../config/distribution';
import { boundServerRoot, isInFolder, resolvedServerRoot, type MapEntry } from '../config/files';
import { DEFAULT_TARGET, type Target } from '../config/target';
import type { SettingsByFile } from '../features/project';
import { convertedDirectoryTest, type RecordKind } from '../host/change-home';
import { projectFileText } from '../host/collected';
import { decode } from '../host/decode';
import { explain } from '../host/node';
import { mayRead, readSettingsNow } from '../host/read-now';
import { ALL_RULES } from '../rules/all';
import { Tree } from '../syntax/document';
import { lazy } from '../syntax/memory';
import type { GivenServer } from './arguments';
import { LINK_RESOLVING_VIEW } from './files';
import { printableLines, type Terminal } from './terminal';

/** The settings of each file: from its project file and the options of the command. */
export interface CliSettings extends SettingsByFile {
  /** Whether the server does not use a file, as the project file or an answer says. */
  isUnused(file: string): boolean;
  /**
   * The project file that applies to a file: its path, and the answers in it. The path is null if
   * there is no project file.
   */
  projectFileOf(file: string): { readonly file: string | null; readonly answers: Answers };
}

/** The options of a command that take precedence over project files. */
export interface GivenSettings {
  /** Null if the project file decides. */
  readonly target: Target | null;
  readonly distribution: Distribution | null;
  readonly answers: Answers;
  /** Options that are also settings. */
  readonly settings: Partial<SettingValues>;
  readonly server: GivenServer;
  /** The path of the project file; null to search for it. */
  readonly projectFile: string | null;
  /** Whether the command writes files. If it does, an error in the settings ends the run. */
  readonly writes?: boolean;
  /**
   * Whether to report also findings whose question the user has answered
   * (`EngineOptions.showsAnswered`).
   */
  readonly showsAnswered?: boolean;
  /** Whether converted lines stand beside the lines of 2.2, so that both versions can read them. */
  readonly keepsBoth?: boolean;
}

/** A project file that was read, with the engines that use its settings. */
interface LoadedProject {
  /** The absolute path of the folder with the project file; empty if there is no project file. */
  readonly folder: string;
  readonly settings: ProjectSettings;
  /**
   * The engines, by what `fix --write` has written to a configuration before: only safe fixes, safe
   * fixes and suggestions, or nothing (null).
   */
  readonly engines: Map<RecordKind | null, Engine>;
}

/**
 * Thrown if the file of --config has errors. For commands that write, also thrown if a project file
 * that was found has errors. The errors have already been reported to the terminal.
 */
export class UnusableSettingsError extends Error {}

/**
 * Makes the settings. Throws `UnusableSettingsError` at once for the file of --config, and
 * otherwise when the settings of a file are first needed.
 */
export function settingsFor(givenSettings: GivenSettings, terminal: Terminal): CliSettings {
  const noProject: LoadedProject = { folder: '', settings: NO_PROJECT_SETTINGS, engines: new Map() };
  const onFailure = failureReporter(terminal);
  const projectByFolder = new Map<string, LoadedProject>();
  const namedProject: LoadedProject | null =
    givenSettings.projectFile === null
      ? null
      : {
          folder: path.dirname(path.resolve(givenSettings.projectFile)),
          settings:
            readSettings(givenSettings.projectFile, terminal, { isNamedByUser: true, writes: givenSettings.writes }) ??
            NO_PROJECT_SETTINGS,
          engines: new Map(),
        };
  const projectOfFolder = (folder: string): LoadedProject => {
    let project = projectByFolder.get(folder);
    if (!project) {
      const settings = readSettings(path.join(folder, PROJECT_FILE), terminal, { writes: givenSettings.writes });
      project = settings
        ? { folder, settings, engines: new Map() }
        : path.dirname(folder) === folder
          ? noProject
          : projectOfFolder(path.dirname(folder));
      projectByFolder.set(folder, project);
    }
    return project;
  };
  const projectOf = (file: string, directory = path.dirname(path.resolve(file))) =>
    namedProject ?? projectOfFolder(directory);
  const convertedTest = lazy(() => convertedDirectoryTest('converted'));
  const upgradedTest = lazy(() => convertedDirectoryTest('upgraded'));
  const recordByFolder = new Map<string, RecordKind | null>();
  const engineOf = (file: string): Engine => {
    const directory = path.dirname(path.resolve(file));
    const project = projectOf(file, directory);
    let recordKind = recordByFolder.get(directory);
    if (recordKind === undefined) {
      recordKind = convertedTest()(directory) ? 'converted' : upgradedTest()(directory) ? 'upgraded' : null;
      recordByFolder.set(directory, recordKind);
    }
    let engine = project.engines.get(recordKind);
    if (!engine) project.engines.set(recordKind, (engine = engineFor(givenSettings, project, recordKind, onFailure)));
    return engine;
  };
  return {
    engineOf,
    isUnused(file) {
      const { folder, settings } = projectOf(file);
      const pathInProject = path.relative(folder, path.resolve(file)).split(path.sep).join('/');
      return (
        isMarkedUnused(settings, pathInProject) ||
        isAnsweredUnused(path.resolve(file), engineOf(file).answerSet, hasContent)
      );
    },
    projectFileOf(file) {
      const { folder, settings } = projectOf(file);
      const projectFile =
        givenSettings.projectFile === null ? path.join(folder, PROJECT_FILE) : givenSettings.projectFile;
      return { file: folder === '' ? null : projectFile, answers: settings.answers };
    },
    serverOf(file) {
      const { folder, settings } = projectOf(file);
      const { server } = givenSettings;
      const withAbsoluteTargets = (entries: ProjectSettings['pathMap'], base: string): MapEntry[] =>
        entries.map((entry) => ({ ...entry, to: path.resolve(base, entry.to) }));
      // Links are resolved again here, because a link may have replaced a directory since the file
      // was read.
      const entriesInProject = (entries: ProjectSettings['pathMap']): MapEntry[] =>
        withAbsoluteTargets(
          entries.filter(({ to }) => isInFolder(to, folder, LINK_RESOLVING_VIEW)),
          folder,
        ).map((entry): MapEntry => ({ ...entry, enclosingDirectory: folder }));
      const entriesOfAnswers = [
        ...withAbsoluteTargets(mapEntriesOf(givenSettings.answers), process.cwd()),
        ...entriesInProject(mapEntriesOf(settings.answers)),
      ];
      const mapEntriesInOrder = [
        ...entriesOfAnswers,
        ...(server.map?.entries ?? entriesInProject(settings.pathMap)),
      ].sort((a, b) => b.from.length - a.from.length);
      const serverRootOfProject =
        settings.serverRoot === undefined ? undefined : resolvedServerRoot(folder, settings.serverRoot);
      if (server.serverRoot === null && serverRootOfProject !== undefined)
        mapEntriesInOrder.push(
          ...boundServerRoot(serverRootOfProject, [folder], { entries: mapEntriesInOrder }, LINK_RESOLVING_VIEW),
        );
      return {
        serverRoot: server.serverRoot ?? serverRootOfProject,
        pathMap: mapEntriesInOrder.length > 0 ? { entries: mapEntriesInOrder } : undefined,
        defines: server.defines ?? (settings.defines.size > 0 ? settings.defines : null),
        defineFlags: defineFlagsIn(new Map([...settings.answers, ...givenSettings.answers])),
        distribution: givenSettings.distribution ?? settings.distribution ?? null,
        builtIn: server.builtIn ?? settings.builtIn ?? null,
        isFrom22: engineOf(file).isFrom22,
      };
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a path is that of a file that is not empty. */
function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Returns a function that reports a rule that throws an error, once for each rule. Such a rule
 * finds nothing in that file, and the exit code shows a problem.
 */
function failureReporter(terminal: Terminal): NonNullable<EngineOptions['onFailure']> {
  const reportedRules = new Set<string>();
  return (rule, error) => {
    if (reportedRules.has(rule)) return;
    reportedRules.add(rule);
    terminal.reportFailure(
      `the rule ${rule} failed: the problems that it finds are missing from this report, and all others are there. This is a mistake in httpd-upgrade; please report it, with the text around it and these lines:`,
    );
    process.stderr.write(`${printableLines(error.stack ?? error.message)}\n`);
  };
}

/** Makes the engine for the files of a project. `record`: see `LoadedProject.engines`. */
function engineFor(
  givenSettings: GivenSettings,
  { folder, settings }: LoadedProject,
  recordKind: RecordKind | null,
  onFailure: EngineOptions['onFailure'],
): Engine {
  const mergedValues = { ...settings.values, ...givenSettings.settings };
  return new Engine({
    rules: ALL_RULES,
    target: givenSettings.target ?? settings.target ?? DEFAULT_TARGET,
    distribution: givenSettings.distribution ?? settings.distribution ?? null,
    severities: settings.severities,
    // Options of the command take precedence over the file.
    ...engineOptions(settingValues({}, mergedValues)),
    isUpgradeFrom22: recordKind === 'upgraded' || mergedValues['accessControl.source'] === '2.2',
    answerSet: {
      answers: new Map([...settings.answers, ...givenSettings.answers]),
      folder: folder === '' ? process.cwd() : folder,
      folderOfCopies: process.cwd(),
      ...(recordKind === 'converted' && { isConvertedInPart: true }),
    },
    onFailure,
    showsAnswered: givenSettings.showsAnswered,
    keepsBoth: givenSettings.keepsBoth,
  });
}

/** Reads a project file. Null if it does not exist. Its errors are reported once. */
function readSettings(
  file: string,
  terminal: Terminal,
  { isNamedByUser = false, writes = false }: { isNamedByUser?: boolean; writes?: boolean },
): ProjectSettings | null {
  const { settings, hasErrors } = readAndReportProblems(file, terminal, isNamedByUser);
  if (hasErrors && writes)
    terminal.reportFailure('nothing is written: the settings have mistakes. Correct them, then run again');
  // With wrong settings, lines could be reported or changed that the team wants to keep.
  if (hasErrors && (writes || (isNamedByUser && (settings ?? NO_PROJECT_SETTINGS) === NO_PROJECT_SETTINGS)))
    throw new UnusableSettingsError(file);
  return settings;
}

/**
 * Reads a project file; in a directory of `collect`, the settings that follow from the collected
 * facts. `settings` is null if there is none. `hasErrors`: whether it has errors or cannot be read.
 * They are reported.
 */
function readAndReportProblems(
  file: string,
  terminal: Terminal,
  isNamedByUser: boolean,
): { readonly settings: ProjectSettings | null; readonly hasErrors: boolean } {
  try {
    // This must be fast: it runs for each folder, and most folders have no such file.
    const status = mayRead(file) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    const collectedText = status || isNamedByUser ? null : projectFileText(path.dirname(path.resolve(file)));
    if (status?.isFile() !== true && !isNamedByUser && collectedText === null)
      return { settings: null, hasErrors: false };
    const projectPlace = { folder: path.dirname(path.resolve(file)), view: LINK_RESOLVING_VIEW };
    // The user has chosen the file of --config, so a link in its path may lead anywhere.
    const whyNotRead = status && !isNamedByUser ? whyLeadsOut(projectPlace) : null;
    const content =
      whyNotRead !== null
        ? { problem: whyNotRead }
        : collectedText === null
          ? decode(readSettingsNow(file))
          : { text: collectedText };
    const { text, settings, problems } = readProjectFile(content, projectPlace);
    const tree = problems.length > 0 ? Tree.parse(text) : null;
    for (const { start, message } of problems) {
      const { line, character } = tree!.positionAt(start);
      terminal.reportProblem(`${path.relative('', file)}:${line + 1}:${character + 1}`, message);
    }
    return { settings, hasErrors: problems.length > 0 };
  } catch (error) {
    const problem = explain(error);
    const hasErrors = problem.code !== 'missing' || isNamedByUser;
    if (hasErrors) terminal.reportProblem(path.relative('', file), problem.message);
    return { settings: null, hasErrors };
  }
}
