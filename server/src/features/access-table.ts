/** Shows which clients have access to each section, as JSON and as Markdown: for `access ROOT`. */
import type { AccessSection } from '../requests/access-sections';
import { REQUEST_SERVERS, type Access, type FileLine, type RequestServer, type UnknownFact } from '../requests/model';
import { TEMPLATE_PATH, type UnreachedReason } from '../requests/urls-of-file';
import { requestText, requestUrl } from '../requests/request-text';
import { fewestRequests, type WitnessRequest, type WitnessRequests } from '../requests/witness-requests';
import { ANY_USER } from '../requests/clients';
import { shellWord } from '../syntax/shell-word';
import type { DisplayName } from './access-changes';
import { codeSpan } from './markdown-text';
import { missingPartsNotes, factsJson, MAX_LISTED_FACTS } from './missing-parts';
import { WORDS_FOR_ACCESS } from './requests';

/** The requests as JSON, for `requests --format json` and `access`. Lines are zero-based. */
export function requestsJson(witnesses: WitnessRequests, displayPath: DisplayName): Record<string, unknown> {
  const { requests, sectionsTakenOver } = fewestRequests(witnesses);
  return {
    version: 1,
    requests: requests.map((each) => ({
      ...requestJson(each),
      section: sectionJson(each.section, displayPath),
      expected: each.expected,
    })),
    takenOver: sectionsTakenOver.map((section) => sectionJson(section, displayPath)),
    unreached: witnesses.unreachedSections.map((section) => sectionJson(section, displayPath)),
  };
}

/**
 * The table as JSON. `notConverted` is true for a section that keeps old lines after the
 * conversion.
 */
export function accessTableJson(
  { requests, unreachedSections, hasOldLines }: WitnessRequests,
  displayPath: DisplayName,
): Record<string, unknown> {
  return {
    version: 1,
    sections: groupedBySection(requests).map(([section, requestsOfSection]) => ({
      ...sectionJson(section, displayPath),
      notConverted: hasOldLines(section),
      clients: requestsOfSection.map((each) => ({
        ...requestJson(each),
        access: each.expected,
        ...(each.expectedOfCopy && { accessOfCopy: each.expectedOfCopy }),
      })),
    })),
    unreached: unreachedSections.map((section) => ({
      ...sectionJson(section, displayPath),
      notConverted: hasOldLines(section),
    })),
    ...(requests.some(isAssumed) && { missing: factsJson(missingFacts(requests), displayPath) }),
  };
}

