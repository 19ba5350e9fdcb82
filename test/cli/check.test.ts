/** `httpd-upgrade check` as a process: its output in each format, and its exit code. */
import assert from 'node:assert/strict';
import { ALL_RULES } from '../../server/src/rules/all';
import { findingsIn } from '../support/rules';
import { mkdirSync, readFileSync } from 'node:fs';
import { withFolder } from './run';

/** A note, two warnings with one suggestion. */
const SMALL =
  'ServerLimit 150\nMaxClients 150\n\n<Directory /srv>\n\tOrder allow,deny\n\tAllow from all\n</Directory>\n';
const CLEAN = 'ServerName www.example.org\n';

describe(
  'check, as text',
  withFolder((folder) => {
    it('has one number of steps at its end, also with files of no server', async () => {
      folder().write('steps/a/httpd.conf', 'ServerRoot /srv/x\nPidFile run/pid\nListen 80\n');
      folder().write('steps/b/more.conf', 'SetOutputFilter DEFLATE\nMaxClients 1\n');
      const { out } = await folder().run([...['check', '--answer', 'defaults=2.4', 'steps/a/httpd.conf', 'steps/b']]);
      const stepsIn = (sentence: RegExp) => /(\d+) steps on the server/.exec(sentence.exec(out)?.[0] ?? '')?.[1];
      const stepsAfterReady = stepsIn(/Ready after [^.]*\./);
      assert.ok(Number(stepsAfterReady) > 0, out);
      assert.equal(stepsAfterReady, stepsIn(/^Also to do: [^.]*\./m));
    });

    it('reads a name with a colon as httpd does: no line defines it, so the text stays', async () => {
      const refusedLines = [
        'Listen ${a:b}',
        'Listen ${a:b}:${c:d}',
        'Listen ${a:b}:80',
        'KeepAlive ${a:b}',
        'LogLevel ${a:b}',
        'LimitRequestBody ${a:b}',
        'ServerName ${a:b}:${c:d}',
        'ServerName a ${a:b}',
        'KeepAlive ${a',
      ];
      const acceptedLines = ['Timeout ${a:b}', 'Listen ${PORT}', 'KeepAlive ${ON}', 'ServerName ${NAMES}'];
      const start = ['ServerRoot /srv/x', 'Listen 81'];
      folder().write('colon/httpd.conf', [...start, ...refusedLines, ...acceptedLines, ''].join('\n'));
      const { out } = await folder().run(['check', '--format', 'json', 'colon']);
      interface Found {
        readonly severity: string;
        readonly range: { readonly start: { readonly line: number } };
      }
      const { files } = JSON.parse(out) as { files: { findings: Found[] }[] };
      const errors = files.flatMap((file) => file.findings.filter((each) => each.severity === 'error'));
      assert.deepEqual(
        [...new Set(errors.map(({ range }) => range.start.line))],
        refusedLines.map((_, index) => start.length + index),
      );
    });

    it('counts old lines that nothing includes, with the command of docs/ci.md', async () => {
      const old = '<Directory /x>\nOrder allow,deny\n</Directory>\n';
      folder().write('conf/httpd.conf', 'ServerRoot /srv/x\nListen 80\n');
      folder().write('conf/mime.types', 'text/html html\n');
      folder().write('.htaccess', '# none\n');
      const page = readFileSync('docs/ci.md', 'utf8');
      const command = /^httpd-upgrade (check .*'conf\/\*\*.*)$/m.exec(page)![1]!;
      const words = command.split(' ').map((word) => word.replaceAll("'", ''));
      const codeWith = async (name: string, ...more: string[]) => {
        folder().write(name, old);
        const { code } = await folder().run([...words, ...more]);
        folder().write(name, '');
        return code;
      };
      assert.equal((await folder().run(words)).code, 0);
      for (const name of ['conf/foo.conf', 'conf/extra/foo.conf', '.htaccess'])
        assert.equal(await codeWith(name), 1, name);
      for (const [name, named] of [
        ['conf/sites-available/foo', 'conf/sites-available'],
        ['conf/conf-available/foo', 'conf/conf-available/**'],
      ] as const) {
        assert.ok(page.includes(`\`${named}\``) || page.includes(`\`'${named}'\``), named);
        assert.deepEqual([await codeWith(name), await codeWith(name, named)], [0, 1]);
      }
      assert.equal(await codeWith('conf/conf-available/foo', 'conf/conf-available'), 2);
    });

    it('checks files without an extension, with the workflow of docs/ci.md for parts', async () => {
      const page = readFileSync('docs/ci.md', 'utf8');
      const paths = /paths: \|\n((?: +(?:\.|deploy.*)\n)+)/.exec(page)![1]!.trim().split(/\s+/);
      assert.ok(page.includes(`check --fail-on info ${paths[0]} '${paths[1]}'`), 'the table has the same paths');
      folder().write('deploy/site.conf', 'Options None\n');
      folder().write('deploy/run.sh', '#!/bin/sh\n');
      folder().write('deploy/logo.png', '\0\0');
      const words = ['check', '--quiet', '--fail-on', 'info', ...paths];
      assert.deepEqual(await folder().run(words), { code: 0, out: '', err: '' });
      folder().write('deploy/Makefile', 'all:\n\tcp site.conf /etc\n');
      folder().write('deploy/LICENSE', 'You may use this.\n');
      assert.equal((await folder().run(words)).code, 0);
      for (const name of ['deploy/new', 'deploy/sub/new', 'deploy/.htaccess']) {
        folder().write(name, '<Files x>\nOrder allow,deny\n</Files>\n');
        assert.equal((await folder().run(words)).code, 1, name);
        folder().write(name, '');
      }
    });

    it('fails for a renamed directive with the option in the examples of docs/ci.md', async () => {
      const page = readFileSync('docs/ci.md', 'utf8');
      const command = /^# npx --yes httpd-upgrade (check .*)$/m.exec(page)![1]!.split(' ');
      const [, input, value] = /^ +# ([\w-]+): (\w+) +# .* MaxClients$/m.exec(page)!;
      assert.match(readFileSync('action.yml', 'utf8'), new RegExp(`^  ${input}:$`, 'm'));
      assert.ok(command.includes(`--${input}`) && command.includes(value!), page);
      folder().write('conf/httpd.conf', 'ServerRoot /srv/x\nListen 80\nMaxClients 10\n');
      assert.equal((await folder().run(command)).code, 1);
      assert.equal((await folder().run(command.filter((word) => word !== `--${input}` && word !== value))).code, 0);
    });

    it('lists the same unread files beside the main file as plan', async () => {
      folder().write('etc/httpd/conf/httpd.conf', 'ServerRoot /etc/httpd\nListen 80\n');
      folder().write('etc/httpd/conf/httpd.conf.bak', '<Directory /x>\nOrder allow,deny\n</Directory>\n');
      for (const command of ['check', 'plan'])
        assert.match(
          (await folder().run([command, 'etc/httpd/conf/httpd.conf'])).out,
          /\nOld lines not read by the server\n[^]*httpd\.conf\.bak: 1 old line\n/,
          command,
        );
    });

    it('names included files outside of the given directory, which it does not check', async () => {
      folder().write('c/conf/httpd.conf', `ServerRoot ${folder().path}/c\nListen 80\nInclude other/x.conf\n`);
      folder().write('c/other/x.conf', 'LockFile /x\n');
      const note = 'c/other/x.conf is included, but not checked: it is outside of the given directory. ';
      const way = 'To check it, too, give the main configuration file: c/conf/httpd.conf';
      for (const command of ['check', 'plan']) {
        const { err } = await folder().run([command, 'c/conf']);
        assert.ok(err.replace(/\s+/g, ' ').includes(note + way), err);
        for (const given of ['c', 'c/conf/httpd.conf'])
          assert.doesNotMatch((await folder().run([command, given])).err, /not checked/, given);
      }
    });

    it('names included files outside of the given directory, if it has no main file', async () => {
      folder().write('d/other/x.conf', 'LockFile /x\n');
      const directory = '<Directory /x>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      folder().write('d/part/a.conf', `${directory}Include ${folder().at('d/other/x.conf')}\n`);
      for (const command of ['check', 'plan']) {
        const { err, code } = await folder().run([command, 'd/part']);
        assert.match(
          err.replace(/\s+/g, ' '),
          /d\/other\/x\.conf is included, but not checked: it is outside of the given directory\. To check it, too, add the path to the command/,
          String(code),
        );
      }
    });

    it('says once which included files are not in this copy', async () => {
      const text = 'ServerRoot /etc/httpd\nListen 80\nInclude conf.d/*.conf\nInclude gone.conf\n';
      folder().write('gone/httpd.conf', text);
      for (const command of ['check', 'plan']) {
        const { err } = await folder().run([command, 'gone/httpd.conf']);
        assert.match(
          err.replace(/\s+/g, ' '),
          /not in this copy, so not checked: the files of Include conf\.d\/\*\.conf \(gone\/httpd\.conf:3\) and of 1 other line\. .* To see all: httpd-upgrade includes gone\/httpd\.conf/,
          command,
        );
      }
      // A question says it, too.
      folder().write('gone/httpd.conf', `${text}<Location /a>\nDeny from all\n</Location>\n`);
      assert.doesNotMatch((await folder().run(['check', 'gone/httpd.conf'])).err, /not in this copy/);
    });

    it('counts changes by hand, and steps on the server, as plan does', async () => {
      folder().write('a.conf', 'DavLockDB /x\nSSLMutex a b\n');
      const { out } = await folder().run(['check', 'a.conf']);
      const plan = (await folder().run(['plan', 'a.conf'])).out.replaceAll('\n', ' ');
      const [, steps] = / · 1 by hand · (\d+ steps?) on the server /.exec(plan)!;
      assert.match(
        out,
        new RegExp(`^Also to do: 1 change by hand, and ${steps} on the server\\. plan describes them\\.$`, 'm'),
      );
      assert.doesNotMatch(out, /needs? a change by hand/);
    });

    it('shows the place, the reason, the lines with carets, the fix, and what to do next', async () => {
      folder().write('a.conf', SMALL);
      const { code, out, err } = await folder().run(['check', 'a.conf']);
      assert.deepEqual(lines(withoutWording(out)), [
        'a.conf',
        '',
        'warning[order-allow-deny]: (headline of order-allow-deny)',
        ' --> a.conf:5:2',
        '5 |     Order allow,deny',
        '  |     ^^^^^^^^^^^^^^^^',
        '6 |     Allow from all',
        '  |     --------------',
        '  = consequence: may not start',
        '  = note: httpd 2.4 accepts these lines only if mod_access_compat is loaded.',
        '          Without it, the server does not start.',
        '  = suggestion: (title of a suggestion)',
        '  = assumes: no other section, file or .htaccess restricts access to the same',
        '             requests',
        '',
        'info[max-clients]: (headline of max-clients)',
        ' --> a.conf:2:1',
        '2 | MaxClients 150',
        '  | ^^^^^^^^^^',
        '  = consequence: renamed',
        '  = note: `MaxRequestWorkers` limits the requests that httpd answers at the same',
        '          time, not the clients.',
        '  = fix: (title of a safe fix)',
        '',
        '2 problems in 1 file: 1 warning, 1 info.',
        'One question is open, and 1 fix waits for the answer: Do other files of the',
        'server have Order, Allow, Deny or Require lines for the same directory as',
        '<Directory /srv>, or for one above or below?',
        'To see what to do:',
        '  httpd-upgrade plan a.conf',
        'To go through the questions and the changes step by step:',
        '  httpd-upgrade migrate a.conf',
        '1 safe fix can be written now:',
        '  httpd-upgrade fix --write a.conf',
        '',
      ]);
      assert.equal(err, '');
      assert.equal(code, 1);
    });

    it('says so when there is nothing', async () => {
      folder().write('a.conf', CLEAN);
      assert.deepEqual(await folder().run(['check', 'a.conf']), { code: 0, out: 'No problems in 1 file.\n', err: '' });
      folder().write('b.conf', CLEAN);
      assert.equal((await folder().run(['check', 'a.conf', 'b.conf'])).out, 'No problems in 2 files.\n');
    });

    it('repeats the options and quotes the paths in the commands to go on with', async () => {
      folder().write("it's a.conf", 'MaxClients 1\n');
      const { out } = await folder().run(['check', '--target', '2.4.6', '--assume-standalone', "it's a.conf"]);
      assert.match(out, /fix --write --target 2\.4\.6 --assume-standalone 'it'\\''s a\.conf'\n/);
    });

    it('puts the carets under the words, whatever stands before them', async () => {
      folder().write('a.conf', ['"MaxClients" 1', '\t \tMaxClients 1', '  MAXclients\\', '   2'].join('\n'));
      folder().write('b.conf', `\tMaxClients "3 ${'x'.repeat(400)}"`);
      const { out } = await folder().run(['check', 'a.conf', 'b.conf']);
      const marked = lines(out).filter(
        (line, index, all) => /^ +\| /.test(all[index + 1] ?? '') || /^ +\| +\^/.test(line),
      );
      assert.deepEqual(
        marked.map((line) => line.slice(0, 60)),
        [
          '1 | "MaxClients" 1',
          '  |  ^^^^^^^^^^',
          '2 |          MaxClients 1',
          '  |          ^^^^^^^^^^',
          '3 |   MAXclients\\',
          '  |   ^^^^^^^^^^',
          `1 |     MaxClients "3 ${'x'.repeat(60)}`.slice(0, 60),
          '  |     ^^^^^^^^^^',
        ],
      );
      assert.ok(
        lines(out).every((line) => line.length < 200 || !line.includes(' | ')),
        'a long line is cut',
      );
    });

    it('shows a message of several lines as such', async () => {
      folder().write(
        'a.conf',
        '<Macro Quiet $value>\nServerSignature $value\nServerTokens $value\n</Macro>\nUse Quiet Never\n',
      );
      const { out } = await folder().run(['check', 'a.conf']);
      assert.match(out, /= note: Line 1 of macro "Quiet"[^]*\n {10}Line 2 of macro "Quiet"/);
    });

    it('lets no control character of a file through to the terminal', async () => {
      folder().write(
        'a.conf',
        Buffer.from(
          'MaxClients 1 \x1b]0;title\x07 \x9b31m\n<Directory "/a">\nOrder allow,deny\nAllow from \x1b[2J\n</Directory>\n',
          'latin1',
        ),
      );
      const { out } = await folder().run(['check', 'a.conf']);
      assert.doesNotMatch(out, /[\0-\x09\x0b-\x1f\x7f-\x9f]/);
    });

    it('has no colours where the output is no terminal', async () => {
      folder().write('a.conf', SMALL);
      assert.ok(!(await folder().run(['check', 'a.conf'])).out.includes('\x1b'));
    });
  }),
);

describe(
  'check --format json',
  withFolder((folder) => {
    it('keeps the contract', async () => {
      folder().write('sub/a.conf', SMALL);
      folder().write('clean.conf', CLEAN);
      const { code, out, err } = await folder().run(['check', '--format', 'json', './sub/a.conf', 'clean.conf']);
      const report = JSON.parse(out);
      assert.deepEqual(Object.keys(report), ['version', 'files', 'summary']);
      assert.equal(report.version, 1);
      assert.deepEqual(
        report.files.map((file: object) => Object.keys(file)),
        [
          ['path', 'findings'],
          ['path', 'findings'],
        ],
      );
      assert.deepEqual(
        report.files.map((file: { path: string }) => file.path),
        ['./sub/a.conf', 'clean.conf'],
      );
      assert.deepEqual(report.files[1].findings, []);
      for (const finding of report.files[0].findings) {
        assert.deepEqual(Object.keys(finding), [
          'rule',
          'severity',
          'consequence',
          'message',
          'cause',
          'help',
          'serverText',
          'range',
          'places',
          'fix',
          'fixes',
          'restsOn',
          'waitsFor',
          'url',
        ]);
        assert.ok(ALL_RULES.some((rule) => rule.id === finding.rule && rule.url === finding.url));
        assert.ok(typeof finding.message === 'string' && finding.message !== '');
      }
      const [clients, order] = report.files[0].findings;
      assert.deepEqual(
        [clients.fixes.map(({ safety }: { safety: string }) => safety), clients.waitsFor],
        [['safe'], []],
      );
      assert.match(clients.fixes[0].title, /MaxRequestWorkers/);
      assert.deepEqual(
        [order.fixes[0].safety, order.restsOn, order.waitsFor],
        ['suggestion', [], ['outside-unseen:.']],
      );
      const short = report.files[0].findings.map(
        (finding: { rule: string; severity: string; fix: string; range: Range }) => [
          finding.rule,
          finding.severity,
          finding.fix,
          textAt(SMALL, finding.range),
        ],
      );
      assert.deepEqual(short, [
        ['max-clients', 'info', 'safe', 'MaxClients'],
        ['order-allow-deny', 'warning', 'suggestion', 'Order allow,deny'],
      ]);
      assert.deepEqual(
        [order.consequence, order.places.map((range: Range) => textAt(SMALL, range))],
        ['may not start', ['Allow from all']],
      );
      assert.deepEqual(report.summary, {
        files: 2,
        findings: 2,
        error: 0,
        warning: 1,
        info: 1,
        hint: 0,
        safe: 1,
        suggestion: 1,
      });
      assert.deepEqual(Object.keys(report.summary), [
        'files',
        'findings',
        'error',
        'warning',
        'info',
        'hint',
        'safe',
        'suggestion',
      ]);
      assert.equal(err, '');
      assert.equal(code, 1);
    });

    it('counts characters in UTF-16 units from zero', async () => {
      const text =
        '# 😀\n<IfModule "😀">\n😀\\\nx\n</IfModule>\nMaxClients 1\n<Location "/😀é">\n  Order allow,deny\n  Allow from all # 😀\n</Location>';
      folder().write('a.conf', text);
      const report = JSON.parse((await folder().run(['check', '--format=json', 'a.conf'])).out);
      const texts = report.files[0].findings.map((finding: { range: Range }) => textAt(text, finding.range));
      assert.ok(texts.includes('MaxClients') && texts.includes('Order allow,deny'), String(texts));
    });

    it('is whole where there are no files, or none can be read', async () => {
      const { code, out, err } = await folder().run(['check', '--format', 'json', '.', 'missing.conf']);
      assert.deepEqual(JSON.parse(out), {
        version: 1,
        files: [],
        summary: { files: 0, findings: 0, error: 0, warning: 0, info: 0, hint: 0, safe: 0, suggestion: 0 },
      });
      assert.equal(
        err,
        'httpd-upgrade: missing.conf: does not exist\nhttpd-upgrade: .: no httpd configuration found in this directory; give the directory of httpd.conf or apache2.conf\n',
      );
      assert.equal(code, 2);
    });
  }),
);

describe(
  'check --format sarif',
  withFolder((folder) => {
    it('is a SARIF 2.1.0 log that refers to its rules', async () => {
      folder().write('sub dir/a.conf', SMALL);
      const { out, code } = await folder().run([
        'check',
        '--format',
        'sarif',
        'sub dir/a.conf',
        folder().at('sub dir/../sub dir/b.conf'),
        'missing.conf',
      ]);
      const log = JSON.parse(out);
      assert.equal(log.version, '2.1.0');
      assert.equal(log.runs.length, 1);
      const [{ tool, results, columnKind, invocations }] = log.runs;
      assert.equal(columnKind, 'utf16CodeUnits');
      assert.deepEqual(invocations, [{ executionSuccessful: false }]);
      assert.equal(tool.driver.name, 'httpd-upgrade');
      assert.match(tool.driver.version, /^\d+\.\d+\.\d+/);
      assert.deepEqual(
        tool.driver.rules.map((rule: { id: string }) => rule.id),
        ALL_RULES.map((rule) => rule.id),
      );
      for (const rule of tool.driver.rules) {
        for (const text of [rule.shortDescription.text, rule.fullDescription.text, rule.help.text, rule.help.markdown])
          assert.ok(text.length > 0);
        assert.ok(['error', 'warning', 'note'].includes(rule.defaultConfiguration.level));
      }
      assert.equal(results.length, 2);
      assert.deepEqual(
        results[1].relatedLocations.map(
          (place: { physicalLocation: { region: { startLine: number } } }) => place.physicalLocation.region.startLine,
        ),
        [6],
      );
      assert.deepEqual(
        results.map(({ properties }: { properties: { consequence: string } }) => properties.consequence),
        ['renamed', 'may not start'],
      );
      for (const result of results) {
        assert.equal(tool.driver.rules[result.ruleIndex].id, result.ruleId);
        assert.ok(['error', 'warning', 'note'].includes(result.level));
        const { artifactLocation, region } = result.locations[0].physicalLocation;
        assert.equal(artifactLocation.uri, 'sub%20dir/a.conf');
        assert.ok(region.startLine >= 1 && region.startColumn >= 1 && region.endLine >= region.startLine);
      }
      assert.deepEqual(results[0].locations[0].physicalLocation.region, {
        startLine: 2,
        startColumn: 1,
        endLine: 2,
        endColumn: 11,
      });
      assert.equal(code, 2);
    });

    it('names files with absolute paths by URI', async () => {
      folder().write('a.conf', SMALL);
      mkdirSync(folder().at('sub'), { recursive: true });
      const cwd = folder().at('sub');
      const log = JSON.parse((await folder().run(['check', '--format', 'sarif', folder().at('a.conf')], { cwd })).out);
      assert.match(
        log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri,
        /^file:\/\/\/.*\/a\.conf$/,
      );
    });
  }),
);

describe(
  'check --format github',
  withFolder((folder) => {
    it('prints a workflow command for each finding', async () => {
      folder().write('100%, a:b.conf', SMALL);
      const { out } = await folder().run(['check', '--format', 'github', '100%, a:b.conf']);
      const file = '100%25%2C a%3Ab.conf';
      const [first, ...rest] = lines(out);
      assert.ok(
        withoutWording(first).startsWith(
          `::notice file=${file},line=2,endLine=2,col=1,endColumn=11,title=max-clients::(headline of max-clients)%0A%0AIt is renamed in httpd 2.4.`,
        ),
        first,
      );
      assert.deepEqual(
        rest.map((row) => row.split('::')[1]?.split(' file=')[0]),
        ['warning', undefined],
      );
    });

    it('gives no columns where a finding spans lines, as GitHub refuses them', async () => {
      folder().write('a.conf', '<Files x>\nOrder \\\n allow,deny\nAllow from all\n</Files>\n');
      const [first] = lines((await folder().run(['check', '--format', 'github', 'a.conf'])).out);
      assert.match(first, /^::warning file=a\.conf,line=2,endLine=3,title=order-allow-deny::/);
    });
  }),
);

describe(
  'exit codes',
  withFolder((folder) => {
    const cases: [threshold: string | null, text: string, code: number][] = [
      [null, SMALL, 1],
      [null, 'MaxClients 1\n', 0],
      [null, CLEAN, 0],
      ['error', SMALL, 0],
      ['warning', SMALL, 1],
      ['info', 'MaxClients 1\n', 1],
      ['info', CLEAN, 0],
      ['never', SMALL, 0],
    ];
    for (const [threshold, text, code] of cases) {
      it(`${code} for ${JSON.stringify(text.slice(0, 25))} ${threshold ? `with --fail-on ${threshold}` : 'by default'}`, async () => {
        folder().write('a.conf', text);
        assert.equal(
          (await folder().run(['check', ...(threshold ? ['--fail-on', threshold] : []), 'a.conf'])).code,
          code,
        );
      });
    }

    it('1 for an error when only errors count', async () => {
      folder().write('.htaccess', 'ServerRoot /x\nLoadModule x_module x.so\nOrder allow,deny\nAllow from all\n');
      folder().write(
        'httpd.conf',
        'ServerRoot /x\nLoadModule authz_core_module modules/mod_authz_core.so\n<Directory />\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n',
      );
      const { code, out } = await folder().run(['check', '--format', 'json', '--fail-on', 'error', 'httpd.conf']);
      assert.equal(code, JSON.parse(out).summary.error > 0 ? 1 : 0);
    });

    it('2 when something could not be read, whatever was found', async () => {
      folder().write('a.conf', CLEAN);
      for (const args of [
        ['missing.conf', 'a.conf'],
        ['--fail-on', 'never', 'a.conf', 'missing.conf'],
      ]) {
        const { code, out, err } = await folder().run(['check', ...args]);
        assert.deepEqual(
          [code, out, err],
          [
            2,
            'No problems in 1 file. The exit code is 2, because of the errors above.\n',
            'httpd-upgrade: missing.conf: does not exist\n',
          ],
        );
      }
    });
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

/** How rules put it is theirs, and may change. */
function withoutWording(out: string): string {
  let text = out;
  for (const { rule, what, fixes } of findingsIn(SMALL)) {
    text = text.replace(what, `(headline of ${rule.id})`);
    for (const { title, safety } of fixes)
      text = text.replace(`: ${title}\n`, `: (title of a ${safety === 'safe' ? 'safe fix' : safety})\n`);
  }
  return text;
}

interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

function textAt(text: string, { start, end }: Range): string {
  const rows = text.split('\n');
  const offset = (at: Range['start']) =>
    rows.slice(0, at.line).reduce((sum, row) => sum + row.length + 1, 0) + at.character;
  return text.slice(offset(start), offset(end));
}

function lines(text: string): string[] {
  return text.split('\n');
}
