/**
 * The last paragraphs of `explain LINE --root ROOT`: what follows from a denied request in the log.
 */
import type { ExplainedRequest } from '../features/requests';
import { isWithin } from '../config/files';
import { accessInCopy } from '../requests/decide';
import type { RequestConfiguration } from '../requests/model';
import { shellWord } from '../syntax/shell-word';

/** The kind of line that denied a request, as the code in the log proves it. */
interface Proof {
  /** What the log line proves, as a clause. */
  readonly what: string;
  /** The command that searches files for such lines of configuration. */
  readonly searchCommand: string;
}

/** mod_authz_core and mod_access_compat log these codes, and no other module does. */
const PROOF_BY_CODE: ReadonlyMap<string | undefined, Proof> = new Map([
  [
    'AH01630',
    {
      what: 'a `Require` line denied the request (AH01630; AH01797 would be an `Order`, `Allow` or `Deny` line)',
      searchCommand: 'grep -Hnsi Require',
    },
  ],
  [
    'AH01797',
    {
      what: 'an `Order`, `Allow` or `Deny` line denied the request (AH01797; AH01630 would be a `Require` line)',
      searchCommand: "grep -HnsiE 'Order|Allow|Deny'",
    },
  ],
]);

/** What a line without one of these codes proves. */
const OTHER_PROOF: Proof = {
  what: 'an access line denied the request',
  searchCommand: "grep -HnsiE 'Require|Order|Allow|Deny'",
};

/**
 * The last paragraphs of an explanation, and a command that the user runs on the server; null for
 * none.
 */
export interface LastParagraphs {
  readonly paragraphs: readonly string[];
  readonly command: string | null;
}

/** A denied request in the log, and what is known about it. */
export interface DeniedLine {
  /** The code of the log line, such as AH01630. Undefined for a log line of 2.2. */
  readonly code: string | undefined;
  /**
   * For each URL that leads to the file, how the servers answer a request for it. Servers that do
   * not start are left out.
   */
  readonly explanations: readonly ExplainedRequest[];
  readonly configuration: RequestConfiguration;
  /**
   * Whether the user answered that the .htaccess file of a directory has no access lines. Undefined
   * if there are no such answers.
   */
  readonly hasNoAccessLines: RequestConfiguration['hasNoAccessLines'];
  /** The user's answers by the ids of their questions. */
  readonly answers: ReadonlyMap<string, string>;
}

/**
 * The last paragraphs of the explanation of a log line, if the files of this copy allow the request
 * that the server has denied. Null if the files deny it, or if the answer depends on more than
 * .htaccess files.
 */
export function lastParagraphsOf(deniedLine: DeniedLine): LastParagraphs | null {
  const { code, explanations, configuration } = deniedLine;
  const isAllowed = explanations.every(
    ({ request, answers }) =>
      answers.length > 0 &&
      answers.every(
        ({ server, access }) =>
          access === 'granted' || (access === 'unknown' && accessInCopy(request, configuration, server) === 'granted'),
      ),
  );
  if (!isAllowed) return null;
  const { what, searchCommand } = PROOF_BY_CODE.get(code) ?? OTHER_PROOF;
  const proofText = `The log line says that ${what}. The lines here allow the request.`;
  const missingFacts = explanations.flatMap(({ unknown }) =>
    unknown.filter(({ accessFileOf }) => accessFileOf !== undefined),
  );
  const folders = [...new Set(missingFacts.map(({ accessFileOf }) => accessFileOf!))].map(withoutSlash);
  const files = [...new Set(missingFacts.flatMap((fact) => /`([^`]*)`/.exec(fact.what)?.[1] ?? []))];
  if (folders.length === 0)
    return {
      paragraphs: [
        `${proofText} So the server that wrote the line has other files, or it was not restarted since a change.`,
      ],
      command: null,
    };
  const copiedFolder = withoutSlash(
    missingFacts.find((fact) => fact.missingDirectory !== undefined)?.missingDirectory ?? folders[0]!,
  );
  const matchingAnswer = answerAboutHtaccessFiles(folders, deniedLine);
  const lowestFolder = folders.reduce((longest, each) => (each.length > longest.length ? each : longest));
  return {
    paragraphs: [
      `${proofText} So that line is in a .htaccess file that is not in this copy, in ${lowestFolder} or above it. Or the server has other files, or was not restarted since a change.`,
      ...(matchingAnswer === null ? [] : [answerText(matchingAnswer)]),
      `To find the line, run the command below on the server. Then copy ${copiedFolder} with its .htaccess files, and add: --map ${shellWord(`${copiedFolder}=COPY`)}`,
    ],
    command: `${searchCommand} ${files.map((file) => shellWord(file)).join(' ')}`,
  };
}

/**
 * The user's answer that the .htaccess files of these directories have no access lines, as
 * `ID=none`; null if there is none.
 */
function answerAboutHtaccessFiles(
  folders: readonly string[],
  { hasNoAccessLines, answers }: DeniedLine,
): string | null {
  const folder = folders.find((each) => hasNoAccessLines?.(each) === true);
  if (folder === undefined) return null;
  const [id] = [...answers]
    .filter(([each, value]) => value === 'none' && each.startsWith(HTACCESS_QUESTION_PREFIX))
    .map(([each]) => each)
    .filter((each) => isWithin(folder, withoutSlash(each.slice(HTACCESS_QUESTION_PREFIX.length))));
  return `${id ?? `${HTACCESS_QUESTION_PREFIX}${folder}`}=none`;
}

/** The beginning of the id of the question about access lines in .htaccess files. */
const HTACCESS_QUESTION_PREFIX = 'htaccess-unseen:';

/** A paragraph about an answer that the log line seems to refute. */
function answerText(answer: string): string {
  return `Your answer \`${answer}\` says that no .htaccess file there has Order, Allow, Deny or Require. If the log line is from this server, that is not right. Remove this answer and run "httpd-upgrade plan" again: changes after this answer can allow too much or too little.`;
}

function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/$/, '');
}
