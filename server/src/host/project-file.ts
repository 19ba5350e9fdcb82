/** `.httpd-upgrade.json` from bytes. */
import { readProjectSettings, NO_PROJECT_SETTINGS, type ProjectProblem, type ProjectSettings } from '../analysis/project-settings';
import { decode } from './decode';

/** Larger ones are something else by that name. */
const MAX_SIZE = 1024 * 1024;

export interface DecodedProjectFile {
  readonly text: string;
  readonly settings: ProjectSettings;
  readonly problems: readonly ProjectProblem[];
}

export function projectFile(bytes: Uint8Array): DecodedProjectFile {
  if (bytes.length > MAX_SIZE) return unreadable('This file is larger than 1 MB. Nothing in it is used.');
  const decoded = decode(bytes);
  if (!('text' in decoded)) return unreadable(`This file ${decoded.problem}. Nothing in it is used.`);
  return { text: decoded.text, ...readProjectSettings(decoded.text) };
}

function unreadable(message: string): DecodedProjectFile {
  return { text: '', settings: NO_PROJECT_SETTINGS, problems: [{ start: 0, end: 0, message }] };
}
