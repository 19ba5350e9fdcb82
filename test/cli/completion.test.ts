/** What a shell completes, and what programs are told of our JSON. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getLanguageService, TextDocument, type JSONSchema } from 'vscode-json-languageservice';
import { requireHttpd } from '../httpd/harness';
import { repositoryRoot } from '../support/paths';
import { QUESTION, ROOT } from './one-question';
import { needs, run, withFolder } from './run';

describe('completion in a shell', () => {
  const completed = async (...words: string[]): Promise<string[]> => {
    const { out } = await run(['completion', 'bash']);
    const line = ['httpd-upgrade', ...words].map((word) => `'${word}'`).join(' ');
    const { stdout } = spawnSync(
      'bash',
      [
        '-c',
        `${out}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _httpd_upgrade; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8' },
    );
    return stdout.trim().split('\n');
  };

  it('knows commands, options and what they take', async function () {
    needs(this, 'bash');
    assert.deepEqual(await completed('ve'), ['verify']);
    assert.deepEqual(await completed('mi'), ['migrate']);
    assert.deepEqual(await completed('verify', '--ht'), ['--httpd']);
    assert.deepEqual(await completed('plan', '--format', ''), ['text', 'json', 'markdown', 'html']);
    assert.deepEqual(await completed('fix', '--un'), ['--unsafe']);
    assert.deepEqual(await completed('completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(await completed('help', 'mi'), ['migrate']);
    assert.deepEqual(await completed('explain', 'order-'), ['order-allow-deny']);
  });

  it('is there for other shells', async () => {
    assert.match((await run(['completion', 'zsh'])).out, /bashcompinit/);
    assert.match(
      (await run(['completion', 'fish'])).out,
      /^complete -c httpd-upgrade -n '__fish_seen_subcommand_from plan' -l format -x -a 'text json markdown html' -d '/m,
    );
    assert.equal((await run(['completion', 'csh'])).code, 2);
  });
});

describe(
  'JSON is as its schema says',
  withFolder((folder) => {
    const problems = async (text: string, name: string): Promise<string[]> => {
      const schema = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs', name), 'utf8')) as JSONSchema;
      const service = getLanguageService({});
      const document = TextDocument.create('file:///a.json', 'json', 1, text);
      return (await service.doValidation(document, service.parseJSONDocument(document), {}, schema)).map(
        ({ message }) => String(message),
      );
    };

    it('of plan', async () => {
      folder().write('conf/httpd.conf', ROOT);
      for (const answer of ['none', 'keep']) {
        const { out } = await folder().run([
          'plan',
          '--format',
          'json',
          '--answer',
          `${QUESTION}=${answer}`,
          'conf/httpd.conf',
        ]);
        assert.deepEqual(await problems(out, 'plan.schema.json'), []);
      }
      assert.notDeepEqual(await problems('{"version":1,"configurations":[{}]}', 'plan.schema.json'), []);
    });

    it('of verify', async function () {
      requireHttpd(this);
      folder().write('conf/httpd.conf', `${ROOT}LoadModule x_module modules/x.so\nSSLMutex default\n`);
      const { out } = await folder().run(['verify', '--format', 'json', 'conf/httpd.conf']);
      assert.ok(out.includes('SSLMutex'));
      assert.deepEqual(await problems(out, 'verify.schema.json'), []);
    });
  }),
);
