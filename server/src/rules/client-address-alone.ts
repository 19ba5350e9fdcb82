import { choiceQuestion } from '../access/open-question';
import { CLIENT_ADDRESS_MODULES, CLIENT_ADDRESS_DIRECTIVES, comparesAddress } from '../access/client-address';
import { thirdPartyModule, thirdPartyModules, type ThirdPartyModule } from '../directives/third-party';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { contentSpan, fittingHeadline, NO_FINDINGS, shortened } from './support/edits';
import { Fact, hasFact } from './support/facts';
import {
  conditionEdit,
  linesWithName,
  REFUSING_NAMES,
  remoteIpEdits,
  trustedWords,
  type LineAt,
} from './support/remote-ip';
import type { Edit, SectionRule, Summary } from './rule';

/**
 * Finds modules that change the address of the client, in a file that is checked without a
 * configuration. For whole configurations, the rule client-address does this.
 */
export const clientAddressAlone: SectionRule = {
  id: 'client-address-alone',
  title: 'A module that changes the address of the client, in a single file',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'section',
  names: [
    'loadmodule',
    'allow',
    'deny',
    'require',
    'setenvif',
    'setenvifnocase',
    'rewritecond',
    'ifmodule',
    ...CLIENT_ADDRESS_DIRECTIVES,
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_remoteip.html',
  examples: [
    {
      title: 'mod_rpaf in conf.d/rpaf.conf',
      before: 'RPAFenable On\nRPAFproxy_ips 10.0.0.1\nRPAFheader X-Forwarded-For\n',
      after: 'RemoteIPInternalProxy 10.0.0.1\nRemoteIPHeader X-Forwarded-For\n',
      finds: ['module'],
    },
    {
      title: 'Not reported: mod_remoteip has taken over',
      before: 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 10.0.0.1\n',
      finds: [],
    },
  ],
  checkFile({ facts, firstMatch, summaryOf }) {
    if (!hasFact(facts, Fact.changesAddress)) return NO_FINDINGS;
    const summary = summaryOf(ADDRESS_LINES_SUMMARY);
    if (summary === null) return NO_FINDINGS;
    if (summary.configuresRemoteIp || hasFact(facts, Fact.isRoot)) return NO_FINDINGS;
    const module = moduleToReplace(summary);
    if (module?.address === undefined) return NO_FINDINGS;
    const { on, header, proxies } = module.address;
    const valuesOf = (names: readonly string[]) =>
      names.flatMap((name) => summary.valuesByDirective.get(name.toLowerCase()) ?? []);
    if (valuesOf(on).length > 0 && valuesOf(on).every((value) => value.toLowerCase() === 'off')) return NO_FINDINGS;
    const firstLinesPassing = (
      mayContain: (part: AddressLines) => boolean,
      test: (line: Line) => boolean,
      maxCount: number,
    ) => {
      const foundLines: LineAt<null>[] = [];
      for (let nth = 1; nth <= maxCount; nth++) {
        let seenCount = 0;
        const linePlace = firstMatch(ADDRESS_LINES_SUMMARY, mayContain, (line) => test(line) && ++seenCount === nth);
        if (!linePlace) break;
        foundLines.push({ ...linePlace, file: null });
      }
      return foundLines;
    };
    const isOfModule = ({ name }: Line) => name !== 'loadmodule' && thirdPartyModules(name, false)[0] === module;
    const moduleLines = firstLinesPassing(hasValues, isOfModule, MAX_LINES_IN_FINDING + 1);
    const [loadLine] = firstLinesPassing(
      ({ loadedModule }) => loadedModule !== null,
      (line) => line.name === 'loadmodule' && addressModuleLoadedBy(line) !== null,
      1,
    );
    const anchorLine =
      [on, proxies, header].flatMap((names) => linesWithName(moduleLines, names))[0] ?? moduleLines[0] ?? loadLine;
    if (anchorLine === undefined) return NO_FINDINGS;
    const comparingLines = firstLinesPassing(
      (part) => part.comparingLineCount > 0,
      comparesAddress,
      summary.comparingLineCount,
    );
    const anchorName = anchorLine === loadLine ? summary.loadedModule! : spelledName(anchorLine.line);
    const moduleName = module.file.replace(/\.so$/, '');
    const [firstComparing] = comparingLines;
    const edits: Edit[] = [];
    remoteIpEdits(loadLine, moduleLines, module.address, (_, ownEdits) => void edits.push(...ownEdits));
    const isCondition = (line: Line) => conditionEdit(line, 0) !== null;
    for (const { line, offset } of firstLinesPassing(
      (part) => hasValues(part) || part.loadedModule !== null,
      isCondition,
      MAX_LINES_IN_FINDING,
    ))
      edits.push(conditionEdit(line, offset)!);
    const canFixAll =
      moduleLines.length <= MAX_LINES_IN_FINDING && !moduleLines.some(({ line }) => REFUSING_NAMES.has(line.name));
    const replacementText = [
      `\nRemoteIPHeader ${valuesOf(header)[0] ?? module.address.default}`,
      ...valuesOf(proxies).map((proxy) => `\nRemoteIPInternalProxy ${proxy.split(' ').map(trustedWords).join(' ')}`),
    ].join('');
    return [
      {
        messageId: 'module',
        what: loadLine
          ? fittingHeadline(
              `\`${anchorName}\`: in 2.4, mod_remoteip replaces ${moduleName}`,
              `In 2.4, mod_remoteip replaces ${moduleName}`,
            )
          : fittingHeadline(
              `\`${anchorName}\`: without ${moduleName}, 2.4 does not see the address of the client`,
              `\`${shortened(anchorName, 30)}\`: without its module, 2.4 sees the address of the proxy`,
            ),
        cause:
          `${moduleName} does not come with httpd. Without it, 2.4 does not start with its lines. Without both, ` +
          (firstComparing === undefined
            ? 'all lines by address compare the address of the proxy: `Allow`, `Deny` and `Require` lines in other files and in `.htaccess` files.'
            : `\`${shortened(firstComparing.line.text.trim(), 40)}\` and other lines by address compare the address of the proxy, also in other files.`),
        help: `mod_remoteip comes with 2.4 and does the same. Load it, and replace all lines of ${moduleName}${loadLine ? ', also `LoadModule`,' : ''} by:${replacementText}`,
        helpForBothVersions: `mod_remoteip comes with 2.4 and does the same. Put all lines of ${moduleName}${loadLine ? ', also `LoadModule`,' : ''} into \`<IfVersion < 2.4>\`. Load mod_remoteip in \`<IfVersion >= 2.4>\`, and write there:${replacementText}`,
        ...contentSpan(anchorLine.line, anchorLine.offset),
        places: comparingLines.map(({ line, offset }) => contentSpan(line, offset)),
        fixes: canFixAll
          ? [
              {
                title: 'Load mod_remoteip for the address of the client',
                safety: 'suggestion',
                isAppliedAlone: true,
                choice: { openQuestion: choiceQuestion('client-address'), values: ['remoteip'] },
                edits,
              },
            ]
          : [],
      },
    ];
  },
};

const ADDRESS_LINES_SUMMARY: Summary<AddressLines> = {
  summarize(line, { fileContext, activity, containers }) {
    if (fileContext !== null || activity === 'inactive' || containers.includes('macro')) return null;
    if (line.name.startsWith('remoteip')) return { ...NO_ADDRESS_LINES, configuresRemoteIp: true };
    if (line.name === 'loadmodule') return addressLinesOfLoadModule(line);
    if (line.name === 'ifmodule') return null;
    if (!DIRECTIVES_OF_REPLACED_MODULES.has(line.name))
      return comparesAddress(line) ? { ...NO_ADDRESS_LINES, comparingLineCount: 1 } : null;
    const argumentText = argumentsOf(line)
      .map((word) => word.value)
      .join(' ');
    return { ...NO_ADDRESS_LINES, valuesByDirective: new Map([[line.name, [argumentText]]]) };
  },
  plus(a, b) {
    return {
      loadedModule: a.loadedModule ?? b.loadedModule,
      valuesByDirective: joinedValues(a.valuesByDirective, b.valuesByDirective),
      comparingLineCount: Math.min(a.comparingLineCount + b.comparingLineCount, MAX_LINES_IN_FINDING),
      configuresRemoteIp: a.configuresRemoteIp || b.configuresRemoteIp,
    };
  },
};

// ---

/**
 * The lines of modules that change the client's address, in a part of a file. The number of values
 * has a limit, so that joining the summaries of two parts takes the same time in any file.
 */
interface AddressLines {
  /**
   * The identifier in the first LoadModule line of a module that changes the client's address; null
   * if there is none.
   */
  readonly loadedModule: string | null;
  /** The arguments of each line, by directive in lower case. */
  readonly valuesByDirective: ReadonlyMap<string, readonly string[]>;
  /** The number of lines that compare the address of the client, at most MAX_LINES_IN_FINDING. */
  readonly comparingLineCount: number;
  /** Whether the file configures mod_remoteip. */
  readonly configuresRemoteIp: boolean;
}

function hasValues({ valuesByDirective }: AddressLines): boolean {
  return valuesByDirective.size > 0;
}

const NO_VALUES: ReadonlyMap<string, readonly string[]> = new Map();
const NO_ADDRESS_LINES: AddressLines = {
  loadedModule: null,
  valuesByDirective: NO_VALUES,
  comparingLineCount: 0,
  configuresRemoteIp: false,
};

/** Maximum number of lines of the module, and of lines that compare the address, in the finding. */
const MAX_LINES_IN_FINDING = 8;

/** Directives, in lower case, of the modules that mod_remoteip replaces. */
const DIRECTIVES_OF_REPLACED_MODULES: ReadonlySet<string> = new Set(
  CLIENT_ADDRESS_DIRECTIVES.filter((name) => !name.startsWith('remoteip')),
);

/** The summary of a LoadModule line; null if its module does not change the address. */
function addressLinesOfLoadModule(line: Line): AddressLines | null {
  const loadedModule = addressModuleLoadedBy(line);
  return loadedModule === null ? null : { ...NO_ADDRESS_LINES, loadedModule };
}

/**
 * The identifier in a LoadModule line of a module that changes the address; null for other modules.
 */
function addressModuleLoadedBy(line: Line): string | null {
  const identifier = argumentsOf(line)[0]?.value ?? '';
  return CLIENT_ADDRESS_MODULES.test(identifier) ? identifier : null;
}

/**
 * The module to replace, by its directives or else by its LoadModule line. Undefined if there is
 * none, or if the loaded module does nothing without further lines.
 */
function moduleToReplace({ loadedModule, valuesByDirective }: AddressLines): ThirdPartyModule | undefined {
  const [name] = valuesByDirective.keys();
  if (name !== undefined) return thirdPartyModules(name, false)[0];
  const module = loadedModule === null ? undefined : thirdPartyModule(loadedModule);
  // The file only loads the module. If the module does nothing without further lines, another file
  // may have them, so this rule reports nothing. The rule third-party-module names the replacement.
  return module?.address?.on.length === 0 && module.address.needsProxies !== true ? module : undefined;
}

/** The values of both parts of a file, by directive, up to the maximum for the finding. */
function joinedValues(
  a: ReadonlyMap<string, readonly string[]>,
  b: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const joinedByName = new Map(a);
  for (const [name, values] of b)
    joinedByName.set(name, [...(joinedByName.get(name) ?? []), ...values].slice(0, MAX_LINES_IN_FINDING));
  return joinedByName;
}
