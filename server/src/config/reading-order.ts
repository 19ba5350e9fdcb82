/**
 * Tells which of two places of a configuration httpd reads first. The places may be in different
 * files, which Include lines connect.
 */
import { argumentsOf } from '../syntax/line';
import { addTo } from '../syntax/groups';
import type { ConfigLine, Configuration } from './configuration';
import { includedFiles, localPathAsSpelled, resolvePath, type FileView } from './files';

/** An offset in a file. */
export interface FilePlace {
  /** The path of the file, with symbolic links resolved. */
  readonly path: string;
  /** UTF-16 offset in the file. */
  readonly offset: number;
}

/**
 * A step on the way from the main file to a place: a line, and the number of the file that it
 * includes. A pattern can include several files.
 */
interface WayStep extends FilePlace {
  readonly index: number;
}

/** Compares places of a configuration by the order in which httpd reads them. */
export class ReadingOrder {
  /**
   * The Include lines that read each file. `index`: the position of the file among the files that
   * the line includes.
   */
  private readonly includeLinesByFile = new Map<string, { readonly at: FilePlace; readonly index: number }[]>();

  /** `includeLines`: the Include and IncludeOptional lines. */
  constructor(
    private readonly configuration: Configuration,
    includeLines: readonly ConfigLine[],
    view: FileView,
  ) {
    const { serverRoot, pathMap } = configuration;
    for (const { expandedLine, file, offset, macro, activity } of includeLines) {
      const expandedPath = argumentsOf(expandedLine)[0]?.value ?? '';
      if (expandedPath === '' || macro !== undefined || activity === 'inactive') continue;
      const includedPath = localPathAsSpelled(resolvePath(serverRoot, expandedPath), pathMap, view);
      includedFiles(includedPath, view).forEach((each, index) =>
        addTo(this.includeLinesByFile, view.realPath(each), { at: { path: file.path, offset }, index }),
      );
    }
  }

  /**
   * Whether httpd certainly reads one place before another. False also if this is uncertain: a file
   * on the way is read twice, or several lines may include it.
   */
  isBefore(first: FilePlace, second: FilePlace): boolean {
    return this.divergingLine(first, second) !== null;
  }

  /**
   * Finds the file from which httpd reaches both places. Returns the line in it that leads to the
   * first place: an Include line, or the place itself. If one Include line leads to both places,
   * returns the first place. Null if the first place is not certainly before the second.
   */
  divergingLine(first: FilePlace, second: FilePlace): FilePlace | null {
    const [firstSteps, secondSteps] = [this.stepsTo(first), this.stepsTo(second)];
    if (firstSteps === null || secondSteps === null) return null;
    for (let i = 0; i < firstSteps.length && i < secondSteps.length; i++) {
      const [one, other] = [firstSteps[i]!, secondSteps[i]!];
      if (one.offset !== other.offset) return one.offset < other.offset ? one : null;
      if (one.index !== other.index) return one.index < other.index ? first : null;
    }
    return null;
  }

  /**
   * The line in the file `path` that leads to a place: the place itself or an Include line. Null if
   * the way from the main file to the place is unknown, or if it does not pass through the file.
   */
  lineLeadingTo(place: FilePlace, path: string): FilePlace | null {
    return this.stepsTo(place)?.find((step) => step.path === path) ?? null;
  }

  /** The steps from the main file to a place; null if they are not certain. */
  private stepsTo({ path, offset }: FilePlace): WayStep[] | null {
    const steps: WayStep[] = [{ path, offset, index: 0 }];
    let currentPath = path;
    while (currentPath !== this.configuration.rootScope.file.path) {
      const includes = this.includeLinesByFile.get(currentPath) ?? [];
      const isReadOnce = this.configuration.files.get(currentPath)?.readingCount === 1;
      if (includes.length !== 1 || !isReadOnce || steps.length > this.configuration.files.size) return null;
      steps.unshift({ ...includes[0]!.at, index: includes[0]!.index });
      currentPath = includes[0]!.at.path;
    }
    return steps;
  }
}
