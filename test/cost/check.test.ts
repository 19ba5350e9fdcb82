/**
 * One `check` reads a configuration once: each file from the disk, and each part of the program
 * goes through it a fixed number of times, however many files there are.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Engine, checkCounts } from '../../server/src/analysis/engine';
import { readingCounts as readers } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';
import { modelCounts as walks } from '../../server/src/config/read-model';
import { check, fix, plan } from '../../server/src/library';
import { ALL_RULES } from '../../server/src/rules/all';
import { projectOf } from '../support/project';
import { main } from '../../server/src/cli/main';
import { Tree } from '../../server/src/syntax/document';
import { Folder, run } from '../cli/run';

const MAIN = '/etc/httpd/conf/httpd.conf';

function tree(size: number): Record<string, string> {
  const files: Record<string, string> = {
    [MAIN]:
      'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv/www\nLoadModule authz_host_module modules/mod_authz_host.so\n<Directory />\nAllowOverride None\nOrder allow,deny\nAllow from 192.0.2.0/24\n</Directory>\n<IfDefine X>\nInclude conf.d/0000.conf\n</IfDefine>\nInclude conf.d/*.conf\n',
  };
  for (let i = 0; i < size; i++)
    files[`/etc/httpd/conf.d/${String(i).padStart(4, '0')}.conf`] =
      `<VirtualHost *:80>\nServerName h${i}\n<Directory /srv/www/a${i}>\nOrder allow,deny\nAllow from 192.0.2.${i % 250}\n</Directory>\n</VirtualHost>\n`;
  return files;
}

/** What is loaded, the rules, and access control each read a configuration. */
const READERS = 3;

