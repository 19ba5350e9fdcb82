/**
 * Writes copies of a `<Files>` section into directories that need other lines than the section
 * itself. An example is `<Files config.php>` above a directory with `Satisfy Any`: in 2.2, a login
 * alone opens the file there. In such a directory, the copy applies after the section, and its
 * Require tree replaces that of the section.
 */
import type { Scope } from '../config/configuration';
import { hasWildcard } from '../config/files';
import { indentOf, Line, spelledName } from '../syntax/line';
import { forEachItem, type List } from '../syntax/tree';
import type { AccessStates } from './access-states';
import type { DirectoryCopy, SectionLines } from './decide-section';
import { addStatesAfter } from './inherited-by-section';
import type { InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason } from './not-converted';
import { printTree } from './print';
import { styleOfNewLines, type TextEdit } from './rewrite';
import {
  applicabilityInFolder,
  compareDirectories,
  compareFiles,
  sortedFiles,
  type SectionEntry,
} from './section-order';
import type { AppliedSection, SectionsBefore } from './sections-before';
import { isFromIncludeOrMacro } from './shared-text';
import type { RelatedSections } from './together';

/** What `linesWithDirectoryCopies` needs to know of a configuration. */
interface ConfigurationSections {
  /** All sections. */
  readonly entries: readonly SectionEntry[];
  readonly earlierSections: SectionsBefore;
  readonly states: AccessStates;
  readonly relatedSections: RelatedSections;
  /** The new lines of the sections that are already decided. */
  readonly linesByEntry: ReadonlyMap<SectionEntry, SectionLines>;
  /** Whether the lines are for both versions. Then only 2.4 reads the copies. */
  readonly keepsBoth: boolean;
}

/**
 * Returns the new lines of each `<Files>` section that needs copies: its Require tree, and a tree
 * for the copy in each directory where the section must decide differently. Sections that need no
 * copies are left out. So are sections whose copies cannot be written, for example because requests
 * for one directory need different trees. Empty if the server runs 2.4.
 */
export function linesWithDirectoryCopies(
  sections: readonly SectionEntry[],
  configuration: ConfigurationSections,
): ReadonlyMap<SectionEntry, SectionLines> {
  const { states, relatedSections } = configuration;
  const linesByEntry = new Map<SectionEntry, SectionLines>();
  if (states.survey.source !== '2.2') return linesByEntry;
  for (const entry of sections) {
    const lines = linesWithCopies(entry, configuration);
    if (lines !== null) linesByEntry.set(entry, lines);
  }
  // A copy also applies after the later <Files> sections for the same requests. So each of them
  // must have copies in the same directories, which are then in the same order.
  const hasCopyIn = (entry: SectionEntry, directory: Scope) =>
    linesByEntry.get(entry)?.directoryCopies!.some((copy) => copy.directory === directory) === true;
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const [entry, { directoryCopies = [] }] of linesByEntry) {
      const isAfterEntry = (other: SectionEntry) => other.stage === 'files' && compareFiles(other, entry) > 0;
      const laterSections = (relatedSections.get(entry) ?? []).filter(isAfterEntry);
      if (laterSections.every((other) => directoryCopies.every(({ directory }) => hasCopyIn(other, directory))))
        continue;
      linesByEntry.delete(entry);
      isStable = false;
    }
  }
  const sectionsInOrder = sortedFiles([...linesByEntry.keys()]);
  return new Map(
    [...linesByEntry].map(([entry, { directoryCopies, ...lines }]) => {
      const position = sectionsInOrder.indexOf(entry);
      return [entry, { ...lines, directoryCopies: directoryCopies!.map((each) => ({ ...each, position })) }];
    }),
  );
}

/** Makes the edit that inserts the copy at the end of its directory section or .htaccess file. */
export function directoryCopyEdit(
  { section: copiedSection }: Scope,
  { directory, tree, isLoginEnough, isOnlyFor24 }: DirectoryCopy,
): TextEdit {
  const { open, body } = copiedSection!;
  const { file, section: outerSection } = directory;
  const end =
    outerSection === null ? file.tree.length : directory.offset + outerSection.open.length + outerSection.body.length;
  const outerIndent = outerSection === null ? '' : indentOf(outerSection.open);
  const outerStyle = styleOfNewLines(firstLineIn(outerSection?.body ?? file.tree.root) ?? open, outerIndent);
  const { indent: conditionIndent, eol } = outerStyle;
  const indent = isOnlyFor24 ? conditionIndent + outerStyle.indentStep : conditionIndent;
  const bodyStyle = styleOfNewLines(firstLineIn(body) ?? open, indentOf(open));
  const bodyIndent = indent + bodyStyle.indent.slice(indentOf(open).length);
  const comments = isLoginEnough ? COMMENTS_OF_SATISFY_ANY : COPY_COMMENTS;
  const lacksFinalNewline =
    outerSection === null && file.tree.length > 0 && file.tree.text(file.tree.length - 1) !== '\n';
  const copiedLines = [
    ...[...comments, open.text.trim()].map((row) => `${indent}${row}${eol}`),
    printTree(tree, { indent: bodyIndent, indentStep: bodyStyle.indentStep, eol }),
    `${indent}</${spelledName(open)}>`,
  ].join('');
  const text = isOnlyFor24
    ? `${conditionIndent}<IfModule mod_authz_core.c>${eol}${copiedLines}${eol}${conditionIndent}</IfModule>`
    : copiedLines;
  return { start: end, end, text: lacksFinalNewline ? eol + text : text + eol };
}

