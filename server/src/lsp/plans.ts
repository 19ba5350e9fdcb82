/**
 * The upgrade plan of the workspace, kept current: computed when the user pauses, in slices, and
 * never while a request waits. Clients are notified of a new plan (`httpdUpgrade/planChanged`) and
 * request it (`httpdUpgrade/plan`).
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
import { includeTree } from '../features/include-tree';
import { taskKey, withTasks, type Tasks } from '../features/remembered-tasks';
import { upgradeReport, type ReportDetails } from '../features/report/upgrade-report';
import { Project, type ProjectFile, type SettingsOf } from '../features/project';
import { workspacePlan, type WorkspacePlan } from '../features/workspace-plan';
import { accessProof } from '../features/report/access-proof';
import { isUnread } from './unread';
import type { Tree } from '../syntax/document';
import { givenServer } from './configuration-rules';
import { staleIn } from './access-fixes';
import { assumedOf } from '../analysis/open-steps';
import { countsOfRead, remainingCount, type IsTicked } from '../analysis/plan-figures';
import { answersPlace } from './answer-question';
import { wrongEncodingOf } from './wrong-encoding';
import { shortened, type IncludeTreeRow } from './navigation';
import { overFiles, teller, type Tell } from './progress';
import { requestConfigurationOf } from './request-configuration';
import { throwIfCancelled, unlessCancelled, type Session } from './session';
import type { Settings } from './settings';
import { openTrees, viewFor, viewOfTrees } from './view-of-files';
import { accessWithin, folderAround, isWithin, mainFiles } from './access-conversion';

/** The answer for the client. Files have short names; `uris` has their URIs. */
export interface PlanAnswer {
  readonly plan: UpgradePlan;
  /** In the order of the plan's configurations. */
  readonly configurations: readonly ConfigurationPlace[];
  readonly uris: Readonly<Record<string, string>>;
}

export interface ConfigurationPlace {
  /** The URI of the main file; null for files that no configuration reads. */
  readonly uri: string | null;
  /** The `.httpd-upgrade.json` for answers; it may not exist yet. */
  readonly answersIn: string;
  /** All answers in it, except those for another configuration. */
  readonly answers: readonly GivenAnswer[];
  /** The files that it reads, in order. */
  readonly includes: readonly IncludeTreeRow[];
  /** For files that no configuration reads: these files. */
  readonly files: readonly string[];
}

/** The reason why there is no plan. */
export interface NoPlan {
  readonly nothing: string;
}

/** The input and result of a plan. */
export interface Gathered extends WorkspacePlan {
  readonly answer: PlanAnswer;
  /** The paths whose contents have changed since. */
  readonly stale: () => Promise<readonly string[]>;
}

/**
 * The format of a report, and the client's remembered data about the upgrade, which no file has.
 */
export interface AskedReport {
  readonly format: 'markdown' | 'html';
  /** Tasks on the server in earlier plans. */
  readonly tasks?: Tasks;
  /**
   * The keys (`taskKey`) of tasks that the user has ticked off; undefined if the client has no
   * ticks.
   */
  readonly ticked?: readonly string[];
  /** The most items that the plan ever had. */
  readonly most?: number;
}

export interface Plans {
  /** The current plan. `tell` receives the progress. */
  current(token: CancellationToken, tell?: Tell): Promise<Gathered | NoPlan>;
  /** The report of the upgrade. */
  report(asked: AskedReport, token: CancellationToken, tell?: Tell): Promise<{ readonly text: string } | NoPlan>;
}

/** Milliseconds without a change before a plan is made that no request needs. */
const PAUSE_MS = 1000;
/**
 * Pause after an answer or a tick, which the user does not type: only the changes that follow from
 * one event are gathered.
 */
const SHORT_PAUSE_MS = 20;
/** Milliseconds in which changes follow from an answer or a tick, such as those of findings. */
const CONSEQUENCES_MS = 1000;
/**
 * Larger workspaces are planned on request only, because parts of the work cannot be interrupted.
 */
const MOST_FILES = 150;
/** UTF-16 units of all files. */
const MOST_TEXT = 1_000_000;
const STALE = 'stale';
/** UTF-16 units of a file for which a change alone does not start a new plan. */
const LONG_FILE = 500_000;

