/**
 * The walk through a configuration: which files are read, in which order, inside which sections,
 * and which conditions hold.
 */
import assert from 'node:assert/strict';
import { summarize } from '../../server/src/config/file-summary';
import { configView } from '../../server/src/config/config-view';
import type { FileNode, Model, ServerSettings } from '../../server/src/config/model';
import { readModel } from '../../server/src/config/read-model';
import { FileContexts, ContextInterner } from '../../server/src/config/file-context-of-walk';
import { forEachItem, Section, type List } from '../../server/src/syntax/tree';
import { memoryFiles } from '../../server/src/config/memory-files';

const ROOT = '/etc/httpd/conf/httpd.conf';

/** Enough to start a 2.4 server: what is not loaded besides is not there. */
const COMPLETE =
  'LoadModule mpm_event_module modules/mod_mpm_event.so\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule unixd_module modules/mod_unixd.so\n';

function read(files: Record<string, string> | string, server: ServerSettings = {}): Model {
  const texts = typeof files === 'string' ? { [ROOT]: files } : files;
  return readModel({ mainFile: Object.keys(texts)[0], view: configView(memoryFiles(texts)), server })!;
}

/**
 * The files in the order in which they are read, each by its name below /etc/httpd, with the number
 * of levels.
 */
function order(node: FileNode, level = 0): string[] {
  const own = `${'  '.repeat(level)}${node.path.replace('/etc/httpd/', '')}`;
  return [own, ...node.includes.flatMap((include) => include.files.flatMap((file) => order(file, level + 1)))];
}

/**
 * The activity of each conditional section of a file, in order: `a`ctive, `i`nactive, `u`nknown.
 */
function answers(files: Record<string, string> | string, server: ServerSettings = {}, path?: string): string {
  const texts = typeof files === 'string' ? { [ROOT]: files } : files;
  const view = memoryFiles(texts);
  const model = readModel({ mainFile: Object.keys(texts)[0], view: configView(view), server })!;
  const { root } = view.read(path ?? model.mainFile)!;
  const [surrounded] = new FileContexts(model, new ContextInterner()).contextsOfFile(
    path ?? model.mainFile,
    summarize(root),
  );
  const found: string[] = [];
  const visit = (list: List) =>
    forEachItem(list, 0, (item) => {
      if (!(item instanceof Section)) return;
      if (/^if(module|define|version|file|directive|section)$/.test(item.name))
        found.push((surrounded.activityOf(item) ?? 'unknown')[0]);
      visit(item.body);
    });
  visit(root);
  return found.join('');
}

