import type { Configuration, ConfigLine, Scope } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { forEachScope, linesOf } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { findingWithoutRequire, isAuthType } from './authtype-without-require';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Finds `AuthType` in a `<Location>` whose requests go to a backend and get no Require line from
 * any section. mod_proxy answers these requests, so sections about directories and files do not
 * apply. Reports nothing if a section may apply whose path the rule cannot compare.
 */
export const authtypeInProxiedLocation: ConfigurationRule = {
  id: 'authtype-in-proxied-location',
  title: 'AuthType without Require in a <Location> of a backend, which causes 500',
  consequence: 'requests get 500',
  fix: 'suggestion',
  checks: 'configuration',
  names: [
    'authtype',
    'require',
    'order',
    'allow',
    'deny',
    'satisfy',
    'proxypass',
    'proxypassmatch',
    'rewriterule',
    'allowoverride',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authn_core.html#authtype',
  examples: [
    {
      title: 'A Location of a backend',
      before:
        '<Directory />\n    Require all denied\n</Directory>\nProxyPass /app http://192.0.2.1:8080/app\n<Location /app>\n    AuthType Basic\n    AuthName "members"\n    AuthUserFile conf/users\n</Location>\n',
      after:
        '<Directory />\n    Require all denied\n</Directory>\nProxyPass /app http://192.0.2.1:8080/app\n<Location /app>\n    AuthType Basic\n    Require all granted\n    AuthName "members"\n    AuthUserFile conf/users\n</Location>\n',
      finds: ['no-require'],
    },
    {
      title: 'Not reported: a Require line applies to all requests to backends',
      before:
        '<Proxy *>\n    Require all granted\n</Proxy>\nProxyPass /app http://192.0.2.1:8080/app\n<Location /app>\n    AuthType Basic\n    AuthName "members"\n    AuthUserFile conf/users\n</Location>\n',
      finds: [],
    },
  ],
  check({ configuration }) {
    const namesUsed = namesInUse(configuration);
    const lacksNeededNames =
      !namesUsed.hasName('authtype') || !namesUsed.hasName('proxypass') || !namesUsed.hasSection('location');
    if (lacksNeededNames || configuration.gaps.length > 0 || isForSectionRule(configuration)) return [];
    const locations: Scope[] = [];
    const authScopes: Scope[] = [];
    forEachScope(
      configuration.rootScope,
      (sectionNames) => AUTH_NAMES.some((name) => sectionNames.hasName(name)),
      (scope) => {
        const isOfDirectory = isInDirectory(scope);
        if (isOfDirectory || !scope.lines.some(({ line }) => AUTH_NAMES.includes(line.name))) return;
        authScopes.push(scope);
        if (scope.kind === 'location') locations.push(scope);
      },
    );
    return locations.flatMap((location) => {
      const authTypeLine = onlyAuthTypeLine(location);
      if (authTypeLine === null || !isProxied(location)) return [];
      if (authScopes.some((scope) => scope !== location && mayApply(scope, location))) return [];
      return [
        {
          ...findingWithoutRequire(authTypeLine.line, authTypeLine.offset, false),
          file: authTypeLine.file.path,
          cause:
            'These requests go to a backend, so no `<Directory>` applies, and no other section has a `Require` line for them. ' +
            'Without `Require`, httpd 2.2 asked nobody for a password. httpd 2.4 answers 500 (AH01627).',
        } satisfies ConfigurationFinding,
      ];
    });
  },
};

/** Directives that decide access or ask for a login, in lower case. */
const AUTH_NAMES: readonly string[] = ['authtype', 'require', 'order', 'allow', 'deny', 'satisfy'];

/**
 * Whether the rule authtype-without-require reports the lines. It does so for a configuration of
 * one file that has no Require line and allows no .htaccess files.
 */
function isForSectionRule(configuration: Configuration): boolean {
  const allowsHtaccess = linesOf(configuration, 'allowoverride').some(
    ({ line }) => !/^none$/i.test(argumentsOf(line)[0]?.value ?? ''),
  );
  return configuration.files.size === 1 && !namesInUse(configuration).hasName('require') && !allowsHtaccess;
}

/** Whether the scope is the section or the .htaccess file of a directory, or is in one. */
function isInDirectory(scope: Scope): boolean {
  return /^directory|^htaccess$/.test(scope.kind) || (scope.parent !== null && isInDirectory(scope.parent));
}

/**
 * The AuthType line of a `<Location>` if it is the only access line there. Null if there are
 * others, or if it is unclear whether the section applies as it is written.
 */
function onlyAuthTypeLine(location: Scope): ConfigLine | null {
  if (pathOf(location) === null || serverOf(location) === null || !isCertainlyRead(location)) return null;
  if (location.children.length > 0) return null;
  const authLines = location.lines.filter(({ line }) => AUTH_NAMES.includes(line.name));
  const [authTypeLine, ...more] = authLines;
  if (authTypeLine === undefined || more.length > 0 || !isAuthType(authTypeLine.line)) return null;
  return isReadAsWritten(authTypeLine) ? authTypeLine : null;
}

/**
 * Whether 2.4 certainly sends a request below the section's path to a backend. False if some line
 * may prevent it.
 */
function isProxied(location: Scope): boolean {
  const server = serverOf(location)!;
  if (server.lines.some(({ line }) => line.name === 'proxypassmatch' || line.name === 'rewriterule')) return false;
  const requestPath = examplePathBelow(location);
  const otherScopes = server.children.filter((scope) => scope !== location && mayMatch(scope, requestPath));
  if (otherScopes.some((scope) => scope.lines.some(({ line }) => line.name === 'proxypass'))) return false;
  // In 2.4 a ProxyPass line in the section applies before those outside of sections.
  const passesInLocation = location.lines.filter(({ line }) => line.name === 'proxypass');
  if (passesInLocation.length > 0)
    return (
      passesInLocation.length === 1 && isReadAsWritten(passesInLocation[0]!) && hasBackend(passesInLocation[0]!, 0)
    );
  for (const passLine of server.lines.filter(({ line }) => line.name === 'proxypass')) {
    const proxiedPath = argumentsOf(passLine.expandedLine)[0]?.value;
    if (
      !isReadAsWritten(passLine) ||
      proxiedPath === undefined ||
      !proxiedPath.startsWith('/') ||
      proxiedPath.includes('${')
    )
      return false;
    if (isPathBelow(requestPath, proxiedPath)) return hasBackend(passLine, 1);
  }
  return false;
}

/** Whether the argument at `urlIndex` of a ProxyPass line is the URL of a backend. */
function hasBackend(passLine: ConfigLine, urlIndex: number): boolean {
  const url = argumentsOf(passLine.expandedLine)[urlIndex]?.value ?? '';
  return /^[a-z][a-z0-9+.-]*:\/\/[^$]/i.test(url);
}

/** Whether the lines of a section may apply to requests for the `<Location>`. */
function mayApply(scope: Scope, location: Scope): boolean {
  const server = serverOf(scope);
  if (server !== null && server.parent !== null && server !== serverOf(location)) return false;
  return mayMatch(scope, examplePathBelow(location));
}

/** The path of an example request to which the section applies. */
function examplePathBelow(location: Scope): string {
  return `${pathOf(location)!.replace(/\/$/, '')}/x`;
}

/**
 * Whether the section may apply to a URL path. Only the path of a `<Location>` can exclude that.
 */
function mayMatch(scope: Scope, requestPath: string): boolean {
  const locationPath = scope.kind === 'location' ? pathOf(scope) : null;
  return locationPath === null || isPathBelow(requestPath, locationPath);
}

/** The URL path of a `<Location>`; null for a pattern or a variable. */
function pathOf({ words }: Scope): string | null {
  const [path, ...more] = words;
  return path?.startsWith('/') === true && more.length === 0 && !/[*?[\]]|\$\{/.test(path) ? path : null;
}

/** The server or virtual host directly around the section; null if another section is around it. */
function serverOf({ parent }: Scope): Scope | null {
  return parent !== null && (parent.parent === null || parent.kind === 'virtualhost') ? parent : null;
}

/** Whether both versions certainly read the section and all sections around it. */
function isCertainlyRead(scope: Scope): boolean {
  return (
    scope.activity === 'active' &&
    scope.activityByVersion === undefined &&
    (scope.parent === null || isCertainlyRead(scope.parent))
  );
}

/** Whether httpd reads the line in both versions, for all methods, and as it is written. */
function isReadAsWritten({ activity, activityByVersion, enclosingSections, macro }: ConfigLine): boolean {
  return (
    activity === 'active' && activityByVersion === undefined && enclosingSections.length === 0 && macro === undefined
  );
}

/** Whether the path of a request is `path` or below it. */
function isPathBelow(requestPath: string, path: string): boolean {
  const pathWithoutSlash = path.replace(/\/$/, '');
  return requestPath === pathWithoutSlash || requestPath.startsWith(`${pathWithoutSlash}/`);
}
