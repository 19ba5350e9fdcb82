import type { ConfigLine } from '../config/configuration';
import { siteOf } from '../requests/site';
import { linesUnknownTo22 } from '../requests/start';
import { LineKind, spelledName } from '../syntax/line';
import { fittingHeadline, invalidCommandText, nameSpan } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Finds lines with directives that only 2.4 knows, if the user answered that 2.2 reads the files,
 * too.
 */
export const notIn22: ConfigurationRule = {
  id: 'not-in-22',
  title: 'A directive that 2.2 does not know, if 2.2 also reads the files',
  consequence: 'will not start',
  fix: 'none',
  isAbout22: true,
  checks: 'configuration',
  names: [],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_version.html#ifversion',
  examples: [
    {
      title: 'Not reported: only 2.4 reads the line',
      before: 'Listen 80\n<IfVersion >= 2.4>\n    MaxRequestWorkers 150\n</IfVersion>\n',
      finds: [],
    },
    {
      title: 'Not reported: 2.2 does not read the files',
      before: 'Listen 80\nMaxRequestWorkers 150\n',
      finds: [],
    },
  ],
  check({ requestsOf22 }) {
    const site = requestsOf22 && siteOf(requestsOf22(), '2.2');
    return site === null
      ? []
      : linesUnknownTo22(site)
          .filter(({ macro }) => macro === undefined)
          .map(findingOf);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

function findingOf({ line, file, offset }: ConfigLine): ConfigurationFinding {
  const isSection = line.kind === LineKind.Open;
  const directiveName = spelledName(line);
  const shownName = isSection ? `<${directiveName}>` : directiveName;
  return {
    file: file.path,
    messageId: isSection ? 'section' : 'directive',
    what: fittingHeadline(
      `\`${shownName}\`: httpd 2.2 reads this line, too, and does not know it`,
      '2.2 does not know this line',
    ),
    cause: 'httpd 2.2 does not start with it.',
    help: helpFor(line.name, isSection),
    serverText: invalidCommandText(line),
    ...nameSpan(line, offset),
  };
}

/** What to write for 2.2, as a text for `help`. */
function helpFor(name: string, isSection: boolean): string {
  const nameIn22 = isSection ? undefined : OLD_NAME_OF.get(name);
  if (nameIn22 !== undefined) return `Write \`${nameIn22}\`: both versions read it.`;
  return `Put the ${isSection ? 'section' : 'line'} into \`<IfVersion >= 2.4>\`: 2.2 skips it there. mod_version must be loaded above.`;
}

/** The old names of some directives of 2.4. Version 2.4 still accepts the old names. */
const OLD_NAME_OF: ReadonlyMap<string, string> = new Map([
  ['maxrequestworkers', 'MaxClients'],
  ['maxconnectionsperchild', 'MaxRequestsPerChild'],
]);
