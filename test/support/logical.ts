/**
 * What httpd reads of a file: logical lines with their numbers, names and arguments. Decides what
 * formatting may change.
 */
import { directive } from '../../server/src/directives';
import { Tree } from '../../server/src/syntax/document';
import { argumentsOf, LineKind, logicalText, rawArguments, spelledName } from '../../server/src/syntax/line';
import { forEachLine } from '../../server/src/syntax/tree';

/**
 * Directives that take the rest of the line and find words in it as httpd would. For the others it
 * is unknown how they treat spaces, so the rest is one text.
 */
const READS_WORDS =
  /^(?:accessfilename|allowoverride|balancermember|browsermatch|directory|files|location|proxy|virtualhost|header|requestheader|if(?:module|define|version|file)|limit|mutex|options|require$|rewrite|serveralias|setenvif|ssl(?:options|protocol|proxyprotocol)|use$|userdir|fileetag|authnprovideralias|mdomain$)/;

/**
 * One text a line; lines that httpd skips are left out. Numbers are those of the last physical
 * line, as httpd counts.
 */
export function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let number = 0;
  const { root } = Tree.parse(text);
  forEachLine(root, 0, root.length, (line) => {
    number += line.text.split('\n').length - 1;
    if (line.kind === LineKind.Blank || line.kind === LineKind.Comment) return;
    const last = number + (line.text.endsWith('\n') ? 0 : 1);
    const kinds = ['2.2', '2.4']
      .map((version) => directive(line.name, { section: line.kind === LineKind.Open })?.[version as '2.2']?.arguments)
      .filter(Boolean);
    const words = argumentsOf(line).map(({ value, quote }) => quote + value);
    const isText =
      kinds.length === 0 ||
      (kinds.includes('RAW_ARGS') && !READS_WORDS.test(line.name)) ||
      (line.name === 'require' && /^(?:not )?(?:expr|ldap)/.test(words.join(' ')));
    // The words of template text are not httpd's.
    const rest = isText || line.template !== 0 ? rawArguments(line).value : words;
    lines.push(
      JSON.stringify([
        last,
        line.kind,
        spelledName(line),
        rest,
        line.kind === LineKind.Open ? behindLast(logicalText(line).text) : '',
      ]),
    );
  });
  return lines;
}

/** The text between a tag's arguments and its `>`, and after that. */
function behindLast(text: string): string {
  return /[ \t]*>[^>]*$/.exec(text.replace(/[ \t]+$/, ''))?.[0] ?? '';
}
