import { activityOf } from '../config/activity';
import { nameInTag } from '../config/condition';
import { linesIn, type ConfigFile, type ConfigLine, type LinePlace, type Scope } from '../config/configuration';
import { isLoadedByRedHat } from '../config/distribution';
import { parentOf } from '../config/files';
import {
  forEachScope,
  linesOf,
  scopesOf,
  type LoadedModules,
  type LoadModuleLine,
  type ModuleAbsence,
} from '../config/loaded-modules';
import { namesInUse } from '../config/lines-by-name';
import { moduleNamed as testedModule } from '../config/modules';
import { cachedByNames, namesIn } from '../config/name-set';
import { stockFilesToLeaveOut } from '../config/stock-changes';
import { sourceTextOf, type MpmOf22 } from '../config/service-file';
import { isNewForServer, type Target } from '../config/target';
import { directive, module as moduleNamed, providers, type ProviderKind } from '../directives';
import { choiceQuestion, type OpenQuestion } from '../access/open-question';
import { parseRequire } from '../access/require';
import { parseOperand } from '../access/operand';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { lazy } from '../syntax/memory';
import { forEachItem, forEachLine, Section, type List } from '../syntax/tree';
import { runsOnWindows } from './support/windows';
import { contentSpan, joinedItems, fittingHeadline, nameSpan, shortened } from './support/edits';
import {
  debianName,
  MODULES_QUESTION,
  modulesQuestion,
  isDebianLayout,
  loadsPhp,
  fixesToLoad,
  fixesToLoadAll,
  shortName,
} from './support/load-module-fix';
import {
  SEVERITIES,
  SEVERITY_OF,
  type ConfigurationFinding,
  type ConfigurationRule,
  type ConfigurationRuleInput,
  type Consequence,
  type Edit,
  type Fix,
} from './rule';

/** Directives that prefork does not have. */
const THREAD_NAMES: readonly string[] = ['threadsperchild', 'minsparethreads', 'maxsparethreads', 'threadlimit'];

/**
 * Finds modules that the configuration needs in 2.4 and does not load. 2.2 did not need them, or
 * had their directives in other modules.
 */
export const missingModule: ConfigurationRule = {
  id: 'missing-module',
  title: 'A module that 2.4 needs and that is not loaded',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'configuration',
  names: [
    'loadmodule',
    'include',
    'includeoptional',
    'require',
    'scriptalias',
    'scriptaliasmatch',
    'addhandler',
    'sethandler',
    'order',
    'allow',
    'deny',
    'satisfy',
    'authtype',
    'authbasicprovider',
    'authdigestprovider',
    'sslsessioncache',
    'sslstaplingcache',
    'authncachesocache',
    'authncacheenable',
    'authncacheprovidefor',
    'cachesocache',
    'cacheenable',
    'addoutputfilterbytype',
    'proxypass',
    'proxypassmatch',
    'proxyset',
    'balancermember',
    'rewriterule',
    'authdbmgroupfile',
    'authzprovideralias',
    'authnprovideralias',
    'proxy',
    'ifversion',
    'allowoverride',
    'allowoverridelist',
    'serverroot',
    'pidfile',
    ...THREAD_NAMES,
  ],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'Modules of a 2.2 server of Red Hat, and an MPM for 2.4',
      before:
        'ServerRoot "/etc/httpd"\nLoadModule auth_basic_module modules/mod_auth_basic.so\nLoadModule authn_file_module modules/mod_authn_file.so\nLoadModule authz_host_module modules/mod_authz_host.so\nLoadModule authz_user_module modules/mod_authz_user.so\n' +
        'LoadModule log_config_module modules/mod_log_config.so\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\nUser apache\nGroup apache\n<Directory "/var/www/intern">\n    AuthType Basic\n    AuthName "Intern"\n    AuthUserFile /etc/httpd/users\n    Require valid-user\n</Directory>\n',
      after:
        'ServerRoot "/etc/httpd"\nLoadModule auth_basic_module modules/mod_auth_basic.so\nLoadModule authn_file_module modules/mod_authn_file.so\nLoadModule authn_core_module modules/mod_authn_core.so\nLoadModule authz_host_module modules/mod_authz_host.so\nLoadModule authz_user_module modules/mod_authz_user.so\nLoadModule authz_core_module modules/mod_authz_core.so\n' +
        'LoadModule log_config_module modules/mod_log_config.so\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\nLoadModule unixd_module modules/mod_unixd.so\nUser apache\nGroup apache\n<Directory "/var/www/intern">\n    AuthType Basic\n    AuthName "Intern"\n    AuthUserFile /etc/httpd/users\n    Require valid-user\n</Directory>\n',
      finds: ['directive', 'directive', 'directive'],
    },
    {
      title: 'httpd -t passes, but the start fails',
      before:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule authz_host_module modules/mod_authz_host.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nLoadModule proxy_module modules/mod_proxy.so\nLoadModule proxy_balancer_module modules/mod_proxy_balancer.so\nLoadModule proxy_http_module modules/mod_proxy_http.so\n' +
        '<Proxy balancer://app>\n    BalancerMember http://192.0.2.1:8080\n</Proxy>\nProxyPass /app balancer://app\n',
      after:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule authz_host_module modules/mod_authz_host.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nLoadModule proxy_module modules/mod_proxy.so\nLoadModule proxy_balancer_module modules/mod_proxy_balancer.so\nLoadModule lbmethod_byrequests_module modules/mod_lbmethod_byrequests.so\nLoadModule proxy_http_module modules/mod_proxy_http.so\n<IfModule !mpm_event_module>\n<IfModule !mpm_worker_module>\n<IfModule !mpm_prefork_module>\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n</IfModule>\n</IfModule>\n</IfModule>\n<IfModule !unixd_module>\nLoadModule unixd_module modules/mod_unixd.so\n</IfModule>\nLoadModule slotmem_shm_module modules/mod_slotmem_shm.so\n<Proxy balancer://app>\n    BalancerMember http://192.0.2.1:8080\n</Proxy>\nProxyPass /app balancer://app\n',
      finds: ['mpm', 'built-in', 'slotmem', 'lbmethod'],
    },
  ],
  needsName: (name, modules) => hasNoModule(name, modules),
  check(ruleInput) {
    if (!isWholeServer(ruleInput)) return [];
    const check = new MissingModuleCheck(ruleInput);
    check.checkModules();
    const { configuration } = ruleInput;
    const aliases = new Set(
      ['authzprovideralias', 'authnprovideralias']
        .flatMap((kind) => scopesOf(configuration, kind))
        .map(({ words }) => (words[1] ?? '').toLowerCase()),
    );
    // A RewriteRule line can need a module only by its backend, which checkProxySchemes finds.
    const mayLackByName = new Map(
      missingModule.names.flatMap((name) => (name === 'rewriterule' ? [] : [[name, true]])),
    );
    const mayLackModule = (name: string): boolean => {
      let mayLack = mayLackByName.get(name);
      if (mayLack === undefined) mayLackByName.set(name, (mayLack = hasNoModule(name, ruleInput.modules)));
      return mayLack;
    };
    const checkOfDefineSections = new ModulesWithNames(ruleInput);
    const hasTransparentSections = cachedByNames((names) => KINDS_WITHOUT_SCOPE.some((kind) => names.hasKind(kind)));
    const mayNamesMatter = cachedByNames((names) => hasTransparentSections(names) || names.hasSome(mayLackModule));
    const isCheckedBefore = repetitionTest(check.filesLeftOut);
    const checkedKinds = new Set<string>();
    if (mayNeedMissingModule(ruleInput, mayLackModule, aliases))
      forEachScope(
        configuration.rootScope,
        () => true,
        (scope) => {
          const isKnownKind = checkedKinds.has(scope.kind);
          if (isKnownKind && scope.names && !mayNamesMatter(scope.names)) return;
          const isSkippedLine = (line: Line, linePlace: LinePlace) => isCheckedBefore(scope, line, linePlace);
          const linesToCheck =
            isKnownKind && scope.names && !hasTransparentSections(scope.names)
              ? linesIn(scope, { has: mayLackModule }, isSkippedLine)
              : check.carriedOver(scope.lines).filter((configLine) => !isSkippedLine(configLine.line, configLine));
          for (const placedLine of linesToCheck) {
            if (placedLine.activity === 'unknown') checkOfDefineSections.checkLine(placedLine, scope, aliases);
            if (placedLine.activity !== 'active') continue;
            // A quick test: a scope of this kind was already checked, no other section is around
            // the line, and a loaded module has the line's directive. Then nothing is left to
            // check.
            if (
              checkedKinds.has(scope.kind) &&
              placedLine.enclosingSections.length + placedLine.conditionals.length === 0 &&
              !mayLackModule(placedLine.line.name)
            )
              continue;
            checkedKinds.add(scope.kind);
            if (placedLine.conditionals.some(({ name }) => name === 'ifversion')) check.checkVersionTest(placedLine);
            check.checkLineIn(scope, placedLine, aliases);
          }
        },
      );
    check.reportAuthTypes();
    check.checkModulesOfServer();
    check.checkCgi();
    check.checkProxySchemes();
    if (ruleInput.answerTo(MODULES_QUESTION) === 'files') check.reportSkippedSections();
    check.reportModulesToEnable();
    check.reportDoubtfulModules();
    check.reportTestedModules();
    return [...check.findings, ...checkOfDefineSections.findings(check)];
  },
};

/**
 * Whether no loaded module has the directive or section. False if it is unknown which modules are
 * loaded.
 */
function hasNoModule(name: string, modules: LoadedModules, isSection = false): boolean {
  const facts = directive(name, { section: isSection })?.['2.4'];
  return (
    facts !== undefined &&
    facts.modules.length > 0 &&
    facts.modules.every((module) => modules.absenceOf(module) !== null)
  );
}

/**
 * Whether this is the whole configuration of a server. If it is only a part, modules may be loaded
 * elsewhere.
 */
function isWholeServer({ configuration, modules }: ConfigurationRuleInput): boolean {
  return (
    modules.loadLines.length > 0 ||
    modules.serviceFile !== null ||
    ['serverroot', 'pidfile'].some((name) => linesOf(configuration, name).length > 0)
  );
}

