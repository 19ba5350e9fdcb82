import type { ConfigLine, Scope } from '../config/configuration';
import { isWithin } from '../config/files';
import { linesOf } from '../config/loaded-modules';
import { isNewForServer } from '../config/target';
import { indentOf, spelledName } from '../syntax/line';
import { directoryOf } from './support/directories';
import { argumentValues, contentSpan, joinedItems, lineEnd } from './support/edits';
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
  scope: 'configuration',
  names: ['authbasicauthoritative', 'authbasicprovider'],
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
  check({ configuration, target }) {
    if (!isNewForServer(0, target) || linesOf(configuration, 'authbasicauthoritative').length === 0) return [];
    const outers: Outer[] = [];
    const inners: { readonly scope: Scope; readonly at: ConfigLine }[] = [];
    const addScope = (scope: Scope): void => {
      const activeLines = scope.lines.filter(({ activity }) => activity !== 'inactive');
      const providers = activeLines.filter(({ line }) => line.name === 'authbasicprovider').at(-1);
      const at = activeLines.find(({ line }) => line.name === 'authbasicauthoritative');
      const names = providers ? argumentValues(providers.expandedLine) : [];
      if (names.some((name) => name.toLowerCase() !== 'file')) outers.push({ scope, at: providers!, names });
      if (at && !providers) inners.push({ scope, at });
      for (const child of scope.children) if (child.activity !== 'inactive') addScope(child);
    };
    addScope(configuration.rootScope);
    return inners.flatMap(({ scope, at }) => {
      const outer = outers.find((each) => mayInherit(scope, each.scope, configuration.serverRoot));
      return outer && at.macro === undefined ? [findingOf(at, outer)] : [];
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** A section that names providers other than `file`. */
interface Outer {
  readonly scope: Scope;
  readonly at: ConfigLine;
  readonly names: readonly string[];
}

/** Whether the server may merge `inner` after `outer` for one request. */
function mayInherit(inner: Scope, outer: Scope, serverRoot: string): boolean {
  if (inner === outer) return false;
  const [innerHost, outerHost] = [hostOf(inner), hostOf(outer)];
  if (outerHost !== null && innerHost !== outerHost) return false;
  if (rankOf(outer) > rankOf(inner)) return false;
  const [path, above] = [directoryOf(inner, serverRoot), directoryOf(outer, serverRoot)];
  return path === null || above === null || isWithin(path, above);
}

function hostOf(scope: Scope): Scope | null {
  if (scope.kind === 'virtualhost' || scope.parent === null) return scope.kind === 'virtualhost' ? scope : null;
  return hostOf(scope.parent);
}

/**
 * The rank of a section in the order in which the server merges sections: directories, files,
 * locations, conditions. -1 outside of these sections.
 */
function rankOf({ kind }: Scope): number {
  return ['directory', 'files', 'location', 'if'].findIndex((each) => kind.startsWith(each));
}

function findingOf({ line, file, offset }: ConfigLine, outer: Outer): ConfigurationFinding {
  const directiveName = spelledName(line);
  const { tree, path } = outer.at.file;
  const providers = joinedItems(outer.names.map((each) => `\`${each}\``));
  return {
    file: file.path,
    messageId: 'inherited',
    consequence: outer.names.some((each) => each.toLowerCase() === 'anon') ? 'access opens' : 'meaning changed',
    ...contentSpan(line, offset),
    what: `\`${directiveName}\`: the login of this section uses other providers in 2.4`,
    cause: `A section with this line and without \`AuthBasicProvider\` uses the password file in 2.2. In 2.4 it inherits ${providers}.`,
    help: 'Add `AuthBasicProvider file`.',
    related: [
      {
        file: path,
        line: outer.at.line,
        row: tree.positionAt(outer.at.offset).line,
        rowsAbove: 0,
        message: 'the providers that 2.4 inherits',
      },
    ],
    fixes: [
      {
        title: 'Add AuthBasicProvider file',
        safety: 'suggestion',
        assumes: 'mod_authn_file is loaded',
        edits: [{ start: offset, end: offset, text: `${indentOf(line)}AuthBasicProvider file${lineEnd(line)}` }],
      },
    ],
  };
}
