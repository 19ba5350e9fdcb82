/**
 * The command `requests`: writes requests that show what each section decides, for curl or as JSON.
 */
import {
  curlCommand,
  groupedBySection,
  NO_SECTION_TEXT,
  NO_URL_TITLE,
  noUrlReasonRows,
  requestsJson,
  serversToShow,
} from '../features/access-table';
import type { RequestServer } from '../requests/model';
import { STATUS_TEXT } from '../requests/request-text';
import {
  fewestRequests,
  witnessRequests,
  type WitnessRequest,
  type WitnessRequests,
} from '../requests/witness-requests';
import { withHiddenShown, jsonWithVisibleText } from '../syntax/hidden-text';
import { findConfiguration, diskView, type AccessRun } from './access';
import type { Arguments } from './arguments';
import { shortPath } from './short-path';

/** Runs `requests`: writes the list of requests. */
export async function printRequests({
  args,
  settings,
  terminal,
  write,
}: AccessRun<Extract<Arguments, { command: 'requests' }>>): Promise<void> {
  const configuration = await findConfiguration(args.paths[0]!, diskView(), settings, terminal);
  const witnesses = configuration && witnessRequests(configuration);
  terminal.clearProgress();
  if (witnesses)
    write(
      args.format === 'json' ? `${jsonWithVisibleText(requestsJson(witnesses, shortPath))}\n` : curlText(witnesses),
    );
}

// ---------------------------------------------------------------------------------------------------------------------

/** A sentence that says why the answers of 2.2 are not shown, with the line that is the reason. */
function textWhyNot22({ what, place }: NonNullable<WitnessRequests['whyNot22']>): string {
  return `${what} (${shortPath(place.file)}:${place.line + 1}). The answers are those of 2.4.`;
}

/** The requests as commands for curl, with comments about their sections and answers. */
function curlText(foundRequests: WitnessRequests): string {
  const { requests: fewRequests, sectionsTakenOver } = fewestRequests(foundRequests);
  if (fewRequests.length + foundRequests.unreachedSections.length === 0) return `# ${NO_SECTION_TEXT}\n`;
  const servers = serversToShow(foundRequests);
  const rowsOfSections = groupedBySection(fewRequests).flatMap(([section, requestsOfSection]) => [
    `# ${withoutLineEnds(section.name)}  ${withoutLineEnds(shortPath(section.file))}:${section.line + 1}`,
    ...requestsOfSection.flatMap((each) => [
      `# ${expectedAnswersText(each, servers)}`,
      withoutLineEnds(curlCommand(each)),
    ]),
    '',
  ]);
  const sectionsAsComments = (title: string, sections: WitnessRequests['unreachedSections']) =>
    sections.length === 0
      ? []
      : [
          title,
          ...sections.map(
            ({ name, file, line }) => `#   ${withoutLineEnds(name)}  ${withoutLineEnds(shortPath(file))}:${line + 1}`,
          ),
          '',
        ];
  return [
    ...(foundRequests.whyNot22 === null ? [] : [`# ${withoutLineEnds(textWhyNot22(foundRequests.whyNot22))}`, '']),
    ...rowsOfSections,
    ...sectionsAsComments('# Inner sections apply to all URLs of these sections:', sectionsTakenOver),
    ...sectionsAsComments(noUrlComment(foundRequests), foundRequests.unreachedSections),
  ].join('\n');
}

/** The title of the list of sections without a URL, with the reasons, as comments. */
function noUrlComment(foundRequests: WitnessRequests): string {
  const [firstRow, ...otherRows] = noUrlReasonRows(foundRequests).filter((row) => row !== '');
  return [`${NO_URL_TITLE} ${firstRow}`, ...otherRows].map((row) => `# ${row}`).join('\n');
}

/**
 * The expected answers: `from 10.0.0.9: 2.2 403, 2.4 403`. 200 stands for every status except 401,
 * 403 and 500.
 */
function expectedAnswersText({ request, expected }: WitnessRequest, servers: readonly RequestServer[]): string {
  const differentAnswers = new Set(servers.map((server) => expected[server]));
  const answersText =
    differentAnswers.size === 1
      ? STATUS_TEXT[expected['2.4']]
      : servers.map((server) => `${server} ${STATUS_TEXT[expected[server]]}`).join(', ');
  return `${request.from === null ? 'from any address' : `from ${request.from}`}: ${answersText}`;
}

/**
 * Replaces line ends by spaces, because a name from the configuration must not end the comment that
 * contains it.
 */
function withoutLineEnds(text: string): string {
  return withHiddenShown(text).replace(/[\r\n]+/g, ' ');
}
