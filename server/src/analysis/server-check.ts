/**
 * Reads the messages of a real httpd (`httpd -t`): their positions, and whether the configuration
 * or this machine causes them. This file does no I/O: cli/verify.ts runs httpd.
 */
import { isThirdPartyModule, moduleNamed } from '../config/modules';
import { directive, providers } from '../directives/index';
import { thirdPartyModule, thirdPartyModules } from '../directives/third-party';
import { foreignProviderModule } from '../validation/refusals';
import { READS_NAMED_FILE, type CheckCopy } from './check-copy';

/** A line of the server's output. */
export interface ServerMessage {
  /**
   * The code of the message, such as `AH00526`. Undefined for errors about reading a file, which
   * have no code.
   */
  readonly code?: string;
  /** The text of the message. */
  readonly message: string;
  /** The line, counted from 1. Undefined if httpd names no line. */
  readonly line?: number;
  /** The name of the file in httpd's message. Undefined if the message names no file. */
  readonly file?: string;
}

/**
 * Reads the output of httpd. `isOk`: whether httpd accepted the configuration, so that there are
 * only warnings. An error is `AH00526: Syntax error on line N of F:` with the text on the next
 * line. If httpd could not read an included file, the whole error is on one line. This line names
 * the place of each Include on the way to the file (server/main.c, server/config.c). httpd stops at
 * the first error.
 */
export function readServerMessages(
  stderr: string,
  isOk: boolean,
): { readonly error?: ServerMessage; readonly warnings: readonly ServerMessage[] } {
  const messageRows = stderr
    .split('\n')
    .map(withoutPrefix)
    .filter((row) => row !== '' && row !== 'Syntax OK');
  if (isOk) return { warnings: messageRows.map(readWarning) };
  const errorRow = messageRows.findIndex((row) => row.includes('Syntax error on line '));
  if (errorRow >= 0)
    return {
      error: readError(messageRows.slice(errorRow).join('\n')),
      warnings: messageRows.slice(0, errorRow).map(readWarning),
    };
  const lastMessage = messageRows.filter((row) => !row.startsWith('AH00014')).at(-1) ?? stderr;
  return { error: splitCode(lastMessage), warnings: messageRows.filter((row) => row !== lastMessage).map(readWarning) };
}

/**
 * Matches errors that this machine causes: a missing file or account, or a library that lacks a
 * feature.
 */
export const ERROR_OF_MACHINE =
  /does not exist|is not a directory|not a valid directory|must be a valid directory|[Bb]ad (user|group) name|[Cc]ould not open|Invalid Mutex directory|[Uu]nable to (open|read)|file for map .* not found|SSLv3 not supported by this version of OpenSSL/;

/** Why a line with a path of Windows is not checked. */
const WINDOWS_PATH_REASON = 'this path of Windows does not exist on this machine';
/** Matches a message about a path with a drive letter that httpd read as a relative path. */
const ERROR_OF_WINDOWS_PATH = /'\/?(?:[A-Za-z]:)?[^']*\/[A-Za-z]:\//;

/**
 * Whether a line was not checked because this machine lacks something: an account that the line
 * names, or a file that is on the server.
 */
export function isUncheckedBecauseOfMachine(reason: string): boolean {
  return (
    reason === READS_NAMED_FILE ||
    ERROR_OF_MACHINE.test(reason) ||
    /^there is no (user|group) |, so the (user|group) is not known;/.test(reason)
  );
}

/**
 * Empties a logical line, so that httpd does not check it. The line is given by its last physical
 * line. The tags of a section are replaced by other tags, so that httpd still checks the lines in
 * the section, in the same context. `isNested`: whether the lines are in a directory section of
 * another file.
 */
export function emptyLogicalLine(lines: string[], lastRow: number, isNested = false): void {
  let firstRow = lastRow;
  while (firstRow > 0 && isContinued(lines[firstRow - 1]!)) firstRow--;
  const sectionName = /^\s*<(\w+)/.exec(lines[firstRow]!)?.[1]!.toLowerCase();
  const closingRow = sectionName === undefined ? -1 : rowOfClosingTag(lines, firstRow, sectionName);
  const [newOpeningTag, newClosingTag] =
    sectionName === undefined || closingRow < 0 || isNested ? ['', ''] : neutralTags(lines, firstRow, sectionName);
  for (let row = firstRow; row <= lastRow; row++) lines[row] = '';
  lines[lastRow] = newOpeningTag;
  if (closingRow >= 0) lines[closingRow] = newClosingTag;
}

