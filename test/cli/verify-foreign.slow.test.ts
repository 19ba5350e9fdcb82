/**
 * `verify` of a copy from another server runs no code of the copy: attacks of a hostile copy, each
 * with a shared object that leaves a trace when it is loaded, or a program that leaves one when it
 * runs.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findHttpd, loadModuleLines, requireHttpd } from '../httpd/harness';
import { accountLines } from '../httpd/installation';
import { needs, withFolder, type Result, type RunOptions } from './run';

interface Verdict {
  readonly way: string;
  readonly ok: boolean;
  readonly claimsPlace: boolean;
  readonly problems: readonly { file: string | null; line: number | null; message: string }[];
  readonly unchecked: readonly { file: string | null; line: number | null; message: string }[];
}

/** Loaded, it writes a file where the test looks, whatever it is loaded as. */
const CANARY =
  '#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { open(TRACE, O_CREAT | O_WRONLY, 0644); }\nint evil_module, mod_evil;\n';

const MODULES =
  'LoadModule mpm_event_module modules/mod_mpm_event.so\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule macro_module modules/mod_macro.so\nLoadModule alias_module modules/mod_alias.so\nServerName a\n';

describe(
  'verify of a foreign copy',
  withFolder((folder) => {
    let built = '';

    before(function () {
      requireHttpd(this);
      needs(this, 'gcc');
      built = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-canary-'));
      const source = path.join(built, 'canary.c');
      writeFileSync(source, CANARY);
      const trace = JSON.stringify(path.join(built, 'ran'));
      execFileSync('gcc', ['-shared', '-fPIC', `-DTRACE=${trace}`, '-o', path.join(built, 'evil.so'), source]);
      writeFileSync(path.join(built, 'program'), `#!/bin/sh\n: > ${path.join(built, 'ran')}\nexit 1\n`);
      chmodSync(path.join(built, 'program'), 0o755);
    });
    after(() => {
      if (built !== '') rmSync(built, { recursive: true, force: true });
    });
    beforeEach(() => {
      rmSync(path.join(built, 'ran'), { force: true });
      mkdirSync(folder().at('tree/modules'), { recursive: true });
      for (const name of ['evil.so', 'x', 'mod_alias.so', 'apr_dbd_evil-1.so'])
        copyFileSync(path.join(built, 'evil.so'), folder().at(`tree/modules/${name}`));
    });

    const evil = () => folder().at('tree/modules/evil.so');
    const hasRun = () => existsSync(path.join(built, 'ran'));
    const write = (texts: Readonly<Record<string, string | Uint8Array>>) => {
      for (const [name, text] of Object.entries(texts))
        folder().write(
          `tree/${name}`,
          typeof text === 'string' ? text.replaceAll('EVIL', evil()).replaceAll('TREE', folder().at('tree')) : text,
        );
    };
    const verify = (args: readonly string[], options: RunOptions = {}): Promise<Result> =>
      folder().run(['verify', '--format', 'json', ...args], { cwd: folder().at('tree'), ...options });
    const verdictOf = async (root = 'conf/httpd.conf', ...args: string[]): Promise<Verdict> => {
      const { out, err } = await verify(['--httpd', findHttpd()!.binary, ...args, root]);
      assert.notEqual(out, '', err);
      return JSON.parse(out) as Verdict;
    };

    it('has a canary that sings', async () => {
      write({ 'conf/httpd.conf': `ServerRoot "TREE"\n${inPlace()}LoadModule evil_module "EVIL"\n` });
      const { way } = await verdictOf('conf/httpd.conf', '--in-place');
      assert.equal(way, 'copy', 'it is no module, and so httpd refuses it where it lies');
      assert.ok(hasRun());
    });

    /** The lines after the usual first lines of a main file; other files by their names. */
    const ATTACKS: readonly (readonly [
      title: string,
      lines: string,
      files?: Readonly<Record<string, string | Uint8Array>>,
    ])[] = [
      ['a module by its path', 'LoadModule evil_module EVIL'],
      ['a library', 'LoadFile EVIL'],
      ['LoadModule from a macro', '<Macro M>\nLoadModule evil_module EVIL\n</Macro>\nUse M'],
      ['LoadFile from a macro', '<Macro M>\nLoadFile EVIL\n</Macro>\nUse M'],
      ['a path from an argument of a macro', '<Macro M $x>\nLoadModule evil_module $x\n</Macro>\nUse M EVIL'],
      ['a name from an argument of a macro', '<Macro M $x>\n$x evil_module EVIL\n</Macro>\nUse M LoadModule'],
      ['half a name from an argument', '<Macro M Foo>\nFooModule evil_module EVIL\n</Macro>\nUse M Load'],
      ['a whole line from an argument', '<Macro M $x>\n$x\n</Macro>\nUse M "LoadModule evil_module EVIL"'],
      [
        'quotes in arguments',
        '<Macro M $x>\nLoadModule "$x" modules/mod_alias.so\n</Macro>\nUse M \'evil_module" EVIL "\'',
      ],
      ['an @ argument', '<Macro M @x>\nLoadModule evil_module @x\n</Macro>\nUse M EVIL'],
      [
        'a macro in a macro',
        '<Macro A $x>\nUse B $xModule\n</Macro>\n<Macro B $y>\n$y evil_module EVIL\n</Macro>\nUse A Load',
      ],
      [
        'a macro that defines a macro',
        '<Macro A $x>\n<Macro B>\n$xModule evil_module EVIL\n</Macro>\n</Macro>\nUse A Load\nUse B',
      ],
      [
        'an Include from a macro',
        '<Macro M $x>\nInclude $x\n</Macro>\nUse M TREE/x.inc',
        { 'x.inc': 'LoadModule evil_module EVIL\n' },
      ],
      [
        'a macro that an included file uses',
        '<Macro M>\nLoadModule evil_module EVIL\n</Macro>\nInclude TREE/x.inc',
        { 'x.inc': 'Use M\n' },
      ],
      ['a parameter by a variable', 'Define P Foo\n<Macro M ${P}>\nFooModule evil_module EVIL\n</Macro>\nUse M Load'],
      ['a macro by a variable', 'Define U Use\n<Macro M>\nLoadModule evil_module EVIL\n</Macro>\n${U} M'],
      [
        'a macro under a condition',
        '<IfModule mod_nothing.c>\n</IfModule>\n<IfDefine !X>\n<Macro M>\nLoadModule evil_module EVIL\n</Macro>\n</IfDefine>\n<IfModule mod_alias.c>\nUse M\n</IfModule>',
      ],
      ['a quote that swallows the next word', 'LoadModule "evil_module \'TREE/modules/x" modules/mod_alias.so'],
      ['the same with the other quotes', "LoadModule 'evil_module \"TREE/modules/x' modules/mod_alias.so"],
      ['a quote that is not closed', 'LoadModule "evil_module EVIL modules/mod_alias.so'],
      ['escaped quotes', 'LoadModule evil_module\\" "EVIL\\" modules/mod_alias.so"'],
      ['a quoted directive', '"LoadModule" evil_module EVIL'],
      ['a directive in the other quotes', "'LoadModule' evil_module EVIL"],
      ['a directive whose quote is not closed', '"LoadModule\nLoadModule evil_module EVIL'],
      ['letter case', 'LOADMODULE evil_module EVIL\nlOADfILE EVIL'],
      ['a directive by a variable', 'Define L LoadModule\n${L} evil_module EVIL'],
      ['half a directive by a variable', 'Define L Load\n${L}Module evil_module EVIL'],
      ['a whole line by a variable', 'Define L "LoadModule evil_module EVIL"\n${L}'],
      ['a variable in a variable', 'Define A L\nDefine L LoadModule\n${${A}} evil_module EVIL'],
      ['a variable that is defined later', '${L} evil_module EVIL\nDefine L LoadModule'],
      ['a variable within a name of a module', 'Define N "evil_module EVIL"\nLoadModule ${N} modules/mod_alias.so'],
      ['a variable for the path', 'Define N EVIL\nLoadModule evil_module ${N}'],
      ['continuation lines', 'Load\\\nModule evil_module \\\nEVIL'],
      ['a continuation with CR', 'Load\\\r\nModule evil_module EVIL\r\n'],
      ['a comment that goes on', '# harmless \\\nLoadModule evil_module EVIL'],
      ['a comment that does not go on', '# harmless \\ \nLoadModule evil_module EVIL'],
      ['CR alone', 'ServerAdmin a\rLoadModule evil_module EVIL\r'],
      ['other white space', '\x0bLoadModule\x0cevil_module\x0bEVIL'],
      ['a NUL', 'ServerAdmin a\0\nLoadModule evil_module EVIL\n#\0\nLoadFile EVIL\nLoad\0\nModule evil_module EVIL'],
      ['a NUL after a backslash', 'ServerAdmin a\\\0\nLoadModule evil_module EVIL'],
      ['a long line', `ServerAdmin ${'a'.repeat(8190)}\nLoadModule evil_module EVIL`],
      ['a line that is cut at 8192', `ServerAdmin ${'a'.repeat(8192 - 12)}LoadModule evil_module EVIL`],
      ['a section around', '<IfModule mod_alias.c>\nLoadModule evil_module EVIL\n</IfModule>'],
      ['a section that is not closed', '<IfModule mod_alias.c>\nLoadModule evil_module EVIL'],
      [
        'a tag with more in its line',
        '<IfModule mod_alias.c> LoadModule evil_module EVIL\nLoadModule evil_module EVIL\n</IfModule>',
      ],
      ['a tag in quotes', '"<IfModule" mod_alias.c>\nLoadModule evil_module EVIL\n</IfModule>'],
      ['a tag by a variable', 'Define I IfModule\n<${I} mod_alias.c>\nLoadModule evil_module EVIL\n</${I}>'],
      ['<Perl> that holds text of httpd', '<Perl>\n</Perl>\nLoadModule evil_module EVIL'],
      ['<Perl> in another case', '<PERL >\n</perl>\nLoadModule evil_module EVIL'],
      ['<Perl> that is not closed', '<Perl>\nLoadModule evil_module EVIL'],
      ['<Macro> that is not closed', '<Macro M>\nLoadModule evil_module EVIL\nUse M'],
      ['IncludeOptional', 'IncludeOptional TREE/*.inc', { 'x.inc': 'LoadModule evil_module EVIL\n' }],
      ['a wildcard', 'Include TREE/[a-z].in?', { 'x.inc': 'LoadModule evil_module EVIL\n' }],
      ['a directory', 'Include TREE/inc', { 'inc/x': 'LoadModule evil_module EVIL\n' }],
      ['an Include in quotes', '"Include" TREE/x.inc', { 'x.inc': 'LoadModule evil_module EVIL\n' }],
      [
        'an Include that is in a section',
        '<VirtualHost *:80>\nInclude TREE/x.inc\n</VirtualHost>',
        { 'x.inc': 'LoadFile EVIL\n' },
      ],
      ['an Include of the environment', 'Include /proc/self/environ'],
      ['another ServerRoot', 'ServerRoot TREE\nLoadModule evil_module modules/evil.so'],
      [
        "this machine's name for a module of the copy",
        'LoadModule alias_module modules/../../tree/modules/mod_alias.so',
      ],
      ['dots for a module', 'LoadModule evil_module ..\nLoadModule evil_module .\nLoadModule evil_module modules/..'],
      ['a name without .so', 'LoadModule evil_module TREE/modules/x'],
      ['a BOM', '\ufeffLoadModule evil_module EVIL'],
      ['a BOM in an included file', 'Include TREE/x.inc', { 'x.inc': '\ufeffLoadModule evil_module EVIL\n' }],
      [
        'bytes that are no UTF-8',
        'Include TREE/x.inc',
        { 'x.inc': Buffer.from('Load\xa0Module x y\n# \xe9\\\xff\n\x85LoadModule evil_module z\n', 'latin1') },
      ],
      [
        'UTF-16',
        'Include TREE/x.inc',
        { 'x.inc': Buffer.from('\ufeff\u0a0a\u6f4c\u6461\u694c\u656c\u0a20', 'utf16le') },
      ],
      [
        'an engine of OpenSSL',
        'LoadModule socache_shmcb_module modules/mod_socache_shmcb.so\nLoadModule ssl_module modules/mod_ssl.so\nSSLCryptoDevice ../../../../../../../../../..TREE/modules/evil',
      ],
      [
        'an engine by a variable',
        'LoadModule ssl_module modules/mod_ssl.so\nDefine E ../../../../../../../../../..TREE/modules/evil\nSSLCryptoDevice ${E}',
      ],
      [
        'a driver of a database',
        'LoadModule dbd_module modules/mod_dbd.so\nDBDriver ../../../../../../../../../..TREE/modules/evil',
      ],
      [
        'a log program',
        'ErrorLog "|TREE/program"\nCustomLog "|TREE/program" "%h"\nTransferLog "||TREE/program"\nGlobalLog "|$TREE/program" "%h"',
      ],
      [
        'other programs',
        'LoadModule rewrite_module modules/mod_rewrite.so\nLoadModule ssl_module modules/mod_ssl.so\nLoadModule ext_filter_module modules/mod_ext_filter.so\nRewriteMap m prg:TREE/program\nSSLPassPhraseDialog exec:TREE/program\nSSLPassPhraseDialog |TREE/program\nSSLRandomSeed startup exec:TREE/program\nExtFilterDefine f cmd=TREE/program',
      ],
      [
        'a password that a program says',
        'LoadModule ldap_module modules/mod_ldap.so\nLoadModule authnz_ldap_module modules/mod_authnz_ldap.so\nDefine E exec:TREE/program\nAuthLDAPBindPassword exec:TREE/program\nAuthLDAPBindPassword "exec:TREE/program a"\nAuthLDAPBindPassword ${E}\n<Location /x>\nAUTHLDAPBINDPASSWORD "EXEC:TREE/program"\n</Location>',
      ],
      [
        'a passphrase that a program says',
        'LoadModule session_module modules/mod_session.so\nLoadModule session_crypto_module modules/mod_session_crypto.so\nDefine E exec\nSessionCryptoPassphrase exec:TREE/program\nSessionCryptoPassphrase a exec:TREE/program\n<Location /x>\nSessionCryptoPassphrase "${E}:TREE/program"\n</Location>',
      ],
      [
        'Lua',
        'LoadModule lua_module modules/mod_lua.so\n<LuaQuickHandler>\nos.execute("TREE/program")\n</LuaQuickHandler>\nLuaHookFixups TREE/x.lua f\nLuaRoot TREE',
        { 'x.lua': 'os.execute("TREE/program")\n' },
      ],
    ];
    const HEADS = ['ServerRoot "/etc/httpd"\n', '', 'ServerRoot ${PWD}\n'];
    for (const [index, [title, lines, files = {}]] of ATTACKS.entries()) {
      // The first in each of the ways, the others in turn.
      for (const head of index === 0 ? HEADS : [HEADS[index % HEADS.length]!])
        it(`loads nothing: ${title}${head === '' ? ', without ServerRoot' : head.includes('PWD') ? ', at ${PWD}' : ''}`, async () => {
          copyFileSync(path.join(built, 'program'), folder().at('tree/program'));
          write({ 'conf/httpd.conf': `${head}${MODULES}${lines}\n`, ...files });
          const { way } = await verdictOf();
          assert.equal(way, 'copy');
          assert.ok(!hasRun());
        });
    }

    for (const name of ['apache2.conf', 'conf/httpd.conf'])
      it(`hands on no variables that a loader reads: beside ${name}`, async () => {
        const etc = 'etc/apache2';
        write({
          [`${etc}/${name}`]: `ServerRoot "/${etc}"\n${MODULES}`,
          [`${etc}/envvars`]: `export LD_PRELOAD=EVIL\nexport LD_AUDIT=EVIL\nexport PATH=TREE\nexport APACHE_RUN_USER=www-data\nexport OPENSSL_CONF=TREE/x.cnf\nexport 'A B=c'\nexport APACHE_ARGUMENTS="-C 'LoadFile EVIL' -D 'X Y'"\n`,
          'etc/sysconfig/httpd': 'OPTIONS="-C \'LoadFile EVIL\'"\nLD_PRELOAD=EVIL\n',
        });
        for (const program of ['apache2', 'httpd'])
          copyFileSync(path.join(built, 'program'), folder().at(`tree/${program}`));
        assert.equal((await verdictOf(`${etc}/${name}`)).way, 'copy');
        await verdictOf(`${etc}/${name}`, '--in-place');
        assert.ok(!hasRun());
      });

    it("gives httpd the variables of envvars, and nothing of the user's", async () => {
      write({
        'etc/apache2/apache2.conf': `ServerRoot "/etc/apache2"\n${MODULES}${['APACHE_GIVEN', 'MY_GIVEN', 'SECRET', 'APACHE_SECRET'].map((name) => `ServerSignature \${${name}}\n`).join('')}`,
        'etc/apache2/envvars': 'export APACHE_GIVEN=On\nexport MY_GIVEN=On\n',
      });
      const { out } = await verify(['--httpd', findHttpd()!.binary, 'etc/apache2/apache2.conf'], {
        env: { SECRET: 'On', APACHE_SECRET: 'On', LD_LIBRARY_PATH: folder().at('tree') },
      });
      assert.deepEqual(
        (JSON.parse(out) as Verdict).problems.map(({ line }) => line! + 1),
        [9, 10],
      );
    });

    it('reads a tree that claims to be in its place as a copy, and says how to read it there', async () => {
      const etc = folder().at('tree/etc');
      write({ 'etc/httpd.conf': `ServerRoot "${etc}"\n${inPlace()}` });
      const { way, claimsPlace } = await verdictOf('etc/httpd.conf');
      assert.deepEqual([way, claimsPlace], ['copy', true]);
      const { out } = await folder().run(['verify', '--httpd', findHttpd()!.binary, 'tree/etc/httpd.conf']);
      assert.match(out, /^This is not the configuration of this machine's httpd\. So httpd read a copy of$/m);
      assert.match(out, /verify --in-place tree\/etc\/httpd\.conf/);
      assert.equal((await verdictOf('etc/httpd.conf', '--in-place')).way, 'in-place');
    });

    it('takes no program from the directory in which it runs', async () => {
      write({ 'conf/httpd.conf': `ServerRoot "/etc/httpd"\n${MODULES}`, 'docker exec web httpd': '' });
      for (const name of ['httpd', 'apache2', 'docker', 'docker exec web httpd', 'docker exec web /bin/httpd']) {
        mkdirSync(path.dirname(folder().at(`tree/${name}`)), { recursive: true });
        copyFileSync(path.join(built, 'program'), folder().at(`tree/${name}`));
        chmodSync(folder().at(`tree/${name}`), 0o755);
      }
      const PATH = `.::${process.env.PATH}:`;
      for (const program of [
        [],
        ['--httpd', 'httpd'],
        ['--httpd', 'docker exec web httpd'],
        ['--httpd', 'docker exec web /bin/httpd'],
      ])
        await verify([...program, 'conf/httpd.conf'], { env: { PATH } });
      assert.ok(!hasRun());
    });

    it('gives a command for another machine no word that a shell there would read', async () => {
      write({
        ssh: `#!/bin/sh
case "$*" in
  *-V) echo 'Server version: Apache/2.4.62 (Unix)'; echo ' -D HTTPD_ROOT="/etc/httpd"'; echo ' -D SERVER_CONFIG_FILE="conf/httpd.conf"';;
  *-l) echo '  core.c';;
  *) : > ${path.join(built, 'ran')};;
esac
`,
        'conf/$(touch x).conf': 'ServerName a\n',
        'conf/httpd.conf': 'ServerRoot "/etc/httpd"\n',
        '.httpd-upgrade.json': '{"defines":["A;id"]}',
      });
      chmodSync(folder().at('tree/ssh'), 0o755);
      for (const root of ['conf/$(touch x).conf', 'conf/httpd.conf']) {
        const { code, err } = await verify(['--httpd', `${folder().at('tree/ssh')} web httpd`, root]);
        assert.equal(code, 2, root);
        assert.match(err, /a shell on the other machine would read/);
      }
      assert.ok(!hasRun());
    });

    it('reads no file that a line names, and waits for no FIFO', async () => {
      const modules = ['file_cache', 'remoteip', 'session', 'session_crypto', 'watchdog', 'md'];
      write({
        secret: 'the-words-of-a-file\n',
        'conf/httpd.conf': `ServerRoot "/etc/httpd"\n${MODULES}${modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('')}RemoteIPTrustedProxyList TREE/secret\nRemoteIPInternalProxyList TREE/secret\nRemoteIPTrustedProxyList TREE/pipe\nCacheFile TREE/pipe\nMMapFile TREE/pipe\nSessionCryptoPassphraseFile TREE/pipe\nMDExternalAccountBinding TREE/pipe\nMDExternalAccountBinding none\n`,
      });
      execFileSync('mkfifo', [folder().at('tree/pipe')]);
      const verdict = await verdictOf();
      assert.doesNotMatch(JSON.stringify(verdict), /the-words/);
      const left = verdict.unchecked.filter(({ message }) => message === 'httpd would read the file that it names');
      assert.equal(left.length, 7);
    });

    it('follows links, and reads what they lead to as a copy', async () => {
      write({
        'conf/httpd.conf': `ServerRoot "/etc/httpd"\n${MODULES}Include TREE/link/*.conf\n`,
        'elsewhere/x.conf': 'LoadModule evil_module EVIL\n',
      });
      symlinkSync(folder().at('tree/elsewhere'), folder().at('tree/link'));
      symlinkSync(folder().at('tree/conf/httpd.conf'), folder().at('tree/root.conf'));
      assert.equal((await verdictOf('root.conf')).way, 'copy');
      assert.ok(!hasRun());
    });

    /** What a httpd has to be given to read a file where it lies. */
    function inPlace(): string {
      mkdirSync(folder().at('tree/etc/logs'), { recursive: true });
      return `${loadModuleLines(findHttpd()!, ['authz_core']).join('\n')}\nDefaultRuntimeDir ${folder().at('tree')}\nErrorLog ${folder().at('tree/log')}\nListen 8099\nServerName a\n${accountLines().join('\n')}\n`;
    }
  }),
);