export function servePlans(session: Session, version: string): Plans {
  const { connection, workspace } = session;
  /** Incremented by every change that may affect the plan. */
  let revision = 0;
  let lastPlan: { readonly revision: number; readonly gathered: Gathered | NoPlan | TooLarge } | null = null;
  let running: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let awaitedUntil = 0;
  let lastFigures = '';
  let isStopped = false;
  /** Whether a request needs the plan; otherwise it is made with a limited number of looks. */
  let isRequested = false;
  const cachedFiles = new Map<string, CachedFile>();
  /** Receivers of the progress, one for each waiting request. */
  const waiting = new Set<Tell>();
  const tellAll: Tell = (percent, message) => {
    for (const tell of waiting) tell(percent, message);
  };

  const make = async (): Promise<void> => {
    const startRevision = revision;
    const isCancelled = () => isStopped || startRevision !== revision;
    const mostLooks = isRequested ? Number.POSITIVE_INFINITY : MAX_QUERIES;
    const gathered = await gather(session, cachedFiles, { isCancelled, tell: tellAll, mostLooks });
    if (gathered) lastPlan = { revision: startRevision, gathered };
  };
  const current = async (token: CancellationToken, tell?: Tell): Promise<Gathered | NoPlan> => {
    isRequested = true;
    if (tell) waiting.add(tell);
    try {
      for (;;) {
        const gathered = await untilMade(token);
        if (!('isTooLarge' in gathered)) return gathered;
        // It was begun before a request needed it, and was too large for that: make it now.
        lastPlan = null;
      }
    } finally {
      if (tell) waiting.delete(tell);
    }
  };
  const untilMade = async (token: CancellationToken | null): Promise<Gathered | NoPlan | TooLarge> => {
    let isAsked = token !== null;
    for (;;) {
      if (token) throwIfCancelled(token);
      if (isStopped) return { nothing: 'The language server has been stopped.' };
      if (lastPlan?.revision === revision) {
        const { gathered } = lastPlan;
        // A request must get a valid plan, and changes of files elsewhere are not reported. Checked
        // once only, because served files may change all the time.
        const stale = isAsked && 'stale' in gathered ? await gathered.stale() : [];
        if (stale.length === 0) return gathered;
        isAsked = false;
        workspace.changedUnseen(stale);
        revision++;
      }
      running ??= make().finally(() => (running = null));
      await (token ? unlessCancelled(running, token) : running);
      // A plan that was abandoned because of a change is started again after other work.
      if (lastPlan?.revision !== revision) await session.turns.pause();
    }
  };
  const isLarge = (): boolean => {
    if (workspace.all().length > MOST_FILES) return true;
    let length = 0;
    for (const { path } of workspace.all())
      length += (cachedFiles.get(path)?.tree ?? session.documents.get(workspace.uriFor(path))?.tree)?.length ?? 0;
    return length > MOST_TEXT;
  };
  const look = async () => {
    timer = null;
    await workspace.settle();
    isRequested = false;
    const gathered = isLarge() ? TOO_LARGE : await untilMade(null);
    if (isStopped) return;
    if ('isTooLarge' in gathered) {
      // Sent once, until the plan is requested.
      if (lastFigures !== STALE) await connection.sendNotification('httpdUpgrade/planChanged', { isStale: true });
      lastFigures = STALE;
      return;
    }
    const planJson = JSON.stringify('answer' in gathered ? gathered.answer : gathered);
    if (planJson === lastFigures) return;
    lastFigures = planJson;
    await connection.sendNotification(
      'httpdUpgrade/planChanged',
      'answer' in gathered ? { summary: gathered.answer.plan.summary } : gathered,
    );
  };
  const changed = (length = 0) => {
    revision++;
    if (!session.client.showsRules || isStopped) return;
    if (timer) clearTimeout(timer);
    const isAwaited = Date.now() < awaitedUntil;
    timer = setTimeout(
      () => void look().catch((error: unknown) => session.errorLog.report('the upgrade plan', error)),
      isAwaited ? SHORT_PAUSE_MS : length > LONG_FILE ? PAUSE_MS * 5 : PAUSE_MS,
    );
    (timer as { unref?: () => void }).unref?.();
  };
  /** The user waits for the plan that a new setting or answer makes. */
  const awaited = () => {
    awaitedUntil = Date.now() + CONSEQUENCES_MS;
    changed();
  };
  workspace.onChanged(() => changed());
  workspace.onStale(() => changed());
  session.configurationRules.onChanged(() => changed());
  session.onSettings.push(awaited);
  session.onTrusted.push(() => changed());
  session.onFolders.push(() => changed());
  // The invitation to upgrade waits for the first plan.
  session.onReady.push(awaited);
  session.onVerified.push(awaited);
  session.documents.onDidChangeContent(({ document }) => changed(document.tree.length));
  session.documents.onDidClose(() => changed());
  session.onStop.push(() => {
    isStopped = true;
    if (timer) clearTimeout(timer);
  });

  connection.onRequest<PlanAnswer | NoPlan, void>(
    'httpdUpgrade/plan',
    async (params: object, token: CancellationToken): Promise<PlanAnswer | NoPlan> => {
      const gathered = await current(token, teller(connection, params));
      if (!('answer' in gathered)) return gathered;
      lastFigures = JSON.stringify(gathered.answer);
      return gathered.answer;
    },
  );
  const report = async (
    { format, tasks = {}, ticked, most }: AskedReport,
    token: CancellationToken,
    tell?: Tell,
  ): Promise<{ text: string } | NoPlan> => {
    const gathered = await current(token, tell);
    if ('nothing' in gathered) return gathered;
    const {
      answer: { plan, configurations },
    } = withTasks(gathered.answer, tasks);
    if (plan.configurations.length === 0) return { nothing: 'There is no httpd configuration in this workspace.' };
    const date = format === 'html' ? new Date().toISOString().slice(0, 10) : null;
    const isDone = new Set(ticked);
    const details = gathered.details.map((each, index) => {
      const { uri, answers } = configurations[index]!;
      return { ...each, answers, ...(ticked && { isTicked: (task: OnServerItem) => isDone.has(taskKey(uri, task)) }) };
    });
    const isTicked: IsTicked = (index, task) => isDone.has(taskKey(configurations[index]!.uri, task));
    const figures = countsOfRead(plan.configurations, (index) => configurations[index]!.uri !== null, isTicked);
    const left = remainingCount(figures);
    const itemsDone = most === undefined ? undefined : Math.max(0, most - left);
    const madeBy = `httpd-upgrade ${version}`;
    const view = await viewFor(session, openTrees(session));
    const proven: ReportDetails[] = [];
    for (const [index, each] of details.entries()) {
      throwIfCancelled(token);
      const { uri } = configurations[index]!;
      const root = uri === null ? null : workspace.identityOf(uri);
      const proof =
        root === null
          ? null
          : accessProof(await requestConfigurationOf(session, root, view), (file) => shortened(session, file));
      proven.push({ ...each, proof });
    }
    return { text: upgradeReport({ plan, figures, details: proven, again: null, itemsDone, madeBy, date }, format) };
  };
  connection.onRequest<{ text: string } | NoPlan, void>(
    'httpdUpgrade/report',
    (reportRequest: AskedReport, token: CancellationToken) =>
      report(reportRequest, token, teller(connection, reportRequest)),
  );
  return { current, report };
}

