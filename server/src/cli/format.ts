/** The command `format`: formats files, the files that a main file includes, and standard input. */
import path from 'node:path';
import { makeChangeTest } from '../config/changeable-folders';
import { isWithin } from '../config/files';
import { configView } from '../config/config-view';
import { readModel } from '../config/read-model';
import { isMainFileTree } from '../config/file-summary';
import { textWithEdits, formatEdits, type FormatOptions } from '../features/format';
import type { Model } from '../config/model';
import { realPaths } from '../host/change';
import { whyRootMustNotWrite } from './include-owners';
import { encode } from '../host/decode';
import { diskFileView } from '../host/node-files';
import type { GivenFormat } from './arguments';
import type { Inputs } from './inputs';
import { newChangedFilesOutput } from './changed-files';
import { Output } from './output';
import type { SettingsByFile } from '../features/project';
import { sharedFolders } from './files';
import { countWithNoun, type Terminal } from './terminal';
import type { FixedFile, Writer } from './written';
import { shortPath } from './short-path';

/** The arguments and files of one run of `format`, and the objects that it uses. */
export interface FormatRun {
  readonly args: GivenFormat;
  readonly inputs: Inputs;
  readonly settings: SettingsByFile;
  readonly terminal: Terminal;
  /** Writes the files; null to write nothing. */
  readonly writer: Writer | null;
}