/** A quick test, by names alone, whether some line or section may need a missing module. */
function mayNeedMissingModule(
  ruleInput: ConfigurationRuleInput,
  mayLackModule: (name: string) => boolean,
  aliases: ReadonlySet<string>,
): boolean {
  const {
    configuration: { rootScope },
    modules,
  } = ruleInput;
  const usedNames = namesInUse(ruleInput.configuration);
  const isModuleMissing = (name: string) =>
    (name === 'ifversion' && modules.absenceOf('mod_version') !== null) || hasNoModule(name, modules, true);
  if (usedNames.sectionNames().some(isModuleMissing)) return true;
  const quickCheck = new QuickModuleTest(ruleInput);
  // If lines have variables, each name may be needed, because the quick check does not expand them.
  const namesToCheck = usedNames
    .lineNames()
    .filter((name) => mayLackModule(name) && (usedNames.mayHaveVariables || quickCheck.mayNeedModule(name)));
  usedNames.gatherLines(namesToCheck);
  for (const name of namesToCheck) {
    const seenTexts = new Set<string>();
    for (const line of usedNames.lines(name)) {
      if (seenTexts.has(line.text)) continue;
      seenTexts.add(line.text);
      // Only the full check knows the value of the variable, so it has to run.
      if (line.text.includes('${')) return true;
      const placedLine: ConfigLine = {
        line,
        expandedLine: line,
        file: rootScope.file,
        offset: 0,
        enclosingSections: [],
        activity: 'active',
        conditionals: [],
      };
      quickCheck.checkDirective(placedLine);
      quickCheck.checkProviders(placedLine, aliases);
      if (quickCheck.isNeeded) return true;
    }
  }
  return false;
}

/** The kinds of sections that do not begin a new scope. */
const KINDS_WITHOUT_SCOPE = ['conditional', 'limit', 'authorization'] as const;

/**
 * Makes a function that returns true if an equal line was already checked in an equal place. It
 * also returns true for lines in the sections of `filesLeftOut`, which need no check.
 */
function repetitionTest(
  filesLeftOut: ReadonlySet<string>,
): (scope: Scope, line: Line, linePlace: LinePlace) => boolean {
  const textsByPlace = new Map<string, Set<string>>();
  return ({ kind, section, file }, line, { activity, enclosingSections, conditionals }) => {
    if (section && filesLeftOut.has(file.path)) return true;
    let placeKey = activity === 'active' ? kind : `${activity} ${kind}`;
    if (enclosingSections.length + conditionals.length > 0)
      placeKey = [
        placeKey,
        ...enclosingSections.map(({ section }) => section.name),
        ...conditionals.map(({ name }) => name),
      ].join(' ');
    let checkedTexts = textsByPlace.get(placeKey);
    if (!checkedTexts) textsByPlace.set(placeKey, (checkedTexts = new Set()));
    if (checkedTexts.has(line.text)) return true;
    checkedTexts.add(line.text);
    return false;
  };
}

const MPM_NAMES = ['event', 'worker', 'prefork', 'mpm_winnt'];

const MPM_QUESTION = choiceQuestion('mpm');
const VERSIONS_QUESTION = choiceQuestion('versions');
/** The help for a module that the packages of Red Hat load, if 2.2 also reads the files. */
const HELP_TO_INCLUDE_PACKAGE_LOADS =
  'The packages of 2.4 load it: write `Include conf.modules.d/*.conf` in `<IfVersion >= 2.4>`, above the first `<IfModule>` section.';

function isMpmName(name: string): boolean {
  return name.startsWith('mpm_');
}

/**
 * The fix with its LoadModule line in a condition that is false if an MPM is compiled in, or if the
 * files of the packages load one. httpd accepts only one MPM (AH00534).
 */
function guardedFix(fix: Fix): Fix {
  const guardEdit = ({ start, end, text }: Edit): Edit => {
    const insertedLine = text.trim();
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const [textBefore, textAfter] = text.split(insertedLine) as [string, string];
    const opens = UNIX_MPM_NAMES.map((name) => `<IfModule !mpm_${name}_module>`);
    const closes = UNIX_MPM_NAMES.map(() => '</IfModule>');
    return { start, end, text: textBefore + [...opens, insertedLine, ...closes].join(eol) + textAfter };
  };
  return {
    ...fix,
    edits: fix.edits.map(guardEdit),
    ...(fix.elsewhere && {
      elsewhere: new Map([...fix.elsewhere].map(([file, edits]) => [file, edits.map(guardEdit)])),
    }),
  };
}

const UNIX_MPM_NAMES = ['event', 'worker', 'prefork'];

/** Whether a list has a LoadModule line of an MPM in the condition that `guardedFix` writes. */
function hasGuardedMpm(list: List, isGuarded = false): boolean {
  if (!namesIn(list).hasName('loadmodule')) return false;
  let isFound = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Section)
      isFound ||= hasGuardedMpm(item.body, isGuarded || /^<IfModule !mpm_/i.test(item.open.text.trim()));
    else if (isGuarded && item.name === 'loadmodule')
      isFound ||= /^mpm_(event|worker|prefork)_module$/.test(argumentsOf(item)[0]?.value ?? '');
  });
  return isFound;
}

const NO_FILES: ReadonlySet<string> = new Set();

/**
 * Modules of 2.2 and 2.4 that Debian's package of 2.4 enables on a new machine
 * (enable_default_modules in debian/apache2.postinst). An upgrade keeps those that 2.2 has.
 */
const ENABLED_BY_DEBIAN: ReadonlySet<string> = new Set(
  [
    ...['alias', 'auth_basic', 'authn_file', 'authz_host', 'authz_user', 'autoindex', 'deflate', 'dir', 'env'],
    ...['filter', 'mime', 'negotiation', 'reqtimeout', 'setenvif', 'status'],
  ].map((name) => `mod_${name}`),
);

/** The directives of mod_access_compat, in lower case. */
const OLD_ACCESS_NAMES = new Set(['order', 'allow', 'deny', 'satisfy']);
const COMPAT_MODULE = 'mod_access_compat';

/** A module that something needs, and the texts of the finding if the module is not loaded. */
interface ModuleNeed {
  readonly module: string;
  readonly messageId: string;
  /**
   * What needs the module, as the headline names it: a directive, section, argument or another
   * module.
   */
  readonly neededBy: string;
  readonly cause?: string;
  readonly serverText?: string;
  readonly consequence?: Consequence;
}

/** The headline about a needed module that is not loaded. */
function headlineOfNeed({ module, messageId, neededBy }: ModuleNeed, configLine: ConfigLine): string {
  // No line needs mod_unixd: 2.4 does not start without it.
  if (messageId === 'unixd') return `\`${spelledName(configLine.line)}\`: ${module} is not loaded`;
  return messageId === 'access'
    ? `\`${neededBy}\`: its replacement \`Require\` needs ${module}, which is not loaded`
    : fittingHeadline(
        `\`${neededBy}\` needs ${module}, which is not loaded`,
        `\`${shortened(neededBy)}\` needs ${module}`,
      );
}

/** Calls `visit` for each `<IfModule>`, the outer one before the inner one. */
function forEachTest(list: List, visit: (test: Section) => void): void {
  forEachItem(list, 0, (item) => {
    if (!(item instanceof Section)) return;
    if (item.name === 'ifmodule') visit(item);
    forEachTest(item.body, visit);
  });
}

/**
 * Calls `visit` for each `<IfModule>` without `!` that has lines, if all sections around it are
 * also `<IfModule>` sections without `!`.
 */
function forEachPositiveTest(list: List, base: number, visit: (test: Section, offset: number) => void): void {
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section) || item.name !== 'ifmodule') return;
    if (argumentsOf(item.open)[0]?.value.startsWith('!')) return;
    let hasLines = false;
    forEachLine(item.body, 0, item.body.length, ({ name }) => void (hasLines ||= name !== ''));
    if (hasLines) visit(item, offset);
    forEachPositiveTest(item.body, offset + item.open.length, visit);
  });
}

/**
 * Calls `visit` for each `<IfModule>` without `!` that has lines. Leaves out sections in a
 * condition that is false in 2.4 or negated, in an `<IfDefine>` and in a `<Macro>`. Also leaves out
 * those in a section for a module that does not come with httpd.
 */
function forEachPossibleTest(
  list: List,
  base: number,
  target: Target,
  visit: (test: Section, offset: number) => void,
): void {
  if (!namesIn(list).hasName('<ifmodule')) return;
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section) || item.name === 'ifdefine' || item.name === 'macro') return;
    const isTest = item.name === 'ifmodule';
    if (activityOf(item.open, target) === 'inactive' || (isTest && nameInTag(item.open, 4)?.isNegated !== false))
      return;
    let hasLines = false;
    forEachLine(item.body, 0, item.body.length, ({ name }) => void (hasLines ||= name !== ''));
    if (isTest && hasLines) visit(item, offset);
    if (isTest && moduleNamed(testedModule(argumentsOf(item.open)[0]?.value ?? '') ?? '') === undefined) return;
    forEachPossibleTest(item.body, offset + item.open.length, target, visit);
  });
}

/** Whether a line in the section controls access, or may include one that does. */
function hasAccessLines({ body }: Section): boolean {
  let hasAccessLine = false;
  forEachLine(body, 0, body.length, ({ name }) => {
    hasAccessLine ||= /^(order|allow|deny|satisfy|require.*|auth.*|include.*|use)$/.test(name);
  });
  return hasAccessLine;
}

/**
 * A list with the sentence that the MPM must be loaded above the first section of the file that
 * tests for an MPM. Empty if there is no such section.
 */
function mpmSectionText({ tree }: ConfigFile): string[] {
  let firstTest: { readonly test: Section; readonly offset: number } | null = null as {
    test: Section;
    offset: number;
  } | null;
  forEachPositiveTest(tree.root, 0, (test, offset) => {
    if (firstTest === null && MPM_NAMES.includes(testedModule(argumentsOf(test.open)[0]?.value ?? '') ?? ''))
      firstTest = { test, offset };
  });
  if (firstTest === null) return [];
  return [
    `Write the LoadModule line above \`${shortened(firstTest.test.open.text.trim(), 40)}\` (line ${tree.positionAt(firstTest.offset).line + 1}): httpd skips this section otherwise.`,
  ];
}

/** Collects the findings about missing modules, by the lines and modules that need them. */
class MissingModuleCheck {
  readonly findings: ConfigurationFinding[] = [];
  private readonly reportedModules = new Set<string>();
  /**
   * Modules that may be loaded although no file shows it, by a key for the reason of the doubt.
   * Each reason becomes one finding.
   */
  private readonly doubtByKey = new Map<
    string,
    {
      readonly configLine: ConfigLine;
      readonly moduleAbsence: ModuleAbsence;
      readonly neededNames: string[];
      readonly modules: string[];
    }
  >();

  /** Missing modules that a command such as a2enmod enables. They become one finding. */
  private readonly modulesToEnable: { readonly need: ModuleNeed; readonly configLine: ConfigLine }[] = [];
  /** Whether a command (a2enmod) enables modules, so that no edit of a file can do it. */
  private readonly enablesByCommand: boolean;
  /** The modules in the commands of findings. */
  private readonly commandModules = new Set<string>();
  /** The needs of AuthType lines, which wait for `reportAuthTypes`. */
  private readonly authTypeNeeds: (readonly [ModuleNeed, ConfigLine])[] = [];
  private reportsAuthTypes = false;

  constructor(private readonly ruleInput: ConfigurationRuleInput) {
    this.enablesByCommand = isDebianLayout(ruleInput.modules) || ruleInput.modules.serviceFile !== null;
  }

