/**
 * The command `compare`: sends requests to the old and to the new server, one after another, and
 * compares the answers (status and Location). The requests are chosen so that each access decision
 * of the configuration shows in an answer.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { shownAddress } from '../host/server-address';
import { Sender, whyNotSendable, type NoAnswer, type OutgoingRequest, type ServerAnswer } from '../host/send-requests';
import { ANY_USER } from '../requests/clients';
import { answersDiffer, SERVER_AT_ADDRESS, isStatusExpected } from '../requests/compare';
import { decide } from '../requests/decide';
import type { Access, Request, RequestConfiguration } from '../requests/model';
import { requestText, requestUrl, STATUS_TEXT } from '../requests/request-text';
import { siteOf } from '../requests/site';
import { witnessRequests, type WitnessRequest } from '../requests/witness-requests';
import { jsonWithVisibleText } from '../syntax/hidden-text';
import { findConfiguration, diskView, type AccessRun } from './access';
import type { Arguments } from './arguments';
import { Output } from './output';
import { countWithNoun, printable, type Terminal } from './terminal';
import { shortPath } from './short-path';

type CompareArguments = Extract<Arguments, { command: 'compare' }>;

/**
 * Runs `compare`. Returns the exit code: 1 if answers differ. A problem is reported to the
 * terminal.
 */
