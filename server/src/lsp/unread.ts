/** Files that no server reads: what they say keeps nothing from starting. */
import { isHtaccessName } from '../config/configurations';
import { isPutAside } from '../directives/recognize';
import { isBesideWhole } from '../features/whole-configurations';
import { isUnusedBy } from './project-files';
import type { Session } from './session';
import type { Settings } from './settings';
import { folderAround } from './whole-access';

/**
 * Whether no server reads a file that no configuration reads: one that was put aside, that the
 * team marked, or that lies beside a configuration which is all here.
 */
export function isUnread(session: Session, path: string, settings: Settings | undefined): boolean {
  const { workspace } = session;
  if (isHtaccessName(path) || workspace.models.some(({ files }) => files.has(path))) return false;
  return (
    isPutAside(path.slice(folderAround(session, path)?.length ?? 0)) ||
    isUnusedBy(settings?.project ?? null, workspace.uriFor(path)) ||
    isBesideWhole(path, workspace.models)
  );
}
