/**
 * A configuration as one server reads it: its sections, virtual hosts and lines, with conditions
 * evaluated for that server. If the files do not decide a condition, it is an open fact of each
 * request that needs it (open-facts.ts).
 */
import { ACCESS_NAMES } from '../access/conversion-input';
import { accessConditions, decideConditionIn22, knownMpm } from '../access/conditions';
import { differentlyReadLine } from '../access/read-differently';
import type { Activity } from '../config/activity';
import { nameInTag } from '../config/condition';
import {
  readConfiguration,
  readHtaccessFile,
  type ConditionAnswer,
  type ConfigLine,
  type Configuration,
  type ActivityByVersion,
  type DirectiveNames,
  type PlacedSection,
  type ReadOptions,
  type Scope,
} from '../config/configuration';
import { joinedPath, localPathAsSpelled, parentOf, resolvePath, viewOfCopy, type FileView } from '../config/files';
import { moduleNamed, MPM_NAMES } from '../config/modules';
import { hostReadings, type HostReading } from '../config/virtual-host-lines';
import { thirdPartyModule, type ThirdPartyModule } from '../directives/third-party';
import { argumentsOf, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import type { OpenFacts } from './open-facts';
import type { Reason, RequestConfiguration, RequestFiles, FileLine, RequestServer, UnknownFact } from './model';

/** A condition that the files do not decide, as a question for OpenFacts. */
interface OpenCondition {
  readonly keyOfFact: string;
  readonly fact: UnknownFact;
  readonly usualAnswer: boolean;
  readonly isNegated: boolean;
}

/** A configuration as one server reads it. */
export class Site {
  readonly version: '2.2' | '2.4';
  readonly view: FileView;
  private cachedReadings: readonly HostReading[] | null = null;
  private cachedQuotedTag: { readonly hasTag: boolean } | null = null;
  private cachedThirdPartyModules: readonly ThirdPartyModule[] | null = null;
  private readonly configurationByAccessFile = new Map<string, Configuration | null>();
  private readonly cachedAccessFileNames = new Map<readonly string[], Map<string, string | undefined>>();
  private readonly placeByLine = new WeakMap<object, FileLine>();
  private readonly kindByPath = new Map<string, 'file' | 'folder' | null>();
  private cachedDifferentLine: { readonly difference: UnknownFact | null } | null = null;
  /** The conditions by their sections, cached because each line in a section asks for them. */
  private readonly resultByCondition = new Map<PlacedSection, OpenCondition | boolean>();

  constructor(
    readonly server: RequestServer,
    readonly configuration: Configuration,
    private readonly files: RequestFiles,
    private readonly options: ReadOptions,
    /** The compiled-in modules that the user's settings name. */
    private readonly modulesInSettings: ReadonlySet<string>,
  ) {
    this.version = server === '2.2' ? '2.2' : '2.4';
    this.view = viewOfCopy(files.view, configuration.pathMap);
  }

  get root(): Scope {
    return this.configuration.rootScope;
  }

  /** Whether the server has MergeSlashes. Its default is On, and it came with 2.4.39. */
  get hasMergeSlashes(): boolean {
    return this.version === '2.4' && (this.options.target?.patch ?? Infinity) >= 39;
  }

  /**
   * The virtual hosts: one list for each possible reading of the configuration. If some readings
   * leave out lines that 2.4 certainly does not read, only these readings count.
   */
  get hostReadings(): readonly HostReading[] {
    if (this.cachedReadings === null) {
      const readings = hostReadings(this.configuration, true);
      const readingsOmittingLines = readings.filter(({ omitsLines }) => omitsLines);
      this.cachedReadings = readingsOmittingLines.length > 0 ? readingsOmittingLines : readings;
    }
    return this.cachedReadings;
  }

  /** Whether a file contains bytes that are not UTF-8. */
  get hasOtherEncoding(): boolean {
    return [...this.configuration.files.keys()].some((file) => this.files.view.isOtherEncoding?.(file) === true);
  }

  /**
   * Whether a section tag is in quotes, such as `"<Limit" GET>`. httpd reads it as a tag, but this
   * program does not.
   */
  get hasQuotedTag(): boolean {
    this.cachedQuotedTag ??= { hasTag: hasQuotedTag(this.root) };
    return this.cachedQuotedTag.hasTag;
  }

  /**
   * The first line that 2.2 reads differently from this program, as a fact for the user. Null if
   * there is none.
   */
  get differentlyReadLine(): UnknownFact | null {
    this.cachedDifferentLine ??= { difference: this.version === '2.2' ? this.firstDifference() : null };
    return this.cachedDifferentLine.difference;
  }

  /** Finds the line for `differentlyReadLine`. */
  private firstDifference(): UnknownFact | null {
    for (const file of this.configuration.files.values()) {
      const differentLine = differentlyReadLine(file.tree, RELEVANT_NAMES, true);
      if (differentLine)
        return {
          what: `how 2.2 reads \`${differentLine.line.text.trim().slice(0, 60)}\``,
          place: this.placeOf({ file, offset: differentLine.offset }),
        };
    }
    return null;
  }

  /** Whether a path of the server is a file or a folder. Null if it is neither. */
  kind(path: string): 'file' | 'folder' | null {
    let kind = this.kindByPath.get(path);
    if (kind === undefined) this.kindByPath.set(path, (kind = this.view.kind(this.localPath(path))));
    return kind;
  }

  /** The permission bits of a path of the server. Null if they are unknown. */
  mode(path: string): number | null {
    return this.view.mode?.(this.localPath(path)) ?? null;
  }

  /** Whether this copy has `pathBelow`, or a directory between `path` and `pathBelow`. */
  hasFolderBetween(path: string, pathBelow: string): boolean {
    for (
      let folder = pathBelow;
      folder.length > path.length && folder.startsWith(`${path}/`);
      folder = parentOf(folder)
    )
      if (this.kind(folder) !== null) return true;
    return false;
  }

  /** The names of the files in a folder of the server. Null if the folder cannot be read. */
  namesInFolder(path: string): readonly string[] | null {
    return this.view.list(this.localPath(path));
  }

  /** The target of a symbolic link. Null if the path is no link; undefined if this is unknown. */
  linkTarget(path: string): string | null | undefined {
    return this.view.link?.(this.localPath(path));
  }

  /** The text of a file of the server. Null if it cannot be read. */
  textOfFile(path: string): string | null {
    return this.view.read(this.localPath(path))?.text() ?? null;
  }

  /** The path on this machine for a path of the server. */
  localPath(path: string): string {
    return localPathAsSpelled(path, this.configuration.pathMap, this.view);
  }

  /**
   * The first of these names that exists in a folder; undefined if none does. The caller passes the
   * same array for the same names.
   */
  accessFileName(folder: string, names: readonly string[]): string | undefined {
    const nameByFolder = this.cachedAccessFileNames.get(names) ?? new Map<string, string | undefined>();
    this.cachedAccessFileNames.set(names, nameByFolder);
    if (!nameByFolder.has(folder))
      nameByFolder.set(
        folder,
        names.find((name) => this.kind(joinedPath(folder, name)) !== null),
      );
    return nameByFolder.get(folder);
  }

  /** A .htaccess file as the server reads it in a folder. Null if it cannot be read. */
  accessFile(path: string, folder: string): Configuration | null {
    const pathAndFolder = `${path}\n${folder}`;
    let cachedFile = this.configurationByAccessFile.get(pathAndFolder);
    if (cachedFile === undefined) {
      const { pathMap, loadedModules, namesOfOneServer } = this.configuration;
      const { decideCondition, oneVersionNames, splitsUnknownConditions, target, defineFlags } = this.options;
      cachedFile = readHtaccessFile({
        root: this.localPath(path),
        folder,
        view: this.view,
        names: ALL_NAMES,
        tagNames: ALL_NAMES,
        pathMap,
        target,
        decideCondition,
        oneVersionNames,
        splitsUnknownConditions,
        defineFlags,
        loadedModules,
        namesOfOneServer,
      });
      this.configurationByAccessFile.set(pathAndFolder, cachedFile);
    }
    return cachedFile;
  }

  /**
   * Whether the server reads a line or section. If the files do not show this, it becomes an open
   * fact.
   */
  isRead(
    { activity, activityByVersion }: { readonly activity: Activity; readonly activityByVersion?: ActivityByVersion },
    facts: OpenFacts,
  ): boolean {
    if (activityByVersion === undefined) return activity === 'active';
    facts.workDone += activityByVersion.conditions.length;
    return activityByVersion.conditions.every((condition) => this.isConditionTrue(condition, facts));
  }

  /**
   * Whether a LoadModule line loads a third-party module. The versions of PHP count as one module,
   * because they have the same directives.
   */
  loadsModule({ identifier }: Pick<ThirdPartyModule, 'identifier'>): boolean {
    return this.loadedThirdPartyModules.some(
      (each) => each.identifier === identifier || (isPhpModule(each) && isPhpModule({ identifier })),
    );
  }

  /** The third-party modules that LoadModule lines load. */
  private get loadedThirdPartyModules(): readonly ThirdPartyModule[] {
    return (this.cachedThirdPartyModules ??= [...this.configuration.loadedModules].flatMap(
      (source) => thirdPartyModule(source.replace(/\.c$/, '')) ?? [],
    ));
  }

  /**
   * Whether the server has a module that no line of this copy loads: if the user's settings do not
   * name it, this is an open fact. `name`: as in the manual. `usualAnswer`: the answer to try
   * first.
   */
  hasModule(name: string, place: FileLine | null, usualAnswer: boolean, facts: OpenFacts): boolean {
    return (
      this.modulesInSettings.has(name) || facts.holds(`ifmodule ${name}`, this.moduleFact(name, place), usualAnswer)
    );
  }

  /** The open fact whether the server has a module. */
  private moduleFact(name: string, place: FileLine | null): UnknownFact {
    const missingInclude = this.configuration.gaps.find(
      ({ reason, what }) => reason === 'include-missing' && readsDebianLoadFiles(what),
    );
    const why =
      missingInclude === undefined ? '' : `: \`${missingInclude.what}\` loads modules, and is not in this copy`;
    return { what: `whether the server has the module ${name}${why}`, place, module: name, isOfMissingPart: true };
  }

  /** The place of a line or section in the original file. */
  placeOf(lineOrSection: Pick<ConfigLine, 'file' | 'offset'>): FileLine {
    let place = this.placeByLine.get(lineOrSection);
    if (!place) this.placeByLine.set(lineOrSection, (place = this.computedPlace(lineOrSection)));
    return place;
  }

  /** Computes the place for `placeOf`. */
  private computedPlace({ file, offset }: Pick<ConfigLine, 'file' | 'offset'>): FileLine {
    const origin = this.files.originOf?.(file.path, offset) ?? offset;
    // In a converted file, lines have other numbers than in the original file. The result is the
    // place in the original file.
    const tree = this.files.originOf ? (this.options.view.read(file.path) ?? file.tree) : file.tree;
    return { file: file.path, line: tree.positionAt(origin).line };
  }

  /** A deciding line in the form that answers have. */
  reasonOf(configLine: ConfigLine): Reason {
    return { ...this.placeOf(configLine), text: textOf(configLine.line) };
  }

  /** Whether a condition holds. If the files do not show this, an open fact decides. */
  private isConditionTrue(condition: PlacedSection, facts: OpenFacts): boolean {
    let conditionResult = this.resultByCondition.get(condition);
    if (conditionResult === undefined)
      this.resultByCondition.set(condition, (conditionResult = this.conditionOf(condition)));
    if (typeof conditionResult === 'boolean') return conditionResult;
    return (
      facts.holds(conditionResult.keyOfFact, conditionResult.fact, conditionResult.usualAnswer) !==
      conditionResult.isNegated
    );
  }

  /** The result of a condition. If the files do not show it, the question about it. */
  private conditionOf({ section, file, offset }: PlacedSection): OpenCondition | boolean {
    const { open } = section;
    const pathInTag = open.name === 'iffile' ? nameInTag(open, 4) : null;
    if (pathInTag && !pathInTag.name.includes('${'))
      return (this.kind(resolvePath(this.configuration.serverRoot, pathInTag.name)) !== null) !== pathInTag.isNegated;
    const namedInTag = open.name === 'ifmodule' || open.name === 'ifdefine' ? nameInTag(open, 4) : null;
    const place = this.placeOf({ file, offset });
    if (namedInTag === null)
      return {
        keyOfFact: `${open.name} ${open.text.trim()}`,
        fact: { what: `whether \`${textOf(open)}\` applies`, place },
        usualAnswer: false,
        isNegated: false,
      };
    if (open.name === 'ifmodule') {
      const isModuleInTag = ({ identifiers, source }: ThirdPartyModule) =>
        [...identifiers, source].includes(namedInTag.name);
      if (this.loadedThirdPartyModules.some(isModuleInTag)) return !namedInTag.isNegated;
    }
    const { isNegated } = namedInTag;
    if (open.name === 'ifdefine') {
      const factText = `whether the server starts with \`-D ${namedInTag.name}\``;
      const fact = { what: factText, place, startName: namedInTag.name };
      return { keyOfFact: `ifdefine ${namedInTag.name}`, fact, usualAnswer: false, isNegated };
    }
    const moduleName = moduleNamed(namedInTag.name) ?? namedInTag.name;
    if (this.modulesInSettings.has(moduleName)) return !isNegated;
    return {
      keyOfFact: `ifmodule ${moduleName}`,
      fact: this.moduleFact(moduleName, place),
      usualAnswer: true,
      isNegated,
    };
  }
}

/** Whether the path in an Include line is that of Debian's files with LoadModule lines. */
export function readsDebianLoadFiles(path: string): boolean {
  return path.endsWith('.load');
}

function isPhpModule({ identifier }: Pick<ThirdPartyModule, 'identifier'>): boolean {
  return /^php\d?_module$/.test(identifier);
}

/** The text of a directive or tag, without white space around it. */
export function textOf(line: Line): string {
  return line.text.trim();
}

/** The configuration as a server reads it. Null if the main file cannot be read. */
export function siteOf(configuration: RequestConfiguration, server: RequestServer): Site | null {
  const sites = sitesByConfiguration.get(configuration) ?? new Map<RequestServer, Site | null>();
  sitesByConfiguration.set(configuration, sites);
  let site = sites.get(server);
  if (site === undefined) sites.set(server, (site = readSite(configuration, server)));
  return site;
}

/** The number of files that 2.4 reads, apart from .htaccess files. */
export function countFilesRead(configuration: RequestConfiguration): number {
  return siteOf(configuration, '2.4-compat')?.configuration.files.size ?? 0;
}

// ---------------------------------------------------------------------------------------------------------------------

const sitesByConfiguration = cacheOf<RequestConfiguration, Map<RequestServer, Site | null>>();

/** The directives that can change the answer to a request. */
const RELEVANT_NAMES: DirectiveNames = {
  has: (name) => ACCESS_NAMES.has(name) || /^(auth|setenvif|browsermatch|redirect|rewrite|options|server)/.test(name),
};

/** Whether a scope, or a section in it, has a section tag in quotes. */
function hasQuotedTag({ lines, children }: Scope): boolean {
  return lines.some(isQuotedTag) || children.some(hasQuotedTag);
}

/** Whether a line is a section tag in quotes. */
export function isQuotedTag({ line, activity }: ConfigLine): boolean {
  return line.name.startsWith('<') && activity !== 'inactive';
}

/** Stands for the names of all directives. */
const ALL_NAMES: DirectiveNames = { has: () => true };

/** Reads a configuration as a server does. Null if the main file cannot be read. */
function readSite(configuration: RequestConfiguration, server: RequestServer): Site | null {
  const files = (server === '2.4' ? configuration.convertedFiles() : null) ?? configuration.files;
  const { mainFile, target, mpm } = configuration;
  const { serverRoot, pathMap, defines, defineFlags } = configuration.server;
  const options: ReadOptions = {
    root: mainFile,
    view: files.view,
    names: ALL_NAMES,
    oneVersionNames: ALL_NAMES,
    splitsUnknownConditions: true,
    losesLastLines: server !== '2.2',
    decideCondition: makeConditionDecider(server, mpm, configuration),
    target,
    serverRoot,
    pathMap,
    defines,
    defineFlags,
  };
  const parsedConfiguration = readConfiguration(options);
  return (
    parsedConfiguration &&
    new Site(
      server,
      parsedConfiguration,
      files,
      {
        ...options,
        view: configuration.files.view,
      },
      configuration.server.builtIn ?? new Set(),
    )
  );
}

/** Makes the function that evaluates conditions as a server does. */
function makeConditionDecider(
  server: RequestServer,
  mpm: string | null,
  { target }: RequestConfiguration,
): NonNullable<ReadOptions['decideCondition']> {
  const mpms = knownMpm(mpm, null);
  const conditionsOf24 = accessConditions('2.4', target, mpms);
  return (open, loadedModules, isAboveLoads): ConditionAnswer | undefined => {
    const namedModule = open.name === 'ifmodule' ? nameInTag(open, server === '2.2' ? 2 : 4) : null;
    const module = namedModule && moduleNamed(namedModule.name);
    const activityIf = (isTrue: boolean): Activity => (isTrue !== namedModule!.isNegated ? 'active' : 'inactive');
    if (module && MPM_NAMES.has(module)) {
      const mpmOfServer = server === '2.2' ? mpms?.mpm22 : mpms?.mpm24;
      if (mpmOfServer !== null && mpmOfServer !== undefined) return activityIf(module === mpmOfServer);
    }
    if (server === '2.2') return decideConditionIn22(open, loadedModules);
    // The server needs mod_access_compat as long as the files have access lines of 2.2.
    if (module === 'mod_access_compat' && (server === '2.4-compat' || loadedModules.has('mod_access_compat.c')))
      return activityIf(true);
    return conditionsOf24(open, loadedModules, isAboveLoads);
  };
}

/** The words of a line after its name, with variables replaced. */
export function wordsOf({ expandedLine }: Pick<ConfigLine, 'expandedLine'>): readonly string[] {
  let words = wordsByLine.get(expandedLine);
  if (!words) wordsByLine.set(expandedLine, (words = argumentsOf(expandedLine).map(({ value }) => value)));
  return words;
}

/** Cached, because each request needs the words of the same lines. */
const wordsByLine = cacheOf<Line, readonly string[]>();
