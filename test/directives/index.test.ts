import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import {
  directive,
  directives,
  directivesOf,
  displayName,
  module,
  modules,
  providers,
  type Directive,
  type ChangeKind,
} from '../../server/src/directives';
import { findHttpd, releaseOf } from '../httpd/harness';
import { lacks } from '../support/lacks';

const TABLES = 'server/src/directives/generated/tables.json';
const MANUALS = [
  '/usr/share/doc/apache2-doc/manual/en/mod',
  '/usr/share/httpd/manual/mod',
  '/usr/local/apache2/manual/mod',
];

function named(fate: ChangeKind): string {
  return directives()
    .filter(({ changes }) => changes.includes(fate))
    .map(displayName)
    .join(' ');
}

function get(name: string): Directive {
  return directive(name) ?? assert.fail(`no directive ${name}`);
}

describe('directives: the tables', () => {
  it('are what the generator makes of its inputs', () => {
    const { status, stderr } = spawnSync(process.execPath, ['server/scripts/generate-directives.mjs', '--check'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('are small', () => {
    assert.ok(statSync(TABLES).size < 100_000, `${statSync(TABLES).size} bytes`);
    assert.ok(gzipSync(readFileSync(TABLES)).length < 30_000);
  });

  it('have every directive of both versions', () => {
    const count = (pick: (one: Directive) => unknown) => directives().filter(pick).length;
    assert.deepEqual(
      {
        all: directives().length,
        sections: count((one) => one.section),
        2.2: count((one) => one['2.2']),
        2.4: count((one) => one['2.4']),
      },
      { all: 789, sections: 38, 2.2: 433, 2.4: 755 },
    );
    assert.equal(modules().length, 142);
  });

  it('are read at the first question, in a bundle for the browser as well', async () => {
    const { outputFiles } = await build({
      entryPoints: ['server/src/directives/index.ts'],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'facts',
      plugins: [marked],
    });
    const world = vm.createContext({});
    vm.runInContext(outputFiles[0].text, world);
    assert.equal(vm.runInContext('globalThis.isLoaded', world), undefined);
    assert.equal(vm.runInContext('facts.directive("order").name', world), 'Order');
    assert.equal(vm.runInContext('globalThis.isLoaded', world), true);
  });

  /** Makes the JSON tell that it was evaluated. */
  const marked: Plugin = {
    name: 'marked',
    setup(options) {
      options.onLoad({ filter: /tables\.json$/ }, ({ path: file }) => ({
        contents: `globalThis.isLoaded = true; module.exports = ${readFileSync(file, 'utf8')}`,
        loader: 'js',
      }));
    },
  };
});

describe('directives: lookups', () => {
  it('find names in any case, sections with and without their brackets', () => {
    for (const name of ['KEEPALIVE', 'keepalive', 'KeepAlive']) assert.equal(get(name).name, 'KeepAlive');
    for (const name of ['limit', '<Limit', '<LIMIT>', '</Limit>']) assert.equal(displayName(get(name)), '<Limit>');
    assert.equal(directive('NoSuchThing'), undefined);
    assert.equal(directive('<KeepAlive'), undefined);
    assert.equal(directive('Limit', { section: false }), undefined);
    for (const name of ['', '<', 'constructor', '__proto__']) assert.equal(directive(name), undefined);
  });

  it('tell a directive from the section of the same name', () => {
    const twins = directives()
      .filter(({ name, section }) => !section && directive(name, { section: true }))
      .map(({ name }) => name);
    assert.equal(twins.length, 10);
    for (const name of twins) {
      assert.equal(get(name).section, false);
      assert.equal(get(`<${name}`).section, true);
      assert.equal(directive(name, { section: true })?.section, true);
    }
  });

  it('find a module by each of its names', () => {
    const table: Record<string, string[]> = {
      mod_alias: [
        'mod_alias',
        'MOD_ALIAS',
        'alias_module',
        'mod_alias.c',
        'mod_alias.so',
        'modules/mod_alias.so',
        'alias',
      ],
      mod_ldap: ['ldap_module', 'util_ldap.c', 'mod_ldap.so'],
      event: ['event', 'event.c', 'mpm_event_module', 'mod_mpm_event.so', 'mod_mpm_event'],
      core: ['core', 'core.c', 'http_core.c'],
      mod_disk_cache: ['disk_cache_module', 'mod_disk_cache.c'],
      mod_cache_disk: ['cache_disk_module'],
    };
    for (const [name, aliases] of Object.entries(table))
      for (const alias of aliases) assert.equal(module(alias)?.name, name, alias);
    assert.equal(module('mod_nothing'), undefined);
  });

  it('know providers, load order and the directives of a module', () => {
    assert.deepEqual(providers('authz', '2.4').get('ip'), ['mod_authz_host']);
    assert.deepEqual(providers('authz', '2.2').get('group'), ['mod_authz_groupfile', 'mod_authz_dbm']);
    assert.deepEqual(providers('socache', '2.4').get('shmcb'), ['mod_socache_shmcb']);
    assert.equal(providers('socache', '2.2').size, 0);
    assert.deepEqual(module('mod_cache_disk')?.loadAfter, ['mod_cache']);
    assert.deepEqual(directivesOf(module('mod_access_compat')!, '2.4').map(displayName), [
      'Allow',
      'Deny',
      'Order',
      'Satisfy',
    ]);
    for (const kind of ['authz', 'authn', 'socache', 'lbmethod', 'slotmem', 'cache', 'dav'] as const) {
      for (const [word, names] of providers(kind, '2.4'))
        for (const name of names) assert.ok(module(name), `${kind} ${word}: ${name}`);
    }
  });

  it('give the facts of both versions', () => {
    assert.deepEqual(get('keepalive')['2.2'], {
      modules: ['core'],
      page: 'core',
      manual: 'https://httpd.apache.org/docs/2.2/mod/core.html#keepalive',
      contexts: ['server config', 'virtual host'],
      override: [],
      syntax: ['KeepAlive On|Off'],
      default: 'KeepAlive On',
      arguments: 'TAKE1',
      flags: ['RSRC_CONF'],
      status: 'Core',
      platforms: [],
      documented: true,
      deprecated: false,
      execOnRead: false,
    });
    assert.equal(get('keepalive')['2.4']?.arguments, 'FLAG');
    assert.deepEqual(get('<Limit')['2.4']?.override, ['AuthConfig', 'Limit']);
    assert.deepEqual(get('<Limit')['2.2']?.override, ['All']);
    assert.deepEqual(get('SSLProxyVerify')['2.4']?.contexts, ['server config', 'virtual host', '<Proxy> section']);
    assert.equal(get('LoadModule')['2.4']?.execOnRead, true);
    assert.equal(get('Order')['2.4']?.deprecated, true);
  });
});

describe('directives: what became of them', () => {
  it('tells the fates apart', () => {
    const table: Record<string, ChangeKind[]> = {
      RewriteLog: ['removed'],
      Mutex: ['new'],
      NameVirtualHost: ['ignored'],
      MaxClients: ['renamed'],
      Order: ['moved'],
      EnableSendfile: ['default'],
      '<Limit': ['contexts'],
      KeepAlive: ['arguments'],
      Include: ['values'],
      Port: ['error'],
      WatchdogMutexPath: ['neither'],
      SSIEnableAccess: ['neither'],
      DocumentRoot: ['kept'],
      Alias: ['contexts', 'arguments'],
      CacheDirLevels: ['moved', 'default'],
      DefaultType: ['ignored', 'default'],
    };
    for (const [name, changes] of Object.entries(table)) {
      assert.deepEqual(get(name).changes, changes, name);
      assert.equal(get(name).fate, changes[0]);
    }
  });

  it('names everything that is gone, moved, ignored or renamed', () => {
    assert.equal(
      named('removed'),
      'AcceptMutex AuthDefaultAuthoritative AuthDigestNonceFormat AuthzDBMAuthoritative AuthzDefaultAuthoritative AuthzGroupFileAuthoritative ' +
        'AuthzLDAPAuthoritative AuthzOwnerAuthoritative AuthzUserAuthoritative CookieLog DumpIOLogLevel LockFile MaxRequestsPerThread ' +
        'MCacheMaxObjectCount MCacheMaxObjectSize MCacheMaxStreamingBuffer MCacheMinObjectSize MCacheRemovalAlgorithm MCacheSize RewriteLock ' +
        'RewriteLog RewriteLogLevel SSIAccessEnable SSLMutex Win32DisableAcceptEx',
    );
    assert.equal(
      named('moved'),
      'AddOutputFilterByType Allow AllowCONNECT AuthName <AuthnProviderAlias> AuthType CacheDirLength CacheDirLevels CacheMaxFileSize ' +
        'CacheMinFileSize CacheRoot ChrootDir Deny Example ExtendedStatus Group Order ProxyFtpDirCharset Require Satisfy SeeRequestTail Suexec User',
    );
    assert.equal(
      named('default'),
      'AllowOverride CacheDirLevels DefaultType EnableSendfile FileETag LimitRequestBody MaxMemFree MaxRequestsPerChild Options RequestReadTimeout ' +
        'ScriptSock SSLCipherSuite SSLProtocol SSLProxyCheckPeerCN SSLProxyCheckPeerExpire SSLProxyCipherSuite SSLProxyProtocol TimeOut',
    );
    assert.equal(
      named('arguments'),
      'AddOutputFilterByType Alias AuthGroupFile AuthUserFile CacheEnable DirectoryIndex FilterProvider <IfDefine> <IfModule> KeepAlive LogLevel ' +
        'ProxyErrorOverride ProxyRemote ProxyRemoteMatch ProxySCGIInternalRedirect Redirect RewriteMap ScriptAlias SSLCipherSuite SSLProxyCipherSuite',
    );
    assert.equal(named('ignored'), 'DefaultType NameVirtualHost');
    assert.equal(named('renamed'), 'MaxClients MaxRequestsPerChild');
  });

  it('says for each removed directive what to do', () => {
    for (const one of directives().filter(({ fate }) => fate === 'removed')) assert.ok(one.note, one.name);
    for (const one of directives())
      for (const name of one.replacements) assert.ok(directive(name)?.['2.4'], `${one.name}: ${name}`);
    for (const one of modules())
      for (const name of one.replacements) assert.ok(module(name)?.['2.4'], `${one.name}: ${name}`);
  });
});

describe('directives: links to the manual', () => {
  const folder = MANUALS.find((candidate) => existsSync(candidate));

  it('lead to entries that exist (2.4)', function () {
    if (!folder) {
      lacks(this, 'no httpd manual here: install apache2-doc (Debian, Ubuntu) or httpd-manual (Fedora, RHEL)');
    }
    const anchors = new Map<string, string>();
    const page = (file: string) => {
      if (!anchors.has(file)) anchors.set(file, readFileSync(path.join(folder, file), 'utf8'));
      return anchors.get(file)!;
    };
    // An older manual has no entry for what came later.
    const httpd = findHttpd();
    const release = httpd ? releaseOf(httpd) : Infinity;
    for (const one of directives()) {
      if (Number(one['2.4']?.since?.split('.')[2] ?? 0) > release) continue;
      const [file, anchor] = one['2.4']?.manual.split('/mod/')[1].split('#') ?? [];
      if (file) assert.ok(page(file) && (!anchor || page(file).includes(`id="${anchor}"`)), one['2.4']?.manual);
    }
    for (const one of modules()) if (one['2.4']) assert.ok(page(one['2.4'].manual.split('/mod/')[1]), one.name);
  });

  it('have an anchor wherever the manual has an entry', () => {
    const without = directives()
      .filter((one) => one['2.4'] && !one['2.4'].manual.includes('#'))
      .map(displayName);
    assert.equal(
      without.join(' '),
      '<RequireNotAll> AuthDigestNcCheck CaseFilter CaseFilterIn FancyIndexing H2SessionExtraFiles Lua_____ByteCodeHack MacroIgnoreBadNesting MacroIgnoreEmptyArgs ' +
        'Port SSLLog SSLLogLevel',
    );
  });
});
