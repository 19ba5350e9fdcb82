/**
 * Features for build servers: formats, known problems, input from pipes, excluded files, results in
 * files.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { getLanguageService, TextDocument, type JSONSchema } from 'vscode-json-languageservice';
import { bundle } from '../support/built';
import { repositoryRoot } from '../support/paths';
import { needs, withFolder } from './run';

const OLD =
  'MaxClients 150\nLockFile logs/accept.lock\n<Directory /srv>\n Order allow,deny\n Allow from all\n</Directory>\n';
const HOSTILE = 'a&b"<c>\u0001é.conf';

interface Report {
  readonly files: { readonly path: string; readonly findings: { readonly rule: string; readonly known?: boolean }[] }[];
  readonly summary: { readonly findings: number };
}

describe(
  'formats for build servers',
  withFolder((folder) => {
    it('GitLab: one array, each problem with its own fingerprint, that stays when lines move', async () => {
      folder().write('a.conf', `${OLD}LockFile logs/accept.lock\n`);
      const read = async () =>
        JSON.parse((await folder().run(['check', '--format', 'gitlab', 'a.conf'])).out) as {
          fingerprint: string;
          severity: string;
          location: { path: string; lines: { begin: number } };
        }[];
      const before = await read();
      assert.ok(before.length >= 3);
      assert.equal(new Set(before.map(({ fingerprint }) => fingerprint)).size, before.length);
      for (const { severity, location } of before) {
        assert.match(severity, /^(info|minor|major|critical|blocker)$/);
        assert.equal(location.path, 'a.conf');
        assert.ok(location.lines.begin >= 1);
      }
      folder().write('a.conf', `# a comment above\n\n${OLD}   LockFile   logs/accept.lock\n`);
      assert.deepEqual(
        (await read()).map(({ fingerprint }) => fingerprint),
        before.map(({ fingerprint }) => fingerprint),
      );
    });

    it('GitLab: an empty array where there is nothing', async () => {
      folder().write('a.conf', 'Timeout 60\n');
      assert.deepEqual(await folder().run(['check', '--format', 'gitlab', 'a.conf']), {
        code: 0,
        out: '[]\n',
        err: '',
      });
    });

    for (const format of ['checkstyle', 'junit']) {
      it(`${format}: well-formed XML, whatever names and lines hold`, async () => {
        folder().write(HOSTILE, `${OLD}KeepAlive "<![CDATA[ & \u0001 ]]>"\n`);
        folder().write('good.conf', 'Timeout 60\n');
        const { out } = await folder().run(['check', '--format', format, HOSTILE, 'good.conf']);
        assert.equal(XMLValidator.validate(out), true, out);
        assert.doesNotMatch(out, /[\0-\x08\x0b\x0c\x0e-\x1f]/);
      });
    }

    it('Checkstyle: files with their problems', async () => {
      folder().write('a.conf', OLD);
      const { out } = await folder().run(['check', '--format', 'checkstyle', 'a.conf']);
      const { checkstyle } = new XMLParser({ ignoreAttributes: false }).parse(out) as {
        checkstyle: { file: { '@_name': string; error: Record<string, string>[] } };
      };
      assert.equal(checkstyle.file['@_name'], 'a.conf');
      const [first] = checkstyle.file.error;
      assert.deepEqual(
        [first!['@_line'], first!['@_column'], first!['@_severity'], first!['@_source']],
        ['1', '1', 'info', 'httpd-upgrade.max-clients'],
      );
    });

    it('JUnit: what is a reason to fail fails, and a file without problems passes', async () => {
      folder().write('a.conf', OLD);
      folder().write('good.conf', 'Timeout 60\n');
      const { out } = await folder().run(['check', '--format', 'junit', 'a.conf', 'good.conf']);
      const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(out) as {
        testsuites: { testsuite: { '@_name': string; '@_tests': string; '@_failures': string }[] };
      };
      const [bad, good] = testsuites.testsuite;
      assert.ok(Number(bad!['@_failures']) > 0 && Number(bad!['@_failures']) < Number(bad!['@_tests']));
      assert.deepEqual([good!['@_name'], good!['@_tests'], good!['@_failures']], ['good.conf', '1', '0']);
    });

    it('SARIF has a fix of very many lines once', async () => {
      const fixesOf = async (lines: number) => {
        folder().write('many.conf', 'RewriteLog logs/a\nRewriteLogLevel 3\n'.repeat(lines / 2));
        const { out } = await folder().run(['check', '--format', 'sarif', 'many.conf']);
        const log = JSON.parse(out) as { runs: { results: { fixes?: unknown[] }[] }[] };
        return log.runs[0]!.results.filter(({ fixes }) => fixes !== undefined).length;
      };
      assert.deepEqual([await fixesOf(20), await fixesOf(200)], [20, 1]);
    });

    it('SARIF is as the official schema says, with fixes that change the right text', async () => {
      folder().write('sub dir/a.conf', OLD);
      const { out } = await folder().run([
        'check',
        '--format',
        'sarif',
        '--assume-standalone',
        'sub dir/a.conf',
        folder().at('sub dir/a.conf'),
      ]);
      const log = JSON.parse(out);
      const schema = createRequire(__filename)(
        '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
      ) as JSONSchema;
      const service = getLanguageService({});
      const document = TextDocument.create('file:///log.sarif', 'json', 1, out);
      const validate = (given: TextDocument) =>
        service.doValidation(given, service.parseJSONDocument(given), {}, schema);
      assert.deepEqual(await validate(document), []);
      const broken = TextDocument.create('file:///broken.sarif', 'json', 1, out.replace('"startLine"', '"startLime"'));
      assert.notDeepEqual(await validate(broken), [], 'the schema is read');
      const [run] = log.runs;
      assert.equal(run.originalUriBaseIds.SRCROOT.uri, `${pathToFileURL(folder().path).href}/`);
      const rules = run.tool.driver.rules as { id: string; properties?: Record<string, unknown> }[];
      assert.equal(rules.find(({ id }) => id === 'order-allow-deny')!.properties!['security-severity'], '7.5');
      const result = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === 'max-clients');
      assert.deepEqual(result.locations[0].physicalLocation.artifactLocation, {
        uri: 'sub%20dir/a.conf',
        uriBaseId: 'SRCROOT',
      });
      const [
        {
          artifactChanges: [
            {
              replacements: [replacement],
            },
          ],
        },
      ] = result.fixes;
      const { startLine, startColumn, endColumn } = replacement.deletedRegion;
      const line = OLD.split('\n')[startLine - 1]!;
      assert.equal(
        line.slice(0, startColumn - 1) + replacement.insertedContent.text + line.slice(endColumn - 1),
        'MaxRequestWorkers 150',
      );
      assert.match(result.partialFingerprints['httpdUpgrade/v1'], /^[0-9a-f]{32}$/);
    });
  }),
);

describe(
  'a baseline',
  withFolder((folder) => {
    const check = async (...args: string[]) => {
      const { out, err, code } = await folder().run([
        'check',
        '--format',
        'json',
        '--baseline',
        'known.json',
        ...args,
        'a.conf',
      ]);
      return { err, code, report: (out === '' ? null : JSON.parse(out)) as Report };
    };

    it('old problems are known, new ones fail', async () => {
      folder().write('a.conf', OLD);
      assert.equal((await check()).err, 'httpd-upgrade: known.json: does not exist; write it with --update-baseline\n');
      const first = await check('--update-baseline');
      assert.deepEqual([first.code, first.err], [0, '']);
      const again = await check();
      assert.equal(again.code, 0);
      assert.ok(again.report.files[0]!.findings.every(({ known }) => known === true));
      assert.equal((await check('--new-only')).report.summary.findings, 0);

      folder().write('a.conf', `# moved\n${OLD}SSLMutex file:/tmp/x\n`);
      const more = await check('--new-only');
      assert.equal(more.code, 1);
      assert.deepEqual(
        more.report.files[0]!.findings.map(({ rule }) => rule),
        ['mutex-directive'],
      );
    });

    it('the summary tells what is known and what is new', async () => {
      folder().write('a.conf', 'MaxClients 1\n');
      await check('--update-baseline');
      const summary = async (...args: string[]) =>
        (await folder().run(['check', '--baseline', 'known.json', ...args, 'a.conf'])).out
          .split('\n')
          .filter((row) => / in 1 file/.test(row));
      assert.deepEqual(await summary(), ['1 problem in 1 file: 1 info. It is known.']);
      assert.deepEqual(await summary('--new-only'), ['No new problems in 1 file. 1 known problem is not shown.']);
      folder().write('a.conf', 'MaxClients 1\nKeepAlive 1\n');
      assert.deepEqual(await summary(), ['2 problems in 1 file: 1 error, 1 info. 1 of them is known.']);
      assert.deepEqual(await summary('--new-only'), [
        '1 new problem in 1 file: 1 error. 1 known problem is not shown.',
      ]);
    });

    it('of two lines that are alike, one is known', async () => {
      folder().write('a.conf', 'SSLMutex file:/tmp/x\n');
      await check('--update-baseline');
      folder().write('a.conf', 'SSLMutex file:/tmp/x\nSSLMutex   file:/tmp/x\n');
      const { code, report } = await check();
      assert.equal(code, 1);
      assert.deepEqual(
        report.files[0]!.findings.filter(({ rule }) => rule === 'mutex-directive').map(({ known }) => known),
        [true, false],
      );
    });

    it('formats without a field for it mark what is known, and lower its severity', async () => {
      folder().write('a.conf', 'SSLMutex file:/tmp/x\n');
      await check('--update-baseline');
      folder().write('a.conf', 'SSLMutex file:/tmp/x\nSSLMutex   file:/tmp/x\n');
      const out = async (format: string) =>
        (await folder().run(['check', '--baseline', 'known.json', '--format', format, 'a.conf'])).out;
      assert.match(
        await out('github'),
        /^::notice [^\n]*line=1,[^\n]*title=mutex-directive \(known\)::[^\n]*\n::error [^\n]*line=2,[^\n]*title=mutex-directive::/,
      );
      assert.deepEqual(
        (JSON.parse(await out('gitlab')) as { severity: string; description: string }[]).map(
          ({ severity, description }) => [severity, description.endsWith(' (known)')],
        ),
        [
          ['info', true],
          ['critical', false],
        ],
      );
      assert.match(await out('checkstyle'), /severity="info" message="[^"]*\(known\)"[^]*severity="error"/);
      assert.match(await out('junit'), /tests="2" failures="1"[^]*line 1 \(known\)"/);
    });

    it('a missing module stays known if a new file is the first that needs it', async () => {
      const main = 'ServerRoot /srv\nListen 80\nServerName a\n';
      const modules = ['authz_host', 'mime', 'dir', 'alias', 'negotiation', 'autoindex', 'setenvif', 'log_config']
        .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
        .join('');
      folder().write(
        'httpd.conf',
        `${main}${modules}Include conf.d/*.conf\nUser www\n<Directory />\nOrder allow,deny\n</Directory>\n`,
      );
      folder().write('conf.d/b.conf', 'Timeout 60\n');
      const run = (...args: string[]) => folder().run(['check', '--baseline', 'known.json', ...args, 'httpd.conf']);
      await run('--update-baseline');
      assert.match(folder().text('known.json'), /"mod_authz_core": 1/);
      folder().write('conf.d/a.conf', '<Directory /srv/a>\nRequire all denied\n</Directory>\n');
      const { code, out, err } = await run('--new-only');
      assert.equal(/missing-module/.test(out), false, out);
      assert.deepEqual([code, err], [0, '']);
    });

    it('what is gone is told, and what was not looked at stays', async () => {
      folder().write('a.conf', OLD);
      folder().write('b.conf', OLD);
      await folder().run(['check', '--baseline', 'known.json', '--update-baseline', 'a.conf', 'b.conf']);
      folder().write('a.conf', 'MaxClients 150\n');
      assert.match(
        (await check()).err,
        /^httpd-upgrade: \d known problems are gone: --update-baseline writes the baseline again\n$/,
      );
      await check('--update-baseline');
      const { problems } = JSON.parse(folder().text('known.json')) as {
        problems: Record<string, Record<string, unknown>>;
      };
      assert.deepEqual(Object.keys(problems['a.conf']!), ['max-clients']);
      assert.ok(Object.keys(problems['b.conf']!).length > 1);
    });

    it('SARIF tells new from unchanged, text says what is known', async () => {
      folder().write('a.conf', 'MaxClients 1\n');
      await check('--update-baseline');
      folder().write('a.conf', 'MaxClients 1\nMaxClients 2\n');
      const { out } = await folder().run(['check', '--baseline', 'known.json', '--format', 'sarif', 'a.conf']);
      assert.deepEqual(
        JSON.parse(out).runs[0].results.map(({ baselineState }: { baselineState: string }) => baselineState),
        ['unchanged', 'new'],
      );
      assert.match(
        (await folder().run(['check', '--baseline', 'known.json', 'a.conf'])).out,
        /^info\[max-clients\] \(known\): /m,
      );
    });

    const FOUR = 'MaxClients 1\nMaxClients 2\nMaxClients 3\nMaxClients 4\n';
    /**
     * Files before and after (null: gone); the known problems of each file afterwards; the
     * messages.
     */
    const MOVES: readonly {
      readonly title: string;
      readonly before: Readonly<Record<string, string>>;
      readonly after: Readonly<Record<string, string | null>>;
      readonly known: Readonly<Record<string, string>>;
      readonly says?: string;
    }[] = [
      {
        title: 'a renamed file keeps its known problems',
        before: { 'conf/a.conf': FOUR },
        after: { 'conf/a.conf': null, 'conf/b.conf': `# new name\n${FOUR}` },
        known: { 'conf/b.conf': 'known known known known' },
        says: '1 file of the baseline has a new name',
      },
      {
        title: 'a renamed file may change: what was there is known, what is new is new',
        before: { 'conf/a.conf': FOUR },
        after: { 'conf/a.conf': null, 'conf/b.conf': FOUR.replace('4', '4\nMaxClients 4\nSSLMutex file:/tmp/x') },
        known: { 'conf/b.conf': 'known known known known new new' },
      },
      {
        title: 'what a renamed file no longer has is gone',
        before: { 'conf/a.conf': FOUR },
        after: { 'conf/a.conf': null, 'conf/b.conf': 'MaxClients 1\nMaxClients 2\nMaxClients 3\n' },
        known: { 'conf/b.conf': 'known known known' },
        says: '1 known problem is gone',
      },
      {
        title: 'a copy is new: the file it came from is still there',
        before: { 'conf/a.conf': FOUR },
        after: { 'conf/b.conf': FOUR },
        known: { 'conf/a.conf': 'known known known known', 'conf/b.conf': 'new new new new' },
      },
      {
        title: 'one file has one new name: the copy of a renamed file is new',
        before: { 'conf/a.conf': FOUR },
        after: { 'conf/a.conf': null, 'conf/b.conf': FOUR, 'conf/c.conf': FOUR },
        known: { 'conf/b.conf': 'known known known known', 'conf/c.conf': 'new new new new' },
      },
      {
        title: 'a new file with less than half in common with one that is gone is new',
        before: { 'conf/a.conf': 'MaxClients 1\n' },
        after: { 'conf/a.conf': null, 'conf/b.conf': 'MaxClients 1\nMaxClients 2\nMaxClients 3\n' },
        known: { 'conf/b.conf': 'new new new' },
      },
      {
        title: 'a small new file is not a large one that is gone',
        before: { 'conf/a.conf': FOUR },
        after: { 'conf/a.conf': null, 'conf/b.conf': 'MaxClients 1\nListen 80\nKeepAlive On\n' },
        known: { 'conf/b.conf': 'new' },
      },
      {
        title: 'files that the baseline knows do not take over the problems of one that is gone',
        before: { 'conf/a.conf': FOUR, 'conf/b.conf': 'MaxClients 9\nListen 80\nKeepAlive On\n' },
        after: { 'conf/a.conf': null, 'conf/b.conf': FOUR },
        known: { 'conf/b.conf': 'new new new new' },
      },
      {
        title: 'the file of the same name in another folder goes first',
        before: { 'conf/sites/a.conf': FOUR, 'conf/sites/b.conf': `${FOUR}SSLMutex file:/tmp/x\n` },
        after: { 'conf/sites/a.conf': null, 'conf/sites/b.conf': null, 'conf/b.conf': FOUR, 'conf/a.conf': FOUR },
        known: { 'conf/a.conf': 'known known known known', 'conf/b.conf': 'known known known known' },
        says: '2 files of the baseline have new names',
      },
    ];

    for (const { title, before, after, known, says } of MOVES) {
      it(title, async () => {
        const run = (...args: string[]) => folder().run(['check', '--baseline', 'known.json', ...args, 'conf']);
        for (const [name, text] of Object.entries(before)) folder().write(name, text);
        await run('--update-baseline');
        for (const [name, text] of Object.entries(after)) {
          if (text === null) rmSync(path.join(folder().path, name));
          else folder().write(name, text);
        }
        const { out, err } = await run('--format', 'json');
        assert.deepEqual(
          Object.fromEntries(
            (JSON.parse(out) as Report).files.map(({ path: file, findings }) => [
              file,
              findings.map((each) => (each.known ? 'known' : 'new')).join(' '),
            ]),
          ),
          known,
        );
        if (says) assert.ok(err.includes(`${says}: --update-baseline writes the baseline again`), err);
        await run('--update-baseline');
        const { problems } = JSON.parse(folder().text('known.json')) as { problems: Record<string, unknown> };
        assert.deepEqual(Object.keys(problems), Object.keys(known));
        assert.deepEqual([(await run()).code, (await run()).err], [0, '']);
      });
    }

    for (const [title, text] of [
      ['no JSON', '{'],
      ['something else', '{"version":1,"problems":{"a":1}}'],
      ['a list', '[]'],
    ] as const) {
      it(`${title} is no baseline, and stays`, async () => {
        folder().write('a.conf', OLD);
        folder().write('known.json', text);
        const { err, code } = await check('--update-baseline');
        assert.match(err, /^httpd-upgrade: known\.json: is not a baseline of httpd-upgrade/);
        assert.deepEqual([code, folder().text('known.json')], [2, text]);
      });
    }
  }),
);

