/**
 * `textDocument/diagnostic`, `workspace/diagnostic`, and `textDocument/publishDiagnostics` for
 * clients that do not request diagnostics.
 */
import {
  DiagnosticSeverity,
  DocumentDiagnosticReportKind,
  ResponseError,
  type Diagnostic,
  type DiagnosticRelatedInformation,
  type DocumentDiagnosticReport,
  type WorkspaceDiagnosticReport,
  type WorkspaceDocumentDiagnosticReport,
  type WorkspaceFullDocumentDiagnosticReport,
} from 'vscode-languageserver';
import type { Analysis } from '../analysis/engine';
import { summarize } from '../config/file-summary';
import { THIS_FILE_PATH } from '../config/uses-in-file';
import { lineStartRange } from '../features/convert';
import { diagnostics, DIAGNOSTIC_SOURCE, type FindCurrentPlace } from '../features/diagnostics';
import { distinctiveIncludes, currentRow } from '../features/navigation';
import { diagnosticForClient } from './markup';
import { documentWithFileInfo, throwIfCancelled, type Session } from './session';
import { withTimeout } from '../host/timeout';
import type { Settings } from './settings';
import type { Tree } from '../syntax/document';
import { isUnread } from './unread';
import { asError } from './error-log';
import type { WorkspaceFile } from './workspace';

/**
 * Names of configuration files whose changes on the disk the client reports. Every client
 * understands these patterns: Eglot 1.9 does not support `*` in braces.
 */
export const WATCHED_PATTERNS = [
  '*.conf',
  '*.conf.*',
  '*.load',
  '*.include',
  '*.vhost',
  '*htaccess*',
  'sites-available/*',
  'sites-enabled/*',
  'vhosts.d/*',
  'conf.d/*',
  // Files with options for starting httpd (config/service-file.ts).
  'envvars',
  'sysconfig/apache2',
  'sysconfig/httpd',
].map((name) => `**/${name}`);

/** The number of files whose findings are sent together during a long check. */
const FILES_SENT_TOGETHER = 50;

