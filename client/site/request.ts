/** Asks 2.2 and 2.4 about one request to the files of the page. */
import { isHtaccessName } from '../../server/src/config/configurations';
import {
  WORDS_FOR_ACCESS,
  explainRequest,
  doServersDiffer,
  requestConfiguration,
} from '../../server/src/features/requests';
import type { ProjectOfTexts } from '../../server/src/features/project-of-texts';
import { escapeHtml } from '../../server/src/features/report/html';
import { REQUEST_SERVERS, type FileLine, type RequestServer } from '../../server/src/requests/model';
import { parseRequest } from '../../server/src/requests/parse';
import { requestText } from '../../server/src/requests/request-text';
import { witnessRequests, type WitnessRequest } from '../../server/src/requests/witness-requests';
import type { AccessTable, AskedRequest, Place, RequestAnswer } from './protocol';

const SERVERS: Readonly<Record<RequestServer, string>> = {
  '2.2': '2.2',
  '2.4-compat': '2.4 with mod_access_compat, files as they are',
  '2.4': '2.4, after the safe fixes',
};

/** The answers; or a text if the request cannot be read, or no configuration can answer. */
export function answerRequest(asked: AskedRequest, read: ProjectOfTexts): RequestAnswer | string {
  const request = parseRequest(asked.request, {
    from: asked.from.trim() || null,
    user: asked.user.trim() || null,
    headers: asked.headers.split('\n').filter((line) => line.trim() !== ''),
  });
  if (!request) return 'Write a method and a URL, such as GET http://www.example.org/admin.';
  const root = mainFileOf(read);
  if (root === null)
    return 'A .htaccess file alone has no URL. Drop the folder of the server, or paste its main configuration.';
  const { settings, view } = read;
  const explained = explainRequest(request, requestConfiguration({ root, view, settings }));
  const names = new Map(read.namedFiles.map(({ path, name }) => [path, name]));
  const placeOf = ({ file, line }: FileLine): Place => ({ file: names.get(file) ?? file, line });
  const maybe = (place: FileLine | null): Place | null => place && placeOf(place);
  const { answers } = explained;
  const keys = answers.map(({ host }) => JSON.stringify([host.name, host.place]));
  return {
    isDifferent: doServersDiffer(explained),
    decisions: answers.map(({ server, access, why, because }) => ({
      server: SERVERS[server],
      access,
      answer: WORDS_FOR_ACCESS[access],
      why,
      because: because.map(({ text, ...place }) => ({ ...placeOf(place), text })),
    })),
    hosts: [...new Set(keys)].map((key) => {
      const own = answers.filter((_, index) => keys[index] === key);
      const { name, why, place } = own[0]!.host;
      return { servers: own.map(({ server }) => server).join(', '), name, why, place: maybe(place) };
    }),
    target: { ...answers.at(-1)!.target, place: maybe(answers.at(-1)!.target.place) },
    sections: explained.sections.map(({ name, applies, adds, ...place }) => ({
      ...placeOf(place),
      name,
      applies,
      adds,
    })),
    unknown: explained.unknown.map(({ what, place }) => ({ what, place: maybe(place) })),
  };
}

/** The most characters of a configuration for which the page looks for requests by itself. */
const MOST_CHARACTERS = 300_000;

/**
 * Tables of sections that are not in `tables`, because they have no lines of 2.2: their lines, and
 * a row for each decision, with one request that shows it.
 */
export function otherSections(read: ProjectOfTexts, tables: readonly AccessTable[]): AccessTable[] {
  const root = mainFileOf(read);
  if (root === null || read.namedFiles.reduce((sum, { tree }) => sum + tree.length, 0) > MOST_CHARACTERS) return [];
  const { settings, view } = read;
  const found = witnessRequests(requestConfiguration({ root, view, settings }));
  const bySection = new Map<WitnessRequest['section'], WitnessRequest[]>();
  for (const each of found?.requests ?? []) {
    const own = bySection.get(each.section);
    if (own) own.push(each);
    else bySection.set(each.section, [each]);
  }
  return [...bySection].flatMap(([section, own]) => {
    const input = read.namedFiles.find(({ path }) => path === section.file);
    if (!input) return [];
    const lines = requireLines(input.tree.text().split('\n').slice(section.line));
    const { name: file } = input;
    const name = `<code>${escapeHtml(section.name)}</code>`;
    if (lines.length === 0 || tables.some((each) => each.file === file && isIn(each, section, name))) return [];
    const table = decisions(own);
    const sentenceEnd = table
      ? 'one request for each decision.'
      : 'other lines or files decide, too. To see which, use “Explain a request”.';
    const convertedLines = `<pre tabindex="0"><code>${escapeHtml(lines.join('\n'))}</code></pre>`;
    return [
      { file, line: section.line, name, sentenceEnd, tables: table ? [table] : [], convertedLines, remark: null },
    ];
  });
}

/** Whether a table is about a section: of the same name, and at a line after its begin. */
function isIn(table: AccessTable, { line }: WitnessRequest['section'], name: string): boolean {
  return table.name === name && table.line >= line;
}

/** The lines about access of a section that begins with the first line. */
function requireLines([opening = '', ...rest]: readonly string[]): string[] {
  const name = /^\s*<(\w+)/.exec(opening)?.[1] ?? '';
  const end = rest.findIndex((line) => line.trim().toLowerCase().startsWith(`</${name.toLowerCase()}`));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .filter((line) => /^\s*<?\/?(?:Require|AuthMerging)/i.test(line))
    .map((line) => line.trim());
}

/** Null if no answer is known. */
function decisions(own: readonly WitnessRequest[]): AccessTable['tables'][number] | null {
  const known = own.filter(({ expected }) => Object.values(expected).some((access) => access !== 'unknown'));
  if (known.length === 0) return null;
  const isSame = known.every(({ expected }) => new Set(Object.values(expected)).size === 1);
  return {
    methods: null,
    inWords: '',
    head: ['request', ...REQUEST_SERVERS.map((server) => SERVERS[server])],
    rows: known.map(({ request, expected }) => [
      `<code>${escapeHtml(requestText(request))}</code>`,
      ...(isSame
        ? [WORDS_FOR_ACCESS[expected['2.4']]]
        : REQUEST_SERVERS.map((server) => WORDS_FOR_ACCESS[expected[server]])),
    ]),
    isSame,
  };
}

/** The main file of the configuration with the most files. Null for .htaccess files alone. */
function mainFileOf({ namedFiles, projectOfFiles }: ProjectOfTexts): string | null {
  const counts = new Map<string, number>();
  for (const { path } of namedFiles)
    for (const root of projectOfFiles.rootsOf(path)) if (root !== '') counts.set(root, (counts.get(root) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best?.[0] ?? namedFiles.find(({ path }) => !isHtaccessName(path))?.path ?? null;
}