// ---------------------------------------------------------------------------------------------------------------------

interface CachedFile {
  readonly stamp: string;
  readonly tree: Tree;
  readonly info: ProjectFile['info'];
}

interface GatherOptions {
  readonly isCancelled: () => boolean;
  readonly tell: Tell;
  /** Limit of questions to the file system. */
  readonly mostLooks: number;
}

/** A plan that is made on request only. */
interface TooLarge {
  readonly isTooLarge: true;
}

const TOO_LARGE: TooLarge = { isTooLarge: true };

/** Gathers the plan of the workspace; null if it was abandoned. */
async function gather(
  session: Session,
  cachedFiles: Map<string, CachedFile>,
  { isCancelled, tell, mostLooks }: GatherOptions,
): Promise<Gathered | NoPlan | TooLarge | null> {
  if (!session.isTrusted)
    return { nothing: 'In restricted mode, other files are not read. To plan the upgrade, trust this workspace.' };
  const { workspace, turns } = session;
  await workspace.settle();
  const allFiles = await inputFiles(session, cachedFiles, isCancelled, tell);
  if (!allFiles || isCancelled()) return null;
  let files: readonly ProjectFile[] = allFiles;
  const trees = new Map(files.map(({ path, tree }) => [path, tree]));
  const view = session.host.fileView?.((path) => trees.get(path) ?? null) ?? viewOfTrees(trees);
  const settings = new Map<string, Settings>();
  for (const path of trees.keys()) settings.set(path, await session.settings.of(workspace.uriFor(path)));
  const projects = await projectsOf(session, settings);
  await turns.pause();
  if (isCancelled()) return null;
  const isDormant = (path: string) =>
    isUnread(session, path, { tree: trees.get(path) ?? null, settings: settings.get(path) });
  const read = files.filter(({ path }) => !isDormant(path));
  const access = await accessWithin(mostLooks, view, (limited) => accessOf(session, limited, read, projects));
  if (access === null) return TOO_LARGE;
  await turns.pause();
  if (isCancelled()) return null;
  files = [...files, ...(await unfoundFiles(session, access, view, trees))];
  const mayChange = (path: string) =>
    session.host.fileView === undefined || workspace.isOpen(path) || isWithin(session, path);
  const project = new Project({
    view,
    settings: projects,
    models: workspace.models,
    access,
    hasDisk: session.host.fileView !== undefined,
    mayChange,
    showsAnswered: true,
  });
  await turns.pause();
  const hasNeighbours = files.length > 1;
  const places = await placesOf(session);
  const projectFiles = files.map(
    (file): ProjectFile => ({
      ...file,
      info: {
        ...asHtaccess(file.info, access.htaccessPlaces(file.path).folders),
        isOfConfiguration: access.isPartOfConfiguration(file.path),
        hasNeighbours,
      },
    }),
  );
  const plan = await turns.run(
    workspacePlan({
      project,
      files: projectFiles,
      answeredOf: (root) => places.answeredOf(root),
      isAccepted: (root) =>
        session.host.accepted?.is(root, () =>
          checkedFiles(
            project.modelOf(root)!,
            (path) => trees.get(path) ?? view.read(path),
            projects.serverOf(root),
            assumedOf(session.configurationRules.commandsRun),
          ),
        ) === true,
      isDormant,
      shown: (path) => shortened(session, path),
      looked: overFiles(tell, 50, 100, projectFiles.length, 'checked'),
    }),
    isCancelled,
  );
  const openNow = (path: string) =>
    workspace.isOpen(path) ? (session.documents.get(workspace.uriFor(path))?.tree ?? null) : null;
  const stale = () => staleIn(session, view, openNow);
  return plan && { ...plan, answer: answerOf(session, plan, places, files, isDormant), stale };
}