describe(
  'input from pipes',
  withFolder((folder) => {
    const fed = (input: string | Buffer, ...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [bundle('cli.js'), ...args], {
        cwd: folder().path,
        input,
      });
      return { code: status, out: stdout.toString('latin1'), err: stderr.toString() };
    };

    it('check - reads standard input, under the name that it is given', () => {
      const { out, code } = fed(OLD, 'check', '--format', 'json', '--stdin-filename', 'conf/x.conf', '-');
      assert.equal(code, 1);
      assert.equal((JSON.parse(out) as Report).files[0]!.path, 'conf/x.conf');
      assert.equal((JSON.parse(fed(OLD, 'check', '--format', 'json', '-').out) as Report).files[0]!.path, '-');
    });

    it('the name counts: a .htaccess is one, and the settings of its directory hold', () => {
      folder().write('conf/.httpd-upgrade.json', '{"severity":{"max-clients":"off"}}');
      assert.deepEqual(
        (
          JSON.parse(
            fed('MaxClients 1\n', 'check', '--format', 'json', '--stdin-filename', 'conf/x.conf', '-').out,
          ) as Report
        ).files[0]!.findings,
        [],
      );
      const [finding] = (
        JSON.parse(
          fed('Listen 80\n', 'check', '--format', 'json', '--stdin-filename', 'www/.htaccess', '-').out,
        ) as Report
      ).files[0]!.findings;
      assert.equal(finding!.rule, 'directive-not-allowed-here');
    });

    it('fix - prints the fixed text, byte for byte what is not fixed', () => {
      const { out, err, code } = fed(Buffer.from('# g\xe4\r\nMaxClients 1\r\n', 'latin1'), 'fix', '-');
      assert.deepEqual([out, code], ['# g\xe4\r\nMaxRequestWorkers 1\r\n', 0]);
      assert.equal(err, '1 fix in 1 file.\n');
      assert.equal(fed('Timeout 1\n', 'fix', '--quiet', '-').out, 'Timeout 1\n');
      assert.match(fed('MaxClients 1\n', 'fix', '--diff', '-').out, /^-MaxClients 1\n\+MaxRequestWorkers 1$/m);
      assert.deepEqual(
        [fed('MaxClients 1\n', 'fix', '--write', '-').code, fed('MaxClients 1\n', 'fix', '--write', '-').out],
        [2, ''],
      );
    });

    it('the next command is one that takes what comes from a pipe', () => {
      const commands = (text: string, ...args: string[]) =>
        fed(text, ...args)
          .out.match(/^ +httpd-upgrade .*$/gm)
          ?.map((row) => row.trim().replace('httpd-upgrade ', ''));
      const text = 'MaxClients 5\n<IfModule mod_disk_cache.c>\nCacheRoot /x\n</IfModule>\n';
      assert.deepEqual(commands(text, 'check', '-'), ['fix -', 'fix --diff --unsafe -']);
      const named = ['--stdin-filename', 'conf/my httpd.conf', '-'];
      assert.deepEqual(commands(text, 'check', ...named), [
        "fix --stdin-filename 'conf/my httpd.conf' -",
        "fix --diff --unsafe --stdin-filename 'conf/my httpd.conf' -",
      ]);
      assert.deepEqual(commands(text, 'plan', '-'), ['fix -']);
      for (const format of ['markdown', 'html']) {
        const { out } = fed(text, 'plan', '--format', format, '-');
        assert.match(out, /httpd-upgrade fix -/);
        assert.doesNotMatch(out, /--write/);
      }
      for (const args of [
        ['fix', '-'],
        ['fix', ...named],
        ['fix', '--diff', '--unsafe', ...named],
      ])
        assert.ok(fed(text, ...args).out.includes('MaxRequestWorkers 5'), args.join(' '));
    });

    it('a FIFO is read until its writers have closed it', async function () {
      needs(this, 'mkfifo');
      spawnSync('mkfifo', [folder().at('pipe')]);
      const writer = spawn('sh', ['-c', '(echo MaxClients 1; sleep 1; echo MaxClients 2) > pipe'], {
        cwd: folder().path,
      });
      const { out } = await folder().run(['check', '--format', 'json', 'pipe']);
      assert.equal((JSON.parse(out) as Report).files[0]!.findings.length, 2);
      writer.kill();
    });
  }),
);

