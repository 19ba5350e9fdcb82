/**
 * Writes copies of a main server's section into virtual hosts that need other lines than the
 * section itself, for example `<Location /server-status>` if some hosts ask for a login. In its
 * host, the copy applies after the section of the main server and replaces its Require tree.
 */
import type { Scope } from '../config/configuration';
import { indentOf, Line, spelledName } from '../syntax/line';
import { forEachItem } from '../syntax/tree';
import type { AccessStates } from './access-states';
import type { HostCopy, SectionLines } from './decide-section';
import { addStates } from './inherited-by-section';
import type { InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason } from './not-converted';
import { printTree } from './print';
import { styleOfNewLines, type TextEdit } from './rewrite';
import type { SectionEntry } from './section-order';
import type { SectionsBefore } from './sections-before';
import { isFromElsewhere } from './shared-text';
import type { RelatedSections } from './together';

/**
 * Returns the new lines of a section of the main server, with its copies in virtual hosts. Null if
 * a host needs more than one tree, or if a copy would not have the same effect.
 */
export function linesByHost(
  entry: SectionEntry,
  before: SectionsBefore,
  states: AccessStates,
  related: RelatedSections,
): SectionLines | null {
  if (states.survey.source !== '2.2' || !mayBeCopied(entry)) return null;
  // httpd applies the sections of virtual hosts after those of the main server.
  const isFollowed = [...(related.get(entry) ?? [])].some(
    (other) =>
      other.stage === entry.stage &&
      other.host === null &&
      other.parent === null &&
      other.orderNumber > entry.orderNumber,
  );
  const hosts = before.virtualHosts();
  if (isFollowed || hosts.length > MAX_HOSTS) return null;
  // If it is unknown to which folders the URLs lead in a host, the result for the host leaves out
  // the sections of the main server, so its tree is unknown.
  const treeIn = (host: Scope) =>
    before.knowsServedFolders(entry, host) ? treeForHost(entry, host, before, states) : null;
  let tree = treeForHost(entry, null, before, states);
  if (tree === null && hosts.length > 0 && before.everyRequestHasHost) tree = treeIn(hosts[0]!);
  if (tree === null) return null;
  const hostCopies: HostCopy[] = [];
  for (const host of hosts) {
    const own = treeIn(host);
    if (own === null) return null;
    if (own === tree) continue;
    if (!isChangeable(host)) return null;
    hostCopies.push({ host, tree: own });
  }
  return { tree, authMerging: null, hostCopies };
}

/** Writes the copy as the first section of its virtual host. */
export function copyEdit({ section }: Scope, { host, tree }: HostCopy): TextEdit {
  const { open, body } = host.section!;
  let first: Line | null = null;
  forEachItem(body, 0, (item) => {
    first ??= item instanceof Line ? item : item.open;
  });
  const outer = indentOf(open);
  const style = styleOfNewLines(first ?? open, outer);
  const indent = style.indent.length > outer.length ? style.indent : `${outer}${style.indentStep}`;
  const { indentStep, eol } = style;
  const lines = printTree(tree, { indent: indent + indentStep, indentStep, eol });
  const at = host.offset + open.length;
  const rows = [COPY_COMMENT, section!.open.text.trim()].map((row) => `${indent}${row}${eol}`).join('');
  return { start: at, end: at, text: `${rows}${lines}${indent}</${spelledName(section!.open)}>${eol}` };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit of virtual hosts. With more, each section would be compared with too many others. */
const MAX_HOSTS = 50;

const COPY_COMMENT = '# As in httpd 2.2: the section of the main server, with what this virtual host requires.';

/**
 * Whether a copy of the section in a virtual host would apply to the same requests for this host.
 */
function mayBeCopied({ scope, host, stage, parent, ownAccess, readBy }: SectionEntry): boolean {
  const { section, file, byVersion, lines } = scope;
  return (
    host === null &&
    parent === null &&
    stage === 'location' &&
    section !== null &&
    scope.parent?.kind === 'server' &&
    byVersion === undefined &&
    readBy.now === 'active' &&
    ownAccess.hasOldLines &&
    ownAccess.unconverted24 === null &&
    file.readings === 1 &&
    file.tree.lineAt(scope.offset)?.line === section.open &&
    /^<[^$\\\n]*>$/.test(section.open.text.trim()) &&
    !lines.some((at) => isFromElsewhere(at, scope))
  );
}

/** Whether the virtual host is written once, without a macro or a template. */
function isChangeable({ section, file, offset }: Scope): boolean {
  return (
    section !== null &&
    file.readings === 1 &&
    file.tree.root.templateLineCount === 0 &&
    file.tree.lineAt(offset)?.line === section.open
  );
}

/**
 * The Require tree that the section needs for requests to one virtual host (null: to the main
 * server). Null if one tree is not enough.
 */
function treeForHost(
  entry: SectionEntry,
  host: Scope | null,
  before: SectionsBefore,
  states: AccessStates,
): Tree24 | null {
  const found = new Set<InheritedAccess>();
  for (const { appliedSections } of before.sequencesBefore(entry, host))
    if (addStates(appliedSections, states, found) !== null) return null;
  const trees = new Set([...found].map((state) => states.treeOf(states.accessAfter(state, entry.ownAccess))));
  const [tree] = trees;
  return trees.size !== 1 || tree === undefined || isReason(tree) ? null : tree;
}
