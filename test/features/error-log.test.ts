/**
 * A log of a real httpd 2.4.71 with all of its modules, made to log more than 500 kinds of lines
 * (error-log.tsv: the title of the page, or `?` and the title of an answer "not known"; then the
 * line, with `⏎` for its end).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { serverMessages } from '../../server/src/directives/messages';
import { explain, explainLine } from '../../server/src/features/explain';
import { parseLogLine } from '../../server/src/features/log-line';
import { LogReader } from '../../server/src/features/log-summary';
import { ALL_RULES } from '../../server/src/rules/all';
import { thirdPartyAdvice } from '../../server/src/rules/third-party-module';
import { repositoryRoot } from '../support/paths';

const rules = ALL_RULES.map(({ id, title }) => ({ id, title, page: () => title }));
const options = { rules, adviceFor: thirdPartyAdvice };
const ROWS = readFileSync(path.join(repositoryRoot, 'test/features/error-log.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((row) => {
    const [title = '', line = ''] = row.split('\t');
    return { title, line: line.replaceAll('⏎', '\n') };
  });
/** mod_cgid puts words of the system under this code. */
const OTHER_WORDS = new Set(['AH01241']);

/**
 * Cut by the log, words of the person who wrote an Error line, or a message with a page of its own.
 */
const OTHERWISE_CLEAR = /^(?:Syntax erro$|stop here$|Error:\\tApache has not been designed)/;

describe('a log of a real server', () => {
  for (const { title, line } of ROWS)
    it(line.slice(0, 120), () => {
      const parsed = parseLogLine(line);
      const found = explainLine(parsed, line, options);
      assert.equal(`${found.isUnknown ? '?' : ''}${found.title}`, title);
      if (found.isUnknown) {
        if (parsed.level !== undefined) assert.ok(found.markdown.includes(`\`${parsed.level}\``), found.markdown);
        assert.ok(found.markdown.includes('does not know'), found.markdown);
      } else if (/^AH\d+$/.test(found.title) && !OTHER_WORDS.has(found.title)) {
        const { text } = serverMessages().find(({ code }) => code === found.title)!;
        assert.match(oneSpace(parsed.message), wordsOf(text), 'the words of the page are those of the line');
      }
      assert.match(found.markdown, /\*\*What to do:\*\*/);
    });

  it('is answered alike without the lead of a line: what httpd rejects, and OpenSSL', () => {
    const different = ROWS.flatMap(({ title, line }) => {
      const { file, message } = parseLogLine(line);
      if (title.startsWith('?') || OTHERWISE_CLEAR.test(message)) return [];
      if (file === undefined && !message.startsWith('SSL Library Error: ')) return [];
      const found = explain(message, options);
      const ours = 'markdown' in found ? `${found.isUnknown ? '?' : ''}${found.title}` : 'nothing';
      return ours === title ? [] : [`${message}: ${ours} instead of ${title}`];
    });
    assert.deepEqual(different, []);
  });

  it('is answered as a whole, each kind once', () => {
    const reader = new LogReader(options);
    for (const { line } of ROWS) for (const one of line.split('\n')) reader.readLine(one);
    const { lines, kinds } = reader.summary();
    assert.equal(
      lines,
      ROWS.reduce((sum, { line }) => sum + line.split('\n').length, 0),
    );
    assert.ok(kinds.length > 400, String(kinds.length));
    const unknown = ROWS.filter(({ title }) => title.startsWith('?')).length;
    assert.equal(
      kinds.filter(({ isKnown }) => !isKnown).reduce((sum, { count }) => sum + count, 0),
      unknown,
    );
  });
});

/** The fixed parts of a text in their order. */
function wordsOf(text: string): RegExp {
  const parts = oneSpace(text)
    .replace(/^…: /, '')
    .split('…')
    .map((part) => part.replace(/[\s.:!]+$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.*'), 'is');
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ');
}