  /**
   * Checks loaded modules that need other modules. Does nothing on Windows: there, loading a module
   * also loads the files that it is linked with.
   */
  checkModules(): void {
    if (this.isWindows) return;
    for (const { module, configLine } of this.ruleInput.modules.loadLines) {
      if (configLine.activity !== 'active') continue;
      for (const earlierModule of moduleNamed(module)?.loadAfter ?? []) {
        this.reportNeed(
          {
            module: earlierModule,
            messageId: 'prerequisite',
            neededBy: `${shortName(module)}_module`,
            cause: 'The module uses functions of that other module. Without them, httpd reports "undefined symbol".',
          },
          configLine,
        );
      }
    }
  }

  /** Checks a line, the sections around it, and the providers that it names. */
  checkLineIn(scope: Scope, configLine: ConfigLine, aliases: ReadonlySet<string>): void {
    this.checkDirective(configLine);
    for (const { section } of configLine.enclosingSections) this.checkSection(section, configLine);
    if (scope.section) this.checkSection(scope.section, configLine, scope.offset);
    this.checkProviders(configLine, aliases);
  }

  /**
   * Reports the modules that AuthType lines need. It must run after the checks of lines. If another
   * directive needs the same module, that need is reported instead, because it shows that 2.2 has
   * the module.
   */
  reportAuthTypes(): void {
    this.reportsAuthTypes = true;
    for (const [need, configLine] of this.authTypeNeeds) this.reportNeed(need, configLine);
  }

  /** Whether a finding reports that the module is missing. */
  hasReported(module: string): boolean {
    return this.reportedModules.has(module);
  }

  /** Checks the module of a line's directive. */
  checkDirective(configLine: ConfigLine): void {
    const { line } = configLine;
    if (OLD_ACCESS_NAMES.has(line.name)) return this.checkOldAccess(configLine);
    const facts = directive(line.name, { section: false })?.['2.4'];
    if (facts)
      this.checkModulesOfName(
        facts.modules,
        line,
        configLine,
        configLine.offset,
        line.text.slice(line.nameStart, line.nameEnd),
      );
  }

  /**
   * Checks the module of a section around a line. `offset`: the place of the tag in the file of the
   * line. Without it, a finding is at the line.
   */
  checkSection(section: Section, configLine: ConfigLine, offset?: number): void {
    const facts = directive(section.name, { section: true })?.['2.4'];
    if (facts)
      this.checkModulesOfName(
        facts.modules,
        section.open,
        configLine,
        offset ?? configLine.offset,
        `<${section.open.text.slice(section.open.nameStart, section.open.nameEnd)}>`,
        offset === undefined,
      );
  }

  /** Checks that mod_version is loaded for an `<IfVersion>`. */
  checkVersionTest(configLine: ConfigLine): void {
    this.reportNeed({ module: 'mod_version', messageId: 'version', neededBy: '<IfVersion>' }, configLine);
  }

  /** Checks the modules of the providers that a line names. */
  checkProviders(configLine: ConfigLine, aliases: ReadonlySet<string>): void {
    const words = argumentsOf(configLine.expandedLine).map((word) => word.value);
    switch (configLine.line.name) {
      case 'require': {
        const provider = parseRequire(configLine.line).provider?.value.toLowerCase();
        if (provider === undefined || aliases.has(provider) || provider.includes('${')) return;
        // If mod_authz_dbm is loaded, the rule require-group-dbm reports this line instead.
        if (provider === 'group' && !this.lacksModule('mod_authz_dbm')) return;
        return this.checkProvider('authz', provider, configLine, (name) => ({
          neededBy: `Require ${name}`,
          serverText: 'Unknown Authz provider',
        }));
      }
      case 'authbasicprovider':
      case 'authdigestprovider':
        for (const word of words)
          if (!aliases.has(word.toLowerCase()))
            this.checkProvider('authn', word, configLine, (name) => ({
              neededBy: name,
              serverText: 'Unknown Authn provider',
            }));
        return;
      case 'authtype': {
        const module = { basic: 'mod_auth_basic', digest: 'mod_auth_digest', form: 'mod_auth_form' }[
          words[0]?.toLowerCase() ?? ''
        ];
        if (module)
          this.reportNeed(
            {
              module,
              messageId: 'auth-type',
              consequence: 'requests get 500',
              neededBy: `AuthType ${words[0]}`,
              cause: 'Requests get 500 (AH01796).',
            },
            configLine,
          );
        return;
      }
      case 'sslsessioncache':
      case 'sslstaplingcache':
      case 'authncachesocache':
      case 'cachesocache': {
        const type = /^[a-z]+/.exec(words[0] ?? '')?.[0];
        const providerName = type === 'shm' || type === 'shmht' ? 'shmcb' : type;
        if (providerName !== undefined && providerName !== 'default')
          this.checkProvider('socache', providerName, configLine, (name) => ({
            neededBy: name,
            serverText: 'session cache not supported',
          }));
        return;
      }
      case 'cacheenable':
        return this.checkProvider('cache', words[0] ?? '', configLine, (name) => ({
          neededBy: `CacheEnable ${name}`,
          cause: 'Without it, httpd starts and caches nothing.',
          consequence: 'ignored',
        }));
      case 'addoutputfilterbytype':
        for (const name of (words[0] ?? '').split(';'))
          this.checkProvider('outputFilters', name, configLine, (filter) => ({
            neededBy: filter,
            serverText: 'Unknown filter provider',
          }));
        return;
      case 'proxypass':
      case 'proxypassmatch':
      case 'proxyset':
      case 'balancermember':
        return this.checkBalancer(configLine, words);
    }
  }

  /** Checks modules that the server needs although no line names them. */
  checkModulesOfServer(): void {
    const { modules } = this.ruleInput;
    const [first] = modules.loadLines;
    if (!first) {
      if (this.isWindows) return;
      const { lineAboveNewLoadModule } = this.ruleInput.modules;
      const unixdAbsence = this.ruleInput.modules.absenceOf('mod_unixd');
      // If modules are files, 2.4 needs this one even without a User line.
      if (lineAboveNewLoadModule && unixdAbsence && this.areModulesFiles(unixdAbsence))
        this.reportUnixd(lineAboveNewLoadModule);
      return this.checkMpm();
    }
    const balancerLoad = modules.loadLines.find(
      ({ module, configLine }) => module === 'mod_proxy_balancer' && configLine.activity === 'active',
    );
    // mod_proxy_balancer and mod_heartmonitor need the provider `shm` of mod_slotmem_shm.
    // mod_slotmem_plain does not have it.
    if (balancerLoad) {
      this.reportNeed(
        {
          module: 'mod_slotmem_shm',
          messageId: 'slotmem',
          neededBy: 'mod_proxy_balancer',
          cause:
            'mod_proxy_balancer gets its shared memory from mod_slotmem_shm. `httpd -t` does not report this (AH01177).',
        },
        balancerLoad.configLine,
      );
    }
    const heartmonitorLoad = modules.loadLines.find(
      ({ module, configLine }) => module === 'mod_heartmonitor' && configLine.activity === 'active',
    );
    if (heartmonitorLoad) {
      this.reportNeed(
        {
          module: 'mod_slotmem_shm',
          messageId: 'slotmem',
          neededBy: 'mod_heartmonitor',
          cause:
            'mod_heartmonitor gets its shared memory from mod_slotmem_shm. `httpd -t` does not report this (AH02284).',
        },
        heartmonitorLoad.configLine,
      );
    }
    for (const [user, code] of [
      ['mod_proxy_hcheck', 'AH03262'],
      ['mod_heartmonitor', 'AH02093'],
    ] as const) {
      const userLine = modules.loadLines.find(
        ({ module, configLine }) => module === user && configLine.activity === 'active',
      )?.configLine;
      if (userLine)
        this.reportNeed(
          {
            module: 'mod_watchdog',
            messageId: 'watchdog',
            neededBy: user,
            cause: `\`httpd -t\` does not report this (${code}).`,
            serverText: 'mod_watchdog is required',
          },
          userLine,
        );
    }
    const proxyHtmlLoad = modules.loadLines.find(
      ({ module, configLine }) => module === 'mod_proxy_html' && configLine.activity === 'active',
    );
    if (proxyHtmlLoad)
      this.reportNeed(
        {
          module: 'mod_xml2enc',
          messageId: 'encodings',
          consequence: 'check before the upgrade',
          neededBy: 'mod_proxy_html',
          cause: 'Without it, character sets of pages are not converted (AH01425).',
        },
        proxyHtmlLoad.configLine,
      );
    const authFormLoad = modules.loadLines.find(
      ({ module, configLine }) => module === 'mod_auth_form' && configLine.activity === 'active',
    );
    for (const [module, code] of [
      ['mod_session', 'AH02617'],
      ['mod_request', 'AH02618'],
    ] as const) {
      if (authFormLoad)
        this.reportNeed(
          {
            module,
            messageId: 'form',
            neededBy: 'mod_auth_form',
            cause: `\`httpd -t\` does not report this (${code}).`,
          },
          authFormLoad.configLine,
        );
    }
    const cacheLine = ['authncacheenable', 'authncacheprovidefor']
      .flatMap((name) => linesOf(this.ruleInput.configuration, name))
      .find(({ activity }) => activity === 'active');
    if (cacheLine && linesOf(this.ruleInput.configuration, 'authncachesocache').length === 0) {
      this.reportNeed(
        {
          module: 'mod_socache_shmcb',
          messageId: 'socache-default',
          neededBy: 'mod_authn_socache',
          cause: 'No AuthnCacheSOCache line names another cache. `httpd -t` does not report this (AH01674).',
        },
        cacheLine,
      );
    }
    this.checkLoginsInHtaccess();
    if (this.isWindows) return;
    this.reportUnixd(first.configLine);
    this.checkMpm();
  }

  private reportUnixd(configLine: ConfigLine): void {
    this.reportNeed(
      {
        module: 'mod_unixd',
        messageId: 'unixd',
        neededBy: 'User',
        cause: '2.4 does not start without this module. It has the directives `User` and `Group` (AH00136).',
      },
      configLine,
    );
  }

  /**
   * Whether the server runs on Windows. There, mod_unixd does not exist, and the MPM is in the
   * program (modules/arch/unix/config5.m4; Makefile.win links libhttpd with server/mpm/winnt).
   */
  private get isWindows(): boolean {
    return runsOnWindows(this.ruleInput);
  }

