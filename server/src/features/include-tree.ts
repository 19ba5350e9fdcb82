/** Lists what a configuration includes in reading order, as rows with a level of indentation. */
import type { FileNode, GapReason, IncludeNode, Model } from '../config/model';
import { spelledName } from '../syntax/line';

/** A row of the tree of a configuration: a file, or an Include line in it. */
export interface IncludeRow {
  /** The level of indentation; 0 for the main file. */
  readonly level: number;
  /** The name of the file, or the text of the line. */
  readonly label: string;
  /** Further information, or ''. */
  readonly detail: string;
  /**
   * For a file, its path; for an Include line, the path of the file with the line. Symbolic links
   * are resolved.
   */
  readonly path: string;
  /** The 0-based line number of the Include line; null for a file. */
  readonly row: number | null;
}

/** Limit for the number of rows. */
const MAX_TREE_ROWS = 50_000;

/**
 * The tree of the files of a configuration, as rows from top to bottom. `displayPath` returns the
 * display name of a file.
 */
export function includeTreeRows(model: Model, displayPath: (path: string) => string): IncludeRow[] {
  const rows: IncludeRow[] = [];
  const addFile = (node: FileNode, level: number): void => {
    if (rows.length >= MAX_TREE_ROWS) return;
    const detail =
      node.name === node.path || displayPath(node.name) === displayPath(node.path)
        ? ''
        : `through ${displayPath(node.name)}`;
    rows.push({
      level,
      label: displayPath(node.path),
      detail: level === 0 ? rootDetail(model) : detail,
      path: node.path,
      row: null,
    });
    for (const include of node.includes) addInclude(include, level + 1);
  };
  const addInclude = (include: IncludeNode, level: number): void => {
    if (rows.length >= MAX_TREE_ROWS) return;
    rows.push({
      level,
      label: `${spelledName(include.line)} ${include.what}`,
      detail: includeDetail(include),
      path: include.file,
      row: include.row,
    });
    for (const file of include.files) addFile(file, level + 1);
  };
  addFile(model.fileTree, 0);
  if (rows.length >= MAX_TREE_ROWS)
    rows.push({
      level: 0,
      label: `… more than ${MAX_TREE_ROWS} rows`,
      detail: 'the others are not shown',
      path: model.mainFile,
      row: null,
    });
  return rows;
}

/** The rows as text: two spaces for each level; an Include has its line number before it. */
export function includeTreeText(rows: readonly IncludeRow[]): string {
  const rowLines = rows.map(
    ({ level, label, detail, row }) =>
      `${'  '.repeat(level)}${row === null ? '' : `${row + 1}: `}${label}${detail ? `  (${detail})` : ''}\n`,
  );
  return rowLines.join('');
}

// ---------------------------------------------------------------------------------------------------------------------

/** Why the files of an Include line are not all known. Other reasons have no words. */
const WORDS_FOR_PROBLEM: Partial<Record<GapReason, string>> = {
  'include-missing': 'not in this copy',
  'include-folder-missing': 'its directory is not in this copy',
  'include-unreadable': 'a directory that cannot be read',
  'include-variable': 'the value of a variable in it is not known',
  'too-deep': 'goes round in circles, or deeper than the server goes',
  'too-many': 'too many files',
};

/** The number of files of the configuration, and whether others are missing. */
function rootDetail({ files, gaps }: Model): string {
  const fileCountText = files.size === 1 ? '1 file' : `${files.size} files`;
  return gaps.length === 0 ? fileCountText : `${fileCountText}; others are not in this copy`;
}

/**
 * The further information about an Include line: the sections and conditions around it, and what is
 * missing.
 */
function includeDetail({ enclosingTags, activity, unknownConditions, problem, files }: IncludeNode): string {
  const detailParts = enclosingTags.length > 0 ? [`in ${enclosingTags.join(' ')}`] : [];
  const conditions = unknownConditions.map((tag) => tag.text.trim().replace(/\s+/g, ' '));
  if (activity === 'unknown')
    detailParts.push(
      `only if ${conditions.length > 0 ? conditions.join(' and ') : 'a condition'} ${conditions.length > 1 ? 'are' : 'is'} true, not known here`,
    );
  const problemText = problem && WORDS_FOR_PROBLEM[problem];
  if (problemText) detailParts.push(problemText);
  else if (files.length === 0) detailParts.push('no file matches');
  return detailParts.join('; ');
}
