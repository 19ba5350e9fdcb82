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
    assert.equal(more.map((word) => report(word, found.banned[word], known.bannedWords[word])).join('\n'), '');
    keep({ bannedWords: counts });
  });

  it(`lines of prose over ${COLUMNS} columns only become fewer`, () => {
    const counts = mapped(found.long, (places) => places.length);
    const more = Object.keys(counts).filter((kind) => counts[kind] > known.longLines[kind]);
    assert.equal(more.map((kind) => report(kind, found.long[kind], known.longLines[kind])).join('\n'), "comments: 110 instead of at most 109. In the files changed last:\n  server/src/rules/support/documentation.ts:10: /** Contents by path from the root of the repository. `read` returns the current content of a file. \n  server/scripts/generate-rule-pages.mjs:7: //   node server/scripts/generate-rule-pages.mjs --check   only says what would, and fails if there \n  server/src/requests/access-diff.ts:36: /** Of a gain, if there is one. Null if nothing changes, and if no URL of the section was tried. */\n  server/src/cli/files.ts:30: * to `terminal` (`hadProblems`) and does not end the run. Excluded files are not read. `onEmpty`: fo\n  test/trees/cases/case.ts:1: /** A whole server, what the program is asked to do with it, and what requests must get afterwards. \n  test/trees/cases/case.ts:11: /** Command lines, one after another, in the tree's directory. Default: `fix --write` on the first s\n  test/trees/cases/case.ts:13: /** In an editor that has the tree open: Fix All in each of these files by itself, or each preferred\n  test/trees/cases/case.ts:20: /** What 2.2 answers, and 2.4 has to: `URL from ADDRESS as USER` (the last may be left out), at the \n  test/trees/cases/found.ts:1: /** Which files decide: .htaccess files above what is served and behind links, names of AccessFileNa\n  test/trees/cases/found.ts:31: /** A directory whose .htaccess has to be allowed to say Require, and one below it where none is rea\n  test/trees/cases/half.ts:1: /** Half the way to 2.4: what decides where a 500 ends, where lines come to life or die, and where o\n  test/trees/cases/linked.ts:1: /** Files that the server reads as .htaccess under other names than their own: by links, by links to\n  test/trees/cases/written.ts:1: /** What is written: all of a plan or nothing, whatever its files are called, wherever they lie, who\n  test/trees/cases/written.ts:6: /** The part asks for a login where the main file looks at addresses: converted, either file needs t\n  test/trees/disk.ts:48: /** It runs on another machine: what is in the tree below `from`, that has at `to`, and these files,\n  test/trees/disk.ts:67: /** A directory for trees, one after another. Not in /dev/shm, which the program takes for what the \n  test/trees/disk.ts:77: /** Writes the tree where nothing is; everything belongs to `owner` then, but for what is foreign. *\n  test/trees/disk.ts:137: /** What was there is gone at once, and removed when there is time: removing directories one after a\n  test/trees/generate.ts:27: * The shapes that trip whoever looks at files instead of at a server, each with whether a tree has i\n  test/trees/generate.ts:369: // --- The server's files --------------------------------------------------------------------------\n  test/trees/generate.ts:501: /** What 2.2 does not start with: a server that runs 2.4 already has it, and some of it our own fixe\n  test/trees/generate.ts:652: /** What a virtual host says of its own directory, and .htaccess files there, which it alone may adm\n  test/trees/generate.ts:798: // --- .htaccess files and links -------------------------------------------------------------------\n  test/trees/generate.ts:899: * The server's own files are what somebody copied here, beside the machine's own, and what it serves\n  test/trees/generate.ts:921: // --- Lines ---------------------------------------------------------------------------------------\n  test/trees/generate.ts:1116: // --- As people write them ------------------------------------------------------------------------\n  test/trees/generated.slow.test.ts:25: /** With this part of the trees, in percent, `--unsafe` is tried, because what its suggestions assum\n  test/trees/judge.ts:21: * If 2.2 refuses the tree (because of lines of 2.4), there is no `was`. The server is a 2.4 already,\n  test/trees/judge.ts:97: // What was written for 2.4 in part may say in 2.4 what it says, and what was written for 2.2 alone \n  test/trees/judge.ts:217: /** Lines of 2.4 that 2.2 has otherwise or not at all: a quoted name of a provider is one to 2.4 onl\n  test/trees/judge.ts:233: /** Require lines of two modules in one section, of which 2.2 went by one: that is said (require-mix\n  test/trees/product.ts:25: * From now on whatever is written here is written without waiting for the disk, and copied without a\n  test/trees/real.slow.test.ts:20: /** Whoever asks is who a header says, so that there are clients of every address. A directory is an\n  test/trees/real.slow.test.ts:118: /** What the model says that 2.4 answers, of any request; where that is 2.2's answer, too, the promi\n  test/trees/server.ts:134: * `isLenient`: as if it took the words that only its check refuses, such as names of providers in an\n  test/trees/server.ts:161: /** The names of its virtual hosts, and names that directories are served for; with `MAIN` where a p\n  test/trees/server.ts:185: /** What applies to a URL, in the order in which it is merged; a status where something cannot be re\n  test/trees/server.ts:206: // A file is taken for a directory only where that needs no look at it, because links are followed.\n  test/trees/server.ts:223: // One that is there and cannot be read (ap_parse_htaccess: ap_pcfg_openfile takes no directory).\n  test/trees/server.ts:249: // --- Finding the way -----------------------------------------------------------------------------");
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
