/**
 * Whole configurations among given files: what a root file includes, and the .htaccess files below
 * what it serves. Files come by way of a view; nothing is read or written here.
 */
import { doubtTexts, type Doubt } from '../access/doubt';
import { accessFix, isAboutAccess, type AccessChange, type AccessConversion } from '../analysis/access-conversion';
import type { FileInfo, PlacedFinding } from '../analysis/engine';
import { applyEdits } from '../analysis/fixes';
import type { Model } from '../config/model';
import { isRootTree } from '../config/file-summary';
import type { Distribution } from '../config/distribution';
import { isHtaccessName } from '../config/configurations';
import { isWithin, parentOf, type FileView } from '../config/files';
import type { StartOptions } from '../config/service-file';
import { reasonText } from '../access/not-converted';
import { ANSWER_OF_UNKNOWN, orderAllowDeny } from '../rules/order-allow-deny';
import type { Fix } from '../rules/rule';
import { loadsModuleOf24 } from '../rules/support/facts';
import { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import { givenConfigurations, type GivenConfigurations, type Projects } from './given-configurations';

export interface WholeConfigurations {
  /**
   * Files that belong to a configuration whose main file was given and that no search by name
   * finds, in the order of their names.
   */
  readonly further: readonly string[];
  /** The path without links. */
  identityOf(file: string): string;
  /**
   * The main files of the configurations that read a file, without links; '' for what none of them
   * reads.
   */
  rootsOf(file: string): readonly string[];
  /**
   * What is not known of the access control of the configuration with a main file, and what a
   * person vouches for.
   */
  doubtsOf(root: string): readonly Doubt[];
  /** Whose package the server with a main file is; null where nobody knows. */
  distributionOf(root: string): Distribution | null;
  /** What a file beside it says that its server is started with; null where none does. */
  startedOf(root: string): StartOptions | null;
  /** What they say about a file. */
  infoOf(file: string, tree: Tree): FileInfo;
  /**
   * Whether a file lies with a configuration that is all here and does not read it: no server reads
   * it.
   */
  isUnread(file: string): boolean;
  /**
   * The files of all configurations that read one of some files, and these, where no line tells
   * that the server runs 2.4; without links.
   */
  filesOf22(files: readonly string[]): readonly string[];
  /** What the rules about whole configurations say about a file. */
  findings(file: string): readonly PlacedFinding[];
  /** What is left of that after `convert`. */
  left(file: string, unsafe: boolean): readonly PlacedFinding[];
  /**
   * The text after the conversion of its configuration's access control and the fixes for its
   * configuration as a whole, and how many edits that took.
   */
  convert(file: string, text: string, unsafe: boolean): { readonly text: string; readonly edits: number };
  /**
   * Why an old access line of a file stays as it is; null where it need not, or no configuration
   * reads the file. `offset` in UTF-16 units, of the line's beginning.
   */
  refusalAt(file: string, offset: number): string | null;
  /**
   * What makes of each finding of a file the same with what the whole configuration says about it.
   */
  informing(file: string, tree: Tree): (finding: PlacedFinding) => PlacedFinding;
  /**
   * Takes note that files cannot be written, and of why, as what follows their names. Says whether
   * anything else is planned now: what needs one of them is not made by halves.
   */
  refuse(problems: readonly { readonly path: string; readonly reason: string }[]): boolean;
  /** What keeps conversions from being safe, or from being made at all, for people: each once. */
  notes(): readonly string[];
}

/** Whether a file lies with a configuration that is all here. `path`: without links. */
export function isBesideWhole(path: string, models: readonly Pick<Model, 'root' | 'gaps'>[]): boolean {
  return models.some(
    ({ root, gaps }) => gaps.length === 0 && isWithin(path, parentOf(root).replace(/(?<=.)\/conf$/, '')),
  );
}

export interface WholeOptions {
  readonly view: FileView;
  readonly given: GivenFiles;
  readonly projects: Projects;
  /** Whether suggestions are taken: a wider AllowOverride among them. */
  readonly unsafe?: boolean;
  /** Whether nothing but access control is changed. */
  readonly isAccessOnly?: boolean;
  /** Files that a person leaves out: they are read, and not changed. */
  readonly isExcluded?: (file: string) => boolean;
  /** A path as given, in full. */
  readonly absolute: (file: string) => string;
  /** A path for people. */
  readonly shown: (file: string) => string;
}

/** What was asked for; paths without links but where it says otherwise. */
export interface GivenFiles {
  /**
   * Files that may be the main file of a configuration, by their name or because they were given by
   * themselves.
   */
  readonly candidates: readonly string[];
  /** All files that were given or found, without links. */
  readonly all: readonly string[];
  /** Files that may be one under another name. */
  readonly others: readonly string[];
  /** Whether the file was given by itself. */
  isFile(file: string): boolean;
  /** Whether the file was given, or lies below a folder that was. */
  holds(file: string): boolean;
  /** Whether it is among the files that are looked at whatever a configuration says. */
  finds(file: string): boolean;
  /**
   * The directory that was given with the file in it, without links; null where the file was given
   * by itself.
   */
  folderOf(file: string): string | null;
  /** The path below the directory as that was given. */
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
    lone: hasNeighbours ? given.all : [],
    mayAdmit: unsafe,
    // Below a directory only what is there is changed.
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
  // What a main file reaches is looked at, whatever its name: where the file was given by itself,
  // wherever it lies; otherwise below what was given.
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
    doubtsOf: (root) =>
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
      return isBesideWhole(identity, configurations.models);
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
      const answer = configurations.access.at(identityOf(file), offset);
      return answer && 'refusal' in answer ? reasonText(answer.refusal) : null;
    },
    informing(file, tree) {
      const { access } = configurations;
      const identity = identityOf(file);
      // Of thousands of lines of a file that no configuration reads, none is looked for.
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

/** A change as the fix of a file: the same object for all lines of the file that it is about. */
function fixOf(change: AccessChange, file: string): Fix {
  const cached = fixes.get(change) ?? new Map<string, Fix>();
  fixes.set(change, cached);
  let fix = cached.get(file);
  if (!fix) cached.set(file, (fix = accessFix(change, file)));
  return fix;
}

/**
 * What keeps conversions from being safe, by configuration, and what keeps them from being made.
 */
function notesOf({ configurations }: AccessConversion, shown: (file: string) => string): string[] {
  return configurations.flatMap(({ root, changes, held, waitsFor }) => {
    const name = shown(root);
    if (held !== null) return [`${name}: nothing is converted: ${reasonText(held)}`];
    return changes.length === 0 ? [] : doubtTexts(waitsFor).map((text) => `${name}: ${text}`);
  });
}

function rootsAmong(given: GivenFiles, view: FileView): string[] {
  return given.candidates.filter((file) => {
    const tree = view.read(file);
    return tree !== null && isRootTree(tree.root);
  });
}
