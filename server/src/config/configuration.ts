/**
 * Reads a configuration as the server does: from the main file through its includes, in order, with
 * conditions decided as far as possible. The caller names the directives to gather; all other lines
 * are skipped. Each gathered line is put into its scope. If a section includes a file, its scope
 * has lines of several files. docs/how-httpd-reads.md.
 */
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { forEachItem, NodeKind, textOf, type List, type Section } from '../syntax/tree';
import { addTo } from '../syntax/groups';
import { cacheOf, counters } from '../syntax/memory';
import { activityInside, type Activity } from './activity';
import { nameInTag } from './condition';
import type { FileView, PathMap } from './files';
import { isForeignText } from './foreign';
import { Interpreter, isNestedTooDeep, type NestingDepth, type OpenedFile } from './interpreter';
import { lostLastLine } from './last-line';
import { treeOfText, type Macro } from './macro';
import type { MacroContext } from './macro-table';
import type { GapReason } from './model';
import { moduleNamed, MPM_NAMES } from './modules';
import { cachedByNames, namesIn, type NameSet } from './name-set';
import { isTransparent, sectionKind } from './sections';
import type { StartOptions } from './service-file';
import { DEFAULT_TARGET, type Target } from './target';

/** A gathered line, and where it is. */
export interface ConfigLine {
  readonly line: Line;
  /**
   * The line with its variables replaced. It is `line` itself if there is no variable, or if the
   * value of one is unknown.
   */
  readonly expandedLine: Line;
  readonly file: ConfigFile;
  /** The offset in the file, in UTF-16 units. */
  readonly offset: number;
  /**
   * The `<Limit>` sections and Require containers around the line in its scope, the outermost
   * first. Conditional sections are in `conditionals`.
   */
  readonly enclosingSections: readonly PlacedSection[];
  /** Whether httpd reads the line. The conditions around it decide that. */
  readonly activity: Activity;
  /**
   * The conditional sections around the line, in its file and scope. If httpd may not read the
   * line, those around the Include line that inserts it into the scope are first.
   */
  readonly conditionals: readonly Section[];
  /**
   * The name of the macro, if a Use line inserts the line. Then `line` has the values of the
   * arguments. `file` and `offset` are the place of the line in the macro.
   */
  readonly macro?: string;
  /**
   * The Use line that inserts the line. Absent if no Use line inserts it, or if a macro inserts
   * that Use line.
   */
  readonly use?: PlacedUse;
  /** Set if the conditions around the line have different results in 2.2 and 2.4. */
  readonly activityByVersion?: ActivityByVersion;
}

/** A Use line that is written in a file, with the macro that it finds. */
export interface PlacedUse {
  readonly line: Line;
  readonly file: ConfigFile;
  /** UTF-16 offset in the file. */
  readonly offset: number;
  readonly macro: Macro;
}

/** A section, and where it is. */
export interface PlacedSection {
  readonly section: Section;
  readonly file: ConfigFile;
  /** UTF-16 offset in the file. */
  readonly offset: number;
  /** Whether the section is in the text of a macro that a Use line inserts. */
  readonly isInMacro: boolean;
}

/** A container section of the configuration, or its top level. */
export interface Scope {
  /**
   * `server` for the main server outside of all sections; `htaccess` for a .htaccess file;
   * otherwise the name of the section in lower case.
   */
  readonly kind: string;
  /** The words of the tag. Variables are replaced if the values of all are known. */
  readonly words: readonly string[];
  readonly parent: Scope | null;
  readonly file: ConfigFile;
  readonly section: Section | null;
  /** Offset of the section in its file, or 0. */
  readonly offset: number;
  /** Whether httpd reads the section. The conditions around it decide that. */
  readonly activity: Activity;
  /**
   * Set if one of 2.2 and 2.4 reads the section and the other may not, as in `ConfigLine`. Then
   * `activity` is `unknown`.
   */
  readonly activityByVersion?: ActivityByVersion;
  readonly lines: readonly ConfigLine[];
  readonly children: readonly Scope[];
  /**
   * Names that may occur in the scope, also in inner sections. Null if unknown, for example because
   * the scope includes files.
   */
  readonly names?: NameSet | null;
  /** For a .htaccess file: the folder of the file, as a path on the server. */
  readonly folder?: string;
  /** Whether no line above the section loads a module, and all lines above it are known. */
  readonly isAboveLoads?: boolean;
}

/**
 * The activity of a line or section in both versions, if the two differ because of conditions.
 * Lines in the same conditions share one object, and callers compare these objects by identity.
 */
export interface ActivityByVersion extends ActivityInBothVersions {
  /** The conditions with different results, the outermost first. */
  readonly conditions: readonly VersionCondition[];
}

/** A condition with different results in the two servers. */
export interface VersionCondition extends PlacedSection {
  readonly file: ConfigFile;
  /** The results of this condition alone, in both servers. */
  readonly answers: ActivityInBothVersions;
  /**
   * Whether the section is in the text of a macro. Then its offset is that of a line of the macro.
   */
  readonly isInMacro: boolean;
  /** The files that an Include line in the condition includes. */
  readonly files: readonly ConfigFile[];
  /**
   * Whether all lines in the condition are known. False if an included file is missing, or if a
   * macro is unknown.
   */
  readonly knowsAllLines: boolean;
}

/** As `ActivityByVersion`, while the lines in its conditions are read. */
interface OpenActivityByVersion extends ActivityByVersion {
  readonly conditions: readonly OpenCondition[];
}

/** A condition with different results in the two servers, while its body is read. */
interface OpenCondition extends VersionCondition {
  readonly files: ConfigFile[];
  knowsAllLines: boolean;
}

/** The activity of a line, section or condition in 2.2 and in 2.4. */
export interface ActivityInBothVersions {
  readonly in22: Activity;
  readonly in24: Activity;
}

/**
 * Names that only one of the two servers may have, because they are defined or loaded in conditions
 * with different results. `defineFlags`: names for `<IfDefine>`. `modules`: source files and
 * identifiers. The value of a name is the server that has it; null if that is unknown.
 */
export interface NamesOfOneServer {
  readonly defineFlags: Map<string, keyof ActivityInBothVersions | null>;
  readonly modules: Map<string, keyof ActivityInBothVersions | null>;
}

/**
 * A file of the configuration. A file that is included twice, or under two paths, is one object.
 */
export interface ConfigFile {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  readonly tree: Tree;
  /**
   * How often the file is read. If it is read more than once, an edit changes its text for all
   * places that read it.
   */
  readingCount: number;
}