describe('what a check reads', () => {
  it('each file from the disk once, beside the glance that tells whether it is configuration, or a main file', async () => {
    const folder = new Folder();
    try {
      const files = tree(6);
      for (const [file, text] of Object.entries(files)) folder.write(file.slice(1), text);
      folder.write('etc/sysconfig/httpd', 'OPTIONS="-D Y"\n');
      // Notes each file that is opened.
      folder.write(
        'note.cjs',
        `const fs = require('node:fs'), { openSync } = fs; fs.openSync = (file, ...rest) => { fs.appendFileSync(${JSON.stringify(folder.at('opened'))}, String(file) + '\\n'); return openSync(file, ...rest); };`,
      );
      const { code, err } = await run(['check', folder.at('etc')], {
        env: { NODE_OPTIONS: `--require ${JSON.stringify(folder.at('note.cjs'))}` },
      });
      assert.equal(code, 1, err);
      const opened = readFileSync(folder.at('opened'), 'utf8')
        .split('\n')
        .filter((file) => file.startsWith(folder.at('etc')))
        .map((file) => file.slice(folder.path.length).replace(/^\/?/, '/'));
      const counts = new Map<string, number>();
      for (const file of opened) counts.set(file, (counts.get(file) ?? 0) + 1);
      assert.deepEqual([...counts.keys()].sort(), [...Object.keys(files), '/etc/sysconfig/httpd'].sort());
      // What the search has glanced at is not read again; what other files name, it has not seen.
      for (const [file, count] of counts) assert.ok(count <= (file.endsWith('.conf') ? 1 : 3), `${file}: ${count}`);
    } finally {
      folder.remove();
    }
  });

  it("a short file without node's crypto and timers of performance, which take longer than the file", async () => {
    const folder = new Folder();
    try {
      folder.write('httpd.conf', 'ServerName localhost\n');
      const loaded = `require('node:fs').writeFileSync(${JSON.stringify(folder.at('loaded'))}, process.moduleLoadList.join('\\n'))`;
      folder.write('note.cjs', `process.on('exit', () => ${loaded});`);
      const { code, err } = await run(['check', folder.at('httpd.conf')], {
        env: {
          NODE_OPTIONS: `--require ${JSON.stringify(folder.at('note.cjs'))}`,
          HTTPD_UPGRADE_STATE: folder.at('state'),
        },
      });
      assert.equal(code, 0, err);
      const modules = readFileSync(folder.at('loaded'), 'utf8').split('\n');
      assert.deepEqual(
        ['crypto', 'perf_hooks', 'child_process', 'worker_threads'].filter((name) =>
          modules.includes(`NativeModule ${name}`),
        ),
        [],
      );
    } finally {
      folder.remove();
    }
  });

  it('each file of a tree once, and each directory, whatever their names tell, and asks twice at most what one is', async () => {
    const folder = new Folder();
    try {
      const files = ['0', '1', '2'].flatMap((name) => [`srv/sites/${name}.conf`, `srv/www/${name}/.htaccess`]);
      folder.write('srv/conf/httpd.conf', `ServerRoot "${folder.at('srv')}"\nListen 80\nInclude sites/*.conf\n`);
      for (const file of files)
        folder.write(
          file,
          file.endsWith('.conf')
            ? `<Directory "${folder.at(`srv/www/${file[10]}`)}">\nAllowOverride All\nOrder deny,allow\nDeny from all\n</Directory>\n`
            : 'Order allow,deny\nAllow from all\n',
        );
      folder.write(
        'note.cjs',
        `const fs = require('node:fs'), { openSync, readdirSync, appendFileSync, lstatSync, statSync, realpathSync } = fs; const note = (file) => appendFileSync(${JSON.stringify(folder.at('noted'))}, String(file) + '\\n');
        fs.openSync = (file, ...rest) => { note(file); return openSync(file, ...rest); };
        fs.readdirSync = (file, ...rest) => { note(file); return readdirSync(file, ...rest); };
        fs.lstatSync = (file, ...rest) => { note('look ' + file); return lstatSync(file, ...rest); };
        fs.statSync = (file, ...rest) => { note('look ' + file); return statSync(file, ...rest); };
        const { native } = realpathSync; realpathSync.native = (file, ...rest) => { note('look ' + file); return native(file, ...rest); };
        fs.promises.readdir = () => { throw new Error('asked for a directory in another way'); };`,
      );
      const { code, err } = await run(['check', folder.at('srv')], {
        env: { NODE_OPTIONS: `--require ${JSON.stringify(folder.at('note.cjs'))}` },
      });
      assert.equal(code, 1, err);
      const noted = readFileSync(folder.at('noted'), 'utf8').split('\n');
      for (const name of [...files, 'srv', 'srv/sites', 'srv/www', 'srv/www/0']) {
        const count = noted.filter((file) => file === folder.at(name)).length;
        assert.equal(count, 1, name);
        const looks = noted.filter((file) => file === `look ${folder.at(name)}`).length;
        // Once by the walk, and once when opening it or looking up a folder. Given files are looked
        // at before the walk.
        assert.ok(name === 'srv' || looks <= 2, `${name}: asked ${looks} times`);
      }
    } finally {
      folder.remove();
    }
  });

  /**
   * How often each file is read, on average: by the walk that makes the model, and by all who ask
   * for lines.
   */
  function readingsOf(files: Record<string, string>): { walks: number; readers: number } {
    const view = memoryFiles(files);
    const all = Object.keys(files);
    const engine = new Engine({ rules: ALL_RULES });
    const projects = { engineOf: () => engine, serverOf: () => ({}) };
    const before = [walks.readings, readers.readings] as const;
    const read = projectOf(view, projects, MAIN, all);
    const found = all.flatMap((path) => [...read.findings({ path, tree: view.read(path)! })]);
    assert.ok(found.length > all.length / 2);
    const readings = all.length + (files[MAIN]!.match(/0000/g)?.length ?? 0);
    return {
      walks: (walks.readings - before[0]) / readings,
      readers: (readers.readings - before[1]) / readings,
    };
  }

  const with24 = (text: string) => {
    const files = tree(10);
    const modules = ['authz_core', 'unixd', 'mpm_event', 'alias', 'mime', 'dir', 'access_compat'];
    files[MAIN] =
      `${modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('')}${text}${files[MAIN]}`;
    return files;
  };

  it('interprets each line of a configuration once for each reader; and walks through it once', () => {
    // The root, the files, and the one that is included twice.
    assert.deepEqual([readingsOf(tree(10)), readingsOf(tree(200))], Array(2).fill({ walks: 1, readers: READERS }));
  });

  it('finds the problems of a file once, however often a run needs them', () => {
    const view = memoryFiles(tree(1));
    const engine = new Engine({ rules: ALL_RULES });
    const project = projectOf(view, { engineOf: () => engine, serverOf: () => ({}) }, MAIN);
    const file = { path: MAIN, tree: view.read(MAIN)! };
    assert.equal(project.findings(file), project.findings(file));
    assert.equal(project.findings(file), project.project.findings(project.projectFileOf(file)));
  });

  it('keeps what it found in one file at a time', async () => {
    const folder = new Folder();
    const { forget } = Engine.prototype;
    const forgotten: Tree[] = [];
    try {
      const files = tree(6);
      for (const [file, text] of Object.entries(files)) folder.write(file.slice(1), text);
      Engine.prototype.forget = function (file) {
        forgotten.push(file);
        forget.call(this, file);
      };
      for (const command of ['check', 'plan']) {
        forgotten.length = 0;
        await main([command, '--output', folder.at('report'), folder.at('etc')]);
        // The last file makes room for no other one.
        assert.equal(new Set(forgotten).size, Object.keys(files).length - 1, command);
      }
    } finally {
      Engine.prototype.forget = forget;
      folder.remove();
    }
  });

  it('forgets all that is cached about a file', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const file = Tree.parse(tree(1)['/etc/httpd/conf.d/0000.conf']! + 'MaxClients 5\n'.repeat(100));
    const checks = () => {
      const before = checkCounts.checks;
      assert.ok(engine.analyze(file, { isHtaccess: false }).findings().length > 100);
      return checkCounts.checks - before;
    };
    assert.ok(checks() > 200);
    assert.ok(checks() < 20);
    engine.forget(file);
    assert.ok(checks() > 200);
  });

  it('for a check, a plan and a fix alike, in proportion to the files', () => {
    const readings = (size: number, job: (files: Readonly<Record<string, string>>) => unknown) => {
      const files = tree(size);
      const before = [walks.readings, readers.readings] as const;
      job(files);
      // The root, the files, and the one that is included twice.
      return [walks.readings - before[0], readers.readings - before[1]].map((count) => count / (size + 2));
    };
    for (const [job, of] of Object.entries({ check, plan, fix }))
      assert.deepEqual([readings(10, of), readings(200, of)], Array(2).fill([1, READERS]), job);
  });

  it('decides conditions again when it knows what is loaded, and reads nothing again for it', () => {
    const text =
      '<IfModule alias_module>\nAlias /x /srv/x\n<IfModule !mod_mime.c>\nAddType a/b .c\n</IfModule>\n</IfModule>\n<IfModule prefork.c>\nMaxClients 5\n</IfModule>\n';
    assert.deepEqual(readingsOf(with24(text)), { walks: 1, readers: READERS });
  });

  it('reads again where a condition that knows now what is loaded holds what says how other lines are read', () => {
    const text = '<IfModule !dav_module>\nDefine X 1\n</IfModule>\nServerAdmin ${X}\n';
    assert.deepEqual(readingsOf(with24(text)), { walks: 2, readers: READERS });
  });
});
