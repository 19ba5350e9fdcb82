/** Shell completion, and the JSON schemas for programs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getLanguageService, TextDocument, type JSONSchema } from 'vscode-json-languageservice';
import { defineProgram } from '../../server/src/cli/program';
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

  const inShell = async (shell: 'fish' | 'zsh', program: (script: string) => string[]): Promise<string> => {
    const folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-completion-'));
    try {
      const script = path.join(folder, 'script');
      writeFileSync(script, (await run(['completion', shell])).out);
      return spawnSync(shell, program(script), { encoding: 'utf8' }).stdout.trim();
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('is offered by fish', async function () {
    needs(this, 'fish');
    const offered = (line: string) =>
      inShell('fish', (script) => ['--no-config', '-c', `source ${script}; complete -C '${line}'`]);
    assert.equal(await offered('httpd-upgrade mi'), 'migrate');
    assert.equal(await offered('httpd-upgrade plan --format m'), 'markdown\tthe format of the plan');
    assert.equal(await offered('httpd-upgrade explain order-'), 'order-allow-deny');
  });

  it('is typed by zsh', async function () {
    needs(this, 'zsh');
    const typed = (line: string) => inShell('zsh', (script) => ['-f', '-c', IN_ZSH, 'zsh', script, line]);
    assert.match(await typed('httpd-upgrade mi'), /httpd-upgrade migrate/);
    assert.match(await typed('httpd-upgrade plan --format m'), /httpd-upgrade plan --format markdown/);
    assert.match(await typed('httpd-upgrade explain order-'), /httpd-upgrade explain order-allow-deny/);
  });

  it('is not there for other shells', async () => assert.equal((await run(['completion', 'csh'])).code, 2));
});

/**
 * A terminal of zsh's own: the script of $1, then the line of $2 and the tabulator key. It ends
 * when something was added to the line and nothing follows, or after ten seconds.
 */
const IN_ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -u -D; source \${(q)1}; print BE''GUN"
zpty -r shell out '*BEGUN*'
zpty -w -n shell "$2"$'\\t'
for i in {1..50}; do
  sleep 0.2
  before=$all
  while zpty -rt shell out; do all+=$out; done
  [[ $all = $before && $all = *"$2"[a-z]* ]] && break
done
print -r -- $all
zpty -d shell
`;

describe(
  'JSON is as its schema says',
  withFolder((folder) => {
    const schemaOf = (name: string) =>
      JSON.parse(readFileSync(path.join(repositoryRoot, 'docs', name), 'utf8')) as JSONSchema;
    const problemsOf = async (text: string, schema: JSONSchema): Promise<string[]> => {
      const service = getLanguageService({});
      const document = TextDocument.create('file:///a.json', 'json', 1, text);
      return (await service.doValidation(document, service.parseJSONDocument(document), {}, schema)).map(
        ({ message }) => String(message),
      );
    };
    const problems = (text: string, name: string) => problemsOf(text, schemaOf(name));

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

    it('of every other command', async function () {
      this.timeout(60_000);
      const {
        definitions: { plan: _, verify: __, ...definitions },
      } = schemaOf('output.schema.json') as { definitions: Record<string, JSONSchema> };
      const LINE = `[Tue Nov 24 10:00:00 2026] [access_compat:error] [pid 7] [client 192.0.2.1:5] AH01797: client denied by server configuration: ${folder().path}/conf/x`;
      const MAIN = `ServerRoot ${folder().path}/conf\nListen 80\nDocumentRoot ${folder().path}/conf\nMaxClients  5\n<Directory ${folder().path}/conf>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n</Directory>\nInclude a*.conf\n`;
      folder().write('conf/httpd.conf', MAIN);
      folder().write('conf/a.conf', 'SSLMutex default\n');
      folder().write('old/httpd.conf', MAIN.replace('10.0.0.0/8', '10.0.0.0/9'));
      const runs: readonly (readonly [name: string, ...args: string[]])[] = [
        ['check', 'check', 'conf/httpd.conf'],
        ['plan', 'plan', 'conf/httpd.conf'],
        ['fix', 'fix', 'conf/httpd.conf'],
        ['format', 'format', 'conf/httpd.conf'],
        ['includes', 'includes', 'conf/httpd.conf'],
        ['rules', 'rules'],
        ['explain', 'explain', 'AH01797'],
        ['explain', 'explain', 'nothing-like-this'],
        ['explain --access', 'explain', '--access', 'conf/httpd.conf:6'],
        ['explain --request', 'explain', '--request', 'GET /x', 'conf/httpd.conf'],
        ['explain --root', 'explain', '--root', 'conf/httpd.conf', LINE],
        ['access', 'access', 'conf/httpd.conf'],
        ['access --diff', 'access', '--diff', 'old/httpd.conf', 'conf/httpd.conf'],
        ['requests', 'requests', 'conf/httpd.conf'],
        ['compare', 'compare', '--old', 'http://127.0.0.1:1', '--new', 'http://127.0.0.1:2', 'conf/httpd.conf'],
        ['fix', 'fix', '--write', 'conf/httpd.conf'],
        ['undo --list', 'undo', '--list'],
        ['undo', 'undo'],
      ];
      const all = defineProgram(() => {}).commands.flatMap((command) =>
        command.options.some(({ long, argChoices }) => long === '--format' && argChoices?.includes('json'))
          ? [command.name()]
          : [],
      );
      const tested = new Set(runs.map(([, command]) => command));
      assert.deepEqual(
        all.filter((name) => !tested.has(name!) && !['verify', 'explain-request'].includes(name)),
        [],
      );
      for (const [name, ...args] of runs) {
        const { out, err } = await folder().run([...args, '--format', 'json']);
        assert.notEqual(out, '', `${args.join(' ')}: ${err}`);
        const schema = name === 'plan' ? schemaOf('plan.schema.json') : { definitions, ...definitions[name] };
        assert.deepEqual(await problemsOf(out, schema as JSONSchema), [], `${args.join(' ')}: ${out.slice(0, 2000)}`);
        assert.notDeepEqual(await problemsOf('{"version":2}', schema as JSONSchema), [], name);
      }
    });
  }),
);
