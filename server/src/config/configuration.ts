/**
 * A configuration as the server reads it: from the root file through its includes, in order, conditionals decided as far as
 * they can be, every line of interest in the scope it stands in. docs/how-httpd-reads.md.
 *
 * What is gathered is what the caller names: the walk passes everything else by. Scopes hold lines of several files where a
 * snippet is included inside a section.
 */
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { NodeKind, textOf, type List, type Section } from '../syntax/tree';
import { counters } from '../syntax/memory';
import { both, type Activity } from './activity';
import { driveOf, resolvePath, type FileView, type PathMap } from './files';
import { Interpreter, type Depth } from './interpreter';
import { treeOfText, type Macro } from './macro';
import type { MacroPlace } from './macro-table';
import type { GapReason } from './model';
import { askedOnce, namesIn, type NameSet } from './name-set';
import { sectionKind } from './sections';
import type { StartOptions } from './service-file';
import { DEFAULT_TARGET, type Target } from './target';

/** A line of interest and where it stands. */
export interface ConfigLine {
  readonly line: Line;
  /** As the server reads it, its variables replaced; `line` itself where there are none, or where nobody knows what one of them is. */
  readonly expanded: Line;
  readonly file: ConfigFile;
  /** UTF-16 offset in the file. */
  readonly offset: number;
  /** The limits and Require containers around it within its scope, outermost first; conditionals are in `activity`. */
  readonly within: readonly PlacedSection[];
  readonly activity: Activity;
  /** The conditional sections around it within its file and scope. */
  readonly conditionals: readonly Section[];
  /** Of a line that a Use brings in: the macro. The line is as the server reads it, and `file` and `offset` are those of the line of the macro that it comes from. */
  readonly macro?: string;
  /** It is there for one of the two servers that the caller has in mind alone. */
  readonly only?: 'before' | 'after';
}

export interface PlacedSection {
  readonly section: Section;
  /** UTF-16 offset in the file. */
  readonly offset: number;
}

/** A container section of the configuration, or its top level. */
export interface Scope {
  /** `server` for the top level of the main server; `htaccess` for a .htaccess; otherwise a section's name in lower case. */
  readonly kind: string;
  /** The words of the tag, variables replaced where all of them are known. */
  readonly words: readonly string[];
  readonly parent: Scope | null;
  readonly file: ConfigFile;
  readonly section: Section | null;
  /** Of the section (or 0) in its file. */
  readonly offset: number;
  /** Whether the section is there at all, as far as conditionals around it tell. */
  readonly activity: Activity;
  readonly lines: readonly ConfigLine[];
  readonly children: readonly Scope[];
  /** Names that may stand in it, its children counted; null where that is not known, as where it includes files. */
  readonly names?: NameSet | null;
  /** For a .htaccess: its folder, as the configuration would name it. */
  readonly folder?: string;
}

/** A file of the configuration: included twice, or by two names, it is one. */
export interface ConfigFile {
  /** Without links. */
  readonly path: string;
  readonly tree: Tree;
  /** How often it is read. Its text cannot be changed for one of the readers alone. */
  readings: number;
}

export interface Configuration {
  readonly root: Scope;
  /** What it was read with. */
  readonly names: Names;
  readonly files: ReadonlyMap<string, ConfigFile>;
  /** Source files of modules in the order of their LoadModule lines (`mod_x.so` as `mod_x.c`). */
  readonly modules: readonly string[];
  /** Those of them that no condition leaves out. */
  readonly loaded: ReadonlySet<string>;
  readonly map: PathMap;
  readonly serverRoot: string;
  /** What a file of the distribution says that the server is started with; null where none does. */
  readonly started: StartOptions | null;
  /** What was not read, and why; then nobody knows all of this configuration. */
  readonly gaps: readonly Gap[];
  /** How its conditions were decided. */
  readonly conditions: ReadOptions['conditions'];
  readonly flags: ReadOptions['flags'];
  readonly halves: ReadOptions['halves'];
  /** Names that an `<IfDefine>` around something of interest asks for, and of which no line here and no option tells, with the first place that asks. */
  readonly askedFlags: ReadonlyMap<string, { readonly file: ConfigFile; readonly offset: number }>;
  /** Whether the value of some variable was asked for: then what `skips` passed over could have defined it. */
  readonly asksVariables: boolean;
}

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
    | 'condition';
  readonly what: string;
}