// ---------------------------------------------------------------------------------------------------------------------

/** With more copies than this, the user should look at the sections. */
const MAX_COPIES = 10;

const COPY_COMMENTS = [
  '# As in httpd 2.2: this directory has other access to these files than the directories above.',
  '# Remove this section to give them the same access here.',
];

const COMMENTS_OF_SATISFY_ANY = [
  '# A login alone opens these files here, as in httpd 2.2 because of Satisfy Any.',
  '# Remove this section to give them the same access as in the directories above.',
];

/** The new lines of one section. Null if copies cannot be written, or if it needs none. */
function linesWithCopies(
  entry: SectionEntry,
  { entries, earlierSections, states, linesByEntry, keepsBoth }: ConfigurationSections,
): SectionLines | null {
  const neededTrees = mayBeCopiedIntoDirectory(entry) ? findNeededTrees(entry, earlierSections, states) : null;
  const trees = neededTrees && treesOfSectionAndCopies(entry, neededTrees);
  if (trees === null || trees.copies.size === 0 || trees.copies.size > MAX_COPIES) return null;
  const directories = [...trees.copies.keys()];
  const areWritable =
    [entry, ...directories].every((each) => isWrittenOnce(each, entries)) &&
    directories.every((each) => each.host === entry.host && mayContainCopy(each, linesByEntry.get(each)));
  if (!areWritable) return null;
  const directoryCopies = [...trees.copies].map(([{ scope }, { tree, isLoginEnough }]) => ({
    directory: scope,
    tree,
    isLoginEnough,
    isOnlyFor24: keepsBoth,
    position: 0,
  }));
  return { tree: trees.base, authMerging: null, directoryCopies };
}

/** The Require tree that the section needs in one folder, and the sections that apply there. */
interface NeededTree {
  readonly tree: Tree24;
  /** Whether a login alone gives access because of a Satisfy Any line. */
  readonly isLoginEnough: boolean;
  /** The sections that apply before the `<Files>` section, in their order. */
  readonly directories: readonly AppliedSection[];
  readonly folderParts: readonly string[];
}

