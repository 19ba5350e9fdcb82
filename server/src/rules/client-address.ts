import {
  CLIENT_ADDRESS_DIRECTIVES,
  comparesAddress,
  lostAddressModule,
  type LostAddressModule,
} from '../access/client-address';
import { choiceQuestion } from '../access/open-question';
import { discoverHtaccess } from '../access/htaccess-files';
import {
  linesIn,
  mayHoldAny,
  readHtaccess,
  type ConfigFile,
  type ConfigLine,
  type Configuration,
  type Scope,
} from '../config/configuration';
import { thirdPartyModule, type AddressFacts } from '../directives/third-party';
import { argumentsOf, spelledName } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import { contentSpan, fittingHeadline, shortened } from './support/edits';
import { DIRECTIVES_ENABLING_HTACCESS } from './support/htaccess-effect';
import { conditionEdit, linesWithName, REFUSING_NAMES, remoteIpEdits, trustedWords } from './support/remote-ip';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput, Edit, Fix } from './rule';
import { fittingTitle } from './support/fix-title';

/** Finds lines whose addresses match only with a module of 2.2 that 2.4 cannot load. */
export const clientAddress: ConfigurationRule = {
  id: 'client-address',
  title: 'Access by address with a module that changes the address of the client',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'configuration',
  names: ['loadmodule', 'allow', 'deny', 'require', ...CLIENT_ADDRESS_DIRECTIVES],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_remoteip.html',
  examples: [
    {
      title: 'mod_rpaf',
      before:
        'ServerRoot /srv\nLoadModule rpaf_module modules/mod_rpaf-2.0.so\nRPAFenable On\nRPAFproxy_ips 10.0.0.1\nRPAFheader X-Forwarded-For\n<Location /server-status>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.0.1\n</Location>\n',
      after:
        'ServerRoot /srv\nLoadModule remoteip_module modules/mod_remoteip.so\nRemoteIPInternalProxy 10.0.0.1\nRemoteIPHeader X-Forwarded-For\n<Location /server-status>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.0.1\n</Location>\n',
      finds: ['module', 'line'],
    },
  ],
  needsName: (name, { loadLines }) =>
    (DIRECTIVES_ENABLING_HTACCESS.has(name) || COMPARING_NAMES.has(name)) &&
    loadLines.some(({ module }) => thirdPartyModule(module)?.address !== undefined),
  check(ruleInput): readonly ConfigurationFinding[] {
    const { configuration, answerTo } = ruleInput;
    const addressAnswer = answerTo(ADDRESS_QUESTION);
    const lostModule = addressAnswer === 'module' ? null : lostAddressModule(configuration);
    if (lostModule === null) return [];
    return [
      ...findingsOfModule(configuration, lostModule),
      ...comparingLinesOf(ruleInput).map((each) => findingOfLine(each, lostModule)),
    ];
  },
};

const ADDRESS_QUESTION = choiceQuestion('client-address');

// ---------------------------------------------------------------------------------------------------------------------

/**
 * All lines with these names in and below a scope. Leaves out inactive lines and lines of macros.
 */
function linesNamed(root: Scope, names: ReadonlySet<string>): ConfigLine[] {
  const mayHaveLine = mayHoldAny(names);
  const foundLines: ConfigLine[] = [];
  const walk = (scope: Scope): void => {
    if (!mayHaveLine(scope)) return;
    foundLines.push(
      ...linesIn(scope, names).filter((each) => each.activity !== 'inactive' && each.macro === undefined),
    );
    scope.children.forEach(walk);
  };
  walk(root);
  return foundLines;
}

const COMPARING_NAMES: ReadonlySet<string> = new Set([
  'allow',
  'deny',
  'require',
  'setenvif',
  'setenvifnocase',
  'rewritecond',
]);
const LOAD_MODULE_NAME: ReadonlySet<string> = new Set(['loadmodule']);

/** The lines that compare the client's address, in the configuration and its .htaccess files. */
function comparingLinesOf({ configuration, view, target }: ConfigurationRuleInput): ConfigLine[] {
  const { files } = discoverHtaccess(configuration, view);
  const folderByPath = new Map(files.map(({ scope }) => [scope.file.path, scope.folder ?? '/']));
  const scopes = [...folderByPath].flatMap(
    ([root, folder]) => readHtaccess({ root, view, folder, names: COMPARING_NAMES, target }) ?? [],
  );
  return [configuration.rootScope, ...scopes].flatMap((scope) =>
    linesNamed(scope, COMPARING_NAMES).filter(({ expandedLine }) => comparesAddress(expandedLine)),
  );
}

function findingOfLine({ line, file, offset }: ConfigLine, { module }: LostAddressModule): ConfigurationFinding {
  const lineText = shortened(line.text.trim(), 34);
  return {
    file: file.path,
    messageId: 'line',
    what: `\`${lineText}\` compares the address of the proxy in 2.4`,
    cause: `In 2.2 ${moduleNameOf(module.file)} put the address of the client in its place. Without that module, 2.4 sees the address of the proxy for all requests.`,
    help: `Configure mod_remoteip (RemoteIPHeader) before you switch to 2.4, or install ${moduleNameOf(module.file)} for 2.4.`,
    asks: [ADDRESS_QUESTION],
    ...contentSpan(line, offset),
  };
}

