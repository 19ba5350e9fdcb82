/** The arguments of the current directive; the current one is in braces. `|` is the cursor. */
import assert from 'node:assert/strict';
import type { MarkupContent, SignatureHelp } from 'vscode-languageserver-types';
import { signatureHelp } from '../../server/src/features/signature-help';
import { Tree } from '../../server/src/syntax/document';

describe('signature help', () => {
  shows('Listen |', 'Listen {address} [protocol]');
  shows('Listen 443 |', 'Listen address {[protocol]}');
  shows('Listen 4|43', 'Listen {address} [protocol]');
  shows('LoadModule alias_module |', 'LoadModule module {filename}');
  shows('ServerAlias a b c |', 'ServerAlias {hostname …}');
  shows('Alias /a |', 'Alias [URL-path] {file-path}');
  shows('Header |', 'Header {[condition]} action header value [condition]');
  shows('Header always |', 'Header [condition] {action} header value [condition]');
  shows('Header set |', 'Header [condition] action {header} value [condition]');
  shows('Header always set X-A |', 'Header [condition] action header {value} [condition]');
  shows('Header set X-A "b c" |', 'Header [condition] action header value {[condition]}');
  shows('AddType text/html |', 'AddType media-type {extension …}');
  shows('AddType text/html .a .b |', 'AddType media-type {extension …}');
  shows('CustomLog "logs/a|"', 'CustomLog {file-or-pipe} format [env=variable|expr=expression]');
  shows('<VirtualHost |', '<VirtualHost {address …}>');
  shows('<Directory "|">', '<Directory [~] {directory-path}>');
  shows('listen \\\n  |', 'Listen {address} [protocol]');
  shows('RewriteRule ^a$ b [|]', 'RewriteRule Pattern Substitution {[flags]}');

  it('shows each form, and says which one it is', () => {
    const { signatures, activeSignature } = help('Require ip |')!;
    assert.ok(signatures.length > 3);
    assert.match(signatures[activeSignature!].label, /^Require \[not\] ip address/);
  });

  it('says what the words mean', () => {
    const { signatures, activeParameter } = help('SSLVerifyClient |')!;
    assert.match(text(signatures[0].parameters![activeParameter!].documentation), /^- `\w+`: .*\n- `/);
    assert.equal(help('Options |')!.signatures[0].parameters![0].documentation, undefined, 'not where there are many');
    assert.match(text(signatures[0].documentation), /\w/);
  });

  it('says which numbers there are', () => {
    const { signatures } = help('LimitRequestFields |')!;
    assert.match(text(signatures[0].parameters![0].documentation), /^0 to \d+\./);
  });

  it('shows what 2.2 took where 2.4 has nothing', () => {
    assert.match(help('NameVirtualHost |')?.signatures[0].label ?? '', /^NameVirtualHost /);
    assert.match(help('RewriteLog |')?.signatures[0].label ?? '', /^RewriteLog /);
  });

  for (const source of [
    'Listen|',
    '|',
    '# Listen |',
    'NoSuch |',
    '</Directory |',
    'Listen 80 http more |',
    'Perl\n|',
  ]) {
    it(`is silent at ${JSON.stringify(source)}`, () => assert.equal(help(source), null));
  }
});

function help(source: string): SignatureHelp | null {
  return signatureHelp(Tree.parse(source.replace('|', '')), source.indexOf('|'));
}

function shows(source: string, expected: string): void {
  it(`at ${JSON.stringify(source)}`, () => {
    const found = help(source);
    assert.ok(found);
    const { label, parameters } = found.signatures[found.activeSignature ?? 0];
    const [start, end] = parameters![found.activeParameter!].label as [number, number];
    assert.equal(`${label.slice(0, start)}{${label.slice(start, end)}}${label.slice(end)}`, expected);
  });
}

function text(documentation: string | MarkupContent | undefined): string {
  return typeof documentation === 'string' ? documentation : (documentation?.value ?? '');
}
