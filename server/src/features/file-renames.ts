/**
 * Updates the paths in a configuration when files or directories are renamed. The changed lines
 * keep the spelling of their paths as far as possible. Wildcards do not change; notes say which
 * lines with wildcards stop reading a file, or begin to read it.
 */
import {
  baseName,
  globPattern,
  hasWildcard,
  isAbsolute,
  isWithin,
  localPathOf,
  resolvePath,
  serverPathOf,
  wildcardFolder,
  type PathMap,
} from '../config/files';
import type { Model } from '../config/model';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { spelledName, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import type { Occurrence } from './names-in-line';
import { forEachPath, type PlacedOccurrence } from './occurrences';

/**
 * The old and new path of a file or directory on this machine. Symbolic links are resolved if the
 * path existed.
 */
export interface FileRename {
  /** The path of the file or folder before the rename. */
  readonly from: string;
  /** The path after the rename. */
  readonly to: string;
}

/** The result of `editsForFileRenames`. */
export interface FileRenameEdits {
  /** The edits by the old path of each file, in order. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** Notes for the user, as sentences. */
  readonly notes: readonly string[];
}

/** The files that the user renames, and the configurations that may name them. */
export interface FileRenamesRequest {
  readonly renames: readonly FileRename[];
  /** The configurations with the files that each reads, including .htaccess files. */
  readonly configurations: readonly {
    readonly model: Model;
    readonly files: readonly { readonly path: string; readonly tree: Tree }[];
  }[];
  /** Returns the display name of a file. */
  readonly displayName: (path: string) => string;
}

/**
 * The edits that write the new paths into the lines of the configurations, such as Include lines.
 */
export function editsForFileRenames({ renames, configurations, displayName }: FileRenamesRequest): FileRenameEdits {
  const editsByPath = new Map<string, Map<number, Edit>>();
  const notesForUser = new Set<string>();
  for (const { model, files } of configurations) {
    const relevantRenames = renames.filter(({ from }) => !containsCopyOfServer(model.pathMap, from));
    if (relevantRenames.length === 0) continue;
    const oldNames = relevantRenames.map(({ from }) => baseName(from));
    const configurationRenames = new ConfigurationRenames(model, relevantRenames);
    for (const { path, tree } of files) {
      const test = (line: Line) =>
        isInclude(line) ||
        oldNames.some((name) => line.text.includes(name)) ||
        (line.isJoined && line.text.includes('\\'));
      forEachPath(tree.root, test, (placedPath) => {
        const pathChange = configurationRenames.changeOf(placedPath);
        if (pathChange === null) return;
        const location = `${displayName(path)}, line ${placedPath.row + 1}`;
        if ('noteAt' in pathChange) return void notesForUser.add(pathChange.noteAt(location));
        const { occurrence, offset } = placedPath;
        const editStart = offset + occurrence.start;
        const editsOfFile = editsByPath.get(path) ?? editsByPath.set(path, new Map()).get(path)!;
        const editAtStart = editsOfFile.get(editStart);
        if (editAtStart && editAtStart.text !== pathChange.text)
          notesForUser.add(`Two configurations read \`${occurrence.name}\` in different ways: ${location}.`);
        else editsOfFile.set(editStart, { start: editStart, end: offset + occurrence.end, text: pathChange.text });
      });
    }
  }
  return {
    edits: new Map(
      [...editsByPath].map(([path, each]) => [path, [...each.values()].sort((a, b) => a.start - b.start)]),
    ),
    notes: [...notesForUser],
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The effect of renames on a path in a line: its new text, or a note that says why it stays. Null
 * if nothing changes.
 */
type PathChange = { readonly text: string } | { readonly noteAt: (placeText: string) => string } | null;

/** Computes the effects of renames in one configuration. */
class ConfigurationRenames {
  /** The ServerRoot on the server after the renames. */
  private readonly serverRoot: string;

  constructor(
    private readonly model: Model,
    private readonly renames: readonly FileRename[],
  ) {
    const localRoot = localPathOf(model.serverRoot, model.pathMap);
    this.serverRoot = serverPathOf(this.renamedPath(localRoot) ?? localRoot, model.pathMap);
  }

  /** The effect of the renames on one path in a line. */
  changeOf({ occurrence, line }: PlacedOccurrence): PathChange {
    const expandedPath = this.expandedPath(occurrence.name);
    if (expandedPath === null) return this.changeOfUnknownPath(occurrence);
    if (isInclude(line) && hasWildcard(expandedPath)) return this.changeOfWildcard(occurrence, line, expandedPath);
    const oldPath = resolvePath(this.model.serverRoot, expandedPath);
    const localPath = localPathOf(oldPath, this.model.pathMap);
    const movedPath = this.renamedPath(localPath);
    if (movedPath === null)
      return isInclude(line) ? this.noteFilesRead(localPath, `${spelledName(line)} ${occurrence.name}`) : null;
    return this.changeOfKnownPath(occurrence, line, occurrence.name, oldPath, movedPath);
  }

  /** The new path for a path of this machine; null if it does not change. */
  private renamedPath(localPath: string): string | null {
    for (const { from, to } of this.renames) {
      if (localPath === from) return to;
      if (localPath.startsWith(`${from}/`)) return to + localPath.slice(from.length);
    }
    return null;
  }

  /**
   * Writes the new path into a line. `writtenPath`: the part of the path in the line that changes;
   * `restOfName`: what follows it. `oldPath`: the path on the server before the rename;
   * `movedPath`: the path on this machine after it.
   */
  private changeOfKnownPath(
    occurrence: Occurrence,
    line: Line,
    writtenPath: string,
    oldPath: string,
    movedPath: string,
    restOfName = '',
  ): PathChange {
    const newPath = serverPathOf(movedPath, this.model.pathMap);
    const unchangedNote = (reason: string): PathChange => ({
      noteAt: (placeText) => `\`${occurrence.name}\` is left as it is, because ${reason}: ${placeText}.`,
    });
    if (
      newPath === movedPath &&
      this.model.pathMap.copyFolders &&
      !this.model.pathMap.entries.some(({ from, to }) => from === to && isWithin(newPath, from))
    )
      return unchangedNote('the new place is outside of the copied tree');
    if (
      !isAbsolute(writtenPath) &&
      !writtenPath.includes('${') &&
      resolvePath(this.serverRoot, writtenPath) === newPath
    )
      return null;
    const newSpelling = this.newPathInOldSpelling(writtenPath, oldPath, newPath);
    if (newSpelling === null) return unchangedNote('a variable stands in what changes');
    if (line.template !== Template.None) return unchangedNote('the line has template text');
    if (occurrence.isSpelledDifferently) return unchangedNote('a continued line or an escape runs through it');
    const newText = newSpelling + restOfName;
    const quote = line.text[occurrence.start - 1];
    if (quote === '"' || quote === "'")
      return newText.includes(quote) || newText.includes('\\')
        ? unchangedNote('the new name has a quote or a backslash')
        : { text: newText };
    if (!/[\s"'\\]/.test(newText)) return { text: newText };
    const canBeQuoted =
      occurrence.start === occurrence.startWithMarks && /\s/.test(line.text[occurrence.start - 1] ?? ' ');
    return canBeQuoted && !/["\\]/.test(newText)
      ? { text: `"${newText}"` }
      : unchangedNote('the new name needs quotes');
  }

  /**
   * The new path in the spelling of the line. If possible, only the renamed part changes, so that
   * variables and relative paths stay. Otherwise the whole path is written, or null is returned if
   * the line's path has a variable.
   */
  private newPathInOldSpelling(writtenPath: string, oldPath: string, newPath: string): string | null {
    const trailingSlash = /[/\\]$/.exec(writtenPath)?.[0] ?? '';
    const withoutSlash = trailingSlash === '' ? writtenPath : writtenPath.slice(0, -1);
    const [oldParts, newParts] = [oldPath.split('/'), newPath.split('/')];
    let commonParts = 0;
    while (
      commonParts < oldParts.length - 1 &&
      commonParts < newParts.length - 1 &&
      oldParts[commonParts] === newParts[commonParts]
    )
      commonParts++;
    const changedPart = oldParts.slice(commonParts).join('/');
    const unchangedStart = withoutSlash.slice(0, withoutSlash.length - changedPart.length);
    if (
      withoutSlash.endsWith(changedPart) &&
      (unchangedStart === '' || unchangedStart.endsWith('/')) &&
      !changedPart.includes('${') &&
      (unchangedStart !== '' || commonParts > 1 || isAbsolute(withoutSlash))
    )
      return unchangedStart + newParts.slice(commonParts).join('/') + trailingSlash;
    if (writtenPath.includes('${')) return null;
    const isRelative = !isAbsolute(writtenPath) && isWithin(newPath, this.serverRoot);
    return (isRelative ? newPath.slice(this.serverRoot.length).replace(/^\//, '') : newPath) + trailingSlash;
  }

  /**
   * Handles an Include with a wildcard: its directory may be renamed, or files may begin or cease
   * to match. Null if nothing changes.
   */
  private changeOfWildcard(occurrence: Occurrence, line: Line, expandedPath: string): PathChange {
    const pattern = resolvePath(this.model.serverRoot, expandedPath);
    const fixedFolder = wildcardFolder(pattern) || '/';
    const movedFolder = this.renamedPath(localPathOf(fixedFolder, this.model.pathMap));
    if (movedFolder === null)
      return this.noteFilesRead(localPathOf(pattern, this.model.pathMap), `${spelledName(line)} ${occurrence.name}`);
    const folder = wildcardFolder(occurrence.name);
    if (folder === '') return { noteAt: (placeText) => `\`${occurrence.name}\` is left as it is: ${placeText}.` };
    return this.changeOfKnownPath(
      occurrence,
      line,
      folder,
      fixedFolder,
      movedFolder,
      occurrence.name.slice(folder.length),
    );
  }

  /**
   * Returns a note if an Include with a directory or a wildcard stops reading a renamed file, or
   * begins to read it. `pattern`: the path in the Include line, on this machine. Otherwise null.
   */
  private noteFilesRead(pattern: string, line: string): PathChange {
    const isReadByPattern = includeTest(pattern);
    for (const { from, to } of this.renames) {
      const files = this.model.files.has(from)
        ? [from]
        : [...this.model.files.keys()].filter((path) => path.startsWith(`${from}/`));
      const fileNoLongerRead = files.find(
        (path) => isReadByPattern(path) && !isReadByPattern(to + path.slice(from.length)),
      );
      if (fileNoLongerRead !== undefined)
        return {
          noteAt: (placeText) => `\`${line}\` no longer reads \`${baseName(fileNoLongerRead)}\`: ${placeText}.`,
        };
      const isFolder = files.length > 0 && files[0] !== from;
      if (!isFolder && !isReadByPattern(from) && isReadByPattern(to))
        return { noteAt: (placeText) => `\`${line}\` reads \`${baseName(to)}\` from now on: ${placeText}.` };
    }
    return null;
  }

  /** The path with its variables replaced; null if a variable is unknown or has several values. */
  private expandedPath(path: string): string | null {
    let areVariablesKnown = true;
    const expandedText = path.replace(/\$\{([^}]{0,1000})\}/g, (reference, name: string) => {
      const valuesOfVariable = new Set((this.model.variables.get(name.toLowerCase()) ?? []).map(({ value }) => value));
      const [value] = valuesOfVariable;
      if (valuesOfVariable.size !== 1 || value === null || value === undefined) areVariablesKnown = false;
      return value ?? reference;
    });
    return areVariablesKnown ? expandedText : null;
  }

  /** Returns a note if a path with an unknown variable may name a renamed file; otherwise null. */
  private changeOfUnknownPath({ name }: Occurrence): PathChange {
    const textAfterVariables = name.slice(name.lastIndexOf('}') + 1);
    const mayNameRenamedPath =
      textAfterVariables.length > 1 &&
      this.renames.some(({ from }) => from.endsWith(textAfterVariables) || from.includes(`${textAfterVariables}/`));
    return mayNameRenamedPath
      ? { noteAt: (placeText) => `\`${name}\` may name it, and is left as it is: ${placeText}.` }
      : null;
  }
}

/**
 * Whether the renamed directory contains a whole copy of a server's files. Then the paths on the
 * server stay the same, and no line has to change.
 */
function containsCopyOfServer({ entries }: PathMap, from: string): boolean {
  return entries.some(({ from: server, to }) => server !== to && isWithin(to, from));
}

/**
 * Returns a function that tests whether an Include of a path reads a file. An Include reads files
 * that match its path, and files below a matching directory (docs/how-httpd-reads.md).
 */
function includeTest(pattern: string): (path: string) => boolean {
  const patternParts = pattern
    .split('/')
    .filter(Boolean)
    .map((part) => ({ part, glob: hasWildcard(part) ? globPattern(part) : null }));
  return (path) => {
    const pathParts = path.split('/').filter(Boolean);
    return (
      pathParts.length >= patternParts.length &&
      patternParts.every(({ part, glob }, index) =>
        glob
          ? glob.test(pathParts[index]!) && (!pathParts[index]!.startsWith('.') || part.startsWith('.'))
          : pathParts[index] === part,
      )
    );
  };
}

function isInclude({ name }: Line): boolean {
  return name === 'include' || name === 'includeoptional';
}
