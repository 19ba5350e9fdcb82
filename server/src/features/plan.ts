/** Makes the upgrade plan of configurations from their files, which are added one by one. */
import { isForBothVersions, type AnswerSet } from '../analysis/answers';
import { dormantRows, unreadFileRows } from '../analysis/dormant';
import { oldAccessLineCount } from '../analysis/old-access-lines';
import { openNames } from '../analysis/unread-lines';
import type { Engine } from '../analysis/engine';
import { filesToEnable, filesToEnableTasks } from '../analysis/files-to-enable';
import { moduleFilesBeside } from '../analysis/module-lines';
import { causesIn, onServerItems, tasksBesideMainFiles } from '../analysis/on-server';
import type { OnServerItem } from '../analysis/server-tasks';
import { withoutStockHostLines } from '../analysis/stock-host-lines';
import type { StockFile } from '../analysis/stock-layout';
import {
  givenAnswers,
  upgradePlan,
  type DormantFile,
  type PlanFinding,
  type PlannedConfiguration,
  type PlanPlace,
  type UpgradePlan,
} from '../analysis/upgrade-plan';
import { isHtaccessName } from '../config/configurations';
import { isCertainMainFileTree, isMainFileTree } from '../config/file-summary';
import { isMissingPackageFolder } from '../config/loaded-modules';
import type { Steps } from '../config/resumable';
import { accessAt, accessStarts, plannedFindings, type PlanItemOfFinding } from './plan-findings';
import type { Project, ProjectFile } from './project';
import type { ReportAccess, ReportDetails } from './report/upgrade-report';

/** The project whose plan is made, and how. */
export interface PlanRequest {
  readonly project: Project;
  /**
   * Whether the plan also has configurations without an added file. Then the files that no
   * configuration reads are left out if none of them has a finding.
   */
  readonly coversAllConfigurations?: boolean;
  /**
   * The answers for the configuration with this main file; '' for the files that no configuration
   * reads.
   */
  readonly answerSetOf?: (root: string) => AnswerSet;
  /** Returns whether a real `httpd -t` has accepted the current files of a configuration. */
  readonly isAccepted?: (root: string) => boolean;
  /** Returns the display name of a file. */
  readonly displayName: (path: string) => string;
}

/** A file of a plan, with its display name. */
export interface PlannedProjectFile extends ProjectFile {
  /** The display name of the file. */
  readonly name: string;
}

/** What the added files contribute to the plan of one configuration. */
interface ConfigurationContributions {
  /** The paths of the files. */
  readonly files: Set<string>;
  readonly findings: PlanFinding[];
  readonly accessOfFiles: (() => ReportAccess[])[];
  readonly serverTaskCauses: Parameters<typeof onServerItems>[0][number][];
  /** How many lines of these files no server reads. */
  readonly dormantFiles: DormantFile[];
}

/** A finished plan, with details for the report. */
export interface GatheredPlan {
  readonly plan: UpgradePlan;
  /**
   * The main files, in the order of the plan's configurations; '' for files that no configuration
   * reads.
   */
  readonly roots: readonly string[];
  /** For each configuration of the plan, in order, details that the report shows. */
  readonly details: readonly ReportDetails[];
}

/** Makes the upgrade plan: add all files, and then call `finishPlan`. */
export class PlanGatherer {
  private readonly contributionsByRoot = new Map<string, ConfigurationContributions>();
  private readonly files = new Map<string, Pick<PlannedProjectFile, 'name' | 'tree'>>();
  /** Files that no server reads. */
  private readonly dormantFiles: DormantFile[] = [];
  /**
   * The names of files with old access lines, for which the user's answers about missing files
   * decide whether a server reads them.
   */
  private readonly unreadFilesWithOldLines: string[] = [];

  constructor(private readonly request: PlanRequest) {
    if (request.coversAllConfigurations)
      for (const { mainFile } of request.project.configurationModels) this.contributionsTo(mainFile);
  }

  /** Adds a file. Returns the items of the plan for its findings. */
  *addFile(file: PlannedProjectFile): Steps<PlanItemOfFinding[]> {
    const { path, name, tree, info, engine } = file;
    const { project } = this.request;
    this.files.set(path, { name, tree });
    const findings = project.findings(file);
    yield;
    const causes = causesIn(tree, findings, engine.factsIn(tree.root), engine, info);
    yield;
    const lineAt = (offset: number): PlanPlace => ({ file: name, line: tree.positionAt(offset).line });
    const plannedItems = plannedFindings({
      name,
      tree,
      findings,
      refusalAt: (offset) => project.refusalAt(path, offset),
    });
    const startsOfAccess = accessStarts(plannedItems);
    const unreadLineCount = project.whyUnchanged(path) === null ? dormantRows(engine, tree, info).size : 0;
    this.rememberPossiblyReadFile(file);
    yield;
    for (const [index, root] of this.rootsOf(path).entries()) {
      const group = this.contributionsTo(root);
      group.files.add(path);
      // A file that several configurations read is listed once.
      if (index === 0 && unreadLineCount > 0) group.dormantFiles.push({ file: name, lines: unreadLineCount });
      group.findings.push(...plannedItems.map((each) => each.planItem));
      group.accessOfFiles.push(() => startsOfAccess.map((start) => accessAt(name, tree, start)));
      group.serverTaskCauses.push({ path, causes, placeOf: lineAt, isReadByServer: root !== '' });
    }
    return plannedItems;
  }