/** Names of directives in lower case. */
export type Names = Pick<ReadonlySet<string>, 'has'>;

export interface ReadOptions {
  readonly root: string;
  readonly view: FileView;
  /** Names of directives to gather, in lower case. */
  readonly names: Names;
  /** Names of conditions, limits and Require containers whose tags are gathered as lines; with a `<` in front they are among `names`, too. */
  readonly tags?: Names;
  readonly target?: Target;
  readonly map?: PathMap;
  readonly serverRoot?: string;
  /** What the server is started with, as in `ServerSettings`. */
  readonly defines?: ReadonlyMap<string, string> | null;
  readonly flags?: ReadonlyMap<string, boolean>;
  /** Names of directives whose lines the caller can take where they are there for one of its two servers alone, see `ConfigLine.only`. */
  readonly halves?: Names;
  /** Whether a condition holds, by its open tag, where the caller knows more than the tag tells. `loaded`: source files of the modules that are loaded for sure up to there. */
  readonly conditions?: (open: Line, loaded: ReadonlySet<string>) => ConditionAnswer | undefined;
  /** Source files of modules that are loaded before anything is read, as for a .htaccess. */
  readonly loaded?: ReadonlySet<string>;
  /** Sections of which the caller knows that nothing in them matters to it. */
  readonly skips?: (section: Section) => boolean;
}

/** `before`, `after`: of the two servers that the caller has in mind it holds for that one alone; `differs`: it may do so. */
export type ConditionAnswer = Activity | 'before' | 'after' | 'differs';

/** Files read, each as often as it was included; for tests. */
export const work = counters({ readings: 0 });

/** Reads a configuration. Returns null where the root file cannot be read. */
export function readConfiguration(options: ReadOptions): Configuration | null {
  const tree = options.view.read(options.root);
  return tree && new Reader(options).run(tree);
}

/** The lines of some names in a scope, its children left out; of those names that the configuration was read with. `passesOver` says which the caller can do without. */
export function linesIn(
  scope: Scope,
  names: Names,
  passesOver?: (line: Line, at: LinePlace) => boolean,
): readonly ConfigLine[] {
  if (scope instanceof SectionScope) return scope.linesOf(names, passesOver);
  return scope.lines.filter((at) => names.has(at.line.name) && passesOver?.(at.line, at) !== true);
}

/** Whether lines of some names may stand in a scope, or in one below it: told by the names alone, so that scopes without any need not be read. */
export function mayHoldAny(names: Names): (scope: Scope) => boolean {
  const holds = askedOnce((inside) => inside.some((name) => names.has(name)));
  return ({ names: inside = null }) => inside === null || holds(inside);
}

/** Reads a .htaccess as a scope of its own. */
export function readHtaccess(options: HtaccessOptions): Scope | null {
  return readHtaccessFile(options)?.root ?? null;
}

/** The same, with what was not read. */
export function readHtaccessFile(options: HtaccessOptions): Configuration | null {
  const tree = options.view.read(options.root);
  return tree && new Reader(options).run(tree, { kind: 'htaccess', folder: options.folder });
}

export type HtaccessOptions = ReadOptions & { readonly folder: string };

// ---------------------------------------------------------------------------------------------------------------------

class Reader {
  private readonly files = new Map<string, ConfigFile>();
  private readonly modules: string[] = [];
  private readonly loaded: Set<string>;
  private readonly gaps: Gap[] = [];
  private readonly interpreter: Interpreter<FileView>;
  /** Where the bodies of macros stand. */
  private readonly bodies = new Map<Macro, MacroBody>();
  private readonly askedFlags = new Map<string, { readonly file: ConfigFile; readonly offset: number }>();
  /** Whether something in a list is of interest, or has to be read at once. */
  private readonly matters: (names: NameSet) => boolean;
  /** Whether something in it is of interest, or brings in what may be. */
  private readonly isOfInterest: (names: NameSet) => boolean;
  /** Whether what is of interest in it may be there for one server alone. */
  private readonly isOfHalves: (names: NameSet) => boolean;