export async function runCompare({ args, settings, terminal, write }: AccessRun<CompareArguments>): Promise<number> {
  const logins = readLogins(args, terminal);
  const output = openOutput(args.output, terminal);
  if (logins === null || output === null) return 2;
  const configuration = await findConfiguration(args.paths[0]!, diskView(), settings, terminal);
  const witnesses = configuration && witnessRequests(configuration);
  if (!configuration || !witnesses) return 2;
  const { requestsToSend, unsentRequests } = divideRequests(witnesses.requests, { args, configuration, logins });
  const comparison = new Comparison(args, configuration, terminal);
  let sentCount = 0;
  for (; sentCount < requestsToSend.length && comparison.mayContinue; sentCount++) {
    terminal.showProgress(`${sentCount + 1} of ${countWithNoun(requestsToSend.length, 'request')}`);
    await comparison.send(requestsToSend[sentCount]!);
  }
  for (const { witness } of requestsToSend.slice(sentCount))
    unsentRequests.push({ witness, why: 'a server gave no answer before' });
  terminal.clearProgress();
  const { comparedRequests } = comparison;
  const untestedWitnesses = [
    ...unsentRequests,
    ...untestedRequests(witnesses.requests, comparedRequests, comparison.clientAddress, configuration),
  ];
  const json = `${jsonWithVisibleText(comparisonJson(args, comparedRequests, untestedWitnesses))}\n`;
  write(args.format === 'json' ? json : comparisonText(comparedRequests, untestedWitnesses, terminal));
  if (output) {
    output.write(json);
    await output.end();
  }
  if (comparedRequests.some(({ isDifferent }) => isDifferent)) return 1;
  if (comparedRequests.length === 0 && !terminal.hadProblems)
    terminal.reportFailure('no request could be sent: see "not sent"');
  return comparedRequests.some((each) => each.isDifferent === null) ? 2 : 0;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The passwords of users, by their names. */
type PasswordsByUser = ReadonlyMap<string, string>;

/** The environment variable with the credentials, if no file is given. */
const CREDENTIALS_VARIABLE = 'HTTPD_UPGRADE_CREDENTIALS';
/** Limit for the size of the credentials in bytes. */
const MAX_CREDENTIALS_BYTES = 1024 * 1024;

/** Reads the credentials. If the file cannot be read, reports that and returns null. */
function readLogins({ credentials }: CompareArguments, terminal: Terminal): PasswordsByUser | null {
  let credentialsText = process.env[CREDENTIALS_VARIABLE] ?? '';
  if (credentials !== null) {
    try {
      credentialsText = readCredentialsText(credentials);
    } catch {
      terminal.reportProblem(credentials, 'cannot be read');
      return null;
    }
  }
  const logins = new Map<string, string>();
  for (const [index, row] of credentialsText.split(/\r?\n/).entries()) {
    if (row.trim() === '' || row.startsWith('#')) continue;
    const colon = row.indexOf(':');
    if (colon < 1) {
      terminal.reportProblem(`${credentials ?? CREDENTIALS_VARIABLE}:${index + 1}`, 'must be USER:PASSWORD');
      return null;
    }
    logins.set(row.slice(0, colon), row.slice(colon + 1));
  }
  return logins;
}

/**
 * The first `MAX_CREDENTIALS_BYTES` bytes of a file, as text. The file may be a pipe of the shell
 * or a device without an end.
 */
function readCredentialsText(file: string): string {
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(MAX_CREDENTIALS_BYTES);
  let readLength = 0;
  try {
    for (let chunkLength = -1; chunkLength !== 0; readLength += chunkLength)
      chunkLength = readSync(descriptor, bytes, readLength, bytes.length - readLength, null);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString('utf8', 0, readLength);
}

/**
 * Opens the file for the report. Returns undefined if the user gives no file. If the file cannot be
 * written, reports that and returns null.
 */
function openOutput(file: string | null, terminal: Terminal): Output | undefined | null {
  if (file === null) return undefined;
  try {
    return new Output(file);
  } catch {
    terminal.reportProblem(file, 'cannot be written');
    return null;
  }
}

/** A request that can be sent to both servers. */
interface RequestToSend {
  readonly witness: WitnessRequest;
  /**
   * The request of the witness; if it needs a login, with a user whose password is in the
   * credentials.
   */
  readonly request: Request;
  readonly outgoing: OutgoingRequest;
}

/** A request that was not sent, and the reason. */
interface UnsentRequest {
  readonly witness: WitnessRequest;
  readonly why: string;
}

/** What decides whether a request can be sent. */
interface SendingContext {
  readonly args: CompareArguments;
  readonly configuration: RequestConfiguration;
  readonly logins: PasswordsByUser;
}

/**
 * Divides the requests into those to send and those that cannot be sent. Requests that differ only
 * in the client's address are sent once, because all come from this machine.
 */
function divideRequests(
  allRequests: readonly WitnessRequest[],
  { args, configuration, logins }: SendingContext,
): { readonly requestsToSend: readonly RequestToSend[]; readonly unsentRequests: UnsentRequest[] } {
  const requestsToSend = new Map<string, RequestToSend>();
  const unsentRequests: UnsentRequest[] = [];
  const ports = listenedPorts(configuration);
  for (const witness of allRequests) {
    const { request } = witness;
    const user = witness.isAnyUser && !logins.has(request.user!) ? ([...logins.keys()][0] ?? null) : request.user;
    const password = user === null ? undefined : logins.get(user);
    const outgoing: OutgoingRequest = {
      method: request.method,
      path: request.path,
      hostName: request.host ?? '',
      headers: request.headers,
      credentials: user === null ? null : `${user}:${password ?? ''}`,
    };
    const why =
      whyNotSendable(outgoing) ??
      whyPortDiffers(request, ports, args) ??
      (request.user !== null && password === undefined
        ? `it needs the password of ${witness.isAnyUser ? 'a user' : request.user}: use --credentials FILE`
        : null);
    if (why !== null) {
      unsentRequests.push({ witness, why });
      continue;
    }
    const outgoingKey = JSON.stringify([
      outgoing.method,
      outgoing.path,
      outgoing.hostName,
      user,
      [...outgoing.headers],
    ]);
    if (!requestsToSend.has(outgoingKey))
      requestsToSend.set(outgoingKey, { witness, request: { ...request, user }, outgoing });
  }
  return { requestsToSend: [...requestsToSend.values()], unsentRequests };
}

/** The ports that Listen and VirtualHost lines of the configuration name. */
function listenedPorts(configuration: RequestConfiguration): ReadonlySet<number> {
  const readings = siteOf(configuration, '2.4-compat')?.hostReadings ?? [];
  return new Set(readings.flatMap(({ connections }) => connections.map(({ port }) => port)));
}

/**
 * Returns why a request cannot be sent to these servers: it is for another port, or for TLS. Null
 * if it can be sent.
 */
function whyPortDiffers(
  { port, isSecure }: Request,
  ports: ReadonlySet<number>,
  { servers }: CompareArguments,
): string | null {
  if (isSecure) return 'it needs https, and compare uses http';
  // If no Listen or VirtualHost line names the port of the old server, the server may have another
  // configuration than this copy, so the ports are not compared.
  if (port === null || !ports.has(servers.old.port) || port === servers.old.port) return null;
  return `it is for port ${port}: run compare again with the addresses of this port`;
}

/**
 * A request with the answers of both servers, and the answers that follow from the configuration.
 */
interface ComparedRequest {
  readonly sentRequest: RequestToSend;
  readonly oldAnswer: ServerAnswer | NoAnswer;
  readonly newAnswer: ServerAnswer | NoAnswer;
  /** Whether the answers differ. Null if a server gave no answer. */
  readonly isDifferent: boolean | null;
  readonly expected: { readonly old: Access; readonly new: Access };
}

/**
 * The comparison ends after this many requests in a row without an answer, because each may take
 * ten seconds.
 */
const MAX_UNANSWERED_REQUESTS = 3;

/** Sends requests to both servers, and keeps the answers. */
class Comparison {
  readonly comparedRequests: ComparedRequest[] = [];
  /** The address of this machine, as the old server saw it. Null before the first answer. */
  clientAddress: string | null = null;
  private readonly sender = new Sender();

  constructor(
    private readonly args: CompareArguments,
    private readonly configuration: RequestConfiguration,
    private readonly terminal: Terminal,
  ) {}

  /** False if the first request, or the last three in a row, got no answer. */
  get mayContinue(): boolean {
    const { comparedRequests } = this;
    return (
      comparedRequests.length === 0 ||
      comparedRequests.slice(-MAX_UNANSWERED_REQUESTS).some(({ isDifferent }) => isDifferent !== null)
    );
  }

  /** Sends a request to both servers, and keeps the answers beside the expected ones. */
  async send(sentRequest: RequestToSend): Promise<void> {
    const { servers } = this.args;
    const oldAnswer = await this.sender.send(sentRequest.outgoing, servers.old);
    const newAnswer = await this.sender.send(sentRequest.outgoing, servers.new);
    if ('from' in oldAnswer) this.clientAddress = oldAnswer.from;
    const isDifferent =
      'error' in oldAnswer || 'error' in newAnswer ? null : answersDiffer(oldAnswer, newAnswer, servers);
    const expectedAccess = (answer: ServerAnswer | NoAnswer, side: 'old' | 'new'): Access =>
      decide(
        { ...sentRequest.request, from: 'from' in answer ? answer.from : null },
        this.configuration,
        SERVER_AT_ADDRESS[side],
      ).access;
    this.comparedRequests.push({
      sentRequest,
      oldAnswer,
      newAnswer,
      isDifferent,
      expected: { old: expectedAccess(oldAnswer, 'old'), new: expectedAccess(newAnswer, 'new') },
    });
    for (const [name, answer] of [['old', oldAnswer] as const, ['new', newAnswer] as const])
      if ('error' in answer) this.terminal.reportProblem(`--${name} ${shownAddress(servers[name])}`, answer.error);
  }
}

/**
 * Returns the requests whose comparison proves nothing: they must come from a certain address, and
 * from the address of this machine the expected decision is different.
 */
function untestedRequests(
  allRequests: readonly WitnessRequest[],
  comparedRequests: readonly ComparedRequest[],
  from: string | null,
  configuration: RequestConfiguration,
): UnsentRequest[] {
  if (from === null) return [];
  const sentRequestKeys = new Set(comparedRequests.map(({ sentRequest: each }) => requestKey(each.witness.request)));
  return allRequests.flatMap((witness) => {
    const { request, mustSendFromAddress, expected } = witness;
    if (!mustSendFromAddress || !sentRequestKeys.has(requestKey(request))) return [];
    const isSameAccessExpectedFromHere = Object.values(SERVER_AT_ADDRESS).every(
      (server) => decide({ ...request, from }, configuration, server).access === expected[server],
    );
    return isSameAccessExpectedFromHere
      ? []
      : [{ witness, why: `it must come from ${request.from}, and this machine is ${from}` }];
  });
}

/** A key that is equal for requests that differ only in the address of the client. */
function requestKey({ method, path, host, user, headers }: Request): string {
  return JSON.stringify([method, path, host, user, [...headers]]);
}

/** The answer of a server, or why there is none, in words. */
function answerText(answer: ServerAnswer | NoAnswer): string {
  if ('error' in answer) return answer.error;
  return answer.location === null ? String(answer.status) : `${answer.status} (Location: ${answer.location})`;
}

/** The result as text for a terminal. */
function comparisonText(
  comparedRequests: readonly ComparedRequest[],
  unsentRequests: readonly UnsentRequest[],
  terminal: Terminal,
): string {
  const requestsToShow = comparedRequests.filter(({ isDifferent }) => isDifferent !== false);
  const requestsWithUnexpectedAnswers = comparedRequests.filter(
    (each) => each.isDifferent === false && !hasExpectedAnswers(each),
  );
  const rowsOfRequest = (each: ComparedRequest): string[] => [
    printable(requestText({ ...each.sentRequest.request, from: null })),
    `    old: ${printable(answerText(each.oldAnswer))}, by the configuration ${STATUS_TEXT[each.expected.old]}`,
    `    new: ${printable(answerText(each.newAnswer))}, by the configuration ${STATUS_TEXT[each.expected.new]}`,
    `    section: ${printable(`${each.sentRequest.witness.section.name} ${shortPath(each.sentRequest.witness.section.file)}:${each.sentRequest.witness.section.line + 1}`)}`,
  ];
  const title = (text: string) => terminal.style('bold', text);
  const answeredRequests = comparedRequests.filter(({ isDifferent }) => isDifferent !== null);
  const differingCount = answeredRequests.filter(({ isDifferent }) => isDifferent === true).length;
  return [
    title(
      comparedRequests.length === 0
        ? 'No request was sent.'
        : answeredRequests.length === 0
          ? 'No request got an answer from both servers. Check the addresses of --old and --new.'
          : differingCount === 0
            ? `The servers answer ${countWithNoun(answeredRequests.length, 'request')} alike.`
            : `The servers answer ${differingCount} of ${countWithNoun(answeredRequests.length, 'request')} differently.`,
    ),
    ...requestsToShow.flatMap((each) => ['', ...rowsOfRequest(each)]),
    ...(requestsWithUnexpectedAnswers.length > 0
      ? [
          '',
          title('Both servers give another answer than these files: check that they use them.'),
          ...requestsWithUnexpectedAnswers.flatMap((each) => ['', ...rowsOfRequest(each)]),
        ]
      : []),
    ...(unsentRequests.length > 0 ? ['', title('Not sent:')] : []),
    ...unsentRequests.map(({ witness, why }) => `  ${printable(requestText(witness.request))}: ${printable(why)}`),
    '',
  ].join('\n');
}

function hasExpectedAnswers({ oldAnswer, newAnswer, expected }: ComparedRequest): boolean {
  return (
    ('error' in oldAnswer || isStatusExpected(oldAnswer.status, expected.old)) &&
    ('error' in newAnswer || isStatusExpected(newAnswer.status, expected.new))
  );
}

/** The result as JSON. docs/output.schema.json describes it. */
function comparisonJson(
  { servers }: CompareArguments,
  comparedRequests: readonly ComparedRequest[],
  unsentRequests: readonly UnsentRequest[],
): Record<string, unknown> {
  const requestJson = ({ request, section }: WitnessRequest, user = request.user) => ({
    request: `${request.method} ${requestUrl(request)}`,
    host: request.host,
    user: user === ANY_USER ? null : user,
    headers: Object.fromEntries(request.headers),
    section: { name: section.name, file: shortPath(section.file), line: section.line },
  });
  const answerJson = (serverAnswer: ServerAnswer | NoAnswer) =>
    'error' in serverAnswer
      ? { error: serverAnswer.error }
      : { status: serverAnswer.status, location: serverAnswer.location };
  return {
    version: 1,
    old: `http://${shownAddress(servers.old)}`,
    new: `http://${shownAddress(servers.new)}`,
    summary: {
      sent: comparedRequests.length,
      different: comparedRequests.filter(({ isDifferent }) => isDifferent === true).length,
      unanswered: comparedRequests.filter(({ isDifferent }) => isDifferent === null).length,
      notSent: unsentRequests.length,
    },
    requests: comparedRequests.map(({ sentRequest, oldAnswer, newAnswer, isDifferent, expected }) => ({
      ...requestJson(sentRequest.witness, sentRequest.request.user),
      from: 'from' in oldAnswer ? oldAnswer.from : null,
      old: { ...answerJson(oldAnswer), expected: expected.old },
      new: { ...answerJson(newAnswer), expected: expected.new },
      differs: isDifferent,
    })),
    notSent: unsentRequests.map(({ witness, why }) => ({
      ...requestJson(witness),
      from: witness.request.from,
      why,
    })),
  };
}