describe('a configuration', () => {
  it('is read through its includes in the order of the server', () => {
    const model = read({
      [ROOT]: 'ServerRoot /etc/httpd\nInclude conf.d/*.conf\nIncludeOptional nothing/*.conf\nInclude extra\n',
      '/etc/httpd/conf.d/9.conf': '',
      '/etc/httpd/conf.d/10.conf': 'Include conf/last.conf\n',
      '/etc/httpd/conf.d/a.txt': '',
      '/etc/httpd/conf/last.conf': '',
      '/etc/httpd/extra/z': '',
      '/etc/httpd/extra/deep/b~': '',
    });
    assert.deepEqual(order(model.fileTree), [
      'conf/httpd.conf',
      '  conf.d/10.conf',
      '    conf/last.conf',
      '  conf.d/9.conf',
      '  extra/deep/b~',
      '  extra/z',
    ]);
    assert.deepEqual(
      model.gaps.map(({ reason, what }) => [reason, what]),
      [['include-folder-missing', 'nothing/*.conf']],
    );
  });

  it('knows what a snippet is included in', () => {
    const model = read({
      [ROOT]:
        '<VirtualHost *:80>\n<Directory /a>\nInclude conf/in.conf\n</Directory>\nInclude conf/in.conf\n</VirtualHost>\n<VirtualHost *:81>\nInclude conf/in.conf\n</VirtualHost>\n',
      '/etc/httpd/conf/in.conf': 'Options None\n',
    });
    assert.deepEqual(
      model.files.get('/etc/httpd/conf/in.conf')!.map(({ containers }) => containers),
      [['virtualhost', 'directory'], ['virtualhost']],
    );
    assert.deepEqual(
      model.files.get('/etc/httpd/conf/in.conf')![1].includedBy.map(({ row }) => row),
      [4, 7],
    );
  });

  it('is read from the ServerRoot in force at the line', () => {
    const model = read({
      [ROOT]: 'ServerRoot /etc/httpd\nInclude a.conf\nServerRoot /srv\nInclude a.conf\n',
      '/etc/httpd/a.conf': '',
      '/srv/a.conf': '',
    });
    assert.deepEqual(order(model.fileTree).slice(1), ['  a.conf', '  /srv/a.conf']);
  });

  it('that was copied from another machine is read here', () => {
    const model = read({
      '/home/me/httpd/conf/httpd.conf': 'ServerRoot "/etc/httpd"\nInclude /etc/httpd/conf.d/*.conf\n',
      '/home/me/httpd/conf.d/a.conf': '',
    });
    assert.deepEqual([...model.files.keys()], ['/home/me/httpd/conf/httpd.conf', '/home/me/httpd/conf.d/a.conf']);
  });

  it('of Debian is read here without a word of ServerRoot', () => {
    const model = read({
      '/home/me/apache2/apache2.conf': 'Include /etc/apache2/ports.conf\n',
      '/home/me/apache2/ports.conf': 'Listen 80\n',
    });
    assert.deepEqual([...model.files.keys()], ['/home/me/apache2/apache2.conf', '/home/me/apache2/ports.conf']);
  });

  it('that was copied without its ServerRoot is read here, where the names of folders tell', () => {
    const model = read({
      '/home/me/apache2/httpd.conf':
        'ServerRoot /usr/lib/apache2\nInclude /etc/apache2/vhosts.d/*.conf\nInclude /opt/apache2/none/*.conf\n',
      '/home/me/apache2/vhosts.d/a.conf': '',
    });
    assert.deepEqual([...model.files.keys()], ['/home/me/apache2/httpd.conf', '/home/me/apache2/vhosts.d/a.conf']);
    assert.deepEqual(
      model.gaps.map(({ what }) => what),
      ['/opt/apache2/none/*.conf'],
    );
  });

  describe('that was copied from another machine', () => {
    const filesOf = (files: Readonly<Record<string, string>>, server?: ServerSettings) => {
      const { files: found, gaps } = read(files, server);
      return [...found.keys()].slice(1).concat(gaps.map(({ what }) => `- ${what}`));
    };

    it('reads nothing that this machine has under the same name', () => {
      const main = 'Include /etc/httpd/conf.d/*.conf\nInclude /opt/a.conf\n';
      const here = { '/etc/httpd/conf.d/here.conf': '', '/opt/a.conf': '' };
      assert.deepEqual(filesOf({ '/home/me/httpd/conf/httpd.conf': `ServerRoot "/etc/httpd"\n${main}`, ...here }), [
        '- /etc/httpd/conf.d/*.conf',
        '- /opt/a.conf',
      ]);
      assert.deepEqual(
        filesOf({ '/home/me/etc/httpd/conf/httpd.conf': main, '/home/me/etc/httpd/conf.d/a.conf': '', ...here }),
        ['/home/me/etc/httpd/conf.d/a.conf', '- /opt/a.conf'],
      );
    });

    it('is mapped once where the whole file system was copied', () => {
      for (const serverRoot of ['', 'ServerRoot "/etc/apache2/"\n']) {
        const main = `${serverRoot}Include mods-enabled/*.load\nInclude /etc/apache2/ports.conf\nInclude /opt/a.conf\n`;
        const files = {
          '/x/etc/apache2/apache2.conf': main,
          '/x/etc/apache2/mods-enabled/a.load': '',
          '/x/etc/apache2/ports.conf': '',
          '/x/opt/a.conf': '',
          '/etc/apache2/ports.conf': '',
        };
        assert.deepEqual(
          filesOf(files),
          ['/x/etc/apache2/mods-enabled/a.load', '/x/etc/apache2/ports.conf', '/x/opt/a.conf'],
          serverRoot,
        );
      }
    });

    it('is none where the root lies at its ServerRoot or below, or this below the root', () => {
      for (const [root, serverRoot] of [
        ['/usr/local/etc/apache22/httpd.conf', '/usr/local'],
        ['/srv/web/httpd.conf', '/srv/web/apache'],
        ['/srv/web/x/apache2.conf', '/srv/web'],
        ['/etc/httpd/conf/httpd.conf', '/etc/httpd/'],
      ]) {
        assert.deepEqual(
          filesOf({
            [root]: `ServerRoot ${serverRoot}\nInclude /opt/a.conf\nInclude /etc/b.conf\n`,
            '/opt/a.conf': '',
            '/etc/b.conf': '',
          }),
          ['/opt/a.conf', '/etc/b.conf'],
          root,
        );
      }
    });

    it('reads what a person maps, and what --server-root names', () => {
      const main =
        'ServerRoot /etc/httpd\nInclude conf.d/a.conf\nInclude /etc/httpd/conf.d/b.conf\nInclude /opt/c.conf\nInclude /usr/d.conf\n';
      const files = {
        '/my/conf/httpd.conf': main,
        '/my/conf.d/a.conf': '',
        '/my/conf.d/b.conf': '',
        '/else/c.conf': '',
        '/opt/c.conf': '',
        '/usr/d.conf': '',
      };
      const expected = ['/my/conf.d/a.conf', '/my/conf.d/b.conf', '/else/c.conf', '- /usr/d.conf'];
      const map = (...entries: [string, string][]) => ({
        pathMap: { entries: entries.map(([from, to]) => ({ from, to })) },
      });
      assert.deepEqual(filesOf(files, map(['/etc/httpd', '/my'], ['/opt', '/else'])), expected);
      assert.deepEqual(filesOf(files, map(['/opt', '/else'])), expected);
      assert.deepEqual(filesOf(files, { serverRoot: '/my', ...map(['/opt', '/else']) }), expected);
    });
  });

  it('of Windows is read here', () => {
    const model = read({
      '/home/me/conf/httpd.conf': 'ServerRoot "C:/Apache24"\nInclude "C:/Apache24/conf/a.conf"\nInclude conf/b.conf\n',
      '/home/me/conf/a.conf': '',
      '/home/me/conf/b.conf': '',
    });
    assert.deepEqual(
      [...model.files.keys()],
      ['/home/me/conf/httpd.conf', '/home/me/conf/a.conf', '/home/me/conf/b.conf'],
    );
  });

  it('that includes itself ends', () => {
    const model = read('Include conf/httpd.conf\nInclude conf/httpd.conf\n');
    assert.ok(model.gaps.every(({ reason }) => reason === 'too-deep'));
    assert.ok(model.files.size === 1 && model.modules === null);
  });

  it('that includes itself is read a few times, not once for each depth that the server allows', () => {
    const model = read('Include conf/httpd.conf\n'.repeat(50));
    assert.ok(model.gaps.length > 0);
    assert.ok(model.includes.get(ROOT)!.length < 12 * 50);
  });

  it('that includes another one, and is included by it, is read a few times, too', () => {
    const model = read({
      '/etc/httpd/conf/httpd.conf': 'Include conf/a.conf\n',
      '/etc/httpd/conf/a.conf': 'Include conf/httpd.conf\n',
    });
    assert.ok(model.gaps.every(({ reason }) => reason === 'too-deep'));
    assert.ok([...model.includes.values()].every(({ length }) => length < 12));
  });

  it('with definitions that double holds no value that nobody knows', () => {
    const doubled = Array.from({ length: 60 }, (_, i) => `Define v${i + 1} "\${v${i}} \${v${i}}"\n`).join('');
    const long = (text: string) => [...read(text).variables.values()].flat().filter(({ value }) => value !== null);
    assert.equal(long(doubled).length, 0);
    assert.equal(long(`Define v0 aaaaaaaa\n${doubled}`).length, 14);
  });

  it('with definitions that double and are used often holds a bounded text', () => {
    const doubled = Array.from({ length: 17 }, (_, i) => `Define v${i + 1} \${v${i}}\${v${i}}\n`).join('');
    const copies = Array.from({ length: 200 }, (_, i) => `Define c${i} \${v12}\n`).join('');
    const { variables } = read(`Define v0 aaaaaaaa\n${doubled}${copies}`);
    const text = [...variables.values()].flat().map(({ value }) => value ?? '');
    assert.ok(text.join('').length < 3_000_000);
    assert.equal(variables.get('c1')?.[0]?.value?.length, 8 * 2 ** 12);
    assert.equal(variables.get('c199')?.[0]?.value, null);
  });

  it('with macros that double their argument brings in a bounded text, and names what it leaves out', () => {
    const doubling = (uses: number) =>
      [
        '<Macro m0 $x>\nServerAdmin $x\n</Macro>\n',
        ...Array.from({ length: 13 }, (_, i) => `<Macro m${i + 1} $x>\n${`Use m${i} $x$x\n`.repeat(uses)}</Macro>\n`),
        'Use m13 a\n',
      ].join('');
    assert.deepEqual(read(doubling(1)).gaps, []);
    const { gaps, files } = read(doubling(10));
    assert.ok(gaps.some(({ reason }) => reason === 'macro'));
    const uses = [...files.values()].flat().flatMap((reading) => [...reading.uses.values()]);
    assert.ok(uses.length < 10_000, String(uses.length));
  });

  it('that includes itself once, under a condition, is in order', () => {
    assert.deepEqual(
      read('<IfDefine !Read>\nDefine Read\nInclude conf/httpd.conf\n</IfDefine>\n', { defines: new Map() }).gaps,
      [],
    );
  });

  it('takes the names of .htaccess files from variables', () => {
    const { accessFileNames } = read('Define NAME access\nAccessFileName .${NAME} .b\n', { defines: new Map() });
    assert.deepEqual([...accessFileNames], ['.access', '.b']);
  });

  it('with more nested sections than the configuration is read, in files that include each other, has a gap', () => {
    const nested = (line: string) => `${'<Directory /a>\n'.repeat(190)}${line}${'</Directory>\n'.repeat(190)}`;
    const reasons = (count: number) => {
      const names = [...Array(count).keys()].map((index) => (index === 0 ? ROOT : `/etc/httpd/${index}.conf`));
      const files = names.map((name, index) => [
        name,
        nested(index + 1 < count ? `Include ${index + 1}.conf\n` : 'Define A\n'),
      ]);
      return read(Object.fromEntries(files)).gaps.map(({ reason }) => reason);
    };
    assert.deepEqual([reasons(3), reasons(4)], [[], ['too-deep']]);
  });

  it('with sections nested without end, over many files, ends', () => {
    const nested = `${'<Directory /a>\n'.repeat(190)}Include conf/httpd.conf\n${'</Directory>\n'.repeat(190)}`;
    assert.ok(read(nested).gaps.some(({ reason }) => reason === 'too-deep'));
  });
});

