/**
 * Comments, names and documents are in plain English, in lines of at most 100 columns. What is not
 * so yet is counted in counts.json, and the counts only fall: `UPDATE=1 npm test` writes lower
 * ones. What to write instead: ARCHITECTURE.md, "Words".
 */
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { commentsAndNames, documentFiles, programFiles, proseLines, read, wordsOfName, type Text } from './texts';

const COUNTS = path.join(repositoryRoot, 'test/architecture/counts.json');
const COLUMNS = 100;

/** A clause with one of these as its subject or verb has a plainer form. */
const BANNED: Readonly<Record<string, RegExp>> = {
  nobody: /\bnobody\b/gi,
  whoever: /\bwhoever\b/gi,
  'has a say': /\b(has|have|had|having) (a|no|its|any) say\b/gi,
  'comes to': /\b(comes?|came|coming) to\b/gi,
  'stands on': /\b(stands?|stood|standing) on\b/gi,
  told: /\btold\b/gi,
  said: /\bsaid\b/gi,
  heard: /\bheard\b/gi,
  /** For "after". A server can be behind a proxy. */
  behind: /\bbehind\b(?! (a|an|the|one|another)? ?(\w+ )?(prox(y|ies)|balancers?)\b)/gi,
  'of its own accord': /\bof (its|their) own accord\b/gi,
  'by way of': /\bby way of\b/gi,
};

interface Counts {
  readonly bannedWords: Readonly<Record<string, number>>;
  readonly longLines: Readonly<Record<string, number>>;
  /** Files with a function over the complexity that .biome.json allows. */
  readonly complexFiles: number;
}

describe('plain words', function () {
  this.timeout(300_000);
  let found: Found;
  before(() => {
    found = findAll();
  });
  const known = JSON.parse(read('test/architecture/counts.json')) as Counts;

  it('banned words only become fewer, in comments, names and documents', () => {
    const counts = mapped(found.banned, (places) => places.length);
    const more = Object.keys(BANNED).filter((word) => counts[word] > known.bannedWords[word]);
    assert.deepEqual(
      more.map((word) => report(word, found.banned[word], known.bannedWords[word])),
      [],
    );
    keep({ bannedWords: counts });
  });

  it(`lines of prose over ${COLUMNS} columns only become fewer`, () => {
    const counts = mapped(found.long, (places) => places.length);
    const more = Object.keys(counts).filter((kind) => counts[kind] > known.longLines[kind]);
    assert.deepEqual(
      more.map((kind) => report(kind, found.long[kind], known.longLines[kind])),
      [],
    );
    keep({ longLines: counts });
  });

  it('functions that are too complex only become fewer', () => {
    const { overrides } = JSON.parse(read('.biome.json')) as { overrides: readonly unknown[] };
    assert.ok(
      overrides.length <= known.complexFiles,
      `.biome.json allows ${overrides.length} files more than usual, and had ${known.complexFiles}`,
    );
    keep({ complexFiles: overrides.length });
  });

  it('are found in comments and names, and in no string', () => {
    const text = [
      '// told by a comment',
      'const wasTold = "// told by a string"; // told behind the line',
      'const pattern = /\\/\\/ told/; /* told in a block */ const text = `// ${wasTold} // told`;',
      '/** Nobody is told. */',
      'function f(/* told */ toldName: string) { return toldName; }',
      'import { told } from "a";',
    ].join('\n');
    const { comments, names } = commentsAndNames('a.ts', text);
    assert.deepEqual(
      comments.map((each) => each.text),
      [
        '// told by a comment',
        '// told behind the line',
        '/* told in a block */',
        '/** Nobody is told. */',
        '/* told */',
      ],
    );
    assert.deepEqual(
      names.map((each) => each.text),
      ['wasTold', 'pattern', 'text', 'f', 'toldName'],
    );
    assert.deepEqual(wordsOfName('isURLTold_NOBODY2heard'), ['is', 'url', 'told', 'nobody', 'heard']);
  });

  it('leave code and tables of documents alone', () => {
    const text = 'told\n\n```\ntold\n```\n\n| told |\n|---|\n\n# told\n- told';
    assert.deepEqual(
      proseLines('a.md', text)
        .filter((each) => each.text.includes('told'))
        .map(({ line }) => line),
      [0, 10],
    );
  });
});

// ---------------------------------------------------------------------------------------------------------------------

interface Found {
  readonly banned: Readonly<Record<string, readonly Text[]>>;
  readonly long: Readonly<Record<string, readonly Text[]>>;
}

function findAll(): Found {
  const programs = programFiles().map((file) => ({
    ...commentsAndNames(file, read(file)),
    rows: read(file).split('\n'),
  }));
  const comments = programs.flatMap((each) => each.comments);
  const names = programs.flatMap((each) =>
    each.names.map((name) => ({ ...name, text: wordsOfName(name.text).join(' ') })),
  );
  const documents = documentFiles().flatMap((file) => proseLines(file, read(file)));
  const ownWords = documents.map((each) => ({ ...each, text: each.text.replace(/`[^`]*`/g, '`…`') }));
  const banned = mapped(BANNED, (pattern) =>
    [...comments, ...names, ...ownWords].flatMap((each) => [...each.text.matchAll(pattern)].map(() => each)),
  );
  const long = {
    comments: programs.flatMap((program) =>
      program.comments.flatMap(({ file, line, text }) =>
        text
          .split('\n')
          .map((_, row) => ({ file, line: line + row, text: program.rows[line + row] }))
          .filter((row) => row.text.length > COLUMNS && /\w/.test(row.text)),
      ),
    ),
    // An address cannot be broken.
    documents: documents.filter(({ text }) => text.replace(/\]\([^)]*\)|https?:\S+/g, '').length > COLUMNS),
  };
  return { banned, long };
}

/** With UPDATE=1: writes counts that are lower than before. */
function keep(counts: Partial<Counts>): void {
  if (process.env.UPDATE !== '1') return;
  const before = JSON.parse(read('test/architecture/counts.json')) as Counts;
  writeFileSync(COUNTS, `${JSON.stringify({ ...before, ...counts }, null, 2)}\n`);
}

/** The places in the files that were changed last come first: the new one is among them. */
function report(what: string, places: readonly Text[], allowed: number): string {
  const rows = places
    .map((place) => ({ ...place, time: statSync(path.join(repositoryRoot, place.file)).mtimeMs }))
    .sort((a, b) => b.time - a.time)
    .slice(0, 40)
    .map(({ file, line, text }) => `  ${file}:${line + 1}: ${text.trim().slice(0, COLUMNS)}`);
  return `${what}: ${places.length} instead of at most ${allowed}. In the files changed last:\n${rows.join('\n')}`;
}

function mapped<T, R>(record: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
