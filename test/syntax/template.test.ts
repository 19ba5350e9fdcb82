/** Template text: which lines have it, in which languages, and which lines are httpd's own. */
import assert from 'node:assert/strict';
import { lexLines, LineKind } from '../../server/src/syntax/line';
import {
  isShellWord,
  mayHaveTemplate,
  Template,
  templateBitsOf,
  TemplateTrait,
} from '../../server/src/syntax/template';
import { Tree } from '../../server/src/syntax/document';
import { corpusFiles } from '../corpus/files';
import { itOver } from '../support/lacks';

/** Lines with an unknown result. */
const STRUCTURE: Readonly<Record<string, readonly string[]>> = {
  'Jinja, Twig, Django, Nunjucks': [
    '{% if open %}',
    '  {%- endif -%}',
    '{% for h in hosts %}',
    '{# a remark #}',
    '{{ extra_lines }}',
    '{% if ssl %}Listen 443{% endif %}',
    '{{ name }} On',
    '# {% if open %}',
    '{%if a%}',
    'Allow from all {% if more %}',
  ],
  'ERB, EPP, EEx': [
    '<% if open %>',
    '<%- } -%>',
    '<%= @fragment %>',
    '<%# a remark %>',
    '<%- | String $port | -%>',
    '  <%if x%>',
    '<% }else{ %>',
  ],
  'Go, Helm, gomplate, confd, consul-template': [
    '{{ if .Open }}',
    '{{- end }}',
    '{{/* a remark */}}',
    '{{- range .Hosts }}',
    '{{ template "x" . }}',
    'Options Indexes {{ if .More }}',
  ],
  'Handlebars, Mustache': ['{{#if open}}', '{{/if}}', '{{^open}}', '{{{raw}}}', '{{> part}}'],
  'Template Toolkit': ['[% IF open %]', '[%- END -%]', '[% INCLUDE part %]'],
  PHP: ['<?php if ($open): ?>', '<?php endif ?>', '<?= $line ?>'],
  m4: [
    "ifdef(`OPEN', `Allow from all', `Deny from all')",
    'dnl a remark',
    "define(`PORT', 80)",
    "', `",
    "')",
    'm4_include(common.m4)',
  ],
  Velocity: ['#if($open)', '#else', '#end', '#set($port = 80)', '#foreach($h in $hosts)', '#{else}'],
  Cheetah: ['#if $open', '#end if', '#for $h in $hosts', '#set $x = 1'],
  Mako: ['% if open:', '% endfor', '<%def name="x()">', '</%def>', '%if x'],
  'Genshi, JSP, HTML::Template, XSLT': [
    '<py:if test="open">',
    '</py:if>',
    '<c:if test="${open}">',
    '<TMPL_IF OPEN>',
    '</TMPL_IF>',
    '<xsl:if test="1">',
  ],
  FreeMarker: ['<#if open>', '</#if>', '<#-- a remark -->', '<@macro x/>'],
  Smarty: ['{if $open}', '{/if}', '{foreach $hosts as $h}', '{else}'],
  'autoconf and relatives': [
    '@IF_OPEN@',
    '@LOAD_MODULES@',
    '__EXTRA__',
    '%EXTRA%',
    '%%EXTRA%%',
    '@IF@Listen 443',
    '#{extra}',
  ],
  cpp: ['#ifdef OPEN', '#endif', '#if defined(OPEN)'],
};

/** Lines with a known name and unknown arguments. */
const VALUE = [
  'Listen {{ port }}',
  '<Directory {{ docroot }}>',
  '<VirtualHost *:<%= port %>>',
  '<Directory "<%= @docroot %>">',
  'ServerName [% name %]',
  'ServerName <?= $name ?>',
  'KeepAlive @KEEPALIVE@',
  'KeepAlive __KEEPALIVE__',
  'ServerRoot "@@ServerRoot@@"',
  'ServerName %HOSTNAME%',
  'Listen %%PORT%%',
  'Listen {{ if .Ssl }}443{{ else }}80{{ end }}',
  'Options {% if a %}Indexes{% else %}None{% endif %}',
  'LoadModule php_module lib@LIBSUFFIX@/php.so',
  'ServerName ##NAME##',
  'Listen #{port}',
  'Listen %(port)s',
  'ServerName {$name}',
  'Allow from {{ range .Nets }}{{ . }} {{ end }}',
  'Listen $$port$$',
  "Listen ifelse(X, `a', 80, 443)",
  'Timeout 30 dnl seconds',
  '# {{ ansible_managed }}',
  'Allow from <%= @nets.join(" ") %>',
  'Timeout {{ timeout | default(30) }}',
  '<VirtualHost {{ip}}:80>',
  'Listen $port$',
];