  constructor(private readonly options: ReadOptions) {
    this.interpreter = new Interpreter({
      root: options.root,
      view: options.view,
      content: (view, path) => view.read(path)?.text() ?? null,
      target: options.target ?? DEFAULT_TARGET,
      builtIn: NONE,
      knowsModules: false,
      serverRoot: options.serverRoot,
      map: options.map,
      defines: options.defines,
      flags: options.flags,
    });
    const { names } = options;
    this.loaded = new Set(options.loaded);
    this.isOfInterest = askedOnce(
      (inside) => inside.hasScopes || inside.some((name) => names.has(name) || BRINGS_MORE.has(name)),
    );
    const { halves = NONE } = options;
    this.isOfHalves = askedOnce(
      (inside) =>
        !inside.isEverything &&
        !inside.hasScopes &&
        !inside.isReadAtOnce &&
        !inside.some((name) => names.has(name) && !halves.has(name)),
    );
    this.matters = askedOnce(
      (inside) => inside.isReadAtOnce || inside.hasScopes || inside.some((name) => names.has(name)),
    );
  }

  run(tree: Tree, as: { kind: string; folder?: string } = { kind: 'server' }): Configuration {
    const { interpreter } = this;
    interpreter.opensRoot();
    const file = this.file(interpreter.root, tree);
    const lines: ConfigLine[] = [];
    const children: Scope[] = [];
    const root: Scope = {
      kind: as.kind,
      words: [],
      parent: null,
      file,
      section: null,
      offset: 0,
      activity: 'active',
      lines,
      children,
      folder: as.folder,
      names: null,
    };
    this.readList(file, file.tree.root, 0, {
      scope: root,
      names: this.options.names,
      lines,
      children,
      passesOver: undefined,
      activity: 'active',
      within: NOTHING,
      conditionals: NOTHING,
      uses: NOTHING,
      doubts: NOTHING,
      depth: 0,
      frames: 0,
      from: null,
    });
    return {
      root,
      names: this.names,
      files: this.files,
      modules: this.modules,
      loaded: this.loaded,
      map: interpreter.state.map,
      serverRoot: interpreter.state.serverRoot,
      started: interpreter.started,
      gaps: this.gaps,
      askedFlags: this.askedFlags,
      flags: this.options.flags,
      conditions: this.options.conditions,
      halves: this.options.halves,
      asksVariables: interpreter.asksVariables,
    };
  }

  private file(path: string, tree: Tree): ConfigFile {
    let file = this.files.get(path);
    if (!file) this.files.set(path, (file = { path, tree, readings: 0 }));
    file.readings++;
    work.readings++;
    return file;
  }

  private readList(file: ConfigFile, list: List, base: number, at: Place): void {
    if (!this.matters(namesIn(list))) return;
    let offset = base;
    for (let i = 0; i < list.children.length; i++) {
      const child = list.children[i]!;
      if (child.kind === LineKind.Directive) this.readDirective(file, child, offset, at);
      else if (child.kind === NodeKind.Section) this.readSection(file, child, offset, at);
      else if (child.kind === NodeKind.List) this.readList(file, child, offset, at);
      offset += child.length;
    }
  }

  /** What a scope that was passed by holds: its lines of some names, or the sections in it. */
  readLater(
    scope: SectionScope,
    into: Pick<Place, 'names' | 'lines' | 'children'>,
    passesOver?: Place['passesOver'],
  ): void {
    const { section, file, offset, activity } = scope;
    this.readList(file, section.body, offset + section.open.length, {
      scope,
      names: into.names,
      lines: into.lines,
      children: into.children,
      passesOver,
      activity,
      within: NOTHING,
      conditionals: NOTHING,
      uses: NOTHING,
      doubts: NOTHING,
      depth: 0,
      frames: 0,
      from: null,
    });
  }

  private readDirective(file: ConfigFile, line: Line, offset: number, at: Place): void {
    if (line.name.charCodeAt(0) === DOLLAR && line.name.startsWith('${')) this.readVariableLine(file, line, offset, at);
    else this.obey(file, line, offset, at);
    if (at.lines && at.names.has(line.name) && at.passesOver?.(line, at) !== true) {
      const placed = {
        line,
        expanded: this.expanded(line),
        file,
        offset: originOf(offset, at),
        within: at.within,
        activity: at.activity,
        conditionals: at.conditionals,
      };
      at.lines.push(
        at.from === null && at.only === undefined ? placed : { ...placed, macro: at.from?.macro.name, only: at.only },
      );
    }
  }

