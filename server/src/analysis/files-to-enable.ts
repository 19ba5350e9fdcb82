/**
 * Finds the files of Debian's sites-available and conf-available that no link enables, and makes a
 * step from them: 2.4 and the fixes read only enabled files. Does no I/O.
 */
import { baseName, parentOf, type FileView } from '../config/files';
import { isUnusedCopy } from '../directives/recognize';
import { joinedItems } from '../rules/support/edits';
import { argumentsOf, LineKind } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { forEachItem, Section } from '../syntax/tree';
import type { OnServerItem } from './server-tasks';
import type { StockFile } from './stock-layout';

/** The files of one directory, such as sites-available, that no link enables. */
export interface FilesToEnable {
  readonly kind: 'sites' | 'conf';
  /** The names of the files, without the directory and the extension, sorted. */
  readonly names: readonly string[];
  /** The offset in the main file of the line that includes the enabled files. */
  readonly includeOffset: number;
  /** Whether the directory for enabled files is missing, or has no link to a file. */
  readonly lacksAllLinks: boolean;
}

/** The command of Debian that enables a file. */
const TOOL_BY_KIND: Readonly<Record<FilesToEnable['kind'], string>> = { sites: 'a2ensite', conf: 'a2enconf' };

/** Matches names that a2ensite and a2enconf take as they are, with the extension. */
const PLAIN_NAME = /^\w[\w.+-]*\.conf$/;

/** Maximum number of commands in the text of the step for one directory. */
const MAX_COMMANDS = 20;

/**
 * The files that are not enabled, beside a main file that includes only `*.conf` of the directory
 * for enabled files. `root`: the path of the main file. `filesRead`: the real paths of the files
 * that the configuration reads.
 */
export function filesToEnable(
  root: string,
  view: Pick<FileView, 'list' | 'kind' | 'realPath' | 'read'>,
  filesRead: ReadonlySet<string>,
): FilesToEnable[] {
  const mainTree = view.read(root);
  if (mainTree === null) return [];
  const found: FilesToEnable[] = [];
  forEachItem(mainTree.root, 0, (item, includeOffset) => {
    if (item instanceof Section || item.kind !== LineKind.Directive) return;
    if (item.name !== 'include' && item.name !== 'includeoptional') return;
    const [path = ''] = argumentsOf(item).map(({ value }) => value);
    const kind = /^(?:\/etc\/apache2\/)?(sites|conf)-enabled\/\*\.conf$/.exec(path)?.[1] as FilesToEnable['kind'];
    if (kind === undefined) return;
    const availableFolder = `${parentOf(root)}/${kind}-available`;
    const enabledFolder = `${parentOf(root)}/${kind}-enabled`;
    const enabledNames = view.list(enabledFolder) ?? [];
    const idsOfEnabledFiles = new Set(enabledNames.map((name) => view.realPath(`${enabledFolder}/${name}`)));
    const isEnabled = (path: string) => {
      const id = view.realPath(path);
      return enabledNames.includes(baseName(path)) || idsOfEnabledFiles.has(id) || filesRead.has(id);
    };
    const names = (view.list(availableFolder) ?? [])
      .filter((name) => PLAIN_NAME.test(name) && !isUnusedCopy(name))
      .map((name) => `${availableFolder}/${name}`)
      .filter((path) => !isEnabled(path) && hasDirectives(view.read(path)))
      .map((path) => baseName(path).slice(0, -'.conf'.length));
    // Links with old names lead nowhere after their targets were renamed.
    const lacksAllLinks = !enabledNames.some(
      (name) => name.endsWith('.conf') || view.kind(`${enabledFolder}/${name}`) === 'file',
    );
    if (names.length > 0) found.push({ kind, names: names.sort(), includeOffset, lacksAllLinks });
  });
  return found;
}

/**
 * The step to enable these files. Empty if there are no files. If all directories have links, the
 * other files may be disabled on purpose: then the step is only a note. `placeOf`: for an offset in
 * the main file.
 */
export function filesToEnableTasks(
  filesOfKinds: readonly FilesToEnable[],
  placeOf: StockFile['placeOf'],
): OnServerItem[] {
  if (filesOfKinds.length === 0) return [];
  const commandTexts = filesOfKinds.map(({ kind, names }) => {
    const commands = names.slice(0, MAX_COMMANDS).map((name) => `\`${TOOL_BY_KIND[kind]} ${name}\``);
    const otherNameCount = names.length - commands.length;
    return `For ${kind}-available: ${joinedItems([...commands, ...(otherNameCount > 0 ? [`${otherNameCount} more`] : [])])}.`;
  });
  const { kind, names } = filesOfKinds[0]!;
  const linkCommand = `ln -s ../${kind}-available/${names[0]}.conf ${kind}-enabled/`;
  return [
    {
      id: EXAMPLE_OF_FILES_TO_ENABLE.id,
      title: EXAMPLE_OF_FILES_TO_ENABLE.title,
      what: [
        EXAMPLE_OF_FILES_TO_ENABLE.what,
        ...commandTexts,
        `In this copy, make links to these files, too, because \`fix\` changes only enabled files: for example \`mkdir -p ${kind}-enabled && ${linkCommand}\`. Then run plan again.`,
      ].join(' '),
      because: filesOfKinds.map(({ includeOffset }) => placeOf(includeOffset)),
      ...(!filesOfKinds.some(({ lacksAllLinks }) => lacksAllLinks) && { isNote: true }),
    },
  ];
}

/** The step for the documentation, without the texts that depend on the user's files. */
export const EXAMPLE_OF_FILES_TO_ENABLE = {
  id: 'files-to-enable',
  title: 'Enable your files',
  what: 'No link enables some files in sites-available or conf-available, so 2.4 does not read them. On the 2.4 server, enable those that the 2.2 server read, and only those.',
} as const;

/** Whether a file has a directive or a section. False if it cannot be read (null). */
function hasDirectives(tree: Tree | null): boolean {
  let found = false;
  if (tree !== null)
    forEachItem(tree.root, 0, (item) => {
      found ||= item instanceof Section || item.kind === LineKind.Directive;
    });
  return found;
}
