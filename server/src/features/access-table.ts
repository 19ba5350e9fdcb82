/** Shows which clients have access to each section, as JSON and as Markdown: for `access ROOT`. */
import type { AccessSection } from '../requests/access-sections';
import { REQUEST_SERVERS, type Access, type RequestServer } from '../requests/model';
import { requestText, requestUrl } from '../requests/request-text';
import { fewestRequests, type WitnessRequest, type WitnessRequests } from '../requests/witness-requests';
import { ANY_USER } from '../requests/clients';
import { shellWord } from '../syntax/shell-word';
import type { DisplayName } from './access-changes';
import { code } from './markdown-text';
import { ACCESS_WORDS } from './requests';

/** The requests as JSON, for `requests --format json` and `access`. Lines are zero-based. */
export function requestsJson(witnesses: WitnessRequests, displayPath: DisplayName): Record<string, unknown> {
  const { requests, takenOver } = fewestRequests(witnesses);
  return {
    version: 1,
    requests: requests.map((each) => ({
      ...requestJson(each),
      section: sectionJson(each.section, displayPath),
      expected: each.expected,
    })),
    takenOver: takenOver.map((section) => sectionJson(section, displayPath)),
    unreached: witnesses.unreached.map((section) => sectionJson(section, displayPath)),
  };
}

/** `notConverted`: whether the section keeps old lines after the conversion. */
export function accessTableJson(
  { requests, unreached, isOld }: WitnessRequests,
  displayPath: DisplayName,
): Record<string, unknown> {
  return {
    version: 1,
    sections: groupedBySection(requests).map(([section, requestsOfSection]) => ({
      ...sectionJson(section, displayPath),
      notConverted: isOld(section),
      clients: requestsOfSection.map((each) => ({ ...requestJson(each), access: each.expected })),
    })),
    unreached: unreached.map((section) => ({ ...sectionJson(section, displayPath), notConverted: isOld(section) })),
  };
}

/** A table for each section, with one row for each decision. `mark` formats a request. */
export function accessTableMarkdown(
  { requests, unreached, isOld, whyUnreached }: WitnessRequests,
  displayPath: DisplayName,
  mark: (text: string) => string = code,
): string {
  const placed = (section: AccessSection) =>
    `${code(`${displayPath(section.file)}:${section.line + 1}`)}${isOld(section) ? ': not converted' : ''}`;
  // The place after it names the directory of a .htaccess file.
  const named = ({ name, file }: AccessSection) => code(name === file ? name.replace(/^.*\//s, '') : name);
  const isAnyOld = [...requests.map(({ section }) => section), ...unreached].some(isOld);
  const parts = groupedBySection(requests).map(([section, requestsOfSection]) => {
    const isSame = requestsOfSection.every(({ expected }) => new Set(Object.values(expected)).size === 1);
    const head = isSame
      ? ['request', '2.2 and 2.4']
      : ['request', ...REQUEST_SERVERS.map((server) => COLUMN_TITLES[server])];
    const rows = requestsOfSection.map(({ request, expected }) => [
      mark(requestText(request)).replace(/(?<!\\)\|/g, '\\|'),
      ...(isSame ? [accessWords(expected['2.4'])] : REQUEST_SERVERS.map((server) => accessWords(expected[server]))),
    ]);
    return [
      `**${named(section)}** ${placed(section)}`,
      '',
      ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
      '',
    ].join('\n');
  });
  const why = (section: AccessSection) => {
    const { what, place } = whyUnreached(section) ?? { what: null, place: null };
    if (what === null) return '';
    return `: ${what}${place === null ? '' : ` (${code(`${displayPath(place.file)}:${place.line + 1}`)})`}`;
  };
  const rest = unreached.map((section) => `- ${named(section)} ${placed(section)}${why(section)}`);
  return [
    '# Who has access',
    '',
    ...(parts.length + rest.length === 0 ? [NO_SECTION_TEXT, ''] : parts),
    ...(hasUnknown(requests) ? [UNKNOWN_NOTE, ''] : []),
    ...(hasConfigurationError(requests) ? [ERROR_NOTE, ''] : []),
    ...(rest.length > 0 ? [NO_URL_TITLE, '', ...rest, ''] : []),
    ...(isAnyOld ? [NOT_CONVERTED_NOTE, ''] : []),
  ].join('\n');
}

/** The text if no section controls access. */
export const NO_SECTION_TEXT =
  'No section in these files controls access. If another file includes them, give the main configuration file.';

/** The title for sections that no request was found for, with the possible reasons. */
export const NO_URL_TITLE =
  'No URL was found for these sections. Possible reasons: a proxy or a rewrite rule takes their URLs; no DocumentRoot or Alias leads to their directories; a condition around them is false; or the files are not in this copy. "httpd-upgrade explain --request" shows which sections apply to a URL:';

/** Groups requests by their section, in the order of the sections. */
export function groupedBySection(
  requests: readonly WitnessRequest[],
): readonly (readonly [AccessSection, readonly WitnessRequest[]])[] {
  const requestsOfSection = new Map<AccessSection, WitnessRequest[]>();
  for (const each of requests)
    requestsOfSection.set(each.section, [...(requestsOfSection.get(each.section) ?? []), each]);
  return [...requestsOfSection];
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

const NOT_CONVERTED_NOTE = `Sections that are not converted keep their old lines, which 2.4 reads only with mod_access_compat. ${code('httpd-upgrade plan')} shows what they wait for.`;

const COLUMN_TITLES: Readonly<Record<RequestServer, string>> = {
  '2.2': '2.2',
  '2.4-compat': '2.4 with mod_access_compat',
  '2.4': '2.4 converted',
};

const UNKNOWN_NOTE =
  'unknown: this copy does not show the answer, for example because a .htaccess file, a group file or a variable decides. "httpd-upgrade explain --request" shows the reason for one request.';

const ERROR_NOTE =
  'config error (500): httpd rejects a line for this request, such as an AuthType without a Require line, or a line that AllowOverride forbids. "httpd-upgrade explain --request" shows the line.';

function hasConfigurationError(requests: readonly WitnessRequest[]): boolean {
  return requests.some(({ expected }) => Object.values(expected).includes('error'));
}

function hasUnknown(requests: readonly WitnessRequest[]): boolean {
  return requests.some(({ expected }) => Object.values(expected).includes('unknown'));
}

function accessWords(access: Access): string {
  return ACCESS_WORDS[access];
}

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

function sectionJson({ name, file, line }: AccessSection, displayPath: DisplayName): Record<string, unknown> {
  return { name, file: displayPath(file), line };
}