describe(
  'what is looked at',
  withFolder((folder) => {
    const paths = async (...args: string[]) => {
      const { out, err, code } = await folder().run(['check', '--format', 'json', '--fail-on', 'never', ...args]);
      return { paths: (JSON.parse(out) as Report).files.map((file) => file.path), err, code };
    };
    beforeEach(() => {
      for (const name of ['httpd.conf', 'sites/a.conf', 'sites/b.conf', 'old/c.conf'])
        folder().write(name, `${OLD}ServerName a.example\n`);
    });

    it('--exclude leaves files out as .gitignore does; what is given by itself stays', async () => {
      assert.deepEqual(await paths('--exclude', 'old/', '--exclude', 'b.conf', '.'), {
        paths: ['./httpd.conf', './sites/a.conf'],
        err: '',
        code: 0,
      });
      assert.deepEqual((await paths('--exclude', '*.conf', 'sites/a.conf')).paths, ['sites/a.conf']);
    });

    it('a file .httpd-upgradeignore above does the same', async () => {
      folder().write('.httpd-upgradeignore', '# not ours\n/old\nsites/*\n!sites/b.conf\n');
      assert.deepEqual((await paths('.')).paths, ['./httpd.conf', './sites/b.conf']);
      assert.deepEqual((await paths('sites')).paths, ['sites/b.conf']);
    });

    it('a pattern that the shell left as it is is expanded', async () => {
      assert.deepEqual(await paths('sites/*.conf'), { paths: ['sites/a.conf', 'sites/b.conf'], err: '', code: 0 });
      assert.deepEqual(await paths('{old,sites}/[ac].conf'), {
        paths: ['old/c.conf', 'sites/a.conf'],
        err: '',
        code: 0,
      });
      folder().write('odd[1].conf', 'MaxClients 1\n');
      assert.deepEqual((await paths('odd[1].conf')).paths, ['odd[1].conf']);
      assert.deepEqual(await paths('none/*.conf'), {
        paths: [],
        err: 'httpd-upgrade: none/*.conf: matches no file\n',
        code: 2,
      });
    });

    it('a file that is left out is not written, and nothing that has to change with it', async () => {
      const root = `ServerRoot "${folder().path}"\nDocumentRoot "/srv/w"\nInclude sites/a.conf\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\nMaxClients 2\n`;
      const part = '<Directory /srv/w>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      folder().write('httpd.conf', root);
      folder().write('sites/a.conf', part);
      await folder().run(['fix', '--write', '--assume-standalone', '--exclude', 'sites/', '.']);
      assert.equal(folder().text('sites/a.conf'), part);
      assert.equal(folder().text('httpd.conf'), root.replace('MaxClients', 'MaxRequestWorkers'));
      await folder().run(['fix', '--write', '--assume-standalone', '.']);
      assert.match(folder().text('sites/a.conf'), /Require all granted/);
      assert.match(folder().text('httpd.conf'), /Require all denied/);
    });

    it('--config is read instead of the file above', async () => {
      folder().write('.httpd-upgrade.json', '{"severity":{"max-clients":"off"}}');
      folder().write('team/own.json', '{"severity":{"max-clients":"error"}}');
      folder().write('httpd.conf', 'MaxClients 1\n');
      assert.deepEqual((await folder().run(['check', 'httpd.conf'])).code, 0);
      assert.deepEqual((await folder().run(['check', '--config', 'team/own.json', 'httpd.conf'])).code, 1);
      const { err, code } = await folder().run(['check', '--config', 'none.json', 'httpd.conf']);
      assert.deepEqual([err, code], ['httpd-upgrade: none.json: does not exist\n', 2]);
    });

    it('nothing is reported or written by settings that cannot be read, and nothing written by those with a mistake', async () => {
      const typo = '{"severity":{"max-clients":"of"}}';
      for (const [own, found] of [
        [null, null],
        ['{', null],
        [typo, null],
        [null, '{'],
        [null, typo],
      ]) {
        folder().write('httpd.conf', 'MaxClients 1\n');
        folder().write('.httpd-upgrade.json', found ?? '{}');
        folder().write('own.json', own ?? '{}');
        const config = found !== null ? [] : ['--config', own === null ? 'none.json' : 'own.json'];
        const { code, out, err } = await folder().run(['fix', '--write', ...config, 'httpd.conf']);
        const said = `${own} ${found}: ${out}${err}`;
        assert.equal(code, 2, said);
        assert.match(err, /does not exist|This is not JSON|"of"/, said);
        assert.match(err, /nothing is written: the settings have mistakes\. Correct them, then run again\n$/, said);
        assert.equal(folder().text('httpd.conf'), 'MaxClients 1\n', said);
        const { out: report } = await folder().run(['check', ...config, 'httpd.conf']);
        // Only settings that somebody named are more than the report.
        assert.equal(report.includes('max-clients'), found !== null || own === typo, said);
      }
    });
  }),
);

