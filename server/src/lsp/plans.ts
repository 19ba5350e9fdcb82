/**
 * Keeps the upgrade plan of the workspace current. It makes the plan in time slices when the user
 * has stopped typing for a moment, and never while another request waits. It notifies clients of a
 * new plan (`httpdUpgrade/planChanged`); they then request it (`httpdUpgrade/plan`).
 */
import type { CancellationToken } from 'vscode-languageserver';
import { accessConversion, type AccessConversion, type AccessRoot } from '../analysis/access-conversion';
import type { AnswerSet } from '../analysis/answers';
import type { FileInfo } from '../analysis/engine';
import type { OnServerItem } from '../analysis/server-tasks';
import { givenAnswers, OUTSIDE_WORKSPACE, type GivenAnswer, type UpgradePlan } from '../analysis/upgrade-plan';
import { isHtaccessName } from '../config/configurations';
import type { FileView } from '../config/files';
import { MAX_QUERIES } from '../config/look-limit';
import type { Model, ServerSettings } from '../config/model';
import { namesIn } from '../config/name-set';
import { checkedFiles } from '../features/checked-files';
import { includeTreeRows } from '../features/include-tree';
import { taskKey, withRememberedTasks, type TasksByRoot } from '../features/remembered-tasks';
import { upgradeReport, type ReportDetails } from '../features/report/upgrade-report';
import { Project, type ProjectFile, type SettingsByFile } from '../features/project';
import { workspacePlan, type WorkspacePlan } from '../features/workspace-plan';
import { accessProof } from '../features/report/access-proof';
import { isInFolderWithoutServer, isUnread } from './unread';
import type { Tree } from '../syntax/document';
import { serverWithFoundPaths } from './configuration-rules';
import { changedPathsOf } from './access-fixes';
import { assumptionsOfCheck } from '../analysis/open-steps';
import { countsOfReadFiles, remainingCount, type IsTicked } from '../analysis/plan-figures';
import { answersFileOf } from './answer-question';
import { wrongEncodingOf } from './wrong-encoding';
import { pathForUsers, type IncludeTreeRow } from './navigation';
import { fileProgress, progressOf, type TellProgress } from './progress';
import { requestConfigurationOf } from './request-configuration';
import { throwIfCancelled, waitUnlessCancelled, type Session } from './session';
import type { Settings } from './settings';
import { openTrees, fileViewFor, viewOfTrees } from './view-of-files';
import {
  conversionWithinQueryLimit,
  isInWorkspace,
  mainFilesOf,
  whyUnchangeable,
  workspaceFolderOf,
} from './access-conversion';

/**
 * The reply with the plan, as the client gets it. Files have the names that users see; `uris` has
 * the URI for each name.
 */
export interface PlanReply {
  readonly plan: UpgradePlan;
  /** In the same order as the configurations of `plan`. */
  readonly configurations: readonly ConfigurationOfReply[];
  readonly uris: Readonly<Record<string, string>>;
}

/** What the client needs to know about one configuration of the plan, in addition to its items. */
export interface ConfigurationOfReply {
  /** The URI of the main file; null for files that no configuration reads. */
  readonly uri: string | null;
  /** The URI of the `.httpd-upgrade.json` for the answers; the file may not exist yet. */
  readonly answersIn: string;
  /** All answers in the file `answersIn`, except those for another configuration. */
  readonly answers: readonly GivenAnswer[];
  /** The files that the configuration reads, in order. */
  readonly includes: readonly IncludeTreeRow[];
  /** The names of the files that no configuration reads, if `uri` is null. Otherwise empty. */
  readonly files: readonly string[];
}

/** The reply if there is no plan. `nothing` is the reason, as a sentence. */
export interface NoPlan {
  readonly nothing: string;
}

/** A plan, its form for the client, and a way to find out whether it is outdated. */
export interface GatheredPlan extends WorkspacePlan {
  readonly reply: PlanReply;
  /** The paths of files that have changed since the plan was made. */
  readonly changedPaths: () => Promise<readonly string[]>;
}

/**
 * The parameters of a report: its format, and what the client has stored about the progress of the
 * upgrade.
 */
