/**
 * Formatting and rename of odd random files, compared with an independent reader (written again
 * here from server/util.c). HTTPD_UPGRADE_ODD is the number of files; some hundreds by default.
 */
import assert from 'node:assert/strict';
import { textWithEdits as formatted, formatEdits, type FormatOptions } from '../../server/src/features/format';
import { Tree } from '../../server/src/syntax/document';
import { logicalLines } from '../support/logical';
import { applied as renamed, fileSet } from '../support/names';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';

const COUNT = Number(process.env.HTTPD_UPGRADE_ODD ?? rounds(300));

const OPTIONS: readonly FormatOptions[] = [
  { tabSize: 4, insertSpaces: true, alignment: 'keep', insertFinalNewline: true, trimFinalNewlines: true },
  { tabSize: 8, insertSpaces: false, alignment: 'none' },
  { tabSize: 1, insertSpaces: true, alignment: 'keep', trimTrailingWhitespace: false, trimFinalNewlines: true },
];

/**
 * Words of the lines that httpd reads, with the number of the line that each ends in:
 * ap_cfg_getline and ap_getword_conf.
 */
function readByHttpd(text: string): string[] {
  const found: string[] = [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (let index = 0; index < lines.length; index++) {
    // A NUL ends what the string functions see, including a backslash after it.
    const physical = () => lines[index]!.replace(/\0.*$/s, '\0');
    let last = physical();
    let line = last;
    while (/\\\r?$/.test(last) && index + 1 < lines.length) {
      index++;
      last = physical();
      line = line.replace(/\\\r?$/, '') + last;
    }
    line = line.replace(/\0$/, '').replace(/^[ \t\r\f\v]+|[ \t\r\f\v]+$/g, '');
    if (line === '' || line.startsWith('#')) continue;
    const words: string[] = [];
    for (let rest = line; rest !== ''; ) {
      const quoted = /^(["'])((?:\\.|(?!\1).)*)\1?/s.exec(rest);
      const word = quoted ? quoted[0] : /^[^ \t\r\f\v]*/.exec(rest)![0];
      words.push(word);
      rest = rest.slice(word.length).replace(/^[ \t\r\f\v]+/, '');
      if (word === '') break;
    }
    found.push(`${index + 1}: ${words.join('\u0001')}`);
  }
  return found;
}

const WORDS = [
  'a',
  '"b  c"',
  "'d \" e'",
  'f\\ g',
  '"h',
  '${X}',
  '%{REQUEST_URI}',
  '/srv/ä',
  '"\\"q\\"  r"',
  'x=y',
  '#z',
  '\\\\',
  '"',
  '10.0.0.1',
  'é\u00a0è',
  '[R=301,L]',
  '>',
  '<',
];
const NAMES = [
  'Options',
  'SetEnv',
  'RewriteRule',
  'RewriteCond',
  'Require',
  'Header',
  'LoadModule',
  'Foo',
  'ErrorDocument',
  'Alias',
  'Define',
  'Use',
  'SSLCipherSuite',
  'LogFormat',
  'SetEnvIf',
  'AddType',
  '\u00e4\u00f6',
];
const TAGS = [
  'Directory',
  'IfModule',
  'VirtualHost',
  'If',
  'Perl',
  'Macro',
  'Location',
  'RequireAll',
  'Files',
  'Limit',
  'Foo',
  'IfDefine',
  'Lua',
];
const LINES = [
  '# c  \\',
  '#',
  '',
  '  ',
  '{% if x %}',
  '{{ a  }}',
  '<% end -%>',
  '<%= b   %> c',
  '[% FOREACH x %]',
  '@prefix@/x',
  'cat <<EOF',
  'EOF',
  '\0',
  'a\0b',
  'Foo a\rb',
  '\ufeff',
  '\\',
  '</',
  '<',
  '<If "%{A}  ==  \'b  c\'">',
  '<If "a" =~ /b  "c/>',
  '$x = "<Directory>";',
  'my %h = (a   => 1);',
  '#!/bin/sh',
  '\u2028',
  'SetEnv A \\\\',
];

function oddFile(random: Random): string {
  const blank = () => random.pick(['', ' ', '  ', '\t', ' \t ', '    ', '\f', '\u00a0']);
  const gap = () => random.pick([' ', '  ', '\t', '   ', ' \\\n  ', '\\\n', ' \\\r\n\t', '      ']);
  const words = (most: number) => Array.from({ length: random.below(most) }, () => gap() + random.pick(WORDS)).join('');
  const lines = Array.from({ length: 1 + random.below(30) }, () => {
    const end = random.pick(['\n', '\n', '\n', '\r\n', ' \n', '\t\r\n', ' \\\n']);
    switch (random.below(8)) {
      case 0:
        return `${blank()}<${random.pick(TAGS)}${words(3)}${random.pick(['>', ' >', '> x', '', '>>'])}${end}`;
      case 1:
        return `${blank()}</${random.pick(TAGS)}${blank()}>${end}`;
      case 2:
        return `${blank()}${random.pick(LINES)}${end}`;
      case 3:
        return random.below(20) === 0
          ? `${blank()}${random.pick(NAMES)} ${'x '.repeat(4080 + random.below(20))}${end}`
          : '\n';
      default:
        return `${blank()}${random.pick(NAMES)}${words(6)}${end}`;
    }
  });
  return lines.join('').slice(0, random.below(10) === 0 ? -1 : undefined);
}

describe('odd files', function () {
  this.timeout(COUNT * 100);

  it('are formatted once, and read as before', () => {
    const start = seed();
    for (let index = 0; index < COUNT; index++) {
      const text = oddFile(new Random(start + index));
      for (const options of OPTIONS) {
        const context = `HTTPD_UPGRADE_SEED=${start + index} ${JSON.stringify(text).slice(0, 1500)}`;
        const once = formatted(text, formatEdits(Tree.parse(text), options));
        assert.deepEqual(logicalLines(once), logicalLines(text), context);
        assert.deepEqual(readByHttpd(once), readByHttpd(text), context);
        assert.deepEqual(
          formatEdits(Tree.parse(once), options),
          [],
          `${context} => ${JSON.stringify(once).slice(0, 1500)}`,
        );
      }
    }
  });

  it('keep every other name when one gets another', () => {
    const start = seed();
    let count = 0;
    for (let index = 0; index < COUNT * 3; index++) {
      const { parts, at } = namedFile(new Random(start + index));
      const { kind, name } = parts[at] as Name;
      const text = (of: (part: Name) => string) =>
        parts.map((part) => (typeof part === 'string' ? part : of(part))).join('');
      const marked = parts
        .map((part, i) =>
          typeof part === 'string'
            ? part
            : `${i === at ? '$0' : ''}${part.isRegex ? part.name.replaceAll('.', '\\.') : part.name}`,
        )
        .join('');
      const fresh = kind === 'host' ? 'fresh.example.net' : 'fresh_one';
      const answer = renamed(fileSet({ '/etc/httpd/httpd.conf': marked }), fresh);
      if (typeof answer === 'string') continue;
      count++;
      const isSame = (part: Name) =>
        part.kind === kind &&
        (kind === 'map' || kind === 'authn' ? part.name === name : part.name.toLowerCase() === name.toLowerCase());
      assert.equal(
        answer['/etc/httpd/httpd.conf'],
        text((part) =>
          isSame(part)
            ? part.isRegex
              ? fresh.replaceAll('.', '\\.')
              : fresh
            : part.isRegex
              ? part.name.replaceAll('.', '\\.')
              : part.name,
        ),
        `HTTPD_UPGRADE_SEED=${start + index} ${marked}`,
      );
    }
    assert.ok(count > COUNT / 4, `${count} renames`);
  });
});

interface Name {
  readonly kind: string;
  readonly name: string;
  readonly isRegex?: boolean;
}

const NAME_POOL = ['site', 'site', 'site', 'Site', 'site2', 'mysite', 'si_te', 'other'];
const HOST_POOL = [
  'site.example.org',
  'site.example.org',
  'Site.example.org',
  'www.site.example.org',
  'site',
  'xsite.example.org',
];

/** Lines with names: `V@` is one of kind V. What else looks like one is none. */
const NAMED: readonly string[] = [
  'Define V@ 1\n',
  'Define V@\n',
  'UnDefine V@\n',
  '<IfDefine V@>\nListen 80\n</IfDefine>\n',
  '<IfDefine !V@>\n</IfDefine>\n',
  'DocumentRoot "/srv/${V@}/site"\n',
  'ServerAdmin ${V@}@site\n',
  'Alias /${V@}${V@} \\\n  /x/${V@}\n',
  'SetEnv E@ site\n',
  "SetEnvIf Host site 'E@=1' !E@\n",
  'UnsetEnv E@\n',
  'Header set site "%{E@}e site" env=E@\n',
  'RewriteRule ^/site site [E=E@:1,L]\n',
  'RewriteCond %{ENV:E@} =1\n',
  'Require env E@\n',
  'BrowserMatch site E@=site\n',
  'CustomLog logs/site "%{E@}e %{site}i" env=!E@\n',
  '<Macro M@ $x>\nServerAdmin $x\n</Macro>\n',
  'Use M@ y\n',
  'UndefMacro M@\n',
  'Use   "M@" \\\n y\n',
  'LogFormat "%h site" L@\n',
  'CustomLog logs/site L@\n',
  'CustomLog "|site" L@ env=E@\n',
  'RewriteMap map@ int:tolower\n',
  'RewriteRule ^/(.*) /${map@:$1|site}\n',
  'RewriteCond ${map@:%{HTTP_HOST}} site\n',
  '<Proxy balancer://B@>\nBalancerMember http://site:80\n</Proxy>\n',
  'ProxyPass /site balancer://B@/site\n',
  'ProxyPassReverse /site balancer://B@/site\n',
  'FilterDeclare F@\n',
  'FilterProvider F@ INFLATE "true"\n',
  'FilterChain +F@\n',
  'SetOutputFilter F@;DEFLATE\n',
  'AddOutputFilter F@ site\n',
  '<VirtualHost *:80>\nServerName H@\nServerAlias H@ *.site\n</VirtualHost>\n',
  'Redirect /site https://H@/site\n',
  'RewriteCond %{HTTP_HOST} ^R@$ [NC]\n',
  '<If "%{HTTP_HOST} == \'H@\'">\n</If>\n',
  '<AuthnProviderAlias file A@>\n</AuthnProviderAlias>\n',
  'AuthBasicProvider file A@\n',
  '# site ${site} Use site\n',
  'Header set X "site"\n',
  'ErrorDocument 404 "site ${site"\n',
  'SetHandler site\n',
];
const KINDS: Readonly<Record<string, string>> = {
  V: 'variable',
  E: 'environment',
  M: 'macro',
  L: 'format',
  map: 'map',
  B: 'balancer',
  F: 'filter',
  H: 'host',
  R: 'host',
  A: 'authn',
};

function namedFile(random: Random): { parts: (string | Name)[]; at: number } {
  const parts: (string | Name)[] = [];
  while (!parts.some((part) => typeof part !== 'string')) {
    const lines = Array.from({ length: 3 + random.below(14) }, () => random.pick(NAMED));
    for (const line of lines) {
      const isBroken = random.below(4) === 0;
      for (const [, text, kind] of (isBroken ? line.replaceAll('\n', '\r\n') : line).matchAll(
        /(.*?)(?:(map|[VEMLBFHRA])@|$)/gsy,
      )) {
        parts.push(text!);
        if (kind !== undefined)
          parts.push({
            kind: KINDS[kind]!,
            name: random.pick('HR'.includes(kind) ? HOST_POOL : NAME_POOL),
            isRegex: kind === 'R',
          });
      }
    }
  }
  // What stands in a regular expression is written so.
  const names = parts.flatMap((part, index) => (typeof part !== 'string' && !part.isRegex ? [index] : []));
  return names.length === 0 ? namedFile(random) : { parts, at: random.pick(names) };
}
