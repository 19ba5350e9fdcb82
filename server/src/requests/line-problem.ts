/**
 * Finds access lines that a server refuses: in a .htaccess file it answers 500, elsewhere it does
 * not start.
 */
import type { ConfigLine } from '../config/configuration';
import { PROVIDERS, parseRequire } from '../access/require';
import { readAccessLine } from '../access/read';
import { argumentsOf, lexLines, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';

/**
 * Why a version refuses an access line, as a clause. Null if it accepts the line.
 * `correctsProviders`: see OpenFacts.
 */
export function lineProblem(
  { expandedLine }: ConfigLine,
  version: '2.2' | '2.4',
  correctsProviders: boolean,
): string | null {
  const problems = problemsByLine.get(expandedLine) ?? new Map<string, string | null>();
  problemsByLine.set(expandedLine, problems);
  const key = `${version} ${correctsProviders}`;
  if (!problems.has(key)) problems.set(key, computedProblem(expandedLine, version, correctsProviders));
  return problems.get(key) ?? null;
}

/** Cached, because each request needs the problems of the same lines. */
const problemsByLine = cacheOf<Line, Map<string, string | null>>();

/** Computes the problem for `lineProblem`. */
function computedProblem(line: Line, version: '2.2' | '2.4', correctsProviders: boolean): string | null {
  const accessLine = readAccessLine(line);
  switch (accessLine?.name) {
    case 'order':
      return accessLine.order === null ? '`Order` has a bad argument' : null;
    case 'satisfy':
      return accessLine.satisfy === null ? '`Satisfy` has a bad argument' : null;
    case 'allow':
    case 'deny': {
      if (accessLine.isBroken) return `\`${line.name === 'allow' ? 'Allow' : 'Deny'}\` has a bad argument`;
      const hasComment = argumentsOf(line)
        .slice(1)
        .some(({ value }) => value.includes('#'));
      return version === '2.4' && hasComment ? 'httpd 2.4 accepts no comment there' : null;
    }
    case 'require':
      return version === '2.2' ? null : requireProblem(correctsProviders ? withLowerCaseProvider(line) : line);
    default:
      return null;
  }
}

/**
 * Returns a Require line with its provider in lower case, because 2.4 knows no other spelling.
 * Returns other lines unchanged.
 */
export function withLowerCaseProvider(line: Line): Line {
  const { provider } = parseRequire(line);
  const lowerCaseName = provider?.value.toLowerCase() ?? '';
  if (!provider || provider.value === lowerCaseName || !PROVIDERS.has(lowerCaseName)) return line;
  return lexLines(line.text.replace(provider.value, lowerCaseName))[0] ?? line;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Why 2.4 refuses a Require line, as a clause. Null if 2.4 accepts the line. */
function requireProblem(line: Line): string | null {
  const { provider, operands } = parseRequire(line);
  const providerName = provider?.value ?? '';
  if (!PROVIDERS.has(providerName) && !providerName.includes('${'))
    return isThirdPartyProvider(providerName) ? null : `\`Require ${providerName}\` is no provider of httpd 2.4`;
  if (providerName === 'all' && !/^(granted|denied)$/i.test(operands.map(({ value }) => value).join(' ')))
    return '`Require all` takes `granted` or `denied`';
  return null;
}

/** Whether a provider belongs to no module of httpd, such as `shib-session`. */
function isThirdPartyProvider(name: string): boolean {
  return /^[a-z]\w*[-:]\w/.test(name) && !PROVIDERS.has(name.toLowerCase());
}
