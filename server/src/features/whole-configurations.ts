/**
 * Whole configurations among given files: the files that a main file includes, and the .htaccess
 * files below the served directories. Files are read through a view; writes nothing.
 */
import { openQuestion, openQuestionTexts, type OpenQuestion } from '../access/open-question';
import { OLD_NAMES } from '../access/read';
import { accessFix, isAboutAccess, type AccessChange, type AccessConversion } from '../analysis/access-conversion';
import type { FileInfo, PlacedFinding } from '../analysis/engine';
import { isSettled, type Answered } from '../analysis/answers';
import { applyEdits } from '../analysis/fixes';
import type { Model } from '../config/model';
import { namesIn } from '../config/name-set';
import { isRootTree } from '../config/file-summary';
import type { Distribution } from '../config/distribution';
import { isHtaccessName } from '../config/configurations';
import { isWithin, parentOf, type FileView } from '../config/files';
import type { StartOptions } from '../config/service-file';
import { reasonText } from '../access/not-converted';
import { refusalText } from '../analysis/refusal-text';
import { ANSWER_OF_UNKNOWN, orderAllowDeny } from '../rules/order-allow-deny';
import type { Fix } from '../rules/rule';
import { loadsModuleOf24 } from '../rules/support/facts';
import { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import { givenConfigurations, type GivenConfigurations, type Projects } from './given-configurations';

export interface WholeConfigurations {
  /** Files of given configurations that no search by name finds, in the order of their names. */
  readonly further: readonly string[];
  /** The path without links. */
  identityOf(file: string): string;
  /** The main files of the configurations that read a file, without links; '' if there are none. */
  rootsOf(file: string): readonly string[];
  /**
   * The open questions about the access control of the configuration with a main file, and the
   * assumptions of the user.
   */
  openQuestionsOf(root: string): readonly OpenQuestion[];
  /** The distribution of the server with a main file; null if unknown. */
  distributionOf(root: string): Distribution | null;
  /** The start options in a file next to it; null if there are none. */
  startedOf(root: string): StartOptions | null;
  /** The facts about a file from its configurations. */
  infoOf(file: string, tree: Tree): FileInfo;
  /**
   * Whether no server reads a file, because it lies next to a complete configuration that does not
   * include it.
   */
  isUnread(file: string): boolean;
  /**
   * The files of all configurations that read one of some files, and these files, if no line shows
   * that the server runs 2.4; without links.
   */
  filesOf22(files: readonly string[]): readonly string[];
  /** The findings of rules about whole configurations in a file. */
  findings(file: string): readonly PlacedFinding[];
  /** The findings that remain after `convert`. */
  left(file: string, unsafe: boolean): readonly PlacedFinding[];
  /**
   * The text after the conversion of access control and the fixes of its whole configuration, and
   * the number of edits.
   */
  convert(file: string, text: string, unsafe: boolean): { readonly text: string; readonly edits: number };
  /**
   * Why an old access line of a file stays; null if it does not, or no configuration reads the
   * file. `offset`: the start of the line in UTF-16 units.
   */
  refusalAt(file: string, offset: number): string | null;
  /**
   * Returns a function that adds to each finding of a file what the whole configuration says about
   * it.
   */
  informing(file: string, tree: Tree): (finding: PlacedFinding) => PlacedFinding;
  /**
   * Records files that cannot be written, with reasons as texts after their names. Returns whether
   * the plan has changed: a change that needs one of them is dropped as a whole.
   */
  refuse(problems: readonly { readonly path: string; readonly reason: string }[]): boolean;
  /** Why conversions are not safe, or not made at all, as texts without repetition. */
  notes(): readonly string[];
}

/**
 * Whether a file lies next to a complete configuration. `path`: without links. If the user answered
 * that the missing files of an Include have no access control, a file with access control is none
 * of them.
 */
export function isBesideWhole(
  path: string,
  tree: Tree | null,
  { models, answered }: { readonly models: readonly Pick<Model, 'root' | 'gaps'>[]; readonly answered: Answered },
): boolean {
  const hasAccess = namesIn(tree?.root ?? NO_LINES).some((name) => OLD_NAMES.has(name) || name === 'require');
  const isAnswered = ({ reason, what }: Model['gaps'][number]) =>
    hasAccess &&
    (reason === 'include-missing' || reason === 'include-folder-missing') &&
    isSettled(openQuestion('include-unseen', what), answered, false);
  return models.some(
    ({ root, gaps }) => gaps.every(isAnswered) && isWithin(path, parentOf(root).replace(/(?<=.)\/conf$/, '')),
  );
}

export interface WholeOptions {
  readonly view: FileView;
  readonly given: GivenFiles;
  readonly projects: Projects;
  /** Whether suggestions are applied, including a wider AllowOverride. */
  readonly unsafe?: boolean;
  /** Whether only access control is changed. */
  readonly isAccessOnly?: boolean;
  /** Files that the user excludes: they are read but not changed. */
  readonly isExcluded?: (file: string) => boolean;
  /** Makes a given path absolute. */
  readonly absolute: (file: string) => string;
  /** Makes a path short for display. */
  readonly shown: (file: string) => string;
}

/** The given files; paths are without links unless noted. */
export interface GivenFiles {
  /**
   * Files that may be the main file of a configuration, because of their names or because they were
   * given by themselves.
   */
  readonly candidates: readonly string[];
  /** All files that were given or found, without links. */
  readonly all: readonly string[];
  /** Files that may be links to others. */
  readonly others: readonly string[];
  /** Whether the file was given by itself. */
  isFile(file: string): boolean;
  /** Whether the file was given, or is below a given folder. */
  holds(file: string): boolean;
  /** Whether the file is checked independently of configurations. */
  finds(file: string): boolean;
  /**
   * The given directory that contains the file, without links; null if the file was given by
   * itself.
   */
  folderOf(file: string): string | null;
  /** The path below the given directory, as given. */
  named(file: string): string;
}

export function wholeConfigurations({
  view,
  given,
  projects,
  unsafe,
  isAccessOnly = false,
  isExcluded = () => false,
  absolute,
  shown,
}: WholeOptions): WholeConfigurations {
  const roots = rootsAmong(given, view);
  const refused = new Map<string, string>();
  const hasNeighbours = new Set([...given.all, ...given.others]).size > 1;
  const configurations = givenConfigurations({
    view,
    projects,
    roots,
    givenFolder: (file) => (given.isFile(file) ? null : given.folderOf(file)),
    others: given.others,
    standaloneFiles: hasNeighbours ? given.all : [],
    mayAdmit: unsafe,
    // If a directory was given, only files in it are changed.
    obstacle: (file, root) =>
      refused.get(file) ??
      (isExcluded(file) ? 'is left out of this run' : null) ??
      (given.isFile(root) || given.holds(file) ? null : 'lies outside of what was given'),
    may: (file) => !refused.has(file) && !isExcluded(file) && (given.holds(file) || mayChange.has(file)),
  });
  const { wide } = configurations;
  const identities = new Map<string, string>();
  const identityOf = (file: string) => {
    let identity = identities.get(file);
    if (identity === undefined) identities.set(file, (identity = view.identity(absolute(file))));
    return identity;
  };
  // Files that a main file reads are checked whatever their names: anywhere if the main file was
  // given by itself, otherwise below the given directory.
  const reached = [
    ...configurations.access.configurations,
    ...configurations.models.map(({ root, files }) => ({ root, files: [...files.keys()] })),
  ].flatMap(({ root, files }) =>
    files.filter((file) => !given.finds(file) && (given.isFile(root) || given.holds(file))),
  );
  const furtherFiles = [...new Set(reached)].map(given.named);
  const mayChange = new Set(furtherFiles.map(identityOf));
  return {
    further: furtherFiles,
    identityOf,
    rootsOf(file) {
      const identity = identityOf(file);
      const readers = [
        ...configurations.access.configurations.filter(({ files }) => files.includes(identity)),
        ...configurations.models.filter(({ files }) => files.has(identity)),
      ];
      return readers.length > 0 ? [...new Set(readers.map(({ root }) => root))] : [''];
    },
    openQuestionsOf: (root) =>
      configurations.access.configurations
        .filter(
          (each) => each.root === root && (each.held !== null || each.changes.length > 0 || each.asked.length > 0),
        )
        .flatMap(({ waitsFor, restsOn, asked }) => [...waitsFor, ...restsOn, ...asked]),
    distributionOf: (root) => configurations.models.find((each) => each.root === root)?.distribution ?? null,
    startedOf: (root) => configurations.models.find((each) => each.root === root)?.started ?? null,
    isUnread(file) {
      const identity = identityOf(file);
      if (isHtaccessName(identity) || this.rootsOf(file)[0] !== '') return false;
      const { answered } = projects.engineOf(file);
      return isBesideWhole(identity, view.read(identity), { models: configurations.models, answered });
    },
    filesOf22: (files) => filesOf22(files.map(identityOf), configurations, view),
    findings: (file) => wide.findings(identityOf(file)),
    left: (file, isUnsafe) => (isAccessOnly ? wide.findings(identityOf(file)) : wide.left(identityOf(file), isUnsafe)),
    infoOf: (file, tree) => ({ ...configurations.infoOf(identityOf(file), tree), hasNeighbours }),
    convert(file, text, isUnsafe) {
      const edits = isAccessOnly
        ? configurations.access.edits(identityOf(file), isUnsafe)
        : configurations.edits(identityOf(file), isUnsafe);
      return edits.length === 0 ? { text, edits: 0 } : { text: applyEdits(text, edits), edits: edits.length };
    },
    refusalAt(file, offset) {
      const { access } = configurations;
      const path = identityOf(file);
      const answer = access.at(path, offset);
      return answer && 'refusal' in answer
        ? refusalText(access.configurations, answer.refusal, { path, offset })
        : null;
    },
    informing(file, tree) {
      const { access } = configurations;
      const identity = identityOf(file);
      // Fast path for files that no configuration reads.
      if (!access.isPart(identity)) return (finding) => finding;
      const answerAt = (line: number) => access.at(identity, line);
      return (finding) => {
        const answer = isAboutAccess(finding.rule) ? finding.ofLines(tree, answerAt) : null;
        if (answer === null) return finding;
        if ('refusal' in answer) {
          const { waitsFor } = answer;
          const why = `Not converted: ${reasonText(answer.refusal)}.`;
          if (finding.rule !== orderAllowDeny) return finding.informed({ cause: `${finding.cause} ${why}` });
          const help = waitsFor.some(({ kind }) => kind === 'unknown-directives') ? ANSWER_OF_UNKNOWN : undefined;
          return finding.informed({ help, cause: why, waitsFor });
        }
        const { change } = answer;
        return finding.withFix(change.safety, () => fixOf(change, identity));
      };
    },
    refuse(problems) {
      const before = configurations.access.changes.length;
      for (const { path: file, reason } of problems) refused.set(identityOf(file), reason);
      configurations.planAgain();
      return wide.chooseAgain() || configurations.access.changes.length !== before;
    },
    notes: () => notesOf(configurations.access, shown),
  };
}

/** See `WholeConfigurations.filesOf22`. */
function filesOf22(files: readonly string[], { models, access }: GivenConfigurations, view: FileView): string[] {
  const wanted = new Set(files);
  const isTelling = (file: string) => loadsModuleOf24(view.read(file)?.root ?? NO_LINES);
  const groups = [
    ...models.map((model) => ({ files: [...model.files.keys()], is24: model.isFor24 })),
    ...access.configurations.map((each) => ({ files: each.files, is24: each.tellsOf24() })),
  ].filter((group) => group.files.some((file) => wanted.has(file)));
  const of24 = new Set(groups.flatMap((group) => (group.is24 || group.files.some(isTelling) ? group.files : [])));
  const all = new Set([...files.filter((file) => !isTelling(file)), ...groups.flatMap((group) => group.files)]);
  return [...all].filter((file) => !of24.has(file));
}

const NO_LINES = Tree.parse('').root;

const fixes = cacheOf<AccessChange, Map<string, Fix>>();

/** A change as the fix of a file: one object for all lines of the file that it changes. */
function fixOf(change: AccessChange, file: string): Fix {
  const cached = fixes.get(change) ?? new Map<string, Fix>();
  fixes.set(change, cached);
  let fix = cached.get(file);
  if (!fix) cached.set(file, (fix = accessFix(change, file)));
  return fix;
}

/** Why conversions are not safe, by configuration, and why they are not made. */
function notesOf({ configurations }: AccessConversion, shown: (file: string) => string): string[] {
  return configurations.flatMap(({ root, changes, held, waitsFor }) => {
    const name = shown(root);
    if (held !== null) return [`${name}: nothing is converted: ${reasonText(held)}`];
    return changes.length === 0 ? [] : openQuestionTexts(waitsFor).map((text) => `${name}: ${text}`);
  });
}

function rootsAmong(given: GivenFiles, view: FileView): string[] {
  return given.candidates.filter((file) => {
    const tree = view.read(file);
    return tree !== null && isRootTree(tree.root);
  });
}
