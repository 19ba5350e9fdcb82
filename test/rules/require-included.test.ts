import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rows = (text: string, more: Readonly<Record<string, string>> = {}) =>
  listed(
    { [ROOT]: `LoadModule macro_module modules/mod_macro.so\n${text}`, ...files(more) },
    { rule: 'require-included' },
  ).map((row) => row.replace('/etc/httpd/conf/', '').replace('error require-included/', '').replace(' none', ''));
const files = (more: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(more).map(([name, text]) => [`/etc/httpd/conf/${name}`, text]));
const dir = (body: string) => `<Directory /x>\n${body}</Directory>\n`;
const all = (body: string) => `<RequireAll>\n${body}</RequireAll>\n`;
const NOT = 'Require not ip 192.0.2.7\n';
const NEGATIVE = { 'a.conf': NOT };
const INCLUDE = 'Include conf/a.conf\n';

describe('require-included', () => {
  it('marks a negative line that no RequireAll of the including file holds', () => {
    assert.deepEqual(rows(dir(INCLUDE), NEGATIVE), ['a.conf:1: not']);
    assert.deepEqual(rows(dir(`Require all granted\n${INCLUDE}`), NEGATIVE), ['a.conf:1: not']);
    assert.deepEqual(rows(dir(`<RequireAny>\nRequire all granted\n${INCLUDE}</RequireAny>\n`), NEGATIVE), [
      'a.conf:1: not',
    ]);
    assert.deepEqual(rows(dir(all(`Require all granted\n<RequireNone>\n${INCLUDE}</RequireNone>\n`)), NEGATIVE), [
      'a.conf:1: not',
    ]);
    assert.deepEqual(rows(dir('Include conf/b.conf\n'), { ...NEGATIVE, 'b.conf': INCLUDE }), ['a.conf:1: not']);
    assert.deepEqual(rows(dir(INCLUDE), { 'a.conf': '<RequireNone>\nRequire ip 192.0.2.7\n</RequireNone>\n' }), [
      'a.conf:1: none',
    ]);
    assert.deepEqual(rows(`<Location /a>\n<If "true">\n${INCLUDE}</If>\n</Location>\n`, NEGATIVE), ['a.conf:1: not']);
  });

  it('marks a RequireAll that gets only negative lines, or none', () => {
    assert.deepEqual(rows(dir(all(INCLUDE)), NEGATIVE), ['httpd.conf:3: only-negative']);
    assert.deepEqual(rows(dir(all(NOT + INCLUDE)), NEGATIVE), ['httpd.conf:3: only-negative']);
    assert.deepEqual(rows(dir(all(NOT + INCLUDE)), { 'a.conf': '# none\n' }), ['httpd.conf:3: only-negative']);
    assert.deepEqual(rows(dir(all(INCLUDE)), { 'a.conf': '# none\n' }), ['httpd.conf:3: empty']);
    assert.deepEqual(rows(dir(`<RequireAny>\n${INCLUDE}</RequireAny>\n`), { 'a.conf': '' }), ['httpd.conf:3: empty']);
    assert.deepEqual(rows(dir(all('IncludeOptional conf/*.none\n')), NEGATIVE), ['httpd.conf:3: empty']);
    assert.deepEqual(rows(dir(all(all(INCLUDE))), NEGATIVE), ['httpd.conf:3: only-negative']);
  });

  it('judges a RequireAll of an included file with the lines around the Include', () => {
    assert.deepEqual(rows(dir(INCLUDE), { 'a.conf': all(NOT) }), ['a.conf:1: only-negative']);
    assert.deepEqual(rows(dir(all(`Require all granted\n${INCLUDE}`)), { 'a.conf': all(NOT) }), []);
    assert.deepEqual(rows(dir(all(INCLUDE)), { 'a.conf': all(NOT) }), ['httpd.conf:3: only-negative']);
  });

  it('leaves alone what another file completes', () => {
    const both = { ...NEGATIVE, 'b.conf': 'Require all granted\n' };
    const other = 'Include conf/b.conf\n';
    for (const body of [
      all(INCLUDE + other),
      all(other + INCLUDE),
      all(`Require ip 10\n${INCLUDE}`),
      all(`${all(INCLUDE)}Require all granted\n`),
      all(`<IfDefine X>\nRequire all granted\n</IfDefine>\n${INCLUDE}`),
      all(`${INCLUDE}Include conf/not-here.conf\n`),
      all(`${INCLUDE}Use Unknown\n`),
      `<IfModule mod_lua.c>\n${INCLUDE}</IfModule>\n`,
      `<RequireAny>\n${other}</RequireAny>\n`,
      other,
    ])
      assert.deepEqual(rows(dir(body), both), [], body);
    assert.deepEqual(rows(`${dir(INCLUDE)}`, { 'a.conf': all(`Require all granted\n${NOT}`) }), []);
  });

  it('does not repeat what its own file shows', () => {
    assert.deepEqual(rows(dir(`${NOT}${INCLUDE}`), { 'a.conf': 'Require all granted\n' }), []);
    assert.deepEqual(rows(dir(all('')), {}), []);
    assert.deepEqual(rows(dir(INCLUDE), { 'a.conf': `<RequireAny>\n${NOT}</RequireAny>\n` }), []);
  });

  it('looks into macros', () => {
    const macro = `<Macro M $who>\n${NOT.replace('192.0.2.7', '$who')}</Macro>\n`;
    const use = 'Use M 192.0.2.7\n';
    assert.deepEqual(rows(macro + dir(use)), ['httpd.conf:3: not']);
    assert.deepEqual(rows(macro + dir(all(use))), ['httpd.conf:6: only-negative']);
    assert.deepEqual(rows(macro + dir(all(`${use}Require all granted\n`))), []);
    assert.deepEqual(rows(`<Macro D $path>\n<Directory $path>\n${all(NOT)}</Directory>\n</Macro>\nUse D /x\n`), [
      'httpd.conf:4: only-negative',
    ]);
    assert.deepEqual(rows(macro), []);
    assert.deepEqual(rows(`<Macro E>\n${all('# none\n')}</Macro>\n${dir('Use E\n')}`), ['httpd.conf:3: empty']);
    assert.deepEqual(rows(`<Macro E>\n${all('# none\n')}</Macro>\n${dir('<IfDefine X>\nUse E\n</IfDefine>\n')}`), []);
  });

  it('names the section that brings the line in', () => {
    const found = findingsInFiles({ [ROOT]: dir(INCLUDE), ...files(NEGATIVE) }, { rule: 'require-included' });
    const [finding] = found.get('/etc/httpd/conf/a.conf')!;
    assert.match(finding!.message, /`<Directory \/x>` in \/etc\/httpd\/conf\/httpd\.conf:1 brings this line in/);
    assert.deepEqual(
      finding!.related!.map(({ file, row }) => [file, row]),
      [[ROOT, 0]],
    );
  });
});
