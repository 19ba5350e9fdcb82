/**
 * A state directory for this program's changes, separate from the user's own; removed when the
 * process ends.
 */
import { mkdirSync, mkdtempSync, chmodSync, chownSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const places = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-state-'));
chmodSync(places, 0o755);
process.on('exit', () => rmSync(places, { recursive: true, force: true }));

/** For what runs as this user, where it is not the one who tests. */
export function stateHome(uid?: number): string {
  const place = path.join(places, String(uid ?? 'own'));
  mkdirSync(place, { recursive: true, mode: 0o700 });
  if (uid !== undefined) chownSync(place, uid, uid);
  return place;
}

/**
 * What was kept there of changes is gone: they cannot be undone, and the directories count as new.
 */
export function forgetChanges(): void {
  for (const name of readdirSync(places)) {
    for (const part of ['changes', 'converted'])
      rmSync(path.join(places, name, 'httpd-upgrade', part), { recursive: true, force: true });
  }
}

// Whatever runs in this process, and what it starts.
process.env.HTTPD_UPGRADE_STATE = stateHome();
