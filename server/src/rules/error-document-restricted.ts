import { isNewForServer } from '../config/target';
import { mayRestrict } from './support/restricting';
import type { Configuration, Scope } from '../config/configuration';
import { linesOf, scopesOf } from '../config/loaded-modules';
import { namesInUse } from '../config/lines-by-name';
import { argumentsOf, spelledName } from '../syntax/line';
import { regexMatches } from '../syntax/regex-match';
import { contentSpan, fittingHeadline, shortened } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Finds error pages for 401 and 403 in a section that restricts access. 2.4 shows them even to
 * clients without access.
 */
export const errorDocumentRestricted: ConfigurationRule = {
  id: 'error-document-restricted',
  title: 'ErrorDocument for 401 or 403 that its own <Location> or <Files> restricts',
  consequence: 'check after the upgrade',
  fix: 'none',
  checks: 'configuration',
  names: ['errordocument'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#errordocument',
  examples: [
    {
      title: 'A page below the URL that is denied',
      before:
        'ServerRoot /srv\n<Location /intern>\n    Order deny,allow\n    Deny from all\n</Location>\nErrorDocument 403 /intern/denied.html\n',
      finds: ['shown'],
    },
    {
      title: 'Not reported: a page elsewhere',
      before:
        'ServerRoot /srv\n<Location /intern>\n    Order deny,allow\n    Deny from all\n</Location>\nErrorDocument 403 /denied.html\n',
      finds: [],
    },
  ],
  check({ configuration, modules, target }) {
    if (!isNewForServer(0, target) || MODULES_CHECKING_AGAIN.some((name) => modules.hasModule(name) === 'active'))
      return [];
    const documentLines = linesOf(configuration, 'errordocument').filter(({ activity }) => activity === 'active');
    const findings: ConfigurationFinding[] = [];
    const seenLines = new Set<unknown>();
    let sections: readonly Scope[] | null = null;
    for (const documentLine of documentLines) {
      const [status, page] = argumentsOf(documentLine.expandedLine).map(({ value }) => value);
      if (
        !/^40[13]$/.test(status ?? '') ||
        !page?.startsWith('/') ||
        /\$\{|%\{/.test(page) ||
        seenLines.has(documentLine.line)
      )
        continue;
      seenLines.add(documentLine.line);
      const pagePath = page.replace(/[?#][^]*/, '');
      const section = (sections ??= restrictingSections(configuration)).find((each) => appliesToPage(each, pagePath));
      if (section === undefined) continue;
      const directiveName = spelledName(documentLine.line);
      const sectionText = section.section?.open.text.trim() ?? section.kind;
      findings.push({
        file: documentLine.file.path,
        messageId: 'shown',
        ...contentSpan(documentLine.line, documentLine.offset),
        what: fittingHeadline(
          `\`${directiveName} ${status}\`: 2.4 shows \`${shortened(page)}\`, which 2.2 denied`,
          `\`${directiveName} ${status}\`: 2.4 shows this page, which 2.2 denied`,
        ),
        cause: `\`${shortened(sectionText, 60)}\` also restricts the page. 2.2 shows its own text instead of the page.`,
        help: 'Check that clients without access may see the page.',
        mayStay: true,
      });
    }
    return findings;
  },
};

/**
 * Modules that make 2.4 check the access to an error page again (ap_hook_access_checker and similar
 * hooks). With one of them, 2.4 does not show the page.
 */
const MODULES_CHECKING_AGAIN = ['mod_allowmethods', 'mod_lua'];

/** The active sections for URLs and file names that may keep clients out. */
function restrictingSections(configuration: Configuration): readonly Scope[] {
  const usedNames = namesInUse(configuration);
  return ['location', 'locationmatch', 'files', 'filesmatch']
    .filter((kind) => usedNames.hasSection(kind))
    .flatMap((kind) => scopesOf(configuration, kind))
    .filter(({ activity, section }) => activity === 'active' && section !== null && mayRestrict(section));
}

/** Whether a section applies to the URL path of an error page. False if that is not certain. */
function appliesToPage({ kind, words }: Scope, page: string): boolean {
  const isPattern = kind.endsWith('match') || words[0] === '~';
  const pattern = words[words[0] === '~' ? 1 : 0];
  if (pattern === undefined || pattern.includes('${')) return false;
  const comparedPath = kind.startsWith('files') ? page.slice(page.lastIndexOf('/') + 1) : page;
  if (isPattern) return regexMatches(pattern, comparedPath) === true;
  if (!/[*?[\]]/.test(pattern)) {
    const pathWithoutSlash = pattern.replace(/\/$/, '');
    return kind === 'files'
      ? comparedPath === pattern
      : comparedPath === pathWithoutSlash || comparedPath.startsWith(`${pathWithoutSlash}/`);
  }
  return regexMatches(`^${globPattern(pattern)}$`, comparedPath) === true;
}

/** A `<Files>` or `<Location>` wildcard as a regular expression. Brackets are plain characters. */
function globPattern(glob: string): string {
  return glob
    .replace(/[.+^$(){}|\\[\]]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
}
