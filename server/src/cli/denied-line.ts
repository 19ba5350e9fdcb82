/** The end of `explain LINE --root ROOT`: what follows from a denied request in the log. */
import type { ExplainedRequest } from '../features/requests';
import { accessInCopy } from '../requests/decide';
import type { RequestConfiguration } from '../requests/model';
import { shellWord } from '../syntax/shell-word';

/** What the code of a line proves about the line of the configuration that denied the request. */
interface Proof {
  readonly what: string;
  /** The command that lists such lines in files. */
  readonly search: string;
}

/** mod_authz_core and mod_access_compat log these codes, and no other module does. */
const PROOF_OF_CODE: ReadonlyMap<string | undefined, Proof> = new Map([
  [
    'AH01630',
    {
      what: 'a `Require` line denied the request (AH01630; AH01797 would be an `Order`, `Allow` or `Deny` line)',
      search: 'grep -Hnsi Require',
    },
  ],
  [
    'AH01797',
    {
      what: 'an `Order`, `Allow` or `Deny` line denied the request (AH01797; AH01630 would be a `Require` line)',
      search: "grep -HnsiE 'Order|Allow|Deny'",
    },
  ],
]);

const OTHER_PROOF: Proof = {
  what: 'an access line denied the request',
  search: "grep -HnsiE 'Require|Order|Allow|Deny'",
};

/** The paragraphs of the end, and a command for the server. Null for no command. */
export interface DeniedLineEnd {
  readonly paragraphs: readonly string[];
  readonly command: string | null;
}

/**
 * The end if the files of this copy allow the request that the log line says is denied. Null if they
 * deny it, or if the answer depends on more than .htaccess files. `explained`: the answers for each
 * URL that leads to the file, those of servers that start.
 */
export function deniedLineEnd(
  code: string | undefined,
  explained: readonly ExplainedRequest[],
  configuration: RequestConfiguration,
): DeniedLineEnd | null {
  const isAllowed = explained.every(
    ({ request, answers }) =>
      answers.length > 0 &&
      answers.every(
        ({ server, access }) =>
          access === 'granted' ||
          (access === 'unknown' && accessInCopy(request, configuration, server) === 'granted'),
      ),
  );
  if (!isAllowed) return null;
  const { what, search } = PROOF_OF_CODE.get(code) ?? OTHER_PROOF;
  const proof = `The log line says that ${what}. The lines here allow the request.`;
  const missing = explained.flatMap(({ unknown }) => unknown.filter(({ accessFileOf }) => accessFileOf !== undefined));
  const folders = [...new Set(missing.map(({ accessFileOf }) => accessFileOf!))].map(withoutSlash);
  const files = [...new Set(missing.flatMap((fact) => /`([^`]*)`/.exec(fact.what)?.[1] ?? []))];
  if (folders.length === 0)
    return {
      paragraphs: [
        `${proof} So the server that wrote the line has other files, or it was not restarted since a change.`,
      ],
      command: null,
    };
  const base = withoutSlash(missing.find((fact) => fact.missing !== undefined)?.missing ?? folders[0]!);
  const lowest = folders.reduce((longest, each) => (each.length > longest.length ? each : longest));
  return {
    paragraphs: [
      `${proof} So that line is in a .htaccess file that is not in this copy, in ${lowest} or above it. Or the server has other files, or was not restarted since a change.`,
      `To find the line, run the command below on the server. Then copy ${base} with its .htaccess files, and add: --map ${shellWord(`${base}=COPY`)}`,
    ],
    command: `${search} ${files.map(shellWord).join(' ')}`,
  };
}

function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/$/, '');
}
