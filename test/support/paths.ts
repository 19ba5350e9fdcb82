import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The top of the repository, from wherever the tests were built to. */
export const repositoryRoot = process.env.HTTPD_UPGRADE_ROOT ?? findRoot(__dirname);

/**
 * The folder of real-world configurations beside the checkout; it is not part of the repository.
 */
export const corpusFolder = path.resolve(repositoryRoot, '..', 'shared', 'corpus');

export const hasCorpus = existsSync(corpusFolder);

/** The same of templates of such configurations. */
export const templatesFolder = path.resolve(repositoryRoot, '..', 'shared', 'corpus-templates');

export const hasTemplates = existsSync(templatesFolder);

/** Recorded answers of real servers to requests for virtual hosts. */
export const virtualHostAnswers = path.resolve(repositoryRoot, '..', 'shared', 'vhost-answers', 'answers.json');

/** Recorded answers of real servers to scenarios of access control. */
export const accessAnswers = path.join(path.dirname(path.dirname(virtualHostAnswers)), 'access-answers/answers.json');

/** Whole trees around conditions, with the answers of both servers. */
export const conditionTrees = path.join(
  path.dirname(path.dirname(virtualHostAnswers)),
  'behaviour-answers/condition-trees.json',
);
/** Recorded answers of real servers to what changed between the versions. */
export const behaviourAnswers = path.resolve(repositoryRoot, '..', 'shared', 'behaviour-answers', 'behaviours.json');

/** A source file of the server that was changed after dist/ was made; '' for none. */
export function changedSinceBuild(root: string): string {
  // Which the build writes whatever has changed.
  const made = statSync(path.join(root, 'dist', 'commands.js')).mtimeMs;
  const sources = readdirSync(path.join(root, 'server', 'src'), { recursive: true, encoding: 'utf8' });
  const newer = sources.find((name) => {
    const file = statSync(path.join(root, 'server', 'src', name));
    return file.isFile() && file.mtimeMs > made;
  });
  return newer === undefined ? '' : path.join('server', 'src', newer);
}

function findRoot(from: string): string {
  for (let folder = from; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.mocharc.json'))) return folder;
  }
  return process.cwd();
}

/**
 * A directory in memory for files that are written a thousand times, where this machine has one for
 * us; otherwise the one for temporary files.
 */
export function fastFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