/** Finds the logical lines of a directive. Returns their last physical lines (0-based). */
export function lastRowsOf(lines: readonly string[], name: string): number[] {
  const lowerName = name.toLowerCase();
  return lines.flatMap((line, index) =>
    !isContinued(line) && firstWord(lines, index).toLowerCase() === lowerName ? [index] : [],
  );
}

/**
 * The first word of a logical line: the name of a directive, or of a section with `<` before it.
 * The line is given by its last physical line.
 */
export function firstWord(lines: readonly string[], lastRow: number): string {
  let firstRow = lastRow;
  while (firstRow > 0 && isContinued(lines[firstRow - 1]!)) firstRow--;
  return /^\s*(<?[^\s>]*)/.exec(lines[firstRow] ?? '')![1]!;
}

/** What is known about the parts of the server that a checked copy lacks. */
type MissingFromCopy = Pick<CheckCopy, 'missingModules' | 'hasAllLines' | 'sourceOfOtherLines'>;

/**
 * The beginning of a reason. It says that the checked files are only a part of a server, which need
 * not load an MPM.
 */
export const REASON_START_WITHOUT_MPM = 'no line here loads an MPM';

/**
 * Returns why an error of httpd comes from this machine and not from the configuration. Null if the
 * configuration may cause it.
 */
export function reasonOfMachine({ message }: ServerMessage, copy: MissingFromCopy): string | null {
  const { missingModules, hasAllLines, sourceOfOtherLines } = copy;
  const unknownName = /^Invalid command '([^']+)'/.exec(message)?.[1];
  if (unknownName !== undefined) return reasonOfUnknownName(unknownName, copy);
  if (ERROR_OF_MACHINE.test(message)) return ERROR_OF_WINDOWS_PATH.test(message) ? WINDOWS_PATH_REASON : message;
  if (!hasAllLines && message.endsWith('No MPM loaded.'))
    return `${REASON_START_WITHOUT_MPM}; ${sourceOfOtherLines} may load it`;
  const unknownValue = unknownValueIn(message);
  if (unknownValue !== null && missingModules.has(unknownValue.module))
    return `${unknownValue.what} belongs to ${unknownValue.module}, which is not installed here`;
  if (unknownValue !== null && !hasAllLines)
    return `${unknownValue.what} belongs to ${unknownValue.module}, which no line here loads; ${sourceOfOtherLines} may load it`;
  return /^Unknown (?:DAV|Auth[nz]) provider/.test(message) && [...missingModules].length > 0
    ? `${message}; ${[...missingModules].join(', ')}: not installed here`
    : null;
}

/**
 * Returns why httpd refuses a line because a variable in it is not set on this machine (AH00111).
 * Null if each variable of the line is set. Callers ask only if the variables of the server are
 * unknown.
 */
export function reasonOfUnsetVariable(line: string, warnings: readonly ServerMessage[]): string | null {
  const unsetVariable = warnings
    .map(({ message }) => /^Config variable \$\{(\w+)\} is not defined/.exec(message)?.[1])
    .find((name) => name !== undefined && line.includes(`\${${name}}`));
  return unsetVariable === undefined
    ? null
    : `the variable ${unsetVariable} is not set here; ${textAboutSetter(unsetVariable)}`;
}

/** Why a user or group is not checked: its name is a variable that is not set on this machine. */
export function reasonOfUnsetAccount(kind: string, variable: string): string {
  return `the variable ${variable} is not set here, so the ${kind} is not known; ${textAboutSetter(variable)}`;
}

/** Which file can set a variable: Debian's envvars, if the name is one of those in it. */
function textAboutSetter(name: string): string {
  return name.startsWith('APACHE_')
    ? 'on Debian, /etc/apache2/envvars sets it'
    : 'a file that is not in this copy may set it';
}

/**
 * Returns the reason if httpd reads a line of the copy that the server may skip. Such a line is in
 * an `<IfModule !…>` for a module that the server may have. Null for other lines. `lastRow`: the
 * index of the line's last physical line.
 */
export function reasonOfAbsentModule(
  { missingModules, hasAllLines, sourceOfOtherLines }: MissingFromCopy,
  lines: readonly string[],
  lastRow: number,
): string | null {
  for (const tag of conditionsAround(lines, lastRow)) {
    const writtenModule = /^\s*<IfModule\s+"?!([^\s">]+)/i.exec(tag)?.[1];
    if (writtenModule === undefined) continue;
    const module = moduleNamed(writtenModule) ?? writtenModule;
    if (missingModules.has(module)) return `httpd reads this line only without ${module}, which is not installed here`;
    if (!hasAllLines) return `httpd reads this line only without ${module}; ${sourceOfOtherLines} may load it`;
  }
  return null;
}

