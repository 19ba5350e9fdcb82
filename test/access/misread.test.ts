/** Lines by which a server can only be 2.4's, and what fixes write, which must not count among them. */
import assert from 'node:assert/strict';
import { tellsOf24, WRITTEN_BY_FIXES } from '../../server/src/access/misread';
import { ALL_RULES } from '../../server/src/rules/all';
import { DEFAULTS } from '../../server/src/rules/changed-defaults';
import { Tree } from '../../server/src/syntax/document';

const told = (text: string) => tellsOf24(Tree.parse(text))?.line.text.trim() ?? null;

describe('a line that 2.2 does not start with', () => {
  it('is found at the top and in sections, under no condition', () => {
    assert.equal(told('Listen 80\nProtocols http/1.1\n'), 'Protocols http/1.1');
    assert.equal(told('<VirtualHost *>\n<If "true">\n</If>\n</VirtualHost>\n'), '<If "true">');
    for (const text of [
      'Listen 80\nOrder allow,deny\n',
      '<IfVersion >= 2.4>\nProtocols http/1.1\n</IfVersion>\n',
      '<IfModule mod_http2.c>\nH2Direct on\n</IfModule>\n',
      '# Protocols http/1.1\n',
      'Use Site a\nProxyHTMLEnable On\nRemoteIPHeader X\nNobodyKnowsThis 1\n',
    ])
      assert.equal(told(text), null, text);
  });

  it('is none that a fix writes: whoever has taken some of them is on the way from 2.2', () => {
    const written = [
      ...ALL_RULES.flatMap(({ examples }) =>
        examples.flatMap(({ before, after = '' }) => {
          const known = new Set(before.split('\n').map((line) => line.trim()));
          return after.split('\n').filter((line) => !known.has(line.trim()));
        }),
      ),
      ...DEFAULTS.flatMap(({ keep }) => keep ?? []),
    ];
    assert.deepEqual(
      written.filter((line) => told(`${line}\n`) !== null),
      [],
    );
    for (const name of WRITTEN_BY_FIXES) assert.equal(told(`${name} x\n`), null);
  });
});