/** Whether a copy of the section in a directory would apply to the same files. */
function mayBeCopiedIntoDirectory({
  scope,
  stage,
  parent,
  ownAccess,
  readBy,
  mayBeSkippedIn22,
}: SectionEntry): boolean {
  const { section, activityByVersion, lines } = scope;
  return (
    stage === 'files' &&
    section !== null &&
    !mayBeSkippedIn22 &&
    activityByVersion === undefined &&
    readBy.in24 === 'active' &&
    ownAccess.hasOldLines &&
    ownAccess.unconverted24 === null &&
    (parent === null || isCertainDirectory(parent)) &&
    /^<(?!.*\$\{).*>$/.test(section.open.text.trim()) &&
    !lines.some((at) => isFromIncludeOrMacro(at, scope))
  );
}

/**
 * Whether a section certainly applies to its directory in 2.4, and to no other directory: its path
 * has no wildcards, and no condition is around it.
 */
function isCertainDirectory({ stage, mayBeSkippedIn22, pathParts, readBy, scope }: SectionEntry): boolean {
  return (
    stage === 'directory' &&
    !mayBeSkippedIn22 &&
    readBy.in24 === 'active' &&
    scope.activityByVersion === undefined &&
    !pathParts.some(hasWildcard)
  );
}

/**
 * Whether the text of the section is in one file, and no other section is made of it. Then a change
 * of the text changes only this section.
 */
function isWrittenOnce({ scope }: SectionEntry, entries: readonly SectionEntry[]): boolean {
  const { file, kind, section, offset } = scope;
  const { root } = file.tree;
  return (
    file.readingCount <= 1 &&
    root.templateLineCount === 0 &&
    root.looseTagCount === 0 &&
    (section === null || file.tree.lineAt(offset)?.line === section.open) &&
    !entries.some(
      ({ scope: other }) =>
        other !== scope && other.kind === kind && other.offset === offset && other.file.path === file.path,
    ) &&
    entries.filter((each) => each.scope === scope).length === 1
  );
}

/**
 * Whether the copy applies in the directory in 2.4. In a .htaccess file, AllowOverride must allow
 * Require. The conversion takes care of that if it writes Require lines into the file.
 */
function mayContainCopy(directory: SectionEntry, lines: SectionLines | undefined): boolean {
  return (
    isCertainDirectory(directory) &&
    (!directory.isHtaccess ||
      (lines?.tree != null && lines.authMerging === null && !endsInContinuation(directory.scope)))
  );
}

/** Whether the last line of the file ends in a backslash, so that it would go on in a copy. */
function endsInContinuation({ file: { tree } }: Scope): boolean {
  return /\\\r?\n?$/.test(tree.text(Math.max(0, tree.length - 3)));
}

/**
 * The Require trees that the section needs, for each folder to which it may apply, and each virtual
 * host. Null if a folder needs several trees, or if a tree is unknown.
 */
function findNeededTrees(
  entry: SectionEntry,
  earlierSections: SectionsBefore,
  states: AccessStates,
): readonly NeededTree[] | null {
  const neededTrees: NeededTree[] = [];
  for (const requestedHost of earlierSections.serversToSearchFor(entry))
    for (const { folderParts, appliedSections } of earlierSections.sequencesBefore(entry, requestedHost)) {
      const statesIn22 = new Set<InheritedAccess>();
      if (folderParts === null || addStatesAfter(appliedSections, states, statesIn22) !== null) return null;
      const statesInSection = [...statesIn22].map((state) => states.accessAfter(state, entry.ownAccess));
      const trees = new Set(statesInSection.map((state) => states.treeOf(state)));
      const [tree] = trees;
      if (trees.size !== 1 || tree === undefined || isReason(tree)) return null;
      neededTrees.push({
        tree,
        isLoginEnough: grantsUsersAlone(tree) && statesInSection.every(hasSatisfyAnyForAllMethods),
        folderParts,
        directories: appliedSections.filter((each) => each.entry.stage === 'directory'),
      });
    }
  return neededTrees;
}

/** Whether one of the logins in a Require tree is enough, whatever the other lines decide. */
function grantsUsersAlone(tree: Tree24): boolean {
  return tree.type === 'user' || (tree.type === 'any' && tree.inner.some(({ type }) => type === 'user'));
}

/** Whether Satisfy Any applies, whatever the method of the request is. */
function hasSatisfyAnyForAllMethods({ rulesByMethod }: InheritedAccess): boolean {
  return [...rulesByMethod.values()].every(({ satisfy }) => satisfy === 'any');
}

/**
 * The Require tree of the section, and the needed tree of each copy. The key is the directory that
 * gets the copy. Null if the copies would give a folder another tree than it needs.
 */
function treesOfSectionAndCopies(
  entry: SectionEntry,
  neededTrees: readonly NeededTree[],
): { readonly base: Tree24; readonly copies: ReadonlyMap<SectionEntry, NeededTree> } | null {
  const { parent } = entry;
  const mayHaveCopy = ({ entry: directory }: AppliedSection) =>
    parent === null || compareDirectories(directory, parent) > 0;
  // The outer folders come first, because a copy also applies in the folders below its directory.
  const neededTreesInOrder = neededTrees
    .map((need) => ({ ...need, inner: need.directories.filter(mayHaveCopy) }))
    .sort((a, b) => a.inner.length - b.inner.length);
  const base = neededTreesInOrder[0]?.tree;
  if (base === undefined) return null;
  const copies = new Map<SectionEntry, NeededTree>();
  const treeAfter = (applied: readonly AppliedSection[]) =>
    applied.reduce((tree, each) => copies.get(each.entry)?.tree ?? tree, base);
  for (const need of neededTreesInOrder)
    if (need.inner.length > 0 && treeAfter(need.inner) !== need.tree) copies.set(need.inner.at(-1)!.entry, need);
  const isRight = ({ tree, inner, folderParts }: (typeof neededTreesInOrder)[number]) =>
    treeAfter(inner) === tree &&
    inner.every((each) => !copies.has(each.entry) || each.isCertain) &&
    [...copies.keys()].every((each) => applicabilityInFolder(each, folderParts) !== 'maybe');
  return neededTreesInOrder.every(isRight) ? { base, copies } : null;
}

/**
 * The first line of a list, or the tag if the list begins with a section. Null if the list is
 * empty.
 */
function firstLineIn(list: List): Line | null {
  let firstLine: Line | null = null;
  forEachItem(list, 0, (item) => {
    firstLine ??= item instanceof Line ? item : item.open;
  });
  return firstLine;
}