/** Runs `format`. Returns the exit code. */
export async function runFormat({ args, inputs, settings, terminal, writer }: FormatRun): Promise<number> {
  const output = new Output();
  const options: FormatOptions = {
    ...args.indent,
    alignment: args.alignment,
    insertFinalNewline: true,
    trimFinalNewlines: true,
  };
  const changesOutput = newChangedFilesOutput(args.format, { isWritten: writer !== null, terminal, output });
  const changedFiles: FixedFile[] = [];
  let fileCount = 0;
  const { furtherFiles, furtherTargets, models, outsideCount } = filesIncludedBy(inputs.paths, settings);
  noteOutsideFiles(outsideCount, terminal);
  const outsideTargetOf = await outsideTargetFinder(inputs.paths, furtherTargets);
  for await (const file of inputs.files({ furtherFiles, findFileAlreadyRead: () => null })) {
    const outsideTarget = inputs.streams.includes(file) ? null : await outsideTargetOf(file.path);
    if (outsideTarget !== null) {
      terminal.note(
        `${file.path} leads to ${outsideTarget}, outside of what was given, and is not formatted; to format it, add that path to the command`,
      );
      continue;
    }
    fileCount++;
    const textBefore = file.tree.text();
    const textAfter = textWithEdits(textBefore, formatEdits(file.tree, options));
    writer?.temporaryPlaces.addFile(file, textBefore, isMainFileTree(file.tree.root, file.path));
    const isPrinted = changesOutput.isText && args.mode === null && inputs.streams.includes(file);
    if (isPrinted) output.write(encode(textAfter, file.encoding) ?? textAfter);
    else if (textBefore !== textAfter) {
      changedFiles.push({ file, before: textBefore, after: textAfter });
      terminal.clearProgress();
      if (args.mode === 'check')
        await changesOutput.addWrittenFile({ file, before: textBefore, after: textAfter }, 'not formatted');
      else if (!writer) await changesOutput.addChange({ file, before: textBefore, after: textAfter });
    }
    await output.waitForReader();
  }
  const writtenFiles = writer
    ? await writer.write(changedFiles, {
        furtherTargets,
        whyNotWritten: whyNotWrittenAmong(furtherFiles, models),
        recordRefusals: () => false,
        fixWithoutRefused: (file) => file,
      })
    : [];
  for (const each of writtenFiles) await changesOutput.addWrittenFile(each, 'formatted');
  changesOutput.end();
  await output.flush();
  if (fileCount > inputs.streams.length)
    changesOutput.summary(`${formatSummary(fileCount, changedFiles.length, writer ? writtenFiles.length : null)}\n`);
  if (terminal.hadProblems) return 2;
  return writer || changedFiles.length === 0 ? 0 : 1;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns a function that resolves the links in a path. If the real path is outside of the given
 * paths, where `--write` writes nothing, the function returns the real path; otherwise null.
 */
async function outsideTargetFinder(
  givenPaths: readonly string[],
  furtherTargets: readonly string[],
): Promise<(file: string) => Promise<string | null>> {
  const allowedPaths = [...(await realPaths(givenPaths)), ...furtherTargets];
  return async (file) => {
    const [real = file] = await realPaths([file]);
    return allowedPaths.some((each) => isWithin(real, each)) ? null : real;
  };
}

function noteOutsideFiles(count: number, terminal: Terminal): void {
  if (count > 0)
    terminal.note(
      `${countWithNoun(count, 'included file')} outside of what was given ${count === 1 ? 'is' : 'are'} not formatted`,
    );
}

/** The sentence at the end of a run. `writtenCount`: null if the command does not write. */
function formatSummary(fileCount: number, changedCount: number, writtenCount: number | null): string {
  if (changedCount === 0) return `${countWithNoun(fileCount, 'file')}: nothing to format.`;
  return writtenCount === null
    ? `${changedCount} of ${countWithNoun(fileCount, 'file')} would change. To write the changes, run format with --write.`
    : `Formatted ${writtenCount} of ${countWithNoun(fileCount, 'file')}.`;
}

/** The files that main files include. */
interface IncludedFiles {
  /**
   * Paths of the included files that `format` may change (`makeChangeTest`), besides the given
   * files.
   */
  readonly furtherFiles: readonly string[];
  /** The same files with links resolved. */
  readonly furtherTargets: readonly string[];
  readonly models: readonly Model[];
  /** The number of included files that `format` may not change. */
  readonly outsideCount: number;
}

/** Finds the files that these main files include: `format` formats them, too. */
function filesIncludedBy(givenPaths: readonly string[], settings: SettingsByFile): IncludedFiles {
  const files = diskFileView();
  const view = configView(files);
  const seenRealPaths = new Set(givenPaths.map((each) => files.realPath(path.resolve(each))));
  const realPathByPath = new Map<string, string>();
  let outsideCount = 0;
  const models: Model[] = [];
  for (const each of givenPaths) {
    const mainFile = path.resolve(each);
    const tree = files.kind(mainFile) === 'file' ? files.read(mainFile) : null;
    if (tree === null || !isMainFileTree(tree.root, mainFile)) continue;
    const model = readModel({
      mainFile,
      view,
      target: settings.engineOf(mainFile).target,
      server: settings.serverOf(mainFile),
    });
    if (model) models.push(model);
    const { serverRoot, pathMap } = settings.serverOf(mainFile);
    const mayChange = makeChangeTest(tree.root, {
      ...{ root: files.realPath(mainFile), serverRoot, pathMap, sharedFolders: sharedFolders() },
      realPath: (file) => files.realPath(file),
      kind: (file) => files.kind(file),
    });
    for (const file of model?.files.keys() ?? []) {
      if (seenRealPaths.has(files.realPath(file))) continue;
      if (mayChange(file)) realPathByPath.set(shortPath(file), files.realPath(file));
      else outsideCount++;
    }
  }
  const furtherFiles = [...realPathByPath.keys()].sort();
  return { furtherFiles, furtherTargets: [...realPathByPath.values()], models, outsideCount };
}

/**
 * Returns a function that says why root must not write one of these included files (see
 * `whyRootMustNotWrite`). It returns null for all other files.
 */
function whyNotWrittenAmong(
  furtherFiles: readonly string[],
  models: readonly Model[],
): (file: string) => string | null {
  const files = diskFileView();
  const includedRealPaths = new Set(furtherFiles.map((file) => files.realPath(path.resolve(file))));
  const whyNotWritten = whyRootMustNotWrite(models);
  return (file) => {
    const realPath = files.realPath(path.resolve(file));
    return includedRealPaths.has(realPath) ? whyNotWritten(realPath) : null;
  };
}