/** A Markdown table for each section, with one row for each request. */
export function accessTableMarkdown(
  { requests, unreachedSections, hasOldLines, whyUnreached, possibleReasons, whyNot22 }: WitnessRequests,
  displayPath: DisplayName,
  formatRequest: (text: string) => string = codeSpan,
): string {
  const placeText = ({ file, line }: FileLine) => codeSpan(`${displayPath(file)}:${line + 1}`);
  const placeAndMark = (section: AccessSection) =>
    `${placeText(section)}${useText(section)}${hasOldLines(section) ? NOT_CONVERTED_MARK : ''}`;
  // A section of a macro has the same place for each Use line, so the Use line is shown, too.
  const useText = ({ use }: AccessSection) => (use === null ? '' : `, inserted by the Use line ${placeText(use)}`);
  // For a .htaccess file, only the file's name is shown, because the place after it shows the path.
  const nameOf = ({ name, file }: AccessSection) => codeSpan(name === file ? name.replace(/^.*\//s, '') : name);
  const isAnyUnconverted = [...requests.map(({ section }) => section), ...unreachedSections].some(hasOldLines);
  const servers = serversToShow({ whyNot22 });
  const tablesOfSections = groupedBySection(requests).map(([section, requestsOfSection]) => {
    const areAnswersEqual = requestsOfSection.every(
      (each) => new Set(servers.map((server) => shownAnswers(each)[server])).size === 1,
    );
    const headCells = areAnswersEqual
      ? ['request', servers.includes('2.2') ? COLUMN_OF_BOTH : '2.4']
      : ['request', ...servers.map((server) => COLUMN_TITLES[server])];
    const requestRows = requestsOfSection.map((each) => [
      `${formatRequest(requestText(each.request)).replace(/(?<!\\)\|/g, '\\|')}${changesAccess(each, whyNot22 === null) ? ` ${CHANGED_MARK}` : ''}`,
      ...(areAnswersEqual ? [accessWords(each, '2.4')] : servers.map((server) => accessWords(each, server))),
    ]);
    return [
      `**${nameOf(section)}** ${placeAndMark(section)}`,
      '',
      ...[headCells, headCells.map(() => '---'), ...requestRows].map((cells) => `| ${cells.join(' | ')} |`),
      '',
    ].join('\n');
  });
  const reasonText = ({ what, place }: UnreachedReason | UnknownFact) =>
    `${what}${place === null ? '' : ` (${placeText(place)})`}`;
  const reasonUnreached = (section: AccessSection) => {
    const reason = whyUnreached(section);
    return reason === null || reason.isStopped ? '' : `: ${reasonText(reason)}`;
  };
  const isSearchStopped = (section: AccessSection) => whyUnreached(section)?.isStopped === true;
  const itemsOf = (sections: readonly AccessSection[]) =>
    sections.map(
      (section) =>
        `- ${nameOf(section)} ${placeText(section)}${useText(section)}${reasonUnreached(section)}${hasOldLines(section) ? NOT_CONVERTED_MARK : ''}`,
    );
  const unreachedItems = itemsOf(unreachedSections.filter((section) => !isSearchStopped(section)));
  const stoppedItems = itemsOf(unreachedSections.filter(isSearchStopped));
  const openFactsOfRequests = requests.filter((each) => !isAssumed(each)).flatMap(({ openFacts }) => openFacts);
  const facts = [...new Set(openFactsOfRequests.map(reasonText))];
  const listedFacts = new Set(missingFacts(requests).map(reasonText));
  return [
    '# Who has access',
    '',
    ...(tablesOfSections.length > 0 ? [`${REQUESTS_NOTE}${columnsNote(tablesOfSections)}`, ''] : []),
    ...(whyNot22 === null
      ? []
      : [`${reasonText(whyNot22)}.${tablesOfSections.length > 0 ? ' The tables show 2.4 only.' : ''}`, '']),
    // A section that is included several times may have the same table each time. The set keeps
    // one.
    ...(tablesOfSections.length + unreachedSections.length === 0 ? [NO_SECTION_TEXT, ''] : new Set(tablesOfSections)),
    ...(requests.some((each) => changesAccess(each, whyNot22 === null))
      ? [changedNote(requests.some((each) => opensAccess(each, whyNot22 === null))), '']
      : []),
    ...(requests.some(isAssumed)
      ? missingPartsNotes(`An answer with ${ASSUMED_MARK}`, missingFacts(requests), reasonText)
      : []),
    ...(hasAnswerWithAccess('unknown', requests, servers) ? unknownNotes(facts, listedFacts) : []),
    ...(hasAnswerWithAccess('error', requests, servers) ? [errorNote(requests, servers), ''] : []),
    ...(unreachedItems.length > 0 ? [NO_URL_TITLE, '', ...new Set(unreachedItems), ''] : []),
    ...(stoppedItems.length > 0 ? [STOPPED_TITLE, '', ...new Set(stoppedItems), ''] : []),
    ...(unreachedSections.some((section) => [null, TEMPLATE_PATH].includes(whyUnreached(section)?.what ?? null)) ||
    (unreachedItems.length > 0 && possibleReasons() === null)
      ? [...noUrlReasonRows({ possibleReasons, unreachedSections, whyUnreached }), '']
      : []),
    ...(isAnyUnconverted ? [NOT_CONVERTED_NOTE, ''] : []),
  ].join('\n');
}

/** The introduction of the tables. */
const REQUESTS_NOTE =
  'Below each section are example requests to which it applies, and their answers. The answers take all sections into account. If a request shows no client address, the answer is the same for every client.';

/** The text if no section controls access. */
export const NO_SECTION_TEXT =
  'No section in these files controls access. If another file includes them, give the main configuration file.';

/** The title of the list of sections whose URLs were not searched to the end. */
const STOPPED_TITLE =
  'The search for the URLs of these sections took too long and was stopped. "httpd-upgrade explain --request" answers for one URL.';

/** The title of the list of sections for which no request was found. */
export const NO_URL_TITLE = 'No URL was found for the following sections.';

/**
 * Returns, as rows for users, why no request was found for the sections for which `whyUnreached`
 * has no reason. The rows are the reasons that this configuration makes possible. Several reasons
 * are a list, one row each, between empty rows. Templates, and files without their main file, get
 * rows of their own.
 */
export function noUrlReasonRows({
  possibleReasons,
  unreachedSections,
  whyUnreached,
}: Pick<WitnessRequests, 'possibleReasons' | 'unreachedSections' | 'whyUnreached'>): string[] {
  const reasons = possibleReasons();
  if (reasons === null && unreachedSections.some((section) => whyUnreached(section)?.what === TEMPLATE_PATH))
    return [
      'Reason: the file is a template, and its paths are placeholders. Run the command on the configuration file that is made from it.',
    ];
  if (reasons === null)
    return [
      'Reason: only a part of a configuration was given. Run the command on the main configuration file, such as httpd.conf or apache2.conf.',
    ];
  const advice = '"httpd-upgrade explain --request" shows which sections apply to a URL.';
  return reasons.length === 1
    ? [`Possible reason: ${reasons[0]} ${advice}`]
    : ['Possible reasons:', '', ...reasons.map((reason) => `- ${reason}`), '', advice];
}

/**
 * Returns the servers whose answers are shown. Only 2.2 can be missing: `whyNot22` is the reason;
 * null if there is none.
 */
export function serversToShow({ whyNot22 }: Pick<WitnessRequests, 'whyNot22'>): readonly RequestServer[] {
  return REQUEST_SERVERS.filter((server) => server !== '2.2' || whyNot22 === null);
}

/** Groups requests by their section, in the order of the sections. */
export function groupedBySection(
  requests: readonly WitnessRequest[],
): readonly (readonly [AccessSection, readonly WitnessRequest[]])[] {
  const requestsBySection = new Map<AccessSection, WitnessRequest[]>();
  for (const each of requests)
    requestsBySection.set(each.section, [...(requestsBySection.get(each.section) ?? []), each]);
  return [...requestsBySection];
}

/** A curl command that sends the request. The password is a placeholder. */
export function curlCommand({ request, isAnyUser }: Pick<WitnessRequest, 'request' | 'isAnyUser'>): string {
  const { method, user, headers } = request;
  return [
    "curl -sS -o /dev/null -w '%{http_code}\\n'",
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['--head'] : ['-X', shellWord(method)]),
    ...(user === null ? [] : ['--user', shellWord(`${isAnyUser ? ANY_USER : user}:PASSWORD`)]),
    ...[...headers].flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
    shellWord(requestUrl({ ...request, host: request.host ?? 'localhost' })),
  ].join(' ');
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The mark of a section that keeps old lines after the conversion; `NOT_CONVERTED_NOTE` explains
 * it.
 */
const NOT_CONVERTED_MARK = ' (not converted yet)';
const NOT_CONVERTED_NOTE = `not converted yet: "fix --write" does not change the old lines of this section, and 2.4 reads them only with mod_access_compat. ${codeSpan('httpd-upgrade plan')} says why.`;

/** The titles of the columns, if the answers of the servers differ. */
const COLUMN_TITLES: Readonly<Record<RequestServer, string>> = {
  '2.2': '2.2',
  '2.4-compat': '2.4 with mod_access_compat',
  '2.4': '2.4 after the conversion',
};

/** The mark of a request that 2.4 answers differently than 2.2. */
const CHANGED_MARK = '(!)';

/**
 * The note below the tables about the mark `(!)`. `isAnyOpened`: whether 2.4 allows at least one
 * request that 2.2 does not allow.
 */
function changedNote(isAnyOpened: boolean): string {
  const openedText = isAnyOpened ? ' It allows a request that 2.2 does not allow.' : '';
  return `${CHANGED_MARK} 2.4 answers this request differently than 2.2.${openedText} "httpd-upgrade explain --request" shows the lines that decide.`;
}

/**
 * Returns sentences that explain the columns of the tables, with a space before each. Empty if no
 * column needs an explanation.
 */
function columnsNote(tables: readonly string[]): string {
  const hasColumn = (title: string) => tables.some((table) => table.includes(`| ${title} |`));
  return [
    hasColumn(COLUMN_OF_BOTH)
      ? ` Column "${COLUMN_OF_BOTH}": both versions give this answer, 2.4 before and after the conversion.`
      : '',
    hasColumn(COLUMN_TITLES['2.4-compat'])
      ? ' Column "2.4 with mod_access_compat": the files as they are. Column "2.4 after the conversion": the files after "fix --write", which leaves sections that are "not converted yet" as they are.'
      : '',
  ].join('');
}

/** The title of the one column for both versions, if all answers are the same. */
const COLUMN_OF_BOTH = '2.2 and 2.4';

/** Whether 2.2 does not allow the request, but 2.4 does. */
function opensAccess(each: WitnessRequest, does22Start: boolean): boolean {
  const answers = shownAnswers(each);
  return (
    changesAccess(each, does22Start) &&
    answers['2.2'] !== 'granted' &&
    REQUEST_SERVERS.some((server) => server !== '2.2' && answers[server] === 'granted')
  );
}

/** Whether 2.2 starts and has a known answer, from which a known answer of 2.4 differs. */
function changesAccess(each: WitnessRequest, does22Start: boolean): boolean {
  const expectedAnswers = shownAnswers(each);
  const accessIn22 = expectedAnswers['2.2'];
  return (
    does22Start &&
    accessIn22 !== 'unknown' &&
    REQUEST_SERVERS.some((server) => expectedAnswers[server] !== 'unknown' && expectedAnswers[server] !== accessIn22)
  );
}

/**
 * The note below the tables that explains the word `unknown`, with the facts on which the answers
 * depend. `listedFacts`: those that the note about the mark `(?)` lists.
 */
function unknownNotes(facts: readonly string[], listedFacts: ReadonlySet<string>): string[] {
  if (facts.length === 0) return [UNKNOWN_NOTE, ''];
  const newFacts = facts.filter((fact) => !listedFacts.has(fact));
  const unlistedCount = newFacts.length - MAX_LISTED_FACTS;
  return [
    'unknown: the answer depends on what these files do not show:',
    '',
    ...newFacts.slice(0, MAX_LISTED_FACTS).map((fact) => `- ${fact}`),
    ...(newFacts.length < facts.length ? ['- what is not known about the missing files: see the list above'] : []),
    ...(unlistedCount > 0
      ? [`- ${unlistedCount} more. To see those of one request: httpd-upgrade explain --request 'GET /URL' FILE`]
      : []),
    '',
  ];
}

/** The note about the word `unknown`, if no fact is known on which the answers depend. */
const UNKNOWN_NOTE =
  'unknown: this copy does not show the answer, for example because a .htaccess file, a group file or a variable decides. "httpd-upgrade explain --request" shows the reason for one request.';

/** The note below the tables that explains the words `config error (500)`. */
function errorNote(requests: readonly WitnessRequest[], servers: readonly RequestServer[]): string {
  const isOnlyIn22 = servers.every((server) => server === '2.2' || !hasAnswerWithAccess('error', requests, [server]));
  const causes = isOnlyIn22
    ? 'a Require line without AuthType, a login without password file or module, and a line that AllowOverride forbids'
    : 'Require valid-user without AuthType, a login without password file or module, a line that AllowOverride forbids, and in 2.4 AuthType without Require';
  return `config error (500): httpd cannot decide. Usual causes: ${causes}. "httpd-upgrade explain --request" shows the line.`;
}

function hasAnswerWithAccess(
  access: Access,
  requests: readonly WitnessRequest[],
  servers: readonly RequestServer[],
): boolean {
  return requests.some((each) => servers.some((server) => shownAnswers(each)[server] === access));
}

/**
 * Returns the words for an answer, with a mark if the answer is true only if the missing parts do
 * not matter.
 */
function accessWords(each: WitnessRequest, server: RequestServer): string {
  const assumedMark = isAssumed(each) && each.expected[server] === 'unknown' ? ` ${ASSUMED_MARK}` : '';
  return `${WORDS_FOR_ACCESS[shownAnswers(each)[server]]}${assumedMark}`;
}

/** The mark of an answer that is true only if the missing parts do not matter. */
const ASSUMED_MARK = '(?)';

/** Whether an answer to this request is known only if the missing parts do not matter. */
function isAssumed({ expectedOfCopy }: WitnessRequest): boolean {
  return expectedOfCopy !== null;
}

function shownAnswers({ expected, expectedOfCopy }: WitnessRequest): Readonly<Record<RequestServer, Access>> {
  return expectedOfCopy ?? expected;
}

/** The facts about missing parts on which the answers with a mark depend. */
function missingFacts(requests: readonly WitnessRequest[]): UnknownFact[] {
  return requests
    .filter(isAssumed)
    .flatMap(({ openFacts }) => openFacts.filter(({ isOfMissingPart }) => isOfMissingPart));
}

/** The request that shows an access decision, as JSON. */
function requestJson({ request, isAnyUser }: WitnessRequest): Record<string, unknown> {
  return {
    request: `${request.method} ${requestUrl(request)}`,
    method: request.method,
    host: request.host,
    port: request.port,
    path: request.path,
    from: request.from,
    user: request.user,
    isAnyUser,
    headers: Object.fromEntries(request.headers),
  };
}

/** The name and place of a section as JSON. The line is zero-based. */
function sectionJson({ name, file, line }: AccessSection, displayPath: DisplayName): Record<string, unknown> {
  return { name, file: displayPath(file), line };
}