  /**
   * Checks the modules for logins in .htaccess files, which this rule does not read. 2.2 has
   * AuthType and Require in its core, so mod_auth_basic was enough.
   */
  private checkLoginsInHtaccess(): void {
    const loginModuleLoad = this.ruleInput.modules.loadLines.find(
      ({ module, configLine }) =>
        (module === 'mod_auth_basic' || module === 'mod_auth_digest') && configLine.activity === 'active',
    );
    if (!loginModuleLoad || (!this.lacksModule('mod_authn_core') && !this.lacksModule('mod_authz_core'))) return;
    const grantingLine = ['allowoverride', 'allowoverridelist']
      .flatMap((name) => linesOf(this.ruleInput.configuration, name))
      .find((configLine) => configLine.activity === 'active' && grantsLogin(configLine.line));
    if (!grantingLine) return;
    const cause = `\`${grantingLine.line.text.trim()}\` allows .htaccess files to ask for a login. Without the module, such requests get 500.`;
    this.reportNeed(
      {
        module: 'mod_authn_core',
        messageId: 'htaccess',
        consequence: 'requests may get 500',
        neededBy: 'AuthType',
        cause,
      },
      loginModuleLoad.configLine,
    );
    this.reportNeed(
      {
        module: 'mod_authz_core',
        messageId: 'htaccess',
        consequence: 'requests may get 500',
        neededBy: 'Require',
        cause,
      },
      loginModuleLoad.configLine,
    );
  }

  /**
   * Checks the module for CGI scripts on Debian, if the list of enabled modules is missing. A 2.2
   * server with lines for scripts has the module, because otherwise httpd sends the source text of
   * the scripts (test/httpd/cgi-missing.test.ts). Debian's 2.4 package does not enable it by
   * itself. An MPM with threads needs mod_cgid instead. A line that needs mod_cgid is enough, too.
   */
  checkCgi(): void {
    if (!this.enablesByCommand || !isNewForServer(0, this.ruleInput.target) || !this.lacksModule('mod_cgid')) return;
    if (this.reportedModules.has('mod_cgid') || this.reportedModules.has('mod_cgi')) return;
    const moduleAbsence = this.ruleInput.modules.absenceOf('mod_cgi');
    if (moduleAbsence?.certainty !== 'part' || this.areModulesFiles(moduleAbsence)) return;
    const scriptLine = SCRIPT_DIRECTIVES.flatMap((name) => linesOf(this.ruleInput.configuration, name)).find(
      (each) => each.activity === 'active' && runsScripts(each.line) && !this.filesLeftOut.has(each.file.path),
    );
    if (!scriptLine) return;
    const module = this.moduleForScripts;
    this.addDoubt(moduleAbsence, `${module} (${spelledName(scriptLine.line)})`, scriptLine, module);
  }

  /** The module that runs CGI scripts with the MPM that the server probably runs. */
  private get moduleForScripts(): 'mod_cgi' | 'mod_cgid' {
    return this.probableMpm === 'prefork' ? 'mod_cgi' : 'mod_cgid';
  }

  /**
   * Checks the modules for the schemes of backends, such as mod_proxy_http for `http://`. Without
   * the module, proxied requests get 500 (AH01144), in 2.2 too. So the fix is a suggestion, and on
   * Debian a complete list of modules without it is not reported.
   */
  checkProxySchemes(): void {
    if (![...MODULE_BY_SCHEME.values()].some((module) => this.lacksModule(module))) return;
    for (const name of BACKEND_DIRECTIVES)
      for (const configLine of linesOf(this.ruleInput.configuration, name)) {
        const isCarriedOver = configLine.activity === 'active' && !this.filesLeftOut.has(configLine.file.path);
        const module = isCarriedOver ? moduleOfBackend(configLine.expandedLine) : null;
        const absence = module && this.ruleInput.modules.absenceOf(module);
        if (module === null || !absence || (this.enablesByCommand && this.areModulesFiles(absence))) continue;
        this.reportNeed(
          {
            module,
            messageId: 'proxy-scheme',
            consequence: 'requests get 500',
            neededBy: spelledName(configLine.line),
            cause: 'Requests to this backend get 500 (AH01144), in 2.2 too.',
          },
          configLine,
        );
      }
  }

  /**
   * Whether the server already runs 2.4 and the module is new in 2.4, so that the server has it.
   */
  private hasSince24(module: string): boolean {
    return !isNewForServer(0, this.ruleInput.target) && moduleNamed(module)?.['2.2'] === undefined;
  }

  /**
   * Whether a line loads an MPM. An earlier fix may have put it into
   * `<IfModule !mpm_event_module>`, which the user's answer about the MPM then makes false. So the
   * texts of the files decide.
   */
  private get hasLineForMpm(): boolean {
    const { modules, configuration } = this.ruleInput;
    if (modules.loadLines.some(({ module }) => MPM_NAMES.includes(module) || /^mod_mpm_|^mod_itk/.test(module)))
      return true;
    return [...configuration.files.values()].some(({ tree }) => hasGuardedMpm(tree.root));
  }

  /** Reports a second MPM, and a missing MPM. */
  private checkMpm(): void {
    const { modules } = this.ruleInput;
    const mpmLines = modules.loadLines.filter(
      ({ module, configLine }) => MPM_NAMES.includes(module) && configLine.activity === 'active',
    );
    const otherMpm = mpmLines.find(({ module }) => module !== mpmLines[0]!.module);
    if (otherMpm) {
      this.findings.push({
        file: otherMpm.configLine.file.path,
        messageId: 'several-mpms',
        ...nameSpan(otherMpm.configLine.line, otherMpm.configLine.offset),
        what: `\`${shortName(otherMpm.module)}_module\` is a second MPM`,
        cause: `${shortName(mpmLines[0]!.module)}_module is already loaded, and httpd accepts only one MPM (AH00534).`,
        help: 'Keep one of the two LoadModule lines.',
        serverText: 'More than one MPM loaded.',
      });
    }
    if (!isNewForServer(0, this.ruleInput.target)) return;
    const [firstDoubtful] = this.enablesByCommand ? this.doubtByKey.values() : [];
    const placeOfFinding =
      modules.loadLines[0]?.configLine ?? firstDoubtful?.configLine ?? modules.lineAboveNewLoadModule;
    if (
      placeOfFinding === null ||
      (MPM_NAMES.some((mpm) => !this.lacksModule(mpm)) && !this.mayMpmBeBuiltIn) ||
      this.hasLineForMpm
    )
      return;
    const moduleAbsence = modules.absenceOf('prefork')!;
    const needsGuard = this.mayMpmBeBuiltIn || moduleAbsence.otherModulesAreFiles === true;
    // Before the missing MPM is reported, it must be known whether modules are files. A LoadModule
    // line of mod_unixd shows that they are. Without this line, the finding about uncertain modules
    // asks the user.
    if (
      !needsGuard &&
      !this.areModulesFiles(moduleAbsence) &&
      !modules.loadLines.some(({ module }) => module === 'mod_unixd')
    )
      return this.addDoubt(
        moduleAbsence,
        'an MPM',
        placeOfFinding,
        this.enablesByCommand ? this.probableMpm : modules.loadLines.length > 0 ? 'mod_unixd' : null,
      );
    if (this.enablesByCommand)
      return void this.modulesToEnable.push({
        need: { module: this.probableMpm, messageId: 'mpm', neededBy: 'LoadModule', serverText: 'No MPM loaded.' },
        configLine: placeOfFinding,
      });
    const prefork = fixesToLoad('prefork', modules);
    const event = fixesToLoad('event', modules);
    const { certainty, exception } = moduleAbsence;
    const mpmOf22 = this.mpmOf22;
    const firstMpm = mpmOf22?.name ?? (this.threadLine ? 'event' : null);
    const suggestedFixes = (fixes: typeof prefork, mpm: string, assumes: string) =>
      fixes
        .fixes(placeOfFinding.file.path)
        .map((fix) => (needsGuard || this.hasPackageStep ? guardedFix(fix) : fix))
        .map((fix) => ({
          ...fix,
          safety: 'suggestion' as const,
          assumes,
          choice: { openQuestion: this.mpmQuestion, values: [mpm] },
        }));
    this.push(this.probableMpm, {
      file: placeOfFinding.file.path,
      messageId: 'mpm',
      ...((certainty !== 'certain' || needsGuard) && { consequence: 'may not start' as const }),
      ...nameSpan(placeOfFinding.line, placeOfFinding.offset),
      what: `\`${spelledName(placeOfFinding.line)}\`: no MPM is loaded`,
      cause: `In 2.4 the MPM is usually a module, and must be loaded (AH00534).${needsGuard ? ' If `httpd -l` on the 2.4 server lists prefork.c, worker.c or event.c, it is compiled in: add nothing.' : certainty === 'certain' ? '' : ` This is no problem if ${exception.replace('%', certainty === 'built-in' ? 'one is' : 'one')}.`}`,
      help: [
        mpmOf22
          ? `Load mpm_${mpmOf22.name}: 2.2 runs ${mpmOf22.name} (${sourceTextOf(mpmOf22)}). mpm_event is the usual choice for 2.4.`
          : this.threadLine
            ? `Load mpm_event or mpm_worker: prefork does not accept \`${spelledName(this.threadLine.line)}\`. mpm_event is the usual choice for 2.4.`
            : `Load mpm_prefork or mpm_event. mpm_prefork works like the usual 2.2 server. mpm_event is the usual choice for 2.4.`,
        ...mpmSectionText(placeOfFinding.file),
        ...(this.hasPackageStep ? ['Or include conf.modules.d instead: its files load an MPM.'] : []),
      ].join(' '),
      serverText: 'No MPM loaded.',
      fixes: [
        ...suggestedFixes(prefork, 'prefork', 'you want the MPM prefork, which is usual in 2.2'),
        ...suggestedFixes(event, 'event', 'you want threads, and do not use mod_php'),
        ...suggestedFixes(fixesToLoad('worker', modules), 'worker', 'you want threads, as with worker in 2.2'),
      ].sort((a, b) => Number(b.choice.values[0] === firstMpm) - Number(a.choice.values[0] === firstMpm)),
    });
  }

  /**
   * Whether an included file may have an `<IfVersion>` above the new LoadModule line of
   * mod_version. Then 2.4 would not start (`Invalid command '<IfVersion'`).
   */
  private get mayTestVersionEarly(): boolean {
    const { configuration, modules } = this.ruleInput;
    const loadingFiles = new Set(modules.loadLines.map(({ configLine }) => configLine.file.path));
    return [...configuration.files.values()].some(
      ({ path, tree }) =>
        (loadingFiles.size > 1 || !loadingFiles.has(path)) && namesIn(tree.root).hasName('<ifversion'),
    );
  }

  /**
   * Whether the MPM may be compiled in, although the user answered that modules are files. True for
   * a build from source: it compiles the MPM in, except with configure --enable-mpms-shared.
   */
  private get mayMpmBeBuiltIn(): boolean {
    const { modules, answerTo } = this.ruleInput;
    return modules.distribution === 'upstream' && answerTo(MODULES_QUESTION) === 'files';
  }

  /** The MPM that a file of the distribution names for 2.2; null if there is none. */
  private get mpmOf22(): MpmOf22 | null {
    return this.ruleInput.configuration.startOptions?.mpm ?? null;
  }

