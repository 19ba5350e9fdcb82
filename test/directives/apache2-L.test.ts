/**
 * The table of 2.4 compared with a real httpd: `httpd -L` prints every directive of the loaded
 * modules with its module and the places that its command table allows. A server older than the
 * table lacks the newest directives, so only printed ones are compared.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { directive, directives, displayName, module, type DirectiveFacts } from '../../server/src/directives';
import { NEW_AUTH_DIGEST, releaseOf, requireHttpd, type Httpd, type Mpm } from '../httpd/harness';
import { Sandbox } from '../httpd/sandbox';
import { mayLack } from '../support/lacks';

const MPMS: readonly Mpm[] = ['event', 'worker', 'prefork'];

/** The version whose command tables directives.json holds. */
const TABLE_PATCH = 71;

/** Directives of loaded modules that `httpd -L` does not print. */
const NOT_PRINTED: Readonly<Record<string, string>> = {
  CGIMapExtension: 'NetWare only',
  EnableExceptionHook: 'needs --enable-exception-hook',
  GprofDir: 'needs a build for profiling',
  LuaHookPreTranslate: 'the manual only; the code says LuaHookPreTranslateName',
  MDCertificateMonitor: 'the manual only',
  '<RequireNotAll>': 'needs a build with AUTHZ_EXTRA_CONFIGS',
  ScriptInterpreterSource: 'Windows only',
  UNCList: 'Windows only',
};

/**
 * Where the command table lets a directive in and its own function refuses it: seen with `httpd
 * -t`. The tables have what really works.
 */
const REFUSED_LATER: Readonly<Record<string, string>> = {
  RewriteBase: 'only valid in per-directory config files',
  SSLCACertificateFile: 'Your SSL library does not have support for per-directory CA',
  SSLCACertificatePath: 'Your SSL library does not have support for per-directory CA',
  LuaHookTranslateName: 'cannot occur within <Directory> section',
  LuaQuickHandler: 'cannot occur within <Directory> section',
  LuaInputFilter: 'cannot occur within <Directory> section',
  LuaOutputFilter: 'cannot occur within <Directory> section',
  MDRequireHttps: 'cannot occur within <Directory> section',
};

interface Printed {
  readonly name: string;
  readonly sourceFile: string;
  /** "anywhere", "only inside …", "only outside …" */
  readonly allowed: string;
  /** The classes of AllowOverride; `All` for "isn't None"; empty when not for .htaccess. */
  readonly override: readonly string[];
}

describe('directives: httpd -L', () => {
  let httpd: Httpd;
  let printed: Map<string, Printed[]>;

  before(function () {
    this.timeout(300_000);
    httpd = requireHttpd(this);
    printed = new Map();
    for (const one of MPMS.filter((mpm) => httpd.loadable.has(`mpm_${mpm}`)).flatMap((mpm) => list(mpm))) {
      printed.set(one.name, [...(printed.get(one.name) ?? []), one]);
    }
  });

  const isCurrent = () => Number(httpd.version.split('.')[2]) >= TABLE_PATCH;

  it('prints many directives', () => assert.ok(printed.size > 300, `${printed.size}`));

  it('prints nothing that the table does not have, and each for the module that the table says', () => {
    for (const [name, ones] of printed) {
      const facts = directive(name, { section: name.startsWith('<') })?.['2.4'];
      // Later releases do not have it any more.
      if (!facts && name === 'authdigestnonceformat' && releaseOf(httpd) < NEW_AUTH_DIGEST) continue;
      assert.ok(facts?.arguments, `${name} is not in the table`);
      for (const { sourceFile } of ones) {
        if (name === 'authname' && sourceFile === 'mod_auth_digest.c' && releaseOf(httpd) < NEW_AUTH_DIGEST) continue;
        const home = module(sourceFile)?.name;
        assert.ok(home && facts.modules.includes(home), `${name}: ${sourceFile}, not ${facts.modules.join(', ')}`);
      }
    }
  });

  it('allows each directive where the table allows it', function () {
    if (!isCurrent()) mayLack(this, 'new httpd');
    for (const [name, ones] of printed) {
      const found = directive(name, { section: name.startsWith('<') })!;
      const facts = found['2.4']!;
      for (const { allowed, override } of ones) {
        assert.deepEqual(facts.override, override, name);
        if (!REFUSED_LATER[found.name]) assert.equal(places(facts), allowed, name);
      }
    }
  });

  it('prints every directive of its modules', function () {
    if (!isCurrent()) mayLack(this, 'new httpd');
    const names = new Set([...httpd.loadable, ...httpd.builtin]);
    const isLoaded = (facts: DirectiveFacts) =>
      facts.modules.some((name) => name === 'core' || names.has(name.replace(/^mod_/, '')) || names.has(`mpm_${name}`));
    const lacking = directives().filter((one) => {
      const key = (one.section ? `<${one.name}` : one.name).toLowerCase();
      return one['2.4'] && isLoaded(one['2.4']) && !printed.has(key);
    });
    assert.deepEqual(lacking.map(displayName).sort(), Object.keys(NOT_PRINTED).sort());
  });
});

/** Runs `httpd -L`. A description with line ends of its own (AuthLDAPURL's) is passed over. */
function list(mpm: Mpm): Printed[] {
  const sandbox = new Sandbox({ mpm }, 8080);
  try {
    sandbox.configure('');
    const { stdout, stderr } = spawnSync(sandbox.httpd.binary, sandbox.arguments('-L'), {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    assert.ok(stdout, stderr);
    return [...stdout.matchAll(/^(<?\w+) \((\w+\.c)\)\n([\s\S]*?)(?=^<?\w+ \(\w+\.c\)\n|(?![\s\S]))/gm)].map(
      ([, name, sourceFile, text]) => ({
        name: name.toLowerCase(),
        sourceFile,
        allowed: /Allowed in \*\.conf (anywhere|only inside|only outside)/.exec(text)?.[1] ?? '',
        override: /when AllowOverride isn't None/.test(text)
          ? ['All']
          : (/when AllowOverride includes (.*)/.exec(text)?.[1].split(' or ').sort() ?? []),
      }),
    );
  } finally {
    sandbox.remove();
  }
}

/** In the words of `httpd -L`, which does not know `<Proxy>` sections. */
function places({ contexts }: DirectiveFacts): string {
  const outside = contexts.includes('server config') || contexts.includes('virtual host');
  const inside = contexts.includes('directory');
  return outside && inside ? 'anywhere' : inside ? 'only inside' : 'only outside';
}
