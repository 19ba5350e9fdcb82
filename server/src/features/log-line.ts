/**
 * Parses a line of a log: the error log of httpd 2.2 and 2.4, the access log, and the terminal,
 * with prefixes of syslog and journald. Each expression reads its text once from left to right; a
 * line is cut at MAX_LENGTH.
 */

/** The parts of a line; missing ones are undefined. */
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
  /** The file is a .htaccess file, by whatever name. */
  readonly isHtaccess?: boolean;
  /** The line of this file. */
  readonly line?: number;
  /** The status of a request, from a line of the access log. */
  readonly status?: number;
  /** The server's own words, without prefixes and without `, referer: …`. */
  readonly message: string;
  /**
   * The line has something besides the server's words: a date in brackets, a level, a code, or a
   * file.
   */
  readonly isFromLog: boolean;
}

/** Longer lines are cut: the words of a message are at its beginning. */
const MAX_LENGTH = 4096;

const LEVELS = 'emerg|alert|crit|error|warn|notice|info|debug|trace[1-8]';
/** Terminals colour text with these. */
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;
const ISO_TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]{0,14}(?:Z|[+-]\d\d:?\d\d)?`;
/** `Oct 11 14:32:52 web1 apachectl[123]: `, `2023-10-11T14:32:52.1+02:00 web1 httpd[123]: `. */
const SYSLOG = new RegExp(
  String.raw`^(?:<\d{1,3}>)?([A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,9})?|${ISO_TIME}) \S{1,255} (?!AH\d{5,6}:)[\w.@/-]{1,99}(?:\[(\d{1,10})\])?: `,
);
/** RFC 5424: `<187>1 2023-10-11T14:32:52.1Z web1 httpd 123 - - `. */
const SYSLOG_5424 = new RegExp(
  String.raw`^<\d{1,3}>1 (${ISO_TIME}) \S{1,255} \S{1,99} (\d{1,10}|-) \S{1,99} (?:-|\[[^\]]{0,500}\]) (?:\uFEFF)?`,
);
/**
 * Prefixes of `docker logs -t`, Kubernetes (`TIME stderr F `), docker compose (`web-1  | `), `grep`
 * (`error.log:12:`) and formats of ErrorLogFormat without brackets.
 */
const CONTAINER = new RegExp(String.raw`^(${ISO_TIME})[ |\t] ?(?:(?:stderr|stdout) [FP] )?(?=\S)`);
/** `%t %l %M`: the date of httpd without its brackets. */
const BARE_TIME = /^([A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})? \d{4})[ |\t]+(?=\S)/;
const COMPOSE = /^[\w.-]{1,100} +\| (?=[[\w(])/;
const GREP = /^[\w./\\~-]{1,300}(?:log|\.\d{1,3}|txt)(?::\d{1,9})?:(?=\[)/;
/** One line of Docker's JSON log. */
const DOCKER_JSON = /^\{"log":"((?:[^"\\]|\\.){0,8000})"/;
const BRACKETS = /^\[((?:client|remote) \[[^\]]{0,99}\][^\]]{0,99}|[^\]]{0,200})\] ?/;
/**
 * `(13)Permission denied: `, `(EAI 2)Name or service not known: `, `(OS 10048)Only one …  : `,
 * `(os 0x082d43a8)Unrecognized resolver error: ` (server/log.c: do_errorlog_default).
 */
const ERRNO = /^\((?:(?:OS |EAI )?-?\d{1,10}|os 0x[\da-f]{1,16})\)[^:]{0,300}: /;
const PROGRAM = /^(?:httpd|apache2?|apachectl|apache2ctl|httpd\.exe): /i;
/**
 * From the level debug on, httpd logs its source file (server/log.c: log_file): `mod_ssl.c(123): `.
 */
const SOURCE = /^[\w./\\-]{1,200}\.(?:c|cpp|cc|h)\(\d{1,7}\): /;
const SYNTAX = /^Syntax error on line (\d{1,9}) of ([^\n]{1,1000}?):(?:\s|$)/;
const HTACCESS = /^((?:[A-Za-z]:)?[/\\][^:\n]{0,1000}|[^\s:]{0,300})(?<=\.ht[\w.-]{1,20}): /;
/** A .htaccess file with another name (AccessFileName): mod_core logs it at the level alert. */
const OTHER_HTACCESS = /^((?:[A-Za-z]:)?[/\\][^:\n]{1,1000}): /;
const ACCESS = /^\S{1,255} \S{1,255} [^[]{0,255}\[[^\]]{1,60}\] "(?:[^"\\]|\\.){0,4000}" (\d{3}) /;
/** mod_watchdog has codes with six digits. */
const CODE = /^(AH\d{5,6}): ?/;
/** A code after the lead of an unknown format, for example JSON. */
const LATER_CODE = /(?:^|[\s"'=|>\])])(AH\d{5,6}): ?/;
/**
 * Fields of an unknown format, after known ones: levels, addresses, ids, `name=value`, and a
 * `[client %a]` without an address, whose `]` httpd leaves out, too.
 */
const FIELDS = new RegExp(
  String.raw`^(?:(?:-|(?:[\w-]{0,30}:)?(?:${LEVELS})|\[client|[\w.]{1,40}=\S{0,100}|\S{0,60}\d\S{0,60})(?: |$)){1,12}$`,
);
/** The level in formats without brackets: `%m:%l %M`, `%l|%M`. */
const BARE_LEVEL = new RegExp(String.raw`^(?:([\w-]{0,30}):(${LEVELS}):? |(${LEVELS})(?:\||: | - ) ?)(?=\S)`);
/** Formats with names: `level=error msg="…"`, and JSON. */
const KEYED_LEVEL = new RegExp(String.raw`(?:^|[\s{,])"?level"?[=:] ?"?(${LEVELS})\b`);
const KEYED_MESSAGE = /(?:^|[\s{,])"?(?:msg|message)"?[=:] ?"((?:[^"\\]|\\.){1,4000})"/;
const KEYED_MODULE = /(?:^|[\s{,])"?module"?[=:] ?"?([a-z][\w-]{1,30})/;
/** What mod_dav writes after its words: status and number (dav_log_err in mod_dav.c). */
const DAV_STATUS = / {1,4}\[\d{3}, #-?\d{1,9}\]$/;
/** A few words, one of which is the level: `%t %m %l %M`. */
const WITH_LEVEL = new RegExp(String.raw`\b(?:${LEVELS})\b`);
const FEW_WORDS = /^\S{0,60}(?:\s\S{0,60}){0,7}$/;
/** `, referer: http://…`; the manual's example of ErrorLogFormat has no colon. */
const REFERER = /, referer:? (?=\S)/;

/**
 * Nested includes, of which only the last matters: `Syntax error on line 3 of a: Syntax error on
 * line …`.
 */
const LONG_CHAIN = /^([^\n]{0,200}?)(?:Syntax error on line \d{1,9} of \S{1,500}: (?=Syntax error on line )){2,500}/;

type Parts = { -readonly [Key in keyof LogLine]: LogLine[Key] };

export function parseLogLine(text: string): LogLine {
  const line: Parts = { message: '', isFromLog: false };
  let rest = unwrapped(text.replace(LONG_CHAIN, '$1'));
  const status = ACCESS.exec(rest)?.[1];
  if (status !== undefined) return { status: Number(status), message: rest, isFromLog: true };
  for (;;) {
    const before = rest;
    rest = withoutFile(withoutLead(rest, line), line);
    // A `Syntax error` line whose reason is in the next line.
    if (rest === before || line.code === 'AH00526') break;
  }
  if (line.code === undefined) rest = afterUnknownLead(rest, line);
  if (line.code === undefined) rest = insideKeys(rest, line);
  const referer = rest.search(REFERER);
  const words = (referer === -1 ? rest : rest.slice(0, referer)).trim();
  if (DAV_STATUS.test(words)) line.isFromLog = true;
  line.message = words.replace(DAV_STATUS, '');
  return line;
}

/** The line in Docker's JSON, otherwise the text; without colours. */
function unwrapped(text: string): string {
  const cut = text.slice(0, MAX_LENGTH).replace(COLOURS, '').replace(/\r/g, '').trim();
  const inside = DOCKER_JSON.exec(cut)?.[1];
  if (inside === undefined) return cut;
  return inside
    .replace(/\\(["\\/])/g, '$1')
    .replace(/\\[nrt]/g, ' ')
    .trim();
}

/**
 * Removes the prefixes before the server's words, one of each kind; their contents go into `line`.
 */
function withoutLead(text: string, line: Parts): string {
  let rest = text;
  for (const lead of [SYSLOG, SYSLOG_5424, CONTAINER, BARE_TIME])
    rest = rest.replace(lead, (_, time: string, pid?: string) => {
      Object.assign(line, { ...(line.time === undefined && { time }), isFromLog: true });
      if (pid !== undefined && /^\d+$/.test(pid)) line.pid = pid;
      return '';
    });
  rest = rest.replace(COMPOSE, '').replace(GREP, '');
  const inside = BRACKETS.exec(rest);
  if (inside && takeBrackets(inside[1]!, line)) rest = rest.slice(inside[0].length);
  if (line.level === undefined)
    rest = rest.replace(BARE_LEVEL, (_, module: string | undefined, level?: string, alone?: string) => {
      Object.assign(line, { level: level ?? alone, ...(module && module !== '-' && { module }), isFromLog: true });
      return '';
    });
  // A format with `:` after its brackets.
  rest = rest.replace(/^: /, '').replace(ERRNO, '').replace(PROGRAM, '').replace(SOURCE, '');
  // A second code is part of the words, for example in the output of a CGI program.
  if (line.code !== undefined && line.code !== 'AH00526') return rest;
  return rest.replace(CODE, (_, code: string) => {
    line.code = code;
    line.isFromLog = true;
    return '';
  });
}

/**
 * Removes the file of a rejected line: `Syntax error on line 3 of FILE: `, or the path of a
 * .htaccess file. The code AH00526 stays only if no reason follows.
 */
function withoutFile(text: string, line: Parts): string {
  let rest = text;
  const match = SYNTAX.exec(rest);
  if (match) {
    const message = rest.slice(match[0].length).trim();
    Object.assign(line, { line: Number(match[1]), file: match[2]!, isFromLog: true });
    if (line.code === 'AH00526') delete line.code;
    if (message === '') line.code = 'AH00526';
    else rest = message;
  }
  const isAlert = line.level === 'alert' && line.code === undefined;
  const htaccess = HTACCESS.exec(rest) ?? (isAlert ? OTHER_HTACCESS.exec(rest) : null);
  if (!htaccess) return rest;
  Object.assign(line, { file: htaccess[1]!, isFromLog: true, isHtaccess: true });
  return rest.slice(htaccess[0].length);
}

/** The words after a code in an unknown format; otherwise the text. */
function afterUnknownLead(text: string, line: Parts): string {
  const match = LATER_CODE.exec(text);
  if (!match) return text;
  const lead = text.slice(0, match.index);
  const isLead = FIELDS.test(lead) || (line.level === undefined && WITH_LEVEL.test(lead) && FEW_WORDS.test(lead));
  if (line.isFromLog && !isLead) return text;
  Object.assign(line, { code: match[1]!, isFromLog: true });
  const [, module, level] = new RegExp(`\\b(?:([a-z_0-9]{2,30}):)?(${LEVELS})\\b`).exec(lead) ?? [];
  if (level !== undefined) Object.assign(line, { level, ...(module && { module }) });
  return text.slice(match.index + match[0].length).replace(/(?<!["}\]])["}\]]+\s*$/, '');
}

/** The words in a format with names; otherwise the text. */
function insideKeys(text: string, line: Parts): string {
  const level = KEYED_LEVEL.exec(text)?.[1];
  const words = KEYED_MESSAGE.exec(text)?.[1];
  if (level === undefined || words === undefined) return text;
  const module = KEYED_MODULE.exec(text)?.[1];
  Object.assign(line, { level, ...(module !== undefined && { module }), isFromLog: true });
  return withoutFile(withoutLead(words.replace(/\\(["\\/])/g, '$1'), line), line);
}

/** Parses brackets before the words; false if they belong to the words. */
function takeBrackets(inside: string, line: Parts): boolean {
  const level = LEVEL.exec(inside);
  if (level) Object.assign(line, { level: level[2]!, ...(level[1] && level[1] !== '-' && { module: level[1] }) });
  else if (/^pid \d/.test(inside)) line.pid = /^pid (\d+)/.exec(inside)![1]!;
  else if (/^(?:client|remote) /.test(inside)) line.client = inside.slice(inside.indexOf(' ') + 1);
  else if (DATE.test(inside)) line.time = inside;
  // An id, a virtual host, a process: formats of ErrorLogFormat.
  else
    return (
      /^tid \d|^[RC]:|^[\w@+/-]{20,30}$/.test(inside) ||
      (line.isFromLog && /^(?:(?:[cr]?id|vhost|host|conn|req|unique_id) )?[\w.:@+/=-]{1,100}$/.test(inside))
    );
  line.isFromLog = true;
  return true;
}

const LEVEL = new RegExp(`^(?:([\\w-]*):)?(${LEVELS})$`);
/** `Wed Oct 11 14:32:52.123 2000`, `2023-10-11 14:32:52`, `11/Oct/2000:14:32:52 +0000`. */
const DATE = /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} +\d|\d{4}-\d\d-\d\d|\d{1,2}\/[A-Z][a-z]{2}\/\d{4})/;
