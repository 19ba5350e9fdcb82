/** Everything that can be requested for a text: by an editor, and on the command line. */
import type { FileInfo } from '../../server/src/analysis/engine';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits, fixText } from '../../server/src/analysis/fixes';
import { newSummary, reportFor } from '../../server/src/cli/report';
import { planText } from '../../server/src/cli/plan-text';
import { Terminal } from '../../server/src/cli/terminal';
import { unifiedDiff } from '../../server/src/cli/diff';
import { summarize } from '../../server/src/config/file-summary';
import type { FileView } from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';
import { codeActions } from '../../server/src/features/code-actions';
import { lensesOf, virtualHostLensText } from '../../server/src/features/code-lens';
import { completion } from '../../server/src/features/completion/completion';
import { diagnostics } from '../../server/src/features/diagnostics';
import { explainAccess } from '../../server/src/features/explain-access';
import { runToEnd } from '../../server/src/config/resumable';
import { PlanGatherer } from '../../server/src/features/plan';
import { formatEdits } from '../../server/src/features/format';
import { formatOnType } from '../../server/src/features/format-on-type';
import { readProject } from '../../server/src/features/read-project';
import { highlightsAt } from '../../server/src/features/highlight';
import { hover } from '../../server/src/features/hover/hover';
import { includeTreeRows, includeTreeText } from '../../server/src/features/include-tree';
import { inlayHints } from '../../server/src/features/inlay-hints';
import { parameterAt, renamedParameter } from '../../server/src/features/macro-parameters';
import { macroAt, macroUsesIn } from '../../server/src/features/macro-uses';
import { definitionAt, linksIn, type NavigationContext } from '../../server/src/features/navigation';
import { forEachSymbol, symbolSummaryOf } from '../../server/src/features/occurrences';
import { documentSymbols, foldingRanges } from '../../server/src/features/outline';
import { searchableNameAt, placesOf } from '../../server/src/features/references';
import { rename } from '../../server/src/features/rename';
import { upgradeReport } from '../../server/src/features/report/upgrade-report';
import { selectionRanges } from '../../server/src/features/selection-ranges';
import { semanticTokens, semanticTokensIn, tokensEdit } from '../../server/src/features/semantic-tokens';
import { signatureHelp } from '../../server/src/features/signature-help';
import { namesToEditTogether, tagPair } from '../../server/src/features/tag-pair';
import { workspaceSymbols } from '../../server/src/features/workspace-symbols';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { fileNamesOf } from '../../server/src/symbols/names-of-file';
import { projectOf } from '../support/project';

const MAIN = '/etc/httpd/httpd.conf';

/**
 * `of` an engine that has seen other versions of the text, or a new one. Offsets of hovers are
 * spread over the text.
 */
export function told(tree: Tree, engine: Engine, file: FileInfo = { isHtaccess: false }, hovers = 3) {
  return {
    diagnostics: diagnostics(engine.analyze(tree, file), 1000, [], () => null, 'file:///a'),
    symbols: documentSymbols(tree),
    folding: foldingRanges(tree),
    hovers: Array.from({ length: hovers }, (_, i) =>
      hover(tree, Math.floor((tree.length * (i + 1)) / (hovers + 1)), engine.target),
    ),
  };
}

export function newEngine(): Engine {
  return new Engine({ rules: ALL_RULES });
}

