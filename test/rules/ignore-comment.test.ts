/** ignore-comment: comments that silence nothing, and names of rules that there are not. */
import assert from 'node:assert/strict';
import { Engine, checkCounts } from '../../server/src/analysis/engine';
import { ruleSetCounts as ignored } from '../../server/src/analysis/ignored';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { findingsIn, fixed } from '../support/rules';

const RULE = { rule: 'ignore-comment' };

describe('ignore-comment', () => {
  unused('a line with nothing to silence', '# httpd-upgrade-ignore max-clients\nListen 80\n', 'Listen 80\n');
  unused(
    'a rule that has something to say of another line only',
    '# httpd-upgrade-ignore max-clients\nListen 80\nMaxClients 1\n',
    'Listen 80\nMaxClients 1\n',
  );
  unused(
    'a section without such lines',
    '# httpd-upgrade-ignore max-clients: x\n<IfModule worker.c>\nListen 80\n</IfModule>\n',
    '<IfModule worker.c>\nListen 80\n</IfModule>\n',
  );
  unused('a blank line between', '# httpd-upgrade-ignore max-clients\n\nMaxClients 1\n', '\nMaxClients 1\n');
  unused(
    'above a closing tag',
    '<IfModule a.c>\n# httpd-upgrade-ignore max-clients\n</IfModule>\nMaxClients 1\n',
    '<IfModule a.c>\n</IfModule>\nMaxClients 1\n',
  );
  unused('at the end of the file', 'Listen 80\n# httpd-upgrade-ignore max-clients', 'Listen 80\n');
  unused(
    'indented, in odd case, with CR LF',
    '\t# HTTPD-Upgrade-Ignore Max-Clients: x\r\nListen 80\r\n',
    'Listen 80\r\n',
  );
  unused(
    'a second comment for the same that is in the way of none',
    '# httpd-upgrade-ignore keep-alive-value\n# httpd-upgrade-ignore max-clients\nMaxClients 1\n',
    '# httpd-upgrade-ignore max-clients\nMaxClients 1\n',
  );
  unused(
    'the first of several',
    '# httpd-upgrade-ignore keep-alive-value , max-clients: x\nMaxClients 1\n',
    '# httpd-upgrade-ignore max-clients: x\nMaxClients 1\n',
  );
  unused(
    'the last of several',
    '# httpd-upgrade-ignore max-clients, keep-alive-value: x\nMaxClients 1\n',
    '# httpd-upgrade-ignore max-clients: x\nMaxClients 1\n',
  );

  used('the line below', '# httpd-upgrade-ignore max-clients\nMaxClients 1\n');
  used('the line below other comments', '# httpd-upgrade-ignore max-clients\n# why\nMaxClients 1\n');
  used(
    'a line in the section below',
    '# httpd-upgrade-ignore max-clients\n<IfModule worker.c>\n<IfModule x.c>\nMaxClients 1\n</IfModule>\n</IfModule>\n',
  );
  used(
    'what a section says as a whole',
    '# httpd-upgrade-ignore order-allow-deny\n<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n',
  );
  used(
    'a line of what a section says',
    '<Directory /srv>\n# httpd-upgrade-ignore order-allow-deny\nOrder allow,deny\nAllow from all\n</Directory>\n',
  );
  used('what the file says as a whole', '# httpd-upgrade-ignore order-allow-deny\nOrder allow,deny\n');
  used('a broken tag', '# httpd-upgrade-ignore section-unpaired\n<Directory /srv>\nListen 80\n');
  used('a line that is continued', '# httpd-upgrade-ignore max-clients\nMaxClients \\\n 1\n');
  used(
    'text that is not there for 2.4, of which nobody knows',
    '<IfVersion < 2.4>\n# httpd-upgrade-ignore max-clients\nListen 80\n</IfVersion>\n',
  );
  used(
    'a section that is not there for 2.4',
    '# httpd-upgrade-ignore max-clients\n<IfVersion < 2.4>\nListen 80\n</IfVersion>\n',
  );
  used(
    'the end of text that is not there',
    '<IfVersion < 2.4>\nListen 80\n# httpd-upgrade-ignore max-clients\n</IfVersion>\n',
  );
  used('another language', '<Perl>\n# httpd-upgrade-ignore max-clients\n$x = 1;\n</Perl>\n');
  used('a rule about configurations', '# httpd-upgrade-ignore missing-module\nListen 80\n');
  used('a comment that only mentions it', '# see httpd-upgrade-ignore max-clients\nListen 80\n');

  it('says nothing of a rule that is switched off', () => {
    assert.deepEqual(
      idsOf('# httpd-upgrade-ignore max-clients\nListen 80\n', { severities: { 'max-clients': 'off' } }),
      [],
    );
  });

  it('can be switched off', () => {
    assert.deepEqual(
      idsOf('# httpd-upgrade-ignore max-clients\nListen 80\n', { severities: { 'ignore-comment': 'off' } }),
      [],
    );
  });

  it('an unused one is a hint and faded, an unknown one a warning with what was meant', () => {
    const [unusedOne, unknownOne] = findingsIn('# httpd-upgrade-ignore max-clients, max-cleints\nListen 80\n', RULE);
    assert.deepEqual([unusedOne.messageId, unusedOne.severity, unusedOne.tag], ['unused', 'hint', 'unnecessary']);
    assert.deepEqual([unknownOne.messageId, unknownOne.severity, unknownOne.tag], ['unknown', 'warning', undefined]);
    assert.match(
      unknownOne.message,
      /^`# httpd-upgrade-ignore`: there is no rule max-cleints[^]*Did you mean max-clients/,
    );
    assert.deepEqual(unknownOne.fixes.map(({ title, safety }) => `${title} (${safety})`).slice(0, 1), [
      'Change max-cleints to max-clients (suggestion)',
    ]);
  });

  it('what is silenced stays silenced, and is not fixed', () => {
    const text = '# httpd-upgrade-ignore max-clients\nMaxClients 1\n';
    assert.deepEqual(findingsIn(text), []);
    assert.equal(fixed(text, { unsafe: true }), text);
  });

  it('costs the same in any file', () => {
    const cost = (lines: number) => {
      const text = `${'MaxClients 1\n'.repeat(lines)}# httpd-upgrade-ignore max-clients\n<IfModule a.c>\n${'MaxRequestsPerChild 1\n'.repeat(lines)}</IfModule>\n`;
      const engine = new Engine({ rules: ALL_RULES });
      const tree = Tree.parse(text);
      engine.analyze(tree, { isHtaccess: false }).findings(10);
      const before = { checks: checkCounts.checks, sets: ignored.sets };
      const at = text.lastIndexOf('MaxRequestsPerChild');
      const found = engine.analyze(tree.edit(at, at + 1, 'm'), { isHtaccess: false }).findings(Infinity, 0, 0);
      assert.equal(found.length, 1);
      return { checks: checkCounts.checks - before.checks, sets: ignored.sets - before.sets };
    };
    const [small, large] = [cost(100), cost(10_000)];
    assert.equal(large.checks, small.checks, 'rules run');
    // A tree of a hundred times as many lines has two levels more.
    assert.ok(
      large.sets > 0 && large.sets <= small.sets + 2,
      `sets put together: ${large.sets} in the large file, ${small.sets} in the small one`,
    );
  });
});

function idsOf(text: string, asked = {}): string[] {
  return findingsIn(text, { ...RULE, ...asked }).map(({ messageId }) => messageId);
}

function unused(title: string, text: string, after: string): void {
  it(`finds what silences nothing: ${title}`, () => {
    assert.deepEqual(idsOf(text), ['unused']);
    assert.equal(fixed(text, RULE), after);
  });
}

function used(title: string, text: string): void {
  it(`says nothing of what silences, or may: ${title}`, () => assert.deepEqual(idsOf(text), []));
}
