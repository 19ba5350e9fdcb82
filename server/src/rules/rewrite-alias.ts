import { DIRECTIVES_SERVING_ANY_FOLDER } from '../access/mappers';
import { overrideWordsFor, overrideLines } from '../access/override';
import { linesIn, readHtaccess, type ConfigLine, type Scope } from '../config/configuration';
import { isWithin, localPathOf, resolvePath, serverPathOf } from '../config/files';
import { namesInUse } from '../config/lines-by-name';
import { scopesOf } from '../config/loaded-modules';
import { PathIndex } from '../config/path-index';
import { isNewForServer } from '../config/target';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan } from './support/edits';
import { accessFileNames, accessFilesBelow, SERVING_NAMES } from './support/htaccess-effect';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput } from './rule';

const REWRITE_NAMES: ReadonlySet<string> = new Set(['rewriteengine', 'rewritebase', 'rewriterule', 'rewriteoptions']);

/**
 * Finds rewrite rules without RewriteBase in directories that an Alias maps. 2.2 does not find the
 * targets of such rules and answers 404, while 2.4 finds the targets.
 */
export const rewriteAlias: ConfigurationRule = {
  id: 'rewrite-alias',
  title: 'RewriteRule lines below an Alias that work without RewriteBase in 2.4',
  consequence: 'check after the upgrade',
  fix: 'none',
  checks: 'configuration',
  names: [...SERVING_NAMES, ...DIRECTIVES_SERVING_ANY_FOLDER, 'allowoverride', 'allowoverridelist', ...REWRITE_NAMES],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_rewrite.html#rewritebase',
  examples: [
    {
      title: 'A rule below an Alias',
      before:
        'Alias /docs /srv/docs\n<Directory /srv/docs>\n    RewriteEngine On\n    RewriteRule ^latest$ v2.html\n</Directory>\n',
      finds: ['works'],
    },
    {
      title: 'Not reported: RewriteBase is set',
      before:
        'Alias /docs /srv/docs\n<Directory /srv/docs>\n    RewriteEngine On\n    RewriteBase /docs/\n    RewriteRule ^latest$ v2.html\n</Directory>\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { configuration, target } = ruleInput;
    const usedNames = namesInUse(configuration);
    const mayHtaccessHaveRules = usedNames
      .lines('allowoverride')
      .some(({ text }) => /\b(?:all|fileinfo)\b/i.test(text));
    if (
      !isNewForServer(13, target) ||
      !usedNames.hasName('alias') ||
      !(mayHtaccessHaveRules || usedNames.hasName('rewriterule'))
    )
      return [];
    const { rootScope, serverRoot } = configuration;
    const hosts = [rootScope, ...rootScope.children.filter(({ kind }) => kind === 'virtualhost')];
    const mainRootLine = documentRootLineOf(rootScope);
    // Many virtual hosts map the same directory, so each directory is checked once.
    const aliasByFolder = new Map(
      hosts.flatMap((host) => aliasesIn(host, mainRootLine, serverRoot)).map((alias) => [alias.folder, alias]),
    );
    if (aliasByFolder.size === 0) return [];
    const sections = new PathIndex(
      usedNames.hasName('rewriterule') ? sectionsWithRules(ruleInput) : [],
      ({ folder }) => folder,
    );
    const findings = new Map<string, ConfigurationFinding>();
    for (const alias of aliasByFolder.values()) {
      const scopesOfSections = sections.itemsIn(alias.folder).map(({ scope }) => scope);
      for (const scope of [...scopesOfSections, ...htaccessScopesBelow(alias.folder, ruleInput)]) {
        const finding = findingIn(scope, alias);
        if (finding !== null) findings.set(`${finding.file}:${finding.start}`, finding);
      }
    }
    return [...findings.values()];
  },
};

/** A directory that an Alias line maps to a URL path. */
interface AliasedFolder {
  readonly url: string;
  readonly folder: string;
}

/**
 * The directories that Alias lines of a server map to a URL, outside of its DocumentRoot.
 * `mainRootLine`: the DocumentRoot line of the main server.
 */
function aliasesIn(host: Scope, mainRootLine: ConfigLine | undefined, serverRoot: string): AliasedFolder[] {
  const documentRootLine = documentRootLineOf(host) ?? mainRootLine;
  const documentRoot =
    documentRootLine && resolvePath(serverRoot, argumentsOf(documentRootLine.expandedLine)[0]?.value ?? '');
  return host.lines.flatMap(({ line, expandedLine, activity }) => {
    const [url = '', path = ''] = argumentsOf(expandedLine).map(({ value }) => value);
    if (line.name !== 'alias' || activity !== 'active' || !url.startsWith('/') || /[%$]/.test(url + path)) return [];
    const folder = resolvePath(serverRoot, path);
    const servesSamePath = folder === url.replace(/(?<=.)\/$/, '') || (documentRoot && isWithin(folder, documentRoot));
    return folder === '/' || servesSamePath ? [] : [{ url, folder }];
  });
}

function documentRootLineOf({ lines }: Scope): ConfigLine | undefined {
  return lines.findLast(({ line }) => line.name === 'documentroot');
}

/** The `<Directory>` sections without a pattern that may have rewrite rules, and their folders. */
function sectionsWithRules({ configuration }: ConfigurationRuleInput): { scope: Scope; folder: string }[] {
  return scopesOf(configuration, 'directory')
    .filter(({ names }) => !names || names.hasName('rewriterule'))
    .filter(({ words, activity }) => activity === 'active' && words.length === 1 && !/[*?[$]/.test(words[0]!))
    .map((scope) => ({ scope, folder: resolvePath(configuration.serverRoot, scope.words[0]!) }));
}

/**
 * The .htaccess files that are in or below a directory, and in which AllowOverride permits rewrite
 * rules.
 */
function htaccessScopesBelow(folder: string, { configuration, view, target }: ConfigurationRuleInput): Scope[] {
  const areRulesAllowedIn = (place: string) =>
    overrideLines(configuration, place) !== null &&
    overrideWordsFor(configuration, place)?.some((word) => word === 'all' || word === 'fileinfo') === true;
  const localFolder = localPathOf(folder, configuration.pathMap);
  if (view.kind(localFolder) !== 'folder' || !areRulesAllowedIn(folder)) return [];
  return accessFilesBelow(localFolder, accessFileNames(configuration), view).flatMap((file) => {
    const serverFolder = serverPathOf(file.folder, configuration.pathMap);
    if (!areRulesAllowedIn(serverFolder)) return [];
    return readHtaccess({ root: file.path, view, folder: serverFolder, names: REWRITE_NAMES, target }) ?? [];
  });
}

/**
 * The finding for the rewrite rules of a section or .htaccess file. Null if RewriteEngine is off,
 * if RewriteBase or RewriteOptions is set, or if no rule has a relative target.
 */
function findingIn(scope: Scope, { url }: AliasedFolder): ConfigurationFinding | null {
  const rewriteLines = linesIn(scope, REWRITE_NAMES).filter(({ activity }) => activity !== 'inactive');
  const engineLine = rewriteLines.findLast(({ line }) => line.name === 'rewriteengine');
  const isEngineOn =
    engineLine?.activity === 'active' && /^on$/i.test(argumentsOf(engineLine.expandedLine)[0]?.value ?? '');
  if (!isEngineOn || rewriteLines.some(({ line }) => line.name === 'rewritebase' || line.name === 'rewriteoptions'))
    return null;
  const [first, ...others] = rewriteLines.filter(hasRelativeTarget);
  if (first === undefined) return null;
  const placesInFile = others.filter(({ file }) => file === first.file);
  return {
    file: first.file.path,
    messageId: 'works',
    ...contentSpan(first.line, first.offset),
    places: placesInFile.map(({ line, offset }) => contentSpan(line, offset)),
    what: `\`${spelledName(first.line)}\` without \`RewriteBase\`: 404 in 2.2, works in 2.4`,
    cause: `The directory is served by \`Alias ${url}\`. Since 2.4.13 the target becomes a URL below ${url}; 2.2 does not find it.`,
    help: 'Check whether clients may have the page. If not, remove the rule.',
    mayStay: true,
  };
}

/** Whether the target of a rule is a path below its directory. */
function hasRelativeTarget({ line, expandedLine, activity }: ConfigLine): boolean {
  const target = argumentsOf(expandedLine)[1]?.value ?? '';
  const isRelativePath = target !== '' && target !== '-' && !/^(?:[/%?]|\$\{|[a-z][\w+.-]*:)/i.test(target);
  return line.name === 'rewriterule' && activity === 'active' && isRelativePath;
}
