/**
 * The command `access`: lists who has access to each section. With `--diff`, it lists who gains and
 * who loses access.
 */
import {
  accessDiffJson,
  accessDiffMarkdown,
  accessVerdict,
  CHANGE_WORDS,
  changedSectionRows,
  missingPartsNoteOf,
  witnessText,
} from '../features/access-changes';
import { accessTableJson, accessTableMarkdown } from '../features/access-table';
import { codeSpan, escapeMarkdown } from '../features/markdown-text';
import { isMissingFileAnswered, factAfterUserAnswer } from '../features/missing-parts';
import { readProject } from '../features/read-project';
import { requestConfiguration } from '../features/requests';
import { optionInCause } from '../analysis/conditions-around';
import { isSolvedOnServer } from '../analysis/on-server';
import type { FileView } from '../config/files';
import { diskFileView } from '../host/node-files';
import { compareAccess, type DirectionOfChange, type SectionDiff } from '../requests/access-diff';
import { countFilesRead } from '../requests/site';
import type { Request, RequestConfiguration } from '../requests/model';
import { requestUrl } from '../requests/request-text';
import { witnessRequests } from '../requests/witness-requests';
import { jsonWithVisibleText } from '../syntax/hidden-text';
import { shellPath, shellWord } from '../syntax/shell-word';
import type { Arguments } from './arguments';
import { markdownForTerminal } from './markdown';
import type { CliSettings } from './settings';
import { mainFileAt } from './request-root';
import { countWithNoun, printable, type Terminal } from './terminal';
import { wrapText } from './wrap';
import { shortPath } from './short-path';

type CommandOf<C extends Arguments['command']> = Extract<Arguments, { command: C }>;

/**
 * The arguments of a command about access, the settings, and where to write messages and the
 * result.
 */
export interface AccessRun<Given> {
  readonly args: Given;
  readonly settings: CliSettings;
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
}

/**
 * Runs `access`, with or without `--diff`. Returns the exit code. A problem is reported to the
 * terminal.
 */
export async function showAccess(run: AccessRun<CommandOf<'access'> | CommandOf<'access-diff'>>): Promise<number> {
  const { args } = run;
  if (args.command === 'access-diff') return runAccessDiff({ ...run, args });
  const { settings, terminal, write } = run;
  const configuration = await findConfiguration(args.paths[0]!, diskView(), settings, terminal);
  const witnesses = configuration && witnessRequests(configuration, { triesCopy: true });
  terminal.clearProgress();
  if (!witnesses) return 2;
  const requests = witnesses.requests.map((each) => ({
    ...each,
    openFacts: each.openFacts.map((fact) => factAfterUserAnswer(fact, configuration)),
  }));
  const witnessesAfterAnswers = { ...witnesses, requests };
  write(
    args.format === 'json'
      ? `${jsonWithVisibleText(accessTableJson(witnessesAfterAnswers, shortPath))}\n`
      : args.format === 'markdown'
        ? accessTableMarkdown(witnessesAfterAnswers, shortPath)
        : markdownForTerminal(accessTableMarkdown(witnessesAfterAnswers, shortPath, escapeMarkdown), terminal),
  );
  return 0;
}

/**
 * Reads the configuration of the main file at a path. If there is none, reports that and returns
 * null.
 */
export async function findConfiguration(
  givenPath: string,
  view: FileView,
  settings: CliSettings,
  terminal: Terminal,
): Promise<RequestConfiguration | null> {
  terminal.showProgress('Reading the configuration');
  const mainFileResult = await mainFileAt(givenPath, view);
  if ('mainFile' in mainFileResult) return requestConfiguration({ root: mainFileResult.mainFile, view, settings });
  terminal.reportProblem(givenPath, mainFileResult.problem);
  return null;
}

