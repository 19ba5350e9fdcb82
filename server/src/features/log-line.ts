/**
 * Parses a line of the error log of httpd 2.2 or 2.4, of the access log, or of output in a
 * terminal. The line may have a prefix of syslog or journald. So that no line takes long, it is cut
 * at MAX_LINE_LENGTH, and each regular expression reads its text once from left to right.
 */

/** The parts of a log line; undefined if the line does not have the part. */
export interface LogLine {
  /** The date and time, as written. */
  readonly time?: string;
  /** The level, such as `error`. */
  readonly level?: string;
  /** The name of the module, without `mod_`: `authz_core`. */
  readonly module?: string;
  /** The id of the process. */
  readonly pid?: string;
  /** The address of the client. */
  readonly client?: string;
  /** The code of the message: `AH01630`. */
  readonly code?: string;
  /** The configuration file that the line is about. */
  readonly file?: string;
  /** Whether `file` is a .htaccess file, whatever its name is (AccessFileName). */
  readonly isHtaccess?: boolean;
  /** The 1-based line number in `file`. */
  readonly line?: number;
  /** The status of a request, from a line of the access log. */
  readonly status?: number;
  /** The server's own words, without prefixes and without `, referer: …`. */
  readonly message: string;
  /**
   * Whether the line has anything besides the server's words: a date in brackets, a level, a code,
   * or a file.
   */
  readonly isFromLog: boolean;
}

/**
 * Limit in UTF-16 units. Longer lines are cut, because the words of a message are at its beginning.
 */
const MAX_LINE_LENGTH = 4096;

