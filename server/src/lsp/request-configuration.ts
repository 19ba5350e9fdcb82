/** Reads the configuration of a main file, to explain requests. */
import type { FileView } from '../config/files';
import { requestConfiguration } from '../features/requests';
import type { RequestConfiguration } from '../requests/model';
import type { Session } from './session';

/** The configuration of a main file with its settings. `root`: the path of the main file. */
export async function requestConfigurationOf(
  { settings, workspace }: Session,
  root: string,
  view: FileView,
): Promise<RequestConfiguration> {
  const { engine } = await settings.settingsOf(workspace.clientUriOf(root));
  const server = await workspace.serverSettingsOf(root);
  return requestConfiguration({ root, view, settings: { engineOf: () => engine, serverOf: () => server } });
}
