/**
 * `explain <term>`: explains a directive, module, rule or message of the server, and what to do
 * about it. The caller passes the rules in, so this file does not import them.
 */
import { directive as findDirective, directives, displayName, module as findModule, modules } from '../directives';
import { descriptionOfDirective } from '../directives/descriptions';
import { explanationOfCommand } from '../directives/command-line';
import { messageByCode, messagesIn, messagesMatching, symptomsIn } from '../directives/message-search';
import { serverMessages, type Message } from '../directives/messages';
import { findNearestNames } from '../directives/nearest';
import { opensslTitle } from '../directives/openssl-messages';
import { thirdPartyModules } from '../directives/third-party';
import { explanationOfUpgradeWord } from '../directives/upgrade-words';
import { directiveMarkdown, foreignPlaces, moduleMarkdown } from './hover/directive-markdown';
import { explainWords, allExplainedWords } from './hover/word';
import { htaccessRefusal } from './htaccess-refusal';
import { parseLogLine, type LogLine } from './log-line';

/** The parts of a rule that `explain` needs. */
export interface ExplainedRule {
  readonly id: string;
  readonly title: string;
  /** Returns the rule's documentation in Markdown. */
  readonly page: () => string;
}

/** The explanation of a term or of a line of the error log. */
export interface Explanation {
  readonly title: string;
  readonly markdown: string;
  /**
   * Whether the message of the server is unknown. Then the explanation is about the parts of its
   * line.
   */
  readonly isUnknown?: boolean;
}

/** The result if a term is unknown: similar terms, the most similar one first. */
export interface NothingFound {
  readonly suggestions: readonly string[];
  /** A note about a term that has no page. */
  readonly note?: string;
}

/** What `explain` needs to know about rules, steps of a plan and third-party modules. */
export interface ExplainOptions {
  /** The rules whose pages can be shown. */
  readonly rules: readonly ExplainedRule[];
  /** The steps of an upgrade plan. Their ids are those that the plan shows in brackets. */
  readonly steps?: readonly ExplainedRule[];
  /**
   * The advice for a third-party module, by any of its names; undefined if the module is unknown.
   */
  readonly adviceFor?: (module: string) => string | undefined;
}

/**
 * Explains a term: a rule id, a directive (`Order`, `<Limit>`), a module (`mod_ssl`, `ssl_module`,
 * `mod_ssl.c`), an AH code (`AH01797`, `1797`), a line copied from the log or from our own report,
 * a flag, a variable, a status, an option of httpd (`-D SSL`), or a few words about what went wrong
 * (`403 after upgrade`).
 */
export function explain(term: string, { rules, steps = [], adviceFor }: ExplainOptions): Explanation | NothingFound {
  const searchTerm = term.trim().slice(0, MAX_TERM_LENGTH).replace(/\s+/g, ' ');
  const logLine = parseLogLine(searchTerm);
  if (logLine.isFromLog || SERVER_MESSAGE.test(searchTerm))
    return explainLogLine(logLine, searchTerm, { rules, adviceFor });
  return (
    explainRule(searchTerm, rules) ??
    explainCode(searchTerm, rules) ??
    explainDirective(searchTerm, rules) ??
    explainThirdPartyDirective(searchTerm, rules, adviceFor) ??
    explainModule(searchTerm) ??
    explainReportLine(searchTerm, rules) ??
    explainCommandLine(searchTerm) ??
    explainMessage(searchTerm, rules, adviceFor) ??
    explainThirdPartyModule(searchTerm, rules, adviceFor) ??
    explainLineOrWords(logLine.message, rules) ??
    explainWords(searchTerm) ??
    explainUpgradeWord(searchTerm) ??
    explainRule(searchTerm.replace(/^\[(.*)\]$/, '$1'), [...rules, ...steps]) ??
    explainFirstName(logLine.message, rules) ??
    resultForUnknownCode(searchTerm) ?? { suggestions: similarTerms(logLine.message, [...rules, ...steps]) }
  );
}

/**
 * The result for an AH code without a page; undefined for other terms. Codes with similar numbers
 * are not suggested, because their messages are unrelated.
 */
function resultForUnknownCode(term: string): NothingFound | undefined {
  if (!/^AH\d{5,6}:?$/i.test(term)) return undefined;
  return {
    suggestions: [],
    note: 'This program has no page for this code. Not every code is an error: give the whole line of the log, its level and words say more.',
  };
}

/**
 * Explains one line of a log file. `line`: the parsed line (log-line.ts); `text`: the whole line.
 */
export function explainLine(line: LogLine, text: string, options: ExplainOptions): Explanation {
  return explainLogLine(line, text.slice(0, MAX_TERM_LENGTH), options);
}

/** Limit for the length of a term; the rest is cut off. */
const MAX_TERM_LENGTH = 10_000;

