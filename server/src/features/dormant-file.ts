/**
 * Converts the parts of one file that no server reads, for `fix --dormant` and for the plan view of
 * an editor.
 */
import { STANDALONE_QUESTION } from '../analysis/access-conversion';
import { convertDisabledModule, convertUnreadFile, convertDormantParts, type DormantResult } from '../analysis/dormant';
import type { FixResult } from '../analysis/fixes';
import { canOnlyDeny } from '../analysis/old-access-lines';
import { isHtaccessName } from '../config/configurations';
import { isMainFileTree } from '../config/file-summary';
import { baseName, parentOf, type FileView } from '../config/files';
import { Tree } from '../syntax/document';
import type { Project, ProjectFile } from './project';

/** A file after the conversion of the parts that no server reads. */
export interface DormantFileResult extends DormantResult {
  /** Whether the whole file is converted, because no server reads it. */
  readonly isWholeFile: boolean;
}

/**
 * Converts the parts of a file that no server reads. `isUnread`: whether no server reads the whole
 * file, because it is a copy, or lies beside a complete configuration that does not read it.
 * `mayServerRead`: whether a server may read the file although no known configuration does, for
 * example because the user named it. A file that no fix may change stays as it is.
 */
export function convertDormant(
  project: Project,
  file: ProjectFile,
  { isUnread, mayServerRead }: { readonly isUnread: boolean; readonly mayServerRead: boolean },
): DormantFileResult {
  const { engine, info, path, tree } = file;
  const textBefore = tree.text();
  if (project.whyUnchanged(path) !== null)
    return { text: textBefore, fixes: 0, convertsAccess: false, falseConditions: new Set(), isWholeFile: false };
  if (isUnread) return { ...convertUnreadFile(engine, textBefore, info), isWholeFile: true };
  const outsideResult = mayServerRead ? null : convertOutsideFile(project, file);
  if (outsideResult) return { ...outsideResult, isWholeFile: true };
  const fixedFile = mayServerRead ? null : fixPossiblyReadFile(project, file);
  const convertedParts = convertDormantParts(engine, fixedFile?.text ?? textBefore, info);
  return { ...convertedParts, fixes: convertedParts.fixes + (fixedFile?.appliedCount ?? 0), isWholeFile: false };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Makes the safe fixes of a file that no known file includes, although a missing file may include
 * it. Safe fixes change nothing for a server that reads the file. Also corrects the lines of a
 * module that is not enabled. Null if a configuration reads the file, or if it is a main file or a
 * .htaccess file.
 */
function fixPossiblyReadFile(project: Project, file: ProjectFile): Pick<FixResult, 'text' | 'appliedCount'> | null {
  const { path, tree } = file;
  const isOfServer = project.rootsOf(path).some((root) => root !== '' && !project.isStandalone(root));
  if (project.configurationModels.length === 0 || isOfServer || isHtaccessName(path) || isMainFileTree(tree.root, path))
    return null;
  const fixedFile = project.fixedFileResult(file);
  if (!isOfDisabledModule(path, project.view)) return fixedFile;
  const { text, appliedCount } = convertDisabledModule(file.engine, fixedFile.text, file.info);
  return { text, appliedCount: fixedFile.appliedCount + appliedCount };
}

/** Whether a path is that of a file in `mods-available` without a link in `mods-enabled`. */
function isOfDisabledModule(path: string, view: FileView): boolean {
  const folder = parentOf(path);
  if (baseName(folder) !== 'mods-available') return false;
  return view.list(`${parentOf(folder)}/mods-enabled`)?.includes(baseName(path)) === false;
}

/**
 * Converts a file by its own lines, if no configuration reads it. Returns null if the file must not
 * change. A .htaccess file may lie in a directory that a server serves. So it is converted only if
 * it can only refuse requests, or if the user states that nothing else controls access there.
 */
function convertOutsideFile(project: Project, file: ProjectFile): DormantResult | null {
  const { engine, info, path, tree } = file;
  if (isMainFileTree(tree.root, path) || !project.isOutsideAllConfigurations(file)) return null;
  const convertedFile = convertUnreadFile(engine, tree.text(), info);
  const isSafeConversion =
    !isHtaccessName(path) ||
    engine.isSettled(STANDALONE_QUESTION) ||
    canOnlyDeny(tree.root, Tree.parse(convertedFile.text).root);
  return isSafeConversion ? convertedFile : null;
}
