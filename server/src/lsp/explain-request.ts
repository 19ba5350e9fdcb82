/**
 * `httpdUpgrade.explainRequest`: explains how the 2.2 and the 2.4 server reply to one request
 * (features/requests.ts).
 */
import type { CancellationToken } from 'vscode-languageserver';
import { explainRequest, requestJson } from '../features/requests';
import { REQUEST_SERVERS } from '../requests/model';
import { parseRequest } from '../requests/parse';
import { isObject } from '../settings/values';
import { requestConfigurationOf } from './request-configuration';
import { throwIfCancelled, type Session } from './session';
import { openTrees, fileViewFor } from './view-of-files';
import { mainFilesOf } from './access-conversion';

/** The reply if there is no explanation. `nothing` is the reason, as a sentence. */
interface NoExplanation {
  readonly nothing: string;
}

/**
 * Explains a request. `uri` is a file of the configuration; null means the first configuration.
 * `parameters` is `{ request, from, user, headers, at }`; only `request` is needed. The result is
 * the JSON of the command line, with the URIs of its files in `uris`.
 */
export async function explainRequestInWorkspace(
  session: Session,
  uri: string | null,
  parameters: unknown,
  token: CancellationToken,
): Promise<Record<string, unknown> | NoExplanation> {
  if (!session.isTrusted) return { nothing: 'In restricted mode, other files are not read. Trust this workspace.' };
  const requestParts = isObject(parameters) ? parameters : { request: parameters };
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const headers = Array.isArray(requestParts.headers)
    ? requestParts.headers.filter((each) => typeof each === 'string')
    : [];
  const clientAddress = textOf(requestParts.from);
  const request = parseRequest(textOf(requestParts.request) ?? '', {
    from: clientAddress,
    user: textOf(requestParts.user),
    headers,
  });
  if (!request)
    return { nothing: 'Give a method and a URL, such as `GET https://host/path`, and an IP address or a host name.' };
  const { workspace, host } = session;
  const foundUris = await host.findFiles(session.folders, () => token.isCancellationRequested);
  await workspace.untilCurrent();
  throwIfCancelled(token);
  const view = await fileViewFor(session, openTrees(session));
  const pathOfUri = uri === null ? null : workspace.realPathOf(uri);
  const mainFileOfFile = workspace.models.find(({ files }) => pathOfUri !== null && files.has(pathOfUri))?.mainFile;
  const root = mainFileOfFile ?? mainFilesOf(session, view, foundUris)[0];
  if (root === undefined) return { nothing: 'There is no main configuration file in this workspace.' };
  const configuration = await requestConfigurationOf(session, root, view);
  throwIfCancelled(token);
  const servers = REQUEST_SERVERS.filter((each) => requestParts.at === undefined || requestParts.at === each);
  const uris: Record<string, string> = {};
  const explanation = requestJson(
    explainRequest(request, configuration, servers.length > 0 ? servers : REQUEST_SERVERS),
    (file) => {
      uris[file] = workspace.clientUriOf(file);
      return file;
    },
  );
  return { ...explanation, root, uris };
}
