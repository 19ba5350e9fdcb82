/** The rule about `<IfModule>` above LoadModule: order, files, what is unknown. */
import assert from 'node:assert/strict';
import { findingsInFiles, fixedFiles, listed, type Files } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rule = { rule: 'ifmodule-above-load' };
const rows = (files: Files | string) =>
  listed(typeof files === 'string' ? { [ROOT]: files } : files, rule).map((row) =>
    row.replace('/etc/httpd/conf/', '').replace('ifmodule-above-load/', ''),
  );

const LIMITS = '<IfModule prefork.c>\nMaxRequestWorkers 300\n</IfModule>\n';
const LOAD = 'LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n';
const SKIPPED = ['httpd.conf:1: warning skipped suggestion'];

describe('ifmodule-above-load', () => {
  it('reports a section whose module is loaded below, by source file or identifier, in any file', () => {
    assert.deepEqual(rows(LIMITS + LOAD), SKIPPED);
    assert.deepEqual(rows(LIMITS.replace('prefork.c', 'mpm_prefork_module') + LOAD), SKIPPED);
    assert.deepEqual(
      rows(`<IfModule mod_alias.c>\nAlias /a /b\n</IfModule>\nLoadModule alias_module a/mod_alias.so\n`),
      SKIPPED,
    );
    assert.deepEqual(rows(LOAD + LIMITS), []);
    assert.deepEqual(rows({ [ROOT]: `Include conf.d/*.conf\n${LOAD}`, '/etc/httpd/conf.d/mpm.conf': LIMITS }), [
      '/etc/httpd/conf.d/mpm.conf:1: warning skipped none',
    ]);
    assert.deepEqual(
      rows({ [ROOT]: 'Include conf.d/*.conf\n', '/etc/httpd/conf.d/a.conf': LIMITS, '/etc/httpd/conf.d/b.conf': LOAD }),
      ['/etc/httpd/conf.d/a.conf:1: warning skipped none'],
    );
    const loadedAbove: Files[] = [
      { [ROOT]: `${LOAD}Include conf.d/*.conf\n`, '/etc/httpd/conf.d/mpm.conf': LIMITS },
      { [ROOT]: `Include conf.d/*.conf\n${LIMITS}`, '/etc/httpd/conf.d/mpm.conf': LOAD },
      { [ROOT]: 'Include conf.d/*.conf\n', '/etc/httpd/conf.d/a.conf': LOAD, '/etc/httpd/conf.d/b.conf': LIMITS },
    ];
    for (const files of loadedAbove) assert.deepEqual(rows(files), []);
  });

  it('reports a section in a virtual host, and all sections of a module once', () => {
    const host = '<VirtualHost *:80>\n<IfModule mod_alias.c>\nAlias /a /b\n</IfModule>\n</VirtualHost>\n';
    assert.deepEqual(rows(`${host}LoadModule alias_module a/mod_alias.so\n`), ['httpd.conf:2: warning skipped none']);
    const [finding, ...more] = [...findingsInFiles({ [ROOT]: LIMITS + LIMITS + LOAD }, rule).values()].flat();
    assert.equal(more.length, 0);
    assert.match(finding!.message, /^`<IfModule prefork\.c>` is above its LoadModule line, so httpd skips it/);
    assert.match(finding!.message, /httpd\.conf:7 loads the module later\. httpd 2\.2 has its MPM compiled in/);
  });

  it('names the Include line if the section and the LoadModule line are in different files', () => {
    const message = (files: Files) => [...findingsInFiles(files, rule).values()].flat()[0]!.message;
    const inIncluded = message({ [ROOT]: `Include conf.d/*.conf\n${LOAD}`, '/etc/httpd/conf.d/a.conf': LIMITS });
    assert.match(inIncluded, /^`<IfModule prefork\.c>` is read before its LoadModule line, so httpd skips it/);
    assert.match(
      inIncluded,
      /Move the line that loads .* \(httpd\.conf:2\) above the Include line that leads to a\.conf\.$/m,
    );
    const inMain = message({ [ROOT]: `${LIMITS}Include conf.d/*.conf\n`, '/etc/httpd/conf.d/a.conf': LOAD });
    assert.match(inMain, /Move the section below the Include line that leads to a\.conf:1\.$/m);
  });

  it('moves the limits of an MPM below the Include line that leads to its LoadModule line', () => {
    const files = { [ROOT]: `${LIMITS}Listen 80\nInclude conf.d/*.conf\nUser x\n`, '/etc/httpd/conf.d/mpm.conf': LOAD };
    const moved = { ...files, [ROOT]: `Listen 80\nInclude conf.d/*.conf\n${LIMITS}User x\n` };
    assert.deepEqual(rows(files), ['httpd.conf:1: warning skipped suggestion']);
    assert.deepEqual(fixedFiles(files, { ...rule, unsafe: true }), moved);
    // 2.2 read the section.
    const from22 = { ...rule, answerSet: { answers: new Map<string, string>(), folder: '/', isConvertedInPart: true } };
    assert.deepEqual(fixedFiles(files, from22), moved);
    const twice = { ...files, [ROOT]: `${files[ROOT]}MaxRequestWorkers 5\n` };
    assert.deepEqual(fixedFiles(twice, from22), twice);
    for (const [again, isSafe] of [
      [LIMITS.replace('300', '5'), false],
      [LIMITS.replace('MaxRequestWorkers 300', 'MaxClients 5'), false],
      [LIMITS.replace('prefork.c', 'mpm_prefork_module').replace('300', '5'), false],
      [LIMITS.replace('prefork.c', '!worker.c').replace('300', '5'), false],
      [LIMITS.replace('prefork.c', '!prefork.c').replace('300', '5'), true],
      [LIMITS.replace('prefork.c', 'worker.c').replace('300', '5'), true],
      [LIMITS.replace('MaxRequestWorkers', 'StartServers'), true],
    ] as const)
      for (const text of [
        files[ROOT]!.replace('User x\n', again),
        files[ROOT]!.replace('Listen 80\n', `Listen 80\n${again}`),
      ]) {
        const both = { ...files, [ROOT]: text };
        const isMoved = fixedFiles(both, from22)[ROOT] !== text;
        assert.equal(isMoved, isSafe, text);
      }
    const other = { ...files, [ROOT]: files[ROOT]!.replace('MaxRequestWorkers 300', 'Timeout 5') };
    assert.deepEqual(fixedFiles(other, { ...rule, unsafe: true }), other);
  });

  describe('modules that come with 2.4', () => {
    const DEBIAN = '/etc/apache2/apache2.conf';
    const INCLUDES = 'Include mods-enabled/*.load\nInclude mods-enabled/*.conf\n';
    const withMpm = (mpm: string) => ({ ...rule, answerSet: { answers: new Map([['mpm', mpm]]), folder: '/' } });
    const BOTH =
      '<Files x>\n<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n</Files>\n';

    it('moves the limits of the MPM below the Include lines of mods-enabled on Debian', () => {
      const files = { [DEBIAN]: `${LIMITS}${INCLUDES}User x\n` };
      assert.deepEqual(fixedFiles(files, withMpm('prefork')), { [DEBIAN]: `${INCLUDES}${LIMITS}User x\n` });
      assert.deepEqual(listed(files, withMpm('event')), []);
      assert.deepEqual(listed(files, rule), []);
      const enabled = { ...files, '/etc/apache2/mods-enabled/alias.load': 'LoadModule alias_module a/mod_alias.so\n' };
      assert.equal(fixedFiles(enabled, withMpm('prefork'))[DEBIAN], `${INCLUDES}${LIMITS}User x\n`);
      const php = { ...files, '/etc/apache2/mods-enabled/php5.load': 'LoadModule php5_module a/libphp5.so\n' };
      assert.equal(fixedFiles(php, rule)[DEBIAN], `${INCLUDES}${LIMITS}User x\n`);
      assert.deepEqual(listed(php, withMpm('event')), []);
      const moved = { [DEBIAN]: `${INCLUDES}${LIMITS}User x\n` };
      assert.deepEqual(listed(moved, withMpm('prefork')), []);
    });

    it('reports a condition on mod_authz_core above the lines that load modules', () => {
      const trees: Files[] = [
        { [DEBIAN]: `${BOTH}${INCLUDES}Listen 80\n` },
        {
          [DEBIAN]: `${BOTH}${INCLUDES}Listen 80\n`,
          '/etc/apache2/mods-enabled/a.load': 'LoadModule alias_module a/mod_alias.so\n',
        },
      ];
      for (const files of trees)
        assert.deepEqual(listed(files, rule), [
          '/etc/apache2/apache2.conf:2: warning ifmodule-above-load/skipped none',
          '/etc/apache2/apache2.conf:5: warning ifmodule-above-load/read none',
        ]);
      const loads = ['authz_host', 'dir', 'mime', 'alias', 'authz_core']
        .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
        .join('');
      const reported = ['httpd.conf:2: warning skipped none', 'httpd.conf:5: warning read none'];
      assert.deepEqual(rows(BOTH + loads), reported);
      assert.deepEqual(rows(loads + BOTH), []);
      assert.deepEqual(listed({ [DEBIAN]: `${INCLUDES}${BOTH}Listen 80\n` }, rule), []);
      // All modules may be compiled in.
      assert.deepEqual(rows(`${BOTH}Listen 80\n`), []);
      assert.deepEqual(rows(`${BOTH}Listen 80\nLoadModule php5_module modules/libphp5.so\n`), []);
    });
  });

  it('says nothing if the module may be loaded before, or may not be loaded below', () => {
    for (const text of [
      LIMITS,
      LOAD + LIMITS + LOAD,
      `<IfDefine X>\n${LOAD}</IfDefine>\n${LIMITS}${LOAD}`,
      `${LIMITS}<IfDefine X>\n${LOAD}</IfDefine>\n`,
      `Include conf.modules.d/*.conf\n${LIMITS}${LOAD}`,
      `Include \${MODULES}\n${LIMITS}${LOAD}`,
      `<Perl>\n</Perl>\n${LIMITS}${LOAD}`,
      `<Macro Load>\n${LOAD}</Macro>\nUse Load\n${LIMITS}${LOAD}`,
      `<Macro Limits>\n${LIMITS}</Macro>\n${LOAD}Use Limits\n`,
      `<IfDefine X>\n${LIMITS}</IfDefine>\n${LOAD}`,
      `<IfModule !prefork.c>\nListen 80\n</IfModule>\n${LOAD}`,
      `<IfModule !mpm_prefork_module>\n${LOAD}</IfModule>\n`,
      `<IfModule prefork.c>\n# MaxClients\n</IfModule>\n${LOAD}`,
      `<IfModule mod_prefork.c>\nMaxClients 1\n</IfModule>\n${LOAD}`,
      `<IfModule mpm_prefork_module>\nListen 80\n</IfModule>\nLoadModule mpm_event_module modules/mod_mpm_event.so\n`,
    ])
      assert.deepEqual(rows(text), [], text);
    const twice = { [ROOT]: `Include a.conf\n${LOAD}Include a.conf\n`, '/etc/httpd/a.conf': LIMITS };
    assert.deepEqual(rows(twice), []);
  });

  it('a part that is missing below changes nothing', () => {
    assert.deepEqual(rows(`${LIMITS}${LOAD}Include conf.modules.d/*.conf\n`), SKIPPED);
  });

  it('moves the line above the section if no other module must be loaded before it', () => {
    assert.deepEqual(fixedFiles({ [ROOT]: `# limits\n${LIMITS}${LOAD}` }, { ...rule, unsafe: true }), {
      [ROOT]: `# limits\n${LOAD}${LIMITS}`,
    });
    const proxy =
      '<IfModule mod_proxy_http.c>\nProxyVia on\n</IfModule>\nLoadModule proxy_http_module modules/mod_proxy_http.so\n';
    assert.deepEqual(rows(proxy), ['httpd.conf:1: warning skipped none']);
  });
});