/** The opening tags of the conditional sections around a line (0-based). */
function conditionsAround(lines: readonly string[], row: number): readonly string[] {
  const openTags: string[] = [];
  for (const line of lines.slice(0, row)) {
    if (/^\s*<\/If[a-z]+/i.test(line)) openTags.pop();
    else if (/^\s*<If[a-z]+/i.test(line)) openTags.push(line);
  }
  return openTags;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The modules that add letters to LogFormat (log_pfn_register in modules/ssl/mod_ssl.c and
 * modules/loggers/mod_logio.c).
 */
const MODULE_BY_LETTER: Readonly<Record<string, string>> = {
  x: 'mod_ssl',
  c: 'mod_ssl',
  I: 'mod_logio',
  O: 'mod_logio',
  S: 'mod_logio',
};

/**
 * The value that httpd refused according to a message, in words, and the only module that provides
 * it. Null if the message is not about such a value.
 */
function unknownValueIn(message: string): { readonly what: string; readonly module: string } | null {
  const letter = /Unrecognized LogFormat directive %(\w)$/.exec(message)?.[1] ?? '';
  if (letter in MODULE_BY_LETTER) return { what: `%${letter} in LogFormat`, module: MODULE_BY_LETTER[letter]! };
  const cacheMatch = /(?:^|: )'(\w+)' (session|stapling) cache not supported .*\((mod_socache_\w+)\?\)/.exec(message);
  if (cacheMatch) return { what: `the ${cacheMatch[2]} cache ${cacheMatch[1]}`, module: cacheMatch[3]! };
  const [, kind, name = ''] = /^Unknown (Auth[nz]) provider: (\S+)$/.exec(message) ?? [];
  if (kind === undefined) return null;
  const module = providers(kind === 'Authz' ? 'authz' : 'authn', '2.4').get(name)?.[0] ?? foreignProviderModule(name);
  return module === undefined ? null : { what: `the ${kind} provider ${name}`, module };
}

/** Why httpd does not know a directive, if this machine is the reason. Null otherwise. */
function reasonOfUnknownName(
  name: string,
  { missingModules, hasAllLines, sourceOfOtherLines }: MissingFromCopy,
): string | null {
  const facts = directive(name.replace(/^</, ''), { section: name.startsWith('<') })?.['2.4'];
  const missingModule = facts?.modules.find((each) => missingModules.has(each));
  if (missingModule !== undefined) return `this directive is in ${missingModule}, which is not installed here`;
  if (facts !== undefined && !hasAllLines) return unloadedModuleReason(facts.modules, sourceOfOtherLines);
  const missingThirdParty = [...missingModules].filter(isThirdPartyModule);
  const owningModules = thirdPartyModules(name.replace(/^</, '').toLowerCase(), name.startsWith('<'));
  const missingOwner = missingThirdParty.find((each) =>
    owningModules.includes(thirdPartyModule(each.replace(/^(mod_php)\d$/, '$1'))!),
  );
  if (missingOwner !== undefined) return `this directive is in ${missingOwner}, which is not installed here`;
  // If no line loads the module, the server does not have it either, so this machine is not the
  // reason.
  if (owningModules.length > 0)
    return hasAllLines
      ? null
      : unloadedModuleReason(
          owningModules.map(({ source }) => source.replace(/\.c$/, '')),
          sourceOfOtherLines,
        );
  return facts === undefined && directive(name) === undefined && missingThirdParty.length > 0
    ? `this directive is unknown here; it can belong to ${missingThirdParty.join(' or ')}, which ${missingThirdParty.length === 1 ? 'is' : 'are'} not installed here`
    : null;
}

/** The reason for a directive whose module may be loaded by lines that are not in the copy. */
function unloadedModuleReason(modules: readonly string[], sourceOfOtherLines: string): string {
  return `this directive is in ${modules.join(' or ')}, which no line here loads; ${sourceOfOtherLines} may load it`;
}

/** Matches the names of sections that do not change the context of their body. */
const CONTEXT_KEEPING_NAMES = /^(if(module|define|version|file|directive|section)|macro)$/;

/**
 * The tags that replace those of a section at `line`. httpd accepts them at that place, and the
 * lines between them keep their context. Both are '' if no tags are needed.
 */
function neutralTags(lines: readonly string[], line: number, section: string): [string, string] {
  if (CONTEXT_KEEPING_NAMES.test(section)) return ['', ''];
  const parents = openSectionsAt(lines, line).filter((parent) => !CONTEXT_KEEPING_NAMES.test(parent));
  if (parents.some((parent) => parent !== 'virtualhost')) return ['', ''];
  if (section !== 'virtualhost') return ['<Directory "/removed">', '</Directory>'];
  return parents.length > 0 ? ['', ''] : ['<VirtualHost 127.0.0.99:99>', '</VirtualHost>'];
}

/**
 * The names of the sections that are open before the line `end`, from the outermost to the
 * innermost.
 */
function openSectionsAt(lines: readonly string[], end: number): string[] {
  const openNames: string[] = [];
  for (const line of lines.slice(0, end)) {
    const tag = /^\s*<(\/?)(\w+)/.exec(line);
    if (!tag) continue;
    if (!tag[1]) openNames.push(tag[2]!.toLowerCase());
    else if (openNames.at(-1) === tag[2]!.toLowerCase()) openNames.pop();
  }
  return openNames;
}

/**
 * The row of the closing tag of the section whose opening tag is at the row `openRow`. -1 if there
 * is none.
 */
function rowOfClosingTag(lines: readonly string[], openRow: number, section: string): number {
  let depth = 0;
  for (let line = openRow; line < lines.length; line++) {
    const tag = /^\s*<(\/?)(\w+)/.exec(lines[line]!);
    if (tag?.[2]!.toLowerCase() !== section) continue;
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return line;
  }
  return -1;
}

/** Whether the next physical line belongs to the same logical line. */
function isContinued(line: string): boolean {
  return /\\\r?$/.test(line);
}

/** Reads the message of an error: the last place that it names, and the text after the place. */
function readError(output: string): ServerMessage {
  // If a section is not closed, httpd also lists each section around it, by its path in the copy,
  // after a literal `\n`. This list is removed.
  const textOfError = output.replace(/(was not closed\.)\\n.*$/s, '$1');
  const code = splitCode(textOfError).code;
  const placeMatch = [
    ...textOfError.matchAll(
      /(?:Syntax error on line|used on line) (\d+) of "?((?:[A-Za-z]:)?\/[^"\n]*?)"*(?: error while substituting)?:(?=\s)/g,
    ),
  ].at(-1);
  if (!placeMatch) return { code, message: textOfError };
  return {
    code,
    message: textOfError.slice(placeMatch.index + placeMatch[0].length).trim(),
    line: Number(placeMatch[1]),
    file: placeMatch[2],
  };
}

