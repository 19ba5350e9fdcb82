import { argumentsOf, type Line, spelledName } from '../syntax/line';
import { contentSpan, NO_FINDINGS } from './support/edits';
import type { SectionRule, Summary } from './rule';

/** Finds server-side includes without `SSILegacyExprParser`, whose conditions have a new syntax. */
export const ssiExpression: SectionRule = {
  id: 'ssi-expression',
  title: 'Conditions in SSI pages, which have a new syntax',
  consequence: 'check after the upgrade',
  since: 0,
  fix: 'none',
  checks: 'section',
  names: [
    'addoutputfilter',
    'setoutputfilter',
    'addoutputfilterbytype',
    'addhandler',
    'xbithack',
    'ssilegacyexprparser',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_include.html#ssilegacyexprparser',
  examples: [
    {
      title: 'Pages with server-side includes',
      before: 'AddType text/html .shtml\nAddOutputFilter INCLUDES .shtml\n',
      finds: ['conditions'],
    },
    {
      title: 'Not reported: the old syntax is enabled',
      before: 'AddOutputFilter INCLUDES .shtml\n<Location "/">\n    SSILegacyExprParser on\n</Location>\n',
      finds: [],
    },
  ],
  checkFile({ firstMatch, summaryOf }) {
    const summary = summaryOf(INCLUDES_SUMMARY);
    if (summary === null) return NO_FINDINGS;
    const firstMatchingLine =
      summary.hasIncludes && !summary.choosesSyntax
        ? firstMatch(INCLUDES_SUMMARY, (part) => part.hasIncludes, switchesIncludesOn)
        : null;
    if (!firstMatchingLine) return NO_FINDINGS;
    return [
      {
        messageId: 'conditions',
        what: `\`${spelledName(firstMatchingLine.line)}\`: conditions in SSI pages have a new syntax in 2.4`,
        help: 'In pages with `<!--#if expr="…" -->`, write the conditions in the new syntax. Or keep the old syntax: write `SSILegacyExprParser on` in the `<Directory>` of the pages.',
        helpForBothVersions:
          'Keep the conditions of pages with `<!--#if expr="…" -->` for 2.2. For 2.4, write `SSILegacyExprParser on` in the `<Directory>` of the pages, in `<IfVersion >= 2.4>`.',
        ...contentSpan(firstMatchingLine.line, firstMatchingLine.offset),
      },
    ];
  },
};

const INCLUDES_SUMMARY: Summary<SsiIncludes> = {
  summarize(line) {
    if (line.name === 'ssilegacyexprparser') return { hasIncludes: false, choosesSyntax: true };
    return switchesIncludesOn(line) ? { hasIncludes: true, choosesSyntax: false } : null;
  },
  plus: (a, b) => ({ hasIncludes: a.hasIncludes || b.hasIncludes, choosesSyntax: a.choosesSyntax || b.choosesSyntax }),
};

/** What the lines of a file say about server-side includes. */
interface SsiIncludes {
  /** Whether the file switches server-side includes on. */
  readonly hasIncludes: boolean;
  /** Whether the file has SSILegacyExprParser, so that its author has chosen a syntax. */
  readonly choosesSyntax: boolean;
}

/** Whether the line lets httpd read some files as SSI pages. `Options Includes` only permits it. */
function switchesIncludesOn(line: Line): boolean {
  const argumentTexts = argumentsOf(line).map((word) => word.value.toLowerCase());
  switch (line.name) {
    case 'xbithack':
      return argumentTexts[0] === 'on' || argumentTexts[0] === 'full';
    case 'addhandler':
      return argumentTexts[0] === 'server-parsed';
    case 'addoutputfilter':
    case 'setoutputfilter':
    case 'addoutputfilterbytype':
      return argumentTexts[0]?.split(';').includes('includes') ?? false;
    default:
      return false;
  }
}