/** The parts of the work that a text can make long, each by itself. */
export const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  'the editor': (text) => told(Tree.parse(text), newEngine()),
  'the editor, in a .htaccess': (text) => told(Tree.parse(text), newEngine(), { isHtaccess: true }),
  fixes: (text) => unifiedDiff('a', text, fixText(newEngine(), text, { isHtaccess: false }, { unsafe: true }).text),
  'a whole configuration': (text) => {
    const { view, projects } = configurationOf(text);
    const project = readProject({ view, settings: projects, roots: [MAIN] });
    const tree = view.read(MAIN)!;
    const edits = project.editsOfFile(MAIN, true);
    return [
      told(tree, projects.engineOf(), project.infoOf(MAIN, tree)),
      unifiedDiff('a', tree.text(), applyEdits(tree.text(), edits)),
      project.configurationModels.map((model) => includeTreeText(includeTreeRows(model, (path) => path))),
    ];
  },
  'the plan, its report, and findings in all forms': planned,
  format: (text) => {
    const tree = Tree.parse(text);
    const options = { tabSize: 4, insertSpaces: true } as const;
    const edits = formatEdits(tree, {
      ...options,
      alignment: 'keep',
      insertFinalNewline: true,
      trimFinalNewlines: true,
    });
    return [
      unifiedDiff('a', text, applyEdits(text, edits)),
      formatEdits(tree, { ...options, alignment: 'none' }),
      spread(tree).map((offset) => [
        formatEdits(tree, { ...options, alignment: 'keep' }, offset, offset),
        formatOnType(tree, offset, '\n', { ...options, alignment: 'keep', closesTags: true }),
        formatOnType(tree, offset, '>', { ...options, alignment: 'keep', closesTags: true }),
      ]),
    ];
  },
  'names and places': (text) => {
    const tree = Tree.parse(text);
    const engine = newEngine();
    engine.analyze(tree, { isHtaccess: false });
    const around: NavigationContext = {
      configurationModels: [],
      path: MAIN,
      engine,
      kindOfPath: () => null,
      fileSummary: () => summarize(tree.root),
    };
    const files = [{ path: MAIN, tree, displayName: 'a', whyUnchangeable: null }];
    const before = semanticTokens(tree);
    return [
      fileNamesOf(tree),
      symbolSummaryOf(tree.root),
      workspaceSymbols('ae', [{ path: MAIN, forEach: (visit, test) => forEachSymbol(tree.root, visit, test) }]),
      lensesOf(tree),
      linksIn(tree, around),
      tokensEdit(before, semanticTokensIn(tree, 0, tree.length)),
      spread(tree).map((offset) => {
        const wantedName = searchableNameAt(tree, offset)?.occurrence;
        const parameter = parameterAt(tree, offset);
        const { line } = tree.positionAt(offset);
        return [
          wantedName && placesOf(tree, wantedName, Infinity),
          wantedName && rename({ wantedName, newName: 'renamed', files, defines: null }),
          parameter && renamedParameter(parameter, '$renamed'),
          macroAt(tree, offset),
          macroUsesIn(tree, line),
          virtualHostLensText(tree, line),
          highlightsAt(tree, offset),
          definitionAt(tree, offset, around),
          selectionRanges(tree, offset),
          tagPair(tree, offset),
          namesToEditTogether(tree, offset),
        ];
      }),
    ];
  },
  typing: (text) => {
    const tree = Tree.parse(text);
    const engine = newEngine();
    const file = { isHtaccess: false };
    const analysis = engine.analyze(tree, file);
    const client = {
      supportsSnippets: true,
      supportsLabelDetails: true,
      supportsTags: true,
      supportsDefaultRange: true,
      supportsDefaultData: true,
      requestsEditsLater: false,
      supportsInsertReplace: true,
      retriggers: false,
    };
    const all = { start: tree.positionAt(0), end: tree.positionAt(tree.length) };
    return [
      codeActions({ uri: 'file:///a', version: 1, range: all, engine, analysis, fileInfo: file }),
      inlayHints({
        tree,
        start: 0,
        end: tree.length,
        engine,
        isHtaccess: false,
        showsInherited: true,
        showsDefaults: true,
      }),
      spread(tree).map((offset) => [
        completion({ tree, offset, engine, isHtaccess: false }, client),
        signatureHelp(tree, offset),
        explainAccess(tree, offset),
        explainAccess(tree, offset, { isShort: true }),
      ]),
    ];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The beginning, the end, and what lies between: a little before ends of lines, where names stand.
 */
function spread(tree: Tree): number[] {
  const offsets = [0, tree.length];
  for (const part of [0.1, 0.5, 0.9]) {
    const { line } = tree.positionAt(Math.floor(tree.length * part));
    const start = tree.offsetAt({ line, character: 0 });
    const end = tree.offsetAt({ line: line + 1, character: 0 });
    offsets.push(start + 2, Math.max(start, end - 2), Math.floor((start + end) / 2));
  }
  return offsets;
}

function configurationOf(text: string) {
  const view: FileView = memoryFiles({ [MAIN]: `ServerRoot /etc/httpd\nListen 80\n${text}` });
  const engine = newEngine();
  return { view, projects: { engineOf: () => engine, serverOf: () => ({}) } };
}

const FORMATS = ['text', 'json', 'sarif', 'github', 'gitlab', 'checkstyle', 'junit'] as const;

function planned(text: string): unknown {
  const { view, projects } = configurationOf(text);
  const read = projectOf(view, projects, MAIN);
  const file = { path: MAIN, tree: view.read(MAIN)! };
  const gatherer = new PlanGatherer({ project: read.project, displayName: (each) => each });
  runToEnd(gatherer.addFile({ ...read.projectFileOf(file), name: MAIN }));
  const report = { ...gatherer.finishPlan(), argumentsToRepeat: 'a', madeBy: 'a', date: null };
  const terminal = new Terminal({ isQuiet: true });
  const findings = [...read.findings(file)];
  return [
    upgradeReport(report, 'html'),
    upgradeReport(report, 'markdown'),
    planText(report.plan, {
      terminal,
      argumentsToRepeat: 'a',
      argumentsToRepeatForWriting: 'a',
      serverOptions: [],
      isInputPiped: false,
    }),
    FORMATS.map((format) => {
      const written: string[] = [];
      const made = reportFor(format, {
        terminal,
        write: (piece) => void written.push(piece),
        argumentsToRepeat: 'a',
        argumentsToRepeatForWriting: 'a',
        isInputPiped: false,
        questionIdOf: () => 'a',
        isKnown: null,
      });
      made.file(MAIN, file.tree, findings);
      made.end(newSummary(), { notes: read.project.conversionNotes((each) => each), knownProblems: null, plan: null });
      return written.join('');
    }),
  ];
}
