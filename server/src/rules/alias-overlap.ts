import { linesIn, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { contentSpan, shortened } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const aliasOverlap: ConfigurationRule = {
  id: 'alias-overlap',
  title: 'An Alias that is never used because an earlier one matches',
  consequence: 'ignored',
  fix: 'none',
  checks: 'configuration',
  names: ['alias', 'scriptalias'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_alias.html#order',
  examples: [
    {
      title: 'The shorter path first',
      before: 'Alias /icons /srv/icons\nAlias /icons/new /srv/new\n',
      finds: ['hidden'],
    },
    {
      title: 'Not reported: the longer path comes first',
      before: 'Alias /icons/new /srv/new\nAlias /icons /srv/icons\nAlias /iconsets /srv/sets\n',
      finds: [],
    },
  ],
  check({ configuration }) {
    if (!mayOverlap(configuration)) return [];
    const { rootScope } = configuration;
    return [rootScope, ...rootScope.children.filter(({ kind }) => kind === 'virtualhost')].flatMap(hiddenAliasesIn);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

const ALIAS_NAMES = new Set(['alias', 'scriptalias']);

/** The first line that has a certain path. A smaller `orderNumber` means an earlier line. */
interface EarlierLine {
  readonly configLine: ConfigLine;
  readonly orderNumber: number;
}

/** The findings about Alias lines of a server or virtual host that an earlier line hides. */
function hiddenAliasesIn(scope: Scope): readonly ConfigurationFinding[] {
  const findings: ConfigurationFinding[] = [];
  const aliasLines = scope.activity === 'active' ? linesIn(scope, ALIAS_NAMES) : [];
  if (aliasLines.length < 2) return findings;
  const earlierLineByPath = new Map<string, EarlierLine>();
  for (const aliasLine of aliasLines) {
    if (aliasLine.activity !== 'active') continue;
    const [path, target] = argumentsOf(aliasLine.expandedLine);
    if (!path || !target || path.value.includes('${')) continue;
    // httpd reads repeated slashes as one (alias_matches).
    const plainPath = path.value.replace(/\/{2,}/g, '/');
    const coveringLines = pathAndParents(plainPath).flatMap((each) => earlierLineByPath.get(each) ?? []);
    const hidingLine = coveringLines.reduce<EarlierLine | undefined>(
      (a, b) => (a && a.orderNumber < b.orderNumber ? a : b),
      undefined,
    )?.configLine;
    const isRepeated = earlierLineByPath.has(plainPath);
    if (!isRepeated) earlierLineByPath.set(plainPath, { configLine: aliasLine, orderNumber: earlierLineByPath.size });
    // If a file is included twice, the same line occurs twice and does not hide itself.
    if (!hidingLine || hidingLine.line === aliasLine.line) continue;
    const hidingPath = argumentsOf(hidingLine.expandedLine)[0]!.value;
    const placeText = hidingLine.file === aliasLine.file ? 'above' : `in ${hidingLine.file.path}`;
    findings.push({
      file: aliasLine.file.path,
      messageId: 'hidden',
      ...contentSpan(aliasLine.line, aliasLine.offset),
      what: `\`${spelledName(aliasLine.line)}\` is never used: \`${shortened(hidingPath)}\` matches first`,
      cause: `${hidingLine.line.name === 'alias' ? 'Alias' : 'ScriptAlias'} ${hidingPath} ${placeText} comes first and matches ${path.value}.`,
      help:
        hidingPath.replace(/\/{2,}/g, '/') === plainPath
          ? 'Remove one of the two lines.'
          : isRepeated
            ? 'Remove this line: an earlier line has the same path.'
            : 'Put the line with the longer path first.',
      serverText: 'will probably never match because it overlaps an earlier Alias',
    });
  }
  return findings;
}

/** A quick test whether some path may cover another one. It ignores the sections of the lines. */
function mayOverlap(configuration: Configuration): boolean {
  const usedNames = namesInUse(configuration);
  const aliasLines = usedNames.lines('alias').concat(usedNames.lines('scriptalias'));
  if (aliasLines.length < 2 || haveDistinctFirstComponents(aliasLines)) return false;
  const earlierPaths = new Set<string>();
  for (const { text, nameEnd } of aliasLines) {
    PLAIN_PATH.lastIndex = nameEnd;
    const path = PLAIN_PATH.exec(text)?.[1];
    if (path === undefined || path.includes('//') || earlierPaths.has(path)) return true;
    earlierPaths.add(path);
  }
  for (const path of earlierPaths) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      if (
        (slash > 0 && earlierPaths.has(path.slice(0, slash))) ||
        (slash + 1 < path.length && earlierPaths.has(path.slice(0, slash + 1)))
      )
        return true;
    }
  }
  return false;
}

/** Whether no two paths have the same first component. Then no path covers another one. */
function haveDistinctFirstComponents(lines: readonly Line[]): boolean {
  const components = new Set<string>();
  for (const { text, nameEnd } of lines) {
    FIRST_COMPONENT.lastIndex = nameEnd;
    if (!FIRST_COMPONENT.test(text)) return false;
    components.add(text.slice(nameEnd + 1, FIRST_COMPONENT.lastIndex));
  }
  return components.size === lines.length;
}

/** Matches the first component of the path. A quoted path does not match. */
const FIRST_COMPONENT = /[ \t]\/?[\w.-]+(?=[/ \t])/y;

/** Matches a first argument without quotes and special characters. */
const PLAIN_PATH = /[ \t]+([\w./-]+)[ \t]/y;

/**
 * The path and all its parents, the longest first. Each parent has two forms: with a final slash
 * and without.
 */
function pathAndParents(path: string): readonly string[] {
  const pathsWithParents = [path];
  for (let slash = path.lastIndexOf('/'); slash >= 0; slash = slash === 0 ? -1 : path.lastIndexOf('/', slash - 1)) {
    if (slash + 1 < path.length) pathsWithParents.push(path.slice(0, slash + 1));
    if (slash > 0) pathsWithParents.push(path.slice(0, slash));
  }
  return pathsWithParents;
}
