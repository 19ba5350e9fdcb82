/**
 * Compares places of a configuration by the order in which httpd reads them, through includes. The
 * configuration must have been read with the names `include` and `includeoptional`.
 */
import { argumentsOf } from '../syntax/line';
import { addTo } from '../syntax/groups';
import type { Configuration } from './configuration';
import { includedFiles, localPathAsSpelled, resolvePath, type FileView } from './files';
import { linesOf } from './loaded-modules';

export interface FilePlace {
  /** With links resolved. */
  readonly path: string;
  /** UTF-16 offset in the file. */
  readonly offset: number;
}

/** A step of the way to a place: an offset, and which of the files that the line there includes. */
type Step = readonly [offset: number, index: number];

export class ReadingOrder {
  /** The Include lines of each file, with the number of the file among those that they include. */
  private readonly includesByFile = new Map<string, { readonly at: FilePlace; readonly index: number }[]>();

  constructor(
    private readonly configuration: Configuration,
    view: FileView,
  ) {
    const { serverRoot, pathMap } = configuration;
    for (const name of ['include', 'includeoptional']) {
      for (const { expandedLine, file, offset, macro, activity } of linesOf(configuration, name)) {
        const named = argumentsOf(expandedLine)[0]?.value ?? '';
        if (named === '' || macro !== undefined || activity === 'inactive') continue;
        const path = localPathAsSpelled(resolvePath(serverRoot, named), pathMap, view);
        includedFiles(path, view).forEach((each, index) =>
          addTo(this.includesByFile, view.identity(each), { at: { path: file.path, offset }, index }),
        );
      }
    }
  }

  /**
   * Whether httpd certainly reads one place before another. False also if a file on the way is read
   * twice, or if it is unknown which line includes it.
   */
  isBefore(first: FilePlace, second: FilePlace): boolean {
    const [a, b] = [this.wayTo(first), this.wayTo(second)];
    if (a === null || b === null) return false;
    for (let i = 0; i < a.length && i < b.length; i++)
      for (const part of [0, 1] as const) if (a[i]![part] !== b[i]![part]) return a[i]![part] < b[i]![part];
    return false;
  }

  /** The steps from the main file to a place; null if they are not certain. */
  private wayTo({ path, offset }: FilePlace): Step[] | null {
    const way: Step[] = [[offset, 0]];
    let at = path;
    while (at !== this.configuration.rootScope.file.path) {
      const includes = this.includesByFile.get(at) ?? [];
      const isReadOnce = this.configuration.files.get(at)?.readings === 1;
      if (includes.length !== 1 || !isReadOnce || way.length > this.configuration.files.size) return null;
      way.unshift([includes[0]!.at.offset, includes[0]!.index]);
      at = includes[0]!.at.path;
    }
    return way;
  }
}