/** A view of the files on the disk, for one use. */
export function diskView(): FileView {
  return diskFileView(undefined, undefined, { isOnce: true });
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Runs `access --diff`. Returns the exit code. A wrong revision of git is reported to the terminal.
 */
async function runAccessDiff(run: AccessRun<CommandOf<'access-diff'>>): Promise<number> {
  const { RevisionError } = await import('../host/git-revision');
  try {
    return await compareSections(run);
  } catch (error) {
    if (!(error instanceof RevisionError)) throw error;
    run.terminal.reportProblem(run.args.oldPathOrRevision, error.message);
    return 2;
  }
}

/**
 * Compares the access of each section in the two configurations, and writes the result. Returns the
 * exit code.
 */
async function compareSections({
  args,
  settings,
  terminal,
  write,
}: AccessRun<CommandOf<'access-diff'>>): Promise<number> {
  const currentConfiguration = await findConfiguration(args.currentPath, diskView(), settings, terminal);
  if (!currentConfiguration) return 2;
  const oldConfiguration = await readOldConfiguration(args, currentConfiguration, settings, terminal);
  if (!oldConfiguration) return 2;
  terminal.showProgress('Comparing who has access');
  const [oldServer, newServer] = args.servers;
  // Both servers are compared with the files as they are, not with converted ones.
  const withoutConversion = (configuration: RequestConfiguration) => ({ ...configuration, convertedFiles: () => null });
  const changedAccess = compareAccess(
    { configuration: withoutConversion(oldConfiguration), server: oldServer },
    { configuration: withoutConversion(currentConfiguration), server: newServer },
    { triesCopy: true },
  );
  terminal.clearProgress();
  if (!changedAccess) {
    terminal.reportFailure('a main configuration file cannot be read');
    return 2;
  }
  const sections = changedAccess.map((section) => ({
    ...section,
    missingFacts: section.missingFacts.map((fact) => factAfterUserAnswer(fact, currentConfiguration)),
  }));
  write(
    args.format === 'json'
      ? `${jsonWithVisibleText(accessDiffJson(sections, shortPath))}\n`
      : args.format === 'markdown'
        ? accessDiffMarkdown(sections, shortPath)
        : `${newServer === '2.2' ? '' : noStartText(currentConfiguration, settings)}${accessDiffText(sections, currentConfiguration.mainFile, terminal)}`,
  );
  const mustFail = (changeOf: (section: SectionDiff) => DirectionOfChange) =>
    sections.some((section) => FAILING_CHANGES[args.failOnChange].includes(changeOf(section)));
  if (!mustFail((section) => countedChange(section, currentConfiguration))) return 0;
  if (!mustFail(({ change, changeInCopy }) => changeInCopy?.change ?? change)) terminal.note(EXIT_CODE_NOTE);
  return 1;
}

/**
 * A sentence for users if 2.4 does not start with the files as they are. Empty if no reason for
 * that is known, or if there are too many files to check. Assumes that mod_access_compat is loaded,
 * as the comparison does.
 */
function noStartText(configuration: RequestConfiguration, settings: CliSettings): string {
  if (countFilesRead(configuration) > MAX_CHECKED_FILES) return '';
  const { mainFile } = configuration;
  const view = diskView();
  const project = readProject({ view, settings, roots: [mainFile], omitsConversion: true });
  const filesOfModel = [...(project.modelOf(mainFile)?.files.keys() ?? [])];
  const problems = filesOfModel.flatMap((path) => {
    const tree = view.read(path);
    if (tree === null) return [];
    const file = { path, tree, info: project.infoOf(path, tree), engine: settings.engineOf(path) };
    return project
      .findings(file)
      .filter(
        ({ rule, messageId, consequence, cause }) =>
          consequence === 'will not start' &&
          rule.id !== 'order-allow-deny' &&
          optionInCause(cause) === null &&
          !isSolvedOnServer(rule.id, messageId),
      )
      .map(
        ({ what, start }) => `${printable(what)} (${printable(shortPath(path))}:${tree.positionAt(start).line + 1})`,
      );
  });
  const [first, ...others] = problems;
  if (first === undefined) return '';
  const moreProblems = others.length === 0 ? '' : `, and ${countWithNoun(others.length, 'more problem')}`;
  return `${wrapText(`httpd 2.4 does not start with these files: ${first}${moreProblems}. If it started:`).join('\n')}\n`;
}

/** A configuration with more files is not checked, because that would take seconds. */
const MAX_CHECKED_FILES = 300;

/**
 * Reads the configuration that the argument OLD names, from the disk or from a revision of git. If
 * that fails, reports the reason and returns null.
 */
async function readOldConfiguration(
  { oldPathOrRevision }: CommandOf<'access-diff'>,
  currentConfiguration: RequestConfiguration,
  settings: CliSettings,
  terminal: Terminal,
): Promise<RequestConfiguration | null> {
  const revision = /^git:(.*)$/s.exec(oldPathOrRevision)?.[1];
  if (revision === undefined) return findConfiguration(oldPathOrRevision, diskView(), settings, terminal);
  const { revisionFiles } = await import('../host/git-revision');
  const filesOfRevision = revisionFiles(revision, currentConfiguration.mainFile, diskView());
  if (typeof filesOfRevision === 'string') {
    terminal.reportProblem(oldPathOrRevision, filesOfRevision);
    return null;
  }
  if (filesOfRevision.kind(currentConfiguration.mainFile) !== 'file') {
    terminal.reportProblem(
      oldPathOrRevision,
      `has no ${shortPath(currentConfiguration.mainFile)}: give a revision that has the file, or another main file`,
    );
    return null;
  }
  return requestConfiguration({ root: currentConfiguration.mainFile, view: filesOfRevision, settings });
}

/** The changes of access for which the exit code is 1, by the value of `--fail-on`. */
const FAILING_CHANGES: Readonly<Record<CommandOf<'access-diff'>['failOnChange'], readonly DirectionOfChange[]>> = {
  never: [],
  gain: ['gain', 'both', 'unknown'],
  change: ['gain', 'both', 'unknown', 'loss'],
};

/**
 * The change that decides about the exit code: that of the section, or `changeInCopy` if the user's
 * answers tell what all missing parts contain.
 */
function countedChange(
  { change, changeInCopy, missingFacts }: SectionDiff,
  configuration: RequestConfiguration,
): DirectionOfChange {
  const isAnsweredFully =
    missingFacts.length > 0 && missingFacts.every((fact) => isMissingFileAnswered(fact, configuration));
  return changeInCopy !== null && isAnsweredFully ? changeInCopy.change : change;
}

/** The note about the exit code, if only the missing parts can change access. */
const EXIT_CODE_NOTE =
  'The exit code is 1, because a change that is not known counts as a gain. Give the missing parts, or answer the questions of "httpd-upgrade plan" with --answer.';

/** The result of `access --diff` as text for a terminal. */
function accessDiffText(sections: readonly SectionDiff[], mainFile: string, terminal: Terminal): string {
  const changedRows = changedSectionRows(sections);
  const unknownWitness = changedRows.find(({ change, witness }) => change === 'unknown' && witness)?.witness;
  const changeRows = changedRows.flatMap(({ section, change, witness }) => {
    const { name, file, line, isOnlyInOld } = section;
    const sectionPlace = terminal.style('cyan', printable(`${shortPath(file)}:${line + 1}`));
    const style = change === 'loss' ? 'yellow' : 'red';
    return [
      `${sectionPlace}  ${printable(name)}${isOnlyInOld ? ' (removed)' : ''}  ${terminal.style(style, CHANGE_WORDS[change])}`,
      ...(witness ? [`    ${printable(witnessText(witness))}`] : []),
    ];
  });
  const unchangedCount = sections.filter(({ change }) => change === 'none').length;
  const missingPartNotes = missingPartsNoteOf(sections, ({ file, line }) => codeSpan(`${shortPath(file)}:${line + 1}`));
  return [
    terminal.style('bold', accessVerdict(sections)),
    ...(changeRows.length > 0 ? ['', ...changeRows] : []),
    ...(changeRows.length > 0 && unchangedCount > 0
      ? ['', `No change in ${unchangedCount} ${unchangedCount === 1 ? 'section' : 'sections'}.`]
      : []),
    ...(unknownWitness
      ? ['', `To see why an answer is unknown: ${explainCommand(unknownWitness.request, mainFile)}`]
      : []),
    ...(missingPartNotes.length > 0 ? ['', markdownForTerminal(missingPartNotes.join('\n'), terminal).trimEnd()] : []),
    '',
  ].join('\n');
}

/** The command that explains the answers to a request. */
function explainCommand(request: Request, mainFile: string): string {
  const client = request.from === null ? '' : ` --from ${request.from}`;
  const target = shellWord(`${request.method} ${requestUrl(request)}`);
  return printable(`httpd-upgrade explain --request ${target}${client} ${shellPath(shortPath(mainFile))}`);
}
