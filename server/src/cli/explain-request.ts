/** The command `explain --request`: shows how the servers answer one request, as text or JSON. */
import { COPY_ASSUMPTION } from '../features/missing-parts';
import type { SettingsByFile } from '../features/project';
import {
  WORDS_FOR_ACCESS,
  explainRequest,
  doServersDiffer,
  requestConfiguration,
  requestJson,
  SERVER_NAMES,
  type ExplainedRequest,
} from '../features/requests';
import { isMainFileTree } from '../config/file-summary';
import { parentOf, type FileView } from '../config/files';
import { diskFileView } from '../host/node-files';
import { jsonWithVisibleText } from '../syntax/hidden-text';
import { shellWord } from '../syntax/shell-word';
import type { GivenRequest, VerifyFormat } from './arguments';
import { mainFileAt } from './request-root';
import { parseLogLine } from '../features/log-line';
import { isAddress } from '../requests/addresses';
import { namesOfMissingParts, optionalHost, WHY_ANSWER_UNKNOWN } from '../requests/decide';
import { ASSUMED_DOCUMENT_ROOT } from '../requests/mapping';
import {
  REQUEST_SERVERS,
  type Reason,
  type RequestConfiguration,
  type FileLine,
  type RequestServer,
  type SectionRow,
  type UnknownFact,
} from '../requests/model';
import { clientText, requestUrl } from '../requests/request-text';
import { reasonsOfDirectories, pathInRefusal, requestsToFile } from '../requests/urls-of-file';
import { lastParagraphsOf, type LastParagraphs } from './denied-line';
import { isFileOrPipe } from './explain-log';
import { countWithNoun, printable, type Terminal } from './terminal';
import { wrapText } from './wrap';
import { shortPath } from './short-path';

/**
 * Returns the explanation, in the format that the user wants. If there is none, reports the reason
 * to `terminal` and returns an empty text.
 */
export async function requestExplanation(
  { request, logLine, mainFile: givenMainFile, onlyServer, format }: GivenRequest & { readonly format: VerifyFormat },
  settings: SettingsByFile,
  terminal: Terminal,
): Promise<string> {
  const view = diskFileView(undefined, undefined, { isOnce: true });
  const mainFileResult = await mainFileAt(givenMainFile, view);
  if ('problem' in mainFileResult) {
    terminal.reportProblem(givenMainFile, mainFileResult.problem);
    return '';
  }
  terminal.showProgress('Reading the configuration');
  const configuration = requestConfiguration({ root: mainFileResult.mainFile, view, settings });
  const { accessSource } = settings.engineOf(mainFileResult.mainFile);
  // On a server that runs 2.4, the answer of 2.2 is of no use. The JSON always has both versions.
  const isFor24 = format !== 'json' && accessSource === '2.4';
  const servers = onlyServer === null ? (isFor24 ? SERVERS_24 : undefined) : [onlyServer];
  if (request === null) {
    const { answers } = settings.engineOf(mainFileResult.mainFile).answerSet;
    return explainLogLine(logLine ?? '', configuration, { servers, format, answers }, terminal);
  }
  const explanation = explainRequest(request, configuration, servers);
  terminal.clearProgress();
  return format === 'json'
    ? `${jsonWithVisibleText(requestJson(explanation, shortPath))}\n`
    : requestText(explanation, configuration.files.view, terminal, isIncludedFile(mainFileResult.mainFile, view));
}

/**
 * Whether a file that is read as a main file has no lines that only a main file has. Then it is
 * probably a file that the real main file includes.
 */
function isIncludedFile(mainFile: string, view: FileView): boolean {
  const tree = view.read(mainFile);
  return tree !== null && !isMainFileTree(tree.root, mainFile);
}

/**
 * How to explain a log line. `servers`: those whose answers are shown; undefined if the line
 * decides.
 */
