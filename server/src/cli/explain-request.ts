/**
 * The command `explain --request`: shows what the servers answer to one request, as text or JSON.
 */
import path from 'node:path';
import type { SettingsOf } from '../features/project';
import {
  ACCESS_WORDS,
  explainRequest,
  isDifferent,
  requestConfiguration,
  requestJson,
  SERVER_WORDS,
  type ExplainedRequest,
} from '../features/requests';
import type { FileView } from '../config/files';
import { diskFileView } from '../host/node-files';
import { visibleJson } from '../syntax/hidden-text';
import type { GivenRequest, VerifyFormat } from './arguments';
import { requestRoot } from './request-root';
import { parseLogLine } from '../features/log-line';
import { isAddress } from '../requests/addresses';
import type { RequestConfiguration, RequestPlace, RequestServer, UnknownFact } from '../requests/model';
import { clientText, requestUrl } from '../requests/request-text';
import { refusedFile, requestsToFile } from '../requests/urls-of-file';
import { isReadable } from './explain-log';
import { amount, printable, type Terminal } from './terminal';
import { wrapped } from './wrap';

/** Returns the text to write. If there is none, reports the reason to `terminal`. */
export async function explained(
  { request, logLine, root: given, at, format }: GivenRequest & { readonly format: VerifyFormat },
  projects: SettingsOf,
  terminal: Terminal,
): Promise<string> {
  const view = diskFileView(undefined, undefined, { isOnce: true });
  const found = await requestRoot(given, view);
  if ('problem' in found) {
    terminal.problem(given, found.problem);
    return '';
  }
  terminal.progress('Reading the configuration');
  const configuration = requestConfiguration({ root: found.root, view, projects });
  const servers = at === null ? undefined : [at];
  if (request === null) return explainLogLine(logLine ?? '', configuration, { servers, format }, terminal);
  const answer = explainRequest(request, configuration, servers);
  terminal.clear();
  return format === 'json'
    ? `${visibleJson(requestJson(answer, shortest))}\n`
    : requestText(answer, configuration.files.view, terminal);
}

/** Explains each request that leads to the file in a log line. */
function explainLogLine(
  text: string,
  configuration: RequestConfiguration,
  { servers, format }: { readonly servers: readonly RequestServer[] | undefined; readonly format: VerifyFormat },
  terminal: Terminal,
): string {
  const { message, client } = parseLogLine(text);
  const file = refusedFile(message);
  const from = client?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? null;
  const address = from !== null && isAddress(from) ? from : null;
  const requests = file === null ? [] : requestsToFile(file, address, configuration);
  terminal.clear();
  if (file === null) {
    terminal.failure(
      isReadable(text)
        ? `--root takes one line of a log, and ${printable(text)} is a file: put a line of it in quotes. To explain the whole log, omit --root`
        : '--root needs a line with AH01630 or AH01797, "client denied by server configuration". To explain another line, omit --root',
    );
    return '';
  }
  const answers = requests.map((request) => explainRequest(request, configuration, servers));
  if (format === 'json')
    return `${visibleJson({ version: 1, file, from: address, requests: answers.map((answer) => requestJson(answer, shortest)) })}\n`;
  if (answers.length === 0) return `${printable(`No URL of this configuration leads to ${file}.`)}\n`;
  const urls = `${amount(answers.length, 'URL')} ${answers.length === 1 ? 'leads' : 'lead'} to ${file}:`;
  const list = requests.map((request) => `  ${printable(requestUrl(request))}`);
  const [code] = /\bAH\d{5}\b/.exec(text) ?? [];
  return [
    printable(urls),
    ...list,
    '',
    ...answers.map((answer) => requestText(answer, configuration.files.view, terminal)),
    ...(code === undefined ? [] : [`To see what to do: httpd-upgrade explain ${code}`, '']),
  ].join('\n');
}

/** The answer as text for readers. */
function requestText(explained: ExplainedRequest, view: FileView, terminal: Terminal): string {
  return new RequestText(explained, shortest, view, terminal).all();
}

/** The path of a file for output: relative to the current directory, if that is shorter. */
function shortest(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}

// ---------------------------------------------------------------------------------------------------------------------

class RequestText {
  private readonly rows: string[] = [];

  constructor(
    private readonly explained: ExplainedRequest,
    private readonly shown: (file: string) => string,
    private readonly view: FileView,
    private readonly terminal: Terminal,
  ) {}

