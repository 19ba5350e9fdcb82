import { argumentsOf, type Line, spelledName } from '../syntax/line';
import { contentSpan, NOTHING } from './edits';
import type { FileRule } from './rule';

/** Server-side includes without `SSILegacyExprParser`: conditions in the pages are read by new rules. */
export const ssiExpression: FileRule<Includes> = {
  id: 'ssi-expression',
  title: 'SSI pages with conditions, which have a new syntax',
  consequence: 'check after the upgrade',
  fix: 'none',
  scope: 'file',
  names: ['addoutputfilter', 'setoutputfilter', 'addoutputfilterbytype', 'addhandler', 'xbithack', 'ssilegacyexprparser'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_include.html#ssilegacyexprparser',
  page: {
    what: 'A line that enables server-side includes (SSI), such as `AddOutputFilter INCLUDES` or `XBitHack on`. Conditions in SSI pages (`#if expr`) have a new syntax in 2.4.',
    why:
      'The conditions in pages, `<!--#if expr="…" -->`, are expressions of 2.4 now, like those of `<If>`: `$VAR = /x/` does not mean what it did. Pages with such conditions, among them the error documents in several languages that 2.2 came with, ' +
      'have to be rewritten, or read by the old rules with `SSILegacyExprParser on`. Pages without conditions are as before.',
    httpd: 'Nothing about the configuration; in a page `[an error occurred while processing this directive]`, and in the error log why.',
    fixing: 'None: which pages have conditions, the configuration does not say. `SSILegacyExprParser on` belongs into the directory or location section that has them; it is not allowed at server level.',
    sources: ['modules/filters/mod_include.c of 2.4: parse_ap_expr, parse_expr', 'manual 2.4, upgrading from 2.2', 'experiment: test/httpd/claims-removed.test.ts'],
  },
  examples: [
    { title: 'Pages with includes', before: 'AddType text/html .shtml\nAddOutputFilter INCLUDES .shtml\n', finds: ['conditions'] },
    { title: 'The old rules', before: 'AddOutputFilter INCLUDES .shtml\n<Location "/">\n    SSILegacyExprParser on\n</Location>\n', finds: [] },
  ],
  of(line) {
    if (line.name === 'ssilegacyexprparser') return { isOn: false, isDecided: true };
    return switchesOn(line) ? { isOn: true, isDecided: false } : null;
  },
  plus: (a, b) => ({ isOn: a.isOn || b.isOn, isDecided: a.isDecided || b.isDecided }),
  check({ summary, locate }) {
    const first = summary.isOn && !summary.isDecided ? locate((part) => part.isOn, switchesOn) : null;
    if (!first) return NOTHING;
    return [
      {
        messageId: 'conditions',
        what: `\`${spelledName(first.line)}\`: conditions in SSI pages have a new syntax in 2.4`,
        help: 'Rewrite the pages with `#if expr`, or set `SSILegacyExprParser on` to keep the old syntax.',
        ...contentSpan(first.line, first.offset),
      },
    ];
  },
};

interface Includes {
  readonly isOn: boolean;
  readonly isDecided: boolean;
}

function switchesOn(line: Line): boolean {
  const list = argumentsOf(line).map((word) => word.value.toLowerCase());
  switch (line.name) {
    case 'xbithack':
      return list[0] === 'on' || list[0] === 'full';
    case 'addhandler':
      return list[0] === 'server-parsed';
    case 'addoutputfilter':
    case 'setoutputfilter':
    case 'addoutputfilterbytype':
      return list[0]?.split(';').includes('includes') ?? false;
    default:
      return false;
  }
}