export interface ReportRequest {
  readonly format: 'markdown' | 'html';
  /** Tasks on the server in earlier plans. */
  readonly tasks?: TasksByRoot;
  /**
   * The keys (`taskKey`) of tasks that the user has ticked off; undefined if the client has no
   * ticks.
   */
  readonly ticked?: readonly string[];
  /**
   * The largest number of items that the plan ever had. If the plan has fewer items now, the report
   * counts the difference as done.
   */
  readonly most?: number;
}

/** The upgrade plans of the workspace, for other requests. */
export interface Plans {
  /** The current plan, or why there is none. Calls `tellProgress` with the progress. */
  current(token: CancellationToken, tellProgress?: TellProgress): Promise<GatheredPlan | NoPlan>;
  /** The text of the upgrade report. */
  report(
    reportRequest: ReportRequest,
    token: CancellationToken,
    tellProgress?: TellProgress,
  ): Promise<{ readonly text: string } | NoPlan>;
}

/** Milliseconds without a change before a plan is made without a request. */
const PLAN_DELAY_MS = 1000;
/**
 * Milliseconds before a new plan after an answer or a tick. The user is not typing then, so the
 * delay only collects the changes that one event causes.
 */
const SHORT_PLAN_DELAY_MS = 20;
/**
 * Milliseconds after an answer or a tick in which further changes, such as new findings, also get
 * the short delay.
 */
const FOLLOWING_CHANGES_MS = 1000;
/**
 * The largest number of files for which a plan is made without a request. A larger plan would delay
 * requests, because parts of the work cannot be interrupted.
 */
const MAX_FILES_WITHOUT_REQUEST = 150;
/**
 * The largest total length, in UTF-16 units, of the files for which a plan is made without a
 * request.
 */
const MAX_LENGTH_WITHOUT_REQUEST = 1_000_000;
/** The value of `lastSentJson` after the client was notified that its plan is outdated. */
const SENT_AS_STALE = 'stale';
/** After a change in a file with more UTF-16 units, the delay before a new plan is longer. */
const LONG_FILE_LENGTH = 500_000;

