/** docs/editors: the files for the registries of editors can be read, and name the same command. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { needs } from '../cli/run';
import { repositoryRoot } from '../support/paths';

const at = (file: string) => path.join(repositoryRoot, 'docs/editors', file);
const read = (file: string) => readFileSync(at(file), 'utf8');
const { name, version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

/** A TOML file as JSON has it; by Python, which reads TOML from 3.11 on. */
function toml(file: string): Record<string, unknown> {
  const script = 'import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], "rb"))))';
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script, at(file)], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('entries for the registries of editors', () => {
  it('nvim-lspconfig: Neovim loads it', function () {
    needs(this, 'nvim');
    const print = `io.stdout:write(vim.fn.json_encode(dofile([[${at('nvim-lspconfig/lsp/httpd_upgrade.lua')}]])))`;
    const { stdout, stderr } = spawnSync(
      'nvim',
      ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `lua ${print}`, '-c', 'qall!'],
      { encoding: 'utf8' },
    );
    assert.equal(stderr, '');
    const { cmd, filetypes } = JSON.parse(stdout) as { cmd: string[]; filetypes: string[] };
    assert.deepEqual([cmd, filetypes], [[name, 'server', '--stdio'], ['apache']]);
  });

  it('Mason: the npm package and its command', () => {
    const entry = parse(read('mason-registry/packages/httpd-upgrade/package.yaml')) as {
      name: string;
      source: { id: string };
      bin: Record<string, string>;
    };
    assert.deepEqual(
      [entry.name, entry.source.id, entry.bin],
      [name, `pkg:npm/${name}@${version}`, { [name]: `npm:${name}` }],
    );
  });

  it('Helix: the language names its language server', function () {
    needs(this, 'python3');
    const { 'language-server': servers, language } = toml('helix/languages.toml') as {
      'language-server': Record<string, { command: string; args: string[] }>;
      language: { 'language-servers': string[] }[];
    };
    assert.deepEqual(servers, { [name]: { command: name, args: ['server', '--stdio'] } });
    assert.deepEqual(language[0]!['language-servers'], [name]);
  });

  it('Zed: the extension names its language', function () {
    needs(this, 'python3');
    const extension = toml('zed/extension.toml') as { language_servers: Record<string, { languages: string[] }> };
    assert.deepEqual(extension.language_servers[name]!.languages, [toml('zed/languages/apache/config.toml').name]);
    assert.equal(toml('zed/extension.toml').version, version);
    assert.ok(read('zed/src/lib.rs').includes(`const PACKAGE: &str = "${name}";`));
  });
});