/** httpd's own. */
const PLAIN = [
  'RewriteCond %{HTTP_HOST} ^www\\.(.+)$ [NC]',
  'RewriteRule ^(.*)$ http://%1/$1 [R=301,L]',
  'RewriteRule ^/(\\d{2,3})/$ /x [L]',
  'LogFormat "%h %l %u %t \\"%r\\" %>s %b" common',
  'LogFormat "<%u> %>s [%t]" x',
  'LogFormat "{%h %{User-Agent}i %>s}" json',
  'LogFormat "{\\"a\\":{\\"b\\":\\"%h\\"}}" json',
  'ErrorLogFormat "[%{u}t] [%-m:%l] [pid %P:tid %T] %7F: %E: [client\\ %a] %M% ,\\ referer\\ %{Referer}i"',
  'ErrorLog ${APACHE_LOG_DIR}/error.log',
  'CustomLog "|/usr/bin/rotatelogs /logs/access.%Y.%m.%d 86400" common',
  'CustomLog "|rotatelogs /logs/access_%Y%m%d-%H%M%S 86400" common',
  'Listen [::1]:80',
  'ServerAdmin webmaster@example.org',
  'ServerAdmin you@example.com # me@example.org',
  '# Listen 80',
  '#Listen 80',
  '#LoadModule x_module modules/x.so',
  '#Include conf/extra/x.conf',
  '#<IfModule x>',
  '# if you want this, say so',
  '# for the others',
  '# end',
  'RewriteRule ^a%20b$ /c%2Fd%2F [NE]',
  'Redirect /x http://h/%E2%80%9C%D0%BF%D1%80',
  'RewriteCond %{QUERY_STRING} [%0-9a-f]{2}',
  'SetEnvIf User-Agent "[[:alpha:]]+" x',
  'SetEnvIf Request_URI "__utm" x',
  'SecRule ARGS "@rx ^[a-z]+$" "deny"',
  'SecRule &REQUEST_HEADERS:Host "@eq 0"',
  '<If "%{REQUEST_URI} =~ m#^/x#">',
  '<Macro host $name $port>',
  'ServerName $name',
  'Use host %name @port',
  'RewriteRule ^/(?!x/)(.*)$ /$1',
  'ProxyPassMatch ^/(.*\\.php(/.*)?)$ fcgi://h/$1',
  'Header set X "%D %t"',
  'RewriteCond {REQUEST_URI} ^/x',
  'IndexIgnore .??* *~ *# HEADER* README*',
  '<FilesMatch "\\.(cgi|shtml)$">',
  '<Files ~ "^\\.ht">',
  'AddDescription "<b>x</b>" *.x',
  'BrowserMatch "MSIE [2-6]" nokeepalive',
  'ErrorDocument 404 "<h1>No</h1>"',
  'SSLCipherSuite ALL:!ADH:!EXPORT',
  'SetEnvIf X "^\\{\\{" y',
  'ErrorDocument 500 "$"',
  'RewriteRule ^(.*\\.php)$ $1',
  'RewriteMap lc int:tolower',
  'RewriteRule . ${lc:%{HTTP_HOST}}',
];