/** Matches a message of the server about a directive, without the prefixes of a log line. */
const SERVER_MESSAGE = new RegExp(
  `^(?:${[
    String.raw`<?\w+>? (?:takes (?:no|one|two|three|\d|at)|requires|must be|cannot occur|not allowed)`,
    String.raw`(?:RewriteMap|Rewrite\w+|SSL Library Error): `,
    String.raw`unknown order$|missing environment variable name|first argument must be '|macro '[^']*' \(`,
    'Could not register method |Cannot find module |Cannot parse (?:condition clause|redirect expression)\\b',
    'Regex could not be compiled|Variable name must not contain|Log level keyword must be|Compression Level must be',
    'Invalid (?:address or port$|mimetype: |or unsupported default charset)|Unsupported HTTP response code',
    'Unrecognized (?:header format|error log format directive) |Bad Substitute format|Version appears to be invalid',
    "'[^']+': invalid OpenSSL configuration command|error in condition clause|Error reading [^ ]+ at line ",
    'The (?:certificate type .* is not recognised|scheme was not recognised as |alias provider )',
  ].join('|')})`,
);

/**
 * Explains a message of the server or its tools. The message is found by its code or by its words.
 * If it has no page, explains the directive of a rejected configuration line, or else the module
 * and the level in the line.
 */
function explainLogLine(line: LogLine, searchTerm: string, options: ExplainOptions): Explanation {
  const { rules, adviceFor } = options;
  if (line.status !== undefined) return explainStatus(line.status, rules);
  const messageText = line.message;
  const reportExplanation = REPORT_OF_THIS_PROGRAM.test(searchTerm) ? explainReportLine(searchTerm, rules) : undefined;
  if (reportExplanation) return reportExplanation;
  if (isRecursion(line, searchTerm)) return messageExplanation(messageWithText(RECURSION_MESSAGE), rules);
  if (line.code !== undefined) {
    const messageOfCode = messageByCode(line.code);
    if (messageOfCode) return explainMessages([messageOfCode], messageText, rules, adviceFor);
    // Some messages have another code in another release. So if a code is unknown, the words
    // decide.
    const messagesByWords = MESSAGE_WITH_SEVERAL_CODES.test(messageText) ? messagesMatching(messageText) : [];
    if (messagesByWords.length > 0) return explainMessages(messagesByWords, messageText, rules, adviceFor);
    return explainForeignWords(messageText, rules) ?? explainByOrigin(line);
  }
  // A line of 2.4 shows the code of its message, if the message has a code. So a line without a
  // code is from a message without a code, about a rejected line of a file or about a request.
  const isOf24 = line.module !== undefined || LOG_PREFIX_24.test(searchTerm);
  const isPossibleMessage = ({ code, isOfRequest }: Message): boolean =>
    !isOf24 || (code === undefined && (line.file !== undefined || isOfRequest === true));
  const pageOf22 =
    LOG_PREFIX_22.test(searchTerm) && !isOf24
      ? symptomMessage(PAGE_TITLE_BY_WORDS_22.get(messageText.split(': ', 1)[0]!) ?? '')
      : undefined;
  if (pageOf22) return messageExplanation(pageOf22, rules);
  const exactMatches = messagesMatching(messageText, isPossibleMessage);
  // The name of the directive may be before the words: `SSLSessionCache: 'shmcb' session cache …`.
  const [nameBeforeWords, name] = /^(\w+): /.exec(messageText) ?? [];
  const hasDirectiveName =
    exactMatches.length === 0 && nameBeforeWords !== undefined && findDirective(name!) !== undefined;
  const matchingMessages = hasDirectiveName
    ? messagesMatching(messageText.slice(nameBeforeWords.length), isPossibleMessage)
    : exactMatches;
  const refusal = explainHtaccessRefusal(line, matchingMessages, rules);
  if (refusal) return refusal;
  if (matchingMessages.length > 0)
    return withEffectForHtaccess(line, explainMessages(matchingMessages, messageText, rules, adviceFor));
  return explainForeignWords(messageText, rules) ?? explainRejectedLine(line, rules) ?? explainByOrigin(line);
}

/**
 * Explains a message of another program or of another release of httpd; undefined if it has no
 * page.
 */
function explainForeignWords(words: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const title =
    (OPENSSL_PREFIX.test(words) ? opensslTitle(words) : undefined) ??
    LOG_SYMPTOMS.find(([pattern]) => pattern.test(words))?.[1];
  const page = title === undefined ? undefined : symptomMessage(title);
  return page && messageExplanation(page, rules);
}

/**
 * Explains a line of a .htaccess file that AllowOverride does not allow; undefined for other lines.
 * The title is that of the message, which the caller found.
 */
function explainHtaccessRefusal(
  line: LogLine,
  [message]: readonly Message[],
  rules: readonly ExplainedRule[],
): Explanation | undefined {
  const refusal = htaccessRefusal(line);
  if (!refusal || !message) return undefined;
  const { headline, meaning, remedy } = refusal;
  const allowOverrideRules = rules.filter(({ id }) => /^allow-override-/.test(id));
  const paragraphs = [
    `**${headline}**`,
    meaning,
    `**What to do:** ${remedy}`,
    ruleList(allowOverrideRules),
    explainNameInMessage(line.message, undefined, rules, undefined),
  ];
  return { title: message.text, markdown: paragraphs.filter(Boolean).join('\n\n') };
}

/**
 * Corrects an explanation for a line of a .htaccess file. Such a line does not stop the server, but
 * requests get 500.
 */
function withEffectForHtaccess({ isHtaccess }: LogLine, answer: Explanation): Explanation {
  if (!isHtaccess) return answer;
  return { ...answer, markdown: answer.markdown.replace(/^httpd does not start(?=[:.])/gm, 'Requests get 500') };
}

/**
 * Matches messages that have other codes on other systems or in other releases, so that they must
 * be found by their words.
 */
const MESSAGE_WITH_SEVERAL_CODES = /^(?:no listening sockets available|bad user name)/;
/** Matches the module and level in a line of 2.4: `[ssl:warn]`, `[:error]`. 2.2 has no colon. */
const LOG_PREFIX_24 = /\[\w*:(?:emerg|alert|crit|error|warn|notice|info|debug|trace\d)\]/;

/** Matches the level in a line of 2.2. */
const LOG_PREFIX_22 = /\[(?:emerg|alert|crit|error|warn|notice|info|debug)\]/;
/** Messages that mean something else in 2.2 than in 2.4, with the titles of the pages about 2.2. */
const PAGE_TITLE_BY_WORDS_22: ReadonlyMap<string, string> = new Map([
  ['client denied by server configuration', 'A denied request in a log of 2.2'],
]);

/** Matches a line of `httpd-upgrade check`. */
const REPORT_OF_THIS_PROGRAM = /\b(?:error|warning|info|hint)\[[a-z0-9-]+\]/;

const OPENSSL_PREFIX = /^(?:AH\d{5}: )?SSL Library Error: /;

/** The title of the page about recursive Include lines. */
const RECURSION_MESSAGE = 'Exceeded maximum include depth of …, There appears to be a recursion.';
/**
 * Matches `Syntax error on line 3 of a: ` repeated ten times. A recursive Include writes such a
 * chain, and the log cuts it before the reason.
 */
const CUT_INCLUDE_CHAIN = /(?:Syntax error on line \d{1,9} of \S{1,500}: ){10}/;

function isRecursion({ file, message }: LogLine, text: string): boolean {
  return file !== undefined && /^S(?:y(?:n|$)|$)/.test(message) && CUT_INCLUDE_CHAIN.test(text);
}

function messageWithText(text: string): Message {
  return serverMessages().find((message) => message.text === text)!;
}

/** Words of log lines that are not messages of httpd itself, with the pages about them. */
const LOG_SYMPTOMS: readonly (readonly [words: RegExp, page: string])[] = [
  [/^ModSecurity: /, 'ModSecurity denies or logs a request'],
  [
    /^PHP (?:\w+ )?Startup|^PHP Warning: {1,2}(?:PHP Startup|Unknown: Unable to load)|^Apache is running a threaded MPM, but/,
    'PHP after the upgrade',
  ],
  [
    /^PHP (?:(?:Recoverable |Catchable )?[Ff]atal error|Parse error|Warning|Notice|Deprecated|Strict)/,
    'PHP reports an error in a program',
  ],
  [/^script '[^']*' not found or unable to stat/, '404 Not Found after the upgrade'],
  [OPENSSL_PREFIX, 'OpenSSL reports an error'],
  [
    /^Init: (?:Name-based SSL virtual hosts only work|You should not use name-based|SSL server IP\/port conflict)/,
    'Virtual hosts with TLS that share an address',
  ],
  [/^NameVirtualHost \S+ has no VirtualHosts/, 'NameVirtualHost … has no VirtualHosts'],
  [/^(?:_default_ )?VirtualHost \S*\s?overlap/, 'Overlapping virtual hosts'],
  [
    /main process exited|^Failed to start |Failed with result|control process exited|^Action '\w+' failed/i,
    'httpd does not start after the upgrade',
  ],
  [/\(pid \d+\) already running|\(no pid file\) not running/, 'httpd runs already, or not at all'],
  [/^Syntax OK$/, 'Syntax OK'],
];

function symptomMessage(text: string): Message | undefined {
  return serverMessages().find((message) => message.isSymptom && message.text === text);
}

/** Explains the status in a line of the access log. */
function explainStatus(status: number, rules: readonly ExplainedRule[]): Explanation {
  const [page] = status >= 400 ? symptomsIn(String(status)) : [];
  if (page) return messageExplanation(page, rules);
  return {
    title: `Status ${status}`,
    markdown: [
      `**Status ${status}** — line of the access log`,
      status < 400
        ? 'The request succeeded, or was redirected.'
        : `httpd or a program answered this request with ${status}.`,
      '**What to do:** If it is not what you expect, look for the same time in the error log.',
    ].join('\n\n'),
  };
}

/**
 * Explains the message about a rejected configuration line, with the page of the directive that it
 * names; undefined for other messages.
 */
function explainRejectedLine(line: LogLine, rules: readonly ExplainedRule[]): Explanation | undefined {
  const { file, message, client } = line;
  // A line without a file may also be from a module that answers a request. Such a line names a
  // client, or begins with a word that is no directive. mod_mem_cache writes a warning with
  // `Resetting`, which rejects no line.
  const [, subject] = AMBIGUOUS_SENTENCE.exec(message) ?? [];
  const isUnknownSubject = subject !== undefined && findDirective(subject) === undefined;
  const isRejection =
    file !== undefined ||
    (client === undefined && SERVER_MESSAGE.test(message) && !isUnknownSubject && !/\. Resetting /.test(message));
  const directiveName = isRejection ? nameOfRejected(message) : undefined;
  const explanation = directiveName === undefined ? undefined : explainDirective(directiveName, rules);
  if (!explanation && !isRejection) return undefined;
  // Only sentences that BEGINS_WITH_NAME matches surely begin with the name of the rejected
  // directive. `Redirect to non-URL` may be about RedirectMatch.
  const beginsWithName = BEGINS_WITH_NAME.test(message);
  const location =
    file === undefined ? '' : ` in ${asCodeSpan(line.line === undefined ? file : `${file}:${line.line}`)}`;
  const effectText = line.isHtaccess ? 'Requests for this directory get 500.' : 'httpd does not start with this line.';
  return {
    title: explanation ? explanation.title : 'httpd rejected a line',
    markdown: [
      `**httpd rejected ${explanation && beginsWithName ? `${/^<?[aeiou]/i.test(explanation.title) ? 'an' : 'a'} \`${explanation.title}\` line` : 'a line'}${location}**`,
      `${effectText} Its words: ${asCodeSpan(message)}`,
      `**What to do:** ${adviceForRejection(message)} \`httpd-upgrade check\` looks for more lines of this kind.`,
      explanation?.markdown,
    ]
      .filter(Boolean)
      .join('\n\n'),
  };
}

/**
 * Matches sentences that are about a directive only if they begin with its name: `Depth must be
 * zero` is about a request. Sentences that begin with `parameter` or `value` are always about a
 * directive, so they do not match.
 */
const AMBIGUOUS_SENTENCE =
  /^<?(?!(?:parameter|value)\b)(\w+)>? (?:requires|must be)\b(?!.{0,200}\barguments?\b| On or Off)/;

/** The advice about a rejected line, chosen by the server's words. */
function adviceForRejection(message: string): string {
  return ADVICE_BY_WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'Correct the line as its words say.';
}

/** What to do about a rejected line, by the words of its message. */
const ADVICE_BY_WORDS: readonly (readonly [words: RegExp, step: string])[] = [
  [/running as root/, 'Name another user than root in the `User` line.'],
  [/is no longer supported|was replaced/, 'Replace the line as its words say.'],
  [/Line too long$/, 'Split this line: put `\\` at the end of a part, or write several lines.'],
  [/^macro '.* used with \d+ arguments/, 'Give the macro as many arguments as its `<Macro>` line has.'],
  [
    /^no macro defined before Use|^macro '.* undefined$/,
    'Put the `<Macro>` section, or the `Include` of its file, above this line.',
  ],
  [/without previous <If>/, 'Put the section directly below its `<If>` or `<ElseIf>` section.'],
  [/does not exist$|Could not open file/, 'Correct the path, or create what is missing.'],
  [/\b(?:takes|requires|must be|arguments?)\b/, 'Correct the arguments of the line.'],
];

/**
 * Matches messages that begin with the name of the rejected line (invoke_cmd in server/config.c,
 * and modules).
 */
const BEGINS_WITH_NAME = /^<?\w+>? (?:takes|requires|must be|has wrong|accepts|argument)|^<?\w+>?: /;

/**
 * The name of the directive in a message about a rejected line; undefined if the message names
 * none. The name is usually the first word.
 */
function nameOfRejected(message: string): string | undefined {
  // This message of mod_authz_host.c and mod_access_compat.c does not name its directive.
  if (message === 'unknown order') return 'Order';
  // These messages of mod_macro.c (use_macro) name the macro, not the directive.
  if (/^macro '.* (?:used with \d+ arguments|undefined$)/.test(message)) return 'Use';
  const [firstWordMatch] = /^<?\/?(\w+)(?=[>:\s|]|$)/.exec(message) ?? [];
  // In `Error reading …`, `error in condition clause` and `Error: …`, the first word is not the
  // directive Error.
  if (firstWordMatch !== undefined && firstWordMatch.toLowerCase() !== 'error' && findDirective(firstWordMatch))
    return firstWordMatch;
  return NAME_INSIDE_MESSAGE.map((pattern) => pattern.exec(message)?.[1]).find(
    (name) => name !== undefined && findDirective(name) !== undefined,
  );
}

/** Matches sentences of modules in which the name of the directive is not the first word. */
const NAME_INSIDE_MESSAGE: readonly RegExp[] = [
  /^The (\w+) directive\b/,
  /^(?:no macro defined before|Invalid|Missing expression name for|Unparse-able) (\w+)\b/,
  /^'(\w+) [^']*': /,
  /\bfor (<?\w+)(?: from \.htaccess configuration)?$/,
  /\b([A-Z][a-z]+[A-Z]\w+)\b/,
];

function asCodeSpan(text: string): string {
  return `\`${text.replaceAll('`', "'").slice(0, 500)}\``;
}

/** Explains a log line that has no page by its module, its level, and the client. */
function explainByOrigin({ module = '', level = '', code, client, message }: LogLine): Explanation {
  const loggedModule = findModule(`mod_${module}`) ?? findModule(module.replace(/^mpm_/, ''));
  const moduleName =
    loggedModule?.name ?? (module === '' || module === 'core' ? '' : `mod_${module.replace(/^mod_/, '')}`);
  const meaning = LEVEL_MEANINGS.find(([levels]) => levels.includes(level))?.[1] ?? '';
  const isErrorLevel = !/^(?:notice|info|debug|trace)/.test(level);
  const sentences = [
    'This program does not know this message.',
    moduleName !== '' && `The module \`${moduleName}\` wrote it.`,
    meaning && `Its level is \`${level}\`: ${meaning}`,
    client !== undefined && `It is about a request of the client ${asCodeSpan(client)}.`,
  ];
  return {
    isUnknown: true,
    title: code ?? `A message of ${moduleName || 'httpd'}`,
    markdown: [
      `**${code ?? `A message of ${moduleName || 'httpd'}`}**${code !== undefined && moduleName !== '' ? ` — message of ${moduleName}` : ''}`,
      sentences.filter(Boolean).join(' '),
      message !== '' && `Its words: ${asCodeSpan(message)}`,
      `**What to do:** ${isErrorLevel ? 'Read' : 'If nothing fails, do nothing. Otherwise read'} the lines before and after it.${module && !/^(?:debug|trace)/.test(level) ? ` \`LogLevel warn ${module}:debug\` adds more of them.` : ''}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  };
}

/** What a level of the log says about a line. The text follows the level and a colon. */
const LEVEL_MEANINGS: readonly (readonly [levels: readonly string[], meaning: string])[] = [
  [['emerg'], 'httpd stops, or does not start.'],
  [['alert', 'crit'], 'a part of httpd or of its configuration does not work.'],
  [['error'], 'something failed, often a request.'],
  [['warn'], 'httpd continues.'],
  [['notice', 'info'], 'mostly, nothing is wrong.'],
  [['debug', 'trace1', 'trace2', 'trace3', 'trace4', 'trace5', 'trace6', 'trace7', 'trace8'], 'a detail of its work.'],
];

/** Explains a word of the upgrade notes; undefined for other terms. */
function explainUpgradeWord(term: string): Explanation | undefined {
  const upgradeWord = explanationOfUpgradeWord(term);
  return (
    upgradeWord && {
      title: upgradeWord.title,
      markdown: `**\`${upgradeWord.title}\`** — word of the upgrade notes\n\n${upgradeWord.text}`,
    }
  );
}

/** Explains an option or a command of httpd; undefined for other terms. */
function explainCommandLine(term: string): Explanation | undefined {
  const commandEntry = explanationOfCommand(term);
  return (
    commandEntry && {
      title: commandEntry.title,
      markdown: `**\`${commandEntry.title}\`** — command line\n\n${commandEntry.text}`,
    }
  );
}

function explainRule(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const rule = rules.find(({ id }) => id === term.toLowerCase());
  return rule && { title: rule.title, markdown: rule.page() };
}

function explainCode(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const message = messageByCode(term);
  return message && messageExplanation(message, rules);
}

/**
 * Explains a directive or section, with the rules about it. If both have this name, both are
 * explained. Undefined for other terms.
 */
function explainDirective(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  // `<Limit GET>` is a section; `<RequireNone> directive has no effect` is a message.
  const directiveName = /^(<?\/?\w+)$|^(<\/?\w+)(?!\w)[^>]*>$/.exec(term)?.slice(1).find(Boolean);
  const directive = directiveName === undefined ? undefined : findDirective(directiveName);
  if (!directive) return undefined;
  const otherForm = findDirective(directive.name, { section: !directive.section });
  const directives = otherForm && !term.startsWith('<') ? [directive, otherForm] : [directive];
  const reportingRule = descriptionOfDirective(directive.name, { section: directive.section })?.rule;
  const rulesAboutDirective = rules.filter(
    ({ id, title }) => id === reportingRule || titleMentions(title, directive.name) || id === kebabCase(directive.name),
  );
  const descriptions = directives.map(({ name, section }) => directiveMarkdown(name, { isSection: section }) ?? '');
  return {
    title: displayName(directive),
    markdown: [...descriptions, ruleList(rulesAboutDirective)].filter(Boolean).join('\n\n'),
  };
}

/** Explains a module of httpd by any of its names; undefined for other terms. */
function explainModule(term: string): Explanation | undefined {
  const markdown = moduleMarkdown(term);
  return markdown === undefined ? undefined : { title: findModule(term)!.name, markdown };
}

/** Explains the messages that a term quotes or names; undefined if there are none. */
function explainMessage(
  term: string,
  rules: readonly ExplainedRule[],
  adviceFor: ExplainOptions['adviceFor'],
): Explanation | undefined {
  const messages = messagesIn(term);
  return messages.length === 0 ? undefined : explainMessages(messages, term, rules, adviceFor);
}

/**
 * Explains the messages that fit a term equally well. Adds facts about the name of a directive or
 * module in the term.
 */
function explainMessages(
  messages: readonly Message[],
  term: string,
  rules: readonly ExplainedRule[],
  adviceFor: ExplainOptions['adviceFor'],
): Explanation {
  const [firstExplanation, ...otherExplanations] = messages.map((message) => messageExplanation(message, rules));
  const invalidName = INVALID_COMMAND_MESSAGE.exec(term)?.[1];
  const unknownNameText = invalidName === undefined ? '' : unknownDirectiveText(invalidName, adviceFor);
  // If the name is known, the facts about it replace the general text.
  const generalTexts =
    unknownNameText === '' ? [firstExplanation!, ...otherExplanations].map(({ markdown }) => markdown) : [];
  const textAboutName = explainNameInMessage(term, invalidName, rules, adviceFor);
  // What became of a module comes before the causes that any module can have.
  const paragraphs = MODULE_LOAD_ERROR.test(term)
    ? [unknownNameText, textAboutName, ...generalTexts]
    : [unknownNameText, ...generalTexts, textAboutName];
  return { title: firstExplanation!.title, markdown: paragraphs.filter(Boolean).join('\n\n') };
}

/** Matches messages about the file of a module that httpd cannot load. */
const MODULE_LOAD_ERROR = /Cannot load|is garbled|Can't locate API/;

/** The explanation of the directive or module that a message names; empty if it names none. */
function explainNameInMessage(
  term: string,
  invalidName: string | undefined,
  rules: readonly ExplainedRule[],
  adviceFor: ExplainOptions['adviceFor'],
): string {
  if (invalidName !== undefined)
    return (
      explainDirective(invalidName, rules)?.markdown ??
      (firstModuleWithDirective(invalidName) ? '' : unknownCommandText(invalidName, rules))
    );
  const file = MODULE_LOAD_ERROR.test(term) ? /(?<![\w.-])([\w.-]+)\.so\b/.exec(term)?.[1] : undefined;
  if (file !== undefined)
    return moduleMarkdown(file) ?? explainThirdPartyModule(file, rules, adviceFor)?.markdown ?? '';
  const subject = NAME_IN_MESSAGE.exec(term)?.[1];
  return subject !== undefined && findDirective(subject) ? directiveMarkdown(subject)! : '';
}

/**
 * Explains a line of our own report, such as `warning[max-clients]: …` or `(httpd-upgrade
 * max-clients)`; undefined if it is none.
 */
function explainReportLine(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const ruleId =
    /\b(?:error|warning|info|hint)\[([a-z0-9-]+)\]/.exec(term)?.[1] ??
    /httpd-upgrade(?:-ignore|\()?\s*(?::\s*)?([a-z0-9-]+)/.exec(term)?.[1];
  return ruleId === undefined ? undefined : explainRule(ruleId, rules);
}

/**
 * Explains a directive of a third-party module: its module, where it is allowed, and what became of
 * the module. Undefined if the directive is not known.
 */
function explainThirdPartyDirective(
  term: string,
  rules: readonly ExplainedRule[],
  adviceFor: ExplainOptions['adviceFor'],
): Explanation | undefined {
  const directiveName = term.replace(/>$/, '');
  const [foreignModule, ...otherModules] = /^<?[A-Za-z][\w.-]*>?$/.test(term)
    ? modulesWithDirective(directiveName)
    : [];
  if (foreignModule === undefined) return undefined;
  const { identifier, places, removed } = foreignModule;
  const lowerName = directiveName.toLowerCase();
  const entryOf = <T>(table: Readonly<Record<string, T>>): readonly [string, T] | undefined =>
    Object.entries(table).find(([name]) => name.toLowerCase().replace(/>$/, '') === lowerName);
  const [shownName = term, letters = ''] = entryOf(places) ?? [];
  const allowedPlacesText = foreignPlaces(letters);
  const paragraphs = [
    `**\`${shownName}\`** — directive of \`${identifier}\`, a module that does not come with httpd`,
    allowedPlacesText && `Allowed in: ${allowedPlacesText}.`,
    entryOf(removed)?.[1] && `The version of the module for 2.4 does not have it. ${entryOf(removed)![1]}`,
    'httpd 2.4 loads only modules that were built for 2.4. Without the module, httpd does not start with this line. In a `.htaccess` file, requests get 500.',
    `**What to do:** ${foreignAdvice(term, identifier, adviceFor)}`,
    ...otherModules.map(
      (other) => `\`${other.identifier}\` also has it: ${foreignAdvice(term, other.identifier, adviceFor)}`,
    ),
    ruleList(
      rules.filter(
        ({ id }) =>
          id === 'third-party-module' ||
          (id === 'php-directive' && lowerName.startsWith('php_')) ||
          (entryOf(removed) && id === 'module-directive-removed'),
      ),
    ),
  ];
  return { title: shownName, markdown: paragraphs.filter(Boolean).join('\n\n') };
}

/**
 * The advice about a directive of a third-party module. `name`: the directive; `identifier`: the
 * module.
 */
function foreignAdvice(name: string, identifier: string, adviceFor: ExplainOptions['adviceFor']): string {
  const advice = adviceFor?.(identifier) ?? 'Install the version of the module for 2.4, or remove the line.';
  if (!/^php_(?:admin_)?(?:flag|value)$/i.test(name)) return advice;
  const placeOfSettings = /admin/i.test(name)
    ? 'the configuration of its pool'
    : 'a `.user.ini` file in the directory of the PHP files';
  return `${advice} With PHP-FPM, write the setting into ${placeOfSettings}, and remove the line.`;
}

/** Explains a third-party module by any of its names; undefined if it is not known. */
function explainThirdPartyModule(
  term: string,
  rules: readonly ExplainedRule[],
  adviceFor: ExplainOptions['adviceFor'],
): Explanation | undefined {
  const advice = /^[\w./-]+$/.test(term) ? adviceFor?.(term) : undefined;
  if (advice === undefined) return undefined;
  const paragraphs = [
    `**\`${term}\`** — module that does not come with httpd`,
    'httpd 2.4 loads only modules that were built for 2.4.',
    `**What to do:** ${advice}`,
    ruleList(rules.filter(({ id }) => id === 'third-party-module')),
  ];
  return { title: term, markdown: paragraphs.filter(Boolean).join('\n\n') };
}

/**
 * Explains a configuration line, or a few words about a problem. A first word in lower case may be
 * an ordinary word. Then a problem is tried before the directive of that name. Undefined if neither
 * is recognized.
 */
function explainLineOrWords(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const [firstWord = ''] = term.split(' ');
  const lineExplanation = term.includes(' ') && !NOT_A_LINE.test(term) ? explainDirective(firstWord, rules) : undefined;
  return /^<?[A-Z]/.test(firstWord)
    ? (lineExplanation ?? explainSymptom(term, rules))
    : (explainSymptom(term, rules) ?? lineExplanation);
}

/** Matches messages that begin like a directive but are not a configuration line. */
const NOT_A_LINE = /^Action '|^VirtualHost \S+ overlaps/;

/** Explains a problem that the user describes in a few words; undefined if it is not recognized. */
function explainSymptom(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const [firstSymptom] = symptomsIn(term);
  if (!firstSymptom) return undefined;
  const { title, markdown } = messageExplanation(firstSymptom, rules);
  // For `ERROR: Module authz_default does not exist!`, the module is also explained.
  const missingModule = /\bModule (\w+) does not exist/i.exec(term)?.[1];
  return {
    title,
    markdown: [markdown, missingModule && moduleMarkdown(`mod_${missingModule}`)].filter(Boolean).join('\n\n'),
  };
}

/**
 * Explains the first rule, module, directive or other name that occurs in a text. A name in lower
 * case does not count if it can be an ordinary word. Undefined if none occurs.
 */
function explainFirstName(term: string, rules: readonly ExplainedRule[]): Explanation | undefined {
  const namesInText = term.match(/<\/?\w+|%\{[^}]*\}|\[[A-Z][^\]\s]*\]|(?<![.-])[.-]*\w(?:[\w.-]*\w)?/g) ?? [];
  for (const word of namesInText.filter((each) => !/^(?:https?|get|post|head|error|if|proxy|file)$/i.test(each))) {
    const isCertainlyName = /[a-z][A-Z]|^[A-Z]|_|^<|^[%[]/.test(word) || word.length >= 10;
    const explanation =
      explainRule(word, rules) ??
      (isCertainlyName
        ? (explainDirective(word, rules) ??
          (word.includes('_') ? explainModule(word) : undefined) ??
          (/^[%[]|^[A-Z_]{3,}$/.test(word) ? explainWords(word) : undefined))
        : undefined);
    if (explanation) return explanation;
  }
  return undefined;
}

/** Matches the message about an unknown directive. Group 1: its name. */
const INVALID_COMMAND_MESSAGE = /Invalid command '([^']+)'/i;

/**
 * Matches the name of a directive or section, and the words that httpd writes after it, such as
 * `takes one argument` (invoke_cmd in server/config.c; ap_check_cmd_context in server/core.c).
 * Other text can come before the name, such as the file and line. Group 1: the name, with `<` for a
 * section.
 */
const NAME_IN_MESSAGE =
  /(?:^|[:\s])(<?[A-Za-z]\w+)>? (?:not allowed|cannot occur|only used|takes|requires|must be|directive|was not closed|was replaced|has no effect|argument)\b/;

/** Modules for uncommon platforms. The text about an unknown directive does not name them. */
const MODULES_OF_RARE_PLATFORMS: ReadonlySet<string> = new Set(['beos', 'mpm_netware', 'mpmt_os2', 'mpm_winnt']);

/**
 * A text for a directive that httpd rejects as unknown: its replacement in 2.4, or the module that
 * it needs; empty if the name is not in our tables.
 */
function unknownDirectiveText(name: string, adviceFor: ExplainOptions['adviceFor']): string {
  const directive = findDirective(name);
  const foreignModules = modulesWithDirective(name);
  if (!directive && foreignModules.length > 0) {
    const moduleNames = foreignModules.map(({ identifier }) => `\`${identifier}\``).join(' and of ');
    const advice = foreignModules.map(({ identifier }) => foreignAdvice(name, identifier, adviceFor));
    return [
      `**\`${name}\`** is a directive of ${moduleNames}, which ${foreignModules.length > 1 ? 'do' : 'does'} not come with httpd. It is not loaded.`,
      ...(foreignModules.length > 1
        ? foreignModules.map(({ identifier }, index) => `**What to do** with \`${identifier}\`: ${advice[index]}`)
        : [`**What to do:** ${advice[0]}`]),
    ].join('\n\n');
  }
  if (!directive) return '';
  const facts = directive['2.4'];
  const directiveName = displayName(directive);
  if (facts?.arguments === undefined)
    return directive['2.2'] === undefined
      ? ''
      : `**\`${directiveName}\`** is a directive of 2.2. httpd 2.4 does not have it.\n\n**What to do:** Replace or remove the line. \`httpd-upgrade check\` on its file shows how.`;
  const modulesOfDirective = facts.modules.filter(
    (moduleName) => moduleName !== 'core' && !MODULES_OF_RARE_PLATFORMS.has(moduleName),
  );
  const identifiers = modulesOfDirective.flatMap((moduleName) => findModule(moduleName)?.['2.4']?.identifier ?? []);
  if (identifiers.length === 0) return '';
  if (modulesOfDirective.includes('mod_access_compat'))
    return `**\`${directiveName}\`** is access control of 2.2. In 2.4 \`Require\` replaces it.\n\n**What to do:** Run \`httpd-upgrade fix --diff FILE\` with the file that has the line: it shows the new lines. To keep the old lines for now, load \`access_compat_module\`.`;
  const moduleNames = identifiers
    .slice(0, 3)
    .map((identifier) => `\`${identifier}\``)
    .join(' or ');
  return [
    `**\`${directiveName}\`** is a ${directive.section ? 'section' : 'directive'} of ${modulesOfDirective.join(' or ')} in httpd 2.4, and this module is not loaded: load ${moduleNames}.`,
    `**What to do:** Add the LoadModule line of ${moduleNames}, or remove the line.`,
  ].join('\n\n');
}

/** The first third-party module that has a directive; undefined if none has it. */
function firstModuleWithDirective(name: string) {
  return modulesWithDirective(name)[0];
}

/** The third-party modules that have a directive, or a section (whose name has a `<`). */
function modulesWithDirective(name: string) {
  return thirdPartyModules(name.replace(/^</, '').toLowerCase(), name.startsWith('<'));
}

/** A text for a name that no directive of httpd has, with similar names. */
function unknownCommandText(name: string, rules: readonly ExplainedRule[]): string {
  const similarNames = similarTerms(name, rules).map((suggestion) => `\`${suggestion}\``);
  const sentence = `\`${name}\` is no directive of httpd 2.2 or 2.4: misspelled, or from a third-party module.`;
  return similarNames.length > 0 ? `${sentence} Close to it: ${similarNames.slice(0, 3).join(', ')}.` : sentence;
}

/** Explains one message. */
export function messageExplanation(message: Message, rules: readonly ExplainedRule[]): Explanation {
  const rulesOfMessage = rules.filter(({ id }) => message.rules.includes(id));
  const manualLinks = message.about.map((name) => manualLink(name)).filter(Boolean);
  const markdown = [
    `**${[message.code, message.text]
      .filter(Boolean)
      .join(': ')
      .replace(/[*_`[\]<]/g, '\\$&')}**`,
    message.meaning,
    `**What to do:** ${message.remedy}`,
    ruleList(rulesOfMessage),
    manualLinks.length > 0 ? `See also: ${manualLinks.join(', ')}` : '',
  ];
  return { title: message.code ?? message.text, markdown: markdown.filter(Boolean).join('\n\n') };
}

/** A link to the manual of a directive or module; empty if its manual is not known. */
function manualLink(name: string): string {
  const directive = findDirective(name);
  const directiveOrModule = directive ?? findModule(name);
  const manual = (directiveOrModule?.['2.4'] ?? directiveOrModule?.['2.2'])?.manual;
  const linkText = directive ? displayName(directive) : name;
  return manual ? `[\`${linkText}\`](${manual})` : '';
}