/** Serves diagnostics on request, or sends them to a client that does not request them. */
export function serveDiagnostics(session: Session): void {
  const { connection, client } = session;
  if (!client.pullsDiagnostics) {
    publishOpenFiles(session);
    publishClosedFiles(session);
    return;
  }
  connection.languages.diagnostics.on(async (params, token): Promise<DocumentDiagnosticReport> => {
    const { uri } = params.textDocument;
    try {
      // This client cannot be asked to request diagnostics again, so the first reply must be
      // complete.
      if (!client.refreshesDiagnostics) await withTimeout(untilConfigurationsChecked(session), MAX_WAIT_FOR_CHECK_MS);
      const openFile = await documentWithFileInfo(session, uri, token);
      if (!openFile) return { kind: DocumentDiagnosticReportKind.Full, items: [] };
      const { document, settings, fileInfo } = openFile;
      // Identifies the diagnostics. They depend on the text (`version`), the settings (`revision`)
      // and other files (the rest).
      const resultId = `${document.version}:${session.settings.revision}:${findingsStamp(session, uri)}${isReadByNoServer(session, uri, { tree: document.tree, settings }) ? ':unread' : ''}`;
      if (params.previousResultId === resultId) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
      return {
        kind: DocumentDiagnosticReportKind.Full,
        resultId,
        items: diagnosticsOfFile(session, uri, settings.engine.analyze(document.tree, fileInfo), settings),
      };
    } catch (error) {
      return { kind: DocumentDiagnosticReportKind.Full, items: failedCheckDiagnostics(session, uri, error) };
    }
  });
  // Findings of an open file can change because of another file. The client then has to request
  // them again.
  const refresh = () => {
    if (client.refreshesDiagnostics)
      session.sendWithoutWaiting('workspace/diagnostic/refresh', () => connection.languages.diagnostics.refresh());
  };
  const refreshIfOpen = (changedPaths: ReadonlySet<string>) => {
    if (openUrisAmong(session, changedPaths).length > 0) refresh();
  };
  session.settingsListeners.push(refresh);
  session.workspace.onContextsChanged(refreshIfOpen);
  session.configurationRules.onFindingsChanged(refreshIfOpen);
  serveWorkspaceDiagnostics(session);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Milliseconds that a request waits for the check of whole configurations, if the client cannot be
 * asked to request again.
 */
const MAX_WAIT_FOR_CHECK_MS = 3000;

/** Waits until the open documents have their findings about whole configurations. */
async function untilConfigurationsChecked({ workspace, configurationRules, documents }: Session): Promise<void> {
  if (documents.all().length === 0) return;
  // The walk must first have read a document that was just opened.
  await workspace.untilCurrent();
  await configurationRules.untilSettled();
}

/**
 * The diagnostics of a file whose check failed: one diagnostic that says so. An empty list would
 * mean that the file is correct, and after an error, clients stop requesting.
 */
function failedCheckDiagnostics({ errorLog }: Session, uri: string, error: unknown): Diagnostic[] {
  if (error instanceof ResponseError) throw error;
  errorLog.report(`checking ${uri}`, error);
  const message = `httpd-upgrade could not check this file (${asError(error).message}). The log of the language server has what to report.`;
  return [
    {
      range: lineStartRange(0),
      severity: DiagnosticSeverity.Warning,
      source: DIAGNOSTIC_SOURCE,
      code: 'not-checked',
      message,
    },
  ];
}

/**
 * Sends the diagnostics of open files after every change, for clients that do not request them.
 * Changes that arrive together cause one message.
 */
function publishOpenFiles(session: Session): void {
  const pendingUris = new Set<string>();
  const diagnosticsFor = async (uri: string): Promise<{ version: number; diagnostics: Diagnostic[] } | null> => {
    const settings = await session.settings.settingsOf(uri);
    const document = session.documents.get(uri);
    if (!document) return null;
    const fileInfo = await session.workspace.fileInfoFor(document);
    session.scheduler.stopExpectingRequest();
    if (session.documents.get(uri) !== document) return null;
    const analysis = settings.engine.analyze(document.tree, fileInfo);
    return { version: document.version, diagnostics: diagnosticsOfFile(session, uri, analysis, settings) };
  };
  const sendDiagnostics = async (uri: string) => {
    pendingUris.delete(uri);
    try {
      const newDiagnostics = await diagnosticsFor(uri);
      if (newDiagnostics) await session.connection.sendDiagnostics({ uri, ...newDiagnostics });
    } catch (error) {
      await session.connection.sendDiagnostics({ uri, diagnostics: failedCheckDiagnostics(session, uri, error) });
    }
  };
  const schedule = (uri: string) => {
    if (pendingUris.has(uri)) return;
    pendingUris.add(uri);
    setTimeout(() => void sendDiagnostics(uri), 0);
  };
  session.documents.onDidChangeContent(({ document }) => schedule(document.uri));
  session.documents.onDidClose(
    ({ document }) => void session.connection.sendDiagnostics({ uri: document.uri, diagnostics: [] }),
  );
  session.settingsListeners.push(() => session.documents.keys().forEach(schedule));
  session.workspace.onContextsChanged((changedPaths) => openUrisAmong(session, changedPaths).forEach(schedule));
  session.configurationRules.onFindingsChanged((changedPaths) =>
    openUrisAmong(session, changedPaths).forEach(schedule),
  );
}

/**
 * Sends the diagnostics of files that are not open whenever they change, for clients that do not
 * request them.
 */
function publishClosedFiles(session: Session): void {
  const { connection, documents, workspace } = session;
  /** The id of the report that was sent last, by URI of the file; only for files with findings. */
  const sentResultIdByUri = new Map<string, string>();
  let isRunning = false;
  let isWaitingForWalk = false;
  let hasNewChanges = false;
  const publish = ({ uri, resultId, items }: WorkspaceFullDocumentDiagnosticReport) => {
    const wasSent = sentResultIdByUri.has(uri);
    if (items.length > 0 && resultId !== undefined) sentResultIdByUri.set(uri, resultId);
    else sentResultIdByUri.delete(uri);
    // Sends an empty list only if the client has findings of the file.
    if (!documents.get(uri) && (wasSent || items.length > 0))
      void connection.sendDiagnostics({ uri, diagnostics: items });
  };
  /** Checks all files that are not open, and sends the diagnostics that have changed. */
  const checkClosedFiles = async () => {
    isWaitingForWalk = true;
    await workspace.untilCurrent();
    isWaitingForWalk = false;
    const files = session.isTrusted ? workspace.allFiles() : [];
    const presentUris = new Set(files.map(({ uri }) => uri));
    for (const file of files) {
      if (session.scheduler.isSliceOver) await session.scheduler.pause();
      const report = await fileReport(session, file, sentResultIdByUri.get(file.uri));
      if (report) publish(report);
      // The file is open under another name, and the open document shows its findings, so they are
      // removed here.
      else if (sentResultIdByUri.has(file.uri) && workspace.isOpen(file.path)) publish(emptyReport(file.uri));
    }
    for (const uri of [...sentResultIdByUri.keys()]) if (!presentUris.has(uri)) publish(emptyReport(uri));
  };
  /** Checks the files again until no change has arrived during a check. */
  const runChecks = async () => {
    isRunning = true;
    try {
      do {
        hasNewChanges = false;
        await checkClosedFiles();
      } while (hasNewChanges);
    } catch (error) {
      session.errorLog.report('checking the files that are not open', error);
    } finally {
      isRunning = false;
      isWaitingForWalk = false;
    }
  };
  const checkAgain = () => {
    hasNewChanges = true;
    if (!isRunning) void runChecks();
  };
  onClosedFindingsChanged(session, checkAgain, () => isWaitingForWalk);
  session.readyListeners.push(checkAgain);
}

/**
 * Calls `notify` when the findings of files that are not open may have changed. While
 * `isWaitingForWalk` returns true, changes from a walk through a configuration are left out,
 * because the caller waits for that walk.
 */
function onClosedFindingsChanged(session: Session, notify: () => void, isWaitingForWalk: () => boolean): void {
  const { workspace } = session;
  workspace.onDiskChanged(notify);
  session.trustListeners.push(notify);
  session.folderListeners.push(notify);
  session.documents.onDidOpen(notify);
  session.documents.onDidClose(notify);
  session.settingsListeners.push(notify);
  const notifyIfClosedFileChanged = (changedPaths: ReadonlySet<string>) => {
    // Clients request open files separately.
    if ([...changedPaths].some((path) => !workspace.isOpen(path))) notify();
  };
  workspace.onContextsChanged((changedPaths) => {
    if (!isWaitingForWalk()) notifyIfClosedFileChanged(changedPaths);
  });
  session.configurationRules.onFindingsChanged(notifyIfClosedFileChanged);
}

/** The URIs of the open documents whose paths, with symbolic links resolved, are in `paths`. */
function openUrisAmong(session: Session, paths: ReadonlySet<string>): string[] {
  return session.documents.keys().filter((uri) => {
    const path = session.workspace.realPathOf(uri);
    return path !== null && paths.has(path);
  });
}

/**
 * The places of the Include lines that read a file, if it is included inside sections or more than
 * once. The findings of the file may depend on these lines.
 */
function includeLocations(session: Session, uri: string): DiagnosticRelatedInformation[] {
  const { workspace } = session;
  const path = session.client.showsRelatedPlaces && session.isTrusted ? workspace.realPathOf(uri) : null;
  if (path === null) return [];
  const nodes = workspace.models.flatMap((model) => distinctiveIncludes(model, path));
  return nodes.slice(0, MAX_INCLUDE_LOCATIONS).map(({ file, line, row, enclosingTags }) => ({
    location: {
      uri: workspace.clientUriOf(file),
      range: lineStartRange(currentRow(workspace.summaryOf(file), line, row)),
    },
    message: `included here${enclosingTags.length > 0 ? `, in ${enclosingTags.join(' ')}` : ''}`,
  }));
}

/**
 * For findings about the use of a macro: returns a function that finds the line in the macro's body
 * to which a finding refers. It returns null if the client shows no related places.
 */
function macroPlaceFinder({ client, workspace }: Session, uri: string, { tree }: Analysis): FindCurrentPlace {
  if (!client.showsRelatedPlaces) return () => null;
  return ({ file, line, row, rowOffset }) => {
    const isInThisFile = file === THIS_FILE_PATH || file === workspace.realPathOf(uri);
    const fileSummary = isInThisFile ? summarize(tree.root) : workspace.summaryOf(file);
    return {
      uri: isInThisFile ? uri : workspace.clientUriOf(file),
      row: currentRow(fileSummary, line, row) + rowOffset,
    };
  };
}

/** Limit for the Include lines that a finding refers to. */
const MAX_INCLUDE_LOCATIONS = 4;

/** A text that changes when the findings of a file may change because of other files. */
function findingsStamp({ workspace, configurationRules }: Session, uri: string): string {
  const path = workspace.realPathOf(uri);
  return path === null ? '' : `${workspace.stampOf(path)}:${configurationRules.stampOf(path)}`;
}

/**
 * Whether no server reads a file, although there is a configuration next to it. Then its problems
 * cannot keep a server from starting.
 */
function isReadByNoServer(
  session: Session,
  uri: string,
  file: { readonly tree: Tree; readonly settings: Settings },
): boolean {
  const path = session.workspace.realPathOf(uri);
  return path !== null && session.isTrusted && session.workspace.models.length > 0 && isUnread(session, path, file);
}

/**
 * VS Code shows at most 1,000 problems of a file and drops the least severe, among them our hint
 * that there are more.
 */
const MAX_DIAGNOSTICS_OF_FILE = 999;

/**
 * The diagnostics of a file: from rules about one file, and from rules about whole configurations.
 */
function diagnosticsOfFile(session: Session, uri: string, analysis: Analysis, settings: Settings): Diagnostic[] {
  const { maxFindings } = settings.values;
  for (const listener of session.firstFindingsListeners.splice(0)) setTimeout(listener, 0);
  const isUnreadFile = isReadByNoServer(session, uri, { tree: analysis.tree, settings });
  const isLimitedByClient = session.client.isOurClient && maxFindings > MAX_DIAGNOSTICS_OF_FILE;
  const limit = isLimitedByClient ? MAX_DIAGNOSTICS_OF_FILE : maxFindings;
  const fileDiagnostics = diagnostics(
    analysis,
    limit,
    includeLocations(session, uri),
    macroPlaceFinder(session, uri, analysis),
    session.client.showsRelatedPlaces ? uri : null,
    isLimitedByClient ? 'VS Code shows at most 1,000 problems of a file. Fix these to see the others.' : undefined,
  );
  return session.configurationRules
    .allDiagnostics(session.workspace.realPathOf(uri), analysis.tree, fileDiagnostics, limit)
    .map((each) =>
      diagnosticForClient(isUnreadFile ? withLowSeverity(each) : each, session.client.showsMarkdownMessages),
    );
}

/** The diagnostic with at most the severity Information, for a file that no server reads. */
function withLowSeverity(diagnostic: Diagnostic): Diagnostic {
  return {
    ...diagnostic,
    severity: Math.max(diagnostic.severity!, DiagnosticSeverity.Information) as DiagnosticSeverity,
  };
}

/**
 * Serves `workspace/diagnostic`: the files of the workspace that are not open. A client requests
 * again as soon as it has a reply, so a request waits until there is something new: a file changed,
 * was opened or closed, settings changed, or findings of a file changed because of other files.
 */
function serveWorkspaceDiagnostics(session: Session): void {
  const { connection, workspace } = session;
  /** The number of changes that need a new reply, and its value when the last reply was made. */
  let changeCount = 1;
  let changesAtLastReply = 0;
  let endWait: (() => void) | null = null;
  let isWaitingForWalk = false;
  const reportChange = () => {
    changeCount++;
    endWait?.();
  };
  onClosedFindingsChanged(session, reportChange, () => isWaitingForWalk);

  connection.languages.diagnostics.onWorkspace(
    async (params, token, progressReporter, partialReporter): Promise<WorkspaceDiagnosticReport> => {
      const previousIdByUri = new Map(params.previousResultIds.map(({ uri, value }) => [uri, value]));
      if (changesAtLastReply === changeCount)
        await new Promise<void>((resolve) => {
          endWait = resolve;
          token.onCancellationRequested(() => resolve());
        });
      endWait = null;
      throwIfCancelled(token);
      const changeCountBefore = changeCount;
      let hasProgressBegun = false;
      const beginProgress = () => {
        if (!hasProgressBegun) progressReporter.begin('Checking httpd configuration', 0, undefined, true);
        hasProgressBegun = true;
      };
      const fileReports: WorkspaceDocumentDiagnosticReport[] = [];
      try {
        isWaitingForWalk = true;
        const walkEnd = workspace.untilCurrent((doneCount, total) => {
          beginProgress();
          progressReporter.report(Math.round((doneCount * 50) / total), `${doneCount} of ${total} files read`);
        });
        await Promise.race([walkEnd, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]);
        isWaitingForWalk = false;
        throwIfCancelled(token);
        const files = session.isTrusted ? workspace.allFiles() : [];
        const startPercent = hasProgressBegun ? 50 : 0;
        if (files.length > FILES_SENT_TOGETHER) beginProgress();
        for (const [index, file] of files.entries()) {
          // Awaiting a promise does not let events run, such as a key press or a cancellation; a
          // pause does.
          if (session.scheduler.isSliceOver) await session.scheduler.pause();
          throwIfCancelled(token);
          const reportOfFile = await fileReport(session, file, previousIdByUri.get(file.uri));
          if (reportOfFile) fileReports.push(reportOfFile);
          if (!hasProgressBegun || (index + 1) % FILES_SENT_TOGETHER !== 0) continue;
          if (partialReporter && fileReports.length > 0) partialReporter.report({ items: fileReports.splice(0) });
          progressReporter.report(
            startPercent + Math.round((index * (100 - startPercent)) / files.length),
            `${index + 1} of ${files.length} files`,
          );
        }
        const presentUris = new Set(files.map(({ uri }) => uri));
        for (const uri of previousIdByUri.keys())
          if (!presentUris.has(uri) && !session.documents.get(uri)) fileReports.push(emptyReport(uri));
      } catch (error) {
        if (error instanceof ResponseError) throw error;
        session.errorLog.report('checking the workspace', error);
      } finally {
        isWaitingForWalk = false;
        if (hasProgressBegun) progressReporter.done();
      }
      changesAtLastReply = changeCountBefore;
      return { items: fileReports };
    },
  );
}

/**
 * The report of a file that is not open. `previousResultId`: the id of the last report that the
 * client has of this file. Null if that report is still right. Also null if the file is open,
 * because the client requests the report of an open file separately.
 */
async function fileReport(
  session: Session,
  file: WorkspaceFile,
  previousResultId: string | undefined,
): Promise<WorkspaceFullDocumentDiagnosticReport | null> {
  const { uri, path } = file;
  if (session.documents.get(uri) || session.workspace.isOpen(path)) return null;
  try {
    return await closedFileReport(session, file, previousResultId);
  } catch (error) {
    return {
      kind: DocumentDiagnosticReportKind.Full,
      uri,
      version: null,
      resultId: `failed:${session.settings.revision}:${session.workspace.stampOf(path)}`,
      items: failedCheckDiagnostics(session, uri, error),
    };
  }
}

/**
 * Like `fileReport`, but expects that the file is not open, and throws if its check fails. If the
 * file shall have no findings, returns null for a client that has none.
 */
async function closedFileReport(
  session: Session,
  { uri, path }: WorkspaceFile,
  previousResultId: string | undefined,
): Promise<WorkspaceFullDocumentDiagnosticReport | null> {
  const settings = await session.settings.settingsOf(uri);
  const reportWithoutItems = previousResultId === undefined ? null : emptyReport(uri);
  if (!settings.values.workspaceDiagnostics) return reportWithoutItems;
  const resultId = `${session.settings.revision}:${session.workspace.stampOf(path)}:${session.configurationRules.stampOf(path)}`;
  if (previousResultId === resultId) return null;
  // If a file cannot be read or checked, that is reported even if no server reads it.
  const file = await session.workspace.readClosedFile(path);
  if (!file) return { ...emptyReport(uri), resultId };
  if (isReadByNoServer(session, uri, { tree: file.tree, settings })) return reportWithoutItems;
  const fileDiagnostics = diagnosticsOfFile(session, uri, settings.engine.analyze(file.tree, file.info), settings);
  return { kind: DocumentDiagnosticReportKind.Full, uri, version: null, resultId, items: fileDiagnostics };
}

function emptyReport(uri: string): WorkspaceFullDocumentDiagnosticReport {
  return { kind: DocumentDiagnosticReportKind.Full, uri, version: null, items: [] };
}
