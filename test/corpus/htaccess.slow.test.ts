/**
 * The .htaccess files of the corpus in folders of a running 2.4 with AllowOverride All: a 500 after
 * `fix --write` comes from the machine, or is reported for manual work, or is in start.tsv.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { requireHttpd, serve } from '../httpd/harness';
import { describeOver } from '../support/lacks';
import { corpusFiles } from './files';
import { ELSEWHERE, FOREIGN, listed, withoutMachine } from './real-server';

/** Complaints of one file after which something is wrong with the search. */
const MOST = 40;

describeOver('corpus', '.htaccess files of the corpus on a real httpd', function () {
  this.timeout(900_000);

  before(function () {
    requireHttpd(this);
  });

  it('after safe fixes: what is answered 500 is known, or reported', async () => {
    const engine = new Engine({ rules: ALL_RULES });
    const files = corpusFiles().filter(({ kind }) => kind === 'htaccess');
    assert.ok(files.length > 50, `${files.length} files`);
    const folders = Object.fromEntries(files.map((_, index) => [`htdocs/${index}/index.html`, 'x']));
    const server = await serve('<Directory "@ROOT@/htdocs">\nAllowOverride All\n</Directory>\n', { files: folders });
    const open: string[] = [];
    try {
      for (const [index, file] of files.entries()) {
        const fixed = fixText(engine, file.text, { isHtaccess: true }).text;
        const findings = engine.analyze(Tree.parse(fixed), { isHtaccess: true }).findings();
        const reported = new Set(
          findings
            .filter(({ severity }) => severity === 'error')
            .map(({ start }) => /^\S*/.exec(lineAround(fixed, start).trim())![0].toLowerCase()),
        );
        const lines = withoutMachine(fixed).split('\n');
        for (let i = 0; ; i++) {
          writeFileSync(path.join(server.root, `htdocs/${index}/.htaccess`), lines.join('\n'));
          await server.request({ path: `/${index}/` });
          const message = complaint(server.errorLog(), index);
          if (message === null) break;
          const at = i < MOST ? culprit(lines, message) : -1;
          if (at < 0) {
            // The message names no directive, so the rest of this file cannot be checked.
            const isKnown =
              ELSEWHERE.test(message) ||
              FOREIGN.test(message) ||
              [...listed().keys()].some((key) => key.startsWith(`${file.path}\t`));
            if (!isKnown) open.push(`${file.path}: ${message}`);
            break;
          }
          const name = /^\s*(\S*)/.exec(lines[at])![1];
          const isKnown =
            ELSEWHERE.test(message) ||
            FOREIGN.test(message) ||
            listed().has(`${file.path}\t${name}`) ||
            reported.has(name.toLowerCase());
          if (!isKnown) open.push(`${file.path}: ${message}`);
          while (/\\\r?$/.test(lines[at])) lines.splice(at, 1);
          lines[at] = '';
        }
      }
    } finally {
      await server.stop();
    }
    assert.deepEqual(open, []);
  });
});

let seen = 0;

/** What the log says of the last request; null where it read the .htaccess. */
function complaint(log: string, index: number): string | null {
  const news = log.slice(seen);
  seen = log.length;
  const match = [...news.matchAll(/\/htdocs\/(\d+)\/\.htaccess: (.*)/g)].at(-1);
  assert.ok(!match || Number(match[1]) === index);
  return match ? match[2].replace(/, referer: .*$/, '') : null;
}

/**
 * The first line with the directive that a message names, which has no line number: it is what the
 * message begins with, or quotes.
 */
function culprit(lines: readonly string[], message: string): number {
  const words = message
    .split(/[\s,:'"]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase().replace(/>$/, ''));
  for (const word of words) {
    const index = lines.findIndex((line) => /^\s*(\S+)/.exec(line)?.[1].toLowerCase().replace(/>$/, '') === word);
    if (index >= 0) return index;
  }
  return -1;
}

function lineAround(text: string, offset: number): string {
  return text.slice(
    text.lastIndexOf('\n', offset - 1) + 1,
    text.indexOf('\n', offset) < 0 ? text.length : text.indexOf('\n', offset),
  );
}
