import assert from 'node:assert/strict';
import { directives, displayName, modules } from '../../../server/src/directives';
import { descriptionOfDirective, descriptionOfModule } from '../../../server/src/directives/descriptions';
import { directiveMarkdown, moduleMarkdown } from '../../../server/src/features/hover/directive-markdown';

const DOCS = 'https://httpd.apache.org/docs';

describe('directive-markdown', () => {
  it('says of a removed directive what to write instead, and shows what it was', () => {
    check(
      'RewriteLog',
      `
**\`RewriteLog\`** — directive

TEXT

**Removed in 2.4.** Write \`LogLevel warn rewrite:trace3\` (trace1 to trace8). The messages go to the \`ErrorLog\`.

**Syntax** \`RewriteLog file-path|pipe\`
**Module** mod_rewrite
**Where** server config, virtual host

[2.2 manual](${DOCS}/2.2/mod/mod_rewrite.html#rewritelog)`,
    );
  });

  it('says of a moved one which module to load, and puts only the difference side by side', () => {
    check(
      'order',
      `
**\`Order\`** — directive

TEXT

**Moved** from mod_authz_host to mod_access_compat: load \`access_compat_module\`. \`Require\` replaces it. If Order lines and \`Require\` lines apply to a request, it must pass both.

- \`Deny,Allow\`: Allow lines win; other clients have access
- \`Allow,Deny\`: Deny lines win; other clients have no access
- \`Mutual-failure\`: the same as Allow,Deny

**Syntax** \`Order ordering\`
**Default** \`Deny,Allow\`
**Where** directory, .htaccess
**AllowOverride** \`Limit\`

| | 2.2 | 2.4 |
|---|---|---|
| Module | mod_authz_host | mod_access_compat |

[2.4 manual](${DOCS}/2.4/mod/mod_access_compat.html#order) · [2.2 manual](${DOCS}/2.2/mod/mod_authz_host.html#order)`,
    );
  });

  it('says of a changed default what it was', () => {
    check(
      'EnableSendfile',
      `
**\`EnableSendfile\`** — directive

TEXT

**Default changed** from \`On\` to \`Off\`. Write \`On\` for local disks, not for network file systems.

**Syntax** \`EnableSendfile On|Off\`
**Module** core
**Where** server config, virtual host, directory, .htaccess
**AllowOverride** \`FileInfo\`

| | 2.2 | 2.4 |
|---|---|---|
| Default | \`On\` | \`Off\` |

[2.4 manual](${DOCS}/2.4/mod/core.html#enablesendfile) · [2.2 manual](${DOCS}/2.2/mod/core.html#enablesendfile)`,
    );
  });

  it('says of a section where it may stand, and escapes what a table would take for its own', () => {
    check(
      '<limit',
      `
**\`<Limit>\`** — section

TEXT

**No longer allowed** at server level or in virtual hosts. If it is there, httpd does not start: move it into \`<Location "/">\`, or remove it.

**Syntax** \`<Limit method [method] ... > ... </Limit>\`
**Module** core

| | 2.2 | 2.4 |
|---|---|---|
| Where | server config, virtual host, directory, .htaccess | directory, .htaccess |
| AllowOverride | \`All\` | \`AuthConfig\` or \`Limit\` |

[2.4 manual](${DOCS}/2.4/mod/core.html#limit) · [2.2 manual](${DOCS}/2.2/mod/core.html#limit)`,
    );
    assert.match(
      directiveMarkdown('SSLEngine')!,
      /\| Syntax \| `SSLEngine on\\\|off\\\|optional` \| `SSLEngine on\\\|off` \|/,
    );
    assert.match(directiveMarkdown('SSLProxyVerify')!, /allowed\*\* in `<Proxy>` sections/);
  });

  it('shows its values and an example, after what became of it', () => {
    const { text, arguments: values, example } = descriptionOfDirective('Define')!;
    assert.equal(values, undefined);
    const [headline, second, , block] = directiveMarkdown('define')!.split('\n\n');
    assert.deepEqual(
      [headline, second, block],
      ['**`Define`** — directive', text, `Example:\n\`\`\`apacheconf\n${example}\n\`\`\``],
    );
    assert.match(directiveMarkdown('ServerTokens')!, /\n\n- `Full`: .+\n- `OS`: [^]+\n\n\*\*Syntax/);
  });

  it('says of an unchanged one just that', () => {
    check(
      'DocumentRoot',
      `
**\`DocumentRoot\`** — directive

TEXT

Unchanged in 2.4.

**Syntax** \`DocumentRoot directory-path\`
**Default** \`"/usr/local/apache/htdocs"\`
**Module** core
**Where** server config, virtual host

[2.4 manual](${DOCS}/2.4/mod/core.html#documentroot) · [2.2 manual](${DOCS}/2.2/mod/core.html#documentroot)`,
    );
  });

  it('knows the first words of each fate', () => {
    const table: Record<string, string> = {
      MaxClients: '**Renamed**: the new name is `MaxRequestWorkers`. The old name still works.',
      NameVirtualHost: '**No effect in 2.4.**',
      Mutex: '**New in 2.4.**',
      ProxyHTMLEnable: '**New in 2.4.** In 2.2 it was in a third-party module: load the one that comes with 2.4.',
      Include: '**Changed in 2.4.**',
      KeepAlive: '**Arguments changed.**',
      Substitute: '**Needs** `AllowOverride FileInfo` in a .htaccess now.',
      LogLevel: '**Now also allowed** in sections such as `<Location>`. **Arguments changed.**',
      SSLProxyMachineCertificatePath: '**Now also allowed** in virtual hosts and in `<Proxy>` sections.',
      LDAPTrustedClientCert:
        '**No longer allowed** at server level or in virtual hosts. **Now also allowed** in sections such as `<Location>` and in .htaccess files.',
      CacheDirLevels:
        '**Moved** from mod_disk_cache to mod_cache_disk: load `cache_disk_module`. **Default changed** from `3` to `2`.',
      Port: '**An error in 2.2 and 2.4.**',
      SSLStaplingMutex: '**Unknown in 2.2 and 2.4.**',
      User: '**Moved** from MPM (event, prefork, worker) to mod_unixd: load `unixd_module`.',
      AddType: 'Unchanged in 2.4.',
      SSLCertificateFile: 'Kept in 2.4.',
    };
    for (const [name, start] of Object.entries(table)) assert.ok(sentences(name).startsWith(start), sentences(name));
  });

  it('says when the target is too old for it', () => {
    assert.match(
      directiveMarkdown('H2EarlyHint', { target: '2.4.57' })!,
      /\*\*New in 2\.4\.58\.\*\* \*\*Unknown in the target version, 2\.4\.57\.\*\*/,
    );
    for (const target of ['2.4.58', '2.4', undefined])
      assert.doesNotMatch(directiveMarkdown('H2EarlyHint', { target })!, /Unknown/);
    assert.match(
      directiveMarkdown('SSLSessionTickets', { target: '2.4.6' })!,
      /Unknown in the target version, 2\.4\.6/,
    );
  });

  it('calls nothing unchanged that came with a later 2.4.x', () => {
    assert.match(
      directiveMarkdown('SSLSessionTickets')!,
      /The same in 2\.4, since 2\.4\.11\.[^]*2\.2\.30 and 2\.4\.11/,
    );
    for (const { name, section } of directives()) {
      const text = directiveMarkdown(name, { isSection: section }) ?? '';
      assert.ok(!text.includes('Unchanged in 2.4.') || !/Since\W+(?:2\.2\.\d+ and )?2\.4/.test(text), text);
    }
  });

  it('tells the directive and the section of one name apart', () => {
    assert.match(directiveMarkdown('mdomain')!, /^\*\*`MDomain`\*\* — directive/);
    assert.match(directiveMarkdown('mdomain', { isSection: true })!, /^\*\*`<MDomain>`\*\* — section/);
    assert.equal(directiveMarkdown('KeepAlive', { isSection: true }), undefined);
    assert.equal(directiveMarkdown('Nonsense'), undefined);
  });

  it('is well formed for every directive and section', () => {
    for (const one of directives()) {
      const markdown = directiveMarkdown(one.name, { isSection: one.section }) ?? assert.fail(displayName(one));
      wellFormed(markdown, displayName(one));
      assert.ok(sentences(one.name, one.section).length > 8, markdown);
      const { example = '' } = descriptionOfDirective(one.name, { section: one.section })!;
      assert.ok(markdown.length - example.length < 2300, `${displayName(one)}: too long to be read`);
    }
  });

  it('is well formed for every module', () => {
    for (const { name } of modules()) wellFormed(moduleMarkdown(name) ?? assert.fail(name), name);
    assert.equal(moduleMarkdown('mod_nothing'), undefined);
  });

  it('says of a module what left it and what it provides', () => {
    for (const [name, facts] of [
      ['alias_module', [/Kept in 2\.4/, /\*\*New in 2\.4\*\* .*`AliasPreservePath`.*`RedirectRelative`/]],
      ['setenvif_module', [/Kept in 2\.4/, /\*\*New in 2\.4\*\* `SetEnvIfExpr`/]],
      [
        'mpm_worker_module',
        [/\*\*Removed in 2\.4\*\* [^\n]*`AcceptMutex`/, /\*\*Moved to mod_unixd in 2\.4\*\* [^\n]*`User`/],
      ],
    ] as const)
      for (const fact of facts) assert.match(moduleMarkdown(name)!, fact);
    assert.equal(
      moduleMarkdown('authz_host_module')!.replaceAll('  \n', '\n'),
      `**\`mod_authz_host\`** — module (\`authz_host_module\` · \`mod_authz_host.so\`)

${descriptionOfModule('mod_authz_host')}

**Changed in 2.4.** It now provides \`Require ip\`, \`host\`, \`local\` and \`forward-dns\`, and needs mod_authz_core. \`Order\`, \`Allow\` and \`Deny\` are now in mod_access_compat.

**Status** Base
**Provides** \`Require forward-dns\`, \`Require host\`, \`Require ip\`, \`Require local\`
**Moved to mod_access_compat in 2.4** \`Allow\`, \`Deny\`, \`Order\`

[2.4 manual](${DOCS}/2.4/mod/mod_authz_host.html) · [2.2 manual](${DOCS}/2.2/mod/mod_authz_host.html)`,
    );
  });
});

