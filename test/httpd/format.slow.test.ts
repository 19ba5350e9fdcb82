/**
 * A real httpd has the same messages for a file before and after formatting: that it accepts it, or
 * where it stops and why, and its warnings.
 */
import assert from 'node:assert/strict';
import { textWithEdits, formatEdits } from '../../server/src/features/format';
import { Tree } from '../../server/src/syntax/document';
import { itOver } from '../support/lacks';
import { configTest, requireHttpd, type ConfigVerdict } from './harness';
import { configTestAll } from './config-test';
import { corpusFiles } from './verdict-corpus';

/** Files of which httpd is asked again and again until it has nothing more to say. */
const DEEP = 12;

/** What httpd refuses or reads in a way of its own: each must survive formatting. */
const SAMPLES = [
  'RewriteEngine   On\nRewriteRule   ^/a\\  \\  b   /c   [R=301]\n',
  'RewriteCond   %{X}   "a  b"   [NC]\nRewriteRule   "^/a  b$"  \\\n  /c \\\n [L,\\\nR]\n',
  '<If  "%{QUERY_STRING}   ==  \'a  b\'">\nOptions   None\n</If>\n',
  '<Directory  "/a  b"  >  x\n  Require   expr   %{QUERY_STRING}  ==  \'a  b\'\n\tRequire  not   ip  10\n</Directory>\n',
  '<IfModule   !nope.c  >\n   Listen   8081\n</IfModule>\n',
  'Listen   80800\n',
  'Listen   "8081\nFoo   bar\n',
  '   LogLevel   \\\n   warn   \\\n   nope\n',
  'ServerAdmin   a   b\n',
  '# a \\\nFoo   bar\nServerAdmin  \\\n  b\n',
  'ServerAdmin a\\ \nFoo  b\n',
  '<Macro  m  $a>\n<Location  $a>\nSetEnv   X   "$a  b"\n</Location>\n</Macro>\nUse  m  /x\nUse  m\n',
  '<Directory /a>\nOptions  None\n',
  '</Files>\n\n\n',
  "Define  Q  '\"'\nSetEnv  A  ${Q}x   y${Q}\n",
];

describe('formatting on a real httpd', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  it('changes nothing of what it says of odd lines', async () => {
    await Promise.all(
      SAMPLES.map(async (text) => same(text, text, await configTest(text), await configTest(formatted(text)))),
    );
  });

  itOver('corpus', 'changes nothing of what it says of the corpus', async () => {
    const files = corpusFiles().filter(({ text }) => formatted(text) !== text);
    assert.ok(files.length > 300, `${files.length} files`);
    let accepted = 0;
    await Promise.all(
      files.map(async ({ name, text, isHtaccess }) => {
        const [before, after] = await Promise.all([ask(text, isHtaccess), ask(formatted(text), isHtaccess)]);
        if (before.ok) accepted++;
        same(name, text, before, after);
      }),
    );
    assert.ok(accepted > 50 && accepted < files.length, `${accepted} of ${files.length} accepted`);
  });

  itOver('corpus', 'changes nothing of all that it refuses', async () => {
    const files = corpusFiles().filter(
      ({ text, isHtaccess }) => !isHtaccess && text.length < 20_000 && formatted(text) !== text,
    );
    const some = files.filter((_, index) => index % Math.ceil(files.length / DEEP) === 0);
    await Promise.all(
      some.map(async ({ name, text }) => {
        const [before, after] = await Promise.all([configTestAll(text), configTestAll(formatted(text))]);
        assert.deepEqual(after.map(said), before.map(said), name);
      }),
    );
  });
});

function ask(text: string, isHtaccess: boolean): Promise<ConfigVerdict> {
  return isHtaccess
    ? configTest('<Directory "@ROOT@/htdocs">\nInclude own.conf\n</Directory>\n', { files: { 'own.conf': text } })
    : configTest(text);
}

/** As the command line does it. */
function formatted(text: string): string {
  return textWithEdits(
    text,
    formatEdits(Tree.parse(text), {
      tabSize: 4,
      insertSpaces: true,
      alignment: 'keep',
      insertFinalNewline: true,
      trimFinalNewlines: true,
    }),
  );
}

function same(name: string, text: string, before: ConfigVerdict, after: ConfigVerdict): void {
  const all = ({ ok, error, warnings }: ConfigVerdict) => ({
    ok,
    error: error && said(error),
    warnings: warnings.map(said),
  });
  assert.deepEqual(all(after), all(before), `${name}\n${text.slice(0, 300)}`);
}

/** Folders of a sandbox have names of their own; a line that is quoted has its blanks. */
function said<T extends { message: string }>(message: T): T {
  return { ...message, message: message.message.replace(/httpd-upgrade-test-\w+/g, '').replace(/[ \t]+/g, ' ') };
}