/** A configuration: the gathered lines in their scopes, and facts about its files and modules. */
export interface Configuration {
  readonly rootScope: Scope;
  /** The names of the directives that were gathered (`ReadOptions.names`). */
  readonly names: DirectiveNames;
  readonly files: ReadonlyMap<string, ConfigFile>;
  /** Source files of modules in the order of their LoadModule lines (`mod_x.so` as `mod_x.c`). */
  readonly modules: readonly string[];
  /**
   * The modules whose LoadModule lines httpd certainly reads, because all conditions around them
   * are true.
   */
  readonly loadedModules: ReadonlySet<string>;
  /** Modules and flags that only one of the two servers may have, after all files are read. */
  readonly namesOfOneServer: NamesOfOneServer;
  readonly pathMap: PathMap;
  readonly serverRoot: string;
  /**
   * The options with which the distribution's start script starts httpd. Null if no file has them.
   */
  readonly startOptions: StartOptions | null;
  /**
   * Parts that could not be read, with the reasons. If there is one, the configuration is not
   * completely known.
   */
  readonly gaps: readonly Gap[];
  /** The texts that Include and Use lines insert into a section, by the scope of that section. */
  readonly fragments: ReadonlyMap<Scope, readonly Fragment[]>;
  /**
   * The function that decided the conditions, as in `ReadOptions`. Undefined if the caller gave no
   * such function.
   */
  readonly decideCondition: ReadOptions['decideCondition'];
  readonly defineFlags: ReadOptions['defineFlags'];
  readonly oneVersionNames: ReadOptions['oneVersionNames'];
  /**
   * Names that `<IfDefine>` sections with gathered lines test, if no line defines the name, or if
   * the user answered whether it is set. The value is the first place of the name.
   */
  readonly askedFlags: ReadonlyMap<string, { readonly file: ConfigFile; readonly offset: number }>;
  /** The places of `<IfModule>` sections that test an MPM and have gathered lines. */
  readonly mpmConditions: readonly { readonly file: ConfigFile; readonly offset: number }[];
  /** Conditional sections that were reached, and whose lines no server reads at any place. */
  readonly unreadSections: ReadonlySet<Section>;
}

/** The text of another file, or of a macro, that is read inside a section. */
export interface Fragment {
  readonly file: ConfigFile;
  readonly list: List;
  /** Maps an offset in the list to the offset in the file. */
  readonly fileOffsetOf: (offset: number) => number;
}

/** A place at which the configuration is not fully known, and why. */
export interface Gap {
  readonly file: ConfigFile;
  readonly offset: number;
  readonly reason:
    | 'include-missing'
    | 'include-variable'
    | 'variable-line'
    | 'macro'
    | 'perl'
    | 'too-deep'
    | 'too-many'
    | 'condition'
    | 'mpm';
  /** The path, macro, tag or directive that is not known, as users see it. */
  readonly what: string;
}

/** Names of directives in lower case. */
export type DirectiveNames = Pick<ReadonlySet<string>, 'has'>;

/** How to read a configuration, and what to gather. */
export interface ReadOptions {
  /** The path of the main file, or of a .htaccess file. */
  readonly root: string;
  readonly view: FileView;
  /** Names of directives to gather, in lower case. */
  readonly names: DirectiveNames;
  /**
   * Names of conditions, limits and Require containers whose tags are gathered as lines; `names`
   * has them, too, with `<` before the name.
   */
  readonly tagNames?: DirectiveNames;
  readonly target?: Target;
  readonly pathMap?: PathMap;
  readonly serverRoot?: string;
  /** The names with which the server is started (`-D`), as in `ServerSettings`. */
  readonly defines?: ReadonlyMap<string, string> | null;
  readonly defineFlags?: ReadonlyMap<string, boolean>;
  /**
   * Names of directives whose lines count as active if at least one of the two servers reads them;
   * `activityByVersion` of the line shows which server. A line of another directive is then
   * `unknown`. Without this option, a condition with different results in the two servers is a gap.
   */
  readonly oneVersionNames?: DirectiveNames;
  /**
   * Whether a condition that is unknown in both servers counts as true in 2.2 and false in 2.4, so
   * that `activityByVersion` is set for its lines.
   */
  readonly splitsUnknownConditions?: boolean;
  /**
   * Decides a condition by its open tag. Returns undefined if the caller knows no more than the tag
   * and earlier lines show. `loadedModules`: source files of modules that are certainly loaded
   * before the condition. `isAboveLoads`: whether all modules that are not compiled in are loaded
   * after it.
   */
  readonly decideCondition?: (
    open: Line,
    loadedModules: ReadonlySet<string>,
    isAboveLoads?: boolean,
  ) => ConditionAnswer | undefined;
  /** Source files of modules that are loaded before anything is read, for a .htaccess file. */
  readonly loadedModules?: ReadonlySet<string>;
  /**
   * Modules and flags that may exist in only one server before anything is read, for a .htaccess
   * file.
   */
  readonly namesOfOneServer?: NamesOfOneServer;
  /** Returns true for a section that the caller does not need. Such a section is not read. */
  readonly skipsSection?: (section: Section) => boolean;
  /** Whether the server is 2.4, which does not read the last line of some files (last-line.ts). */
  readonly losesLastLines?: boolean;
}

/**
 * The result of a condition. `mpm`: it depends on the MPM, which is unknown. `differs`: it is
 * unknown in both servers, and the servers may differ. `unknown`: it is unknown, but equal in both
 * servers.
 */
export type ConditionAnswer = Activity | ActivityInBothVersions | 'mpm' | 'differs';

/** Counts files whose lines were read, once for each inclusion. Only tests use it. */
export const readingCounts = counters({ readings: 0 });

/** Reads a configuration; null if its main file cannot be read. */
export function readConfiguration(options: ReadOptions): Configuration | null {
  const tree = options.view.read(options.root);
  return tree && new ConfigurationReader(options).run(tree);
}

/**
 * The lines of a scope, without inner scopes, whose directive is one of `names`. The configuration
 * must have been read with these names. `skipsLine` returns true for lines that are left out.
 */
export function linesIn(
  scope: Scope,
  names: DirectiveNames,
  skipsLine?: (line: Line, configLine: LinePlace) => boolean,
): readonly ConfigLine[] {
  if (scope instanceof SectionScope) return scope.linesOf(names, skipsLine);
  return scope.lines.filter(
    (configLine) => names.has(configLine.line.name) && skipsLine?.(configLine.line, configLine) !== true,
  );
}

/**
 * Returns a function that tests whether a scope or an inner scope may have lines of these
 * directives. The function uses only the sets of names, so it reads no scope.
 */
export function mayHoldAny(names: DirectiveNames): (scope: Scope) => boolean {
  const holdsAny = cachedByNames((inside) => inside.hasSome((name) => names.has(name)));
  return ({ names: inside = null }) => inside === null || holdsAny(inside);
}

