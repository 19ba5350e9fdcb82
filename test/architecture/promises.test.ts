/** The promises in .github/SECURITY.md, as far as sources and the manifest show them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { shownManifest } from '../support/manifest';
import { repositoryRoot } from '../support/paths';
import { sources } from './sources';

interface Setting {
  readonly type?: string;
  readonly scope?: string;
  readonly markdownDescription?: string;
  readonly description?: string;
}

interface Manifest {
  readonly contributes: {
    readonly configuration: OneOrMore<{ readonly properties: Readonly<Record<string, Setting>> }>;
  };
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
}

type OneOrMore<Value> = Value | readonly Value[];

const manifest = shownManifest<Manifest>();
const files = ['server/src', 'client/src'].flatMap((folder) =>
  sources(path.join(repositoryRoot, folder)).map((file) => ({
    name: path.relative(repositoryRoot, file),
    text: readFileSync(file, 'utf8'),
  })),
);

describe('SECURITY.md', () => {
  it('only three files run a program, and none by a shell', () => {
    const running = files.filter(({ text }) => /['"](node:)?child_process['"]/.test(text));
    assert.deepEqual(running.map(({ name }) => name).sort(), [
      'server/src/host/disk.ts',
      'server/src/host/git-revision.ts',
      'server/src/host/httpd.ts',
    ]);
    for (const { name, text } of running) {
      assert.doesNotMatch(text, /\bshell:|(?<![.\w])exec(Sync)?\(/, name);
      assert.match(text, /import \{ (spawn|execFile|execFileSync) \} from 'node:child_process'/, name);
    }
    const disk = files.find(({ name }) => name === 'server/src/host/disk.ts')!.text;
    assert.deepEqual(disk.match(/'\/[\w/]*bin\/\w+'/g), ["'/bin/cp'", "'/usr/bin/cp'"]);
  });

  it('only the sender of `compare` has a module or function of the network', () => {
    const sending =
      /from '(node:)?(https?|http2|tls|dgram|dns)(\/|')|(?<![.\w])fetch\(|\bnew (WebSocket|XMLHttpRequest)\b/;
    assert.deepEqual(
      files.filter(({ text }) => sending.test(text)).map(({ name }) => name),
      ['server/src/host/send-requests.ts'],
    );
  });

  it('a workspace cannot set a program that is run', () => {
    const { configuration } = manifest.contributes;
    const settings = [configuration].flat().flatMap(({ properties }) => Object.entries(properties));
    assert.ok(settings.length > 10);
    const programs = settings.filter(
      ([name, { type, markdownDescription, description }]) =>
        type === 'string' &&
        /command|program|executable/i.test(`${name} ${markdownDescription ?? ''}${description ?? ''}`),
    );
    assert.deepEqual(
      programs.map(([name, { scope }]) => [name, scope]),
      [['httpdUpgrade.verify.command', 'machine']],
    );
    assert.ok(
      manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes('httpdUpgrade.verify.command'),
    );
  });

  it('names tests that are there', () => {
    const text = readFileSync(path.join(repositoryRoot, '.github/SECURITY.md'), 'utf8');
    const named = text.match(/test\/[\w/.-]+\.ts/g) ?? [];
    assert.ok(named.length >= 5);
    assert.deepEqual(
      named.filter((file) => !existsSync(path.join(repositoryRoot, file))),
      [],
    );
  });
});
