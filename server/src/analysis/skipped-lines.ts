/**
 * Finds the lines of a checked copy that httpd skipped, although the server may read them. The
 * conditions around such lines test a module or a release that this httpd does not have. Does no
 * I/O.
 */
import { activityOf, isModuleAbsentIn24 } from '../config/activity';
import { isTrueForVersion, nameInTag, type Release } from '../config/condition';
import { moduleNamed, moduleNameMeant } from '../config/modules';
import type { Target } from '../config/target';
import { argumentsOf, lexLines, LineKind, type Line } from '../syntax/line';
import type { CheckCopy, UncheckedLine } from './check-copy';

/** How httpd read a copy. */
export interface RunOfHttpd {
  /** The release of httpd. */
  readonly release: Release;
  /** The release that the server will run, as far as it is known. */
  readonly target: Target;
  /**
   * The modules that httpd had before it read the first line. They have the names of the manual,
   * such as `mod_ssl`.
   */
  readonly modulesAtStart: ReadonlySet<string>;
  /** The names with which httpd started (`-D`). */
  readonly startNames: ReadonlySet<string>;
  /** Whether the server may have modules that no line of the copy loads. */
  readonly mayHaveMoreModules: boolean;
  /** Finds the files that an Include line of the copy includes, as indexes of `CheckCopy.files`. */
  readonly filesIncludedBy: (pathOrPattern: string) => readonly number[];
}

/**
 * The lines that httpd skipped and the server may read, each with the reason. Lines that no 2.4
 * server reads are left out. So are lines in `<IfDefine>`, which unread-lines.ts finds.
 */
export function skippedLines(copy: CheckCopy, run: RunOfHttpd): UncheckedLine[] {
  return new SkippedLineFinder(copy, run).find();
}

// ---------------------------------------------------------------------------------------------------------------------

/** Why httpd skips lines. `null`: the server skips them, too, or another part reports them. */
interface WhySkipped {
  readonly reason: string | null;
}

/** Goes through the lines of a copy in the order in which httpd reads them. */
class SkippedLineFinder {
  /** The skipped lines of each file, by the index of the file. */
  private readonly skippedLinesByFile = new Map<number, UncheckedLine[]>();
  private readonly readFileIndexes = new Set<number>();
  private readonly skippedFileIndexes = new Set<number>();
  /** The modules that are loaded at the current line. */
  private readonly modules: Set<string>;
  /** The names that are set at the current line (`-D` and Define). */
  private readonly names: Set<string>;

  constructor(
    private readonly copy: CheckCopy,
    private readonly run: RunOfHttpd,
  ) {
    this.modules = new Set(run.modulesAtStart);
    this.names = new Set(run.startNames);
  }

  find(): UncheckedLine[] {
    this.readFile(0, null);
    return [...this.skippedLinesByFile.values()].flat();
  }

  /**
   * Reads a file of the copy. `skippedAround`: why httpd skips the Include line of the file; null
   * if httpd reads that line.
   */
  private readFile(index: number, skippedAround: WhySkipped | null): void {
    const file = this.copy.files[index];
    const visitedFiles = skippedAround === null ? this.readFileIndexes : this.skippedFileIndexes;
    if (!file || visitedFiles.has(index) || this.readFileIndexes.has(index)) return;
    visitedFiles.add(index);
    const skippedLinesOfFile: UncheckedLine[] = [];
    this.skippedLinesByFile.set(index, skippedLinesOfFile);
    const sections = [skippedAround];
    file.lines.forEach((text, lineIndex) => {
      const [line] = lexLines(text);
      if (!line) return;
      const isConditional = /^if(module|version|define)$/.test(line.name);
      if (line.kind === LineKind.Close && isConditional && sections.length > 1) sections.pop();
      if (line.kind !== LineKind.Open && line.kind !== LineKind.Directive) return;
      const skipped = sections.at(-1) ?? null;
      if (skipped !== null && skipped.reason !== null)
        skippedLinesOfFile.push({ file: file.path, line: file.rows[lineIndex] ?? 0, reason: skipped.reason });
      if (line.kind === LineKind.Directive) this.readDirective(line, skipped);
      else if (isConditional) sections.push(skipped ?? this.whyBodyIsSkipped(line));
    });
  }

  /** Follows an Include line, and changes `names` and `modules` if httpd reads the line. */
  private readDirective(line: Line, skipped: WhySkipped | null): void {
    const [firstArgument] = argumentsOf(line);
    if (firstArgument === undefined) return;
    if (line.name === 'include' || line.name === 'includeoptional')
      for (const index of this.run.filesIncludedBy(firstArgument.value)) this.readFile(index, skipped);
    else if (skipped !== null) return;
    else if (line.name === 'define') this.names.add(firstArgument.value);
    else if (line.name === 'undefine') this.names.delete(firstArgument.value);
    else if (line.name === 'loadmodule') this.modules.add(moduleNamed(firstArgument.value) ?? firstArgument.value);
  }

  /** Why httpd skips the lines in a section; null if it reads them. */
  private whyBodyIsSkipped(open: Line): WhySkipped | null {
    if (open.name === 'ifversion') return this.whySkippedByVersion(open);
    const condition = nameInTag(open, 4);
    if (condition === null || condition.name.includes('${')) return null;
    const { name, isNegated } = condition;
    if (open.name === 'ifdefine') return this.names.has(name) === isNegated ? { reason: null } : null;
    const module = moduleNamed(name) ?? name;
    const isNameOfModule = !isModuleAbsentIn24(name) && moduleNameMeant(name) === undefined;
    const isLoaded = isNameOfModule && this.modules.has(module);
    if (isLoaded !== isNegated) return null;
    return { reason: isNegated || !isNameOfModule ? null : this.reasonOfModule(module) };
  }

  /** Why httpd skips the lines in an `<IfVersion>`; null if it reads them. */
  private whySkippedByVersion(open: Line): WhySkipped | null {
    const { release, target } = this.run;
    if (isTrueForVersion(open, release) !== false) return null;
    const isNeverRead = activityOf(open, target) === 'inactive';
    return { reason: isNeverRead ? null : `only other releases than 2.4.${release.patch} read this line` };
  }

  /** Why the lines for a module were skipped. Null if the server lacks the module, too. */
  private reasonOfModule(module: string): string | null {
    const { missingModules, sourceOfOtherLines } = this.copy;
    if (missingModules.has(module)) return `httpd reads this line only with ${module}, which is not installed here`;
    return this.run.mayHaveMoreModules
      ? `httpd reads this line only with ${module}; ${sourceOfOtherLines} may load it`
      : null;
  }
}
