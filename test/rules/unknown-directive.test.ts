import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { unknownDirective } from '../../server/src/rules/unknown-directive';
import { Tree } from '../../server/src/syntax/document';
import { annotated, findingsIn, fixed } from '../support/rules';
import { fileContext, unixModules, type Made } from '../support/file-context';

const rule = { rule: 'unknown-directive' };
const engine = new Engine({ rules: [unknownDirective] });
const within = (made: Made, text: string) =>
  engine
    .analyze(Tree.parse(text), { isHtaccess: false, fileContext: fileContext(made) })
    .findings()
    .map(({ messageId, severity }) => `${severity} ${messageId}`);

describe('unknown-directive', () => {
  it('a snippet: a hint for a name one letter away, and nothing else', () => {
    assert.equal(
      annotated(
        'ServreName x\nSecRule x\nWSGIScriptAlias /a /b\nPaperTray 2\n<Directroy /x>\n</Directroy>\n{{ template }}\nHeader${X} y\n',
        rule,
      ),
      'ServreName x\n#^^^^^^^^^ hint unknown-directive/misspelled suggestion\nSecRule x\nWSGIScriptAlias /a /b\nPaperTray 2\n<Directroy /x>\n#^^^^^^^^^ hint unknown-directive/misspelled none\n</Directroy>\n{{ template }}\nHeader${X} y\n',
    );
  });

  it('a link that was stored as text', () => {
    const of = (text: string) => findingsIn(text, rule).map(({ messageId, severity }) => `${severity} ${messageId}`);
    assert.deepEqual(of('../mods-available/alias.load'), ['error link-text']);
    assert.deepEqual(of('./a.conf'), ['error link-text']);
    for (const text of ['../mods-available/alias.load\n', '../a b', '../{{ name }}', 'Listen 80'])
      assert.deepEqual(of(text), []);
  });

  it('a whole file that loads its modules: an error, unless some module is not known', () => {
    const whole = 'ServerRoot /x\nLoadModule alias_module modules/mod_alias.so\n';
    const severities = (text: string) =>
      findingsIn(text, rule).map(({ severity, messageId }) => `${severity} ${messageId}`);
    assert.deepEqual(severities(`${whole}PaperTray 2\n`), ['error unknown']);
    assert.deepEqual(severities(`${whole}LoadModule printer_module modules/mod_printer.so\nPaperTray 2\n`), []);
    assert.deepEqual(severities(`${whole}Include more.conf\nPaperTray 2\n`), []);
    // The directives of modules that only 2.2 has are known.
    const loadsOf22 = 'LoadModule authn_default_module modules/mod_authn_default.so\n';
    assert.deepEqual(severities(`${whole}${loadsOf22}PaperTray 2\n`), ['error unknown']);
  });

  it('a configuration whose modules are known', () => {
    assert.deepEqual(within({}, 'PaperTray 2\nServreName x\nSecRule a b\n'), [
      'error unknown',
      'error misspelled',
      'error other-module',
    ]);
    // A line of a template: its result, and the rest of this place, are unknown.
    assert.deepEqual(within({}, 'PaperTray 2\n@@x@@\n'), []);
    assert.deepEqual(within({ modules: ['core'] }, 'RewriteEngine On\nServerName x\n<Proxy *>\n</Proxy>\n'), [
      'error module-missing',
      'error module-missing',
    ]);
  });

  it('a configuration of which some modules are unknown', () => {
    const findings = (text: string, foundModules: Iterable<string> = ['core'], isHtaccess = false) =>
      engine
        .analyze(Tree.parse(text), {
          isHtaccess,
          fileContext: { ...fileContext({ modules: null }), foundModules: new Set(foundModules) },
        })
        .findings()
        .map(({ messageId, severity, what }) => `${severity} ${messageId}: ${what}`);
    assert.deepEqual(findings('PaperTray 2\nServreName x\nMonoApplications "/:/x"\nListen 80\n'), [
      'warning unknown: `PaperTray` is not a directive of httpd 2.4',
      'warning misspelled: `ServreName` is not a directive of httpd 2.4',
      'warning other-module: `MonoApplications` needs mod_mono, which no line here loads',
    ]);
    assert.deepEqual(findings('php_value a b\n'), [
      'warning other-module: `php_value` needs mod_php, which no line here loads',
    ]);
    assert.deepEqual(findings('MonoApplications "/:/x"\n', ['core', 'mod_mono']), []);
    assert.deepEqual(findings('PaperTray 2\nSecRule a b\n', ['core', 'mod_printer']), []);
    assert.deepEqual(findings('<IfModule mod_mono.c>\nMonoApplications "/:/x"\nPaperTray 2\n</IfModule>\n'), []);
    assert.deepEqual(findings('php_value a b\nPaperTray 2\n', ['core'], true), []);
    assert.deepEqual(findings('{{ template }}\n'), []);
  });

  it('lines of an MPM where none is loaded: httpd does not get to them', () => {
    assert.deepEqual(within({ modules: ['core', 'mod_alias'] }, 'Listen 80\nThreadsPerChild 5\n'), []);
    assert.deepEqual(within({ modules: ['core', 'prefork'] }, 'Listen 80\nThreadsPerChild 5\n'), [
      'error module-missing',
    ]);
  });

  it('modules of other people that are loaded', () => {
    assert.deepEqual(within({ modules: [...unixModules(), 'mod_security2'] }, 'SecRule a b\nPaperTray 2\n'), [
      'error unknown',
    ]);
    assert.deepEqual(within({ modules: [...unixModules(), 'mod_printer'] }, 'SecRule a b\nPaperTray 2\n'), []);
  });

  it('modules of other people under a condition of which nobody knows', () => {
    assert.deepEqual(within({}, '<IfDefine SVN>\nSVNPath /x\nSecRule a b\n</IfDefine>\n'), []);
    assert.deepEqual(within({}, '<IfDefine SVN>\nPaperTray 2\nServreName x\n</IfDefine>\n'), ['hint misspelled']);
    assert.deepEqual(within({ modules: ['core'] }, '<IfDefine SVN>\nRewriteEngine On\n</IfDefine>\n'), []);
  });

  it('a section that no build of httpd has', () => {
    assert.deepEqual(within({}, '<Directory /x>\n<RequireNotAll>\n</RequireNotAll>\n</Directory>\n'), [
      'error misspelled',
    ]);
  });

  it('leaves to other rules what 2.2 and 1.3 had', () => {
    assert.deepEqual(within({}, 'RewriteLog x\nPort 80\nNameVirtualHost *\n'), []);
  });

  it('is silent in text that is not read', () => {
    assert.deepEqual(
      within(
        { modules: ['core'] },
        '<IfModule mod_rewrite.c>\nRewriteEngine On\n</IfModule>\n<IfModule !core.c>\nPaperTray 2\n</IfModule>\n',
      ),
      [],
    );
  });

  it('replaces the name, when asked', () => {
    const whole = 'ServerRoot /x\r\nLoadModule alias_module modules/mod_alias.so\r\n  ALLAIS \\\r\n /a /b\r\n';
    assert.equal(fixed(whole, { ...rule, unsafe: true }), whole.replace('ALLAIS', 'Alias'));
    assert.equal(fixed(whole, rule), whole);
  });
});