interface LogLineOptions {
  readonly servers: readonly RequestServer[] | undefined;
  readonly format: VerifyFormat;
  /** The user's answers by the ids of their questions. */
  readonly answers: ReadonlyMap<string, string>;
}

/** Explains each request that leads to the file which a log line names. */
function explainLogLine(
  text: string,
  configuration: RequestConfiguration,
  { servers, format, answers: givenAnswers }: LogLineOptions,
  terminal: Terminal,
): string {
  const { message, client, code, module } = parseLogLine(text);
  const file = pathInRefusal(message);
  const clientAddress = client?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? null;
  const address = clientAddress !== null && isAddress(clientAddress) ? clientAddress : null;
  // An access line denied the request. So the user may be wrong with the answer that a .htaccess
  // file has no access lines, and this answer is not used.
  const { hasNoAccessLines, ...configurationWithoutAnswers } = configuration;
  const requests = file === null ? [] : requestsToFile(file, address, configurationWithoutAnswers);
  terminal.clearProgress();
  if (file === null) {
    terminal.reportFailure(
      isFileOrPipe(text)
        ? `--root takes one line of a log, and ${printable(text)} is a file: put a line of it in quotes. To explain the whole log, omit --root`
        : '--root needs a line with AH01630 or AH01797, "client denied by server configuration". To explain another line, omit --root',
    );
    return '';
  }
  // A line with a code or a module is of 2.4, so the text leaves out 2.2. The JSON always has both
  // versions (docs/output.schema.json).
  const isFor24 = format !== 'json' && (code !== undefined || module !== undefined);
  const explanations = requests.map((request) =>
    explainRequest(request, configurationWithoutAnswers, servers ?? (isFor24 ? SERVERS_24 : REQUEST_SERVERS)),
  );
  if (format === 'json')
    return `${jsonWithVisibleText({ version: 1, file, from: address, requests: explanations.map((answer) => requestJson(answer, shortPath)) })}\n`;
  const hasAdvice = explanations.some(({ answers }) => answers.some(({ losing }) => losing !== undefined));
  const nextCommandRows =
    code === undefined || hasAdvice ? [''] : [`To see what to do: httpd-upgrade explain ${code}`, ''];
  if (explanations.length === 0)
    return [...wrapText(printable(noUrlText(file, configurationWithoutAnswers))), ...nextCommandRows].join('\n');
  const explanationsOfStartedServers = explanations.map((each) => ({
    ...each,
    answers: each.answers.filter(doesServerStart),
  }));
  const lastParagraphs = lastParagraphsOf({
    code,
    explanations: explanationsOfStartedServers,
    configuration: configurationWithoutAnswers,
    hasNoAccessLines,
    answers: givenAnswers,
  });
  const title = `${countWithNoun(explanations.length, 'URL')} ${explanations.length === 1 ? 'leads' : 'lead'} to ${file}:`;
  const urlRows = requests.map((request) => `  ${printable(requestUrl(request))}`);
  return [
    printable(title),
    ...urlRows,
    '',
    ...explanations.map((answer) => requestText(answer, configuration.files.view, terminal)),
    ...(lastParagraphs ? rowsOfParagraphs(lastParagraphs) : nextCommandRows),
  ].join('\n');
}

/** The paragraphs as rows, and the command in a row of its own. */
function rowsOfParagraphs({ paragraphs, command }: LastParagraphs): string[] {
  const paragraphRows = paragraphs.flatMap((paragraph) => [...wrapText(printable(paragraph)), '']);
  return command === null ? paragraphRows : [...paragraphRows.slice(0, -1), `  ${printable(command)}`, ''];
}

/** The servers that log lines with a code or with the name of a module: 2.2 logs neither. */
const SERVERS_24: readonly RequestServer[] = REQUEST_SERVERS.filter((server) => server !== '2.2');

/** The answers of the servers to one request, as text. */
function requestText(
  explanation: ExplainedRequest,
  view: FileView,
  terminal: Terminal,
  isIncludedFile = false,
): string {
  return new RequestText(explanation, shortPath, view, terminal, isIncludedFile).text();
}

