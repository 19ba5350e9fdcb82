/**
 * Makes a copy of a configuration that the installed httpd can check without running anything that
 * the configuration names. The copy is written from the parsed lines. Continued lines are joined,
 * macros are expanded, and the first word of a line has neither quotes nor variables. For each
 * line, its row in the user's file is stored, so that a message of httpd leads to the user's line.
 * This file does no I/O: cli/verify.ts writes the copy and runs httpd.
 */
import { activityOf } from '../config/activity';
import { isMainFileName, isMainFileTree } from '../config/file-summary';
import { baseName } from '../config/files';
import { FileUses, sourceOfRow, treeOfText, type Expansion, type RefusedUse, type UseResult } from '../config/macro';
import type { IncludeNode, Model } from '../config/model';
import { moduleNamed } from '../config/modules';
import { sectionKind } from '../config/sections';
import { DEFAULT_TARGET } from '../config/target';
import { directive, modules } from '../directives/index';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, logicalText, rawArguments, spelledName, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { forEachItem, Section, type Item, type List } from '../syntax/tree';

/** Why a line is left out of the copy: with it, httpd would open a file outside of the copy. */
export const READS_NAMED_FILE = 'httpd would read the file that it names';

/** The installed httpd that checks the copy. */
export interface CheckingServer {
  /**
   * The path of an installed module, by the name of its file (`mod_alias.so`). Null if it is not
   * installed.
   */
  moduleFile(name: string): string | null;
  /** The compiled-in modules, as `httpd -l` lists them: `mod_so.c`. */
  readonly builtIn: ReadonlySet<string>;
}

/** A copy of a configuration that a real httpd can check on this machine. */
export interface CheckCopy {
  /** The files of the copy. The first one is the main file. */
  readonly files: readonly CopiedFile[];
  /**
   * The files of each Include line that includes several files, as indexes of `files`, in order.
   * The key is the name of a directory that the copy has for this line.
   */
  readonly filesByIncludeFolder: ReadonlyMap<string, readonly number[]>;
  /** The lines that are not in the copy, and why. */
  readonly uncheckedLines: readonly UncheckedLine[];
  /**
   * Modules that the configuration loads and the copy does not. They have the names of the manual,
   * such as `mod_ssl`.
   */
  readonly missingModules: ReadonlySet<string>;
  /** Whether all lines of the server are known. If not, an unknown line may load modules. */
  readonly hasAllLines: boolean;
  /** Words for the source of the lines that the copy may lack, such as `a template line`. */
  readonly sourceOfOtherLines: string;
  /** Whether the main file is only a part of a configuration, which another file includes. */
  readonly isPartOfServer: boolean;
}

/** A file of the copy. */
export interface CopiedFile {
  /** The path of the original file. */
  readonly path: string;
  /** The lines that httpd reads in the copy. */
  readonly lines: string[];
  /**
   * For each line: its 0-based row in the original file. For a continued line, this is the last
   * row.
   */
  readonly rows: readonly number[];
}

/** A line that httpd does not check, because the copy does not have it. */
export interface UncheckedLine {
  readonly file: string;
  /** The 0-based row of the line in the original file. */
  readonly line: number;
  /** The reason why it is not checked. */
  readonly reason: string;
}

/** How to make the copy. */
export interface CopyOptions {
  /** The folder of the copy. It has the directories `files`, `include`, `empty` and `root`. */
  readonly copyFolder: string;
  /** Reads a file; null if the file cannot be read. */
  readonly readTree: (path: string) => Tree | null;
  /** The httpd that will check the copy. */
  readonly server: CheckingServer;
}

/**
 * Makes a copy of a configuration in which httpd opens no file outside of the copy. Writes nothing
 * to the disk.
 */
export function makeCheckCopy(model: Model, options: CopyOptions): CheckCopy {
  return new Copier(model, options).copy();
}

/**
 * Returns why httpd must not read a line of the copy; null if it may. Splits the line into words as
 * httpd does (ap_getword_conf and ap_cfg_getline in server/util.c). `line` has one character for
 * each byte. `isPathOfCopy` returns whether this program wrote a path into the copy.
 */
