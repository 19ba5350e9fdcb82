/**
 * Finds the lines that httpd does not read because of the names with which it started (`-D`). Such
 * lines are in `<IfDefine NAME>` if httpd started without the name, or in `<IfDefine !NAME>` if it
 * started with it. Does no I/O.
 */
import { nameInTag } from '../config/condition';
import { SummarySection, type FileSummary } from '../config/file-summary';
import type { Model } from '../config/model';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { lazy } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';

/** The lines in `<IfDefine>` that httpd did not read. */
export interface UnreadLines {
  /** The number of directives and sections. */
  readonly lines: number;
  /** The number of virtual hosts among these directives and sections. */
  readonly virtualHosts: number;
  /**
   * The outermost conditions around these lines, such as `SSL` or `!SSL`. A condition around more
   * virtual hosts comes first.
   */
  readonly conditions: readonly string[];
  /** The names with which httpd would read more lines, in the order of `conditions`. */
  readonly names: readonly string[];
  /** Whether it is known with which names the server starts. */
  readonly isKnown: boolean;
}

/** The lines of a configuration that httpd did not read. */
export interface LinesNotRead {
  /** What was not read, for the whole configuration. Null if httpd read everything. */
  readonly unreadLines: UnreadLines | null;
  /** Whether httpd did not read a line (0-based) of a file. */
  readonly isUnread: (file: string, row: number) => boolean;
}

/** The facts about the start of httpd, and how to read files. */
interface UnreadOptions {
  /** The names with which httpd started. */
  readonly startNames: ReadonlySet<string>;
  /**
   * The names with which the server certainly never starts. Lines that would be read only with such
   * a name are not reported.
   */
  readonly namesNeverStarted: ReadonlySet<string>;
  /** Whether it is known with which names the server starts. */
  readonly areStartNamesKnown: boolean;
  readonly readTree: (path: string) => Tree | null;
}

/** Walks through a configuration as httpd reads it, and finds the lines that it does not read. */
export function findUnreadLines(model: Model, options: UnreadOptions): LinesNotRead {
  return new UnreadLineFinder(model, options).findUnread();
}

/**
 * The names in `<IfDefine>` for which the files do not show whether the server starts with them, in
 * the order of the files. Empty if the start script names some flags, because then it names all.
 */
export function openNames({ files, startOptions }: Model): readonly string[] {
  if ((startOptions?.defineFlags.size ?? 0) > 0) return [];
  const unknownFlagNames = new Set<string>();
  // Define lines are searched only if there is an `<IfDefine>` with an unknown result.
  const namesOfFiles = lazy(() => definedNamesOf(files));
  for (const readings of files.values())
    for (const { conditions } of readings)
      for (const [open, { activity }] of conditions) {
        const testedName = open.name === 'ifdefine' && activity === 'unknown' ? nameInTag(open, 4) : null;
        if (testedName && !testedName.name.includes('${') && !namesOfFiles().has(testedName.name))
          unknownFlagNames.add(testedName.name);
      }
  return [...unknownFlagNames];
}

/**
 * A sentence that says which lines httpd did not read, and why. `isGuess`: whether this is only
 * probable, because the program that starts httpd may pass more names.
 */
export function unreadText({ lines, virtualHosts, conditions }: UnreadLines, isGuess = false): string {
  const shownTags = conditions.slice(0, 2).map((each) => `\`<IfDefine ${each}>\``);
  const otherTagCount = conditions.length - shownTags.length;
  const sections = otherTagCount > 0 ? `${shownTags.join(', ')} and ${otherTagCount} more` : shownTags.join(' and ');
  const hosts = virtualHosts > 0 ? ` (${virtualHosts} virtual ${virtualHosts === 1 ? 'host' : 'hosts'})` : '';
  const why = conditions.some((each) => each.startsWith('!'))
    ? 'of the names (-D) with which it started'
    : `it started without ${conditions.length === 1 ? 'this name' : 'these names'} (-D)`;
  return `It ${isGuess ? 'probably ' : ''}did not read ${lines} ${lines === 1 ? 'line' : 'lines'} in ${sections}${hosts}, because ${why}.`;
}

/** Tells where distributions store the names with which the server starts. */
export function textAboutNames(names: readonly string[]): string {
  return names.includes('NOHTTPACCEPT') ? `${TEXT_ABOUT_FLAG_FILES} ${TEXT_ABOUT_FREEBSD}` : TEXT_ABOUT_FLAG_FILES;
}

/** Tells which start script of FreeBSD sets the name NOHTTPACCEPT. */
const TEXT_ABOUT_FREEBSD =
  'The start script of FreeBSD adds NOHTTPACCEPT, unless apache22_http_accept_enable is YES in /etc/rc.conf.';

