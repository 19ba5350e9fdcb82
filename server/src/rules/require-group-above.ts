import { namesInUse } from '../config/lines-by-name';
import type { ConfigLine, Scope } from '../config/configuration';
import { parseRequire } from '../access/require';
import { thirdPartyModules } from '../directives/third-party';
import { Directories, directoryOf, isCertainAndPlain } from './support/directories';
import { groupFinding, GROUP_DECIDING_NAMES, decidesGroups } from './require-group-module';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Other directives of the modules to which GROUP_DECIDING_NAMES belong. mod_authnz_external 3.3 and
 * mod_authz_unixgroup 1.1 have no function that merges sections. So with one of their directives in
 * a directory, the module's lines of the directories above do not apply there. The rule assumes
 * this for the other modules, too: then it reports nothing.
 */
const OTHER_NAMES_OF_GROUP_MODULES = [
  'authexternal',
  'authexternalprovidecache',
  'authexternalcontext',
  'authexternalauthoritative',
  'authexternalgroupsatonce',
  'groupexternalauthoritative',
  'groupexternalmanyatonce',
  'authzunixgroupauthoritative',
  'wsgiauthuserscript',
  'sspidomain',
];
/** Other directives that decide `Require group`, or that may insert such lines. */
const GROUP_NAMES = [
  'authgroupfile',
  'authdbmgroupfile',
  'authzgroupfileauthoritative',
  'include',
  'includeoptional',
  'use',
];

/** Finds `Require group` lines whose module is configured in the section of a directory above. */
export const requireGroupAbove: ConfigurationRule = {
  id: 'require-group-above',
  title: '"Require group" below a directory whose groups belong to another module',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'configuration',
  names: [...GROUP_DECIDING_NAMES, ...OTHER_NAMES_OF_GROUP_MODULES, ...GROUP_NAMES, 'require'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#access',
  examples: [
    {
      title: 'The groups of an external program, set in the directory above',
      before:
        '<Directory /srv>\n    GroupExternal unixgroup\n</Directory>\n<Directory /srv/www>\n    Require group staff\n</Directory>\n',
      after:
        '<Directory /srv>\n    GroupExternal unixgroup\n</Directory>\n<Directory /srv/www>\n    Require external-group staff\n</Directory>\n',
      finds: ['group'],
    },
    {
      title: 'Not reported: the directory has a group file',
      before:
        '<Directory /srv>\n    GroupExternal unixgroup\n</Directory>\n<Directory /srv/www>\n    AuthGroupFile /etc/groups\n    Require group staff\n</Directory>\n',
      finds: [],
    },
  ],
  check({ configuration }) {
    const { rootScope, serverRoot } = configuration;
    const usedNames = namesInUse(configuration);
    if (![...GROUP_DECIDING_NAMES].some((name) => usedNames.lines(name).length > 0)) return [];
    const findingsByLine = new Map<ConfigLine['line'], ConfigurationFinding>();
    const placesOf = (scopes: readonly Scope[]) =>
      scopes.flatMap((scope): DirectoryPlace[] => {
        const path = directoryOf(scope, serverRoot);
        return path === null ? [] : [{ scope, path }];
      });
    const mainPlaces = placesOf(rootScope.children);
    const placesOfHosts = rootScope.children
      .filter(({ kind }) => kind === 'virtualhost')
      .map(({ children }) => placesOf(children));
    // The empty list stands for the main server and for hosts without sections of their own.
    for (const hostPlaces of [[], ...placesOfHosts.filter(({ length }) => length > 0)]) {
      const directories = new Directories([...mainPlaces, ...hostPlaces]);
      for (const place of directories.placesInOrder)
        for (const finding of findingsOfPlace(place, directories))
          if (!findingsByLine.has(finding.requireLine)) findingsByLine.set(finding.requireLine, finding);
    }
    return [...findingsByLine.values()];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** A `<Directory>` section and its path. */
interface DirectoryPlace {
  readonly scope: Scope;
  readonly path: string;
}

/**
 * The findings for the `Require group` lines in the section of a directory. `requireLine`: the
 * `Require group` line of the finding.
 */
function findingsOfPlace(
  { scope, path }: DirectoryPlace,
  directories: Directories<DirectoryPlace>,
): readonly (ConfigurationFinding & { readonly requireLine: ConfigLine['line'] })[] {
  const isRequireGroup = ({ line }: ConfigLine) =>
    line.name === 'require' && parseRequire(line).provider?.value.toLowerCase() === 'group';
  if (!scope.lines.some(isRequireGroup) || !isCertainAndPlain(scope, isAboutGroups) || hasLineOfGroupModule(scope))
    return [];
  const placesAbove = directories.placesAround(path).filter((other) => other.path !== path);
  const placeWithModule = placesAbove.findLast((other) => hasLineOfGroupModule(other.scope));
  if (!placeWithModule || !placesAbove.every((other) => isCertainAndPlain(other.scope, isAboutGroups))) return [];
  const groupDirective = placeWithModule.scope.lines.find(({ line }) => decidesGroups(line));
  // If the directory had a second section, httpd would merge both, so the rule reports nothing in
  // that case.
  const isOnlySection = directories.placesAround(path).filter((other) => other.path === path).length === 1;
  if (!groupDirective || !isOnlySection) return [];
  const linesOfDirectoryAndParents = [...placesAbove.flatMap((other) => other.scope.lines), ...scope.lines];
  const groupDirectiveRow = groupDirective.file.tree.positionAt(groupDirective.offset).line;
  return scope.lines.filter(isRequireGroup).flatMap(({ line, offset, file }) => {
    const placeText = `in the section for ${placeWithModule.path} (${groupDirective.file.path}:${groupDirectiveRow + 1})`;
    const finding = groupFinding({
      line,
      offset,
      groupDirective: groupDirective.line,
      members: linesOfDirectoryAndParents,
      placeAbove: placeText,
    });
    return finding ? [{ ...finding, file: file.path, requireLine: line }] : [];
  });
}

/** Whether the section has directives of a third-party module that decides `Require group`. */
function hasLineOfGroupModule({ lines }: Scope): boolean {
  return lines.some(
    ({ line }) =>
      GROUP_DECIDING_NAMES.has(line.name) ||
      OTHER_NAMES_OF_GROUP_MODULES.includes(line.name) ||
      isOfModuleWithGroups(line.name),
  );
}

/** Whether a third-party module with a provider for groups has the directive. */
function isOfModuleWithGroups(name: string): boolean {
  return thirdPartyModules(name, false).some(({ groupWord }) => groupWord !== undefined);
}

/** Whether the rule reads lines of this name. */
function isAboutGroups({ line }: ConfigLine): boolean {
  return (requireGroupAbove.names as readonly string[]).includes(line.name);
}
