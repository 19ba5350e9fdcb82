import { isNewForServer } from '../config/target';
import type { Configuration, ConfigLine, Scope } from '../config/configuration';
import { forEachScope } from '../config/loaded-modules';
import { namesInUse } from '../config/lines-by-name';
import { addTo } from '../syntax/groups';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const proxyPassOrder: ConfigurationRule = {
  id: 'proxy-pass-order',
  title: 'ProxyPass in <Location>, where another line decides in 2.4',
  consequence: 'meaning changed',
  fix: 'none',
  checks: 'configuration',
  names: ['proxypass'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_proxy.html#proxypass',
  examples: [
    {
      title: 'A shorter path first',
      before:
        '<Location "/app">\n    ProxyPass http://127.0.0.1:8080/app\n</Location>\n<Location "/app/static">\n    ProxyPass !\n</Location>\n',
      finds: ['not-proxied'],
    },
    {
      title: 'Not reported: one line for each URL',
      before:
        '<Location "/app">\n    ProxyPass http://127.0.0.1:8080/app\n</Location>\n<Location "/shop">\n    ProxyPass http://127.0.0.1:8081/shop\n</Location>\n',
      finds: [],
    },
  ],
  check({ configuration, target }) {
    if (!isNewForServer(0, target)) return [];
    const findings: ConfigurationFinding[] = [];
    for (const passes of passesOfServers(configuration)) {
      if (passes.length < 2 || passes.length > MAX_PROXY_PASS_LINES || !passes.some(({ isInLocation }) => isInLocation))
        continue;
      const reportedPasses = new Set<ProxyPassLine>();
      for (const { path } of passes) {
        const request = `${path.replace(/\/$/, '')}/x`;
        const matchingPasses = passes.filter((pass) => matchesUrl(pass, request));
        const usedBy22 = matchingPasses[0]!;
        const usedBy24 = matchingPasses.findLast(({ isInLocation }) => isInLocation) ?? usedBy22;
        if (
          usedBy22 === usedBy24 ||
          reportedPasses.has(usedBy24) ||
          backendOf(usedBy22, request) === backendOf(usedBy24, request)
        )
          continue;
        reportedPasses.add(usedBy24);
        const otherPasses = matchingPasses.filter((pass) => pass !== usedBy24);
        const usedBy24WithoutLine = otherPasses.findLast(({ isInLocation }) => isInLocation) ?? usedBy22;
        const isUnused =
          matchesAllOf(usedBy24, usedBy22) && backendOf(usedBy24WithoutLine, request) === backendOf(usedBy22, request);
        findings.push(findingOf(usedBy24, usedBy22, request, isUnused));
      }
    }
    return findings;
  },
};

/**
 * Maximum number of ProxyPass lines of a server. The rule does not check servers with more lines.
 */
const MAX_PROXY_PASS_LINES = 200;

/** A ProxyPass line with a known path and backend. */
interface ProxyPassLine {
  readonly configLine: ConfigLine;
  /** The URL path for which the line counts. */
  readonly path: string;
  /** The URL of the backend; `!` if the line excludes the path. */
  readonly backend: string;
  readonly isInLocation: boolean;
  /**
   * The position of the section that contains the line, or of the line itself if no section does.
   */
  readonly position: number;
}

/** The ProxyPass lines of each server in order. Leaves out servers with lines in several files. */
function passesOfServers(configuration: Configuration): ProxyPassLine[][] {
  if (!namesInUse(configuration).hasName('proxypass') || !namesInUse(configuration).hasSection('location')) return [];
  const passesByServer = new Map<Scope, ProxyPassLine[]>();
  forEachScope(
    configuration.rootScope,
    (names) => names.hasName('proxypass'),
    (scope) => {
      const isInLocation = scope.kind === 'location';
      const server = isInLocation ? scope.parent : scope;
      if (server === null || (server.parent !== null && server.kind !== 'virtualhost')) return;
      for (const passLine of scope.lines) {
        const pass = passLine.line.name === 'proxypass' ? passOf(passLine, scope, isInLocation) : null;
        if (pass !== null) addTo(passesByServer, server, pass);
      }
    },
  );
  return [...passesByServer.values()]
    .filter((passes) => new Set(passes.map(({ configLine }) => configLine.file)).size === 1)
    .map((passes) => passes.sort((a, b) => a.position - b.position));
}

/** Reads a ProxyPass line. Null if it is not certainly active, or has no clear path or backend. */
function passOf(configLine: ConfigLine, scope: Scope, isInLocation: boolean): ProxyPassLine | null {
  const argumentTexts = argumentsOf(configLine.expandedLine).map(({ value }) => value);
  const [path, backend] =
    isInLocation && !argumentTexts[0]?.startsWith('/') ? [scope.words[0], argumentTexts[0]] : argumentTexts;
  if (
    configLine.activity !== 'active' ||
    scope.activity !== 'active' ||
    !path?.startsWith('/') ||
    backend === undefined
  )
    return null;
  if (/[*?[\]]|\$\{/.test(path) || backend.includes('${') || scope.words[0] === '~') return null;
  return { configLine, path, backend, isInLocation, position: isInLocation ? scope.offset : configLine.offset };
}

/**
 * Whether the line matches a URL path. It compares whole components, as alias_match in mod_proxy.c
 * does. `<Location>` sections of 2.4 compare in the same way.
 */
function matchesUrl({ path }: ProxyPassLine, requestPath: string): boolean {
  const pathWithoutSlash = path.replace(/\/$/, '');
  return requestPath === pathWithoutSlash || requestPath.startsWith(`${pathWithoutSlash}/`);
}

/** The URL to which the line sends a request; `!` if it excludes the request. */
function backendOf({ path, backend }: ProxyPassLine, requestPath: string): string {
  return backend === '!' ? '!' : backend + requestPath.slice(path.length);
}

/** Whether the second line matches each request that the first one matches. */
function matchesAllOf({ path }: ProxyPassLine, otherLine: ProxyPassLine): boolean {
  return matchesUrl(otherLine, path.replace(/\/$/, ''));
}

/**
 * The finding at the line that 2.4 uses. `isUnused`: 2.2 never uses this line, so without it 2.4
 * does the same as 2.2.
 */
function findingOf(
  usedBy24: ProxyPassLine,
  usedBy22: ProxyPassLine,
  request: string,
  isUnused: boolean,
): ConfigurationFinding {
  const directiveName = spelledName(usedBy24.configLine.line);
  const isExcluding = usedBy24.backend === '!';
  return {
    file: usedBy24.configLine.file.path,
    messageId: isExcluding ? 'not-proxied' : 'other-backend',
    ...contentSpan(usedBy24.configLine.line, usedBy24.configLine.offset),
    what: isExcluding
      ? `\`${directiveName} !\`: 2.4 no longer sends these URLs to the backend`
      : `\`${directiveName}\`: 2.4 sends these URLs to another backend than 2.2`,
    cause: `For ${request}, 2.2 uses \`${directiveName} ${usedBy22.backend}\`, which comes first. In 2.4 the last \`<Location>\` that matches decides${isExcluding ? ', and httpd serves a local file' : ''}.`,
    help: isUnused
      ? `To keep what 2.2 does, remove this line. ${isExcluding ? 'If httpd itself should serve these URLs' : 'If this backend should answer'}, change nothing.`
      : 'To keep what 2.2 does, write the `ProxyPass` lines outside of sections, with their paths, in the same order.',
  };
}