/**
 * Files served outside of the workspace have links, too: if one makes the file a .htaccess, the
 * grants of AllowOverride there are unknown.
 */
function asHtaccess(info: FileInfo, folders: readonly string[]): FileInfo {
  return info.isHtaccess || info.asHtaccess !== undefined || folders.length === 0
    ? info
    : { ...info, asHtaccess: [null] };
}

/** The files of the walk and of the search, each from the editor or from the disk. */
async function inputFiles(
  session: Session,
  cachedFiles: Map<string, CachedFile>,
  isCancelled: () => boolean,
  tell: Tell,
): Promise<ProjectFile[] | null> {
  const { workspace, turns } = session;
  const paths = new Set([
    ...workspace.models.flatMap(({ files }) => [...files.keys()]),
    ...workspace.all().map(({ path }) => path),
  ]);
  for (const path of cachedFiles.keys()) if (!paths.has(path)) cachedFiles.delete(path);
  const files: ProjectFile[] = [];
  const read = overFiles(tell, 0, 50, paths.size, 'read');
  for (const path of paths) {
    read(files.length);
    if (turns.isOver) await turns.pause();
    if (isCancelled()) return null;
    const uri = workspace.uriFor(path);
    const { engine } = await session.settings.of(uri);
    const document = workspace.isOpen(path) ? session.documents.get(uri) : undefined;
    if (document && (await wrongEncodingOf(session, document)) === 'no') {
      files.push({ path, tree: document.tree, info: await workspace.infoOf(document), engine });
      continue;
    }
    const stamp = workspace.stampOf(path);
    const cached = cachedFiles.get(path);
    if (cached?.stamp === stamp && !document) {
      files.push({ path, tree: cached.tree, info: cached.info, engine });
      continue;
    }
    const closed = await workspace.closed(path);
    if (!closed) continue;
    cachedFiles.set(path, { stamp, ...closed });
    files.push({ path, ...closed, engine });
  }
  return files;
}

/**
 * Files that change together with others but are not found by the search: a .htaccess in
 * node_modules, a file of AccessFileName.
 */
async function unfoundFiles(
  { workspace, documents, settings }: Session,
  { configurations }: AccessConversion,
  view: FileView,
  knownTrees: ReadonlyMap<string, Tree>,
): Promise<ProjectFile[]> {
  const changed = configurations.flatMap(({ changes }) => changes.flatMap(({ edits }) => [...edits.keys()]));
  const files: ProjectFile[] = [];
  for (const path of new Set(changed)) {
    if (knownTrees.has(path)) continue;
    const uri = workspace.uriFor(path);
    const { engine } = await settings.of(uri);
    const document = workspace.isOpen(path) ? documents.get(uri) : undefined;
    const file = document
      ? { tree: document.tree, info: await workspace.infoOf(document) }
      : await workspace.closed(path);
    // The edits are for the planned text; if the file has changed since, nothing is written.
    if (file) files.push({ path, ...file, tree: view.read(path) ?? file.tree, engine });
  }
  return files;
}

