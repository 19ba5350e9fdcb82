/** Snippets: their texts, and where they are offered. `|` is the cursor. */
import assert from 'node:assert/strict';
import { looksLikeHttpd } from '../../../server/src/directives/recognize';
import { allSnippets } from '../../../server/src/features/completion/snippets';
import { complete, PLAIN, taken } from './support';

const SNIPPETS = allSnippets();

describe('snippets', () => {
  it('have a name of their own and a description', () => {
    assert.equal(new Set(SNIPPETS.map(({ label }) => label)).size, SNIPPETS.length);
    for (const { description } of SNIPPETS) assert.ok(description.length > 10);
  });

  for (const { label, body } of SNIPPETS) {
    it(`${label}: httpd 2.4 with balanced sections`, () => {
      const text = expand(body.join('\n'));
      assert.doesNotMatch(text, /[$][\d{]/);
      assert.doesNotMatch(text, /^\s*(Order|Allow|Deny|Satisfy|NameVirtualHost)\b/m);
      const open: string[] = [];
      for (const [, close, name] of text.matchAll(/^\s*<(\/?)([A-Za-z]+)/gm)) {
        if (close === '') open.push(name);
        else assert.equal(open.pop(), name);
      }
      assert.deepEqual(open, []);
      if (text.includes('\n')) assert.ok(looksLikeHttpd(text), text);
    });
  }

  /** Where, and which of them are offered for what is typed. */
  const PLACES: readonly (readonly [name: string, source: string, offered: readonly string[]])[] = [
    ['at the server level', 'ServerRoot /x\nvhos|', ['vhost', 'vhost-tls']],
    ['not in a virtual host, where none may stand', '<VirtualHost *>\nvhos|\n</VirtualHost>\n', []],
    ['where a directory may stand', '<VirtualHost *>\nlocation-|\n</VirtualHost>\n', ['location-ip']],
    ['not in a directory', '<Directory />\nlocation-|\n</Directory>\n', []],
    ['where access is decided', '<Directory />\nauth-b|\n</Directory>\n', ['auth-basic']],
    ['not among the values of a directive', '<Directory />\nAllowOverride |\n</Directory>\n', []],
    ['not in the middle of a line', 'ServerRoot /x\nvhos| x\n', []],
    ['not on a tag', 'ServerRoot /x\n<vhos|', []],
  ];
  for (const [name, source, offered] of PLACES) {
    it(`are offered ${name}`, () => {
      const labels = complete(source)?.labels ?? [];
      assert.deepEqual(
        labels.filter((label) => SNIPPETS.some((each) => each.label === label)).sort(),
        [...offered].sort(),
      );
    });
  }

  it('are for editors that can fill them in', () => {
    assert.ok(!complete('vhos|', { client: PLAIN })?.labels.includes('vhost'));
  });

  it('write their lines', () => {
    assert.equal(
      taken(complete('ServerRoot /x\nredirect-h|\n')!, 'redirect-https'),
      'ServerRoot /x\n<VirtualHost *:80>\n\tServerName ${1:www.example.org}\n\tRedirect permanent "/" "https://$1/"$0\n</VirtualHost>\n',
    );
  });
});

/** A snippet with its defaults: nested ones first, then the places that repeat them. */
function expand(body: string): string {
  const values = new Map<string, string>();
  const fill = (text: string): string => {
    const next = text
      .replace(/\$\{(\d+)\|([^,|]+)[^}]*\|\}/g, (_, number, first) => (values.set(number, first), first))
      .replace(/\$\{(\d+):((?:[^{}$]|\$(?!\{)|\\.)*)\}/g, (_, number, value) => (values.set(number, value), value))
      .replace(/\$(\d)/g, (whole, number) => values.get(number) ?? (number === '0' ? '' : whole));
    return next === text ? text : fill(next);
  };
  return fill(body).replace(/\\([\\$}])/g, '$1');
}