/** A list of rules in Markdown; empty if there are none. */
function ruleList(rules: readonly ExplainedRule[]): string {
  if (rules.length === 0) return '';
  return [
    '**Checks of httpd-upgrade that report this**',
    ...rules.map(({ id, title }) => `- \`${id}\`: ${title}`),
  ].join('\n');
}

function titleMentions(title: string, name: string): boolean {
  return title.split(/[^\w]+/).includes(name);
}

/** A directive's name as rule ids spell it: `keep-alive` for `KeepAlive`. */
function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

// ---- Similar names ----

/** The known names that are most similar to the term, or to one of its words. */
function similarTerms(term: string, rules: readonly ExplainedRule[]): string[] {
  const candidates = [
    ...new Set([
      ...directives().map((directive) => displayName(directive)),
      ...modules().map(({ name }) => name),
      ...rules.map(({ id }) => id),
      ...serverMessages().flatMap(({ code }) => code ?? []),
      ...allExplainedWords(),
    ]),
  ];
  const similarNames = findNearestNames(term, candidates);
  if (similarNames.length > 0 || !term.includes(' ')) return similarNames;
  return [
    ...new Set(
      term
        .split(/[\s,;:()"'`]+/)
        .filter((word) => word.length >= 5)
        .flatMap((word) => findNearestNames(word, candidates, 2)),
    ),
  ].slice(0, 5);
}