describe(
  'where the result goes',
  withFolder((folder) => {
    it('--output writes the report whole, keeps the mode of a file, and leaves nothing else', async () => {
      folder().write('a.conf', OLD);
      folder().write('report.json', 'before');
      chmodSync(folder().at('report.json'), 0o640);
      const { out, code } = await folder().run(['check', '--format', 'json', '--output', 'report.json', 'a.conf']);
      assert.deepEqual([out, code], ['', 1]);
      assert.ok((JSON.parse(folder().text('report.json')) as Report).summary.findings > 0);
      assert.equal(statSync(folder().at('report.json')).mode & 0o777, 0o640);
      assert.deepEqual(readdirSync(folder().path).sort(), ['a.conf', 'report.json']);
    });

    it('a plan, too; a link stays one; a place that cannot be written is told before anything is read', async () => {
      folder().write('a.conf', OLD);
      folder().write('real.md', '');
      symlinkSync('real.md', folder().at('link.md'));
      await folder().run(['plan', '--format', 'markdown', '-o', 'link.md', 'a.conf']);
      assert.match(folder().text('real.md'), /^# /m);
      const { err, code } = await folder().run(['check', '-o', 'none/report', 'a.conf']);
      assert.deepEqual(
        [err, code],
        ['httpd-upgrade: none/report: cannot be written: its directory does not exist\n', 2],
      );
    });

    it('--quiet prints findings and problems, and nothing else', async () => {
      folder().write('a.conf', OLD);
      const { out, err } = await folder().run(['check', '--quiet', 'a.conf', 'none.conf']);
      assert.doesNotMatch(out, /problems in 1 file|httpd-upgrade fix/);
      assert.match(out, /max-clients/);
      assert.equal(err, 'httpd-upgrade: none.conf: does not exist\n');
      assert.deepEqual(
        await folder()
          .run(['fix', '--write', '-q', 'a.conf'])
          .then(({ err: rest }) => rest),
        '',
      );
    });

    it('--color says when, and so does the environment', async () => {
      folder().write('a.conf', OLD);
      const isColored = async (args: string[], env: Record<string, string> = {}) =>
        (await folder().run(['check', ...args, 'a.conf'], { env })).out.includes('\x1b[');
      assert.deepEqual(
        [
          await isColored([]),
          await isColored(['--color', 'always']),
          await isColored([], { FORCE_COLOR: '1' }),
          await isColored(['--color', 'never'], { FORCE_COLOR: '1' }),
        ],
        [false, true, true, false],
      );
    });

    it('rules lists the rules, and each has its page', async () => {
      const rules = JSON.parse((await folder().run(['rules', '--format', 'json'])).out) as {
        id: string;
        fix: string;
      }[];
      assert.ok(rules.length > 80);
      for (const { id } of rules) assert.ok(existsSync(path.join(repositoryRoot, 'docs', 'rules', `${id}.md`)), id);
      assert.match((await folder().run(['rules'])).out, /^order-allow-deny\n {2}/m);
    });

    it('the man page is one that man reads', async function () {
      needs(this, 'groff');
      const { out } = await folder().run(['man']);
      const { stdout, stderr } = spawnSync('groff', ['-man', '-Tascii', '-P-cbou', '-ww'], {
        input: out,
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
      for (const word of ['--update-baseline', 'httpd-upgrade migrate', '.httpd-upgrade.json'])
        assert.ok(stdout.includes(word), word);
    });
  }),
);
