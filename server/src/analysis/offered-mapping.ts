/**
 * Finds the files of missing Include lines in another place of the copy. Repositories often keep
 * the files of several directories beside the main file. Pure.
 */
import type { OpenQuestion } from '../access/open-question';
import { parentOf, type FileView } from '../config/files';

/** A directory of the server, and the directory of the copy that has its files. */
interface OfferedMapping {
  readonly from: string;
  readonly to: string;
  /** How many of the missing files it finds. */
  readonly found: number;
  /** How many files are missing. */
  readonly missing: number;
}

/** A word that a shell does not change. Others are not offered, because users copy them. */
const PLAIN_WORD = /^[\w./@+,=-]+$/;

/** Limits for the missing files that are compared, so that thousands of Include lines are fast. */
const MAX_COMPARED = 100;
const MAX_TRIED = 10;

/**
 * Adds to the questions about missing Include lines the mapping with which most of these lines find
 * their files below the directory of the main file. `nameOf` writes a local path for users.
 */
export function withOfferedMapping(
  openQuestions: readonly OpenQuestion[],
  root: string,
  view: Pick<FileView, 'kind'>,
  nameOf: (path: string) => string,
): readonly OpenQuestion[] {
  const isMissing = ({ kind, search }: OpenQuestion) => kind === 'include-unseen' && search !== undefined;
  const paths = openQuestions.filter(isMissing).flatMap(({ search }) => search!.folders);
  const offer = offeredMapping([...new Set(paths)].slice(0, MAX_COMPARED), parentOf(root), view);
  const option = offer && `${offer.from}=${nameOf(offer.to)}`;
  if (offer === null || !PLAIN_WORD.test(option!)) return openQuestions;
  const { found, missing } = offer;
  const text = `${missing === 1 ? 'It is' : `${found} of the ${missing} missing files ${found === 1 ? 'is' : 'are'}`} in another directory of this copy. Best: run again with --map ${option} ("pathMap" in .httpd-upgrade.json).`;
  return openQuestions.map((each) => (isMissing(each) ? { ...each, affectedTexts: [text] } : each));
}

function offeredMapping(
  paths: readonly string[],
  directory: string,
  view: Pick<FileView, 'kind'>,
): OfferedMapping | null {
  const absolute = paths.filter((path) => path.startsWith('/'));
  let best: OfferedMapping | null = null;
  for (const from of new Set(absolute.slice(0, MAX_TRIED).flatMap(parentsOf))) {
    const found = absolute.filter(
      (path) => isBelow(path, from) && exists(view, directory, path.slice(from.length)),
    ).length;
    if (found > (best?.found ?? 0)) best = { from, to: directory, found, missing: paths.length };
  }
  return best;
}

/** The directories above a path, the nearest first, without the root directory. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`);
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/** Whether a file, or the directory before the first wildcard, is below a directory. */
function exists(view: Pick<FileView, 'kind'>, directory: string, path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '');
  const wildcard = parts.findIndex((part) => /[*?[]/.test(part));
  const plain = wildcard < 0 ? parts : parts.slice(0, wildcard);
  const isFile = wildcard < 0 && !path.endsWith('/');
  return plain.length > 0 && view.kind([directory, ...plain].join('/')) === (isFile ? 'file' : 'folder');
}