/** Reads a .htaccess file as a scope of its own. Null if the file cannot be read. */
export function readHtaccess(options: HtaccessOptions): Scope | null {
  return readHtaccessFile(options)?.rootScope ?? null;
}

/**
 * Like `readHtaccess`, but returns the whole configuration with its gaps. Null if the file cannot
 * be read.
 */
export function readHtaccessFile(options: HtaccessOptions): Configuration | null {
  const tree = options.view.read(options.root);
  return tree && new ConfigurationReader(options).run(tree, { kind: 'htaccess', folder: options.folder });
}

/** `folder`: the directory for which httpd reads the file, as a path on the server. */
export type HtaccessOptions = ReadOptions & { readonly folder: string };

// ---------------------------------------------------------------------------------------------------------------------

/** Tests of the names in a list that decide whether the list is read. */
interface ListTests {
  /** Whether a list has names to gather, or names that must be read in order. */
  readonly mustReadList: (names: NameSet) => boolean;
  /**
   * Whether a list has names to gather, or has inner scopes, Include lines or Use lines, which may
   * bring in such names.
   */
  readonly mayHaveWantedLines: (names: NameSet) => boolean;
}

/** Cached by names, because thousands of .htaccess files are read with the same names. */
const listTestsCache = cacheOf<DirectiveNames, ListTests>();

function listTestsFor(names: DirectiveNames): ListTests {
  let listTests = listTestsCache.get(names);
  if (!listTests) {
    const isGathered = (name: string) => names.has(name);
    listTests = {
      mustReadList: cachedByNames((inside) => inside.mustReadInOrder || inside.hasScopes || inside.hasSome(isGathered)),
      mayHaveWantedLines: cachedByNames(
        (inside) =>
          inside.hasScopes || inside.hasSome((name) => isGathered(name) || DIRECTIVES_INSERTING_LINES.has(name)),
      ),
    };
    listTestsCache.set(names, listTests);
  }
  return listTests;
}

/** Reads one configuration, and gathers its lines. */
class ConfigurationReader {
  private readonly files = new Map<string, ConfigFile>();
  private readonly modules: string[] = [];
  private readonly loadedModules: Set<string>;
  private readonly gapKeys = new Set<string>();
  private readonly gaps: Gap[] = [];
  private readonly interpreter: Interpreter<FileView>;
  /** The bodies of macros, with their files. */
  private readonly macroBodies = new Map<Macro, MacroBody>();
  private readonly askedFlags = new Map<string, { readonly file: ConfigFile; readonly offset: number }>();
  private readonly mpmConditions: { readonly file: ConfigFile; readonly offset: number }[] = [];
  private readonly fragments = new Map<Scope, Fragment[]>();
  private readonly unreadSections = new Set<Section>();
  /** Conditional sections whose lines were read, or may be read. */
  private readonly readSections = new Set<Section>();
  /** Opening tags of conditions that may have different results in the two servers. */
  private readonly tagsDifferingByVersion = new Set<Line>();
  private readonly namesOfOneServer: NamesOfOneServer;
  private readonly mustReadList: ListTests['mustReadList'];
  private readonly mayHaveWantedLines: ListTests['mayHaveWantedLines'];

  constructor(private readonly options: ReadOptions) {
    this.interpreter = new Interpreter({
      mainFile: options.root,
      view: options.view,
      content: (view, path) => view.read(path)?.text() ?? null,
      target: options.target ?? DEFAULT_TARGET,
      builtIn: NO_NAMES,
      knowsModules: false,
      serverRoot: options.serverRoot,
      pathMap: options.pathMap,
      defines: options.defines,
      defineFlags: options.defineFlags,
    });
    this.loadedModules = new Set(options.loadedModules);
    const { defineFlags, modules } = options.namesOfOneServer ?? {};
    this.namesOfOneServer = { defineFlags: new Map(defineFlags), modules: new Map(modules) };
    ({ mustReadList: this.mustReadList, mayHaveWantedLines: this.mayHaveWantedLines } = listTestsFor(options.names));
  }

  /**
   * Reads all files, from the tree of the main file on. `rootParts`: the kind of the top-level
   * scope; for a .htaccess file also its folder.
   */
  run(tree: Tree, rootParts: { kind: string; folder?: string } = { kind: 'server' }): Configuration {
    const { interpreter } = this;
    const rootScope = this.readRoot(tree, rootParts);
    return {
      rootScope,
      names: this.names,
      files: this.files,
      modules: this.modules,
      loadedModules: this.loadedModules,
      namesOfOneServer: this.namesOfOneServer,
      pathMap: interpreter.state.pathMap,
      serverRoot: interpreter.state.serverRoot,
      startOptions: interpreter.startOptions,
      gaps: this.gaps,
      askedFlags: this.askedFlags,
      mpmConditions: this.mpmConditions,
      fragments: this.fragments,
      unreadSections: this.unreadSections,
      defineFlags: this.options.defineFlags,
      decideCondition: this.options.decideCondition,
      oneVersionNames: this.options.oneVersionNames,
    };
  }

  private readRoot(tree: Tree, rootParts: { kind: string; folder?: string }): Scope {
    this.interpreter.countMainFile();
    const file = this.recordReading(this.interpreter.root, tree);
    const lines: ConfigLine[] = [];
    const children: Scope[] = [];
    const root: Scope = {
      kind: rootParts.kind,
      words: [],
      parent: null,
      file,
      section: null,
      offset: 0,
      activity: 'active',
      lines,
      children,
      folder: rootParts.folder,
      names: null,
    };
    this.readList(
      file,
      file.tree.root,
      0,
      newReadingContext(root, { names: this.options.names, lines, children, skipsLine: undefined }),
    );
    return root;
  }

  /** Counts one more reading of a file. Returns the object of that file. */
  private recordReading(path: string, tree: Tree): ConfigFile {
    let file = this.files.get(path);
    if (!file) this.files.set(path, (file = { path, tree, readingCount: 0 }));
    file.readingCount++;
    readingCounts.readings++;
    return file;
  }

  /** Reads the lines and sections of a list in order. `base`: the offset of the list. */
  private readList(file: ConfigFile, list: List, base: number, context: ReadingContext): void {
    if (!this.mustReadList(namesIn(list))) return;
    let offset = base;
    for (let i = 0; i < list.children.length; i++) {
      const child = list.children[i]!;
      if (child.kind === LineKind.Directive) this.readDirective(file, child, offset, context);
      else if (child.kind === NodeKind.Section) this.readSection(file, child, offset, context);
      else if (child.kind === NodeKind.List) this.readList(file, child, offset, context);
      offset += child.length;
    }
  }

