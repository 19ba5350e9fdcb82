/** The server's verdict on many texts, and ours. */
import os from 'node:os';
import { Engine } from '../../../server/src/analysis/engine';
import { module } from '../../../server/src/directives';
import { ALL_RULES } from '../../../server/src/rules/all';
import { Tree } from '../../../server/src/syntax/document';
import { fileContext } from '../../support/file-context';
import { verdictIn } from '../config-test';
import { findHttpd } from '../harness';
import { Sandbox, type SandboxOptions } from '../sandbox';
import { ENVIRONMENT, logicalLineEnd } from '../verdict';
import type { Mutant } from './mutate';

export interface Difference extends Mutant {
  readonly server: string;
  readonly ours: string;
}

/** By the manual's names, with what Debian and others build in, of these modules' short names. */
export function modulesOf(names: readonly string[]): ReadonlySet<string> {
  const all = [...names, ...findHttpd()!.builtin, 'unixd']
    .filter((name) => !name.startsWith('mpm_'))
    .map((name) => `mod_${name}`);
  return new Set(['core', 'event', ...all.filter((name) => module(name) !== undefined)]);
}

const engine = new Engine({ rules: ALL_RULES });

/**
 * Where the two verdicts differ: one of us refuses the text and the other does not, or the server
 * stops at a line that is no error to us. Of tags that do not pair the server may notice lines
 * later.
 */
export async function differences(
  mutants: readonly Mutant[],
  modules: ReadonlySet<string>,
  options: SandboxOptions,
): Promise<{ found: Difference[]; refused: number; left: number }> {
  const found: Difference[] = [];
  let refused = 0;
  let left = 0;
  let next = 0;
  const around = fileContext({
    modules,
    defines: new Set(),
    variables: { docroot: 'htdocs' },
    fileExists: () => false,
    macros: [],
    providers: [],
  });
  const worker = async () => {
    const sandbox = new Sandbox(options, 8080);
    try {
      while (next < mutants.length) {
        const mutant = mutants[next++];
        sandbox.configure(mutant.text);
        const { ok, error } = await verdictIn(sandbox);
        // What only this machine is to blame for is nobody's verdict.
        if (error && ENVIRONMENT.test(error.message)) left++;
        const errors = engine
          .analyze(Tree.parse(mutant.text), { isHtaccess: false, fileContext: around })
          .findings()
          .filter(({ severity }) => severity === 'error');
        if (error && ENVIRONMENT.test(error.message)) continue;
        if (!ok) refused++;
        const isTagged = errors.some(({ rule }) => rule.id === 'section-unpaired');
        const lines = errors.map(({ start }) => logicalLineEnd(mutant.text, start));
        const isSame = ok
          ? errors.length === 0
          : isTagged ||
            (error!.line !== undefined && lines.includes(error!.line)) ||
            (error!.line === undefined && errors.length > 0);
        if (isSame) continue;
        const ours = errors
          .map(
            ({ rule, messageId, message }, index) =>
              `${lines[index]}: ${rule.id}/${messageId} ${message.slice(0, 120)}`,
          )
          .join(' | ');
        found.push({
          ...mutant,
          server: ok ? 'Syntax OK' : `${error!.line ?? ''}: ${error!.message}`,
          ours: ours || 'nothing',
        });
      }
    } finally {
      sandbox.remove();
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, os.cpus().length) }, worker));
  return { found, refused, left };
}
