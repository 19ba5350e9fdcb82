/**
 * The answers of a real 2.4.71 to 498 small configurations, each with the modules named, compared
 * with ours: accepted or refused, and the line. EXCEPTIONS explains differences. A part of them is
 * checked on the installed server, in turn.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { module } from '../../server/src/directives';
import { repositoryRoot } from '../support/paths';
import { fileContext } from '../support/file-context';
import { EXCEPTIONS } from './config-tests-exceptions';
import { ourErrors } from './verdict';

interface Recorded {
  readonly config: string;
  /** `all`, `base` and others, or names; without `mod_`. */
  readonly modules: string;
  readonly mpm?: string | null;
  /** Left out where it was accepted; 0 where the error has no line. */
  readonly line?: number;
  readonly says?: string;
}

const GROUPS: Readonly<Record<string, readonly Recorded[]>> = JSON.parse(
  readFileSync(path.join(repositoryRoot, 'test/httpd/config-tests.json'), 'utf8'),
);

const BASE =
  'access_compat authn_core authn_file authz_core authz_host authz_user auth_basic alias dir mime env setenvif status autoindex negotiation';
/** Compiled into Debian's server. */
const BUILT_IN = ['core', 'mod_so', 'mod_watchdog', 'mod_log_config', 'mod_logio', 'mod_version', 'mod_unixd'];

describe('498 recorded configurations', () => {
  const used = new Set<string>();

  it('are all there', () => assert.equal(Object.values(GROUPS).flat().length, 498));

  for (const [group, recorded] of Object.entries(GROUPS)) {
    it(group, () => {
      const different: string[] = [];
      for (const entry of recorded) {
        const { config, line } = entry;
        const ours = ourErrors(config, {
          fileContext: fileContext({ modules: modulesOf(entry), defines: new Set(), fileExists: () => false }),
        });
        const isSame =
          line === undefined
            ? ours.length === 0
            : ours.some((error) => error.line === line) || (line === 0 && ours.length > 0);
        if (EXCEPTIONS[config] !== undefined) {
          used.add(config);
          assert.ok(!isSame, `this exception is none any more: ${config}`);
        } else if (!isSame)
          different.push(
            `${JSON.stringify(config)}\n  ${entry.modules}\n  the server: ${line === undefined ? 'accepts' : `${line}: ${entry.says}`}\n  ours: ${ours.map((error) => `${error.line}: ${error.text}`).join('; ') || 'nothing'}`,
          );
      }
      assert.equal(different.length, 0, different.join('\n'));
    });
  }

  it('every exception is one', () =>
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter((config) => !used.has(config)),
      [],
    ));
});

function modulesOf({ modules, mpm }: Recorded): Set<string> | undefined {
  if (modules === 'all') return undefined;
  const names = modules
    .replace('base', BASE)
    .split(' ')
    .filter(Boolean)
    .map((name) => `mod_${name}`);
  return new Set([
    ...BUILT_IN,
    ...names.filter((name) => module(name) !== undefined),
    ...(mpm === null ? [] : [mpm ?? 'event']),
  ]);
}