export function whyLineIsRefused(line: string, isPathOfCopy: (path: string) => boolean): string | null {
  if (/[\0\n\r\v\f]/.test(line)) return 'control characters';
  if (line.endsWith('\\')) return 'a backslash at its end';
  const [start, word = ''] = /^[ \t]*([^ \t]*)/.exec(line)!;
  const otherWords = line.slice(start.length).replace(/^[ \t]+/, '');
  if (/["'\\$]/.test(word)) return 'a name with quotes or variables';
  const directiveName = word.replace(/^<\/?/, '').replace(/>[^]*/, '').toLowerCase();
  if (NEVER_COPIED.has(directiveName) || sectionKind(directiveName) === 'opaque') return `\`${word}\``;
  if (directiveName === 'loadmodule' && !isPathOfCopy(/^\w+ "([^"'\\$]*)"$/.exec(otherWords)?.[1] ?? ''))
    return 'a module outside of the copy';
  if (/^include(optional)?$/.test(directiveName) && !isPathOfCopy(/^"([^"'\\$]*)"$/.exec(otherWords)?.[1] ?? ''))
    return 'a file outside of the copy';
  return null;
}

/**
 * Whether a file name is that of a module of httpd 2.4. Loading another module would have unknown
 * effects.
 */
export function isFileOfHttpdModule(file: string): boolean {
  return modules().some(
    ({ name, ...factsByVersion }) =>
      factsByVersion['2.4'] && file === `${name.startsWith('mod_') ? '' : 'mod_mpm_'}${name}.so`,
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Directives that are never copied. When httpd reads such a line, it runs or loads something, or
 * adds lines that this program has not checked.
 */
const NEVER_COPIED: ReadonlySet<string> = new Set(['loadfile', 'use', 'undefmacro', 'macro', 'perl']);

/**
 * A kind of argument that makes httpd run, load or open something during the check, unless the
 * value is safe.
 */
interface DangerousArgument {
  /** Whether httpd does nothing dangerous with a value. */
  readonly isSafe: (value: string) => boolean;
  /** Why a line with a dangerous value is left out, as a text for users. */
  readonly why: string;
}

/** A file that httpd loads. */
const LOADED_ARGUMENT: DangerousArgument = { isSafe: isPlainWord, why: 'httpd would load the file that it names' };
/** A file that httpd opens. */
const READ_ARGUMENT: DangerousArgument = { isSafe: (value) => /^none$/i.test(value), why: READS_NAMED_FILE };
/** A password, which can be the output of a program. */
const EXECUTED_ARGUMENT: DangerousArgument = {
  isSafe: runsNoProgram,
  why: 'httpd would run the program that it names',
};

/**
 * Directives with which httpd does something dangerous while it reads the line:
 * - It loads a library (ssl_engine_config.c and OpenSSL's ENGINE_by_id; mod_dbd.c and
 *   apr_dbd_get_driver).
 * - It runs a program that is named after `exec:` (mod_authnz_ldap.c, mod_session_crypto.c).
 * - It opens a file. A message can then show text of the file, reading a FIFO never ends, and
 *   opening a device can have an effect.
 *
 * The test "runs no program" in test/httpd/check-copy.slow.test.ts tries all directives with a real
 * httpd.
 */
const DANGEROUS_DIRECTIVES: ReadonlyMap<string, DangerousArgument> = new Map([
  ...['sslcryptodevice', 'dbdriver'].map((name) => [name, LOADED_ARGUMENT] as const),
  ...['authldapbindpassword', 'sessioncryptopassphrase'].map((name) => [name, EXECUTED_ARGUMENT] as const),
  ...[
    'cachefile',
    'mmapfile',
    'mdexternalaccountbinding',
    'remoteipinternalproxylist',
    'remoteiptrustedproxylist',
    'sessioncryptopassphrasefile',
  ].map((name) => [name, READ_ARGUMENT] as const),
]);

/** Source files that every httpd has compiled in, although the manual does not list them. */
const ALWAYS_BUILT_IN: ReadonlySet<string> = new Set(['core.c', 'http_core.c', 'mod_so.c']);

/**
 * Directives that name logs. The copy gets other paths for them. The reason is that httpd checks
 * whether the directory of a log exists (server/log.c, mod_log_config), and it exists only on the
 * server.
 */
const DIRECTIVES_WRITING_LOGS: ReadonlySet<string> = new Set([
  'errorlog',
  'customlog',
  'transferlog',
  'forensiclog',
  'globallog',
]);

/**
 * Maximum number of characters in all files of a copy. It is needed because a few Use lines can
 * insert any amount of text.
 */
const MAX_COPY_LENGTH = 64 * 1024 * 1024;

/** Where the lines that are being copied come from: a file, or the text of a macro. */
interface LineSource {
  readonly file: string;
  readonly tree: Tree;
  /** The Use line that inserts the lines. Null for lines of the file itself. */
  readonly use: { readonly row: number; readonly expansion: Expansion } | null;
}

/** Makes one copy. It copies the files one after the other. */
class Copier {
  private readonly paths: readonly string[];
  private readonly indexByPath: ReadonlyMap<string, number>;
  private readonly filesByIncludeFolder = new Map<string, readonly number[]>();
  private readonly uncheckedLines: UncheckedLine[] = [];
  private readonly missingModules = new Set<string>();
  private foundAllIncludes = true;
  /** Whether a template makes whole lines of the configuration. */
  private hasTemplateLines = false;
  private isMainFileOnlyPart = false;
  private copyLength = 0;
  /** Source files of third-party modules that are compiled into the checking httpd. */
  private readonly thirdPartySources: readonly string[];
  /** The lines of the file that is being copied. */
  private lines: string[] = [];
  private rows: number[] = [];
  private uses: UseExpansions | null = null;

  constructor(
    private readonly model: Model,
    private readonly options: CopyOptions,
  ) {
    this.paths = [model.mainFile, ...[...model.files.keys()].filter((file) => file !== model.mainFile)];
    this.indexByPath = new Map(this.paths.map((file, number) => [file, number]));
    const shippedFiles = new Set(modules().map((each) => each['2.4']?.sourceFile));
    this.thirdPartySources = [...options.server.builtIn].filter(
      (source) => !shippedFiles.has(source) && !ALWAYS_BUILT_IN.has(source),
    );
  }

  copy(): CheckCopy {
    const { filesByIncludeFolder, uncheckedLines, missingModules } = this;
    const files = this.paths.map((path) => this.copyFile(path));
    const hasAllFiles = this.foundAllIncludes && !this.isMainFileOnlyPart;
    const hasAllLines = hasAllFiles && !this.hasTemplateLines;
    return {
      files,
      filesByIncludeFolder,
      uncheckedLines,
      missingModules,
      hasAllLines,
      sourceOfOtherLines: hasAllFiles ? 'a template line' : 'a file that is not in this copy',
      isPartOfServer: this.isMainFileOnlyPart,
    };
  }

  private copyFile(file: string): CopiedFile {
    const copiedLines: string[] = (this.lines = []);
    const rowsOfLines: number[] = (this.rows = []);
    this.uses = new UseExpansions(this.model, file);
    const tree = this.options.readTree(file);
    if (file === this.model.mainFile && tree) this.isMainFileOnlyPart = isPartOfServer(file, tree.root);
    if (tree) this.copyList(tree.root, 0, { file, tree, use: null });
    return { path: file, lines: copiedLines, rows: rowsOfLines };
  }

  private copyList(list: List, base: number, lineSource: LineSource): void {
    forEachItem(list, base, (item: Item, offset) => {
      const { line: row } = lineSource.tree.positionAt(offset);
      if (item instanceof Section) this.copySection(item, offset, row, lineSource);
      else if (item.kind === LineKind.Directive) this.copyDirective(item, row, lineSource);
      else if (item.kind === LineKind.Open || item.kind === LineKind.Close) this.copyTag(item, row, lineSource);
    });
  }

  // ---- Sections ----

  /**
   * Copies a section. If its tag cannot be copied, only the lines inside are copied. Programs and
   * macros are left out.
   */
  private copySection(section: Section, offset: number, row: number, lineSource: LineSource): void {
    const { open, body, close, name } = section;
    if (sectionKind(name) === 'opaque')
      return this.recordUnchecked(lineSource, row, `<${spelledName(open)}> is a program, and is not run`);
    if (name === 'macro') return this.checkMacroTag(open, row, lineSource);
    // No release of 2.4 reads the lines inside, so they do not count as unchecked.
    if (name === 'ifversion' && activityOf(open, DEFAULT_TARGET) === 'inactive') return;
    const isTagCopied = this.copyTag(open, row, lineSource);
    this.copyList(body, offset + open.length, lineSource);
    if (isTagCopied)
      this.copyTag(close, lineSource.tree.positionAt(offset + open.length + body.length).line, lineSource);
  }

  /** Adds a section tag to the copy. Returns false if the tag is left out. */
  private copyTag(tag: Line, row: number, lineSource: LineSource): boolean {
    if (this.mayBeThirdParty(tag, { section: true })) {
      if (tag.kind === LineKind.Open)
        this.recordUnchecked(lineSource, row, `${this.thirdPartySources.join(', ')} of this httpd might run it`);
      return false;
    }
    return this.appendLine(singleLine(tag), tag, row, lineSource);
  }

  /**
   * Handles the tag of a macro. Without mod_macro, httpd refuses the tag, so the copy gets this
   * error. With mod_macro, the tag is left out, because the copy has the lines of the macro at its
   * Use lines.
   */
  private checkMacroTag(open: Line, row: number, lineSource: LineSource): void {
    if (this.lacksMacros()) this.writeError(messageOfUnknownDirective(`<${spelledName(open)}`), open, row, lineSource);
  }

  private lacksMacros(): boolean {
    const { modules: loadedModules } = this.model;
    return loadedModules !== null && !loadedModules.has('mod_macro') && !this.options.server.builtIn.has('mod_macro.c');
  }

  // ---- Directives ----

  /** Copies a line with the changes that the copy needs, or records why httpd does not check it. */
  private copyDirective(line: Line, row: number, lineSource: LineSource): void {
    const { name } = line;
    if (name === 'serverroot') this.appendLine(`ServerRoot "${this.options.copyFolder}/root"`, line, row, lineSource);
    else if (isLeftOutForTemplate(line)) this.leaveOutTemplate(line, row, lineSource);
    else if (name === 'include' || name === 'includeoptional') this.copyInclude(line, row, lineSource);
    else if (name === 'loadmodule') this.copyLoadModule(line, row, lineSource);
    else if (name === 'loadfile') this.recordUnchecked(lineSource, row, 'a library of the server');
    else if (name === 'use') this.copyUse(line, row, lineSource);
    else if (name === 'undefmacro') this.undefineMacro(line, row, lineSource);
    else if (DIRECTIVES_WRITING_LOGS.has(name)) this.copyLog(line, row, lineSource);
    else if (this.mayBeThirdParty(line, {}))
      this.recordUnchecked(lineSource, row, `${this.thirdPartySources.join(', ')} of this httpd might run it`);
    else {
      const danger = DANGEROUS_DIRECTIVES.get(name);
      if (danger && !argumentsOf(line).every(({ value }) => danger.isSafe(value)))
        this.recordUnchecked(lineSource, row, danger.why);
      else this.appendLine(singleLine(line), line, row, lineSource);
    }
  }

  /** Leaves out a line with template text: httpd reads the text that a program makes of it. */
  private leaveOutTemplate(line: Line, row: number, lineSource: LineSource): void {
    this.recordUnchecked(lineSource, row, 'template text, whose final value is not known here');
    this.hasTemplateLines ||= line.template === Template.Structure || /^(?:include|loadmodule)/.test(line.name);
  }

  /**
   * Whether a name may be a directive of a third-party module that is compiled in. The effects of
   * such a directive are unknown.
   */
  private mayBeThirdParty(line: Line, options: { readonly section?: boolean }): boolean {
    return this.thirdPartySources.length > 0 && directive(line.name, options) === undefined;
  }

  /**
   * Copies an Include line. In the copy, it names one copied file, or a folder with the copied
   * files.
   */
  private copyInclude(line: Line, row: number, lineSource: LineSource): void {
    const { copyFolder } = this.options;
    const nodes = this.includeNodesOf(line, row, lineSource);
    const files = nodes.flatMap((node) => node.files.flatMap(({ path }) => this.indexByPath.get(path) ?? []));
    const fileIndexes = [...new Set(files)];
    // Without nodes, httpd does not read the line, because a condition around it is false.
    if (nodes.length === 0) return;
    if (fileIndexes.length === 0 && nodes.some((node) => node.problem !== null)) {
      if (line.name === 'include') this.recordUnchecked(lineSource, row, 'the included file is not in this copy');
      this.foundAllIncludes = false;
      return;
    }
    const includeName = line.name === 'include' ? 'Include' : 'IncludeOptional';
    if (fileIndexes.length === 1)
      return void this.appendLine(`${includeName} "${copyFolder}/files/${fileIndexes[0]}.conf"`, line, row, lineSource);
    const folder = fileIndexes.length > 0 ? `include/${this.filesByIncludeFolder.size}` : 'empty';
    if (fileIndexes.length > 0) this.filesByIncludeFolder.set(String(this.filesByIncludeFolder.size), fileIndexes);
    this.appendLine(`${includeName} "${copyFolder}/${folder}/*.conf"`, line, row, lineSource);
  }

  /**
   * The nodes that the model has for an Include line. If the line comes from a macro, the model has
   * the row of the line in the macro.
   */
  private includeNodesOf(line: Line, row: number, { file, use }: LineSource): readonly IncludeNode[] {
    if (use === null) return (this.model.includes.get(file) ?? []).filter((node) => node.row === row);
    const { macro, bodyRow } = sourceOfRow(use.expansion, row);
    const pattern = argumentsOf(line)[0]?.value;
    return (this.model.includes.get(macro.file) ?? []).filter(
      (node) =>
        node.row === macro.row + 1 + bodyRow && (node.what === pattern || argumentsOf(node.line)[0]?.value === pattern),
    );
  }

  /**
   * Copies a LoadModule line with the path of the installed module. The line is left out if the
   * module is compiled in, not installed, or not a module of httpd.
   */
  private copyLoadModule(line: Line, row: number, lineSource: LineSource): void {
    const [identifier = '', path = ''] = argumentsOf(line).map(({ value }) => value);
    const { server, copyFolder } = this.options;
    const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    if (!/^\w+$/.test(identifier) || !/^[\w+-][\w.+-]*$/.test(file))
      return this.recordUnchecked(lineSource, row, 'its words are not the name and the file of a module');
    const module = moduleNamed(identifier);
    const facts = module === null ? undefined : modules().find((each) => each.name === module);
    const source = facts?.['2.4']?.sourceFile;
    if (source !== undefined && server.builtIn.has(source)) return;
    // The copy has the lines of macros instead of Use lines, so it does not need mod_macro.
    if (module === 'mod_macro') return;
    const installedPath = server.moduleFile(file);
    if (installedPath !== null && isFileOfHttpdModule(file))
      return void this.appendLine(`LoadModule ${identifier} "${installedPath}"`, line, row, lineSource);
    // The module exists only in 2.2. The path leads to no file, so httpd reports the error that a
    // server of 2.4 would report.
    if (facts && !facts['2.4'])
      return void this.appendLine(
        `LoadModule ${identifier} "${copyFolder}/root/modules/${file}"`,
        line,
        row,
        lineSource,
      );
    this.missingModules.add(module ?? identifier);
    const why =
      installedPath === null ? 'is not installed here' : 'is no module of httpd itself, and is not loaded for a copy';
    this.recordUnchecked(lineSource, row, `${file} ${why}`);
  }

  /** Copies a line that names a log, with the path of a log in the copy. */
  private copyLog(line: Line, row: number, lineSource: LineSource): void {
    const [target] = argumentsOf(line);
    const { value } = rawArguments(line);
    // The text after the name of the log: its format and conditions.
    const otherArguments =
      target === undefined ? '' : value.replace(/^("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\S+)/, '');
    const isWithoutFile = target === undefined || /^syslog/.test(target.value);
    const copiedText = isWithoutFile
      ? singleLine(line)
      : `${spelledName(line)} "${this.options.copyFolder}/root/logs/log"${otherArguments}`;
    this.appendLine(copiedText, line, row, lineSource);
  }

  // ---- Macros ----

  /**
   * Copies the lines of a macro in place of a Use line. If httpd refuses the Use line, the copy
   * gets an `Error` line.
   */
  private copyUse(line: Line, row: number, lineSource: LineSource): void {
    if (this.lacksMacros()) return this.writeError(messageOfUnknownDirective(spelledName(line)), line, row, lineSource);
    const expansion = lineSource.use === null ? this.uses!.resultOf(line) : null;
    if (expansion === undefined) return;
    if (expansion === null) return this.recordUnchecked(lineSource, row, 'what the macro brings in is not known');
    if (expansion.kind === 'refused') return this.writeError(messageOfRefusedUse(expansion), line, row, lineSource);
    for (const { use } of expansion.refusedUses) this.writeError(messageOfRefusedUse(use), line, row, lineSource);
    if (this.copyLength + expansion.text.length > MAX_COPY_LENGTH)
      return this.recordUnchecked(lineSource, row, 'the macros bring in too much text');
    const tree = treeOfText(expansion.text);
    this.copyList(tree.root, 0, { file: lineSource.file, tree, use: { row: lastRowOf(line, row), expansion } });
  }

  /**
   * If httpd refuses an UndefMacro line, the copy gets an `Error` line. Otherwise the line is left
   * out.
   */
  private undefineMacro(line: Line, row: number, lineSource: LineSource): void {
    if (this.lacksMacros()) return this.writeError(messageOfUnknownDirective(spelledName(line)), line, row, lineSource);
    const use = lineSource.use === null ? this.uses!.resultOf(line) : null;
    if (use?.kind === 'refused')
      this.writeError(`cannot remove undefined macro '${use.name.toLowerCase()}'`, line, row, lineSource);
  }

  // ---- What is written ----

  /**
   * Writes an `Error` line in place of a line that must not be in the copy. httpd then reports the
   * error that it would report for that line (generate_error in server/core.c).
   */
  private writeError(why: string, line: Line, row: number, lineSource: LineSource): void {
    this.appendLine(`Error "${why.replace(/["\\$]/g, '')}"`, line, row, lineSource);
  }

  /** Adds a line to the copy. If httpd must not read the line, leaves it out and returns false. */
  private appendLine(text: string, line: Line, row: number, lineSource: LineSource): boolean {
    const why = whyLineIsRefused(text, (path) => this.isPathOfCopy(path));
    if (why === null) {
      this.copyLength += text.length;
      this.lines.push(text);
      this.rows.push(lineSource.use?.row ?? lastRowOf(line, row));
    } else this.recordUnchecked(lineSource, row, `has ${why}, and is not given to httpd`);
    return why === null;
  }

  private isPathOfCopy(path: string): boolean {
    const { copyFolder, server } = this.options;
    return path.startsWith(`${copyFolder}/`) || server.moduleFile(baseName(path)) === path;
  }

  private recordUnchecked(lineSource: LineSource, row: number, reason: string): void {
    this.uncheckedLines.push({ file: lineSource.file, line: lineSource.use?.row ?? row, reason });
  }
}

/** Whether the value has only letters, digits and `_`, so that it cannot be a path. */
function isPlainWord(value: string): boolean {
  return /^\w+$/.test(value);
}

/**
 * Whether httpd runs no program for the value. A variable could contain anything, so a value with a
 * variable counts as running a program.
 */
function runsNoProgram(value: string): boolean {
  return !/[$|]|exec:/i.test(value);
}

/**
 * The expansions of the Use lines of a file. If the file is read in several contexts, a line can
 * have several expansions.
 */
class UseExpansions {
  private readonly usesByContext: readonly FileUses[];
  private readonly textsOfUseLines: ReadonlySet<string>;

  constructor(model: Model, file: string) {
    const usesByContext = model.files.get(file) ?? [];
    this.usesByContext = usesByContext.map(({ uses, fileSummary }) => {
      const fileUses = new FileUses(uses, fileSummary);
      fileUses.bindLines(fileSummary);
      return fileUses;
    });
    this.textsOfUseLines = new Set(
      usesByContext.flatMap(({ uses }) => [...uses.keys()].map((line) => singleLine(line))),
    );
  }

  /**
   * The result of a Use line. Null if it is unknown or differs between contexts. Undefined if a
   * condition is false, so that httpd does not read the line.
   */
  resultOf(line: Line): UseResult | undefined {
    if (!this.textsOfUseLines.has(singleLine(line))) return undefined;
    const [first = null, ...others] = this.usesByContext.map((reading) => reading.resultOf(line));
    return others.every((other) => other?.key === first?.key) ? first : null;
  }
}

/**
 * The text of a line without line breaks. If the name of the directive is in quotes, the quotes are
 * removed.
 */
function singleLine(line: Line): string {
  const textInOneLine = logicalText(line)
    .text.replace(/[\r\n\v\f]/g, ' ')
    .replace(/^[ \t]*(?:\ufeff[ \t]*)?|(?<![ \t])[ \t]+$/g, '');
  if (line.kind !== LineKind.Directive || !/^["']/.test(textInOneLine) || !/^\w+$/.test(line.name))
    return textInOneLine;
  return `${line.name} ${rawArguments(line).value.replace(/[\r\n\v\f]/g, ' ')}`;
}

/** The last row of a logical line that begins at `row`. */
function lastRowOf(line: Line, row: number): number {
  return row + Math.max(0, line.lineEnds - 1);
}

/** The message of httpd for an unknown directive (ap_build_config_sub in server/config.c). */
function messageOfUnknownDirective(name: string): string {
  return `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/** The message of httpd for a Use line that it refuses (use_macro in modules/core/mod_macro.c). */
function messageOfRefusedUse({ problem, name, argumentCount, macro }: RefusedUse): string {
  switch (problem) {
    case 'no-name':
      return 'no macro name specified with Use';
    case 'none-defined':
      return 'no macro defined before Use';
    case 'undefined':
      return `macro '${name.toLowerCase()}' undefined`;
    case 'arguments':
      return `macro '${name.toLowerCase()}' used with ${argumentCount} arguments instead of ${macro?.parameters.length ?? 0}`;
    case 'recursive':
      return `recursive use of macro '${name.toLowerCase()}' is invalid`;
    case 'too-long':
      return 'while processing macro: cannot substitute, buffer size too small';
  }
}

/**
 * Whether a line with template text is left out of the copy, because the final text decides whether
 * httpd accepts the line. If only the arguments are template text and 2.4 does not know the
 * directive, httpd rejects the line with any arguments. So such a line stays in the copy.
 */
function isLeftOutForTemplate({ template, name }: Line): boolean {
  return template === Template.Structure || (template === Template.Value && directive(name)?.['2.4'] !== undefined);
}

/**
 * Whether the main file of a copy is only a part of a server. A file with the name of a main file,
 * with Include lines, or with lines that usually only main files have counts as a whole server. A
 * Listen line alone is no such line: files for TLS, such as ssl.conf, have one, too.
 */
function isPartOfServer(file: string, list: List): boolean {
  if (isMainFileName(file) || isMainFileTree(list, file)) return false;
  const names = new Set<string>();
  forEachItem(list, 0, (item) => {
    if (!(item instanceof Section)) names.add(item.name);
  });
  if (names.has('include') || names.has('includeoptional')) return false;
  return !names.has('listen') || !DIRECTIVES_OF_MAIN_FILES.some((name) => names.has(name));
}

/** Directives that show, together with a Listen line, that a file is a main file. */
const DIRECTIVES_OF_MAIN_FILES = ['serverroot', 'pidfile', 'user', 'group', 'loadmodule'];
