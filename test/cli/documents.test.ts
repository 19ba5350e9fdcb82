/**
 * The commands in documents: each block of type `console` runs as it stands, and prints what the
 * document shows. `…` on a line of its own stands for any text.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { repositoryRoot } from '../support/paths';
import { lacks } from '../support/lacks';
import { withFolder } from './run';

const DOCS = path.join(repositoryRoot, 'docs');
const PAGES = ['tutorial.md', ...readdirSync(path.join(DOCS, 'how-to')).map((name) => `how-to/${name}`)];

interface Step {
  readonly command: string;
  readonly shown: string;
}

function stepsIn(text: string): Step[] {
  return [...text.matchAll(/^```console\n([^]*?)^```$/gm)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...rows] = part.split('\n');
        return { command, shown: rows.join('\n').trim() };
      }),
  );
}

/** Whether a text is the shown one, where a line `…` stands for any text. */
function isShown(text: string, shown: string): boolean {
  const parts = shown.split(/^…$/m).map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`).test(text.trim());
}

describe(
  'commands in documents',
  withFolder((folder) => {
    for (const page of PAGES) {
      const steps = stepsIn(readFileSync(path.join(DOCS, page), 'utf8'));
      if (steps.length === 0) continue;
      it(`print what ${page} shows`, async function () {
        if (process.platform === 'win32') lacks(this, 'sh');
        const files = path.join(DOCS, page.replace(/\.md$/, ''));
        if (existsSync(files)) cpSync(files, folder().path, { recursive: true });
        for (const { command, shown } of steps) {
          const made = /^cat (\S+)$/.exec(command);
          if (made) {
            folder().write(made[1]!, `${shown}\n`);
            continue;
          }
          const [program, ...words] = command.split(' ');
          const out =
            program === 'httpd-upgrade'
              ? (await folder().run(words)).out
              : spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: folder().path }).stdout;
          assert.ok(isShown(out, shown), `$ ${command}\n${out}`);
        }
      });
    }

    it('are in the tutorial', () =>
      assert.ok(stepsIn(readFileSync(path.join(DOCS, 'tutorial.md'), 'utf8')).length >= 5));
  }),
);