  /** Has a line do what it does to the reading. */
  private obey(file: ConfigFile, line: Line, offset: number, at: Place): void {
    const { interpreter } = this;
    switch (line.name) {
      case 'include':
      case 'includeoptional':
        return this.include(file, line, offset, at);
      case 'loadmodule': {
        const { path } = interpreter.loadModule(line, at.activity);
        if (!path) return;
        const source = path.slice(path.lastIndexOf('/') + 1).replace(/\.(so|dll)$/i, '.c');
        this.modules.push(source);
        if (at.activity === 'active') this.loaded.add(source);
        return;
      }
      case 'serverroot':
        return interpreter.setServerRoot(line);
      case 'define':
        interpreter.define(line, at.activity);
        return;
      case 'undefine':
        return interpreter.undefine(line, at.activity);
      case 'use':
        return this.use(file, line, offset, at);
      case 'undefmacro':
        interpreter.undefineMacro(line, at);
    }
  }

  /** What nobody asks for does what it does. A line of interest is not gathered: no edit could be made in it, and that it is there has to be known. */
  private readVariableLine(file: ConfigFile, line: Line, offset: number, at: Place): void {
    const expanded = this.interpreter.namedByVariable(line);
    const isKnown =
      expanded !== null &&
      at.activity === 'active' &&
      at.only === undefined &&
      expanded.name !== 'loadmodule' &&
      !this.options.names.has(expanded.name);
    if (!isKnown) this.gap({ file, offset, reason: 'variable-line', what: line.name }, at);
    if (expanded) this.obey(file, expanded, offset, at);
  }

  /** Takes note of what is not read: from there on more may be defined than is seen. */
  private gap(gap: Gap, at: Place): void {
    this.interpreter.missesLines();
    this.gaps.push({ ...gap, offset: originOf(gap.offset, at) });
  }

  /** A macro's lines are read where it is used, in the scope there (use_macro in modules/core/mod_macro.c). */
  private use(file: ConfigFile, given: Line, offset: number, at: Place): void {
    const { name, found } = this.interpreter.use(given, at);
    const body = found && 'text' in found && found.isCertain ? this.bodies.get(found.macro) : undefined;
    // What is refused today reads on once somebody has mended it: nobody knows with what.
    if (!found || !('text' in found) || !body) return this.gap({ file, offset, reason: 'macro', what: name }, at);
    const origin = originsIn(found.text, found.macro, body);
    this.readList(body.file, treeOfText(found.text).root, 0, {
      ...at,
      frames: at.frames + 1,
      uses: [...at.uses, found.macro],
      from: { macro: found.macro, origin },
    });
  }

  private defineMacro(file: ConfigFile, section: Section, offset: number, at: Place): void {
    const bodyOffset = offset + section.open.length;
    const of = { text: textOf(section.body), file: file.path, row: 0 };
    const macro = this.interpreter.defineMacro(section.open, of, at);
    const outer = at.from;
    const place = outer === null ? (at: number) => bodyOffset + at : (at: number) => outer.origin(bodyOffset + at);
    if (macro) this.bodies.set(macro, { file, place });
  }