describe('conditions', () => {
  const CASES: readonly [string, string, string, ServerSettings?][] = [
    [
      'a module that is loaded before',
      'a',
      `${COMPLETE}LoadModule ssl_module modules/mod_ssl.so\n<IfModule ssl_module>\n</IfModule>\n`,
    ],
    [
      'its source file',
      'a',
      `${COMPLETE}LoadModule ssl_module modules/mod_ssl.so\n<IfModule mod_ssl.c>\n</IfModule>\n`,
    ],
    [
      'the same with other case, which no module has',
      'i',
      `${COMPLETE}LoadModule ssl_module modules/mod_ssl.so\n<IfModule MOD_SSL.c>\n</IfModule>\n`,
    ],
    [
      'a module that is loaded afterwards',
      'ia',
      `${COMPLETE}<IfModule ssl_module>\n</IfModule>\nLoadModule ssl_module modules/mod_ssl.so\n<IfModule mod_ssl.c>\n</IfModule>\n`,
    ],
    [
      'the same condition twice',
      'ia',
      `${COMPLETE}<IfModule ssl_module>\n</IfModule>\nLoadModule ssl_module modules/mod_ssl.so\n<IfModule ssl_module>\n</IfModule>\n`,
    ],
    [
      'one that nothing loads',
      'ia',
      `${COMPLETE}<IfModule ssl_module>\n</IfModule>\n<IfModule !ssl_module>\n</IfModule>\n`,
    ],
    [
      'one that nothing loads, where there may be more modules',
      'uu',
      '<IfModule ssl_module>\n</IfModule>\n<IfModule !ssl_module>\n</IfModule>\n',
    ],
    [
      'one that may be loaded',
      'uu',
      `${COMPLETE}<IfDefine SSL>\nLoadModule ssl_module modules/mod_ssl.so\n</IfDefine>\n<IfModule ssl_module>\n</IfModule>\n`,
    ],
    [
      'one that a missing file may load',
      'u',
      `${COMPLETE}Include conf/missing.conf\n<IfModule ssl_module>\n</IfModule>\n`,
    ],
    [
      'a foreign module',
      'aai',
      `${COMPLETE}LoadModule wsgi_module modules/mod_wsgi.so\n<IfModule wsgi_module>\n</IfModule>\n<IfModule mod_wsgi.c>\n</IfModule>\n<IfModule mod_perl.c>\n</IfModule>\n`,
    ],
    [
      'what every server has',
      'aaa',
      '<IfModule core.c>\n</IfModule>\n<IfModule mod_so.c>\n</IfModule>\n<IfModule !mod_mem_cache.c>\n</IfModule>\n',
    ],
    [
      'what is compiled in',
      'ai',
      '<IfModule mod_log_config.c>\n</IfModule>\n<IfModule mod_logio.c>\n</IfModule>\n',
      { builtIn: new Set(['core', 'mod_so', 'mod_log_config']) },
    ],
    ['a name that is defined', 'ai', 'Define A\n<IfDefine A>\n</IfDefine>\n<IfDefine !A>\n</IfDefine>\n'],
    ['a name with other case', 'u', 'Define A\n<IfDefine a>\n</IfDefine>\n'],
    [
      'a name that nobody said of whether the server is started with it',
      'uu',
      '<IfDefine A>\n</IfDefine>\n<IfDefine !A>\n</IfDefine>\n',
    ],
    [
      'a name that the server is started with',
      'ai',
      '<IfDefine A>\n</IfDefine>\n<IfDefine B>\n</IfDefine>\n',
      { defines: new Map([['A', '']]) },
    ],
    ['a name that is defined no more', 'i', 'Define A\nUnDefine A\n<IfDefine A>\n</IfDefine>\n'],
    ['a name defined in a section', 'a', '<Directory /a>\nDefine A\n</Directory>\n<IfDefine A>\n</IfDefine>\n'],
    [
      'a name defined where nothing is read',
      'iu',
      'Define B\n<IfDefine !B>\nDefine A\n</IfDefine>\n<IfDefine A>\n</IfDefine>\n',
    ],
    ['a name that may be defined', 'uu', '<IfDefine B>\nDefine A\n</IfDefine>\n<IfDefine A>\n</IfDefine>\n'],
    ['a condition with a variable', 'a', 'Define NAME SSL\nDefine SSL\n<IfDefine ${NAME}>\n</IfDefine>\n'],
    ['the version', 'ai', '<IfVersion >= 2.4>\n</IfVersion>\n<IfVersion < 2.4>\n</IfVersion>\n'],
    [
      'a directive',
      'aui',
      'LoadModule alias_module modules/mod_alias.so\n<IfDirective Alias>\n</IfDirective>\n<IfDirective RewriteEngine>\n</IfDirective>\n<IfDirective !ServerName>\n</IfDirective>\n',
    ],
    ['a section', 'aa', '<IfSection Directory>\n</IfSection>\n<IfSection VirtualHost>\n</IfSection>\n'],
    ['a directive of a module that is not there', 'i', `${COMPLETE}<IfDirective RewriteEngine>\n</IfDirective>\n`],
    [
      'what a macro defines where it is used',
      'ua',
      '<Macro Switch $name>\nDefine $name\n</Macro>\n<IfDefine A>\n</IfDefine>\nUse switch A\n<IfDefine A>\n</IfDefine>\n',
    ],
    [
      'what a macro of macros loads',
      'a',
      '<Macro Load $m>\nLoadModule $m_module modules/mod_$m.so\n</Macro>\n<Macro Two>\nUse Load ssl\n</Macro>\nUse Two\n<IfModule mod_ssl.c>\n</IfModule>\n',
    ],
    [
      'one condition in another, of which nothing is read',
      'iui',
      `${COMPLETE}<IfModule mod_ssl.c>\n<IfModule mod_so.c>\n</IfModule>\n</IfModule>\n<IfVersion < 2.4>\n</IfVersion>\n`,
    ],
  ];
  for (const [title, expected, text, server] of CASES) it(title, () => assert.equal(answers(text, server), expected));

  it('a file', () => {
    const files = {
      [ROOT]:
        'ServerRoot /etc/httpd\n<IfFile conf/there.pem>\n</IfFile>\n<IfFile conf/gone.pem>\n</IfFile>\n<IfFile !/elsewhere/a>\n</IfFile>\n',
      '/etc/httpd/conf/there.pem': '',
    };
    assert.equal(answers(files), 'aiu');
  });

  it('a file of another machine', () => {
    const root = '/home/me/conf/httpd.conf';
    assert.equal(
      answers({
        [root]: 'ServerRoot /etc/httpd\n<IfFile conf/there.pem>\n</IfFile>\n<IfFile conf/gone.pem>\n</IfFile>\n',
        '/home/me/conf/there.pem': '',
      }),
      'au',
    );
  });

  it('a file that is read twice, and holds other things each time', () => {
    const twice =
      'Define A\nInclude conf/a.conf\nUnDefine A\nInclude conf/a.conf\n<VirtualHost *>\nInclude conf/a.conf\n</VirtualHost>\n';
    const files = {
      [ROOT]: twice,
      '/etc/httpd/conf/a.conf': '<IfDefine A>\n</IfDefine>\n<IfVersion >= 2.4>\n</IfVersion>\n',
    };
    assert.equal(answers(files, { defines: new Map() }, '/etc/httpd/conf/a.conf'), 'ua');
  });

  it('a macro in one file, used in another', () => {
    const files = {
      [ROOT]: `${COMPLETE}Include conf/macros.conf\nLoadModule ssl_module modules/mod_ssl.so\n<VirtualHost *>\nUse Host\n</VirtualHost>\n`,
      '/etc/httpd/conf/macros.conf':
        '<Macro Host>\n<IfModule mod_ssl.c>\nInclude conf/in.conf\n</IfModule>\n</Macro>\n',
      '/etc/httpd/conf/in.conf': '',
    };
    assert.deepEqual(
      read(files)
        .files.get('/etc/httpd/conf/in.conf')!
        .map(({ containers }) => containers),
      [['virtualhost']],
    );
  });

  it('say why', () => {
    const view = memoryFiles({ [ROOT]: `${COMPLETE}<IfModule mod_ssl.c>\n</IfModule>\n` });
    const model = readModel({ mainFile: ROOT, view: configView(view) })!;
    const { root } = view.read(ROOT)!;
    const [surrounded] = new FileContexts(model, new ContextInterner()).contextsOfFile(ROOT, summarize(root));
    const section = root.children.find((child) => child instanceof Section) as Section;
    assert.equal(surrounded.conditionResultOf(section)!.why, 'mod_ssl.c is not loaded above this line');
  });
});

