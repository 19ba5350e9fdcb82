/** The library: texts in, plain data out, and the same answers as the command line's. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { check, explain, fix, plan, type Files } from '../../server/src/library';
import { withFolder } from '../cli/run';
import { repositoryRoot } from '../support/paths';

const ROOT = `ServerRoot "/etc/httpd"\nListen 80\nDocumentRoot "/srv/w"\nInclude conf.d/*.conf\nMaxClients 5\n<Directory />\n AllowOverride None\n Order deny,allow\n Deny from all\n</Directory>\n`;
const PART = '<Directory /srv/w>\n Order allow,deny\n Allow from all\n</Directory>\n';
const TREE: Files = { '/etc/httpd/conf/httpd.conf': ROOT, '/etc/httpd/conf.d/w.conf': PART };

describe('the library', () => {
  it('finds in one text what is there, under the name that it was given', () => {
    const [file] = check({ 'sites/a.conf': 'MaxClients 5\nLockFile logs/x\n' });
    assert.equal(file!.path, 'sites/a.conf');
    assert.deepEqual(
      file!.findings.map(({ rule, range }) => [rule, range.start.line]),
      [
        ['max-clients', 0],
        ['mutex-directive', 1],
      ],
    );
  });

  it('converts the access control of a whole configuration, and never that of one text alone', () => {
    const whole = fix(TREE, { assumeStandalone: true });
    assert.deepEqual(whole.changed, ['/etc/httpd/conf/httpd.conf', '/etc/httpd/conf.d/w.conf']);
    assert.match(whole.files['/etc/httpd/conf.d/w.conf']!, /Require all granted/);
    assert.equal(fix({ 'w.conf': PART }).files['w.conf'], PART);
    assert.match(fix({ 'w.conf': PART }, { unsafe: true }).files['w.conf']!, /Require all granted/);
  });

  it('plans, and takes answers', () => {
    const before = plan(TREE);
    const [{ questions, root } = assert.fail('no configuration')] = before.configurations;
    assert.equal(root, '/etc/httpd/conf/httpd.conf');
    const best = (choices: (typeof questions)[number]['answers']) => [...choices].sort((a, b) => b.ready - a.ready)[0]!;
    const answers = Object.fromEntries(questions.map(({ id, answers: choices }) => [id, best(choices).value]));
    const after = plan(TREE, { answers });
    assert.ok(after.summary.waiting < before.summary.waiting);
    assert.equal(after.summary.answered, questions.length);
  });

  it('explains, or knows nothing', () => {
    assert.match(explain('AH01797')!, /AH01797/);
    assert.equal(explain('xyzzy plugh'), null);
  });

  for (const [title, options, message] of [
    ['a target that is none', { target: '2.2' }, /target|2\.4/],
    ['an option that is none', { targets: '2.4' }, /targets/],
    ['a severity that is none', { severity: { 'max-clients': 'fatal' } }, /fatal|severity|error/],
  ] as const) {
    it(`${title} is a TypeError that says so`, () => {
      assert.throws(
        () => check({ 'a.conf': '' }, options as object),
        (error) => error instanceof TypeError && message.test(error.message),
      );
    });
  }

  for (const [title, files, message] of [
    ['a text without a name', 'MaxClients 5\n', /texts by their paths/],
    ['names without texts', ['a.conf'], /texts by their paths/],
    ['nothing', null, /texts by their paths/],
    ['a text that is none', { 'a.conf': Buffer.from('MaxClients 5\n') }, /a\.conf/],
    ['two texts of one file', { 'a.conf': '', '/a.conf': '' }, /a\.conf and \/a\.conf/],
  ] as const) {
    it(`${title} is a TypeError that says so`, () => {
      for (const ask of [check, fix, plan])
        assert.throws(
          () => ask(files as unknown as Files),
          (error) => error instanceof TypeError && message.test(error.message),
        );
    });
  }

  it('nothing is read from the disk: an Include of what is not given is not here', () => {
    const [file] = check({
      '/etc/httpd.conf': `ServerRoot /\nListen 80\nInclude ${path.join(repositoryRoot, 'package.json')}\n`,
    });
    assert.ok(!file!.findings.some(({ message }) => message.includes('displayName')));
  });

  it('reads a file without a directory as a copy of the server', () => {
    const text =
      'ServerRoot "/etc/apache2"\nUser www-data\nInclude /etc/apache2/mods-enabled/*.load\nLoadModule a_module a.so\n';
    const found = (name: string) =>
      check({ [name]: text }).flatMap(({ findings }) => findings.map(({ message }) => message));
    assert.deepEqual(found('apache2.conf'), found('copy/apache2.conf'));
    // Debian has mod_unixd compiled in.
    assert.ok(!found('apache2.conf').some((message) => message.startsWith('`User`')), found('apache2.conf').join());
  });
});

describe(
  'the library and the command line',
  withFolder((folder) => {
    it('say the same of every sample that stands alone', async () => {
      const samples = path.join(repositoryRoot, 'test', 'samples', 'standalone');
      const names = readdirSync(samples).filter((name) => !name.startsWith('.') && !name.endsWith('.md'));
      assert.ok(names.length > 0);
      for (const name of names) {
        const text = readFileSync(path.join(samples, name), 'utf8');
        folder().write(name, text);
        const { out } = await folder().run(['check', '--format', 'json', folder().at(name)]);
        const [expected] = (JSON.parse(out) as { files: { findings: object[] }[] }).files;
        const [actual] = check({ [folder().at(name)]: text });
        assert.deepEqual(JSON.parse(JSON.stringify(actual!.findings)), expected!.findings, name);
      }
    });
  }),
);
