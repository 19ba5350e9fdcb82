/**
 * Finds out whether 2.2 starts with the files. It does not if they have directives that only 2.4
 * has.
 */
import { mayHoldAny, type ConfigLine, type DirectiveNames, type Scope } from '../config/configuration';
import { directive } from '../directives/index';
import { cacheOf } from '../syntax/memory';
import type { AccessDecision } from './deciding';
import type { Site } from './site';

/**
 * The lines and tags that 2.2 certainly reads and does not know, so that it does not start. Empty
 * if the server is 2.4.
 */
export function linesUnknownTo22(site: Site): readonly ConfigLine[] {
  return site.version === '2.2' ? findLinesOf24(site.root) : [];
}

/** The answer if a line prevents the start of the server. Null if no such line is known. */
export function decisionIfNotStarting(site: Site): AccessDecision | null {
  if (site.version !== '2.2') return null;
  let firstLine = firstLineBySite.get(site);
  if (firstLine === undefined) firstLineBySite.set(site, (firstLine = findFirstLineOf24(site.root)));
  if (firstLine === null) return null;
  return {
    access: 'error',
    why: `httpd 2.2 does not start: it has no ${spelledName(firstLine.line.text)}`,
    lines: [firstLine],
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const firstLineBySite = cacheOf<Site, ConfigLine | null>();

/** The names of directives and sections that only 2.4 has. */
const NAMES_OF_24: DirectiveNames = {
  has: (name) => {
    const directiveFacts = directive(name, { section: name.startsWith('<') });
    return (
      directiveFacts !== undefined &&
      !directiveFacts['2.2'] &&
      directiveFacts['2.4'] !== undefined &&
      !SEPARATELY_INSTALLED_IN_22.has(name)
    );
  },
};

/** Directives of modules that could be installed separately for 2.2. */
const SEPARATELY_INSTALLED_IN_22 = new Set([
  'use',
  '<macro',
  'undefmacro',
  'remoteipheader',
  'remoteipinternalproxy',
  'remoteiptrustedproxy',
]);

const mayHoldNamesOf24 = mayHoldAny(NAMES_OF_24);

/** The name of a directive or section for texts: `IncludeOptional`, `<RequireAll>`. */
function spelledName(text: string): string {
  const [name = ''] = text.trim().split(/[\s>]/, 1);
  return name.startsWith('<') ? `${name}>` : name;
}

/**
 * The first line or tag in a scope that only 2.4 knows, and that the server certainly reads. Null
 * if there is none.
 */
function findFirstLineOf24(scope: Scope): ConfigLine | null {
  if (!mayHoldNamesOf24(scope) && scope.names !== null) return null;
  for (const configLine of scope.lines) {
    if (configLine.activity !== 'active' || configLine.activityByVersion !== undefined) continue;
    if (NAMES_OF_24.has(configLine.line.name)) return configLine;
    const sectionOf24 = configLine.enclosingSections.find(({ section }) => NAMES_OF_24.has(`<${section.name}`));
    if (sectionOf24) return lineOfTag(sectionOf24.section.open, configLine);
  }
  for (const child of scope.children) {
    if (child.activity !== 'active' || child.activityByVersion !== undefined) continue;
    if (NAMES_OF_24.has(`<${child.kind}`)) return lineOfTag(child.section!.open, child);
    const lineInChild = findFirstLineOf24(child);
    if (lineInChild) return lineInChild;
  }
  return null;
}

/**
 * All lines and tags in a scope that only 2.4 knows, and that the server certainly reads. A tag
 * stands for all lines in its section.
 */
function findLinesOf24(scope: Scope): ConfigLine[] {
  if (!mayHoldNamesOf24(scope) && scope.names !== null) return [];
  const linesOf24: ConfigLine[] = [];
  const seenKeys = new Set<unknown>();
  const addLine = (configLine: ConfigLine, key: unknown) => {
    if (!seenKeys.has(key)) linesOf24.push(configLine);
    seenKeys.add(key);
  };
  for (const configLine of scope.lines) {
    if (configLine.activity !== 'active' || configLine.activityByVersion !== undefined) continue;
    // 2.2 stops at the tag, so it does not read the lines in the section.
    const sectionOf24 = configLine.enclosingSections.find(({ section }) => NAMES_OF_24.has(`<${section.name}`));
    if (sectionOf24) addLine(lineOfTag(sectionOf24.section.open, sectionOf24), sectionOf24.section);
    else if (NAMES_OF_24.has(configLine.line.name)) addLine(configLine, configLine);
  }
  for (const child of scope.children) {
    if (child.activity !== 'active' || child.activityByVersion !== undefined) continue;
    if (NAMES_OF_24.has(`<${child.kind}`)) addLine(lineOfTag(child.section!.open, child), child);
    else linesOf24.push(...findLinesOf24(child));
  }
  return linesOf24;
}

/** Makes a line of a configuration from an opening tag. */
function lineOfTag(openTag: ConfigLine['line'], { file, offset }: Pick<ConfigLine, 'file' | 'offset'>): ConfigLine {
  return {
    line: openTag,
    expandedLine: openTag,
    file,
    offset,
    enclosingSections: [],
    activity: 'active',
    conditionals: [],
  };
}