interface SettingsOfAll extends SettingsOf {
  readonly rootsNamed: boolean;
}

async function projectsOf(
  { settings: store, folders, workspace }: Session,
  settings: ReadonlyMap<string, Settings>,
): Promise<SettingsOfAll> {
  const fallback = await store.of(`${(folders[0] ?? 'untitled:').replace(/\/$/, '')}/.`);
  const servers = new Map<string, ServerSettings>();
  for (const path of settings.keys()) servers.set(path, await workspace.serverOf(path));
  for (const model of workspace.models) servers.set(model.root, givenServer(servers.get(model.root) ?? {}, model));
  const settingsOf = (path: string) => settings.get(path) ?? fallback;
  return {
    engineOf: (path) => settingsOf(path).engine,
    serverOf: (path) => servers.get(path) ?? settingsOf(path).server,
    rootsNamed: [...settings.values()].some(({ values: { roots } }) => roots.length > 0),
  };
}

/** Plans like `fix --write` for the workspace's folders. */
async function accessOf(session: Session, view: FileView, files: readonly ProjectFile[], projects: SettingsOfAll) {
  const { workspace } = session;
  const roots = mainFiles(
    session,
    view,
    files.map(({ path }) => workspace.uriFor(path)),
  );
  const asRoot = (root: string): AccessRoot => ({
    root,
    engine: projects.engineOf(root),
    server: projects.serverOf(root),
  });
  const mayBeMain = ({ tree }: ProjectFile) =>
    ['serverroot', 'pidfile', 'include', 'includeoptional'].some((name) => namesIn(tree.root).has(name));
  const others = files.filter((file) => !roots.includes(file.path) && mayBeMain(file)).map(({ path }) => asRoot(path));
  return accessConversion({
    roots: roots.map((root) => ({
      ...asRoot(root),
      namedDirectory: folderAround(session, root) ?? undefined,
      isNamed: projects.rootsNamed && workspace.models.some((model) => model.root === root),
    })),
    others,
    standaloneFiles: files.map(({ path }) => asRoot(path)),
    view,
    obstacle: (file) => (isWithin(session, file) ? null : OUTSIDE_WORKSPACE),
  });
}

interface Places {
  answeredOf(root: string): AnswerSet;
  answersIn(root: string): string;
}

/** The files in which the answers of each configuration are stored. */
async function placesOf(session: Session): Promise<Places> {
  const placesByRoot = new Map<string, { readonly answered: AnswerSet; readonly uri: string }>();
  for (const root of ['', ...session.workspace.models.map((model: Model) => model.root)])
    placesByRoot.set(root, await answersPlace(session, root === '' ? null : root));
  const placeOf = (root: string) => placesByRoot.get(root) ?? placesByRoot.get('')!;
  return { answeredOf: (root) => placeOf(root).answered, answersIn: (root) => placeOf(root).uri };
}

function answerOf(
  session: Session,
  { plan, roots }: WorkspacePlan,
  places: Places,
  files: readonly ProjectFile[],
  isUnread: (path: string) => boolean,
): PlanAnswer {
  const { workspace } = session;
  const displayPath = (path: string) => shortened(session, path);
  const read = new Set(workspace.models.flatMap((model) => [...model.files.keys()]));
  const standaloneFiles = files
    .map(({ path }) => path)
    .filter(
      (path) =>
        !read.has(path) &&
        !isUnread(path) &&
        !(isHtaccessName(path) && workspace.isPartOfConfiguration(workspace.uriFor(path))),
    );
  const configurations = roots.map((root, index): ConfigurationPlace => {
    const model = workspace.models.find((each) => each.root === root);
    return {
      uri: root === '' ? null : workspace.uriFor(root),
      answersIn: places.answersIn(root),
      answers: givenAnswers(
        places.answeredOf(root),
        plan.configurations[index]!,
        plan.configurations.filter((_, other) => places.answersIn(roots[other]!) === places.answersIn(root)),
      ),
      includes: model
        ? includeTree(model, displayPath).map(({ path, ...row }) => ({ ...row, uri: workspace.uriFor(path) }))
        : [],
      files: root === '' ? standaloneFiles.map(displayPath) : [],
    };
  });
  return {
    plan,
    configurations,
    uris: Object.fromEntries(files.map(({ path }) => [displayPath(path), workspace.uriFor(path)])),
  };
}
