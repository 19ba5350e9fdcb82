/** Asks 2.2 and 2.4 about one request to the files of the page. */
import { isHtaccessName } from '../../server/src/config/configurations';
import { ACCESS_WORDS, explainRequest, isDifferent, requestConfiguration } from '../../server/src/features/requests';
import type { ReadTexts } from '../../server/src/features/given-texts';
import { parseRequest } from '../../server/src/requests/parse';
import type { RequestPlace, RequestServer } from '../../server/src/requests/model';
import type { AskedRequest, Place, RequestAnswer } from './protocol';

const SERVERS: Readonly<Record<RequestServer, string>> = {
  '2.2': '2.2',
  '2.4-compat': '2.4 with mod_access_compat, files as they are',
  '2.4': '2.4, after the safe fixes',
};

/** The answers; or a text if the request cannot be read, or no configuration can answer. */
export function answerRequest(asked: AskedRequest, read: ReadTexts): RequestAnswer | string {
  const request = parseRequest(asked.request, {
    from: asked.from.trim() || null,
    user: asked.user.trim() || null,
    headers: asked.headers.split('\n').filter((line) => line.trim() !== ''),
  });
  if (!request) return 'Write a method and a URL, such as GET http://www.example.org/admin.';
  const root = mainFileOf(read);
  if (root === null)
    return 'A .htaccess file alone has no URL. Drop the folder of the server, or paste its main configuration.';
  const { projects, view } = read;
  const explained = explainRequest(request, requestConfiguration({ root, view, projects }));
  const names = new Map(read.inputs.map(({ path, name }) => [path, name]));
  const placeOf = ({ file, line }: RequestPlace): Place => ({ file: names.get(file) ?? file, line });
  const maybe = (place: RequestPlace | null): Place | null => place && placeOf(place);
  const { answers } = explained;
  const keys = answers.map(({ host }) => JSON.stringify([host.name, host.place]));
  return {
    isDifferent: isDifferent(explained),
    decisions: answers.map(({ server, access, why, because }) => ({
      server: SERVERS[server],
      access,
      answer: ACCESS_WORDS[access],
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

/** The main file of the configuration with the most files. Null for .htaccess files alone. */
function mainFileOf({ inputs, whole }: ReadTexts): string | null {
  const counts = new Map<string, number>();
  for (const { path } of inputs)
    for (const root of whole.rootsOf(path)) if (root !== '') counts.set(root, (counts.get(root) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best?.[0] ?? inputs.find(({ path }) => !isHtaccessName(path))?.path ?? null;
}
