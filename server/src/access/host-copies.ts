/**
 * Writes copies of a section of the main server into virtual hosts that need other lines than the
 * section itself. An example is `<Location /server-status>` if some hosts ask for a login. In such
 * a virtual host, the copy applies after the section of the main server, and its Require tree
 * replaces that of the section.
 */
import type { Scope } from '../config/configuration';
import { indentOf, Line, spelledName } from '../syntax/line';
import { forEachItem } from '../syntax/tree';
import type { AccessStates } from './access-states';
import type { HostCopy, SectionLines } from './decide-section';
import { addStatesAfter } from './inherited-by-section';
import type { InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason } from './not-converted';
import { printTree } from './print';
import { styleOfNewLines, type TextEdit } from './rewrite';
import type { SectionEntry } from './section-order';
import type { SectionsBefore } from './sections-before';
import { isFromIncludeOrMacro } from './shared-text';
import type { RelatedSections } from './together';

/**
 * Returns the Require tree of a section of the main server, and the trees of its copies for the
 * virtual hosts that need another one. Null if copies cannot be written: for example if requests of
 * one host need different trees, or if a later section of the main server would come before a copy.
 */
export function linesWithHostCopies(
  entry: SectionEntry,
  earlierSections: SectionsBefore,
  states: AccessStates,
  relatedSections: RelatedSections,
): SectionLines | null {
  if (states.survey.source !== '2.2' || !mayBeCopiedIntoHost(entry)) return null;
  // The copy would also apply after all later sections of the main server, so there must be none.
  const hasLaterSection = [...(relatedSections.get(entry) ?? [])].some(
    (other) =>
      other.stage === entry.stage &&
      other.host === null &&
      other.parent === null &&
      other.orderNumber > entry.orderNumber,
  );
  const hosts = earlierSections.virtualHosts();
  if (hasLaterSection || hosts.length > MAX_HOSTS) return null;
  // If it is unknown to which folders the URLs lead in a host, it is also unknown which sections
  // apply before the copy. Then the tree for that host is unknown.
  const treeIfFoldersKnown = (host: Scope) =>
    earlierSections.knowsServedFolders(entry, host) ? treeForHost(entry, host, earlierSections, states) : null;
  let tree = treeForHost(entry, null, earlierSections, states);
  if (tree === null && hosts.length > 0 && earlierSections.everyRequestHasHost) tree = treeIfFoldersKnown(hosts[0]!);
  if (tree === null) return null;
  const hostCopies: HostCopy[] = [];
  for (const host of hosts) {
    const hostTree = treeIfFoldersKnown(host);
    if (hostTree === null) return null;
    if (hostTree === tree) continue;
    if (!isChangeable(host)) return null;
    hostCopies.push({ host, tree: hostTree });
  }
  return { tree, authMerging: null, hostCopies };
}

/** Makes the edit that inserts the copy as the first section of its virtual host. */
export function hostCopyEdit({ section }: Scope, { host, tree }: HostCopy): TextEdit {
  const { open, body } = host.section!;
  let firstLine: Line | null = null;
  forEachItem(body, 0, (item) => {
    firstLine ??= item instanceof Line ? item : item.open;
  });
  const outerIndent = indentOf(open);
  const style = styleOfNewLines(firstLine ?? open, outerIndent);
  const indent = style.indent.length > outerIndent.length ? style.indent : `${outerIndent}${style.indentStep}`;
  const { indentStep, eol } = style;
  const printedTree = printTree(tree, { indent: indent + indentStep, indentStep, eol });
  const endOfHostTag = host.offset + open.length;
  const firstLines = [COPY_COMMENT, section!.open.text.trim()].map((row) => `${indent}${row}${eol}`).join('');
  return {
    start: endOfHostTag,
    end: endOfHostTag,
    text: `${firstLines}${printedTree}${indent}</${spelledName(section!.open)}>${eol}`,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** With more virtual hosts than this, the search for the trees would take too long. */
const MAX_HOSTS = 50;

const COPY_COMMENT = '# As in httpd 2.2: the section of the main server, with what this virtual host requires.';

/**
 * Whether a copy of the section in a virtual host would apply to all requests of this host to which
 * the section applies.
 */
function mayBeCopiedIntoHost({ scope, host, stage, parent, ownAccess, readBy }: SectionEntry): boolean {
  const { section, file, activityByVersion, lines } = scope;
  return (
    host === null &&
    parent === null &&
    stage === 'location' &&
    section !== null &&
    scope.parent?.kind === 'server' &&
    activityByVersion === undefined &&
    readBy.in24 === 'active' &&
    ownAccess.hasOldLines &&
    ownAccess.unconverted24 === null &&
    file.readingCount === 1 &&
    file.tree.lineAt(scope.offset)?.line === section.open &&
    /^<[^$\\\n]*>$/.test(section.open.text.trim()) &&
    !lines.some((at) => isFromIncludeOrMacro(at, scope))
  );
}

/** Whether the virtual host is written once, and not by a macro or in a template. */
function isChangeable({ section, file, offset }: Scope): boolean {
  return (
    section !== null &&
    file.readingCount === 1 &&
    file.tree.root.templateLineCount === 0 &&
    file.tree.lineAt(offset)?.line === section.open
  );
}

/**
 * The one Require tree that the section needs for all requests to a virtual host (null: to the main
 * server). Null if it needs several trees, or if a tree is unknown.
 */
function treeForHost(
  entry: SectionEntry,
  host: Scope | null,
  earlierSections: SectionsBefore,
  states: AccessStates,
): Tree24 | null {
  const statesIn22 = new Set<InheritedAccess>();
  for (const { appliedSections } of earlierSections.sequencesBefore(entry, host))
    if (addStatesAfter(appliedSections, states, statesIn22) !== null) return null;
  const trees = new Set([...statesIn22].map((state) => states.treeOf(states.accessAfter(state, entry.ownAccess))));
  const [tree] = trees;
  return trees.size !== 1 || tree === undefined || isReason(tree) ? null : tree;
}
