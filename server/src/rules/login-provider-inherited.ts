import { discoverHtaccess } from '../access/htaccess-files';
import { linesIn, readHtaccess, type ConfigLine, type Scope } from '../config/configuration';
import { parentFolders } from '../config/files';
import { namesIn } from '../config/name-set';
import { isNewForServer } from '../config/target';
import { indentOf, spelledName } from '../syntax/line';
import { directoryOf } from './support/directories';
import { argumentValues, contentSpan, joinedItems, lineEnd } from './support/edits';
import { acceptsAuthLines, DIRECTIVES_ENABLING_HTACCESS } from './support/htaccess-effect';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Finds sections whose login uses other providers in 2.4. mod_auth_basic of 2.2 does not merge
 * sections: with `AuthBasicAuthoritative` alone, a section uses the provider `file`. In 2.4 it
 * inherits the providers of an outer section.
 */
export const loginProviderInherited: ConfigurationRule = {
  id: 'login-provider-inherited',
  title: 'A login that inherits its providers only in 2.4',
  consequence: 'access opens',
  comparesVersions: true,
  fix: 'suggestion',
  checks: 'configuration',
  names: ['authbasicauthoritative', 'authbasicprovider'],
  needsName: (name) => DIRECTIVES_ENABLING_HTACCESS.has(name),
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_auth_basic.html#authbasicprovider',
  examples: [
    {
      title: 'Staff inside of a directory for guests',
      before:
        '<Directory /srv/www>\n    AuthBasicProvider anon\n</Directory>\n<Directory /srv/www/staff>\n    AuthBasicAuthoritative On\n</Directory>\n',
      after:
        '<Directory /srv/www>\n    AuthBasicProvider anon\n</Directory>\n<Directory /srv/www/staff>\n    AuthBasicProvider file\n    AuthBasicAuthoritative On\n</Directory>\n',
      finds: ['inherited'],
    },
    {
      title: 'Not reported: the section names its provider',
      before:
        '<Directory /srv/www>\n    AuthBasicProvider anon\n</Directory>\n<Directory /srv/www/staff>\n    AuthBasicAuthoritative On\n    AuthBasicProvider file\n</Directory>\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { configuration, view, target } = ruleInput;
    if (!isNewForServer(0, target)) return [];
    const htaccessFiles = discoverHtaccess(configuration, view).files;
    const hasProviderLine = [...configuration.files.values(), ...htaccessFiles.map(({ scope }) => scope.file)].some(
      ({ tree }) => namesIn(tree.root).hasName(PROVIDER_DIRECTIVE),
    );
    if (!hasProviderLine) return [];
    const configurationForBoth = ruleInput.readForBothVersions(AUTH_BASIC_NAMES);
    const sections = loginSections(configurationForBoth.rootScope, configurationForBoth.serverRoot);
    for (const each of htaccessFiles) {
      const { file, folder } = each.scope;
      const isReadByAllHosts = each.readingHosts === 'all' && acceptsAuthLines(each, configuration);
      const scope = isReadByAllHosts
        ? readHtaccess({ ...configurationForBoth, root: file.path, folder: folder!, view, target })
        : null;
      if (scope) sections.push(...loginSections(scope, configurationForBoth.serverRoot));
    }
    sections.sort(byOrderOfMerging);
    const findingByPlace = new Map<string, ConfigurationFinding>();
    const outerSections = new LastOuterSections();
    for (const each of sections) {
      const { scope, fileProviderLine22, providerLine24 } = each;
      const key = fileProviderLine22 && `${fileProviderLine22.file.path}:${fileProviderLine22.offset}`;
      if (providerLine24 !== null) outerSections.add(each);
      else if (key !== null && scope.activityByVersion === undefined && !findingByPlace.has(key)) {
        const outerSection = outerSections.lastOuterSectionOf(each);
        if (outerSection?.isKnown && providerNamesOf(outerSection).some(isOtherProvider))
          findingByPlace.set(key, findingOf(fileProviderLine22!, outerSection));
      }
    }
    return [...findingByPlace.values()];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

const PROVIDER_DIRECTIVE = 'authbasicprovider';
/** The directives of mod_auth_basic of 2.2. */
const AUTH_BASIC_NAMES: ReadonlySet<string> = new Set([PROVIDER_DIRECTIVE, 'authbasicauthoritative']);

/** A section that has lines of mod_auth_basic. */
interface LoginSection {
  readonly scope: Scope;
  /** The directory of the section; null if the section may apply in several. */
  readonly path: string | null;
  /** Whether it is known which version reads each line. */
  readonly isKnown: boolean;
  /** A line because of which 2.2 asks the password file alone. Null if there is none. */
  readonly fileProviderLine22: ConfigLine | null;
  /** The line with the providers of the section in 2.4. Null if there is none. */
  readonly providerLine24: ConfigLine | null;
}

/** The sections with lines of mod_auth_basic in a scope. */
function loginSections(scope: Scope, serverRoot: string): LoginSection[] {
  if (scope.activity === 'inactive') return [];
  const lines = linesIn(scope, AUTH_BASIC_NAMES).filter(({ activity }) => activity !== 'inactive');
  const isKnown = lines.every(
    ({ activityByVersion }) => activityByVersion?.in22 !== 'unknown' && activityByVersion?.in24 !== 'unknown',
  );
  const lines22 = lines.filter(({ activityByVersion }) => activityByVersion?.in22 !== 'inactive');
  const lines24 = lines.filter(({ activityByVersion }) => activityByVersion?.in24 !== 'inactive');
  const isProvider = ({ line }: ConfigLine) => line.name === PROVIDER_DIRECTIVE;
  const asksOtherProviders = lines22.some(
    (each) => isProvider(each) && argumentValues(each.expandedLine).some(isOtherProvider),
  );
  const section: LoginSection = {
    scope,
    path: scope.folder ?? directoryOf(scope, serverRoot),
    isKnown,
    fileProviderLine22: asksOtherProviders || !isKnown ? null : (lines22[0] ?? null),
    providerLine24: lines24.findLast(isProvider) ?? null,
  };
  return [
    ...(lines.length > 0 ? [section] : []),
    ...scope.children.flatMap((child) => loginSections(child, serverRoot)),
  ];
}

/** The providers that a section with `providerLine24` names. */
function providerNamesOf({ providerLine24 }: LoginSection): readonly string[] {
  return argumentValues(providerLine24!.expandedLine);
}

/** Whether a provider is not the one that 2.2 uses without `AuthBasicProvider`. */
function isOtherProvider(provider: string): boolean {
  return provider.toLowerCase() !== 'file';
}

/**
 * Finds the outer section whose provider an inner section inherits. Sections with providers are
 * added in the order in which the server merges them.
 */
class LastOuterSections {
  private readonly lastSectionsByHost = new Map<Scope | null, Map<string, LoginSection & { readonly order: number }>>();
  private addedCount = 0;

  add(section: LoginSection): void {
    const host = hostOf(section.scope);
    const lastByPath =
      this.lastSectionsByHost.get(host) ?? new Map<string, LoginSection & { readonly order: number }>();
    this.lastSectionsByHost.set(host, lastByPath);
    const sectionWithOrder = { ...section, order: this.addedCount++ };
    lastByPath.set(section.path ?? ANY_DIRECTORY_KEY, sectionWithOrder).set(ALL_SECTIONS_KEY, sectionWithOrder);
  }

  /** The last section that the server may merge before the inner section. Null if there is none. */
  lastOuterSectionOf({ scope, path }: LoginSection): LoginSection | null {
    const keys = path === null ? [ALL_SECTIONS_KEY] : [ANY_DIRECTORY_KEY, ...parentFolders(path), path];
    const lastSections = [...new Set([null, hostOf(scope)])].flatMap((host) =>
      keys.flatMap((key) => this.lastSectionsByHost.get(host)?.get(key) ?? []),
    );
    return lastSections.sort((a, b) => a.order - b.order).at(-1) ?? null;
  }
}

/**
 * Keys of `LastOuterSections` that are no paths: for sections that may apply in any directory, and
 * for all sections.
 */
const ANY_DIRECTORY_KEY = '*';
const ALL_SECTIONS_KEY = '';

/** The virtual host of a section; null for the main server. */
function hostOf(scope: Scope): Scope | null {
  if (scope.kind === 'virtualhost' || scope.parent === null) return scope.kind === 'virtualhost' ? scope : null;
  return hostOf(scope.parent);
}

/**
 * Compares two sections by the order in which the server merges them. If it is equal, the order of
 * the lines counts.
 */
function byOrderOfMerging(a: LoginSection, b: LoginSection): number {
  return rankOf(a.scope) - rankOf(b.scope) || (a.path?.length ?? 0) - (b.path?.length ?? 0);
}

/**
 * The rank of a section in the order in which the server merges sections: directories, files,
 * locations, conditions. -1 outside of these sections.
 */
function rankOf({ kind }: Scope): number {
  return kind === 'htaccess' ? 0 : ['directory', 'files', 'location', 'if'].findIndex((each) => kind.startsWith(each));
}

function findingOf(innerLine: ConfigLine, outerSection: LoginSection): ConfigurationFinding {
  const { file, offset, activityByVersion, conditionals } = innerLine;
  // A line of a macro has other words where the macro is used.
  const { line } = file.tree.lineAt(offset)!;
  const outerLine = outerSection.providerLine24!;
  const names = providerNamesOf(outerSection);
  const isConditional = activityByVersion !== undefined || conditionals.length > 0;
  return {
    file: file.path,
    messageId: 'inherited',
    consequence: names.some((each) => each.toLowerCase() === 'anon') ? 'access opens' : 'meaning changed',
    ...contentSpan(line, offset),
    what: `\`${spelledName(line)}\`: the login of this section uses other providers in 2.4`,
    cause: `This section asks the password file in 2.2. In 2.4 it has no \`AuthBasicProvider\`, and inherits ${joinedItems(names.map((each) => `\`${each}\``))}.`,
    help: isConditional
      ? 'Add `AuthBasicProvider file` to the section, outside of the condition.'
      : 'Add `AuthBasicProvider file`.',
    related: [
      {
        file: outerLine.file.path,
        line: outerLine.line,
        row: outerLine.file.tree.positionAt(outerLine.offset).line,
        rowOffset: 0,
        message: 'the providers that 2.4 inherits',
      },
    ],
    fixes: isConditional
      ? []
      : [
          {
            title: 'Add AuthBasicProvider file',
            safety: 'suggestion',
            assumes: 'mod_authn_file is loaded',
            edits: [{ start: offset, end: offset, text: `${indentOf(line)}AuthBasicProvider file${lineEnd(line)}` }],
          },
        ],
  };
}
