/** Names over a set of files, for tests: references, and the texts after a rename. */
import { TextDocument } from 'vscode-languageserver-textdocument';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { parameterAt, renamedParameter } from '../../server/src/features/macro-parameters';
import { mayHaveName, symbolSummaryOf } from '../../server/src/features/occurrences';
import {
  relatedFilesWith,
  searchableNameAt,
  namesToSearch,
  type RelatedFiles,
} from '../../server/src/features/references';
import { whyNeverRenamed, rename, namesToCheck } from '../../server/src/features/rename';
import type { Edit } from '../../server/src/rules/rule';
import { memoryFiles } from '../../server/src/config/memory-files';

export interface FileSet {
  /** By path, without the mark. */
  readonly files: Readonly<Record<string, string>>;
  /** Where `$0` stood. */
  readonly path: string;
  readonly offset: number;
  readonly roots: readonly string[];
  /** Files of .htaccess that a configuration admits. */
  readonly admitted: readonly string[];
  readonly obstacles: Readonly<Record<string, string>>;
  readonly defines: ReadonlyMap<string, string> | null;
}

/** The first file is the root. One has `$0` in it. */
export function fileSet(marked: Readonly<Record<string, string>>): FileSet {
  const [path, text] = Object.entries(marked).find(([, each]) => each.includes('$0'))!;
  const files = { ...marked, [path]: text.replace('$0', '') };
  return {
    files,
    path,
    offset: text.indexOf('$0'),
    roots: [Object.keys(files)[0]],
    admitted: [],
    obstacles: {},
    defines: null,
  };
}

export function namesAround({
  files,
  path,
  roots,
  admitted,
}: Pick<FileSet, 'files' | 'path' | 'roots' | 'admitted'>): RelatedFiles {
  const view = memoryFiles(files);
  const summaries = new Map(Object.keys(files).map((each) => [each, symbolSummaryOf(view.read(each)!.root)]));
  return {
    currentFile: path,
    openTrees: new Map([[path, view.read(path)!]]),
    configurationModels: roots.map((mainFile) => readModel({ mainFile, view: configView(view) })!),
    closedFilesWith: (wanted) =>
      Object.keys(files).filter(
        (each) => each !== path && wanted.some((one) => mayHaveName(summaries.get(each)!.nameHashes, one)),
      ),
    isHtaccess: (each) => admitted.includes(each),
  };
}

/** The texts of the files that change, or the sentence that refuses. */
export function applied(set: FileSet, newName: string): Readonly<Record<string, string>> | string {
  const { files, path, offset, obstacles, defines } = set;
  const view = memoryFiles(files);
  const tree = view.read(path)!;
  const parameter = parameterAt(tree, offset);
  if (parameter) {
    const edits = renamedParameter(parameter, newName);
    return 'refused' in edits ? edits.refused : { [path]: withEdits(files[path]!, edits) };
  }
  const wantedName = searchableNameAt(tree, offset)?.occurrence;
  if (!wantedName) return 'There is no name here.';
  const refused = whyNeverRenamed(wantedName);
  if (refused !== null) return refused;
  const around = namesAround(set);
  const paths = relatedFilesWith(namesToSearch(wantedName), around, namesToCheck(wantedName, newName));
  const answer = rename({
    wantedName,
    newName,
    defines,
    files: paths.map((each) => ({
      path: each,
      tree: view.read(each)!,
      displayName: each,
      whyUnchangeable: obstacles[each] ?? null,
    })),
  });
  if ('refused' in answer) return answer.refused;
  return Object.fromEntries(
    [...answer.edits].map(([file, edits]) => [
      file,
      TextDocument.applyEdits(TextDocument.create(file, '', 0, files[file]!), [...edits]),
    ]),
  );
}

function withEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: put }) => result.slice(0, start) + put + result.slice(end), text);
}