  all(): string {
    const { request, answers } = this.explained;
    const client = clientText(request);
    const who = [client === null ? '' : ` from ${client}`, request.user === null ? '' : ` as ${request.user}`].join('');
    this.rows.push(this.terminal.style('bold', printable(`${request.method} ${requestUrl(request)}${who}`)));
    const [first] = answers;
    if (answers.length > 1 && !isDifferent(this.explained))
      this.paragraph(
        first!.access === 'unknown'
          ? 'It is not known what the servers answer.'
          : `The answer is the same in all cases: ${ACCESS_WORDS[first!.access]}.`,
      );
    else if (answers.length > 1)
      this.paragraph(
        isCertain(this.explained) ? 'The servers answer differently:' : 'The servers may answer differently:',
      );
    this.decisions();
    this.host();
    this.sections();
    this.unknown();
    return `${this.rows.join('\n')}\n`;
  }

  private decisions(): void {
    const { answers } = this.explained;
    this.rows.push('');
    for (const { server, access, because, why } of answers) {
      const words = ACCESS_WORDS[access];
      const style = access === 'granted' ? 'green' : access === 'unknown' ? 'yellow' : 'red';
      this.rows.push(`${SERVER_WORDS[server]}: ${this.terminal.style(style, words)}`);
      this.paragraph(`${why}.`, '  ');
      for (const { text, ...place } of because)
        this.rows.push(
          `  ${this.place(place)}  ${printable(text)}${server === '2.4' && this.isNew(place, text) ? '  (new line)' : ''}`,
        );
    }
  }

  /**
   * Whether the conversion writes this line. Its place is then that of the lines that it replaces.
   */
  private isNew({ file, line }: RequestPlace, text: string): boolean {
    const tree = this.view.read(file);
    const now = tree && line < tree.lineCount ? tree.lineAt(tree.offsetAt({ line, character: 0 })) : null;
    const isKnown = this.explained.answers.some(
      ({ server, because }) => server !== '2.4' && because.some((each) => each.text === text),
    );
    return now !== null && !isKnown && now.line.text.trim() !== text.trim();
  }

  private host(): void {
    const { answers } = this.explained;
    this.rows.push('', this.title('Virtual host'));
    const hosts = new Map(answers.map(({ host }) => [`${host.name} ${host.place?.file}:${host.place?.line}`, host]));
    for (const [key, host] of hosts) {
      const servers = answers.filter(
        (answer) => `${answer.host.name} ${answer.host.place?.file}:${answer.host.place?.line}` === key,
      );
      const which = hosts.size > 1 ? `${servers.map(({ server }) => server).join(', ')}: ` : '';
      this.paragraph(`${which}${host.name}: ${host.why}.`, '  ');
      if (host.place) this.rows.push(`  ${this.place(host.place)}`);
    }
    const { target } = answers.at(-1)!;
    this.rows.push('', this.title('Target'));
    this.paragraph(`${TARGETS[target.kind]}${target.path === '' ? '' : ` ${target.path}`}`, '  ');
    if (target.place) this.rows.push(`  ${this.place(target.place)}`);
  }

  private sections(): void {
    const { sections } = this.explained;
    this.rows.push('', this.title('Sections, in the order of the server'));
    if (sections.length === 0) this.rows.push('  No section applies.');
    for (const { name, applies, adds, ...place } of sections) {
      const mark = applies === true ? '' : applies === false ? ' (does not apply)' : ' (may apply)';
      this.rows.push(`  ${this.place(place)}  ${printable(name)}${mark}`);
      for (const line of adds) this.rows.push(`      ${printable(line)}`);
    }
  }

  private unknown(): void {
    const { unknown } = this.explained;
    if (unknown.length === 0) return;
    this.rows.push('', this.title('Assumed or not known'));
    for (const fact of unknown) this.fact(fact);
  }

  private fact({ what, place }: UnknownFact): void {
    this.paragraph(what, '  ');
    if (place) this.rows.push(`    ${this.place(place)}`);
  }

  private title(text: string): string {
    return this.terminal.style('bold', text);
  }

  private place({ file, line }: RequestPlace): string {
    return this.terminal.style('cyan', printable(`${this.shown(file)}:${line + 1}`));
  }

  private paragraph(text: string, indent = ''): void {
    this.rows.push(...wrapped(printable(text), indent, this.terminal.columns));
  }
}

/** Whether no answer is unknown, so that a difference is certain. */
function isCertain({ answers }: ExplainedRequest): boolean {
  return new Set(answers.flatMap(({ access }) => (access === 'unknown' ? [] : [access]))).size > 1;
}

const TARGETS: Readonly<Record<ExplainedRequest['answers'][number]['target']['kind'], string>> = {
  file: 'The file',
  directory: 'The directory',
  missing: 'No file there:',
  redirect: 'A redirect to',
  proxy: 'Another server:',
  handler: 'The handler',
  refused: 'httpd refuses the path',
  unknown: 'Unknown',
};