  /**
   * Reads a scope that was skipped before: either its lines of some directives, or its inner
   * sections. No line of such a scope affects how other lines are read, or has a variable
   * (`NameSet.mustReadInOrder`). So only conditions and limits must be handled.
   */
  readSkippedScope(scope: SectionScope, linesToGather: LinesToGather): void {
    const { section, offset } = scope;
    this.gatherLinesIn(scope, section.body, offset + section.open.length, linesToGather);
  }

  /**
   * Gathers the lines or the inner scopes of a list in a skipped scope, as `readSkippedScope` does.
   */
  private gatherLinesIn(scope: SectionScope, list: List, base: number, linesToGather: LinesToGather): void {
    if (!this.mustReadList(namesIn(list))) return;
    const { names, lines, skipsLine } = linesToGather;
    const { file, activityByVersion } = scope;
    const { children } = list;
    const enclosingSections = NO_ITEMS;
    const conditionals = NO_ITEMS;
    let offset = base;
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      if (child.kind === LineKind.Directive) {
        const activity = activityByVersion === undefined ? scope.activity : this.activityOf(child, scope);
        if (
          lines !== null &&
          names.has(child.name) &&
          skipsLine?.(child, { activity, enclosingSections, conditionals }) !== true
        )
          lines.push(
            activityByVersion === undefined
              ? { line: child, expandedLine: child, file, offset, enclosingSections, activity, conditionals }
              : {
                  line: child,
                  expandedLine: child,
                  file,
                  offset,
                  enclosingSections,
                  activity,
                  conditionals,
                  activityByVersion,
                },
          );
      } else if (child.kind === NodeKind.Section) this.gatherSection(scope, child, offset, linesToGather);
      else if (child.kind === NodeKind.List) this.gatherLinesIn(scope, child, offset, linesToGather);
      offset += child.length;
    }
  }

  private gatherSection(scope: SectionScope, section: Section, offset: number, linesToGather: LinesToGather): void {
    const { file, activity, activityByVersion } = scope;
    if (isTransparent(sectionKind(section.name)))
      return this.readSection(file, section, offset, newReadingContext(scope, linesToGather));
    if (linesToGather.children === null || this.options.skipsSection?.(section)) return;
    const names = namesIn(section.body);
    linesToGather.children.push(
      new SectionScope(
        section,
        section.open,
        scope,
        file,
        offset,
        activity,
        this,
        names,
        this.loadedCountBefore(scope),
        activityByVersion,
        this.isAboveLoads(scope),
      ),
    );
  }

  /**
   * Whether httpd reads a line. If only one of the two servers reads it, the line is `active` if
   * its directive is in `oneVersionNames`, and `unknown` otherwise.
   */
  private activityOf(
    line: Line,
    { activity, activityByVersion }: Pick<ReadingContext, 'activity' | 'activityByVersion'>,
  ): Activity {
    const isTakenForOneVersion =
      activityByVersion !== undefined && this.options.oneVersionNames?.has(line.name) === true;
    return isTakenForOneVersion && (activityByVersion.in22 === 'active' || activityByVersion.in24 === 'active')
      ? 'active'
      : activity;
  }

  /** Applies the effect of a line on later lines, and gathers it if its directive is wanted. */
  private readDirective(file: ConfigFile, line: Line, offset: number, context: ReadingContext): void {
    if (this.options.losesLastLines === true && context.insertedBy === null && isLostLastLine(file.tree, line, offset))
      return;
    if (line.name.charCodeAt(0) === DOLLAR_CODE && line.name.startsWith('${'))
      this.readVariableLine(file, line, offset, context);
    else this.applyEffect(file, line, offset, context);
    if (context.lines && context.names.has(line.name) && context.skipsLine?.(line, context) !== true) {
      const { insertedBy, activityByVersion, enclosingSections, conditionals } = context;
      const expandedLine = this.expandedLine(line);
      const activity = this.activityOf(line, context);
      // A macro of hundreds of lines can be used hundreds of times, so no object is copied.
      context.lines.push(
        insertedBy === null && activityByVersion === undefined
          ? { line, expandedLine, file, offset, enclosingSections, activity, conditionals }
          : {
              line,
              expandedLine,
              file,
              offset: fileOffsetAt(offset, context),
              enclosingSections,
              activity,
              conditionals,
              macro: insertedBy?.macro.name,
              use: insertedBy?.use,
              activityByVersion,
            },
      );
    }
  }

  /** Applies the effect that a line (Include, Define, LoadModule and so on) has on later lines. */
  private applyEffect(file: ConfigFile, line: Line, offset: number, context: ReadingContext): void {
    switch (line.name) {
      case 'include':
      case 'includeoptional':
        return this.readInclude(file, line, offset, context);
      case 'loadmodule': {
        const { path } = this.interpreter.loadModule(line, context.activity);
        if (!path) return;
        const sourceFile = path.slice(path.lastIndexOf('/') + 1).replace(/\.(so|dll)$/i, '.c');
        this.modules.push(sourceFile);
        for (const name of [sourceFile, argumentsOf(line)[0]?.value])
          this.recordServersOf('modules', line, name, context);
        if (context.activity === 'active') this.loadedModules.add(sourceFile);
        return;
      }
      case 'serverroot':
        return this.interpreter.setServerRoot(line);
      case 'define':
        this.recordServersOf('defineFlags', line, argumentsOf(line)[0]?.value, context);
        this.interpreter.applyDefine(line, context.activity);
        return;
      case 'undefine':
        this.recordServersOf('defineFlags', line, argumentsOf(line)[0]?.value, context);
        return this.interpreter.applyUndefine(line, context.activity);
      case 'use':
        return this.readUse(file, line, offset, context);
      case 'undefmacro':
        this.interpreter.undefineMacro(line, context);
    }
  }

  /**
   * Handles a line whose name is a variable. Records a gap if the directive is unknown or is one to
   * gather. The caller cannot edit such a line, but must know that there is one.
   */
  private readVariableLine(file: ConfigFile, line: Line, offset: number, context: ReadingContext): void {
    const expandedLine = this.interpreter.lineNamedByVariable(line);
    const isLineKnown =
      expandedLine !== null &&
      context.activity === 'active' &&
      context.activityByVersion === undefined &&
      expandedLine.name !== 'loadmodule' &&
      !this.options.names.has(expandedLine.name);
    if (!isLineKnown) this.recordGap({ file, offset, reason: 'variable-line', what: line.name }, context);
    if (expandedLine) this.applyEffect(file, expandedLine, offset, context);
  }

  /**
   * Records a part of the configuration that cannot be read. After this part, there may be
   * definitions that are not known.
   */
  private recordGap(gap: Gap, context: ReadingContext): void {
    this.interpreter.recordMissingLines();
    for (const condition of context.activityByVersion?.conditions ?? NO_ITEMS) condition.knowsAllLines = false;
    const offset = fileOffsetAt(gap.offset, context);
    // A file that is read hundreds of times has each gap once.
    const gapKey = `${gap.file.path}\0${offset}\0${gap.reason}\0${gap.what}`;
    if (this.gapKeys.size < this.gapKeys.add(gapKey).size) this.gaps.push({ ...gap, offset });
  }

  /**
   * Reads the lines of a macro where it is used, in the scope of the Use line (use_macro in
   * modules/core/mod_macro.c).
   */
  private readUse(file: ConfigFile, useLine: Line, offset: number, context: ReadingContext): void {
    const { name, foundMacro } = this.interpreter.expandUse(useLine, file.path, context);
    const body =
      foundMacro && 'text' in foundMacro && foundMacro.isCertain ? this.macroBodies.get(foundMacro.macro) : undefined;
    // Without a known text, the Use line is a gap. That includes a line that httpd refuses: after
    // the user corrects it, it inserts lines that are not known here.
    if (!foundMacro || !('text' in foundMacro) || !body)
      return this.recordGap({ file, offset, reason: 'macro', what: name }, context);
    const originalOffsetOf = fileOffsetsIn(foundMacro.text, foundMacro.macro, body);
    const list = treeOfText(foundMacro.text).root;
    const { macro } = foundMacro;
    const use = context.insertedBy === null ? { line: useLine, file, offset, macro } : undefined;
    this.addFragment(context, { file: body.file, list, fileOffsetOf: originalOffsetOf });
    this.readList(body.file, list, 0, {
      ...context,
      nestingDepth: context.nestingDepth + 1,
      uses: [...context.uses, macro],
      insertedBy: { macro, fileOffsetOf: originalOffsetOf, use },
    });
  }

  private defineMacro(file: ConfigFile, section: Section, offset: number, context: ReadingContext): void {
    const bodyOffset = offset + section.open.length;
    const bodySource = { text: textOf(section.body), file: file.path, row: 0 };
    const macro = this.interpreter.defineMacro(section.open, bodySource, context);
    const outerFragment = context.insertedBy;
    const fileOffsetOfBody =
      outerFragment === null
        ? (at: number) => bodyOffset + at
        : (at: number) => outerFragment.fileOffsetOf(bodyOffset + at);
    if (macro) this.macroBodies.set(macro, { file, fileOffsetOf: fileOffsetOfBody });
  }

  /**
   * Reads a section: stores a macro, decides a condition, and makes a scope for a container. The
   * lines of limits and of Require containers belong to the scope around them.
   */
  private readSection(file: ConfigFile, section: Section, offset: number, context: ReadingContext): void {
    if (this.options.skipsSection?.(section)) return;
    if (section.name === 'macro') return this.defineMacro(file, section, offset, context);
    const kindOfSection = sectionKind(section.name);
    const bodyOffset = offset + section.open.length;
    if (isNestedTooDeep(context))
      return this.recordGap({ file, offset, reason: 'too-deep', what: section.open.text.trim() }, context);
    if (kindOfSection === 'opaque') {
      this.recordGap({ file, offset, reason: 'perl', what: section.name }, context);
      return;
    }
    if (kindOfSection === 'conditional') return this.readConditional(file, section, offset, context);
    if (kindOfSection === 'limit' || kindOfSection === 'authorization') {
      this.gatherTag(file, section, offset, context);
      this.readList(file, section.body, bodyOffset, {
        ...context,
        enclosingSections: [
          ...context.enclosingSections,
          { section, file, offset: fileOffsetAt(offset, context), isInMacro: context.insertedBy !== null },
        ],
        nestingDepth: context.nestingDepth + 1,
      });
      return;
    }
    if (!context.children) return;
    const namesInBody = namesIn(section.body);
    const isReadLater = !namesInBody.mustReadInOrder && context.insertedBy === null;
    const expandedTag = this.expandedLine(section.open);
    const scope = new SectionScope(
      section,
      expandedTag,
      context.scope,
      file,
      fileOffsetAt(offset, context),
      context.activity,
      isReadLater ? this : null,
      isReadLater ? namesInBody : null,
      isReadLater ? this.loadedCountBefore(context.scope) : Infinity,
      context.activityByVersion,
      this.isAboveLoads(context.scope),
    );
    context.children.push(scope);
    if (isReadLater) return;
    const { cachedLines: lines, cachedChildren: children } = scope;
    this.readList(file, section.body, bodyOffset, {
      scope,
      names: this.options.names,
      lines,
      children,
      skipsLine: undefined,
      activity: context.activity,
      enclosingSections: NO_ITEMS,
      conditionals: NO_ITEMS,
      uses: context.uses,
      unknownConditions: context.unknownConditions,
      includeDepth: context.includeDepth,
      nestingDepth: context.nestingDepth + 1,
      insertedBy: context.insertedBy,
      activityByVersion: context.activityByVersion,
    });
  }

  /**
   * Decides a condition, and reads its lines unless no server reads them. Records a gap if the
   * lines matter and their activity is not known well enough.
   */
  private readConditional(file: ConfigFile, section: Section, offset: number, context: ReadingContext): void {
    this.interpreter.countConditional(context);
    const conditionAnswer = this.answerTo(section, context);
    if (conditionAnswer === 'differs' || typeof conditionAnswer === 'object')
      this.tagsDifferingByVersion.add(section.open);
    if (section.name === 'ifmodule') this.recordAskedMpm(file, section, fileOffsetAt(offset, context));
    if (section.name === 'ifdefine') this.recordAskedFlag(file, section, offset, conditionAnswer);
    if (conditionAnswer !== 'inactive') this.gatherTag(file, section, offset, context);
    const placedSection = {
      section,
      offset: fileOffsetAt(offset, context),
      file,
      isInMacro: context.insertedBy !== null,
      files: [],
      knowsAllLines: true,
    };
    const activityByVersion =
      typeof conditionAnswer === 'object' && this.options.oneVersionNames !== undefined
        ? activityWithin(context, placedSection, conditionAnswer)
        : null;
    const isAnswerUncertain =
      conditionAnswer === 'mpm' ||
      conditionAnswer === 'differs' ||
      (typeof conditionAnswer === 'object' && activityByVersion === null);
    if (isAnswerUncertain && context.activity !== 'inactive' && this.mayHaveWantedLines(namesIn(section.body)))
      this.recordGap(
        { file, offset, reason: conditionAnswer === 'mpm' ? 'mpm' : 'condition', what: section.open.text.trim() },
        context,
      );
    const activityOfCondition: Activity =
      activityByVersion === null
        ? isAnswerUncertain
          ? 'unknown'
          : (conditionAnswer as Activity)
        : isReadByNoServer(activityByVersion)
          ? 'inactive'
          : 'unknown';
    const activity = activityInside(context.activity, activityOfCondition);
    this.recordWhetherRead(section, activity);
    if (activity === 'inactive') return;
    this.readList(file, section.body, offset + section.open.length, {
      ...context,
      activity,
      activityByVersion:
        activityByVersion ??
        (activityOfCondition === 'unknown' && context.activityByVersion
          ? activityWithin(context, placedSection, { in22: activityOfCondition, in24: activityOfCondition })
          : context.activityByVersion),
      conditionals: activityByVersion === null ? [...context.conditionals, section] : context.conditionals,
      unknownConditions:
        conditionAnswer === 'active' ? context.unknownConditions : [...context.unknownConditions, section.open],
      nestingDepth: context.nestingDepth + 1,
    });
  }

  /**
   * The result of a section's condition. It comes from `decideCondition` or, if that returns
   * undefined, from the tag and earlier lines.
   */
  private answerTo(section: Section, context: ReadingContext): ConditionAnswer {
    const { open } = section;
    const isAboveLoads = this.isAboveLoads(context.scope) && loadsModuleFiles(this.loadedModules, this.gaps);
    const decidedAnswer =
      this.options.decideCondition?.(open, this.modulesLoadedBefore(context), isAboveLoads) ??
      this.interpreter.activityByTag(open);
    const answerAfterLoads = decidedAnswer === 'inactive' && loadsTestedModule(section) ? 'unknown' : decidedAnswer;
    return answerAfterLoads === 'unknown' ? this.unknownAnswer(open) : answerAfterLoads;
  }

  /**
   * The result for both servers of a condition that neither the caller nor earlier lines decide.
   */
  private unknownAnswer(open: Line): ConditionAnswer {
    if (this.options.splitsUnknownConditions === true) return ACTIVE_ONLY_IN_22;
    return this.testsNameOfOneServer(open) ? this.answersForOneServer(open) : 'unknown';
  }

  /** Records the name that a line defines or loads, if perhaps only one server reads the line. */
  private recordServersOf(
    kind: keyof NamesOfOneServer,
    line: Line,
    name: string | undefined,
    context: ReadingContext,
  ): void {
    const serverByName = this.namesOfOneServer[kind];
    if (name === undefined) return;
    if (context.activity === 'active') serverByName.delete(name);
    if (!context.unknownConditions.some((open) => this.tagsDifferingByVersion.has(open))) {
      if (serverByName.has(name)) serverByName.set(name, null);
      return;
    }
    const server = line.name === 'undefine' ? null : onlyVersionReading(context.activityByVersion);
    const earlierServer = serverByName.get(name) ?? null;
    // If both servers have a line for the name, both have the name.
    if (server !== null && earlierServer !== null && server !== earlierServer) serverByName.delete(name);
    else serverByName.set(name, serverByName.has(name) && server !== earlierServer ? null : server);
  }

  /**
   * Whether a tag tests a name that perhaps only one server has, because a line before it defines
   * or loads the name in one server.
   */
  private testsNameOfOneServer(open: Line): boolean {
    const kindOfName = open.name === 'ifdefine' ? 'defineFlags' : open.name === 'ifmodule' ? 'modules' : null;
    if (kindOfName === null || this.namesOfOneServer[kindOfName].size === 0) return false;
    const testedName = nameInTag(open, 4)?.name ?? '';
    return testedName.includes('${') || this.namesOfOneServer[kindOfName].has(testedName);
  }

  /**
   * The results of an `<IfDefine>` in both servers, if only 2.4 defines its name. The result in 2.2
   * can be unknown, because 2.2 may be started with `-D` and this name. For all other tags the
   * result is `differs`.
   */
  private answersForOneServer(open: Line): ConditionAnswer {
    const condition = open.name === 'ifdefine' ? nameInTag(open, 4) : null;
    if (condition === null || this.namesOfOneServer.defineFlags.get(condition.name) !== 'in24') return 'differs';
    const { defines, defineFlags } = this.options;
    const isFlagKnown = defineFlags?.get(condition.name) === false || (defines && !defines.has(condition.name));
    const activityIn22: Activity = !isFlagKnown ? 'unknown' : condition.isNegated ? 'active' : 'inactive';
    return { in22: activityIn22, in24: condition.isNegated ? 'inactive' : 'active' };
  }

  /**
   * Gathers the tag of a section as a line, if the caller wants such tags (`ReadOptions.tagNames`).
   */
  private gatherTag(file: ConfigFile, { name, open }: Section, offset: number, context: ReadingContext): void {
    if (!context.lines || this.options.tagNames?.has(name) !== true) return;
    const { enclosingSections, activity, conditionals } = context;
    context.lines.push({
      line: open,
      expandedLine: open,
      file,
      offset: fileOffsetAt(offset, context),
      enclosingSections,
      activity,
      conditionals,
    });
  }

  /** Records whether httpd reads, or may read, the lines of a conditional section. */
  private recordWhetherRead(section: Section, activity: Activity): void {
    if (activity !== 'inactive') {
      this.readSections.add(section);
      this.unreadSections.delete(section);
    } else if (!this.readSections.has(section)) this.unreadSections.add(section);
  }

  /** Records the place of an `<IfModule>` that tests an MPM and has gathered lines. */
  private recordAskedMpm(file: ConfigFile, { open, body }: Section, offset: number): void {
    const module = moduleNamed(nameInTag(open, 4)?.name ?? '');
    if (module !== null && MPM_NAMES.has(module) && this.mayHaveWantedLines(namesIn(body)))
      this.mpmConditions.push({ file, offset });
  }

  /**
   * Records the name that an `<IfDefine>` with gathered lines tests, if the user may be asked about
   * it.
   */
  private recordAskedFlag(file: ConfigFile, { open, body }: Section, offset: number, answer: ConditionAnswer): void {
    const flagName = argumentsOf(open)[0]?.value.replace(/^!/, '') ?? '';
    if (flagName === '' || flagName.includes('${') || this.askedFlags.has(flagName)) return;
    const mayDifferByFlag = answer === 'unknown' || (typeof answer === 'object' && answer.in22 === 'unknown');
    if ((mayDifferByFlag || this.options.defineFlags?.has(flagName)) && this.mayHaveWantedLines(namesIn(body)))
      this.askedFlags.set(flagName, { file, offset });
  }

  get names(): DirectiveNames {
    return this.options.names;
  }

  /**
   * The modules that LoadModule lines above a place load. They decide a condition at that place,
   * even if its section is read only on first use.
   */
  private modulesLoadedBefore({ scope }: ReadingContext): ReadonlySet<string> {
    const loadedCount = this.loadedCountBefore(scope);
    return loadedCount === this.loadedModules.size
      ? this.loadedModules
      : new Set([...this.loadedModules].slice(0, loadedCount));
  }

  /**
   * The number of modules that LoadModule lines above a place in `scope` load. A scope whose
   * contents are read on first use has no LoadModule lines. For a place in such scopes, this is the
   * number above the outermost of them.
   */
  private loadedCountBefore(scope: Scope): number {
    return scope instanceof SectionScope
      ? Math.min(scope.loadedCountBefore, this.loadedModules.size)
      : this.loadedModules.size;
  }

  /**
   * Whether no earlier line loads a module, and everything before it was read
   * (`Scope.isAboveLoads`).
   */
  private isAboveLoads(scope: Scope): boolean {
    if (scope instanceof SectionScope) return scope.isAboveLoads;
    return this.modules.length === 0 && this.gaps.length === 0 && !this.options.loadedModules;
  }

  /**
   * Reads the files of an Include line in the scope of that line. Records a gap for each file that
   * cannot be read.
   */
  private readInclude(file: ConfigFile, line: Line, offset: number, context: ReadingContext): void {
    const { what, problem, names } = this.includeAnswer(line, file, context);
    if (problem) this.recordGap({ file, offset, reason: SHOWN_REASON_OF_GAP[problem], what }, context);
    let isListCut = false;
    for (const name of names) {
      if (isListCut) break;
      const openedFile = this.openFile(name, context.scope);
      if ('problem' in openedFile) {
        const { problem } = openedFile;
        isListCut = problem === 'too-many';
        this.recordGap(
          {
            file,
            offset,
            reason: SHOWN_REASON_OF_GAP[problem],
            what: problem === 'include-missing' ? this.interpreter.serverPathOfInclude(name, what) : what,
          },
          context,
        );
        continue;
      }
      const includedFile = this.recordReading(openedFile.path, openedFile.content);
      for (const condition of context.activityByVersion?.conditions ?? NO_ITEMS) condition.files.push(includedFile);
      this.addFragment(context, {
        file: includedFile,
        list: openedFile.content.root,
        fileOffsetOf: (offset) => offset,
      });
      this.readList(includedFile, openedFile.content.root, 0, {
        ...context,
        // In a section, a condition around the Include line decides whether the lines of the file
        // apply.
        conditionals: context.scope.section !== null && context.activity !== 'active' ? context.conditionals : NO_ITEMS,
        includeDepth: context.includeDepth + 1,
        nestingDepth: context.nestingDepth + 1,
        insertedBy: null,
      });
    }
  }

  private addFragment({ scope }: ReadingContext, fragment: Fragment): void {
    if (scope.section !== null) addTo(this.fragments, scope, fragment);
  }

  /** The files that an Include line reads, for `readInclude`. */
  private includeAnswer(line: Line, { path }: ConfigFile, context: ReadingContext): IncludeAnswer {
    const { what, files: names, problem, mayMissLines } = this.interpreter.findIncludedFiles(line, path, context);
    return {
      what: this.interpreter.pathForQuestion(what),
      problem: mayMissLines ? problem : null,
      names,
    };
  }

  /** Opens an included file by its name from `includeAnswer`. */
  private openFile(name: string, scope: Scope): OpenedFile<Tree> {
    return this.interpreter.openFile(
      name,
      scope,
      (view, path) => view.read(path),
      (view, path, tree) => (tree === null ? view.kind(path) === 'file' : isForeignText(tree.root)),
    );
  }

  private expandedLine(line: Line): Line {
    if (!line.mayHaveVariable || !line.text.includes('${')) return line;
    return this.interpreter.expandedLine(line) ?? line;
  }
}

