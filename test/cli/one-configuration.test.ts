/**
 * Everything that the command line reports about a configuration uses the same files, definitions
 * and loaded modules.
 */
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { withFolder } from './run';

const OPEN = '  Order allow,deny\n  Allow from all\n';
const LOGIN = '  AuthType Basic\n  AuthName x\n  AuthUserFile conf/p\n  Require valid-user\n';
const directory = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;

describe(
  'one configuration',
  withFolder((folder) => {
    const head = (serverRoot = folder().path) =>
      `ServerRoot "${serverRoot}"\nListen 80\nDocumentRoot ${folder().path}/www\n${directory('/', '  AllowOverride None\n')}`;
    const fixed = async (text: string, ...args: string[]): Promise<string> => {
      folder().write('www/a/index.html', '');
      folder().write('conf/httpd.conf', text);
      await folder().run(['fix', '--write', ...args, 'conf/httpd.conf']);
      return folder().text('conf/httpd.conf');
    };

    it('two files that include the same base change it once, after the answers about both', async () => {
      const base = `${head('/etc/apache2')}<Files ~ "^\\.ht">\n  Order allow,deny\n  Deny from all\n</Files>\n`;
      folder().write('etc/apache2/base.conf', base);
      for (const name of ['block', 'log'])
        folder().write(`etc/apache2/${name}.conf`, 'Include /etc/apache2/base.conf\n');
      const answers = ['log', 'block'].flatMap((name) => ['--answer', `outside-unseen:etc/apache2/${name}.conf=none`]);
      await folder().run(['fix', '--write', ...answers.slice(0, 2), '.']);
      assert.equal(folder().text('etc/apache2/base.conf'), base);
      await folder().run(['fix', '--write', ...answers, '.']);
      assert.ok(
        folder().text('etc/apache2/base.conf').endsWith('<Files ~ "^\\.ht">\n  Require all denied\n</Files>\n'),
      );
    });

    it('-D decides what a section below inherits, as a version does', async () => {
      const text = (condition: string) =>
        `${head()}<${condition}>\n${directory(`${folder().path}/www`, LOGIN)}</${condition.split(' ')[0]}>\n${directory(`${folder().path}/www/a`, OPEN)}`;
      assert.match(await fixed(text('IfVersion >= 2.0')), /www\/a>\n {2}Require valid-user\n/);
      assert.match(await fixed(text('IfDefine FOO'), '-D', 'FOO'), /www\/a>\n {2}Require valid-user\n/);
      assert.match(await fixed(text('IfDefine !FOO'), '-D', 'FOO'), /www\/a>\n {2}Require all granted\n/);
      assert.match(await fixed(text('IfDefine FOO')), /www\/a>\n {2}Order allow,deny\n/);
      // httpd 2.2 has no Define.
      const on22 = ['--answer', 'running-version=2.2'];
      assert.match(await fixed(`Define FOO\n${text('IfDefine FOO')}`, ...on22), /www\/a>\n {2}Require valid-user\n/);
      assert.match(
        await fixed(text('IfDefine FOO').replace('</IfDefine>', '</IfDefine>\nDefine FOO'), ...on22),
        /www\/a>\n {2}Order allow,deny\n/,
      );
    });

    it('a variable in an Include, given with -D, silences nothing', async () => {
      folder().write('conf/x/p.conf', directory('/srv', OPEN));
      const said = async (include: string, ...args: string[]) => {
        folder().write('conf/httpd.conf', `${head()}Include conf/${include}/p.conf\n`);
        const { out } = await folder().run(['check', ...args, 'conf/httpd.conf']);
        return /changed-defaults/.test(out);
      };
      assert.deepEqual(
        [await said('x'), await said('${CONF}', '-D', 'CONF=x'), await said('${CONF}')],
        [true, true, false],
      );
    });

    it('a macro with a parameter inside a word of its access lines keeps what shares requests with it, and nothing else', async () => {
      const text = `${head()}LoadModule macro_module modules/mod_macro.so\n<Macro Part $dir $from>\n${directory('$dir', '  Order deny,allow\n  Deny from all\n  Allow from 10.$from\n')}</Macro>\nUse Part ${folder().path}/www/b 1\n${directory(`${folder().path}/www/a`, OPEN)}`;
      assert.equal(await fixed(text), text.replace(OPEN, '  Require all granted\n'));
      const { out } = await folder().run(['check', 'conf/httpd.conf']);
      assert.match(out.replace(/\s+/g, ' '), /macro Part/);
    });

    it('a macro keeps a parameter that is a whole word in its new lines', async () => {
      const old = '  Order deny,allow\n  Deny from all\n  Allow from $from\n';
      const text = `${head()}LoadModule macro_module modules/mod_macro.so\n<Macro Part $dir $from>\n${directory('$dir', old)}</Macro>\nUse Part ${folder().path}/www/b 10\n`;
      assert.equal(await fixed(text), text.replace(old, '  Require ip $from\n'));
    });

    it('a macro without such a parameter is converted in its place', async () => {
      const old = '  Order deny,allow\n  Deny from all\n  Allow from 10\n';
      const text = `${head()}LoadModule macro_module modules/mod_macro.so\n<Macro Part $dir>\n${directory('$dir', old)}</Macro>\nUse Part ${folder().path}/www/b\n`;
      assert.equal(await fixed(text), text.replace(old, '  Require ip 10\n'));
    });

    it('AllowOverride under a module that is loaded is no open question', async () => {
      const text = `ServerRoot "${folder().path}"\nListen 80\nLoadModule alias_module modules/mod_alias.so\nDocumentRoot ${folder().path}/www\n<IfModule alias_module>\n${directory('/', '  AllowOverride None\n')}</IfModule>\n${directory(`${folder().path}/www/a`, OPEN)}`;
      assert.match(await fixed(text), /Require all granted/);
    });

    it('what lies above a directory that is given decides nothing, unless it may include what is in it', async () => {
      const main = `Listen 80\nPidFile x\nDocumentRoot /srv\n${directory('/', '  AllowOverride None\n')}Include conf.d/*.conf\n`;
      const fixedBelow = async (above: Readonly<Record<string, string>>, given: string, ...args: string[]) => {
        rmSync(folder().at('above'), { recursive: true, force: true });
        for (const [name, text] of Object.entries(above)) folder().write(`above/${name}`, text);
        folder().write('above/site/httpd.conf', main);
        folder().write('above/site/conf.d/a.conf', directory('/srv', OPEN));
        const cwd = folder().at(given === '.' ? 'above/site' : '.');
        await folder().run(['fix', '--write', ...args, given], { cwd });
        return folder().text('above/site/conf.d/a.conf').includes('Require all granted');
      };
      const other = 'PidFile y\nListen 8080\nInclude conf.d/*.conf\n';
      for (const [above, isVouched] of [
        [{ 'other.conf': other }, false],
        [{ 'httpd.conf': other }, false],
        [{ 'other.conf': other }, true],
        [{ 'parts.conf': 'Include *.conf\n' }, true],
        [{ 'parts.conf': 'Include site/*.conf\n', 'beside/httpd.conf': main }, true],
      ] as const) {
        const args = isVouched ? ['--assume-standalone'] : [];
        for (const given of ['.', 'above/site'])
          assert.equal(await fixedBelow(above, given, ...args), true, JSON.stringify([above, given, args]));
      }
      assert.equal(await fixedBelow({ 'all.conf': 'Include site/*.conf\n' }, '.'), false, 'it may be a part');
      assert.equal(await fixedBelow({ 'other.conf': other }, 'above'), false, 'it is given, too');
    });

    it('a link out of a copy, beside its main file, is not followed, and asked about only where it has the name of a main file', async () => {
      const main = `ServerRoot "/srv/nowhere"\nListen 80\nServerName a\n`;
      folder().write('copy/conf/httpd.conf', `${main}${directory('/srv/nowhere/a', OPEN)}`);
      folder().write('outside/other.conf', main);
      const asked = async () => {
        const { out } = await folder().run(['plan', '--format', 'json', 'copy/conf/httpd.conf']);
        const { configurations } = JSON.parse(out) as { configurations: { questions: { id: string }[] }[] };
        return configurations.flatMap(({ questions }) => questions.map(({ id }) => id)).filter((id) => /main/.test(id));
      };
      symlinkSync('../../outside/other.conf', folder().at('copy/conf/other.conf'));
      assert.deepEqual(await asked(), []);
      symlinkSync('../../outside/other.conf', folder().at('copy/conf/apache2.conf'));
      assert.deepEqual(await asked(), ['other-main:copy/conf/apache2.conf']);
      rmSync(folder().at('copy/conf/apache2.conf'));
      folder().write('copy/conf/second.conf', main);
      assert.deepEqual(await asked(), ['other-main:copy/conf/second.conf']);
    });

    it('a main file that the server does not use, as the user answered, has no plan of its own', async () => {
      const main = 'ServerRoot /srv/nowhere\nServerName a\n';
      const old = directory('/srv/nowhere/a', OPEN);
      const planOf = async (...unused: string[]) => {
        const answers = unused.flatMap((name) => ['--answer', `other-main:${name}=unused`]);
        const { out } = await folder().run(['plan', '--format', 'json', ...answers, '.']);
        const { configurations } = JSON.parse(out) as {
          configurations: { root: string | null; questions: { id: string }[]; dormant: { file: string }[] }[];
        };
        return configurations.map(({ root, dormant }) => [root, ...dormant.map(({ file }) => file)].join(' '));
      };
      folder().write('httpd.conf', `${main}Listen 80\n${old}`);
      folder().write('test.conf', `${main}Listen 81\n${old}`);
      assert.deepEqual(await planOf(), ['httpd.conf', 'test.conf']);
      assert.deepEqual(await planOf('test.conf'), ['httpd.conf test.conf']);
      assert.deepEqual(await planOf('httpd.conf'), ['httpd.conf', 'test.conf'], 'no answer hides a usual main file');
      assert.deepEqual(await planOf('test.conf', 'httpd.conf'), ['httpd.conf test.conf']);
      rmSync(folder().at('httpd.conf'));
      folder().write('live.conf', `${main}Listen 80\n${old}`);
      assert.deepEqual(await planOf('test.conf', 'live.conf'), ['live.conf', 'test.conf'], 'one of them is in use');
    });

    for (const [name, serverRoot, copy] of [
      ['Gentoo', '/usr/lib/apache2', 'copy/apache2'],
      ['macOS', '/usr', 'copy/apache2'],
      ['Gentoo', '/usr/lib64/apache2', 'old server'],
      ['macOS', '/usr', 'old server'],
    ]) {
      it(`a copy of a tree of ${name} in ${copy}, whose ServerRoot is not where its files were`, async () => {
        folder().write(
          `${copy}/httpd.conf`,
          `ServerRoot "${serverRoot}"\nListen 80\n${directory('/', '  AllowOverride None\n')}Include /etc/apache2/vhosts.d/*.conf\n`,
        );
        folder().write(`${copy}/vhosts.d/a.conf`, directory('/var/www/a', OPEN));
        assert.match((await folder().run(['includes', `${copy}/httpd.conf`])).out, /vhosts\.d\/a\.conf/);
        assert.doesNotMatch((await folder().run(['plan', `${copy}/httpd.conf`])).out, /included and not here/);
        await folder().run(['fix', '--write', `${copy}/httpd.conf`]);
        assert.match(folder().text(`${copy}/vhosts.d/a.conf`), /Require all granted/);
      });
    }
  }),
);
