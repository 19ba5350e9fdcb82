/**
 * What httpd knows while it reads: the modules loaded so far, what is defined, where ServerRoot is. Conditional sections are
 * decided by it, at their line (docs/how-httpd-reads.md, "Variables" and "Conditions"). Where the configuration alone cannot tell, neither does this.
 */
import { directive } from '../directives/index';
import { argumentsOf, lexLines, rawArguments, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { replaceVariables } from '../syntax/variables';
import { activityOf, type Activity } from './activity';
import { mapped, parentOf, resolvePath, type PathMap } from './files';
import { isForeign, moduleNamed } from './modules';
import type { StartOptions } from './service-file';
import { targetName, type Target } from './target';

/** Whether a conditional section's body exists, and why, for people: a sentence without a full stop. */
export interface Answer {
  readonly activity: Activity;
  readonly why: string;
}

export interface StateOptions {
  readonly target: Target;
  /** Modules that are in the program, by the manual's names. */
  readonly builtIn: ReadonlySet<string>;
  /** Whether a module that was not loaded is not there. */
  readonly knowsModules: boolean;
  /** The names that the server is started with (`-D`), and values; null where nobody said. */
  readonly defines: ReadonlyMap<string, string> | null;
  /** Names of which a person said whether the server is started with them; nothing is said of others. */
  readonly flags?: ReadonlyMap<string, boolean>;
  /** What the distribution's script starts it with; what a person said goes before it. */
  readonly started?: StartOptions | null;
  /** What a path of this machine is. */
  readonly kind: (path: string) => 'file' | 'folder' | null;
}

/** What is known of modules at some line. */
export interface KnownModules {
  /** LoadModule lines before it. */
  readonly loads: number;
  readonly isOpen: boolean;
}

/** `null` for a value that there is, and nobody knows. */
type Value = string | null;

export class State {
  serverRoot: string;
  map: PathMap;
  /** By the manual's names: what LoadModule lines loaded so far; `unknown` where the line may not exist. */
  readonly modules = new Map<string, Activity>();
  /** The same, in the order of the lines. */
  private readonly loads: { readonly name: string; readonly activity: Activity }[] = [];
  /** Flags for `<IfDefine>`, with their case. */
  private readonly flags = new Map<string, Activity>();
  /** Values for `${}`, in lower case: httpd looks them up in a table without case, after the flags' own (core.c, ap_resolve_env). */
  private readonly values = new Map<string, Value>();
  /** Characters of the lines so far that became much longer by their variables. */
  private longText = 0;
  /** Something may have been defined or loaded that is not seen (`<Perl>`, an include that is missing). */
  private isOpen = false;
  /** What it comes to if one takes something else for granted (`answerBy`). */
  private again: State | null = null;
  /** Whether some answer would be another one if everything that was defined was seen, or was not. */
  wasAskedWhetherSure = false;

  constructor(
    private readonly options: StateOptions,
    serverRoot: string,
    map: PathMap,
  ) {
    this.serverRoot = serverRoot;
    this.map = map;
    // Whoever says what it is started with says all of it.
    if (options.defines === null)
      for (const name of options.started?.flags ?? []) if (!options.flags?.has(name)) this.flags.set(name, 'active');
    for (const [name, isOn] of options.flags ?? []) if (isOn) this.flags.set(name, 'active');
    for (const [name, value] of options.defines ?? []) {
      this.flags.set(name, 'active');
      if (value !== '') this.values.set(name.toLowerCase(), value);
    }
  }

  /** Takes note that from here on there may be more than is seen. */
  open(): void {
    this.isOpen = true;
  }

  /** Whether everything that was defined so far was seen. */
  get isSure(): boolean {
    this.wasAskedWhetherSure = true;
    return !this.isOpen;
  }

  /** Whether something was not seen; for whoever answers nobody by it. */
  get isOpened(): boolean {
    return this.isOpen;
  }

  /** The module by the manual's name; null where nobody knows which it is. */
  loadModule(line: Line, activity: Activity): string | null {
    const identifier = argumentsOf(line)[0]?.value;
    const name = identifier === undefined ? null : moduleNamed(identifier);
    if (name === null) {
      if (identifier?.includes('${')) this.open();
      return null;
    }
    this.load(name, activity);
    return name;
  }

  private load(name: string, activity: Activity): void {
    if (this.modules.get(name) === 'active') return;
    this.modules.set(name, activity);
    this.loads.push({ name, activity });
  }

  get knownModules(): KnownModules {
    return { loads: this.loads.length, isOpen: this.isOpen };
  }

  /** `isKnown`: all variables in the line were replaced. */
  define(line: Line, activity: Activity, isKnown: boolean): void {
    const [name, value] = argumentsOf(line).map((word) => word.value);
    if (name === undefined) return;
    if (name.includes('${')) return this.open();
    if (this.flags.get(name) !== 'active') this.flags.set(name, activity);
    if (value === undefined) return;
    const key = name.toLowerCase();
    const before = this.values.get(key);
    this.values.set(key, isKnown && (activity === 'active' || before === value) ? value : null);
  }

  undefine(line: Line, activity: Activity): void {
    const name = argumentsOf(line)[0]?.value;
    if (name === undefined) return;
    // Whose name it is, nobody knows: it may be any.
    if (name.includes('${')) {
      this.open();
      for (const flag of this.flags.keys()) this.flags.set(flag, 'unknown');
      for (const key of this.values.keys()) this.values.set(key, null);
      return;
    }
    if (activity === 'active') {
      this.flags.set(name, 'inactive');
      this.values.delete(name.toLowerCase());
    } else {
      this.flags.set(name, 'unknown');
      if (this.values.has(name.toLowerCase())) this.values.set(name.toLowerCase(), null);
    }
  }

  /** The line with its variables replaced; null where one of them is not known. An unknown name with a colon is none (RewriteMap). */
  expanded(line: Line): Line | null {
    if (!line.text.includes('${')) return line;
    let isKnown = true;
    let length = line.text.length;
    const text = replaceVariables(line.text, (name, whole) => {
      const key = name.toLowerCase();
      const value = this.values.has(key) ? this.values.get(key) : this.options.started?.environment.get(name);
      if (typeof value === 'string' && (length += value.length) <= MAX_EXPANDED) return value;
      if (typeof value === 'string') isKnown = false;
      if (value === null || !name.includes(':')) isKnown = false;
      return whole;
    });
    if (!isKnown) return null;
    if (text.length > line.text.length + SHORT_GROWTH) {
      this.longText += text.length;
      if (this.longText > MAX_LONG_TEXT) return null;
    }
    return lexLines(text)[0] ?? null;
  }

  /** What a condition that hangs on modules comes to at a line, by its open tag with the variables replaced, if one takes something else for granted. Lines come in their order. */
  answerBy(
    open: Line,
    { loads, isOpen }: KnownModules,
    assumed: Pick<StateOptions, 'builtIn' | 'knowsModules'>,
  ): Answer {
    const { builtIn, knowsModules } = assumed;
    let { again } = this;
    if (again?.options.builtIn !== builtIn || again.options.knowsModules !== knowsModules || again.loads.length > loads)
      again = new State({ ...this.options, builtIn, knowsModules }, this.serverRoot, this.map);
    for (const { name, activity } of this.loads.slice(again.loads.length, loads)) again.load(name, activity);
    again.isOpen = isOpen;
    this.again = again;
    return again.answer(open);
  }

  /** Whether the body of a conditional section exists. */
  answer(given: Line): Answer {
    if (given.template !== Template.None) return { activity: 'unknown', why: 'template text stands in it' };
    const open = this.expanded(given);
    if (!open) return { activity: 'unknown', why: 'the value of a variable in it is not known' };
    const word = argumentsOf(open)[0]?.value ?? '';
    const isNegated = word.startsWith('!');
    const name = isNegated ? word.slice(1) : word;
    switch (open.name) {
      case 'ifmodule': {
        const own = negated(this.hasModule(name), isNegated);
        const certain = own.activity === 'unknown' ? activityOf(open, this.options.target) : 'unknown';
        // That whoever asks for mod_access_compat wrote for 2.4 is no reason for it not to be loaded.
        if (certain === 'unknown' || moduleNamed(name) === 'mod_access_compat') return own;
        return {
          activity: certain,
          why: `${(certain === 'active') !== isNegated ? 'every' : 'no'} 2.4 server has ${name}`,
        };
      }
      case 'ifdefine':
        return negated(this.hasFlag(name), isNegated);
      case 'iffile':
        return negated(this.hasFile(name), isNegated);
      case 'ifdirective':
      case 'ifsection':
        return negated(this.hasDirective(name, open.name === 'ifsection'), isNegated);
      case 'ifversion': {
        const activity = activityOf(open, this.options.target);
        const condition = rawArguments(open).value;
        if (activity === 'unknown')
          return { activity, why: `whether the version is "${condition}" depends on the release` };
        return { activity, why: `the server is ${targetName(this.options.target)}` };
      }
    }
    return { activity: 'unknown', why: 'this condition is not known' };
  }

  /** Whether a directive's module is there, as far as this is known. */
  private hasDirective(name: string, isSection: boolean): Answer {
    const what = isSection ? `<${name.replace(/^</, '')}>` : name;
    const facts = directive(name, { section: isSection })?.['2.4'];
    const answers = (facts?.modules ?? []).map((module) => this.moduleActivity(module));
    if (facts?.arguments !== undefined && answers.includes('active'))
      return { activity: 'active', why: `there is a directive ${what}` };
    const isCertain =
      this.knowsModules &&
      answers.every((answer) => answer === 'inactive') &&
      ![...this.modules.keys()].some(isForeign);
    if (isCertain) return { activity: 'inactive', why: `no module that is loaded here has a directive ${what}` };
    return { activity: 'unknown', why: `whether there is a directive ${what} is not known` };
  }

  private hasModule(name: string): Answer {
    const module = moduleNamed(name);
    const activity = module === null ? (this.knowsModules ? 'inactive' : 'unknown') : this.moduleActivity(module);
    if (activity === 'unknown') return { activity, why: `whether ${name} is loaded is not known` };
    if (activity === 'inactive') return { activity, why: `${name} is not loaded when the server comes to this line` };
    return { activity, why: this.options.builtIn.has(module!) ? `${name} is compiled in` : `${name} is loaded` };
  }

  private get knowsModules(): boolean {
    return this.options.knowsModules && !this.isOpen;
  }

  private moduleActivity(module: string): Activity {
    const loaded = this.modules.get(module);
    if (loaded !== undefined) return loaded;
    if (this.options.builtIn.has(module)) return 'active';
    return this.knowsModules ? 'inactive' : 'unknown';
  }

  private hasFlag(name: string): Answer {
    const isKnown = this.options.defines !== null || this.options.flags?.get(name) === false;
    const flag = this.flags.get(name) ?? (isKnown && this.isSure ? 'inactive' : 'unknown');
    if (flag === 'unknown')
      return {
        activity: flag,
        why: `whether ${name} is defined (Define, or -D when the server is started) is not known`,
      };
    if (flag === 'active' && this.options.started?.flags.has(name) && !this.options.flags?.has(name))
      return { activity: flag, why: `${this.options.started.name} has -D ${name}` };
    return {
      activity: flag,
      why: flag === 'active' ? `${name} is defined` : `${name} is not defined when the server comes to this line`,
    };
  }

  /** Only where the path is this machine's own, and its folder is here, a file that is not here is not there (core.c, start_iffile). */
  private hasFile(name: string): Answer {
    const path = resolvePath(this.serverRoot, name);
    const here = mapped(path, this.map);
    if (this.options.kind(here) !== null) return { activity: 'active', why: `${name} exists` };
    const isCertain = here === path && this.options.kind(parentOf(path)) === 'folder';
    if (isCertain) return { activity: 'inactive', why: `${name} does not exist` };
    return { activity: 'unknown', why: `whether ${name} exists on the server is not known` };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function negated(answer: Answer, isNegated: boolean): Answer {
  if (!isNegated || answer.activity === 'unknown') return answer;
  return { ...answer, activity: answer.activity === 'active' ? 'inactive' : 'active' };
}

/** UTF-16 units of a line with its variables in place. Each of a few dozen definitions may double the one before: what gets longer than anybody writes is not known. */
const MAX_EXPANDED = 100_000;

/** All lines that variables make longer by more than this have so many characters together, at most; further ones are not known. */
const SHORT_GROWTH = 1000;
const MAX_LONG_TEXT = 2_000_000;