/** Serves the plan and the report, and makes plans for our client before it requests them. */
export function servePlans(session: Session, version: string): Plans {
  const { connection, workspace } = session;
  /** Increases with every change that may affect the plan. */
  let revision = 0;
  let lastPlan: { readonly revision: number; readonly outcome: GatheredPlan | NoPlan | TooLarge } | null = null;
  let runningWork: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  /** The time until which changes get the short delay, in milliseconds like `Date.now()`. */
  let shortDelayUntil = 0;
  /**
   * What the client was sent last: the plan as JSON, or `SENT_AS_STALE`. An equal plan is not sent
   * again.
   */
  let lastSentJson = '';
  let isStopped = false;
  /**
   * The number of requests that wait for the plan. If no request waits, the number of file-system
   * queries is limited.
   */
  let waitingRequestCount = 0;
  const cachedFiles = new Map<string, CachedFile>();
  /** The functions that get the progress, one for each waiting request. */
  const progressReceivers = new Set<TellProgress>();
  const tellAllReceivers: TellProgress = (percent, message) => {
    for (const tellProgress of progressReceivers) tellProgress(percent, message);
  };

  const makePlan = async (): Promise<void> => {
    const startRevision = revision;
    const isCancelled = () => isStopped || startRevision !== revision;
    const maxQueries = waitingRequestCount > 0 ? Number.POSITIVE_INFINITY : MAX_QUERIES;
    const gatheredPlan = await gatherPlan(session, cachedFiles, {
      isCancelled,
      tellProgress: tellAllReceivers,
      maxQueries,
    });
    if (gatheredPlan) lastPlan = { revision: startRevision, outcome: gatheredPlan };
  };
  /**
   * Makes the current plan for a request, however large it is. Returns why there is none, if so.
   */
  const currentPlan = async (token: CancellationToken, tellProgress?: TellProgress): Promise<GatheredPlan | NoPlan> => {
    waitingRequestCount++;
    if (tellProgress) progressReceivers.add(tellProgress);
    try {
      for (;;) {
        const gatheredPlan = await makeCurrentPlan(token);
        if (!('isTooLarge' in gatheredPlan)) return gatheredPlan;
        // The plan was started without a request and stopped because it is large; now it is needed.
        lastPlan = null;
      }
    } finally {
      waitingRequestCount--;
      if (tellProgress) progressReceivers.delete(tellProgress);
    }
  };
  // Makes plans until a plan is not outdated. With `token`, also checks files that the client does
  // not watch, and throws if the request is cancelled.
  const makeCurrentPlan = async (token: CancellationToken | null): Promise<GatheredPlan | NoPlan | TooLarge> => {
    let mustCheckDisk = token !== null;
    for (;;) {
      if (token) throwIfCancelled(token);
      if (isStopped) return { nothing: 'The language server has been stopped.' };
      if (lastPlan?.revision === revision) {
        const { outcome } = lastPlan;
        // A requested plan must be valid, and no client reports changes outside of the workspace.
        // Checked only once, because files may change all the time.
        const stalePaths = mustCheckDisk && 'changedPaths' in outcome ? await outcome.changedPaths() : [];
        if (stalePaths.length === 0) return outcome;
        mustCheckDisk = false;
        workspace.handleUnreportedChanges(stalePaths);
        revision++;
      }
      runningWork ??= makePlan().finally(() => (runningWork = null));
      await (token ? waitUnlessCancelled(runningWork, token) : runningWork);
      // If a change has stopped the plan, it is started again after other work has run.
      if (lastPlan?.revision !== revision) await session.scheduler.pause();
    }
  };
  const isLargeWorkspace = (): boolean => {
    if (workspace.allFiles().length > MAX_FILES_WITHOUT_REQUEST) return true;
    let totalLength = 0;
    for (const { path } of workspace.allFiles())
      totalLength +=
        (cachedFiles.get(path)?.tree ?? session.documents.get(workspace.clientUriOf(path))?.tree)?.length ?? 0;
    return totalLength > MAX_LENGTH_WITHOUT_REQUEST;
  };
  /** Makes a plan without a request, and notifies the client if the plan differs from the last. */
  const makeAndNotify = async () => {
    timer = null;
    await workspace.untilCurrent();
    const gatheredPlan = isLargeWorkspace() ? TOO_LARGE : await makeCurrentPlan(null);
    if (isStopped) return;
    if ('isTooLarge' in gatheredPlan) {
      // Sent once, until the client requests the plan.
      if (lastSentJson !== SENT_AS_STALE)
        await connection.sendNotification('httpdUpgrade/planChanged', { isStale: true });
      lastSentJson = SENT_AS_STALE;
      return;
    }
    const planJson = JSON.stringify('reply' in gatheredPlan ? gatheredPlan.reply : gatheredPlan);
    if (planJson === lastSentJson) return;
    lastSentJson = planJson;
    await connection.sendNotification(
      'httpdUpgrade/planChanged',
      'reply' in gatheredPlan ? { summary: gatheredPlan.reply.plan.summary } : gatheredPlan,
    );
  };
  /**
   * Makes the plan outdated, and for our client schedules a new one. `changedLength`: the length of
   * the changed document, if one has changed.
   */
  const noteChange = (changedLength = 0) => {
    revision++;
    if (!session.client.isOurClient || isStopped) return;
    if (timer) clearTimeout(timer);
    const isDelayShort = Date.now() < shortDelayUntil;
    timer = setTimeout(
      () => void makeAndNotify().catch((error: unknown) => session.errorLog.report('the upgrade plan', error)),
      isDelayShort ? SHORT_PLAN_DELAY_MS : changedLength > LONG_FILE_LENGTH ? PLAN_DELAY_MS * 5 : PLAN_DELAY_MS,
    );
    (timer as { unref?: () => void }).unref?.();
  };
  /** Schedules a plan after the short delay, because the user waits for it. */
  const schedulePlanSoon = () => {
    shortDelayUntil = Date.now() + FOLLOWING_CHANGES_MS;
    noteChange();
  };
  workspace.onContextsChanged(() => noteChange());
  workspace.onDiskChanged(() => noteChange());
  session.configurationRules.onFindingsChanged(() => noteChange());
  session.settingsListeners.push(schedulePlanSoon);
  session.trustListeners.push(() => noteChange());
  session.folderListeners.push(() => noteChange());
  // The first plan is made soon, because the client then shows its invitation to upgrade.
  session.readyListeners.push(schedulePlanSoon);
  session.verificationListeners.push(schedulePlanSoon);
  session.documents.onDidChangeContent(({ document }) => noteChange(document.tree.length));
  session.documents.onDidClose(() => noteChange());
  session.stopListeners.push(() => {
    isStopped = true;
    if (timer) clearTimeout(timer);
  });

  connection.onRequest<PlanReply | NoPlan, void>(
    'httpdUpgrade/plan',
    async (params: object, token: CancellationToken): Promise<PlanReply | NoPlan> => {
      const gatheredPlan = await currentPlan(token, progressOf(connection, params));
      if (!('reply' in gatheredPlan)) return gatheredPlan;
      lastSentJson = JSON.stringify(gatheredPlan.reply);
      return gatheredPlan.reply;
    },
  );
  /** Makes the text of the upgrade report from the current plan. */
  const report = async (
    { format, tasks = {}, ticked, most: mostItems }: ReportRequest,
    token: CancellationToken,
    tellProgress?: TellProgress,
  ): Promise<{ text: string } | NoPlan> => {
    const gatheredPlan = await currentPlan(token, tellProgress);
    if ('nothing' in gatheredPlan) return gatheredPlan;
    const {
      answer: { plan, configurations },
    } = withRememberedTasks(gatheredPlan.reply, tasks);
    if (plan.configurations.length === 0) return { nothing: 'There is no httpd configuration in this workspace.' };
    const date = format === 'html' ? new Date().toISOString().slice(0, 10) : null;
    const tickedKeys = new Set(ticked);
    const details = gatheredPlan.details.map((each, index) => {
      const { uri, answers } = configurations[index]!;
      return {
        ...each,
        answers,
        ...(ticked && { isTicked: (task: OnServerItem) => tickedKeys.has(taskKey(uri, task)) }),
      };
    });
    const isTicked: IsTicked = (index, task) => tickedKeys.has(taskKey(configurations[index]!.uri, task));
    const counts = countsOfReadFiles(plan.configurations, (index) => configurations[index]!.uri !== null, isTicked);
    const remainingItemCount = remainingCount(counts);
    const itemsDone = mostItems === undefined ? undefined : Math.max(0, mostItems - remainingItemCount);
    const madeBy = `httpd-upgrade ${version}`;
    const view = await fileViewFor(session, openTrees(session));
    const detailsWithProof: ReportDetails[] = [];
    for (const [index, each] of details.entries()) {
      throwIfCancelled(token);
      const { uri } = configurations[index]!;
      const root = uri === null ? null : workspace.realPathOf(uri);
      const proof =
        root === null
          ? null
          : accessProof(await requestConfigurationOf(session, root, view), (file) => pathForUsers(session, file));
      detailsWithProof.push({ ...each, proof });
    }
    return {
      text: upgradeReport(
        { plan, counts, details: detailsWithProof, argumentsToRepeat: null, itemsDone, madeBy, date },
        format,
      ),
    };
  };
  connection.onRequest<{ text: string } | NoPlan, void>(
    'httpdUpgrade/report',
    (reportRequest: ReportRequest, token: CancellationToken) =>
      report(reportRequest, token, progressOf(connection, reportRequest)),
  );
  return { current: currentPlan, report };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A file that is not open, as it was read for the last plan. `stamp` changes when the file changes.
 */
interface CachedFile {
  readonly stamp: string;
  readonly tree: Tree;
  readonly info: ProjectFile['info'];
}

interface GatherOptions {
  readonly isCancelled: () => boolean;
  readonly tellProgress: TellProgress;
  /** Limit for file-system queries. */
  readonly maxQueries: number;
}

/** The result if a plan is too large to be made without a request. */
interface TooLarge {
  readonly isTooLarge: true;
}

const TOO_LARGE: TooLarge = { isTooLarge: true };

/** Makes the plan of the workspace; null if `isCancelled` returned true. */
async function gatherPlan(
  session: Session,
  cachedFiles: Map<string, CachedFile>,
  { isCancelled, tellProgress, maxQueries }: GatherOptions,
): Promise<GatheredPlan | NoPlan | TooLarge | null> {
  if (!session.isTrusted)
    return { nothing: 'In restricted mode, other files are not read. To plan the upgrade, trust this workspace.' };
  const { workspace, scheduler } = session;
  await workspace.untilCurrent();
  const allFiles = await inputFiles(session, cachedFiles, isCancelled, tellProgress);
  if (!allFiles || isCancelled()) return null;
  let files: readonly ProjectFile[] = allFiles;
  const trees = new Map(files.map(({ path, tree }) => [path, tree]));
  const view = session.host.fileView?.((path) => trees.get(path) ?? null) ?? viewOfTrees(trees);
  const settingsByPath = new Map<string, Settings>();
  for (const path of trees.keys())
    settingsByPath.set(path, await session.settings.settingsOf(workspace.clientUriOf(path)));
  const settingsByFile = await settingsOfFiles(session, settingsByPath);
  await scheduler.pause();
  if (isCancelled()) return null;
  const isDormant = (path: string) =>
    isUnread(session, path, { tree: trees.get(path) ?? null, settings: settingsByPath.get(path) });
  const filesInUse = files.filter(({ path }) => !isDormant(path));
  const access = await conversionWithinQueryLimit(maxQueries, view, (limitedView) =>
    planWorkspaceConversion(session, limitedView, filesInUse, settingsByFile),
  );
  if (access === null) return TOO_LARGE;
  await scheduler.pause();
  if (isCancelled()) return null;
  files = [...files, ...(await filesNotFoundBySearch(session, access, view, trees))];
  const whyNoFix = (path: string) =>
    session.host.fileView === undefined || workspace.isOpen(path) || isInWorkspace(session, path)
      ? null
      : `No fix changes this file: ${pathForUsers(session, path)} ${OUTSIDE_WORKSPACE}. To change it, add its directory to the workspace.`;
  const project = new Project({
    view,
    settings: settingsByFile,
    configurationModels: workspace.models,
    accessConversion: access,
    hasDisk: session.host.fileView !== undefined,
    whyUnchanged: whyNoFix,
    showsAnswered: true,
  });
  await scheduler.pause();
  const hasNeighbours = files.length > 1;
  const answersFiles = await answersFilesOf(session);
  const projectFiles = files.map(
    (file): ProjectFile => ({
      ...file,
      info: {
        ...withHtaccessFolders(file.info, access.htaccessPlaces(file.path).folders),
        isOfConfiguration: access.isPartOfConfiguration(file.path),
        mayBeIncluded: access.mayIncludeAnyFile,
        hasNeighbours,
      },
    }),
  );
  const plan = await scheduler.run(
    workspacePlan({
      project,
      files: projectFiles,
      answerSetOf: (root) => answersFiles.answerSetFor(root),
      isAccepted: (root) =>
        session.host.acceptedFiles?.isAccepted(root, () =>
          checkedFiles(
            project.modelOf(root)!,
            (path) => trees.get(path) ?? view.read(path),
            settingsByFile.serverOf(root),
            assumptionsOfCheck(session.configurationRules.doneTasks),
          ),
        ) === true,
      isDormant,
      mayServerRead: (path) => isInFolderWithoutServer(session, path),
      displayName: (path) => pathForUsers(session, path),
      onFileChecked: fileProgress(tellProgress, 50, 100, projectFiles.length, 'checked'),
    }),
    isCancelled,
  );
  const openTree = (path: string) =>
    workspace.isOpen(path) ? (session.documents.get(workspace.clientUriOf(path))?.tree ?? null) : null;
  const changedPaths = () => changedPathsOf(session, view, openTree);
  return plan && { ...plan, reply: planReplyFor(session, plan, answersFiles, files, isDormant), changedPaths };
}

/**
 * The facts about a file. If httpd serves its folder, they include that httpd may read the file as
 * a .htaccess. httpd may reach the file through links, so the AllowOverride that applies is unknown
 * (null).
 */
function withHtaccessFolders(info: FileInfo, servedFolders: readonly string[]): FileInfo {
  return info.isHtaccess || info.htaccessContexts !== undefined || servedFolders.length === 0
    ? info
    : { ...info, htaccessContexts: [null] };
}

/**
 * The files that the walk and the search have found, with their text in the editor or on the disk.
 * Null if cancelled.
 */
async function inputFiles(
  session: Session,
  cachedFiles: Map<string, CachedFile>,
  isCancelled: () => boolean,
  tellProgress: TellProgress,
): Promise<ProjectFile[] | null> {
  const { workspace, scheduler } = session;
  const pathsToRead = new Set([
    ...workspace.models.flatMap(({ files }) => [...files.keys()]),
    ...workspace.allFiles().map(({ path }) => path),
  ]);
  for (const path of cachedFiles.keys()) if (!pathsToRead.has(path)) cachedFiles.delete(path);
  const files: ProjectFile[] = [];
  const showReadProgress = fileProgress(tellProgress, 0, 50, pathsToRead.size, 'read');
  for (const path of pathsToRead) {
    showReadProgress(files.length);
    if (scheduler.isSliceOver) await scheduler.pause();
    if (isCancelled()) return null;
    const uri = workspace.clientUriOf(path);
    const { engine } = await session.settings.settingsOf(uri);
    const document = workspace.isOpen(path) ? session.documents.get(uri) : undefined;
    if (document && (await wrongEncodingOf(session, document)) === 'no') {
      files.push({ path, tree: document.tree, info: await workspace.fileInfoFor(document), engine });
      continue;
    }
    const stamp = workspace.stampOf(path);
    const cachedFile = cachedFiles.get(path);
    if (cachedFile?.stamp === stamp && !document) {
      files.push({ path, tree: cachedFile.tree, info: cachedFile.info, engine });
      continue;
    }
    const closedFile = await workspace.readClosedFile(path);
    if (!closedFile) continue;
    cachedFiles.set(path, { stamp, ...closedFile });
    files.push({ path, ...closedFile, engine });
  }
  return files;
}

/**
 * The files that the conversion changes but the search did not find, such as a .htaccess in
 * node_modules or a file that AccessFileName names.
 */
async function filesNotFoundBySearch(
  { workspace, documents, settings }: Session,
  { configurations }: AccessConversion,
  view: FileView,
  treesByPath: ReadonlyMap<string, Tree>,
): Promise<ProjectFile[]> {
  const changedFiles = configurations.flatMap(({ changes }) => changes.flatMap(({ edits }) => [...edits.keys()]));
  const files: ProjectFile[] = [];
  for (const path of new Set(changedFiles)) {
    if (treesByPath.has(path)) continue;
    const uri = workspace.clientUriOf(path);
    const { engine } = await settings.settingsOf(uri);
    const document = workspace.isOpen(path) ? documents.get(uri) : undefined;
    const file = document
      ? { tree: document.tree, info: await workspace.fileInfoFor(document) }
      : await workspace.readClosedFile(path);
    // The edits are for the planned text; if the file has changed since, nothing is written.
    if (file) files.push({ path, ...file, tree: view.read(path) ?? file.tree, engine });
  }
  return files;
}

/** The settings of each file. `areRootsSet`: whether a setting of any file names main files. */
interface SettingsOfFiles extends SettingsByFile {
  readonly areRootsSet: boolean;
}

/**
 * Combines the settings of all files of the plan. A file that is not in `settingsByPath` gets the
 * settings of the first workspace folder.
 */
async function settingsOfFiles(
  { settings: settingsStore, folders, workspace }: Session,
  settingsByPath: ReadonlyMap<string, Settings>,
): Promise<SettingsOfFiles> {
  const defaultSettings = await settingsStore.settingsOf(`${(folders[0] ?? 'untitled:').replace(/\/$/, '')}/.`);
  const serverSettingsByPath = new Map<string, ServerSettings>();
  for (const path of settingsByPath.keys()) serverSettingsByPath.set(path, await workspace.serverSettingsOf(path));
  for (const model of workspace.models)
    serverSettingsByPath.set(
      model.mainFile,
      serverWithFoundPaths(serverSettingsByPath.get(model.mainFile) ?? {}, model),
    );
  const settingsOf = (path: string) => settingsByPath.get(path) ?? defaultSettings;
  return {
    engineOf: (path) => settingsOf(path).engine,
    serverOf: (path) => serverSettingsByPath.get(path) ?? settingsOf(path).server,
    areRootsSet: [...settingsByPath.values()].some(({ values: { roots } }) => roots.length > 0),
  };
}

/** Plans the conversion of access control as `fix --write` does for the workspace folders. */
async function planWorkspaceConversion(
  session: Session,
  view: FileView,
  files: readonly ProjectFile[],
  settingsByFile: SettingsOfFiles,
) {
  const { workspace } = session;
  const roots = mainFilesOf(
    session,
    view,
    files.map(({ path }) => workspace.clientUriOf(path)),
  );
  const infoByPath = new Map(files.map(({ path, info }) => [path, info]));
  const asRoot = (mainFile: string): AccessRoot => {
    const info = infoByPath.get(mainFile);
    return {
      mainFile,
      engine: settingsByFile.engineOf(mainFile),
      server: settingsByFile.serverOf(mainFile),
      ...(info && { infoOf: () => info }),
    };
  };
  const mayBeMain = ({ tree }: ProjectFile) =>
    ['serverroot', 'pidfile', 'include', 'includeoptional'].some((name) => namesIn(tree.root).hasName(name));
  const otherRoots = files
    .filter((file) => !roots.includes(file.path) && mayBeMain(file))
    .map(({ path }) => asRoot(path));
  return accessConversion({
    roots: roots.map((root) => ({
      ...asRoot(root),
      namedDirectory: workspaceFolderOf(session, root) ?? undefined,
      isNamed: settingsByFile.areRootsSet && workspace.models.some((model) => model.mainFile === root),
    })),
    otherRoots,
    standaloneFiles: files.map(({ path }) => asRoot(path)),
    view,
    whyUnchangeable: (file) => whyUnchangeable(session, file),
  });
}

/**
 * Where answers are stored. `root` is the path of a main file; '' for files that no configuration
 * reads.
 */
interface AnswersFiles {
  answerSetFor(root: string): AnswerSet;
  uriOf(root: string): string;
}

/** For each configuration, the file that stores its answers. */
async function answersFilesOf(session: Session): Promise<AnswersFiles> {
  const answersFileByRoot = new Map<string, { readonly answerSet: AnswerSet; readonly uri: string }>();
  for (const root of ['', ...session.workspace.models.map((model: Model) => model.mainFile)])
    answersFileByRoot.set(root, await answersFileOf(session, root === '' ? null : root));
  const answersFileFor = (root: string) => answersFileByRoot.get(root) ?? answersFileByRoot.get('')!;
  return { answerSetFor: (root) => answersFileFor(root).answerSet, uriOf: (root) => answersFileFor(root).uri };
}

/** The plan in the form for the client. */
function planReplyFor(
  session: Session,
  { plan, roots }: WorkspacePlan,
  answersFiles: AnswersFiles,
  files: readonly ProjectFile[],
  isDormant: (path: string) => boolean,
): PlanReply {
  const { workspace } = session;
  const displayPath = (path: string) => pathForUsers(session, path);
  const pathsReadByConfigurations = new Set(workspace.models.flatMap((model) => [...model.files.keys()]));
  const standaloneFiles = files
    .map(({ path }) => path)
    .filter(
      (path) =>
        !pathsReadByConfigurations.has(path) &&
        !isDormant(path) &&
        !(isHtaccessName(path) && workspace.isPartOfConfiguration(workspace.clientUriOf(path))),
    );
  const configurations = roots.map((root, index): ConfigurationOfReply => {
    const model = workspace.models.find((each) => each.mainFile === root);
    return {
      uri: root === '' ? null : workspace.clientUriOf(root),
      answersIn: answersFiles.uriOf(root),
      answers: givenAnswers(
        answersFiles.answerSetFor(root),
        plan.configurations[index]!,
        plan.configurations.filter(
          (_, otherIndex) => answersFiles.uriOf(roots[otherIndex]!) === answersFiles.uriOf(root),
        ),
      ),
      includes: model
        ? includeTreeRows(model, displayPath).map(({ path, ...row }) => ({ ...row, uri: workspace.clientUriOf(path) }))
        : [],
      files: root === '' ? standaloneFiles.map(displayPath) : [],
    };
  });
  return {
    plan,
    configurations,
    uris: Object.fromEntries(files.map(({ path }) => [displayPath(path), workspace.clientUriOf(path)])),
  };
}