describe('template text', () => {
  for (const [language, lines] of Object.entries(STRUCTURE)) {
    for (const line of lines) it(`${language}: ${line}`, () => assert.equal(classOf(line), Template.Structure));
  }
  for (const line of VALUE) it(`a value: ${line}`, () => assert.equal(classOf(line), Template.Value));
  for (const line of PLAIN) it(`plain: ${line}`, () => assert.equal(classOf(line), Template.None));

  it('a glance at the whole text passes over nothing', () => {
    for (const line of [...Object.values(STRUCTURE).flat(), ...VALUE])
      assert.ok(mayHaveTemplate(`Listen 80\n  ${line}\nListen 81\n`), line);
  });

  it('a glance passes over nothing, whatever stands in front of it and behind it', () => {
    const blanks = ['\0', '\x01', '\t', '\v', '\f', '\r', ' ', '\x1f', '\x7f', '\xa0', '\u2028', '\u3000', '\uFEFF'];
    for (const line of [
      "'",
      '`,',
      'dnl',
      'm4_x',
      'define(x)',
      '#if defined',
      '% if a',
      '{if a}',
      '[$ x',
      '$if x$',
      'x',
    ])
      for (const before of ['', ...blanks])
        for (const behind of ['', ...blanks]) {
          const text = `${before}${line}${behind}\n`;
          for (const around of [text, `Listen 80\n${text}Listen 81\n`, `Listen 80 \\\n${text}`])
            assert.ok(mayHaveTemplate(around) || templateBitsOf(text) === 0, JSON.stringify(around));
        }
  });

  it('a tag may go on in the next line', () => {
    for (const line of ['<%', '<%- |', '{#', '{{/* a', '<?php', '[%', 'Allow from <%= [1,', '{% set x = ['])
      assert.ok((templateBitsOf(line) & TemplateTrait.Dangling) !== 0, line);
    for (const line of ['<% if x %>', 'LogFormat "<%u" x', 'LogFormat "[% "', 'SetEnvIf X "{{" y', 'SetEnvIf X "{#" y'])
      assert.equal(templateBitsOf(line) & TemplateTrait.Dangling, 0, line);
  });

  it('tags are no sections, and what stands between them stays where it is', () => {
    const tree = Tree.parse(
      '<% if a %>\n<Directory /srv>\n<py:if test="x">\nAllow from all\n</py:if>\n</Directory>\n<% end %>\n',
    );
    assert.equal(tree.root.looseTagCount, 0);
    assert.equal(tree.root.depth, 1);
    assert.equal(tree.root.branchLineCount, 4);
    assert.deepEqual(
      lexLines('<% if a %>\n</%def>\n<?php x ?>\n').map(({ kind, name }) => [kind, name]),
      [
        [LineKind.Directive, '%'],
        [LineKind.Directive, '%def>'],
        [LineKind.Directive, '?php'],
      ],
    );
  });

  it('sums follow edits', () => {
    const tree = Tree.parse('<Directory /srv>\nAllow from all\n</Directory>\n');
    const at = tree.text().indexOf('Allow');
    const edited = tree.edit(at, at, '{% if x %}\nListen {{ y }}\n');
    assert.deepEqual([edited.root.templateLineCount, edited.root.branchLineCount], [2, 1]);
    const back = edited.edit(at, at + '{% if x %}\nListen {{ y }}\n'.length, '');
    assert.deepEqual([back.root.templateLineCount, back.root.branchLineCount], [0, 0]);
  });

  it("a shell's words", () => {
    for (const word of ['$KEEPALIVE', '"$(hostname -f)"', '`hostname`', '$!server.name', '${port}'])
      assert.ok(isShellWord(word), word);
    for (const word of ['/$1', '$1', '"|/bin/a `date`"', '$text/html', '^/a$', '15$unit'])
      assert.ok(!isShellWord(word), word);
  });

  itOver('corpus', 'no line of a plain file of the corpus is taken for it', () => {
    const seen = corpusFiles()
      .filter(({ text }) => Tree.parse(text).root.templateLineCount > 0)
      .map(({ path }) => path.replace(/@[0-9a-f]+\//, ''));
    assert.deepEqual(
      [...new Set(seen)].filter((file) => !TEMPLATES.some((known) => known.test(file))),
      [],
    );
  });
});

/** Files of the corpus that are templates: each was looked at. */
const TEMPLATES = [
  /\.conf\.in$/,
  /^apache\+httpd\/.*(conf-dist|highperformance-std\.conf|httpd-win\.conf)$/,
  /^cobbler\+cobbler\/config\/(apache\/)?cobbler(_web)?\.conf$/,
  /^dmwm\+deployment\/phedex\/httpd-datasvc\.conf$/,
  /^h5bp\+server-configs-apache\/bin\/setup\/2\.[24]\.conf$/,
  /^turnkeylinux\+common\/overlays\/rails\/etc\/apache2\/(conf|sites-available)\/rails(\.conf)?$/,
  /^wikimedia\+operations-puppet\/modules\/gerrit\/files\/apache2\/gerrit-conf$/,
];

function classOf(line: string): Template {
  return templateBitsOf(`  ${line}\n`) & (Template.Value | Template.Structure);
}