  /**
   * A line with a number of threads that the server certainly reads. prefork accepts no such line,
   * in 2.2 and in 2.4, so 2.2 runs another MPM. Undefined if there is none.
   */
  private get threadLine(): ConfigLine | undefined {
    return THREAD_NAMES.flatMap((name) => linesOf(this.ruleInput.configuration, name)).find(
      ({ activity, conditionals }) => activity === 'active' && conditionals.length === 0,
    );
  }

  /** The question about the MPM, with the line that rules out prefork. */
  private get mpmQuestion(): OpenQuestion {
    return this.threadLine ? choiceQuestion('mpm', [this.threadLine.line.text.trim()]) : MPM_QUESTION;
  }

  /**
   * The MPM that the server probably runs. The user's answer, a file of the distribution, a number
   * of threads, mod_php or mod_cgid show it. mod_cgid shows an MPM with threads: for such an MPM,
   * Debian's a2enmod of 2.2 enabled mod_cgid instead of mod_cgi ("cgi" and "threaded").
   */
  private get probableMpm(): string {
    const { modules, answerTo } = this.ruleInput;
    const mpmAnswer = answerTo(MPM_QUESTION);
    if (mpmAnswer !== null && MPM_NAMES.includes(mpmAnswer)) return mpmAnswer;
    if (this.mpmOf22) return this.mpmOf22.name;
    if (this.threadLine) return 'worker';
    const isLoaded = (name: string) =>
      modules.loadLines.some(({ module, configLine }) => module === name && configLine.activity === 'active');
    return !this.hasPhp && isLoaded('mod_cgid') && !isLoaded('mod_cgi') ? 'worker' : 'prefork';
  }

  private get hasPhp(): boolean {
    return loadsPhp(this.ruleInput.modules);
  }

  /** Checks an Order, Allow, Deny or Satisfy line. */
  private checkOldAccess(configLine: ConfigLine): void {
    if (!this.lacksModule(COMPAT_MODULE)) return;
    const cause = 'In 2.4 `Require` replaces these lines, and it is in this module.';
    const directiveName = configLine.line.text.slice(configLine.line.nameStart, configLine.line.nameEnd);
    this.reportNeed({ module: 'mod_authz_core', messageId: 'access', neededBy: directiveName, cause }, configLine);
    const operands = argumentsOf(configLine.line)
      .slice(1)
      .map((word) => parseOperand(word.value).kind);
    if (configLine.line.name !== 'order' && operands.some((kind) => kind === 'ip' || kind === 'host'))
      this.reportNeed({ module: 'mod_authz_host', messageId: 'access', neededBy: directiveName, cause }, configLine);
  }

