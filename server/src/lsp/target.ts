/** Our own request: the version a file is checked for, and where it is set. */
import { targetName } from '../config/target';
import type { Session } from './session';

export interface TargetAnswer {
  readonly target: string;
  /** The URI of the `.httpd-upgrade.json` that sets it; null if it is the editor's setting. */
  readonly project: string | null;
}

export function serveTarget(session: Session): void {
  session.connection.onRequest('httpdUpgrade/target', async ({ uri }: { uri: string }): Promise<TargetAnswer> => {
    const { engine, project } = await session.settings.of(uri);
    return { target: targetName(engine.target), project: project?.settings.target ? project.uri : null };
  });
  // Only for our client, which shows it; it knows the editor's own settings itself.
  session.onSettings.push(() => {
    if (session.client.showsRules) void session.connection.sendNotification('httpdUpgrade/settingsChanged', {});
  });
}