  /**
   * Adds a file that no server reads. Of such a file, the plan only says how many lines `fix
   * --dormant` would convert.
   */
  addUnreadFile(file: PlannedProjectFile): void {
    if (this.request.project.whyUnchanged(file.path) === null) this.listUnreadFile(file);
  }

  /**
   * Adds a file that is beside the main file, and that the user did not name. `isUnusedCopy`:
   * whether its name shows that it is a copy that no server reads. A file that no server reads
   * counts as in `addUnreadFile`. If answers about missing files decide whether a server reads it,
   * the plan asks for these answers.
   */
  addNeighbour(file: PlannedProjectFile, isUnusedCopy: boolean): void {
    if (isUnusedCopy || this.request.project.isOutsideAllConfigurations(file)) this.listUnreadFile(file);
    else this.rememberPossiblyReadFile(file);
  }

  /** Adds a file that no server reads, whether or not a fix may change it. */
  private listUnreadFile(file: PlannedProjectFile): void {
    const { path, name, tree, info, engine } = file;
    const { size } = unreadFileRows(engine, tree, info);
    const isMainFile = path.endsWith('.conf') && isCertainMainFileTree(tree.root);
    if (size > 0) this.dormantFiles.push({ file: name, lines: size, ...(isMainFile && { isMainFile }) });
    if (this.request.project.isOutsideAllConfigurations(file)) this.rememberPossiblyReadFile(file);
  }

  /**
   * Remembers a file with old access lines if only answers about missing files say that no server
   * reads it.
   */
  private rememberPossiblyReadFile(file: PlannedProjectFile): void {
    const { path, name, tree, engine } = file;
    if (
      !isHtaccessName(path) &&
      !isMainFileTree(tree.root, path) &&
      this.request.project.isOutsideByAssumption(file) &&
      oldAccessLineCount(tree.root, engine.target) > 0
    )
      this.unreadFilesWithOldLines.push(name);
  }

  /** The main files of the configurations that read a file; '' if none does. */
  rootsOf(path: string): readonly string[] {
    const { project, coversAllConfigurations } = this.request;
    const isListed = (root: string) =>
      coversAllConfigurations ? project.modelOf(root) !== undefined : !project.isStandalone(root);
    const roots = project.rootsOf(path).filter(isListed);
    return roots.length > 0 ? roots : [''];
  }

  /** Makes the plan. Call it after the last file. */
  finishPlan(): GatheredPlan {
    const { contributionsByRoot, dormantFiles } = this;
    if (dormantFiles.length > 0 && contributionsByRoot.size === 0) this.contributionsTo('');
    const hasOnlyUnreadFiles = dormantFiles.length > 0 && contributionsByRoot.size === 1;
    const isListed = (root: string) =>
      root !== '' ||
      !this.request.coversAllConfigurations ||
      hasOnlyUnreadFiles ||
      contributionsByRoot.get('')!.findings.length > 0;
    const roots = [...contributionsByRoot.keys()].filter(isListed);
    // Files outside of all configurations are listed only with the first configuration.
    const planned = roots.map((root, index) => this.configurationOf(root, index === 0 ? dormantFiles : []));
    const tasksOfMainFiles = planned.flatMap(({ onServer = [] }, index) => (roots[index] === '' ? [] : onServer));
    const plan = upgradePlan(
      planned.map((each, index) =>
        roots[index] === '' && each.onServer
          ? { ...each, onServer: tasksBesideMainFiles(each.onServer, tasksOfMainFiles) }
          : each,
      ),
    );
    const answersOfRoots = roots.map((root) => this.answerSetFor(root));
    return {
      roots,
      plan,
      details: roots.map((root, index) => {
        const { findings, accessOfFiles } = this.contributionsTo(root);
        const configurationsSharingAnswers = plan.configurations.filter(
          (_, otherIndex) => answersOfRoots[otherIndex] === answersOfRoots[index],
        );
        return {
          blocking: findings.filter(({ isBlocking }) => isBlocking),
          get access() {
            return accessOfFiles.flatMap((accessOfFile) => accessOfFile());
          },
          answers: givenAnswers(answersOfRoots[index]!, plan.configurations[index]!, configurationsSharingAnswers),
        };
      }),
    };
  }