  /**
   * Checks the module for the load-balancing method of a balancer. In 2.4 each method is a module,
   * even the default method byrequests.
   */
  private checkBalancer(configLine: ConfigLine, words: readonly string[]): void {
    const method = words.map((word) => /^lbmethod=(.*)$/i.exec(word)?.[1]).find((name) => name !== undefined);
    if (method !== undefined) {
      return this.checkProvider('lbmethod', method, configLine, (name) => ({
        neededBy: `lbmethod=${name}`,
        serverText: 'unknown lbmethod',
      }));
    }
    if (
      this.hasModule('mod_proxy_balancer') !== 'active' ||
      configLine.line.name === 'proxyset' ||
      configLine.line.name === 'balancermember' ||
      !words.some((word) => /^balancer:\/\//i.test(word))
    )
      return;
    this.reportNeed(
      {
        module: 'mod_lbmethod_byrequests',
        messageId: 'lbmethod',
        neededBy: configLine.line.text.slice(configLine.line.nameStart, configLine.line.nameEnd),
        cause: 'A balancer without `lbmethod` uses this method. `httpd -t` does not report this (AH01183, AH02432).',
      },
      configLine,
    );
  }

  /**
   * Checks that a module with the provider `name` is loaded. `partsFor`: returns the texts of the
   * need.
   */
  private checkProvider(
    kind: ProviderKind,
    name: string,
    configLine: ConfigLine,
    partsFor: (name: string) => Pick<ModuleNeed, 'neededBy' | 'cause' | 'serverText' | 'consequence'>,
  ): void {
    const modulesWithProvider = providers(kind, '2.4').get(name);
    if (modulesWithProvider && modulesWithProvider.every((module) => this.lacksModule(module)))
      this.reportNeed(
        {
          module: modulesWithProvider[0]!,
          messageId: kind === 'lbmethod' ? 'lbmethod' : 'provider',
          ...partsFor(name),
        },
        configLine,
      );
  }

  /**
   * Checks that one of the modules with a directive or section is loaded. `name`: as the headline
   * shows it. With `isReportedAtLine`, the finding is at `configLine`, otherwise at `line`.
   */
  private checkModulesOfName(
    modulesOfName: readonly string[],
    line: Line,
    configLine: ConfigLine,
    offset: number,
    name: string,
    isReportedAtLine = false,
  ): void {
    // For a directive of MPMs, checkMpm reports that the MPM is missing.
    if (modulesOfName.some((module) => MPM_NAMES.includes(module) || !this.lacksModule(module))) return;
    const isOfScripts = modulesOfName.includes('mod_cgi') && this.enablesByCommand;
    const module = isOfScripts ? this.moduleForScripts : modulesOfName.find((home) => home.startsWith('mod_'));
    if (module !== undefined)
      this.reportNeed(
        {
          module,
          messageId: 'directive',
          neededBy: name,
          serverText: `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`,
        },
        isReportedAtLine ? configLine : { ...configLine, line, offset },
      );
  }

  /**
   * Makes one finding about all modules that a command enables, at the first line that needs one.
   * On Debian, a link enables a module, so no edit of a file can do it. Debian's a2enmod takes
   * several names, skips enabled modules, and also enables the modules that a module depends on
   * ("Depends:" in mods-available/*.load). SUSE's a2enmod adds one name to APACHE_MODULES in
   * /etc/sysconfig/apache2.
   */
  reportModulesToEnable(): void {
    const { modules } = this.ruleInput;
    const [firstModule] = this.modulesToEnable;
    if (!firstModule) return;
    const { certainty, exception } = modules.absenceOf(firstModule.need.module)!;
    const consequenceOf = ({
      need: { consequence = missingModule.consequence },
    }: (typeof this.modulesToEnable)[number]) =>
      certainty === 'certain' || SEVERITY_OF[consequence] !== 'error' ? consequence : ('may not start' as const);
    const severityRank = (each: (typeof this.modulesToEnable)[number]) =>
      SEVERITIES.indexOf(SEVERITY_OF[consequenceOf(each)]);
    const [first = firstModule, ...others] = [...this.modulesToEnable].sort(
      (a, b) => severityRank(a) - severityRank(b),
    );
    const { need, configLine } = first;
    const commands = this.commandsFor(this.modulesToEnable.map(({ need: { module } }) => module));
    const needsMpm = this.modulesToEnable.some(({ need: { messageId } }) => messageId === 'mpm');
    const mayHaveThreads = needsMpm && !this.hasPhp;
    const neededTexts = this.modulesToEnable.map(({ need: { module, neededBy, messageId } }) =>
      isMpmName(debianName(module))
        ? 'an MPM (in 2.4 it is a module)'
        : `${module} (${messageId === 'access' ? '`Require` instead of ' : ''}\`${shortened(neededBy, 40)}\`)`,
    );
    this.findings.push({
      file: configLine.file.path,
      messageId: 'a2enmod',
      consequence: consequenceOf(first),
      ...nameSpan(configLine.line, configLine.offset),
      what:
        this.modulesToEnable.length > 1
          ? fittingHeadline(
              `\`${need.neededBy}\`: ${this.modulesToEnable.length} modules that 2.4 needs are not enabled`,
              `\`${shortened(need.neededBy)}\`: ${this.modulesToEnable.length} modules are not enabled`,
            )
          : need.messageId === 'mpm'
            ? '`LoadModule`: no MPM is loaded'
            : fittingHeadline(
                `\`${need.neededBy}\` needs ${need.module}, which is not loaded`,
                `\`${shortened(need.neededBy)}\` needs ${need.module}`,
              ),
      cause:
        [
          others.length > 0 ? `Needed: ${neededTexts.join(', ')}.` : (need.cause ?? ''),
          certainty === 'certain'
            ? ''
            : `This is no problem if ${exception.replace('%', certainty === 'built-in' ? (others.length > 0 ? 'they are' : 'it is') : others.length > 0 ? 'them' : 'it')}.`,
        ]
          .filter((text) => text !== '')
          .join('\n') || undefined,
      help: `Run ${commands.map((command) => `\`${command}\``).join(', ')}.${mayHaveThreads ? ` If you want mpm_event, the usual MPM of 2.4, write \`mpm_event\` instead of \`${debianName(this.probableMpm)}\`.` : ''}`,
      ...(others.length === 0 && { serverText: need.serverText }),
      run: commands.join('\n'),
      ...(mayHaveThreads && { asks: [this.mpmQuestion] }),
      related: others.map(({ need: { module, neededBy }, configLine: otherLine }) => ({
        file: otherLine.file.path,
        line: otherLine.line,
        row: otherLine.file.tree.positionAt(otherLine.offset).line,
        rowOffset: 0,
        message: `\`${shortened(neededBy, 40)}\` needs ${isMpmName(debianName(module)) ? 'an MPM' : module}`,
      })),
    });
  }

  /** The commands that enable these modules, MPMs first. Records that a finding has the modules. */
  private commandsFor(neededModules: readonly string[]): readonly string[] {
    for (const module of neededModules) this.commandModules.add(module);
    const debianNames = neededModules
      .map(debianName)
      .sort((a, b) => Number(isMpmName(b)) - Number(isMpmName(a)) || (a < b ? -1 : 1));
    return this.ruleInput.modules.serviceFile
      ? debianNames.map((name) => `a2enmod ${name}`)
      : [`a2enmod ${debianNames.join(' ')}`];
  }

  /** Reports the modules that may be loaded: one finding for each reason of the doubt. */
  reportDoubtfulModules(): void {
    // A server that already runs 2.4 has these modules.
    if (!isNewForServer(0, this.ruleInput.target)) return;
    for (const {
      configLine,
      moduleAbsence: { certainty, exception, otherModulesAreFiles = false, isInPackage = false },
      neededNames,
      modules: missingModules,
    } of this.doubtByKey.values()) {
      const isOneNeed = neededNames.length === 1;
      const exceptionStart = exception.replace(/,? (?:of which|which|loads) .*/s, '');
      this.findings.push({
        file: configLine.file.path,
        messageId: isInPackage ? 'package' : certainty === 'part' ? 'part' : 'built-in',
        consequence: 'check after the upgrade',
        ...nameSpan(configLine.line, configLine.offset),
        what: headlineOfUncertain(configLine, neededNames),
        cause: causeOfUncertain(
          isOneNeed,
          missingModules.filter((module) => !this.isNeededByScriptLine(module)),
          exception.replace('%', certainty === 'part' ? (isOneNeed ? 'it' : 'them') : isOneNeed ? 'it is' : 'they are'),
        ),
        help: isInPackage
          ? `The httpd package of 2.4 loads ${isOneNeed ? 'it' : 'them'} there (${missingModules.join(', ')}): keep the Include of ${exceptionStart}.`
          : this.helpOfUncertain(exceptionStart, {
              neededNames,
              missingModules,
              isOfPart: certainty === 'part',
            }),
        ...(isInPackage
          ? {}
          : this.enablesByCommand
            ? this.findingPartsToEnable(missingModules)
            : this.fixesLoading(missingModules, configLine, otherModulesAreFiles)),
      });
    }
  }

  /** Whether a line such as ScriptSock needs a module that runs scripts: 2.4 refuses the line. */
  private isNeededByScriptLine(module: string): boolean {
    return /^mod_cgid?$/.test(module) && this.reportedModules.has(module);
  }

  /**
   * What to do about modules that may be missing. `loadingPart`: the part of the configuration that
   * may load them, in words. `isOfPart`: whether this part is missing in the checked files.
   */
  private helpOfUncertain(
    loadingPart: string,
    {
      neededNames,
      missingModules,
      isOfPart,
    }: { neededNames: readonly string[]; missingModules: readonly string[]; isOfPart: boolean },
  ): string {
    const isOneNeed = neededNames.length === 1;
    if (isOfPart) {
      const firstSentence = `Perhaps ${loadingPart} loads ${isOneNeed ? 'it' : 'them'}: look there, or copy it here and run again. If not, 2.4 does not start`;
      return isOneNeed
        ? `${firstSentence}: ${loadingLinesText(neededNames, missingModules, this.ruleInput.modules)}.`
        : `${firstSentence} without a \`LoadModule\` line for each: ${neededNames.join(', ')}.`;
    }
    const firstSentence = 'When 2.4 is installed, run `httpd -l` there.';
    return isOneNeed
      ? `${firstSentence} If the module is not in its list, 2.4 does not start: ${loadingLinesText(neededNames, missingModules, this.ruleInput.modules)}.`
      : `${firstSentence} 2.4 does not start without these modules: ${neededNames.join(', ')}. Add a \`LoadModule\` line for each that is not in the list.`;
  }

  /**
   * Makes the finding about `<IfModule>` sections that 2.4 skips, because no line loads their
   * module. It is about modules that a usual 2.2 has compiled in, and that are files in 2.4 as the
   * user answered. Its fixes are suggestions, because 2.2 can be built without these modules.
   */
  reportSkippedSections(): void {
    const { modules, configuration } = this.ruleInput;
    const sectionByModule = new Map<
      string,
      { readonly section: Section; readonly offset: number; readonly file: ConfigFile }
    >();
    for (const file of configuration.files.values())
      forEachPositiveTest(file.tree.root, 0, (section, offset) => {
        const module = testedModule(argumentsOf(section.open)[0]?.value ?? '');
        if (
          module === null ||
          !COMPILED_IN_22.has(module) ||
          sectionByModule.has(module) ||
          this.reportedModules.has(module)
        )
          return;
        const certainty = modules.absenceOf(module)?.certainty ?? 'certain';
        if (certainty !== 'certain') sectionByModule.set(module, { section, offset, file });
      });
    const [first] = sectionByModule.values();
    if (first === undefined) return;
    const skippedModules = [...sectionByModule.keys()];
    const tag = `\`<${spelledName(first.section.open)} ${shortened(argumentsOf(first.section.open)[0]!.value, 30)}>\``;
    const fixes = fixesToLoadAll(skippedModules, modules, first.file.path, false);
    this.findings.push({
      file: first.file.path,
      messageId: 'skipped-section',
      consequence: 'meaning changed',
      ...contentSpan(first.section.open, first.offset),
      what:
        skippedModules.length === 1
          ? fittingHeadline(
              `${tag}: 2.4 skips the section, because no line loads ${skippedModules[0]}`,
              `${tag}: 2.4 skips the section`,
            )
          : fittingHeadline(
              `${tag}: 2.4 skips this and other sections: no line loads their modules`,
              `${tag}: 2.4 skips this and other sections`,
            ),
      cause: `A usual build of 2.2 has ${joinedItems(skippedModules)} compiled in, and reads these sections. 2.4 starts without ${skippedModules.length === 1 ? 'the module' : 'the modules'}, and skips the sections without a message.`,
      help: `Run \`httpd -l\` on the 2.2 server. Add \`LoadModule\` lines for those that it lists.`,
      fixes: fixes.map(({ choice: _, ...fix }) => ({
        ...fix,
        safety: 'suggestion' as const,
        assumes: `2.2 has ${skippedModules.length === 1 ? 'this module' : 'these modules'} compiled in`,
      })),
    });
  }

  /**
   * Makes a finding for each module that only `<IfModule>` sections need, if Debian's list of
   * enabled modules is missing. 2.4 starts without such a module and skips the sections without a
   * message, even those with whole sites. Only the user knows whether 2.2 had the module.
   */
  reportTestedModules(): void {
    const { configuration, target } = this.ruleInput;
    if (!this.lacksModuleList || !isNewForServer(0, target)) return;
    const seenModules = new Set<string>();
    const mayBeMissing = (module: string) =>
      this.lacksModule(module) &&
      moduleNamed(module)?.['2.2'] !== undefined &&
      moduleNamed(module)?.['2.4'] !== undefined &&
      !MPM_NAMES.includes(module) &&
      !ENABLED_BY_DEBIAN.has(module) &&
      !this.commandModules.has(module);
    for (const file of configuration.files.values()) {
      if (this.filesLeftOut.has(file.path)) continue;
      forEachPossibleTest(file.tree.root, 0, target, (section, offset) => {
        const module = testedModule(nameInTag(section.open, 4)?.name ?? '');
        if (module === null || seenModules.has(module) || !mayBeMissing(module)) return;
        seenModules.add(module);
        const tag = shortened(section.open.text.trim(), 40);
        this.findings.push({
          file: file.path,
          messageId: 'section',
          consequence: 'check after the upgrade',
          ...contentSpan(section.open, offset),
          what: fittingHeadline(
            `\`${tag}\`: 2.4 skips the section without ${module}`,
            `${module}: 2.4 skips a section without it`,
          ),
          cause: `The files do not show whether 2.2 has ${module}: mods-enabled is not in this copy. 2.4 starts without ${module}, and skips its sections without a message.`,
          help: `If 2.2 has ${module}, run \`a2enmod ${debianName(module)}\`.`,
        });
      });
    }
  }

  /** The parts of a finding about modules that a2enmod enables. */
  private findingPartsToEnable(
    missingModules: readonly string[],
  ): Pick<ConfigurationFinding, 'messageId' | 'help' | 'run'> {
    const commands = this.commandsFor(missingModules);
    const quotedCommands = commands.map((command) => `\`${command}\``).join(', ');
    return {
      messageId: 'a2enmod',
      help: `Run ${quotedCommands}: a2enmod skips modules that are enabled.${missingModules.some((module) => isMpmName(debianName(module))) ? ' Leave out the MPM if one is enabled.' : ''}`,
      run: commands.join('\n'),
    };
  }

  /** The fixes that load these modules, as a part of a finding in the file of a line. */
  private fixesLoading(
    missingModules: readonly string[],
    { file }: ConfigLine,
    areOtherModulesFiles: boolean,
  ): { fixes?: readonly Fix[] } {
    const fixes = fixesToLoadAll(missingModules, this.ruleInput.modules, file.path, areOtherModulesFiles);
    return fixes.length > 0 ? { fixes } : {};
  }

  /**
   * Whether the server loads all its modules by LoadModule lines, as the lines or the user's answer
   * show.
   */
  private areModulesFiles({ loadsWholeServer, certainty, isInPackage }: ModuleAbsence): boolean {
    return (
      loadsWholeServer ||
      (certainty !== 'certain' && !isInPackage && this.ruleInput.answerTo(MODULES_QUESTION) === 'files')
    );
  }

  /**
   * Whether this is a configuration of Debian whose list of enabled modules is missing: no line
   * loads a module of httpd, and mods-enabled has no files.
   */
  private get lacksModuleList(): boolean {
    const { modules, view } = this.ruleInput;
    if (!isDebianLayout(modules) || modules.serviceFile !== null) return false;
    if (modules.loadLines.some(({ module }) => moduleNamed(module) !== undefined)) return false;
    const enabledNames = view.list(`${parentOf(modules.mainFile.path)}/mods-enabled`) ?? [];
    return !enabledNames.some((name) => /\.(conf|load)$/.test(name));
  }

  /**
   * The files that the user does not carry over to 2.4, because the package of 2.4 has its own.
   * Empty if the list of enabled modules is here: then it shows which of these files 2.2 reads.
   */
  get filesLeftOut(): ReadonlySet<string> {
    return (this.cachedFilesLeftOut ??= this.findFilesLeftOut());
  }

  /** The lines that the user carries over to 2.4. */
  carriedOver(lines: readonly ConfigLine[]): readonly ConfigLine[] {
    return this.filesLeftOut.size === 0 ? lines : lines.filter(({ file }) => !this.filesLeftOut.has(file.path));
  }

  private cachedFilesLeftOut: ReadonlySet<string> | null = null;

  private findFilesLeftOut(): ReadonlySet<string> {
    const { configuration, modules, answerTo } = this.ruleInput;
    if (!this.lacksModuleList || answerTo(VERSIONS_QUESTION) === 'both') return NO_FILES;
    return stockFilesToLeaveOut(configuration.files.values(), modules.mainFile.path);
  }

  protected hasModule(module: string) {
    return this.ruleInput.modules.activityOfModule(module);
  }

  protected lacksModule(module: string): boolean {
    return this.ruleInput.modules.absenceOf(module) !== null;
  }

  /** Whether a module is certainly missing: no line loads it, and it is not compiled in. */
  protected isMissing(module: string): boolean {
    const moduleAbsence = this.ruleInput.modules.absenceOf(module);
    return moduleAbsence !== null && this.areModulesFiles(moduleAbsence) && !this.hasSince24(module);
  }

  /**
   * Whether an `<IfModule>` that has `!` or access lines tests for the module. Then loading the
   * module changes which lines httpd reads, and perhaps who has access. False for modules that are
   * new in 2.4.
   */
  private isTestedFor(name: string): boolean {
    if (moduleNamed(name)?.['2.2'] === undefined) return false;
    if (this.testedModules === null) {
      this.testedModules = new Set();
      for (const { tree } of this.ruleInput.configuration.files.values())
        forEachTest(tree.root, (test) => {
          const testedName = argumentsOf(test.open)[0]?.value;
          if (testedName?.startsWith('!') || (testedName !== undefined && hasAccessLines(test)))
            this.testedModules!.add(testedName.replace(/^!/, '').toLowerCase());
        });
    }
    const { testedModules } = this;
    return [`${name}.c`, `${name.replace(/^mod_/, '')}_module`].some((each) => testedModules.has(each));
  }

  private testedModules: Set<string> | null = null;

  /**
   * Reports that a module is needed at a line, if it is not loaded and was not reported before. If
   * it may be loaded, notes only a doubt. If a command enables modules, notes it for this command.
   */
  protected reportNeed(need: ModuleNeed, configLine: ConfigLine): void {
    const { module, messageId, cause, serverText, consequence } = need;
    if (messageId === 'auth-type' && !this.reportsAuthTypes) return void this.authTypeNeeds.push([need, configLine]);
    const { modules } = this.ruleInput;
    const moduleAbsence = modules.absenceOf(module);
    if (moduleAbsence === null || this.reportedModules.has(module) || this.hasSince24(module)) return;
    this.reportedModules.add(module);
    const { certainty, exception } = moduleAbsence;
    if (!this.areModulesFiles(moduleAbsence)) {
      // A doubt is reported only if httpd would fail at this line or at each start, or would answer
      // all requests for a section with 500.
      if (MESSAGE_IDS_DESPITE_DOUBT.has(messageId) || (moduleAbsence.otherModulesAreFiles && messageId === 'unixd'))
        this.addDoubt(moduleAbsence, `${module} (${needText(need, configLine.line)})`, configLine, module);
      return;
    }
    if (this.enablesByCommand) return void this.modulesToEnable.push({ need, configLine });
    const { advice, fixes } = fixesToLoad(module, modules, module === 'mod_version' && this.mayTestVersionEarly);
    const isLackCertain = certainty === 'certain';
    this.push(module, {
      file: configLine.file.path,
      messageId,
      consequence: isLackCertain || consequence !== undefined ? consequence : 'may not start',
      ...nameSpan(configLine.line, configLine.offset),
      // If another file already loads the module, the new line does no harm: httpd skips a second
      // LoadModule line with the warning "module … is already loaded, skipping" (mod_so.c).
      fixes: fixes(configLine.file.path).map((fix) => this.fixForCertainty(fix, need, certainty)),
      what: headlineOfNeed(need, configLine),
      cause:
        [
          cause ?? '',
          isLackCertain
            ? ''
            : `This is no problem if ${exception.replace('%', certainty === 'built-in' ? 'it is' : 'it')}.`,
        ]
          .filter((text) => text !== '')
          .join('\n') || undefined,
      help: advice,
      serverText,
    });
  }

  /**
   * The fix as a suggestion, unless it is certain that 2.2 has the module, or that access does not
   * depend on it.
   */
  private fixForCertainty(fix: Fix, { module, messageId }: ModuleNeed, certainty: ModuleAbsence['certainty']): Fix {
    if (messageId === 'proxy-scheme')
      return { ...fix, safety: 'suggestion', assumes: 'you want the requests to work that get 500 in 2.2, too' };
    const isLogin = messageId === 'auth-type' || (messageId === 'provider' && MODULES_DECIDING_IN_22.has(module));
    const isLackCertain = certainty === 'certain';
    // If an unread part of the configuration may load the module, only a safe fix stays as it is. A
    // fix that may change access control always becomes a suggestion.
    if (certainty !== 'built-in' && !isLogin && !this.isTestedFor(module) && (isLackCertain || fix.safety === 'safe'))
      return fix;
    const suggested = { ...fix, safety: 'suggestion' as const };
    if (isLackCertain && !isLogin)
      return {
        ...suggested,
        assumes: `the lines in \`<IfModule>\` sections for ${module} do not change who has access`,
      };
    // With `built-in`, the answer `files` means that 2.2 has the module compiled in. Then logins
    // work in 2.2, so the fix needs no assumption about them.
    return isLogin && certainty !== 'built-in'
      ? { ...suggested, assumes: `you want logins to work, which 2.2 denied without ${module}` }
      : {
          ...suggested,
          choice: { openQuestion: modulesQuestion([module], this.ruleInput.modules), values: ['files'] },
        };
  }

  /**
   * Adds a finding about a module. If files of Red Hat's packages load the module, the finding
   * belongs to one step of the plan for all these modules.
   */
  private push(module: string, finding: ConfigurationFinding): void {
    const isOfStep = finding.messageId !== 'version' && this.includesPackageLoads && isLoadedByRedHat(module);
    this.findings.push(
      isOfStep
        ? { ...finding, messageId: 'package-modules', helpForBothVersions: HELP_TO_INCLUDE_PACKAGE_LOADS }
        : finding,
    );
  }

  /**
   * Whether the plan advises to include the files that load the modules of Red Hat's packages. It
   * does so if the configuration is for both 2.2 and 2.4.
   */
  private get includesPackageLoads(): boolean {
    return this.hasPackageStep && this.ruleInput.answerTo(VERSIONS_QUESTION) === 'both';
  }

  /** Whether the plan has the step `package-modules`. */
  private get hasPackageStep(): boolean {
    const { distribution, modules } = this.ruleInput;
    const isLineOfRedHat = ({ module, configLine: { file, activity } }: LoadModuleLine) =>
      module === 'mod_authz_host' && activity === 'active' && /(^|\/)httpd\.conf$/.test(file.path);
    return (distribution ?? modules.distribution) === 'rhel' && modules.loadLines.some(isLineOfRedHat);
  }

  /**
   * Notes that a module may be missing. `need`: the module and what needs it, in words. `module`:
   * null if no single module solves the problem.
   */
  protected addDoubt(moduleAbsence: ModuleAbsence, need: string, configLine: ConfigLine, module: string | null): void {
    const doubtKey = `${moduleAbsence.certainty} ${moduleAbsence.isInPackage} ${moduleAbsence.exception}`;
    const doubt = this.doubtByKey.get(doubtKey) ?? { configLine, moduleAbsence, neededNames: [], modules: [] };
    this.doubtByKey.set(doubtKey, doubt);
    doubt.neededNames.push(need);
    if (module !== null) doubt.modules.push(module);
  }
}