describe('what a configuration says of its files', () => {
  const fileContext = (files: Record<string, string>, path: string, interner = new ContextInterner()) => {
    const view = memoryFiles(files);
    const model = readModel({ mainFile: ROOT, view: configView(view) })!;
    const [surrounded] = new FileContexts(model, interner).contextsOfFile(path, summarize(view.read(path)!.root));
    interner.dropUnused();
    return surrounded;
  };
  const SNIPPET = '/etc/httpd/conf/a.conf';

  it('modules, where all of them are known', () => {
    const of = (text: string) => fileContext({ [ROOT]: text }, ROOT).modules;
    assert.ok(of(COMPLETE)!.has('event') && of(COMPLETE)!.has('core') && !of(COMPLETE)!.has('mod_ssl'));
    assert.ok(of(`${COMPLETE}<IfDefine A>\nLoadModule ssl_module a\n</IfDefine>\n`)!.has('mod_ssl'));
    assert.equal(of('LoadModule ssl_module modules/mod_ssl.so\n'), null);
    assert.equal(of(`${COMPLETE}Include conf/missing.conf\n`), null);
    assert.equal(of(`${COMPLETE}<Perl>\n</Perl>\n`), null);
  });

  it('modules on Windows, where no server has mod_unixd, and the MPM is compiled in', () => {
    const loads = ['authz_core', 'access_compat', 'alias', 'dir']
      .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
      .join('');
    const conditions =
      '<IfModule unixd_module>\nUser daemon\n</IfModule>\n<IfModule mpm_winnt_module>\nThreadsPerChild 150\n</IfModule>\n<IfModule alias_module>\n</IfModule>\n<IfModule dav_module>\n</IfModule>\n';
    const xampp = {
      'C:/xampp/apache/conf/httpd.conf': `Define XAMPP "C:/xampp"\nServerRoot "C:/xampp/apache"\nListen 80\n${loads}${conditions}Include "conf/extra/httpd-xampp.conf"\n`,
      'C:/xampp/apache/conf/extra/httpd-xampp.conf': '<IfModule mime_module>\n</IfModule>\n',
    };
    const lounge = {
      '/backup/Apache24/conf/httpd.conf': `Define SRVROOT "c:/Apache24"\nServerRoot "\${SRVROOT}"\nListen 80\n${loads}${conditions}Include conf/extra/httpd-ssl.conf\n`,
      '/backup/Apache24/conf/extra/httpd-ssl.conf': '',
    };
    for (const files of [xampp, lounge]) {
      assert.deepEqual(
        [...(read(files).modules ?? [])].sort(),
        ['core', 'mod_access_compat', 'mod_alias', 'mod_authz_core', 'mod_dir', 'mod_so', 'mpm_winnt'],
        Object.keys(files)[0],
      );
      assert.equal(answers(files), 'iaai');
    }
    // A configuration of 2.2 does not show what 2.4 will load.
    assert.equal(read(Object.values(xampp)[0]!.replace(/.*authz_core.*/, '')).modules, null);
  });

  it('variables', () => {
    const files = {
      [ROOT]:
        'Define ONE 1\nDefine TWO 1\nDefine TWO 2\n<IfDefine A>\nDefine MAY 1\n</IfDefine>\nInclude conf/a.conf\n',
      [SNIPPET]: 'A ${ONE} ${TWO} ${MAY} ${HOME}\n',
    };
    const { variable } = { variable: (name: string) => fileContext(files, SNIPPET).variable(name) };
    assert.deepEqual(['one', 'TWO', 'MAY', 'HOME'].map(variable), ['1', undefined, undefined, null]);
  });

  it('is the same object as long as it is the same', () => {
    const interner = new ContextInterner();
    const files = { [ROOT]: 'Define A 1\nInclude conf/a.conf\n', [SNIPPET]: '<IfDefine A>\n</IfDefine>\n' };
    const first = fileContext(files, SNIPPET, interner);
    assert.equal(
      fileContext({ ...files, [ROOT]: 'Define A 2\nServerAdmin me\nInclude conf/a.conf\n' }, SNIPPET, interner),
      first,
    );
    assert.notEqual(fileContext({ ...files, [ROOT]: 'Include conf/a.conf\n' }, SNIPPET, interner), first);
  });

  it('the overrides of a .htaccess', () => {
    const at = (text: string, folder = '/var/www/a') => {
      const view = memoryFiles({ [ROOT]: text, '/none/.htaccess': '' });
      const model = readModel({ mainFile: ROOT, view: configView(view) })!;
      const found = new FileContexts(model, new ContextInterner()).contextOfHtaccess(
        folder,
        summarize(view.read('/none/.htaccess')!.root),
      );
      return found && [found.overrides && [...found.overrides], found.overrideList && [...found.overrideList]];
    };
    const served = (sections: string) => `DocumentRoot /var/www\n${sections}`;
    assert.equal(at(served('')), null, 'None is the default');
    assert.equal(at(served('<Directory /var/www>\nAllowOverride None\n</Directory>\n')), null);
    assert.equal(at('<Directory />\nAllowOverride All\n</Directory>\n'), null, 'not served');
    assert.deepEqual(at(served('<Directory />\nAllowOverride All\n</Directory>\n')), [['all'], undefined]);
    assert.deepEqual(
      at(
        served(
          '<Directory /var/www/a>\nAllowOverride FileInfo Options=Indexes\n</Directory>\n<Directory />\nAllowOverride All\n</Directory>\n',
        ),
      ),
      [['fileinfo', 'options=indexes'], undefined],
    );
    assert.deepEqual(at(served('<Directory /var/*/a>\nAllowOverride Limit\n</Directory>\n')), [['limit'], undefined]);
    assert.deepEqual(at(served('<Directory /var/www>\nAllowOverrideList Redirect\n</Directory>\n')), [
      [],
      ['redirect'],
    ]);
    assert.deepEqual(
      at(served('<DirectoryMatch a>\nAllowOverride All\n</DirectoryMatch>\n')),
      [null, undefined],
      'not known',
    );
    assert.deepEqual(
      at(served('<VirtualHost *>\n<Directory /var>\nAllowOverride All\n</Directory>\n</VirtualHost>\n')),
      [null, undefined],
      'in one virtual host only',
    );
    assert.deepEqual(at('Alias /x /srv/x\n<Directory /srv>\nAllowOverride All\n</Directory>\n', '/srv/x'), [
      ['all'],
      undefined,
    ]);
  });
});
