/**
 * Compares the files of a configuration with those that a distribution's package installs. Makes
 * tasks for the user from the result: which lines the user has changed, and which files are
 * unchanged. Does no I/O.
 */
import type { Distribution } from '../config/distribution';
import { changesOfUser, isUnchanged, isReplacedBy24, stockPath, type ChangesOfUser } from '../config/stock-changes';
import { stockDifference, stockPaths } from '../config/stock-files';
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import { joinedItems, shortened } from '../rules/support/edits';
import type { OnServerItem, PlanPlace } from './server-tasks';

/** A file that a configuration reads. */
export interface StockFile {
  readonly tree: Tree;
  /** Converts an offset in the file to the place that the plan shows. */
  readonly placeOf: (offset: number) => PlanPlace;
}

/** The main file in the packages of a distribution, and advice about it. */
interface PackageLayout {
  readonly mainFile: string;
  /**
   * The name of the main file that comes with the package of 2.4, if the user has changed the old
   * main file.
   */
  readonly packagedFile: string;
  /** The advice to keep the user's own main file. */
  readonly keepAdvice: string;
  /** What to do with the new main file, if it reads other files than the old one. */
  readonly takeAdvice?: string;
  /** The file to which the user moves changed lines, as the end of a sentence. */
  readonly fileForOwnLines: string;
}

/** The main files of the distributions whose packages the program knows. */
const LAYOUTS: Readonly<Partial<Record<Distribution, PackageLayout>>> = {
  debian: {
    mainFile: 'apache2.conf',
    packagedFile: 'the apache2.conf of the 2.4 package',
    keepAdvice: 'Keep using your own apache2.conf: if 2.4 runs on a new machine, copy the file there.',
    takeAdvice:
      'It reads only sites-enabled/*.conf and conf-enabled/*.conf. So copy it over yours in this copy, but do not rename or move other files. Then run plan again: it has the commands that rename the files and enable them, such as a2ensite and a2enconf.',
    fileForOwnLines: 'conf-available/local.conf, and enable that file with a2enconf local',
  },
  rhel: {
    mainFile: 'conf/httpd.conf',
    packagedFile: 'the httpd.conf of the 2.4 package (httpd.conf.rpmnew)',
    keepAdvice:
      'Keep using your own httpd.conf: if 2.4 runs on a new machine, copy the file there. A package upgrade does not replace it.',
    fileForOwnLines: 'conf.d/local.conf',
  },
};

/** Maximum number of lines that the text of a task names. The places of the task show all lines. */
const MAX_NAMED_LINES = 6;

/** The id of the note about unchanged files, which the user leaves out. */
export const STOCK_FILES_ID = 'stock-files';

/** The task for the NameVirtualHost lines in unchanged files of the 2.2 package. */
export const COMPARE_HOSTS: Omit<OnServerItem, 'because'> = {
  id: 'virtual-hosts',
  title: 'Compare the virtual hosts',
  what: 'Compare the output of httpd -S (Debian: apache2ctl -S) in 2.2 and 2.4: each name must have the same virtual host. 2.4 ignores NameVirtualHost, and selects by name at every address. Without the 2.2 server, look at the output of 2.4: each name must be listed, and the host after "default server" must be the one that is to answer for unknown names.',
};

/**
 * The tasks of one configuration. Empty for a distribution whose package files are not known.
 * `isForBoth`: whether 2.2 also reads the files after the fixes.
 */
