/**
 * What `httpd -t` loads and runs while it reads lines: each directive of 2.4 gets the path of a
 * program and of a shared object, in each form that some directive accepts. The copy that `verify`
 * makes (analysis/check-copy.ts) omits what runs here; test/cli/verify-foreign.slow.test.ts tries
 * these.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { directives, type ArgumentKind } from '../../server/src/directives/index';
import { needs } from '../cli/run';
import { configTest, requireHttpd } from './harness';

/** A library that leaves a trace, named after its own file, as soon as it is loaded. */
const LIBRARY = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
__attribute__((constructor)) static void run(void) {
  Dl_info own;
  char trace[4096];
  dladdr((void *) run, &own);
  snprintf(trace, sizeof trace, "%s/%s", TRACES, basename((char *) own.dli_fname));
  open(trace, O_CREAT | O_WRONLY, 0644);
}
`;

/** With PROGRAM and LIBRARY for paths. \`..\` leads from a directory of libraries to the root. */
const ONE_ARGUMENT = ['PROGRAM', '"|PROGRAM"', 'exec:PROGRAM', 'LIBRARY', '../../../../../../../..LIBRARY'];
const TWO_ARGUMENTS = ['a PROGRAM', 'a exec:PROGRAM', 'a prg:PROGRAM', 'a LIBRARY'];

/**
 * The forms to try for a directive. httpd refuses other numbers of arguments before it looks at
 * them (invoke_cmd in server/config.c).
 */
function formsOf(kind: ArgumentKind | undefined): readonly string[] {
  if (kind === 'TAKE1' || kind === 'FLAG') return ONE_ARGUMENT;
  if (kind === 'TAKE2' || kind === 'TAKE23' || kind === 'ITERATE2') return TWO_ARGUMENTS;
  return [...ONE_ARGUMENT, ...TWO_ARGUMENTS];
}

describe('what a real httpd runs while it reads a line', function () {
  this.timeout(0);
  let folder = '';

  before(function () {
    requireHttpd(this);
    needs(this, 'gcc');
    folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-runs-'));
    for (const name of ['traces', 'programs', 'libraries']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, 'library.c'), LIBRARY);
    const traces = JSON.stringify(path.join(folder, 'traces'));
    const built = path.join(folder, 'library.so');
    execFileSync('gcc', [
      '-shared',
      '-fPIC',
      `-DTRACES=${traces}`,
      '-o',
      built,
      path.join(folder, 'library.c'),
      '-ldl',
    ]);
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });

  it('runs a program or loads a library for these directives only', async () => {
    const known = ['AuthLDAPBindPassword', 'LoadFile', 'LoadModule', 'SSLCryptoDevice', 'SessionCryptoPassphrase'];
    const all = directives().filter(
      ({ section, ...of }) => !section && of['2.4'] && !/^(Include|IncludeOptional)$/.test(of.name),
    );
    const tests = all.flatMap(({ name, ...of }) => {
      const program = path.join(folder, 'programs', name);
      writeFileSync(program, `#!/bin/sh\n: > ${path.join(folder, 'traces', name)}\necho x\n`);
      chmodSync(program, 0o755);
      const library = path.join(folder, 'libraries', `${name}.so`);
      copyFileSync(path.join(folder, 'library.so'), library);
      return formsOf(of['2.4']?.arguments).map((form) => {
        const line = `${name} ${form.replace('PROGRAM', program).replace('LIBRARY', library.slice(0, form.includes('..') ? -3 : undefined))}`;
        return [line, `<Directory /x>\n${line}\n</Directory>`];
      });
    });
    const ask = async ([server, section]: readonly string[]): Promise<void> => {
      const { error } = await configTest(server!);
      if (/not allowed here/.test(error?.message ?? '')) await configTest(section!);
    };
    await Promise.all(tests.map(ask));
    const ran = [...new Set(readdirSync(path.join(folder, 'traces')).map((name) => name.replace(/\.so$/, '')))].sort();
    assert.deepEqual(ran, known);
  });
});
