/**
 * Makes the last rows of `fix --dormant`: what its conversion does not consider, which files keep
 * old access lines, why, and with which command they can be converted.
 */
import { oldAccessLineCount } from '../analysis/old-access-lines';
import { ALL_MISSING_INCLUDES, openQuestionId } from '../access/open-question';
import { ANSWER_NO_ACCESS_CONTROL } from '../analysis/answers';
import { isMainFileTree } from '../config/file-summary';
import { shellPath } from '../syntax/shell-word';
import { Tree } from '../syntax/document';
import { addTo } from '../syntax/groups';
import type { DormantFileResult } from '../features/dormant-file';
import type { InputFile } from './files';
import type { ProjectOfPaths } from './project-of-paths';
import { shortPath } from './short-path';
import { countWithNoun, printable } from './terminal';
import { wrapTextAfter, wrapText } from './wrap';

/**
 * Why old access lines are still in a file after `fix --dormant`. `REASON_TEXTS` explains each
 * reason.
 */
type ReasonToKeep = 'read' | 'main' | 'named' | 'htaccess' | 'include-missing' | 'maybe-read' | 'no-main' | 'unclear';

/** Collects the files that keep old access lines after `fix --dormant`. */
export class FilesWithOldLines {
  private convertsAccess = false;
  private readonly falseConditions = new Set<string>();
  private readonly filesByReason = new Map<ReasonToKeep, { readonly path: string; readonly lines: number }[]>();

  constructor(
    private readonly filesRead: ProjectOfPaths,
    private readonly isNamedByUser: (file: string) => boolean,
  ) {}

  /**
   * Adds the file to the list if it still has access lines of 2.2. `after`: the text of the file
   * after `fix --dormant`.
   */
  addFile(file: InputFile, { text: after, isWholeFile, convertsAccess, falseConditions }: DormantFileResult): void {
    this.convertsAccess ||= convertsAccess;
    for (const each of falseConditions) this.falseConditions.add(each);
    const { engine } = this.filesRead.projectFileOf(file);
    const tree = after === file.tree.text() ? file.tree : Tree.parse(after);
    const lineCount = oldAccessLineCount(tree.root, engine.target);
    if (lineCount === 0) return;
    const reason = isWholeFile ? 'unclear' : this.reasonOf(file);
    addTo(this.filesByReason, reason, { path: file.path, lines: lineCount });
  }

  /**
   * All rows. `commandOf` makes a suggested command from `words`, such as `plan`, with the options
   * of the user. `paths`: the paths of this command; undefined for the paths that the user gave.
   */
  rows(commandOf: (words: string, paths?: string) => string): readonly string[] {
    const rowsOfReasons = REASON_TEXTS.flatMap(([reason, text, words]) => {
      const files = this.filesByReason.get(reason) ?? [];
      if (files.length === 0) return [];
      const shownFiles = files.slice(0, MAX_LISTED_FILES);
      return [
        ...wrapText(text),
        ...shownFiles.flatMap(({ path, lines }) =>
          wrapTextAfter('    ', `${printable(shortPath(path))}: ${countWithNoun(lines, 'old access line')}`),
        ),
        ...(files.length > MAX_LISTED_FILES
          ? [`    and ${countWithNoun(files.length - MAX_LISTED_FILES, 'more file')}`]
          : []),
        ...commandsFor(reason, shownFiles).map((paths) => `  ${commandOf(words, paths)}`),
      ];
    });
    return [
      ...this.conditionRows(),
      ...(this.convertsAccess ? [...wrapText(CONVERTED_ALONE_TEXT), `  ${commandOf('plan')}`] : []),
      ...rowsOfReasons,
    ];
  }

  /**
   * The rows with the conditions that are assumed to be false, so that the user can see a wrong
   * assumption.
   */
  private conditionRows(): readonly string[] {
    const conditions = [...this.falseConditions];
    if (conditions.length === 0) return [];
    const moreCount = conditions.length - MAX_LISTED_FILES;
    return wrapText(
      `Taken as false, so that the server does not read the lines inside: ${conditions.slice(0, MAX_LISTED_FILES).map(printable).join(', ')}${moreCount > 0 ? ` and ${moreCount} more` : ''}.`,
    );
  }

  /** Why a file that is not converted as a whole keeps its old lines. */
  private reasonOf(file: InputFile): ReasonToKeep {
    const { filesRead } = this;
    if (filesRead.rootsOf(file.path).some((root) => root !== '' && !filesRead.project.isStandalone(root)))
      return 'read';
    if (isMainFileTree(file.tree.root, file.path)) return 'main';
    if (filesRead.project.configurationModels.length === 0) return 'no-main';
    if (this.isNamedByUser(file.path)) return 'named';
    if (filesRead.project.isOutsideAllConfigurations(filesRead.projectFileOf(file))) return 'htaccess';
    return filesRead.project.isOutsideByAssumption(filesRead.projectFileOf(file)) ? 'include-missing' : 'maybe-read';
  }
}

/** The paths for each suggested command; undefined for the paths that the user gave. */
function commandsFor(reason: ReasonToKeep, files: readonly { readonly path: string }[]): (string | undefined)[] {
  const printedPaths = files.map(({ path }) => printable(shellPath(shortPath(path))));
  if (reason === 'main') return printedPaths;
  return reason === 'unclear' ? [printedPaths.join(' ')] : [undefined];
}

/** The id of the question about all missing files. */
const MISSING_INCLUDES_ID = openQuestionId(ALL_MISSING_INCLUDES);

/** Maximum number of files that are listed for one reason. */
const MAX_LISTED_FILES = 20;

/** The paragraph about access lines that were converted without the rest of the configuration. */
const CONVERTED_ALONE_TEXT =
  'Each part is converted by itself: without the other sections and the .htaccess files that also control access there. Will the server read a part later? Then do not convert it here: enable its file, or name its condition with -D NAME. To see what to do then:';

/**
 * For each reason, the introduction of its list of files, and the words of the command that follows
 * the list.
 */
const REASON_TEXTS: readonly (readonly [reason: ReasonToKeep, text: string, words: string])[] = [
  ['read', 'The server reads these files, so --dormant does not change their lines. To see what to do:', 'plan'],
  ['main', 'These look like main configuration files, which another server may read. To convert each:', 'plan'],
  [
    'named',
    'You named these files, or their directory beside the main configuration file, so a server may read them. To see what to do:',
    'plan',
  ],
  [
    'include-missing',
    'The server may read these files, because files that it includes are not in this copy. Copy them here, then run this again. Or, if none of the missing files has Order, Allow, Deny or Require:',
    `fix --write --dormant --answer '${MISSING_INCLUDES_ID}=${ANSWER_NO_ACCESS_CONTROL}'`,
  ],
  [
    'maybe-read',
    'The server may read these files, because the copy does not show all that it includes. First answer the questions, then run this again with the answers:',
    'plan',
  ],
  [
    'htaccess',
    'These .htaccess files allow requests, and a server may read them. If no other file controls access to their directories:',
    'fix --write --dormant --assume-standalone',
  ],
  ['no-main', 'No main configuration file is given, so a server may read these files. To see what to do:', 'plan'],
  ['unclear', 'No safe fix exists for these lines. To read the suggestions:', 'fix --diff --unsafe'],
];