/**
 * The answers in the order in which they are shown. Servers that do not start come last: what they
 * would answer matters least. 2.2 comes after 2.4 if only 2.2 has a configuration error, because
 * the files are then for 2.4.
 */
function answersInShownOrder(answers: ExplainedRequest['answers']): readonly ExplainedAnswer[] {
  const isErrorOf22 = ({ server, access }: ExplainedAnswer) => server === '2.2' && access === 'error';
  const isErrorOf24 = ({ server, access }: ExplainedAnswer) => server !== '2.2' && access === 'error';
  const rankOf = (answer: ExplainedAnswer) => {
    if (!doesServerStart(answer)) return 2;
    return isErrorOf22(answer) && !answers.some(isErrorOf24) ? 1 : 0;
  };
  return [0, 1, 2].flatMap((rank) => answers.filter((each) => rankOf(each) === rank));
}

/** The access of an answer in words. A redirect gives no access to a file, so it is named. */
function accessWords({ access, target }: ExplainedAnswer): string {
  return access === 'granted' && target.kind === 'redirect' ? 'a redirect' : WORDS_FOR_ACCESS[access];
}

/** Whether two servers give the same answer, because of the same lines. */
function hasSameReason(one: ExplainedAnswer, other: ExplainedAnswer): boolean {
  const reasonOf = ({ access, why, because }: ExplainedAnswer) => JSON.stringify([access, why, because]);
  return doesServerStart(one) && doesServerStart(other) && reasonOf(one) === reasonOf(other);
}

type ExplainedAnswer = ExplainedRequest['answers'][number];

/** Why no URL leads to a file, as far as it is known. */
function noUrlText(file: string, configuration: RequestConfiguration): string {
  const missingParts = namesOfMissingParts(configuration);
  if (missingParts.length === 0) {
    const reason = reasonsOfDirectories(configuration)(parentOf(file));
    const why =
      reason === null
        ? ''
        : `: ${reason.what.replaceAll('`', '')}${reason.place === null ? '' : ` (${shortPath(reason.place.file)}:${reason.place.line + 1})`}`;
    // Lines such as RewriteRule may lead to the file from a URL that is not known.
    const isCertainlyUnreachable = reason !== null && reason.mayBeReached !== true;
    return isCertainlyUnreachable
      ? `No URL of this configuration leads to ${file}${why}. So the server that wrote the line has other files, or these files were changed since.`
      : `No URL was found that leads to ${file}${why}.${optionalHostText(configuration)} "httpd-upgrade explain --request" answers for one URL.`;
  }
  const [first] = missingParts;
  const missingText =
    missingParts.length === 1
      ? `\`${first}\``
      : `\`${first}\` and ${countWithNoun(missingParts.length - 1, 'other part')}`;
  return `No URL of the files in this copy leads to ${file}. Not in this copy, or not read: ${missingText}. Copy it with its links and run again.`;
}

/** A sentence about a virtual host in `<IfDefine>`, after a space; empty if there is none. */
function optionalHostText(configuration: RequestConfiguration): string {
  const host = optionalHost(configuration);
  if (host === null) return '';
  return ` ${host.tag} (${shortPath(host.place.file)}:${host.place.line + 1}) ${host.advice}.`;
}

/**
 * Advice for a directory of the server that is missing here: the option that names a copy of it.
 */