/** Tells in which files distributions store the names with which the server starts. */
const TEXT_ABOUT_FLAG_FILES =
  'The names are in APACHE_ARGUMENTS in /etc/apache2/envvars (Debian), APACHE2_OPTS in /etc/conf.d/apache2 (Gentoo), OPTIONS in /etc/sysconfig/httpd (Red Hat) or APACHE_SERVER_FLAGS in /etc/sysconfig/apache2 (SUSE).';

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The names that Define lines of the files set, even those in a section with an unknown or false
 * condition. Whether such a name is set depends on the files, and not on the start options. Define
 * lines in `<IfDefine NAME>` are left out.
 */
function definedNamesOf(files: Model['files']): ReadonlySet<string> {
  const definedNames = new Set<string>();
  const collectNames = (summary: FileSummary): void => {
    if (summary.hasOnlyServingLines) return;
    for (const { item } of summary.parts) {
      if (item instanceof SummarySection) {
        if (item.open.name !== 'ifdefine' || nameInTag(item.open, 4)?.isNegated === true) collectNames(item.body);
      } else if ('parts' in item) collectNames(item);
      else if (item.name === 'define') {
        const [name] = argumentsOf(item);
        if (name !== undefined) definedNames.add(name.value);
      }
    }
  };
  for (const [first] of files.values()) if (first) collectNames(first.fileSummary);
  return definedNames;
}

/** An unread line: the conditions around it, and whether it opens a virtual host. */
interface UnreadLine extends UnreadSections {
  readonly isVirtualHost: boolean;
}

/** The unread `<IfDefine>` sections around a line. There is at least one. */
interface UnreadSections {
  /** The outermost condition. */
  readonly condition: string;
  /** The names that httpd would need in addition, so that it reads the line. */
  readonly names: readonly string[];
}

/** The unread lines of a file, by their row (0-based). */
type LinesByRow = Map<number, UnreadLine>;

/** Goes through a configuration in the order in which httpd reads it. */
class UnreadLineFinder {
  /** The unread lines in files that httpd reads, by file. */
  private readonly linesByReadFile = new Map<string, LinesByRow>();
  /** The lines of files that only unread sections include, by file. */
  private readonly linesByUnreadFile = new Map<string, LinesByRow>();
  private readonly filesRead = new Set<string>();
  /** The names that are set at the current line. */
  private readonly names: Set<string>;

  constructor(
    private readonly model: Model,
    private readonly options: UnreadOptions,
  ) {
    this.names = new Set(options.startNames);
  }

  /**
   * Follows the files from the main file, and counts the lines that httpd does not read because of
   * `<IfDefine>` sections.
   */
  findUnread(): LinesNotRead {
    const { areStartNamesKnown, namesNeverStarted } = this.options;
    const namesOfFiles = definedNamesOf(this.model.files);
    this.readFile(this.model.mainFile, null);
    // A file that httpd also reads at another place counts as read.
    for (const file of this.filesRead) this.linesByUnreadFile.delete(file);
    const isUnread = (file: string, row: number) =>
      this.linesByReadFile.get(file)?.has(row) === true || this.linesByUnreadFile.get(file)?.has(row) === true;
    const linesUnread = [...this.linesByReadFile.values(), ...this.linesByUnreadFile.values()]
      .flatMap((rows) => [...rows.values()])
      .filter(({ condition }) => !namesNeverStarted.has(condition) && !namesOfFiles.has(condition.replace(/^!/, '')));
    if (linesUnread.length === 0) return { unreadLines: null, isUnread };
    const missingNames = namesWithMostHostsFirst(linesUnread, (line) => line.names).filter(
      (name) => !namesNeverStarted.has(name) && !namesOfFiles.has(name),
    );
    return {
      unreadLines: {
        lines: linesUnread.length,
        virtualHosts: linesUnread.filter(({ isVirtualHost }) => isVirtualHost).length,
        conditions: namesWithMostHostsFirst(linesUnread, ({ condition }) => [condition]),
        names: missingNames,
        // If no further name would make httpd read more lines, they are unread because the server
        // starts with a name. So it is known how the server starts.
        isKnown: areStartNamesKnown || missingNames.length === 0,
      },
      isUnread,
    };
  }

  /**
   * Reads a file once as read, and once as unread. `unreadSectionsAround`: the unread sections
   * around its Include line; null if httpd reads that line.
   */
  private readFile(file: string, unreadSectionsAround: UnreadSections | null): void {
    const visitedFiles = unreadSectionsAround === null ? this.filesRead : this.linesByUnreadFile;
    if (visitedFiles.has(file)) return;
    if (unreadSectionsAround === null) this.filesRead.add(file);
    else this.linesByUnreadFile.set(file, new Map());
    const tree = this.options.readTree(file);
    if (tree)
      this.readList(tree.root, 0, {
        file,
        tree,
        isIncludedFromUnread: unreadSectionsAround !== null,
        unreadSectionsAround,
      });
  }

