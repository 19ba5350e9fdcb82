/** The hover of a Use and of a macro's name shows what the Use brings in. */
import assert from 'node:assert/strict';
import type { MarkupContent } from 'vscode-languageserver-types';
import { DEFAULT_TARGET } from '../../../server/src/config/target';
import { hover } from '../../../server/src/features/hover/hover';
import { marked } from '../support';

/** Under the mark stands, among other things, a block with these lines; null for none. */
function shows(title: string, source: string, block: string | null): void {
  it(title, () => {
    const { tree, at } = marked(source);
    const text = (hover(tree, at[0], DEFAULT_TARGET)?.contents as MarkupContent | undefined)?.value ?? '';
    assert.equal(/Brings in:\n\n```apacheconf\n([^]*?)\n```/.exec(text)?.[1] ?? null, block);
  });
}

describe('hover on a Use', () => {
  const macros =
    '<Macro Site $name>\n    # one\n    <VirtualHost *:80>\n        ServerName $name.example.org\n    </VirtualHost>\n</Macro>\n<Macro Both $a @b>\n    Use Site $a\n    ServerAdmin @b\n</Macro>\n';
  shows('on its name', `${macros}U$0se Site www\n`, '<VirtualHost *:80>\nServerName www.example.org\n</VirtualHost>');
  shows(
    'on the name of the macro, with macros in it',
    `${macros}Use Bo$0th www "me@example.org"\n`,
    '<VirtualHost *:80>\nServerName www.example.org\n</VirtualHost>\nServerAdmin "me@example.org"',
  );
  shows('not on an argument', `${macros}Use Site ww$0w\n`, null);
  shows('not where the server refuses it', `${macros}U$0se Site\n`, null);
  shows('not where nobody knows the macro', 'U$0se Site www\n', null);
});
