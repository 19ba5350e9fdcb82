/**
 * `textDocument/definition`, `textDocument/documentLink`, and our own request for the tree of
 * included files.
 */
import type { DocumentLink, LocationLink, Location } from 'vscode-languageserver';
import { pathNames, type PathNames } from '../features/folder-names';
import { includeTreeRows, type IncludeRow } from '../features/include-tree';
import {
  definitionAt,
  variableDefinitionsInOtherFiles,
  includedFiles,
  linksIn,
  type NavigationContext,
} from '../features/navigation';
import type { HoverKnowledge } from '../features/hover/argument';
import { lineStartRange, rangeOf } from '../features/convert';
import { analyzedDocument, type Session } from './session';

/** A row of the tree of included files, for our own client. */
export interface IncludeTreeRow extends Omit<IncludeRow, 'path'> {
  readonly uri: string;
}

export function serveNavigation(session: Session): void {
  const { connection, workspace } = session;
  connection.onDefinition(async (params, token): Promise<LocationLink[] | Location[] | null> => {
    const analyzedFile = await analyzedDocument(session, params.textDocument.uri, token);
    if (!analyzedFile) return null;
    const { tree } = analyzedFile.document;
    const definition = definitionAt(tree, analyzedFile.document.offsetAt(params.position), {
      ...navigationContext(session, params.textDocument.uri),
      engine: analyzedFile.settings.engine,
    });
    if (!definition) return null;
    const originSelectionRange = rangeOf(tree, definition);
    return definition.targets.map((target) => {
      const targetRange = lineStartRange(target.row);
      const targetUri = workspace.clientUriOf(target.path);
      return session.client.acceptsDefinitionLinks
        ? { originSelectionRange, targetUri, targetRange, targetSelectionRange: targetRange }
        : { uri: targetUri, range: targetRange };
    }) as LocationLink[] | Location[];
  });
  connection.onDocumentLinks(async (params, token): Promise<DocumentLink[]> => {
    const analyzedFile = await analyzedDocument(session, params.textDocument.uri, token);
    if (!analyzedFile) return [];
    const { tree } = analyzedFile.document;
    return linksIn(tree, navigationContext(session, params.textDocument.uri)).map((link) => ({
      range: rangeOf(tree, link),
      target: workspace.clientUriOf(link.target.path),
      tooltip: link.tooltip,
    }));
  });
  connection.onRequest('httpdUpgrade/includeTree', ({ uri }: { uri: string | null }) => includeRows(session, uri));
}

/**
 * The rows of the include tree, for the configurations that read the file `uri`. If `uri` is null,
 * for all configurations.
 */
export async function includeRows(session: Session, uri: string | null): Promise<IncludeTreeRow[]> {
  const { workspace } = session;
  await workspace.untilCurrent();
  const models = uri === null ? workspace.models : workspace.relatedModelsOf(uri);
  const displayPath = (path: string) => pathForUsers(session, path);
  return models.flatMap((model) =>
    includeTreeRows(model, displayPath).map(({ path, ...row }) => ({ ...row, uri: workspace.clientUriOf(path) })),
  );
}

/**
 * What a hover shows about other files: where they define a name, and which files an Include reads.
 * Empty if there are no configurations.
 */
export function factsOfOtherFiles(
  session: Session,
  uri: string,
): Pick<HoverKnowledge, 'placesDefiningVariable' | 'filesOfInclude' | 'definitionsInOtherFiles'> {
  const context = navigationContext(session, uri);
  const { namesInOtherFiles } = context;
  if (context.configurationModels.length === 0) return {};
  return {
    ...(namesInOtherFiles && {
      definitionsInOtherFiles: (kind, name) =>
        namesInOtherFiles
          .placesDefining(kind, name)
          .map(({ path, row, value }) => ({ placeText: `${pathForUsers(session, path)}, line ${row + 1}`, value })),
    }),
    placesDefiningVariable: (name) =>
      variableDefinitionsInOtherFiles(name, context).map(
        ({ path, row }) => `${pathForUsers(session, path)}, line ${row + 1}`,
      ),
    filesOfInclude: (line) => includedFiles(line, context)?.map((path) => pathForUsers(session, path)) ?? null,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** What navigation needs to know about the other files of a file's configurations. */
export function navigationContext({ host, isTrusted, workspace }: Session, uri: string): NavigationContext {
  const view = isTrusted ? host.fileView?.(() => null) : undefined;
  return {
    configurationModels: isTrusted ? workspace.relatedModelsOf(uri) : [],
    path: workspace.realPathOf(uri),
    namesInOtherFiles: workspace.namesInOtherFiles(uri),
    kindOfPath: (path) => view?.kind(path) ?? null,
    fileSummary: (path) => workspace.summaryOf(path),
  };
}

/** The path as users see it: relative to its workspace folder. */
export function pathForUsers(session: Session, path: string): string {
  return pathNamesOf(session).nameOf(path);
}

/** Returns the text with each path in it made relative to its workspace folder. */
export function withRelativePaths(session: Session, text: string): string {
  return pathNamesOf(session).withNames(text);
}

/** Makes paths relative to the workspace folders. */
function pathNamesOf({ folders, workspace }: Session): PathNames {
  return pathNames(folders.flatMap((folder) => workspace.pathOf(folder.replace(/\/$/, '')) ?? []));
}
