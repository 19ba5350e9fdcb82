/** The MCP server of the built program, with the client of the same library. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Roots } from '../../server/src/mcp/roots';
import { bundle } from '../support/built';
import { CENTOS6 } from '../support/centos6';
import { lacks } from '../support/lacks';
import { withFolder } from './run';

interface Called {
  readonly text: string;
  readonly data: Record<string, any>;
  readonly isError: boolean;
}

describe(
  'roots of a client',
  withFolder((folder) => {
    it('that name no directory of this machine are left out', () => {
      const site = pathToFileURL(folder().path).href;
      for (const uri of [
        'file:',
        'file://host/share',
        'file:///a%2Fb',
        'file:///%',
        'file:///none',
        'http://a/',
        '',
        '/',
      ])
        assert.deepEqual(new Roots([uri, site]).folders, [folder().path], uri);
      assert.deepEqual(new Roots([site.replace('file:', 'FILE:')]).folders, [folder().path]);
    });
  }),
);

describe(
  'httpd-upgrade mcp',
  withFolder((folder) => {
    let client: Client | null = null;
    const start = async (args: readonly string[] = [], env: Record<string, string> = {}, hasRoots = true) => {
      client = new Client({ name: 'test', version: '0' }, { capabilities: hasRoots ? { roots: {} } : {} });
      if (hasRoots)
        client.setRequestHandler(ListRootsRequestSchema, () => ({
          roots: [{ uri: pathToFileURL(folder().at('site')).href }],
        }));
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [bundle('cli.js'), 'mcp', ...args],
        cwd: folder().at('site'),
        env: { PATH: process.env.PATH!, HOME: folder().path, ...env },
        stderr: 'pipe',
      });
      await client.connect(transport);
    };
    const call = async (name: string, given: Record<string, unknown> = {}): Promise<Called> => {
      const { content, structuredContent, isError } = await client!.callTool({ name, arguments: given });
      const [first] = content as { text: string }[];
      return { text: first!.text, data: structuredContent as Record<string, any>, isError: isError === true };
    };
    const MAIN = (more = '') =>
      `ServerRoot "${folder().at('site')}"\nListen 80\nMaxClients 3\n<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\n${more}`;
    beforeEach(() => {
      mkdirSync(folder().at('site'), { recursive: true });
      folder().write('site/httpd.conf', MAIN());
    });
    afterEach(async () => {
      await client?.close();
      client = null;
    });

    it('has tools that only read, and a prompt', async () => {
      await start();
      const { tools } = await client!.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['check', 'plan', 'fix_preview', 'explain', 'explain_request', 'who_has_access', 'verify'],
      );
      for (const { name, annotations, description } of tools) {
        assert.deepEqual([annotations!.readOnlyHint, annotations!.destructiveHint], [true, false], name);
        assert.ok(description!.length > 40, name);
      }
      const { prompts } = await client!.listPrompts();
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['upgrade-this-server'],
      );
      const { messages } = await client!.getPrompt({ name: 'upgrade-this-server', arguments: { root: 'httpd.conf' } });
      assert.match((messages[0]!.content as { text: string }).text, /`plan`[^]*fix_preview/);
    });

    it('checks, with file and line', async () => {
      await start();
      const { text, data } = await call('check');
      assert.match(text, /^httpd\.conf:3 info\[max-clients\] `MaxClients` is now/m);
      assert.equal(data.summary.findings, data.findings.length);
      assert.deepEqual(
        data.findings.filter(({ rule }: any) => rule === 'max-clients').map(({ file, line }: any) => [file, line]),
        [['httpd.conf', 3]],
      );
    });

    it('explains', async () => {
      await start();
      assert.match((await call('explain', { term: 'AH01797' })).text, /AH01797/);
      assert.equal((await call('explain', { term: '--access httpd.conf:5' })).isError, true);
      assert.equal((await call('explain', { term: '-' })).isError, true);
    });

    it('explains a request, and who has access', async () => {
      await start();
      const { data } = await call('explain_request', { root: 'httpd.conf', request: 'GET /x', from: '192.0.2.7' });
      assert.deepEqual(
        data.decisions.map(({ server, access }: any) => [server, access]),
        [
          ['2.2', 'denied'],
          ['2.4-compat', 'denied'],
          ['2.4', 'denied'],
        ],
      );
      assert.equal((await call('explain_request', { root: '../x', request: 'GET /' })).isError, true);
      const table = await call('who_has_access', { root: 'httpd.conf' });
      assert.match(table.text, /Directory \//);
      // Lines count from 1, as in the other tools.
      const lines = folder().text('site/httpd.conf').split('\n');
      const decided = data.decisions[0].because[0];
      assert.equal(lines[decided.line - 1]!.trim(), decided.text);
      const [section] = table.data.sections;
      assert.match(lines[section.line - 1]!, /^<Directory \//);
    });

    it('refuses an argument that it does not know', async () => {
      await start();
      const { isError, text } = await call('check', { path: 'httpd.conf' });
      assert.ok(isError);
      assert.equal(text, 'check has no argument `path`, but: paths, answers.');
    });

    it('takes no path outside of the roots, by name or by a link', async () => {
      folder().write('secret/httpd.conf', 'MaxClients 7\n');
      symlinkSync(folder().at('secret'), folder().at('site/link'));
      await start();
      for (const given of ['../secret', folder().at('secret/httpd.conf'), 'link', 'link/httpd.conf', '/etc', 'gone']) {
        const { isError, text } = await call('check', { paths: [given] });
        assert.ok(isError && /outside of the roots|does not exist/.test(text), `${given}: ${text}`);
        assert.doesNotMatch(text, /MaxClients/);
      }
      const answerAbout = async (name: string) => (await call('check', { paths: [name] })).text.replace(name, 'NAME');
      assert.equal(await answerAbout(folder().at('secret/httpd.conf')), await answerAbout(folder().at('secret/gone')));
      assert.match(await answerAbout(`file://${folder().at('secret/httpd.conf')}`), /outside of the roots/);
      assert.match(await answerAbout('file:///a%2Fb'), /does not exist/);
      assert.doesNotMatch(await answerAbout(`file://${folder().at('site')}`), /outside|does not exist/);
      assert.equal((await call('explain', { term: folder().at('secret/httpd.conf') })).isError, true);
      assert.equal((await call('explain', { term: '/etc/passwd' })).isError, true);
    });

    it('reads no file outside of the roots that a configuration includes', async () => {
      folder().write('secret/a.conf', 'MaxClients 7\n');
      folder().write('site/httpd.conf', MAIN(`Include ${folder().at('secret')}/a.conf\nInclude ../secret/a.conf\n`));
      await start();
      for (const name of ['check', 'fix_preview', 'plan'])
        assert.doesNotMatch(JSON.stringify(await call(name)), /MaxClients 7/, name);
    });

    it('explains no file outside of the roots, by dots or by a link, and waits for no pipe', async () => {
      folder().write('secret/error.log', '[error] the words of a log\n');
      folder().write('site/logs/error.log', '[error] own words\n');
      symlinkSync(folder().at('secret/error.log'), folder().at('site/linked.log'));
      symlinkSync(folder().at('secret'), folder().at('site/link'));
      execFileSync('mkfifo', [folder().at('site/pipe.log'), folder().at('site/error_pipe')]);
      await start();
      for (const term of ['logs/../../secret/error.log', 'linked.log', 'link/error.log', 'pipe.log', 'error_pipe']) {
        const { isError, text } = await call('explain', { term });
        assert.ok(isError, term);
        assert.doesNotMatch(text, /the words/, term);
      }
      assert.match((await call('explain', { term: 'logs/error.log' })).text, /own words/);
    });

    it('reads nothing outside of the roots by links in a directory', async () => {
      folder().write('secret/a.conf', 'MaxClients 7\n');
      folder().write('secret/a.php', '<?php $x = "Order deny,allow\\nDeny from 192.0.2.77\\n";\n');
      folder().write('secret/facts', 'mainfile=a.conf\n');
      folder().write('.httpd-upgrade.json', '{ "answers": 7 }');
      folder().write('.httpd-upgradeignore', '*.conf\n');
      mkdirSync(folder().at('site/sub'));
      for (const name of ['a.conf', 'a.php'])
        symlinkSync(folder().at(`secret/${name}`), folder().at(`site/sub/${name}`));
      symlinkSync(folder().at('secret'), folder().at('site/sub/link'));
      await start();
      for (const name of ['check', 'plan', 'fix_preview'])
        for (const given of ['sub', '.']) {
          const answer = JSON.stringify(
            await call(name, { paths: [given], ...(name === 'fix_preview' && { text: true }) }),
          );
          assert.doesNotMatch(
            answer,
            /MaxClients 7|192\.0\.2\.77|a\.conf|a\.php|httpd-upgrade\.json/,
            `${name} ${given}`,
          );
        }
      assert.match((await call('check')).text, /^httpd\.conf:3/m);
    });

    it('refuses arguments of wrong types', async () => {
      await start();
      assert.equal((await call('check', { toString: 1 })).isError, true);
      assert.equal(
        (await call('check', { answers: { a: { toString: 1 } } })).text,
        '`answers` is an object of strings.',
      );
      const many = Array.from({ length: 1001 }, (_, i) => `X: ${i}`);
      const request = { root: 'httpd.conf', request: 'GET http://a/' };
      for (const [name, given] of [
        ['explain', { term: 'a.'.repeat(40_000) }],
        ['explain_request', { ...request, headers: many }],
        ['check', { paths: many }],
        ['check', { answers: Object.fromEntries(many.map((each) => [each, 'x'])) }],
      ] as const)
        assert.match((await call(name, given)).text, /longer than 65536 characters|more than 1000 items/, name);
    });

    it('answers a message of 30 MB with an error, and goes on', async () => {
      await start();
      const term = 'x'.repeat(30_000_000);
      await assert.rejects(call('explain', { term }), (error: { code: number; message: string }) => {
        assert.equal(error.code, -32600);
        assert.match(error.message, /longer than 4194304 bytes and was not read/);
        return true;
      });
      assert.match((await call('explain', { term: 'Order' })).text, /Order/);
    });

    it('begins at the current directory where the client has no roots', async () => {
      await start([], {}, false);
      assert.match((await call('check', { paths: ['httpd.conf'] })).text, /^httpd\.conf:3/m);
      assert.equal((await call('check', { paths: ['..'] })).isError, true);
    });

    it('verify runs nothing unless the user allows it', async () => {
      const bin = folder().at('bin');
      mkdirSync(bin, { recursive: true });
      for (const name of ['apache2', 'httpd', 'apache2ctl', 'apachectl']) {
        writeFileSync(path.join(bin, name), `#!/bin/sh\necho ran >> ${folder().at('trace')}\nexit 1\n`);
        chmodSync(path.join(bin, name), 0o755);
      }
      const env = { PATH: `${bin}:${process.env.PATH!}` };
      await start([], env);
      const refused = await call('verify', { root: 'httpd.conf' });
      assert.ok(refused.isError);
      assert.match(refused.text, /--allow-verify/);
      assert.ok(!existsSync(folder().at('trace')));
      await client!.close();
      await start(['--allow-verify'], env);
      await call('verify', { root: 'httpd.conf' });
      assert.ok(existsSync(folder().at('trace')));
    });

    it('verify keeps no record of what httpd accepts', async function () {
      const home = folder().at('home');
      mkdirSync(home, { recursive: true, mode: 0o700 });
      folder().write(
        'site/httpd.conf',
        `ServerRoot "${folder().at('site')}"\nLoadModule mpm_event_module modules/mod_mpm_event.so\nServerName a\n`,
      );
      await start(['--allow-verify'], { HTTPD_UPGRADE_STATE: home });
      const { data, text, isError } = await call('verify', { root: 'httpd.conf' });
      if (isError && /no httpd/.test(text)) lacks(this, 'no httpd is installed');
      assert.ok(data.accepted, text);
      assert.deepEqual(readdirSync(home), []);
    });

    it('a conversation brings the tree of CentOS 6 to green', async function () {
      this.timeout(60_000);
      for (const [name, text] of Object.entries(CENTOS6)) folder().write(`site/${name}`, text);
      await start(['--allow-verify']);
      const root = 'httpd/conf/httpd.conf';
      const answers: Record<string, string> = {};
      const asked = async () => {
        const { data } = await call('plan', { paths: [root], answers });
        return data.configurations
          .flatMap(({ questions }: any) => questions)
          .filter(({ answer }: any) => answer === null);
      };
      // The user of this test takes the first answer to each question.
      for (let open = await asked(); open.length > 0; open = await asked())
        for (const { id, answers: choices } of open) answers[id] = choices[0].value;
      const before = folder().text(`site/${root}`);
      for (const unsafe of [false, true]) {
        const { data: preview } = await call('fix_preview', { paths: [root], answers, unsafe, text: true });
        if (!unsafe) assert.equal(folder().text(`site/${root}`), before, 'nothing is written');
        for (const { path: name, after } of preview.files) folder().write(`site/${name}`, after);
      }
      const { data: checked } = await call('check', { paths: [root], answers });
      assert.deepEqual(
        checked.findings.filter(({ severity }: any) => severity === 'error' || severity === 'warning'),
        [],
      );
      const { data: verified, text, isError } = await call('verify', { root });
      if (isError && /no httpd/.test(text)) lacks(this, 'no httpd is installed');
      assert.deepEqual(verified.problems, []);
    });
  }),
);