/** TEXT stands for the sentences about it, which are a matter of descriptions/. */
function check(name: string, expected: string): void {
  assert.equal(
    directiveMarkdown(name)?.replaceAll('  \n', '\n'),
    expected.trim().replace('TEXT', descriptionOfDirective(name)!.text),
  );
}

/** The third paragraph: what became of it. The second says what it is for. */
function sentences(name: string, section?: boolean): string {
  return directiveMarkdown(name, { isSection: section })!.split('\n\n')[2];
}

function wellFormed(markdown: string, name: string): void {
  assert.match(markdown, /\]\(https:\/\/httpd\.apache\.org\/docs\/2\.[24]\/mod\/[\w.]+html(#[\w]+)?\)$/, name);
  assert.doesNotMatch(markdown, /\bundefined\b|\bNaN\b|\[object/, name);
  assert.doesNotMatch(markdown, /\n\n\n|^\s|\s$/, name);
  for (const line of markdown.replace(/^```apacheconf\n[^]*?\n```$/m, '').split('\n')) {
    if (line.startsWith('|')) assert.equal(line.split(/(?<!\\)\|/).length, 5, `${name}: ${line}`);
    assert.equal((line.match(/`/g) ?? []).length % 2, 0, `${name}: ${line}`);
    // Outside of code, `<` would start a tag and swallow what follows.
    assert.doesNotMatch(line.replace(/`[^`]*`/g, ''), /(?<!\\)<(?!br>)/, `${name}: ${line}`);
  }
}
