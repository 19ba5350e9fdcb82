/**
 * Takes a line of a log apart: the error log of httpd 2.2 and 2.4, the access log, and the terminal, with what syslog and
 * journald write before it. Each expression reads its text once from left to right; a line is cut at MAX_LENGTH.
 */

/** What a line says about itself. Parts that it does not have are left out. */
export interface LogLine {
  readonly time?: string;
  readonly level?: string;
  /** Without `mod_`: `authz_core`. */
  readonly module?: string;
  readonly pid?: string;
  readonly client?: string;
  /** `AH01630`. */
  readonly code?: string;
  /** The configuration file that the line is about. */
  readonly file?: string;
  /** The line of this file. */
  readonly line?: number;
  /** The status of a request, of a line of the access log. */
  readonly status?: number;
  /** The server's own words, without what stands before them, and without `, referer: …`. */
  readonly message: string;
  /** Something other than the server's words is there: a date in brackets, a level, a code, or a file. */
  readonly isFromLog: boolean;
}

/** Longer lines are cut: the words of a message are at its beginning. */
const MAX_LENGTH = 4096;

const LEVELS = 'emerg|alert|crit|error|warn|notice|info|debug|trace[1-8]';
/** Terminals colour text with these. */
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;
/** `Oct 11 14:32:52 web1 apachectl[123]: `, `2023-10-11T14:32:52.1+02:00 web1 httpd[123]: `. */
const SYSLOG =
  /^(?:<\d{1,3}>)?([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:?\d\d)?) \S{1,255} [\w.@/-]{1,99}(?:\[(\d{1,10})\])?: /;
const BRACKETS = /^\[([^\]]{0,200})\] ?/;
/** `(13)Permission denied: `, `(OS 10048)Only one …  : `. */
const ERRNO = /^\((?:OS )?-?\d{1,10}\)[^:]{0,300}: /;
const PROGRAM = /^(?:httpd|apache2?|apachectl|apache2ctl|httpd\.exe): /i;
const SYNTAX = /^Syntax error on line (\d{1,9}) of ([^\n]{1,1000}?):(?:\s|$)/;
const HTACCESS = /^((?:[A-Za-z]:)?[^\s:]{0,1000}\.ht\w{1,20}): /;
const ACCESS = /^\S{1,255} \S{1,255} [^[]{0,255}\[[^\]]{1,60}\] "(?:[^"\\]|\\.){0,4000}" (\d{3}) /;
const CODE = /^(AH\d{5}): ?/;

export function parseLogLine(text: string): LogLine {
  const line: { -readonly [Key in keyof LogLine]: LogLine[Key] } = { message: '', isFromLog: false };
  let rest = text.slice(0, MAX_LENGTH).replace(COLOURS, '').replace(/\r/g, '').trim();
  const status = ACCESS.exec(rest)?.[1];
  if (status !== undefined) return { status: Number(status), message: rest, isFromLog: true };
  rest = rest.replace(SYSLOG, (_, time: string, pid: string | undefined) => {
    Object.assign(line, { time, ...(pid !== undefined && { pid }), isFromLog: true });
    return '';
  });
  for (;;) {
    const before = rest;
    const inside = BRACKETS.exec(rest);
    if (inside && takeBrackets(inside[1]!, line)) rest = rest.slice(inside[0].length);
    rest = rest.replace(ERRNO, '').replace(PROGRAM, '');
    rest = rest.replace(CODE, (_, code: string) => {
      line.code = code;
      line.isFromLog = true;
      return '';
    });
    const place = SYNTAX.exec(rest);
    if (place && line.code === 'AH00526') delete line.code;
    if (place) {
      Object.assign(line, { line: Number(place[1]), file: place[2]!, isFromLog: true });
      const message = rest.slice(place[0].length).trim();
      if (message === '') line.code = 'AH00526';
      rest = message === '' ? rest : message;
      if (message === '') break;
    }
    const htaccess = HTACCESS.exec(rest);
    if (htaccess) {
      Object.assign(line, { file: htaccess[1]!, isFromLog: true });
      rest = rest.slice(htaccess[0].length);
    }
    if (rest === before) break;
  }
  const referer = rest.indexOf(', referer: ');
  line.message = (referer === -1 ? rest : rest.slice(0, referer)).trim();
  return line;
}

/** Reads what stands in brackets before the words; false where it belongs to the words. */
function takeBrackets(inside: string, line: { -readonly [Key in keyof LogLine]: LogLine[Key] }): boolean {
  const level = LEVEL.exec(inside);
  if (level) Object.assign(line, { level: level[2]!, ...(level[1] && { module: level[1] }) });
  else if (/^pid \d/.test(inside)) line.pid = /^pid (\d+)/.exec(inside)![1]!;
  else if (/^(?:client|remote) /.test(inside)) line.client = inside.slice(inside.indexOf(' ') + 1);
  else if (DATE.test(inside)) line.time = inside;
  else return /^tid \d|^[\w@+/-]{20,30}$/.test(inside);
  line.isFromLog = true;
  return true;
}

const LEVEL = new RegExp(`^(?:(\\w*):)?(${LEVELS})$`);
/** `Wed Oct 11 14:32:52.123 2000`, `2023-10-11 14:32:52`, `11/Oct/2000:14:32:52 +0000`. */
const DATE = /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} +\d|\d{4}-\d\d-\d\d|\d{1,2}\/[A-Z][a-z]{2}\/\d{4})/;
