/**
 * The state of httpd while it reads a configuration: the modules loaded so far, the definitions,
 * ServerRoot. It decides conditional sections at their place (docs/how-httpd-reads.md, "Variables"
 * and "Conditions"). What the configuration alone does not show is unknown.
 */
import { directive } from '../directives/index';
import { argumentsOf, lexLines, rawArguments, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { replaceVariables } from '../syntax/variables';
import { activityOf, isModuleAbsentIn24, type Activity } from './activity';
import { localPathOf, parentOf, resolvePath, type PathMap } from './files';
import { isThirdPartyModule, moduleNamed } from './modules';
import type { StartOptions } from './service-file';
import { targetName, type Target } from './target';

/**
 * Whether httpd reads the body of a conditional section. `why`: the reason, as a sentence for users
 * without a full stop.
 */
export interface ConditionResult {
  readonly activity: Activity;
  readonly why: string;
}

/** The facts that are known before the first line is read. */
export interface StateOptions {
  readonly target: Target;
  /** Compiled-in modules, by the manual's names. */
  readonly builtIn: ReadonlySet<string>;
  /** Whether a module that no line loads is certainly absent. */
  readonly knowsModules: boolean;
  /** The names with which the server is started (`-D`), and their values. Null if unknown. */
  readonly defines: ReadonlyMap<string, string> | null;
  /**
   * Names for which the user answered whether the server is started with them. For other names it
   * stays unknown.
   */
  readonly defineFlags?: ReadonlyMap<string, boolean>;
  /**
   * The options in the distribution's start script. If the user's settings have options, those
   * count instead.
   */
  readonly startOptions?: StartOptions | null;
  /** Whether a path of this machine is a file or a folder; null if it is missing. */
  readonly kind: (path: string) => 'file' | 'folder' | null;
}

/**
 * What is known about modules at one line of the configuration
 * (`ServerState.resultUnderAssumption`).
 */
export interface ModuleState {
  /** The number of LoadModule lines before this line. */
  readonly loadCount: number;
  /** Whether lines before this one could not be read, and may have loaded modules. */
  readonly isIncomplete: boolean;
}

/** The value of a variable. Null if the value is unknown. */
type VariableValue = string | null;

/** The state of httpd at the line that is read. */
export class ServerState {
  serverRoot: string;
  pathMap: PathMap;
  /**
   * Modules that LoadModule lines have loaded so far, by the manual's names. `unknown` if httpd may
   * skip the line.
   */
  readonly modules = new Map<string, Activity>();
  /** The modules of the LoadModule lines, in the order of the lines. */
  private readonly loadedModules: { readonly name: string; readonly activity: Activity }[] = [];
  /** Flags for `<IfDefine>`, case-sensitive. */
  private readonly activityByFlag = new Map<string, Activity>();
  /**
   * The values of variables, by the name in lower case, because httpd ignores case in `${NAME}`
   * (core.c, ap_resolve_env).
   */
  private readonly valueByVariable = new Map<string, VariableValue>();
  /** Total length of the lines that became much longer when their variables were replaced. */
  private longTextLength = 0;
  /**
   * Whether lines that were not read (`<Perl>`, a missing include) may have defined or loaded
   * something.
   */
  private isIncomplete = false;
  /**
   * A second state, with another assumption about modules (`resultUnderAssumption`). Null until the
   * first such query.
   */
  private assumedState: ServerState | null = null;

  constructor(
    private readonly options: StateOptions,
    serverRoot: string,
    pathMap: PathMap,
  ) {
    this.serverRoot = serverRoot;
    this.pathMap = pathMap;
    // If the user has set start options, they are complete, so those of the distribution are not
    // used.
    if (options.defines === null)
      for (const name of options.startOptions?.defineFlags ?? [])
        if (!options.defineFlags?.has(name)) this.activityByFlag.set(name, 'active');
    for (const [name, isOn] of options.defineFlags ?? []) if (isOn) this.activityByFlag.set(name, 'active');
    for (const [name, value] of options.defines ?? []) {
      this.activityByFlag.set(name, 'active');
      if (value !== '') this.valueByVariable.set(name.toLowerCase(), value);
    }
  }

  /**
   * Records that some lines could not be read. These lines may contain definitions that are not
   * known.
   */
  markIncomplete(): void {
    this.isIncomplete = true;
  }

  /**
   * Whether all lines so far that may define or undefine a variable or load a module could be read.
   * False after `markIncomplete`.
   */
  get isComplete(): boolean {
    return !this.isIncomplete;
  }

  /** Handles a LoadModule line. Returns the module by the manual's name; null if it is unknown. */
  loadModule(line: Line, activity: Activity): string | null {
    const identifier = argumentsOf(line)[0]?.value;
    const moduleName = identifier === undefined ? null : moduleNamed(identifier);
    if (moduleName === null) {
      if (identifier?.includes('${')) this.markIncomplete();
      return null;
    }
    this.applyLoadModule(moduleName, activity);
    return moduleName;
  }

  private applyLoadModule(name: string, activity: Activity): void {
    if (this.modules.get(name) === 'active') return;
    this.modules.set(name, activity);
    this.loadedModules.push({ name, activity });
  }

  get moduleState(): ModuleState {
    return { loadCount: this.loadedModules.length, isIncomplete: this.isIncomplete };
  }

  /** Handles a Define line. `areVariablesKnown`: whether all variables in it were replaced. */
  applyDefine(line: Line, activity: Activity, areVariablesKnown: boolean): void {
    const [name, value] = argumentsOf(line).map((word) => word.value);
    if (name === undefined) return;
    if (name.includes('${')) return this.markIncomplete();
    if (this.activityByFlag.get(name) !== 'active') this.activityByFlag.set(name, activity);
    if (value === undefined) return;
    const lowerName = name.toLowerCase();
    const valueBefore = this.valueByVariable.get(lowerName);
    this.valueByVariable.set(
      lowerName,
      areVariablesKnown && (activity === 'active' || valueBefore === value) ? value : null,
    );
  }

  applyUndefine(line: Line, activity: Activity): void {
    const removedName = argumentsOf(line)[0]?.value;
    if (removedName === undefined) return;
    // The name has a variable, so the line may remove any flag.
    if (removedName.includes('${')) {
      this.markIncomplete();
      for (const flag of this.activityByFlag.keys()) this.activityByFlag.set(flag, 'unknown');
      for (const key of this.valueByVariable.keys()) this.valueByVariable.set(key, null);
      return;
    }
    if (activity === 'active') {
      this.activityByFlag.set(removedName, 'inactive');
      this.valueByVariable.delete(removedName.toLowerCase());
    } else {
      this.activityByFlag.set(removedName, 'unknown');
      if (this.valueByVariable.has(removedName.toLowerCase()))
        this.valueByVariable.set(removedName.toLowerCase(), null);
    }
  }

  /**
   * The line with its variables replaced by their values; null if a value is unknown. A name that
   * contains a colon, and is not defined, is no variable: it is a lookup in a RewriteMap.
   */
  expandedLine(line: Line): Line | null {
    if (!line.text.includes('${')) return line;
    let areValuesKnown = true;
    let expandedLength = line.text.length;
    const expandedText = replaceVariables(line.text, (name, variable) => {
      const lowerName = name.toLowerCase();
      const value = this.valueByVariable.has(lowerName)
        ? this.valueByVariable.get(lowerName)
        : this.options.startOptions?.environment.get(name);
      if (typeof value === 'string' && (expandedLength += value.length) <= MAX_EXPANDED_LENGTH) return value;
      if (typeof value === 'string') areValuesKnown = false;
      if (value === null || !name.includes(':')) areValuesKnown = false;
      return variable;
    });
    if (!areValuesKnown) return null;
    if (expandedText.length > line.text.length + MAX_UNCOUNTED_GROWTH) {
      this.longTextLength += expandedText.length;
      if (this.longTextLength > MAX_LONG_TEXT_LENGTH) return null;
    }
    return lexLines(expandedText)[0] ?? null;
  }

  /**
   * Decides a condition under another assumption about modules. `openTag`: its open tag with
   * variables replaced. A caller with several conditions is faster if it takes them in the order of
   * their lines.
   */
  resultUnderAssumption(
    openTag: Line,
    { loadCount, isIncomplete }: ModuleState,
    assumedOptions: Pick<StateOptions, 'builtIn' | 'knowsModules'>,
  ): ConditionResult {
    const { builtIn, knowsModules } = assumedOptions;
    let assumedState = this.assumedState;
    if (
      assumedState?.options.builtIn !== builtIn ||
      assumedState.options.knowsModules !== knowsModules ||
      assumedState.loadedModules.length > loadCount
    )
      assumedState = new ServerState({ ...this.options, builtIn, knowsModules }, this.serverRoot, this.pathMap);
    for (const { name, activity } of this.loadedModules.slice(assumedState.loadedModules.length, loadCount))
      assumedState.applyLoadModule(name, activity);
    assumedState.isIncomplete = isIncomplete;
    this.assumedState = assumedState;
    return assumedState.conditionResult(openTag);
  }

  /** Whether the body of a conditional section is read. */
  conditionResult(openTag: Line): ConditionResult {
    if (openTag.template !== Template.None) return { activity: 'unknown', why: 'the condition contains template text' };
    const expandedTag = this.expandedLine(openTag);
    if (!expandedTag)
      return { activity: 'unknown', why: 'the condition contains a variable, and its value is not known' };
    const testedWord = argumentsOf(expandedTag)[0]?.value ?? '';
    const isNegated = testedWord.startsWith('!');
    const testedName = isNegated ? testedWord.slice(1) : testedWord;
    switch (expandedTag.name) {
      case 'ifmodule': {
        const moduleResult = resultIfNegated(this.resultOfModule(testedName), isNegated);
        // 2.4 certainly does not have some modules of 2.2. Their LoadModule lines load nothing, so
        // the tag decides.
        const isModuleCertain = moduleResult.activity === 'unknown' || isModuleAbsentIn24(testedName);
        const certainActivity = isModuleCertain ? activityOf(expandedTag, this.options.target) : 'unknown';
        // For mod_access_compat, the tag alone is read as "written for 2.4". That does not mean
        // that the module is absent, so the LoadModule lines decide.
        if (certainActivity === 'unknown' || moduleNamed(testedName) === 'mod_access_compat') return moduleResult;
        return {
          activity: certainActivity,
          why: `${(certainActivity === 'active') !== isNegated ? 'every' : 'no'} 2.4 server has ${testedName}`,
        };
      }
      case 'ifdefine':
        return resultIfNegated(this.resultOfFlag(testedName), isNegated);
      case 'iffile':
        return resultIfNegated(this.resultOfFile(testedName), isNegated);
      case 'ifdirective':
      case 'ifsection':
        return resultIfNegated(this.resultOfDirective(testedName, expandedTag.name === 'ifsection'), isNegated);
      case 'ifversion': {
        const activity = activityOf(expandedTag, this.options.target);
        const condition = rawArguments(expandedTag).value;
        if (activity === 'unknown') return { activity, why: `"${condition}" is true for some releases of 2.4 only` };
        return { activity, why: `the server is httpd ${targetName(this.options.target)}` };
      }
    }
    return { activity: 'unknown', why: 'httpd-upgrade does not know this condition' };
  }

  /**
   * The result of a test whether a loaded module has this directive or section (`<IfDirective>`,
   * `<IfSection>`).
   */
  private resultOfDirective(name: string, isSection: boolean): ConditionResult {
    const shownName = isSection ? `<${name.replace(/^</, '')}>` : name;
    const facts = directive(name, { section: isSection })?.['2.4'];
    const moduleActivities = (facts?.modules ?? []).map((module) => this.moduleActivity(module));
    if (facts?.arguments !== undefined && moduleActivities.includes('active'))
      return { activity: 'active', why: `the server has ${shownName}` };
    const isCertainlyMissing =
      this.knowsModules &&
      moduleActivities.every((answer) => answer === 'inactive') &&
      ![...this.modules.keys()].some(isThirdPartyModule);
    if (isCertainlyMissing) return { activity: 'inactive', why: `no loaded module has ${shownName}` };
    return { activity: 'unknown', why: `the files do not show whether a module with ${shownName} is loaded` };
  }

  /** The result of a test whether a module is loaded (`<IfModule>`). */
  private resultOfModule(name: string): ConditionResult {
    const module = moduleNamed(name);
    const activity = module === null ? (this.knowsModules ? 'inactive' : 'unknown') : this.moduleActivity(module);
    if (activity === 'unknown') return { activity, why: `the files do not show whether ${name} is loaded` };
    if (activity === 'inactive') return { activity, why: `${name} is not loaded above this line` };
    return { activity, why: this.options.builtIn.has(module!) ? `${name} is compiled in` : `${name} is loaded` };
  }

  private get knowsModules(): boolean {
    return this.options.knowsModules && !this.isIncomplete;
  }

  private moduleActivity(module: string): Activity {
    const activityOfLoad = this.modules.get(module);
    if (activityOfLoad !== undefined) return activityOfLoad;
    if (this.options.builtIn.has(module)) return 'active';
    return this.knowsModules ? 'inactive' : 'unknown';
  }

  /** The result of a test whether a name is defined (`<IfDefine>`). */
  private resultOfFlag(name: string): ConditionResult {
    const areFlagsKnown = this.options.defines !== null || this.options.defineFlags?.get(name) === false;
    const activityOfFlag = this.activityByFlag.get(name) ?? (areFlagsKnown && this.isComplete ? 'inactive' : 'unknown');
    if (activityOfFlag === 'unknown')
      return {
        activity: activityOfFlag,
        why: `the files do not show whether ${name} is defined, by a Define line or by -D ${name} when the server starts`,
      };
    if (
      activityOfFlag === 'active' &&
      this.options.startOptions?.defineFlags.has(name) &&
      !this.options.defineFlags?.has(name)
    )
      return { activity: activityOfFlag, why: `${this.options.startOptions.serverPath} has -D ${name}` };
    return {
      activity: activityOfFlag,
      why: activityOfFlag === 'active' ? `${name} is defined` : `${name} is not defined above this line`,
    };
  }

  /**
   * The result of a test whether a file exists (core.c, start_iffile). It certainly does not exist
   * only if its path is the same on the server and on this machine, and its folder exists here.
   */
  private resultOfFile(name: string): ConditionResult {
    const testedPath = resolvePath(this.serverRoot, name);
    const localPath = localPathOf(testedPath, this.pathMap);
    if (this.options.kind(localPath) !== null) return { activity: 'active', why: `${name} exists` };
    const isCertainlyMissing = localPath === testedPath && this.options.kind(parentOf(testedPath)) === 'folder';
    if (isCertainlyMissing) return { activity: 'inactive', why: `${name} does not exist` };
    return { activity: 'unknown', why: `it is not known whether the server has ${name}` };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function resultIfNegated(answer: ConditionResult, isNegated: boolean): ConditionResult {
  if (!isNegated || answer.activity === 'unknown') return answer;
  return { ...answer, activity: answer.activity === 'active' ? 'inactive' : 'active' };
}

/**
 * Maximum length of a line after its variables are replaced, in UTF-16 units. A longer line counts
 * as unknown. A limit is needed because each Define can double the value of the one before.
 */
const MAX_EXPANDED_LENGTH = 100_000;

/**
 * Lines that grow by more than this number of units are counted. When their total length exceeds
 * the second number, further ones count as unknown.
 */
const MAX_UNCOUNTED_GROWTH = 1000;
const MAX_LONG_TEXT_LENGTH = 2_000_000;