/**
 * Modules that 2.2 could lack although it read their `Require` lines. Then it denied all clients:
 * mod_authz_default answered 401, or ap_process_request_internal (server/request.c) answered 500.
 * It also denied all clients if the module for the AuthType was missing.
 */
const MODULES_DECIDING_IN_22 = new Set([
  'mod_authz_user',
  'mod_authz_groupfile',
  'mod_authz_dbm',
  'mod_authz_owner',
  'mod_authnz_ldap',
]);

/** Modules that a build of 2.2 without options compiles in, and that are separate files in 2.4. */
const COMPILED_IN_22: ReadonlySet<string> = new Set(
  [
    ...['actions', 'alias', 'asis', 'auth_basic', 'autoindex', 'cgi', 'cgid', 'dir', 'env', 'include'],
    ...['log_config', 'mime', 'negotiation', 'setenvif', 'status', 'userdir'],
  ].map((name) => `mod_${name}`),
);

/** The modules for the values of AuthType. */
const AUTH_TYPE_MODULES: ReadonlySet<string> = new Set(['mod_auth_basic', 'mod_auth_digest', 'mod_auth_form']);

/** Modules that 2.2 could lack although it read all lines. Then it let no login succeed. */
export const LOGIN_MODULES: ReadonlySet<string> = new Set([...MODULES_DECIDING_IN_22, ...AUTH_TYPE_MODULES]);

/** Directives that name backends of mod_proxy. */
const BACKEND_DIRECTIVES: readonly string[] = [
  'proxypass',
  'proxypassmatch',
  'balancermember',
  'rewriterule',
  'sethandler',
];

/** The modules for the schemes of backends (proxy_…_canon in modules/proxy of 2.4). */
const MODULE_BY_SCHEME: ReadonlyMap<string, string> = new Map([
  ['http', 'mod_proxy_http'],
  ['https', 'mod_proxy_http'],
  ['ftp', 'mod_proxy_ftp'],
  ['ajp', 'mod_proxy_ajp'],
  ['fcgi', 'mod_proxy_fcgi'],
  ['scgi', 'mod_proxy_scgi'],
  ['uwsgi', 'mod_proxy_uwsgi'],
  ['h2', 'mod_proxy_http2'],
  ['h2c', 'mod_proxy_http2'],
]);

/**
 * The module for the scheme of the backend that a line names. Null if it names none, or if the
 * scheme is not known.
 */
function moduleOfBackend(line: Line): string | null {
  if (!line.text.includes('://')) return null;
  const words = argumentsOf(line).map(({ value }) => value);
  if (line.name === 'rewriterule' && !/^\[(?:[^\]]*,)?\s*(?:P|proxy)\s*[,\]]/i.test(words[2] ?? '')) return null;
  const pattern =
    line.name === 'sethandler' ? /^proxy:(?:unix:[^|]*\|)?([a-z0-9]+):\/\//i : /^(?:unix:[^|]*\|)?([a-z0-9]+):\/\//i;
  const schemes = words.flatMap((word) => pattern.exec(word)?.[1]?.toLowerCase() ?? []);
  return MODULE_BY_SCHEME.get(schemes[0] ?? '') ?? null;
}

/** Directives with which scripts run; mod_cgi or mod_cgid runs them. */
const SCRIPT_DIRECTIVES: readonly string[] = ['scriptalias', 'scriptaliasmatch', 'addhandler', 'sethandler'];

/** Whether a line of CGI_NAMES makes httpd run scripts. */
function runsScripts(line: Line): boolean {
  return line.name.startsWith('script') || argumentsOf(line)[0]?.value.toLowerCase() === 'cgi-script';
}

/**
 * The cause of a finding about modules that may be missing. `isOneModule`: whether it is about one
 * module. `exception`: the condition under which the server has the modules.
 */
function causeOfUncertain(isOneModule: boolean, missingModules: readonly string[], exception: string): string {
  const harmTexts = [
    ...missingModules
      .filter((module) => module === 'mod_cgi' || module === 'mod_cgid')
      .map((module) => `Without ${module}, httpd 2.4 starts and sends the source text of CGI scripts`),
    ...missingModules
      .filter((module) => [...MODULE_BY_SCHEME.values()].includes(module))
      .map((module) => `Without ${module}, httpd 2.4 starts, and proxied requests get 500`),
    ...missingModules
      .filter((module) => AUTH_TYPE_MODULES.has(module))
      .map((module) => `Without ${module}, requests get 500`),
  ];
  if (isOneModule && harmTexts.length === 1) return `${harmTexts[0]}, unless ${exception}.`;
  const firstSentence = `httpd 2.4 does not start without ${isOneModule ? 'this module' : 'these modules'}, unless ${exception}.`;
  return [firstSentence, ...harmTexts.map((text) => `${text}.`)].join(' ');
}

/**
 * Message ids of missing modules that are reported even if it is not known which modules are
 * loaded. Without a module of `auth-type` or `proxy-scheme`, requests get 500. Without the others,
 * httpd stops reading the configuration.
 */