/**
 * Whether the server loads modules from files: by LoadModule lines, or by missing files of a
 * package that contain such lines.
 */
export function loadsModuleFiles(loadedModules: ReadonlySet<string>, gaps: readonly Gap[]): boolean {
  return loadedModules.size > 0 || gaps.some(({ what }) => /(?:^|\/)(?:mods-enabled|conf\.modules\.d)\//.test(what));
}

/** Whether 2.4 does not read the line, because it is the last line, below a Use (last-line.ts). */
function isLostLastLine(tree: Tree, line: Line, offset: number): boolean {
  return offset + line.length === tree.length && lostLastLine(tree) !== null;
}

/**
 * Whether the section is an `<IfModule !mod_x.c>` around the LoadModule line of mod_x. httpd reads
 * its lines if no earlier line loads that module, so the module is loaded in the end.
 */
function loadsTestedModule({ open, body }: Section): boolean {
  const condition = open.name === 'ifmodule' && namesIn(body).hasName('loadmodule') ? nameInTag(open, 4) : null;
  const module = condition?.isNegated ? moduleNamed(condition.name) : null;
  let isLoaded = false;
  if (module !== null)
    forEachItem(body, 0, (item) => {
      if (item.kind !== LineKind.Directive || item.name !== 'loadmodule') return;
      isLoaded ||= moduleNamed(argumentsOf(item)[0]?.value ?? '') === module;
    });
  return isLoaded;
}

/**
 * The scope of a section. The words of its tag and its lines are often not needed, so they are read
 * on first use.
 */
class SectionScope implements Scope {
  /** The lines of this scope, without those of inner scopes. Null until they are read. */
  cachedLines: ConfigLine[] | null = null;
  cachedChildren: Scope[] | null = null;
  private cachedWords: readonly string[] | null = null;
  readonly kind: string;

  /**
   * `reader`: reads the contents of the scope on first use; null if the caller adds them. `names`:
   * the names in the scope; null if `reader` is null.
   */
  constructor(
    readonly section: Section,
    private readonly open: Line,
    readonly parent: Scope,
    readonly file: ConfigFile,
    readonly offset: number,
    readonly activity: Activity,
    private readonly reader: ConfigurationReader | null,
    readonly names: NameSet | null,
    /**
     * The number of modules that LoadModule lines above this scope load. Used only if `reader` is
     * not null, and the contents of the scope are therefore read on first use.
     */
    readonly loadedCountBefore: number,
    readonly activityByVersion: OpenActivityByVersion | undefined,
    readonly isAboveLoads: boolean,
  ) {
    this.kind = section.name;
    if (reader) return;
    this.cachedLines = [];
    this.cachedChildren = [];
  }

  get words(): readonly string[] {
    return (this.cachedWords ??= argumentsOf(this.open).map((word) => word.value));
  }

  get lines(): readonly ConfigLine[] {
    if (this.cachedLines === null) {
      this.cachedLines = [];
      this.reader!.readSkippedScope(this, {
        names: this.reader!.names,
        lines: this.cachedLines,
        children: null,
        skipsLine: undefined,
      });
      // The copy has no spare capacity, which matters because the list stays in memory as long as
      // the configuration.
      this.cachedLines = this.cachedLines.slice();
    }
    return this.cachedLines;
  }

  get children(): readonly Scope[] {
    if (this.cachedChildren === null) {
      if (!this.names!.hasScopes) return NO_ITEMS;
      this.cachedChildren = [];
      this.reader!.readSkippedScope(this, {
        names: NO_NAMES,
        lines: null,
        children: this.cachedChildren,
        skipsLine: undefined,
      });
      this.cachedChildren = this.cachedChildren.slice();
    }
    return this.cachedChildren;
  }

  linesOf(names: DirectiveNames, skipsLine?: (line: Line, configLine: LinePlace) => boolean): readonly ConfigLine[] {
    if (this.cachedLines !== null)
      return this.cachedLines.filter(
        (configLine) => names.has(configLine.line.name) && skipsLine?.(configLine.line, configLine) !== true,
      );
    const gatheredLines: ConfigLine[] = [];
    this.reader!.readSkippedScope(this, { names, lines: gatheredLines, children: null, skipsLine });
    return gatheredLines;
  }
}

/** The place of a line in its scope. */
export type LinePlace = Pick<ConfigLine, 'activity' | 'enclosingSections' | 'conditionals'>;

/**
 * The directives to gather, and the lists to fill with lines and scopes. A list is null if its
 * items are not gathered.
 */
interface LinesToGather {
  readonly names: DirectiveNames;
  readonly lines: ConfigLine[] | null;
  readonly children: Scope[] | null;
  readonly skipsLine: ((line: Line, configLine: LinePlace) => boolean) | undefined;
}

/** Where a line is read: in which scope, inside which conditions and macros. */
interface ReadingContext extends LinesToGather, LinePlace, NestingDepth, MacroContext {
  readonly scope: Scope;
  /** The macro text that is being read; null if the lines are those of a file. */
  readonly insertedBy: InsertedText | null;
  /** Set if only one server reads this place. Then `activity` is unknown. Otherwise undefined. */
  readonly activityByVersion: OpenActivityByVersion | undefined;
}

/**
 * The context for the lines of a scope without any section around them in that scope. The scope is
 * the top level, or one that is read on first use.
 */
function newReadingContext(scope: Scope, { names, lines, children, skipsLine }: LinesToGather): ReadingContext {
  return {
    scope,
    names,
    lines,
    children,
    skipsLine,
    activity: scope.activity,
    enclosingSections: NO_ITEMS,
    conditionals: NO_ITEMS,
    uses: NO_ITEMS,
    unknownConditions: NO_ITEMS,
    includeDepth: 0,
    nestingDepth: 0,
    insertedBy: null,
    activityByVersion: scope instanceof SectionScope ? scope.activityByVersion : undefined,
  };
}

/** The results of a condition in both servers, combined with those of the conditions around it. */
function activityWithin(
  { activity, activityByVersion = { in22: activity, in24: activity, conditions: NO_ITEMS } }: ReadingContext,
  condition: Omit<OpenCondition, 'answers'>,
  answers: ActivityInBothVersions,
): OpenActivityByVersion {
  return {
    in22: activityInside(activityByVersion.in22, answers.in22),
    in24: activityInside(activityByVersion.in24, answers.in24),
    conditions: [...activityByVersion.conditions, { ...condition, answers }],
  };
}

/** The server that reads lines with this activity, if certainly only one does; otherwise null. */
function onlyVersionReading(activityByVersion: ActivityByVersion | undefined): keyof ActivityInBothVersions | null {
  if (activityByVersion?.in22 === 'active' && activityByVersion.in24 === 'inactive') return 'in22';
  return activityByVersion?.in22 === 'inactive' && activityByVersion.in24 === 'active' ? 'in24' : null;
}

/**
 * Whether no server reads a line, because each server finds one of the conditions around it false.
 */
function isReadByNoServer({ in22, in24 }: ActivityByVersion): boolean {
  return in22 === 'inactive' && in24 === 'inactive';
}

/** The files that an Include line reads. */
interface IncludeAnswer {
  readonly what: string;
  /** The reason why lines of the included files are unknown; null if all are known. */
  readonly problem: GapReason | null;
  readonly names: readonly string[];
}

/** The macro of a Use line, with its text after the values replaced the parameters. */
interface InsertedText {
  readonly macro: Macro;
  /** Absent if a macro inserts the Use line. */
  readonly use: PlacedUse | undefined;
  /** Maps an offset in the text to the offset of its line in the macro's file. */
  readonly fileOffsetOf: (offset: number) => number;
}

/** The file that contains the body of a macro. */
interface MacroBody {
  readonly file: ConfigFile;
  /** Maps an offset in the body to the offset in the file. */
  readonly fileOffsetOf: (offset: number) => number;
}

/**
 * Converts an offset in the text that is being read to an offset in the file. In the body of a
 * macro, the text has values instead of parameters.
 */
function fileOffsetAt(offset: number, { insertedBy }: ReadingContext): number {
  return insertedBy === null ? offset : insertedBy.fileOffsetOf(offset);
}

/**
 * Maps an offset in `text` to the offset of its line in the file. Works because replacing the
 * parameters keeps the number of lines: each line has the same row as in the macro.
 */
function fileOffsetsIn(text: string, macro: Macro, { fileOffsetOf }: MacroBody): (offset: number) => number {
  const lineStarts = [0];
  for (let i = macro.text.indexOf('\n'); i >= 0; i = macro.text.indexOf('\n', i + 1)) lineStarts.push(i + 1);
  // The function is fast if it is called for lines in the order of the text.
  let row = 0;
  let nextNewline = text.indexOf('\n');
  let lastOffset = 0;
  return (offset) => {
    if (offset < lastOffset) {
      row = 0;
      nextNewline = text.indexOf('\n');
    }
    lastOffset = offset;
    for (; nextNewline >= 0 && nextNewline < offset; nextNewline = text.indexOf('\n', nextNewline + 1)) row++;
    return fileOffsetOf(lineStarts[row] ?? 0);
  };
}

const ACTIVE_ONLY_IN_22: ActivityInBothVersions = { in22: 'active', in24: 'inactive' };

const NO_NAMES: ReadonlySet<string> = new Set();

const NO_ITEMS: readonly never[] = [];

const DOLLAR_CODE = 36;

const DIRECTIVES_INSERTING_LINES = new Set(['include', 'includeoptional', 'use']);

/**
 * The reason of a gap that callers get for each reason of the interpreter. Several reasons become
 * one.
 */
const SHOWN_REASON_OF_GAP: Readonly<Record<GapReason, Gap['reason']>> = {
  'include-missing': 'include-missing',
  'include-variable': 'include-variable',
  'include-folder-missing': 'include-missing',
  'include-unreadable': 'include-missing',
  'too-deep': 'too-deep',
  'too-many': 'too-many',
  macro: 'macro',
  perl: 'perl',
  'variable-line': 'variable-line',
};
