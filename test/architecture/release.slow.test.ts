/** A release: how it changes the changelog, and that a pushed release has its tag. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';

describe('a release', () => {
  const script = path.join(repositoryRoot, 'client', 'scripts', 'release.mjs');
  const ask = (call: string, changelog: string) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { released, releasedForUsers, notesOf } from ${JSON.stringify(script)}; process.stdout.write(${call});`,
        changelog,
      ],
      { encoding: 'utf8' },
    );
    return status === 0 ? stdout : /Error: (.*)/.exec(stderr)![1];
  };
  const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- New.\n\n## [1.0.0] - 2026-01-01\n\n- Old.\n';

  it('moves what is below Unreleased to the version', () => {
    const text = ask("released(process.argv[1], '1.1.0', '2026-02-03')", CHANGELOG);
    assert.equal(
      text,
      '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-03\n\n### Added\n\n- New.\n\n## [1.0.0] - 2026-01-01\n\n- Old.\n',
    );
    assert.equal(ask("notesOf(process.argv[1], '1.1.0')", text!), '### Added\n\n- New.\n');
    assert.equal(ask("notesOf(process.argv[1], '1.0.0')", text!), '- Old.\n');
  });

  it('moves what users notice to the version', () => {
    const PAGE = '# What changed for you\n\nEach version.\n\n## Unreleased\n\n**New.**\n\n## 1.0.0\n\nOld.\n';
    const text = ask("releasedForUsers(process.argv[1], '1.1.0')", PAGE);
    assert.equal(
      text,
      '# What changed for you\n\nEach version.\n\n## Unreleased\n\n## 1.1.0\n\n**New.**\n\n## 1.0.0\n\nOld.\n',
    );
    assert.equal(
      ask("releasedForUsers(process.argv[1], '1.2.0')", text!),
      'docs/changes.md has nothing below Unreleased',
    );
  });

  it('has a part for each version on the page for users', () => {
    const [changelog, page] = ['CHANGELOG.md', 'docs/changes.md'].map((file) =>
      readFileSync(path.join(repositoryRoot, file), 'utf8'),
    ) as [string, string];
    const versions = [...changelog.matchAll(/^## \[([^\]]+)\]/gm)].map(([, version]) => version);
    assert.ok(versions.length >= 2);
    assert.deepEqual(
      [...page.matchAll(/^## (\S+)/gm)].map(([, version]) => version),
      versions,
    );
  });

  it('of nothing is refused', () => {
    assert.equal(
      ask("released(process.argv[1], '1.1.0', '2026-02-03')", '## [Unreleased]\n\n## [1.0.0]\n'),
      'CHANGELOG.md has nothing below Unreleased',
    );
  });

  it('is a commit and a tag that `git push --follow-tags` takes along', function () {
    this.timeout(150_000);
    const folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-release-'));
    try {
      const [work, shared] = [path.join(folder, 'work'), path.join(folder, 'shared.git')];
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      cpSync(script, path.join(work, 'client', 'scripts', 'release.mjs'), { recursive: true });
      cpSync(path.join(repositoryRoot, '.npmrc'), path.join(work, '.npmrc'));
      writeFileSync(path.join(work, 'CHANGELOG.md'), CHANGELOG);
      mkdirSync(path.join(work, 'docs'));
      writeFileSync(path.join(work, 'docs/changes.md'), '## Unreleased\n\nNew.\n');
      const { preversion, version } = (
        JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as {
          scripts: Record<string, string>;
        }
      ).scripts;
      writeFileSync(
        path.join(work, 'package.json'),
        JSON.stringify({ name: 'a', version: '1.0.0', scripts: { preversion, version } }),
      );
      writeFileSync(
        path.join(work, 'package-lock.json'),
        '{"name":"a","version":"1.0.0","lockfileVersion":3,"packages":{}}\n',
      );
      execFileSync('git', ['init', '--quiet', '--bare', shared]);
      git('init', '--quiet', '--initial-branch', 'main');
      for (const [key, value] of [
        ['user.name', 'a'],
        ['user.email', 'a@example.org'],
      ] as const)
        git('config', key, value);
      git('remote', 'add', 'origin', shared);
      git('add', '.');
      git('commit', '--quiet', '--message', 'Begin');
      const npmVersion = (version: string) => spawnSync('npm', ['version', version], { cwd: work, encoding: 'utf8' });
      const { status, stderr } = npmVersion('1.1.0');
      assert.equal(status, 0, stderr);
      git('push', '--quiet', '--follow-tags', '--set-upstream', 'origin', 'main');
      const there = (...args: string[]) => execFileSync('git', ['-C', shared, ...args], { encoding: 'utf8' }).trim();
      assert.equal(there('tag'), 'v1.1.0');
      assert.equal(there('log', '-1', '--format=%s', 'v1.1.0'), 'chore: release 1.1.0');
      for (const file of ['package.json', 'package-lock.json'])
        assert.equal((JSON.parse(there('show', `v1.1.0:${file}`)) as { version: string }).version, '1.1.0', file);
      assert.match(there('show', 'v1.1.0:CHANGELOG.md'), /^## \[Unreleased\]\n\n## \[1\.1\.0\] - \d{4}-\d\d-\d\d\n/m);
      // Now nothing is below Unreleased, so there is no version to make, and nothing changes.
      assert.equal(npmVersion('1.2.0').status, 1);
      assert.equal(git('status', '--porcelain'), '');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