const MESSAGE_IDS_DESPITE_DOUBT = new Set([
  'directive',
  'provider',
  'lbmethod',
  'access',
  'version',
  'auth-type',
  'proxy-scheme',
]);

/** What needs the module, as the finding about a doubt names it. */
function needText({ messageId, neededBy }: ModuleNeed, { text, nameStart, nameEnd }: Line): string {
  if (messageId === 'directive') return neededBy;
  if (messageId === 'version') return '<IfVersion>';
  return messageId === 'access' ? `Require for ${neededBy}` : text.slice(nameStart, nameEnd);
}

/** Whether an AllowOverride or AllowOverrideList allows AuthType in .htaccess files. */
function grantsLogin(line: Line): boolean {
  const classWords = argumentsOf(line).map(({ value }) => value.toLowerCase());
  return line.name === 'allowoverride'
    ? classWords.some((word) => word === 'all' || word === 'authconfig')
    : classWords.includes('authtype');
}

/** A quick variant: finds out whether some line needs a missing module, without making findings. */
class QuickModuleTest extends MissingModuleCheck {
  isNeeded = false;

  /** Whether a line of this name may need a missing module. */
  mayNeedModule(name: string): boolean {
    return !OLD_ACCESS_NAMES.has(name) || this.lacksModule(COMPAT_MODULE);
  }

  protected override reportNeed({ module }: ModuleNeed): void {
    this.isNeeded ||= this.lacksModule(module);
  }
}

/** Collects the missing modules that lines need, each with the first line that needs it. */
class NeedsOfLines extends MissingModuleCheck {
  readonly needByModule = new Map<string, { readonly need: ModuleNeed; readonly configLine: ConfigLine }>();

  protected override reportNeed(need: ModuleNeed, configLine: ConfigLine): void {
    if (this.isMissing(need.module) && !this.needByModule.has(need.module))
      this.needByModule.set(need.module, { need, configLine });
  }
}

/**
 * Checks lines in `<IfDefine NAME>` sections, if it is unknown whether httpd starts with `-D NAME`.
 * Lines that need the same names get one note: httpd would not start with these names.
 */
class ModulesWithNames {
  /** The checks, by the `-D NAME` options with which httpd reads the checked lines. */
  private readonly checkByOptions = new Map<string, NeedsOfLines>();
  private readonly rangesByList = new Map<List, readonly TestedRange[]>();
  private readonly loadsByModule = lazy(() => {
    const loadLinesByModule = new Map<string, LoadedModules['loadLines'][number][]>();
    for (const each of this.ruleInput.modules.loadLines) {
      const linesOfModule = loadLinesByModule.get(each.module);
      if (linesOfModule) linesOfModule.push(each);
      else loadLinesByModule.set(each.module, [each]);
    }
    return loadLinesByModule;
  });

  constructor(private readonly ruleInput: ConfigurationRuleInput) {}

  /** Checks a line if only `-D NAME` options decide whether httpd reads it. */
  checkLine(configLine: ConfigLine, scope: Scope, aliases: ReadonlySet<string>): void {
    const definedNames = this.namesForReading(configLine);
    if (definedNames === null || definedNames.length === 0) return;
    const options = definedNames.map((name) => `-D ${name}`).join(' ');
    let check = this.checkByOptions.get(options);
    if (!check) this.checkByOptions.set(options, (check = new NeedsOfLines(this.ruleInput)));
    check.checkLineIn(scope, configLine, aliases);
  }

  /**
   * The names (`-D NAME`) that httpd needs to read a line, outermost first: those of the
   * `<IfDefine>` sections around the line. For an `<IfModule>` around the line, those around the
   * LoadModule line of its module. Null if anything else decides whether httpd reads the line.
   */
  private namesForReading({ file, offset }: ConfigLine): readonly string[] | null {
    const namesPerRange = this.rangesAround(file, offset).map((each) => this.namesMakingTrue(each));
    return namesPerRange.includes(null) ? null : [...new Set(namesPerRange.flatMap((each) => each ?? []))];
  }

  /**
   * The names (`-D NAME`) that make the condition of a section true; empty if it is true already.
   * Null if it is false, or if no names are certain to make it true.
   */
  private namesMakingTrue({ test, name, isNegated }: TestedRange): readonly string[] | null {
    if (test === 'ifdefine') return isNegated || name === '' ? null : [name];
    const { modules } = this.ruleInput;
    const moduleState = name === '' ? 'unknown' : modules.activityOfModule(name);
    if (moduleState !== 'unknown') return (moduleState === 'active') === isNegated ? null : [];
    const [loadLine, ...others] = this.loadsByModule().get(name) ?? [];
    if (isNegated || loadLine === undefined || others.length > 0) return null;
    const enclosingRanges = this.rangesAround(loadLine.configLine.file, loadLine.configLine.offset);
    const hasOnlyDefineTests =
      enclosingRanges.length > 0 && enclosingRanges.every((each) => each.test === 'ifdefine' && !each.isNegated);
    return hasOnlyDefineTests ? enclosingRanges.map((each) => each.name) : null;
  }

  private rangesAround({ tree: { root } }: ConfigFile, offset: number): readonly TestedRange[] {
    let ranges = this.rangesByList.get(root);
    if (!ranges) this.rangesByList.set(root, (ranges = testedRanges(root)));
    return rangesAround(ranges, offset);
  }

  /** The findings of this class. They leave out modules that findings of `reported` are about. */
  findings(reported: MissingModuleCheck): ConfigurationFinding[] {
    return [...this.checkByOptions].flatMap(([options, { needByModule }]): ConfigurationFinding[] => {
      const missingNeeds = [...needByModule.values()].filter(({ need }) => !reported.hasReported(need.module));
      const [first] = missingNeeds;
      if (first === undefined) return [];
      const { configLine } = first;
      const missingNames = joinedItems(missingNeeds.map((each) => each.need.module));
      const modules = missingNeeds.map(
        ({ need: { module, neededBy } }) => `${module} (\`${shortened(neededBy, 40)}\`)`,
      );
      return [
        {
          file: configLine.file.path,
          messageId: 'if-defined',
          consequence: 'check before the upgrade',
          ...nameSpan(configLine.line, configLine.offset),
          what: fittingHeadline(
            `\`${spelledName(configLine.line)}\`: with \`${options}\`, no line loads ${missingNames}`,
            `\`${shortened(spelledName(configLine.line))}\`: no line loads ${missingNeeds.length} modules`,
          ),
          cause: `httpd reads the line only if it starts with ${options}. 2.4 then needs: ${joinedItems(modules)}.`,
          help: `If the server starts with ${options}, repeat the command with this option: the fixes then load what is missing.`,
          ...(missingNeeds.length > 1 && {
            related: missingNeeds.slice(1).map(({ need: { module, neededBy }, configLine: otherLine }) => ({
              file: otherLine.file.path,
              line: otherLine.line,
              row: otherLine.file.tree.positionAt(otherLine.offset).line,
              rowOffset: 0,
              message: `\`${shortened(neededBy, 40)}\` needs ${module}`,
            })),
          }),
        },
      ];
    });
  }
}

/**
 * The body of an `<IfDefine>` or `<IfModule>` section: its span in the file and the tested name.
 */
interface TestedRange {
  readonly start: number;
  readonly end: number;
  readonly test: 'ifdefine' | 'ifmodule';
  /**
   * The name that an `<IfDefine>` tests, or the module's name in the manual. Empty if it is
   * unknown.
   */
  readonly name: string;
  readonly isNegated: boolean;
  readonly inner: readonly TestedRange[];
}

/**
 * The outermost `<IfDefine>` and `<IfModule>` sections of a list, with those in them. Adds them to
 * `rangesFound` and returns it.
 */
function testedRanges(list: List, base = 0, rangesFound: TestedRange[] = []): TestedRange[] {
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section)) return;
    const bodyStart = offset + item.open.length;
    const { name: test } = item;
    if (test !== 'ifdefine' && test !== 'ifmodule') return void testedRanges(item.body, bodyStart, rangesFound);
    const { name = '', isNegated = false } = nameInTag(item.open, 4) ?? {};
    rangesFound.push({
      start: bodyStart,
      end: bodyStart + item.body.length,
      test,
      name: test === 'ifdefine' ? name : (testedModule(name) ?? ''),
      isNegated,
      inner: testedRanges(item.body, bodyStart),
    });
  });
  return rangesFound;
}

/** The sections around an offset, outermost first. */
function rangesAround(ranges: readonly TestedRange[], offset: number): readonly TestedRange[] {
  const outermostRange = rangeAt(ranges, offset);
  return outermostRange === undefined ? [] : [outermostRange, ...rangesAround(outermostRange.inner, offset)];
}

/**
 * The range that contains the offset, by binary search. Undefined if none does. `ranges` must be
 * sorted and not overlap.
 */
function rangeAt(ranges: readonly TestedRange[], offset: number): TestedRange | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.end <= offset) low = middle + 1;
    else high = middle;
  }
  const candidate = ranges[low];
  return candidate !== undefined && candidate.start <= offset ? candidate : undefined;
}

/** The end of a sentence that says which LoadModule lines the user must add. */
function loadingLinesText(
  neededNames: readonly string[],
  missingModules: readonly string[],
  { loadLines }: Pick<LoadedModules, 'loadLines'>,
): string {
  if (neededNames[0] === 'an MPM') return 'add a `LoadModule` line for mpm_prefork or mpm_event';
  const [module = ''] = missingModules;
  return `add \`LoadModule ${shortName(module)}_module ${directoryOf(loadLines)}/${moduleNamed(module)?.['2.4']?.sharedObject}\``;
}

/** The directory in the first LoadModule line whose path has one; `modules` if none has. */
function directoryOf(loads: LoadedModules['loadLines']): string {
  for (const { configLine } of loads) {
    const [, directory] = /^(.+)\/[^/]+$/.exec(argumentsOf(configLine.line)[1]?.value ?? '') ?? [];
    if (directory !== undefined) return directory;
  }
  return 'modules';
}

/**
 * The headline about modules that may be loaded elsewhere. It names the first line that needs one.
 */
function headlineOfUncertain(
  { line: { text, nameStart, nameEnd } }: ConfigLine,
  neededNames: readonly string[],
): string {
  const directiveName = `\`${text.slice(nameStart, nameEnd)}\``;
  const [firstNeeded = ''] = neededNames;
  const moduleName = firstNeeded.replace(/ \(.*/s, '');
  // With `mod_authz_core (Require for Order)`, the line itself does not need the module.
  if (neededNames.length === 1)
    return / \(Require for |^an MPM/.test(firstNeeded)
      ? `${directiveName}: no line loads ${moduleName}, which 2.4 needs`
      : `${directiveName} needs ${moduleName}, and no line loads it`;
  return `${directiveName} and other lines need ${neededNames.length} modules that no line loads`;
}
