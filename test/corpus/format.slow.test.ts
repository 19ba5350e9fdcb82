/**
 * Formatting of the corpus, templates included, if present: httpd reads the same, line by line, and
 * formatting twice equals formatting once.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { textWithEdits, formatEdits, type FormatOptions } from '../../server/src/features/format';
import { decode } from '../../server/src/host/decode';
import { Tree } from '../../server/src/syntax/document';
import { LineKind } from '../../server/src/syntax/line';
import { forEachLine } from '../../server/src/syntax/tree';
import { logicalLines } from '../support/logical';
import { describeOver } from '../support/lacks';
import { corpusFolder, templatesFolder } from '../support/paths';
import { Random, seed } from '../support/random';

const ENDS = { insertFinalNewline: true, trimFinalNewlines: true };
const OPTIONS: readonly FormatOptions[] = [
  { tabSize: 4, insertSpaces: true, alignment: 'keep', ...ENDS },
  { tabSize: 8, insertSpaces: false, alignment: 'keep', ...ENDS },
  { tabSize: 2, insertSpaces: true, alignment: 'none', trimTrailingWhitespace: false },
];

for (const [name, folder] of [
  ['corpus', corpusFolder],
  ['templates', templatesFolder],
] as const) {
  describeOver(name, `formatting the ${name}`, () => {
    const files = textsIn(folder);

    it('changes nothing that httpd reads, no comment and no line of a template', () => {
      let changed = 0;
      for (const { file, text } of files) {
        const [lines, kept] = [logicalLines(text), untouchable(text)];
        for (const options of OPTIONS) {
          const formatted = textWithEdits(text, formatEdits(Tree.parse(text), options));
          if (formatted !== text) changed++;
          assert.deepEqual(logicalLines(formatted), lines, file);
          assert.deepEqual(untouchable(formatted), kept, file);
        }
      }
      assert.ok(changed * 2 > files.length, `${changed} changes in ${files.length} files`);
    });

    it('settles at once', () => {
      for (const { file, text } of files) {
        for (const options of OPTIONS) {
          const once = textWithEdits(text, formatEdits(Tree.parse(text), options));
          assert.deepEqual(formatEdits(Tree.parse(once), options), [], file);
        }
      }
    });

    it('of any lines changes nothing that httpd reads, and changes no other line', () => {
      const start = seed();
      files.forEach(({ file, text }, index) => {
        const random = new Random(start + index);
        const tree = Tree.parse(text);
        const from = random.below(text.length + 1);
        const to = Math.min(text.length, from + random.below(400));
        const edits = formatEdits(tree, OPTIONS[0], from, to);
        const context = `HTTPD_UPGRADE_SEED=${start} ${file}`;
        assert.deepEqual(logicalLines(textWithEdits(text, edits)), logicalLines(text), context);
        const [first, last] = [tree.positionAt(from).line, tree.positionAt(to).line];
        for (const { range, start: at, end } of edits) {
          assert.ok(range.start.line >= first && range.start.line <= last, context);
          assert.deepEqual(range, { start: tree.positionAt(at), end: tree.positionAt(end) }, context);
        }
      });
    });
  });
}

/**
 * Comments without their indentation, and lines with template text or in other languages as they
 * are.
 */
function untouchable(text: string): string[] {
  const found: string[] = [];
  const { root } = Tree.parse(text);
  forEachLine(root, 0, root.length, (line) => {
    if (line.kind === LineKind.Comment || line.template !== 0)
      found.push(line.text.replace(/^[ \t]+|[ \t\r\n]+$/g, ''));
  });
  return found;
}

function textsIn(folder: string): { file: string; text: string }[] {
  return walk(folder).flatMap((file) => {
    if (path.dirname(file) === folder) return [];
    const decoded = decode(readFileSync(file));
    return 'text' in decoded ? [{ file, text: decoded.text }] : [];
  });
}

function walk(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const full = path.join(folder, name);
      return statSync(full).isDirectory() ? walk(full) : [full];
    });
}