/** The levels of httpd, for use in regular expressions. */
const LEVELS = 'emerg|alert|crit|error|warn|notice|info|debug|trace[1-8]';
/** Matches escape sequences that colour text in a terminal. */
const COLOUR_ESCAPES = /\u001b\[[0-9;]*[A-Za-z]/g;
const ISO_TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]{0,14}(?:Z|[+-]\d\d:?\d\d)?`;
/**
 * Matches the prefix of syslog and journald: `Oct 11 14:32:52 web1 apachectl[123]: `,
 * `2023-10-11T14:32:52.1+02:00 web1 httpd[123]: `.
 */
const SYSLOG_PREFIX = new RegExp(
  String.raw`^(?:<\d{1,3}>)?([A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,9})?|${ISO_TIME}) \S{1,255} (?!AH\d{5,6}:)[\w.@/-]{1,99}(?:\[(\d{1,10})\])?: `,
);
/** Matches the prefix of RFC 5424: `<187>1 2023-10-11T14:32:52.1Z web1 httpd 123 - - `. */
const SYSLOG_5424_PREFIX = new RegExp(
  String.raw`^<\d{1,3}>1 (${ISO_TIME}) \S{1,255} \S{1,99} (\d{1,10}|-) \S{1,99} (?:-|\[[^\]]{0,500}\]) (?:\uFEFF)?`,
);
/**
 * Matches prefixes of `docker logs -t` and Kubernetes (`TIME stderr F `). `COMPOSE_PREFIX` matches
 * `web-1 | ` of docker compose, and `GREP_PREFIX` matches `error.log:12:` of `grep`.
 */
const CONTAINER_PREFIX = new RegExp(String.raw`^(${ISO_TIME})[ |\t] ?(?:(?:stderr|stdout) [FP] )?(?=\S)`);
/** Matches the date of httpd without brackets, as in the format `%t %l %M`. */
const BARE_TIME = /^([A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})? \d{4})[ |\t]+(?=\S)/;
const COMPOSE_PREFIX = /^[\w.-]{1,100} +\| (?=[[\w(])/;
const GREP_PREFIX = /^[\w./\\~-]{1,300}(?:log|\.\d{1,3}|txt)(?::\d{1,9})?:(?=\[)/;
/** Matches a line of Docker's JSON log. */
const DOCKER_JSON = /^\{"log":"((?:[^"\\]|\\.){0,8000})"/;
/** Matches a field in brackets at the start. The address of a client can itself have brackets. */
const BRACKETED_FIELD = /^\[((?:client|remote) \[[^\]]{0,99}\][^\]]{0,99}|[^\]]{0,200})\] ?/;
/**
 * Matches the error of the operating system: `(13)Permission denied: `, `(EAI 2)Name or service not
 * known: `, `(OS 10048)Only one … : `, `(os 0x082d43a8)Unrecognized resolver error: `
 * (do_errorlog_default in server/log.c).
 */
const SYSTEM_ERROR = /^\((?:(?:OS |EAI )?-?\d{1,10}|os 0x[\da-f]{1,16})\)[^:]{0,300}: /;
/** Matches the name of the program before a message in a terminal. */
const PROGRAM_PREFIX = /^(?:httpd|apache2?|apachectl|apache2ctl|httpd\.exe): /i;
/**
 * Matches httpd's source file and line, `mod_ssl.c(123): `. httpd logs it from the level debug on
 * (log_file in server/log.c).
 */
const SOURCE_FILE = /^[\w./\\-]{1,200}\.(?:c|cpp|cc|h)\(\d{1,7}\): /;
/**
 * Matches the beginning of a message about a rejected line. Groups: the number of the line, the
 * file.
 */
const SYNTAX_ERROR = /^Syntax error on line (\d{1,9}) of ([^\n]{1,1000}?):(?:\s|$)/;
/** Matches the path of a .htaccess file before the words of a message. */
const HTACCESS_PATH = /^((?:[A-Za-z]:)?[/\\][^:\n]{0,1000}|[^\s:]{0,300})(?<=\.ht[\w.-]{1,20}): /;
/**
 * Matches the path of a .htaccess file with another name (AccessFileName): mod_core logs it at the
 * level alert.
 */
const OTHER_HTACCESS_PATH = /^((?:[A-Za-z]:)?[/\\][^:\n]{1,1000}): /;
/** Matches a line of the access log. Group 1: the status. */
const ACCESS_LOG_LINE = /^\S{1,255} \S{1,255} [^[]{0,255}\[[^\]]{1,60}\] "(?:[^"\\]|\\.){0,4000}" (\d{3}) /;
/** The code of a message. Those of mod_watchdog have six digits. */
const MESSAGE_CODE = /^(AH\d{5,6}): ?/;
/** Matches a code after the prefixes of an unknown format, such as JSON. */
const CODE_AFTER_PREFIXES = /(?:^|[\s"'=|>\])])(AH\d{5,6}): ?/;
/**
 * Matches fields of an unknown format after known ones: levels, addresses, ids, `name=value`, and
 * `[client`, which httpd writes for `[client %a]` if there is no address.
 */
const UNKNOWN_FIELDS = new RegExp(
  String.raw`^(?:(?:-|(?:[\w-]{0,30}:)?(?:${LEVELS})|\[client|[\w.]{1,40}=\S{0,100}|\S{0,60}\d\S{0,60})(?: |$)){1,12}$`,
);
/** Matches fields between `|`, and the error of the operating system: `%m|%a|%E: %M`. */
const PIPED_FIELDS = /^(?:[^|\s]{0,60}\|){1,12}(?:\([^)]{1,30}\)[^:|]{0,300}:)?$/;
/** Matches the level in formats without brackets: `%m:%l %M`, `%l|%M`. */
const BARE_LEVEL = new RegExp(String.raw`^(?:([\w-]{0,30}):(${LEVELS}):? |(${LEVELS})(?:\||: | - ) ?)(?=\S)`);
/** Matches the level in formats that name their fields: `level=error msg="…"`, and JSON. */
const KEYED_LEVEL = new RegExp(String.raw`(?:^|[\s{,])"?level"?[=:] ?"?(${LEVELS})\b`);
/** Matches the message in formats that name their fields. Group 1: the message. */
const KEYED_MESSAGE = /(?:^|[\s{,])"?(?:msg|message)"?[=:] ?"((?:[^"\\]|\\.){1,4000})"/;
/** Matches the module in formats that name their fields. Group 1: its name. */
const KEYED_MODULE = /(?:^|[\s{,])"?module"?[=:] ?"?([a-z][\w-]{1,30})/;
/**
 * Matches what mod_dav writes after its words: the status and a number (dav_log_err in mod_dav.c).
 */
const DAV_STATUS = / {1,4}\[\d{3}, #-?\d{1,9}\]$/;
/** Matches a level among a few words: `%t %m %l %M`. */
const LEVEL_WORD = new RegExp(String.raw`\b(?:${LEVELS})\b`);
const UP_TO_EIGHT_WORDS = /^\S{0,60}(?:\s\S{0,60}){0,7}$/;
/** Matches `, referer: http://…`; in the manual's example of ErrorLogFormat there is no colon. */
const REFERER = /, referer:? (?=\S)/;

/** Matches the date of httpd and the bracket after it. */
const DATE_AND_FIELD = /\[[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} [\d:.]{8,20} \d{4}\] \[/;

/**
 * Matches a chain of includes, of which only the last one matters: `Syntax error on line 3 of a:
 * Syntax error on line …`.
 */
const LONG_INCLUDE_CHAIN =
  /^([^\n]{0,200}?)(?:Syntax error on line \d{1,9} of \S{1,500}: (?=Syntax error on line )){2,500}/;

type WritableLogLine = { -readonly [Key in keyof LogLine]: LogLine[Key] };

/**
 * Splits a line of the error log or access log into its parts. Also accepts what httpd prints at
 * its start.
 */
export function parseLogLine(text: string): LogLine {
  const lineFromStart = parseFromStart(text);
  if (lineFromStart.code !== undefined || lineFromStart.level !== undefined) return lineFromStart;
  // Another program, such as fail2ban, wrote its own words before the line.
  const dateStart = text.slice(0, MAX_LINE_LENGTH).search(DATE_AND_FIELD);
  return dateStart > 0 ? parseFromStart(text.slice(dateStart)) : lineFromStart;
}

/** Parses a line whose prefixes begin at the start of the text. */
function parseFromStart(text: string): LogLine {
  const logLine: WritableLogLine = { message: '', isFromLog: false };
  let unreadText = plainLine(text.replace(LONG_INCLUDE_CHAIN, '$1'));
  const status = ACCESS_LOG_LINE.exec(unreadText)?.[1];
  if (status !== undefined) return { status: Number(status), message: unreadText, isFromLog: true };
  for (;;) {
    const textBefore = unreadText;
    unreadText = withoutFile(withoutPrefixes(unreadText, logLine), logLine);
    // AH00526 stays only if the reason of a `Syntax error` is in the next line. Then nothing is
    // left to read.
    if (unreadText === textBefore || logLine.code === 'AH00526') break;
  }
  if (logLine.code === undefined) unreadText = withoutUnknownFields(unreadText, logLine);
  if (logLine.code === undefined) unreadText = messageOfNamedFields(unreadText, logLine);
  const refererIndex = unreadText.search(REFERER);
  const messageText = (refererIndex === -1 ? unreadText : unreadText.slice(0, refererIndex)).trim();
  if (DAV_STATUS.test(messageText)) logLine.isFromLog = true;
  logLine.message = messageText.replace(DAV_STATUS, '');
  return logLine;
}

/** The text without colours; from Docker's JSON, the line in it. */
function plainLine(text: string): string {
  const plainText = text.slice(0, MAX_LINE_LENGTH).replace(COLOUR_ESCAPES, '').replace(/\r/g, '').trim();
  const textInJson = DOCKER_JSON.exec(plainText)?.[1];
  if (textInJson === undefined) return plainText;
  return textInJson
    .replace(/\\(["\\/])/g, '$1')
    .replace(/\\[nrt]/g, ' ')
    .trim();
}

/** Removes the prefixes before the server's words, and stores their fields in `line`. */
function withoutPrefixes(text: string, line: WritableLogLine): string {
  let unreadText = text;
  for (const prefixPattern of [SYSLOG_PREFIX, SYSLOG_5424_PREFIX, CONTAINER_PREFIX, BARE_TIME])
    unreadText = unreadText.replace(prefixPattern, (_, time: string, pid?: string) => {
      Object.assign(line, { ...(line.time === undefined && { time }), isFromLog: true });
      if (pid !== undefined && /^\d+$/.test(pid)) line.pid = pid;
      return '';
    });
  unreadText = unreadText.replace(COMPOSE_PREFIX, '').replace(GREP_PREFIX, '');
  const bracketedField = BRACKETED_FIELD.exec(unreadText);
  if (bracketedField && readBracketedField(bracketedField[1]!, line))
    unreadText = unreadText.slice(bracketedField[0].length);
  if (line.level === undefined)
    unreadText = unreadText.replace(BARE_LEVEL, (_, module: string | undefined, level?: string, loneLevel?: string) => {
      Object.assign(line, { level: level ?? loneLevel, ...(module && module !== '-' && { module }), isFromLog: true });
      return '';
    });
  // Some formats have a `:` after the brackets.
  unreadText = unreadText
    .replace(/^: /, '')
    .replace(SYSTEM_ERROR, '')
    .replace(PROGRAM_PREFIX, '')
    .replace(SOURCE_FILE, '');
  // A second code is part of the words, for example in the output of a CGI program.
  if (line.code !== undefined && line.code !== 'AH00526') return unreadText;
  return unreadText.replace(MESSAGE_CODE, (_, code: string) => {
    line.code = code;
    line.isFromLog = true;
    return '';
  });
}

/**
 * Removes the file of a rejected line (`Syntax error on line 3 of FILE: ` or the path of a
 * .htaccess file), and stores it in `line`. Keeps the code AH00526 only if no reason follows.
 */
function withoutFile(text: string, line: WritableLogLine): string {
  let unreadText = text;
  const syntaxErrorMatch = SYNTAX_ERROR.exec(unreadText);
  if (syntaxErrorMatch) {
    const message = unreadText.slice(syntaxErrorMatch[0].length).trim();
    Object.assign(line, { line: Number(syntaxErrorMatch[1]), file: syntaxErrorMatch[2]!, isFromLog: true });
    if (line.code === 'AH00526') delete line.code;
    if (message === '') line.code = 'AH00526';
    else unreadText = message;
  }
  const isAlert = line.level === 'alert' && line.code === undefined;
  const htaccessMatch = HTACCESS_PATH.exec(unreadText) ?? (isAlert ? OTHER_HTACCESS_PATH.exec(unreadText) : null);
  if (!htaccessMatch) return unreadText;
  Object.assign(line, { file: htaccessMatch[1]!, isFromLog: true, isHtaccess: true });
  return unreadText.slice(htaccessMatch[0].length);
}

/**
 * Removes the fields of an unknown format up to a code, and stores them in `line`. Without a code,
 * returns the text unchanged.
 */
function withoutUnknownFields(text: string, line: WritableLogLine): string {
  const laterCode = CODE_AFTER_PREFIXES.exec(text);
  if (!laterCode) return text;
  const textBeforeCode = text.slice(0, laterCode.index);
  const isUnknownPrefix =
    UNKNOWN_FIELDS.test(textBeforeCode) ||
    (line.level === undefined && LEVEL_WORD.test(textBeforeCode) && UP_TO_EIGHT_WORDS.test(textBeforeCode)) ||
    PIPED_FIELDS.test(textBeforeCode);
  if (line.isFromLog && !isUnknownPrefix) return text;
  Object.assign(line, { code: laterCode[1]!, isFromLog: true });
  const [, module, level] = new RegExp(`\\b(?:([a-z_0-9]{2,30}):)?(${LEVELS})\\b`).exec(textBeforeCode) ?? [];
  if (level !== undefined) Object.assign(line, { level, ...(module && { module }) });
  return text.slice(laterCode.index + laterCode[0].length).replace(/(?<!["}\]])["}\]]+\s*$/, '');
}

/**
 * If the text is in a format that names its fields (`level=error msg="…"`, or JSON), stores level
 * and module in `line`, and returns the message. Otherwise returns the text unchanged.
 */
function messageOfNamedFields(text: string, line: WritableLogLine): string {
  const level = KEYED_LEVEL.exec(text)?.[1];
  const keyedMessage = KEYED_MESSAGE.exec(text)?.[1];
  if (level === undefined || keyedMessage === undefined) return text;
  const module = KEYED_MODULE.exec(text)?.[1];
  Object.assign(line, { level, ...(module !== undefined && { module }), isFromLog: true });
  return withoutFile(withoutPrefixes(keyedMessage.replace(/\\(["\\/])/g, '$1'), line), line);
}

/** Stores the text in brackets in `line`. Returns false if the brackets are part of the message. */
function readBracketedField(textInBrackets: string, line: WritableLogLine): boolean {
  const level = MODULE_AND_LEVEL.exec(textInBrackets);
  if (level) Object.assign(line, { level: level[2]!, ...(level[1] && level[1] !== '-' && { module: level[1] }) });
  else if (/^pid \d/.test(textInBrackets)) line.pid = /^pid (\d+)/.exec(textInBrackets)![1]!;
  else if (/^(?:client|remote) /.test(textInBrackets))
    line.client = textInBrackets.slice(textInBrackets.indexOf(' ') + 1);
  else if (START_OF_DATE.test(textInBrackets)) line.time = textInBrackets;
  // An id, a virtual host or a process, which ErrorLogFormat can add.
  else
    return (
      /^tid \d|^[RC]:|^[\w@+/-]{20,30}$/.test(textInBrackets) ||
      (line.isFromLog && /^(?:(?:[cr]?id|vhost|host|conn|req|unique_id) )?[\w.:@+/=-]{1,100}$/.test(textInBrackets))
    );
  line.isFromLog = true;
  return true;
}

/** Matches the field with the level. Groups: the module, which 2.2 does not log, and the level. */
const MODULE_AND_LEVEL = new RegExp(`^(?:([\\w-]*):)?(${LEVELS})$`);
/**
 * Matches dates: `Wed Oct 11 14:32:52.123 2000`, `2023-10-11 14:32:52`, `11/Oct/2000:14:32:52
 * +0000`.
 */
const START_OF_DATE = /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} +\d|\d{4}-\d\d-\d\d|\d{1,2}\/[A-Z][a-z]{2}\/\d{4})/;
