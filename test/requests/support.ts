/** Asks about requests to configurations in memory. */
import { memoryFiles } from '../../server/src/config/memory-files';
import { DEFAULT_TARGET, type Target } from '../../server/src/config/target';
import { decide } from '../../server/src/requests/decide';
import type { Answer, RequestConfiguration, RequestServer } from '../../server/src/requests/model';
import { parseRequest, type RequestDetails } from '../../server/src/requests/parse';

export interface Asked extends RequestDetails {
  readonly server?: RequestServer;
  readonly converted?: Readonly<Record<string, string>>;
  readonly target?: Target;
}

export const MAIN = '/etc/httpd/conf/httpd.conf';

/** `files`: the main file's text, or texts by paths, the main file first. */
export function configurationOf(
  files: string | Readonly<Record<string, string>>,
  converted?: Readonly<Record<string, string>>,
): RequestConfiguration {
  const texts = typeof files === 'string' ? { [MAIN]: files } : files;
  return {
    mainFile: Object.keys(texts)[0],
    files: { view: memoryFiles(texts) },
    convertedFiles: () => (converted ? { view: memoryFiles(converted) } : null),
    server: { serverRoot: '/etc/httpd' },
    target: DEFAULT_TARGET,
    mpm: null,
  };
}

export function ask(
  files: string | Readonly<Record<string, string>>,
  request: string,
  { server = '2.4-compat', converted, target = DEFAULT_TARGET, ...details }: Asked = {},
): Answer {
  const parsed = parseRequest(request, { from: '192.0.2.7', ...details });
  if (!parsed) throw new Error(`no request: ${request}`);
  return decide(parsed, { ...configurationOf(files, converted), target }, server);
}
