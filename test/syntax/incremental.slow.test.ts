/**
 * Random edits: the edited tree and its findings equal a fresh parse, and our document equals
 * vscode-languageserver-textdocument's.
 */
import assert from 'node:assert/strict';
import { TextDocument, type TextDocumentContentChangeEvent } from 'vscode-languageserver-textdocument';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { ConfigDocument, Tree } from '../../server/src/syntax/document';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';
import { faults, outline } from './outline';

const PIECES = [
  'ServerName a\n',
  'Order allow,deny\n',
  'Deny from all\n',
  '\n',
  '  \t\n',
  '# comment\n',
  '# comment \\\n',
  'Allow from \\\n',
  '<Directory />\n',
  '</Directory>\n',
  '<VirtualHost *:80>\n',
  '</VirtualHost>\n',
  '<IfModule mod_x.c>\n',
  '</IfModule>\n',
  '<Directory',
  '</Dir',
  '<Files',
  '>',
  '\\',
  '\\\n',
  '\r\n',
  '\r',
  '\n',
  '\0',
  '"',
  "'",
  '#',
  ' ',
  'x',
  '</directory >\n',
  '<IfVersion < 2.4>\n',
  '</IfVersion>\r\n',
  'LogFormat "a \\"b\\"" c\r\n',
  '\uFEFF',
  '😀',
  '<DIRECTORY /a>\n</directory>\n',
  '<Limit GET>\nDeny from all\n</Limit>\n',
  '# httpd-upgrade-ignore order-allow-deny: x\n',
  'Satisfy Any\n',
  'Require valid-user\n',
  'MaxClients 1\n',
  'NameVirtualHost *:80\n',
  'RewriteLog x\n',
  'RewriteLogLevel 3\n',
  'LogLevel warn\n',
  'ServerRoot /x\n',
  'Include x\n',
  'KeepAlive 1\n',
  'AcceptMutex flock\n',
  'LockFile x\n',
];

describe('incremental parsing', () => {
  const start = seed();

  const [small, larger] = [rounds(50), rounds(2)];

  it(`gives what a fresh parse gives (${small * 40} edits of small files)`, () => {
    for (let round = 0; round < small; round++) runEdits(start + round, 30, 40);
  });

  it('gives it where a fault was found once', () => {
    // A line kept what was found in it where it stood in the flat form of the file, before its
    // section was closed again.
    runEdits(23_375_006, 1500, 45);
  });

  it(`gives what a fresh parse gives (${larger * 50} edits of larger files)`, () => {
    for (let round = 0; round < larger; round++) runEdits(start + 1000 + round, 1500, 50);
  });
});

function runEdits(runSeed: number, pieces: number, edits: number): void {
  const random = new Random(runSeed);
  const text = Array.from({ length: pieces }, () => random.pick(PIECES)).join('');
  let ours = ConfigDocument.create('file:///a', 'apacheconf', 0, text);
  let theirs = TextDocument.create('file:///a', 'apacheconf', 0, text);
  const engine = new Engine({ rules: ALL_RULES });
  findings(engine, ours.tree);
  for (let edit = 1; edit <= edits; edit++) {
    const changes = randomChanges(random, theirs);
    const before = theirs.getText();
    theirs = TextDocument.update(theirs, changes, edit);
    ours = ConfigDocument.update(ours, changes, edit);
    const context = () =>
      `HTTPD_UPGRADE_SEED=${runSeed}, edit ${edit}: ${JSON.stringify({ before: before.slice(0, 2000), changes })}`;
    const expected = theirs.getText();
    if (ours.getText() !== expected) assert.fail(`text differs, ${context()}`);
    const fault = faults(ours.tree.root);
    if (fault) assert.fail(`${fault}, ${context()}`);
    const fresh = outline(Tree.parse(expected).root);
    const actual = outline(ours.tree.root);
    if (fresh !== actual) assert.equal(actual, fresh, context());
    const found = findings(engine, ours.tree);
    const expectedFindings = findings(engine, Tree.parse(expected));
    if (found !== expectedFindings) assert.equal(found, expectedFindings, context());
    comparePositions(random, ours, theirs, context);
  }
}

/** Every finding with its place, severity and fixes, as text. */
function findings(engine: Engine, tree: Tree): string {
  const rows = engine.analyze(tree, { isHtaccess: false }).findings();
  return rows
    .map(
      (found) =>
        `${found.start}-${found.end} ${found.severity} ${found.rule.id}/${found.messageId} ${JSON.stringify(found.fixes)}`,
    )
    .join('\n');
}

/**
 * One to three changes, each meant for the text that the one before leaves, as the protocol has it.
 */
function randomChanges(random: Random, document: TextDocument): TextDocumentContentChangeEvent[] {
  const changes: TextDocumentContentChangeEvent[] = [];
  let scratch = TextDocument.create('', '', 0, document.getText());
  const count = random.below(4) === 0 ? 1 + random.below(3) : 1;
  for (let i = 0; i < count; i++) {
    const length = scratch.getText().length;
    const from = random.below(length + 1);
    const isDeletion = random.below(2) === 0;
    const to = isDeletion ? Math.min(length, from + random.below(random.below(4) === 0 ? 200 : 8)) : from;
    const range = { start: scratch.positionAt(from), end: scratch.positionAt(to) };
    const text = isDeletion && random.below(3) > 0 ? '' : random.pick(PIECES);
    const change = random.below(200) === 0 ? { text: random.pick(PIECES) + random.pick(PIECES) } : { range, text };
    changes.push(change);
    scratch = TextDocument.update(scratch, [change], 0);
  }
  return changes;
}

function comparePositions(random: Random, ours: ConfigDocument, theirs: TextDocument, context: () => string): void {
  assert.equal(ours.lineCount, theirs.lineCount, context());
  for (let i = 0; i < 4; i++) {
    const offset = random.below(theirs.getText().length + 3) - 1;
    const position = theirs.positionAt(offset);
    assert.deepEqual(ours.positionAt(offset), position, `positionAt(${offset}), ${context()}`);
    const asked = { line: random.below(theirs.lineCount + 2), character: random.below(12) };
    assert.equal(ours.offsetAt(asked), theirs.offsetAt(asked), `offsetAt(${JSON.stringify(asked)}), ${context()}`);
    assert.deepEqual(
      ours.getLineRange(asked.line),
      theirs.getLineRange(asked.line),
      `getLineRange(${asked.line}), ${context()}`,
    );
    assert.equal(
      ours.getEOLCharacters(asked.line),
      theirs.getEOLCharacters(asked.line),
      `getEOLCharacters(${asked.line}), ${context()}`,
    );
  }
}