/** The name of a module by the name of its file: `mod_rpaf` for mod_rpaf.so. */
function moduleNameOf(file: string): string {
  return file.replace(/\.so$/, '');
}

/**
 * The finding with the fix that loads mod_remoteip instead of the module. It is at the LoadModule
 * line or else at the module's first directive. Empty if there is neither.
 */
function findingsOfModule(configuration: Configuration, { module, lines }: LostAddressModule): ConfigurationFinding[] {
  const loadLine = linesNamed(configuration.rootScope, LOAD_MODULE_NAME).find(({ line }) =>
    module.identifiers.includes(argumentsOf(line)[0]?.value ?? ''),
  );
  const anchorLine = loadLine ?? lines[0];
  if (anchorLine === undefined) return [];
  const editsByPath = editsToRemoteIp(configuration, loadLine, lines, module.address!);
  const ownEdits = editsByPath.get(anchorLine.file.path) ?? [];
  editsByPath.delete(anchorLine.file.path);
  const question = choiceQuestion('client-address', [moduleNameOf(module.file)]);
  const fix: Fix = {
    title: fittingTitle(
      `Load mod_remoteip instead of ${moduleNameOf(module.file)}`,
      'Load mod_remoteip instead of this module',
    ),
    safety: 'suggestion',
    isAppliedAlone: true,
    choice: { openQuestion: question, values: ['remoteip'] },
    edits: ownEdits,
    ...(editsByPath.size > 0 && { elsewhere: editsByPath }),
  };
  const fixKeepingModule: Fix = {
    ...fix,
    title: `Keep ${moduleNameOf(module.file)} as it is`,
    choice: { openQuestion: question, values: ['module'] },
    edits: [],
    elsewhere: undefined,
  };
  const anchorName = loadLine ? argumentsOf(loadLine.line)[0]!.value : spelledName(anchorLine.line);
  const replacementText = [
    `\nRemoteIPHeader ${headerOf(lines, module.address!)}`,
    ...proxiesOf(lines, module.address!).map((proxy) => `\nRemoteIPInternalProxy ${proxy}`),
  ].join('');
  return [
    {
      file: anchorLine.file.path,
      messageId: 'module',
      what: fittingHeadline(
        `\`${anchorName}\`: without it, 2.4 does not see the address of the client`,
        `\`${shortened(anchorName, 30)}\`: without it, 2.4 does not see the client's address`,
      ),
      cause: `${moduleNameOf(module.file)} does not come with httpd. mod_remoteip comes with 2.4 and does the same.`,
      help: `Write:${replacementText}`,
      helpForBothVersions: `Put the lines of ${moduleNameOf(module.file)} into \`<IfVersion < 2.4>\`, and load mod_remoteip in \`<IfVersion >= 2.4>\`. Write there:${replacementText}`,
      ...contentSpan(anchorLine.line, anchorLine.offset),
      fixes: lines.some(({ line }) => REFUSING_NAMES.has(line.name)) ? [fixKeepingModule] : [fix, fixKeepingModule],
    },
  ];
}

/** The header from which the module takes the address. */
function headerOf(lines: readonly ConfigLine[], { header, default: defaultHeader }: AddressFacts): string {
  return (
    linesWithName(lines, header).flatMap(({ expandedLine }) => argumentsOf(expandedLine)[0]?.value ?? [])[0] ??
    defaultHeader
  );
}

/** The trusted proxies of the lines, as arguments of mod_remoteip. */
function proxiesOf(lines: readonly ConfigLine[], { proxies }: AddressFacts): string[] {
  return linesWithName(lines, proxies).map(({ expandedLine }) =>
    argumentsOf(expandedLine)
      .map(({ value }) => trustedWords(value))
      .join(' '),
  );
}

/**
 * The edits that replace the old module with mod_remoteip; the key is the path of the file. Each
 * line of the old module is replaced by its counterpart or removed. Each `<IfModule>` that tests
 * the old module gets the new name.
 */
function editsToRemoteIp(
  configuration: Configuration,
  loadLine: ConfigLine | undefined,
  lines: readonly ConfigLine[],
  facts: AddressFacts,
): Map<string, Edit[]> {
  const editsByPath = new Map<string, Edit[]>();
  const addEdits = ({ path }: ConfigFile, moreEdits: readonly Edit[]) =>
    editsByPath.set(path, [...(editsByPath.get(path) ?? []), ...moreEdits]);
  remoteIpEdits(loadLine, lines, facts, addEdits);
  for (const file of configuration.files.values()) addEdits(file, conditionEdits(file.tree.root));
  for (const [path, fileEdits] of editsByPath) if (fileEdits.length === 0) editsByPath.delete(path);
  return editsByPath;
}

/** The edits of tags such as `<IfModule mod_rpaf.c>`, which name the old module. */
function conditionEdits(root: List): Edit[] {
  const edits: Edit[] = [];
  const walk = (list: List, from: number): void =>
    forEachItem(list, from, (item, offset) => {
      if (!(item instanceof Section)) return;
      walk(item.body, offset + item.open.length);
      const edit = conditionEdit(item.open, offset);
      if (edit) edits.push(edit);
    });
  walk(root, 0);
  return edits;
}
