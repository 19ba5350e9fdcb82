import assert from 'node:assert/strict';
import { directives } from '../../server/src/directives';
import { ALL_RULES } from '../../server/src/rules/all';
import { Engine } from '../../server/src/analysis/engine';
import { removedDirective } from '../../server/src/rules/removed-directive';
import { Tree } from '../../server/src/syntax/document';
import { fileContext } from '../support/file-context';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'removed-directive' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('removed-directive', () => {
  it('every directive that 2.2 had and 2.4 has not is found by some rule', () => {
    const removed = directives()
      .filter((directive) => directive['2.2'] && !directive['2.4'])
      .map(({ name }) => name);
    assert.ok(removed.length > 20);
    const forgotten = removed.filter(
      (name) => !findingsIn(`${name} On\n`).some(({ severity, start }) => severity === 'error' && start === 0),
    );
    assert.deepEqual(forgotten, []);
  });

  it('finds no name that 2.4 reads, and none that another rule finds', () => {
    const readBy24 = new Set(
      directives()
        .filter((directive) => directive['2.4']?.arguments && directive.fate !== 'error')
        .map(({ name }) => name.toLowerCase()),
    );
    assert.deepEqual(
      removedDirective.names.filter((name) => readBy24.has(name)),
      [],
    );
    const others = new Set(ALL_RULES.filter(({ id }) => id !== 'removed-directive').flatMap(({ names }) => names));
    assert.deepEqual(
      removedDirective.names.filter((name) => others.has(name)),
      [],
    );
  });

  it('leaves alone what stands in a condition on a module of 2.0, which no 2.4 has', () => {
    const text =
      '<IfModule mod_auth.c>\n    AuthDigestFile /srv/digest\n</IfModule>\n<IfModule !access_module>\n    Listen 80\n</IfModule>\n';
    assert.deepEqual(findingsIn(text, rule), []);
  });

  it('quotes the sentence of its own that a module of 2.4 has', () => {
    const quoted = (text: string) => findingsIn(text, rule).map(({ serverText }) => serverText?.slice(0, 25));
    assert.deepEqual(quoted('pORT 80\nFancyIndexing on\nSSLLog x\nServerType x\n'), [
      'Port was replaced with Li',
      'The FancyIndexing directi',
      'SSLLog directive is no lo',
      "Invalid command 'ServerTy",
    ]);
    // Which of two errors it is in another place depends on the place.
    assert.deepEqual(quoted('<Location /x>\nSSLLogLevel x\n</Location>\n'), [undefined]);
  });

  it('leaves comments and other names alone', () => {
    const clean = '# Port 80\nPorts 80\nListen 80\n  #ServerType standalone\n';
    assert.equal(marked(clean), clean);
  });

  it('marks the line, in odd case, in sections', () => {
    assert.equal(
      marked('pORT 80\n<VirtualHost *>\n  AgentLog logs/agent\n</VirtualHost>\n'),
      `pORT 80
#^^^^^^ error removed-directive/removed suggestion
<VirtualHost *>
  AgentLog logs/agent
# ^^^^^^^^^^^^^^^^^^^ error removed-directive/removed suggestion
</VirtualHost>
`,
    );
  });

  it('renames or removes, when asked, continued and with CR LF', () => {
    const text = 'Port \\\r\n 80\r\nServerType \\\r\n inetd\r\nAuthDigestFile /x\r\n';
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), 'Listen \\\r\n 80\r\nAuthUserFile /x\r\n');
    assert.equal(fix('ServerType \\\r\n Standalone\r\nPort 80\r\n'), 'Port 80\r\n', 'httpd always runs so');
  });

  it('says nothing of a name that mpm_itk has, where that may be loaded', () => {
    const whole = 'ServerRoot /x\nLoadModule alias_module modules/mod_alias.so\n';
    assert.deepEqual(findingsIn(`${whole}AssignUserID a b\n`, rule).length, 1);
    for (const text of [
      'AssignUserID a b\n',
      `${whole}LoadModule mpm_itk_module modules/mpm_itk.so\nAssignUserID a b\n`,
      `${whole}<IfModule mpm_itk_module>\nAssignUserID a b\n</IfModule>\n`,
      `${whole}<IfDefine ITK>\nAssignUserID a b\n</IfDefine>\n`,
    ])
      assert.deepEqual(findingsIn(text, rule), [], text);
    const engine = new Engine({ rules: ALL_RULES });
    const within = (modules: readonly string[], text: string) =>
      engine
        .analyze(Tree.parse(text), { isHtaccess: false, fileContext: fileContext({ modules }) })
        .findings()
        .filter(({ severity }) => severity === 'error')
        .map(({ rule: { id } }) => id);
    assert.deepEqual(
      within(
        ['core', 'prefork', 'mod_mpm_itk'],
        '<VirtualHost *:80>\nAssignUserID a b\nMaxClientsVHost 5\n</VirtualHost>\n',
      ),
      [],
    );
    assert.deepEqual(
      within(['core', 'prefork', 'mod_wsgi'], '<VirtualHost *:80>\nAssignUserID a b\n</VirtualHost>\n'),
      ['removed-directive'],
    );
    assert.deepEqual(
      within(['core', 'prefork', 'mod_own'], '<VirtualHost *:80>\nAssignUserID a b\n</VirtualHost>\n'),
      [],
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule perchild.c>\nNumServers 5\n</IfModule>\n<IfVersion < 2.4>\nPort 80\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