  private readSection(file: ConfigFile, section: Section, offset: number, at: Place): void {
    if (this.options.skips?.(section)) return;
    if (section.name === 'macro') return this.defineMacro(file, section, offset, at);
    const kind = sectionKind(section.name);
    const bodyOffset = offset + section.open.length;
    if (this.interpreter.isTooDeep(at))
      return this.gap({ file, offset, reason: 'too-deep', what: section.open.text.trim() }, at);
    if (kind === 'opaque') {
      this.gap({ file, offset, reason: 'perl', what: section.name }, at);
      return;
    }
    if (kind === 'conditional') {
      const answer =
        this.options.conditions?.(section.open, this.loadedUpTo(at)) ??
        this.interpreter.conditionInAnyTurn(section.open);
      if (section.name === 'ifdefine') this.noteFlag(file, section, offset, answer);
      if (answer !== 'inactive') this.gatherTag(file, section, offset, at);
      const isHalf = answer === 'before' || answer === 'after';
      if (isHalf && at.only !== undefined && at.only !== answer) return;
      if (
        isHalf &&
        at.scope.kind !== 'server' &&
        at.scope.kind !== 'virtualhost' &&
        this.isOfHalves(namesIn(section.body))
      ) {
        this.readList(file, section.body, bodyOffset, {
          ...at,
          only: answer,
          doubts: [...at.doubts, section.open],
          frames: at.frames + 1,
        });
        return;
      }
      const isVague = isHalf || answer === 'differs';
      if (isVague && at.activity !== 'inactive' && this.isOfInterest(namesIn(section.body)))
        this.gap({ file, offset, reason: 'condition', what: section.open.text.trim() }, at);
      const activity = both(at.activity, isVague ? 'unknown' : answer);
      if (activity === 'inactive') return;
      this.readList(file, section.body, bodyOffset, {
        ...at,
        activity,
        conditionals: [...at.conditionals, section],
        doubts: answer === 'active' ? at.doubts : [...at.doubts, section.open],
        frames: at.frames + 1,
      });
      return;
    }
    if (kind === 'limit' || kind === 'authorization') {
      this.gatherTag(file, section, offset, at);
      this.readList(file, section.body, bodyOffset, {
        ...at,
        within: [...at.within, { section, offset: originOf(offset, at) }],
        frames: at.frames + 1,
      });
      return;
    }
    if (!at.children) return;
    const names = namesIn(section.body);
    const isLater = !names.isReadAtOnce && at.from === null;
    const scope = new SectionScope(
      section,
      this.expanded(section.open),
      at.scope,
      file,
      originOf(offset, at),
      at.activity,
      isLater ? this : null,
      isLater ? names : null,
      isLater ? this.loaded.size : Infinity,
    );
    at.children.push(scope);
    if (isLater) return;
    const { own: lines, inner: children } = scope;
    this.readList(file, section.body, bodyOffset, {
      scope,
      names: this.options.names,
      lines,
      children,
      passesOver: undefined,
      activity: at.activity,
      within: NOTHING,
      conditionals: NOTHING,
      uses: at.uses,
      doubts: at.doubts,
      depth: at.depth,
      frames: at.frames + 1,
      from: at.from,
    });
  }

  private gatherTag(file: ConfigFile, { name, open }: Section, offset: number, at: Place): void {
    if (!at.lines || this.options.tags?.has(name) !== true) return;
    const { within, activity, conditionals } = at;
    at.lines.push({ line: open, expanded: open, file, offset: originOf(offset, at), within, activity, conditionals });
  }

  private noteFlag(file: ConfigFile, { open, body }: Section, offset: number, answer: ConditionAnswer): void {
    const name = argumentsOf(open)[0]?.value.replace(/^!/, '') ?? '';
    if (name === '' || name.includes('${') || this.askedFlags.has(name)) return;
    if ((answer === 'unknown' || this.options.flags?.has(name)) && this.isOfInterest(namesIn(body)))
      this.askedFlags.set(name, { file, offset });
  }

  get names(): Names {
    return this.options.names;
  }

  /** A condition is decided where it stands, with what was loaded before, whenever its section is read here. */
  private loadedUpTo({ scope }: Place): ReadonlySet<string> {
    const count = scope instanceof SectionScope ? scope.loadedBefore : Infinity;
    return count >= this.loaded.size ? this.loaded : new Set([...this.loaded].slice(0, count));
  }

  private include(file: ConfigFile, line: Line, offset: number, at: Place): void {
    const { interpreter } = this;
    const { what: written, files, problem, hidesLines } = interpreter.include(line, file.path, at);
    // Of Windows there are many spellings.
    const what = driveOf(written) === '' ? written : resolvePath(interpreter.state.serverRoot, written);
    if (problem && hidesLines) this.gap({ file, offset, reason: COARSE[problem], what }, at);
    for (const name of files) {
      const opened = interpreter.open(name, (view, path) => view.read(path));
      if ('problem' in opened) {
        const { problem } = opened;
        this.gap({ file, offset, reason: COARSE[problem], what: problem === 'include-missing' ? name : what }, at);
        continue;
      }
      this.readList(this.file(opened.path, opened.content), opened.content.root, 0, {
        ...at,
        conditionals: [],
        depth: at.depth + 1,
        frames: at.frames + 1,
        from: null,
      });
    }
  }

  private expanded(line: Line): Line {
    return this.interpreter.expanded(line) ?? line;
  }
}