export function stockFileTasks(
  files: readonly StockFile[],
  distribution: Distribution | null,
  isForBoth = false,
): OnServerItem[] {
  const layout = distribution && LAYOUTS[distribution];
  if (!layout) return [];
  const packagePaths = stockPaths(distribution);
  const layoutItems: OnServerItem[] = [];
  const unchangedFiles: { readonly release: string; readonly path: string; readonly at: PlanPlace }[] = [];
  for (const { tree, placeOf } of files) {
    const fileStart = placeOf(0);
    const packagePath = stockPath(fileStart.file, packagePaths);
    const difference = packagePath === null ? null : stockDifference(tree, packagePath, distribution);
    if (packagePath === null || difference === null) continue;
    const changes = changesOfUser(tree, difference);
    if (difference.isFor24) {
      if (!isForBoth) layoutItems.push(mainFileOf24Item(changes, fileStart));
      continue;
    }
    if (packagePath === layout.mainFile)
      layoutItems.push(
        isForBoth ? keepFileItem(layout, fileStart) : mainFileItem(layout, tree, difference.release, changes, placeOf),
      );
    else if (isUnchanged(changes))
      unchangedFiles.push({ release: difference.release, path: packagePath, at: fileStart });
  }
  const isMainFileNew = takesNewMainFile(layoutItems, distribution);
  const filesToLeave = unchangedFiles.filter(({ path }) => isReplacedBy24(path, distribution, isMainFileNew));
  // The files are sorted, because the editor and the command line read them in different orders.
  filesToLeave.sort((a, b) => (a.path < b.path ? -1 : 1));
  // If 2.2 still reads the files, it needs its own stock files.
  if (filesToLeave.length > 0 && !isForBoth) layoutItems.push(unchangedFilesItem(filesToLeave));
  return layoutItems;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The task for files that 2.2 also reads: the user must not replace the main file by that of 2.4.
 */
function keepFileItem({ mainFile, packagedFile, keepAdvice }: PackageLayout, at: PlanPlace): OnServerItem {
  return {
    id: 'main-file',
    title: `Keep your ${mainFile.slice(mainFile.lastIndexOf('/') + 1)}`,
    what: `${keepAdvice} 2.2 does not start with ${packagedFile}.`,
    because: [at],
  };
}

/** The note about a main file of Debian's 2.4 package, which the user already took. */
function mainFileOf24Item({ addedLines }: ChangesOfUser, at: PlanPlace): OnServerItem {
  const changesText = addedLines.length === 0 ? '' : `, with ${changedLinesText(addedLines.length)}`;
  return {
    id: 'main-file',
    title: 'Main file of 2.4',
    what: `Your apache2.conf is that of the 2.4 package${changesText}. The file of the package reads only sites-enabled/*.conf and conf-enabled/*.conf. It denies all directories except /usr/share and /var/www: a site in another directory needs a \`<Directory>\` section with a \`Require\` line.`,
    because: [at],
    isNote: true,
  };
}

/** The number of changed lines, with its noun. */
function changedLinesText(count: number): string {
  return count === 1 ? '1 changed line' : `${count} changed lines`;
}

/** Whether a task says to take the main file of the 2.4 package, in place of the old one. */
export function takesNewMainFile(tasks: readonly OnServerItem[], distribution: Distribution | null): boolean {
  const layout = distribution && LAYOUTS[distribution];
  return layout !== null && layout !== undefined && tasks.some(({ title }) => title === takeNewTitle(layout));
}

/** Whether this task says to take the main file of the 2.4 package, in place of the old one. */
export function isTaskToTakeNewFile({ title }: Pick<OnServerItem, 'title'>): boolean {
  return Object.values(LAYOUTS).some((layout) => title === takeNewTitle(layout));
}

/** The title of the task to take the main file of the 2.4 package. */
function takeNewTitle({ mainFile }: PackageLayout): string {
  return `Take the new ${mainFile.slice(mainFile.lastIndexOf('/') + 1)}`;
}

/**
 * The task about a main file of the 2.2 package: to take the new file if the user changed no line,
 * and otherwise to keep the user's file.
 */
function mainFileItem(
  layout: PackageLayout,
  tree: Tree,
  release: string,
  { addedLines, removedNames }: ChangesOfUser,
  placeOf: StockFile['placeOf'],
): OnServerItem {
  const { mainFile, packagedFile, keepAdvice, takeAdvice, fileForOwnLines } = layout;
  const fileName = mainFile.slice(mainFile.lastIndexOf('/') + 1);
  const title = `Keep your ${fileName}`;
  if (isUnchanged({ addedLines, removedNames }))
    return {
      id: 'main-file',
      title: takeNewTitle(layout),
      what: `Take ${packagedFile.replace(/ \(.*/, '')}: yours has no line that differs from the file of ${release}. The new file denies all directories that it does not name.${takeAdvice ? ` ${takeAdvice}` : ''}`,
      because: [placeOf(0)],
    };
  const lineNumber = ({ offset }: { readonly offset: number }) => tree.positionAt(offset).line + 1;
  const shownLines = addedLines.slice(0, MAX_NAMED_LINES).map((each) => {
    const tagAround = innermostTagAround(tree.root, 0, each.offset);
    const sectionText = tagAround === null ? '' : ` in \`${shortened(tagAround.text.trim(), 40)}\``;
    return `\`${shortened(each.line.text.trim(), 60)}\`${sectionText} (line ${lineNumber(each)})`;
  });
  const moreLineNumbers = addedLines.slice(MAX_NAMED_LINES).map(lineNumber);
  const linesText = `${shownLines.join(', ')}${moreLineNumbers.length > 0 ? ` and ${moreLineNumbers.length} more (line ${moreLineNumbers.join(', ')})` : ''}`;
  return {
    id: 'main-file',
    title,
    what: [
      `${keepAdvice} Your ${fileName} is that of ${release} with ${changedLinesText(addedLines.length)}. It reads the same files as before.`,
      `${packagedFile.charAt(0).toUpperCase()}${packagedFile.slice(1)} denies all directories that it does not name.`,
      addedLines.length > 0 &&
        `If you use the package's file instead, move the changed lines, with the section around them, to ${fileForOwnLines}: ${linesText}.`,
      removedNames.length > 0 &&
        `Lines of the old package that this file does not have: ${removedNames.slice(0, MAX_NAMED_LINES).map(spelledDirective).join(', ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
    because: addedLines.length === 0 ? [placeOf(0)] : addedLines.map(({ offset }) => placeOf(offset)),
  };
}

/** The tag of the innermost section around a line; null if there is none. */
function innermostTagAround(list: List, base: number, offset: number, enclosingTag: Line | null = null): Line | null {
  let innermostTag = enclosingTag;
  forEachItem(list, base, (item, start) => {
    if (item instanceof Section && offset > start && offset < start + item.length)
      innermostTag = innermostTagAround(item.body, start + item.open.length, offset, item.open);
  });
  return innermostTag;
}

/** The name of a directive, or the tag of a section. */
export function spelledDirective(name: string): string {
  return name.startsWith('<') ? `${name}>` : name;
}

/** The note that the user need not carry over these unchanged files. The list must not be empty. */
function unchangedFilesItem(
  files: readonly { readonly release: string; readonly path: string; readonly at: PlanPlace }[],
): OnServerItem {
  const isOneFile = files.length === 1;
  const [them, their] = isOneFile ? ['it', 'Its'] : ['them', 'Their'];
  return {
    id: STOCK_FILES_ID,
    title: 'Leave stock files out',
    what: `Do not carry over ${joinedItems(files.map(({ path }) => path))}: ${isOneFile ? 'it is the unchanged file' : 'they are unchanged files'} of the 2.2 package of ${files[0]!.release}. The 2.4 package comes with what replaces ${them}. ${their} fixes are not needed then.`,
    because: files.map(({ at }) => at),
    isNote: true,
  };
}

/**
 * The tasks of this file for the documentation, without the texts that depend on the user's files.
 */
export const EXAMPLES_OF_STOCK_ITEMS: readonly Pick<OnServerItem, 'id' | 'title' | 'what' | 'isNote'>[] = [
  {
    id: 'main-file',
    title: 'Keep your main file, or take the new one',
    what: 'The main file is that of an old package, with or without changes. Without changes, take the file of the 2.4 package. It denies all directories that it does not name. With changes, keep your file: the plan names the changed lines, and where they go if you take the new file. If you already took the file of the 2.4 package, the plan only has a note about what it reads and denies.',
  },
  {
    id: 'stock-files',
    title: 'Leave stock files out',
    what: 'Do not carry over files of the old package that you did not change: the 2.4 package comes with what replaces them. Their fixes are not needed then.',
    isNote: true,
  },
  COMPARE_HOSTS,
  {
    id: 'module-lines',
    title: 'Carry over own module lines',
    what: 'The 2.4 package has its own mods-available. Do not copy that directory, but carry over your own lines: the plan names the files and lines that are not from the 2.2 package.',
  },
];
