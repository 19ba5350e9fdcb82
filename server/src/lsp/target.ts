/**
 * Our own request: the version of httpd for which a file is checked, and the project file that sets
 * it.
 */
import { targetName } from '../config/target';
import type { Session } from './session';

/** The reply: the version, and what sets it. */
export interface TargetReply {
  readonly target: string;
  /**
   * The URI of the `.httpd-upgrade.json` that sets the version; null if the editor's settings set
   * it.
   */
  readonly project: string | null;
}

export function serveTarget(session: Session): void {
  session.connection.onRequest('httpdUpgrade/target', async ({ uri }: { uri: string }): Promise<TargetReply> => {
    const { engine, projectFile } = await session.settings.settingsOf(uri);
    return { target: targetName(engine.target), project: projectFile?.settings.target ? projectFile.uri : null };
  });
  // Only our client shows the version, so only our client is notified that it may have changed.
  session.settingsListeners.push(() => {
    if (session.client.isOurClient) void session.connection.sendNotification('httpdUpgrade/settingsChanged', {});
  });
}