/** A section's scope. Few ask for the words of a tag, and of most sections for what is in them: that is read when somebody does. */
class SectionScope implements Scope {
  /** What is in it, as soon as it was read. */
  own: ConfigLine[] | null = null;
  inner: Scope[] | null = null;
  private known: readonly string[] | null = null;

  /** `reader`: who reads it later; then `names` are the names in it. */
  constructor(
    readonly section: Section,
    private readonly open: Line,
    readonly parent: Scope,
    readonly file: ConfigFile,
    readonly offset: number,
    readonly activity: Activity,
    private readonly reader: Reader | null,
    readonly names: NameSet | null,
    /** How many modules were loaded where it stands, if it is read later. */
    readonly loadedBefore: number,
  ) {
    if (reader) return;
    this.own = [];
    this.inner = [];
  }

  get kind(): string {
    return this.section.name;
  }

  get words(): readonly string[] {
    return (this.known ??= argumentsOf(this.open).map((word) => word.value));
  }

  get lines(): readonly ConfigLine[] {
    if (this.own === null) {
      this.own = [];
      this.reader!.readLater(this, { names: this.reader!.names, lines: this.own, children: null });
      // With no room for more: it stays as long as the configuration.
      this.own = this.own.slice();
    }
    return this.own;
  }

  get children(): readonly Scope[] {
    if (this.inner === null) {
      if (!this.names!.hasScopes) return NOTHING;
      this.inner = [];
      this.reader!.readLater(this, { names: NONE, lines: null, children: this.inner });
      this.inner = this.inner.slice();
    }
    return this.inner;
  }

  linesOf(names: Names, passesOver?: (line: Line, at: LinePlace) => boolean): readonly ConfigLine[] {
    if (this.own !== null)
      return this.own.filter((at) => names.has(at.line.name) && passesOver?.(at.line, at) !== true);
    const lines: ConfigLine[] = [];
    this.reader!.readLater(this, { names, lines, children: null }, passesOver);
    return lines;
  }
}

/** Where a line stands in its scope. */
export type LinePlace = Pick<ConfigLine, 'activity' | 'within' | 'conditionals' | 'only'>;

/** Where a line is read. */
interface Place extends LinePlace, Depth, MacroPlace {
  readonly scope: Scope;
  /** What is gathered, and into what; null for nothing of the kind. */
  readonly names: Names;
  readonly lines: ConfigLine[] | null;
  readonly children: Scope[] | null;
  readonly passesOver: ((line: Line, at: LinePlace) => boolean) | undefined;
  /** The Use that brings in what is read. */
  readonly from: Used | null;
}

interface Used {
  readonly macro: Macro;
  /** Where in the macro's file a line of the text is from, by its offset in the text. */
  readonly origin: (offset: number) => number;
}

interface MacroBody {
  readonly file: ConfigFile;
  /** Where a line of the body stands in the file, by its offset in the body. */
  readonly place: (offset: number) => number;
}

/** The offset in the file that a line, or a tag, is edited in. */
function originOf(offset: number, { from }: Place): number {
  return from === null ? offset : from.origin(offset);
}

/** Every line of the text stands in the row of the body that it is from. */
function originsIn(text: string, macro: Macro, { place }: MacroBody): (at: number) => number {
  const starts = [0];
  for (let i = macro.text.indexOf('\n'); i >= 0; i = macro.text.indexOf('\n', i + 1)) starts.push(i + 1);
  // Lines ask in the order of the text.
  let row = 0;
  let next = text.indexOf('\n');
  let last = 0;
  return (at) => {
    if (at < last) {
      row = 0;
      next = text.indexOf('\n');
    }
    last = at;
    for (; next >= 0 && next < at; next = text.indexOf('\n', next + 1)) row++;
    return place(starts[row] ?? 0);
  };
}

const NONE: ReadonlySet<string> = new Set();

const NOTHING: readonly never[] = [];

const DOLLAR = 36;

const BRINGS_MORE = new Set(['include', 'includeoptional', 'use']);

/** Of what a doubt says of a gap. */
const COARSE: Readonly<Record<GapReason, Gap['reason']>> = {
  'include-missing': 'include-missing',
  'include-variable': 'include-variable',
  'include-folder-missing': 'include-missing',
  'include-unreadable': 'include-missing',
  'too-deep': 'too-deep',
  'too-many': 'too-deep',
  macro: 'macro',
  perl: 'perl',
  'variable-line': 'variable-line',
};
