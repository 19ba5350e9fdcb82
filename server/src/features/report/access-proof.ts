/**
 * Shows which clients gain or lose access by the fixes that are ready, with requests that prove it:
 * the 2.2 server reads the files as they are, the 2.4 server reads them after the fixes. If a
 * section already has lines of 2.4, a 2.2 server answers 500, so it does not show who had access
 * before.
 */
import { compareAccess, type SectionDiff } from '../../requests/access-diff';
import { leftOutSections, maxWorkFor } from '../../requests/access-sections';
import { REQUEST_SERVERS, type RequestConfiguration } from '../../requests/model';
import { requestText, STATUS_TEXT } from '../../requests/request-text';
import { countFilesRead, siteOf } from '../../requests/site';
import { fewestRequests, witnessRequests, type WitnessRequest } from '../../requests/witness-requests';
import { accessVerdict, CHANGE_WORDS, changedSectionRows, witnessText } from '../access-changes';
import { curlCommand } from '../access-table';
import type { ReportWriter } from './page';

/** Which clients gain or lose access by the fixes of a configuration. */
export interface AccessProof {
  /** The sections with access control, with the access before and after the fixes. */
  readonly sections: readonly SectionDiff[];
  /** The requests that show the access of each section, to send to both servers. */
  readonly requests: readonly WitnessRequest[];
  /** Returns the display name of a file. */
  readonly displayPath: (file: string) => string;
}

/** The maximum number of files of a configuration. Comparing more files would take many seconds. */
const MAX_FILES_TO_COMPARE = 300;

/**
 * Compares the access before and after the fixes. Null if no section controls access, if there are
 * too many files or sections, or if the main file cannot be read.
 */
export function accessProof(
  configuration: RequestConfiguration,
  displayPath: AccessProof['displayPath'],
): AccessProof | null {
  if (countFilesRead(configuration) > MAX_FILES_TO_COMPARE || hasTooManySections(configuration)) return null;
  const maxWork = maxWorkFor(REQUEST_SERVERS.flatMap((server) => siteOf(configuration, server) ?? []));
  const limit = { workLeft: maxWork / 2 };
  const sections = compareAccess(
    { configuration, server: '2.2' },
    { configuration, server: '2.4' },
    { ignoresOldErrors: true, limit },
  );
  const witnesses = witnessRequests(configuration, { limit: { workLeft: maxWork / 2 + limit.workLeft } });
  if (!sections || !witnesses || sections.length === 0) return null;
  return { sections, requests: fewestRequests(witnesses).requests, displayPath };
}

function hasTooManySections(configuration: RequestConfiguration): boolean {
  const site = siteOf(configuration, '2.4-compat');
  return site !== null && leftOutSections(site) !== null;
}

/**
 * The result for all configurations, as a sentence. `readyCount`: the number of access fixes that
 * are ready. `restsOnAnswers`: whether the fixes depend on answers of the user.
 */
export function proofVerdict(proofs: readonly AccessProof[], readyCount: number, restsOnAnswers: boolean): string {
  const sections = proofs.flatMap((proof) => proof.sections);
  const verdict = accessVerdict(sections).replace(/\.$/, '');
  const condition = restsOnAnswers ? ', if your answers are right' : '';
  const endOfSentence = proofs.some(hasProof) ? `${condition}. See "Requests that prove it".` : `${condition}.`;
  const convertedSections = new Set(
    proofs.flatMap(({ requests }) => requests.filter(failsIn22).map(({ section }) => section)),
  );
  if (changedSectionRows(sections).length === 0 && convertedSections.size > 0)
    return convertedVerdict(convertedSections.size);
  if (changedSectionRows(sections).length === 0)
    return `${verdict}${readyCount > 0 ? ' by the fixes that are ready' : ' with 2.4'}${endOfSentence}`;
  // Old lines that stay in a file may also change the access. So this sentence does not say that
  // the fixes change it.
  return `${verdict} with 2.4${readyCount > 0 ? ' after the fixes that are ready' : ''}${endOfSentence}`;
}

/** Whether there is a change of access to show, or a request to send. */
export function hasProof({ sections, requests }: AccessProof): boolean {
  return requests.length > 0 || changedSectionRows(sections).length > 0;
}

/** Whether 2.2 answers with a configuration error, as it does for lines of 2.4. */
function failsIn22({ expected }: WitnessRequest): boolean {
  return expected['2.2'] === 'error';
}

/** The sentence that stands for a result if sections already have lines of 2.4. */
function convertedVerdict(sectionCount: number): string {
  const subject = sectionCount === 1 ? '1 section has' : `${sectionCount} sections have`;
  return `${subject} lines of 2.4, which 2.2 cannot read. To see who gains or loses access, compare with the old files: httpd-upgrade access --diff OLD NEW --old-server 2.2 --new-server 2.4.`;
}

/** Limit for the rows of a table. */
const MAX_TABLE_ROWS = 100;

/**
 * The parts of the page about one configuration: a table of the changes of access, and a table of
 * the requests to send to both servers.
 */
export function proofParts({ sections, requests, displayPath }: AccessProof, page: ReportWriter): string[] {
  const changes = changedSectionRows(sections);
  const unlistedCount = requests.length - MAX_TABLE_ROWS;
  const isAnyUnknown = requests.some(({ expected }) => expected['2.4'] === 'unknown');
  const unknownText =
    changes.length === 0 && isAnyUnknown
      ? ' unknown: this copy does not show the answer, but both servers must give the same one.'
      : '';
  return [
    ...(changes.length === 0 && requests.some(failsIn22) ? [] : [page.paragraph(page.strong(accessVerdict(sections)))]),
    ...(changes.length === 0
      ? []
      : [
          page.table(
            'Who gains, who loses',
            ['Section', 'Access', 'Request'],
            changes
              .slice(0, MAX_TABLE_ROWS)
              .map(({ section: { name, file, line }, change, witness }) => [
                `${page.code(name)} ${page.code(`${displayPath(file)}:${line + 1}`)}`,
                CHANGE_WORDS[change],
                witness ? page.code(witnessText(witness)) : '',
              ]),
          ),
        ]),
    ...(requests.length === 0
      ? [page.paragraph('No URL of this copy leads to a section that controls access.')]
      : [
          page.paragraph(
            `Send these requests to the 2.2 server and to the 2.4 server. 200 stands for every answer that is not 401, 403 or 500. PASSWORD is a placeholder.${requests.some(failsIn22) ? ' A dash (–): 2.2 cannot read these lines, and answers as its old files say.' : ''}${unknownText}`,
          ),
          page.table(
            'Requests that prove it',
            ['Section', 'Request', '2.2', '2.4', 'Command'],
            requests
              .slice(0, MAX_TABLE_ROWS)
              .map((each) => [
                `${page.code(each.section.name)} ${page.code(`${displayPath(each.section.file)}:${each.section.line + 1}`)}`,
                page.code(requestText(each.request)),
                failsIn22(each) ? '–' : STATUS_TEXT[each.expected['2.2']],
                STATUS_TEXT[each.expected['2.4']],
                page.code(curlCommand(each)),
              ]),
          ),
        ]),
    ...(unlistedCount > 0
      ? [
          page.paragraph(
            `${unlistedCount} more: ${page.code('httpd-upgrade requests')} lists the requests of all sections.`,
          ),
        ]
      : []),
  ];
}
