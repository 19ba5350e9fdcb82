/** A small server's configuration for real editors, and how to run one on it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { lacks } from '../support/lacks';
import { bundle } from '../support/built';
import type { Folder } from '../cli/run';

const MODULES = ['authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'ssl', 'unixd', 'mpm_event']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');

/** With what Fix All does to it: what is safe, and no more. */
const before = (folder: string) =>
  `ServerRoot "${folder}"\nListen 80\n${MODULES}Include conf.d/*.conf\nNameVirtualHost *:80\nMaxClients 10\nDefine SITE a\n<VirtualHost *:80>\nServerName \${SITE}\n</VirtualHost>\n`;

export interface Tree {
  readonly root: string;
  readonly site: string;
  /** What the root file is after Fix All. */
  readonly fixed: string;
  /** What it is when it is formatted after that, with four blanks. */
  readonly formatted: string;
}

/**
 * The site's finding is one that only a look at the whole configuration tells, and so is the hint
 * in the main file.
 */
export function writeTree(folder: Folder): Tree {
  const text = before(folder.at(''));
  folder.write('conf/httpd.conf', text);
  folder.write('conf.d/site.conf', 'SSLSessionCache shmcb:/run/httpd/cache(512000)\nMaxClients 20\n');
  const fixed = text
    .replace('Include ', 'LoadModule socache_shmcb_module modules/mod_socache_shmcb.so\nInclude ')
    .replace('NameVirtualHost *:80\n', '')
    .replace('Include ', 'IncludeOptional ')
    .replace('MaxClients', 'MaxRequestWorkers');
  return {
    root: folder.at('conf/httpd.conf'),
    site: folder.at('conf.d/site.conf'),
    fixed,
    formatted: fixed.replace('ServerName', '    ServerName'),
  };
}

/** What an editor has seen, as its script writes it down. */
export interface Seen {
  /** Codes of the findings in the open file, and in the one that is not. */
  readonly open: readonly string[];
  readonly closed: readonly string[];
  readonly hover: string;
  readonly completion: readonly string[];
  readonly actions: readonly string[];
  /** The open file after Fix All. */
  readonly fixed: string;
  /** And formatted after that. */
  readonly formatted: string;
  /** And with the variable `SITE` renamed to `HOST` after that. */
  readonly renamed: string;
  readonly error?: string;
}

export interface EditorRun {
  readonly test: Mocha.Context;
  readonly folder: Folder;
  readonly program: string;
  /** Its Debian package. */
  readonly package: string;
  readonly args: readonly string[];
  readonly tree: Tree;
}

/**
 * Runs an editor without a window on the tree; it writes what it has seen to the file in `SEEN`.
 */
export function runEditor({ test, folder, program, package: name, args, tree }: EditorRun): Seen {
  if (!existsSync(program)) lacks(test, `${program} is missing: apt-get install ${name}`);
  const seen = folder.at('seen.json');
  const env = {
    ...process.env,
    HOME: folder.at(''),
    XDG_CONFIG_HOME: folder.at('none'),
    HTTPD_UPGRADE_STATE: folder.at('state'),
    XDG_DATA_HOME: folder.at('data'),
    ROOT: folder.at(''),
    FILE: tree.root,
    SITE: tree.site,
    SEEN: seen,
    NODE: process.execPath,
    CLI: bundle('cli.js'),
  };
  const { stdout, stderr, signal } = spawnSync(program, args, {
    env,
    cwd: folder.at(''),
    encoding: 'utf8',
    timeout: 200_000,
    input: '',
  });
  if (!existsSync(seen)) throw new Error(`${program} wrote nothing (${signal ?? 'ended'}):\n${stdout}\n${stderr}`);
  const found = JSON.parse(readFileSync(seen, 'utf8')) as Seen;
  if (found.error) throw new Error(`${found.error}\n${stdout}\n${stderr}\n${JSON.stringify(found)}`);
  return found;
}

/** What every editor has to have seen of the tree. */
export function expectAll(seen: Seen, tree: Tree): void {
  for (const code of ['max-clients', 'name-virtual-host', 'changed-defaults'])
    assert.ok(seen.open.includes(code), `${code} of ${seen.open}`);
  assert.deepEqual([...seen.closed].sort(), ['max-clients', 'missing-module']);
  assert.match(seen.hover, /MaxRequestWorkers/);
  assert.ok(seen.completion.includes('MaxClients'), String(seen.completion));
  assert.ok(
    seen.actions.some((title) => title.includes('MaxRequestWorkers')),
    String(seen.actions),
  );
  assert.equal(seen.fixed, tree.fixed);
  assert.equal(seen.formatted, tree.formatted);
  assert.equal(seen.renamed, tree.formatted.replaceAll('SITE', 'HOST'));
}
