/**
 * Finds out whether the server accepts a .htaccess file. If not, it answers each request with 500
 * (ap_parse_htaccess in server/config.c).
 */
import { differentlyReadLine } from '../access/read-differently';
import { moduleNamed } from '../config/modules';
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { nameInTag } from '../config/condition';
import { directive } from '../directives/index';
import { thirdPartyModule, thirdPartyModules } from '../directives/third-party';
import { isTransparent, sectionKind } from '../config/sections';
import type { Line } from '../syntax/line';
import type { EarlyAnswer } from './section';
import type { RequestContext } from './asking';
import { lineProblem } from './line-problem';
import type { Overrides } from './overrides';
import { wordsOf } from './site';

/**
 * Why the server refuses the file, with the answer that it gives. Null if it accepts the file.
 * `isDefaultOverride`: no AllowOverride line applies, so 2.2 allows all classes of directives and
 * 2.4 none.
 */
export function findAccessFileProblem(
  { rootScope, gaps }: Configuration,
  overrides: Overrides,
  isDefaultOverride: boolean,
  requestContext: RequestContext,
): Omit<EarlyAnswer, 'file'> | null {
  const classes = classesOf(overrides, isDefaultOverride && requestContext.site.version === '2.2');
  const fileCheck = new AccessFileCheck(classes, overrides, requestContext);
  const [gap] = gaps;
  if (gap && gap.reason !== 'condition' && gap.reason !== 'mpm')
    return { access: 'unknown', why: `\`${gap.what}\` is not read`, lines: [] };
  const lineReadDifferently =
    requestContext.site.version === '2.2' ? differentlyReadLine(rootScope.file.tree, ALL_NAMES, true) : null;
  if (lineReadDifferently) {
    const differentLine = asConfigLine(lineReadDifferently.line, {
      file: rootScope.file,
      offset: lineReadDifferently.offset,
    });
    requestContext.noteFact({
      what: `how 2.2 reads \`${lineReadDifferently.line.text.trim().slice(0, 60)}\``,
      place: requestContext.site.placeOf(differentLine),
    });
    return { access: 'unknown', why: '2.2 reads a line of the .htaccess file differently', lines: [] };
  }
  return fileCheck.problemOfScope(rootScope);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Stands for the names of all directives. */
const ALL_NAMES = { has: () => true };

/**
 * The classes of directives that AllowOverride can allow, with the names in the source of httpd.
 */
const ALL_CLASSES = ['OR_LIMIT', 'OR_OPTIONS', 'OR_FILEINFO', 'OR_AUTHCFG', 'OR_INDEXES'];
/** The classes that each word of AllowOverride allows. */
const CLASSES_OF_WORD: Readonly<Record<string, readonly string[]>> = {
  all: ALL_CLASSES,
  limit: ['OR_LIMIT'],
  options: ['OR_OPTIONS'],
  fileinfo: ['OR_FILEINFO'],
  authconfig: ['OR_AUTHCFG'],
  indexes: ['OR_INDEXES'],
};

/**
 * The classes that are allowed in a .htaccess file. `allowsAllByDefault`: whether all classes are
 * allowed if no AllowOverride line applies.
 */
function classesOf({ words }: Overrides, allowsAllByDefault: boolean): ReadonlySet<string> {
  if (words === null) return new Set(allowsAllByDefault ? ALL_CLASSES : []);
  return new Set(words.flatMap((word) => CLASSES_OF_WORD[word] ?? (word.startsWith('options=') ? ['OR_OPTIONS'] : [])));
}

/** Why the server refuses a .htaccess file, and its answer. */
type AccessFileProblem = Omit<EarlyAnswer, 'file'>;

/** Checks the lines of one .htaccess file. */
class AccessFileCheck {
  constructor(
    private readonly allowedClasses: ReadonlySet<string>,
    private readonly overrides: Overrides,
    private readonly requestContext: RequestContext,
  ) {}

  /** The first problem in a scope and in the sections in it. Null if there is none. */
  problemOfScope(scope: Scope): AccessFileProblem | null {
    const { site, facts } = this.requestContext;
    for (const configLine of scope.lines) {
      if (!site.isRead(configLine, facts)) continue;
      const isTag = isTransparent(sectionKind(configLine.line.name)) && configLine.line.text.trim().startsWith('<');
      const problem =
        this.problemOfName(configLine.line, isTag, configLine) ?? (isTag ? null : this.problemOfValue(configLine));
      if (problem) return problem;
    }
    for (const child of scope.children) {
      if (!site.isRead(child, facts)) continue;
      const problem = this.problemOfName(child.section!.open, true, child) ?? this.problemOfScope(child);
      if (problem) return problem;
    }
    return null;
  }

  /**
   * The problem of a line or tag, if its directive is unknown or not allowed. Otherwise null.
   * `linePlace`: the place of the line.
   */
  private problemOfName(
    line: Line,
    isSection: boolean,
    linePlace: Pick<ConfigLine, 'file' | 'offset' | 'activityByVersion'>,
  ): AccessFileProblem | null {
    const { name } = line;
    const { version } = this.requestContext.site;
    const tagText = isSection ? `<${name}>` : `\`${line.text.trim().split(/\s/, 1)[0]}\``;
    const facts = directive(name, { section: isSection });
    const factsOfVersion = facts?.[version];
    const lines = [asConfigLine(line, linePlace)];
    if (name.startsWith('<')) {
      this.requestContext.noteFact({
        what: `how httpd reads ${tagText} in quotes`,
        place: this.requestContext.site.placeOf(linePlace),
      });
      return { access: 'unknown', why: `${tagText} is in quotes`, lines };
    }
    if (!factsOfVersion) {
      const [module] = thirdPartyModules(name, isSection);
      if (
        module &&
        !facts &&
        (isInIfModule(linePlace) ||
          this.requestContext.site.loadsModule(module) ||
          this.hasModule(module.identifier, linePlace))
      )
        return null;
      return { access: 'error', why: `${tagText} is not a directive of httpd ${version}`, lines };
    }
    if (!isUsualStatus(factsOfVersion.status) && !this.hasSomeModule(factsOfVersion.modules, linePlace))
      return { access: 'error', why: `the module of ${tagText} is not loaded`, lines };
    if (this.overrides.overrideList.includes(isSection ? `<${name}` : name)) return null;
    const allowingFlags = factsOfVersion.flags.flatMap((flag) =>
      flag === 'OR_ALL' ? ALL_CLASSES : flag.startsWith('OR_') ? [flag] : [],
    );
    if (factsOfVersion.flags.includes('EXEC_ON_READ') && allowingFlags.length === 0 && this.allowedClasses.size > 0)
      return null;
    const isClassAllowed = allowingFlags.some((flag) => this.allowedClasses.has(flag));
    if (isClassAllowed || (version === '2.2' && name.startsWith('limit'))) return null;
    const isLenient = this.overrides.words?.some((word) => word === 'nonfatal=override' || word === 'nonfatal=all');
    if (isLenient) return { access: 'unknown', why: `AllowOverride ignores ${tagText} there`, lines };
    return {
      access: 'error',
      why:
        this.overrideLines().length > 0
          ? `AllowOverride does not allow ${tagText} there`
          : `no AllowOverride line was read for this directory, and without one 2.4 allows no directive in .htaccess files`,
      lines: [...lines, ...this.overrideLines()],
    };
  }

  /** The problem with the arguments of a line. Null if there is none. */
  private problemOfValue(configLine: ConfigLine): AccessFileProblem | null {
    if (configLine.line.name === 'options' && this.overrides.words) {
      const allowedOptions = this.overrides.words
        .find((word) => word.startsWith('options='))
        ?.slice(8)
        .split(',');
      const refusedOption =
        allowedOptions &&
        wordsOf(configLine).find((word) => !allowedOptions.includes(word.replace(/^[+-]/, '').toLowerCase()));
      if (refusedOption)
        return {
          access: 'error',
          why: `AllowOverride does not allow Options ${refusedOption}`,
          lines: [configLine, ...this.overrideLines()],
        };
    }
    const problem = lineProblem(
      configLine,
      this.requestContext.site.version,
      this.requestContext.facts.correctsProviders,
    );
    return problem === null ? null : { access: 'error', why: problem, lines: [configLine] };
  }

  private overrideLines(): ConfigLine[] {
    return this.overrides.line ? [this.overrides.line] : [];
  }

  /**
   * Whether the server has one of the modules of a directive. If there are no LoadModule lines, it
   * counts as having all of them.
   */
  private hasSomeModule(modules: readonly string[], linePlace: Pick<ConfigLine, 'file' | 'offset'>): boolean {
    const { configuration } = this.requestContext.site;
    if (configuration.modules.length === 0) return true;
    if (modules.some((name) => USUAL_MODULES.has(name) || configuration.loadedModules.has(`${name}.c`))) return true;
    return modules.length === 0 || this.hasModule(modules[0]!, linePlace);
  }

  /** Whether the server has a module, given by its name or identifier. This may be an open fact. */
  private hasModule(name: string, linePlace: Pick<ConfigLine, 'file' | 'offset'>): boolean {
    const { site, facts } = this.requestContext;
    return site.hasModule(moduleNamed(name) ?? name, site.placeOf(linePlace), true, facts);
  }
}

/**
 * Whether a line is in an `<IfModule>` for a third-party module. If the server has the module, it
 * knows the module's directives; if not, it does not read the line.
 */
function isInIfModule({ activityByVersion }: Pick<ConfigLine, 'activityByVersion'>): boolean {
  return (activityByVersion?.conditions ?? []).some(({ section: { open } }) => {
    const namedModule = open.name === 'ifmodule' ? nameInTag(open, 4) : null;
    return namedModule !== null && !namedModule.isNegated && thirdPartyModule(namedModule.name) !== undefined;
  });
}

/**
 * Whether usual servers have the modules with this status in the manual (`Core`, `Base`, `MPM`).
 */
function isUsualStatus(status: string | undefined): boolean {
  return status === undefined || status === 'Core' || status === 'Base' || status === 'MPM';
}

/** Modules that every server has, or that the upgrade adds. */
const USUAL_MODULES: ReadonlySet<string> = new Set([
  'core',
  'http_core',
  'mod_so',
  'mpm_common',
  'mod_version',
  'mod_authz_core',
  'mod_authn_core',
  'mod_access_compat',
  'mod_authz_host',
]);

/** Makes a line of a configuration from a line and its place. */
function asConfigLine(line: Line, { file, offset }: Pick<ConfigLine, 'file' | 'offset'>): ConfigLine {
  return { line, expandedLine: line, file, offset, enclosingSections: [], activity: 'active', conditionals: [] };
}