function mapRemedy(missing: string): string {
  const folder = missing.replace(/(?<=.)\/$/, '');
  return `If you have a copy of ${folder}, add: --map ${shellWord(`${folder}=DIR`)}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The words of a headline if both servers give one answer. */
const SAME_ANSWER = '2.2 and 2.4 give the same answer';

/** Makes the text about one explained request, row by row. */
class RequestText {
  private readonly rows: string[] = [];
  /** The reasons of unknown answers that are given already. */
  private readonly reasonsGiven = new Set<string>();

  constructor(
    private readonly explanation: ExplainedRequest,
    private readonly shortPath: (file: string) => string,
    private readonly view: FileView,
    private readonly terminal: Terminal,
    private readonly isIncludedFile: boolean,
  ) {}

  /** Makes the whole text, with the parts in the order of their use. */
  text(): string {
    const { request, answers } = this.explanation;
    const client = clientText(request);
    const clientAndUser = [
      client === null ? '' : ` from ${client}`,
      request.user === null ? '' : ` as ${request.user}`,
    ].join('');
    this.rows.push(this.terminal.style('bold', printable(`${request.method} ${requestUrl(request)}${clientAndUser}`)));
    if (this.isIncludedFile)
      this.addParagraph(
        'This file does not have the lines of a main configuration file, such as ServerRoot. So lines of other files can change this answer.',
      );
    const needsClient =
      answers.some(({ access }) => access === 'unknown') && this.explanation.unknown.some((fact) => fact.needsClient);
    // The colon of a headline leads to the answers, which then do not come next.
    const headline = needsClient ? this.headline().replace(/:$/, '.') : this.headline();
    if (answers.length > 1)
      this.addParagraph(
        this.isIncludedFile ? headline.replace(SAME_ANSWER, `By this file alone, ${SAME_ANSWER}`) : headline,
      );
    if (needsClient) this.addParagraph('The answer depends on the client. To give its address, add: --from ADDRESS');
    if (!this.isKnownOnlyInCopy) this.addDecisions(answers);
    this.addAnswersOfCopy();
    this.addMethodNote();
    if (this.areAllAnswersUnknown) this.addUnknownFacts();
    this.addHost();
    this.addTarget(this.explanation.answers.at(-1)!);
    this.addSections();
    if (!this.areAllAnswersUnknown) this.addUnknownFacts();
    return `${this.rows.join('\n')}\n`;
  }

  /**
   * Adds a note for methods for which httpd sends no file. It sends files only for GET, HEAD and
   * POST (default_handler in server/core.c).
   */
  private addMethodNote(): void {
    const { request, answers } = this.explanation;
    const { method } = request;
    // With a proxy, the backend decides how it answers this method.
    if (answers.some(({ target }) => target.kind === 'proxy')) return;
    if (/^(GET|HEAD|POST|OPTIONS)$/.test(method) || !answers.some(({ access }) => access === 'granted')) return;
    this.rows.push('');
    this.addParagraph(
      `"allowed" is about access control. If no module such as mod_dav, no script and no proxy handles ${printable(method)}, httpd then answers 405.`,
    );
  }

  /**
   * Whether no answer of the servers that start is known. Then the facts on which the answers
   * depend come right below.
   */
  private get areAllAnswersUnknown(): boolean {
    const answersOfStarted = this.explanation.answers.filter(doesServerStart);
    return answersOfStarted.length > 0 && answersOfStarted.every(({ access }) => access === 'unknown');
  }

  /** Whether all answers are unknown, but would be known if the missing parts did not matter. */
  private get isKnownOnlyInCopy(): boolean {
    const { answers, answersOfCopy } = this.explanation;
    return answersOfCopy !== null && answers.every(({ access }) => access === 'unknown');
  }

  /** The first sentence. It compares the answers, without those of servers that do not start. */
  private headline(answers = this.explanation.answers): string {
    const answersOfStarted = answers.filter(doesServerStart);
    const [first] = answersOfStarted;
    if (first === undefined) return 'No server starts with these files.';
    if (answers.every(({ server }) => server !== '2.2')) return headlineOf24(answersOfStarted);
    const answerWithoutStart = answers.find((answer) => !doesServerStart(answer));
    const textOfServer = answerWithoutStart
      ? `httpd ${answerWithoutStart.server} does not start with these files.`
      : '';
    const textBefore = textOfServer === '' ? '' : `${textOfServer} `;
    if (doServersDiffer({ answers: answersOfStarted }))
      return `${textBefore}The ${answerWithoutStart ? 'other ' : ''}servers ${isDifferenceCertain(answersOfStarted) ? '' : 'may '}answer differently:`;
    const { answersOfCopy } = this.explanation;
    if (first.access === 'unknown' && answers !== answersOfCopy && answersOfCopy !== null)
      return `Parts are missing, so the answer is not certain. If they do not matter: ${this.headline(answersOfCopy)}`;
    if (first.access === 'unknown')
      return `${textBefore}It is not known what the ${answerWithoutStart ? 'other ' : ''}servers answer.`;
    return answerWithoutStart
      ? `httpd 2.4 answers: ${accessWords(first)}. ${textOfServer}`
      : `${SAME_ANSWER}: ${accessWords(first)}.`;
  }

  /** Adds what the servers answer if the missing parts do not matter. */
  private addAnswersOfCopy(): void {
    const { answersOfCopy } = this.explanation;
    if (answersOfCopy === null) return;
    this.rows.push('', this.styledTitle('If the missing parts do not matter'));
    this.addParagraph(`This means: ${COPY_ASSUMPTION}.`, '  ');
    this.addDecisions(answersOfCopy);
  }

  /** Adds what each server answers. If the conversion changes nothing, 2.4 is listed once. */
  private addDecisions(answers: ExplainedRequest['answers']): void {
    this.rows.push('');
    const areAnswersOf24Equal = this.isUnchangedByConversion(answers);
    this.reasonsGiven.clear();
    for (const answer of answersInShownOrder(answers)) {
      if (!areAnswersOf24Equal) this.addDecision(answer, SERVER_NAMES[answer.server]);
      else if (answer.server === '2.4') this.addDecision(answer, 'httpd 2.4, before and after the conversion');
      else if (answer.server === '2.2') this.addDecision(answer, SERVER_NAMES[answer.server]);
    }
  }

  /**
   * Adds what one server answers, why, and the lines that decide. `name`: the server as users see
   * it.
   */
  private addDecision(answer: ExplainedAnswer, name: string): void {
    const { server, access, because, why } = answer;
    const decisionText = doesServerStart(answer) ? accessWords(answer) : 'does not start';
    const style = access === 'granted' ? 'green' : access === 'unknown' ? 'yellow' : 'red';
    const oldLine = server === '2.4' ? this.oldLine(answer) : null;
    this.rows.push(`${name}: ${this.terminal.style(style, decisionText)}`);
    if (oldLine) this.addOldLine(oldLine);
    if (access === 'unknown') this.addReasonOfUnknown(why);
    else this.addParagraph(`${why.replace(NO_START_REASON, '')}.`, '  ');
    for (const { text, ...place } of because)
      this.rows.push(
        server === '2.4' && this.isWrittenByConversion(place, text)
          ? `  ${this.fileText(place)}  ${printable(text)}  (new line, replaces line ${place.line + 1})`
          : `  ${this.placeText(place)}  ${printable(text)}`,
      );
    this.addAdviceForLosing(answer);
  }

  /** Adds why an answer is unknown, if no other answer has the same reason. */
  private addReasonOfUnknown(why: string): void {
    const hasFacts = this.explanation.unknown.length > 0;
    if (this.reasonsGiven.has(why) || (why === WHY_ANSWER_UNKNOWN && hasFacts && this.areAllAnswersUnknown)) return;
    this.reasonsGiven.add(why);
    const moreText = hasFacts && !this.areAllAnswersUnknown ? ` (below: ${FACTS_TITLE})` : '';
    this.addParagraph(`${why}${moreText}.`, '  ');
  }

  /**
   * Adds what to write if Allow lines lose against Require. Only the first answer with such lines
   * gets the advice, because it is the same for all.
   */
  private addAdviceForLosing({ losing, sections, server }: ExplainedAnswer): void {
    const isShownForOther = this.explanation.answers.find((each) => each.losing)?.server !== server;
    if (losing === undefined || isShownForOther) return;
    const { line: at, newLine } = losing;
    const section = sections
      .filter(({ file, line }) => file === at.file && line <= at.line)
      .reduce<SectionRow | null>((last, each) => (last && last.line > each.line ? last : each), null);
    const place = section ?? at;
    const sectionText = section?.name.startsWith('<') ? section.name : 'this file';
    this.addParagraph(
      `If the request must be allowed, replace all Order, Allow, Deny and Require lines of ${sectionText} (${this.shortPath(place.file)}:${place.line + 1}) by ${newLine === null ? 'the Require lines that stand for Allow and Deny.' : 'this line:'}`,
      '  ',
    );
    if (newLine !== null) this.rows.push(`    ${printable(newLine)}`);
  }

  /** Whether httpd 2.4 gives the same answer before and after the conversion, by the same lines. */
  private isUnchangedByConversion(answers: ExplainedRequest['answers']): boolean {
    const [before, after] = (['2.4-compat', '2.4'] as const).map((each) =>
      answers.find(({ server }) => server === each),
    );
    return before !== undefined && after !== undefined && this.oldLine(after) === null && hasSameReason(before, after);
  }

  /**
   * A line of 2.2's access control that the conversion does not replace: a line that decides, or
   * else the first such line in a section that applies. Null if there is none.
   */
  private oldLine({ because, sections }: ExplainedAnswer): OldLine | null {
    const oldLinesInSections = sections
      .filter(({ applies }) => applies !== false)
      .flatMap(({ adds, file, line, name }) => adds.map((text): OldLine => ({ file, line, text, section: name })));
    return [...because, ...oldLinesInSections].find(({ text }) => OLD_ACCESS_LINE.test(text)) ?? null;
  }

  /** Adds that the conversion leaves a line of 2.2, and what follows from that. */
  private addOldLine({ text, section, ...place }: OldLine): void {
    const isAccessFile = this.explanation.sections.some(({ name, file }) => file === place.file && !/^</.test(name));
    const consequence = isAccessFile ? 'requests get 500' : '2.4 does not start';
    this.addParagraph(
      `Not converted: ${this.shortPath(place.file)}:${place.line + 1} \`${text}\`${section?.startsWith('<') ? ` in \`${section}\`` : ''} (httpd-upgrade plan says why). Without mod_access_compat, ${consequence}. This answer is with mod_access_compat.`,
      '  ',
    );
  }

  /**
   * Whether a line or tag of an answer (`text`) is one that the conversion adds. The place of such
   * a line is that of the lines that it replaces, so the file has another line there.
   */
  private isWrittenByConversion({ file, line }: FileLine, text: string): boolean {
    const tree = this.view.read(file);
    const currentLine = tree && line < tree.lineCount ? tree.lineAt(tree.offsetAt({ line, character: 0 })) : null;
    const isInOtherAnswer = this.explanation.answers.some(
      ({ server, because }) => server !== '2.4' && because.some((each) => each.text === text),
    );
    return currentLine !== null && !isInOtherAnswer && currentLine.line.text.trim() !== text.trim();
  }

  /** Whether the section is in the files after the conversion, and not in the files as they are. */
  private isOnlyAfterConversion({ file, line }: FileLine): boolean {
    const oldAnswers = this.explanation.answers.filter(({ server }) => server !== '2.4');
    const hasSection = ({ sections }: ExplainedAnswer) =>
      sections.some((row) => row.file === file && row.line === line);
    return oldAnswers.length > 0 && !oldAnswers.some(hasSection);
  }

  /**
   * Adds the virtual host that applies. If the servers use different ones, adds each with its
   * servers.
   */
  private addHost(): void {
    const { answers } = this.explanation;
    const hosts = new Map(answers.map(({ host }) => [`${host.name} ${host.place?.file}:${host.place?.line}`, host]));
    if (this.areAllAnswersUnknown && [...hosts.values()].every(isHostUnknown)) return;
    this.rows.push('', this.styledTitle('Virtual host'));
    for (const [key, host] of hosts) {
      const servers = answers.filter(
        (answer) => `${answer.host.name} ${answer.host.place?.file}:${answer.host.place?.line}` === key,
      );
      const serversPrefix = hosts.size > 1 ? `${servers.map(({ server }) => server).join(', ')}: ` : '';
      const hostText = isHostUnknown(host) ? 'not known' : `${host.name}: ${host.why}`;
      this.addParagraph(`${serversPrefix}${hostText}.`, '  ');
      if (host.place) this.rows.push(`  ${this.placeText(host.place)}`);
    }
  }

  /** Adds the file, or whatever else the URL leads to. */
  private addTarget({ target }: ExplainedAnswer): void {
    if (this.areAllAnswersUnknown && target.kind === 'unknown') return;
    this.rows.push('', this.styledTitle('Where the URL leads'));
    const isRootAssumed = this.isRootAssumedFor(target);
    if (this.isRootNotKnown)
      return this.addParagraph(
        'Not known: this file has no DocumentRoot line. Run the command on the main configuration file.',
        '  ',
      );
    const isPathShown = target.path !== '' && target.kind !== 'unknown' && !target.path.includes('${');
    const pathText = isPathShown ? ` ${target.path}` : '';
    const targetText =
      target.kind === 'missing' && pathText !== ''
        ? `To no file:${pathText} does not exist here`
        : `${TARGET_LABELS[target.kind]}${pathText}`;
    this.addParagraph(`${targetText}${isRootAssumed ? ' (assumed, without a DocumentRoot line)' : ''}`, '  ');
    if (target.place) this.rows.push(`  ${this.placeText(target.place)}`);
  }

  /** Whether the target is below a document root that no line sets. */
  private isRootAssumedFor({ kind }: ExplainedAnswer['target']): boolean {
    return (
      /^(?:file|directory|missing)$/.test(kind) &&
      this.explanation.unknown.some(({ what }) => what === ASSUMED_DOCUMENT_ROOT)
    );
  }

  /** Whether the document root is not known, because the file is only a part of a configuration. */
  private get isRootNotKnown(): boolean {
    return this.isIncludedFile && this.isRootAssumedFor(this.explanation.answers.at(-1)!.target);
  }

  /**
   * Adds the sections that a server considers, in the order in which httpd applies them, with their
   * access lines.
   */
  private addSections(): void {
    const { answers, sections } = this.explanation;
    const isAnyAnswerUnknown = answers.some(({ access }) => access === 'unknown');
    if (this.areAllAnswersUnknown && sections.length === 0) return;
    this.rows.push('', this.styledTitle('Sections, in the order in which httpd applies them'));
    if (sections.length === 0)
      this.rows.push(isAnyAnswerUnknown ? `  Not known (below: ${FACTS_TITLE}).` : '  No section applies.');
    for (const { name, applies, adds, ...place } of sections) {
      const appliesText = applies === true ? '' : applies === false ? ' (does not apply)' : ' (may apply)';
      const isNew = name.startsWith('<') && this.isOnlyAfterConversion(place);
      this.rows.push(
        `  ${isNew ? this.fileText(place) : this.placeText(place)}  ${printable(name)}${appliesText}${isNew ? ' (the fix adds this section)' : ''}`,
      );
      for (const line of adds) this.rows.push(`      ${printable(line)}`);
    }
  }

  /** Adds the facts that are not known, and the options that supply them. */
  private addUnknownFacts(): void {
    // For an included file, the text about the target already says that the document root is not
    // known.
    const unknownFacts = this.isRootNotKnown
      ? this.explanation.unknown.filter(({ what }) => what !== ASSUMED_DOCUMENT_ROOT)
      : this.explanation.unknown;
    if (unknownFacts.length === 0) return;
    this.rows.push('', this.styledTitle(FACTS_TITLE));
    // A line that the conversion moves has two places. It is shown only at the first one.
    const factByText = new Map(unknownFacts.toReversed().map((fact) => [fact.what, fact]));
    for (const fact of unknownFacts) if (factByText.get(fact.what) === fact) this.addUnknownFact(fact);
    for (const missingFolder of new Set(unknownFacts.flatMap((fact) => fact.missingDirectory ?? [])))
      this.addParagraph(mapRemedy(missingFolder), '  ');
    for (const name of new Set(unknownFacts.flatMap(({ startName }) => startName ?? [])))
      this.addParagraph(
        `If the server starts with ${name}, add: -D ${shellWord(name)}. If not, add: --answer ${shellWord(`define:${name}=off`)}`,
        '  ',
      );
    const modules = [...new Set(unknownFacts.flatMap(({ module }) => module ?? []))];
    if (modules.length > 0)
      this.addParagraph(
        `If the server has ${modules.length === 1 ? 'this module' : 'these modules'} (httpd -M, apache2ctl -M), add: --modules ${shellWord(modules.join(','))}`,
        '  ',
      );
  }

  private addUnknownFact({ what, place }: UnknownFact): void {
    this.addParagraph(what, '  ');
    if (place) this.rows.push(`    ${this.placeText(place)}`);
  }

  private styledTitle(text: string): string {
    return this.terminal.style('bold', text);
  }

  private fileText({ file }: FileLine): string {
    return this.terminal.style('cyan', printable(this.shortPath(file)));
  }

  private placeText({ file, line }: FileLine): string {
    return this.terminal.style('cyan', printable(`${this.shortPath(file)}:${line + 1}`));
  }

  private addParagraph(text: string, indent = ''): void {
    this.rows.push(...wrapText(printable(text), indent, this.terminal.columns));
  }
}

/** Compares the answers of httpd 2.4 before and after the conversion. */
function headlineOf24(startedAnswers: ExplainedRequest['answers']): string {
  const firstAnswer = startedAnswers[0]!;
  if (doServersDiffer({ answers: startedAnswers }))
    return `The conversion ${isDifferenceCertain(startedAnswers) ? 'changes' : 'may change'} the answer of httpd 2.4:`;
  return firstAnswer.access === 'unknown'
    ? 'It is not known what httpd 2.4 answers.'
    : `httpd 2.4 answers: ${accessWords(firstAnswer)}.`;
}

/**
 * A line of 2.2's access control. If `section` is set, the place is that of the section, because
 * the place of the line is not known.
 */
interface OldLine extends Reason {
  readonly section?: string;
}

/** Whether it is certain that the servers answer differently: two of the known answers differ. */
function isDifferenceCertain(answers: ExplainedRequest['answers']): boolean {
  return new Set(answers.flatMap(({ access }) => (access === 'unknown' ? [] : [access]))).size > 1;
}

/** The title of the facts on which the answers depend. */
const FACTS_TITLE = 'Assumed or not known';

function isHostUnknown({ name, why }: ExplainedAnswer['host']): boolean {
  return name === '' || why === '';
}

/** Matches the reason of a server that does not start. */
const NO_START_REASON = /^httpd \S+ does not start: /;

function doesServerStart({ why }: ExplainedRequest['answers'][number]): boolean {
  return !NO_START_REASON.test(why);
}

const OLD_ACCESS_LINE = /^(?:order|allow|deny|satisfy)\b/i;

/** The words for what a URL leads to. A path may follow. */
const TARGET_LABELS: Readonly<Record<ExplainedRequest['answers'][number]['target']['kind'], string>> = {
  file: 'The file',
  directory: 'The directory',
  missing: 'To no file',
  redirect: 'A redirect to',
  proxy: 'Another server:',
  handler: 'The handler',
  refused: 'httpd refuses the path',
  unknown: 'Not known',
};