/** Reads the message of a warning. Its place is at its end, if it names one. */
function readWarning(row: string): ServerMessage {
  const placeMatch =
    /in line (\d+) of ((?:[A-Za-z]:)?\/\S+?)\.?$/.exec(row) ?? /(?<= )((?:[A-Za-z]:)?\/\S+):(\d+)$/.exec(row);
  if (!placeMatch) return splitCode(row);
  const [line, file] = placeMatch[1]!.includes('/') ? [placeMatch[2], placeMatch[1]] : [placeMatch[1], placeMatch[2]];
  const { code, message } = splitCode(row);
  return {
    code,
    message: message.slice(0, -placeMatch[0].length).trimEnd().replace(/ at$/, ''),
    line: Number(line),
    file,
  };
}

/** Splits a message into its code and its text. */
function splitCode(row: string): ServerMessage {
  const codeMatch = /^(AH\d{5}): (.*)$/s.exec(row);
  return codeMatch ? { code: codeMatch[1], message: codeMatch[2]! } : { message: row };
}

/**
 * Removes the beginning that messages have in a log: `[date] [module:level] [pid …] (errno)text: `.
 */
function withoutPrefix(row: string): string {
  return row
    .trim()
    .replace(/^(?:\[[^\]]*\] ?)+/, '')
    .replace(/^\([^)]*\).*?: (?=AH\d{5})/, '')
    .replace(/^Error:\\t.*/, withoutEscapes);
}

/**
 * A message of several lines without `\t` and `\n`, which the log has in place of tabs and line
 * ends (ap_escape_errorlog_item in server/util.c). Such a message begins with `Error:\t` (User root
 * in modules/arch/unix/mod_unixd.c).
 */
function withoutEscapes(message: string): string {
  return message.replace(/(?:\\[tn])+/g, ' ').trim();
}