  /** Records the lines of a list, at any depth. */
  private readList(list: List, base: number, place: PlaceInFile): void {
    forEachItem(list, base, (item, offset) => {
      const row = place.tree.positionAt(offset).line;
      if (item instanceof Section) this.readSection(item, offset, row, place);
      else if (item.kind === LineKind.Directive) this.readDirective(item, row, place);
    });
  }

  /**
   * Records the tag of a section and the lines inside. If httpd skips the section because of
   * another condition, the lines inside do not count.
   */
  private readSection({ open, body, name }: Section, offset: number, row: number, place: PlaceInFile): void {
    const isInReadText = place.unreadSectionsAround === null;
    this.recordLine(row, place, name === 'virtualhost');
    if (isInReadText && name !== 'ifdefine' && this.isInactive(place.file, open)) return;
    const unreadSections = name === 'ifdefine' ? this.unreadSectionsInside(open, place) : place.unreadSectionsAround;
    this.readList(body, offset + open.length, { ...place, unreadSectionsAround: unreadSections });
  }

  /**
   * Records a line. Changes the defined names if it is a Define or UnDefine line that httpd reads,
   * and reads the files of an Include line.
   */
  private readDirective(line: Line, row: number, place: PlaceInFile): void {
    this.recordLine(row, place, false);
    const [name] = argumentsOf(line);
    if (name !== undefined && place.unreadSectionsAround === null) {
      if (line.name === 'define') this.names.add(name.value);
      if (line.name === 'undefine') this.names.delete(name.value);
    }
    if (line.name !== 'include' && line.name !== 'includeoptional') return;
    const nodes = (this.model.includes.get(place.file) ?? []).filter((node) => node.row === row);
    for (const { path } of nodes.flatMap(({ files }) => files)) this.readFile(path, place.unreadSectionsAround);
  }

  /** The unread sections around the lines in an `<IfDefine>`; null if httpd reads these lines. */
  private unreadSectionsInside(open: Line, { unreadSectionsAround }: PlaceInFile): UnreadSections | null {
    const testedName = nameInTag(open, 4);
    if (testedName === null || testedName.name.includes('${')) return unreadSectionsAround;
    const { name, isNegated } = testedName;
    if (this.names.has(name) !== isNegated) return unreadSectionsAround;
    const missingName = isNegated || unreadSectionsAround?.names.includes(name) ? [] : [name];
    return {
      condition: unreadSectionsAround?.condition ?? `${isNegated ? '!' : ''}${name}`,
      names: [...(unreadSectionsAround?.names ?? []), ...missingName],
    };
  }

  /** Whether the condition of a section other than `<IfDefine>` is false. */
  private isInactive(file: string, open: Line): boolean {
    const readings = this.model.files.get(file) ?? [];
    return readings.length > 0 && readings.every(({ conditions }) => conditions.get(open)?.activity === 'inactive');
  }

  /** Stores a line as unread, if it is in an unread section. */
  private recordLine(
    row: number,
    { file, isIncludedFromUnread, unreadSectionsAround }: PlaceInFile,
    isVirtualHost: boolean,
  ): void {
    if (unreadSectionsAround === null) return;
    const linesByFile = isIncludedFromUnread ? this.linesByUnreadFile : this.linesByReadFile;
    const linesByRow = linesByFile.get(file) ?? new Map<number, UnreadLine>();
    linesByFile.set(file, linesByRow);
    linesByRow.set(row, { ...unreadSectionsAround, isVirtualHost });
  }
}

/**
 * A file that is being read, and the unread sections around the current lines (null if httpd reads
 * them).
 */
interface PlaceInFile {
  readonly file: string;
  readonly tree: Tree;
  /** Whether an unread section includes the file. */
  readonly isIncludedFromUnread: boolean;
  readonly unreadSectionsAround: UnreadSections | null;
}

/**
 * The names in `lines`. A name with more unread virtual hosts comes first, then a name with more
 * unread lines.
 */
function namesWithMostHostsFirst(
  lines: readonly UnreadLine[],
  namesOf: (line: UnreadLine) => readonly string[],
): string[] {
  const weightByName = new Map<string, number>();
  for (const line of lines)
    for (const name of namesOf(line))
      weightByName.set(name, (weightByName.get(name) ?? 0) + (line.isVirtualHost ? 1_000_000 : 1));
  return [...weightByName].sort(([, a], [, b]) => b - a).map(([name]) => name);
}