  /**
   * The settings of a configuration. If `root` is '', the settings of the first file that no
   * configuration reads.
   */
  private engineOf(root: string): Engine {
    const [firstFile = '.'] = root === '' ? (this.contributionsByRoot.get('')?.files ?? []) : [root];
    return this.request.project.settings.engineOf(firstFile);
  }

  /** The answers for a configuration, as the caller or the settings give them. */
  private answerSetFor(root: string): AnswerSet {
    return this.request.answerSetOf?.(root) ?? this.engineOf(root).answerSet;
  }

  /** The contributions to a configuration. If there are none yet, an empty object is stored. */
  private contributionsTo(root: string): ConfigurationContributions {
    const filesOfRoot = this.contributionsByRoot.get(root);
    if (filesOfRoot) return filesOfRoot;
    const group: ConfigurationContributions = {
      files: new Set(),
      findings: [],
      accessOfFiles: [],
      serverTaskCauses: [],
      dormantFiles: [],
    };
    this.contributionsByRoot.set(root, group);
    return group;
  }

  /** The files of modules beside a main file that were not added for its configuration. */
  private moduleFilesBeside(root: string): StockFile[] {
    const { project, displayName } = this.request;
    const { files } = this.contributionsTo(root);
    if (root === '') return [];
    return moduleFilesBeside(root, project.view).flatMap(({ path, tree }) => {
      const placeOf = (offset: number) => ({ file: displayName(path), line: tree.positionAt(offset).line });
      return files.has(path) ? [] : [{ tree, placeOf }];
    });
  }

  /** The steps to enable files of sites-available and conf-available beside a main file. */
  private enablingTasks(root: string): OnServerItem[] {
    const { project, displayName } = this.request;
    const tree = root === '' ? null : project.view.read(root);
    if (tree === null) return [];
    const foundFiles = filesToEnable(root, project.view, this.contributionsTo(root).files);
    return filesToEnableTasks(foundFiles, (offset) => ({
      file: displayName(root),
      line: tree.positionAt(offset).line,
    }));
  }

  /**
   * The configuration in the form from which `upgradePlan` makes the plan. `dormantFiles`: files
   * outside of all configurations to list with it.
   */
  private configurationOf(root: string, dormantFiles: readonly DormantFile[]): PlannedConfiguration {
    const { project, displayName, isAccepted } = this.request;
    const { files, findings, serverTaskCauses: causes, dormantFiles: dormantFilesOfRoot } = this.contributionsTo(root);
    const engine = this.engineOf(root);
    const answerSet = this.answerSetFor(root);
    const model = project.modelOf(root);
    const namesWithoutAnswer = model ? openNames(model) : [];
    const distribution = engine.distribution ?? model?.distribution ?? null;
    const facts = {
      isFrom22: engine.isFrom22,
      target: engine.target,
      distribution,
      includesPackageLoads:
        model !== undefined &&
        (model.gaps.some((gap) => isMissingPackageFolder(gap, model.serverRoot, distribution)) ||
          [...model.files.keys()].some((path) => path.includes('/conf.modules.d/'))),
      startOptions: model?.startOptions,
      mpm: answerSet.answers.get('mpm'),
      enabledModules: model ? enabledModulesOf(model.files.keys()) : [],
      isForBoth: isForBothVersions(answerSet),
    };
    const onServer =
      distribution === 'debian'
        ? onServerItems(causes, facts, this.moduleFilesBeside(root), this.enablingTasks(root))
        : onServerItems(causes, facts);
    const { findings: findingsToPlan, task } = withoutStockHostLines(findings, onServer);
    return {
      root: root === '' ? '.' : displayName(root),
      files: files.size,
      findings: findingsToPlan,
      answerSet,
      placeOf: ({ path, offset }) => {
        const file = this.files.get(path);
        const lineOfPlace = file ? file.tree.positionAt(Math.min(offset, file.tree.length)).line : 0;
        return { file: file?.name ?? displayName(path), line: lineOfPlace };
      },
      openQuestions: project.openQuestionsOf(root),
      ...(this.unreadFilesWithOldLines.length > 0 && {
        questionsAboutReaders: project.questionsAboutMissingFiles(root),
        unreadFilesWithOldLines: this.unreadFilesWithOldLines,
      }),
      onServer: task === null ? onServer : [...onServer, task],
      startOptions: model?.startOptions,
      isAccepted: root !== '' && isAccepted?.(root) === true,
      dormant: [...dormantFilesOfRoot, ...dormantFiles],
      ...(namesWithoutAnswer.length > 0 && { openNames: namesWithoutAnswer }),
    };
  }
}

/** The names of Debian's modules whose files with LoadModule lines are among these files. */
function enabledModulesOf(paths: Iterable<string>): string[] {
  return [...paths].flatMap((path) => /\/mods-(?:enabled|available)\/([^/]+)\.load$/.exec(path)?.[1] ?? []).sort();
}
