/** Reads the configuration of a main file, to explain requests. */
import type { FileView } from '../config/files';
import { requestConfiguration } from '../features/requests';
import type { RequestConfiguration } from '../requests/model';
import type { Session } from './session';

/** Reads the configuration whose main file has the path `root`, with its settings. */
export async function requestConfigurationOf(
  { settings, workspace }: Session,
  root: string,
  view: FileView,
): Promise<RequestConfiguration> {
  const { engine } = await settings.settingsOf(workspace.clientUriOf(root));
  const server = await workspace.serverSettingsOf(root);
  return requestConfiguration({ root, view, settings: { engineOf: () => engine, serverOf: () => server } });
}
