/**
 * Access control in templates. The file is not the text that the server reads, so nothing is
 * converted.
 */
import assert from 'node:assert/strict';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { reasonText } from '../../server/src/access/not-converted';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { planAccessConversion } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { readConfiguration } from '../../server/src/config/configuration';
import { findingsIn } from '../support/rules';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/srv/conf/httpd.conf';
const HEAD = 'ServerRoot /srv\nDocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n';

/** What decides which of two lines the server reads. */
const BRANCHES: readonly (readonly [string, string, string, string])[] = [
  ['Jinja', '{% if open %}', '{% else %}', '{% endif %}'],
  ['ERB', '<% if @open %>', '<% else %>', '<% end %>'],
  ['EPP', '<%- if $open { -%>', '<%- } else { -%>', '<%- } -%>'],
  ['Go', '{{ if .Open }}', '{{ else }}', '{{ end }}'],
  ['Handlebars', '{{#if open}}', '{{else}}', '{{/if}}'],
  ['Template Toolkit', '[% IF open %]', '[% ELSE %]', '[% END %]'],
  ['PHP', '<?php if ($open): ?>', '<?php else: ?>', '<?php endif ?>'],
  ['m4', "ifdef(`OPEN', `", "', `", "')"],
  ['Velocity', '#if($open)', '#else', '#end'],
  ['Mako', '% if open:', '% else:', '% endif'],
  ['FreeMarker', '<#if open>', '<#else>', '</#if>'],
  ['Smarty', '{if $open}', '{else}', '{/if}'],
  ['Genshi', '<py:if test="open">', '</py:if>', '<py:if test="x"></py:if>'],
  ['@IF@', '@IF_OPEN@', '@ELSE@', '@FI@'],
  ['a language that nobody knows', 'WHEN open', 'OTHERWISE', 'DONE'],
];

describe('access control in templates', () => {
  for (const [language, first, second, last] of BRANCHES) {
    const section = `<Directory /srv/www>\n${first}\nOrder allow,deny\nAllow from all\n${second}\nOrder allow,deny\nDeny from all\n${last}\n</Directory>\n`;

    it(`${language}: a section with branches has no fix`, () => {
      for (const text of [section, HEAD + section]) {
        for (const assumeStandalone of [false, true]) assert.deepEqual(fixesIn(text, assumeStandalone), []);
      }
    });

    it(`${language}: nothing of its configuration is converted`, () => {
      const { convertedCount, refusals } = plan({ [MAIN]: HEAD + section });
      assert.equal(convertedCount, 0);
      assert.equal(refusals.length, 1);
    });

    if (language.startsWith('a language')) continue;
    it(`${language}: a section in a branch has no fix either, nor has one beside it`, () => {
      const plain = '<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      const text = `${first}\n${plain}${second}\n${last}\n${plain}`;
      assert.deepEqual(fixesIn(text, true), []);
      assert.equal(plan({ [MAIN]: HEAD + text }).convertedCount, 0);
    });
  }

  it('a value that a template fills in is not read as an operand', () => {
    for (const line of [
      'Allow from {{ nets }}',
      'Allow from <%= @nets %>',
      'Allow from @NETS@',
      'Allow from __NETS__',
      'Order {{ order }}',
    ]) {
      const text = `<Directory /srv/www>\nOrder allow,deny\n${line}\n</Directory>\n<Directory /srv/b>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
      assert.deepEqual(fixesIn(text, true), [], line);
      assert.equal(plan({ [MAIN]: HEAD + text }).refusals.length >= 1, true, line);
    }
  });

  it('lines are not merged across a line with a placeholder', () => {
    assert.deepEqual(
      fixesIn('<Directory /srv/www>\nOrder allow,deny\nSetEnv A {{ a }}\nAllow from all\n</Directory>\n', true),
      [],
    );
  });

  it('values that have no say leave the conversion to a person', () => {
    const text =
      '<VirtualHost *:{{ port }}>\nServerName {{ name }}\n<Directory {{ docroot }}>\nOptions {{ options }}\nOrder allow,deny\nAllow from all\n</Directory>\n</VirtualHost>\n';
    assert.deepEqual(fixesIn(text, true), ['suggestion']);
    const { convertedCount, openQuestions } = plan({
      [MAIN]: `${HEAD}ServerName {{ name }}\n<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n`,
    });
    assert.deepEqual([convertedCount, openQuestions], [1, []]);
  });

  it('a value that may affect a configuration is an open question of its own', () => {
    for (const line of [
      'Alias /x {{ x }}',
      'Include @conf@/x.conf',
      '<Directory __X__>\nAllowOverride All\n</Directory>',
    ]) {
      const { openQuestions } = plan({
        [MAIN]: `${HEAD}${line}\n<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>\n`,
      });
      assert.ok(
        openQuestions.some(({ kind, scope }) => kind === 'template' && scope === 'inside'),
        line,
      );
    }
  });

  it('hold other files of a repository back, with advice for these files', () => {
    const staticText = '<Location /status>\nOrder deny,allow\nDeny from all\n</Location>\n';
    const template =
      '{% if x %}\n<Directory {{ root }}>\nOrder allow,deny\nAllow from all\n</Directory>\n{% endif %}\n';
    const engine = new Engine({ rules: ALL_RULES });
    const access = accessConversion({
      roots: [],
      standaloneFiles: ['/r/files/a.conf', '/r/vhost.conf.j2'].map((mainFile) => ({ mainFile, engine, server: {} })),
      view: memoryFiles({ '/r/files/a.conf': staticText, '/r/vhost.conf.j2': template }),
    });
    const result = access.resultAt('/r/files/a.conf', staticText.indexOf('Order'));
    assert.ok(result && 'refusal' in result);
    assert.match(
      reasonText(result.refusal),
      /^the template vhost\.conf\.j2 makes a file .* only on the directory of the other files$/,
    );
  });

  it('directives that are not known count, also in a condition that asks for their module', () => {
    const text = (lines: string) => `<Directory /srv/www>\n${lines}\nOrder allow,deny\nAllow from all\n</Directory>\n`;
    assert.deepEqual(fixesIn(text('<IfModule mod_foo.c>\nFooRequireBar\n</IfModule>'), false), []);
    assert.deepEqual(fixesIn(text('<IfModule mod_nss.c>\nNSSRequireSSL\n</IfModule>'), false), ['suggestion']);
    assert.deepEqual(fixesIn(text('FooRequireBar'), false), []);
    assert.deepEqual(fixesIn(text('WSGIScriptReloading On'), false), ['suggestion']);
  });
});

/** The safety of the fixes that the sections have. */
function fixesIn(text: string, assumeStandalone: boolean): string[] {
  const fixes = findingsIn(text, { rule: 'order-allow-deny', assumeStandalone }).map(({ fixes: [fix] }) => fix?.safety);
  return [...new Set(fixes)].filter((safety) => safety !== undefined);
}

function plan(files: Readonly<Record<string, string>>) {
  const view = memoryFiles(files);
  const configuration = readConfiguration({ root: MAIN, view, names: ACCESS_NAMES })!;
  const { files: htaccess, openQuestions } = discoverHtaccess(configuration, view);
  return planAccessConversion(configuration, htaccess, openQuestions);
}
