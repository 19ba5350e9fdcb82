/** Edits that replace a module that changes the address of the client by mod_remoteip. */
import { equalsIgnoringCase } from '../../access/client-address';
import type { AddressFacts } from '../../directives/third-party';
import { argumentsOf, contentEnd, contentStart, indentOf, type Line } from '../../syntax/line';
import type { Edit } from '../rule';
import { lineEnd, removeLine, renameDirective, replaceWord } from './edits';
import { editsToLoad, loadModuleOf } from './load-module';

export interface LineAt<F> {
  readonly line: Line;
  readonly offset: number;
  readonly file: F;
}

/**
 * Takes the LoadModule line of the module, if there is one, and all lines of its directives.
 * Replaces each line by its counterpart of mod_remoteip, or removes it. Passes the edits of each
 * file to `add`, with offsets in that file.
 */
export function remoteIpEdits<F>(
  loadLine: LineAt<F> | undefined,
  lines: readonly LineAt<F>[],
  facts: AddressFacts,
  add: (file: F, edits: readonly Edit[]) => void,
): void {
  const loadModule = loadLine && loadModuleOf(loadLine.line);
  if (loadLine && loadModule) add(loadLine.file, shiftedEdits(editsToLoad(loadModule, 'remoteip'), loadLine.offset));
  const headers = linesWithName(lines, facts.header);
  const proxies = linesWithName(lines, facts.proxies);
  for (const { line, file, offset } of headers)
    add(file, shiftedEdits([renameDirective(line, 'RemoteIPHeader')], offset));
  for (const { line, file, offset } of proxies) {
    const proxyWords = argumentsOf(line).filter(({ value }) => trustedWords(value) !== value);
    const wordEdits = proxyWords.map((word) => replaceWord(word, trustedWords(word.value)));
    add(file, shiftedEdits([renameDirective(line, 'RemoteIPInternalProxy'), ...wordEdits], offset));
  }
  const otherLines = lines.filter((each) => !headers.includes(each) && !proxies.includes(each));
  const lastLine = lines.at(-1) ?? loadLine;
  const needsHeader = headers.length === 0;
  const header = `RemoteIPHeader ${facts.default}`;
  if (needsHeader && lastLine && !otherLines.includes(lastLine)) {
    const contentEndOffset = lastLine.offset + contentEnd(lastLine.line);
    add(lastLine.file, [
      {
        start: contentEndOffset,
        end: contentEndOffset,
        text: `${lineEnd(lastLine.line)}${indentOf(lastLine.line)}${header}`,
      },
    ]);
  }
  for (const { line, offset, file } of otherLines) {
    const isReplacedByHeader = needsHeader && line === lastLine?.line;
    add(file, [
      isReplacedByHeader
        ? { start: offset + contentStart(line), end: offset + contentEnd(line), text: header }
        : removeLine(line, offset),
    ]);
  }
}

/**
 * Returns what RemoteIPInternalProxy takes instead of a word that means all addresses.
 * RemoteIPInternalProxy refuses `all`, which MEFaccept takes, and a mask of 0 bits. Returns other
 * words as they are.
 */
export function trustedWords(word: string): string {
  if (word.toLowerCase() === 'all') return `${ALL_IPV4} ${ALL_IPV6}`;
  const [, address] = /^([\d.]+|[\da-f:.]+)\/0+$/i.exec(word) ?? [];
  if (address === undefined) return word;
  return address.includes(':') ? ALL_IPV6 : ALL_IPV4;
}

const ALL_IPV4 = '0.0.0.0/0.0.0.0';
const ALL_IPV6 = '::/1 8000::/1';

/** The lines with one of these names. */
export function linesWithName<T extends { readonly line: Line }>(lines: readonly T[], names: readonly string[]): T[] {
  return lines.filter(({ line }) => names.some((name) => equalsIgnoringCase(line.name, name)));
}

/**
 * The edit that makes `<IfModule mod_rpaf.c>`, or the tag for a similar module, a test for
 * mod_remoteip. Null for other tags.
 */
export function conditionEdit(open: Line, offset: number): Edit | null {
  const [word] = open.name === 'ifmodule' ? argumentsOf(open) : [];
  if (!word || !ADDRESS_MODULE.test(word.value)) return null;
  const nameEnd = offset + word.end - (word.quote !== '' && word.isTerminated ? 1 : 0);
  return { start: nameEnd - word.value.replace(/^!/, '').length, end: nameEnd, text: 'mod_remoteip.c' };
}

/**
 * Directives by which modules such as mod_rpaf refuse requests that bypass the proxy. mod_remoteip
 * has no such directive.
 */
export const REFUSING_NAMES: ReadonlySet<string> = new Set([
  'rpaf_forbidifnotproxy',
  'denyallbutcloudflare',
  'mefrefuse',
  'meforder',
]);

const ADDRESS_MODULE =
  /^!?(?:mod_)?(?:rpaf(?:-2\.0)?|realip2|cloudflare|extract_forwarded|myfixip|vgremoteip)(?:\.c|_module)$/;

function shiftedEdits(edits: readonly Edit[], by: number): Edit[] {
  return edits.map(({ start, end, text }) => ({ start: start + by, end: end + by, text }));
}
